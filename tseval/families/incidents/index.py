"""What every measure of incident streams is made of: labels and runs side by side.

`IncidentIndex` puts each run's lines beside the labels, by the rules of an edition; events are its
topics. A measure answers with its value in each event, over all, and, where it has such, for each
information type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from tseval.core.measure import Measure, Parameter
from tseval.core.results import Groups, Taken, Values
from tseval.errors import MeasureError, UsageError
from tseval.families.incidents.judged_posts import JudgedPosts, judged_posts
from tseval.families.incidents.rules import IncidentRules
from tseval.families.incidents.tables import Ontology, Predictions
from tseval.records import frozen
from tseval.tables.keys import last_row_of, rows_by_code
from tseval.tables.names import ABSENT
from tseval.tables.units import Units

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tseval.core.measure import Argument
    from tseval.families.incidents.inputs import IncidentTables
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

Made = TypeVar("Made")
FAMILY = "incidents"
NOTE = "McCreadie, TREC-IS V2 Metrics, May 2019"
PAGE_2018 = "TREC Incident Streams: evaluation (page of the track), 2018"
NOTEBOOK_2018 = "TREC Incident Streams: evaluation notebook, 2018"
ACTIONABLE = Parameter("actionable", "over the types that call for action alone", "", flag=True)
OTHER = Parameter("other", "over the other types alone", "", flag=True)
GROUPS = (ACTIONABLE, OTHER)
IRRELEVANT, UNSORTED = "Other-Irrelevant", "Other-Unknown"
"""The types that say a post is of no use."""


def one_group(arguments: Mapping[str, Argument]) -> None:
    """Types are either actionable or not."""
    if len(arguments) > 1:
        raise MeasureError("choose (actionable) or (other), not both")


def taken(
    events: Values,
    overall: Values,
    types: Values | None = None,
    members: BoolArray | None = None,
) -> Taken:
    """A measure: its values by (run, event), of each run over all, and by (run, type).

    `members` are the types that the measure is about, where it has values of types.
    """
    units = Values(events.value.ravel(), events.defined.ravel())
    groups = None if types is None or members is None else Groups(types, members)
    return Taken(units, overall, groups)


@frozen
class Reply:
    """What one run said of each judged post."""

    row: IntArray
    """The run's line; `ABSENT` where it has none."""
    types: BoolArray
    scaled: FloatArray
    """Its priority, scaled by the rules."""
    chosen: BoolArray
    """Which judged posts count."""
    lines: IntArray
    """Every line of the run, in the order of the file."""
    line: IntArray
    """The place of `row` among these lines; `ABSENT` where the run has none."""
    line_scaled: FloatArray
    """The scaled priority of each of these lines."""
    line_alert: BoolArray
    """Which of these lines are alerts."""
    judged_by_line: IntArray
    """The judged post of each of these lines; `ABSENT` for a post that nobody labelled."""


