"""What a reader of the scores should know: warnings, and refusals of files of other runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.doubtful_times import Span, run_spans, spans, years_apart
from tseval.core.wording import count, listed, none_of, percent
from tseval.errors import Doubt, InputError, Reason
from tseval.families.temporal.earliest import EarliestIndex
from tseval.families.temporal.rules import Rules
from tseval.families.temporal.trec_files import has_header
from tseval.records import frozen
from tseval.tables import (
    ABSENT,
    Corrections,
    Duplicates,
    Ids,
    Matches,
    Nuggets,
    Pairs,
    Pool,
    Topics,
    Updates,
    all_names,
    distinct,
    known_updates,
    natural_order,
    resolve,
)
from tseval.tables.arrow import strings
from tseval.tables.keys import rows_by_code

if TYPE_CHECKING:
    from tseval.families.temporal.assessed import AssessedIndex
    from tseval.families.temporal.assessments import CanonicalUpdates, Found
    from tseval.families.temporal.inputs import TemporalInputs, TemporalTables
    from tseval.matching.corrections import Decisions
    from tseval.tables.columns import BoolArray, FloatArray, IntArray


@frozen
class Census:
    """What a run has that a reader of its scores should know of."""

    run: str
    unjudged: tuple[str, ...]
    """The topics that are not in the gold."""
    early: int
    """How many updates are before the start of their topic."""
    confidence: float | None
    """What every confidence is, where there are several and all are equal."""
    silent: int
    """How many updates have no text, where a matcher had to read it."""
    outside: int = 0
    """How many updates of judged topics there are, where none of them is in the pool."""
    all_silent: bool = False
    """Whether no update of a judged topic has a text, where a matcher had to read it."""


def of_pool_file(inputs: TemporalInputs, tables: TemporalTables, rules: Rules) -> Iterator[str]:
    """Warnings about a pool of the track, which may lack a header."""
    if isinstance(inputs.pool, str | Path) and tables.pool is not None:
        first = tables.pool.origin.line[:1].tolist()
        if rules.pool_header == "always" and not has_header(inputs.pool):
            yield "the pool has no header: its first row is lost, as it was to the script"
        elif first == [1]:
            yield "the pool has no header; it is read all the same"


def of_evaluation(
    tables: TemporalTables, case: CanonicalUpdates, index: AssessedIndex
) -> Iterator[str]:
    """What the tables tell of runs and gold."""
    outside, by_text = _outside(tables, case, index), tables.matches is None
    yield from of_runs(_censuses(index, index.periods[0], outside, by_text=by_text))
    run = index.unit[index.sent] // len(index.topics)
    judged = np.bincount(run[index.judged[index.sent]], minlength=len(index.runs))
    number = np.bincount(run, minlength=len(index.runs))
    yield from of_unjudged(index.runs, judged, number, tables.pool)
    yield from of_gold(index.nuggets, index.topics, tables.topics, by_text=by_text)
    sent = index.updates
    found = run_spans(sent.run, sent.topic, sent.time)
    yield from years_apart([*gold_spans(index.nuggets, tables.topics), *found], index.topics)


def of_unjudged(
    runs: Sequence[str], judged: IntArray, sent: IntArray, pool: Pool | None
) -> Iterator[Doubt]:
    """Warn of runs with updates that nobody judged: the share of judged ones, the least first."""
    share = judged / np.maximum(sent, 1)
    some = [at for at in np.argsort(share, kind="stable").tolist() if judged[at] < sent[at]]
    if some and judged.any():  # else no update is in the pool, which is a warning of its own
        ends = some if len(some) <= 2 else [some[0], some[-1]]
        shares = (" and " if len(some) == 2 else " to ").join(percent(share[at]) for at in ends)
        known = "are judged" if pool is not None else "are known to be judged without --pool"
        names = listed([runs[at] for at in some])
        yield Doubt(f"{shares} of updates {known} ({names}); the others count as no match")


def _outside(tables: TemporalTables, case: CanonicalUpdates, index: AssessedIndex) -> IntArray:
    """How many updates each run has if none is in the pool; a pool of other runs is refused."""
    outside = outside_pool(index, case.updates, case.sampled)
    if tables.pool is None or tables.updates.team is not None:
        return outside
    judged = case.updates.topic.within(strings(index.topics)) != ABSENT
    if not case.sampled[judged].any():
        refuse_foreign_pool(tables.pool, tables.runs, int(judged.sum()))
    return outside


def of_fit(
    tables: TemporalTables,
    case: CanonicalUpdates,
    found: Found,
    kept: BoolArray,
    decided: Decisions | None,
) -> Iterator[str]:
    """Warnings about files that do not belong together."""
    matches, nuggets, duplicates = tables.matches, tables.nuggets, tables.duplicates
    if matches is not None:
        applied = len(found.pairs) or len(resolve(matches, case.updates, nuggets).pairs)
        yield from of_matches(matches, nuggets, tables.runs, applied=applied > 0)
    if tables.corrections is not None and decided is not None:
        yield from of_corrections(tables.corrections, decided.pairs, case.updates, tables)
    if duplicates is not None:
        yield from of_duplicates(duplicates, tables.updates, case.updates)
    dropped = int((~kept).sum())
    if dropped:
        yield f"{count(dropped, 'nugget')} left out by the rules"


def of_runs(censuses: Sequence[Census]) -> Iterator[str]:
    """Warnings about the runs."""
    for run in censuses:
        if run.unjudged:
            noun = count(len(run.unjudged), "topic")
            yield f"run {run.run}: {noun} not in the gold, ignored: {listed(run.unjudged)}"
    for run in censuses:
        if run.outside:
            none = none_of("its", run.outside, "update", "updates")
            yield Reason(f"run {run.run}: {none} in the pool")
    for run in censuses:
        if run.early:
            yield f"run {run.run}: {count(run.early, 'update')} before the start of the topic"
    for run in censuses:
        if run.confidence is not None:
            yield f"run {run.run}: every confidence is {run.confidence:g}"
    for run in censuses:
        if run.silent:
            said = f"run {run.run}: {count(run.silent, 'update')} without text cannot be matched"
            yield Reason(said) if run.all_silent else said


def refuse_foreign_pool(pool: Pool, runs: Sequence[str], judged: int) -> None:
    """Refuse a pool that has none of the `judged` updates that these runs have in judged topics.

    A run in the track's own files may well have nothing in the pool: it is warned about.
    """
    if not judged or not len(pool.update_id):
        return
    reason = (
        f"{none_of('the', judged, 'update', 'updates')} in the pool, of all that the runs have in "
        f'judged topics: the pool has updates such as "{pool.update_id[0]}" of topic '
        f'"{pool.topic[0]}", the runs are {listed(runs)}'
    )
    raise InputError([pool.origin.fault(0, reason, FOREIGN_POOL_CURE, "unrelated-inputs")])


FOREIGN_POOL_CURE = "give the pool that was drawn from these runs, with their updates' ids"
FOREIGN_CURE = (
    "a run without a column `run` is called as its file: give the file its old name, or name the "
    "run in both tables, or leave the column `run` out of the matches"
)


def of_matches(
    matches: Matches, nuggets: Nuggets, runs: Sequence[str], *, applied: bool
) -> Iterator[str]:
    """Warnings about matches; `applied` says that any is of an update and a nugget that are there.

    Only in a table that a track published may a match be of a nugget that is not.
    """
    known = known_updates(matches.topic, matches.nugget_id, _keys(nuggets, nuggets.nugget_id))
    there = int(known.sum())
    if not there and len(matches):
        none = none_of("the", len(matches), "match", "matches")
        yield Reason(f"{none} of a nugget that is there")
    elif there < len(matches):
        unknown = sorted(set(matches.nugget_id.rows(~known).to_list()))
        noun = count(len(unknown), "nugget")
        yield f"matches name {noun} that are not there, passed over: {listed(unknown)}"
    if there and not applied:
        none = none_of("the", there, "match", "matches")
        yield Reason(f"{none} of an update of these runs")
    elif there and matches.run is not None:
        lost = natural_order(set(runs) - set(all_names(matches.run).to_pylist()))
        if lost:
            yield Reason(f"no match is of these runs, which say nothing then: {listed(lost)}")


def of_corrections(
    corrections: Corrections, decided: Pairs, updates: Updates, tables: TemporalTables
) -> Iterator[str]:
    """Warn if corrections change nothing, or name only some of the runs."""
    if not len(corrections):
        yield "corrections: no row has a verdict, so nothing changes"
        return
    runs, of_runs = tables.runs, corrections.run
    if of_runs is not None and not len(decided):
        theirs = natural_order(set(all_names(of_runs).to_pylist()))
        if set(theirs).isdisjoint(runs):
            yield f"corrections: all are of other runs, of {listed(theirs)}, so nothing changes"
            return
    by_id = resolve(corrections.pairs, updates, tables.nuggets).pairs.update
    named = set(all_names(updates.run.rows(by_id)).to_pylist())
    if of_runs is not None:  # a run whose rows have no verdict was read, too
        named |= set(of_runs.vocabulary())
    if others := [name for name in runs if name not in named]:
        yield Doubt(
            f"corrections name no update of {len(others):,} of {count(len(runs), 'run')}, so only "
            "shared texts are corrected there; their scores are not comparable: "
            f"{', '.join(others[:3])}"
        )


def refuse_foreign_matches(matches: Matches, runs: Sequence[str]) -> None:
    """Refuse matches that are all of other runs than these: likely files have new names."""
    if matches.run is None or not len(matches) or not runs:
        return
    theirs = natural_order(set(all_names(matches.run).to_pylist()))
    if not set(theirs).isdisjoint(runs):
        return
    reason = f"every match is of another run: of {listed(theirs)}; scored: {listed(list(runs))}"
    raise InputError([matches.origin.fault(0, reason, FOREIGN_CURE, "unrelated-inputs")])


def of_duplicates(duplicates: Duplicates, *updates: Updates) -> Iterator[str]:
    """A warning, if no pair has an update of these tables."""
    ids = (duplicates.update_id, duplicates.duplicate_id)
    number = len(duplicates.update_id)
    if number and not any(
        _sent(duplicates.topic, each, table) for each in ids for table in updates
    ):
        yield f"{none_of('the', number, 'duplicate', 'duplicates')} of an update of these runs"


def _sent(topic: Ids | None, ids: Ids, updates: Updates) -> bool:
    """Whether any of these ids, which hold in every topic if none is told, is an update's."""
    if topic is None:
        return bool((ids.within(all_names(updates.update_id)) != ABSENT).any())
    return bool(known_updates(topic, ids, _keys(updates, updates.update_id)).any())


