"""Latency, redundancy and coverage, held to the slow reference; and what must hold of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings

import tseval
from tests import strategies as st
from tests.oracles import close
from tests.oracles import clusters as slow
from tseval.core.calling import evaluated
from tseval.core.curves import curves
from tseval.core.family import ViewRequest
from tseval.core.registry import measures
from tseval.families.clusters.family import FAMILY

pytestmark = pytest.mark.small_times

TOPICS = ("t1", "t2", "t10")
RUNS = ("b", "a")
IDS = tuple(f"p{i}" for i in range(6))
TIMES = st.integers(0, 8).map(lambda hours: hours * 1800)


@st.composite
def cases(draw: st.DrawFn, *, named: bool = False) -> slow.Case:
    """Ties, posts in several clusters and in none, empty runs, runs' times other than posts'."""
    members = []
    for topic in sorted(draw(st.sets(st.sampled_from(TOPICS), min_size=1))):
        made = {post: draw(TIMES) for post in IDS}
        names = st.sets(st.sampled_from(("c0", "c1", "c2", *IDS)), min_size=1, max_size=4)
        for name in sorted(draw(names)):
            inside = sorted(draw(st.sets(st.sampled_from(IDS), min_size=1)))
            members += [slow.Member(topic, name, post, made[post]) for post in inside]
    posts: list[slow.Post] = []
    for run in RUNS:
        for topic in sorted(draw(st.sets(st.sampled_from((*TOPICS, "elsewhere"))))):
            for post in sorted(draw(st.sets(st.sampled_from((*IDS, "alone"))))):
                given = slow.Post(run, topic, post, draw(TIMES), 0, draw(st.integers(0, 2)))
                posts.append(given)
    posts = [replace(post, order=at) for at, post in enumerate(draw(st.permutations(posts)))]
    case = slow.Case(posts, draw(st.permutations(members)), named)
    if named:
        posts = [
            replace(
                post,
                selected=slow.in_a_cluster(case, post) and draw(st.booleans()),
                own=draw(st.sampled_from(["", *own_of(case, post)])),
            )
            for post in posts
        ]
    return replace(case, posts=posts, runs=sorted({post.run for post in posts}))


def own_of(case: slow.Case, post: slow.Post) -> list[str]:
    """The clusters that could have been made for a post."""
    inside = {
        m.cluster_id for m in case.members if (m.topic, m.post_id) == (post.topic, post.post_id)
    }
    return sorted(inside)


def frames(case: slow.Case) -> dict[str, pd.DataFrame]:
    names = ["run", "topic", "post_id", "time", "confidence", *(["selected", "own"] * case.named)]
    posts = [{name: getattr(post, name) for name in names} for post in case.posts]
    runs = pd.DataFrame(posts, columns=names)
    if case.named:
        runs["selected"] = runs["selected"].astype(int)
        runs = runs.rename(columns={"own": "cluster_id"})
    clusters = pd.DataFrame(
        [vars(member) for member in case.members],
        columns=["topic", "cluster_id", "post_id", "time"],
    )
    return {"runs": runs, "clusters": clusters}


def scored(case: slow.Case, names: list[str], **options: Any) -> tseval.Scores:
    tables = frames(case)
    return tseval.score_clusters(tables["runs"], tables["clusters"], names, **options)


def explained(case: slow.Case, **options: Any) -> pd.DataFrame:
    """The rows of `--explain`."""
    tables, (view,) = frames(case), FAMILY.views
    inputs, asked = FAMILY.inputs([tables["runs"]], tables["clusters"]), FAMILY.options(**options)
    return view.rows(evaluated(FAMILY, inputs, asked), ViewRequest((), asked)).frame


@given(
    cases(),
    st.sampled_from((None, 0, 3600, 7200, 10**6)),
    st.sampled_from((None, 1, 2, 50)),
    st.sampled_from(("skip", "zero")),
    st.sampled_from(("posts", "topics")),
)
def test_values_equal_the_slow_ones(
    case: slow.Case, after: int | None, size: int | None, undefined: str, mean: str
) -> None:
    at = "" if after is None else f"@{after}s"
    names = {name: name + at for name in slow.MEASURES}
    rules, pooled = {"mean": mean}, mean == "posts"
    scores = scored(case, list(names.values()), sample=size, undefined=undefined, rules=rules)
    for run in case.runs:
        for name, written in names.items():
            expectations = slow.score(case, run, name, after, size, undefined, pooled)
            for topic, expected in expectations.items():
                assert close(scores.value(written, topic, run), expected), (run, topic, written)


@given(cases(named=True))
def test_the_posts_that_a_run_selects(case: slow.Case) -> None:
    scores = scored(case, list(slow.MEASURES))
    for run in case.runs:
        for name in slow.MEASURES:
            for topic, expected in slow.score(case, run, name).items():
                assert close(scores.value(name, topic, run), expected), (run, topic, name)


@given(cases(), st.integers(1, 3), st.integers(0, 5))
def test_a_random_sample_has_its_size_and_depends_on_names_alone(
    case: slow.Case, size: int, seed: int
) -> None:
    def chosen(each: slow.Case) -> set[tuple[str, str, str]]:
        rows = explained(each, sample=size, sampling="random", seed=seed)
        return {
            (row.run, row.topic, name.removesuffix("*"))
            for row in rows.itertuples()
            for name in row.reported.split()
            if name.endswith("*")
        }

    drawn = chosen(case)
    assert drawn == chosen(replace(case, posts=case.posts[::-1], members=case.members[::-1]))
    alone = replace(case, posts=[post for post in case.posts if post.run == "a"])
    assert {each for each in drawn if each[0] == "a"} == chosen(alone)
    for run in case.runs:
        for topic in slow.topics(case):
            candidates = [
                post for post in slow.returned(case, run, topic) if slow.in_a_cluster(case, post)
            ]
            inside = [each for each in drawn if each[:2] == (run, topic)]
            assert len(inside) == min(size, len(candidates))


@given(cases())
def test_ranges(case: slow.Case) -> None:
    scores = scored(case, list(slow.MEASURES))
    for record in scores.records():
        if record.value is not None:
            assert record.value >= 0
            assert record.measure != "redundancy(unique)" or record.value < 1
            assert record.measure != "coverage" or record.value <= 1


@given(cases())
def test_the_explanation_agrees_with_the_scores(case: slow.Case) -> None:
    frame = explained(case)
    scores = scored(case, ["coverage", "latency", "redundancy"])
    for (run, topic), rows in frame.groupby(["run", "topic"]):
        counted = rows[rows["same_as"] == ""] if "same_as" in rows else rows
        covered = float((counted["reports"] > 0).mean())
        assert covered == pytest.approx(scores.value("coverage", topic, run))
        for name, above, below in (
            ("latency", rows["delay"].sum(), rows["selected"].sum()),
            ("redundancy", rows["others"].sum(), rows["returned"].iloc[0]),
        ):
            value = scores.value(name, topic, run)
            assert (value is None) == (not below)
            assert value is None or value == pytest.approx(above / below)
        starred = zip(
            rows["reported"], rows["delays"], rows["selected"], rows["delay"], strict=True
        )
        for reported, delays, selected, delay in starred:
            stars = [each.endswith("*") for each in str(reported).split()]
            told = [float(d) for d, star in zip(str(delays).split(), stars, strict=True) if star]
            assert (len(told), sum(told)) == (selected, pytest.approx(delay, rel=1e-5))


@given(cases())
@settings(max_examples=30)
def test_curves_equal_the_slow_values_between_all_times(case: slow.Case) -> None:
    tables = frames(case)
    inputs = FAMILY.inputs([tables["runs"]], tables["clusters"])
    evaluation = evaluated(FAMILY, inputs, FAMILY.options())
    names = [name for name in slow.MEASURES if "unit" not in name]
    topics = (*evaluation.index.topics, "all")
    for curve in curves(evaluation, measures(names, "clusters"), topics):
        start = 0 if curve.topic == "all" else slow.start(case, curve.topic)
        for at, value, defined in zip(
            curve.time.tolist(), curve.values.value, curve.values.defined, strict=True
        ):
            after = int(at) - start + 1
            expected = slow.score(case, curve.run, curve.measure, after)[curve.topic]
            assert close(float(value) if defined else None, expected), (curve, at)


@given(cases(), st.randoms())
def test_the_order_of_clusters_and_of_untied_posts_changes_nothing(
    case: slow.Case, random: Any
) -> None:
    untied = replace(
        case, posts=[replace(post, time=post.order) for post in case.posts], members=case.members
    )
    posts, members = list(untied.posts), list(untied.members)
    random.shuffle(posts)
    random.shuffle(members)
    one = scored(untied, list(slow.MEASURES))
    other = scored(replace(untied, posts=posts, members=members), list(slow.MEASURES))
    assert list(one.records()) == list(other.records())
