"""What a reader of the scores should know: warnings, and refusals of files of other runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.doubtful_times import Span, spans
from tseval.core.wording import count, listed, none_of, percent
from tseval.errors import Doubt, InputError, Reason
from tseval.io.names import natural_order
from tseval.records import frozen
from tseval.tables import Ids, Matches, Nuggets, Pool, Topics, Updates, all_names, known_updates

if TYPE_CHECKING:
    from tseval.arrays import IntArray


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


def refuse_foreign_matches(matches: Matches, runs: Sequence[str]) -> None:
    """Refuse matches that are all of other runs than these: likely files have new names."""
    if matches.run is None or not len(matches) or not runs:
        return
    theirs = natural_order(set(all_names(matches.run).to_pylist()))
    if not set(theirs).isdisjoint(runs):
        return
    reason = f"every match is of another run: of {listed(theirs)}; scored: {listed(list(runs))}"
    raise InputError([matches.origin.fault(0, reason, FOREIGN_CURE, "unrelated-inputs")])


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
