"""Runs compared by measures whose `all` is that of all topics' posts: quotients of sums."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tseval
from tests.program import tseval as program
from tseval.core.calling import evaluated
from tseval.core.registry import measures
from tseval.core.trends import batch_series
from tseval.families.clusters.family import FAMILY
from tseval.statistics import bootstrap

pytestmark = pytest.mark.small_times

TOPICS = [f"t{i}" for i in range(1, 9)]


def tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two runs on eight topics, each with another number of posts, some minutes late each."""
    members, posts = [], []
    for at, topic in enumerate(TOPICS):
        members.append((topic, "c", f"{topic}-first", 0))
        for run, late, number in (("a", 60, 1 + at % 3), ("b", 120, 1 + at % 4)):
            for each in range(number):
                name = f"{topic}-{run}-{each}"
                members.append((topic, "c", name, late * (1 + at + each)))
                posts.append((run, topic, name, 1000 + each))
    columns = ["topic", "cluster_id", "post_id", "time"]
    runs = pd.DataFrame(posts, columns=["run", "topic", "post_id", "time"])
    return runs, pd.DataFrame(members, columns=columns)


def scores(**options: object) -> tseval.Scores:
    return tseval.score_clusters(*tables(), "latency redundancy coverage", **options)  # type: ignore[arg-type]


def saved(folder: Path, name: str) -> Path:
    path = folder / name
    scores().save(path)
    return path


@pytest.mark.parametrize("name", ["", "s.json", "s.parquet"])
def test_the_means_are_all_of_the_scores(tmp_path: Path, name: str) -> None:
    made = scores()
    found = tseval.compare(saved(tmp_path, name) if name else made)
    for each in found.standings:
        assert each.mean == pytest.approx(made.value(each.measure, run=each.run), rel=1e-12)
    for pair in found.contests:
        ours, theirs = (made.value(pair.measure, run=run) or 0 for run in (pair.run, pair.other))
        assert pair.difference == pytest.approx(ours - theirs, rel=1e-12)
    assert not [line for line in found.warnings if "means over topics" in line]


def test_by_the_other_rule_they_are_means_over_topics() -> None:
    made = scores(rules={"mean": "topics"})
    found = tseval.compare(made)
    for each in found.standings:
        assert each.mean == pytest.approx(made.value(each.measure, run=each.run), rel=1e-12)
    assert not [line for line in found.warnings if "means over topics" in line]


def test_scores_without_weights_say_what_they_are_compared_by(tmp_path: Path) -> None:
    found = tseval.compare(saved(tmp_path, "s.csv"))
    said = "latency, redundancy: compared by means over topics, though `all`"
    assert any(line.startswith(said) for line in found.warnings)


def test_an_interval_is_that_of_quotients_of_drawn_topics() -> None:
    """Slowly: each draw's topics are listed, their sums taken, and the quotient of these."""
    rng = np.random.default_rng(1)
    values, weights = rng.uniform(0, 9, (7, 2)), rng.integers(1, 9, (7, 2)).astype(float)
    draws = bootstrap.resamples(7, 5, 400)
    drawn = []
    for times in draws:
        chosen = [topic for topic, number in enumerate(times) for _ in range(number)]
        sums = [(sum(values[t, c] * weights[t, c] for t in chosen)) for c in (0, 1)]
        drawn.append([sums[c] / sum(weights[t, c] for t in chosen) for c in (0, 1)])
    expected = np.quantile(np.array(drawn), [0.025, 0.975], axis=0)
    found = bootstrap.quotient_intervals(values, weights, draws, "percentile")
    assert found == pytest.approx(expected)
    gap = np.quantile(np.array(drawn)[:, 0] - np.array(drawn)[:, 1], [0.025, 0.975])
    sides = [(values[:, [c]], weights[:, [c]]) for c in (0, 1)]
    found = bootstrap.quotient_intervals(*sides[0], draws, "percentile", less=sides[1])
    assert found.ravel() == pytest.approx(gap)


@pytest.mark.parametrize("method", bootstrap.INTERVALS)
def test_equal_weights_give_what_means_give(method: str) -> None:
    rng = np.random.default_rng(2)
    values, other = rng.uniform(0, 9, (9, 3)), rng.uniform(0, 9, (9, 3))
    weights, draws = np.full((9, 3), 4.0), bootstrap.resamples(9, 5, 500)
    expected = bootstrap.mean_intervals(values, draws, method)
    assert bootstrap.quotient_intervals(values, weights, draws, method) == pytest.approx(expected)
    assert bootstrap.contributions(values, weights) == pytest.approx(values)
    gaps = bootstrap.mean_intervals(values - other, draws, method)
    found = bootstrap.quotient_intervals(values, weights, draws, method, less=(other, weights))
    assert found == pytest.approx(gaps)


def test_contributions_have_the_quotient_as_their_mean() -> None:
    values, weights = np.array([[1.0], [4.0]]), np.array([[3.0], [1.0]])
    assert bootstrap.quotients(values, weights) == pytest.approx([7 / 4])
    # The shares of the weights are 3/2 and 1/2: 7/4 - 3/2 * 3/4 and 7/4 + 1/2 * 9/4.
    assert bootstrap.contributions(values, weights).ravel() == pytest.approx([5 / 8, 23 / 8])


def test_the_report_has_the_same_means(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = program("report", saved(tmp_path, "s.json"), "-o", page, "--quiet")
    assert done.code == 0, done.err
    value = scores().value("latency", run="a")
    text = page.read_text(encoding="utf-8")
    assert f"{value:.4f}"[:-1] in text
    assert "Of latency, redundancy it is the value of all topics together" in text


def test_batches_of_all_take_the_posts_of_all_topics() -> None:
    """By hand: two topics that start at 0 and at 100, batches of 100 seconds since then."""
    members = [("x", "c", "x0", 0), ("x", "c", "x1", 60), ("x", "c", "x2", 120)]
    members += [("y", "c", "y0", 100), ("y", "c", "y1", 400)]
    posts = [("x", "x1", 60), ("x", "x2", 120), ("y", "y0", 110), ("y", "y1", 220), ("y", "z", 230)]
    runs = pd.DataFrame([("r", *row) for row in posts], columns=["run", "topic", "post_id", "time"])
    clusters = pd.DataFrame(members, columns=["topic", "cluster_id", "post_id", "time"])
    evaluation = evaluated(FAMILY, FAMILY.inputs([runs], clusters), FAMILY.options())
    wanted = measures(["latency(unit=s)", "redundancy"], "clusters")
    (series,) = batch_series(evaluation, wanted, 100.0)
    # The first 100 seconds: x1 60 late, y0 0; then x2 120 and y1 300, and z in no cluster.
    assert series.values.value[0, 0, :2].tolist() == [(60 + 0) / 2, (120 + 300) / 2]
    # What x2 and y1 repeat is dated when they come: 2 others for each pair, 3 posts returned.
    assert series.values.value[0, 1, :2].tolist() == pytest.approx([0, 4 / 3])
