"""What is known of some runs after any number of blocks, in memory that does not grow with them.

For each nugget the earliest update that says it is kept, as it is; where matches have grades, for
each of them the earliest that says the nugget so far. Of all other updates only their
amounts in the ledgers of the measures are kept, added up. An update that comes late, older than
some that came before, may take a nugget from a later one, which then is added to the others; so the
values are those of the whole stream in whatever order it came.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.measure import Measure
from tseval.core.results import Values
from tseval.core.running import Held, RunningSums
from tseval.families.temporal.earliest import EarliestIndex, First, GoldTopics
from tseval.tables import ABSENT, Ids, Nuggets, Pairs, Texts, Updates
from tseval.tables.arrow import strings
from tseval.tables.origin import Origin

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

_NOTHING: IntArray = np.zeros(0, np.int64)


@dataclass(frozen=True)
class KeptUpdate:
    """An update that is the earliest to say a nugget."""

    topic: str
    update_id: str
    time: float
    place: int
    """The number of the update in the stream: of equal times the one that came first is earlier."""
    text: str
    cost: float | None


@dataclass
class Seen:
    """What the stream had beside what is scored: for the warnings."""

    updates: int = 0
    late: int = 0
    """Updates older than one that came before."""
    latest: float = -np.inf
    early: int = 0
    """Updates before the start of their topic."""
    unjudged: set[str] = field(default_factory=set)
    """Topics that are not in the gold."""
    confidence: tuple[float, float] | None = None
    """The lowest and the highest; None where there are none."""
    silent: int = 0
    """Updates without text."""
    judged: int = 0
    """Updates of topics that are in the gold."""
    pooled: bool = False
    """Whether any of them is in the pool; without a pool all are."""


@dataclass(frozen=True)
class Wanted:
    """What is scored: the gold, the measures, and when each topic starts."""

    nuggets: Nuggets
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    starts: FloatArray
    grades: tuple[float, ...] = (1.0,)
    """Every grade above 0 that a match can have, the lowest first."""

    @cached_property
    def gold_topics(self) -> GoldTopics:
        """The topics of the nuggets, looked up once."""
        return GoldTopics.of(self.nuggets)


class RunFold:
    """One run."""

    def __init__(self, run: str, wanted: Wanted, *, has_cost: bool = False) -> None:
        self.run = run
        self.wanted = wanted
        number = len(wanted.grades) * len(wanted.nuggets)
        self.time = np.full(number, np.inf)
        """When each nugget was first said so far: all for the lowest grade, then the next."""
        self.keeper = np.full(number, ABSENT)
        """Which of the kept updates said it."""
        self.kept: dict[int, KeptUpdate] = {}
        self.seen = Seen()
        self.span = (np.full(len(wanted.topics), np.inf), np.full(len(wanted.topics), -np.inf))
        """The earliest and the latest time of each topic."""
        self.has_cost = has_cost
        self.sums = RunningSums(wanted.measures, wanted.starts)
        """Over the updates that are not kept."""
        self._held: Held | None = None
        """What the kept updates come to; None where others are kept since."""
        self._values: list[Values] | None = None
        """Each measure in each topic; None where an update came since."""

    def add(self, updates: Updates, pairs: Pairs, sampled: BoolArray) -> None:
        """Take the next updates of the run.

        `pairs` are those of their rows with nuggets, `sampled` are the rows that are in the pool.
        """
        self._values = None
        index = self._index_of(updates, pairs)
        rows = self._take_over(index)
        others = np.ones(len(updates), bool)
        others[rows] = False
        self._add_up(index, index.sent[others[index.sent]])
        self._look_at(updates, index, sampled)

    @property
    def present(self) -> BoolArray:
        """The topics that have updates."""
        first, last = self.span
        there: BoolArray = first <= last
        return there

    @property
    def says_any(self) -> bool:
        """Whether any update says a nugget."""
        return bool((self.keeper != ABSENT).any())

    def _take_over(self, index: EarliestIndex) -> IntArray:
        """Give each nugget to a new update that says it earlier; the rows of these updates."""
        updates = index.updates
        parts = [self._first_so_far(index.first, at) for at in range(len(self.wanted.grades))]
        nuggets: IntArray = np.concatenate([nuggets for nuggets, _ in parts])
        rows: IntArray = np.concatenate([rows for _, rows in parts])
        time = updates.time[rows]
        better = time < self.time[nuggets]
        nuggets, rows = nuggets[better], rows[better]
        if not len(nuggets):
            return rows
        self._held = None
        before = np.unique(self.keeper[nuggets])
        self.time[nuggets] = time[better]
        place = self.seen.updates + rows
        self.keeper[nuggets] = place
        for row in np.unique(rows).tolist():
            self.kept[self.seen.updates + row] = _kept(updates, row, self.seen.updates)
        still = set(np.unique(self.keeper).tolist())
        given_up = [at for at in before.tolist() if at != ABSENT and at not in still]
        if given_up:
            self._return([self.kept.pop(at) for at in given_up])
        return rows

    def _first_so_far(self, first: First, level: int) -> tuple[IntArray, IntArray]:
        """The places of nuggets that are said as far as a grade, each with the first row that does.

        A nugget's matches stand in the order of time.
        """
        enough = np.flatnonzero(first.grade >= self.wanted.grades[level])
        nuggets, at = np.unique(first.nugget[enough], return_index=True)
        places: IntArray = nuggets + level * len(self.wanted.nuggets)
        return places, first.update[enough[at]]

    def _return(self, kept: Sequence[KeptUpdate]) -> None:
        """Add what is kept no more to the others."""
        updates = table_of(self.run, kept, has_cost=self.has_cost)
        index = self._index_of(updates, Pairs.none())
        self._add_up(index, index.sent)

    def _add_up(self, index: EarliestIndex, rows: IntArray) -> None:
        """Add updates that are the earliest to say nothing to the sums."""
        says = np.zeros(len(index.updates), np.int64)
        self.sums.add(replace(index, sent=rows, gold=_NOTHING, first=First.none(), says=says))

    def _look_at(self, updates: Updates, index: EarliestIndex, sampled: BoolArray) -> None:
        seen, judged = self.seen, index.unit != ABSENT
        np.minimum.at(self.span[0], index.unit[judged], updates.time[judged])
        np.maximum.at(self.span[1], index.unit[judged], updates.time[judged])
        before = np.maximum.accumulate(np.append(seen.latest, updates.time))
        seen.late += int((updates.time < before[:-1]).sum())
        seen.latest = float(before[-1])
        seen.early += int((updates.time[judged] < self.wanted.starts[index.unit[judged]]).sum())
        seen.unjudged.update(updates.topic.take_names(np.unique(updates.topic.codes[~judged])))
        seen.silent += int((updates.text.blank & judged).sum())
        seen.judged += int(judged.sum())
        seen.pooled |= bool((sampled & judged).any())
        seen.updates += len(updates)
        if updates.confidence is not None and len(updates):
            low, high = float(updates.confidence.min()), float(updates.confidence.max())
            known = seen.confidence or (low, high)
            seen.confidence = (min(low, known[0]), max(high, known[1]))

    def values(self) -> list[Values]:
        """Each measure in each topic: only what changed since is made anew."""
        if self._held is None:
            self._held = self.sums.held(self._index())
        if self._values is None:
            self._values = self.sums.values_with(self._held)
        return self._values

    def _index(self) -> EarliestIndex:
        """The kept updates alone, with all of the gold."""
        places = sorted(self.kept)
        updates = table_of(self.run, [self.kept[at] for at in places], has_cost=self.has_cost)
        said = np.flatnonzero(self.keeper != ABSENT)
        row = np.searchsorted(np.array(places, np.int64), self.keeper[said])
        level, nugget = np.divmod(said, max(len(self.wanted.nuggets), 1))
        grades = self.wanted.grades
        grade = None if grades == (1.0,) else np.array(grades)[level]
        return self._index_of(updates, Pairs(row, nugget, None, grade))

    def _index_of(self, updates: Updates, pairs: Pairs) -> EarliestIndex:
        gold = self.wanted
        return EarliestIndex.build(updates, gold.nuggets, pairs, known=gold.gold_topics)


def _kept(updates: Updates, row: int, before: int) -> KeptUpdate:
    return KeptUpdate(
        topic=updates.topic[row],
        update_id=updates.update_id[row],
        time=float(updates.time[row]),
        place=before + row,
        text=updates.text[row],
        cost=None if updates.cost is None else float(updates.cost[row]),
    )


def table_of(run: str, kept: Sequence[KeptUpdate], *, has_cost: bool = False) -> Updates:
    """Updates that are kept as a table, in the order in which they came."""
    ordered = sorted(kept, key=lambda each: each.place)
    places = np.arange(len(ordered))
    costs = [1.0 if each.cost is None else each.cost for each in ordered]
    return Updates(
        run=Ids.constant(run, len(ordered)),
        topic=Ids.of(strings([each.topic for each in ordered])),
        update_id=Ids.of(strings([each.update_id for each in ordered])),
        time=np.array([each.time for each in ordered], np.float64),
        text=Texts.of([each.text for each in ordered]),
        confidence=None,
        cost=np.array(costs, np.float64) if has_cost else None,
        origin=Origin((), np.zeros(len(ordered), np.int64), places),
    )


class Fold:
    """Several runs, which appear as their updates do."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.has_cost = False
        """Whether updates have costs; then all of them must."""
        self.runs: dict[str, RunFold] = {}

    def run(self, name: str) -> RunFold:
        """What is known of a run; nothing if it is new."""
        if name not in self.runs:
            self.runs[name] = RunFold(name, self.wanted, has_cost=self.has_cost)
        return self.runs[name]

    def add(self, updates: Updates, pairs: Pairs, sampled: BoolArray) -> None:
        """Take the next updates of any runs, with their pairs, and which are in the pool."""
        for code in np.unique(updates.run.codes).tolist():
            mine = updates.run.codes == code
            name = updates.run.take_names(np.array([code]))[0]
            chosen = updates if mine.all() else updates.rows(mine)
            own = replace(chosen, run=Ids.constant(name, len(chosen)))
            self.run(name).add(own, _of_rows(pairs, mine), sampled[mine])

    @property
    def updates(self) -> int:
        """How many updates there were."""
        return sum(run.seen.updates for run in self.runs.values())


def _of_rows(pairs: Pairs, chosen: BoolArray) -> Pairs:
    """The pairs of the chosen rows, numbered as these are among themselves."""
    if chosen.all():
        return pairs
    kept = pairs.rows(chosen[pairs.update])
    place = np.cumsum(chosen) - 1
    return replace(kept, update=place[kept.update])


def rows_of(pairs: Pairs, start: int, stop: int) -> Pairs:
    """The pairs of the rows from one on to another, which are sorted by row, numbered from 0."""
    low, high = np.searchsorted(pairs.update, (start, stop))
    own = pairs.rows(slice(int(low), int(high)))
    return replace(own, update=own.update - start)
