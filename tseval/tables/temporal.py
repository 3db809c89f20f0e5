"""The tables of temporal summarization: updates, nuggets, matches, topics, duplicates, pairs."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from tseval.io.names import ABSENT, distinct
from tseval.io.origin import Origin
from tseval.records import frozen
from tseval.tables.arrow import integers, numbers, strings
from tseval.tables.base import Table, filled, optional
from tseval.tables.columns import Ids, Texts
from tseval.tables.keys import equal_rows, last_row_of, pair_keys

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray


NO_DUPLICATE = "NULL"
"""What stands in a pool where an update repeats no other."""


@frozen
class Updates(Table):
    """What systems said: one row an update. Times are Unix seconds.

    Where only some runs tell a confidence or a cost, the others have 0 and 1; a run without a team
    is a team of its own.
    """

    run: Ids
    topic: Ids
    update_id: Ids
    text: Texts
    origin: Origin
    time: FloatArray = filled(0.0)
    confidence: FloatArray | None = optional(0.0)
    cost: FloatArray | None = optional(1.0)
    team: Ids | None = optional(attrgetter("run"))
    """Who sent it, where a run's name is made of a team's and the run's own."""
    duplicate_id: Ids | None = optional(NO_DUPLICATE)
    """The update that each repeats, as a pool tells it; read where updates are a pool's."""

    @property
    def is_duplicate(self) -> BoolArray:
        """Which updates repeat another, as their pool tells it."""
        if self.duplicate_id is None:
            return np.zeros(len(self), bool)
        none = self.duplicate_id.within(strings([NO_DUPLICATE, ""])) != ABSENT
        repeats: BoolArray = ~none
        return repeats


@frozen
class Nuggets(Table):
    """What there was to say: one row a gold nugget. `importance` is its reward, 1 if not given."""

    topic: Ids
    nugget_id: Ids
    time: FloatArray
    text: Texts
    origin: Origin
    importance: FloatArray = filled(1.0)
    cost: FloatArray | None = optional()
    length: FloatArray | None = optional()
    """Its length as the file tells it."""


@frozen
class Matches(Table):
    """Which update says which nugget, by id; a row without a run speaks of every run's update.

    `start` and `end` span the matching words in the update's text, end exclusive; NaN where they
    are not given.
    """

    topic: Ids
    update_id: Ids
    nugget_id: Ids
    origin: Origin
    run: Ids | None = optional()
    start: FloatArray | None = optional()
    end: FloatArray | None = optional()
    grade: FloatArray | None = optional(1.0)
    """How far each update says its nugget, above 0; None where all say it in full."""
    in_bytes: bool = False
    """Whether the spans count bytes, not characters."""
    published: bool = False
    """Whether a track published it: then rows that name something unknown are passed over."""
    maker: str | None = None
    """The matcher that made them, as far as they say; None for those of assessors."""


@frozen
class Corrections(Table):
    """Verdicts on pairs that a matcher judges; one without a run is on every run's update."""

    topic: Ids
    update_id: Ids
    nugget_id: Ids
    origin: Origin
    accepted: BoolArray
    run: Ids | None = optional("")
    """Whose update it is; blank for every run's."""
    update_text: Texts | None = optional("")
    nugget_text: Texts | None = optional("")

    @property
    def pairs(self) -> Matches:
        """The pairs, accepted or not, to be looked up."""
        return Matches(self.topic, self.update_id, self.nugget_id, self.origin, self.run)

    @property
    def of_every_run(self) -> BoolArray:
        """Which are on every run's update."""
        return np.ones(len(self), bool) if self.run is None else blank(self.run)


@frozen
class JudgedPairs(Table):
    """A sample of nuggets with the texts that were read for each, and what was said of them."""

    topic: Ids
    nugget_id: Ids
    stratum: Ids
    inclusion: FloatArray
    pair: Ids
    sample: Ids
    checksum: Ids
    origin: Origin
    said: BoolArray
    """Which texts say the nugget."""
    judged: BoolArray
    """Which have a verdict."""

    @property
    def design(self) -> dict[str, str]:
        """How the sample was drawn, by name."""
        parts = (part.partition(":") for part in self.sample[0].split("|"))
        return {name: value for name, _, value in parts}


