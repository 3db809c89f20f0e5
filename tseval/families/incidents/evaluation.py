"""From inputs to what every measure of incident streams needs: runs beside what was judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tseval.core.editions import Edition
from tseval.core.family import Access, Column, Evaluation, Words, hashes
from tseval.core.measure import Measure
from tseval.core.over_runs import over_runs
from tseval.core.results import Result, Values
from tseval.core.scores import Scores
from tseval.core.taking import moments
from tseval.errors import UsageError
from tseval.families.incidents.caveats import caveats, check_met, check_names
from tseval.families.incidents.index import FAMILY, IncidentIndex
from tseval.families.incidents.ineffective_options import Choices, read_by, reads_of
from tseval.families.incidents.inputs import (
    IncidentInputs,
    IncidentOptions,
    IncidentTables,
    read_tables,
)
from tseval.families.incidents.ontologies import read_ontology
from tseval.families.incidents.rules import IncidentRules
from tseval.records import frozen
from tseval.tables import ABSENT
from tseval.tables.keys import earliest, latest

if TYPE_CHECKING:
    from tseval.core.batches import Batches
    from tseval.tables.columns import FloatArray, IntArray

EVENT_RULE = "types-of-event"
"""The rule that changes the values of events, and no value over all of them."""


@frozen(kw_only=True)
class IncidentEvaluation(Evaluation):
    """Runs and labels, ready for any measure; its edition has the rules that were asked for."""

    words: ClassVar[Words] = Words(
        "labelled posts",
        "event",
        "counted as posts that the run lacks",
        "left out",
        groups="information types",
        group_names=("Request-", "CallToAction-", "Report-", "Other-"),
    )

    edition: Edition[IncidentRules]
    streams: IncidentIndex
    tables: IncidentTables
    choices: Choices
    """What was asked for beside the edition's rules."""
    over_runs: bool
    """Whether the best, median and worst value over the runs are shown in their place."""
    ineffective: tuple[str, ...] = ()
    """What was asked for and changes nothing in the measures of a table."""

    @property
    def index(self) -> IncidentIndex:
        """Runs and labels side by side."""
        return self.streams

    @property
    def starts(self) -> FloatArray:
        """When each event starts: with its earliest judged post."""
        judged = self.index.judged
        if np.isnan(judged.time).any():
            raise UsageError("some labelled posts have no time, so no batch: give --epochs FILE")
        first = earliest(judged.event, judged.time, len(self.index.topics))
        return np.zeros_like(first) if any(each.is_relative for each in self.inputs) else first

    def take(self, measure: Measure, known: dict[Measure, Result]) -> Column:  # noqa: ARG002
        """A measure; at a time, over the posts made before it."""
        index, whole = self.index, measure.whole
        if measure.at is not None:
            if np.isnan(index.judged.time).any():
                raise UsageError(f"{measure}: some posts have no time: give --epochs FILE")
            index = index.between(None, moments(measure, self.starts))
        if "order" in reads_of(whole, index.rules):
            index.check_times()
        found = whole.definition.account(index, whole)
        end = np.full(index.units, np.inf)
        return Column(self.index, found.before(end), found.of_runs(end), found.groups)

    def check_asked(self, wanted: Sequence[Measure]) -> None:
        """Refuse a rule or a number that changes none of the measures, and levels nobody told."""
        self.choices.check_measures(wanted)

    def prepared_for(self, wanted: Sequence[Measure], *, per_topic: bool) -> IncidentEvaluation:
        """The same, knowing what changes nothing in these measures."""
        if EVENT_RULE in self.choices.asked and not per_topic:
            raise UsageError(
                f"rule {EVENT_RULE} changes the values of single events alone: give -q"
            )
        reads = read_by(wanted, self.index.rules)
        return replace(self, ineffective=tuple(self.choices.unread(reads)))

    def without_missing(self) -> IncidentEvaluation:
        """The same, where events that a run lacks are left out of what `all` is taken from."""
        return replace(self, streams=replace(self.streams, skip_absent=True))

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """What a reader of these measures should know."""
        in_order = "order" in read_by(wanted, self.index.rules)
        yield from caveats(self.tables, self.index, in_order=in_order)
        yield from self.ineffective

    def finished(self, scores: Scores) -> Scores:
        """The scores of the runs, or in their place the best, median and worst."""
        return over_runs(scores, FAMILY) if self.over_runs else scores

    # Batches hold the labelled posts that were made in them.

    @property
    def ends(self) -> FloatArray:
        """No event has an end of its own."""
        return np.full(len(self.index.topics), -np.inf)

    @property
    def latest(self) -> FloatArray:
        """The time of each event's last labelled post."""
        judged = self.index.judged
        return latest(judged.event, judged.time, len(self.index.topics))

    @property
    def sent(self) -> tuple[IntArray, FloatArray]:
        """The labelled posts that each run has: their unit and time."""
        index = self.index
        there = [reply.row != ABSENT for reply in index.replies]
        units = [run * len(index.topics) + index.judged.event[own] for run, own in enumerate(there)]
        return np.concatenate(units), np.concatenate([index.judged.time[own] for own in there])

    def in_batches(self, measure: Measure, batches: Batches) -> Values:
        """A measure of each (run, event) in each batch; undefined past an event's last.

        What a post's alert is worth depends on the false alerts before it, so it is worked out
        along the whole stream; a batch then takes the worth of its own posts.
        """
        index = self.index
        start = batches.start[: len(index.topics)]
        shape = (index.units, batches.most)
        value, defined = np.zeros(shape), np.zeros(shape, bool)
        for at in range(batches.most):
            part = index.between(start + at * batches.length, start + (at + 1) * batches.length)
            found = measure.definition.account(part, measure).before(np.zeros(index.units))
            value[:, at], defined[:, at] = found.value, found.defined
        defined &= batches.there
        return Values(np.where(defined, value, 0.0), defined)


def read(
    inputs: IncidentInputs,
    options: IncidentOptions,
    edition: Edition[IncidentRules],
    rules: Mapping[str, str],
    access: Access,
) -> IncidentEvaluation:
    """Read every input; a fault in any of them is an `InputError`.

    It is the reading of the runs that is shared.
    """
    base = edition.rules
    options.applied(base.changed(rules))  # wrong usage is told before any file is read
    if not inputs.runs:
        raise UsageError("no run is given: name at least one")
    access.check(inputs)
    ontology = read_ontology(inputs.ontology)
    options = options.named_in(ontology)
    applied = options.applied(base.changed(rules))
    tables = read_tables(inputs, ontology, options, applied, access)
    index = IncidentIndex.build(tables, applied)
    check_met(index)
    check_names(index)
    return IncidentEvaluation(
        edition=replace(edition, rules=applied),
        streams=index,
        tables=tables,
        choices=Choices(options.otherwise(rules, base), applied, tables),
        traits=_rule_traits(base, applied) | options.traits(applied) | hashes(tables.origins),
        over_runs=options.over_runs,
        group_names=index.ontology.types,
        inputs=tables.records(),
    )


OPEN_IN_THE_NOTE = ("logarithm", "order", "delta", "alert_posts", "repeated_labels")


def _rule_traits(base: IncidentRules, rules: IncidentRules) -> dict[str, str]:
    """The rules that are not the edition's, and those that no text settles."""
    named = {name.replace("_", "-"): getattr(rules, name) for name in OPEN_IN_THE_NOTE}
    return named | {"rules": rules.said(base, without=named)}
