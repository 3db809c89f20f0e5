"""What the measures of filtering are taken from: series of metrics, their trends, their cutoffs.

A series is a metric of a run at a cutoff, batch after batch. All series of a metric are fitted in
one call; the trend that counts is that of the cutoff with the best end point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tseval.core.measure import Measure
from tseval.core.results import Taken, Values
from tseval.families.filtering.metrics import (
    COSTS,
    EVEN,
    LOWER_IS_BETTER,
    METRICS,
    Batches,
    Counts,
    support,
)
from tseval.families.filtering.period import Cut
from tseval.families.filtering.rules import FilterRules
from tseval.families.filtering.tally import Tally, at_cutoff
from tseval.records import frozen
from tseval.statistics.assumptions import Assumptions, check
from tseval.statistics.trend import Trend, fit

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

    Statistic: TypeAlias = Callable[[Trend, Assumptions], FloatArray]

TIE = 1e-12
"""Within this the end points of two cutoffs are equal."""
SPECK = 1e-14
"""A point of a line that is closer to 0 is 0: the rest is what arithmetic leaves behind."""
USUAL = "F_1"
"""The metric whose best cutoff stands for the whole period."""
OF_THEIR_OWN = frozenset({"T11U", "T11SU", "C_trk"})
"""Those that have a best cutoff of their own for the whole period."""

_STATISTICS: Mapping[str, Statistic] = {
    "end": lambda trend, _: trend.end,
    "end-se": lambda trend, _: trend.end_error,
    "t": lambda trend, _: trend.t,
    "p": lambda trend, _: trend.p,
    "spearman": lambda _, checked: checked.spearman.statistic,
    "spearman-p": lambda _, checked: checked.spearman.p,
    "AD": lambda _, checked: checked.normality.statistic,
    "AD-p": lambda _, checked: checked.normality.p,
    "DW": lambda _, checked: checked.durbin_watson,
    "intercept": lambda trend, _: trend.intercept,
    "batches": lambda trend, _: trend.number.astype(np.float64),
}


@frozen
class Series:
    """A metric in every batch, with the pairs that it is taken from; batches are the last axis."""

    value: FloatArray
    defined: BoolArray
    weight: FloatArray

    @classmethod
    def join(cls, parts: Sequence[Series]) -> Series:
        """The series of several runs, one axis more."""
        return cls(
            np.stack([part.value for part in parts]),
            np.stack([part.defined for part in parts]),
            np.stack([part.weight for part in parts]),
        )

    def at(self, cutoff: IntArray) -> Series:
        """The series of each run at its own cutoff."""
        run = np.arange(len(cutoff))
        return Series(self.value[run, cutoff], self.defined[run, cutoff], self.weight[run, cutoff])

    def fitted(self) -> Trend:
        """The trend of every series, in the order of their axes."""
        batches = self.value.shape[-1]
        value, weight, usable = (
            np.broadcast_to(each, self.value.shape).reshape(-1, batches)
            for each in (self.value, self.weight, self.defined)
        )
        trend = fit(value, weight, usable)
        return replace(trend, end=_settled(trend.end), intercept=_settled(trend.intercept))


@frozen
class Fitted:
    """The trend of a metric for every run, at the cutoff with the best end point.

    `known` says which runs have a trend at any cutoff.
    """

    cut: Cut
    cutoff: IntArray
    known: BoolArray
    series: Series
    trend: Trend

    @cached_property
    def checked(self) -> Assumptions:
        """What the trend takes for granted, by its raw residuals."""
        return check(self.trend)

    @cached_property
    def checked_weighted(self) -> Assumptions:
        """The same by its weighted residuals."""
        return check(self.trend, weighted=True)

    def statistic(self, name: str, *, weighted: bool = False) -> FloatArray:
        """A statistic for each series; NaN where it is undefined."""
        return _STATISTICS[name](self.trend, self.checked_weighted if weighted else self.checked)


@frozen
class Constants:
    """The numbers in the formulas of metrics that may be chosen."""

    zeta: float = 1.0
    f_weights: tuple[float, ...] = EVEN
    costs: tuple[float, ...] = COSTS


@frozen
class TrendIndex:
    """Runs and truth in a period; every series and trend is computed once, when it is asked for.

    `lengths` are those of batches: a measure that names none is meant in the first. `metrics` are
    those that are known to be asked for, so that one count serves them all. `by_topic` says whether
    topics have values of their own.
    """

    tally: Tally
    rules: FilterRules
    constants: Constants
    lengths: tuple[str, ...]
    metrics: tuple[str, ...] = ()
    by_topic: bool = True
    _series: dict[str, dict[str, Series]] = field(default_factory=dict)
    _fitted: dict[tuple[str, str], Fitted] = field(default_factory=dict)
    _topical: dict[tuple[str, str], Fitted] = field(default_factory=dict)
    _overall: dict[str, Values] = field(default_factory=dict)

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs."""
        return self.tally.kept.runs

    @property
    def topics(self) -> tuple[str, ...]:
        """The judged topics."""
        return self.tally.judged.topics

    @property
    def present(self) -> BoolArray:
        """Which (run, topic) have anything; a topic without judgments has nothing to lack."""
        kept, judged = self.tally.kept, self.tally.judged
        shape = (len(self.runs), len(self.topics))
        unit = kept.run * shape[1] + kept.topic
        present = np.bincount(unit, minlength=shape[0] * shape[1]).reshape(shape) > 0
        empty: BoolArray = np.bincount(judged.topic, minlength=shape[1]) == 0
        return present | empty

    def length_of(self, measure: Measure) -> str:
        """The length of a measure's batches: the first asked for if it names none."""
        return str(measure.argument("batch")) or self.lengths[0]

    def cut(self, batch: str) -> Cut:
        """The period in batches of this length."""
        return self.tally.period.cut(batch, self.rules.partial)

    def batches(self, counts: Counts) -> Batches:
        """Counts with what their metrics depend on."""
        return Batches(
            counts,
            self.constants.zeta,
            everyone=self.rules.entities == "all",
            f_weights=self.constants.f_weights,
            costs=self.constants.costs,
        )

    # Series and their trends.

    def series(self, metric: str, batch: str) -> Series:
        """A metric of every run, cutoff and batch."""
        known = self._series.setdefault(batch, {})
        if metric not in known:
            wanted = tuple(dict.fromkeys((metric, *self.metrics)))
            known.update(self._counted(self.cut(batch), wanted))
        return known[metric]

    def _counted(self, cut: Cut, wanted: Sequence[str]) -> dict[str, Series]:
        parts: dict[str, list[Series]] = {metric: [] for metric in wanted}
        for counts in self.tally.by_run(cut):
            batches = self.batches(counts)
            for metric, own in parts.items():
                own.append(self._single(batches, metric))
        return {metric: Series.join(own) for metric, own in parts.items()}

    def _single(self, batches: Batches, metric: str) -> Series:
        """A metric of one run, with its weights: their shares of the period."""
        found = METRICS[metric](batches)
        pairs = support(batches, metric) if self.rules.weights == "own" else batches.size
        total = pairs.sum(axis=-1, keepdims=True)
        return Series(found.value, found.defined, pairs / np.maximum(total, 1.0))

    def fitted(self, metric: str, batch: str) -> Fitted:
        """The trend of a metric for every run."""
        if (metric, batch) not in self._fitted:
            series, cut = self.series(metric, batch), self.cut(batch)
            end = series.fitted().end.reshape(series.value.shape[:2])
            cutoff, known = best(end, lower=metric in LOWER_IS_BETTER)
            chosen = series.at(cutoff)
            self._fitted[metric, batch] = Fitted(cut, cutoff, known, chosen, chosen.fitted())
        return self._fitted[metric, batch]

    def topical(self, metric: str, batch: str) -> Fitted:
        """The trend of a metric for every run and topic, at the cutoff of the run."""
        if (metric, batch) not in self._topical:
            whole = self.fitted(metric, batch)
            parts = [
                self._single(self.batches(at_cutoff(counts, int(cutoff))), metric)
                for counts, cutoff in zip(self.tally.by_run(whole.cut), whole.cutoff, strict=True)
            ]
            series = Series(
                self._placed(np.concatenate([part.value for part in parts])),
                self._placed(np.concatenate([part.defined for part in parts])) > 0,
                self._placed(np.concatenate([part.weight for part in parts])),
            )
            cutoff = np.repeat(whole.cutoff, len(self.topics))
            known = np.repeat(whole.known, len(self.topics))
            self._topical[metric, batch] = Fitted(whole.cut, cutoff, known, series, series.fitted())
        return self._topical[metric, batch]

    def _placed(self, rows: FloatArray | BoolArray) -> FloatArray:
        """Rows of the entities that count among those of all runs and topics; 0 elsewhere."""
        units = np.zeros((self.tally.taken.size, *rows.shape[1:]))
        units[self.tally.taken.ravel()] = rows
        return units

    def silent(self, fitted: Fitted) -> list[str]:
        """The runs that return nothing at the cutoff of their trend, but would at a lower one."""
        kept, passed = self.tally.kept, self.tally.passed
        known = np.bincount(kept.run[passed > 0], minlength=len(self.runs)) > 0
        there = np.bincount(kept.run[passed > fitted.cutoff[kept.run]], minlength=len(self.runs))
        return [self.runs[at] for at in np.flatnonzero(known & (there == 0)).tolist()]

    # What the measures ask for.

    def whole(self, metric: str) -> Taken:
        """A metric over the whole period, at the cutoff that stands for it."""
        return Taken(self._by_topic(metric, self.whole_cutoff(metric)), self.of_period(metric))

    def of_period(self, metric: str) -> Values:
        """A metric of each run over the whole period, at the cutoff that stands for it."""
        found, cutoff = self.overall[metric], self.whole_cutoff(metric)
        run = np.arange(len(self.runs))
        return Values(found.value[run, cutoff], found.defined[run, cutoff])

    @property
    def overall(self) -> dict[str, Values]:
        """Every metric of the whole period, of the shape (runs, cutoffs)."""
        if not self._overall:
            self._overall.update(self._of_whole())
        return self._overall

    def _of_whole(self) -> dict[str, Values]:
        parts = [self.batches(counts) for counts in self.tally.by_run(self.tally.whole)]
        found = {metric: [taken(each) for each in parts] for metric, taken in METRICS.items()}
        return {
            metric: Values(
                np.stack([each.value[:, 0] for each in values]),
                np.stack([each.defined[:, 0] for each in values]),
            )
            for metric, values in found.items()
        }

    def whole_cutoff(self, metric: str) -> IntArray:
        """The cutoff of each run that stands for the period: the best of F_1, or of its own."""
        judge = metric if metric in OF_THEIR_OWN else USUAL
        found = self.overall[judge]
        value = np.where(found.defined, found.value, np.nan)
        return best(value, lower=judge in LOWER_IS_BETTER)[0]

    def _by_topic(self, metric: str, cutoff: IntArray) -> Values:
        if not self.by_topic:
            return self._nothing
        runs = zip(self.tally.by_run(self.tally.whole), cutoff.tolist(), strict=True)
        found = [METRICS[metric](self.batches(at_cutoff(counts, at))) for counts, at in runs]
        return Values(
            self._placed(np.concatenate([each.value[:, 0] for each in found])),
            self._placed(np.concatenate([each.defined[:, 0] for each in found])) > 0,
        )

    def statistic(self, name: str, metric: str, batch: str, weighted: bool) -> Taken:
        """A statistic of a metric's trend."""
        if name == "cutoff":
            return self._taken(metric, batch, self._cutoff)
        return self._taken(metric, batch, lambda each: each.statistic(name, weighted=weighted))

    def slope(self, name: str, metric: str, batch: str, per: float | None) -> Taken:
        """The slope or its error in a unit of time of so many seconds; None is a batch."""
        long = 1.0 if per is None else self.cut(batch).seconds / per

        def told(each: Fitted) -> FloatArray:
            estimate = each.trend.slopes(long)
            return estimate.value if name == "slope" else estimate.error

        return self._taken(metric, batch, told)

    def _cutoff(self, each: Fitted) -> FloatArray:
        return np.where(each.known, self.tally.cutoffs[each.cutoff], np.nan)

    def _taken(self, metric: str, batch: str, told: Callable[[Fitted], FloatArray]) -> Taken:
        own = _known(told(self.topical(metric, batch))) if self.by_topic else self._nothing
        return Taken(own, _known(told(self.fitted(metric, batch))))

    @property
    def _nothing(self) -> Values:
        """What every (run, topic) has where topics are of no interest."""
        units = len(self.runs) * len(self.topics)
        return Values(np.zeros(units), np.zeros(units, bool))

    def bursts(self, metric: str, batch: str, weighted: bool) -> Taken:
        """The mean of a metric over the intervals of each entity that have positives."""
        cutoff = self.whole_cutoff(metric).tolist()
        own, every = [], []
        for counts, at in zip(self.tally.by_run(self.cut(batch)), cutoff, strict=True):
            alone = at_cutoff(counts, at)
            found = METRICS[metric](self.batches(alone))
            mean = burst_mean(found, alone.positive[:, 0], weighted=weighted)
            own.append(mean)
            every.append(_mean(mean))
        topics = Values(
            self._placed(np.concatenate([each.value for each in own])),
            self._placed(np.concatenate([each.defined for each in own])) > 0,
        )
        return Taken(topics if self.by_topic else self._nothing, _known(np.array(every)))


