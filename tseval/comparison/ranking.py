"""Two ways of scoring the same runs, and how far they put them in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval import statistics
from tseval.comparison.board import Board, check_directions
from tseval.comparison.directions import wanted_measures
from tseval.comparison.findings import FindingRows, Findings, or_none
from tseval.comparison.plan import Plan
from tseval.comparison.runs import signature, topic_draws
from tseval.core.wording import count, listed
from tseval.errors import UsageError
from tseval.files.limits import ORDERS, shown
from tseval.records import frozen
from tseval.statistics import PERSISTENCE
from tseval.tables.times import written

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray


def _check_orders(runs: int, topics: int) -> None:
    """Refuse to hold each run on each topic against all topics, where they are too many."""
    if runs * topics**2 > ORDERS.most:
        raise UsageError(
            f"{count(runs, 'run')}, on each of {topics:,} topics held against those on all others, "
            f"are more than {shown(ORDERS.most)} pairs, the limit '{ORDERS.name}'; {ORDERS.cure}"
        )


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


def _held(board: Board) -> str:
    return f"{count(len(board.topics), 'topic')} of {listed(board.runs)}"


def _both(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, ...]:
    """The names of the one side that the other has, too."""
    known = {*theirs}
    return tuple(name for name in ours if name in known)


def _places(names: Sequence[str], among: Sequence[str]) -> list[int]:
    """Where names stand."""
    place = {name: at for at, name in enumerate(among)}
    return [place[name] for name in names]


@frozen(eq=False)
class Sides:
    """Two boards, and the runs and topics that both have."""

    ours: Board
    theirs: Board
    runs: tuple[str, ...]
    topics: tuple[str, ...]

    @classmethod
    def of(cls, ours: Board, theirs: Board) -> Sides:
        """Put them together; fewer than two runs, or no topic, in common is a `UsageError`."""
        runs, topics = _both(ours.runs, theirs.runs), _both(ours.topics, theirs.topics)
        if len(runs) < 2 or not topics:
            raise UsageError(
                "both sides need two runs or more and a topic in common; one side has "
                f"{_held(ours)}, the other {_held(theirs)}"
            )
        return cls(ours, theirs, runs, topics)

    def measures(self, versus: str | None) -> list[tuple[str, str]]:
        """Which measure of the one is held against which of the other."""
        ours, theirs = self.ours.measures, self.theirs.measures
        if versus is not None:
            return [(name, wanted_measures([versus], theirs)[0]) for name in ours]
        shared = [(name, name) for name in ours if name in theirs]
        if shared:
            return shared
        if len(ours) == len(theirs) == 1:
            return [(ours[0], theirs[0])]
        raise UsageError(
            f"no measure is in both: one side has {listed(ours)}, the other {listed(theirs)}; "
            "choose with -m, or --against-measure"
        )

    def values(self, measure: str, other: str) -> tuple[FloatArray, FloatArray]:
        """Both measures of the runs on the topics, higher being better."""
        return self._shared(self.ours, measure), self._shared(self.theirs, other)

    def _shared(self, board: Board, measure: str) -> FloatArray:
        rows, columns = _places(self.runs, board.runs), _places(self.topics, board.topics)
        return board.oriented(measure)[np.ix_(rows, columns)]

    def warnings(self) -> Iterator[str]:
        """What both boards warn of, and what only one of them has."""
        yield from self.ours.warnings
        yield from (f"against: {line}" for line in self.theirs.warnings)
        for what, ours, theirs in (
            ("runs", self.ours.runs, self.theirs.runs),
            ("topics", self.ours.topics, self.theirs.topics),
        ):
            for side, names, others in (("the scores", ours, theirs), ("--against", theirs, ours)):
                known = {*others}
                lost = [name for name in names if name not in known]
                if lost:
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
    sides = Sides.of(board, other)
    _check_orders(len(sides.runs), len(sides.topics))
    draws = topic_draws(sides.topics, plan)
    draws = np.vstack([np.ones_like(draws[:1]), draws])
    rows = []
    for names in sides.measures(versus):
        found = statistics.rank_correlations(*sides.values(*names), draws, persistence)
        for place, drawn in found.items():
            rows.append(_correlation(names, place, sides, drawn, plan))
    theirs = "|".join(f"{name}={value}" for name, value in other.traits.items())
    traits = {"against": f"({theirs})", "persistence": written(persistence)}
    traits |= {name: plan.traits()[name] for name in ("alpha", "resamples", "seed")}
    return Findings(
        parts={"correlations": FindingRows.of(Correlation, rows)},
        signature=signature("ranks", board.traits, traits),
        inputs=board.inputs + other.inputs,
        warnings=tuple(sides.warnings()),
    )


def _correlation(
    names: tuple[str, str], place: tuple[str, str], sides: Sides, drawn: FloatArray, plan: Plan
) -> Correlation:
    """One coefficient at one level; the first of the draws is every topic once."""
    low, high = statistics.interval(drawn[1:], plan.level)
    numbers = map(or_none, (drawn[0], low, high))
    return Correlation(*names, *place, len(sides.runs), len(sides.topics), *numbers)
