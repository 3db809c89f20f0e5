"""Values tracked over time, as of deaths or of locations: one row a value that was given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tseval.tables.columns import Ids
from tseval.tables.origin import Origin

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

LOCATIONS = "locations"
ATTRIBUTES = ("deaths", "injuries", "displaced", "financialimpact", LOCATIONS)
"""What values are of; all but the locations are numbers."""


@dataclass(frozen=True)
class TrackedValues:
    """What systems, or the gold, said an attribute to be, and when; in the order of the file."""

    run: Ids
    topic: Ids
    attribute: IntArray
    """The place in `ATTRIBUTES`."""
    time: FloatArray
    value: FloatArray
    """The number; of a location its latitude in degrees."""
    longitude: FloatArray
    """Of a location, in degrees; 0 elsewhere."""
    confidence: FloatArray | None
    origin: Origin

    def __len__(self) -> int:
        return len(self.time)

    def rows(self, chosen: IntArray | BoolArray) -> TrackedValues:
        """The chosen rows."""
        return TrackedValues(
            run=self.run.rows(chosen),
            topic=self.topic.rows(chosen),
            attribute=self.attribute[chosen],
            time=self.time[chosen],
            value=self.value[chosen],
            longitude=self.longitude[chosen],
            confidence=None if self.confidence is None else self.confidence[chosen],
            origin=self.origin.rows(chosen),
        )

    @classmethod
    def join(cls, parts: Sequence[TrackedValues]) -> TrackedValues:
        """Several tables in one; a confidence that only some have is 0 elsewhere."""
        if len(parts) == 1:
            return parts[0]
        confidence = [np.zeros(len(p)) if p.confidence is None else p.confidence for p in parts]
        without = all(part.confidence is None for part in parts)
        return cls(
            run=Ids.join([part.run for part in parts]),
            topic=Ids.join([part.topic for part in parts]),
            attribute=np.concatenate([part.attribute for part in parts]),
            time=np.concatenate([part.time for part in parts]),
            value=np.concatenate([part.value for part in parts]),
            longitude=np.concatenate([part.longitude for part in parts]),
            confidence=None if without else np.concatenate(confidence),
            origin=Origin.join([part.origin for part in parts]),
        )
