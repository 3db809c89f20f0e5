"""What every measure is taken from: the rankings of all days, of documents and of questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.families.changes.checks import Kept
from tseval.families.changes.files import is_day
from tseval.families.changes.rankings import Items, Ranked
from tseval.families.changes.rules import ChangeRules
from tseval.families.changes.tables import Collection, Days, Documents, Rankings
from tseval.records import frozen
from tseval.tables import ABSENT, Ids
from tseval.tables.arrow import strings
from tseval.tables.keys import last_row_of, pair_keys
from tseval.tables.times import moment
from tseval.tables.units import Units

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

DOCUMENT_LEVEL, QUESTION_LEVEL = "documents", "questions"
"""The levels: documents are ranked for each question, and the questions themselves."""
TOP_GAIN = 10
"""What scaled gains are divided by: the largest of the guidelines."""


@frozen
class Level:
    """All rankings of a level: a run's, of a topic, of a question, on a day."""

    ranked: Ranked
    topic_unit: IntArray
    """The (run, topic) of each ranking."""
    question: IntArray
    """The known question that it is of; `ABSENT` for rankings of questions."""
    slot: IntArray
    """Which of its topic's questions that is, from 0."""
    day: IntArray
    counts: BoolArray
    """Not where a topic is missing that has 0 in all measures."""
    known: dict[str, FloatArray] = field(default_factory=dict)
    """What measures were found to be, so that each is worked out once for all sets of units."""


@frozen
class ChangeIndex(Units):
    """Rankings by level, with the days and questions that they are of."""

    present: BoolArray
    days: tuple[str, ...]
    questions: tuple[str, ...]
    """The qid of each known question."""
    rules: ChangeRules
    levels: Mapping[str, Level]

    @cached_property
    def times(self) -> FloatArray:
        """When each day begins."""
        return np.array([moment(day) for day in self.days], np.float64)


