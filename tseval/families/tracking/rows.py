"""From tables to rows: the values of runs and gold for judged topics, and the topics' periods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from tseval.core.doubtful_times import years_apart
from tseval.core.frames import FrameIndex, relative_start, spans, unknown_topics
from tseval.core.kernel import natural
from tseval.core.wording import count, listed
from tseval.io.tables import Table


def index_of(tables: Mapping[str, Table]) -> FrameIndex:
    """Return the values of judged topics, which are those of the gold."""
    gold, values = tables["gold"].frame, tables["runs"].frame
    topics = natural(gold["topic"])
    times = gold.group_by("topic").agg(start=pl.col("time").min(), end=pl.col("time").max())
    times = relative_start(times, tables["gold"])
    if "topics" in tables:
        told = tables["topics"].frame.rename(
            {"start": "told_start", "end": "told_end"}, strict=False
        )
        told = told if "told_end" in told.columns else told.with_columns(told_end=None)
        times = times.join(told, on="topic", how="left").select(
            "topic",
            start=pl.coalesce("told_start", "start"),
            end=pl.coalesce("told_end", "end").cast(pl.Float64),
        )
    times = times.with_columns(pl.col("topic").cast(topics)).sort("topic")
    runs = tables["runs"].runs
    judged = values.filter(pl.col("topic").is_in(times["topic"].cast(pl.String).implode()))
    typed = pl.col("topic").cast(topics), pl.col("run").cast(pl.Enum(runs))
    judged, gold = judged.with_columns(*typed), gold.with_columns(typed[0])
    return FrameIndex.of(runs, times, judged, gold=gold)


def find_warnings(tables: Mapping[str, Table], index: FrameIndex) -> Iterator[str]:
    """Yield what a reader should know of the inputs, whatever is asked of them."""
    values, gold = tables["runs"].frame, tables["gold"].frame
    yield from years_apart([*spans(values), *spans(gold, "gold")], index.topics)
    for run, lost in unknown_topics(values, index):
        yield f"run {run}: {count(len(lost), 'topic')} not in the gold, ignored: {listed(lost)}"
    timely = index.outputs.join(index.times, on="topic").filter(
        pl.col("time").is_between("start", "end")
    )
    for run, lost in index.lacking(timely):
        noun = count(len(lost), "topic")
        yield f"run {run}: no value within the period of {noun}: {listed(lost)}"
    if "topics" in tables:
        lost = sorted(set(index.topics) - set(tables["topics"].frame["topic"]))
        if lost:
            noun = count(len(lost), "judged topic")
            yield f"{noun} not in the topics file: the period is that of the gold: {listed(lost)}"


def judged_topics(index: FrameIndex, attribute: str) -> list[str]:
    """Return the topics whose gold has values of an attribute."""
    gold = index["gold"].filter(pl.col("attribute") == attribute)
    return list(gold["topic"].unique().sort().cast(pl.String))


def find_gaps(index: FrameIndex, attribute: str) -> Iterator[str]:
    """Yield a warning for each run that lacks an attribute in topics of which it has values."""
    values = index.outputs.filter(pl.col("attribute") == attribute)
    judged = judged_topics(index, attribute)
    for run, topics in index.lacking(values):
        lost = [topic for topic in topics if topic in judged]
        if lost:
            noun = count(len(lost), "topic")
            yield f"run {run}: no values of {attribute} in {noun}: {listed(lost)}"
