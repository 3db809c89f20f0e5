"""What a stream has come to: the evaluation that the one driver takes scores from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.doubtful_times import Span, years_apart
from tseval.core.family import Column, Evaluation
from tseval.core.measure import Measure
from tseval.core.results import Result, Values
from tseval.families.temporal.measures import leaves_cost_open
from tseval.families.temporal.rules import DRAFT
from tseval.families.temporal.streaming.assessments import is_judged_whole
from tseval.families.temporal.streaming.caveats import (
    Census,
    gold_spans,
    of_gold,
    of_matches,
    of_runs,
    of_unjudged,
)
from tseval.families.temporal.streaming.fold import Fold
from tseval.families.temporal.streaming.gold import StreamGold
from tseval.families.temporal.streaming.run_fold import RunFold
from tseval.io.names import natural_order
from tseval.io.origin import InputRecord
from tseval.io.units import Units
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray


@frozen
class StreamUnits(Units):
    """The units of a stream, and which of them have any update."""

    present: BoolArray


@frozen(kw_only=True)
class StreamEvaluation(Evaluation):
    """The runs of a stream so far: ready for the measures that are followed, and no others."""

    fold: Fold
    gold: StreamGold
    runs: tuple[str, ...]

    @classmethod
    def of(
        cls,
        fold: Fold,
        gold: StreamGold,
        traits: Mapping[str, str],
        inputs: Sequence[InputRecord] = (),
        empty: Sequence[str] = (),
    ) -> StreamEvaluation:
        """What a fold holds; `empty` names the runs without an update."""
        return cls(
            edition=DRAFT,
            traits=traits,
            inputs=tuple(inputs),
            fold=fold,
            gold=gold,
            runs=tuple(natural_order({*fold.runs, *empty})),
        )

    @cached_property
    def _folds(self) -> list[RunFold]:
        return [self.fold.run(name) for name in self.runs]

    @cached_property
    def _units(self) -> StreamUnits:
        topics = self.fold.wanted.topics
        present = np.array([each.present for each in self._folds], bool)
        return StreamUnits(self.runs, topics, present.reshape(len(self.runs), len(topics)))

    @property
    def index(self) -> StreamUnits:
        """The runs and the topics."""
        return self._units

    @property
    def starts(self) -> FloatArray:
        """When each topic starts."""
        return self.fold.wanted.starts

    @cached_property
    def _values(self) -> dict[Measure, Values]:
        """Each measure in every unit."""
        sums = np.concatenate([self.fold.sums(name) for name in self.runs], axis=1)
        units = self._units.units
        found = [self.fold.ledgers.values_of(at, sums) for at in range(len(self._measures))]
        return {
            measure: Values(own.value.reshape(units), own.defined.reshape(units))
            for measure, own in zip(self._measures, found, strict=True)
        }

    @property
    def _measures(self) -> tuple[Measure, ...]:
        return self.fold.wanted.measures

    def take(self, measure: Measure, known: dict[Measure, Result]) -> Column:  # noqa: ARG002
        """A measure at its time."""
        return Column(self.index, self._values[measure])

    def traits_of(self, wanted: Sequence[Measure]) -> dict[str, str]:
        """Also the cost that measures take which could name one and don't."""
        cost = "column" if self.fold.has_cost and self.gold.nuggets.cost is not None else "1"
        return {"cost": cost if leaves_cost_open(wanted) else "", **super().traits_of(wanted)}

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:  # noqa: ARG002
        """The warnings of `tseval.score`."""
        by_text = self.gold.matches is None
        if self.gold.matches is not None:
            applied = any(run.says_any for run in self._folds)
            runs = [run.run for run in self._folds if run.seen.updates]
            yield from of_matches(self.gold.matches, self.gold.nuggets, runs, applied=applied)
        yield from of_runs([_census(each, by_text=by_text) for each in self._folds])
        if not is_judged_whole(self.gold.matches, self.gold.pool):
            has_pool = self.gold.pool is not None
            seen = [run.seen for run in self._folds]
            judged = np.array([each.read if has_pool else each.matched for each in seen])
            sent = np.array([each.judged for each in seen])
            yield from of_unjudged(self.runs, judged, sent, self.gold.pool)
        yield from of_gold(self.gold.nuggets, self.gold.judged(), self.gold.topics, by_text=by_text)
        found = [
            *gold_spans(self.gold.nuggets, self.gold.topics),
            *(span for run in self._folds for span in _spans(run)),
        ]
        yield from years_apart(found, self.gold.judged())


def _spans(run: RunFold) -> Iterator[Span]:
    """From when to when the run's times are, in each topic that it has."""
    for name, first, last in zip(run.wanted.topics, *map(np.ndarray.tolist, run.span), strict=True):
        if first <= last:
            yield Span(f"run {run.run}", name, first, last)


def _census(run: RunFold, *, by_text: bool) -> Census:
    seen = run.seen
    low, high = seen.confidence or (0.0, 1.0)
    constant = low if low == high and seen.updates > 1 else None
    silent = seen.silent if by_text else 0
    unjudged = tuple(sorted(seen.unjudged))
    outside = 0 if seen.pooled else seen.judged
    dumb = 0 < silent == seen.judged
    return Census(run.run, unjudged, seen.early, constant, silent, outside, dumb)