@frozen
class Builder:
    """What the rankings of both levels are made of."""

    said: Rankings
    known: Collection
    kept: Kept
    rules: ChangeRules

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.said.run.names)

    @property
    def grid(self) -> int:
        """How many days there are."""
        return len(self.kept.days)

    @cached_property
    def topic_of(self) -> IntArray:
        """The topic of each known question."""
        return self.known.questions.topic.within(strings(self.kept.topics))

    @cached_property
    def relevant(self) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
        """The judgments above 0 of days of the collection: question, day, document, gain.

        The question is its place among `pairs`.
        """
        judged = self.known.gains
        pair = self.place_of(judged.topic, judged.qid)
        doc = _rows_of(self.known.documents.doc_id, judged.doc_id)
        day = np.append(self.known.documents.day.within(strings(self.kept.days)), ABSENT)[doc]
        counts = (judged.gain > 0) & (pair != ABSENT) & (day != ABSENT)
        return pair[counts], day[counts], doc[counts], self.worth(judged.gain[counts])

    def worth(self, gain: FloatArray) -> FloatArray:
        """Gains as the rules count them."""
        if self.rules.gains == "binary":
            return (gain > 0).astype(np.float64)
        return gain / TOP_GAIN if self.rules.gains == "scaled" else gain

    @cached_property
    def pairs(self) -> tuple[Ids, Ids]:
        """The topic and qid of every question: the known ones, then those that runs propose."""
        own, kept = self.known.questions, self.kept
        rows = kept.entries[kept.question == ABSENT]
        topic, qid = self.said.topic.rows(rows), self.said.qid.rows(rows)
        _, first = np.unique(pair_keys(topic, qid, topic, qid), return_index=True)
        return (
            Ids.join([own.topic, topic.rows(first)]),
            Ids.join([own.qid, qid.rows(first)]),
        )

    def place_of(self, topic: Ids, qid: Ids) -> IntArray:
        """The places of questions in `pairs`; `ABSENT` for those that are not there."""
        topics, qids = self.pairs
        return last_row_of(
            pair_keys(topic, qid, topics, qids), pair_keys(topics, qids, topics, qids)
        )

    def documents(self) -> Level:
        """The rankings of documents: of every run, known question and day."""
        kept, said, days = self.kept, self.said, self.grid
        known = len(self.known.questions)
        question = kept.question[kept.entry]
        chosen = question != ABSENT
        rows, question = kept.documents[chosen], question[chosen]
        unit = (said.run.codes[rows] * known + question) * days + kept.day[rows]
        pair, day, doc, gain = self.relevant
        own = pair < known
        pair, day, doc, gain = pair[own], day[own], doc[own], gain[own]
        number = len(self.known.documents)
        found = last_row_of(question * number + kept.doc[rows], pair * number + doc)
        by_score = self.rules.order == "score"
        items = self._items(
            unit,
            np.append(gain, 0.0)[found],
            -said.score[rows] if by_score else rows.astype(np.float64),
            said.doc_id.rows(rows),
            rows,
        )
        every = np.arange(self.runs * known * days)
        question = every // days % known
        topic_unit = every // (days * known) * len(kept.topics) + self.topic_of[question]
        answers = np.tile(pair * days + day, self.runs)
        answers += np.repeat(np.arange(self.runs), len(pair)) * known * days
        return Level(
            Ranked.of(len(every), items, answers, np.tile(gain, self.runs)),
            topic_unit,
            question,
            _slots(self.topic_of)[question],
            every % days,
            self._counts(topic_unit),
        )

    def _items(
        self, unit: IntArray, gain: FloatArray, key: FloatArray, ids: Ids, place: IntArray
    ) -> Items:
        """Items ranked by their keys, with ties as the rules have them."""
        if self.rules.ties == "id":
            names = ids.vocabulary()
            rank = np.zeros(len(names), np.int64)
            rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
            place = rank[ids.codes]
        return Items.ordered(unit, gain, key, place, tied=self.rules.ties == "expected")

    def _counts(self, topic_unit: IntArray) -> BoolArray:
        if self.rules.missing_topic == "silent":
            return np.ones(len(topic_unit), bool)
        counts: BoolArray = self.kept.present.ravel()[topic_unit]
        return counts

    def questions(self) -> Level:
        """The rankings of questions: of every run, topic and day."""
        kept, days, topics = self.kept, self.grid, len(self.kept.topics)
        rows, pair = self._returned()
        topic, day = kept.topic[rows], kept.day[rows]
        unit = (self.said.run.codes[rows] * topics + topic) * days + day
        rank, place = self.said.question_rank[rows], rows
        more_unit, more_pair = self._on_missing_dates()
        unit, pair = np.append(unit, more_unit), np.append(pair, more_pair)
        rank = np.append(rank, np.zeros(len(more_unit)))
        place = np.append(place, np.arange(len(more_unit)))
        gains = self._gains_of_questions()
        day = unit % days
        qids = self.pairs[1].rows(pair)
        items = self._items(unit, gains[pair, day], rank, qids, place)
        every = np.arange(self.runs * topics * days)
        answers, worth = self._answers(gains, rows)
        topic_unit = every // days
        none = np.full(len(every), ABSENT)
        return Level(
            Ranked.of(len(every), items, answers, worth),
            topic_unit,
            none,
            np.zeros(len(every), np.int64),
            every % days,
            self._counts(topic_unit),
        )

    def _returned(self) -> tuple[IntArray, IntArray]:
        """The rows in which questions open, and the places of these; proposed ones if they stay."""
        kept = self.kept
        rows = kept.entries
        if self.rules.proposed == "drop":
            rows = rows[kept.question != ABSENT]
        return rows, self.place_of(self.said.topic.rows(rows), self.said.qid.rows(rows))

    def _on_missing_dates(self) -> tuple[IntArray, IntArray]:
        """All known questions of each (run, topic, day) that a run lacks, if they are returned."""
        if self.rules.missing_date == "silent":
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        lacking = ~self.kept.dated & self.kept.present[:, :, None]
        unit = np.flatnonzero(lacking)
        topic = unit // self.grid % len(self.kept.topics)
        at, pair = np.nonzero(topic[:, None] == self.topic_of[None, :])
        return unit[at], pair

    def _gains_of_questions(self) -> FloatArray:
        """What each question is worth on each day."""
        gains = np.zeros((len(self.pairs[0]), self.grid))
        judged = self.known.question_gains
        if self.rules.question_gain == "max" or judged is None:
            pair, day, _, gain = self.relevant
        else:
            pair = self.place_of(judged.topic, judged.qid)
            day = judged.day.within(strings(self.kept.days))
            counts = (pair != ABSENT) & (day != ABSENT)
            pair, day, gain = pair[counts], day[counts], self.worth(judged.gain[counts])
        np.maximum.at(gains, (pair, day), gain)
        return gains

    def _answers(self, gains: FloatArray, rows: IntArray) -> tuple[IntArray, FloatArray]:
        """The units and gains of all questions that there were to return, by each run.

        A proposed question is there to return from the day on that the run first proposes it.
        """
        topics, known = len(self.kept.topics), len(self.known.questions)
        pair, day = np.nonzero(gains[:known])
        one_run = self.topic_of[pair] * self.grid + day
        unit = [
            np.tile(one_run, self.runs)
            + np.repeat(np.arange(self.runs), len(one_run)) * topics * self.grid
        ]
        worth = [np.tile(gains[pair, day], self.runs)]
        if self.rules.proposed == "keep":
            own = self.place_of(self.said.topic.rows(rows), self.said.qid.rows(rows))
            first = np.full((self.runs, len(gains)), self.grid)
            np.minimum.at(first, (self.said.run.codes[rows], own), self.kept.day[rows])
            run, pair, day = np.nonzero(
                (gains[None, known:] > 0) & (np.arange(self.grid) >= first[:, known:, None])
            )
            topic = self.pairs[0].within(strings(self.kept.topics))[pair + known]
            unit.append((run * topics + topic) * self.grid + day)
            worth.append(gains[pair + known, day])
        return np.concatenate(unit), np.concatenate(worth)


