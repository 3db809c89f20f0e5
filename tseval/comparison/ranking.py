"""Two ways of scoring the same runs, and how far they put them in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval import statistics
from tseval.caveats import listed
from tseval.comparison.board import Board
from tseval.comparison.findings import Findings, Part
from tseval.comparison.plan import Plan
from tseval.comparison.runs import signature, topic_draws
from tseval.errors import UsageError
from tseval.statistics import PERSISTENCE

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray


class Correlation(NamedTuple):
    """One coefficient at one level; None is undefined."""

    measure: str
    other_measure: str
    level: str
    coefficient: str
    runs: int
    topics: int
    value: float | None
    low: float | None
    high: float | None


def correlate_boards(
    board: Board, other: Board, plan: Plan, persistence: float = PERSISTENCE
) -> Findings:
    """How alike two boards rank the runs that both have, over the topics that both have.

    Measures of the same name are held against each other; where the boards share none and have one
    each, these two. Fewer than two runs in common, or nothing to hold against, is a `UsageError`.
    """
    if not 0 < persistence < 1:
        raise UsageError(f"the persistence has to lie between 0 and 1, not {persistence:g}")
    runs = [run for run in board.runs if run in other.runs]
    topics = [topic for topic in board.topics if topic in other.topics]
    if len(runs) < 2 or not topics:
        raise UsageError(
            f"both sides need two runs or more and a topic in common; there: {listed(board.runs)} "
            f"and {listed(other.runs)}"
        )
    draws = np.vstack([np.ones((1, len(topics)), np.int64), topic_draws(topics, plan)])
    rows = [
        row
        for names in _held_against(board, other)
        for row in _correlations(names, (board, other), (runs, topics), draws, plan, persistence)
    ]
    traits = {"against": "|".join(f"{k}={v}" for k, v in other.traits.items())}
    kept = {name: plan.traits()[name] for name in ("alpha", "resamples", "seed")}
    return Findings(
        parts={"correlations": Part.of(Correlation, rows)},
        signature=signature(
            "ranks",
            board.traits,
            {"against": f"({traits['against']})", "persistence": f"{persistence:g}"},
            kept,
        ),
        inputs=board.inputs + other.inputs,
        warnings=(
            *board.warnings,
            *(f"against: {line}" for line in other.warnings),
            *_lost("run", board.runs, other.runs),
            *_lost("topic", board.topics, other.topics),
        ),
    )


def _held_against(board: Board, other: Board) -> list[tuple[str, str]]:
    """Which measure of the one is held against which of the other."""
    shared = [(name, name) for name in board.measures if name in other.measures]
    if shared:
        return shared
    if len(board.measures) == len(other.measures) == 1:
        return [(board.measures[0], other.measures[0])]
    raise UsageError(
        f"no measure is in both: {listed(board.measures)}; and {listed(other.measures)}: "
        "choose with -m"
    )


def _correlations(
    names: tuple[str, str],
    boards: tuple[Board, Board],
    shared: tuple[list[str], list[str]],
    draws: IntArray,
    plan: Plan,
    persistence: float,
) -> Iterator[Correlation]:
    """The coefficients of one measure, at every level, with their intervals."""
    ours, theirs = (
        _shared_values(board, name, *shared) for board, name in zip(boards, names, strict=True)
    )
    found = statistics.rank_correlations(ours, theirs, draws, persistence)
    for (level, coefficient), drawn in found.items():
        low, high = statistics.interval(drawn[1:], plan.level)
        value, *ends = (None if np.isnan(v) else float(v) for v in (drawn[0], low, high))
        yield Correlation(*names, level, coefficient, len(shared[0]), len(shared[1]), value, *ends)


def _shared_values(board: Board, measure: str, runs: list[str], topics: list[str]) -> FloatArray:
    """One measure of the runs on the topics that are shared, higher being better."""
    rows = [board.runs.index(run) for run in runs]
    columns = [board.topics.index(topic) for topic in topics]
    return board.oriented(measure)[np.ix_(rows, columns)]


def _lost(what: str, ours: tuple[str, ...], theirs: tuple[str, ...]) -> Iterator[str]:
    """What only one of both sides has."""
    for side, names, others in (("the scores", ours, theirs), ("--against", theirs, ours)):
        lost = [name for name in names if name not in others]
        if lost:
            yield f"{what}s only in {side}, left out: {listed(lost)}"
