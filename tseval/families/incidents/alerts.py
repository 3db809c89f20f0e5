"""Accumulated alert worth: what a run's alerts are worth to somebody who is woken by them.

A true alert earns, a missed one costs, and each false one in a row costs more: trust is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.core.measure import Definition, Measure
from tseval.core.results import Taken, Values
from tseval.families.incidents.index import (
    FAMILY,
    NOTE,
    IncidentIndex,
    Reply,
    added_up,
    share,
    stacked,
    taken,
)
from tseval.families.incidents.rules import LABELLING, TYPING
from tseval.families.incidents.tables import HIGH, UNKNOWN
from tseval.records import frozen
from tseval.tables.names import ABSENT

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

MISSED = -1.0
"""What a missed alert is worth, and the least that a false one can be."""


@frozen
class Alerts:
    """One run's posts in the order in which a reader meets them: whether each was an alert."""

    judged: IntArray
    """The judged post."""
    line: IntArray
    """The place among the run's lines; `ABSENT` for a post that the run lacks."""
    alert: BoolArray
    high: BoolArray
    """Whether it deserved one."""
    delta: IntArray
    """How many false alerts there were since the last true one, not counting this post."""
    worth: FloatArray


def alerts(index: IncidentIndex, reply: Reply) -> Alerts:
    """What each post of a run is worth, in order."""
    judged, line, group = _sequence(index, reply)
    alert, high = np.append(reply.line_alert, False)[line], index.judged.high[judged]
    delta = _false_since(alert & ~high, alert & high, group)
    overlap = _overlap(index, reply)[judged]
    rules = index.rules
    true = rules.flat_gain + (1 - rules.flat_gain) * overlap
    counted = delta + (rules.delta_counts == "with")
    log = np.log(counted / 2 + 1) / (np.log(10.0) if rules.logarithm == "10" else 1.0)
    false = np.maximum(0.0 - log, MISSED)
    worth = np.where(high, np.where(alert, true, MISSED), np.where(alert, false, overlap))
    return Alerts(judged, line, alert, high, delta, worth)


def _sequence(index: IncidentIndex, reply: Reply) -> tuple[IntArray, IntArray, IntArray]:
    """The judged posts in order, the run's line of each, and the stream in which it stands."""
    if index.rules.alert_posts == "lines":
        return _lines(index, reply)
    judged = index.judged
    one_stream = index.rules.delta == "run"
    event = np.zeros_like(judged.event) if one_stream else judged.event
    keys = [judged.order, *_places(index, reply), event]
    order = np.lexsort(keys)
    return order, reply.line[order], event[order]


def _places(index: IncidentIndex, reply: Reply) -> list[FloatArray]:
    """What the rules order the posts by, the strongest last; posts without a line come last."""
    line = np.where(reply.row == ABSENT, np.inf, reply.row.astype(np.float64))
    if index.rules.order == "time":
        return [line, index.judged.time]
    if index.rules.order == "file":
        return [line]
    rank = np.append(index.predictions.rank, np.inf)[reply.row]
    return [line, rank, index.judged.event.astype(np.float64)]


def _lines(index: IncidentIndex, reply: Reply) -> tuple[IntArray, IntArray, IntArray]:
    """The run's lines whose post is labelled, by the run's own events and ranks."""
    known = np.flatnonzero(reply.judged_by_line != ABSENT)
    lines, judged = reply.lines[known], reply.judged_by_line[known]
    names, first, event = np.unique(
        index.predictions.event.codes[reply.lines], return_index=True, return_inverse=True
    )
    appearance = np.empty(len(names), np.int64)
    appearance[np.argsort(first)] = np.arange(len(names))
    stream = appearance[event[known]]
    keys: list[FloatArray | IntArray] = [lines]
    if index.rules.order == "rank":
        keys.append(index.predictions.rank[lines])
    elif index.rules.order == "time":
        keys.append(index.judged.time[judged])
    group = np.zeros_like(stream) if index.rules.delta == "run" else stream
    order = np.lexsort([*keys, stream])
    return judged[order], known[order], group[order]


def _false_since(false: BoolArray, true: BoolArray, group: IntArray) -> IntArray:
    """How many false alerts came since the last true one of the group, before each post."""
    after: IntArray = np.cumsum(false)
    before = after - false.astype(np.int64)
    start = np.append(True, group[1:] != group[:-1])[: len(group)]
    reset = np.append(ABSENT, np.where(true, after, ABSENT))[: len(group)]
    base = np.maximum.accumulate(np.where(start, before, reset)) if len(group) else reset
    since: IntArray = before - base
    return since


def _overlap(index: IncidentIndex, reply: Reply) -> FloatArray:
    """How far the run's types are the assessors': ActC + NAct of each judged post."""
    truth = index.judged.types
    if index.rules.alert_types == "ignored":
        return np.zeros(len(truth))
    groups = index.groups
    weight = np.where(truth[:, groups].any(axis=1), index.rules.actionable_weight, 0.0)
    both, either = truth & reply.types, truth | reply.types
    parts = [
        share(both[:, own].sum(axis=1), either[:, own].sum(axis=1)) for own in (groups, ~groups)
    ]
    total: FloatArray = weight * parts[0] + (1 - weight) * parts[1]
    return total


