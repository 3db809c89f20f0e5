"""Every fault of every file, and whether matches fit the updates and nuggets beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tseval.errors import InputError, TsevalError, UsageError
from tseval.families.clusters import imports as cluster_imports
from tseval.families.clusters.recognition import FACT
from tseval.families.clusters.tables import Posts
from tseval.families.filtering import files as filtering
from tseval.families.filtering import kba
from tseval.families.incidents import checks as incident_checks
from tseval.families.incidents.runs import is_event_names
from tseval.families.incidents.tables import Ontology
from tseval.families.temporal import (
    plain_files as temporal,
)
from tseval.families.temporal import (
    trec_checks,
)
from tseval.families.temporal import (
    trec_files as trec_temporal,
)
from tseval.families.tracking import files as tracking
from tseval.files import JSON, TREC
from tseval.files import score_readers as scores
from tseval.files.faults import FaultList
from tseval.files.forms import Forms, form_for, form_of_the_rest
from tseval.files.frames import check_inputs
from tseval.files.inputs import Input
from tseval.files.nearest import array_keys, misspelt, names_in, nearest_fault
from tseval.files.plain import READERS, read_rows
from tseval.files.topics import read_topics
from tseval.tables import SCHEMAS, Matches, Nuggets, Pool, Schema, Topics, Updates


def _plain(table: str) -> Callable[..., Any]:
    return lambda source, form: read_rows(source, SCHEMAS[table], form)


_READERS: dict[str, Callable[..., Any]] = {table: _plain(table) for table in SCHEMAS} | {
    "updates": lambda source, form: temporal.read_updates([source], form),
    "nuggets": temporal.read_nuggets,
    "matches": temporal.read_matches,
    "topics": read_topics,
    "pool": temporal.read_pool,
    "duplicates": temporal.read_duplicates,
    "truth": filtering.read_truth,
    "values": lambda source, form: tracking.read_values([source], form),
    "scores": scores.read_score_rows,
}
LISTING = "listing"
"""Clusters in a form that tells no times."""


def validate(
    paths: Sequence[str], table: str | None = None, forms: Forms = None
) -> Iterator[tuple[str, bool]]:
    """Lines to show, each with whether it tells a fault."""
    check_inputs(paths)
    read: list[Any] = []
    types = _ontology(paths)
    for path in paths:
        try:
            source = Input(path)
            name = table or _asked_for(source, forms) or _table_of(source, form_of_the_rest(forms))
            form = form_for(forms, name)
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


def _asked_for(source: Input, forms: Forms) -> str | None:
    """The first table with a format of its own in which the input has the table's columns."""
    for table, form in forms.items() if isinstance(forms, Mapping) else ():
        schema = SCHEMAS.get(table)
        if schema is not None and form in READERS and not schema.missing(names_in(source, form)):
            return table
    return None


def _table_of(source: Input, form: str | None) -> str:
    """Which table an input is, by the columns that it names, or by its form."""
    official = _official(source, form)
    if official is not None:
        return official
    names = names_in(source, form)
    fitting = _fitting(names)
    meant = misspelt(names, fitting)
    if meant is not None:
        faults = FaultList(source)
        faults.extend(filter(None, [nearest_fault(source, names)]))
        faults.check()
    if fitting is not None:
        return fitting.table
    if form in READERS:
        raise _no_table(source, names)
    if scores.is_score_object(source):
        return "scores"
    pushed = None if _is_of_rows(source, names) else cluster_imports.track_table(source)
    if pushed is not None:
        return pushed
    if scores.is_trec(source):
        return "scores"
    raise _no_table(source, names)


def _official(source: Input, form: str | None) -> str | None:
    """Which file of a track an input is, where no other form is asked for."""
    if form in (TREC, JSON):
        return "scores"
    if form in READERS:
        return None
    if is_event_names(source):
        return incident_checks.TOPICS
    official = kba.table_of(source) or trec_temporal.table_of(source)
    if official is None and tracking.is_run(source):
        return "values"
    return official if official is not None else incident_checks.table_of(source)


def _fitting(names: list[str]) -> Schema | None:
    """The plain table that has all required columns, the most of them, and then the most of all."""
    fitting = [schema for schema in SCHEMAS.values() if names and not schema.missing(names)]
    return max(
        fitting,
        key=lambda schema: (len(schema.required), len(schema.placed(names))),
        default=None,
    )


def _is_of_rows(source: Input, names: list[str]) -> bool:
    """Whether JSON is one object a row, or an array of them, and no clusters of the push tracks."""
    keys = names if source.head().lstrip()[:1] == b"{" else array_keys(source)
    return bool(keys) and FACT not in keys and nearest_fault(source, keys) is not None


def _no_table(source: Input, names: list[str]) -> TsevalError:
    fault = nearest_fault(source, names)
    if fault is not None:
        return InputError([fault])
    known = "; ".join(
        f"{s.table}: {' '.join(c.name for c in s.required)}" for s in SCHEMAS.values()
    )
    here = f"; here: {' '.join(names)}" if names else ""
    return TsevalError(
        f"{source.path}:1: no known table; looked for {known}{here}; --table settles it"
    )


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
