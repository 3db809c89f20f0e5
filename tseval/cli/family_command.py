"""The command of a family, made of what the family declares."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import click

from tseval.cli import options
from tseval.cli.declared_options import folder_forms, parameters, written_forms
from tseval.cli.ineffective_options import refuse_ineffective, ways_called
from tseval.cli.options import parted
from tseval.cli.output import check_into, check_output, deliver, form_of, leave_if, warn
from tseval.cli.progress import progress
from tseval.cli.tables import rows_table, scores_table, sections_table
from tseval.core import declared as declarations
from tseval.core import registry
from tseval.core.calling import Where
from tseval.core.declared import build, declared
from tseval.core.family import (
    Access,
    Evaluation,
    Family,
    View,
    ViewRequest,
    ViewRows,
    Written,
)
from tseval.core.naming import AS_THEY_ARE, Naming, named
from tseval.core.requirements import (
    failures,
    measures_of,
    required,
    requirements,
)
from tseval.core.scores import Scores
from tseval.core.scoring import apply_missing_rule, chosen_measures, scores_of
from tseval.core.wording import count
from tseval.errors import OutputError, UsageError
from tseval.io import PICTURES
from tseval.io.formats import Forms
from tseval.io.rows import ROW_FORMS, rows_bytes
from tseval.io.score_files import RESULT_FORMS, UNDEFINED, WHOLE_FORMS
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.core.panels import Picture

Record = TypeVar("Record")


@frozen(kw_only=True)
class Request:
    """What every command over runs and gold is asked for, beside what its family declares."""

    files: tuple[str, ...]
    wanted: tuple[str, ...]
    edition_name: str | None
    form: str | None
    output: Path | None
    per_topic: bool
    quiet: bool
    on_missing: str | None
    where: Where
    naming: Naming = AS_THEY_ARE
    require: tuple[str, ...] = ()
    brief: bool = False
    at: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    view: str | None = None
    input_format: Forms = None
    undefined: str = "skip"


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
    def rules(self) -> dict[str, str]:
        """The rules that are named, and those that options stand for."""
        return declarations.rules(parted(self.request.rules), self.options)

    @property
    def view(self) -> View | None:
        """What is to be shown instead of scores: by its name, or by an option that asks for it."""
        records = (self.named, self.options)
        told = {
            what.name for each in records for what in declarations.changed_values(each).values()
        }
        views = self.family.views
        named = [each for each in views if each.name == self.request.view]
        return next(iter((*named, *(each for each in views if each.asked_by in told))), None)

    def inputs(self, files: Sequence[str]) -> Any:
        """The family's inputs, of which these files stand without an option."""
        placed = with_files(self.family, self.named, files, self.view)
        return named(placed, self.request.naming)

    def read(self, access: Access) -> Evaluation:
        """The inputs, read with the options, edition and rules that are named."""
        inputs = self.inputs(self.request.files)
        edition = registry.edition(self.request.edition_name, self.family.name)
        return self.family.read(inputs, self.options, edition, self.rules, access)


@frozen
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
        records = {"where": build(Where, given), "naming": build(Naming, given)}
        request = build(Request, given | records)
        call = Call.of(family, request, given)
        if extension is None or not extension.answer(call, build(extension.options, given)):
            answer(call)

    run.__doc__ = f"{family.summary}\n\n{family.description}"
    for decorate in reversed(parameters(family, more)):
        run = decorate(run)
    return click.command(family.command, cls=options.StrictCommand)(run)


