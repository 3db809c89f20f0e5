"""The measures of responses: shares of graded items, and quotients of sums, at any time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.ledgers import ALWAYS, Account, Ledger, ratio
from tseval.core.measure import Definition, Measure
from tseval.core.results import Result, Values
from tseval.families.responses.editions import NAME
from tseval.families.responses.index import ResponseIndex, Steps
from tseval.families.responses.tables import MANDATORY, OKAY, VITAL, Sort
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

PARTLY = np.array([0.0, 0.5, 1.0, 1.0])
"""What each grade is worth."""
UNMET = np.array([1.0, 0.0, 0.0, 0.0])
STRICT = np.array([0.0, 0.0, 1.0, 1.0])
SUPPORTIVE = np.array([0.0, 0.5, 1.0, 0.0])
CONTRADICTORY = np.array([0.0, 0.0, 0.0, 1.0])
OKAY_WEIGHT = 0.5
CRITERIA = {VITAL: 5.0, OKAY: 2.0}
"""What nuggets weigh as criteria of a rubric."""
HOUR = 3600.0
NUGGETIZER = "Pradeep et al. (2025), AutoNuggetizer; castorini/nuggetizer, pyterrier-nuggetizer"
RAGDOLL = "RAGDoll, the evaluation of the TREC RAG track 2025-2026"
ARGUE = "Walden et al. (2025), Auto-ARGUE"
DRAGUN = "Zhang, Smucker and Clarke (2025), TREC DRAGUN"
CONE = "CONE-RAG (TREC iKAT 2024)"
TSEVAL = "tseval"


MICRO = "_micro"
"""The end of the name of a measure whose `all` pools all topics."""


@frozen
class MeansOfResponses(Result):
    """A measure of several responses of a run on a topic: the mean of what each scores."""

    account: Account
    index: ResponseIndex

    def before(self, times: FloatArray) -> Values:
        """The mean over the responses of each (run, topic)."""
        units = self.index.units
        each = self.account.before(times[self.index.cell_unit])
        own: list[list[float]] = [[] for _ in range(units)]
        for unit, value, defined in zip(
            self.index.cell_unit.tolist(), each.value.tolist(), each.defined.tolist(), strict=True
        ):
            if defined:
                own[unit].append(value)
        return _exact_means(own, default=self._of_nothing())

    def of_runs(self, times: FloatArray) -> Values | None:
        """The mean over the responses of each run, where that is asked for."""
        if self.index.rules.mean != "records":
            return None
        topics = len(self.index.topics)
        each = self.account.before(times[self.index.cell_unit])
        own: list[list[float]] = [[] for _ in self.index.runs]
        for unit, value, defined in zip(
            self.index.cell_unit.tolist(), each.value.tolist(), each.defined.tolist(), strict=True
        ):
            if defined:
                own[unit // topics].append(value)
        nothing = self._of_nothing()
        if self.index.counts_missing and nothing is not None:
            for run, there in zip(own, self.index.present, strict=True):
                run += [nothing] * int((~there).sum())
        return _exact_means(own, default=None)

    def _of_nothing(self) -> float | None:
        """What a topic without a response scores; None if that is undefined."""
        return None if self.account.score is ratio else 0.0


def _exact_means(own: Sequence[Sequence[float]], default: float | None) -> Values:
    """Means that are rounded once; of no value the default."""
    value = [math.fsum(each) / len(each) if each else default or 0.0 for each in own]
    defined = [bool(each) or default is not None for each in own]
    return Values(np.array(value, np.float64), np.array(defined, bool))


def share(totals: Sequence[FloatArray], _: IntArray) -> Values:
    """The first total by the second; 0 where the second is 0."""
    above, below = totals
    value = np.divide(above, below, out=np.zeros_like(above), where=below != 0)
    return Values(value, np.ones(len(value), bool))


def total(totals: Sequence[FloatArray], _: IntArray) -> Values:
    """The total itself."""
    return Values(totals[0], np.ones(len(totals[0]), bool))


def both(totals: Sequence[FloatArray], _: IntArray) -> Values:
    """Return the sum of two totals."""
    return Values(totals[0] + totals[1], np.ones(len(totals[0]), bool))


def harmonic(totals: Sequence[FloatArray], unit: IntArray) -> Values:
    """The harmonic mean of two shares; 0 where both are."""
    one, other = share(totals[:2], unit).value, share(totals[2:], unit).value
    return share((2 * one * other, one + other), unit)


def _result(index: ResponseIndex, account: Account) -> Result:
    return account if index.single else MeansOfResponses(account, index)


# Graded items.


def _ledger(index: ResponseIndex, steps: Steps, weight: FloatArray, worth: FloatArray) -> Ledger:
    """What items weigh times what their grades are worth, whenever it changes."""
    amount = weight[steps.item] * (worth[steps.after] - worth[steps.before])
    date = steps.date
    if index.rules.denominator == "known":
        date = np.maximum(date, index.known[steps.item])
    counts = amount != 0
    return Ledger.of(index.cell[steps.item[counts]], date[counts], amount[counts])


def graded(
    index: ResponseIndex, _: Measure, weigh: Mapping[str, float] | None, worth: FloatArray
) -> Result:
    """The share of the weights of nuggets; `weigh` by importance, all alike without it."""
    weight = np.array([1.0 if weigh is None else weigh.get(each, 0.0) for each in index.importance])
    above = _ledger(index, index.steps, weight, worth)
    below = _ledger(index, index.listed, weight, STRICT[[0, 2, 2, 2]])
    return _result(index, Account((above, below), share))


def rubric(index: ResponseIndex, _: Measure, worth: FloatArray) -> Result:
    """What is satisfied of the positive weights; undefined where there are none."""
    weight = np.array([CRITERIA.get(each, 0.0) for each in index.importance])
    if index.sort is Sort.VERDICTS:
        weight = np.where(np.isnan(index.weight), weight, index.weight)
    above = _ledger(index, index.steps, weight, worth)
    listed = _ledger(index, index.listed, np.maximum(weight, 0.0), STRICT[[0, 2, 2, 2]])
    missing = np.zeros(0, np.int64)
    if index.single and index.counts_missing:
        missing = np.flatnonzero(~index.present.ravel())
    below = Ledger.of(
        np.concatenate([listed.unit, missing]),
        np.concatenate([listed.time, np.full(len(missing), ALWAYS)]),
        np.concatenate([listed.amount, np.ones(len(missing))]),
    )
    return _result(index, Account((above, below), ratio))


def mandatory(index: ResponseIndex, _: Measure, worth: FloatArray) -> Result:
    """Return the number of mandatory criteria with these verdicts."""
    weight = np.array([float(each in (VITAL, MANDATORY)) for each in index.importance])
    changed = _ledger(index, index.steps, weight, worth)
    listed = _ledger(index, index.listed, weight, worth[0] * STRICT[[0, 2, 2, 2]])
    return _result(index, Account((listed, changed), both))


def annotated(index: ResponseIndex, _: Measure, worth: FloatArray) -> Result:
    """The weights of questions times the mean of the labels of their answers."""
    above = _ledger(index, index.steps, index.weight, worth)
    return _result(index, Account((above, index.sums["weights"]), share))


def lead(index: ResponseIndex, _: Measure, worth: FloatArray) -> Result:
    """The time from a nugget's label to the nugget's own, in hours, by how much each raises it."""
    steps, known = index.raised, index.known
    rise = worth[steps.after] - worth[steps.before]
    counts = (rise > 0) & (known[steps.item] != ALWAYS) & (steps.date != ALWAYS)
    item, date, rise = steps.item[counts], steps.date[counts], rise[counts]
    cell = index.cell[item]
    above = Ledger.of(cell, date, rise * (known[item] - date) / HOUR)
    return _result(index, Account((above, Ledger.of(cell, date, rise)), ratio))


# Sums.


def _sum(index: ResponseIndex, name: str) -> Ledger:
    none = np.zeros(0)
    return index.sums.get(name, Ledger(np.zeros(0, np.int64), none, none))


def counted(index: ResponseIndex, _: Measure, name: str) -> Result:
    """A sum."""
    return _result(index, Account((_sum(index, name),), total))


def quotient(index: ResponseIndex, _: Measure, above: str, below: str) -> Result:
    """A sum by another."""
    return _result(index, Account((_sum(index, above), _sum(index, below)), share))


def f1(index: ResponseIndex, _: Measure, sums: tuple[str, str, str, str]) -> Result:
    """The harmonic mean of two quotients of sums."""
    return _result(index, Account(tuple(_sum(index, name) for name in sums), harmonic))


# The definitions.


@frozen
class _Group:
    """What definitions of labels of one sort have in common."""

    citation: str
    empty_case: str = "0 where nothing is there to divide by, and for a topic without a response"
    range: str = "0 to 1"

    def define(
        self,
        name: str,
        title: str,
        formula: str,
        account: Callable[..., Result],
        higher_is_better: bool = True,
    ) -> Definition:
        """One definition."""
        return Definition(
            name=name,
            family=NAME,
            title=title,
            summary=title,
            formula=formula,
            empty_case=self.empty_case,
            range=self.range,
            citation=self.citation,
            account=account,
            higher_is_better=higher_is_better,
        )


def _nugget_scores() -> tuple[Definition, ...]:
    group = _Group(NUGGETIZER)
    weights: dict[str, tuple[str, Mapping[str, float] | None]] = {
        "vital": ("vital nuggets", {VITAL: 1.0}),
        "all": ("all nuggets", None),
        "weighted": ("vital and okay nuggets, which weigh 1 and 0.5", {VITAL: 1.0, OKAY: 0.5}),
    }
    made = []
    for name, (words, weigh) in weights.items():
        for prefix, worth, what in (
            ("strict_", STRICT, "supported in full"),
            ("", PARTLY, "supported, in part as half"),
        ):
            title = f"{words} {what}"
            account = partial(graded, weigh=weigh, worth=worth)
            formula = "weights of nuggets times the values of their labels before t / weights"
            made.append(group.define(prefix + name, title, formula, account))
    return tuple(made)


def _leads() -> tuple[Definition, ...]:
    group = _Group(
        TSEVAL, "undefined where no nugget with a time is said", "hours; negative where it is late"
    )
    formula = "sum of rise * (time of the nugget - time of the label) / sum of rises"
    return (
        group.define(
            "lead",
            "how long before their time nuggets are said",
            formula,
            partial(lead, worth=PARTLY),
        ),
        group.define(
            "lead_strict",
            "the same, of full support alone",
            formula,
            partial(lead, worth=STRICT),
        ),
    )


def _faults() -> tuple[Definition, ...]:
    group = _Group(TSEVAL, "0", "0 and above")
    return tuple(
        group.define(name, words, "their number", partial(counted, name=name), False)
        for name, words in (
            ("invalid_labels", "labels of nuggets that are none of the three"),
            ("invalid_importances", "importances that are neither vital nor okay"),
        )
    )


def _rubrics() -> tuple[Definition, ...]:
    group = _Group(
        RAGDOLL, "undefined without a positive weight", "up to 1; below 0 by negative weights"
    )
    formula = "sum of weight * verdict / sum of positive weights"
    return (
        group.define(
            "ternary", "criteria met, in part as half", formula, partial(rubric, worth=PARTLY)
        ),
        group.define("binary", "criteria met in full", formula, partial(rubric, worth=STRICT)),
        *(
            replace(group, empty_case="0", range="0 and above").define(
                name, words, "their number", partial(mandatory, worth=worth), False
            )
            for name, words, worth in (
                ("unsatisfied_mandatory", "mandatory criteria not satisfied", UNMET),
                ("unsatisfied_mandatory_binary", "mandatory criteria not met in full", 1 - STRICT),
            )
        ),
    )


RATES = {
    "full_support": (2, "that support their sentence in full"),
    "partial_support": (1, "that support their sentence in part"),
    "no_support": (0, "that do not support their sentence"),
    "not_judged": (-1, "without a judgment"),
}
"""The shares of citations by their label, over all pairs of a sentence and a citation."""


def _supports() -> tuple[Definition, ...]:
    group = _Group(RAGDOLL)
    kinds = {
        "weighted_{}_first_citation": ("support of first citations", "first", "first"),
        "weighted_{}_all_judged_citations": ("mean support of judged citations", "mean", "mean"),
        "hard_{}": ("full support of first citations", "first_hard", "first"),
    }
    named: list[tuple[str, str, str, str]] = []
    for name, (words, above, below) in kinds.items():
        for side, by, what in (
            ("precision", f"{below}_cited", "sentences with a judged one"),
            ("recall", f"{below}_sentences", "sentences that have one, or no citation"),
        ):
            named.append((name.format(side), f"{words}, over {what}", above, by))
    for rate, (label, words) in RATES.items():
        named.append((rate, f"share of citations {words}", f"labelled {label}", "pairs"))
    made = []
    for suffix, of in (("", ""), (MICRO, ", pooled over all topics")):
        for name, title, above, by in named:
            account = partial(quotient, above=above, below=by)
            formula = "sum of weights / number"
            made.append(group.define(name + suffix, title + of, formula, account))
    return tuple(made)


CITING = ("correctly_cited_sentences", "sentences_with_citations_or_requiring_citations")
COVERED = ("correct_nuggets", "nuggets")
COVERED_WEIGHTED = ("correct_nuggets_weighted", "nuggets_weighted")
REPORT_COUNTS = {
    "sentences": "sentences",
    "character_count": "characters of the sentences",
    "citations": "citations",
    "relevant_citations": "citations of relevant documents",
    "supporting_citations": "citations that attest their sentence",
    CITING[1]: "sentences that have citations, or need one",
    CITING[0]: "sentences whose citations all attest them",
    "nuggets": "questions of the bank",
    "nuggets_weighted": "weights of the questions of the bank",
    "correct_nuggets": "questions that are answered",
    "correct_nuggets_weighted": "weights of the questions that are answered",
}
QUOTIENTS = {
    "citation_relevance": ("relevant_citations", "citations"),
    "citation_support": ("supporting_citations", "citations"),
    "sentence_support": CITING,
    "nugget_coverage": COVERED,
    "nugget_coverage_weighted": COVERED_WEIGHTED,
}


def _reports() -> tuple[Definition, ...]:
    group, counts = _Group(ARGUE), _Group(ARGUE, "0", "0 and above")
    made = [
        counts.define(name, words, "their number", partial(counted, name=name))
        for name, words in REPORT_COUNTS.items()
    ]
    named: dict[str, tuple[str, str, Callable[..., Result]]] = {}
    for name, (above, below) in QUOTIENTS.items():
        words = f"{REPORT_COUNTS[above]}, as a share"
        named[name] = words, f"{above} / {below}", partial(quotient, above=above, below=below)
    for name, coverage in (("f1", COVERED), ("f1_weighted", COVERED_WEIGHTED)):
        words = "the harmonic mean of sentence_support and coverage"
        named[name] = words, "2 * s * c / (s + c)", partial(f1, sums=(*CITING, *coverage))
    for name, (words, formula, account) in named.items():
        made.append(group.define(name, words, formula, account))
        made.append(group.define(f"{name}{MICRO}", f"{words}, over all topics", formula, account))
        made.append(group.define(f"{name}_macro", f"{words}, mean of topics", formula, account))
    return tuple(made)


def _annotations() -> tuple[Definition, ...]:
    group = _Group(DRAGUN)
    formula = "sum over questions of w * (sum of labels / labelled answers) / sum of w"
    return (
        group.define(
            "supportive", "answers supported", formula, partial(annotated, worth=SUPPORTIVE)
        ),
        group.define(
            "contradictory",
            "answers contradicted",
            formula,
            partial(annotated, worth=CONTRADICTORY),
            False,
        ),
    )


def _hits() -> tuple[Definition, ...]:
    group = _Group(CONE)
    account = partial(graded, weigh=None, worth=STRICT)
    formula = "nuggets labelled 1 / nuggets labelled"
    return (
        group.define("recall", "nuggets of a turn that are said", formula, account),
        group.define(f"recall{MICRO}", "the same, over all labels", formula, account),
    )


def _answers() -> tuple[Definition, ...]:
    group = _Group(TSEVAL, "0", "0 and above")
    return (group.define("words", "words", "their number", partial(counted, name="words")),)


MEASURES: Mapping[Sort, tuple[Definition, ...]] = {
    Sort.GRADES: (*_nugget_scores(), *_leads(), *_faults()),
    Sort.VERDICTS: _rubrics(),
    Sort.SUPPORT: _supports(),
    Sort.REPORT: _reports(),
    Sort.ANNOTATIONS: _annotations(),
    Sort.HITS: _hits(),
    Sort.ANSWERS: _answers(),
}
"""The measures by what they are of."""
DEFINITIONS = tuple(each for own in MEASURES.values() for each in own)
REPORTS = ("sentence_support", "citation_support", "citation_relevance", "nugget_coverage", "f1")
LENGTHS = ("sentences", "character_count", "words", "citations")
DEFAULTS: Mapping[Sort, tuple[str, ...]] = {
    Sort.VERDICTS: ("ternary", "binary"),
    Sort.SUPPORT: tuple(each.name for each in MEASURES[Sort.SUPPORT][:6]),
    Sort.REPORT: REPORTS,
    Sort.COUNTS: REPORTS,
    Sort.ANNOTATIONS: ("supportive", "contradictory"),
    Sort.HITS: ("recall", "recall_micro"),
    Sort.ANSWERS: LENGTHS,
}
"""The measures that are shown of each sort of labels, where the edition does not say."""
OF_SORT: Mapping[Sort, frozenset[str]] = {
    **{sort: frozenset(each.name for each in own) for sort, own in MEASURES.items()},
    Sort.GRADES: frozenset(
        each.name for sort in (Sort.GRADES, Sort.VERDICTS) for each in MEASURES[sort]
    ),
    Sort.COUNTS: frozenset(each.name for each in MEASURES[Sort.REPORT]),
    Sort.ANSWERS: frozenset(LENGTHS),
}
"""Which measures labels of a sort have."""
