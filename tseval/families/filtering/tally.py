"""Counting pairs by cutoff, entity and batch: one histogram a run, summed up over the cutoffs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.families.filtering.metrics import Counts
from tseval.families.filtering.pairs import JudgedPairs, ReturnedPairs
from tseval.families.filtering.period import Cut, Period
from tseval.records import frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tseval.tables.columns import BoolArray, FloatArray, IntArray


@frozen
class Tally:
    """The pairs of a period, ready to be counted at every cutoff.

    `cutoffs` ascend; `above` says that a confidence equal to a cutoff is not enough. `taken` says
    for each run which entities count.
    """

    judged: JudgedPairs
    kept: ReturnedPairs
    period: Period
    cutoffs: FloatArray
    above: bool
    taken: BoolArray

    @cached_property
    def passed(self) -> IntArray:
        """How many cutoffs each returned pair passes: it is returned at the first so many."""
        if self.above:
            return np.searchsorted(self.cutoffs, self.kept.confidence, "left")
        return np.searchsorted(self.cutoffs, self.kept.confidence, "right")

    @cached_property
    def bounds(self) -> IntArray:
        """Where the pairs of each run begin, and where the last run's end."""
        return np.searchsorted(self.kept.run, np.arange(len(self.kept.runs) + 1))

    @property
    def whole(self) -> Cut:
        """The whole period as one batch."""
        long = self.period.end - self.period.start
        return Cut(self.period, "all", long, 1, shorter=False)

    def by_run(self, cut: Cut) -> Iterator[Counts]:
        """The counts of each run, of the shape (cutoffs, entities that count, batches)."""
        entities = len(self.judged.topics)
        place = self.judged.topic * (cut.number + 1) + cut.batch(self.judged.time)
        positive, negative = (
            _grid(place[chosen], entities, cut.number + 1)
            for chosen in (self.judged.positive, ~self.judged.positive)
        )
        pair = self.kept.topic * (cut.number + 1) + cut.batch(self.kept.time)
        size = entities * (cut.number + 1)
        for run, (low, high) in enumerate(zip(self.bounds[:-1], self.bounds[1:], strict=True)):
            levels = self.passed[low:high] * size + pair[low:high]
            counts = self._counts(levels, slice(low, high), positive, negative)
            yield _without(counts, self.taken[run])

    def _counts(
        self, levels: IntArray, rows: slice, positive: FloatArray, negative: FloatArray
    ) -> Counts:
        shape = (len(self.cutoffs) + 1, *positive.shape)
        judged, hit = self.kept.judged[rows], self.kept.positive[rows]
        hits, wrong, unjudged = (
            _at_cutoffs(levels[chosen], shape) for chosen in (hit, judged & ~hit, ~judged)
        )
        # What falls beside all batches was counted in one of its own, which is cut off here.
        parts = (hits, wrong + unjudged, negative - wrong, positive)
        return Counts(*(part[..., :-1] for part in parts))


def _grid(place: IntArray, entities: int, batches: int) -> FloatArray:
    counts = np.bincount(place, minlength=entities * batches)
    return counts.reshape(entities, batches).astype(np.float64)


def _at_cutoffs(levels: IntArray, shape: tuple[int, ...]) -> FloatArray:
    """How many pairs pass each cutoff: those that pass so many of them or more."""
    number = np.bincount(levels, minlength=int(np.prod(shape))).reshape(shape)
    upto: NDArray[np.int64] = number[:0:-1].cumsum(axis=0)[::-1]
    return upto.astype(np.float64)


def _without(counts: Counts, taken: BoolArray) -> Counts:
    """The counts of the entities that count."""
    if taken.all():
        return counts
    return replace(
        counts,
        hits=counts.hits[:, taken],
        alarms=counts.alarms[:, taken],
        quiet=counts.quiet[:, taken],
        positive=counts.positive[taken],
    )


def at_cutoff(counts: Counts, cutoff: int) -> Counts:
    """The counts at one cutoff, each entity by itself: of the shape (entities, 1, batches)."""
    return Counts(
        counts.hits[cutoff][:, np.newaxis],
        counts.alarms[cutoff][:, np.newaxis],
        counts.quiet[cutoff][:, np.newaxis],
        counts.positive[:, np.newaxis],
    )
