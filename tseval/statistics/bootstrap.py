"""How much a number depends on which topics there happened to be: means, and quotients of sums.

Quotients are of sums over topics. Values have a row for each topic and a column for each run, and
weights, above 0, are what each value was divided by: a quotient is the weighted mean of values.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Times = NDArray[np.integer[Any]]
"""How often each topic (a column) is drawn in each resample (a row)."""

RESAMPLES = 1000
LEVEL = 0.95
INTERVALS = ("studentised", "bca", "percentile")
"""How an interval is made of resampled means."""
BLOCK = 2**22
"""How many numbers are worked on at once."""
TOGETHER = 2**12
"""So many draws, or more, are added up at once, however many topics there are."""
CACHED = 2**15
"""How many numbers stay at hand while they are added to again and again."""
NOISE = 1e-12
"""A difference below this share of what it is a difference of is rounding."""


class Interval(NamedTuple):
    """The range that holds the middle of the resamples."""

    low: float
    high: float


def resamples(
    topics: int, seed: int | np.random.SeedSequence, number: int = RESAMPLES
) -> NDArray[np.int64]:
    """How often each topic occurs in each of `number` draws of as many topics, with replacement.

    The same seed gives the same draws. One row a draw, one column a topic.
    """
    return compact_resamples(topics, seed, number).astype(np.int64)


def compact_resamples(topics: int, seed: int | np.random.SeedSequence, number: int) -> Times:
    """The same, counted by the smallest type that can: whoever adds them up takes a larger one.

    Hardly a topic is drawn ten times, so a byte does, until a block shows that it does not.
    """
    found: Times = np.zeros((number, topics), np.uint8)
    done = 0
    for block in resample_blocks(topics, seed, number):
        needed = np.min_scalar_type(block.max(initial=0))
        if needed.itemsize > found.itemsize:
            found = found.astype(needed)
        found[done : done + len(block)] = block
        done += len(block)
    return found


def resample_blocks(
    topics: int, seed: int | np.random.SeedSequence, number: int
) -> Iterator[NDArray[np.int64]]:
    """The same, as many draws at a time as fit into memory however many topics there are."""
    random = np.random.default_rng(seed)
    for part in column_blocks(topics, number):
        draws = part.stop - part.start
        drawn = random.integers(0, max(1, topics), (draws, topics))
        drawn += topics * np.arange(draws)[:, np.newaxis]
        yield np.bincount(drawn.ravel(), minlength=draws * topics).reshape(draws, topics)


def seeded(seed: int, *names: str) -> np.random.SeedSequence:
    """The seed of one unit of work, spawned from the seed of all by the unit's names.

    The same names get the same numbers whatever is computed before, beside or instead of them. Any
    whole number may be a seed.
    """
    digest = hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).digest()
    words = np.frombuffer(digest, "<u4").tolist()
    return np.random.SeedSequence(2 * abs(seed) + (seed < 0), spawn_key=tuple(words))


def further_seed(seed: np.random.SeedSequence, step: int) -> np.random.SeedSequence:
    """The seed of a further step of the draws that another seed began."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, step))


