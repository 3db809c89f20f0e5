"""Lines of fixed fields, divided by white space: the one reader of runs, qrels, pools and the like.

A `Layout` says what the fields are. Blocks of regular lines, whatever blanks divide their fields,
are cut by a fast reader; of all others the places of the fields are found, so that every faulty
line is told by its number.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tseval.errors import Fault
from tseval.files import tsv
from tseval.files.cells import Cells, counted_on
from tseval.files.faults import FaultList
from tseval.files.plain import Rows, build
from tseval.files.reading import names_of, rows_of
from tseval.files.text_lines import UTF8_CURE, not_utf8, without_broken_bytes
from tseval.files.threads import side_by_side
from tseval.files.value_parsing import are_plain, read_numbers
from tseval.records import frozen
from tseval.tables import Ids, Kind, Schema
from tseval.tables.arrow import integers, numbers, strings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tseval.files.inputs import Input
    from tseval.tables.columns import BoolArray, IntArray

    ByteArray = NDArray[np.uint8]

BLANK = np.zeros(256, bool)
BLANK[[9, 10, 11, 12, 13, 32]] = True
HASH, HYPHEN, SPACE, TAB = ord("#"), ord("-"), ord(" "), ord("\t")
ODD_BLANKS = (b"\t", b"\r", b"\v", b"\f")
TO_SPACES = bytes.maketrans(b"".join(ODD_BLANKS), b" " * len(ODD_BLANKS))
"""What the fast reader makes of them."""
CODED = pa.dictionary(pa.int32(), pa.string())
BETWEEN = strings(["-"])[0]
INFINITE = strings(["inf", "+inf", "infinity", "+infinity"])
CERTAIN = "1000"
"""What stands for an infinite confidence in the runs of Temporal Summarization."""


@frozen
class Span:
    """Where a column stands in a line: a field, or two neighbours with a hyphen between them."""

    at: int
    to: int = -1
    """The second of two fields, if there are two."""
    made: Callable[[Any], Any] | None = None
    """What makes the column of the fields; it leaves plain numbers as they are."""
    differs: bool = False
    """Whether most names of the column differ, so that to code them block by block is in vain."""


PLAIN = Span(-1)
"""A span of which nothing is known."""


@frozen
class Layout:
    """What the fields of a line are, and which columns of a table they make."""

    schema: Schema
    columns: Mapping[str, Span]
    fields: int
    wanted: str
    """How many there should be, in the words of a fault: `where a run has 7`."""
    cure: str
    """How to mend a line that has another number of them."""
    stranger: Callable[[list[bytes]], str] = field(default=lambda _: "")
    """The cure, by its fields, of such a line that is of another kind of file; nothing if not."""
    may_have_more: bool = False
    """Whether more fields may follow, which are not read."""
    ends_with_text: bool = False
    """Whether the last field is the rest of the line, which may hold blanks."""
    comments: bool = False
    """Whether a line that begins with `#` says nothing; the first field is then no number."""
    mended: bool = False
    """Whether bytes that are not UTF-8 are read as `?`; elsewhere they are faults."""
    heading: Callable[[list[bytes]], bool] = field(default=lambda _: False)
    """Whether the fields of the first line are no row."""

    @property
    def is_even(self) -> bool:
        """Whether every line has the same number of fields."""
        return not (self.may_have_more or self.ends_with_text)


def named_fields(schema: Schema, words: str) -> Layout:
    """Lines of these fields, which are called as the columns that they make."""
    names = words.split()
    return Layout(
        schema,
        {name: Span(at) for at, name in enumerate(names) if schema.find(name)},
        len(names),
        f"where there should be {len(names)}",
        f"each line is: {words}",
    )


def read_lines_or_table(source: Input, layout: Layout, form: str | None = None) -> Rows:
    """Read such lines, or the plain table that they stand for, which `form` asks for."""
    if source.is_table or form or not layout.schema.missing(names_of(source)):
        return rows_of(source, layout.schema, form)
    return read_lines(source, layout)


def read_lines(source: Input, layout: Layout) -> Rows:
    """Read a file of lines of this layout; any fault is raised."""
    faults = FaultList(source)
    rows = build(source, cells_of_lines(source, layout, faults), layout.schema.of_track, faults)
    faults.check()
    return rows


def cells_of_lines(source: Input, layout: Layout, faults: FaultList) -> Cells:
    """The cells of all lines that have their fields; the others are noted."""
    read = partial(_read_block, source=source, layout=layout)
    blocks = side_by_side(read, zip(source.blocks(), chain([True], repeat(False)), strict=False))
    filled = [part for part in counted_on(blocks, faults) if len(part.lines)]
    if not filled:
        return Cells.empty(list(layout.columns), layout.schema)
    return Cells.join(_of_one_kind(filled, layout))


def _of_one_kind(parts: list[Cells], layout: Layout) -> list[Cells]:
    """The parts with numbers as text again, if any part has them as text."""
    figures = _figures(layout)
    if len({str(part.columns[name].type) for part in parts for name in figures}) < 2:
        return parts
    return [
        replace(
            part,
            columns=part.columns
            | {name: pc.cast(part.columns[name], pa.string()) for name in figures},
        )
        for part in parts
    ]


def _figures(layout: Layout) -> list[str]:
    """The columns of numbers and times."""
    return [name for name in layout.columns if not _is_name(layout, name)]


def _is_name(layout: Layout, name: str) -> bool:
    column = layout.schema.find(name)
    return column is not None and column.kind is Kind.ID


def _read_block(
    placed: tuple[bytes, bool], source: Input, layout: Layout
) -> tuple[Cells, list[Fault], int]:
    """A block's cells and faults, with lines counted from the block's first, and their number.

    With the block it is told whether it is the file's first.
    """
    block, first = placed
    regular = _regular_block(block, source, layout, first=first)
    if regular is not None:
        cells, lines = regular
        return cells, [], lines
    return _any_block(block, source, layout, first=first)


def _regular_block(
    block: bytes, source: Input, layout: Layout, *, first: bool
) -> tuple[Cells, int] | None:
    """The cells of a block whose lines have all fields and nothing else, and the number of lines.

    None of any other.

    Comments, infinity, and what is no number or no good one are left to the careful way too.
    """
    lines = _EvenLines.of(block, layout.fields) if layout.is_even and block.isascii() else None
    if (
        lines is None
        or (layout.comments and lines.any_begins_with(HASH))
        or (first and layout.heading(lines.first_fields))
    ):
        return None
    figures = {str(layout.columns[name].at) for name in _figures(layout)}
    differing = {str(span.at) for span in layout.columns.values() if span.differs}
    fields = lines.read(_joined_fields(layout), figures, differing)
    if fields is None:
        return None
    columns: dict[str, Any] = {}
    for name, span in layout.columns.items():
        cells = fields[str(span.at)]
        if str(span.to) in fields:
            cells = _coded(hyphened(cells, fields[str(span.to)]), span)
        if not _is_name(layout, name) and not _are_good(layout, name, cells, lines.number, source):
            return None
        columns[name] = cells
    return Cells(columns, lines.number), lines.all_lines


def _joined_fields(layout: Layout) -> list[int]:
    """The fields that a column has with the next, where no other column has either."""
    spans = list(layout.columns.values())
    used = [at for span in spans for at in (span.at, span.to) if at >= 0]
    return [
        span.at
        for span in spans
        if span.to >= 0 and used.count(span.at) == used.count(span.to) == 1
    ]


def _are_good(layout: Layout, name: str, cells: Any, lines: IntArray, source: Input) -> bool:
    """Whether numbers are such as their column may have; faults quote what was written."""
    column = layout.schema.find(name)
    if column is None or not are_plain(numbers(cells)):
        return False
    faults = FaultList(source)
    read_numbers(column, cells, lines, faults)
    return not len(faults)


@frozen
class _EvenLines:
    """Lines that have the same number of fields, with one blank between and nothing around."""

    data: ByteArray
    ends: IntArray
    """Where the fields end: a row a line."""
    number: IntArray
    """The lines' numbers in the block, from 1 on."""
    all_lines: int
    """How many lines the block has, empty ones included."""
    divider: int
    """The byte between fields."""

    @classmethod
    def of(cls, block: bytes, fields: int) -> _EvenLines | None:
        """The lines of an ASCII block, whatever blanks divide the fields; None if not even."""
        data = np.frombuffer(block, np.uint8)
        divider = TAB if b"\t" in block[: block.find(b"\n")] else SPACE
        ends = _even_ends(data, fields, divider)
        if ends is not None:
            return cls(data, ends, np.arange(1, len(ends) + 1), len(ends), divider)
        if any(odd in block for odd in ODD_BLANKS):
            data = np.frombuffer(block.translate(TO_SPACES), np.uint8)
        data, number = _tidied(data)
        ends = _even_ends(data, fields, SPACE)
        return None if ends is None else cls(data, ends, number, block.count(b"\n"), SPACE)

    @property
    def first_fields(self) -> list[bytes]:
        """The fields of the first line."""
        return self.data[: self.ends[0, -1]].tobytes().split()

    def any_begins_with(self, byte: int) -> bool:
        """Whether any line begins with this byte."""
        starts = np.append(0, self.ends[:-1, -1] + 1)
        return bool((self.data[starts] == byte).any())

    def read(
        self, joined: Sequence[int], figures: Collection[str], differing: Collection[str]
    ) -> dict[str, Any] | None:
        """The fields by their places: names coded, figures as numbers; None if one is no number.

        Those that are to be joined are with the next by a hyphen; names that differ are not coded.
        """
        from pyarrow import csv

        data = self.data.copy()
        for at in joined:
            data[self.ends[:, at]] = HYPHEN
        names = [str(at) for at in range(self.ends.shape[1]) if at - 1 not in joined]
        kinds = dict.fromkeys(names, CODED) | dict.fromkeys(figures, pa.float64())
        kinds |= dict.fromkeys(differing, pa.string())
        try:
            table = csv.read_csv(
                pa.BufferReader(pa.py_buffer(data)),
                csv.ReadOptions(column_names=names, use_threads=False, block_size=len(data) + 1),
                csv.ParseOptions(delimiter=chr(self.divider), quote_char=False, double_quote=False),
                csv.ConvertOptions(
                    check_utf8=False,
                    column_types=kinds,
                    null_values=[],
                    strings_can_be_null=False,
                ),
            )
        except pa.ArrowInvalid:
            return None
        return {name: table[name].combine_chunks() for name in names}


