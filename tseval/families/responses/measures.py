"""The measures of responses: shares of graded items, and quotients of sums, at any time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from tseval.core.kernel import ALWAYS, KEY, Contributions, quotient, ratio
from tseval.core.measure import Definition, Measure
from tseval.core.results import ContributionResult, Result, Values
from tseval.families.responses import records
from tseval.families.responses.records import MANDATORY, OKAY, VITAL, Sort
from tseval.families.responses.rows import CELL, ResponseIndex
from tseval.io.times import UNITS
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import FloatArray

NAME = "responses"
PARTLY = (0.0, 0.5, 1.0, 1.0)
"""What each grade is worth."""
STRICT = (0.0, 0.0, 1.0, 1.0)
LISTED = (0.0, 1.0)
NUGGETIZER = "Pradeep et al. (2025), AutoNuggetizer; castorini/nuggetizer, pyterrier-nuggetizer"
RAGDOLL = "RAGDoll, the evaluation of the TREC RAG track 2025-2026"
ARGUE = "Walden et al. (2025), Auto-ARGUE"
DRAGUN = "Zhang, Smucker and Clarke (2025), TREC DRAGUN"
CONE = "CONE-RAG (TREC iKAT 2024)"
TSEVAL = "tseval"
MICRO = "_micro"
"""The end of the name of a measure whose `all` pools all topics."""
ALL: Mapping[str, float] = {}
"""The weights of nuggets by their importance, of which all weigh the same where none is given."""
CRITERIA = {VITAL: 5.0, OKAY: 2.0}
"""What nuggets weigh as criteria of a rubric."""
MUST = {VITAL: 1.0, MANDATORY: 1.0}


def weigh(weights: Mapping[str, float]) -> pl.Expr:
    """Return what items weigh by their importance."""
    if not weights:
        return pl.lit(1.0)
    important = (weight * (pl.col("importance") == word) for word, weight in weights.items())
    return pl.sum_horizontal(important)


@frozen
class MeanOfResponses(Result):
    """A measure of several responses of a run on a topic: the mean of what each scores."""

    result: ContributionResult
    is_over_records: bool
    """Whether that of a run is the mean over its responses, and not over topics."""

    def before(self, times: FloatArray) -> Values:
        """Return the mean over the responses of each (run, topic)."""
        return self.result.before(times)

    def of_runs(self, times: FloatArray) -> Values | None:
        """Return the mean over the responses of each run, where that is asked for."""
        return self.result.pooled_before(times) if self.is_over_records else None


def result_of(
    index: ResponseIndex,
    amounts: Sequence[pl.DataFrame],
    score: Callable[[pl.DataFrame], pl.DataFrame],
    weight: str = "below",
) -> Result:
    """Return the measure of these amounts, each of a cell from a `date` on."""
    tables = []
    for each in amounts:
        names = [name for name in each.columns if name not in (*CELL, "date")]
        counted = each.filter(pl.any_horizontal(pl.col(names) != 0))
        tables.append(counted.select(*CELL, *names, time="date"))
    if index.is_single:
        tables = [table.drop("cell") for table in tables]
        return index.result(Contributions(tables, score, weight=weight))
    tables.append(index["cells"].select(*CELL, time=pl.lit(ALWAYS), **{weight: pl.lit(0.0)}))
    found = index.result(Contributions(tables, score, ("cell",), weight))
    return MeanOfResponses(found, index.tables.rules.mean == "records")


def change(
    index: ResponseIndex, frame: str, name: str, weight: pl.Expr, worth: Sequence[float]
) -> pl.DataFrame:
    """Return what items weigh times what their grades are worth, whenever it changes."""
    before, after = (worth_of(each, worth) for each in ("before", "after"))
    is_late = index.tables.rules.denominator == "known"
    date = pl.max_horizontal("date", "known") if is_late else pl.col("date")
    return index[frame].select(*CELL, date=date, **{name: weight * (after - before)})


def worth_of(grade: str, worth: Sequence[float]) -> pl.Expr:
    """Return what grades are worth."""
    return pl.col(grade).replace_strict(dict(enumerate(worth)), return_dtype=pl.Float64)


def divide(above: str, below: str) -> pl.Expr:
    """Return one amount by another; 0 where that is 0."""
    share = quotient(pl.col(above), pl.col(below))
    return pl.when(pl.col(below) != 0).then(share).otherwise(0.0)


def share(sums: pl.DataFrame) -> pl.DataFrame:
    """Score sums by their quotient, 0 where there is nothing to divide by."""
    return sums.with_columns(value=divide("above", "below"))


def nugget_share(
    index: ResponseIndex, _: Measure, weights: Mapping[str, float], worth: Sequence[float]
) -> Result:
    """Return the share of the weights of nuggets."""
    above = change(index, "steps", "above", weigh(weights), worth)
    below = change(index, "listed", "below", weigh(weights) * pl.col("number"), LISTED)
    return result_of(index, [above, below], share)


def rubric_share(index: ResponseIndex, _: Measure, worth: Sequence[float]) -> Result:
    """Return what is satisfied of the positive weights; undefined where there are none."""
    weight = weigh(CRITERIA)
    if index.tables.sort is Sort.VERDICTS:
        weight = pl.coalesce("weight", weight)
    above = change(index, "steps", "above", weight, worth)
    positive = weight.clip(lower_bound=0.0) * pl.col("number")
    below = change(index, "listed", "below", positive, LISTED)
    tables = [above, below]
    if index.is_single and index.counts_missing:
        lacking = index["cells"].join(index["present"], on=KEY, how="anti")
        tables.append(lacking.select(*CELL, date=pl.lit(ALWAYS), below=pl.lit(1.0)))
    return result_of(index, tables, ratio())


def unmet_criteria(index: ResponseIndex, _: Measure, worth: Sequence[float]) -> Result:
    """Return the number of mandatory criteria with these verdicts."""
    changed = change(index, "steps", "value", weigh(MUST), worth)
    mandatory = weigh(MUST) * pl.col("number")
    listed = change(index, "listed", "value", mandatory, (0.0, worth[0]))
    return result_of(index, [listed, changed], lambda sums: sums, "value")


def answer_share(index: ResponseIndex, _: Measure, worth: Sequence[float]) -> Result:
    """Return the weights of questions times the mean of the labels of their answers."""
    above = change(index, "steps", "above", pl.col("weight"), worth)
    below = index["sums"].select(*CELL, "date", below="weights")
    return result_of(index, [above, below], share)


def lead(index: ResponseIndex, _: Measure, worth: Sequence[float]) -> Result:
    """Return the time from a nugget's label to the nugget's own, in hours, by how far it rises."""
    rise = worth_of("after", worth) - worth_of("before", worth)
    known, date = pl.col("known"), pl.col("date")
    steps = index["raised"].with_columns(below=rise)
    steps = steps.filter(pl.col("below") > 0, known != ALWAYS, date != ALWAYS)
    hours = quotient(pl.col("below") * (known - date), UNITS["h"])
    return result_of(index, [steps.select(*CELL, "date", "below", above=hours)], ratio())


def add(index: ResponseIndex, _: Measure, name: str) -> Result:
    """Return a sum."""
    return result_of(index, [sums_of(index, value=name)], lambda sums: sums, "value")


def title_sums(titles: Mapping[str, str]) -> dict[str, tuple[str, Any]]:
    """Return measures that are sums, by name the title and the account."""
    return {name: (title, partial(add, name=name)) for name, title in titles.items()}


def divide_sums(above: str, below: str, index: ResponseIndex, _: Measure) -> Result:
    """Return a sum by another."""
    return result_of(index, [sums_of(index, above=above, below=below)], share)


def sums_of(index: ResponseIndex, **names: str) -> pl.DataFrame:
    """Return dated amounts under other names; those that are not there are 0."""
    sums = index["sums"]
    amounts = {key: pl.col(n) if n in sums else pl.lit(0.0) for key, n in names.items()}
    return sums.select(*CELL, "date", **amounts)


def f1(index: ResponseIndex, _: Measure, covered: tuple[str, str]) -> Result:
    """Return the harmonic mean of two quotients of sums; 0 where both are 0."""
    names = dict(
        zip(("cited", "citing", "covered", "below"), (*records.CITING, *covered), strict=True)
    )

    def score(sums: pl.DataFrame) -> pl.DataFrame:
        one, other = divide("cited", "citing"), divide("covered", "below")
        sums = sums.with_columns(twice=2 * one * other, both=one + other)
        return sums.with_columns(value=divide("twice", "both"))

    return result_of(index, [sums_of(index, **names)], score)


# The definitions.

NOTHING = "0 where nothing is there to divide by, and for a topic without a response"
SHARE, NUMBER = (NOTHING, "0 to 1"), ("0", "0 and above")
THEIR_NUMBER = "their number"


def define(
    citation: str,
    formula: str,
    measures: Mapping[str, tuple[str, Any]],
    case: tuple[str, str] = SHARE,
    higher: bool = True,
) -> list[Definition]:
    """Return the definitions of measures, by name the title and the account."""
    definition = partial(
        Definition, family=NAME, formula=formula, empty_case=case[0], range=case[1]
    )
    more: dict[str, Any] = {"citation": citation, "higher_is_better": higher}
    return [
        definition(name=name, title=title, summary=title, account=account, **more)
        for name, (title, account) in measures.items()
    ]


WEIGHED = (
    ("vital", {VITAL: 1.0}, "share of vital nuggets"),
    ("all", ALL, "share of all nuggets"),
    ("weighted", {VITAL: 1.0, OKAY: 0.5}, "weighted share of vital (1) and okay (0.5) nuggets"),
)
WORTH = (("strict_", STRICT, "supported in full"), ("", PARTLY, "supported, in part as half"))
SCORES = {
    prefix + name: (f"{words} {what}", partial(nugget_share, weights=weights, worth=worth))
    for name, weights, words in WEIGHED
    for prefix, worth, what in WORTH
}
LEADS = {
    "lead": ("lead of reports over the times of nuggets", partial(lead, worth=PARTLY)),
    "lead_strict": ("lead of reports with full support", partial(lead, worth=STRICT)),
}
GRADED = "weights of nuggets times the values of their labels before t / weights"
LEAD = "sum of rise * (time of the nugget - time of the label) / sum of rises"
LEAD_CASE = "undefined where no nugget with a time is said", "hours; negative where it is late"
INVALID = {
    "invalid_labels": "invalid labels of nuggets",
    "invalid_importances": "importances other than vital and okay",
}
GRADES = [
    *define(NUGGETIZER, GRADED, SCORES),
    *define(TSEVAL, LEAD, LEADS, LEAD_CASE),
    *define(TSEVAL, THEIR_NUMBER, title_sums(INVALID), NUMBER, higher=False),
]
MET = {
    "ternary": ("share of criteria met, in part as half", partial(rubric_share, worth=PARTLY)),
    "binary": ("share of criteria met in full", partial(rubric_share, worth=STRICT)),
}
UNMET = {
    name: (f"mandatory criteria not {what}", partial(unmet_criteria, worth=worth))
    for name, what, worth in (
        ("unsatisfied_mandatory", "satisfied", (1.0, 0.0, 0.0)),
        ("unsatisfied_mandatory_binary", "met in full", (1.0, 1.0, 0.0)),
    )
}
RUBRIC_CASE = "undefined without a positive weight", "up to 1; below 0 by negative weights"
RUBRICS = [
    *define(RAGDOLL, "sum of weight * verdict / sum of positive weights", MET, RUBRIC_CASE),
    *define(RAGDOLL, THEIR_NUMBER, UNMET, NUMBER, higher=False),
]
KINDS = (
    ("weighted_{}_first_citation", "support of first citations", "first", "first"),
    ("weighted_{}_all_judged_citations", "mean support of judged citations", "mean", "mean"),
    ("hard_{}", "full support of first citations", "first_hard", "first"),
)
SIDES = (
    ("precision", "cited", "sentences with a judged one"),
    ("recall", "sentences", "sentences that have one, or no citation"),
)
RATES = (
    ("full_support", 2, "that support their sentence in full"),
    ("partial_support", 1, "that support their sentence in part"),
    ("no_support", 0, "that do not support their sentence"),
    ("not_judged", -1, "without a judgment"),
)
"""The shares of citations by their label, over all pairs of a sentence and a citation."""
OF_CITATIONS = {
    name.format(side): (f"{words}, over {what}", partial(divide_sums, above, f"{below}_{by}"))
    for name, words, above, below in KINDS
    for side, by, what in SIDES
}
for name, label, words in RATES:
    account = partial(divide_sums, records.LABELLED[label], "pairs")
    OF_CITATIONS[name] = f"share of citations {words}", account
POOLED = {
    name + MICRO: (f"{title}, pooled over all topics", account)
    for name, (title, account) in OF_CITATIONS.items()
}
SUPPORT = define(RAGDOLL, "sum of weights / number", OF_CITATIONS | POOLED)
REPORT_COUNTS = {
    "sentences": "sentences",
    "character_count": "characters of the sentences",
    "citations": "citations",
    "relevant_citations": "citations of relevant documents",
    "supporting_citations": "citations that attest their sentence",
    records.CITING[1]: "sentences that have citations, or need one",
    records.CITING[0]: "sentences whose citations all attest them",
    "nuggets": "questions of the bank",
    "nuggets_weighted": "weights of the questions of the bank",
    "correct_nuggets": "questions that are answered",
    "correct_nuggets_weighted": "weights of the questions that are answered",
}
COVERED = ("correct_nuggets", "nuggets")
COVERED_WEIGHTED = ("correct_nuggets_weighted", "nuggets_weighted")
QUOTIENTS = {
    "citation_relevance": ("relevant_citations", "citations"),
    "citation_support": ("supporting_citations", "citations"),
    "sentence_support": records.CITING,
    "nugget_coverage": COVERED,
    "nugget_coverage_weighted": COVERED_WEIGHTED,
}
OF_REPORTS = [
    (name, f"{REPORT_COUNTS[each[0]]}, as a share", " / ".join(each), partial(divide_sums, *each))
    for name, each in QUOTIENTS.items()
]
F1 = "harmonic mean of sentence_support and coverage", "2 * s * c / (s + c)"
OF_REPORTS += [("f1", *F1, partial(f1, covered=COVERED))]
OF_REPORTS += [("f1_weighted", *F1, partial(f1, covered=COVERED_WEIGHTED))]
WAYS = {"": "", MICRO: ", pooled over topics", "_macro": ", mean of topics"}
REPORT = define(ARGUE, THEIR_NUMBER, title_sums(REPORT_COUNTS), NUMBER)
for name, title, formula, account in OF_REPORTS:
    REPORT += define(ARGUE, formula, {name + w: (title + of, account) for w, of in WAYS.items()})
SUPPORTIVE = ("share of support", partial(answer_share, worth=(0.0, 0.5, 1.0, 0.0)))
CONTRADICTORY = ("share of contradiction", partial(answer_share, worth=(0.0, 0.0, 0.0, 1.0)))
DRAGUN_SUM = "sum over questions of w * (sum of labels / labelled answers) / sum of w"
ANNOTATIONS = define(DRAGUN, DRAGUN_SUM, {"supportive": SUPPORTIVE})
ANNOTATIONS += define(DRAGUN, DRAGUN_SUM, {"contradictory": CONTRADICTORY}, higher=False)
RECALL = partial(nugget_share, weights=ALL, worth=STRICT)
RECALLS = {
    "recall": ("share of the nuggets of a turn that are reported", RECALL),
    f"recall{MICRO}": ("share of reported nuggets, pooled over all labels", RECALL),
}
OF_SORT: Mapping[Sort, Sequence[Definition]] = {
    Sort.GRADES: GRADES,
    Sort.VERDICTS: RUBRICS,
    Sort.SUPPORT: SUPPORT,
    Sort.REPORT: REPORT,
    Sort.ANNOTATIONS: ANNOTATIONS,
    Sort.HITS: define(CONE, "nuggets labelled 1 / nuggets labelled", RECALLS),
    Sort.ANSWERS: define(TSEVAL, THEIR_NUMBER, title_sums({"words": "words"}), NUMBER),
}
DEFINITIONS = tuple(each for own in OF_SORT.values() for each in own)
NAMES: dict[Sort, Sequence[str]] = {s: [e.name for e in own] for s, own in OF_SORT.items()}
"""The names of the measures of labels of each sort."""
NAMES[Sort.GRADES] = [*NAMES[Sort.GRADES], *NAMES[Sort.VERDICTS]]
NAMES |= {Sort.COUNTS: NAMES[Sort.REPORT], Sort.ANSWERS: records.LENGTHS}
REPORTS = ("sentence_support", "citation_support", "citation_relevance", "nugget_coverage", "f1")
DEFAULTS = {
    **NAMES,
    Sort.VERDICTS: ("ternary", "binary"),
    Sort.SUPPORT: NAMES[Sort.SUPPORT][:6],
    Sort.REPORT: REPORTS,
    Sort.COUNTS: REPORTS,
}
"""Those that are shown, but of labels of nuggets, where the edition says."""
