"""Files of other formats as plain tables: what `tseval import` knows, by the format's name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tseval.errors import UsageError
from tseval.families.filtering.files import read_returned, read_truth
from tseval.families.temporal import trec_files as trec
from tseval.families.tracking.files import read_values
from tseval.families.tracking.tables import ATTRIBUTES, LOCATIONS
from tseval.files import TREC_TS
from tseval.files.inputs import Input
from tseval.files.topics import read_events
from tseval.tables import ABSENT, Ids, Pool, Texts, pool_rows, repeated_rows

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray

EXACT_BELOW = 2.0**53
"""Whole numbers up to this are the same as integers."""


@dataclass(frozen=True)
class Imported:
    """A plain table's columns by name, in the order in which they are written, and warnings."""

    columns: dict[str, Sequence[str]]
    warnings: tuple[str, ...] = ()
    latest: float = -math.inf
    """The latest time of posts; minus infinity without any."""

    def tsv(self) -> bytes:
        """The table as TSV; in it a space stands for each tab and line's end inside a text."""
        rows = zip(*self.columns.values(), strict=True)
        lines = ["\t".join(self.columns), *("\t".join(map(_cell, row)) for row in rows)]
        return "".join(f"{line}\n" for line in lines).encode()


def _cell(value: str) -> str:
    return value.translate({9: " ", 10: " ", 13: " "})


def numbers_as_text(values: FloatArray) -> list[str]:
    """Numbers in full precision, whole ones without a decimal point."""
    return [
        str(int(value)) if value == int(value) and abs(value) < EXACT_BELOW else repr(value)
        for value in values.tolist()
    ]


def _run(source: Input, pool: Pool | None) -> Imported:
    """A run, with the texts of the pool; a line that repeats an update is left out."""
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
        "confidence": numbers_as_text(
            np.zeros(0) if updates.confidence is None else updates.confidence
        ),
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


def _nuggets(source: Input, _: Pool | None) -> Imported:
    """Nuggets; a plain table knows no importance below 0."""
    nuggets = trec.read_nuggets(source, trec.PLAIN)
    below = int((nuggets.importance < 0).sum())
    length = np.zeros(0) if nuggets.length is None else nuggets.length
    return Imported(
        {
            "topic": nuggets.topic.to_list(),
            "nugget_id": nuggets.nugget_id.to_list(),
            "time": numbers_as_text(nuggets.time),
            "importance": numbers_as_text(np.maximum(nuggets.importance, 0)),
            "length": numbers_as_text(length),
            "text": list(nuggets.text),
        },
        (f"importances below 0 are written as 0: {below}",) if below else (),
    )


def _matches(source: Input, pool: Pool | None) -> Imported:
    """Matches; their spans count bytes, and characters where a pool has the texts."""
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


def _pool(source: Input, _: Pool | None) -> Imported:
    """A pool with its texts; of rows that repeat an id the last one is kept."""
    pool = trec.read_pool(source, trec.PLAIN)
    last = pool_rows(pool.topic, pool.update_id, pool) == np.arange(len(pool.topic))
    duplicate = pool.update_id if pool.duplicate_id is None else pool.duplicate_id
    return Imported(
        {
            "topic": pool.topic.rows(last).to_list(),
            "update_id": pool.update_id.rows(last).to_list(),
            "duplicate_id": duplicate.rows(last).to_list(),
            "length": numbers_as_text(np.zeros(0) if pool.length is None else pool.length[last]),
            "text": [] if pool.text is None else list(pool.text.rows(last)),
        }
    )


def _topics(source: Input, _: Pool | None) -> Imported:
    topics = read_events(source)
    return Imported(
        {
            "topic": topics.topic.to_list(),
            "start": numbers_as_text(topics.start),
            "end": numbers_as_text(np.zeros(0) if topics.end is None else topics.end),
        }
    )


def _values(source: Input, _: Pool | None) -> Imported:
    """A run of value tracking; it loses its documents, which no score asks for."""
    values = read_values([source], TREC_TS)
    located = values.attribute == ATTRIBUTES.index(LOCATIONS)
    value, longitude = numbers_as_text(values.value), numbers_as_text(values.longitude)
    return Imported(
        {
            "run": values.run.to_list(),
            "topic": values.topic.to_list(),
            "attribute": [ATTRIBUTES[code] for code in values.attribute.tolist()],
            "time": numbers_as_text(values.time),
            "value": [
                f"{number}, {degrees}" if is_place else number
                for number, degrees, is_place in zip(value, longitude, located, strict=True)
            ],
            "confidence": numbers_as_text(
                np.zeros(0) if values.confidence is None else values.confidence
            ),
        }
    )


def _kba_run(source: Input, _: Pool | None) -> Imported:
    """A run of KBA; what it says twice stands twice."""
    run = read_returned([source])
    return Imported(
        {
            "run": run.run.to_list(),
            "topic": run.topic.to_list(),
            "post_id": run.post_id.to_list(),
            "time": numbers_as_text(run.time),
            "confidence": numbers_as_text(run.confidence),
        }
    )


def _kba_truth(source: Input, _: Pool | None) -> Imported:
    """A truth of KBA, one row a judgment; the confidence is 1 or 0."""
    truth = read_truth(source)
    return Imported(
        {
            "topic": truth.topic.to_list(),
            "post_id": truth.post_id.to_list(),
            "relevance": numbers_as_text(truth.rating),
            "time": numbers_as_text(truth.time),
            "confidence": numbers_as_text(truth.sure.astype(np.float64)),
        }
    )


IMPORTS: dict[str, Callable[[Input, Pool | None], Imported]] = {
    "ts-run": _run,
    "ts-nuggets": _nuggets,
    "ts-matches": _matches,
    "ts-pool": _pool,
    "ts-topics": _topics,
    "ts-values": _values,
    "kba-run": _kba_run,
    "kba-truth": _kba_truth,
}
"""What each format's file becomes."""


def imported(form: str, path: str, pool: str | None = None) -> Imported:
    """A file of one of `IMPORTS` as a plain table; a pool gives a run its texts."""
    if form not in IMPORTS:
        raise UsageError(f"unknown format '{form}'; known: {', '.join(IMPORTS)}")
    if pool is not None and form not in ("ts-run", "ts-matches"):
        raise UsageError(f"--pool has no meaning with {form}: it is for ts-run and ts-matches")
    texts = None if pool is None else trec.read_pool(Input(pool), trec.PLAIN)
    return IMPORTS[form](Input(path), texts)
