"""How far two ways of scoring put systems in the same order.

Three coefficients, each 1 for the same order. Equal scores are ties, and a tie says that two
systems *are* equal, not that one of them has yet to be found better: so two rankings with the same
ties agree in full.

Over resampled topics, what a resample needs is counted once, topic by topic: at the level of all
pairs every pair of topics contributes as often as both were drawn, so a thousand resamples are sums
of the same counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tseval.statistics.bootstrap import BLOCK, Times, weighted_sums
from tseval.statistics.trend import ratio

Floats = NDArray[np.float64]

COEFFICIENTS = ("tau-b", "tau-AP", "RBO")

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
    """The rank-biased overlap of each row of `a` with that row of `b`, extrapolated; in [0, 1].

    At each depth it is the share of both lists' heads that they have in common, the head of depth d
    being all whose rank is d or better, where tied ones share the best of their ranks. NaN if fewer
    than two places are known in both.
    """
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


def mean_defined(values: Floats) -> float:
    """The mean of what is defined; NaN of nothing."""
    defined = values[np.isfinite(values)]
    return float(defined.mean()) if len(defined) else np.nan


def known_means(values: Floats) -> Floats:
    """The mean of each row over what is known; NaN where nothing is."""
    known = np.isfinite(values)
    return ratio(np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1))


def rank_correlations(
    a: Floats, b: Floats, times: Times, persistence: float = PERSISTENCE
) -> dict[tuple[str, str], Floats]:
    """For each (level, coefficient) its value in every row of times: how often each topic counts.

    Higher values are better ones; NaN is undefined, and a run on a topic counts where both arrays
    know it. Within topics it is the mean of the topics where the coefficient is defined.
    """
    known = np.isfinite(a) & np.isfinite(b)
    a, b = np.where(known, a, np.nan), np.where(known, b, np.nan)

    overlap = partial(overlap_rows, persistence=persistence)
    of_rows: Sequence[Callable[[Floats, Floats], Floats]] = (kendall_rows, tau_ap_rows, overlap)
    means, within = LEVELS[0], LEVELS[1]
    of_runs = [_without_noise(_means(each, times)) for each in (a, b)]
    found = {}
    for name, rows in zip(COEFFICIENTS, of_rows, strict=True):
        found[means, name] = _in_blocks(rows, *of_runs)
        found[within, name] = _means(rows(a.T, b.T)[np.newaxis], times)[:, 0]
    pairs = (*_PairCounts.of(a, b).drawn(times), _overlap_of_all(a, b, times, overlap))
    found |= {(LEVELS[2], name): each for name, each in zip(COEFFICIENTS, pairs, strict=True)}
    return {(level, name): found[level, name] for level in LEVELS for name in COEFFICIENTS}


def kendall_drawn(a: Floats, b: Floats, times: Times) -> dict[str, Floats]:
    """Return tau at each of `LEVELS`, of the topics that each row of times draws.

    The arrays are runs x topics; undefined values are NaN. Within topics it is the mean of the
    topics where tau is defined.
    """
    drawn = [np.repeat(np.arange(len(row)), row) for row in times]
    known = np.isfinite(a) & np.isfinite(b)
    pairs = _PairCounts.of(*(np.where(known, each, np.nan) for each in (a, b)))
    topics = kendall_rows(a.T, b.T)
    found = (
        _in_blocks(kendall_rows, *(_means_in_order(each, drawn) for each in (a, b))),
        np.array([mean_defined(topics[columns]) for columns in drawn]),
        pairs.tau(times.astype(np.float64)),
    )
    return dict(zip(LEVELS, found, strict=True))


def _means_in_order(values: Floats, drawn: Sequence[NDArray[np.int64]]) -> Floats:
    """`known_means` of each draw's columns: added up in the order of the draw, which rounds so."""
    known = np.isfinite(values)
    total, number = np.empty((2, len(drawn), len(values)))
    for at, columns in enumerate(drawn):
        there = known[:, columns]
        total[at] = np.where(there, values[:, columns], 0.0).sum(axis=1)
        number[at] = np.count_nonzero(there, axis=1)
    return ratio(total, number)


