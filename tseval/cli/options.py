"""Options that several commands share, and where their output goes."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tseval.errors import OutputError, Reason, UsageError

if TYPE_CHECKING:
    from tseval.core.calling import Where

LOCAL = "local"
Command = TypeVar("Command", bound=Callable[..., Any])


def chained(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, shown in this order."""

    def decorate(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


debug_option = click.option(
    "--debug", is_flag=True, expose_value=False, help="Show the Python traceback of an error."
)
quiet_option = click.option(
    "--quiet", is_flag=True, help="No progress, and of warnings only why scores are 0."
)
output_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write there instead of standard output; the file appears whole or not at all.",
)
seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="For everything random."
)


class FormatOfInputs(click.Choice[str]):
    """A format, or the name of an input with one: `csv`, `nuggets=csv`."""

    name = "format"

    def __init__(self, forms: Sequence[str], inputs: Sequence[str]) -> None:
        super().__init__(forms)
        self.inputs = inputs

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """What stands behind the option in the help."""
        return f"[INPUT=][{'|'.join(self.choices)}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The value as it is given; an unknown input or format is wrong usage."""
        name, divided, form = str(value).rpartition("=")
        if divided and name not in self.inputs:
            known = ", ".join(self.inputs)
            self.fail(f"no input '{name}' here; there are: {known}.", param, ctx)
        return f"{name}{divided}{super().convert(form, param, ctx)}"


def _forms(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> str | dict[str, str] | None:
    """The formats as `Forms`; the same input twice is wrong usage."""
    forms: dict[str, str] = {}
    for value in values:
        name, _, form = value.rpartition("=")
        if name in forms:
            whose = f"of {name} " if name else ""
            raise click.BadParameter(f"the format {whose}is given twice", ctx, param)
        forms[name] = form
    return forms.get("") if set(forms) <= {""} else forms


def input_format(
    forms: Sequence[str], inputs: Sequence[str], what: str = "the input files"
) -> Callable[[Command], Command]:
    """The option that names the formats of a command's files: of those that it reads."""
    return click.option(
        "--input-format",
        type=FormatOfInputs(forms, inputs),
        multiple=True,
        callback=_forms,
        help=f"The format of {what}, or of one kind: {inputs[-1]}={forms[1]}; repeatable. Default: "
        f"by their content. Inputs: {', '.join(inputs)}.",
    )


runs_and_nuggets = click.argument(
    "files", nargs=-1, metavar="UPDATES... NUGGETS", type=click.Path(path_type=str)
)


def rule_option(edition: str) -> Callable[[Command], Command]:
    """The option that names rules; the help says which edition's to look at."""
    return click.option(
        "--rule",
        "rules",
        multiple=True,
        metavar="NAME=VALUE",
        help=f"Another habit than the edition's; repeatable. `tseval measures --edition {edition}` "
        "lists them.",
    )


def parted(rules: Iterable[str]) -> list[tuple[str, str]]:
    """The name and the value of each rule as it is written."""
    parts = [rule.partition("=") for rule in rules]
    return [(name.strip(), value.strip()) for name, _, value in parts]


def measures_named(more: str) -> Callable[[Command], Command]:
    """The option that names measures; the help ends with what is said more."""
    return click.option(
        "-m",
        "--measure",
        "wanted",
        multiple=True,
        metavar="NAME",
        help=f"A measure, or several in one quoted string; repeatable. {more}",
    )


measure_option = measures_named("See `tseval measures`.")
engine_options = chained(
    click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="How many processes work. Default: 1, or with --engine dask one a core.",
    ),
    click.option(
        "--engine",
        default=LOCAL,
        show_default=True,
        metavar="local|dask",
        help="Where the work runs: on this machine, or on a Dask cluster. The result is the same.",
    ),
    click.option(
        "--scheduler",
        metavar="URL",
        help="The cluster's scheduler, such as tcp://10.0.0.1:8786. Default: a cluster on this "
        "machine, for as long as it is needed.",
    ),
)
resume_option = click.option(
    "--resume",
    is_flag=True,
    help="Keep the matches on disk as they are found, and take those that an earlier run kept.",
)


def format_option(
    forms: Iterable[str], default: str, more: str = ""
) -> Callable[[Command], Command]:
    """The option that names the format of a result: any of these forms."""
    return click.option(
        "-f",
        "--format",
        "form",
        type=click.Choice(list(dict.fromkeys(forms))),
        help=f"Default: by the suffix of -o, else {default}.{more and ' '}{more}",
    )


def refuse_sharing(where: Where, way: str) -> None:
    """Refuse options of engines beside an option with which all work is this process's."""
    named = {"--jobs": where.jobs, "--scheduler": where.scheduler, "--resume": where.resume}
    asked = [option for option, value in named.items() if value]
    asked += ["--engine"] if where.engine != LOCAL else []
    if asked:
        raise UsageError(f"{asked[0]} has no meaning with {way}: it works in one process")


