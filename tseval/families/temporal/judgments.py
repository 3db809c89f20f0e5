"""Judgments without those that some runs alone contributed, which `compare --leave-out` scores by.

Of the matches, and of the pool, go the updates that these runs alone sent. What others sent as well
would have been judged without them. The gold stays, since its nuggets were not found in runs; where
they were, the rule matched-nuggets-only leaves out those that these runs alone had said.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.editions import Edition
from tseval.core.family import Access, Lost
from tseval.errors import UsageError
from tseval.families.temporal.assessments import standing
from tseval.families.temporal.evaluation import TemporalEvaluation, read
from tseval.families.temporal.inputs import (
    TemporalInputs,
    TemporalOptions,
    TemporalTables,
    read_tables,
)
from tseval.families.temporal.rules import Rules
from tseval.records import frozen
from tseval.tables import Ids, Matches, Updates
from tseval.tables.keys import equal_rows, pair_keys

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, IntArray


@frozen(eq=False)
class Senders:
    """Who sent the updates that the rows of a table name: pairs of a row and a run's code."""

    row: IntArray
    run: IntArray
    rows: int

    @classmethod
    def of(cls, topic: Ids, update_id: Ids, tables: Sequence[Updates], run: IntArray) -> Senders:
        """Look the updates up in tables whose rows have these runs: under any of their ids."""
        rows, runs = [], []
        for table in tables:
            wanted = pair_keys(topic, update_id, table.topic, table.update_id)
            have = pair_keys(table.topic, table.update_id, table.topic, table.update_id)
            row, at = equal_rows(wanted, have)
            rows.append(row)
            runs.append(run[at])
        return cls(np.concatenate(rows), np.concatenate(runs), len(topic))

    def alone(self, chosen: BoolArray) -> BoolArray:
        """The rows whose updates were sent by some of the chosen runs, and by no others."""
        own = chosen[self.run]
        inside, outside = (np.bincount(self.row[part], minlength=self.rows) for part in (own, ~own))
        return np.asarray((inside > 0) & (outside == 0))


@frozen(eq=False)
class TemporalJudgments:
    """Tables that were read once, and who sent what is judged."""

    inputs: TemporalInputs
    options: TemporalOptions
    edition: Edition[Rules]
    rules: Mapping[str, str]
    access: Access
    tables: TemporalTables
    matches: Matches
    runs: list[str]
    of_matches: Senders
    of_pool: Senders | None

    def evaluation(self, tables: TemporalTables | None = None) -> TemporalEvaluation:
        """The runs with all judgments, or with those of other tables."""
        own = self.tables if tables is None else tables
        return read(self.inputs, self.options, self.edition, self.rules, self.access, own)

    def without(self, runs: Collection[str]) -> tuple[TemporalEvaluation, Lost]:
        """The runs, these too, without the judgments that these alone contributed."""
        chosen = np.array([run in runs for run in self.runs], bool)
        matches, pool = self.matches, self.tables.pool
        lost = self.of_matches.alone(chosen)
        if pool is not None and self.of_pool is not None:
            pool = pool.rows(~self.of_pool.alone(chosen))
        said = pair_keys(matches.topic, matches.nugget_id, matches.topic, matches.nugget_id)
        nuggets = len(np.unique(said)) - len(np.unique(said[~lost]))
        left = replace(self.tables, matches=matches.rows(~lost), pool=pool)
        return self.evaluation(left), Lost(len(matches), int(lost.sum()), nuggets)


def judgments(
    inputs: TemporalInputs,
    options: TemporalOptions,
    edition: Edition[Rules],
    rules: Mapping[str, str],
    access: Access,
) -> TemporalJudgments:
    """Read everything once; without matches of assessors it is a `UsageError`."""
    changed = edition.rules.changed(rules)
    needed = UsageError("leaving runs out needs the matches of assessors: give --matches FILE")
    if inputs.matches is None:
        raise needed
    tables = read_tables(inputs, changed, access)
    matches, pool = tables.matches, tables.pool
    if matches is None:
        raise needed
    updates = standing(tables.updates, pool, tables.duplicates, changed).updates
    sent, run = (tables.updates, updates), updates.run.codes
    return TemporalJudgments(
        inputs,
        options,
        edition,
        rules,
        access,
        tables,
        matches,
        updates.run.vocabulary(),
        Senders.of(matches.topic, matches.update_id, sent, run),
        None if pool is None else Senders.of(pool.topic, pool.update_id, sent, run),
    )
