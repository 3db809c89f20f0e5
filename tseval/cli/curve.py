"""`tseval curve`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tseval.cli import options
from tseval.cli.family_command import record_options
from tseval.cli.options import check_output, deliver, form_of, runs_and_gold, warn
from tseval.cli.progress import progress
from tseval.core import declared as declarations
from tseval.core import registry, trends
from tseval.core import scoring as kernel
from tseval.core.curves import Followed, curves, frame, pools
from tseval.core.family import Access
from tseval.core.measure import Measure
from tseval.core.registry import all_editions
from tseval.core.rules import each_once
from tseval.core.trends import Dated
from tseval.errors import UsageError
from tseval.families.clusters.editions import PROPOSAL
from tseval.families.clusters.evaluation import ClusterInputs, ClusterOptions
from tseval.families.clusters.files import is_table_of_clusters
from tseval.families.clusters.measures import FAMILY
from tseval.families.temporal.editions import DRAFT
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.files import PICTURES, TEMPORAL_FORMS
from tseval.files.rows import rows_bytes
from tseval.reporting.charts.curves import CurveChart, MeasureAxis, draw_curves
from tseval.reporting.charts.trends import TrendChart
from tseval.tables import ALL_TOPICS
from tseval.tables.times import UNITS, NotANumber, duration

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables.columns import BoolArray

FORMS = ("csv", *PICTURES)


@click.command("curve")
@options.runs_and_nuggets
@options.measure_options
@options.chained(*record_options(TemporalInputs))
@options.rule_option("ts2014")
@options.chained(*record_options(TemporalOptions, "curve"))
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
    "--batch",
    metavar="LENGTH",
    help="Instead of curves the measures of batches of this length, such as 1d, each by itself.",
)
@click.option(
    "--trend",
    is_flag=True,
    help="With --batch: the line through the batches, its slope, its end point and their errors.",
)
@click.option(
    "--ontology",
    metavar="FILE",
    help="The files are runs and labels of incident streams, with these information types; "
    "needs --batch.",
)
@click.option(
    "--epochs", metavar="FILE", help="With --ontology: when posts were made, post YYYYMMDD epoch."
)
@click.option(
    "--title", default="Measures over time", show_default=True, help="The title of the chart."
)
@options.format_option(FORMS, "csv")
@options.output_option
@options.input_format(TEMPORAL_FORMS, (*options.OF_MATCHING, "run", "clusters", "labels", "epochs"))
@options.engine_options
@options.resume_option
@options.quiet_option
@options.debug_option
def command(files: tuple[str, ...], **given: Any) -> None:
    """The same measures as functions of time: CSV, PNG, SVG, PDF or HTML.

    The suffix of -o decides; without it CSV goes to standard output, one row for each time at
    which a measure can change: from just after it on, the measure has this value. Pictures need
    the extra `report`. Where the last file is a table of clusters, the curves are those of
    latency, redundancy and coverage. With --batch a measure is taken from what is dated in each
    batch alone, one row for each batch.

    \b
    tseval curve mine.tsv theirs.tsv nuggets.tsv --matches matches.tsv -o curve.html
    """
    output: Path | None = given["output"]
    check_output(output)
    form = form_of(given["form"], output, FORMS, "csv")
    if given["per_topic"] and given["chosen"]:
        raise UsageError("give -q for every topic, or --topic for some, not both")
    length = _length(given)
    asked = _whatever(files, given)
    shown = _curves(asked, given) if length is None else _batches(asked, length, given)
    warn((*asked.warnings, *shown.warnings), given["quiet"])
    if form == "csv":
        deliver(rows_bytes(shown.table, "csv", shown.chart.signature), output)
    else:
        deliver(draw_curves(shown.chart, form), output)


def _length(given: dict[str, Any]) -> float | None:
    """The seconds of a batch; None for curves."""
    written = given["batch"]
    if written is None:
        if given["trend"]:
            raise UsageError("--trend needs batches to draw a line through: --batch 1d")
        return None
    try:
        length = duration(written)
    except NotANumber as error:
        raise UsageError(f"--batch: {error}") from None
    if not length:
        raise UsageError("--batch: a batch must last longer than 0 seconds")
    return length


@dataclass(frozen=True)
class Asked:
    """What is followed, and what is told beside it."""

    evaluation: Dated
    measures: list[Measure]
    counted: BoolArray
    warnings: tuple[str, ...]
    traits: dict[str, str]

    def signature(self, given: dict[str, Any]) -> str:
        """One line that names all that can change a number."""
        batch = {"batch": given["batch"]} if given["batch"] else {}
        return self.evaluation.signature(**self.traits, undefined=given["undefined"], **batch)


@dataclass(frozen=True)
class Shown:
    """The rows and the chart, with warnings of their own."""

    table: pd.DataFrame
    chart: CurveChart
    warnings: tuple[str, ...] = ()


def _whatever(files: tuple[str, ...], given: dict[str, Any]) -> Asked:
    """What the files and options are about."""
    if given["ontology"] is not None:
        return _over_incidents(files, given)
    if given["epochs"] is not None:
        raise UsageError("--epochs has no meaning without --ontology")
    return _over_clusters(files, given) if _of_clusters(files, given) else _asked(files, given)


def _asked(files: tuple[str, ...], given: dict[str, Any]) -> Asked:
    """Measures over nuggets."""
    runs, nuggets = runs_and_gold(files)
    named = {"updates": runs, "nuggets": nuggets}
    family = registry.family(registry.FIRST)
    edition = family.edition(given["edition_name"])
    chosen = declarations.build(TemporalOptions, given)
    rules = declarations.rules(options.parted(given["rules"]), chosen)
    with options.shared_as(given) as sharing, progress("matching", given["quiet"]) as tell:
        access = Access(given["input_format"], sharing, tell)
        inputs = declarations.build(TemporalInputs, given | named)
        evaluation = family.read(inputs, chosen, edition, rules, access)
    wanted = kernel.chosen_measures(evaluation, given["wanted"])
    rule = given["on_missing"] or edition.on_missing
    missing = kernel.missing_topics([evaluation.index], rule, evaluation.words)
    return Asked(
        evaluation,
        wanted,
        missing.counted,
        evaluation.warnings + missing.warnings,
        {**evaluation.traits_of(wanted), "missing": missing.rule},
    )


def _curves(asked: Asked, given: dict[str, Any]) -> Shown:
    """Every measure at every time at which it can change."""
    drawn = curves(
        asked.evaluation,
        asked.measures,
        _topics(asked.evaluation, given),
        counted=asked.counted,
        undefined_as_zero=given["undefined"] == "zero",
    )
    table = frame(list(drawn))
    axes = _axes(asked)
    return Shown(table, CurveChart(table, asked.signature(given), given["title"], axes))


def _batches(asked: Asked, length: float, given: dict[str, Any]) -> Shown:
    """Every measure batch by batch, with the lines through them if they are asked for."""
    drawn = trends.batch_series(
        asked.evaluation,
        asked.measures,
        length,
        _topics(asked.evaluation, given),
        counted=asked.counted,
        undefined_as_zero=given["undefined"] == "zero",
    )
    table = trends.frame(drawn)
    chart = TrendChart(
        table,
        asked.signature(given),
        given["title"],
        _axes(asked),
        length / UNITS["h"],
        trends.line_frame(drawn) if given["trend"] else None,
    )
    lost = tuple(trends.outside(asked.evaluation, drawn))
    if not given["trend"]:
        return Shown(table, chart, lost)
    return Shown(trends.with_lines(table, drawn), chart, (*lost, *trends.doubts(drawn)))


def _of_clusters(files: tuple[str, ...], given: dict[str, Any]) -> bool:
    """Whether the gold is a table of clusters: by its columns, or by an edition for such."""
    name = given["edition_name"]
    if any(each.name == name and each.family == FAMILY for each in all_editions()):
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
"""The options that nothing over clusters reads, but rules."""


def _over_clusters(files: tuple[str, ...], given: dict[str, Any]) -> Asked:
    """Latency, redundancy and coverage over clusters, as `tseval clusters` has them."""
    for name in FOR_NUGGETS:
        if given[name] and name != "rules":
            raise UsageError(f"{FOR_NUGGETS[name]} has no meaning over clusters")
    runs, gold = runs_and_gold(files)
    name = PROPOSAL.name if given["edition_name"] == DRAFT.name else given["edition_name"]
    family = registry.family(FAMILY)
    edition = family.edition(name)
    with options.shared_as(given) as sharing:
        rules = each_once(options.parted(given["rules"]))
        access = Access(given["input_format"], sharing, wanted=given["wanted"])
        inputs = ClusterInputs(runs, gold)
        evaluation = family.read(inputs, ClusterOptions(), edition, rules, access)
    wanted = kernel.chosen_measures(evaluation, given["wanted"])
    followed = [each for each in wanted if evaluation.follows(each)]
    if not followed or (given["wanted"] and len(followed) < len(wanted)):
        raise UsageError("only latency, redundancy and coverage have curves over clusters")
    rule = given["on_missing"] or edition.on_missing
    missing = kernel.missing_topics([evaluation.index], rule, evaluation.words)
    told = (*evaluation.caveats(followed), *missing.warnings)
    return Asked(evaluation, followed, missing.counted, told, {"missing": rule})


def _over_incidents(files: tuple[str, ...], given: dict[str, Any]) -> Asked:
    """Measures of incident streams, as `tseval incidents` has them within an event."""
    from tseval.families.incidents.family import FAMILY as INCIDENTS
    from tseval.families.incidents.options import IncidentInputs, IncidentOptions

    if given["batch"] is None:
        raise UsageError("measures of incident streams have batches and no curve: give --batch 1d")
    unread = FOR_NUGGETS.keys() - {"topics", "rules"}
    for name in sorted(unread):
        if given[name]:
            raise UsageError(f"{FOR_NUGGETS[name]} has no meaning over incident streams")
    runs, labels = runs_and_gold(files)
    asked = given["edition_name"]
    edition = INCIDENTS.edition(None if asked == DRAFT.name else asked)
    inputs = IncidentInputs(runs, labels, given["ontology"], (), given["topics"], given["epochs"])
    rules = each_once(options.parted(given["rules"]))
    with options.shared_as(given) as sharing:
        access = Access(given["input_format"], sharing, wanted=given["wanted"])
        evaluation = INCIDENTS.read(inputs, IncidentOptions(), edition, rules, access)
    wanted = kernel.chosen_measures(evaluation, given["wanted"])
    rule = given["on_missing"] or edition.on_missing
    missing = kernel.missing_topics([evaluation.index], rule, evaluation.words)
    told = (*evaluation.caveats(wanted), *missing.warnings)
    return Asked(evaluation, wanted, missing.counted, told, {"missing": rule})


def _topics(evaluation: Followed, given: dict[str, Any]) -> list[str]:
    """The topics to show: those named, or the mean, with `-q` every topic before it."""
    if given["chosen"]:
        return list(dict.fromkeys(given["chosen"]))
    return [*(evaluation.index.topics if given["per_topic"] else ()), ALL_TOPICS]


def _axes(asked: Asked) -> dict[str, MeasureAxis]:
    """How each measure's axis reads."""
    return {
        measure.name: MeasureAxis(
            title=measure.definition.title,
            unit=_unit(measure),
            higher_is_better=measure.definition.higher_is_better,
            pooled=pools(asked.evaluation, measure),
        )
        for measure in asked.measures
    }


def _unit(measure: Measure) -> str:
    """The unit of a measure's values, which a parameter `unit` may name."""
    named = any(parameter.name == "unit" for parameter in measure.definition.parameters)
    plain = all(name == "unit" for name, _ in measure.arguments)
    return str(measure.argument("unit")) if named and plain else ""