@frozen
class IncidentIndex(Units):
    """Runs and labels side by side; the topics are the events, in the order of the labels."""

    ontology: Ontology
    rules: IncidentRules
    judged: JudgedPosts
    predictions: Predictions
    line_event: IntArray
    """The event of each line of the runs; `ABSENT` where nobody judged it."""
    line_post: IntArray
    """The post of each line of the runs, numbered as the judged ones; `ABSENT` for others."""
    since: FloatArray | None = None
    """Per event the time from which on posts count; None for all."""
    until: FloatArray | None = None
    """Per event the time before which they do."""
    skip_absent: bool = False
    """Leave out the events of which a run has no line."""

    @classmethod
    def build(cls, tables: IncidentTables, rules: IncidentRules) -> IncidentIndex:
        """Runs beside labels; a run may call an event as the topics say."""
        runs, names = tables.runs, tables.names
        judged, events = judged_posts(tables.labels, tables.times, rules)
        place = {event: at for at, event in enumerate(events)}
        line_event = [place.get(names.get(n, n), ABSENT) for n in runs.event.vocabulary()]
        of_line = np.array(line_event, np.int64)
        return cls(
            runs=tuple(runs.run.vocabulary()),
            topics=events,
            ontology=tables.ontology,
            rules=rules,
            judged=judged,
            predictions=runs,
            line_event=of_line[runs.event.codes] if len(runs.event.codes) else runs.event.codes,
            line_post=runs.post_id.within(tables.labels.post_id.names),
        )

    @cached_property
    def groups(self) -> BoolArray:
        """Which types call for action."""
        return self.ontology.chosen(
            self.rules.actionable, renamed=self.rules.type_names == "renamed"
        )

    def counts(self, said: BoolArray) -> FloatArray:
        """Of how many judged posts of each event this is said."""
        number = np.bincount(self.judged.event[said], minlength=len(self.topics))
        return number.astype(np.float64)

    @cached_property
    def _made(self) -> dict[Any, Any]:
        return {}

    @cached_property
    def _run_rows(self) -> list[IntArray]:
        """The lines of each run."""
        codes = self.predictions.run.codes
        names = {name: at for at, name in enumerate(self.runs)}
        place = np.array([names.get(n, ABSENT) for n in self.predictions.run.vocabulary()])
        run = place[codes] if len(codes) else codes
        order = np.argsort(run, kind="stable")
        ends = np.searchsorted(run[order], np.arange(len(self.runs) + 1))
        return [order[a:b] for a, b in pairwise(ends)]

    @cached_property
    def _judged_keys(self) -> IntArray:
        return self._keys(self.judged.event, self.judged.post)

    def _keys(self, event: IntArray, post: IntArray) -> IntArray:
        """One number for what a line speaks of; `ABSENT` where that is unknown."""
        if self.rules.join == "post":
            return post
        size = int(self.judged.post.max(initial=0)) + 1
        return np.where((event == ABSENT) | (post == ABSENT), ABSENT, event * size + post)

    def once(self, make: Callable[[IncidentIndex], Made]) -> Made:
        """What a function makes of this index; made when it is first asked for, then kept."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast("Made", self._made[make])

    @cached_property
    def replies(self) -> list[Reply]:
        """What each run said, run by run."""
        return [self._reply(run) for run in range(len(self.runs))]

    def between(self, since: FloatArray | None, until: FloatArray | None) -> IncidentIndex:
        """The same, where only posts made from one time on and before another count.

        What the runs said stays as it is: the false alerts before a post are counted as ever.
        """
        part = replace(self, since=since, until=until)
        replies = [replace(each, chosen=part._chosen(each.row)) for each in self.replies]
        part.__dict__["replies"] = replies  # what `cached_property` would keep there
        return part

    @cached_property
    def present(self) -> BoolArray:
        """Which (run, event) have a line of any judged post."""
        there = np.zeros((len(self.runs), len(self.topics)), bool)
        for run, reply in enumerate(self.replies):
            there[run, self.judged.event[reply.row != ABSENT]] = True
        return there

    def check_times(self) -> None:
        """Within an event all posts of the runs must have a time, or none: then the lines tell.

        Where the rules take posts as they were made, whatever depends on their order needs that.
        """
        if self.rules.order != "time":
            return
        unknown = np.isnan(self.judged.time)
        events = np.where(self.met, self.judged.event, ABSENT)
        for event, own in rows_by_code(events).items():
            name = self.topics[event]
            if unknown[own].any() and not unknown[own].all():
                raise UsageError(
                    f"some posts of event {name} have a time and others have none: give --epochs "
                    "FILE, or choose --order rank or --order file"
                )

    @property
    def met(self) -> BoolArray:
        """The judged posts that any run has."""
        there = [reply.row != ABSENT for reply in self.replies]
        return np.logical_or.reduce(there) if there else np.zeros(len(self.judged), bool)

    def _reply(self, run: int) -> Reply:
        """What a run said: where it has a post twice, its last line counts."""
        lines = self._run_rows[run]
        keys = self._keys(self.line_event[lines], self.line_post[lines])
        last = last_row_of(self._judged_keys, keys)
        absent = last == ABSENT
        row = np.where(absent, ABSENT, lines[last] if len(lines) else ABSENT)
        types = self.predictions.types[row] if len(lines) else np.zeros_like(self.judged.types)
        types[absent] = False
        scaled, alerting = self._priorities(self.predictions.priority[lines])
        return Reply(
            row=row,
            types=types,
            scaled=np.append(scaled, self.rules.absent_priority)[last],
            chosen=self._chosen(row),
            lines=lines,
            line=last,
            line_scaled=scaled,
            line_alert=alerting >= self.rules.alert_from,
            judged_by_line=last_row_of(keys, self._judged_keys),
        )

    def _chosen(self, row: IntArray) -> BoolArray:
        judged, chosen = self.judged, np.ones(len(self.judged), bool)
        if self.since is not None:
            chosen &= judged.time >= self.since[judged.event]
        if self.until is not None:
            chosen &= judged.time < self.until[judged.event]
        if self.skip_absent:
            there = np.zeros(len(self.topics), bool)
            there[judged.event[row != ABSENT]] = True
            chosen &= there[judged.event]
        return chosen

    def _priorities(self, raw: FloatArray) -> tuple[FloatArray, FloatArray]:
        """A run's priorities as scaled by the rules, and as they decide on alerts."""
        known = raw[~np.isnan(raw)]
        low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
        mode = self.rules.normalise
        scaled = raw
        if mode == "always" or (mode == "auto" and (low < 0 or high > 1)):
            scaled = (raw - low) / (high - low) if high > low else np.zeros_like(raw)
        if self.rules.scale_bottom == "clipped":
            scaled = np.clip(scaled, self.rules.absent_priority, 1.0)
        alerting = raw if self.rules.alert_priority == "raw" else scaled
        missing = self.rules.absent_priority
        return _filled(scaled, missing), _filled(alerting, missing)

    # Means over types.

    def members(self, measure: Measure) -> BoolArray:
        """The types that a measure is about."""
        if measure.has(ACTIONABLE.name):
            return self.groups
        return ~self.groups if measure.has(OTHER.name) else np.ones(len(self.ontology), bool)

    def divisor(self, measure: Measure) -> int:
        """How many types a mean is divided by."""
        if measure.has(ACTIONABLE.name) and self.rules.actionable_mean == "named":
            return len(self.rules.actionable)
        return int(self.members(measure).sum())


