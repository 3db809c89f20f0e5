"""Curves of means over topics, with the intervals of these means as bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.comparison.plan import Plan
from tseval.comparison.runs import means_of_topics
from tseval.core.curves import change_times, sampled
from tseval.core.measure import Measure
from tseval.families.temporal.evaluation import TemporalEvaluation
from tseval.reporting.boards import Names
from tseval.reporting.content import Line, Panel
from tseval.tables.times import UNITS

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray

MOST_TIMES = 160
"""A curve that changes more often is told at so many times, evenly apart: a panel has few dots."""
DAYS_FROM = 14 * 24
"""Hours; a longer span is told in days."""


def curve_panels(
    evaluation: TemporalEvaluation,
    measures: Sequence[Measure],
    counted: BoolArray,
    names: Names,
    plan: Plan,
    *,
    undefined_as_zero: bool,
) -> tuple[Panel, ...]:
    """A panel for each measure: every run's mean over the topics that count."""
    seconds = told_times(change_times(evaluation, measures))
    in_days = bool(len(seconds)) and seconds[-1] > DAYS_FROM * UNITS["h"]
    unit, name = (UNITS["d"], "days") if in_days else (UNITS["h"], "hours")
    panels = []
    for measure in measures:
        values, defined = sampled(evaluation, measure, seconds)
        known = (defined | undefined_as_zero) & counted[:, :, np.newaxis]
        lines = [
            _line(
                evaluation, names, run, np.where(defined[run], values[run], 0.0), known[run], plan
            )
            for run in range(len(evaluation.index.runs))
        ]
        panels.append(
            Panel(
                title=measure.name,
                note=_note(measure),
                x_title=f"{name} since the topics’ starts",
                x=tuple((seconds / unit).tolist()),
                lines=tuple(sorted(lines)),
            )
        )
    return tuple(panels)


def told_times(seconds: FloatArray) -> FloatArray:
    """The times at which anything changes, or evenly spaced ones if these are too many."""
    if len(seconds) <= MOST_TIMES:
        return seconds
    return np.linspace(min(float(seconds[0]), 0.0), float(seconds[-1]), MOST_TIMES)


def _note(measure: Measure) -> str:
    way = "higher is better" if measure.definition.higher_is_better else "lower is better"
    return f"{measure.definition.summary} ({way})"


def _line(
    evaluation: TemporalEvaluation,
    names: Names,
    run: int,
    values: FloatArray,
    known: BoolArray,
    plan: Plan,
) -> Line:
    """One run: topics x times to means with intervals; times at which nothing changes are one."""
    new = np.ones(values.shape[1], bool)
    new[1:] = ((np.diff(values) != 0) | (known[:, 1:] != known[:, :-1])).any(axis=0)
    found = means_of_topics(values[:, new], known[:, new], evaluation.index.topics, plan)
    mean, low, high = (_numbers(each[np.cumsum(new) - 1]) for each in found)
    return Line(names.run(evaluation.index.runs[run]), mean, low, high)


def _numbers(values: FloatArray) -> tuple[float | None, ...]:
    return tuple(None if np.isnan(value) else float(value) for value in values)
