"""Tiny cases, to be checked in the head, that guard the slow reference of filtering."""

from __future__ import annotations

import math

import pytest

from tests.oracles import filtering as slow
from tests.oracles.filtering import Counts, Options, Point

A1, A5, A12, B1, B3 = ("1-x", "a"), ("5-y", "a"), ("12-z", "a"), ("1-x", "b"), ("3-w", "b")
TRUTH = {A1: True, A5: False, A12: True, B1: False, B3: False}
RUN = {A1: 100.0, A5: 60.0, B1: 50.0, ("2-?", "b"): 90.0, ("11-?", "c"): 70.0}
OPTIONS = Options(0, 15, 10)


def test_ratings_become_a_truth() -> None:
    rows = [("1-x", "a", 2), ("1-x", "a", 1), ("1-x", "b", -1)]
    assert slow.judge(rows) == {A1: False, B1: False}
    assert slow.judge(rows, votes="any") == {A1: True, B1: False}
    assert slow.judge(rows, level="useful") == {A1: True, B1: False}
    assert slow.judge([("1-x", "a", 0)], level="neutral") == {A1: True}


def test_of_a_pair_returned_twice_the_higher_confidence_stays() -> None:
    assert slow.best([("1-x", "a", 3.0), ("1-x", "a", 7.0), ("1-x", "a", 5.0)]) == {A1: 7}


def test_a_last_shorter_batch() -> None:
    assert slow.batches(OPTIONS) == [(0, 10), (10, 15)]
    assert slow.batches(Options(0, 15, 10, partial="drop")) == [(0, 10)]
    assert slow.batches(Options(0, 20, 10)) == [(0, 10), (10, 20)]


def test_counts() -> None:
    first, second = slow.tallies(RUN, TRUTH, OPTIONS)
    assert first == {"a": Counts(tp=1, fp=1), "b": Counts(fp=1, tn=1)}
    assert second == {"a": Counts(fn=1)}
    first, second = slow.tallies(RUN, TRUTH, Options(0, 15, 10, unjudged="fp"))
    assert first["b"] == Counts(fp=2, tn=1)
    assert second == {"a": Counts(fn=1), "c": Counts(fp=1)}
    first, _ = slow.tallies(RUN, TRUTH, Options(0, 15, 10, cutoff=60))
    assert first == {"a": Counts(tp=1, fp=1), "b": Counts(tn=2)}


def test_metrics() -> None:
    counted = {"a": Counts(tp=1, fp=1), "b": Counts(fp=1, tn=3), "c": Counts(fn=1, tn=1)}
    found = {name: metric(counted, OPTIONS) for name, metric in slow.METRICS.items()}
    expected = {
        "P": 1 / 4,  # over a and c
        "R": 1 / 2,
        "A": (1 / 2 + 1 / 2 + 1) / 3,
        "F_pr": 1 / 3,
        "F_pra": 3 / (4 + 2 + 3 / 2),
        "F_1": 1 / 3,
        "T11U": (1 + 0) / 2,  # over a and c
        "T11NU": (1 / 2 + 0) / 2,
        "T11SU": (2 / 3 + 1 / 3) / 2,  # (1/2 + 1/2) / 1.5, (0 + 1/2) / 1.5
        "C_trk": (4.9 + 1) / 2,  # a: 4.9 for all false alarms; c: 1 for all missed
        "FPR": (1 + 1 / 4 + 0) / 3,
        "FDR": (1 / 2 + 1) / 2,
    }
    assert found == pytest.approx(expected)


def test_metrics_of_nothing() -> None:
    found = {name: metric({}, OPTIONS) for name, metric in slow.METRICS.items()}
    assert found == {**dict.fromkeys(slow.METRICS), "A": 1, "F_pra": 1}
    only_false = {"a": Counts(fp=1)}
    assert slow.f_pr(only_false, OPTIONS) is None
    assert slow.f_pra(only_false, OPTIONS) == 1 / 2
    assert slow.f_pra({"a": Counts(fn=1, fp=5)}, OPTIONS) == 0


def test_weights_are_shares_of_the_period() -> None:
    counted = slow.tallies(RUN, TRUTH, OPTIONS)
    assert [point.weight for point in slow.series(counted, "A", OPTIONS)] == [3 / 4, 1 / 4]
    own = Options(0, 15, 10, weights="own")
    assert [point.weight for point in slow.series(counted, "P", own)] == [1, 0]
    assert [point.weight for point in slow.series(counted, "R", own)] == [1 / 2, 1 / 2]


