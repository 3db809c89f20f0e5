"""Engines: order, faults, workers that die, clusters that are not there, plug-ins, interrupts."""

from __future__ import annotations

import logging
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import metadata
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from tests import work
from tests.program import NUGGETS, ROOT, SWIFT, Outcome, command, process, tseval
from tests.test_architecture import modules_after
from tseval.errors import EngineError, Fault, InputError, MissingExtra, UsageError
from tseval.parallel import cluster
from tseval.parallel.engine import (
    Engine,
    Here,
    Result,
    Unit,
    Work,
    starting_processes,
)
from tseval.parallel.sharing import GROUP, choose

NAMES = ("local", "dask")


def own_address(engine: Any) -> str:
    """Where the cluster of an engine can be reached."""
    return str(engine._own.scheduler_address)


class TestEveryEngine:
    @pytest.mark.parametrize("name", NAMES)
    def test_results_come_in_the_order_of_the_units(
        self, engines: dict[str, Engine], name: str
    ) -> None:
        assert list(engines[name].run(work.numbered, work.UNITS)) == list(range(1, 11))

    @pytest.mark.parametrize("name", NAMES)
    def test_others_do_the_work(self, engines: dict[str, Engine], name: str) -> None:
        assert os.getpid() not in set(engines[name].run(work.process_of, work.UNITS))

    @pytest.mark.parametrize("name", NAMES)
    def test_nothing_to_do(self, engines: dict[str, Engine], name: str) -> None:
        assert list(engines[name].run(work.numbered, [])) == []

    @pytest.mark.parametrize("name", NAMES)
    def test_bad_input_arrives_as_it_was_raised(
        self, engines: dict[str, Engine], name: str
    ) -> None:
        results = engines[name].run(work.faulty, work.UNITS)
        assert [next(results) for _ in range(3)] == [1, 2, 3]
        with pytest.raises(InputError) as raised:
            next(results)
        with pytest.raises(InputError) as expected:
            work.faulty(work.UNITS[3])
        assert str(raised.value) == str(expected.value)
        assert list(engines[name].run(work.numbered, work.UNITS[:2])) == [1, 2]

    @pytest.mark.parametrize("name", NAMES)
    def test_a_killed_worker_changes_nothing(
        self, engines: dict[str, Engine], name: str, tmp_path: Path
    ) -> None:
        killed = work.Killed(str(tmp_path), times=1)
        assert list(engines[name].run(killed, work.UNITS)) == list(range(1, 11))
        assert [mark.name for mark in tmp_path.iterdir()] == ["0"]

    @pytest.mark.parametrize("name", NAMES)
    def test_a_unit_that_kills_every_worker_is_named(
        self, engines: dict[str, Engine], name: str, tmp_path: Path
    ) -> None:
        results = engines[name].run(work.Killed(str(tmp_path), times=9), work.UNITS)
        with pytest.raises(EngineError, match=r"runs\.tsv, lines 4 to 4: .* died at this unit"):
            list(results)
        assert list(engines[name].run(work.numbered, work.UNITS[:3])) == [1, 2, 3]


def test_a_result_that_comes_as_patience_ends_is_taken() -> None:
    class Late:
        """What is done just after waiting for it was given up."""

        def __init__(self) -> None:
            self.waited = 0

        def result(self, timeout: float | None = None) -> int:
            self.waited += 1
            if self.waited == 1:
                raise TimeoutError(f"timed out after {timeout} s.")
            return 7

        def done(self) -> bool:
            return self.waited > 0

    assert cluster.Cluster()._awaited(work.UNITS[0], Late()) == 7


def test_one_unit_needs_no_second_process() -> None:
    assert list(choose("local", 2).run(work.process_of, work.UNITS[:1])) == [os.getpid()]


