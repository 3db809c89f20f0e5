"""What the decisions say together: nuggets, choices and clusters as they stand now.

The state is a function of what is assessed and of the decisions, whatever order they came in by:
they are taken in the order of their times. What speaks of an update or a nugget that is not there
says nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from tseval.desk import decisions as kinds
from tseval.desk.decisions import Decision
from tseval.records import frozen

if TYPE_CHECKING:
    import polars as pl

    from tseval.arrays import BoolArray, IntArray
    from tseval.desk.pool import Pool


@frozen
class Nugget:
    """A nugget as it stands; `time` is None where it follows from the updates that say it."""

    topic: str
    name: str
    text: str
    importance: float = 1.0
    time: float | None = None
    cost: float = 1.0
    length: float = 0.0
    written: bool = False
    """Whether people wrote it here; the others were given."""
    read_in: int | None = None
    """The item in which somebody read it."""
    parts: tuple[str, ...] | None = None
    """What it was split into; empty where it was dropped, None while it counts."""
    into: str | None = None
    """The nugget that it was merged into."""

    @property
    def counts(self) -> bool:
        """Whether it is one of the nuggets."""
        return self.parts is None and self.into is None


@frozen
class Choice:
    """What an assessor says of an item and a nugget, with the words that say it."""

    match: bool
    start: int | None = None
    end: int | None = None


@frozen
class Read:
    """That an assessor has read an item, and which nuggets stood beside it."""

    shown: frozenset[str]
    """Of those that people wrote; the given ones always do."""
    at: int
    note: str
    shown_by: str


@dataclass
class State:
    """Everything as it stands."""

    pool: Pool
    nuggets: dict[tuple[str, str], Nugget] = field(default_factory=dict)
    """By topic and name, also those that count no more."""
    choices: dict[int, dict[str, dict[str, Choice]]] = field(default_factory=dict)
    """By item, assessor and nugget."""
    read: dict[int, dict[str, Read]] = field(default_factory=dict)
    """By item and assessor."""
    readers: IntArray = field(init=False)
    """How many have read each item."""
    read_by: dict[str, BoolArray] = field(default_factory=dict)
    """Which items each assessor has read."""
    settled: dict[tuple[int, str], bool] = field(default_factory=dict)
    """By item and nugget what a third person said."""
    cluster: dict[int, int] = field(default_factory=dict)
    """For each item that is in a cluster the item that the cluster is called by."""
    selected: set[int] = field(default_factory=set)
    assessors: Counter[str] = field(default_factory=Counter)
    """Each with the number of their decisions that stand."""
    touched: Counter[str] = field(default_factory=Counter)
    """For each topic the number of decisions on it."""

    def __post_init__(self) -> None:
        self.readers = np.zeros(len(self.pool.items), np.int64)

    @classmethod
    def of(cls, pool: Pool, gold: pl.DataFrame | None, decisions: Iterable[Decision]) -> State:
        """The state after these decisions."""
        state = cls(pool)
        for nugget in initial_nuggets(gold):
            state.nuggets[nugget.topic, nugget.name] = nugget
        for decision in kinds.not_undone(decisions):
            state.apply(decision)
        return state

    def apply(self, decision: Decision) -> None:
        """Take in one that is later than all before, and no undoing."""
        item = self.pool.place.get((decision.topic, decision.update))
        self.assessors[decision.assessor] += 1
        self.touched[decision.topic] += 1
        if decision.verdict in NUGGET_DECISIONS:
            self._change_nugget(decision, item)
        elif item is not None:
            if decision.verdict in CLUSTER_DECISIONS:
                self._change_cluster(decision, item)
            else:
                self._judge(decision, item)

    def live(self, topic: str) -> list[Nugget]:
        """The nuggets of a topic, in the order in which they came."""
        return [each for each in self.nuggets.values() if each.topic == topic and each.counts]

    def members(self, cluster: int) -> list[int]:
        """The items of a cluster, in order of time."""
        return sorted(item for item, own in self.cluster.items() if own == cluster)

    # Pairs.

    def _judge(self, decision: Decision, item: int) -> None:
        if decision.verdict == kinds.DONE:
            shown = names_in(decision.value)
            by_name = self.read.setdefault(item, {})
            read = Read(shown, decision.at, decision.note, decision.shown_by)
            by_name[decision.assessor] = read
            self.readers[item] = len(by_name)
            self.items_read(decision.assessor)[item] = True
            return
        nugget = self._merged_name(decision.topic, decision.nugget)
        if nugget is None:
            return
        if decision.verdict in (kinds.SETTLED_MATCH, kinds.SETTLED_NO_MATCH):
            self.settled[item, nugget] = decision.verdict == kinds.SETTLED_MATCH
            return
        chosen = self.choices.setdefault(item, {}).setdefault(decision.assessor, {})
        chosen[nugget] = Choice(decision.verdict == kinds.MATCH, decision.start, decision.end)

    def items_read(self, assessor: str) -> BoolArray:
        """Which items an assessor has read."""
        if assessor not in self.read_by:
            self.read_by[assessor] = np.zeros(len(self.pool.items), bool)
        return self.read_by[assessor]

    def _merged_name(self, topic: str, name: str) -> str | None:
        """The nugget that a name means now, after merging; None if there is none."""
        nugget = self.nuggets.get((topic, name))
        while nugget is not None and nugget.into is not None:
            nugget = self.nuggets.get((topic, nugget.into))
        return None if nugget is None else nugget.name

    # Nuggets.

    def _change_nugget(self, decision: Decision, item: int | None) -> None:
        key = decision.topic, decision.nugget
        known = self.nuggets.get(key)
        if decision.verdict == kinds.WRITE:
            if known is None and decision.topic in self.pool.of_topic:
                self.nuggets[key] = Nugget(*key, decision.value, written=True, read_in=item)
            return
        if known is None or not known.counts:
            return
        changed = NUGGET_DECISIONS[decision.verdict](known, decision.value)
        if changed.into is not None and not self._merged(known, changed.into):
            return
        self.nuggets[key] = changed

    def _merged(self, nugget: Nugget, into: str) -> bool:
        """Let what is said of a nugget be said of another of its topic, if that counts."""
        other = self.nuggets.get((nugget.topic, into))
        if other is None or not other.counts or into == nugget.name:
            return False
        for by_assessor in self.choices.values():
            for chosen in by_assessor.values():
                gone = chosen.get(nugget.name)
                kept = chosen.get(into)
                if gone is not None and gone.match and not (kept is not None and kept.match):
                    chosen[into] = gone
        for (item, name), match in list(self.settled.items()):
            if name == nugget.name and match:
                self.settled[item, into] = True
        return True

    # Clusters.

    def _change_cluster(self, decision: Decision, item: int) -> None:
        verdict = decision.verdict
        if verdict == kinds.TOGETHER:
            other = self.pool.place.get((decision.topic, decision.value))
            if other is not None and other != item:
                both = {*self._of_cluster(item), *self._of_cluster(other)}
                self.cluster.update(dict.fromkeys(both, min(both)))
        elif verdict in (kinds.ALONE, kinds.OUT):
            left = [each for each in self._of_cluster(item) if each != item]
            self.cluster.pop(item, None)
            self.cluster.update(dict.fromkeys(left, min(left, default=0)))
            if verdict == kinds.ALONE:
                self.cluster[item] = item
            else:
                self.selected.discard(item)
        elif verdict == kinds.SELECT:
            self.selected.add(item)
            self.cluster.setdefault(item, item)
        else:
            self.selected.discard(item)

    def _of_cluster(self, item: int) -> list[int]:
        return self.members(self.cluster[item]) if item in self.cluster else [item]


@cache
def names_in(value: str) -> frozenset[str]:
    """The names that a decision lists."""
    return frozenset(json.loads(value)) if value else frozenset()


def initial_nuggets(gold: pl.DataFrame | None) -> Iterator[Nugget]:
    """Yield the nuggets that the desk was given."""
    for row in () if gold is None else gold.iter_rows(named=True):
        more = {name: row[name] for name in ("cost", "length") if name in row}
        yield Nugget(
            *(row[name] for name in ("topic", "nugget_id", "text", "importance", "time")), **more
        )


NUGGET_DECISIONS: dict[str, Callable[[Nugget, str], Nugget]] = {
    kinds.WRITE: lambda nugget, _: nugget,
    kinds.TEXT: lambda nugget, value: replace(nugget, text=value),
    kinds.WEIGH: lambda nugget, value: replace(nugget, importance=float(value)),
    kinds.DATE: lambda nugget, value: replace(nugget, time=float(value) if value else None),
    kinds.DROP: lambda nugget, value: replace(nugget, parts=tuple(value.split())),
    kinds.MERGE: lambda nugget, value: replace(nugget, into=value),
}
CLUSTER_DECISIONS = {kinds.TOGETHER, kinds.ALONE, kinds.OUT, kinds.SELECT, kinds.UNSELECT}
