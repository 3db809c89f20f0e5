"""Text of divided fields: TSV, in which quotes mean nothing, CSV, and lines of fixed fields."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, islice

import polars as pl

from tseval.io.cells import (
    BLOCK_ROWS,
    BYTE_ORDER_MARK,
    PlainTable,
    check_utf8,
    text_frame,
    type_columns,
)
from tseval.io.faults import FaultList
from tseval.io.inputs import Input, not_utf8
from tseval.io.schema import Schema
from tseval.records import frozen

FEW_CURE = "too few: separate the fields by single tabs; an optional value needs its tab too"
MANY_CURE = "too many: replace tabs inside the text by spaces, or remove the extra fields"
DIVIDERS = {",": 1, ";": 2, "|": 2}
"""What may divide the fields of CSV, and how often it stands at least in a header."""
SIGNS = {",": "commas", ";": "semicolons", "|": "bars"}
"""What messages call these."""
ONE_QUOTED = re.compile(rb'"[^"]+"')
"""A header of one column as programs write it that put every cell in quotes."""
OBJECTS_CURE = 'a table is one array of objects, such as [{"topic": "t1", …}]'
QUOTES_CURE = 'write a quote inside quotes twice: ""'
RETURN_CURE = "end lines with LF or CR LF; a field with a line's end needs double quotes"
BLANKS = (b"\t", b"\v", b"\f")
UNREADABLE = (BYTE_ORDER_MARK, b"x\x01", b"x^")
"""Polars takes a byte-order mark away, and what begins as zlib does for compressed."""
QUESTION_MARKS = "tseval-question-marks"
"""How to decode bytes so that `?` stands for each one that is not UTF-8."""
codecs.register_error(QUESTION_MARKS, lambda error: ("?", error.start + 1))  # type: ignore[attr-defined]


def parse_blocks(
    parse: Callable[[bytes, int], pl.DataFrame], blocks: Iterable[bytes], before: int
) -> Iterator[pl.DataFrame]:
    """Yield what each block holds; the function is also told how many lines stand before it."""
    for block in blocks:
        yield parse(block, before)
        before += block.count(b"\n")


def split_fields(block: bytes, before: int, divider: str, names: list[str]) -> pl.DataFrame | None:
    """Return the fields of lines that all have as many, with the column `line`.

    None stands for lines that need to be looked at one by one: some have another number of fields,
    or are not text.
    """
    whole = block.replace(b"\r\n", b"\n") if b"\r" in block else block
    odd = b"\r" in whole or block.startswith(UNREADABLE)
    if len(names) == 1 or not block or odd:
        return None  # of one column, polars takes an empty line for a row
    try:
        fields = pl.read_csv(
            whole,
            has_header=False,
            separator=divider,
            quote_char=None,
            schema=dict.fromkeys(names, pl.String),
            empty_string_is_null=False,
            extra_columns="raise",
        )
    except (pl.exceptions.PolarsError, OSError):  # text may look like compressed bytes
        return None
    if not fields.height or block.count(divider.encode()) != fields.height * (len(names) - 1):
        return None
    return fields.select(pl.int_range(before + 1, before + 1 + pl.len()).alias("line"), pl.all())


def split_tabs(line: bytes, schema: Schema) -> list[str]:
    """Return the names in a header; tabs may be mixed with runs of spaces, as TREC 2013 has it."""
    text = line.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace").rstrip("\r\n")
    tabbed, spaced = [name.strip() for name in text.split("\t")], text.split()
    return spaced if schema.missing(tabbed) and not schema.missing(spaced) else tabbed


def read_tsv(table: PlainTable) -> Iterator[pl.DataFrame]:
    """Yield the cells of a TSV block by block."""
    blocks = table.source.blocks()
    line, _, body = next(blocks, b"").partition(b"\n")
    check_utf8(line, 1, table.faults)
    table.place(split_tabs(line, table.schema))
    before = max(1, table.source.before)
    return read_tabbed(table, chain([body], blocks), before)


def read_headless(table: PlainTable, names: list[str]) -> Iterator[pl.DataFrame]:
    """Yield the cells of a TSV without a header, whose columns have these names."""
    table.place(names)
    table.heading = "the first line"
    return read_tabbed(table, table.source.blocks(), table.source.before)


def read_tabbed(table: PlainTable, blocks: Iterable[bytes], before: int) -> Iterator[pl.DataFrame]:
    """Yield the cells of lines divided by tabs, behind so many others, of a table placed before."""
    return parse_blocks(partial(_tsv_cells, table=table), blocks, before)


def _tsv_cells(block: bytes, before: int, table: PlainTable) -> pl.DataFrame:
    """Return the cells of a block of lines."""
    block = block if before else block.removeprefix(BYTE_ORDER_MARK)
    fields = split_fields(block, before, "\t", list(map(str, range(len(table.names)))))
    if fields is None:
        return _cells_of_rows(_tsv_rows(block, before, table), table, FEW_CURE, MANY_CURE)
    return fields.select("line", **{name: pl.nth(1 + at) for name, at in table.places.items()})


def _tsv_rows(block: bytes, before: int, table: PlainTable) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each line; note those that are not UTF-8."""
    for number, line in enumerate(block.split(b"\n")[:-1], start=before + 1):
        fields = line.removesuffix(b"\r").decode(errors="replace").split("\t")
        if fields != [""] and (len(fields) != len(table.names) or not not_utf8(line)):
            yield number, fields
        check_utf8(line, number, table.faults)


