"""`tseval.score_crisisfacts`: from collapsed facts and their labels to scores, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tseval.core.calling import CommonOptions, Where, scored
from tseval.core.family import several
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.scoring import OnMissing, Undefined
from tseval.families.crisisfacts.family import FAMILY
from tseval.families.crisisfacts.inputs import CrisisInputs, CrisisOptions
from tseval.files.columns import Columns
from tseval.files.forms import Forms

if TYPE_CHECKING:
    from tseval.files.reading import Given
    from tseval.parallel.engine import Engine


def score_crisisfacts(
    facts: Given | Sequence[Given],
    gold: Given,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    requests: Given | None = None,
    at: str | Sequence[str] | None = None,
    edition: str = "crisisfacts2023",
    rules: Mapping[str, str] | None = None,
    on_missing: OnMissing | None = None,
    undefined: Undefined = "skip",
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    input_format: Forms = None,
    columns: Columns = None,
) -> Scores:
    """Score the runs in collapsed facts by labels, or of 2022 assessed items by gold facts.

    Every table may be a path, `-`, or a pandas frame; `docs/crisisfacts.md` lists their columns.
    The parameters are the options of `tseval crisisfacts`.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    return scored(
        FAMILY,
        CrisisInputs(several(facts), gold, requests),
        CrisisOptions(),
        CommonOptions(
            measures, at, edition, rules or {}, on_missing, undefined, input_format, columns
        ),
        Where(jobs, engine, scheduler),
    )
