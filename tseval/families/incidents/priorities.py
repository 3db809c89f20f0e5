"""How far a run's priorities are from the assessors': errors, levels, correlation, ranking."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.measure import Definition, Measure
from tseval.core.results import Taken, Values
from tseval.families.incidents.index import (
    FAMILY,
    GROUPS,
    IRRELEVANT,
    NOTE,
    PAGE_2018,
    IncidentIndex,
    Reply,
    added_up,
    mean_of_defined,
    mean_of_types,
    one_group,
    share,
    stacked,
    taken,
)
from tseval.families.incidents.rules import LABELLING, TYPING
from tseval.families.incidents.tables import CRITICAL, LEVELS, LOW, PRIORITIES, UNKNOWN
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

LEVEL_BOUNDS = (0.25, 0.5, 0.75)
"""A priority above the first is Medium, above the second High, above the third Critical."""
SHUFFLES = 100


@frozen
class Typed:
    """Judged posts of known priority, once for each of their types, and what a run said."""

    post: IntArray
    """The judged post."""
    group: IntArray
    """The type; or the event and the type as one number."""
    groups: int

    def summed(self, amount: FloatArray) -> FloatArray:
        """Amounts added up by group."""
        return added_up(amount, self.group, self.groups)

    @property
    def number(self) -> FloatArray:
        """How many there are of each group."""
        return np.bincount(self.group, minlength=self.groups).astype(np.float64)


def typed(index: IncidentIndex, reply: Reply, *, by_event: bool) -> Typed:
    """The judged posts of one run by type, or by event and type."""
    judged = index.judged
    usable = reply.chosen & (judged.level != UNKNOWN)
    post, kind = np.nonzero(judged.types & usable[:, None])
    if not by_event:
        return Typed(post, kind, len(index.ontology))
    size = len(index.topics) * len(index.ontology)
    return Typed(post, judged.event[post] * len(index.ontology) + kind, size)


def _of_types(
    of: Callable[[IncidentIndex, Reply, Typed], Values], *, irrelevant: bool = True
) -> Callable[[IncidentIndex, Measure], Taken]:
    """A measure over the posts of each type, as the mean over types."""

    def values(index: IncidentIndex) -> tuple[Values, Values]:
        """Those of each type, and of each event and type."""
        replies, kinds, events = index.replies, len(index.ontology), len(index.topics)
        types = _stacked([of(index, r, typed(index, r, by_event=False)) for r in replies], (kinds,))
        within = _stacked(
            [of(index, r, typed(index, r, by_event=True)) for r in replies], (events * kinds,)
        )
        shape = (len(replies), events, kinds)
        return types, Values(within.value.reshape(shape), within.defined.reshape(shape))

    def account(index: IncidentIndex, measure: Measure) -> Taken:
        types, within = index.once(values)
        members = index.members(measure)
        left_out = members & index.ontology.chosen(
            () if irrelevant else (IRRELEVANT,), renamed=False
        )
        divisor = index.divisor(measure) - int(left_out.sum())
        members = members & ~left_out
        return taken(
            events=_mean(index, within, members, divisor),
            overall=_mean(index, types, members, divisor),
            types=types,
            members=members,
        )

    return account


def _stacked(parts: Sequence[Values], shape: tuple[int, ...]) -> Values:
    defined = [part.defined for part in parts]
    return Values(
        stacked([part.value for part in parts], shape),
        np.stack(defined) if defined else np.zeros((0, *shape), bool),
    )


def _mean(index: IncidentIndex, values: Values, members: BoolArray, divisor: int) -> Values:
    """The mean over types; one that has no labelled post counts 0, or is left out."""
    chosen = Values(values.value[..., members], values.defined[..., members])
    if index.rules.error_types == "labelled":
        return mean_of_defined(chosen)
    mean = mean_of_types(np.where(chosen.defined, chosen.value, 0.0), divisor)
    return Values(mean.value, mean.defined & chosen.defined.any(axis=-1))


def _truth(index: IncidentIndex, posts: IntArray) -> FloatArray:
    return np.array(PRIORITIES)[index.judged.level[posts]]


def squared_error(index: IncidentIndex, reply: Reply, posts: Typed) -> Values:
    """The mean of the squared differences between the assessors' and the run's priority."""
    error = (_truth(index, posts.post) - reply.scaled[posts.post]) ** 2
    number = posts.number
    return Values(share(posts.summed(error), number), number > 0)


def root_error(index: IncidentIndex, reply: Reply, posts: Typed) -> Values:
    """The root of it; or not, if the rules call the square so."""
    squared = squared_error(index, reply, posts)
    if index.rules.rmse == "square":
        return squared
    return Values(np.sqrt(squared.value), squared.defined)


def levels_of(priorities: FloatArray) -> IntArray:
    """The level that each priority stands for."""
    levels: IntArray = LOW + np.searchsorted(LEVEL_BOUNDS, priorities, side="left")
    return levels


def level_f1(index: IncidentIndex, reply: Reply, posts: Typed) -> Values:
    """The mean F1 of the levels that the assessors or the run gave."""
    size = len(LEVELS)
    truth = index.judged.level[posts.post]
    said = levels_of(reply.scaled[posts.post])
    pairs = posts.group * size**2 + truth * size + said
    table = np.bincount(pairs, minlength=posts.groups * size**2).reshape(-1, size, size)
    both = np.diagonal(table, axis1=1, axis2=2).astype(np.float64)
    either = (table.sum(axis=1) + table.sum(axis=2)).astype(np.float64)
    value = share(share(2 * both, either).sum(axis=1), (either > 0).sum(axis=1))
    return Values(value, posts.number > 0)


def correlation(index: IncidentIndex, reply: Reply, posts: Typed) -> Values:
    """Pearson's correlation between the assessors' and the run's priority."""
    if index.rules.correlation == "guarded":
        return _guarded(index, reply, posts)
    number = posts.number
    truth, said = _truth(index, posts.post), reply.scaled[posts.post]
    x, y = (_centred(each, posts, number) for each in (truth, said))
    varied = _varied(truth, posts) & _varied(said, posts)
    below = np.sqrt(posts.summed(x * x) * posts.summed(y * y))
    value = np.clip(share(posts.summed(x * y), below), -1.0, 1.0)
    defined = varied & (below > 0)
    return Values(np.where(defined, value, 0.0), defined)


