"""How far two ways of scoring put systems in the same order.

Three coefficients, each 1 for the same order. Equal scores are ties, and a tie says that two
systems *are* equal, not that one of them has yet to be found better: so two rankings with the same
ties agree in full.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tseval.statistics.trend import ratio

Floats = NDArray[np.float64]

LEVELS = ("run means", "within topics", "all pairs")
"""What is put in order: runs by their means; runs topic by topic; every run on every topic."""
PERSISTENCE = 0.9
"""How likely whoever reads a ranking goes on from one rank to the next, for the overlap."""


def kendall(a: Floats, b: Floats) -> float:
    """Kendall's tau-b of two equally long lists, of the places where both are known (not NaN).

    NaN if fewer than two places are left, or if one of the lists says the same everywhere.
    """
    return float(kendall_rows(np.atleast_2d(a), np.atleast_2d(b))[0])


def tau_ap(a: Floats, b: Floats) -> float:
    """The AP correlation of two lists, highest first; the top weighs more than with Kendall's tau.

    For each place that has others above it, the share of these that stand above it in the other
    list too, and aren't tied there; the mean of that, stretched to [-1, 1]; once with the places of
    either list, and the mean of both. Without ties this is the symmetric AP correlation, with them
    what Urbano and Marrero call its version b. NaN as with `kendall`.
    """
    return float(tau_ap_rows(np.atleast_2d(a), np.atleast_2d(b))[0])


def rank_biased_overlap(a: Floats, b: Floats, persistence: float = PERSISTENCE) -> float:
    """The rank-biased overlap of two lists, highest first, extrapolated; in [0, 1].

    At each depth the share of both lists' heads that they have in common, the head of depth d
    being all whose rank is d or better, where tied ones share the best of their ranks. NaN if
    fewer than two places are known in both.
    """
    return float(overlap_rows(np.atleast_2d(a), np.atleast_2d(b), persistence)[0])


def kendall_rows(a: Floats, b: Floats) -> Floats:
    """Kendall's tau-b of each row of `a` with that row of `b`."""
    x, y = _signs(a, b)
    agreed = (x * y).sum(axis=(-2, -1), dtype=np.float64)
    return tau_b(agreed, np.count_nonzero(x, (-2, -1)), np.count_nonzero(y, (-2, -1)))


def tau_b(
    agreed: Floats, ordered_a: NDArray[np.int64] | Floats, ordered_b: NDArray[np.int64] | Floats
) -> Floats:
    """Tau-b from how many more pairs agree than disagree, and how many each list orders."""
    return ratio(agreed, np.sqrt(np.asarray(ordered_a, np.float64) * ordered_b))


def tau_ap_rows(a: Floats, b: Floats) -> Floats:
    """The AP correlation of each row of `a` with that row of `b`."""
    x, y = _signs(a, b)
    both = []
    for own, other in ((x, y), (y, x)):
        above = own < 0
        shared = (above & (other < 0)).sum(axis=-1)
        both.append(one_way(shared, above.sum(axis=-1), np.ones(shared.shape)))
    return (both[0] + both[1]) / 2


def one_way(shared: Floats, above: Floats, weights: Floats) -> Floats:
    """The AP correlation by one list's places, from how many others stand above each.

    `shared` are those that stand above it in the other list as well. Places with nothing above
    are left out; NaN if there is no other.
    """
    has = above > 0
    share = np.divide(shared, above, out=np.zeros(shared.shape), where=has)
    number = np.where(has, weights, 0.0).sum(axis=-1)
    total = (share * np.where(has, weights, 0.0)).sum(axis=-1)
    return 2 * ratio(total, number) - 1


def _signs(a: Floats, b: Floats) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Of each two places of a row which is higher; 0 where they are tied or one is unknown."""
    known = np.isfinite(a) & np.isfinite(b)
    both = known[:, :, np.newaxis] & known[:, np.newaxis, :]
    x, y = (
        np.where(both, np.sign(v[:, :, np.newaxis] - v[:, np.newaxis, :]), 0).astype(np.int8)
        for v in (np.where(known, a, 0.0), np.where(known, b, 0.0))
    )
    return x, y


def kendall_p(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """The two-sided p of tau-b: exact for few values without ties, else of its normal limit.

    NaN where tau is.
    """
    from scipy.stats import kendalltau

    known = np.isfinite(a) & np.isfinite(b)
    if np.isnan(kendall(a, b)):
        return np.nan
    return float(kendalltau(a[known], b[known]).pvalue)


def overlap_rows(a: Floats, b: Floats, persistence: float = PERSISTENCE) -> Floats:
    """The rank-biased overlap of each row of `a` with that row of `b`."""
    known = np.isfinite(a) & np.isfinite(b)
    first, second = best_ranks(a, known), best_ranks(b, known)
    number = known.sum(axis=1)
    heads = _up_to(first, known) + _up_to(second, known)
    common = _up_to(np.maximum(first, second), known)
    depth = np.arange(1, a.shape[1] + 1)
    inside = depth <= number[:, np.newaxis]
    agreement = np.divide(2 * common, heads, out=np.zeros(heads.shape), where=heads > 0)
    weights = np.where(inside, persistence ** (depth - 1.0), 0.0)
    # Both lists rank the same places, so beyond the last rank they agree in full.
    overlap = (1 - persistence) * (agreement * weights).sum(axis=1) + persistence**number
    return np.where(number > 1, overlap, np.nan)


def best_ranks(values: Floats, known: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The rank of each known value of a row, from 0, highest first; tied ones share the best."""
    ordered = np.where(known, -values, np.inf)
    order = np.argsort(ordered, axis=1, kind="stable")
    row = np.take_along_axis(ordered, order, axis=1)
    places = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    new = np.ones(values.shape, bool)
    new[:, 1:] = row[:, 1:] != row[:, :-1]
    ranks = np.empty(values.shape, np.int64)
    first = np.maximum.accumulate(np.where(new, places, 0), axis=1)
    np.put_along_axis(ranks, order, first, axis=1)
    return ranks


def _up_to(ranks: NDArray[np.int64], known: NDArray[np.bool_]) -> Floats:
    """For each row and depth how many known ranks are at most that."""
    rows, width = ranks.shape
    keys = (np.arange(rows)[:, np.newaxis] * width + ranks)[known]
    counts = np.bincount(keys, minlength=rows * width).reshape(rows, width)
    return np.asarray(np.cumsum(counts, axis=1), np.float64)


def kendall_levels(a: Floats, b: Floats) -> dict[str, float]:
    """Tau at each of `LEVELS`, from two arrays of runs x topics; undefined values are NaN.

    Within topics it is the mean of the topics where tau is defined.
    """
    return {
        "run means": kendall(known_means(a), known_means(b)),
        "within topics": mean_defined(kendall_rows(a.T, b.T)),
        "all pairs": kendall(a.ravel(), b.ravel()),
    }


def mean_defined(values: Floats) -> float:
    """The mean of what is defined; NaN of nothing."""
    defined = values[np.isfinite(values)]
    return float(defined.mean()) if len(defined) else np.nan


def known_means(values: Floats) -> Floats:
    """The mean of each row over what is known; NaN where nothing is."""
    known = np.isfinite(values)
    return ratio(np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1))
