"""What a matcher finds in runs, and what a matcher is held against: the pairs of assessors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tseval.core.registry import measure
from tseval.core.results import evaluate
from tseval.core.wording import count
from tseval.errors import UsageError
from tseval.families.temporal import files, rows
from tseval.families.temporal.files import READERS
from tseval.families.temporal.rules import Rules
from tseval.io.formats import Forms, check_forms, form_for
from tseval.io.given import check_inputs, input_of
from tseval.io.schema import MATCHES
from tseval.io.tables import Table, read
from tseval.io.topics import name_topics
from tseval.matching.asking import answer_traits, remarks
from tseval.matching.in_units import match_in_units
from tseval.matching.matching import get_matcher

if TYPE_CHECKING:
    from tseval.arrays import FloatArray
    from tseval.core.frames import Request
    from tseval.io.given import Given
    from tseval.matching.judged_pairs import JudgedUpdates

INPUTS = ("updates", "nuggets", "matches")
"""What the inputs are called."""


def verdicts_in(tables: Mapping[str, Table]) -> Table | None:
    """Return the verdicts that are laid over a matcher's pairs, if there are any."""
    if "corrections" not in tables:
        return None
    from tseval.matching.corrections import check_verdicts

    return check_verdicts(files.name_ids(tables["corrections"]))


def find_matched(
    request: Request, updates: pl.DataFrame, nuggets: pl.DataFrame, matcher: str
) -> rows.UpdatePairs:
    """Return what a matcher finds, with corrections laid over it."""
    tables, options, rule = request.tables, request.options, request.rules.grades
    pool, verdicts, decided = rows.pool_of(tables), verdicts_in(tables), None
    named = rows.add_texts(updates, pool)
    if verdicts is not None:
        from tseval.matching.corrections import decide_pairs, lay_over

        known = None if pool is None else files.join_ids(pool, "update_id")
        sent = files.join_ids(named, "update_id")
        decided = decide_pairs(verdicts, sent, tables["nuggets"].frame, known)
    using = get_matcher(matcher, options.threshold, options.terms)
    if rule != "graded" and not using.grades:
        raise UsageError(f"rule grades={rule} changes nothing: the matcher has no grades")
    found = match_in_units(using, named, nuggets, request.access.sharing, request.access.progress)
    nugget = nuggets["nugget"].cast(pl.Int64)
    found = found.with_columns(nugget=nugget.gather(found["nugget"]))
    if decided is not None:
        found = lay_over(found, decided.filter(pl.col("nugget").is_in(nugget.implode())))
    found = found.with_columns(pl.col("update", "nugget").cast(pl.UInt32))
    if using.grades and rule != "any":
        found = found.with_columns(grade=pl.col("score").fill_null(1.0))
        if rule == "full":
            found = found.filter(pl.col("grade") == 1).drop("grade")
    return rows.UpdatePairs(
        found,
        str(using),
        traits=answer_traits(using),
        remarks=remarks(using),
        decided=None if decided is None else decided.height,
    )


def read_judged(
    updates: Sequence[Given], nuggets: Given, matches: Given, form: Forms = None
) -> JudgedUpdates:
    """Read what matchers are to be held against; updates need no times here.

    Matches that speak of updates or nuggets that are not here are left out with a warning, since
    published files have some. So are updates that repeat another (`duplicate_id`): assessors
    judged the other, and most of these would count as saying nothing. A match in part, by its
    grade, is one as any other. A review, too, says which pairs match. Without any match that is
    left, and without any text, it is a `UsageError`.
    """
    from tseval.matching.judged_pairs import JudgedUpdates

    check_inputs([*updates, nuggets, matches])
    check_forms(form, INPUTS)
    files.refuse_swapped(updates, nuggets)
    given = {"nuggets": [nuggets], "updates": updates, "matches": [matches]}
    readers = {**READERS, "updates": files.TEXTS_READER}
    is_review = READERS["corrections"].recognises(input_of(matches, MATCHES))
    if is_review:
        readers["matches"] = READERS["corrections"]
    tables = {name: read(given[name], readers[name], form_for(form, name)) for name in given}
    if not is_review:
        tables["matches"] = files.count_matches(tables["matches"], Rules())
    tables = name_topics(tables, "nuggets", "gold")
    every = rows.add_texts(tables["updates"].frame, None)
    gold = tables["nuggets"].frame.with_row_index("nugget")
    texts = every
    if "duplicate_id" in every.columns:
        is_original = pl.col("duplicate_id").fill_null("").is_in([rows.NO_DUPLICATE, ""])
        texts = every.filter(is_original)
    find = _reviewed if is_review else _matched
    pairs, told = find(tables, every, texts, gold)
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
        warnings=(*told, *_warnings(every, texts)),
    )


