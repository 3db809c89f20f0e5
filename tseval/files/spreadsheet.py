"""Tables as a spreadsheet, `.xlsx`: the first sheet that holds anything, a row for a row.

Rows have the numbers that the spreadsheet shows; the first that holds anything names the columns.
"""

from __future__ import annotations

import functools
import io
import re
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.errors import MissingExtra, input_error
from tseval.files.cells import Cells, column_of
from tseval.io.inputs import BLOCK_BYTES, Input, RowInput, check_document

if TYPE_CHECKING:
    from tseval.io.faults import FaultList
    from tseval.io.schema import Schema

MAGIC = b"PK\x03\x04"
OLD_MAGIC = b"\xd0\xcf\x11\xe0"
"""Of spreadsheets before 2007, and of those with a password."""
CELL_BYTES = 32
"""What a cell takes at least, also one that holds nothing, between others that do."""
REFERENCE = re.compile(rb"""<(?:\w+:)?c\s[^<>]*?\br\s*=\s*["']([A-Z]{1,9})([0-9]{1,12})""")
"""Where a cell of a sheet says that it stands."""
LONGEST = 256
"""No beginning of a cell is longer up to there."""
OLD_CURE = "save it as .xlsx, without a password, or as CSV"


class Extent:
    """How far the cells of a sheet reach: a single one far down and to the right makes many."""

    def __init__(self) -> None:
        self.rows = self.columns = 0
        self._rest = b""

    def with_piece(self, piece: bytes) -> int:
        """How many cells the sheet has at least, after this further piece of it."""
        whole = self._rest + piece
        found = REFERENCE.findall(whole)
        self.rows = max(self.rows, *map(int, {row for _, row in found}), 0)
        self.columns = max(self.columns, *map(_number, {column for column, _ in found}), 0)
        self._rest = whole[-LONGEST:]
        return self.rows * self.columns


def _number(letters: bytes) -> int:
    """The number of a column: 1 for A, 27 for AA."""
    return functools.reduce(lambda number, letter: 26 * number + letter - 64, letters, 0)


class SpreadsheetInput(RowInput):
    """An input that is known to be a spreadsheet."""

    def lines(self, numbers: Collection[int]) -> dict[int, str]:
        """The rows as their values, separated by tabs."""
        found = _cells(self)[1]
        return {number: "\t".join(found[number - 1]) for number in numbers}

    def where_names_stand(self) -> str:
        """In which sheet, if there are several."""
        filled = _cells(self)[0]
        return f"in the first sheet of {len(filled)}, {filled[0]}" if len(filled) > 1 else "here"


def header(source: Input) -> list[str]:
    """The names of the columns; none of an empty sheet."""
    return _header(_cells(source)[1])[1]


def read_spreadsheet(source: Input, schema: Schema, _faults: FaultList) -> Cells:
    """Read the columns of the schema that the header names; blank rows are left out."""
    _, rows = _cells(source)
    first, names = _header(rows)
    filled = [at for at in range(first + 1, len(rows)) if any(rows[at])]
    return Cells(
        {
            name: column_of([rows[row][at] for row in filled], name, schema)
            for name, at in schema.placed(names).items()
        },
        np.array(filled, np.int64) + 1,
    )


def _header(rows: list[list[str]]) -> tuple[int, list[str]]:
    at = next((at for at, row in enumerate(rows) if any(row)), 0)
    return at, [name.strip() for name in rows[at]] if rows else []


def _cells(source: Input) -> tuple[tuple[str, ...], list[list[str]]]:
    """The names of the sheets that hold anything, and the rows of the first as text."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise MissingExtra("excel", f"{source.path}: reading a spreadsheet") from error
    content = source.whole()
    if content.startswith(OLD_MAGIC):
        reason = "is a spreadsheet of the form before 2007, or has a password"
        raise input_error(source.path, None, reason, OLD_CURE, "unknown-format")
    _check_unpacked(source, content)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
        found = {name: _texts(book.get_sheet_by_name(name)) for name in book.sheet_names}
    except CalamineError as error:
        reason = f"cannot be read as a spreadsheet: {error}"
        cure = "save it again, or as CSV"
        raise input_error(source.path, None, reason, cure, "damaged-file") from error
    filled = {name: rows for name, rows in found.items() if any(map(any, rows))}
    return tuple(filled), next(iter(filled.values()), [])


def _check_unpacked(source: Input, content: bytes) -> None:
    """Refuse what unpacks to more than a document may have: kilobytes can hold gigabytes.

    It is unpacked piece by piece, since sizes that an archive tells may be wrong; whoever reads it
    then tells what is damaged.
    """
    import zipfile
    import zlib

    size = 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for each in archive.infolist():
                each.file_size = sys.maxsize
                extent = Extent()
                with archive.open(each) as stream:
                    while piece := stream.read(BLOCK_BYTES):
                        size += len(piece)
                        check_document(source.path, size)
                        check_document(source.path, extent.with_piece(piece) * CELL_BYTES)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError):
        return


def _texts(sheet: Any) -> list[list[str]]:
    rows = sheet.to_python(skip_empty_area=False)
    return [[_text(cell) for cell in row] for row in rows]


def _text(cell: Any) -> str:
    """A cell as CSV would have it: whole numbers without a point, times in ISO 8601."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    return str(cell.isoformat()) if hasattr(cell, "isoformat") else str(cell)
