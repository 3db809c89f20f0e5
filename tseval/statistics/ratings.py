"""Ratings of runs from battles: Bradley-Terry's model, and Elo's update."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
STEPS = 100
"""Newton's method takes about ten steps."""
SCALE = 400.0
"""Elo's scale: a run that is rated so much higher is expected to win ten times as often."""


def shares_of_wins(won: Floats) -> Floats:
    """The share of its battles that each run won, from counts as below; NaN without battles."""
    wins, losses = won.sum(axis=-1), won.sum(axis=-2)
    battles = wins + losses
    shares: Floats = np.divide(wins, battles, out=np.full_like(wins, np.nan), where=battles > 0)
    return shares


def bradley_terry(won: Floats) -> Floats:
    """The natural logarithms of the strengths that make the results most likely, with mean 0.

    `won[i, j]` counts the battles that `i` won against `j`, a tie as half a battle to each. Such
    strengths exist where every run has won, directly or through others, against every other; for
    the largest set of runs of which this is so they are computed. A run that beats these, and never
    loses to them, has infinite strength, and one that they beat minus infinity; where there is no
    such set, a run that beats, or loses to, all others. NaN is undefined.
    """
    strength = np.full(len(won), np.nan)
    reaches = (won > 0) | np.eye(len(won), dtype=bool)
    for _ in range(len(won).bit_length()):
        reaches = reaches @ reaches
    linked = reaches & reaches.T
    sizes = linked.sum(axis=1)
    members = linked[np.argmax(sizes)]
    if sizes.max() > 1 and (sizes == sizes.max()).sum() > sizes.max():
        return strength
    others = members if sizes.max() > 1 else np.ones(len(won), bool)
    strength[reaches[:, others].all(axis=1)] = np.inf
    strength[reaches[others].all(axis=0)] = -np.inf
    if sizes.max() > 1:
        strength[members] = _most_likely(won[np.ix_(members, members)])
    return strength


def _most_likely(won: Floats) -> Floats:
    """Strengths by Newton's method; a step that makes the results less likely is halved."""
    battles, strength = won + won.T, np.zeros(len(won))

    def likelihood(strength: Floats) -> float:
        gap = strength[:, np.newaxis] - strength
        return -float((won * np.logaddexp(0.0, -gap)).sum())

    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(strength - strength[:, np.newaxis]))
        slope = (won - battles * expected).sum(axis=1)
        weight = battles * expected * (1 - expected)
        curvature = np.diag(weight.sum(axis=1)) - weight
        step = np.linalg.solve(curvature + 1 / len(won), slope)
        known = likelihood(strength)
        while np.abs(step).max() > 1e-13 and likelihood(strength + step) < known:
            step /= 2
        strength = strength + step
        if np.abs(step).max() < 1e-12:
            break
    centred: Floats = strength - strength.mean()
    return centred


def elo(
    first: Ints, second: Ints, won: Floats, orders: Ints, runs: int, k: float, start: float
) -> Floats:
    """The rating of each run after all battles, for each order of the battles.

    A row of `orders` has the places of battles in one order, and -1 where there are no more. After
    a battle the first run gains `k` times what it won more than expected, and the other loses it.
    """
    ratings = np.full((len(orders), runs), float(start))
    every = np.arange(len(orders))
    for battle in orders.T:
        one, other = first[battle], second[battle]
        gap = ratings[every, other] - ratings[every, one]
        change = k * (won[battle] - 1 / (1 + 10.0 ** (gap / SCALE))) * (battle >= 0)
        ratings[every, one] += change
        ratings[every, other] -= change
    return ratings
