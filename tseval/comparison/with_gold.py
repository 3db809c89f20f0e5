"""`tseval.lead` and `tseval.sweep`: runs held against each other by what they say of the gold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from tseval.comparison.findings import Findings
from tseval.comparison.lead import leads
from tseval.comparison.plan import ALPHA, RESAMPLES, Plan, Treatment
from tseval.comparison.scored_runs import ScoredRuns
from tseval.comparison.sweep import Sweep, Tried
from tseval.comparison.sweep import sweep as sweep_runs
from tseval.core.declared import build
from tseval.core.family import Access, asked_for, several
from tseval.core.measure import Measure
from tseval.core.naming import Naming
from tseval.core.registry import FIRST, family
from tseval.io.columns import Columns, TimeWords
from tseval.io.formats import Forms
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.given import Given, Runs


@frozen
class GoldFiles:
    """Runs, and the gold that they are held against, as a caller gives them."""

    updates: Runs
    nuggets: Given
    matches: Given | None
    topics: Given | None
    duplicates: Given | None
    pool: Given | None
    corrections: Given | None

    def runs(
        self,
        edition: str | None,
        rules: Mapping[str, str] | None,
        input_format: Forms,
        naming: Naming,
        matcher: str | None = None,
        threshold: float | None = None,
    ) -> ScoredRuns:
        """The runs, to be scored by an edition and by a matcher where there are no matches."""
        of = family(FIRST)
        return ScoredRuns(
            family=of,
            inputs=build(of.inputs, vars(self) | {"updates": several(self.updates)}),
            options=build(of.options, {"matcher": matcher, "threshold": threshold}),
            edition=edition,
            rules=rules or {},
            naming=naming,
            access=Access(input_format),
        )


def lead(
    updates: Runs,
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
    **timing: Unpack[TimeWords],
) -> Findings:
    """How much earlier each run says the nuggets that both of two say.

    Runs and gold are what `tseval.score` takes; the parameters of the comparison are the options of
    `tseval compare`. The part `leads` has a row for each pair.
    """
    plan = Plan(baseline=baseline, interval=interval, alpha=alpha, resamples=resamples, seed=seed)
    files = GoldFiles(updates, nuggets, matches, topics, duplicates, pool, corrections)
    naming = Naming.of(columns, timing)
    runs = files.runs(edition, rules, input_format, naming, matcher, threshold)
    return leads(runs.evaluation(), plan)


def sweep(
    updates: Runs,
    nuggets: Given,
    matches: Given | None = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    matchers: str | Sequence[str] = (),
    thresholds: float | Sequence[float] = (),
    topics: Given | None = None,
    duplicates: Given | None = None,
    pool: Given | None = None,
    corrections: Given | None = None,
    at: str | Sequence[str] | None = None,
    edition: str | None = None,
    rules: Mapping[str, str] | None = None,
    on_missing: str | None = None,
    undefined: str = Treatment.undefined,
    plan: Plan | None = None,
    input_format: Forms = None,
    columns: Columns = None,
    **timing: Unpack[TimeWords],
) -> Sweep:
    """Whether the order of runs, and their differences, hold over matchers and thresholds.

    Runs and gold are what `tseval.score` takes; `matches`, if there are any, are tried first. The
    parameters are the options of `tseval sweep`, those of the comparison in a
    `tseval.comparison.Plan`. The parts are `orders`, `pairs` and `means`.
    """
    files = GoldFiles(updates, nuggets, matches, topics, duplicates, pool, corrections)
    runs = files.runs(edition, rules, input_format, Naming.of(columns, timing))
    runs = replace(runs, measures=tuple(asked_for(measures)), at=tuple(several(at or ())))
    tried = Tried(tuple(several(matchers)), tuple(several(thresholds)))
    return sweep_runs(runs, tried, plan or Plan(), Treatment(on_missing, undefined))
