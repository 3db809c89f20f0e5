"""The measures of TREC Temporal Summarization 2013-2015.

Each is a score of the totals of an `AssessedIndex` up to a time. The confidence-biased ones are the
same scores with every update's gain, discount and verbosity weighted by its confidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tseval.core.ledgers import Account
from tseval.core.measure import Definition, Measure, Parameter
from tseval.core.results import Values
from tseval.errors import UsageError
from tseval.families.temporal.assessed import AssessedIndex
from tseval.families.temporal.draft import FAMILY
from tseval.families.temporal.earliest import EarliestIndex
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

CITATION = (
    "J. Aslam, F. Diaz, M. Ekstrand-Abueg, R. McCreadie, V. Pavlu, T. Sakai: "
    "TREC Temporal Summarization overviews 2013-2015, with the metrics of 24 October 2013 and "
    "11 June 2014"
)


@frozen
class Totals:
    """The sums of a measure's ledgers, each row belonging to a unit."""

    index: AssessedIndex
    unit: IntArray
    sums: Mapping[str, FloatArray]
    biased: bool

    def plain(self, name: str) -> FloatArray:
        """A sum over updates or first matches."""
        return self.sums[name]

    def own(self, name: str) -> FloatArray:
        """The same, with every update by its weight in a confidence-biased measure."""
        if not self.biased:
            return self.sums[name]
        weighted = self.sums[f"weighted_{name}"]
        if self.index.rules.weights == "plain":
            return weighted
        weight = self.sums["weight"]
        return np.divide(weighted, weight, out=np.zeros_like(weighted), where=weight > 0)

    @property
    def rewards(self) -> FloatArray:
        """What there was to gain on the topic."""
        return self.index.total_rewards[self.unit % len(self.index.topics)]

    def divided(self, above: FloatArray, below: FloatArray) -> Values:
        """A quotient; with nothing to divide by it is undefined, or 0, as the rules say."""
        some = below > 0
        value = np.divide(above, below, out=np.zeros_like(above), where=some)
        zero = self.index.rules.empty == "zero"
        return Values(value, np.ones_like(some) if zero else some)


Formula: TypeAlias = Callable[[Totals], Values]


def _updates(totals: Totals) -> Values:
    return _number(totals.plain("count"))


def _sampled(totals: Totals) -> Values:
    return _number(totals.plain("sampled"))


def _number(values: FloatArray) -> Values:
    return Values(values, np.ones(len(values), bool))


def _expected(gain: str, totals: Totals) -> Values:
    """EG and ELG: the gain by the verbosity."""
    return totals.divided(totals.own(gain), totals.plain("verbosity"))


def _normalised(gain: str, totals: Totals) -> Values:
    """NEG and nELG: the same by the largest that so many updates could have."""
    expected = _expected(gain, totals)
    best = totals.index.best_mean(totals.unit, totals.plain("count"))
    share = totals.divided(expected.value, best)
    return Values(share.value, share.defined & expected.defined)


def _comprehensiveness(gain: str, totals: Totals) -> Values:
    """C and LC: the gain by all that there was to gain."""
    return totals.divided(totals.own(gain), totals.rewards)


def _harmonic(totals: Totals) -> Values:
    """HM of nELG and LC; 0 where both are 0 or nELG is undefined."""
    left, right = _normalised("latency_gain", totals), _comprehensiveness("latency_gain", totals)
    both = left.value + right.value
    mean = np.divide(2 * left.value * right.value, both, out=np.zeros_like(both), where=both > 0)
    return Values(mean, right.defined)


def _verbosity(totals: Totals) -> Values:
    return totals.divided(totals.own("verbosity"), totals.plain("count"))


def _latency(totals: Totals) -> Values:
    return totals.divided(totals.own("discount"), totals.plain(_latency_divisor(totals)))


def _latency_divisor(totals: Totals) -> str:
    rules = totals.index.rules
    kind = rules.cb_latency_mean if totals.biased else rules.latency_mean
    return "found" if kind == "matches" else "count"


WEIGHTED = ("verbosity", "gain", "latency_gain", "discount")
"""The ledgers that have a weighted twin."""


