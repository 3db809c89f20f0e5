"""The rules applied: which updates and nuggets count, and what the assessors' files say of them.

From tables as they were read to an `AssessedIndex`. Every rule that shapes tables acts here; those
that weigh and divide act in `assessed.py` and `track.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.families.temporal.rules import Rules
from tseval.io.names import ABSENT
from tseval.records import frozen
from tseval.tables import (
    NO_DUPLICATE,
    Duplicates,
    Ids,
    Matches,
    Pairs,
    Pool,
    Texts,
    Updates,
    pool_rows,
)
from tseval.tables.arrow import strings

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray


@frozen
class CanonicalUpdates:
    """For each update what stands for it."""

    updates: Updates
    """Under the ids, and with the texts, of what stands for them."""
    sampled: BoolArray
    length: FloatArray | None
    """The pool's length of it, where the rules go by it."""
    has_texts: bool
    """Whether there are texts at all: a run of the track has none without a pool."""


def standing(
    updates: Updates, pool: Pool | None, duplicates: Duplicates | None, rules: Rules
) -> CanonicalUpdates:
    """Look every update up in the pool; without one all are sampled and stand for themselves."""
    if pool is None:
        every = np.ones(len(updates), bool)
        return CanonicalUpdates(updates, every, None, has_texts=updates.team is None)
    row = pool_rows(updates.topic, updates.update_id, pool)
    if duplicates is not None and rules.exact_duplicates == "lookup":
        row = _by_exact_duplicates(row, updates, pool, duplicates)
    row = _canonical(row, pool, rules)
    sampled = row != ABSENT
    length = pool.length if rules.lengths == "column" else None
    return CanonicalUpdates(
        replace(
            updates,
            update_id=updates.update_id.replaced(sampled, pool.update_id.rows(row[sampled])),
            text=_texts(row, sampled, updates.text, pool.text),
            team=None,  # no measure asks for it
        ),
        sampled,
        None if length is None else np.where(sampled, length[row], 0.0),
        has_texts=updates.team is None or pool.length is not None,
    )


def _canonical(row: IntArray, pool: Pool, rules: Rules) -> IntArray:
    """The rows of what the pool says these rows repeat, if that is in the pool; else themselves."""
    if pool.duplicate_id is None or rules.duplicates == "ignore":
        return row
    of_pool = pool_rows(pool.topic, pool.duplicate_id, pool)
    none = pool.duplicate_id.within(strings([NO_DUPLICATE])) != ABSENT
    stands = np.where((of_pool == ABSENT) | none, np.arange(len(of_pool)), of_pool)
    return np.where(row == ABSENT, ABSENT, np.append(stands, ABSENT)[row])


def _by_exact_duplicates(
    row: IntArray, updates: Updates, pool: Pool, duplicates: Duplicates
) -> IntArray:
    """For updates that are not in the pool the row of a duplicate that is: the first listed."""
    absent = np.flatnonzero(row == ABSENT)
    known: dict[str, list[str]] = {}
    for one, other in zip(
        duplicates.update_id.to_list(), duplicates.duplicate_id.to_list(), strict=True
    ):
        known.setdefault(one, []).append(other)
        known.setdefault(other, []).append(one)
    result = row.copy()
    listed = [known.get(name, []) for name in updates.update_id.rows(absent).to_list()]
    place = np.repeat(absent, [len(names) for names in listed])
    names = Ids.of([name for names in listed for name in names])
    found = pool_rows(updates.topic.rows(place), names, pool)
    hit = found != ABSENT
    result[place[hit][::-1]] = found[hit][::-1]  # the first listed is written last
    return result


def _texts(row: IntArray, sampled: BoolArray, own: Texts, pool: Texts | None) -> Texts:
    """The pool's texts for what is in it; a pool without texts leaves an update its own."""
    if pool is None:
        return own
    if own.blank.all():
        return Texts.join([Texts.empty(1), pool]).rows(np.where(sampled, row + 1, 0))
    both = Texts.join([own, pool])
    return both.rows(np.where(sampled, row + len(own), np.arange(len(row))))


def by_scores(pairs: Pairs) -> Pairs:
    """The pairs of a matcher whose scores are grades; what was accepted without one is in full."""
    if pairs.score is None:
        return pairs
    return replace(pairs, grade=np.where(np.isnan(pairs.score), 1.0, pairs.score))


def is_judged_whole(matches: Matches | None, pool: Pool | None) -> bool:
    """Whether all updates were judged: by a matcher, or for matches that no pool was drawn for.

    The track's assessors judged a pool, also where it is not given.
    """
    return matches is None or bool(matches.maker) or (pool is None and not matches.published)
