"""The table of topics with their periods, and one name for each topic in all tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
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
    found = events_in(source.complete_lines(), faults)
    faults.check()
    if not found:
        cure = "topics are <event><id>…</id><start>…</start>…</event>"
        faults.refuse(None, "holds no event", cure, "no-rows")
    names = [column.name for column in EVENT]
    rows = ((line, *(parts.get(name, "") for name in PARTS)) for line, parts in found)
    frame = type_columns([text_frame(rows, names)], EVENT.of_track, faults)
    return TrackRows(frame)


def events_in(content: bytes, faults: FaultList) -> list[tuple[int, dict[str, str]]]:
    """Return the line of each event of a document, and the texts of its parts."""
    parser, path, text = expat.ParserCreate(namespace_separator="}"), list[str](), list[str]()
    found = list[tuple[int, dict[str, str]]]()

    def start(name: str, _: object) -> None:
        if name == "event":
            found.append((parser.CurrentLineNumber, {}))
        path.append(name)
        text.clear()

    def end(name: str) -> None:
        path.pop()
        if path[-1:] == ["event"] and name in PARTS:
            found[-1][1].setdefault(name, "".join(text).strip())

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text.append
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        cure = "close every element that opens"
        faults.add(error.lineno, "is not well-formed XML", cure, "xml-syntax")
    return found


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
            renamed[name] = replace(table, frame=topics.rename_in(table.frame))
    return renamed
