"""From files to what every measure of incident streams needs: read, judged, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tseval.core.declared import input_tables
from tseval.core.editions import Edition
from tseval.core.family import Access, Column, Evaluation, Words, hashes
from tseval.core.measure import Measure
from tseval.core.over_runs import over_runs
from tseval.core.results import Result, Values
from tseval.core.scores import Scores
from tseval.core.taking import moments
from tseval.core.wording import listed
from tseval.errors import Fault, InputError, UsageError
from tseval.families.incidents.caveats import caveats
from tseval.families.incidents.index import FAMILY, IncidentIndex, JudgedPosts
from tseval.families.incidents.ineffective_options import check_measures, read_by, reads_of, unread
from tseval.families.incidents.labels import read_labels
from tseval.families.incidents.ontologies import read_ontology
from tseval.families.incidents.options import IncidentInputs, IncidentOptions, type_places
from tseval.families.incidents.rules import IncidentRules
from tseval.families.incidents.runs import RunReading, read_event_names, read_predictions
from tseval.families.incidents.tables import Labels, Ontology, Predictions, TypeNames
from tseval.files.epochs import read_epochs
from tseval.files.forms import Forms, check_forms, form_for, form_named
from tseval.files.frames import check_inputs
from tseval.files.inputs import Input
from tseval.parallel.runs import Spread
from tseval.tables import ABSENT, ALL_TOPICS, Ids
from tseval.tables.arrow import strings
from tseval.tables.epochs import snowflake_times
from tseval.tables.keys import last_row_of

if TYPE_CHECKING:
    from tseval.core.batches import Batches
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

EVENT_RULE = "types-of-event"
"""The rule that changes the values of events, and no value over all of them."""


@dataclass(frozen=True, kw_only=True)
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
    labels: Labels
    label_types: TypeNames
    run_types: TypeNames
    unscored: Mapping[str, int]
    """How many labels each event has that is none of the topics."""
    asked: Mapping[str, str]
    """What is not as the edition has it, as `IncidentOptions.otherwise` tells it."""
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
        first = np.full(len(self.index.topics), np.inf)
        np.minimum.at(first, judged.event, judged.time)
        return first

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

    def settled(self, wanted: list[Measure]) -> list[Measure]:
        """The measures; a rule or a number that changes none of them is refused."""
        check_measures(self, wanted)
        return wanted

    def prepared_for(self, wanted: Sequence[Measure], *, per_topic: bool) -> IncidentEvaluation:
        """The same, knowing what changes nothing in these measures."""
        if EVENT_RULE in self.asked and not per_topic:
            raise UsageError(
                f"rule {EVENT_RULE} changes the values of single events alone: give -q"
            )
        reads = read_by(wanted, self.index.rules)
        return replace(self, ineffective=tuple(unread(self, reads)))

    def without_missing(self) -> IncidentEvaluation:
        """The same, where events that a run lacks are left out of what `all` is taken from."""
        return replace(self, streams=replace(self.streams, skip_absent=True))

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """What a reader of these measures should know."""
        yield from caveats(self, in_order="order" in read_by(wanted, self.index.rules))
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
        latest = np.full(len(self.index.topics), -np.inf)
        np.maximum.at(latest, judged.event, judged.time)
        return latest

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
    helpers = [path for path in (inputs.topics, inputs.epochs) if path is not None]
    check_inputs([*inputs.runs, *inputs.all_labels, inputs.ontology, *helpers])
    form = partial(_form, access.forms)
    ontology = read_ontology(inputs.ontology)
    options = options.named_in(ontology)
    applied = options.applied(base.changed(rules))
    renamed = applied.type_names == "renamed"
    for_labels, for_runs = TypeNames(ontology, renamed), TypeNames(ontology, renamed)
    labels = read_labels(inputs.all_labels, for_labels, form("labels"))
    reading = RunReading(for_runs, applied.emitted_from, form("run"))
    runs = read_predictions(inputs.runs, reading, Spread(access.sharing))
    topics = None if inputs.topics is None else read_event_names(inputs.topics)
    names = None if topics is None else topics.names
    ontology, labels, runs = _scored_types(ontology, labels, runs, applied, options.entries)
    labels, unscored = _scored_events(labels, names, applied)
    epochs = None if inputs.epochs is None else read_epochs(inputs.epochs, form("epochs"))
    time = _times(labels, runs, None if epochs is None else epochs.times_of(labels.post_id))
    index = _index(ontology, labels, runs, time, names or {}, applied)
    _check_met(index)
    _check_names(index)
    known = {"topics": topics, "epochs": epochs}
    named = {name: table.origin for name, table in known.items() if table is not None}
    helping = {name: origin for name, origin in named.items() if origin is not None}
    origins = {"ontology": ontology.origin, "labels": labels.origin}
    in_order = [runs.origin, labels.origin, ontology.origin, *helping.values()]
    return IncidentEvaluation(
        edition=replace(edition, rules=applied),
        streams=index,
        labels=labels,
        label_types=for_labels,
        run_types=for_runs,
        unscored=unscored,
        traits=_rule_traits(base, applied) | options.traits(applied) | hashes(origins | helping),
        asked=options.otherwise(rules, base),
        over_runs=options.over_runs,
        group_names=index.ontology.types,
        inputs=tuple(source for origin in in_order for source in origin.sources),
    )


def _form(forms: Forms, name: str) -> str | None:
    """The format of one of the inputs; None leaves it to its content.

    One for all is that of runs and labels: epochs have forms of their own.
    """
    check_forms(forms, input_tables(IncidentInputs))
    return (form_for if name in ("run", "labels") else form_named)(forms, name)


OPEN_IN_THE_NOTE = ("logarithm", "order", "delta", "alert_posts", "repeated_labels")


def _rule_traits(base: IncidentRules, rules: IncidentRules) -> dict[str, str]:
    """The rules that are not the edition's, and those that no text settles."""
    changed = rules.differences(base)
    named = {name.replace("_", "-"): getattr(rules, name) for name in OPEN_IN_THE_NOTE}
    traits = {"rules": ",".join(f"{n}={v}" for n, v in changed.items() if n not in named)}
    return {name: value for name, value in (named | traits).items() if value}


