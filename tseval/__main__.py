"""The program: `tseval`, or `python -m tseval`. Errors become one sentence and an exit code."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from importlib.util import find_spec, module_from_spec
from io import TextIOWrapper
from threading import RLock
from types import ModuleType
from typing import Any

LOADING = RLock()
"""Held while a module loads that was put off."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and exit with one of `EXIT_CODES`."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    gc.set_threshold(50_000)  # modules that load are no garbage: a tenth of a start
    atexit.register(gc.freeze)  # what is left then needs no search for garbage: a sixth of a start
    _take_all_letters()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # what it multiplies is small: .015 s less
    os.environ.setdefault("PYTHONSAFEPATH", "1")  # workers import nothing from beside the data
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # gives memory back: 60 MB less
    gives_back = "narenas:1,dirty_decay_ms:50,muzzy_decay_ms:0"  # 90 MB less
    os.environ.setdefault("_RJEM_MALLOC_CONF", gives_back)
    if any(each.startswith(("-j", "--jobs")) for each in given):
        from tseval.parallel.threads import limit_threads

        limit_threads(given)
    _load_when_used("polars")  # which takes a tenth of a second that most commands need not spend
    try:
        code = run(given)
    except KeyboardInterrupt:
        from tseval.errors import INTERRUPTED

        code = INTERRUPTED
    try:
        sys.stdout.flush()
    except OSError:
        _close_quietly()
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run the program and give its exit code."""
    import click

    from tseval.cli import cli
    from tseval.errors import BAD_INPUT, INTERRUPTED, DryRun, PluginWarning, TsevalError

    try:
        with warnings.catch_warnings():
            told = "ignore" if "--quiet" in arguments else "always"
            warnings.simplefilter(told, PluginWarning)  # type: ignore[arg-type]
            result = cli.main(list(arguments), prog_name="tseval", standalone_mode=False)
        sys.stdout.flush()
        return int(result or 0)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except BrokenPipeError:
        return _close_quietly()
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except DryRun as plan:
        click.echo(plan)
        return plan.exit_code
    except Exception as error:
        if "--debug" in arguments:
            import traceback

            traceback.print_exception(error)
        _say(f"error: {_reason(error)}")
        return error.exit_code if isinstance(error, TsevalError) else BAD_INPUT


def _reason(error: Exception) -> str:
    """Say what went wrong."""
    from tseval.errors import TsevalError, reason_of

    if isinstance(error, TsevalError):
        return str(error)
    if isinstance(error, OSError):
        place = error.filename or ("standard output" if error.errno == errno.ENOSPC else "")
        return f"{place}: {reason_of(error)}" if place else reason_of(error)
    if isinstance(error, MemoryError):
        return "memory ran out"
    advice = "this is a fault of tseval: run it again with --debug and report what it shows"
    return f"{type(error).__name__}: {error}\n  {advice}"


def _load_when_used(name: str) -> None:
    """Put off loading a library until something in it is asked for."""
    spec = find_spec(name)
    if name not in sys.modules and spec is not None:
        module = module_from_spec(spec)
        module.__class__ = DelayedModule
        sys.modules[name] = module


class DelayedModule(ModuleType):
    """A module that loads itself when it is asked for anything; other threads wait until it has.

    The standard library's lazy loader loads with the statement that imports, and has no lock.
    """

    def __getattr__(self, name: str) -> Any:
        with LOADING:
            if not self.__dict__.setdefault("__loads__", False):
                self.__dict__["__loads__"] = True
                self.__spec__.loader.exec_module(self)  # type: ignore[union-attr]
                self.__class__ = ModuleType  # type: ignore[assignment]
                if hasattr(signal, "siginterrupt"):
                    # polars catches interrupts such that reading a pipe would go on after one.
                    signal.siginterrupt(signal.SIGINT, True)
            return ModuleType.__getattribute__(self, name)


def _take_all_letters() -> None:
    """Write out what a stream's encoding lacks, and say warnings of libraries as our own are said.

    What is said of files goes out in the terminal's encoding, results are UTF-8 wherever they go.
    """

    def show_warning(message: Warning | str, *_: object, **__: object) -> None:
        _say(f"warning: {message}")

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = show_warning


def _close_quietly() -> int:
    """Nothing takes the output any more: keep Python from complaining when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _say(message: str) -> None:
    from tseval.errors import visible

    sys.stderr.write(visible(message) + "\n")


if __name__ == "__main__":
    main()
