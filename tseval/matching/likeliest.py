"""For each run and nugget the few updates that most likely say it: those that a judge would read.

An update counts by its text: what a run says twice is read once, and what two runs say alike is
one text of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval.matching.matching import NuggetsByTopic, every_score, judge_ahead, read_ahead
from tseval.parallel.sharing import Progress
from tseval.records import frozen
from tseval.tables import ABSENT, Nuggets, Texts, Updates
from tseval.tables.keys import rows_by_code

if TYPE_CHECKING:
    import matchers
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

SCORED_AT_ONCE = 1 << 24
"""Pairs whose scores are held at the same time, unless one nugget has more."""


class Text(NamedTuple):
    """A text of a topic, by the row of the first update that has it."""

    row: int
    text: str


@frozen(eq=False)
class Likeliest:
    """Which texts are read, for each run and nugget from the likeliest on.

    The columns stand beside one another, by run, nugget and rank. Texts that score 0 are not read.
    """

    runs: tuple[str, ...]
    nuggets: int
    probable: bool
    """Whether scores are probabilities that assessors would call a pair a match."""
    run: IntArray
    nugget: IntArray
    update: IntArray
    """The row of the first update of any run that has the text."""
    score: FloatArray
    predicted: FloatArray
    """Per run and nugget, of the shape (runs, nuggets), the probability that a text that is read
    says it; of a matcher whose scores are none, 1 where one reaches the threshold, else 0."""
    unread: FloatArray
    """In the same way, the probability that one says it that is not read, and none that is."""
    best: FloatArray
    """The best score."""

    @cached_property
    def texts(self) -> IntArray:
        """For each nugget how many texts are read for any run."""
        different = np.unique(np.stack([self.nugget, self.update]), axis=1)
        return np.bincount(different[0], minlength=self.nuggets)

    def places(self) -> Iterator[tuple[int, int, slice]]:
        """Run, nugget, and where its texts stand."""
        cell = self.run * self.nuggets + self.nugget
        starts = np.flatnonzero(np.diff(cell, prepend=-1))
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(cell)], strict=True):
            yield int(self.run[start]), int(self.nugget[start]), slice(start, end)


def likeliest(
    matcher: matchers.Matcher,
    updates: Updates,
    run: IntArray,
    runs: tuple[str, ...],
    nuggets: Nuggets,
    depth: int,
    progress: Progress | None = None,
) -> Likeliest:
    """The `depth` texts of each run that score best for each nugget of their topic.

    `run` has for each update the place of its run among `runs`. Of equal scores the text that
    comes first in the order of texts is read first, whatever the order of files.
    """
    by_topic = NuggetsByTopic(matcher, nuggets)
    topic = updates.topic.within(nuggets.topic.names)
    read_ahead(matcher, updates.text.rows(topic != ABSENT), progress)
    judge_ahead(matcher, by_topic.lots(updates), by_topic.collection, progress)
    reading = _Reading(matcher, len(runs), len(nuggets), depth)
    done = 0
    gold_of = rows_by_code(nuggets.topic.codes)
    for code, rows in rows_by_code(topic).items():
        gold = gold_of.get(code, rows[:0])
        texts = _different(updates, rows)
        owns = _owners(texts, updates, rows, run, len(runs))
        step = max(1, SCORED_AT_ONCE // max(1, len(texts)))
        for at in range(0, len(gold) if texts else 0, step):
            part = gold[at : at + step]
            reading.take(part, texts, owns, [nuggets.text[n] for n in part.tolist()], by_topic)
        done += len(rows)
        if progress:
            progress(done, len(updates))
    return reading.finished(runs)


def _different(updates: Updates, rows: IntArray) -> list[Text]:
    """The different texts of these updates in their own order; a blank one is none."""
    first: dict[str, int] = {}
    for row, text in zip(rows.tolist(), updates.text.rows(rows), strict=True):
        if text.strip():
            first.setdefault(text, row)
    return [Text(row, text) for text, row in sorted(first.items())]


def _owners(
    texts: Sequence[Text], updates: Updates, rows: IntArray, run: IntArray, runs: int
) -> BoolArray:
    """Which runs have which of the texts: runs x texts."""
    place = {each.text: at for at, each in enumerate(texts)}
    owns = np.zeros((runs, len(texts)), bool)
    for row, text in zip(rows.tolist(), updates.text.rows(rows), strict=True):
        if text in place:
            owns[run[row], place[text]] = True
    return owns


class _Reading:
    """What is read, taken in topic by topic."""

    def __init__(self, matcher: matchers.Matcher, runs: int, nuggets: int, depth: int) -> None:
        self.matcher, self.depth, self.nuggets = matcher, depth, nuggets
        self.predicted, self.unread, self.best = (np.zeros((runs, nuggets)) for _ in range(3))
        self.found: list[tuple[IntArray, IntArray, IntArray, FloatArray]] = []

    def take(
        self,
        gold: IntArray,
        texts: Sequence[Text],
        owns: BoolArray,
        asked: Sequence[str],
        by_topic: NuggetsByTopic,
    ) -> None:
        """Read some nuggets of a topic in the texts of every run."""
        score = np.zeros((len(texts), len(gold)))
        words = Texts.of([each.text for each in texts])
        for part, scores in every_score(self.matcher, words, asked, by_topic.collection):
            score[part] = scores
        said = score if self.matcher.probable else (score >= _threshold(self.matcher)) * 1.0
        rows = np.array([each.row for each in texts])
        for run, own in enumerate(owns):
            mine = np.flatnonzero(own)
            order = np.argsort(-score[mine], axis=0, kind="stable")
            ordered = np.take_along_axis(score[mine], order, 0)
            read = (np.arange(len(mine))[:, None] < self.depth) & (ordered > 0)
            silent = 1 - np.take_along_axis(said[mine], order, 0)
            not_read = np.where(read, silent, 1.0).prod(axis=0)
            self.predicted[run, gold] = 1 - not_read
            self.unread[run, gold] = not_read - silent.prod(axis=0)
            self.best[run, gold] = ordered[0] if len(mine) else 0.0
            nugget, rank = np.nonzero(read.T)
            chosen = mine[order[rank, nugget]]
            self.found.append(
                (np.full(len(rank), run), gold[nugget], rows[chosen], ordered[rank, nugget])
            )

    def finished(self, runs: tuple[str, ...]) -> Likeliest:
        """Everything that was read, by run, nugget and rank."""
        none = (np.zeros(0, np.int64),) * 3 + (np.zeros(0),)
        run, nugget, update, score = (
            np.concatenate(each) for each in zip(none, *self.found, strict=True)
        )
        order = np.lexsort((nugget, run))
        return Likeliest(
            runs,
            self.nuggets,
            self.matcher.probable,
            run[order],
            nugget[order],
            update[order],
            score[order],
            self.predicted,
            self.unread,
            self.best,
        )


def _threshold(matcher: matchers.Matcher) -> float:
    found: float = getattr(matcher, "threshold", 0.5)
    return found