def _scored_types(
    ontology: Ontology,
    labels: Labels,
    runs: Predictions,
    rules: IncidentRules,
    entries: Sequence[str],
) -> tuple[Ontology, Labels, Predictions]:
    """Types with their ancestors, if the rules say so; then those alone that are scored."""
    if rules.ancestors == "rolled-up":
        if all(parent == ABSENT for parent in ontology.parent):
            raise UsageError("no type of the ontology has a parent: there is nothing to roll up")
        rolled = ontology.with_ancestors(labels.types)
        # A post that has a type has its ancestors: so far it was judged for them too.
        asked = None if labels.asked is None else labels.asked | rolled
        labels = replace(labels, types=rolled, asked=asked)
        runs = replace(runs, types=ontology.with_ancestors(runs.types))
    if not entries:
        return ontology, labels, runs
    kept = sorted(set(type_places(ontology, entries)))
    few = replace(
        ontology,
        types=tuple(ontology.types[at] for at in kept),
        parent=tuple(ABSENT for _ in kept),
    )
    return (
        few,
        replace(
            labels,
            types=labels.types[:, kept],
            asked=None if labels.asked is None else labels.asked[:, kept],
        ),
        replace(runs, types=runs.types[:, kept]),
    )


def _scored_events(
    labels: Labels, names: Mapping[str, str] | None, rules: IncidentRules
) -> tuple[Labels, dict[str, int]]:
    """The labels of the topics, with the parts of events under one name; and what is left out."""
    whole = [_without_part(name, rules.parts) for name in labels.event.vocabulary()]
    if names is not None:
        whole = [names.get(name, name) for name in whole]
    coded = Ids.of(strings(whole))
    labels = replace(labels, event=Ids(coded.codes[labels.event.codes], coded.names))
    if names is None:
        return labels, {}
    known = set(names.values())
    scored = np.array([name in known for name in labels.event.vocabulary()])[labels.event.codes]
    left, number = np.unique(labels.event.codes[~scored], return_counts=True)
    unscored = dict(zip(labels.event.take_names(left), number.tolist(), strict=True))
    if not scored.any():
        raise UsageError("no label is of an event of the topics: give the topics of these labels")
    return labels.rows(scored), unscored


def _without_part(name: str, parts: Sequence[str]) -> str:
    """The name of an event without the ending that tells which part of it was labelled.

    The track's events end with their year. An ending that follows no digit is the name's own, or
    events such as `A` and `B`, or `HAVANA` and `HAVANB`, would be one.
    """
    for part in parts:
        whole = name.removesuffix(part)
        if whole != name and whole[-1:].isdecimal():
            return whole
    return name


def _times(labels: Labels, runs: Predictions, given: FloatArray | None) -> FloatArray:
    """When each labelled post was made: by the epochs, the labels, the runs, or by its id."""
    if given is not None:
        return given
    if labels.time is not None:
        return labels.time
    if runs.time is not None:
        row = last_row_of(labels.post_id.within(runs.post_id.names), runs.post_id.codes)
        return np.append(runs.time, np.nan)[row]
    return snowflake_times(labels.post_id)


