"""What is measured in batches, and the trends of it.

Kenter, Balog and de Rijke, Evaluating document filtering systems over time, 2015. A metric is a
macro average over entities, from counts of pairs by entity and batch. A series is a metric of a run
at a cutoff, batch after batch. All series of a metric are fitted in one call; the trend that counts
is that of the cutoff with the best end point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tseval.core.frames import FrameIndex
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.filtering.rows import Cut, FilterRules, Period
from tseval.io.schema import ALL_TOPICS
from tseval.io.times import UNITS
from tseval.records import frozen
from tseval.statistics.assumptions import Assumptions, check, durbin_watson_bounds
from tseval.statistics.trend import FEWEST, Trend, fit, ratio

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray

    ViewRequest = Sequence[tuple[str, str]]
    """Metrics, each with a length of batches."""

ENTITIES = -2
"""The axis of entities, before that of batches; the axis before these, if any, is of cutoffs."""
EVEN = (1.0, 1.0, 1.0)
"""The weights of P, R and A in F_pr and F_pra."""
COSTS = (1.0, 0.1, 0.02)
"""The costs of a miss and of a false alarm in C_trk, and the share of targets."""
LOWEST_UTILITY = -0.5
"""No utility is below this in T11SU."""
TIE = 1e-12
"""Within this the end points of two cutoffs are equal."""
SPECK = 1e-14
"""A point of a line that is closer to 0 is 0: the rest is what arithmetic leaves behind."""
SLACK = 1e-9
"""Beyond its range by this much a metric's end point may lie by rounding."""
LEVEL = 0.05
"""Below this p a test is significant."""
WHOLE = "all"
"""The length of the only batch where the period is not divided."""
USUAL = "F_1"
"""The metric whose best cutoff stands for the whole period."""
OF_THEIR_OWN = frozenset({"T11U", "T11NU", "T11SU", "C_trk"})
"""Those that have a best cutoff of their own for the whole period."""


# Metrics of batches.


@frozen
class Constants:
    """The numbers in the formulas of metrics that may be chosen."""

    zeta: float = 1.0
    """How slowly aptness falls: with so many false positives it is one half."""
    f_weights: tuple[float, ...] = EVEN
    costs: tuple[float, ...] = COSTS


@frozen
class Counts:
    """How many pairs of each kind there are, by entity and batch.

    `positive` are those of the truth; of these `hits` were returned, beside `alarms` that are not
    positive. `quiet` are the judged pairs, not positive, that were not returned.
    """

    hits: FloatArray
    alarms: FloatArray
    quiet: FloatArray
    positive: FloatArray
    constants: Constants = Constants()
    counting: BoolArray | None = None
    """The entities that P, R and utility are taken over, if not those with a positive."""
    documents: FloatArray | None = None
    """The documents of a batch that are positive or returned, where batches weigh so much."""

    @cached_property
    def returned(self) -> FloatArray:
        """The pairs that were returned."""
        return self.hits + self.alarms

    @cached_property
    def size(self) -> FloatArray:
        """The pairs of a batch that are positive or returned, or their documents."""
        pairs = (self.positive + self.alarms).sum(ENTITIES)
        return np.asarray(pairs) if self.documents is None else self.documents

    @cached_property
    def utility(self) -> FloatArray:
        """The utility of each entity by its largest; 0 without a positive."""
        return share(2 * self.hits - self.alarms, 2 * self.positive)

    @property
    def negative(self) -> FloatArray:
        """The pairs that are not positive."""
        return self.alarms + self.quiet

    def macro(self, each: FloatArray) -> FloatArray:
        """Return the mean over the entities that count in P and R."""
        return mean(each, self.positive > 0 if self.counting is None else self.counting)

    def support(self, metric: str) -> FloatArray:
        """Return how many pairs of each batch a metric is taken from."""
        if metric in ("P", "FDR"):
            return np.asarray(self.returned.sum(ENTITIES))
        if metric == "R":
            return np.asarray((self.positive + np.zeros_like(self.hits)).sum(ENTITIES))
        return np.asarray(self.negative.sum(ENTITIES)) if metric == "FPR" else self.size

    def at(self, cutoff: int) -> Counts:
        """Return the counts at one cutoff, each entity by itself, along the first axis."""
        own = (self.hits[cutoff], self.alarms[cutoff], self.quiet[cutoff], self.positive)
        counting = None if self.counting is None else self.counting[:, np.newaxis]
        hits, alarms, quiet, positive = (part[:, np.newaxis] for part in own)
        return Counts(hits, alarms, quiet, positive, self.constants, counting)


