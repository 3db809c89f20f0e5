"""The caveat of automatic matches goes where their scores go, once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tseval as api
from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH, tseval

CAVEAT = (
    "Automatic matches: check them on your texts with `tseval calibrate` before relying on these "
    "scores."
)
RUNS = (SWIFT, THOROUGH)
LIVE = (FIXTURES / "live.jsonl").read_bytes()
HAND = ("--matches", MATCHES)


def test_it_is_one_line_of_a_terminal() -> None:
    assert len(f"warning: {CAVEAT}") <= 160


@pytest.mark.parametrize(
    "command",
    [
        ("score", *RUNS, NUGGETS),
        ("score", *RUNS, NUGGETS, "--matcher", "fuzzy", "-f", "csv"),
        ("score", *RUNS, NUGGETS, "-f", "json"),
        ("score", SWIFT, NUGGETS, "-m", "R", "--brief"),
        ("score", *RUNS, NUGGETS, "--in-blocks", "4"),
        ("score", *RUNS, NUGGETS, "--explain", "updates"),
        ("score", *RUNS, NUGGETS, "--jitter", "1h"),
        ("curve", *RUNS, NUGGETS),
        ("compare", *RUNS, "--gold", NUGGETS),
        ("compare", *RUNS, "--gold", NUGGETS, "--lead"),
        ("match", *RUNS, NUGGETS, "--matcher", "fuzzy", "--matcher", "grams"),
    ],
)
def test_standard_error_has_it_once(command: tuple[str, ...]) -> None:
    done = tseval(*command)
    assert done.code == 0, done.err
    assert done.err.splitlines().count(f"warning: {CAVEAT}") == 1
    assert CAVEAT not in tseval(*command, "--quiet").err
    if command[0] != "match":
        by_hand = [part for part in command if part not in ("--matcher", "fuzzy")]
        assert CAVEAT not in tseval(*by_hand, *HAND).err


def test_json_and_python_have_it_once() -> None:
    for more, times in (((), 1), (("--matcher", "grams"), 1), (HAND, 0)):
        done = tseval("score", *RUNS, NUGGETS, *more, "-f", "json")
        assert json.loads(done.out)["warnings"].count(CAVEAT) == times
    last = tseval("score", "--follow", NUGGETS, stdin=LIVE).out.splitlines()[-1]
    assert json.loads(last)["warnings"].count(CAVEAT) == 1
    assert api.score([*RUNS], NUGGETS).warnings.count(CAVEAT) == 1
    assert api.score([*RUNS], NUGGETS, MATCHES).warnings.count(CAVEAT) == 0
    assert api.jitter([*RUNS], NUGGETS).warnings.count(CAVEAT) == 1


def test_matches_that_a_matcher_wrote_are_automatic_still(tmp_path: Path) -> None:
    kept = tmp_path / "found.tsv"
    assert tseval("match", *RUNS, NUGGETS, "-o", kept, "--quiet").code == 0
    assert api.score([*RUNS], NUGGETS, str(kept)).warnings.count(CAVEAT) == 1


@pytest.mark.parametrize("automatic", [True, False])
def test_comparisons_and_pages_of_files_of_scores_have_it_once(
    tmp_path: Path, automatic: bool
) -> None:
    """Of two files of scores, with the runs beside them and without, and of scores in memory."""
    files = [tmp_path / "swift.json", tmp_path / "thorough.parquet"]
    matched = () if automatic else HAND
    for run, file in zip(RUNS, files, strict=True):
        assert tseval("score", run, NUGGETS, *matched, "-o", file, "--quiet").code == 0
    assert tseval("compare", *files).err.count(CAVEAT) == automatic
    compared = json.loads(tseval("compare", *files, "-f", "json").out)
    assert compared["warnings"].count(CAVEAT) == automatic
    gold = ("--updates", SWIFT, "--updates", THOROUGH, "--nuggets", NUGGETS, *matched)
    for beside in ((), gold):
        page = tmp_path / "page.html"
        assert tseval("report", *files, *beside, "-o", page).err.count(CAVEAT) == automatic
        assert page.read_text(encoding="utf-8").count("Automatic matches: check") == automatic
    matches = None if automatic else MATCHES
    made = api.report(
        api.score([*RUNS], NUGGETS, matches), updates=[*RUNS], nuggets=NUGGETS, matches=matches
    )
    assert made.warnings.count(CAVEAT) == automatic


def test_scores_that_judgments_correct_do_not_need_it() -> None:
    sample = api.sample([*RUNS], NUGGETS, pairs=200)
    sample["verdict"] = "yes"
    assert api.score([*RUNS], NUGGETS, judged=sample).warnings.count(CAVEAT) == 0


def test_what_to_report_beside_a_p_above_1_is_told_to_whoever_asked_for_nothing() -> None:
    by_hand = ("score", SWIFT, THOROUGH, NUGGETS, "--matches", MATCHES)
    told = tseval(*by_hand, watched=True).err
    assert (
        "note: P exceeds 1 where one update is the first to say several nuggets; at most 1 are "
        "P(updates) and F: swift 0.7000 and 0.4981, thorough 0.4769 and 0.6226 "
        "(-m 'P P(updates) F R Rs T')\n"
    ) in told
    assert "note:" not in tseval(*by_hand).err
    assert "note:" not in tseval(*by_hand, "--quiet", watched=True).err
    assert "note:" not in tseval(*by_hand, "-f", "csv", watched=True).err
    assert "note:" not in tseval(*by_hand, "-m", "P R", watched=True).err
    assert "note:" not in tseval(*by_hand, "--edition", "ts", watched=True).err
    alone = ("score", SWIFT, NUGGETS, "--matches", MATCHES)
    assert "P(updates) and F: 0.7000 and 0.4981 (" in tseval(*alone, watched=True).err
    zero = tseval(*alone, "--undefined", "zero", watched=True).err
    assert "P(updates) and F: 0.4667 and 0.4981 (" in zero
