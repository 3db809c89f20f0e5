"""The rules applied: which updates and nuggets count, and what the assessors' files say of them.

From tables as they were read to an `AssessedIndex`. Every rule that shapes tables acts here; those
that weigh and divide act in `assessed.py` and `track.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.errors import UsageError
from tseval.families.temporal.assessed import AssessedIndex
from tseval.families.temporal.earliest import EarliestIndex
from tseval.families.temporal.plain_files import read_nuggets
from tseval.families.temporal.rules import Rules
from tseval.families.temporal.trec_files import TrackReading
from tseval.records import frozen
from tseval.tables import (
    ABSENT,
    NO_DUPLICATE,
    Duplicates,
    Ids,
    Matches,
    Nuggets,
    Pairs,
    Pool,
    Texts,
    Topics,
    Updates,
    all_names,
    pool_rows,
)
from tseval.tables.arrow import strings
from tseval.tables.keys import earliest
from tseval.tables.topic_names import TopicNames, with_topics_named

if TYPE_CHECKING:
    from tseval.matching.passage_files import TextRows
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

INFINITE_CONFIDENCE = 1000.0

# Updates, and what stands for them.


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


# Confidences.


def weights(updates: Updates, rules: Rules) -> FloatArray:
    """Each update's weight among the lines of its run and topic, those not counted included."""
    unit = updates.run.codes * len(updates.topic.names) + updates.topic.codes
    if rules.confidence == "place":
        place: FloatArray = 1 / (1.0 + _places(unit))
        return place
    if updates.confidence is None:
        raw = np.ones(len(updates))
    else:
        infinite = np.isinf(updates.confidence)
        raw = np.where(infinite, INFINITE_CONFIDENCE, updates.confidence)
    return raw if rules.confidence == "raw" else _min_max(unit, raw)


def _places(unit: IntArray) -> IntArray:
    """The place of each row among those of its unit."""
    order = np.argsort(unit, kind="stable")
    new = np.flatnonzero(np.diff(unit[order], prepend=-1))
    places = np.empty(len(unit), np.int64)
    counts = np.diff(np.append(new, len(unit)))
    places[order] = np.arange(len(unit)) - np.repeat(new, counts)
    return places


def _min_max(unit: IntArray, raw: FloatArray) -> FloatArray:
    size = int(unit.max(initial=-1)) + 1
    least, greatest = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(least, unit, raw)
    np.maximum.at(greatest, unit, raw)
    share: FloatArray = raw - least[unit]
    span = (greatest - least)[unit]
    np.divide(share, span, out=share, where=span > 0)
    share[~(span > 0)] = 0.5
    return share


# Nuggets.


def kept_nuggets(nuggets: Nuggets, matches: Matches | None, rules: Rules) -> BoolArray:
    """Which nuggets count."""
    kept = np.ones(len(nuggets), bool)
    if rules.unimportant == "drop":
        kept &= nuggets.importance > 0
    if matches is not None and rules.unmatched_topics == "skip":
        kept &= nuggets.topic.within(all_names(matches.topic)) != ABSENT
    if rules.matched_nuggets_only == "yes":
        if matches is None:
            raise UsageError("matched nuggets alone can count only where matches are given")
        named = Pool(matches.topic, matches.nugget_id, matches.origin)
        kept &= pool_rows(nuggets.topic, nuggets.nugget_id, named) != ABSENT
    return kept


@frozen
class GoldReading:
    """Reads the nuggets that count as workers need them: by a format and an edition's rules."""

    form: str | None
    reading: TrackReading
    rules: Rules

    def __call__(self, path: str) -> tuple[TextRows, Callable[[Ids], Ids]]:
        """Their texts, and what renames topics as theirs are."""
        from tseval.matching.passage_files import TextRows

        nuggets = read_nuggets(path, self.form, self.reading)
        rename = TopicNames(nuggets.topic, self.rules.topic_names)
        nuggets = with_topics_named(nuggets, rename)
        nuggets = nuggets.rows(kept_nuggets(nuggets, None, self.rules))
        return TextRows(nuggets.topic, nuggets.text), rename


def known_since(case: CanonicalUpdates, nuggets: Nuggets, pairs: Pairs, rules: Rules) -> FloatArray:
    """Since when each nugget could be known, as the rule `latency-from` says."""
    if rules.latency_from == "nuggets":
        return nuggets.time
    sampled = case.sampled[pairs.update]
    time = case.updates.time[pairs.update[sampled]]
    said = earliest(pairs.nugget[sampled], time, len(nuggets))
    if rules.latency_from == "all":
        earlier: FloatArray = np.minimum(nuggets.time, said)
        return earlier
    return np.where(np.isinf(said), nuggets.time, said)


def standing_matches(matches: Matches, pool: Pool | None, rules: Rules) -> Matches:
    """Matches that name, for each update, what stands for it.

    The script of 2015 lets the match of a duplicate count for the update that it repeats when it
    looks for the earliest time of a nugget, and there alone.
    """
    if pool is None:
        return matches
    row = _canonical(pool_rows(matches.topic, matches.update_id, pool), pool, rules)
    known = row != ABSENT
    return replace(
        matches, update_id=matches.update_id.replaced(known, pool.update_id.rows(row[known]))
    )


