"""Kappa and alpha: published examples, and the slow ones beside them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from tseval.statistics.agreement import cohen_kappa, coincidences, krippendorff_alpha


def counted(values: list[list[int]], names: int) -> np.ndarray:
    """How many say each name of each thing."""
    return np.array([[each.count(name) for name in range(names)] for each in values], float)


def test_kappa_of_the_textbook() -> None:
    """Cohen (1960), table 1: proportions of 200 diagnoses; kappa .492 by its rounded chance."""
    table = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]], float)
    assert cohen_kappa(table) == pytest.approx((140 / 200 - 0.41) / (1 - 0.41))


def test_alpha_of_krippendorffs_own_example() -> None:
    """Four observers, twelve units, five names, with gaps: .743 (Krippendorff 2011, section C)."""
    gap = -1
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, gap, gap, gap],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, gap, 3],
        [gap, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, gap],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, gap],
    ]
    units = [[each - 1 for each in unit if each != gap] for unit in zip(*observers, strict=True)]
    table = coincidences(counted(units, 5))
    assert table.sum() == 40
    assert krippendorff_alpha(table) == pytest.approx(0.743, abs=5e-4)


def test_what_says_nothing_is_undefined() -> None:
    assert math.isnan(cohen_kappa(np.zeros((2, 2))))
    assert math.isnan(cohen_kappa(np.array([[5.0, 0], [0, 0]])))
    assert math.isnan(krippendorff_alpha(np.zeros((2, 2))))
    assert math.isnan(krippendorff_alpha(coincidences(counted([[0, 0], [0]], 2))))


def slow_alpha(units: list[list[int]]) -> Fraction | None:
    """Observed by expected disagreement, over every two values of a thing, and of all."""
    told = [each for each in units if len(each) > 1]
    values = [value for each in told for value in each]
    observed = sum(
        (Fraction(sum(a != b for a, b in permutations(each, 2)), len(each) - 1) for each in told),
        Fraction(0),
    )
    expected = sum(a != b for a, b in permutations(values, 2))
    if not expected:
        return None
    return 1 - observed / len(values) / Fraction(expected, len(values) * (len(values) - 1))


@given(some.lists(some.lists(some.integers(0, 2), max_size=4), max_size=12))
def test_alpha_is_the_slow_one(units: list[list[int]]) -> None:
    found = float(krippendorff_alpha(coincidences(counted(units, 3).reshape(-1, 3))))
    slow = slow_alpha(units)
    assert math.isnan(found) if slow is None else found == pytest.approx(float(slow), abs=1e-9)


@given(some.lists(some.tuples(some.integers(0, 2), some.integers(0, 2)), max_size=30))
def test_kappa_is_the_slow_one(pairs: list[tuple[int, int]]) -> None:
    table = np.zeros((3, 3))
    for a, b in pairs:
        table[a, b] += 1
    number = len(pairs)
    chance = sum(
        Fraction(sum(a == name for a, _ in pairs) * sum(b == name for _, b in pairs), number**2)
        for name in range(3)
        if number
    )
    found = float(cohen_kappa(table))
    if not number or chance == 1:
        assert math.isnan(found)
    else:
        agreed = Fraction(sum(a == b for a, b in pairs), number)
        assert found == pytest.approx(float((agreed - chance) / (1 - chance)), abs=1e-9)


def test_tables_of_many_resamples_are_one_call() -> None:
    tables = np.random.default_rng(1).integers(0, 9, (7, 3, 2, 2)).astype(float)
    found = cohen_kappa(tables)
    assert found.shape == (7, 3)
    assert found[2, 1] == cohen_kappa(tables[2, 1])
