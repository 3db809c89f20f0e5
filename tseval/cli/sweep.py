"""`tseval sweep`."""

from __future__ import annotations

from typing import Any

from tseval.cli import options
from tseval.cli.findings import MARKDOWN, deliver_findings, scored_runs
from tseval.cli.options import Request
from tseval.cli.output import checked_form
from tseval.cli.progress import progress
from tseval.comparison.plan import Plan, Treatment
from tseval.comparison.sweep import Tried, sweep_runs
from tseval.core.declared import SWEEP, build
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.families.temporal.family import FAMILY
from tseval.families.temporal.rules import DRAFT
from tseval.io import PICTURES
from tseval.io.rows import ROW_FORMS

FORMS = ("table", *ROW_FORMS, MARKDOWN, *PICTURES)
INPUTS = ("updates", "nuggets", "matches", "topics", "duplicates", "pool", "corrections")


@options.command(
    "sweep",
    options.files("UPDATES... NUGGETS"),
    options.shared("wanted", "See `tseval measures`. Default: those of the edition."),
    options.shared("edition_name", "Whose rules.", default=DRAFT.name),
    options.shared("at", "Score at this time too; repeatable."),
    options.of_record(Tried),
    options.of_record(TemporalInputs, SWEEP),
    options.of_record(TemporalOptions, SWEEP),
    options.rule("ts2014"),
    options.shared("on_missing", options.MISSING_TOPICS),
    options.shared("undefined"),
    options.of_record(Plan, SWEEP),
    options.result_format(FORMS, "table"),
    options.last(options.formats_of(FAMILY, *INPUTS)),
)
def command(**values: Any) -> None:
    """Whether the order of runs holds over matchers and thresholds.

    The runs are scored, and compared, by every matcher at every threshold, and by --matches too if
    they are given. A table shows the means and the best run at each, then for every pair how
    often one is ahead, and how often the test tells the two apart. A warning names the measures
    whose best run depends on the matcher. With -o and the suffix of a picture, a chart.

    \b
    tseval sweep mine.tsv theirs.tsv nuggets.tsv -m 'R T' -o sweep.html
    """
    request = Request.of(values)
    form = checked_form(request, FORMS, "table")
    with request.where.shared() as sharing, progress("sweeping", request.quiet) as tell:
        runs = scored_runs(request, values | request.runs_and_gold, sharing)
        plan, treatment = build(Plan, values), build(Treatment, values)
        found = sweep_runs(runs, build(Tried, values), plan, treatment, tell)
    deliver_findings(found, form, request)