# Grades.


def by_scores(pairs: Pairs) -> Pairs:
    """The pairs of a matcher whose scores are grades; what was accepted without one is in full."""
    if pairs.score is None:
        return pairs
    return replace(pairs, grade=np.where(np.isnan(pairs.score), 1.0, pairs.score))


def counted_matches(matches: Matches, rules: Rules) -> Matches:
    """The matches that count, and as what, by the rule `grades`."""
    if rules.grades == "graded":
        return matches
    if matches.grade is None:
        raise UsageError(f"rule grades={rules.grades} changes nothing: all matches are in full")
    kept = matches.rows(matches.grade == 1) if rules.grades == "full" else matches
    return replace(kept, grade=None)


def counted_pairs(pairs: Pairs, rules: Rules, *, are_graded: bool) -> Pairs:
    """The same of pairs that a matcher found."""
    if rules.grades == "graded":
        return by_scores(pairs) if are_graded else pairs
    if not are_graded:
        raise UsageError(f"rule grades={rules.grades} changes nothing: the matcher has no grades")
    grade = by_scores(pairs).grade
    return pairs if rules.grades == "any" or grade is None else pairs.rows(grade == 1)


# The index.


@frozen
class Found:
    """Pairs of updates and nuggets, with the row of matches that each comes from."""

    pairs: Pairs
    row: IntArray | None = None
    matches: Matches | None = None
    judged: BoolArray | None = None
    """Whether each update was judged; None if all were, as by a matcher."""


def is_judged_whole(matches: Matches | None, pool: Pool | None) -> bool:
    """Whether all updates were judged: by a matcher, or for matches that no pool was drawn for.

    The track's assessors judged a pool, also where it is not given.
    """
    return matches is None or bool(matches.maker) or (pool is None and not matches.published)


def assessed_index(
    updates: Updates,
    case: CanonicalUpdates,
    nuggets: Nuggets,
    found: Found,
    duplicates: Duplicates | None,
    topics: Topics | None,
    rules: Rules,
) -> tuple[AssessedIndex, Pairs]:
    """Index what counts, with the pairs that do. `updates` are the lines as the runs have them."""
    weight = weights(updates, rules)
    counted, found = _counted(case, found, rules)
    rows = slice(None) if counted.all() else counted
    said = case.updates if counted.all() else case.updates.rows(counted)
    index = EarliestIndex.build(said, nuggets, found.pairs, duplicates)
    matches = found.matches
    assessed = AssessedIndex.around(
        index,
        rules=rules,
        present=_lines(index, updates),
        sampled=case.sampled[rows],
        judged=np.ones(len(said), bool) if found.judged is None else found.judged[rows],
        length=None if case.length is None else case.length[rows],
        weight=weight[rows],
        spans=_spans(index, found),
        spans_in_bytes=matches is not None and matches.in_bytes,
        has_texts=case.has_texts,
        periods=periods(index, topics),
    )
    return assessed, found.pairs


def _counted(case: CanonicalUpdates, found: Found, rules: Rules) -> tuple[BoolArray, Found]:
    """Which updates count, and the pairs among those that may match anything."""
    counted = case.sampled | (rules.unsampled != "skip")
    may_match = case.sampled | (rules.unsampled == "own-words")
    pairs = found.pairs
    if counted.all() and may_match.all():
        return counted, found
    kept = may_match[pairs.update]
    renumbered = np.cumsum(counted) - 1
    row = None if found.row is None else found.row[kept]
    pairs = pairs.rows(kept)
    pairs = replace(pairs, update=renumbered[pairs.update])
    return counted, replace(found, pairs=pairs, row=row)


def _lines(index: EarliestIndex, updates: Updates) -> BoolArray:
    """Which units have any line, counted or not."""
    if len(updates) == len(index.updates):
        return index.having(index.unit[index.sent])
    run = updates.run.within(strings(index.runs))
    topic = updates.topic.within(strings(index.topics))
    lines = np.zeros((len(index.runs), len(index.topics)), bool)
    judged = topic != ABSENT
    lines[run[judged], topic[judged]] = True
    return lines


def _spans(index: EarliestIndex, found: Found) -> tuple[FloatArray, FloatArray] | None:
    """The span of each first match: of its rows of matches the first."""
    matches = found.matches
    if matches is None or found.row is None or matches.start is None or matches.end is None:
        return None
    width = len(index.nuggets)
    key = found.pairs.update * width + found.pairs.nugget
    order = np.lexsort((found.row, key))
    wanted = index.first.update * width + index.first.nugget
    row = found.row[order][np.searchsorted(key[order], wanted)]
    return matches.start[row], matches.end[row]


def periods(index: EarliestIndex, topics: Topics | None) -> tuple[FloatArray, FloatArray]:
    """When each topic starts and ends: as the topics file says, else as its nuggets do."""
    start = index.nuggets.origin.starts(index.first_nugget_times)
    own = start, index.latest_nugget_times
    return own if topics is None else topics.periods(index.topics, *own)
