"""Files appear whole or not at all; those that belong together appear all, or none does."""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import program
from tseval.errors import OutputError
from tseval.io.atomic_write import write_file, write_files

NAMES = ("a.txt", "b.txt", "c.txt")
OLD = {"a.txt": b"old a", "c.txt": b"old c"}
STREAM = program.FIXTURES / "incidents"
OFFICIAL = (STREAM / "keen.txt", STREAM / "shy.tsv", STREAM / "labels.json")
OFFICIAL += ("--ontology", STREAM / "types.json", "--edition", "2019b", "-f", "trec-is")  # type: ignore[assignment]


def there(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


def new(folder: Path) -> dict[str | Path, bytes]:
    return {folder / name: f"new {name}".encode() for name in NAMES}


def failing_at(
    call: int, real: Callable[..., object], error: BaseException
) -> Callable[..., object]:
    """The same function, but for one call."""
    calls = iter(range(1, 1000))

    def function(*given: object, **named: object) -> object:
        if next(calls) == call:
            raise error
        return real(*given, **named)

    return function


FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture(params=[{}, OLD], ids=["nothing there", "older files there"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    for name, content in request.param.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_all_are_written(folder: Path) -> None:
    write_files(new(folder))
    assert there(folder) == {path.name: content for path, content in new(folder).items()}  # type: ignore[union-attr]


@pytest.mark.parametrize("error", [FULL, KeyboardInterrupt()])
def test_or_none_is_where_one_cannot_be_written(
    error: BaseException, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = there(folder)
    monkeypatch.setattr(tempfile, "mkstemp", failing_at(3, tempfile.mkstemp, error))
    with pytest.raises(OutputError if error is FULL else KeyboardInterrupt) as raised:
        write_files(new(folder))
    assert there(folder) == before
    if error is FULL:
        assert str(raised.value) == f"{folder / 'c.txt'}: no space left on device"


def test_permissions_stay(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"old")
    (tmp_path / "a.txt").chmod(0o640)
    write_files(new(tmp_path))
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


def test_a_device_is_written_to_and_a_folder_refused(tmp_path: Path) -> None:
    write_file("/dev/null", b"nothing")
    (tmp_path / "c.txt").mkdir()
    with pytest.raises(OutputError, match="is a directory"):
        write_files(new(tmp_path))
    assert there(tmp_path) == {}


@pytest.mark.parametrize("before", [False, True])
def test_the_files_of_a_track_are_written_together(before: bool, tmp_path: Path) -> None:
    """The last of six cannot be written: a folder stands there."""
    done = program.tseval("incidents", *OFFICIAL, "-o", tmp_path, "--quiet")
    assert done.code == 0, done.err
    names = sorted(there(tmp_path))
    assert len(names) == 6
    last = next(name for name in names if name.startswith("shy") and "perevent" in name)
    for name in names:
        (tmp_path / name).unlink()
        if before and name != last:
            (tmp_path / name).write_bytes(b"older")
    (tmp_path / last).mkdir()
    found = there(tmp_path)
    done = program.tseval("incidents", *OFFICIAL, "-o", tmp_path, "--quiet")
    assert (done.code, done.err) == (1, f"error: {tmp_path / last}: is a directory\n")
    assert there(tmp_path) == found


def test_a_result_and_what_is_written_beside_it(tmp_path: Path) -> None:
    """The series of filtering, and the profile of a matcher."""
    filtered = (program.FIXTURES / "filter" / "steady.tsv", program.FIXTURES / "filter/truth.tsv")
    judged = (program.SWIFT, program.NUGGETS, program.MATCHES)
    (tmp_path / "out").mkdir()
    for given, beside in (
        (("filter", *filtered, "--series"), "series.csv"),
        (("calibrate", *judged, "--save"), "profile.json"),
    ):
        path = tmp_path / beside
        path.mkdir()
        done = program.tseval(*given, path, "-o", tmp_path / "scores.json", "--quiet")
        assert done.code == 2  # click's own: it is a folder
        path.rmdir()
        same = program.tseval(*given, path, "-o", path, "--quiet")
        assert same.code == 2
        assert f"{path} is named for two results: give each a file of its own" in same.err
        assert there(tmp_path) == {}
        done = program.tseval(*given, path, "-o", tmp_path / "scores.json", "--quiet")
        assert done.code == 0, done.err
        assert sorted(there(tmp_path)) == sorted(["scores.json", beside])
        for each in there(tmp_path):
            (tmp_path / each).unlink()
