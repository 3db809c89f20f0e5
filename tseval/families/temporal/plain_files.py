"""Reading the tables of temporal summarization, from paths and from pandas frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tseval import tables
from tseval.families.temporal import trec_files as trec
from tseval.files.faults import FaultList
from tseval.files.frames import FrameInput, run_names
from tseval.files.inputs import Each, Input
from tseval.files.machine_matches import maker_of
from tseval.files.plain import Rows, recognise
from tseval.files.reading import faults_of, input_of, rows_of
from tseval.tables import (
    ALL_TOPICS,
    Duplicates,
    Ids,
    Matches,
    Nuggets,
    Pool,
    Resolved,
    Schema,
    Updates,
    known_updates,
    repeated_rows,
    resolve,
)

if TYPE_CHECKING:
    from tseval.files.reading import Given


def read_updates(sources: Sequence[Given], form: str | None = None, each: Each = map) -> Updates:
    """One or more runs as one table; without a column `run` a run is called as its file.

    Files of the same name in different folders are called by their paths. `each` reads one run
    after the other, or has them read somewhere else.
    """
    return _runs(sources, tables.UPDATES, form, each)


def read_texts(sources: Sequence[Given], form: str | None = None) -> Updates:
    """The same, but the column `time` may be missing: every update then has the time 0."""
    return _runs(sources, tables.TEXTS, form)


def _runs(sources: Sequence[Given], schema: Schema, form: str | None, each: Each = map) -> Updates:
    inputs = [input_of(source, schema) for source in sources]
    parts = list(each(partial(_run, schema=schema, form=form), inputs, run_names(inputs)))
    joined = Updates.join(parts)
    if len(parts) > 1 and schema.key:
        _check_runs(joined, inputs)
    return joined


def _run(source: Input, name: str, schema: Schema, form: str | None) -> Updates:
    if trec.is_official(source, "updates", form):
        return trec.read_run(source)
    return updates_of(rows_of(source, schema, form), name)


def updates_of(rows: Rows, name: str) -> Updates:
    """Rows as updates; `name` is what their run is called if no column says."""
    rows_read = len(rows.get("text"))
    time = rows.get("time")
    run = rows.get("run")
    return Updates(
        run=Ids.constant(name, rows_read) if run is None or not rows_read else run,
        topic=rows.get("topic"),
        update_id=rows.get("update_id"),
        time=np.zeros(rows_read) if time is None else time,
        text=rows.get("text"),
        confidence=rows.get("confidence"),
        cost=rows.get("cost"),
        origin=rows.origin,
    )


def _check_runs(updates: Updates, inputs: Sequence[Input]) -> None:
    """A run that is spread over several files may not repeat an update either.

    Where a format lets a file repeat its own updates, that is no fault.
    """
    repeats, originals = repeated_rows(updates.run, updates.topic, updates.update_id)
    across = updates.origin.source[repeats] != updates.origin.source[originals]
    repeats, originals = repeats[across], originals[across]
    if not len(repeats):
        return
    place = int(updates.origin.source[repeats[0]])
    faults = faults_of(inputs[place], updates.origin.sources[place])
    for row, original in zip(repeats.tolist(), originals.tolist(), strict=True):
        if updates.origin.source[row] != place:
            continue
        reason = f'update_id "{updates.update_id[row]}" stands twice in run "{updates.run[row]}"'
        cure = f"also at {updates.origin.place(original)}: give each file's run a name of its own"
        faults.extend([updates.origin.fault(row, reason, cure)])
    faults.check()


def read_nuggets(
    source: Given, form: str | None = None, reading: trec.TrackReading = trec.PLAIN
) -> Nuggets:
    """The gold nuggets; there must be at least one."""
    given = input_of(source, tables.NUGGETS)
    if trec.is_official(given, "nuggets", form):
        nuggets = trec.read_nuggets(given, reading)
    else:
        nuggets = _nuggets(rows_of(given, tables.NUGGETS, form))
    if not len(nuggets):
        faults = FaultList(given)
        faults.add(None, "holds no nuggets", "without nuggets there is nothing to score")
        faults.check()
    _refuse_all(given, nuggets)
    return nuggets


def _nuggets(rows: Rows) -> Nuggets:
    time, importance = rows.get("time"), rows.get("importance")
    return Nuggets(
        topic=rows.get("topic"),
        nugget_id=rows.get("nugget_id"),
        time=time,
        text=rows.get("text"),
        importance=np.ones(len(time)) if importance is None else importance,
        cost=rows.get("cost"),
        origin=rows.origin,
        length=rows.get("length"),
    )


def _refuse_all(given: Input, nuggets: Nuggets) -> None:
    """A topic may not have the name under which the mean over topics stands."""
    named = np.flatnonzero(np.array(nuggets.topic.to_list()) == ALL_TOPICS)
    faults = faults_of(given, nuggets.origin.sources[0])
    for row in named.tolist():
        reason = f'a topic is called "{ALL_TOPICS}", the name of the mean over topics'
        faults.extend([nuggets.origin.fault(row, reason, "give the topic another name")])
    faults.check()


def read_matches(
    source: Given, form: str | None = None, reading: trec.TrackReading = trec.PLAIN
) -> Matches:
    """Matches by id."""
    given = input_of(source, tables.MATCHES)
    if trec.is_official(given, "matches", form):
        return trec.read_matches(given, reading)
    rows = rows_of(given, tables.MATCHES, form)
    return Matches(
        rows.get("topic"),
        rows.get("update_id"),
        rows.get("nugget_id"),
        rows.get("run"),
        rows.origin,
        rows.get("start"),
        rows.get("end"),
        maker=maker_of(rows),
    )


def read_duplicates(source: Given, form: str | None = None) -> Duplicates:
    """Pairs of updates that say the same; a table of clusters links the posts of each cluster."""
    given = input_of(source, tables.DUPLICATES)
    if trec.is_official(given, "duplicates", form):
        return trec.read_duplicates(given)
    if not tables.CLUSTERS.missing(_names(given)):
        return _linked(rows_of(given, tables.CLUSTERS, form))
    rows = rows_of(given, tables.DUPLICATES, form)
    return Duplicates(
        rows.get("topic"), rows.get("update_id"), rows.get("duplicate_id"), rows.origin
    )


def _linked(clusters: Rows) -> Duplicates:
    """Each post of a cluster paired with the first that stands there."""
    topic, cluster, post = (clusters.get(name) for name in ("topic", "cluster_id", "post_id"))
    key = topic.codes * len(cluster.names) + cluster.codes
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return Duplicates(topic, post, post.rows(first[place]), clusters.origin)


def read_pool(
    source: Given, form: str | None = None, reading: trec.TrackReading = trec.PLAIN
) -> Pool:
    """The updates that assessors saw."""
    given = input_of(source, tables.POOL)
    if trec.is_official(given, "pool", form):
        return trec.read_pool(given, reading)
    rows = rows_of(given, tables.POOL, form)
    return Pool(
        topic=rows.get("topic"),
        update_id=rows.get("update_id"),
        origin=rows.origin,
        duplicate_id=rows.get("duplicate_id"),
        text=rows.get("text"),
        length=rows.get("length"),
    )


def _names(source: Input) -> list[str]:
    """The names of an input's columns, as far as they can be told before it is read."""
    if isinstance(source, FrameInput):
        return [str(name) for name in source.frame.columns]
    return recognise(source)[1]


