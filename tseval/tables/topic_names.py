"""One name for each topic in all tables, whether they write `TS14.11` or `11`."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.errors import Fault, InputError
from tseval.tables.arrow import strings
from tseval.tables.columns import ABSENT, Ids
from tseval.tables.temporal import all_names

if TYPE_CHECKING:
    from tseval.tables.origin import Origin

PREFIX = re.compile(r"^TS\d+\.")
YEARS_CURE = (
    "they are topics of two years: score each year with its own nuggets, or give the nuggets the "
    "names with their prefixes"
)


class TopicNames:
    """What renames a column of topics, so that `TS14.11` and `11` are the same topic.

    Where two topics of the gold are the same without their prefix, prefixes are kept; so they are
    where prefixes differ: `TS13.11` and `TS14.11` are topics of two years.
    """

    def __init__(self, gold: Ids, rule: str) -> None:
        names = all_names(gold).to_pylist()
        self._rule = rule
        self._bare = Counter(_bare(name) for name in names)
        self._unique = {_bare(name): name for name in names if self._bare[_bare(name)] == 1}
        self._known = set(names)
        self.written: dict[str, str] = {}
        """For each topic of the gold the name with a prefix by which tables have called it."""

    def _same(self, name: str) -> str:
        """The topic of the gold that this is; the name itself if it is none."""
        if name in self._known:
            return name
        same = self._unique.get(_bare(name), name)
        return name if name != _bare(name) and same not in (name, _bare(same)) else same

    def _renamed(self, name: str) -> str:
        same = self._same(name)
        apart = same not in self._known and _bare(same) in self._unique
        is_bare = self._rule == "bare" and self._bare[_bare(same)] <= 1 and not apart
        return _bare(same) if is_bare else same

    def __call__(self, column: Ids) -> Ids:
        """The column with the gold's names."""
        before = column.vocabulary()
        after = [self._renamed(name) for name in before]
        if after == before:
            return column
        coded = Ids.of(strings(after))
        return Ids(coded.codes[column.codes], coded.names)

    def with_prefix(self, topics: Ids) -> dict[str, str]:
        """For each topic of the gold the first name with a prefix that stands for it here."""
        found: dict[str, str] = {}
        for name, _ in _prefixed(topics):
            same = self._same(name)
            if same in self._known:
                found.setdefault(same, name)
        return found

    def clashes(self, topics: Ids, origin: Origin) -> list[Fault]:
        """Where a second name with a prefix stands for a topic of the gold."""
        first = self.with_prefix(topics) | self.written
        faults = []
        for name, row in _prefixed(topics):
            same = self._same(name)
            if same not in self._known or first[same] == name:
                continue
            names = f'topics "{first[same]}" and "{name}"'
            reason = f'{names} would both be the topic "{same}" of the nuggets'
            faults.append(origin.fault(row, reason, YEARS_CURE, "ambiguous-id"))
        return faults

    def check(self, topics: Ids, origin: Origin) -> None:
        """Refuse them, and remember the names."""
        faults = self.clashes(topics, origin)
        if faults:
            raise InputError(faults)
        self.written = self.with_prefix(topics) | self.written


def _bare(name: str) -> str:
    return PREFIX.sub("", name)


def _prefixed(topics: Ids) -> list[tuple[str, int]]:
    """The names with a prefix that some row has, each with the first row that has it."""
    names = {at: name for at, name in enumerate(topics.vocabulary()) if name != _bare(name)}
    if not names:
        return []
    first = np.full(len(topics.names), ABSENT)
    first[topics.codes[::-1]] = np.arange(len(topics))[::-1]
    return [(name, int(first[at])) for at, name in names.items() if first[at] != ABSENT]


def with_topics_named(table: Any, rename: TopicNames) -> Any:
    """A table with its topics renamed; None, and a table without topics, stay as they are."""
    if table is None or table.topic is None:
        return table
    rename.check(table.topic, table.origin)
    return replace(table, topic=rename(table.topic))
