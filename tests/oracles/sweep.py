"""Whether an order of runs holds over settings, slow and obvious: from means alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from tests.oracles.comparison import tau_b

Means = Mapping[str, float]
NOISE = 1e-12


def best(means: Means) -> str:
    """The runs that no other run beats, by name."""
    largest = max(means.values())
    return ", ".join(sorted(run for run in means if means[run] >= largest - NOISE * abs(largest)))


def tau(first: Means, other: Means) -> float | None:
    """Kendall's tau-b of two sets of means; None where one of them is all ties."""
    runs = sorted(first)
    ours, theirs = [first[run] for run in runs], [other[run] for run in runs]
    if len(set(ours)) == 1 or len(set(theirs)) == 1:
        return None
    return tau_b(ours, theirs)


def pairs(settings: Sequence[Means]) -> dict[tuple[str, str], tuple[int, int, float, float]]:
    """For each pair in how many settings the first is ahead and behind, and the differences."""
    found = {}
    for run, other in combinations(sorted(settings[0]), 2):
        differences = [means[run] - means[other] for means in settings]
        ahead = sum(each > NOISE for each in differences)
        behind = sum(each < -NOISE for each in differences)
        found[run, other] = ahead, behind, min(differences), max(differences)
    return found
