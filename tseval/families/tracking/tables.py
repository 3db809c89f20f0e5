"""Values tracked over time, as of deaths or of locations: one row a value that was given."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tseval.records import frozen
from tseval.tables.base import Table, optional
from tseval.tables.columns import Ids
from tseval.tables.origin import Origin
from tseval.tables.schema import RUN, TOPIC, Column, Kind, Schema

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

LOCATIONS = "locations"
ATTRIBUTES = ("deaths", "injuries", "displaced", "financialimpact", LOCATIONS)
"""What values are of; all but the locations are numbers."""
VALUES = Schema(
    "values",
    (
        TOPIC,
        Column(
            "attribute", Kind.ID, meaning="one of " + ", ".join(f"`{each}`" for each in ATTRIBUTES)
        ),
        Column(
            "time",
            Kind.TIME,
            aliases=("timestamp", "decision_time"),
            meaning="when the value was given",
        ),
        Column(
            "value",
            Kind.ID,
            meaning="a number, not negative; of `locations` latitude and longitude",
        ),
        replace(RUN, meaning="the name of the run; the gold's is ignored"),
        Column(
            "confidence", Kind.NUMBER, required=False, default="0", meaning="no score asks for it"
        ),
    ),
    row="what a number or a place was said to be, and when",
)
"""What a value is, a number or a location, depends on its attribute: it is read as a name first."""


@frozen
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
