"""Reading what belongs to change detection: the track's files, and plain tables of the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from tseval.families.changes.tables import (
    DAYS,
    DOCUMENTS,
    GAINS,
    QUESTION_GAINS,
    QUESTIONS,
    RANKINGS,
    Days,
    Documents,
    Gains,
    QuestionGains,
    Questions,
    Rankings,
    Tag,
)
from tseval.files.cells import Cells, column_of
from tseval.files.faults import FaultList
from tseval.files.fixed_fields import named_fields, read_lines_or_table
from tseval.files.frames import run_names
from tseval.files.inputs import Each, Input
from tseval.files.jsonl import KINDS, objects
from tseval.files.plain import build, recognise
from tseval.files.reading import input_of, read_table, refuse, refuse_all, refuse_where, rows_of
from tseval.files.text_lines import first_row, text_lines
from tseval.tables import Ids, InputRecord, Origin

if TYPE_CHECKING:
    from tseval.files.reading import Given
    from tseval.tables import Schema

RUNTAG = re.compile(r"[a-zA-Z0-9_-][a-zA-Z0-9_.-]{1,19}")
"""At least 2 and at most 20 of these."""
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
DAY_CURE = "write a day as 2026-01-31"
METADATA_CURE = 'the first line of a run is {"runtag": …, "description": …, …}'
TOPIC_CURE = 'a line of a run is {"topic": …, "results": {"2026-01-31": [QUESTION, …], …}}'
QUESTION_CURE = 'a question is {"qid": …, "question-rank": 0, "doc-ranking": [DOCUMENT, …]}'
DOCUMENT_CURE = 'a document is {"doc_id": …, "score": 1.5}'
TOPICS_CURE = 'a line of topics is {"tid": …, "questions": [{"qid": …}, …]}'
QRELS_FILE = named_fields(GAINS, "topic qid doc_id gain")
"""Judgments as lines of four fields without a header."""
GAINS_JUDGED = (b"0", b"1", b"5", b"10")
"""The gains of the guidelines."""
BAD_TAG, NO_METADATA = "bad-runtag", "no-metadata"


def is_day(text: str) -> bool:
    """Whether this is a day of the calendar, written as the track does."""
    if not DAY.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


# Runs.


def is_run(source: Input) -> bool:
    """Whether an input looks like a run of the track."""
    head = source.head()
    return (
        not source.is_table
        and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
        and re.search(rb'"results"\s*:\s*\{', head) is not None
        and re.search(rb'"(runtag|topic)"', head) is not None
    )


def read_rankings(given: Sequence[Given], form: str | None = None, each: Each = map) -> Rankings:
    """One or more runs as one table; `each` has them read one after the other, or elsewhere."""
    inputs = [input_of(one, RANKINGS) for one in given]
    said = Rankings.join(list(each(partial(_rankings, form=form), inputs, run_names(inputs))))
    paths = dict[str, str]()
    for tag in said.tags:
        if paths.setdefault(tag.run, tag.path) != tag.path:
            source = next(each for each in inputs if each.path == tag.path)
            reason = f'the run is called "{tag.run}", as that of {paths[tag.run]}'
            refuse(
                source, reason, f"give it a name of its own: --name {tag.path}=NAME", "duplicate-id"
            )
    return said


def _rankings(source: Input, name: str, form: str | None) -> Rankings:
    if source.is_table or form is not None or not _is_json(source):
        return _plain(source, name, form)
    return _json(source, name)


def _is_json(source: Input) -> bool:
    """Whether it is JSON, and no plain table of one object a row."""
    form, names = recognise(source)
    return form == "jsonl" and bool(RANKINGS.missing(names))


def _plain(source: Input, name: str, form: str | None) -> Rankings:
    rows = rows_of(source, RANKINGS, form)
    topic, day, qid = (rows.columns[each] for each in ("topic", "day", "qid"))
    number = len(rows.origin.line)
    opens = np.ones(number, bool)
    opens[1:] = False
    for column in (topic, day, qid, rows.get("run")):
        if column is not None:
            opens[1:] |= column.codes[1:] != column.codes[:-1]
    runs = rows.get("run")
    tags = [(name, None)] if runs is None else [(each, each) for each in runs.vocabulary()]
    rank: Any = rows.columns["question_rank"]
    whole = rank == np.floor(rank)
    columns = {"opens": opens, "topic_line": np.zeros(number, np.int64)}
    columns |= {"question_rank": np.where(whole, rank, np.nan)}
    said = Rankings.of(rows.columns | columns, rows.origin, name)
    return replace(said, tags=tuple(Tag(run, source.path, tag) for run, tag in tags))


@dataclass
class Listing:
    """What a run in JSON says, as it is found: questions, and the documents of all of them."""

    faults: FaultList
    line: list[int] = field(default_factory=list)
    topic: list[str] = field(default_factory=list)
    day: list[str] = field(default_factory=list)
    qid: list[str] = field(default_factory=list)
    rank: list[float] = field(default_factory=list)
    number: list[int] = field(default_factory=list)
    """How many documents each question has, or the one row in which the rest is blank."""
    doc_id: list[str] = field(default_factory=list)
    score: list[float] = field(default_factory=list)

    def add(
        self,
        line: int,
        topic: str,
        day: str = "",
        qid: str = "",
        rank: float = np.nan,
        documents: tuple[list[str], list[float]] = ([], []),
    ) -> None:
        """A question with the ids and scores of its documents; or what has none."""
        self.line.append(line)
        self.topic.append(topic)
        self.day.append(day)
        self.qid.append(qid)
        self.rank.append(rank)
        docs, scores = documents if documents[0] else ([""], [np.nan])
        self.number.append(len(docs))
        self.doc_id += docs
        self.score += scores

    def table(self, tag: Tag) -> Rankings:
        """A row a document as a table; any fault is raised."""
        self.faults.check()
        source = self.faults.source
        number = np.array(self.number, np.int64)
        question = np.repeat(np.arange(len(number)), number)
        lines, score = np.array(self.line, np.int64)[question], np.array(self.score, np.float64)
        record = InputRecord(source.path, lambda: source.sha256, len(lines), source.unit)
        return Rankings(
            run=Ids.constant(tag.run, len(lines)),
            topic=Ids.of(self.topic).rows(question),
            day=Ids.of(self.day).rows(question),
            qid=Ids.of(self.qid).rows(question),
            question_rank=np.array(self.rank, np.float64)[question],
            doc_id=Ids.of(self.doc_id),
            score=np.where(np.isfinite(score), score, np.nan),
            opens=np.diff(question, prepend=-1) > 0,
            topic_line=lines,
            origin=Origin.single(record, lines),
            tags=(tag,),
        )


def _json(source: Input, name: str) -> Rankings:
    """A run of the track. What cannot be understood is refused; what breaks a rule is not yet."""
    listing = Listing(FaultList(source))
    tag = Tag(name, source.path, None, NO_METADATA)
    for place, (line, record) in enumerate(objects(source, listing.faults)):
        if place == 0 and "runtag" in record and "results" not in record:
            tag = _tag(source.run_name or record["runtag"], source, name)
            continue
        topic, results = record.get("topic"), record.get("results")
        if not _is_name(topic) or not isinstance(results, dict):
            cure = METADATA_CURE if place == 0 else TOPIC_CURE
            lacks = 'no "topic"' if not _is_name(topic) else f'"results" is {_kind(results)}'
            listing.faults.add(line, lacks, cure, "record-format")
            continue
        if not results:
            listing.add(line, str(topic))
        for day, block in results.items():
            _read_day(listing, line, str(topic), day, block)
    return listing.table(tag)


def _tag(written: Any, source: Input, name: str) -> Tag:
    if not isinstance(written, str) or not written.strip():
        return Tag(name, source.path, None, BAD_TAG)
    fault = "" if RUNTAG.fullmatch(written) else BAD_TAG
    return Tag(written, source.path, written, fault)


def _read_day(listing: Listing, line: int, topic: str, day: str, block: Any) -> None:
    """The questions of a day: a list, or an object with a list of results."""
    listed = block.get("results") if isinstance(block, dict) else block
    if not day.strip() or not isinstance(listed, list):
        reason = f'"{day}" is {_kind(listed)}' if day.strip() else "a day is blank"
        listing.faults.add(line, reason, TOPIC_CURE, "record-format")
        return
    if not listed:
        listing.add(line, topic, day)
    for question in listed:
        try:
            qid, rank, documents = _question(question)
        except _Unclear as error:
            listing.faults.add(line, f"{day}: {error}", error.cure, "record-format")
        else:
            listing.add(line, topic, day, qid, rank, documents)


class _Unclear(Exception):
    """A part of a run that cannot be understood, and what should stand there."""

    def __init__(self, reason: str, cure: str) -> None:
        super().__init__(reason)
        self.cure = cure


def _question(question: Any) -> tuple[str, float, tuple[list[str], list[float]]]:
    """The qid, the rank and the documents of a question, by keys with hyphens or underscores."""
    if not isinstance(question, dict):
        raise _Unclear(f"a question is {_kind(question)}", QUESTION_CURE)
    qid = question.get("qid")
    if not _is_name(qid):
        raise _Unclear('a question has no "qid"', QUESTION_CURE)
    rank = question.get("question-rank", question.get("question_rank"))
    listed = question.get("doc-ranking", question.get("doc_ranking"))
    if not isinstance(listed, list):
        raise _Unclear(f'{qid}: "doc-ranking" is {_kind(listed)}', QUESTION_CURE)
    return qid, _number(rank) if type(rank) is int else np.nan, _documents(listed, qid)


def _documents(listed: list[Any], qid: str) -> tuple[list[str], list[float]]:
    """The ids and scores of documents; those of usual types are taken all at once."""
    try:
        docs, scores = [each["doc_id"] for each in listed], [each["score"] for each in listed]
    except (KeyError, TypeError):
        docs, scores = [], []
    if (
        {*map(type, docs)} == {str}
        and {*map(type, scores)} == {float}
        and all(map(str.strip, docs))
    ):
        return docs, scores
    pairs = [_document(each, qid) for each in listed]
    return [doc for doc, _ in pairs], [score for _, score in pairs]


def _document(document: Any, qid: str) -> tuple[str, float]:
    if not isinstance(document, dict):
        raise _Unclear(f"{qid}: a document is {_kind(document)}", DOCUMENT_CURE)
    doc = document.get("doc_id", document.get("docid"))
    if not _is_name(doc):
        raise _Unclear(f'{qid}: a document has no "doc_id"', DOCUMENT_CURE)
    return doc, _number(document.get("score"))


def _number(value: Any) -> float:
    """A number of JSON; NaN for anything else, and for an integer that is too large."""
    if type(value) not in (int, float):
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return np.nan


def _is_name(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


def _kind(value: Any) -> str:
    kind = KINDS[type(value)]
    return f"{'an' if kind.startswith('o') else 'a'} {kind}" if value is not None else "missing"


# What stands beside the runs.


def read_questions(given: Given, form: str | None = None) -> Questions:
    """The questions of each topic: the track's topics, or a table `topic qid`."""
    source = input_of(given, QUESTIONS)
    if not source.is_table and form is None and is_topics(source):
        questions = _topics(source)
    else:
        questions = read_table(source, QUESTIONS, Questions, form)
    if not len(questions):
        refuse(source, "holds no question", TOPICS_CURE)
    refuse_all(source, questions, questions.topic)
    return questions


