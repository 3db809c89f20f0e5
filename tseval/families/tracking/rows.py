"""From tables to rows: the values of runs and gold for judged topics, and the topics' periods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from tseval.core.frames import FrameIndex, relative_start, spans, warn_of_topics
from tseval.core.input_warnings import years_apart
from tseval.core.kernel import KEY, natural
from tseval.core.wording import count, listed
from tseval.families.tracking.files import ATTRIBUTES
from tseval.io.tables import Table


def index_of(tables: Mapping[str, Table]) -> FrameIndex:
    """Return the values of judged topics, which are those of the gold."""
    names = ("topic", "attribute", "time", "amount", "longitude")
    gold, time = tables["gold"].frame.select(names), pl.col("time")
    times = gold.group_by("topic").agg(start=time.min(), end=time.max())
    times = relative_start(times, tables["gold"])
    if "topics" in tables:
        periods = tables["topics"].frame.select("topic", pl.col("^(start|end)$"))
        times = times.update(periods, on="topic")
    topic, kind = natural(gold["topic"]), pl.Enum(ATTRIBUTES)
    times = times.cast({"topic": topic}).sort("topic")
    gold = gold.cast({"topic": topic, "attribute": kind})
    run = pl.Enum(tables["runs"].runs)
    values = tables["runs"].frame.select("run", *names)
    values = values.cast({"topic": topic, "attribute": kind, "run": run}, strict=False)
    values = values.drop_nulls("topic")
    run_place, place = (pl.col(name).to_physical().cast(pl.UInt32) for name in KEY)
    values = values.with_columns(unit=run_place * times.height + place)
    attributes = values.select(*KEY, "attribute").unique()
    frames = {"gold": gold, "attributes": attributes}
    return FrameIndex.of(tables["runs"].runs, times, values, **frames)


def find_warnings(tables: Mapping[str, Table], index: FrameIndex) -> Iterator[str]:
    """Yield what a reader should know of the inputs, whatever is asked of them."""
    yield from years_apart([*spans(index.outputs), *spans(index["gold"], "gold")], index.topics)
    yield from warn_of_topics(tables["runs"].frame, index.topics, "in the gold")
    timely = (
        index.outputs.select(*KEY, "time")
        .join(index.times, on="topic")
        .filter(pl.col("time").is_between("start", "end"))
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
    values = index["attributes"].filter(pl.col("attribute") == attribute)
    judged = judged_topics(index, attribute)
    for run, topics in index.lacking(values):
        lost = [topic for topic in topics if topic in judged]
        if lost:
            noun = count(len(lost), "topic")
            yield f"run {run}: no values of {attribute} in {noun}: {listed(lost)}"
