"""p values of many comparisons at once, each as large as it has to be among the others.

NaN is a comparison that could not be judged: it stays NaN and doesn't count as one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def holm(p: Floats) -> Floats:
    """Holm's step-down method: holds down the chance of a single false difference."""
    factors = np.arange(len(p), 0, -1)
    return np.minimum(np.maximum.accumulate(np.sort(p) * factors), 1.0)


def bonferroni(p: Floats) -> Floats:
    """Every p times the number of comparisons: holds down the same, and is never smaller."""
    return np.minimum(np.sort(p) * len(p), 1.0)


def benjamini_hochberg(p: Floats) -> Floats:
    """Benjamini and Hochberg's step-up method: holds down the share of false differences."""
    raised = np.sort(p) * len(p) / np.arange(1, len(p) + 1)
    return np.minimum(np.minimum.accumulate(raised[::-1])[::-1], 1.0)


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": np.sort,
}
"""Each takes p values in any order and gives the corrected ones in ascending order of p."""


def corrected(p: Floats, method: str) -> Floats:
    """The corrected p values, each in the place of its own."""
    result = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    if len(order):
        result[order] = CORRECTIONS[method](p[order])
    return result
