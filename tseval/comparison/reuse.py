"""Whether the judgments could have scored a run that was not there when they were made.

A run, or all runs of a team, is scored as if it had not been judged: of the matches, and of the
pool, go the updates that it alone contributed. What others sent as well would have been judged
without it. The gold stays, since its nuggets were not found in runs; where they were, the rule
matched-nuggets-only leaves out those that the run alone had said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval import statistics
from tseval.comparison.board import Board, check_directions
from tseval.comparison.findings import FindingRows, Findings
from tseval.comparison.gold import ScoredRuns
from tseval.comparison.plan import Treatment, chosen
from tseval.comparison.runs import NOISE, signature
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.temporal.assessments import standing
from tseval.families.temporal.evaluation import TemporalTables
from tseval.families.temporal.rules import Rules
from tseval.matching.matching import Progress
from tseval.statistics.ranks import known_means
from tseval.tables import Ids, Updates, natural_order
from tseval.tables.keys import equal_rows, pair_keys

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

LEFT_OUT = ("run", "team")
TEAM_END = "-"
"""A run's team is what stands before the first of these in its name."""
SEVERAL, NOBODY = -2, -1


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
    chosen("left out", by, LEFT_OUT)
    named = named or {}
    together: dict[str, list[str]] = {}
    for run in runs:
        team = run if by == "run" else named.get(run, run.partition(TEAM_END)[0] or run)
        together.setdefault(team, []).append(run)
    return {team: together[team] for team in natural_order(together)}


