"""Streams in blocks and live: ten million updates against a thousand nuggets.

    python bench/bench_streams.py [--sizes 100000 1000000 10000000] [--live 400000] [--each 20000]
                                  [--chart FILE]

For each size a TSV of updates is made, and scored in blocks with `fuzzy` and all measures of the
draft, as a program of its own; its time and its peak memory are told. The smallest size is asserted
first to have the bytes of the whole at once. Then a live stream is followed, its last line asserted
to have the values of the file. `--chart` draws how time and memory grow.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import numpy as np

from bench.rows import Row, tell
from tseval.core.panels import Axis, Line, Panel, Picture

START = 1_700_006_400
"""Unix seconds of the first update."""
NUGGETS, NUGGET_WORDS, UPDATE_WORDS, VOCABULARY = 1000, 8, 20, 20_000
PIECE = 100_000
MIB = 1024**2
MEASURES = "P R Rs T P(updates) P(cost=words)"
AT_ONCE, SINGLY = 100, 1000
"""Updates of a live stream that come together, and then one by one."""
LIVE_GOAL, EACH_GOAL, MEMORY_GOAL = 20_000, 10_000, 3 * 1024 * MIB
"""Updates a second, once each thousand and once each is looked at; and bytes."""


@dataclass(frozen=True)
class Spent:
    """What a program took."""

    seconds: float
    processor: float
    peak: int
    output: bytes


def words(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A vocabulary, and how often each word comes: by Zipf's law."""
    letters = random.integers(97, 123, (VOCABULARY, 9), dtype=np.uint8)
    lengths = random.integers(3, 10, VOCABULARY)
    names = [row[:n].tobytes().decode() for row, n in zip(letters, lengths, strict=True)]
    weight = 1 / np.arange(1, VOCABULARY + 1)
    return np.array(names), weight / weight.sum()


def texts(random: np.random.Generator, number: int, length: int, known: tuple) -> list[str]:
    """Texts of so many words each."""
    names, weight = known
    drawn = names[random.choice(VOCABULARY, (number, length), p=weight)]
    return [" ".join(row) for row in drawn.tolist()]


def make(folder: Path, size: int) -> tuple[Path, Path]:
    """Updates one a second, and nuggets; the smaller files are the beginning of the larger."""
    random = np.random.default_rng(0)
    known = words(random)
    gold, updates = folder / "nuggets.tsv", folder / f"updates{size}.tsv"
    with gold.open("w") as file:
        file.write("topic\tnugget_id\ttime\ttext\n")
        for at, text in enumerate(texts(random, NUGGETS, NUGGET_WORDS, known)):
            file.write(f"t\tn{at}\t{START + at * 60}\t{text}\n")
    with updates.open("w") as file:
        file.write("run\ttopic\tupdate_id\ttime\ttext\n")
        for start in range(0, size, PIECE):
            block = texts(random, min(PIECE, size - start), UPDATE_WORDS, known)
            lines = (
                f"a\tt\tu{start + i}\t{START + start + i}\t{text}\n" for i, text in enumerate(block)
            )
            file.write("".join(lines))
    return updates, gold


def run(*arguments: object, stdin: Path | None = None) -> Spent:
    """Run the program; its time, and what the kernel says that it took."""
    command = [sys.executable, "-m", "tseval", *map(str, arguments)]
    began = time.perf_counter()
    with (
        (stdin or Path(os.devnull)).open("rb") as source,
        tempfile.TemporaryFile() as out,
        subprocess.Popen(command, stdin=source, stdout=out) as running,
    ):
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        output = out.read()
    if running.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {running.returncode}")
    seconds = time.perf_counter() - began
    return Spent(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output)


def in_blocks(folder: Path, sizes: list[int]) -> list[dict[str, float]]:
    """Score each size, and tell what it took."""
    rows = []
    for size in sizes:
        updates, gold = make(folder, size)
        arguments = ("score", updates, gold, "-m", MEASURES, "-f", "csv", "--quiet")
        spent = run(*arguments, "--in-blocks", 65_536)
        if size == min(sizes):
            expect(spent.output == run(*arguments).output, "blocks are the whole")
        rows.append(
            {"updates": size, "seconds": spent.seconds, "cpu": spent.processor, "peak": spent.peak}
        )
        tell(Row("in blocks", f"{size:,} updates", spent.seconds))
        tell(Row("in blocks, of the processor", f"{size:,} updates", spent.processor))
        peak, most = spent.peak / MIB, MEMORY_GOAL / MIB
        tell(Row("in blocks, memory", f"{size:,} updates", peak, "MiB", most=most))
        updates.unlink()
    return rows


