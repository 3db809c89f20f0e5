"""May a trend be believed? What its test takes for granted, held against the data.

A line should be the right shape (the measure moves one way with time), its residuals normal, and
the residual of one batch should say nothing about the next. All functions take arrays of series x
batches and a mask of what counts, and give NaN where there is nothing to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tseval.statistics.ranks import best_ranks
from tseval.statistics.trend import Floats, Mask, Outcome, Trend, ratio

Counts: TypeAlias = NDArray[np.int64]

VERDICTS = (
    "no-evidence",
    "inconclusive",
    "positive-autocorrelation",
    "negative-autocorrelation",
)
"""What the Durbin-Watson bounds allow to be said."""
POSITIVE, NEGATIVE = 2, 3
"""The places of the last two."""
DEPENDENT = (
    "autocorrelated",
    "negatively autocorrelated",
    "Durbin-Watson below 1",
    "Durbin-Watson above 3",
)
"""What speaks against residuals that say nothing of each other: the bounds, or the value alone."""
SYMMETRY = 4.0
"""What d is for residuals that follow one another, it is less this for those that swing."""
PLAUSIBLE = (1.0, 3.0)
"""Outside of these Kenter, Balog and de Rijke call a d problematic, however few batches it is of.
"""
ROUNDING = 1e-12
"""The distance from 0 or 1 within which a value counts as one of them."""
STEP = 1 / 16
"""Of the sum for Imhof's integral."""
LOWEST = 5.709 / (2 * 0.0186)
"""Where the fitted p of large A squared would turn and rise again."""


class Bounds(NamedTuple):
    """Below `low` residuals follow one another, from `high` on nothing says so.

    Above 4 - `low` each swings back from the one before, up to 4 - `high` nothing says so.
    """

    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class Assumptions:
    """The checks of each series; `number` is how many batches they rest on."""

    number: Counts
    spearman: Outcome
    normality: Outcome
    durbin_watson: Floats

    def independence(self, level: float = 0.05) -> Counts:
        """For each series its place in `VERDICTS`; -1 where undefined.

        Both sides are looked at, each at the level: residuals may follow one another, or each may
        swing back from the one before.
        """
        following = self.following(level)
        swinging = self._below_bounds(SYMMETRY - self.durbin_watson, level)
        return np.where(swinging == POSITIVE, NEGATIVE, np.maximum(following, swinging))

    def following(self, level: float = 0.05) -> Counts:
        """The same for residuals that follow one another alone: the one-sided test."""
        return self._below_bounds(self.durbin_watson, level)

    def dependent(self, level: float = 0.05) -> Counts:
        """For each series its place in `DEPENDENT`; -1 where nothing is to be said.

        Bounds of few batches are wide: where they condemn nothing the value alone may.
        """
        told, (below, above) = self.independence(level), PLAUSIBLE
        given = np.nan_to_num(self.durbin_watson, nan=below)
        found = [told == POSITIVE, told == NEGATIVE, given < below, given > above]
        return np.select(found, range(len(DEPENDENT)), default=-1)

    def _below_bounds(self, statistic: Floats, level: float) -> Counts:
        """2 below the lower bound, 1 between both, 0 from the upper one on, -1 where undefined."""
        bounds = durbin_watson_bounds(self.number, level)
        given = np.nan_to_num(statistic, nan=np.inf)
        told = (given < bounds.low).astype(np.int64) + (given < bounds.high)
        known = np.isfinite(statistic) & np.isfinite(bounds.low)
        return np.where(known, told, -1)


def check(trend: Trend, weighted: bool = False) -> Assumptions:
    """The assumptions of each line, from its raw or its weighted residuals."""
    residuals = trend.weighted_residuals if weighted else trend.residuals
    return Assumptions(
        trend.number,
        spearman(trend.values, trend.used),
        anderson_darling(residuals, trend.used),
        durbin_watson(residuals, trend.used),
    )


def categorical(trend: Trend) -> Mask:
    """Return whether each series has only values 0 and 1: then no residuals of it are normal."""
    away = np.minimum(np.abs(trend.values), np.abs(trend.values - 1))
    return np.asarray((~trend.used | (away < ROUNDING)).all(axis=1))


def spearman(values: Floats, usable: Mask) -> Outcome:
    """The rank correlation of a measure with time, and its two-sided p from t.

    Undefined for fewer than three values, or if all are the same.
    """
    from scipy.special import betainc

    packed, there = _packed(values, usable)
    number = there.sum(axis=1)
    time = np.where(there, np.arange(packed.shape[1]) - (number[:, np.newaxis] - 1) / 2, 0.0)
    # How many values are below less how many are above: twice the rank, from the middle one on.
    rank = np.where(there, best_ranks(-packed, there) - best_ranks(packed, there), 0.0) / 2
    scale = np.sqrt((time**2).sum(axis=1) * (rank**2).sum(axis=1))
    rho = ratio((time * rank).sum(axis=1), scale, number > 2)
    rho = np.clip(rho, -1.0, 1.0)
    known = np.isfinite(rho)
    p = np.full(rho.shape, np.nan)
    # t squared is (n - 2) r^2 / (1 - r^2), so the argument of the tail is 1 - r^2.
    p[known] = betainc((number[known] - 2) / 2, 0.5, (1 - rho[known]) * (1 + rho[known]))
    return Outcome(rho, p)


