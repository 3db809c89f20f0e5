"""The table of what benchmarks measured: handed over, written, read back, and held against."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench import all as benchmarks
from bench.all import KEPT, Outcome, change, last, page, table
from bench.rows import HANDED, Row, tell

READING = Row("reading", "1,000 rows", 1.0, instead="pandas", other=2.5, times=2.0)
MEMORY = Row("memory", "1,000 rows", 1234.5, "MiB", most=1000)


def test_a_row_says_its_ratio_and_whether_its_goal_is_missed() -> None:
    assert (READING.beside, READING.times_shown) == ("pandas 2.5 s", "2.50 x")
    assert READING.goal == "at least 2 x"
    assert replace(READING, took=1.5).goal == "at least 2 x: missed"
    assert (MEMORY.beside, MEMORY.times_shown) == ("", "")
    assert MEMORY.goal == "at most 1000 MiB: missed"


def test_rows_are_printed_and_handed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(HANDED, str(tmp_path / "rows"))
    tell(READING)
    tell(MEMORY)
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "reading, 1,000 rows: 1 s (pandas 2.5 s) 2.50 x [at least 2 x]"
    handed = (tmp_path / "rows").read_text().splitlines()
    assert [Row(**json.loads(line)) for line in handed] == [READING, MEMORY]


def test_a_kept_table_is_read_back_and_what_is_slower_is_marked() -> None:
    before = [Outcome("a", 1.0, 0, (READING, MEMORY))]
    kept = page(list(table(before, {})), before)
    assert kept.count("| new |") == 2
    known = last(kept)
    assert known == {("a", "reading", "1,000 rows"): 1.0, ("a", "memory", "1,000 rows"): 1234.0}
    now = Outcome("a", 1.0, 1, (replace(READING, took=1.21), replace(MEMORY, size="2,000 rows")))
    cells = list(table([now], known))
    assert [row[-1] for row in cells] == ["+21 % slower", "new"]
    assert "Failed, some rows are missing: a." in page(cells, [now])
    assert change(READING, 1.25) == "-20 %"


def test_benchmarks_are_programs_of_the_folder_and_the_kept_table_has_no_other() -> None:
    names = {each.name for each in benchmarks.BENCHMARKS}
    assert all((KEPT.parent / f"bench_{name}.py").exists() for name in names)
    if KEPT.exists():
        assert {name for name, _, _ in last(KEPT.read_text(encoding="utf-8"))} <= names
