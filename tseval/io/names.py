"""Codes that stand for no name, distinct numbers, the order of names, and units."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from tseval.records import frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tseval.arrays import BoolArray, IntArray

    Number = TypeVar("Number", bound=np.generic)

ABSENT = -1
"""The code of a name that a vocabulary does not hold."""


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """The different values, ascending; by sorting, which for numbers is ten times hashing."""
    ordered = np.sort(values)
    new = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    return cast("NDArray[Number]", ordered[new])


def natural_order(names: Iterable[str]) -> list[str]:
    """The names sorted with numbers as numbers: `t2` before `t10`; ties by the name itself."""
    return sorted(names, key=lambda name: (_natural(name), name))


def _natural(name: str) -> list[tuple[int, str]]:
    """The name in texts and numbers by turns; a number compares by its length, then its digits."""
    parts = [part.lstrip("0") for part in re.split(r"([0-9]+)", name)]
    return [(len(part) if at % 2 else 0, part) for at, part in enumerate(parts)]


@frozen
class Units:
    """The runs and the topics; what every index of an evaluation begins with."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]

    @property
    def units(self) -> int:
        """How many (run, topic) there are, whether the run has anything there or not."""
        return len(self.runs) * len(self.topics)

    @property
    def unit_topic(self) -> IntArray:
        """The topic of each unit, as its place in `topics`."""
        return np.tile(np.arange(len(self.topics)), len(self.runs))

    def having(self, unit: IntArray) -> BoolArray:
        """Which (run, topic) are among these units."""
        number = np.bincount(unit, minlength=self.units)
        return number.reshape(len(self.runs), len(self.topics)) > 0
