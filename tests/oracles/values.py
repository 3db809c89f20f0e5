"""Value tracking, slow and obvious, from the words of the specification.

    f(t)  = the latest value given before t (strictly; of equal times the last in the file);
            nothing was given: 0
    error = 1 / (te - ts) * integral over [ts, te] of |f_gold - f_system|

Between two neighbouring times at which anything is said nothing changes, so the middle stands for
all of it. Numbers are exact fractions. Places are unit vectors: their angle, and not the haversine,
gives the distance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

RADIUS = 6371.0088
Place = tuple[Fraction, Fraction]
Value = Fraction | Place


@dataclass(frozen=True)
class Given:
    """A value that somebody gave; in the order of the file."""

    topic: str
    attribute: str
    time: Fraction
    value: Value
    run: str = "gold"


def latest(given: Sequence[Given], t: Fraction) -> Value | None:
    """f(t), or None if nothing was given before t."""
    best: Given | None = None
    for each in given:
        if each.time < t and (best is None or each.time >= best.time):
            best = each
    return None if best is None else best.value


def apart(one: Place, other: Place) -> float:
    """The distance of two places in km, by the angle between their vectors."""
    u, v = vector(one), vector(other)
    cross = (
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    )
    dot = sum(a * b for a, b in zip(u, v, strict=True))
    return RADIUS * math.atan2(math.hypot(*cross), dot)


def vector(place: Place) -> tuple[float, float, float]:
    latitude, longitude = (math.radians(float(degrees)) for degrees in place)
    return (
        math.cos(latitude) * math.cos(longitude),
        math.cos(latitude) * math.sin(longitude),
        math.sin(latitude),
    )


def difference(gold: Value | None, system: Value | None, attribute: str) -> Fraction | float:
    if attribute != "locations":
        one = gold if isinstance(gold, Fraction) else Fraction(0)
        other = system if isinstance(system, Fraction) else Fraction(0)
        return abs(one - other)
    if gold is None and system is None:
        return 0.0
    if not isinstance(gold, tuple) or not isinstance(system, tuple):
        return math.pi * RADIUS
    return apart(gold, system)


def error(
    gold: Sequence[Given],
    values: Sequence[Given],
    topic: str,
    attribute: str,
    period: tuple[Fraction | None, Fraction | None] = (None, None),
    after: Fraction | None = None,
) -> float | None:
    """The error of one run's values in a topic, until `after` seconds from its start if given.

    A period that is not told goes from the first to the last gold value of the topic.
    """
    times = [each.time for each in gold if each.topic == topic]
    start = min(times) if period[0] is None else period[0]
    end = max(times) if period[1] is None else period[1]
    if after is not None:
        end = min(end, start + after)
    known = [each for each in gold if (each.topic, each.attribute) == (topic, attribute)]
    said = [each for each in values if (each.topic, each.attribute) == (topic, attribute)]
    if not known or end <= start:
        return None
    cuts = sorted({start, end, *(x.time for x in [*known, *said] if start < x.time < end)})
    area: Fraction | float = Fraction(0)
    for left, right in pairwise(cuts):
        middle = (left + right) / 2
        height = difference(latest(known, middle), latest(said, middle), attribute)
        area += height * (right - left)
    return float(area / (end - start))