def is_topics(source: Input) -> bool:
    """Whether an input looks like the track's topics."""
    return b'"tid"' in source.head()


def _topics(source: Input) -> Questions:
    faults = FaultList(source)
    rows = list(_questions_of(source, faults))
    names = ("topic", "qid")
    columns = {name: column_of([row[at] for _, row in rows], name, QUESTIONS)
               for at, name in enumerate(names)}  # fmt: skip
    lines = np.array([line for line, _ in rows], np.int64)
    read = build(source, Cells(columns, lines), QUESTIONS, faults)
    faults.check()
    return Questions.of(read.columns, read.origin)


def _questions_of(source: Input, faults: FaultList) -> Iterator[tuple[int, tuple[str, str]]]:
    """Each question with its line."""
    for line, record in objects(source, faults):
        topic, listed = record.get("tid"), record.get("questions")
        named = isinstance(listed, list) and all(
            isinstance(each, dict) and _is_name(each.get("qid")) for each in listed
        )
        if not _is_name(topic) or not isinstance(listed, list) or not named:
            lacks = 'no list of questions with a "qid"' if _is_name(topic) else 'no "tid"'
            faults.add(line, lacks, TOPICS_CURE, "record-format")
            continue
        yield from ((line, (str(topic), each["qid"])) for each in listed)


