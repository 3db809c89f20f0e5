"""Responses with graded labels: what the family declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tseval.core.family import Family
from tseval.families.responses.editions import EDITIONS, NAME
from tseval.families.responses.evaluation import ResponseEvaluation, read
from tseval.families.responses.explanation import VIEWS
from tseval.families.responses.files import is_of_responses
from tseval.families.responses.formats import FORMATS
from tseval.families.responses.inputs import ResponseInputs, ResponseOptions
from tseval.families.responses.measures import DEFINITIONS
from tseval.families.responses.tables import ANNOTATIONS, COUNTS, GRADES, HITS, NUGGETS, VERDICTS
from tseval.tables.schema import TOPICS

if TYPE_CHECKING:
    from tseval.core.sections import Reporting


def reporting() -> Reporting:
    """What a report has of it."""
    from tseval.families.responses.report import REPORT

    return REPORT


FAMILY = Family(
    name=NAME,
    command="responses",
    summary="Graded labels of answers and reports: nuggets, rubrics, citations; over time.",
    description="""\
FILE holds labels of responses, or responses: assignments of nuggets, verdicts of rubrics,
labels of citations, judgments or counts of reports, annotations of answers, labels of turns,
runs. What it is shows its content. Labels of one sort are scored at a time.

\b
tseval responses assignments.jsonl
tseval responses assignments.jsonl --nuggets nuggets.jsonl --at 6h
tseval responses labels.csv --nuggets rubrics.jsonl
""",
    inputs=ResponseInputs,
    options=ResponseOptions,
    definitions=DEFINITIONS,
    editions=EDITIONS,
    read=read,
    schemas=(GRADES, NUGGETS, ANNOTATIONS, COUNTS, HITS, VERDICTS, TOPICS),
    formats=FORMATS,
    knows=is_of_responses,
    over="responses",
    curves=True,
    reporting=reporting,
    views=VIEWS,
    words=ResponseEvaluation.words,
)
