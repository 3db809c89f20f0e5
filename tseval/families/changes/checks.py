"""The rules of a run, one after the other: what breaks one is a fault, and what is left counts.

A fault is one of a topic's line, of a day in it, of a question of the day, or of a document. What
is below something that is faulty is looked at no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tseval.core.wording import count
from tseval.errors import Fault
from tseval.families.changes.files import (
    BAD_TAG,
    DAY_CURE,
    METADATA_CURE,
    NO_METADATA,
    is_day,
)
from tseval.families.changes.tables import Days, Documents, Questions, Rankings
from tseval.files.faults import FaultList
from tseval.files.formats import Line
from tseval.files.inputs import Input
from tseval.records import frozen
from tseval.tables import ABSENT, Ids, natural_order
from tseval.tables.arrow import strings
from tseval.tables.keys import last_row_of, pair_keys

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, IntArray

MOST = 100
"""How many documents a question may have on a day."""


class Kind(NamedTuple):
    """A kind of fault in words."""

    reason: str
    """With places for the topic, day, question and document of its row."""
    cure: str
    code: str


KINDS = {
    BAD_TAG: Kind(
        "the runtag is no name",
        "a runtag has 2 to 20 letters, digits and signs of _ - ., and no point in front",
        "id-format",
    ),
    NO_METADATA: Kind("the first line has no runtag", METADATA_CURE, "record-format"),
    "unknown-topic": Kind('topic "{topic}" is not in the topics', "leave it out", "unknown-id"),
    "repeated-topic": Kind(
        'topic "{topic}" has a line already',
        "write one line a topic, with all its days",
        "duplicate-id",
    ),
    "bad-day": Kind('"{day}" is not a date', DAY_CURE, "date-format"),
    "day-outside": Kind("{day} is not in the collection", "leave it out", "time-range"),
    "bad-question": Kind(
        '{day}, {qid}: no question of topic "{topic}", and no proposed one',
        "a proposed question's qid begins with the runtag",
        "unknown-id",
    ),
    "repeated-question": Kind(
        "{day}, {qid}: the question stands twice", "rank it once a day", "duplicate-id"
    ),
    "bad-rank": Kind(
        "{day}, {qid}: the rank of the question is no whole number of 0 or more",
        "write a rank such as 0",
        "number-format",
    ),
    "more-than-100": Kind(
        "{day}, {qid}: the question has more than 100 documents",
        f"list the first {MOST}",
        "too-large",
    ),
    "repeated-document": Kind('{day}, {qid}: "{doc}" stands twice', "rank it once", "duplicate-id"),
    "unknown-document": Kind(
        '{day}, {qid}: "{doc}" is not in the collection', "rank documents of the day", "unknown-id"
    ),
    "wrong-day": Kind(
        '{day}, {qid}: "{doc}" is of another day', "rank documents of that day alone", "time-range"
    ),
    "bad-score": Kind(
        '{day}, {qid}: the score of "{doc}" is no finite number', "write a number", "number-format"
    ),
    "missing-topic": Kind(
        'topic "{topic}" is not in the run', "write a line for every topic", "unknown-id"
    ),
}
"""Every kind of fault, by its name."""


class Found(NamedTuple):
    """Faults of one kind: each by its row, or in a run by the file that lacks something."""

    name: str
    rows: Sequence[int] = ()
    path: str = ""
    topic: str = ""


@frozen
class Kept:
    """What a run says that breaks no rule, by the places of topics, questions and days.

    Rows are those of the runs' table.
    """

    topics: tuple[str, ...]
    days: tuple[str, ...]
    present: BoolArray
    """Which (run, topic) stand in the runs."""
    dated: BoolArray
    """Which (run, topic, day) do."""
    entries: IntArray
    """The rows in which questions open."""
    question: IntArray
    """Which of the known questions each of these is; `ABSENT` for a proposed one."""
    documents: IntArray
    """The rows of documents."""
    entry: IntArray
    """The place in `entries` of the question of each document."""
    topic: IntArray
    """Of every row."""
    day: IntArray
    doc: IntArray
    """The place of each row's document in the collection."""
    found: tuple[Found, ...]


@dataclass
class Sieve:
    """Rows that are left, and what the others were dropped for."""

    left: BoolArray
    found: list[Found] = field(default_factory=list)

    def drop(self, name: str, wrong: BoolArray, whole: IntArray) -> None:
        """Drop what is wrong, of which `whole` has one number a topic's line, a day, a question."""
        rows = np.flatnonzero(wrong & self.left)
        if len(rows):
            _, first = np.unique(whole[rows], return_index=True)
            self.found.append(Found(name, np.sort(rows[first]).tolist()))
            self.left &= ~np.isin(whole, whole[rows])