def mean(each: FloatArray, among: BoolArray) -> FloatArray:
    """Return the mean over the entities that count; NaN without any."""
    return ratio(np.where(among, each, 0.0).sum(ENTITIES), among.sum(ENTITIES))


share = partial(ratio, empty=0.0)
"""Divides; 0 where there is nothing to divide by."""


def harmonic(*parts: FloatArray, weights: Sequence[float] = EVEN) -> FloatArray:
    """Return the weighted harmonic mean; 0 where any part is 0."""
    weighed = list(zip(parts, weights, strict=False))
    good = np.logical_and.reduce([part > 0 for part in parts])
    inverse = sum((np.where(good, w / np.where(good, part, 1.0), 0.0) for part, w in weighed), 0.0)
    total = math.fsum(w for _, w in weighed)  # as any Python adds them up, and `sum` does not
    value: FloatArray = np.where(good, total / np.where(good, inverse, 1.0), 0.0)
    return value


def precision(counts: Counts) -> FloatArray:
    """Macro precision.

    The share of returned documents that are right, as the mean over entities.

    Mean over the entities with a positive of TP / (TP + FP), 0 for an entity of which nothing was
    returned.

    Undefined without a positive.
    """
    return counts.macro(share(counts.hits, counts.returned))


def recall(counts: Counts) -> FloatArray:
    """Macro recall.

    The share of right documents that are returned, as the mean over entities.

    Mean over the entities with a positive of TP / (TP + FN).

    Undefined without a positive.
    """
    return counts.macro(share(counts.hits, counts.positive))


def aptness(counts: Counts) -> FloatArray:
    """Aptness.

    The scarcity of false positives, as the mean over entities: 1 without any.

    Mean over the entities that have a positive or were returned of zeta / (zeta + FP), zeta 1
    unless --zeta says otherwise.

    1 where there is no such entity.
    """
    there = (counts.positive > 0) | (counts.returned > 0)
    zeta = counts.constants.zeta
    return np.nan_to_num(mean(zeta / (zeta + counts.alarms), there), nan=1.0)


def harmonic_of_two(counts: Counts) -> FloatArray:
    """F of P and R.

    The harmonic mean of P and R.

    2 P R / (P + R); 0 if P or R is 0. With --f-weights p,r,a (p + r) / (p/P + r/R).

    Undefined without a positive.
    """
    p, r = precision(counts), recall(counts)
    value = harmonic(p, r, weights=counts.constants.f_weights[:2])
    return np.where(np.isnan(p), np.nan, value)


def harmonic_of_three(counts: Counts) -> FloatArray:
    """F of P, R and A.

    The harmonic mean of P, R and A, which is defined without positives too.

    3 / (1/P + 1/R + 1/A); 0 if any of them is 0; A alone without a positive. So in a batch with
    positives and without a hit it is 0, and more false positives do not lower it. With --f-weights
    p,r,a (p + r + a) / (p/P + r/R + a/A).

    Never undefined: A where there is no positive.
    """
    p, r, a = precision(counts), recall(counts), aptness(counts)
    value = harmonic(p, r, a, weights=counts.constants.f_weights)
    return np.where(np.isnan(p), a, value)


def usual_score(counts: Counts) -> FloatArray:
    """F1 of the whole period.

    The usual score: F1 of macro P and macro R over the whole period.

    2 P R / (P + R) of the macro P and R of the period; in a batch the same as F_pr with equal
    weights.

    Undefined without a positive.
    """
    p = precision(counts)
    return np.where(np.isnan(p), np.nan, harmonic(p, recall(counts)))


