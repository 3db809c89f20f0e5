"""`tseval sweep`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tseval.cli import options
from tseval.cli.declared_options import input_format, record_options
from tseval.cli.family_command import drawn
from tseval.cli.options import parted, runs_and_gold
from tseval.cli.output import check_output, deliver, form_of, warn
from tseval.cli.progress import progress
from tseval.cli.tables import sections_markdown, sections_table
from tseval.comparison.frames import sections
from tseval.comparison.plan import Plan, Treatment
from tseval.comparison.sweep import Sweep, Tried, sweep_runs
from tseval.comparison.with_gold import ScoredRuns
from tseval.core import declared as declarations
from tseval.core.calling import Where
from tseval.core.declared import SWEEP, build
from tseval.core.family import Access
from tseval.core.naming import Naming
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.families.temporal.family import FAMILY
from tseval.families.temporal.rules import DRAFT
from tseval.io import PICTURES
from tseval.io.rows import ROW_FORMS

MARKDOWN = "markdown"
FORMS = ("table", *ROW_FORMS, MARKDOWN, *PICTURES)


@click.command("sweep", cls=options.StrictCommand)
@options.runs_and_nuggets
@options.measures_named("See `tseval measures`. Default: those of the edition.")
@click.option("--edition", default=DRAFT.name, show_default=True, help="Whose rules.")
@click.option("--at", multiple=True, metavar="TIME", help="Score at this time too; repeatable.")
@options.chained(*record_options(Tried))
@options.chained(*record_options(TemporalInputs, SWEEP), *record_options(TemporalOptions, SWEEP))
@options.rule_option("ts2014")
@options.missing_option
@options.undefined_option
@options.chained(*record_options(Plan, SWEEP))
@options.format_option(FORMS, "table")
@options.output_option
@input_format(
    FAMILY, "updates", "nuggets", "matches", "topics", "duplicates", "pool", "corrections"
)
@options.chained(*record_options(Naming))
@options.engine_options
@options.quiet_option
@options.debug_option
def command(files: tuple[str, ...], **given: Any) -> None:
    """Whether the order of runs holds over matchers and thresholds.

    The runs are scored, and compared, by every matcher at every threshold, and by --matches too if
    they are given. A table shows the means and the best run at each, then for every pair how
    often one is ahead, and how often the test tells the two apart. A warning names the measures
    whose best run depends on the matcher. With -o and the suffix of a picture, a chart.

    \b
    tseval sweep mine.tsv theirs.tsv nuggets.tsv -m 'R T' -o sweep.html
    """
    output: Path | None = given["output"]
    check_output(output)
    form = form_of(given["form"], output, FORMS, "table")
    updates, nuggets = runs_and_gold(files)
    own = build(TemporalOptions, given | {"matcher": None, "threshold": None})
    treatment = Treatment(given["on_missing"], given["undefined"])
    with build(Where, given).shared() as sharing, progress("sweeping", given["quiet"]) as tell:
        runs = ScoredRuns(
            family=FAMILY,
            inputs=build(TemporalInputs, given | {"updates": updates, "nuggets": nuggets}),
            options=own,
            edition=given["edition"],
            rules=declarations.rules(parted(given["rules"]), own),
            measures=given["wanted"],
            at=given["at"],
            naming=build(Naming, given),
            access=Access(given["input_format"], sharing),
        )
        found = sweep_runs(runs, build(Tried, given), build(Plan, given), treatment, tell)
    warn(found.warnings, given["quiet"])
    deliver(content(found, form, to_file=output is not None), output, form=form)


def content(found: Sweep, form: str, *, to_file: bool) -> bytes:
    """The sweep in the form that is asked for."""
    if form in PICTURES:
        return drawn(found.plot(), form)
    if form == "table":
        return sections_table(sections(found), found.signature, to_file=to_file)
    if form == MARKDOWN:
        return sections_markdown(sections(found), found.signature)
    return found.in_form(form)
