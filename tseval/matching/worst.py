"""Where matcher and assessors disagree most, and what was found by whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval.matching.judged import JudgedUpdates
from tseval.matching.matching import evidence
from tseval.tables import ABSENT, Pairs

if TYPE_CHECKING:
    import matchers
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

SHOWN = 5
"""How many disagreements of each kind are told."""


class Disagreement(NamedTuple):
    """A pair of which the matcher says one thing and the assessors the other.

    `says` is who calls it a match. `found` and `missing` are words of the nugget.
    """

    says: str
    topic: str
    update_id: str
    nugget_id: str
    score: float
    found: str
    missing: str
    nugget: str
    update: str


@dataclass(frozen=True, eq=False)
class Peaks:
    """For each nugget the highest value that it met, and the update's row; none is -inf."""

    value: FloatArray
    update: IntArray

    @classmethod
    def none(cls, nuggets: int) -> Peaks:
        """Nothing met yet."""
        return cls(np.full(nuggets, -np.inf), np.full(nuggets, ABSENT))

    def meet(self, rows: IntArray, gold: IntArray, values: FloatArray) -> None:
        """Take in the values of some updates for some nuggets; of equal ones the first stays."""
        at = values.argmax(axis=0)
        peak = values[at, np.arange(len(gold))]
        higher = peak > self.value[gold]
        self.value[gold[higher]] = peak[higher]
        self.update[gold[higher]] = rows[at[higher]]

    def add(self, later: Peaks) -> None:
        """Take in the peaks of updates that come after; of equal ones the first stays."""
        higher = later.value > self.value
        self.value[higher] = later.value[higher]
        self.update[higher] = later.update[higher]


class Extremes:
    """The best pair of each nugget, the best of those that assessors deny, the worst they affirm.

    The worst ones are kept with the sign of their scores turned, so that all three are peaks.
    """

    def __init__(self, nuggets: int) -> None:
        self.any = Peaks.none(nuggets)
        self.denied = Peaks.none(nuggets)
        self.affirmed = Peaks.none(nuggets)

    def meet(self, rows: IntArray, gold: IntArray, score: FloatArray, true: BoolArray) -> None:
        """Take in the scores of some updates against the nuggets of their topic."""
        self.any.meet(rows, gold, score)
        self.denied.meet(rows, gold, np.where(true, -np.inf, score))
        self.affirmed.meet(rows, gold, np.where(true, -score, -np.inf))

    def add(self, later: Extremes) -> None:
        """Take in what was met among updates that come after."""
        for mine, theirs in (
            (self.any, later.any),
            (self.denied, later.denied),
            (self.affirmed, later.affirmed),
        ):
            mine.add(theirs)

    def found(self, threshold: float) -> dict[str, int]:
        """How many nuggets both found in any update, only one of them, or neither."""
        met = self.any.update != ABSENT
        by_matcher = (self.any.value >= threshold)[met]
        by_assessors = (self.affirmed.update != ABSENT)[met]
        return {
            "both": int((by_matcher & by_assessors).sum()),
            "matcher only": int((by_matcher & ~by_assessors).sum()),
            "assessors only": int((~by_matcher & by_assessors).sum()),
            "neither": int((~by_matcher & ~by_assessors).sum()),
        }

    def disagreements(
        self, judged: JudgedUpdates, matcher: matchers.Matcher
    ) -> Iterator[Disagreement]:
        """The worst of both kinds at the matcher's threshold, at most one a nugget and kind."""
        threshold: float = getattr(matcher, "threshold", 0.0)
        wrong = _highest(self.denied, least=threshold)
        missed = _highest(self.affirmed, least=np.nextafter(-threshold, np.inf))
        yield from _told("matcher", wrong, self.denied, judged, matcher)
        yield from _told("assessors", missed, self.affirmed, judged, matcher)


def _highest(peaks: Peaks, least: float) -> IntArray:
    """The nuggets with the highest peaks that are `least` or more; of equal ones the first."""
    order = np.argsort(-peaks.value, kind="stable")[:SHOWN]
    kept: IntArray = order[(peaks.value[order] >= least) & (peaks.update[order] != ABSENT)]
    return kept


def _told(
    says: str, gold: IntArray, peaks: Peaks, judged: JudgedUpdates, matcher: matchers.Matcher
) -> Iterator[Disagreement]:
    pairs = Pairs(peaks.update[gold], gold)
    for row, value, update, nugget in zip(
        evidence(matcher, judged.updates, judged.nuggets, pairs),
        peaks.value[gold].tolist(),
        pairs.update.tolist(),
        pairs.nugget.tolist(),
        strict=True,
    ):
        yield Disagreement(
            says=says,
            topic=str(row["topic"]),
            update_id=str(row["update_id"]),
            nugget_id=str(row["nugget_id"]),
            score=abs(value),
            found=str(row["found"]),
            missing=str(row["missing"]),
            nugget=judged.nuggets.text[nugget],
            update=judged.updates.text[update],
        )
