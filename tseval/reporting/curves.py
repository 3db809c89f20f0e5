"""Curves over time, of any family that has such: means over topics with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.comparison.findings import or_none
from tseval.comparison.plan import Plan
from tseval.comparison.runs import means_of_topics
from tseval.core.blocks import Block, Note, Panels, Steps, Traces
from tseval.core.curves import change_times, sampled
from tseval.core.family import Evaluation
from tseval.core.measure import Measure
from tseval.core.panels import Axis, Keys, Known, Line, Panel, Parts
from tseval.core.registry import measures as listed_measures
from tseval.core.sections import Setting
from tseval.errors import check_known
from tseval.io.times import UNITS
from tseval.records import frozen

if TYPE_CHECKING:
    from typing import Any

    from tseval.arrays import BoolArray, FloatArray

CURVES, TITLE = "curves", "Over time"
PANELS = 6
"""So many measures have curves, the first ones, where none is chosen."""
NONE = "None of these measures has a curve over time."
TRACED = 2
"""So many measures, the first ones, are told topic by topic too: so a page can draw differences."""
MOST_TIMES = 160
"""A curve that changes more often is told at so many times, evenly apart: a panel has few dots."""
DAYS_FROM = 14 * 24
"""Hours; a longer span is told in days."""
FEWEST_TOPICS = 8
"""Of fewer topics an interval says little: each is drawn by itself instead."""
PART_TIMES = 6
"""At so many times each topic is drawn."""


def curve_blocks(
    evaluation: Evaluation,
    setting: Setting[Any],
    names: str | Sequence[str],
    plan: Plan,
    counted: BoolArray,
    *,
    as_zero: bool,
) -> Iterator[Block]:
    """The panels, and a word on the measures whose curves are left out; nothing without any.

    A panel has every run's mean over the topics that count; some measures are told by topic too.
    """
    # A curve is a mean over topics, so a measure of which `all` is none has no curve.
    whole = dict.fromkeys(each.whole for each in setting.measures)
    own = [each for each in whole if evaluation.follows(each) and not evaluation.pools(each)]
    chosen = listed_measures(
        [names] if isinstance(names, str) else names, evaluation.edition.family
    )
    for each in chosen:
        check_known("curve of", each.name, [one.name for one in own])
    drawn = chosen or own[:PANELS]
    if not drawn:
        return
    yield Note(
        "Means over topics at each time since their start.", " Press a run to bring it forward."
    )
    means = Means.of(evaluation, drawn, plan, counted, as_zero=as_zero)
    last = means.seconds[-1] if len(means.seconds) else 0.0
    unit, name = (UNITS["d"], "days") if last > DAYS_FROM * UNITS["h"] else (UNITS["h"], "hours")
    axis = Axis(f"{name} since the topics’ starts")
    panels = []
    for measure in drawn:
        lines = tuple(sorted(means.lines(measure, unit, setting.run)))
        parts = tuple(means.parts(measure, unit, setting.run))
        way = "higher is better" if measure.higher_is_better else "lower is better"
        note = f"{measure.definition.summary} ({way})"
        panels.append(Panel(measure.name, note, axis, lines, parts=parts, keys=means.keys))
    yield Panels(tuple(panels))
    for measure in drawn[:TRACED]:
        yield means.traces(measure, axis.title, unit, setting)
    undrawn = [each.name for each in own if each not in drawn]
    if undrawn:
        verb = "has a curve that is" if len(undrawn) == 1 else "have curves that are"
        yield Note(f"{', '.join(undrawn)} {verb} not drawn; --curve NAME chooses.")


@frozen(eq=False)
class Means:
    """Means over topics as they go, at some seconds since the topics' starts."""

    evaluation: Evaluation
    plan: Plan
    seconds: FloatArray
    counted: BoolArray
    """By run and topic, whether it counts."""
    as_zero: bool
    """Whether a topic where a measure is undefined counts as 0."""

    @classmethod
    def of(
        cls,
        evaluation: Evaluation,
        measures: Sequence[Measure],
        plan: Plan,
        counted: BoolArray,
        *,
        as_zero: bool,
        until: float = np.inf,
    ) -> Means:
        """Those of some measures, at the times at which any of them changes, up to some seconds."""
        changing = change_times(evaluation, measures)
        seconds = drawn_times(changing[changing <= until])
        return cls(evaluation, plan, seconds, counted, as_zero)

    @property
    def keys(self) -> Keys:
        """What bands and points say."""
        level = f"{100 * self.plan.level:g} %"
        return (
            ("band", f"{level} interval of the mean over topics"),
            ("part", f"a topic by itself: there are fewer than {FEWEST_TOPICS}, too few for bands"),
        )

    def lines(self, measure: Measure, unit: float, place: Callable[[str], int]) -> Iterator[Line]:
        """The mean of every run with its interval, over time in units of so many seconds."""
        values, known = self._topics(measure)
        places = tuple((self.seconds / unit).tolist())
        for at, run in enumerate(self.evaluation.index.runs):
            mean, low, high = self._bands(values[at], known[at])
            yield Line(place(run), places, mean, low, high)

    def parts(self, measure: Measure, unit: float, place: Callable[[str], int]) -> Iterator[Parts]:
        """Where topics are few, the values of each at some times, evenly apart."""
        if len(self.evaluation.index.topics) >= FEWEST_TOPICS or not len(self.seconds):
            return
        wanted = np.linspace(0.0, float(self.seconds[-1]), PART_TIMES + 1)[1:]
        at_times = np.searchsorted(self.seconds, wanted, "right") - 1
        values, known = self._topics(measure)
        for at, run in enumerate(self.evaluation.index.runs):
            topic, column = np.nonzero(known[at][:, at_times])
            own = values[at][topic, at_times[column]]
            yield Parts(place(run), tuple((wanted[column] / unit).tolist()), tuple(own.tolist()))

    def traces(self, measure: Measure, axis: str, unit: float, setting: Setting[Any]) -> Traces:
        """A measure of every run on each topic that counts."""
        values, known = self._topics(measure)
        changes = np.ones(values.shape, bool)
        changes[:, :, 1:] = (np.diff(values) != 0) | (known[:, :, 1:] != known[:, :, :-1])
        steps: list[tuple[Steps, ...]] = [() for _ in setting.runs]
        for at, run in enumerate(self.evaluation.index.runs):
            columns = [each[at].tolist() for each in (values, known, changes)]
            steps[setting.run(run)] = tuple(
                tuple(
                    (place, value if is_known else None)
                    for place, (value, is_known, is_new) in enumerate(zip(*topic, strict=True))
                    if is_new
                )
                for topic in zip(*columns, strict=True)
            )
        return Traces(measure.name, axis, tuple((self.seconds / unit).tolist()), tuple(steps))

    def _topics(self, measure: Measure) -> tuple[FloatArray, BoolArray]:
        """Runs x topics x times: the values, and which of them the mean knows."""
        values, defined = sampled(self.evaluation, measure, self.seconds)
        known = (defined | self.as_zero) & self.counted[:, :, np.newaxis]
        return np.where(defined, values, 0.0), known

    def _bands(self, values: FloatArray, known: BoolArray) -> Iterator[Known]:
        """One run: topics x times to means and the ends of their intervals.

        Times at which nothing changes are one.
        """
        new = np.ones(values.shape[1], bool)
        new[1:] = ((np.diff(values) != 0) | (known[:, 1:] != known[:, :-1])).any(axis=0)
        topics = self.evaluation.index.topics
        found = means_of_topics(values[:, new], known[:, new], topics, self.plan)
        return (tuple(map(or_none, each[np.cumsum(new) - 1].tolist())) for each in found)


def drawn_times(seconds: FloatArray) -> FloatArray:
    """The times at which anything changes, or evenly spaced ones if these are too many."""
    if len(seconds) <= MOST_TIMES:
        return seconds
    return np.linspace(min(float(seconds[0]), 0.0), float(seconds[-1]), MOST_TIMES)
