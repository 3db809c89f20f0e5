"""The mean over topics is that of a run and a measure, whatever stands beside them."""

from __future__ import annotations

import numpy as np
import pytest

from tseval.core.results import Values
from tseval.core.scores import over_topics

SHARES = [0.1] * 10
"""So many numbers have other sums if they are added in pairs."""


@pytest.mark.parametrize("company", [0, 1, 4])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_mean_is_added_up_topic_by_topic(company: int, order: str) -> None:
    shares = np.array([[[share] * (1 + company) for share in SHARES]] * (1 + company))
    value = np.asarray(shares, order=order)  # type: ignore[call-overload]
    values = Values(value, np.ones(value.shape, bool))
    found = over_topics(values, np.ones(value.shape, bool), undefined_as_zero=False)
    sum_of_all = 0.0
    for share in SHARES:
        sum_of_all += share
    assert sum_of_all != np.array(SHARES).sum()
    assert (found.value == sum_of_all / len(SHARES)).all()


def test_without_topics_there_is_no_mean() -> None:
    nothing = Values(np.zeros((2, 0, 3)), np.zeros((2, 0, 3), bool))
    found = over_topics(nothing, nothing.defined, undefined_as_zero=True)
    assert (found.value.shape, found.defined.any()) == ((2, 3), False)
