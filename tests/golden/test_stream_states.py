"""The state of a stream, however it ends: always that of some number of whole updates."""

from __future__ import annotations

import json
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import click
import pytest

from tests.program import FIXTURES, MATCHES, NUGGETS, ROOT, command
from tests.program import tseval as program
from tseval.core.streams import Follower, load_state
from tseval.core.wording import count

LINES = (FIXTURES / "live.jsonl").read_bytes().splitlines(keepends=True)
COUNTING = {str(ROOT / "tseval" / name) for name in ("cli/streams.py", "core/streams.py")}
"""The files of the program that count updates and save what is counted."""
PLACES = 60
"""At how many places of the program it is interrupted, of each kind."""

State = dict[str, Any]


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The matches of `swift` alone."""
    lines = Path(MATCHES).read_text(encoding="utf-8").splitlines(keepends=True)
    path = tmp_path_factory.mktemp("gold") / "matches.tsv"
    path.write_text("".join(line for line in lines if "thorough" not in line), encoding="utf-8")
    return str(path)


def follow(state: Path, matches: str, lines: list[bytes], *more: object) -> Any:
    given = ("score", "--follow", NUGGETS, "--matches", matches, "--state", state, *more)
    return program(*given, stdin=b"".join(lines))


def last(outcome: Any) -> dict[str, Any]:
    assert outcome.code == 0, outcome.err
    told: dict[str, Any] = json.loads(outcome.out.splitlines()[-1])
    assert told["final"]
    return told


def content(state: Path) -> State:
    """All that a state holds."""
    meta, tables = load_state(state)
    found: State = {}
    for name, table in tables.items():
        keys = [] if name == "kept" else sorted(table.columns)
        found[name] = table.select(sorted(table.columns)).sort(keys).to_dict(as_series=False)
    return found | meta


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, matches: str) -> list[Path]:
    """A file with the state after each number of updates."""
    folder = tmp_path_factory.mktemp("states")
    found = [folder / f"after{number}" for number in range(len(LINES) + 1)]
    for number, path in enumerate(found):
        last(follow(path, matches, LINES[:number]))
    return found


@pytest.fixture(scope="module")
def states(files: list[Path]) -> list[State]:
    """The state after each number of updates."""
    return [content(path) for path in files]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, matches: str) -> dict[str, Any]:
    """What is told last of a stream that nothing interrupts."""
    return last(follow(tmp_path_factory.mktemp("whole") / "state", matches, LINES))


@contextmanager
def at_line(number: int, act: Callable[[], None]) -> Iterator[list[int]]:
    """Act before the program runs this line of its counting, counted as they are run."""
    count = [0]

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in COUNTING:
            return None
        if event == "line":
            count[0] += 1
            if count[0] == number:
                act()
        return trace

    before, handler = sys.gettrace(), signal.getsignal(signal.SIGINT)
    sys.settrace(trace)
    try:
        yield count
    finally:
        sys.settrace(before)
        signal.signal(signal.SIGINT, handler)  # an exception may have come before it was restored


def by_signal() -> None:
    signal.raise_signal(signal.SIGINT)


def by_exception() -> None:
    """What no program can hold back, as when memory ends."""
    raise KeyboardInterrupt


@pytest.mark.parametrize("act", [by_signal, by_exception])
@pytest.mark.parametrize("together", [1, 3])
def test_interrupted_anywhere_the_state_is_one_between_two_updates(
    act: Callable[[], None],
    together: int,
    states: list[State],
    matches: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Follower, "rows_per_look", together)
    monkeypatch.setattr(Follower, "rows_at_once", together)
    every = ("--every", together)
    uninterrupted = follow(tmp_path / "whole", matches, LINES, *every)
    whole = last(uninterrupted)
    with at_line(0, act) as lines:
        follow(tmp_path / "counted", matches, LINES, *every)
    reached = set()
    tried: set[bytes] = set()
    for place in range(1, lines[0], lines[0] // PLACES):
        state = tmp_path / f"at{place}"
        with at_line(place, act):
            outcome = follow(state, matches, LINES, *every)
        assert outcome.code == 130
        kept = 0
        if state.exists():
            kept = content(state)["position"]["lines"]
            assert unlike(content(state), states[kept]) == []
        if outcome.err.strip():  # else it ended before there was a state
            held = f"the first {count(kept, 'line')} of the stream" if kept else "no line yet"
            assert outcome.err.startswith(f"{state} holds {held}: give the stream again with ")
        assert outcome.err.strip() or not kept
        if act is by_signal:
            assert told_of(outcome.out) == told_of(uninterrupted.out, kept)
        reached.add(kept)
        saved = state.read_bytes() if state.exists() else b""
        if saved not in tried:  # the same bytes go on in the same way
            assert last(follow(state, matches, LINES, *every)) == whole
            tried.add(saved)
    assert len(reached) > 2
    assert reached <= {*range(0, len(LINES) + 1, together), len(LINES)}


def told_of(out: str, most: int = len(LINES)) -> list[str]:
    """The lines of this output that tell of so many updates at most, but not those that end it."""
    lines = [(line, json.loads(line)) for line in out.splitlines()] if most else []
    return [line for line, told in lines if told.get("updates", 0) <= most and "final" not in told]


def test_a_second_interrupt_does_not_wait_until_all_is_told(
    states: list[State], matches: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where nobody reads the output any more, and nobody closes it either."""
    tried: list[str] = []

    def echo(message: str) -> None:
        tried.append(message)
        by_signal()
        by_signal()
        raise AssertionError

    monkeypatch.setattr(Follower, "rows_at_once", 1)
    monkeypatch.setattr(Follower, "rows_per_look", 1)
    handler = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(click, "echo", echo)
    with pytest.raises((KeyboardInterrupt, click.Abort)):
        _followed(tmp_path / "state", matches, LINES)
    assert len(tried) == 1
    assert signal.getsignal(signal.SIGINT) == handler
    assert unlike(content(tmp_path / "state"), states[1]) == []


