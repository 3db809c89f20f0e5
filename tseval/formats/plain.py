"""The plain tables, from any of their forms: recognised, read into cells, turned into columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from tseval.errors import UsageError
from tseval.formats import csv_table, parquet, tsv
from tseval.formats.cells import Cells
from tseval.formats.faults import FaultList
from tseval.formats.inputs import Input
from tseval.formats.jsonl import read_jsonl
from tseval.formats.values import read_numbers
from tseval.tables import Ids, Kind, Origin, Schema, Source, repeated_rows

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray

Reader = Callable[[Input, Schema, FaultList], Cells]
READERS: dict[str, Reader] = {
    "tsv": tsv.read_tsv,
    "csv": csv_table.read_csv,
    "jsonl": read_jsonl,
    "parquet": parquet.read_parquet,
}
"""The forms that a plain table can have, by the names that `--input-format` takes."""


@dataclass(frozen=True)
class Rows:
    """A plain table's columns, read and checked: ids, numbers and texts by the schema's names."""

    columns: dict[str, Any]
    origin: Origin

    def get(self, name: str) -> Any:
        """A column, or None if the input has none."""
        return self.columns.get(name)


def recognise(source: Input) -> tuple[str | None, list[str]]:
    """The form of an input by its first bytes, and the names of its columns."""
    head = source.head()
    if head.startswith(parquet.MAGIC):
        return "parquet", parquet.header(source)
    first = head.removeprefix(tsv.BYTE_ORDER_MARK).lstrip()
    if first.startswith(b"{"):
        return "jsonl", []
    line = head.partition(b"\n")[0]
    if b"\t" in line:
        return "tsv", tsv.split_header(line, Schema("any", ()))
    return (
        ("csv", csv_table.split_header(line))
        if b"," in line
        else (None, line.decode("utf-8", "replace").split())
    )


def read_rows(source: Input, schema: Schema, form: str | None = None) -> Rows:
    """Read one input as a table of this schema; any fault is an `InputError`."""
    faults = FaultList(source)
    form = form or _form(source, schema, faults)
    if form not in READERS:
        raise UsageError(f"unknown input format '{form}'; known: {', '.join(READERS)}")
    _check_header(source, schema, form, faults)
    cells = READERS[form](source, schema, faults)
    rows = build(source, cells, schema, faults)
    faults.check()
    return rows


def _form(source: Input, schema: Schema, faults: FaultList) -> str:
    """The form that the content shows, or a fault that tells what was looked for."""
    if not source.head(1):
        columns = " ".join(column.name for column in schema.required)
        cure = f"a table of {schema.table} starts with a header line that names {columns}"
        faults.add(None, "the file is empty", cure)
        faults.check()
    form, names = recognise(source)
    if form is None and not schema.missing(names):
        return "tsv"
    if form is None:
        wanted = " ".join(column.name for column in schema.required)
        cure = (
            f"looked for {schema.table} as TSV or CSV with a header line naming {wanted}, "
            "as JSON lines, and as Parquet; --input-format settles it"
        )
        faults.add(1, "the format is not recognised", cure)
        faults.check()
    return str(form)


def _check_header(source: Input, schema: Schema, form: str, faults: FaultList) -> None:
    """A header must name every required column, and none twice."""
    if form == "jsonl":
        return
    names = header(source, schema, form)
    missing = schema.missing(names)
    if missing:
        noun = "column" if len(missing) == 1 else "columns"
        needed = " ".join(column.name for column in schema.required)
        cure = f"{schema.table} need the columns {needed}; here: {' '.join(names)}"
        faults.add(None if form == "parquet" else 1, f"no {noun} {', '.join(missing)}", cure)
    twice = sorted({name for name in names if names.count(name) > 1 and schema.find(name)})
    if twice:
        faults.add(1, f"the header names {', '.join(twice)} twice", "name each column once")
    faults.check()


def header(source: Input, schema: Schema, form: str) -> list[str]:
    """The names of an input's columns."""
    if form == "parquet":
        return parquet.header(source)
    line = source.head().partition(b"\n")[0]
    return tsv.split_header(line, schema) if form == "tsv" else csv_table.split_header(line)


def build(source: Input, cells: Cells, schema: Schema, faults: FaultList) -> Rows:
    """Cells to columns, with every check that a single table allows."""
    columns: dict[str, Any] = {}
    good = np.ones(len(cells.lines), bool)
    for column in schema:
        values = cells.columns.get(column.name)
        if values is None:
            continue
        if column.kind is Kind.ID:
            good &= _filled(column.name, values, cells, faults)
            columns[column.name] = Ids.of(values)
        elif column.kind is Kind.TEXT:
            columns[column.name] = values
        else:
            columns[column.name] = read_numbers(column, values, cells.lines, faults)
    _check_repeats(schema, columns, good, cells, faults)
    record = Source(source.path, source.sha256, len(cells.lines), source.unit)
    return Rows(columns, Origin.single(record, cells.lines))


def _filled(name: str, values: Any, cells: Cells, faults: FaultList) -> BoolArray:
    """Which rows have an id; an empty one, or one of white space alone, is a fault."""
    blank = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(values)), 0)
    empty: BoolArray = blank.to_numpy(zero_copy_only=False).astype(bool)
    for row in np.flatnonzero(empty).tolist():
        faults.add(int(cells.lines[row]), f"empty {name}", f"give every row its {name}")
    return ~empty


def _check_repeats(
    schema: Schema, columns: dict[str, Any], good: BoolArray, cells: Cells, faults: FaultList
) -> None:
    """An id may stand once within its (run, topic)."""
    key = [columns[name] for name in schema.key if name in columns]
    if not key or not good.any():
        return
    lines = cells.lines[good]
    repeats, originals = repeated_rows(*(ids.rows(good) for ids in key))
    item, scope = schema.key[-1], " and ".join(n for n in schema.key[:-1] if n in columns)
    for row, original in zip(repeats.tolist(), originals.tolist(), strict=True):
        name = key[-1].rows(good)[row]
        reason = f'{item} "{name}" stands twice{f" within its {scope}" if scope else ""}'
        where = f"first on line {lines[original]}" if len(lines) else ""
        faults.add(int(lines[row]), reason, f"{where}: remove one of them, or rename it")
