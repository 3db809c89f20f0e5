"""What can go wrong, as a tree; the program turns each into a sentence and an exit code.

TsevalError           anything tseval refuses to do
  InputError          a file or frame that breaks its format: faults with file and line (exit 1)
  MissingTopics       a run lacks judged topics and `--on-missing error` was asked for (exit 1)
  MissingExtra        an optional dependency is not installed (exit 1)
  OutputError         a result could not be written (exit 1)
  EngineError         work could not be done where it was to run (exit 1)
  DryRun              what a request would take, where that alone was asked for (exit 0)
  UsageError          a name or an option that has no meaning here (exit 2)
    MeasureError      a measure that is not in the registry, or not with these parameters
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

DONE, BAD_INPUT, WRONG_USAGE, NOT_MET, NOT_TOLD, INTERRUPTED = 0, 1, 2, 3, 4, 130
EXIT_CODES = {
    DONE: "done",
    BAD_INPUT: "bad input, a file that cannot be written, or a missing extra; "
    "`validate` found a fault",
    WRONG_USAGE: "wrong usage: an unknown command, option, measure, matcher or topic",
    NOT_MET: "a requirement of `--require` is not met",
    NOT_TOLD: "it cannot be told whether a requirement is met",
    INTERRUPTED: "interrupted",
}
"""How the program ends. `docs/outputs.md` shows this list."""
FAULTS_SHOWN = 10
"""How many faults of a file a command shows before it counts the rest."""
SHOWN_WIDTH = 200
"""A faulty line is shown up to this many characters."""
SAID_WIDTH = 400
"""A sentence that quotes more than this of a file loses its middle."""
STEERING = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]"
)
"""What steers a terminal or turns its text, and what UTF-8 cannot hold; new lines are left."""


class Reason(str):
    """A warning that says why scores are 0: it is told even where no warnings are wanted."""

    __slots__ = ()


class Doubt(str):
    """A warning that bears on which run is better: a report shows it below the verdict."""

    __slots__ = ()


def check_choice(name: str, value: str, known: Collection[str]) -> None:
    """Refuse a word that is none of those known."""
    if value not in known:
        like = did_you_mean(value, known)
        raise UsageError(f"{name} cannot be '{value}': choose one of {', '.join(known)}{like}")


def check_known(what: str, name: str, known: Iterable[str], where: str = "") -> None:
    """Refuse the name of a thing that is not here; the message begins with where it stands."""
    if name not in (names := list(known)):
        like = did_you_mean(name, names)
        raise UsageError(f"{where}no {what} '{name}' here; there are: {', '.join(names)}{like}")


def check_suffix(name: str, form: str, known: Iterable[str]) -> None:
    """Refuse a file whose suffix is none of those known."""
    if form not in (forms := list(known)):
        listed = ", ".join(f".{each}" for each in forms)
        raise UsageError(f"{name}: the suffix must be one of {listed}")


class PluginWarning(UserWarning):
    """A plug-in of another package cannot be used, and is left out."""


def nearest(name: str, known: Iterable[str], number: int = 1) -> list[str]:
    """The names that look like this one, the most alike first: capitals make no difference."""
    from difflib import get_close_matches  # needed only where something is wrong

    folded = {each.casefold(): each for each in known}
    return [folded[like] for like in get_close_matches(name.casefold(), folded, number)]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What is said behind a name that is not known, where one that is looks like it."""
    return "".join(f"; did you mean {like}?" for like in nearest(name, known))


class TsevalError(Exception):
    """The base of every error that tseval raises on purpose."""

    exit_code = BAD_INPUT


class UsageError(TsevalError):
    """A request that is wrong whatever the files contain."""

    exit_code = WRONG_USAGE


class MeasureError(UsageError):
    """An unknown name, parameter or time of a measure."""


class OutputError(TsevalError):
    """A result that could not be written."""


class EngineError(TsevalError):
    """A failure of workers: a process died, or the cluster cannot be reached.

    A fault in the input is an `InputError`, wherever it is found.
    """


