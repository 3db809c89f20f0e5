"""Options of commands: made of declarations, shared by all, and checked as one command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from tseval.cli.commands import StrictCommand, complete, debug_option
from tseval.core import registry
from tseval.core.calling import Where
from tseval.core.declared import (
    FOLLOW,
    STREAMS,
    TOPICLESS,
    UNCOUNTED,
    UNMEASURED,
    Declared,
    build,
    changed_values,
    check_meanings,
    declared,
    input_tables,
    option,
)
from tseval.core.declared import rules as rules_of
from tseval.core.family import Access, Evaluation, Family, View
from tseval.core.naming import AS_THEY_ARE, Naming, named
from tseval.errors import UsageError
from tseval.io.formats import Forms, forms_of
from tseval.records import frozen


def names(_context: click.Context, _option: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Several names with commas between them, without the blanks around them."""
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


def of_record(record: type, view: str = "", **changed: Any) -> list[click.Parameter]:
    """The options of a record: all, or those that have a meaning in a view."""
    return list(by_flag(record, view, **changed).values())


def by_flag(record: type, view: str = "", **changed: Any) -> dict[str, click.Parameter]:
    """The same by their flags, with what is declared otherwise by this command."""
    return {
        what.name: option_of(field.name, field.default, replace(what, **changed))
        for field, what in declared(record)
        if what.flags and (not view or what.has_meaning(view))
    }


def column_options(**changed: Any) -> list[click.Parameter]:
    """What files call columns, for commands to which the names of runs mean nothing."""
    every = by_flag(Naming, **changed)
    return [each for flag, each in every.items() if flag != "--name"]


class DeclaredOption(click.Option):
    """An option that tells what is declared of it."""

    def __init__(self, flags: Sequence[str], what: Declared, **more: Any) -> None:
        more |= {"help": what.help, "hidden": what.hidden, "shell_complete": complete}
        super().__init__(flags, **more)
        self.what = what


def option_of(name: str, default: Any, what: Declared) -> DeclaredOption:
    """A declared option as the command line has it."""
    default = None if default is MISSING else default
    option = partial(DeclaredOption, (*what.flags, name), what, required=what.required)
    if what.kind is bool:
        return option(is_flag=True, default=bool(default))
    if what.by_commas:
        return option(metavar=what.metavar or None, callback=names)
    kind: Any = what.kind
    if what.is_output or what.kind is Path:
        kind = click.Path(path_type=Path, dir_okay=False)
    elif what.choices:
        kind = click.Choice(list(what.choices))
    elif what.at_least is not None:
        limits: Any = click.FloatRange if kind is float else click.IntRange
        kind = limits(what.at_least, what.at_most)
    return option(
        type=kind,
        metavar=what.metavar or None,
        multiple=what.several,
        default=default,
        show_default=default not in (None, ()) and "Default:" not in what.help,
    )


def check_line(*ways: str, called: Mapping[str, str] | None = None) -> None:
    """Refuse options on the command line that mean nothing in these ways, or beside each other.

    `called` tells how ways are asked for. An option that stands at its default says nothing.
    """
    context = click.get_current_context()
    every = [each for each in context.command.params if isinstance(each, DeclaredOption)]
    given = [(e.what, context.params.get(str(e.name))) for e in every if on_line(str(e.name))]
    written = {flag: each.what.written for each in every for flag in each.what.flags}
    check_meanings(given, ways, written | dict(called or {}))


