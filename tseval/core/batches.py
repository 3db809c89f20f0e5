"""Measures of a part of the time: what their amounts dated in a batch come to by themselves.

Each topic's time is cut into equal batches from its start. In a batch a measure is the score of the
sums of the amounts dated in it; what holds always, as the reward of all nuggets in recall, holds in
every batch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.io.names import ABSENT
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray


@frozen
class Batches:
    """The batches of some units: `number[i]` of them from `start[i]` on, each `length` long.

    A batch holds its beginning and not its end.
    """

    start: FloatArray
    length: float
    number: IntArray

    @property
    def most(self) -> int:
        """The largest number of batches."""
        return int(self.number.max(initial=0))

    @property
    def present(self) -> BoolArray:
        """For each unit and batch up to `most` whether the unit has it."""
        return np.asarray(np.arange(self.most) < self.number[:, np.newaxis])

    def of(self, unit: IntArray, time: FloatArray) -> IntArray:
        """The batch in which each time lies, `ABSENT` before the first and after the last."""
        known = np.isfinite(time)
        place = places(self.start[unit], np.where(known, time, 0.0), self.length)
        inside = known & (place >= 0) & (place < self.number[unit])
        return np.where(inside, place, ABSENT).astype(np.int64)

    def of_units(self, topic: IntArray) -> Batches:
        """From the batches of topics those of units, whose topics these are."""
        return replace(self, start=self.start[topic], number=self.number[topic])


def cover(starts: FloatArray, ends: FloatArray, latest: FloatArray, length: float) -> Batches:
    """The batches that reach to each topic's end and hold the latest of its gold; one at least."""
    to_the_end = np.ceil((ends - starts) / length)
    to_the_latest = places(starts, latest, length) + 1
    number = np.maximum(np.maximum(to_the_end, to_the_latest), 1)
    return Batches(starts, length, number.astype(np.int64))


def places(start: FloatArray, time: FloatArray, length: float) -> FloatArray:
    """How many whole batches lie between the start and each time.

    A time that is exactly where a batch begins is in it, whatever the division rounds to.
    """
    place = np.floor((time - start) / length)
    place -= time < start + place * length
    place += time >= start + (place + 1) * length
    return place
