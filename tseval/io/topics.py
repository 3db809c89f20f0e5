"""The table of topics with their periods, and one name for each topic in all tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from tseval.files import TREC_TS
from tseval.files.faults import FaultList
from tseval.files.inputs import Input
from tseval.files.topics import is_xml, read_events
from tseval.io.tables import Table, TableReader, TrackFile, TrackRows, add_faults
from tseval.tables import Ids
from tseval.tables.arrow import strings
from tseval.tables.schema import TOPICS
from tseval.tables.topic_names import TopicNames


def read_xml(source: Input, _: FaultList) -> TrackRows:
    """Read the events of Temporal Summarization, which are XML."""
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


def name_topics(tables: Mapping[str, Table], gold: str) -> dict[str, Table]:
    """Return the tables with the topics of the gold, whether they write `TS14.11` or `11`."""
    first = {
        name: replace(table, frame=table.frame.unique("topic", keep="first", maintain_order=True))
        for name, table in tables.items()
        if "topic" in table.frame.columns
    }
    names = {name: Ids.of(strings(each.frame["topic"].to_list())) for name, each in first.items()}
    rename, renamed = TopicNames(names.pop(gold), gold), dict(tables)
    for name, topics in names.items():
        rename.check(topics, first[name].origin)
        gold_names = dict(zip(topics.to_list(), rename(topics).to_list(), strict=True))
        frame = tables[name].frame.with_columns(pl.col("topic").replace(gold_names))
        renamed[name] = replace(tables[name], frame=frame)
    return renamed
