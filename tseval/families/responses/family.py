"""Responses with graded labels: what the family declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from tseval.core.declared import NoOptions, argument, file_option
from tseval.core.family import Family, Words
from tseval.core.frames import Content, FrameEvaluation, Request
from tseval.core.kernel import KEY
from tseval.core.measure import Measure
from tseval.core.rules import Edition
from tseval.core.sections import Reporting, Section
from tseval.errors import InputError, Reason, UsageError, check_known
from tseval.families.responses import explain, files, measures
from tseval.families.responses.records import MANDATORY, OKAY, VITAL, ResponseRules, Sort
from tseval.families.responses.rows import (
    ResponseIndex,
    ResponseTables,
    find_warnings,
    index_responses,
)
from tseval.io.inputs import Input
from tseval.io.schema import TOPICS
from tseval.io.tables import TableReader
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.given import Given

OWN_TOPICS = (Sort.REPORT, Sort.COUNTS, Sort.ANNOTATIONS, Sort.HITS)
"""What is scored over the topics that a run has, as those who made it do. So is all else without a
file of nuggets, which alone tells what a run could have answered."""
TIMELESS = (Sort.COUNTS, Sort.HITS)
"""Tables without a column of times."""


@frozen
class ResponseInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument(
        "FILE", "one or more files of labels or responses", files.GRADES, several=True
    )
    nuggets: Sequence[Given] = file_option(
        "The nuggets, a bank of nuggets, or a rubric. Only its topics count.",
        needed_by=("nuggets=file",),
        table=files.NUGGETS,
        several=True,
    )
    topics: Given | None = file_option(
        "The start of each topic: a table `topic start [end]`. Default: its first nugget, else "
        "its first response.",
        table=TOPICS,
    )


@frozen(kw_only=True)
class ResponseEvaluation(FrameEvaluation):
    """Responses and labels, read and indexed."""

    words: ClassVar[Words] = Words("responses", "topic", "counted as a response that says nothing")
    frames: ResponseIndex

    @classmethod
    def choose_readers(cls, inputs: Any, rules: Any) -> Mapping[str, TableReader]:  # noqa: ARG003 - of any
        """Return how the inputs are read by these rules."""
        return files.readers_by(rules)

    @classmethod
    def join(cls, request: Request) -> ResponseEvaluation:
        """Return the evaluation of labels of one sort; responses beside labels are no runs."""
        runs, beside = request.tables["runs"], dict(request.tables)
        rows = files.number_responses(beside.pop("runs").frame)
        names = rows["sort"].unique(maintain_order=True).to_list() or [Sort.GRADES.name]
        labelled = [name for name in names if name != Sort.ANSWERS.name] or names
        if len(labelled) > 1:
            found = " and ".join(Sort[name].value for name in labelled)
            raise UsageError(f"files of {found}: score each sort of labels by itself")
        labels, answers = (
            rows.filter((pl.col("sort") == labelled[0]) == is_label) for is_label in (True, False)
        )
        silent = set(answers["file"])
        sources = (
            replace(source, runs=()) if at in silent else source
            for at, source in enumerate(runs.sources)
        )
        runs = replace(runs, frame=labels, sources=tuple(sources))
        sort, gold = Sort[labelled[0]], beside["nuggets"] if beside["nuggets"].sources else None
        tables = ResponseTables(runs, answers, beside, request.rules, sort, gold)
        if gold is None or sort in OWN_TOPICS:
            request = request._replace(edition=replace(request.edition, on_missing="skip"))
        return super().join(request._replace(options=tables, tables={"runs": runs, **beside}))

    @classmethod
    def build(cls, request: Request) -> Content:
        """Index the responses."""
        index = index_responses(request.options)
        return Content(index, find_warnings(index, measures.NAMES[Sort.COUNTS]))

    def default_measures(self) -> Sequence[str]:
        """Return the measures that are shown of labels of this sort."""
        is_graded = self.frames.tables.sort is Sort.GRADES
        shown = self.edition.measures if is_graded else measures.DEFAULTS[self.frames.tables.sort]
        return [each for each in shown if self.frames.has_questions or not is_of_questions(each)]

    def resolve_measures(self, wanted: list[Measure]) -> list[Measure]:
        """Return the measures asked for; those of other labels, or too early, are refused."""
        sort = self.frames.tables.sort
        for each in wanted:
            name = each.definition.name
            check_known(f"measure of {sort.value}", name, sorted(measures.NAMES[sort]))
            if not self.frames.has_questions and is_of_questions(each.definition.name):
                raise UsageError(f"{each} needs the bank of nuggets: --nuggets FILE")
        for each in wanted:
            if each.at is not None:
                self.has_times(each)
        return wanted

    def has_times(self, measure: Measure) -> bool:
        """Return whether a measure can be taken at any time; without times that is refused."""
        if self.frames.undated:
            raise InputError(self.frames.undated)
        if not self.frames.has_times:
            sort = self.frames.tables.sort
            cure = "" if sort in TIMELESS else ": give each its `time`"
            what = sort.value if sort in TIMELESS else "the responses"
            raise UsageError(
                f"{measure}: {what} have no times, so nothing has a value before the end{cure}"
            )
        return True

    def follows(self, measure: Measure) -> bool:  # noqa: ARG002 - all have times, or none
        """Return whether a measure can be followed over time."""
        return self.frames.has_times and self.frames.is_single

    def pools(self, measure: Measure) -> bool:
        """Return whether `all` is that of all topics taken together."""
        return measure.definition.name.endswith(measures.MICRO)

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Yield where a score is 0 since no nugget is important enough for it."""
        index = self.frames
        names = dict.fromkeys(each.definition.name for each in wanted)
        for sort, words, base in (
            (Sort.GRADES, (VITAL,), "vital"),
            (Sort.GRADES, (VITAL, OKAY), "weighted"),
            (Sort.VERDICTS, (MANDATORY,), "unsatisfied_mandatory"),
        ):
            zero = [n for n in names if n.removeprefix("strict_").removesuffix("_binary") == base]
            if not zero or index.tables.sort is not sort:
                continue
            importances = index["listed"]["importance"].cast(pl.String)
            if importances.len() and not importances.is_in(words).any():
                what = "no criterion" if sort is Sort.VERDICTS else "no nugget"
                told = f"{what} is {' or '.join(words)}, so the score is 0: {', '.join(zero)}"
                yield Reason(told)

    def without_missing(self) -> ResponseEvaluation:
        """Return the same where topics that a run lacks are left out."""
        index, present = self.frames, self.frames["present"]
        own = {name: index[name].join(present, on=KEY) for name in ("cells", "sums")}
        index = replace(index, frames={**index.frames, **own}, counts_missing=False)
        return replace(self, frames=index)


