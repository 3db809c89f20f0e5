"""What 100 million updates against 1,000 nuggets take: measured on less, stage by stage.

    python bench/bench_plan.py [--sizes N...] [--keep FILE] [--write]

The plan is that of the engines: this process reads all updates, a worker matches the texts of a
unit, this process puts the pairs together. Each stage is timed by itself, in a process of its own,
one after the other, so its memory is its own; no cluster is there. Beside it stands `score --in-
blocks`, which never holds more than a block. Seconds are those of processors: the clock of a busy
machine measures the others. What is told of 100 million updates and of eight machines is computed
from that, never measured. Texts have about 25 words of a made-up vocabulary.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

sys.path.insert(0, str(Path(__file__).parents[1]))


from bench.bench_engine import NUGGETS, START, THRESHOLD, TOPICS, write
from bench.bench_matching import NUGGET_WORDS, UPDATE_WORDS, texts, vocabulary
from bench.rows import Row, tell
from tseval.core.family import Access
from tseval.core.scoring import scores_of
from tseval.core.streams import read_in_blocks
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.families.temporal.files import READERS
from tseval.families.temporal.gold import TemporalGold
from tseval.families.temporal.rules import DRAFT
from tseval.io.tables import read
from tseval.matching.in_units import TEXTS, MatchWork, Passage
from tseval.matching.matching import get_matcher, join_pairs
from tseval.parallel.sharing import Sharing

SIZES = (300_000, 1_000_000, 3_000_000)
PART = 250_000
"""So many updates are made, and read in a block, at a time."""
GOAL, MACHINES, CORES = 100_000_000, 8, 2
PAGE = Path(__file__).parents[1] / "docs" / "engines.md"
BEGIN, END = "<!-- the plan: begin -->\n", "<!-- the plan: end -->"
STAGES = {
    "reading": "reading all, by this process",
    "matching": "matching, shared by the workers",
    "joining": "putting pairs together, by this process",
    "blocks": "`score --in-blocks`, all of it",
}
Stage = dict[str, Any]


def made(folder: Path, size: int) -> None:
    """The tables of updates and nuggets."""
    random = np.random.default_rng(20130401)
    words = vocabulary(random)
    write(folder / "nuggets.tsv", "nugget", texts(random, words, TOPICS * NUGGETS, NUGGET_WORDS))
    shares = np.cumsum(1 / np.arange(1, len(words) + 1))
    arrow_words = pa.array(words.tolist())
    with (folder / "updates.tsv").open("w") as file:
        file.write("topic\tupdate_id\ttime\ttext\n")
        for start in range(0, size, PART):
            rows = range(start, min(start + PART, size))
            lengths = np.maximum(random.poisson(UPDATE_WORDS, len(rows)), 1)
            drawn = np.searchsorted(shares / shares[-1], random.random(lengths.sum()))
            ends = pa.array(np.append(0, np.cumsum(lengths)), pa.int32())
            said = pa.ListArray.from_arrays(ends, arrow_words.take(pa.array(drawn)))
            for at, text in zip(rows, pc.binary_join(said, " ").to_pylist(), strict=True):
                file.write(f"t{at * TOPICS // size}\tu{at}\t{START + at}\t{text}\n")


def seconds() -> float:
    """Seconds of this process's processors."""
    return time.process_time()


