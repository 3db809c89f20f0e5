"""Results that would take the place of an input, or carry a name that promises something else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.program import FIXTURES
from tests.program import tseval as program

KEPT = ("runs/swift.tsv", "nuggets.tsv", "matches.tsv", "clusters.tsv", "incidents/types.json")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in KEPT:
        shutil.copy(FIXTURES / name, tmp_path)
    for name in ("steady.tsv", "truth.tsv"):
        shutil.copy(FIXTURES / "filter" / name, tmp_path)
    for name in ("shy.tsv", "labels.json"):
        shutil.copy(FIXTURES / "incidents" / name, tmp_path)
    shutil.copy("nuggets.tsv", "gold.csv")
    shutil.copy("truth.tsv", "truth.csv")
    Path("scores.csv").write_text("run,topic,measure,value\na,t,R,0.5\nb,t,R,0.25\n")


@pytest.mark.parametrize(
    "arguments",
    [
        "score swift.tsv gold.csv -o gold.csv",
        "score swift.tsv nuggets.tsv --matches matches.tsv -f csv -o ./matches.tsv",
        "curve swift.tsv gold.csv -o gold.csv",
        "match swift.tsv nuggets.tsv -o nuggets.tsv",
        "calibrate swift.tsv gold.csv matches.tsv -o gold.csv",
        "filter steady.tsv truth.csv -o truth.csv",
        "filter steady.tsv truth.tsv --series truth.tsv",
        "clusters swift.tsv clusters.tsv --explain -o clusters.tsv",
        "incidents shy.tsv labels.json --ontology types.json -o types.json",
        "compare scores.csv -o scores.csv",
        "report scores.csv -o scores.csv",
        "import ts-nuggets nuggets.tsv -o nuggets.tsv",
        "score --follow nuggets.tsv --state nuggets.tsv",
    ],
)
def test_an_input_is_not_written_over(arguments: str) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    outcome = program(*arguments.split(), stdin=b"")
    name = arguments.split()[-1].removeprefix("./")
    assert outcome.code == 2
    assert outcome.err.endswith(f"{name} is an input too: name another file for the result\n")
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_a_link_to_an_input_is_the_input() -> None:
    Path("link.csv").symlink_to("gold.csv")
    outcome = program("score", "swift.tsv", "gold.csv", "-o", "link.csv")
    assert (outcome.code, "link.csv is an input too" in outcome.err) == (2, True)


def test_a_result_of_before_is_written_over() -> None:
    for _ in range(2):
        assert program("score", "swift.tsv", "nuggets.tsv", "-o", "out.csv").code == 0


@pytest.mark.parametrize("name", ["x.tsv.gz", "x.csv", "x.parquet"])
def test_an_imported_table_has_no_other_name(name: str) -> None:
    outcome = program("import", "ts-nuggets", "nuggets.tsv", "-o", name)
    assert outcome.code == 2
    assert outcome.err == f"error: {name}: the table is plain TSV, so name a file .tsv\n"


def test_a_page_has_no_other_name() -> None:
    outcome = program("report", "scores.csv", "-o", "page.pdf")
    assert outcome.code == 2
    assert outcome.err == "error: page.pdf: the page is HTML, so name a file .html\n"


@pytest.mark.parametrize(
    ("command", "name", "gold"),
    [
        ("score", "swift.tsv", "nuggets.tsv"),
        ("clusters", "swift.tsv", "clusters.tsv"),
        ("filter", "steady.tsv", "truth.tsv"),
        ("validate", "swift.tsv", "nuggets.tsv"),
    ],
)
def test_lines_that_end_with_carriage_returns_alone(command: str, name: str, gold: str) -> None:
    """They would be one line, the header, and the run empty."""
    content = Path(name).read_bytes()
    Path(name).write_bytes(content.replace(b"\n", b"\r"))
    outcome = program(command, name, gold)
    assert outcome.code == 1
    assert f"{name}:1: lines end with carriage returns alone" in outcome.err + outcome.out


def test_any_whole_number_is_a_seed() -> None:
    given = ("calibrate", "swift.tsv", "nuggets.tsv", "matches.tsv", "--quiet", "--seed")
    assert program(*given, "-1").code == 0
    assert program(*given, "-1").out != program(*given, "1").out
