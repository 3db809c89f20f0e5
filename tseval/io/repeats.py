"""Whether an update stands twice in a stream, told by a few bytes an update.

A number of eight bytes stands for each (run, topic, id). Different numbers prove different
updates; for equal ones the caller has to look. Where nothing can be looked at again, sixteen bytes
of a cryptographic hash stand for an update: nobody has found two texts of one such hash. Either
are kept sorted in a few columns of growing length, so that each is moved only as often as the
logarithm of how many there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tseval.io.names import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tseval.arrays import BoolArray, IntArray

    Words = NDArray[np.uint64]
    Marks: TypeAlias = NDArray[Any]
    """What stands for updates: numbers, or hashes."""

HASH_BYTES = 16
REMEMBERED = 1_000_000
"""Among how many of the last rows of a stream one that stands twice is found, at least."""


class Repeats:
    """The updates so far."""

    def __init__(self) -> None:
        self.columns: list[Marks] = []
        """What stands for them, each column sorted."""

    def __len__(self) -> int:
        return sum(map(len, self.columns))

    def known(self, marks: Marks) -> BoolArray:
        """Which of these stand in an earlier block."""
        known = np.zeros(len(marks), bool)
        for column in self.columns:
            at = np.minimum(np.searchsorted(column, marks), len(column) - 1)
            known |= column[at] == marks
        return known

    def suspects(self, marks: Marks) -> IntArray:
        """The rows that may stand in an earlier block, or above in this one; then remember all."""
        found = np.flatnonzero(self.known(marks) | twice(marks))
        self.remember(marks)
        return found

    def remember(self, marks: Marks) -> None:
        """Remember all of them."""
        self._remember(distinct(marks))

    def remember_all(self, columns: Iterable[Marks]) -> None:
        """Remember columns that were kept elsewhere."""
        for column in columns:
            self._remember(column)

    def _remember(self, ordered: Marks) -> None:
        """Merge columns that are no longer than what is to be put after them."""
        while self.columns and len(self.columns[-1]) <= 2 * len(ordered):
            ordered = np.sort(np.concatenate([self.columns.pop(), ordered]), kind="stable")
        if len(ordered):
            self.columns.append(ordered)


class Recent:
    """The last rows of a stream, by a hash each, in two generations."""

    def __init__(self, columns: Iterable[Marks] = ()) -> None:
        self.generations = [Repeats(), Repeats()]
        self.generations[1].remember_all(columns)

    def known(self, marks: Marks) -> BoolArray:
        """Which of these stood among the last rows before, or stand above."""
        older, newer = (each.known(marks) for each in self.generations)
        return twice(marks) | older | newer

    def remember(self, marks: Marks) -> None:
        """Take rows for the last ones."""
        newer = self.generations[1]
        newer.remember(marks)
        if len(newer) >= REMEMBERED:
            self.generations = [newer, Repeats()]

    def columns(self) -> list[Marks]:
        """All of them, for saving."""
        return [column for each in self.generations for column in each.columns]


def twice(marks: Marks) -> BoolArray:
    """Which of these stand above."""
    if len(distinct(marks)) == len(marks):
        return np.zeros(len(marks), bool)
    _, first = np.unique(marks, return_index=True)
    repeated = np.ones(len(marks), bool)
    repeated[first] = False
    return repeated
