"""Tables from pandas frames; faults name the row, counted from 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tseval.files.parquet import arrow_cells, refuse_kind
from tseval.files.plain import Rows, build, check_doubts, check_header
from tseval.io.faults import FaultList
from tseval.io.given import FrameInput
from tseval.io.schema import Schema
from tseval.io.text_lines import UTF8_CURE

if TYPE_CHECKING:
    import pandas as pd


def read_frame(source: FrameInput, schema: Schema) -> Rows:
    """Read a frame as a table of this schema; any fault is an `InputError`."""
    schema = schema.called(source.columns)
    frame, faults = source.frame, FaultList(source)
    names = [str(name) for name in frame.columns]
    check_header(names, schema, faults)
    check_doubts(names, schema, faults)
    places = schema.placed(names)
    columns = {name: _arrow(frame.iloc[:, at], faults) for name, at in places.items()}
    faults.check()
    cells = arrow_cells(columns, schema, faults)
    rows = build(source, cells, schema, faults, schema.understood(names))
    faults.check()
    return rows


def _arrow(series: pd.Series[Any], faults: FaultList) -> Any:
    """A series as Arrow; objects of mixed types as strings."""
    if series.dtype.kind == "f" and isinstance(series.dtype, np.dtype):
        # NaN is no way to leave a number out: let it be refused. pandas.NA is one.
        return pa.array(series.to_numpy(), from_pandas=False)
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        _refuse_kinds(series, faults)
        missing = series.isna().tolist()
        cells = [None if m else str(v) for m, v in zip(missing, series.tolist(), strict=True)]
    for row, cell in enumerate(cells, start=1):
        if cell is not None and not _encodable(cell):
            reason = f"{series.name} holds half a character: not UTF-8"
            faults.add(row, reason, UTF8_CURE, "encoding")
            cells[row - 1] = None
    return pa.array(cells, pa.string())


def _refuse_kinds(series: pd.Series[Any], faults: FaultList) -> None:
    """Refuse periods and durations that stand among other objects."""
    kinds = {type(value).__name__ for value in series.tolist()}
    for found, kind in (("Period", "periods"), ("Timedelta", "durations")):
        if found in kinds:
            refuse_kind(str(series.name), kind, faults)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
