"""Reading shared out: each run by a worker, the tables in the order of the runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tseval.io.inputs import Input
from tseval.parallel.engine import Unit, check_visible
from tseval.parallel.sharing import Sharing
from tseval.records import frozen

Table = TypeVar("Table")
Read = Callable[[Input, str], Table]
"""From a run's input and what it is called to its table; must survive pickling."""


@frozen
class ParallelRunReader:
    """Reads several runs, as `map` would; what can be read again is read by workers.

    Standard input, pipes and frames are read by this process.
    """

    sharing: Sharing

    def __call__(
        self, read: Read[Table], inputs: Sequence[Input], names: Sequence[str]
    ) -> Iterator[Table]:
        """The tables, in the order of the inputs."""
        if self.sharing.is_in_process:
            yield from map(read, inputs, names)
            return
        listed = list(zip(inputs, names, strict=True))
        files = [
            RunFile(
                str(each.file.absolute()),
                shown=each.path,
                run=name,
                columns=tuple(each.columns.items()),
                renamed=each.run_name is not None,
            )
            for each, name in listed
            if each.can_be_read_again
        ]
        tables = self.sharing.engine.run(ReadWork(read), files)
        for each, name in listed:
            yield next(tables) if each.can_be_read_again else read(each, name)


@frozen
class RunFile(Unit):
    """The file of a run."""

    shown: str = ""
    """What messages call it."""
    run: str = ""
    """What its run is called."""
    columns: tuple[tuple[str, str], ...] = ()
    """What it calls columns, by the caller's word."""
    renamed: bool = False
    """Whether the run is called so whatever a column says."""


@frozen
class ReadWork:
    """Reading a run; faults name the file as whoever sent the work does."""

    read: Read[Any]

    def __call__(self, unit: Any) -> Any:
        """The run's table, with the hash of its file."""
        check_visible(unit.path)
        source = Input(unit.shown)
        source.file = Path(unit.path)
        source.columns = dict(unit.columns)
        source.run_name = unit.run if unit.renamed else None
        return self.read(source, unit.run)
