"""VT: how far tracked values are from the gold, on average over the topic's period.

The guidelines of TREC Temporal Summarization 2013, value tracking. Runs and gold are step functions
of time; both are merged by one sort, and the error between two steps is constant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.core.measure import Definition, Measure, Parameter
from tseval.core.results import Result, Values
from tseval.errors import UsageError
from tseval.families.tracking.tables import ATTRIBUTES, LOCATIONS, TrackedValues
from tseval.records import frozen
from tseval.tables import ABSENT, Topics, all_names, natural_order
from tseval.tables.arrow import strings
from tseval.tables.keys import earliest, latest
from tseval.tables.units import Units

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

FAMILY = "values"
CITATION = "TREC 2013 Temporal Summarization track, guidelines: value tracking"

EARTH_RADIUS = 6371.0088
"""The mean radius of the Earth in kilometres."""
SILENT = np.pi * EARTH_RADIUS
"""The error of a location of which one side alone has spoken: half the Earth's circumference."""
GOLD, SYSTEM, END = 0, 1, 2
"""What an event is: a value of either, or the end of the period."""


@frozen
class ValueIndex(Units):
    """Runs and gold by unit: a unit is a run's topic, of number `run * topics + topic`."""

    values: TrackedValues
    """What the runs say, of judged topics alone."""
    unit: IntArray
    gold: TrackedValues
    gold_topic: IntArray
    start: FloatArray
    """When each topic's period starts."""
    end: FloatArray

    @classmethod
    def build(cls, values: TrackedValues, gold: TrackedValues, topics: Topics | None) -> ValueIndex:
        """The judged topics are those of the gold; other values are left out."""
        names = tuple(natural_order(all_names(gold.topic).to_pylist()))
        listed = strings(names)
        topic, gold_topic = values.topic.within(listed), gold.topic.within(listed)
        start, end = _periods(names, gold_topic, gold, topics)
        kept = topic != ABSENT
        return cls(
            runs=tuple(values.run.vocabulary()),
            topics=names,
            values=values.rows(kept),
            unit=(values.run.codes * len(names) + topic)[kept],
            gold=gold,
            gold_topic=gold_topic,
            start=start,
            end=end,
        )

    @property
    def present(self) -> BoolArray:
        """Which (run, topic) have values."""
        return self.having(self.unit)

    @property
    def timely(self) -> BoolArray:
        """Which (run, topic) have values within the topic's period."""
        topic, time = self.unit % len(self.topics), self.values.time
        return self.having(self.unit[(time >= self.start[topic]) & (time <= self.end[topic])])

    def told(self, attribute: str) -> BoolArray:
        """Which (run, topic) have values of an attribute."""
        return self.having(self.unit[self.values.attribute == ATTRIBUTES.index(attribute)])

    def judged(self, attribute: str) -> BoolArray:
        """Which topics have gold for an attribute."""
        rows = self.gold.attribute == ATTRIBUTES.index(attribute)
        return np.bincount(self.gold_topic[rows], minlength=len(self.topics)) > 0


def _periods(
    names: tuple[str, ...], topic: IntArray, gold: TrackedValues, topics: Topics | None
) -> tuple[FloatArray, FloatArray]:
    """When each topic starts and ends: as the topics file says, else with its gold values."""
    start = gold.origin.starts(earliest(topic, gold.time, len(names)))
    own = start, latest(topic, gold.time, len(names))
    return own if topics is None else topics.periods(names, *own)


@frozen
class Errors(Result):
    """The error of each unit as a step function: `height` from `since` until `until`.

    The steps of a unit stand in the order of time. Before its first step the error is 0.
    """

    unit: IntArray
    since: FloatArray
    until: FloatArray
    height: FloatArray
    start: FloatArray
    """When the period of each unit starts."""
    end: FloatArray
    judged: BoolArray
    """Which units have gold."""

    def before(self, times: FloatArray) -> Values:
        """The mean error of each unit from its start to its time, and not beyond its end.

        Undefined without gold, and where no time lies between.
        """
        last = np.minimum(times, self.end)
        long = last - self.start
        span = np.minimum(self.until, last[self.unit]) - np.maximum(
            self.since, self.start[self.unit]
        )
        area = np.bincount(self.unit, self.height * np.maximum(span, 0), len(times))
        area = area.astype(np.float64)
        defined = self.judged & (long > 0)
        return Values(np.divide(area, long, out=np.zeros_like(area), where=defined), defined)


