"""Reading the tables of temporal summarization, from paths and from pandas frames."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tseval import tables
from tseval.errors import InputError, input_error
from tseval.families.temporal import trec_files as trec
from tseval.files.given import FrameInput, are_records, input_of, run_names
from tseval.files.inputs import Each, Input
from tseval.files.machine_matches import maker_of
from tseval.files.plain import Rows
from tseval.files.reading import (
    check_between_files,
    faults_of,
    names_of,
    read_table,
    refuse,
    refuse_all,
    rows_of,
)
from tseval.tables import (
    Corrections,
    Duplicates,
    JudgedPairs,
    Matches,
    Nuggets,
    Pool,
    Resolved,
    Schema,
    Updates,
    known_updates,
    resolve,
)

if TYPE_CHECKING:
    from tseval.files.given import Given

OF_RUNS, OF_GOLD = {"run", "confidence"}, {"importance"}
"""Columns that only runs have, and that only gold has."""
MANY_TIMES = 10
"""A gold with more than this many times the rows of all runs may be a run."""


def read_updates(given: Sequence[Given], form: str | None = None, each: Each = map) -> Updates:
    """One or more runs as one table; without a column `run` a run is called as its file.

    Files of the same name in different folders are called by their paths. `each` reads one run
    after the other, or has them read somewhere else.
    """
    return _runs(given, tables.UPDATES, form, each)


def read_texts(given: Sequence[Given], form: str | None = None) -> Updates:
    """The same, but the column `time` may be missing: every update then has the time 0."""
    return _runs(given, tables.TEXTS, form)


def _runs(given: Sequence[Given], schema: Schema, form: str | None, each: Each = map) -> Updates:
    inputs = [input_of(one, schema) for one in given]
    parts = list(each(partial(_run, schema=schema, form=form), inputs, run_names(inputs)))
    joined = Updates.join(parts)
    if schema.key:
        key = (joined.run, joined.topic, joined.update_id)
        check_between_files(joined, inputs, key, partial(_stands_twice, joined))
    return joined


def _run(source: Input, name: str, schema: Schema, form: str | None) -> Updates:
    if trec.is_official(source, "updates", form):
        return trec.read_run(source)
    rows = rows_of(source, schema, form)
    return Updates.of(rows.columns, rows.origin, name)


def _stands_twice(updates: Updates, row: int) -> str:
    return f'update_id "{updates.update_id[row]}" stands twice in run "{updates.run[row]}"'


def refuse_swapped(updates: Sequence[Given], nuggets: Given, times: float = 1.0) -> None:
    """Refuse a gold in the place of the first run, where the last file looks like a run.

    `times` is how many times the rows of the runs the last file has.
    """
    first, last = _columns_of(updates[0]), _columns_of(nuggets)
    signs = sorted(last & OF_RUNS) or ["more than ten times the rows"] * (times > MANY_TIMES)
    if OF_GOLD & first and not OF_RUNS & first and signs and not OF_GOLD & last:
        gold = input_of(updates[0], tables.UPDATES).path
        run = input_of(nuggets, tables.NUGGETS).path
        reason = f"looks like nuggets (importance), and {run} like a run ({', '.join(signs)})"
        cure = "the order is UPDATES... NUGGETS: name the file of nuggets last"
        raise input_error(gold, None, reason, cure, "swapped-inputs")


def _columns_of(given: Given) -> set[str]:
    """Return the columns of runs and of gold in a file; none if it can be read only once."""
    source = input_of(given[:1] if are_records(given) else given, tables.UPDATES)
    with suppress(InputError):
        if isinstance(source, FrameInput) or source.can_be_read_again:
            names = names_of(source)
            return {
                name for each in (tables.UPDATES, tables.NUGGETS) for name in each.placed(names)
            }
    return set()


def read_nuggets(
    given: Given, form: str | None = None, reading: trec.TrackReading = trec.PLAIN
) -> Nuggets:
    """The gold nuggets; there must be at least one."""
    source = input_of(given, tables.NUGGETS)
    if trec.is_official(source, "nuggets", form):
        nuggets = trec.read_nuggets(source, reading)
    else:
        nuggets = read_table(source, tables.NUGGETS, Nuggets, form)
    if not len(nuggets):
        refuse(source, "holds no nuggets", "without nuggets there is nothing to score")
    refuse_all(source, nuggets, nuggets.topic)
    return nuggets


def read_matches(
    given: Given, form: str | None = None, reading: trec.TrackReading = trec.PLAIN
) -> Matches:
    """Matches by id."""
    source = input_of(given, tables.MATCHES)
    if not tables.CORRECTIONS.missing(names_of(source)):
        cure = "give it as --corrections"
        refuse(source, "holds verdicts on pairs, not only matches", cure, "wrong-file")
    if trec.is_official(source, "matches", form):
        return trec.read_matches(source, reading)
    rows = rows_of(source, tables.MATCHES, form)
    return _graded(Matches.of(rows.columns | {"maker": maker_of(rows)}, rows.origin))


def _graded(matches: Matches) -> Matches:
    """The rows that say anything of a nugget; without grades where all say it in full."""
    if matches.grade is None:
        return matches
    grade = np.where(np.isnan(matches.grade), 1.0, matches.grade)
    found = replace(matches, grade=grade).rows(grade > 0)
    return found if (grade[grade > 0] < 1).any() else replace(found, grade=None)


def read_duplicates(given: Given, form: str | None = None) -> Duplicates:
    """Pairs of updates that say the same; a table of clusters links the posts of each cluster."""
    source = input_of(given, tables.DUPLICATES)
    if trec.is_official(source, "duplicates", form):
        return trec.read_duplicates(source)
    if not tables.CLUSTERS.missing(names_of(source)):
        return _linked(rows_of(source, tables.CLUSTERS, form))
    return read_table(source, tables.DUPLICATES, Duplicates, form)


def _linked(clusters: Rows) -> Duplicates:
    """Each post of a cluster paired with the first that stands there."""
    topic, cluster, post = (clusters.get(name) for name in ("topic", "cluster_id", "post_id"))
    key = topic.codes * len(cluster.names) + cluster.codes
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return Duplicates(post, post.rows(first[place]), clusters.origin, topic)


def read_pool(
    given: Given, form: str | None = None, reading: trec.TrackReading = trec.PLAIN
) -> Pool:
    """The updates that assessors saw."""
    source = input_of(given, tables.POOL)
    if trec.is_official(source, "pool", form):
        return trec.read_pool(source, reading)
    return read_table(source, tables.POOL, Pool, form)


def read_corrections(given: Given, form: str | None = None) -> Corrections:
    """Verdicts on pairs, whatever a matcher finds."""
    from tseval.matching import corrections

    return corrections.read_corrections(given, form)


def read_judged(given: Given, form: str | None = None) -> JudgedPairs:
    """What was judged of a sample."""
    from tseval.matching import verdicts

    return verdicts.read_judged_pairs(given, form)


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
        fault = matches.origin.fault(row, what, cure, "unknown-id")
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
