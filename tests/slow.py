"""Which tests are slow: those that `tests/slow.txt` names get the marker `slow`.

The list is measured, not guessed: `make slow` runs all tests with this module's option
`--write-slow` and names so many of the longest that the others take `BUDGET` seconds of processor
time in all. Half of that, on two processors, leaves time for `pytest -n 2 -m "not slow"` to collect
and to end within a minute. `make test` takes the option `--short`: these, and a case of most slow
ones.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

CASE, PROPERTY = 0.5, 0.8
"""The seconds that one case of a slow test may take within `make test`, and one of a property."""
SHARE = 3
"""`make test` tries one of so many examples of a property."""
LIST = Path(__file__).with_name("slow.txt")
BUDGET = 40.0
HEAD = """\
# Tests that take long, with the processor time of all their cases; `make slow` writes this list.
"""


def function_of(nodeid: str) -> str:
    """A test function as the list names it: its path under `tests/` and its name, no parameters."""
    return nodeid.partition("[")[0].removeprefix("tests/")


def listed() -> dict[str, float]:
    """The functions that the list names, with their seconds."""
    lines = LIST.read_text(encoding="utf-8").splitlines() if LIST.exists() else []
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {row[-1]: float(row[0]) for row in rows}


def longest_files_first(items: list[pytest.Item]) -> None:
    """Put the tests of the files that take longest first, each file's in its own order.

    Workers take a file at a time: the last ones to be taken are then short, and the workers end at
    about the same time.
    """
    files: defaultdict[str, float] = defaultdict(float)
    for name, taken in listed().items():
        files[name.partition("::")[0]] += taken
    items.sort(key=lambda item: -files[function_of(item.nodeid).partition("::")[0]])


def longest(seconds: dict[str, float]) -> list[str]:
    """The lines of the list: the longest tests, until the others are within the budget."""
    left, lines = sum(seconds.values()), []
    for name, taken in sorted(seconds.items(), key=lambda each: -each[1]):
        if left <= BUDGET:
            break
        left -= taken
        lines.append(f"{taken:7.2f} {name}")
    return lines


def shortened(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return what `make test` runs, and give properties a third of their examples.

    Of a slow test that is its first case, if that is short, and each case marked `always`.
    """
    seconds, cases = listed(), Counter(function_of(item.nodeid) for item in items)
    chosen, begun, properties = [], set(), set()
    for item in items:
        name, test = function_of(item.nodeid), getattr(item, "function", None)
        taken, most = seconds.get(name, 0.0) / cases[name], CASE
        is_first = name not in begun or name not in seconds
        if hasattr(test, "hypothesis"):
            properties.add(test)
            taken, most, is_first = taken / SHARE, PROPERTY, True
        if (is_first and taken <= most) or item.get_closest_marker("always"):
            chosen.append(item)
        begun.add(name)
    for test in properties:
        given = test._hypothesis_internal_use_settings
        fewer = settings(given, max_examples=max(1, given.max_examples // SHARE))
        test._hypothesis_internal_use_settings = fewer
    return chosen


def of_this_process() -> float:
    """The processor time of this process and of those below it that have ended."""
    return sum(os.times()[:4])


def of_all_below() -> float:
    """The processor time of this process and of all below it, whether they have ended or not."""
    taken, below = {}, defaultdict(list)
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it ended just now
            fields = path.read_text().rpartition(")")[2].split()
            taken[path.parent.name] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
            below[fields[1]].append(path.parent.name)
    total, found = of_this_process(), below[str(os.getpid())]
    for each in found:  # which grows meanwhile
        total += taken[each]
        found += below[each]
    return total


KEPT = frozenset({"engines", "chromium"})
"""The fixtures that keep processes until the last test has ended."""


class Stopwatch:
    """Adds up the processor time of each test, that of the processes which it keeps busy included.

    Each worker of pytest-xdist has a stopwatch of its own, and hands its times over as it ends.
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Iterator[None]:
        """Time one test, with what it needs set up first."""
        kept = nextitem is None or not KEPT.isdisjoint(getattr(item, "fixturenames", ()))
        time = of_all_below if kept else of_this_process
        before = time()
        result = yield
        self.seconds[function_of(item.nodeid)] += time() - before
        return result

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the times of a worker that ended."""
        for name, taken in node.workeroutput["seconds"].items():
            self.seconds[name] += taken

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the list if all tests ran, or hand the times to the process that writes it."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["seconds"] = dict(self.seconds)
        elif exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            LIST.write_text(HEAD + "".join(f"{line}\n" for line in longest(self.seconds)))
