"""The files of temporal summarization as `tseval validate` and `tseval import` know them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.declared import file_option
from tseval.errors import InputError
from tseval.families.temporal import plain_files, trec_checks
from tseval.families.temporal import trec_files as trec
from tseval.files import TREC_TS
from tseval.files.formats import Format, Line, nothing_to_say
from tseval.files.imports import Import, Imported, NothingAsked, numbers_as_text, optional_numbers
from tseval.files.inputs import Input
from tseval.files.topics import read_events, read_topics
from tseval.records import frozen
from tseval.tables import (
    ABSENT,
    Corrections,
    Ids,
    Matches,
    Nuggets,
    Pool,
    Texts,
    Topics,
    Updates,
    pool_rows,
    repeated_rows,
)

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray


@frozen
class WithPool:
    """What a run, and matches, lack."""

    pool: str | None = file_option(
        "--pool", "The pool with the texts: a run takes them, spans of matches count in them."
    )

    @property
    def texts(self) -> Pool | None:
        """The pool, if one is given."""
        return None if self.pool is None else trec.read_pool(Input(self.pool), trec.PLAIN)


def _run(source: Input, options: WithPool) -> Imported:
    """A run, with the texts of the pool; a line that repeats an update is left out."""
    pool = options.texts
    updates = trec.read_run(source)
    repeats, _ = repeated_rows(updates.run, updates.topic, updates.update_id)
    kept = np.ones(len(updates), bool)
    kept[repeats] = False
    updates = updates.rows(kept)
    columns: dict[str, Sequence[str]] = {
        "run": updates.run.to_list(),
        "topic": updates.topic.to_list(),
        "update_id": updates.update_id.to_list(),
        "time": numbers_as_text(updates.time),
        "confidence": optional_numbers(updates.confidence),
        "text": list(_pooled(updates.topic, updates.update_id, pool)),
    }
    return Imported(columns, tuple(_run_warnings(len(repeats), columns["text"], pool)))


def _pooled(topic: Ids, update_id: Ids, pool: Pool | None) -> Iterator[str]:
    """The pool's text for each update; empty where it has none."""
    if pool is None or pool.text is None:
        return iter([""] * len(topic))
    row = pool_rows(_named_as(topic, pool.topic), update_id, pool)
    texts = Texts.join([Texts.empty(1), pool.text])
    return iter(texts.rows(np.where(row == ABSENT, 0, row + 1)))


def _named_as(topic: Ids, known: Ids) -> Ids:
    """Topics such as `11` under the name `TS14.11` that others have."""
    full = {name.rpartition(".")[2]: name for name in known.vocabulary()}
    coded = Ids.of([full.get(name, name) for name in topic.vocabulary()])
    return Ids(coded.codes[topic.codes], coded.names)


def _run_warnings(repeated: int, texts: Sequence[str], pool: Pool | None) -> Iterator[str]:
    if repeated:
        yield f"lines that repeat an update of the same run and topic are left out: {repeated:,}"
    if pool is None:
        yield "a run holds no texts: --pool FILE adds those of the updates that are in it"
    elif missing := sum(not text for text in texts):
        yield f"updates that are not in the pool have no text: {missing:,}"


def _nuggets(source: Input, _: NothingAsked) -> Imported:
    """Nuggets; a plain table knows no importance below 0."""
    nuggets = trec.read_nuggets(source, trec.PLAIN)
    below = int((nuggets.importance < 0).sum())
    return Imported(
        {
            "topic": nuggets.topic.to_list(),
            "nugget_id": nuggets.nugget_id.to_list(),
            "time": numbers_as_text(nuggets.time),
            "importance": numbers_as_text(np.maximum(nuggets.importance, 0)),
            "length": optional_numbers(nuggets.length),
            "text": list(nuggets.text),
        },
        (f"importances below 0 are written as 0: {below}",) if below else (),
    )


def _matches(source: Input, options: WithPool) -> Imported:
    """Matches; their spans count bytes, and characters where a pool has the texts."""
    pool = options.texts
    matches = trec.read_matches(source, trec.PLAIN)
    columns: dict[str, Sequence[str]] = {
        "topic": matches.topic.to_list(),
        "update_id": matches.update_id.to_list(),
        "nugget_id": matches.nugget_id.to_list(),
    }
    texts = list(_pooled(matches.topic, matches.update_id, pool))
    for name, span in {"start": matches.start, "end": matches.end}.items():
        if span is not None:
            columns[name] = numbers_as_text(_in_characters(span, texts))
    warning = "spans count bytes: --pool FILE has them count characters, as plain tables do"
    return Imported(columns, (warning,) if pool is None else ())


