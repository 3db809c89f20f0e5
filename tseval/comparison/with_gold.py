"""`tseval.lead`: runs held against each other by what they say of the gold, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tseval.comparison.findings import Findings
from tseval.comparison.lead import leads
from tseval.comparison.plan import ALPHA, RESAMPLES, Plan
from tseval.comparison.scored_runs import ScoredRuns
from tseval.core.declared import build
from tseval.core.family import Access, several
from tseval.core.naming import Naming
from tseval.core.registry import FIRST, family
from tseval.files.columns import Columns
from tseval.files.forms import Forms

if TYPE_CHECKING:
    from tseval.files.reading import Given


def lead(
    updates: Given | Sequence[Given],
    nuggets: Given,
    matches: Given | None = None,
    matcher: str | None = None,
    *,
    threshold: float | None = None,
    topics: Given | None = None,
    duplicates: Given | None = None,
    pool: Given | None = None,
    corrections: Given | None = None,
    edition: str | None = None,
    rules: Mapping[str, str] | None = None,
    baseline: str | None = None,
    interval: str = Plan.interval,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = 0,
    input_format: Forms = None,
    columns: Columns = None,
) -> Findings:
    """How much earlier each run says the nuggets that both of two say.

    Runs and gold are what `tseval.score` takes; the parameters of the comparison are the options of
    `tseval compare`. The part `leads` has a row for each pair.
    """
    plan = Plan(baseline=baseline, interval=interval, alpha=alpha, resamples=resamples, seed=seed)
    inputs = {
        "updates": several(updates),
        "nuggets": nuggets,
        "matches": matches,
        "topics": topics,
        "duplicates": duplicates,
        "pool": pool,
        "corrections": corrections,
    }
    of = family(FIRST)
    runs = ScoredRuns(
        family=of,
        inputs=build(of.inputs, inputs),
        options=build(of.options, {"matcher": matcher, "threshold": threshold}),
        edition=edition,
        rules=rules or {},
        naming=Naming.of(columns),
        access=Access(input_format),
    )
    return leads(runs.evaluation(), plan)
