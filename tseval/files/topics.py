"""Reading when topics start and end: the plain table, and the XML of Temporal Summarization."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

from tseval.files import TREC_TS
from tseval.files.cells import Cells, column_of
from tseval.files.faults import FaultList
from tseval.files.inputs import Input
from tseval.files.plain import build
from tseval.files.reading import faults_of, input_of, read_table
from tseval.tables import TOPICS, Column, Kind, Schema, Topics
from tseval.tables.schema import TOPIC

if TYPE_CHECKING:
    from tseval.files.reading import Given

EVENT = Schema(
    "topics",
    (TOPIC, Column("start", Kind.TIME), Column("end", Kind.TIME)),
    key=("topic",),
)


def read_topics(given: Given, form: str | None = None) -> Topics:
    """Each topic's start, and its end where given; it may not end before it starts."""
    source = input_of(given, TOPICS)
    if _is_official(source, form):
        topics = read_events(source)
    else:
        topics = read_table(source, TOPICS, Topics, form)
    if topics.end is not None and (topics.end < topics.start).any():
        faults = faults_of(source, topics.origin.sources[0])
        for row in np.flatnonzero(topics.end < topics.start).tolist():
            reason = f'topic "{topics.topic[row]}" ends before it starts'
            faults.extend([topics.origin.fault(row, reason, "swap start and end")])
        faults.check()
    return topics


def _is_official(source: Input, form: str | None) -> bool:
    """Whether they are the track's: as asked for, or as the file looks."""
    if source.is_table:
        return False
    return form == TREC_TS if form is not None else is_xml(source)


def is_xml(source: Input) -> bool:
    """Whether a file looks like XML, as the topics of the track do."""
    return source.head().lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def read_events(source: Input) -> Topics:
    """The events of a file of topics in XML."""
    faults = FaultList(source)
    content = b"".join(source.blocks())
    if b"<!" in re.sub(rb"<!--.*?-->", b"", content, flags=re.DOTALL):
        faults.add(None, "declares a document type", "remove the lines that begin with <!")
        faults.check()
    events = _events(content, faults)
    lines = np.array([line for line, _ in events], np.int64)
    names = ("id", "start", "end")
    values = [[_child(event, name) for name in names] for _, event in events]
    columns = {
        column.name: column_of([row[at] for row in values], column.name, EVENT)
        for at, column in enumerate(EVENT)
    }
    rows = build(source, Cells(columns, lines), EVENT.of_track, faults)
    faults.check()
    return Topics.of(rows.columns, rows.origin)


def _child(event: ElementTree.Element, name: str) -> str:
    return (event.findtext(name) or "").strip()


def _events(content: bytes, faults: FaultList) -> list[tuple[int, ElementTree.Element]]:
    """Each event with the line on which it opens."""
    try:
        events = list(ElementTree.fromstring(content).iter("event"))
    except ElementTree.ParseError as error:
        faults.add(error.position[0], "is not well-formed XML", "close every element that opens")
        faults.check()
    if not events:
        faults.add(None, "holds no event", "topics are <event><id>…</id><start>…</start>…</event>")
        faults.check()
    opens = list(_opening_lines(content))
    return list(zip(opens, events, strict=False))


def _opening_lines(content: bytes) -> Iterator[int]:
    return (content.count(b"\n", 0, at.start()) + 1 for at in re.finditer(rb"<event[\s>]", content))
