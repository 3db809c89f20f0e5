"""What a benchmark takes in two trees of the program: run alternately, and held side by side.

    git worktree add --detach ../before COMMIT
    python bench/side_by_side.py ../before bench/bench_clusters.py --posts 200000
    python bench/side_by_side.py --pairs 7 ../before -m tseval score RUN NUGGETS --in-blocks

What follows the other tree are the arguments of Python, which is started in the other tree and in
this one by turns. A machine with other work makes both slower, so the least of all runs counts, and
the median beside it shows how much they vary. Told are seconds of processor of the program and all
that it started, seconds of the clock, the largest memory of one process, and each number of seconds
that the program itself prints: a benchmark also makes its data and asserts its results, which is in
the first two and says nothing of tseval. `--markdown` prints a table.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parents[1]
SECONDS = re.compile(r"(\d[\d,]*\.\d+) +s(?= |$|,|;|\)|:)")


@dataclass(frozen=True)
class Taken:
    """What one run of the program took, and the seconds that it told of its parts."""

    processor: float
    clock: float
    peak: float
    parts: tuple[tuple[str, float], ...]

    def rows(self) -> Iterator[tuple[str, float]]:
        """Each quantity with its name."""
        yield "seconds of processor", self.processor
        yield "seconds", self.clock
        yield "peak, MiB", self.peak
        yield from self.parts


def run(tree: Path, arguments: Sequence[str]) -> Taken:
    """Run Python with these arguments in a tree."""
    began = time.perf_counter()
    with (
        tempfile.TemporaryFile() as out,
        subprocess.Popen(
            [sys.executable, *arguments],
            cwd=tree,
            env=os.environ | {"PYTHONPATH": str(tree)},
            stdin=subprocess.DEVNULL,
            stdout=out,
        ) as running,
    ):
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        clock = time.perf_counter() - began
        out.seek(0)
        printed = out.read().decode("utf-8", "replace")
    if running.returncode:
        raise SystemExit(f"in {tree} it ended with {running.returncode}:\n{printed}")
    processor = usage.ru_utime + usage.ru_stime
    return Taken(processor, clock, usage.ru_maxrss / 1024, tuple(parts_of(printed)))


def parts_of(printed: str) -> Iterator[tuple[str, float]]:
    """Each number of seconds that a program prints, named by the words before it in its line."""
    for line in printed.splitlines():
        end = 0
        for found in SECONDS.finditer(line):
            words = re.sub(r"\(?[\d,.]+[\d)]*|\s+", " ", line[end : found.start()])
            yield " ".join(words.split()).strip(" ,;:("), float(found[1].replace(",", ""))
            end = found.end()


def table(before: Sequence[Taken], now: Sequence[Taken]) -> Iterator[tuple[str, ...]]:
    """A row for each quantity: least and median before, least and median now, their ratios."""
    for old, new in zip(
        zip(*(each.rows() for each in before), strict=True),
        zip(*(each.rows() for each in now), strict=True),
        strict=True,
    ):
        olds, news = ([value for _, value in side] for side in (old, new))
        numbers = (min(olds), median(olds), min(news), median(news))
        ratios = (min(news) / min(olds), median(news) / median(olds)) if min(olds) else ()
        told = [f"{number:,.3f}" for number in numbers] + [f"{ratio:.3f}" for ratio in ratios]
        yield (new[0][0], *told)


def main() -> None:
    """Run the pairs and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5, help="how often each tree runs it")
    parser.add_argument("--markdown", action="store_true", help="print a table of Markdown")
    parser.add_argument("before", type=Path, help="the other tree")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of Python, to run a program")
    given = parser.parse_args()
    sides: tuple[list[Taken], list[Taken]] = ([], [])
    for _ in range(given.pairs):
        for side, tree in zip(sides, (given.before.resolve(), HERE), strict=True):
            side.append(run(tree, given.arguments))
    head = ("", "least before", "median before", "least now", "median now", "least", "median")
    rows = [head, *table(*sides)]
    if given.markdown:
        rows.insert(1, ("---",) * len(head))
        print("".join(f"| {' | '.join(row)} |\n" for row in rows), end="")
        return
    for name, *cells in rows:
        print(f"{name[:60]:<60}", *(f"{cell:>14}" for cell in cells))


if __name__ == "__main__":
    main()
