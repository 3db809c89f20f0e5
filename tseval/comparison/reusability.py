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
from tseval.comparison.scored_runs import ScoredRuns
from tseval.core.family import Lost
from tseval.core.wording import listed
from tseval.errors import UsageError, check_choice
from tseval.io.names import natural_order
from tseval.parallel.sharing import Progress
from tseval.statistics.ranks import kendall, known_means, tau_ap

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
    on_missing: str | None = None,
    teams: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Findings:
    """Leave out one run, or one team, after the other, and score them all again each time.

    Fewer than two runs or teams, or no assessors' matches, is a `UsageError`.
    """
    judgments = scored.judgments()
    whole = scored.board_of(judgments.evaluation(), treatment, on_missing)
    check_directions(whole)
    together = teams_of(whole.runs, by, teams)
    if len(together) < 2:
        raise UsageError(f"leaving a {by} out needs at least two of them: {listed(whole.runs)}")
    moved: list[Moved] = []
    contributed: list[Contribution] = []
    for place, (name, runs) in enumerate(together.items()):
        evaluation, lost = judgments.without(runs)
        part = scored.board_of(evaluation, treatment, on_missing)
        moved += _moved(whole, part, name, runs)
        contributed += _contributions(whole, part, name, len(runs), lost)
        if progress:
            progress(place + 1, len(together))
    traits = {}
    if by == "team":
        traits["teams"] = ";".join(f"{team}={','.join(own)}" for team, own in together.items())
    strangers = sorted(set(teams or {}) - set(whole.runs))
    warnings = [f"teams of runs that are not here: {listed(strangers)}"] if strangers else []
    return Findings(
        parts={
            "reusability": FindingRows(Reusability, tuple(_summed_up(moved, contributed))),
            "runs": FindingRows(Moved, tuple(moved)),
            "left_out": FindingRows(Contribution, tuple(contributed)),
        },
        signature=signature(f"leave-{by}-out", whole.traits, traits),
        inputs=whole.inputs,
        warnings=(*whole.warnings, *warnings),
    )


def _moved(whole: Board, part: Board, name: str, runs: Sequence[str]) -> Iterator[Moved]:
    for measure in whole.measures:
        before, after = standings_of(whole, measure), standings_of(part, measure)
        for run in runs:
            means = [each[0].get(run) for each in (before, after)]
            ranks = [each[1].get(run) for each in (before, after)]
            yield Moved(
                measure=measure,
                left_out=name,
                run=run,
                mean=means[0],
                mean_without=means[1],
                change=None if None in means else after[0][run] - before[0][run],
                rank=ranks[0],
                rank_without=ranks[1],
                up=None if None in ranks else before[1][run] - after[1][run],
            )


def standings_of(board: Board, measure: str) -> tuple[dict[str, float], dict[str, int]]:
    """The means of the runs that have one, and their ranks from 1, tied ones sharing the best."""
    oriented = known_means(board.oriented(measure))
    sign = 1 if board.higher_is_better(measure) else -1
    there = np.flatnonzero(np.isfinite(oriented))
    above = oriented[there] + NOISE * np.abs(oriented[there])
    means = {board.runs[at]: sign * float(oriented[at]) for at in there.tolist()}
    ranks = {
        board.runs[at]: 1 + int((oriented[there] > limit).sum())
        for at, limit in zip(there.tolist(), above, strict=True)
    }
    return means, ranks


def _contributions(
    whole: Board, part: Board, name: str, runs: int, lost: Lost
) -> Iterator[Contribution]:
    for measure in whole.measures:
        means, ranks = standings_of(whole, measure)
        others, places = standings_of(part, measure)
        shared = [run for run in means if run in others]
        sign = 1 if whole.higher_is_better(measure) else -1
        x, y = (np.array([sign * each[run] for run in shared]) for each in (means, others))
        moves = [abs(ranks[run] - places[run]) for run in shared]
        tau, ap = or_none(kendall(x, y)), or_none(tau_ap(x, y))
        yield Contribution(measure, name, runs, *lost, tau, ap, max(moves, default=0))


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
