"""`tseval clusters`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tseval.clusters.evaluation import ClusterEvaluation, ClusterSources, Selection
from tseval.clusters.explanation import explain_clusters
from tseval.clusters.scoring import chosen_measures, prepare, scores_of
from tseval.commands import options
from tseval.commands.options import check_output, deliver, each_once, form_of, parted, warn
from tseval.formats import PLAIN_FORMS
from tseval.formats.cluster_imports import TIMES
from tseval.formats.results import RESULT_FORMS, result_bytes
from tseval.formats.rows import ROW_FORMS, rows_bytes
from tseval.measures.sampling import SAMPLINGS
from tseval.views.tables import rows_table, scores_table


@click.command("clusters")
@click.argument("files", nargs=-1, metavar="RUN... CLUSTERS", type=click.Path(path_type=str))
@options.measure_option
@click.option(
    "--edition",
    "edition_name",
    default="proposal",
    show_default=True,
    help="Whose rules: proposal, mb2015, rts2016 or rts2017.",
)
@options.rule_option("rts2017")
@click.option(
    "--at",
    multiple=True,
    metavar="TIME",
    help="Latency, redundancy and coverage at this time too: 6h, 2d from the topic's first post "
    "in a cluster, or Unix seconds, or ISO 8601; repeatable.",
)
@click.option(
    "--qrels", metavar="FILE", help="What assessors thought of posts: topic Q0 post grade."
)
@click.option("--epochs", metavar="FILE", help="When posts were created: post YYYYMMDD epoch.")
@click.option("--live", metavar="FILE", help="Live judgments: topic post label.")
@click.option(
    "--live-epochs",
    metavar="FILE",
    help="When the posts of live judgments were created. Default: as --epochs.",
)
@click.option(
    "--times",
    type=click.Choice(TIMES),
    help="Where the times of clusters come from. Default: their file, else --epochs.",
)
@click.option(
    "--topic",
    metavar="NAME",
    help="The topic of clusters in two columns. Default: the file's name.",
)
@click.option(
    "--selected",
    metavar="FILE",
    help="The selected posts: a table `topic post_id [run] [cluster_id]`, the last the post's own "
    "cluster.",
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Select up to N posts of each run and topic, of those in a cluster.",
)
@click.option(
    "--sampling",
    type=click.Choice(SAMPLINGS),
    default=SAMPLINGS[0],
    show_default=True,
    help="How: those of highest confidence, or at random.",
)
@options.seed_option
@options.topics_too_option
@click.option(
    "--explain",
    is_flag=True,
    help="Instead of scores: cluster by cluster the first report, all reports, their delays.",
)
@options.missing_as_zero_option
@options.undefined_option
@options.format_option(
    ["table", *RESULT_FORMS, *ROW_FORMS], "table", "Scores have trec, explanations have tsv."
)
@options.output_option
@options.input_format(
    PLAIN_FORMS,
    ("run", "clusters", "qrels", "epochs", "live", "live_epochs", "selected"),
    "runs and clusters",
)
@options.engine_options
@options.quiet_option
@options.debug_option
def command(files: tuple[str, ...], **given: Any) -> None:
    """Latency, redundancy and push measures over assessors' clusters.

    RUN is a table `topic post_id time`, a table of updates, or a run of scenario A or B of
    Real-Time Summarization; CLUSTERS a table `topic cluster_id post_id time`, or any of the
    forms that assessors' clusters come in: two columns, or JSON. All may be compressed; `-` is
    standard input.

    \b
    tseval clusters mine.tsv theirs.tsv clusters.tsv -q --sample 50
    """
    output: Path | None = given["output"]
    check_output(output)
    known = ("table", *(ROW_FORMS if given["explain"] else RESULT_FORMS))
    form = form_of(given["form"], output, known, "table")
    evaluation = prepared(files, given)
    show = explained if given["explain"] else scored
    deliver(show(evaluation, form, given), output)


def prepared(files: tuple[str, ...], given: dict[str, Any]) -> ClusterEvaluation:
    """Read what the options name."""
    if len(files) < 2:
        raise click.UsageError("Give one or more runs, then the file of clusters.")
    sources = ClusterSources(
        runs=files[:-1],
        clusters=files[-1],
        qrels=given["qrels"],
        epochs=given["epochs"],
        live=given["live"],
        live_epochs=given["live_epochs"],
        selected=given["selected"],
        times=given["times"],
        topic=given["topic"],
        form=given["input_format"],
    )
    selection = Selection(given["sample"], given["sampling"], given["seed"])
    wanted = given["wanted"] or (["coverage"] if given["explain"] else [])
    rules = each_once(parted(given["rules"]))
    with options.shared_as(given) as sharing:
        return prepare(sources, wanted, given["edition_name"], selection, rules, sharing)


def scored(evaluation: ClusterEvaluation, form: str, given: dict[str, Any]) -> bytes:
    """The scores in the form asked for."""
    wanted = chosen_measures(evaluation, given["wanted"], given["at"])
    scores = scores_of(evaluation, wanted, given["on_missing"], given["undefined"])
    warn(scores.warnings, given["quiet"])
    if form == "table":
        return scores_table(scores, given["per_topic"], to_file=given["output"] is not None)
    return result_bytes(scores, form, per_topic=given["per_topic"])


def explained(evaluation: ClusterEvaluation, form: str, given: dict[str, Any]) -> bytes:
    """The explanation in the form asked for; options that it ignores are refused."""
    options.refuse_measures(given)
    frame = explain_clusters(evaluation.groups)
    if form == "table":
        to_file = given["output"] is not None
        return rows_table(frame, evaluation.signature(), to_file=to_file)
    return rows_bytes(frame, form, evaluation.signature())
