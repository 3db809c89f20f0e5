"""The tables of temporal summarization: updates, nuggets, matches, topics, duplicates, pairs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from tseval.tables.arrow import integers
from tseval.tables.columns import ABSENT, Ids, Texts, distinct
from tseval.tables.keys import equal_rows, last_row_of, pair_keys
from tseval.tables.origin import Origin

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Updates:
    """What systems said: one row an update. Times are Unix seconds."""

    run: Ids
    topic: Ids
    update_id: Ids
    time: FloatArray
    text: Texts
    confidence: FloatArray | None
    cost: FloatArray | None
    origin: Origin
    team: Ids | None = None
    """Who sent it, where a run's name is made of a team's and the run's own."""

    def __len__(self) -> int:
        return len(self.time)

    @classmethod
    def join(cls, parts: Sequence[Updates]) -> Updates:
        """Several runs' updates in one table; a column that only some have is filled in."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            run=Ids.join([part.run for part in parts]),
            topic=Ids.join([part.topic for part in parts]),
            update_id=Ids.join([part.update_id for part in parts]),
            time=np.concatenate([part.time for part in parts]),
            text=Texts.join([part.text for part in parts]),
            confidence=_joined([p.confidence for p in parts], [len(p) for p in parts], 0.0),
            cost=_joined([p.cost for p in parts], [len(p) for p in parts], 1.0),
            origin=Origin.join([part.origin for part in parts]),
            team=_joined_teams(parts),
        )

    def rows(self, chosen: IntArray | BoolArray) -> Updates:
        """The chosen rows."""
        return Updates(
            run=self.run.rows(chosen),
            topic=self.topic.rows(chosen),
            update_id=self.update_id.rows(chosen),
            time=self.time[chosen],
            text=self.text.rows(chosen),
            confidence=None if self.confidence is None else self.confidence[chosen],
            cost=None if self.cost is None else self.cost[chosen],
            origin=self.origin.rows(chosen),
            team=None if self.team is None else self.team.rows(chosen),
        )


def _joined_teams(parts: Sequence[Updates]) -> Ids | None:
    """The teams of all parts; a run without one is a team of its own."""
    if all(part.team is None for part in parts):
        return None
    return Ids.join([part.run if part.team is None else part.team for part in parts])


def _joined(
    parts: Sequence[FloatArray | None], rows: Sequence[int], default: float
) -> FloatArray | None:
    if all(part is None for part in parts):
        return None
    filled = [np.full(n, default) if p is None else p for p, n in zip(parts, rows, strict=True)]
    return np.concatenate(filled)


@dataclass(frozen=True)
class Nuggets:
    """What there was to say: one row a gold nugget. `importance` is its reward, 1 if not given."""

    topic: Ids
    nugget_id: Ids
    time: FloatArray
    text: Texts
    importance: FloatArray
    cost: FloatArray | None
    origin: Origin
    length: FloatArray | None = None
    """Its length as the file tells it."""

    def __len__(self) -> int:
        return len(self.time)

    def rows(self, chosen: IntArray | BoolArray) -> Nuggets:
        """The chosen rows."""
        return Nuggets(
            topic=self.topic.rows(chosen),
            nugget_id=self.nugget_id.rows(chosen),
            time=self.time[chosen],
            text=self.text.rows(chosen),
            importance=self.importance[chosen],
            cost=None if self.cost is None else self.cost[chosen],
            origin=self.origin.rows(chosen),
            length=None if self.length is None else self.length[chosen],
        )


@dataclass(frozen=True)
class Matches:
    """Which update says which nugget, by id; a row without a run speaks of every run's update.

    `start` and `end` span the matching words in the update's text, end exclusive; NaN where they
    are not given.
    """

    topic: Ids
    update_id: Ids
    nugget_id: Ids
    run: Ids | None
    origin: Origin
    start: FloatArray | None = None
    end: FloatArray | None = None
    in_bytes: bool = False
    """Whether the spans count bytes, not characters."""
    published: bool = False
    """Whether a track published it: then rows that name something unknown are passed over."""
    maker: str | None = None
    """The matcher that made them, as far as they say; None for those of assessors."""

    def __len__(self) -> int:
        return len(self.topic)

    def rows(self, chosen: IntArray | BoolArray) -> Matches:
        """The chosen rows."""
        return replace(
            self,
            topic=self.topic.rows(chosen),
            update_id=self.update_id.rows(chosen),
            nugget_id=self.nugget_id.rows(chosen),
            run=None if self.run is None else self.run.rows(chosen),
            origin=self.origin.rows(chosen),
            start=None if self.start is None else self.start[chosen],
            end=None if self.end is None else self.end[chosen],
        )


@dataclass(frozen=True)
class Topics:
    """When each topic starts, and ends where that is known."""

    topic: Ids
    start: FloatArray
    end: FloatArray | None
    origin: Origin


@dataclass(frozen=True)
class Duplicates:
    """Pairs of updates that say the same; without topics a pair holds in every topic."""

    topic: Ids | None
    update_id: Ids
    duplicate_id: Ids
    origin: Origin


NO_DUPLICATE = "NULL"
"""What stands in a pool where an update repeats no other."""


@dataclass(frozen=True)
class Pool:
    """The updates that assessors saw, with what the pool tells of them."""

    topic: Ids
    update_id: Ids
    origin: Origin
    duplicate_id: Ids | None = None
    """The update that each repeats, `NO_DUPLICATE` if none."""
    text: Texts | None = None
    length: FloatArray | None = None

    def rows(self, chosen: IntArray | BoolArray) -> Pool:
        """The chosen rows."""
        repeated = self.duplicate_id
        return Pool(
            topic=self.topic.rows(chosen),
            update_id=self.update_id.rows(chosen),
            origin=self.origin.rows(chosen),
            duplicate_id=None if repeated is None else repeated.rows(chosen),
            text=None if self.text is None else self.text.rows(chosen),
            length=None if self.length is None else self.length[chosen],
        )


@dataclass(frozen=True)
class Pairs:
    """Matches by row number: update row, nugget row; `score` where a matcher gave one."""

    update: IntArray
    nugget: IntArray
    score: FloatArray | None = None

    @classmethod
    def none(cls) -> Pairs:
        """No match at all."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self.update)


