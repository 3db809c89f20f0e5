"""What the tables of a page show: columns of means, intervals on a scale, shades, first sayings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from tseval.core.blocks import Nugget, Timeline, Update
from tseval.records import frozen
from tseval.reporting.content import MeanRow, MeasureBoard, PairRow, Report
from tseval.reporting.page.numbers import BLANK, decimals_for, extent, number, signed

MARGIN = 5
"""At both ends of the picture of an interval, in pixels."""
LETTERED = 10
"""Of more runs the groups are bars: `abcdefghij` tells nobody anything."""
SHADES = 9
"""From the worst value of a measure to its best."""
COARSE = 2
"""Fewer hours are told in minutes."""


@frozen
class Column:
    """A measure's columns: the mean, its interval, and what marks runs that are told apart."""

    board: MeasureBoard
    rows: Mapping[int, MeanRow]
    decimals: int
    scale: tuple[float, float]
    marks: str
    """What the third column is called; nothing where there is none."""
    near: str
    """The letters of the best run."""
    groups: str
    """The other letters there are, where they are drawn as bars."""

    @classmethod
    def of(cls, report: Report, board: MeasureBoard) -> Column:
        """The columns of a measure in this report."""
        values = board.numbers
        letters = {letter for row in board.means for letter in row.letters or ""}
        marks = "differs" if report.baseline is not None else "letters" if letters else ""
        if len(board.means) < 2 or board.cannot_tell:
            marks = ""
        near = board.rows[board.best].letters or "" if marks == "letters" else ""
        groups = ""
        if marks == "letters" and len(report.runs) > LETTERED:
            marks = "groups"
            groups = "".join(sorted(letters - {*near}, key=lambda x: (x.isupper(), x)))
        return cls(board, board.rows, decimals_for(values), scale_of(values), marks, near, groups)

    @property
    def width(self) -> int:
        """How many columns these are."""
        return 3 if self.marks else 2

    def is_best(self, row: MeanRow) -> bool:
        """Whether a run is the best of several that compare."""
        return row.rank == 1 and len(self.rows) > 1 and self.board.is_common

    def is_near(self, letters: str) -> bool:
        """Whether a run with these letters is not told apart from the best."""
        return any(letter in self.near for letter in letters)


def span(row: PairRow, decimals: int) -> str:
    """The interval of a gain."""
    if row.low is None:
        return BLANK
    return f"{signed(row.low, decimals)} to {signed(row.high, decimals)}"


def in_words(board: MeasureBoard) -> int:
    """How many decimals a measure has in a sentence: three, or what its first gain needs."""
    most = decimals_for(board.numbers)
    gain = abs(board.against[0].gain or 1.0) if board.against else 1.0
    return next((n for n in range(min(3, most), 7) if gain * 10**n >= 5), most)


def scale_of(values: Iterable[float | None]) -> tuple[float, float]:
    """The range that intervals are drawn on, the same for all runs."""
    low, high = extent(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def place(value: float, scale: tuple[float, float], width: int) -> str:
    """Where a value is in a picture that is so wide."""
    share = (value - scale[0]) / (scale[1] - scale[0])
    return f"{MARGIN + share * (width - 2 * MARGIN):.1f}"


def anchor(name: str) -> str:
    """The place on the page where a measure is defined."""
    return "m-" + "".join(c if c.isalnum() and c.isascii() else f"-{ord(c):x}-" for c in name)


def extent_of(board: MeasureBoard) -> tuple[float, float]:
    """The worst and the best score of a topic, in the order of numbers."""
    return extent(value for row in board.cells for value in row)


def shade(value: float, scale: tuple[float, float], higher: bool) -> int:
    """From 0 for the worst to `SHADES` - 1 for the best; the middle where all are equal."""
    low, high = scale
    if high <= low:
        return SHADES // 2
    share = (value - low) / (high - low)
    return round((share if higher else 1 - share) * (SHADES - 1))


def first_sayings(timeline: Timeline) -> Iterator[tuple[Nugget, Update | None, list[int]]]:
    """Each nugget with the update that says it first, and the runs that say it, earliest first."""
    firsts = (each for each in timeline.sayings if each.first)
    by_nugget = {at: [*group] for at, group in groupby(firsts, lambda each: each.nugget)}
    for at, nugget in enumerate(timeline.nuggets):
        updates = [timeline.updates[each.update] for each in by_nugget.get(at, [])]
        yield nugget, next(iter(updates), None), [each.run for each in updates]


def lead(hours: float) -> str:
    """How long after the nugget's own time, or before it: in minutes below two hours."""
    size = abs(hours)
    minutes = math.floor(60 * size + 0.5)
    if minutes == 0:
        return "on time"
    duration = f"{minutes} min" if size < COARSE else f"{number(size, 1)} h"
    return f"{duration} {'late' if hours > 0 else 'early'}"