def _even_ends(data: ByteArray, fields: int, divider: int) -> IntArray | None:
    """Where the fields end, a row a line, if each line has so many, none empty; None if not."""
    at = np.flatnonzero(data <= SPACE)
    if not len(at) or len(at) % fields or not at[0] or (at[1:] - at[:-1] == 1).any():
        return None
    ends = at.reshape(-1, fields)
    between, last = data[ends[:, :-1]], data[ends[:, -1]]
    return ends if (between == divider).all() and (last == tsv.LINE_FEED).all() else None


def _tidied(data: ByteArray) -> tuple[ByteArray, IntArray]:
    """The lines that hold anything, with one space between their fields; and their numbers."""
    ended = data == tsv.LINE_FEED
    blank = ended | (data == SPACE)
    before = np.append(True, blank[:-1])
    ends, starts = np.flatnonzero(blank & ~before), np.flatnonzero(~blank & before)
    line = np.searchsorted(np.flatnonzero(ended), starts)
    last = np.append(line[1:] != line[:-1], True)[: len(line)]
    tidy = data.copy()
    tidy[ends] = np.where(last, tsv.LINE_FEED, SPACE)
    blank[ends] = False
    return tidy[~blank], line[last] + 1


def _coded(cells: Any, span: Span = PLAIN) -> Any:
    """Names coded block by block, so that no block's bytes have to be kept, unless they differ."""
    if span.differs:
        return pc.cast(cells, pa.string())
    return cells if pa.types.is_dictionary(cells.type) else pc.dictionary_encode(cells)


