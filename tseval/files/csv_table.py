"""Tables of fields divided by commas, semicolons or bars, with the usual quotes.

A quoted field may hold what divides fields, and line ends.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.errors import input_error
from tseval.files.cells import Cells, column_of
from tseval.io.csv_fields import long_fields
from tseval.io.inputs import SHOWN_BYTES
from tseval.io.limits import LINE
from tseval.io.schema import Schema
from tseval.io.text_lines import UTF8_CURE, not_utf8

if TYPE_CHECKING:
    from tseval.io.faults import FaultList
    from tseval.io.inputs import Input

DIVIDERS = {",": 1, ";": 2, "|": 2}
"""What may divide fields, with how often it has to stand in a header to be known."""
OBJECTS_CURE = 'a table is one array of objects, such as [{"topic": "t1", …}]'
QUOTES_CURE = 'write a quote inside quotes twice: ""'
SAID = {",": "commas", ";": "semicolons", "|": "bars"}
RETURN_CURE = "end lines with LF or CR LF; a field with a line's end needs double quotes"


def divider(line: bytes) -> str | None:
    """What divides the fields of a header line: the sign that stands there most; None if none does.

    One semicolon or bar alone may be part of a text.
    """
    most = max(DIVIDERS, key=lambda sign: line.count(sign.encode()))
    return most if line.count(most.encode()) >= DIVIDERS[most] else None


def split_header(line: bytes) -> list[str]:
    """The names in a header line, as well as they can be told."""
    text = line.decode("utf-8-sig", "replace").strip("\r\n")
    sign = divider(line) or ","
    try:
        return _stripped(next(csv.reader([text], delimiter=sign), []))
    except csv.Error:
        return _stripped(text.split(sign))


def header(source: Input, faults: FaultList) -> list[str]:
    """The names of an input's columns; a header with a fault is empty."""
    with source.open() as stream, long_fields(LINE.most):
        sign = divider(source.first_line()) or ","
        return _header(_numbered(_decoded(stream, faults), faults, sign))


def _header(rows: Iterator[tuple[int, list[str]]]) -> list[str]:
    line, names = next(rows, (1, []))
    return _stripped(names) if line == 1 else []


def _stripped(names: list[str]) -> list[str]:
    return [name.strip() for name in names]


def read_csv(source: Input, schema: Schema, faults: FaultList) -> Cells:
    """Read the columns of the schema that the header names; faulty rows are noted and left out."""
    sign = divider(source.first_line()) or ","
    with source.open() as stream, long_fields(LINE.most):
        rows = _numbered(_decoded(stream, faults), faults, sign)
        names = _header(rows)
        kept: list[list[str]] = []
        lines: list[int] = []
        for line, row in rows:
            if len(row) == len(names):
                kept.append(row)
                lines.append(line)
            elif row:
                noun = "field" if len(row) == 1 else "fields"
                reason = f"{len(row)} {noun} where the header has {len(names)}"
                cure = f'put a field that holds {SAID[sign]} between double quotes: "a{sign} b"'
                faults.add(line, reason, cure, "field-count")
    return _cells(kept, lines, schema.placed(names), schema)


def _cells(
    rows: list[list[str]], lines: list[int], places: dict[str, int], schema: Schema
) -> Cells:
    columns: dict[str, Any] = {
        name: column_of([row[at] for row in rows], name, schema) for name, at in places.items()
    }
    return Cells(columns, np.array(lines, np.int64))


def _decoded(stream: Any, faults: FaultList) -> Iterator[str]:
    """The lines as text; one that is not UTF-8 is noted and given as an empty line."""
    lines, limit = io.BufferedReader(_Readable(stream)), LINE.most
    for number in count(1):
        line = lines.readline(limit + 1)
        if not line:
            return
        if len(line) > limit:
            _refuse_long(faults.source, number, "is", line[:SHOWN_BYTES])
        reason = not_utf8(line)
        if reason:
            faults.add(number, reason, UTF8_CURE, "encoding")
            yield "\n"
        else:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")


def _numbered(
    lines: Iterator[str], faults: FaultList, sign: str
) -> Iterator[tuple[int, list[str]]]:
    """The rows, each with the number of the line on which it starts; broken ones are noted."""
    reader = csv.reader(lines, strict=True, delimiter=sign)
    first = 1
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            if "new-line character" in str(error):
                faults.add(first, "a carriage return inside the line", RETURN_CURE, "line-ends")
            elif "field limit" in str(error):
                _refuse_long(faults.source, first, "begins a field that is as long as", b"")
            elif faults.source.head().lstrip().startswith(b"["):
                reason = "a JSON array whose elements are no objects"
                faults.add(None, reason, OBJECTS_CURE, "json-type")
                return
            else:
                faults.add(first, f"broken quotes: {error}", QUOTES_CURE, "csv-syntax")
        else:
            if row is None:
                return
            yield first, row
        first = reader.line_num + 1


def _refuse_long(source: Input, line: int, what: str, start: bytes) -> None:
    """Refuse a line, or a quoted field of many lines, that is longer than a line may be."""
    text = start.decode("utf-8", "replace")
    raise input_error(source.path, line, f"{what} {LINE.reason}", LINE.cure, "too-large", text)


class _Readable(io.RawIOBase):
    """Any stream with `read` as a raw stream, so that it can be read by lines."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._stream.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)
