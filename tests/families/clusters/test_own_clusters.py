"""Which posts are selected, and which cluster was made for each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tseval
from tests.program import tseval as program

pytestmark = pytest.mark.small_times

# Run r returned a, b, c and d; c1 was made for a, c2 for b. Both hold both, and c2 alone d.
RUN = [("a", 100, 1, "c1"), ("b", 200, 1, "c2"), ("c", 300, 0, ""), ("d", 400, 0, "")]
TIMES = {"a": 60, "b": 180, "c": 300, "d": 360, "first": 0}
MEMBERS = {"c1": "first a b", "c2": "a b d", "c3": "c"}


def frame(columns: str, rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=columns.split())


def clusters(**more: str) -> pd.DataFrame:
    rows = [
        ("t", name, post, TIMES[post])
        for name, posts in (MEMBERS | more).items()
        for post in posts.split()
    ]
    return frame("topic cluster_id post_id time", rows)


def run(*names: str) -> pd.DataFrame:
    rows = [("r", "t", *row) for row in RUN]
    whole = frame("run topic post_id time selected cluster_id", rows)
    return whole[["run", "topic", "post_id", "time", *names]]


def chosen(*rows: tuple[str, ...], columns: str = "topic post_id cluster_id") -> pd.DataFrame:
    return frame(columns, list(rows))


def values(scores: tseval.Scores) -> list[float | None]:
    return [scores.value(measure, "t") for measure in ("latency", "redundancy")]


SCORED = "latency redundancy"
EACH = [(1 + 0 + 3 + 2) / 4, (1 + 2 + 1 + 2) / 4]
"""a is 1 and 0 minutes late, b 3 and 2; in c1 one other post of the run stands by, in c2 two."""
OWN = [(1 + 2) / 2, (1 + 2) / 4]
"""a in c1 alone, b in c2 alone."""
SEVERAL = (
    "run r: 2 selected posts are in several clusters and count once for each; a column cluster_id "
    "beside the selected posts names the one that was made for a post (--selected)"
)


def test_without_an_own_cluster_a_post_counts_in_each_and_that_is_told() -> None:
    for options in ({}, {"selected": chosen(("t", "a"), ("t", "b"), columns="topic post_id")}):
        runs = run() if options else run("selected")
        scores = tseval.score_clusters(runs, clusters(), SCORED, **options)
        assert values(scores) == EACH
        assert SEVERAL in scores.warnings
        quiet = tseval.score_clusters(runs, clusters(), "coverage redundancy(unique)")
        assert SEVERAL not in quiet.warnings


def test_a_named_cluster_is_the_only_one() -> None:
    by_run = tseval.score_clusters(run("selected", "cluster_id"), clusters(), SCORED)
    file = chosen(("t", "a", "c1"), ("t", "b", "c2"))
    by_file = tseval.score_clusters(run(), clusters(), SCORED, selected=file)
    assert values(by_run) == values(by_file) == OWN
    assert not [each for each in (*by_run.warnings, *by_file.warnings) if "several" in each]
    half = chosen(("t", "a", "c1"), ("t", "b", ""))
    scores = tseval.score_clusters(run(), clusters(), SCORED, selected=half)
    assert values(scores) == [(1 + 3 + 2) / 3, (1 + 1 + 2) / 4]
    assert "run r: 1 selected post is in several clusters and counts once" in "".join(
        scores.warnings
    )


def test_a_cluster_that_is_called_as_a_selected_post_is_its_own() -> None:
    named = clusters().replace({"cluster_id": {"c1": "a", "c2": "b"}})
    assert values(tseval.score_clusters(run("selected"), named, SCORED)) == OWN
    crossed = chosen(("t", "a", "b"), ("t", "b", "a"))
    scores = tseval.score_clusters(run(), named, SCORED, selected=crossed)
    assert values(scores) == [(0 + 3) / 2, (2 + 1) / 4]


@pytest.mark.parametrize("given", ["c1", "c2"])
def test_another_run_s_identical_cluster_changes_nothing(given: str) -> None:
    pooled, names = clusters(other=MEMBERS[given]), {"cluster_id": {"c1": "a", "c2": "b"}}
    for posts, before, after in (
        (run("selected", "cluster_id"), clusters(), pooled),
        (run("selected"), clusters().replace(names), pooled.replace(names)),
    ):
        found = tseval.score_clusters(posts, after)
        assert values(found) == OWN
        expected = tseval.score_clusters(posts, before)
        assert [r.value for r in found.records()] == [r.value for r in expected.records()]


def test_coverage_counts_clusters_of_the_same_posts_once_if_they_were_made_for_posts() -> None:
    """Run r returned nothing of c4: it covers 3 of 4 clusters, however often they were found."""
    first, twice = clusters(c4="first"), clusters(c4="first", other="a first b")

    def covered(posts: pd.DataFrame, found: pd.DataFrame, **options: Any) -> float | None:
        return tseval.score_clusters(posts, found, "coverage", **options).value("coverage", "t")

    assert covered(run(), first) == 3 / 4
    assert covered(run(), twice) == 4 / 5  # assessors' names: two pieces of information
    file = chosen(("t", "a", "c1"), ("t", "b", "c2"))
    assert covered(run(), twice, selected=file) == 3 / 4
    called = twice.replace({"cluster_id": {"c1": "a"}})
    assert covered(run(), called) == 3 / 4
    # Another run has no post that a cluster is called by: its clusters are the same.
    assert covered(run().iloc[2:].assign(run="s"), called) == 2 / 4


def test_the_explanation_stars_a_post_in_its_own_cluster_alone(tmp_path: Path) -> None:
    paths = [tmp_path / "run.tsv", tmp_path / "clusters.tsv"]
    for path, table in zip(paths, (run("selected", "cluster_id"), clusters()), strict=True):
        table.to_csv(path, sep="\t", index=False)
    done = program("clusters", *paths, "--explain", "-f", "tsv")
    rows = [line.split("\t") for line in done.out.splitlines()]
    assert [row[rows[0].index("reported")] for row in rows[1:]] == ["a* b", "a b* d", "c"]


def test_the_explanation_names_the_cluster_that_counts(tmp_path: Path) -> None:
    paths = [tmp_path / "run.tsv", tmp_path / "clusters.tsv"]
    pooled = clusters(other="a first b")
    for path, table in zip(paths, (run("selected", "cluster_id"), pooled), strict=True):
        table.to_csv(path, sep="\t", index=False)
    explained = program("clusters", *paths, "--explain", "-f", "tsv").out
    rows = [
        dict(zip(explained.splitlines()[0].split("\t"), line.split("\t"), strict=True))
        for line in explained.splitlines()[1:]
    ]
    assert {row["cluster_id"]: row["same_as"] for row in rows} == {
        "c1": "",
        "c2": "",
        "c3": "",
        "other": "c1",
    }


def refused(*rows: tuple[str, ...]) -> str:
    with pytest.raises(tseval.InputError) as raised:
        tseval.score_clusters(run(), clusters(), SCORED, selected=chosen(*rows))
    return str(raised.value)


def test_clusters_that_cannot_be_a_post_s_own_are_faults() -> None:
    said = refused(("t", "a", "c3"))
    assert said.startswith(
        '<selected>: row 1: selected post "a" of topic "t" is not in its own cluster "c3"'
    )
    said = refused(("t", "a", "c1"), ("t", "b", "c9"))
    assert said.startswith(
        '<selected>: row 2: selected post "b" of topic "t" is not in its own cluster "c9"'
    )
    said = refused(("t", "a", "c1"), ("t", "b", "c2"), ("t", "a", "c2"))
    assert said.startswith(
        '<selected>: row 3: selected post "a" of topic "t" has the clusters "c1" (row 1) and "c2"'
    )


def warned(runs: Any, **options: Any) -> tuple[str, ...]:
    return tseval.score_clusters(runs, clusters(), SCORED, **options).warnings


def test_a_column_that_is_not_read_is_told(tmp_path: Path) -> None:
    both = run("selected", "cluster_id")
    said = 'the runs\' columns "selected" and "cluster_id" are not read: '
    file = chosen(("t", "a"), columns="topic post_id")
    assert f"{said}--selected says which posts are selected" in warned(both, selected=file)
    sampled = warned(both, sample=1, sampling="random")
    assert f"{said}--sample says which posts are selected" in sampled
    alone = tmp_path / "run.tsv"
    run("cluster_id").to_csv(alone, sep="\t", index=False)
    assert any(
        each.startswith(f'{alone}: the column "cluster_id" is not read: it names the cluster')
        for each in warned(alone)
    )
    other = run().assign(run="other")
    assert any(
        each.startswith('the column "selected" of run r is not read, for run other has none')
        for each in warned([both, other])
    )
    nothing = tseval.score_clusters(run(), clusters(), "coverage", sample=1, sampling="random")
    assert "none of these measures reads which posts are selected" in nothing.warnings


def test_a_drawn_sample_names_the_clusters_that_assessors_make() -> None:
    """Drawn before any cluster exists: the clusters are called as the posts they are made for."""
    drawn = tseval.sample_posts(run(), 2, sampling="random", seed=1)
    made = {row.post_id: f"first {row.post_id} c" for row in drawn.itertuples()}
    rows = [
        ("t", name, post, TIMES[post]) for name, posts in made.items() for post in posts.split()
    ]
    found = frame("topic cluster_id post_id time", sorted(set(rows)))
    scores = tseval.score_clusters(run(), found, SCORED, selected=drawn)
    delays = [TIMES[post] / 60 for post in drawn["post_id"]]
    beside = sum(post != "c" for post in drawn["post_id"])
    assert values(scores) == [sum(delays) / 2, beside / 4]
    assert not any("in several clusters" in each for each in scores.warnings)


def test_the_file_of_selected_posts_is_in_the_signature(tmp_path: Path) -> None:
    path = tmp_path / "selected.tsv"
    chosen(("t", "a", "c1")).to_csv(path, sep="\t", index=False)
    scores = tseval.score_clusters(run(), clusters(), SCORED, selected=path)
    assert "|selected:file|" in scores.signature
    assert f"|selection:sha256:{scores.inputs[-1].sha256[:12]}" in scores.signature
    assert scores.inputs[-1].path == str(path)


def test_a_draw_of_no_number_is_refused() -> None:
    """It would select every post, as if nothing had been asked for."""
    with pytest.raises(tseval.UsageError, match="sampling=random needs --sample N"):
        tseval.score_clusters(run(), clusters(), SCORED, sampling="random")
