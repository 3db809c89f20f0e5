"""Read a plain tab-separated table line by line, with nothing but `bytes.split` and `float`.

Slow and plain on purpose: what `tseval.io` does to whole blocks of bytes at once is held
against this. It knows no files, no cures and no compression.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)  # noqa: UP017
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
ISO = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"([T ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(:(?P<second>[0-9]{2}))?"
    r"(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
TOO_LARGE = 1e100

Fault = tuple[int, str]
"""A line's number, and what is wrong with it."""


@dataclass(frozen=True)
class Shape:
    """What the columns of a table hold, by name, and which of them may not repeat together."""

    ids: tuple[str, ...]
    times: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    amounts: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    key: tuple[str, ...] = ()


UPDATES = Shape(
    ids=("run", "topic", "update_id"),
    times=("time",),
    numbers=("confidence",),
    amounts=("cost",),
    texts=("text",),
    key=("run", "topic", "update_id"),
)
NUGGETS = Shape(
    ids=("topic", "nugget_id"),
    times=("time",),
    amounts=("importance", "cost"),
    texts=("text",),
    key=("topic", "nugget_id"),
)


@dataclass
class Table:
    """The rows that were read, each a dictionary with its line, and the faults."""

    rows: list[tuple[int, dict[str, str | float]]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


def read(content: bytes, shape: Shape) -> Table:
    """Read a table whose header names every column of the shape that it has, once."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    names = lines[0].removesuffix(b"\r").decode().split("\t")
    table, seen = Table(), dict[tuple[str, ...], int]()
    for number, line in enumerate(lines[1:], start=2):
        if line in (b"", b"\r"):
            continue
        fields = line.count(b"\t") + 1
        if fields != len(names):
            noun = "field" if fields == 1 else "fields"
            table.faults.append((number, f"{fields} {noun} where the header has {len(names)}"))
        reason = not_utf8(line)
        if reason:
            table.faults.append((number, reason))
        if fields == len(names) and not reason:
            cells = dict(zip(names, line.removesuffix(b"\r").decode().split("\t"), strict=True))
            _read_row(number, cells, shape, table, seen)
    return table


def _read_row(
    number: int,
    cells: dict[str, str],
    shape: Shape,
    table: Table,
    seen: dict[tuple[str, ...], int],
) -> None:
    row: dict[str, str | float] = {}
    whole = True
    for name in shape.ids:
        if name in cells:
            row[name] = cells[name]
            if not cells[name].strip():
                table.faults.append((number, f"empty {name}"))
                whole = False
            elif "\r" in cells[name]:
                shown = f'{name} "{cells[name]}" holds a tab or a line\'s end'
                table.faults.append((number, shown))
    for name in (*shape.times, *shape.numbers, *shape.amounts):
        if name in cells:
            value, reason = number_of(cells[name], name in shape.times)
            if not reason and name in shape.times:
                reason = unlikely(value)
            if not reason and name in shape.amounts and value < 0:
                reason = "is negative"
            if reason:
                shown = f'{name} "{cells[name]}"' if cells[name] else name
                table.faults.append((number, f"{shown} {reason}"))
            row[name] = value
    row |= {name: cells[name] for name in shape.texts}
    table.rows.append((number, row))
    key = tuple(cells[name] for name in shape.key if name in cells)
    if whole and seen.setdefault(key, number) != number:
        scope = " and ".join(name for name in shape.key[:-1] if name in cells)
        table.faults.append(
            (number, f'{shape.key[-1]} "{key[-1]}" stands twice within its {scope}')
        )


def not_utf8(line: bytes) -> str:
    """Say which byte is the first that is not UTF-8; nothing if all are."""
    try:
        line.decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        return f"byte 0x{line[error.start]:02x} is not UTF-8"
    return ""


def number_of(cell: str, is_time: bool) -> tuple[float, str]:
    """Return a cell's value, and why it has none."""
    bare = cell.strip(" ")
    if not bare:
        return math.nan, "is empty"
    if NUMBER.fullmatch(bare):
        value = float(bare)
        if abs(value) < TOO_LARGE:
            return value, ""
        return math.nan, "is too large for a number"
    if NOT_FINITE.fullmatch(bare):
        return math.nan, "is not a finite number"
    if not is_time:
        return math.nan, "is not a number"
    seconds = iso_seconds(bare)
    if seconds is None:
        return math.nan, "is neither a number nor an ISO 8601 time"
    return seconds, ""


def unlikely(seconds: float) -> str:
    """Say why a number can hardly be meant as Unix seconds; nothing if it can."""
    if 190_000_000_000 <= seconds < 210_000_000_000:  # 202602100400
        read = (EPOCH + timedelta(seconds=int(seconds))).strftime("%Y-%m-%dT%H:%M:%SZ")
        return f'is "{read}" in Unix seconds, after 5138'
    if re.fullmatch("(19|20)[0-9]{12}", f"{seconds:.0f}") and seconds == int(seconds):
        with suppress(ValueError):
            datetime.strptime(f"{seconds:.0f}", "%Y%m%d%H%M%S")
            return f'is "{seconds:.0f} s" in Unix seconds, after 5138'
    since_1990 = 631_152_000
    for parts, name in ((10**9, "nanoseconds"), (10**6, "microseconds"), (10**3, "milliseconds")):
        if seconds >= parts * since_1990:
            return f"is in {name}, not in seconds"
    return ""


def iso_seconds(text: str) -> float | None:
    """Return Unix seconds by counting days; None if the text is not one of the common forms."""
    found = ISO.fullmatch(text)
    if found is None:
        return None
    part = {name: int(value) for name, value in found.groupdict("0").items() if name != "zone"}
    try:
        day = datetime(part["year"], part["month"], part["day"], tzinfo=EPOCH.tzinfo)
    except ValueError:
        return None
    zone = found["zone"] or "Z"
    ahead = 0 if zone == "Z" else int(zone[0] + "1") * (int(zone[1:3]) * 60 + int(zone[4:]))
    good = part["hour"] < 24 and part["minute"] < 60 and part["second"] < 60
    if not good or abs(ahead) >= 24 * 60 or (zone != "Z" and int(zone[4:]) > 59):
        return None
    clock = part["hour"] * 3600 + part["minute"] * 60 + part["second"]
    return (day - EPOCH) / timedelta(seconds=1) + clock - ahead * 60
