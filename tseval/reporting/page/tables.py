"""What the tables of a page show: columns of means, intervals on a scale, shades, first sayings.

And numbers as the page shows them, with axes that end on round ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from tseval.core.blocks import Nugget, Timeline, Update
from tseval.records import frozen
from tseval.reporting.content import MeanRow, MeasureBoard, PairRow, Report

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


# Numbers.

BLANK = "–"
"""What stands for an undefined value."""
MINUS = "\N{MINUS SIGN}"
DIGITS = 4
"""How many significant digits of a score a reader gets; the downloads have all."""


def number(value: float | None, decimals: int) -> str:
    """A value with so many decimals, and a comma between thousands."""
    if value is None:
        return BLANK
    shown = f"{value:,.{decimals}f}"
    return (shown if shown.strip("-0.") else shown.lstrip("-")).replace("-", MINUS)


def signed(value: float | None, decimals: int) -> str:
    """A difference with its sign."""
    shown = number(value, decimals)
    return f"+{shown}" if value is not None and value > 0 else shown


def short(value: float) -> str:
    """Two decimals where there is room; a share goes without its 0."""
    size = abs(value)
    text = number(value, 2 if size < 10 else 1 if size < 100 else 0)
    return text.replace("0.", ".", 1) if size < 1 and "0." in text else text


def thousands(value: int) -> str:
    """A count, with a comma between thousands."""
    return f"{value:,}"


def decimals_for(values: Iterable[float | None]) -> int:
    """How many decimals a column needs: four for shares, fewer for large numbers."""
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    whole = len(str(int(largest))) if largest >= 1 else 0
    return min(4, max(0, DIGITS - max(0, whole - 1))) if whole <= DIGITS else 0


def chance(value: float | None) -> str:
    """A p value with two digits that count; a very small one is a bound."""
    if value is None:
        return BLANK
    return "<0.0001" if value < 0.0001 else f"{value:.2g}"


def rounded(value: float | None) -> float | None:
    """Six digits are more than a picture can show."""
    return None if value is None else float(f"{value:.6g}")


def weight(value: float | None) -> str:
    """A nugget's weight, with as few digits as it needs."""
    return plain(rounded(value) or 0.0)


def extent(values: Iterable[float | None]) -> tuple[float, float]:
    """The lowest and the highest value; 0 to 1 where there is none."""
    known = [value for value in values if value is not None]
    return (min(known), max(known)) if known else (0.0, 1.0)


def step(low: float, high: float, wanted: int) -> float:
    """A round step that makes about so many of the range."""
    rough = (high - low) / wanted if high > low else 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next(each * power for each in (1, 2, 2.5, 5, 10) if each * power >= rough * 0.999)


def ticks(low: float, high: float, wanted: int) -> list[float]:
    """Round numbers from the last below the range to the first above it."""
    size = step(low, high, wanted)
    first, last = math.floor(low / size + 1e-9), math.ceil(high / size - 1e-9)
    return [float(f"{at * size:.10g}") for at in range(first, max(last, first + 1) + 1)]


def plain(value: float) -> str:
    """A tick's label: as few digits as it needs, with a comma between thousands."""
    return f"{value:,.10g}".replace("-", MINUS)
