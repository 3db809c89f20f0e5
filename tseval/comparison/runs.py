"""Runs side by side: means with intervals, every pair tested, and letters that sum it up.

And discriminative power, by Sakai's method: how many pairs of runs a measure tells apart, and by
which difference, where every pair is tested by itself at one level. The measure that finds more
differences among the same runs on the same topics is the more sensitive one; it isn't a more
correct one for that.

And two ways of scoring the same runs: how far they put them in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval.comparison.board import Board, check_directions, choose_measures
from tseval.comparison.findings import (
    Comparison,
    Contest,
    FindingRows,
    Findings,
    RunRank,
    or_none,
)
from tseval.comparison.plan import Plan
from tseval.core.wording import count, listed
from tseval.errors import UsageError, check_known
from tseval.io.times import written
from tseval.records import frozen
from tseval.statistics import bootstrap, paired, ranks
from tseval.statistics.ranks import PERSISTENCE
from tseval.version import VERSION

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray
    from tseval.statistics.bootstrap import Times

MANY_TOPICS = 60
"""More topics than these are not advised: the number of draws is then the limit."""
NOISE = 1e-12
"""Two scores that differ by less than this share of them are the same."""


@frozen(eq=False)
class Tested:
    """What is known of each pair of runs by one measure: arrays, NaN where undefined."""

    pairs: IntArray
    """The places of the first of each, and of the second."""
    topics: IntArray
    mean: FloatArray
    interval: FloatArray
    d: FloatArray
    g: FloatArray
    p: FloatArray
    wins: IntArray
    losses: IntArray

    @property
    def judged(self) -> int:
        """How many pairs have a p value."""
        return int((~np.isnan(self.p)).sum())


def _pairs(board: Board, measure: str, plan: Plan) -> IntArray:
    """Every pair of the runs that take part, or each of them with the baseline."""
    present = np.array(board.taking_part(measure), np.int64)
    if plan.baseline is None:
        return present[np.stack(np.triu_indices(len(present), 1))]
    place = board.runs.index(plan.baseline)
    others = present[present != place] if place in present else present[:0]
    return np.stack([others, np.full(len(others), place)])


def compare_board(board: Board, plan: Plan) -> Comparison:
    """Compare the runs of a board; an unknown baseline is a `UsageError`."""
    check_directions(board)
    check_baseline(board.runs, plan)
    tested = compare_pairs(board, plan)
    undetected = undetectable(tested, plan)
    corrected = adjusted([each.p for each in tested.values()], plan)
    standings: list[RunRank] = []
    contests: list[Contest] = []
    for (measure, found), p in zip(tested.items(), corrected, strict=True):
        own = list(_contests(board, measure, found, p, plan))
        contests += own
        has_letters = plan.baseline is None and measure not in undetected
        standings += _standings(board, measure, own, plan, has_letters=has_letters)
    alone = [measure for measure, found in tested.items() if not len(found.p)]
    lonely = [f"{listed(alone)}: there are no two runs to compare"] if alone else []
    return Comparison(
        parts={
            "means": FindingRows(RunRank, tuple(standings)),
            "pairs": FindingRows(Contest, tuple(contests)),
        },
        signature=signature("runs", board.traits, plan.traits()),
        inputs=board.inputs,
        warnings=(*board.warnings, *lonely, *causes(tested, undetected, plan)),
        plan=plan,
        higher=dict(zip(board.measures, board.higher, strict=True)),
        cannot_tell=undetected,
        runs=board.runs,
    )


def compare_pairs(board: Board, plan: Plan) -> dict[str, Tested]:
    """All pairs by each measure, drawn as far as the correction of all of them asks."""
    pairs = {measure: _pairs(board, measure, plan) for measure in board.measures}
    size = sum(each.shape[1] for each in pairs.values())
    found = {}
    for measure, own in pairs.items():
        most = plan.most_draws(size if plan.family == "all" else own.shape[1])
        found[measure] = tested_pairs(board, measure, own, plan, most)
    return found


def signature(what: str, *traits: Mapping[str, str]) -> str:
    """One line that names all that can change a number."""
    parts = {"tseval": VERSION, "compare": what}
    for each in traits:
        parts |= each
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def check_baseline(runs: Sequence[str], plan: Plan) -> None:
    """Refuse a baseline that is none of the runs."""
    if plan.baseline is not None:
        check_known("run", plan.baseline, runs)


def tested_pairs(board: Board, measure: str, pairs: IntArray, plan: Plan, most: int) -> Tested:
    """Test each pair over the topics that both runs have, with so many draws at most."""
    size = pairs.shape[1]
    number, wins, losses = np.zeros((3, size), np.int64)
    mean, d, g, p = np.full((4, size), np.nan)
    interval = np.full((2, size), np.nan)
    values, _ = board.of(measure)
    weights = board.weighed(measure)
    for columns, topics, differences in paired_topics(board, measure, pairs):
        names = [board.topics[t] for t in topics.tolist()]
        draws = topic_draws(names, plan)
        number[columns] = len(names)
        mean[columns], d[columns], g[columns] = paired.effects(differences)
        seed = bootstrap.seeded(plan.seed, plan.test, *names)
        p[columns] = paired.p_values(differences, plan.test, seed, plan.resamples, most)
        if weights is None:
            found = bootstrap.mean_intervals(differences, draws, plan.interval, plan.level)
        else:
            ours, theirs = (
                (values[runs][:, topics].T, weights[runs][:, topics].T)
                for runs in pairs[:, columns]
            )
            found = bootstrap.quotient_intervals(*ours, draws, plan.interval, plan.level, theirs)
            differences = _differences(ours[0], theirs[0])
        interval[:, columns] = found
        better = differences if board.higher_is_better(measure) else -differences
        wins[columns] = np.count_nonzero(better > 0, axis=0)
        losses[columns] = np.count_nonzero(better < 0, axis=0)
    return Tested(pairs, number, mean, interval, d, g, p, wins, losses)


def paired_topics(
    board: Board, measure: str, pairs: IntArray
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Pairs with the same topics together: which, the topics, and topics x pairs of differences.

    Where `all` is a quotient of sums these are differences of what topics contribute to it.
    """
    values, known = board.of(measure)
    weights = board.weighed(measure)
    for topics, columns in _same_topics(known[pairs[0]] & known[pairs[1]]):
        sides = [values[runs][:, topics].T for runs in pairs[:, columns]]
        if weights is not None:
            own = [weights[runs][:, topics].T for runs in pairs[:, columns]]
            sides = list(map(bootstrap.contributions, sides, own))
        yield columns, topics, _differences(*sides)


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


