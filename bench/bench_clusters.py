"""A million posts over a hundred thousand clusters: under three seconds after reading.

    python bench/bench_clusters.py [--posts N] [--clusters N]

The scores are asserted first, against counts that are known by construction; then the time is
taken, the best of three.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from bench.rows import Row, tell
from tseval.core.calling import evaluated
from tseval.core.registry import measures
from tseval.core.scoring import scores_of
from tseval.families.clusters.family import FAMILY

LIMIT = 3.0
TOPICS = 50
RUNS = 2
START = 1_000_000_000
NAMES = ("latency", "redundancy", "redundancy(unique)", "coverage")


def read(folder: Path, posts: int, clusters: int) -> Any:
    """Write and read tables where every cluster has as many posts as every other.

    A run returns every second of them. Post i is in cluster i % clusters, made i seconds after the
    start; cluster c is of topic c % 50.
    """
    per_run = posts // RUNS
    shuffled = np.random.default_rng(0).permutation(per_run)
    returned = np.concatenate([2 * shuffled + run for run in range(RUNS)]) % posts
    paths = []
    for name, post in (("run", returned), ("clusters", np.arange(posts))):
        cluster, number = post % clusters, pl.Series(np.arange(len(post)) // per_run)
        columns = {
            "run": pl.select(pl.format("r{}", number)).to_series(),
            "topic": pl.select(pl.format("t{}", pl.Series(cluster % TOPICS))).to_series(),
            "cluster_id": pl.select(pl.format("c{}", pl.Series(cluster))).to_series(),
            "post_id": pl.select(pl.format("p{}", pl.Series(post))).to_series(),
            "time": START + post,
        }
        frame = pl.DataFrame(columns).drop("cluster_id" if name == "run" else "run")
        paths.append(str(folder / f"{name}.tsv"))
        frame.write_csv(paths[-1], separator="\t")
    return evaluated(FAMILY, FAMILY.inputs([paths[0]], paths[1]), FAMILY.options())


def main() -> None:
    """Assert, then time."""
    options = argparse.ArgumentParser()
    options.add_argument("--posts", type=int, default=1_000_000)
    options.add_argument("--clusters", type=int, default=100_000)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        evaluation = read(Path(folder), given.posts, given.clusters)
    check(evaluation, given.posts, given.clusters)
    best = min(timed(evaluation) for _ in range(3))
    size = f"{given.posts:,} posts, {given.clusters:,} clusters"
    tell(Row("all measures", size, best, most=LIMIT))


def check(evaluation: Any, size: int, groups: int) -> None:
    """With an even number of clusters a run returns all posts of every second one, and no other."""
    scores = scores_of(evaluation, measures(NAMES, "clusters"))
    each = size // groups
    latency = groups * (each - 1) / 2 / 60
    for run, odd in (("r0", 0), ("r1", 1)):
        for topic in range(odd, TOPICS, 2):
            expected = (latency, each - 1, (each - 1) / each, 1)
            for name, value in zip(NAMES, expected, strict=True):
                found = scores.value(name, f"t{topic}", run)
                if found is None or abs(found - value) > 1e-9 * value:
                    raise SystemExit(f"{name} of {run}, t{topic}: {found}, not {value}")
        if scores.value("coverage", f"t{1 - odd}", run) != 0:
            raise SystemExit(f"{run} covers clusters of which it returned no post")


def timed(evaluation: Any) -> float:
    """The seconds from tables to scores; a copy has nothing of what was joined before."""
    fresh, start = replace(evaluation), time.perf_counter()
    scores_of(fresh, measures(NAMES, "clusters"))
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
