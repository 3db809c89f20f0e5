"""Columns of names, coded by another vocabulary."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from tests import strategies as st
from tseval.tables.arrow import strings
from tseval.tables.columns import ABSENT, Ids

NAMES = st.sampled_from([f"n{at}" for at in range(12)])


@given(st.lists(NAMES), st.lists(NAMES, unique=True))
def test_a_column_is_coded_by_a_shorter_or_longer_vocabulary(
    column: list[str], vocabulary: list[str]
) -> None:
    found = Ids.of(column).within(strings(vocabulary))
    expected = [vocabulary.index(name) if name in vocabulary else ABSENT for name in column]
    assert found.dtype == np.int64
    assert found.tolist() == expected
