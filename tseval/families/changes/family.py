"""Change detection: what the family declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tseval.core.editions import Edition
from tseval.core.family import Family, View
from tseval.families.changes import measures
from tseval.families.changes.checks import together
from tseval.families.changes.evaluation import ChangeEvaluation, ChangeInputs, ChangeOptions, read
from tseval.families.changes.explanation import SETS, by_question, days, named, sets
from tseval.families.changes.formats import FORMATS
from tseval.families.changes.index import DOCUMENT_LEVEL, QUESTION_LEVEL
from tseval.families.changes.rules import ChangeRules
from tseval.families.changes.tables import (
    DAYS,
    DOCUMENTS,
    GAINS,
    QUESTION_GAINS,
    QUESTIONS,
    RANKINGS,
)
from tseval.files.inputs import Input
from tseval.files.plain import recognise

if TYPE_CHECKING:
    from tseval.core.sections import Reporting


def is_table_of_gains(path: str) -> bool:
    """Whether a file has the columns of judged documents; standard input is not looked at."""
    source = Input(path)
    return source.can_be_read_again and not GAINS.missing(recognise(source)[1])


def reporting() -> Reporting:
    """What a report has of it."""
    from tseval.families.changes.report import REPORT

    return REPORT


NAME = measures.FAMILY
CHANGES_2026 = Edition(
    name="changes2026",
    family=NAME,
    summary="the guidelines of 2026, in the plainest reading of what they leave open",
    measures=tuple(
        named(name, level, units)
        for level, every in ((DOCUMENT_LEVEL, SETS), (QUESTION_LEVEL, SETS))
        for units in every
        for name in measures.OF_RANKING
    ),
    leading=("tNDCG", "tAP", "tRBP", "tRR"),
    on_missing="zero",
    citation=measures.GUIDELINES,
    rules=ChangeRules(),
)
FAMILY = Family(
    name=NAME,
    command="changes",
    summary="Daily rankings of questions with news and of their documents.",
    description="""\
RUN is a run of TREC Change Detection, or a table `topic day qid question_rank doc_id score`;
QRELS a table `topic qid doc_id gain`. All may be compressed; `-` is standard input.

\b
tseval changes mine.jsonl qrels.tsv --topics topics.jsonl --days days.txt
  --documents documents.tsv --explain sets
""",
    inputs=ChangeInputs,
    options=ChangeOptions,
    definitions=measures.DEFINITIONS,
    editions=(CHANGES_2026,),
    read=read,
    schemas=(RANKINGS, GAINS, QUESTION_GAINS, DOCUMENTS, QUESTIONS, DAYS),
    formats=FORMATS,
    together=together,
    knows=is_table_of_gains,
    over="daily rankings",
    curves=True,
    batches=True,
    views=(
        View("sets", "both levels over all units, has-answer units and nil units", sets),
        View("questions", "question by question the means over its days", by_question),
        View("days", "day by day what was returned, what it is worth, and the end", days),
    ),
    reporting=reporting,
    words=ChangeEvaluation.words,
)