def interval(values: Floats, level: float = LEVEL) -> Interval:
    """The percentile interval of resampled values; undefined ones (NaN) are left out.

    NaN to NaN if none is defined.
    """
    known = values[np.isfinite(values)]
    if not len(known):
        return Interval(np.nan, np.nan)
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def weighted_sums(weights: Times, values: Floats) -> Floats:
    """For each row of weights and each column of values the weighted sum over topics.

    It is added up topic by topic, not as a product of matrices: so no sum depends, not even in its
    last digit, on what else is computed beside it. A few columns at a time stay near the processor.
    """
    sums = np.zeros((values.shape[1], len(weights)))
    for draws in column_blocks(min(len(values), BLOCK // TOGETHER), len(weights)):
        for topics in column_blocks(draws.stop - draws.start, len(values)):
            by_topic = np.ascontiguousarray(weights[draws, topics].T, np.float64)
            step = max(1, CACHED // max(1, by_topic.shape[1]))
            term = np.empty((step, by_topic.shape[1]))
            for at in range(0, len(sums), step):
                part = sums[at : at + step, draws]
                for own, row in zip(by_topic, values[topics, at : at + step], strict=True):
                    part += np.multiply(own, row[:, np.newaxis], out=term[: len(part)])
    return sums.T


def column_sums(values: Floats) -> Floats:
    """The sums over topics, added up in the same way."""
    from_zero = np.vstack([np.zeros(values.shape[1]), values])
    return np.asarray(np.add.accumulate(from_zero, axis=0)[-1])


def column_means(values: Floats) -> Floats:
    """The means over topics, added up in the same way."""
    return column_sums(values) / len(values)


def column_blocks(rows: int, columns: int) -> Iterator[slice]:
    """The columns in parts, of which a table with so many rows fits into memory."""
    step = max(1, BLOCK // max(1, rows))
    yield from (slice(at, min(at + step, columns)) for at in range(0, columns, step))


def mean_intervals(
    values: Floats, times: Times, method: str = INTERVALS[0], level: float = LEVEL
) -> Floats:
    """For each column the interval of its mean over the rows, as two rows: low, high.

    `times` are resamples of the rows. Undefined (NaN) for fewer than two rows; where all values
    of a column are the same, the interval is that value. An end of a studentised interval is
    undefined if too many resamples have no spread: with two or three rows, or with nearly all
    values the same.
    """
    rows, columns = values.shape
    result = np.full((2, columns), np.nan)
    if rows < 2:
        return result
    mean = column_means(values)
    centred = values - mean
    centred[np.abs(centred) <= NOISE * np.abs(values).max(axis=0)] = 0.0
    for part in column_blocks(len(times), columns):
        own = centred[:, part]
        drawn = weighted_sums(times, own) / rows

        def errors(own: Floats = own, drawn: Floats = drawn) -> tuple[Floats, Floats]:
            squares = weighted_sums(times, own**2) / rows
            of_all = standard_errors(np.zeros(own.shape[1]), column_means(own**2), rows)
            return standard_errors(drawn, squares, rows), of_all

        result[:, part] = mean[part] + interval_ends(drawn, own, method, level, errors)
    return result


def chance_means(values: Floats, times: Times, level: float = LEVEL) -> Floats:
    """For each column how far from 0 its mean stays by chance, in so many of the resamples.

    That is if its values had the mean 0. NaN for fewer than two rows.
    """
    rows, columns = values.shape
    result = np.full(columns, np.nan)
    if rows < 2:
        return result
    centred = values - column_means(values)
    for part in column_blocks(len(times), columns):
        drawn = np.abs(weighted_sums(times, centred[:, part])) / rows
        result[part] = np.quantile(drawn, level, axis=0)
    return result


def interval_ends(
    drawn: Floats,
    centred: Floats,
    method: str,
    level: float,
    errors: Callable[[], tuple[Floats, Floats]],
) -> Floats:
    """How far both ends of intervals are from what was seen, by one of `INTERVALS`.

    `drawn` is how far each draw is, `centred` what each topic contributes. `errors` gives the
    standard errors of the draws and that of what was seen; it is asked where they are needed.
    """
    ends = np.full((2, drawn.shape[1]), 0.5)
    ends[0], ends[1] = (1 - level) / 2, (1 + level) / 2
    if method == "percentile":
        return sorted_quantiles(drawn, ends)
    if method == "bca":
        return sorted_quantiles(drawn, corrected_ends(ends, drawn, centred))
    of_draws, own = errors()
    # A draw without a spread is infinitely far from 0, unless it is at 0: then it says nothing.
    flat = np.where(drawn == 0, np.nan, np.copysign(np.inf, drawn))
    scaled = np.divide(drawn, of_draws, out=flat, where=of_draws > 0)
    quantiles = sorted_quantiles(scaled, ends[::-1])
    known = np.isfinite(quantiles)
    away = np.where(known, quantiles, 0.0) * -own
    return np.where(known | (own == 0), away, np.nan)


def standard_errors(means: Floats, squares: Floats, rows: int) -> Floats:
    """The standard errors of means, from the means of values and of their squares."""
    variance = squares - means**2
    variance = np.where(variance > NOISE * squares, variance, 0.0)
    errors: Floats = np.sqrt(variance / (rows - 1))
    return errors


def corrected_ends(ends: Floats, drawn: Floats, centred: Floats) -> Floats:
    """Which quantiles to take instead, for bias and acceleration (BCa)."""
    from scipy.special import ndtr, ndtri

    noise = NOISE * np.abs(centred).max(axis=0)
    below = (drawn < -noise).mean(axis=0) / 2 + (drawn <= noise).mean(axis=0) / 2
    bias = ndtri(np.clip(below, 0.5 / len(drawn), 1 - 0.5 / len(drawn)))
    cubes, squares = column_sums(centred**3), column_sums(centred**2)
    below_line = 6 * squares**1.5
    acceleration = np.divide(cubes, below_line, out=np.zeros_like(cubes), where=below_line > 0)
    shifted = bias + ndtri(ends)
    moved: Floats = ndtr(bias + shifted / (1 - acceleration * shifted))
    return moved


def sorted_quantiles(values: Floats, shares: Floats) -> Floats:
    """The quantiles of each column at its own shares, one row of shares a row of the result.

    Between two values they are interpolated. Undefined ones (NaN) are left out; NaN if all are.
    """
    number = np.count_nonzero(~np.isnan(values), axis=0)
    at = shares * np.maximum(number - 1, 0)
    low = np.floor(at).astype(np.int64)
    high = np.minimum(low + 1, np.maximum(number - 1, 0))
    ordered = np.sort(values, axis=0)
    first, second = (np.take_along_axis(ordered, place, axis=0) for place in (low, high))
    finite = np.isfinite(first) & np.isfinite(second)
    step = np.subtract(second, first, out=np.zeros(first.shape), where=finite)
    return np.asarray(
        np.where(at > low, np.where(finite, first + step * (at - low), second), first)
    )


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