def peak() -> float:
    """The largest memory of this process, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def shared(folder: Path, size: int) -> list[Stage]:
    """Reading, the work of the units, and joining; memory includes all before it."""
    matcher = get_matcher("fuzzy").with_threshold(THRESHOLD)
    nuggets = read([folder / "nuggets.tsv"], READERS["nuggets"]).frame.select(TEXTS)
    started = seconds()
    updates = read([folder / "updates.tsv"], READERS["updates"]).frame.select(TEXTS)
    rows = [{"stage": "reading", "seconds": seconds() - started, "memory": peak()}]
    step = Sharing().rows_of(size)
    starts = range(0, size, step)
    units = [Passage("updates", at + 1, texts=updates[at : at + step]) for at in starts]
    work = MatchWork(matcher, "", nuggets)
    started = seconds()
    found = [
        pairs.with_columns(pl.col("update") + at)
        for at, pairs in zip(starts, map(work, units), strict=True)
    ]
    rows.append({"stage": "matching", "seconds": seconds() - started})
    started = seconds()
    joined = join_pairs(found)
    rows.append({"stage": "joining", "seconds": seconds() - started, "memory": peak()})
    return [row | {"size": size, "pairs": len(joined), "units": len(units)} for row in rows]


def blocks(folder: Path, size: int) -> list[Stage]:
    """The whole of `score --in-blocks`, by which memory is bounded."""
    inputs = TemporalInputs((), str(folder / "nuggets.tsv"))
    started = seconds()
    gold = TemporalGold(inputs, TemporalOptions(matcher="fuzzy"), DRAFT, {}, Access())
    scores_of(*read_in_blocks(gold, [str(folder / "updates.tsv")], size=PART))
    return [
        {"stage": "blocks", "seconds": seconds() - started, "memory": peak(), "size": size},
    ]


def measured(sizes: list[int], keep: Path) -> list[Stage]:
    """All stages of all sizes, those that `keep` has taken from there."""
    found: list[Stage] = json.loads(keep.read_text()) if keep.exists() else []
    for size in sorted(set(sizes) - {row["size"] for row in found}):
        with tempfile.TemporaryDirectory() as folder:
            made(Path(folder), size)
            for part in ("shared", "blocks"):
                load = os.getloadavg()[0]
                program = [sys.executable, __file__, "--one", part, "--folder", folder]
                done = subprocess.run(
                    [*program, "--sizes", str(size)], stdout=subprocess.PIPE, check=True
                )
                found += [row | {"load": load} for row in json.loads(done.stdout)]
        keep.write_text(json.dumps(found))
        print(f"{size:,} measured", flush=True)
    return found


def slope(rows: list[Stage], stage: str, what: str = "seconds") -> tuple[float, float]:
    """What an update more costs by a line through all sizes; the exponent of the last two."""
    own = sorted((row["size"], row[what]) for row in rows if row["stage"] == stage)
    size, value = map(np.array, zip(*own, strict=True))
    weight = 1 / value  # so that the small sizes count as much as the large ones
    each = float(np.polyfit(size, value, 1, w=weight)[0])
    return each, float(np.log(value[-1] / value[-2]) / np.log(size[-1] / size[-2]))


def table(rows: list[Stage]) -> list[str]:
    """The measured seconds and memory, with what 100 million would take."""
    sizes = sorted({row["size"] for row in rows})
    names = ["stage", *(f"{size:,}" for size in sizes), "exponent", "100,000,000 (computed)"]
    lines = [f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]
    for stage, label in STAGES.items():
        for what, unit, scale in (("seconds", "s", 1), ("memory", "GiB", 2**30)):
            own = {r["size"]: r[what] / scale for r in rows if r["stage"] == stage and what in r}
            if own:
                each, exponent = slope(rows, stage, what)
                cells = [f"{own[at]:.2f} {unit}" if at in own else "" for at in sizes]
                cells += [f"{exponent:.2f}", f"{each * GOAL / scale:,.0f} {unit}"]
                shown = label if what == "seconds" else f"memory after {stage}"
                lines.append(f"| {shown} | {' | '.join(cells)} |")
    return lines


def told(rows: list[Stage]) -> list[str]:
    """What follows for one machine and for eight, in words."""
    cost = {stage: slope(rows, stage)[0] * GOAL / 60 for stage in STAGES}
    matching, rest = cost["matching"], cost["reading"] + cost["joining"]
    one, own, all_of_them = (rest + matching / each for each in (1, CORES, MACHINES * CORES))
    loads = sorted(row["load"] for row in rows)
    has = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    least = slope(rows, "blocks", "memory")[0] * GOAL / 2**30
    full = has / slope(rows, "joining", "memory")[0] / 1e6
    return [
        f"Measured {datetime.now(UTC):%Y-%m-%d} on {os.cpu_count()} cores, {has / 2**30:.0f} GiB "
        f"({platform.machine()}, Python {platform.python_version()}), load {loads[0]:.0f} to "
        f"{loads[-1]:.0f}, once each: seconds of processors, and the largest memory of the process "
        "until then. The exponent is that of the last two sizes.",
        "",
        f"Computed from these, by lines through all sizes, for {GOAL:,} updates: {one:.0f} minutes "
        f"with one worker, {own:.0f} with {CORES}, {all_of_them:.0f} with {MACHINES * CORES}, as "
        f"{MACHINES} such machines have. These are the least, for nothing is in them that goes "
        f"over a network, and no waiting. {rest:.1f} minutes stay however many workers there are: "
        "one process reads and puts together. From "
        f"{matching / rest:.0f} workers on that is half of it. All updates lie in the memory of "
        f"this process, which {full:.0f} million would fill here. `--in-blocks` takes "
        f"{cost['blocks']:.0f} minutes in one process, and {least:.0f} GiB.",
    ]


def main() -> None:
    """Measure, print, and write if asked to."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    options.add_argument("--keep", type=Path, help="measurements: taken from there, added there")
    options.add_argument("--write", action="store_true", help="put the table into docs/engines.md")
    options.add_argument("--one", choices=("shared", "blocks"), help=argparse.SUPPRESS)
    options.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.one:
        part = shared if asked.one == "shared" else blocks
        print(json.dumps(part(asked.folder, asked.sizes[0])))
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = measured(asked.sizes, asked.keep or Path(folder) / "measured.json")
    lines = [*table(rows), "", *told(rows)]
    print("\n".join(lines))
    for row in rows:
        if row["size"] == max(asked.sizes):
            size = f"{row['size']:,} updates"
            tell(Row(STAGES[row["stage"]].replace("`", ""), size, row["seconds"]))
            if "memory" in row:
                tell(Row(f"memory after {row['stage']}", size, row["memory"] / 2**20, "MiB"))
    if asked.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        PAGE.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
