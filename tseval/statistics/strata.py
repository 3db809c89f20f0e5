"""Samples in strata: whom to draw, and what a total over all is by those that were drawn.

A unit is drawn with its own probability of inclusion, systematically along an order, so that the
sum of inclusions is the number drawn. A total over all units is then known without bias from those
drawn (Horvitz and Thompson), and better where something foretells each unit's value: the total of
what is foretold is known, and only what the units differ from it has to be estimated (the
difference estimator, which is prediction-powered inference with lambda 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CUTS = (0.5, 0.75, 0.9)
"""The quantiles between strata."""
LEAST = 2
"""How many units of a stratum are drawn at least: with one, nobody knows how they differ."""
STEPS = 1_000_000
"""Probabilities of inclusion are whole numbers of so many parts, before anything is drawn."""
PRIOR = 2.0
"""What is foreseen of a stratum's variance weighs as much as so many of its units."""
LEVEL = 0.95
WEAKEST = 1.1
"""Sensitivity and specificity that add up to no more than this say too little to correct by."""


def strata_of(values: Floats) -> Ints:
    """The stratum of each unit, from 0 on, cut at quantiles; equal values are in the same one."""
    return np.searchsorted(np.quantile(values, CUTS), values, side="left").astype(np.int64)


def inclusions(size: Floats, number: int) -> Floats:
    """How probably each unit is among `number`: in proportion to its size, at most 1.

    Sizes are above 0. A unit that would come more than once is certain, and the others share the
    rest. They are rounded so that their sum stays the number.
    """
    certain = np.zeros(len(size), bool)
    inclusion = np.ones(len(size))
    while number < len(size):
        left = ~certain
        inclusion[left] = (number - certain.sum()) * size[left] / size[left].sum()
        over = left & (inclusion >= 1)
        if not over.any():
            break
        certain |= over
        inclusion[over] = 1.0
    # In whole steps, each at least one; those that lost most by rounding are the first to gain.
    # Where too many had to be raised to one, the largest give up as much.
    steps = np.maximum(np.floor(inclusion * STEPS + 0.5 / STEPS), 1.0)
    missing = int(min(number, len(size)) * STEPS - steps.sum())
    lost = steps - inclusion * STEPS if missing > 0 else -steps
    steps[np.argsort(lost, kind="stable")[: abs(missing)]] += np.sign(missing)
    rounded: Floats = steps / STEPS
    return rounded