def read_gains(given: Given, form: str | None = None) -> Gains:
    """What documents are worth: a table, or lines of four fields."""
    source = input_of(given, GAINS)
    rows = read_lines_or_table(source, QRELS_FILE, form)
    return Gains.of(rows.columns, rows.origin)


def is_qrels(source: Input) -> bool:
    """Whether the first line has four fields, the last of them a gain."""
    fields = first_row(source).split()
    return len(fields) == QRELS_FILE.fields and fields[-1] in GAINS_JUDGED


def read_question_gains(given: Given, form: str | None = None) -> QuestionGains:
    """What questions themselves are worth each day."""
    source = input_of(given, QUESTION_GAINS)
    gains = read_table(source, QUESTION_GAINS, QuestionGains, form)
    _check_days(source, gains.day, gains.origin)
    return gains


def read_documents(given: Given, form: str | None = None) -> Documents:
    """The day of each document."""
    source = input_of(given, DOCUMENTS)
    documents = read_table(source, DOCUMENTS, Documents, form)
    _check_days(source, documents.day, documents.origin)
    return documents


def is_days(source: Input) -> bool:
    """Whether the first line is a day."""
    return is_day(first_row(source).decode("utf-8", "replace"))


def read_days(given: Given, form: str | None = None) -> Days:
    """The days of the collection: a table, or one a line."""
    source = input_of(given, DAYS)
    if source.is_table or form is not None or _has_header(source, DAYS):
        days = read_table(source, DAYS, Days, form)
    else:
        faults = FaultList(source)
        rows = [(line, text.strip()) for line, text in text_lines(source, faults) if text.strip()]
        lines = np.array([line for line, _ in rows], np.int64)
        cells = Cells({"day": column_of([day for _, day in rows], "day", DAYS)}, lines)
        read = build(source, cells, DAYS, faults)
        faults.check()
        days = Days.of(read.columns, read.origin)
    if not len(days):
        refuse(source, "holds no day", DAY_CURE)
    _check_days(source, days.day, days.origin)
    return days


def _has_header(source: Input, schema: Schema) -> bool:
    """Whether the columns of a table are named."""
    return not schema.missing(recognise(source)[1])


def _check_days(source: Input, day: Ids, origin: Origin) -> None:
    """Refuse what is no day."""
    wrong = np.array([not is_day(name) for name in day.vocabulary()], bool)[day.codes]
    refuse_where(source, origin, wrong, day, '"{}" is not a date', DAY_CURE, "date-format")
