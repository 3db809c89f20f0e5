"""The measures of timelines: dates, and ROUGE by days, as tilse computes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.ledgers import ALWAYS, Account, Ledger
from tseval.core.measure import Argument, Definition, Measure, Parameter
from tseval.core.results import Taken, Values
from tseval.errors import MeasureError
from tseval.families.timelines.index import TimelineIndex
from tseval.families.timelines.tally import (
    AGREEMENT,
    ALIGN,
    ALIGN_CONTENT,
    CONCAT,
    DATES,
    MANY_TO_ONE,
    Sums,
    Tally,
)
from tseval.families.timelines.words import ORIGINAL, REIMPL, Wording
from tseval.records import frozen
from tseval.tables.times import NotANumber

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

FAMILY = "timelines"
TILSE = (
    "Martschat & Markert, Improving ROUGE for Timeline Summarization, EACL 2017; tilse 0.2.1, "
    "timelines.md"
)
SIZES = {"rouge_1": 1, "rouge_2": 2}
PRECISION, RECALL, F = "P", "R", "F"
PAPER = {
    AGREEMENT: "agree",
    ALIGN: "align",
    ALIGN_CONTENT: "align+",
    MANY_TO_ONE: "align+m:1",
}
"""What papers call the metrics that tilse has other names for."""
ROUGE = (CONCAT, *PAPER)
NOTHING = Sums(0.0, 0.0, 0.0, 0.0)


def metric_of(measure: Measure) -> str:
    """The metric of a measure by tilse's name."""
    name = measure.definition.name
    return next((key for key, paper in PAPER.items() if paper == name), name)


def size_of(measure: Measure) -> int:
    """The n of a measure's n-grams."""
    return next((size for name, size in SIZES.items() if measure.has(name)), 1)


def wording_of(measure: Measure, index: TimelineIndex) -> Wording:
    """How a measure makes tokens: by the rules, or by the ROUGE that it names."""
    wording = index.rules.wording
    named = [name for name in (ORIGINAL, REIMPL) if measure.has(name)]
    return replace(wording, backend=named[0]) if named else wording


def harmonic(precision: FloatArray, recall: FloatArray, beta: float) -> FloatArray:
    """F of precision and recall; 0 where both are."""
    below = beta**2 * precision + recall
    above = (1 + beta**2) * precision * recall
    result: FloatArray = np.divide(above, below, out=np.zeros_like(below), where=below > 0)
    return result


def is_side(measure: Measure) -> bool:
    """Whether it is precision or recall, and not F of both."""
    return measure.has(PRECISION) or measure.has(RECALL)


def within_of(measure: Measure) -> int:
    """How many days apart dates may be that count as one."""
    return int(str(measure.argument("within")))


def sides(index: TimelineIndex, measure: Measure) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Precision and recall of every unit, and where they are defined.

    A unit without a timeline has 0 of both.
    """
    metric, wording, size = metric_of(measure), wording_of(measure, index), size_of(measure)

    def sums_of(tally: Tally) -> Sums:
        if metric == DATES:
            return tally.date_sums(within_of(measure))
        return tally.sums(metric, wording, size)

    sums = [NOTHING if tally is None else sums_of(tally) for tally in index.tallies]
    defined = np.array([each.defined for each in sums], bool)
    if index.rules.failures == "topic":
        whole = [tally is None or tally.is_complete(wording) for tally in index.tallies]
        defined &= np.array(whole, bool)
    precision = np.array([each.precision for each in sums], np.float64)
    return precision, np.array([each.recall for each in sums], np.float64), defined


def chosen(measure: Measure, precision: FloatArray, recall: FloatArray) -> FloatArray:
    """What a measure is of precision and recall: either of them, or F of both."""
    if measure.has(PRECISION):
        return precision
    if measure.has(RECALL):
        return recall
    return harmonic(precision, recall, float(str(measure.argument("beta"))))


def of_sides(measure: Measure, sides: tuple[FloatArray, FloatArray, BoolArray]) -> Values:
    """A measure of precision and recall, where they are defined."""
    precision, recall, defined = sides
    return Values(np.where(defined, chosen(measure, precision, recall), 0.0), defined)


def joined(index: TimelineIndex, measure: Measure) -> Taken:
    """A measure of all days joined."""
    return Taken(of_sides(measure, sides(index, measure)))


@frozen
class Growing(Account):
    """A measure of day by day, at any time from the summaries that were there."""

    whole: Values = field(kw_only=True)
    """What it is at the end, with the digits of the sums of all days."""

    def before(self, times: FloatArray) -> Values:
        """The measure of each unit at its time."""
        return self.whole if np.isposinf(times).all() else super().before(times)


def growing(index: TimelineIndex, measure: Measure) -> Growing:
    """A measure of every unit, and what each summary adds to it when it is there."""
    whole = of_sides(measure, sides(index, measure))

    def score(totals: Sequence[FloatArray], unit: IntArray) -> Values:
        return of_sides(measure, (*_shares(totals), whole.defined[unit]))

    return Growing(ledgers(index, measure), score, whole=whole)


def ledgers(index: TimelineIndex, measure: Measure) -> tuple[Ledger, ...]:
    """What precision and recall are sums of, each day when its summary was there."""
    metric, wording, size = metric_of(measure), wording_of(measure, index), size_of(measure)
    columns: list[list[tuple[int, FloatArray, FloatArray]]] = [[] for _ in range(4)]
    for unit, tally in enumerate(index.tallies):
        if tally is None or not tally.has_days:
            continue
        dated = tally.dated_days(within_of(measure)) if metric == DATES else None
        dated = dated or tally.dated(metric, wording, size)
        always, reference = np.array([ALWAYS]), np.array([dated.reference])
        columns[0].append((unit, tally.times, dated.precise))
        columns[1].append((unit, tally.times, dated.predicted))
        columns[2].append((unit, dated.recalled_at, dated.recalled))
        columns[3].append((unit, always, reference))
    return tuple(map(_ledger, columns))


def _ledger(parts: Sequence[tuple[int, FloatArray, FloatArray]]) -> Ledger:
    units = np.repeat([unit for unit, _, _ in parts], [len(time) for _, time, _ in parts])
    none = np.zeros(0)
    time = np.concatenate([none, *(time for _, time, _ in parts)])
    amount = np.concatenate([none, *(amount for _, _, amount in parts)])
    return Ledger.of(units.astype(np.int64), time, amount)


def _shares(totals: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Precision and recall of sums; 0 of nothing."""
    precise, predicted, recalled, reference = totals
    above, below = np.stack([precise, recalled]), np.stack([predicted, reference])
    precision, recall = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
    return precision, recall


