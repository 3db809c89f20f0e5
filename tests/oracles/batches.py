"""The draft measures of a batch, slowly: amounts with their dates, added up if they lie in it.

    P(batch)  = what the nuggets first said in it earn / what the updates sent in it cost
    R(batch)  = the reward of the nuggets first said in it / that of all nuggets
    Rs(batch) = the reward of the nuggets that had happened and been said in it, not before
                / that of the nuggets that happened in it
    T(batch)  = the mean advantage of the nuggets first said in it

Numbers are exact where those of the measures are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tests.oracles import temporal
from tests.oracles.temporal import Case, Collection, Measure, Number, Value

Amount = tuple[Number | None, Fraction | float]
"""When, and how much; None is always."""


def said(case: Case) -> list[tuple[temporal.Nugget, temporal.Update, Fraction]]:
    return temporal.found_before(case, None)


def dated(case: Case, measure: Measure) -> tuple[list[Amount], list[Amount]]:
    """The amounts above the line and below it."""

    def worth(nugget: temporal.Nugget) -> Fraction | float:
        return temporal.reward(nugget, case.nuggets, measure.reward)

    if measure.name == "R":
        above: list[Amount] = [(match.time, worth(n) * rise) for n, match, rise in said(case)]
        return above, [(None, worth(nugget)) for nugget in case.nuggets]
    if measure.name == "Rs":
        above = [(max(m.time, n.time), worth(n) * rise) for n, m, rise in said(case)]
        return above, [(nugget.time, worth(nugget)) for nugget in case.nuggets]
    if measure.name == "T":
        leads = [(m.time, Fraction(n.time) - Fraction(m.time), rise) for n, m, rise in said(case)]
        above = [(time, temporal.gain_of_lead(measure, lead) * rise) for time, lead, rise in leads]
        return above, [(time, rise) for time, _, rise in leads]
    if measure.updates:
        earning = {match.update_id for _, match, _ in said(case)}
        sent = [(u, temporal.cost(u, measure.cost)) for u in case.updates]
        above = [(u.time, paid) for u, paid in sent if u.update_id in earning]
        return above, [(u.time, paid) for u, paid in sent]
    of_match = measure.cost_of == "match"
    above = [
        (m.time, temporal.cost(m if of_match else n, measure.cost) * worth(n) * rise)
        for n, m, rise in said(case)
    ]
    paid = [(u.time, temporal.earliest_duplicate(case, u)) for u in case.updates]
    return above, [(time, temporal.cost(u, measure.cost)) for time, u in paid]


def within(amounts: Iterable[Amount], begin: Number, end: Number) -> Fraction | float:
    return temporal.total(amount for time, amount in amounts if time is None or begin <= time < end)


def batches(start: Number, latest: Number, length: Number) -> list[tuple[Number, Number]]:
    """From the start on as many as hold the latest nugget; one at least."""
    found = [(start, start + length)]
    while found[-1][1] <= latest:
        found.append((found[-1][1], found[-1][1] + length))
    return found


def series(case: Case, measure: Measure, cut: list[tuple[Number, Number]]) -> list[Value]:
    if measure.name == "F":
        precise = series(case, replace(measure, name="P", updates=True), cut)
        complete = series(case, replace(measure, name="R"), cut)
        return [temporal.balanced(measure, *each) for each in zip(precise, complete, strict=True)]
    above, below = dated(case, measure)
    return [temporal.divide(within(above, *each), within(below, *each)) for each in cut]


def of_topic(
    collection: Collection, run: str, topic: str, length: Number
) -> tuple[Case, list[Any]]:
    """What concerns a run and topic, and the topic's batches."""
    case = temporal.select(collection, run, topic)
    latest = max(nugget.time for nugget in case.nuggets)
    return case, batches(temporal.start(collection, topic), latest, length)


def mean(
    collection: Collection, run: str, measure: Measure, length: Number, undefined: str
) -> list[Value]:
    """Batch by batch over the topics that have it, each from its own start."""
    by_topic = [
        series(case, measure, cut)
        for case, cut in (
            of_topic(collection, run, topic, length) for topic in temporal.topics(collection)
        )
    ]
    longest = max(map(len, by_topic))
    return [
        temporal.mean([values[place] for values in by_topic if place < len(values)], undefined)
        for place in range(longest)
    ]


def sent(case: Case, cut: list[tuple[Number, Number]]) -> list[int]:
    return [sum(b <= update.time < e for update in case.updates) for b, e in cut]


def shares(numbers: list[int]) -> list[float]:
    return [number / sum(numbers) if sum(numbers) else 0.0 for number in numbers]


def close(fast: float, slow: Value) -> bool:
    """Whether a number of the program, NaN for undefined, is that of this file."""
    if slow is None:
        return math.isnan(fast)
    return math.isclose(fast, float(slow), rel_tol=1e-12, abs_tol=1e-12)
