"""Runs side by side: means with intervals, every pair tested, and letters that sum it up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval import statistics
from tseval.comparison.board import Board, check_directions
from tseval.comparison.contests import Comparison, Contest, RunStanding
from tseval.comparison.detectable import TestedPairs, adjusted, causes, most_draws, undetectable
from tseval.comparison.findings import FindingRows, or_none
from tseval.comparison.plan import Plan
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.records import frozen
from tseval.version import VERSION

if TYPE_CHECKING:
    from tseval.statistics.bootstrap import Times
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

NOISE = 1e-12
"""Two scores that differ by less than this share of them are the same."""


@frozen(eq=False)
class RunPairs:
    """Pairs of runs by their places, and what is asked of each."""

    first: IntArray
    second: IntArray

    @classmethod
    def of(cls, board: Board, measure: str, plan: Plan) -> RunPairs:
        """Every pair of the runs that take part, or each of them with the baseline."""
        there = np.array(board.taking_part(measure), np.int64)
        if plan.baseline is None:
            first, second = np.triu_indices(len(there), 1)
            return cls(there[first], there[second])
        place = board.runs.index(plan.baseline)
        others = there[there != place] if place in there else there[:0]
        return cls(others, np.full(len(others), place))


@frozen(eq=False)
class Tested:
    """What is known of each pair by one measure: arrays, NaN where undefined."""

    pairs: RunPairs
    topics: IntArray
    mean: FloatArray
    interval: FloatArray
    d: FloatArray
    g: FloatArray
    p: FloatArray
    wins: IntArray
    losses: IntArray

    @classmethod
    def nothing(cls, pairs: RunPairs) -> Tested:
        """Nothing known of any pair yet."""
        size = len(pairs.first)
        numbers = [np.full(size, np.nan) for _ in range(4)]
        counts = [np.zeros(size, np.int64) for _ in range(3)]
        mean, d, g, p = numbers
        topics, wins, losses = counts
        return cls(pairs, topics, mean, np.full((2, size), np.nan), d, g, p, wins, losses)


def compare_board(board: Board, plan: Plan) -> Comparison:
    """Compare the runs of a board; an unknown baseline is a `UsageError`."""
    check_directions(board)
    check_baseline(board, plan)
    tested = every_pair(board, plan)
    pairs = {measure: pairs_of(found) for measure, found in tested.items()}
    undetected = undetectable(pairs, plan)
    corrected = adjusted([each.p for each in tested.values()], plan)
    standings: list[RunStanding] = []
    contests: list[Contest] = []
    for (measure, found), p in zip(tested.items(), corrected, strict=True):
        own = list(_contests(board, measure, found, p, plan))
        contests += own
        has_letters = plan.baseline is None and measure not in undetected
        standings += _standings(board, measure, own, plan, has_letters=has_letters)
    return Comparison(
        parts={
            "means": FindingRows.of(RunStanding, standings),
            "pairs": FindingRows.of(Contest, contests),
        },
        signature=signature("runs", board.traits, plan.traits()),
        inputs=board.inputs,
        warnings=(*board.warnings, *_alone(tested), *causes(pairs, undetected, plan)),
        plan=plan,
        higher=dict(zip(board.measures, board.higher, strict=True)),
        cannot_tell=undetected,
    )


def every_pair(board: Board, plan: Plan) -> dict[str, Tested]:
    """All pairs by each measure, drawn as far as the correction of all of them asks."""
    pairs = {measure: RunPairs.of(board, measure, plan) for measure in board.measures}
    most = most_draws({measure: len(each.first) for measure, each in pairs.items()}, plan)
    return {
        measure: tested_pairs(board, measure, each, plan, most[measure])
        for measure, each in pairs.items()
    }


def pairs_of(found: Tested) -> TestedPairs:
    """What `undetectable` asks of the pairs."""
    runs = np.union1d(found.pairs.first, found.pairs.second)
    return TestedPairs(found.topics, found.p, len(runs))


def signature(what: str, *traits: Mapping[str, str]) -> str:
    """One line that names all that can change a number."""
    parts = {"tseval": VERSION, "compare": what}
    for each in traits:
        parts |= each
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def check_baseline(board: Board, plan: Plan) -> None:
    """A baseline has to be one of the runs."""
    if plan.baseline is not None and plan.baseline not in board.runs:
        raise UsageError(f"no run '{plan.baseline}' here; there are: {', '.join(board.runs)}")


def tested_pairs(board: Board, measure: str, pairs: RunPairs, plan: Plan, most: int) -> Tested:
    """Test each pair over the topics that both runs have, with so many draws at most."""
    found = Tested.nothing(pairs)
    for columns, names, differences in paired_topics(board, measure, pairs):
        _fill(found, columns, differences, names, plan, most)
        if board.weighed(measure) is not None:
            differences = _of_quotients(board, measure, found, columns, names, plan)
        better = differences if board.higher_is_better(measure) else -differences
        found.wins[columns] = np.count_nonzero(better > 0, axis=0)
        found.losses[columns] = np.count_nonzero(better < 0, axis=0)
    return found


def paired_topics(
    board: Board, measure: str, pairs: RunPairs
) -> Iterator[tuple[IntArray, list[str], FloatArray]]:
    """RunPairs with the same topics together: which, the topics, and topics x pairs of differences.

    Where `all` is a quotient of sums these are differences of what topics contribute to it.
    """
    values, known = board.of(measure)
    weights = board.weighed(measure)
    for topics, columns in _same_topics(known[pairs.first] & known[pairs.second]):
        first, second = pairs.first[columns], pairs.second[columns]
        ours, theirs = values[first][:, topics].T, values[second][:, topics].T
        if weights is not None:
            ours = statistics.contributions(ours, weights[first][:, topics].T)
            theirs = statistics.contributions(theirs, weights[second][:, topics].T)
        differences = _differences(ours, theirs)
        yield columns, [board.topics[t] for t in topics.tolist()], differences


def _of_quotients(
    board: Board,
    measure: str,
    found: Tested,
    columns: IntArray,
    names: Sequence[str],
    plan: Plan,
) -> FloatArray:
    """Put in the intervals of differences of quotients; the differences of the topics' values."""
    values, _ = board.of(measure)
    weights = board.weighed(measure)
    place = {topic: at for at, topic in enumerate(board.topics)}
    topics = [place[name] for name in names]
    first, second = found.pairs.first[columns], found.pairs.second[columns]
    sides = [
        (values[runs][:, topics].T, weights[runs][:, topics].T)
        for runs in (first, second)
        if weights is not None
    ]
    draws = topic_draws(names, plan)
    found.interval[:, columns] = statistics.quotient_intervals(
        *sides[0], draws, plan.interval, plan.level, sides[1]
    )
    return _differences(sides[0][0], sides[1][0])


