"""Reading when topics start and end: the plain table, and the XML of Temporal Summarization."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.parsers import expat

import numpy as np

from tseval.files import TREC_TS
from tseval.files.cells import Cells, column_of
from tseval.files.faults import FaultList
from tseval.files.given import input_of
from tseval.files.inputs import Input
from tseval.files.plain import build
from tseval.files.reading import read_table, refuse_where
from tseval.files.text_lines import is_xml
from tseval.tables import TOPICS, Column, Kind, Schema, Topics
from tseval.tables.schema import TOPIC

if TYPE_CHECKING:
    from tseval.files.given import Given

EVENT = Schema(
    "topics",
    (TOPIC, Column("start", Kind.TIME), Column("end", Kind.TIME)),
    key=("topic",),
)
PARTS = ("id", "start", "end")
"""The elements of an event that hold the columns of `EVENT`."""


def read_topics(given: Given, form: str | None = None) -> Topics:
    """Each topic's start, and its end where given; it may not end before it starts."""
    source = input_of(given, TOPICS)
    if _is_official(source, form):
        topics = read_events(source)
    else:
        topics = read_table(source, TOPICS, Topics, form)
    if topics.end is not None:
        wrong, reason = topics.end < topics.start, 'topic "{}" ends before it starts'
        cure = "swap start and end"
        refuse_where(source, topics.origin, wrong, topics.topic, reason, cure, "time-order")
    return topics


def _is_official(source: Input, form: str | None) -> bool:
    """Whether they are the track's: as asked for, or as the file looks."""
    if source.is_table:
        return False
    return form == TREC_TS if form is not None else is_xml(source)


def read_events(source: Input) -> Topics:
    """The events of a file of topics in XML."""
    faults = FaultList(source)
    events = _Events(faults).of(source.whole_lines())
    faults.check()
    if not events:
        cure = "topics are <event><id>…</id><start>…</start>…</event>"
        faults.refuse(None, "holds no event", cure, "no-rows")
    columns = {
        column.name: column_of([event.text(name) for event in events], column.name, EVENT)
        for column, name in zip(EVENT, PARTS, strict=True)
    }
    lines = np.array([event.line for event in events], np.int64)
    rows = build(source, Cells(columns, lines), EVENT.of_track, faults)
    faults.check()
    return Topics.of(rows.columns, rows.origin)


@dataclass
class _Event:
    """An event, with the line on which it opens."""

    line: int
    depth: int
    """In how many elements it stands."""
    parts: dict[str, list[str]] = field(default_factory=dict)
    """The text of the first of each of its elements that are `PARTS`."""

    def text(self, name: str) -> str:
        return "".join(self.parts.get(name, [])).strip()


class _Refused(Exception):
    """What is well-formed, and still not read."""


class _Events:
    """Picks the events out of a document, of which nothing else is kept.

    A declaration of a document type could name other files, or make a long text of a short one.
    """

    def __init__(self, faults: FaultList) -> None:
        self.faults = faults
        self.parser = expat.ParserCreate(namespace_separator="}")
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.found: list[_Event] = []
        self.open: list[_Event] = []
        self.depth = 0
        self.text: list[str] | None = None
        """Where the characters of the element go in which the parser is, if anywhere."""

    def of(self, content: bytes) -> list[_Event]:
        """The events of a document; what cannot be read is noted with its line."""
        try:
            self.parser.Parse(content, True)
        except expat.ExpatError as error:
            cure = "close every element that opens"
            self.faults.add(error.lineno, "is not well-formed XML", cure, "xml-syntax")
        except _Refused:
            cure = "remove it, from <!DOCTYPE to its >"
            reason = "declares a document type"
            self.faults.add(self.parser.CurrentLineNumber, reason, cure, "xml-syntax")
        return self.found

    def _doctype(self, *_: object) -> None:
        raise _Refused

    def _start(self, name: str, _: object) -> None:
        self.text = None
        if self.open and self.depth == self.open[-1].depth + 1 and name in PARTS:
            parts = self.open[-1].parts
            if name not in parts:
                self.text = parts[name] = []
        if name == "event":
            self.open.append(_Event(self.parser.CurrentLineNumber, self.depth))
            self.found.append(self.open[-1])
        self.depth += 1

    def _end(self, _: str) -> None:
        self.text = None
        self.depth -= 1
        if self.open and self.open[-1].depth == self.depth:
            self.open.pop()

    def _characters(self, text: str) -> None:
        if self.text is not None:
            self.text.append(text)
