"""Straight lines through measures over time, with errors that stand unequal variances.

A series is one measure of one run, batch after batch; x is the number of the batch, from 0. All
arrays are series x batches, and any number of series is one call. What is undefined is NaN, and
the masks say where: no line through fewer than three batches, no test of a line without
residuals, or of one that hangs on a single batch.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]

FEWEST = 3
"""Through two batches any line fits, and nothing is left to say how well."""
ROUNDING = 1e-12
"""Residuals below this share of the largest value are what arithmetic leaves behind, not data."""
HINGE = 1e-9
"""A line whose fit leaves a batch less than this much freedom is held by that batch."""


class Estimate(NamedTuple):
    """Values and their standard errors; NaN where undefined."""

    value: Floats
    error: Floats


class Outcome(NamedTuple):
    """The statistics of a test and their p; both NaN where there is nothing to test."""

    statistic: Floats
    p: Floats

    def significant(self, level: float = 0.05) -> Mask:
        """Where p is below the level; what is undefined never is."""
        return np.asarray(np.nan_to_num(self.p, nan=1.0) < level)


@dataclass(frozen=True, eq=False)
class Trend:
    """A line for each series, fitted by weighted least squares, with HC3 standard errors.

    `number` counts the usable batches, and `used` marks them where there is a line. `intercept` is
    the line at batch 0, `end` at the last batch of the period, whether that was usable or not.
    """

    values: Floats
    weights: Floats
    usable: Mask
    number: NDArray[np.int64]
    slope: Floats
    slope_error: Floats
    intercept: Floats
    end: Floats
    end_error: Floats
    residuals: Floats

    @cached_property
    def fitted(self) -> Mask:
        """Which series have a line at all."""
        return np.isfinite(self.slope)

    @cached_property
    def tested(self) -> Mask:
        """Which lines have a standard error above 0."""
        return np.asarray(np.nan_to_num(self.slope_error) > 0)

    @cached_property
    def used(self) -> Mask:
        """Which batches a line was drawn through."""
        return np.asarray(self.usable & self.fitted[:, np.newaxis])

    @property
    def degrees(self) -> NDArray[np.int64]:
        """The degrees of freedom of t; below 1 where there is no line."""
        return np.asarray(self.number - 2)

    @cached_property
    def rise(self) -> Outcome:
        """Does the line rise or fall? The slope's t and its two-sided p."""
        return t_test(Estimate(self.slope, self.slope_error), self.degrees)

    @cached_property
    def height(self) -> Outcome:
        """Is the end point 0? Its t and two-sided p, for the trend of a difference."""
        return t_test(Estimate(self.end, self.end_error), self.degrees)

    @property
    def t(self) -> Floats:
        """The slope over its standard error."""
        return self.rise.statistic

    @property
    def p(self) -> Floats:
        """The two-sided p of the slope."""
        return self.rise.p

    @property
    def weighted_residuals(self) -> Floats:
        """The residuals, each times the root of its batch's weight."""
        return np.asarray(self.residuals * np.sqrt(np.where(self.used, self.weights, 0.0)))

    def slopes(self, batch: float = 1.0) -> Estimate:
        """Slopes and errors in the time unit of which a batch lasts `batch`."""
        return Estimate(self.slope / batch, self.slope_error / batch)

    def ends(self) -> Estimate:
        """End points and their errors."""
        return Estimate(self.end, self.end_error)

    def end_interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Between which values the end points lie; undefined where their error is 0 or unknown."""
        return self._interval(self.ends(), level)

    def slope_interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Between which values the slopes lie."""
        return self._interval(self.slopes(), level)

    def _interval(self, estimate: Estimate, level: float) -> tuple[Floats, Floats]:
        from scipy.special import stdtrit

        tested = np.nan_to_num(estimate.error) > 0
        wide = np.full(estimate.value.shape, np.nan)
        wide[tested] = stdtrit(self.degrees[tested], (1 + level) / 2) * estimate.error[tested]
        return estimate.value - wide, estimate.value + wide

    def line(self) -> Floats:
        """The fitted value at every batch, used or not; NaN where there is no line."""
        places = np.arange(self.values.shape[1], dtype=np.float64)
        return np.asarray(self.intercept[:, np.newaxis] + self.slope[:, np.newaxis] * places)

    def take(self, rows: ArrayLike) -> Trend:
        """The trends of some of the series, in the order asked for, repeated if repeated."""
        chosen = np.asarray(rows)
        return Trend(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})


