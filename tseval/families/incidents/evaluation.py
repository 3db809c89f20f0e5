"""From files to what every measure of incident streams needs: read, judged, side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tseval.core.editions import Edition
from tseval.core.family import SHORT_HASH
from tseval.core.registry import edition
from tseval.core.wording import listed
from tseval.errors import Fault, InputError, UsageError
from tseval.families.clusters.files import epoch_clock, read_epochs, snowflake_clock
from tseval.families.incidents.index import FAMILY, IncidentIndex, JudgedPosts
from tseval.families.incidents.labels import read_labels
from tseval.families.incidents.ontologies import read_ontology
from tseval.families.incidents.rules import IncidentRules
from tseval.families.incidents.runs import RunReading, read_event_names, read_predictions
from tseval.families.incidents.tables import Labels, Ontology, Predictions, TypeNames
from tseval.files.forms import Forms, check_forms, form_for, form_named
from tseval.files.frames import check_inputs
from tseval.files.inputs import Input
from tseval.parallel.runs import Spread
from tseval.parallel.sharing import ALONE, Sharing
from tseval.tables import ABSENT, ALL_TOPICS, Ids, InputRecord
from tseval.tables.arrow import strings
from tseval.tables.keys import last_row_of
from tseval.tables.times import written
from tseval.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

    from tseval.families.clusters.tables import Epochs
    from tseval.families.incidents.runs import EventNames
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

    Given: TypeAlias = str | Path | pd.DataFrame


INPUTS = ("run", "labels", "epochs")
"""What the inputs are called that may have more than one format."""


@dataclass(frozen=True)
class IncidentSources:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given]
    labels: Sequence[Given]
    """One or more files, in the order in which they count."""
    ontology: str | Path
    topics: str | None = None
    """The track's file of topics: which events are scored, and the numbers that runs may use."""
    epochs: str | Path | None = None
    form: Forms = None
    """The format of runs and labels, or of each of `INPUTS`, where it is not to be recognised."""

    def form_of(self, name: str) -> str | None:
        """The format of one of `INPUTS`; None leaves it to its content."""
        check_forms(self.form, INPUTS)
        return (form_for if name in INPUTS[:2] else form_named)(self.form, name)


@dataclass(frozen=True)
class Choices:
    """What is asked for beside the edition's rules; None and nothing leave them as they are."""

    rules: Mapping[str, str] = field(default_factory=dict)
    actionable: Sequence[str] = ()
    threshold: float | None = None
    flat_gain: float | None = None
    actionable_weight: float | None = None
    entries: Sequence[str] = ()
    """The types that are scored, of those of the ontology; all if none is named."""
    seed: int = 0

    def applied(self, rules: IncidentRules) -> IncidentRules:
        """The rules with these in the place of some; a number that makes no sense is refused."""
        self._check(rules)
        changed: dict[str, object] = {
            rules.threshold: self.threshold,
            "seed": self.seed,
            "flat_gain": self.flat_gain,
            "actionable_weight": self.actionable_weight,
            "actionable": tuple(self.actionable) or None,
        }
        given = {name: value for name, value in changed.items() if value is not None}
        return replace(rules.changed(self.rules), **given)  # type: ignore[arg-type]

    @property
    def _numbers(self) -> dict[str, float | None]:
        """The numbers that may be asked for."""
        return {
            "threshold": self.threshold,
            "alpha": self.flat_gain,
            "lambda": self.actionable_weight,
        }

    def _check(self, rules: IncidentRules) -> None:
        """Numbers that would make no sense of a priority or of a worth are refused."""
        for name, value in self._numbers.items():
            of_confidence = name == "threshold" and rules.threshold != IncidentRules.threshold
            if value is None or 0 <= value <= 1:
                continue
            if not of_confidence:
                raise UsageError(f"{name} cannot be {value:g}: give a number from 0 to 1")
            if not math.isfinite(value):
                raise UsageError(f"{name} cannot be {value:g}: give a finite number")

    def named_in(self, ontology: Ontology) -> Choices:
        """The same with the types by their full names, each once."""
        actionable, entries = (
            tuple(ontology.types[at] for at in dict.fromkeys(type_places(ontology, names)))
            for names in (self.actionable, self.entries)
        )
        return replace(self, actionable=actionable, entries=entries)

    def asked(self, base: IncidentRules) -> dict[str, str]:
        """What becomes other than the edition has it, by the names under which measures read it.

        With each stands what it is called where it is asked for.
        """
        names = {base.threshold: "threshold", "flat_gain": "alpha", "actionable_weight": "lambda"}
        names |= {"actionable": "actionable"}
        names |= {name.replace("-", "_"): f"rule {name}" for name in self.rules}
        applied = self.applied(base)
        asked = {
            name.replace("_", "-"): called
            for name, called in names.items()
            if getattr(applied, name) != getattr(base, name)
        }
        return asked | ({"entries": "entries"} if self.entries else {})

    def traits(self) -> dict[str, str]:
        """The parts of the signature that these make."""
        names = {"actionable": self.actionable, "entries": self.entries}
        traits = {
            name: written(value) for name, value in self._numbers.items() if value is not None
        }
        traits |= {"seed": str(self.seed)} if self.rules.get("ties") == "shuffled" else {}
        return traits | {name: ",".join(value) for name, value in names.items() if value}