def burst_mean(metric: Values, positive: FloatArray, *, weighted: bool) -> Values:
    """The mean of each entity's intervals that have positives, alike or by their positives.

    A metric that is missing there is 0. Undefined for an entity without positives. All arrays are
    entities x intervals.
    """
    value = np.where(metric.defined, metric.value, 0.0)
    weight = positive if weighted else (positive > 0).astype(np.float64)
    total = weight.sum(axis=-1)
    mean = (value * weight).sum(axis=-1) / np.maximum(total, 1.0)
    return Values(mean, total > 0)


def _settled(points: FloatArray) -> FloatArray:
    return np.where(np.abs(points) < SPECK, 0.0, points)


def _mean(values: Values) -> float:
    """The mean of what is defined; NaN without any."""
    return float(values.value[values.defined].mean()) if values.defined.any() else np.nan


def _known(values: FloatArray) -> Values:
    """Values with a mask where they are NaN."""
    defined = np.isfinite(values)
    return Values(np.where(defined, values, 0.0), defined)


def best(values: FloatArray, *, lower: bool) -> tuple[IntArray, BoolArray]:
    """The place of the best value in each row, the first of equal ones, and which rows have any.

    NaN is no value; a row of these has place 0.
    """
    worth = -values if lower else values
    known = np.isfinite(worth)
    worth = np.where(known, worth, -np.inf)
    top = worth.max(axis=1, keepdims=True, initial=-np.inf)
    slack = TIE * np.maximum(1.0, np.abs(np.where(np.isfinite(top), top, 0.0)))
    chosen: IntArray = np.argmax(known & (worth >= top - slack), axis=1)
    return chosen, np.asarray(known.any(axis=1))
