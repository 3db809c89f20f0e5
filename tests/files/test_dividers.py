"""CSV divided by commas, semicolons or bars; decimal commas are called so."""

from __future__ import annotations

from pathlib import Path

import pytest

import tseval
from tests import program

START = 1_700_000_000
FACTS = ("say, this; and | that", 'a "quoted" fact', "Überflutung in 東京 🌊")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def table(sign: str, head: str, end: str = "\n") -> str:
    rows = (
        sign.join(["t", f"x{at}", str(START + at), '"' + fact.replace('"', '""') + '"'])
        for at, fact in enumerate(FACTS)
    )
    return end.join([sign.join(["topic", head, "time", "text"]), *rows]) + end


@pytest.mark.parametrize("sign", [",", ";", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_any_divider_gives_the_same_scores(sign: str, end: str) -> None:
    Path("run.csv").write_bytes(b"\xef\xbb\xbf" + table(sign, "update_id", end).encode())
    Path("gold.csv").write_bytes(table(sign, "nugget_id", end).encode())
    Path("plain.csv").write_bytes(table(",", "nugget_id").encode())
    Path("said.csv").write_bytes(table(",", "update_id").encode())
    found = tseval.score("run.csv", "gold.csv", measures="R P T")
    expected = tseval.score("said.csv", "plain.csv", measures="R P T")
    assert found.value("R") == expected.value("R") == 1.0
    assert found.value("T") == expected.value("T")
    asked = ("score", "run.csv", "gold.csv", "--input-format", "csv", "-m", "R", "-b")
    assert program.tseval(*asked).out == "1.0\n"


def test_one_semicolon_divides_nothing() -> None:
    Path("gold.csv").write_text("topic nugget;id\n")
    done = program.tseval("score", program.SWIFT, "gold.csv")
    assert done.codes == [("unknown-format", 1)]


def test_too_few_fields_name_the_divider() -> None:
    Path("gold.csv").write_text(f"topic;nugget_id;time;text\nt;n;{START}\n")
    done = program.tseval("score", program.SWIFT, "gold.csv")
    assert done.codes == [("field-count", 2)]
    assert 'put a field that holds semicolons between double quotes: "a; b"' in done.err


@pytest.mark.parametrize(("cell", "told"), [("0,5", "0.5"), (" -12,25 ", "-12.25")])
def test_a_decimal_comma_is_called_so(cell: str, told: str) -> None:
    Path("gold.csv").write_text(f"topic;nugget_id;time;text;importance\nt;n;{START};x;{cell}\n")
    done = program.tseval("score", program.SWIFT, "gold.csv")
    assert done.code == 1
    assert f"this is a decimal comma: write {told}, with a point" in done.err
