"""The measures of timelines: dates, and ROUGE by days, as tilse computes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import polars as pl

from tseval.core.kernel import ALWAYS, KEY, Contributions, divided
from tseval.core.measure import Argument, Definition, Measure, Parameter, documented
from tseval.core.results import ContributionResult
from tseval.errors import MeasureError
from tseval.families.timelines import rows
from tseval.families.timelines.rows import TimelineIndex, once
from tseval.families.timelines.words import ORIGINAL, REIMPL, Wording
from tseval.io.times import NotANumber, number

FAMILY = "timelines"
TILSE = (
    "Martschat & Markert, Improving ROUGE for Timeline Summarization, EACL 2017; tilse 0.2.1, "
    "timelines.md"
)
SIZES = {"rouge_1": 1, "rouge_2": 2}
PRECISION, RECALL, F = "P", "R", "F"
PAPER = {
    rows.AGREEMENT: "agree",
    rows.ALIGN: "align",
    rows.ALIGN_CONTENT: "align+",
    rows.MANY_TO_ONE: "align+m:1",
}
"""What papers call the metrics that tilse has other names for."""
METRICS = {paper: metric for metric, paper in PAPER.items()}
ROUGE = (rows.CONCAT, *PAPER)


class Ways(NamedTuple):
    """What a measure counts: a metric by tilse's name, the words, n, and the days apart."""

    metric: str
    wording: Wording
    size: int
    within: int


def ways_of(measure: Measure, index: TimelineIndex) -> Ways:
    """Return what a measure counts, by the rules where it does not say so."""
    name, rules = measure.definition.name, index.rules
    metric = METRICS.get(name, name)
    backend = next((each for each in (ORIGINAL, REIMPL) if measure.has(each)), rules.backend)
    wording = Wording(backend, rules.stem == "yes", rules.stop_words == "dropped")
    size = next((size for each, size in SIZES.items() if measure.has(each)), 1)
    within = measure.argument("within") if metric == rows.DATES else "0"
    return Ways(metric, wording, size, int(str(within)))


def is_side(measure: Measure) -> bool:
    """Return whether it is precision or recall, and not F of both."""
    return measure.has(PRECISION) or measure.has(RECALL)


def choose(measure: Measure) -> pl.Expr:
    """Return what a measure is of precision and recall: either of them, or F of both."""
    precision, recall = pl.col(PRECISION), pl.col(RECALL)
    if is_side(measure):
        return precision if measure.has(PRECISION) else recall
    square = float(str(measure.argument("beta"))) ** 2
    both = (1 + square) * precision * recall
    return divided(both, square * precision + recall, empty=0.0)


@once
def contributions(index: TimelineIndex, ways: Ways) -> pl.DataFrame:
    """Return what precision and recall are sums of, each day when its summary was there."""
    days = rows.match_days(index, *ways)
    gain, ngrams = (
        (pl.col("hits") * pl.col("weight")).fill_null(0.0),
        pl.col("ngrams").cast(pl.Int32),
    )
    own, other = days.filter("is_own"), days.filter(~pl.col("is_own"))
    parts = [
        own.select(*KEY, "time", precise=gain, predicted=ngrams),
        other.select(*KEY, "time", recalled=gain),
        other.select(*KEY, time=ALWAYS, reference=ngrams),
        rows.undefined(index, *ways[:-1]).select(*KEY, time=ALWAYS, failed=pl.lit(1, pl.Int8)),
    ]
    return pl.concat(parts, how="diagonal")


def divide_sums(sums: pl.DataFrame, value: pl.Expr) -> pl.DataFrame:
    """Return precision and recall of sums, and what a measure is of them."""
    precision = divided("precise", "predicted", empty=0.0)
    sides = sums.with_columns(P=precision, R=divided("recalled", "reference", empty=0.0))
    return sides.with_columns(value=value)


def take(index: TimelineIndex, measure: Measure) -> ContributionResult:
    """Return a measure of every run and topic, undefined where tilse gives an error."""
    value = pl.when(pl.col("failed") == 0).then(choose(measure))
    table = contributions(index, ways_of(measure, index))
    score = partial(divide_sums, value=value)
    return index.result(Contributions([table], score))


def read_positive(text: str) -> float:
    """Return a number above 0."""
    value = number(text)
    if value <= 0:
        raise NotANumber(f"'{text}' is no number above 0")
    return value


def read_all(text: str) -> int:
    """Return a whole number of days."""
    if not text.isascii() or not text.isdigit():
        raise NotANumber(f"'{text}' is no whole number of days")
    return int(text)


def check_arguments(given: Mapping[str, Argument]) -> None:
    """Refuse arguments that exclude each other."""
    for choices in (tuple(SIZES), (PRECISION, RECALL, F), (ORIGINAL, REIMPL)):
        both = [name for name in choices if name in given]
        if len(both) > 1:
            raise MeasureError(f"choose one of {' and '.join(both)}")
    if "beta" in given and (PRECISION in given or RECALL in given):
        raise MeasureError("beta is for F alone")


