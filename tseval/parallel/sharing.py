"""How work is shared out, and how an engine is chosen by its name.

Two engines come with tseval, and other packages bring along more. A package adds one under the
entry point group `tseval.engines`: the entry's name is the engine's, its object a call that takes
`jobs` and `scheduler` and gives an `Engine`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Protocol

from tseval.errors import EngineError, UsageError
from tseval.parallel.engine import Engine, Here
from tseval.records import frozen

GROUP = "tseval.engines"
"""The entry point group that plug-ins register under."""
LOCAL, DASK = "local", "dask"


class Progress(Protocol):
    """Is told how much of some work is done."""

    def __call__(self, done: int, total: int, note: str = "", /) -> None:
        """So much of so much is done; `note` says what more there is to say."""


UNITS = 16
"""Updates are divided into so many units, or a multiple: two, four or eight get equal shares."""
FEWEST, MOST = 2048, 16384
"""No unit has fewer or more rows than these: it has to be worth handing out, and not so much that
a great deal is lost with it."""


@frozen
class Sharing:
    """Where work runs, and whether what was found before is taken from the disk.

    How many rows a unit has depends on the updates alone, so that whoever resumes with other
    engines finds the same units; `rows` says another number.
    """

    engine: Engine = field(default_factory=Here)
    resume: bool = False
    rows: int | None = None

    def rows_of(self, total: int) -> int:
        """How many of so many updates a unit has."""
        times = max(1, -(-total // (UNITS * MOST)))
        return self.rows or max(FEWEST, -(-total // (UNITS * times)))

    @property
    def is_in_process(self) -> bool:
        """Whether nothing is shared with anybody."""
        return isinstance(self.engine, Here)

    @property
    def is_alone(self) -> bool:
        """Whether nothing is shared with anybody, nor with another time."""
        return self.is_in_process and not self.resume


ALONE = Sharing()
"""All in this process, with what it has in memory."""


def choose(name: str = LOCAL, jobs: int | None = None, scheduler: str | None = None) -> Engine:
    """The engine of a name; what would do nothing with it is a `UsageError`.

    `local` is this process, or so many processes as there are `jobs`. `dask` is the cluster of a
    scheduler, or without one a cluster of `jobs` processes of this machine.
    """
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs cannot be {jobs}: at least one process is needed")
    if name == LOCAL:
        if scheduler is not None:
            raise UsageError("a scheduler belongs to a cluster: give --engine dask, too")
        if jobs is None or jobs == 1:
            return Here()
        from tseval.parallel.processes import Processes

        return Processes(jobs)
    if name == DASK:
        if jobs is not None and scheduler is not None:
            raise UsageError("a scheduler knows how many workers it has: leave --jobs out")
        from tseval.parallel.cluster import Cluster

        return Cluster(jobs, scheduler)
    from importlib.metadata import entry_points

    points = entry_points(group=GROUP)
    for point in points:
        if point.name != name:
            continue
        try:
            engine: Engine = point.load()(jobs=jobs, scheduler=scheduler)
        except (Exception, SystemExit) as error:  # a plug-in can fail in any way; name it
            raise EngineError(f"engine '{name}' ({point.value}) fails: {error}") from error
        return engine
    known = ", ".join([LOCAL, DASK, *sorted(points.names)])
    raise UsageError(f"unknown engine '{name}'; known: {known}")


@contextmanager
def shared(
    engine: str | Engine = "local",
    jobs: int | None = None,
    scheduler: str | None = None,
    *,
    resume: bool = False,
) -> Iterator[Sharing]:
    """Work shared as asked for; what is started for it ends with the block.

    An engine that is given as such is the caller's to close.
    """
    if not isinstance(engine, str):
        yield Sharing(engine, resume)
        return
    chosen = choose(engine, jobs, scheduler)
    try:
        yield Sharing(chosen, resume)
    finally:
        chosen.close()