@pytest.mark.parametrize(
    "error",
    [
        InputError([Fault("a.tsv", 3, "is bad", "cure", "number-format", "text")]),
        MissingExtra("dask", "the engine dask"),
        EngineError("no"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_survive_the_way_from_a_worker(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


class TestChoice:
    def test_one_job_is_this_process(self) -> None:
        assert isinstance(choose(), Here)
        assert isinstance(choose("local", 1), Here)

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("local", 0), "jobs cannot be 0"),
            (("local", 2, "tcp://127.0.0.1:8786"), "give --engine dask, too"),
            (("dask", 2, "tcp://127.0.0.1:8786"), "leave --jobs out"),
            (("spark",), "unknown engine 'spark'; known: local, dask"),
        ],
    )
    def test_what_would_do_nothing_is_refused(self, arguments: tuple[Any, ...], said: str) -> None:
        with pytest.raises(UsageError, match=said):
            choose(*arguments)

    def test_an_unknown_engine_is_wrong_usage(self) -> None:
        outcome = tseval("match", SWIFT, NUGGETS, "--engine", "spark")
        assert (outcome.code, outcome.err) == (
            2,
            "error: unknown engine 'spark'; known: local, dask\n",
        )

    def test_what_is_not_used_is_not_imported(self) -> None:
        program = (
            f"sys.argv = ['tseval', 'score', {SWIFT!r}, {NUGGETS!r}, '--quiet']\n"
            f"sys.argv += ['-o', {os.devnull!r}]\n"
            "from tseval.__main__ import main\n"
            "try: main()\n"
            "except SystemExit as end: assert not end.code, end.code"
        )
        assert {"joblib", "dask", "distributed"}.isdisjoint(modules_after(program))

    def test_without_dask_the_cure_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "dask", None)
        outcome = tseval("match", SWIFT, NUGGETS, "--engine", "dask", "-j", 1)
        assert outcome.code == 1
        assert outcome.err == (
            "error: the engine dask needs the extra 'dask': pip install '.[dask]' in a checkout of "
            "tseval, or, anywhere, pip install 'dask[distributed]>=2025.1'\n"
        )


class Backwards:
    """An engine of another package: it does the last unit first."""

    def __init__(self, jobs: int | None, scheduler: str | None) -> None:
        self.asked = jobs, scheduler
        self.closed = False

    def run(self, todo: Work[Result], units: Sequence[Unit]) -> Iterator[Result]:
        return iter([todo(unit) for unit in reversed(units)][::-1])

    def close(self) -> None:
        self.closed = True


class TestPlugIns:
    @pytest.fixture(autouse=True)
    def _registered(self, monkeypatch: pytest.MonkeyPatch) -> None:
        points = EntryPoints(
            [
                EntryPoint("backwards", f"{__name__}:Backwards", GROUP),
                EntryPoint("broken", f"{__name__}:Nothing", GROUP),
            ]
        )
        monkeypatch.setattr(metadata, "entry_points", lambda group: points.select(group=group))

    def test_by_name(self) -> None:
        engine = choose("backwards", 3, "here")
        assert isinstance(engine, Backwards)
        assert engine.asked == (3, "here")

    def test_gives_what_this_process_gives(self) -> None:
        alone = tseval("match", SWIFT, NUGGETS)
        assert tseval("match", SWIFT, NUGGETS, "--engine", "backwards") == alone

    def test_what_fails_is_named(self) -> None:
        with pytest.raises(EngineError, match=r"engine 'broken' \(.*Nothing\) fails: "):
            choose("broken")

    def test_is_listed(self) -> None:
        with pytest.raises(UsageError, match="known: local, dask, backwards, broken"):
            choose("forwards")


