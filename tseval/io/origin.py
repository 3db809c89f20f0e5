"""Where a table's rows came from, so that a fault found late can still name its file and line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tseval.errors import Fault
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray


@frozen
class InputRecord:
    """One input as it goes into the record of a result: its name, its hash, its number of rows."""

    path: str
    digest: Callable[[], str]
    """Gives the hash of what was read; that of a frame is not made before it is asked for."""
    rows: int
    unit: str = "line"
    """What its places are called: "line", or "row" for inputs without lines."""
    columns: tuple[str, ...] = ()
    """What it calls columns by the caller's word: `nuggets.text=fact`."""
    understood: tuple[str, ...] = ()
    """Which of its names were taken for columns by common sense: `fact as text`."""
    runs: tuple[str, ...] = ()
    """The runs that it holds, where it is one of several files of runs."""
    zones: tuple[tuple[str, float], ...] = ()
    """The offsets from UTC of its times, empty where they have none, with the earliest of each."""

    @property
    def sha256(self) -> str:
        """The hash of the input's bytes."""
        return self.digest()

    @property
    def is_relative(self) -> bool:
        """Whether times are seconds since the topic's start: `--clock relative`."""
        return any(each.endswith(".clock=relative") for each in self.columns)

    def __reduce__(self) -> tuple[type[InputRecord], tuple[object, ...]]:
        known = Known(self.sha256)
        return InputRecord, (
            *(self.path, known, self.rows, self.unit),
            *(self.columns, self.understood, self.runs, self.zones),
        )

    def settled(self) -> InputRecord:
        """The same with the hash made, so that it can go to another process."""
        return replace(self, digest=Known(self.sha256))


@frozen
class Known:
    """Gives a hash that was made before."""

    sha256: str

    def __call__(self) -> str:
        """The hash."""
        return self.sha256


@frozen
class Origin:
    """For each row of a table its source and its line there."""

    sources: tuple[InputRecord, ...]
    source: IntArray
    line: IntArray

    @classmethod
    def single(cls, source: InputRecord, line: IntArray) -> Origin:
        """All rows from one source."""
        return cls((source,), np.zeros(len(line), np.int64), line)

    @classmethod
    def join(cls, parts: Sequence[Origin]) -> Origin:
        """The rows of several tables one below the other."""
        before = np.cumsum([0, *(len(part.sources) for part in parts[:-1])])
        return cls(
            tuple(source for part in parts for source in part.sources),
            np.concatenate([p.source + n for p, n in zip(parts, before, strict=True)]),
            np.concatenate([part.line for part in parts]),
        )

    def starts(self, first: FloatArray) -> FloatArray:
        """Return when topics with these first times start: at 0 if times count from the start."""
        return np.zeros_like(first) if any(s.is_relative for s in self.sources) else first

    def settled(self) -> Origin:
        """The same with every hash made, so that it can go to another process."""
        return replace(self, sources=tuple(source.settled() for source in self.sources))

    def rows(self, chosen: IntArray | BoolArray) -> Origin:
        """The origin of the chosen rows."""
        return Origin(self.sources, self.source[chosen], self.line[chosen])

    def place(self, row: int) -> str:
        """The place of a row in words: `line 12`, with the file where there are several."""
        source, line = self.sources[int(self.source[row])], int(self.line[row])
        if len(self.sources) == 1:
            return f"{source.unit} {line}"
        return f"{source.path}:{line}" if source.unit == "line" else f"{source.path} row {line}"

    def fault(self, row: int, reason: str, cure: str, code: str) -> Fault:
        """A fault of this row."""
        source = self.sources[int(self.source[row])]
        return Fault(source.path, int(self.line[row]), reason, cure, code, unit=source.unit)


class Sourced(Protocol):
    """A table that knows where it comes from; None if from no file."""

    @property
    def origin(self) -> Origin | None:
        """Where it comes from."""


def origins_of(tables: Mapping[str, Sourced | None]) -> dict[str, Origin]:
    """Where each of these tables comes from, of those that are there and come from a file."""
    origins = {name: table.origin for name, table in tables.items() if table is not None}
    return {name: origin for name, origin in origins.items() if origin is not None}


def records_of(origins: Iterable[Origin]) -> tuple[InputRecord, ...]:
    """Every input that any of these comes from."""
    return tuple(source for origin in origins for source in origin.sources)