@frozen
class Topics(Table):
    """When each topic starts, and ends where that is known."""

    topic: Ids
    start: FloatArray
    origin: Origin
    end: FloatArray | None = optional()

    def periods(
        self, names: Sequence[str], start: FloatArray, end: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """When topics of these names start and end: as is told here, else as is given."""
        start, end = start.copy(), end.copy()
        at = self.topic.within(strings(names))
        known = at != ABSENT
        start[at[known]] = self.start[known]
        if self.end is not None:
            ends = known & ~np.isnan(self.end)
            end[at[ends]] = self.end[ends]
        return start, end


@frozen
class Duplicates(Table):
    """Pairs of updates that say the same; without topics a pair holds in every topic."""

    update_id: Ids
    duplicate_id: Ids
    origin: Origin
    topic: Ids | None = optional()


@frozen
class Pool(Table):
    """The updates that assessors saw, with what the pool tells of them."""

    topic: Ids
    update_id: Ids
    origin: Origin
    duplicate_id: Ids | None = optional()
    """The update that each repeats, `NO_DUPLICATE` if none."""
    text: Texts | None = optional()
    length: FloatArray | None = optional()


@frozen
class Pairs:
    """Matches by row number: update row, nugget row; `score` where a matcher gave one.

    `grade` is how far each update says its nugget, above 0; None where all say it in full.
    """

    update: IntArray
    nugget: IntArray
    score: FloatArray | None = None
    grade: FloatArray | None = None

    @classmethod
    def none(cls) -> Pairs:
        """No match at all."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self.update)

    def rows(self, chosen: IntArray | BoolArray | slice) -> Pairs:
        """The chosen pairs."""
        score = None if self.score is None else self.score[chosen]
        grade = None if self.grade is None else self.grade[chosen]
        return Pairs(self.update[chosen], self.nugget[chosen], score, grade)


@frozen
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
    match that names a run which is not here is none of these updates' business, and not lost; one
    whose run is blank speaks of every run.
    """
    nugget_keys = pair_keys(nuggets.topic, nuggets.nugget_id, nuggets.topic, nuggets.nugget_id)
    wanted = pair_keys(matches.topic, matches.nugget_id, nuggets.topic, nuggets.nugget_id)
    nugget_row = last_row_of(wanted, nugget_keys)
    match, update = _update_rows(matches, updates)
    known = np.bincount(match, minlength=len(matches)) > 0
    if matches.run is not None:
        known |= (matches.run.within(updates.run.names) == ABSENT) & ~blank(matches.run)
    kept = nugget_row[match] != ABSENT
    grade = None if matches.grade is None else matches.grade[match][kept]
    pairs = Pairs(update[kept], nugget_row[match][kept], grade=grade)
    return Resolved(pairs, ~known, nugget_row == ABSENT, match[kept])


def _update_rows(matches: Matches, updates: Updates) -> tuple[IntArray, IntArray]:
    """Each (match row, update row) that belong together."""
    have = pair_keys(updates.topic, updates.update_id, updates.topic, updates.update_id)
    want = pair_keys(matches.topic, matches.update_id, updates.topic, updates.update_id)
    match, update = equal_rows(want, have)
    if matches.run is not None:
        same = matches.run.within(updates.run.names)[match] == updates.run.codes[update]
        same |= blank(matches.run)[match]
        match, update = match[same], update[same]
    return match, update


def blank(ids: Ids) -> BoolArray:
    """Which rows have no name, or one of white space alone."""
    names: BoolArray = numbers(pc.utf8_length(pc.utf8_trim_whitespace(ids.names))) == 0
    return names[ids.codes]


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


def all_names(ids: Ids) -> Any:
    """The names that some row has, as an Arrow array, in the order of the vocabulary."""
    used = np.zeros(len(ids.names), bool)
    used[ids.codes] = True
    return pc.take(ids.names, integers(np.flatnonzero(used)))
