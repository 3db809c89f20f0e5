"""When posts were made: by a table of epochs, or by their Snowflake ids; and the days of times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.records import frozen
from tseval.tables.columns import Ids
from tseval.tables.keys import last_row_of
from tseval.tables.names import ABSENT
from tseval.tables.origin import Origin

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

SNOWFLAKE_START = 1_288_834_974_657
"""The milliseconds since 1970 from which Snowflake ids count theirs."""
SNOWFLAKE_SHIFT = 22
MILLISECONDS = 1000.0
FAR_DAY = 1e9
"""Days further from 1970 than this have one number: no calendar reaches there."""


@frozen
class Epochs:
    """When each post was created: its day as a number such as 20170729, and Unix seconds."""

    post_id: Ids
    day: IntArray
    time: FloatArray
    origin: Origin | None = None
    """None for what no file tells."""

    def times_of(self, posts: Ids) -> FloatArray:
        """When these posts were created; NaN for those that are not here. The last row counts."""
        row = last_row_of(posts.within(self.post_id.names), self.post_id.codes)
        return np.where(row == ABSENT, np.nan, np.append(self.time, np.nan)[row])


def snowflake_times(posts: Ids) -> FloatArray:
    """Times from the ids themselves: milliseconds in the bits above the lowest 22."""
    times = [_snowflake(name) for name in posts.vocabulary()]
    return np.array(times, np.float64)[posts.codes]


def _snowflake(name: str) -> float:
    """The time in a Snowflake id; NaN for any other id."""
    if not (name.isascii() and name.isdigit() and len(name) < 20):
        return np.nan
    since = int(name) >> SNOWFLAKE_SHIFT
    return (since + SNOWFLAKE_START) / MILLISECONDS if since else np.nan


def days_of(times: FloatArray) -> IntArray:
    """The day of each time in UTC, as a number such as 20170729."""
    since = np.clip(np.floor(times / 86_400), -FAR_DAY, FAR_DAY)
    day = since.astype(np.int64).astype("datetime64[D]")
    month, year = day.astype("datetime64[M]"), day.astype("datetime64[Y]")
    numbers: IntArray = (year.astype(np.int64) + 1970) * 10_000
    numbers += ((month - year).astype(np.int64) + 1) * 100
    numbers += (day - month).astype(np.int64) + 1
    return numbers
