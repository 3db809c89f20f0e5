"""The files of TREC KBA 2012 to 2014: runs and truths, divided by white space.

    run      team system stream-id entity confidence [rating …]
    truth    team assessor stream-id entity confidence rating …

A line that begins with `#` is a comment; a first line may name the columns, or be JSON, too. The
time of a document is the number before the hyphen of its stream id. Of 2013 and 2014's eleven
columns only the first six matter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from tseval.errors import Fault
from tseval.families.temporal.trec_files import hyphened
from tseval.files import tsv
from tseval.files.cells import Cells
from tseval.files.faults import FaultList
from tseval.files.plain import Rows, build
from tseval.tables import Column, Kind, Schema
from tseval.tables.schema import POST_ID, TOPIC

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tseval.files.inputs import Input
    from tseval.tables.columns import BoolArray, IntArray

    ByteArray = NDArray[np.uint8]

STREAM_ID = re.compile(rb"\d+-\S+")
NUMBER = re.compile(rb"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
ASSESSORS = re.compile(rb"NIST-TREC|\S*\.nist\.gov")
"""What stands in the place of the team where a file is a truth."""
JUDGES = "NIST-TREC, or a host such as kba.trec.nist.gov"
"""The same in words."""
STREAM_ID_NAME = b"stream_id"
"""What a line that names the columns calls the third."""
HASH = ord("#")
BLANK = np.zeros(256, bool)
BLANK[[9, 10, 11, 12, 13, 32]] = True
TEAM, SYSTEM = 0, 1
FIELDS = {"post_id": 2, "topic": 3, "confidence": 4, "rating": 5}
"""Where the others stand."""
SHORT, LONG = 5, 6
"""How many fields a line of a run of 2012 has, and of any other file at least."""


@dataclass(frozen=True)
class Layout:
    """What the fields of a line are, and how many there must be."""

    schema: Schema
    fields: int
    cure: str


_RUN = Column("run", Kind.ID)
_PAIR = (TOPIC, POST_ID, Column("time", Kind.TIME))
_CONFIDENCE, _RATING = Column("confidence", Kind.NUMBER), Column("rating", Kind.NUMBER)
_BLANKS = "divided by white space"
RUN_2012 = Layout(
    Schema("posts", (_RUN, *_PAIR, _CONFIDENCE)),
    SHORT,
    f"each line of a run is: team system stream-id entity confidence, {_BLANKS}",
)
RUN = Layout(
    Schema("posts", (_RUN, *_PAIR, _CONFIDENCE, _RATING)),
    LONG,
    f"each line of a run is: team system stream-id entity confidence rating …, {_BLANKS}",
)
TRUTH = Layout(
    Schema("truth", (*_PAIR, _CONFIDENCE, _RATING)),
    LONG,
    f"each line of a truth is: team assessor stream-id entity confidence rating …, {_BLANKS}",
)


def first_fields(source: Input) -> list[bytes] | None:
    """The fields of the first line that is no heading; None where that is no line of the track.

    A file of comments alone has no fields: it is an empty run.
    """
    lines = source.head().removeprefix(tsv.BYTE_ORDER_MARK).split(b"\n")
    body = (line.split() for line in lines if line.lstrip()[:1] not in (b"", b"#"))
    first = list(islice(body, 2))
    if not first:
        return [] if any(map(bytes.strip, lines)) else None
    if len(first) > 1 and _is_heading(first[0]):
        first = first[1:]
    fields = first[0]
    fits = len(fields) >= SHORT and STREAM_ID.fullmatch(fields[2]) and NUMBER.fullmatch(fields[4])
    return fields if fits else None


def _is_heading(fields: list[bytes]) -> bool:
    """Whether a first line is JSON, or names the columns."""
    return fields[0].startswith(b"{") or (len(fields) >= SHORT and fields[2] == STREAM_ID_NAME)


def table_of(source: Input) -> str | None:
    """Whether an input is a run or a truth of the track by its first line; None if it is neither.

    A truth is told by who wrote it: its lines begin with the name of the assessors.
    """
    fields = first_fields(source)
    if fields is None:
        return None
    return "truth" if fields and ASSESSORS.fullmatch(fields[0]) else "posts"


def run_layout(source: Input) -> Layout:
    """What the lines of a run are: those of 2012 have five fields."""
    fields = first_fields(source) or []
    return RUN if len(fields) >= LONG else RUN_2012


def read_kba(source: Input, layout: Layout) -> Rows:
    """Read a file of the track; any fault is raised."""
    faults = FaultList(source)
    parts: list[Cells] = []
    before = 0
    for block in source.blocks():
        cells, own, lines = _read_block(block, source, layout, first=before == 0)
        parts.append(replace(cells, lines=cells.lines + before))
        faults.extend(replace(fault, line=(fault.line or 0) + before) for fault in own)
        before += lines
    empty = Cells.empty([column.name for column in layout.schema], layout.schema)
    rows = build(source, Cells.join(parts) if parts else empty, layout.schema.of_track, faults)
    faults.check()
    return rows


@dataclass(frozen=True)
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

    def column(self, lines: IntArray, place: int) -> Any:
        """The field at a place of these lines."""
        at = self.first[lines] + place
        return tsv.gather(self.data, self.starts[at], self.ends[at])


def _read_block(
    block: bytes, source: Input, layout: Layout, *, first: bool
) -> tuple[Cells, list[Fault], int]:
    """A block's cells and faults, with lines counted from the block's first, and their number."""
    faults = FaultList(source)
    fields = _Fields.of(block.removeprefix(tsv.BYTE_ORDER_MARK) if first else block)
    some = fields.number > 0
    comment = np.zeros(len(some), bool)
    comment[some] = fields.data[fields.starts[fields.first[some]]] == HASH
    if first and some.any():
        head = int(np.argmax(some))
        comment[head] |= _is_heading(fields.line(head).split())
    body = some & ~comment
    good = body & (fields.number >= layout.fields)
    for line in np.flatnonzero(body & ~good).tolist():
        noun = "field" if fields.number[line] == 1 else "fields"
        reason = f"{fields.number[line]} {noun} where there should be {layout.fields} at least"
        faults.add(line + 1, reason, layout.cure)
    lines = np.flatnonzero(_decodable(block, fields, good, faults))
    return Cells(_columns(fields, lines, layout.schema), lines + 1), faults.noted, len(some)


def _columns(fields: _Fields, lines: IntArray, schema: Schema) -> dict[str, Any]:
    """The columns of these lines; a run is called `team-system`."""
    columns = {
        name: fields.column(lines, place) for name, place in FIELDS.items() if schema.find(name)
    }
    columns["time"] = _times(columns["post_id"])
    if schema.find("run"):
        columns["run"] = hyphened(fields.column(lines, TEAM), fields.column(lines, SYSTEM))
    return columns


def _decodable(block: bytes, fields: _Fields, good: BoolArray, faults: FaultList) -> BoolArray:
    """Which good lines are UTF-8; looked at one by one only if the block as a whole is not."""
    if tsv.not_utf8(block) is None:
        return good
    good = good.copy()
    for line in np.flatnonzero(good).tolist():
        reason = tsv.not_utf8(fields.line(line))
        if reason:
            good[line] = False
            faults.add(line + 1, reason, tsv.UTF8_CURE)
    return good


def _times(stream_ids: Any) -> Any:
    """What stands before the first hyphen of each stream id."""
    coded = pc.dictionary_encode(stream_ids)
    parts = pc.list_element(pc.split_pattern(coded.dictionary, "-", max_splits=1), 0)
    return parts.take(coded.indices)
