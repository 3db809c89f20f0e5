"""The measures of CrisisFACTS: means over the requests of an event, each a quotient of counts."""

from __future__ import annotations

import polars as pl

from tseval.core.frames import FrameIndex
from tseval.core.kernel import KEY, Contributions, divided, mean, ratio
from tseval.core.measure import Measure, documented
from tseval.core.results import Result

NAME = "crisisfacts"
NOTEBOOK = "CrisisFACTS 2023, notebook of the assessors' scores in the track's repository"
PAPER = "Buntain et al. (2023): CrisisFACTS 2022, overview of the track's manual evaluation"


def redundancy() -> pl.Expr:
    """Redundancy, a graded precision.

    The mean score of the run's collapsed facts: higher is better. It is a precision; it does not
    measure repetition.

    Sum of the scores of the run's collapsed facts / their number; USEFUL 1, REDUNDANT .5, else 0,
    the best label of a fact; a mean over the requests of an event, then over events.

    Undefined where the run has no fact; such a request is left out of the mean, or is 0 there with
    --on-missing zero.
    """
    return divided("score", "facts", empty=0.0)


def comprehensiveness() -> pl.Expr:
    """Comprehensiveness.

    The share of the useful or gold facts that the run reports.

    2023: the run's collapsed facts with a score above 0 / all of those; 2022: gold facts that an
    item matches, of as many items a day as there are facts / gold facts; a mean over the requests
    of an event, then over events.

    2023: without a fact in the request; such a request is left out of the mean, or is 0 there with
    --on-missing zero; 2022: 0 without an item.
    """
    return divided("said", "gold")


def f1() -> pl.Expr:
    """F1.

    The harmonic mean of redundancy, which is a precision, and comprehensiveness.

    2 r c / (r + c), 0 if both are 0; of an event from its two means, of a run from the two means
    over events.

    Undefined where they are.
    """
    return harmonic_mean(redundancy(), comprehensiveness())


def lagged() -> pl.Expr:
    """Share of old facts.

    The share of the run's facts that are true but old.

    The run's collapsed facts with a label LAGGED_FACT / its collapsed facts; a mean over the
    requests of an event, then over events.

    Undefined where the run has no fact; such a request is left out of the mean; refused where no
    label is LAGGED_FACT.
    """
    return divided("lagged", "facts")


def unique_per_match() -> pl.Expr:
    """Facts per match.

    The number of distinct facts per match: 1 without repetition.

    Gold facts that an item matches / matches of items and gold facts, of as many items a day as
    there are facts; a mean over the requests of an event, then over events.

    Undefined without a match; such a request is left out of the mean.
    """
    return divided("said", "matches")


def redundancy_ratio() -> pl.Expr:
    """Redundancy ratio.

    The share of matches that repeat a fact.

    1 - unique_per_match; a mean over the requests of an event, then over events.

    Undefined without a match; such a request is left out of the mean.
    """
    return 1 - unique_per_match()


def assessed() -> pl.Expr:
    """Share of assessed items.

    The share of the run's counted items that assessors judged.

    Assessed items / items, of as many a day as there are facts; a mean over the requests of an
    event, then over events.

    Undefined without an item; such a request is left out of the mean.
    """
    return divided("assessed", "items")


def matched() -> pl.Expr:
    """Share of matched items.

    The share of assessed items that match a gold fact.

    Matched items / assessed items, of as many a day as there are facts; a mean over the requests of
    an event, then over events.

    Undefined without an assessed item; such a request is left out of the mean.
    """
    return divided("matched", "assessed")


def unmatched() -> pl.Expr:
    """Share of unmatched items.

    The share of assessed items that are relevant but match no gold fact.

    Unmatched items / assessed items, of as many a day as there are facts; a mean over the requests
    of an event, then over events.

    Undefined without an assessed item; such a request is left out of the mean.
    """
    return divided("unmatched", "assessed")


def irrelevant() -> pl.Expr:
    """Share of irrelevant items.

    The share of assessed items that are irrelevant.

    Irrelevant items / assessed items, of as many a day as there are facts; a mean over the requests
    of an event, then over events.

    Undefined without an assessed item; such a request is left out of the mean.
    """
    return divided("irrelevant", "assessed")


def skipped() -> pl.Expr:
    """Share of skipped items.

    The share of assessed items that the assessors skipped.

    Skipped items / assessed items, of as many a day as there are facts; a mean over the requests of
    an event, then over events.

    Undefined without an assessed item; such a request is left out of the mean.
    """
    return divided("skipped", "assessed")


def harmonic_mean(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    """Return the harmonic mean of two values, 0 if both are 0 and undefined if one is."""
    both = one.is_not_null() & other.is_not_null()
    return pl.when(both).then(divided(2 * one * other, one + other, empty=0.0))


def average(index: FrameIndex, measure: Measure) -> Result:
    """Return the mean of a measure over requests, each dated by the end of its day."""
    value = VALUES[measure.definition.name]()
    cells = index["cells"].filter(value.is_not_null())
    table = cells.select(*KEY, "time", above=value, below=1.0)
    return index.result(Contributions([table], ratio()))


def average_both(index: FrameIndex, _: Measure) -> Result:
    """Return the harmonic mean of two means: of an event of its own two, of a run of its two."""
    amounts = {"one": redundancy(), "other": comprehensiveness()}
    table = index["cells"].select(*KEY, "time", number=1.0, **amounts)
    value = harmonic_mean(pl.col("one"), pl.col("other"))

    def score(sums: pl.DataFrame) -> pl.DataFrame:
        means = {name: divided(name, "number") for name in amounts}
        return sums.with_columns(**means).with_columns(value=value)

    def of_run(events: pl.DataFrame) -> pl.DataFrame:
        one, other = (mean(events, ["run"], name) for name in amounts)
        return one.join(other, on="run").select("run", value=value)

    return index.result(Contributions([table], score), of_run)


OF_2023, OF_2022 = ("pool", "redundant", "events"), ("days", "events")
OF_BOTH = ("pool", "redundant", "days", "events")
MEASURES = (
    (redundancy, NOTEBOOK, OF_2023, True),
    (comprehensiveness, f"{NOTEBOOK}; {PAPER}, equation 1", OF_BOTH, True),
    (f1, NOTEBOOK, OF_2023, True),
    (lagged, NOTEBOOK, OF_2023, False),
    (unique_per_match, f"{PAPER}, equation 2 as printed", OF_2022, True),
    (redundancy_ratio, f"{PAPER}, equation 2 as its text has it", OF_2022, False),
    (assessed, PAPER, OF_2022, True),
    (matched, PAPER, OF_2022, True),
    (unmatched, PAPER, OF_2022, False),
    (irrelevant, PAPER, OF_2022, False),
    (skipped, PAPER, OF_2022, False),
)
"""The value of each measure for a run and a request, by the counts of their cell; where it is from,
the rules that it depends on, and whether higher is better."""
VALUES = {value.__name__: value for value, *_ in MEASURES}
DEFINITIONS = tuple(
    documented(
        value,
        family=NAME,
        range="0 to 1",
        citation=citation,
        account=average if value is not f1 else average_both,
        higher_is_better=is_higher_better,
        reads=reads,
    )
    for value, citation, reads, is_higher_better in MEASURES
)
"""The measures of CrisisFACTS."""
