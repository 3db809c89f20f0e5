"""What is assessed: the updates of all runs, those of the same words as one.

An item is what assessors read: a text of a topic, with every run's updates that say it in the same
words, or in nearly the same ones where a matcher says so. A decision on it holds for all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.errors import UsageError
from tseval.matching.matching import get_matcher, match
from tseval.records import frozen
from tseval.tables import Ids, InputRecord, Nuggets, Origin, Texts, Updates, natural_order
from tseval.tables.origin import Known

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, IntArray

SAME_WORDS = "words"
"""Folds updates of the same words in the same order; any other name is a matcher's."""
NONE = -1
"""The item of an update that is in no pool."""
NUMBERS = re.compile(r"\d+")


@frozen
class Item:
    """What is read at once: the earliest update of its words, and which rows say them."""

    name: str
    """The update's id; with its run where other words of the topic have the same id."""
    topic: str
    time: float
    text: str
    rows: tuple[int, ...]
    """The rows of updates that it stands for, the earliest first."""


@frozen
class Pool:
    """The items, topic by topic in order of time, and the item of each row of the updates."""

    items: tuple[Item, ...]
    item: IntArray
    updates: Updates

    @classmethod
    def of(cls, updates: Updates, depth: int | None = None, fold: str = SAME_WORDS) -> Pool:
        """The pool: of each run and topic the updates that it is surest of, or all."""
        leaders = _folded(updates, fold)
        pooled = np.unique(leaders[_deepest(updates, depth)])
        first, names = _earliest(updates, leaders, pooled), updates.topic.vocabulary()
        rank = {topic: at for at, topic in enumerate(natural_order(names))}
        order = sorted(first, key=lambda row: (rank[updates.topic[row]], updates.time[row], row))
        place = {int(leaders[row]): at for at, row in enumerate(order)}
        item = np.array([place.get(leader, NONE) for leader in leaders.tolist()], np.int64)
        rows: list[list[int]] = [[] for _ in order]
        for row in np.lexsort((np.arange(len(updates)), updates.time)).tolist():
            if item[row] != NONE:
                rows[item[row]].append(row)
        return cls(tuple(_items(updates, rows)), item, updates)

    @cached_property
    def place(self) -> dict[tuple[str, str], int]:
        """The place of each item by topic and name."""
        return {(each.topic, each.name): at for at, each in enumerate(self.items)}

    @cached_property
    def of_topic(self) -> dict[str, list[int]]:
        """The items of each topic, in order of time."""
        found: dict[str, list[int]] = {}
        for at, each in enumerate(self.items):
            found.setdefault(each.topic, []).append(at)
        return found

    @property
    def topics(self) -> list[str]:
        """The topics that have items."""
        return list(self.of_topic)

    @cached_property
    def texts(self) -> Updates:
        """The items as updates, for a matcher."""
        return self.updates.rows(np.array([each.rows[0] for each in self.items], np.int64))


def _items(updates: Updates, rows: list[list[int]]) -> list[Item]:
    """The items, each under a name that no other of its topic has."""
    named = Counter((updates.topic[own[0]], updates.update_id[own[0]]) for own in rows)
    taken: set[tuple[str, str]] = set()
    found = []
    for own in rows:
        row = own[0]
        topic, name = updates.topic[row], updates.update_id[row]
        if named[topic, name] > 1:
            name = f"{name}@{updates.run[row]}"
        while (topic, name) in taken:
            name += "'"
        taken.add((topic, name))
        found.append(Item(name, topic, float(updates.time[row]), updates.text[row], tuple(own)))
    return found


def _deepest(updates: Updates, depth: int | None) -> BoolArray:
    """Which rows are among the surest of their run and topic; without confidences the earliest."""
    if depth is None:
        return np.ones(len(updates), bool)
    unit = updates.run.codes * len(updates.topic.names) + updates.topic.codes
    sure = np.zeros(len(updates)) if updates.confidence is None else updates.confidence
    order = np.lexsort((np.arange(len(updates)), updates.time, -sure, unit))
    new = np.flatnonzero(np.diff(unit[order], prepend=-1))
    rank = np.arange(len(updates)) - np.repeat(new, np.diff(np.append(new, len(updates))))
    kept = np.zeros(len(updates), bool)
    kept[order[rank < depth]] = True
    return kept


def _earliest(updates: Updates, leaders: IntArray, pooled: IntArray) -> list[int]:
    """The earliest row of each leader that is pooled."""
    order = np.lexsort((np.arange(len(updates)), updates.time, leaders))
    _, first = np.unique(leaders[order], return_index=True)
    rows = order[first]
    return [int(row) for row in rows[np.isin(leaders[rows], pooled)]]


def _folded(updates: Updates, fold: str) -> IntArray:
    """For each row the row that leads those of its words."""
    import matchers

    seen: dict[tuple[int, str], int] = {}
    leaders = np.empty(len(updates), np.int64)
    for row, (topic, text) in enumerate(
        zip(updates.topic.codes.tolist(), updates.text, strict=True)
    ):
        key = topic, matchers.normalised(text) or f"\0{text}"
        leaders[row] = seen.setdefault(key, row)
    return leaders if fold == SAME_WORDS else _nearly(updates, leaders, fold)


def _nearly(updates: Updates, leaders: IntArray, fold: str) -> IntArray:
    """The same with leaders folded that a matcher finds to say each other, with the same numbers.

    The earlier of two leads; what leads others is not led itself.
    """
    matcher = get_matcher(fold)
    heads = np.unique(leaders)
    heads = heads[np.lexsort((heads, updates.time[heads]))]
    texts = updates.rows(heads)
    pairs = match(matcher, texts, _as_nuggets(texts))
    both = set(zip(pairs.update.tolist(), pairs.nugget.tolist(), strict=True))
    digits = [tuple(sorted(NUMBERS.findall(text))) for text in texts.text]
    led = np.arange(len(heads))
    for later, earlier in sorted(both):
        free = led[earlier] == earlier and led[later] == later
        alike = (earlier, later) in both and digits[earlier] == digits[later]
        if earlier < later and free and alike:
            led[later] = earlier
    place = np.empty(len(updates), np.int64)
    place[heads] = np.arange(len(heads))
    found: IntArray = heads[led[place[leaders]]]
    return found


def _as_nuggets(texts: Updates) -> Nuggets:
    return Nuggets(
        texts.topic,
        Ids.of([str(row) for row in range(len(texts))]),
        texts.time,
        texts.text,
        texts.origin,
        np.ones(len(texts)),
    )


def made_here(name: str, rows: int, sha256: str) -> Origin:
    """The origin of a table that was made at the desk, and stands in no file."""
    record = InputRecord(name, Known(sha256), rows, "row")
    return Origin.single(record, np.arange(1, rows + 1))


def check_names(names: Ids, what: str) -> None:
    """Refuse ids that no line of a table could hold."""
    for name in names.vocabulary():
        if any(mark in name for mark in "\t\n\r"):
            raise UsageError(f"the {what} {name!r} holds a tab or a line's end: give it another id")


def one_line(texts: Texts) -> Texts:
    """Texts as a line of a table holds them: white space as single blanks."""
    return Texts.of([" ".join(text.split()) for text in texts])
