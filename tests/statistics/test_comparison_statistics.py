"""Tests, corrections, letters and rank correlations, held to their definitions and to scipy."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays
from scipy import stats

from tests import strategies as st
from tests.oracles import comparison as slow
from tseval.statistics import bootstrap, paired, ranks
from tseval.statistics.bootstrap import (
    Floats,
    column_sums,
    mean_intervals,
    sorted_quantiles,
    weighted_sums,
)

pytestmark = pytest.mark.small_times

SEED = np.random.SeedSequence(7)
TIED = st.integers(-3, 3).map(float)
"""Few different differences, so that ties and zeros are common."""
DIFFERENCES = st.lists(TIED | st.floats(-1, 1, allow_nan=False, width=16), min_size=1, max_size=9)
CHANCES = st.lists(st.sampled_from([0.0, 0.001, 0.01, 0.02, 0.04, 0.05, 0.2, 0.5, 1.0]), max_size=8)


def column(values: list[float]) -> np.ndarray:
    return np.array(values, float)[:, np.newaxis]


def same(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or a == pytest.approx(b, abs=1e-9)


# Tests


@given(DIFFERENCES)
def test_the_exact_randomisation_test_counts_all_ways(values: list[float]) -> None:
    assert same(
        float(paired.randomisation(column(values), SEED, 100)[0]), slow.randomisation(values)
    )


@given(st.lists(TIED, min_size=2, max_size=8))
@settings(max_examples=30)
def test_the_exact_randomisation_test_is_scipy_s(values: list[float]) -> None:
    theirs = stats.permutation_test(
        (np.array(values),), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert same(float(paired.randomisation(column(values), SEED, 100)[0]), float(theirs.pvalue))


def test_the_monte_carlo_test_comes_close_to_the_exact_one() -> None:
    rng = np.random.default_rng(3)
    for topics in (16, 20):
        some = rng.normal(0.25, 1, (topics, 6))
        exact = paired.randomisation(some, SEED, 100)
        signs = 2 * np.random.default_rng(1).integers(0, 2, (40_000, topics), np.int8) - 1
        far = paired._far(signs @ some, some).mean(axis=0)
        assert far == pytest.approx(exact, abs=0.012)


def test_small_p_values_are_drawn_until_they_are_known() -> None:
    """Of 30 whole differences the exact p is counted; what is drawn comes within its own error."""
    rng = np.random.default_rng(2)
    some = np.array([rng.integers(-6, 7, 30) + shift for shift in (0, 2, 3, 3, 4, 5)], float).T
    exact = [slow.randomisation_of_whole_numbers(each.astype(int).tolist()) for each in some.T]
    assert min(exact) < 1e-5 < 1e-3 < max(exact)
    number, most = 1000, 400_000
    drawn = paired.p_values(some, "randomisation", SEED, number, most)
    for p, true in zip(drawn.tolist(), exact, strict=True):
        seen = paired.ENOUGH if true * most > paired.ENOUGH else true * most
        assert p == pytest.approx(true, abs=(4 * math.sqrt(seen + 1) + 1) / max(seen, 1) * true)
    short = paired.p_values(some, "randomisation", SEED, number)
    assert (short >= 1 / (number + 1)).all()
    many = short > paired.ENOUGH / number
    assert many.any()
    assert (drawn[many] == short[many]).all()


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_a_p_value_that_stops_early_is_no_smaller_than_chance_allows(test: str) -> None:
    """Without a difference p is at most u in a share u of 4000 pairs, wherever it stopped."""
    rng = np.random.default_rng(8)
    p = paired.p_values(rng.normal(0, 1, (30, 4000)), test, SEED, 500, 20_000)
    for u in (0.002, 0.01, 0.05, 0.19, 0.21, 0.5):
        assert (p <= u).mean() < u + 4 * math.sqrt(u / 4000)
    stopped = (p < paired.ENOUGH / 500) & (p > paired.ENOUGH / 20_000)
    assert stopped.mean() == pytest.approx(0.195, abs=0.03)
    assert (paired.ENOUGH / p[stopped]) == pytest.approx(np.round(paired.ENOUGH / p[stopped]))


def test_the_smallest_p_is_what_a_clear_difference_gets() -> None:
    for topics in (2, 3, 4, 9, 20):
        clear = np.linspace(1, 2, topics)[:, np.newaxis]
        for test in ("randomisation", "wilcoxon"):
            least = paired.smallest_p(topics, test, 999)
            assert paired.p_values(clear, test, SEED, 999)[0] == pytest.approx(least)
    assert paired.smallest_p(30, "randomisation", 999) == 2**-19  # if 20 of them differ
    assert paired.smallest_p(1, "t", 99) == paired.smallest_p(1, "bootstrap", 99) == 1


def test_the_smallest_p_of_a_bootstrap_of_three_topics_is_above_a_twentieth() -> None:
    """Two of 27 draws are of one topic that is away from the mean: 2 / 27, whatever the scores."""
    rng = np.random.default_rng(4)
    some = rng.normal(3, 0.1, (3, 500))
    drawn = paired.p_values(some, "bootstrap", SEED, 20_000)
    assert paired.smallest_p(3, "bootstrap", 20_000) == pytest.approx(2 / 27)
    assert drawn.min() > 2 / 27 - 0.008


def test_the_monte_carlo_test_counts_what_was_seen_among_the_draws() -> None:
    clear = np.ones((paired.EXACT_SIGNS + 40, 1))
    assert paired.randomisation(clear, SEED, 999) == pytest.approx(1 / 1000)
    assert paired.bootstrap(
        clear + np.arange(60)[:, None] / 1e4, bootstrap.resamples(60, 1, 999)
    ) == (pytest.approx(1 / 1000))


@given(DIFFERENCES)
def test_wilcoxon_counts_all_signs_of_the_ranks(values: list[float]) -> None:
    assert same(float(paired.wilcoxon(column(values))[0]), slow.wilcoxon(values))


@given(
    st.lists(
        st.floats(-1, 1).filter(lambda x: abs(x) > 1e-6), min_size=1, max_size=40, unique_by=abs
    )
)
@settings(max_examples=40)
def test_wilcoxon_without_ties_is_scipy_s(values: list[float]) -> None:
    rounded = list({round(abs(v), 7): round(v, 7) for v in values}.values())
    theirs = stats.wilcoxon(np.array(rounded), method="exact").pvalue
    assert same(float(paired.wilcoxon(column(rounded))[0]), float(theirs))


def test_wilcoxon_of_many_topics_is_scipy_s_normal_approximation() -> None:
    rng = np.random.default_rng(0)
    many = np.round(rng.normal(0.1, 1, (200, 5)), 1)
    theirs = [stats.wilcoxon(c, zero_method="wilcox", correction=False).pvalue for c in many.T]
    assert paired.wilcoxon(many) == pytest.approx(theirs, abs=1e-9)


def test_t_is_scipy_s() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 15, 8))
    assert paired.t_test(a - b) == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=1e-12)


def test_where_nothing_differs_and_where_nothing_varies() -> None:
    flat, constant = np.zeros((5, 1)), np.full((5, 1), 0.1 + 0.2)
    draws = bootstrap.resamples(5, 0, 500)
    for p in (
        paired.t_test(flat),
        paired.wilcoxon(flat),
        paired.randomisation(flat, SEED, 500),
        paired.bootstrap(flat, draws),
    ):
        assert p.tolist() == [1.0]
    assert np.isnan(paired.t_test(constant)).all()
    assert np.isnan(paired.bootstrap(constant, draws)).all()
    assert paired.randomisation(constant, SEED, 500).tolist() == [2 / 2**5]
    assert paired.wilcoxon(constant).tolist() == [2 / 2**5]


def test_one_topic_tells_nothing() -> None:
    one = np.array([[0.3, 0.0]])
    assert np.isnan(paired.t_test(one)).tolist() == [True, False]
    assert np.isnan(paired.bootstrap(one, np.ones((200, 1), int))).tolist() == [True, False]
    assert paired.randomisation(one, SEED, 200).tolist() == [1, 1]
    assert np.isnan(paired.effects(one).d).all()


@pytest.mark.parametrize("test", paired.TESTS)
@pytest.mark.parametrize("topics", [12, 25])
def test_the_size_of_each_test_is_its_level(test: str, topics: int) -> None:
    """Where there is no difference, a test at .05 finds one in a twentieth of 1500 pairs."""
    rng = np.random.default_rng(topics)
    none = rng.normal(0, 1, (topics, 1500))
    found = (paired.p_values(none, test, SEED, 1000) <= 0.05).mean()
    assert 0.05 - 0.02 < found < 0.05 + 0.02


@pytest.mark.parametrize("test", paired.TESTS)
def test_the_power_of_each_test_is_that_of_t_or_nearly(test: str) -> None:
    """A difference of .8 standard deviations on 15 topics: Student's t finds it in 82 %."""
    rng = np.random.default_rng(5)
    some = rng.normal(0.8, 1, (15, 1000))
    found = (paired.p_values(some, test, SEED, 1000) <= 0.05).mean()
    assert found > 0.75


