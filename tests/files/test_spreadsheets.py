"""Spreadsheets as tables: what is in which cell, which sheet is read, what is refused."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

import tseval
from tests import program
from tests.reading import read_rows
from tseval.core.registry import schemas
from tseval.io.inputs import Input

START = dt.datetime(2026, 3, 1, 5, 30)
HEAD = ("topic", "nugget_id", "time", "text", "importance")
ROWS = (
    HEAD,
    ("Sel 🌊", 1, START, "İSTANBUL'DA köprü\nkapandı; trafik durdu", 2),
    (),
    ("洪水", 2.5, dt.date(2026, 3, 1), "大桥关闭", 0.1),
    (7, True, 1772343000, 12, "3"),
)
excel = pytest.mark.usefixtures("_needs_extra")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def _needs_extra() -> None:
    for name in ("python_calamine", "openpyxl"):
        pytest.importorskip(name, reason="needs the extra excel, and openpyxl")


def book(sheets: Mapping[str, Iterable[tuple[object, ...]]], path: str = "gold.xlsx") -> str:
    from openpyxl import Workbook

    made = Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for at, row in enumerate(rows, start=1):
            for column, value in enumerate(row, start=1):
                sheet.cell(at, column, value)
    made.save(path)
    return path


@excel
def test_cells_are_read_as_people_see_them() -> None:
    rows = read_rows(Input(book({"Facts": ROWS})), schemas()["nuggets"])
    assert rows.get("topic") == ["Sel 🌊", "洪水", "7"]
    assert rows.get("nugget_id") == ["1", "2.5", "true"]
    assert rows.get("text") == ["İSTANBUL'DA köprü\nkapandı; trafik durdu", "大桥关闭", "12"]
    utc = START.replace(tzinfo=dt.UTC).timestamp()
    assert rows.get("time") == [utc, 1772323200.0, 1772343000.0]
    assert rows.get("importance") == [2.0, 0.1, 3.0]
    assert rows.lines[1] == 4


@excel
def test_the_scores_are_those_of_the_same_table_as_csv() -> None:
    import pandas as pd

    gold = pd.read_csv(program.NUGGETS, sep="\t")
    gold.to_excel("gold.xlsx", index=False, sheet_name="Gold")
    plain = tseval.score(program.SWIFT, program.NUGGETS, program.MATCHES)
    found = tseval.score(program.SWIFT, "gold.xlsx", program.MATCHES)
    assert found.frame().equals(plain.frame())


@excel
def test_the_first_sheet_that_holds_anything_is_read_and_told_where_columns_lack() -> None:
    book({"Empty": (), "Notes": (("who", "what"), ("me", "x")), "Facts": ROWS})
    done = program.tseval("score", program.SWIFT, "gold.xlsx")
    assert done.code == 1
    assert "in the first sheet of 2, Notes: who what" in done.err
    book({"Empty": (), "Facts": ((), (), *ROWS)})
    assert program.tseval("validate", "gold.xlsx").out == "gold.xlsx: nuggets, 3 rows, no fault\n"


@excel
@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("t", "n", "soon", "x"), 'row 2: time "soon" is neither a number nor an ISO 8601 time'),
        (("t", None, START, "x"), "row 2: empty nugget_id"),
        (("t", "n", 46083.458, "x"), "row 2: time"),
        (("t", "n", dt.time(5, 3), "x"), 'row 2: time "05:03:00" is neither'),
        (("t", "n", START, "x", "0,5"), 'row 2: importance "0,5" is not a number'),
    ],
)
def test_a_fault_has_the_row_of_the_spreadsheet(row: tuple[object, ...], said: str) -> None:
    book({"Facts": (HEAD, (*row, "1")[:5])})
    done = program.tseval("score", program.SWIFT, "gold.xlsx")
    assert (done.code, f"gold.xlsx: {said}" in done.err) == (1, True), done.err
    assert "\n  | t\t" in done.err


@excel
@pytest.mark.parametrize(
    ("start", "said"),
    [
        (b"PK\x03\x04", "gold.xlsx: cannot be read as a spreadsheet: "),
        (b"\xd0\xcf\x11\xe0", "is a spreadsheet of the form before 2007, or has a password"),
    ],
)
def test_what_is_no_spreadsheet_is_refused(start: bytes, said: str) -> None:
    Path("gold.xlsx").write_bytes(start + bytes(100))
    done = program.tseval("score", program.SWIFT, "gold.xlsx")
    assert (done.code, said in done.err) == (1, True), done.err


@excel
def test_an_empty_one_lacks_its_columns() -> None:
    book({"Facts": ()})
    done = program.tseval("score", program.SWIFT, "gold.xlsx")
    assert done.codes == [("missing-column", None)]


def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    Path("gold.xlsx").write_bytes(b"PK\x03\x04")
    done = program.tseval("score", program.SWIFT, "gold.xlsx")
    assert done.code == 1
    assert done.err.startswith(
        "error: gold.xlsx: reading a spreadsheet needs the extra 'excel': "
        "pip install '.[excel]' in a checkout of tseval"
    )