VALUE = (
    Parameter(PRECISION, "precision in the place of F", "", flag=True),
    Parameter(RECALL, "recall in the place of F", "", flag=True),
    Parameter(F, "F, which it is without this too", "", flag=True),
)
BETA = Parameter(
    "beta", "how much recall weighs in F: b", "1", ("0.5", "1", "2"), parse=read_positive
)
APART = "how many days apart two dates may be that count as one; each date counts once"
WITHIN = Parameter("within", APART, "0", ("0", "1", "7"), parse=read_all)
WORDS = (
    Parameter("rouge_1", "single words, which it is without this too", "", flag=True),
    Parameter("rouge_2", "pairs of words", "", flag=True),
)
BACKENDS = (
    Parameter(ORIGINAL, "counts as ROUGE-1.5.5 does", "", flag=True),
    Parameter(REIMPL, "counts as tilse's own ROUGE in Python does", "", flag=True),
)


def dates() -> None:
    """Dates.

    The agreement between the days of a timeline and those of the references.

    P = |D and E| / |D|, R = |D and E| / |E| for predicted days D and days E of any reference; F =
    (1 + b^2) P R / (b^2 P + R)

    Undefined where either side has no dates; 0 for a topic that a run lacks.
    """


def concat() -> None:
    """ROUGE of all days joined.

    The overlap of n-grams between all days together and the references.

    P = h / p, R = h / m of all days joined in their order; h, p and m are the n-grams shared,
    predicted and of the references, added over these; F = (1 + b^2) P R / (b^2 P + R)

    Undefined where no n-gram can be counted on either side; 0 for a topic that a run lacks.
    """


def agreement() -> None:
    """ROUGE of equal days (agree).

    The overlap of n-grams between summaries of the same day.

    P = sum of h / sum of p over predicted days, R = sum of h / sum of m over reference days; h, p
    and m are the n-grams shared, predicted and of the references, added over these; F = (1 + b^2) P
    R / (b^2 P + R)

    0 where nothing can be counted; 0 for a topic that a run lacks.
    """


def align_date_costs() -> None:
    """ROUGE of days aligned by date (align).

    The overlap of n-grams with a nearby day, discounted by the days between.

    P = sum of w h / sum of p, R = sum of w h / sum of m, w = 1 / (days apart + 1); h, p and m are
    the n-grams shared, predicted and of the references, added over these; days are aligned at the
    least cost, for P each predicted day, for R each reference day; one to one, cost c = 1 - w; F =
    (1 + b^2) P R / (b^2 P + R)

    Undefined where either side has no dates; 0 where no n-gram can be counted; 0 for a topic that a
    run lacks.
    """


def align_date_content_costs() -> None:
    """ROUGE of days aligned by date and words (align+).

    The same as align_date_costs, but shared words also align days.

    P = sum of w h / sum of p, R = sum of w h / sum of m, w = 1 / (days apart + 1); h, p and m are
    the n-grams shared, predicted and of the references, added over these; days are aligned at the
    least cost, for P each predicted day, for R each reference day; one to one, cost c (1 - A),
    where A is the F1 of plain words; F = (1 + b^2) P R / (b^2 P + R)

    Undefined where either side has no dates; 0 where no n-gram can be counted; 0 for a topic that a
    run lacks.
    """


def align_date_content_costs_many_to_one() -> None:
    """ROUGE of days aligned many to one (align+ m:1).

    The same as align_date_content_costs, but several days may align with one.

    P = sum of w h / sum of p, R = sum of w h / sum of m, w = 1 / (days apart + 1); h, p and m are
    the n-grams shared, predicted and of the references, added over these; days are aligned at the
    least cost, for P each predicted day, for R each reference day; each day to the cheapest, cost c
    (1 - A), where A is the F1 of plain words; the earliest of several; F = (1 + b^2) P R / (b^2 P +
    R)

    Undefined where either side has no dates; 0 where no n-gram can be counted, and where neither
    side has dates; 0 for a topic that a run lacks.
    """


def define(function: Callable[[], None], **more: Any) -> Definition:
    """Return the definition of a measure."""
    constant = {"family": FAMILY, "range": "0 to 1", "citation": TILSE, "check": check_arguments}
    return documented(function, account=take, **constant, **more)


N_GRAMS = (*WORDS, *VALUE, *BACKENDS, BETA)
OF_ROUGE = (
    *(concat, agreement, align_date_costs, align_date_content_costs),
    align_date_content_costs_many_to_one,
)
OF_TILSE = (
    define(dates, parameters=(*VALUE, BETA, WITHIN)),
    *(define(e, parameters=N_GRAMS, reads=("backend", "stem", "stop-words")) for e in OF_ROUGE),
)
OF_PAPERS = tuple(
    replace(each, name=PAPER[each.name], title=f"{each.name}, by its name in papers")
    for each in OF_TILSE
    if each.name in PAPER
)
DEFINITIONS = (*OF_TILSE, *OF_PAPERS)
"""The measures of timelines, by tilse's names and by those of the papers."""
