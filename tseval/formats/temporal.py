"""Reading the tables of temporal summarization, from paths and from pandas frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tseval import tables
from tseval.errors import UsageError
from tseval.formats.faults import FaultList
from tseval.formats.frames import FrameInput, is_frame, read_frame
from tseval.formats.inputs import STANDARD_INPUT, Input
from tseval.formats.parquet import ParquetInput
from tseval.formats.plain import Rows, read_rows, recognise
from tseval.tables import (
    ALL_TOPICS,
    Duplicates,
    Ids,
    Matches,
    Nuggets,
    Pool,
    Schema,
    Topics,
    Updates,
    known_updates,
    repeated_rows,
    resolve,
)

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables import Pairs

    Source: TypeAlias = str | Path | Input | pd.DataFrame


def read_updates(sources: Sequence[Source], form: str | None = None) -> Updates:
    """One or more runs as one table; without a column `run` a run is called as its file.

    Files of the same name in different folders are called by their paths.
    """
    inputs = [_input(source, tables.UPDATES) for source in sources]
    parts = [
        _updates(_rows(each, tables.UPDATES, form), name)
        for each, name in zip(inputs, _run_names(inputs), strict=True)
    ]
    joined = Updates.join(parts)
    if len(parts) > 1:
        _check_runs(joined, inputs)
    return joined


def _run_names(inputs: Sequence[Input]) -> list[str]:
    names = ["run" if isinstance(each, FrameInput) else each.name for each in inputs]
    times = Counter(names)
    return [
        name if times[name] == 1 else (f"{name}{i}" if isinstance(each, FrameInput) else each.path)
        for i, (name, each) in enumerate(zip(names, inputs, strict=True), start=1)
    ]


def _updates(rows: Rows, name: str) -> Updates:
    time = rows.get("time")
    run = rows.get("run")
    return Updates(
        run=Ids.constant(name, len(time)) if run is None or not len(time) else run,
        topic=rows.get("topic"),
        update_id=rows.get("update_id"),
        time=time,
        text=rows.get("text"),
        confidence=rows.get("confidence"),
        cost=rows.get("cost"),
        origin=rows.origin,
    )


def _check_runs(updates: Updates, inputs: Sequence[Input]) -> None:
    """A run that is spread over several files may not repeat an update either."""
    repeats, originals = repeated_rows(updates.run, updates.topic, updates.update_id)
    if not len(repeats):
        return
    place = int(updates.origin.source[repeats[0]])
    faults = _faults(inputs[place], updates.origin.sources[place])
    for row, original in zip(repeats.tolist(), originals.tolist(), strict=True):
        if updates.origin.source[row] != place:
            continue
        reason = f'update_id "{updates.update_id[row]}" stands twice in run "{updates.run[row]}"'
        cure = f"also at {updates.origin.place(original)}: give each file's run a name of its own"
        faults.extend([updates.origin.fault(row, reason, cure)])
    faults.check()


def read_nuggets(source: Source, form: str | None = None) -> Nuggets:
    """The gold nuggets; there must be at least one."""
    given = _input(source, tables.NUGGETS)
    rows = _rows(given, tables.NUGGETS, form)
    time, importance = rows.get("time"), rows.get("importance")
    if not len(time):
        faults = FaultList(given)
        faults.add(None, "holds no nuggets", "without nuggets there is nothing to score")
        faults.check()
    _refuse_all(given, rows)
    return Nuggets(
        topic=rows.get("topic"),
        nugget_id=rows.get("nugget_id"),
        time=time,
        text=rows.get("text"),
        importance=np.ones(len(time)) if importance is None else importance,
        cost=rows.get("cost"),
        origin=rows.origin,
    )


def _refuse_all(given: Input, rows: Rows) -> None:
    """A topic may not have the name under which the mean over topics stands."""
    named = np.flatnonzero(np.array(rows.get("topic").to_list()) == ALL_TOPICS)
    faults = _faults(given, rows.origin.sources[0])
    for row in named.tolist():
        reason = f'a topic is called "{ALL_TOPICS}", the name of the mean over topics'
        faults.extend([rows.origin.fault(row, reason, "give the topic another name")])
    faults.check()


def read_matches(source: Source, form: str | None = None) -> Matches:
    """Matches by id."""
    rows = _rows(_input(source, tables.MATCHES), tables.MATCHES, form)
    return Matches(
        rows.get("topic"),
        rows.get("update_id"),
        rows.get("nugget_id"),
        rows.get("run"),
        rows.origin,
    )


def read_topics(source: Source, form: str | None = None) -> Topics:
    """Each topic's start, and its end where given; it may not end before it starts."""
    given = _input(source, tables.TOPICS)
    rows = _rows(given, tables.TOPICS, form)
    start, end = rows.get("start"), rows.get("end")
    if end is not None and (end < start).any():
        faults = _faults(given, rows.origin.sources[0])
        for row in np.flatnonzero(end < start).tolist():
            reason = f'topic "{rows.get("topic")[row]}" ends before it starts'
            faults.extend([rows.origin.fault(row, reason, "swap start and end")])
        faults.check()
    return Topics(rows.get("topic"), start, end, rows.origin)


