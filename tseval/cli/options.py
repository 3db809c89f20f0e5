"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tseval.errors import UsageError

if TYPE_CHECKING:
    from tseval.core.calling import Where

LOCAL = "local"
Command = TypeVar("Command", bound=Callable[..., Any])


class StrictCommand(click.Command):
    """A command that refuses a second value of an option that takes one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; refuse an option that repeats, but let a flag repeat."""
        if not ctx.resilient_parsing:  # a shell that completes the line shows no errors
            _, _, order = self.make_parser(ctx).parse_args(list(args))
            given = [each for each in order if isinstance(each, click.Option)]
            for each in dict.fromkeys(given):
                if given.count(each) > 1 and not (each.multiple or each.is_flag or each.count):
                    flag = max(each.opts, key=len)
                    raise click.UsageError(f"{flag} takes one value: give it once.", ctx)
        return super().parse_args(ctx, args)


class StrictGroup(click.Group):
    """A group whose commands are strict."""

    command_class = StrictCommand


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
    "--quiet",
    is_flag=True,
    help="No progress, and of warnings only why scores are 0. It has no short form.",
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


brief_option = click.option(
    "-b", "--brief", is_flag=True, help="The bare number, of one measure of one run."
)
require_option = click.option(
    "--require",
    multiple=True,
    metavar="'MEASURE>=NUMBER'",
    help="What `all` of each run has to be, or of RUN.MEASURE, or RUN.MEASURE-RUN.MEASURE; else a "
    "line says why, and the exit code is 3; repeatable.",
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
        help="The cluster's scheduler, such as tcp://10.0.0.1:8786; tls:// encrypts. It and its "
        "workers are trusted: what they send back may run code here. Default: a cluster on this "
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
    """The option that names the format of a result: any of these forms.

    Where a spreadsheet opens one of them there is an option about formulas, too.
    """
    known = list(dict.fromkeys(forms))
    option: Callable[[Command], Command] = click.option(
        "-f",
        "--format",
        "form",
        type=click.Choice(known),
        help=f"Default: by the suffix of -o, else {default}.{more and ' '}{more}",
    )
    return chained(option, safe_csv_option) if {"csv", "tsv"} & set(known) else option


SAFE_CSV = "--safe-csv"
safe_csv_option = click.option(
    SAFE_CSV,
    is_flag=True,
    expose_value=False,
    callback=lambda context, _option, value: context.meta.__setitem__(SAFE_CSV, value),
    help="In CSV and TSV an apostrophe before each cell that a spreadsheet would take for a "
    "formula. Default: a warning.",
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
    "-t",
    "-q",
    "--per-topic",
    is_flag=True,
    help="One row per topic as well as `all`. -q is the older name of -t, and not --quiet.",
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


def on_line(name: str) -> bool:
    """Whether a parameter stands on the command line; one at its default says nothing."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
