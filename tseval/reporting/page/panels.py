"""Panels as inline SVG, each with the same as a table: lines with their bands, and dots."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import TypeVar

from tseval.core.blocks import Panels
from tseval.core.panels import Dots, Known, Line, Numbers, Panel
from tseval.reporting.content import Report
from tseval.reporting.page.listing import NUMBER, listing
from tseval.reporting.page.markup import Markup, element, isolated
from tseval.reporting.page.numbers import decimals_for, extent, number, plain, rounded, ticks
from tseval.reporting.palette import Palette

Value = TypeVar("Value")

SHOWN = 5
"""So many of the best runs stand out at first; the others are grey until they are chosen."""
WIDTH, HEIGHT = 440, 270
LEFT, RIGHT, TOP, BOTTOM = 48, 12, 10, 36
TICKS = 5
DOT, LEAST_DOT = 3.5, 1.0
"""The radius of the heaviest dot, over that of one without weight."""
TIMES = 9
"""How many columns the table of a panel has."""


def legend(report: Report) -> Markup:
    """Every run with its line; a press makes it stand out, or not."""
    lines = looks(report.runs)
    keys = [_key(run, name, lines[run]) for run, name in enumerate(report.runs)]
    return element("ul", {"class": "legend", "aria-label": "runs"}, keys)


def looks(runs: Sequence[str]) -> list[str]:
    """The classes that give each run its colour and its dashes."""
    palette = Palette.of(runs)
    return [palette.classes(name) for name in runs]


def aligned(panel: Panel) -> Panel:
    """The panel with a value of every line and of all dots at each of its places.

    So a pointer, and a table, find all runs at one place. A step is held as far as its line goes.
    """
    places = panel.places

    def held(xs: Numbers, values: Known, *, is_stepped: bool) -> Known:
        if not values or xs == places:
            return values or (None,) * len(places)
        known, value, last = dict(zip(xs, values, strict=True)), None, max(xs)
        found = []
        for x in places:
            value = known.get(x, value if is_stepped and x <= last else None)
            found.append(value)
        return tuple(found)

    lines = (
        Line(run, places, *(held(xs, each, is_stepped=panel.is_stepped) for each in columns))
        for run, xs, *columns in panel.lines
    )
    dots = (
        Dots(
            each.run,
            places,
            held(each.x, each.value, is_stepped=False),
            tuple(weight or 0.0 for weight in held(each.x, each.weight, is_stepped=False)),
        )
        for each in panel.dots
    )
    return replace(panel, lines=tuple(lines), dots=tuple(dots))


def _key(run: int, name: str, look: str) -> Markup:
    line = element("line", {"class": look, "x1": 1, "x2": 33, "y1": 6, "y2": 6})
    swatch = element("svg", {"width": 34, "height": 12, "aria-hidden": "true"}, line)
    pressed = "true" if run < SHOWN else "false"
    button = {"type": "button", "class": "key", "data-run": run, "aria-pressed": pressed}
    return element("li", None, element("button", button, swatch, isolated(name)))


def panels(report: Report, drawn: Panels, section: str, first: int = 0) -> Markup:
    """The panels side by side, numbered within their section as their data for the script are."""
    look = looks(report.runs)
    figures = [
        figure(report, panel, f"{section}-{at}", look)
        for at, panel in enumerate(drawn.panels, start=first)
    ]
    return element("div", {"class": "panels paired" if drawn.paired else "panels"}, figures)


def figure(report: Report, panel: Panel, name: str, look: Sequence[str]) -> Markup:
    """One panel with its words, and the same as a table."""
    panel = aligned(panel)
    caption = element(
        "figcaption", None, element("b", None, panel.title), " ", element("span", None, panel.note)
    )
    readout = element("output", {"class": "readout", "aria-live": "off"})
    return element(
        "figure",
        {"class": "curve", "data-panel": name},
        caption,
        picture(panel, look),
        readout,
        _as_table(report, panel),
    )


@dataclass(frozen=True)
class Axes:
    """From values to places in the picture."""

    x: tuple[float, float]
    marks: tuple[float, ...]
    """The round numbers of the y axis, which begins and ends with one."""

    @classmethod
    def of(cls, panel: Panel) -> Axes:
        """Axes that hold 0, every line, and where each band ends: early on bands can be vast."""
        values = [value for line in panel.lines for value in line.value]
        values += [value for each in panel.dots for value in each.value]
        values += [ends[-1] for line in panel.lines for ends in (line.low, line.high) if ends]
        low, high = extent(values)
        low = min(low, 0.0)
        start, end = extent(panel.places)
        start = min(start, 0.0)
        return cls(
            (start, end if end > start else start + 1.0),
            tuple(ticks(low, high if high > low else low + 1.0, TICKS)),
        )

    def across(self, x: float) -> float:
        """Pixels from the left."""
        share = (x - self.x[0]) / (self.x[1] - self.x[0])
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def down(self, y: float) -> float:
        """Pixels from the top; what lies outside of the axis is put on its end."""
        low, high = self.marks[0], self.marks[-1]
        share = (min(max(y, low), high) - low) / (high - low)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)


def picture(panel: Panel, look: Sequence[str]) -> Markup:
    """The panel as SVG, each run with the look that it has; the first runs lie on top."""
    axes = Axes.of(panel)
    lines = sorted(panel.lines, key=lambda line: -line.run)
    drawn = [_band(axes, panel, line, look[line.run]) for line in lines]
    drawn += [_line(axes, panel, line, look[line.run]) for line in lines]
    drawn += [_dots(axes, panel, each, look[each.run]) for each in panel.dots[::-1]]
    if not any(value is not None for line in panel.lines for value in line.value):
        middle = {"x": WIDTH / 2, "y": HEIGHT / 2, "text-anchor": "middle"}
        drawn.append(element("text", middle, "undefined at every time"))
    label = f"{panel.title}: {panel.note}"
    return element(
        "svg",
        {
            "viewBox": f"0 0 {WIDTH} {HEIGHT}",
            "role": "img",
            "aria-label": label,
            "data-x": f"{axes.x[0]:.6g} {axes.x[1]:.6g} {LEFT} {WIDTH - RIGHT}",
            "class": "plot",
        },
        _grid(axes, panel),
        drawn,
        element("line", {"class": "cursor", "y1": TOP, "y2": HEIGHT - BOTTOM}),
    )


def _grid(axes: Axes, panel: Panel) -> Iterator[Markup]:
    """Rules with their numbers, and what the x axis counts."""
    for value in axes.marks:
        y = axes.down(value)
        rule = "zero" if value == 0 else "rule"
        yield element("line", {"class": rule, "x1": LEFT, "x2": WIDTH - RIGHT, "y1": y, "y2": y})
        yield element("text", {"x": LEFT - 6, "y": y + 4, "class": "y"}, plain(value))
    for value in ticks(*axes.x, TICKS + 1):
        if axes.x[0] <= value <= axes.x[1]:
            x = axes.across(value)
            yield element("text", {"x": x, "y": HEIGHT - BOTTOM + 15, "class": "x"}, plain(value))
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield element("text", {"x": middle, "y": HEIGHT - 4, "class": "x title"}, panel.x.title)


def _line(axes: Axes, panel: Panel, line: Line, look: str) -> Markup:
    pieces = [
        _path([(axes.across(x), axes.down(y)) for x, y in piece], panel.is_stepped)
        for piece in _pieces(line.x, line.value, panel.is_stepped)
    ]
    return element("path", {**_run("line", line.run, look), "d": "".join(pieces)})


def _run(kind: str, run: int, look: str) -> dict[str, object]:
    """The attributes of what is drawn of a run; the first ones stand out."""
    return {"class": f"{kind} {look}{' on' if run < SHOWN else ''}", "data-run": run}


def _band(axes: Axes, panel: Panel, line: Line, look: str) -> Markup:
    """Between the ends of the intervals, where both are known; nothing where none is."""
    both = [
        None if low is None or high is None else (low, high)
        for low, high in zip(line.low, line.high, strict=True)
    ]
    outlines, stepped = [], panel.is_stepped
    for piece in _pieces(line.x, both, stepped):
        above, below = (
            _corners([(axes.across(x), axes.down(ends[end])) for x, ends in piece], stepped)
            for end in (1, 0)
        )
        outlines.append("M" + "L".join(f"{x:g} {y:g}" for x, y in [*above, *below[::-1]]) + "Z")
    if not outlines:
        return Markup("")
    return element("path", {**_run("band", line.run, look), "d": "".join(outlines)})


def _dots(axes: Axes, panel: Panel, dots: Dots, look: str) -> Markup:
    """A run's own values; the area of a dot is its weight."""
    heaviest = max((weight for each in panel.dots for weight in each.weight), default=0.0) or 1.0
    circles = [
        element(
            "circle",
            {
                "cx": axes.across(x),
                "cy": axes.down(value),
                "r": round(LEAST_DOT + DOT * math.sqrt(weight / heaviest), 2),
            },
        )
        for x, value, weight in zip(dots.x, dots.value, dots.weight, strict=True)
        if value is not None
    ]
    return element("g", _run("dots", dots.run, look), circles)


