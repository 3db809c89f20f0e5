"""Runs as they were sent in: JSON lines, and what the track's checker accepts of them.

A run is read leniently: what the checker refuses without a need is told and kept. To validate one
is to hear of everything that the checker refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tseval.families.crisisfacts.files import head_of, is_name, lacks
from tseval.families.crisisfacts.tables import RunFacts
from tseval.files.faults import FaultList
from tseval.files.formats import Line
from tseval.files.inputs import Input
from tseval.files.jsonl import objects
from tseval.tables import Ids, InputRecord, Origin, Texts

QUERIES = {
    "General": 46, "Accident": 10, "Flood": 2, "Hurricane": 4, "Storm": 3, "Tornado": 5,
    "Wildfire": 6,
}  # fmt: skip
"""How many information needs there are of each kind, counted from 1."""
HURRICANE_6 = "CrisisFACTS-Hurricane-q06"
"""The one that the checker knows under a name of its own."""
KNOWN = {
    f"CrisisFACTS-{kind}-q{number:03d}"
    for kind, most in QUERIES.items()
    for number in range(1, most + 1)
}
LENIENT = frozenset({*KNOWN, HURRICANE_6, "CrisisFACTS-Hurricane-q006"})
STRICT = frozenset({*KNOWN, HURRICANE_6})
SOURCE = re.compile(
    r"CrisisFACTS-[0-9]+-"
    r"((Twitter|Facebook|News)-[0-9]+-[0-9]+|Reddit-s?[0-9]+-([0-9]+|c?[0-9]+-[0-9]+))"
)
"""How a source begins; what follows is not looked at."""
MOST_CHARACTERS = 200
LINE_CURE = (
    'a line is {"requestID": "CrisisFACTS-001-r3", "factText": …, "unixTimestamp": 1512604876, '
    '"importance": 0.71, "sources": [POST, …], "streamID": null, "informationNeeds": [QUERY, …]}'
)


class Wrong(NamedTuple):
    """What is wrong with a line, and whether it can be read all the same."""

    reason: str
    readable: bool = False


def wrong_in(record: Mapping[str, Any]) -> Iterator[Wrong]:
    """Everything for which the track's checker refuses a line, its look at requests left out."""
    if not isinstance(record.get("requestID"), str):
        yield Wrong(lacks(record, "requestID", "a text"))
    elif not is_name(record["requestID"]):
        yield Wrong('"requestID" names nothing')
    if not isinstance(record.get("factText"), str):
        yield Wrong(lacks(record, "factText", "a text"))
    if type(record.get("unixTimestamp")) is not int:
        yield Wrong(lacks(record, "unixTimestamp", "a whole number"))
    yield from _wrong_importance(record)
    yield from _wrong_sources(record)
    if "streamID" not in record or not isinstance(record["streamID"], str | None):
        yield Wrong(lacks(record, "streamID", "a text or null"), readable=True)
    yield from _wrong_needs(record)


def _wrong_importance(record: Mapping[str, Any]) -> Iterator[Wrong]:
    value = record.get("importance")
    if isinstance(value, bool) or not isinstance(value, int | float):
        yield Wrong(lacks(record, "importance", "a number"))
    elif not 0 <= value <= 1:
        yield Wrong(f'"importance" {value} is outside of 0 to 1')
    elif isinstance(value, int):
        yield Wrong(f'"importance" {value} is written without a decimal point', readable=True)


def _wrong_sources(record: Mapping[str, Any]) -> Iterator[Wrong]:
    sources = record.get("sources")
    if not isinstance(sources, list):
        yield Wrong(lacks(record, "sources", "a list"))
    elif not sources:
        yield Wrong('"sources" is empty')
    else:
        for source in sources:
            if not isinstance(source, str) or not SOURCE.match(source):
                yield Wrong(f'"{source}" is no source')


def _wrong_needs(record: Mapping[str, Any]) -> Iterator[Wrong]:
    needs = record.get("informationNeeds")
    if needs is None:
        null = '"informationNeeds" is null' if "informationNeeds" in record else None
        yield Wrong(null or 'no "informationNeeds"', readable=True)
    elif not isinstance(needs, list):
        yield Wrong(lacks(record, "informationNeeds", "a list"))
    else:
        for need in needs:
            if not isinstance(need, str) or need not in STRICT:
                yield Wrong(
                    f'"{need}" is no known query', isinstance(need, str) and need in LENIENT
                )


def is_run(source: Input) -> bool:
    """Whether an input looks like a run of the track."""
    head = head_of(source)
    return (
        head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
        and b'"factText"' in head
        and any(key in head for key in (b'"requestID"', b'"unixTimestamp"', b'"streamID"'))
    )


def read_run(source: Input, *, strict: bool) -> RunFacts:
    """A run; what its lines have wrong is a fault, if they can be read and not `strict` a note."""
    faults = FaultList(source)
    rows: list[tuple[int, Mapping[str, Any]]] = []
    minded: list[tuple[int, str]] = []
    for line, record in objects(source, faults):
        found = list(wrong_in(record))
        for wrong in found:
            if strict or not wrong.readable:
                faults.add(line, wrong.reason, LINE_CURE, "record-format")
            else:
                minded.append((line, wrong.reason))
        if all(wrong.readable for wrong in found):
            rows.append((line, record))
    if not rows and not len(faults):
        faults.add(None, "holds no fact", LINE_CURE, "no-rows")
    faults.check()
    lines = np.array([line for line, _ in rows], np.int64)
    record_of = InputRecord(source.path, lambda: source.sha256, len(rows), source.unit)
    column = partial(_column, rows)
    return RunFacts(
        request=Ids.of(column("requestID")),
        time=np.array(column("unixTimestamp"), np.float64),
        importance=np.array(column("importance"), np.float64),
        text=Texts.of(column("factText")),
        run=Ids.constant(source.run_name or source.name, len(rows)),
        origin=Origin.single(record_of, lines),
        minded=tuple(minded),
    )


def _column(rows: list[tuple[int, Mapping[str, Any]]], key: str) -> list[Any]:
    return [record[key] for _, record in rows]


def remarks(facts: RunFacts) -> Iterator[Line]:
    """What the guidelines ask for and the checker does not look at."""
    long = facts.text.end - facts.text.start  # bytes, so at least as many as characters
    for row in np.flatnonzero(facts.text.blank | (long > MOST_CHARACTERS)).tolist():
        size = len(facts.text[row])
        if not size or size > MOST_CHARACTERS:
            said = f"has {size} characters" if size else "is empty"
            reason = f"factText {said}: accepted, but the guidelines ask for 1 to {MOST_CHARACTERS}"
            fault = facts.origin.fault(row, reason, "", "record-format")
            yield str(fault), False
