"""Run the program inside this process, or as a process of its own, and keep what it says."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tseval.__main__ import run
from tseval.cli import cli
from tseval.errors import Fault, InputError

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "fixtures"
SWIFT = str(FIXTURES / "runs" / "swift.tsv")
THOROUGH = str(FIXTURES / "runs" / "thorough.tsv")
NUGGETS = str(FIXTURES / "nuggets.tsv")
MATCHES = str(FIXTURES / "matches.tsv")
TOPICS = str(FIXTURES / "topics.tsv")


@dataclass(frozen=True)
class Outcome:
    """An exit code, the bytes on standard output and standard error, and the faults of inputs."""

    code: int
    output: bytes
    error: bytes
    faults: tuple[Fault, ...] = ()

    @property
    def out(self) -> str:
        return self.output.decode()

    @property
    def err(self) -> str:
        return self.error.decode()

    @property
    def codes(self) -> list[tuple[str, int | None]]:
        """The code and the line of each fault."""
        return [(fault.code, fault.line) for fault in self.faults]

    @property
    def places(self) -> list[tuple[str, int]]:
        """The file and the line of each fault that `validate` writes."""
        found = re.findall(r"^(.+?):(\d+): ", self.out, re.MULTILINE)
        return [(file, int(line)) for file, line in found]


class Terminal(io.TextIOWrapper):
    """A stream that says that a person is looking at it."""

    def isatty(self) -> bool:
        return True


def tseval(
    *arguments: object, stdin: bytes = b"", terminal: bool = False, watched: bool = False
) -> Outcome:
    """Run `tseval ARGUMENTS` in this process; `watched` if a person sees what goes to errors."""
    with _streams(stdin, Terminal if terminal else io.TextIOWrapper, watched=watched) as (out, err):
        faults: list[Fault] = []
        try:
            with _noting(faults):
                code = run([str(argument) for argument in arguments])
        except SystemExit as end:  # click's own, after it told a shell what there is to choose
            code = int(end.code or 0)
        sys.stdout.flush()
        sys.stderr.flush()
        return Outcome(code, out.getvalue(), err.getvalue(), tuple(faults))


@contextmanager
def faulty(code: str, line: int | None = None) -> Iterator[None]:
    """A call in Python that refuses an input: with this code and line at first."""
    with pytest.raises(InputError) as caught:
        yield
    fault = caught.value.faults[0]
    assert (fault.code, fault.line) == (code, line), str(caught.value)


def warn_of(warnings: Sequence[str], *wanted: str) -> bool:
    """Whether there is a warning for each of these, with all of its words, in their order."""
    told = [{word.strip(",:;") for word in each.split()} for each in warnings]
    return len(told) == len(wanted) and all(
        {*words.split()} <= own for own, words in zip(told, wanted, strict=True)
    )


@contextmanager
def _noting(faults: list[Fault]) -> Iterator[None]:
    """Keep the faults of inputs that the program turns into sentences."""
    main = cli.main

    def noted(*arguments: Any, **options: Any) -> Any:
        try:
            return main(*arguments, **options)
        except InputError as error:
            faults.extend(error.faults)
            raise

    with patch.object(cli, "main", noted):
        yield


@contextmanager
def _streams(
    stdin: bytes, output: type[io.TextIOWrapper], *, watched: bool
) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Put other streams in the place of the three; only the bytes below them count."""
    before = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    sys.stdout = output(out, "utf-8")
    errors = Terminal if watched else io.TextIOWrapper
    sys.stderr = errors(err, "utf-8", errors="backslashreplace")
    try:
        yield out, err
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def command(*arguments: object) -> list[str]:
    """The command line of `tseval ARGUMENTS` for a process of its own."""
    return [sys.executable, "-m", "tseval", *map(str, arguments)]


def error_of_a_closed_pipe(*arguments: object) -> bytes:
    """What a process says when nobody reads on after its first line."""
    with subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline()
        running.stdout.close()
        return running.stderr.read()


def process(*arguments: object, stdin: bytes = b"", **environment: str) -> Outcome:
    """Run `tseval ARGUMENTS` as a process of its own."""
    done = subprocess.run(
        command(*arguments),
        input=stdin,
        capture_output=True,
        env=os.environ | environment,
        timeout=60,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)
