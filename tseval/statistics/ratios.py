"""Runs whose value is a quotient of sums over topics, and how much it depends on the topics.

Each takes tables with a row for each topic and a column for each run: values of topics, and weights
above 0, what each value was divided by. The quotient is the weighted mean of the values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tseval.statistics.bootstrap import (
    INTERVALS,
    LEVEL,
    NOISE,
    Times,
    column_means,
    column_sums,
    interval_ends,
    standard_errors,
    weighted_sums,
)

Floats = NDArray[np.float64]


def quotients(values: Floats, weights: Floats) -> Floats:
    """The quotient of each column: the sum of values times weights by the sum of weights."""
    result: Floats = column_sums(values * weights) / column_sums(weights)
    return result


def contributions(values: Floats, weights: Floats) -> Floats:
    """What each topic adds to its column's quotient; the mean over topics is the quotient.

    It is the quotient, and what the topic's value is away from it, by the topic's share of the
    weights. Topics that weigh the same contribute their values.
    """
    whole = quotients(values, weights)
    shares = weights / column_means(weights)
    result: Floats = whole + shares * _residuals(values, whole)
    return result


def _residuals(values: Floats, whole: Floats) -> Floats:
    away = values - whole
    away[np.abs(away) <= NOISE * np.abs(values).max(axis=0)] = 0.0
    return away


def quotient_intervals(
    values: Floats,
    weights: Floats,
    times: Times,
    method: str = INTERVALS[0],
    level: float = LEVEL,
    less: tuple[Floats, Floats] | None = None,
) -> Floats:
    """For each column the interval of its quotient, as two rows: low, high.

    Topics are drawn again, with their values and their weights, and the quotient is that of the
    drawn. With `less`, the values and weights of other columns, it is the interval of the
    difference of quotients, whose topics are drawn together. Undefined (NaN) as in
    `mean_intervals`.
    """
    rows, columns = values.shape
    parts = [(1.0, values, weights)] + ([] if less is None else [(-1.0, *less)])
    if rows < 2:
        return np.full((2, columns), np.nan)
    observed = sum(sign * quotients(v, w) for sign, v, w in parts)
    shifted = [(sign, w * _residuals(v, quotients(v, w)), w) for sign, v, w in parts]
    below = [weighted_sums(times, w) for _, _, w in shifted]
    moved = [weighted_sums(times, e) / n for (_, e, _), n in zip(shifted, below, strict=True)]
    signs = [sign for sign, _, _ in shifted]
    drawn = np.asarray(sum(sign * each for sign, each in zip(signs, moved, strict=True)))
    centred = np.asarray(sum(sign * e / column_means(w) for sign, e, w in shifted))

    def errors() -> tuple[Floats, Floats]:
        squares = _squares(shifted, below, moved, times)
        own = standard_errors(np.zeros(columns), column_means(centred**2), rows)
        of_draws = np.sqrt(np.maximum(squares, 0.0) / (rows - 1))
        of_draws[of_draws <= np.sqrt(NOISE) * own] = 0.0
        return of_draws, own

    return np.asarray(observed + interval_ends(drawn, centred, method, level, errors))


def _squares(
    parts: list[tuple[float, Floats, Floats]],
    below: list[Floats],
    moved: list[Floats],
    times: Times,
) -> Floats:
    """The mean square of the topics' contributions within each draw."""
    rows = times.shape[1]
    total: Floats = np.zeros(moved[0].shape)
    for (sign, e, w), n, r in zip(parts, below, moved, strict=True):
        for (other_sign, f, v), m, s in zip(parts, below, moved, strict=True):
            crossed = weighted_sums(times, e * f) - s * weighted_sums(times, e * v)
            crossed += r * (s * weighted_sums(times, w * v) - weighted_sums(times, w * f))
            total += sign * other_sign * rows * crossed / (n * m)
    return total