def _same_topics(known: BoolArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Each set of topics that some rows know, with these rows; none for rows that know nothing."""
    patterns, place = np.unique(known, axis=0, return_inverse=True)
    for at, pattern in enumerate(patterns):
        if pattern.any():
            yield np.flatnonzero(pattern), np.flatnonzero(place.ravel() == at)


def _differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """First minus second; 0 where they differ by rounding alone."""
    differences = first - second
    noise = NOISE * np.maximum(np.abs(first), np.abs(second))
    return np.where(np.abs(differences) <= noise, 0.0, differences)


def _fill(
    found: Tested,
    columns: IntArray,
    differences: FloatArray,
    names: Sequence[str],
    plan: Plan,
    most: int,
) -> None:
    """Put in what the differences of these pairs say."""
    effect = statistics.effects(differences)
    draws = topic_draws(names, plan)
    found.topics[columns] = len(names)
    found.mean[columns], found.d[columns], found.g[columns] = effect
    found.interval[:, columns] = statistics.mean_intervals(
        differences, draws, plan.interval, plan.level
    )
    seed = statistics.seeded(plan.seed, plan.test, *names)
    found.p[columns] = statistics.p_values(differences, plan.test, seed, plan.resamples, most)


def topic_draws(names: Sequence[str], plan: Plan) -> Times:
    """How often each of these topics is drawn in each resample, by the topics' names."""
    seed = statistics.seeded(plan.seed, "topics", *names)
    return statistics.compact_resamples(len(names), seed, plan.resamples)


def _contests(
    board: Board, measure: str, found: Tested, adjusted: FloatArray, plan: Plan
) -> Iterator[Contest]:
    sign = 1 if board.higher_is_better(measure) else -1
    for at, (first, second) in enumerate(zip(found.pairs.first, found.pairs.second, strict=True)):
        run, other = board.runs[first], board.runs[second]
        different = bool(adjusted[at] <= plan.alpha)
        wins, losses = int(found.wins[at]), int(found.losses[at])
        yield Contest(
            measure=measure,
            run=run,
            other=other,
            topics=int(found.topics[at]),
            difference=or_none(found.mean[at]),
            low=or_none(found.interval[0, at]),
            high=or_none(found.interval[1, at]),
            d=or_none(found.d[at]),
            g=or_none(found.g[at]),
            p=or_none(found.p[at]),
            adjusted=or_none(adjusted[at]),
            different=different,
            better=(run if sign * found.mean[at] > 0 else other) if different else None,
            wins=wins,
            ties=int(found.topics[at]) - wins - losses,
            losses=losses,
        )


def _standings(
    board: Board, measure: str, contests: Sequence[Contest], plan: Plan, *, has_letters: bool
) -> Iterator[RunStanding]:
    """The runs best first; tied ones by their names."""
    _, known = board.of(measure)
    places = np.array(board.taking_part(measure), np.int64)
    means, low, high = _means(board, measure, places, plan)
    oriented = means if board.higher_is_better(measure) else -means
    order = np.argsort(-oriented, kind="stable")
    letters = _letters([board.runs[p] for p in places[order]], contests) if has_letters else {}
    for at in order.tolist():
        run = board.runs[places[at]]
        yield RunStanding(
            measure=measure,
            run=run,
            rank=1 + int((oriented > oriented[at] + NOISE * np.abs(oriented[at])).sum()),
            topics=int(known[places[at]].sum()),
            mean=float(means[at]),
            low=or_none(low[at]),
            high=or_none(high[at]),
            letters=letters.get(run),
        )


def _means(
    board: Board, measure: str, places: IntArray, plan: Plan
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The means of these runs over the topics that each has, and their intervals."""
    values, known = board.of(measure)
    weights = board.weighed(measure)
    own = None if weights is None else weights[places].T
    return means_of_topics(values[places].T, known[places].T, board.topics, plan, own)


def means_of_topics(
    values: FloatArray,
    known: BoolArray,
    topics: Sequence[str],
    plan: Plan,
    weights: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """For each column its mean over the topics that it knows, and the ends of its interval.

    Rows are topics; with `weights` it is their weighted mean. NaN where nothing is known, and where
    an interval can't be had.
    """
    columns = values.shape[1]
    means, ends = np.full(columns, np.nan), np.full((2, columns), np.nan)
    for rows, alike in _same_topics(known.T):
        own = values[rows][:, alike]
        draws = topic_draws([topics[t] for t in rows.tolist()], plan)
        if weights is not None:
            parts = own, weights[rows][:, alike]
            means[alike] = statistics.quotients(*parts)
            ends[:, alike] = statistics.quotient_intervals(*parts, draws, plan.interval, plan.level)
            continue
        means[alike] = statistics.column_means(own)
        ends[:, alike] = statistics.mean_intervals(own, draws, plan.interval, plan.level)
    return means, ends[0], ends[1]


def _letters(runs: Sequence[str], contests: Sequence[Contest]) -> dict[str, str]:
    """The letters of runs given best first."""
    place = {run: at for at, run in enumerate(runs)}
    differ = np.zeros((len(runs), len(runs)), bool)
    for each in contests:
        a, b = place[each.run], place[each.other]
        differ[a, b] = differ[b, a] = each.different
    return dict(zip(runs, statistics.compact_letters(differ), strict=True))


def _alone(tested: Mapping[str, Tested]) -> Iterator[str]:
    """A word where a measure has no two runs to compare."""
    lonely = [measure for measure, found in tested.items() if not len(found.p)]
    if lonely:
        yield f"{listed(lonely)}: there are no two runs to compare"
