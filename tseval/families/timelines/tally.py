"""One predicted timeline beside its references: what they share, day by day, and aligned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tseval.families.timelines.alignment import (
    Range,
    Ties,
    cheapest,
    choices,
    days_apart,
    one_to_one,
)
from tseval.families.timelines.dates import seconds_of
from tseval.families.timelines.overlap import Counts, closeness
from tseval.families.timelines.words import Wording, plain_tokens
from tseval.records import frozen
from tseval.tables import ABSENT

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

DATES, CONCAT, AGREEMENT = "dates", "concat", "agreement"
ALIGN, ALIGN_CONTENT = "align_date_costs", "align_date_content_costs"
MANY_TO_ONE = "align_date_content_costs_many_to_one"
_Tokens: TypeAlias = Callable[[Iterable[str]], list[str]]
ALIGNED = (ALIGN, ALIGN_CONTENT, MANY_TO_ONE)


@frozen
class Timeline:
    """The sentences of each day, in the order of the days."""

    days: tuple[int, ...]
    summaries: tuple[tuple[str, ...], ...]
    times: tuple[float, ...] = ()
    """When each day's summary was there, in Unix seconds."""

    @classmethod
    def of(
        cls, summaries: Mapping[int, Sequence[str]], published: Mapping[int, float] | None = None
    ) -> Timeline:
        """From the sentences by their days; what has no time was there on its day."""
        days = tuple(sorted(summaries))
        told = published or {}
        times = tuple(told.get(day, seconds_of(day)) for day in days)
        return cls(days, tuple(tuple(summaries[day]) for day in days), times)


class Sums(NamedTuple):
    """What precision and recall are quotients of."""

    precise: float
    predicted: float
    recalled: float
    reference: float
    defined: bool = True
    """Whether tilse gives a number, and no error."""

    @property
    def precision(self) -> float:
        """How much of what is predicted is in the references; 0 of nothing."""
        return self.precise / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """How much of the references is predicted; 0 of nothing."""
        return self.recalled / self.reference if self.reference else 0.0


class Dated(NamedTuple):
    """What precision and recall are sums of, each amount with when it was there."""

    precise: FloatArray
    predicted: FloatArray
    recalled: FloatArray
    """Of each reference day."""
    recalled_at: FloatArray
    """When the day that answers it was there."""
    reference: float


class Aligned(NamedTuple):
    """For each predicted day its reference day, and the other way round, by their places."""

    forth: IntArray
    back: IntArray


UNDEFINED = Sums(0.0, 0.0, 0.0, 0.0, defined=False)