@dataclass(frozen=True)
class IncidentEvaluation:
    """Runs and labels, ready for any measure."""

    edition: Edition[IncidentRules]
    index: IncidentIndex
    labels: Labels
    label_types: TypeNames
    run_types: TypeNames
    unscored: Mapping[str, int]
    """How many labels each event has that is none of the topics."""
    traits: Mapping[str, str]
    asked: Mapping[str, str]
    """What was asked for and is not as the edition has it, as `Choices.asked` tells it."""
    inputs: tuple[InputRecord, ...]

    @property
    def starts(self) -> FloatArray:
        """When each event starts: with its earliest judged post."""
        first = np.full(len(self.index.events), np.inf)
        np.minimum.at(first, self.index.judged.event, self.index.judged.time)
        return first

    def signature(self, **more: str) -> str:
        """One line that names all that can change a number."""
        parts = {"tseval": VERSION, "edition": self.edition.name} | dict(self.traits) | more
        return "|".join(f"{name}:{value}" for name, value in parts.items())


def read(
    sources: IncidentSources,
    edition_name: str = "note",
    choices: Choices | None = None,
    sharing: Sharing = ALONE,
) -> IncidentEvaluation:
    """Read every input; a fault in any of them is an `InputError`.

    It is the reading of the runs that is shared.
    """
    chosen = edition(edition_name, FAMILY)
    base = chosen.rules
    (choices or Choices()).applied(base)  # wrong usage is told before any file is read
    if not sources.runs:
        raise UsageError("no run is given: name at least one")
    helpers = [path for path in (sources.topics, sources.epochs) if path is not None]
    check_inputs([*sources.runs, *sources.labels, sources.ontology, *helpers])
    ontology = read_ontology(sources.ontology)
    choices = (choices or Choices()).named_in(ontology)
    rules = choices.applied(base)
    renamed = rules.type_names == "renamed"
    for_labels, for_runs = TypeNames(ontology, renamed), TypeNames(ontology, renamed)
    labels = read_labels(sources.labels, for_labels, sources.form_of("labels"))
    reading = RunReading(for_runs, rules.emitted_from, sources.form_of("run"))
    runs = read_predictions(sources.runs, reading, Spread(sharing))
    topics = None if sources.topics is None else read_event_names(sources.topics)
    names = None if topics is None else topics.names
    ontology, labels, runs = _scored_types(ontology, labels, runs, rules, choices.entries)
    labels, unscored = _scored_events(labels, names, rules)
    epochs = (
        None if sources.epochs is None else read_epochs(sources.epochs, sources.form_of("epochs"))
    )
    time = _times(labels, runs, None if epochs is None else epoch_clock(epochs)(labels.post_id))
    index = _index(ontology, labels, runs, time, names or {}, rules)
    _check_met(index)
    _check_names(index)
    origins = {"ontology": ontology.origin.sources, "labels": labels.origin.sources}
    helping = _helping(topics, epochs)
    return IncidentEvaluation(
        edition=replace(chosen, rules=rules),
        index=index,
        labels=labels,
        label_types=for_labels,
        run_types=for_runs,
        unscored=unscored,
        traits=_rule_traits(base, rules) | choices.traits() | _hashes(origins | helping),
        asked=choices.asked(base),
        inputs=(
            *runs.origin.sources,
            *labels.origin.sources,
            *ontology.origin.sources,
            *(source for several in helping.values() for source in several),
        ),
    )


