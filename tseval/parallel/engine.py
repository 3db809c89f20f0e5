"""What every engine is, what it runs, and the plainest of them: this process."""

from __future__ import annotations

import os
import platform
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Protocol, TypeAlias, TypeVar

from tseval.errors import EngineError
from tseval.records import frozen

Result = TypeVar("Result")
CURE = "every worker needs the same files under the same paths, and they may not change meanwhile"
SAFE_PATH = "PYTHONSAFEPATH"
"""Set, Python imports nothing from the folder that it is started in: a `joblib.py` beside the data.
"""
FILES, FILES_OF_WORKER = 40, 12
"""So many files a process has open at a time that starts workers, and more for each of them."""


@frozen
class Unit:
    """A file, or a range of places in it: what one piece of work is about.

    `first` and `last` count from 1 and are both included. Without `last` the range goes to the end,
    without both it is the whole file. What they count is called `places`: "lines", or "rows" for
    inputs without lines.
    """

    path: str
    first: int | None = None
    last: int | None = None
    places: str = "lines"
    sha256: str = ""
    """The hash of what stands there, where what comes of it is kept."""

    def __str__(self) -> str:
        if self.first is None:
            return self.path
        last = "the end" if self.last is None else self.last
        return f"{self.path}, {self.places} {self.first} to {last}"


def allow_files(jobs: int) -> None:
    """See to it that the pipes to so many workers may be opened: libraries fail without words."""
    if os.name != "posix":
        return
    import resource

    needed = FILES + FILES_OF_WORKER * jobs
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise EngineError(
            f"{jobs} processes need {needed} open files, and this machine allows {hard}: "
            f"give fewer --jobs, or allow more by `ulimit -n {needed}`"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


@contextmanager
def starting_processes() -> Iterator[None]:
    """Processes that are started meanwhile see no interrupt; who started them ends them.

    One that comes meanwhile is seen afterwards.
    """
    with interrupts_wait():
        if not hasattr(signal, "pthread_sigmask"):
            yield
            return
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # where it is not yet, its start lets interrupts through
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """An interrupt that comes during the block is seen at its end, whichever thread it reaches.

    A thread's mask does not do that alone: numpy's threads let the interrupt through, and Python
    then interrupts the main thread, masked or not.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    came: list[FrameType | None] = []
    signal.signal(signal.SIGINT, lambda _, frame: came.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if came:
            handler(signal.SIGINT, came[0])


Work: TypeAlias = Callable[[Unit], Result]
"""Must survive pickling, and give the same result however often and wherever it is called."""


class Engine(Protocol):
    """Runs work on units. A plug-in needs these two methods and nothing else."""

    def run(self, work: Work[Result], units: Sequence[Unit]) -> Iterator[Result]:
        """The result of each unit, in the order of the units.

        A unit whose process dies is done again. What the work raises is raised here, where the
        result would have come.
        """

    def close(self) -> None:
        """End what was started; an engine that is asked to run afterwards may start it anew."""


class Here:
    """Work in the calling process, one unit after the other."""

    def run(self, work: Work[Result], units: Sequence[Unit]) -> Iterator[Result]:
        """The results, each made when it is asked for."""
        return map(work, units)

    def close(self) -> None:
        """There is nothing to end."""


def check_visible(path: str) -> None:
    """Refuse a file that this worker cannot see, though whoever sent the work could."""
    if not Path(path).is_file():
        raise EngineError(f"{path}: not there for the worker on {platform.node()}; {CURE}")
