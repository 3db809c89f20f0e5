"""`tseval.score_filtering`: from runs and truth to scores, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from tseval.core.calling import CommonOptions, Where, scored
from tseval.core.family import several
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.scoring import OnMissing
from tseval.families.filtering.family import FAMILY
from tseval.families.filtering.inputs import DEFAULT_BATCH, SWEEP, FilterInputs, FilterOptions
from tseval.families.filtering.metrics import COSTS, EVEN
from tseval.files.columns import Columns, TimeWords
from tseval.files.forms import Forms

if TYPE_CHECKING:
    from tseval.files.reading import Given, Runs
    from tseval.parallel.engine import Engine


def score_filtering(
    runs: Runs,
    truth: Given,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    batch: str | Sequence[str] = DEFAULT_BATCH,
    start: str | float | None = None,
    end: str | float | None = None,
    cutoff: str | float = SWEEP,
    cutoff_step: int | None = None,
    level: str | None = None,
    zeta: float = 1.0,
    f_weights: Sequence[float] = EVEN,
    costs: Sequence[float] = COSTS,
    require_positives: int = 0,
    edition: str = "kenter2015",
    rules: Mapping[str, str] | None = None,
    on_missing: OnMissing | None = None,
    per_topic: bool = True,
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    input_format: Forms = None,
    columns: Columns = None,
    **timing: Unpack[TimeWords],
) -> Scores:
    """Score one or more runs that filter a stream: by batch, over time, as a whole.

    Every table may be a path, `-`, or a pandas frame; the parameters are the options of
    `tseval filter`. `per_topic=False` saves the time for the values of single topics.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    options = FilterOptions(
        batches=(batch,) if isinstance(batch, str) else tuple(batch),
        start=None if start is None else str(start),
        end=None if end is None else str(end),
        cutoff=str(cutoff),
        cutoff_step=cutoff_step,
        level=level,
        zeta=zeta,
        f_weights=tuple(map(float, f_weights)),
        costs=tuple(map(float, costs)),
        require_positives=require_positives,
    )
    return scored(
        FAMILY,
        FilterInputs(several(runs), truth),
        options,
        CommonOptions(
            *(measures, None, edition, rules or {}, on_missing, "skip", input_format, columns),
            times=timing,
            per_topic=per_topic,
        ),
        Where(jobs, engine, scheduler),
    )
