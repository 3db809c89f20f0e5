"""The processes of this machine, by loky, which comes with joblib."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from tseval.errors import EngineError
from tseval.parallel.engine import SAFE_PATH, Result, Unit, Work, allow_files, starting_processes
from tseval.parallel.threads import threads_of_worker

AHEAD = 2
"""So many units for each process are handed out at a time, no more than loky's queue holds."""
ATTEMPTS = 3
"""A unit at which so many processes died is given up."""
WATCHED_EVERY = 0.5
"""Seconds between two looks whether the process that started a worker is still there."""


class Processes:
    """So many processes, started with the first work, and again if one of them dies."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._pool: Any = None
        self._size = 0

    def run(self, work: Work[Result], units: Sequence[Unit]) -> Iterator[Result]:
        """The results in the order of the units; one unit alone is done in this process."""
        if len(units) < 2:
            return map(work, units)
        allow_files(self.jobs)
        return self._results(work, units)

    def _results(self, work: Work[Result], units: Sequence[Unit]) -> Iterator[Result]:
        size, flight = min(self.jobs, len(units)), dict[int, Future[Result]]()
        for number, unit in enumerate(units):
            try:
                for ahead in range(number, min(number + AHEAD * size, len(units))):
                    if ahead not in flight:
                        flight[ahead] = self._submit(size, work, units[ahead])
                result = flight.pop(number).result()
            except BrokenProcessPool:
                done = {at: each for at, each in flight.items() if each.done()}
                flight = {at: each for at, each in done.items() if each.exception() is None}
                known = flight.pop(number, None)
                result = self._alone(work, unit) if known is None else known.result()
            yield result

    def _submit(self, size: int, work: Work[Result], unit: Unit) -> Future[Result]:
        """Have a unit done by one of so many processes, or more."""
        if self._size < size:
            self.close()
        with starting_processes():
            if self._pool is None:
                self._pool, self._size = started(size), size
            future: Future[Result] = self._pool.submit(work, unit)
            return future

    def _alone(self, work: Work[Result], unit: Unit) -> Result:
        """Do a unit with no other beside it: nobody tells at which of several a process died."""
        for _ in range(ATTEMPTS):
            self.close()
            try:
                return self._submit(1, work, unit).result()
            except BrokenProcessPool:
                continue
        self.close()
        raise EngineError(
            f"{unit}: {ATTEMPTS} processes died at this unit of work; "
            "if memory ran out give fewer --jobs, else look for what kills them"
        )

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        if self._pool is not None:
            queue = self._pool._call_queue
            queue._reader.close()  # or a large unit that nobody reads would be written for ever
            self._pool.shutdown(kill_workers=True)
            self._pool, self._size = None, 0
            # loky does not wait for the thread that fills its queue; were this process to end while
            # that one gives back the queue's locks, they would be told of as lost
            if (filling := queue._thread) is not None:
                filling.join()


def started(size: int) -> Any:
    """So many processes that share the cores; they never outlive this one.

    They import nothing from the folder they are started in: what this process imports from, they
    are told.
    """
    from joblib.externals.loky import ProcessPoolExecutor

    threads = str(max(1, (os.cpu_count() or 1) // size))
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    limits = {name: os.environ.get(name, threads) for name in names} | threads_of_worker()
    environment = {SAFE_PATH: "1", **limits}
    return ProcessPoolExecutor(size, initializer=_begin, initargs=(os.getpid(),), env=environment)


def _begin(parent: int) -> None:
    """What a worker does first: see to it that it ends when its parent has ended."""

    def end_with_parent() -> None:
        while os.getppid() == parent:
            time.sleep(WATCHED_EVERY)
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
