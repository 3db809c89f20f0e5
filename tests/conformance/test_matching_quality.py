"""Matchers against the assessors of TREC Temporal Summarization 2013 and 2014.

The published figures were made with updates cut to their first 600 characters, and with those that
repeat another counted as saying nothing; so made, ours are the same. On whole texts without such
repeats, what the documentation says of the better matchers has to hold.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from tseval.families.temporal.matched import read_judged
from tseval.matching.calibration import Calibration, calibrate
from tseval.matching.judged_pairs import JudgedUpdates

POOLS = {2013: "updates.tsv.gz", 2014: "updates_sampled.tsv.gz"}
UNREPEATED = {2013: (1_112_099, 4_957), 2014: (1_134_053, 10_476)}
PAIRS = {2013: (1_304_250, 4_980), 2014: (1_407_448, 13_626)}
CUT = 600
TOLERANCE = 0.01

# matcher, year: AUC, AP, as published for cut texts.
PUBLISHED = {
    ("fuzzy", 2013): (0.879, 0.205),
    ("fuzzy", 2014): (0.894, 0.338),
    ("rapidfuzz(scorer=token_set_ratio)", 2013): (0.744, 0.144),
    ("rapidfuzz(scorer=token_set_ratio)", 2014): (0.807, 0.190),
}
BLEND = "blend(fuzzy(window=40),grams(window=40))"
# matcher, year: AUC, AP of whole texts, as documented.
WHOLE = {
    ("fuzzy", 2013): (0.903, 0.201),
    ("fuzzy", 2014): (0.897, 0.334),
    ("grams", 2013): (0.916, 0.174),
    ("grams", 2014): (0.921, 0.340),
    (BLEND, 2013): (0.925, 0.250),
    (BLEND, 2014): (0.919, 0.349),
}


@cache
def judged(pack: Path, year: int, cut: int | None = None, *, repeats: bool) -> JudgedUpdates:
    folder = pack / "temporal" / str(year)
    pool = pd.read_csv(folder / POOLS[year], sep="\t", quoting=3, dtype=str, keep_default_na=False)
    pool = pool.rename(columns={"query_id": "topic", "update_text": "text"})
    pool["text"] = pool["text"].str[:cut]
    kept = ["topic", "update_id", "text"]
    updates = pool[kept if repeats else [*kept, "duplicate_id"]]
    return read_judged([updates], folder / "nuggets.tsv.gz", folder / "matches.tsv.gz")


def agrees(found: Calibration, expected: tuple[float, float], tolerance: float) -> None:
    got = found.auc.value, found.average_precision.value
    assert got == pytest.approx(expected, abs=tolerance)


@pytest.mark.parametrize("year", POOLS)
@pytest.mark.parametrize(("repeats", "expected"), [(True, PAIRS), (False, UNREPEATED)])
def test_the_pairs_are_those_of_the_published_figures(
    conformance: Path, year: int, repeats: bool, expected: dict[int, tuple[int, int]]
) -> None:
    topics = list(judged(conformance, year, repeats=repeats).by_topic())
    pairs, true = (
        sum(int(n) for n in each)
        for each in zip(*((topic.true.size, topic.true.sum()) for topic in topics), strict=True)
    )
    assert (pairs, true) == expected[year]


@pytest.mark.parametrize(("name", "year"), PUBLISHED)
def test_cut_texts_give_the_published_figures(conformance: Path, name: str, year: int) -> None:
    found = calibrate(judged(conformance, year, CUT, repeats=True), name)
    agrees(found, PUBLISHED[name, year], TOLERANCE)


@pytest.mark.parametrize(("name", "year"), WHOLE)
def test_whole_texts_give_the_documented_figures(conformance: Path, name: str, year: int) -> None:
    found = calibrate(judged(conformance, year, repeats=False), name)
    agrees(found, WHOLE[name, year], 0.001)


def test_the_pool_file_is_read_as_it_is(conformance: Path) -> None:
    folder = conformance / "temporal" / "2014"
    files = [folder / name for name in ("updates_sampled.tsv.gz", "nuggets.tsv.gz")]
    read = read_judged(files[:1], files[1], folder / "matches.tsv.gz")
    assert read.topics == judged(conformance, 2014, repeats=False).topics
    assert read.warnings == (
        "9 rows of matches with unknown updates or nuggets left out",
        "2,907 updates left out that repeat another (duplicate_id): assessors judged the other",
    )
