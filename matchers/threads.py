"""The parts of a block, and the threads that they are spread over.

Much of the work is done by numpy, SciPy and pyarrow, which let other threads run meanwhile. What
belongs to one part stays in a processor's cache. However many threads there are, the results are
those of one, in the order of the parts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from multiprocessing import parent_process
from threading import current_thread
from typing import TypeVar

CELLS = 1 << 20
"""A part has at most so many cells, unless one row has more: what is dense is never larger."""

NAME = "matchers"
"""What the names of the threads begin with."""

Part = TypeVar("Part")
Result = TypeVar("Result")


def parts(rows: int, width: int, cells: int | None = None) -> list[slice]:
    """Consecutive slices of `rows` rows that are `width` cells wide; none without rows.

    A slice has at most `cells` cells, by default `CELLS`.
    """
    step = max(1, (CELLS if cells is None else cells) // max(1, width))
    return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]


def spread(work: Callable[[Part], Result], pieces: Iterable[Part]) -> list[Result]:
    """What `work` gives for each piece, in their order; it may run in any thread."""
    listed = list(pieces)
    threads = min(cores(), len(listed))
    if threads < 2:
        return list(map(work, listed))
    if current_thread().name.startswith(NAME):  # a part of a part waits for nobody
        return list(map(work, listed))
    return list(_pool(os.getpid(), cores()).map(work, listed))


@lru_cache(maxsize=1)
def _pool(process: int, threads: int) -> ThreadPoolExecutor:  # noqa: ARG001 - one a process
    return ThreadPoolExecutor(threads, NAME)


def cores() -> int:
    """All cores that this process may use, but one in a process that was started for work.

    Whoever starts processes gives each a share of the work, and the cores are theirs together.
    """
    if parent_process() is not None:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
