"""Matching on one core, in one process, in two, on a Dask cluster of two; and resumed.

    python bench/bench_engine.py [--updates N] [--matcher NAME] [--dask] [--repeats N]

The texts are those of `bench_matching.py`, in tables on disk. First all pairs are asserted to be
the same, bit for bit. Then matching is timed in turns, by the clock and by processor seconds, those
of the workers included; speed-up is against one core. The processes are there before the clock
runs, but every turn asks for another threshold, so that nobody has the nuggets ready. On a machine
with other work the processor seconds tell more than the clock: `at most` is the speed-up by those
of this process and of the worker with most to do.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1]))


from bench.bench_matching import NUGGET_WORDS, UPDATE_WORDS, texts, vocabulary
from bench.rows import Row, tell
from tseval.families.temporal.files import READERS
from tseval.io.tables import read
from tseval.matching.in_units import match_in_units
from tseval.matching.matching import get_matcher
from tseval.parallel.engine import Engine, Unit
from tseval.parallel.sharing import Sharing, choose

TOPICS, NUGGETS, THRESHOLD = 4, 1_000, 0.55
START = 1_700_006_400
"""Unix seconds of the first row."""
ONE_CORE = "one core"
GAIN = 1.7
"""The goal of two processes with two million updates."""


def write(path: Path, kind: str, rows: list[str]) -> None:
    """A plain table with the rows spread over the topics, one topic after the other."""
    share = -(-len(rows) // TOPICS)
    lines = [
        f"t{at // share}\t{kind[0]}{at}\t{START + at}\t{text}\n" for at, text in enumerate(rows)
    ]
    path.write_text(f"topic\t{kind}_id\ttime\ttext\n" + "".join(lines))


def processor_seconds(_: Unit) -> tuple[int, float]:
    """How long the process that is asked has computed."""
    time.sleep(0.3)  # so that each process gets one
    return os.getpid(), sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


class Table:
    """What is matched, in memory and on disk."""

    def __init__(self, folder: Path, updates: int, matcher: str) -> None:
        random = np.random.default_rng(20130401)
        words = vocabulary(random)
        files = folder / "updates.tsv", folder / "nuggets.tsv"
        write(files[1], "nugget", texts(random, words, TOPICS * NUGGETS, NUGGET_WORDS))
        write(files[0], "update", texts(random, words, updates, UPDATE_WORDS))
        self.updates = read([files[0]], READERS["updates"]).frame
        self.nuggets = read([files[1]], READERS["nuggets"]).frame
        self.matcher = get_matcher(matcher)

    def match(self, engine: Engine, *, turn: int = 0, resume: bool = False) -> pl.DataFrame:
        """All pairs; in each turn those that reach a threshold of its own."""
        sharing = Sharing(engine, resume)
        matcher = self.matcher.with_threshold(THRESHOLD + turn / 1000)
        return match_in_units(matcher, self.updates, self.nuggets, sharing)


class Taken(NamedTuple):
    """Seconds by the clock; of processors, here and in each worker."""

    clock: float
    here: float
    workers: list[float]

    @property
    def processor(self) -> float:
        """The processor seconds of all."""
        return self.here + sum(self.workers)

    @property
    def longest(self) -> float:
        """How long it takes at least: what is done here, and the worker that has most to do."""
        return self.here + max(self.workers, default=0.0)


def processors(engine: Engine, jobs: int) -> dict[int, float]:
    """The processor seconds of this process and of the engine's."""
    units = [Unit(str(each)) for each in range(2 * jobs)]
    spent = dict(engine.run(processor_seconds, units)) if jobs > 1 else {}
    return spent | {os.getpid(): sum(resource.getrusage(resource.RUSAGE_SELF)[:2])}


def timed(table: Table, engine: Engine, jobs: int, turn: int) -> Taken:
    """What matching takes."""
    before = processors(engine, jobs)
    started = time.perf_counter()
    table.match(engine, turn=turn)
    clock = time.perf_counter() - started
    spent = {pid: end - before.get(pid, 0) for pid, end in processors(engine, jobs).items()}
    return Taken(clock, spent.pop(os.getpid()), list(spent.values()))


@contextmanager
def on_cores(number: int | None) -> Iterator[None]:
    """With so many cores; matchers share a block among the cores that there are."""
    if number is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:number])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def same(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether all columns are the same, bit for bit."""
    columns = zip(one, other, strict=True)
    return all(a.to_numpy().tobytes() == b.to_numpy().tobytes() for a, b in columns)


def resumed(table: Table, expected: pl.DataFrame, folder: Path) -> tuple[float, float]:
    """Seconds of a run that keeps its pairs, and of the same run afterwards."""
    os.environ["TSEVAL_CACHE"] = str(folder / "cache")
    seconds = []
    for _ in range(2):
        started = time.perf_counter()
        if not same(table.match(choose(), resume=True), expected):
            raise SystemExit("a resumed run finds other pairs")
        seconds.append(time.perf_counter() - started)
    return seconds[0], seconds[1]


def main() -> None:
    """Assert, time, print."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--updates", type=int, default=400_000)
    options.add_argument("--matcher", default="fuzzy")
    options.add_argument("--dask", action="store_true", help="a Dask cluster of two, too")
    options.add_argument("--repeats", type=int, default=3)
    asked = options.parse_args()
    engines: dict[str, tuple[Engine, int]] = {
        ONE_CORE: (choose(), 1),
        "one process": (choose(), 1),
        "two processes": (choose("local", 2), 2),
    }
    if asked.dask:
        engines["dask, two workers"] = (choose("dask", 2), 2)
    with tempfile.TemporaryDirectory() as folder:
        table = Table(Path(folder), asked.updates, asked.matcher)
        expected = table.match(choose())
        for name, (engine, _) in engines.items():
            if not same(table.match(engine), expected):
                raise SystemExit(f"{name}: other pairs than in one process")
        size = f"{asked.matcher}, {asked.updates:,} updates, {len(expected):,} pairs"
        found = {name: [] for name in engines}
        for turn in range(1, asked.repeats + 1):
            for name, (engine, jobs) in engines.items():
                with on_cores(1 if name == ONE_CORE else None):
                    found[name].append(timed(table, engine, jobs, turn))
        for engine, _ in engines.values():
            engine.close()
        base, least = min(found[ONE_CORE]).clock, min(run.processor for run in found[ONE_CORE])
        for name, runs in found.items():
            best, longest = min(runs), min(run.longest for run in runs)
            goal = GAIN if best.workers else None
            if name == ONE_CORE:
                tell(Row(name, size, best.clock))
                continue
            tell(Row(name, size, best.clock, instead=ONE_CORE, other=base, times=goal))
            if best.workers:
                what = f"{name}, of the processor with most to do"
                tell(Row(what, size, longest, instead=ONE_CORE, other=least))
        first, second = resumed(table, expected, Path(folder))
        tell(Row("resumed", size, second, instead="the first time", other=first))


if __name__ == "__main__":
    main()
