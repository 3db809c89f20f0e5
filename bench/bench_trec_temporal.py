"""Two real runs of TREC Temporal Summarization 2014, alone and many times over.

    python bench/bench_trec_temporal.py [--data FOLDER] [--copies 45] [--sizes 21000,111200,1112000]
        [--script FILE --script-edition ts2015]

FOLDER is the folder of 2014 in the conformance pack, by default beside this checkout. First the
official table must come out of both. Then: one process for the two runs, beside one that imports
pandas and ends; and one for a file of about 980,000 lines, in which each run stands under many
names, beside `pandas.read_csv` of that file: as a process that imports pandas and reads it, and as
the call alone. The two ratios differ a lot where pandas reads with several threads, as 3.1 does.

Last, runs of so many lines as `--sizes` says: one run and thirty, their fields divided by single
blanks, by tabs, by several of both, and compressed. FILE is the script of 2014 or 2015, made to run
on this Python: it takes turns with tseval, where it can read the lines, and has to print the same
rows of topics and runs. Each row has the time of processor, of the clock, and the largest memory.
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.rows import Row, tell

BESIDE = Path(__file__).parents[2] / "shared" / "conformance" / "temporal" / "2014"
ROUNDS = 5
SLOWER_BY, TIMES_PANDAS, MOST_BYTES = 0.6, 4.0, 0.5e9
IMPORT = "import pandas"
READ = "import pandas; pandas.read_csv({0!r}, sep=' ', header=None)"


SIZES = (21_000, 111_200, 1_112_000)
FASTER, LEANER = {21_000: 1.0, 1_112_000: 5.0}, {1_112_000: 2.0}
"""The goals: how many times less than the script takes."""


class Took(NamedTuple):
    """What a process took, in seconds and bytes."""

    processor: float
    clock: float
    memory: int


def measured(command: Sequence[str], rounds: int) -> tuple[float, int]:
    """The shortest time of a process, in seconds, and the most memory it held, in bytes."""
    found = [took(command) for _ in range(rounds)]
    return min(each.clock for each in found), max(each.memory for each in found)


def took(command: Sequence[str]) -> Took:
    """What a process takes that has to succeed."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    clock = time.perf_counter() - begin
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"failed: {' '.join(command)}")
    return Took(usage.ru_utime + usage.ru_stime, clock, usage.ru_maxrss * 1024)


def score(data: Path, runs: Sequence[Path], out: Path, edition: str = "ts2014") -> list[str]:
    """The command that scores runs and writes the official table."""
    return [
        *(sys.executable, "-m", "tseval", "score", *map(str, runs), str(data / "nuggets.tsv.gz")),
        *("--matches", str(data / "matches.tsv.gz"), "--edition", edition, "--quiet"),
        *("--pool", str(data / "updates_sampled.tsv.gz"), "-f", "trec-ts", "-o", str(out)),
    ]


def copied(runs: Sequence[Path], copies: int, target: Path) -> int:
    """Write each run under many names into one file; the number of its lines."""
    lines = [line for run in runs for line in gzip.decompress(run.read_bytes()).splitlines()]
    fields = [line.split(b" ", 3) for line in lines]
    with target.open("wb") as stream:
        for copy in range(copies):
            name = b"_%02d" % copy
            stream.writelines(b" ".join([q, t, r + name, rest]) + b"\n" for q, t, r, rest in fields)
    return len(lines) * copies


def rows(table: Path) -> dict[tuple[str, str], list[str]]:
    """The rows of topics and runs by topic and run."""
    split = [line.split("\t") for line in table.read_text().splitlines()]
    return {(row[0], row[2]): row[3:] for row in split if row[1] == "cunlp"}


def seconds_of_the_call(path: Path) -> float:
    """The shortest time of `pandas.read_csv` itself, in a process that has imported pandas."""
    import pandas

    def once() -> float:
        begin = time.perf_counter()
        pandas.read_csv(path, sep=" ", header=None)
        return time.perf_counter() - begin

    return min(once() for _ in range(ROUNDS))


# Runs of many lines beside the script.


def with_blanks(line: bytes, _: int) -> bytes:
    """A line as it is: single blanks between the fields."""
    return line


def with_tabs(line: bytes, _: int) -> bytes:
    """Tabs between the fields."""
    return line.replace(b" ", b"\t")


def mixed(line: bytes, number: int) -> bytes:
    """Several blanks, tabs, and in every third line one more at the end."""
    first, rest = line.split(b" ", 1)
    rest = rest.replace(b" ", b"\t", 1 + number % 3)
    return first + b"  " + rest + (b"" if number % 3 else b" ")


DIVIDED: dict[str, Callable[[bytes, int], bytes]] = {
    "single blanks": with_blanks,
    "tabs": with_tabs,
    "mixed blanks": mixed,
    "gzip": with_blanks,
}


