"""Frames of temporal summarization as the columns that matchers and the desk take.

It loads Arrow. `read_updates` and the like read a table at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa

from tseval.families.temporal import files
from tseval.io.inputs import Each
from tseval.io.tables import Table, read
from tseval.tables import (
    Ids,
    Matches,
    Nuggets,
    Pairs,
    Pool,
    Texts,
    Topics,
    Updates,
)
from tseval.tables.temporal import NO_DUPLICATE

if TYPE_CHECKING:
    from tseval.families.temporal.rules import Rules
    from tseval.io.given import Given

TEXTS = ("text", "update_text", "nugget_text")
"""The columns of texts; of others, strings are names."""
CODED = pa.dictionary(pa.int32(), pa.string())


def column_of(cells: pl.Series) -> Any:
    """Return a column of a frame; numbers that are not there are NaN, texts blank."""
    if cells.dtype.is_numeric() or cells.dtype == pl.Boolean:
        return cells.to_numpy()
    if cells.name in TEXTS:
        return texts_of(cells)
    cells = files.join_ids(cells.to_frame(), cells.name).to_series()
    names = cells.to_arrow(compat_level=pl.CompatLevel.oldest())
    return Ids.of(names.cast(CODED if pa.types.is_dictionary(names.type) else pa.string()))


def texts_of(cells: pl.Series) -> Texts:
    """Return a column of texts, packed in blocks."""
    blocks = []
    filled = cells.fill_null("")
    for at in range(0, len(cells), Texts.BLOCK_ROWS):
        packed = filled.slice(at, Texts.BLOCK_ROWS).to_arrow(compat_level=pl.CompatLevel.oldest())
        _, places, content = packed.buffers()
        ends = np.frombuffer(places, np.int64)[packed.offset :][: len(packed) + 1]
        first, ends = int(ends[0]), (ends - ends[0]).astype(np.int32)
        block = content.to_pybytes()[first : first + int(ends[-1])] if content else b""
        blocks.append(Texts((block,), np.zeros(len(packed), np.int32), ends[:-1], ends[1:]))
    return Texts.join(blocks) if blocks else Texts.empty()


def columns_in(table: Table) -> dict[str, Any]:
    """Return the columns of a table by their names."""
    return {cells.name: column_of(cells) for cells in table.frame}


def updates_of(updates: Table) -> Updates:
    """Return runs as columns; a run without a confidence, a cost or a team has the usual ones."""
    fills = {"confidence": 0.0, "cost": 1.0, "team": pl.col("run"), "duplicate_id": NO_DUPLICATE}
    frame = updates.frame
    fill = (pl.col(name).fill_null(own) for name, own in fills.items() if name in frame.columns)
    frame = frame.with_columns(fill)
    if "text" not in frame.columns:
        frame = frame.with_columns(text=pl.lit(""))
    return Updates.of(columns_in(replace(updates, frame=frame)), updates.origin)


def nuggets_of(nuggets: Table) -> Nuggets:
    """Return nuggets as columns."""
    return Nuggets.of(columns_in(nuggets), nuggets.origin)


def matches_of(matches: Table) -> Matches:
    """Return the matches that say anything of a nugget as columns."""
    found = files.found_matches(matches)
    more = {
        "in_bytes": files.are_in_bytes(matches),
        "published": files.is_published(matches),
        "maker": files.maker_of(matches),
    }
    return Matches.of(columns_in(found) | more, found.origin)


def pool_of(pool: Table) -> Pool:
    """Return a pool as columns."""
    return Pool.of(columns_in(pool), pool.origin)


def table_of(columns: Any, name: str) -> Table:
    """Return columns as a table of frames."""
    series = {"file": pl.Series(columns.origin.source), "line": pl.Series(columns.origin.line)}
    for each in fields(columns):
        cells = getattr(columns, each.name)
        if isinstance(cells, Ids | Texts):
            texts = list(cells) if isinstance(cells, Texts) else cells.to_list()
            series[each.name] = pl.Series(texts, dtype=pl.String)
        elif isinstance(cells, np.ndarray):
            series[each.name] = pl.Series(cells, nan_to_null=True)
    runs = tuple(columns.run.vocabulary()) if getattr(columns, "run", None) is not None else ()
    frame = files.code_names(pl.DataFrame(series))
    frame = files.split_ids(frame, "update_id", "duplicate_id")
    return Table(name, frame, columns.origin.sources, runs)


def rows_of(columns: Any) -> pl.DataFrame:
    """Return columns as a frame of topics and texts."""
    topics, texts = columns.topic.to_list(), list(columns.text)
    return pl.DataFrame({"topic": topics, "text": texts}, {"topic": pl.String, "text": pl.String})


def pairs_of(found: pl.DataFrame) -> Pairs:
    """Return pairs as columns."""
    return Pairs(*(found[name].to_numpy() for name in ("update", "nugget", "score")))


def read_updates(given: Sequence[Given], form: str | None = None, each: Each = map) -> Updates:
    """Read one or more runs as one table; without a column `run` a run is called as its file.

    Files of the same name in different folders are called by their paths. `each` reads one run
    after the other, or has them read somewhere else.
    """
    return updates_of(read(given, files.READERS["updates"], form, each))


def read_texts(given: Sequence[Given], form: str | None = None) -> Updates:
    """Read the same, but the column `time` may be missing: every update then has the time 0."""
    return updates_of(read(given, files.TEXTS_READER, form))


def read_nuggets(given: Given, form: str | None = None, rules: Rules = files.PLAIN) -> Nuggets:
    """Read the gold nuggets; there must be at least one."""
    return nuggets_of(read([given], files.readers_by(rules)["nuggets"], form))


def read_matches(given: Given, form: str | None = None, rules: Rules = files.PLAIN) -> Matches:
    """Read matches by id."""
    return matches_of(read([given], files.readers_by(rules)["matches"], form))


def read_pool(given: Given, form: str | None = None, rules: Rules = files.PLAIN) -> Pool:
    """Read the updates that assessors saw."""
    return pool_of(read([given], files.readers_by(rules)["pool"], form))


def read_topics(given: Given, form: str | None = None) -> Topics:
    """Read when topics start and end."""
    table = read([given], files.READERS["topics"], form)
    return Topics.of(columns_in(table), table.origin)
