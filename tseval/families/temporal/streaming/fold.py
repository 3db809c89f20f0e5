"""Several runs after any number of blocks: what their updates add, counted in parts.

A block is counted as a whole, or one update after the other; then it is known what its run has come
to after each. Either way there is one index of the whole block, in which the parts stand for runs,
and each ledger is added up once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.running import LedgerSums
from tseval.families.temporal.streaming.draft import with_ledgers
from tseval.families.temporal.streaming.earliest import EarliestIndex, First
from tseval.families.temporal.streaming.run_fold import (
    KeptUpdate,
    RunFold,
    Said,
    Takes,
    Wanted,
    table_of,
)
from tseval.io.names import ABSENT, distinct
from tseval.records import frozen
from tseval.tables import Pairs, Updates
from tseval.tables.keys import rows_by_code

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray

_NOTHING: IntArray = np.zeros(0, np.int64)
KEPT_AT_ONCE = 1 << 17
"""So many nuggets that are said, over all looks at kept updates, are added up at once."""


@frozen
class Looked:
    """What runs have come to after some of the updates of a block, in the order of these."""

    row: IntArray
    run: list[str]
    sums: FloatArray
    """By ledger, look and topic."""
    present: BoolArray
    """Which topics the run has had updates of, by look and topic."""
    late: BoolArray
    """Which updates of the whole block are older than one of their run before."""


@frozen
class Share:
    """What a block has of one run."""

    run: RunFold
    rows: IntArray
    parts: IntArray
    looks: IntArray
    """After which of the parts the run is looked at, as places among them."""


@frozen
class Block:
    """Updates that are counted together, in parts of one run each."""

    updates: Updates
    index: EarliestIndex
    """In which the parts stand for runs."""
    part: IntArray
    topic: IntArray
    """The topic of each update; `ABSENT` where it is not in the gold."""
    shares: list[Share]


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
            self.runs[name] = RunFold(name, self.wanted)
        return self.runs[name]

    @property
    def updates(self) -> int:
        """How many updates there were."""
        return sum(run.seen.updates for run in self.runs.values())

    @property
    def late(self) -> int:
        """How many of them were older than one of their run before."""
        return sum(run.seen.late for run in self.runs.values())

    @property
    def latest(self) -> float:
        """The latest time."""
        return max((run.seen.latest for run in self.runs.values()), default=-np.inf)

    @cached_property
    def ledgers(self) -> LedgerSums:
        """The ledgers of the measures."""
        return LedgerSums(with_ledgers(self.wanted.measures), self.wanted.starts, self._gold)

    @cached_property
    def _gold(self) -> EarliestIndex:
        """The gold without any update."""
        return self._index(_NOTHING, 1, table_of([], has_cost=self.has_cost), Pairs.none())

    @cached_property
    def _of_gold(self) -> FloatArray:
        """The sums of the gold, which every run has."""
        return self.ledgers.of(self._gold)

    def sums(self, name: str) -> FloatArray:
        """What a run has come to, by ledger and topic, in an array for one run."""
        run = self.run(name)
        held = self.held(run)
        return held if run.others is None else held + run.others

    def _index(self, part: IntArray, parts: int, updates: Updates, pairs: Pairs) -> EarliestIndex:
        """Updates in parts that stand for runs."""
        names, gold = tuple(map(str, range(parts))), self.wanted
        return EarliestIndex.divided(part, names, updates, gold.nuggets, pairs, gold.gold_topics)

    def add(self, updates: Updates, pairs: Pairs, sampled: BoolArray) -> None:
        """Take the next updates of any runs, with their pairs, and which are in the pool."""
        runs, part = np.unique(updates.run.codes, return_inverse=True)
        never = np.zeros(len(runs), bool)
        self._take(self._block(updates, pairs, part, never), sampled)

    def add_each(
        self, updates: Updates, pairs: Pairs, sampled: BoolArray, looked: BoolArray
    ) -> Looked:
        """The same one by one; what the run of each that is looked at has come to with it.

        Every sum is what it would be if each came by itself.
        """
        part = np.arange(len(updates))
        return self._take(self._block(updates, pairs, part, looked), sampled)

    def _block(self, updates: Updates, pairs: Pairs, part: IntArray, looked: BoolArray) -> Block:
        """Updates in these parts, some of which are looked at when they are counted."""
        index = self._index(part, len(looked), updates, pairs)
        topic = np.where(index.unit == ABSENT, ABSENT, index.unit - part * len(index.topics))
        shares = []
        for code, rows in rows_by_code(updates.run.codes).items():
            run = self.run(updates.run.take_names(np.array([code]))[0])
            parts = distinct(part[rows])
            shares.append(Share(run, rows, parts, np.flatnonzero(looked[parts])))
        return Block(updates, index, part, topic, shares)

    def _take(self, block: Block, sampled: BoolArray) -> Looked:
        """Count a block."""
        updates, first = block.updates, block.index.first
        others, late = np.ones(len(updates), bool), np.zeros(len(updates), bool)
        held: list[FloatArray] = []
        returned: list[tuple[int, KeptUpdate]] = []
        matched = rows_by_code(updates.run.codes[first.update])
        for share in block.shares:
            own = matched.get(int(updates.run.codes[share.rows[0]]), _NOTHING)
            takes = share.run.takes(first.rows(own), updates.time)
            others[takes.row] = False
            held.append(self._held_at_looks(share, takes, updates))
            returned += share.run.given_up()
        amounts = self._amounts(block, others, returned)
        sums, present = [amounts[:, :0, 0]], [np.zeros((0, len(self.wanted.topics)), bool)]
        for share, kept in zip(block.shares, held, strict=True):
            rows, topic = share.rows, block.topic[share.rows]
            sums.append(kept + _added_up(share, amounts))
            present.append(_present_at_looks(share, block.part[rows], topic))
            says = block.index.says[rows] > 0
            late[rows] = share.run.look_at(updates.rows(rows), topic, sampled[rows], says)
        row = np.concatenate([_NOTHING, *(share.parts[share.looks] for share in block.shares)])
        names = [share.run.run for share in block.shares for _ in share.looks]
        order = np.argsort(row)
        return Looked(
            row[order],
            [names[at] for at in order.tolist()],
            np.concatenate(sums, axis=1)[:, order],
            np.concatenate(present)[order],
            late,
        )

    def _held_at_looks(self, share: Share, takes: Takes, updates: Updates) -> FloatArray:
        """Let updates take nuggets over; what is held at each look, by ledger, look and topic."""
        run, looks = share.run, share.parts[share.looks]
        states = [self.held(run)] if len(looks) else [self._of_gold]
        place = np.zeros((len(looks), len(self.wanted.topics)), np.int64)
        """At each look and in each topic the last of the states there is."""
        known = 1
        for said in _together(run.take_over(takes, updates, share.rows, looks)):
            states.append(self._of_kept(run, said))
            for each in said:
                place[each.look, each.topic] = known
                known += 1
        np.maximum.accumulate(place, axis=0, out=place)
        held: FloatArray = np.concatenate(states, axis=1)[:, place, np.arange(place.shape[1])]
        if len(looks) and run.held is not None:
            run.held = held[:, -1:].copy()
        return held

    def held(self, run: RunFold) -> FloatArray:
        """The sums of the gold and of the updates that a run keeps, as they are now."""
        if run.held is None:
            run.held = self._of_kept(run, [run.said(np.arange(len(run.keeper)))])
        return run.held

    def _of_kept(self, run: RunFold, states: Sequence[Said]) -> FloatArray:
        """The same in each of several states, by ledger, state and topic."""
        part = np.repeat(np.arange(len(states)), [len(each.place) for each in states])
        level, nugget = np.divmod(
            np.concatenate([each.place for each in states]), max(len(self.wanted.nuggets), 1)
        )
        keeper = np.concatenate([each.keeper for each in states])
        numbers = distinct(keeper)
        table = table_of([run.kept[at] for at in numbers.tolist()], has_cost=self.has_cost)
        width = max(len(numbers), 1)
        stands, row = np.unique(
            part * width + np.searchsorted(numbers, keeper), return_inverse=True
        )
        part, at = np.divmod(stands, width)
        grades = self.wanted.grades
        grade = None if grades == (1.0,) else np.array(grades)[level]
        index = self._index(part, len(states), table.rows(at), Pairs(row, nugget, None, grade))
        return self._of_gold + self.ledgers.of(replace(index, gold=_NOTHING))

    def _amounts(
        self, block: Block, others: BoolArray, returned: Sequence[tuple[int, KeptUpdate]]
    ) -> FloatArray:
        """What is added in each part beside what is kept, by ledger, part, and topic.

        What was kept before stands before the others, where any was.
        """
        index = block.index
        found = [self._alone(index, index.sent[others[index.sent]])]
        if returned:
            part = np.array([part for part, _ in returned])
            table = table_of([kept for _, kept in returned], has_cost=self.has_cost)
            back = self._index(part, len(index.runs), table, Pairs.none())
            found.insert(0, self._alone(back, back.sent))
        return np.stack(found, axis=2)

    def _alone(self, index: EarliestIndex, rows: IntArray) -> FloatArray:
        """The sums of updates that are the earliest to say nothing."""
        says = np.zeros(len(index.updates), np.int64)
        return self.ledgers.of(
            replace(index, sent=rows, gold=_NOTHING, first=First.none(), says=says)
        )


def _together(states: Iterable[Said]) -> Iterator[list[Said]]:
    """As many as are added up at once."""
    found, size = list[Said](), 0
    for each in states:
        found.append(each)
        size += len(each.place)
        if size >= KEPT_AT_ONCE:
            yield found
            found, size = [], 0
    if found:
        yield found


def _added_up(share: Share, amounts: FloatArray) -> FloatArray:
    """Add the amounts of its parts to a run's, one after the other; the sums at its looks."""
    run, each = share.run, amounts.shape[2]
    own = amounts[:, share.parts].reshape(len(amounts), -1, amounts.shape[3])
    before = np.zeros_like(own[:, :1]) if run.others is None else run.others
    sums = np.cumsum(np.concatenate([before, own], axis=1), axis=1)
    run.others = sums[:, -1:].copy()
    at_looks: FloatArray = sums[:, (share.looks + 1) * each]
    return at_looks


def _present_at_looks(share: Share, part: IntArray, topic: IntArray) -> BoolArray:
    """Which topics a run has had updates of at each look."""
    there = np.zeros((len(share.parts), len(share.run.present)), bool)
    judged = topic != ABSENT
    there[np.searchsorted(share.parts, part[judged]), topic[judged]] = True
    present: BoolArray = share.run.present | np.logical_or.accumulate(there, axis=0)[share.looks]
    return present


def rows_of(pairs: Pairs, start: int, stop: int) -> Pairs:
    """The pairs of the rows from one on to another, which are sorted by row, numbered from 0."""
    low, high = np.searchsorted(pairs.update, (start, stop))
    own = pairs.rows(slice(int(low), int(high)))
    return replace(own, update=own.update - start)
