"""`tseval.score_timelines`: from timelines and their references to scores, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from tseval.core.calling import CommonOptions, Where, scored
from tseval.core.family import several
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.scoring import OnMissing, Undefined
from tseval.families.timelines.family import FAMILY
from tseval.families.timelines.inputs import TimelineInputs, TimelineOptions
from tseval.files.columns import Columns, TimeWords
from tseval.files.forms import Forms

if TYPE_CHECKING:
    from tseval.files.reading import Given, Runs
    from tseval.parallel.engine import Engine


def score_timelines(
    runs: Runs,
    gold: Given | Sequence[Given],
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    at: str | Sequence[str] | None = None,
    edition: str = "tilse",
    rules: Mapping[str, str] | None = None,
    on_missing: OnMissing | None = None,
    undefined: Undefined = "skip",
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    input_format: Forms = None,
    columns: Columns = None,
    **timing: Unpack[TimeWords],
) -> Scores:
    """Score the timelines of one or more systems against all reference timelines of each topic.

    Each file may be a path, `-`, or a pandas frame with the columns `topic date text`;
    `docs/timelines.md` has the other forms. The parameters are the options of `tseval timelines`.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    first, *others = several(gold)
    return scored(
        FAMILY,
        TimelineInputs(several(runs), first, tuple(others)),
        TimelineOptions(),
        CommonOptions(
            measures, at, edition, rules or {}, on_missing, undefined, input_format, columns, timing
        ),
        Where(jobs, engine, scheduler),
    )
