"""Measures over time, drawn: one panel a measure, one line a run.

The curves arrive finished. This module picks the panels, thins lines that have more steps
than the paper has dots, and hands an Altair chart to vl-convert, which draws without a
browser and without a network. Values are rounded to six digits for drawing; whoever wants
the exact ones writes the curve as CSV.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

from tseval.reporting.charts.drawing import (
    LINE,
    Frame,
    drawn,
    notice,
    panel,
    rounded,
    rule,
)
from tseval.reporting.charts.legend import Legend, printable
from tseval.reporting.charts.steps import step_points

if TYPE_CHECKING:
    import altair as alt
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Point: TypeAlias = dict[str, Any]

MEAN = "all"
"""The topic that stands for the mean over topics."""

VALUE_TICKS = 5  # of axes and their rounding alike, so that each ends on a label
DAYS_FROM = 14 * 24  # hours; a longer span is read in days
DOTS_PER_PIXEL = 2  # PNG is drawn at scale 2, and so are many screens
NO_CURVE = "no curve to draw"


@dataclass(frozen=True, slots=True)
class MeasureAxis:
    """How the axis of one measure reads.

    ``bounds`` fixes the axis. Without it R and Rs get 0 to 1, P at least that, and every
    other measure the range of its values with 0 inside.
    """

    title: str = ""
    unit: str = ""
    higher_is_better: bool | None = None
    bounds: tuple[float, float] | None = None
    pooled: bool = False
    """Whether `all` is no mean over topics, but that of all of them together."""


@dataclass(frozen=True, slots=True)
class CurveAxes:
    """One pair of axes: whose values it shows, and where it stands."""

    topic: str
    measure: str
    values: tuple[float, float]
    foot: bool
    place: int

    @property
    def name(self) -> str:
        """What the specification calls the panel and its data."""
        return f"panel_{self.place}"


@dataclass(frozen=True, eq=False)  # frames don't compare to one truth
class CurveChart:
    """Step functions of time, and the words around them.

    ``frame`` has the columns ``run topic measure hours value``. A value holds from just
    after its ``hours`` until the next row of the same run, topic and measure, and the last
    one to the end of the axis; NaN says that the measure is undefined from there. Rows of
    one curve may stand in any order; of two at the same hour the later row holds. Runs,
    topics and measures are drawn in the order in which they first appear, the mean last.
    """

    frame: pd.DataFrame
    signature: str
    title: str = "Measures over time"
    axes: Mapping[str, MeasureAxis] = field(default_factory=dict)

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """Every run, also one that is undefined throughout."""
        return tuple(map(str, self.frame["run"].unique()))

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """Every measure: a panel each."""
        return tuple(map(str, self.frame["measure"].unique()))

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """Every topic: a row of panels each, the mean last."""
        topics = tuple(map(str, self.frame["topic"].unique()))
        return tuple(sorted(topics, key=lambda topic: topic == MEAN))

    @cached_property
    def span(self) -> tuple[float, float]:
        """The hours that the axis covers.

        From the topic's start, or earlier if a value is; to a little after the last step,
        which would otherwise end in a bare riser. An empty chart covers one hour.
        """
        hours = numbers(self.frame["hours"])
        start, end = float(hours.min(initial=0.0)), float(hours.max(initial=0.0))
        return start, end + (0.03 * (end - start) or 1.0)

    def axis(self, measure: str) -> MeasureAxis:
        """The axis asked for, with 0 to 1 filled in for the shares R and Rs."""
        axis = self.axes.get(measure, MeasureAxis())
        if axis.bounds is None and base_name(measure) in {"R", "Rs"}:
            return replace(axis, bounds=(0.0, 1.0))
        return axis

    @cached_property
    def in_days(self) -> bool:
        """Whether the axis counts days: hours get hard to read after a fortnight."""
        return self.span[1] - self.span[0] > DAYS_FROM

    @cached_property
    def panels(self) -> tuple[CurveAxes, ...]:
        """The panels in reading order; without rows one empty one.

        Those with none below them name the time axis.
        """
        ranges = {measure: value_range(self, measure) for measure in self.measures}
        cells = [(topic, measure) for topic in self.topics for measure in self.measures]
        feet = len(cells) - layout(self)[0]
        return tuple(
            CurveAxes(topic, measure, ranges[measure], place >= feet, place)
            for place, (topic, measure) in enumerate(cells)
        ) or (CurveAxes("", "", (0.0, 1.0), True, 0),)

    @cached_property
    def lines(self) -> Mapping[tuple[str, str], Mapping[str, tuple[Floats, Floats]]]:
        """Hours and values of every run of a topic and measure, in order of time."""
        lines: dict[tuple[str, str], dict[str, tuple[Floats, Floats]]] = {}
        rows = self.frame.sort_values("hours", kind="stable")
        for key, line in rows.groupby(["topic", "measure", "run"], sort=False, observed=True):
            topic, measure, run = map(str, key)
            steps = numbers(line["hours"]), numbers(line["value"])
            lines.setdefault((topic, measure), {})[run] = steps
        return lines

    def values(self, measure: str) -> Floats:
        """Every value that is drawn of a measure, for its axis to cover."""
        return numbers(self.frame.loc[self.frame["measure"] == measure, "value"])

    def points(self, panel: CurveAxes, legend: Legend, hover: bool) -> list[Point]:
        """The rows that a panel draws; with ``hover`` the run's full name in each."""
        return panel_points(self, panel, legend, hover)

    def marks(self, base: alt.Chart, panel: CurveAxes) -> list[alt.Chart]:  # noqa: ARG002
        """What is drawn of these rows: a step line a run."""
        return [base.mark_line(interpolate="step-after", strokeWidth=LINE)]


