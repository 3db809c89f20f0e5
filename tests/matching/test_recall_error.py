"""What `tseval calibrate` says of recall, held to every draw that there could be."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from tests import strategies as st
from tests.program import MATCHES, NUGGETS, SWIFT, THOROUGH
from tests.program import tseval as program
from tseval.matching.calibration import RecallError
from tseval.matching.sampling import DEPTH


def slow_error(weights: list[Fraction], said: list[bool], drawn: int) -> float:
    """The root mean square error over all ways to draw so many nuggets one by one by weight."""
    recall = sum(weight for weight, yes in zip(weights, said, strict=True) if yes)
    square = Fraction(0)
    for draw in itertools.product(range(len(weights)), repeat=drawn):
        chance = math.prod((weights[each] for each in draw), start=Fraction(1))
        estimate = Fraction(sum(said[each] for each in draw), drawn)
        square += chance * (estimate - recall) ** 2
    return math.sqrt(square)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.booleans(), st.booleans()), min_size=1, max_size=4),
    st.integers(1, 4),
)
def test_the_error_is_that_of_nuggets_drawn_by_weight(
    nuggets: list[tuple[int, bool, bool]], drawn: int
) -> None:
    """Two runs: the mean over them of the square of the error."""
    total = sum(weight for weight, _, _ in nuggets)
    weights = [Fraction(weight, total) for weight, _, _ in nuggets]
    runs = [[nugget[at] for nugget in nuggets] for at in (1, 2)]
    expected = math.sqrt(sum(slow_error(weights, said, drawn) ** 2 for said in runs) / 2)
    recalls = np.array([[float(np.dot(weights, said))] for said in runs])
    found = RecallError.of(recalls, recalls, np.ones((1, 1), np.int64))
    assert found.after(drawn * DEPTH) == pytest.approx(expected, abs=1e-9)


def test_by_hand() -> None:
    """Recall .7 by nuggets of .5, .3 and .2: two draws are off by the root of .21 / 2."""
    recalls = np.array([[0.7, 0.7]])
    found = RecallError.of(recalls - 0.1, recalls, np.ones((1, 2), np.int64))
    assert found.after(20) == pytest.approx(math.sqrt(0.21 / 2))
    assert found.after(3) == pytest.approx(math.sqrt(0.21))
    assert found.sentence() == (
        "recall will come out 0.10 to 0.10 too low; judging 300 pairs of a run (tseval sample) "
        "would leave an error of about 0.08, that of 30 nuggets drawn by their weight"
    )


def test_one_topic_has_no_interval() -> None:
    found = RecallError.of(np.array([[0.6]]), np.array([[0.7]]), np.ones((1, 1), np.int64))
    assert found.sentence() == "one topic does not show how far recall will come out wrong"


def test_it_is_the_last_sentence_of_calibrate() -> None:
    told = program("calibrate", SWIFT, THOROUGH, NUGGETS, MATCHES, "--quiet").out
    (sentence,) = (each for each in told.splitlines() if each.startswith("By learned"))
    assert "judging 300 pairs of a run (tseval sample) would leave an error of about 0." in sentence
