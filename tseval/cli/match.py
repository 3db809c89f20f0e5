"""`tseval match`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pandas as pd

from tseval.cli import options
from tseval.cli.declared_options import input_format, record_options
from tseval.cli.options import runs_and_gold
from tseval.cli.output import check_output, deliver, form_of, warn
from tseval.cli.progress import progress
from tseval.cli.tables import rows_table
from tseval.core.calling import Where
from tseval.core.declared import build
from tseval.core.family import Access
from tseval.core.naming import Naming, named
from tseval.errors import UsageError
from tseval.families.temporal.editions import DRAFT
from tseval.families.temporal.evaluation import TemporalEvaluation, read
from tseval.families.temporal.family import FAMILY
from tseval.families.temporal.inputs import DEFAULT_MATCHER, TemporalInputs, TemporalOptions
from tseval.files.forms import Forms
from tseval.files.machine_matches import signed
from tseval.files.rows import ROW_FORMS, rows_bytes
from tseval.matching.asking import AskingOptions
from tseval.matching.matching import EVIDENCE, evidence, get_matcher

if TYPE_CHECKING:
    from matchers import Matcher

ASSESSED = "assessed"
GRADE = "grade"
"""The column with what a score is called, where a matcher has names for its scores."""
NOTHING_TO_FIND = (
    "assessed matches are in a file already, there is nothing to find: name another matcher, such "
    "as fuzzy, or give the file to `tseval score --matches`"
)


@click.command("match")
@options.runs_and_nuggets
@click.option(
    "--matcher",
    "names",
    multiple=True,
    default=[DEFAULT_MATCHER],
    show_default=True,
    metavar="NAME",
    help="A matcher, such as `fuzzy(threshold=0.6)`; repeatable: a column then says which.",
)
@click.option("--threshold", type=float, help="The threshold of every matcher.")
@options.chained(*record_options(AskingOptions))
@click.option(
    "--pool",
    metavar="FILE",
    help="The updates assessors saw: runs without texts take theirs from there.",
)
@options.format_option(["table", *ROW_FORMS], "tsv")
@options.output_option
@input_format(FAMILY, "updates", "nuggets", "pool")
@options.chained(*record_options(Naming))
@options.engine_options
@options.resume_option
@options.quiet_option
@options.debug_option
def command(
    files: tuple[str, ...],
    names: tuple[str, ...],
    threshold: float | None,
    pool: str | None,
    form: str | None,
    output: Path | None,
    input_format: Forms,
    columns: tuple[str, ...],
    column_file: str | None,
    run_names: tuple[str, ...],
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    resume: bool,
    quiet: bool,
    **asking: Any,
) -> None:
    """The matches that a matcher finds, one a line, with score and evidence.

    The result is a table of matches that `tseval score --matches` reads. `start` and `end` span
    the matching words in the update's text; `found` are these words of the nugget, `missing` the
    others, and the two weights what each part is worth.
    """
    check_output(output)
    form = form_of(form, output, ("table", *ROW_FORMS), "tsv")
    updates, nuggets = runs_and_gold(files)
    naming = Naming(columns, column_file, run_names)
    inputs = named(TemporalInputs(updates, nuggets, pool=pool), naming)
    terms = build(AskingOptions, asking)
    rows: list[dict[str, Any]] = []
    signatures = []
    graded = False
    with Where(jobs, engine, scheduler, resume).shared() as sharing:
        for name in dict.fromkeys(names):
            if name == ASSESSED:
                raise UsageError(NOTHING_TO_FIND)
            with progress(f"matching by {name}", quiet) as tell:
                access = Access(input_format, sharing, tell)
                asked = TemporalOptions(name, threshold, **vars(terms))
                evaluation = read(inputs, asked, DRAFT, {}, access)
            matcher = get_matcher(name, threshold, terms.terms)
            graded = graded or bool(matcher.grades)
            rows += _rows(evaluation, matcher)
            signatures.append(evaluation.signature())
            warn(evaluation.told, quiet)
    grade = [GRADE] if graded else []
    table = pd.DataFrame(rows, columns=(*EVIDENCE, *grade, "matcher", "checksum"))
    if len(signatures) > 1:
        table.insert(0, "matcher", table.pop("matcher"))
    signature = "; ".join(signatures)
    if form == "table":
        own = ["checksum"] if len(signatures) > 1 else ["matcher", "checksum"]
        table = table.drop(columns=own)  # for people; no program reads it
        deliver(rows_table(table, signature, to_file=output is not None), output)
    else:
        deliver(rows_bytes(table, form, signature), output)


def _rows(evaluation: TemporalEvaluation, matcher: Matcher) -> Iterator[dict[str, Any]]:
    """The matches with their evidence and their matcher."""
    index = evaluation.index
    rows = list(evidence(matcher, index.updates, index.nuggets, evaluation.pairs))
    for row in rows if matcher.grades else ():
        row[GRADE] = matcher.grades.get(float(row["score"] or 0), "")
    return signed(rows, str(matcher))
