"""The facts of the verdict: which run is ahead, by how much, and whether that may be chance."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from math import fsum

from tseval.records import frozen
from tseval.reporting.content import MeasureBoard, PairRow, Report

SLACK = 1e-9
TOO_FEW = re.compile("[0-9]+ topic")
"""The beginning of the reason that there are too few topics to show a difference."""


@frozen
class Duel:
    """Two runs by a measure; the one that is ahead over the topics that both have comes first."""

    board: MeasureBoard
    pair: PairRow

    @classmethod
    def of(cls, board: MeasureBoard, pair: PairRow) -> Duel:
        """Turn a pair so that the run that is ahead comes first."""
        return cls(board, pair.turned if pair.gain is not None and pair.gain < 0 else pair)

    @cached_property
    def sides(self) -> tuple[float, float]:
        """The means of both runs over the topics that both have."""
        pair, rows = self.pair, self.board.rows
        both = [rows[run] for run in (pair.run, pair.other)]
        if self.board.pooled or all(row.topics == pair.topics for row in both):
            return both[0].mean, both[1].mean
        known = [(row[pair.run], row[pair.other]) for row in self.board.cells]
        common = [(mine, theirs) for mine, theirs in known if None not in (mine, theirs)]
        mine, theirs = (fsum(side) / len(common) for side in zip(*common, strict=True))
        return mine, theirs

    @property
    def missing(self) -> int:
        """On how many topics the other run has a value and the first has none."""
        return self.board.rows[self.pair.other].topics - self.pair.topics

    @property
    def has_gaps(self) -> bool:
        """Whether one of them has values on more topics than both have."""
        rows = (self.board.rows.get(run) for run in (self.pair.run, self.pair.other))
        return {row.topics for row in rows if row is not None} != {self.pair.topics}

    @property
    def is_better(self) -> bool:
        """Whether the first is better, on all topics that the other has."""
        return self.pair.better == self.pair.run and not self.missing

    @property
    def has_too_few(self) -> bool:
        """Whether there are too few topics to show a difference."""
        return TOO_FEW.match(self.board.cannot_tell) is not None


def duel_of(report: Report) -> Duel | None:
    """The first pair by the primary measure: the best run, or the baseline, and the next."""
    board = report.measures[0]
    return Duel.of(board, board.against[0]) if board.against else None


def companions(report: Report, first: Duel) -> Iterator[tuple[Duel, bool]]:
    """Who is ahead by each other leading measure, and whether that contradicts the verdict.

    Two runs are compared with each other; of more, the best by the companion with the best of all.
    """
    primary, pair = first.board, first.pair
    is_pair = len(primary.against) == 1 or report.baseline is not None
    is_beyond = pair.gain is not None and any(is_outside(primary, each) for each in first.sides)
    for board in report.measures[1 : report.leading]:
        if not board.against or board.cells == primary.cells:
            continue
        runs = {pair.run, pair.other}
        if not is_pair:
            rival = board.against[0].other if board.best == pair.run else pair.run
            runs = {board.best, rival}
        row = next((each for each in board.against if {each.run, each.other} == runs), None)
        if row is not None and row.gain is not None:
            duel = Duel.of(board, row)
            yield duel, is_beyond and duel.pair.run != pair.run and bool(row.gain)


def is_outside(board: MeasureBoard, value: float) -> bool:
    """Whether a value is outside the range of its measure, so that it is extrapolated."""
    low, high = board.bounds
    return not low - SLACK <= value <= high + SLACK


def more_or_fewer(mine: int, others: int) -> str:
    """How much more or less that is."""
    share = abs(mine - others) / others
    if share >= 2:
        return f"{mine / others:.1f} times as many"
    return f"{100 * share:.0f} % {'fewer' if mine < others else 'more'}"
