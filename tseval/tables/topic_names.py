"""One name for each topic in all tables, whether they write `TS14.11` or `11`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.errors import Fault, InputError
from tseval.io.gold_topics import YEARS_CURE, GoldTopics, clash
from tseval.io.names import ABSENT
from tseval.tables.arrow import strings
from tseval.tables.columns import Ids
from tseval.tables.temporal import all_names

if TYPE_CHECKING:
    from tseval.io.origin import Origin


class TopicNames:
    """What renames a column of topics to the names of the gold."""

    def __init__(self, gold: Ids, rule: str) -> None:
        self._gold = GoldTopics(all_names(gold).to_pylist(), rule)
        self.written: dict[str, str] = {}
        """For each topic of the gold the name with a prefix by which tables have called it."""

    def __call__(self, column: Ids) -> Ids:
        """The column with the gold's names."""
        coded = Ids.of(strings([self._gold.rename(name) for name in column.vocabulary()]))
        return Ids(coded.codes[column.codes], coded.names)

    def with_prefix(self, topics: Ids) -> dict[str, str]:
        """For each topic of the gold the first name with a prefix that stands for it here."""
        found: dict[str, str] = {}
        for topic, name, _ in self._prefixed(topics):
            found.setdefault(topic, name)
        return found

    def clashes(self, topics: Ids, origin: Origin) -> list[Fault]:
        """Where a second name with a prefix stands for a topic of the gold."""
        first = self.with_prefix(topics) | self.written
        return [
            origin.fault(row, clash(topic, first[topic], name), YEARS_CURE, "ambiguous-id")
            for topic, name, row in self._prefixed(topics)
            if first[topic] != name
        ]

    def check(self, topics: Ids, origin: Origin) -> None:
        """Refuse them, and remember the names."""
        faults = self.clashes(topics, origin)
        if faults:
            raise InputError(faults)
        self.written = self.with_prefix(topics) | self.written

    def _prefixed(self, topics: Ids) -> Iterator[tuple[str, str, int]]:
        """The gold's topics that have a name with a prefix here, with it and its first row."""
        found = {at: self._gold.find(name) for at, name in enumerate(topics.vocabulary())}
        if any(found.values()):
            first = np.full(len(found), ABSENT)
            first[topics.codes[::-1]] = np.arange(len(topics))[::-1]
            for at, topic in found.items():
                if topic is not None and first[at] != ABSENT:
                    yield topic, str(topics.names[at].as_py()), int(first[at])


def with_topics_named(table: Any, rename: TopicNames) -> Any:
    """A table with its topics renamed; None, and a table without topics, stay as they are."""
    if table is None or table.topic is None:
        return table
    rename.check(table.topic, table.origin)
    return replace(table, topic=rename(table.topic))
