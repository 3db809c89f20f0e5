"""Trends: by hand, against another package, at the edges, and how often their tests err."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from scipy import stats
from statsmodels.api import WLS, add_constant
from statsmodels.stats.diagnostic import normal_ad

from tests import strategies as st
from tseval.statistics import assumptions, trend

NOTHING = (np.nan, np.nan)
SERIES = 4000
"""Of a simulation: a share of 5 % is then known to within 1 %."""
SIZE = (0.035, 0.065)


class TestByHand:
    """Small enough for pencil and paper."""

    def test_equal_weights(self) -> None:
        told = trend.fit([0, 1, 1, 3], 1)
        assert told.slope == pytest.approx(0.9)  # 4.5 / 5
        assert told.intercept == pytest.approx(-0.1)
        assert told.residuals[0] == pytest.approx([0.1, 0.2, -0.7, 0.4])
        # leverages .7 .3 .3 .7, so what each batch would leave if left out is 1/3 2/7 -1 4/3
        assert told.slope_error == pytest.approx(math.sqrt((4.5 + 1 / 49) / 25))
        assert told.end == pytest.approx(2.6)
        parts = (-0.2 / 3, 0.2 / 7, -0.4, 2.8 / 3)
        assert told.end_error == pytest.approx(math.hypot(*parts))
        assert told.line()[0] == pytest.approx([-0.1, 0.8, 1.7, 2.6])
        assert assumptions.check(told).durbin_watson == pytest.approx(2.03 / 0.7)

    def test_unequal_weights(self) -> None:
        told = trend.fit([0, 1, 1], [1, 2, 1])
        assert (told.slope, told.end) == (pytest.approx(0.5), pytest.approx(1.25))
        assert told.slope_error == pytest.approx(math.sqrt(0.5))
        assert told.end_error == pytest.approx(math.sqrt(0.6875))
        # one degree of freedom: the law of Cauchy
        assert told.p == pytest.approx(1 - 2 / math.pi * math.atan(math.sqrt(0.5)))
        wide = math.tan(0.45 * math.pi) * math.sqrt(0.6875)
        assert np.ravel(told.end_interval(0.9)) == pytest.approx([1.25 - wide, 1.25 + wide])
        assert told.weighted_residuals[0] == pytest.approx([-0.25, math.sqrt(2) / 4, -0.25])

    def test_the_line_ends_with_the_period(self) -> None:
        told = trend.fit([0, 1, np.nan, 2, 9], [1, 1, 1, 1, 0])
        assert told.number == 3
        assert told.used.tolist() == [[True, True, False, True, False]]
        kept = trend.fit([0, 1, 7, 2], 1, [True, True, False, True])
        assert told.slope == kept.slope
        assert told.end == pytest.approx(kept.end + kept.slope)

    def test_a_difference_of_two(self) -> None:
        one = trend.fit([0, 2, 1, 5], [1, 1, 2, 0])
        other = trend.fit([0, 1, 0, 1], [2, 1, 1, 4])
        told = trend.difference(one, other)
        assert told.number == 3
        assert told.values.tolist() == [[0, 1, 1, 4]]
        assert told.weights[0, :3] == pytest.approx([3 / 16 + 1 / 16, 3 / 16, 5 / 16])
        assert told.degrees == 1
        assert told.height.statistic == told.end / told.end_error
        fewer = trend.difference(one, trend.fit([0, 1, 0, 1], 1, [False, True, True, True]))
        assert fewer.usable.tolist() == [[False, True, True, False]]

    def test_z(self) -> None:
        one, other = trend.Estimate(np.array(2.5), np.array(3)), trend.Estimate(0, np.array(4))
        told = trend.z_test(one, other)
        assert told.statistic == pytest.approx(0.5)
        assert told.p == pytest.approx(2 * stats.norm.sf(0.5))
        published = trend.z_test(trend.Estimate(2.37, 1), trend.Estimate(0, 0))
        assert published.p == pytest.approx(0.017788, abs=5e-7)

    def test_one_unit_of_time(self) -> None:
        told = trend.fit([0, 1, 1, 3], 1)
        assert told.slopes(7.0).value == pytest.approx(0.9 / 7)
        weekly, daily = told.slopes(7.0), told.slopes()
        assert trend.z_test(weekly, weekly).statistic == 0
        assert trend.z_test(daily, weekly).statistic > 0


@pytest.mark.parametrize("batches", [3, 5, 30, 122])
def test_lines_are_those_of_statsmodels(batches: int) -> None:
    draw = np.random.default_rng(batches)
    values, weights = draw.normal(size=(20, batches)), draw.gamma(0.7, size=(20, batches))
    usable = draw.random(values.shape) < (1 if batches == 3 else 0.8)
    usable[:, [0, 1, -2]] = True
    told = trend.fit(np.where(usable, values, np.nan), weights, usable)
    low, high = told.end_interval(0.9)
    for row, here in enumerate(usable):
        x = add_constant(np.flatnonzero(here).astype(float))
        plain = WLS(values[row, here], x, weights[row, here])
        theirs = plain.fit(cov_type="HC3", use_t=True)
        end = theirs.get_prediction([[1.0, batches - 1.0]])
        ours = (
            told.intercept[row],
            told.slope[row],
            told.slope_error[row],
            told.t[row],
            told.p[row],
            told.end[row],
            told.end_error[row],
            low[row],
            high[row],
        )
        expected = (
            *theirs.params,
            theirs.bse[1],
            theirs.tvalues[1],
            theirs.pvalues[1],
            end.predicted_mean[0],
            end.se_mean[0],
            *end.conf_int(alpha=0.1)[0],
        )
        assert ours == pytest.approx(expected, rel=1e-10, abs=1e-12)
        assert told.residuals[row, here] == pytest.approx(theirs.resid, abs=1e-12)
        assert np.isnan(told.residuals[row, ~here]).all()


VALUES = st.lists(st.sampled_from([None, 0.0, 0.25, 0.5, 0.7, 1.0]), min_size=1, max_size=9)


@given(st.lists(VALUES, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_series_do_not_touch_one_another(
    rows: list[list[float | None]], draw: random.Random
) -> None:
    """Together or alone, wherever they stand: the same numbers; and the weights' scale is free."""
    longest = max(map(len, rows))
    values = np.array([[None] * (longest - len(row)) + row for row in rows], float)
    weights = np.array([[draw.choice([1, 2, 5]) for _ in row] for row in values], float)
    together = trend.fit(values, weights)
    turned = trend.fit(values[::-1], weights[::-1] * 0.3).take(np.arange(len(rows))[::-1])
    columns = trend.fit(np.asfortranarray(values), np.asfortranarray(weights))
    for row in range(len(rows)):
        alone = trend.fit(values[row], weights[row])
        for name in ("number", "slope", "slope_error", "t", "p", "end", "end_error"):
            told, other, same, scaled = (
                float(getattr(each, name)[place])
                for each, place in ((alone, 0), (together, row), (columns, row), (turned, row))
            )
            assert [repr(other), repr(same)] == [repr(told)] * 2, name  # to the last bit
            assert scaled == pytest.approx(told, rel=1e-9, abs=1e-9, nan_ok=True), name


