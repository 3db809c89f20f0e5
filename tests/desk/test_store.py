"""The store keeps what it was told, whatever happens, and refuses what it cannot keep."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.desk.making import SETTINGS, made, read
from tests.program import tseval
from tseval.desk import decisions as kinds
from tseval.desk.decisions import Decision
from tseval.desk.store import Store, StoreError
from tseval.errors import UsageError

NOTE = Decision("ada", kinds.DONE, "flood", "a1", note="read")


def test_decisions_come_back_in_order_each_later_than_the_one_before(tmp_path: Path) -> None:
    store = made(tmp_path).store
    first = store.append(read("ada", "flood", "a1@one", ["n1", "n2"]))
    second = store.append([NOTE])
    assert [each.rev for each in (*first, *second)] == [1, 2, 3, 4]
    assert [each.act for each in (*first, *second)] == [1, 1, 1, 4]
    again = Store.open(store.path)
    assert again.decisions() == [*first, *second]
    times = [each.at for each in again.decisions()]
    assert times == sorted(set(times))
    assert again.decisions(first[-1].at) == second
    assert again.settings == SETTINGS


def test_an_act_is_saved_whole_or_not_at_all(tmp_path: Path) -> None:
    store = made(tmp_path).store
    with pytest.raises(StoreError, match="nothing was saved"):
        store.append([NOTE, Decision("ada", kinds.DONE, note=object())])
    assert store.size() == 0
    store.append([NOTE])
    assert store.size() == 1
    store.close()


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    store = made(tmp_path).store
    store.append([NOTE])
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    long = Decision("ada", kinds.DONE, "flood", "a1", note="x" * 100_000)
    with pytest.raises(StoreError, match="nothing was saved: the disk is full: make room"):
        store.append([long])
    assert [each.note for each in Store.open(store.path).decisions()] == ["read"]
    store._connection.execute("PRAGMA max_page_count = 1000000")
    store.append([long])
    assert store.size() == 2
    store.close()


def test_stores_of_other_versions_and_other_files_are_refused(tmp_path: Path) -> None:
    path = made(tmp_path).store.path
    later = sqlite3.connect(path)
    later.execute("PRAGMA user_version = 7")
    later.close()
    done = tseval("assess", "status", path)
    assert done.code == 1
    assert done.err == (f"error: {path} has form 7, and this tseval reads 2: upgrade tseval\n")
    other = tmp_path / "other.db"
    database = sqlite3.connect(other)
    database.execute("CREATE TABLE t (x)")
    database.close()
    with pytest.raises(StoreError, match="another program's database"):
        Store.open(other)
    (tmp_path / "text").write_text("no database, but a text that is longer than a header" * 9)
    with pytest.raises(StoreError, match="no store of `tseval assess`"):
        Store.open(tmp_path / "text")
    with pytest.raises(UsageError, match="there is no such store"):
        Store.open(tmp_path / "absent.tseval")


def test_a_store_is_never_overwritten(tmp_path: Path) -> None:
    path = made(tmp_path).store.path
    before = path.read_bytes()
    with pytest.raises(UsageError, match="is there already"):
        Store.create(path, SETTINGS, {})
    assert path.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir() if each.name.startswith(".")) == []


def test_a_damaged_store_is_told(tmp_path: Path) -> None:
    path = made(tmp_path).store.path
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(bytes(content))
    done = tseval("assess", "status", path)
    assert done.code == 1
    assert "damaged" in done.err or "could not be" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM about WHERE name = 'store'",
        "UPDATE about SET value = 'x' WHERE name = 'seed'",
        "UPDATE about SET value = '{}' WHERE name = 'settings'",
        "UPDATE inputs SET files = 'x'",
        "UPDATE inputs SET content = x'00ff'",
    ],
)
def test_rows_that_no_desk_wrote_are_told(tmp_path: Path, change: str) -> None:
    store = made(tmp_path).store
    store.append([NOTE])
    path = store.path
    store.close()
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(change)
    connection.close()
    done = tseval("assess", "export", path, "-o", tmp_path / "gold")
    assert (done.code, done.out) == (1, "")
    assert "could not be read: it is damaged" in done.err
    assert not (tmp_path / "gold").exists()


def test_reading_a_store_writes_nothing(tmp_path: Path) -> None:
    desk = made(tmp_path / "work")
    desk.decide(*read("ada", "flood", "a3", ["n3"]))
    desk.store.close()
    there = tmp_path / "archive"
    there.mkdir()
    shutil.copy(desk.store.path, there / "desk.tseval")
    done = tseval("assess", "status", there / "desk.tseval", "-f", "json")
    assert done.code == 0, done.err
    assert [each.name for each in there.iterdir()] == ["desk.tseval"]


WRITER = """
import sys
from pathlib import Path
from tseval.desk.decisions import Decision
from tseval.desk.store import Store
store = Store.open(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    act = [Decision(sys.argv[3], "done", "flood", "a1", note=f"{number}") for _ in range(3)]
    store.append(act)
    print(number, flush=True)
"""


def writer(path: Path, number: int, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(number), name],
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.engine
def test_a_killed_process_loses_nothing_that_it_was_told_is_saved(tmp_path: Path) -> None:
    path = made(tmp_path).store.path
    told = []
    for turn, wait in enumerate((1, 4, 9)):
        with writer(path, 100_000, f"turn{turn}") as running:
            assert running.stdout is not None
            lines = [running.stdout.readline() for _ in range(wait)]
            running.send_signal(signal.SIGKILL)
            lines += running.stdout.readlines()
        told.append(sum(line.endswith("\n") for line in lines))
    found = Store.open(path).decisions()
    for turn, number in enumerate(told):
        own = [each for each in found if each.assessor == f"turn{turn}"]
        # The last act may be there before its process could tell; every act is whole.
        assert len(own) in (3 * number, 3 * (number + 1))
        assert [each.note for each in own] == [str(at // 3) for at in range(len(own))]


@pytest.mark.engine
def test_two_processes_write_one_store(tmp_path: Path) -> None:
    path = made(tmp_path).store.path
    with writer(path, 40, "ada") as one, writer(path, 40, "ben") as two:
        assert one.wait(60) == two.wait(60) == 0
    found = Store.open(path).decisions()
    assert len(found) == 240
    assert [each.rev for each in found] == list(range(1, 241))
    acts = [each.act_name for each in found]
    assert all(acts.count(name) == 3 for name in set(acts))


def test_two_threads_see_what_the_other_decided(tmp_path: Path) -> None:
    one = made(tmp_path)
    from tseval.desk.desk import Desk

    two = Desk(Store.open(one.store.path))
    assert two.state.read == {}
    one.decide(*read("ada", "flood", "a3", ["n3"]))
    assert two.state.assessors == {"ada": 2}
    thread = threading.Thread(target=lambda: two.decide(*read("ben", "flood", "a3")))
    thread.start()
    thread.join()
    assert set(one.state.read[one.pool.place["flood", "a3"]]) == {"ada", "ben"}
    one.undo("ada")
    assert two.state.assessors == {"ben": 1}


def test_files_of_other_columns_are_assessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tseval.desk.server.serve", lambda *_: None)
    Path("log.jsonl").write_text('{"at": 1770696000000, "out": {"text": "Fire here"}}\n')
    Path("facts.csv").write_text("event;known;fact\nfire;2026-02-10;Fire\n")
    done = tseval("init", "work", "--from", "log.jsonl", "--gold", "facts.csv")
    assert done.code == 0, done.err
    opened = ("assess", "log.jsonl", "facts.csv", "--store", "desk.tseval")
    done = tseval(*opened, "--columns", "work/mapping.toml")
    assert done.code == 0, done.err
    (topic,) = json.loads(tseval("assess", "status", "desk.tseval", "-f", "json").out)["topics"]
    assert (topic["topic"], topic["updates"], topic["nuggets"]) == ("fire", 1, 1)
    other = tseval(*opened[:3], "--store", "new.tseval", "--column", "text=nowhere")
    assert "no column nowhere" in other.err
