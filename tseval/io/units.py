"""Units: every (run, topic) of an evaluation, numbered run by run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, IntArray


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
