"""Times as numbers: Unix seconds, ISO 8601, lengths of time such as `6h`, moments of both kinds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from itertools import product
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from tseval.errors import UsageError, check_choice, did_you_mean
from tseval.records import frozen

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_ISO = re.compile(r"(\d{4}-\d\d-\d\d|\d{8}|\d{4}-?W\d\d(-?\d)?)([T ](?!24).+)?", re.ASCII)
TIME_CURE = "write Unix seconds, such as 1329910380, or ISO 8601, such as 2012-02-22T11:33Z"


TOO_LARGE = 1e100
"""From here on a number is refused, so that no sum or square of a few of them overflows."""


class NotANumber(ValueError):
    """A cell that is no number or time; its text says why."""


def number(cell: str) -> float:
    """A finite decimal number below `TOO_LARGE`, or a `NotANumber`."""
    cell = cell.strip(" ")
    if _NUMBER.fullmatch(cell):
        value = float(cell)
        if abs(value) < TOO_LARGE:
            return value
        raise NotANumber("is too large for a number")
    if _NOT_FINITE.fullmatch(cell):
        raise NotANumber("is not a finite number")
    raise NotANumber("is empty" if not cell else "is not a number")


def written(value: float) -> str:
    """The shortest text that `number` reads as this very number, such as 2, 0.55 or 1329910380.5.

    Signatures and explanations hold it: a rounded number would give two evaluations one signature.
    """
    value = float(value)
    whole = value.is_integer() and abs(value) < EXACT_INTEGERS
    return str(int(value)) if whole else repr(value)


EXACT_INTEGERS = 2.0**53
"""Below this every integer is a float of its own."""


def iso_time(cell: str) -> datetime:
    """Return a time in ISO 8601 with its zone, if it has one, or raise `NotANumber`."""
    cell = cell.strip(" ")
    try:
        # Between date and time `fromisoformat` takes any character, and from Python 3.14 on 24:00.
        return datetime.fromisoformat(cell if _ISO.fullmatch(cell) else "")
    except ValueError:
        raise NotANumber("is neither a number nor an ISO 8601 time") from None


TIMES = ("time", "update_time", "start", "end")
"""The columns of what is shown that hold Unix seconds, unless their numbers are too small."""
EARLIEST = 631_152_000.0
"""1990 in Unix seconds. A time before it is no time of what these families score, but a number that
was never one of seconds since 1970: of hours, of a spreadsheet, of a conversion that went wrong."""
SERIAL_ZERO = datetime(1899, 12, 30, tzinfo=UTC)
"""Day 0 of a spreadsheet, whose times are days."""
DAYS = "days"
"""The format of numbers that are days of a spreadsheet."""
SERIALS = (32_874.0, 73_051.0)
"""The days of a spreadsheet from 1990 to 2100."""
_DIGITS = re.compile(
    r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(([01]\d|2[0-3])[0-5]\d([0-5]\d)?)?", re.ASCII
)
_DIGIT_FORMATS = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
SERIAL_CURE = (
    "a spreadsheet keeps times as days: give the column the format yyyy-mm-ddThh:mm:ss before you "
    "export it, or pass --time-format days; if times "
    "count from the topic's start, pass --clock relative"
)
DIGITS_CURE = (
    "digits alone are seconds: write a date with its hyphens, such as 2012-02-22, or pass "
    '--time-format "{}"'
)
EARLY_CURE = f"{TIME_CURE}; if times count from the topic's start, pass --clock relative"
DATE_CURE = (
    "with --clock relative, write times as seconds since the topic's start, or leave the option out"
)
FAR = 1e11
"""This is the year 5138 in Unix seconds and 1973 in milliseconds: no real time is between."""
PARTS = ((1e9, "nanoseconds"), (1e6, "microseconds"), (1e3, "milliseconds"))
"""The number of each unit in a second; since 1990 a time in them exceeds any in seconds."""
MILLISECONDS = 1e3 * EARLIEST
NUMBER_FORMATS = (*(words for _, words in reversed(PARTS)), DAYS, *_DIGIT_FORMATS.values())
"""The formats of numbers that are times, but not Unix seconds."""


def dated(seconds: float) -> str:
    """A time as people write it, to the second; of another era its seconds alone."""
    try:
        return f"{datetime.fromtimestamp(int(seconds), UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (OverflowError, ValueError, OSError):
        return f"{seconds:.0f} s"


def early(times: Any) -> Any:
    """Whether a time, or each of an array of them, is before `EARLIEST`."""
    return times < EARLIEST


def implausible(times: Any, *, relative: bool = False) -> Any:
    """Whether a time, or each of an array of them, can hardly be meant as Unix seconds.

    With `relative` it is a number of seconds since the topic's start, and no date.
    """
    if relative:
        return times >= EARLIEST
    # Dates of digits alone, such as 202602100400, are in the year 8000 as seconds.
    digits = (times >= 1.9e11) & (times < 2.1e11)
    return early(times) | (times >= MILLISECONDS) | digits


def why_implausible(seconds: float, *, relative: bool = False) -> tuple[str, str, str]:
    """Return the reason why such a time is hardly meant, the cure and the code of the fault."""
    if relative:
        return "does not count from the topic's start", DATE_CURE, "clock"
    era = "before 1990" if seconds < EARLIEST else "after 5138"
    plain = f'is "{dated(seconds)}" in Unix seconds, {era}'
    digits = f"{seconds:.0f}" if seconds.is_integer() else ""
    if _DIGITS.fullmatch(digits):
        return plain, DIGITS_CURE.format(_DIGIT_FORMATS[len(digits)]), "time-range"
    for number_of, words in PARTS:
        if seconds >= number_of / 1e3 * MILLISECONDS:
            cure = f"divide these times by {number_of:,.0f}: tseval reads Unix seconds"
            cure += f"; or pass --time-format {words}"
            return f"is in {words}, not in seconds", cure, "time-unit"
    if SERIALS[0] <= seconds < SERIALS[1]:
        date = SERIAL_ZERO + timedelta(seconds=round(seconds * UNITS["d"]))
        day = f'{plain}; as a spreadsheet\'s day it is "{date:%Y-%m-%dT%H:%M:%S}"'
        return day, SERIAL_CURE, "time-unit"
    return plain, EARLY_CURE if seconds < EARLIEST else TIME_CURE, "time-range"


UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
"""The seconds in each unit of time."""
_DURATION = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(s|min|m|h|d)", re.ASCII)
MOMENT_CURE = (
    "write a time from the start, such as 6h, or Unix seconds, such as 1329910380, or ISO 8601, "
    "such as 2012-02-22T11:33Z"
)
DURATION_CURE = "write a number and a unit, such as 6h, 90m, 2d or 30s"


def duration(text: str) -> float:
    """The seconds of a length of time such as `6h`; a `NotANumber` if it is none."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise NotANumber(f'"{text}" is not a length of time: {DURATION_CURE}')
    return float(match[1]) * UNITS[match[2]]


