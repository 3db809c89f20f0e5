"""Every fault of every file, and whether matches fit the updates and nuggets beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tseval.errors import InputError, TsevalError, UsageError
from tseval.formats import (
    cluster_imports,
    filtering,
    incident_checks,
    kba,
    scores,
    temporal,
    tracking,
    trec_checks,
    trec_temporal,
)
from tseval.formats.incident_runs import is_event_names
from tseval.formats.inputs import Input
from tseval.formats.plain import read_rows, recognise
from tseval.tables import SCHEMAS, Matches, Nuggets, Pool, Schema, Topics, Updates
from tseval.tables.clusters import Posts
from tseval.tables.incidents import Ontology


def _plain(table: str) -> Callable[..., Any]:
    return lambda source, form: read_rows(source, SCHEMAS[table], form)


_READERS: dict[str, Callable[..., Any]] = {table: _plain(table) for table in SCHEMAS} | {
    "updates": lambda source, form: temporal.read_updates([source], form),
    "nuggets": temporal.read_nuggets,
    "matches": temporal.read_matches,
    "topics": temporal.read_topics,
    "pool": temporal.read_pool,
    "duplicates": temporal.read_duplicates,
    "truth": filtering.read_truth,
    "values": lambda source, form: tracking.read_values([source], form),
    "scores": scores.read_score_rows,
}
LISTING = "listing"
"""Clusters in a form that tells no times."""


def validate(
    paths: Sequence[str], table: str | None = None, form: str | None = None
) -> Iterator[tuple[str, bool]]:
    """Lines to show, each with whether it tells a fault."""
    temporal.check_inputs(paths)
    read: list[Any] = []
    types = _ontology(paths)
    for path in paths:
        try:
            source = Input(path)
            name = table or _table_of(source)
            if name == LISTING:
                yield from cluster_imports.listing_faults(source)
                continue
            rows = _reader(name, source, types)(source, form)
            read.append(rows)
            number = rows.origin.sources[0].rows
            noun = "row" if number == 1 else "rows"
            own = list(_of_the_track(rows))
            if not any(is_fault for _, is_fault in own):
                yield f"{source.path}: {name}, {number:,} {noun}, no fault", False
            yield from own
        except InputError as error:
            yield from ((str(fault), True) for fault in error.faults)
        except UsageError:
            raise
        except TsevalError as error:
            yield str(error), True
    yield from _together(read)


def _ontology(paths: Sequence[str]) -> Ontology | None:
    """The ontology among the files; a faulty one tells its faults when its turn comes."""
    try:
        return incident_checks.ontology_among(paths)
    except InputError:
        return None


def _reader(name: str, source: Input, types: Ontology | None) -> Callable[..., Any]:
    """How a table, or a file of a track, is read."""
    if name == "posts" and filtering.is_kba(source):
        return lambda each, _: filtering.read_returned([each])
    if name in _READERS:
        return _READERS[name]
    if name in cluster_imports.READERS:
        return lambda source, _: cluster_imports.READERS[name](source)
    return lambda source, _: incident_checks.read(source, name, types)


def _of_the_track(table: Any) -> Iterator[tuple[str, bool]]:
    """What the track asks of a run of its own form."""
    if isinstance(table, Posts):
        path = table.origin.sources[0].path
        for line in cluster_imports.run_remarks(table):
            yield f"{path}: warning: {line}", False
    if isinstance(table, Updates) and table.team is not None:
        yield from ((str(fault), True) for fault in trec_checks.run_faults(table))
        path = table.origin.sources[0].path
        yield from ((f"{path}: warning: {line}", False) for line in trec_checks.run_warnings(table))


def _table_of(source: Input) -> str:
    """Which table an input is, by the columns that it names, or by its form."""
    if is_event_names(source):
        return incident_checks.TOPICS
    official = kba.table_of(source) or trec_temporal.table_of(source)
    if official is not None:
        return official
    of_incidents = incident_checks.table_of(source)
    if of_incidents is not None:
        return of_incidents
    names = recognise(source)[1]
    fitting = [schema for schema in SCHEMAS.values() if names and not schema.missing(names)]
    if fitting:
        return max(fitting, key=lambda schema: len(schema.required)).table
    if scores.is_score_object(source):
        return "scores"
    pushed = cluster_imports.track_table(source)
    if pushed is not None:
        return pushed
    if scores.is_trec(source):
        return "scores"
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
    for topics in [table for table in read if isinstance(table, Topics)]:
        for run in [table for table in updates if table.team is not None]:
            yield from ((str(fault), True) for fault in trec_checks.period_faults(run, topics))
    if not updates or len(nuggets) != 1:
        return
    for matches in [table for table in read if isinstance(table, Matches)]:
        try:
            temporal.resolve_checked(matches, Updates.join(updates), nuggets[0], pool)
        except InputError as error:
            yield from ((str(fault), True) for fault in error.faults)
