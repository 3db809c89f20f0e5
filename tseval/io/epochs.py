"""When posts were created: by a file, `post YYYYMMDD epoch` a line or a table, or by their ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import polars as pl

from tseval.io.faults import FaultList
from tseval.io.fields import Layout
from tseval.io.inputs import Input, first_row
from tseval.io.schema import EPOCHS
from tseval.io.tables import TableReader, TrackFile, add_faults, has_missing_columns

SNOWFLAKE_START = 1_288_834_974_657
"""The milliseconds since 1970 from which Snowflake ids count theirs."""
SNOWFLAKE_UNIT = 2**22
FAR_TIME = 7e12
"""Times further from 1970 than this have one day: no calendar reaches there."""
LINES = Layout(EPOCHS, "post_id day time")
Clock: TypeAlias = "Callable[[pl.Series], pl.Series]"
"""From posts to when they were created; null where that is not known."""


def are_epochs(source: Input) -> bool:
    """Return whether an input looks like lines of epochs."""
    fields = first_row(source).split()
    return len(fields) == 3 and len(fields[1]) == len("YYYYMMDD") and fields[1].isdigit()


def is_no_table(source: Input) -> bool:
    """Return whether an input lacks the header of the plain table."""
    return has_missing_columns(source, EPOCHS)


def check_epochs(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Refuse a post that stands twice with two times."""
    if frame["post_id"].n_unique() < frame.height:
        first = frame.unique("post_id", keep="first", maintain_order=True)
        both = frame.join(first, on="post_id", suffix=" before", maintain_order="left")
        wrong = both.filter(pl.col("time") != pl.col("time before"))
        where = f"than in {faults.source.unit} {{line before}}"
        reason = f'post "{{post_id}}" has another time {where}'
        add_faults(faults, wrong, reason, "keep one of them", "conflicting-rows")
    return frame.with_columns(pl.col("day").cast(pl.Int64, strict=False))


EPOCHS_READER = TableReader(
    schema=EPOCHS,
    tracks=(TrackFile(recognise=are_epochs, applies=is_no_table, layout=LINES),),
    check=check_epochs,
)


def clock_of(epochs: pl.DataFrame) -> Clock:
    """Return the clock that `post_id time` tells; of several rows of a post the last counts."""
    known = epochs.select("post_id", "time").unique("post_id", keep="last")
    return lambda posts: pl.DataFrame({"post_id": posts}).join(
        known, on="post_id", how="left", maintain_order="left"
    )["time"]


def snowflake_times(posts: pl.Series) -> pl.Series:
    """Return the times in Snowflake ids: milliseconds in the bits above the lowest 22."""
    numbers = posts.set(~posts.str.contains("^[0-9]{1,19}$"), None).cast(pl.UInt64)
    since = (numbers // SNOWFLAKE_UNIT).cast(pl.Float64)
    since = since.set(since == 0, None)
    since += SNOWFLAKE_START
    return since / (since * 0.0 + 1000.0)


def days_of(times: pl.Series) -> pl.Series:
    """Return the day of each time in UTC, as a number such as 20170729."""
    seconds = times.floor().clip(-FAR_TIME, FAR_TIME).cast(pl.Int64)
    days = (seconds // 86_400).cast(pl.Int32).cast(pl.Date).dt
    return days.year().cast(pl.Int64) * 10_000 + days.month().cast(pl.Int64) * 100 + days.day()
