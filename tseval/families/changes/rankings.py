"""Rankings that end: the measures of Liu, Moffat, Baldwin and Zhang, for many rankings at once.

After its last item a ranking has one more, the end, which is worth the share of all gain that was
returned, and 1 where there was none to return. So stopping in time is rewarded, and so is silence
where there is nothing to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray


@frozen
class Items:
    """What is returned, in the order of the units and their ranks."""

    unit: IntArray
    gain: FloatArray
    group: IntArray
    """A number for each group of items that tie; the groups of a unit follow one another."""

    @classmethod
    def ordered(
        cls, unit: IntArray, gain: FloatArray, key: FloatArray, place: IntArray, *, tied: bool
    ) -> Items:
        """Items by unit, then by rising key, then by place; `tied`: those of a key are a group."""
        order = np.lexsort((place, key, unit))
        unit, gain, key = unit[order], gain[order], key[order]
        new = np.ones(len(unit), bool)
        if tied:
            new[1:] = (unit[1:] != unit[:-1]) | (key[1:] != key[:-1])
        return cls(unit, gain, np.cumsum(new) - 1)


@frozen
class Groups:
    """For each item the group that it ties with."""

    size: IntArray
    place: IntArray
    """Where in its group an item stands, from 0."""
    gain: FloatArray
    """The sum of the group's gains."""
    squares: FloatArray
    positive: IntArray
    """How many of its gains are above 0."""

    @classmethod
    def of(cls, items: Items) -> Groups:
        """The groups of items."""
        start = np.flatnonzero(np.diff(items.group, prepend=-1))
        size = np.diff(np.append(start, len(items.group)))
        each = items.group
        return cls(
            size[each],
            np.arange(len(each)) - start[each],
            _summed(items.gain, start)[each],
            _summed(items.gain**2, start)[each],
            _summed((items.gain > 0).astype(np.float64), start)[each].astype(np.int64),
        )


def _summed(values: FloatArray, start: IntArray) -> FloatArray:
    return np.add.reduceat(values, start) if len(start) else np.zeros(0)


@frozen
class Ranked:
    """Every unit of a level: what there was to return, and the rankings of those that have one."""

    total: FloatArray
    """All relevant gain of each unit, returned or not."""
    relevant: Items
    """The relevant gains of each unit, falling."""
    items: Items
    groups: Groups
    unit: IntArray
    """The units that returned something."""
    start: IntArray
    """Where the items of each of these begin."""
    length: IntArray

    @classmethod
    def of(cls, units: int, items: Items, unit: IntArray, gain: FloatArray) -> Ranked:
        """The rankings of these items, where these units have these relevant gains."""
        relevant = Items.ordered(unit, gain, -gain, np.arange(len(gain)), tied=False)
        found, start, length = np.unique(items.unit, return_index=True, return_counts=True)
        return cls(
            np.bincount(unit, gain, units).astype(np.float64),
            relevant,
            items,
            Groups.of(items),
            found,
            start,
            length,
        )

    @property
    def silent(self) -> BoolArray:
        """Which units returned nothing."""
        silent = np.ones(len(self.total), bool)
        silent[self.unit] = False
        return silent

    @property
    def has_answer(self) -> BoolArray:
        """Which units have anything to return."""
        return self.total > 0

    def by_rank(self) -> Iterator[tuple[int, IntArray, IntArray]]:
        """For each rank, from 1, the rankings that have it, and the items that they have there."""
        for rank in range(int(self.length.max(initial=0))):
            long = np.flatnonzero(self.length > rank)
            yield rank + 1, long, self.start[long] + rank

    def returned(self) -> FloatArray:
        """The gain that each ranking returned."""
        found = np.zeros(len(self.unit))
        for _, which, item in self.by_rank():
            found[which] += self.items.gain[item]
        return found

    def ends(self, found: FloatArray) -> FloatArray:
        """What the end of each ranking is worth."""
        total = self.total[self.unit]
        return np.divide(found, total, out=np.ones_like(found), where=total > 0)

    def of_units(self, values: FloatArray) -> FloatArray:
        """The value of every unit: silence is worth 1 where there is nothing to return, else 0."""
        every = np.where(self.has_answer, 0.0, 1.0)
        every[self.unit] = values
        return every


def reciprocal_rank(rankings: Ranked) -> FloatArray:
    """One by the rank of the first gain, of each unit; the end counts where there is none."""
    groups = rankings.groups
    nil = ~rankings.has_answer[rankings.unit]
    values = np.where(nil, 1.0 / (rankings.length + 1), 0.0)
    waiting = ~nil
    for rank, which, item in rankings.by_rank():
        first = waiting[which] & (groups.place[item] == 0) & (groups.positive[item] > 0)
        at, there = which[first], item[first]
        values[at] = _expected_reciprocal(groups.size[there], groups.positive[there], rank)
        waiting[at] = False
    return rankings.of_units(values)


