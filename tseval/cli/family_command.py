"""The command of a family, made of what the family declares."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

import click

from tseval.cli import options
from tseval.cli.options import check_output, deliver, form_of, on_line, parted, warn
from tseval.cli.progress import progress
from tseval.cli.tables import rows_table, scores_table, sections_table
from tseval.core import declared as declarations
from tseval.core import registry
from tseval.core.calling import Where
from tseval.core.declared import SCORES, Declared, build, declared, input_tables
from tseval.core.family import (
    Access,
    Asked,
    Chart,
    Evaluation,
    Family,
    Shown,
    View,
    Writer,
    Written,
)
from tseval.core.scores import Scores
from tseval.core.scoring import chosen_measures, counted, scores_of
from tseval.errors import OutputError, UsageError
from tseval.files import PICTURES
from tseval.files.atomic_write import write_together
from tseval.files.formats import forms_of
from tseval.files.forms import Forms
from tseval.files.rows import ROW_FORMS, rows_bytes
from tseval.files.score_writers import RESULT_FORMS

Record = TypeVar("Record")


@dataclass(frozen=True)
class Request:
    """What every scoring command is asked for, beside what its family declares."""

    files: tuple[str, ...]
    wanted: tuple[str, ...]
    edition_name: str
    form: str | None
    output: Path | None
    per_topic: bool
    quiet: bool
    on_missing: str | None
    where: Where
    at: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    view: str | None = None
    input_format: Forms = None
    undefined: str = "skip"


@dataclass(frozen=True)
class Call:
    """A family's command as it was called: what all commands are asked for, and its own records."""

    family: Family[Any, Any]
    request: Request
    named: Any
    """The family's inputs: those that options name, without the files that stand by themselves."""
    options: Any
    """The family's own options."""

    @property
    def rules(self) -> dict[str, str]:
        """The rules that are named, and those that options stand for."""
        return declarations.rules(parted(self.request.rules), self.options)

    @property
    def view(self) -> View | None:
        """What is to be shown instead of scores: by its name, or by an option that asks for it."""
        told = {what.name for what in declarations.given(self.options).values()}
        views = self.family.views
        named = [each for each in views if each.name == self.request.view]
        return next(iter((*named, *(each for each in views if each.asked_by in told))), None)

    def inputs(self, files: Sequence[str]) -> Any:
        """The family's inputs, of which these files stand without an option."""
        return with_files(self.family, self.named, files, self.view)

    def read(self, access: Access) -> Evaluation:
        """The inputs, read with the options, edition and rules that are named."""
        inputs = self.inputs(self.request.files)
        edition = registry.edition(self.request.edition_name, self.family.name)
        return self.family.read(inputs, self.options, edition, self.rules, access)


@dataclass(frozen=True)
class Extension(Generic[Record]):
    """What a command takes and does beside what its family declares."""

    options: type[Record]
    """Those that have a meaning with one of them alone are `within` its flag."""
    answer: Callable[[Call, Record], bool]
    """Does what is asked for if these options ask for it; else False, and the family answers."""


def command_of(family: Family[Any, Any], extension: Extension[Any] | None = None) -> click.Command:
    """The whole command: its arguments and options, its help, and what it does."""
    more = () if extension is None else (extension.options,)

    def run(**given: Any) -> None:
        request = build(Request, given | {"where": build(Where, given)})
        named = unplaced(family, given)
        call = Call(family, request, named, build(family.options, given))
        if extension is None or not extension.answer(call, build(extension.options, given)):
            answer(call, more)

    run.__doc__ = f"{family.summary}\n\n{family.description}"
    for decorate in reversed(parameters(family, more)):
        run = decorate(run)
    return click.command(family.command)(run)


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


def option_of(name: str, default: Any, what: Declared) -> Callable[[Any], Any]:
    """A declared option as the command line has it."""
    default = None if default is MISSING else default
    if what.kind is bool:
        return click.option(*what.flags, name, is_flag=True, help=what.help)
    if what.by_commas:
        return click.option(
            *what.flags, name, metavar=what.metavar or None, callback=names, help=what.help
        )
    kind: Any = what.kind
    if what.is_output or what.kind is Path:
        kind = click.Path(path_type=Path, dir_okay=False)
    elif what.choices:
        kind = click.Choice(list(what.choices))
    elif what.at_least is not None:
        kind = click.IntRange(min=what.at_least)
    return click.option(
        *what.flags,
        name,
        type=kind,
        metavar=what.metavar or None,
        multiple=what.several,
        default=default,
        show_default=what.shows_default,
        help=what.help,
    )


