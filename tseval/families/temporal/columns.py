"""Frames of temporal summarization as the columns that matchers and the desk take.

It loads Arrow. `read_updates` and the like read a table at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

from tseval.errors import UsageError
from tseval.families.temporal import files, rows
from tseval.families.temporal.rows import Found, find_nuggets
from tseval.files.inputs import Each
from tseval.io.tables import Table, read
from tseval.io.topics import name_topics
from tseval.matching.asking import answer_traits, remarks
from tseval.matching.matching import get_matcher, match
from tseval.records import frozen
from tseval.tables import (
    ABSENT,
    Corrections,
    Ids,
    JudgedPairs,
    Matches,
    Nuggets,
    Pairs,
    Pool,
    Texts,
    Updates,
)
from tseval.tables.temporal import NO_DUPLICATE
from tseval.tables.topic_names import TopicNames

if TYPE_CHECKING:
    from tseval.core.family import Access
    from tseval.families.temporal.rules import Rules
    from tseval.files.given import Given
    from tseval.matching.corrections import Decisions
    from tseval.matching.passage_files import TextRows
    from tseval.matching.passages import Files

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


def corrections_of(corrections: Table) -> Corrections:
    """Return the rows with a verdict; one that is none, or opposes another, is a fault."""
    from tseval.matching.corrections import corrections_from

    return corrections_from(columns_in(corrections), corrections.origin)


def judged_of(judged: Table) -> JudgedPairs:
    """Return a sample with its verdicts; rows that are not as they were written are faults."""
    from tseval.matching.verdicts import pairs_from

    return pairs_from(columns_in(judged), judged.origin)


def decide_pairs(
    corrections: Table, updates: Sequence[Table], nuggets: Table, pool: Table | None
) -> Decisions:
    """Return the pairs that corrections decide; those of unknown or changed texts are faults."""
    from tseval.matching.corrections import decided_pairs

    return decided_pairs(
        corrections_of(corrections),
        Updates.join([*map(updates_of, updates)]),
        nuggets_of(nuggets),
        None if pool is None else pool_of(pool),
    )


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


def pairs_of(found: pl.DataFrame) -> Pairs:
    """Return who says what as columns: `update_row nugget_row`, perhaps with `score grade`."""
    update, nugget = (
        found[name].cast(pl.Int64).to_numpy() for name in ("update_row", "nugget_row")
    )
    more = {
        name: found[name].cast(pl.Float64).to_numpy()
        for name in ("score", "grade")
        if name in found.columns
    }
    return Pairs(update, nugget, **more)


# Matchers.


@frozen
class GoldReading:
    """Reads the nuggets that count as workers need them: by a format and an edition's rules."""

    form: str | None
    rules: Rules

    def __call__(self, path: str) -> tuple[TextRows, Callable[[Ids], Ids]]:
        """Their texts, and what renames topics as theirs are."""
        from tseval.matching.passage_files import TextRows

        table = read([path], files.readers_by(self.rules)["nuggets"], self.form)
        rename = TopicNames(nuggets_of(table).topic, self.rules.topic_names)
        named = name_topics({"nuggets": table}, "nuggets", self.rules.topic_names)
        nuggets = nuggets_of(replace(table, frame=find_nuggets(named, self.rules)))
        return TextRows(nuggets.topic, nuggets.text), rename


def passages_of(paths: Sequence[Given], rules: Rules, access: Access) -> Files | None:
    """Return where workers find the nuggets and the updates at these paths, if they all can."""
    if access.sharing.is_alone or not paths:
        return None
    if not all(isinstance(path, str | Path) for path in paths):
        return None
    from tseval.matching.passages import Files

    nuggets, *updates = map(str, paths)
    reader = GoldReading(access.form("nuggets"), rules)
    return Files(updates, nuggets, reader, access.form("updates"))


class Terms(NamedTuple):
    """By which matcher, on what terms, and where its workers find the texts."""

    matcher: str
    threshold: float | None
    asking: Any
    passages: Files | None


class Matched(NamedTuple):
    """What a matcher found, and what is to be told of it."""

    matcher: str
    found: Found
    traits: dict[str, str]
    remarks: tuple[str, ...]
    decided: int | None
    """How many pairs corrections decide, where there are such."""


def find_matched(
    tables: Mapping[str, Table],
    updates: pl.DataFrame,
    nuggets: pl.DataFrame,
    terms: Terms,
    rules: Rules,
    access: Access,
) -> Matched:
    """Return what the matcher that is asked for finds, with corrections laid over it."""
    pool = rows.pool_of(tables) if "pool" in tables else None
    named = replace(tables["updates"], frame=rows.add_texts(updates, pool))
    decided = None
    if "corrections" in tables:
        decided = decide_pairs(
            tables["corrections"], [named], tables["nuggets"], tables.get("pool")
        )
    using = get_matcher(terms.matcher, terms.threshold, terms.asking)
    if rules.grades != "graded" and not using.grades:
        raise UsageError(f"rule grades={rules.grades} changes nothing: the matcher has no grades")
    texts, gold = updates_of(named), nuggets_of(replace(tables["nuggets"], frame=nuggets))
    if access.sharing.is_alone:
        pairs = match(using, texts, gold, access.progress)
    else:
        from tseval.matching.in_units import match_in_units

        pairs = match_in_units(using, texts, gold, access.sharing, terms.passages, access.progress)
    if decided is not None:
        from tseval.matching.corrections import laid_over

        place = np.full(tables["nuggets"].frame.height, ABSENT)
        place[nuggets["nugget"].to_numpy()] = np.arange(nuggets.height)
        nugget = place[decided.pairs.nugget]
        counts = nugget != ABSENT
        verdicts = Pairs(decided.pairs.update[counts], nugget[counts])
        pairs = laid_over(pairs, verdicts, decided.accepted[counts], nuggets.height)
    score = None if pairs.score is None else pl.Series(pairs.score).fill_nan(None)
    found = pl.DataFrame(
        {
            "update": updates["update"].gather(pairs.update),
            "nugget": nuggets["nugget"].gather(pairs.nugget),
            **({} if score is None else {"score": score}),
        }
    )
    if using.grades and score is not None:
        grade = pl.col("score").fill_null(1.0)
        if rules.grades == "full":
            found = found.filter(grade == 1)
        elif rules.grades == "graded":
            found = found.with_columns(grade=grade)
    number = None if decided is None else len(decided.pairs)
    return Matched(str(using), Found(found), answer_traits(using), remarks(using), number)


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