# Effects


def test_effect_sizes_by_their_formulas() -> None:
    rng = np.random.default_rng(2)
    some = rng.normal(0.4, 1, (11, 4))
    effect = paired.effects(some)
    d = some.mean(axis=0) / some.std(axis=0, ddof=1)
    assert effect.d == pytest.approx(d)
    exact = math.gamma(5) / (math.sqrt(5) * math.gamma(4.5))
    assert effect.g == pytest.approx(d * exact)
    assert exact == pytest.approx(1 - 3 / (4 * 10 - 1), abs=1e-3)


# Corrections


@given(CHANCES)
def test_corrections_by_definition(p: list[float]) -> None:
    given_p = np.array(p)
    assert paired.corrected(given_p, "holm") == pytest.approx(slow.holm(p), abs=1e-9)
    assert paired.corrected(given_p, "bh") == pytest.approx(slow.benjamini_hochberg(p), abs=1e-9)
    assert paired.corrected(given_p, "bonferroni") == pytest.approx(
        [min(1, each * len(p)) for each in p]
    )
    assert paired.corrected(given_p, "none").tolist() == p


def test_benjamini_hochberg_is_scipy_s() -> None:
    p = np.random.default_rng(1).random(30) ** 2
    assert paired.corrected(p, "bh") == pytest.approx(stats.false_discovery_control(p))


