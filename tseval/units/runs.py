"""Reading shared out: each run by a worker, the tables in the order of the runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from tseval.engine import Unit
from tseval.formats.inputs import Input
from tseval.units.sharing import Sharing
from tseval.units.work import check_is_there

Table = TypeVar("Table")
Read = Callable[[Input, str], Table]
"""From a run's input and what it is called to its table; must survive pickling."""


@dataclass(frozen=True)
class Spread:
    """Reads several runs, as `map` would; what can be read again is read by workers.

    Standard input, pipes and frames are read by this process.
    """

    sharing: Sharing

    def __call__(
        self, read: Read[Table], inputs: Sequence[Input], names: Sequence[str]
    ) -> Iterator[Table]:
        """The tables, in the order of the inputs."""
        if self.sharing.is_here:
            return map(read, inputs, names)
        return self._shared(read, inputs, names)

    def _shared(
        self, read: Read[Table], inputs: Sequence[Input], names: Sequence[str]
    ) -> Iterator[Table]:
        files = {
            str(each.file.absolute()): Named(each.path, name)
            for each, name in zip(inputs, names, strict=True)
            if each.can_be_read_again
        }
        units = [Unit(str(each.file.absolute())) for each in inputs if each.can_be_read_again]
        tables = self.sharing.engine.run(ReadWork(read, files), units)
        for each, name in zip(inputs, names, strict=True):
            yield next(tables) if each.can_be_read_again else read(each, name)


@dataclass(frozen=True)
class Named:
    """What messages call a file, and what its run is called."""

    path: str
    run: str


@dataclass(frozen=True)
class ReadWork:
    """Reading a run; faults name the file as whoever sent the work does."""

    read: Read[Any]
    names: Mapping[str, Named]

    def __call__(self, unit: Unit) -> Any:
        """The run's table, with the hash of its file."""
        check_is_there(unit.path)
        named = self.names[unit.path]
        source = Input(named.path)
        source.file = Path(unit.path)
        return settled(self.read(source, named.run))


def settled(read: Any) -> Any:
    """A table, or a tuple with one in front, whose hashes are made: it can leave the process."""
    if isinstance(read, tuple):
        return (settled(read[0]), *read[1:])
    return replace(read, origin=read.origin.settled())