def hyphened(left: Any, right: Any) -> Any:
    """Two columns with a hyphen between, coded; each pair of names is joined once."""
    one, other = Ids.of(_coded(left)), Ids.of(_coded(right))
    pairs = pc.dictionary_encode(integers(one.codes * len(other.names) + other.codes))
    code, rest = np.divmod(numbers(pairs.dictionary), len(other.names))
    firsts, seconds = one.names.take(integers(code)), other.names.take(integers(rest))
    names = pc.binary_join_element_wise(firsts, seconds, BETWEEN)
    # Two pairs may give one name, as a-b with c and a with b-c.
    merged = Ids.of(names)
    codes = integers(merged.codes[numbers(pairs.indices)]).cast(pa.int32())
    return pa.DictionaryArray.from_arrays(codes, merged.names)


def before_hyphen(names: Any) -> Any:
    """What stands before the first hyphen of each name, such as the time of a document's id."""
    coded = _coded(names)
    parts = pc.list_element(pc.split_pattern(coded.dictionary, "-", max_splits=1), 0)
    return parts.take(coded.indices)


def certain(cells: Any) -> Any:
    """Confidences with `CERTAIN` for infinity."""
    return pc.if_else(pc.is_in(pc.utf8_lower(cells), INFINITE), CERTAIN, cells)


