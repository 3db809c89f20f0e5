"""A range of an input's rows, read without the rest: for whoever is to work on that range alone.

Lines are counted in the decompressed bytes; each thread of a process remembers where it is in a
file, so that ranges which follow one another are found by reading on. Rows of Parquet are found by
its row groups. Whether the rows have faults is for those to find who read all of them.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from threading import get_ident
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from tseval.files.faults import FaultList
from tseval.files.inputs import Input, Stamp, stamp_of
from tseval.files.parquet import ParquetInput, arrow_cells, opened
from tseval.files.plain import build, read_rows
from tseval.tables import UPDATES, Ids, Schema, Texts
from tseval.tables.arrow import integers, strings

if TYPE_CHECKING:
    from tseval.tables.columns import IntArray

COLUMNS = Schema("updates", tuple(column for column in UPDATES if column.name in ("topic", "text")))
"""What matching needs of updates."""


class TextRows(NamedTuple):
    """Texts, each with its topic."""

    topic: Ids
    text: Texts


def read_lines(path: str, form: str | None, before: int, first: int, last: int | None) -> TextRows:
    """The rows in some lines of a table, the first `before` lines of which are its header."""
    rows = read_rows(_Lines(path, before, first, last), COLUMNS, form)
    return TextRows(rows.get("topic"), rows.get("text"))


def read_parquet_rows(path: str, first: int, last: int | None) -> TextRows:
    """Some rows of a Parquet file, counted from 1."""
    source = ParquetInput(Input(path))
    faults = FaultList(source)
    seen, thread = stamp(path), get_ident()
    ends = _ends(path, seen)
    stop = int(ends[-1]) if last is None else min(last, int(ends[-1]))
    low, high = np.searchsorted(ends, [first - 1, stop - 1], "right").tolist()
    parts = [_group(path, seen, low, thread)]
    if high > low:
        # groups may be of a row each: those that no other range shares are read at once
        parts += [_groups(path, seen, range(low + 1, high)), _group(path, seen, high, thread)]
    start = first - 1 - (int(ends[low - 1]) if low else 0)
    table = pa.concat_tables(parts).slice(start, stop - first + 1)
    cells = arrow_cells({name: table.column(name) for name in table.column_names}, COLUMNS, faults)
    rows = build(source, cells, COLUMNS, faults)
    return TextRows(rows.get("topic"), rows.get("text"))


def write_texts(path: Path, texts: TextRows, rows: int) -> None:
    """Write texts as Parquet, `rows` to a row group."""
    import pyarrow.parquet as pq

    kinds = pa.schema([("topic", pa.string()), ("text", pa.string())])
    with pq.ParquetWriter(path, kinds) as writer:
        for start in range(0, len(texts.text), rows):
            part = slice(start, start + rows)
            topic = texts.topic.names.take(integers(texts.topic.codes[part]))
            writer.write_table(pa.table([topic, strings(texts.text[part])], schema=kinds))


def fingerprint(texts: TextRows) -> str:
    """The hash of texts and of their topics' names, in their order."""
    used, code = np.unique(texts.topic.codes, return_inverse=True)
    names = texts.topic.take_names(used)
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.argsort(np.array(order, np.int64))
    hasher = hashlib.sha256(place[code].astype("<i8").tobytes())
    for pieces in ([names[at].encode() for at in order], texts.text.encoded()):
        lengths = np.fromiter(map(len, pieces), "<i8", len(pieces))
        hasher.update(np.append(len(pieces), lengths).astype("<i8").tobytes())
        hasher.update(b"".join(pieces))
    return hasher.hexdigest()


def stamp(path: str | Path) -> Stamp:
    """A file's stamp."""
    return stamp_of(Path(path).stat())


@lru_cache(maxsize=8)
def _footer(path: str, seen: Stamp) -> Any:  # noqa: ARG001 - a changed file is another
    """What a file says of its row groups: read once, since it is as long as they are many."""
    with opened(Input(path)) as file:
        return file.metadata


@lru_cache(maxsize=8)
def _ends(path: str, seen: Stamp) -> IntArray:
    """Up to which row each row group goes."""
    footer = _footer(path, seen)
    return np.cumsum([footer.row_group(at).num_rows for at in range(footer.num_row_groups)])


@lru_cache(maxsize=2)
def _group(path: str, seen: Stamp, group: int, thread: int) -> pa.Table:  # noqa: ARG001
    """A row group, kept for the next range, which may begin in it."""
    return _groups(path, seen, [group])


def _groups(path: str, seen: Stamp, groups: Sequence[int]) -> pa.Table:
    """The topics and texts of some row groups, by the schema's names."""
    with opened(Input(path), _footer(path, seen)) as file:
        names = list(file.schema_arrow.names)
        places = COLUMNS.placed(names)
        table = file.read_row_groups(groups, columns=[names[at] for at in places.values()])
        return pa.table({name: table.column(names[at]) for name, at in places.items()})


class _Lines(Input):
    """Some lines of an input, after those of its header."""

    def __init__(self, path: str, before: int, first: int, last: int | None) -> None:
        super().__init__(path)
        self._range = (before, first, last)

    @cached_property
    def _content(self) -> bytes:
        before, first, last = self._range
        cursor = _cursor(str(self.file), stamp(str(self.file)), get_ident())
        return _head(str(self.file), stamp(str(self.file)), before) + cursor.lines(first, last)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The header and the lines as a stream."""
        yield io.BytesIO(self._content)


@lru_cache(maxsize=8)
def _head(path: str, seen: Stamp, lines: int) -> bytes:  # noqa: ARG001
    return _Cursor(Input(path)).lines(1, lines) if lines else b""


@lru_cache(maxsize=2)
def _cursor(path: str, seen: Stamp, thread: int) -> _Cursor:  # noqa: ARG001
    return _Cursor(Input(path))


class _Cursor:
    """Reads on from where it is in an input; from the start, if what is asked for lies behind."""

    def __init__(self, source: Input) -> None:
        self._source = source
        self._first = 1
        """The number of the first line that is held."""
        self._rewind()

    def lines(self, first: int, last: int | None) -> bytes:
        """The lines with these numbers, both included, or all from `first` on."""
        if first < self._first:
            self._rewind()
        parts = []
        while True:
            end = self._first + len(self._ends) - 1
            if first < end:
                parts.append(self._cut(first, end if last is None else min(last + 1, end)))
            if last is not None and last < end:
                break
            block = next(self._blocks, None)
            if block is None:
                break
            self._first = end
            self._hold(block)
        return b"".join(parts)

    def _rewind(self) -> None:
        self._blocks = self._source.blocks()
        self._first = 1
        self._hold(b"")

    def _hold(self, block: bytes) -> None:
        self._block = block
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")) + 1
        self._ends = np.append(0, ends)

    def _cut(self, first: int, end: int) -> bytes:
        """The lines of this block from `first`, or its start, to the one before `end`."""
        start = self._ends[max(0, first - self._first)]
        return self._block[start : self._ends[end - self._first]]
