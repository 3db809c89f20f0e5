"""Measures over time as a picture: a row of panels a topic, a column a measure, one line a run.

Curves and batches arrive finished, as frames. What stands here picks the panels, thins lines that
have more steps than the paper has dots, and says what axes and headings read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from tseval.core.panels import (
    BATCH_KEYS,
    Axis,
    Dots,
    Keys,
    Line,
    Panel,
    Parts,
    Picture,
    Point,
    Rule,
    reached,
)
from tseval.records import frozen

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

MEAN = "all"
"""The topic that stands for the mean over topics."""
DAYS_FROM = 14 * 24  # hours; a longer span is read in days
DOTS_PER_PIXEL = 2  # PNG is drawn at scale 2, and so are many screens
NO_CURVE = "no curve to draw"
SHARES = {"R", "Rs"}
"""Measures whose curves are drawn from 0 to 1."""
LEAST = 1.01
"""A logarithmic axis ends at this many times its beginning at least."""
WAYS = {True: "higher is better", False: "lower is better", None: ""}


@dataclass(frozen=True, slots=True)
class MeasureAxis:
    """How the axis of one measure reads.

    Curves of R and Rs get 0 to 1, P at least that, and every other measure the range of its values
    with 0 inside.
    """

    title: str = ""
    unit: str = ""
    higher_is_better: bool | None = None
    pooled: bool = False
    """Whether `all` is no mean over topics, but that of all of them together."""
    possible: tuple[float | None, float | None] = (None, None)
    """The least and the most that it can be in a batch, where that is known."""


@frozen(kw_only=True)
class Words:
    """What is said around the panels, and the runs that were asked for."""

    runs: tuple[str, ...]
    """All of them, in the order of the legend, also where nothing of a run is drawn."""
    signature: str
    title: str = "Measures over time"
    axes: Mapping[str, MeasureAxis] = field(default_factory=dict)


class Marks(NamedTuple):
    """What is drawn of one measure in one topic."""

    lines: tuple[Line, ...]
    dots: tuple[Dots, ...] = ()
    points: tuple[Point, ...] = ()
    parts: tuple[Parts, ...] = ()
    keys: Keys = BATCH_KEYS


Cell: TypeAlias = tuple[str, str]
"""A topic and a measure."""


@frozen
class CurveWishes:
    """How curves are drawn."""

    around: Mapping[str, Marks] = field(default_factory=dict)
    """By measure, what is drawn around the mean over topics: bands and single topics, by hours."""
    until: float | None = None
    """The hour at which the axis ends; None leaves it to the curves."""
    is_log: bool = False
    """Whether equal lengths of time are equal factors."""


NO_WISHES = CurveWishes()


def curve_picture(frame: pd.DataFrame, words: Words, asked: CurveWishes | None = None) -> Picture:
    """Step functions of time.

    ``frame`` has the columns ``run topic measure hours value``. A value holds from just after its
    ``hours`` until the next row of the same run, topic and measure, and the last one to the end of
    the axis; NaN says that the measure is undefined from there. Rows of one curve may stand in any
    order; of two at the same hour the later row holds. Topics and measures are drawn in the order
    in which they first appear, the mean last.
    """
    asked = asked or NO_WISHES
    grid = Grid(frame, words, span_of(frame, asked), asked)
    lines = grid.by_cell(frame.sort_values("hours", kind="stable"))

    def of_cell(cell: Cell) -> Marks:
        own, (topic, measure) = lines.get(cell, {}), cell
        drawn = [grid.thinned(run, own[n]) for run, n in enumerate(words.runs) if n in own]
        around = asked.around.get(measure) if topic == MEAN else None
        if around is None:
            return Marks(tuple(drawn))
        bands = {each.run: each for each in around.lines}
        banded = tuple(grid.banded(each, bands.get(each.run)) for each in drawn)
        parts = tuple(p._replace(x=tuple(x / grid.unit[1] for x in p.x)) for p in around.parts)
        return Marks(banded, parts=parts, keys=around.keys)

    return grid.picture(of_cell, grid.of_curves, is_stepped=True)


def batch_picture(
    frame: pd.DataFrame, words: Words, length: float, trends: pd.DataFrame | None = None
) -> Picture:
    """A dot a batch, as large as it weighs, with the line through them and its end point.

    ``frame`` has the columns ``run topic measure hours value weight``, a row for each batch;
    ``length`` is how many hours each lasts. ``trends`` has ``run topic measure from_hours to_hours
    until_hours from_value to_value low high``, a row for each line; without it dots alone are
    drawn.
    """
    last = float(numbers(frame["hours"]).max(initial=0.0)) + (length or 1.0)
    grid = Grid(frame, words, (0.0, last))
    batches = grid.by_cell(frame)
    lines = {} if trends is None else grid.by_cell(trends[trends["to_value"].notna()])

    def of_cell(cell: Cell) -> Marks:
        dots = batches.get(cell, {})
        fitted = {run: next(own.itertuples()) for run, own in lines.get(cell, {}).items()}
        marks = Marks((), (), ())
        for run, name in enumerate(words.runs):
            if name in dots:
                known, hours = dots[name][dots[name]["value"].notna()], grid.unit[1]
                x = tuple(((numbers(known["hours"]) + length / 2) / hours).tolist())
                weight = tuple(numbers(known["weight"]).tolist())
                dot = Dots(run, x, _undefined(numbers(known["value"])), weight)
                marks = marks._replace(dots=(*marks.dots, dot))
            if name in fitted:
                end: Any = fitted[name]
                line = grid.straight(run, end)
                ends = (end.low, end.high) if end.low <= end.high else (None, None)
                point = Point(run, line.x[-1], end.to_value, *ends)
                marks = marks._replace(lines=(*marks.lines, line), points=(*marks.points, point))
        return marks

    def of_batches(measure: str) -> Axis:
        values = [numbers(frame.loc[frame["measure"] == measure, "value"])]
        ends: list[Floats] = []
        if trends is not None:
            own = trends[trends["measure"] == measure]
            values += [numbers(own["from_value"]), numbers(own["to_value"])]
            ends = [numbers(own["low"]), numbers(own["high"])]
        return rounded_axis(measure, reached(_known(values), _known(ends), (0.0, 0.0)))

    return grid.picture(of_cell, of_batches, is_stepped=False)


@frozen(eq=False)
class Grid:
    """The panels of some topics and measures, over one span of hours."""

    frame: pd.DataFrame
    words: Words
    span: tuple[float, float]
    asked: CurveWishes = NO_WISHES

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
    def unit(self) -> tuple[str, float]:
        """What the axis counts, and of how many hours: they get hard to read after a fortnight."""
        return ("days", 24.0) if self.span[1] - self.span[0] > DAYS_FROM else ("hours", 1.0)

    @cached_property
    def layout(self) -> tuple[int, int, int]:
        """Panels side by side, and the width and height of each.

        One topic: measures stacked, from three on in two columns. Several: a row a topic, a
        column a measure, so that the eye can run down a measure.
        """
        measures = len(self.measures)
        if len(self.topics) <= 1:
            return (2, 400, 220) if measures > 2 else (1, 640, 240)
        return max(1, measures), max(220, min(640, 900 // max(1, measures))), 150

    def picture(
        self, marks: Callable[[Cell], Marks], axis_of: Callable[[str], Axis], *, is_stepped: bool
    ) -> Picture:
        """The panels in reading order; without rows one empty one.

        Those with none below them name the time axis.
        """
        columns, width, height = self.layout
        cells = [(topic, measure) for topic in self.topics for measure in self.measures]
        cells = cells or [("", "")]
        axes = {}
        for _, measure in cells:
            unit = self.axis(measure).unit
            title = f"{measure} [{unit}]" if unit else measure
            axes[measure] = replace(axis_of(measure), title=title)
        name, hours = self.unit
        panels = []
        for place, cell in enumerate(cells):
            drawn, is_last = marks(cell), place >= len(cells) - columns
            has_any = any(x.x for x in drawn.lines) or any(x.x for x in drawn.dots)
            time = Axis(
                f"{name} since the topic's start" if is_last else "",
                self.span[0] / hours,
                self.span[1] / hours,
                is_log=self.asked.is_log,
            )
            panel = Panel(
                *self._heading(*cell, place),
                time,
                y=axes[cell[1]],
                is_stepped=is_stepped,
                possible=self._possible(cell[1], drawn),
                notice="" if has_any else NO_CURVE,
                size=(width, height),
                **drawn._asdict(),
            )
            panels.append(panel)
        topic = self._only_topic() if len(self.topics) == 1 else ""
        words = self.words
        return Picture(words.title, words.signature, words.runs, tuple(panels), columns, topic)

    def axis(self, measure: str) -> MeasureAxis:
        """How a measure's axis reads."""
        return self.words.axes.get(measure, MeasureAxis())

    def of_curves(self, measure: str) -> Axis:
        """The axis of a measure's curves, the same for all topics."""
        if base_name(measure) in SHARES:
            return Axis("", 0.0, 1.0)
        values = numbers(self.frame.loc[self.frame["measure"] == measure, "value"])
        shown, ends = _known([values]), list[float | None]()
        around = self.asked.around.get(measure)
        if around is not None:
            shown += [value for each in around.parts for value in each.value if value is not None]
            ends = [at[-1] for each in around.lines for at in (each.low, each.high) if at]
        return rounded_axis(
            measure, reached(shown, () if around and around.parts else ends, (0.0, 0.0))
        )

    def by_cell(self, frame: pd.DataFrame) -> dict[Cell, dict[str, pd.DataFrame]]:
        """The rows of every topic and measure, run by run."""
        cells: dict[Cell, dict[str, pd.DataFrame]] = {}
        for key, rows in frame.groupby(["topic", "measure", "run"], sort=False, observed=True):
            topic, measure, run = map(str, key)
            cells.setdefault((topic, measure), {})[run] = rows
        return cells

    def thinned(self, run: int, rows: pd.DataFrame) -> Line:
        """A curve's times and values, as many as can be seen."""
        import numpy as np

        dots, hours, span = self.layout[1] * DOTS_PER_PIXEL, numbers(rows["hours"]), self.span
        if self.asked.is_log:
            hours, span = np.log(np.maximum(hours, span[0])), (math.log(span[0]), math.log(span[1]))
        hours, values = step_points(hours, numbers(rows["value"]), span, dots)
        hours = np.exp(hours) if self.asked.is_log else hours
        return Line(run, tuple((hours / self.unit[1]).tolist()), _undefined(values))

    def banded(self, line: Line, band: Line | None) -> Line:
        """A line with the interval that holds at each of its places, of those at some hours."""
        import numpy as np

        if band is None or not band.x:
            return line
        at = np.searchsorted(np.array(band.x) / self.unit[1], line.x, "right") - 1
        low, high = (
            tuple(each[place] if place >= 0 else None for place in at.tolist())
            for each in (band.low, band.high)
        )
        return line._replace(low=low, high=high)

    def straight(self, run: int, line: Any) -> Line:
        """A line by its two ends, foretold where it goes on after the batches it is fitted to."""
        hours = self.unit[1]
        until = line.until_hours / hours if line.until_hours < line.to_hours else None
        ends = line.from_hours / hours, line.to_hours / hours
        return Line(run, ends, (line.from_value, line.to_value), until=until)

    def _possible(self, measure: str, drawn: Marks) -> tuple[float | None, float | None]:
        """Where a measure's batches can lie; a bound that one of them passes is none."""
        if not drawn.dots:
            return None, None
        low, high = self.axis(measure).possible
        values = [value for each in drawn.dots for value in each.value if value is not None]
        return (
            None if low is None or any(value < low for value in values) else low,
            None if high is None or any(value > high for value in values) else high,
        )

    def _heading(self, topic: str, measure: str, place: int) -> tuple[str, str]:
        """What a panel shows and, in the first row, which way is better."""
        axis = self.axis(measure)
        notes = [note for note in (WAYS[axis.higher_is_better], axis.title) if note]
        named = "all topics" if axis.pooled and topic == MEAN else topic_name(topic)
        words = [measure] if len(self.topics) < 2 else [named, measure]
        first_row = place < max(self.layout[0], len(self.measures))
        return " · ".join(words), " · ".join(notes) if first_row else ""

    def _only_topic(self) -> str:
        """The one topic of all panels, as their common heading names it."""
        pooled = [self.axis(measure).pooled for measure in self.measures]
        if self.topics[0] != MEAN or not any(pooled):
            return topic_name(self.topics[0])
        return "all topics" if all(pooled) else "all topics, or the mean over them"


