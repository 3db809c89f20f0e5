"""`tseval curve`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tseval.commands import options
from tseval.commands.options import check_output, deliver, form_of, warn
from tseval.commands.score import prepared
from tseval.curves import curves, frame
from tseval.errors import UsageError
from tseval.evaluation import Evaluation
from tseval.formats.rows import rows_bytes
from tseval.measures import Measure
from tseval.scoring import chosen_measures, cost_trait, missing_topics
from tseval.tables import ALL_TOPICS
from tseval.views.charts import FORMS as PICTURES
from tseval.views.charts import CurveChart, MeasureAxis, draw_curves

FORMS = ("csv", *PICTURES)


@click.command("curve")
@options.runs_and_nuggets
@options.measure_options
@options.matching_options
@options.topics_option
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
@options.quiet_option
@options.debug_option
def command(files: tuple[str, ...], **given: Any) -> None:
    """The same measures as functions of time: CSV, PNG, SVG, PDF or HTML.

    The suffix of -o decides; without it CSV goes to standard output, one row for each time at
    which a measure can change: from just after it on, the measure has this value. Pictures need
    the extra `report`.

    \b
    tseval curve mine.tsv theirs.tsv nuggets.tsv --matches matches.tsv -o curve.html
    """
    output: Path | None = given["output"]
    check_output(output)
    form = form_of(given["form"], output, FORMS, "csv")
    if given["per_topic"] and given["chosen"]:
        raise UsageError("give -q for every topic, or --topic for some, not both")
    evaluation = prepared(files, given)
    wanted = chosen_measures(evaluation, given["wanted"])
    missing = missing_topics(evaluation, given["on_missing"])
    zero = given["undefined"] == "zero"
    topics = _topics(evaluation, given)
    drawn = curves(evaluation, wanted, topics, counted=missing.counted, undefined_as_zero=zero)
    table = frame(list(drawn))
    warn(evaluation.warnings + missing.warnings, given["quiet"])
    traits = cost_trait(evaluation, wanted)
    signature = evaluation.signature(**traits, missing=missing.rule, undefined=given["undefined"])
    if form == "csv":
        deliver(rows_bytes(table, "csv", signature), output)
    else:
        chart = CurveChart(table, signature, given["title"], _axes(wanted))
        deliver(draw_curves(chart, form), output)


def _topics(evaluation: Evaluation, given: dict[str, Any]) -> list[str]:
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