def _index(
    ontology: Ontology,
    labels: Labels,
    runs: Predictions,
    time: FloatArray,
    names: Mapping[str, str],
    rules: IncidentRules,
) -> IncidentIndex:
    judged, events = _judged(labels, time, rules)
    place = {event: at for at, event in enumerate(events)}
    line_event = [place.get(names.get(n, n), ABSENT) for n in runs.event.vocabulary()]
    return IncidentIndex(
        runs=tuple(runs.run.vocabulary()),
        topics=events,
        ontology=ontology,
        rules=rules,
        judged=judged,
        predictions=runs,
        line_event=_at(np.array(line_event, np.int64), runs.event.codes),
        line_post=runs.post_id.within(labels.post_id.names),
    )


def _at(values: IntArray, codes: IntArray) -> IntArray:
    return values[codes] if len(codes) else codes


def _judged(
    labels: Labels, time: FloatArray, rules: IncidentRules
) -> tuple[JudgedPosts, tuple[str, ...]]:
    """What the labels say, with the rules for posts that have several; and the events' names."""
    codes, first = np.unique(labels.event.codes, return_index=True)
    codes = codes[np.argsort(first)]
    place = np.full(len(labels.event.names), ABSENT)
    place[codes] = np.arange(len(codes))
    event, post = place[labels.event.codes], labels.post_id.codes
    if rules.two_events == "first":
        event = event[_first_rows(post)]
    key = post if rules.join == "post" else event * (int(post.max(initial=0)) + 1) + post
    types, level, asked = labels.types, labels.level, labels.asked
    if rules.type_posts == "all":
        asked = None
    if rules.repeated_labels == "entries":
        last = last_row_of(key, key)
        rows, types, level = np.arange(len(labels)), types[last], level[last]
        asked = None if asked is None else asked[last]
    else:
        asked = None if asked is None else _united(key, asked, level)[1]
        rows, types, level = _united(key, types, level)
    return (
        JudgedPosts(
            event=event[rows],
            post=post[rows],
            types=types,
            level=level,
            own_level=labels.level if rules.repeated_labels == "entries" else level,
            time=time[rows],
            order=_sorted_place(labels.post_id)[rows],
            asked=asked,
        ),
        tuple(labels.event.take_names(codes)),
    )


def _first_rows(key: IntArray) -> IntArray:
    """For each row the first row with the same key."""
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return first[place]


def _united(
    key: IntArray, types: BoolArray, level: IntArray
) -> tuple[IntArray, BoolArray, IntArray]:
    """The first row of each key, in their order, with all types and the highest level of it."""
    first = _first_rows(key)
    rows = np.unique(first)
    place = np.searchsorted(rows, first)
    every = np.zeros((len(rows), types.shape[1]), bool)
    np.logical_or.at(every, place, types)
    highest = np.zeros(len(rows), np.int64)
    np.maximum.at(highest, place, level)
    return rows, every, highest


def _sorted_place(ids: Ids) -> IntArray:
    """The place of each row's name among all, sorted."""
    order = np.argsort(np.array(ids.vocabulary()))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place[ids.codes]


def _check_names(index: IncidentIndex) -> None:
    """Events, types and the mean stand in one column of every output."""
    if ALL_TOPICS in index.topics:
        raise UsageError(f"an event cannot be called '{ALL_TOPICS}', the name of the mean")
    for name in index.topics:
        if name in index.ontology.types:
            raise UsageError(f"'{name}' is both an event and a type: call one of them otherwise")


def _check_met(index: IncidentIndex) -> None:
    """A run that has lines, but none that speaks of a labelled post, is likely a wrong file."""
    for name, reply in zip(index.runs, index.replies, strict=True):
        if len(reply.lines) and (reply.row == ABSENT).all():
            row = int(reply.lines[0])
            said = index.predictions
            event = said.event[row]
            reason = (
                f'no line of run "{name}" speaks of a labelled post: here post '
                f'"{said.post_id[row]}" of event "{event}", in the labels '
                f"{listed(list(index.topics))}"
            )
            cure = (
                "give the labels of the posts that the run speaks of, by the same ids"
                if event in index.topics
                else "runs call events as the labels do, or by the numbers that the track's file "
                "of topics gives them (--topics FILE)"
            )
            raise _quoted(said.origin.fault(row, reason, cure))


def _quoted(fault: Fault) -> InputError:
    """A fault as an error, with the text of its line where that can be read again."""
    source = Input(fault.file)
    if fault.unit != "line" or not source.can_be_read_again:
        return InputError([fault])
    lines = source.lines({fault.line or 0})
    return InputError([replace(fault, text=lines.get(fault.line or 0, ""))])