def test_a_document_of_two_entities_is_one_document() -> None:
    truth = {("1-x", "a"): True, ("1-x", "b"): True, ("2-y", "a"): False, ("12-z", "a"): True}
    run = {("1-x", "a"): 100.0, ("2-y", "a"): 100.0, ("3-w", "b"): 100.0}
    assert slow.documents(run, truth, OPTIONS) == [2, 1]
    assert slow.documents(run, truth, Options(0, 15, 10, unjudged="fp")) == [3, 1]
    counted = slow.tallies(run, truth, OPTIONS)
    assert [p.weight for p in slow.series(counted, "R", OPTIONS, [2, 1])] == [2 / 3, 1 / 3]


def test_the_whole_period_is_one_batch() -> None:
    assert slow.whole(RUN, TRUTH, "R", OPTIONS) == 1 / 2
    assert slow.whole(RUN, TRUTH, "R", Options(0, 15, 10, partial="drop")) == 1
    assert slow.whole(RUN, TRUTH, "R", Options(0, 5, 10, partial="drop")) is None


def test_a_line() -> None:
    points = [Point(value, 1.0) for value in (0.0, 1.0, 1.0, 3.0)]
    told = slow.line([*points, Point(None, 1.0), Point(9.0, 0.0)])
    assert told is not None
    assert (told.slope, told.intercept, told.number) == (pytest.approx(0.9), pytest.approx(-0.1), 4)
    assert told.error == pytest.approx(math.sqrt((4.5 + 1 / 49) / 25))
    assert told.end == pytest.approx(-0.1 + 5 * 0.9)
    assert slow.durbin_watson(told.residuals) == pytest.approx(2.03 / 0.7)
    assert slow.line(points[:2]) is None
    flat = slow.line([Point(0.7, 1.0)] * 5)
    assert flat is not None
    assert (flat.error, flat.t, slow.durbin_watson(flat.residuals)) == (0, None, None)


def test_the_sweep_takes_the_lowest_of_equals() -> None:
    run = {(f"{time}-x", "a"): 70.0 for time in (1, 11, 21)}
    truth = dict.fromkeys(run, True)
    chosen, ends = slow.sweep(run, truth, "F_pr", Options(0, 30, 10))
    assert chosen == 50
    assert (ends[50], ends[100], len(ends)) == (1, 0, 20)
    assert slow.sweep({}, {}, "F_pr", Options(0, 30, 10))[0] is None


def test_ranks_and_normality() -> None:
    assert slow.ranks([3, 1, 3]) == [2.5, 1, 2.5]
    assert slow.spearman([1, 2, 3]) == 1
    assert slow.spearman([1, 1, 1]) is None
    assert slow.anderson_darling([2, 2, 2]) is None


def test_the_official_scorer_is_strict_and_takes_each_best_by_itself() -> None:
    truth = {A1: True, A5: False, B1: False}
    run = {A1: 50.0, A5: 50.0, B1: 0.0}
    # above 0: A1 and A5 are returned; from 50 on nothing is
    assert slow.official(run, truth).su == pytest.approx((2 / 3 + 0) / 2)
    assert slow.official(run, truth).f == pytest.approx(2 / (4 + 2))
    alone = slow.official(run, truth, require_positives=1)
    assert (alone.f, alone.su) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert slow.official({}, truth).su == pytest.approx(1 / 6)


def test_bursts() -> None:
    truth = {("1-a", "a"): True, ("2-b", "a"): True, ("3-c", "a"): True, ("11-d", "a"): True}
    run = {("1-a", "a"): 99.0, ("2-b", "a"): 99.0, ("3-c", "a"): 99.0}
    options = Options(0, 30, 10)
    weights = slow.burst_weights(truth, slow.batches(options))
    assert weights == {("a", (0, 10)): 3 / 4 * 2, ("a", (10, 20)): 1 / 4 * 2}
    found = slow.burst(run, truth, "R", options)
    assert (found.uniform, found.weighted) == (1 / 2, 3 / 4)
    assert slow.burst(run, {}, "R", options) == slow.Burst(None, None)
