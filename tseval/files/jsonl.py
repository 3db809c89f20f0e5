"""Tables as JSON lines: one object a line, its keys the columns' names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.files.cells import Cells, column_of
from tseval.files.tsv import BYTE_ORDER_MARK
from tseval.io import json_text
from tseval.io.schema import Column, Kind, Schema
from tseval.io.text_lines import UTF8_CURE, not_utf8

if TYPE_CHECKING:
    from tseval.io.faults import FaultList
    from tseval.io.inputs import Input

HALF = "an escape stands for half a character: not UTF-8"
HALVES_CURE = "write both halves of the pair, or the character itself"
ESCAPED = re.compile(rb"\\u00[2-7]")
"""How a key's letters are written where they are escaped: those of ASCII."""
KINDS = {
    str: "text", int: "number", float: "number", bool: "truth value", list: "list", dict: "object",
    type(None): "null",
}  # fmt: skip
"""What JSON's values are called."""
OBJECT_CURE = 'write one JSON object a line, such as {"topic": "t1", …}'


def read_jsonl(source: Input, schema: Schema, faults: FaultList) -> Cells:
    """Read the columns of the schema that any line has; faulty lines are noted and left out."""
    return cells_of(list(records(source, schema, faults)), schema)


def cell_blocks(
    source: Input, schema: Schema, faults: FaultList, number: int, present: Collection[str]
) -> Iterator[Cells]:
    """The same, so many rows at a time, with the columns that are `present` in any block."""
    rows = records(source, schema, faults)
    while block := list(islice(rows, number)):
        yield cells_of(block, schema, present)


def columns_in(source: Input, schema: Schema) -> set[str]:
    """The optional columns that any line has; only lines that may have one are looked at."""
    found: set[str] = set()
    for block in source.blocks():
        for column in schema:
            if column.name not in found and not column.required and _is_in(block, column):
                found.add(column.name)
    return found


def _is_in(block: bytes, column: Column) -> bool:
    keys = [json.dumps(name).encode() for name in column.names]

    def may_have(text: bytes) -> bool:
        return any(key in text for key in keys) or ESCAPED.search(text) is not None

    if not may_have(block):
        return False
    for line in block.split(b"\n"):
        if may_have(line):
            record = _record_of(line)
            if record is not None and _value(record, column) is not None:
                return True
    return False


def _record_of(line: bytes) -> dict[str, Any] | None:
    """A line's object; None if it is none, which is for whoever reads the line to say."""
    try:
        record = _with_numbers_as_text(line.removeprefix(BYTE_ORDER_MARK))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def records(
    source: Input, schema: Schema, faults: FaultList
) -> Iterator[tuple[int, dict[str, str]]]:
    """Every line that has no fault, with its number: the cells that it has."""
    for line, record in objects_as_written(source, faults):
        cells = cells_in(record, schema, line, faults)
        if cells is not None:
            yield line, cells


def objects_as_written(source: Input, faults: FaultList) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every line's object with its line number, with numbers as they are written."""
    return objects(source, faults, _with_numbers_as_text)


def _with_numbers_as_text(line: bytes) -> Any:
    return json_text.load(line, numbers_as_text=True)