def topic_draws(names: Sequence[str], plan: Plan) -> Times:
    """How often each of these topics is drawn in each resample, by the topics' names."""
    seed = bootstrap.seeded(plan.seed, "topics", *names)
    return bootstrap.compact_resamples(len(names), seed, plan.resamples)


def _contests(
    board: Board, measure: str, found: Tested, adjusted: FloatArray, plan: Plan
) -> Iterator[Contest]:
    sign = 1 if board.higher_is_better(measure) else -1
    numbers = np.stack([found.mean, *found.interval, found.d, found.g, found.p, adjusted], axis=1)
    counts = zip(found.topics.tolist(), found.wins.tolist(), found.losses.tolist(), strict=True)
    for pair, own, (topics, wins, losses) in zip(found.pairs.T, numbers, counts, strict=True):
        run, other = (board.runs[place] for place in pair)
        different = bool(own[-1] <= plan.alpha)
        better = (run if sign * own[0] > 0 else other) if different else None
        ties = topics - wins - losses
        row = *map(or_none, own.tolist()), different, better, wins, ties, losses
        yield Contest(measure, run, other, topics, *row)


def _standings(
    board: Board, measure: str, contests: Sequence[Contest], plan: Plan, *, has_letters: bool
) -> Iterator[RunRank]:
    """The runs best first; tied ones by their names."""
    values, known = board.of(measure)
    weights = board.weighed(measure)
    places = np.array(board.taking_part(measure), np.int64)
    own = None if weights is None else weights[places].T
    means, low, high = means_of_topics(values[places].T, known[places].T, board.topics, plan, own)
    oriented = means if board.higher_is_better(measure) else -means
    order = np.argsort(-oriented, kind="stable")
    letters: dict[str, str] = {}
    if has_letters:
        place = {board.runs[at]: rank for rank, at in enumerate(places[order].tolist())}
        differ = np.zeros((len(place), len(place)), bool)
        for each in contests:
            a, b = place[each.run], place[each.other]
            differ[a, b] = differ[b, a] = each.different
        letters = dict(zip(place, paired.compact_letters(differ), strict=True))
    for at in order.tolist():
        run = board.runs[places[at]]
        rank = 1 + int((oriented > oriented[at] + NOISE * np.abs(oriented[at])).sum())
        topics = int(known[places[at]].sum())
        ends = or_none(low[at]), or_none(high[at])
        yield RunRank(measure, run, rank, topics, float(means[at]), *ends, letters.get(run))


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
            means[alike] = bootstrap.quotients(*parts)
            ends[:, alike] = bootstrap.quotient_intervals(*parts, draws, plan.interval, plan.level)
            continue
        means[alike] = bootstrap.column_means(own)
        ends[:, alike] = bootstrap.mean_intervals(own, draws, plan.interval, plan.level)
    return means, ends[0], ends[1]


