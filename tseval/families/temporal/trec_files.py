"""The files of TREC Temporal Summarization: runs, nuggets, matches, pools, topics, duplicates.

None of them quotes anything. A run has seven fields divided by any white space; the tables are
tab-separated with a header, which the extended pool of 2014 lacks. What the scripts of the three
years read differently is said by a `TrackReading`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tseval.errors import Fault
from tseval.files import TREC_TS, tsv
from tseval.files.cells import Cells, column_of, counted_on
from tseval.files.faults import FaultList
from tseval.files.fixed_fields import BLANK, Layout, Span, certain, read_lines
from tseval.files.inputs import Input
from tseval.files.plain import Rows, build
from tseval.files.text_lines import first_row, is_xml, not_utf8, without_broken_bytes
from tseval.records import frozen
from tseval.tables import (
    Column,
    Duplicates,
    Kind,
    Matches,
    Nuggets,
    Pool,
    Schema,
    Texts,
    Updates,
)
from tseval.tables.schema import NUGGET_ID, NUGGETS, TOPIC, UPDATE_ID

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tseval.tables.columns import IntArray

    ByteArray = NDArray[np.uint8]


@frozen
class TrackReading:
    """How the tables are read; `tseval.families.temporal.rules.Rules` says what the values mean."""

    encoding: str = "bytes"
    fields: str = "tabs"
    pool_header: str = "recognised"


PLAIN = TrackReading()
"""How they are read where no rule says otherwise."""

RUN = Schema(
    "updates",
    (
        TOPIC,
        Column("team", Kind.ID),
        Column("run", Kind.ID),
        UPDATE_ID,
        Column("time", Kind.TIME),
        Column("confidence", Kind.NUMBER),
    ),
)
GOLD = Schema(
    "nuggets",
    (
        TOPIC,
        NUGGET_ID,
        Column("time", Kind.TIME),
        Column("importance", Kind.NUMBER),
        Column("length", Kind.NUMBER),
        Column("text", Kind.TEXT),
    ),
    key=NUGGETS.key,
)
MATCHED = Schema(
    "matches",
    (
        TOPIC,
        UPDATE_ID,
        NUGGET_ID,
        Column("start", Kind.NUMBER),
        Column("end", Kind.NUMBER),
        Column("auto", Kind.NUMBER),
    ),
)
SAMPLED = Schema(
    "pool",
    (
        TOPIC,
        UPDATE_ID,
        Column("doc_id", Kind.ID),
        Column("sentence_id", Kind.ID),
        Column("length", Kind.NUMBER),
        Column("duplicate_id", Kind.ID),
        Column("text", Kind.TEXT),
    ),
)
BLANKS_CURE = "divide the fields by white space, and leave none out"
HEADERS = {
    "nuggets": "query_id nugget_id timestamp importance nugget_len nugget_text",
    "matches": "query_id update_id nugget_id match_start match_end auto_p",
    "pool": "query_id update_id doc_id sentence_id update_len duplicate_id update_text",
}
RUN_FIELDS = 7
NUMBER = re.compile(rb"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")


def _of_value_tracking(fields: list[bytes]) -> str:
    """A run of value tracking goes on with an attribute and a number, or two for a location."""
    more = fields[RUN_FIELDS:]
    if len(more) < 2 or not more[0].isalpha() or not NUMBER.fullmatch(more[1].partition(b",")[0]):
        return ""
    return "a run of value tracking is no run of updates: it is for tseval values"


RUN_LINES = Layout(
    RUN,
    {
        "topic": Span(0),
        "team": Span(1),
        "run": Span(1, 2),
        "update_id": Span(3, 4, differs=True),
        "time": Span(5),
        "confidence": Span(6, made=certain),
    },
    RUN_FIELDS,
    f"where a run has {RUN_FIELDS}",
    "a run's line is: topic team run docid sentence-id decision-time confidence, divided by "
    "white space",
    stranger=_of_value_tracking,
    comments=True,
    mended=True,
)
DUPLICATE_LINES = Layout(
    Schema("duplicates", (UPDATE_ID, Column("duplicate_id", Kind.ID))),
    {"update_id": Span(0), "duplicate_id": Span(1)},
    2,
    "where duplicates have 2",
    BLANKS_CURE,
    ends_with_text=True,
    mended=True,
)
SENTENCE = re.compile(rb"\d+-[0-9a-f]{32}-\d+")


def table_of(source: Input) -> str | None:
    """Which table of the track an input is, by its content; None if it is none of them."""
    return "topics" if is_xml(source) else _by_line(first_row(source))


def _by_line(line: bytes) -> str | None:
    """The table whose first line this is."""
    fields = line.split()
    names = " ".join(field.decode("utf-8", "replace") for field in fields)
    for table, header in HEADERS.items():
        if names == header:
            return table
    if len(fields) == RUN_FIELDS and NUMBER.fullmatch(fields[5]) and fields[4].isdigit():
        return "updates"
    tabbed = line.split(b"\t")
    if len(tabbed) == len(SAMPLED.columns) and tabbed[1] == tabbed[2] + b"-" + tabbed[3]:
        return "pool"
    if len(fields) == 2 and all(map(SENTENCE.fullmatch, fields)):
        return "duplicates"
    return None


def is_official(source: Input, table: str, form: str | None) -> bool:
    """Whether an input is to be read as this table of the track: as asked for, or as it looks."""
    if source.is_table:
        return False
    return form == TREC_TS if form is not None else table_of(source) == table


# Runs.


def read_run(source: Input) -> Updates:
    """A run, or several in one file; a run is called `team-run`, an update `docid-sentence`.

    An update may stand in a run more than once. The texts are in the pool, so here they are empty.
    """
    rows = read_lines(source, RUN_LINES)
    no_texts = Texts.empty(len(rows.origin.line))
    return Updates.of(rows.columns | {"text": no_texts}, rows.origin)


# Nuggets, matches and pools.


def _table(source: Input, schema: Schema, reading: TrackReading, *, skip: bool) -> Rows:
    """A table of the track; `skip` says that its first line is no row."""
    faults = FaultList(source)
    blocks = source.blocks()
    before = 0
    if skip:
        _, _, body = next(blocks, b"").partition(b"\n")
        blocks, before = chain([body] if body else [], blocks), 1
    read = _blank_block if reading.fields == "blanks" else _tab_block
    names = [column.name for column in schema]
    each = map(partial(read, source, names, schema, reading), blocks)
    parts = list(counted_on(each, faults, before)) or [Cells.empty(names, schema)]
    rows = build(source, Cells.join(parts), schema.of_track, faults)
    faults.check()
    return rows


def _tab_block(
    source: Input, names: list[str], schema: Schema, reading: TrackReading, block: bytes
) -> tuple[Cells, list[Fault], int]:
    faults = FaultList(source)
    if reading.encoding == "bytes":
        block = without_broken_bytes(block)
    grid = tsv.split_fields(block, len(names), faults)
    if reading.fields == "stripped":
        grid = replace(grid, ends=_stripped(np.frombuffer(block, np.uint8), grid))
    return tsv.cut_cells(block, grid, schema.placed(names), schema), faults.noted, grid.read


def _stripped(data: ByteArray, grid: tsv.Grid) -> IntArray:
    """The fields' ends, those of the last moved before the white space there."""
    ends = grid.ends.copy()
    last = ends[:, -1]
    while (trailing := (last > grid.starts[:, -1]) & BLANK[data[last - 1]]).any():
        last -= trailing
    return ends


