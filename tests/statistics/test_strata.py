"""Samples in strata: how probably units are drawn, what draws cost, and what totals they give."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings

from tests import strategies as st
from tests.oracles import corrected as slow
from tseval.statistics.strata import (
    STEPS,
    Drawn,
    Population,
    inclusions,
    largest_cost,
    rogan_gladen,
    strata_of,
    systematic,
    total_intervals,
)

SIZES = st.lists(st.floats(0.001, 100), min_size=1, max_size=12)


@given(SIZES, st.integers(1, 14))
def test_inclusions_add_up_to_the_number_drawn(sizes: list[float], number: int) -> None:
    found = inclusions(np.array(sizes), number)
    assert round(found.sum() * STEPS) == min(number, len(sizes)) * STEPS
    assert (found > 0).all()
    assert (found <= 1).all()
    assert np.array_equal(np.rint(found * STEPS) / STEPS, found)


@given(SIZES, st.integers(1, 8))
def test_inclusions_are_in_proportion_to_sizes(sizes: list[float], number: int) -> None:
    found, size = inclusions(np.array(sizes), number), np.array(sizes)
    chance = found < 1
    ratio = found[chance] / size[chance]
    assert np.allclose(found[chance], size[chance] * ratio, atol=1e-5)


@settings(max_examples=60)
@given(SIZES, st.integers(1, 6), st.integers(0, STEPS - 1))
def test_as_many_are_drawn_as_inclusions_say(sizes: list[float], number: int, start: int) -> None:
    inclusion = inclusions(np.array(sizes), number)
    drawn = systematic(inclusion, start)
    assert drawn.tolist() == slow.systematic(inclusion.tolist(), start)
    assert len(drawn) == min(number, len(sizes))


def test_each_is_drawn_as_often_as_its_inclusion_says() -> None:
    inclusion = np.array([0.25, 1.0, 0.4, 0.35, 0.6, 0.4])
    starts = range(0, STEPS, STEPS // 1000)
    drawn = np.concatenate([systematic(inclusion, start) for start in starts])
    assert np.allclose(np.bincount(drawn) / len(starts), inclusion, atol=1e-3)


@settings(max_examples=60)
@given(SIZES, st.integers(1, 6), st.data())
def test_the_largest_cost_is_that_of_the_dearest_draw(
    sizes: list[float], number: int, data: st.DataObject
) -> None:
    inclusion = inclusions(np.array(sizes), number)
    cost = np.array(
        data.draw(st.lists(st.integers(0, 9), min_size=len(sizes), max_size=len(sizes)))
    )
    ends = np.cumsum(np.rint(inclusion * STEPS)).astype(int)
    starts = {0, *(int(-end % STEPS) for end in ends)}
    dearest = max(cost[slow.systematic(inclusion.tolist(), start)].sum() for start in starts)
    assert largest_cost(inclusion, cost.astype(float)) == dearest


def test_strata_are_cut_at_quantiles() -> None:
    assert strata_of(np.arange(1, 11) / 10).tolist() == [0] * 5 + [1] * 2 + [2] * 2 + [3]
    assert strata_of(np.zeros(6)).tolist() == [0] * 6


def population(rows: int, seed: int = 0) -> Population:
    draw = np.random.default_rng(seed)
    likely = np.sort(draw.random(rows))
    return Population(
        strata_of(likely),
        draw.random(rows) + 0.1,
        np.full(rows, 0.3),
        draw.integers(1, 11, rows) * 1.0,
    )


@pytest.mark.parametrize("budget", [90, 150, 250, 10_000])
def test_no_draw_costs_more_than_the_budget(budget: int) -> None:
    mine = population(60)
    inclusion = mine.allocated(budget)
    for seed in range(50):
        chosen = mine.draw(inclusion, seed)
        assert mine.cost[chosen].sum() <= budget
        assert min(np.bincount(mine.stratum[chosen])) >= 2
    assert (inclusion == 1).all() == (budget == 10_000)


def test_a_budget_below_two_of_each_stratum_is_none() -> None:
    assert len(population(60).allocated(8)) == 0


def test_more_are_drawn_where_values_differ_more() -> None:
    stratum = np.repeat([0, 1], 50)
    spread = np.repeat([0.1, 0.4], 50)
    inclusion = Population(stratum, np.ones(100), spread, np.ones(100)).allocated(40)
    assert inclusion[:50].sum() == pytest.approx(8)
    assert inclusion[50:].sum() == pytest.approx(32)


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.floats(0.05, 1), st.floats(-1, 1), st.floats(0, 0.25)),
        min_size=1,
        max_size=9,
    )
)
def test_errors_are_those_of_the_slow_twin(units: list[tuple[int, float, float, float]]) -> None:
    stratum, inclusion, value, foreseen = (np.array(each) for each in zip(*units, strict=True))
    drawn = Drawn(stratum, inclusion)
    assert drawn.total(value[:, None])[0] == pytest.approx(sum(v / p for _, p, v, _ in units))
    assert drawn.error(value[:, None], foreseen[:, None])[0] == pytest.approx(slow.error(units))


@given(st.floats(-0.2, 1.2), st.floats(0, 0.5))
def test_intervals_are_those_of_the_slow_twin(value: float, error: float) -> None:
    found = total_intervals(np.array([value]), np.array([error]), share=True)[:, 0]
    assert found == pytest.approx(slow.interval(value, error), abs=1e-9)


def test_what_is_no_share_may_be_above_one() -> None:
    found = total_intervals(np.array([1.5, 0.1]), np.array([0.5, 0.5]), share=False)
    assert found[:, 0] == pytest.approx([0.520, 2.480], abs=1e-3)
    assert found[0, 1] == 0


def test_the_mean_over_all_draws_is_the_truth() -> None:
    """Horvitz and Thompson: whatever is foretold, estimates have no bias."""
    mine, draw = population(40), np.random.default_rng(1)
    values, foretold = draw.random(40) < 0.4, draw.random(40)
    inclusion = mine.allocated(150)
    for lambda_ in (0, 1):
        known = lambda_ * foretold * mine.size
        differs = (mine.size * values - known)[:, None]
        estimates = [
            known.sum() + Drawn(mine.stratum[rows], inclusion[rows]).total(differs[rows])[0]
            for seed in range(4000)
            for rows in [mine.draw(inclusion, seed)]
        ]
        truth = (mine.size * values).sum()
        standard = np.std(estimates) / np.sqrt(len(estimates))
        assert abs(np.mean(estimates) - truth) < 4 * standard


def test_estimates_are_those_of_ppi_python() -> None:
    """The numbers of ppi-python 0.2.3, `ppi_mean_pointestimate` with lam=1 and lam=0."""
    foretold = np.array(
        [0.9, 0.7, 0.6, 0.45, 0.3, 0.25, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.8, 0.02, 0.01, 0.35]
    )
    rows, true = np.array([0, 3, 5, 8, 12, 15]), np.array([1.0, 0, 1, 0, 1, 0])
    drawn = Drawn(np.zeros(6, int), np.full(6, 6 / 16))
    for lambda_, expected in ((1, 0.339375), (0, 0.5)):
        differs = true - lambda_ * foretold[rows]
        found = lambda_ * foretold.sum() + drawn.total(differs[:, None])[0]
        assert found / 16 == pytest.approx(expected)


def test_rogan_and_gladen_by_hand() -> None:
    """Of 100 nuggets 40 are said; found are 32 of them and 6 of the others."""
    assert rogan_gladen(np.array([0.38]), 0.8, 0.9)[0] == pytest.approx(0.4)


def test_all_pairs_of_a_budget_are_used_where_costs_are_even() -> None:
    stratum = np.repeat([0, 1, 2, 3], [50, 25, 15, 10])
    mine = Population(stratum, np.ones(100), np.full(100, 0.3), np.full(100, 10.0))
    for budget, seed in itertools.product((100, 300), range(5)):
        chosen = mine.draw(mine.allocated(budget), seed)
        assert mine.cost[chosen].sum() == budget


def test_the_worked_example() -> None:
    """The eight nuggets of docs/corrected-scores.md."""
    foretold = np.array([0.1, 0.1, 0.1, 0.1, 0.2, 0.3, 0.6, 0.9])
    stratum = strata_of(foretold)
    assert stratum.tolist() == [0, 0, 0, 0, 1, 1, 2, 3]
    rows = np.array([0, 2, 4, 5, 6, 7])
    drawn = Drawn(stratum[rows], np.array([0.5, 0.5, 1, 1, 1, 1]))
    said = np.array([1, 0, 0, 1, 1, 1])
    differs = ((said - foretold[rows]) / 8)[:, None]
    value = foretold.sum() / 8 + drawn.total(differs)
    assert value[0] == pytest.approx(0.625)
    foreseen = np.maximum(foretold[rows] * (1 - foretold[rows]), 0.05)[:, None] / 64
    error = drawn.error(differs, foreseen)
    assert error[0] == pytest.approx(0.119, abs=5e-4)
    low, high = total_intervals(value, error, share=True)[:, 0]
    assert (low, high) == pytest.approx((0.381, 0.818), abs=5e-4)
