"""Dates as timelines write them."""

from __future__ import annotations

import re
from datetime import date

STRICT = re.compile(r"\d{4}-\d{1,2}-\d{1,2}", re.ASCII)
"""How the text form writes a day; months and days may have one digit."""
LOOSE = re.compile(
    r"(?P<year>\d{4})(?:-?(?P<month>\d{2})-?(?P<day>\d{2})|-(?P<m>\d{1,2})(?:-(?P<d>\d{1,2}))?)?"
    r"\s*(?:[T\s]\d{1,2}:.*)?",
    re.ASCII,
)
DAY = 86400.0
EPOCH = date(1970, 1, 1).toordinal()
CURE = "write the day as year, month and day: 2010-09-19"


def strict_day(text: str) -> int | None:
    """The number of a day written as year, month and day, each a number; else None."""
    return day_of(text) if STRICT.fullmatch(text) else None


def day_of(text: str) -> int | None:
    """The number of a day in the calendar; None if it is none.

    Time and zone are cut off. Without a day, or a month too, it is the first of them.
    """
    found = LOOSE.fullmatch(text.strip())
    if found is None:
        return None
    month, day = found["month"] or found["m"] or "1", found["day"] or found["d"] or "1"
    try:
        return date(int(found["year"]), int(month), int(day)).toordinal()
    except ValueError:
        return None


def is_whole(text: str) -> bool:
    """Whether a date names its day, not its month or year alone."""
    found = LOOSE.fullmatch(text.strip())
    return found is not None and bool(found["day"] or found["d"])


def seconds_of(day: int) -> float:
    """When a day begins, in Unix seconds."""
    return (day - EPOCH) * DAY


def written(day: int) -> str:
    """A day as year, month and day."""
    return date.fromordinal(day).isoformat()
