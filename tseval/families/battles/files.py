"""The file of battles: one table, whose rows are a judge's verdicts on pairs of runs."""

from __future__ import annotations

import polars as pl

from tseval.io.faults import FaultList
from tseval.io.schema import TOPIC, Column, Kind, Schema, blank
from tseval.io.tables import TableReader, add_faults, check_topics

FIRST, SECOND = ("a", "run_a", "model_a"), ("b", "run_b", "model_b")
TIES = ("tie", "tie (bothbad)")
BATTLES = Schema(
    "battles",
    (
        TOPIC,
        Column("run_a", Kind.ID, aliases=("model_a", "system_a"), meaning="a run"),
        Column("run_b", Kind.ID, aliases=("model_b", "system_b"), meaning="the other run"),
        Column(
            "winner",
            Kind.ID,
            meaning="the run that is better, by its name or as `a` or `b`; or `tie`",
        ),
        blank("judge", Kind.ID, meaning="the name of the judge"),
        blank(
            "order",
            Kind.ID,
            choices=("ab", "ba"),
            meaning="`ab` if the judge saw `run_a` first or on the left, which is also meant "
            "without it, and `ba` if `run_b`",
        ),
        blank("time", Kind.TIME, meaning="the time of the judgment"),
    ),
    row="a judge's comparison of two runs on a topic",
)


def read_winners(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Add `won`, what the first run gets of a battle: 1, 0, or 0.5 for a tie."""
    check_topics(frame, faults)
    first, second, winner = (pl.col(name).cast(pl.String) for name in ("run_a", "run_b", "winner"))
    word = winner.str.to_lowercase()
    won = (
        pl.when(winner == first)
        .then(1.0)
        .when(winner == second)
        .then(0.0)
        .when(word.is_in(FIRST))
        .then(1.0)
        .when(word.is_in(SECOND))
        .then(0.0)
        .when(word.is_in(TIES))
        .then(0.5)
    )
    frame = frame.with_columns(won=won)
    alone = frame.filter(first == second)
    cure = "a battle is between two runs: leave the row out"
    add_faults(faults, alone, 'run "{run_a}" stands against itself', cure, "duplicate-id")
    reason = 'winner "{winner}" is neither "{run_a}" nor "{run_b}"'
    unknown = frame.filter(won.is_null() & (first != second))
    add_faults(faults, unknown, reason, "write a run of the row, a, b or tie", "unknown-label")
    return frame


READER = TableReader(
    schema=BATTLES,
    check=read_winners,
    empty=("holds no battles", "without battles there is nothing to score"),
)
