"""Curves over time, of any family that has such: means over topics with their intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tseval.comparison.plan import Plan, Treatment
from tseval.comparison.runs import means_of_topics
from tseval.core.blocks import Block, Note, Panels
from tseval.core.curves import change_times, sampled
from tseval.core.family import Evaluation
from tseval.core.measure import Measure
from tseval.core.panels import Axis, Line, Panel
from tseval.core.registry import measures as listed_measures
from tseval.core.scoring import missing_topics
from tseval.core.sections import Setting
from tseval.errors import UsageError
from tseval.tables.times import UNITS

if TYPE_CHECKING:
    from typing import Any

    from tseval.tables.columns import BoolArray, FloatArray

CURVES, TITLE = "curves", "Over time"
PANELS = 6
"""So many measures have curves, the first ones, where none is chosen."""
NONE = "None of these measures has a curve over time."
MOST_TIMES = 160
"""A curve that changes more often is told at so many times, evenly apart: a panel has few dots."""
DAYS_FROM = 14 * 24
"""Hours; a longer span is told in days."""


@dataclass(frozen=True)
class CurvesAsked:
    """Which curves are asked for, and how their means over topics are taken."""

    chosen: str | Sequence[str]
    plan: Plan
    treatment: Treatment


def curve_blocks(
    evaluation: Evaluation, setting: Setting[Any], asked: CurvesAsked
) -> Iterator[Block]:
    """The panels, and a word on the measures whose curves are left out; nothing without any."""
    own = curved(evaluation, setting.measures)
    drawn = _drawn(own, asked.chosen, evaluation.edition.family)
    if not drawn:
        return
    level = f"{100 * asked.plan.level:g} %"
    yield Note(
        f"Means over topics at each time since their start; bands hold their {level} intervals.",
        " Press a run to bring it forward.",
    )
    undrawn = [each.name for each in own if each not in drawn]
    if undrawn:
        verb = "has a curve that is" if len(undrawn) == 1 else "have curves that are"
        yield Note(f"{', '.join(undrawn)} {verb} not drawn; --curve NAME chooses.")
    yield Panels(curve_panels(evaluation, drawn, setting, asked))


def curved(evaluation: Evaluation, measures: Sequence[Measure]) -> list[Measure]:
    """The measures that have curves here, without their times, each once.

    A curve is a mean over topics, so one of which `all` is none has none.
    """
    whole = dict.fromkeys(each.whole for each in measures)
    return [each for each in whole if evaluation.follows(each) and not evaluation.pools(each)]


def _drawn(own: Sequence[Measure], chosen: str | Sequence[str], family: str) -> list[Measure]:
    """The measures with curves that are drawn; one that has none here is a `UsageError`."""
    wanted = listed_measures([chosen] if isinstance(chosen, str) else chosen, family)
    for each in wanted:
        if each not in own:
            known = ", ".join(one.name for one in own) or "none"
            raise UsageError(f"no curve of {each} here; the scores have curves of: {known}")
    return wanted or list(own[:PANELS])


def curve_panels(
    evaluation: Evaluation, measures: Sequence[Measure], setting: Setting[Any], asked: CurvesAsked
) -> tuple[Panel, ...]:
    """A panel for each measure: every run's mean over the topics that count."""
    counted = missing_topics(
        [evaluation.index], asked.treatment.on_missing or "zero", evaluation.words
    ).counted
    as_zero = asked.treatment.undefined == "zero"
    seconds = told_times(change_times(evaluation, measures))
    in_days = bool(len(seconds)) and seconds[-1] > DAYS_FROM * UNITS["h"]
    unit, name = (UNITS["d"], "days") if in_days else (UNITS["h"], "hours")
    axis = Axis(f"{name} since the topics’ starts")
    places = tuple((seconds / unit).tolist())
    panels = []
    for measure in measures:
        values, defined = sampled(evaluation, measure, seconds)
        known = (defined | as_zero) & counted[:, :, np.newaxis]
        values = np.where(defined, values, 0.0)
        lines = [
            Line(setting.run(run), places, *_bands(evaluation, values[at], known[at], asked.plan))
            for at, run in enumerate(evaluation.index.runs)
        ]
        panels.append(Panel(measure.name, _note(measure), axis, tuple(sorted(lines))))
    return tuple(panels)


def told_times(seconds: FloatArray) -> FloatArray:
    """The times at which anything changes, or evenly spaced ones if these are too many."""
    if len(seconds) <= MOST_TIMES:
        return seconds
    return np.linspace(min(float(seconds[0]), 0.0), float(seconds[-1]), MOST_TIMES)


def _note(measure: Measure) -> str:
    way = "higher is better" if measure.higher_is_better else "lower is better"
    return f"{measure.definition.summary} ({way})"


def _bands(
    evaluation: Evaluation, values: FloatArray, known: BoolArray, plan: Plan
) -> Iterator[tuple[float | None, ...]]:
    """One run: topics x times to means with intervals; times at which nothing changes are one."""
    new = np.ones(values.shape[1], bool)
    new[1:] = ((np.diff(values) != 0) | (known[:, 1:] != known[:, :-1])).any(axis=0)
    found = means_of_topics(values[:, new], known[:, new], evaluation.index.topics, plan)
    return (_numbers(each[np.cumsum(new) - 1]) for each in found)


def _numbers(values: FloatArray) -> tuple[float | None, ...]:
    return tuple(None if np.isnan(value) else float(value) for value in values)
