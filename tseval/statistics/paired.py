"""Is the mean of paired differences other than zero? Four tests, corrections, and letters.

Each test is two-sided. It takes a table with a row for each topic and a column for each pair of
runs, without NaN, and gives a p value for each column. Where all differences are 0 it is 1. NaN is
undefined: a test that judges by the spread has nothing to go by where all differences are the same,
or with one topic.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tseval.statistics.bootstrap import (
    NOISE,
    Times,
    column_blocks,
    column_means,
    column_sums,
    compact_resamples,
    further_seed,
    resample_blocks,
    standard_errors,
)

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

TESTS = ("randomisation", "bootstrap", "t", "wilcoxon")
EXACT_SIGNS = 20
"""With so many topics that differ, all ways to swap the two runs are gone through."""
EXACT_RANKS = 100
"""With so many topics that differ, the distribution of the signed ranks is worked out."""
TIED = 1e10
"""Absolute differences that agree to so many parts of the largest have the same rank."""
ENOUGH = 100
"""After so many draws as far from 0 as what was seen, a p value is drawn no further."""
STEP = 10_000
"""How many draws are added by one seed."""
FOURFOLD = 4
"""Signs are drawn in blocks of so many draws, or of a multiple of it."""


def p_values(
    differences: Floats,
    test: str,
    seed: np.random.SeedSequence,
    number: int,
    most: int | None = None,
) -> Floats:
    """The p values by one of `TESTS`; only two of these draw, by the seed.

    They draw `number` times, and small p values go on up to `most` times: see `_by_draws`.
    """
    last = max(number, most or number)
    if test == "randomisation":
        return randomisation(differences, seed, number, last)
    if test == "bootstrap":
        times = compact_resamples(len(differences), seed, number)
        return bootstrap(differences, times, seed, last)
    return t_test(differences) if test == "t" else wilcoxon(differences)


def smallest_p(topics: int, test: str, number: int) -> float:
    """The smallest p value that a test can give with so many topics, and so many draws at most.

    That of the bootstrap is what it comes to in the long run: of n topics at least two are away
    from the mean, and a draw of one of these alone is always as extreme as what was seen.
    """
    if test in ("t", "bootstrap") and topics < 2:
        return 1.0
    if test == "t":
        return 0.0
    if test == "bootstrap":
        return max(1 / (number + 1), 2.0 * float(topics) ** -topics)
    exact = min(1.0, 2.0 ** (1 - topics))
    if test == "randomisation" and topics > EXACT_SIGNS:
        return min(1 / (number + 1), 2.0 ** (1 - EXACT_SIGNS))
    return exact


def randomisation(
    differences: Floats, seed: np.random.SeedSequence, number: int, most: int = 0
) -> Floats:
    """How often a mean as far from 0 comes about if the two runs are swapped at random by topic.

    Up to `EXACT_SIGNS` topics that differ, this is counted over all ways to swap; beyond them over
    random ones and the one that was seen.
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
        topics = len(differences)

        def signs(step: int, size: int) -> Iterator[Times]:
            return _sign_blocks(topics, further_seed(seed, step) if step else seed, size)

        def far(some: Floats, drawn: Times) -> Bools:
            return _far(_products(drawn, some), some)

        result[many] = _by_draws(differences[:, many], signs, far, number, most)
    return result


