"""Whether an update stands twice in a stream, told by eight bytes an update.

A number is computed from each (run, topic, id). Different numbers prove different updates; for
equal ones the caller has to look. The numbers are kept sorted in a few columns of growing length,
so that each is moved only as often as the logarithm of how many there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from tseval.tables import Ids, Updates, distinct
from tseval.tables.fingerprints import fingerprints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tseval.tables.columns import BoolArray, IntArray

    Words = NDArray[np.uint64]

MIX = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
"""Odd numbers: what a run, a topic and an id are multiplied with."""


class Repeats:
    """The updates so far."""

    def __init__(self) -> None:
        self.columns: list[Words] = []
        """Their numbers, each column sorted."""

    def __len__(self) -> int:
        return sum(map(len, self.columns))

    def known(self, updates: Updates) -> IntArray:
        """The rows that may stand in an earlier block."""
        return np.flatnonzero(self._known(_numbers(updates)))

    def _known(self, numbers: Words) -> BoolArray:
        known = np.zeros(len(numbers), bool)
        for column in self.columns:
            at = np.minimum(np.searchsorted(column, numbers), len(column) - 1)
            known |= column[at] == numbers
        return known

    def suspects(self, updates: Updates) -> IntArray:
        """The rows that may stand in an earlier block, or above in this one; then remember all."""
        numbers = _numbers(updates)
        ordered = distinct(numbers)
        known = self._known(numbers) | _twice(numbers, ordered)
        self._remember(ordered)
        return np.flatnonzero(known)

    def remember(self, updates: Updates) -> None:
        """Remember all of them."""
        self._remember(distinct(_numbers(updates)))

    def remember_all(self, columns: Iterable[Words]) -> None:
        """Remember columns that were kept elsewhere."""
        for column in columns:
            self._remember(column)

    def _remember(self, ordered: Words) -> None:
        """Merge columns that are no longer than what is to be put after them."""
        while self.columns and len(self.columns[-1]) <= 2 * len(ordered):
            ordered = np.sort(np.concatenate([self.columns.pop(), ordered]), kind="stable")
        if len(ordered):
            self.columns.append(ordered)


def twice(updates: Updates) -> IntArray:
    """The rows that may stand above."""
    numbers = _numbers(updates)
    return np.flatnonzero(_twice(numbers, distinct(numbers)))


def _twice(numbers: Words, ordered: Words) -> BoolArray:
    """Which numbers stand above; `ordered` are the different ones."""
    if len(ordered) == len(numbers):
        return np.zeros(len(numbers), bool)
    _, first = np.unique(numbers, return_index=True)
    repeated = np.ones(len(numbers), bool)
    repeated[first] = False
    return repeated


def _numbers(updates: Updates) -> Words:
    """A number for each (run, topic, id)."""
    total = np.zeros(len(updates), np.uint64)
    columns: tuple[Ids, ...] = (updates.run, updates.topic, updates.update_id)
    for column, factor in zip(columns, MIX, strict=True):
        names = fingerprints(column.names)
        total = _mixed(total + names[column.codes] * np.uint64(factor))
    return total


def _mixed(numbers: Words) -> Words:
    """Spread every bit over all others, so that similar names make unlike numbers."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Words = numbers ^ (numbers >> np.uint64(31))
    return mixed
