"""How sure scores of timelines are: intervals of them, and of differences, over drawn topics.

`all` of F is mostly the F of mean precision and mean recall, so no mean over topics that a test of
means could take: it is taken anew of every draw. Topics are drawn, not timelines, since references
of one topic tell the same events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.family import Asked, Shown
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.scoring import scores_of
from tseval.core.wording import count
from tseval.families.timelines.evaluation import TimelineEvaluation, sums_by_group
from tseval.families.timelines.inputs import TimelineOptions
from tseval.families.timelines.measures import chosen
from tseval.records import frozen
from tseval.statistics.bootstrap import Interval, interval, resamples, seeded

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

SAME = 1e-12
"""Differences that are no further apart are the same."""
VALUES = ("run", "measure", "value", "low", "high", "topics")
DIFFERENCES = ("run", "other", "measure", "difference", "low", "high", "p", "topics")


@frozen
class TopicSums:
    """What `all` of a measure of a run is made of: sums of each topic, and how many they are of."""

    measure: Measure
    sums: tuple[FloatArray, ...]
    """Of precision and of recall; or of values, where `all` is their mean."""
    number: FloatArray

    @property
    def topics(self) -> int:
        """How many topics have anything that counts."""
        return int((self.number > 0).sum())

    def drawn(self, times: IntArray) -> FloatArray:
        """`all` in each draw (row), where each topic counts so many times; NaN of no topic."""
        below = times @ self.number
        return self._all([times @ each for each in self.sums], below)

    def apart(self, other: TopicSums, swaps: IntArray) -> FloatArray:
        """By how much `all` exceeds another run's, if in each row the two swap these topics."""
        below = np.full(len(swaps), self.number.sum())
        pairs = list(zip(self.sums, other.sums, strict=True))
        moved = [swaps @ (theirs - own) for own, theirs in pairs]
        own = [mine.sum() + each for (mine, _), each in zip(pairs, moved, strict=True)]
        theirs = [them.sum() - each for (_, them), each in zip(pairs, moved, strict=True)]
        return self._all(own, below) - self._all(theirs, below)

    def _all(self, above: Sequence[FloatArray], below: FloatArray) -> FloatArray:
        nothing = np.full(below.shape, np.nan)
        means = [np.divide(each, below, out=nothing.copy(), where=below > 0) for each in above]
        return means[0] if len(means) == 1 else chosen(self.measure, *means)


@frozen
class Held:
    """A measure in all units of all runs, and which of them count."""

    evaluation: TimelineEvaluation
    measure: Measure
    values: FloatArray
    used: BoolArray

    @classmethod
    def of(cls, evaluation: TimelineEvaluation, scores: Scores, at: int, measure: Measure) -> Held:
        """A measure of scores, by its place among theirs."""
        known = scores.defined[:, :, at] | scores.undefined_as_zero
        values = np.where(scores.defined[:, :, at], scores.values[:, :, at], 0.0)
        return cls(evaluation, measure, values, scores.counted & known)

    def sums(self, run: int, used: BoolArray) -> TopicSums:
        """What `all` of a run is made of, over the units that count here."""
        index = self.evaluation.timelines
        is_mean = index.rules.average == "AVG-F"
        parts = (self.values,) if is_mean else self.evaluation.sides(self.measure)
        number, *sums = (
            sums_by_group(index.group, each[None])[0]
            for each in (used, *(np.where(used, part[run], 0.0) for part in parts))
        )
        if index.rules.average == "TOPIC-MACRO":
            some = number > 0
            sums = [np.divide(each, number, out=np.zeros_like(each), where=some) for each in sums]
            number = some.astype(np.float64)
        return TopicSums(self.measure, tuple(sums), number)


def intervals(evaluation: TimelineEvaluation, asked: Asked[TimelineOptions]) -> Shown:
    """Each score with its interval, and each difference of two runs with interval and test."""
    import pandas as pd

    options = asked.options
    scores = scores_of(evaluation, asked.measures, asked.on_missing, asked.undefined)
    held = [Held.of(evaluation, scores, at, each) for at, each in enumerate(asked.measures)]
    topics = len(np.unique(evaluation.timelines.group))
    times = resamples(topics, seeded(options.seed, INTERVAL), options.resamples)
    swaps = _swaps(topics, options)
    values = [row for each in held for row in _values(each, times)]
    differences = [row for each in held for row in _differences(each, times, swaps)]
    single = pd.DataFrame(values, columns=list(VALUES))
    paired = pd.DataFrame(differences, columns=list(DIFFERENCES))
    notes = (
        f"95 % intervals over {count(options.resamples, 'draw')} of {count(topics, 'topic')}; "
        "p is of swapping the two runs topic by topic",
    )
    drawn = {"resamples": str(options.resamples), "seed": str(options.seed)}
    sections = {"scores": single} | ({"differences": paired} if len(paired) else {})
    rows = pd.concat([single, paired]) if len(paired) else single
    rows = rows.reindex(columns=[*VALUES[:1], "other", "measure", "value", *DIFFERENCES[3:]])
    return Shown(rows, notes, scores.warnings, sections=sections, traits=drawn)


INTERVAL, SWAP = "timelines", "swaps"
"""What the seeds of draws are named by."""


def _swaps(topics: int, options: TimelineOptions) -> IntArray:
    """The topics in which two runs are swapped: in all ways, or in random ones if these are many.

    The first way swaps none.
    """
    if 2**topics <= options.resamples:
        ways = np.arange(2**topics)[:, None] >> np.arange(topics)[None, :] & 1
        return ways.astype(np.int64)
    draw = np.random.default_rng(seeded(options.seed, SWAP))
    return np.vstack(
        [np.zeros((1, topics), np.int64), draw.integers(0, 2, (options.resamples, topics))]
    )


def _values(held: Held, times: IntArray) -> Iterator[list[Any]]:
    """A row a run."""
    for run, name in enumerate(held.evaluation.timelines.runs):
        sums = held.sums(run, held.used[run])
        value = float(sums.drawn(np.ones((1, times.shape[1]), np.int64))[0])
        ends = _ends(sums.topics, sums.drawn(times))
        yield [name, held.measure.name, value, ends.low, ends.high, sums.topics]


def _differences(held: Held, times: IntArray, swaps: IntArray) -> Iterator[list[Any]]:
    """A row for each two runs, over the units that count for both."""
    runs = held.evaluation.timelines.runs
    for one, other in combinations(range(len(runs)), 2):
        used = held.used[one] & held.used[other]
        sums, theirs = held.sums(one, used), held.sums(other, used)
        ends = _ends(sums.topics, sums.drawn(times) - theirs.drawn(times))
        apart = sums.apart(theirs, swaps)
        far = np.abs(apart) >= np.abs(apart[0]) - SAME
        chance = float(far.mean()) if sums.topics else np.nan
        row = [held.measure.name, float(apart[0]), ends.low, ends.high, chance, sums.topics]
        yield [runs[one], runs[other], *row]


def _ends(topics: int, drawn: FloatArray) -> Interval:
    """The interval; of fewer than two topics there is none."""
    return interval(drawn) if topics > 1 else Interval(np.nan, np.nan)
