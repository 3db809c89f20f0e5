"""The command of a family, made of what the family declares, and `tseval follow` of its stream."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tseval.cli import options
from tseval.cli.commands import StrictCommand, under
from tseval.cli.options import Call, DeclaredOption, Request, written_forms
from tseval.cli.output import (
    check_into,
    check_output,
    check_outputs,
    checked_form,
    deliver,
    form_of,
    leave_if,
    progress,
    warn,
)
from tseval.cli.streams import (
    FOLLOWED,
    FollowOptions,
    StreamOptions,
    check_stream,
    follow,
    read_runs,
)
from tseval.cli.tables import rows_table, scores_table, sections_table
from tseval.core import registry
from tseval.core.declared import (
    FOLLOW,
    IN_BLOCKS,
    SCORES,
    STREAMS,
    UNSHARED,
    Declared,
    build,
    declared,
)
from tseval.core.family import Access, Evaluation, Family, View, ViewRequest, ViewRows, Writer
from tseval.core.measure import Measure
from tseval.core.requirements import (
    Miss,
    Quantity,
    Requirement,
    measures_of,
    misses,
    required,
    requirements,
)
from tseval.core.scores import Scores
from tseval.core.scoring import apply_missing_rule, chosen_measures, scores_of
from tseval.core.wording import count
from tseval.errors import OutputError, UsageError
from tseval.io import PICTURES
from tseval.io.atomic_write import write_files
from tseval.io.rows import ROW_FORMS, rows_bytes
from tseval.io.score_files import RESULT_FORMS, UNDEFINED, WHOLE_FORMS


def command_of(family: Family[Any, Any]) -> click.Command:
    """The whole command: its arguments and options, its help, and what it does."""

    def run(**values: Any) -> None:
        call, asked = Call.of(family, Request.of(values), values), build(StreamOptions, values)
        if asked.follow:
            follow(call, asked)
        else:
            answer(call, asked.in_blocks)

    run.__doc__ = f"{family.summary}\n\n{family.description}"
    return options.command(family.command, *parameters(family))(run)


def parameters(family: Family[Any, Any]) -> list[click.Parameter | Sequence[click.Parameter]]:
    """Everything that the command takes, in the order of its help."""
    places = [what for _, what in declared(family.inputs) if not what.flags]
    missing = (
        f"{family.words.topic.capitalize()}s that a run lacks. Default: the edition's rule "
        f"({family.editions[0].name}: {family.editions[0].on_missing})."
    )
    form_words = [
        *(["Only scores can be trec; only other views can be tsv."] if family.views else []),
        *(f"{', '.join(each.forms)}: {each.help}." for each in family.writers),
    ]
    forms = ["table", *RESULT_FORMS, *(ROW_FORMS if family.views else ()), *written_forms(family)]
    output = options.shared("output")
    if folders := folder_forms(family):
        words = (
            f"With -f {', '.join(folders)}, the folder for the files, all or none of which appear. "
            "Default: the current folder."
        )
        output = options.shared("output", words, kind=click.Path(path_type=Path))
    return [
        options.files(" ".join(f"{e.metavar}..." if e.several else e.metavar for e in places)),
        options.of_record(family.inputs),
        options.shared("wanted", "See `tseval measures`."),
        options.edition(family),
        [options.shared("at")] if family.times else [],
        options.of_record(family.options),
        options.rules(family),
        options.shared("per_topic"),
        options.shared("brief"),
        options.shared("require"),
        under("Output", [options.shared("baseline")]),
        view_option(family),
        options.shared("on_missing", missing),
        [options.shared("undefined")] if family.undefined_counts else [],
        options.result_format(forms, "table", " ".join(form_words)),
        options.of_record(StreamOptions) if family.gold else [],
        options.last(options.formats_of(family), output, resumes=family.resumes),
    ]


def folder_forms(family: Family[Any, Any]) -> list[str]:
    """The forms of several files, which are written into a folder."""
    return [form for each in family.writers if each.into_folder for form in each.forms]


def view_option(family: Family[Any, Any]) -> Sequence[click.Parameter]:
    """The option that asks for something else than scores, if there is anything."""
    views = [each for each in family.views if not each.asked_by]
    drawn = {each.name: ", as a chart with -o FILE.svg" if each.draw else "" for each in views}
    shown = "; ".join(f"{each.name}: {each.help}{drawn[each.name]}" for each in views)
    words = f"The view to show. {shown}."
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


def answer(call: Call, in_blocks: int | None = None) -> None:
    """Do what is asked for, and write it; runs may be read so many rows at a time."""
    family, request, view = call.family, call.request, call.view
    if in_blocks is None:
        form = chosen_form(call)
    else:
        check_stream(call, IN_BLOCKS)
        form = checked_form(request, ("table", *RESULT_FORMS), "table")
    writer = next((e for e in family.writers if view is None and form in e.forms), None)
    folder = (request.output or Path()) if form in folder_forms(family) else None
    check_options(call, view or writer, form)
    if folder is not None:
        check_into(folder)
    check_outputs(call.options)
    wishes = requirements(request.require)
    work = family.work if in_blocks is None else "folding"
    with request.where.shared() as sharing, progress(work, request.quiet) as tell:
        if in_blocks is None:
            needed = request.wanted if view is None else view.needs
            evaluation = call.read(Access(request.input_format, sharing, tell, needed))
        else:
            evaluation, wanted = read_runs(call, in_blocks, sharing, tell)
    told = required(wishes, evaluation.index.runs, family.name) if wishes else []
    theirs = measures_of(told, family.name)
    if in_blocks is None:
        named = request.wanted or (() if view is None else view.measures)
        other = view or writer
        takes_measures = other is None or other.takes_measures
        wanted = chosen_measures(evaluation, named, request.at, theirs) if takes_measures else []
        theirs = chosen_measures(evaluation, theirs, beside=wanted) if told else []
    missing, undefined = request.on_missing, request.undefined
    asked = ViewRequest(tuple(wanted), call.options, request.per_topic, missing, undefined)
    beside = {} if family.beside is None else family.beside(evaluation, asked)
    unmet: list[Miss] = []
    if told:
        unmet = requirement_misses(call, evaluation, told, theirs if in_blocks is None else wanted)
    written, scores = None, None
    if writer is not None:
        written = writer.write(evaluation, asked, form)
    elif view is not None and view.draw is not None and form in PICTURES:
        written = view.draw(evaluation, asked)
    if written is not None:
        warn(written.warnings, request.quiet)
        content = written.content if written.picture is None else written.picture.draw(form)
    elif view is not None:
        content = rows_content(view.rows(evaluation, asked), evaluation, request, form)
    else:
        per_topic = request.per_topic or form in WHOLE_FORMS
        scores = scores_of(evaluation, wanted, missing, undefined, per_topic=per_topic)
        content = scores_content(scores, evaluation, asked, request, form)
    if written is not None and folder is not None:
        write_files({folder / name: content for name, content in written.files.items()})
    else:
        deliver(content, request.output, beside, form=form)
    by_hand = form == "table" and not (request.brief or request.quiet or request.wanted)
    if scores is not None and by_hand and sys.stderr.isatty():
        for each in evaluation.companions(scores, asked):
            click.echo(f"note: {each}", err=True)
    leave_if(unmet)


def requirement_misses(
    call: Call,
    evaluation: Evaluation,
    told: Sequence[tuple[Requirement, list[Quantity]]],
    measures: Sequence[Measure],
) -> list[Miss]:
    """Return the requirements that these measures do not meet, or where that cannot be told."""
    request, words, index = call.request, evaluation.words, evaluation.index
    if (request.baseline is not None) != any(each.has_baseline for each, _ in told):
        raise UsageError("--baseline SCORES and --require 'R>=baseline' belong together")
    per_topic = any(each.needs_interval for each, _ in told)
    missing, undefined = request.on_missing, request.undefined
    scores = scores_of(evaluation, measures, missing, undefined, per_topic=per_topic)
    silent = {
        run: f"run {run} has no {words.items} for any {words.topic}"
        for run, present in zip(index.runs, index.present, strict=True)
        if not present.any()
    }
    if not per_topic or len(silent) == len(index.runs):
        return misses(told, scores, silent)
    from tseval.comparison.gates import estimator

    estimate, warnings = estimator(scores, request.baseline)
    warn(warnings, request.quiet)
    return misses(told, scores, silent, estimate)


def check_options(call: Call, other: View | Writer | None, form: str) -> None:
    """Refuse options that have no meaning in what is shown: scores, a view, or a form."""
    way = SCORES if other is None else other.name if isinstance(other, View) else form
    limits = () if other is None else other.limits
    folders = {form} & {*folder_forms(call.family)}
    called = call.ways | dict.fromkeys(limits, call.ways.get(way, ""))
    options.check_line(way, *folders, *limits, called=called)


def chosen_form(call: Call) -> str:
    """The form of the output, of those that it can have."""
    request, view, folders = call.request, call.view, folder_forms(call.family)
    if request.form is not None and request.form in folders:
        return request.form
    check_output(request.output)
    if request.output is not None and request.output.is_dir():
        others = "".join(f", or -f {form}" for form in folders)
        raise OutputError(f"{request.output} is a folder: give -o FILE{others}")
    of_view = (*ROW_FORMS, *(PICTURES if view and view.draw else ()))
    known = of_view if view else (*RESULT_FORMS, *written_forms(call.family))
    return form_of(request.form, request.output, ("table", *known), "table")


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


def scores_content(
    scores: Scores, evaluation: Evaluation, asked: ViewRequest[Any], request: Request, form: str
) -> bytes:
    """Scores in the form asked for, or the one number that is; their warnings are told."""
    warn(scores.warnings, request.quiet)
    if request.brief:
        if len(scores.runs) != 1 or len(scores.measures) != 1:
            many = f"{count(len(scores.runs), 'run')} and {count(len(scores.measures), 'measure')}"
            raise UsageError(
                f"--brief prints one number, and here are {many}: give one run, and one -m"
            )
        value = scores.value(scores.measures[0])
        return f"{UNDEFINED if value is None else repr(value)}\n".encode()
    if form != "table":
        return scores.in_form(form, per_topic=request.per_topic or form in WHOLE_FORMS)
    to_file = request.output is not None
    notes = apply_missing_rule(evaluation, request.on_missing).notes(asked.measures)
    return scores_table(scores, request.per_topic, to_file=to_file, notes=notes)


LEFT_OUT = ("follow", "in_blocks", "safe_csv")
"""The options of a family's command that say what `follow` is, or that change nothing in it."""


