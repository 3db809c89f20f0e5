"""`tseval.score_responses`: from labels of responses to scores, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from tseval.core.calling import CommonOptions, Where, scored
from tseval.core.family import several
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.scoring import OnMissing, Undefined
from tseval.families.responses.family import FAMILY
from tseval.families.responses.inputs import ResponseInputs, ResponseOptions
from tseval.files.columns import Columns, TimeWords
from tseval.files.forms import Forms

if TYPE_CHECKING:
    from tseval.files.reading import Given, Runs
    from tseval.parallel.engine import Engine


def score_responses(
    files: Runs,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    nuggets: Given | Sequence[Given] | None = None,
    topics: Given | None = None,
    at: str | Sequence[str] | None = None,
    edition: str | None = None,
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
    """Score responses by their graded labels.

    Files may be paths or `-`; a pandas frame is a table of labels `topic nugget_id label`.
    Without measures they are those of the sort of labels that the files hold.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    gold = () if nuggets is None else several(nuggets)
    return scored(
        FAMILY,
        ResponseInputs(several(files), gold, topics),
        ResponseOptions(),
        CommonOptions(
            measures, at, edition, rules or {}, on_missing, undefined, input_format, columns, timing
        ),
        Where(jobs, engine, scheduler),
    )