def length_of(option: str, text: str) -> float:
    """The seconds of a length of time above 0, such as an option names; else a `UsageError`."""
    try:
        seconds = duration(text)
    except NotANumber as error:
        raise UsageError(f"{option}: {error}") from None
    if not seconds > 0:
        raise UsageError(f"{option} {text}: give a length longer than 0 seconds, such as 1h")
    return seconds


HOURS_MEANT = 1000
"""A smaller number without a unit is rather one of hours than one of seconds."""


@frozen
class Moment:
    """A point in time: `6h` counts from the topic's start, a number or ISO 8601 is absolute."""

    seconds: float
    relative: bool
    text: str = field(default="", compare=False)

    @classmethod
    def parse(cls, text: str) -> Moment:
        """Read a moment; a `NotANumber` if it is none."""
        if _DURATION.fullmatch(text):
            return cls(duration(text), True, text)
        try:
            seconds = moment(text)
            if seconds >= FAR and not _ISO.fullmatch(text):
                raise NotANumber(why_implausible(seconds)[0])
            return cls(seconds, False, text)
        except NotANumber as error:
            what = f'"{text}" {error}' if text.strip() else "no time is given"
            raise NotANumber(f"{what}: {MOMENT_CURE}") from None

    def seconds_after(self, start: float) -> float:
        """Its seconds, where the topic starts there; a `NotANumber` if it is of another clock.

        A topic whose times count from its start begins at 0.
        """
        if self.relative:
            return start + self.seconds
        if early(self.seconds) and start >= EARLIEST:
            meant = self.text + ("h" if self.seconds < HOURS_MEANT else "s")
            cure = f"did you mean {meant}?" if _DURATION.fullmatch(meant) else MOMENT_CURE
            raise NotANumber(f'"{self.text}" is {dated(self.seconds)}, before 1990: {cure}')
        if not start and early(start) and not early(self.seconds):
            raise NotANumber(f'"{self.text}" is a date, but times count from 0: write 6h')
        return self.seconds


# How inputs write times: in another format, without a zone, or from the topic's start.