def _in_characters(offsets: FloatArray, texts: Sequence[str]) -> FloatArray:
    """Offsets that count bytes of these texts as offsets that count characters."""
    result = offsets.copy()
    for row, text in enumerate(texts):
        if not text.isascii():
            result[row] = len(text.encode()[: int(offsets[row])].decode(errors="replace"))
    return result


def _pool(source: Input, _: NothingAsked) -> Imported:
    """A pool with its texts; of rows that repeat an id the last one is kept."""
    pool = trec.read_pool(source, trec.PLAIN)
    last = pool_rows(pool.topic, pool.update_id, pool) == np.arange(len(pool.topic))
    duplicate = pool.update_id if pool.duplicate_id is None else pool.duplicate_id
    return Imported(
        {
            "topic": pool.topic.rows(last).to_list(),
            "update_id": pool.update_id.rows(last).to_list(),
            "duplicate_id": duplicate.rows(last).to_list(),
            "length": optional_numbers(None if pool.length is None else pool.length[last]),
            "text": [] if pool.text is None else list(pool.text.rows(last)),
        }
    )


def _topics(source: Input, _: NothingAsked) -> Imported:
    topics = read_events(source)
    return Imported(
        {
            "topic": topics.topic.to_list(),
            "start": numbers_as_text(topics.start),
            "end": optional_numbers(topics.end),
        }
    )


def _import(
    name: str, what: str, made: Callable[[Input, Any], Imported], options: type = NothingAsked
) -> tuple[Import, ...]:
    """How one file of the track becomes a table."""
    words = f"{what} of TREC Temporal Summarization"
    return (Import(name, words, lambda paths, asked: made(Input(paths[0]), asked), options),)


def _is(source: Input, table: str) -> bool:
    return trec.table_of(source) == table


def _format(
    table: str,
    read: Callable[[Input, str | None], Any],
    remarks: Callable[[Any], Iterator[Line]] = nothing_to_say,
    **more: Any,
) -> Format:
    """A table of the track, or the plain one."""
    return Format(
        table,
        lambda each, form, _: read(each, form),
        partial(_is, table=table),
        forms=(TREC_TS,),
        remarks=remarks,
        **more,
    )


def _of_a_run(updates: Updates) -> Iterator[Line]:
    """What the track asks of a run of its own form."""
    if updates.team is None:
        return
    yield from ((str(fault), True) for fault in trec_checks.run_faults(updates))
    path = updates.origin.sources[0].path
    for line in trec_checks.run_warnings(updates):
        yield f"{path}: warning: {line}", False


def together(read: Sequence[Any]) -> Iterator[Line]:
    """The faults of matches, and of times, against the tables that were given with them."""
    updates = [table for table in read if isinstance(table, Updates)]
    nuggets = [table for table in read if isinstance(table, Nuggets)]
    pool = next((table for table in read if isinstance(table, Pool)), None)
    for topics in [table for table in read if isinstance(table, Topics)]:
        for run in [table for table in updates if table.team is not None]:
            yield from ((str(fault), True) for fault in trec_checks.period_faults(run, topics))
    if not updates or len(nuggets) != 1:
        return
    for matches in [table for table in read if isinstance(table, Matches)]:
        try:
            plain_files.resolve_checked(matches, Updates.join(updates), nuggets[0], pool)
        except InputError as error:
            yield from ((str(fault), True) for fault in error.faults)
    for corrections in [table for table in read if isinstance(table, Corrections)]:
        from tseval.matching.corrections import decided_pairs

        try:
            decided_pairs(corrections, Updates.join(updates), nuggets[0], pool)
        except InputError as error:
            yield from ((str(fault), True) for fault in error.faults)


FORMATS = (
    _format(
        "updates",
        lambda source, form: plain_files.read_updates([source], form),
        _of_a_run,
        layouts=(trec.RUN_LINES,),
        imports=_import("ts-run", "runs", _run, WithPool),
    ),
    _format(
        "nuggets",
        plain_files.read_nuggets,
        imports=_import("ts-nuggets", "nuggets", _nuggets),
    ),
    _format(
        "matches",
        plain_files.read_matches,
        imports=_import("ts-matches", "matches", _matches, WithPool),
    ),
    _format("pool", plain_files.read_pool, imports=_import("ts-pool", "pools", _pool)),
    _format("corrections", plain_files.read_corrections),
    _format("judged", plain_files.read_judged),
    _format("topics", read_topics, imports=_import("ts-topics", "topics", _topics)),
    _format("duplicates", plain_files.read_duplicates, layouts=(trec.DUPLICATE_LINES,)),
)
