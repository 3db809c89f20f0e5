"""What is known of a run after any number of blocks, in memory that does not grow with them.

For each nugget the earliest update that says it is kept, as it is; where matches have grades, for
each of them the earliest that says the nugget so far. Of all other updates only their
amounts in the ledgers of the measures are kept, added up. An update that comes late, older than
some that came before, may take a nugget from a later one, which then is added to the others; so the
values are those of the whole stream in whatever order it came.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.measure import Measure
from tseval.families.temporal.streaming.earliest import First, GoldTopics
from tseval.io.names import ABSENT
from tseval.io.origin import Origin
from tseval.records import frozen
from tseval.tables import Ids, Nuggets, Texts, Updates
from tseval.tables.arrow import strings

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray


@frozen
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
    matched: int = 0
    """The number of them that say a nugget."""
    read: int = 0
    """The number of them that say a nugget or are in the pool."""


@frozen
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

    @cached_property
    def topic_of(self) -> IntArray:
        """The topic of each nugget: all for the lowest grade, then the next."""
        return np.tile(self.gold_topics.of_nuggets, len(self.grades))

    @cached_property
    def places(self) -> list[IntArray]:
        """For each topic where its nuggets stand there."""
        return [np.flatnonzero(self.topic_of == at) for at in range(len(self.topics))]


@frozen
class Takes:
    """Updates that say nuggets earlier than all before them, in the order in which they count."""

    part: IntArray
    place: IntArray
    """What is said, as `RunFold.time` has it."""
    row: IntArray


@frozen
class Said:
    """Which kept updates say which nuggets, of one topic or of all, as a look finds it."""

    look: int
    topic: int
    place: IntArray
    keeper: IntArray


class RunFold:
    """One run."""

    def __init__(self, run: str, wanted: Wanted) -> None:
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
        self.others: FloatArray | None = None
        """The sums of the updates that are not kept, by ledger and topic; None before any."""
        self.held: FloatArray | None = None
        """Those of the gold and the kept updates; None where others are kept since."""
        self._given_up: list[tuple[int, int]] = []

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

    @cached_property
    def _uses(self) -> Counter[int]:
        """How many nuggets each kept update says."""
        return Counter(self.keeper[self.keeper != ABSENT].tolist())

    def takes(self, first: First, time: FloatArray) -> Takes:
        """Which updates take nuggets over, of the first in each part; `time` is that of updates."""
        part, grades = first.unit // max(len(self.wanted.topics), 1), self.wanted.grades
        if grades == (1.0,):
            place, row = first.nugget, first.update
        else:
            found = [_as_far_as(first, each) for each in grades]
            level = np.repeat(np.arange(len(grades)), [len(each) for each in found])
            at = np.concatenate(found)
            place = first.nugget[at] + level * len(self.wanted.nuggets)
            part, row = part[at], first.update[at]
        better = _earlier(part, place, time[row], self.time)
        return Takes(part[better], place[better], row[better])

    def take_over(
        self, takes: Takes, updates: Updates, rows: IntArray, looks: IntArray
    ) -> Iterator[Said]:
        """Give nuggets to these updates; `rows` are all of the run that come with them.

        Gives what is said in the topics that change, as it is at each of the looks that come after
        these parts.
        """
        number = self.seen.updates + np.searchsorted(rows, takes.row)
        look = np.searchsorted(looks, takes.part)
        columns = (look, takes.part, takes.place, takes.row, number)
        each = zip(*(column.tolist() for column in columns), strict=True)
        for at, own in groupby(each, key=itemgetter(0)):
            topics = set()
            for _, part, place, row, number in own:
                self._take(part, place, updates, row, number)
                topics.add(int(self.wanted.topic_of[place]))
            if at == len(looks):
                self.held = None
            else:
                for topic in topics:
                    yield self.said(self.wanted.places[topic], at, topic)

    def _take(self, part: int, place: int, updates: Updates, row: int, number: int) -> None:
        """Give one nugget to an update."""
        before = int(self.keeper[place])
        if before != ABSENT:
            self._uses[before] -= 1
            if not self._uses[before]:
                self._given_up.append((part, before))
        if number not in self.kept:
            self.kept[number] = _kept(updates, row, number)
        self._uses[number] += 1
        self.keeper[place], self.time[place] = number, updates.time[row]

    def said(self, places: IntArray, look: int = 0, topic: int = 0) -> Said:
        """What is said now, of the nuggets at these places."""
        said = places[self.keeper[places] != ABSENT]
        return Said(look, topic, said, self.keeper[said])

    def given_up(self) -> list[tuple[int, KeptUpdate]]:
        """The updates that need not be kept any more, each with the part since which that is so."""
        found = [(part, self.kept.pop(number)) for part, number in sorted(self._given_up)]
        self._given_up = []
        return found

    def look_at(
        self, updates: Updates, topic: IntArray, sampled: BoolArray, says: BoolArray
    ) -> BoolArray:
        """Note what the next updates are beside their amounts; which of them are late."""
        seen, judged = self.seen, topic != ABSENT
        np.minimum.at(self.span[0], topic[judged], updates.time[judged])
        np.maximum.at(self.span[1], topic[judged], updates.time[judged])
        before = np.maximum.accumulate(np.append(seen.latest, updates.time))
        late: BoolArray = updates.time < before[:-1]
        seen.late += int(late.sum())
        seen.latest = float(before[-1])
        seen.early += int((updates.time[judged] < self.wanted.starts[topic[judged]]).sum())
        seen.unjudged.update(updates.topic.take_names(np.unique(updates.topic.codes[~judged])))
        seen.silent += int((updates.text.blank & judged).sum())
        seen.judged += int(judged.sum())
        seen.pooled |= bool((sampled & judged).any())
        seen.matched += int((says & judged).sum())
        seen.read += int(((says | sampled) & judged).sum())
        seen.updates += len(updates)
        if updates.confidence is not None and len(updates):
            low, high = float(updates.confidence.min()), float(updates.confidence.max())
            known = seen.confidence or (low, high)
            seen.confidence = (min(low, known[0]), max(high, known[1]))
        return late


def _as_far_as(first: First, grade: float) -> IntArray:
    """Those that say their nuggets at least so far, the first of each unit: they go by time."""
    enough = np.flatnonzero(first.grade >= grade)
    unit, nugget = first.unit[enough], first.nugget[enough]
    new = np.append(True, (np.diff(unit) != 0) | (np.diff(nugget) != 0))[: len(enough)]
    chosen: IntArray = enough[new]
    return chosen


def _earlier(part: IntArray, place: IntArray, time: FloatArray, known: FloatArray) -> IntArray:
    """Which say what stands at their place earlier than is known, and than all parts before them.

    In the order of the parts.
    """
    early = np.flatnonzero(time < known[place])
    order = early[np.lexsort((part[early], place[early]))]
    _, rank = np.unique(time[order], return_inverse=True)
    group = np.cumsum(np.append(0, np.diff(place[order]) != 0)[: len(order)])
    rank = rank - group * (len(order) + 1)  # so that each place begins below all before it
    new = np.append(True, rank[1:] < np.minimum.accumulate(rank)[:-1])[: len(order)]
    better: IntArray = order[new]
    return better[np.argsort(part[better], kind="stable")]


def _kept(updates: Updates, row: int, number: int) -> KeptUpdate:
    return KeptUpdate(
        topic=updates.topic[row],
        update_id=updates.update_id[row],
        time=float(updates.time[row]),
        place=number,
        text=updates.text[row],
        cost=None if updates.cost is None else float(updates.cost[row]),
    )


def table_of(kept: Sequence[KeptUpdate], *, has_cost: bool = False) -> Updates:
    """Updates that are kept as a table."""
    costs = [1.0 if each.cost is None else each.cost for each in kept]
    return Updates(
        run=Ids.constant("", len(kept)),
        topic=Ids.of(strings([each.topic for each in kept])),
        update_id=Ids.of(strings([each.update_id for each in kept])),
        time=np.array([each.time for each in kept], np.float64),
        text=Texts.of([each.text for each in kept]),
        confidence=None,
        cost=np.array(costs, np.float64) if has_cost else None,
        origin=Origin((), np.zeros(len(kept), np.int64), np.arange(len(kept))),
    )
