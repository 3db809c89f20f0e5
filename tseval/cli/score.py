"""`tseval score`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tseval.cli import live, options
from tseval.cli.options import check_output, deliver, form_of, runs_and_gold, warn
from tseval.cli.progress import progress
from tseval.cli.tables import rows_table, scores_table
from tseval.core.scores import Scores
from tseval.errors import UsageError
from tseval.families.temporal.editions import DRAFT
from tseval.families.temporal.evaluation import Evaluation, TemporalInputs, prepare
from tseval.families.temporal.explanation import explain_nuggets, explain_updates
from tseval.families.temporal.jitter import SAMPLES, error_of, jittered_measures, moved
from tseval.families.temporal.scoring import chosen_measures, scores_of
from tseval.families.temporal.trec_table import trec_table_bytes
from tseval.files import TEMPORAL_FORMS, TREC_TS
from tseval.files.rows import ROW_FORMS, rows_bytes
from tseval.files.score_writers import RESULT_FORMS, result_bytes

EXPLANATIONS = {"nuggets": explain_nuggets, "updates": explain_updates}


@click.command("score")
@options.runs_and_nuggets
@options.measure_options
@click.option(
    "--at",
    multiple=True,
    metavar="TIME",
    help="Evaluate at this time too: 6h, 90m, 2d from the topic's start, or Unix seconds, "
    "or ISO 8601; repeatable.",
)
@options.matching_options
@options.topics_option
@options.rule_options
@options.topics_too_option
@click.option(
    "--explain",
    type=click.Choice(list(EXPLANATIONS)),
    help="Instead of scores: nugget by nugget, or update by update, what happened.",
)
@click.option(
    "--jitter",
    metavar="TIME",
    help="With each score the interval in which it lies if every nugget's time is wrong by up to "
    "so much, such as 1h. Default measures: Rs T.",
)
@click.option(
    "--samples",
    type=click.IntRange(min=2),
    metavar="N",
    help="How often --jitter draws errors. Default: 1000.",
)
@click.option("--seed", type=int, help="For the errors that --jitter draws. Default: 0.")
@options.missing_option
@options.undefined_option
@options.format_option(
    ["table", *RESULT_FORMS, *ROW_FORMS, TREC_TS],
    "table",
    "Scores have trec, and trec-ts for the table of the track's own script; explanations have tsv.",
)
@click.option(
    "--in-blocks",
    type=click.IntRange(min=1),
    metavar="N",
    help="Read the updates N at a time, for files larger than memory: TSV, JSON lines, Parquet.",
)
@live.follow_options
@options.output_option
@options.input_format(TEMPORAL_FORMS, options.OF_MATCHING)
@options.engine_options
@options.resume_option
@options.quiet_option
@options.debug_option
def command(files: tuple[str, ...], **given: Any) -> None:
    """Temporal summarization scores of one or more runs.

    UPDATES are tables with the columns `topic update_id time text`, NUGGETS one with `topic
    nugget_id time text`: TSV, CSV, JSON lines or Parquet, plain or compressed, `-` for standard
    input. Without --matches the matcher decides which update says which nugget.

    \b
    tseval score mine.tsv theirs.tsv nuggets.tsv --matches matches.tsv -q --at 6h
    """
    if given["follow"]:
        live.follow(files, given)
        return
    live.refuse_unused(given)
    output: Path | None = given["output"]
    check_output(output)
    explain = given["explain"]
    if explain:
        options.refuse_measures(given, {"jitter": "--jitter"})
    _check_jitter(given)
    as_rows = explain or given["jitter"]
    known = ("table", *(ROW_FORMS if as_rows else (*RESULT_FORMS, TREC_TS)))
    form = form_of(given["form"], output, known, "table")
    if given["in_blocks"]:
        deliver(written(in_blocks(files, form, given), form, given), output)
        return
    evaluation = prepared(files, given)
    write = jittered if given["jitter"] else explained if explain else scored
    deliver(write(evaluation, form, given), output)


def _check_jitter(given: dict[str, Any]) -> None:
    """Refuse a jitter that is none, and what says how to draw where nothing is drawn."""
    if given["jitter"]:
        error_of(given["jitter"])
        if given["in_blocks"]:
            raise UsageError("--jitter has no meaning with --in-blocks: it needs all updates")
        return
    for name in ("samples", "seed"):
        if given[name] is not None:
            raise UsageError(f"--{name} has no meaning without --jitter: nothing is drawn")


def jittered(evaluation: Evaluation, form: str, given: dict[str, Any]) -> bytes:
    """Each score with its interval, in the form asked for."""
    wanted = jittered_measures(evaluation, given["wanted"], given["at"])
    scores = scores_of(evaluation, wanted, given["on_missing"], given["undefined"])
    samples, seed = given["samples"] or SAMPLES, given["seed"] or 0
    found = moved(evaluation, wanted, scores, given["jitter"], samples, seed)
    warn(found.warnings, given["quiet"])
    frame = found.frame(per_topic=given["per_topic"])
    if form == "table":
        return rows_table(frame, found.signature, to_file=given["output"] is not None)
    return rows_bytes(frame, form, found.signature)


def sources_of(files: tuple[str, ...], given: dict[str, Any]) -> TemporalInputs:
    """The inputs that the options name."""
    updates, nuggets = runs_and_gold(files)
    return TemporalInputs(
        updates=updates,
        nuggets=nuggets,
        matches=given["matches"],
        topics=given["topics"],
        duplicates=given["duplicates"],
        pool=given["pool"],
        form=given["input_format"],
    )


def in_blocks(files: tuple[str, ...], form: str, given: dict[str, Any]) -> Scores:
    """The scores of runs that need not fit into memory."""
    if form == TREC_TS or given["explain"]:
        raise UsageError("--in-blocks has no meaning with --explain or -f trec-ts")
    if given["edition_name"] != DRAFT.name or options.given_rules(given):
        raise UsageError("--in-blocks scores by the draft, without other rules")
    options.refuse_sharing(given, "--in-blocks")
    from tseval.streaming.blocks import score_in_blocks

    with progress("folding", given["quiet"]) as told:
        return score_in_blocks(
            sources_of(files, given),
            given["matcher"],
            given["threshold"],
            given["wanted"],
            given["at"],
            given["on_missing"],
            given["undefined"],
            given["in_blocks"],
            told,
        )


def prepared(files: tuple[str, ...], given: dict[str, Any]) -> Evaluation:
    """Read, match and index what the options name."""
    sources = sources_of(files, given)
    with options.shared_as(given) as sharing, progress("matching", given["quiet"]) as told:
        return prepare(
            sources,
            given["matcher"],
            given["threshold"],
            given["edition_name"],
            told,
            options.given_rules(given),
            sharing=sharing,
        )


def scored(evaluation: Evaluation, form: str, given: dict[str, Any]) -> bytes:
    """The scores in the form asked for."""
    if form == TREC_TS:
        _check_table(evaluation, given)
    wanted = chosen_measures(evaluation, given["wanted"], given["at"])
    scores = scores_of(evaluation, wanted, given["on_missing"], given["undefined"])
    if form == TREC_TS:
        warn(scores.warnings, given["quiet"])
        return trec_table_bytes(scores, evaluation.edition.titles, evaluation.teams)
    return written(scores, form, given)


def written(scores: Scores, form: str, given: dict[str, Any]) -> bytes:
    """Scores in any form that all of them have."""
    warn(scores.warnings, given["quiet"])
    if form == "table":
        return scores_table(scores, given["per_topic"], to_file=given["output"] is not None)
    return result_bytes(scores, form, per_topic=given["per_topic"])


def _check_table(evaluation: Evaluation, given: dict[str, Any]) -> None:
    """The official table is an edition's, with the measures that it has there."""
    if not evaluation.edition.titles:
        raise UsageError(f"edition {evaluation.edition.name} has no official table: see --edition")
    for name, option in {"wanted": "-m", "at": "--at"}.items():
        if given[name]:
            raise UsageError(f"{option} has no meaning with -f trec-ts, whose columns are fixed")


def explained(evaluation: Evaluation, form: str, given: dict[str, Any]) -> bytes:
    """The explanation in the form asked for."""
    frame = EXPLANATIONS[given["explain"]](evaluation.index)
    warn(evaluation.warnings, given["quiet"])
    if form == "table":
        to_file = given["output"] is not None
        return rows_table(frame, evaluation.signature(), to_file=to_file)
    return rows_bytes(frame, form, evaluation.signature())