class TestNothingToSay:
    """Undefined is undefined, and never significant."""

    @pytest.mark.parametrize("values", [[np.nan] * 5, [0.5], [0.1, 0.9], [0.1, np.nan, 0.9]])
    def test_no_line(self, values: list[float]) -> None:
        told = trend.fit(values, 1)
        assert not told.fitted
        assert not told.tested
        assert np.isnan([told.slope, told.slope_error, told.end, told.end_error, told.p]).all()
        assert not told.used.any()
        self.nothing_significant(told)
        assert np.isnan(np.ravel(assumptions.check(told).spearman)).all()

    @pytest.mark.parametrize("value", [0.0, 1.0, 0.7, 1 / 3, 1e-9])
    def test_no_change(self, value: float) -> None:
        told = trend.fit([value] * 6, [0.1, 0.7, 3, 2, 0.3, 1])
        assert (told.slope, told.slope_error, told.end) == (0, 0, value)
        self.nothing_significant(told)
        checks = assumptions.check(told)
        assert np.isnan([*checks.spearman, *checks.normality, checks.durbin_watson]).all()
        assert checks.independence() == -1

    def test_no_residual(self) -> None:
        told = trend.fit([0.1 * batch for batch in range(8)], [1, 2, 3, 4, 5, 4, 3, 2])
        assert told.slope == pytest.approx(0.1)
        assert (told.slope_error, told.end_error) == (0, 0)
        self.nothing_significant(told)
        assert np.isnan(told.end_interval()).all()
        assert np.ravel(assumptions.check(told).spearman).tolist() == [1, 0]

    def test_a_line_held_by_one_batch(self) -> None:
        told = trend.fit([0.3, 0.1, 0.9, 0.2], [1, 1e-14, 1e-14, 1])
        assert told.fitted
        assert np.isnan([told.slope_error, told.end_error, told.p]).all()
        self.nothing_significant(told)

    def test_weights_beyond_all_proportion(self) -> None:
        told = trend.fit([0.3, 0.1, 0.9, 0.2], [1e200, 1e-200, 1e-200, 1e-200])
        assert not told.fitted
        self.nothing_significant(told)

    def test_what_cannot_be_used_is_left_out(self) -> None:
        values, weights = [0.1, np.inf, 0.5, 0.4, 9, 9], [1, 1, 1, 1, -1, np.nan]
        told = trend.fit(values, weights)
        assert told.used.tolist() == [[True, False, True, True, False, False]]
        assert told.tested

    def test_no_series(self) -> None:
        told = trend.fit(np.empty((0, 5)), 1)
        assert told.p.shape == told.slope.shape == (0,)
        assert assumptions.check(told).independence().shape == (0,)

    def test_z_of_two_without_error(self) -> None:
        sure = trend.Estimate(np.array([0.0, 1.0]), np.zeros(2))
        unknown = trend.Estimate(np.ones(2), np.full(2, np.nan))
        assert np.isnan(trend.z_test(sure, sure)).all()
        assert not trend.z_test(sure, unknown).significant().any()

    def nothing_significant(self, told: trend.Trend) -> None:
        assert np.isnan([told.t, told.p, *told.height]).all()
        assert not told.rise.significant()
        assert not told.height.significant(1.0)