def sides_before(
    index: TimelineIndex, measure: Measure, times: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Precision and recall of every unit of what was there before its time."""
    if np.isposinf(times).all():
        return sides(index, measure)[:2]
    return _shares([ledger.before(times) for ledger in ledgers(index, measure)])


# What there is.


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < np.inf:
        raise NotANumber(f"'{text}' is no number above 0")
    return value


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise NotANumber(f"'{text}' is no whole number of days")
    return int(text)


def _check(given: Mapping[str, Argument]) -> None:
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
BETA = Parameter("beta", "how much recall weighs in F: b", "1", ("0.5", "1", "2"), parse=_positive)
WITHIN = Parameter(
    "within",
    "how many days apart two dates may be that count as one; each date counts once",
    "0",
    ("0", "1", "7"),
    parse=_whole,
)
WORDS = (
    Parameter("rouge_1", "single words, which it is without this too", "", flag=True),
    Parameter("rouge_2", "pairs of words", "", flag=True),
)
BACKENDS = (
    Parameter(ORIGINAL, "counts as ROUGE-1.5.5 does", "", flag=True),
    Parameter(REIMPL, "counts as tilse's own ROUGE in Python does", "", flag=True),
)
COUNTS = "h, p and m are the n-grams shared, predicted and of the references, added over these"
ALIGNED = (
    f"P = sum of w h / sum of p, R = sum of w h / sum of m, w = 1 / (days apart + 1); {COUNTS}; "
    "days are aligned at the least cost, for P each predicted day, for R each reference day; "
)
NO_DAYS = "undefined where either side has no dates; 0 where no n-gram can be counted"


def _rouge(name: str, title: str, summary: str, formula: str, empty_case: str) -> Definition:
    return Definition(
        name=name,
        family=FAMILY,
        title=title,
        summary=summary,
        formula=f"{formula}; F = (1 + b^2) P R / (b^2 P + R)",
        empty_case=f"{empty_case}; 0 for a topic that a run lacks",
        range="0 to 1",
        citation=TILSE,
        account=joined if name == CONCAT else growing,
        parameters=(*WORDS, *VALUE, *BACKENDS, BETA),
        check=_check,
        reads=("backend", "stem", "stop-words"),
    )


OF_TILSE = (
    Definition(
        name=DATES,
        family=FAMILY,
        title="dates",
        summary="how well the days that a timeline has are those of the references",
        formula="P = |D and E| / |D|, R = |D and E| / |E| for predicted days D and days E of any "
        "reference; F = (1 + b^2) P R / (b^2 P + R)",
        empty_case="undefined where either side has no dates; 0 for a topic that a run lacks",
        range="0 to 1",
        citation=TILSE,
        account=growing,
        parameters=(*VALUE, BETA, WITHIN),
        check=_check,
    ),
    _rouge(
        CONCAT,
        "ROUGE of all days joined",
        "how many words, or pairs of words, all days together share with the references",
        f"P = h / p, R = h / m of all days joined in their order; {COUNTS}",
        "undefined where no n-gram can be counted on either side",
    ),
    _rouge(
        AGREEMENT,
        "ROUGE of equal days (agree)",
        "the same, where only the summaries of equal days are compared",
        f"P = sum of h / sum of p over predicted days, R = sum of h / sum of m over reference "
        f"days; {COUNTS}",
        "0 where nothing can be counted",
    ),
    _rouge(
        ALIGN,
        "ROUGE of days aligned by date (align)",
        "the same, where each day is compared with one near it, and counts less if not the same",
        f"{ALIGNED}one to one, cost c = 1 - w",
        NO_DAYS,
    ),
    _rouge(
        ALIGN_CONTENT,
        "ROUGE of days aligned by date and words (align+)",
        "the same, where days are near each other that share words, too",
        f"{ALIGNED}one to one, cost c (1 - A), where A is the F1 of plain words",
        NO_DAYS,
    ),
    _rouge(
        MANY_TO_ONE,
        "ROUGE of days aligned many to one (align+ m:1)",
        "the same, where several days may be compared with one",
        f"{ALIGNED}each day to the cheapest, cost c (1 - A), where A is the F1 of plain words; "
        "the earliest of several",
        f"{NO_DAYS}, and where neither side has dates",
    ),
)
OF_PAPERS = tuple(
    replace(each, name=PAPER[each.name], title=f"{each.name} as papers call it")
    for each in OF_TILSE
    if each.name in PAPER
)
DEFINITIONS = (*OF_TILSE, *OF_PAPERS)
"""The measures of timelines, by tilse's names and by those of the papers."""
