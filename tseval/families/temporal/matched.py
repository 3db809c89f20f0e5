"""What a matcher finds in runs, with corrections laid over it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tseval.errors import UsageError
from tseval.families.temporal import files, rows
from tseval.families.temporal.rows import Found
from tseval.io.tables import Table
from tseval.matching.asking import answer_traits, remarks
from tseval.matching.in_units import match_in_units
from tseval.matching.matching import get_matcher

if TYPE_CHECKING:
    from tseval.core.family import Access
    from tseval.families.temporal.rules import Rules


class Terms(NamedTuple):
    """By which matcher, and on what terms."""

    matcher: str
    threshold: float | None
    asking: Any


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
    named = rows.add_texts(updates, pool)
    decided = None
    if "corrections" in tables:
        from tseval.matching.corrections import check_verdicts, decide_pairs, lay_over

        verdicts = check_verdicts(files.name_ids(tables["corrections"]))
        said = files.join_ids(named, "update_id")
        known = None if pool is None else files.join_ids(pool, "update_id")
        decided = decide_pairs(verdicts, said, tables["nuggets"].frame, known)
    using = get_matcher(terms.matcher, terms.threshold, terms.asking)
    if rules.grades != "graded" and not using.grades:
        raise UsageError(f"rule grades={rules.grades} changes nothing: the matcher has no grades")
    pairs = match_in_units(using, named, nuggets, access.sharing, access.progress)
    if decided is not None:
        place = nuggets.select(pl.col("nugget").cast(pl.Int64)).with_row_index("place")
        counting = decided.join(place, on="nugget").select(
            "update", "accepted", nugget=pl.col("place").cast(pl.Int64)
        )
        pairs = lay_over(pairs, counting)
    found = pl.DataFrame(
        {
            "update": updates["update"].gather(pairs["update"]),
            "nugget": nuggets["nugget"].gather(pairs["nugget"]),
            "score": pairs["score"],
        }
    )
    if using.grades:
        grade = pl.col("score").fill_null(1.0)
        if rules.grades == "full":
            found = found.filter(grade == 1)
        elif rules.grades == "graded":
            found = found.with_columns(grade=grade)
    number = None if decided is None else decided.height
    return Matched(str(using), Found(found), answer_traits(using), remarks(using), number)
