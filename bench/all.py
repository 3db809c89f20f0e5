"""Every benchmark, one after the other, and one table of what they measured.

    python bench/all.py [NAME...] [--small | --full] [--keep]

Each benchmark is a program of its own that first asserts its results, then times them beside what a
user would take instead: `cdist` of RapidFuzz, loops over dictionaries, pandas, statsmodels, the
encoding of sentence-transformers. It hands its rows over by `bench/rows.py`. The table is held
against the last one that was kept, `bench/results.md`: what takes a fifth more is marked. `--keep`
puts it there; take a quiet machine for that.

A benchmark that fails is told at the end, and the exit code is 1. Those that take long on full
size are run on a smaller one here; `--full` takes the full size, `--small` one that only shows that
they run. One that needs packages which are no dependencies of tseval is left out without them,
unless it is named.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from bench.rows import HANDED, Row, shown

HERE = Path(__file__).parent
KEPT = HERE / "results.md"
SLOWER = 1.2
"""What takes so many times as long as the last time is marked."""
HEAD = ("benchmark", "what", "size", "took", "instead", "ratio", "goal", "change")
Key: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True)
class Benchmark:
    """A program of this folder, what it shows, and how it is run in little time."""

    name: str
    shows: str
    tiny: tuple[str, ...] = ()
    """How it only shows that it runs."""
    usual: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """Packages that tseval does without, and this does not."""

    def sized(self, *, small: bool, full: bool) -> tuple[str, ...]:
        """The arguments for the size that is asked for."""
        return self.tiny if small else () if full else self.usual

    @property
    def missing(self) -> list[str]:
        """The packages that are not there."""
        return [name for name in self.needs if importlib.util.find_spec(name) is None]


BENCHMARKS = (
    Benchmark("startup", "every command on the examples beside two imports", ("--times", "5")),
    Benchmark("scoring", "reading, the index, the measures and whole curves", ("--small",)),
    Benchmark("matching", "matchers beside cdist", ("--small",)),
    Benchmark(
        "embedding",
        "encoding, the cache and the comparison of vectors",
        ("--texts", "300"),
        needs=("sentence_transformers",),
    ),
    Benchmark("llm", "answers of a language model that are kept", ("--updates", "100")),
    Benchmark(
        "trec_temporal",
        "official runs, read and scored",
        ("--copies", "2", "--sizes", "2000"),
        ("--sizes", "21000,1112000"),
    ),
    Benchmark(
        "clusters", "a million posts over clusters", ("--posts", "20000", "--clusters", "2000")
    ),
    Benchmark("incidents", "forty runs of incident streams", ("--posts", "1000", "--runs", "5")),
    Benchmark("filtering", "forty-five runs, swept and followed", ("--runs", "8")),
    Benchmark(
        "changes", "ten runs of change detection over a year", ("--runs", "2", "--days", "120")
    ),
    Benchmark("responses", "ten runs of 301 answers with graded nuggets", ("--runs", "2")),
    Benchmark("crisisfacts", "collapsed facts of requests and 18 runs", ("--requests", "20")),
    Benchmark("timelines", "a timeline of twenty days beside tilse", needs=("tilse",)),
    Benchmark("compare", "276 pairs of runs, and more", ("--runs", "8")),
    Benchmark(
        "report",
        "a page of thirty runs",
        ("--runs", "5", "--topics", "4", "--updates", "1000"),
    ),
    Benchmark(
        "desk",
        "the assessors' desk with 20,000 updates",
        ("--updates", "1000", "--nuggets", "100", "--read", "200", "--items", "8"),
    ),
    Benchmark("engine", "matching in several processes", ("--updates", "20000", "--repeats", "1")),
    Benchmark(
        "plan",
        "what 100 million updates would take",
        ("--sizes", "5000", "20000"),
        ("--sizes", "50000", "200000"),
    ),
    Benchmark(
        "streams",
        "blocks and live streams",
        ("--sizes", "5000", "20000", "--live", "5000", "--each", "1000"),
        ("--sizes", "100000", "1000000", "--live", "200000"),
    ),
    Benchmark(
        "shared",
        "what ir_measures and ranx compute too",
        ("--runs", "3", "--topics", "10"),
        ("--runs", "10"),
        ("ir_measures", "pytrec_eval", "ranx"),
    ),
)


@dataclass(frozen=True)
class Outcome:
    """What one benchmark did."""

    name: str
    seconds: float
    code: int
    rows: tuple[Row, ...]


def run(benchmark: Benchmark, arguments: Sequence[str]) -> Outcome:
    """Run one, which shows its rows as they come."""
    command = [sys.executable, str(HERE / f"bench_{benchmark.name}.py"), *arguments]
    print(f"== {benchmark.name}: {benchmark.shows}", flush=True)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        handed = Path(folder) / "rows"
        handed.touch()
        environment = os.environ | {HANDED: str(handed), "PYTHONPATH": str(HERE.parent)}
        code = subprocess.run(command, env=environment, check=False).returncode
        lines = handed.read_text(encoding="utf-8").splitlines()
    seconds = round(time.perf_counter() - began, 1)
    return Outcome(benchmark.name, seconds, code, tuple(Row(**json.loads(each)) for each in lines))


def last(text: str) -> dict[Key, float]:
    """What each row of a kept table took."""
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(HEAD) and cells[3][:1].isdigit():
            found[cells[0], cells[1], cells[2]] = float(cells[3].split()[0].replace(",", ""))
    return found


def change(row: Row, before: float | None) -> str:
    """By how much more or less of its unit a row took than the last time; marked if far more."""
    if before is None:
        return "new"
    ratio = row.took / before if before else 1.0
    return f"{(ratio - 1) * 100:+.0f} %" + (" slower" if ratio > SLOWER else "")


def table(outcomes: Sequence[Outcome], before: Mapping[Key, float]) -> Iterator[tuple[str, ...]]:
    """A row of cells for each measured row."""
    for each in outcomes:
        for row in each.rows:
            yield (
                each.name,
                row.what,
                row.size,
                shown(row.took, row.unit),
                row.beside,
                row.times_shown,
                row.goal,
                change(row, before.get((each.name, row.what, row.size))),
            )


def page(cells: Sequence[tuple[str, ...]], outcomes: Sequence[Outcome]) -> str:
    """The table in Markdown, under a line on when and on what it was measured."""
    minutes = sum(each.seconds for each in outcomes) / 60
    said = [f"{datetime.now(UTC):%Y-%m-%d}", f"{os.cpu_count()} cores ({platform.machine()})"]
    said += [f"Python {platform.python_version()}", f"load {os.getloadavg()[0]:.1f} at the end"]
    told = f"Measured {', '.join(said)}, by `python bench/all.py`, in {minutes:.0f} minutes."
    failed = [each.name for each in outcomes if each.code]
    told += f" Failed, some rows are missing: {', '.join(failed)}." if failed else ""
    lines = [" | ".join(each).join(("| ", " |")) for each in (HEAD, ("---",) * len(HEAD), *cells)]
    return "\n".join(["# What the benchmarks measured last", "", told, "", *lines, ""])


def aligned(cells: Sequence[tuple[str, ...]]) -> str:
    """The table for a terminal."""
    rows = [HEAD, *cells]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def with_what_they_need() -> list[Benchmark]:
    """All benchmarks but those whose packages are missing, which are told."""
    for each in BENCHMARKS:
        if each.missing:
            print(f"== {each.name}: left out, as {', '.join(each.missing)} is missing", flush=True)
    return [each for each in BENCHMARKS if not each.missing]


def main() -> None:
    """Run those that are named, or all."""
    known = {each.name: each for each in BENCHMARKS}
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--full", action="store_true", help="the full size of every benchmark")
    sizes.add_argument("--small", action="store_true", help="see only that they run")
    parser.add_argument("--keep", action="store_true", help=f"put the table into {KEPT.name}")
    given = parser.parse_args()
    unknown = set(given.names) - known.keys()
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are: {', '.join(known)}")
    if given.keep and (given.names or given.small):
        parser.error("a table that is kept has all benchmarks at their usual or full size")
    chosen = [known[name] for name in given.names] or with_what_they_need()
    before = last(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    outcomes = [run(each, each.sized(small=given.small, full=given.full)) for each in chosen]
    cells = list(table(outcomes, before))
    print(f"\n{aligned(cells)}")
    if given.keep:
        KEPT.write_text(page(cells, outcomes), encoding="utf-8")
    print("\n" + ", ".join(f"{each.name} {each.seconds:.0f} s" for each in outcomes))
    failed = [each.name for each in outcomes if each.code]
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
