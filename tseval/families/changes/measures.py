"""The measures of change detection, over all days of questions, or of topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.ledgers import Account, Ledger, ratio
from tseval.core.measure import Definition, Measure, Parameter
from tseval.core.results import Values
from tseval.families.changes.index import DOCUMENT_LEVEL, QUESTION_LEVEL, ChangeIndex, Level
from tseval.families.changes.rankings import (
    Ranked,
    average_precision,
    biased_precision,
    discounted_gain,
    reciprocal_rank,
)
from tseval.records import frozen
from tseval.tables.times import NotANumber, number

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

FAMILY = "changes"
GUIDELINES = "TREC 2026 Change Detection track, guidelines"
PAPER = (
    "Liu, Moffat, Baldwin and Zhang, Quit While Ahead: Evaluating Truncated Rankings, SIGIR 2016"
)
OVERALL, HAS_ANSWER, NIL = "overall", "has-answer", "nil"
"""All units, those on which there is something to return, and the others."""
LEVEL, UNITS, SILENT = "level", "units", "silent"
READS = ("gains", "ties", "order", "missing-date", "missing-topic", "proposed", "question-gain")
OF_RANKING: Mapping[str, Callable[[Ranked, Measure, ChangeIndex], FloatArray]] = {
    "tRR": lambda ranked, _, __: reciprocal_rank(ranked),
    "tRBP": lambda ranked, measure, _: biased_precision(ranked, float(str(measure.argument("p")))),
    "tNDCG": lambda ranked, _, __: discounted_gain(ranked),
    "tAP": lambda ranked, measure, index: average_precision(
        ranked, ideal=measure.has("ideal") or index.rules.ap == "ideal"
    ),
}
"""What each measure makes of rankings."""


def values_of(index: ChangeIndex, measure: Measure) -> FloatArray:
    """The value of every ranking of the measure's level."""
    level, name = level_of(index, measure), measure.definition.name
    if name == SILENT:
        return level.ranked.silent.astype(np.float64)
    own = str((name, *(value for value in measure.arguments if value[0] in ("p", "ideal"))))
    if own not in level.known:
        found = OF_RANKING[name](level.ranked, measure, index)
        level.known[own] = np.where(level.counts, found, 0.0)
    return level.known[own]


def level_of(index: ChangeIndex, measure: Measure) -> Level:
    """The rankings that a measure is taken from."""
    return index.levels[str(measure.argument(LEVEL))]


def chosen(level: Level, measure: Measure) -> BoolArray:
    """The units that a measure is about."""
    answers, units = level.ranked.has_answer, measure.argument(UNITS)
    if units == HAS_ANSWER:
        return answers
    return ~answers if units == NIL else np.ones(len(answers), bool)


def averaged(index: ChangeIndex, measure: Measure) -> Account:
    """A measure of each (run, topic): the mean of its units as the rules have it."""
    level = level_of(index, measure)
    values = values_of(index, measure)
    units = np.flatnonzero(chosen(level, measure))
    together = index.rules.average == "units"
    slot = np.zeros_like(level.slot) if together else level.slot
    ledgers = [
        ledger
        for each in range(int(slot.max(initial=0)) + 1)
        for ledger in _ledgers(index, level, values, units[slot[units] == each])
    ]
    return Account(tuple(ledgers), ratio if together else mean_of_means)


def _ledgers(
    index: ChangeIndex, level: Level, values: FloatArray, units: IntArray
) -> tuple[Ledger, Ledger]:
    """The values of some units, each dated by its day, and their number."""
    unit, time = level.topic_unit[units], index.times[level.day[units]]
    return Ledger.of(unit, time, values[units]), Ledger.of(unit, time, np.ones(len(units)))


def mean_of_means(totals: Sequence[FloatArray], unit: IntArray) -> Values:
    """The mean over questions of the mean of each; undefined where no question has a unit."""
    value, questions = np.zeros(len(unit)), np.zeros(len(unit))
    for total, days in zip(totals[::2], totals[1::2], strict=True):
        there = days > 0
        value += np.divide(total, days, out=np.zeros_like(total), where=there)
        questions += there
    return ratio((value, questions), unit)