@dataclass(frozen=True)
class Resolved:
    """A table of matches looked up in its updates and nuggets.

    `lost_update` and `lost_nugget` tell which rows name an update or a nugget that is not there.
    """

    pairs: Pairs
    lost_update: BoolArray
    lost_nugget: BoolArray
    row: IntArray
    """The row of matches that each pair comes from."""


def resolve(matches: Matches, updates: Updates, nuggets: Nuggets) -> Resolved:
    """Turn the ids of matches into row numbers.

    An update id that several runs sent stands for each of them, unless the match names its run.
    The pairs come in the order of the match rows; rows that name something unknown give none. A
    match that names a run which is not here is none of these updates' business, and not lost.
    """
    nugget_keys = pair_keys(nuggets.topic, nuggets.nugget_id, nuggets.topic, nuggets.nugget_id)
    wanted = pair_keys(matches.topic, matches.nugget_id, nuggets.topic, nuggets.nugget_id)
    nugget_row = last_row_of(wanted, nugget_keys)
    match, update = _update_rows(matches, updates)
    known = np.bincount(match, minlength=len(matches)) > 0
    if matches.run is not None:
        known |= matches.run.within(updates.run.names) == ABSENT
    kept = nugget_row[match] != ABSENT
    pairs = Pairs(update[kept], nugget_row[match][kept])
    return Resolved(pairs, ~known, nugget_row == ABSENT, match[kept])


def _update_rows(matches: Matches, updates: Updates) -> tuple[IntArray, IntArray]:
    """Each (match row, update row) that belong together."""
    have = pair_keys(updates.topic, updates.update_id, updates.topic, updates.update_id)
    want = pair_keys(matches.topic, matches.update_id, updates.topic, updates.update_id)
    match, update = equal_rows(want, have)
    if matches.run is not None:
        same = matches.run.within(updates.run.names)[match] == updates.run.codes[update]
        match, update = match[same], update[same]
    return match, update


def known_updates(topic: Ids, update_id: Ids, pool: Pool) -> BoolArray:
    """Which (topic, update) are in the pool."""
    known: BoolArray = pool_rows(topic, update_id, pool) != ABSENT
    return known


def pool_rows(topic: Ids, update_id: Ids, pool: Pool) -> IntArray:
    """The row of the pool for each (topic, update), the last if it stands there several times."""
    wanted = pair_keys(topic, update_id, pool.topic, pool.update_id)
    keys = pair_keys(pool.topic, pool.update_id, pool.topic, pool.update_id)
    return last_row_of(wanted, keys)


def repeated_rows(*columns: Ids) -> tuple[IntArray, IntArray]:
    """The rows that repeat an earlier row in all these columns, and the first row of each."""
    key = columns[0].codes
    for column in columns[1:]:
        key = key * len(column.names) + column.codes
    if len(distinct(key)) == len(key):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    original = first[inverse]
    repeats = np.flatnonzero(original != np.arange(len(key)))
    return repeats, original[repeats]


def natural_order(names: Iterable[str]) -> list[str]:
    """The names sorted with numbers as numbers: `t2` before `t10`; ties by the name itself."""
    return sorted(names, key=lambda name: (_natural(name), name))


def _natural(name: str) -> list[tuple[int, int, str]]:
    """The name in parts that compare as people expect: a number by its length, then its digits."""
    parts = (part for part in re.split(r"([0-9]+)", name) if part)
    return [
        (0, len(part.lstrip("0")), part.lstrip("0")) if part[0] in "0123456789" else (1, 0, part)
        for part in parts
    ]


def all_names(ids: Ids) -> Any:
    """The names that some row has, as an Arrow array, in the order of the vocabulary."""
    used = np.zeros(len(ids.names), bool)
    used[ids.codes] = True
    return pc.take(ids.names, integers(np.flatnonzero(used)))
