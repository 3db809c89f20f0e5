"""`tseval match`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pandas as pd

from tseval.cli import options
from tseval.cli.options import check_output, deliver, form_of, runs_and_gold, warn
from tseval.cli.progress import progress
from tseval.cli.tables import rows_table
from tseval.families.temporal.evaluation import DEFAULT_MATCHER, Evaluation, TemporalInputs, prepare
from tseval.files import TEMPORAL_FORMS
from tseval.files.machine_matches import signed
from tseval.files.rows import ROW_FORMS, rows_bytes
from tseval.matching.matching import EVIDENCE, evidence, get_matcher

if TYPE_CHECKING:
    from matchers import Matcher
    from tseval.parallel.sharing import Sharing


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
@click.option(
    "--pool",
    metavar="FILE",
    help="The updates assessors saw: runs without texts take theirs from there.",
)
@options.format_option(["table", *ROW_FORMS], "tsv")
@options.output_option
@options.input_format(TEMPORAL_FORMS, ("updates", "nuggets", "pool"))
@options.engine_options
@options.resume_option
@options.quiet_option
@options.debug_option
def command(files: tuple[str, ...], **given: Any) -> None:
    """The matches that a matcher finds, one a line, with score and evidence.

    The result is a table of matches that `tseval score --matches` reads. `start` and `end` span
    the matching words in the update's text; `found` are these words of the nugget, `missing` the
    others, and the two weights what each part is worth.
    """
    output: Path | None = given["output"]
    check_output(output)
    form = form_of(given["form"], output, ("table", *ROW_FORMS), "tsv")
    updates, nuggets = runs_and_gold(files)
    sources = TemporalInputs(updates, nuggets, pool=given["pool"], form=given["input_format"])
    frames, signatures = [], []
    with options.shared_as(given) as sharing:
        for name in dict.fromkeys(given["names"]):
            evaluation = _matched(sources, name, sharing, given)
            frames.append(_frame(evaluation, get_matcher(name, given["threshold"]), given))
            signatures.append(evaluation.signature())
            warn(evaluation.warnings, given["quiet"])
    table = pd.concat(frames, ignore_index=True)
    signature = "; ".join(signatures)
    if form == "table":
        own = ["checksum"] if len(given["names"]) > 1 else ["matcher", "checksum"]
        table = table.drop(columns=own)  # for people; no program reads it
        deliver(rows_table(table, signature, to_file=output is not None), output)
    else:
        deliver(rows_bytes(table, form, signature), output)


def _matched(
    sources: TemporalInputs, name: str, sharing: Sharing, given: dict[str, Any]
) -> Evaluation:
    with progress(f"matching by {name}", given["quiet"]) as told:
        return prepare(sources, name, given["threshold"], progress=told, sharing=sharing)


def _frame(evaluation: Evaluation, matcher: Matcher, given: dict[str, Any]) -> pd.DataFrame:
    """The matches with their evidence and their matcher, which goes first if there are several."""
    index = evaluation.index
    rows = evidence(matcher, index.updates, index.nuggets, evaluation.pairs)
    frame = pd.DataFrame(rows, columns=EVIDENCE)
    frame = signed(frame, str(matcher))
    if len(given["names"]) > 1:
        frame.insert(0, "matcher", frame.pop("matcher"))
    return frame
