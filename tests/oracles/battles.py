"""Ratings from battles as their definitions read: a battle is `(run, other, won)`."""

from __future__ import annotations

import math
from collections.abc import Sequence

Battle = tuple[str, str, float]


def wins(battles: Sequence[Battle], run: str) -> float | None:
    """The share of its battles that a run won; a tie counts half."""
    won = [share for one, _, share in battles if one == run]
    won += [1 - share for _, other, share in battles if other == run]
    return sum(won) / len(won) if won else None


def strengths(battles: Sequence[Battle]) -> dict[str, float]:
    """Bradley-Terry by Zermelo's iteration, a hundred thousand times: logarithms with mean 0."""
    runs = sorted({run for one, other, _ in battles for run in (one, other)})
    strength = dict.fromkeys(runs, 1.0)
    won = dict.fromkeys(runs, 0.0)
    met: dict[tuple[str, str], int] = {}
    for one, other, share in battles:
        won[one] += share
        won[other] += 1 - share
        for pair in ((one, other), (other, one)):
            met[pair] = met.get(pair, 0) + 1
    for _ in range(100_000):
        before = dict(strength)
        for run in runs:
            below = sum(
                met.get((run, other), 0) / (strength[run] + strength[other])
                for other in runs
                if other != run
            )
            strength[run] = won[run] / below
        middle = math.exp(sum(map(math.log, strength.values())) / len(runs))
        strength = {run: each / middle for run, each in strength.items()}
        if all(abs(strength[run] / before[run] - 1) < 1e-15 for run in runs):
            break
    return {run: math.log(each) for run, each in strength.items()}


def elo(battles: Sequence[Battle], k: float = 32, start: float = 1000) -> dict[str, float]:
    """Elo's rating after these battles, one after the other."""
    rating: dict[str, float] = {}
    for one, other, share in battles:
        first, second = rating.setdefault(one, start), rating.setdefault(other, start)
        gain = k * (share - 1 / (1 + 10 ** ((second - first) / 400)))
        rating[one], rating[other] = first + gain, second - gain
    return rating
