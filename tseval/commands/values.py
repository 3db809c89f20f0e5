"""`tseval values`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tseval.commands import options
from tseval.commands.options import check_output, deliver, form_of, warn
from tseval.formats import TEMPORAL_FORMS
from tseval.formats.results import RESULT_FORMS, result_bytes
from tseval.tracking import chosen_measures, prepare, scores_of
from tseval.views.tables import scores_table


@click.command("values")
@click.argument("files", nargs=-1, metavar="RUN... GOLD", type=click.Path(path_type=str))
@options.measures_named("Default: VT, which is that of every attribute that the gold has.")
@click.option(
    "--at",
    multiple=True,
    metavar="TIME",
    help="Take the mean error until this time too: 6h, 90m, 2d from the topic's start, or Unix "
    "seconds, or ISO 8601; repeatable.",
)
@click.option(
    "--topics",
    metavar="FILE",
    help="When each topic starts and ends: a table `topic start [end]`. Default: with the first "
    "and the last value of its gold.",
)
@options.topics_too_option
@options.on_missing(
    "Topics judged but absent from a run; zero: as of a system that never gives a value.", "zero"
)
@options.undefined_option
@options.format_option(["table", *RESULT_FORMS], "table")
@options.output_option
@options.input_format(TEMPORAL_FORMS, ("run", "gold", "topics"))
@options.engine_options
@options.quiet_option
@options.debug_option
def command(files: tuple[str, ...], **given: Any) -> None:
    """Errors of values tracked over time, such as deaths, or where it happens.

    RUN is a table `topic attribute time value`, or a value tracking run of TREC Temporal
    Summarization 2013; GOLD is such a table. Attributes are deaths, injuries, displaced,
    financialimpact, and locations, whose values are latitude and longitude: `40.7, -74`.

    \b
    tseval values mine.tsv theirs.tsv gold.tsv --topics topics.tsv -q
    """
    output: Path | None = given["output"]
    check_output(output)
    form = form_of(given["form"], output, ("table", *RESULT_FORMS), "table")
    if len(files) < 2:
        raise click.UsageError("Give one or more runs, then the file of gold values.")
    with options.shared_as(given) as sharing:
        evaluation = prepare(files[:-1], files[-1], given["topics"], given["input_format"], sharing)
    wanted = chosen_measures(evaluation, given["wanted"], given["at"])
    scores = scores_of(evaluation, wanted, given["on_missing"], given["undefined"])
    warn(scores.warnings, given["quiet"])
    if form == "table":
        content = scores_table(scores, given["per_topic"], to_file=output is not None)
    else:
        content = result_bytes(scores, form, per_topic=given["per_topic"])
    deliver(content, output)