def span_of(frame: pd.DataFrame, asked: CurveWishes = NO_WISHES) -> tuple[float, float]:
    """The hours that the axis of curves covers.

    From the topic's start, or earlier if a value is; to a little after the last step, which would
    otherwise end in a bare riser. An empty chart covers one hour. A logarithmic axis begins with
    the first step after the start.
    """
    hours = numbers(frame["hours"])
    start, end = float(hours.min(initial=0.0)), float(hours.max(initial=0.0))
    end += 0.03 * (end - start) or 1.0
    if asked.until is not None:
        end = asked.until
    if asked.is_log:
        start = float(hours[hours > 0].min(initial=end / LEAST))
    return start, end


def step_points(
    hours: Floats, values: Floats, span: tuple[float, float], columns: int
) -> tuple[Floats, Floats]:
    """The points of a step-after line over ``span``, thinned to ``columns`` of dots.

    ``hours`` ascends; a value holds until the next hour and the last one to the span's end.
    What is not finite is undefined and comes back as NaN, where the line breaks. Without
    rows there are no points.

    A measure can change with each of 50,000 updates, and a panel is some hundred dots wide.
    In each column of dots a line shows where it enters, where it leaves and how far it reaches
    up and down; so four points a column draw every line. (This is the M4 aggregation of Jugel,
    Jerzak, Hackenbroich and Markl, "M4: A Visualization-Oriented Time Series Data Aggregation",
    VLDB 2014.) An undefined stretch narrower than a column may close; wider ones stay open.
    """
    import numpy as np

    values = np.where(np.isfinite(values), values, np.nan)
    before, after = values[:-1], values[1:]
    is_same = (before == after) | (np.isnan(before) & np.isnan(after))
    changes = np.concatenate([np.ones(min(1, len(values)), dtype=bool), ~is_same])
    hours, values = hours[changes], values[changes]
    if len(hours) > 4 * columns:
        column = ((hours - span[0]) / (span[1] - span[0]) * columns).astype(np.int64)
        first = np.flatnonzero(np.diff(column, prepend=-1))
        last = np.append(first[1:], len(column)) - 1
        lowest = np.lexsort((np.where(np.isnan(values), np.inf, values), column))[first]
        highest = np.lexsort((np.where(np.isnan(values), np.inf, -values), column))[first]
        rows = np.unique(np.concatenate([first, last, lowest, highest]))
        hours, values = hours[rows], values[rows]
    # A line breaks at the last defined point, not where the next one would have been.
    is_undefined = np.isnan(values)
    ends = np.flatnonzero(is_undefined[1:] & ~is_undefined[:-1]) + 1
    hours = np.insert(hours, ends, hours[ends])
    values = np.insert(values, ends, values[ends - 1])
    return np.append(hours, [span[1]] * len(hours[-1:])), np.append(values, values[-1:])


