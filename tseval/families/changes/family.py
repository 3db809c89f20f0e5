"""Change detection: what the family declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from tseval.core.declared import argument, file_option, option
from tseval.core.family import Family, View, Words
from tseval.core.frames import Content, FrameEvaluation, FrameGold, Request
from tseval.core.measure import Measure
from tseval.core.rules import Edition
from tseval.core.sections import Reporting, Section
from tseval.errors import Fault, InputError, UsageError, input_error
from tseval.families.changes import explain, files, measures, rows
from tseval.io.faults import FaultList
from tseval.io.inputs import Input
from tseval.io.tables import Table, TableReader, has_missing_columns
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.given import Given


READERS = {**files.READERS, "runs": replace(files.READERS["runs"], remarks=rows.faults_in_itself)}


@frozen
class ChangeInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument("RUN", "one or more runs", files.RANKINGS, several=True)
    qrels: Given = argument("QRELS", "the file of judged documents", files.GAINS)
    topics: Given = file_option(
        "The questions: the track's topics, or a table `topic qid`.",
        required=True,
        table=files.QUESTIONS,
    )
    days: Given | None = file_option(
        "The days of the collection, one per line. Default: all days of judgments and runs.",
        table=files.DAYS,
    )
    documents: Given | None = file_option(
        "The day of each document: a table `doc_id day`. Default: the first day on which a run "
        "returns it.",
        table=files.DOCUMENTS,
    )
    questions: Given | None = file_option(
        "The judged gains of questions: a table `topic qid day gain`, for --rule "
        "question-gain=judged.",
        table=files.QUESTION_GAINS,
        needed_by=("question-gain=judged",),
    )


@frozen
class ChangeOptions:
    """What is asked for beside what all families are asked for."""

    lenient: bool = option(
        "Score the valid part of a run that breaks the track's rules. Without --lenient, tseval "
        "refuses the run and lists every fault with its line, day and question.",
        kind=bool,
    )


@frozen(kw_only=True)
class ChangeEvaluation(FrameEvaluation):
    """Runs and judgments, ranked day by day."""

    words: ClassVar[Words] = Words(
        "results", "topic", "counted as --rule missing-topic says", over_topics="average=nested"
    )
    readers: ClassVar[Mapping[str, TableReader]] = READERS
    by_name: ClassVar[tuple[str, ...]] = ("topics", "documents", "days", "questions")

    @classmethod
    def choose_readers(cls, inputs: Any, rules: rows.ChangeRules) -> Mapping[str, Any]:  # noqa: ARG003 - of any
        """Return how the inputs are read; judged questions are read where they count alone."""
        is_judged = rules.question_gain == "judged"
        names = ("runs", "qrels", *cls.by_name)
        return {name: READERS[name] for name in names if name != "questions" or is_judged}

    @classmethod
    def build(cls, request: Request) -> Content:
        """Check the runs by the rules of the track, and rank their questions and documents."""
        inputs, options, rules, tables, *_ = request
        runs = tables["runs"]
        paths = dict[str, str]()
        for record in runs.sources:
            for run in record.runs:
                if paths.setdefault(run, record.path) != record.path:
                    reason = f'the run is called "{run}", as that of {paths[run]}'
                    cure = f"give it a name of its own: --name {record.path}=NAME"
                    raise input_error(record.path, None, reason, cure, "duplicate-id")
        known = rows.collect(tables)
        if not known["days"].height:
            raise UsageError("no day is known: give the days of the collection, --days FILE")
        valid = rows.check_runs(runs, known, rules.order)
        faults_of = dict(valid.faults)
        if request.others is not None:  # more lines may come
            faults_of.pop("missing-topic", None)
        every = () if options.lenient else tuple(rows.tell_faults(runs, faults_of))
        for source in inputs.runs:
            faults = FaultList(source)
            faults.extend(fault for fault in every if fault.file == source.path)
            faults.check()
        if every:  # of rows that came in blocks
            raise InputError(every)
        index = rows.build_index(runs, valid, known, rules)
        warnings = rows.find_warnings(request, known, valid, index)
        by_runs = {} if "documents" in tables else {"documents": "runs"}
        return Content(index, tuple(warnings), {"lenient": "yes" * options.lenient}, by_runs)

    def pools(self, measure: Measure) -> bool:
        """Whether `all` of a measure is the mean over the units of all topics."""
        return self.edition.rules.average == "units" and self.follows(measure)

    def follows(self, measure: Measure) -> bool:
        """Every mean over units can be followed over time."""
        return measure.definition.name != measures.UNITS


class ChangeGold(FrameGold):
    """Topics, days and judgments, to which rankings are held as they come: all rows are kept."""

    evaluation = ChangeEvaluation
    has_sums = False

    def evaluate(self, runs: Table, others: pl.DataFrame) -> FrameEvaluation:
        """Return the evaluation of some rows; blocks may have cut a question."""
        question = pl.struct("file", "run", "topic", "day", "qid", "topic_line").rle_id()
        frame = runs.frame.sort("run", maintain_order=True).with_columns(question=question)
        return super().evaluate(replace(runs, frame=frame), others)

    def conclude(self, evaluation: Any, *, is_live: bool, to_come: bool) -> list[str]:
        """Refuse runs that lack a topic, unless its line may be yet to come."""
        missing = evaluation.frames["missing"]
        if missing.height and not to_come and not self.request.options.lenient:
            reason, cure, code = rows.FAULTS["missing-topic"]
            reason = f"missing-topic: {reason}"
            pairs = missing.select("file", "topic").iter_rows()
            raise InputError(
                [
                    Fault(evaluation.inputs[at].path, None, reason.format(topic=topic), cure, code)
                    for at, topic in pairs
                ]
            )
        return super().conclude(evaluation, is_live=is_live, to_come=to_come)


def is_table_of_gains(path: str) -> bool:
    """Return whether a file has the columns of judged documents; a pipe is not looked at."""
    source = Input(path)
    return source.can_be_read_again and not has_missing_columns(source, files.GAINS)


def reporting() -> Reporting:
    """Return what a report has of it."""
    return Reporting(
        (Section("sets", "Has-answer and nil units", explain.sections),),
        takes=("lenient",),
        retold=lambda traits: ChangeOptions(lenient="lenient" in traits),
    )


OF_SETS = ("units=has-answer", "units=nil")
WHERE = ("(level=documents)", *(f"(level=documents,{units})" for units in OF_SETS))
WHERE += ("", *(f"({units})" for units in OF_SETS))
CHANGES_2026 = Edition(
    name="changes2026",
    family=measures.FAMILY,
    summary="the guidelines of 2026, in the plainest reading of what they leave open",
    measures=tuple(n + where for where in WHERE for n in ("tRR", "tRBP", "tNDCG", "tAP")),
    leading=("tNDCG", "tAP", "tRBP", "tRR"),
    on_missing="zero",
    citation=measures.GUIDELINES,
    rules=rows.ChangeRules(),
)
FAMILY = Family(
    name=measures.FAMILY,
    command="changes",
    summary="Score daily rankings of questions with news, and of their documents.",
    description="""\
\b
tseval changes fixtures/changes/terse.jsonl fixtures/changes/qrels.tsv \\
    --topics fixtures/changes/topics.jsonl --days fixtures/changes/days.txt \\
    --documents fixtures/changes/documents.tsv --explain sets

RUN is a run of TREC Change Detection, or a table `topic day qid question_rank doc_id score`;
QRELS is a table `topic qid doc_id gain`. All files may be compressed; `-` is standard input.
""",
    inputs=ChangeInputs,
    options=ChangeOptions,
    definitions=measures.DEFINITIONS,
    editions=(CHANGES_2026,),
    read=ChangeEvaluation.read,
    gold=ChangeGold,
    schemas=tuple(reader.schema for reader in READERS.values()),
    formats=tuple(each for reader in READERS.values() for each in reader.formats),
    check_related=rows.collection_faults,
    knows=is_table_of_gains,
    over="daily rankings",
    curves=True,
    batches=True,
    views=(
        View("sets", "both levels over all units, has-answer units and nil units", explain.sets),
        View("questions", "the means of each question over its days", explain.questions),
        View("days", "the documents of each day, their gains, and the end", explain.days),
    ),
    reporting=reporting,
    words=ChangeEvaluation.words,
)