def _in_blocks(coefficient: Callable[[Floats, Floats], Floats], a: Floats, b: Floats) -> Floats:
    """The coefficient of each row, so many at a time that all pairs of theirs fit into memory."""
    step = max(1, BLOCK // max(1, a.shape[1] ** 2))
    parts = [coefficient(a[at : at + step], b[at : at + step]) for at in range(0, len(a), step)]
    return np.concatenate(parts)


def _means(values: Floats, times: Times) -> Floats:
    """Of each draw and run the mean over what is known, as often as it was drawn."""
    known = np.isfinite(values).T
    total = weighted_sums(times, np.where(known, values.T, 0.0))
    number = weighted_sums(times, known.astype(np.float64))
    return np.ascontiguousarray(ratio(total, number))


def _without_noise(means: Floats) -> Floats:
    """The means to twelve digits of the largest: whether two are tied must not hang on rounding."""
    scale = np.nanmax(np.abs(means), initial=0.0) or 1.0
    return np.asarray(np.round(means / scale, 12))


@dataclass(frozen=True, eq=False)
class _PairCounts:
    """What pairs of (run, topic) say, counted by the topics of both.

    `agreed`, `ordered_a` and `ordered_b` have the shape (topics, topics); `above` and `shared`
    hold for either list, for each (run, topic) and each topic of the other, how many stand above,
    and how many of these do so in the other list.
    """

    agreed: Floats
    ordered: tuple[Floats, Floats]
    above: tuple[Floats, Floats]
    shared: tuple[Floats, Floats]

    @classmethod
    def of(cls, a: Floats, b: Floats) -> _PairCounts:
        runs, topics = a.shape
        agreed = np.zeros((topics, topics))
        ordered = (agreed.copy(), agreed.copy())
        above, shared = (
            (np.zeros((topics, runs, topics)), np.zeros((topics, runs, topics))) for _ in range(2)
        )
        known = np.isfinite(a)
        filled = [np.where(known, each, 0.0) for each in (a, b)]
        for topic in range(topics):
            # The runs on this topic against all (run, topic): 1 where higher, -1 where lower.
            both = known[:, topic, np.newaxis, np.newaxis] & known
            x, y = (
                np.where(both, np.sign(each[:, topic, np.newaxis, np.newaxis] - each), 0)
                for each in filled
            )
            agreed[topic] = (x * y).sum(axis=(0, 1))
            for side, (own, other) in enumerate(((x, y), (y, x))):
                ordered[side][topic] = np.count_nonzero(own, axis=(0, 1))
                above[side][topic] = np.count_nonzero(own < 0, axis=1)
                shared[side][topic] = ((own < 0) & (other < 0)).sum(axis=1)
        return cls(agreed, ordered, above, shared)

    def drawn(self, times: Times) -> tuple[Floats, Floats]:
        """Tau-b and tau-AP of every draw; all counts are whole numbers, so exact."""
        drawn = times.astype(np.float64)
        both = [
            self._one_way(above, shared, drawn)
            for above, shared in zip(self.above, self.shared, strict=True)
        ]
        return self.tau(drawn), (both[0] + both[1]) / 2

    def tau(self, drawn: Floats) -> Floats:
        """Tau-b of every draw."""
        counts = [((drawn @ each) * drawn).sum(axis=1) for each in (self.agreed, *self.ordered)]
        return tau_b(*counts)

    def _one_way(self, above: Floats, shared: Floats, drawn: Floats) -> Floats:
        topics, runs = above.shape[:2]
        flat_above, flat_shared = (each.reshape(-1, topics).T for each in (above, shared))
        weights = np.repeat(drawn, runs, axis=1)
        step = max(1, BLOCK // max(1, topics * runs))
        parts = [
            one_way(drawn[s] @ flat_shared, drawn[s] @ flat_above, weights[s])
            for s in (slice(at, at + step) for at in range(0, len(drawn), step))
        ]
        return np.concatenate(parts)


def _overlap_of_all(
    a: Floats, b: Floats, times: Times, overlap: Callable[[Floats, Floats], Floats]
) -> Floats:
    """The overlap of all (run, topic) of the drawn topics, each as often as it was drawn."""
    runs, topics = a.shape
    step = max(1, BLOCK // max(1, runs * topics))
    parts = []
    for at in range(0, len(times), step):
        some = times[at : at + step]
        drawn = np.repeat(np.tile(np.arange(topics), len(some)), some.ravel()).reshape(
            len(some), -1
        )
        x, y = (each.T[drawn].reshape(len(some), -1) for each in (a, b))
        parts.append(overlap(x, y))
    return np.concatenate(parts)
