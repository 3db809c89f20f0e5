"""JSON of which nothing is lost, and plain tables of JSON lines and arrays.

An object that has a key twice is refused: the usual readers keep the last of the two values without
a word, others the first. A key written with escapes is the key that they stand for.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import polars as pl

from tseval.io.cells import AS_JSON, PlainTable, text_frame
from tseval.io.faults import FaultList, decoded_text, line_fault, text_lines
from tseval.io.inputs import Input
from tseval.io.schema import Column, Kind

KINDS = {
    str: "text", int: "number", float: "number", bool: "truth value", list: "list", dict: "object",
    type(None): "null",
}  # fmt: skip
"""The names of JSON's values."""
TABLE_START = re.compile(rb"\[\s*[{\]]")
"""The start of an array that is a table: a list of lists is none."""
OBJECT_CURE = 'write one JSON object a line, such as {"topic": "t1", …}'
ELEMENT_CURE = 'give every row as an object, such as {"topic": "t1", …}'
ARRAY_CURE = "the file is one array, with commas between its elements: [ELEMENT, ELEMENT, …]"
EVERY = "*"
"""Stands in a path for every element of a list."""
KEPT_HEADERS = 256
"""How many orders of keys are remembered, each with the columns that it has."""
HALF = "an escape stands for half a character: not UTF-8"
HALVES_CURE = "write both halves of the pair, or the character itself"
DECIDED = ("run", "cost")
"""The optional columns that the first line of a stream decides about."""
LATE = 'has a "{0}", but the first update has none'
_OPENING, _BETWEEN = re.compile(r"\s*\[\s*"), re.compile(r"\s*(,\s*)?")
_PLAIN = json.JSONDecoder(parse_float=str, parse_int=str)
"""Python takes no whole number of thousands of digits."""


KEY_CURE = "readers of JSON silently keep one of the two: remove the other, or rename it"
_TOKENS = re.compile(r'("(?:[^"\\]|\\.)*")\s*(:?)|[{}\[\]]', re.DOTALL)


class DoubledKey(ValueError):
    """An object with a key that stands twice."""