TIME_KEYS = ("time_format", "time_zone", "clock")
"""The settings for the times of an input, such as `time_zone=Europe/Berlin`."""
RELATIVE = "relative"
_DAYS_FIRST = ("%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y", "%d.%m.%y", "%d/%m/%y")
_MONTHS_FIRST = ("%m/%d/%Y", "%m-%d-%Y", "%m/%d/%y")
_OTHERS = ("%Y/%m/%d", "%Y.%m.%d", "%Y-%m-%d", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y")
_OF_DAY = (
    *("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p"),
    *(", %H:%M", ", %H:%M:%S"),
)
FORMATS = (
    *(f"{day}{time}" for day, time in product((*_DAYS_FIRST, *_MONTHS_FIRST, *_OTHERS), _OF_DAY)),
    *("%Y-%m-%d %H:%M:%S UTC", "%Y-%m-%d %H:%M:%S %z", "%d/%b/%Y:%H:%M:%S %z"),
    *("%a %b %d %H:%M:%S %Y", "%a %b %d %H:%M:%S %z %Y", "%a %b %d %H:%M:%S UTC %Y"),
    *("%a, %d %b %Y %H:%M:%S %z", "%a, %d %b %Y %H:%M:%S GMT"),
)
"""The formats that a fault proposes if every time of a column has them."""


@frozen
class TimeReading:
    """How an input writes its times."""

    format: str
    zone: tzinfo | None
    """The zone of texts without one; None if it is not given, which means UTC."""
    relative: bool

    @classmethod
    def of(cls, said: Mapping[str, str]) -> TimeReading:
        """Read the settings of an input under `TIME_KEYS`; refuse an unknown value."""
        return _reading(*(said.get(key, "") for key in TIME_KEYS))

    def seconds(self, cell: str, note_zone: Callable[[str, float], None]) -> float:
        """Return a time in seconds, or raise `NotANumber`; note the UTC offset of a text."""
        when = _time_in(cell.strip(" "), self.format) if self.format else None
        try:
            if when is None:
                return self._seconds_of(number(cell))
        except NotANumber as error:
            if "not a number" not in str(error) or self.relative:
                raise
        is_iso = not self.format.startswith("%Y-%d")
        when = when or iso_time(cell if is_iso else "")
        if when.tzinfo is None and self.zone is not None:
            when = when.replace(tzinfo=self.zone)
        offset = "" if when.tzinfo is None else when.isoformat()[-6:]
        seconds = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
        if offset or when.time() != when.time().min:
            note_zone(offset, seconds)
        return seconds

    def _seconds_of(self, value: float) -> float:
        """Return the seconds of a number, of milliseconds if the format says so and it may be."""
        if not implausible(value):
            return value
        if self.format == DAYS:
            return round(value * UNITS["d"]) + SERIAL_ZERO.timestamp()
        return value / next((n for n, words in PARTS if words == self.format), 1.0)

    def cure(self, cells: Iterable[str]) -> tuple[str, str]:
        """Return the cure for cells that are not times, and the code of the fault."""
        if self.relative:
            return DATE_CURE, "clock"
        texts = list(dict.fromkeys(cell.strip(" ") for cell in cells if cell.strip(" ")))
        dates = ((datetime.strptime(texts[0], f).isoformat(), f) for f in formats_of(texts))
        ways = (f'ISO 8601, such as {date}, or pass --time-format "{f}"' for date, f in dates)
        told = "; if it is another date, write ".join(ways)
        return f"write {told}" if told else TIME_CURE, "time-format"


def formats_of(texts: Sequence[str]) -> list[str]:
    """Return the known formats that fit all texts: two if the day could be the month."""
    found = [each for each in FORMATS if texts and all(_time_in(t, each) for t in texts)]
    return [each for each in found if "%B" not in each or each.replace("%B", "%b") not in found]


def _time_in(text: str, form: str) -> datetime | None:
    with suppress(ValueError):
        return datetime.strptime(text, form)
    return None


@cache
def _reading(form: str, zone: str, clock: str) -> TimeReading:
    check_choice("--clock", clock or RELATIVE, [RELATIVE])
    if clock and (form or zone):
        raise UsageError("--clock relative reads numbers: leave out --time-format and --time-zone")
    wrong = "%Z cannot be read; write %z, or the name of the zone itself" if "%Z" in form else ""
    try:
        datetime.strptime("", form)
    except re.error:
        wrong = "each part stands once; %m is the month, %M the minute"
    except ValueError as error:
        wrong = wrong if "does not match" in str(error) else str(error)
    if wrong:
        raise UsageError(f"--time-format '{form}': {wrong}")
    return TimeReading(form, _zone(zone) if zone else None, clock == RELATIVE)


def _zone(name: str) -> tzinfo:
    """Return a time zone by its name, or by its offset from UTC, such as +05:30."""
    try:
        if name[0] in "+-":
            return iso_time(f"2000-01-01T00:00{name}").tzinfo or UTC
        return ZoneInfo(name)
    except (NotANumber, ValueError, OSError, LookupError):
        like = did_you_mean(name, available_timezones()) or "; write Europe/Berlin, or +01:00"
        raise UsageError(f"--time-zone '{name}': no such time zone{like}") from None


def moment(cell: str) -> float:
    """Unix seconds of a time given as a number or in ISO 8601; without a zone it is UTC."""
    return TimeReading("", None, False).seconds(cell, lambda *_: None)
