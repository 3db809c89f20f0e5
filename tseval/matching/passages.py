"""Updates as passages of files that a worker can read: of their own, or of temporary ones."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, overload

import numpy as np

from tseval.errors import OutputError, reason_of
from tseval.files.inputs import Input, Stamp
from tseval.matching.passage_files import (
    TextRows,
    fingerprint,
    read_parquet_rows,
    stamp,
    write_texts,
)
from tseval.parallel.engine import Unit
from tseval.parallel.sharing import Sharing
from tseval.records import frozen
from tseval.tables import Ids, Nuggets, Updates

if TYPE_CHECKING:
    from tseval.tables.columns import IntArray

NuggetReader: TypeAlias = Callable[[str], tuple[TextRows, Callable[[Ids], Ids]]]
"""From a path to the nuggets that count, and to what renames topics as theirs are. It must survive
pickling, and equal another that reads alike."""


@frozen
class Passage(Unit):
    """A range of a table of updates; the first `before` lines are its header.

    A passage without a hash is known by the stamp of its file.
    """

    before: int = 0
    seen: Stamp = ()


@frozen
class GoldFile:
    """Where the nuggets are; without a reader it is Parquet that holds them as they count."""

    path: str
    reader: NuggetReader | None
    sha256: str

    def read(self) -> tuple[TextRows, Callable[[Ids], Ids]]:
        """The nuggets that count, and what renames topics as theirs are."""
        if self.reader is None:
            return read_parquet_rows(self.path, 1, None), lambda topic: topic
        return self.reader(self.path)


@frozen
class Files:
    """The paths of the tables that are to be read, and how the nuggets are; made before they are.

    So the stamps tell whether a file is still what was read.
    """

    updates: Sequence[str]
    nuggets: str
    reader: NuggetReader
    form: str | None = None
    """The format of the updates, where it is not to be recognised."""
    are_plain: bool = field(init=False)
    """Whether all of them can be read again, by whoever sees them."""
    stamps: Sequence[Stamp] = field(init=False)
    """The stamps of the updates' files, if all are plain."""

    def __post_init__(self) -> None:
        plain = all(Input(path).can_be_read_again for path in (*self.updates, self.nuggets))
        object.__setattr__(self, "are_plain", plain)
        object.__setattr__(self, "stamps", [stamp(path) for path in self.updates if plain])


@frozen
class Stretch:
    """Some updates, and the range of a file that says them."""

    path: str
    seen: Stamp
    first: int
    last: int | None
    places: str
    rows: IntArray
    """Which updates they are, in the order of the range."""
    before: int = 0


class Passages(Sequence[Passage]):
    """Stretches of updates as units of work.

    Where hashes are needed, one is made when its unit is asked for: while others are worked on.
    """

    def __init__(self, updates: Updates, stretches: Sequence[Stretch], hashed: bool) -> None:
        self._updates, self._stretches, self._hashed = updates, stretches, hashed

    def __len__(self) -> int:
        return len(self._stretches)

    @overload
    def __getitem__(self, at: int) -> Passage: ...
    @overload
    def __getitem__(self, at: slice) -> Passages: ...
    def __getitem__(self, at: int | slice) -> Passage | Passages:
        if isinstance(at, slice):
            return Passages(self._updates, self._stretches[at], self._hashed)
        one = self._stretches[at]
        sha256 = self._hash(one.rows) if self._hashed else ""
        return Passage(one.path, one.first, one.last, one.places, sha256, one.before, one.seen)

    def _hash(self, rows: IntArray) -> str:
        return fingerprint(TextRows(self._updates.topic.rows(rows), self._updates.text.rows(rows)))

    def starts(self) -> list[int]:
        """The row of each passage's first update."""
        return [int(stretch.rows[0]) for stretch in self._stretches]


@frozen
class Shares:
    """Where the nuggets are, and the passages that all updates are divided into, in their order."""

    gold: GoldFile
    passages: Passages
    form: str | None
    """The format of the updates, where it is not to be recognised."""


@contextmanager
def shared_out(
    updates: Updates, nuggets: Nuggets, files: Files | None, sharing: Sharing
) -> Iterator[Shares]:
    """Divide the updates into passages; temporary files are there for as long as the block.

    What cannot be read again as it was read first is written to temporary files: frames, standard
    input, pipes, runs of the track, runs that have their texts from a pool.
    """
    if files is not None and updates.team is None and files.are_plain:
        yield _in_place(updates, nuggets, files, sharing)
        return
    with temporary_texts(nuggets) as texts, texts.shares(updates, sharing) as shares:
        yield shares


class TemporaryTexts:
    """Temporary files that workers read texts from: the nuggets, and a table of updates at a time.

    The nuggets stay as they are, so that who has them prepared need not do it again.
    """

    def __init__(self, folder: Path, nuggets: Nuggets) -> None:
        self._folder = folder
        self._tables = 0
        path = folder / "nuggets.parquet"
        self._write(path, nuggets, max(1, len(nuggets)))
        self._gold = GoldFile(str(path), None, _hash_of_nuggets(nuggets))

    @contextmanager
    def shares(self, updates: Updates, sharing: Sharing) -> Iterator[Shares]:
        """The updates divided into passages, until the end of the block."""
        rows = sharing.rows_of(len(updates))
        self._tables += 1
        path = self._folder / f"updates{self._tables}.parquet"
        self._write(path, updates, rows)
        seen = stamp(path)
        stretches = [
            Stretch(str(path), seen, start + 1, end, "rows", np.arange(start, end))
            for start in range(0, len(updates), rows)
            for end in (min(start + rows, len(updates)),)
        ]
        yield Shares(self._gold, Passages(updates, stretches, sharing.needs_hashes), None)
        path.unlink()

    def _write(self, path: Path, table: Updates | Nuggets, rows: int) -> None:
        try:
            write_texts(path, TextRows(table.topic, table.text), rows)
        except OSError as error:
            reason = reason_of(error)
            cure = "TMPDIR names the folder for temporary files"
            raise OutputError(f"{self._folder}: {reason}; {cure}") from error


@contextmanager
def temporary_texts(nuggets: Nuggets) -> Iterator[TemporaryTexts]:
    """Temporary files that are there for as long as the block."""
    with tempfile.TemporaryDirectory(prefix="tseval-") as folder:
        yield TemporaryTexts(Path(folder), nuggets)


def _in_place(updates: Updates, nuggets: Nuggets, files: Files, sharing: Sharing) -> Shares:
    rows = sharing.rows_of(len(updates))
    stretches: list[Stretch] = []
    for place, (path, seen) in enumerate(zip(files.updates, files.stamps, strict=True)):
        own = np.flatnonzero(updates.origin.source == place)
        line = updates.origin.line[own]
        unit = updates.origin.sources[place].unit
        for start in range(0, len(own), rows):
            end = start + rows
            stretch = Stretch(
                path=str(Path(path).absolute()),
                seen=seen,
                first=int(line[start]),
                last=int(line[end]) - 1 if end < len(line) else None,
                places=f"{unit}s",
                rows=own[start:end],
                before=int(line[0]) - 1,
            )
            stretches.append(stretch)
    gold = GoldFile(str(Path(files.nuggets).absolute()), files.reader, _hash_of_nuggets(nuggets))
    return Shares(gold, Passages(updates, stretches, sharing.needs_hashes), files.form)


def _hash_of_nuggets(nuggets: Nuggets) -> str:
    return fingerprint(TextRows(nuggets.topic, nuggets.text))
