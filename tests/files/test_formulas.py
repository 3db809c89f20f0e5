"""Cells that a spreadsheet takes for formulas: told about, or written as texts."""

from __future__ import annotations

import csv
import io
import re
import warnings
from pathlib import Path

import pytest
from hypothesis import given

import tseval
from tests import program
from tests import strategies as st
from tests.program import MATCHES, NUGGETS, SWIFT
from tseval.io.rows import guarded

NUMBER = re.compile(r"[+-](\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]inf")
CELLS = st.text(st.sampled_from("=+-@\t\",\n0.e15a '"), max_size=6)
ROWS = st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=5)


def is_formula(cell: str) -> bool:
    return len(cell) > 1 and cell[0] in "=+-@\t" and NUMBER.fullmatch(cell) is None


def written(rows: list[list[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


def read(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


def safe(content: bytes, form: str) -> bytes:
    return guarded(content, form, safe=True)


@given(ROWS)
def test_csv_as_one_cell_after_the_other_would_have_it(rows: list[list[str]]) -> None:
    content = written(rows)
    expected = [[f"'{cell}" if is_formula(cell) else cell for cell in row] for row in rows]
    assert read(safe(content, "csv")) == expected
    assert safe(safe(content, "csv"), "csv") == safe(content, "csv")


@given(ROWS)
def test_tsv_as_one_cell_after_the_other_would_have_it(rows: list[list[str]]) -> None:
    """To some programs double quotes mean nothing, others take them away."""
    rows = [[re.sub(r"\s", " ", cell) for cell in row] for row in rows]
    content = "".join("\t".join(row) + "\n" for row in rows)
    found = [line.split("\t") for line in safe(content.encode(), "tsv").decode().splitlines()]
    for row, cells in zip(rows, found, strict=True):
        for cell, now in zip(row, cells, strict=True):
            quotes = cell[: len(cell) - len(cell.lstrip('"'))]
            bare = cell.lstrip('"')
            is_number = NUMBER.fullmatch(bare.removesuffix('"'))
            assert now == (f"{quotes}'{bare}" if is_formula(bare) and not is_number else cell)


@pytest.fixture
def formula(tmp_path: Path) -> tuple[str, str]:
    """A run and gold, whose topic, names and texts are formulas."""
    files = []
    for name, kind in (("=run.tsv", "update_id"), ("gold.tsv", "nugget_id")):
        file = tmp_path / name
        file.write_text(
            f"topic\t{kind}\ttime\ttext\n"
            "=flood\t@u\t1710000000\t+cmd|' /C calc'!A0 banks \"break\", again\n"
        )
        files.append(str(file))
    return files[0], files[1]


EVERY = [
    ("score {run} {gold} -q", "csv", "=run,=flood,R,", "'=run,'=flood,R,"),
    ("score {run} {gold} --explain updates", "csv", "\n=run,=flood,@u,", "\n'=run,'=flood,'@u,"),
    ("score {run} {gold} --explain updates", "tsv", "\n=run\t=flood\t", "\n'=run\t'=flood\t"),
    ("match {run} {gold}", "tsv", "=run\t", "'=run\t"),
    ("curve {run} {gold} -q", "csv", "=run,=flood,", "'=run,'=flood,"),
    ("compare --gold {gold} {run} {other} -m R", "csv", ",=run,", ",'=run,"),
]


@pytest.mark.parametrize(("asked", "form", "plain", "quoted"), EVERY)
def test_every_command_tells_of_formulas_and_makes_texts_of_them(
    asked: str, form: str, plain: str, quoted: str, formula: tuple[str, str], tmp_path: Path
) -> None:
    run, gold = formula
    other = tmp_path / "other.tsv"
    other.write_bytes(Path(run).read_bytes())
    words = [each.format(run=run, gold=gold, other=other) for each in asked.split()]
    told = program.tseval(*words, "-f", form)
    assert told.code == 0
    assert plain in told.out
    assert told.err.count("as a formula does") == 1
    assert "--safe-csv writes an apostrophe before each" in told.err
    hushed = program.tseval(*words, "-f", form, "--quiet")
    assert hushed.out == told.out
    assert "formula" not in hushed.err
    mended = program.tseval(*words, "-f", form, "--safe-csv", "-o", tmp_path / f"out.{form}")
    assert mended.code == 0
    assert "formula" not in mended.err
    content = (tmp_path / f"out.{form}").read_bytes()
    assert quoted in content.decode()
    assert guarded(content, form, safe=True) == content


def test_nothing_is_said_and_changed_where_there_is_none() -> None:
    asked = ("score", SWIFT, NUGGETS, "--matches", MATCHES, "-q", "-f", "csv")
    plain, safely = program.tseval(*asked), program.tseval(*asked, "--safe-csv")
    assert plain.out == safely.out
    assert ",-0.5" in plain.out
    assert "formula" not in plain.err + safely.err


@pytest.mark.parametrize("form", ["table", "json", "latex"])
def test_the_option_is_refused_where_no_spreadsheet_is_written(form: str) -> None:
    refused = program.tseval("score", SWIFT, NUGGETS, "-f", form, "--safe-csv")
    assert refused.code == 2
    assert f"--safe-csv has no meaning with -f {form}: it is for CSV and TSV" in refused.err


def test_files_beside_the_result(formula: tuple[str, str], tmp_path: Path) -> None:
    review = tmp_path / "review.csv"
    asked = ("match", *formula, "--review", review, "-f", "json", "-o", tmp_path / "found.json")
    assert "as a formula does (=flood)" in program.tseval(*asked).err
    assert "formula" not in program.tseval(*asked, "--safe-csv").err
    assert safe(review.read_bytes(), "csv") == review.read_bytes()


def test_calls_of_python(formula: tuple[str, str], tmp_path: Path) -> None:
    run, gold = formula
    scores = tseval.score([run, SWIFT], gold, on_missing="skip")
    found = tseval.compare(scores)
    for saved in (scores, found):
        with pytest.warns(UserWarning, match=r"as a formula does .*safe_csv=True writes"):
            saved.save(tmp_path / "plain.csv")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            saved.save(tmp_path / "safe.csv", safe_csv=True)
            saved.save(tmp_path / "plain.json")
        content = (tmp_path / "safe.csv").read_bytes()
        assert safe(content, "csv") == content
