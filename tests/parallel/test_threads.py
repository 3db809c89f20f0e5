"""How many threads polars has: in the program as `-j` says, in a worker one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests import work
from tseval.parallel import threads
from tseval.parallel.sharing import shared
from tseval.parallel.threads import THREADS, limit_threads

PROGRAM = """
from tseval.__main__ import main
try:
    main()
finally:
    import polars
    print("threads", polars.thread_pool_size())
"""


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(THREADS, "")  # so that it is as before at the end, whatever sets it
    monkeypatch.delenv(THREADS)
    monkeypatch.setattr(threads, "_own", {})


def threads_of_program(*arguments: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "values", *arguments, "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return int(done.stdout.rpartition("threads")[2])


def test_the_program_has_as_many_as_it_is_to_have_processes() -> None:
    assert threads_of_program("-j1") == 1


@pytest.mark.parametrize(
    "asked", [("-j", "1"), ("-j1",), ("--jobs", "1"), ("--jobs=1",), ("--follow",)]
)
def test_it_is_asked_for_in_any_way(asked: tuple[str, ...]) -> None:
    limit_threads(("score", "run.tsv", "-o", "out.tsv", "-m", "P R", *asked, "--quiet"))
    assert os.environ[THREADS] == "1"


@pytest.mark.parametrize("asked", [(), ("-j",), ("-j0",), ("-jx",), ("-j", "-2"), ("--jobsx=1",)])
def test_what_asks_for_no_number_changes_nothing(asked: tuple[str, ...]) -> None:
    limit_threads(("score", *asked))
    assert THREADS not in os.environ


def test_there_are_no_more_than_cores() -> None:
    limit_threads(("-j", "100000"))
    assert os.environ[THREADS] == str(os.cpu_count())


def test_the_environment_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(THREADS, "3")
    assert threads_of_program("-j1") == 3


@pytest.mark.parametrize(("engine", "said"), [("local", None), ("local", "3"), ("dask", None)])
def test_a_worker_has_one_or_what_the_environment_says(
    engine: str, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if said:
        monkeypatch.setenv(THREADS, said)
    limit_threads(("-j2",))
    before = os.environ[THREADS]
    with shared(engine, jobs=2) as sharing:
        assert set(sharing.engine.run(work.polars_threads, work.UNITS)) == {int(said or 1)}
    assert os.environ[THREADS] == before