def sifted(
    said: Rankings, questions: Questions, documents: Documents, days: Sequence[str], order: str
) -> Kept:
    """What is left of the runs' rows after every rule of the track."""
    topics = tuple(natural_order(questions.topic.vocabulary()))
    topic, day = said.topic.within(strings(topics)), said.day.within(strings(days))
    run, count_of_days = said.run.codes, len(said.day.names)
    by_topic = (run * len(said.topic.names) + said.topic.codes) * (
        int(said.topic_line.max(initial=0)) + 1
    ) + said.topic_line
    by_day = by_topic * count_of_days + said.day.codes
    by_question = np.cumsum(said.opens.astype(np.int64))
    sieve = Sieve(np.ones(len(said), bool))
    sieve.drop("unknown-topic", topic == ABSENT, by_topic)
    own = run * len(topics) + topic
    sieve.drop("repeated-topic", _not_first(own, said.topic_line, sieve.left), by_topic)
    present = _grid(own[sieve.left], len(said.run.names) * len(topics))
    dated_rows = _filled(said.day)
    real = np.array([is_day(name) for name in said.day.vocabulary()], bool)[said.day.codes]
    sieve.drop("bad-day", dated_rows & ~real, by_day)
    sieve.drop("day-outside", dated_rows & (day == ABSENT), by_day)
    dated = _grid((own * len(days) + day)[sieve.left & dated_rows], len(present) * len(days))
    question = _questions(said, questions)
    sieve.left &= _filled(said.qid)
    sieve.drop("bad-question", (question == ABSENT) & ~_proposed(said), by_question)
    asked = (own * len(days) + day) * len(said.qid.names) + said.qid.codes
    sieve.drop("repeated-question", _not_first(asked, by_question, sieve.left), by_question)
    rank = said.question_rank
    sieve.drop("bad-rank", ~(rank >= 0), by_question)
    entries = np.flatnonzero(said.opens & sieve.left)
    sieve.left &= _filled(said.doc_id)
    doc = _sift_documents(said, documents, by_question, sieve)
    rows = _first_of(said, np.flatnonzero(sieve.left), by_question, order)
    shape = (len(said.run.names), len(topics))
    return Kept(
        topics=topics,
        days=tuple(days),
        present=present.reshape(shape),
        dated=dated.reshape(*shape, len(days)),
        entries=entries,
        question=question[entries],
        documents=rows,
        entry=np.searchsorted(by_question[entries], by_question[rows]),
        topic=topic,
        day=day,
        doc=doc,
        found=(*_of_tags(said), *sieve.found, *_missing(said, topics, present.reshape(shape))),
    )


def _sift_documents(
    said: Rankings, known: Documents, by_question: IntArray, sieve: Sieve
) -> IntArray:
    """Drop faulty documents; gives the place of each row's document in the collection."""
    number = np.bincount(by_question[sieve.left], minlength=int(by_question.max(initial=0)) + 1)
    many = np.flatnonzero((number[by_question] > MOST) & said.opens & sieve.left)
    if len(many):
        sieve.found.append(Found("more-than-100", many.tolist()))
    every = np.arange(len(said))
    pairs = by_question * len(said.doc_id.names) + said.doc_id.codes
    sieve.drop("repeated-document", _not_first(pairs, every, sieve.left), every)
    doc = _places(said.doc_id, known.doc_id)
    sieve.drop("unknown-document", doc == ABSENT, every)
    own_day = known.day.within(said.day.names)
    if len(own_day):
        sieve.drop("wrong-day", own_day[doc] != said.day.codes, every)
    sieve.drop("bad-score", np.isnan(said.score), every)
    return doc


def _first_of(said: Rankings, rows: IntArray, by_question: IntArray, order: str) -> IntArray:
    """The first hundred documents of each question, in the order of the file."""
    key = -said.score[rows] if order == "score" else np.zeros(len(rows))
    ranked = rows[np.lexsort((rows, key, by_question[rows]))]
    own = by_question[ranked]
    start = np.flatnonzero(np.diff(own, prepend=-1))
    place = np.arange(len(own)) - np.repeat(start, np.diff(np.append(start, len(own))))
    return np.sort(ranked[place < MOST])


def _grid(places: IntArray, size: int) -> BoolArray:
    grid: BoolArray = np.bincount(places, minlength=size) > 0
    return grid


def _filled(ids: Ids) -> BoolArray:
    """Which rows have a name, and no blank."""
    filled: BoolArray = np.array([bool(name.strip()) for name in ids.vocabulary()], bool)[ids.codes]
    return filled


def _not_first(key: IntArray, part: IntArray, left: BoolArray) -> BoolArray:
    """Which rows that are left have a key that another part has before."""
    rows = np.flatnonzero(left)
    _, first, inverse = np.unique(key[rows], return_index=True, return_inverse=True)
    wrong = np.zeros(len(key), bool)
    wrong[rows] = part[rows] != part[rows][first][inverse]
    return wrong


