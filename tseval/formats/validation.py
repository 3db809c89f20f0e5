"""Every fault of every file, and whether matches fit the updates and nuggets beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tseval.errors import InputError, TsevalError, UsageError
from tseval.formats import temporal
from tseval.formats.inputs import Input
from tseval.formats.plain import read_rows, recognise
from tseval.tables import SCHEMAS, Matches, Nuggets, Pool, Schema, Updates


def _plain(table: str) -> Callable[..., Any]:
    return lambda source, form: read_rows(source, SCHEMAS[table], form)


_READERS: dict[str, Callable[..., Any]] = {table: _plain(table) for table in SCHEMAS} | {
    "updates": lambda source, form: temporal.read_updates([source], form),
    "nuggets": temporal.read_nuggets,
    "matches": temporal.read_matches,
    "topics": temporal.read_topics,
    "pool": temporal.read_pool,
}


def validate(
    paths: Sequence[str], table: str | None = None, form: str | None = None
) -> Iterator[tuple[str, bool]]:
    """Lines to show, each with whether it tells a fault."""
    temporal.check_inputs(paths)
    read: list[Any] = []
    for path in paths:
        try:
            source = Input(path)
            name = table or _table_of(source)
            rows = _READERS[name](source, form)
            read.append(rows)
            number = rows.origin.sources[0].rows
            noun = "row" if number == 1 else "rows"
            yield f"{source.path}: {name}, {number:,} {noun}, no fault", False
        except InputError as error:
            yield from ((str(fault), True) for fault in error.faults)
        except UsageError:
            raise
        except TsevalError as error:
            yield str(error), True
    yield from _together(read)


def _table_of(source: Input) -> str:
    """Which plain table an input is, by the columns that it names."""
    names = recognise(source)[1]
    fitting = [schema for schema in SCHEMAS.values() if names and not schema.missing(names)]
    if fitting:
        return max(fitting, key=lambda schema: len(schema.required)).table
    close = max(SCHEMAS.values(), key=lambda schema: _named(schema, names))
    if _named(close, names) > 1:
        return close.table
    known = "; ".join(
        f"{s.table}: {' '.join(c.name for c in s.required)}" for s in SCHEMAS.values()
    )
    raise TsevalError(f"{source.path}:1: no known table; looked for {known}; --table settles it")


def _named(schema: Schema, names: list[str]) -> int:
    return sum(column.name in schema.placed(names) for column in schema.required)


def _together(read: Sequence[Any]) -> Iterator[tuple[str, bool]]:
    """The faults of matches against the updates and nuggets that were given with them."""
    updates = [table for table in read if isinstance(table, Updates)]
    nuggets = [table for table in read if isinstance(table, Nuggets)]
    pool = next((table for table in read if isinstance(table, Pool)), None)
    if not updates or len(nuggets) != 1:
        return
    for matches in [table for table in read if isinstance(table, Matches)]:
        try:
            temporal.resolve_checked(matches, Updates.join(updates), nuggets[0], pool)
        except InputError as error:
            yield from ((str(fault), True) for fault in error.faults)
