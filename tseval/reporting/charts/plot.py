"""One panel as SVG: the same on a page and in a picture, and its marks small, as keys to it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import groupby, pairwise
from typing import TypeVar

from tseval.core.panels import Dots, Keys, Kind, Line, Panel, Point
from tseval.records import frozen
from tseval.reporting.charts.axes import SIZE, Axes
from tseval.reporting.page.markup import Markup, element, joined, line, text
from tseval.reporting.palette import Look

Value = TypeVar("Value")
Spot = tuple[float, float]

DOT, LEAST_DOT, HOLLOW, PART, END = 4.5, 1.5, 2.5, 1.8, 5.0
"""Radii: of the heaviest dot over the lightest, of that, of one without weight, of parts, and of
end points."""
CAP = 2.5
"""Half the width of the foot of an interval."""
DODGE, DODGED = 7.0, 42.0
"""How far apart intervals at the same place are drawn, and all of them at most."""
KEY, KEY_DOT = (26, 12), 4.0
"""The size of a mark that explains itself, and the radius of a dot there."""
FOREMOST = 0.6
"""A rule behind this share of its axis has its words at its left."""
UNDEFINED = "undefined at every time"
WIDTH, HEIGHT = 440, 270
"""Of a plot on a page, which shrinks and grows it as a whole."""


def plot_style() -> str:
    """The rules of style of plots, by the colours that a page names."""
    return files("tseval.reporting.charts").joinpath("plot.css").read_text(encoding="utf-8")


def inside(marks: Marks) -> Iterator[Markup]:
    """What a plot holds: the grid with its numbers, the marks, and a word where there are none."""
    panel, axes = marks.panel, marks.axes
    yield from _grid(axes, panel)
    yield from marks.drawn()
    notice = panel.notice
    if not (panel.dots or panel.points or any(v is not None for x in panel.lines for v in x.value)):
        notice = notice or UNDEFINED
    if notice:
        (left, right), (bottom, top) = axes.x.pixels, axes.y.pixels
        yield text("notice", ((left + right) / 2, (top + bottom) / 2), notice)


def plot(panel: Panel, look: Sequence[Look], shown: int) -> Markup:
    """A panel for a page, where so many of the first runs stand out."""
    axes = Axes.inside(panel, WIDTH, HEIGHT)
    (left, right), (bottom, top) = axes.x.pixels, axes.y.pixels
    return element(
        "svg",
        {
            "viewBox": f"0 0 {WIDTH} {HEIGHT}",
            "role": "img",
            "aria-label": ": ".join(filter(None, (panel.title, panel.note))),
            "data-x": f"{axes.x.low:.6g} {axes.x.high:.6g} {left:g} {right:g}",
            "data-log": axes.x.is_log,
            "class": "plot",
        },
        inside(Marks(panel, axes, look, shown)),
        element("line", {"class": "cursor", "y1": top, "y2": bottom}),
    )


def keys(panels: Iterable[Panel]) -> Keys:
    """What the marks of these panels are, each kind once: those that are drawn."""
    found = {
        key: None
        for panel in panels
        for drawn in [Marks(panel, Axes.inside(panel, WIDTH, HEIGHT), (), 0).kinds()]
        for key in panel.keys
        if key[0] in drawn
    }
    return tuple(found)


def key_of(kind: Kind, looks: Sequence[Look]) -> Markup:
    """A mark beside its words, on a page; bands are in the colours of the runs that stand out."""
    wide, high = KEY
    box = {"width": wide, "height": high, "aria-hidden": "true", "class": "plot-key"}
    return element("svg", box, band_swatch(looks) if kind == "band" else swatch(kind))


def legend_dot(symbol: int) -> Markup:
    """A run's dot in the middle of its line, in the legend of a page."""
    return dot((17, 6), KEY_DOT, symbol)


