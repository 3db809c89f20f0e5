"""Columns of other names: calibration, validation, reports, live streams."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import tseval
from tests import program
from tests.files.test_columns import GOLD, UPDATES, of, options, renamed

FIXTURES = program.FIXTURES
SWIFT, NUGGETS, MATCHES = (
    FIXTURES / "runs" / "swift.tsv",
    FIXTURES / "nuggets.tsv",
    FIXTURES / "matches.tsv",
)
PAIRS = {"topic": "subject", "update_id": "nr", "nugget_id": "fact_nr", "run": "agent"}
MAPPING = "".join(
    f"[{kind}]\n" + "".join(f'{own} = "{name}"\n' for own, name in names.items())
    for kind, names in (("updates", UPDATES), ("nuggets", GOLD), ("matches", PAIRS))
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mapping.toml").write_text(MAPPING)
    renamed(SWIFT, UPDATES, "swift.jsonl")
    renamed(NUGGETS, GOLD, "gold.csv")
    renamed(MATCHES, PAIRS, "pairs.tsv")


NAMED = ("--columns", "mapping.toml")


@pytest.mark.parametrize("more", [(), ("--jobs", "2")])
def test_calibration_is_the_same(more: tuple[str, ...]) -> None:
    plain = program.tseval("calibrate", SWIFT, NUGGETS, MATCHES, "-f", "json", "--quiet")
    own = program.tseval(
        "calibrate", "swift.jsonl", "gold.csv", "pairs.tsv", *NAMED, "-f", "json", "--quiet", *more
    )
    assert own.code == 0, own.err
    found, expected = json.loads(own.out), json.loads(plain.out)
    assert found["records"] == expected["records"]
    assert "|columns:updates.topic=subject,updates.update_id=nr," in found["signature"]
    assert "columns:" not in expected["signature"]


def test_validation_takes_files_as_what_they_are_called_to_be() -> None:
    files = ("swift.jsonl", "gold.csv", "pairs.tsv")
    assert program.tseval("validate", *files).code == 1
    done = program.tseval("validate", *files, *NAMED)
    assert done.out.splitlines() == [
        "swift.jsonl: updates, 10 rows, no fault",
        "gold.csv: nuggets, 16 rows, no fault",
        "pairs.tsv: matches, 35 rows, no fault",
    ]
    asked = program.tseval("validate", "gold.csv", "--table", "nuggets", *of(GOLD))
    assert asked.out == "gold.csv: nuggets, 16 rows, no fault\n"


def test_validation_still_tells_faults_and_whether_files_fit() -> None:
    Path("pairs.tsv").write_text(Path("pairs.tsv").read_text().replace("sw-flood-1", "zz"))
    done = program.tseval("validate", "swift.jsonl", "gold.csv", "pairs.tsv", *NAMED)
    assert done.code == 1
    assert 'pairs.tsv:2: match to the unknown update "zz"' in done.out


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("text=zzz", "no column zzz, which --column text=zzz asks for"),
        ("nugets:text=told", "no table 'nugets' here; there are: "),
    ],
)
def test_validation_refuses_a_name_that_is_nowhere(said: str, expected: str) -> None:
    done = program.tseval("validate", "gold.csv", "--column", said)
    assert expected in done.err


def test_a_report_reads_runs_and_gold_by_their_columns() -> None:
    files = ("swift.jsonl", "gold.csv", "--matches", "pairs.tsv")
    score = program.tseval("score", *files, *NAMED, "-m", "R", "-o", "scores.json", "--quiet")
    assert score.code == 0, score.err
    recorded = program.tseval("report", "scores.json", "-o", "recorded.html")
    assert recorded.code == 0, recorded.err
    beside = ("--updates", "swift.jsonl", "--nuggets", "gold.csv", "--matches", "pairs.tsv")
    given = program.tseval("report", "scores.json", *beside, *NAMED, "-o", "given.html")
    assert given.code == 0, given.err
    page = Path("recorded.html").read_bytes()
    assert Path("given.html").read_bytes() == page
    assert b"The river Osk burst its banks" in page
    assert tseval.report(
        "scores.json", updates="swift.jsonl", nuggets="gold.csv", matches="pairs.tsv",
        columns="mapping.toml",
    ).html == page  # fmt: skip


def test_a_report_without_files_refuses_names_of_columns() -> None:
    program.tseval("score", SWIFT, NUGGETS, "--matches", MATCHES, "-o", "scores.json", "--quiet")
    done = program.tseval("report", "scores.json", "--column", "text=said", "-o", "page.html")
    assert done.code == 2
    assert "--column: beside scores a report takes all runs and gold of one family" in done.err


def followed(*arguments: object, stdin: bytes) -> Iterator[dict[str, object]]:
    done = program.tseval("score", "--follow", *arguments, stdin=stdin)
    assert done.code == 0, done.err
    return (json.loads(line) for line in done.out.splitlines())


@pytest.mark.parametrize("said", [of(UPDATES, "updates:"), of(UPDATES)])
def test_a_live_stream_has_its_own_names(said: list[str]) -> None:
    lines = Path("swift.jsonl").read_bytes()
    renamed(SWIFT, {}, "plain.jsonl")
    asked = ("--matches", MATCHES, "-m", "R T")
    head, *rest = followed(NUGGETS, *asked, *said, stdin=lines)
    plain_head, *plain = followed(NUGGETS, *asked, stdin=Path("plain.jsonl").read_bytes())
    assert rest == plain
    assert "|columns:updates.topic=subject," in str(head["signature"])
    assert "columns:" not in str(plain_head["signature"])


def test_a_live_stream_beside_gold_with_its_own_names() -> None:
    lines = Path("swift.jsonl").read_bytes()
    *_, last = followed("gold.csv", "--matches", "pairs.tsv", *NAMED, "-m", "R", stdin=lines)
    *_, other = followed(NUGGETS, "--matches", MATCHES, *of(UPDATES, "updates:"), "-m", "R",
                         stdin=lines)  # fmt: skip
    assert last["records"] == other["records"]


def test_a_stream_whose_lines_lack_the_column_says_so() -> None:
    lines = Path("swift.jsonl").read_bytes()
    done = program.tseval("score", "--follow", NUGGETS, *options("updates:topic=zzz"), stdin=lines)
    assert done.code == 1
    assert 'no "zzz"' in done.err


def test_a_column_that_a_stream_cannot_have_is_refused() -> None:
    done = program.tseval("score", "--follow", NUGGETS, *options("updates:importance=w"))
    assert (done.code, "updates have no column 'importance'" in done.err) == (2, True), done.err
