"""What starts a worker of a Dask cluster on this machine, and starts it again if it dies."""

from __future__ import annotations

from distributed import Nanny, Status

from tseval.parallel.engine import safe_path

TITLES = ("__DASK_PARENT_PID", "DASK_PARENT")
"""These say for whom a process works, so that it can show it as its title: that of Dask now, and
that of Dask 2025.1."""


class WorkerLauncher(Nanny):
    """Starts workers that import nothing from the folder they are started in.

    `env` of Dask's own comes too late for that, as the worker sets it itself. What Dask sets before
    a start is for the worker, and would stay in this process: the threads that libraries may
    have, and a seed for hashes.
    """

    async def instantiate(self) -> Status:
        """Start a worker, and wait until it is there."""
        with safe_path((*TITLES, *self.pre_spawn_env)):
            return await super().instantiate()