def test_what_could_not_be_judged_is_no_comparison() -> None:
    p = np.array([0.01, np.nan, 0.04])
    assert paired.corrected(p, "holm").tolist()[::2] == [0.02, 0.04]
    assert np.isnan(paired.corrected(p, "holm")[1])
    assert np.isnan(paired.corrected(np.array([np.nan]), "bh")).all()


# Letters

DIFFERENT = st.integers(1, 9).flatmap(
    lambda n: arrays(bool, (n, n), elements=st.booleans(), fill=st.nothing())
)


@given(DIFFERENT)
def test_two_runs_share_a_letter_if_and_only_if_they_do_not_differ(drawn: np.ndarray) -> None:
    differ = np.triu(drawn, 1)
    letters = paired.compact_letters(differ | differ.T)
    assert all(letters)
    for a, b in combinations(range(len(drawn)), 2):
        assert bool(_parted(letters[a]) & _parted(letters[b])) == (not differ[a, b])


@given(DIFFERENT)
def test_no_letter_could_be_done_without(drawn: np.ndarray) -> None:
    differ = np.triu(drawn, 1)
    letters = [_parted(each) for each in paired.compact_letters(differ | differ.T)]
    for name in set().union(*letters):
        rest = [each - {name} for each in letters]
        pairs = combinations(range(len(rest)), 2)
        broken = any(not rest[a] & rest[b] for a, b in pairs if not differ[a, b])
        assert broken or not all(rest)


def test_a_set_that_later_ones_make_needless_is_dropped() -> None:
    differ = np.zeros((6, 6), bool)
    for a, b in ((0, 4), (1, 2), (1, 5), (3, 5)):
        differ[a, b] = differ[b, a] = True
    letters = paired.compact_letters(differ)
    assert set("".join(letters)) == set("abcde")  # six were found before one was dropped
    for a, b in combinations(range(6), 2):
        assert bool(set(letters[a]) & set(letters[b])) == (not differ[a, b])


