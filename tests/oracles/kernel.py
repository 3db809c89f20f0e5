"""Measures of dated contributions, slowly: rows in lists, sums of fractions, no table.

The score is `above` by `below`, undefined where `below` is not above 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple


class Row(NamedTuple):
    """A contribution: `name` says whether it counts above or below the line."""

    name: str
    run: str
    topic: str
    part: str
    time: float
    amount: float


Unit = tuple[str, str]


def score(rows: Iterable[Row]) -> Fraction | None:
    sums = {"above": Fraction(0), "below": Fraction(0)}
    for row in rows:
        sums[row.name] += Fraction(row.amount)
    return sums["above"] / sums["below"] if sums["below"] > 0 else None


def nested(rows: Sequence[Row]) -> Fraction | None:
    """The mean over parts of their scores."""
    scores = [score(r for r in rows if r.part == part) for part in {row.part for row in rows}]
    defined = [each for each in scores if each is not None]
    return sum(defined, Fraction(0)) / len(defined) if defined else None


def measure(rows: Sequence[Row], inner: bool) -> Fraction | None:
    return nested(rows) if inner else score(rows)


def of_unit(rows: Sequence[Row], unit: Unit) -> list[Row]:
    return [row for row in rows if (row.run, row.topic) == unit]


def value(
    rows: Sequence[Row], unit: Unit, before: float = math.inf, *, inner: bool
) -> Fraction | None:
    return measure([row for row in of_unit(rows, unit) if row.time < before], inner)


def pooled(
    rows: Sequence[Row], units: Sequence[Unit], before: dict[Unit, float], run: str, *, inner: bool
) -> Fraction | None:
    """The measure of the contributions of all units of a run."""
    own = [unit for unit in units if unit[0] == run]
    kept = [row for unit in own for row in of_unit(rows, unit) if row.time < before[unit]]
    return measure(kept, inner)


def curve(
    rows: Sequence[Row], unit: Unit, start: float, *, inner: bool
) -> list[tuple[float, Fraction | None]]:
    own = of_unit(rows, unit)
    times = {row.time for row in own if row.time != -math.inf} | {start}
    return [(t, measure([r for r in own if r.time <= t], inner)) for t in sorted(times)]


def batches(
    rows: Sequence[Row],
    units: Sequence[Unit],
    start: dict[Unit, float],
    length: float,
    most: int,
    *,
    inner: bool,
) -> list[Fraction | None]:
    """Batch by batch the measure of these units together."""
    found = []
    for batch in range(most):
        inside = [
            row
            for unit in units
            for row in of_unit(rows, unit)
            if row.time == -math.inf
            or start[unit] + batch * length <= row.time < start[unit] + (batch + 1) * length
        ]
        found.append(measure(inside, inner))
    return found
