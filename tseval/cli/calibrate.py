"""`tseval calibrate`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tseval.cli import options
from tseval.cli.declared_options import input_format, record_options
from tseval.cli.output import check_output, deliver, form_of, warn
from tseval.cli.progress import progress
from tseval.cli.tables import sections_table
from tseval.core.calling import Where
from tseval.core.declared import build
from tseval.core.input_warnings import shared_runs
from tseval.core.naming import Naming, named
from tseval.families.temporal.evaluation import DEFAULT_MATCHER, MATCHER_NAMES, TemporalInputs
from tseval.families.temporal.family import FAMILY
from tseval.families.temporal.matched import INPUTS, read_judged
from tseval.io import PICTURES
from tseval.io.formats import Forms
from tseval.io.rows import records_bytes, rows_bytes
from tseval.matching.asking import AskingOptions, remarks
from tseval.matching.calibration import (
    Calibration,
    GradedAgreement,
    answered_name,
    calibrate,
    curves,
    graded_agreements,
    measured,
    notes,
    record,
    sections,
    signature,
    tidy,
)
from tseval.matching.matching import SUFFIX, profile_bytes
from tseval.reporting.charts.calibration import calibration_picture
from tseval.reporting.charts.drawing import draw

FORMS = ("table", "json", "csv", *PICTURES)


@click.command("calibrate", cls=options.StrictCommand)
@click.argument(
    "files", nargs=-1, metavar="UPDATES... NUGGETS MATCHES", type=click.Path(path_type=str)
)
@click.option(
    "--matcher",
    "names",
    multiple=True,
    default=[DEFAULT_MATCHER],
    show_default=True,
    metavar="NAME",
    help=f"{MATCHER_NAMES}; repeatable. Its threshold plays no part.",
)
@click.option(
    "--save",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.json",
    help="Keep the matcher with the threshold chosen, for `--matcher FILE.json` of other "
    "commands; of several matchers the one with the best F1 on topics left out.",
)
@options.chained(*record_options(AskingOptions))
@options.seed_option
@options.format_option(FORMS, "table")
@options.output_option
@input_format(FAMILY, *INPUTS)
@options.chained(*record_options(Naming))
@options.engine_options
@options.quiet_option
@options.debug_option
def command(
    files: tuple[str, ...],
    names: tuple[str, ...],
    save: Path | None,
    seed: int,
    form: str | None,
    output: Path | None,
    input_format: Forms,
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """How far a matcher agrees with assessors, and which threshold to use.

    UPDATES are those that assessors saw; they need no column `time`. MATCHES are the pairs that
    assessors matched; every other pair of a topic counts as none. Several runs are ranked by
    recall, once by the matcher and once by the assessors, and the two rankings compared.

    \b
    tseval calibrate pool.tsv nuggets.tsv matches.tsv --matcher fuzzy --save profile.json
    """
    for file in (output, save):
        check_output(file)
    form = form_of(form, output, FORMS, "table")
    if len(files) < 3:
        raise click.UsageError("Give the updates, then the file of nuggets, then that of matches.")
    if save is not None and save.suffix.lower() != SUFFIX:
        raise click.UsageError(f"A profile's name ends in {SUFFIX}, or no command will know it.")
    inputs = TemporalInputs(files[:-2], files[-2], matches=files[-1])
    inputs = named(inputs, build(Naming, given))
    judged = read_judged(inputs.updates, inputs.nuggets, inputs.matches or "", input_format)
    warn((*shared_runs(judged.inputs), *judged.warnings), quiet)
    terms = build(AskingOptions, given).terms
    found = []
    with Where(jobs, engine, scheduler).shared() as sharing:
        for name in dict.fromkeys(names):
            with progress(f"calibrating {name}", quiet) as done:
                found.append(calibrate(judged, name, seed, done, sharing, terms))
            warn(remarks(found[-1].matcher), quiet)
    line = signature(judged, [answered_name(each) for each in found], seed)
    beside = {} if save is None else {save: _profile(found)}
    agreements = graded_agreements(judged, [each.matcher for each in found])
    deliver(_content(found, agreements, line, form, output), output, beside, form=form)


def _content(
    found: Sequence[Calibration],
    agreements: Sequence[GradedAgreement],
    line: str,
    form: str,
    output: Path | None,
) -> bytes:
    if form == "table":
        shown, to_file = sections(found, agreements), output is not None
        return sections_table(shown, line, to_file=to_file, notes=notes(found))
    if form == "csv":
        return rows_bytes(tidy(found, agreements), "csv", line)
    if form == "json":
        return records_bytes([record(each, agreements) for each in found], line)
    return draw(calibration_picture(curves(found), line), form)


def _profile(found: Sequence[Calibration]) -> bytes:
    """The best of the matchers with the threshold chosen."""
    best = max(found, key=lambda each: each.left_out["F1"].value)
    numbers = {"topics": list(best.thresholds), **measured(best)}
    return profile_bytes(str(best.calibrated), numbers)
