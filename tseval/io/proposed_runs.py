"""Runs of the Incident Streams proposal, as posts or as updates.

    {"EventID": …, "ID": …, "PostTimestamp": …, "Content": …,
     "InformationTypes": [{"id": …, "confidence": …}, …], …}

They are tables of any form whose columns have these names, in any case; `InformationTypes` is a
list, or in a form of text its JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tseval.io.faults import FaultList
from tseval.io.forms import names_of
from tseval.io.inputs import Input
from tseval.io.json_text import OBJECT_CURE
from tseval.io.records import kind_of, records_in
from tseval.io.schema import Column, Kind, Schema
from tseval.io.tables import TrackFile

TYPES = "InformationTypes"
NAMES = {
    "topic": "EventID",
    "post_id": "ID",
    "update_id": "ID",
    "time": "PostTimestamp",
    "text": "Content",
    "confidence": TYPES,
    "written": TYPES,
}
"""How the proposal names columns of posts, of updates and of predictions."""
KEYS = ("EventID", "ProcessingType", "ID", "Content", "PostTimestamp", TYPES)
"""The keys of every object of a run."""
SPELLINGS: Mapping[str, Any] = {key.lower(): key for key in KEYS}


def is_proposed(source: Input) -> bool:
    """Return whether an input has the proposal's information types, or its event and time."""
    names = {name.lower() for name in (*names_of(source), *source.columns.values())}
    return TYPES.lower() in names or {"eventid", "posttimestamp"} <= names


def read_objects(source: Input, faults: FaultList) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield every object of JSON with its line, and with keys as the proposal writes them."""
    for line, record in records_in(source, faults):
        if isinstance(record, dict):
            spelt = {SPELLINGS.get(k.lower(), k): v for k, v in record.items()}
            yield line, spelt | {key: record[key] for key in KEYS if key in record}
        else:
            reason = f"{kind_of(record)} where an object is expected"
            faults.add(line, reason, OBJECT_CURE, "json-type")


def name_column(column: Column, given: str) -> Column:
    """Return a column as the proposal names it, or as the caller does."""
    name = given or NAMES.get(column.name, "")
    if name.lower() == TYPES.lower() and column.kind is Kind.NUMBER:
        column = replace(column, kind=Kind.TYPES, default="[]")
    if given or not name:
        return column
    is_required = column.required and column.kind is not Kind.TEXT
    column = replace(column, also=name, any_case=True, aliases=(), common=())
    return replace(column, required=is_required)


def name_columns(schema: Schema, source: Input) -> Schema:
    """Return a schema of posts or updates as an input in the proposal's format names its columns.

    A post may lack a text, and types.
    """
    given = source.columns
    columns = (name_column(column, given.get(column.name, "")) for column in schema)
    return replace(schema, columns=tuple(columns))


PROPOSED_RUN = TrackFile(recognise=is_proposed, schema=name_columns)
"""How runs in the proposal's format are read as a table of posts or updates."""