def edition_option(family: Family[Any, Any]) -> Callable[[Any], Any]:
    """The option that names an edition; the help lists those of the family."""
    names = [each.name for each in family.editions]
    listed = " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    return click.option(
        "--edition",
        "edition_name",
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
    told = "; ".join(f"{each.name}: {each.help}" for each in views)
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


def answer(call: Call, more: Sequence[type] = ()) -> None:
    """Do what is asked for, and write it; `more` are records of options that are no family's."""
    family, request, view = call.family, call.request, call.view
    form = chosen_form(family, request, view)
    writer = next((each for each in family.writers if form in each.forms), None)
    other = view or writer
    refuse_ineffective(family, other, form, more)
    check_outputs(call.options)
    if view is not None and view.leaves_out:
        options.refuse_sharing(request.where, called(family, view, form))
    with request.where.shared() as sharing, progress(family.work, request.quiet) as tell:
        needed = request.wanted if view is None else view.needs
        evaluation = call.read(Access(request.input_format, sharing, tell, needed))
    named = request.wanted or (() if view is None else view.measures)
    takes_measures = other is None or other.takes_measures
    wanted = chosen_measures(evaluation, named, request.at) if takes_measures else []
    asked = Asked(
        tuple(wanted), call.options, request.per_topic, request.on_missing, request.undefined
    )
    beside = {} if family.beside is None else family.beside(evaluation, asked)
    if writer is not None:
        deliver_written(writer, writer.write(evaluation, asked, form), form, request, beside)
    elif view is not None:
        rows = rows_content(view.rows(evaluation, asked), evaluation, request, form)
        deliver(rows, request.output, beside)
    else:
        deliver(scores_content(evaluation, asked, request, form), request.output, beside)


def chosen_form(family: Family[Any, Any], request: Request, view: View | None) -> str:
    """The form of the output, of those that it can have."""
    own = written_forms(family)
    folders = folder_forms(family)
    if request.form is not None and request.form in folders:
        if view is not None:
            raise UsageError(f"{family.view_option} has no meaning with -f {request.form}")
        return request.form
    check_output(request.output)
    if request.output is not None and request.output.is_dir():
        others = "".join(f", or -f {form}" for form in folders)
        raise OutputError(f"{request.output} is a folder: give -o FILE{others}")
    known = ("table", *(ROW_FORMS if view else (*RESULT_FORMS, *own)))
    form = form_of(request.form, request.output, known, "table")
    if form in PICTURES and request.output is None and sys.stdout.isatty():
        raise UsageError(f"a picture is not for a terminal: give -o FILE.{form}")
    return form


def check_outputs(record: object) -> None:
    """Refuse files beside the result that cannot be written, or not in any known form."""
    for field, what in declared(type(record)):
        path = getattr(record, field.name) if what.is_output else None
        if path is None:
            continue
        check_output(path)
        if path.suffix and path.suffix.lstrip(".").lower() not in what.choices:
            known = ", ".join(f".{each}" for each in what.choices)
            raise UsageError(f"{what.name} {path}: the suffix must be one of {known}")


def drawn(chart: Chart, form: str) -> bytes:
    """A chart as a picture."""
    module = import_module(f"tseval.reporting.charts.{chart.drawn_by}")
    picture: bytes = module.draw(chart, form)
    return picture


def deliver_written(
    writer: Writer, written: Written, form: str, request: Request, beside: Mapping[Path, bytes]
) -> None:
    """Write what a writer made: its one output, or all of its files into a folder, or none."""
    warn(written.warnings, request.quiet)
    if not writer.into_folder:
        content = written.content if written.chart is None else drawn(written.chart, form)
        deliver(content, request.output, beside)
        return
    folder = request.output or Path()
    if not folder.is_dir():
        raise OutputError(f"{folder}: there is no such folder to write the files into")
    write_together({folder / name: content for name, content in written.files.items()})


def unplaced(family: Family[Any, Any], values: Mapping[str, Any]) -> Any:
    """A family's inputs from options by the names of fields; its positional files are missing."""
    missing = {field.name: None for field, what in declared(family.inputs) if not what.flags}
    return build(family.inputs, {**values, **missing})


def with_files(
    family: Family[Any, Any], named: Any, files: Sequence[str], view: View | None = None
) -> Any:
    """The inputs with positional files in their places; what a view leaves out stays missing."""
    left_out = () if view is None else view.leaves_out
    every = [(field.name, what) for field, what in declared(family.inputs) if not what.flags]
    places = [(name, what) for name, what in every if name not in left_out]
    if len(files) < len(places):
        wanted = ", then ".join(what.help for _, what in places)
        raise click.UsageError(f"Give {wanted}.")
    if view is not None and left_out and len(files) > len(places):
        wanted = " and ".join(what.help for _, what in places)
        raise UsageError(f"{called(family, view)} looks at {wanted} alone: give no other file")
    placed: dict[str, Any] = {name: () for name, what in every if what.several}
    rest = list(files)
    for name, what in reversed(places):
        placed[name] = tuple(rest) if what.several else rest.pop()
    for field, what in declared(family.inputs):
        if what.required and getattr(named, field.name) is None:
            raise click.UsageError(f"Missing option '{what.name}'.")
    return replace(named, **placed)


