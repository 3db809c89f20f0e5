"""Measures of all topics taken together: at any time the last value of their curve, bit for bit."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given

from tests import strategies as st
from tseval.core.ledgers import Account, Ledger, ratio

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


def account_of(rows: list[tuple[int, float, float]]) -> Account:
    unit, since, amount = (np.array([row[at] for row in rows]) for at in range(3))
    unit = unit.astype(np.int64)
    amounts = Ledger.of(unit, since + STARTS[unit], amount)
    return Account((amounts, Ledger.of(unit, amounts.time, np.ones(len(unit)))), ratio)


@given(ROWS, st.sampled_from([0.5, 2.5, 3.0, np.inf]))
def test_a_value_is_the_last_of_the_curve_until_then(
    rows: list[tuple[int, float, float]], since: float
) -> None:
    account = account_of(rows)
    found = account.pooled_before(STARTS, STARTS + since, TOPICS)
    change = account.pooled_changes(STARTS, TOPICS)
    for run in range(RUNS):
        until = np.flatnonzero((change.unit == run) & (change.time < since))
        last = change.values if len(until) else change.initial
        at = until[-1] if len(until) else run
        assert bool(found.defined[run]) == bool(last.defined[at])
        if found.defined[run]:
            assert float(found.value[run]) == float(last.value[at])


def test_amounts_are_added_up_exactly() -> None:
    account = account_of([(0, 3.0, 0.3), (1, 2.0, 0.2), (2, 1.0, 0.1)])
    found = account.pooled_before(STARTS, np.full(RUNS * TOPICS, np.inf), TOPICS)
    assert float(found.value[0]) == math.fsum([0.1, 0.2, 0.3]) / 3
