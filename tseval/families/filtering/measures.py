"""The measures of filtering: metrics of batches, their trends, and burst-aware means.

What is measured in a batch stands in `tseval.families.filtering.metrics`; the statistics of a trend
come from an index that knows them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tseval.core.measure import Definition, Measure, Parameter
from tseval.core.results import Taken
from tseval.families.filtering.metrics import BOUNDS, LOWER_IS_BETTER, METRICS
from tseval.tables.times import UNITS, duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tseval.families.filtering.index import TrendIndex

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
"""In what time slopes may be told, and its seconds."""


def whole(index: TrendIndex, measure: Measure) -> Taken:
    """A metric over the whole period."""
    return index.whole(measure.definition.name)


def statistic(index: TrendIndex, measure: Measure) -> Taken:
    """A statistic of a trend."""
    name, metric, batch = _asked(index, measure)
    parameters = {parameter.name for parameter in measure.definition.parameters}
    weighted = "residuals" in parameters and measure.argument("residuals") == "weighted"
    return index.statistic(name, metric, batch, weighted)


def slope(index: TrendIndex, measure: Measure) -> Taken:
    """A slope or its error, in the unit of time asked for."""
    return index.slope(*_asked(index, measure), PER[str(measure.argument("per"))])


def bursts(index: TrendIndex, measure: Measure) -> Taken:
    """A burst-aware mean."""
    name, metric, batch = _asked(index, measure)
    return index.bursts(metric, batch, weighted=name == "burst")


def _asked(index: TrendIndex, measure: Measure) -> tuple[str, str, str]:
    return measure.definition.name, str(measure.argument("of")), index.length_of(measure)


def is_of_batches(measure: Measure) -> bool:
    """Whether a measure is taken from batches, and not from the period as a whole."""
    return any(parameter.name == "batch" for parameter in measure.definition.parameters)


def has_trend(measure: Measure) -> bool:
    """Whether a measure is a statistic of a trend."""
    return is_of_batches(measure) and measure.definition.account is not bursts


def metric_of(measure: Measure) -> str:
    """The metric that a measure is, or is taken from."""
    return str(measure.argument("of")) if is_of_batches(measure) else measure.definition.name


OF = Parameter("of", "the metric whose trend it is", default="", choices=tuple(METRICS), bare=True)
BATCH = Parameter(
    "batch",
    "how long a batch lasts; without it every length asked for by --batch",
    default="",
    choices=("1d", "7d", "30d"),
    parse=duration,
)
PER_UNIT = Parameter("per", "the unit of time", default="batch", choices=tuple(PER))
RESIDUALS = Parameter(
    "residuals",
    "as they are, or each times the root of its batch's weight",
    default="raw",
    choices=("raw", "weighted"),
)
UNDEFINED_TREND = "undefined with fewer than 3 usable batches"
UNDEFINED_TEST = f"{UNDEFINED_TREND}, with no residual at all, and where one batch holds the line"

_ENTITIES = "mean over the entities with a positive"
_METRICS: Mapping[str, tuple[str, str, str, str, str, str]] = {
    "P": (
        "macro precision",
        "how much of what was returned is right, entity by entity",
        f"{_ENTITIES} of TP / (TP + FP), 0 for an entity of which nothing was returned",
        "undefined without a positive",
        "0 to 1",
        CITATION,
    ),
    "R": (
        "macro recall",
        "how much of what is right was returned, entity by entity",
        f"{_ENTITIES} of TP / (TP + FN)",
        "undefined without a positive",
        "0 to 1",
        CITATION,
    ),
    "A": (
        "aptness",
        "how few false positives there are, entity by entity",
        "mean over the entities that have a positive or were returned of zeta / (zeta + FP), zeta 1"
        " unless --zeta says otherwise",
        "1 where there is no such entity",
        "above 0, to 1",
        CITATION,
    ),
    "F_pr": (
        "F of P and R",
        "the harmonic mean of P and R",
        "2 P R / (P + R); 0 if P or R is 0. With --f-weights p,r,a (p + r) / (p/P + r/R)",
        "undefined without a positive",
        "0 to 1",
        CITATION,
    ),
    "F_pra": (
        "F of P, R and A",
        "the harmonic mean of P, R and A, which has a value without ground truth too",
        "3 / (1/P + 1/R + 1/A); 0 if any of them is 0; A alone without a positive. So in a batch"
        " with positives and without a hit it is 0, and more false positives do not lower it. With"
        " --f-weights p,r,a (p + r + a) / (p/P + r/R + a/A)",
        "never undefined: A where there is no positive",
        "0 to 1",
        CITATION,
    ),
    "F_1": (
        "F1, blind to time",
        "the usual score: F of macro P and macro R over the whole period",
        "2 P R / (P + R) of the macro P and R of the period; in a batch the same as F_pr with equal"
        " weights",
        "undefined without a positive",
        "0 to 1",
        KBA,
    ),
    "T11U": (
        "utility",
        "what a user gains who pays one for a false positive and gets two for a hit, as it is",
        f"{_ENTITIES} of 2 TP - FP",
        "undefined without a positive",
        "all numbers",
        TREC11,
    ),
    "T11SU": (
        "scaled utility",
        "T11U by the largest that there can be, scaled to what no user would fall below",
        f"{_ENTITIES} of (max((2 TP - FP) / (2 (TP + FN)), -0.5) + 0.5) / 1.5",
        "undefined without a positive",
        "0 to 1; 1/3 returns nothing",
        TREC11,
    ),
    "C_trk": (
        "normalised detection cost",
        "the cost of misses and false alarms, where 1 is what returning nothing costs",
        f"{_ENTITIES} of (Cmiss P FN / (TP + FN) + Cfa (1 - P) FP / (FP + TN)) / min(Cmiss P,"
        " Cfa (1 - P)), with Cmiss 1, Cfa 0.1, P 0.02 unless --costs says otherwise; TN are judged"
        " pairs, and an entity without negatives has no false alarm",
        "undefined without a positive",
        "0 and above",
        TDT,
    ),
    "FPR": (
        "false positive rate",
        "how much of what is wrong was returned, entity by entity",
        "mean over the entities with a negative of FP / (FP + TN); TN are judged pairs",
        "undefined without a negative",
        "0 to 1",
        CITATION,
    ),
    "FDR": (
        "false discovery rate",
        "how much of what was returned is wrong, entity by entity",
        "mean over the entities of which something was returned of FP / (TP + FP)",
        "undefined where nothing was returned",
        "0 to 1",
        CITATION,
    ),
}


def _definition(name: str, told: Sequence[str], **more: Any) -> Definition:
    """A definition from its title, summary, formula, empty case and range."""
    title, summary, formula, empty, span = told
    return Definition(
        name=name,
        family=FAMILY,
        title=title,
        summary=summary,
        formula=formula,
        empty_case=empty,
        range=span,
        **more,
    )


def _metric_definitions() -> Iterator[Definition]:
    for name, (*told, citation) in _METRICS.items():
        better = name not in LOWER_IS_BETTER
        yield _definition(name, told, citation=citation, account=whole, higher_is_better=better)


_STATISTICS: Mapping[str, tuple[str, str, str, str, str]] = {
    "end": (
        "end point",
        "where the trend of a metric has got to in the last batch of the period",
        "a + b x, with x the number of the last batch, whether that is usable or not; not clipped"
        " to the metric's range",
        UNDEFINED_TREND,
        "all numbers",
    ),
    "end-se": (
        "error of the end point",
        "the HC3 standard error of the end point",
        "sqrt(sum of (w e / (1 - h) (1/S + (x0 - m)(x - m)/Sxx))^2), with w the weight, e the"
        " residual and h the leverage of a batch, x0 the last batch, m the weighted mean of x",
        UNDEFINED_TREND,
        "0 and above",
    ),
    "t": (
        "t of the slope",
        "whether the slope differs from 0",
        "slope / se, with n - 2 degrees of freedom for n usable batches",
        UNDEFINED_TEST,
        "all numbers",
    ),
    "p": (
        "p of the slope",
        "how often chance alone gives such a slope",
        "two-sided p of t with n - 2 degrees of freedom",
        UNDEFINED_TEST,
        "0 to 1",
    ),
    "spearman": (
        "rank correlation with time",
        "whether the metric moves one way",
        "Spearman's rho of the usable batches' numbers and the metric",
        f"{UNDEFINED_TREND}, or if all values are equal",
        "-1 to 1",
    ),
    "spearman-p": (
        "p of the rank correlation",
        "how often chance alone gives such a rank correlation",
        "two-sided p of rho, from t with n - 2 degrees of freedom",
        f"{UNDEFINED_TREND}, or if all values are equal",
        "0 to 1",
    ),
    "AD": (
        "Anderson-Darling",
        "how far the residuals are from a normal law",
        "A squared of the residuals, mean and deviation estimated",
        f"{UNDEFINED_TREND}, or without residuals",
        "0 and above",
    ),
    "AD-p": (
        "p of Anderson-Darling",
        "how often normal residuals are so far from a normal law",
        "p of A squared by D'Agostino and Stephens",
        f"{UNDEFINED_TREND}, or without residuals",
        "0 to 1",
    ),
    "DW": (
        "Durbin-Watson",
        "whether a residual says something about the next",
        "sum of (e_i - e_(i-1))^2 / sum of e_i^2 over the usable batches in their order;"
        " --show fits has the bounds and the verdict",
        f"{UNDEFINED_TREND}, or without residuals",
        "0 to 4; near 2 where it says nothing, lower where residuals follow one another, higher"
        " where each swings back from the one before",
    ),
    "intercept": (
        "intercept",
        "the trend in the first batch of the period",
        "a, the line at batch 0",
        UNDEFINED_TREND,
        "all numbers",
    ),
    "batches": (
        "usable batches",
        "through how many batches the trend goes",
        "the batches where the metric is defined and the weight is above 0",
        "0 without any",
        "whole numbers",
    ),
    "cutoff": (
        "cutoff",
        "the cutoff with the best end point, at which the trend is taken",
        "of the cutoffs tried the one with the highest end point, or the lowest for a metric of"
        " which less is better; of equal ones the lowest",
        "undefined where no cutoff has a trend; not if there is one cutoff alone",
        "the confidences of the run",
    ),
}
_LOWER = {"end-se", "AD"}


def _bounds(measure: Measure) -> tuple[float, float]:
    return BOUNDS.get(str(measure.argument("of")), (0.0, 1.0))


def _statistic_definitions() -> Iterator[Definition]:
    for name, told in _STATISTICS.items():
        checked = (RESIDUALS,) if name in ("AD", "AD-p", "DW") else ()
        yield _definition(
            name,
            told,
            citation=CITATION,
            account=statistic,
            higher_is_better=name not in _LOWER,
            parameters=(OF, BATCH, *checked),
            bounds=_bounds if name == "end" else None,
        )


_SLOPES = (
    Definition(
        name="slope",
        family=FAMILY,
        title="slope",
        summary="whether a system gets better or worse with time, and how fast",
        formula="b of the line a + b x through the usable batches, by weighted least squares",
        empty_case=UNDEFINED_TREND,
        range="all numbers",
        citation=CITATION,
        account=slope,
        parameters=(OF, BATCH, PER_UNIT),
    ),
    Definition(
        name="se",
        family=FAMILY,
        title="error of the slope",
        summary="the HC3 standard error of the slope",
        formula="sqrt(sum of (w e (x - m) / (1 - h))^2) / Sxx, with w the weight, e the residual"
        " and h the leverage of a batch, m the weighted mean of x",
        empty_case=f"{UNDEFINED_TREND}, and where one batch holds the line; 0 without residuals",
        range="0 and above",
        citation=CITATION,
        account=slope,
        higher_is_better=False,
        parameters=(OF, BATCH, PER_UNIT),
    ),
)
_BURSTS = (
    Definition(
        name="uniform",
        family=FAMILY,
        title="mean over intervals",
        summary="a metric of single intervals, each entity's interval with positives alike",
        formula="per entity the mean of the metric over its intervals that have positives; then the"
        " mean over the entities with positives. At the cutoff that stands for the period",
        empty_case="an interval where the metric has no value counts as 0; undefined without a"
        " positive",
        range="that of the metric",
        citation=DIETZ,
        account=bursts,
        parameters=(OF, BATCH),
    ),
    Definition(
        name="burst",
        family=FAMILY,
        title="burst-aware mean",
        summary="a metric of single intervals, where much happens with more weight",
        formula="per entity the sum over its intervals of the metric times the interval's share of"
        " the entity's positives; then the mean over the entities with positives. At the cutoff"
        " that stands for the period",
        empty_case="an interval where the metric has no value counts as 0; undefined without a"
        " positive",
        range="that of the metric",
        citation=DIETZ,
        account=bursts,
        parameters=(OF, BATCH),
    ),
)
DEFINITIONS = (*_metric_definitions(), *_SLOPES, *_statistic_definitions(), *_BURSTS)
"""The measures of filtering."""