def _account(
    formula: Formula, needed: tuple[str, ...], biased: bool, index: EarliestIndex, measure: Measure
) -> Account:
    """The ledgers that a formula needs, with their weighted twins if it is biased."""
    known = _assessed(index, measure)
    names = list(needed)
    if biased:
        names += ["weight", *(f"weighted_{name}" for name in needed if name in WEIGHTED)]

    def score(sums: Sequence[FloatArray], unit: IntArray) -> Values:
        totals = Totals(known, unit, dict(zip(names, sums, strict=True)), biased)
        return formula(totals)

    return Account(tuple(getattr(known, f"ledger_{name}") for name in names), score)


def _assessed(index: EarliestIndex, measure: Measure) -> AssessedIndex:
    if not isinstance(index, AssessedIndex):
        raise UsageError(f"{measure.definition.name} needs all updates of a topic: no live stream")
    return index


def _coverage(gain: str, biased: bool, index: EarliestIndex, measure: Measure) -> Account:
    """C and LC, or with `area` the area under their curve."""
    formula = partial(_comprehensiveness, gain)
    if not measure.has("area"):
        return _account(formula, (gain,), biased, index, measure)
    known = _assessed(index, measure)
    lasting = known.periods[1] > known.periods[0]

    def score(sums: Sequence[FloatArray], unit: IntArray) -> Values:
        totals = Totals(known, unit, {gain: sums[0]}, biased=False)
        values = formula(totals)
        return Values(values.value, values.defined & _of_topics(lasting, known, unit))

    over = "the area is that of the whole period"
    return Account((known.area(discounted=gain == "latency_gain"),), score, undivided=over)


def _of_topics(flags: BoolArray, index: AssessedIndex, unit: IntArray) -> BoolArray:
    flagged: BoolArray = flags[unit % len(index.topics)]
    return flagged


AREA = Parameter(
    "area",
    "the area under the curve over the topic's period, by the period's length: a mean over time;"
    " the period ends where the topics file says, else at the latest nugget",
    default="",
    flag=True,
)


@frozen
class _Row:
    """A measure of the table below: what its definition and its biased twin's are made of."""

    name: str
    title: str
    summary: str
    formula: str
    empty_case: str
    range: str
    account: Callable[..., Account]
    reads: tuple[str, ...]
    higher_is_better: bool = True


def _row(formula: Formula, *needed: str) -> Callable[..., Account]:
    return partial(_account, formula, needed)


