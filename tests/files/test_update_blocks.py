"""Blocks of updates have as many rows as were asked for, however a file is read."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tseval.files.cells import Cells
from tseval.files.update_blocks import _of_size


@given(st.lists(st.integers(0, 6), max_size=6), st.integers(1, 8))
def test_blocks_have_the_rows_that_were_asked_for(sizes: list[int], rows: int) -> None:
    ends = np.cumsum([0, *sizes])
    read = [
        Cells({"a": pa.array([str(row) for row in range(start, end)], pa.string())}, lines)
        for start, end in pairwise(ends.tolist())
        for lines in (np.arange(start, end),)
    ]
    found = list(_of_size(iter(read), rows))
    lines = [line for each in found for line in each.lines.tolist()]
    assert lines == list(range(sum(sizes)))
    assert [cell for each in found for cell in each.columns["a"].to_pylist()] == list(
        map(str, lines)
    )
    assert [len(each.lines) for each in found[:-1]] == [rows] * len(found[:-1])
    assert not found or len(found[-1].lines) <= rows