def _cells_of_rows(
    rows: Iterable[tuple[int, list[str]]], table: PlainTable, few_cure: str, many_cure: str
) -> pl.DataFrame:
    """Return the cells of rows that have as many fields as the header; refuse the others."""
    kept, width = [], len(table.names)
    for line, row in rows:
        if len(row) == width:
            kept.append((line, row))
        else:
            reason = f"{len(row)} field{'s' * (len(row) > 1)} where {table.heading} has {width}"
            cure = few_cure if len(row) < width else many_cure
            table.faults.add(line, reason, cure, "field-count")
    return table.cells_of(kept)


def divider(line: bytes) -> str | None:
    """Return the sign that divides the fields of a header, None if none does.

    One semicolon or bar alone may be part of a text.
    """
    most = max(DIVIDERS, key=lambda sign: line.count(sign.encode()))
    return most if line.count(most.encode()) >= DIVIDERS[most] else None


def split_commas(line: bytes) -> list[str]:
    """Return the names in the header line of a CSV, as well as they can be told."""
    text = line.decode("utf-8-sig", "replace").strip("\r\n")
    return [name.strip().strip('"').strip() for name in text.split(divider(line) or ",")]


def read_csv(table: PlainTable) -> Iterator[pl.DataFrame]:
    """Yield the cells of a CSV."""
    sign = divider(table.source.first_line()) or ","
    cure = f'put a field that holds {SIGNS[sign]} between double quotes: "a{sign} b"'
    rows = _csv_rows(table, sign)
    line, names = next(rows, (1, []))
    table.place([name.strip() for name in names] if line == 1 else [])
    filled = (each for each in rows if any(each[1]))
    blocks = iter(lambda: list(islice(filled, BLOCK_ROWS)), [])
    yield from (_cells_of_rows(block, table, cure, cure) for block in chain([[]], blocks))


