"""A Dask cluster: one that a scheduler runs, or one on this machine for as long as it is needed."""

from __future__ import annotations

import asyncio
import logging
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module, metadata
from itertools import islice
from typing import Any, Generic

from tseval.errors import EngineError, MissingExtra
from tseval.parallel.engine import Result, Unit, Work, allow_files, starting_processes
from tseval.parallel.threads import threads_of_worker
from tseval.records import frozen
from tseval.version import VERSION

AHEAD = 3
"""So many units for each thread of the cluster are handed out before a result is asked for."""
PATIENCE = 10
"""So many seconds are allowed for a scheduler to answer, and for a worker to be there."""
PATIENCE_HERE = 60
"""So many seconds more are allowed for a worker of this machine to be started again."""
SETTINGS = {
    "logging": {"distributed": "critical", "distributed.client": "critical"},
    "distributed.deploy.lost-worker-timeout": "1 day",
}
"""What Dask says of workers that die is no part of a result; what it comes to is an error.

A worker of this machine that dies is started again, for which Dask has 15 seconds of patience: on a
busy machine, or where one unit kills several, it would do without them from then on.
"""
HERE = "127.0.0.1"
DISTRUST = (
    ", or one of the two does not trust the other's certificate (Dask reads this one's from "
    "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__CLIENT__CERT and …__CLIENT__KEY)"
)
DECIDING = ("numpy", "polars", "pyarrow", "rapidfuzz")
"""Packages beside tseval whose version decides what a worker reads and finds."""
PYTHON = "Python"
"""Its version does too: by which characters are letters, and how they are folded."""
START = "start one with `dask scheduler`, and workers with `dask worker SCHEDULER`"


class Cluster:
    """A cluster, joined or started with the first work."""

    def __init__(self, jobs: int | None = None, scheduler: str | None = None) -> None:
        self.jobs = jobs
        self.scheduler = scheduler
        self._client: Any = None
        self._own: Any = None

    def run(self, work: Work[Result], units: Sequence[Unit]) -> Iterator[Result]:
        """The results in the order of the units; the scheduler repeats what a worker leaves."""
        if not units:
            return
        client = self._joined()
        waiting = iter(units)
        wide = AHEAD * max(1, sum(client.ncores().values()))
        flight = [(unit, _handed_out(client, work, unit)) for unit in islice(waiting, wide)]
        killed = import_module("distributed").KilledWorker
        try:
            while flight:
                unit, future = flight.pop(0)
                try:
                    result = self._result(unit, future)
                except killed:
                    _cancel(client, flight)
                    result = self._alone(work, unit)
                    flight = [(each, _handed_out(client, work, each)) for each, _ in flight]
                yield result
                flight += [(each, _handed_out(client, work, each)) for each in islice(waiting, 1)]
        finally:
            _cancel(client, flight)

    def close(self) -> None:
        """Leave the cluster, and end it if it was started here."""
        client, own = self._client, self._own
        self._client = self._own = None
        for each in (client, own):
            if each is not None:
                each.close()

    def _result(self, unit: Unit, future: Any) -> Any:
        """What the unit gave; what the cluster itself has to say becomes an `EngineError`."""
        distributed = import_module("distributed")
        try:
            return self._awaited(unit, future)
        except (ImportError, AttributeError):
            self._check_versions()  # of workers that came after those that were asked
            raise
        except (CancelledError, distributed.comm.CommClosedError) as error:
            raise EngineError(f"{unit}: the connection to the scheduler is lost") from error

    def _alone(self, work: Work[Result], unit: Unit) -> Any:
        """A unit with no other beside it: Dask blames whatever a dead worker had before it."""
        try:
            return self._result(unit, _handed_out(self._client, work, unit))
        except import_module("distributed").KilledWorker as error:
            raise EngineError(
                f"{unit}: several workers died at this unit of work; if memory ran out give them "
                "more, else look into their logs"
            ) from error

    def _awaited(self, unit: Unit, future: Any) -> Any:
        """What a unit gives, waited for as long as there is a worker that could do it."""
        while True:
            try:
                return future.result(timeout=PATIENCE)
            except TimeoutError as error:
                if future.done():
                    return future.result()  # it came just now, or the work itself raised it
                if self._own is not None:  # a worker of this machine is started again
                    with suppress(TimeoutError):
                        self._client.wait_for_workers(1, timeout=PATIENCE_HERE)
                if not self._client.ncores():
                    raise EngineError(f"{unit}: no worker is left; {START}") from error

    def _joined(self) -> Any:
        if self._client is None:
            try:
                dask = import_module("dask")
                dask.config.set(SETTINGS)
                distributed = import_module("distributed")
            except ImportError as error:
                raise MissingExtra("dask", "the engine dask") from error
            self._client = self._connected(distributed)
            try:
                self._check()
            except BaseException:
                self.close()
                raise
        return self._client

    def _connected(self, distributed: Any) -> Any:
        if self.scheduler is None:
            workers = self.jobs or cores()
            allow_files(workers)
            with starting_processes():
                self._own = distributed.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    env=threads_of_worker(),
                    host=HERE,
                    dashboard_address=f"{HERE}:0",
                    silence_logs=logging.CRITICAL,
                )
            return distributed.Client(self._own, set_as_default=False)
        try:
            _greet(distributed, self.scheduler)
            return distributed.Client(self.scheduler, set_as_default=False, timeout=PATIENCE)
        except (OSError, ValueError) as error:
            distrust = DISTRUST * self.scheduler.startswith("tls://")
            reason = f"no scheduler answers at {self.scheduler}{distrust}: {START}"
            raise EngineError(reason) from error

    def _check(self) -> None:
        """Refuse a cluster without workers, and one with workers of another version."""
        wanted = self._client.submit(int, pure=False)  # for work, some clusters start workers
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise EngineError(
                f"the scheduler at {self.scheduler} has no workers: {START}"
            ) from error
        wanted.release()
        self._check_versions()

    def _check_versions(self) -> None:
        """Refuse workers on which what decides scores is missing or another.

        Another Python may not understand a function, so that it is asked for nothing but its name.
        """
        expected = versions()
        ours = expected.pop("tseval")
        for worker, answer in self._client.get_versions(packages=DECIDING)["workers"].items():
            found = answer["packages"]
            check_versions(worker, found | {PYTHON: minor(found["python"])}, expected)

        def worker_version() -> str | None:
            """Defined here so that Dask sends it as it is: a worker may have no tseval at all."""
            from importlib import import_module

            try:
                return str(import_module("tseval.version").VERSION)
            except ImportError:
                return None

        for worker, version in self._client.run(worker_version).items():
            check_versions(worker, {"tseval": version}, {"tseval": ours})


