"""45 runs x 20 cutoffs x 5 metrics x 3 granularities on the truth of 2012: under 20 seconds.

    python bench/bench_filtering.py [--runs N]

The runs are made by the recipe of the conformance pack, with other thresholds for each. Asserted
first: end points and slopes of some of them are those of a loop over dictionaries and fits of
statsmodels. Then the program is timed, files and all. Beside it the loop is timed on a few series,
from dictionaries that are there; from pairs that are read the program has to be 50 times as fast,
by the time of the processor.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import math
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from statsmodels.regression.linear_model import WLS

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from bench.rows import Row, tell  # noqa: E402
from tests.oracles import filtering as slow  # noqa: E402
from tseval.core.calling import evaluated  # noqa: E402
from tseval.core.registry import measures  # noqa: E402
from tseval.families.filtering.family import (  # noqa: E402
    FAMILY,
    FilterEvaluation,
    FilterInputs,
    FilterOptions,
)
from tseval.families.filtering.trends import Series  # noqa: E402

LIMIT, TIMES = 20.0, 50.0
START, END = 1325376000, 1335916800
METRICS = ("P", "R", "A", "F_pr", "F_pra")
LENGTHS = {"1d": 86400, "7d": 7 * 86400, "30d": 30 * 86400}
CHECKED = ((0, 50), (7, 400))
"""The (run, cutoff) for which the loop is run."""

Rows = dict[tuple[str, str], float]


class Line(NamedTuple):
    """What a loop says of a trend."""

    end: float
    slope: float
    error: float


def conformance() -> Path:
    """The truth of 2012."""
    pack = Path(os.environ.get("TSEVAL_CONFORMANCE") or ROOT.parent / "shared" / "conformance")
    path = pack / "filtering" / "kba2012" / "truth.full.tsv.gz"
    if not path.exists():
        raise SystemExit(f"no truth at {path}: set TSEVAL_CONFORMANCE")
    return path


def judged(path: Path) -> slow.Truth:
    """The judged pairs as a dictionary."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        cells = [line.split() for line in lines if not line.startswith("#")]
    return slow.judge((c[2], c[3], int(c[5])) for c in cells)


def chance(text: str) -> float:
    """A number in [0, 1) made from a string."""
    return int(hashlib.md5(text.encode()).hexdigest()[:13], 16) / 16**13


def made(truth: slow.Truth, number: int) -> Rows:
    """A run that keeps positives less and less, others more and more, to a degree of its own."""
    first, fall, wrong = 0.5 + 0.01 * number, 0.7 - 0.02 * number, 0.02 + 0.002 * number
    kept: Rows = {}
    for (document, entity), positive in truth.items():
        far = (slow.time_of(document) - START) / (END - START)
        if not 0 <= far < 1:
            continue
        share = first - fall * far if positive else wrong * (1 + far)
        if chance(f"run{number}|{document}|{entity}") < share:
            kept[document, entity] = 1 + int(1000 * chance(f"run{number}|c|{document}|{entity}"))
    return kept


def written(run: Rows, path: Path) -> str:
    """The run as a file of the track."""
    lines = (f"team {path.name} {doc} {e} {confidence}\n" for (doc, e), confidence in run.items())
    path.write_text("#{}\n" + "".join(lines), encoding="utf-8")
    return str(path)


def pairs(paths: list[str], truth: Path) -> FilterEvaluation:
    """The files read and their pairs matched, which is what the loop starts from."""
    options = FilterOptions(tuple(LENGTHS), str(START), str(END))
    evaluation: FilterEvaluation = evaluated(FAMILY, FilterInputs(paths, str(truth)), options)
    wanted = measures([f"end({metric})" for metric in METRICS], FAMILY.name)
    return evaluation.prepared_for(wanted, per_topic=False)


def fitted(evaluation: FilterEvaluation) -> FilterEvaluation:
    """Every series counted and fitted, the best cutoffs taken."""
    for length in LENGTHS:
        for metric in METRICS:
            evaluation.index.fitted(metric, length)
    return evaluation


def loop(run: Rows, truth: slow.Truth, cutoff: int) -> Iterator[tuple[str, str, Line]]:
    """The same for one run and cutoff, with dictionaries and a fit for each series."""
    for length, seconds in LENGTHS.items():
        batches = counted(run, truth, cutoff, seconds)
        total = sum(map(sum, (own for batch in batches for own in batch.values())))
        scored = [metrics(batch) for batch in batches]
        for metric in METRICS:
            x, y, w = [], [], []
            for place, (batch, values) in enumerate(zip(batches, scored, strict=True)):
                value, size = values[metric], sum(map(sum, batch.values()))
                if value is not None and size:
                    x.append([1.0, place])
                    y.append(value)
                    w.append(size / total)
            found = WLS(y, np.array(x), weights=w).fit(cov_type="HC3")
            intercept, slope = found.params
            yield metric, length, Line(intercept + slope * (len(batches) - 1), slope, found.bse[1])