def _keys(table: Nuggets | Updates, ids: Ids) -> Pool:
    """The topics and ids of a table, to look others up in."""
    return Pool(table.topic, ids, table.origin)


def of_gold(
    nuggets: Nuggets, judged: Sequence[str], topics: Topics | None, *, by_text: bool
) -> Iterator[str]:
    """Warnings about the gold."""
    if by_text and nuggets.text.blank.any():
        blank = nuggets.nugget_id.rows(nuggets.text.blank).to_list()
        yield f"{count(len(blank), 'nugget')} without text cannot be matched: {listed(blank)}"
    if topics is not None:
        lost = sorted(set(judged) - set(topics.topic.to_list()))
        if lost:
            noun = count(len(lost), "judged topic")
            yield f"{noun} not in the topics file start at their earliest nugget: {listed(lost)}"


def gold_spans(nuggets: Nuggets, topics: Topics | None) -> Iterator[Span]:
    """The spans of the gold."""
    yield from spans("nuggets", nuggets.topic, nuggets.time)
    if topics is not None:
        yield from spans("topics", topics.topic, topics.start)
        if topics.end is not None:
            yield from spans("topics", topics.topic, topics.end)


def _censuses(
    index: EarliestIndex, starts: FloatArray, outside: IntArray, *, by_text: bool
) -> list[Census]:
    updates = index.updates
    run = updates.run.within(strings(index.runs))
    early = _early(index, starts)
    judged = index.unit != ABSENT
    silent = updates.text.blank & judged if by_text else np.zeros(len(updates), bool)
    found = []
    rows_of = rows_by_code(run)
    for at, name in enumerate(index.runs):
        own = rows_of.get(at, np.zeros(0, np.int64))
        lost = updates.topic.codes[own[~judged[own]]]
        unjudged = tuple(sorted(updates.topic.take_names(distinct(lost))))
        confidence = None if updates.confidence is None else updates.confidence[own]
        constant = _constant(confidence)
        mute = int(silent[own].sum())
        lone = int(outside[at])
        dumb = 0 < mute == int(judged[own].sum())
        found.append(Census(name, unjudged, int(early[at]), constant, mute, lone, dumb))
    return found


def _early(index: EarliestIndex, starts: FloatArray) -> IntArray:
    """How many updates each run has before the start of their topic."""
    unit = index.unit[index.sent]
    early = index.updates.time[index.sent] < starts[index.unit_topic[unit]]
    return np.bincount(unit[early] // len(index.topics), minlength=len(index.runs))


def outside_pool(index: EarliestIndex, updates: Updates, sampled: BoolArray) -> IntArray:
    """How many updates of judged topics each run has, if none of them is in the pool; else 0.

    `updates` are all that were sent, of which those that are `sampled` are in the pool.
    """
    run = updates.run.within(strings(index.runs))
    judged = (updates.topic.within(strings(index.topics)) != ABSENT) & (run != ABSENT)
    of_run = np.bincount(run[judged], minlength=len(index.runs))
    pooled = np.bincount(run[judged & sampled], minlength=len(index.runs))
    return np.where(pooled, 0, of_run)


def _constant(confidence: FloatArray | None) -> float | None:
    """The one value of several that are equal."""
    if confidence is None or len(confidence) < 2 or (confidence != confidence[0]).any():
        return None
    return float(confidence[0])