@frozen
class _Fields:
    """Where the fields of a block stand, and which belong to which line."""

    data: ByteArray
    starts: IntArray
    ends: IntArray
    first: IntArray
    """For each line its first field."""
    number: IntArray
    """How many fields each line has."""

    @classmethod
    def of(cls, block: bytes) -> _Fields:
        data = np.frombuffer(block, np.uint8)
        blank = BLANK[data]
        edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
        if not blank[0]:
            edges = np.concatenate(([0], edges))
        starts, ends = edges[::2], edges[1::2]
        upto = np.searchsorted(starts, np.flatnonzero(data == tsv.LINE_FEED))
        number = np.diff(upto, prepend=0)
        return cls(data, starts, ends, upto - number, number)

    def line(self, at: int) -> bytes:
        """A line from its first field to its last."""
        first = self.first[at]
        last = self.ends[first + self.number[at] - 1]
        return self.data[self.starts[first] : last].tobytes()

    def column(self, lines: IntArray, span: Span, *, to_the_end: bool = False) -> Any:
        """The cells of a column in these lines."""
        at = self.first[lines] + span.at
        if to_the_end:
            last = self.first[lines] + self.number[lines] - 1
            return tsv.gather(self.data, self.starts[at], self.ends[last])
        if span.to < 0:
            return tsv.gather(self.data, self.starts[at], self.ends[at])
        to = self.first[lines] + span.to
        if (self.starts[to] - self.ends[at] != 1).any():
            left = tsv.gather(self.data, self.starts[at], self.ends[at])
            return hyphened(left, tsv.gather(self.data, self.starts[to], self.ends[to]))
        data = self.data.copy()
        data[self.ends[at]] = HYPHEN
        return tsv.gather(data, self.starts[at], self.ends[to])


def _any_block(
    block: bytes, source: Input, layout: Layout, *, first: bool
) -> tuple[Cells, list[Fault], int]:
    """The same for any block, field by field."""
    faults = FaultList(source)
    block = block.removeprefix(tsv.BYTE_ORDER_MARK) if first else block
    block = without_broken_bytes(block) if layout.mended else block
    fields = _Fields.of(block)
    body = _body(fields, layout, first=first)
    good = body & (fields.number >= layout.fields)
    if layout.is_even:
        good &= fields.number == layout.fields
    for line in np.flatnonzero(body & ~good).tolist():
        found = fields.line(line).split()
        noun = "field" if len(found) == 1 else "fields"
        cure = layout.stranger(found) or layout.cure
        faults.add(line + 1, f"{len(found)} {noun} {layout.wanted}", cure, "field-count")
    lines = np.flatnonzero(_decodable(block, fields, good, faults))
    columns: dict[str, Any] = {}
    cut: dict[int, Any] = {}
    for name, span in layout.columns.items():
        if span.at not in cut or span.to >= 0:
            to_the_end = layout.ends_with_text and span.at == layout.fields - 1
            cells = fields.column(lines, span, to_the_end=to_the_end)
            cut[span.at] = _coded(cells, span) if _is_name(layout, name) else cells
        columns[name] = cut[span.at] if span.made is None else span.made(cut[span.at])
    return Cells(columns, lines + 1), faults.noted, len(fields.number)


def _body(fields: _Fields, layout: Layout, *, first: bool) -> BoolArray:
    """Which lines are to be read: those with fields that are neither comment nor heading."""
    body: BoolArray = fields.number > 0
    if layout.comments:
        some = np.flatnonzero(body)
        body[some] = fields.data[fields.starts[fields.first[some]]] != HASH
    if first and (fields.number > 0).any():
        head = int(np.argmax(fields.number > 0))
        body[head] &= not layout.heading(fields.line(head).split())
    return body


def _decodable(block: bytes, fields: _Fields, good: BoolArray, faults: FaultList) -> BoolArray:
    """Which good lines are UTF-8; looked at one by one only if the block as a whole is not."""
    if not_utf8(block) is None:
        return good
    good = good.copy()
    for line in np.flatnonzero(good).tolist():
        reason = not_utf8(fields.line(line))
        if reason:
            good[line] = False
            faults.add(line + 1, reason, UTF8_CURE, "encoding")
    return good
