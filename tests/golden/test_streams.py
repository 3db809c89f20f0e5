"""`score --in-blocks` and `score --follow` as a user meets them."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH, command
from tests.program import tseval as program

LIVE = (FIXTURES / "live.jsonl").read_bytes()


@pytest.fixture
def matches(tmp_path: Path) -> str:
    """The matches of `swift` alone, for a stream that is `swift` alone."""
    lines = Path(MATCHES).read_text(encoding="utf-8").splitlines(keepends=True)
    path = tmp_path / "matches.tsv"
    path.write_text("".join(line for line in lines if "thorough" not in line), encoding="utf-8")
    return str(path)


def follow(*more: object, stdin: bytes = LIVE) -> list[dict[str, object]]:
    outcome = program("score", "--follow", NUGGETS, *more, stdin=stdin)
    assert outcome.code == 0, outcome.err
    return [json.loads(line) for line in outcome.out.splitlines()]


@pytest.mark.parametrize(
    ("form", "rows"), [("table", 1), ("csv", 4), ("json", 1), ("json", 4), ("trec", 1000)]
)
def test_blocks_print_what_the_whole_prints(form: str, rows: int) -> None:
    arguments = ("score", SWIFT, THOROUGH, NUGGETS, "--matches", MATCHES, "-q", "-f", form)
    whole, blocks = program(*arguments), program(*arguments, "--in-blocks", rows)
    assert blocks == whole
    assert whole.code == 0


def test_a_stream_ends_with_the_scores_of_the_file(matches: str) -> None:
    told = follow("--matches", matches, "-q")
    scores = program("score", SWIFT, NUGGETS, "--matches", matches, "-q", "-f", "json")
    whole = json.loads(scores.out)
    assert told[-1]["records"] == whole["records"]
    assert told[-1]["warnings"] == whole["warnings"]
    assert str(told[0]["signature"]).startswith(whole["signature"])
    assert told[-1]["late"] == 1


def test_only_what_changed_is_told(matches: str) -> None:
    told = follow("--matches", matches, "-m", "R", "-q")
    known: dict[tuple[object, ...], object] = {}
    for line in told[1:-1]:
        for record in line["records"]:  # type: ignore[attr-defined]
            key = (record["run"], record["topic"], record["measure"])
            assert known.get(key, "new") != record["value"]
            known[key] = record["value"]


def test_the_same_lines_give_the_same_bytes_however_they_come() -> None:
    at_once = program(*("score", "--follow", NUGGETS, "--every", 3), stdin=LIVE)
    with subprocess.Popen(
        command("score", "--follow", NUGGETS, "--every", 3),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for line in LIVE.splitlines(keepends=True):
            running.stdin.write(line[:20])
            running.stdin.flush()
            running.stdin.write(line[20:])
            running.stdin.flush()
        running.stdin.close()
        assert running.stdout.read() == at_once.output


def test_a_faulty_line_ends_the_stream_after_all_before_it(tmp_path: Path) -> None:
    lines = LIVE.splitlines(keepends=True)
    state = tmp_path / "state"
    broken = b"".join([*lines[:4], b'{"topic": "flood"}\n', *lines[4:]])
    outcome = program("score", "--follow", NUGGETS, "--state", state, stdin=broken)
    assert outcome.code == 1
    assert outcome.codes == [("missing-key", 5)]
    assert '  | {"topic": "flood"}' in outcome.err
    assert json.loads(outcome.out.splitlines()[-1])["updates"] == 4
    mended = follow("--state", state)
    assert mended[-1] == follow()[-1]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"not JSON\n", "json-syntax"),
        (b"\xff\n", "encoding"),
        (LIVE.splitlines(keepends=True)[0], "duplicate-id"),
        (
            b'{"topic":"flood","update_id":"x","time":"soon","text":"y","run":"swift"}\n',
            "time-format",
        ),
        (b'{"topic":"flood","update_id":"x","time":NaN,"text":"y","run":"swift"}\n', "time-format"),
    ],
)
def test_faults_name_the_line(line: bytes, code: str) -> None:
    outcome = program("score", "--follow", NUGGETS, stdin=LIVE + line)
    assert (outcome.code, (code, LIVE.count(b"\n") + 1) in outcome.codes) == (1, True)
    assert "Traceback" not in outcome.err


def test_another_stream_is_not_taken_for_the_one_that_was_saved(tmp_path: Path) -> None:
    state, lines = tmp_path / "state", LIVE.splitlines(keepends=True)
    follow("--state", state, stdin=b"".join(lines[:5]))
    other = program("score", "--follow", NUGGETS, "--state", state, stdin=b"".join(lines[::-1]))
    assert other.code == 1
    assert other.codes == [("other-state", None)]
    short = program("score", "--follow", NUGGETS, "--state", state, stdin=b"".join(lines[:3]))
    assert short.code == 1
    assert short.codes == [("other-state", None)]


def test_a_state_goes_on_with_the_same_rules_alone(tmp_path: Path) -> None:
    state = tmp_path / "state"
    follow("--state", state, "-m", "P")
    other = program("score", "--follow", NUGGETS, "--state", state, "-m", "R", stdin=LIVE)
    assert other.code == 1
    assert other.codes == [("other-state", None)]
    state.write_bytes(state.read_bytes()[:100])
    broken = program("score", "--follow", NUGGETS, "--state", state, "-m", "P", stdin=LIVE)
    assert broken.code == 1
    assert broken.codes == [("damaged-file", None)]


def test_a_stream_killed_in_the_middle_ends_as_one_that_was_not(tmp_path: Path) -> None:
    state = tmp_path / "state"
    lines = LIVE.splitlines(keepends=True)
    follow("--state", state, stdin=b"".join(lines[:3]))
    with subprocess.Popen(
        command("score", "--follow", NUGGETS, "--state", state),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(b"".join(lines[:7]))
        running.stdin.flush()
        for _ in range(4):
            assert running.stdout.readline()
        running.kill()
    assert follow("--state", state)[-1] == follow()[-1]


def test_an_interrupted_stream_is_saved(tmp_path: Path) -> None:
    state = tmp_path / "state"
    lines = LIVE.splitlines(keepends=True)
    with subprocess.Popen(
        command("score", "--follow", NUGGETS, "--state", state),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(b"".join(lines[:7]))
        running.stdin.flush()
        for _ in range(7):
            assert running.stdout.readline()
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=30) == 130
    assert follow("--state", state, "--continued", stdin=b"".join(lines[7:]))[-1] == follow()[-1]
    refused = program("score", "--follow", NUGGETS, "--state", state, stdin=LIVE)
    assert "went on without its beginning" in refused.err


def test_nothing_at_all() -> None:
    told = follow(stdin=b"")
    assert told == [
        {
            "updates": 0,
            "late": 0,
            "time": None,
            "records": [],
            "final": True,
            "warnings": ["there was no update"],
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--follow", NUGGETS, "-f", "csv"), "-f has no meaning with --follow"),
        (("--follow", NUGGETS, "--edition", "ts2014"), "scores by the draft"),
        (("--follow", NUGGETS, "--continued"), "--continued has no meaning without --state"),
        (("--follow", NUGGETS, "-m", "EG"), "needs all updates at once"),
        (("--follow", SWIFT, NUGGETS), "With --follow give the file of nuggets"),
        ((SWIFT, NUGGETS, "--every", "2"), "--every has no meaning without --follow"),
        ((SWIFT, NUGGETS, "--state", "x"), "--state has no meaning without --follow"),
        ((SWIFT, NUGGETS, "--in-blocks", "5", "--explain", "nuggets"), "--in-blocks"),
        ((SWIFT, NUGGETS, "--in-blocks", "5", "--binary"), "without other rules"),
        ((SWIFT, NUGGETS, "--in-blocks", "5", "-m", "ELG"), "needs all updates at once"),
    ],
)
def test_what_has_no_meaning_is_refused(arguments: tuple[str, ...], said: str) -> None:
    outcome = program("score", *arguments, stdin=LIVE)
    assert outcome.code in (1, 2)
    assert said in outcome.err


FIRST = b'{"topic": "flood", "update_id": "u1", "time": 1699921800, "text": "so"}\n'
SECOND = FIRST.replace(b"u1", b"u2")


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ((FIRST, SECOND.replace(b"}", b', "cost": 2}')), "late-column"),
        ((FIRST, SECOND.replace(b"}", b', "run": "a"}')), "late-column"),
        ((FIRST.replace(b"}", b', "run": "a"}'), SECOND), "empty-value"),
    ],
)
@pytest.mark.parametrize("together", [True, False])
def test_the_first_update_decides_which_columns_there_are(
    lines: tuple[bytes, bytes], code: str, together: bool, tmp_path: Path
) -> None:
    """However lines come: in one piece, or each by itself from a stream that goes on."""
    if together:
        outcome = program("score", "--follow", NUGGETS, stdin=b"".join(lines))
    else:
        state = tmp_path / "state"
        assert program("score", "--follow", NUGGETS, "--state", state, stdin=lines[0]).code == 0
        given = ("score", "--follow", NUGGETS, "--state", state, "--continued")
        outcome = program(*given, stdin=lines[1])
    assert (outcome.code, (code, 2) in outcome.codes) == (1, True)


@pytest.mark.parametrize("continued", [True, False])
def test_matches_speak_of_updates_of_all_parts_of_a_stream(continued: bool, tmp_path: Path) -> None:
    """Those of updates that have not come yet are told, and refused where none can come."""
    lines = LIVE.splitlines(keepends=True)
    given = ("score", "--follow", NUGGETS, "--matches", MATCHES, "-m", "R")
    state = ("--state", tmp_path / "state")
    whole = program(*given, stdin=LIVE)
    first = program(*given, *state, stdin=b"".join(lines[:5]))
    told = json.loads(first.out.splitlines()[-1])["warnings"]
    assert (first.code, told[-1]) == (0, "6 matches speak of updates that have not come yet")
    rest = ("--continued",) if continued else ()
    second = program(*given, *state, *rest, stdin=b"".join(lines[5:] if continued else lines))
    assert (whole.code, second.code) == (0, 0)
    assert second.out.splitlines()[-1] == whole.out.splitlines()[-1]
    assert program(*given, stdin=b"".join(lines[:5])).code == 1
