"""Who names no matcher gets `learned`, whoever is asked; `fuzzy` gives the numbers that it gave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tseval
from tests import program
from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH

RUNS = (SWIFT, THOROUGH)
LEARNED = "learned(threshold=0.2,weights=5d293f7b0eba)"
LIVE = (FIXTURES / "live.jsonl").read_bytes()


@pytest.mark.parametrize(
    "command",
    [
        ("score", *RUNS, NUGGETS),
        ("score", *RUNS, NUGGETS, "--in-blocks", "4"),
        ("score", *RUNS, NUGGETS, "--in-blocks", "4", "-j", "2"),
        ("score", "--follow", NUGGETS),
        ("score", *RUNS, NUGGETS, "--explain", "updates", "-f", "json"),
        ("score", *RUNS, NUGGETS, "--jitter", "1h"),
        ("compare", *RUNS, "--gold", NUGGETS),
        ("match", *RUNS, NUGGETS, "-f", "tsv"),
        ("sample", *RUNS, NUGGETS, "--pairs", "150"),
    ],
)
def test_a_command_without_a_matcher_takes_learned(command: tuple[str, ...]) -> None:
    done = program.tseval(*command, "--quiet", stdin=LIVE)
    assert done.code == 0, done.err
    assert LEARNED in done.out
    assert "fuzzy" not in done.out


def test_calibrate_sweep_and_the_desk_take_learned_too() -> None:
    calibrated = program.tseval("calibrate", *RUNS, NUGGETS, MATCHES, "--quiet").out
    assert "|matcher:learned(weights=" in calibrated
    swept = program.tseval("sweep", *RUNS, NUGGETS, "-m", "R", "-f", "json", "--quiet").out
    assert "|settings:learned@" in json.loads(swept)["signature"]
    assert program.tseval("assess", "open", "--help").out.count("[default: learned]") == 1


def test_the_page_made_directly_marks_the_words_of_the_default_matcher(tmp_path: Path) -> None:
    """`fuzzy` writes a number as it stands, `learned` as the normaliser has it: pages differ."""
    program.tseval("score", *RUNS, NUGGETS, "-o", tmp_path / "s.json", "--quiet")
    beside = ("--updates", SWIFT, "--updates", THOROUGH, "--nuggets", NUGGETS)
    pages = []
    for more in ((), ("--matcher", "learned"), ("--matcher", "fuzzy")):
        page = tmp_path / f"{len(pages)}.html"
        done = program.tseval("report", tmp_path / "s.json", *beside, *more, "-o", page)
        assert done.code == 0, done.err
        pages.append(page.read_bytes())
    assert pages[0] == pages[1] != pages[2]


@pytest.mark.parametrize(
    ("matcher", "expected"),
    [
        # As `--matches` gives them: every pair of the assessors is found, and no other.
        (None, {"P": 1.8, "R": 0.55, "Rs": 0.55, "T": 0.0625}),
        # What the default gave before: `flood-n4`, of weight 1 of 10, is missed in `sw-flood-2`.
        ("fuzzy", {"P": 1.7, "R": 0.55 - 0.1 / 3, "Rs": 0.55 - 0.1 / 3, "T": -5 / 12}),
    ],
)
def test_the_numbers_of_both(matcher: str | None, expected: dict[str, float]) -> None:
    named = () if matcher is None else ("--matcher", matcher)
    done = program.tseval("score", SWIFT, NUGGETS, *named, "-f", "json", "--quiet")
    records = json.loads(done.out)["records"]
    found = {each["measure"]: each["value"] for each in records if each["topic"] == "all"}
    assert found == pytest.approx(expected)
    chosen = {} if matcher is None else {"matcher": matcher}
    called = tseval.score(SWIFT, NUGGETS, **chosen)  # type: ignore[arg-type]
    assert {name: called.value(name) for name in expected} == pytest.approx(expected)
    assert called.signature == json.loads(done.out)["signature"]


def test_python_calls_without_a_matcher() -> None:
    assert LEARNED in tseval.score(SWIFT, NUGGETS).signature
    assert LEARNED in tseval.jitter(SWIFT, NUGGETS).signature
    assert set(tseval.match(SWIFT, NUGGETS)["matcher"]) == {LEARNED}
    assert tseval.curve(SWIFT, NUGGETS, measures="R")["value"].max() == pytest.approx(0.55)
    assert "flood-n4" in str(tseval.explain(SWIFT, NUGGETS, what="updates")["earned"].tolist())