def _helping(topics: EventNames | None, epochs: Epochs | None) -> dict[str, Sequence[InputRecord]]:
    """The files beside runs, labels and ontology that can change a number."""
    helping: dict[str, Sequence[InputRecord]] = {}
    if topics is not None:
        helping["topics"] = (topics.source,)
    if epochs is not None and epochs.origin is not None:
        helping["epochs"] = epochs.origin.sources
    return helping


OPEN_IN_THE_NOTE = ("logarithm", "order", "delta", "alert_posts", "repeated_labels")


def _rule_traits(base: IncidentRules, rules: IncidentRules) -> dict[str, str]:
    """The rules that are not the edition's, and those that no text settles."""
    changed = rules.differences(base)
    named = {name.replace("_", "-"): getattr(rules, name) for name in OPEN_IN_THE_NOTE}
    traits = {"rules": ",".join(f"{n}={v}" for n, v in changed.items() if n not in named)}
    return {name: value for name, value in (named | traits).items() if value}


def _hashes(sources: Mapping[str, Sequence[InputRecord]]) -> dict[str, str]:
    return {
        name: ",".join(f"sha256:{each.sha256[:SHORT_HASH]}" for each in several)
        for name, several in sources.items()
    }


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


def type_places(ontology: Ontology, names: Sequence[str]) -> list[int]:
    """Where types that were asked for stand; an unknown one is a `UsageError`."""
    places = [ontology.place(name, renamed=False) for name in names]
    for name, at in zip(names, places, strict=True):
        if at == ABSENT:
            known = ", ".join(ontology.types)
            raise UsageError(f"'{name}' is no type of the ontology, which has: {known}")
    return places


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
    return snowflake_clock(labels.post_id)


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
        events=events,
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


def check_times(index: IncidentIndex) -> None:
    """Within an event all posts of the runs must have a time, or none: then the lines tell.

    Where the rules take posts as they were made, whatever depends on their order needs that.
    """
    if index.rules.order != "time":
        return
    judged = index.judged
    unknown = np.isnan(judged.time)
    for event, name in enumerate(index.events):
        own = (judged.event == event) & index.met
        if unknown[own].any() and not unknown[own].all():
            raise UsageError(
                f"some posts of event {name} have a time and others have none: give --epochs FILE, "
                "or choose --order rank or --order file"
            )


def _check_names(index: IncidentIndex) -> None:
    """Events, types and the mean stand in one column of every output."""
    if ALL_TOPICS in index.events:
        raise UsageError(f"an event cannot be called '{ALL_TOPICS}', the name of the mean")
    for name in index.events:
        if name in index.ontology.types:
            raise UsageError(f"'{name}' is both an event and a type: call one of them otherwise")


def _check_met(index: IncidentIndex) -> None:
    """A run that has lines, but none that speaks of a labelled post, is likely a wrong file."""
    for name, reply in zip(index.runs, index.replies, strict=True):
        if len(reply.lines) and (reply.row == ABSENT).all():
            row = int(reply.lines[0])
            said = index.predictions
            reason = (
                f'no line of run "{name}" speaks of a labelled post: here event '
                f'"{said.event[row]}", in the labels {listed(list(index.events))}'
            )
            cure = (
                "runs call events as the labels do, or by the numbers that the track's file of "
                "topics gives them (--topics FILE)"
            )
            raise _quoted(said.origin.fault(row, reason, cure))


def _quoted(fault: Fault) -> InputError:
    """A fault as an error, with the text of its line where that can be read again."""
    source = Input(fault.file)
    if fault.unit != "line" or not source.can_be_read_again:
        return InputError([fault])
    lines = source.lines({fault.line or 0})
    return InputError([replace(fault, text=lines.get(fault.line or 0, ""))])
