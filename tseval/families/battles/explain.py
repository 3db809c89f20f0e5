"""What stands beside the scores of battles: intervals, pairs of runs, cycles, order and judges."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tseval.core.blocks import Block, Head, Note, Rows, Shaded
from tseval.core.family import View, ViewRequest, ViewRows
from tseval.core.frames import FrameEvaluation, to_pandas
from tseval.core.kernel import divided, total
from tseval.core.measure import Measure
from tseval.core.registry import measure
from tseval.core.scoring import scores_of
from tseval.core.sections import Setting
from tseval.errors import UsageError
from tseval.families.battles.measures import FAMILY, random_orders, rate_in_orders
from tseval.families.battles.rows import SIDES, wins_between
from tseval.io.times import number
from tseval.statistics.agreement import cohen_kappa
from tseval.statistics.bootstrap import LEVEL, resamples, seeded
from tseval.statistics.paired import corrected
from tseval.statistics.ratings import bradley_terry, shares_of_wins

if TYPE_CHECKING:
    from tseval.arrays import FloatArray, IntArray

EQUAL = 1e-9
"""Strengths so close together are equal: they are computed by steps that end there."""


def groups_of(battles: pl.DataFrame) -> pl.Series:
    """Return the group of each battle, of those that are drawn.

    Whole topics are drawn, since the battles of a topic resemble each other; battles where there
    is one topic.
    """
    topic = battles["topic"].to_physical().cast(pl.Int64).alias("group")
    every = pl.int_range(battles.height, eager=True).alias("group")
    return topic if topic.n_unique() > 1 else every


def resampled(evaluation: FrameEvaluation, wanted: Measure, options: Any) -> FloatArray:
    """Return the value of each run (a column) in each resample; NaN is undefined."""
    battles, runs = evaluation.frames["battles"], len(evaluation.frames.runs)
    group = groups_of(battles)
    times = resamples(group.n_unique(), seeded(options.seed, FAMILY), options.resamples)
    if wanted.definition.name == "Elo":
        k, start = (number(str(wanted.argument(name))) for name in ("k", "start"))
        orders = drawn_orders(battles, times[:, group.to_numpy()], options)
        return rate_in_orders(battles, runs, orders, k, start)
    tables = np.zeros((times.shape[1], runs, runs))
    for (at,), own in battles.group_by(group, maintain_order=True):
        tables[at] = wins_between(own, runs)
    won = np.einsum("dg,gij->dij", times.astype(float), tables)
    if wanted.definition.name == "BT":
        return np.array([bradley_terry(each) for each in won])
    return shares_of_wins(won)


def drawn_orders(battles: pl.DataFrame, times: IntArray, options: Any) -> IntArray:
    """Return for each resample its battles in the order of their times; -1 fills it up."""
    draw = np.random.default_rng(seeded(options.seed, FAMILY, "orders"))
    dates = battles["time"].to_numpy()
    drawn = [np.repeat(np.arange(len(own)), own) for own in times]
    orders = np.full((len(times), max(map(len, drawn))), -1)
    for row, places in zip(orders, drawn, strict=True):
        row[: len(places)] = places[random_orders(dates[places], draw, 1)[0]]
    return orders


def ends_of(values: FloatArray, battles: pl.DataFrame) -> FloatArray:
    """Return the ends of the intervals of columns, drawn from battles; NaN where there is no end.

    Percentiles alone are too narrow where few groups are drawn; these are moved outwards as much as
    the interval of a mean is by Student's t and the unbiased variance (Hesterberg 2015).
    """
    from scipy.special import ndtr, stdtrit

    groups = groups_of(battles).n_unique()
    below = max(1, groups - 1)
    tail = float(ndtr(stdtrit(below, (1 - LEVEL) / 2) * (max(groups, 2) / below) ** 0.5))
    known = (column[~np.isnan(column)] for column in values.T)
    shares = (tail, 1 - tail)
    found = np.array(
        [
            np.quantile(each, shares, method="inverted_cdf") if len(each) else (np.nan, np.nan)
            for each in known
        ]
    )
    return np.where(np.isfinite(found), found, np.nan)


def show_intervals(evaluation: FrameEvaluation, asked: ViewRequest[Any]) -> ViewRows:
    """Each measure with its 95 % interval, over random draws of topics."""
    if any(each.at is not None for each in asked.measures):
        raise UsageError("--intervals are of all battles: leave the @TIME out")
    frame = intervals_of(evaluation, asked)
    return ViewRows(to_pandas(frame), traits=traits_of(asked.options))


def traits_of(options: Any) -> dict[str, str]:
    """Return the parts of the signature that say how intervals are drawn."""
    return {"resamples": str(options.resamples), "seed": str(options.seed)}


def intervals_of(evaluation: FrameEvaluation, asked: ViewRequest[Any]) -> pl.DataFrame:
    """Return `run measure value low high`."""
    scores = scores_of(evaluation, asked.measures, asked.on_missing, asked.undefined)
    battles, parts = evaluation.frames["battles"], []
    for each in asked.measures:
        low, high = ends_of(resampled(evaluation, each, asked.options), battles).T
        values = [scores.value(each, run=run) for run in scores.runs]
        columns = {"run": scores.runs, "value": values, "low": low, "high": high}
        parts.append(pl.DataFrame(columns).with_columns(measure=pl.lit(each.name)))
    frame = pl.concat(parts, how="vertical_relaxed")
    return frame.select("run", "measure", pl.col("value", "low", "high").fill_nan(None))


def pairs_of(evaluation: FrameEvaluation, options: Any) -> pl.DataFrame:
    """Return each pair of runs: battles, results, and the difference of their strengths."""
    frames = evaluation.frames
    battles, runs = frames["battles"], frames.runs
    drawn = resampled(evaluation, measure("BT", FAMILY), options)
    strength = bradley_terry(wins_between(battles, len(runs)))
    won = pl.col("won")
    counts = {
        (one, other): numbers
        for one, other, *numbers in battles.group_by(SIDES)
        .agg((won == 1).sum(), (won == 0.5).sum().alias("ties"), (won == 0).sum().alias("losses"))
        .iter_rows()
    }
    rows = []
    for one, other in combinations(range(len(runs)), 2):
        first, second = (one, other) if strength[one] >= strength[other] else (other, one)
        wins, ties, losses = counts.get((runs[one], runs[other]), (0, 0, 0))
        with np.errstate(invalid="ignore"):
            gap = strength[first] - strength[second]
            gaps = (drawn[:, first] - drawn[:, second])[:, np.newaxis]
            gaps[np.abs(gaps) < EQUAL] = 0.0
            ((low, high),) = ends_of(gaps, battles)
        if first != one:
            wins, losses = losses, wins
        row = (runs[first], runs[second], wins, ties, losses, sign_test(wins, losses))
        rows.append((*row, *(float(x) if np.isfinite(x) else None for x in (gap, low, high))))
    names = ("run", "other", "wins", "ties", "losses", "p", "difference", "low", "high")
    types = [pl.String] * 2 + [pl.Int64] * 3 + [pl.Float64] * 4
    frame = pl.DataFrame(rows, schema=dict(zip(names, types, strict=True)), orient="row")
    differ = (pl.col("low") > 0) | (pl.col("high") < 0)
    adjusted = pl.Series(corrected(frame["p"].to_numpy(), "holm"), dtype=pl.Float64)
    words = pl.when(differ.fill_null(value=False)).then(pl.lit("yes")).otherwise(pl.lit("no"))
    return frame.with_columns(p=adjusted, differ=words)


def sign_test(wins: int, losses: int) -> float:
    """Return how probable so uneven a result is between equals, without the ties (two-sided)."""
    battles, fewer = wins + losses, min(wins, losses)
    ways = sum(comb(battles, each) for each in range(fewer + 1))
    return min(1.0, float(2 * ways / 2**battles))


def pairs(evaluation: FrameEvaluation, asked: ViewRequest[Any]) -> ViewRows:
    """Each pair of runs: its battles, and whether their strengths differ."""
    note = (
        "p: exact sign test of wins against losses, corrected by Holm. difference: of BT, with its "
        "95 % interval; the runs differ if it is above 0."
    )
    frame = pairs_of(evaluation, asked.options)
    return ViewRows(to_pandas(frame), notes=(note,), traits=traits_of(asked.options))


def cycles(evaluation: FrameEvaluation, _: ViewRequest[Any]) -> ViewRows:
    """Each cycle of three runs: a beats b, b beats c, c beats a."""
    runs = evaluation.frames.runs
    won = wins_between(evaluation.frames["battles"], len(runs))
    beats = won > won.T
    rows = [
        (runs[one], runs[second], runs[third])
        for one in range(len(runs))
        for second in range(one + 1, len(runs))
        for third in range(one + 1, len(runs))
        if beats[one, second] and beats[second, third] and beats[third, one]
    ]
    schema = dict.fromkeys(("run", "second", "third"), pl.String)
    return ViewRows(to_pandas(pl.DataFrame(rows, schema=schema, orient="row")))


def order(evaluation: FrameEvaluation, _: ViewRequest[Any]) -> ViewRows:
    """The wins of each run when shown first and when second: position bias."""
    outputs = evaluation.frames.outputs
    every = outputs.with_columns(run=pl.lit("all"))
    rows = pl.concat([outputs.cast({"run": pl.String}), every.select(outputs.columns)])
    is_first, won = pl.col("is_first"), pl.col("won")
    first, second = won.filter(is_first), won.filter(~is_first)
    counts = rows.group_by("run", maintain_order=True).agg(
        n_first=first.count(),
        share_first=divided(total(first), first.count()),
        n_second=second.count(),
        share_second=divided(total(second), second.count()),
        above=first.filter(first == 1).count(),
        below=first.filter(first == 0).count(),
    )
    p = [sign_test(*both) for both in counts.select("above", "below").iter_rows()]
    is_whole = pl.col("run") == "all"
    shown = counts.with_columns(p=pl.when(is_whole).then(pl.Series(p))).drop("above", "below")
    frame = shown.with_columns(pl.col("n_first", "n_second").cast(pl.Int64))
    note = "p: exact sign test of whether the run that is seen first wins more often, or less."
    return ViewRows(to_pandas(frame), notes=(note,))


def judges(evaluation: FrameEvaluation, _: ViewRequest[Any]) -> ViewRows:
    """The agreement of each two judges on the battles that both judged."""
    battles = evaluation.frames["battles"].with_columns(pl.col("won").cast(pl.Float64))
    key = ["topic", *SIDES]
    verdicts = (
        battles.group_by(*key, "judge")
        .agg(divided(total(pl.col("won")), pl.len()).alias("won"))
        .sort(*key, "judge")
    )
    both = verdicts.join(verdicts, on=key, suffix="_other")
    both = both.filter(pl.col("judge") < pl.col("judge_other"))
    rows = []
    for (one, other), own in both.group_by("judge", "judge_other", maintain_order=True):
        table = np.zeros((3, 3))
        at = [np.sign(own[name].to_numpy() - 0.5).astype(int) + 1 for name in ("won", "won_other")]
        np.add.at(table, tuple(at), 1)
        rows.append(
            (one, other, own.height, float(np.trace(table) / own.height), float(cohen_kappa(table)))
        )
    names = ("judge", "other", "battles", "agreement", "kappa")
    types = [pl.String] * 2 + [pl.Int64] + [pl.Float64] * 2
    schema = dict(zip(names, types, strict=True))
    frame = pl.DataFrame(rows, schema=schema, orient="row").sort("judge", "other")
    return ViewRows(to_pandas(frame.with_columns(pl.col("kappa").fill_nan(None))))


VIEWS = (
    View(
        "intervals",
        "each measure with its interval",
        show_intervals,
        takes_measures=True,
        by_topic=False,
        asked_by="--intervals",
    ),
    View.of(pairs, by_topic=False),
    View.of(cycles, by_topic=False),
    View.of(order, by_topic=False),
    View.of(judges, by_topic=False),
)


def sections(evaluation: FrameEvaluation, setting: Setting[Any]) -> Iterator[Block]:
    """Yield the ratings with intervals, and who wins against whom, for a report."""
    frames = evaluation.frames
    yield Note(
        "Runs are compared two by two. BT is the natural logarithm of a run's strength; its 95 % "
        "interval says how far it depends on which topics were judged."
    )
    asked = ViewRequest((measure("BT", FAMILY), measure("wins", FAMILY)), setting.options)
    rows = [
        (setting.run(run), *rest)
        for run, *rest in intervals_of(evaluation, asked).iter_rows()
        if run in setting.runs
    ]
    heads = (Head("run", "run"), Head("measure", "text"), *map(Head, ("value", "low", "high")))
    yield Rows("Ratings with their intervals", heads, tuple(rows))
    won = wins_between(frames["battles"], len(frames.runs))
    battles = won + won.T
    shares = tuple(
        tuple(float(w / n) if n else None for w, n in zip(*both, strict=True))
        for both in zip(won, battles, strict=True)
    )
    label = "Share of battles that the run of the row won against that of the column"
    yield Shaded(label, "run", frames.runs, tuple(map(setting.run, frames.runs)), shares)