def _blank_block(
    source: Input, names: list[str], schema: Schema, reading: TrackReading, block: bytes
) -> tuple[Cells, list[Fault], int]:
    faults = FaultList(source)
    columns: list[list[str]] = [[] for _ in names]
    kept: list[int] = []
    lines = block.split(b"\n")[:-1]
    for number, line in enumerate(lines, start=1):
        fields = _fields_of(line, reading, number, faults)
        if len(fields) < len(names) - (schema.columns[-1].kind is Kind.TEXT):
            if fields:
                reason = f"{len(fields)} fields where {schema.table} have {len(names)}"
                faults.add(number, reason, BLANKS_CURE, "field-count")
            continue
        kept.append(number)
        rest = " ".join(fields[len(names) - 1 :])
        for column, cell in zip(columns, [*fields[: len(names) - 1], rest], strict=True):
            column.append(cell)
    cells = {
        name: column_of(column, name, schema) for name, column in zip(names, columns, strict=True)
    }
    return Cells(cells, np.array(kept, np.int64)), faults.noted, len(lines)


def _fields_of(line: bytes, reading: TrackReading, number: int, faults: FaultList) -> list[str]:
    """The fields of a line between white space, of ASCII or of Unicode."""
    if reading.encoding == "bytes":
        return [field.decode() for field in without_broken_bytes(line).split()]
    reason = not_utf8(line)
    if reason:
        cure = "save the file in the encoding UTF-8, or read it in bytes"
        faults.add(number, reason, cure, "encoding")
        return []
    return line.decode().split()


def read_nuggets(source: Input, reading: TrackReading) -> Nuggets:
    """Nuggets; importance may be 0 or below here."""
    rows = _table(source, GOLD, reading, skip=True)
    return Nuggets.of(rows.columns, rows.origin)


def read_matches(source: Input, reading: TrackReading) -> Matches:
    """Matches with their spans."""
    rows = _table(source, MATCHED, reading, skip=True)
    told = {"in_bytes": reading.encoding == "bytes", "published": True}
    return Matches.of(rows.columns | told, rows.origin)


def has_header(source: Input | str | Path) -> bool:
    """Whether the first line of a pool names its columns; so it does where nobody can look."""
    given = source if isinstance(source, Input) else Input(source)
    if not given.can_be_read_again or table_of(given) != "pool":
        return True
    return _names_columns(given)


def _names_columns(source: Input) -> bool:
    return source.first_line().split()[:2] == [b"query_id", b"update_id"]


def read_pool(source: Input, reading: TrackReading) -> Pool:
    """A pool, with or without a header; of rows that repeat an id the last one counts."""
    skip = reading.pool_header == "always" or _names_columns(source)
    rows = _table(source, SAMPLED, reading, skip=skip)
    return Pool.of(rows.columns, rows.origin)


def read_duplicates(source: Input) -> Duplicates:
    """Exact duplicates: two ids a line."""
    rows = read_lines(source, DUPLICATE_LINES)
    return Duplicates.of(rows.columns, rows.origin)
