"""The measures of CrisisFACTS: means over the requests of an event, each a quotient of counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval.core.ledgers import ALWAYS, Account, Ledger, ratio
from tseval.core.measure import Definition, Measure
from tseval.core.results import Values
from tseval.families.crisisfacts.editions import NAME, NOTEBOOK, PAPER
from tseval.families.crisisfacts.index import CrisisIndex
from tseval.families.crisisfacts.tables import OF_ASSESSED
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

END_OF_DAY = 86_399.0
"""The last second of a day, as the track writes the end of a request."""
REDUNDANCY, COMPREHENSIVENESS, F1, LAGGED_SHARE = "redundancy", "comprehensiveness", "f1", "lagged"
UNIQUE, RATIO = "unique_per_match", "redundancy_ratio"


class Quotient(NamedTuple):
    """Which count a measure of a request divides by which."""

    above: str
    below: str
    of_missing: bool = False
    """Whether it is 0 where a run says nothing and that counts; else it is undefined there."""
    from_one: bool = False
    """Whether it is 1 less that."""


QUOTIENTS: Mapping[str, Quotient] = {
    REDUNDANCY: Quotient("score", "facts", of_missing=True),
    COMPREHENSIVENESS: Quotient("said", "gold"),
    LAGGED_SHARE: Quotient("lagged", "facts"),
    UNIQUE: Quotient("said", "matches"),
    RATIO: Quotient("said", "matches", from_one=True),
    "assessed": Quotient("assessed", "items"),
    **{name: Quotient(name, "assessed") for name in OF_ASSESSED},
}


def needs(name: str) -> set[str]:
    """The counts that a measure is made of."""
    if name == F1:
        return {count for own in (REDUNDANCY, COMPREHENSIVENESS) for count in QUOTIENTS[own][:2]}
    return set(QUOTIENTS[name][:2])


def values_of(index: CrisisIndex, name: str) -> Values:
    """A measure of every (run, request), as a grid."""
    if name == F1:
        first, second = (values_of(index, own) for own in (REDUNDANCY, COMPREHENSIVENESS))
        return Values(_harmonic(first.value, second.value), first.defined & second.defined)
    quotient = QUOTIENTS[name]
    above, below = index.counts[quotient.above], index.counts[quotient.below]
    defined = below > 0
    value = np.divide(above, below, out=np.zeros_like(above), where=defined)
    if quotient.from_one:
        value = np.where(defined, 1 - value, 0.0)
    if quotient.of_missing:
        defined = np.ones_like(defined)
    return Values(value, defined & (index.there | index.counts_missing))


def averaged(index: CrisisIndex, measure: Measure) -> Account:
    """A measure of each (run, event): the mean over its requests."""
    return Account(_ledgers(index, measure.definition.name), ratio)


def _ledgers(index: CrisisIndex, name: str) -> tuple[Ledger, Ledger]:
    """The values of requests, each dated by the end of its day, and their number."""
    values = values_of(index, name)
    run, request = np.nonzero(values.defined)
    unit = index.cell_unit[run, request]
    date = index.day[request] + END_OF_DAY if index.dated else np.full(len(request), ALWAYS)
    return (
        Ledger.of(unit, date, values.value[run, request]),
        Ledger.of(unit, date, np.ones(len(unit))),
    )


@frozen
class HarmonicMean(Account):
    """The harmonic mean of two means: of an event that of its own two, of a run that of its."""

    topics: int = 1

    def of_runs(self, times: FloatArray) -> Values:
        """That of a run's two means over events."""
        units = np.arange(len(times))
        totals = [ledger.before(times) for ledger in self.ledgers]
        means = [self._over_events(ratio(totals[at : at + 2], units)) for at in (0, 2)]
        both = means[0].defined & means[1].defined
        return Values(_harmonic(means[0].value, means[1].value), both)

    def _over_events(self, values: Values) -> Values:
        defined = values.defined.reshape(-1, self.topics)
        total = np.where(defined, values.value.reshape(defined.shape), 0.0).sum(axis=1)
        return ratio((total, defined.sum(axis=1).astype(np.float64)), np.arange(len(total)))


def harmonic(index: CrisisIndex, _: Measure) -> HarmonicMean:
    """The harmonic mean of redundancy and comprehensiveness."""
    ledgers = (*_ledgers(index, REDUNDANCY), *_ledgers(index, COMPREHENSIVENESS))
    return HarmonicMean(ledgers, _of_means, topics=len(index.topics))


