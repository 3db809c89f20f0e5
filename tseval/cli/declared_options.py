"""Arguments and options of commands, made of what families declare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from tseval.cli import options
from tseval.core.declared import SCORES, Declared, declared, input_tables
from tseval.core.family import Family, View
from tseval.core.naming import Naming
from tseval.io.formats import forms_of
from tseval.io.rows import ROW_FORMS
from tseval.io.score_files import RESULT_FORMS


def parameters(family: Family[Any, Any], more: Sequence[type] = ()) -> list[Callable[[Any], Any]]:
    """Everything that the command takes, in the order of its help; `more` are other options."""
    named_views = [each for each in family.views if not each.asked_by]
    return [
        positional(family),
        *record_options(family.inputs),
        options.measure_option,
        edition_option(family),
        *([at_option] if family.times else []),
        *record_options(family.options),
        *rules_option(family),
        options.topics_too_option,
        options.brief_option,
        options.require_option,
        *([view_option(family, named_views)] if named_views else []),
        options.on_missing(
            f"{family.words.topic.capitalize()}s that a run lacks. Default: the edition's rule "
            f"({family.editions[0].name}: {family.editions[0].on_missing})."
        ),
        *([options.undefined_option] if family.undefined_counts else []),
        options.format_option(
            ["table", *RESULT_FORMS, *(ROW_FORMS if family.views else ()), *written_forms(family)],
            "table",
            " ".join(
                [
                    *(["Scores have trec, the others have tsv."] if family.views else []),
                    *(f"{', '.join(each.forms)}: {each.help}." for each in family.writers),
                ]
            ),
        ),
        *(option for record in more for option in record_options(record)),
        output_option(family),
        input_format(family),
        *record_options(Naming),
        options.engine_options,
        *([options.resume_option] if family.resumes else []),
        options.quiet_option,
        options.debug_option,
    ]


def positional(family: Family[Any, Any]) -> Callable[[Any], Any]:
    """The files that stand without an option: one or more runs, then the gold."""
    names = [what for _, what in declared(family.inputs) if not what.flags]
    shown = " ".join(f"{what.metavar}..." if what.several else what.metavar for what in names)
    return click.argument("files", nargs=-1, metavar=shown, type=click.Path(path_type=str))


def names(_context: click.Context, _option: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Several names with commas between them, without the blanks around them."""
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


def record_options(record: type, view: str = "") -> list[Callable[[Any], Any]]:
    """The options of a record: all, or those that have a meaning in a view."""
    every = ((field, what) for field, what in declared(record) if what.flags)
    named = [each for each in every if not view or each[1].has_meaning(view)]
    return [option_of(field.name, field.default, what) for field, what in named]


def named_options(record: type, view: str) -> dict[str, Callable[[Any], Any]]:
    """The same by their flags, none of them required: for commands that serve several families."""
    named = [(field, what) for field, what in declared(record) if what.flags]
    return {
        what.name: option_of(field.name, field.default, replace(what, required=False))
        for field, what in named
        if what.has_meaning(view)
    }


def column_options() -> list[Callable[[Any], Any]]:
    """What files call columns, for commands to which the names of runs mean nothing."""
    named = [(field, what) for field, what in declared(Naming) if field.name != "run_names"]
    return [option_of(field.name, field.default, what) for field, what in named]


class DeclaredOption(click.Option):
    """An option that tells what is declared of it."""

    def __init__(self, flags: Sequence[str], what: Declared, **more: Any) -> None:
        super().__init__(flags, help=what.help, **more)
        self.what = what


def option_of(name: str, default: Any, what: Declared) -> Callable[[Any], Any]:
    """A declared option as the command line has it."""
    default = None if default is MISSING else default
    option = partial(click.option, *what.flags, name, cls=DeclaredOption, what=what)
    if what.kind is bool:
        return option(is_flag=True)
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


def edition_option(family: Family[Any, Any]) -> Callable[[Any], Any]:
    """The option that names an edition; the help lists those of the family."""
    names = [each.name for each in family.editions]
    listed = " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    return click.option(
        "--edition",
        "edition_name",
        metavar="NAME",
        default=names[0],
        show_default=True,
        help=f"Whose rules: {listed}.",
    )


at_option = click.option(
    "--at",
    multiple=True,
    metavar="TIME",
    help="Take measures at this time too: 6h, 90m, 2d from the topic's start, or Unix seconds, or "
    "ISO 8601; repeatable.",
)


def input_format(family: Family[Any, Any], *names: str) -> Callable[[Any], Any]:
    """The option that names the formats of a family's inputs: of all, or of those named."""
    tables = input_tables(family.inputs)
    chosen = {name: tables[name] for name in names or tables}
    return options.input_format(forms_of(family.formats, chosen.values()), tuple(chosen))


def folder_forms(family: Family[Any, Any]) -> list[str]:
    """The forms of several files, which are written into a folder."""
    return [form for each in family.writers if each.into_folder for form in each.forms]


def output_option(family: Family[Any, Any]) -> Callable[[Any], Any]:
    """The option that names the output; a folder where a form is several files."""
    folders = folder_forms(family)
    if not folders:
        return options.output_option
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write there instead of standard output; the file appears whole or not at all. With "
        f"-f {', '.join(folders)} a folder, in which all files appear or none; default: the "
        "current one.",
    )


def rules_option(family: Family[Any, Any]) -> list[Callable[[Any], Any]]:
    """The option `--rule`, if the records of rules of any edition have a `choice`.

    Its help sends users to the first such edition, for `tseval measures --edition` to list.
    """
    with_choices = [each.name for each in family.editions if any(each.rules.each())]
    return [options.rule_option(name) for name in with_choices[:1]]


def view_option(family: Family[Any, Any], views: Sequence[View]) -> Callable[[Any], Any]:
    """The option that asks for something else than scores: for one of these views."""
    if len(views) == 1:
        (only,) = views
        return click.option(
            family.view_option,
            "view",
            flag_value=only.name,
            help=f"Instead of scores: {only.help}.",
        )
    drawn = {each.name: ", drawn by -o FILE.svg" if each.draw else "" for each in views}
    told = "; ".join(f"{each.name}: {each.help}{drawn[each.name]}" for each in views)
    return click.option(
        family.view_option,
        "view",
        type=click.Choice([SCORES, *(each.name for each in views)]),
        default=SCORES,
        show_default=True,
        callback=lambda _context, _option, name: None if name == SCORES else name,
        help=f"What is shown. {told}.",
    )


def written_forms(family: Family[Any, Any]) -> tuple[str, ...]:
    """The forms that only this family has."""
    return tuple(form for each in family.writers for form in each.forms)
