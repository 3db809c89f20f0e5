"""Measures batch by batch, drawn with the line through them: one panel a measure.

A dot is a batch, as large as it weighs. The line ends in a diamond at the period's last batch; the
interval in which this end point lies stands at its right, each run's a little aside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tseval.reporting.charts.curves import (
    CurveAxes,
    CurveChart,
    MeasureAxis,
    numbers,
    value_channel,
)
from tseval.reporting.charts.drawing import LINE as WIDTH
from tseval.reporting.charts.drawing import batches as batch_dots
from tseval.reporting.charts.drawing import end_points, intervals, rounded
from tseval.reporting.charts.legend import Legend, printable

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

    from tseval.reporting.charts.curves import Floats, Point

BATCH, LINE, END, INTERVAL = "batch", "line", "end", "interval"
ABOVE, BELOW = "above", "below"
"""What a row of a panel is drawn as."""
DOTS = (10, 240)
"""The areas of the smallest dot and the largest."""
REACH = 0.5
"""Intervals may stretch an axis by this share of it at each side; a triangle says there is more."""
MARGIN = 0.03
"""The room at the right for the intervals."""


@dataclass(frozen=True, eq=False)
class TrendChart(CurveChart):
    """Batches and lines, and the words around them.

    ``frame`` has the columns ``run topic measure hours value weight``, a row for each batch;
    ``batch`` is how many hours each lasts. ``trends`` has ``run topic measure from_hours to_hours
    from_value to_value low high``, a row for each line; without it dots alone are drawn.
    """

    batch: float = 0.0
    trends: pd.DataFrame | None = None

    @cached_property
    def span(self) -> tuple[float, float]:
        """From the topic's start to a little after the last batch, where the intervals stand."""
        end = float(numbers(self.frame["hours"]).max(initial=0.0)) + (self.batch or 1.0)
        return 0.0, end * (1 + MARGIN)

    def axis(self, measure: str) -> MeasureAxis:
        """The axis asked for; shares of a batch are small, so none is drawn from 0 to 1."""
        return self.axes.get(measure, MeasureAxis())

    def values(self, measure: str) -> Floats:
        """What batches and lines have, and the intervals as far as they don't dwarf these."""
        import numpy as np

        shown = super().values(measure)
        if self.trends is None:
            return shown
        lines = self.trends[self.trends["measure"] == measure]
        shown = np.concatenate([shown, *(numbers(lines[f"{end}_value"]) for end in ("from", "to"))])
        known = shown[np.isfinite(shown)]
        if not len(known):
            return shown
        low, high = known.min(), known.max()
        reach = REACH * (high - low)
        edges = np.concatenate([numbers(lines["low"]), numbers(lines["high"])])
        return np.concatenate([shown, np.clip(edges, low - reach, high + reach)])

    def points(self, panel: CurveAxes, legend: Legend, hover: bool) -> list[Point]:
        """The batches that are defined and weigh something, and the two ends of the line."""
        batches = _by_run(self.frame, panel)
        lines = {} if self.trends is None else _by_run(self.trends, panel)
        points: list[Point] = []
        for place, run in enumerate(self.runs, start=1):
            names = {"label": legend.labels[run]} | ({"run": printable(run)} if hover else {})
            aside = place / (len(self.runs) + 1)
            line = _line(lines.get(run), panel, self.span[1], aside)
            rows = [*_dots(batches.get(run), self.batch), *line]
            points += [names | self._placed(row) for row in rows]
        return points

    def _placed(self, row: Point) -> Point:
        """A row in the axis's unit of time, its numbers short."""
        unit = 24.0 if self.in_days else 1.0
        row = row | {"time": row["time"] / unit}
        return {
            key: value if isinstance(value, str) else rounded(value) for key, value in row.items()
        }

    def marks(self, base: alt.Chart, panel: CurveAxes) -> list[alt.Chart]:
        """Dots, lines, and end points with their intervals."""
        import altair as alt

        weight = alt.Size(
            "weight:Q", scale=alt.Scale(domain=[0, self._heaviest], range=list(DOTS)), legend=None
        )
        one_kind = base.transform_filter(f"datum.kind === '{BATCH}'")
        dots = batch_dots(one_kind, weight, runs=len(self.runs))
        if self.trends is None:
            return [dots]
        line, ends, reach, above, below = (
            base.transform_filter(f"indexof({kinds}, datum.kind) >= 0")
            for kinds in ([LINE, END], [END], [INTERVAL], [ABOVE], [BELOW])
        )
        return [
            dots,
            line.mark_line(strokeWidth=WIDTH),
            intervals(reach, value_channel(self, panel, "low")),
            end_points(ends),
            above.mark_point(filled=True, size=30, shape="triangle-up", opacity=1),
            below.mark_point(filled=True, size=30, shape="triangle-down", opacity=1),
        ]

    @property
    def _heaviest(self) -> float:
        return float(numbers(self.frame["weight"]).max(initial=0.0)) or 1.0


def _by_run(frame: pd.DataFrame, panel: CurveAxes) -> Mapping[str, pd.DataFrame]:
    """The rows of a panel, run by run."""
    rows = frame[(frame["topic"] == panel.topic) & (frame["measure"] == panel.measure)]
    return {str(run): own for run, own in rows.groupby("run", sort=False, observed=True)}


def _dots(batches: pd.DataFrame | None, length: float) -> Iterator[Point]:
    """A row for each batch that is defined and weighs something, in its middle."""
    if batches is None:
        return
    known = batches[batches["value"].notna() & (batches["weight"] > 0)]
    for hours, value, weight in zip(known["hours"], known["value"], known["weight"], strict=True):
        yield {"kind": BATCH, "time": hours + length / 2, "value": value, "weight": weight}


def _line(
    lines: pd.DataFrame | None, panel: CurveAxes, edge: float, aside: float
) -> Iterator[Point]:
    """Both ends of a run's line, and the interval of the last; nothing where there is no line."""
    if lines is None or lines["to_value"].isna().any():
        return
    line: Any = next(lines.itertuples(index=False))
    yield {"kind": LINE, "time": line.from_hours, "value": line.from_value}
    yield {"kind": END, "time": line.to_hours, "value": line.to_value}
    if line.low <= line.high:
        place = line.to_hours + aside * (edge - line.to_hours)
        yield from _interval(line.low, line.high, panel.values, {"time": place})


def _interval(low: float, high: float, shown: tuple[float, float], at: Point) -> Iterator[Point]:
    """As much of an interval as the axis shows, and where it goes on."""
    ends = {"low": max(low, shown[0]), "high": min(high, shown[1])}
    yield {"kind": INTERVAL, "value": ends["high"]} | ends | at
    if high > shown[1]:
        yield {"kind": ABOVE, "value": shown[1]} | at
    if low < shown[0]:
        yield {"kind": BELOW, "value": shown[0]} | at