def resolve_checked(
    matches: Matches, updates: Updates, nuggets: Nuggets, pool: Pool | None = None
) -> Resolved:
    """The matches as row numbers; one that names an unknown update or nugget is a fault.

    An update that is in no run is known all the same if it is in the pool. In a table that a track
    published, rows that name something unknown are passed over.
    """
    resolved = resolve(matches, updates, nuggets)
    lost_update = resolved.lost_update
    if pool is not None:
        lost_update = lost_update & ~known_updates(matches.topic, matches.update_id, pool)
    check_resolved(replace(resolved, lost_update=lost_update), matches, pool)
    return resolved


def check_resolved(resolved: Resolved, matches: Matches, pool: Pool | None = None) -> None:
    """Raise the faults of matches that name something unknown."""
    lost_update = resolved.lost_update
    if matches.published or not (lost_update | resolved.lost_nugget).any():
        return
    source = Input(matches.origin.sources[0].path)
    faults = faults_of(source, matches.origin.sources[0])
    for row in np.flatnonzero(lost_update | resolved.lost_nugget).tolist():
        what, cure = _lost(matches, row, bool(resolved.lost_nugget[row]), pool is not None)
        fault = matches.origin.fault(row, what, cure)
        # A frame, and what came through a pipe, cannot be read again to show the row.
        text = "" if source.can_be_read_again else _shown(matches, row)
        faults.extend([replace(fault, text=text)])
    faults.check()


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
