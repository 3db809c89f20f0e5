"""From the table of battles to rows: what each run won of each battle, and the topics' times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tseval.core.frames import FrameIndex
from tseval.core.kernel import natural
from tseval.core.wording import count, listed
from tseval.io.names import natural_order
from tseval.io.tables import Table
from tseval.statistics.ratings import bradley_terry

if TYPE_CHECKING:
    pass

SIDES = ("run_a", "run_b")


def index_of(table: Table) -> FrameIndex:
    """Return the battles in an order of their own, each with its runs in natural order.

    So neither the order of rows nor which run stands first in a row changes a rating.
    """
    frame = table.frame
    runs = natural_order({*frame["run_a"], *frame["run_b"]})
    run, topic = pl.Enum(runs), natural(frame["topic"])
    lacking = [name for name in ("judge", "order") if name not in frame.columns]
    battles = frame.with_columns(
        *(pl.lit("").alias(name) for name in lacking),
        time=pl.col("time") if are_dated(frame) else pl.lit(0.0),
    ).select("topic", *SIDES, "won", "time", pl.col("judge", "order").fill_null("").cast(pl.String))
    battles = battles.cast({"topic": topic, "run_a": run, "run_b": run})
    turned = pl.col("run_a").to_physical() > pl.col("run_b").to_physical()
    battles = battles.with_columns(
        run_a=pl.when(turned).then("run_b").otherwise("run_a"),
        run_b=pl.when(turned).then("run_a").otherwise("run_b"),
        won=pl.when(turned).then(1 - pl.col("won")).otherwise("won"),
        is_first=(pl.col("order") == "ba") == turned,
    ).drop("order")
    battles = battles.sort("time", "topic", *SIDES, "judge", "won", "is_first")
    times = battles.group_by("topic").agg(
        start=pl.col("time").min(), end=pl.col("time").max() + 1, latest=pl.col("time").max()
    )
    return FrameIndex.of(runs, times.sort("topic"), results_of(battles), battles=battles)


def are_dated(battles: pl.DataFrame) -> bool:
    """Return whether every battle has a time."""
    return "time" in battles.columns and not battles["time"].has_nulls()


def results_of(battles: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each run of each battle: `run topic time won is_first`."""
    won, is_first = pl.col("won"), pl.col("is_first")
    sides = (("run_a", won, is_first), ("run_b", 1 - won, ~is_first))
    return pl.concat(
        battles.select("topic", "time", run=run, won=share, is_first=first)
        for run, share, first in sides
    )


def wins_between(
    battles: pl.DataFrame, runs: int
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return how many battles each run won against each other, a tie as half a battle."""
    one, other = (battles[side].to_physical().to_numpy() for side in SIDES)
    won, wins = battles["won"].to_numpy(), np.zeros((runs, runs))
    np.add.at(wins, (one, other), won)
    np.add.at(wins, (other, one), 1 - won)
    return wins


def find_warnings(index: FrameIndex) -> Iterator[str]:
    """Yield which runs have no rating, and why."""
    strengths = bradley_terry(wins_between(index["battles"], len(index.runs)))
    for sign, words in ((np.inf, "won"), (-np.inf, "lost")):
        names = [run for run, each in zip(index.runs, strengths, strict=True) if each == sign]
        if names:
            yield (
                f"BT is undefined for {count(len(names), 'run')} that {words} every battle: "
                f"{listed(names)}"
            )
    apart = [run for run, each in zip(index.runs, strengths, strict=True) if np.isnan(each)]
    if apart:
        yield f"BT is undefined for runs that no battles connect with the others: {listed(apart)}"