def rounded_axis(measure: str, shown: tuple[float, float]) -> Axis:
    """An axis that holds these values, and has a height; precision reaches 1 or higher."""
    low, high = shown
    if base_name(measure) == "P" or low == high:
        high = max(1.0, high)
    return Axis("", low, high, is_rounded=True)


def base_name(measure: str) -> str:
    """The measure's name without its parameters and time: ``P`` of ``P(cost=1)@6h``."""
    return re.split(r"[(@]", measure, maxsplit=1)[0]


def topic_name(topic: str) -> str:
    """A topic as a heading names it."""
    return "mean over topics" if topic == MEAN else f"topic {topic}"


def numbers(column: pd.Series[float]) -> Floats:
    """A column as plain floats, whichever way it says that a value is missing."""
    import numpy as np

    return np.asarray(column.to_numpy(na_value=np.nan), dtype=np.float64)


def _undefined(values: Floats) -> tuple[float | None, ...]:
    """The values, None for one that is undefined."""
    return tuple(value if math.isfinite(value) else None for value in values.tolist())


def _known(columns: Iterable[Floats]) -> list[float]:
    return [value for each in columns for value in each.tolist() if math.isfinite(value)]


# How precision, recall, F1 and kappa follow the threshold of a matcher: one panel each.

MEASURES = ("precision", "recall", "F1", "kappa")
TITLE = "Agreement with assessors by threshold"
COLUMNS = 2
NEAR = 1e-9
"""Thresholds go in hundredths, so that those no farther apart are the same."""
THRESHOLD = Axis("threshold of the matcher", low=0.0, high=1.0)