def _csv_rows(table: PlainTable, sign: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows, each with the number of the line on which it starts; note broken ones."""
    source, faults, first = table.source, table.faults, 1
    reader = csv.reader(_decoded_lines(table), strict=True, delimiter=sign)
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            if "new-line character" in str(error):
                faults.add(first, "a carriage return inside the line", RETURN_CURE, "line-ends")
            elif source.head().lstrip().startswith(b"["):
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


def _decoded_lines(table: PlainTable) -> Iterator[str]:
    """Yield each line; one that is not UTF-8 is noted and yielded as an empty one."""
    lines = chain.from_iterable(map(io.BytesIO, table.source.blocks()))
    for number, line in enumerate(lines, start=1):
        is_text = check_utf8(line, number, table.faults)
        yield line.decode("utf-8-sig" if number == 1 else "utf-8") if is_text else "\n"


# Lines of fixed fields.


def nothing(_: list[bytes]) -> str:
    """Say nothing of the fields of a line."""
    return ""


@frozen
class Layout:
    """What the fields of a line are, and which columns of a table they make."""

    schema: Schema
    words: str
    """The names of the fields, in one line; those of columns are columns."""
    made: Callable[[], Mapping[str, pl.Expr]] = dict
    """Returns the columns that are made of fields, such as the name of a run of two."""
    wanted: str = ""
    """How many fields there should be, as a fault says it: `where a run has 7`."""
    cure: str = ""
    """How to mend a line that has another number of them."""
    stranger: Callable[[list[bytes]], str] = nothing
    """Returns the cure of such a line that is of another kind of file, by its fields."""
    heading: Callable[[list[bytes]], object] = nothing
    """Whether the fields of the first line are no row."""
    may_have_more: bool = False
    """Whether more fields may follow, which are not read."""
    ends_with_text: bool = False
    """Whether the last field is the rest of the line, which may hold blanks."""
    comments: bool = False
    """Whether lines that begin with `#` are left out."""
    mended: bool = False
    """Whether bytes that are not UTF-8 are read as `?`; elsewhere they are faults."""


def certain(field: str) -> pl.Expr:
    """Return confidences with 1000 in the place of infinity."""
    is_certain = pl.col(field).str.contains(r"(?i)^\+?inf(inity)?$")
    return pl.when(is_certain).then(pl.lit("1000")).otherwise(pl.col(field))


def mend(block: bytes) -> bytes:
    """Return a block with `?` for each byte that is not UTF-8, so that no offset moves."""
    return block if block.isascii() else block.decode(errors=QUESTION_MARKS).encode()


def read_lines(source: Input, layout: Layout) -> tuple[PlainTable, pl.DataFrame]:
    """Read a file of lines of this layout; any fault is an `InputError`."""
    table = PlainTable(source, layout.schema.of_track)
    parse = partial(_cells, table=table, layout=layout)
    parts = parse_blocks(parse, chain([b""], source.blocks()), source.before)
    frame = type_columns(parts, table.schema, table.faults)
    table.faults.check()
    return table, frame


def _cells(block: bytes, before: int, table: PlainTable, layout: Layout) -> pl.DataFrame:
    """Return the columns that the lines of a block make."""
    block = block if before else block.removeprefix(BYTE_ORDER_MARK)
    block = mend(block) if layout.mended else block
    names = layout.words.split()
    opening = block.partition(b"\n")[0].split() if not before else []
    if opening and layout.heading(opening):
        block, before = block.partition(b"\n")[2], 1
    while layout.comments and block.startswith(b"#"):
        block, before = block.partition(b"\n")[2], before + 1
    fields = None if layout.ends_with_text else _even_fields(block, before, layout, names)
    if fields is None:
        fields = text_frame(_fields_of_lines(block, before, layout, table.faults), names)
    known = {name: pl.col(name) for name in names} | dict(layout.made())
    columns = {each.name: known[each.name] for each in table.schema if each.name in known}
    return fields.select("line", **columns)


def _even_fields(
    block: bytes, before: int, layout: Layout, names: list[str]
) -> pl.DataFrame | None:
    """Return the fields of lines that have all of them and no other, None of any other block."""
    fields, divider = None, " " if b" " in block else "\t"
    if not any(blank in block for blank in BLANKS if blank != divider.encode()):
        further = block.count(divider.encode(), 0, block.find(b"\n")) + 1 - len(names)
        more = [f"field {at}" for at in range(further)] if layout.may_have_more else []
        fields = split_fields(block, before, divider, [*names, *more])
    if fields is None and not layout.may_have_more:
        tidy = b"\n".join(map(b" ".join, map(bytes.split, block.split(b"\n"))))
        fields = split_fields(tidy, before, " ", names)
    if fields is None or 0 in fields.select(pl.col(names).str.len_bytes().min()).row(0):
        return None
    has_comments = layout.comments and fields[names[0]].str.starts_with("#").any()
    return None if has_comments else fields


def _fields_of_lines(
    block: bytes, before: int, layout: Layout, faults: FaultList
) -> Iterator[tuple[int | str, ...]]:
    """Yield the number of each line with its fields; note a line that lacks some or has more."""
    width = len(layout.words.split())
    most = width - 1 if layout.ends_with_text else -1
    opens = not before
    for number, line in enumerate(block.split(b"\n")[:-1], start=before + 1):
        fields = line.strip().split(None, most)
        is_comment = layout.comments and fields[:1] and fields[0].startswith(b"#")
        is_heading = opens and fields and layout.heading(line.split())
        opens = opens and not fields
        if not fields or is_comment or is_heading:
            continue
        if len(fields) < width or (len(fields) > width and not layout.may_have_more):
            more = " at least" * layout.may_have_more
            has, wanted = line.split(), layout.wanted or f"where there should be {width}{more}"
            cure = layout.stranger(has) or layout.cure or f"each line is: {layout.words}"
            reason = f"{len(has)} field{'s' * (len(has) > 1)} {wanted}"
            faults.add(number, reason, cure, "field-count")
        elif check_utf8(line, number, faults):
            yield number, *(each.decode() for each in fields[:width])