def fit(values: ArrayLike, weights: ArrayLike, usable: ArrayLike = True) -> Trend:
    """A line through each series of `values`; weights and usable may have fewer axes.

    There has to be at least one batch. One is left out where it isn't usable, its value isn't a
    finite number, or its weight isn't above 0. Of the weights only their proportions count. With
    fewer than three batches left there is no line.
    """
    values = np.ascontiguousarray(np.atleast_2d(np.asarray(values, np.float64)))
    weights = np.broadcast_to(np.asarray(weights, np.float64), values.shape)
    known = np.isfinite(values) & np.isfinite(weights) & (weights > 0)
    usable = np.asarray(known & np.asarray(usable, np.bool_))
    number = usable.sum(axis=1)
    fitted = number >= FEWEST
    # x and y are taken from their weighted means: `share` is what a batch has of its series'
    # weight, 0 where it is left out, and `away` its distance from the weighted middle.
    places = np.arange(values.shape[1], dtype=np.float64)
    share = _proportions(np.where(usable & fitted[:, np.newaxis], weights, 0.0))
    # A matrix product would round by how many series there are.
    middle = (share * places).sum(axis=1)
    away = places - middle[:, np.newaxis]
    # From one of its own values on, a series that never changes is exactly 0.
    first = np.take_along_axis(values, share.argmax(axis=1)[:, np.newaxis], axis=1)
    above = np.where(share > 0, values - first, 0.0)
    spread = np.where(fitted, (share * away**2).sum(axis=1), np.nan)
    level = np.where(fitted, first[:, 0] + (share * above).sum(axis=1), np.nan)
    slope = ratio((share * away * above).sum(axis=1), spread)
    # What the lines leave of the values; 0 where that is no more than rounding.
    line = level[:, np.newaxis] + slope[:, np.newaxis] * away
    left = np.where(share > 0, values - line, 0.0)
    size = np.where(share > 0, np.abs(values), 0.0).max(axis=1, initial=0.0)
    is_noise = np.abs(left).max(axis=1, initial=0.0) <= ROUNDING * size
    residuals = np.where(is_noise[:, np.newaxis], 0.0, left)
    # HC3; undefined without a line, and where a batch alone holds the line: what that batch leaves
    # would be divided by nearly nothing.
    pull = ratio(away, spread[:, np.newaxis])
    freedom = 1 - share * (1 + pull * away)
    is_held = (freedom < HINGE).any(axis=1) | np.isnan(slope)
    moved = np.where(is_held[:, np.newaxis], np.nan, share * residuals / np.maximum(freedom, HINGE))
    last = values.shape[1] - 1 - middle
    return Trend(
        values,
        weights,
        usable,
        number,
        slope,
        _length(moved * pull),
        level - slope * middle,
        level + slope * last,
        _length(moved * (1 + last[:, np.newaxis] * pull)),
        np.where(share > 0, residuals, np.nan),
    )


def difference(one: Trend, other: Trend) -> Trend:
    """The trend of the first series less the second, over the batches usable in both.

    Its `rise` tests whether the slopes differ, its `height` whether the end points do. What
    shakes both series in one batch cancels out, so it finds what `z_test` can't. A batch weighs
    the mean of its two weights, each as a share of its series.
    """
    weights = (_shares(one) + _shares(other)) / 2
    return fit(one.values - other.values, weights, one.usable & other.usable)


def t_test(estimate: Estimate, degrees: NDArray[np.int64]) -> Outcome:
    """Is the estimate 0? Two-sided; undefined where its error is 0 or unknown."""
    from scipy.special import betainc

    t = ratio(*estimate)
    known = np.isfinite(t)
    p = np.full(t.shape, np.nan)
    freedom = np.asarray(degrees)[known]
    # The same as twice the tail of t, and exact far out where that would be a difference.
    p[known] = betainc(freedom / 2, 0.5, freedom / (freedom + t[known] ** 2))
    return Outcome(t, p)


def z_test(one: Estimate, other: Estimate) -> Outcome:
    """Are two estimates the same, if they are independent? Two-sided normal.

    Both must be in one unit of time. Runs over one stream share what happens in it: then the
    errors are too large for their difference, and the test finds too little (`difference`).
    Undefined where both errors are 0 or one is unknown.
    """
    from scipy.special import erfc

    z = ratio(np.subtract(one.value, other.value), np.hypot(one.error, other.error))
    return Outcome(z, np.asarray(erfc(np.abs(z) / np.sqrt(2))))


def _shares(trend: Trend) -> Floats:
    return _proportions(np.where(trend.usable, trend.weights, 0.0))


def _proportions(weights: Floats) -> Floats:
    """Each weight over its series' sum; 0 where all are."""
    return np.nan_to_num(ratio(weights, weights.sum(axis=1, keepdims=True)))


def _length(parts: Floats) -> Floats:
    return np.asarray(np.sqrt((parts**2).sum(axis=1)))


def ratio(
    above: ArrayLike, below: ArrayLike, where: Mask | bool = True, empty: float = np.nan
) -> Floats:
    """The one by the other; `empty` elsewhere, and where the divisor is 0 or unknown."""
    above, below = np.broadcast_arrays(np.asarray(above, float), np.asarray(below, float))
    there = np.asarray(where) & (below > 0)
    return np.asarray(np.divide(above, below, out=np.full(above.shape, empty), where=there))
