"""`tseval incidents`."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from tseval.cli import options
from tseval.cli.options import check_output, deliver, form_of, parted, warn
from tseval.cli.tables import rows_table, scores_table
from tseval.core.rules import each_once
from tseval.core.scores import Scores
from tseval.errors import OutputError, UsageError
from tseval.families.incidents.alerts import WORTH
from tseval.families.incidents.evaluation import Choices, IncidentEvaluation, IncidentSources, read
from tseval.families.incidents.scoring import chosen_measures, scores_of
from tseval.files import PICTURES, PLAIN_FORMS
from tseval.files.rows import ROW_FORMS, rows_bytes
from tseval.files.score_writers import RESULT_FORMS, result_bytes

TREC_IS = "trec-is"
ALERTS, TYPES = "alerts", "types"
EVENT_RULE = "types-of-event"
"""The rule that changes the values of events, and no value over all of them."""
EVENTS_DRAWN = 4
"""How many events the chart of trust has, where none is named."""


@click.command("incidents")
@click.argument("files", nargs=-1, metavar="RUN... LABELS", type=click.Path(path_type=str))
@click.option(
    "--ontology",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=str),
    help="The information types: the track's JSON, or the proposal's.",
)
@click.option(
    "--labels",
    multiple=True,
    metavar="FILE",
    help="More labels, such as another assessor's; they come after LABELS. Repeatable.",
)
@click.option(
    "--topics",
    metavar="FILE",
    help="The track's file of topics: which events count, and their numbers.",
)
@click.option("--epochs", metavar="FILE", help="When posts were made: post YYYYMMDD epoch.")
@options.measure_option
@click.option(
    "--edition",
    "edition_name",
    default="note",
    show_default=True,
    help="Whose rules: note, 2018, 2018v2, 2019a, 2019b, 2021 or proposal.",
)
@options.rule_option("2019b")
@click.option(
    "--actionable",
    metavar="NAME,…",
    help="The types that call for action. Default: the track's six.",
)
@click.option("--entries", metavar="NAME,…", help="Score these types alone. Default: all.")
@click.option(
    "--roll-up",
    is_flag=True,
    help="A type counts for its ancestors in the ontology too: --rule ancestors=rolled-up.",
)
@click.option(
    "--order",
    type=click.Choice(["time", "rank", "file"]),
    help="How posts come, for the false alerts in a row: --rule order=VALUE.",
)
@click.option(
    "--log-base",
    type=click.Choice(["10", "e"]),
    help="The logarithm in what a false alert costs: --rule logarithm=VALUE.",
)
@click.option(
    "--normalise",
    type=click.Choice(["always", "auto", "never"]),
    help="Whether priorities are scaled to [0, 1]: --rule normalise=VALUE.",
)
@click.option(
    "--threshold",
    type=float,
    help="The priority from which on a post is an alert (0.7); with `proposal` the confidence "
    "from which on a type is given (0).",
)
@click.option("--alpha", type=float, help="What a true alert is worth at least (0.3).")
@click.option(
    "--lambda", "lambda_", type=float, help="How much the actionable types weigh in it (0.75)."
)
@click.option(
    "--at",
    multiple=True,
    metavar="TIME",
    help="The measures over the posts before this time too: 6h, 2d from the event's first labelled "
    "post, or Unix seconds, or ISO 8601; repeatable.",
)
@click.option("-q", "--per-topic", is_flag=True, help="One row per event and type as well as all.")
@click.option(
    "--over-runs", is_flag=True, help="The best, median and worst value over the runs instead."
)
@click.option(
    "--explain",
    type=click.Choice([ALERTS, TYPES]),
    help="Instead of scores: the missed and false alerts in order with delta and worth, or what "
    "was right and wrong of each type.",
)
@options.on_missing(
    "Events judged but absent from a run. Default: zero, as posts that the run lacks."
)
@options.format_option(
    ["table", *RESULT_FORMS, TREC_IS, *ROW_FORMS, *PICTURES],
    "table",
    "trec-is writes the track's three files a run into the folder -o; a picture shows worth and "
    "false alerts along the stream.",
)
@click.option(
    "--event",
    "events",
    multiple=True,
    metavar="NAME",
    help=f"An event that the picture shows; repeatable. Default: the {EVENTS_DRAWN} longest.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write there instead of standard output; the file appears whole or not at all. With "
    "-f trec-is a folder, in which all files appear or none; default: the current one.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="For the shuffles of --rule ties=shuffled.",
)
@click.option(
    "--track-names",
    is_flag=True,
    help="With -f trec-is: call the files as the track did, RUN.results.overall.txt in 2018 and "
    "2019 and RUN.results.2021a.overall.txt in 2021.",
)
@options.input_format(PLAIN_FORMS, ("run", "labels", "epochs"), "runs and labels")
@options.engine_options
@options.quiet_option
@options.debug_option
def command(files: tuple[str, ...], **given: Any) -> None:
    """Information types, priority and alerts of incident streams.

    RUN is a run of TREC Incident Streams of any year, or a table `topic post_id priority types`;
    LABELS what assessors said: the track's JSON, or a table `topic post_id level types`. All may be
    compressed; `-` is standard input.

    \b
    tseval incidents mine.txt theirs.txt labels.json --ontology types.json -q
    """
    output: Path | None = given["output"]
    form = _form(given, output)
    with options.shared_as(given) as sharing:
        evaluation = read(*_request(files, given), sharing)
    if form == TREC_IS:
        _write_files(evaluation, given, output)
    elif form in PICTURES:
        deliver(_picture(evaluation, form, given), output)
    else:
        show = _explained if given["explain"] else _scored
        deliver(show(evaluation, form, given), output)


def _form(given: dict[str, Any], output: Path | None) -> str:
    """The form of the output; one that has no meaning with the other options is refused."""
    if given["form"] == TREC_IS:
        others = ("explain", "over_runs", "at", "wanted", "per_topic", "events")
        if any(given[name] for name in others):
            raise UsageError("-f trec-is writes what its edition prints, and nothing else")
        return TREC_IS
    if given["track_names"]:
        raise UsageError(f"--track-names names the files of -f {TREC_IS}: give that too")
    check_output(output)
    if output is not None and output.is_dir():
        raise OutputError(f"{output} is a folder: give -o FILE, or -f {TREC_IS}")
    forms = ROW_FORMS if given["explain"] else (*RESULT_FORMS, *PICTURES)
    form = form_of(given["form"], output, ("table", *forms), "table")
    if form in PICTURES:
        if output is None:
            raise UsageError(f"a picture is not for a terminal: give -o FILE.{form}")
        for name in ("wanted", "at", "per_topic", "over_runs", "on_missing"):
            if given[name]:
                raise UsageError("the picture shows alerts alone: leave -m, --at, -q and such out")
    elif given["events"]:
        raise UsageError("--event chooses what the picture shows: give -o FILE.png")
    return form


def _request(files: tuple[str, ...], given: dict[str, Any]) -> tuple[IncidentSources, str, Choices]:
    """What the options ask for."""
    if len(files) < 2:
        raise click.UsageError("Give one or more runs, then the file of labels.")
    sources = IncidentSources(
        runs=files[:-1],
        labels=[files[-1], *given["labels"]],
        ontology=given["ontology"],
        topics=given["topics"],
        epochs=given["epochs"],
        form=given["input_format"],
    )
    choices = Choices(
        rules=_rules(given),
        actionable=_names(given["actionable"]),
        threshold=given["threshold"],
        flat_gain=given["alpha"],
        actionable_weight=given["lambda_"],
        entries=_names(given["entries"]),
        seed=given["seed"],
    )
    return sources, given["edition_name"], choices


def _names(given: str | None) -> list[str]:
    return [name.strip() for name in (given or "").split(",") if name.strip()]


def _rules(given: dict[str, Any]) -> dict[str, str]:
    """The rules that options name, each once."""
    named = {
        "order": given["order"],
        "logarithm": given["log_base"],
        "normalise": given["normalise"],
        "ancestors": "rolled-up" if given["roll_up"] else None,
    }
    return each_once([*parted(given["rules"]), *((n, v) for n, v in named.items() if v)])


def _scored(evaluation: IncidentEvaluation, form: str, given: dict[str, Any]) -> bytes:
    """The scores in the form asked for."""
    scores = _scores(evaluation, given)
    if form == "table":
        return scores_table(scores, given["per_topic"], to_file=given["output"] is not None)
    return result_bytes(scores, form, per_topic=given["per_topic"])


def _scores(evaluation: IncidentEvaluation, given: dict[str, Any]) -> Scores:
    wanted = chosen_measures(evaluation, given["wanted"], given["at"])
    if EVENT_RULE in evaluation.asked and not given["per_topic"]:
        raise UsageError(f"rule {EVENT_RULE} changes the values of single events alone: give -q")
    scores = scores_of(evaluation, wanted, given["on_missing"])
    warn(scores.warnings, given["quiet"])
    if given["over_runs"]:
        from tseval.families.incidents.spread import over_runs

        return over_runs(scores)
    return scores


def _explained(evaluation: IncidentEvaluation, form: str, given: dict[str, Any]) -> bytes:
    """The explanation in the form asked for; options that it ignores are refused."""
    from tseval.families.incidents.explanation import confusion_table, explain_alerts
    from tseval.families.incidents.ineffective_options import ALERTS_SHOW, TYPES_SHOW

    options.refuse_measures(given, {"over_runs": "--over-runs"})
    of_alerts, index = given["explain"] == ALERTS, evaluation.index
    reads = index.rules.effective(WORTH).union(ALERTS_SHOW) if of_alerts else TYPES_SHOW
    _check_shown(evaluation, reads, f"--explain {given['explain']}", given)
    posts = evaluation.labels.post_id
    frame = explain_alerts(index, posts) if of_alerts else confusion_table(index)
    if form == "table":
        to_file = given["output"] is not None
        return rows_table(frame, evaluation.signature(), to_file=to_file)
    return rows_bytes(frame, form, evaluation.signature())


def _check_shown(
    evaluation: IncidentEvaluation, reads: Collection[str], what: str, given: dict[str, Any]
) -> None:
    """Refuse what changes nothing in what is shown, and tell epochs that don't."""
    from tseval.families.incidents.ineffective_options import check_shown, unread

    check_shown(evaluation, reads, what)
    warn(unread(evaluation, reads), given["quiet"])


