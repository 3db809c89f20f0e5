"""Is the mean of paired differences other than zero? Four tests, all of them two-sided.

Each takes a table with a row for each topic and a column for each pair of runs, without NaN, and
gives a p value for each column. Where all differences are 0 it is 1. NaN is undefined: a test that
judges by the spread has nothing to go by where all differences are the same, or with one topic.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tseval.statistics.bootstrap import (
    NOISE,
    column_blocks,
    column_means,
    column_sums,
    resamples,
    standard_errors,
    weighted_sums,
)

Floats = NDArray[np.float64]

TESTS = ("randomisation", "bootstrap", "t", "wilcoxon")
EXACT_SIGNS = 20
"""With so many topics that differ, all ways to swap the two runs are gone through."""
EXACT_RANKS = 100
"""With so many topics that differ, the distribution of the signed ranks is worked out."""
TIED = 1e10
"""Absolute differences that agree to so many parts of the largest have the same rank."""


def p_values(differences: Floats, test: str, seed: np.random.SeedSequence, number: int) -> Floats:
    """The p values by one of `TESTS`; only two of these draw `number` times, by the seed."""
    if test == "randomisation":
        return randomisation(differences, seed, number)
    if test == "bootstrap":
        return bootstrap(differences, resamples(len(differences), seed, number))
    return t_test(differences) if test == "t" else wilcoxon(differences)


def smallest_p(topics: int, test: str, number: int) -> float:
    """The smallest p value that a test can give with so many topics."""
    if test == "t":
        return 0.0
    if test == "bootstrap" or (test == "randomisation" and topics > EXACT_SIGNS):
        return 1 / (number + 1)
    return min(1.0, 2.0 ** (1 - topics))


def randomisation(differences: Floats, seed: np.random.SeedSequence, number: int) -> Floats:
    """How often a mean as far from 0 comes about if the two runs are swapped at random by topic.

    Up to `EXACT_SIGNS` topics that differ, this is counted over all ways to swap; beyond them over
    `number` random ones and the one that was seen: (b + 1) / (number + 1).
    """
    result = np.ones(differences.shape[1])
    differing = np.count_nonzero(differences, axis=0)
    for count in np.unique(differing[(differing > 0) & (differing <= EXACT_SIGNS)]).tolist():
        columns = np.flatnonzero(differing == count)
        some = differences[:, columns]
        packed = some.T[some.T != 0].reshape(len(columns), count).T
        for part in column_blocks(2 ** (count - 1), len(columns)):
            result[columns[part]] = _all_signs(packed[:, part])
    many = np.flatnonzero(differing > EXACT_SIGNS)
    if len(many):
        signs = np.random.default_rng(seed).integers(0, 2, (number, len(differences)), np.int8)
        for part in column_blocks(number, len(many)):
            result[many[part]] = _some_signs(differences[:, many[part]], 2 * signs - 1)
    return result


def _extreme(sums: Floats, differences: Floats) -> NDArray[np.int64]:
    """How many sums of each column are as far from 0 as that of the column itself."""
    noise = NOISE * column_sums(np.abs(differences))
    seen = np.abs(column_sums(differences)) - noise
    counted: NDArray[np.int64] = np.count_nonzero(np.abs(sums) >= seen, axis=0)
    return counted


def _all_signs(differences: Floats) -> Floats:
    """The exact p values; half of the ways mirror the other half, so the first sign stays."""
    sums = differences[:1]
    for row in differences[1:]:
        sums = np.concatenate([sums + row, sums - row])
    return np.asarray(_extreme(sums, differences) / len(sums))


def _some_signs(differences: Floats, signs: NDArray[np.int8]) -> Floats:
    sums = weighted_sums(signs, differences)
    return np.asarray((_extreme(sums, differences) + 1) / (len(signs) + 1))


def bootstrap(differences: Floats, times: NDArray[np.int64]) -> Floats:
    """How often a studentised mean as far from 0 comes about among resampled topics.

    The differences are moved to the mean 0 before topics are drawn. (b + 1) / (draws + 1).
    """
    topics, columns = differences.shape
    flat = ~differences.any(axis=0)
    result = np.where(flat, 1.0, np.full(columns, np.nan))
    if topics < 2:
        return result
    mean = column_means(differences)
    error = _errors(differences)
    judged = np.flatnonzero(error > 0)
    for part in column_blocks(len(times), len(judged)):
        chosen = judged[part]
        centred = differences[:, chosen] - mean[chosen]
        drawn = weighted_sums(times, centred) / topics
        errors = standard_errors(drawn, weighted_sums(times, centred**2) / topics, topics)
        # |drawn| / errors >= |mean| / error, with no division by an error of 0
        ours, seen = np.abs(drawn) * error[chosen], np.abs(mean[chosen]) * errors
        noise = NOISE * np.abs(centred).max(axis=0) * error[chosen]
        nothing = (ours <= noise) & (errors == 0)  # a draw that says 0 with no spread: t is 0
        extreme = (ours >= seen - noise) & ~(nothing & (mean[chosen] != 0))
        result[chosen] = (np.count_nonzero(extreme, axis=0) + 1) / (len(times) + 1)
    return result


def _errors(differences: Floats) -> Floats:
    """The standard errors of the columns' means; 0 where all values are the same."""
    topics = len(differences)
    centred = differences - column_means(differences)
    centred[np.abs(centred) <= NOISE * np.abs(differences).max(axis=0)] = 0.0
    errors: Floats = np.sqrt(column_sums(centred**2) / max(1, topics - 1) / topics)
    return errors


