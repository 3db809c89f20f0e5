"""Measures of incident streams batch by batch, for the lines that `tseval.core.trends` draws.

A batch holds the labelled posts that were made in it. What a post's alert is worth depends on the
false alerts before it, so it is worked out along the whole stream; a batch then takes the worth of
its own posts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.batches import Batches
from tseval.core.measure import Measure
from tseval.core.results import Values
from tseval.errors import UsageError
from tseval.families.incidents.evaluation import IncidentEvaluation
from tseval.tables import ABSENT
from tseval.tables.units import Units

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray


@dataclass(frozen=True)
class IncidentStream:
    """An evaluation whose events are cut into batches."""

    evaluation: IncidentEvaluation

    @property
    def index(self) -> Units:
        """The runs, and the events in the place of topics."""
        return Units(self.evaluation.index.runs, self.evaluation.index.events)

    @property
    def starts(self) -> FloatArray:
        """When each event starts: with its earliest labelled post."""
        if np.isnan(self.evaluation.index.judged.time).any():
            raise UsageError("some labelled posts have no time, so no batch: give --epochs FILE")
        return self.evaluation.starts

    @property
    def ends(self) -> FloatArray:
        """No event has an end of its own."""
        return np.full(len(self.evaluation.index.events), -np.inf)

    @property
    def latest(self) -> FloatArray:
        """The time of each event's last labelled post."""
        judged = self.evaluation.index.judged
        latest = np.full(len(self.evaluation.index.events), -np.inf)
        np.maximum.at(latest, judged.event, judged.time)
        return latest

    @cached_property
    def sent(self) -> tuple[IntArray, FloatArray]:
        """The labelled posts that each run has: their unit and time."""
        index = self.evaluation.index
        units, times = [], []
        for run, reply in enumerate(index.replies):
            there = reply.row != ABSENT
            units.append(run * len(index.events) + index.judged.event[there])
            times.append(index.judged.time[there])
        return np.concatenate(units), np.concatenate(times)

    def signature(self, **more: str) -> str:
        """One line that names all that can change a number."""
        return self.evaluation.signature(**more)

    def in_batches(self, measure: Measure, batches: Batches) -> Values:
        """A measure of each (run, event) in each batch; undefined past an event's last."""
        index = self.evaluation.index
        events = len(index.events)
        start = batches.start[:events]
        shape = (len(index.runs) * events, batches.most)
        value, defined = np.zeros(shape), np.zeros(shape, bool)
        for at in range(batches.most):
            part = index.between(start + at * batches.length, start + (at + 1) * batches.length)
            found = measure.definition.account(part, measure).before(np.zeros(0))
            value[:, at] = found.value.ravel()
            defined[:, at] = found.defined.ravel()
        defined &= batches.there
        return Values(np.where(defined, value, 0.0), defined)