def _sign_blocks(
    topics: int, seed: np.random.SeedSequence, number: int
) -> Iterator[NDArray[np.int8]]:
    """So many draws of a sign for each topic, some at a time: the same in blocks of any size.

    That is so because NumPy takes four of these numbers from one that the generator gives. Each
    takes a byte, an eighth of what else is in a block: of many topics there are more draws at once.
    """
    random = np.random.default_rng(seed)
    for part in column_blocks(FOURFOLD * topics // 8, -(-number // FOURFOLD)):
        start, stop = FOURFOLD * part.start, min(FOURFOLD * part.stop, number)
        signs = random.integers(0, 2, (stop - start, topics), np.int8)
        signs *= 2
        signs -= 1
        yield signs


def _by_draws(
    differences: Floats,
    draw: Callable[[int, int], Iterator[Times]],
    extreme: Callable[[Floats, Times], Bools],
    number: int,
    most: int,
) -> Floats:
    """The p values by random draws, each drawn as far as it needs.

    `draw` gives the draws of a step block by block, `extreme` which of them are as far from 0 as
    each column.
    Where `ENOUGH` of the first `number` draws are, b of them, p is (b + 1) / (number + 1). Else it
    is drawn on until `ENOUGH` are, in the draw l: p is ENOUGH / l (Besag and Clifford 1991); or
    until there are `most` draws: (b + 1) / (most + 1). So p is at most u with a probability of at
    most u where there is no difference, wherever it stops.
    """
    columns = differences.shape[1]
    found = np.zeros(columns, np.int64)
    for draws in draw(0, number):
        for part in column_blocks(len(draws), columns):
            found[part] += np.count_nonzero(extreme(differences[:, part], draws), axis=0)
    result: Floats = (found + 1) / (number + 1)
    left, done, step = np.flatnonzero(found < ENOUGH), number, 1
    while done < most and len(left):
        for draws in draw(step, min(STEP, most - done)):
            for part in column_blocks(len(draws), len(left)):
                chosen = left[part]
                hits, before = extreme(differences[:, chosen], draws), found[chosen]
                found[chosen] += np.count_nonzero(hits, axis=0)
                for at in np.flatnonzero(found[chosen] >= ENOUGH).tolist():
                    last = np.flatnonzero(hits[:, at])[ENOUGH - before[at] - 1]
                    result[chosen[at]] = ENOUGH / (done + last + 1)
            left, done = left[found[left] < ENOUGH], done + len(draws)
            if not len(left):
                break
        step += 1
    result[left] = (found[left] + 1) / (done + 1)
    return result


def _products(weights: Times, values: Floats) -> Floats:
    """Return the sums of `weighted_sums`, faster, and not the same to the last digit.

    Only for what is compared with a margin for rounding.
    """
    blocks = column_blocks(len(values), len(weights))
    return np.concatenate([weights[draws].astype(np.float64) @ values for draws in blocks])


def _far(sums: Floats, differences: Floats) -> Bools:
    """Which sums of each column are as far from 0 as that of the column itself."""
    noise = NOISE * column_sums(np.abs(differences))
    seen = np.abs(column_sums(differences)) - noise
    return np.asarray(np.abs(sums) >= seen)


def _all_signs(differences: Floats) -> Floats:
    """The exact p values; half of the ways mirror the other half, so the first sign stays."""
    sums = differences[:1]
    for row in differences[1:]:
        sums = np.concatenate([sums + row, sums - row])
    return np.asarray(np.count_nonzero(_far(sums, differences), axis=0) / len(sums))


def bootstrap(
    differences: Floats,
    times: Times,
    seed: np.random.SeedSequence | None = None,
    most: int = 0,
) -> Floats:
    """How often a studentised mean as far from 0 comes about among resampled topics.

    The differences are moved to the mean 0 before topics are drawn. `times` are the first draws; a
    seed gives further ones.
    """
    topics, columns = differences.shape
    result = np.where(differences.any(axis=0), np.full(columns, np.nan), 1.0)
    if topics < 2:
        return result
    judged = np.flatnonzero(_errors(differences) > 0)

    def draw(step: int, size: int) -> Iterator[Times]:
        if step and seed is not None:
            yield from resample_blocks(topics, further_seed(seed, step), size)
        else:
            yield times

    if len(judged):
        last = len(times) if seed is None else most
        result[judged] = _by_draws(differences[:, judged], draw, _far_by_topics, len(times), last)
    return result


def _far_by_topics(differences: Floats, times: Times) -> Bools:
    """Which draws of topics have a studentised mean as far from 0 as each column's own."""
    topics = len(differences)
    mean, error = column_means(differences), _errors(differences)
    centred = differences - mean
    drawn = _products(times, centred) / topics
    errors = standard_errors(drawn, _products(times, centred**2) / topics, topics)
    # |drawn| / errors >= |mean| / error, with no division by an error of 0
    ours, seen = np.abs(drawn) * error, np.abs(mean) * errors
    noise = NOISE * np.abs(centred).max(axis=0) * error
    nothing = (ours <= noise) & (errors == 0)  # a draw that says 0 with no spread: t is 0
    return np.asarray((ours >= seen - noise) & ~(nothing & (mean != 0)))


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
    from scipy.special import ndtr

    differing = differences[differences != 0]
    if not len(differing):
        return 1.0
    size = np.abs(differing)
    tied = np.round(size / size.max() * TIED)
    ordered = np.sort(tied)
    # Twice the ranks, of which tied ones share the mean: whole numbers.
    doubled = np.searchsorted(ordered, tied, "left") + np.searchsorted(ordered, tied, "right") + 1
    positive, total = int(doubled[differing > 0].sum()), int(doubled.sum())
    if len(differing) > EXACT_RANKS:
        spread = float(np.sqrt((doubled.astype(np.float64) ** 2).sum()))
        return float(2 * ndtr(-abs(2 * positive - total) / spread))
    below = _ways_below(tuple(np.sort(doubled).tolist()))
    return min(1.0, 2 * float(below[min(positive, total - positive)]))


@lru_cache(maxsize=4096)
def _ways_below(doubled: tuple[int, ...]) -> Floats:
    """For each sum of ranks the share of all ways to choose some of them that give at most it."""
    ways = np.zeros(sum(doubled) + 1)
    ways[0] = 1.0
    for rank in doubled:
        ways[rank:] = (ways[rank:] + ways[: len(ways) - rank]) / 2
        ways[:rank] /= 2
    return np.cumsum(ways)


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
    from scipy.special import gammaln

    topics = len(differences)
    mean = column_means(differences)
    deviation = _errors(differences) * np.sqrt(topics)
    flat = np.where(differences.any(axis=0) | (topics < 2), np.nan, 0.0)
    d = np.divide(mean, deviation, out=flat, where=(deviation > 0) & (topics > 1))
    if topics < 3:
        return Effect(mean, d, np.full_like(d, np.nan))  # g has no expectation there
    half = (topics - 1) / 2
    return Effect(mean, d, d * float(np.exp(gammaln(half) - gammaln(half - 0.5)) / np.sqrt(half)))


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


def compact_letters(differ: Bools) -> list[str]:
    """Return the letters of each run, from which of them differ; the runs are given best first.

    Two runs share a letter if, and only if, no difference was found between them. Every letter
    stands for a set of runs none of which differ, and which no other run could join. Sets are made
    until each pair that doesn't differ is in one, first those of the best runs; then what is not
    needed is dropped. A run that differs from all has a letter of its own.
    """
    alike = ~differ & ~differ.T
    np.fill_diagonal(alike, True)
    groups = _needed(list(_groups(alike)), alike)
    groups.sort(key=lambda group: np.flatnonzero(group).tolist())
    return [
        "".join(letter(place) for place, group in enumerate(groups) if group[run])
        for run in range(len(alike))
    ]


def letter(place: int) -> str:
    """The name of a group: a to z, then a', b' and so on, so that they can be put together."""
    return string.ascii_lowercase[place % 26] + "'" * (place // 26)


def _groups(alike: Bools) -> Iterator[Bools]:
    """Yield sets of runs that are all alike, as large as can be, until every alike pair is in one.

    Each begins with a pair, and grows by the best run that is alike to all in it.
    """
    open_pairs = alike.copy()
    while open_pairs.any():
        pair = list(np.unravel_index(int(np.argmax(open_pairs)), alike.shape))
        group = np.zeros(len(alike), bool)
        group[pair] = True
        fitting = alike[pair].all(axis=0)
        while (joining := np.flatnonzero(fitting & ~group)).size:
            group[joining[0]] = True
            fitting &= alike[joining[0]]
        open_pairs[np.ix_(group, group)] = False
        yield group


def _needed(groups: list[Bools], alike: Bools) -> list[Bools]:
    """The groups without those whose every pair is in others too, the latest dropped first."""
    covered = np.zeros(alike.shape, np.int64)
    for group in groups:
        covered[np.ix_(group, group)] += 1
    kept = []
    for group in reversed(groups):
        block = np.ix_(group, group)
        if (covered[block] > 1).all():
            covered[block] -= 1
        else:
            kept.append(group)
    return kept
