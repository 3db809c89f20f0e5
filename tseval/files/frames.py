"""Tables from pandas frames; faults name the row, counted from 1."""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import pyarrow as pa

from tseval.errors import UsageError
from tseval.files.faults import FaultList
from tseval.files.inputs import STANDARD_INPUT, Input
from tseval.files.parquet import arrow_cells, refuse_kind
from tseval.files.plain import Rows, build, check_doubts, check_header
from tseval.files.tsv import UTF8_CURE
from tseval.tables import Schema

if TYPE_CHECKING:
    import pandas as pd


class FrameInput(Input):
    """A frame in the place of a file: it has rows and no lines to show."""

    unit = "row"

    def __init__(self, frame: pd.DataFrame, table: str) -> None:
        super().__init__(f"<{table}>")
        self.frame = (
            frame.copy()
        )  # its hash is made when it is asked for; it may be changed till then

    @property
    def is_table(self) -> bool:
        """It is a table as it stands."""
        return True

    @cached_property
    def sha256(self) -> str:
        """The hash of the frame as CSV, so that equal frames have equal hashes."""
        content = self.frame.to_csv(index=False)
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

    def lines(self, numbers: Collection[int]) -> dict[int, str]:
        """The rows as their values, separated by tabs."""
        picked = self.frame.iloc[[number - 1 for number in sorted(numbers)]]
        rows = ("\t".join(map(str, row)) for row in picked.itertuples(index=False))
        return dict(zip(sorted(numbers), rows, strict=True))


def is_frame(source: Any) -> TypeGuard[pd.DataFrame]:
    """Whether this is a pandas frame; pandas is not imported to find out."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.DataFrame)


def run_names(inputs: Sequence[Input]) -> list[str]:
    """What the run of each input is called if no column says: as its file, or `run` for a frame.

    Files of the same name go by their paths, several frames by their numbers. A space stands for
    each tab and line's end in a name, since no table of results could hold them.
    """
    short = ["run" if isinstance(each, FrameInput) else each.name for each in inputs]
    given = [_in_line(each.run_name or name) for each, name in zip(inputs, short, strict=True)]
    times = Counter(given)

    def called(at: int, each: Input) -> str:
        if times[given[at]] == 1 or each.run_name:
            return given[at]
        return f"{given[at]}{at + 1}" if isinstance(each, FrameInput) else _in_line(each.path)

    return [called(at, each) for at, each in enumerate(inputs)]


def _in_line(name: str) -> str:
    return re.sub(r"[\t\r\n]", " ", name)


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


def check_inputs(paths: Sequence[Any]) -> None:
    """Standard input can be read for one table alone."""
    if sum(str(path) == STANDARD_INPUT for path in paths if not is_frame(path)) > 1:
        raise UsageError("standard input (-) can stand for one file only")
