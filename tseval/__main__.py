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

INTERRUPTED = 130
LOADING = RLock()
"""Held while a module loads that was put off."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and exit: 0 done, 1 bad input, 2 wrong usage, 130 interrupted."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    gc.set_threshold(50_000)  # modules that load are no garbage: a tenth of a start
    atexit.register(gc.freeze)  # what is left then needs no search for garbage: a sixth of a start
    _open_what_is_closed()
    _take_all_letters()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # what it multiplies is small: .015 s less
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # gives memory back: 60 MB less
    os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:50,muzzy_decay_ms:0")  # 80 MB less
    if any(each.startswith(("-j", "--jobs")) for each in given):
        from tseval.parallel.threads import limit_threads

        limit_threads(given)
    _load_when_used("polars")  # which takes a tenth of a second that most commands need not spend
    try:
        code = run(given)
    except KeyboardInterrupt:
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
    from tseval.errors import DryRun, PluginWarning, TsevalError, reason_of

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
    except TsevalError as error:
        _say(f"error: {error}", "--debug" in arguments)
        return error.exit_code
    except OSError as error:
        place = error.filename or _what_fails_so(error)
        words = f"{place}: {reason_of(error)}" if place else reason_of(error)
        _say(f"error: {words}", "--debug" in arguments)
        return 1
    except MemoryError:
        _say("error: memory ran out", "--debug" in arguments)
        return 1
    except Exception as error:
        words = f"error: {type(error).__name__}: {error}\n  {_unforeseen(error)}"
        _say(words, "--debug" in arguments)
        return 1


def _unforeseen(error: Exception) -> str:
    """What to do about an error that is not foreseen."""
    from importlib.machinery import EXTENSION_SUFFIXES

    if isinstance(error, ImportError) and str(error.path).endswith(tuple(EXTENSION_SUFFIXES)):
        return "this library cannot be loaded: memory is short, or its installation is broken"
    return "this is a fault of tseval: run it again with --debug and report what it shows"


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


def _open_what_is_closed() -> None:
    """Give a stream that was closed for this program a place where reading or writing fails.

    Else the next file that is opened would stand in for it.
    """
    for descriptor, name, mode, fails in (
        (0, "stdin", "r", os.O_WRONLY),
        (1, "stdout", "w", os.O_RDONLY),
        (2, "stderr", "w", os.O_WRONLY),  # what is said there is lost, as was asked for
    ):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, fails), descriptor)
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8"))


def _take_all_letters() -> None:
    """Write out what a stream's encoding lacks, and say warnings of libraries as our own are said.

    What is said of files goes out in the terminal's encoding, results are UTF-8 wherever they go.
    """

    def said(message: Warning | str, *_: object, **__: object) -> None:
        _say(f"warning: {message}", debug=False)

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = said


def _close_quietly() -> int:
    """Nothing takes the output any more: keep Python from complaining when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _what_fails_so(error: OSError) -> str:
    """What the system meant where it named nothing: the folder that this runs in may be gone.

    Files are written by their names, so what is full or closed and has none is standard output.
    """
    if error.errno in (errno.ENOSPC, errno.EBADF):
        return "standard output"
    try:
        os.getcwd()  # noqa: PTH109 - asked of the system alone
    except OSError as again:
        return "the working directory" if again.errno == error.errno else ""
    return ""


def _say(message: str, debug: bool) -> None:
    from tseval.errors import visible

    if debug:
        import traceback

        traceback.print_exc()
    sys.stderr.write(visible(message) + "\n")


if __name__ == "__main__":
    main()
