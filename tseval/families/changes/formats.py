"""The files of change detection as `tseval validate` and `tseval import` know them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.families.changes.checks import in_itself
from tseval.families.changes.files import (
    QRELS_FILE,
    is_days,
    is_qrels,
    is_run,
    is_topics,
    read_days,
    read_documents,
    read_gains,
    read_question_gains,
    read_questions,
    read_rankings,
)
from tseval.families.changes.tables import (
    DAYS,
    DOCUMENTS,
    GAINS,
    QUESTION_GAINS,
    QUESTIONS,
    RANKINGS,
)
from tseval.files.formats import Format, Rank
from tseval.files.imports import Import, Imported, NothingAsked, numbers_as_text

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray


def _run(paths: Sequence[str], _: NothingAsked) -> Imported:
    """A run as the plain table: a row a document."""
    said = read_rankings(paths)
    return Imported(
        {
            "run": said.run.to_list(),
            "topic": said.topic.to_list(),
            "day": said.day.to_list(),
            "qid": said.qid.to_list(),
            "question_rank": _blank_or_number(said.question_rank),
            "doc_id": said.doc_id.to_list(),
            "score": _blank_or_number(said.score),
        }
    )


def _blank_or_number(values: FloatArray) -> list[str]:
    known = ~np.isnan(values)
    written = numbers_as_text(np.where(known, values, 0.0))
    return [text if there else "" for text, there in zip(written, known.tolist(), strict=True)]


def _topics(paths: Sequence[str], _: NothingAsked) -> Imported:
    """The questions of each topic."""
    questions = read_questions(paths[0])
    return Imported({"topic": questions.topic.to_list(), "qid": questions.qid.to_list()})


def _qrels(paths: Sequence[str], _: NothingAsked) -> Imported:
    """Judgments in four fields without a header."""
    gains = read_gains(paths[0])
    return Imported(
        {
            "topic": gains.topic.to_list(),
            "qid": gains.qid.to_list(),
            "doc_id": gains.doc_id.to_list(),
            "gain": numbers_as_text(gains.gain),
        }
    )


FORMATS = (
    Format(
        RANKINGS.table,
        lambda source, form, _: read_rankings([source], form),
        is_run,
        rank=Rank.SURE,
        remarks=lambda said: ((str(fault), True) for fault in in_itself(said)),
        imports=(Import("changes-run", "runs of TREC Change Detection", _run, several=True),),
    ),
    Format(
        QUESTIONS.table,
        lambda source, form, _: read_questions(source, form),
        is_topics,
        rank=Rank.SURE,
        imports=(Import("changes-topics", "topics of TREC Change Detection", _topics),),
    ),
    Format(DOCUMENTS.table, lambda source, form, _: read_documents(source, form)),
    Format(QUESTION_GAINS.table, lambda source, form, _: read_question_gains(source, form)),
    Format(DAYS.table, lambda source, form, _: read_days(source, form), is_days, rank=Rank.LAST),
    Format(
        GAINS.table,
        lambda source, form, _: read_gains(source, form),
        is_qrels,
        rank=Rank.LAST,
        layouts=(QRELS_FILE,),
        imports=(
            Import(
                "changes-qrels",
                "judgments of TREC Change Detection in four fields: topic qid doc_id gain",
                _qrels,
            ),
        ),
    ),
)
