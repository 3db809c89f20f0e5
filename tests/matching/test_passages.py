"""The hashes by which pairs that were found are kept."""

from __future__ import annotations

import polars as pl

from tseval.matching.in_units import hash_texts


def test_hashes_tell_texts_and_topics_apart() -> None:
    def of(topics: list[str], texts: list[str]) -> str:
        names = pl.Series(topics, dtype=pl.Categorical)
        return hash_texts(pl.DataFrame({"topic": names, "text": texts}))

    same = [
        of(["t1", "t2"], ["ab", "c"]),
        of(["t1", "t2"], ["a", "bc"]),
        of(["t2", "t1"], ["ab", "c"]),
        of(["t1", "t1"], ["ab", "c"]),
        of(["t1", "t2"], ["c", "ab"]),
        of(["t1", "t2", "t2"], ["ab", "c", ""]),
    ]
    assert len(set(same)) == len(same)
    assert of(["t1", "t2"], ["ab", "c"]) == same[0]