def _grid(axes: Axes, panel: Panel) -> Iterator[Markup]:
    """Rules with their numbers, and what the axes count."""
    (left, right), (bottom, top) = axes.x.pixels, axes.y.pixels
    for value, label in axes.y.marks:
        y = axes.y.place(value)
        yield line("zero" if value == 0 else "rule", (left, y), (right, y))
        yield text("y", (left - 6, y + 4), label)
    for value, label in axes.x.marks:
        x = axes.x.place(value)
        if not panel.x.names:
            yield line("tick", (x, bottom), (x, bottom + 4))
        if axes.is_slanted:
            yield text("y", (x, bottom + 12), label, f"rotate(-36 {x:g} {bottom + 12:g})")
        else:
            yield text("x", (x, bottom + 15), label)
    if panel.x.title:
        yield text("x title", ((left + right) / 2, axes.height - 4), panel.x.title)
    if panel.y.title:
        x, y = SIZE, (top + bottom) / 2
        yield text("x title", (x, y), panel.y.title, f"rotate(-90 {x} {y:g})")


@frozen
class Marks:
    """The marks of one panel, each line with the look of its run."""

    panel: Panel
    axes: Axes
    look: Sequence[Look]
    """The classes of each run's colour and dashes."""
    shown: int
    """So many of the first runs stand out."""

    def drawn(self) -> Iterator[Markup]:
        """From the back to the front; the first runs lie on top."""
        panel = self.panel
        lines = sorted(panel.lines, key=lambda each: -each.run)
        left, right = self.axes.x.pixels
        for low, high in self._shaded():
            bottom, top = self.axes.y.place(low), self.axes.y.place(high)
            place = {"x": left, "y": top, "width": right - left, "height": round(bottom - top, 1)}
            yield element("rect", {"class": "beyond", **place})
        if not panel.parts:
            yield from (self._of("band", each.run, "", d=self._band(each)) for each in lines)
        for each in panel.parts[::-1]:
            known = [(x, v) for x, v in zip(each.x, each.value, strict=True) if v is not None]
            drawn = joined(dot(self._spot(*spot), PART) for spot in known)
            yield self._of("parts", each.run, "", drawn)
        yield from (self._of("line", each.run, "", d=self._path(each)) for each in lines)
        yield from (
            self._of("line", each.run, "foretold", d=self._extrapolated(each)) for each in lines
        )
        yield from map(self._dots, panel.dots[::-1])
        yield from map(self._point, panel.points[::-1])
        yield from self._rule()

    def kinds(self) -> set[Kind]:
        """The kinds of marks that there are to explain."""
        panel = self.panel
        weights = [
            w for d in panel.dots for w, v in zip(d.weight, d.value, strict=True) if v is not None
        ]
        ends = [point for point in panel.points if point.low is not None]
        drawn: dict[Kind, bool] = {
            "dot": any(weights),
            "hollow": 0 in weights,
            "foretold": any(map(self._extrapolated, panel.lines)),
            "end": bool(panel.points),
            "bar": bool(ends),
            "cut": any(any(self._cut(point)) for point in ends),
            "beyond": any(self._shaded()),
            "part": bool(panel.parts),
            "band": not panel.parts and any(map(self._band, panel.lines)),
        }
        return {kind for kind, is_drawn in drawn.items() if is_drawn}

    def _of(
        self, kind: str, run: int, also: str, *children: Markup, d: str | None = None
    ) -> Markup:
        """What is drawn of a run; a path that goes nowhere is left out."""
        on = "on" if run < self.shown else ""
        names = " ".join(filter(None, (kind, also, self.look[run].classes, on)))
        if d is None:
            return element("g", {"class": names, "data-run": run}, children)
        return element("path", {"class": names, "data-run": run, "d": d}) if d else Markup("")

    def _spot(self, x: float, y: float) -> Spot:
        return self.axes.x.place(x), self.axes.y.place(y)

    def _path(self, line: Line) -> str:
        until = math.inf if line.until is None else line.until
        return self._trace([*line.x], [*line.value], until, before=True)

    def _extrapolated(self, line: Line) -> str:
        if line.until is None:
            return ""
        return self._trace([*line.x], [*line.value], line.until, before=False)

    def _trace(
        self, xs: list[float], values: list[float | None], until: float, *, before: bool
    ) -> str:
        """A line as far as a place, or from there on; where it is cut, both pieces meet."""
        for (x, value), (then, after) in pairwise(list(zip(xs, values, strict=True))):
            if x < until < then and value is not None and after is not None:
                at = xs.index(then)
                xs.insert(at, until)
                values.insert(at, value + (after - value) * (until - x) / (then - x))
                break
        kept = [
            (x, v)
            for x, v in zip(xs, values, strict=True)
            if (x <= until if before else x >= until)
        ]
        if not before and len(kept) < 2:
            return ""
        places, own = [x for x, _ in kept], [value for _, value in kept]
        stepped = self.panel.is_stepped
        return "".join(
            _path([self._spot(*each) for each in piece], stepped)
            for piece in pieces(places, own, self.axes.x.high, stepped=stepped)
        )

    def _band(self, line: Line) -> str:
        """Between the ends of the intervals, where both are known; nothing where none is."""
        both = [
            None if low is None or high is None else (low, high)
            for low, high in zip(line.low, line.high, strict=True)
        ]
        outlines, stepped = [], self.panel.is_stepped
        for piece in pieces(line.x, both, self.axes.x.high, stepped=stepped) if both else ():
            above, below = (
                _corners([self._spot(x, ends[end]) for x, ends in piece], stepped) for end in (1, 0)
            )
            outlines.append("M" + "L".join(f"{x:g} {y:g}" for x, y in [*above, *below[::-1]]) + "Z")
        return "".join(outlines)

    def _dots(self, dots: Dots) -> Markup:
        """A run's own values; the area of a dot is its weight, and one without any is hollow."""
        every = [weight for each in self.panel.dots for weight in each.weight]
        heaviest = max(every, default=0.0) or 1.0
        symbol = self.look[dots.run].symbol
        drawn = joined(
            dot(self._spot(x, value), radius(weight / heaviest), symbol, hollow=not weight)
            for x, value, weight in zip(dots.x, dots.value, dots.weight, strict=True)
            if value is not None
        )
        return self._of("dots", dots.run, "", drawn)

    def _point(self, point: Point) -> Markup:
        """A diamond with its interval, beside those of other runs at its place."""
        x, y = self._spot(point.x, point.value)
        if point.low is None or point.high is None:
            return self._of("end", point.run, "", _diamond((x, y)))
        beside = sorted(each.run for each in self.panel.points if each.x == point.x)
        apart = min(DODGE, DODGED / len(beside))
        x = round(x + apart * (beside.index(point.run) - (len(beside) - 1) / 2), 1)
        below, above = (self.axes.y.place(end) for end in (point.low, point.high))
        bar = line(None, (x, below), (x, above))
        ends = [
            _tip((x, at), way) if is_cut else _foot(x, at)
            for at, way, is_cut in zip((below, above), (1, -1), self._cut(point), strict=True)
        ]
        return self._of("end", point.run, "", bar, *ends, _diamond((x, y)))

    def _cut(self, point: Point) -> tuple[bool, bool]:
        """Whether an interval goes on below and above the axis."""
        low, high = self.axes.y.low, self.axes.y.high
        return (
            point.low is not None and point.low < low,
            point.high is not None and point.high > high,
        )

    def _shaded(self) -> Iterator[tuple[float, float]]:
        """From and to which height no value can lie."""
        (least, most), y = self.panel.possible, self.axes.y
        if least is not None and y.low < least:
            yield y.low, least
        if most is not None and y.high > most:
            yield most, y.high

    def _rule(self) -> Iterator[Markup]:
        """The panel's own line across, with its words where there is room."""
        rule, (left, right), (bottom, top) = self.panel.rule, self.axes.x.pixels, self.axes.y.pixels
        if rule is None:
            return
        x = self.axes.x.place(rule.x)
        yield line("own", (x, top), (x, bottom))
        if x > left + FOREMOST * (right - left):
            yield text("words", (x - 6, bottom - 8), rule.words)
        else:
            yield text("words first", (x + 6, bottom - 8), rule.words)


