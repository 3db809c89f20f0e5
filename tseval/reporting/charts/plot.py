"""One panel as SVG: the same on a page and in a picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files

from tseval.core.panels import Keys, Kind, Panel
from tseval.reporting.charts.axes import SIZE, Axes
from tseval.reporting.charts.marks import KEY, KEY_DOT, Marks, band_swatch, dot, swatch
from tseval.reporting.page.markup import Markup, element
from tseval.reporting.palette import Look

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
    notice = panel.notice or _lack(panel)
    if notice:
        (left, right), (bottom, top) = axes.x.pixels, axes.y.pixels
        middle = {"x": (left + right) / 2, "y": (top + bottom) / 2}
        yield element("text", {"class": "notice", **middle}, notice)


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


def _lack(panel: Panel) -> str:
    """What is said where a panel has lines alone and none of them a value."""
    if panel.dots or panel.points or any(v is not None for each in panel.lines for v in each.value):
        return ""
    return UNDEFINED


def _grid(axes: Axes, panel: Panel) -> Iterator[Markup]:
    """Rules with their numbers, and what the axes count."""
    (left, right), (bottom, top) = axes.x.pixels, axes.y.pixels
    for value, label in axes.y.marks:
        y = axes.y.place(value)
        rule = "zero" if value == 0 else "rule"
        yield element("line", {"class": rule, "x1": left, "x2": right, "y1": y, "y2": y})
        yield element("text", {"x": left - 6, "y": y + 4, "class": "y"}, label)
    for value, label in axes.x.marks:
        x = axes.x.place(value)
        if not panel.x.names:
            yield element(
                "line", {"class": "tick", "x1": x, "x2": x, "y1": bottom, "y2": bottom + 4}
            )
        slanted = {"class": "y", "transform": f"rotate(-36 {x:g} {bottom + 12:g})"}
        upright = {"class": "x"}
        place = {"x": x, "y": bottom + (12 if axes.is_slanted else 15)}
        yield element("text", {**place, **(slanted if axes.is_slanted else upright)}, label)
    if panel.x.title:
        place = {"x": (left + right) / 2, "y": axes.height - 4}
        yield element("text", {**place, "class": "x title"}, panel.x.title)
    if panel.y.title:
        x, y = SIZE, (top + bottom) / 2
        turned = {"x": x, "y": y, "transform": f"rotate(-90 {x} {y:g})"}
        yield element("text", {**turned, "class": "x title"}, panel.y.title)
