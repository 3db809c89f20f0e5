"""The index, the measures at time t and their curves; reading; memory; how soon help appears.

    python bench/bench_scoring.py [--small]

Everything is made with a seed. First the values are asserted: at a size that the slow reference
can do, all values of the four measures, and of their curves, must equal its own. Then the full size
(1,000,000 updates, 10,000 nuggets, 1,000,000 matches, 50 topics) is timed, each part beside what a
user would use instead, in this one run. `--small` does a hundredth of it.
"""

from __future__ import annotations

import argparse
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.rows import Row, tell
from tests.cases import read
from tests.oracles import temporal as slow
from tseval.core.curves import curves
from tseval.core.registry import measures
from tseval.core.results import curve, evaluate
from tseval.core.scoring import scores_of
from tseval.families.temporal.evaluation import TemporalEvaluation, TemporalInputs
from tseval.families.temporal.files import read_updates

FIXTURES = Path(__file__).parents[1] / "fixtures"
NAMES = ("P", "R", "Rs", "T")
PERIOD = 10 * 86_400
START = 1_400_000_000


def best(times: int, action: Callable[[], object]) -> float:
    """The shortest of several runs, in seconds."""
    return min(_timed(action) for _ in range(times))


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def make(folder: Path, updates: int, nuggets: int, matches: int, topics: int) -> dict[str, Path]:
    """Tables of these sizes as TSV files; costs, ties and unmatched nuggets among them."""
    random = np.random.default_rng(20130422)
    words = vocabulary(random, 20_000)
    of_update, of_nugget = random.integers(0, topics, updates), random.integers(0, topics, nuggets)
    said = pd.DataFrame(
        {
            "topic": [f"t{t}" for t in of_update],
            "update_id": [f"u{i:07d}" for i in range(updates)],
            "time": START + random.integers(0, PERIOD, updates),
            "text": [" ".join(row) for row in words[_zipf(random, (updates, 20), len(words))]],
        }
    )
    gold = pd.DataFrame(
        {
            "topic": [f"t{t}" for t in of_nugget],
            "nugget_id": [f"n{i:05d}" for i in range(nuggets)],
            "time": START + random.integers(0, PERIOD, nuggets),
            "text": [" ".join(row) for row in words[_zipf(random, (nuggets, 8), len(words))]],
            "importance": random.integers(0, 4, nuggets),
        }
    )
    by_topic = [np.flatnonzero(of_nugget == t) for t in range(topics)]
    update = random.integers(0, updates, matches)
    update = update[[len(by_topic[t]) > 0 for t in of_update[update]]]
    nugget = [by_topic[t][random.integers(len(by_topic[t]))] for t in of_update[update]]
    pairs = pd.DataFrame(
        {
            "topic": said["topic"].to_numpy()[update],
            "update_id": said["update_id"].to_numpy()[update],
            "nugget_id": gold["nugget_id"].to_numpy()[nugget],
        }
    )
    paths = {name: folder / f"{name}.tsv" for name in ("updates", "nuggets", "matches")}
    for name, frame in zip(paths, (said, gold, pairs), strict=True):
        frame.to_csv(paths[name], sep="\t", index=False)
    return paths


def vocabulary(random: np.random.Generator, words: int) -> np.ndarray:
    """Different made-up words, six letters in the mean, as in English text."""
    made: dict[str, None] = {}
    while len(made) < words:
        letters = random.integers(97, 123, np.clip(random.poisson(6), 2, 14))
        made[bytes(letters.astype(np.uint8)).decode()] = None
    return np.array(list(made), dtype=object)


def _zipf(random: np.random.Generator, shape: tuple[int, int], words: int) -> np.ndarray:
    """Places of words, the k-th with weight 1 / k."""
    shares = np.cumsum(1 / np.arange(1, words + 1))
    return np.searchsorted(shares / shares[-1], random.random(shape))


def collection(paths: dict[str, Path]) -> slow.Collection:
    """The same tables for the slow reference."""
    frames = {name: pd.read_csv(path, sep="\t") for name, path in paths.items()}
    return slow.Collection(
        [slow.Update(*row) for row in frames["updates"].itertuples(index=False, name=None)],
        [slow.Nugget(*row) for row in frames["nuggets"].itertuples(index=False, name=None)],
        [slow.Match(*row) for row in frames["matches"].itertuples(index=False, name=None)],
    )