def read_duplicates(source: Source, form: str | None = None) -> Duplicates:
    """Pairs of updates that say the same; a table of clusters links the posts of each cluster."""
    given = _input(source, tables.DUPLICATES)
    if not tables.CLUSTERS.missing(_names(given)):
        return _linked(_rows(given, tables.CLUSTERS, form))
    rows = _rows(given, tables.DUPLICATES, form)
    return Duplicates(
        rows.get("topic"), rows.get("update_id"), rows.get("duplicate_id"), rows.origin
    )


def _linked(clusters: Rows) -> Duplicates:
    """Each post of a cluster paired with the first that stands there."""
    topic, cluster, post = (clusters.get(name) for name in ("topic", "cluster_id", "post_id"))
    key = topic.codes * len(cluster.names) + cluster.codes
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return Duplicates(topic, post, post.rows(first[place]), clusters.origin)


def read_pool(source: Source, form: str | None = None) -> Pool:
    """The updates that assessors saw."""
    rows = _rows(_input(source, tables.POOL), tables.POOL, form)
    return Pool(rows.get("topic"), rows.get("update_id"), rows.origin)


def _input(source: Source, schema: Schema) -> Input:
    """What was given as an input, unless it is one."""
    if is_frame(source):
        return FrameInput(source, schema.table)
    return source if isinstance(source, Input) else Input(str(source))


def _names(source: Input) -> list[str]:
    """The names of an input's columns, as far as they can be told before it is read."""
    if isinstance(source, FrameInput):
        return [str(name) for name in source.frame.columns]
    return recognise(source)[1]


def _rows(source: Input, schema: Schema, form: str | None) -> Rows:
    if isinstance(source, FrameInput):
        return read_frame(source, schema)
    return read_rows(source, schema, form)


def _faults(source: Input, record: tables.Source) -> FaultList:
    """A list for the faults of an input that was read before."""
    is_parquet = record.unit == "row" and not isinstance(source, FrameInput)
    return FaultList(ParquetInput(source) if is_parquet else source)


def check_inputs(paths: Sequence[Any]) -> None:
    """Standard input can be read for one table alone."""
    if sum(str(path) == STANDARD_INPUT for path in paths if not is_frame(path)) > 1:
        raise UsageError("standard input (-) can stand for one file only")


def resolve_checked(
    matches: Matches, updates: Updates, nuggets: Nuggets, pool: Pool | None = None
) -> Pairs:
    """The matches as row numbers; one that names an unknown update or nugget is a fault.

    An update that is in no run is known all the same if it is in the pool.
    """
    resolved = resolve(matches, updates, nuggets)
    lost_update = resolved.lost_update
    if pool is not None:
        lost_update = lost_update & ~known_updates(matches.topic, matches.update_id, pool)
    if not (lost_update | resolved.lost_nugget).any():
        return resolved.pairs
    source = Input(matches.origin.sources[0].path)
    faults = _faults(source, matches.origin.sources[0])
    for row in np.flatnonzero(lost_update | resolved.lost_nugget).tolist():
        what, cure = _lost(matches, row, bool(resolved.lost_nugget[row]), pool is not None)
        fault = matches.origin.fault(row, what, cure)
        # A frame, and what came through a pipe, cannot be read again to show the row.
        text = "" if source.can_be_read_again else _shown(matches, row)
        faults.extend([replace(fault, text=text)])
    faults.check()
    return resolved.pairs


def _shown(matches: Matches, row: int) -> str:
    """A row's ids, in place of the row."""
    ids = (matches.topic, matches.update_id, matches.nugget_id, matches.run)
    return "\t".join(column[row] for column in ids if column is not None)


def _lost(matches: Matches, row: int, nugget: bool, pooled: bool) -> tuple[str, str]:
    topic = matches.topic[row]
    if nugget:
        reason = f'match to the unknown nugget "{matches.nugget_id[row]}" of topic "{topic}"'
        return reason, "give the nuggets that the matches were made with, or remove the match"
    reason = f'match to the unknown update "{matches.update_id[row]}" of topic "{topic}"'
    if pooled:
        return reason, "it is in no run and not in the pool: remove the match or extend the pool"
    return (
        reason,
        "give every run that the matches speak of, or the pool of judged updates (--pool)",
    )
