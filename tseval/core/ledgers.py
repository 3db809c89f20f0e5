"""What a measure adds up: ledgers of dated amounts, and a score of their totals.

A measure at time t is a score of the sums of amounts dated before t. The same ledgers give its
value at one time, at every time, and, one update after the other, on a live stream.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tseval.core.batches import Batches
from tseval.core.results import BEFORE_ALL, Changes, DatedResult, Values
from tseval.io.names import ABSENT
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import FloatArray, IntArray

ALWAYS = -np.inf
"""The date of an amount that counts at every time."""


@frozen
class Ledger:
    """Amounts by unit and date, in the order (unit, date, amount).

    The order makes sums independent of the order of the input's lines, to the last bit.
    """

    unit: IntArray
    time: FloatArray
    amount: FloatArray
    _sums: dict[int, FloatArray] = field(default_factory=dict, repr=False, compare=False)
    """The sums of all amounts, by the number of units."""

    @classmethod
    def of(cls, unit: IntArray, time: FloatArray, amount: FloatArray) -> Ledger:
        """Put the amounts in order."""
        if _in_order(unit, time) and (not len(amount) or (amount == amount[0]).all()):
            return cls(unit, time, amount)
        if _in_order(unit, time):
            return cls(unit, time, _sorted_in_ties(unit, time, amount))
        order = np.lexsort((amount, time, unit))
        return cls(unit[order], time[order], amount[order])

    def before(self, times: FloatArray) -> FloatArray:
        """For each unit the sum of the amounts dated strictly before its time."""
        if np.isposinf(times).all():
            return self._whole(len(times))
        counts = self.time < times[self.unit]
        sums = np.bincount(self.unit[counts], self.amount[counts], len(times))
        return sums.astype(np.float64)

    def within(self, batches: Batches) -> FloatArray:
        """The sum of the amounts of each unit dated in each batch, of the shape (units, most)."""
        shape = (len(batches.start), batches.most)
        batch = batches.of(self.unit, self.time)
        dated = batch != ABSENT
        place = self.unit[dated] * batches.most + batch[dated]
        sums = np.bincount(place, self.amount[dated], shape[0] * shape[1]).reshape(shape)
        always = self.time == ALWAYS
        lasting = np.bincount(self.unit[always], self.amount[always], shape[0])
        return sums.astype(np.float64) + lasting[:, np.newaxis]

    def side_by_side(self, starts: FloatArray, topics: int) -> Ledger:
        """The amounts of runs, dated in seconds since the start of their topic."""
        return Ledger.of(self.unit // topics, self.time - starts[self.unit], self.amount)

    def is_exact(self) -> bool:
        """Whether the amounts have one sum in any order: whole numbers that are not too large."""
        whole = (self.amount == np.rint(self.amount)).all()
        return bool(whole and np.abs(self.amount).sum() < 2.0**53)

    def _whole(self, units: int) -> FloatArray:
        """The sum of all amounts of each unit, made once for all measures that need it."""
        if units not in self._sums:
            sums = np.bincount(self.unit, self.amount, units).astype(np.float64)
            sums.setflags(write=False)
            self._sums[units] = sums
        return self._sums[units]


def _sorted_in_ties(unit: IntArray, time: FloatArray, amount: FloatArray) -> FloatArray:
    """The amounts, those of the same unit and date among themselves by size."""
    tied = (unit[1:] == unit[:-1]) & (time[1:] == time[:-1])
    if not (tied & (amount[1:] < amount[:-1])).any():
        return amount
    starts = np.flatnonzero(np.append(True, ~tied))
    widths = np.diff(np.append(starts, len(amount)))
    ordered = amount.copy()
    for width, ties in rows_by_code(widths).items():
        if width > 1:  # ties of one width are the rows of one table, which are sorted at once
            rows = starts[ties][:, None] + np.arange(width)
            ordered[rows] = np.sort(amount[rows], axis=1)
    return ordered


def _in_order(unit: IntArray, time: FloatArray) -> bool:
    same, later = unit[1:] == unit[:-1], unit[1:] > unit[:-1]
    return bool((later | (same & (time[1:] >= time[:-1]))).all())


Score: TypeAlias = Callable[[Sequence["FloatArray"], "IntArray"], Values]
"""From totals, and the unit that each belongs to, to values."""


@frozen
class Account(DatedResult):
    """The ledgers of a measure and the score of their totals."""

    ledgers: tuple[Ledger, ...]
    score: Score
    undivided: str = ""

    def before(self, times: FloatArray) -> Values:
        """The measure of each unit at its time."""
        totals = [ledger.before(times) for ledger in self.ledgers]
        return self.score(totals, np.arange(len(times)))

    def changes(self, starts: FloatArray) -> Changes:
        """The whole curve of every unit, in one pass over the sorted dates."""
        marks = Ledger(np.arange(len(starts)), starts, np.zeros(len(starts)))
        ledgers = (*self.ledgers, marks)
        unit = np.concatenate([ledger.unit for ledger in ledgers])
        time = np.concatenate([ledger.time for ledger in ledgers])
        order = np.lexsort((time, unit))
        unit, time = unit[order], time[order]
        bounds = np.searchsorted(unit, np.arange(len(starts) + 1))
        followed = (unit[1:] == unit[:-1]) & (time[1:] == time[:-1])
        last = np.append(~followed, True) & (time != ALWAYS)
        sums = [_running(column, bounds)[last] for column in _columns(ledgers, order)[:-1]]
        initial = self.before(np.full(len(starts), BEFORE_ALL))
        return Changes(unit[last], time[last], self.score(sums, unit[last]), initial)

    def within(self, batches: Batches) -> Values:
        """The measure of each unit in each batch, as (units, most); undefined past its last."""
        shape = (len(batches.start), batches.most)
        totals = [ledger.within(batches).ravel() for ledger in self.ledgers]
        values = self.score(totals, np.repeat(np.arange(shape[0]), shape[1]))
        value, defined = values.value.reshape(shape), values.defined.reshape(shape)
        defined = defined & batches.there
        return Values(np.where(defined, value, 0.0), defined)

    def pooled_changes(self, starts: FloatArray, topics: int) -> Changes:
        """The curve of each run over all topics together, in seconds since the topics' starts."""
        ledgers = tuple(each.side_by_side(starts, topics) for each in self.ledgers)
        return Account(ledgers, self.score).changes(np.zeros(len(starts) // topics))

    def pooled_before(self, starts: FloatArray, times: FloatArray, topics: int) -> Values:
        """The measure of each run, of what is dated before the time of each (run, topic).

        It is added up in the order of a curve, which has the same value then to the last bit.
        """
        runs = len(times) // topics
        totals = []
        for ledger in self.ledgers:
            if ledger.is_exact():
                by_topic = ledger.before(times).reshape(runs, topics)
                totals.append(by_topic.sum(axis=1, dtype=np.float64))
                continue
            counts = ledger.time < times[ledger.unit]
            kept = Ledger(ledger.unit[counts], ledger.time[counts], ledger.amount[counts])
            totals.append(kept.side_by_side(starts, topics).before(np.full(runs, np.inf)))
        return self.score(totals, np.arange(runs))

    def pooled_within(self, batches: Batches, topics: int) -> Values:
        """The measure of each run in each batch since the topics' starts, as (runs, most)."""
        shape = (len(batches.start) // topics, batches.most)
        totals = [
            ledger.within(batches).reshape(shape[0], topics, shape[1]).sum(axis=1).ravel()
            for ledger in self.ledgers
        ]
        values = self.score(totals, np.repeat(np.arange(shape[0]), shape[1]))
        value, defined = values.value.reshape(shape), values.defined.reshape(shape)
        return Values(np.where(defined, value, 0.0), defined)

    def weights(self, times: FloatArray) -> FloatArray:
        """The last total: what the value of each (run, topic) is divided by."""
        return self.ledgers[-1].before(times)


def ratio(totals: Sequence[FloatArray], _: IntArray) -> Values:
    """The first total by the second; undefined where the second is 0."""
    above, below = totals
    defined = below > 0
    return Values(np.divide(above, below, out=np.zeros_like(above), where=defined), defined)


def _columns(ledgers: Sequence[Ledger], order: IntArray) -> list[FloatArray]:
    """Each ledger's amounts among all dates: 0 where the date is another ledger's."""
    ends = np.cumsum([len(ledger.unit) for ledger in ledgers])
    columns = []
    for ledger, end in zip(ledgers, ends, strict=True):
        column = np.zeros(ends[-1])
        column[end - len(ledger.unit) : end] = ledger.amount
        columns.append(column[order])
    return columns


def _running(amounts: FloatArray, bounds: IntArray) -> FloatArray:
    """Sums from each unit's beginning; unit by unit, so that no unit's digits touch another's."""
    sums = np.empty_like(amounts)
    for start, end in pairwise(bounds.tolist()):
        np.cumsum(amounts[start:end], out=sums[start:end])
    return sums


def by_code(codes: IntArray) -> IntArray:
    """The rows by their codes, those of one code in their order.

    Numbers of two bytes are sorted by counting, ten times as fast as longer ones.
    """
    few = not len(codes) or (codes.min() >= ABSENT and codes.max() < np.iinfo(np.uint16).max)
    return np.argsort((codes - ABSENT).astype(np.uint16) if few else codes, kind="stable")


def rows_by_code(codes: IntArray) -> dict[int, IntArray]:
    """For each code that is there, from the smallest on, the rows that have it, in their order.

    To look for each code by itself would take as many looks at every row as there are codes.
    """
    order = by_code(codes)
    ordered = codes[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ABSENT)).tolist()
    bounds = pairwise([*starts, len(codes)])
    return {int(ordered[start]): order[start:end] for start, end in bounds}