def is_of_questions(name: str) -> bool:
    """Return whether a measure of reports is of the questions of a bank."""
    return "nugget" in name or name.startswith("f1")


def is_of_responses(path: str) -> bool:
    """Return whether a file holds responses, labels of them, or what they are held against."""
    source = Input(path)
    return files.is_labelled(source) or files.holds_gold(source)


SIX = ("strict_vital", "vital", "strict_all", "all", "strict_weighted", "weighted")
LEADING = ("strict_vital", "vital", "strict_all", "all", "weighted")
GRADED = Edition(
    name="graded",
    family=measures.NAME,
    summary="graded labels, and how they come about in time: the default",
    measures=SIX,
    leading=LEADING,
    on_missing="zero",
    citation=measures.TSEVAL,
    rules=ResponseRules(),
)
NUGGETIZER = replace(
    GRADED,
    name="nuggetizer",
    summary="as castorini's nuggetizer scores: labels as they are written, means over records",
    on_missing="skip",
    citation="Pradeep et al. (2025): the AutoNuggetizer framework of the TREC RAG track",
    rules=ResponseRules(labels="exact", nuggets="record", mean="records"),
)
SAID = "How far runs say each nugget is told from their labels"
SECTION = Section("labels", "What responses say", explain.report_labels, SAID)
FAMILY = Family(
    name=measures.NAME,
    command="responses",
    summary="Score graded labels of answers and reports: nuggets, rubrics, citations.",
    description="""\
\b
tseval responses fixtures/responses/quick.jsonl

FILE holds labels of responses, or responses: assignments of nuggets, verdicts of rubrics, labels
of citations, judgments or counts of reports, annotations of answers, labels of turns, runs. The
format is detected from the content. All files of one call must have labels of the same kind.
""",
    inputs=ResponseInputs,
    options=NoOptions,
    definitions=measures.DEFINITIONS,
    editions=(GRADED, NUGGETIZER),
    read=ResponseEvaluation.read,
    schemas=(*files.SCHEMAS, TOPICS),
    formats=files.FORMATS,
    knows=is_of_responses,
    over="responses",
    curves=True,
    reporting=lambda: Reporting((SECTION,), retold=lambda _: NoOptions()),
    views=explain.VIEWS,
    words=ResponseEvaluation.words,
)