def _of_means(totals: Sequence[FloatArray], unit: IntArray) -> Values:
    first, second = ratio(totals[:2], unit), ratio(totals[2:], unit)
    return Values(_harmonic(first.value, second.value), first.defined & second.defined)


def _harmonic(first: FloatArray, second: FloatArray) -> FloatArray:
    total = first + second
    return np.divide(2 * first * second, total, out=np.zeros_like(total), where=total > 0)


MEAN = "; a mean over the requests of an event, then over events"
LEFT_OUT = "; such a request is left out of the mean"


def _definition(
    name: str,
    title: str,
    summary: str,
    formula: str,
    empty: str,
    citation: str,
    *reads: str,
    higher: bool = True,
) -> Definition:
    return Definition(
        name=name,
        family=NAME,
        title=title,
        summary=summary,
        formula=formula + MEAN,
        empty_case=empty,
        range="0 to 1",
        citation=citation,
        account=averaged,
        higher_is_better=higher,
        reads=(*reads, "events"),
    )


def _share(name: str, summary: str, *, higher: bool = False) -> Definition:
    return _definition(
        name,
        f"share that is {name}",
        summary,
        f"{name} items / assessed items, of as many a day as there are facts",
        f"undefined without an assessed item{LEFT_OUT}",
        PAPER,
        "days",
        higher=higher,
    )


DEFINITIONS = (
    _definition(
        REDUNDANCY,
        "redundancy, a graded precision",
        "what the collapsed facts are worth of which a run has a raw one: higher is better. It is "
        "a precision, and no measure of repetition",
        "sum of the scores of the run's collapsed facts / their number; USEFUL 1, REDUNDANT .5, "
        "else 0, the best label of a fact",
        f"undefined where the run has no fact{LEFT_OUT}, or is 0 there with --on-missing zero",
        NOTEBOOK,
        *("pool", "redundant"),
    ),
    _definition(
        COMPREHENSIVENESS,
        "comprehensiveness",
        "how much of what there was to say is said",
        "2023: the run's collapsed facts with a score above 0 / all of those; 2022: gold facts "
        "that an item matches, of as many items a day as there are facts / gold facts",
        f"2023: without a fact in the request{LEFT_OUT}, or is 0 there with --on-missing zero; "
        "2022: 0 without an item",
        f"{NOTEBOOK}; {PAPER}, equation 1",
        *("pool", "redundant", "days"),
    ),
    Definition(
        name=F1,
        family=NAME,
        title="F1",
        summary="the harmonic mean of redundancy, which is a precision, and comprehensiveness",
        formula="2 r c / (r + c), 0 if both are 0; of an event from its two means, of a run from "
        "the two means over events",
        empty_case="undefined where they are",
        range="0 to 1",
        citation=NOTEBOOK,
        account=harmonic,
        reads=("pool", "redundant", "events"),
    ),
    _definition(
        LAGGED_SHARE,
        "share of old facts",
        "how much of what a run says is true but old",
        "the run's collapsed facts with a label LAGGED_FACT / its collapsed facts",
        f"undefined where the run has no fact{LEFT_OUT}; refused where no label is LAGGED_FACT",
        NOTEBOOK,
        *("pool", "redundant"),
        higher=False,
    ),
    _definition(
        UNIQUE,
        "facts a match",
        "how seldom a run says the same again",
        "gold facts that an item matches / matches of items and gold facts, of as many items a "
        "day as there are facts",
        f"undefined without a match{LEFT_OUT}",
        f"{PAPER}, equation 2 as printed",
        "days",
    ),
    _definition(
        RATIO,
        "redundancy ratio",
        "how often a run says the same again",
        f"1 - {UNIQUE}",
        f"undefined without a match{LEFT_OUT}",
        f"{PAPER}, equation 2 as its text has it",
        "days",
        higher=False,
    ),
    _definition(
        "assessed",
        "share that was assessed",
        "how much of what counts of a run assessors looked at",
        "assessed items / items, of as many a day as there are facts",
        f"undefined without an item{LEFT_OUT}",
        PAPER,
        "days",
    ),
    _share("matched", "how much of what was assessed says a fact", higher=True),
    _share("unmatched", "how much of what was assessed is relevant and says no fact"),
    _share("irrelevant", "how much of what was assessed is irrelevant"),
    _share("skipped", "how much of what was assessed the assessors skipped"),
)
"""The measures of CrisisFACTS."""