class MissingTopics(TsevalError):
    """A run lacks judged topics, and `on_missing` is `error`."""


class DryRun(TsevalError):
    """No error: what was asked for would take this. The program prints it as its result."""

    exit_code = DONE


class MissingExtra(TsevalError):
    """An optional dependency is not installed; the message has the command that installs it."""

    def __init__(self, extra: str, needed_for: str) -> None:
        ways = [f"pip install '.[{extra}]' in a checkout of tseval"]
        packages = " ".join(f"'{each}'" for each in _packages(extra))
        ways += [f"or, anywhere, pip install {packages}"] if packages else []
        super().__init__(f"{needed_for} needs the extra '{extra}': {', '.join(ways)}")
        self.extra = extra
        self.needed_for = needed_for

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        return MissingExtra, (self.extra, self.needed_for)


def _packages(extra: str) -> list[str]:
    """What an extra consists of, as the tseval that is installed declares it."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        declared = requires("tseval") or []
    except PackageNotFoundError:  # a checkout that is not installed
        return []
    parts = (each.partition(";") for each in declared)
    return [
        name.strip() for name, _, when in parts if f'extra == "{extra}"' in when.replace("'", '"')
    ]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with one place of one input.

    `line` counts from 1 and is None where the fault is the whole file's; `unit` is "row" for
    inputs without lines (frames, Parquet). `text` is the offending line, `cure` what to do.
    `code` names the kind of fault, such as `time-format`, and stays where sentences change:
    `docs/outputs.md` lists them.
    """

    file: str
    line: int | None
    reason: str
    cure: str
    code: str
    text: str = ""
    unit: str = "line"

    @property
    def place(self) -> str:
        """Where it is: `FILE:LINE`, `FILE: row N`, or `FILE` alone."""
        if self.line is None:
            return self.file
        return (
            f"{self.file}:{self.line}" if self.unit == "line" else f"{self.file}: row {self.line}"
        )

    def __str__(self) -> str:
        return _printable(f"{self.place}: {_without_middle(self.reason)}")

    def report(self) -> str:
        """The fault as a user reads it: the sentence, the line itself and the cure."""
        shown = self.text if len(self.text) <= SHOWN_WIDTH else self.text[: SHOWN_WIDTH - 1] + "…"
        quoted = f"\n  | {_printable(shown)}" if shown else ""
        cure = f"\n  {_printable(_without_middle(self.cure))}" if self.cure else ""
        return str(self) + quoted + cure


def reason_of(error: OSError) -> str:
    """What the system says of a file, as a part of a sentence."""
    return (error.strerror or str(error)).lower()


def visible(text: str) -> str:
    """The text with what would steer a terminal, or turn the direction of its line, written out."""
    return text if text.isprintable() else STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


def _without_middle(text: str) -> str:
    """The text, or its two ends if it is long."""
    half = SAID_WIDTH // 2
    return text if len(text) <= SAID_WIDTH else f"{text[:half]} … {text[-half:]}"


def _printable(text: str) -> str:
    """The text on one line, with control characters other than tabs made visible."""
    return "".join(c if c.isprintable() or c == "\t" else ascii(c)[1:-1] for c in text)


class InputError(TsevalError):
    """Faults in an input. It holds every fault; its text shows the first ten."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__()
        self.faults = tuple(faults)

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Fault, ...]]]:
        return InputError, (self.faults,)  # so that it comes whole from another process

    def __str__(self) -> str:
        reports = [fault.report() for fault in self.faults[:FAULTS_SHOWN]]
        rest = len(self.faults) - len(reports)
        if rest > 0:
            noun = "fault" if rest == 1 else "faults"
            reports.append(
                f"{self.faults[0].file}: {rest} more {noun}; `tseval validate` lists all"
            )
        return "\n".join(reports)


def input_error(
    file: str, line: int | None, reason: str, cure: str, code: str, text: str = ""
) -> InputError:
    """Return an error with one fault."""
    return InputError([Fault(file, line, reason, cure, code, text)])
