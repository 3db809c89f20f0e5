"""Which predicted day answers which day of the references, and what other choices cost the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.records import frozen
from tseval.tables import ABSENT

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

TIGHT = 1e-9
"""What an edge may cost more than an optimal alignment pays for it, to stand in one too."""
NEVER = 1e12
"""What keeps an edge out: more than any alignment can gain."""


def days_apart(one: IntArray, other: IntArray) -> IntArray:
    """How many days lie between each pair."""
    apart: IntArray = np.abs(one[:, None] - other[None, :])
    return apart


def _least(cost: FloatArray) -> tuple[IntArray, IntArray]:
    """The rows and columns of an alignment of the least cost."""
    from scipy.optimize import linear_sum_assignment  # takes as long to load as to score a run

    rows, columns = linear_sum_assignment(cost)
    return rows, columns


def one_to_one(cost: FloatArray) -> IntArray:
    """For each row its column in an alignment of the least cost; `ABSENT` where none is left.

    Among several optimal ones it is that of scipy 1.5 and later.
    """
    chosen = np.full(len(cost), ABSENT)
    rows, columns = _least(cost)
    chosen[rows] = columns
    return chosen


def cheapest(cost: FloatArray) -> IntArray:
    """For each row the cheapest column, the first of several; a column may be taken twice."""
    chosen: IntArray = cost.argmin(axis=1)
    return chosen


@frozen
class Range:
    """The least and the most that any optimal alignment gains."""

    low: float
    high: float


def choices(cost: FloatArray, gain: FloatArray) -> Range:
    """The range of what the cheapest columns of each row gain together."""
    cheap = cost < cost.min(axis=1, keepdims=True) + TIGHT
    low, high = (np.where(cheap, gain, no).T for no in (np.inf, -np.inf))
    return Range(float(low.min(axis=0).sum()), float(high.max(axis=0).sum()))


class Ties:
    """The optimal alignments of a matrix of costs.

    An alignment is optimal if all its edges are tight: if the prices of rows and columns, of which
    no pair costs less than its two together, add up to what the edge costs. The smaller side is
    filled up with rows or columns that cost nothing. It is `surely_one` if no other edge is tight.
    """

    def __init__(self, cost: FloatArray, alignment: IntArray) -> None:
        size = max(cost.shape)
        square = np.zeros((size, size))
        square[: cost.shape[0], : cost.shape[1]] = cost
        full = np.full(size, ABSENT)
        full[: len(alignment)] = alignment
        free = np.setdiff1d(np.arange(size), full)
        full[full == ABSENT] = free
        self._tight = _reduced(square, full) < TIGHT
        self._shape = cost.shape
        pairs = self._tight[: cost.shape[0], : cost.shape[1]]
        self.surely_one = bool(pairs.sum() == min(cost.shape))

    def range_of(self, gain: FloatArray) -> Range:
        """The range of the sum of what each pair of an alignment gains."""
        whole = np.zeros(self._tight.shape)
        whole[: self._shape[0], : self._shape[1]] = gain
        return Range(*(self._extreme(whole, sign) for sign in (1, -1)))

    def _extreme(self, gain: FloatArray, sign: int) -> float:
        rows, columns = _least(np.where(self._tight, sign * gain, NEVER))
        return float(gain[rows, columns].sum())


def _reduced(cost: FloatArray, alignment: IntArray) -> FloatArray:
    """What each edge of a square costs beyond the prices of its row and its column.

    The prices of columns are shortest ways over the rows that could change: they are found by
    lowering them until nothing changes, of an optimal alignment after as many rounds as rows.
    """
    own = cost[np.arange(len(cost)), alignment]
    price = np.zeros(len(cost))
    for _ in range(len(cost)):
        lowered = np.minimum(price, (cost + (price[alignment] - own)[:, None]).min(axis=0))
        if np.array_equal(lowered, price):
            break
        price = lowered
    reduced: FloatArray = cost - (own - price[alignment])[:, None] - price[None, :]
    return reduced
