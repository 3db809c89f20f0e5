"""Whether the judgments could have scored a run that was not there when they were made.

A run, or all runs of a team, is scored as if it had not been judged: without the judgments that it
alone contributed. Which these are is for the family of the runs to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tseval.comparison.board import Board, check_directions
from tseval.comparison.findings import FindingRows, Findings, or_none
from tseval.comparison.plan import Treatment
from tseval.comparison.runs import NOISE, signature
from tseval.comparison.with_gold import ScoredRuns
from tseval.core.wording import listed
from tseval.errors import UsageError, check_choice
from tseval.io.names import natural_order
from tseval.parallel.sharing import Progress
from tseval.statistics.ranks import kendall, known_means, tau_ap


class MeanAndRank(NamedTuple):
    """A run's mean and rank."""

    mean: float
    rank: int


LEFT_OUT = ("run", "team")
TEAM_END = "-"
"""A run's team is what stands before the first of these in its name."""


class Moved(NamedTuple):
    """A run's mean and rank with all judgments, and without those that it or its team brought.

    `up` is how many ranks it gains; None is undefined.
    """

    measure: str
    left_out: str
    run: str
    mean: float | None
    mean_without: float | None
    change: float | None
    rank: int | None
    rank_without: int | None
    up: int | None


class Contribution(NamedTuple):
    """What was left out, and how the ranking of all runs bears it.

    Of all `matches` so many were `lost`, with so many `nuggets` that nobody else had said.
    `largest_move` is how many ranks any run moves.
    """

    measure: str
    left_out: str
    runs: int
    matches: int
    lost: int
    nuggets: int
    tau_b: float | None
    tau_ap: float | None
    largest_move: int


class Reusability(NamedTuple):
    """All that were left out, by one measure.

    `bias` is the mean change of a run that is left out, `change` the mean size of it and
    `largest_change` the largest; `up` and `down` are the most ranks that one of them gains or
    loses.
    """

    measure: str
    runs: int
    bias: float | None
    change: float | None
    largest_change: float | None
    up: int
    down: int
    least_tau_b: float | None


def teams_of(
    runs: Sequence[str], by: str, named: Mapping[str, str] | None = None
) -> dict[str, list[str]]:
    """The runs that are left out together, by what they are called, in natural order.

    By team it is the table's team, else the part of the name before the first `-`.
    """
    check_choice("left out", by, LEFT_OUT)
    named = named or {}
    together: dict[str, list[str]] = {}
    for run in runs:
        team = run if by == "run" else named.get(run, run.partition(TEAM_END)[0] or run)
        together.setdefault(team, []).append(run)
    return {team: together[team] for team in natural_order(together)}


def leave_out(
    scored: ScoredRuns,
    by: str,
    treatment: Treatment,
    teams: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Findings:
    """Leave out one run, or one team, after the other, and score them all again each time.

    Fewer than two runs or teams, or no assessors' matches, is a `UsageError`.
    """
    judgments = scored.judgments()
    everyone = scored.board_of(judgments.evaluation(), treatment)
    check_directions(everyone)
    teams_of_runs = teams_of(everyone.runs, by, teams)
    if len(teams_of_runs) < 2:
        raise UsageError(f"leaving a {by} out needs at least two of them: {listed(everyone.runs)}")
    moved: list[Moved] = []
    contributed: list[Contribution] = []
    for place, (name, runs) in enumerate(teams_of_runs.items()):
        evaluation, lost = judgments.without(runs)
        rest = scored.board_of(evaluation, treatment)
        for measure in everyone.measures:
            before, after = means_and_ranks(everyone, measure), means_and_ranks(rest, measure)
            moved += [_moved(measure, name, run, before.get(run), after.get(run)) for run in runs]
            is_higher_better = everyone.higher_is_better(measure)
            robustness = _robustness(before, after, 1 if is_higher_better else -1)
            gone = lost.matches, lost.lost, lost.nuggets
            contributed.append(Contribution(measure, name, len(runs), *gone, *robustness))
        if progress:
            progress(place + 1, len(teams_of_runs))
    named = ";".join(f"{team}={','.join(own)}" for team, own in teams_of_runs.items())
    traits = {"teams": named} if by == "team" else {}
    strangers = sorted(set(teams or {}) - set(everyone.runs))
    warnings = [f"teams of runs that are not here: {listed(strangers)}"] if strangers else []
    return Findings(
        parts={
            "reusability": FindingRows(Reusability, tuple(_summed_up(moved, contributed))),
            "runs": FindingRows(Moved, tuple(moved)),
            "left_out": FindingRows(Contribution, tuple(contributed)),
        },
        signature=signature(f"leave-{by}-out", everyone.traits, traits),
        inputs=everyone.inputs,
        warnings=(*everyone.warnings, *warnings),
    )


def _moved(
    measure: str, left_out: str, run: str, before: MeanAndRank | None, after: MeanAndRank | None
) -> Moved:
    mean, rank = before or (None, None)
    mean_without, rank_without = after or (None, None)
    change = up = None
    if before is not None and after is not None:
        change, up = after.mean - before.mean, before.rank - after.rank
    return Moved(measure, left_out, run, mean, mean_without, change, rank, rank_without, up)


def means_and_ranks(board: Board, measure: str) -> dict[str, MeanAndRank]:
    """Return the runs that have a mean, with ranks from 1; tied ones share the best."""
    oriented = known_means(board.oriented(measure))
    sign = 1 if board.higher_is_better(measure) else -1
    known = oriented[np.isfinite(oriented)]
    return {
        run: MeanAndRank(sign * mean, 1 + int((known > mean + NOISE * abs(mean)).sum()))
        for run, mean in zip(board.runs, oriented.tolist(), strict=True)
        if np.isfinite(mean)
    }


def _robustness(
    before: Mapping[str, MeanAndRank], after: Mapping[str, MeanAndRank], sign: int
) -> tuple[float | None, float | None, int]:
    """Return tau-b and tau-AP of the runs that both rank, and the most ranks that one moves."""
    shared = [run for run in before if run in after]
    means = [np.array([sign * each[run].mean for run in shared]) for each in (before, after)]
    moves = [abs(before[run].rank - after[run].rank) for run in shared]
    return or_none(kendall(*means)), or_none(tau_ap(*means)), max(moves, default=0)


def _summed_up(
    moved: Sequence[Moved], contributed: Sequence[Contribution]
) -> Iterator[Reusability]:
    for measure in dict.fromkeys(each.measure for each in moved):
        own = [each for each in moved if each.measure == measure]
        changes = [each.change for each in own if each.change is not None]
        ups = [each.up for each in own if each.up is not None]
        sizes = [abs(change) for change in changes]
        taus = [each.tau_b for each in contributed if each.measure == measure]
        yield Reusability(
            measure,
            len(changes),
            sum(changes) / len(changes) if changes else None,
            sum(sizes) / len(sizes) if sizes else None,
            max(sizes, default=None),
            max([0, *ups]),
            max([0, *(-up for up in ups)]),
            min((tau for tau in taus if tau is not None), default=None),
        )
