"""JSON arrays: tables of objects, which stand for rows counted from 1; of anything, by lines."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from tseval.errors import Fault, input_error
from tseval.files.jsonl import HALF, HALVES_CURE, cells_in, cells_of, holds_half, object_in
from tseval.io import json_text
from tseval.io.inputs import RowInput
from tseval.io.text_lines import UTF8_CURE, whole_text

if TYPE_CHECKING:
    from tseval.files.cells import Cells
    from tseval.io.faults import FaultList
    from tseval.io.inputs import Input
    from tseval.io.schema import Schema

START = re.compile(rb"\[\s*[{\]]")
"""How one begins: a list of lists is no table."""
ELEMENT_CURE = 'give every row as an object, such as {"topic": "t1", …}'
ARRAY_CURE = "a table is one array: [{…}, {…}], with commas between its objects"
WHOLE_CURE = "the file is one array: [ELEMENT, ELEMENT, …]"
_SPACE = re.compile(r"\s*")
_PLAIN = json.JSONDecoder(parse_float=str, parse_int=str)
"""Python takes no whole number of thousands of digits."""
NUMBERS = "-0123456789"


class ArrayInput(RowInput):
    """An input that is known to be a JSON array."""

    def lines(self, numbers: Collection[int]) -> dict[int, str]:
        """The rows as they are written, each in one line."""
        text = self.whole_lines().decode("utf-8-sig", "replace")
        found: dict[int, str] = {}
        try:
            for number, (start, end) in enumerate(spans(text), start=1):
                if number in numbers:
                    found[number] = " ".join(map(str.strip, text[start:end].splitlines()))
        except (ValueError, RecursionError):
            pass  # the rows before are all that there are
        return found


def first_keys(head: bytes) -> list[str]:
    """The keys of the first object in an array, as far as the first bytes tell."""
    text = head.decode("utf-8-sig", "replace")
    start = text.find("{")
    try:
        return list(_PLAIN.raw_decode(text, start)[0]) if start >= 0 else []
    except (ValueError, RecursionError):
        return []


def read_array(source: Input, schema: Schema, faults: FaultList) -> Cells:
    """Read the columns of the schema that any row has; faulty rows are noted and left out."""
    rows = []
    for row, record in objects_as_written(source, faults):
        cells = cells_in(record, schema, row, faults)
        if cells is not None:
            rows.append((row, cells))
    return cells_of(rows, schema)


def objects_as_written(source: Input, faults: FaultList) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every object with its number; behind what is no JSON nothing can be read."""
    text = _decoded(source)
    try:
        for row, (start, end) in enumerate(spans(text), start=1):
            written = text[start:end]
            try:
                record = json_text.load(written, numbers_as_text=True)
            except json_text.DoubledKey as error:
                faults.add(row, str(error), json_text.KEY_CURE, "duplicate-key")
                continue
            is_number = text[start] in NUMBERS
            found = object_in(
                record, row, faults, ELEMENT_CURE, is_number=is_number, escaped="\\u" in written
            )
            if found is not None:
                yield row, found
    except RecursionError as error:
        faults.add(None, f"not JSON: {error}", ARRAY_CURE, "json-syntax")
    except json.JSONDecodeError as error:
        line = text.split("\n")[error.lineno - 1].rstrip("\r")
        reason = f"not JSON: {error.msg}: column {error.colno}"
        faults.extend([Fault(source.path, error.lineno, reason, ARRAY_CURE, "json-syntax", line)])


def elements(source: Input, faults: FaultList) -> Iterator[tuple[int, Any]]:
    """Every element of an array with the line on which it begins, whatever it is.

    What is no JSON is noted, and nothing behind it is read.
    """
    text = whole_text(source, faults).rstrip()  # so that what lacks at the end has a line
    line, counted = 1, 0
    try:
        for start, end in spans(text):
            line, counted = line + text.count("\n", counted, start), start
            written = text[start:end]
            try:
                element = json_text.load(written)
            except json_text.DoubledKey as error:
                faults.add(line, str(error), json_text.KEY_CURE, "duplicate-key")
                continue
            if "\\u" in written and holds_half(element):
                faults.add(line, HALF, HALVES_CURE, "encoding")
            else:
                yield line, element
    except RecursionError as error:
        faults.add(line, f"not JSON: {error}", WHOLE_CURE, "json-syntax")
    except json.JSONDecodeError as error:
        reason = f"not JSON: {error.msg}: column {error.colno}"
        faults.add(error.lineno, reason, WHOLE_CURE, "json-syntax")
    except ValueError as error:  # a whole number of thousands of digits
        faults.add(line, f"not JSON: {error}", WHOLE_CURE, "json-syntax")


def _decoded(source: Input) -> str:
    """The whole file as text; bytes that are not UTF-8 are refused with their line."""
    content = source.whole()
    try:
        return content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        shown = content.split(b"\n")[line - 1].decode("utf-8", "replace").rstrip("\r")
        reason = f"byte 0x{content[error.start]:02x} is not UTF-8"
        raise input_error(source.path, line, reason, UTF8_CURE, "encoding", shown) from None


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each element of an array begins and ends."""
    at = _after_space(text, 0)
    if text[at : at + 1] != "[":
        raise json.JSONDecodeError("no array", text, at)
    at = _after_space(text, at + 1)
    while text[at : at + 1] != "]":
        _, end = _PLAIN.raw_decode(text, at)
        yield at, end
        at = _after_space(text, end)
        if text[at : at + 1] == ",":
            at = _after_space(text, at + 1)
            if text[at : at + 1] == "]":
                raise json.JSONDecodeError("a comma and no object behind it", text, at)
        elif text[at : at + 1] != "]":
            raise json.JSONDecodeError("neither a comma nor the end of the array", text, at)
    at = _after_space(text, at + 1)
    if text[at:]:
        raise json.JSONDecodeError("something behind the array", text, at)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()
