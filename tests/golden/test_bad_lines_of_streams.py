"""`score --follow --on-bad-line`: a bad line stops the stream, or is skipped, told and counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.program import FIXTURES, MATCHES, NUGGETS, Outcome, tseval

LINES = (FIXTURES / "live.jsonl").read_bytes().splitlines(keepends=True)
BAD = {
    "no JSON": (b"no json\n", "json-syntax"),
    "a time": (LINES[0].replace(b"1699921800", b'"when"').replace(b"flood-1", b"x"), "time-format"),
    "a repeat": (LINES[0], "duplicate-id"),
    "an id": (LINES[0].replace(b"sw-flood-1", b" "), "empty-value"),
}
SKIP = ("--on-bad-line", "skip")
RULE = "|bad-lines:skip"


def follow(lines: list[bytes], *more: object) -> Outcome:
    given = ("score", "--follow", NUGGETS, "--matches", MATCHES, "-m", "R P", *more)
    return tseval(*given, stdin=b"".join(lines))


def told(outcome: Outcome) -> tuple[str, dict[str, Any]]:
    """The signature, empty where no update came, and the last line."""
    assert outcome.code == 0, outcome.err
    lines = [json.loads(line) for line in outcome.out.splitlines()]
    return lines[0].get("signature", ""), lines[-1]


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_skipped_told_and_counted(name: str, tmp_path: Path) -> None:
    bad, code = BAD[name]
    lines = [LINES[0], bad, *LINES[1:5], bad, *LINES[5:]]
    stopped = follow(lines, "--state", tmp_path / "state")
    assert (stopped.code, stopped.faults[0].code, stopped.faults[0].line) == (1, code, 2)
    assert "--on-bad-line skip" in stopped.err
    assert follow(lines, "--state", tmp_path / "state").code == 1, "it fails there again"

    again = follow(lines, "--state", tmp_path / "state", *SKIP)
    signature, last = told(again)
    _, clean = told(follow(LINES))
    assert last["records"] == clean["records"]
    assert last["warnings"] == ["2 bad lines skipped", *clean["warnings"]]
    assert signature.endswith(RULE)
    assert [
        line[: line.index(": ", 12)] for line in again.err.splitlines() if "skipped" in line
    ] == [
        "warning: skipped -:2",
        "warning: skipped -:7",
    ]
    assert bad.decode().strip() in again.err
    assert told(follow(lines, *SKIP))[1] == last, "a stream that never stopped gives the same"
    assert "skipped" not in follow(lines, *SKIP, "--quiet").err


def test_the_state_knows_what_was_skipped(tmp_path: Path) -> None:
    lines = [*LINES[:3], b"no json\n", *LINES[3:]]
    state = ("--state", tmp_path / "state")
    told(follow(lines[:5], *state, *SKIP))
    signature, last = told(follow(lines, *state))
    assert signature.endswith(RULE), "without the option, too: a line was skipped"
    assert last["warnings"][0] == "1 bad line skipped"
    assert last["records"] == told(follow(LINES))[1]["records"]
    assert RULE not in told(follow(LINES))[0]


def test_a_line_that_is_cut_off_is_read_again(tmp_path: Path) -> None:
    state = ("--state", tmp_path / "state", *SKIP)
    cut = follow([*LINES[:4], LINES[4][:30]], *state)
    assert (cut.code, "skipped -:5" in cut.err) == (0, True)
    last = told(follow(LINES, *state))[1]
    assert last == told(follow(LINES))[1]


NO_RUN = LINES[0].replace(b'"run": "swift", ', b"")


@pytest.mark.parametrize("first", [NO_RUN.replace(b"1699921800", b'"when"'), b"no json\n"])
def test_a_bad_first_line_decides_nothing(first: bytes) -> None:
    _, last = told(follow([first, *LINES], *SKIP))
    assert last["records"] == told(follow(LINES))[1]["records"]
    assert last["warnings"][0] == "1 bad line skipped"


def test_the_first_update_decides_whether_updates_name_their_runs() -> None:
    stopped = follow([NO_RUN, *LINES[1:]])
    assert [(each.code, each.line) for each in stopped.faults[:1]] == [("late-column", 2)]
    assert json.loads(stopped.out.splitlines()[-1])["updates"] == 1, "as if lines came one by one"


def test_the_option_means_something_for_streams_alone() -> None:
    done = tseval("score", FIXTURES / "runs" / "swift.tsv", NUGGETS, *SKIP)
    assert (done.code, "--on-bad-line" in done.err) == (2, True)
