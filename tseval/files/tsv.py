"""Tab-separated tables, tokenised by whole blocks of bytes.

A tab ends a field, a line feed (or CR LF) a line; quotes mean nothing; wholly empty lines are
skipped. Because no field can hold a line's end, row numbers are line numbers, and every fault is
found by the same pass that reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tseval.errors import Fault
from tseval.files.cells import Cells, counted_on
from tseval.io.faults import FaultList
from tseval.io.schema import Kind, Schema
from tseval.io.text_lines import UTF8_CURE, not_utf8
from tseval.io.threads import side_by_side
from tseval.records import frozen
from tseval.tables import Texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tseval.arrays import BoolArray, IntArray
    from tseval.io.inputs import Input

    ByteArray = NDArray[np.uint8]

TAB, LINE_FEED, CARRIAGE_RETURN = 9, 10, 13
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@frozen
class Grid:
    """Where the fields of a block stand: `starts[row, column]` to `ends[row, column]`."""

    starts: IntArray
    ends: IntArray
    lines: IntArray
    read: int
    """How many lines the block has, faulty and empty ones among them."""


def split_header(line: bytes, schema: Schema) -> list[str]:
    """The names in a header; one that mixes tabs with runs of spaces, as TREC 2013's, works too."""
    text = line.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace").rstrip("\r\n")
    tabbed = [name.strip() for name in text.split("\t")]
    spaced = text.split()
    return spaced if schema.missing(tabbed) and not schema.missing(spaced) else tabbed


def header(source: Input, schema: Schema, faults: FaultList) -> list[str]:
    """The names of an input's columns; a header line that is not UTF-8 is a fault."""
    line = source.first_line()
    reason = not_utf8(line)
    if reason:
        faults.add(1, reason, UTF8_CURE, "encoding")
    return split_header(line, schema)


def read_tsv(source: Input, schema: Schema, faults: FaultList) -> Cells:
    """Read the columns of the schema that the header names; faulty rows are noted and left out."""
    return Cells.join(list(cell_blocks(source, schema, faults)))


def cell_blocks(source: Input, schema: Schema, faults: FaultList) -> Iterator[Cells]:
    """The same, block by block."""
    blocks = source.blocks()
    line, _, body = next(blocks, b"").partition(b"\n")
    names = split_header(line, schema)
    read = partial(_read_block, source=source, names=names, schema=schema)
    return counted_on(side_by_side(read, chain([body], blocks)), faults, before=1)


def _read_block(
    block: bytes, source: Input, names: list[str], schema: Schema
) -> tuple[Cells, list[Fault], int]:
    """A block's cells and faults, with lines counted from the block's first, and their number."""
    faults = FaultList(source)
    grid = split_fields(block, len(names), faults)
    return cut_cells(block, grid, schema.placed(names), schema), faults.noted, grid.read


@frozen
class _Lines:
    """The lines of a block: where they start and end, how many fields each has."""

    block: bytes
    starts: IntArray
    ends: IntArray
    fields: IntArray

    @property
    def data(self) -> ByteArray:
        return np.frombuffer(self.block, np.uint8)

    def blank(self) -> BoolArray:
        """Which lines hold nothing."""
        length = self.ends - self.starts
        blank: BoolArray = (length == 0) | (
            (length == 1) & (self.data[self.starts] == CARRIAGE_RETURN)
        )
        return blank


def split_fields(block: bytes, width: int, faults: FaultList) -> Grid:
    """The fields of every line that has as many as the header; the others are faults."""
    data = np.frombuffer(block, np.uint8)
    delimiters = np.flatnonzero(data - np.uint8(TAB) < LINE_FEED - TAB + 1)  # wraps below TAB
    is_end = data[delimiters] == LINE_FEED
    line_ends = delimiters[is_end]
    line_starts = np.concatenate(([0], line_ends + 1))[:-1]
    fields = np.diff(np.flatnonzero(is_end), prepend=-1)
    lines = _Lines(block, line_starts, line_ends, fields)
    good = _right_width(lines, width, faults) & _decodable(lines, faults)
    kept = delimiters if good.all() else delimiters[good[np.cumsum(is_end) - is_end]]
    ends = kept.reshape(-1, width)
    starts = np.column_stack((line_starts[good], ends[:, :-1] + 1))
    ends = _without_carriage_returns(data, starts, ends)
    return Grid(starts, ends, np.flatnonzero(good) + 1, len(line_ends))


def _without_carriage_returns(data: ByteArray, starts: IntArray, ends: IntArray) -> IntArray:
    """The ends with those of the last column moved before a CR."""
    last = ends[:, -1]
    has_return = (last > starts[:, -1]) & (data[last - 1] == CARRIAGE_RETURN)
    if not has_return.any():
        return ends
    moved = ends.copy()
    moved[:, -1] -= has_return
    return moved


def _right_width(lines: _Lines, width: int, faults: FaultList) -> BoolArray:
    """Which lines have as many fields as the header; empty lines are skipped in silence."""
    good: BoolArray = lines.fields == width
    if good.all() and width > 1:
        return good
    blank = lines.blank()
    for line in np.flatnonzero(~good & ~blank).tolist():
        faults.add(line + 1, *_wrong_width(int(lines.fields[line]), width), "field-count")
    return good & ~blank


def _wrong_width(fields: int, width: int) -> tuple[str, str]:
    noun = "field" if fields == 1 else "fields"
    reason = f"{fields} {noun} where the header has {width}"
    if fields > width:
        return (
            reason,
            "too many: replace tabs inside the text by spaces, or remove the extra fields",
        )
    return (
        reason,
        "too few: separate the fields by single tabs; an optional value needs its tab too",
    )


def _decodable(lines: _Lines, faults: FaultList) -> BoolArray:
    """Which lines are UTF-8; looked at one by one only if the block as a whole is not."""
    good = np.ones(len(lines.starts), bool)
    if lines.block.isascii():
        return good
    try:
        lines.block.decode("utf-8")
    except UnicodeDecodeError:
        for line, (start, end) in enumerate(zip(lines.starts, lines.ends, strict=True)):
            reason = not_utf8(lines.block[start:end])
            if reason:
                good[line] = False
                faults.add(line + 1, reason, UTF8_CURE, "encoding")
    return good


def cut_cells(block: bytes, grid: Grid, places: dict[str, int], schema: Schema) -> Cells:
    """The cells of these columns, which stand at these places of the grid."""
    columns: dict[str, Any] = {}
    for column in schema:
        if column.name not in places:
            continue
        at = places[column.name]
        starts, ends = grid.starts[:, at], grid.ends[:, at]
        columns[column.name] = (
            _texts(block, starts, ends)
            if column.kind is Kind.TEXT
            else gather(np.frombuffer(block, np.uint8), starts, ends)
        )
    return Cells(columns, grid.lines)


def _texts(block: bytes, starts: IntArray, ends: IntArray) -> Texts:
    """The fields as texts that stay where they are in the block."""
    first = np.zeros(len(starts), np.int32)
    return Texts((block,), first, starts.astype(np.int32), ends.astype(np.int32))


def gather(data: ByteArray, starts: IntArray, ends: IntArray) -> Any:
    """The slices of a block as an Arrow array of strings."""
    lengths = ends - starts
    offsets = np.zeros(len(starts) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    if len(starts) and (lengths == lengths[0]).all():
        picked = data[starts[:, None] + np.arange(lengths[0])]
    else:
        picked = data[np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])]
    return pa.StringArray.from_buffers(
        len(starts), pa.py_buffer(offsets.tobytes()), pa.py_buffer(picked.tobytes())
    )
