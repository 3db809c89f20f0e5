"""The processes of this machine, by loky, which comes with joblib.

Units that follow one another go to the same process, since much of what one needs the next needs
too. One that dies is replaced, and takes up the unit that it died at once more: a unit at which
process after process dies is the one to blame.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import pairwise
from typing import Any, Generic

from tseval.errors import EngineError
from tseval.parallel.engine import Result, Unit, Work, allow_files, starting_processes
from tseval.parallel.threads import threads_of_worker

AHEAD = 2
"""A process has so many units before it, the one that it works on included."""
ATTEMPTS = 3
"""A unit at which so many processes died is given up."""
WATCHED_EVERY = 0.5
"""Seconds between two looks whether the process that started a worker is still there."""


class Processes:
    """So many processes, each started with its first unit."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._workers = [Worker(jobs) for _ in range(jobs)]

    def run(self, work: Work[Result], units: Sequence[Unit]) -> Iterator[Result]:
        """The results in the order of the units; one unit alone is done in this process."""
        if len(units) < 2:
            return map(work, units)
        allow_files(self.jobs)
        return Run(work, units, self._workers).results()

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        for worker in self._workers:
            worker.end()


class Worker:
    """A process that is started when it is needed, and again if it has died."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._pool: Any = None

    def submit(self, work: Work[Result], unit: Unit) -> Future[Result]:
        """Have a unit done; that the process has died already is said by the future, too."""
        try:
            with starting_processes():
                self._pool = self._pool or started(self._jobs)
                future: Future[Result] = self._pool.submit(work, unit)
        except BrokenProcessPool as error:
            future = Future()
            future.set_exception(error)
        return future

    def end(self) -> None:
        """Let the process end at once."""
        if self._pool is not None:
            queue = self._pool._call_queue
            queue._reader.close()  # or a large unit that nobody reads would be written for ever
            self._pool.shutdown(kill_workers=True)
            self._pool = None
            # loky does not wait for the thread that fills its queue; were this process to end while
            # that one gives back the queue's locks, they would be told of as lost
            if (filling := queue._thread) is not None:
                filling.join()


class Run(Generic[Result]):
    """Some units on their way through some workers."""

    def __init__(
        self, work: Work[Result], units: Sequence[Unit], workers: Sequence[Worker]
    ) -> None:
        self._work, self._units = work, units
        self._workers = workers[: len(units)]
        cuts = [len(units) * at // len(self._workers) for at in range(len(self._workers) + 1)]
        self._waiting = [deque(range(*ends)) for ends in pairwise(cuts)]
        self._flight: list[dict[int, Future[Result]]] = [{} for _ in self._workers]
        self._done: dict[int, Future[Result]] = {}
        self._deaths = Counter[int]()

    def results(self) -> Iterator[Result]:
        """The results in the order of the units."""
        for number in range(len(self._units)):
            self._hand_out()
            while number not in self._done:
                wait([f for own in self._flight for f in own.values()], None, FIRST_COMPLETED)
                self._take_in()
                self._hand_out()
            yield self._done.pop(number).result()

    def _hand_out(self) -> None:
        for at, worker in enumerate(self._workers):
            while len(self._flight[at]) < AHEAD and (number := self._next(at)) is not None:
                self._flight[at][number] = worker.submit(self._work, self._units[number])

    def _next(self, at: int) -> int | None:
        """The next unit of a worker, who takes half of what another has left when its own are done.

        What it takes are the last, in one piece, for units that follow one another are done faster.
        """
        own, most = self._waiting[at], max(self._waiting, key=len)
        if not own:
            own.extendleft([most.pop() for _ in range((len(most) + 1) // 2)])
        return own.popleft() if own else None

    def _take_in(self) -> None:
        """Collect what is done; what a dead process had before it goes back to be handed out."""
        for at, own in enumerate(self._flight):
            done = [number for number, future in own.items() if future.done()]
            lost = [number for number in done if _is_lost(own[number])]
            self._done |= {number: own[number] for number in done if number not in lost}
            if lost:
                self._bury(at, [number for number in own if number not in self._done])
            self._flight[at] = {n: f for n, f in own.items() if not lost and n not in done}

    def _bury(self, at: int, lost: list[int]) -> None:
        """End what is left of a worker; it died at the first unit that was before it."""
        self._workers[at].end()
        self._deaths[lost[0]] += 1
        if self._deaths[lost[0]] == ATTEMPTS:
            raise EngineError(
                f"{self._units[lost[0]]}: {ATTEMPTS} processes died at this unit of work; "
                "if memory ran out give fewer --jobs, else look for what kills them"
            )
        self._waiting[at].extendleft(reversed(lost))


def _is_lost(future: Future[Any]) -> bool:
    return isinstance(future.exception(), BrokenProcessPool)


def started(jobs: int) -> Any:
    """A process, one of so many that share the cores; it never outlives this one."""
    from joblib.externals.loky import ProcessPoolExecutor

    threads = str(max(1, (os.cpu_count() or 1) // jobs))
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return ProcessPoolExecutor(
        1,
        initializer=_begin,
        initargs=(os.getpid(),),
        env={name: os.environ.get(name, threads) for name in names} | threads_of_worker(),
    )


def _begin(parent: int) -> None:
    """What a worker does first: see to it that it ends when its parent has ended."""
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCHED_EVERY)
    os._exit(1)