# What no data could have shown. The smallest p value of a test follows from the number of
# topics. If even all of these would not survive the correction, letters would be all the same by
# construction; so there are none.


def adjusted(p: Sequence[FloatArray], plan: Plan) -> list[FloatArray]:
    """The corrected p values of each measure: of all together, or measure by measure."""
    if plan.family == "measure":
        return [paired.corrected(each, plan.correction) for each in p]
    joined = paired.corrected(np.concatenate([np.zeros(0), *p]), plan.correction)
    return np.split(joined, np.cumsum([len(each) for each in p])[:-1])


def undetectable(pairs: Mapping[str, Tested], plan: Plan) -> dict[str, str]:
    """Measures by which no difference can be shown, each with the sentence that says why."""
    least = []
    for each in pairs.values():
        draws = plan.most_draws(_comparisons(pairs, each, plan))
        best = [paired.smallest_p(number, plan.test, draws) for number in each.topics.tolist()]
        least.append(np.where(np.isnan(each.p), np.nan, np.array(best, np.float64)))
    found = adjusted([each.p for each in pairs.values()], plan)
    reached = adjusted(least, plan)
    return {
        measure: _sentence(each, _comparisons(pairs, each, plan), plan)
        for (measure, each), own, best in zip(pairs.items(), found, reached, strict=True)
        if len(own) and not ((own <= plan.alpha) | (best <= plan.alpha)).any()
    }


def _comparisons(pairs: Mapping[str, Tested], own: Tested, plan: Plan) -> int:
    """How many comparisons a measure's pairs are corrected among."""
    family = pairs.values() if plan.family == "all" else [own]
    return sum(each.judged for each in family)


def _sentence(each: Tested, comparisons: int, plan: Plan) -> str:
    """Why no difference can be shown: `4 topics cannot show a difference at .05`."""
    at = f"cannot show a difference at {short(plan.alpha)}"
    topics = int(each.topics.max())
    draws = plan.most_draws(comparisons)
    least = paired.smallest_p(topics, plan.test, draws)
    if not topics:
        return f"runs that share no topic {at}"
    what = count(draws, "draw") if least == 1 / (draws + 1) else count(topics, "topic")
    if least > plan.alpha:
        return f"{what} {at}"
    if np.isnan(each.p).all():
        return f"differences that are the same on every topic {at} by this test"
    return f"{what} {at} among {count(comparisons, 'comparison')}"


