"""Inputs read a block of rows at a time, for those that are larger than memory or never end."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection, Iterable, Iterator
from copy import copy
from dataclasses import replace
from itertools import chain, count, islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tseval.errors import UsageError
from tseval.io.forms import form_of, names_of
from tseval.io.given import is_empty
from tseval.io.inputs import STANDARD_INPUT, Input
from tseval.io.json_text import last_key
from tseval.io.names import distinct
from tseval.io.schema import Column
from tseval.io.tables import Table, TableReader, read_input, track_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tseval.arrays import BoolArray, IntArray

    Words = NDArray[np.uint64]
    Marks: TypeAlias = NDArray[Any]
    """What stands for updates: numbers, or hashes."""

LINE_FEED = 10
RUN = "stdin"
"""What a run of a stream is called whose rows don't say."""
IN_BLOCKS = ("tsv", "jsonl", "parquet")
"""The forms of plain tables that are read in blocks."""


class LineBlock(Input):
    """Some lines of a file or a stream, before which others stand; line 1 may head them."""

    is_part = True
    has_bytes = can_be_read_again = False
    compression = ""

    def __init__(self, source: Input, content: bytes, before: int, heading: bytes = b"") -> None:
        super().__init__(source.file)
        self.path, self.columns, self.run_name = source.path, source.columns, source.run_name
        self.zones, self.decided = source.zones, source.decided
        self.before, self.heading = before, heading
        self._read_once = heading + content

    def lines(self, numbers: Collection[int]) -> dict[int, str]:
        """The lines with these numbers."""
        places = chain([1] if self.heading else [], count(self.before + 1))
        every = zip(places, (self._read_once or b"").split(b"\n"), strict=False)
        texts = {number: text for number, text in every if number in numbers}
        return {number: text.decode("utf-8", "replace") for number, text in texts.items()}


def split_lines(blocks: Iterator[bytes], rows: int) -> Iterator[bytes]:
    """Yield so many lines at a time; the last may be fewer."""
    lines = chain.from_iterable(map(io.BytesIO, blocks))
    return iter(lambda: b"".join(islice(lines, rows)), b"")


def cut(content: bytes, lines: int) -> tuple[bytes, bytes]:
    """Return the first lines, and the rest."""
    first = b"".join(islice(io.BytesIO(content), lines))
    return first, content[len(first) :]


def columns_of(source: Input, reader: TableReader, form: str | None = None) -> list[Column]:
    """Return the optional columns of a plain table, of JSON lines those that any line has."""
    optional = [each for each in reader.schema.called(source.columns) if not each.required]
    if track_of(source, reader, form) is not None or (reader.may_be_empty and is_empty(source)):
        return []
    if form_of(source, reader.schema.called(source.columns), form) != "jsonl":
        placed = reader.schema.placed(names_of(source))
        return [each for each in optional if each.name in placed]
    found = dict[str, Column]()
    for block in source.blocks():
        for each in optional:
            names = {part for name in each.names for part in (name, last_key(name))}
            keys = b"|".join(re.escape(json.dumps(name).encode()) for name in names)
            if each.name not in found and re.search(b"(%s)\\s*:" % keys, block):
                found[each.name] = each
    return list(found.values())


def read_blocks(
    source: Input, name: str, reader: TableReader, rows: int, form: str | None = None
) -> Iterator[Table]:
    """Yield the rows of an input, so many at a time; a block with a fault raises it.

    There is a block in any case. `name` is that of its run where no column says.
    """
    track, heading = track_of(source, reader, form), b""
    if reader.may_be_empty and is_empty(source):
        yield read_input(source, name, reader, form)
        return
    if track is not None and track.layout is not None:
        own = replace(track, applies=lambda _: True)
        reader = replace(reader, tracks=(own,), reads_tables=False)
    else:
        form = (
            "a file of the track"
            if track
            else form_of(source, reader.schema.called(source.columns), form)
        )
        if form not in IN_BLOCKS:
            known = ", ".join(IN_BLOCKS)
            raise UsageError(f"{source.path} is {form}; what is read in blocks is: {known}")
        reader = replace(reader, tracks=())
        heading = source.first_line() + b"\n" if form == "tsv" else b""
    if track is None and form == "parquet":
        yield from _read_slices(source, name, reader, rows)
        return
    blocks = source.blocks()
    if heading:
        first = next(blocks, b"")
        blocks = chain([first[len(heading) :]], blocks)
    before = int(bool(heading))
    contents = split_lines(blocks, rows)
    for content in chain([next(contents, b"")], contents):
        yield read_input(LineBlock(source, content, before, heading), name, reader, form)
        before += content.count(b"\n")


