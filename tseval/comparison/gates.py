"""What requirements ask of intervals: of a mean over topics, or of its change since a baseline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import polars as pl

from tseval.comparison.board import TopicScores, build_board, read_scores, scores_table
from tseval.comparison.findings import estimate_of
from tseval.comparison.plan import ON_SKIP, Plan, Treatment
from tseval.comparison.runs import compare_board
from tseval.core.requirements import Estimate, Quantity
from tseval.core.scores import Scores
from tseval.errors import check_known

OF_BASELINE = " (baseline)"
"""What the runs of a baseline are called beside those of the same name."""


def estimator(
    scores: Scores, baseline: str | None
) -> tuple[Callable[[Quantity, bool], Estimate], list[str]]:
    """Return what estimates a quantity, as it is or minus its baseline's; and warnings.

    The intervals are those of `compare`, over the topics that both have.
    """
    tables, earlier = [scores_table(scores)], []
    if baseline is not None:
        old = read_scores([baseline])
        earlier = sorted(set(old.frame["run"]))
        tables.append(replace(old, frame=old.frame.with_columns(pl.col("run") + OF_BASELINE)))
    undefined = "zero" if scores.undefined_as_zero else "skip"
    treatment = Treatment(ON_SKIP, undefined)
    board = build_board(TopicScores.join(tables), scores.measures, treatment)
    found = compare_board(board, Plan(test="t"))  # the quickest: nobody asks for p values

    def estimate(of: Quantity, has_baseline: bool, /) -> Estimate:
        if has_baseline:
            run = earlier[0] if len(earlier) == 1 else of.run
            check_known("run", run, earlier, f"{baseline}: ")
            of = replace(of, other=(run + OF_BASELINE, of.measure))
        return estimate_of(of, found)

    return estimate, [each for each in board.warnings if "different signatures" in each]
