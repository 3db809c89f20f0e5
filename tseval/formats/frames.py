"""Tables from pandas frames; faults name the row, counted from 1."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, TypeGuard

import pyarrow as pa

from tseval.formats.faults import FaultList
from tseval.formats.inputs import Input
from tseval.formats.parquet import arrow_cells
from tseval.formats.plain import Rows, build
from tseval.tables import Schema

if TYPE_CHECKING:
    import pandas as pd


class FrameInput(Input):
    """A frame in the place of a file: it has rows and no lines to show."""

    unit = "row"

    def __init__(self, frame: pd.DataFrame, table: str) -> None:
        super().__init__(f"<{table}>")
        self._frame = frame

    @property
    def sha256(self) -> str:
        """The hash of the frame as CSV, so that equal frames have equal hashes."""
        return hashlib.sha256(self._frame.to_csv(index=False).encode()).hexdigest()

    def lines(self, numbers: Collection[int]) -> dict[int, str]:
        """The rows as their values, separated by tabs."""
        picked = self._frame.iloc[[number - 1 for number in sorted(numbers)]]
        rows = ("\t".join(map(str, row)) for row in picked.itertuples(index=False))
        return dict(zip(sorted(numbers), rows, strict=True))


def is_frame(source: Any) -> TypeGuard[pd.DataFrame]:
    """Whether this is a pandas frame; pandas is not imported to find out."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.DataFrame)


def read_frame(frame: pd.DataFrame, schema: Schema) -> Rows:
    """Read a frame as a table of this schema; any fault is an `InputError`."""
    source = FrameInput(frame, schema.table)
    faults = FaultList(source)
    names = [str(name) for name in frame.columns]
    missing = schema.missing(names)
    if missing:
        faults.add(None, f"no column {', '.join(missing)}", f"here: {' '.join(names)}")
        faults.check()
    columns = {name: _arrow(frame.iloc[:, at]) for name, at in schema.placed(names).items()}
    rows = build(source, arrow_cells(columns, schema, faults), schema, faults)
    faults.check()
    return rows


def _arrow(series: pd.Series[Any]) -> Any:
    """A series as Arrow; objects of mixed types as strings."""
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        blank = series.isna()
        return pa.array(series.astype(str).mask(blank, None), pa.string(), from_pandas=True)