def short(value: float) -> str:
    """A small number without its leading zero: `.05`."""
    return f"{value:.2g}".replace("0.", ".", 1) if 0 < value < 1 else f"{value:.2g}"


def by_reason(reasons: Mapping[str, str]) -> dict[str, list[str]]:
    """The measures that each reason holds for."""
    found: dict[str, list[str]] = {}
    for measure, reason in reasons.items():
        found.setdefault(reason, []).append(measure)
    return found


def causes(pairs: Mapping[str, Tested], reasons: Mapping[str, str], plan: Plan) -> Iterator[str]:
    """One warning for each reason: the measures that it holds for, and the remedies."""
    for reason, measures in by_reason(reasons).items():
        where = "" if len(measures) == len(pairs) else f"{listed(measures)}: "
        marks = "letters" if plan.baseline is None else "marks"
        cures = _cures({name: pairs[name] for name in measures}, pairs, plan)
        help_ = f"; remedies: {' | '.join(cures)}" if cures else ""
        yield f"{where}{reason}, so there are no {marks}{help_}"


def _cures(chosen: Mapping[str, Tested], pairs: Mapping[str, Tested], plan: Plan) -> list[str]:
    """Return the remedies that let these measures show a difference."""
    size = max(_comparisons(pairs, each, plan) for each in chosen.values())
    topics = max(int(each.topics.max()) for each in chosen.values())
    cures = []
    needed = next((n for n in range(2, MANY_TOPICS) if _can(n, size, plan)), topics)
    if needed > topics:
        cures.append(f"{needed} topics")
    own = max(each.judged for each in chosen.values())
    number = {name: len(np.unique(each.pairs)) for name, each in pairs.items()}
    runs = max(number[name] for name in chosen)
    if own < size and _can(topics, own, plan):
        cures.append("fewer measures (-m)")
        cures.append("--family measure")
    against = sum(max(each - 1, 0) for each in number.values())
    together = against if plan.family == "all" else runs - 1
    if plan.baseline is None and runs > 2 and _can(topics, together, plan):
        cures.append("--baseline RUN")
    elif plan.baseline is None and runs > 2 and len(pairs) > 1 and _can(topics, runs - 1, plan):
        cures.append("--baseline RUN with --family measure")
    if plan.correction in ("holm", "bonferroni") and _can(
        topics, size, replace(plan, correction="bh")
    ):
        cures.append("--correction bh, if some false differences among those found are no harm")
    if plan.test != "t" and topics > 1:
        cures.append("--test t, if differences are nearly normal")
    return cures


def _can(topics: int, comparisons: int, plan: Plan) -> bool:
    """Whether so many pairs over so many topics could all be told apart."""
    if comparisons < 1:  # no pair, as of a measure that no two runs have
        return False
    least = paired.smallest_p(topics, plan.test, plan.most_draws(comparisons))
    everywhere = paired.corrected(np.full(comparisons, least), plan.correction)
    return not isnan(least) and bool(everywhere.min() <= plan.alpha)


class Power(NamedTuple):
    """What a measure tells apart, as counts and as shares of the pairs; None is undefined.

    `corrected` is what is left after the correction over the measure's own pairs. `needed` is the
    largest difference that chance brings about at this level, over all pairs; `typical` its median.
    """

    measure: str
    pairs: int
    found: int
    power: float | None
    found_corrected: int
    power_corrected: float | None
    needed: float | None
    typical: float | None


def discriminate_board(board: Board, plan: Plan) -> Findings:
    """The power of each measure, the most powerful first; ties by the order of the measures."""
    check_directions(board)
    check_baseline(board.runs, plan)
    alone = replace(plan, family="measure")
    tested = compare_pairs(board, alone)
    rows = [_power(board, measure, each, plan) for measure, each in tested.items()]
    rows.sort(key=lambda row: -(row.power or 0.0))
    traits = plan.traits() | {"correction": f"{plan.correction}(measure)"}
    del traits["interval"]
    return Findings(
        parts={"power": FindingRows(Power, tuple(rows))},
        signature=signature("power", board.traits, traits),
        inputs=board.inputs,
        warnings=(*board.warnings, *_without_power(tested, alone)),
    )


