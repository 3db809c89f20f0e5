"""What the judgments come to: matches of every run's updates, and the scores that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.family import Access
from tseval.core.registry import edition as edition_named
from tseval.core.scoring import chosen_measures, scores_of
from tseval.desk.judgments import UNJUDGED, YES, Gold
from tseval.desk.pool import NONE, made_here
from tseval.families.temporal.columns import table_of
from tseval.families.temporal.evaluation import (
    ReadTables,
    TemporalEvaluation,
    TemporalInputs,
    TemporalOptions,
)
from tseval.records import frozen
from tseval.statistics import kendall
from tseval.tables import Matches, Pairs

if TYPE_CHECKING:
    from tseval.core.scores import Scores
    from tseval.desk.pool import Pool
    from tseval.desk.state import State
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

MATCHER, NOBODY = "matcher", "no"
"""What pairs count as that nobody judged: what the matcher says, or no match."""


@frozen(eq=False)
class Counted:
    """The matches that count, sorted by rows of updates, then of nuggets."""

    pairs: Pairs
    judged: BoolArray
    """Which are people's; the others are the matcher's."""
    start: FloatArray
    """Where the words that say the nugget begin in the update; NaN where nobody said."""
    end: FloatArray


def matches_of(state: State, gold: Gold, machine: Pairs) -> Counted:
    """People's matches, and the machine's among the pairs that nobody judged."""
    pool = state.pool
    flat, start, column = _verdicts(pool, gold)
    item = pool.item[machine.update]
    pooled = item != NONE
    said = np.full(len(machine), UNJUDGED)
    said[pooled] = flat[start[item[pooled]] + column[machine.nugget[pooled]]]
    left = said == UNJUDGED
    update, nugget = judged_rows(pool, gold, YES)
    begin, end = _spans(state, gold, update, nugget)
    none = np.full(int(left.sum()), np.nan)
    updates = np.concatenate([machine.update[left], update])
    nuggets = np.concatenate([machine.nugget[left], nugget])
    order = np.lexsort((nuggets, updates))
    return Counted(
        Pairs(updates[order], nuggets[order]),
        np.concatenate([np.zeros(len(none), bool), np.ones(len(update), bool)])[order],
        np.concatenate([none, begin])[order],
        np.concatenate([none, end])[order],
    )


def machine_alone(machine: Pairs) -> Counted:
    """The matcher's matches, whatever people say."""
    none = np.full(len(machine), np.nan)
    return Counted(Pairs(machine.update, machine.nugget), np.zeros(len(machine), bool), none, none)


def _verdicts(pool: Pool, gold: Gold) -> tuple[IntArray, IntArray, IntArray]:
    """The verdicts of all topics one after the other, and how to find a pair's.

    That is where each item's row starts in them, and the place of each nugget in a row.
    """
    start, column = np.zeros(len(pool.items), np.int64), np.zeros(len(gold.table), np.int64)
    size = nugget = 0
    for own in gold.judged:
        height, width = own.verdict.shape
        start[own.items] = size + np.arange(height) * width
        column[nugget : nugget + width] = np.arange(width)
        size, nugget = size + height * width, nugget + width
    parts = [own.verdict.ravel() for own in gold.judged]
    return np.concatenate(parts).astype(np.int64), start, column


def judged_rows(pool: Pool, gold: Gold, verdict: int) -> tuple[IntArray, IntArray]:
    """Each row of an update, and of a nugget, of which people say so."""
    updates: list[IntArray] = [np.zeros(0, np.int64)]
    nuggets: list[IntArray] = [np.zeros(0, np.int64)]
    first = 0
    for own in gold.judged:
        at, column = np.nonzero(own.verdict == verdict)
        rows = [pool.items[own.items[each]].rows for each in at.tolist()]
        updates.append(np.array([row for each in rows for row in each], np.int64))
        nuggets.append(np.repeat(first + column, [len(each) for each in rows]))
        first += own.verdict.shape[1]
    return np.concatenate(updates), np.concatenate(nuggets)


def _spans(
    state: State, gold: Gold, update: IntArray, nugget: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The words that the first assessor by name marked, of updates with the very text."""
    spans = np.full((2, len(update)), np.nan)
    texts = state.pool.updates.text
    for at, (row, own) in enumerate(zip(update.tolist(), nugget.tolist(), strict=True)):
        item, name = int(state.pool.item[row]), gold.names[own][1]
        chosen = sorted(state.choices.get(item, {}).items())
        marked = (each[name] for _, each in chosen if name in each)
        span = next((c for c in marked if c.match and c.start is not None), None)
        if span is not None and texts[row] == state.pool.items[item].text:
            spans[:, at] = span.start, span.end
    return spans[0], spans[1]


@frozen
class WhatIf:
    """The scores of all runs with what people decided, and by the matcher alone."""

    decided: Scores
    machine: Scores

    @property
    def order_changes(self) -> Mapping[str, bool]:
        """For each measure whether the order of the runs is another one."""
        return {
            name: not np.array_equal(_order(self.decided, at), _order(self.machine, at))
            for at, name in enumerate(self.decided.measures)
        }

    @property
    def tau(self) -> Mapping[str, float]:
        """Kendall's tau between the two orders by each measure; NaN where there is no order."""
        return {
            name: kendall(_means(self.decided, at), _means(self.machine, at))
            for at, name in enumerate(self.decided.measures)
        }


def _means(scores: Scores, measure: int) -> FloatArray:
    means: FloatArray = np.where(scores.mean_defined[:, measure], scores.means[:, measure], np.nan)
    return means


def _order(scores: Scores, measure: int) -> FloatArray:
    """Which run is above which, for every two."""
    means = np.nan_to_num(_means(scores, measure), nan=-np.inf)
    order: FloatArray = np.sign(np.where(means[:, None] == means, 0.0, means[:, None] > means))
    return order


@frozen
class Scoring:
    """How What if scores: an edition, and measures."""

    edition: str = "draft"
    measures: tuple[str, ...] = ()

    def scores(
        self, pool: Pool, gold: Gold, counted: Counted, digests: tuple[str, str] = ("", "")
    ) -> Scores:
        """What `tseval score RUNS NUGGETS --matches MATCHES` says of these.

        `digests` are the hashes of the two files, for the signature.
        """
        nuggets = replace(gold.table, origin=made_here("nuggets", len(gold.table), digests[0]))
        updates, pairs = pool.updates, counted.pairs
        found = Matches(
            updates.topic.rows(pairs.update),
            updates.update_id.rows(pairs.update),
            nuggets.nugget_id.rows(pairs.nugget),
            made_here("matches", len(pairs), digests[1]),
            updates.run.rows(pairs.update),
            counted.start,
            counted.end,
        )
        named = {"updates": updates, "nuggets": nuggets, "matches": found}
        known = ReadTables({name: table_of(table, name) for name, table in named.items()})
        inputs = TemporalInputs(("runs",), "nuggets", "matches")
        edition = edition_named(self.edition, "temporal")
        evaluation = TemporalEvaluation.read(
            inputs, TemporalOptions(), edition, {}, Access(), known
        )
        return scores_of(evaluation, chosen_measures(evaluation, self.measures))
