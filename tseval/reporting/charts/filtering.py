"""Trends over time, drawn: the batches as dots, their lines, the end points, and the rankings.

Everything arrives finished, as the frames of `tseval filter --show` have it. A panel a metric and
length of batches; with several runs, beside it, how the ranking by end points differs from the
usual one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

from tseval.families.filtering.reports import FilterChart
from tseval.reporting.charts.drawing import (
    LINE,
    Frame,
    batches,
    drawn,
    end_points,
    intervals,
    notice,
    panel,
    rounded,
)
from tseval.reporting.charts.legend import Legend

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

    Point: TypeAlias = dict[str, Any]

TITLE = "Filtering over time"
NOTE = (
    "dots: batches, larger with more weight; lines: trends; at the right end: the end points with "
    "their 95 % intervals"
)
WIDTH, HEIGHT = 620, 300
RANKS = 230
"""How wide the panel of rankings is."""
SMALLEST, LARGEST = 6, 220
"""The areas of the dots of the lightest and the heaviest batch."""
APART, ENDS = 0.018, 0.2
"""How far apart the end points of two runs stand, and all at most, as shares of the axis."""
TICKS = 12
"""How many days the axis names at most."""
DAY = 86400.0
PADDING = 0.04


def draw(chart: FilterChart, form: str) -> bytes:
    """Draw the chart as ``form``, one of :data:`FORMS`.

    Raises:
        MissingExtra: Altair or vl-convert isn't installed.

    """
    return drawn(partial(specification, chart), TITLE, chart.signature, form)


def specification(chart: FilterChart, hover: bool) -> dict[str, Any]:
    """The Vega-Lite specification of the whole chart, data included."""
    import altair as alt

    legend = Legend.of(chart.runs, rows=max(10, HEIGHT // 20))
    rows: list[alt.HConcatChart] = []
    data: dict[str, list[Point]] = {}
    for place, (metric, length) in enumerate(chart.panels):
        axes = TrendAxes(chart, place, metric, length, legend)
        row: list[alt.LayerChart] = [axes.trend(hover=hover)]
        if chart.ranked:
            row.append(axes.ranks())
        rows.append(alt.hconcat(*row, spacing=40))
        data |= axes.datasets()
    # The weights of a panel are shares: those of short batches would be dust beside long ones.
    panels = alt.vconcat(*rows, spacing=28).resolve_scale(size="independent")
    width = WIDTH + (RANKS + 40 if chart.ranked else 0)
    return Frame(TITLE, chart.signature, width, NOTE).around(panels, data, hover)


@dataclass(frozen=True, eq=False)
class TrendAxes:
    """One metric in batches of one length."""

    chart: FilterChart
    place: int
    metric: str
    length: str
    legend: Legend

    @cached_property
    def batches(self) -> pd.DataFrame:
        """Its batches, with the days since the period's start at which each has its middle."""
        frame = self.chart.batches
        own = frame[(frame["measure"] == self.metric) & (frame["length"] == self.length)]
        middle = (own["start"] + own["end"]) / 2 - own["start"].min()
        return own.assign(days=middle / DAY)

    @cached_property
    def fits(self) -> pd.DataFrame:
        """The fits of its runs."""
        frame = self.chart.fits
        return frame[(frame["metric"] == self.metric) & (frame["batch"] == self.length)]

    @cached_property
    def ranking(self) -> pd.DataFrame:
        """The places of its runs."""
        frame = self.chart.ranking
        return frame[(frame["metric"] == self.metric) & (frame["batch"] == self.length)]

    @cached_property
    def days(self) -> tuple[float, float]:
        """What the axis of time covers: the period, and room for the end points behind it."""
        last = float((self.batches["end"].max() - self.batches["start"].min()) / DAY)
        return last, last * (1 + self.apart * (len(self.chart.runs) + 1))

    @property
    def apart(self) -> float:
        """How far apart two end points stand: less where there are many."""
        return min(APART, ENDS / len(self.chart.runs))

    @cached_property
    def values(self) -> tuple[float, float]:
        """What the axis of values covers: 0 to 1, and what lies beyond."""
        shown = [self.batches.loc[self.batches["usable"], "value"], self.fits["end"]]
        shown += [self.fits["end_low"], self.fits["end_high"], self.batches["trend"]]
        known = [each for each in shown if each.notna().any()]
        low = min((float(each.min()) for each in known), default=0.0)
        high = max((float(each.max()) for each in known), default=1.0)
        pad = PADDING * (max(high, 1.0) - min(low, 0.0))
        return min(low - pad if low < 0 else 0.0, 0.0), max(high + pad if high > 1 else 1.0, 1.0)

    def datasets(self) -> Mapping[str, list[Point]]:
        """The data of its layers, by name; six digits are more than a picture can show."""
        return {
            f"dots_{self.place}": self._dots(),
            f"lines_{self.place}": self._lines(),
            f"ends_{self.place}": self._ends(),
            f"ranks_{self.place}": self._ranks(),
        }

    def _dots(self) -> list[Point]:
        own = self.batches[self.batches["usable"]]
        columns = (own["run"], own["days"], own["value"], own["weight"])
        return [
            self._named(run) | {"days": rounded(d), "value": rounded(v), "weight": rounded(w)}
            for run, d, v, w in zip(*map(list, columns), strict=True)
        ]

    def _lines(self) -> list[Point]:
        own = self.batches[self.batches["trend"].notna()]
        edges = own.groupby("run", sort=False).nth([0, -1])
        columns = (edges["run"], edges["days"], edges["trend"])
        return [
            self._named(run) | {"days": rounded(d), "value": rounded(v)}
            for run, d, v in zip(*map(list, columns), strict=True)
        ]

    def _ends(self) -> list[Point]:
        points = []
        for place, row in enumerate(self.fits.to_dict("records")):
            days = self.days[0] * (1 + self.apart * (place + 0.75))
            low, high = (rounded(row[name]) for name in ("end_low", "end_high"))
            if rounded(row["end"]) is not None:
                named = self._named(row["run"]) | {"days": rounded(days)}
                points.append(named | {"value": rounded(row["end"]), "low": low, "high": high})
        return points

    def _ranks(self) -> list[Point]:
        points = []
        for side, name in (("usual score", "usual_place"), ("end point", "place")):
            own = self.ranking[self.ranking[name].notna()]
            for run, place in zip(own["run"], own[name], strict=True):
                points.append(self._named(run) | {"side": side, "rank": int(place)})
        return points

    def _named(self, run: str) -> Point:
        return {"label": self.legend.labels[str(run)]}

    def trend(self, *, hover: bool) -> alt.LayerChart:
        """The dots, the lines and the end points with their intervals."""
        import altair as alt

        axes = {"x": self._time(), "y": self._value()} | self.legend.channels()
        weight = alt.Size("weight:Q", scale=alt.Scale(range=[SMALLEST, LARGEST]), legend=None)
        dots, lines, ends = (
            alt.Chart(alt.NamedData(f"{what}_{self.place}")).encode(**axes)
            for what in ("dots", "lines", "ends")
        )
        shown = batches(dots, weight, runs=len(self.chart.runs))
        if hover:
            tips: list[Any] = [
                "label:N",
                "days:Q",
                alt.Tooltip("value:Q", format=".4f"),
                "weight:Q",
            ]
            shown = shown.encode(tooltip=tips)
        layers = [
            shown,
            lines.mark_line(strokeWidth=LINE),
            intervals(ends, self._value("low")),
            end_points(ends),
        ]
        if not self._dots():
            layers.append(notice("no usable batch", (WIDTH, HEIGHT)))
        elif not self._ends():
            layers.append(notice("fewer than 3 usable batches: no trend", (WIDTH, HEIGHT)))
        return panel(layers, (WIDTH, HEIGHT), f"{self.metric} in batches of {self.length}")

    def _time(self) -> alt.X:
        import altair as alt

        scale = alt.Scale(domain=[0, self.days[1]], nice=False)
        axis = alt.Axis(values=ticks(self.days[0]))
        return alt.X("days:Q", scale=scale, title="days since the period's start", axis=axis)

    def _value(self, column: str = "value") -> alt.Y:
        import altair as alt

        return alt.Y(
            f"{column}:Q", scale=alt.Scale(domain=list(self.values), nice=False), title=self.metric
        )

    def ranks(self) -> alt.LayerChart:
        """The place of each run by the usual score and by its end point, joined by a line."""
        import altair as alt

        last = max((point["rank"] for point in self._ranks()), default=1)
        sides = alt.X(
            "side:N",
            sort=["usual score", "end point"],
            title=None,
            scale=alt.Scale(padding=0.3),
            axis=alt.Axis(labelAngle=0),
        )
        places = alt.Y(
            "rank:Q",
            scale=alt.Scale(domain=[last + 0.5, 0.5], nice=False),
            axis=alt.Axis(values=list(range(1, last + 1)), format="d", grid=False),
            title="place",
        )
        base = alt.Chart(alt.NamedData(f"ranks_{self.place}")).encode(
            x=sides, y=places, **self.legend.channels()
        )
        tau = float(self.ranking["tau"].iloc[0])
        told = f"Kendall's tau {tau:.2f}" if tau == tau else "no Kendall's tau"
        points = base.mark_circle(size=70, opacity=1).encode(strokeDash=alt.value([1, 0]))
        layers = [base.mark_line(strokeWidth=LINE), points]
        return panel(layers, (RANKS, HEIGHT), "ranking", told)


def ticks(last: float) -> list[float]:
    """Round numbers of days up to the last, with 1, 2 or 5 times a power of ten between them."""
    power = 10.0 ** math.floor(math.log10(last / TICKS))
    step = next(power * by for by in (1, 2, 5, 10) if last / (power * by) <= TICKS)
    return [round(step * at, 9) for at in range(int(last / step) + 1)]
