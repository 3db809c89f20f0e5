"""When each run first said each piece of gold, for whoever holds runs against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import FloatArray, IntArray


@frozen
class Firsts:
    """One row for each piece of gold that a run said, of any family."""

    unit: IntArray
    """The (run, topic)."""
    gold: IntArray
    """Which piece of gold, by a number that is the same for every run."""
    time: FloatArray
    """When the run said it for the first time, in seconds."""