def objects(
    source: Input, faults: FaultList, load: Callable[[bytes], Any] = json_text.load
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every line's object with its line number; a line that is none is noted and left out."""
    number = 0
    for block in source.blocks():
        for line in block.split(b"\n")[:-1]:
            number += 1
            whole = line if number > 1 else line.removeprefix(BYTE_ORDER_MARK)
            record = _parsed(whole, number, faults, load)
            if record is not None:
                yield number, record


def _parsed(
    line: bytes, number: int, faults: FaultList, load: Callable[[bytes], Any]
) -> dict[str, Any] | None:
    if not line.strip():
        return None
    reason = not_utf8(line)
    if reason:
        faults.add(number, reason, UTF8_CURE, "encoding")
        return None
    try:
        record = load(line)
    except json_text.DoubledKey as error:
        faults.add(number, str(error), json_text.KEY_CURE, "duplicate-key")
        return None
    except (ValueError, RecursionError) as error:
        faults.add(number, f"not JSON: {error}", OBJECT_CURE, "json-syntax")
        return None
    is_number = not line.lstrip().startswith((b'"', b"{", b"[", b"n", b"t", b"f"))
    return object_in(
        record, number, faults, OBJECT_CURE, is_number=is_number, escaped=rb"\u" in line
    )


def object_in(
    record: Any, number: int, faults: FaultList, cure: str, *, is_number: bool, escaped: bool
) -> dict[str, Any] | None:
    """What was decoded, if it is an object without a fault; a number may have been kept as text."""
    if not isinstance(record, dict):
        kind = "number" if is_number else KINDS[type(record)]
        faults.add(number, f"a JSON {kind} where an object is expected", cure, "json-type")
        return None
    if escaped and holds_half(record):
        faults.add(number, HALF, HALVES_CURE, "encoding")
        return None
    return record


def holds_half(value: Any) -> bool:
    """Whether a string in it has half of a surrogate pair."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return True
    return False


def cells_in(
    record: dict[str, Any], schema: Schema, line: int, faults: FaultList
) -> dict[str, str] | None:
    """The cells of one object; None if a required one is missing or a value is of a wrong type."""
    cells: dict[str, str] = {}
    for column in schema:
        value = _value(record, column)
        if value is None:
            if column.required and not (column.may_be_blank and _has_key(record, column)):
                _add_missing(record, column, schema, line, faults)
                return None
            continue
        cell = _cell(value, column)
        if cell is None:
            found = KINDS[type(value)]
            article = "an" if found.startswith("o") else "a"
            reason = f'"{column.name}" is {article} {found}'
            faults.add(line, reason, "give a string or a number", "json-type")
            return None
        cells[column.name] = cell
    return cells


def names_of_cells(rows: Iterable[tuple[int, dict[str, Any]]], names: Sequence[str]) -> list[str]:
    """Those of the names under which any of the objects has what is a cell."""
    columns = {name: Column(name, Kind.TEXT, required=False) for name in names}
    left = dict(columns)
    for _, record in rows:
        for name in record.keys() & left.keys():
            if record[name] is not None and _cell(record[name], left[name]) is not None:
                del left[name]
        if not left:
            break
    return [name for name in columns if name not in left]


def _add_missing(
    record: dict[str, Any], column: Column, schema: Schema, line: int, faults: FaultList
) -> None:
    """Note that a required value is not there, or null."""
    null = next((name for name in column.names if name in record), None)
    if null is not None:
        cure = f"every {faults.source.unit} needs a value for it"
        faults.add(line, f'"{null}" is null', cure, "empty-value")
        return
    cure = f'every {faults.source.unit} needs the key "{column.name}"'
    if schema.people_make_it:
        cure += f"; --column {column.name}=KEY says what it is called"
    faults.add(line, f'no "{column.name}"', cure, "missing-key")


def _value(record: dict[str, Any], column: Column) -> Any:
    """What stands under the column's first name that is there; None if none is."""
    for name in column.names:
        if name in record:
            return record[name]
    return None


def _has_key(record: dict[str, Any], column: Column) -> bool:
    """Whether the key is there at all: a null may leave a value blank, a missing key may not."""
    return any(name in record for name in column.names)


def _cell(value: Any, column: Column) -> str | None:
    """A value as the text that a TSV would hold; numbers keep their digits."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and column.kind not in (Kind.TEXT, Kind.ID):
        return str(value)
    return None


def cells_of(
    rows: Sequence[tuple[int, dict[str, str]]], schema: Schema, present: Collection[str] = ()
) -> Cells:
    """The columns that any record has, and those that are present all the same.

    Where a record lacks an optional value its default stands.
    """
    known = {*present, *(name for _, record in rows for name in record)}
    names = [column.name for column in schema if column.required or column.name in known]
    columns = {name: column_of(_column(rows, name, schema), name, schema) for name in names}
    return Cells(columns, np.array([line for line, _ in rows], np.int64))


def _column(rows: Sequence[tuple[int, dict[str, str]]], name: str, schema: Schema) -> list[str]:
    """One column of all records."""
    default = _default(name, schema)
    return [record.get(name, default) for _, record in rows]


def _default(name: str, schema: Schema) -> str:
    column = schema.find(name)
    return column.default if column is not None else ""
