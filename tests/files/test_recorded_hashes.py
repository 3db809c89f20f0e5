"""A result names its inputs by the hashes of what was read and scored, whatever happens later."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pandas as pd
import pytest

import matchers
import tseval
from matchers import Fuzzy
from tests.program import faulty
from tests.program import tseval as program
from tseval.core.family import Access
from tseval.core.scoring import scores_of
from tseval.core.streams import read_in_blocks
from tseval.families.clusters.files import read_clusters
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.families.temporal.files import READERS
from tseval.families.temporal.gold import TemporalGold
from tseval.families.temporal.rules import DRAFT
from tseval.io.inputs import Input
from tseval.io.tables import read as read_table

pytestmark = pytest.mark.small_times

FORMS = (
    ".tsv",
    ".csv",
    ".jsonl",
    ".json",
    ".parquet",
    ".tsv.gz",
    ".jsonl.bz2",
    ".csv.xz",
    ".tsv.zst",
)
UPDATES = pd.DataFrame(
    {"topic": ["t", "t"], "update_id": ["u", "v"], "time": [5, 6], "text": ["a fire", "b"]}
)
NUGGETS = pd.DataFrame({"topic": ["t"], "nugget_id": ["n"], "time": [1], "text": ["fire"]})
OTHERS = pd.DataFrame({"topic": ["t"], "nugget_id": ["n"], "time": [1], "text": ["flood"]})
MATCHES = pd.DataFrame({"topic": ["t"], "update_id": ["u"], "nugget_id": ["n"]})
TOPICS = pd.DataFrame({"topic": ["t"], "start": [0], "end": [9]})
CLUSTERS = pd.DataFrame({"topic": ["t"], "cluster_id": ["c"], "post_id": ["p"], "time": [1]})


def written(path: Path, table: pd.DataFrame) -> str:
    """A table in the form that the suffix says; returns the hash of the file."""
    compression = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zst"}.get(path.suffix)
    form = path.suffixes[0]
    if form == ".parquet":
        table.to_parquet(path)
    else:
        text = (
            table.to_json(orient="records", lines=form == ".jsonl")
            if form in (".jsonl", ".json")
            else table.to_csv(index=False, sep="\t" if form == ".tsv" else ",")
        )
        content = text.encode()
        if compression == "zst":
            import pyarrow as pa

            content = pa.compress(content, codec="zstd", asbytes=True)
        elif compression:
            module = __import__({"gzip": "gzip", "bz2": "bz2", "xz": "lzma"}[compression])
            content = module.compress(content)
        path.write_bytes(content)
    return hashlib.sha256(path.read_bytes()).hexdigest()


READ = (
    ("updates", UPDATES),
    ("nuggets", NUGGETS),
    ("matches", MATCHES),
    ("topics", TOPICS),
    ("clusters", CLUSTERS),
)


@pytest.mark.parametrize(("form", "given"), [*zip(FORMS, cycle(READ))])
def test_the_hash_is_that_of_what_was_read(
    given: tuple[str, pd.DataFrame], form: str, tmp_path: Path
) -> None:
    name, table = given
    path = tmp_path / f"given{form}"
    expected = written(path, table)
    found = read_clusters(path) if name == "clusters" else read_table([path], READERS[name])
    path.write_bytes(b"another")
    path.unlink()
    assert found.sources[0].sha256 == expected


@pytest.fixture
def during(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Have something done while matching runs."""

    def arrange(act: Callable[[], object]) -> None:
        prepare = Fuzzy.prepare

        def prepared(self: Fuzzy, *texts: matchers.Collection) -> matchers.MatcherGold:
            act()
            return prepare(self, *texts)

        monkeypatch.setattr(Fuzzy, "prepare", prepared)

    return arrange


Arrange = Callable[[Callable[[], object]], None]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("how", ["whole", "in blocks"])
def test_a_gold_that_is_replaced_during_matching_signs_nothing(
    how: str, form: str, tmp_path: Path, during: Arrange
) -> None:
    own = form  # in blocks neither CSV nor an array is read
    if how == "in blocks":
        own = form.replace("csv", "tsv").removesuffix(".json") or ".jsonl"
    updates, nuggets = tmp_path / f"updates{own}", tmp_path / f"nuggets{form}"
    hashes = [written(updates, UPDATES), written(nuggets, NUGGETS)]

    def replace() -> None:
        written(tmp_path / f"new{form}", OTHERS)
        (tmp_path / f"new{form}").replace(nuggets)

    during(replace)
    if how == "whole":
        scores = tseval.score(str(updates), str(nuggets), measures="R")
    else:
        given = TemporalInputs((), str(nuggets))
        gold = TemporalGold(given, TemporalOptions(), DRAFT, {}, Access())
        scores = scores_of(*read_in_blocks(gold, [str(updates)], ["R"]))
    assert scores.value("R") == 1
    assert [each.sha256 for each in scores.inputs] == hashes
    assert f"nuggets:sha256:{hashes[1][:12]}" in scores.signature


def test_a_frame_that_is_changed_later_keeps_its_hash() -> None:
    nuggets, updates = NUGGETS.copy(), UPDATES.copy()
    scores = tseval.score(updates, nuggets, measures="R")
    expected = [
        hashlib.sha256(frame.to_csv(index=False).encode()).hexdigest()
        for frame in (UPDATES, NUGGETS)
    ]
    nuggets.loc[0, "text"] = updates.loc[0, "text"] = "something else"
    assert [each.sha256 for each in scores.inputs] == expected


def test_standard_input_has_the_hash_of_its_bytes(tmp_path: Path) -> None:
    expected = written(tmp_path / "u.tsv", UPDATES)
    written(tmp_path / "n.tsv", NUGGETS)
    content = gzip.compress((tmp_path / "u.tsv").read_bytes())
    for given, sha256 in (
        ((tmp_path / "u.tsv").read_bytes(), expected),
        (content, hashlib.sha256(content).hexdigest()),
    ):
        told = program("score", "-", str(tmp_path / "n.tsv"), "-f", "json", stdin=given)
        assert f'"sha256": "{sha256}"' in told.out.replace('":"', '": "')


def test_a_file_that_changes_between_two_looks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "u.tsv"
    written(path, UPDATES)
    source = Input(path)
    source.head()
    with path.open("ab") as file:
        file.write(b"t\tw\t7\tmore\n")
    with faulty("changed-file", None):
        list(source.blocks())


def test_a_part_of_a_file_gives_the_hash_of_the_whole(tmp_path: Path) -> None:
    path = tmp_path / "u.tsv"
    content = b"line\n" * 100_000
    path.write_bytes(content)
    source = Input(path)
    assert source.head(100) == content[:100]
    assert source.first_line() == b"line"
    assert source.sha256 == hashlib.sha256(content).hexdigest()