def t_test(differences: Floats) -> Floats:
    """Student's t test of paired differences."""
    from scipy.special import stdtr

    topics = len(differences)
    error = _errors(differences)
    flat = np.where(differences.any(axis=0), np.nan, 1.0)
    if topics < 2:
        return flat
    judged = error > 0
    t = np.divide(column_means(differences), error, out=np.zeros_like(error), where=judged)
    return np.where(judged, 2 * stdtr(topics - 1, -np.abs(t)), flat)


def wilcoxon(differences: Floats) -> Floats:
    """Wilcoxon's signed rank test; topics without a difference are left out, ties share ranks.

    Up to `EXACT_RANKS` topics that differ, p is that of all signs that these ranks, ties and all,
    could have; beyond them that of a normal distribution with the variance of these ranks.
    """
    return np.array([_signed_ranks(column) for column in differences.T])


def _signed_ranks(differences: Floats) -> float:
    differing = differences[differences != 0]
    if not len(differing):
        return 1.0
    size = np.abs(differing)
    doubled = _doubled_ranks(np.round(size / size.max() * TIED))
    positive = int(doubled[differing > 0].sum())
    if len(differing) > EXACT_RANKS:
        return _by_normal(positive, doubled)
    below = _ways_below(tuple(np.sort(doubled).tolist()))
    smaller = min(positive, int(doubled.sum()) - positive)
    return min(1.0, 2 * float(below[smaller]))


def _doubled_ranks(sizes: Floats) -> NDArray[np.int64]:
    """Twice the rank of each, from 1, equal ones sharing the mean of theirs: whole numbers."""
    ordered = np.sort(sizes)
    first, behind = (np.searchsorted(ordered, sizes, side) for side in ("left", "right"))
    return np.asarray(first + behind + 1, np.int64)


@lru_cache(maxsize=4096)
def _ways_below(doubled: tuple[int, ...]) -> Floats:
    """For each sum of ranks the share of all ways to choose some of them that give at most it."""
    ways = np.zeros(sum(doubled) + 1)
    ways[0] = 1.0
    for rank in doubled:
        ways[rank:] = (ways[rank:] + ways[: len(ways) - rank]) / 2
        ways[:rank] /= 2
    return np.cumsum(ways)


def _by_normal(positive: int, doubled: NDArray[np.int64]) -> float:
    from scipy.special import ndtr

    spread = float(np.sqrt((doubled.astype(np.float64) ** 2).sum()))
    away = abs(2 * positive - int(doubled.sum())) / spread
    return float(2 * ndtr(-away))


class Effect(NamedTuple):
    """How large differences are: their mean, and by their own spread."""

    mean: Floats
    d: Floats
    """Cohen's d of paired samples: the mean by the standard deviation of the differences."""
    g: Floats
    """Hedges' g: d without its bias in small samples."""


def effects(differences: Floats) -> Effect:
    """The effect sizes of each column; d and g are NaN without a spread or with one topic.

    Where all differences are 0 both are 0.
    """
    topics = len(differences)
    mean = column_means(differences)
    deviation = _errors(differences) * np.sqrt(topics)
    flat = np.where(differences.any(axis=0) | (topics < 2), np.nan, 0.0)
    d = np.divide(mean, deviation, out=flat, where=(deviation > 0) & (topics > 1))
    return Effect(mean, d, d * _unbiased(topics - 1))


def _unbiased(freedom: int) -> float:
    """By what d is too large with so many degrees of freedom; NaN where g has no expectation."""
    from scipy.special import gammaln

    if freedom < 2:
        return float("nan")
    half = freedom / 2
    return float(np.exp(gammaln(half) - gammaln(half - 0.5)) / np.sqrt(half))
