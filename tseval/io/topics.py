"""The table of topics with their periods, and one name for each topic in all tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from xml.parsers import expat

import polars as pl

from tseval.io import TREC_TS
from tseval.io.cells import text_frame, type_columns
from tseval.io.faults import FaultList
from tseval.io.gold_topics import YEARS_CURE, GoldTopics, clash
from tseval.io.inputs import Input, is_xml
from tseval.io.schema import TOPIC, TOPICS, Column, Kind, Schema
from tseval.io.tables import Table, TableReader, TrackFile, TrackRows, add_faults

EVENT = Schema(
    "topics",
    (TOPIC, Column("start", Kind.TIME), Column("end", Kind.TIME)),
    key=("topic",),
)
PARTS = ("id", "start", "end")
"""The elements of an event that hold the columns of `EVENT`."""


def read_xml(source: Input, faults: FaultList) -> TrackRows:
    """Read the events of Temporal Summarization, which are XML."""
    found = _Events(faults).of(source.whole_lines())
    faults.check()
    if not found:
        cure = "topics are <event><id>…</id><start>…</start>…</event>"
        faults.refuse(None, "holds no event", cure, "no-rows")
    names = [column.name for column in EVENT]
    rows = ((each.line, *map(each.text, PARTS)) for each in found)
    frame = type_columns([text_frame(rows, names)], EVENT.of_track, faults)
    return TrackRows(frame)


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


def check_order(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Refuse topics that end before they start."""
    if "end" in frame.columns:
        wrong = frame.filter(pl.col("end") < pl.col("start"))
        reason = 'topic "{topic}" ends before it starts'
        add_faults(faults, wrong, reason, "swap start and end", "time-order")
    return frame


TOPICS_READER = TableReader(
    schema=TOPICS,
    tracks=(TrackFile(recognise=is_xml, read=read_xml, forms=(TREC_TS,)),),
    check=check_order,
)


def name_topics(tables: Mapping[str, Table], gold: str, rule: str = "gold") -> dict[str, Table]:
    """Return the tables with one name for each topic, whether they write `TS14.11` or `11`.

    By the rule `gold` it is the gold's, by `bare` that without a prefix.
    """
    topics, renamed = GoldTopics(tables[gold].frame["topic"].unique(), rule), dict(tables)
    prefixed: dict[str, str] = {}
    for name, table in tables.items():
        if "topic" in table.frame.columns:
            rows = table.frame.filter(pl.col("topic").is_first_distinct())
            found = [(topics.find(topic), topic) for topic in rows["topic"]]
            reasons = [
                clash(topic, first, own)
                if topic and (first := prefixed.setdefault(topic, own)) != own
                else None
                for topic, own in found
            ]
            wrong = rows.with_columns(reason=pl.Series(reasons, dtype=pl.String))
            wrong = wrong.filter(pl.col("reason").is_not_null())
            table.refuse(wrong, "{reason}", YEARS_CURE, "ambiguous-id")
            names = {own: new for own in rows["topic"] if (new := topics.rename(own)) != own}
            if names:
                frame = table.frame.with_columns(pl.col("topic").replace(names))
                renamed[name] = replace(table, frame=frame)
    return renamed