def on_missing(what: str, default: str | None = None) -> Callable[[Command], Command]:
    """What becomes of topics that a run lacks, and what is said of it."""
    return click.option(
        "--on-missing",
        type=click.Choice(["zero", "skip", "error"]),
        default=default,
        show_default=True,
        help=what,
    )


missing_option = on_missing(
    "Topics judged but absent from a run. Default: the edition's rule (draft: zero)."
)
topics_too_option = click.option(
    "-q", "--per-topic", is_flag=True, help="One row per topic as well as `all`."
)
undefined_option = click.option(
    "--undefined",
    type=click.Choice(["skip", "zero"]),
    default="skip",
    show_default=True,
    help="What a topic where a measure is undefined counts as in the mean.",
)


def runs_and_gold(files: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Split the arguments `UPDATES... NUGGETS`; wrong usage if there are fewer than two."""
    if len(files) < 2:
        raise click.UsageError("Give one or more files of updates, then the file of nuggets.")
    return files[:-1], files[-1]


def check_output(output: Path | None) -> None:
    """Refuse an output that cannot be written, or is an input, before any work is done for it."""
    if output is None:
        check_standard_output()
        return
    if not output.parent.is_dir():
        raise OutputError(f"{output}: there is no folder {output.parent}")
    refuse_inputs(output, _named_files())
    given = _file_of(sys.stdin)
    if given is not None and output.is_file() and os.path.samestat(given, output.stat()):
        raise UsageError(f"{output} {IS_INPUT}")


IS_INPUT = "is an input too: name another file for the result"


def refuse_inputs(output: Path | None, inputs: Iterable[str | Path]) -> None:
    """Refuse an output that is one of these files, under whatever name."""
    if output is None or not output.is_file():
        return
    if any(_is_file(each) and output.samefile(each) for each in inputs):
        raise UsageError(f"{output} {IS_INPUT}")


def check_standard_output() -> None:
    """Refuse to write into an input by way of standard output, as `>> FILE` would."""
    written, given = _file_of(sys.stdout), _file_of(sys.stdin)
    if written is None:
        return
    for each in _named_files():
        if os.path.samestat(written, each.stat()):
            raise UsageError(f"standard output goes to {each}, which {IS_INPUT}")
    if given is not None and os.path.samestat(written, given):
        raise UsageError(f"standard output goes to a file that {IS_INPUT}")


def _file_of(stream: Any) -> os.stat_result | None:
    """The regular file behind a stream of this process; None if there is none."""
    try:
        found = os.fstat(stream.fileno())
    except (AttributeError, OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _is_file(path: str | Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - may hold a NUL


def _named_files() -> Iterator[Path]:
    """The files that are there of those that the command's arguments and options name.

    Inputs are strings; where results go is a path.
    """
    context = click.get_current_context(silent=True)
    for value in () if context is None else context.params.values():
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, str) and _is_file(each):
                yield Path(each)


def deliver(
    content: bytes, output: Path | None, beside: Mapping[Path, bytes] | None = None
) -> None:
    """Write a result to its file, or to standard output; it and the files beside it, or none."""
    from tseval.files.atomic_write import write_together

    files: dict[str | Path, bytes] = dict((beside or {}).items())
    if output is not None and os.path.realpath(output) in map(os.path.realpath, files):
        raise UsageError(f"{output} is named for two results: give each a file of its own")
    if output is not None:
        files[output] = content
    write_together(files)
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def form_of(form: str | None, output: Path | None, known: Sequence[str], default: str) -> str:
    """The output's form: as asked for, else by the file's suffix, else the default.

    A suffix that names no form is refused, but for `.txt`, which stands for a table, and `.tex`.
    """
    suffix = output.suffix.lstrip(".").lower() if output is not None else ""
    chosen = form or {"": default, "txt": "table", "tex": "latex"}.get(suffix, suffix)
    if chosen not in known:
        listed = ", ".join(known)
        raise UsageError(f"'{chosen}' is none of the forms that this result has: {listed}")
    if chosen == "parquet" and output is None and sys.stdout.isatty():
        raise UsageError("Parquet is not for a terminal: give -o FILE.parquet")
    return chosen


def on_line(name: str) -> bool:
    """Whether a parameter stands on the command line; one at its default says nothing."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def warn(warnings: Iterable[str], quiet: bool) -> None:
    """Tell warnings on standard error; the quiet hear only those that explain scores of 0."""
    for warning in warnings:
        if not quiet or isinstance(warning, Reason):
            click.echo(f"warning: {warning}", err=True)