def _centred(values: FloatArray, posts: Typed, number: FloatArray) -> FloatArray:
    means = share(posts.summed(values), number)
    return values - means[posts.group]


def _varied(values: FloatArray, posts: Typed) -> BoolArray:
    """The groups that have different values."""
    low, high = np.full(posts.groups, np.inf), np.full(posts.groups, -np.inf)
    np.minimum.at(low, posts.group, values)
    np.maximum.at(high, posts.group, values)
    return low < high


def _guarded(index: IncidentIndex, reply: Reply, posts: Typed) -> Values:
    """The same as the script has it, which asks whether the mean deviation is exactly 0.

    Posts come in the order of the labels, on which the last digit of the mean depends. An r that is
    no number, as where the assessors' priorities are all equal, is undefined.
    """
    value = np.zeros(posts.groups)
    truth, said = _truth(index, posts.post), reply.scaled[posts.post]
    order = np.argsort(posts.group, kind="stable")
    ends = np.searchsorted(posts.group[order], np.arange(posts.groups + 1))
    for group in np.flatnonzero(posts.number).tolist():
        rows = order[ends[group] : ends[group + 1]]
        if np.mean(said[rows] - np.mean(said[rows])) != 0.0:
            with np.errstate(divide="ignore", invalid="ignore"):
                value[group] = np.corrcoef(truth[rows], said[rows])[0, 1]
    defined = (posts.number > 0) & ~np.isnan(value)
    return Values(np.where(defined, value, 0.0), defined)


# Ranking.


def ranking(index: IncidentIndex, _: Measure) -> Taken:
    """NDCG of each event, by the levels that the run's priorities stand for; then their mean."""
    named = zip(index.runs, index.replies, strict=True)
    parts = [_ndcg(index, reply, run) for run, reply in named]
    events = _stacked(parts, (len(index.topics),))
    return taken(events, mean_of_defined(events))


def _ndcg(index: IncidentIndex, reply: Reply, run: str) -> Values:
    judged, depth = index.judged, index.rules.depth
    gain = np.where(judged.level == UNKNOWN, 0.0, 2.0**judged.level - 1)
    said = levels_of(reply.scaled)
    value, defined = np.zeros(len(index.topics)), np.zeros(len(index.topics), bool)
    for event in range(len(index.topics)):
        own = (judged.event == event) & reply.chosen
        ideal = _dcg(np.sort(gain[own])[::-1][:depth])
        ranked = own & (reply.row >= 0)
        if ideal > 0:
            found = gain[ranked], said[ranked]
            shuffled = index.rules.ties == "shuffled"
            seed = index.rules.seed, _number(run), _number(index.topics[event])
            got = _shuffled_dcg(*found, depth, seed) if shuffled else None
            value[event] = (expected_dcg(*found, depth) if got is None else got) / ideal
            defined[event] = True
    return Values(value, defined)


def _dcg(gains: FloatArray) -> float:
    return float(np.cumsum(gains / _discounts(len(gains)))[-1]) if len(gains) else 0.0