class Tally:
    """A predicted timeline, its references, and every count that was once asked for."""

    def __init__(self, predicted: Timeline, references: Sequence[Timeline]) -> None:
        self.predicted = predicted
        self.references = tuple(references)
        self.days = np.array(predicted.days, np.int64)
        self.reference_days = np.array(
            sorted({day for each in references for day in each.days}), np.int64
        )
        self._tokens: dict[Wording, tuple[list[list[str]], list[list[list[str]]]]] = {}
        self._counts: dict[tuple[Wording, int], Counts] = {}
        self._joined: dict[tuple[Wording, int], Counts] = {}
        self._aligned: dict[str, Aligned] = {}

    @property
    def has_days(self) -> bool:
        """Whether both sides have dates."""
        return bool(len(self.days) and len(self.reference_days))

    def sums(self, metric: str, wording: Wording, size: int) -> Sums:
        """The sums of a metric for n-grams of one size."""
        if metric == CONCAT:
            return self._joined_sums(wording, size)
        if metric == AGREEMENT:
            return self._equal_day_sums(wording, size)
        if self.has_days:
            return self._aligned_sums(metric, wording, size)
        nothing = not len(self.days) and not len(self.reference_days)
        return UNDEFINED._replace(defined=nothing and metric == MANY_TO_ONE)

    def is_complete(self, wording: Wording) -> bool:
        """Whether no metric is undefined."""
        sizes = (1, 2)
        return self.has_days and all(self.sums(CONCAT, wording, n).defined for n in sizes)

    # The counts.

    def tokens(self, wording: Wording) -> tuple[list[list[str]], list[list[list[str]]]]:
        """The tokens of each predicted day, and of each day of each reference."""
        if wording not in self._tokens:
            own = [wording.tokens(each) for each in self.predicted.summaries]
            others = [self._by_day(each, wording.tokens) for each in self.references]
            self._tokens[wording] = own, others
        return self._tokens[wording]

    def _by_day(self, reference: Timeline, tokens: _Tokens) -> list[list[str]]:
        """The tokens of a reference on each day of any; none on a day that it lacks."""
        own = dict(zip(reference.days, reference.summaries, strict=True))
        return [tokens(own.get(day, ())) for day in self.reference_days.tolist()]

    def counts(self, wording: Wording, size: int) -> Counts:
        """What each predicted day and each reference day have and share."""
        if (wording, size) not in self._counts:
            self._counts[wording, size] = Counts.of(*self.tokens(wording), size)
        return self._counts[wording, size]

    @cached_property
    def _closeness(self) -> FloatArray:
        own = [plain_tokens(each) for each in self.predicted.summaries]
        others = [self._by_day(each, plain_tokens) for each in self.references]
        return closeness(Counts.of(own, others, 1))

    # The sums.

    def date_sums(self, within: int = 0) -> Sums:
        """The days of both sides, and how many pairs are no further apart than so many days."""
        both = float((self.days_within(within) != ABSENT).sum())
        own, other = float(len(self.days)), float(len(self.reference_days))
        return Sums(both, own, both, other, self.has_days)

    def days_within(self, within: int) -> IntArray:
        """For each reference day a predicted one at most so many days away, each once.

        As many as can be: both are gone through in order, and the earliest that fits is taken.
        """
        chosen, at = np.full(len(self.reference_days), ABSENT), 0
        own = self.days.tolist()
        for place, day in enumerate(self.reference_days.tolist()):
            while at < len(own) and own[at] < day - within:
                at += 1
            if at < len(own) and own[at] <= day + within:
                chosen[place] = at
                at += 1
        return chosen

    # What was there when.

    @cached_property
    def times(self) -> FloatArray:
        """When each predicted day's summary was there."""
        return np.array(self.predicted.times, np.float64)

    def dated_days(self, within: int) -> Dated:
        """The days of both sides, each when it was there."""
        chosen = self.days_within(within)
        found = np.flatnonzero(chosen != ABSENT)
        met = np.bincount(chosen[found], minlength=len(self.days)).astype(np.float64)
        amount, other = np.ones(len(found)), float(len(self.reference_days))
        return Dated(met, np.ones(len(self.days)), amount, self.times[chosen[found]], other)

    def dated(self, metric: str, wording: Wording, size: int) -> Dated:
        """The hits of each day with its partner, when the predicted one was there."""
        counts = self.counts(wording, size)
        forth, back = self._equal_days() if metric == AGREEMENT else self.aligned(metric)
        own, other = np.flatnonzero(forth != ABSENT), np.flatnonzero(back != ABSENT)
        precise = np.zeros(len(self.days))
        precise[own] = self._gained(counts, own, forth[own])
        return Dated(
            precise,
            counts.predicted.astype(np.float64),
            self._gained(counts, back[other], other),
            self.times[back[other]],
            float(counts.reference.sum()),
        )

    def _equal_days(self) -> Aligned:
        """Each day with the same day of the other side."""
        forth, back = (np.full(len(each), ABSENT) for each in (self.days, self.reference_days))
        _, own, other = np.intersect1d(self.days, self.reference_days, return_indices=True)
        forth[own], back[other] = other, own
        return Aligned(forth, back)

    def _joined_sums(self, wording: Wording, size: int) -> Sums:
        if (wording, size) not in self._joined:
            own, others = self.tokens(wording)
            joined = [[list(chain.from_iterable(each))] for each in others]
            self._joined[wording, size] = Counts.of([list(chain.from_iterable(own))], joined, size)
        counts = self._joined[wording, size]
        hits = float(counts.hits.sum())
        own_number, number = float(counts.predicted.sum()), float(counts.reference.sum())
        return Sums(hits, own_number, hits, number, own_number > 0 and number > 0)

    def _equal_day_sums(self, wording: Wording, size: int) -> Sums:
        counts = self.counts(wording, size)
        _, own, other = np.intersect1d(self.days, self.reference_days, return_indices=True)
        hits = float(counts.hits[own, other].sum())
        return Sums(hits, float(counts.predicted.sum()), hits, float(counts.reference.sum()))

    def _aligned_sums(self, metric: str, wording: Wording, size: int) -> Sums:
        counts = self.counts(wording, size)
        forth, back = self.aligned(metric)
        own, other = np.flatnonzero(forth != ABSENT), np.flatnonzero(back != ABSENT)
        return Sums(
            float(self._gained(counts, own, forth[own]).sum()),
            float(counts.predicted.sum()),
            float(self._gained(counts, back[other], other).sum()),
            float(counts.reference.sum()),
        )

    def gain(self, wording: Wording, size: int) -> FloatArray:
        """What each pair of days adds when it is aligned: its hits, by the days between them."""
        gain: FloatArray = self.counts(wording, size).hits * self._nearness
        return gain

    def _gained(self, counts: Counts, own: IntArray, other: IntArray) -> FloatArray:
        """The same of these pairs of days alone."""
        gained: FloatArray = counts.hits[own, other] * self._nearness[own, other]
        return gained

    # The alignments.

    @cached_property
    def _nearness(self) -> FloatArray:
        nearness: FloatArray = 1 / (days_apart(self.days, self.reference_days) + 1)
        return nearness

    def cost(self, metric: str) -> FloatArray:
        """What it costs to align each predicted day with each reference day."""
        dates: FloatArray = 1 - self._nearness
        return dates if metric == ALIGN else dates * (1 - self._closeness)

    def aligned(self, metric: str) -> Aligned:
        """The alignment that precision is taken from, and that of recall."""
        if metric not in self._aligned:
            choose = cheapest if metric == MANY_TO_ONE else one_to_one
            cost = self.cost(metric)
            self._aligned[metric] = Aligned(choose(cost), choose(np.ascontiguousarray(cost.T)))
        return self._aligned[metric]

    def ranges(self, metric: str, wording: Wording, size: int) -> tuple[Range, Range] | None:
        """The least and the most of the sums over all alignments of the same cost.

        Of precision and of recall; None if there is but one alignment.
        """
        cost = self.cost(metric)
        if metric == MANY_TO_ONE:
            gain = self.gain(wording, size)
            return choices(cost, gain), choices(cost.T, gain.T)
        forth, back = self.aligned(metric)
        ties = Ties(cost, forth), Ties(cost.T, back)
        if all(each.surely_one for each in ties):
            return None
        gain = self.gain(wording, size)
        return ties[0].range_of(gain), ties[1].range_of(gain.T)