class TestAssumptions:
    """Against other packages, and against the law of what they say they compute."""

    @pytest.mark.parametrize("batches", [3, 8, 40])
    def test_spearman_and_normality_are_others(self, batches: int) -> None:
        draw = np.random.default_rng(batches)
        values = np.round(draw.normal(size=(30, batches)), 1)
        usable = draw.random(values.shape) < (1 if batches == 3 else 0.8)
        rho, p = assumptions.spearman(values, usable)
        squared, normal = assumptions.anderson_darling(values, usable)
        for row, here in enumerate(usable):
            given = values[row, here]
            ranked = stats.spearmanr(np.arange(len(given)), given)
            assert (rho[row], p[row]) == pytest.approx(tuple(ranked), rel=1e-9, abs=1e-12)
            expected = normal_ad(given)
            assert (squared[row], normal[row]) == pytest.approx(expected, rel=1e-9)

    def test_normality_is_refused_for_good(self) -> None:
        """The fitted curve of p turns upwards for large A squared: ours doesn't."""
        values = np.zeros((1, 3000))
        values[0, :3] = 1, 2, 3
        told = assumptions.anderson_darling(values, np.ones(values.shape, bool))
        assert told.statistic > 500
        assert told.p < 1e-100

    def test_bounds_hold_the_law_of_any_design(self) -> None:
        """For the plain line the law of d is known too; its quantile lies between the bounds."""
        number = 10
        away = np.arange(number) - (number - 1) / 2
        left = np.eye(number) - 1 / number - np.outer(away, away) / (away**2).sum()
        steps = np.diff(np.eye(number), axis=0)
        roots = np.sort(np.linalg.eigvalsh(left @ steps.T @ steps @ left))[2:]
        low, high = assumptions.durbin_watson_bounds(np.array([number]))
        assert assumptions.positive(low - roots) < 0.05 < assumptions.positive(high - roots)

    def test_imhof_s_integral_is_a_chance(self) -> None:
        # a squared normal against another: F(1, 1); n against m: an F distribution
        for above, below, ratio in [(1, 1, 2.0), (2, 1, 0.5), (4, 6, 1.7), (60, 61, 1.1)]:
            roots = np.array([1.0] * above + [-ratio * above / below] * below)
            expected = stats.f.sf(ratio, above, below)
            assert assumptions.positive(roots) == pytest.approx(expected, rel=1e-9)

    def test_bounds_of_few(self) -> None:
        bounds = assumptions.durbin_watson_bounds(np.array([[0, 3], [4, 10], [10, 3]]))
        for bound in bounds:
            assert np.isnan(bound).tolist() == [[True, True], [False, False], [False, True]]
        assert bounds.low[1, 1] == bounds.low[2, 0] == pytest.approx(0.879128519909987)
        # two roots, 2 - sqrt 2 and 2: the ratio is theirs weighed by a squared cosine
        root = 2 - math.sqrt(2)
        expected = root + (2 - root) * math.sin(0.025 * math.pi) ** 2
        assert bounds.low[1, 0] == pytest.approx(expected)

    def test_the_verdict_asks_whether_residuals_follow_one_another(self) -> None:
        told = trend.fit([[0, 1] * 10, [0] * 5 + [1] * 10 + [0] * 5], 1)
        verdicts = assumptions.check(told).independence()
        assert [assumptions.VERDICTS[each] for each in verdicts] == [
            "negative-autocorrelation",
            "positive-autocorrelation",
        ]
        between = np.array([1.3])
        unsure = assumptions.Assumptions(np.array([20]), told.rise, told.rise, between)
        assert assumptions.VERDICTS[unsure.independence()[0]] == "inconclusive"

    @pytest.mark.parametrize("number", [4, 6, 20, 100])
    def test_both_sides_are_alike(self, number: int) -> None:
        """The law of d of random residuals is its own mirror image at 2."""
        d = np.array([0.1, 0.5, 1.0, 1.3, 1.7, 2.0])
        sides = (d, 4 - d)
        rest = trend.Outcome(d, d)
        low, high = (
            assumptions.Assumptions(np.full(6, number), rest, rest, side).independence()
            for side in sides
        )
        assert np.array([0, 1, 3])[low.clip(0, 2)].tolist() == high.tolist()

    def test_what_is_said_of_d(self) -> None:
        """By the bounds, 0.61 and 1.40 for six batches; between them by the value alone."""
        d = np.array([0.5, 0.8, 1.2, 2.0, 2.9, 3.2, 3.74, np.nan])
        rest = trend.Outcome(d, d)
        told = assumptions.Assumptions(np.full(8, 6), rest, rest, d).dependent().tolist()
        low, high, below, above = range(4)
        assert told == [low, below, -1, -1, -1, above, high, -1]
        assert [assumptions.DEPENDENT[at] for at in (high, above)] == [
            "negatively autocorrelated",
            "Durbin-Watson above 3",
        ]