def _matched(
    tables: Mapping[str, Table], every: pl.DataFrame, texts: pl.DataFrame, gold: pl.DataFrame
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the pairs of a table of matches, and what is told of others."""
    known = tables["matches"].frame.with_row_index("match")

    def resolve(sent: pl.DataFrame) -> pl.DataFrame:
        """Return `match update nugget` of the matches of these updates."""
        return rows.resolve(known, sent.with_row_index("update"), gold)

    unknown = known.join(resolve(every), on="match", how="anti")
    if "run" in known.columns:
        named, run = unknown.join(gold, on=files.NUGGET, how="semi"), pl.col("run").cast(pl.String)
        others = (run.str.strip_chars() != "") & ~run.is_in(tables["updates"].runs)
        unknown = unknown.join(named.filter(others), on="match", how="anti")
    lost = f"{count(unknown.height, 'row')} of matches with unknown updates or nuggets left out"
    return resolve(texts), (lost,) if unknown.height else ()


def _reviewed(
    tables: Mapping[str, Table], every: pl.DataFrame, texts: pl.DataFrame, gold: pl.DataFrame
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the pairs that a review accepts, and how many it leaves open."""
    from tseval.matching.corrections import check_verdicts, decide_pairs

    review = files.name_ids(tables["matches"])
    decided, sent = check_verdicts(review), files.join_ids(texts, "update_id")
    pairs = decide_pairs(decided, sent, gold, files.join_ids(every, "update_id"))
    blank = review.frame.height - decided.frame.height
    told = f"{count(blank, 'pair')} of the review without a verdict: no match; fill the column in"
    return pairs.filter("accepted"), (told,) if blank else ()


def _warnings(every: pl.DataFrame, texts: pl.DataFrame) -> Iterator[str]:
    """Yield what is told of the updates given, and of those that are left."""
    if repeated := every.height - texts.height:
        yield (
            f"{count(repeated, 'update')} left out that "
            f"{'repeat' if repeated > 1 else 'repeats'} another (duplicate_id): assessors judged "
            "the other"
        )
    if silent := texts.filter(pl.col("text") == "").height:
        yield f"{count(silent, 'update')} without text cannot be matched"


def recalls(judged: JudgedUpdates, pairs: pl.DataFrame, gold: Table) -> FloatArray:
    """Return the recall of each run and topic by some pairs, NaN where it is undefined.

    Runs are ranked by it since times don't matter for it. Where nuggets have importances below 0,
    as some of the track of 2013 have, those above 0 count alike.
    """
    frame = judged.updates
    if "time" not in frame.columns:
        frame = frame.with_columns(time=pl.lit(0.0))
    sent = replace(gold, name="updates", frame=frame, runs=tuple(judged.runs))
    tables, rules = {"updates": sent, "nuggets": gold}, Rules()
    updates, nuggets = rows.find_scored_updates(tables, rules), rows.find_nuggets(tables, rules)
    found = rows.UpdatePairs(pairs.select(pl.col("update", "nugget").cast(pl.UInt32)))
    index = rows.index_of(tables, updates, nuggets, found, rules)
    reward = "binary" if (nuggets["importance"] < 0).any() else "importance"
    asked = [measure(f"R(reward={reward})")]
    values, defined = evaluate(index, asked, index.times["start"].to_numpy())
    places = [index.topics.index(topic) for topic in judged.topics]
    recall: FloatArray = np.where(defined, values, np.nan)[:, places, 0]
    return recall