def _filled(values: FloatArray, missing: float) -> FloatArray:
    """The values, with `missing` where there is none."""
    return np.where(np.isnan(values), missing, values)


def mean_of_types(values: FloatArray, divisor: int) -> Values:
    """The mean along the last axis, added up one by one as the scripts do."""
    total = np.cumsum(values, axis=-1)[..., -1] if values.shape[-1] else np.zeros(values.shape[:-1])
    defined = np.full(total.shape, divisor > 0)
    return Values(total / max(divisor, 1), defined)


def mean_of_defined(values: Values) -> Values:
    """The mean along the last axis over what is defined."""
    number = values.defined.sum(axis=-1)
    total = np.where(values.defined, values.value, 0.0).sum(axis=-1)
    return Values(total / np.maximum(number, 1), number > 0)


def share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """A quotient; 0 where it would be 0/0."""
    return np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=whole > 0)


def added_up(amount: FloatArray, group: IntArray, groups: int) -> FloatArray:
    """The sum of the amounts of each group."""
    return np.bincount(group, amount, minlength=groups).astype(np.float64)


def stacked(parts: Sequence[FloatArray], shape: tuple[int, ...]) -> FloatArray:
    """One array of all runs, each of this shape; there may be no run."""
    return np.stack(parts) if parts else np.zeros((0, *shape))
