"""VT: how far tracked values are from the gold, on average over the topic's period.

The guidelines of TREC Temporal Summarization 2013, value tracking. Runs and gold are step functions
of time; the error between two steps is constant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tseval.core.frames import FrameIndex
from tseval.core.kernel import quotient, total
from tseval.core.measure import Measure, Parameter, documented
from tseval.core.results import Result, Values, values_of
from tseval.errors import check_choice
from tseval.families.tracking.files import ATTRIBUTES, LOCATIONS
from tseval.families.tracking.rows import judged_topics
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import FloatArray

FAMILY = "values"
CITATION = "TREC 2013 Temporal Summarization track, guidelines: value tracking"
EARTH_RADIUS = 6371.0088
"""The mean radius of the Earth in kilometres."""
SILENT = np.pi * EARTH_RADIUS
"""The error of a location of which one side alone has spoken: half the Earth's circumference."""


@frozen
class Errors(Result):
    """The error of each unit as a step function: `height` from `since` until `until`."""

    units: pl.DataFrame
    """`unit start end judged` of each unit, in order."""
    steps: pl.DataFrame
    """`unit since until height`; before its first step the error of a unit is 0."""

    def before(self, times: FloatArray) -> Values:
        """Return the mean error of each unit from its start to its time, at most to its end.

        It is undefined without gold, and where no time lies between.
        """
        last = pl.min_horizontal(pl.Series(times), "end")
        units = self.units.with_columns(last=last, long=last - pl.col("start"))
        span = pl.min_horizontal("until", "last") - pl.max_horizontal("since", "start")
        parts = self.steps.join(units, on="unit").filter((span > 0) & (pl.col("long") > 0))
        # As shares of the period, so that no sum is larger than the largest error.
        share = quotient(span, pl.col("long"))
        means = parts.group_by("unit").agg(value=total(pl.col("height") * share))
        values = units.join(means, on="unit", how="left", maintain_order="left")
        defined = pl.col("judged") & (pl.col("long") > 0)
        return values_of(values.select(value=pl.when(defined).then(pl.col("value").fill_null(0.0))))


def find_errors(index: FrameIndex, measure: Measure) -> Errors:
    """Value tracking error.

    The mean error over time of the values that a run gives.

    VT(t) = 1 / (t - ts) * integral from ts to t of |f_gold - f_system|, where f(t) is the latest
    value given before t, 0 if there is none; without @TIME, and at any time beyond, t is the end of
    the topic's period. For locations |...| is the distance in km (haversine, mean Earth radius),
    half the Earth's circumference while one side alone has given a location, 0 while neither has.

    Undefined in a topic whose gold has no value of the attribute, and where t is not after ts.
    """
    attribute = str(measure.argument("attribute"))
    check_choice(f"{measure}: attribute", attribute, ATTRIBUTES)
    own = pl.col("attribute") == attribute
    units = index.pairs.with_row_index("unit").join(index.times, on="topic", maintain_order="left")
    gold = units.select("unit", "topic").join(index["gold"].filter(own), on="topic")
    place = ["amount", "longitude"] if attribute == LOCATIONS else ["amount"]
    of_gold = [f"gold_{name}" for name in place]
    events = pl.concat(
        [
            gold.select("unit", "time", pl.col(place).name.prefix("gold_")),
            index.outputs.filter(own).select("unit", "time", *place),
            units.select("unit", time="end"),
        ],
        how="diagonal",
    ).sort("time", maintain_order=True)
    latest = pl.col(*of_gold, *place).forward_fill().over("unit")
    until = pl.col("time").shift(-1).over("unit")
    steps = events.select("unit", latest, since="time", until=until).drop_nulls("until")
    if attribute == LOCATIONS:
        columns = (steps[name].to_numpy() for name in (*of_gold, *place))
        height = pl.Series(distance(*columns)).fill_nan(None).fill_null(SILENT)
    else:
        gold_amount, amount = steps.select(pl.col(*of_gold, *place).fill_null(0.0))
        height = (gold_amount - amount).abs()
    steps = steps.select("unit", "since", "until", height=height)
    judged = pl.col("topic").cast(pl.String).is_in(judged_topics(index, attribute))
    return Errors(units.select("unit", "start", "end", judged=judged), steps)


def distance(
    latitude: FloatArray, longitude: FloatArray, other: FloatArray, other_longitude: FloatArray
) -> FloatArray:
    """Return the distance of places in km on a sphere of the Earth's mean radius (haversine)."""
    one, two = np.radians(latitude), np.radians(other)
    across = np.radians(other_longitude - longitude)
    half = np.sin((two - one) / 2) ** 2 + np.cos(one) * np.cos(two) * np.sin(across / 2) ** 2
    result: FloatArray = 2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.minimum(half, 1.0)))
    return result


ATTRIBUTE = Parameter(
    "attribute",
    "whose values; without it every attribute that the gold has, each by itself",
    default="",
    choices=ATTRIBUTES,
)
DEFINITIONS = (
    documented(
        find_errors,
        name="VT",
        family=FAMILY,
        range="0 and above; for locations up to half the Earth's circumference, 20015.1 km",
        citation=CITATION,
        higher_is_better=False,
        parameters=(ATTRIBUTE,),
    ),
)
"""The measures of tracked values."""
