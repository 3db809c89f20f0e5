"""What each command takes on the examples, where nearly all of it is starting: beside two imports.

    python bench/bench_startup.py [NAME...] [--times N]

Every command runs in a process of its own, by turns with `python -c "import numpy, pyarrow"`, which
nothing that reads tables can do without. Told are the least seconds of processor. Each command is
run once before, so that what it needs is compiled and in memory.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.rows import Row, tell
from tests.starts import STARTS, prepare

HERE = Path(__file__).resolve().parents[1]
IMPORTS = "import numpy, pyarrow"
GOALS = {"score": 0.5, "score by a matcher": 0.5, "score by fuzzy": 0.5}
"""The goals: no more than twice the imports."""


def seconds(command: list[str], folder: str) -> float:
    """The seconds of processor that a process takes, which must end well."""
    environment = os.environ | {"PYTHONPATH": str(HERE), "OMP_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as running:
        said = running.stderr.read() if running.stderr else b""
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {running.returncode}:\n{said.decode()}")
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Time those that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(STARTS))
    parser.add_argument("--times", type=int, default=15)
    asked = parser.parse_args()
    unknown = set(asked.names) - STARTS.keys()
    if unknown:
        parser.error(f"no start {', '.join(sorted(unknown))}; there are: {', '.join(STARTS)}")
    names = asked.names or list(STARTS)
    commands = {IMPORTS: [sys.executable, "-c", IMPORTS]}
    for name in names:
        commands[name] = [sys.executable, "-m", "tseval", *STARTS[name].arguments]
    taken: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        for _ in range(asked.times + 1):
            for name, command in commands.items():
                taken[name].append(seconds(command, folder))
    least = {name: min(each[1:]) for name, each in taken.items()}
    for name in names:
        tell(
            Row(
                name,
                "the examples, of the processor",
                least[name],
                instead=IMPORTS,
                other=least[IMPORTS],
                times=GOALS.get(name),
            )
        )


if __name__ == "__main__":
    main()