def utility(counts: Counts) -> FloatArray:
    """Utility.

    Two points for each hit, minus one for each false positive.

    Mean over the entities with a positive of 2 TP - FP.

    Undefined without a positive.
    """
    return counts.macro(2 * counts.hits - counts.alarms)


def normalised_utility(counts: Counts) -> FloatArray:
    """Normalised utility.

    T11U, divided by the largest possible: that of returning exactly the right documents.

    Mean over the entities with a positive of (2 TP - FP) / (2 (TP + FN)).

    Undefined without a positive.
    """
    return counts.macro(counts.utility)


def scaled_utility(counts: Counts) -> FloatArray:
    """Scaled utility.

    T11NU, cut off at -0.5 and scaled to 0 to 1.

    Mean over the entities with a positive of (max((2 TP - FP) / (2 (TP + FN)), -0.5) + 0.5) / 1.5.

    Undefined without a positive.
    """
    least = LOWEST_UTILITY
    scaled = (np.maximum(counts.utility, least) - least) / (1 - least)
    return counts.macro(np.where(counts.positive > 0, scaled, 0.0))


def detection_cost(counts: Counts) -> FloatArray:
    """Normalised detection cost.

    The cost of misses and false alarms, by the lower cost of returning nothing or everything.

    Mean over the entities with a positive of (Cmiss P FN / (TP + FN) + Cfa (1 - P) FP / (FP + TN))
    / min(Cmiss P, Cfa (1 - P)), with Cmiss 1, Cfa 0.1, P 0.02 unless --costs says otherwise; TN are
    judged pairs, and an entity without negatives has no false alarm.

    Undefined without a positive.
    """
    miss = share(counts.positive - counts.hits, counts.positive)
    alarm = share(counts.alarms, counts.negative)
    of_miss, of_alarm, target = counts.constants.costs
    each = of_miss * target * miss + of_alarm * (1 - target) * alarm
    return mean(each / min(of_miss * target, of_alarm * (1 - target)), counts.positive > 0)


def false_positive_rate(counts: Counts) -> FloatArray:
    """False positive rate.

    The share of wrong documents that are returned, as the mean over entities.

    Mean over the entities with a negative of FP / (FP + TN); TN are judged pairs.

    Undefined without a negative.
    """
    return mean(share(counts.alarms, counts.negative), counts.negative > 0)


def false_discovery_rate(counts: Counts) -> FloatArray:
    """False discovery rate.

    The share of returned documents that are wrong, as the mean over entities.

    Mean over the entities of which something was returned of FP / (TP + FP).

    Undefined where nothing was returned.
    """
    return mean(share(counts.alarms, counts.returned), counts.returned > 0)


METRICS: Mapping[str, Callable[[Counts], FloatArray]] = {
    "P": precision,
    "R": recall,
    "A": aptness,
    "F_pr": harmonic_of_two,
    "F_pra": harmonic_of_three,
    "F_1": usual_score,
    "T11U": utility,
    "T11NU": normalised_utility,
    "T11SU": scaled_utility,
    "C_trk": detection_cost,
    "FPR": false_positive_rate,
    "FDR": false_discovery_rate,
}
"""Every metric of a batch by its name."""
BOUNDS: Mapping[str, tuple[float, float]] = dict.fromkeys(METRICS, (0.0, 1.0)) | {
    "T11U": (-np.inf, np.inf),
    "T11NU": (-np.inf, 1.0),
    "C_trk": (0.0, np.inf),
}
"""The least and the largest value of each metric."""
LOWER_IS_BETTER = frozenset({"C_trk", "FPR", "FDR"})


# Series and their trends.


@frozen
class Series:
    """A metric in every batch, NaN where it is undefined; batches are the last axis."""

    value: FloatArray
    weight: FloatArray
    """The batch's share of the pairs that the metric is taken from."""

    @classmethod
    def join(cls, parts: Sequence[Series], join: Callable[..., FloatArray]) -> Series:
        """Return several series as one, by a way to join arrays."""
        return cls(join([part.value for part in parts]), join([part.weight for part in parts]))

    @cached_property
    def trend(self) -> Trend:
        """The trend of every series, in the order of their axes."""
        rows = (each.reshape(-1, each.shape[-1]) for each in (self.value, self.weight))
        trend = fit(*rows)
        end, intercept = (
            np.where(np.abs(point) < SPECK, 0.0, point) for point in (trend.end, trend.intercept)
        )
        return replace(trend, end=end, intercept=intercept)