GAINED, WORDED = ("reward", "empty"), ("lengths", "words")
NO_UPDATE = "undefined with no update before t; 0 with the rule empty=zero"
NO_REWARD = "undefined if the topic's nuggets have no reward; 0 for an empty run"
ROWS = (
    _Row(
        "EG",
        "expected gain",
        "the reward of the nuggets found by the verbosity of the updates",
        "EG = sum of R(n) over nuggets found / sum of V(u) over updates",
        NO_UPDATE,
        "0 to infinity: one update may find many nuggets",
        _row(partial(_expected, "gain"), "gain", "verbosity"),
        (*GAINED, *WORDED),
    ),
    _Row(
        "nEG",
        "normalised expected gain",
        "expected gain by the largest that so many updates could have",
        "nEG = EG / Z, Z = mean of the k largest R(n), k = min(nuggets, updates)",
        NO_UPDATE + "; undefined if no nugget has a reward",
        "0 to infinity: one update may find many nuggets",
        _row(partial(_normalised, "gain"), "gain", "verbosity", "count"),
        (*GAINED, *WORDED),
    ),
    _Row(
        "ELG",
        "expected latency gain",
        "expected gain, every nugget discounted by how late it was found",
        "ELG = sum of R(n) L(n.t, u.t) over nuggets found / sum of V(u) over updates,"
        " L = 1 - (2/pi) arctan((u.t - n.t) / 6h)",
        NO_UPDATE,
        "0 to infinity: a nugget found early is worth up to twice its reward",
        _row(partial(_expected, "latency_gain"), "latency_gain", "verbosity"),
        (*GAINED, *WORDED),
    ),
    _Row(
        "nELG",
        "normalised expected latency gain",
        "expected latency gain by the largest gain that so many updates could have",
        "nELG = ELG / Z, Z = mean of the k largest R(n), undiscounted, k = min(nuggets, updates)",
        NO_UPDATE + "; undefined if no nugget has a reward",
        "0 to infinity: one update may find many nuggets, and early",
        _row(partial(_normalised, "latency_gain"), "latency_gain", "verbosity", "count"),
        (*GAINED, *WORDED),
    ),
    _Row(
        "C",
        "comprehensiveness",
        "the reward of the nuggets found by that of all nuggets",
        "C = sum of R(n) over nuggets found / sum of R(n) over all nuggets",
        NO_REWARD,
        "0 to 1",
        partial(_coverage, "gain"),
        GAINED,
    ),
    _Row(
        "LC",
        "latency comprehensiveness",
        "comprehensiveness, every nugget discounted by how late it was found",
        "LC = sum of R(n) L(n.t, u.t) over nuggets found / sum of R(n) over all nuggets",
        NO_REWARD,
        "0 to 2: a nugget found early is worth up to twice its reward",
        partial(_coverage, "latency_gain"),
        GAINED,
    ),
    _Row(
        "HM",
        "harmonic mean of nELG and LC",
        "the track's target measure: nELG and LC together",
        "HM = 2 nELG LC / (nELG + LC), 0 if the denominator is 0",
        "0 for an empty run; undefined if no nugget has a reward",
        "0 to 4",
        _row(_harmonic, "latency_gain", "verbosity", "count"),
        (*GAINED, *WORDED),
    ),
    _Row(
        "V",
        "verbosity",
        "the mean verbosity of the updates",
        "V = mean of V(u) over updates, V(u) = 1 + (words of u - words of u in a span that matches"
        " a nugget which u is the first to say) / mean words of a nugget",
        NO_UPDATE,
        "1 to infinity",
        _row(_verbosity, "verbosity", "count"),
        (*WORDED, "empty"),
        higher_is_better=False,
    ),
    _Row(
        "L",
        "latency",
        "the mean latency discount: 1 on time, above 1 early, below 1 late",
        "L = sum of L(n.t, u.t) over nuggets found / their number, or with the rule"
        " latency-mean=updates / number of updates",
        "undefined with no nugget found before t; 0 with the rule empty=zero",
        "0 to 2; with latency-mean=updates 0 to infinity",
        _row(_latency, "discount", "count", "found"),
        ("latency-mean", "empty"),
    ),
)
COUNTS = (
    Definition(
        name="updates",
        family=FAMILY,
        title="updates",
        summary="how many updates were counted",
        formula="the number of updates before t, less those that the rules leave out",
        empty_case="0",
        range="0 to infinity",
        citation=CITATION,
        account=partial(_row(_updates, "count"), False),
        higher_is_better=False,
    ),
    Definition(
        name="sampled",
        family=FAMILY,
        title="sampled updates",
        summary="how many of these are in the pool",
        formula="the number of updates before t that are in the pool; all without a pool",
        empty_case="0",
        range="0 to infinity",
        citation=CITATION,
        account=partial(_row(_sampled, "sampled"), False),
    ),
)


def _definition(row: _Row, *, biased: bool) -> Definition:
    bias = ", each update's share by the weight that its confidence gives it" if biased else ""
    with_area = row.name in ("C", "LC") and not biased
    return Definition(
        name=("cb" if biased else "") + row.name,
        family=FAMILY,
        title=("confidence-biased " if biased else "") + row.title,
        summary=row.summary + (", weighted by confidence" if biased else ""),
        formula=row.formula + bias,
        empty_case=row.empty_case,
        range=_biased_range(row) if biased else row.range,
        citation=CITATION,
        account=partial(row.account, biased),
        higher_is_better=row.higher_is_better,
        parameters=(AREA,) if with_area else (),
        reads=_biased_reads(row) if biased else row.reads,
    )


def _biased_reads(row: _Row) -> tuple[str, ...]:
    reads = tuple(name.replace("latency-mean", "cb-latency-mean") for name in row.reads)
    return (*reads, "confidence", "weights")


def _biased_range(row: _Row) -> str:
    return row.range if row.name != "V" else "0 to infinity: the weights divide it"


DEFINITIONS = (
    *COUNTS,
    *(_definition(row, biased=False) for row in ROWS),
    *(_definition(row, biased=True) for row in ROWS),
)