def _read_slices(source: Input, name: str, reader: TableReader, rows: int) -> Iterator[Table]:
    """Yield the rows of Parquet."""
    part = copy(source)
    part.most, part.before = rows, 0
    while True:
        table = read_input(part, name, reader, "parquet")
        if table.frame.height or not part.before:
            yield table
        if table.frame.height < rows:
            return
        part.before += rows


def read_nothing(reader: TableReader) -> Table:
    """Return a table without rows."""
    names = "\t".join(column.name for column in reader.schema.required)
    source = LineBlock(Input(STANDARD_INPUT), b"", 1, f"{names}\n".encode())
    return read_input(source, RUN, replace(reader, tracks=(), empty=None), "tsv")


# Whether an update stands twice in a stream, told by a few bytes an update. A number of eight bytes
# stands for each (run, topic, id). Different numbers prove different updates; for equal ones the
# caller has to look. Where nothing can be looked at again, sixteen bytes of a cryptographic hash
# stand for an update: nobody has found two texts of one such hash. Either are kept sorted in a few
# columns of growing length, so that each is moved only as often as the logarithm of how many there
# are.

HASH_BYTES = 16
REMEMBERED = 1_000_000
"""Among how many of the last rows of a stream one that stands twice is found, at least."""


class Repeats:
    """The updates so far."""

    def __init__(self, columns: Iterable[Marks] = ()) -> None:
        self.columns = list(columns)
        """What stands for them, each column sorted."""

    def known(self, marks: Marks) -> BoolArray:
        """Which of these stand in an earlier block."""
        known = np.zeros(len(marks), bool)
        for column in self.columns:
            at = np.minimum(np.searchsorted(column, marks), len(column) - 1)
            known |= column[at] == marks
        return known

    def suspects(self, marks: Marks) -> IntArray:
        """The rows that may stand in an earlier block, or above in this one; then remember all."""
        rows = np.flatnonzero(self.known(marks) | twice(marks))
        self.remember(marks)
        return rows

    def remember(self, marks: Marks) -> None:
        """Remember all of them, merged with columns that are no longer than they are."""
        ordered = distinct(marks)
        while self.columns and len(self.columns[-1]) <= 2 * len(ordered):
            ordered = np.sort(np.concatenate([self.columns.pop(), ordered]), kind="stable")
        if len(ordered):
            self.columns.append(ordered)


class Recent:
    """The last rows of a stream, by a hash each, in two generations."""

    def __init__(self, columns: Iterable[Marks] = ()) -> None:
        self.generations = [Repeats(), Repeats(columns)]

    def known(self, marks: Marks) -> BoolArray:
        """Which of these stood among the last rows before, or stand above."""
        older, newer = (each.known(marks) for each in self.generations)
        return twice(marks) | older | newer

    def remember(self, marks: Marks) -> None:
        """Take rows for the last ones."""
        newer = self.generations[1]
        newer.remember(marks)
        if sum(map(len, newer.columns)) >= REMEMBERED:
            self.generations = [newer, Repeats()]

    def columns(self) -> list[Marks]:
        """All of them, for saving."""
        return [column for each in self.generations for column in each.columns]


def twice(marks: Marks) -> BoolArray:
    """Which of these stand above."""
    repeated = np.ones(len(marks), bool)
    repeated[np.unique(marks, return_index=True)[1]] = False
    return repeated