def many_lines(run: Path, lines: int, runs: int) -> Iterator[bytes]:
    """So many lines of so many runs: a real run's over and over, sentences renumbered each time."""
    fields = [line.split(b" ", 5) for line in gzip.decompress(run.read_bytes()).splitlines()]
    for number in range(lines):
        at = number * runs // lines
        turn, row = divmod(number - at * lines // runs, len(fields))
        topic, team, name, document, sentence, rest = fields[row]
        sentence = b"%d" % (int(sentence) + 100_000 * turn)
        yield b" ".join([topic, team, b"%s_%02d" % (name, at), document, sentence, rest])


def write_lines(run: Path, lines: int, runs: int, kind: str, target: Path) -> None:
    """Such a file, its fields divided as the kind says."""
    opened = gzip.open(target, "wb", 6) if kind == "gzip" else target.open("wb")
    with opened as stream:
        for number, line in enumerate(many_lines(run, lines, runs)):
            stream.write(DIVIDED[kind](line, number) + b"\n")


def bare(found: dict[tuple[str, str], list[str]]) -> dict[tuple[str, str], list[str]]:
    """The rows by topics without the prefix of the year, which the script of 2015 takes away."""
    return {(topic.rpartition(".")[2], run): row for (topic, run), row in found.items()}


class Script(NamedTuple):
    """The official script as it can be run here, and the edition that computes the same."""

    path: Path
    edition: str

    def command(self, folder: Path, run: Path) -> list[str]:
        """What scores a run; it reads no compressed files."""
        tables = [folder / f"{name}.tsv" for name in ("nuggets", "updates_sampled", "matches")]
        given = (
            text
            for flag, path in zip("num", tables, strict=True)
            for text in (f"-{flag}", str(path))
        )
        return [sys.executable, str(self.path), *given, str(run)]

    def rows(self, folder: Path, run: Path) -> dict[tuple[str, str], list[str]]:
        """What it prints for topics and runs."""
        printed = folder / "script.tsv"
        with printed.open("wb") as stream:
            subprocess.run(self.command(folder, run), check=True, stdout=stream)
        return bare(rows(printed))


def tell_beside(size: str, lines: int, ours: Took, theirs: Took | None) -> None:
    """The rows of one file."""
    instead = "" if theirs is None else "the script"
    for what, mine, other, unit, goal in zip(
        ("processor", "clock", "memory"),
        (ours.processor, ours.clock, ours.memory / 1e6),
        (None,) * 3 if theirs is None else (*theirs[:2], theirs.memory / 1e6),
        ("s", "s", "MB"),
        (FASTER, FASTER, LEANER),
        strict=True,
    ):
        times = None if theirs is None else goal.get(lines)
        tell(Row(what, size, mine, unit, instead, other, times=times))


def beside_the_script(
    data: Path, folder: Path, sizes: Sequence[int], script: Script | None
) -> None:
    """Each kind of file of each size, by turns with the script where it can read it."""
    for name in ("nuggets", "updates_sampled", "matches"):
        packed = data / f"{name}.tsv.gz"
        (folder / f"{name}.tsv").write_bytes(gzip.decompress(packed.read_bytes()))
    run, out = min(data.glob("runs/*.gz")), folder / "out.tsv"
    for lines in sizes:
        for runs, kind in [(1, kind) for kind in DIVIDED] + [(30, "single blanks")]:
            path = folder / ("lines.txt.gz" if kind == "gzip" else "lines.txt")
            write_lines(run, lines, runs, kind, path)
            theirs = script if kind != "gzip" else None
            command = score(data, [path], out, "ts2014" if script is None else script.edition)
            if theirs is not None:
                subprocess.run(command, check=True)
                same = bare(rows(out)) == theirs.rows(folder, path)
                require(same, f"the script has other rows for {lines:,} lines with {kind}")
            turns = [
                (took(command), theirs and took(theirs.command(folder, path)))
                for _ in range(ROUNDS if lines < max(SIZES) else 2)
            ]
            ours, others = zip(*turns, strict=True)
            named = f"{lines:,} lines of {runs} run{'s' * (runs > 1)}, {kind}"
            tell_beside(named, lines, least(ours), None if theirs is None else least(others))
            path.unlink()


def least(found: Sequence[Took]) -> Took:
    """The least of everything, as a busy machine makes all of it more."""
    return Took(*map(min, zip(*found, strict=True)))


def require(fact: bool, what: str) -> None:
    """End with a sentence where something is not so."""
    if not fact:
        raise SystemExit(what)


def main() -> None:
    """Assert the results, then time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=BESIDE)
    parser.add_argument("--copies", type=int, default=45)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--script", type=Path)
    parser.add_argument("--script-edition", default="ts2014")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",") if size]
    script = given.script and Script(given.script, given.script_edition)
    runs = sorted(given.data.glob("runs/*.gz"))
    with tempfile.TemporaryDirectory() as folder:
        out, many = Path(folder) / "out.tsv", Path(folder) / "many.txt"
        lines = copied(runs, given.copies, many)
        one, large = score(given.data, runs, out), score(given.data, [many], out)

        subprocess.run(one, check=True)
        official = rows(given.data / "expected.2014.tsv")
        require(rows(out) == official, "the official table does not come out")
        subprocess.run(large, check=True)
        copies = rows(out)
        right = all(copies[q, r][:10] == copies[q, f"{r[:-3]}_00"][:10] for q, r in copies)
        named = all(copies[q, f"{r}_00"] == row for (q, r), row in official.items())
        require(right and named, "the copies of a run do not score as the run")

        both, _ = measured(one, ROUNDS)
        pandas, _ = measured([sys.executable, "-c", IMPORT], ROUNDS)
        whole, memory = measured(large, 3)
        read, _ = measured([sys.executable, "-c", READ.format(str(many))], 3)
        many.unlink()
        beside_the_script(given.data, Path(folder), sizes, script)
        copied(runs, given.copies, many)
        call = seconds_of_the_call(many)
    most, size = pandas + SLOWER_BY, f"{lines:,} lines"
    tell(Row("the process", "two runs", both, instead="import pandas", other=pandas, most=most))
    for what, took in (("a process of read_csv", read), ("the call of read_csv alone", call)):
        goal = 1 / TIMES_PANDAS if took == read else None
        tell(Row("the process", size, whole, instead=what, other=took, times=goal))
    tell(Row("memory", size, memory / 1e6, "MB", most=MOST_BYTES / 1e6))


if __name__ == "__main__":
    main()
