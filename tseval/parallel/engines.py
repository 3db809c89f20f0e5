"""Engines by name: the two that come with tseval, and those that other packages bring along.

A package adds one under the entry point group `tseval.engines`: the entry's name is the engine's,
its object a call that takes `jobs` and `scheduler` and gives an `Engine`.
"""

from __future__ import annotations

from tseval.errors import EngineError, UsageError
from tseval.parallel.engine import Engine, Here

GROUP = "tseval.engines"
"""The entry point group that plug-ins register under."""

LOCAL, DASK = "local", "dask"


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
