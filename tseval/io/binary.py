"""Tables that are no text: Parquet, spreadsheets and pandas frames; rows are counted from 1."""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import polars as pl

from tseval.errors import MissingExtra, input_error
from tseval.io.cells import AS_JSON, WORDS, PlainTable, as_text
from tseval.io.faults import FaultList
from tseval.io.inputs import UTF8_CURE, Input, not_utf8
from tseval.io.schema import Column, Kind

if TYPE_CHECKING:
    import pandas as pd

TYPE_CURE = (
    "store strings or numbers; of durations since some start the sums, as in frame.start + "
    "frame.time, of periods one point, as in frame.time.dt.start_time"
)
UNITS = {"Period": "periods", "Timedelta": "durations", "timedelta": "durations"}
"""What tables store as counts of a unit, by its type."""
PARQUET = b"PAR1"
MAGIC = b"PK\x03\x04"
OLD_MAGIC = b"\xd0\xcf\x11\xe0"
"""The first bytes of spreadsheets before 2007, and of those with a password."""
OLD_CURE = "save it as .xlsx, without a password, or as CSV"


@contextmanager
def scan_parquet(source: Input) -> Iterator[pl.LazyFrame]:
    """Open Parquet; whatever reading it runs into is an `InputError`."""
    try:
        yield pl.scan_parquet(_file_of(source), glob=False, hive_partitioning=False)
        if source.can_be_read_again:
            source.check_unchanged()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        told = str(error).partition("\n")[0]
        is_doubled = isinstance(error, pl.exceptions.DuplicateError)
        code = "duplicate-column" if is_doubled else "damaged-file"
        code = "encoding" if "invalid UTF-8" in told else code
        reason = f"cannot be read as Parquet: {told}"
        raise input_error(source.path, None, reason, "", code) from error


def _file_of(source: Input) -> Path | bytes:
    """Return a file where it lies, or the bytes of one that has to be unpacked."""
    is_plain = source.can_be_read_again and not source.compression
    return source.file if is_plain else source.all_bytes()


def parquet_metadata(source: Input) -> dict[str, str]:
    """Return what a Parquet file says beside its rows, by its keys."""
    with scan_parquet(source):
        return pl.read_parquet_metadata(_file_of(source))


def parquet_names(source: Input) -> list[str]:
    """Return the names of the columns of a Parquet file."""
    with scan_parquet(source) as scanned:
        return scanned.collect_schema().names()


def parquet_rows(source: Input, numbers: Collection[int]) -> dict[int, str]:
    """Return rows as their values, divided by tabs."""
    with scan_parquet(source) as scanned:
        frame = scanned.collect()
        return {number: "\t".join(map(str, frame.row(number - 1))) for number in numbers}


def read_parquet(table: PlainTable) -> Iterator[pl.DataFrame]:
    """Yield the cells of a Parquet file."""
    source = table.source
    with scan_parquet(source) as scanned:
        table.place(scanned.collect_schema().names())
        placed = {name: pl.nth(at) for name, at in table.places.items()}
        frame = scanned.select(**placed).slice(source.before, source.most).collect()
    if source.most is None:
        source.sha256  # noqa: B018 - the hash of the bytes that were read, which is kept
    yield _typed_cells(frame, table)


def read_pandas(frame: pd.DataFrame, table: PlainTable) -> Iterator[pl.DataFrame]:
    """Yield the cells of a pandas frame."""
    table.place([str(name) for name in frame.columns])
    series = dict[str, pl.Series]()
    for column in table.schema:
        if column.name in table.places:
            values = frame.iloc[:, table.places[column.name]]
            if column.kind in AS_JSON:
                series[column.name] = json_of(values.where(values.notna(), None).tolist())
            else:
                series[column.name] = _series_of(values, table.faults)
    table.faults.check()
    yield _typed_cells(pl.DataFrame(series), table)


