"""A million posts over a hundred thousand clusters: under three seconds after reading.

    python bench/bench_clusters.py [--posts N] [--clusters N]

The scores are asserted first, against counts that are known by construction; then the time is
taken, the best of three.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from bench.rows import Row, tell
from tseval.core.registry import measures
from tseval.core.scoring import scores_of
from tseval.families.clusters.editions import PROPOSAL
from tseval.families.clusters.evaluation import ClusterEvaluation
from tseval.families.clusters.inputs import ClusterOptions, ClusterTables
from tseval.families.clusters.tables import Clusters, Posts
from tseval.tables import Ids, InputRecord, Origin

LIMIT = 3.0
TOPICS = 50
RUNS = 2
NAMES = ("latency", "redundancy", "redundancy(unique)", "coverage")


def tables(posts: int, clusters: int) -> tuple[Posts, Clusters]:
    """Every cluster has as many posts as every other; a run returns every second of them.

    Post i is in cluster i % clusters, made i seconds after the start; cluster c is of topic c % 50.
    """
    per_run = posts // RUNS
    member = np.arange(posts)
    shuffled = np.random.default_rng(0).permutation(per_run)
    returned = np.concatenate([2 * shuffled + run for run in range(RUNS)]) % posts
    ids = np.array([f"p{i}" for i in range(posts)])
    topics = np.array([f"t{i}" for i in range(TOPICS)])
    names = np.array([f"c{i}" for i in range(clusters)])
    origin = Origin.single(InputRecord("made here", lambda: "0" * 64, posts), np.arange(posts))
    cluster = member % clusters
    return (
        Posts(
            run=Ids.of([f"r{i // per_run}" for i in range(per_run * RUNS)]),
            topic=Ids.of(topics[returned % clusters % TOPICS].tolist()),
            post_id=Ids.of(ids[returned].tolist()),
            time=returned.astype(np.float64),
            confidence=None,
            selected=None,
            origin=origin,
        ),
        Clusters(
            topic=Ids.of(topics[cluster % TOPICS].tolist()),
            cluster_id=Ids.of(names[cluster].tolist()),
            post_id=Ids.of(ids.tolist()),
            time=member.astype(np.float64),
            origin=origin,
        ),
    )


def evaluation(posts: Posts, clusters: Clusters) -> ClusterEvaluation:
    """The tables as if they had been read."""
    held = ClusterTables(posts, clusters, None, None, None, None)
    return ClusterEvaluation(
        edition=PROPOSAL,
        traits={},
        inputs=(),
        tables=held,
        options=ClusterOptions(),
    )


def main() -> None:
    """Assert, then time."""
    options = argparse.ArgumentParser()
    options.add_argument("--posts", type=int, default=1_000_000)
    options.add_argument("--clusters", type=int, default=100_000)
    given = options.parse_args()
    posts, clusters = tables(given.posts, given.clusters)
    check(posts, clusters, given.posts, given.clusters)
    best = min(timed(posts, clusters) for _ in range(3))
    size = f"{given.posts:,} posts, {given.clusters:,} clusters"
    tell(Row("all measures", size, best, most=LIMIT))


def check(posts: Posts, clusters: Clusters, size: int, groups: int) -> None:
    """With an even number of clusters a run returns all posts of every second one, and no other."""
    scores = scores_of(evaluation(posts, clusters), measures(NAMES, "clusters"))
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


def timed(posts: Posts, clusters: Clusters) -> float:
    """The seconds from tables to scores."""
    start = time.perf_counter()
    scores_of(evaluation(posts, clusters), measures(NAMES, "clusters"))
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