def answer(call: Call) -> None:
    """Do what is asked for, and write it."""
    family, request, view = call.family, call.request, call.view
    form = chosen_form(family, request, view)
    writers = family.writers if view is None else ()
    writer = next((each for each in writers if form in each.forms), None)
    other = view or writer
    refuse_ineffective(family, other, form, brief=request.brief)
    if writer is not None and writer.into_folder:
        check_into(request.output or Path())
    check_outputs(call.options)
    wishes = requirements(request.require)
    with request.where.shared() as sharing, progress(family.work, request.quiet) as tell:
        needed = request.wanted if view is None else view.needs
        evaluation = call.read(Access(request.input_format, sharing, tell, needed))
    named = request.wanted or (() if view is None else view.measures)
    takes_measures = other is None or other.takes_measures
    told = required(wishes, evaluation.index.runs, evaluation.edition.family) if wishes else []
    theirs = measures_of(told, evaluation.edition.family)
    wanted = chosen_measures(evaluation, named, request.at, theirs) if takes_measures else []
    asked = ViewRequest(
        tuple(wanted), call.options, request.per_topic, request.on_missing, request.undefined
    )
    beside = {} if family.beside is None else family.beside(evaluation, asked)
    unmet: list[str] = []
    if told:
        taken = chosen_measures(evaluation, theirs, beside=wanted)
        missing, undefined = request.on_missing, request.undefined
        unmet = failures(told, scores_of(evaluation, taken, missing, undefined, per_topic=False))
    if writer is not None:
        written = writer.write(evaluation, asked, form)
        deliver_written(written, form, request, beside, into_folder=writer.into_folder)
    elif view is not None and view.draw is not None and form in PICTURES:
        deliver_written(view.draw(evaluation, asked), form, request, beside)
    elif view is not None:
        rows = rows_content(view.rows(evaluation, asked), evaluation, request, form)
        deliver(rows, request.output, beside, form=form)
    else:
        scores = requested_scores(evaluation, asked, request, form)
        notes = apply_missing_rule(evaluation, request.on_missing).notes(asked.measures)
        content = written_scores(scores, request, form, notes)
        deliver(content, request.output, beside, form=form)
        by_hand = not (request.brief or request.quiet or request.wanted)
        if form == "table" and by_hand and sys.stderr.isatty():
            for each in evaluation.companions(scores, asked):
                click.echo(f"note: {each}", err=True)
    leave_if(unmet)


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
    of_view = (*ROW_FORMS, *(PICTURES if view and view.draw else ()))
    known = ("table", *(of_view if view else (*RESULT_FORMS, *own)))
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


def drawn(picture: Picture, form: str) -> bytes:
    """A picture as a file; what draws is loaded only then."""
    from tseval.reporting.charts.drawing import draw

    return draw(picture, form)


def deliver_written(
    written: Written,
    form: str,
    request: Request,
    beside: Mapping[Path, bytes],
    *,
    into_folder: bool = False,
) -> None:
    """Write what a writer made: its one output, or all of its files into a folder, or none."""
    warn(written.warnings, request.quiet)
    if not into_folder:
        content = written.content if written.picture is None else drawn(written.picture, form)
        deliver(content, request.output, beside, form=form)
        return
    folder = request.output or Path()
    from tseval.io.atomic_write import write_files

    write_files({folder / name: content for name, content in written.files.items()})


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
        raise UsageError(
            f"{ways_called(family)[view.name]} looks at {wanted} alone: give no other file"
        )
    placed: dict[str, Any] = {name: () for name, what in every if what.several}
    rest = list(files)
    for name, what in reversed(places):
        placed[name] = tuple(rest) if what.several else rest.pop()
    for field, what in declared(family.inputs):
        if what.flags and what.required and getattr(named, field.name) is None:
            raise click.UsageError(f"Missing option '{what.name}'.")
    return replace(named, **placed)


def rows_content(shown: ViewRows, evaluation: Evaluation, request: Request, form: str) -> bytes:
    """Rows in the form asked for, with their notes."""
    warn(dict.fromkeys((*evaluation.all_warnings, *shown.warnings)), request.quiet)
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


def requested_scores(
    evaluation: Evaluation, asked: ViewRequest[Any], request: Request, form: str
) -> Scores:
    """The scores that a form shows."""
    return scores_of(
        evaluation,
        asked.measures,
        request.on_missing,
        request.undefined,
        per_topic=request.per_topic or form in WHOLE_FORMS,
    )


def bare_number(scores: Scores) -> bytes:
    """The one value that there is, of all topics together; several are refused."""
    if len(scores.runs) != 1 or len(scores.measures) != 1:
        many = f"{count(len(scores.runs), 'run')} and {count(len(scores.measures), 'measure')}"
        raise UsageError(
            f"--brief prints one number, and here are {many}: give one run, and one -m"
        )
    value = scores.value(scores.measures[0])
    return f"{UNDEFINED if value is None else repr(value)}\n".encode()


def written_scores(scores: Scores, request: Request, form: str, notes: Sequence[str] = ()) -> bytes:
    """Scores in the form asked for; their warnings are told."""
    warn(scores.warnings, request.quiet)
    if request.brief:
        return bare_number(scores)
    if form != "table":
        return scores.in_form(form, per_topic=request.per_topic or form in WHOLE_FORMS)
    to_file = request.output is not None
    return scores_table(scores, request.per_topic, to_file=to_file, notes=notes)