def draw_curves(curves: CurveChart, form: str) -> bytes:
    """Draw the curves, as ``form``; the same curves give the same bytes.

    The exception is PDF: its writer numbers the fonts in no fixed order. No rows at all give
    a picture that says so. The page is one file that loads nothing.

    Raises:
        ValueError: ``form`` is none of :data:`FORMS`.
        MissingExtra: Altair or vl-convert isn't installed.

    """
    return drawn(partial(specification, curves), curves.title, curves.signature, form)


def specification(curves: CurveChart, hover: bool) -> dict[str, Any]:
    """The Vega-Lite specification of the whole chart, data included."""
    import altair as alt

    legend = Legend.of(curves.runs, rows=legend_rows(curves))
    columns, width, _ = layout(curves)
    points = {axes: curves.points(axes, legend, hover) for axes in curves.panels}
    panels = alt.concat(
        *(panel_chart(curves, axes, points[axes], legend, hover) for axes in points),
        columns=columns,
        spacing=24,
    )
    topic = only_topic(curves) if len(curves.topics) == 1 else ""
    frame = Frame(curves.title, curves.signature, columns * width, topic)
    return frame.around(panels, {axes.name: rows for axes, rows in points.items()}, hover)


def layout(curves: CurveChart) -> tuple[int, int, int]:
    """Panels side by side, and the width and height of each.

    One topic: measures stacked, from three on in two columns. Several: a row a topic, a
    column a measure, so that the eye can run down a measure.
    """
    measures = len(curves.measures)
    if len(curves.topics) <= 1:
        return (2, 400, 220) if measures > 2 else (1, 640, 240)
    return max(1, measures), max(220, min(640, 900 // max(1, measures))), 150


def value_range(curves: CurveChart, measure: str) -> tuple[float, float]:
    """The values that a measure's axis covers, the same for all topics."""
    import numpy as np

    bounds = curves.axis(measure).bounds
    if bounds is not None:
        return bounds
    values = curves.values(measure)
    values = values[np.isfinite(values)]
    low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    if base_name(measure) == "P" or low == high:
        high = max(1.0, high)
    return low, high


def numbers(column: pd.Series[float]) -> Floats:
    """A column as plain floats, whichever way it says that a value is missing."""
    import numpy as np

    return np.asarray(column.to_numpy(na_value=np.nan), dtype=np.float64)


def base_name(measure: str) -> str:
    """The measure's name without its parameters and time: ``P`` of ``P(cost=1)@6h``."""
    return re.split(r"[(@]", measure, maxsplit=1)[0]


def panel_points(curves: CurveChart, panel: CurveAxes, legend: Legend, hover: bool) -> list[Point]:
    """The rows that a panel draws; with ``hover`` the run's full name in each."""
    lines = curves.lines.get((panel.topic, panel.measure), {})
    points: list[Point] = []
    for run in curves.runs:  # in one order everywhere, so that lines overlap alike
        names = {"label": legend.labels[run]} | ({"run": printable(run)} if hover else {})
        steps = drawn_steps(curves, lines[run]) if run in lines else ()
        points += [names | {"time": time, "value": value} for time, value in steps]
    return points


def drawn_steps(
    curves: CurveChart, line: tuple[Floats, Floats]
) -> Iterator[tuple[float | None, float | None]]:
    """One line's points in the axis's unit: at most six digits, an undefined value null."""
    unit = 24.0 if curves.in_days else 1.0
    dots = layout(curves)[1] * DOTS_PER_PIXEL
    hours, values = step_points(*line, curves.span, dots)
    return zip(map(rounded, (hours / unit).tolist()), map(rounded, values.tolist()), strict=True)


def panel_chart(
    curves: CurveChart, axes: CurveAxes, points: list[Point], legend: Legend, hover: bool
) -> alt.LayerChart:
    """One panel: its lines, and where there are none a word that says so."""
    import altair as alt

    size = layout(curves)[1:]
    base = alt.Chart(alt.NamedData(axes.name)).encode(
        x=time_channel(curves, axes), y=value_channel(curves, axes), **legend.channels()
    )
    layers = [*curves.marks(base, axes), *zero_rules(curves, axes)]
    if all(point["value"] is None for point in points):
        layers.append(notice("undefined at every time" if points else NO_CURVE, size))
    elif hover:
        layers.append(nearest_point(base, curves, axes))
    return panel(layers, size, *heading(curves, axes), name=axes.name)


def time_channel(curves: CurveChart, panel: CurveAxes) -> alt.X:
    """The time axis, the same in every panel; only the lowest ones name it."""
    import altair as alt

    unit, hours = ("days", 24.0) if curves.in_days else ("hours", 1.0)
    return alt.X(
        "time:Q",
        sort=None,  # the rows stand in order; at equal times theirs is the right one
        scale=alt.Scale(domain=[edge / hours for edge in curves.span], nice=False),
        title=f"{unit} since the topic's start" if panel.foot else None,
        axis=alt.Axis(tickCount=8),
    )


def value_channel(curves: CurveChart, panel: CurveAxes, column: str = "value") -> alt.Y:
    """The measure's axis, named with its unit."""
    import altair as alt

    axis = curves.axis(panel.measure)
    fixed = axis.bounds is not None
    return alt.Y(
        f"{column}:Q",
        scale=alt.Scale(
            domain=list(panel.values), nice=False if fixed else VALUE_TICKS, zero=False
        ),
        title=f"{panel.measure} [{axis.unit}]" if axis.unit else panel.measure,
        axis=alt.Axis(tickCount=VALUE_TICKS, titleLimit=layout(curves)[2]),
    )


def heading(curves: CurveChart, panel: CurveAxes) -> tuple[str, str]:
    """What the panel shows and, in the first row, which way is better."""
    axis = curves.axis(panel.measure)
    better = {True: "higher is better", False: "lower is better", None: ""}
    notes = [note for note in (better[axis.higher_is_better], axis.title) if note]
    topic = "all topics" if axis.pooled and panel.topic == MEAN else topic_name(panel.topic)
    words = [panel.measure] if len(curves.topics) < 2 else [topic, panel.measure]
    first_row = panel.place < max(layout(curves)[0], len(curves.measures))
    return printable(" · ".join(words)), printable(" · ".join(notes)) if first_row else ""


def only_topic(curves: CurveChart) -> str:
    """The one topic of all panels, as their common heading names it."""
    pooled = [curves.axis(measure).pooled for measure in curves.measures]
    if curves.topics[0] != MEAN or not any(pooled):
        return topic_name(curves.topics[0])
    return "all topics" if all(pooled) else "all topics, or the mean over them"


def topic_name(topic: str) -> str:
    """A topic as a heading names it."""
    return "mean over topics" if topic == MEAN else f"topic {topic}"


def zero_rules(curves: CurveChart, panel: CurveAxes) -> list[alt.Chart]:
    """A thin line at the topic's start and at value 0 where they lie inside the panel."""
    import altair as alt

    origin = rule()
    rules = []
    if curves.span[0] < 0:
        rules.append(origin.encode(x=alt.XDatum(0)))
    if panel.values[0] < 0 < panel.values[1]:
        rules.append(origin.encode(y=alt.YDatum(0)))
    return rules


def nearest_point(base: alt.Chart, curves: CurveChart, panel: CurveAxes) -> alt.Chart:
    """The step nearest to the pointer, with a tooltip that has the run's full name."""
    import altair as alt

    # Named, since Altair would number it through the life of the process.
    nearest = alt.selection_point(
        name=f"nearest_{panel.place}",
        nearest=True,
        on="pointermove",
        clear="pointerout",
        empty=False,
    )
    points: alt.Chart = (
        base.mark_point(filled=True, size=60, tooltip=alt.ExprRef(tooltip(curves, panel)))
        .encode(opacity=alt.when(nearest).then(alt.value(1)).otherwise(alt.value(0)))
        .add_params(nearest)
    )
    return points


def tooltip(curves: CurveChart, panel: CurveAxes) -> str:
    """The tooltip's lines, as a Vega expression.

    The pointer is over a Voronoi cell, which holds the step's row as its own ``datum``.
    Vega-Lite's tooltip channel forgets that for text and would show "undefined".
    """
    row = "(datum.datum || datum)"
    lines = {
        "run": f"{row}.run",
        "days" if curves.in_days else "hours": f"format({row}.time, ',.2f')",
        panel.measure: f"format({row}.value, '.4f')",
    }
    shown = ", ".join(f"{json.dumps(name)}: {line}" for name, line in lines.items())
    return f"{{{shown}}}"


def legend_rows(curves: CurveChart) -> int:
    """How many runs fit beside the panels, one under the other."""
    columns, _, height = layout(curves)
    panels_down = -(-len(curves.topics) * len(curves.measures) // columns)
    return max(10, panels_down * height // 20)
