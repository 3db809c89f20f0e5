"""The table of topics with their periods, and one name for each topic in all tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from xml.parsers import expat

import polars as pl

from tseval.io import TREC_TS
from tseval.io.cells import text_frame, type_columns
from tseval.io.faults import FaultList
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
PREFIX = re.compile(r"^TS\d+\.")
YEARS_CURE = (
    "they are topics of two years: score each year with its own nuggets, or give the nuggets the "
    "names with their prefixes"
)


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


class GoldTopics:
    """The names of the gold's topics, so that `TS14.11` and `11` are the same topic.

    Where two topics of the gold are the same without their prefix, prefixes are kept; so they are
    where prefixes differ: `TS13.11` and `TS14.11` are topics of two years.
    """

    def __init__(self, gold: Iterable[str], rule: str) -> None:
        names = list(gold)
        self._rule = rule
        self._bare = Counter(bare(name) for name in names)
        self._unique = {bare(name): name for name in names if self._bare[bare(name)] == 1}
        self._known = set(names)

    def same(self, name: str) -> str:
        """Return the topic of the gold that this is; the name itself if it is none."""
        if name in self._known:
            return name
        same = self._unique.get(bare(name), name)
        return name if name != bare(name) and same not in (name, bare(same)) else same

    def find(self, name: str) -> str | None:
        """Return the topic of the gold that a name with a prefix stands for, if any."""
        same = self.same(name)
        return same if name != bare(name) and same in self._known else None

    def rename(self, name: str) -> str:
        """Return the name that the rule gives a topic."""
        same = self.same(name)
        apart = same not in self._known and bare(same) in self._unique
        is_bare = self._rule == "bare" and self._bare[bare(same)] <= 1 and not apart
        return bare(same) if is_bare else same

    def clashes(self, frame: pl.DataFrame, prefixed: dict[str, str]) -> pl.DataFrame:
        """Return a row, with the `reason`, of each topic that is one of the gold under two names.

        The names with prefixes so far stand under the topics of the gold.
        """
        rows, reasons = frame.filter(pl.col("topic").is_first_distinct()), list[str | None]()
        for name in rows["topic"]:
            topic = self.find(name)
            other = prefixed.setdefault(topic, name) if topic else name
            both = f'topics "{other}" and "{name}" would both be the topic "{topic}" of the nuggets'
            reasons.append(None if other == name else both)
        return rows.with_columns(reason=pl.Series(reasons, dtype=pl.String)).drop_nulls("reason")

    def rename_in(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a table whose topics have the names that the rule gives them."""
        topics = frame["topic"].unique()
        names = {own: name for own in topics if (name := self.rename(own)) != own}
        return frame.with_columns(pl.col("topic").replace(names)) if names else frame


def bare(name: str) -> str:
    """Return a name without its prefix."""
    return PREFIX.sub("", name)


def name_topics(tables: Mapping[str, Table], gold: str, rule: str = "gold") -> dict[str, Table]:
    """Return the tables with one name for each topic, whether they write `TS14.11` or `11`.

    By the rule `gold` it is the gold's, by `bare` that without a prefix.
    """
    topics, renamed = GoldTopics(tables[gold].frame["topic"].unique(), rule), dict(tables)
    prefixed: dict[str, str] = {}
    for name, table in tables.items():
        if "topic" in table.frame.columns:
            wrong = topics.clashes(table.frame, prefixed)
            table.refuse(wrong, "{reason}", YEARS_CURE, "ambiguous-id")
            renamed[name] = replace(table, frame=topics.rename_in(table.frame))
    return renamed