def _picture(evaluation: IncidentEvaluation, form: str, given: dict[str, Any]) -> bytes:
    """Worth and false alerts along the stream."""
    from tseval.families.incidents.explanation import longest_events, trust
    from tseval.reporting.charts.trust import TrustChart, draw_trust

    index = evaluation.index
    _check_shown(evaluation, index.rules.effective(WORTH), "the picture", given)
    events = list(given["events"]) or longest_events(index, EVENTS_DRAWN)
    for event in events:
        if event not in index.events:
            raise UsageError(f"no event '{event}' in the labels: {', '.join(index.events)}")
    frame = trust(index, evaluation.labels.post_id, events)
    return draw_trust(TrustChart(frame, evaluation.signature()), form)


def _write_files(
    evaluation: IncidentEvaluation, given: dict[str, Any], output: Path | None
) -> None:
    """The track's three files of each run, into a folder: all of them or none."""
    from tseval.families.incidents.official import official_files
    from tseval.files.atomic_write import write_together

    folder = output or Path()
    if not folder.is_dir():
        raise OutputError(f"{folder}: there is no such folder to write the files into")
    written, warnings = official_files(
        evaluation, given["on_missing"], track_names=given["track_names"]
    )
    warn(warnings, given["quiet"])
    write_together({folder / name: content for name, content in written.items()})
