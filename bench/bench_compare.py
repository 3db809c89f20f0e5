"""All pairs of 24 runs on 15 topics, by each test: under 20 seconds each.

    python bench/bench_compare.py [--runs N] [--topics N] [--measures N] [--test TEST ...]
        [--scores FILE]

p values are asserted first: those of the exact test against all ways to swap two runs, one by one,
on topics few enough for that; and Student's against the formula. Then the time is taken from the
scores in memory to the whole comparison, the best of three, by the clock and of the processor,
which alone can be told where others work on the same machine. FILE, such as the official scores of
2014, is read and compared as well.
"""

from __future__ import annotations

import argparse
import resource
import time
from itertools import product

import numpy as np
import polars as pl
from scipy.stats import ttest_rel

from bench.rows import Row, tell
from tseval.comparison import Plan, build_board
from tseval.comparison.board import Board, TopicScores, read_scores
from tseval.comparison.runs import compare_board
from tseval.io.inputs import InputRecord
from tseval.statistics.paired import TESTS

LIMIT = 20.0


def made(runs: int, topics: int, measures: int) -> TopicScores:
    """Scores in [0, 1] with four decimals; run i is a little better than i+1."""
    rng = np.random.default_rng(0)
    difficulty = rng.beta(2, 3, (1, topics, measures))
    skill = np.linspace(0.15, 0, runs)[:, None, None]
    noise = rng.normal(0, 0.08, (runs, topics, measures))
    values = np.round(np.clip(difficulty + skill + noise, 0, 1), 4)
    place = np.indices(values.shape).reshape(3, -1)
    names = [[f"{kind}{i}" for i in range(n)] for kind, n in zip("rtm", values.shape, strict=True)]
    ids = zip(("run", "topic", "measure"), names, place, strict=True)
    columns = {name: [each[i] for i in codes] for name, each, codes in ids}
    source = InputRecord("made here", lambda: "0" * 64, values.size)
    return TopicScores(pl.DataFrame({**columns, "value": values.ravel()}), (source,))


def check() -> None:
    """Nine topics: every p value against its definition."""
    board = build_board(made(4, 9, 1))
    values = board.values[:, :, 0]
    found = {test: compare_board(board, Plan(test=test)) for test in TESTS}
    signs = np.array(list(product((1, -1), repeat=9)))
    for each in found["randomisation"].contests:
        d = values[board.runs.index(each.run)] - values[board.runs.index(each.other)]
        expected = (np.abs(signs @ d) >= abs(d.sum()) - 1e-9).mean()
        if each.p is None or abs(each.p - expected) > 1e-12:
            raise SystemExit(f"randomisation of {each.run}, {each.other}: {each.p}, not {expected}")
        student = found["t"].contest(each.measure, each.run, each.other).p
        first, second = (values[board.runs.index(run)] for run in (each.run, each.other))
        formula = ttest_rel(first, second)
        if student is None or abs(student - formula.pvalue) > 1e-12:
            raise SystemExit(f"t of {each.run}, {each.other}: {student}, not {formula.pvalue}")


def timed(board: Board, plan: Plan) -> tuple[float, float]:
    """The seconds that a comparison takes, the best of three by the clock and of the processor."""
    clock, processor = [], []
    for _ in range(3):
        start, worked = time.perf_counter(), time.process_time()
        compare_board(board, plan)
        clock.append(time.perf_counter() - start)
        processor.append(time.process_time() - worked)
    return min(clock), min(processor)


def report(what: str, board: Board, plan: Plan) -> None:
    """Time one comparison."""
    runs = len(board.runs)
    pairs = runs * (runs - 1) // 2 * len(board.measures)
    seconds, worked = timed(board, plan)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = f"{pairs:,} pairs, {what}"
    tell(Row(plan.test, size, seconds, most=LIMIT if pairs <= 276 else None))
    tell(Row(f"{plan.test}, of the processor", size, worked))
    tell(Row(f"{plan.test}, memory until then", size, memory, "MiB"))


def main() -> None:
    """Assert, then time."""
    options = argparse.ArgumentParser()
    options.add_argument("--runs", type=int, default=24)
    options.add_argument("--topics", type=int, default=15)
    options.add_argument("--measures", type=int, default=1)
    options.add_argument("--test", nargs="+", default=TESTS, choices=TESTS)
    options.add_argument("--scores")
    given = options.parse_args()
    check()
    board = build_board(made(given.runs, given.topics, given.measures))
    for test in given.test:
        report(f"{given.topics} topics", board, Plan(test=test))
    if given.scores:
        start = time.perf_counter()
        board = build_board(read_scores([given.scores]))
        tell(Row("reading", given.scores, time.perf_counter() - start))
        report(f"{len(board.topics)} topics", board, Plan())


if __name__ == "__main__":
    main()
