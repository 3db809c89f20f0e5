"""How inputs write times: in another format, without a zone, or from the topic's start."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from functools import cache
from itertools import product
from zoneinfo import ZoneInfo, available_timezones

from tseval.errors import UsageError, did_you_mean
from tseval.io.times import DATE_CURE, TIME_CURE, NotANumber, iso_time, number
from tseval.records import frozen

TIME_KEYS = ("time_format", "time_zone", "clock")
"""The settings for the times of an input, such as `time_zone=Europe/Berlin`."""
RELATIVE = "relative"
_DAYS_FIRST = ("%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y", "%d.%m.%y", "%d/%m/%y")
_MONTHS_FIRST = ("%m/%d/%Y", "%m-%d-%Y", "%m/%d/%y")
_OTHERS = ("%Y/%m/%d", "%Y.%m.%d", "%Y-%m-%d", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y")
_OF_DAY = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p")
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
                return number(cell)
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
    if clock not in ("", RELATIVE):
        raise UsageError(f"--clock '{clock}': the only value is {RELATIVE}")
    if clock and (form or zone):
        raise UsageError("--clock relative reads numbers: leave out --time-format and --time-zone")
    try:
        datetime.strptime("", form)
    except re.error:
        once = "each part stands once; %m is the month, %M the minute"
        raise UsageError(f"--time-format '{form}': {once}") from None
    except ValueError as error:
        if "does not match" not in str(error):
            raise UsageError(f"--time-format '{form}': {error}") from None
    if "%Z" in form:
        raise UsageError(
            f"--time-format '{form}': %Z cannot be read; write %z, or the name of the zone itself"
        )
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
