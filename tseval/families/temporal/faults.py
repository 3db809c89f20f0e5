"""What went wrong: nuggets that were missed or came late, updates that repeat or match nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.blocks import Head, Listed, Rows, Searched
from tseval.core.sections import Setting
from tseval.core.wording import count
from tseval.families.temporal.evaluation import TemporalEvaluation
from tseval.families.temporal.explanation import first_of
from tseval.families.temporal.held_texts import HeldTexts, held_texts, shortened, worst
from tseval.families.temporal.words import word_counts
from tseval.records import frozen
from tseval.tables import ABSENT, Pairs, Texts
from tseval.tables.times import UNITS

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

HOUR = UNITS["h"]
ROWS, CHARACTERS, CUT = 20_000, 500_000, 600
"""A list has so many rows at most; texts that stand nowhere else on the page have so many
characters together, and so many each."""
PARTS = ("first third", "middle third", "last third")
RUN, TOPIC = Head("run", "run", is_filter=True), Head("topic", "name", is_filter=True)
TIME = Head("at (h)", decimals=1)
PART = Head("part of topic", "text", is_filter=True, choices=PARTS)
WORDS = Head("words", "count", is_filter=True)
RUNS = Head("runs", "runs", is_filter=True)
NUGGET, UPDATE = Head("nugget", "name"), Head("update", "name")


def faults(evaluation: TemporalEvaluation, setting: Setting[Any]) -> Searched | None:
    """The lists, each with its worst first; None where nothing went wrong.

    A fifth has the updates that were not judged, if there are any.
    """
    made, index = _Faults(evaluation, setting), evaluation.index
    idle, judged = index.sent[index.says[index.sent] == 0], index.judged
    noise = made.idle("Noise", "that match no nugget", idle[judged[idle]])
    lists = [made.missed(), made.late(), made.repeats(), noise]
    if not judged[idle].all():
        what = "that nobody judged, so they may say a nugget or not"
        lists.append(made.idle("Not judged", what, idle[~judged[idle]]))
    return Searched(tuple(lists)) if any(each.total for each in lists) else None


@frozen(eq=False)
class _Faults:
    """Makes the lists of an evaluation, for the runs of a report."""

    evaluation: TemporalEvaluation
    setting: Setting[Any]

    @property
    def where(self) -> tuple[Head, ...]:
        """The heads of `_where`."""
        return RUN, replace(TOPIC, choices=self.evaluation.index.topics), TIME, PART

    @cached_property
    def runs(self) -> IntArray:
        """The place of each run of the evaluation among those of the report."""
        return np.array([self.setting.run(name) for name in self.evaluation.index.runs], np.int64)

    @cached_property
    def _held(self) -> HeldTexts:
        return held_texts(self.evaluation)

    @property
    def weight(self) -> Head:
        """The head of weights, with decimals where there are any."""
        weights = self.evaluation.index.nuggets.importance
        return Head("weight", decimals=2 * bool((weights % 1).any()), is_filter=True)

    def missed(self) -> Listed:
        """What some run never said: a row each with those runs, the heaviest first."""
        index = self.evaluation.index
        unit, nugget = index.gold_units()
        missed = first_of(index, unit, nugget) == ABSENT
        run, nugget = self.runs[unit[missed] // len(index.topics)], nugget[missed]
        lost, by = np.unique(nugget, return_counts=True)
        weight = index.nuggets.importance[lost]
        note = self._never_said(by, float(weight.sum()))
        kept = np.lexsort((lost, -by, -weight))[:ROWS]
        first = np.cumsum(by) - by
        grouped = run[np.lexsort((run, nugget))].tolist()
        runs = [tuple(grouped[first[at] : first[at] + by[at]]) for at in kept.tolist()]
        nugget = lost[kept]
        rows = zip(
            *self._when(index.nugget_topic[nugget], index.nuggets.time[nugget]),
            weight[kept].tolist(),
            by[kept].tolist(),
            runs,
            self._words(index.nuggets.text.rows(nugget)),
            index.nuggets.text.rows(nugget)[:],
            index.nuggets.nugget_id.rows(nugget).to_list(),
            strict=True,
        )
        sizes = (self.weight, Head("missed by", "count", is_filter=True))
        heads = (*self.where[1:], *sizes, RUNS, WORDS, NUGGET, Head("its id", "name"))
        return _listed("Missed", len(lost), note, heads, rows, "the heaviest")

    def _never_said(self, by: IntArray, weight: float) -> str:
        """What the list of missed nuggets holds, which so many runs each never said."""
        number = len(self.evaluation.index.runs)
        nuggets = f"{count(len(by), 'nugget')} of weight {_plain(weight)} together that"
        if number == 1:
            return f"{nuggets} the run never said, the heaviest first."
        times = f"{count(int(by.sum()), 'time')} in all; no run said {int((by == number).sum()):,}"
        order = "The heaviest come first, of equal ones what most runs missed."
        return f"{nuggets} some of {number:,} runs never said, {times} of them. {order}"

    def late(self) -> Listed:
        """What a run first said after it happened, the largest weight x delay first."""
        index = self.evaluation.index
        first = index.first
        nugget, update = first.nugget[first.opens], first.update[first.opens]
        delay = (index.updates.time[update] - index.nuggets.time[nugget]) / HOUR
        late = np.flatnonzero((delay > 0) & np.isin(nugget, index.gold))
        nugget, update, delay = nugget[late], update[late], delay[late]
        unit, weight = index.unit[update], index.nuggets.importance[nugget]
        kept = worst(unit // len(index.topics), weight * delay, np.ones(len(late)), ROWS)
        middle = f", by {np.median(delay):.1f} h at the median" if len(late) else ""
        note = (
            f"{count(len(late), 'nugget')} that a run first said after their time{middle}; the "
            "largest weight x delay first."
        )
        unit, nugget, update = unit[kept], nugget[kept], update[kept]
        rows = zip(
            *self._where(unit, index.updates.time[update]),
            (weight * delay)[kept].tolist(),
            weight[kept].tolist(),
            delay[kept].tolist(),
            *self._said(update, nugget),
            strict=True,
        )
        sizes = (Head("weight x late", decimals=1), self.weight)
        heads = (*self.where, *sizes, Head("late (h)", decimals=1, is_filter=True))
        heads = (*heads, WORDS, Head("said", "name"), NUGGET, UPDATE)
        return _listed("Late", len(late), note, heads, rows)

    def repeats(self) -> Listed:
        """Updates that say only what their run had said before, the longest first."""
        index = self.evaluation.index
        sent = index.sent
        own = sent[(index.firsts[sent] == 0) & (index.says[sent] > 0)]
        words = word_counts(index.updates.text.rows(own), index.rules.words)
        run = index.unit[own] // len(index.topics)
        kept = worst(run, words, np.ones(len(own)), ROWS)
        note = (
            f"{count(len(own), 'update')} that say only what their run had said before, the "
            "longest first; of several nuggets the heaviest is named."
        )
        update = own[kept]
        nugget = self._heaviest(update)
        before = index.first.update[first_of(index, index.unit[update], nugget)]
        since = (index.updates.time[update] - index.updates.time[before]) / HOUR
        rows = zip(
            *self._where(index.unit[update], index.updates.time[update]),
            index.nuggets.importance[nugget].tolist(),
            since.tolist(),
            *self._said(update, nugget),
            strict=True,
        )
        heads = (*self.where, self.weight, Head("said before (h)", decimals=1), WORDS)
        heads = (*heads, Head("said again", "name"), NUGGET, UPDATE)
        return _listed("Repeats", len(own), note, heads, rows)

    def idle(self, name: str, what: str, own: IntArray) -> Listed:
        """Updates that match nothing, the longest first, as far as their texts have room."""
        index = self.evaluation.index
        texts = index.updates.text.rows(own)
        words = word_counts(texts, index.rules.words)
        cut = [len(text) > CUT for text in texts[:]]
        least = CHARACTERS / ROWS  # also of a text that is empty, so that rows have a limit too
        size = np.array([max(least, min(len(text), CUT)) for text in texts[:]], np.float64)
        kept = worst(index.unit[own] // len(index.topics), words, size, CHARACTERS)
        note = f"{count(len(own), 'update')} {what}; the longest first."
        ended = sum(cut[at] for at in kept.tolist())
        if ended:
            verb = "ends" if ended == 1 else "end"
            note += f" {count(ended, 'text')} of more than {CUT} characters {verb} there."
        if len(kept) < len(own):
            note += f" There is room for {CHARACTERS:,} characters of them."
        update = own[kept]
        where = self._where(index.unit[update], index.updates.time[update])
        names = index.updates.update_id.rows(update).to_list()
        kept_texts = index.updates.text.rows(update)
        shown = [shortened(text, CUT) for text in kept_texts[:]]
        heads = (*self.where, WORDS, Head("text", "name"), UPDATE)
        rows = zip(*where, self._words(kept_texts), shown, names, strict=True)
        return _listed(name, len(own), note, heads, rows)

    def _heaviest(self, update: IntArray) -> IntArray:
        """For each of these updates the heaviest nugget that it says, of equal ones the first."""
        index = self.evaluation.index
        pairs: Pairs = self.evaluation.pairs
        weight = index.nuggets.importance[pairs.nugget]
        order = np.lexsort((pairs.nugget, -weight, pairs.update))
        at = np.searchsorted(pairs.update[order], update)
        nugget: IntArray = pairs.nugget[order][at]
        return nugget

    def _where(self, unit: IntArray, time: FloatArray) -> tuple[Sequence[Any], ...]:
        """For each row the run, the topic, the hours since its start, and the third of it."""
        run, topic = np.divmod(unit, len(self.evaluation.index.topics))
        return self.runs[run].tolist(), *self._when(topic, time)

    def _when(self, topic: IntArray, time: FloatArray) -> tuple[Sequence[Any], ...]:
        """For each row the topic, the hours since its start, and the third of it."""
        start, end = self.evaluation.starts[topic], self.evaluation.ends[topic]
        long = np.where((end > start) & np.isfinite(end - start), end - start, np.inf)
        third = np.clip(3 * (time - start) / long, 0, 2).astype(np.int64)
        names = [self.evaluation.index.topics[each] for each in topic.tolist()]
        hours = ((time - start) / HOUR).tolist()
        return names, hours, [PARTS[each] for each in third.tolist()]

    def _said(self, update: IntArray, nugget: IntArray) -> tuple[Sequence[Any], ...]:
        """For each update how many words it has, its text, the nugget that it says, and its id."""
        index = self.evaluation.index
        words = self._words(index.updates.text.rows(update))
        names = index.updates.update_id.rows(update).to_list()
        texts = [self._held.of(row) for row in update.tolist()]
        return words, texts, index.nuggets.text.rows(nugget)[:], names

    def _words(self, texts: Texts) -> list[int]:
        counts = word_counts(texts, self.evaluation.index.rules.words)
        return [int(each) for each in counts.tolist()]


def _listed(
    name: str,
    total: int,
    note: str,
    heads: tuple[Head, ...],
    rows: Any,
    kept: str = "the first of each run",
) -> Listed:
    """A list, with a word on what of it the page does not hold."""
    held = tuple(rows)
    left = int(total) - len(held)
    if left:
        verb = "is" if left == 1 else "are"
        note += f" {left:,} of them {verb} left out; the page holds {kept}."
    return Listed(name, int(total), note, Rows(name, heads, held))


def _plain(value: float) -> str:
    return f"{value:,.6g}"