def on_line(name: str) -> bool:
    """Whether a parameter stands on the command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


SAFE_CSV = "--safe-csv"
MISSING_TOPICS = "Judged topics that a run lacks. Default: the edition's rule (draft: zero)."


@frozen(kw_only=True)
class Request:
    """What commands are asked for, beside what they declare themselves."""

    files: tuple[str, ...] = ()
    wanted: tuple[str, ...] = option(
        "-m",
        "--measure",
        "A measure, or several in one quoted string; repeatable.",
        metavar="NAME",
        several=True,
        not_within=(UNMEASURED,),
    )
    edition_name: str | None = option("--edition", "", metavar="NAME")
    at: tuple[str, ...] = option(
        "Evaluate at this time too: 6h, 90m or 2d after the topic's start, Unix seconds, or ISO "
        "8601; repeatable.",
        metavar="TIME",
        several=True,
        not_within=(UNMEASURED,),
    )
    rules: tuple[str, ...] = option(
        "--rule",
        "Change a rule of the edition; repeatable.",
        metavar="NAME=VALUE",
        several=True,
    )
    per_topic: bool = option(
        "-t",
        "-q",
        "--per-topic",
        "Show a row per topic as well as `all`. -q is the older name of -t; it is not --quiet.",
        kind=bool,
        not_within=("--brief", TOPICLESS, UNMEASURED),
    )
    brief: bool = option(
        "-b",
        "--brief",
        "Print one number only: one measure of one run.",
        kind=bool,
        not_within=(FOLLOW,),
    )
    require: tuple[str, ...] = option(
        "A condition on `all` of each run, or on RUN.MEASURE or RUN.MEASURE-RUN.MEASURE, such as "
        "'R>=.8' or 'R>=.8 by its lower bound'. If it fails, tseval says why, and the exit code is "
        "3; if there are too few data to decide, it is 4; repeatable.",
        metavar="'MEASURE>=NUMBER'",
        several=True,
        not_within=(FOLLOW,),
    )
    baseline: str | None = option(
        "Earlier scores, written by -q -f json, for --require 'R>=baseline' (not significantly "
        "lower) or 'R>baseline' (significantly higher).",
        metavar="SCORES",
        within=("--require",),
        not_within=(FOLLOW,),
    )
    view: str | None = option("The view to show.", not_within=("--brief", *STREAMS))
    on_missing: str | None = option("", choices=("zero", "skip", "error"), not_within=(UNCOUNTED,))
    undefined: str = option(
        "How the mean counts a topic where a measure is undefined.",
        default="skip",
        choices=("skip", "zero"),
        not_within=(UNMEASURED,),
    )
    seed: int = option("Seed of all random draws.", default=0)
    form: str | None = option("-f", "--format", "", not_within=("--brief", FOLLOW))
    output: Path | None = option(
        "-o",
        "--output",
        "Write to this file instead of standard output. tseval never leaves a partial file.",
        not_within=(FOLLOW,),
    )
    quiet: bool = option(
        "Hide progress and warnings (except those that explain a score of 0).", kind=bool
    )
    input_format: Forms = None
    where: Where = Where()
    naming: Naming = AS_THEY_ARE

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Request:
        """The record of a command line's values, by the names of the fields."""
        records = {"where": build(Where, values), "naming": build(Naming, values)}
        return build(cls, {**values, **records})

    @property
    def named_rules(self) -> list[tuple[str, str]]:
        """The name and the value of each rule that is named."""
        parts = [rule.partition("=") for rule in self.rules]
        return [(name.strip(), value.strip()) for name, _, value in parts]


@frozen
class Call:
    """A family's command as it was called: what all commands are asked for, and its own records."""

    family: Family[Any, Any]
    request: Request
    named: Any
    """The family's inputs: those that options name, without the files that stand by themselves."""
    options: Any
    """The family's own options."""

    @classmethod
    def of(cls, family: Family[Any, Any], request: Request, values: Mapping[str, Any]) -> Call:
        """The family's records from the command line's values, by the names of their fields."""
        missing = {field.name: None for field, what in declared(family.inputs) if not what.flags}
        named = build(family.inputs, {**values, **missing})
        return cls(family, request, named, build(family.options, values))

    @property
    def view(self) -> View | None:
        """What is to be shown instead of scores: by its name, or by an option that asks for it."""
        told = {
            e.name for each in (self.named, self.options) for e in changed_values(each).values()
        }
        views, name = self.family.views, self.request.view
        named = [each for each in views if each.name == name]
        return next(iter((*named, *(each for each in views if each.asked_by in told))), None)

    @property
    def ways(self) -> dict[str, str]:
        """How the views and the forms of the family are asked for."""
        family = self.family
        is_one = sum(not each.asked_by for each in family.views) == 1
        flag = family.view_option
        views = {
            e.name: e.asked_by or (flag if is_one else f"{flag} {e.name}") for e in family.views
        }
        return views | {form: f"-f {form}" for form in written_forms(family)}

    @property
    def rules(self) -> dict[str, str]:
        """The rules that are named, and those that options stand for."""
        return rules_of(self.request.named_rules, self.options)

    @property
    def terms(self) -> tuple[Any, Any, dict[str, str]]:
        """By what inputs are read: options, an edition and rules."""
        edition = registry.edition(self.request.edition_name, self.family.name)
        return self.options, edition, self.rules

    def inputs(self, files: Sequence[str]) -> Any:
        """The family's inputs, of which these files stand without an option.

        What a view leaves out stays missing.
        """
        view = self.view
        left_out = () if view is None else view.leaves_out
        every = [
            (field.name, what) for field, what in declared(self.family.inputs) if not what.flags
        ]
        places = [(name, what) for name, what in every if name not in left_out]
        if len(files) < len(places):
            raise click.UsageError(f"Give {', then '.join(what.help for _, what in places)}.")
        if view is not None and left_out and len(files) > len(places):
            wanted = " and ".join(what.help for _, what in places)
            raise UsageError(f"{self.ways[view.name]} looks at {wanted} alone: give no other file")
        placed: dict[str, Any] = {name: () for name, what in every if what.several}
        rest = list(files)
        for name, what in reversed(places):
            placed[name] = tuple(rest) if what.several else rest.pop()
        return named(replace(self.named, **placed), self.request.naming)

    def read(self, access: Access) -> Evaluation:
        """The inputs, read with the options, edition and rules that are named."""
        return self.family.read(self.inputs(self.request.files), *self.terms, access)


