"""What is read of responses: one record a response, with its labels of one kind; and the gold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple, TypeAlias

from tseval.records import frozen
from tseval.tables import InputRecord, Origin
from tseval.tables.schema import NUGGET_ID, RUN, TOPIC, Column, Kind, Schema

TOPIC = replace(TOPIC, aliases=(*TOPIC.aliases, "qid", "narrative_id"))
TIME = Column("time", Kind.TIME, required=False, may_be_blank=True)
EVER = replace(TIME, any_time=True)
GRADES = Schema(
    "grades",
    (
        TOPIC,
        replace(NUGGET_ID, meaning="that of the nugget list"),
        Column(
            "label",
            Kind.ID,
            aliases=("assignment", "grade"),
            may_be_blank=True,
            meaning="`support`, `partial_support`, anything else is no support",
        ),
        RUN,
        replace(TIME, meaning="when it was said"),
        Column(
            "version",
            Kind.ID,
            required=False,
            default="1",
            meaning="of which response of a run on a topic it is",
        ),
        Column(
            "importance",
            Kind.ID,
            required=False,
            may_be_blank=True,
            meaning="`vital` or `okay`, where no list of nuggets is given",
        ),
    ),
    row="how far a response says a nugget",
)
"""Labels of nuggets as a plain table."""
NUGGETS = Schema(
    "nugget-list",
    (
        TOPIC,
        NUGGET_ID,
        Column("importance", Kind.ID, may_be_blank=True, meaning="`vital` or `okay`"),
        replace(TIME, meaning="when it was first known"),
        Column("text", Kind.TEXT, required=False),
    ),
    key=("topic", "nugget_id"),
    row="what an answer should say",
)
"""Nuggets of answers as a plain table."""
ANNOTATIONS = Schema(
    "annotations",
    (
        TOPIC,
        replace(RUN, required=True),
        Column("answer_id", Kind.ID),
        Column(
            "annotation",
            Kind.ID,
            aliases=("auto_assessment",),
            meaning="`supports`, `partial`, `contradicts` or `none`",
        ),
        EVER,
    ),
    row="what an assessor says of an answer to a question of the rubric (DRAGUN)",
)
COUNTS = Schema(
    "counts",
    (
        replace(RUN, required=True),
        Column("request_id", Kind.ID, meaning="the topic"),
        Column("metric", Kind.ID, meaning="such as `citations`"),
        Column("value", Kind.NUMBER),
    ),
    key=("run", "request_id", "metric"),
    row="a count of a report (Auto-ARGUE)",
)
MET = "`satisfied`, `partially_satisfied` or `not_satisfied`"
_WORD = Column("word", Kind.ID, required=False, may_be_blank=True)
VERDICTS = Schema(
    "verdicts",
    (
        TOPIC,
        replace(_WORD, name="verdict", required=True, meaning=MET),
        Column("weight", Kind.NUMBER, may_be_blank=True, meaning="blank is 0"),
        replace(
            _WORD,
            name="criterion",
            aliases=("criterion_id", "text"),
            meaning="the id or the text of the criterion",
        ),
        replace(_WORD, name="tier", meaning="`mandatory` or `optional`"),
        replace(_WORD, name="status", meaning="`failed`, without a verdict, leaves it out"),
        RUN,
        TIME,
    ),
    row="how far a response meets a criterion of a rubric",
)
HITS = Schema(
    "hits",
    (
        Column("turn", Kind.ID, meaning="the topic"),
        Column("nugget", Kind.ID),
        replace(RUN, required=True),
        Column("label", Kind.NUMBER, meaning="1 says that it is there, 0 that it is not"),
    ),
    row="whether a response says a nugget (CONE-RAG)",
)

NO_TIME = math.nan
"""The time of what has none."""
VITAL, OKAY = "vital", "okay"
"""The importances of nuggets."""
MANDATORY, OPTIONAL = "mandatory", "optional"
"""The tiers of criteria; a criterion has a tier as a nugget has an importance."""


class Sort(Enum):
    """What the labels of a response are; or that it is the response itself."""

    GRADES = "labels of nuggets"
    VERDICTS = "verdicts of a rubric"
    SUPPORT = "labels of citations"
    REPORT = "judgments of reports"
    COUNTS = "counts of reports"
    ANNOTATIONS = "annotations of answers"
    HITS = "labels of turns"
    ANSWERS = "responses without labels"


class Grade(NamedTuple):
    """How far a response says a nugget: 0, 1 for in part, 2."""

    nugget: Nugget
    grade: int
    time: float = NO_TIME
    """Its own time, where it is known of a sentence; else that of the response."""
    known: bool = True
    """Whether the label is one of the three."""
    word: str = ""
    """The label as it is written; empty if there is none."""
    line: int = 0
    """Its line; 0 if it is the line of the response."""
    failed: bool = False
    """Whether the judge failed to answer; the criterion is then left out."""


class Nugget(NamedTuple):
    """What an answer should say."""

    key: Key
    importance: str = ""
    time: float = NO_TIME
    weight: float = math.nan
    """Of a criterion of a rubric."""
    id: str = ""
    """Its name in a plain table of nuggets."""


Key: TypeAlias = tuple[str, int]
"""By what nuggets of two lists are the same: a text and how often it stood before; or an id and -1.
"""


class Cited(NamedTuple):
    """A sentence with the labels of its citations."""

    labels: tuple[int, ...]
    time: float = NO_TIME


class Judged(NamedTuple):
    """A sentence of a report: the counts, and the answers (question, answer) that it gives."""

    characters: int
    citations: int
    relevant: int
    attested: int
    counts: bool
    """Whether it has citations or needs one."""
    answers: tuple[tuple[str, str], ...]
    time: float = NO_TIME

    @property
    def correct(self) -> bool:
        """Whether it is cited, and every citation attests it."""
        return 0 < self.citations <= self.attested


class Count(NamedTuple):
    """A count of a report by its name."""

    metric: str
    value: float
    time: float = NO_TIME


class Annotation(NamedTuple):
    """What an assessor says of one answer of a rubric."""

    answer: str
    label: str
    time: float = NO_TIME


class Sentence(NamedTuple):
    """A sentence of a response, with the documents that it cites."""

    text: str
    documents: tuple[str, ...]
    time: float = NO_TIME


@frozen
class Question:
    """A question with its answers, of a bank of nuggets or of a rubric."""

    text: str
    answers: frozenset[str]
    every: bool
    """Whether it takes every answer (AND), and not any (OR)."""
    weight: float


@frozen
class Response:
    """What a run answered on a topic, with its labels."""

    run: str
    topic: str
    labels: Sequence[Grade | Cited | Judged | Count | Annotation | Sentence]
    time: float
    """When its last sentence was there."""
    line: int
    version: str = ""
    bank: tuple[Question, ...] | None = None
    """The nuggets that came with it."""


class UnknownWord(NamedTuple):
    """A word that is not among the known words of its place."""

    what: str
    """The place of the word, such as `label`."""
    word: str
    line: int


@frozen
class Sheet:
    """The responses of one file, all with labels of one sort."""

    sort: Sort
    responses: tuple[Response, ...]
    origin: Origin
    """A row for each response."""
    warnings: tuple[str, ...] = ()
    unknown: tuple[UnknownWord, ...] = ()
    """The labels and importances that count as none."""


@frozen
class Gold:
    """What a file of nuggets, of a bank or of a rubric holds, by topic."""

    origin: Origin
    nuggets: Mapping[str, tuple[Nugget, ...]]
    questions: Mapping[str, tuple[Question, ...]]
    unknown: tuple[UnknownWord, ...] = ()
    """The importances that count as none."""

    @property
    def topics(self) -> list[str]:
        """The topics that have any, or a list without any."""
        return list(dict.fromkeys([*self.nuggets, *self.questions]))

    @property
    def inputs(self) -> tuple[InputRecord, ...]:
        """Where it was read from."""
        return self.origin.sources
