"""Every benchmark, one after the other, with what each prints and how long it took.

    python bench/all.py [NAME...] [--json FILE] [--table FILE]

Each benchmark is a program of its own that first asserts its results, then times them beside what a
user would take instead: `cdist` of RapidFuzz, loops over dictionaries, pandas, statsmodels, the
encoding of sentence-transformers. One that fails is told at the end, and the exit code is 1. Those
that take long on full size are run on a smaller one here; `--full` takes the full size. One that
needs packages which are no dependencies of tseval is left out without them, unless it is named.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Benchmark:
    """A program of this folder, what it shows, and how it is run in little time."""

    name: str
    shows: str
    small: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """Packages that tseval does without, and this does not."""

    @property
    def missing(self) -> list[str]:
        """The packages that are not there."""
        return [name for name in self.needs if importlib.util.find_spec(name) is None]


BENCHMARKS = (
    Benchmark("scoring", "reading, the index, the measures and whole curves"),
    Benchmark("matching", "matchers beside cdist"),
    Benchmark("embedding", "encoding, the cache and the comparison of vectors"),
    Benchmark("trec_temporal", "official runs, read and scored"),
    Benchmark("clusters", "a million posts over clusters"),
    Benchmark("incidents", "forty runs of incident streams"),
    Benchmark("filtering", "forty-five runs, swept and followed"),
    Benchmark("changes", "ten runs of change detection over a year"),
    Benchmark("responses", "ten runs of 301 answers with graded nuggets"),
    Benchmark("crisisfacts", "collapsed facts of 115 requests and 18 runs"),
    Benchmark("timelines", "a timeline of twenty days beside tilse", (), ("tilse",)),
    Benchmark("compare", "276 pairs of runs, and more"),
    Benchmark("report", "a page of thirty runs"),
    Benchmark("desk", "the assessors' desk with 20,000 updates"),
    Benchmark("engine", "matching in several processes"),
    Benchmark("plan", "what 100 million updates would take", ("--sizes", "50000", "200000")),
    Benchmark(
        "streams", "blocks and live streams", ("--sizes", "100000", "1000000", "--live", "200000")
    ),
    Benchmark(
        "shared",
        "what ir_measures and ranx compute too",
        ("--runs", "10"),
        ("ir_measures", "pytrec_eval", "ranx"),
    ),
)


@dataclass(frozen=True)
class Outcome:
    """What one benchmark did."""

    name: str
    shows: str
    seconds: float
    code: int
    lines: tuple[str, ...]


def run(benchmark: Benchmark, *, full: bool) -> Outcome:
    """Run one, showing its lines as they come."""
    script = HERE / f"bench_{benchmark.name}.py"
    command = [sys.executable, str(script), *(() if full else benchmark.small)]
    print(f"== {benchmark.name}: {benchmark.shows}", flush=True)
    began, lines = time.perf_counter(), []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        for line in running.stdout or ():
            print(f"   {line}", end="", flush=True)
            lines.append(line.rstrip("\n"))
    seconds = round(time.perf_counter() - began, 1)
    return Outcome(benchmark.name, benchmark.shows, seconds, running.returncode, tuple(lines))


def table(outcomes: list[Outcome]) -> str:
    """The outcomes as a table of Markdown."""
    rows = ["| benchmark | says | seconds |", "| --- | --- | --- |"]
    for each in outcomes:
        said = "<br>".join(line.strip().replace("|", "\\|") for line in each.lines if line.strip())
        rows.append(f"| {each.name} | {said if not each.code else 'failed'} | {each.seconds} |")
    return "".join(f"{row}\n" for row in rows)


def with_what_they_need() -> list[Benchmark]:
    """All benchmarks but those whose packages are missing, which are told."""
    for each in BENCHMARKS:
        if each.missing:
            print(f"== {each.name}: left out, as {', '.join(each.missing)} is missing", flush=True)
    return [each for each in BENCHMARKS if not each.missing]


def main() -> None:
    """Run those that are named, or all."""
    known = {each.name: each for each in BENCHMARKS}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    parser.add_argument("--json", type=Path, help="write the outcomes there")
    parser.add_argument("--table", type=Path, help="write a table of Markdown there")
    parser.add_argument("--full", action="store_true", help="the full size of every benchmark")
    given = parser.parse_args()
    unknown = set(given.names) - known.keys()
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are: {', '.join(known)}")
    chosen = [known[name] for name in given.names] or with_what_they_need()
    outcomes = [run(each, full=given.full) for each in chosen]
    if given.json:
        machine = {"python": platform.python_version(), "machine": platform.machine()}
        content = {"on": machine, "benchmarks": [asdict(each) for each in outcomes]}
        given.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    if given.table:
        given.table.write_text(table(outcomes), encoding="utf-8")
    failed = [each.name for each in outcomes if each.code]
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
