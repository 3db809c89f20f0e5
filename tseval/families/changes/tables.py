"""Daily rankings of questions and their documents, and what assessors thought of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tseval.records import frozen
from tseval.tables import ABSENT, Column, Ids, Kind, Origin, Schema
from tseval.tables.base import Table, all_said, of_table
from tseval.tables.schema import RUN, TOPIC

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

QID = Column("qid", Kind.ID, aliases=("question_id",), meaning="the question")
DAY = Column("day", Kind.ID, aliases=("date",), meaning="such as 2026-03-02")
DOC = Column("doc_id", Kind.ID, aliases=("docid",))
GAIN = Column("gain", Kind.AMOUNT, meaning="0 is as no row")
BLANK = "blank where there is none"

RANKINGS = Schema(
    "rankings",
    (
        TOPIC,
        replace(DAY, may_be_blank=True, meaning=f"{DAY.meaning}; {BLANK}"),
        replace(QID, may_be_blank=True, meaning=f"{QID.meaning}; {BLANK}"),
        Column(
            "question_rank",
            Kind.NUMBER,
            may_be_blank=True,
            meaning="whole, 0 or more; blank without a question",
        ),
        replace(DOC, may_be_blank=True, meaning=BLANK),
        Column("score", Kind.NUMBER, may_be_blank=True, meaning="blank without a document"),
        RUN,
    ),
    row="a document that a run returned for a question on a day",
)
"""Runs. A question without documents, a day without questions and a topic without days have one
row, in which the rest is blank."""
GAINS = Schema(
    "gains",
    (TOPIC, QID, DOC, GAIN),
    key=("topic", "qid", "doc_id"),
    row="what a document is worth for a question",
)
QUESTION_GAINS = Schema(
    "question gains",
    (TOPIC, QID, DAY, GAIN),
    key=("topic", "qid", "day"),
    row="what a question is worth on a day",
)
DOCUMENTS = Schema("documents", (DOC, DAY), key=("doc_id",), row="the day of a document")
QUESTIONS = Schema("questions", (TOPIC, QID), key=("topic", "qid"), row="a question of a topic")
DAYS = Schema("days", (DAY,), key=("day",), row="a day of the collection")


class Tag(NamedTuple):
    """What a run's file says that the run is called."""

    run: str
    path: str
    runtag: str | None
    """None where the file does not say; no question of the run's own is then known."""
    fault: str = ""
    """What is wrong with it."""


@frozen
class Rankings(Table):
    """What runs returned, in the order of their files: a row a document, as `RANKINGS` has it."""

    run: Ids
    topic: Ids
    day: Ids
    qid: Ids
    question_rank: FloatArray
    """NaN where it is no whole number."""
    doc_id: Ids
    score: FloatArray
    """NaN where it is no finite number."""
    opens: BoolArray
    """Whether a question with its documents begins in this row, or nothing follows at all."""
    topic_line: IntArray
    """The line that holds all of the row's topic; 0 where every document has its own."""
    origin: Origin
    tags: tuple[Tag, ...] = of_table((), all_said)


@frozen
class Gains(Table):
    """What documents are worth for a question."""

    topic: Ids
    qid: Ids
    doc_id: Ids
    gain: FloatArray
    origin: Origin


@frozen
class QuestionGains(Table):
    """What questions themselves are worth on a day."""

    topic: Ids
    qid: Ids
    day: Ids
    gain: FloatArray
    origin: Origin


@frozen
class Documents(Table):
    """The day of each document of the collection."""

    doc_id: Ids
    day: Ids
    origin: Origin


@frozen
class Questions(Table):
    """The questions of each topic."""

    topic: Ids
    qid: Ids
    origin: Origin


@frozen
class Days(Table):
    """The days of the collection."""

    day: Ids
    origin: Origin


@frozen
class Collection:
    """All that is known beside the runs."""

    questions: Questions
    documents: Documents
    dated: bool
    """Whether the days of documents were given; else they are those of the runs."""
    gains: Gains
    days: Days | None
    question_gains: QuestionGains | None

    @property
    def undated(self) -> BoolArray:
        """Which judgments are of documents that have no day."""
        lost: BoolArray = self.gains.doc_id.within(self.documents.doc_id.names) == ABSENT
        return lost

    @property
    def origins(self) -> dict[str, Origin]:
        """Where each input comes from, by what the signature calls it."""
        named: dict[str, Table | None] = {
            "qrels": self.gains,
            "topics": self.questions,
            "documents": self.documents if self.dated else None,
            "days": self.days,
            "questions": self.question_gains,
        }
        return {name: table.origin for name, table in named.items() if table is not None}