def _greet(distributed: Any, scheduler: str) -> None:
    """Shake hands with a scheduler; an OSError if none is there in time.

    A client does so too, but waits for ever for what speaks something else, such as HTTP.
    """

    async def greet() -> None:
        trusted = distributed.Security().get_connection_args("client")
        async with asyncio.timeout(PATIENCE):
            (await distributed.comm.connect(scheduler, timeout=PATIENCE, **trusted)).abort()

    with ThreadPoolExecutor(1) as apart:  # a notebook has a loop of events of its own here
        try:
            apart.submit(asyncio.run, greet()).result()
        except (OSError, ValueError):
            raise
        except Exception as error:  # Dask takes whatever is said for its own, such as for sizes
            raise OSError(str(error)) from error


@frozen
class SameVersion(Generic[Result]):
    """Work for workers that have what decides scores in the same version, whenever they came."""

    work: Work[Result]
    versions: dict[str, str]

    def __call__(self, unit: Unit) -> Result:
        """What the work gives, if this worker may do it."""
        check_versions(f"on {platform.node()}", versions(), self.versions)
        return self.work(unit)


def versions() -> dict[str, str]:
    """The versions of what decides scores."""
    packages = {name: metadata.version(name) for name in DECIDING}
    return {"tseval": VERSION, PYTHON: minor(platform.python_version())} | packages


def minor(version: str) -> str:
    """The part of a version of Python that decides: 3.11 of 3.11.7."""
    return ".".join(version.split(".")[:2])


def check_versions(
    worker: str, found: Mapping[str, str | None], expected: Mapping[str, str]
) -> None:
    """Refuse a worker that has something missing or in another version."""
    for name, version in expected.items():
        other = found[name]
        if other != version:
            has = f"no {name}" if other is None else f"{name} {other}"
            cure = f"pip install the same {name} where the workers run, and start them again"
            if name == PYTHON:
                cure = f"start the workers with {PYTHON} {version}"
            raise EngineError(f"worker {worker} has {has}, this is {version}: {cure}")


def _handed_out(client: Any, work: Work[Result], unit: Unit) -> Any:
    return client.submit(SameVersion(work, versions()), unit, pure=False)


def _cancel(client: Any, flight: Sequence[tuple[Unit, Any]]) -> None:
    with suppress(Exception):  # a cluster that is gone has nothing to cancel
        client.cancel([future for _, future in flight])


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