class TestHowOftenTheyErr:
    """Where there is nothing to find, a test at 5 % finds it in one series of twenty."""

    def test_t_and_its_end_point(self) -> None:
        told = self.lines(*self.shocks(1, own=0.1))
        assert SIZE[0] < told.rise.significant().mean() < SIZE[1]
        low, high = told.end_interval()
        assert SIZE[0] < ((low > 0.5) | (high < 0.5)).mean() < SIZE[1]

    def test_z_of_independent_runs(self) -> None:
        one, other = (self.lines(*self.shocks(seed, own=0.1)) for seed in (2, 3))
        told = trend.z_test(one.slopes(), other.slopes())
        assert SIZE[0] < told.significant().mean() < SIZE[1]

    def test_shared_shocks_blind_z_but_not_the_pair(self) -> None:
        one, other = self.pair()
        assert trend.z_test(one.slopes(), other.slopes()).significant().mean() < 0.001
        assert trend.z_test(one.ends(), other.ends()).significant().mean() < 0.001
        told = trend.difference(one, other)
        assert SIZE[0] < told.rise.significant().mean() < SIZE[1]
        assert SIZE[0] < told.height.significant().mean() < SIZE[1]

    def test_a_real_difference_is_found_by_the_pair(self) -> None:
        one, other = self.pair(slope=0.001)
        assert trend.z_test(one.slopes(), other.slopes()).significant().mean() < 0.1
        told = trend.difference(one, other)
        assert told.rise.significant().mean() > 0.9
        assert told.height.significant().mean() > 0.9

    def test_normality_and_independence(self) -> None:
        checks = assumptions.check(trend.fit(np.random.default_rng(6).normal(size=(SERIES, 60)), 1))
        assert SIZE[0] < checks.normality.significant().mean() < SIZE[1]
        assert SIZE[0] < checks.spearman.significant().mean() < SIZE[1]
        verdicts = checks.independence()
        refused, unsure = (verdicts == 2).mean(), (verdicts == 1).mean()
        assert refused < 0.05 < refused + unsure

    def test_unequal_shocks_look_less_than_normal_unless_weighed(self) -> None:
        told = self.lines(*self.shocks(9, own=0.1))
        raw, weighed = (assumptions.check(told, weighted=each).normality for each in (False, True))
        assert raw.significant().mean() > SIZE[1]
        assert SIZE[0] < weighed.significant().mean() < SIZE[1]

    def pair(self, slope: float = 0.0) -> tuple[trend.Trend, trend.Trend]:
        shared, weights = self.shocks(4, own=0.1)
        rise = slope * np.arange(shared.shape[1])
        one, other = (self.shocks(seed, own=0.02)[0] - 0.5 for seed in (7, 8))
        return self.lines(shared + one + rise, weights), self.lines(shared + other, weights)

    def shocks(self, seed: int, own: float) -> tuple[np.ndarray, np.ndarray]:
        """Series around .5; the lighter a batch, the wilder."""
        draw = np.random.default_rng(seed)
        weights = draw.uniform(0.5, 2.0, (SERIES, 60))
        return 0.5 + own * draw.normal(size=weights.shape) / np.sqrt(weights), weights

    def lines(self, values: np.ndarray, weights: np.ndarray) -> trend.Trend:
        return trend.fit(values, weights)