def live(folder: Path, number: int) -> None:
    """Follow a stream as fast as it goes."""
    updates, gold = make(folder, number)
    lines = folder / "updates.jsonl"
    with updates.open() as table, lines.open("w") as out:
        names = next(table).rstrip("\n").split("\t")
        for row in table:
            out.write(
                json.dumps(dict(zip(names, row.rstrip("\n").split("\t"), strict=True))) + "\n"
            )
    state = folder / "state"
    spent = run(
        *("score", "--follow", gold, "-m", MEASURES, "--every", 1000, "--state", state), stdin=lines
    )
    told = json.loads(spent.output.splitlines()[-1])
    whole = json.loads(run("score", updates, gold, "-m", MEASURES, "-f", "json").output)
    means = [record for record in whole["records"] if record["topic"] == "all"]
    expect(told["records"] == means, "the stream is the file")
    size = f"{number:,} updates"
    tell(Row("live, --every 1000", size, spent.seconds, most=number / LIVE_GOAL))
    tell(Row("live, its state", size, state.stat().st_size / MIB, "MiB"))
    tell(Row("live, memory", size, spent.peak / MIB, "MiB"))


def live_at_each(folder: Path, number: int) -> None:
    """Follow a stream and look at the measures after each update; start-up is taken away."""
    updates, gold = make(folder, number)
    lines, first = folder / "each.jsonl", folder / "first.jsonl"
    with updates.open() as table:
        names = next(table).rstrip("\n").split("\t")
        rows = [dict(zip(names, row.rstrip("\n").split("\t"), strict=True)) for row in table]
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    first.write_text(json.dumps(rows[0]) + "\n")
    follow = ("score", "--follow", gold, "--every", 1)
    spent, start = run(*follow, stdin=lines), run(*follow, stdin=first)
    told = json.loads(spent.output.splitlines()[-1])
    whole = json.loads(run("score", updates, gold, "-f", "json").output)
    means = [record for record in whole["records"] if record["topic"] == "all"]
    expect(told["records"] == means, "the stream is the file")
    took = spent.processor - start.processor
    what = "live, --every 1, of the processor"
    tell(Row(what, f"{number:,} updates", took, most=number / EACH_GOAL))
    one_by_one(lines.read_bytes().splitlines(keepends=True), follow)


def one_by_one(lines: list[bytes], follow: tuple[object, ...]) -> None:
    """Send each line when the one before was answered; what each takes by itself.

    The first come at once, until each more changes the precision, and so is answered.
    """
    command = [sys.executable, "-m", "tseval", *map(str, follow)]
    singly = lines[AT_ONCE : AT_ONCE + SINGLY]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        sent, answers = cast("IO[bytes]", running.stdin), cast("IO[bytes]", running.stdout)
        sent.write(b"".join(lines[:AT_ONCE]))
        sent.flush()
        while json.loads(answers.readline()).get("updates") != AT_ONCE:
            pass
        before, waited = processor_of(running.pid), []
        for line in singly:
            began = time.perf_counter()
            sent.write(line)
            sent.flush()
            answers.readline()
            waited.append(time.perf_counter() - began)
        spent = processor_of(running.pid) - before
        sent.close()
        answers.read()
    size = f"{len(singly):,} updates"
    tell(Row("live, one by one, of the processor", size, spent))
    tell(Row("live, one by one, until one is answered", "median", float(np.median(waited))))


def processor_of(pid: int) -> float:
    """The seconds of processor that a running program has taken, as Linux tells them."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def chart(rows: list[dict[str, float]], path: Path) -> None:
    """Time and memory by size, both axes logarithmic."""
    sizes = tuple(float(row["updates"]) for row in rows)
    values = {
        "seconds": tuple(row["seconds"] for row in rows),
        "peak MiB": tuple(row["peak"] / 1024**2 for row in rows),
    }
    every = [value for own in values.values() for value in own]
    panel = Panel(
        "1,000 nuggets, fuzzy",
        "",
        Axis("updates", min(sizes), max(sizes), is_log=True),
        tuple(Line(at, sizes, own) for at, own in enumerate(values.values())),
        Axis("", min(every), max(every), is_log=True),
        is_stepped=False,
        size=(480, 300),
    )
    title = "tseval score --in-blocks"
    Picture(title, "", tuple(values), (panel,), are_runs=False).save(path)


def expect(holds: bool, what: str) -> None:
    """End the benchmark where something does not hold."""
    if not holds:
        raise SystemExit(f"it does not hold that {what}")


def main() -> None:
    """Make the files, run the program, and tell what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--live", type=int, default=400_000)
    parser.add_argument("--each", type=int, default=20_000)
    parser.add_argument("--chart", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        rows = in_blocks(Path(name), given.sizes)
        live(Path(name), given.live)
        live_at_each(Path(name), given.each)
    if given.chart:
        chart(rows, given.chart)


if __name__ == "__main__":
    main()
