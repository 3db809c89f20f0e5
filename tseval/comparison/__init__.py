"""Which system is better, and how sure are we: runs compared by their scores topic by topic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tseval.comparison.board import Board, TopicScores, build_board, read_scores, scores_table
from tseval.comparison.findings import Comparison, Contest, Findings, RunRank
from tseval.comparison.plan import ALPHA, RESAMPLES, Plan, Treatment
from tseval.comparison.runs import compare_board, correlate_boards, discriminate_board
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.errors import UsageError
from tseval.io.formats import Forms, check_forms, form_for
from tseval.io.given import check_inputs
from tseval.statistics.ranks import PERSISTENCE

if TYPE_CHECKING:
    import pandas as pd

    Given: TypeAlias = str | Path | pd.DataFrame | Scores

__all__ = [
    "Board",
    "Comparison",
    "Contest",
    "Findings",
    "Plan",
    "RunRank",
    "Treatment",
    "compare",
    "correlate",
    "discriminate",
    "read_board",
]


def read_board(
    scores: Given | Sequence[Given],
    measures: Iterable[str | Measure] | str | Measure = (),
    treatment: Treatment | None = None,
    form: Forms = None,
    types: Sequence[str] = (),
) -> Board:
    """The scores of files, frames or calls, put together with what is missing settled.

    `types` are topics that are known to be information types, where the scores don't tell.
    """
    several: Sequence[Given] = scores if isinstance(scores, list | tuple) else [scores]  # type: ignore[list-item]
    if not several:
        raise UsageError("no scores are given")
    check_forms(form, ("scores",))
    parts = [scores_table(each) for each in several if isinstance(each, Scores)]
    files = [each for each in several if not isinstance(each, Scores)]
    check_inputs(files)
    if files:
        parts.append(read_scores(files, form_for(form, "scores")))
    wanted = [measures] if isinstance(measures, str | Measure) else list(measures)
    table = TopicScores.join(parts)
    table = replace(table, types=tuple(dict.fromkeys([*table.types, *types])))
    return build_board(table, [str(each) for each in wanted], treatment)


def compare(
    scores: Given | Sequence[Given],
    measures: Iterable[str | Measure] | str | Measure = (),
    *,
    baseline: str | None = None,
    test: str = Plan.test,
    correction: str = Plan.correction,
    family: str = Plan.family,
    interval: str = Plan.interval,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = 0,
    on_missing: str | None = None,
    undefined: str = Treatment.undefined,
    lower_is_better: Sequence[str] = (),
    higher_is_better: Sequence[str] = (),
    input_format: Forms = None,
) -> Comparison:
    """Compare runs by their scores per topic.

    `scores` are what a scoring call gave, paths of what a scoring command wrote, frames with the
    columns `run topic measure value`, or a list of these. Without measures it is all of them. The
    parameters are the options of `tseval compare`.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    treatment = Treatment(on_missing, undefined, tuple(lower_is_better), tuple(higher_is_better))
    plan = Plan(test, correction, family, interval, alpha, resamples, seed, baseline)
    return compare_board(read_board(scores, measures, treatment, input_format), plan)


def correlate(
    scores: Given | Sequence[Given],
    against: Given | Sequence[Given],
    measures: Iterable[str | Measure] | str | Measure = (),
    *,
    versus: str | None = None,
    persistence: float = PERSISTENCE,
    plan: Plan | None = None,
    treatment: Treatment | None = None,
) -> Findings:
    """How alike two sets of scores rank the same runs: tau-b, tau-AP and rank-biased overlap.

    With `versus` all measures are held against this one of the other set.
    """
    ours = read_board(scores, measures, treatment)
    theirs = read_board(against, measures if versus is None else versus, treatment)
    return correlate_boards(ours, theirs, plan or Plan(), persistence, versus)


def discriminate(
    scores: Given | Sequence[Given],
    measures: Iterable[str | Measure] | str | Measure = (),
    *,
    plan: Plan | None = None,
    treatment: Treatment | None = None,
) -> Findings:
    """How many pairs of runs each measure tells apart, and by which difference."""
    return discriminate_board(read_board(scores, measures, treatment), plan or Plan())
