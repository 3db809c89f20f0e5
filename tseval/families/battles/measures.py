"""The share of battles won, and ratings by Bradley-Terry's model and by Elo's update."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from tseval.core.frames import FrameIndex
from tseval.core.kernel import KEY, Contributions, ratio
from tseval.core.measure import Measure, Parameter, documented
from tseval.core.results import ContributionResult, Result, Values
from tseval.families.battles.rows import SIDES, wins_between
from tseval.io.times import number
from tseval.records import frozen
from tseval.statistics.bootstrap import column_means
from tseval.statistics.ratings import bradley_terry, elo

if TYPE_CHECKING:
    from tseval.arrays import FloatArray, IntArray

FAMILY = "battles"
BRADLEY_TERRY = "Bradley and Terry, Rank Analysis of Incomplete Block Designs, Biometrika 39 (1952)"
ELO = "Elo, The Rating of Chessplayers (1978)"
ORDERS = 100
"""So many random orders are averaged where times do not order the battles."""
Rate: TypeAlias = Callable[[pl.DataFrame, int], "FloatArray"]
"""From some battles and the number of runs to the rating of each; NaN and infinity are none."""


def wins(index: FrameIndex, _: Measure) -> ContributionResult:
    """Share of battles won.

    The share of a run's battles that it won; a tie counts half.

    (battles won + ties / 2) / battles, of the battles judged before t; `all` is that of all topics'
    battles together.

    Undefined for a run without battles.
    """
    rows = index.outputs.select(*KEY, "time", above="won", below=1.0)
    return index.result(Contributions([rows], ratio(), weight="below"))


@frozen
class Ratings(Result):
    """A rating of each run from the battles of each topic, and from all battles."""

    index: FrameIndex
    rate: Rate

    def before(self, times: FloatArray) -> Values:
        """Return the ratings of each topic from its battles that were judged before its time."""
        battles, topics = self._judged(times), self.index.topics
        found = np.full((len(self.index.runs), len(topics)), np.nan)
        for (topic,), rows in battles.group_by("topic", maintain_order=True):
            found[:, topics.index(str(topic))] = self.rate(rows, len(found))
        return values_of(found.ravel())

    def of_runs(self, times: FloatArray) -> Values:
        """Return the ratings from the battles of all topics together."""
        return values_of(self.rate(self._judged(times), len(self.index.runs)))

    def _judged(self, times: FloatArray) -> pl.DataFrame:
        """The battles that were judged before the time of their topic."""
        limits = self.index.times.select("topic", limit=pl.Series(times[: len(self.index.topics)]))
        battles = self.index["battles"].join(limits, on="topic", maintain_order="left")
        return battles.filter(pl.col("time") < pl.col("limit"))


def values_of(ratings: FloatArray) -> Values:
    """Return ratings of which some are undefined."""
    defined = np.isfinite(ratings)
    return Values(np.where(defined, ratings, 0.0), defined)


def rate_strength(battles: pl.DataFrame, runs: int) -> FloatArray:
    """Return the strength of each run by Bradley-Terry's model."""
    return bradley_terry(wins_between(battles, runs))


def strengths(index: FrameIndex, _: Measure) -> Ratings:
    """Bradley-Terry strength.

    The logarithm of a run's strength: a run that is higher by d wins 1 / (1 + exp(-d)) of the
    battles between the two.

    The strengths s, with mean 0, that maximise the sum over battles of log(1 / (1 + exp(s_loser -
    s_winner))); a tie is half a battle won by each; `all` is from the battles of all topics.

    Undefined for a run that won, or lost, all its battles, and for runs that no battles connect.
    """
    return Ratings(index, rate_strength)


def updated(index: FrameIndex, measure: Measure) -> Ratings:
    """Rating by Elo.

    The rating after all battles, where each battle moves points from the loser to the winner.

    From `start` on, a run gains k * (won - 1 / (1 + 10^((other's rating - its rating) / 400))) by
    each battle, where won is 1, 0 or 1/2, in the order of their times. Where battles have no time,
    or the same, it is the mean over 100 random orders.

    Undefined for a run without battles.
    """
    k, start = (number(str(measure.argument(name))) for name in ("k", "start"))
    return Ratings(index, partial(rate_elo, k=k, start=start))


def rate_elo(battles: pl.DataFrame, runs: int, k: float, start: float) -> FloatArray:
    """Return the rating of each run by Elo's update, on average over random orders."""
    draw = np.random.default_rng(0)
    number_of_orders = 1 if battles["time"].is_unique().all() else ORDERS
    order = random_orders(battles["time"].to_numpy(), draw, number_of_orders)
    return column_means(rate_in_orders(battles, runs, order, k, start))


def random_orders(times: FloatArray, draw: np.random.Generator, number: int) -> IntArray:
    """Return the places of battles in the order of their times, each row another order of ties."""
    keys = draw.random((number, len(times)))
    return np.array([np.lexsort((own, times)) for own in keys])


def rate_in_orders(
    battles: pl.DataFrame, runs: int, order: IntArray, k: float, start: float
) -> FloatArray:
    """Return the ratings by Elo's update for each order; NaN for runs without battles."""
    one, other = (battles[side].to_physical().cast(pl.Int64).to_numpy() for side in SIDES)
    found = elo(one, other, battles["won"].to_numpy(), order, runs, k, start)
    met = np.zeros((len(order), runs), bool)
    every = np.arange(len(order))[:, np.newaxis]
    for side in (one, other):
        met[every, side[order]] |= order >= 0
    return np.where(met, found, np.nan)


DEFINITIONS = (
    documented(
        wins,
        family=FAMILY,
        range="0 to 1",
        citation="the share that leader boards show",
        account=wins,
    ),
    documented(
        strengths,
        name="BT",
        family=FAMILY,
        range="any number; 0 is the mean of all runs",
        citation=BRADLEY_TERRY,
        account=strengths,
    ),
    documented(
        updated,
        name="Elo",
        family=FAMILY,
        range="any number; `start` is the mean of all runs",
        citation=ELO,
        account=updated,
        parameters=(
            Parameter(
                "k", "how far one battle moves a rating", "32", ("4", "16", "32"), parse=number
            ),
            Parameter(
                "start", "the rating before any battle", "1000", ("0", "1000", "1500"), parse=number
            ),
        ),
    ),
)
"""The measures of battles."""
