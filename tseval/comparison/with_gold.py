"""Runs that are scored here, since more than their scores is needed.

Who is earlier: runs held against each other by what they say of the gold. And whether the judgments
could have scored a run that was not there when they were made: a run, or all runs of a team, is
scored as if it had not been judged, without the judgments that it alone contributed. Which these
are is for the family of the runs to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, Unpack

import numpy as np

from tseval.comparison.board import Board, build_board, check_directions, scores_table
from tseval.comparison.findings import FindingRows, Findings, or_none
from tseval.comparison.plan import ALPHA, LEAD, RESAMPLES, Plan, Treatment
from tseval.comparison.runs import NOISE, check_baseline, means_of_topics, signature
from tseval.core import declared, registry
from tseval.core.family import Access, Evaluation, Family, several
from tseval.core.measure import Measure
from tseval.core.naming import AS_THEY_ARE, Naming, named
from tseval.core.scoring import chosen_measures, scores_of
from tseval.core.wording import count, listed
from tseval.errors import UsageError, check_choice, check_known
from tseval.io.columns import Columns, TimeWords
from tseval.io.formats import Forms
from tseval.io.names import natural_order
from tseval.io.times import TIME_KEYS, UNITS
from tseval.parallel.sharing import Progress
from tseval.records import frozen
from tseval.statistics.ranks import kendall, known_means, tau_ap

if TYPE_CHECKING:
    from tseval.io.given import Given, Runs

Read = TypeVar("Read")


@frozen
class ScoredRuns:
    """Runs and gold of a family, and everything by which its command would score them."""

    family: Family[Any, Any]
    inputs: Any
    options: Any
    edition: str | None = None
    """The family's first if none is named."""
    rules: Mapping[str, str] = field(default_factory=dict)
    measures: tuple[str | Measure, ...] = ()
    at: tuple[str, ...] = ()
    naming: Naming = AS_THEY_ARE
    """What the inputs call columns and runs."""
    access: Access = field(default_factory=Access)
    """The formats of the inputs, and where runs are read and matched."""

    def judgments(self) -> Any:
        """Everything read once, for scores without some of the judgments."""
        if self.family.judgments is None:
            raise UsageError(f"no judgments of {self.family.name} can be left out")
        return self._read(self.family.judgments, self.access)

    def matched(self) -> Any:
        """Everything read once, for scores by one matcher after the other."""
        if self.family.matched is None:
            raise UsageError(f"no matcher finds anything in {self.family.name}")
        return self._read(self.family.matched, self.access)

    def evaluation(self, progress: Progress | None = None) -> Evaluation:
        """The runs, read and matched."""
        return self._read(self.family.read, replace(self.access, progress=progress))

    def board_of(self, evaluation: Evaluation, treatment: Treatment) -> Board:
        """Return the board of their scores; by default what is missing follows the edition."""
        wanted = chosen_measures(evaluation, self.measures, self.at)
        scores = scores_of(evaluation, wanted, treatment.on_missing, treatment.undefined)
        # What was to be counted as 0 is a score by now; what is not there was to be skipped.
        left = replace(treatment, on_missing="skip")
        return replace(build_board(scores_table(scores), (), left), warnings=scores.warnings)

    def _read(self, reader: Callable[..., Read], access: Access) -> Read:
        edition = registry.edition(self.edition, self.family.name)
        asked = declared.rules(self.rules.items(), self.options)
        return reader(named(self.inputs, self.naming), self.options, edition, asked, access)


class GoldWords(TimeWords, total=False):
    """What there may be beside runs and gold, and how they are read: as in `tseval.score`."""

    topics: Given | None
    duplicates: Given | None
    pool: Given | None
    corrections: Given | None
    edition: str | None
    rules: Mapping[str, str] | None
    input_format: Forms
    columns: Columns


def runs_of_call(
    inputs: Mapping[str, Any], options: Mapping[str, Any], gold: GoldWords, **more: Any
) -> ScoredRuns:
    """Return runs with their gold as a caller gives them, by the names of inputs and options."""
    of = registry.family(registry.FIRST)
    words: dict[str, Any] = {**gold}
    for name in words:
        check_known("keyword", name, GoldWords.__annotations__)
    timing = {name: words[name] for name in TIME_KEYS if name in words}
    return ScoredRuns(
        of,
        declared.build(of.inputs, {**words, **inputs, "updates": several(inputs["updates"])}),
        declared.build(of.options, options),
        edition=gold.get("edition"),
        rules=gold.get("rules") or {},
        naming=Naming.of(gold.get("columns"), timing),
        access=Access(gold.get("input_format")),
        **more,
    )


def lead(
    updates: Runs,
    nuggets: Given,
    matches: Given | None = None,
    matcher: str | None = None,
    *,
    threshold: float | None = None,
    baseline: str | None = None,
    interval: str = Plan.interval,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = 0,
    **gold: Unpack[GoldWords],
) -> Findings:
    """Measure how much earlier one run of a pair reports the nuggets that both report.

    Runs and gold are what `tseval.score` takes; the parameters of the comparison are the options of
    `tseval compare`. The part `leads` has a row for each pair.
    """
    plan = Plan(baseline=baseline, interval=interval, alpha=alpha, resamples=resamples, seed=seed)
    inputs = {"updates": updates, "nuggets": nuggets, "matches": matches}
    runs = runs_of_call(inputs, {"matcher": matcher, "threshold": threshold}, gold)
    return leads(runs.evaluation(), plan)


