"""What scores of incident streams are given: the inputs and options, checked, and read into tables.

None and nothing leave a choice as the edition has it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.declared import CURVE, SCORES, argument, file_option, option
from tseval.core.family import Access
from tseval.errors import UsageError
from tseval.families.incidents import tables
from tseval.families.incidents.labels import read_labels
from tseval.families.incidents.rules import IncidentRules
from tseval.families.incidents.runs import (
    EventNames,
    RunReading,
    read_event_names,
    read_predictions,
)
from tseval.families.incidents.tables import Labels, Ontology, Predictions, TypeNames
from tseval.files import PICTURES
from tseval.files.epochs import read_epochs
from tseval.files.reading import read_if_given
from tseval.parallel.runs import Spread
from tseval.records import frozen
from tseval.tables import ABSENT, Ids, InputRecord, Origin
from tseval.tables.arrow import strings
from tseval.tables.epochs import Epochs, snowflake_times
from tseval.tables.keys import last_row_of
from tseval.tables.origin import origins_of, records_of
from tseval.tables.schema import EPOCHS
from tseval.tables.times import written

if TYPE_CHECKING:
    from pathlib import Path

    from tseval.files.given import Given
    from tseval.tables.columns import FloatArray

ALERTS, TYPES, TREC_IS = "alerts", "types", "trec-is"
"""The explanations, and the form of the track's own files."""
EVENTS_DRAWN = 4
"""How many events a picture has, where none is named."""


@frozen
class IncidentInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument("RUN", "one or more runs", tables.PREDICTIONS, several=True)
    labels: Given = argument("LABELS", "the file of labels", tables.LABELS)
    ontology: str | Path = file_option(
        "--ontology",
        "The information types: the track's JSON, or the proposal's.",
        required=True,
    )
    more_labels: Sequence[Given] = file_option(
        "--labels",
        "More labels, such as another assessor's; they come after LABELS. Repeatable.",
        several=True,
        table=tables.LABELS,
        not_within=(CURVE,),
    )
    topics: str | None = file_option(
        "--topics",
        "The track's file of topics: which events count, and their numbers.",
    )
    epochs: str | Path | None = file_option(
        "--epochs", "When posts were made: post YYYYMMDD epoch.", table=EPOCHS
    )

    @property
    def all_labels(self) -> list[Given]:
        """Every file of labels, in the order in which they count."""
        return [self.labels, *self.more_labels]


@frozen
class IncidentOptions:
    """What is asked for beside the edition's rules, and what is shown."""

    actionable: Sequence[str] = option(
        "--actionable",
        "The types that call for action. Default: the track's six.",
        metavar="NAME,…",
        by_commas=True,
        not_within=(CURVE,),
    )
    entries: Sequence[str] = option(
        "--entries",
        "Score these types alone. Default: all.",
        metavar="NAME,…",
        by_commas=True,
        not_within=(CURVE,),
    )
    threshold: float | None = option(
        "--threshold",
        "The priority from which on a post is an alert (0.7); with `proposal` the confidence from "
        "which on a type is given (0).",
        kind=float,
        not_within=(CURVE,),
    )
    alpha: float | None = option(
        "--alpha", "What a true alert is worth at least (0.3).", kind=float, not_within=(CURVE,)
    )
    lambda_: float | None = option(
        "--lambda",
        "How much the actionable types weigh in it (0.75).",
        kind=float,
        not_within=(CURVE,),
    )
    seed: int = option(
        "--seed",
        "For the shuffles of --rule ties=shuffled.",
        default=0,
        kind=int,
        at_least=0,
        shows_default=True,
        not_within=(CURVE,),
    )
    roll_up: bool = option(
        "--roll-up",
        "A type counts for its ancestors in the ontology too: --rule ancestors=rolled-up.",
        kind=bool,
        rule="ancestors=rolled-up",
        not_within=(CURVE,),
    )
    order: str | None = option(
        "--order",
        "How posts come, for the false alerts in a row: --rule order=VALUE.",
        choices=("time", "rank", "file"),
        rule="order",
        not_within=(CURVE,),
    )
    log_base: str | None = option(
        "--log-base",
        "The logarithm in what a false alert costs: --rule logarithm=VALUE.",
        choices=("10", "e"),
        rule="logarithm",
        not_within=(CURVE,),
    )
    normalise: str | None = option(
        "--normalise",
        "Whether priorities are scaled to [0, 1]: --rule normalise=VALUE.",
        choices=("always", "auto", "never"),
        rule="normalise",
        not_within=(CURVE,),
    )
    over_runs: bool = option(
        "--over-runs",
        "The best, median and worst value over the runs instead.",
        kind=bool,
        within=(SCORES,),
    )
    events: Sequence[str] = option(
        "--event",
        f"An event that the picture shows; repeatable. Default: the {EVENTS_DRAWN} longest.",
        metavar="NAME",
        several=True,
        within=PICTURES,
    )
    track_names: bool = option(
        "--track-names",
        "With -f trec-is: call the files as the track did, RUN.results.overall.txt in 2018 and "
        "2019 and RUN.results.2021a.overall.txt in 2021.",
        kind=bool,
        within=(TREC_IS,),
    )

    @property
    def _numbers(self) -> dict[str, float | None]:
        """The numbers that may be asked for."""
        return {"threshold": self.threshold, "alpha": self.alpha, "lambda": self.lambda_}

    def applied(self, rules: IncidentRules) -> IncidentRules:
        """The rules with these in the place of some; a number that makes no sense is refused."""
        self._check(rules)
        changed: dict[str, object] = {
            rules.threshold: self.threshold,
            "seed": self.seed,
            "flat_gain": self.alpha,
            "actionable_weight": self.lambda_,
            "actionable": tuple(self.actionable) or None,
        }
        given = {name: value for name, value in changed.items() if value is not None}
        return replace(rules, **given)  # type: ignore[arg-type]

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

    def named_in(self, ontology: Ontology) -> IncidentOptions:
        """The same with the types by their full names, each once."""
        actionable, entries = (
            tuple(ontology.types[at] for at in dict.fromkeys(type_places(ontology, names)))
            for names in (self.actionable, self.entries)
        )
        return replace(self, actionable=actionable, entries=entries)

    def otherwise(self, rules: Mapping[str, str], base: IncidentRules) -> dict[str, str]:
        """What becomes other than the edition has it, by the names under which measures read it.

        With each stands what it is called where it is asked for.
        """
        names = {base.threshold: "threshold", "flat_gain": "alpha", "actionable_weight": "lambda"}
        names |= {"actionable": "actionable"}
        names |= {name.replace("-", "_"): f"rule {name}" for name in rules}
        applied = self.applied(base.changed(rules))
        asked = {
            name.replace("_", "-"): called
            for name, called in names.items()
            if getattr(applied, name) != getattr(base, name)
        }
        return asked | ({"entries": "entries"} if self.entries else {})

    def traits(self, rules: IncidentRules) -> dict[str, str]:
        """The parts of the signature that these make."""
        names = {"actionable": self.actionable, "entries": self.entries}
        traits = {
            name: written(value) for name, value in self._numbers.items() if value is not None
        }
        traits |= {"seed": str(self.seed)} if rules.ties == "shuffled" else {}
        return traits | {name: ",".join(value) for name, value in names.items() if value}