def anderson_darling(values: Floats, usable: Mask) -> Outcome:
    """A squared against a normal law of estimated mean and deviation, and its p.

    The p is that of D'Agostino and Stephens. Undefined for fewer than three values, or if all are
    the same.
    """
    from scipy.special import log_ndtr

    packed, there = _packed(values, usable)
    number = there.sum(axis=1)
    mean = ratio(packed.sum(axis=1), number)
    away = np.where(there, packed - mean[:, np.newaxis], 0.0)
    low = np.where(there, packed, np.inf).min(axis=1, initial=np.inf)
    high = np.where(there, packed, -np.inf).max(axis=1, initial=-np.inf)
    varied = (number > 2) & (high > low)
    deviation = np.sqrt(ratio((away**2).sum(axis=1), number - 1, varied))
    standard = away / np.where(varied, deviation, 1.0)[:, np.newaxis]
    place = np.arange(packed.shape[1])
    ordered = np.sort(np.where(there, standard, np.inf), axis=1)
    turned = np.take_along_axis(ordered, np.maximum(number[:, np.newaxis] - 1 - place, 0), axis=1)
    below, above = (log_ndtr(np.where(there, z, 0.0)) for z in (ordered, -turned))
    terms = np.where(there, (2 * place + 1) * (below + above), 0.0).sum(axis=1)
    squared = np.where(varied, -number - ratio(terms, number, varied), np.nan)
    # The p when mean and deviation are estimated: four pieces of a fit. Beyond the lowest point of
    # the last piece, at p near 1e-43, p stays there.
    size = np.maximum(number, 1)
    a = squared * (1 + 0.75 / size + 2.25 / size**2)
    pieces = [a < 0.2, a < 0.34, a < 0.6, a >= 0.6]
    top = np.fmin(a, LOWEST)
    curves = [
        1 - np.exp(-13.436 + 101.14 * a - 223.73 * a**2),
        1 - np.exp(-8.318 + 42.796 * a - 59.938 * a**2),
        np.exp(0.9177 - 4.279 * a - 1.38 * a**2),
        np.exp(1.2937 - 5.709 * top + 0.0186 * top**2),
    ]
    return Outcome(squared, np.asarray(np.select(pieces, curves, default=np.nan)))


def durbin_watson(residuals: Floats, usable: Mask) -> Floats:
    """How much successive residuals differ: near 2 if each says nothing about the next.

    Batches left out are stepped over. Undefined if all residuals are 0.
    """
    packed, there = _packed(residuals, usable)
    steps = np.where(there[:, 1:], np.diff(packed, axis=1), 0.0)
    return ratio((steps**2).sum(axis=1), (packed**2).sum(axis=1))


def durbin_watson_bounds(number: Counts, level: float = 0.05) -> Bounds:
    """The bounds dL and dU of a line through so many batches; NaN below four: there are none."""
    known, place = np.unique(np.asarray(number), return_inverse=True)
    found = np.array([_bounds(int(n), level) for n in known]).reshape(-1, 2)
    low, high = (bound[place].reshape(np.shape(number)) for bound in found.T)
    return Bounds(low, high)


@cache
def _bounds(number: int, level: float) -> tuple[float, float]:
    """The two laws between which that of d lies, whatever the weights and the times.

    The residuals of a line are free in n - 2 directions; the bounds come from the n - 2 smallest
    and the n - 2 largest of the n - 1 roots that the sum of squared steps has.
    """
    if number < 4:
        return np.nan, np.nan
    roots = 2 - 2 * np.cos(np.pi * np.arange(1, number) / number)
    return _quantile(roots[:-1], level), _quantile(roots[1:], level)


def _quantile(roots: Floats, level: float) -> float:
    """Below what the ratio of sum(root * square) to sum(square), of normals, is so often."""
    from scipy.optimize import brentq

    def off(ratio: float) -> float:
        return positive(ratio - roots) - level

    return float(brentq(off, roots.min(), roots.max(), xtol=1e-12))


def positive(roots: Floats) -> float:
    """The chance that sum(root * square), the squares of independent normals, is above 0.

    Imhof's integral of sin(angle) / (u * size) over u > 0, summed at u = exp(s - exp(-s)) / scale:
    there the integrand dies away so fast on both sides that equal steps are exact to rounding.
    """
    s = np.arange(-4.5, 80 / max(len(roots), 2) + 3, STEP)
    product = np.multiply.outer(np.exp(s - np.exp(-s)) / np.sqrt((roots**2).sum()), roots)
    angle = np.arctan(product).sum(axis=1) / 2
    size = np.exp(np.log1p(product**2).sum(axis=1) / 4)
    return float(0.5 + (np.sin(angle) / size * (1 + np.exp(-s))).sum() * STEP / np.pi)


def _packed(values: Floats, usable: Mask) -> tuple[Floats, Mask]:
    """The values that count, moved to the left of their row in their order; 0 behind them."""
    order = np.argsort(~usable, axis=1, kind="stable")
    there = np.take_along_axis(usable, order, axis=1)
    return np.where(there, np.take_along_axis(values, order, axis=1), 0.0), there