NUMBERS = 4
"""A pair's numbers of each topic: mean, median, and the shares that are earlier and later."""


class Lead(NamedTuple):
    """How far `run` is ahead of `other` on the nuggets that both said; None is undefined.

    In hours, positive where `run` is earlier. `mean`, `median` and the shares of nuggets on which
    `run` is `earlier` or `later` are taken in each topic over the nuggets shared there; what stands
    here is the mean over the topics that share any, with its interval.
    """

    run: str
    other: str
    topics: int
    nuggets: int
    mean: float | None
    mean_low: float | None
    mean_high: float | None
    median: float | None
    median_low: float | None
    median_high: float | None
    earlier: float | None
    earlier_low: float | None
    earlier_high: float | None
    later: float | None


def leads(evaluation: Evaluation, plan: Plan) -> Findings:
    """Every pair of runs, or each run with the baseline, head to head."""
    index, firsts = evaluation.index, evaluation.firsts
    topics: Sequence[str] = index.topics
    check_baseline(index.runs, plan)
    pairs: list[tuple[str, str]] = list(combinations(index.runs, 2))
    if plan.baseline is not None:
        pairs = [(run, plan.baseline) for run in index.runs if run != plan.baseline]
    run, topic = firsts.unit // len(topics), firsts.unit % len(topics)
    rows_of = {name: np.flatnonzero(run == at) for at, name in enumerate(index.runs)}
    values = np.full((len(topics), NUMBERS, len(pairs)), np.nan)
    shared = np.zeros(len(pairs), np.int64)
    for at, (ours, theirs) in enumerate(pairs):
        mine, others = rows_of[ours], rows_of[theirs]
        _, *both = np.intersect1d(
            firsts.gold[mine], firsts.gold[others], assume_unique=True, return_indices=True
        )
        mine, others = mine[both[0]], others[both[1]]
        hours, where = (firsts.time[others] - firsts.time[mine]) / UNITS["h"], topic[mine]
        shared[at] = len(hours)
        for code in np.unique(where).tolist():
            ahead = np.sort(hours[where == code])  # so that sums are the same in any order
            middle = np.median(ahead)
            values[code, :, at] = ahead.mean(), middle, (ahead > 0).mean(), (ahead < 0).mean()
    flat = values.reshape(len(topics), -1)
    known = ~np.isnan(flat)
    means = means_of_topics(np.where(known, flat, 0.0), known, topics, plan)
    numbers = np.stack(means, axis=1).reshape(NUMBERS, len(pairs), len(means)).swapaxes(0, 1)
    in_topics = known.reshape(values.shape)[:, 0].sum(axis=0).tolist()
    rows = [
        Lead(*pair, number, nuggets, *map(or_none, each.ravel()[: 3 * NUMBERS - 2]))
        for pair, number, nuggets, each in zip(
            pairs, in_topics, shared.tolist(), numbers, strict=True
        )
    ]
    used = ("baseline", "interval", "alpha", "resamples", "seed")
    traits = {name: value for name, value in plan.traits().items() if name in used}
    caveats = [] if rows else ["there are no two runs to hold against each other"]
    apart = [f"{each.run} and {each.other}" for each in rows if not each.nuggets]
    if apart:
        caveats.append(f"{count(len(apart), 'pair')} said no nugget in common: {listed(apart)}")
    return Findings(
        parts={"leads": FindingRows(Lead, tuple(rows))},
        signature=signature(LEAD, {"of": f"({evaluation.signature()})"}, traits),
        inputs=evaluation.inputs,
        warnings=(*evaluation.all_warnings, *caveats),
    )


# Without the judgments that a run, or a team, brought alone.


NONE = (None, None)
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
            for run in runs:
                (mean, rank), (without, then) = (all_.get(run, NONE) for all_ in (before, after))
                change = None if mean is None or without is None else without - mean
                up = None if rank is None or then is None else rank - then
                moved.append(Moved(measure, name, run, mean, without, change, rank, then, up))
            both = [(before[run], after[run]) for run in before if run in after]
            sign = 1 if everyone.higher_is_better(measure) else -1
            means = sign * np.array([[mean for mean, _ in each] for each in both]).reshape(-1, 2).T
            moves = [abs(rank - then) for (_, rank), (_, then) in both]
            taus = or_none(kendall(*means)), or_none(tau_ap(*means))
            most = max(moves, default=0)
            counts = (lost.matches, lost.lost, lost.nuggets)
            contributed.append(Contribution(measure, name, len(runs), *counts, *taus, most))
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


def means_and_ranks(board: Board, measure: str) -> dict[str, tuple[float, int]]:
    """Return the runs that have a mean, with ranks from 1; tied ones share the best."""
    oriented = known_means(board.oriented(measure))
    sign = 1 if board.higher_is_better(measure) else -1
    known = oriented[np.isfinite(oriented)]
    return {
        run: (sign * mean, 1 + int((known > mean + NOISE * abs(mean)).sum()))
        for run, mean in zip(board.runs, oriented.tolist(), strict=True)
        if np.isfinite(mean)
    }


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
