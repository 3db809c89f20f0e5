"""The files of TREC Temporal Summarization: runs, nuggets, matches, pools, topics, duplicates.

None of them quotes anything. A run has seven fields divided by any white space; the tables are
tab-separated with a header, which the extended pool of 2014 lacks. What the scripts of the three
years read differently is said by a `TrackReading`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from tseval.errors import Fault
from tseval.files import TREC_TS, tsv
from tseval.files.cells import Cells, column_of
from tseval.files.faults import FaultList
from tseval.files.frames import FrameInput
from tseval.files.inputs import Input
from tseval.files.plain import Rows, build
from tseval.files.text_lines import first_row, without_broken_bytes
from tseval.files.topics import is_xml
from tseval.tables import (
    Column,
    Duplicates,
    Ids,
    Kind,
    Matches,
    Nuggets,
    Pool,
    Schema,
    Texts,
    Updates,
)
from tseval.tables.arrow import integers, numbers
from tseval.tables.schema import DUPLICATES, NUGGET_ID, NUGGETS, TOPIC, UPDATE_ID

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tseval.tables.columns import IntArray

    ByteArray = NDArray[np.uint8]


@dataclass(frozen=True)
class TrackReading:
    """How the tables are read; `tseval.families.temporal.rules.Rules` says what the values mean."""

    encoding: str = "bytes"
    fields: str = "tabs"
    pool_header: str = "recognised"


PLAIN = TrackReading()
"""How they are read where nobody has habits."""

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
HEADERS = {
    "nuggets": "query_id nugget_id timestamp importance nugget_len nugget_text",
    "matches": "query_id update_id nugget_id match_start match_end auto_p",
    "pool": "query_id update_id doc_id sentence_id update_len duplicate_id update_text",
}
RUN_FIELDS, TRACKING_FIELDS = 7, 9
RUN_CURE = (
    "a run's line is: topic team run docid sentence-id decision-time confidence, "
    "divided by white space"
)
SENTENCE = re.compile(rb"\d+-[0-9a-f]{32}-\d+")
NUMBER = re.compile(rb"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")


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
    if isinstance(source, FrameInput):
        return False
    return form == TREC_TS if form is not None else table_of(source) == table


# Runs.


def read_run(source: Input) -> Updates:
    """A run, or several in one file; a run is called `team-run`, an update `docid-sentence`.

    An update may stand in a run more than once. The texts are in the pool, so here they are empty.
    """
    faults = FaultList(source)
    cells = _joined(source.blocks(), partial(_run_block, source), faults, 0)
    if not cells.columns:
        cells = Cells.empty([column.name for column in RUN], RUN)
    rows = build(source, cells, RUN.of_track, faults)
    faults.check()
    no_texts = Texts.empty(len(rows.origin.line))
    return Updates.of(rows.columns | {"text": no_texts}, rows.origin)


def _joined(blocks: Any, read: Any, faults: FaultList, before: int) -> Cells:
    """The cells of all blocks, their lines and faults counted on from block to block."""
    parts: list[Cells] = []
    for cells, own, lines in map(read, blocks):  # threads would keep a third more memory
        parts.append(replace(cells, lines=cells.lines + before))
        faults.extend(replace(fault, line=(fault.line or 0) + before) for fault in own)
        before += lines
    filled = _of_one_kind([part for part in parts if len(part.lines)])
    return Cells.join(filled or parts) if parts else Cells({}, np.zeros(0, np.int64))


def _of_one_kind(parts: list[Cells]) -> list[Cells]:
    """The parts with numbers as text again, if any part has them as text."""
    kinds = {str(part.columns["time"].type) for part in parts if "time" in part.columns}
    if len(kinds) < 2:
        return parts
    return [
        replace(
            part,
            columns=part.columns
            | {name: pc.cast(part.columns[name], pa.string()) for name in FIELDS[-2:]},
        )
        for part in parts
    ]


BLANK = np.zeros(256, bool)
BLANK[[9, 10, 11, 12, 13, 32]] = True
HASH, HYPHEN = ord("#"), ord("-")


def _run_block(source: Input, block: bytes) -> tuple[Cells, list[Fault], int]:
    """A block's cells and faults, with lines counted from the block's first, and their number."""
    regular = _regular_block(block)
    return _any_block(source, block) if regular is None else (regular, [], len(regular.lines))


OTHER_BLANKS = (b"\t", b"\r", b"\v", b"\f")
FIELDS = ("topic", "team", "own", "doc", "sentence", "time", "confidence")


def _regular_block(block: bytes) -> Cells | None:
    """The cells of a block of lines of seven fields, single blanks between; None of any other.

    Two blanks in a row would make an empty field; comments, infinity, and what is no number are
    left to the careful way too.
    """
    if not block.isascii() or any(blank in block for blank in OTHER_BLANKS):
        return None
    try:
        table = csv.read_csv(
            pa.BufferReader(block),
            csv.ReadOptions(column_names=FIELDS, use_threads=False, block_size=len(block) + 1),
            csv.ParseOptions(
                delimiter=" ", quote_char=False, double_quote=False, ignore_empty_lines=False
            ),
            csv.ConvertOptions(
                column_types=dict.fromkeys(FIELDS[:-2], pa.string())
                | dict.fromkeys(FIELDS[-2:], pa.float64()),
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    fields = {name: table[name].combine_chunks() for name in FIELDS}
    empty = any(pc.min(pc.binary_length(fields[name])).as_py() == 0 for name in FIELDS[:-2])
    finite = all(pc.all(pc.is_finite(fields[name])).as_py() for name in FIELDS[-2:])
    if empty or not finite or pc.any(pc.starts_with(fields["topic"], "#")).as_py():
        return None
    columns = {
        "topic": pc.dictionary_encode(fields["topic"]),
        "team": pc.dictionary_encode(fields["team"]),
        "run": hyphened(fields["team"], fields["own"]),
        "update_id": hyphened(fields["doc"], fields["sentence"]),
        "time": fields["time"],
        "confidence": fields["confidence"],
    }
    return Cells(columns, np.arange(1, len(table) + 1))


def hyphened(left: Any, right: Any) -> Any:
    """Two columns with a hyphen between, coded; each pair of names is joined once."""
    one, other = Ids.of(pc.dictionary_encode(left)), Ids.of(pc.dictionary_encode(right))
    pairs = pc.dictionary_encode(integers(one.codes * len(other.names) + other.codes))
    code, rest = np.divmod(numbers(pairs.dictionary), len(other.names))
    firsts, seconds = one.names.take(integers(code)), other.names.take(integers(rest))
    names = pc.binary_join_element_wise(firsts, seconds, pa.scalar("-"))
    # Two pairs may give one name, as a-b with c and a with b-c.
    merged = Ids.of(names)
    codes = integers(merged.codes[numbers(pairs.indices)]).cast(pa.int32())
    return pa.DictionaryArray.from_arrays(codes, merged.names)


def _coded(columns: dict[str, Any]) -> dict[str, Any]:
    """The names coded block by block, so that no block's bytes have to be kept."""
    names = [column.name for column in RUN if column.kind is Kind.ID]
    return columns | {name: pc.dictionary_encode(columns[name]) for name in names}