def _parted(text: str) -> set[str]:
    """The letters of a run: each a character with the marks behind it."""
    found: list[str] = []
    for character in text:
        if character == "'":
            found[-1] += character
        else:
            found.append(character)
    assert len(found) == len(set(found))
    return set(found)


def test_letters_by_hand() -> None:
    # a and b, b and c are alike; a and c differ; d differs from all
    differ = np.array([[0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 1], [1, 1, 1, 0]], bool)
    assert paired.compact_letters(differ) == ["a", "ab", "b", "c"]
    assert paired.compact_letters(~np.eye(28, dtype=bool))[25:] == ["z", "a'", "b'"]


# Intervals


def test_intervals_are_scipy_s() -> None:
    rng = np.random.default_rng(4)
    skewed = rng.lognormal(0, 1, (25, 3))
    draws = bootstrap.resamples(25, 1, 20_000)
    for method, theirs in (("percentile", "percentile"), ("bca", "BCa")):
        ours = mean_intervals(skewed, draws, method)
        for at in range(3):
            found = stats.bootstrap(
                (skewed[:, at],), np.mean, method=theirs, n_resamples=20_000, random_state=9
            ).confidence_interval
            assert ours[:, at] == pytest.approx([found.low, found.high], abs=0.06)


def test_the_studentised_interval_by_its_definition() -> None:
    values = np.array([0.1, 0.4, 0.2, 0.9, 0.5, 0.3, 0.35])
    draws = bootstrap.resamples(7, 2, 400)
    mean, error = values.mean(), values.std(ddof=1) / math.sqrt(7)
    ratios = []
    for times in draws:
        drawn = np.repeat(values, times)
        ratios.append((drawn.mean() - mean) / (drawn.std(ddof=1) / math.sqrt(7)))
    low, high = np.quantile(ratios, [0.975, 0.025])
    found = mean_intervals(values[:, None], draws, "studentised")[:, 0]
    assert found == pytest.approx([mean - low * error, mean - high * error])


def test_studentised_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(6)
    draws = bootstrap.resamples(15, 3, 1000)
    for sample, truth in ((rng.normal(0, 1, (15, 800)), 0), (rng.beta(0.5, 5, (15, 800)), 1 / 11)):
        low, high = mean_intervals(sample, draws, "studentised")
        assert 0.92 < ((low <= truth) & (truth <= high)).mean() < 0.975
        below, above = mean_intervals(sample, draws, "percentile")
        assert ((below <= truth) & (truth <= above)).mean() < 0.93


def test_intervals_of_little() -> None:
    draws = bootstrap.resamples(4, 0, 300)
    for method in bootstrap.INTERVALS:
        assert np.isnan(mean_intervals(np.array([[0.5]]), np.ones((300, 1), int), method)).all()
        assert mean_intervals(np.full((4, 1), 0.3), draws, method) == pytest.approx(0.3)
    two = mean_intervals(np.array([[0.2], [0.4]]), bootstrap.resamples(2, 0, 300), "studentised")
    assert np.isnan(two).all()


@given(arrays(float, (7, 3), elements=st.floats(-5, 5)), st.floats(0, 1))
def test_quantiles_are_numpy_s(values: np.ndarray, share: float) -> None:
    found = sorted_quantiles(values, np.full((1, 3), share))
    assert found[0] == pytest.approx(np.quantile(values, share, axis=0), abs=1e-12)


@pytest.mark.parametrize("columns", [2, 40])
def test_quantiles_leave_out_what_is_undefined(columns: int) -> None:
    """Of few columns, whose places alone are found, and of many, which are sorted."""
    values = np.random.default_rng(columns).normal(size=(301, columns))
    for at in range(columns):
        values[: 5 * at, at] = np.nan
    shares = np.array([[0.025], [0.6], [1.0]]) * np.ones(columns)
    found = sorted_quantiles(values, shares)
    assert found == pytest.approx(np.nanquantile(values, shares[:, 0], axis=0), abs=1e-12)