def swatch(kind: Kind) -> Markup:
    """A mark by itself, in no run's colour."""
    wide, high = KEY
    spot = across, middle = wide / 2, high / 2
    whole = {"width": wide, "height": high}
    bar = line(None, (across, 1), (across, high - 1))
    feet = [_foot(across, y) for y in (1, high - 1)]
    drawn: dict[Kind, Markup] = {
        "dot": element("g", {"class": "dots on"}, dot(spot, KEY_DOT)),
        "hollow": element("g", {"class": "dots on"}, dot(spot, HOLLOW, hollow=True)),
        "part": element("g", {"class": "parts on"}, dot(spot, PART)),
        "foretold": element(
            "path", {"class": "line foretold on", "d": f"M2 {middle:g}H{wide - 2}"}
        ),
        "end": element("g", {"class": "end on"}, _diamond(spot)),
        "bar": element("g", {"class": "end on"}, bar, feet),
        "cut": element("g", {"class": "end on"}, bar, _tip((across, 0), -1)),
        "beyond": element("rect", {"class": "beyond", **whole}),
        "band": element("rect", {"class": "band on", **whole}),
    }
    return drawn[kind]


def band_swatch(looks: Sequence[Look]) -> list[Markup]:
    """Bands of these runs beside one another."""
    wide = KEY[0] / max(1, len(looks))
    size = {"width": wide, "height": KEY[1]}
    return [
        element("rect", {"class": f"band on {look.classes}", "x": at * wide, **size})
        for at, look in enumerate(looks)
    ]