def systematic(inclusion: Floats, start: int) -> Ints:
    """The units drawn from a start below `STEPS`: one at every `STEPS` along the sums."""
    end = np.cumsum(np.rint(inclusion * STEPS)).astype(np.int64) + start
    return np.flatnonzero(end // STEPS > np.append(start, end[:-1]) // STEPS)


def largest_cost(inclusion: Floats, cost: Floats) -> float:
    """The most that the units together cost which any start can draw."""
    steps = np.rint(inclusion * STEPS).astype(np.int64)
    certain = steps >= STEPS
    begins = (-np.cumsum(steps) % STEPS)[~certain]
    ends, paid = begins + steps[~certain], cost[~certain]
    wraps = ends > STEPS
    moments = np.concatenate([begins, ends, np.zeros(int(wraps.sum()), int), ends[wraps] - STEPS])
    changes = np.concatenate([paid, -paid, paid[wraps], -paid[wraps]])
    order = np.lexsort((changes, moments))  # what ends goes before what begins
    return float(cost[certain].sum() + np.cumsum(changes[order]).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Population:
    """All units that could be drawn, in the order along which they are."""

    stratum: Ints
    size: Floats
    """What a unit weighs in what is to be estimated."""
    spread: Floats
    """The standard deviation of its value, as far as it can be foretold."""
    cost: Floats

    @property
    def least(self) -> float:
        """The least budget by which anything can be drawn: `LEAST` units of each stratum."""
        strata = (np.flatnonzero(self.stratum == each) for each in np.unique(self.stratum))
        return math.fsum(
            largest_cost(inclusions(self.size[rows], min(LEAST, len(rows))), self.cost[rows])
            for rows in strata
        )

    def allocated(self, budget: float) -> Floats:
        """The inclusions by which no draw costs more than the budget; empty if none is so cheap.

        Each stratum has `LEAST` units or all that it has. Any more go where they make the error
        least (Neyman), as long as they can be paid for.
        """
        strata = [np.flatnonzero(self.stratum == each) for each in np.unique(self.stratum)]
        wanted = [float((self.size * self.spread)[rows].sum()) for rows in strata]
        drawn = [min(LEAST, len(rows)) for rows in strata]
        chosen = [inclusions(self.size[rows], n) for rows, n in zip(strata, drawn, strict=True)]
        costs = [
            largest_cost(each, self.cost[rows]) for rows, each in zip(strata, chosen, strict=True)
        ]
        if math.fsum(costs) > budget:
            return np.zeros(0)
        growing = [at for at, rows in enumerate(strata) if drawn[at] < len(rows)]
        while growing:
            gains = [wanted[at] ** 2 / (drawn[at] * (drawn[at] + 1)) for at in growing]
            at = growing[int(np.argmax(gains))]
            rows = strata[at]
            more = inclusions(self.size[rows], drawn[at] + 1)
            cost = largest_cost(more, self.cost[rows])
            if math.fsum(costs) - costs[at] + cost > budget:
                growing.remove(at)
                continue
            drawn[at], chosen[at], costs[at] = drawn[at] + 1, more, cost
            if drawn[at] == len(rows):
                growing.remove(at)
        result = np.zeros(len(self.size))
        for rows, each in zip(strata, chosen, strict=True):
            result[rows] = each
        return result

    def draw(self, inclusion: Floats, seed: int | np.random.SeedSequence) -> Ints:
        """The units that are drawn, in order; each stratum has a start of its own."""
        starts = np.random.default_rng(seed)
        found = [
            rows[systematic(inclusion[rows], int(starts.integers(STEPS)))]
            for rows in (np.flatnonzero(self.stratum == each) for each in np.unique(self.stratum))
        ]
        return np.sort(np.concatenate(found))


@dataclass(frozen=True, eq=False)
class Drawn:
    """The units that were drawn: the stratum of each, and how probably it was to be."""

    stratum: Ints
    inclusion: Floats

    def total(self, values: Floats) -> Floats:
        """For each column of values of these units the total over all units."""
        return np.asarray((values / self.inclusion[:, None]).sum(axis=0), np.float64)

    def error(self, values: Floats, foreseen: Floats) -> Floats:
        """For each column the standard error of its total; 0 where every unit was drawn.

        The variance is Hájek's for inclusions in proportion to size, of each stratum together with
        what was `foreseen` of each value's variance, which weighs as much as `PRIOR` units: two or
        three that happen to be alike don't make an estimate sure.
        """
        variance = np.zeros(values.shape[1])
        for each in np.unique(self.stratum):
            rows = self.stratum == each
            chance = (1 - self.inclusion[rows])[:, None]
            if not chance.any():
                continue
            scaled = values[rows] / self.inclusion[rows, None]
            mean = (chance * scaled).sum(axis=0) / chance.sum()
            spread = len(chance) * (chance * (scaled - mean) ** 2).sum(axis=0)
            expected = (chance * foreseen[rows] / self.inclusion[rows, None] ** 2).sum(axis=0)
            variance += (spread + PRIOR * expected) / (len(chance) - 1 + PRIOR)
        return np.sqrt(variance)


def total_intervals(value: Floats, error: Floats, *, share: bool, level: float = LEVEL) -> Floats:
    """Two rows, low and high, for estimated totals with their errors.

    A `share` lies from 0 to 1: its interval is taken on the scale of log odds, on which it is even
    and never leaves them. Where the estimate itself is not between them, and for what is no share,
    it is even around the estimate, and cut at 0.
    """
    from scipy.special import expit, logit, ndtri

    reach = ndtri((1 + level) / 2) * error
    plain: Floats = np.maximum(np.stack([value - reach, value + reach]), 0.0)
    if not share:
        return plain
    inside = (value > 0) & (value < 1)
    centre = np.where(inside, value, 0.5)
    with np.errstate(over="ignore"):  # of the smallest shares there are the interval is all of 0-1
        odds, away = logit(centre), reach / (centre * (1 - centre))
    inner: Floats = np.stack([expit(odds - away), expit(odds + away)])
    return np.where(inside, inner, np.minimum(plain, 1.0))


def rogan_gladen(share: Floats, sensitivity: float, specificity: float) -> Floats:
    """The true share by the one that a test found, whose sensitivity and specificity are known.

    Not cut to 0 and 1. Whoever calls it refuses tests that add up to `WEAKEST` or less.
    """
    return np.asarray((share + specificity - 1) / (sensitivity + specificity - 1), np.float64)