def calibration_picture(frame: pd.DataFrame, signature: str) -> Picture:
    """The picture of `curves`: of the columns ``matcher measure threshold value chosen``.

    NaN is undefined, and leaves a gap. ``chosen`` is the matcher's threshold, drawn as a rule.
    """
    panels = tuple(
        _of_matcher(str(name), own) for name, own in frame.groupby("matcher", sort=False)
    )
    columns = min(COLUMNS, max(1, len(panels)))
    return Picture(TITLE, signature, MEASURES, panels, columns, kind="measure")


def _of_matcher(name: str, frame: pd.DataFrame) -> Panel:
    """One matcher: four lines, and a rule at its threshold with the F1 that it has there."""
    chosen = float(frame["chosen"].iloc[0])
    lines = []
    for place, measure in enumerate(MEASURES):
        own = frame[frame["measure"] == measure]
        values = [None if value != value else value for value in own["value"].tolist()]
        lines.append(Line(place, tuple(own["threshold"].tolist()), tuple(values)))
    best = frame[(frame["measure"] == "F1") & ((frame["threshold"] - chosen).abs() < NEAR)]
    lowest = frame["value"].min()
    return Panel(
        name,
        "",
        THRESHOLD,
        tuple(lines),
        Axis("agreement with assessors", min(0.0, lowest) if lowest == lowest else 0.0, 1.0),
        is_stepped=False,
        rule=Rule(chosen, f"best F1 {best['value'].iloc[0]:.2f}, at threshold {chosen:.2f}"),
    )