def _rows_of(column: Ids, wanted: Ids) -> IntArray:
    """The row of a column of different names in which each wanted one stands."""
    code = wanted.within(column.names)
    return last_row_of(code, column.codes)


def _slots(topic: IntArray) -> IntArray:
    """Which of its topic's questions each question is."""
    slot, number = np.zeros(len(topic), np.int64), dict[int, int]()
    for at, own in enumerate(topic.tolist()):
        slot[at] = number.get(own, 0)
        number[own] = int(slot[at]) + 1
    return slot


def build_index(said: Rankings, known: Collection, kept: Kept, rules: ChangeRules) -> ChangeIndex:
    """The rankings of runs, beside what there was to return."""
    builder = Builder(said, known, kept, rules)
    return ChangeIndex(
        runs=tuple(said.run.vocabulary()),
        topics=kept.topics,
        present=kept.present,
        days=kept.days,
        questions=tuple(known.questions.qid.to_list()),
        rules=rules,
        levels={DOCUMENT_LEVEL: builder.documents(), QUESTION_LEVEL: builder.questions()},
    )


def days_of(said: Sequence[str], known: Collection) -> list[str]:
    """The days of judgments and of runs together, for a collection whose days are not given."""
    judged = known.gains
    doc = _rows_of(known.documents.doc_id, judged.doc_id.rows(judged.gain > 0))
    own = known.documents.day
    days = set(said) | {own[row] for row in doc.tolist() if row != ABSENT}
    questions = known.question_gains
    if questions is not None:
        days |= set(questions.day.rows(questions.gain > 0).to_list())
    return sorted(days)


def documents_of(said: Rankings, days: Days | None) -> Documents:
    """The documents that runs return, each of the first day on which any run does.

    It is for a collection whose documents are not given. Only its days count, where they are known.
    """
    names = said.day.vocabulary()
    known = set(names) if days is None else set(days.day.vocabulary())
    real = np.array([is_day(day) and day in known for day in names], bool)
    returned = np.array([bool(doc.strip()) for doc in said.doc_id.vocabulary()], bool)
    rows = np.flatnonzero(returned[said.doc_id.codes] & real[said.day.codes])
    place = np.argsort(np.argsort(np.array(names, np.str_)))
    rows = rows[np.argsort(place[said.day.codes[rows]], kind="stable")]
    _, first = np.unique(said.doc_id.codes[rows], return_index=True)
    chosen = rows[first]
    return Documents(said.doc_id.rows(chosen), said.day.rows(chosen), said.origin.rows(chosen))