def _discounts(depth: int) -> FloatArray:
    return np.log2(np.arange(2, depth + 2))


def expected_dcg(gain: FloatArray, level: IntArray, depth: int) -> float:
    """The mean DCG over all orders of the posts of equal level, the highest level first."""
    weights = np.append(0.0, np.cumsum(1 / _discounts(depth)))
    total, ranked = 0.0, 0
    for each in range(CRITICAL, UNKNOWN, -1):
        own = gain[level == each]
        if len(own):
            first, last = min(ranked, depth), min(ranked + len(own), depth)
            total += float(own.mean() * (weights[last] - weights[first]))
            ranked += len(own)
    return total


def _number(name: str) -> int:
    """A number for a name, so that what is drawn for one does not depend on what else there is."""
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:8])


def _shuffled_dcg(gain: FloatArray, level: IntArray, depth: int, seed: tuple[int, ...]) -> float:
    """The mean DCG over some seeded orders."""
    random = np.random.default_rng(seed)
    total = 0.0
    for _ in range(SHUFFLES):
        order = random.permutation(len(gain))
        order = order[np.argsort(-level[order], kind="stable")]
        total += _dcg(gain[order][:depth])
    return total / SHUFFLES


TRACK_2021 = "Buntain, McCreadie and Soboroff, Incident Streams 2021, TREC 2021"
_READS = (
    "levels",
    *LABELLING,
    *TYPING,
    "normalise",
    "error-types",
    "actionable",
    "actionable-mean",
)
_EMPTY = "undefined for a type that no labelled post has; of those, see the rule error-types"
_PRIORITY = "the assessors' Low .25, Medium .5, High .75, Critical 1"
DEFINITIONS = (
    Definition(
        name="priority.MSE",
        family=FAMILY,
        title="squared error of priorities",
        summary="how far the run's priorities are from the assessors'",
        formula="mean over types of the mean over its posts of (assessors' - run's priority)^2,"
        f" with {_PRIORITY}",
        empty_case=_EMPTY,
        range="0 to 1",
        citation=f"{PAGE_2018}; the mean over types is that of its notebook",
        account=_of_types(squared_error),
        higher_is_better=False,
        parameters=GROUPS,
        by_group=True,
        check=one_group,
        reads=(*_READS, "scale-bottom"),
    ),
    Definition(
        name="priority.RMSE",
        family=FAMILY,
        title="root of the squared error of priorities",
        summary="how far the run's priorities are from the assessors', as a priority",
        formula="mean over types of the root of the mean over its posts of"
        f" (assessors' - run's priority)^2, with {_PRIORITY}",
        empty_case=_EMPTY,
        range="0 to 1",
        citation=NOTE,
        account=_of_types(root_error),
        higher_is_better=False,
        parameters=GROUPS,
        by_group=True,
        check=one_group,
        reads=(*_READS, "scale-bottom", "rmse"),
    ),
    Definition(
        name="priority.F1",
        family=FAMILY,
        title="F1 of priority levels",
        summary="how well the levels of priority are told apart",
        formula="mean over types of the mean F1 of the levels that occur among its posts;"
        " a priority above .75 is Critical, above .5 High, above .25 Medium, else Low",
        empty_case=_EMPTY,
        range="0 to 1",
        citation=TRACK_2021,
        account=_of_types(level_f1),
        parameters=GROUPS,
        by_group=True,
        check=one_group,
        reads=_READS,
    ),
    Definition(
        name="priority.pearson",
        family=FAMILY,
        title="correlation of priorities",
        summary="whether the run's priorities rise with the assessors'",
        formula="mean over types, Irrelevant left out, of Pearson's correlation over its posts",
        empty_case="undefined for a type whose posts have equal priorities; see the rule"
        " correlation",
        range="-1 to 1",
        citation=TRACK_2021,
        account=_of_types(correlation, irrelevant=False),
        parameters=GROUPS,
        by_group=True,
        check=one_group,
        reads=(*_READS, "scale-bottom", "correlation"),
    ),
    Definition(
        name="nDCG@100",
        family=FAMILY,
        title="nDCG of priorities",
        summary="whether what matters most comes first",
        formula="mean over events of DCG / the best DCG, over the first 100 posts by the run's"
        " level, of (2^s - 1) / log2(rank + 1), with s = 1 for Low to 4 for Critical; over posts"
        " of equal level the mean of all orders",
        empty_case="0 for a run without posts; undefined for an event without labelled posts",
        range="0 to 1",
        citation=TRACK_2021,
        account=ranking,
        reads=("levels", *LABELLING, "normalise", "ties"),
    ),
)
