"""The period and its batches: equal lengths of time, cut from the period's start."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.batches import places
from tseval.errors import UsageError
from tseval.records import frozen
from tseval.tables.times import TIME_CURE, Moment, NotANumber, dated, duration

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

MOST_BATCHES = 1_000_000
"""More batches than this are a slip in a unit of time, and no memory would hold them."""


ROUNDING = 1e-12
"""A part of a batch that is smaller is what a division leaves behind, no batch."""


@frozen
class Period:
    """From `start` on, up to but without `end`, in Unix seconds."""

    start: float
    end: float

    @classmethod
    def of(
        cls, times: FloatArray, start: str | None, end: str | None, *, relative: bool = False
    ) -> Period:
        """The period asked for, by default from the first judged document to the last.

        A start such as `6h` counts from the first judged document, such an end from the start. An
        end that is not asked for is the first whole second after the last document. With times
        that count from the topic's start the default start is 0.
        """
        if not len(times):
            raise UsageError("no judged document has a time: there is no period to look at")
        first = 0.0 if relative else float(times.min())
        begins = first if start is None else _moment("--start", start, first)
        ends = math.floor(times.max()) + 1.0 if end is None else _moment("--end", end, begins)
        if ends <= begins:
            raise UsageError(
                f"the period ends at {dated(ends)}, which is not after its start at "
                f"{dated(begins)}; documents are judged from {dated(first)} to "
                f"{dated(times.max())}: choose --start and --end so that some lie between them"
            )
        return cls(begins, ends)

    def holds(self, times: FloatArray) -> BoolArray:
        """Which times lie in it."""
        return (times >= self.start) & (times < self.end)

    def cut(self, length: str, partial: str) -> Cut:
        """Its batches of a length such as `1d`; a shorter last one is kept or dropped."""
        seconds = seconds_of(length)
        exact = (self.end - self.start) / seconds
        if exact > MOST_BATCHES:
            raise UsageError(
                f"--batch {length}: that makes {exact:,.0f} batches of the period; no more than "
                f"{MOST_BATCHES:,} are possible: choose longer ones"
            )
        whole = math.floor(exact + ROUNDING * max(exact, 1.0))
        number = whole if partial == "drop" or whole >= exact else whole + 1
        if not number:
            raise UsageError(f"--batch {length} is longer than the period: no batch is whole")
        return Cut(self, length, seconds, number, shorter=number > whole)


def seconds_of(length: str) -> float:
    """How long a batch of this length lasts."""
    try:
        seconds = duration(length)
    except NotANumber as error:
        raise UsageError(f"--batch: {error}") from None
    if seconds <= 0:
        raise UsageError(f"--batch {length}: a batch has to last longer than nothing")
    return seconds


def _moment(option: str, text: str, first: float) -> float:
    if not text.strip():
        raise UsageError(f"{option}: a time is missing; {TIME_CURE}, or a length such as 6h")
    try:
        return Moment.parse(text).seconds_after(first)
    except NotANumber as error:
        raise UsageError(f"{option}: {error}") from None


@frozen
class Cut:
    """The batches of a period: `number` of them, each of `seconds`, the last perhaps shorter."""

    period: Period
    length: str
    seconds: float
    number: int
    shorter: bool

    @cached_property
    def starts(self) -> FloatArray:
        """When each batch starts."""
        return self.period.start + self.seconds * np.arange(self.number, dtype=np.float64)

    @cached_property
    def ends(self) -> FloatArray:
        """When each batch ends: the last with the period, unless what is left over was dropped."""
        last = min(self.period.start + self.seconds * self.number, self.period.end)
        return np.append(self.starts[1:], last)

    def batch(self, times: FloatArray) -> IntArray:
        """The number of each time's batch; `number` for a time that lies in none."""
        batch = places(np.full(len(times), self.period.start), times, self.seconds)
        inside = self.period.holds(times) & (batch < self.number)
        return np.where(inside, batch, self.number).astype(np.int64)