def _expected_reciprocal(size: IntArray, positive: IntArray, rank: int) -> FloatArray:
    """The mean of 1 by the rank of the first positive item over all orders of groups.

    They begin at this rank. The chance that the first one is the next is worked out from place to
    place: among those left it is the share of the positive.
    """
    value, still = np.zeros(len(size)), np.ones(len(size))
    for place in range(int((size - positive).max(initial=-1)) + 1):
        left = np.maximum(size - place, 1)
        chance = still * np.minimum(positive / left, 1.0)
        value += chance / (rank + place)
        still -= chance
    return value


def biased_precision(rankings: Ranked, persistence: float) -> FloatArray:
    """Gains weighed by how likely a reader is still there; the end has all the weight left."""
    groups, values = rankings.groups, np.zeros(len(rankings.unit))
    for rank, which, item in rankings.by_rank():
        gain = groups.gain[item] / groups.size[item]
        values[which] += (1 - persistence) * gain * persistence ** (rank - 1)
    end = rankings.ends(rankings.returned())
    return rankings.of_units(values + end * persistence**rankings.length)


def discounted_gain(rankings: Ranked) -> FloatArray:
    """Gains discounted by the logarithm of their ranks, divided by those of the ideal ranking."""
    groups, values = rankings.groups, np.zeros(len(rankings.unit))
    for rank, which, item in rankings.by_rank():
        values[which] += groups.gain[item] / groups.size[item] / np.log2(rank + 1)
    end = rankings.ends(rankings.returned())
    values += end / np.log2(rankings.length + 2)
    return rankings.of_units(values / _ideal_discounted(rankings))


def _ideal_discounted(rankings: Ranked) -> FloatArray:
    """The same of all relevant gains, falling, and the end, as far as each ranking goes."""
    last = np.zeros(len(rankings.total), np.int64)
    last[rankings.unit] = rankings.length + 1
    unit, rank = rankings.relevant.unit, _ranks(rankings.relevant.unit)
    within = rank <= last[unit]
    discounted = rankings.relevant.gain / np.log2(rank + 1)
    sums = np.bincount(unit[within], discounted[within], len(last))
    number = np.bincount(unit, minlength=len(last))
    with_end = np.where(number < last, 1 / np.log2(number + 2.0), 0.0)
    ideal: FloatArray = (sums.astype(np.float64) + with_end)[rankings.unit]
    return ideal


def _ranks(unit: IntArray) -> IntArray:
    """The rank, from 1, of each of the items that stand unit by unit."""
    first = np.flatnonzero(np.diff(unit, prepend=-1))
    return np.arange(len(unit)) - np.repeat(first, np.diff(np.append(first, len(unit)))) + 1


def average_precision(rankings: Ranked, *, ideal: bool) -> FloatArray:
    """The sum over the ranks of the gain there times the mean gain so far, the end among them.

    Divided by all relevant gain and 1 for the end; with `ideal` by the sum of the ideal ranking.
    """
    groups, values = rankings.groups, np.zeros(len(rankings.unit))
    before, found = np.zeros(len(values)), np.zeros(len(values))
    for rank, which, item in rankings.by_rank():
        size, gain, squares = groups.size[item], groups.gain[item], groups.squares[item]
        opens = groups.place[item] == 0
        before[which[opens]] = found[which[opens]]
        found[which[opens]] += gain[opens]
        pairs = (gain**2 - squares) / np.maximum(size * (size - 1), 1)
        mean = gain / size * before[which] + squares / size + groups.place[item] * pairs
        values[which] += mean / rank
    end = rankings.ends(found)
    values += end * (found + end) / (rankings.length + 1)
    total = rankings.total[rankings.unit]
    return rankings.of_units(values / (_ideal_sums(rankings) if ideal else total + 1))


def _ideal_sums(rankings: Ranked) -> FloatArray:
    """What average precision adds up over all relevant gains, falling, and the end."""
    unit, gain = rankings.relevant.unit, rankings.relevant.gain
    each, start, length = np.unique(unit, return_index=True, return_counts=True)
    sums, so_far = np.zeros(len(rankings.total)), np.zeros(len(rankings.total))
    for rank in range(int(length.max(initial=0))):
        long = length > rank
        here, own = each[long], gain[start[long] + rank]
        so_far[here] += own
        sums[here] += own * so_far[here] / (rank + 1)
    sums += (so_far + 1) / (np.bincount(unit, minlength=len(sums)) + 1)
    ideal: FloatArray = sums[rankings.unit]
    return ideal
