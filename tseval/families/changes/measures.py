"""The measures of change detection, over all days of questions, or of topics."""

from __future__ import annotations

from functools import partial

import polars as pl

from tseval.core.contributions import ContributionResult
from tseval.core.frames import FrameIndex
from tseval.core.kernel import KEY, Contributions, ratio, total
from tseval.core.measure import Definition, Measure, Parameter
from tseval.families.changes.rows import DOCUMENT_LEVEL, QUESTION_LEVEL
from tseval.tables.times import NotANumber, number

FAMILY = "changes"
GUIDELINES = "TREC 2026 Change Detection track, guidelines"
PAPER = (
    "Liu, Moffat, Baldwin and Zhang, Quit While Ahead: Evaluating Truncated Rankings, SIGIR 2016"
)
SETS = OVERALL, HAS_ANSWER, NIL = "overall", "has-answer", "nil"
"""All units, those on which there is something to return, and the others."""
LEVEL, UNITS, SILENT = "level", "units", "silent"
READS = ("gains", "ties", "order", "missing-date", "missing-topic", "proposed", "question-gain")


def values_of(index: FrameIndex, measure: Measure) -> pl.LazyFrame:
    """Return the units that a measure is about, with the `value` of each."""
    name, units, frame = measure.definition.name, measure.argument(UNITS), index["units"].lazy()
    if name == "tRBP":
        frame = persistent_gains(index, float(str(measure.argument("p"))))
    frame = frame.filter(pl.col("level") == measure.argument(LEVEL))
    if units != OVERALL:
        frame = frame.filter((pl.col("total") > 0) == (units == HAS_ANSWER))
    value = pl.lit(1.0) if name == UNITS else pl.col(name + "(ideal)" * measure.has("ideal"))
    return frame.select(*KEY, "time", "slot", value=value)


def persistent_gains(index: FrameIndex, p: float) -> pl.LazyFrame:
    """Return all units with tRBP, by how likely a reader goes on to the next item."""
    worthy, mean = index["items"].lazy().filter(pl.col("mean") > 0), pl.col("mean")
    gain = (1 - p) * mean * pl.lit(p).pow(pl.col("rank") - 1)
    gains = worthy.group_by("unit").agg(gain=total(gain))
    units = index["units"].lazy().join(gains, on="unit", how="left", maintain_order="left")
    end = pl.col("end") * pl.lit(p).pow(pl.col("depth"))
    return units.with_columns(tRBP=pl.col("gain").fill_null(0.0) + end)


def average(index: FrameIndex, measure: Measure) -> ContributionResult:
    """Return the mean of a measure over the units of each run and topic, as the rules take it."""
    table = values_of(index, measure).rename({"value": "above"}).with_columns(below=1.0).collect()
    return index.result(Contributions([table], ratio(), inner=("slot",), weight="below"))


def number_of_units(index: FrameIndex, measure: Measure) -> ContributionResult:
    """Return the number of units that a mean is taken over; of a run all of them."""
    table = values_of(index, measure).drop("slot").rename({"value": "number"}).collect()
    counts = Contributions([table], lambda sums: sums.with_columns(value="number"))
    return index.result(counts, lambda values: values.group_by("run").agg(total(pl.col("value"))))


def probability(text: str) -> float:
    """Return a number between 0 and 1."""
    value = number(text)
    if not 0 < value < 1:
        raise NotANumber(f'"{text}" is not between 0 and 1')
    return value


OF_UNITS = (
    Parameter(
        LEVEL,
        "the rankings of a topic's questions, or of each question's documents",
        default=QUESTION_LEVEL,
        choices=(DOCUMENT_LEVEL, QUESTION_LEVEL),
    ),
    Parameter(
        UNITS,
        "all units, those on which there is something to return, or those on which there is "
        "nothing",
        default=OVERALL,
        choices=(OVERALL, HAS_ANSWER, NIL),
    ),
)
PERSISTENCE = Parameter(
    "p",
    "how likely a reader goes on to the next item",
    default="0.5",
    choices=("0.5", "0.8", "0.95"),
    parse=probability,
)
BY_IDEAL = Parameter(
    "ideal", "divide by the sum of the ideal ranking, as --rule ap=ideal does", "", flag=True
)
NOTHING = "undefined in a topic without such a unit; a question without one is left out of the mean"
END = (
    "g1 to gd are the gains of what is returned, R all relevant gain; the end, t, is worth 1 if "
    "R = 0, else (g1 + … + gd) / R"
)


of_units = partial(Definition, family=FAMILY, citation=GUIDELINES, parameters=OF_UNITS)


def of_end(
    name: str, title: str, summary: str, formula: str, span: str, *more: Parameter, ap: bool = False
) -> Definition:
    """Return the definition of a measure of rankings that have an end."""
    return of_units(
        name=name,
        title=title,
        summary=summary,
        formula=f"{formula}; {END}. A unit is a topic's questions on a day, or with "
        "level=documents a question on a day; a mean over days, then questions, then topics",
        empty_case=NOTHING,
        range=span,
        citation=f"{PAPER}; {GUIDELINES}",
        account=average,
        parameters=(*more, *OF_UNITS),
        reads=(*READS, "average", *(["ap"] if ap else [])),
    )


DEFINITIONS = (
    of_end(
        "tRR",
        "truncated reciprocal rank",
        "how far up the first item of worth stands",
        "1 / the first rank with a gain above 0 among g1 to gd and t; 0 if there is none",
        "0 to 1",
    ),
    of_end(
        "tRBP",
        "truncated rank-biased precision",
        "what a reader gains who goes on with probability p, and stops with the ranking",
        "(1 - p) * sum of g_i p^(i-1) + t p^d",
        "0 to the largest gain",
        PERSISTENCE,
    ),
    of_end(
        "tNDCG",
        "truncated normalised discounted cumulative gain",
        "the discounted gain of the ranking and its end, of that of the ideal one",
        "sum of g_i / log2(i+1) over g1 to gd and t, divided by the same of all relevant gains, "
        "falling, then 1, cut after d+1 ranks",
        "0 to 1; with --rule gains=scaled up to 1.48 and above",
    ),
    of_end(
        "tAP",
        "truncated average precision",
        "the mean gain so far wherever there is gain, the end among it",
        "sum of g_i (g1 + … + g_i) / i over g1 to gd and t, divided by R + 1",
        "0 to 1 with binary gains; 0 and above with others",
        BY_IDEAL,
        ap=True,
    ),
    of_units(
        name=SILENT,
        title="share of silence",
        summary="how often nothing is returned: right on nil units, wrong on has-answer units",
        formula="units on which nothing is returned / units; a mean as that of the other measures",
        empty_case=NOTHING,
        range="0 to 1",
        account=average,
        higher_is_better=False,
        turned_by=(f"{UNITS}={NIL}",),
        reads=("missing-date", "proposed", "question-gain", "average"),
    ),
    of_units(
        name=UNITS,
        title="units",
        summary="how many units a mean is taken over",
        formula="known questions times days, of rankings of questions topics times days; `all` is "
        "the sum over topics",
        empty_case="0",
        range="0 and above",
        account=number_of_units,
        reads=("proposed", "question-gain"),
    ),
)
"""The measures of change detection."""
