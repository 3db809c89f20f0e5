"""The table of topics with their periods, and one name for each topic in all tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from tseval.files import TREC_TS
from tseval.files.faults import FaultList
from tseval.files.inputs import Input
from tseval.files.text_lines import is_xml
from tseval.io.tables import Table, TableReader, TrackFile, TrackRows, add_faults
from tseval.tables.gold_topics import YEARS_CURE, GoldTopics, clash
from tseval.tables.schema import TOPICS


def read_xml(source: Input, _: FaultList) -> TrackRows:
    """Read the events of Temporal Summarization, which are XML."""
    from tseval.files.topics import read_events  # here, because it needs Arrow

    events = read_events(source)
    columns = {"line": events.origin.line, "topic": events.topic.to_list(), "start": events.start}
    return TrackRows(pl.DataFrame(columns | {"end": events.end}))


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