def radius(share: float) -> float:
    """Of a dot that weighs this share of the heaviest one; one without weight has to be seen."""
    return HOLLOW if not share else round(LEAST_DOT + DOT * math.sqrt(share), 2)


def pieces(
    xs: Sequence[float], values: Sequence[Value | None], end: float, *, stepped: bool
) -> Iterator[list[tuple[float, Value]]]:
    """The stretches on which there is a value; a step's last value holds until the next x."""
    rows = list(zip(xs, values, [*xs[1:], end][: len(xs)], strict=True))
    for known, group in groupby(rows, key=lambda row: row[1] is not None):
        if known:
            found = [(x, value, then) for x, value, then in group if value is not None]
            held = [(found[-1][2], found[-1][1])] if stepped else []
            yield [(x, value) for x, value, _ in found] + held


def dot(spot: Spot, size: float, symbol: int = 0, *, hollow: bool = False) -> Markup:
    """A circle, square, triangle or cross, about as large as one another."""
    kind, (x, y) = {"class": "hollow" if hollow else None}, spot
    if symbol == 0:
        return element("circle", {**kind, "cx": x, "cy": y, "r": size})
    side, wide, long, arm = (round(by * size, 2) for by in (0.9, 1.3, 1.4, 0.45))

    def box(half: float, other: float) -> str:
        across, down = round(2 * half, 2), round(2 * other, 2)
        return f"M{x - half:g} {y - other:g}h{across:g}v{down:g}h-{across:g}Z"

    triangle = f"M{x:g} {y - wide:g}l{wide:g} {1.5 * wide:g}h-{2 * wide:g}Z"
    shapes = box(side, side), triangle, box(long, arm) + box(arm, long)
    return element("path", {**kind, "d": shapes[symbol - 1]})


def _diamond(spot: Spot) -> Markup:
    x, y = spot
    return element(
        "path", {"d": f"M{x:g} {y - END:g}l{END:g} {END:g}l-{END:g} {END:g}l-{END:g} -{END:g}Z"}
    )


def _foot(x: float, y: float) -> Markup:
    """Where an interval ends."""
    return line(None, (round(x - CAP, 1), y), (round(x + CAP, 1), y))


def _tip(spot: Spot, way: int) -> Markup:
    """An arrow's head, downwards for 1 and upwards for -1, that ends at this place."""
    x, y = spot
    return element("path", {"d": f"M{x:g} {y:g}l-3.5 {-6 * way:g}h7Z"})


def _corners(points: list[Spot], stepped: bool) -> list[Spot]:
    if not stepped:
        return points
    corners = points[:1]
    for before, after in pairwise(points):
        if after[0] != before[0] or after[1] != before[1]:
            corners += [(after[0], before[1]), after] if after[1] != before[1] else [after]
    return corners


def _path(points: list[Spot], stepped: bool) -> str:
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
