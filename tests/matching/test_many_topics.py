"""Small topics are matched together: the same pairs to the last bit, and fewer preparations."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest
from hypothesis import given

import matchers
from matchers.fuzzy import Fuzzy
from tests import strategies as st
from tseval.matching import matching
from tseval.matching.matching import NuggetsByTopic

WORDS = ("flood", "floods", "bridge", "bridges", "closed", "rescue", "water", "7", "wa")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
ROWS = st.lists(st.tuples(st.sampled_from("abcdef"), TEXTS), min_size=1, max_size=24)
MATCHERS = ("fuzzy", "fuzzy(threshold=0.2)", "fuzzy(window=2)", "fuzzy(threshold=0)", "grams")


def rows_of(rows: Sequence[tuple[str, str]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["topic", "text"], orient="row")


@given(ROWS, ROWS, st.sampled_from(MATCHERS), st.sampled_from([1, 12, 60, 1 << 14]))
def test_pairs_and_scores_are_those_of_each_topic_by_itself(
    updates: list[tuple[str, str]], nuggets: list[tuple[str, str]], name: str, most: int
) -> None:
    matcher = matchers.get(name)
    gold = [text for _, text in nuggets]
    wanted = []
    for topic in sorted({topic for topic, _ in nuggets}):
        own = [row for row, (named, _) in enumerate(nuggets) if named == topic]
        said = [row for row, (named, _) in enumerate(updates) if named == topic]
        found = matcher.match(
            [updates[row][1] for row in said], [gold[row] for row in own], collection=gold
        )
        scores = found.score.tolist()
        for update, nugget, score in zip(found.update, found.nugget, scores, strict=True):
            wanted.append((said[update], own[nugget], score))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "PAIRS_TOGETHER", most)
        pairs = NuggetsByTopic(matcher, rows_of(nuggets), kept=1).match(rows_of(updates))
    assert pairs.rows() == sorted(wanted)


@pytest.mark.parametrize(
    ("kept", "most", "preparations"),
    [
        pytest.param(1, 1 << 14, 14, id="small ones together"),
        pytest.param(1, 4 * 3 * 4 - 1, 500, id="those with as many pairs by themselves"),
        pytest.param(None, 1 << 14, 500, id="by themselves where all stay prepared"),
    ],
)
def test_five_hundred_topics_are_not_prepared_one_by_one(
    monkeypatch: pytest.MonkeyPatch, kept: int | None, most: int, preparations: int
) -> None:
    prepared: list[int] = []
    prepare = Fuzzy.prepare

    def counted(
        self: Fuzzy, nuggets: matchers.Collection, collection: matchers.Collection
    ) -> object:
        prepared.append(len(nuggets))
        return prepare(self, nuggets, collection)

    monkeypatch.setattr(Fuzzy, "prepare", counted)
    topics = [f"t{at}" for at in range(500)]
    nuggets = rows_of([(topic, f"the bridge {topic} is closed") for topic in topics for _ in "123"])
    updates = rows_of([(topic, f"bridge {topic} closed") for topic in topics for _ in "1234"])
    monkeypatch.setattr(matching, "PAIRS_TOGETHER", most)
    pairs = NuggetsByTopic(matchers.get("fuzzy"), nuggets, kept=kept).match(updates)
    assert len(prepared) == preparations
    assert sum(prepared) == 1500
    assert nuggets["topic"].gather(pairs["nugget"]).equals(updates["topic"].gather(pairs["update"]))
    assert len(pairs) == 500 * 3 * 4
