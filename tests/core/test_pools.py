"""Measures of all topics taken together: at any time the last value of their curve, bit for bit."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from hypothesis import given

from tests import strategies as st
from tseval.core.kernel import Contributions, ratio
from tseval.core.results import ContributionResult

RUNS, TOPICS = 2, 3
STARTS = np.tile([0.0, 100.0, 1000.25], RUNS)
ROWS = st.lists(
    st.tuples(
        st.integers(0, RUNS * TOPICS - 1),
        st.sampled_from([-np.inf, 0.0, 1.0, 2.5, 7.0]),
        st.sampled_from([0.1, 0.2, 0.3, 0.7, 1e9, 3.0]),
    ),
    max_size=30,
)


def keys(unit: np.ndarray) -> dict[str, np.ndarray]:
    return {"run": unit // TOPICS, "topic": unit % TOPICS}


def account_of(rows: list[tuple[int, float, float]]) -> ContributionResult:
    unit, since, amount = (np.array([row[at] for row in rows]) for at in range(3))
    unit = unit.astype(np.int64)
    dated = {"time": since + STARTS[unit], "above": amount, "below": np.ones(len(unit))}
    table = pl.DataFrame({**keys(unit), **dated})
    units = pl.DataFrame(keys(np.arange(RUNS * TOPICS)))
    return ContributionResult(Contributions([table], ratio()), units)


@given(ROWS, st.sampled_from([0.5, 2.5, 3.0, np.inf]))
def test_a_value_is_the_last_of_the_curve_until_then(
    rows: list[tuple[int, float, float]], since: float
) -> None:
    account = account_of(rows)
    found = account.pooled_before(STARTS + since)
    change = account.pooled_changes(STARTS)
    for run in range(RUNS):
        until = np.flatnonzero((change.unit == run) & (change.time < since))
        last = change.values if len(until) else change.initial
        at = until[-1] if len(until) else run
        assert bool(found.defined[run]) == bool(last.defined[at])
        if found.defined[run]:
            assert float(found.value[run]) == float(last.value[at])


def test_amounts_are_added_up_exactly() -> None:
    account = account_of([(0, 3.0, 0.3), (1, 2.0, 0.2), (2, 1.0, 0.1)])
    found = account.pooled_before(np.full(RUNS * TOPICS, np.inf))
    assert float(found.value[0]) == math.fsum([0.1, 0.2, 0.3]) / 3
