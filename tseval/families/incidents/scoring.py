"""`tseval.score_incidents`: from runs and labels to scores, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from tseval.core.calling import CommonOptions, Where, scored
from tseval.core.family import several
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.scoring import OnMissing
from tseval.errors import UsageError
from tseval.families.incidents.family import FAMILY
from tseval.families.incidents.inputs import IncidentInputs, IncidentOptions
from tseval.files.columns import Columns, TimeWords
from tseval.files.forms import Forms

if TYPE_CHECKING:
    from tseval.files.given import Given, Runs
    from tseval.parallel.engine import Engine


def score_incidents(
    runs: Runs,
    labels: Given | Sequence[Given],
    ontology: str | Path,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    edition: str = "note",
    topics: str | None = None,
    epochs: str | Path | None = None,
    rules: Mapping[str, str] | None = None,
    actionable: Sequence[str] = (),
    threshold: float | None = None,
    alpha: float | None = None,
    lambda_: float | None = None,
    entries: Sequence[str] = (),
    at: str | Sequence[str] | None = None,
    on_missing: OnMissing | None = None,
    seed: int = 0,
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    input_format: Forms = None,
    columns: Columns = None,
    **timing: Unpack[TimeWords],
) -> Scores:
    """Score one or more runs against assessors' labels of posts.

    Runs and labels may be paths, `-`, or pandas frames, in any form that `docs/incidents.md`
    lists; the parameters are the options of `tseval incidents`. The topics of the scores are the
    events, and the information types for the measures that have values of types.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    if not several(labels):
        raise UsageError("no labels are given: name at least one file")
    first, *more = several(labels)
    return scored(
        FAMILY,
        IncidentInputs(several(runs), first, ontology, more, topics, epochs),
        IncidentOptions(actionable, entries, threshold, alpha, lambda_, seed),
        CommonOptions(
            measures, at, edition, rules or {}, on_missing, "skip", input_format, columns, timing
        ),
        Where(jobs, engine, scheduler),
    )
