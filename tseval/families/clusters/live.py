"""Live judgments: what assessors said of posts as they were pushed to them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from tseval.families.clusters.push_rules import NOT_RELEVANT, REDUNDANT, RELEVANT, PushRules
from tseval.families.clusters.pushes import Delays
from tseval.families.clusters.tables import Live, Posts
from tseval.records import frozen
from tseval.tables import ABSENT, all_names, natural_order, repeated_rows
from tseval.tables.arrow import strings
from tseval.tables.epochs import Epochs
from tseval.tables.keys import equal_rows, last_row_of, pair_keys
from tseval.tables.units import Units

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

SAID = (RELEVANT, REDUNDANT, NOT_RELEVANT)
DAY_SECONDS = 86_400


@frozen
class LiveIndex(Units):
    """For every (run, topic) of the live judgments: counts of the shape (units,)."""

    present: BoolArray
    said: dict[str, IntArray]
    """How many judgments say `relevant`, `redundant`, `not-relevant`."""
    unjudged: IntArray
    sent: IntArray
    delays: Delays
    """From creation to push."""
    unmet: IntArray
    """For each run its posts of judged topics, if none of them has a live judgment; else 0."""
    rules: PushRules

    @classmethod
    def build(cls, posts: Posts, live: Live, epochs: Epochs, rules: PushRules) -> LiveIndex:
        """Index whole runs."""
        runs = natural_order(posts.run.vocabulary())
        topics = natural_order(all_names(live.topic).to_pylist())
        topic = posts.topic.within(strings(topics))
        unit = posts.run.within(strings(runs)) * len(topics) + topic
        pushed = _push_times(posts, rules)
        counts = (topic != ABSENT) & _in_period(pushed, rules)
        if rules.live_repeats == "once":
            counts[repeated_rows(posts.run, posts.topic, posts.post_id)[0]] = False
        judged = counts & _looked_at(pushed, unit, counts, rules)
        place, row = equal_rows(
            pair_keys(posts.topic, posts.post_id, live.topic, live.post_id),
            pair_keys(live.topic, live.post_id, live.topic, live.post_id),
        )
        known = last_row_of(posts.post_id.within(epochs.post_id.names), epochs.post_id.codes)
        delay = pushed + rules.clock_offset - np.append(epochs.time, np.nan)[known]
        timed = delay >= 0  # never so where the creation is not known
        has_judgment = np.bincount(place, minlength=len(posts)) > 0
        unmet = _unmet(unit[topic != ABSENT], unit[has_judgment], len(runs), len(topics))
        if rules.live_early == "unjudged":
            has_judgment &= timed
        within = judged & has_judgment
        delayed = (within if rules.live_latency == "judged" else judged) & timed
        size = len(runs) * len(topics)
        sent = np.bincount(unit[counts], minlength=size)
        return cls(
            runs=tuple(runs),
            topics=tuple(topics),
            present=sent.reshape(len(runs), len(topics)) > 0,
            said=_said(live, place, row, within, unit, size, rules),
            unjudged=sent - np.bincount(unit[within], minlength=size),
            sent=sent,
            delays=Delays(unit[delayed], delay[delayed]),
            unmet=unmet,
            rules=rules,
        )


def _unmet(judged: IntArray, met: IntArray, runs: int, topics: int) -> IntArray:
    """The posts of each run, by their units, if none of them is among those that were met."""
    number = np.bincount(judged // topics, minlength=runs)
    found = np.bincount(met // topics, minlength=runs) > 0
    return np.where(found, 0, number)


def _push_times(posts: Posts, rules: PushRules) -> FloatArray:
    """Return the push time of each line by the rules."""
    if rules.live_times == "own":
        return posts.time
    lines = np.column_stack([posts.run.codes, posts.topic.codes, posts.post_id.codes])
    post = np.unique(lines, axis=0, return_inverse=True)[1].reshape(-1)
    last = np.zeros(len(posts))
    last[post] = posts.time  # of the lines of one post the last stays
    return last[post]


def _in_period(pushed: FloatArray, rules: PushRules) -> BoolArray:
    """Which posts were pushed on the days of the evaluation, by the run's own clock."""
    if rules.live_period == "open":
        return np.ones(len(pushed), bool)
    first, last = (_midnight(day) for day in (rules.days[0], rules.days[-1]))
    return (pushed >= first) & (pushed < last + DAY_SECONDS)


def _midnight(day: int) -> float:
    return datetime.strptime(f"{day}Z", "%Y%m%d%z").timestamp()


def _looked_at(
    pushed: FloatArray, unit: IntArray, counts: BoolArray, rules: PushRules
) -> BoolArray:
    """Which posts assessors looked at: all, or the first ten of each day."""
    if rules.live_limit == "none":
        return counts
    rows = np.flatnonzero(counts)
    day = np.floor(pushed[rows] / DAY_SECONDS).astype(np.int64)
    order = np.lexsort((day, unit[rows]))
    changed = (np.diff(unit[rows][order]) != 0) | (np.diff(day[order]) != 0)
    new = np.append(True, changed)[: len(order)]
    place = np.arange(len(order))
    place -= np.maximum.accumulate(np.where(new, place, 0))
    looked_at = np.zeros(len(pushed), bool)
    looked_at[rows[order[place < rules.depth]]] = True
    return looked_at


def _said(
    live: Live,
    place: IntArray,
    row: IntArray,
    within: BoolArray,
    unit: IntArray,
    size: int,
    rules: PushRules,
) -> dict[str, IntArray]:
    """How often each thing was said of the posts of a unit."""
    meant = _meanings(live.label, rules)[row]
    kept = within[place]
    place, meant = place[kept], meant[kept]
    if rules.live_votes == "labels":
        width = len(SAID) + 1
        votes = np.unique(place * width + meant)
        place, meant = votes // width, votes % width
    return {
        said: np.bincount(unit[place[meant == at]], minlength=size) for at, said in enumerate(SAID)
    }


def _meanings(labels: FloatArray, rules: PushRules) -> IntArray:
    """What each label says, as its place in `SAID`; one past the end for no credit."""
    no_credit = len(SAID)
    places: Sequence[str] = SAID
    other = places.index(rules.live_other) if rules.live_other else no_credit
    meant = np.full(len(labels), other)
    for label, said in rules.live_labels.items():
        meant[labels == label] = places.index(said)
    return meant