def _series_of(values: pd.Series[Any], faults: FaultList) -> pl.Series:
    """Return a column of a pandas frame; objects of several types are text."""
    if hasattr(values.dtype, "tz"):
        return _series_of(values.dt.tz_convert(None), faults).dt.replace_time_zone("UTC")
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "iufbM":
        is_time = values.dtype.kind == "M"
        return pl.Series((values.dt.as_unit("us") if is_time else values).to_numpy())
    missing = values.isna().tolist()
    cells = [None if lacks else each for lacks, each in zip(missing, values.tolist(), strict=True)]
    filled = [each for each in cells if each is not None]
    kinds = set(map(type, filled))
    for name in {each.__name__ for each in kinds} & UNITS.keys():
        _refuse_type(str(values.name), UNITS[name], faults)
    are_local = {each.tzinfo is None for each in filled if isinstance(each, datetime)}
    with suppress(TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        if kinds == {int, float}:
            return pl.Series(cells, dtype=pl.Float64, strict=False)
        if max(len(kinds), len(are_local)) < 2:
            series = pl.Series(cells)
            if not series.dtype.is_object():
                return series
    texts = [None if each is None else str(each) for each in cells]
    for row, text in enumerate(texts, start=1):
        if text and not_utf8(text.encode(errors="surrogatepass")):
            reason = f"{values.name} holds half a character: not UTF-8"
            faults.add(row, reason, UTF8_CURE, "encoding")
    return pl.Series([] if len(faults) else texts, dtype=pl.String)


def json_of(values: Iterable[Any]) -> pl.Series:
    """Return lists as text in JSON; what is text stays."""
    texts = (v if v is None or isinstance(v, str) else json.dumps(_present(v)) for v in values)
    return pl.Series(texts, dtype=pl.String)


def _present(value: Any) -> Any:
    """Return lists and objects without the keys that have no value, as structs have them."""
    if isinstance(value, dict):
        return {key: _present(each) for key, each in value.items() if each is not None}
    is_list = isinstance(value, Iterable) and not isinstance(value, str)
    return [_present(each) for each in value] if is_list else value


def _typed_cells(frame: pl.DataFrame, table: PlainTable) -> pl.DataFrame:
    """Return typed columns as the cells of a table: numbers where it has numbers, else text."""
    present = [column for column in table.schema if column.name in frame]
    cells = {each.name: _typed(frame[each.name], each, table.faults) for each in present}
    first = 1 + table.source.before
    return pl.DataFrame({"line": pl.int_range(first, first + frame.height, eager=True), **cells})


def _typed(values: pl.Series, column: Column, faults: FaultList) -> pl.Series:
    """Return a column as numbers or text; timestamps become Unix seconds."""
    source, kind = faults.source, values.dtype
    if column.kind in AS_JSON:
        return json_of(values.to_list())
    if isinstance(kind, pl.Extension) and kind.ext_name() == "pandas.period":
        _refuse_type(column.name, "periods", faults)
    if kind == pl.Duration or kind.is_nested():
        _refuse_type(column.name, "durations" if kind == pl.Duration else str(kind), faults)
    if isinstance(kind, pl.Datetime):
        values = values.dt.cast_time_unit("us")
        if kind.time_zone is None and source.times.zone:
            return values.cast(pl.String)
        seconds = values.dt.timestamp("us").cast(pl.Float64).to_numpy() / 1e6
        values = pl.Series(seconds).fill_nan(None)  # polars divides by a product that is not exact
        for first in values.drop_nulls().sort()[:1]:
            source.note_zone("" if kind.time_zone is None else "+00:00", first)
    is_sparse = column.may_be_blank and column.kind in (Kind.TIME, Kind.ID)
    if is_sparse and values.dtype.is_float():
        values = values.fill_nan(None)  # as pandas has a value that is not there
    if values.dtype.is_numeric() and not values.dtype.is_decimal() and column.kind not in WORDS:
        return values
    try:
        return as_text(values)
    except pl.exceptions.PolarsError:
        _refuse_type(column.name, str(kind), faults)


def _refuse_type(name: str, held: str, faults: FaultList) -> NoReturn:
    """Refuse a whole column that holds neither text nor numbers."""
    faults.refuse(None, f"column {name} holds {held}", TYPE_CURE, "column-type")


def sheet_names(source: Input) -> list[str]:
    """Return the names of the columns, none of an empty sheet."""
    rows = _cells(source)[1]
    return [name.strip() for name in next(filter(any, rows), [])]


def sheet_rows(source: Input, numbers: Collection[int]) -> dict[int, str]:
    """Return rows as their values, divided by tabs."""
    rows = _cells(source)[1]
    return {number: "\t".join(rows[number - 1]) for number in numbers}


def read_sheet(table: PlainTable) -> Iterator[pl.DataFrame]:
    """Yield the cells of a spreadsheet without its blank rows."""
    filled, all_rows = _cells(table.source)
    rows = [(number, row) for number, row in enumerate(all_rows, start=1) if any(row)]
    where = f"in the first sheet of {len(filled)}, {filled[0]}" if len(filled) > 1 else "here"
    table.place([name.strip() for _, row in rows[:1] for name in row], where)
    yield table.cells_of(rows[1:])


def _cells(source: Input) -> tuple[list[str], list[list[str]]]:
    """Return the names of the sheets that hold anything, and the rows of the first as text."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise MissingExtra("excel", f"{source.path}: reading a spreadsheet") from error
    content = source.all_bytes()
    if content.startswith(OLD_MAGIC):
        reason = "is a spreadsheet of the form before 2007, or has a password"
        raise input_error(source.path, None, reason, OLD_CURE, "unknown-format")
    try:
        book, sheets = CalamineWorkbook.from_filelike(io.BytesIO(content)), {}
        for name in book.sheet_names:
            rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
            sheets[name] = [list(map(_text, row)) for row in rows]
    except CalamineError as error:
        reason, cure = f"cannot be read as a spreadsheet: {error}", "save it again, or as CSV"
        raise input_error(source.path, None, reason, cure, "damaged-file") from error
    filled = [name for name, rows in sheets.items() if any(map(any, rows))]
    return filled, sheets[filled[0]] if filled else []


def _text(cell: Any) -> str:
    """Return a cell as CSV has it: whole numbers without a point, times in ISO 8601."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    return str(cell.isoformat()) if hasattr(cell, "isoformat") else str(cell)