class FollowCommand(StrictCommand):
    """The command for the stream of one family; `--family` hands over to that of another."""

    family = FOLLOWED[0]

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **more: Any,
    ) -> click.Context:
        """Read the command line as the family that it names does."""
        words = [word for each in args for word in each.split("=", 1)]
        named = words[words.index("--family") + 1 :][:1] if "--family" in words else []
        if named and named[0] in FOLLOWED and named[0] != self.family:
            return follow_command(named[0]).make_context(info_name, args, parent, **more)
        return super().make_context(info_name, args, parent, **more)


def follow_command(name: str = FOLLOWED[0]) -> FollowCommand:
    """Return the command that follows a stream of this family."""
    family = registry.family(name)
    whole = command_of(family)
    answer: Any = whole.callback
    places = [what for _, what in declared(family.inputs) if not what.flags and not what.several]

    def run(family: str, **values: Any) -> None:  # noqa: ARG001 - the command is of this family
        answer(**values, follow=True, in_blocks=None)

    params = options.of_record(FollowOptions)
    for each in whole.params:
        if isinstance(each, click.Argument):
            each.metavar = " ".join(what.metavar for what in places)
        elif isinstance(each, DeclaredOption):
            if not each.what.has_meaning(SCORES, FOLLOW, UNSHARED):
                continue
            each.hidden = False
        if each.name not in LEFT_OUT:
            params.append(each)
    found = FollowCommand("follow", params=params, callback=run, help=FOLLOW_HELP)
    found.family = name
    return found


FOLLOW_HELP = """Score a live stream, and write measures as they change.

\b
tseval follow fixtures/nuggets.tsv -m 'P R' --every 3 < fixtures/live.jsonl

Standard input has rows of runs as JSON lines; each line of the output is JSON with the changed
measures. The options depend on the family: see `tseval follow --family clusters --help`.
"""
