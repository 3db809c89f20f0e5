"""The command of a family, made of what the family declares."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from tseval.cli import options
from tseval.cli.options import DeclaredOption, Request
from tseval.cli.output import (
    check_into,
    check_output,
    check_outputs,
    deliver,
    form_of,
    leave_if,
    warn,
)
from tseval.cli.progress import progress
from tseval.cli.tables import rows_table, scores_table, sections_table
from tseval.core import declared as declarations
from tseval.core import registry
from tseval.core.declared import SCORES, STREAMS, Declared, build, declared
from tseval.core.family import (
    Access,
    Evaluation,
    Family,
    View,
    ViewRequest,
    ViewRows,
    Writer,
    Written,
)
from tseval.core.naming import named
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
from tseval.io.rows import ROW_FORMS, rows_bytes
from tseval.io.score_files import RESULT_FORMS, UNDEFINED, WHOLE_FORMS
from tseval.records import frozen

Record = TypeVar("Record")
FOLDER = click.Path(path_type=Path)
PER_TOPIC = "One row per topic as well as `all`. -q is the older name of -t, and not --quiet."
AT = (
    "Take measures at this time too: 6h, 90m, 2d from the topic's start, or Unix seconds, or ISO "
    "8601; repeatable."
)


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
        return declarations.rules(self.request.named_rules, self.options)

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


def command_of(
    family: Family[Any, Any],
    more: type[Record] | None = None,
    answer_more: Callable[[Call, Record], bool] = lambda *_: False,
) -> click.Command:
    """The whole command: its arguments and options, its help, and what it does.

    `more` are other options than the family's; `answer_more` does what is asked for if they ask for
    it, and says whether they do.
    """

    def run(**values: Any) -> None:
        call = Call.of(family, Request.of(values), values)
        if more is None or not answer_more(call, build(more, values)):
            answer(call)

    run.__doc__ = f"{family.summary}\n\n{family.description}"
    own = () if more is None else options.of_record(more)
    return options.command(family.command, *parameters(family, own))(run)


def parameters(
    family: Family[Any, Any], own: Sequence[click.Parameter]
) -> list[click.Parameter | Sequence[click.Parameter]]:
    """Everything that the command takes, in the order of its help; `own` are more options."""
    places = [what for _, what in declared(family.inputs) if not what.flags]
    missing = (
        f"{family.words.topic.capitalize()}s that a run lacks. Default: the edition's rule "
        f"({family.editions[0].name}: {family.editions[0].on_missing})."
    )
    form_words = [
        *(["Scores have trec, the others have tsv."] if family.views else []),
        *(f"{', '.join(each.forms)}: {each.help}." for each in family.writers),
    ]
    forms = ["table", *RESULT_FORMS, *(ROW_FORMS if family.views else ()), *written_forms(family)]
    return [
        options.files(" ".join(f"{e.metavar}..." if e.several else e.metavar for e in places)),
        options.of_record(family.inputs),
        options.shared("wanted", "See `tseval measures`."),
        options.edition(family),
        [options.shared("at", AT)] if family.times else [],
        options.of_record(family.options),
        options.rules(family),
        options.shared("per_topic", PER_TOPIC),
        options.shared("brief"),
        options.shared("require"),
        view_option(family),
        options.shared("on_missing", missing),
        [options.shared("undefined")] if family.undefined_counts else [],
        options.result_format(forms, "table", " ".join(form_words)),
        own,
        options.last(options.formats_of(family), output_option(family), resumes=family.resumes),
    ]


def written_forms(family: Family[Any, Any]) -> tuple[str, ...]:
    """The forms that only this family has."""
    return tuple(form for each in family.writers for form in each.forms)


def folder_forms(family: Family[Any, Any]) -> list[str]:
    """The forms of several files, which are written into a folder."""
    return [form for each in family.writers if each.into_folder for form in each.forms]


def output_option(family: Family[Any, Any]) -> click.Parameter:
    """The option that names the output; a folder where a form is several files."""
    folders = folder_forms(family)
    if not folders:
        return options.shared("output")
    words = (
        f"With -f {', '.join(folders)} a folder, in which all files appear or none; default: the "
        "current one."
    )
    return options.shared("output", words, kind=FOLDER)


def view_option(family: Family[Any, Any]) -> Sequence[click.Parameter]:
    """The option that asks for something else than scores, if there is anything."""
    views = [each for each in family.views if not each.asked_by]
    drawn = {each.name: ", drawn by -o FILE.svg" if each.draw else "" for each in views}
    shown = "; ".join(f"{each.name}: {each.help}{drawn[each.name]}" for each in views)
    words = f"What is shown. {shown}."
    more: dict[str, Any] = {
        "type": click.Choice([SCORES, *drawn]),
        "default": SCORES,
        "show_default": True,
        "callback": lambda _context, _option, name: None if name == SCORES else name,
    }
    if len(views) == 1:
        words, more = f"Instead of scores: {views[0].help}.", {"flag_value": views[0].name}
    refused = ("--brief", *STREAMS, *folder_forms(family))
    what = Declared((family.view_option,), words, not_within=refused)
    return [DeclaredOption((*what.flags, "view"), what, **more)][: len(views)]


def check_view(call: Call, other: View | Writer | None, form: str) -> None:
    """Refuse options that have no meaning in what is shown: scores, a view, or a form."""
    called = ways_called(call.family)
    name = SCORES if other is None else other.name if isinstance(other, View) else form
    limits = () if other is None else other.limits
    folders = {form} & {*folder_forms(call.family)}
    options.check_line(
        name, *folders, *limits, called=called | dict.fromkeys(limits, called.get(name, ""))
    )


def ways_called(family: Family[Any, Any]) -> dict[str, str]:
    """How the views and the forms of a family are asked for."""
    is_one = sum(not each.asked_by for each in family.views) == 1
    flag = family.view_option
    called = {e.name: e.asked_by or (flag if is_one else f"{flag} {e.name}") for e in family.views}
    return called | {form: f"-f {form}" for form in written_forms(family)}


def answer(call: Call) -> None:
    """Do what is asked for, and write it."""
    family, request, view = call.family, call.request, call.view
    form = chosen_form(family, request, view)
    writers = [each for each in family.writers if view is None and form in each.forms]
    writer = next(iter(writers), None)
    other = view or writer
    check_view(call, other, form)
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
    if writer is not None and writer.into_folder:
        write_into(request.output or Path(), writer.write(evaluation, asked, form), request.quiet)
        leave_if(unmet)
        return
    scores: Scores | None = None
    if writer is not None:
        content = written_content(writer.write(evaluation, asked, form), form, request)
    elif view is not None and view.draw is not None and form in PICTURES:
        content = written_content(view.draw(evaluation, asked), form, request)
    elif view is not None:
        content = rows_content(view.rows(evaluation, asked), evaluation, request, form)
    else:
        scores = requested_scores(evaluation, asked, request, form)
        content = written_scores(evaluation, asked, scores, request, form)
    deliver(content, request.output, beside, form=form)
    by_hand = form == "table" and not (request.brief or request.quiet or request.wanted)
    if scores is not None and by_hand and sys.stderr.isatty():
        for each in evaluation.companions(scores, asked):
            click.echo(f"note: {each}", err=True)
    leave_if(unmet)


def chosen_form(family: Family[Any, Any], request: Request, view: View | None) -> str:
    """The form of the output, of those that it can have."""
    folders = folder_forms(family)
    if request.form is not None and request.form in folders:
        return request.form
    check_output(request.output)
    if request.output is not None and request.output.is_dir():
        others = "".join(f", or -f {form}" for form in folders)
        raise OutputError(f"{request.output} is a folder: give -o FILE{others}")
    of_view = (*ROW_FORMS, *(PICTURES if view and view.draw else ()))
    known = ("table", *(of_view if view else (*RESULT_FORMS, *written_forms(family))))
    return form_of(request.form, request.output, known, "table")


def write_into(folder: Path, written: Written, quiet: bool) -> None:
    """Write all files that a writer made into a folder, or none."""
    from tseval.io.atomic_write import write_files

    warn(written.warnings, quiet)
    write_files({folder / name: content for name, content in written.files.items()})


def written_content(written: Written, form: str, request: Request) -> bytes:
    """What a writer made as its one file; its warnings are told."""
    warn(written.warnings, request.quiet)
    return written.content if written.picture is None else written.picture.draw(form)


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


def written_scores(
    evaluation: Evaluation,
    asked: ViewRequest[Any],
    scores: Scores,
    request: Request,
    form: str,
) -> bytes:
    """Scores in the form asked for; their warnings are told."""
    warn(scores.warnings, request.quiet)
    if request.brief:
        return bare_number(scores)
    if form != "table":
        return scores.in_form(form, per_topic=request.per_topic or form in WHOLE_FORMS)
    to_file = request.output is not None
    notes = apply_missing_rule(evaluation, request.on_missing).notes(asked.measures)
    return scores_table(scores, request.per_topic, to_file=to_file, notes=notes)