def test_a_mean_s_interval_hangs_on_no_other_mean() -> None:
    rng = np.random.default_rng(8)
    many, draws = rng.random((30, 7)), bootstrap.resamples(30, 0, 2000)
    for method in bootstrap.INTERVALS:
        alone = np.hstack([mean_intervals(many[:, [at]], draws, method) for at in range(7)])
        assert np.array_equal(mean_intervals(many, draws, method), alone)


def test_chance_means_by_definition() -> None:
    values = np.array([0.1, 0.4, 0.2, 0.9])
    draws = bootstrap.resamples(4, 2, 300)
    means = [abs(np.repeat(values - values.mean(), times).mean()) for times in draws]
    found = bootstrap.chance_means(values[:, None], draws, 0.9)
    assert found == pytest.approx(np.quantile(means, 0.9))


# Seeds


def test_seeds_follow_the_names_alone() -> None:
    def first(*names: str, seed: int = 0) -> int:
        return int(np.random.default_rng(bootstrap.seeded(seed, *names)).integers(2**62))

    assert first("a", "b") == first("a", "b")
    others = {first("a", "b"), first("b", "a"), first("ab"), first("a"), first("a", "b", seed=1)}
    assert len(others | {first("a", "b", seed=-1)}) == 6


# Ranks

LISTS = st.integers(1, 7).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 4).map(float), min_size=n, max_size=n),) * 2)
)


def overlap(a: Floats, b: Floats, persistence: float = ranks.PERSISTENCE) -> float:
    """The rank-biased overlap of two lists."""
    return float(ranks.overlap_rows(a[np.newaxis], b[np.newaxis], persistence)[0])


@given(LISTS, st.sampled_from([0.5, 0.9]))
def test_rank_correlations_by_definition(lists: tuple[list[float], ...], p: float) -> None:
    a, b = (np.array(each) for each in lists)
    assert same(ranks.kendall(a, b), slow.tau_b(*lists))
    assert same(ranks.tau_ap(a, b), slow.tau_ap(*lists))
    assert same(overlap(a, b, p), slow.rank_biased_overlap(lists[0], lists[1], p))


def test_tau_ap_without_ties_is_the_published_one() -> None:
    truth = [0, 1, 2, 3]
    for ranking in permutations(truth):
        ours = np.array([-float(ranking.index(item)) for item in truth])
        theirs = -np.arange(4.0)
        both = (slow.yilmaz_tau_ap(ranking, truth) + slow.yilmaz_tau_ap(truth, ranking)) / 2
        assert ranks.tau_ap(ours, theirs) == pytest.approx(both)


def test_tau_is_scipy_s_and_equal_rankings_agree_in_full() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 6, (2, 40)).astype(float)
    assert ranks.kendall(a, b) == pytest.approx(stats.kendalltau(a, b).statistic)
    for coefficient in (ranks.kendall, ranks.tau_ap, overlap):
        assert coefficient(a, a) == pytest.approx(1)
        assert math.isnan(coefficient(np.array([1.0, np.nan]), np.array([1.0, 2.0])))


def test_the_top_weighs_more_with_tau_ap_and_overlap() -> None:
    truth = np.arange(10.0)[::-1]
    top, bottom = truth.copy(), truth.copy()
    top[[0, 1]], bottom[[8, 9]] = truth[[1, 0]], truth[[9, 8]]
    assert ranks.kendall(truth, top) == pytest.approx(ranks.kendall(truth, bottom))
    for coefficient in (ranks.tau_ap, overlap):
        assert coefficient(truth, top) < coefficient(truth, bottom)


CUBES = st.tuples(st.integers(2, 4), st.integers(1, 4)).flatmap(
    lambda shape: st.tuples(
        *(arrays(float, shape, elements=st.sampled_from([0.0, 0.25, 0.5, 1.0, math.nan])),) * 2,
        st.lists(st.integers(0, shape[1] - 1), min_size=shape[1], max_size=shape[1]),
    )
)