def rows_content(shown: Shown, evaluation: Evaluation, request: Request, form: str) -> bytes:
    """Rows in the form asked for, with their notes."""
    warn(dict.fromkeys((*evaluation.warnings, *shown.warnings)), request.quiet)
    signature = evaluation.signature(**shown.traits)
    if form == "table":
        to_file = request.output is not None
        if shown.sections:
            return sections_table(shown.sections, signature, to_file=to_file, notes=shown.notes)
        frame = shown.frame[list(shown.for_people)] if shown.for_people else shown.frame
        return rows_table(frame, signature, to_file=to_file, notes=shown.notes)
    if form != "json":
        warn(shown.notes, request.quiet)
    return rows_bytes(shown.frame, form, signature, shown.notes)


def scores_content(evaluation: Evaluation, asked: Asked[Any], request: Request, form: str) -> bytes:
    """The scores in the form asked for."""
    scores = scores_of(
        evaluation,
        asked.measures,
        request.on_missing,
        request.undefined,
        per_topic=request.per_topic,
    )
    return written_scores(
        scores, request, form, counted(evaluation, request.on_missing).notes(asked.measures)
    )


def written_scores(scores: Scores, request: Request, form: str, notes: Sequence[str] = ()) -> bytes:
    """Scores in the form asked for; their warnings are told."""
    warn(scores.warnings, request.quiet)
    if form != "table":
        return scores.in_form(form, per_topic=request.per_topic)
    to_file = request.output is not None
    return scores_table(scores, request.per_topic, to_file=to_file, notes=notes)


OF_SCORES = {
    name: Declared((flag,), "", within=(SCORES,))
    for name, flag in {
        "wanted": "-m",
        "at": "--at",
        "per_topic": "-q",
        "on_missing": "--on-missing",
        "undefined": "--undefined",
    }.items()
}
"""The common options that have a meaning for scores alone."""


def called(family: Family[Any, Any], other: View | Writer | str, form: str = "") -> str:
    """How a view, or a form, is asked for; an extension's way is called by its option."""
    if isinstance(other, str):
        return other
    if isinstance(other, Writer):
        return f"-f {form}"
    named = [each for each in family.views if not each.asked_by]
    alone = family.view_option if len(named) == 1 else f"{family.view_option} {other.name}"
    return other.asked_by or alone


def refuse_ineffective(
    family: Family[Any, Any],
    other: View | Writer | str | None,
    form: str = "",
    more: Sequence[type] = (),
) -> None:
    """Refuse options that have no meaning in what is shown: scores, a view, or a form.

    They are those that were given: an option that stands at its default says nothing.
    """
    known: dict[str, Declared] = {}
    if isinstance(other, View | Writer) and not other.takes_measures:
        known = dict(OF_SCORES)
        if isinstance(other, Writer) and other.counts_missing:
            del known["on_missing"]
    elif isinstance(other, View | Writer) and not other.by_topic:
        known = {"per_topic": OF_SCORES["per_topic"]}
    for record in (family.inputs, family.options, *more):
        known |= {field.name: what for field, what in declared(record)}
    shown = form if isinstance(other, Writer) else SCORES
    if isinstance(other, View | str):
        shown = other if isinstance(other, str) else other.name
    for name, what in known.items():
        if not what.has_meaning(shown) and on_line(name):
            where = _where(family, other, form, what.within)
            raise UsageError(f"{what.name} has no meaning {where}")


def _where(
    family: Family[Any, Any], other: View | Writer | str | None, form: str, views: Sequence[str]
) -> str:
    """Where an option has no meaning; of scores, without which views."""
    if other is not None:
        return f"with {called(family, other, form)}"
    if views[0].startswith("--"):
        return f"without {views[0]}"
    known = [each for each in family.views if each.name in views]
    for each in known:
        if each.asked_by:
            return f"without {each.asked_by}"
    if len(family.views) == 1 and known:
        return f"without {family.view_option}"
    forms = [each for each in written_forms(family) if each in views]
    asked = [family.view_option, *(each.name for each in known)] if known else ["-f", *forms]
    return f"without {asked[0]} {' or '.join(asked[1:])}"
