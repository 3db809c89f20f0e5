"""Two ways of scoring the same runs, and how far they put them in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tseval.comparison.board import Board, check_directions
from tseval.comparison.directions import choose_measures
from tseval.comparison.findings import FindingRows, Findings, or_none
from tseval.comparison.plan import Plan
from tseval.comparison.runs import signature, topic_draws
from tseval.core.wording import count, listed
from tseval.errors import UsageError
from tseval.io.times import written
from tseval.statistics import bootstrap, ranks
from tseval.statistics.ranks import PERSISTENCE


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


def pair_measures(ours: Board, theirs: Board, versus: str | None) -> list[tuple[str, str]]:
    """Return which measure of the one board is held against which of the other."""
    if versus is not None:
        other = choose_measures([versus], theirs.measures)[0]
        return [(name, other) for name in ours.measures]
    shared = [(name, name) for name in ours.measures if name in theirs.measures]
    if not shared and len(ours.measures) == len(theirs.measures) == 1:
        return [(ours.measures[0], theirs.measures[0])]
    if not shared:
        raise UsageError(
            f"no measure is in both: one side has {listed(ours.measures)}, the other "
            f"{listed(theirs.measures)}; choose with -m, or --against-measure"
        )
    return shared


def _warnings(ours: Board, theirs: Board) -> Iterator[str]:
    """What both boards warn of, and what only one of them has."""
    yield from ours.warnings
    yield from (f"against: {line}" for line in theirs.warnings)
    for what in ("runs", "topics"):
        both = getattr(ours, what), getattr(theirs, what)
        for side, names, others in zip(("the scores", "--against"), both, both[::-1], strict=True):
            known = {*others}
            if lost := [name for name in names if name not in known]:
                yield f"{what} only in {side}, left out: {listed(lost)}"


def correlate_boards(
    board: Board,
    other: Board,
    plan: Plan,
    persistence: float = PERSISTENCE,
    versus: str | None = None,
) -> Findings:
    """How alike two boards rank the runs that both have, over the topics that both have.

    Measures of the same name are held against each other, or all against the one named by
    `versus`; where the boards share none and have one each, these two. Fewer than two runs in
    common, or nothing to hold against, is a `UsageError`.
    """
    if not 0 < persistence < 1:
        raise UsageError(f"the persistence has to lie between 0 and 1, not {persistence:g}")
    check_directions(board, other)
    their_runs = {run: at for at, run in enumerate(other.runs)}
    their_topics = {topic: at for at, topic in enumerate(other.topics)}
    rows_of = [at for at, run in enumerate(board.runs) if run in their_runs]
    columns_of = [at for at, topic in enumerate(board.topics) if topic in their_topics]
    runs, topics = [board.runs[at] for at in rows_of], [board.topics[at] for at in columns_of]
    if len(runs) < 2 or not topics:
        held = (f"{count(len(b.topics), 'topic')} of {listed(b.runs)}" for b in (board, other))
        raise UsageError(
            "both sides need two runs or more and a topic in common; one side has "
            f"{next(held)}, the other {next(held)}"
        )
    ours = np.ix_(rows_of, columns_of)
    theirs = np.ix_([their_runs[run] for run in runs], [their_topics[name] for name in topics])
    draws = topic_draws(topics, plan)
    draws = np.vstack([np.ones_like(draws[:1]), draws])  # the first is every topic once
    rows = []
    for names in pair_measures(board, other, versus):
        values = board.oriented(names[0])[ours], other.oriented(names[1])[theirs]
        found = ranks.rank_correlations(*values, draws, persistence)
        for place, drawn in found.items():
            numbers = map(or_none, (drawn[0], *bootstrap.interval(drawn[1:], plan.level)))
            rows.append(Correlation(*names, *place, len(runs), len(topics), *numbers))
    of_other = "|".join(f"{name}={value}" for name, value in other.traits.items())
    traits = {"against": f"({of_other})", "persistence": written(persistence)}
    traits |= {name: plan.traits()[name] for name in ("alpha", "resamples", "seed")}
    return Findings(
        parts={"correlations": FindingRows(Correlation, tuple(rows))},
        signature=signature("ranks", board.traits, traits),
        inputs=board.inputs + other.inputs,
        warnings=tuple(_warnings(board, other)),
    )
