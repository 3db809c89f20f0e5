"""How much a number depends on which topics there happened to be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1000
LEVEL = 0.95


class Interval(NamedTuple):
    """The range that holds the middle of the resamples."""

    low: float
    high: float


def resamples(topics: int, seed: int, number: int = RESAMPLES) -> NDArray[np.int64]:
    """How often each topic occurs in each of `number` draws of as many topics, with replacement.

    The same seed gives the same draws. One row a draw, one column a topic.
    """
    drawn = np.random.default_rng(seed).integers(0, max(1, topics), (number, topics))
    times = np.zeros((number, topics), np.int64)
    np.add.at(times, (np.arange(number)[:, np.newaxis], drawn), 1)
    return times


def interval(values: NDArray[np.float64], level: float = LEVEL) -> Interval:
    """The percentile interval of resampled values; undefined ones (NaN) are left out.

    NaN to NaN if none is defined.
    """
    known = values[np.isfinite(values)]
    if not len(known):
        return Interval(np.nan, np.nan)
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))
