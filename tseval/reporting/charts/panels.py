"""One panel of a picture: its marks as layers of a Vega-Lite chart, and their data."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from tseval.core.panels import Axis, Panel, round_ticks
from tseval.reporting.charts.legend import Legend, printable

if TYPE_CHECKING:
    import altair as alt

    Row: TypeAlias = dict[str, Any]

INK, GREY = "#222222", "#666666"
LINE, THIN = 1.8, 0.9
"""How thick a line is: where there are few, and where there are many."""
FEW_RUNS = 8
"""Up to how many lines a panel has room for bold ones."""
BOLD_DOTS, FAINT_DOTS = 0.45, 0.2
"""The opacity of dots: where there are few runs, and where many lie over one another."""
DOTS = (6, 220)
"""The areas of a dot without weight and of the heaviest one."""
TICKS_ACROSS, TICKS_UP = 8, 5
"""About so many numbers stand at an axis; a rounded one ends on one of them."""
PIXELS_PER_TICK = 40
"""A high panel has room for more of them."""
PIXELS_PER_CHARACTER = 6.0  # of a heading
ORIGIN = "origin"
"""The data of what stands in a panel once, such as a rule at 0."""


@dataclass(frozen=True, eq=False)
class PanelChart:
    """A panel in its place, with the legend that all panels share."""

    panel: Panel
    place: int
    legend: Legend
    hover: bool
    """Whether it answers to a pointer: then rows have the full names of their runs."""

    @cached_property
    def data(self) -> dict[str, list[Row]]:
        """The rows of each kind of mark that there is, by the name of their data."""
        rows = {"lines": self._lines(), "dots": self._dots(), "points": self._points()}
        found = {f"{kind}_{self.place}": list(each) for kind, each in rows.items()}
        return {name: each for name, each in found.items() if each or name == f"lines_{self.place}"}

    def _lines(self) -> Iterator[Row]:
        for line in self.panel.lines:
            named = self._named(line.run)
            for x, value in zip(line.x, line.value, strict=True):
                yield named | {"x": rounded(x), "value": rounded(value)}

    def _dots(self) -> Iterator[Row]:
        for dots in self.panel.dots:
            named = self._named(dots.run)
            for x, value, weight in zip(dots.x, dots.value, dots.weight, strict=True):
                if value is not None:
                    yield named | {
                        "x": rounded(x),
                        "value": rounded(value),
                        "weight": rounded(weight),
                    }

    def _points(self) -> Iterator[Row]:
        """Each with as much of its interval as the axis shows, and where that goes on."""
        bottom, top = self.panel.y.low, self.panel.y.high
        for each in self.panel.points:
            row = self._named(each.run) | {"x": rounded(each.x), "value": rounded(each.value)}
            if each.low is not None and each.high is not None:
                goes_below = bottom is not None and each.low < bottom
                goes_above = top is not None and each.high > top
                row["low"] = rounded(bottom if goes_below else each.low)
                row["high"] = rounded(top if goes_above else each.high)
                row |= {"below": row["low"]} if goes_below else {}
                row |= {"above": row["high"]} if goes_above else {}
            yield row

    def _named(self, run: int) -> Row:
        name, label = list(self.legend.labels.items())[run]
        return {"label": label} | ({"run": printable(name)} if self.hover else {})

    def drawn(self) -> alt.LayerChart:
        """The panel with its heading."""
        import altair as alt

        panel, (width, height) = self.panel, self.panel.size
        title = in_lines(printable(panel.title), int(width / PIXELS_PER_CHARACTER))
        heading = alt.Title(
            title[0] if len(title) == 1 else title,
            subtitle=printable(panel.note),
            subtitleColor=GREY,
            limit=width,
        )
        return alt.LayerChart(layer=list(self._layers())).properties(
            width=width, height=height, title=heading, name=f"panel_{self.place}"
        )

    def _layers(self) -> Iterator[alt.Chart]:
        panel = self.panel
        if panel.dots:
            yield self._weighed(self._base("dots"))
        width = LINE if len(self.legend.labels) <= FEW_RUNS else THIN
        lines = self._base("lines")
        if panel.is_stepped:
            yield lines.mark_line(strokeWidth=width, interpolate="step-after")
        else:
            yield lines.mark_line(strokeWidth=width)
        if panel.points:
            yield from self._ends(self._base("points"))
        yield from self._rules()
        if panel.notice:
            yield self._notice()
        elif self.hover:
            yield self._nearest(self._base("dots" if panel.dots else "lines"))

    def _base(self, kind: str) -> alt.Chart:
        import altair as alt

        named = alt.Chart(alt.NamedData(f"{kind}_{self.place}"))
        base: alt.Chart = named.encode(x=self._x(), y=self._y(), **self.legend.channels())
        return base

    def _x(self) -> alt.X:
        import altair as alt

        axis = self.panel.x
        return alt.X(
            "x:Q",
            sort=None,  # the rows stand in order; at equal places theirs is the right one
            scale=scale(axis, TICKS_ACROSS),
            title=axis.title or None,
            axis=marked(axis, TICKS_ACROSS),
        )

    def _y(self, column: str = "value") -> alt.Y:
        import altair as alt

        axis, height = self.panel.y, self.panel.size[1]
        ticks = max(TICKS_UP, height // PIXELS_PER_TICK)
        return alt.Y(
            f"{column}:Q",
            scale=scale(axis, ticks),
            title=axis.title or None,
            axis=marked(axis, ticks, titleLimit=height),
        )

    def _weighed(self, base: alt.Chart) -> alt.Chart:
        """A dot a batch, as large as it weighs; fainter where many runs lie over one another."""
        import altair as alt

        few = len(self.legend.labels) <= FEW_RUNS
        opacity = BOLD_DOTS if few else FAINT_DOTS
        heaviest = max((weight for each in self.panel.dots for weight in each.weight), default=0.0)
        shares = alt.Scale(domain=[0, heaviest or 1.0], range=list(DOTS))
        dots: alt.Chart = base.mark_point(filled=True, opacity=opacity, strokeWidth=0).encode(
            size=alt.Size("weight:Q", scale=shares, legend=None)
        )
        return dots

    def _ends(self, base: alt.Chart) -> Iterator[alt.Chart]:
        """A diamond with its interval; a triangle where that goes on beyond the axis."""
        import altair as alt

        base = base.encode(strokeDash=alt.value([1, 0]))
        yield base.mark_rule(strokeWidth=1.5).encode(y=self._y("low"), y2="high:Q")
        yield base.mark_point(filled=True, size=80, shape="diamond", opacity=1)
        for end, shape in (("above", "triangle-up"), ("below", "triangle-down")):
            if any(end in row for row in self.data[f"points_{self.place}"]):
                cut = base.transform_filter(f"isValid(datum.{end})")
                mark = cut.mark_point(filled=True, size=30, shape=shape, opacity=1)
                yield mark.encode(y=self._y(end))

    def _rules(self) -> Iterator[alt.Chart]:
        """Thin lines at 0 of either axis where it lies inside, and at the panel's own place."""
        import altair as alt

        line = alt.Chart(alt.NamedData(ORIGIN)).mark_rule(color=GREY, strokeWidth=0.8)
        if _holds_zero(self.panel.x):
            yield line.encode(x=alt.XDatum(0))
        if _holds_zero(self.panel.y):
            yield line.encode(y=alt.YDatum(0))
        if self.panel.rule is not None:
            at, words = self.panel.rule
            end = self.panel.x.high
            left = end is not None and at > 0.6 * end  # the words stand where there is room
            align, aside = ("right", -5) if left else ("left", 5)
            placed = line.encode(x=alt.XDatum(at))
            text = placed.mark_text(align=align, dx=aside, color=GREY, fontSize=11, text=words)
            yield placed
            yield text.encode(y=alt.value(8))

    def _notice(self) -> alt.Chart:
        """Words in the middle of a panel that has nothing to draw."""
        import altair as alt

        width, height = self.panel.size
        words = alt.Chart(alt.NamedData(ORIGIN)).mark_text(
            color=GREY, fontSize=13, text=self.panel.notice
        )
        centred: alt.Chart = words.encode(x=alt.value(width / 2), y=alt.value(height / 2))
        return centred

    def _nearest(self, base: alt.Chart) -> alt.Chart:
        """What is nearest to the pointer, with a tooltip that has the run's full name."""
        import altair as alt

        # Named, since Altair would number it through the life of the process.
        nearest = alt.selection_point(
            name=f"nearest_{self.place}",
            nearest=True,
            on="pointermove",
            clear="pointerout",
            empty=False,
        )
        points: alt.Chart = (
            base.mark_point(filled=True, size=60, tooltip=alt.ExprRef(self._tooltip()))
            .encode(opacity=alt.when(nearest).then(alt.value(1)).otherwise(alt.value(0)))
            .add_params(nearest)
        )
        return points

    def _tooltip(self) -> str:
        """The tooltip's lines, as a Vega expression.

        The pointer is over a Voronoi cell, which holds the row as its own ``datum``. Vega-Lite's
        tooltip channel forgets that for text and would show "undefined".
        """
        row, panel = "(datum.datum || datum)", self.panel
        name = self.legend.title or "line"
        lines = {name: f"{row}.run"}
        if not panel.x.names:
            lines[printable(panel.x.title) or "at"] = f"format({row}.x, ',.4~f')"
        measure = printable(panel.y.title or panel.note or panel.title)
        lines[measure] = f"format({row}.value, '.4~f')"
        if panel.dots:
            lines["weight"] = f"format({row}.weight, '.4~f')"
        shown = ", ".join(f"{json.dumps(key)}: {line}" for key, line in lines.items())
        return f"{{{shown}}}"


