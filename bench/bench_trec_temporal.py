"""Two real runs of TREC Temporal Summarization 2014, alone and many times over.

    python bench/bench_trec_temporal.py [--data FOLDER] [--copies 45]

FOLDER is the folder of 2014 in the conformance pack, by default beside this checkout. First the
official table must come out of both. Then: one process for the two runs, beside one that imports
pandas and ends; and one for a file of about 980,000 lines, in which each run stands under many
names, beside `pandas.read_csv` of that file: as a process that imports pandas and reads it, and as
the call alone. The two ratios differ a lot where pandas reads with several threads, as 3.1 does.
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.rows import Row, tell

BESIDE = Path(__file__).parents[2] / "shared" / "conformance" / "temporal" / "2014"
ROUNDS = 5
SLOWER_BY, TIMES_PANDAS, MOST_BYTES = 0.6, 4.0, 0.5e9
IMPORT = "import pandas"
READ = "import pandas; pandas.read_csv({0!r}, sep=' ', header=None)"


def measured(command: Sequence[str], rounds: int) -> tuple[float, int]:
    """The shortest time of a process, in seconds, and the most memory it held, in bytes."""
    best, most = float("inf"), 0
    for _ in range(rounds):
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        best = min(best, time.perf_counter() - begin)
        if os.waitstatus_to_exitcode(status):
            raise SystemExit(f"failed: {' '.join(command)}")
        most = max(most, usage.ru_maxrss * 1024)
    return best, most


def score(data: Path, runs: Sequence[Path], out: Path) -> list[str]:
    """The command that scores runs and writes the official table."""
    return [
        *(sys.executable, "-m", "tseval", "score", *map(str, runs), str(data / "nuggets.tsv.gz")),
        *("--matches", str(data / "matches.tsv.gz"), "--edition", "ts2014", "--quiet"),
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


def require(fact: bool, what: str) -> None:
    """End with a sentence where something is not so."""
    if not fact:
        raise SystemExit(what)


def main() -> None:
    """Assert the results, then time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=BESIDE)
    parser.add_argument("--copies", type=int, default=45)
    given = parser.parse_args()
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
        call = seconds_of_the_call(many)
    most, size = pandas + SLOWER_BY, f"{lines:,} lines"
    tell(Row("the process", "two runs", both, instead="import pandas", other=pandas, most=most))
    for what, took in (("a process of read_csv", read), ("the call of read_csv alone", call)):
        goal = 1 / TIMES_PANDAS if took == read else None
        tell(Row("the process", size, whole, instead=what, other=took, times=goal))
    tell(Row("memory", size, memory / 1e6, "MB", most=MOST_BYTES / 1e6))


if __name__ == "__main__":
    main()
