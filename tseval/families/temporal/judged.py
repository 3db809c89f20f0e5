"""What a matcher is held against: updates, nuggets, and the pairs that assessors matched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tseval.core.registry import measure
from tseval.core.taking import evaluate
from tseval.core.wording import count
from tseval.errors import UsageError
from tseval.families.temporal import rows
from tseval.families.temporal.files import (
    READERS,
    TEXTS_READER,
    found_matches,
    refuse_swapped,
    split_ids,
)
from tseval.families.temporal.rules import Rules
from tseval.io.formats import Forms, check_forms, form_for
from tseval.io.given import check_inputs
from tseval.io.tables import Table, read
from tseval.io.topics import name_topics
from tseval.matching.judged_pairs import JudgedUpdates

if TYPE_CHECKING:
    from tseval.arrays import FloatArray
    from tseval.io.given import Given

INPUTS = ("updates", "nuggets", "matches")
"""What the inputs are called."""


def read_judged(
    updates: Sequence[Given], nuggets: Given, matches: Given, form: Forms = None
) -> JudgedUpdates:
    """Read what matchers are to be held against; updates need no times here.

    Matches that speak of updates or nuggets that are not here are left out with a warning, since
    published files have some. So are updates that repeat another (`duplicate_id`): assessors
    judged the other, and most of these would count as saying nothing. A match in part, by its
    grade, is one as any other. Without any match that is left, and without any text, it is a
    `UsageError`.
    """
    check_inputs([*updates, nuggets, matches])
    check_forms(form, INPUTS)
    refuse_swapped(updates, nuggets)
    readers = {
        "nuggets": READERS["nuggets"],
        "updates": TEXTS_READER,
        "matches": READERS["matches"],
    }
    given = {"nuggets": [nuggets], "updates": updates, "matches": [matches]}
    tables = {
        name: read(given[name], reader, form_for(form, name)) for name, reader in readers.items()
    }
    tables["matches"] = found_matches(tables["matches"])
    tables = name_topics(tables, "nuggets", "gold")
    every = tables["updates"].frame
    every = rows.add_texts(every, None)
    gold = tables["nuggets"].frame.with_row_index("nugget")
    known = tables["matches"].frame
    unknown = known.with_row_index("match")
    unknown = unknown.join(_resolve(known, every, gold), on="match", how="anti")
    if "run" in known.columns:
        named, run = unknown.join(gold, on=rows.NUGGET, how="semi"), pl.col("run").cast(pl.String)
        others = (run.str.strip_chars() != "") & ~run.is_in(tables["updates"].runs)
        unknown = unknown.join(named.filter(others), on="match", how="anti")
    repeats = pl.lit(value=False)
    if "duplicate_id" in every.columns:
        repeats = ~pl.col("duplicate_id").fill_null("").is_in([rows.NO_DUPLICATE, ""])
    texts = every.filter(~repeats)
    pairs = _resolve(known, texts, gold)
    if not pairs.height:
        raise UsageError(
            "no match is left of an update and a nugget that are both given: "
            "give the updates that assessors saw"
        )
    if (texts["text"] == "").all():
        raise UsageError(
            "no update has a text, as in runs of the track: give the pool of updates that "
            "assessors saw"
        )
    return JudgedUpdates(
        updates=texts,
        nuggets=tables["nuggets"].frame,
        pairs=pairs.select(pl.col("update", "nugget").cast(pl.Int64)),
        inputs=tuple(source for name in INPUTS for source in tables[name].sources),
        recalls=partial(recalls, gold=tables["nuggets"]),
        warnings=tuple(_warnings(every, texts, unknown.height)),
    )


def _resolve(matches: pl.DataFrame, updates: pl.DataFrame, nuggets: pl.DataFrame) -> pl.DataFrame:
    """Return `match update nugget` of the matches of updates and nuggets that are there."""
    said = split_ids(updates.with_row_index("update"), "update_id")
    return rows.resolve(split_ids(matches, "update_id"), said, nuggets)


def _warnings(every: pl.DataFrame, texts: pl.DataFrame, lost: int) -> Iterator[str]:
    """Yield what is told of the updates given, of those that are left, and of the matches."""
    if lost:
        yield f"{count(lost, 'row')} of matches with unknown updates or nuggets left out"
    repeated = every.height - texts.height
    if repeated:
        yield (
            f"{count(repeated, 'update')} left out that "
            f"{'repeat' if repeated > 1 else 'repeats'} another (duplicate_id): assessors judged "
            "the other"
        )
    silent = texts.filter(pl.col("text") == "").height
    if silent:
        yield f"{count(silent, 'update')} without text cannot be matched"


def recalls(judged: JudgedUpdates, pairs: pl.DataFrame, gold: Table) -> FloatArray:
    """Return the recall of each run and topic by some pairs, NaN where it is undefined.

    Runs are ranked by it since times don't matter for it. Where nuggets have importances below 0,
    as some of the track of 2013 have, those above 0 count alike.
    """
    frame = split_ids(judged.updates, "update_id")
    if "time" not in frame.columns:
        frame = frame.with_columns(time=pl.lit(0.0))
    tables = {
        "updates": replace(gold, name="updates", frame=frame, runs=tuple(judged.runs)),
        "nuggets": gold,
    }
    rules = Rules()
    updates, nuggets = rows.find_standing(tables, rules), rows.find_nuggets(tables, rules)
    found = rows.Found(pairs.select(pl.col("update", "nugget").cast(pl.UInt32)))
    index = rows.index_of(tables, updates, nuggets, found, rules)
    reward = "binary" if (nuggets["importance"] < 0).any() else "importance"
    asked = [measure(f"R(reward={reward})")]
    values, defined = evaluate(index, asked, index.times["start"].to_numpy())
    place = {topic: at for at, topic in enumerate(index.topics)}
    kept = [place[topic] for topic in judged.topics]
    recall: FloatArray = np.where(defined, values, np.nan)[:, kept, 0]
    return recall
