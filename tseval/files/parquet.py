"""Tables as Parquet; rows stand for lines, counted from 1."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tseval.errors import InputError, input_error
from tseval.files.cells import Cells
from tseval.io.faults import FaultList
from tseval.io.inputs import Input, RowInput, check_document
from tseval.io.schema import Column, Kind, Schema
from tseval.io.text_lines import UTF8_CURE, not_utf8
from tseval.tables import Texts

MAGIC = b"PAR1"
CELL_BYTES = 8
"""No cell takes less once it is read."""
PACKED = 100
"""A file that unpacks to so many times its size says next to nothing."""
_BROKEN = (pa.ArrowException, OSError, ValueError, LookupError, OverflowError)
"""What Arrow raises on damaged files."""


class ParquetInput(RowInput):
    """An input that is known to be Parquet."""

    def lines(self, numbers: Collection[int]) -> dict[int, str]:
        """The rows as their values, separated by tabs."""
        with opened(self) as file:
            table = file.read()
        return {
            number: "\t".join(_shown(column[number - 1]) for column in table.columns)
            for number in numbers
        }


def _shown(value: Any) -> str:
    """A value for people, decoded as well as can be."""
    if pa.types.is_string(value.type) and value.is_valid:
        return bytes(value.as_buffer().to_pybytes()).decode("utf-8", "replace")
    return str(value)


def header(source: Input) -> list[str]:
    """The names of the columns."""
    with opened(source) as file:
        return list(file.schema_arrow.names)


def read_parquet(source: Input, schema: Schema, faults: FaultList) -> Cells:
    """Read the columns of the schema; a row with a null in a required column is a fault."""
    with opened(source) as file:
        names = file.schema_arrow.names
        places = schema.placed(list(names))
        _refuse_periods(file.schema_arrow, places, faults)
        _check_unpacked(source, file.metadata, len(places))
        table = file.read(columns=[names[at] for at in places.values()])
        _check_rows(source, file.metadata, len(table))
        _settle(source)
    return arrow_cells({c: table.column(names[at]) for c, at in places.items()}, schema, faults)


def cell_blocks(source: Input, schema: Schema, faults: FaultList, number: int) -> Iterator[Cells]:
    """The same, so many rows at a time; a file that lies there as it is is never read whole."""
    before = 0
    with opened(source) as file:
        names = file.schema_arrow.names
        places = schema.placed(list(names))
        _refuse_periods(file.schema_arrow, places, faults)
        wanted = [names[at] for at in places.values()]
        for batch in file.iter_batches(batch_size=number, columns=wanted):
            columns = {c: batch.column(names[at]) for c, at in places.items()}
            own = FaultList(source)
            cells = arrow_cells(columns, schema, own)
            faults.extend(replace(f, line=(f.line or 0) + before) for f in own.noted)
            yield replace(cells, lines=cells.lines + before)
            before += batch.num_rows
        _check_rows(source, file.metadata, before)
        _settle(source)


def _check_unpacked(source: Input, told: Any, columns: int) -> None:
    """Refuse rows that take more than a document may have, of a file that has next to none of them.

    Kilobytes can tell a thousand million rows that are all alike. Those of updates or of matches
    differ, and take no less than a hundredth of their size in a file. The sizes of its groups may
    not be true; but no more than a hundred times the file is believed.
    """
    size = told.num_rows * columns * CELL_BYTES
    unpacked = sum(told.row_group(at).total_byte_size for at in range(told.num_row_groups))
    if size > PACKED * min(unpacked, PACKED * _size(source)):
        check_document(source.path, size)


def _size(source: Input) -> int:
    """How many bytes of Parquet there are."""
    if source.can_be_read_again and not source.is_compressed:
        return source.file.stat().st_size
    return len(source.whole())


def _check_rows(source: Input, told: Any, rows: int) -> None:
    """Refuse a file that has not as many rows as it tells: it is cut, or was put together wrong."""
    if rows != told.num_rows:
        reason = f"tells {told.num_rows:,} rows and has {rows:,}"
        raise input_error(source.path, None, reason, "write it anew", "damaged-file")


def _settle(source: Input) -> None:
    """Make the hash now, of the bytes that were read: Arrow reads them where it wants."""
    source.sha256  # noqa: B018 - it is kept


def _refuse_periods(stored: Any, places: Mapping[str, int], faults: FaultList) -> None:
    """Refuse columns that pandas wrote as numbers of periods; Arrow alone sees plain integers."""
    for name, at in places.items():
        told = (stored.field(at).metadata or {}).get(EXTENSION)
        if told == PERIOD.encode():
            refuse_kind(name, "periods", faults)


LENGTHS_CURE = (
    "the length of a time since some start is no time: add the start, as in "
    "frame.start + frame.time"
)
PERIODS_CURE = "a period is no point in time: say which is meant, as in frame.time.dt.start_time"
KINDS = {"durations": LENGTHS_CURE, "periods": PERIODS_CURE}
"""What Arrow and pandas store as counts of a unit, and what to do with each."""
PERIOD = "pandas.period"
EXTENSION = b"ARROW:extension:name"


def refuse_kind(name: str, kind: str, faults: FaultList) -> None:
    """Refuse a whole column that holds one of these kinds."""
    faults.refuse(None, f"column {name} holds {kind}", KINDS[kind], "column-type")


def _kind_of(values: Any) -> str:
    """Which of the kinds an Arrow column is; nothing if it is none."""
    if pa.types.is_duration(values.type):
        return "durations"
    return "periods" if getattr(values.type, "extension_name", "") == PERIOD else ""


@contextmanager
def opened(source: Input, footer: Any = None) -> Iterator[Any]:
    """The input as a Parquet file; whatever reading it runs into is an `InputError`.

    A `footer` that was read before, the file's metadata, need not be read again.
    """
    import pyarrow.parquet as pq

    try:
        if source.can_be_read_again and not source.is_compressed:
            source.check_unchanged()
            with pq.ParquetFile(source.file, metadata=footer) as file:
                yield file
            source.check_unchanged()
            return
        yield pq.ParquetFile(pa.BufferReader(source.whole()), metadata=footer)
    except InputError:
        raise
    except _BROKEN as error:
        reason = str(error).partition("\n")[0]
        reason = f"cannot be read as Parquet: {reason}"
        raise input_error(source.path, None, reason, "", "damaged-file") from error


def arrow_cells(columns: dict[str, Any], schema: Schema, faults: FaultList) -> Cells:
    """Arrow columns of any type as cells; rows with nulls where none may be are faults."""
    rows = len(next(iter(columns.values()))) if columns else 0
    good = np.ones(rows, bool)
    cells: dict[str, Any] = {}
    for name, values in columns.items():
        column = next(c for c in schema if c.name == name)
        texts = _as_text(values, column, faults)
        if column.required and not column.may_be_blank:
            for row in np.flatnonzero(pc.is_null(texts).to_numpy(zero_copy_only=False)).tolist():
                faults.add(row + 1, f"no {name}", "fill in the value", "empty-value")
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
    if _kind_of(values):
        refuse_kind(column.name, _kind_of(values), faults)
    if pa.types.is_timestamp(values.type) and values.type.tz is None and faults.source.times.zone:
        values = pc.cast(pc.cast(values, pa.timestamp("us"), safe=False), pa.string())
    if pa.types.is_timestamp(values.type):
        offset = "" if values.type.tz is None else "+00:00"
        micro = pc.cast(pc.cast(values, pa.timestamp("us", tz="UTC"), safe=False), pa.int64())
        values = pc.divide(pc.cast(micro, pa.float64(), safe=False), 1e6)
        if values.null_count < len(values):
            faults.source.note_zone(offset, pc.min(values).as_py())
    if pa.types.is_floating(values.type):
        return pa.array([None if v is None else repr(v) for v in values.to_pylist()], pa.string())
    try:
        texts = pc.cast(values, pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        cure = "store strings or numbers"
        faults.refuse(None, f"column {column.name} holds {values.type}", cure, "column-type")
    return _decodable(texts, faults)


def _decodable(texts: Any, faults: FaultList) -> Any:
    """The strings, each checked to be UTF-8: Arrow takes what a file says for granted."""
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        values = pc.cast(texts, pa.binary()).to_pylist()
        for row, value in enumerate(values, start=1):
            reason = not_utf8(value or b"")
            if reason:
                faults.add(row, reason, UTF8_CURE, "encoding")
        shown = [None if value is None else value.decode("utf-8", "replace") for value in values]
        return pa.array(shown, pa.string())
    return texts
