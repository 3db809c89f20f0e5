"""How many threads polars has: it asks the environment when it is imported, and never again."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

THREADS = "POLARS_MAX_THREADS"
_own: dict[str, str] = {}
"""What was set here and not by whoever started the program."""


def limit_threads(arguments: Sequence[str]) -> None:
    """Allow as many threads as `-j` asks for processes, unless the environment says how many.

    A stream that is followed has few rows at a time, so one.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-j", "--jobs", nargs="?", default="")
    parser.add_argument("--follow", action="store_true")
    known = parser.parse_known_args(arguments)[0]
    jobs = "1" if known.follow else known.jobs or ""
    if jobs.isdecimal() and int(jobs) and THREADS not in os.environ:
        _own[THREADS] = os.environ[THREADS] = str(min(int(jobs), os.cpu_count() or 1))


def threads_of_worker() -> dict[str, str]:
    """The variable for a process that shares the cores with others: one thread, or what is set."""
    asked = os.environ.get(THREADS)
    return {THREADS: "1" if asked is None or asked == _own.get(THREADS) else asked}
