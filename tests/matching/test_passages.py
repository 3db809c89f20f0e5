"""Ranges of rows, read without the rest: in any order, from files of any form."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from tseval.errors import EngineError
from tseval.families.temporal.columns import read_updates
from tseval.files import inputs
from tseval.matching.in_units import MatchWork
from tseval.matching.passage_files import (
    TextRows,
    fingerprint,
    read_lines,
    read_parquet_rows,
    write_texts,
)
from tseval.matching.passages import GoldFile, Passage
from tseval.parallel.engines import choose

pytestmark = pytest.mark.small_times

TEXTS = [f'text {row}, "quoted"' if row % 4 else f"two\nlines {row}" for row in range(40)]
FORMS = ("run.csv", "run.tsv", "run.tsv.gz", "run.jsonl", "run.parquet")


@pytest.fixture(params=FORMS)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / request.param
    frame = pd.DataFrame(
        {
            "topic": [f"t{row % 3}" for row in range(40)],
            "update_id": [f"u{row}" for row in range(40)],
            "time": range(40),
            "text": TEXTS,
        }
    )
    if ".tsv" in path.name:
        frame["text"] = frame.text.str.replace("\n", " ")
        content = frame.to_csv(sep="\t", index=False, quoting=3, escapechar="\\").encode()
        content = content.replace(b"\n", b"\r\n\n", 20).replace(b"\\", b"")
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    elif path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path, row_group_size=7)
    return path


def part(file: Path, first: int, last: int) -> TextRows:
    """Rows from `first` on, counted from 0, before `last`, as a worker would read them."""
    line = read_updates([file]).origin.line
    end = None if last == len(line) else int(line[last]) - 1
    if file.suffix == ".parquet":
        return read_parquet_rows(str(file), first + 1, end)
    return read_lines(str(file), None, int(line[0]) - 1, int(line[first]), end)


@pytest.mark.parametrize(
    "ranges",
    [
        [(0, 40)],
        [(0, 7), (7, 14), (39, 40)],
        [(30, 40), (0, 3), (20, 21), (5, 35), (0, 40)],
    ],
    ids=["whole", "forwards", "to and fro"],
)
@pytest.mark.parametrize("block", [64, 4 << 20])
def test_the_rows_are_those_of_the_whole(
    file: Path, ranges: list[tuple[int, int]], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = read_updates([file])
    monkeypatch.setattr(inputs, "BLOCK_BYTES", block)
    for first, last in ranges:
        found = part(file, first, last)
        assert list(found.text) == list(whole.text)[first:last]
        assert found.topic.to_list() == whole.topic.to_list()[first:last]


def test_a_file_that_changed_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "run.tsv"
    for text in ("before", "after it"):
        file.write_text(f"topic\ttext\nt1\t{text}\nt1\tmore\n")
        assert list(read_lines(str(file), None, 1, 2, 2).text) == [text]


def test_row_groups_of_a_row_each_are_read_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.parquet"
    texts = [f"text {row}" for row in range(600)]
    pd.DataFrame({"topic": "t", "text": texts}).to_parquet(path, row_group_size=1)
    opened: list[bool] = []
    plain = pq.ParquetFile

    def counted(where: object, metadata: object = None) -> pq.ParquetFile:
        opened.append(metadata is None)
        return plain(where, metadata=metadata)

    monkeypatch.setattr(pq, "ParquetFile", counted)
    for first in range(1, 601, 150):
        found = read_parquet_rows(str(path), first, first + 149)
        assert list(found.text) == texts[first - 1 : first + 149]
    assert opened.count(True) == 1, "the footer is read once"
    assert len(opened) <= 1 + 3 * 4, "and the file opened thrice a range"


def test_ranges_that_share_a_row_group_read_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.parquet"
    pd.DataFrame({"topic": "t", "text": [str(row) for row in range(100)]}).to_parquet(path)
    assert list(read_parquet_rows(str(path), 1, 10).text) == [str(row) for row in range(10)]
    monkeypatch.setattr(pq, "ParquetFile", None)
    assert list(read_parquet_rows(str(path), 11, None).text) == [str(row) for row in range(10, 100)]


def test_what_is_written_is_what_is_read(file: Path, tmp_path: Path) -> None:
    updates = read_updates([file])
    said = TextRows(updates.topic, updates.text)
    write_texts(tmp_path / "said.parquet", said, 6)
    again = read_parquet_rows(str(tmp_path / "said.parquet"), 1, None)
    assert list(again.text) == list(said.text)
    assert fingerprint(again) == fingerprint(said)


def test_fingerprints_tell_texts_and_topics_apart() -> None:
    def of(topics: list[str], texts: list[str]) -> str:
        frame = pd.DataFrame({"topic": topics, "text": texts})
        frame["update_id"] = [f"u{row}" for row in range(len(frame))]
        updates = read_updates([frame.assign(time=0)])
        return fingerprint(TextRows(updates.topic, updates.text))

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


def test_a_worker_that_has_not_the_file_says_so() -> None:
    work = MatchWork(GoldFile("/nowhere/nuggets.tsv", None, ""), None, None)  # type: ignore[arg-type]
    with pytest.raises(EngineError, match=r"/nowhere/nuggets\.tsv: not there for the worker on "):
        list(choose().run(work, [Passage("/nowhere/run.tsv", 2, 3)]))
