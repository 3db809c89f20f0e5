"""Samples of runs for assessors, drawn before any cluster exists, and what becomes of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tseval
from tests.families.clusters.test_clusters_properties import cases
from tests.oracles import clusters as slow
from tests.program import tseval as program

pytestmark = pytest.mark.small_times

RUNS = {
    "one": [("flood", "p1", 10, 0.9), ("flood", "p2", 20, 0.9), ("flood", "p3", 5, 0.1)],
    "two": [("flood", "p3", 30, 0.5), ("quake", "q2", 7, 0.5), ("quake", "q1", 7, 0.5)],
}


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    paths = []
    for name, posts in RUNS.items():
        rows = [f"{t}\t{p}\t{at}\t{sure}\twhat {p} says" for t, p, at, sure in posts]
        path = tmp_path / f"{name}.tsv"
        path.write_text("\n".join(["topic\tpost_id\ttime\tconfidence\ttext", *rows]) + "\n")
        paths.append(str(path))
    return paths


def test_the_most_confident_posts_of_each_system(runs: list[str]) -> None:
    """One of each run, over its topics: of q1, q2 and p3, equally sure, the earliest, then q1."""
    done = program("import", "sample", *runs, "--size", "1")
    assert (done.code, done.err) == (0, "")
    assert [row.split("\t")[:3] for row in done.out.splitlines()[1:]] == [
        ["one", "flood", "p1"],
        ["two", "quake", "q1"],
    ]
    assert tseval.sample_posts(runs, 1)["post_id"].tolist() == ["p1", "q1"]
    assert tseval.sample_posts(runs, 2)["post_id"].tolist() == ["p1", "p2", "q1", "q2"]


def test_the_most_confident_posts_of_each_run_and_topic(runs: list[str]) -> None:
    """Of p1 and p2, equally sure, the earlier; of q1 and q2 at one time the first by its id."""
    done = program("import", "sample", *runs, "--size", "1", "--rule", "per=topic")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "run\ttopic\tpost_id\tcluster_id\ttime\tconfidence\ttext",
        "one\tflood\tp1\tp1\t10\t0.9\twhat p1 says",
        "two\tflood\tp3\tp3\t30\t0.5\twhat p3 says",
        "two\tquake\tq1\tq1\t7\t0.5\twhat q1 says",
    ]
    frame = tseval.sample_posts(runs, 1, rules={"per": "topic"})
    assert frame["post_id"].tolist() == ["p1", "p3", "q1"]
    assert frame["time"].tolist() == [10, 30, 7]


@pytest.mark.parametrize("per", ["system", "topic"])
def test_a_seeded_draw_hangs_on_names_and_ids_alone(runs: list[str], per: str) -> None:
    def draw(several: list[str], seed: int) -> set[tuple[str, ...]]:
        rules = {"per": per}
        frame = tseval.sample_posts(several, 2, sampling="random", seed=seed, rules=rules)
        return set(frame[["run", "topic", "post_id"]].itertuples(index=False, name=None))

    draws = [draw(runs, seed) for seed in range(8)]
    assert all(len([row for row in each if row[0] == "one"]) == 2 for each in draws)
    assert len({frozenset(each) for each in draws}) > 1
    assert draw(runs[::-1], 3) == draws[3]
    lines = Path(runs[0]).read_text().splitlines()
    Path(runs[0]).write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n")
    assert draw(runs, 3) == draws[3]


def test_what_a_sample_cannot_be(runs: list[str], tmp_path: Path) -> None:
    given = ("import", "sample", *runs)
    assert "--size is missing" in program(*given).err
    for option in (["--ontology", "x"], ["--depth", "2"], ["--qrels", "x"], ["--roll-up"]):
        refused = program(*given, "--size", "1", *option)
        assert refused.code == 2
        assert "has no meaning with sample" in refused.err
    for rule, why in (
        ("per=event", "rule per cannot be 'event': choose one of system, topic"),
        ("of=topic", "unknown rule 'of'; known: per"),
        ("per", "rule per cannot be ''"),
    ):
        refused = program(*given, "--size", "1", "--rule", rule)
        assert refused.code == 2
        assert why in refused.err
    bare = tmp_path / "bare.tsv"
    bare.write_text("topic\tpost_id\ttime\nflood\tp\t1\n")
    refused = program("import", "sample", bare, "--size", "1")
    assert "draw with --sampling random" in refused.err
    done = program("import", "sample", bare, "--size", "1", "--sampling", "random")
    assert done.out == "run\ttopic\tpost_id\tcluster_id\ttime\nbare\tflood\tp\tp\t1\n"


def test_the_sample_is_given_back_as_the_selected_posts(runs: list[str], tmp_path: Path) -> None:
    """p1 came at 10, and p3, which is in its cluster, at 5."""
    sample = tmp_path / "sample.tsv"
    program("import", "sample", runs[0], "--size", "1", "-o", sample)
    clusters = tmp_path / "clusters.tsv"
    clusters.write_text(
        "topic\tcluster_id\tpost_id\ttime\nflood\tp1\tp1\t10\nflood\tp1\tp3\t5\nflood\tx\tp2\t20\n"
    )
    found = tseval.score_clusters(
        runs[0], clusters, ["latency(unit=s)", "redundancy"], selected=sample
    )
    assert found.value("latency(unit=s)") == 5
    assert found.value("redundancy") == pytest.approx(1 / 3)  # p3 is one other post, of three


@pytest.mark.parametrize("per", ["system", "topic"])
@given(data=st.data())
def test_a_sample_equals_the_slow_one(per: str, data: st.DataObject) -> None:
    case = data.draw(cases())
    size = data.draw(st.integers(1, 4))
    rows = [
        {name: getattr(post, name) for name in ("run", "topic", "post_id", "time", "confidence")}
        for post in case.posts
    ]
    expected = slow.assessors_sample(case.posts, size, per)
    if rows:
        frame = tseval.sample_posts(pd.DataFrame(rows), size, rules={"per": per})
        assert set(frame[["run", "topic", "post_id"]].itertuples(False, None)) == expected


@pytest.mark.parametrize("per", ["system", "topic"])
def test_a_real_run_is_sampled(conformance: Path, per: str) -> None:
    """A run of the track has no texts and no confidences: at most two posts, or two a topic."""
    path = conformance / "clusters" / "rts2017" / "runs" / "UDInfoBL-A.gz"
    if not path.exists():
        pytest.skip("no such run here")
    draw = ("--size", "2", "--sampling", "random", "--year", "2017", "--rule", f"per={per}")
    done = program("import", "sample", path, *draw)
    assert done.code == 0
    header, *rows = done.out.splitlines()
    assert header == "run\ttopic\tpost_id\tcluster_id\ttime"
    with gzip.open(path, "rt") as file:
        lines = {tuple(line.split()[:2]) for line in file if line.strip()}
    drawn = [tuple(row.split("\t")[1:3]) for row in rows]
    assert set(drawn) <= lines
    if per == "system":
        assert len(drawn) == 2
        return
    topics = {topic for topic, _ in lines}
    size = {topic: min(2, sum(t == topic for t, _ in lines)) for topic in topics}
    assert {topic: sum(t == topic for t, _ in drawn) for topic in topics} == size
