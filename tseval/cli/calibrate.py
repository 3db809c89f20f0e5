"""`tseval calibrate`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tseval.cli import options
from tseval.cli.options import Request
from tseval.cli.output import checked_form, deliver, warn
from tseval.cli.progress import progress
from tseval.cli.tables import sections_table
from tseval.core.declared import build, option, output_option
from tseval.core.input_warnings import shared_runs
from tseval.core.naming import named
from tseval.families.temporal.evaluation import DEFAULT_MATCHER, MATCHER_NAMES, TemporalInputs
from tseval.families.temporal.family import FAMILY
from tseval.families.temporal.matched import INPUTS, read_judged
from tseval.io import PICTURES
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
from tseval.records import frozen
from tseval.reporting.charts.calibration import calibration_picture

FORMS = ("table", "json", "csv", *PICTURES)


@frozen
class CalibrateOptions:
    """Which matchers are calibrated, and where the best of them is kept."""

    names: tuple[str, ...] = option(
        "--matcher",
        f"{MATCHER_NAMES}; repeatable. Its threshold plays no part.",
        default=(DEFAULT_MATCHER,),
        metavar="NAME",
        several=True,
    )
    save: Path | None = output_option(
        "Keep the matcher with the threshold chosen, for `--matcher FILE.json` of other "
        "commands; of several matchers the one with the best F1 on topics left out.",
        forms=(SUFFIX.lstrip("."),),
        metavar="FILE.json",
    )


@options.command(
    "calibrate",
    options.files("UPDATES... NUGGETS MATCHES"),
    options.of_record(CalibrateOptions),
    options.of_record(AskingOptions),
    options.shared("seed"),
    options.result_format(FORMS, "table"),
    options.last(options.formats_of(FAMILY, *INPUTS)),
)
def command(**values: Any) -> None:
    """How far a matcher agrees with assessors, and which threshold to use.

    UPDATES are those that assessors saw; they need no column `time`. MATCHES are the pairs that
    assessors matched, or the review of `tseval match --review` with its verdicts; every other pair
    of a topic counts as none. Several runs are ranked by
    recall, once by the matcher and once by the assessors, and the two rankings compared.

    \b
    tseval calibrate pool.tsv nuggets.tsv matches.tsv --matcher fuzzy --save profile.json
    """
    request, own = Request.of(values), build(CalibrateOptions, values)
    form, files, quiet = checked_form(request, FORMS, "table", own), request.files, request.quiet
    if len(files) < 3:
        raise click.UsageError("Give the updates, then the file of nuggets, then that of matches.")
    inputs = TemporalInputs(files[:-2], files[-2], matches=files[-1])
    inputs, forms = named(inputs, request.naming), request.input_format
    judged = read_judged(inputs.updates, inputs.nuggets, inputs.matches or "", forms)
    warn((*shared_runs(judged.inputs), *judged.warnings), quiet)
    terms = build(AskingOptions, values).terms
    found = []
    with request.where.shared() as sharing:
        for name in dict.fromkeys(own.names):
            with progress(f"calibrating {name}", quiet) as done:
                found.append(calibrate(judged, name, request.seed, done, sharing, terms))
            warn(remarks(found[-1].matcher), quiet)
    line = signature(judged, [answered_name(each) for each in found], request.seed)
    beside = {} if own.save is None else {own.save: _profile(found)}
    agreements = graded_agreements(judged, [each.matcher for each in found])
    content = _content(found, agreements, line, form, to_file=request.output is not None)
    deliver(content, request.output, beside, form=form)


def _content(
    found: Sequence[Calibration],
    agreements: Sequence[GradedAgreement],
    line: str,
    form: str,
    *,
    to_file: bool,
) -> bytes:
    if form == "table":
        shown = sections(found, agreements)
        return sections_table(shown, line, to_file=to_file, notes=notes(found))
    if form == "csv":
        return rows_bytes(tidy(found, agreements), "csv", line)
    if form == "json":
        return records_bytes([record(each, agreements) for each in found], line)
    return calibration_picture(curves(found), line).draw(form)


def _profile(found: Sequence[Calibration]) -> bytes:
    """The best of the matchers with the threshold chosen."""
    best = max(found, key=lambda each: each.left_out["F1"].value)
    numbers = {"topics": list(best.thresholds), **measured(best)}
    return profile_bytes(str(best.calibrated), numbers)