@given(CUBES)
def test_a_resample_is_what_its_topics_say_when_written_out(
    drawn: tuple[np.ndarray, np.ndarray, list[int]],
) -> None:
    a, b, topics = drawn
    times = np.bincount(topics, minlength=a.shape[1])[np.newaxis]
    found = ranks.rank_correlations(a, b, times, 0.8)
    known = np.isfinite(a) & np.isfinite(b)
    ours, theirs = (np.where(known, each, np.nan)[:, topics] for each in (a, b))
    slowly = {
        "tau-b": slow.tau_b,
        "tau-AP": slow.tau_ap,
        "RBO": lambda x, y: slow.rank_biased_overlap(x, y, 0.8),
    }
    for name, coefficient in slowly.items():

        def of(x: np.ndarray, y: np.ndarray, coefficient: object = coefficient) -> float:
            kept = np.isfinite(x) & np.isfinite(y)
            return coefficient(x[kept].tolist(), y[kept].tolist())  # type: ignore[operator]

        means = [np.round(ranks.known_means(each), 12) for each in (ours, theirs)]
        assert same(float(found["run means", name][0]), of(*means)), name
        assert same(float(found["all pairs", name][0]), of(ours.ravel(), theirs.ravel())), name
        each = [of(x, y) for x, y in zip(ours.T, theirs.T, strict=True)]
        defined = [value for value in each if not math.isnan(value)]
        expected = sum(defined) / len(defined) if defined else math.nan
        assert same(float(found["within topics", name][0]), expected), name


@pytest.mark.parametrize(("draws", "columns"), [(1, 1), (1, 3000), (100, 7), (40_000, 3)])
def test_weighted_sums_are_added_up_topic_by_topic(draws: int, columns: int) -> None:
    """To the last digit, however many there are: those of a column alone are the same."""
    random = np.random.default_rng(draws)
    values = random.normal(size=(12, columns)) * 10.0 ** random.integers(-9, 9, (12, columns))
    times = bootstrap.resamples(12, 3, draws)
    found = weighted_sums(times, values)
    slow = np.zeros((draws, columns))
    for topic in range(12):
        slow = slow + times[:, [topic]] * values[topic]
    assert (found == slow).all()
    assert (weighted_sums(times, values[:, -1:]) == found[:, -1:]).all()


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_draws_and_p_values_are_the_same_however_few_draws_are_held_at_once(
    test: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    differences = np.random.default_rng(3).normal(0.5, 1, (37, 3))

    def found() -> tuple[list[float], list[list[int]], list[list[int]], list[list[float]]]:
        draws = bootstrap.resamples(37, SEED, 203)
        signs = np.vstack(list(paired._sign_blocks(37, SEED, 203)))
        p = paired.p_values(differences, test, SEED, 203, 2000)
        sums = weighted_sums(draws, differences)
        return p.tolist(), draws.tolist(), signs.tolist(), sums.tolist()

    whole = found()
    assert len(list(paired._sign_blocks(37, SEED, 203))) == 1
    plain = 2 * np.random.default_rng(SEED).integers(0, 2, (203, 37), np.int8) - 1
    assert whole[2] == plain.tolist()
    monkeypatch.setattr(bootstrap, "BLOCK", 37 + 5)
    assert len(list(paired._sign_blocks(37, SEED, 203))) > 20
    assert found() == whole


def test_each_draw_is_of_as_many_topics() -> None:
    """The draws of a generator, counted one by one."""
    drawn = np.random.default_rng(5).integers(0, 4, (300, 4))
    counted = [[row.count(topic) for topic in range(4)] for row in drawn.tolist()]
    assert bootstrap.resamples(4, 5, 300).tolist() == counted
    assert bootstrap.resamples(0, 5, 2).tolist() == [[], []]


@pytest.mark.parametrize(("topics", "columns"), [(1, 1), (3, 40), (40, 3), (9000, 2)])
def test_sums_over_topics_are_those_of_weights_of_one(topics: int, columns: int) -> None:
    values = np.random.default_rng(topics).normal(size=(topics, columns))
    values[:, 0] = -0.0
    ones = weighted_sums(np.ones((1, topics), np.int64), values)
    one_by_one = np.zeros(columns)
    for row in values:
        one_by_one += row
    assert column_sums(values).tobytes() == ones.ravel().tobytes() == one_by_one.tobytes()