def test_no_state_is_saved_of_what_is_not_told_yet(
    matches: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tseval.core import streams as following

    told: list[str] = []
    held: list[tuple[int, int]] = []
    save = Follower.save

    def saved(self: Follower) -> None:
        held.append((self.at.lines, len(told_of("\n".join(told)))))
        save(self)

    monkeypatch.setattr(following, "SAVED_EVERY", 4)
    monkeypatch.setattr(Follower, "save", saved)
    monkeypatch.setattr(click, "echo", lambda message: told.extend(message.splitlines()))
    _followed(tmp_path / "state", matches, [b"".join(LINES[:5]), b"".join(LINES[5:])])
    expected = told_of("\n".join(told))
    counts = [len(told_of("\n".join(expected), lines)) for lines in (0, 5, len(LINES), len(LINES))]
    assert held == list(zip((0, 5, len(LINES), len(LINES)), counts, strict=True))


def unlike(state: State, other: State) -> list[str]:
    """Which parts differ; how numbers of updates are divided into columns is no difference."""
    known = {name: value for name, value in state.items() if not name.startswith("recent")}
    wanted = {name: value for name, value in other.items() if not name.startswith("recent")}
    names = [name for name in known.keys() | wanted.keys() if known.get(name) != wanted.get(name)]
    return names + (["recent"] if numbers(state) != numbers(other) else [])


def numbers(state: State) -> list[int]:
    columns = [value["mark"] for name, value in state.items() if "recent" in name]
    return sorted(number for column in columns for number in column)


@pytest.mark.parametrize("number", range(len(LINES) + 1))
def test_each_state_goes_on(
    number: int, files: list[Path], whole: dict[str, Any], matches: str, tmp_path: Path
) -> None:
    for more, lines in (((), LINES), (("--continued",), LINES[number:])):
        state = tmp_path / f"state{len(more)}"
        shutil.copy(files[number], state)
        assert last(follow(state, matches, lines, *more)) == whole


@pytest.mark.parametrize(
    ("pieces", "number"),
    [
        *((LINES, number) for number in range(len(LINES) + 1)),
        *(([b"".join(LINES)], n) for n in (0, 1)),
    ],
)
def test_a_pipe_that_is_closed_after_any_piece(
    pieces: list[bytes],
    number: int,
    states: list[State],
    whole: dict[str, Any],
    matches: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is told of each piece is written at once, the header with the first."""
    state, told = tmp_path / "state", [0]
    write = click.echo

    def echo(message: Any = None, **more: Any) -> None:
        told[0] += 1
        if told[0] > number:
            raise BrokenPipeError
        write(message, **more)

    with monkeypatch.context() as patch:
        patch.setattr(click, "echo", echo)
        with pytest.raises(BrokenPipeError):
            _followed(state, matches, pieces)
    kept = content(state)["position"]["lines"]
    assert unlike(content(state), states[kept]) == []
    assert last(follow(state, matches, LINES)) == whole


def _followed(state: Path, matches: str, pieces: list[bytes]) -> None:
    from tseval.cli import cli

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", type("Given", (), {"buffer": Pieces(pieces)}))
        cli.main(
            ["score", "--follow", NUGGETS, "--matches", matches, "--state", str(state)],
            standalone_mode=False,
        )


class Pieces:
    """Lines that come in these pieces."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = iter(pieces)

    def read1(self, _: int) -> bytes:
        return next(self.pieces, b"")


@pytest.mark.parametrize("number", range(1, len(LINES)))
def test_a_repeated_id_ends_the_stream_with_the_state_before_it(
    number: int, states: list[State], whole: dict[str, Any], matches: str, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    outcome = follow(state, matches, [*LINES[:number], LINES[0], *LINES[number:]])
    assert outcome.code == 1
    assert f"error: -:{number + 1}: " in outcome.err
    assert unlike(content(state), states[number]) == []
    assert last(follow(state, matches, LINES)) == whole


def no_room() -> None:
    """No file can have a byte, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


def test_on_a_full_disk_nothing_is_told(tmp_path: Path) -> None:
    given = command("score", "--follow", NUGGETS, "--state", tmp_path / "state")
    done = subprocess.run(
        given, input=b"".join(LINES), capture_output=True, preexec_fn=no_room, check=False
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == f"error: {tmp_path}/state: file too large\n".encode()
    assert list(tmp_path.iterdir()) == []


def test_on_a_disk_that_is_full_at_the_end_no_final_values_are_told(
    whole: dict[str, Any], matches: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tseval.core import streams as saved
    from tseval.errors import OutputError

    state, write = tmp_path / "state", saved.write_file  # type: ignore[attr-defined]
    last(follow(state, matches, LINES[:4]))
    before, calls = state.read_bytes(), []

    def full(*arguments: Any) -> None:
        calls.append(arguments[0])
        raise OutputError(f"{arguments[0]}: no space left on device")

    monkeypatch.setattr(saved, "write_file", full)
    outcome = follow(state, matches, LINES)
    assert (outcome.code, b'"final"' in outcome.output, calls) == (1, False, [state])
    assert outcome.err == f"error: {state}: no space left on device\n"
    assert state.read_bytes() == before
    monkeypatch.setattr(saved, "write_file", write)
    assert last(follow(state, matches, LINES)) == whole


@pytest.mark.parametrize("cost", [None, 2])
@pytest.mark.parametrize("run", [None, "stdin", "other"])
def test_a_run_of_any_name_goes_on(run: str | None, cost: int | None, tmp_path: Path) -> None:
    given = {name: value for name, value in (("run", run), ("cost", cost)) if value is not None}
    records = [json.loads(line) for line in LINES]
    for record in records:
        record.pop("run", None)
    lines = [(json.dumps(record | given) + "\n").encode() for record in records]
    whole = program("score", "--follow", NUGGETS, stdin=b"".join(lines))
    for number in (0, 1, 5):
        for again in (lines, lines[number:]):
            state = tmp_path / f"state{number}-{again is lines}"
            command_line = ("score", "--follow", NUGGETS, "--state", state)
            assert program(*command_line, stdin=b"".join(lines[:number])).code == 0
            rest = () if again is lines else ("--continued",)
            assert last(program(*command_line, *rest, stdin=b"".join(again))) == last(whole)


def test_a_stream_that_goes_on_knows_the_times_of_its_beginning(tmp_path: Path) -> None:
    record = {"topic": "t", "text": "x"}
    lines = [
        (json.dumps(record | {"update_id": name, "time": time}) + "\n").encode()
        for name, time in (("a", "2023-11-15"), ("b", "2026-03-02"))
    ]
    nuggets, state = tmp_path / "nuggets.tsv", tmp_path / "state"
    nuggets.write_text("topic\tnugget_id\ttime\ttext\nt\tn\t2026-03-01\ty\n")
    for given in (lines[:1], lines):
        told = last(program("score", "--follow", nuggets, "--state", state, stdin=b"".join(given)))
    assert [each for each in told["warnings"] if "years" in each] == [
        "times of 1 topic lie years apart: "
        "t from 2023-11-15T00:00:00Z (run stdin) to 2026-03-02T00:00:00Z (run stdin)"
    ]
    again = program("score", "--follow", nuggets, "--state", state, "--continued", stdin=b"")
    assert last(again)["warnings"] == told["warnings"]
