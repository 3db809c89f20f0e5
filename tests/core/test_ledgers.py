"""Ledgers: amounts in an order that no file's order touches, and sums that are made once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tests import strategies as st
from tseval.core.ledgers import Ledger

ROWS = st.lists(
    st.tuples(
        st.integers(0, 3), st.sampled_from([0.0, 1.0, 2.5]), st.sampled_from([-0.1, 0.1, 0.3, 0.7])
    ),
    max_size=40,
)


@given(ROWS)
def test_amounts_of_one_unit_and_time_stand_by_size_whatever_the_order_of_the_lines(
    rows: list[tuple[int, float, float]],
) -> None:
    wanted = sorted(rows)
    in_order = sorted(rows, key=lambda row: row[:2])  # as a file by time has it, ties as they come
    for lines in (rows, in_order):
        unit, time, amount = (np.array([row[at] for row in lines]) for at in range(3))
        ledger = Ledger.of(unit.astype(np.int64), time, amount)
        found = zip(ledger.unit.tolist(), ledger.time.tolist(), ledger.amount.tolist(), strict=True)
        assert list(found) == wanted


def test_the_sums_of_all_amounts_are_made_once_for_all_measures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[int] = []
    count = np.bincount

    def bincount(rows: np.ndarray, amounts: np.ndarray, units: int) -> np.ndarray:
        made.append(units)
        return count(rows, amounts, units)

    monkeypatch.setattr(np, "bincount", bincount)
    ledger = Ledger(np.array([0, 0, 2]), np.array([1.0, 2.0, 1.0]), np.array([0.5, 0.25, 4.0]))
    always = np.full(3, np.inf)
    for _ in range(19):
        assert ledger.before(always).tolist() == [0.75, 0.0, 4.0]
    assert made == [3]
    assert ledger.before(np.array([2.0, 2.0, 0.0])).tolist() == [0.5, 0.0, 0.0]
    with pytest.raises(ValueError, match="read-only"):
        ledger.before(always)[0] = 1.0