def check_and_compare(folder: Path) -> None:
    """Assert values and curves against the slow reference, then time both."""
    paths = make(folder, updates=400, nuggets=60, matches=400, topics=4)
    known = collection(paths)
    evaluation = read(TemporalInputs([paths["updates"]], paths["nuggets"], paths["matches"]))
    wanted = measures(NAMES)
    scores = scores_of(evaluation, wanted)
    run = scores.runs[0]
    known = slow.Collection(
        [slow.replace(update, run=run) for update in known.updates], known.nuggets, known.matches
    )
    for name in NAMES:
        for topic, expected in slow.score(known, run, slow.parse(name)).items():
            if not _equal(scores.value(name, topic), expected):
                raise SystemExit(
                    f"{name} of {topic}: {scores.value(name, topic)} is not {expected}"
                )
    for drawn in curves(evaluation, wanted, evaluation.index.topics):
        case = slow.select(known, run, drawn.topic)
        for moment, expected in slow.curve(case, slow.parse(drawn.measure))[::7]:
            at = np.searchsorted(drawn.time, moment, "right") - 1
            value = float(drawn.values.value[at]) if drawn.values.defined[at] else None
            if at >= 0 and not _equal(value, expected):
                raise SystemExit(f"{drawn.measure} of {drawn.topic} at {moment} differs")
    cases = [slow.select(known, run, topic) for topic in slow.topics(known)]
    slowly = _timed(lambda: [slow.curve(c, slow.parse(name)) for c in cases for name in NAMES])
    fast = best(5, lambda: _compute(evaluation))
    what = "values and curves"
    tell(Row(what, "400 updates", fast, instead="the slow reference", other=slowly, times=200))


def _equal(fast: float | None, expected: slow.Value) -> bool:
    if fast is None or expected is None:
        return fast is expected
    return math.isclose(fast, float(expected), rel_tol=1e-9, abs_tol=1e-12)


def _compute(evaluation: TemporalEvaluation) -> None:
    """All four measures and their complete curves, from the rows of the index."""
    wanted = measures(NAMES)
    evaluate(evaluation.index, wanted, evaluation.starts)
    for measure in wanted:
        curve(evaluation.index, measure, evaluation.starts)


def full_size(folder: Path, scale: int) -> None:
    """Time the full size: computing, reading, memory."""
    sizes = {"updates": 1_000_000, "nuggets": 10_000, "matches": 1_000_000}
    paths = make(folder, **{name: size // scale for name, size in sizes.items()}, topics=50)
    sources = TemporalInputs([paths["updates"]], paths["nuggets"], paths["matches"])
    evaluation = read(sources)
    seconds = best(3, lambda: _compute(evaluation))
    size = f"{len(evaluation.pairs):,} matches"
    tell(Row("4 measures, 4 curves", size, seconds, most=3))
    reading(paths["updates"], f"{sizes['updates'] // scale:,} updates")
    megabytes = sum(path.stat().st_size for path in paths.values()) / 1e6
    program = [sys.executable, "-m", "tseval", "score", *map(str, paths.values())]
    program = [*program[:5], str(paths["nuggets"]), "--matches", str(paths["matches"]), "--quiet"]
    peak = peak_memory(program)
    what, files = "memory of `tseval score`, interpreter included", f"{megabytes:.0f} MB of files"
    tell(Row(what, files, peak, "MB", most=4 * megabytes))


def reading(path: Path, size: str) -> None:
    """Time reading, as a program from its start to its end and as a call that is repeated."""
    pandas = f"import pandas; pandas.read_csv({str(path)!r}, sep='\\t')"
    module = "tseval.families.temporal.files"
    tseval = f"from {module} import read_updates; read_updates([{str(path)!r}])"
    theirs, ours = (best(5, lambda code=code: python("-c", code)) for code in (pandas, tseval))
    what = "reading as a program, every check, ids coded"
    tell(Row(what, size, ours, instead="pandas", other=theirs, times=0.5))
    theirs = best(5, lambda: pd.read_csv(path, sep="\t"))
    ours = best(5, lambda: read_updates([path]))
    as_text = best(3, lambda: pd.read_csv(path, sep="\t", dtype=str))
    tell(Row("the repeated call", size, ours, instead="read_csv", other=theirs))
    what = "the repeated call, beside texts"
    tell(Row(what, size, ours, instead="read_csv(dtype=str)", other=as_text))


def python(*arguments: str) -> None:
    """Run this Python to its end."""
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)


def peak_memory(command: list[str]) -> float:
    """The largest resident memory of a program, in megabytes."""
    code = (
        "import resource, subprocess, sys; "
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, check=True)
    return int(done.stdout) / 1e3


def starting() -> None:
    """How soon `tseval --help` and the scores of the fixtures are there, beside imports alone."""
    click = best(15, lambda: python("-c", "import click"))
    ours = best(15, lambda: python("-m", "tseval", "--help"))
    other = "import click"
    tell(Row("tseval --help", "", ours, instead=other, other=click, most=0.15, times=1 / 2.5))
    run, gold = (str(FIXTURES / name) for name in ("runs/swift.tsv", "nuggets.tsv"))
    needed = best(15, lambda: python("-c", "import numpy, pyarrow"))
    ours = best(15, lambda: python("-m", "tseval", "score", run, gold, "--quiet"))
    other = "import numpy, pyarrow"
    tell(Row("tseval score", "a run of the fixtures", ours, instead=other, other=needed, times=0.5))


def main() -> None:
    """Check, then time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a hundredth of the size")
    given = parser.parse_args()
    scale = 100 if given.small else 1
    with tempfile.TemporaryDirectory() as folder:
        check_and_compare(Path(folder))
        full_size(Path(folder), scale)
    starting()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    tell(Row("memory of all of this", f"{1_000_000 // scale:,} updates", peak, "MB"))


if __name__ == "__main__":
    main()
