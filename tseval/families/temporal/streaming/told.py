"""What a live stream tells at each look: the values that differ from those told before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.scores import over_topics
from tseval.core.scoring import missing_topics
from tseval.families.temporal.streaming.evaluation import StreamEvaluation, StreamUnits
from tseval.families.temporal.streaming.fold import Fold
from tseval.io.names import natural_order
from tseval.io.schema import ALL_TOPICS
from tseval.records import frozen
from tseval.tables import Pairs, Updates

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray

Record = dict[str, Any]
"""A value as it is told."""
line_of = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def told_line(
    updates: int, late: int, latest: float, records: Iterable[Record], **more: object
) -> str:
    """The line that tells these values after so many updates."""
    time = latest if np.isfinite(latest) else None
    content = {"updates": updates, "late": late, "time": time, "records": list(records)}
    return line_of(content | more)


@frozen
class States:
    """Runs as they are at some looks, in the order of these."""

    look: IntArray
    run: list[str]
    sums: FloatArray
    """By ledger, state and topic."""
    present: BoolArray
    """Which topics the run has had updates of, by state and topic."""

    @classmethod
    def join(cls, parts: Sequence[States]) -> States:
        """All of them; those of one look in the natural order of their runs."""
        look = np.concatenate([part.look for part in parts])
        runs = [name for part in parts for name in part.run]
        rank = {name: at for at, name in enumerate(natural_order({*runs}))}
        order = np.lexsort((np.array([rank[name] for name in runs]), look))
        return cls(
            look[order],
            [runs[at] for at in order.tolist()],
            np.concatenate([part.sums for part in parts], axis=1)[:, order],
            np.concatenate([part.present for part in parts])[order],
        )


@frozen
class Shown:
    """Values of runs in some states: by state, topic and measure; `all` is the last topic."""

    value: FloatArray
    defined: BoolArray
    counted: BoolArray
    """Which topics have values, by state and topic."""

    def rows(self, chosen: IntArray | slice) -> Shown:
        """Some of the states."""
        return Shown(self.value[chosen], self.defined[chosen], self.counted[chosen])

    @classmethod
    def join(cls, parts: Sequence[Shown]) -> Shown:
        """All states, one after the other."""
        return cls(
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.defined for part in parts]),
            np.concatenate([part.counted for part in parts]),
        )


class Told:
    """What was last told of each run, by the rules for missing topics and undefined values."""

    def __init__(self, fold: Fold, on_missing: str, undefined: str, *, per_topic: bool) -> None:
        self.fold, self.on_missing, self.undefined = fold, on_missing, undefined
        self.first = 0 if per_topic else len(fold.wanted.topics)
        """The first topic that is told."""
        self.topics = (*fold.wanted.topics, ALL_TOPICS)[self.first :]
        self.shown: dict[str, Shown] = {}

    def take_all(self) -> None:
        """Take all that is known for told."""
        for name in self.fold.runs:
            state = self.now(name)
            self.check(state, 0)
            self.changed(state)

    def now(self, run: str, look: int = 0) -> States:
        """A run as it is."""
        present = self.fold.run(run).present[None]
        return States(np.array([look]), [run], self.fold.sums(run), present)

    def check(self, states: States, at: int) -> None:
        """Refuse a run that lacks topics in this state, where that is asked for."""
        if self.on_missing == "error":
            topics, present = self.fold.wanted.topics, states.present[at : at + 1]
            units = StreamUnits((states.run[at],), topics, present)
            missing_topics([units], self.on_missing, StreamEvaluation.words)

    def changed(self, states: States) -> list[list[Record]]:
        """For each state of a run what differs from the one before."""
        now = self._values(states)
        known = {name: at for at, name in enumerate(dict.fromkeys(states.run))}
        parts = [self.shown.get(name) or self._nothing() for name in known]
        every = Shown.join([*parts, now])
        last, before = dict(known), np.zeros(len(states.run), np.int64)
        for at, name in enumerate(states.run):
            before[at], last[name] = last[name], len(known) + at
        self.shown |= {name: every.rows(slice(at, at + 1)) for name, at in last.items()}
        then = every.rows(before)
        differs = (now.defined != then.defined) | (now.defined & (now.value != then.value))
        chosen = now.counted[:, :, None] & (differs | ~then.counted[:, :, None])
        return self._records(states.run, now, chosen)

    def _values(self, states: States) -> Shown:
        """The values of runs that have come to this."""
        found, present = self.fold.ledgers.values(states.sums), states.present
        counted = present if self.on_missing == "skip" else np.ones_like(present)
        as_zero = self.undefined == "zero"
        means = over_topics(found, counted[:, :, None], undefined_as_zero=as_zero)
        value = np.concatenate([found.value, means.value[:, None]], axis=1)
        defined = np.concatenate([found.defined, means.defined[:, None]], axis=1)
        every = np.concatenate([counted, np.ones((len(counted), 1), bool)], axis=1)
        return Shown(value[:, self.first :], defined[:, self.first :], every[:, self.first :])

    def _nothing(self) -> Shown:
        """What was told of a run that is new."""
        shape = (1, len(self.topics), len(self.fold.wanted.measures))
        return Shown(np.zeros(shape), np.zeros(shape, bool), np.zeros(shape[:2], bool))

    def _records(self, runs: Sequence[str], now: Shown, chosen: BoolArray) -> list[list[Record]]:
        """The chosen values of each state."""
        places = np.nonzero(chosen)
        columns = (*places, now.value[places], now.defined[places])
        names = [measure.name for measure in self.fold.wanted.measures]
        found: list[list[Record]] = [[] for _ in runs]
        for state, topic, measure, value, is_defined in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            record = {
                "run": runs[state],
                "topic": self.topics[topic],
                "measure": names[measure],
                "value": value if is_defined else None,
            }
            found[state].append(record)
        return found


class Looks:
    """Counts updates, and looks at the measures after every so many of them."""

    def __init__(self, told: Told, every: int) -> None:
        self.told, self.fold, self.every = told, told.fold, every
        self.waiting: set[str] = set()
        """The runs that have had updates since the last look."""

    def add(self, updates: Updates, pairs: Pairs, sampled: BoolArray) -> Iterator[str]:
        """Count updates; the lines that tell what changed with them are made as they are taken."""
        before, late, latest = self.fold.updates, self.fold.late, self.fold.latest
        look = (before + np.arange(len(updates))) // self.every
        first, end = before // self.every, (before + len(updates)) // self.every
        chosen = _last(look * len(updates.run.names) + updates.run.codes) & (look < end)
        waiting = [self.told.now(name, first) for name in self.waiting if first < end]
        found = self.fold.add_each(updates, pairs, sampled, chosen)
        self.waiting = set() if first < end else self.waiting
        self.waiting.update(updates.run.rows(look >= end).to_list())
        if first == end:
            return iter(())
        own = States(look[found.row], found.run, found.sums, found.present)
        own_first = {
            name for name, at in zip(own.run, own.look.tolist(), strict=True) if at == first
        }
        others = [state for state in waiting if state.run[0] not in own_first]
        row = (np.arange(first, end) + 1) * self.every - before - 1
        late_by_then = late + np.cumsum(found.late)[row]
        latest_by_then = np.maximum(np.maximum.accumulate(updates.time)[row], latest)
        return self._lines(
            States.join([*others, own]), first, late_by_then.tolist(), latest_by_then.tolist()
        )

    def _lines(
        self, states: States, first: int, late: Sequence[int], latest: Sequence[float]
    ) -> Iterator[str]:
        """A line for each look at which a measure changed; the first look has this number."""
        found = self.told.changed(states)
        for look, places in groupby(range(len(found)), key=states.look.tolist().__getitem__):
            records: list[Record] = []
            for at in places:
                self.told.check(states, at)
                records += found[at]
            if records:
                at = look - first
                yield told_line((look + 1) * self.every, late[at], latest[at], records)


def _last(keys: IntArray) -> BoolArray:
    """Which rows are the last of their key."""
    _, back = np.unique(keys[::-1], return_index=True)
    last = np.zeros(len(keys), bool)
    last[len(keys) - 1 - back] = True
    return last
