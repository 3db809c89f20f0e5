"""`tseval sample`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tseval.cli import options
from tseval.cli.declared_options import (
    edition_option,
    input_format,
    named_options,
    record_options,
    rules_option,
)
from tseval.cli.options import parted, runs_and_gold
from tseval.cli.output import check_output, deliver, warn
from tseval.cli.progress import progress
from tseval.core import declared, registry
from tseval.core.calling import Where
from tseval.core.declared import SCORES, build
from tseval.core.family import Access
from tseval.core.input_warnings import shared_runs
from tseval.core.naming import Naming, named
from tseval.families.temporal.correcting import SAMPLING_MATCHER, draw_sample
from tseval.families.temporal.evaluation import (
    MATCHER_NAMES,
    TemporalEvaluation,
    TemporalInputs,
    TemporalOptions,
)
from tseval.families.temporal.family import FAMILY
from tseval.io.formats import Forms
from tseval.matching.asking import AskingOptions
from tseval.matching.corrections import FORMS, spreadsheet_bytes, spreadsheet_form
from tseval.matching.sampling import DEPTH, PAIRS

FILES = named_options(TemporalInputs, SCORES)
"""The files of `score` that can change what is read, by their flags."""
known_pairs = click.option(
    "--corrections",
    metavar="FILE",
    help="Verdicts that stand there already: a table `topic update_id nugget_id verdict`, such as "
    "`tseval assess export` writes it.",
)


@click.command("sample", cls=options.StrictCommand)
@options.runs_and_nuggets
@click.option(
    "--matcher",
    default=SAMPLING_MATCHER,
    show_default=True,
    metavar="NAME",
    help=f"{MATCHER_NAMES}. By its scores nuggets stand in strata and are read; probabilities "
    "serve best.",
)
@click.option("--threshold", type=float, help="The matcher's threshold.")
@options.chained(*record_options(AskingOptions))
@click.option(
    "--pairs",
    type=click.IntRange(min=1),
    default=PAIRS,
    show_default=True,
    metavar="N",
    help="The most pairs that there may be to judge.",
)
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    default=DEPTH,
    show_default=True,
    metavar="N",
    help="How many texts of a run are read for a nugget, if none before says it.",
)
@options.chained(FILES["--pool"], known_pairs, edition_option(FAMILY), *rules_option(FAMILY))
@options.seed_option
@options.output_option
@input_format(FAMILY, "updates", "nuggets", "pool", "corrections")
@options.chained(*record_options(Naming))
@options.engine_options
@options.quiet_option
@options.debug_option
def command(
    files: tuple[str, ...],
    matcher: str,
    threshold: float | None,
    pairs: int,
    depth: int,
    pool: str | None,
    corrections: str | None,
    edition_name: str,
    rules: tuple[str, ...],
    seed: int,
    output: Path | None,
    input_format: Forms,
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Nuggets to judge by hand, with the texts to read, so that scores can be corrected.

    Write yes or no into the column `verdict`, from the top of each nugget down; below the first
    yes of a run its texts may stay blank. Then `tseval score ... --judged FILE`.

    \b
    tseval sample mine.tsv theirs.tsv nuggets.tsv --pairs 300 -o to_judge.tsv
    """
    check_output(output)
    form = FORMS[1] if output is None else spreadsheet_form(output, "a sample")
    updates, nuggets = runs_and_gold(files)
    inputs = TemporalInputs(updates, nuggets, pool=pool, corrections=corrections)
    inputs = named(inputs, build(Naming, given))
    asked = TemporalOptions(matcher, threshold, seed=seed, **vars(build(AskingOptions, given)))
    edition, own = registry.edition(edition_name, FAMILY.name), declared.rules(parted(rules), asked)
    with Where(jobs, engine, scheduler).shared() as sharing, progress("reading", quiet) as tell:
        access = Access(input_format, sharing, tell)
        evaluation = TemporalEvaluation.read(inputs, asked, edition, own, access)
        found = draw_sample(evaluation, pairs, depth, tell)
    warn(shared_runs(evaluation.inputs), quiet)
    deliver(spreadsheet_bytes(found, form), output)
