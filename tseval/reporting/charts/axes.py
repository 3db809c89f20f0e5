"""From values to pixels: the two axes of a panel, with the numbers that stand at them.

And words in a picture: how wide they are, where they break, and short names that stay apart.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from tseval.core.panels import Axis, Panel
from tseval.records import frozen
from tseval.reporting.page.markup import visible_text
from tseval.reporting.page.tables import extent, plain, step, ticks

SIZE = 11
"""Of the letters at an axis, in pixels."""
PER_TICK, FEWEST = 48, 5
"""A number stands at an axis for so many pixels, and at least about so many numbers."""
RIGHT, TOP, BOTTOM, TITLE = 12, 10, 20, 16
"""Room around what is drawn, and for the title of an axis."""
BELOW, DEEPEST = 18, 80
"""Names below an axis have so many characters at most, and take so much room."""
LOG_STEPS = (1, 2, 5)


@frozen
class Ruler:
    """One axis: from where to where in values and in pixels, and where numbers stand."""

    low: float
    high: float
    pixels: tuple[float, float]
    is_log: bool
    marks: tuple[tuple[float, str], ...]
    """Values with what stands at them."""

    def place(self, value: float) -> float:
        """Where a value is, in pixels; what lies outside is put on the nearer end."""
        inside = min(max(value, min(self.low, self.high)), max(self.low, self.high))
        ends = self.low, self.high, inside
        low, high, at = map(math.log10, ends) if self.is_log else ends
        first, last = self.pixels
        return round(first + (at - low) / (high - low) * (last - first), 1)

    @property
    def widest(self) -> float:
        """The width of the longest label, in pixels."""
        return max((width_of(label, SIZE) for _, label in self.marks), default=0.0)


@frozen
class Axes:
    """Both axes of a panel, and the size of the whole."""

    x: Ruler
    y: Ruler
    width: float
    height: float
    is_slanted: bool = False
    """Whether names below the axis are, since they have no room beside one another."""

    @classmethod
    def inside(cls, panel: Panel, width: float, height: float, least_left: float = 0.0) -> Axes:
        """Axes in a picture of this size altogether, with so much room at the left at least."""
        y = _ruler(panel.y, _heights(panel), (height, 0.0))
        left = max(least_left, round(y.widest + 10 + TITLE * bool(panel.y.title)))
        x = _ruler(panel.x, panel.places, (left, width - RIGHT))
        room = (width - RIGHT - left) / max(1, len(x.marks))
        is_slanted = bool(panel.x.names) and x.widest > room - 6
        deep = min(DEEPEST, x.widest * 0.6) if is_slanted else 0.0
        bottom = BOTTOM + deep + TITLE * bool(panel.x.title)
        y = _ruler(panel.y, _heights(panel), (round(height - bottom), TOP))
        return cls(x, y, width, height, is_slanted)

    @classmethod
    def around(cls, panel: Panel, least_left: float = 0.0) -> Axes:
        """Axes around what the panel says is its size."""
        across, up = panel.size
        once = cls.inside(panel, across + 60, up + 60, least_left)
        (left, right), (bottom, top) = once.x.pixels, once.y.pixels
        wider, higher = across - (right - left), up - (bottom - top)
        return cls.inside(panel, once.width + wider, once.height + higher, least_left)


def _heights(panel: Panel) -> Iterator[float | None]:
    """Every value of a panel, and where each band ends: early on bands can be vast."""
    for known in (each.value for own in (panel.lines, panel.dots, panel.parts) for each in own):
        yield from known
    if not panel.parts:
        for line in panel.lines:
            yield from (ends[-1] for ends in (line.low, line.high) if ends)
    for point in panel.points:
        yield from (point.value, point.low, point.high)


def _ruler(axis: Axis, values: Iterable[float | None], pixels: tuple[float, float]) -> Ruler:
    """An axis over so many pixels; ends that it does not fix hold every value and 0."""
    low, high = axis.low, axis.high
    wanted = max(FEWEST, int(abs(pixels[1] - pixels[0]) / PER_TICK))
    is_free = low is None or high is None
    if low is None or high is None:
        least, most = extent(values)
        low, high = min(least, 0.0), most
        high = high if high > low else low + 1.0
    marks = axis.ticks or _marks(axis, low, high, wanted)
    if (is_free or axis.is_rounded) and pixels[1] < pixels[0]:
        low, high = min(low, marks[0]), max(high, marks[-1])
    slack = 1e-9 * abs(high - low)
    inside = [at for at in marks if min(low, high) - slack <= at <= max(low, high) + slack]
    named = [shortened(name, BELOW) for name in axis.names] or list(map(plain, inside))
    return Ruler(low, high, pixels, axis.is_log, tuple(zip(inside, named, strict=True)))


def _marks(axis: Axis, low: float, high: float, wanted: int) -> tuple[float, ...]:
    """Round numbers from below the range to above it."""
    if axis.is_log:
        # 1, 2 and 5 times powers of ten, or these powers alone where there are too many.
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        steps = LOG_STEPS if len(powers) * len(LOG_STEPS) <= 2 * wanted else LOG_STEPS[:1]
        return tuple(float(f"{by * 10.0**power:.10g}") for power in powers for by in steps)
    least, most = min(low, high), max(low, high)
    if not axis.is_whole:
        return tuple(ticks(least, most, wanted))
    size = step(least, most, wanted)
    apart = max(1, round(size if size.is_integer() else 2 * size))
    first = math.ceil(least / apart) * apart
    start = {1} if least == 1 else set()  # where counting begins, whatever the steps are
    return tuple(map(float, sorted(start | {*range(first, int(most) + 1, apart)})))


# Words.

LONGEST = 32
"""So many characters of a name stand in a legend."""
NARROW, BROAD = set(" .,:;|!'()[]{}/\\ijlftrI-"), set("mwMW@%—…")
"""Letters that are narrower and broader than others."""


def width_of(text: str, size: float) -> float:
    """About how many pixels a text takes in a sans serif of this size; rather too many."""
    return size * math.fsum(map(_ems, text))


def _ems(letter: str) -> float:
    if letter in NARROW:
        return 0.34
    if letter in BROAD or unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return 0.72 if letter.isupper() else 0.57


def wrapped(text: str, width: float, size: float) -> list[str]:
    """A text in lines no wider than so many pixels, broken after spaces, commas and bars.

    What has none of these is broken anywhere.
    """
    lines = [""]
    for piece in re.findall(r"[^ ,|]*[ ,|]+|[^ ,|]+", text):
        if lines[-1] and width_of(lines[-1] + piece.rstrip(), size) > width:
            lines.append("")
        for letter in piece:
            if lines[-1] and width_of(lines[-1] + letter.strip(), size) > width:
                lines.append("")
            lines[-1] += letter
    return lines


def unique_labels(names: Sequence[str]) -> dict[str, str]:
    """A short label for every name; two that would read the same are numbered."""
    labels: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        label = shortened(visible_text(name)).strip() or "(no name)"
        number, candidate = 1, label
        while candidate in taken:
            number += 1
            candidate = f"{label} #{number}"
        labels[name] = candidate
        taken.add(candidate)
    return labels


def shortened(name: str, longest: int = LONGEST) -> str:
    """A name, or its two ends around an ellipsis: runs often differ in their last words."""
    if len(name) <= longest:
        return name
    tail = longest // 2 - 1
    return f"{name[: longest - tail - 1]}…{name[-tail:]}"
