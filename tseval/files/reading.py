"""Reading tables from whatever is given: paths, inputs, pandas frames; one, or a run a file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from tseval.files.faults import FaultList
from tseval.files.frames import FrameInput, is_frame, read_frame, run_names
from tseval.files.inputs import Each, Input
from tseval.files.parquet import ParquetInput
from tseval.files.plain import Rows, read_rows
from tseval.tables import InputRecord, Schema
from tseval.tables.base import Table

if TYPE_CHECKING:
    import pandas as pd

    Given: TypeAlias = str | Path | Input | pd.DataFrame

Made = TypeVar("Made", bound=Table)


def input_of(given: Given, schema: Schema) -> Input:
    """What was given as an input, unless it is one."""
    if is_frame(given):
        return FrameInput(given, schema.table)
    return given if isinstance(given, Input) else Input(str(given))


def rows_of(source: Input, schema: Schema, form: str | None = None) -> Rows:
    """An input as the rows of a plain table; any fault is an `InputError`."""
    if isinstance(source, FrameInput):
        return read_frame(source, schema)
    return read_rows(source, schema, form)


def faults_of(source: Input, record: InputRecord) -> FaultList:
    """A list for the faults of an input that was read before."""
    is_parquet = record.unit == "row" and not isinstance(source, FrameInput)
    return FaultList(ParquetInput(source) if is_parquet else source)


def read_table(given: Given, schema: Schema, table: type[Made], form: str | None = None) -> Made:
    """One input as a table."""
    rows = rows_of(input_of(given, schema), schema, form)
    return table.of(rows.columns, rows.origin)


def read_runs(
    given: Sequence[Given],
    schema: Schema,
    table: type[Made],
    form: str | None = None,
    each: Each = map,
) -> Made:
    """One or more runs as one table; without a column `run` a run is called as its file.

    `each` reads one run after the other, or has them read somewhere else.
    """
    inputs = [input_of(one, schema) for one in given]
    read = partial(_read_run, schema=schema, table=table, form=form)
    return table.join(list(each(read, inputs, run_names(inputs))))


def _read_run(
    source: Input, name: str, schema: Schema, table: type[Made], form: str | None
) -> Made:
    rows = rows_of(source, schema, form)
    return table.of(rows.columns, rows.origin, name)