def leave_out(
    gold: ScoredRuns,
    by: str,
    treatment: Treatment,
    on_missing: str | None = None,
    teams: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Findings:
    """Leave out one run, or one team, after the other, and score them all again each time.

    Fewer than two runs or teams, or no assessors' matches, is a `UsageError`.
    """
    if gold.sources.matches is None:
        raise UsageError("leaving runs out needs the matches of assessors: give --matches FILE")
    tables = gold.tables()
    whole = gold.board(treatment, on_missing, tables)
    check_directions(whole)
    together = teams_of(whole.runs, by, teams)
    if len(together) < 2:
        raise UsageError(f"leaving a {by} out needs at least two of them: {listed(whole.runs)}")
    judged = SoleJudgments.of(tables, gold.all_rules, list(together.values()))
    moved: list[Moved] = []
    borne: list[Contribution] = []
    for place, (name, runs) in enumerate(together.items()):
        part = gold.board(treatment, on_missing, judged.without(place))
        moved += _moved(whole, part, name, runs)
        borne += _borne(whole, part, name, judged.lost(place, len(runs)))
        if progress:
            progress(place + 1, len(together))
    strangers = sorted(set(teams or {}) - set(whole.runs))
    warnings = [f"teams of runs that are not here: {listed(strangers)}"] if strangers else []
    return Findings(
        parts={
            "reusability": FindingRows.of(Reusability, _summed_up(moved, borne)),
            "runs": FindingRows.of(Moved, moved),
            "left_out": FindingRows.of(Contribution, borne),
        },
        signature=signature(f"leave-{by}-out", whole.traits, _team_traits(by, together)),
        inputs=whole.inputs,
        warnings=(*whole.warnings, *warnings),
    )


def _team_traits(by: str, together: Mapping[str, Sequence[str]]) -> dict[str, str]:
    if by == "run":
        return {}
    return {"teams": ";".join(f"{team}={','.join(runs)}" for team, runs in together.items())}


@dataclass(frozen=True, eq=False)
class SoleJudgments:
    """The judgments, with who alone brought each: the place of a run or team, or none."""

    tables: TemporalTables
    of_matches: IntArray
    of_pool: IntArray
    of_nuggets: IntArray

    @classmethod
    def of(
        cls, tables: TemporalTables, rules: Rules, together: Sequence[Sequence[str]]
    ) -> SoleJudgments:
        """Look up who sent what is judged, under its own id or by a duplicate."""
        matches, pool = tables.matches, tables.pool
        if matches is None:
            raise UsageError("there are no matches")
        stands = standing(tables.updates, pool, tables.duplicates, rules).updates
        place = {run: at for at, runs in enumerate(together) for run in runs}
        sender = np.array([place.get(r, NOBODY) for r in stands.run.vocabulary()], np.int64)
        senders = sender[stands.run.codes]
        both = (tables.updates, stands)
        of_matches = _sole_sender(matches.topic, matches.update_id, both, senders)
        nuggets = pair_keys(matches.topic, matches.nugget_id, matches.topic, matches.nugget_id)
        _, named = np.unique(nuggets, return_inverse=True)
        return cls(
            tables,
            of_matches,
            np.zeros(0, np.int64)
            if pool is None
            else _sole_sender(pool.topic, pool.update_id, both, senders),
            _sole(named, of_matches),
        )

    def without(self, place: int) -> TemporalTables:
        """The tables without what these runs alone brought; the runs themselves stay."""
        matches, pool = self.tables.matches, self.tables.pool
        return replace(
            self.tables,
            matches=None if matches is None else matches.rows(self.of_matches != place),
            pool=None if pool is None else pool.rows(self.of_pool != place),
        )

    def lost(self, place: int, runs: int) -> tuple[int, int, int, int]:
        """How many runs, matches in all, matches lost, and nuggets that nobody else had said."""
        lost = int((self.of_matches == place).sum())
        return runs, len(self.of_matches), lost, int((self.of_nuggets == place).sum())


def _sole_sender(
    topic: Ids, update_id: Ids, tables: Sequence[Updates], senders: IntArray
) -> IntArray:
    """For each (topic, update) the one who sent it; `SEVERAL` or `NOBODY` where it isn't one."""
    places, who = [], []
    for table in tables:
        wanted = pair_keys(topic, update_id, table.topic, table.update_id)
        have = pair_keys(table.topic, table.update_id, table.topic, table.update_id)
        place, row = equal_rows(wanted, have)
        places.append(place)
        who.append(senders[row])
    return _sole(np.concatenate(places), np.concatenate(who), len(topic))


def _sole(groups: IntArray, values: IntArray, number: int | None = None) -> IntArray:
    """The one value that all of a group have; `SEVERAL` of several, `NOBODY` of an empty group."""
    size = int(groups.max(initial=-1)) + 1 if number is None else number
    least = np.full(size, np.iinfo(np.int64).max)
    most = np.full(size, np.iinfo(np.int64).min)
    np.minimum.at(least, groups, values)
    np.maximum.at(most, groups, values)
    return np.where(most < least, NOBODY, np.where(most == least, most, SEVERAL))


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


def _borne(
    whole: Board, part: Board, name: str, lost: tuple[int, int, int, int]
) -> Iterator[Contribution]:
    for measure in whole.measures:
        means, ranks = standings_of(whole, measure)
        others, places = standings_of(part, measure)
        shared = [run for run in means if run in others]
        sign = 1 if whole.higher_is_better(measure) else -1
        x, y = (_signed(each, shared, sign) for each in (means, others))
        moves = [abs(ranks[run] - places[run]) for run in shared]
        tau, ap = statistics.kendall(x, y), statistics.tau_ap(x, y)
        yield Contribution(measure, name, *lost, _known(tau), _known(ap), max(moves, default=0))


def _signed(means: Mapping[str, float], runs: Sequence[str], sign: int) -> FloatArray:
    return np.array([sign * means[run] for run in runs], np.float64)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _summed_up(moved: Sequence[Moved], borne: Sequence[Contribution]) -> list[Reusability]:
    return [
        _reusability(
            measure,
            [each for each in moved if each.measure == measure],
            [each.tau_b for each in borne if each.measure == measure and each.tau_b is not None],
        )
        for measure in dict.fromkeys(each.measure for each in moved)
    ]


def _reusability(measure: str, moved: Sequence[Moved], taus: Sequence[float]) -> Reusability:
    changes = [each.change for each in moved if each.change is not None]
    ups = [each.up for each in moved if each.up is not None]
    sizes = [abs(change) for change in changes]
    return Reusability(
        measure,
        len(changes),
        sum(changes) / len(changes) if changes else None,
        sum(sizes) / len(sizes) if sizes else None,
        max(sizes) if sizes else None,
        max(0, *ups) if ups else 0,
        max(0, *(-up for up in ups)) if ups else 0,
        min(taus) if taus else None,
    )
