"""Agreement, intervals and rank correlation: by hand, against slow twins, and at the edges."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import kendalltau

from tests import strategies as st
from tseval.statistics import agreement, bootstrap, ranks

TALLIES = st.integers(1, 6).flatmap(
    lambda bins: st.lists(
        st.tuples(
            st.lists(st.integers(0, 4), min_size=bins, max_size=bins),
            st.lists(st.integers(0, 4), min_size=bins, max_size=bins),
        ),
        min_size=1,
        max_size=4,
    )
)


def tally(drawn: list[tuple[list[int], list[int]]]) -> tuple[np.ndarray, np.ndarray]:
    true, other = zip(*drawn, strict=True)
    return np.array(true, float), np.array(other, float)


def spread(counts: np.ndarray) -> list[int]:
    """The bins of single pairs."""
    return [place for place, count in enumerate(counts) for _ in range(int(count))]


def same(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or a == pytest.approx(b, abs=1e-12)


@given(TALLIES)
def test_auc_is_the_share_of_pairs_in_order(drawn: list[tuple[list[int], list[int]]]) -> None:
    true, other = tally(drawn)
    for t, o in zip(true, other, strict=True):
        duels = [(a > b) + 0.5 * (a == b) for a, b in product(spread(t), spread(o))]
        expected = sum(duels) / len(duels) if duels else math.nan
        assert same(float(agreement.auc(t, o)), expected)
    assert agreement.auc(true, other).shape == (len(true),)


@given(TALLIES)
def test_average_precision_is_the_mean_over_true_pairs(
    drawn: list[tuple[list[int], list[int]]],
) -> None:
    true, other = tally(drawn)
    for t, o in zip(true, other, strict=True):
        shares = [t[place:].sum() / (t[place:].sum() + o[place:].sum()) for place in spread(t)]
        expected = sum(shares) / len(shares) if shares else math.nan
        assert same(float(agreement.average_precision(t, o)), expected)


@given(TALLIES)
def test_agreement_is_counted_pair_by_pair(drawn: list[tuple[list[int], list[int]]]) -> None:
    true, other = tally(drawn)
    told = agreement.agreement(true, other)
    for row, cut in product(range(len(true)), range(true.shape[1])):
        tp, fp = true[row, cut:].sum(), other[row, cut:].sum()
        fn, tn = true[row, :cut].sum(), other[row, :cut].sum()
        pairs = tp + fp + fn + tn
        chance = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / pairs if pairs else math.nan
        ratios = {
            "precision": (tp, tp + fp),
            "recall": (tp, tp + fn),
            "f1": (2 * tp, 2 * tp + fp + fn),
            "kappa": (tp + tn - chance, pairs - chance),
        }
        for name, (above, below) in ratios.items():
            expected = above / below if below else math.nan
            assert same(getattr(told, name)[row, cut], expected), name


def test_the_best_threshold_by_hand() -> None:
    true, other = np.array([0, 1, 0, 3.0]), np.array([9, 1, 1, 0.0])
    # from bin 1: 2*4/(4+6); from bin 3: 2*3/(3+4)
    assert agreement.best_threshold(true, other) == 3
    assert agreement.best_threshold(np.zeros(4), other) == 0


def test_leaving_a_topic_out_uses_the_others_alone() -> None:
    true = np.array([[0, 0, 5.0], [0, 5, 0], [0, 5, 0]])
    other = np.array([[0, 5, 0.0], [5, 0, 0], [5, 0, 0]])
    cuts, told = agreement.left_out(true, other)
    assert cuts.tolist() == [1, 1, 1]  # the first topic by itself would choose 2
    assert float(told.f1) == pytest.approx(2 * 15 / (15 + 20))
    alone, _ = agreement.left_out(true[:1], other[:1])
    assert alone.tolist() == [2]


@pytest.mark.parametrize("topics", [0, 1, 7, 300, 5000])
def test_compact_resamples_are_resamples(topics: int) -> None:
    compact = bootstrap.compact_resamples(topics, 3, 40)
    assert compact.tolist() == bootstrap.resamples(topics, 3, 40).tolist()
    assert compact.itemsize == 1


def test_compact_resamples_grow_with_what_they_count(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [np.array([[3, 0]]), np.array([[0, 256]]), np.array([[70_000, 1]]), np.array([[1, 2]])]
    monkeypatch.setattr(bootstrap, "resample_blocks", lambda *_: iter(blocks))
    compact = bootstrap.compact_resamples(2, 0, 4)
    assert compact.tolist() == np.concatenate(blocks).tolist()
    assert compact.itemsize == 4


def test_resamples_repeat_with_their_seed() -> None:
    draws = bootstrap.resamples(5, seed=3)
    assert draws.shape == (1000, 5)
    assert (draws.sum(axis=1) == 5).all()
    assert np.array_equal(draws, bootstrap.resamples(5, seed=3))
    assert not np.array_equal(draws, bootstrap.resamples(5, seed=4))
    assert (bootstrap.resamples(1, seed=0) == 1).all()


def test_an_interval_leaves_the_undefined_out() -> None:
    values = np.concatenate([np.arange(101.0), [np.nan] * 50])
    assert bootstrap.interval(values) == pytest.approx((2.5, 97.5))
    assert all(map(math.isnan, bootstrap.interval(np.array([np.nan]))))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12))
def test_tau_is_scipy_s(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs, float).T
    constant = len(set(a.tolist())) == 1 or len(set(b.tolist())) == 1
    expected = math.nan if constant else float(kendalltau(a, b).statistic)
    assert same(ranks.kendall(a, b), expected)


def test_p_of_tau_by_hand_and_at_the_edges() -> None:
    # only 1 of the 24 orders of four agrees as well as the same one, and 1 disagrees as well
    assert ranks.kendall_p(np.arange(4.0), np.arange(4.0)) == pytest.approx(2 / 24)
    assert ranks.kendall_p(np.arange(4.0), -np.arange(4.0)) == pytest.approx(2 / 24)
    assert math.isnan(ranks.kendall_p(np.ones(4), np.arange(4.0)))
    assert math.isnan(ranks.kendall_p(np.array([1.0, np.nan]), np.array([1.0, 2.0])))


def levels(a: np.ndarray, b: np.ndarray) -> dict[str, float]:
    """Tau at each level, by the definition."""
    return {
        "run means": ranks.kendall(ranks.known_means(a), ranks.known_means(b)),
        "within topics": ranks.mean_defined(ranks.kendall_rows(a.T, b.T)),
        "all pairs": ranks.kendall(a.ravel(), b.ravel()),
    }


def test_tau_at_three_levels() -> None:
    ours = np.array([[0.9, 0.1], [0.5, 0.4], [0.1, np.nan]])
    theirs = np.array([[0.8, 0.2], [0.6, 0.6], [0.2, 0.5]])
    told = levels(ours, theirs)
    assert tuple(told) == ranks.LEVELS
    assert told["run means"] == pytest.approx(1 / 3)  # .5 .45 .1 against .5 .6 .35
    assert told["within topics"] == 1
    assert told["all pairs"] == pytest.approx(16 / math.sqrt(18 * 16))
    assert math.isnan(ranks.kendall(np.array([1.0, np.nan]), np.array([1.0, 2.0])))
    assert math.isnan(levels(ours[:1], theirs[:1])["run means"])


@given(st.integers(1, 6), st.integers(1, 24), st.data())
def test_tau_of_drawn_topics_is_that_of_each_draw_to_the_last_bit(
    runs: int, topics: int, data: st.DataObject
) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    ours, theirs = rng.integers(0, 9, (2, runs, topics)) / 7
    for each in (ours, theirs):
        each[rng.random(each.shape) < data.draw(st.sampled_from((0, 0.2, 0.9)))] = math.nan
    times = rng.multinomial(topics, [1 / topics] * topics, size=5)
    drawn = ranks.kendall_drawn(ours, theirs, times)
    for at, row in enumerate(times):
        places = np.repeat(np.arange(topics), row)
        told = levels(ours[:, places], theirs[:, places])
        assert {level: repr(float(each[at])) for level, each in drawn.items()} == {
            level: repr(tau) for level, tau in told.items()
        }
