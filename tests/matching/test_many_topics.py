"""Many topics are matched in one call: the same pairs as each by itself."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from hypothesis import given

import matchers
from tests import strategies as st
from tseval.matching.matching import NuggetsByTopic

WORDS = ("flood", "floods", "bridge", "bridges", "closed", "rescue", "water", "7", "wa")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
ROWS = st.lists(st.tuples(st.sampled_from("abcdef"), TEXTS), min_size=1, max_size=24)
MATCHERS = ("fuzzy", "fuzzy(threshold=0.2)", "fuzzy(window=2)", "fuzzy(threshold=0)", "grams")


def rows_of(rows: Sequence[tuple[str, str]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["topic", "text"], orient="row")


@given(ROWS, ROWS, st.sampled_from(MATCHERS), st.sampled_from([1, 2, None]))
def test_pairs_and_scores_are_those_of_each_topic_by_itself(
    updates: list[tuple[str, str]], nuggets: list[tuple[str, str]], name: str, kept: int | None
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
    pairs = NuggetsByTopic(matcher, rows_of(nuggets), kept=kept).match(rows_of(updates))
    assert pairs.rows() == sorted(wanted)
