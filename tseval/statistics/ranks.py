"""Do two ways of scoring put systems in the same order? Kendall's tau."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEVELS = ("run means", "within topics", "all pairs")
"""What is put in order: runs by their means; runs topic by topic; every run on every topic."""


def kendall(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Kendall's tau-b of two equally long lists, of the places where both are known (not NaN).

    NaN if fewer than two places are left, or if one of the lists says the same everywhere.
    """
    known = np.isfinite(a) & np.isfinite(b)
    x, y = (np.sign(v[:, np.newaxis] - v) for v in (a[known], b[known]))
    ordered = np.count_nonzero(x) * np.count_nonzero(y)
    return float((x * y).sum() / np.sqrt(ordered)) if ordered else np.nan


def kendall_p(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """The two-sided p of tau-b: exact for few values without ties, else of its normal limit.

    NaN where tau is.
    """
    from scipy.stats import kendalltau

    known = np.isfinite(a) & np.isfinite(b)
    if np.isnan(kendall(a, b)):
        return np.nan
    return float(kendalltau(a[known], b[known]).pvalue)


def kendall_levels(a: NDArray[np.float64], b: NDArray[np.float64]) -> dict[str, float]:
    """Tau at each of `LEVELS`, from two arrays of runs x topics; undefined values are NaN.

    Within topics it is the mean of the topics where tau is defined.
    """
    topics = np.array([kendall(a[:, t], b[:, t]) for t in range(a.shape[1])])
    defined = topics[np.isfinite(topics)]
    return {
        "run means": kendall(_means(a), _means(b)),
        "within topics": float(defined.mean()) if len(defined) else np.nan,
        "all pairs": kendall(a.ravel(), b.ravel()),
    }


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of each row over what is known; NaN where nothing is."""
    known = np.isfinite(values)
    number = known.sum(axis=1)
    total = np.where(known, values, 0.0).sum(axis=1)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)
