"""The batch push measures of 2016 and 2017, held to the slow reference."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings

import tseval
from tests import strategies as st
from tests.oracles import push as slow

pytestmark = pytest.mark.small_times

TOPICS = ("t1", "t2", "t3")
RUNS = ("a", "b")
MANY = tuple(f"p{at}" for at in range(15))
FEW = MANY[:5]
FIRST_DAYS = {
    "rts2016": (20160802, 20160803, 20160804),
    "rts2017": (20170730, 20170731, 20170801),
}
OUTSIDE = {"rts2016": 20160801, "rts2017": 20170806}
LATE = (-600, -140, -139, -1, 0, 60, 60, 3600, 100_000)
"""Seconds from a post's creation to its push; by the clock of 2016 the third is in time."""


def midnight(day: int) -> int:
    return int(datetime.strptime(str(day), "%Y%m%d").replace(tzinfo=UTC).timestamp())


@st.composite
def worlds(draw: st.DrawFn) -> slow.World:
    """Ties, clusters over several days, posts that are unknown, unjudged, early or repeated.

    A day may have more than ten posts, and more than ten that earn. The posts of clusters are
    relevant, and known to the epochs.
    """
    edition = draw(st.sampled_from(sorted(slow.HABITS)))
    ids = draw(st.sampled_from((FEW, MANY)))
    grades = sorted(slow.HABITS[edition].gains)
    relevant = [grade for grade in grades if slow.HABITS[edition].gains[grade]]
    width = 3 if ids is FEW else draw(st.sampled_from((1, 1, 3)))
    days = st.sampled_from(FIRST_DAYS[edition][:width])
    if ids is FEW:
        days |= st.just(OUTSIDE[edition])
    created = {}
    for post in ids:
        day = draw(days)
        created[post] = (day, midnight(day) + draw(st.sampled_from((0, 0, 50, 7200, 86_399))))
    judged: dict[str, dict[str, int]] = {}
    clusters: dict[str, dict[str, list[str]]] = {}
    for topic in sorted(draw(st.sets(st.sampled_from(TOPICS), min_size=1))):
        # The first numbers are clusters of one post; the last two are no cluster.
        drawn = st.integers(0, 4) if ids is FEW else st.integers(0, 14)
        spread = draw(st.booleans())
        judged[topic] = {}
        for at, post in enumerate(ids):
            number = at if spread and ids is MANY else draw(drawn)
            if number < len(ids) - 2:
                clusters.setdefault(topic, {}).setdefault(f"c{number}", []).append(post)
                judged[topic][post] = draw(st.sampled_from(relevant))
            elif draw(st.booleans()):
                judged[topic][post] = draw(st.sampled_from(grades))
        if not judged[topic]:
            judged[topic][ids[0]] = grades[0]
        clusters[topic] = {
            name: list(draw(st.permutations(posts)))
            for name, posts in clusters.get(topic, {}).items()
        }
    clustered = {post for each in clusters.values() for posts in each.values() for post in posts}
    known = {post: at for post, at in created.items() if post in clustered or draw(st.booleans())}
    known.setdefault(ids[0], created[ids[0]])
    pushes = []
    for run in RUNS:
        for topic in TOPICS:
            size = 0 if ids is FEW or draw(st.booleans()) else len(ids) - 2
            for post in sorted(draw(st.sets(st.sampled_from(ids), min_size=size))):
                late = st.just(0) if size and draw(st.booleans()) else st.sampled_from(LATE)
                pushes.append((run, topic, post, created[post][1] + draw(late)))
    if draw(st.booleans()):  # some of them once more, later or earlier
        again = draw(st.lists(st.sampled_from(pushes), max_size=4)) if pushes else []
        pushes += [(*push[:3], push[3] + draw(st.sampled_from(LATE))) for push in again]
    return slow.World(edition, list(draw(st.permutations(pushes))), clusters, judged, known)


def written(path: Path, rows: Iterable[tuple[object, ...]]) -> Path:
    path.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return path


def scored(world: slow.World) -> tseval.Scores:
    clusters = [
        (topic, name, post, world.created[post][1])
        for topic, each in world.clusters.items()
        for name, posts in each.items()
        for post in posts
    ]
    grades = [
        (topic, "Q0", post, grade)
        for topic, each in world.grades.items()
        for post, grade in each.items()
    ]
    epochs = [(post, day, time) for post, (day, time) in world.created.items()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return tseval.score_clusters(
            pd.DataFrame(world.pushes, columns=["run", "topic", "post_id", "time"]),
            pd.DataFrame(clusters, columns=["topic", "cluster_id", "post_id", "time"]),
            list(slow.MEASURES),
            edition=world.edition,
            qrels=written(folder / "qrels", grades),
            epochs=written(folder / "epochs", epochs),
        )


def of_other_days(world: slow.World, run: str) -> bool:
    """Whether a run has posts of judged topics whose day is known, all outside of the edition's."""
    days = {
        world.created[post][0]
        for name, topic, post, _ in world.pushes
        if name == run and topic in world.grades and post in world.created
    }
    return days == {OUTSIDE[world.edition]}


@given(worlds())
@settings(max_examples=60)
def test_values_equal_the_slow_ones(world: slow.World) -> None:
    if any(of_other_days(world, run) for run in RUNS):
        with pytest.raises(tseval.InputError, match="outside of the days of edition"):
            scored(world)
        return
    scores = scored(world)
    for run in scores.runs:
        for (name, topic), expected in slow.score(world, run).items():
            found = scores.value(name, topic, run)
            assert found is not None, (run, topic, name)
            close = math.isclose(found, float(expected), rel_tol=1e-12, abs_tol=1e-12)
            assert close, (run, topic, name, found, expected)
