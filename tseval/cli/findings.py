"""Runs that are scored before they are compared, and what comparisons show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tseval.cli.options import Request
from tseval.cli.output import deliver, warn
from tseval.cli.tables import sections_markdown, sections_table
from tseval.comparison.findings import Findings, sections
from tseval.comparison.with_gold import ScoredRuns
from tseval.core import declared as declarations
from tseval.core.declared import build
from tseval.core.family import Access
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.families.temporal.family import FAMILY
from tseval.parallel.sharing import Sharing

MARKDOWN = "markdown"


def scored_runs(request: Request, values: Mapping[str, Any], sharing: Sharing) -> ScoredRuns:
    """Runs with their gold, and how the command line says that they are scored."""
    options = build(TemporalOptions, values)
    return ScoredRuns(
        family=FAMILY,
        inputs=build(TemporalInputs, values),
        options=options,
        edition=request.edition_name,
        rules=declarations.rules(request.named_rules, options),
        measures=request.wanted,
        at=request.at,
        naming=request.naming,
        access=Access(request.input_format, sharing),
    )


def deliver_findings(found: Findings, form: str, request: Request) -> None:
    """Write findings in the form that is asked for; their warnings are told."""
    warn(found.warnings, request.quiet)
    to_file = request.output is not None
    if form == "table":
        content = sections_table(sections(found), found.signature, to_file=to_file)
    elif form == MARKDOWN:
        content = sections_markdown(sections(found), found.signature)
    else:
        content = found.in_form(form)
    deliver(content, request.output, form=form)