def type_places(ontology: Ontology, names: Sequence[str]) -> list[int]:
    """Where types that were asked for stand; an unknown one is a `UsageError`."""
    places = [ontology.place(name, renamed=False) for name in names]
    for name, at in zip(names, places, strict=True):
        if at == ABSENT:
            known = ", ".join(ontology.types)
            raise UsageError(f"'{name}' is no type of the ontology, which has: {known}")
    return places


@frozen
class IncidentTables:
    """The inputs as tables: types, labels and runs as far as they are scored."""

    ontology: Ontology
    labels: Labels
    runs: Predictions
    topics: EventNames | None
    epochs: Epochs | None
    label_types: TypeNames
    run_types: TypeNames
    unscored: Mapping[str, int]
    """How many labels each event has that is none of the topics."""

    @property
    def names(self) -> Mapping[str, str]:
        """From what runs may call an event to its name, where the topics tell it."""
        return {} if self.topics is None else self.topics.names

    @property
    def origins(self) -> dict[str, Origin]:
        """Where each table beside the runs comes from."""
        return origins_of(
            {
                "ontology": self.ontology,
                "labels": self.labels,
                "topics": self.topics,
                "epochs": self.epochs,
            }
        )

    def records(self) -> tuple[InputRecord, ...]:
        """Every input with its hash and its number of rows."""
        beside = self.origins
        ontology, labels = beside.pop("ontology"), beside.pop("labels")
        return records_of([self.runs.origin, labels, ontology, *beside.values()])

    @property
    def times(self) -> FloatArray:
        """When each labelled post was made: by the epochs, the labels, the runs, or by its id."""
        labels, runs = self.labels, self.runs
        if self.epochs is not None:
            return self.epochs.times_of(labels.post_id)
        if labels.time is not None:
            return labels.time
        if runs.time is not None:
            row = last_row_of(labels.post_id.within(runs.post_id.names), runs.post_id.codes)
            return np.append(runs.time, np.nan)[row]
        return snowflake_times(labels.post_id)


def read_tables(
    inputs: IncidentInputs,
    ontology: Ontology,
    options: IncidentOptions,
    rules: IncidentRules,
    access: Access,
) -> IncidentTables:
    """Every other input than the ontology; a fault in any of them is an `InputError`.

    It is the reading of the runs that is shared. One format for all is that of runs and labels:
    epochs have forms of their own.
    """
    renamed = rules.type_names == "renamed"
    for_labels, for_runs = TypeNames(ontology, renamed), TypeNames(ontology, renamed)
    labels = read_labels(inputs.all_labels, for_labels, access.form("labels"))
    reading = RunReading(for_runs, rules.emitted_from, access.form("run"))
    runs = read_predictions(inputs.runs, reading, Spread(access.sharing))
    topics = None if inputs.topics is None else read_event_names(inputs.topics)
    ontology, labels, runs = _scored_types(ontology, labels, runs, rules, options.entries)
    labels, unscored = _scored_events(labels, topics, rules)
    epochs = read_if_given(inputs.epochs, read_epochs, access.own_form("epochs"))
    return IncidentTables(ontology, labels, runs, topics, epochs, for_labels, for_runs, unscored)


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
    labels: Labels, topics: EventNames | None, rules: IncidentRules
) -> tuple[Labels, dict[str, int]]:
    """The labels of the topics, with the parts of events under one name; and what is left out."""
    whole = [_without_part(name, rules.parts) for name in labels.event.vocabulary()]
    if topics is not None:
        whole = [topics.names.get(name, name) for name in whole]
    coded = Ids.of(strings(whole))
    labels = replace(labels, event=Ids(coded.codes[labels.event.codes], coded.names))
    if topics is None:
        return labels, {}
    known = set(topics.names.values())
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
