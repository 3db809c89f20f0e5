"""`tseval sample`."""

from __future__ import annotations

from typing import Any

from tseval.cli import options
from tseval.cli.options import Request
from tseval.cli.output import check_output, deliver, warn
from tseval.cli.progress import progress
from tseval.core import declared, registry
from tseval.core.declared import build, option
from tseval.core.family import Access
from tseval.core.input_warnings import shared_runs
from tseval.core.naming import named
from tseval.families.temporal.correcting import SAMPLING_MATCHER, draw_sample
from tseval.families.temporal.evaluation import (
    MATCHER_NAMES,
    TemporalEvaluation,
    TemporalInputs,
    TemporalOptions,
)
from tseval.families.temporal.family import FAMILY
from tseval.matching.asking import AskingOptions
from tseval.matching.corrections import FORMS, spreadsheet_bytes, spreadsheet_form
from tseval.matching.sampling import DEPTH, PAIRS
from tseval.records import frozen


@frozen
class SampleOptions:
    """By what nuggets are drawn, how many, and which verdicts stand there already."""

    matcher: str = option(
        f"{MATCHER_NAMES}. By its scores nuggets stand in strata and are read; probabilities "
        "serve best.",
        default=SAMPLING_MATCHER,
        metavar="NAME",
    )
    threshold: float | None = option("The matcher's threshold.")
    pairs: int = option(
        "The most pairs that there may be to judge.", default=PAIRS, metavar="N", at_least=1
    )
    depth: int = option(
        "How many texts of a run are read for a nugget, if none before says it.",
        default=DEPTH,
        metavar="N",
        at_least=1,
    )
    corrections: str | None = option(
        "Verdicts that stand there already: a table `topic update_id nugget_id verdict`, such as "
        "`tseval assess export` writes it.",
        metavar="FILE",
    )


@options.command(
    "sample",
    options.files("UPDATES... NUGGETS"),
    options.of_record(SampleOptions),
    options.of_record(AskingOptions),
    options.by_flag(TemporalInputs)["--pool"],
    options.edition(FAMILY),
    options.rules(FAMILY),
    options.shared("seed"),
    options.last(options.formats_of(FAMILY, "updates", "nuggets", "pool", "corrections")),
)
def command(**values: Any) -> None:
    """Nuggets to judge by hand, with the texts to read, so that scores can be corrected.

    Write accept or reject into the column `verdict`, from the top of each nugget down; below the
    first accept of a run its texts may stay blank. Then `tseval score ... --judged FILE`.

    \b
    tseval sample mine.tsv theirs.tsv nuggets.tsv --pairs 300 -o to_judge.tsv
    """
    request, size = Request.of(values), build(SampleOptions, values)
    check_output(request.output)
    output = request.output
    form = FORMS[1] if output is None else spreadsheet_form(output, "a sample")
    inputs = build(TemporalInputs, values | request.runs_and_gold)
    asked = build(TemporalOptions, values)
    edition = registry.edition(request.edition_name, FAMILY.name)
    rules = declared.rules(request.named_rules, asked)
    with request.where.shared() as sharing, progress("reading", request.quiet) as tell:
        access = Access(request.input_format, sharing, tell)
        inputs = named(inputs, request.naming)
        evaluation = TemporalEvaluation.read(inputs, asked, edition, rules, access)
        found = draw_sample(evaluation, size.pairs, size.depth, tell)
    warn(shared_runs(evaluation.inputs), request.quiet)
    deliver(spreadsheet_bytes(found, form), output)
