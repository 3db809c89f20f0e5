"""Trends as panels, for page and picture: the batches as dots, their lines, the end points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tseval.core.panels import (
    BATCH_KEYS,
    Axis,
    Dots,
    Keys,
    Known,
    Line,
    Panel,
    Picture,
    Point,
    reached,
)
from tseval.families.filtering.index import TrendIndex
from tseval.families.filtering.metrics import BOUNDS, LOWER_IS_BETTER
from tseval.families.filtering.trend_tables import every_batch, fits, ranking
from tseval.tables.times import UNITS

if TYPE_CHECKING:
    import pandas as pd

    Asked = Sequence[tuple[str, str]]

TITLE = "Filtering over time"
NOTE = "each batch, and the trend that is fitted to a run's batches"
PLACE_KEYS: Keys = (("end", "the place of a run"),)
SIZE, RANKING_SIZE = (620, 300), (230, 300)
NO_BATCH, NO_TREND = "no usable batch", "fewer than 3 usable batches: no trend"
SIDES = {"usual score": "usual_place", "end point": "place"}
"""The two rankings, by the columns of `ranking`."""


def trend_picture(index: TrendIndex, asked: Asked, signature: str) -> Picture:
    """A panel a metric and length of batches; of several runs beside it how two rankings differ."""
    places = ranking(index, asked)
    panels = []
    for (metric, length), panel in zip(asked, trend_panels(index, asked, index.runs), strict=True):
        panels.append(panel)
        if len(index.runs) > 1:
            own = places[(places["metric"] == metric) & (places["batch"] == length)]
            panels.append(_ranking(own, index.runs))
    columns = 2 if len(index.runs) > 1 else 1
    return Picture(TITLE, signature, index.runs, tuple(panels), columns, NOTE)


def trend_panels(index: TrendIndex, asked: Asked, runs: Sequence[str]) -> Iterator[Panel]:
    """A panel a metric and length of batches; a run is its place in `runs`."""
    frame, lines = every_batch(index, asked), fits(index, asked)
    for metric, length in asked:
        rows = frame[(frame["measure"] == metric) & (frame["length"] == length)]
        fitted = lines[(lines["metric"] == metric) & (lines["batch"] == length)]
        yield _trend(rows, fitted, runs)


def _trend(rows: pd.DataFrame, fitted: pd.DataFrame, runs: Sequence[str]) -> Panel:
    """The dots, the lines and the end points with their intervals, by days."""
    first, day = rows["start"].min(), UNITS["d"]
    days = ((rows["start"] + rows["end"]) / 2 - first) / day
    own = rows.assign(place=days)
    lines, dots = _marks(own, runs)
    ends = zip(*(_column(fitted[name]) for name in ("end", "end_low", "end_high")), strict=True)
    points = tuple(
        Point(at, days.max(), end, low, high)
        for at, (end, low, high) in zip(map(runs.index, fitted["run"]), ends, strict=True)
        if end is not None
    )
    values = [*own["value"], *own["trend"], *(each.value for each in points)]
    intervals = [end for each in points for end in (each.low, each.high)]
    bottom, top = reached(map(known, values), intervals, (0.0, 1.0))
    metric, length = str(rows["measure"].iloc[0]), rows["length"].iloc[0]
    least, most = (end if math.isfinite(end) else None for end in BOUNDS.get(metric, (0.0, 1.0)))
    return Panel(
        f"{metric} in batches of {length}",
        "lower is better" if metric in LOWER_IS_BETTER else "higher is better",
        Axis("days since the period's start", 0.0, float((rows["end"].max() - first) / day)),
        lines,
        Axis(metric, bottom, top),
        is_stepped=False,
        dots=dots,
        points=points,
        keys=BATCH_KEYS,
        possible=(least, most),
        notice=("" if points else NO_TREND) if rows["usable"].any() else NO_BATCH,
        size=SIZE,
    )


def _marks(rows: pd.DataFrame, runs: Sequence[str]) -> tuple[tuple[Line, ...], tuple[Dots, ...]]:
    """The trend and the batches of every run, each batch at its `place`."""
    lines, dots = [], []
    for run, own in rows.groupby("run", sort=False):
        at, places = runs.index(str(run)), tuple(own["place"].tolist())
        used = own.loc[own["usable"], "place"]
        lines.append(_straight(Line(at, places, _column(own["trend"])), used.max()))
        dots.append(Dots(at, places, _column(own["value"]), tuple(own["weight"].tolist())))
    return tuple(sorted(lines)), tuple(sorted(dots))


def _straight(line: Line, until: float) -> Line:
    """A trend by its two ends: it is one of batches by number, and a last one may be short."""
    pairs = zip(line.x, line.value, strict=True)
    found = [(x, value) for x, value in pairs if value is not None]
    ends = [found[0], found[-1]] if found else []
    x, values = tuple(x for x, _ in ends), tuple(value for _, value in ends)
    return Line(line.run, x, values, until=until if x and until < x[-1] else None)


def _ranking(rows: pd.DataFrame, runs: Sequence[str]) -> Panel:
    """The place of each run by the usual score and by its end point, joined by a line."""
    sides = (1.0, 2.0)
    lines, points = [], []
    columns = (rows[column].astype(float) for column in SIDES.values())
    for name, *both in zip(rows["run"], *columns, strict=True):
        run, places = runs.index(name), tuple(map(known, both))
        lines.append(Line(run, sides, places))
        points += [
            Point(run, side, place)
            for side, place in zip(sides, places, strict=True)
            if place is not None
        ]
    last = max((each.value for each in points), default=1.0)
    tau = float(rows["tau"].iloc[0])
    return Panel(
        "ranking",
        f"Kendall's tau {tau:.2f}" if tau == tau else "no Kendall's tau",
        Axis(low=0.7, high=2.3, ticks=sides, names=tuple(SIDES)),
        tuple(sorted(lines)),
        Axis("place", last + 0.5, 0.5, is_whole=True, ticks=tuple(range(1, int(last) + 1))),
        is_stepped=False,
        points=tuple(sorted(points)),
        keys=PLACE_KEYS,
        size=RANKING_SIZE,
    )


def _column(values: pd.Series[float]) -> Known:
    return tuple(map(known, values.tolist()))


def known(value: Any) -> Any:
    """The value; None for one that is undefined."""
    return None if value != value else value
