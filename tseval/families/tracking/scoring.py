"""`tseval.score_values`: from tracked values and their gold to scores, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Unpack

from tseval.core.calling import CommonOptions, Where, scored
from tseval.core.family import several
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.scoring import OnMissing, Undefined
from tseval.families.tracking.family import FAMILY
from tseval.families.tracking.inputs import ValueInputs, ValueOptions
from tseval.files.columns import Columns, TimeWords
from tseval.files.forms import Forms

if TYPE_CHECKING:
    from tseval.files.reading import Given, Runs
    from tseval.parallel.engine import Engine


def score_values(
    runs: Runs,
    gold: Given,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    topics: Given | None = None,
    at: str | Sequence[str] | None = None,
    on_missing: OnMissing = "zero",
    undefined: Undefined = "skip",
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    input_format: Forms = None,
    columns: Columns = None,
    **timing: Unpack[TimeWords],
) -> Scores:
    """Score one or more runs that track values against gold values.

    Every table may be a path, `-`, or a pandas frame with the columns `topic attribute time value`.
    Without measures it is `VT` of every attribute that the gold has.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    return scored(
        FAMILY,
        ValueInputs(several(runs), gold, topics),
        ValueOptions(),
        CommonOptions(measures, at, None, {}, on_missing, undefined, input_format, columns, timing),
        Where(jobs, engine, scheduler),
    )
