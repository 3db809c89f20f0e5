"""The statistics of comparisons as their definitions read: loops spelled out, nothing clever."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, product


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def randomisation(differences: Sequence[float]) -> float:
    """Of all ways to swap the two runs on some topics the share with a mean as far from 0."""
    seen = abs(sum(differences)) - 1e-9
    ways = list(product((1, -1), repeat=len(differences)))
    far = sum(
        abs(sum(s * d for s, d in zip(way, differences, strict=True))) >= seen for way in ways
    )
    return far / len(ways)


def randomisation_of_whole_numbers(differences: Sequence[int]) -> float:
    """The same, counted over the sums that there can be: for many topics."""
    ways = {0: 1}
    for each in differences:
        swapped: dict[int, int] = {}
        for total, number in ways.items():
            for then in (total + each, total - each):
                swapped[then] = swapped.get(then, 0) + number
        ways = swapped
    far = sum(number for total, number in ways.items() if abs(total) >= abs(sum(differences)))
    return far / 2 ** len(differences)


def wilcoxon(differences: Sequence[float]) -> float:
    """The same of the sum of signed ranks; topics without a difference are left out."""
    differing = [d for d in differences if d != 0]
    if not differing:
        return 1.0
    ranks = [
        sum(abs(o) < abs(d) for o in differing) + (sum(abs(o) == abs(d) for o in differing) + 1) / 2
        for d in differing
    ]
    seen = sum(r for r, d in zip(ranks, differing, strict=True) if d > 0)
    sums = [
        sum(r for r, s in zip(ranks, way, strict=True) if s)
        for way in product((0, 1), repeat=len(ranks))
    ]
    low = sum(each <= seen for each in sums) / len(sums)
    high = sum(each >= seen for each in sums) / len(sums)
    return min(1.0, 2 * min(low, high))


def holm(p: Sequence[float]) -> list[float]:
    """For each p the least level at which Holm's steps still come to reject it."""
    return [_least_level(p, at, _holm_rejects) for at in range(len(p))]


def _holm_rejects(p: Sequence[float], level: float) -> set[int]:
    rejected: set[int] = set()
    order = sorted(range(len(p)), key=lambda at: p[at])
    for step, at in enumerate(order):
        if p[at] > level / (len(p) - step) * (1 + 1e-12):
            break
        rejected.add(at)
    return rejected


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    return [_least_level(p, at, _bh_rejects) for at in range(len(p))]


def _bh_rejects(p: Sequence[float], level: float) -> set[int]:
    order = sorted(range(len(p)), key=lambda at: p[at])
    passing = [
        rank
        for rank, at in enumerate(order, start=1)
        if p[at] <= level * rank / len(p) * (1 + 1e-12)
    ]
    return set(order[: max(passing, default=0)])


def _least_level(
    p: Sequence[float], at: int, rejects: Callable[[Sequence[float], float], set[int]]
) -> float:
    """The smallest of the levels at which anything changes that rejects this one; at most 1."""
    levels = sorted(
        {
            value * k / j
            for value in p
            for k in range(1, len(p) + 1)
            for j in (1, *range(1, len(p) + 1))
        }
    )
    return next((level for level in levels if level <= 1 and at in rejects(p, level)), 1.0)


def tau_b(a: Sequence[float], b: Sequence[float]) -> float:
    agreed = ordered_a = ordered_b = 0
    for i, j in combinations(range(len(a)), 2):
        x, y = sign(a[i] - a[j]), sign(b[i] - b[j])
        agreed += x * y
        ordered_a += x != 0
        ordered_b += y != 0
    if not ordered_a or not ordered_b:
        return math.nan
    return agreed / math.sqrt(ordered_a * ordered_b)


def sign(value: float) -> int:
    return (value > 0) - (value < 0)


def tau_ap_one_way(places: Sequence[float], other: Sequence[float]) -> float:
    """For each item that has others above it the share of these that are above it in both."""
    shares = []
    for i in range(len(places)):
        above = [j for j in range(len(places)) if places[j] > places[i]]
        if above:
            shares.append(sum(other[j] > other[i] for j in above) / len(above))
    return 2 * mean(shares) - 1 if shares else math.nan


def tau_ap(a: Sequence[float], b: Sequence[float]) -> float:
    return (tau_ap_one_way(a, b) + tau_ap_one_way(b, a)) / 2


def yilmaz_tau_ap(ranking: Sequence[int], truth: Sequence[int]) -> float:
    """The formula as published, for rankings of items without ties, best first."""
    total = 0.0
    for i in range(1, len(ranking)):
        above = ranking[:i]
        right = sum(truth.index(item) < truth.index(ranking[i]) for item in above)
        total += right / i
    return 2 / (len(ranking) - 1) * total - 1


def rank_biased_overlap(a: Sequence[float], b: Sequence[float], p: float) -> float:
    """The sum over depths, with the agreement at the last one going on for ever."""
    number = len(a)
    if number < 2:
        return math.nan

    def head(values: Sequence[float], depth: int) -> set[int]:
        better = [sum(other > value for other in values) for value in values]
        return {item for item in range(number) if better[item] + 1 <= depth}

    total = 0.0
    for depth in range(1, 2000):
        first, second = head(a, min(depth, number)), head(b, min(depth, number))
        total += p ** (depth - 1) * 2 * len(first & second) / (len(first) + len(second))
    return (1 - p) * total
