"""Values tracked over time, as of deaths or of locations: one row a value that was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tseval.tables.base import Table, optional
from tseval.tables.columns import Ids
from tseval.tables.origin import Origin
from tseval.tables.schema import RUN, TOPIC, Column, Kind, Schema

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

VALUES = Schema(
    "values",
    (
        TOPIC,
        Column("attribute", Kind.ID),
        Column("time", Kind.TIME, aliases=("timestamp", "decision_time")),
        Column("value", Kind.ID),
        RUN,
        Column("confidence", Kind.NUMBER, required=False, default="0"),
    ),
)
"""What a value is, a number or a location, depends on its attribute: it is read as a name first."""

LOCATIONS = "locations"
ATTRIBUTES = ("deaths", "injuries", "displaced", "financialimpact", LOCATIONS)
"""What values are of; all but the locations are numbers."""


@dataclass(frozen=True)
class TrackedValues(Table):
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
    origin: Origin
    confidence: FloatArray | None = optional(0.0)
    """Where only some runs tell it, it is 0 in the others."""
