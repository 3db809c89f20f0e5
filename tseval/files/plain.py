"""The plain tables, from any of their forms: recognised, read into cells, turned into columns."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from tseval.errors import Fault, UsageError, nearest
from tseval.files import csv_table, json_array, parquet, spreadsheet, tsv
from tseval.files.cells import Cells
from tseval.files.jsonl import read_jsonl
from tseval.files.value_parsing import read_numbers
from tseval.io import JSON
from tseval.io.faults import FaultList
from tseval.io.inputs import Input, RowInput
from tseval.io.origin import InputRecord, Origin
from tseval.io.schema import Column, Kind, Schema
from tseval.io.threads import side_by_side
from tseval.records import frozen
from tseval.tables import Ids, repeated_rows
from tseval.tables.arrow import plain_ascii, truths

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, IntArray

Reader = Callable[[Input, Schema, FaultList], Cells]
READERS: dict[str, Reader] = {
    "tsv": tsv.read_tsv,
    "csv": csv_table.read_csv,
    "jsonl": read_jsonl,
    JSON: json_array.read_array,
    "parquet": parquet.read_parquet,
    "xlsx": spreadsheet.read_spreadsheet,
}
"""How each of `PLAIN_FORMS` is read."""
OF_ROWS: dict[str, type[RowInput]] = {
    JSON: json_array.ArrayInput,
    "parquet": parquet.ParquetInput,
    "xlsx": spreadsheet.SpreadsheetInput,
}
"""The forms that have rows and no lines, and an input of each."""
BY_KEYS = ("jsonl", JSON)
"""The forms in which any row may have keys that others lack."""
NOTHING_COMMON: Mapping[str, str] = MappingProxyType({})
FEW_ROWS = 2_000
"""Up to so many rows, to start a thread takes longer than a column."""
DOCUMENT_CURE = (
    "write each object in one line: jq -c '.records[]' FILE for what tseval wrote with -f json, "
    "jq -c . FILE for other JSON"
)


@frozen
class Rows:
    """A plain table's columns, read and checked: ids, numbers and texts by the schema's names."""

    columns: dict[str, Any]
    origin: Origin

    def get(self, name: str) -> Any:
        """A column, or None if the input has none."""
        return self.columns.get(name)


ONE_QUOTED = re.compile(r'"[^"]+"')
"""A header of one column as programs write it that put every cell in quotes."""


def recognise(source: Input) -> tuple[str | None, list[str]]:
    """The form of an input by its first bytes, and the names of its columns."""
    head = source.head()
    if head.startswith(parquet.MAGIC):
        return "parquet", parquet.header(source)
    if head.startswith((spreadsheet.MAGIC, spreadsheet.OLD_MAGIC)):
        return "xlsx", spreadsheet.header(source)
    first = head.removeprefix(tsv.BYTE_ORDER_MARK).lstrip()
    if first.startswith(b"{"):
        return "jsonl", first_keys(first)
    if json_array.START.match(first):
        return JSON, json_array.first_keys(first)
    line = head.partition(b"\n")[0]
    if b"\t" in line:
        return "tsv", tsv.split_header(line, Schema("any", ()))
    text = line.decode("utf-8-sig", "replace").rstrip("\r")
    if csv_table.divider(line) is not None or ONE_QUOTED.fullmatch(text):
        return "csv", csv_table.split_header(line)
    return None, text.split()


def first_keys(head: bytes) -> list[str]:
    """The keys of the first line's object; none if it is no object."""
    try:
        record = json.loads(head.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return []
    return list(record) if isinstance(record, dict) else []


def read_rows(source: Input, schema: Schema, form: str | None = None) -> Rows:
    """Read one input as a table of this schema; any fault is an `InputError`."""
    schema = schema.called(source.columns)
    form = form_of(source, schema, form)
    source = by_rows(source, form)
    faults = FaultList(source)
    names = header(source, schema, form, faults)
    if form not in BY_KEYS:
        check_header(names, schema, faults)
    check_doubts(names, schema, faults)
    cells = READERS[form](source, schema, faults)
    rows = build(source, cells, schema, faults, schema.understood(names))
    faults.check()
    return rows


def by_rows(source: Input, form: str | None) -> Input:
    """The same input as one of rows, if its form has rows and no lines."""
    return OF_ROWS[form](source) if form in OF_ROWS else source


def form_of(source: Input, schema: Schema, form: str | None) -> str:
    """The form of an input: the one that is named, else what its content shows."""
    if form == "jsonl" and recognise(source)[0] == JSON:
        return JSON
    form = form or _form(source, schema)
    if form not in READERS:
        known = ", ".join(READERS)
        raise UsageError(f"'{form}' is no input format of {schema.table}; there are: {known}")
    return form


def _form(source: Input, schema: Schema) -> str:
    """The form that the content shows, or a fault that tells what was looked for."""
    faults = FaultList(source)
    if not source.head(1):
        columns = " ".join(column.name for column in schema.required)
        cure = f"a table of {schema.table} starts with a header line that names {columns}"
        faults.refuse(None, "the file is empty", cure, "empty-file")
    form, names = recognise(source)
    if form == "jsonl" and source.head().partition(b"\n")[0].strip() == b"{":
        reason = f"an object over several lines, where {schema.table} have one a line"
        faults.refuse(1, reason, DOCUMENT_CURE, "unknown-format")
    if form is None and not schema.missing(names):
        return "tsv"
    if form is None:
        wanted = " ".join(column.name for column in schema.required)
        cure = (
            f"looked for {schema.table} as TSV or CSV with a header line naming {wanted}, "
            "as JSON, as Parquet, and as .xlsx; --input-format settles it"
        )
        faults.refuse(1, "the format is not recognised", cure, "unknown-format")
    return form


def check_header(names: list[str], schema: Schema, faults: FaultList) -> None:
    """A header must name every required column, and none twice."""
    line = 1 if faults.source.unit == "line" else None
    missing = schema.missing(names)
    if missing:
        noun = "column" if len(missing) == 1 else "columns"
        needed = " ".join(column.name for column in schema.required)
        needs = "need" if schema.table.endswith("s") else "needs"
        here = faults.source.where_names_stand()
        cure = f"{schema.table} {needs} the columns {needed}; {here}: {' '.join(names)}"
        if schema.people_make_it:
            like = misspelt(missing[0], names, schema) or "NAME"
            cure += f"; --column {missing[0]}={like} says what it is called"
        faults.add(line, f"no {noun} {', '.join(missing)}", cure, "missing-column")
    often = [name for name, number in Counter(names).items() if number > 1]
    twice = sorted(name for name in often if schema.find(name))
    if twice:
        cure = "name each column once"
        faults.add(line, f"the header names {', '.join(twice)} twice", cure, "duplicate-column")
    faults.check()


def misspelt(missing: str, names: Sequence[str], schema: Schema) -> str | None:
    """The name that looks most like that of a missing column, of those that mean nothing else."""
    strange = [name for name in names if schema.find(name) is None]
    if missing == "topic" and "qid" in strange:
        return "qid"
    column = schema.find(missing)
    wanted = (missing,) if column is None else column.names
    return next((like for each in wanted for like in nearest(each, strange)), None)


def check_doubts(names: list[str], schema: Schema, faults: FaultList) -> None:
    """No column may be looked for where several names could be it."""
    line = 1 if faults.source.unit == "line" else None
    for name, fitting in schema.doubtful(names).items():
        reason = f"{name} could be {' or '.join(fitting)}"
        cure = f"say which is meant: --column {name}={fitting[0]}"
        faults.add(line, reason, cure, "ambiguous-column")
    faults.check()


def header(source: Input, schema: Schema, form: str, faults: FaultList) -> list[str]:
    """The names of an input's columns; a header line that is not UTF-8 is a fault.

    Of JSON they are the keys of the first object.
    """
    if form == "parquet":
        return parquet.header(source)
    if form == "xlsx":
        return spreadsheet.header(source)
    if form in BY_KEYS:
        return recognise(source)[1]
    if form == "tsv":
        names = tsv.header(source, schema, faults)
    else:
        names = csv_table.header(source, faults)
    faults.check()
    return names


def build(
    source: Input,
    cells: Cells,
    schema: Schema,
    faults: FaultList,
    understood: Mapping[str, str] = NOTHING_COMMON,
) -> Rows:
    """Cells to columns, with every check that a single table allows.

    The columns of many rows are worked on side by side; their faults come in the columns' order
    all the same. `understood` are the common names that stand for columns here.
    """
    columns: dict[str, Any] = {}
    faults.rows = len(cells.lines)
    good = np.ones(len(cells.lines), bool)
    present = [column for column in schema if column.name in cells.columns]
    work = side_by_side if len(cells.lines) > FEW_ROWS else map
    read = work(lambda column: _column(source, column, cells), present)
    for column, (values, filled, own) in zip(present, read, strict=True):
        columns[column.name] = values
        good &= filled
        faults.extend(own)
    if source.run_name is not None and "run" in columns:
        check_one_run(columns["run"].vocabulary(), faults)
        columns["run"] = Ids.constant(source.run_name, len(columns["run"]))
    _check_repeats(schema, columns, good, cells.lines, faults)
    record = record_of(source, schema, len(cells.lines), understood)
    return Rows(columns, Origin.single(record, cells.lines))


def record_of(
    source: Input, schema: Schema, rows: int, understood: Mapping[str, str] = NOTHING_COMMON
) -> InputRecord:
    """An input as results tell of it, with what was made of the names of its columns."""
    return InputRecord(
        source.path,
        lambda: source.sha256,
        rows,
        source.unit,
        tuple(f"{schema.table}.{own}={name}" for own, name in source.columns.items()),
        tuple(f"{name} as {own}" for name, own in understood.items()),
        zones=tuple(source.zones.items()),
    )


def check_one_run(held: Sequence[str], faults: FaultList) -> None:
    """Refuse several runs in an input to which the caller gives one name."""
    if len(held) > 1:
        cure = "take --name away: the column run says whose each row is"
        reason = f"holds {len(held)} runs, {' '.join(held[:3])}, where one name is given"
        faults.add(None, reason, cure, "several-runs")


def _column(source: Input, column: Column, cells: Cells) -> tuple[Any, BoolArray, list[Fault]]:
    """One column's values, which rows have an id as far as this column tells, and its faults."""
    values = cells.columns.pop(column.name)  # what is done with need not be kept
    faults = FaultList(source)
    filled = np.ones(len(cells.lines), bool)
    if column.kind is Kind.ID:
        values = Ids.of(values)
        filled = _filled(column, values, cells, faults)
    elif column.kind is not Kind.TEXT:
        values = read_numbers(column, values, cells.lines, faults)
    return values, filled, faults.noted


def _filled(column: Column, ids: Ids, cells: Cells, faults: FaultList) -> BoolArray:
    """Which rows have an id; an empty one, or one of white space alone, is mostly a fault."""
    name = column.name
    if plain_ascii(ids.names):
        return np.ones(len(ids), bool)
    empty = _where(pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(ids.names)), 0), ids)
    for row in np.flatnonzero(empty & (not column.may_be_blank)).tolist():
        cure = f"give every row its {name}"
        faults.add(int(cells.lines[row]), f"empty {name}", cure, "empty-value")
    divided = _where(pc.match_substring_regex(ids.names, r"[\t\n\r]"), ids) & ~empty
    for row in np.flatnonzero(divided).tolist():
        reason = f'{name} "{ids[row]}" holds a tab or a line\'s end'
        cure = "no table of results could hold it: remove it"
        faults.add(int(cells.lines[row]), reason, cure, "id-format")
    return ~empty


def _where(names: Any, ids: Ids) -> BoolArray:
    """Which rows have one of the names for which this is true."""
    chosen: BoolArray = truths(names)[ids.codes]
    return chosen


def _check_repeats(
    schema: Schema, columns: dict[str, Any], good: BoolArray, all_lines: IntArray, faults: FaultList
) -> None:
    """An id may stand once within its (run, topic)."""
    key = [columns[name] for name in schema.key if name in columns]
    if not key or not good.any():
        return
    chosen = slice(None) if good.all() else good
    lines = all_lines[chosen]
    repeats, originals = repeated_rows(*(ids.rows(chosen) for ids in key))
    item, scope = schema.key[-1], " and ".join(n for n in schema.key[:-1] if n in columns)
    items = key[-1].rows(chosen)
    for row, original in zip(repeats.tolist(), originals.tolist(), strict=True):
        name = items[row]
        reason = f'{item} "{name}" stands twice{f" within its {scope}" if scope else ""}'
        where = f"first in {faults.source.unit} {lines[original]}"
        cure = f"{where}: remove one of them, or rename it"
        faults.add(int(lines[row]), reason, cure, "duplicate-id")
