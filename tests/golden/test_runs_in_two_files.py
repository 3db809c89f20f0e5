"""Runs of one name in two files: shards are one run, versions are told apart by `--name`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

import tseval
from tests import program

FIXTURES = program.FIXTURES
MORE = Path("more.tsv")
"""A second file of the run swift, with other updates."""
WARNING = (
    "warning: run swift is in several files and counted as one run; to keep versions apart, "
    f"pass --name {MORE}=NAME"
)


class Case(NamedTuple):
    command: str
    run: str
    code: str
    line: int | None
    gold: tuple[str, ...]


CASES = {
    "score": Case("score", "runs/swift.tsv", "duplicate-id", 2, ("nuggets.tsv",)),
    "in blocks": Case(
        "score", "runs/swift.tsv", "duplicate-id", 2, ("nuggets.tsv", "--in-blocks", "3")
    ),
    "match": Case("match", "runs/swift.tsv", "duplicate-id", 2, ("nuggets.tsv",)),
    "filter": Case("filter", "filter/fading.tsv", "duplicate-id", 2, ("filter/truth.tsv",)),
    "incidents": Case(
        "incidents",
        "incidents/shy.tsv",
        "duplicate-id",
        2,
        ("incidents/labels.json", "--ontology", "incidents/types.json"),
    ),
    "changes": Case(
        "changes",
        "changes/terse.jsonl",
        "duplicate-id",
        None,
        ("changes/qrels.tsv", "--topics", "changes/topics.jsonl", "--lenient"),
    ),
    "responses": Case(
        "responses",
        "responses/quick.jsonl",
        "duplicate-id",
        1,
        ("--nuggets", "responses/nuggets.jsonl"),
    ),
    "crisisfacts": Case(
        "crisisfacts",
        "crisisfacts/items.jsonl",
        "duplicate-id",
        1,
        ("crisisfacts/facts.json", "--edition", "crisisfacts2022"),
    ),
}


@pytest.fixture(autouse=True)
def _more(here: Path) -> None:  # noqa: ARG001
    MORE.write_text(Path(program.SWIFT).read_text().replace("sw-", "x-"))


@pytest.mark.parametrize("name", CASES)
def test_versions_of_one_name_are_refused_and_told_apart(name: str) -> None:
    case = CASES[name]
    one, two = (Path(f"v{at}{Path(case.run).suffix}") for at in (1, 2))
    lines = (FIXTURES / case.run).read_text().splitlines(keepends=True)
    if name == "filter":  # whose fixtures have no column run
        lines = [f"run\t{lines[0]}", *(f"same\t{each}" for each in lines[1:])]
    if name == "crisisfacts":
        lines = lines[:1]
    for file in (one, two):
        file.write_text("".join(lines))
    gold = [str(FIXTURES / each) if "." in each else each for each in case.gold]
    done = program.tseval(case.command, one, two, *gold)
    assert (done.code, done.out) == (1, "")
    assert (done.faults[0].file, *done.codes[0]) == (str(two), case.code, case.line)
    assert f"--name {two}=NAME" in done.err
    cured = program.tseval(case.command, one, two, *gold, "--name", f"{two}=NAME")
    assert (cured.code, "NAME" in cured.out) == (0, True), cured.err


@pytest.mark.parametrize(
    "command",
    [
        ("score", program.NUGGETS, "-m", "R"),
        ("score", program.NUGGETS, "-m", "R", "--in-blocks", "3"),
        ("score", program.NUGGETS, "-m", "R", "-j", "2"),
        ("curve", program.NUGGETS, "-m", "R"),
        ("match", program.NUGGETS),
        ("compare", program.THOROUGH, "--gold", program.NUGGETS, "-m", "R"),
        ("sweep", program.NUGGETS, "-m", "R"),
        ("calibrate", program.NUGGETS, program.MATCHES),
        ("sample", program.NUGGETS, "--pairs", "100"),
    ],
    ids=" ".join,
)
def test_shards_are_one_run_with_a_warning(command: tuple[str, ...]) -> None:
    done = program.tseval(command[0], program.SWIFT, MORE, *command[1:])
    assert done.code == 0, done.err
    assert done.err.count(WARNING) == 1
    apart = ("--name", f"{MORE}=other")
    assert WARNING not in program.tseval(command[0], program.SWIFT, MORE, *command[1:], *apart).err


def test_scores_in_python_carry_the_warning() -> None:
    scores = tseval.score([program.SWIFT, str(MORE)], program.NUGGETS, measures="R")
    assert WARNING.removeprefix("warning: ") in scores.warnings


def test_many_runs_are_one_line() -> None:
    text = Path(program.SWIFT).read_text() + "".join(
        Path(program.THOROUGH).read_text().splitlines(keepends=True)[1:]
    )
    Path("both.tsv").write_text(text)
    shutil.copy("both.tsv", "again.tsv")
    Path("again.tsv").write_text(text.replace("sw-", "x-").replace("th-", "y-"))
    done = program.tseval("score", "both.tsv", "again.tsv", program.NUGGETS, "-m", "R")
    (told,) = [line for line in done.err.splitlines() if "in several files" in line]
    assert told == (
        "warning: 2 runs (swift, thorough) are each in several files and counted as one run; to "
        "keep versions apart, use other names in the column run"
    )
    assert len(told) <= 160


def test_references_in_two_files_are_no_runs() -> None:
    for name, text in (("run", "a b"), ("one", "a b c"), ("other", "b c")):
        Path(f"{name}.csv").write_text(f"topic,run,date,text\nt,mine,2020-01-01,{text}\n")
    done = program.tseval("timelines", "run.csv", "one.csv", "--gold", "other.csv")
    assert done.code == 0, done.err
    assert "in several files" not in done.err
