"""What starts a worker of a Dask cluster on this machine, and starts it again if it dies."""

from __future__ import annotations

from distributed import Nanny, Status

from tseval.parallel.engine import safe_path


class SafeNanny(Nanny):
    """Starts workers that import nothing from the folder they are started in.

    `env` of Dask's own comes too late for that, as the worker sets it itself, and what Dask sets
    before a start stays in this process afterwards.
    """

    async def instantiate(self) -> Status:
        """Start a worker, and wait until it is there."""
        with safe_path():
            return await super().instantiate()
