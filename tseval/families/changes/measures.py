"""The measures of change detection, over all days of questions, or of topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from tseval.core.frames import FrameIndex
from tseval.core.kernel import KEY, Contributions, ratio, total
from tseval.core.measure import Definition, Measure, Parameter, documented
from tseval.core.results import ContributionResult
from tseval.core.wording import paragraphs_of
from tseval.families.changes import rows
from tseval.io.times import NotANumber, number

FAMILY = "changes"
GUIDELINES = "TREC 2026 Change Detection track, guidelines"
PAPER = (
    "Liu, Moffat, Baldwin and Zhang, Quit While Ahead: Evaluating Truncated Rankings, SIGIR 2016"
)
LEVEL, UNITS, SILENT = "level", "units", "silent"
READS = ("gains", "ties", "order", "missing-date", "missing-topic", "proposed", "question-gain")


def values_of(index: FrameIndex, measure: Measure, name: str) -> list[pl.DataFrame]:
    """Return tables of the units that a measure is about, with the value of each by this name."""
    of, units = measure.definition.name, measure.argument(UNITS)
    value = pl.lit(1.0) if of == UNITS else pl.col(of + "(ideal)" * measure.has("ideal"))
    tables = []
    for kind in (rows.HAS_ANSWER, rows.NIL) if units == rows.OVERALL else (units,):
        table = index[f"{measure.argument(LEVEL)} {kind}"]
        if of == "tRBP" and measure.argument("p") != PERSISTENCE.default:
            p = float(str(measure.argument("p")))
            table = rows.persistent_gains(table.drop("tRBP"), index["worthy"], p)
        tables.append(table.select(*KEY, "time", "slot", value.alias(name), below=1.0))
    return tables


def average(index: FrameIndex, measure: Measure) -> ContributionResult:
    """Return the mean of a measure over the units of each run and topic, as the rules take it."""
    tables = values_of(index, measure, "above")
    return index.result(Contributions(tables, ratio(), inner=("slot",), weight="below"))


def number_of_units(index: FrameIndex, measure: Measure) -> ContributionResult:
    """Number of units.

    The number of units in a mean.

    Known questions times days, of rankings of questions topics times days; `all` is the sum over
    topics.

    0.
    """
    tables = [table.drop("slot", "below") for table in values_of(index, measure, "number")]
    counts = Contributions(tables, lambda sums: sums.with_columns(value="number"))
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
        default=rows.QUESTION_LEVEL,
        choices=(rows.DOCUMENT_LEVEL, rows.QUESTION_LEVEL),
    ),
    Parameter(
        UNITS,
        "all units, those on which there is something to return, or those on which there is "
        "nothing",
        default=rows.OVERALL,
        choices=(rows.OVERALL, rows.HAS_ANSWER, rows.NIL),
    ),
)
PERSISTENCE = Parameter(
    "p",
    "how likely a reader goes on to the next item",
    default=f"{rows.USUAL_P}",
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


def of_end(
    value: Callable[..., Any], name: str, span: str, *more: Parameter, ap: bool = False
) -> Definition:
    """Return the definition of a measure of rankings that have an end."""
    return documented(
        value,
        name=name,
        family=FAMILY,
        formula=f"{paragraphs_of(value)[2]}; {END}. A unit is a topic's questions on a day, or "
        "with level=documents a question on a day; a mean over days, then questions, then topics",
        empty_case=NOTHING,
        range=span,
        citation=f"{PAPER}; {GUIDELINES}",
        account=average,
        parameters=(*more, *OF_UNITS),
        reads=(*READS, "average", *(["ap"] if ap else [])),
    )


DEFINITIONS = (
    of_end(rows.reciprocal_rank, "tRR", "0 to 1"),
    of_end(rows.persistent_gains, "tRBP", "0 to the largest gain", PERSISTENCE),
    of_end(rows.discounted_gain, "tNDCG", "0 to 1; with --rule gains=scaled up to 1.48 and above"),
    of_end(
        rows.average_precision,
        "tAP",
        "0 to 1 with binary gains; 0 and above with others",
        BY_IDEAL,
        ap=True,
    ),
    Definition(
        name=SILENT,
        family=FAMILY,
        citation=GUIDELINES,
        parameters=OF_UNITS,
        title="share of silent units",
        summary="the share of units without results: right on nil units, wrong on others",
        formula="units on which nothing is returned / units; a mean as that of the other measures",
        empty_case=NOTHING,
        range="0 to 1",
        account=average,
        higher_is_better=False,
        turned_by=(f"{UNITS}={rows.NIL}",),
        reads=("missing-date", "proposed", "question-gain", "average"),
    ),
    documented(
        number_of_units,
        name=UNITS,
        family=FAMILY,
        citation=GUIDELINES,
        parameters=OF_UNITS,
        range="0 and above",
        account=number_of_units,
        reads=("proposed", "question-gain"),
    ),
)
"""The measures of change detection."""