class TestClusters:
    def test_nobody_answers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cluster, "PATIENCE", 1)
        outcome = tseval(
            *("match", SWIFT, NUGGETS, "--engine", "dask", "--scheduler", "tcp://127.0.0.1:9")
        )
        assert outcome.code == 1
        assert outcome.out == ""
        assert outcome.err == (
            "error: no scheduler answers at tcp://127.0.0.1:9: start one with `dask scheduler`, "
            "and workers with `dask worker SCHEDULER`\n"
        )

    @pytest.mark.parametrize("said", [b"", b"HTTP/1.0 400 Bad request\r\n\r\n"])
    def test_what_answers_is_no_scheduler(
        self, said: bytes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("distributed")
        monkeypatch.setattr(cluster, "PATIENCE", 1)
        with socket.create_server(("127.0.0.1", 0)) as server:
            met = []

            def answer() -> None:
                with suppress(OSError):  # closed at the end
                    while True:
                        met.append(server.accept()[0])
                        met[-1].sendall(said)

            threading.Thread(target=answer, daemon=True).start()
            where = f"tcp://127.0.0.1:{server.getsockname()[1]}"
            with pytest.raises(EngineError, match=f"no scheduler answers at {where}"):
                list(choose("dask", scheduler=where).run(work.numbered, work.UNITS))
            assert met
            for each in met:
                each.close()

    def test_an_address_that_is_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        distributed = pytest.importorskip("distributed")
        made = []

        class Watched(distributed.Client):  # type: ignore[misc, name-defined]
            def __init__(self, *given: Any, **options: Any) -> None:
                made.append(self)
                super().__init__(*given, **options)

        monkeypatch.setattr(distributed, "Client", Watched)
        with pytest.raises(EngineError, match="no scheduler answers at nowhere://x"):
            list(choose("dask", scheduler="nowhere://x").run(work.numbered, work.UNITS))
        assert made == []

    def test_another_version_is_refused(
        self, engines: dict[str, Engine], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        list(engines["dask"].run(work.numbered, work.UNITS[:1]))
        address = own_address(engines["dask"])
        monkeypatch.setattr(cluster, "VERSION", "99.0")
        joined = choose("dask", scheduler=address)
        try:
            with pytest.raises(EngineError, match=r"has tseval .*, this is 99\.0: pip install"):
                list(joined.run(work.numbered, work.UNITS))
        finally:
            joined.close()

    def test_a_running_cluster_can_be_joined(self, engines: dict[str, Engine]) -> None:
        list(engines["dask"].run(work.numbered, work.UNITS[:1]))
        joined = choose("dask", scheduler=own_address(engines["dask"]))
        assert list(joined.run(work.numbered, work.UNITS)) == list(range(1, 11))
        joined.close()
        assert list(engines["dask"].run(work.numbered, work.UNITS)) == list(range(1, 11))


@contextmanager
def foreign(workers: int = 1, **options: Any) -> Iterator[Any]:
    """A cluster in this process that an engine knows by its scheduler alone."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        host=cluster.HERE,
        dashboard_address=f"{cluster.HERE}:0",
        silence_logs=logging.CRITICAL,
        **options,
    ) as own:
        yield own


@contextmanager
def joined(own: Any) -> Iterator[Engine]:
    engine = choose("dask", scheduler=own.scheduler_address)
    try:
        yield engine
    finally:
        engine.close()


class TestForeignClusters:
    def test_two_at_a_time_know_nothing_of_each_other(self) -> None:
        with foreign() as one, foreign() as other, joined(other) as second:
            with joined(one) as first:
                both = zip(
                    first.run(work.numbered, work.UNITS),
                    second.run(work.numbered, work.UNITS),
                    strict=True,
                )
                assert list(both) == [(number, number) for number in range(1, 11)]
            assert list(second.run(work.numbered, work.UNITS)) == list(range(1, 11))

    def test_a_scheduler_that_is_lost_midway_is_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cluster, "PATIENCE", 2)
        with foreign() as own, joined(own) as engine:
            results = engine.run(work.numbered, work.UNITS * 3)
            assert next(results) == 1
            own.close()
            lost = r"runs\.tsv, lines 2 to 2: the connection to the scheduler is lost"
            with pytest.raises(EngineError, match=lost):
                list(results)

    def test_one_that_starts_workers_when_there_is_work(self) -> None:
        with foreign(0) as own:
            own.adapt(minimum=0, maximum=2, interval="50ms")
            with joined(own) as engine:
                assert list(engine.run(work.numbered, work.UNITS)) == list(range(1, 11))

    def test_results_that_are_put_on_disk(self, tmp_path: Path) -> None:
        dask = pytest.importorskip("dask")
        memory = dict.fromkeys(("pause", "spill", "terminate"), False) | {"target": 0.1}
        settings = {f"distributed.worker.memory.{name}": each for name, each in memory.items()}
        with (
            dask.config.set(settings),
            foreign(memory_limit="1MB", local_directory=str(tmp_path)) as own,
            joined(own) as engine,
        ):
            results = engine.run(work.large, work.UNITS)
            found = [next(results)]
            kept = own.workers[0].data
            patience = time.monotonic() + 10
            while not kept.disk and time.monotonic() < patience:
                time.sleep(0.01)
            assert kept.disk
            assert found + list(results) == [work.large(unit) for unit in work.UNITS]

    def test_workers_with_another_version_that_come_later_are_refused(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """All is in one process here: what it is called after the first result, workers find."""
        with foreign() as own, joined(own) as engine:
            results = engine.run(work.first_alone, work.UNITS * 20)
            assert next(results) == 1
            monkeypatch.setattr(cluster, "VERSION", "99.0")
            work.AFTER_THE_FIRST.set()
            with pytest.raises(EngineError, match=r"has tseval 99\.0, this is .*: pip install"):
                list(results)

    @pytest.mark.parametrize(
        ("name", "cure"),
        [
            *((each, f"pip install the same {each} where") for each in cluster.DECIDING),
            ("Python", "start the workers with Python 99.0"),
        ],
    )
    def test_another_version_of_what_decides_scores_is_refused(
        self, name: str, cure: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ours = cluster.versions()
        monkeypatch.setattr(cluster, "versions", lambda: ours | {name: "99.0"})
        with foreign() as own, joined(own) as engine:
            with pytest.raises(EngineError, match=f"has {name} .*, this is 99.0: {cure}"):
                list(engine.run(work.numbered, work.UNITS))
            assert engine._client is None  # type: ignore[attr-defined]
            monkeypatch.setattr(cluster, "versions", lambda: ours)
            assert list(engine.run(work.numbered, work.UNITS[:2])) == [1, 2]


def children(parent: int) -> list[int]:
    """The processes below one, whatever they are doing."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True)
    pairs = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
    found, fresh = [], [parent]
    while fresh:
        fresh = [pid for pid, above in pairs if above in fresh]
        found += fresh
    return found


def alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if Path(f"/proc/{pid}/cmdline").is_file() and _cmdline(pid)]


def _cmdline(pid: int) -> bytes:
    """Empty for a process that has ended and was not yet waited for."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks for processes in /proc")
class TestInterrupts:
    @pytest.fixture
    def long(self, tmp_path: Path) -> list[str]:
        """A command that takes far longer than anybody waits."""
        updates, nuggets = tmp_path / "updates.tsv", tmp_path / "nuggets.tsv"
        words = [f"word{i} other{i % 97} more{i % 89} still{i % 83}" for i in range(60_000)]
        updates.write_text(
            "topic\tupdate_id\ttime\ttext\n"
            + "".join(f"t\tu{i}\t{1_700_000_000 + i}\t{text}\n" for i, text in enumerate(words))
        )
        nuggets.write_text(
            "topic\tnugget_id\ttime\ttext\n"
            + "".join(
                f"t\tn{i}\t{1_700_000_000 + i}\t{text}\n" for i, text in enumerate(words[:20_000:5])
            )
        )
        return command("match", updates, nuggets, "--matcher", "rapidfuzz", "-o", tmp_path / "out")

    @pytest.mark.parametrize("engine", [("-j", "2"), ("-j", "2", "--engine", "dask")], ids=NAMES)
    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
    def test_nothing_is_left(
        self, long: list[str], tmp_path: Path, engine: tuple[str, ...], how: signal.Signals
    ) -> None:
        with subprocess.Popen(
            [*long, *engine], stderr=subprocess.PIPE, start_new_session=True
        ) as running:
            workers = self.workers(running)
            if how == signal.SIGINT:  # at once, while processes still start
                os.killpg(running.pid, how)
            else:
                time.sleep(1)
                workers = children(running.pid)
                running.send_signal(how)
            _, said = running.communicate(timeout=60)
        if how == signal.SIGINT:
            assert (running.returncode, said.strip()) == (130, b"")
        assert not (tmp_path / "out").exists()
        for _ in range(100):
            if not alive(workers):
                break
            time.sleep(0.1)
        assert alive(workers) == []

    def workers(self, running: subprocess.Popen[bytes]) -> list[int]:
        """The processes of a command, once both of its workers are there."""
        for _ in range(600):
            found = children(running.pid)
            if len(found) >= 3:  # a process that looks after the others, and two that work
                return found
            assert running.poll() is None
            time.sleep(0.1)
        raise AssertionError("no workers")


def test_an_interrupt_waits_until_processes_are_started() -> None:
    """Also one that reaches another thread, as one of numpy's, that does not mask it."""
    seen, over = [], threading.Event()

    def start() -> None:
        with starting_processes():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
            seen.append("started")

    other = threading.Thread(target=over.wait)
    other.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            start()
    finally:
        over.set()
        other.join()
    assert seen == ["started"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_is_too_large_for_a_pipe_holds_up_no_end() -> None:
    """The second unit of a process is written to it while it works on the first."""
    engine = choose(jobs=2)
    units = [replace(each, path="x" * 3_000_000) for each in work.UNITS]
    results = engine.run(work.asleep, units)

    def first() -> None:
        with suppress(Exception):
            next(iter(results))

    threading.Thread(target=first, daemon=True).start()
    for _ in range(600):
        if any(each.name.startswith("QueueFeeder") for each in threading.enumerate()):
            break
        time.sleep(0.1)
    time.sleep(1)
    closing = threading.Thread(target=engine.close, daemon=True)
    closing.start()
    closing.join(20)
    assert not closing.is_alive()


def test_ended_processes_leave_no_thread_behind() -> None:
    """One that still gives back locks while this process ends would have them told of as lost."""
    before = set(threading.enumerate())
    engine = choose(jobs=2)
    assert list(engine.run(work.numbered, work.UNITS)) == list(range(1, 11))
    engine.close()
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("soft", "hard", "said"),
    [
        (30, 200, "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"),
        (
            30,
            63,
            "2 processes need 64 open files, and this machine allows 63: "
            "give fewer --jobs, or allow more by `ulimit -n 64`",
        ),
    ],
)
def test_pipes_to_workers_are_allowed_or_refused_in_words(
    soft: int, hard: int, said: str, name: str
) -> None:
    ask = (
        "import resource\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))\n"
        "from tests import work\n"
        "from tseval.errors import EngineError\n"
        "from tseval.parallel.sharing import choose\n"
        f"engine = choose('{name}', jobs=2)\n"
        "try: print(list(engine.run(work.numbered, work.UNITS)))\n"
        "except EngineError as error: print(error)\n"
        "engine.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", ask],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == (said + "\n", "")


def test_the_whole_way_by_the_command_line() -> None:
    alone = tseval("match", SWIFT, SWIFT.replace("swift", "thorough"), NUGGETS)
    for engine in ((), ("--engine", "dask")):
        both = process("match", SWIFT, SWIFT.replace("swift", "thorough"), NUGGETS, "-j2", *engine)
        assert both == alone
    assert alone.code == 0


@pytest.mark.parametrize("name", NAMES)
def test_workers_import_nothing_from_the_folder_they_are_started_in(
    name: str, tmp_path: Path
) -> None:
    """A worker begins as `python -c`, which would look there before anywhere else."""
    data, program = tmp_path / "data", tmp_path / "program.py"
    data.mkdir()
    for module in ("joblib", "multiprocessing", "socket", "numpy", "cloudpickle", "tseval"):
        (data / f"{module}.py").write_text(f"raise SystemExit('{module} of the data was run')")
    program.write_text("from tseval.__main__ import main\nif __name__ == '__main__':\n    main()\n")
    runs = [Path(run).resolve() for run in (SWIFT, SWIFT.replace("swift", "thorough"))]
    nuggets = Path(NUGGETS).resolve()
    done = subprocess.run(
        [sys.executable, program, "match", *runs, nuggets, "-j2", "--engine", name],
        cwd=data,
        env=os.environ | {"PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert Outcome(done.returncode, done.stdout, done.stderr) == tseval("match", *runs, nuggets)


def test_units_say_what_they_are() -> None:
    assert str(Unit("a.tsv")) == "a.tsv"
    assert str(Unit("a.tsv", 2, 9)) == "a.tsv, lines 2 to 9"
    assert str(Unit("a.parquet", 2, None, "rows")) == "a.parquet, rows 2 to the end"


def test_a_connection_that_is_encrypted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler with a certificate made here takes who has it, and nobody else."""
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes certificates, is not here")
    for name in ("ours", "theirs"):
        subject = ["-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"]
        files = ["-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "2", "-nodes"]
        made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", *files, *subject]
        subprocess.run(made, cwd=tmp_path, check=True, capture_output=True)

    def settings(name: str) -> dict[str, str]:
        pem, key = str(tmp_path / f"{name}.pem"), str(tmp_path / f"{name}.key")
        whole = "distributed.comm.tls."
        return {f"{whole}ca-file": pem, f"{whole}client.cert": pem, f"{whole}client.key": key}

    pem, key = str(tmp_path / "ours.pem"), str(tmp_path / "ours.key")
    sides = {
        f"tls_{who}_{what}": file
        for who in ("scheduler", "worker", "client")
        for what, file in (("cert", pem), ("key", key))
    }
    trusted = distributed.Security(tls_ca_file=pem, require_encryption=True, **sides)
    monkeypatch.setattr(cluster, "PATIENCE", 5)
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        host="tls://127.0.0.1",
        security=trusted,
        dashboard_address=None,
    ) as own:
        address = own.scheduler_address
        assert address.startswith("tls://")
        with dask.config.set(settings("ours")):
            joined = choose("dask", scheduler=address)
            try:
                assert list(joined.run(work.numbered, work.UNITS)) == list(
                    map(work.numbered, work.UNITS)
                )
            finally:
                joined.close()
        with (
            dask.config.set(settings("theirs")),
            pytest.raises(EngineError, match="does not trust"),
        ):
            list(choose("dask", scheduler=address).run(work.numbered, work.UNITS))
        with pytest.raises(EngineError, match=r"certificate .*DASK_DISTRIBUTED__COMM__TLS__"):
            list(choose("dask", scheduler=address).run(work.numbered, work.UNITS))