def tells_attributes(measure: Measure) -> bool:
    """Whether a measure is of one attribute."""
    return any(parameter.name == "attribute" for parameter in measure.definition.parameters)


def value_tracking(index: ValueIndex, measure: Measure) -> Errors:
    """The error of every run and topic in one attribute."""
    attribute = str(measure.argument("attribute"))
    if attribute not in ATTRIBUTES:
        raise UsageError(f"{measure}: of which attribute? choose one of {', '.join(ATTRIBUTES)}")
    start, end = index.start[index.unit_topic], index.end[index.unit_topic]
    said, known, unit, time, side = _events(index, ATTRIBUTES.index(attribute), end)
    first = np.searchsorted(unit, np.arange(index.units))
    by_gold, by_system = (_latest(side == each, first[unit]) for each in (GOLD, SYSTEM))
    height = _differences(said, known, by_gold, by_system, located=attribute == LOCATIONS)
    within = unit[1:] == unit[:-1]
    return Errors(
        unit=unit[:-1][within],
        since=time[:-1][within],
        until=time[1:][within],
        height=height[:-1][within],
        start=start,
        end=end,
        judged=index.judged(attribute)[index.unit_topic],
    )


def _events(
    index: ValueIndex, attribute: int, end: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray, FloatArray, IntArray]:
    """Every value of the gold, of the runs, and every end, by unit and time.

    Columns: value, longitude, unit, time, side. Equal times stay in the order of the file.
    """
    gold = np.flatnonzero(index.gold.attribute == attribute)
    own = np.flatnonzero(index.values.attribute == attribute)
    runs, topics, ends = len(index.runs), len(index.topics), np.arange(len(end))
    before = np.repeat(np.arange(runs) * topics, len(gold))
    unit = np.concatenate([before + np.tile(index.gold_topic[gold], runs), index.unit[own], ends])
    time = np.concatenate([np.tile(index.gold.time[gold], runs), index.values.time[own], end])
    side = np.repeat([GOLD, SYSTEM, END], [runs * len(gold), len(own), len(end)])
    none = np.zeros(len(end))
    value = [np.tile(index.gold.value[gold], runs), index.values.value[own], none]
    longitude = [np.tile(index.gold.longitude[gold], runs), index.values.longitude[own], none]
    order = np.lexsort((time, unit))
    return (
        np.concatenate(value)[order],
        np.concatenate(longitude)[order],
        unit[order],
        time[order],
        side[order],
    )


def _latest(chosen: BoolArray, first: IntArray) -> IntArray:
    """For each event the latest of the chosen up to it, in its unit; `ABSENT` if there is none."""
    latest = np.maximum.accumulate(np.where(chosen, np.arange(len(chosen)), ABSENT))
    return np.where(latest >= first, latest, ABSENT)


def _differences(
    value: FloatArray,
    longitude: FloatArray,
    gold: IntArray,
    system: IntArray,
    *,
    located: bool,
) -> FloatArray:
    """The error after each event, from the events at which either side spoke last.

    After an event one of them has spoken, unless it is the end, after which nothing counts.
    """
    spoken = (gold != ABSENT), (system != ABSENT)
    if not located:
        one, other = np.where(spoken[0], value[gold], 0.0), np.where(spoken[1], value[system], 0.0)
        error: FloatArray = np.abs(one - other)
        return error
    apart = distance(value[gold], longitude[gold], value[system], longitude[system])
    return np.where(spoken[0] & spoken[1], apart, SILENT)


def distance(
    latitude: FloatArray, longitude: FloatArray, other: FloatArray, other_longitude: FloatArray
) -> FloatArray:
    """The distance of places in kilometres on a sphere of the Earth's mean radius (haversine)."""
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
    Definition(
        name="VT",
        family=FAMILY,
        title="value tracking error",
        summary="how far the values that a run gives are from the gold, on average over time",
        formula="VT(t) = 1 / (t - ts) * integral from ts to t of |f_gold - f_system|, where f(t) "
        "is the latest value given before t, 0 if there is none; without @TIME, and at any time "
        "beyond, t is the end of the topic's period. For locations |...| is the distance in km "
        "(haversine, mean Earth radius), half the Earth's circumference while one side alone has "
        "given a location, 0 while neither has",
        empty_case="undefined in a topic whose gold has no value of the attribute, and where t is "
        "not after ts",
        range="0 and above; for locations up to half the Earth's circumference, 20015.1 km",
        citation=CITATION,
        account=value_tracking,
        higher_is_better=False,
        parameters=(ATTRIBUTE,),
    ),
)
"""The measures of tracked values."""
