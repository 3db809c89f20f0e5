"""Updates as passages of files that a worker can read: of their own, or of temporary ones."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tseval.errors import OutputError
from tseval.formats.inputs import Input
from tseval.formats.passages import Said, write_said
from tseval.tables import Nuggets, Updates
from tseval.units.work import Gold, Habits, Passage, fingerprint

if TYPE_CHECKING:
    from tseval.tables.columns import IntArray


@dataclass(frozen=True)
class Files:
    """The paths of the tables that were read, and how the nuggets were."""

    updates: Sequence[str]
    nuggets: str
    habits: Habits

    @property
    def are_plain(self) -> bool:
        """Whether all of them can be read again, by whoever sees them."""
        return all(Input(path).can_be_read_again for path in (*self.updates, self.nuggets))


@dataclass(frozen=True)
class Shares:
    """Where the nuggets are, and the passages that all updates are divided into, in their order."""

    gold: Gold
    passages: Sequence[Passage]
    starts: Sequence[int]
    """The row of each passage's first update."""
    form: str | None
    """The format of the updates, where it is not to be recognised."""


@contextmanager
def shared_out(
    updates: Updates, nuggets: Nuggets, files: Files | None, rows: int
) -> Iterator[Shares]:
    """Divide the updates, `rows` to a passage; temporary files are there for as long as the block.

    What cannot be read again as it was read first is written to temporary files: frames, standard
    input, pipes, runs of the track, runs that have their texts from a pool.
    """
    if files is not None and updates.team is None and files.are_plain:
        yield _in_place(updates, nuggets, files, rows)
        return
    with tempfile.TemporaryDirectory(prefix="tseval-") as folder:
        yield _written(updates, nuggets, Path(folder), rows)


def _in_place(updates: Updates, nuggets: Nuggets, files: Files, rows: int) -> Shares:
    passages: list[Passage] = []
    starts: list[int] = []
    for place, path in enumerate(files.updates):
        own = np.flatnonzero(updates.origin.source == place)
        line = updates.origin.line[own]
        unit = updates.origin.sources[place].unit
        for start in range(0, len(own), rows):
            end = start + rows
            whole = Passage(
                path=str(Path(path).absolute()),
                first=int(line[start]),
                last=int(line[end]) - 1 if end < len(line) else None,
                places=f"{unit}s",
                sha256=_hash(updates, own[start:end]),
                before=int(line[0]) - 1,
            )
            passages.append(whole)
            starts.append(int(own[start]))
    gold = Gold(str(Path(files.nuggets).absolute()), files.habits, _hash_of_nuggets(nuggets))
    return Shares(gold, passages, starts, files.habits.form)


def _written(updates: Updates, nuggets: Nuggets, folder: Path, rows: int) -> Shares:
    try:
        write_said(_parquet(folder, "updates"), Said(updates.topic, updates.text), rows)
        write_said(_parquet(folder, "nuggets"), Said(nuggets.topic, nuggets.text), rows)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        cure = "TMPDIR names the folder for temporary files"
        raise OutputError(f"{folder}: {reason}; {cure}") from error
    path = str(_parquet(folder, "updates"))
    starts = range(0, len(updates), rows)
    passages = [
        Passage(
            path=path,
            first=start + 1,
            last=min(start + rows, len(updates)),
            places="rows",
            sha256=_hash(updates, np.arange(start, min(start + rows, len(updates)))),
        )
        for start in starts
    ]
    gold = Gold(str(_parquet(folder, "nuggets")), None, _hash_of_nuggets(nuggets))
    return Shares(gold, passages, starts, None)


def _parquet(folder: Path, name: str) -> Path:
    return folder / f"{name}.parquet"


def _hash(updates: Updates, rows: IntArray) -> str:
    return fingerprint(Said(updates.topic.rows(rows), updates.text.rows(rows)))


def _hash_of_nuggets(nuggets: Nuggets) -> str:
    return fingerprint(Said(nuggets.topic, nuggets.text))