def _without_power(tested: Mapping[str, Tested], plan: Plan) -> Iterator[str]:
    """A word for shares that are 0 whatever the scores: of single pairs, then of corrected ones."""
    single = undetectable(tested, replace(plan, correction="none"))
    corrected = undetectable(tested, plan)
    later = {name: why for name, why in corrected.items() if name not in single}
    for reasons, what in ((single, "the share is 0"), (later, "the corrected share is 0")):
        for reason, names in by_reason(reasons).items():
            where = "" if len(names) == len(tested) else f"{listed(names)}: "
            yield f"{where}{reason}, so {what} whatever the scores"


def _power(board: Board, measure: str, tested: Tested, plan: Plan) -> Power:
    """Return what a measure tells apart.

    The difference that a pair needs is what chance exceeds with the probability alpha: topics are
    drawn again and again from the pair's differences, moved to the mean 0.
    """
    judged = ~np.isnan(tested.p)
    number = int(judged.sum())
    found = int((tested.p[judged] <= plan.alpha).sum())
    adjusted = paired.corrected(tested.p, plan.correction)
    kept = int((adjusted[judged] <= plan.alpha).sum())
    needed = np.full(len(tested.p), np.nan)
    for columns, topics, differences in paired_topics(board, measure, tested.pairs):
        draws = topic_draws([board.topics[t] for t in topics.tolist()], plan)
        needed[columns] = bootstrap.chance_means(differences, draws, plan.level)
    if not number:
        return Power(measure, 0, 0, None, 0, None, None, None)
    ends = float(needed[judged].max()), float(np.median(needed[judged]))
    return Power(measure, number, found, found / number, kept, kept / number, *ends)


# Rank correlation of two boards.


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
    warnings = [*board.warnings, *(f"against: {line}" for line in other.warnings)]
    shared = {}
    for what in ("runs", "topics"):
        one, two = ({n: at for at, n in enumerate(getattr(b, what))} for b in (board, other))
        shared[what] = [(name, at, two[name]) for name, at in one.items() if name in two]
        for side, names, others in (("the scores", one, two), ("--against", two, one)):
            if lost := [name for name in names if name not in others]:
                warnings.append(f"{what} only in {side}, left out: {listed(lost)}")
    runs, topics = shared["runs"], shared["topics"]
    if len(runs) < 2 or not topics:
        held = (f"{count(len(b.topics), 'topic')} of {listed(b.runs)}" for b in (board, other))
        raise UsageError(
            "both sides need two runs or more and a topic in common; one side has "
            f"{next(held)}, the other {next(held)}"
        )
    ours, theirs = (np.ix_([x[at] for x in runs], [x[at] for x in topics]) for at in (1, 2))
    draws = topic_draws([name for name, *_ in topics], plan)
    draws = np.vstack([np.ones_like(draws[:1]), draws])  # the first is every topic once
    rows = []
    for pair in pair_measures(board, other, versus):
        values = board.oriented(pair[0])[ours], other.oriented(pair[1])[theirs]
        found = ranks.rank_correlations(*values, draws, persistence)
        for place, drawn in found.items():
            numbers = map(or_none, (drawn[0], *bootstrap.interval(drawn[1:], plan.level)))
            rows.append(Correlation(*pair, *place, len(runs), len(topics), *numbers))
    of_other = "|".join(f"{name}={value}" for name, value in other.traits.items())
    traits = {"against": f"({of_other})", "persistence": written(persistence)}
    traits |= {name: plan.traits()[name] for name in ("alpha", "resamples", "seed")}
    return Findings(
        parts={"correlations": FindingRows(Correlation, tuple(rows))},
        signature=signature("ranks", board.traits, traits),
        inputs=board.inputs + other.inputs,
        warnings=tuple(warnings),
    )
