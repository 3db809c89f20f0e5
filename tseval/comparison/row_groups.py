"""Scores may have rows of topics and rows of groups, such as information types: one kind is kept.

A mean over both would be none that anybody knows, and a pair of runs cannot be tested over topics
of which one holds the posts of another. The measures of groups are means over groups, so these are
what they are compared over, and the others over topics.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tseval.comparison.directions import known_measures
from tseval.core.family import Words
from tseval.core.registry import family
from tseval.core.wording import listed

Families = tuple[str, ...] | None


def of_one_kind(
    rows: pl.DataFrame, types: Sequence[str], families: Families = None
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The scores without the topics of measures that have groups, and what is to be told of it."""
    words = {name: _words(name, families) for name in rows["measure"].unique(maintain_order=True)}
    said = next((each for each in words.values() if each is not None), None)
    if said is None:
        return rows, ()
    has_both = pl.col("measure").is_in([name for name, each in words.items() if each is not None])
    groups = types or _likely_groups(rows, has_both, said, families)
    if groups is None:
        told = (
            f"{listed(_names(rows, 'measure', has_both))}: nothing tells here whether topics are "
            f"{said.topic}s or {said.groups}; scores as -f json or parquet do"
        )
        return rows, (told,)
    of_group = pl.col("topic").is_in(groups)
    with_groups = _names(rows, "measure", has_both & of_group)
    is_lost = has_both & ~of_group & pl.col("measure").is_in(with_groups)
    kept = rows.filter(~is_lost)
    if kept.height == rows.height:
        return rows, ()
    told = (
        f"{listed(_names(rows, 'measure', is_lost))}: compared over {said.groups}, whose mean is "
        f"the score; rows of {said.topic}s are left out: {listed(_names(rows, 'topic', is_lost))}"
    )
    return kept, (told,)


def _words(name: str, families: Families) -> Words | None:
    """The words of the family, for a measure that has rows of groups beside those of topics."""
    known = (each for each in known_measures(name, families) if each.definition.by_group)
    return next((family(each.family).words for each in known), None)


def _likely_groups(
    rows: pl.DataFrame, has_both: pl.Expr, said: Words, families: Families
) -> list[str] | None:
    """The groups where no file tells them: topics of which the family's other measures know none.

    Without such measures it is the topics that are called as groups usually are; None if none is,
    and there may be groups of other names.
    """
    of_topics = [name for name in rows["measure"].unique() if _is_of_topics(name, families)]
    topics = _names(rows, "topic", pl.col("measure").is_in(of_topics))
    candidates = _names(rows, "topic", has_both)
    if topics:
        return [name for name in candidates if name not in topics]
    return [name for name in candidates if name.startswith(said.group_names)] or None


def _is_of_topics(name: str, families: Families) -> bool:
    """Whether a measure has rows of topics alone, in a family that has groups."""
    known = known_measures(name, families)
    return not any(each.definition.by_group for each in known) and any(
        family(each.family).words.groups for each in known
    )


def _names(rows: pl.DataFrame, column: str, chosen: pl.Expr) -> list[str]:
    """The names in the chosen rows, each once, in the order of all rows."""
    names = set(rows.filter(chosen)[column])
    return [name for name in rows[column].unique(maintain_order=True) if name in names]