def scale(axis: Axis, ticks: int) -> alt.Scale:
    """An axis's ends; those that are not fixed hold every value and 0."""
    import altair as alt

    if axis.low is None or axis.high is None:
        return alt.Scale(zero=True, nice=True)
    nice = ticks if axis.is_rounded else False
    return alt.Scale(domain=[axis.low, axis.high], nice=nice, zero=False)


def marked(axis: Axis, ticks: int, **more: Any) -> alt.Axis:
    """An axis's numbers, or names instead of them."""
    import altair as alt

    if axis.names:
        words = json.dumps(dict(zip(map(str, axis.ticks), axis.names, strict=True)))
        label = f"{words}[format(datum.value, '.1f')]"
        return alt.Axis(values=list(axis.ticks), labelExpr=label, grid=False, **more)
    values = list(axis.ticks)
    if axis.is_whole and axis.high is not None:
        values = values or [each for each in round_ticks(axis.high, ticks) if each == int(each)]
        more |= {"format": "d"}
    if values:
        return alt.Axis(values=values, **more)
    return alt.Axis(tickCount=ticks, **more)


def _holds_zero(axis: Axis) -> bool:
    return axis.low is not None and axis.high is not None and axis.low < 0 < axis.high


def in_lines(name: str, width: int) -> list[str]:
    """A long name in lines, broken after commas where that is possible."""
    lines = [""]
    for piece in re.findall(r"[^,]*,|[^,]+", name):
        if lines[-1] and len(lines[-1]) + len(piece) > width:
            lines.append("")
        lines[-1] += piece
    return lines


def rounded(value: float | None) -> float | None:
    """Six digits are more than a picture can show; what is undefined is null in JSON."""
    return None if value is None or math.isnan(value) else float(f"{value:.6g}")