def _pieces(
    xs: Sequence[float], values: Sequence[Value | None], stepped: bool
) -> Iterator[list[tuple[float, Value]]]:
    """The stretches on which there is a value; a step's last value holds until the next x."""
    rows = list(zip(xs, values, [*xs[1:], xs[-1] if xs else 0.0], strict=True))
    for known, group in groupby(rows, key=lambda row: row[1] is not None):
        if known:
            found = [(x, value, then) for x, value, then in group if value is not None]
            held = [(found[-1][2], found[-1][1])] if stepped else []
            yield [(x, value) for x, value, _ in found] + held


def _corners(points: list[tuple[float, float]], stepped: bool) -> list[tuple[float, float]]:
    if not stepped:
        return points
    corners = points[:1]
    for before, after in pairwise(points):
        if after[0] != before[0] or after[1] != before[1]:
            corners += [(after[0], before[1]), after] if after[1] != before[1] else [after]
    return corners


def _path(points: list[tuple[float, float]], stepped: bool) -> str:
    """The points as a path's commands; a step goes across, then up or down."""
    x, y = points[0]
    commands = [f"M{x:g} {y:g}"]
    last = points[0]
    for x, y in points[1:]:
        if not stepped:
            commands.append(f"L{x:g} {y:g}")
        elif y != last[1]:
            commands.append(f"H{x:g}V{y:g}")
            last = (x, y)
    if stepped and points[-1][0] != last[0]:
        commands.append(f"H{points[-1][0]:g}")
    return "".join(commands)


def _as_table(report: Report, panel: Panel) -> Markup:
    """A panel's values at some of its times: those of the dots, where there are any."""
    places = evenly(len(panel.places), TIMES)
    told = panel.dots or panel.lines
    decimals = decimals_for(value for each in told for value in each.value)
    times = [plain(rounded(panel.places[at]) or 0.0) for at in places]
    rows = [
        (
            element("th", {"scope": "row"}, isolated(report.runs[each.run])),
            *(element("td", NUMBER, number(each.value[at], decimals)) for at in places),
        )
        for each in told
    ]
    label = f"{panel.title} as a table"
    caption = f"{panel.title}, {panel.x.title}"
    table = listing(label, ["run", *times], rows, numbers=times, caption=caption)
    return element("details", None, element("summary", None, "as a table"), table)


def evenly(number: int, wanted: int) -> list[int]:
    """Some places of so many, evenly chosen, the last one among them."""
    if number <= wanted:
        return list(range(number))
    return [round(at * (number - 1) / (wanted - 1)) for at in range(wanted)]
