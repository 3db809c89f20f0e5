"""Rank correlation of two arrays of runs x topics, at three levels, over resampled topics.

What a resample needs is counted once, topic by topic: at the level of all pairs every pair of
topics contributes as often as both were drawn, so a thousand resamples are sums of the same counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tseval.statistics.bootstrap import BLOCK, Times, weighted_sums
from tseval.statistics.ranks import (
    LEVELS,
    PERSISTENCE,
    kendall_rows,
    mean_defined,
    one_way,
    overlap_rows,
    tau_ap_rows,
    tau_b,
)
from tseval.statistics.trend import ratio

Floats = NDArray[np.float64]

COEFFICIENTS = ("tau-b", "tau-AP", "RBO")


def rank_correlations(
    a: Floats, b: Floats, times: Times, persistence: float = PERSISTENCE
) -> dict[tuple[str, str], Floats]:
    """For each (level, coefficient) its value in every row of times: how often each topic counts.

    Higher values are better ones; NaN is undefined, and a run on a topic counts where both arrays
    know it. Within topics it is the mean of the topics where the coefficient is defined.
    """
    known = np.isfinite(a) & np.isfinite(b)
    a, b = np.where(known, a, np.nan), np.where(known, b, np.nan)

    def overlap(x: Floats, y: Floats) -> Floats:
        return overlap_rows(x, y, persistence)

    of_rows = (kendall_rows, tau_ap_rows, overlap)
    means, within = LEVELS[0], LEVELS[1]
    found = {
        (means, name): _of_means(a, b, times, rows)
        for name, rows in zip(COEFFICIENTS, of_rows, strict=True)
    }
    for name, rows in zip(COEFFICIENTS, of_rows, strict=True):
        found[within, name] = _drawn_mean(rows(a.T, b.T), times)
    pairs = (*_PairCounts.of(a, b).drawn(times), _overlap_of_all(a, b, times, overlap))
    found |= {(LEVELS[2], name): each for name, each in zip(COEFFICIENTS, pairs, strict=True)}
    return {(level, name): found[level, name] for level in LEVELS for name in COEFFICIENTS}


def kendall_drawn(a: Floats, b: Floats, times: Times) -> dict[str, Floats]:
    """`kendall_levels` of the topics that each row of times draws, to the last bit."""
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


def _of_means(
    a: Floats, b: Floats, times: Times, coefficient: Callable[[Floats, Floats], Floats]
) -> Floats:
    """The coefficient of the runs' means over the drawn topics."""
    return _in_blocks(coefficient, *(_without_noise(_means(each, times)) for each in (a, b)))


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


def _drawn_mean(topics: Floats, times: Times) -> Floats:
    """The mean over the drawn topics where the value is defined."""
    return _means(topics[np.newaxis], times)[:, 0]


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
        for topic in range(topics):
            x, y = (_against(each, topic, known) for each in (a, b))
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


def _against(values: Floats, topic: int, known: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The runs on one topic against all (run, topic): 1 where higher, -1 lower, 0 tied or unknown.

    The shape is (runs on this topic, runs, topics).
    """
    filled = np.where(known, values, 0.0)
    sign = np.sign(filled[:, topic, np.newaxis, np.newaxis] - filled)
    both = known[:, topic, np.newaxis, np.newaxis] & known
    return np.asarray(np.where(both, sign, 0), np.int64)


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
