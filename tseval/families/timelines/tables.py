"""Timelines as a table: one row a sentence of the summary of a day."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.records import frozen
from tseval.tables.base import Table, all_said, of_table, optional
from tseval.tables.columns import Ids, Texts
from tseval.tables.origin import Origin
from tseval.tables.schema import RUN, TOPIC, Column, Kind, Schema

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

UNNAMED = "timeline"
"""What the topic is called where no file names one."""
TIMELINES = Schema(
    "timelines",
    (
        TOPIC,
        Column("date", Kind.ID, aliases=("day",), meaning="the day: `2010-09-19`"),
        Column(
            "text",
            Kind.TEXT,
            aliases=("sentence", "summary"),
            meaning="a sentence of the day's summary",
        ),
        RUN,
        Column(
            "timeline",
            Kind.ID,
            required=False,
            meaning="which of several timelines of the topic; without it that of the file",
        ),
        Column(
            "date_entry",
            Kind.ID,
            required=False,
            meaning="1, 2, …: which entry of its date, where a date stands more than once",
        ),
        Column(
            "published",
            Kind.TIME,
            required=False,
            may_be_blank=True,
            meaning="when the sentence was there; without it, or where it is blank, on its day",
        ),
    ),
    row="a sentence of the summary of a day",
)


@frozen
class Timelines(Table):
    """The sentences of timelines, in the order of the file."""

    run: Ids
    topic: Ids
    timeline: Ids
    day: IntArray
    """The day by its number in the calendar; `ABSENT` in the one row of a timeline without any."""
    entry: IntArray
    """Which entry of the file it stands in: one day may have several, and some rules keep one."""
    in_list: BoolArray
    """Whether it is a sentence of a list; else it is a whole summary, given as one string."""
    text: Texts
    origin: Origin
    published: FloatArray | None = optional(np.nan)
    """When each sentence was there; NaN where that is not told."""
    has_topics: bool = of_table(default=True, joined=any)
    """Whether a file names topics."""
    remarks: tuple[str, ...] = of_table(default=(), joined=all_said)
    """What a reader should know of how the files were read."""