@frozen
class Fitted:
    """The trend of a metric for every run, or its topics, at the cutoff of the best end point."""

    metric: str
    runs: tuple[str, ...]
    cut: Cut
    series: Series
    place: IntArray
    """The number of the cutoff of each run."""
    cutoff: FloatArray
    """The cutoff itself; NaN where no cutoff has a trend."""

    @property
    def trend(self) -> Trend:
        """The trend of each series."""
        return self.series.trend

    @property
    def lower(self) -> bool:
        """Whether less is better."""
        return self.metric in LOWER_IS_BETTER

    @property
    def value(self) -> FloatArray:
        """The end points; over the whole period, which has no trend, the metric itself."""
        is_whole = self.cut.length == WHOLE
        return np.asarray(self.series.value[:, 0]) if is_whole else self.trend.end

    @property
    def worth(self) -> FloatArray:
        """The values turned so that more is better."""
        return -self.value if self.lower else self.value

    @property
    def better(self) -> str:
        """Which values are better, in words."""
        return "lower is better" if self.lower else "higher is better"

    def best(self, runs: Sequence[int]) -> int:
        """Return the best of these runs, the first of equal ones."""
        return runs[int(np.nan_to_num(self.worth[runs], nan=-np.inf).argmax())]

    @property
    def name(self) -> str:
        """The value as a measure."""
        whole, length = self.metric, self.cut.length
        return whole if length == WHOLE else f"end({self.metric},batch={length})"

    @property
    def caption(self) -> str:
        """What it is in words."""
        return f"{self.metric} in batches of {self.cut.length}"

    @cached_property
    def checked(self) -> Mapping[bool, Assumptions]:
        """What the trend takes for granted, by its raw residuals, and by its weighted ones."""
        return {weighted: check(self.trend, weighted) for weighted in (False, True)}


COLUMNS: Mapping[str, Callable[[Fitted], FloatArray | IntArray]] = {
    "cutoff": lambda each: each.cutoff,
    "usable": lambda each: each.trend.number,
    "undefined": lambda each: np.isnan(each.series.value).sum(axis=1),
    "weightless": lambda each: (each.series.weight == 0).sum(axis=1),
    "intercept": lambda each: each.trend.intercept,
    "slope": lambda each: each.trend.slope,
    "se": lambda each: each.trend.slope_error,
    "slope_per_day": lambda each: each.trend.slope * UNITS["d"] / each.cut.seconds,
    "slope_per_second": lambda each: each.trend.slope / each.cut.seconds,
    "t": lambda each: each.trend.t,
    "p": lambda each: each.trend.p,
    "end": lambda each: each.trend.end,
    "end_se": lambda each: each.trend.end_error,
    "end_low": lambda each: each.trend.end_interval()[0],
    "end_high": lambda each: each.trend.end_interval()[1],
    "spearman": lambda each: each.checked[False].spearman.statistic,
    "spearman_p": lambda each: each.checked[False].spearman.p,
    "AD": lambda each: each.checked[False].normality.statistic,
    "AD_p": lambda each: each.checked[False].normality.p,
    "DW": lambda each: each.checked[False].durbin_watson,
    "AD_weighted": lambda each: each.checked[True].normality.statistic,
    "AD_p_weighted": lambda each: each.checked[True].normality.p,
    "DW_weighted": lambda each: each.checked[True].durbin_watson,
    "DW_low": lambda each: durbin_watson_bounds(each.trend.number, LEVEL).low,
    "DW_high": lambda each: durbin_watson_bounds(each.trend.number, LEVEL).high,
}
"""The statistics of trends, by the names of their columns."""