def _any_block(source: Input, block: bytes) -> tuple[Cells, list[Fault], int]:
    """The same for any block, field by field."""
    faults = FaultList(source)
    block = _plain_fields(block)
    data = np.frombuffer(block, np.uint8).copy()
    blank = BLANK[data]
    edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
    if not blank[0]:
        edges = np.concatenate(([0], edges))
    starts, ends = edges[::2], edges[1::2]
    line_ends = np.flatnonzero(data == tsv.LINE_FEED)
    upto = np.searchsorted(starts, line_ends)
    number = np.diff(upto, prepend=0)
    good = number == RUN_FIELDS
    commented = np.zeros(len(number), bool)
    some = number > 0
    commented[some] = data[starts[(upto - number)[some]]] == HASH
    for line in np.flatnonzero(some & ~good & ~commented).tolist():
        faults.add(line + 1, *_wrong_run_line(int(number[line])))
    good &= ~commented
    kept = np.repeat(good, number)
    starts, ends = starts[kept].reshape(-1, RUN_FIELDS), ends[kept].reshape(-1, RUN_FIELDS)
    data[ends[:, 3]] = data[ends[:, 1]] = HYPHEN
    spans = {"topic": (0, 0), "team": (1, 1), "run": (1, 2), "update_id": (3, 4), "time": (5, 5)}
    columns = {
        name: tsv.gather(data, starts[:, first], ends[:, last])
        for name, (first, last) in (spans | {"confidence": (6, 6)}).items()
    }
    return Cells(_coded(columns), np.flatnonzero(good) + 1), faults.noted, len(line_ends)


_UNEVEN = re.compile(rb"[ \t\r\v\f]{2}|[^\n]\r[^\n]")
_INFINITE = re.compile(rb"([ \t])\+?inf(?:inity)?(?=\s*$)", re.IGNORECASE | re.MULTILINE)


def _plain_fields(block: bytes) -> bytes:
    """The block with single blanks between fields, 1000 for infinity, and nothing that isn't UTF-8.

    Most blocks are so already. Lines stay where they are.
    """
    if b"inf" in block.lower():
        block = _INFINITE.sub(rb"\g<1>1000", block)
    if _UNEVEN.search(block.replace(b"\r\n", b"\n")):
        block = b"\n".join(b" ".join(line.split()) for line in block.split(b"\n"))
    return without_broken_bytes(block)


def _wrong_run_line(fields: int) -> tuple[str, str]:
    noun = "field" if fields == 1 else "fields"
    reason = f"{fields} {noun} where a run has {RUN_FIELDS}"
    if fields >= TRACKING_FIELDS:
        return reason, "a run of value tracking is no run of updates: it is for tseval values"
    return reason, RUN_CURE


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
    cells = _joined(blocks, partial(read, source, names, schema, reading), faults, before)
    if not cells.columns:
        cells = Cells.empty(names, schema)
    rows = build(source, cells, schema.of_track, faults)
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
                faults.add(number, reason, "divide the fields by white space, and leave none out")
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
    reason = tsv.not_utf8(line)
    if reason:
        faults.add(number, reason, "save the file in the encoding UTF-8, or read it in bytes")
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
    faults = FaultList(source)
    names = ["update_id", "duplicate_id"]
    schema = Schema("duplicates", tuple(c for c in DUPLICATES if c.name in names))
    reading = TrackReading(fields="blanks")
    cells = _joined(
        source.blocks(), partial(_blank_block, source, names, schema, reading), faults, 0
    )
    if not cells.columns:
        cells = Cells.empty(names, schema)
    rows = build(source, cells, schema.of_track, faults)
    faults.check()
    return Duplicates.of(rows.columns, rows.origin)