def written_forms(family: Family[Any, Any]) -> tuple[str, ...]:
    """The forms that only this family has."""
    return tuple(form for each in family.writers for form in each.forms)


SHARED = {field.name: (field, what) for field, what in declared(Request)}


def shared(name: str, words: str = "", *, default: Any = None, **changed: Any) -> click.Parameter:
    """An option that commands share; the words stand behind its help."""
    field, what = SHARED[name]
    what = replace(what, help=f"{what.help} {words}".strip(), **changed)
    return option_of(name, field.default if default is None else default, what)


def files(metavar: str, *, required: bool = False) -> click.Parameter:
    """The files that stand without an option."""
    path = click.Path(path_type=str)
    return click.Argument(["files"], nargs=-1, required=required, metavar=metavar, type=path)


def rule(edition: str, **changed: Any) -> click.Parameter:
    """The option that names rules; the help says which edition's to look at."""
    return shared("rules", f"`tseval measures --edition {edition}` lists the rules.", **changed)


def edition(family: Family[Any, Any]) -> click.Parameter:
    """The option that names an edition; the help lists those of the family."""
    *others, last = [each.name for each in family.editions]
    known = f"{', '.join(others)} or {last}" if others else last
    return shared("edition_name", f"The edition: {known}.", default=family.editions[0].name)


def rules(family: Family[Any, Any]) -> list[click.Parameter]:
    """The option `--rule`, if the records of rules of any edition have a `choice`.

    Its help sends users to the first such edition, for `tseval measures --edition` to list.
    """
    return [rule(each.name) for each in family.editions if any(each.rules.each())][:1]


def result_format(forms: Iterable[str], default: str, more: str = "") -> list[click.Parameter]:
    """The option that names the format of a result: any of these forms.

    Where a spreadsheet opens one of them there is an option about formulas, too.
    """
    known = tuple(dict.fromkeys(forms))
    words = f"Default: by the suffix of -o, else {default}. {more}".strip()
    safe_csv = click.Option(
        [SAFE_CSV],
        is_flag=True,
        help="In CSV and TSV, put an apostrophe before cells that a spreadsheet would read as "
        "formulas. Default: a warning.",
    )
    option = shared("form", words, choices=known)
    return [option, safe_csv] if {"csv", "tsv"} & set(known) else [option]


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
) -> click.Parameter:
    """The option that names the formats of a command's files: of those that it reads."""
    words = (
        f"The format of {what}, or of one input: {inputs[-1]}={forms[1]}; repeatable. Default: "
        f"detected from the content. Inputs: {', '.join(inputs)}."
    )
    return DeclaredOption(
        ["--input-format"],
        Declared(("--input-format",), words, not_within=(FOLLOW,)),
        type=FormatOfInputs(forms, inputs),
        multiple=True,
        callback=_forms,
    )


def formats_of(family: Family[Any, Any], *names: str) -> click.Parameter:
    """The option that names the formats of a family's inputs: of all, or of those named."""
    tables = input_tables(family.inputs)
    chosen = {name: tables[name] for name in names or tables}
    return input_format(forms_of(family.formats, chosen.values()), tuple(chosen))


def last(
    formats: click.Parameter,
    output: click.Parameter | None = None,
    *,
    resumes: bool = False,
    **changed: Any,
) -> list[click.Parameter]:
    """The options that stand last in the help of every command over files."""
    sharing = of_record(Where, **changed)
    return [
        output or shared("output"),
        formats,
        *of_record(Naming, **changed),
        *(sharing if resumes else sharing[:-1]),
        shared("quiet"),
    ]


def command(
    name: str,
    *parts: click.Parameter | Sequence[click.Parameter],
    cls: type[click.Command] = StrictCommand,
    group: click.Group | None = None,
) -> Callable[[Callable[..., None]], click.Command]:
    """A command, of a group if one is named, with these arguments and options in this order."""
    every = [p for part in parts for p in ([part] if isinstance(part, click.Parameter) else part)]
    maker = click.command if group is None else group.command
    return maker(name, cls=cls, params=list(dict.fromkeys([*every, debug_option])))