@frozen
class TrendIndex(FrameIndex):
    """Runs and truth in a period; every series and trend is computed once, when it is asked for."""

    rules: FilterRules
    constants: Constants
    lengths: tuple[str, ...]
    """Those of batches: a measure that names none is meant in the first."""
    period: Period
    cutoffs: FloatArray
    """In ascending order."""
    counting: BoolArray
    """The topics that count, for each run."""
    by_cutoff: bool = False
    """Whether each cutoff is looked at by itself, and none is chosen."""
    metrics: tuple[str, ...] = ()
    """Those that are known to be asked for, so that one count serves them all."""
    by_topic: bool = True
    """Whether topics have values of their own."""
    known: dict[tuple[str, ...], Any] = field(default_factory=dict)

    def cut(self, length: str) -> Cut:
        """Return the period in batches of this length."""
        return (
            self.period.as_one if length == WHOLE else self.period.cut(length, self.rules.partial)
        )

    @cached_property
    def present(self) -> BoolArray:
        """Which (run, topic) have anything; a topic without judgments has nothing to lack."""
        topic = self.frames["judged"]["topic"].to_physical().to_numpy()
        is_judged = np.bincount(topic, minlength=len(self.topics)) > 0
        return np.asarray(super().present | ~is_judged)

    @cached_property
    def passed(self) -> IntArray:
        """How many cutoffs each returned pair passes: it is returned at the first so many."""
        confidences = self.outputs["confidence"].to_numpy()
        is_above = self.rules.kept == "above"
        return np.searchsorted(self.cutoffs, confidences, "left" if is_above else "right")

    def places(self, frame: str, cut: Cut) -> IntArray:
        """Return the number of the topic and batch of each row; each topic has one batch more.

        In that batch is what lies in no other.
        """
        rows = self.frames[frame]
        topic = rows["topic"].to_physical().to_numpy().astype(np.int64)
        return topic * (cut.number + 1) + cut.batch(rows["time"].to_numpy())

    def judged_pairs(self, cut: Cut) -> tuple[IntArray, IntArray]:
        """Return how many judged pairs of each topic and batch are positive, and how many not."""
        place, size = self.places("judged", cut), (len(self.topics), cut.number + 1)
        chosen = place[self["judged"]["positive"].to_numpy()]
        counts = (np.bincount(each, minlength=math.prod(size)) for each in (chosen, place))
        positive, judged = (each.reshape(size)[:, :-1] for each in counts)
        return positive, judged - positive

    def burst_weights(self, cut: Cut) -> Mapping[str, object]:
        """Return how much each interval weighs in the burst-aware mean of entities with positives.

        The weight of an interval is its share of the entity's positives, times the number of its
        intervals that have any: 1 on average. `all` is the mean over the entities that are positive
        there, with their standard deviation and their number.
        """
        positive, _ = self.judged_pairs(cut)
        number, topics = ((positive > 0).sum(axis=axis) for axis in (1, 0))
        topic, batch = np.nonzero(positive)
        weight = positive * number[:, np.newaxis] / np.maximum(positive.sum(axis=1), 1)[:, None]
        mean, some = share(weight.sum(axis=0), topics), np.flatnonzero(topics)
        away = np.where(positive > 0, weight - mean, 0.0)
        deviation = np.sqrt(share((away**2).sum(axis=0), topics))
        return {
            "topic": [*map(self.topics.__getitem__, topic), *[ALL_TOPICS] * len(some)],
            "length": cut.length,
            "start": cut.starts[np.append(batch, some)],
            "positives": np.append(positive[topic, batch], positive.sum(axis=0)[some]),
            "weight": np.append(weight[topic, batch], mean[some]),
            "deviation": np.append(np.zeros(len(topic)), deviation[some]),
            "topics": np.append(np.ones(len(topic), np.int64), topics[some]),
        }

    def counts(self, cut: Cut) -> Iterator[Counts]:
        """Yield the counts of each run, by cutoff, topic and batch."""
        positive, negative = self.judged_pairs(cut)
        size = (len(self.topics), cut.number + 1)
        hit, judged = (self.outputs[name].to_numpy() for name in ("positive", "judged"))
        kinds, levels = np.where(hit, 0, np.where(judged, 1, 2)), len(self.cutoffs) + 1
        keys = (kinds * levels + self.passed) * math.prod(size) + self.places("returned", cut)
        runs = self.outputs["run"].to_physical().to_numpy()
        bounds = np.searchsorted(runs, np.arange(len(self.runs) + 1))
        by_document = self.rules.weights == "documents"
        for run, (low, high) in enumerate(pairwise(bounds)):
            pairs = np.bincount(keys[low:high], minlength=3 * levels * math.prod(size))
            pairs = pairs.reshape(3, levels, *size)[..., :-1]
            passing = pairs[:, :0:-1].cumsum(axis=1)[:, ::-1].astype(np.float64)
            counting = self.counting[run][:, np.newaxis]
            quiet = negative * counting - passing[1]
            wanted = (positive * counting).astype(np.float64)
            among = counting if self.rules.entities == "all" else None
            documents = self.documents(cut, run, low, high) if by_document else None
            counted = passing[0], passing[1] + passing[2], quiet, wanted
            yield Counts(*counted, self.constants, among, documents)

    def documents(self, cut: Cut, run: int, low: int, high: int) -> FloatArray:
        """Return how many documents of each batch are positive or returned, by cutoff.

        A positive one counts at every cutoff; one of several topics, once. The run's rows are those
        from `low` to `high`.
        """
        judged = self["judged"].filter("positive")
        positive = judged.filter(self.counting[run][judged["topic"].to_physical().to_numpy()])
        every = np.full(positive.height, len(self.cutoffs))
        returned = self.outputs[low:high].select("post_id", "time", passed=self.passed[low:high])
        rows = positive.select("post_id", "time", passed=every).vstack(returned)
        batch = cut.batch(rows["time"].to_numpy())
        once = rows.select("post_id", "passed", batch=batch).group_by("post_id", "batch").max()
        numbers = np.zeros((len(self.cutoffs) + 1, cut.number + 1))
        np.add.at(numbers, (once["passed"].to_numpy(), once["batch"].to_numpy()), 1.0)
        return numbers[:0:-1, :-1].cumsum(axis=0)[::-1]

    def weigh(self, counts: Counts, metric: str) -> Series:
        """Return a metric of one run, with the weights: their shares of the period."""
        pairs = counts.support(metric if self.rules.weights == "own" else "")
        weight = pairs / np.maximum(pairs.sum(axis=-1, keepdims=True), 1.0)
        return Series(METRICS[metric](counts), weight)

    def series(self, metric: str, length: str = WHOLE) -> Series:
        """Return a metric of every run, cutoff and batch."""
        key = ("series", metric, length)
        if key not in self.known:
            wanted = {metric, *self.metrics, *((USUAL,) if length == WHOLE else ())}
            every = self.counts(self.cut(length))
            parts = [{name: self.weigh(counts, name) for name in wanted} for counts in every]
            for name in wanted:
                series = Series.join([each[name] for each in parts], np.stack)
                self.known["series", name, length] = series
        return cast("Series", self.known[key])

    def fitted(self, metric: str, length: str, *, by_topic: bool = False) -> Fitted:
        """Return the trend of a metric for every run, or for every run and topic.

        It is at the cutoff with the best end point of the run; for the whole period, at that with
        the best F_1, or with the best value of some metrics.
        """
        key = ("fitted", metric, length, str(by_topic))
        if key not in self.known:
            series, is_whole = self.series(metric, length), length == WHOLE
            judge = USUAL if is_whole and metric not in OF_THEIR_OWN else metric
            judged = self.series(judge, length)
            ends = judged.value if is_whole else judged.trend.end
            ends, run = ends.reshape(judged.value.shape[:2]), np.arange(len(self.runs))
            place, is_known = best(ends, lower=judge in LOWER_IS_BETTER)
            cutoff = np.where(is_known, self.cutoffs[place], np.nan)
            chosen = Series(series.value[run, place], series.weight[run, place])
            if by_topic:
                chosen = self.of_topics(metric, length, place)
                cutoff = np.repeat(cutoff, len(self.topics))
            self.known[key] = Fitted(metric, self.runs, self.cut(length), chosen, place, cutoff)
        return cast("Fitted", self.known[key])

    def trends(self, metric: str, length: str) -> Fitted:
        """Return the trend of every run: at its best cutoff, or at each where these are asked for.

        The cutoffs of a run follow one another.
        """
        if not self.by_cutoff:
            return self.fitted(metric, length)
        series, number = self.series(metric, length), len(self.cutoffs)
        rows = (each.reshape(-1, each.shape[-1]) for each in (series.value, series.weight))
        runs = tuple(run for run in self.runs for _ in range(number))
        place = np.tile(np.arange(number), len(self.runs))
        cutoff = self.cutoffs[place]
        return Fitted(metric, runs, self.cut(length), Series(*rows), place, cutoff)

    def refuse_several_cutoffs(self) -> None:
        """Refuse cutoffs each by itself where a run has one."""
        if self.by_cutoff:
            reason = "several cutoffs, each by itself, are for --show fits, --show stability and "
            raise UsageError(f"{reason}--series alone: give --cutoff one number, or sweep")

    def of_topics(self, metric: str, length: str, place: IntArray) -> Series:
        """Return a metric of every run and topic, at the cutoff of the run."""
        counts = zip(self.counts(self.cut(length)), place.tolist(), strict=True)
        parts = [self.weigh(each.at(cutoff), metric) for each, cutoff in counts]
        series = Series.join(parts, np.concatenate)
        return replace(series, value=np.where(self.counting.reshape(-1, 1), series.value, np.nan))

    def without_trend(self, metric: str, length: str) -> list[str]:
        """Return the runs that have too few usable batches for a trend, at any cutoff."""
        return self.named(~self.fitted(metric, length).trend.fitted)

    def named(self, mask: BoolArray) -> list[str]:
        """Return the runs where a mask holds."""
        return [self.runs[at] for at in np.flatnonzero(mask)]

    def warnings(self, asked: ViewRequest) -> Iterator[str]:
        """Yield a shorter last batch, and end points beyond the range of the metric."""
        for cut in map(self.cut, dict.fromkeys(length for _, length in asked)):
            if cut.shorter:
                yield f"batch {cut.length}: the last of {cut.number} is shorter than the others"
        run = self.outputs["run"].to_physical().to_numpy()
        returning = np.bincount(run[self.passed > 0], minlength=len(self.runs)) > 0
        for metric, length in asked if self.runs else ():
            fitted = self.fitted(metric, length)
            if without := self.without_trend(metric, length):
                few = f"fewer than {FEWEST} usable batches; shorter ones, or a longer period, have"
                lost = f"no trend of {metric} in batches of {length} for {listed(without)}"
                yield f"{lost}: {few} more"
            if self.by_cutoff:
                continue
            end, (least, most) = fitted.trend.end, BOUNDS[metric]
            beyond = np.flatnonzero((end < least - SLACK) | (end > most + SLACK))
            if names := [f"{self.runs[at]} ({end[at]:.4f})" for at in beyond]:
                yield f"{fitted.name} is outside of the metric's range: {listed(names)}"
            passing = np.bincount(run[self.passed > fitted.place[run]], minlength=len(self.runs))
            if names := self.named(returning & (passing == 0)):
                yield f"{fitted.name} is best where nothing is returned: {listed(names)}"


def best(values: FloatArray, *, lower: bool) -> tuple[IntArray, BoolArray]:
    """Return the place of the best value in each row, the first of equal ones, and if it has any.

    NaN is no value; a row of these has place 0.
    """
    worth = -values if lower else values
    known = np.isfinite(worth)
    worth = np.where(known, worth, -np.inf)
    top = worth.max(axis=1, keepdims=True, initial=-np.inf)
    slack = TIE * np.maximum(1.0, np.abs(np.where(np.isfinite(top), top, 0.0)))
    chosen: IntArray = np.argmax(known & (worth >= top - slack), axis=1)
    return chosen, np.asarray(known.any(axis=1))
