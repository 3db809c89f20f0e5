"""Markdown, LaTeX, the bare number, and the topics that JSON and Parquet always hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tseval
from tests import program

RUNS = (program.SWIFT, program.THOROUGH)
GOLD = (program.NUGGETS, "--matches", program.MATCHES, "--quiet")
SIGNATURE = (
    "tseval:0.1.0|edition:draft|matcher:assessed|nuggets:sha256:53e2c3d00c36|"
    "matches:sha256:5ec229b05314|cost:1|missing:zero|undefined:skip"
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_markdown() -> None:
    done = program.tseval("score", *RUNS, *GOLD, "-m", "P T", "-q", "-f", "markdown")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[:6] == [
        "| run | topic | P | T [h] |",
        "| :--- | :--- | ---: | ---: |",
        "| swift | ferry | 1.8000 | -0.5000 |",
        "| swift | flood | 1.8000 | 0.6250 |",
        "| swift | mine | – | – |",
        "| swift | all | 1.8000 | 0.0625 |",
    ]
    assert done.out.splitlines()[-1] == f"`{SIGNATURE}`"
    program.tseval("score", *RUNS, *GOLD, "-m", "P T", "-q", "-o", "scores.md")
    assert Path("scores.md").read_text() == done.out


def test_a_name_with_a_bar_parts_no_cell() -> None:
    Path("run.tsv").write_text("topic\tupdate_id\ttime\ttext\tcost\nflood\tu\t1700000000\tso\t1\n")
    named = ("--name", "run.tsv=a|b_1", "-m", "R")
    done = program.tseval("score", "run.tsv", program.SWIFT, *GOLD, *named, "-f", "markdown")
    assert "| a\\|b_1 | 0.0000 |" in done.out
    done = program.tseval("score", "run.tsv", program.SWIFT, *GOLD, *named, "-f", "latex")
    assert "a|b\\_1 & 0.0000 \\\\" in done.out


def test_latex() -> None:
    done = program.tseval("score", program.SWIFT, *GOLD, "-m", "P T", "-f", "latex")
    assert done.out.splitlines() == [
        r"\begin{tabular}{lrr}",
        f"% {SIGNATURE}",
        r"\toprule",
        r"run & P & T [h] \\",
        r"\midrule",
        r"swift & 1.8000 & 0.0625 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    scores = tseval.score(program.SWIFT, program.NUGGETS, program.MATCHES, measures="P T")
    scores.save("scores.tex", per_topic=False)
    assert Path("scores.tex").read_text() == done.out


def test_the_bare_number() -> None:
    value = tseval.score(program.SWIFT, program.NUGGETS, program.MATCHES).value("R")
    done = program.tseval("score", program.SWIFT, *GOLD, "-m", "R", "-b")
    assert (done.code, done.out, done.err) == (0, f"{value!r}\n", "")
    program.tseval("score", program.SWIFT, *GOLD, "-m", "R", "--brief", "-o", "number.txt")
    assert Path("number.txt").read_text() == done.out
    Path("run.tsv").write_text("topic\tupdate_id\ttime\ttext\nother\tu\t1700000000\tso\n")
    assert program.tseval("score", "run.tsv", program.NUGGETS, "-m", "T", "-b").out == "undefined\n"
    blocks = program.tseval("score", program.SWIFT, *GOLD, "-m", "R", "-b", "--in-blocks", "5")
    assert blocks.out == done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            (program.SWIFT, *GOLD),
            "--brief prints one number, and here are 1 run and 4 measures: give",
        ),
        ((*RUNS, *GOLD, "-m", "R"), "--brief prints one number, and here are 2 runs and 1 measure"),
        ((program.SWIFT, *GOLD, "-m", "R", "-q"), "-t has no meaning with --brief"),
        ((program.SWIFT, *GOLD, "-m", "R", "-f", "csv"), "-f has no meaning with --brief"),
        (
            (program.SWIFT, *GOLD, "--explain", "nuggets"),
            "--explain has no meaning with --brief",
        ),
    ],
)
def test_what_is_no_bare_number(arguments: tuple[str, ...], said: str) -> None:
    done = program.tseval("score", *arguments, "--brief")
    assert (done.code, said in done.err) == (2, True), done.err


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_topics_are_always_there(form: str) -> None:
    bare, full = f"bare.{form}", f"full.{form}"
    program.tseval("score", *RUNS, *GOLD, "-o", bare)
    program.tseval("score", *RUNS, *GOLD, "-q", "-o", full)
    assert Path(bare).read_bytes() == Path(full).read_bytes()
    assert program.tseval("compare", bare, "--quiet").code == 0
    assert program.tseval("report", bare, "-o", "page.html", "--quiet").code == 0


def test_comparisons_as_markdown() -> None:
    program.tseval("score", *RUNS, *GOLD, "-m", "R", "-o", "scores.json")
    done = program.tseval("compare", "scores.json", "--quiet", "-f", "markdown")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("**R (higher is better)")
    assert lines[2].startswith("| rank | run | mean |")
    assert lines[-1].startswith("`tseval:0.1.0|compare:runs")
    told = program.tseval("compare", "scores.json", "-f", "json", "--quiet").out
    assert json.loads(told)["means"][0]["run"] == "thorough"
