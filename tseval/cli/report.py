"""`tseval report`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tseval.cli import options
from tseval.cli.family_command import record_options
from tseval.cli.options import chained, check_output, deliver, warn
from tseval.cli.progress import progress
from tseval.comparison.plan import Plan, Treatment
from tseval.core import declared as declarations
from tseval.errors import UsageError
from tseval.families.filtering.evaluation import DEFAULT_BATCH, LEVELS, SWEEP
from tseval.families.incidents.options import EVENTS_DRAWN
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.files import SCORE_FORMS
from tseval.reporting.assembling import TITLE, Request, assemble
from tseval.reporting.inputs import FOR_FILTERING, FOR_INCIDENTS, FOR_UPDATES, ReportInputs
from tseval.reporting.page.document import report_page
from tseval.reporting.temporal import PANELS

PAGES = (".html", ".htm", "")
"""The suffixes that a page may have."""
RULES_OF_UPDATES = {
    "ignore_unsampled": "--ignore-unsampled",
    "binary": "--binary",
    "matched_nuggets_only": "--matched-nuggets-only",
    "latency_from": "--latency-from",
}
"""Rules by options of their own, which speak of updates and nuggets alone."""

temporal_options = chained(
    click.option(
        "--updates",
        metavar="FILE",
        multiple=True,
        help="A run's updates, for curves, timelines and redundancy; repeatable. Default: those "
        "that the scores record, if scores are JSON and the files still what they were.",
    ),
    click.option("--nuggets", metavar="FILE", help="The nuggets, with --updates."),
    *record_options(TemporalInputs),
    click.option(
        "--edition", "edition_name", metavar="NAME", help="Whose rules the runs are read by."
    ),
    options.rule_option("ts2014"),
    *record_options(TemporalOptions, "report"),
)
incident_options = chained(
    click.option(
        "--run",
        metavar="FILE",
        multiple=True,
        help="A run of incident streams, for types and trust, or one that filters, for trends; "
        "repeatable.",
    ),
    click.option(
        "--labels", metavar="FILE", multiple=True, help="The labels, with --run; repeatable."
    ),
    click.option("--ontology", metavar="FILE", help="The information types, with --run."),
    click.option(
        "--event",
        "events",
        metavar="NAME",
        multiple=True,
        help=f"An event that the curves of trust show; repeatable. Default: the {EVENTS_DRAWN} "
        "longest.",
    ),
)


filter_options = chained(
    click.option("--truth", metavar="FILE", help="What is right for runs that filter, with --run."),
    click.option(
        "--batch",
        metavar="LENGTH",
        multiple=True,
        help=f"How long a batch lasts; repeatable. Default: {DEFAULT_BATCH}.",
    ),
    click.option(
        "--cutoff",
        metavar="N|sweep",
        help=f"From which confidence on a document is returned. Default: {SWEEP}.",
    ),
    click.option(
        "--level", type=click.Choice(list(LEVELS)), help="What is positive. Default: vital."
    ),
)


@click.command("report")
@click.argument("files", nargs=-1, metavar="SCORES...", type=click.Path(path_type=str))
@click.option("--title", default=TITLE, show_default=True, help="The title of the page.")
@options.measures_named("Default: all that there are. Runs are ordered by the first.")
@click.option(
    "--curve",
    "curves",
    multiple=True,
    metavar="NAME",
    help="A measure whose curve over time is drawn, or several in one quoted string; repeatable. "
    f"Default: the first {PANELS} that have one.",
)
@temporal_options
@incident_options
@filter_options
@chained(*record_options(Plan))
@options.on_missing(
    "Topics that another run has a score for and this one not; zero only where that is the "
    "worst value.",
    Treatment.on_missing,
)
@options.undefined_option
@options.output_option
@options.input_format(SCORE_FORMS, ("scores",), "the files of scores")
@options.engine_options
@options.quiet_option
@options.debug_option
def command(files: tuple[str, ...], **given: Any) -> None:
    """One self-contained page about runs and their scores.

    SCORES are what `tseval score`, or another scoring command, writes with `-q`, as for `tseval
    compare`. The page shows means with intervals and letters, and the score of each topic; with
    runs and nuggets also curves over time, who said what when, redundancy and verbosity. It is
    one file that loads nothing, and can be read without scripts.

    \b
    tseval score mine.tsv theirs.tsv nuggets.tsv --matches matches.tsv -q -o scores.json
    tseval report scores.json -o report.html
    """
    output: Path | None = given["output"]
    check_output(output)
    if not files:
        raise click.UsageError("Give one or more files of scores.")
    if output is not None and output.suffix.lower() not in PAGES:
        raise UsageError(f"{output}: the page is HTML, so name a file .html")
    if output is None and sys.stdout.isatty():
        raise UsageError("a page is not for a terminal: give -o FILE.html")
    request = _request(files, given)
    with options.shared_as(given) as sharing:
        report = assemble(
            replace(request, sharing=sharing), lambda what: progress(what, given["quiet"])
        )
    options.refuse_inputs(output, [each.path for each in report.inputs])
    warn(report.warnings, given["quiet"])
    deliver(report_page(report), output)


def _request(files: tuple[str, ...], given: dict[str, Any]) -> Request:
    """What the options ask for."""
    for name, option in RULES_OF_UPDATES.items():
        if given[name] and not given["updates"]:
            raise UsageError(f"{option} has no meaning without --updates and --nuggets")
    beside = ReportInputs(
        **{name: given[name] for name in NAMED_ALIKE},
        runs=given["run"],
        edition=given["edition_name"],
        rules=declarations.rules(
            options.parted(given["rules"]), declarations.build(TemporalOptions, given)
        ),
    )
    request = Request(
        scores=files,
        measures=given["wanted"],
        treatment=Treatment(given["on_missing"], given["undefined"]),
        plan=declarations.build(Plan, given),
        form=given["input_format"],
        title=given["title"],
        curves=given["curves"],
    )
    return beside.added(request)


NAMED_ALIKE = ("updates", "nuggets", "topics", *FOR_UPDATES, *FOR_INCIDENTS, *FOR_FILTERING)
"""The options that a report knows by the same names."""
