"""The forms of plain tables: recognised by their first bytes, read into typed columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from copy import copy

import polars as pl

from tseval.errors import UsageError
from tseval.io import JSON, binary, fields, json_text
from tseval.io.cells import BYTE_ORDER_MARK, PlainTable, type_columns
from tseval.io.faults import FaultList
from tseval.io.given import FrameInput
from tseval.io.inputs import Input, InputRecord
from tseval.io.records import without_collector
from tseval.io.schema import Schema

READERS: Mapping[str, Callable[[PlainTable], Iterator[pl.DataFrame]]] = {
    "tsv": fields.read_tsv,
    "csv": fields.read_csv,
    "jsonl": json_text.read_jsonl,
    JSON: json_text.read_array,
    "parquet": binary.read_parquet,
    "xlsx": binary.read_sheet,
}
"""How each form is read."""
ROWS: Mapping[str | None, Callable[[Input, Collection[int]], dict[int, str]]] = {
    JSON: json_text.array_rows,
    "parquet": binary.parquet_rows,
    "xlsx": binary.sheet_rows,
}
"""How rows are shown of the forms that have rows and no lines."""
DOCUMENT_CURE = (
    "write each object in one line: jq -c '.records[]' FILE for what tseval wrote with -f json, "
    "jq -c . FILE for other JSON"
)


def recognise(source: Input) -> tuple[str | None, list[str]]:
    """Return the form of an input by its first bytes, and the names of its columns."""
    head = source.head()
    if head.startswith(binary.PARQUET):
        return "parquet", binary.parquet_names(source)
    if head.startswith((binary.MAGIC, binary.OLD_MAGIC)):
        return "xlsx", binary.sheet_names(source)
    first = head.removeprefix(BYTE_ORDER_MARK).lstrip()
    if first.startswith(b"{"):
        return "jsonl", json_text.first_keys(first.partition(b"\n")[0])
    if json_text.TABLE_START.match(first):
        return JSON, json_text.first_keys(first)
    line = head.removeprefix(BYTE_ORDER_MARK).partition(b"\n")[0].rstrip(b"\r")
    if b"\t" in line:
        return "tsv", fields.split_tabs(line, Schema("any", ()))
    if fields.divider(line) is not None or fields.ONE_QUOTED.fullmatch(line):
        return "csv", fields.split_commas(line)
    return None, line.decode("utf-8", "replace").split()


def names_of(source: Input) -> list[str]:
    """Return the names of an input's columns, as far as they are known before it is read."""
    if isinstance(source, FrameInput):
        return source.renamed([str(name) for name in source.frame.columns])
    return source.renamed(recognise(source)[1])


def form_of(source: Input, schema: Schema, form: str | None) -> str:
    """Return the form of an input: the one that is named, else that of its content."""
    if form is not None and form not in READERS:
        known = ", ".join(READERS)
        raise UsageError(f"'{form}' is no input format of {schema.table}; there are: {known}")
    if form is not None:
        is_array = form == "jsonl" and not source.is_part and recognise(source)[0] == JSON
        return JSON if is_array else form
    faults, columns = FaultList(source), " ".join(column.name for column in schema.required)
    if not source.head(1):
        cure = f"a table of {schema.table} starts with a header line that names {columns}"
        faults.refuse(None, "the file is empty", cure, "empty-file")
    form, names = recognise(source)
    if form == "jsonl" and source.head().partition(b"\n")[0].strip() == b"{":
        reason = f"an object over several lines, where {schema.table} have one a line"
        faults.refuse(1, reason, DOCUMENT_CURE, "unknown-format")
    if form is None and schema.missing(names):
        cure = (
            f"looked for {schema.table} as TSV or CSV with a header line naming {columns}, "
            "as JSON, as Parquet, and as .xlsx; --input-format settles it"
        )
        faults.refuse(1, "the format is not recognised", cure, "unknown-format")
    return form or "tsv"


def row_input(source: Input, form: str | None) -> Input:
    """Return an input as one of rows, if its form has rows and no lines."""
    if form not in ROWS:
        return source
    rows = copy(source)
    rows.unit, rows.show_rows = "row", ROWS[form]
    return rows


def faults_of(source: Input, record: InputRecord) -> FaultList:
    """Return a list for the faults of an input that was read before."""
    has_rows = record.unit == "row" and source.has_bytes
    return FaultList(row_input(source, recognise(source)[0]) if has_rows else source)


def read_plain(
    source: Input, schema: Schema, form: str | None = None
) -> tuple[PlainTable, pl.DataFrame]:
    """Read one input as a plain table with the column `line`; any fault is an `InputError`."""
    if isinstance(source, FrameInput):
        table = PlainTable(source, schema)
        parts = binary.read_pandas(source.frame, table)
    else:
        form = form_of(source, schema.called(source.columns), form)
        table = PlainTable(row_input(source, form), schema)
        parts = READERS[form](table)
    with without_collector():
        frame = type_columns(parts, table.schema, table.faults)
    table.faults.check()
    return table, frame
