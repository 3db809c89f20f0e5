"""The vocabulary of charts: panels with lines, dots and points, as plain data that is finished.

Families put panels together, for the page of a report and for pictures alike; `tseval.reporting`
draws them. A run is its place among the runs of the report or the picture, which says its colour.
None is undefined.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from tseval import drawer
from tseval.core.wording import count
from tseval.errors import check_suffix
from tseval.records import frozen

Numbers: TypeAlias = tuple[float, ...]
Known: TypeAlias = tuple[float | None, ...]

Kind: TypeAlias = Literal[
    "dot", "hollow", "foretold", "end", "bar", "cut", "beyond", "band", "part"
]
"""The marks that are not the same in every picture, so that each picture says what they are."""
Keys: TypeAlias = tuple[tuple[Kind, str], ...]

BATCH_KEYS: Keys = (
    ("dot", "a batch, larger with more weight"),
    ("hollow", "a batch that weighs nothing, which no line counts"),
    ("foretold", "foretold: after the last batch that the line is fitted to"),
    ("end", "the end point: the line at the last batch"),
    ("bar", "its 95 % interval"),
    ("cut", "the interval goes on"),
    ("beyond", "no value can lie here"),
)
"""What the marks of batches and of the trends through them say."""
REACH = 0.5
"""Intervals may stretch an axis by this share of it at each side."""


class Line(NamedTuple):
    """One run's curve, with its band where there is one: a value for each x."""

    run: int
    x: Numbers
    value: Known
    low: Known = ()
    high: Known = ()
    until: float | None = None
    """The last x that a trend is fitted to: from there on it is foretold."""


class Dots(NamedTuple):
    """One run's values by themselves, each as large as it weighs; weights are shares.

    One that weighs nothing is hollow.
    """

    run: int
    x: Numbers
    value: Known
    weight: Numbers


class Parts(NamedTuple):
    """The values that one run's line is the mean of, such as those of its topics, at some x."""

    run: int
    x: Numbers
    value: Known


class Point(NamedTuple):
    """One run's single value, with its interval where there is one: an end point."""

    run: int
    x: float
    value: float
    low: float | None = None
    high: float | None = None


class Rule(NamedTuple):
    """A thin line across a panel at an x, with a word beside it."""

    x: float
    words: str


@frozen
class Axis:
    """What an axis counts, and from where to where."""

    title: str = ""
    low: float | None = None
    high: float | None = None
    """Its ends; None leaves them to the values. An axis may go downwards."""
    is_rounded: bool = False
    """Whether the ends may move outwards to round numbers."""
    is_log: bool = False
    """Whether equal lengths are equal factors; its low end is then above 0, and holds all below."""
    is_whole: bool = False
    """Whether it counts whole things, so that no number between stands at it."""
    ticks: Numbers = ()
    """Where numbers stand; nothing leaves it to who draws."""
    names: tuple[str, ...] = ()
    """What stands at the ticks instead of numbers."""


@frozen
class Panel:
    """Lines, dots and points on one pair of axes."""

    title: str
    note: str
    x: Axis
    lines: tuple[Line, ...]
    y: Axis = Axis()
    is_stepped: bool = True
    """Whether a line's value holds until the next x; else its points are joined."""
    dots: tuple[Dots, ...] = ()
    points: tuple[Point, ...] = ()
    parts: tuple[Parts, ...] = ()
    """Where there are any, they are drawn instead of bands."""
    keys: Keys = ()
    """What the marks are, of those that may be drawn here."""
    possible: tuple[float | None, float | None] = (None, None)
    """The least and the most that a value can be, where that is known; what lies beyond is shaded.
    """
    rule: Rule | None = None
    notice: str = ""
    """What is said in the middle of a panel that lacks something to draw."""
    size: tuple[int, int] = (420, 260)
    """Width and height between the axes of a picture, in pixels; the page has one for all."""

    @cached_property
    def places(self) -> Numbers:
        """Every x at which a line or a dot has a value, in order."""
        every = {*(each.x for each in self.lines), *(each.x for each in self.dots)}
        if len(every) == 1:
            return every.pop()
        return tuple(sorted({x for each in every for x in each}))


@dataclass(frozen=True, repr=False)
class Picture:
    """Panels below one heading, and all that a reader has to know of them."""

    title: str
    signature: str
    names: tuple[str, ...]
    """Of the lines: every run that was asked for, also where nothing of it is drawn."""
    panels: tuple[Panel, ...]
    columns: int = 1
    """How many panels stand side by side."""
    note: str = ""
    kind: str = "run"
    """What a line is: a run, a team of runs, or a measure."""

    @property
    def are_runs(self) -> bool:
        """Whether the colours of lines follow from their names, as those of runs and teams do."""
        return self.kind != "measure"

    def draw(self, form: str) -> bytes:
        """The picture as `svg`, `html`, `png` or `pdf`; the last two need the extra `report`."""
        return drawer.draw(self, form)

    def save(self, path: str | Path) -> None:
        """Write the picture whole or not at all; the form follows the suffix."""
        from tseval.io import PICTURES
        from tseval.io.atomic_write import write_file

        form = Path(path).suffix.lstrip(".").lower()
        check_suffix(f"cannot save '{path}'", form, PICTURES)
        write_file(path, self.draw(form))

    def __repr__(self) -> str:
        return f"Picture({self.title!r}: {count(len(self.panels), 'panel')})"

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return self.draw("svg").decode()


def reached(
    values: Iterable[float | None], ends: Iterable[float | None], least: tuple[float, float]
) -> tuple[float, float]:
    """The range of an axis that shows all values, and intervals as far as they don't dwarf these.

    It holds 0 and what it has to hold at `least`.
    """
    known = [*least, *(each for each in values if each is not None)]
    low, high = min(known), max(known)
    room = REACH * (high - low)
    cut = [min(max(each, low - room), high + room) for each in ends if each is not None]
    return min([low, *cut]), max([high, *cut])