def once(members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object, each of which may stand once: for `json`'s `object_pairs_hook`."""
    record = dict(members)
    if len(record) < len(members):
        key = next(k for k, times in Counter(k for k, _ in members).items() if times > 1)
        raise DoubledKey(f'the key "{key}" stands twice in one object')
    return record


# Kept, since making a decoder takes as long as reading a line with it.
_DECODER = json.JSONDecoder(object_pairs_hook=once)
_OF_TEXTS = json.JSONDecoder(object_pairs_hook=once, parse_float=str, parse_int=str)


def load(text: str, *, numbers_as_text: bool = False) -> Any:
    """What `json.loads` gives, numbers as written if asked for; a doubled key is a `DoubledKey`."""
    return (_OF_TEXTS if numbers_as_text else _DECODER).decode(text.removeprefix("\ufeff"))


def fault_of(text: str, error: Exception, cure: str) -> tuple[int, str, str, str]:
    """The line, the reason, the cure and the code of a document that `load` refuses."""
    if isinstance(error, DoubledKey):
        return _line_of_doubled(text), str(error), KEY_CURE, "duplicate-key"
    return getattr(error, "lineno", 1), f"not JSON: {error}", cure, "json-syntax"


def _line_of_doubled(text: str) -> int:
    """The line of the first key that stands in its object a second time."""
    levels: list[set[str]] = []
    for token in _TOKENS.finditer(text):
        if token[0] in "{[":
            levels.append(set())
        elif token[0] in "}]":
            levels.pop()
        elif token[2]:
            key = json.loads(token[1])
            if key in levels[-1]:
                return text.count("\n", 0, token.start()) + 1
            levels[-1].add(key)
    return 1


def read_document(source: Input, faults: FaultList, cure: str) -> Any:
    """Return the value that a whole file is; a file that is none is refused with its line."""
    text = decoded_text(source, faults).rstrip()  # so that what lacks at the end has a line
    try:
        document = load(text)
    except (ValueError, RecursionError) as error:
        faults.refuse(*fault_of(text, error, cure))
    if "\\u" in text and holds_half(document):
        faults.refuse(None, HALF, HALVES_CURE, "encoding")
    return document


def documents(source: Input, faults: FaultList, cure: str) -> Iterator[tuple[int, Any]]:
    """Yield the value of each line with its line, or the one that the first line begins."""
    filled = ((number, line) for number, line in text_lines(source, faults) if line.strip())
    for at, (number, line) in enumerate(filled):
        try:
            for value in values_in(line, number, faults):
                yield number, value
        except (ValueError, RecursionError) as error:
            if at == 0 and getattr(error, "pos", 0) >= len(line.rstrip()):
                yield number, read_document(source, faults, cure)
                return
            faults.add(number, f"not JSON: {error}", cure, "json-syntax")


def holds_key(source: Input, name: str) -> bool:
    """Whether a key of this name, or the last one of a path, stands anywhere, however written."""
    parts = name.removesuffix(f".{EVERY}").split(".")
    names = {name, *(".".join(parts[at:]) for at in range(len(parts)))}
    keys = {
        json.dumps(each, ensure_ascii=plain).encode() for each in names for plain in (True, False)
    }
    return any(key in block for block in source.blocks() for key in keys)


def objects(
    source: Input, faults: FaultList, *, numbers_as_text: bool = False
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the object of each line with its line; a line that is none is noted and left out."""
    for number, line in text_lines(source, faults):
        if not line.strip():
            continue
        try:
            for record in values_in(line, number, faults, numbers_as_text, OBJECT_CURE):
                yield number, record
        except (ValueError, RecursionError) as error:
            faults.add(number, f"not JSON: {error}", OBJECT_CURE, "json-syntax")


def elements(
    source: Input, faults: FaultList, *, as_rows: bool = False
) -> Iterator[tuple[int, Any]]:
    """Yield every element of an array with the line on which it begins, up to bad JSON.

    Rows of a table have their numbers in the place of lines, and numbers as they are written.
    """
    text = decoded_text(source, faults).rstrip()  # so that what lacks at the end has a line
    line, cure = 1, ELEMENT_CURE if as_rows else ""
    try:
        for row, (line, start, end) in enumerate(spans(text), start=1):
            place = row if as_rows else line
            for element in values_in(text[start:end], place, faults, as_rows, cure):
                yield place, element
    except json.JSONDecodeError as error:
        line, reason = error.lineno, f"not JSON: {error.msg}: column {error.colno}"
        faults.extend([line_fault(source, text, line, reason, ARRAY_CURE, "json-syntax")])
    except (ValueError, RecursionError) as error:  # a number of thousands of digits
        faults.add(None if as_rows else line, f"not JSON: {error}", ARRAY_CURE, "json-syntax")


def values_in(
    written: str,
    line: int,
    faults: FaultList,
    numbers_as_text: bool = False,
    object_cure: str = "",
) -> Iterator[Any]:
    """Yield a value of JSON, or note why it cannot be used; with a cure it must be an object."""
    try:
        value = load(written, numbers_as_text=numbers_as_text)
    except DoubledKey as error:
        faults.add(line, str(error), KEY_CURE, "duplicate-key")
        return
    if object_cure and not isinstance(value, dict):
        is_number = isinstance(value, str) and not written.lstrip().startswith('"')
        kind = "number" if is_number else KINDS[type(value)]
        reason = f"a JSON {kind} where an object is expected"
        faults.add(line, reason, object_cure, "json-type")
    elif "\\u" in written and holds_half(value):
        faults.add(line, HALF, HALVES_CURE, "encoding")
    else:
        yield value


def holds_half(value: Any) -> bool:
    """Return whether a text in it has half of a surrogate pair."""
    with suppress(UnicodeEncodeError, RecursionError):
        json.dumps(value, ensure_ascii=False).encode()
        return False
    return True


def spans(text: str, first: int = 0) -> Iterator[tuple[int, int, int]]:
    """Yield the line of each element of an array, and where it begins and ends."""
    opening = _OPENING.match(text, first)
    if opening is None:
        raise json.JSONDecodeError("no array", text, len(text) - len(text.lstrip()))
    at, is_last = opening.end(), text[opening.end() : opening.end() + 1] == "]"
    line, counted = 1, 0
    while not is_last:
        _, end = _PLAIN.raw_decode(text, at)
        line, counted = line + text.count("\n", counted, at), at
        yield line, at, end
        between = _BETWEEN.match(text, end)
        at = between.end() if between else end
        is_last = text[at : at + 1] == "]"
        if between is None or (between[1] is None) != is_last:
            raise json.JSONDecodeError("no comma, or no element behind one", text, at)
    if behind := text[at + 1 :].lstrip():
        raise json.JSONDecodeError("something behind the array", text, len(text) - len(behind))


def array_rows(source: Input, numbers: Collection[int]) -> dict[int, str]:
    """Return rows of an array as they are written, each in one line."""
    text, found = source.all_bytes().decode("utf-8-sig", "replace"), dict[int, str]()
    with suppress(ValueError, RecursionError):  # the rows before are all that there are
        for number, (_, start, end) in enumerate(spans(text), start=1):
            if number in numbers:
                found[number] = " ".join(map(str.strip, text[start:end].splitlines()))
    return found


def first_keys(head: bytes) -> list[str]:
    """Return the keys of the first object, as far as the first bytes show."""
    text = head.decode("utf-8-sig", "replace")
    with suppress(ValueError, RecursionError):
        return list(_PLAIN.raw_decode(text, text.index("{"))[0])
    return []


def read_jsonl(table: PlainTable) -> Iterator[pl.DataFrame]:
    """Yield the cells of JSON lines."""
    table.place(first_keys(table.source.head()), keyed=True)
    yield _cells_of_objects(objects(table.source, table.faults, numbers_as_text=True), table)


def read_array(table: PlainTable) -> Iterator[pl.DataFrame]:
    """Yield the cells of an array of objects."""
    table.place(first_keys(table.source.head()), keyed=True)
    yield _cells_of_objects(elements(table.source, table.faults, as_rows=True), table)


def with_paths(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with what its objects and lists hold, under paths such as `event.name`.

    The texts of a list are one text, under `says.*`, or `parts.*.text` for a list of objects.
    """
    found = dict[str, list[Any]]()
    left: list[tuple[str, Any]] = [("", record)]
    while left:
        path, value = left.pop()
        if isinstance(value, dict):
            start = f"{path}." if path else ""
            left += [(start + key, value[key]) for key in reversed(value)]
        elif isinstance(value, list):
            left += [(f"{path}.{EVERY}", each) for each in reversed(value)]
        else:
            found.setdefault(path, []).append(value)
    texts = {
        path: [each for each in cells if isinstance(each, str)] for path, cells in found.items()
    }
    joined = {path: " ".join(texts[path]) or None for path in found if EVERY in path.split(".")}
    return {path: cells[0] for path, cells in found.items()} | joined | dict(record)


def last_key(path: str) -> str:
    """Return the key that a path leads to."""
    return path.removesuffix(f".{EVERY}").rpartition(".")[2]


def _cells_of_objects(
    rows: Iterator[tuple[int, dict[str, Any]]], table: PlainTable
) -> pl.DataFrame:
    """Return the columns that any object has; an object without a required value is a fault."""

    @lru_cache(KEPT_HEADERS)
    def place(header: tuple[str, ...]) -> list[tuple[Column, str]]:
        """Return the columns that objects with these keys have or need, each with its key."""
        keys = ((column, column.spelling(header)) for column in table.schema)
        return [(column, key) for column, key in keys if key or column.required]

    kept = []
    has_paths = any("." in name for column in table.schema for name in column.names)
    for line, record in rows:
        record = with_paths(record) if has_paths else record
        cells = _cells_in(record, place(tuple(record)), line, table)
        if cells is not None:
            kept.append((line, cells))
    found = {name for _, cells in kept for name in cells}
    names = [each.name for each in table.schema if each.required or each.name in found]
    return text_frame(((line, *map(cells.get, names)) for line, cells in kept), names)


def _cells_in(
    record: Mapping[str, Any], places: Sequence[tuple[Column, str]], line: int, table: PlainTable
) -> dict[str, str] | None:
    """Return the cells of one object, None if it has a fault."""
    cells, unit = dict[str, str](), table.source.unit
    for column, key in places:
        value = record[key] if key else None
        if isinstance(value, str):
            cells[column.name] = value
        elif isinstance(value, float) and column.kind not in (Kind.TEXT, Kind.ID):
            cells[column.name] = str(value)  # NaN or infinity: other numbers are text here
        elif value is not None and column.kind in AS_JSON:
            cells[column.name] = json.dumps(value)
        elif value is not None:
            reason = f'"{column.name}" is a JSON {KINDS[type(value)]}'
            table.faults.add(line, reason, "give a string or a number", "json-type")
            return None
        elif column.required and (not key or not column.may_be_blank):
            called = column.names[0]
            cure = f'every {unit} needs the key "{called}" with a value'
            if table.schema.people_make_it:
                cure += f"; --column {column.name}=KEY says what it is called"
            reason = f'"{key}" is null' if key else f'no "{called}"'
            table.faults.add(line, reason, cure, "empty-value" if key else "missing-key")
            return None
    if table.source.decided is not None:
        for name in DECIDED:
            if name in cells and name not in table.source.decided:
                reason, cure = LATE.format(name), f"give the first update a {name} too"
                table.faults.add(line, reason, cure, "late-column")
                del cells[name]
        if "run" in table.source.decided and "run" not in cells:
            table.faults.add(line, "empty run", "give every row its run", "empty-value")
    return cells
