"""Which predicted day answers which day of the references, and what other choices cost the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.io.names import ABSENT

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray

TIGHT = 1e-9
"""What an edge may cost more than an optimal alignment pays for it, to stand in one too."""
NEVER = 1e12
"""What keeps an edge out: more than any alignment can gain."""


def divide(above: FloatArray, below: FloatArray | IntArray, empty: float = 0.0) -> FloatArray:
    """Return quotients, `empty` where there is nothing to divide by."""
    result: FloatArray = np.divide(above, below, out=np.full(above.shape, empty), where=below > 0)
    return result


def solve(cost: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the rows and columns of an alignment of the least cost, as scipy takes it."""
    from scipy.optimize import linear_sum_assignment  # takes as long to load as to score a run

    rows, columns = linear_sum_assignment(cost)
    return rows, columns


def one_to_one(cost: FloatArray) -> IntArray:
    """Return for each row its column in an alignment of the least cost; `ABSENT` if none is left.

    Among several optimal ones it is that of scipy 1.5 and later.
    """
    chosen = np.full(len(cost), ABSENT)
    rows, columns = solve(np.ascontiguousarray(cost))
    chosen[rows] = columns
    return chosen


def cheapest(cost: FloatArray) -> IntArray:
    """Return for each row the cheapest column, the first of several, which may be taken twice."""
    chosen: IntArray = cost.argmin(axis=1)
    return chosen


def cheapest_span(cost: FloatArray, gain: FloatArray) -> tuple[float, float]:
    """Return the least and the most that the cheapest columns of all rows gain together."""
    cheap = cost < cost.min(axis=1, keepdims=True) + TIGHT
    low, high = np.where(cheap, gain, np.inf), np.where(cheap, gain, -np.inf)
    return float(low.min(axis=1).sum()), float(high.max(axis=1).sum())


def tight_edges(cost: FloatArray, alignment: IntArray) -> BoolArray:
    """Return which edges stand in any alignment of the least cost, of a matrix made square.

    An alignment is optimal if all its edges are tight: if the prices of rows and columns, of which
    no pair costs less than its two together, add up to what the edge costs. The smaller side is
    filled up with rows or columns that cost nothing. The prices of columns are shortest ways over
    the rows that could change: they are lowered until nothing changes, in as many rounds as rows.
    """
    size = max(cost.shape)
    square, full = np.zeros((size, size)), np.full(size, ABSENT)
    square[: cost.shape[0], : cost.shape[1]] = cost
    full[: len(alignment)] = alignment
    full[full == ABSENT] = np.setdiff1d(np.arange(size), full)
    own, price = square[np.arange(size), full], np.zeros(size)
    for _ in range(size):
        lowered = np.minimum(price, (square + (price[full] - own)[:, None]).min(axis=0))
        if np.array_equal(lowered, price):
            break
        price = lowered
    tight: BoolArray = square - (own - price[full])[:, None] - price[None, :] < TIGHT
    return tight


def tight_span(tight: BoolArray, gain: FloatArray) -> tuple[float, float]:
    """Return the least and the most that any alignment of tight edges gains."""
    whole = np.zeros(tight.shape)
    whole[: gain.shape[0], : gain.shape[1]] = gain
    low, high = (solve(np.where(tight, sign * whole, NEVER)) for sign in (1, -1))
    return float(whole[low].sum()), float(whole[high].sum())
