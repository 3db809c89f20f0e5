"""The processes of this machine, by loky, which comes with joblib.

A process that dies takes the others down with it. Then new ones are started, and each unit that was
in work gets one to itself: the unit that kills again is the one to blame.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any

from tseval.engine.contract import Result, Unit, Work, uninterrupted
from tseval.errors import EngineError

AHEAD = 3
"""So many units for each process are handed out before the first result is asked for."""
ATTEMPTS = 3
"""A unit that has been in work when so many processes died is given up."""
WATCHED_EVERY = 0.5
"""Seconds between two looks whether the process that started a worker is still there."""


class Processes:
    """So many processes, started with the first work that has more than one unit."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._pool: Any = None

    def run(self, work: Work[Result], units: Sequence[Unit]) -> Iterator[Result]:
        """The results in the order of the units; one unit alone is done in this process."""
        if len(units) < 2:
            yield from map(work, units)
            return
        waiting = iter(units)
        flight = [(unit, self._hand_out(work, unit)) for unit in self._next(waiting)]
        while flight:
            try:
                result = flight[0][1].result()
            except BrokenProcessPool:
                flight = self._repeated(work, flight)
                continue
            yield result
            flight = flight[1:] + [(u, self._hand_out(work, u)) for u in islice(waiting, 1)]

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        if self._pool is not None:
            self._pool.shutdown(kill_workers=True)
            self._pool = None

    def _next(self, waiting: Iterator[Unit]) -> Iterator[Unit]:
        return islice(waiting, AHEAD * self.jobs)

    def _hand_out(self, work: Work[Result], unit: Unit) -> Future[Result]:
        """Have a unit done; a pool that is broken already says so in the future."""
        self._pool = self._pool or started(self.jobs)
        try:
            with uninterrupted():
                future: Future[Result] = self._pool.submit(work, unit)
        except BrokenProcessPool as error:
            future = Future()
            future.set_exception(error)
        return future

    def _repeated(
        self, work: Work[Result], flight: list[tuple[Unit, Future[Result]]]
    ) -> list[tuple[Unit, Future[Result]]]:
        """The units in flight, with those that were lost done again, one after the other.

        What else the work raised stays where it was.
        """
        self.close()
        alone = Processes(1)
        try:
            return [
                (unit, alone._again(work, unit) if _is_lost(future) else future)
                for unit, future in flight
            ]
        finally:
            alone.close()

    def _again(self, work: Work[Result], unit: Unit) -> Future[Result]:
        """A unit done with no other beside it; an `EngineError` names one that kills."""
        for _ in range(ATTEMPTS - 1):
            future = self._hand_out(work, unit)
            if not _is_lost(future):
                return future
            self.close()
        raise EngineError(
            f"{unit}: {ATTEMPTS} processes died at this unit of work; "
            "if memory ran out give fewer --jobs, else look for what kills them"
        )


def _is_lost(future: Future[Any]) -> bool:
    return isinstance(future.exception(), BrokenProcessPool)


def started(jobs: int) -> Any:
    """A pool of processes that share the cores and never outlive this one."""
    from joblib.externals.loky import ProcessPoolExecutor
    from joblib.externals.loky.backend import resource_tracker

    resource_tracker.ensure_running()  # its start would let interrupts through to the workers

    threads = str(max(1, (os.cpu_count() or 1) // jobs))
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return ProcessPoolExecutor(
        jobs,
        initializer=_begin,
        initargs=(os.getpid(),),
        env={name: os.environ.get(name, threads) for name in names},
    )


def _begin(parent: int) -> None:
    """What a worker does first: see to it that it ends when its parent has ended."""
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCHED_EVERY)
    os._exit(1)
