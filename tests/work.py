"""Work for engines to do, in a module that a worker can import without pytest."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tseval.errors import Fault, InputError
from tseval.parallel.engine import Unit

UNITS = [Unit("runs.tsv", first, first) for first in range(1, 11)]


def numbered(unit: Unit) -> int:
    """The unit's number; earlier ones take longer, so that results come in the wrong order."""
    time.sleep(0.01 * (10 - (unit.first or 0)))
    return unit.first or 0


AFTER_THE_FIRST = threading.Event()
"""Set when units after the first may end, where workers are in this process."""


def first_alone(unit: Unit) -> int:
    """The unit's number; all but the first wait."""
    if unit.first != 1:
        AFTER_THE_FIRST.wait(60)
    return unit.first or 0


def asleep(_: Unit) -> None:
    """Nothing, for a minute."""
    time.sleep(60)


def process_of(_: Unit) -> int:
    """Where the unit was done."""
    return os.getpid()


def polars_threads(_: Unit) -> int:
    """How many threads polars has in the process that did the unit."""
    import polars as pl

    return pl.thread_pool_size()


def large(unit: Unit) -> bytes:
    """The unit's number, 300,000 times."""
    return bytes([unit.first or 0]) * 300_000


def faulty(unit: Unit) -> int:
    """Number 4 is bad input."""
    if unit.first == 4:
        raise InputError(
            [Fault("runs.tsv", 4, "is bad", "make it good", "number-format", "bad\tline")]
        )
    return unit.first or 0


@dataclass(frozen=True)
class Killed:
    """Number 4 kills the process that does it, as often as there is no file for each time."""

    folder: str
    times: int

    def __call__(self, unit: Unit) -> int:
        if unit.first == 4:
            for time_ in range(self.times):
                mark = Path(self.folder, str(time_))
                if not mark.exists():
                    mark.touch()
                    os.kill(os.getpid(), signal.SIGKILL)
        return unit.first or 0
