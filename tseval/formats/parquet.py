"""Tables as Parquet; rows stand for lines, counted from 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tseval.errors import Fault, InputError
from tseval.formats.cells import Cells
from tseval.tables import Column, Kind, Schema, Texts

if TYPE_CHECKING:
    from tseval.formats.faults import FaultList
    from tseval.formats.inputs import Input

MAGIC = b"PAR1"


def header(source: Input) -> list[str]:
    """The names of the columns."""
    with source.open() as stream:
        return list(_file(source, stream).schema_arrow.names)


def read_parquet(source: Input, schema: Schema, faults: FaultList) -> Cells:
    """Read the columns of the schema; a row with a null in a required column is a fault."""
    source.unit = "row"
    with source.open() as stream:
        file = _file(source, stream)
        names = file.schema_arrow.names
        places = schema.placed(list(names))
        table = file.read(columns=[names[at] for at in places.values()])
    return arrow_cells({c: table.column(names[at]) for c, at in places.items()}, schema, faults)


def _file(source: Input, stream: Any) -> Any:
    try:
        return pq.ParquetFile(pa.BufferReader(stream.read()))
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            [Fault(source.path, None, f"cannot be read as Parquet: {error}")]
        ) from error


def arrow_cells(columns: dict[str, Any], schema: Schema, faults: FaultList) -> Cells:
    """Arrow columns of any type as cells; rows with nulls where none may be are faults."""
    rows = len(next(iter(columns.values()))) if columns else 0
    good = np.ones(rows, bool)
    cells: dict[str, Any] = {}
    for name, values in columns.items():
        column = next(c for c in schema if c.name == name)
        texts = _as_text(values, column, faults)
        if column.required:
            for row in np.flatnonzero(pc.is_null(texts).to_numpy(zero_copy_only=False)).tolist():
                faults.add(row + 1, f"no {name}", "fill in the value")
                good[row] = False
        filled = pc.fill_null(texts, column.default)
        cells[name] = Texts.of(filled.to_pylist()) if column.kind is Kind.TEXT else filled
    return Cells(cells, np.arange(1, rows + 1)).rows(good)


def _as_text(values: Any, column: Column, faults: FaultList) -> Any:
    """A column as strings; time stamps become Unix seconds."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_timestamp(values.type):
        micro = pc.cast(pc.cast(values, pa.timestamp("us", tz="UTC"), safe=False), pa.int64())
        values = pc.divide(pc.cast(micro, pa.float64()), 1e6)
    if pa.types.is_floating(values.type):
        return pa.array([None if v is None else repr(v) for v in values.to_pylist()], pa.string())
    try:
        return pc.cast(values, pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        faults.add(None, f"column {column.name} holds {values.type}", "store strings or numbers")
        return pa.array([""] * len(values), pa.string())
