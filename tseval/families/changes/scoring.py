"""`tseval.score_changes`: from daily rankings and their judgments to scores, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tseval.core.calling import CommonOptions, Where, scored
from tseval.core.family import several
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.scoring import OnMissing, Undefined
from tseval.families.changes.evaluation import ChangeInputs, ChangeOptions
from tseval.families.changes.family import FAMILY
from tseval.files.columns import Columns
from tseval.files.forms import Forms

if TYPE_CHECKING:
    from tseval.files.reading import Given, Runs
    from tseval.parallel.engine import Engine


def score_changes(
    runs: Runs,
    qrels: Given,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    topics: Given,
    days: Given | None = None,
    documents: Given | None = None,
    questions: Given | None = None,
    lenient: bool = False,
    edition: str = "changes2026",
    rules: Mapping[str, str] | None = None,
    at: str | Sequence[str] | None = None,
    on_missing: OnMissing | None = None,
    undefined: Undefined = "skip",
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    input_format: Forms = None,
    columns: Columns = None,
) -> Scores:
    """Score one or more runs that rank, day by day, the questions with news and their documents.

    Every table may be a path, `-`, or a pandas frame; `docs/changes.md` lists their columns. The
    parameters are the options of `tseval changes`.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    return scored(
        FAMILY,
        ChangeInputs(several(runs), qrels, topics, days, documents, questions),
        ChangeOptions(lenient),
        CommonOptions(
            measures, at, edition, rules or {}, on_missing, undefined, input_format, columns
        ),
        Where(jobs, engine, scheduler),
    )