def _places(ids: Ids, names: Ids) -> IntArray:
    """The row in which each name stands in a column of different names."""
    row = np.full(len(names.names), ABSENT)
    row[names.codes] = np.arange(len(names))
    at = ids.within(names.names)
    return np.where(at == ABSENT, ABSENT, row[at]) if len(row) else at


def _questions(said: Rankings, asked: Questions) -> IntArray:
    """Which known question each row is of; `ABSENT` for another."""
    wanted = pair_keys(said.topic, said.qid, asked.topic, asked.qid)
    return last_row_of(wanted, pair_keys(asked.topic, asked.qid, asked.topic, asked.qid))


def _proposed(said: Rankings) -> BoolArray:
    """Which rows are of a question whose qid begins with the run's tag."""
    found = np.zeros(len(said), bool)
    runs = said.run.vocabulary()
    for tag in said.tags:
        if tag.runtag is not None:
            begins = [name.startswith(tag.runtag) for name in said.qid.vocabulary()]
            own = said.run.codes == runs.index(tag.run)
            found |= own & np.array(begins, bool)[said.qid.codes]
    return found


def _of_tags(said: Rankings) -> Iterator[Found]:
    for tag in said.tags:
        if tag.fault:
            yield Found(tag.fault, path=tag.path)


def _missing(said: Rankings, topics: Sequence[str], present: BoolArray) -> Iterator[Found]:
    path = {tag.run: tag.path for tag in said.tags}
    for run, there in zip(said.run.vocabulary(), present, strict=True):
        for at in np.flatnonzero(~there).tolist():
            yield Found("missing-topic", path=path[run], topic=topics[at])


def told(said: Rankings, found: Found) -> Iterator[Fault]:
    """Faults of one kind, each with its line, day and question."""
    kind = KINDS[found.name]
    for row in found.rows:
        reason = kind.reason.format(
            topic=said.topic[row], day=said.day[row], qid=said.qid[row], doc=said.doc_id[row]
        )
        yield said.origin.fault(row, f"{found.name}: {reason}", kind.cure, kind.code)
    if found.path:
        line = None if found.topic else 1
        reason = kind.reason.format(topic=found.topic)
        yield Fault(found.path, line, f"{found.name}: {reason}", kind.cure, kind.code)


def refuse(said: Rankings, found: Sequence[Found], inputs: Sequence[Input]) -> None:
    """Refuse runs with faults: the first that has any, with all of its own."""
    faults = [fault for each in found for fault in told(said, each)]
    for source in inputs:
        own = [fault for fault in faults if fault.file == source.path]
        refused = FaultList(source)
        refused.extend(own)
        refused.check()


IN_ITSELF = (
    *(BAD_TAG, NO_METADATA, "repeated-topic", "bad-day", "repeated-question", "bad-rank"),
    *("more-than-100", "repeated-document", "bad-score"),
)
"""The kinds of faults that a run shows by itself, whatever the collection is."""


def in_itself(said: Rankings) -> Iterator[Fault]:
    """The faults that a run shows by itself."""
    topic, qid = said.topic, said.qid
    _, first = np.unique(pair_keys(topic, qid, topic, qid), return_index=True)
    questions = Questions(topic.rows(first), qid.rows(first), said.origin.rows(first))
    _, first = np.unique(said.doc_id.codes, return_index=True)
    documents = Documents(said.doc_id.rows(first), said.day.rows(first), said.origin.rows(first))
    days = [day for day in said.day.vocabulary() if is_day(day)]
    for found in sifted(said, questions, documents, days, "score").found:
        if found.name in IN_ITSELF:
            yield from told(said, found)


def together(read: Sequence[Any]) -> Iterator[Line]:
    """The faults that runs show beside their topics, documents and days."""
    questions, documents, days = (_first(read, kind) for kind in (Questions, Documents, Days))
    if questions is None or documents is None:
        return
    for said in (each for each in read if isinstance(each, Rankings)):
        met = said if days is None else days
        known = sorted(day for day in met.day.vocabulary() if is_day(day))
        for found in sifted(said, questions, documents, known, "score").found:
            if found.name not in IN_ITSELF:
                yield from ((str(fault), True) for fault in told(said, found))


def _first(read: Sequence[Any], kind: type) -> Any:
    """The first table of a kind; None without any."""
    return next((each for each in read if isinstance(each, kind)), None)


def dropped(said: Rankings, found: Sequence[Found]) -> Iterator[str]:
    """A line for each kind of fault that was let pass, with the first of them.

    Topics that a run lacks are told of where it is said how they count.
    """
    for each in found:
        if each.name != "missing-topic":
            first = next(told(said, each))
            number = count(max(len(each.rows), 1), "fault")
            yield f"{number} let pass by --lenient; {first}"
