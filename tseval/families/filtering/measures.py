"""The measures of filtering: metrics of the period, trends of metrics, and burst-aware means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.measure import Definition, Measure, Parameter, documented
from tseval.core.results import Taken, Values
from tseval.families.filtering.trends import (
    BOUNDS,
    COLUMNS,
    LOWER_IS_BETTER,
    METRICS,
    WHOLE,
    Fitted,
    TrendIndex,
)
from tseval.io.times import UNITS, duration
from tseval.statistics.trend import ratio

if TYPE_CHECKING:
    from tseval.arrays import FloatArray

FAMILY = "filtering"
CITATION = (
    "Kenter, Balog and de Rijke, Evaluating document filtering systems over time,"
    " Information Processing & Management, 2015"
)
KBA = "TREC Knowledge Base Acceleration tracks 2012 to 2014, cumulative citation recommendation"
TREC11 = "Robertson and Soboroff, The TREC 2002 Filtering Track Report"
TDT = "Fiscus and Doddington, Topic Detection and Tracking Evaluation Overview, 2002"
DIETZ = (
    "Dietz, Dalton and Balog, Time-Aware Evaluation of Cumulative Citation Recommendation Systems,"
    " TAIA 2013"
)
FIRST = "F_pra"
"""The metric by whose end points runs are ranked unless others are asked for."""
PER = {"batch": None, "day": UNITS["d"], "hour": UNITS["h"], "second": UNITS["s"]}
"""The seconds of the time that slopes may be per."""
OF = Parameter("of", "the metric whose trend it is", default="", choices=tuple(METRICS), bare=True)
LASTING = "how long a batch lasts; without it every length asked for by --batch"
BATCH = Parameter("batch", LASTING, default="", choices=("1d", "7d", "30d"), parse=duration)
PER_UNIT = Parameter("per", "the unit of time", default="batch", choices=tuple(PER))
SCALED = "as they are, or each times the root of its batch's weight"
RESIDUALS = Parameter("residuals", SCALED, default="raw", choices=("raw", "weighted"))


def is_of_batches(measure: Measure) -> bool:
    """Return whether a measure is taken from batches, and not from the period as a whole."""
    return BATCH in measure.definition.parameters


def metric_of(measure: Measure) -> str:
    """Return the metric that a measure is, or is taken from."""
    return str(measure.argument("of")) if is_of_batches(measure) else measure.definition.name


def trend_of(measure: Measure, index: TrendIndex) -> tuple[str, str]:
    """Return the metric that a measure is taken from, and how long its batches last.

    Without a length these are the first asked for.
    """
    if not is_of_batches(measure):
        return metric_of(measure), WHOLE
    return metric_of(measure), str(measure.argument("batch")) or index.lengths[0]


def take(index: TrendIndex, runs: FloatArray, topics: Callable[[], FloatArray]) -> Taken:
    """Return the values of runs, and of their topics where these have any; NaN is undefined."""
    own = topics() if index.by_topic else np.full(index.units, np.nan)
    values = [Values(np.nan_to_num(each), np.isfinite(each)) for each in (own, runs)]
    return Taken(values[0], values[1])


def metric_or_statistic(index: TrendIndex, measure: Measure) -> Taken:
    """Return a metric over the whole period, or a statistic of its trend."""
    trend = trend_of(measure, index)
    runs = column(index.fitted(*trend), measure)
    return take(index, runs, lambda: column(index.fitted(*trend, by_topic=True), measure))


def column(fitted: Fitted, measure: Measure) -> FloatArray:
    """Return a measure of each trend: of its residuals, in its unit of time."""
    if not is_of_batches(measure):
        return fitted.value
    parameters, name = measure.definition.parameters, measure.definition.name.replace("-", "_")
    if RESIDUALS in parameters and measure.argument("residuals") == "weighted":
        name += "_weighted"
    seconds = PER[str(measure.argument("per"))] if PER_UNIT in parameters else None
    values = COLUMNS["usable" if name == "batches" else name](fitted).astype(np.float64)
    return values if seconds is None else values / (fitted.cut.seconds / seconds)


def bursts(index: TrendIndex, measure: Measure) -> Taken:
    """Return the mean of a metric over the intervals of each entity that have positives."""
    metric, length = trend_of(measure, index)
    cut, place = index.cut(length), index.fitted(metric, WHOLE).place
    means = []
    for counts, cutoff in zip(index.counts(cut), place.tolist(), strict=True):
        alone = counts.at(cutoff)
        positive = alone.positive[:, 0]
        is_burst = measure.definition.name == "burst"
        weight = positive if is_burst else (positive > 0).astype(np.float64)
        value = np.nan_to_num(METRICS[metric](alone))
        means.append(ratio((value * weight).sum(axis=-1), weight.sum(axis=-1)))
    known = [mean[~np.isnan(mean)] for mean in means]
    runs = np.array([each.mean() if len(each) else np.nan for each in known])
    return take(index, runs, lambda: np.concatenate(means))


# Statistics of trends.


def end() -> None:
    """End point.

    The trend of a metric in the last batch of the period.

    a + b x, with x the number of the last batch, whether that is usable or not; not clipped to the
    metric's range.

    Undefined with fewer than 3 usable batches.
    """


def end_se() -> None:
    """Standard error of the end point.

    The HC3 standard error of the end point.

    sqrt(sum of (w e / (1 - h) (1/S + (x0 - m)(x - m)/Sxx))^2), with w the weight, e the residual
    and h the leverage of a batch, x0 the last batch, m the weighted mean of x.

    Undefined with fewer than 3 usable batches.
    """


def t() -> None:
    """T of the slope.

    The slope, divided by its standard error.

    Slope / se, with n - 2 degrees of freedom for n usable batches.

    Undefined with fewer than 3 usable batches, with no residual at all, and where one batch holds
    the line.
    """


def p() -> None:
    """P of the slope.

    The probability of such a slope by chance alone.

    Two-sided p of t with n - 2 degrees of freedom.

    Undefined with fewer than 3 usable batches, with no residual at all, and where one batch holds
    the line.
    """


def spearman() -> None:
    """Rank correlation with time.

    The rank correlation of the metric with the order of batches.

    The rho of Spearman of the usable batches' numbers and the metric.

    Undefined with fewer than 3 usable batches, or if all values are equal.
    """


def spearman_p() -> None:
    """P of the rank correlation.

    The probability of such a rank correlation by chance alone.

    Two-sided p of rho, from t with n - 2 degrees of freedom.

    Undefined with fewer than 3 usable batches, or if all values are equal.
    """


def AD() -> None:  # noqa: N802 - the name of the measure
    """Anderson-Darling.

    The distance of the residuals from a normal distribution.

    A squared of the residuals, mean and deviation estimated.

    Undefined with fewer than 3 usable batches, or without residuals.
    """


def AD_p() -> None:  # noqa: N802 - the name of the measure
    """P of Anderson-Darling.

    The probability of such a distance for normal residuals.

    p of A squared by D'Agostino and Stephens.

    Undefined with fewer than 3 usable batches, or without residuals.
    """


def DW() -> None:  # noqa: N802 - the name of the measure
    """Durbin-Watson.

    The dependence of each residual on the one before: near 2 without any.

    Sum of (e_i - e_(i-1))^2 / sum of e_i^2 over the usable batches in their order; --show fits has
    the bounds and the verdict.

    Undefined with fewer than 3 usable batches, or without residuals.
    """


def intercept() -> None:
    """Intercept.

    The trend in the first batch of the period.

    a, the line at batch 0.

    Undefined with fewer than 3 usable batches.
    """


def batches() -> None:
    """Number of usable batches.

    The number of batches that the trend uses.

    The batches where the metric is defined and the weight is above 0.

    0 without any.
    """


def cutoff() -> None:
    """Cutoff.

    The cutoff with the best end point, which the trend uses.

    Of the cutoffs tried the one with the highest end point, or the lowest for a metric of which
    less is better; of equal ones the lowest.

    Undefined where no cutoff has a trend; not if there is one cutoff alone.
    """


def slope() -> None:
    """Slope.

    The change of the metric over time: a system that gets better, or worse.

    b of the line a + b x through the usable batches, by weighted least squares.

    Undefined with fewer than 3 usable batches.
    """


def se() -> None:
    """Standard error of the slope.

    The HC3 standard error of the slope.

    sqrt(sum of (w e (x - m) / (1 - h))^2) / Sxx, with w the weight, e the residual and h the
    leverage of a batch, m the weighted mean of x.

    Undefined with fewer than 3 usable batches, and where one batch holds the line; 0 without
    residuals.
    """


DOCUMENTED = (
    *(slope, se, end, end_se, t, p, spearman, spearman_p),
    *(AD, AD_p, DW, intercept, batches, cutoff),
)
STATISTICS = {each.__name__.replace("_", "-"): each for each in DOCUMENTED}
"""Every statistic of a trend by its name."""


# Burst-aware means.


def uniform() -> None:
    """Mean over intervals.

    The mean of a metric over intervals with positives, all with the same weight.

    Per entity the mean of the metric over its intervals that have positives; then the mean over the
    entities with positives. At the cutoff that stands for the period.

    An interval where the metric has no value counts as 0; undefined without a positive.
    """


def burst() -> None:
    """Burst-aware mean.

    The mean of a metric over intervals, weighted by their share of the positives.

    Per entity the sum over its intervals of the metric times the interval's share of the entity's
    positives; then the mean over the entities with positives. At the cutoff that stands for the
    period.

    An interval where the metric has no value counts as 0; undefined without a positive.
    """


RANGES = dict.fromkeys(("C_trk", "se", "end-se", "AD"), "0 and above")
RANGES |= dict.fromkeys(("p", "spearman-p", "AD-p"), "0 to 1")
RANGES |= {
    "A": "above 0, to 1",
    "T11U": "all numbers",
    "T11NU": "up to 1; 0 returns nothing",
    "T11SU": "0 to 1; 1/3 returns nothing",
    "spearman": "-1 to 1",
    "DW": "0 to 4; near 2 where it says nothing, lower where residuals follow one another, higher"
    " where each swings back from the one before",
    "batches": "whole numbers",
    "cutoff": "the confidences of the run",
}
"""The ranges of metrics that do not lie between 0 and 1, and of statistics but for all numbers."""
CITATIONS = {"F_1": KBA, "T11U": TREC11, "T11NU": TREC11, "T11SU": TREC11, "C_trk": TDT}
FURTHER = dict.fromkeys(("slope", "se"), (PER_UNIT,))
FURTHER |= dict.fromkeys(("AD", "AD-p", "DW"), (RESIDUALS,))
"""The parameters that some statistics have beside metric and batch."""
TITLES = {
    "t": "t of the slope",
    "p": "p of the slope",
    "spearman-p": "p of the rank correlation",
    "AD-p": "p of Anderson-Darling",
}
"""The titles that a sentence writes in another way."""
ALSO = {"P": ("precision",), "R": ("recall",), "F_1": ("F1",)}
"""What people call measures besides their titles."""
LESS_IS_BETTER = LOWER_IS_BETTER | {"se", "end-se", "AD"}


def define(
    functions: Mapping[str, Callable[..., Any]],
    account: Callable[[TrendIndex, Measure], Taken],
    span: str,
    *parameters: Parameter,
    citation: str = CITATION,
) -> Iterator[Definition]:
    """Yield the definitions of measures that are taken in the same way."""
    for name, function in functions.items():
        yield documented(
            function,
            **({"title": TITLES[name]} if name in TITLES else {}),
            name=name,
            family=FAMILY,
            range=RANGES.get(name, span),
            citation=CITATIONS.get(name, citation),
            also=ALSO.get(name, ()),
            account=account,
            higher_is_better=name not in LESS_IS_BETTER,
            parameters=(*parameters, *FURTHER.get(name, ())),
            bounds=(lambda measure: BOUNDS[metric_of(measure)]) if name == "end" else None,
        )


BURSTS = {"uniform": uniform, "burst": burst}
DEFINITIONS = (
    *define(METRICS, metric_or_statistic, "0 to 1"),
    *define(STATISTICS, metric_or_statistic, "all numbers", OF, BATCH),
    *define(BURSTS, bursts, "that of the metric", OF, BATCH, citation=DIETZ),
)
"""The measures of filtering."""
