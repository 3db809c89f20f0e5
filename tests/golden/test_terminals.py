"""What reaches a terminal, and what is said where an output or an input is closed or full."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests import program
from tests.program import NUGGETS, SWIFT, command
from tseval.errors import visible

HOSTILE = "fl\x1b[31mood\x9b2J\u202eevil"
WRITTEN_OUT = r"fl\x1b[31mood\x9b2J\u202eevil"
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def hostile(tmp_path: Path) -> list[str]:
    """A run, another, and nuggets, whose every name and text would steer a terminal."""
    files = []
    for name, kind, ids in (
        ("a\x1b[5m.tsv", "update_id", ["u1\x1b]0;mine\x07", "u2"]),
        ("b\x1b[7m.tsv", "update_id", ["u1\x1b]0;mine\x07"]),
        ("gold.tsv", "nugget_id", ["n1\x1b[2J", "n2\x1b[2J"]),
    ):
        rows = [
            f"{HOSTILE}\t{each}\t{1710000000 + i}\tbanks {i} \x1b[1m" for i, each in enumerate(ids)
        ]
        lines = [f"topic\t{kind}\ttime\ttext", *rows]
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        files.append(str(tmp_path / name))
    return files


@pytest.mark.parametrize(
    "arguments",
    [
        "score -q",
        "score -q -f markdown",
        "score -q -f latex",
        "score --explain nuggets",
        "score --explain updates",
        "score --require P>2",
        "match -f table",
        "match -f markdown",
    ],
)
@pytest.mark.parametrize("terminal", [False, True])
def test_names_do_not_steer_a_terminal(arguments: str, terminal: bool, hostile: list[str]) -> None:
    """Its own colours are the only ones there."""
    name, *rest = arguments.split()
    outcome = program.tseval(name, *hostile, *rest, terminal=terminal)
    shown = re.sub(r"\x1b\[\d*m", "", outcome.out) if terminal else outcome.out
    assert [line for line in (shown + outcome.err).split("\n") if STEERS.search(line)] == []
    if arguments == "score -q":
        assert WRITTEN_OUT in outcome.out


def test_what_machines_read_has_the_names_as_they_are(hostile: list[str]) -> None:
    assert HOSTILE in program.tseval("score", *hostile, "-q", "-f", "trec", "--quiet").out
    assert HOSTILE in program.tseval("match", *hostile, "-f", "tsv", "--quiet").out


@pytest.mark.parametrize("arguments", ["score -q -f trec", "score -q -f csv", "match -f tsv"])
def test_a_terminal_is_not_steered_by_what_machines_read(
    hostile: list[str], arguments: str
) -> None:
    command, *options = arguments.split()
    piped = program.tseval(command, *hostile, *options, "--quiet").out
    seen = program.tseval(command, *hostile, *options, "--quiet", terminal=True).out
    assert HOSTILE in piped
    assert WRITTEN_OUT in seen
    assert seen == visible(piped)


def test_names_of_any_language_are_left_as_they_are() -> None:
    for name in ("depremİı", "洪水", "👩‍🚒", "क्षि", "a\nb"):
        assert visible(name) == name
    assert visible("a\x00b\udc80") == r"a\x00b\udc80"


def by_shell(line: str, *arguments: object) -> tuple[int, bytes, bytes]:
    """What becomes of a command with its streams led elsewhere, buffered as it usually is."""
    parts = [f"'{part}'" for part in command(*arguments)]
    done = subprocess.run(
        ["sh", "-c", " ".join(parts) + " " + line],
        capture_output=True,
        env={k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"},
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


SCORE = ("score", SWIFT, NUGGETS, "--quiet")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (SCORE, "error: standard output: no space left on device; -o FILE writes to a file\n"),
        (("measures",), "error: standard output: no space left on device\n"),
        (("score", "--help"), "error: standard output: no space left on device\n"),
    ],
)
def test_a_full_device_is_called_so(arguments: Sequence[str], message: str) -> None:
    assert by_shell("> /dev/full", *arguments) == (1, b"", message.encode())


@pytest.mark.parametrize(
    "given", [("score", "a" * 300, NUGGETS), (*SCORE, "-o", "a" * 300 + ".csv")]
)
def test_a_name_that_is_too_long_is_no_fault_of_the_program(given: Sequence[str]) -> None:
    outcome = program.tseval(*given)
    assert outcome.code == 1
    assert re.fullmatch(r"error: a{300}(\.csv)?: file name too long\n", outcome.err)


def test_an_encoding_without_a_letter_has_it_written_out(tmp_path: Path) -> None:
    run = tmp_path / "\u00fc🚒.tsv"
    run.write_bytes(Path(SWIFT).read_bytes())
    told = program.process("validate", run, PYTHONIOENCODING="latin-1")
    assert told.code == 0
    assert b"\xfc\\U0001f692.tsv: updates, 10 rows, no fault" in told.output
    gone = program.process("score", tmp_path / "ü🚑.tsv", NUGGETS, PYTHONIOENCODING="ascii")
    assert gone.code == 1
    assert rb"\xfc\U0001f691.tsv: no such file or directory" in gone.error


def test_a_home_that_nobody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("match", SWIFT, NUGGETS, "--resume")
    told = program.process(*asked, TSEVAL_CACHE="~nobody-at-all/x")
    assert (told.code, told.err) == (
        2,
        "error: TSEVAL_CACHE=~nobody-at-all/x: no home folder is known for ~nobody-at-all: write "
        "the path without ~nobody-at-all\n",
    )
    monkeypatch.delenv("TSEVAL_CACHE", raising=False)
    told = program.process(*asked, XDG_CACHE_HOME="~nobody-at-all/x")
    assert (told.code, told.err) == (
        2,
        "warning: nothing is kept on disk, since no home folder is known: set TSEVAL_CACHE to a "
        "folder\nerror: nothing can be kept to resume from: TSEVAL_CACHE is not set, and there is "
        "no home folder\n",
    )


@pytest.mark.parametrize(
    "asked",
    [
        "score a b",
        "score --follow b --state /proc/x",
        "match a b",
        "match a b --review /proc/x.csv -f json",
        "calibrate a b c",
        "sample a b --pairs 9",
        "curve a b",
        "compare a",
        "sweep a b",
        "report a",
        "clusters a b",
        "incidents a b",
        "values a b",
        "filter a b",
        "changes a b",
        "responses a --nuggets b",
        "timelines a b",
        "crisisfacts a b",
        "import ts-run a",
        "incidents a b -f trec-is -o /proc",
    ],
)
def test_a_folder_that_takes_nothing_is_told_of_before_the_work(asked: str) -> None:
    """Files that are named are not there, and are never looked for."""
    if not Path("/proc/self").exists():
        pytest.skip("here is no folder in which not even the first user can write")
    name, *rest = asked.split()
    output = [] if any(each.startswith("/proc") for each in rest) else ["-o", "/proc/x.tsv"]
    if name == "report":
        output = ["-o", "/proc/x.html"]
    told = program.tseval(name, *rest, *output)
    assert told.code == 1
    assert re.match(r"error: /proc(/x\S*)?: nothing can be written into /proc: ", told.err), (
        told.err
    )
