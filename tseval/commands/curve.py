"""`tseval curve`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tseval.clusters import scoring as clusters
from tseval.clusters.evaluation import ClusterSources
from tseval.commands import options
from tseval.commands.options import check_output, deliver, form_of, runs_and_gold, warn
from tseval.commands.score import prepared
from tseval.curves import Curve, Followed, curves, frame
from tseval.editions import DRAFT, EDITIONS, PROPOSAL
from tseval.errors import UsageError
from tseval.formats.clusters import is_table_of_clusters
from tseval.formats.rows import rows_bytes
from tseval.measures import Measure
from tseval.measures.clusters import FAMILY
from tseval.scoring import chosen_measures, cost_trait, missing_topics
from tseval.tables import ALL_TOPICS
from tseval.views.charts import CurveChart, MeasureAxis, draw_curves
from tseval.views.drawing import FORMS as PICTURES

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray

FORMS = ("csv", *PICTURES)


@click.command("curve")
@options.runs_and_nuggets
@options.measure_options
@options.matching_options
@options.topics_option
@options.rule_options
@click.option(
    "--topic",
    "chosen",
    multiple=True,
    metavar="NAME",
    help="A topic to show, or `all` for the mean over topics; repeatable. Default: all.",
)
@click.option("-q", "--per-topic", is_flag=True, help="Every topic as well as `all`.")
@options.missing_option
@options.undefined_option
@click.option(
    "--title", default="Measures over time", show_default=True, help="The title of the chart."
)
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(FORMS),
    help="Default: by the suffix of -o, else csv.",
)
@options.output_option
@options.input_format_option
@options.engine_options
@options.resume_option
@options.quiet_option
@options.debug_option
def command(files: tuple[str, ...], **given: Any) -> None:
    """The same measures as functions of time: CSV, PNG, SVG, PDF or HTML.

    The suffix of -o decides; without it CSV goes to standard output, one row for each time at
    which a measure can change: from just after it on, the measure has this value. Pictures need
    the extra `report`. Where the last file is a table of clusters, the curves are those of
    latency, redundancy and coverage.

    \b
    tseval curve mine.tsv theirs.tsv nuggets.tsv --matches matches.tsv -o curve.html
    """
    output: Path | None = given["output"]
    check_output(output)
    form = form_of(given["form"], output, FORMS, "csv")
    if given["per_topic"] and given["chosen"]:
        raise UsageError("give -q for every topic, or --topic for some, not both")
    shown = _over_clusters(files, given) if _of_clusters(files, given) else _shown(files, given)
    table = frame(shown.curves)
    warn(shown.warnings, given["quiet"])
    if form == "csv":
        deliver(rows_bytes(table, "csv", shown.signature), output)
    else:
        chart = CurveChart(table, shown.signature, given["title"], _axes(shown.measures))
        deliver(draw_curves(chart, form), output)


@dataclass(frozen=True)
class Shown:
    """The curves to show, with what is told beside them."""

    curves: list[Curve]
    measures: list[Measure]
    warnings: tuple[str, ...]
    signature: str


def _shown(files: tuple[str, ...], given: dict[str, Any]) -> Shown:
    """Measures over nuggets."""
    evaluation = prepared(files, given)
    wanted = chosen_measures(evaluation, given["wanted"])
    missing = missing_topics(evaluation, given["on_missing"])
    traits = cost_trait(evaluation, wanted) | {"missing": missing.rule}
    return Shown(
        _curves(evaluation, wanted, missing.counted, given),
        wanted,
        evaluation.warnings + missing.warnings,
        evaluation.signature(**traits, undefined=given["undefined"]),
    )


def _curves(
    evaluation: Followed, wanted: list[Measure], counted: BoolArray, given: dict[str, Any]
) -> list[Curve]:
    zero = given["undefined"] == "zero"
    topics = _topics(evaluation, given)
    return list(curves(evaluation, wanted, topics, counted=counted, undefined_as_zero=zero))


def _of_clusters(files: tuple[str, ...], given: dict[str, Any]) -> bool:
    """Whether the gold is a table of clusters: by its columns, or by an edition for such."""
    name = given["edition_name"]
    if any(each.name == name and each.family == FAMILY for each in EDITIONS):
        return True
    return bool(files) and name == DRAFT.name and is_table_of_clusters(files[-1])


FOR_NUGGETS = {
    "matches": "--matches",
    "matcher": "--matcher",
    "threshold": "--threshold",
    "pool": "--pool",
    "duplicates": "--duplicates",
    "topics": "--topics",
    "rules": "--rule",
    "ignore_unsampled": "--ignore-unsampled",
    "binary": "--binary",
    "matched_nuggets_only": "--matched-nuggets-only",
    "latency_from": "--latency-from",
    "resume": "--resume",
}
"""The options that nothing over clusters reads."""


def _over_clusters(files: tuple[str, ...], given: dict[str, Any]) -> Shown:
    """Latency, redundancy and coverage over clusters, as `tseval clusters` has them."""
    for name in FOR_NUGGETS:
        if given[name]:
            raise UsageError(f"{FOR_NUGGETS[name]} has no meaning over clusters")
    runs, gold = runs_and_gold(files)
    name = PROPOSAL.name if given["edition_name"] == DRAFT.name else given["edition_name"]
    sources = ClusterSources(runs, gold, form=given["input_format"])
    with options.shared_as(given) as sharing:
        evaluation = clusters.prepare(sources, given["wanted"], name, sharing=sharing)
    wanted = clusters.over_time(evaluation, given["wanted"])
    index = evaluation.groups
    rule, counted, lost = clusters.missing_topics(evaluation, [index], given["on_missing"])
    return Shown(
        _curves(evaluation, wanted, counted, given),
        wanted,
        (*clusters.caveats(evaluation, [index]), *lost),
        evaluation.signature(missing=rule, undefined=given["undefined"]),
    )


def _topics(evaluation: Followed, given: dict[str, Any]) -> list[str]:
    """The topics to show: those named, or the mean, with `-q` every topic before it."""
    if given["chosen"]:
        return list(dict.fromkeys(given["chosen"]))
    return [*(evaluation.index.topics if given["per_topic"] else ()), ALL_TOPICS]


def _axes(wanted: list[Measure]) -> dict[str, MeasureAxis]:
    """How each measure's axis reads."""
    return {
        measure.name: MeasureAxis(
            title=measure.definition.title,
            unit=_unit(measure),
            higher_is_better=measure.definition.higher_is_better,
        )
        for measure in wanted
    }


def _unit(measure: Measure) -> str:
    """The unit of a measure's values, which a parameter `unit` may name."""
    named = any(parameter.name == "unit" for parameter in measure.definition.parameters)
    plain = all(name == "unit" for name, _ in measure.arguments)
    return str(measure.argument("unit")) if named and plain else ""