@frozen
class Number(Account):
    """How many units there are; of a run all of them."""

    topics: int = 1

    def of_runs(self, times: FloatArray) -> Values:
        """The sum over topics."""
        (ledger,) = self.ledgers
        total = ledger.before(times).reshape(-1, self.topics).sum(axis=1)
        return Values(total, np.ones(len(total), bool))


def number_of_units(index: ChangeIndex, measure: Measure) -> Number:
    """The number of units that a mean is taken over."""
    level = level_of(index, measure)
    _, counts = _ledgers(index, level, level.ranked.total, np.flatnonzero(chosen(level, measure)))
    return Number((counts,), _as_it_is, topics=len(index.topics))


def _as_it_is(totals: Sequence[FloatArray], _: IntArray) -> Values:
    (total,) = totals
    return Values(total, np.ones(len(total), bool))


def probability(text: str) -> float:
    """A number between 0 and 1."""
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


def _of_end(
    name: str, title: str, summary: str, formula: str, span: str, *more: Parameter, ap: bool = False
) -> Definition:
    """A measure whose rankings have an end."""
    return Definition(
        name=name,
        family=FAMILY,
        title=title,
        summary=summary,
        formula=f"{formula}; {END}. A unit is a topic's questions on a day, or with "
        "level=documents a question on a day; a mean over days, then questions, then topics",
        empty_case=NOTHING,
        range=span,
        citation=f"{PAPER}; {GUIDELINES}",
        account=averaged,
        parameters=(*more, *OF_UNITS),
        reads=(*READS, "average", *(["ap"] if ap else [])),
    )


DEFINITIONS = (
    _of_end(
        "tRR",
        "truncated reciprocal rank",
        "how far up the first item of worth stands",
        "1 / the first rank with a gain above 0 among g1 to gd and t; 0 if there is none",
        "0 to 1",
    ),
    _of_end(
        "tRBP",
        "truncated rank-biased precision",
        "what a reader gains who goes on with probability p, and stops with the ranking",
        "(1 - p) * sum of g_i p^(i-1) + t p^d",
        "0 to the largest gain",
        PERSISTENCE,
    ),
    _of_end(
        "tNDCG",
        "truncated normalised discounted cumulative gain",
        "the discounted gain of the ranking and its end, of that of the ideal one",
        "sum of g_i / log2(i+1) over g1 to gd and t, divided by the same of all relevant gains, "
        "falling, then 1, cut after d+1 ranks",
        "0 to 1; with --rule gains=scaled up to 1.48 and above",
    ),
    _of_end(
        "tAP",
        "truncated average precision",
        "the mean gain so far wherever there is gain, the end among it",
        "sum of g_i (g1 + … + g_i) / i over g1 to gd and t, divided by R + 1",
        "0 to 1 with binary gains; 0 and above with others",
        BY_IDEAL,
        ap=True,
    ),
    Definition(
        name=SILENT,
        family=FAMILY,
        title="share of silence",
        summary="how often nothing is returned: right on nil units, wrong on has-answer units",
        formula="units on which nothing is returned / units; a mean as that of the other measures",
        empty_case=NOTHING,
        range="0 to 1",
        citation=GUIDELINES,
        account=averaged,
        higher_is_better=False,
        turned_by=(f"{UNITS}={NIL}",),
        parameters=OF_UNITS,
        reads=("missing-date", "proposed", "question-gain", "average"),
    ),
    Definition(
        name=UNITS,
        family=FAMILY,
        title="units",
        summary="how many units a mean is taken over",
        formula="known questions times days, of rankings of questions topics times days; `all` is "
        "the sum over topics",
        empty_case="0",
        range="0 and above",
        citation=GUIDELINES,
        account=number_of_units,
        parameters=OF_UNITS,
        reads=("proposed", "question-gain"),
    ),
)
"""The measures of change detection."""
