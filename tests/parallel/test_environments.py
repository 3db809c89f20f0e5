"""A cluster of other people: its scheduler and workers run in an environment of their own."""

from __future__ import annotations

import json
import os
import signal
import site
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import work
from tests.program import NUGGETS, SWIFT, THOROUGH, tseval
from tseval.errors import EngineError
from tseval.parallel import cluster
from tseval.parallel.sharing import choose
from tseval.version import VERSION

MATCH = ("match", SWIFT, THOROUGH, NUGGETS)
ENDS_WITHIN = 60


class Environment(NamedTuple):
    """A Python with packages of its own."""

    python: Path
    imports: str
    """Where it finds tseval and the tests."""

    @contextmanager
    def started(self, module: str, *arguments: object) -> Iterator[subprocess.Popen[bytes]]:
        """A program of Dask's, until the end of the block."""
        with subprocess.Popen(
            [self.python, "-m", f"distributed.cli.{module}", *map(str, arguments)],
            cwd=self.python.parent,
            env=os.environ | {"PYTHONPATH": self.imports},
            stderr=subprocess.DEVNULL,
        ) as running:
            try:
                yield running
            finally:
                running.terminate()
                try:
                    running.wait(ENDS_WITHIN)
                except subprocess.TimeoutExpired:
                    running.kill()


class Running(NamedTuple):
    """A cluster."""

    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]
    address: str


@pytest.fixture(scope="module", autouse=True)
def _library() -> None:
    """Only the worker that takes this file loads it, not all that collect."""
    pytest.importorskip("distributed")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Environment:
    """One that has what this has, until something is put before it."""
    monkeypatch.setattr(cluster, "PATIENCE", ENDS_WITHIN)  # a slow machine is not a fault
    folder = tmp_path / "environment"
    venv.create(folder, symlinks=True)
    own = next(folder.glob("lib/python*/site-packages"))
    ours = [path for path in sys.path if path.endswith("site-packages")]
    (own / "ours.pth").write_text("\n".join(ours or site.getsitepackages()))
    return Environment(folder / "bin" / "python", str(Path.cwd()))


def installed(environment: Environment, name: str, version: str) -> None:
    """Let the environment say that it has this version of a package."""
    own = next(environment.python.parents[1].glob("lib/python*/site-packages"))
    told = own / f"{name}-{version}.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


@contextmanager
def running(environment: Environment, folder: Path, workers: int = 1) -> Iterator[Running]:
    """A scheduler and workers, all of them processes that nobody looks after."""
    where = folder / "scheduler.json"
    at = ("--host", cluster.HERE, "--no-dashboard")
    with ExitStack() as both:
        file = ("--port", 0, "--scheduler-file", where)
        scheduler = both.enter_context(environment.started("dask_scheduler", *at, *file))
        while not where.exists() or not where.read_text():
            assert scheduler.poll() is None
            time.sleep(0.05)
        address = json.loads(where.read_text())["address"]
        options = (address, *at, "--no-nanny", "--nthreads", 1, "--local-directory", folder)
        started = [
            both.enter_context(environment.started("dask_worker", *options)) for _ in range(workers)
        ]
        yield Running(scheduler, started, address)


def test_the_bytes_are_those_of_this_process(environment: Environment, tmp_path: Path) -> None:
    with running(environment, tmp_path) as own:
        assert tseval(*MATCH, "--engine", "dask", "--scheduler", own.address) == tseval(*MATCH)


@pytest.mark.parametrize("name", cluster.DECIDING)
def test_workers_with_another_version_are_refused(
    name: str, environment: Environment, tmp_path: Path
) -> None:
    installed(environment, name, "0.9")
    with running(environment, tmp_path) as own:
        outcome = tseval(*MATCH, "--engine", "dask", "--scheduler", own.address)
    assert (outcome.code, outcome.out) == (1, "")
    assert f" has {name} 0.9, this is {metadata.version(name)}: pip install" in outcome.err
    assert outcome.err.count("\n") == 1


def test_workers_without_tseval_are_refused(environment: Environment, tmp_path: Path) -> None:
    with running(environment._replace(imports=str(tmp_path)), tmp_path) as own:
        outcome = tseval(*MATCH, "--engine", "dask", "--scheduler", own.address)
    assert (outcome.code, outcome.out) == (1, "")
    assert f" has no tseval, this is {VERSION}: pip install the same tseval" in outcome.err


def test_what_a_killed_worker_had_another_does(environment: Environment, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    with running(environment, tmp_path, workers=2) as own:
        engine = choose("dask", scheduler=own.address)
        try:
            found = list(engine.run(work.Killed(str(marks), times=1), work.UNITS * 3))
        finally:
            engine.close()
        ended = [worker.poll() for worker in own.workers]
    assert found == list(range(1, 11)) * 3
    assert sorted(map(str, ended)) == [str(-signal.SIGKILL), "None"]


def test_a_scheduler_that_is_killed_is_said(
    environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(environment, tmp_path) as own:
        engine = choose("dask", scheduler=own.address)
        try:
            results = engine.run(work.numbered, work.UNITS * 3)
            assert next(results) == 1
            monkeypatch.setattr(cluster, "PATIENCE", 2)
            own.scheduler.kill()
            with pytest.raises(EngineError, match="the connection to the scheduler is lost"):
                list(results)
        finally:
            engine.close()