Tally = dict[str, list[int]]
"""For each entity of a batch TP, FP and FN."""


def counted(run: Rows, truth: slow.Truth, cutoff: int, seconds: int) -> list[Tally]:
    """What each batch holds, pair by pair."""
    batches: list[Tally] = [{} for _ in range(-(-(END - START) // seconds))]
    for pair, confidence in run.items():
        if confidence >= cutoff and pair in truth:
            batch = batches[(slow.time_of(pair[0]) - START) // seconds]
            batch.setdefault(pair[1], [0, 0, 0])[0 if truth[pair] else 1] += 1
    for pair, positive in truth.items():
        if positive and run.get(pair, -1) < cutoff:
            batch = batches[(slow.time_of(pair[0]) - START) // seconds]
            batch.setdefault(pair[1], [0, 0, 0])[2] += 1
    return batches


def metrics(batch: Tally) -> dict[str, float | None]:
    """The five metrics of a batch."""
    right = [own for own in batch.values() if own[0] + own[2]]
    apt = sum(1 / (1 + fp) for _, fp, _ in batch.values()) / len(batch) if batch else 1.0
    if not right:
        return {"P": None, "R": None, "A": apt, "F_pr": None, "F_pra": apt}
    p = sum(tp / (tp + fp) if tp else 0.0 for tp, fp, _ in right) / len(right)
    r = sum(tp / (tp + fn) for tp, _, fn in right) / len(right)
    both = 2 / (1 / p + 1 / r) if p and r else 0.0
    three = 3 / (1 / p + 1 / r + 1 / apt) if p and r else 0.0
    return {"P": p, "R": r, "A": apt, "F_pr": both, "F_pra": three}


def check(evaluation: FilterEvaluation, runs: list[Rows], truth: slow.Truth) -> float:
    """Assert that both say the same; the processor's seconds of the loop for one series."""
    spent, series = 0.0, 0
    truth = {pair: is_it for pair, is_it in truth.items() if START <= slow.time_of(pair[0]) < END}
    for number, cutoff in CHECKED:
        place = int(np.flatnonzero(evaluation.index.cutoffs == cutoff)[0])
        before = time.process_time()
        lines = list(loop(runs[number], truth, cutoff))
        spent += time.process_time() - before
        series += len(lines)
        for metric, length, line in lines:
            every = evaluation.index.series(metric, length)
            trend = Series(every.value[:, place], every.weight[:, place]).trend
            ours = (trend.end[number], trend.slope[number], trend.slope_error[number])
            if not np.allclose(ours, line, rtol=1e-9, atol=1e-15):
                raise SystemExit(f"run {number}, {metric}, {length}, {cutoff}: {ours}, not {line}")
    return spent / series


def main() -> None:
    """Assert, then time."""
    options = argparse.ArgumentParser()
    options.add_argument("--runs", type=int, default=45)
    given = options.parse_args()
    path = conformance()
    truth = judged(path)
    runs = [made(truth, number) for number in range(given.runs)]
    with tempfile.TemporaryDirectory() as folder:
        paths = [written(run, Path(folder) / f"run{n:02}") for n, run in enumerate(runs)]
        per_series = check(fitted(pairs(paths, path)), runs, truth)
        best, computing = math.inf, math.inf
        for _ in range(3):
            begin = time.perf_counter()
            evaluation = pairs(paths, path)
            own = time.process_time()
            fitted(evaluation)
            computing = min(computing, time.process_time() - own)
            best = min(best, time.perf_counter() - begin)
    series = len(runs) * len(evaluation.index.cutoffs) * len(METRICS) * len(LENGTHS)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = f"{len(runs)} runs, {sum(map(len, runs)):,} pairs, {series:,} series"
    tell(Row("files and all", size, best, most=LIMIT))
    loop = f"a loop, as {len(CHECKED)} of {series // 15} parts took"
    looped = per_series * series
    tell(Row("from pairs on", size, computing, instead=loop, other=looped, times=TIMES))
    tell(Row("memory", size, memory, "MiB"))


if __name__ == "__main__":
    main()