@frozen
class Worth:
    """Worth added up by (run, event): of posts that deserve an alert, and of the others.

    Beside it how many labels of each kind the means are divided by.
    """

    high: FloatArray
    low: FloatArray
    high_posts: FloatArray
    low_posts: FloatArray


def worth(index: IncidentIndex) -> Worth:
    """The sums of every run and event."""
    parts = [_worth(index, reply) for reply in index.replies]
    shape = (len(index.topics),)
    return Worth(
        *(stacked([getattr(each, name) for each in parts], shape) for name in Worth.__annotations__)
    )


def _worth(index: IncidentIndex, reply: Reply) -> Worth:
    found, judged = alerts(index, reply), index.judged
    kept = reply.chosen[found.judged]
    event = judged.event[found.judged[kept]]
    amount, high = found.worth[kept], found.high[kept]
    number = len(index.topics)
    own = judged.own_level
    counted = own != UNKNOWN if index.rules.unknown_priority == "uncounted" else own >= UNKNOWN
    return Worth(
        high=added_up(amount[high], event[high], number),
        low=added_up(amount[~high], event[~high], number),
        high_posts=index.counts(reply.chosen & (own >= HIGH)),
        low_posts=index.counts(reply.chosen & (own < HIGH) & counted),
    )


def _parts(sums: Worth) -> tuple[Values, Values]:
    """The mean worth of the posts that deserve an alert, and of the others."""
    return (
        Values(share(sums.high, sums.high_posts), sums.high_posts > 0),
        Values(share(sums.low, sums.low_posts), sums.low_posts > 0),
    )


def _total(index: IncidentIndex, sums: Worth) -> Values:
    high, low = _parts(sums)
    rule = index.rules.alert_mean
    if rule in ("halves", "sum"):
        defined = high.defined | low.defined if rule == "sum" else high.defined & low.defined
        return Values((high.value + low.value) / 2, defined)
    posts = sums.high_posts + sums.low_posts
    return Values(share(sums.high + sums.low, 2 * posts), posts > 0)


def _summed(sums: Worth) -> Worth:
    return Worth(*(part.sum(axis=1) for part in vars(sums).values()))


def accumulated(index: IncidentIndex, _: Measure) -> Taken:
    """The worth of all posts."""
    sums = index.once(worth)
    return taken(_total(index, sums), _total(index, _summed(sums)))


def of_high(index: IncidentIndex, _: Measure) -> Taken:
    """The mean worth of the posts that deserve an alert."""
    sums = index.once(worth)
    return taken(_parts(sums)[0], _parts(_summed(sums))[0])


def of_low(index: IncidentIndex, _: Measure) -> Taken:
    """The mean worth of the others."""
    sums = index.once(worth)
    return taken(_parts(sums)[1], _parts(_summed(sums))[1])


ALERTED = (
    "levels",
    *(*LABELLING, *TYPING, "emitted-from", "actionable", "actionable-weight", "alert-types"),
    *("alert-from", "alert-priority", "alert-posts", "normalise", "scale-bottom"),
)
"""What it depends on which posts are alerts, and what their types are worth."""
TRUST = ("order", "delta", "delta-counts", "logarithm", "epochs")
"""What the cost of a false alert depends on."""
WORTH = (*ALERTED, *TRUST, "flat-gain")
"""What the worth of posts depends on."""
_ORDER = "delta counts the false alerts since the last true one, so the order of posts matters"
DEFINITIONS = (
    Definition(
        name="AAW",
        family=FAMILY,
        title="accumulated alert worth",
        summary="what a run's alerts are worth to somebody who is woken by them",
        formula=f"(AAW.high + AAW.low) / 2; {_ORDER}",
        empty_case="undefined without posts of one kind; see the rule alert-mean",
        range="-1 to 1",
        citation=NOTE,
        account=accumulated,
        reads=(*WORTH, "alert-mean", "unknown-priority"),
    ),
    Definition(
        name="AAW.high",
        family=FAMILY,
        title="worth of alerts that were due",
        summary="the mean worth of the posts of priority High or Critical",
        formula="mean over them of alpha + (1 - alpha) (ActC + NAct) with an alert, else -1",
        empty_case="undefined without such posts",
        range="-1 to 1",
        citation=NOTE,
        account=of_high,
        reads=(*ALERTED, "flat-gain"),
    ),
    Definition(
        name="AAW.low",
        family=FAMILY,
        title="worth of the other posts",
        summary="the mean worth of the posts that deserve no alert",
        formula="mean over them of max(-log(delta / 2 + 1), -1) with an alert, else ActC + NAct;"
        f" {_ORDER}",
        empty_case="undefined without such posts",
        range="-1 to 1",
        citation=NOTE,
        account=of_low,
        reads=(*ALERTED, *TRUST, "unknown-priority"),
    ),
)
