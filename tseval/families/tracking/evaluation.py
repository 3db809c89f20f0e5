"""Tracked values and their gold: read, indexed, described."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tseval.core.declared import argument, file_option, input_tables
from tseval.core.doubtful_times import (
    not_in_seconds,
    run_spans,
    runs_not_in_seconds,
    spans,
    years_apart,
)
from tseval.core.editions import Edition
from tseval.core.family import SHORT_HASH, Access, Evaluation, Words
from tseval.core.measure import Measure
from tseval.core.wording import count, listed
from tseval.errors import UsageError
from tseval.families.tracking.files import read_gold, read_values
from tseval.families.tracking.measures import FAMILY, ValueIndex
from tseval.families.tracking.tables import ATTRIBUTES, VALUES
from tseval.files import TREC_TS
from tseval.files.forms import Forms, check_forms, form_named, form_of_the_rest
from tseval.files.frames import check_inputs
from tseval.files.topics import read_topics
from tseval.parallel.runs import Spread
from tseval.tables import Origin
from tseval.tables.schema import TOPICS
from tseval.tables.topic_names import TopicNames, with_topics_named
from tseval.version import VERSION

if TYPE_CHECKING:
    from tseval.files.reading import Given
    from tseval.tables.columns import BoolArray, FloatArray


@dataclass(frozen=True)
class ValueInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument("RUN", "one or more runs", VALUES, several=True)
    gold: Given = argument("GOLD", "the file of gold values", VALUES)
    topics: Given | None = file_option(
        "--topics",
        "When each topic starts and ends: a table `topic start [end]`. Default: with the first and "
        "the last value of its gold.",
        table=TOPICS,
    )


@dataclass(frozen=True)
class ValueOptions:
    """Nothing is asked for beside what all families are asked for."""


@dataclass(frozen=True, kw_only=True)
class ValueEvaluation(Evaluation):
    """Runs and gold, read and indexed."""

    words: ClassVar[Words] = Words("values")

    values: ValueIndex

    @property
    def index(self) -> ValueIndex:
        """What measures are taken from."""
        return self.values

    @property
    def starts(self) -> FloatArray:
        """When each topic's period starts."""
        return self.values.start

    def settled(self, wanted: list[Measure]) -> list[Measure]:
        """The measures; one that names no attribute stands for all that the gold has."""
        present = [each for each in ATTRIBUTES if self.values.judged(each).any()]
        return [
            each
            for measure in wanted
            for each in (
                [measure]
                if measure.has("attribute") or not _tells_attributes(measure)
                else [measure(attribute=name) for name in present]
            )
        ]

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Attributes that runs lack."""
        return _untold(self.values, wanted)

    def signature(self, **more: str) -> str:
        """One line that names all that can change a number."""
        parts = {"tseval": VERSION, "family": FAMILY} | dict(self.traits) | more
        return "|".join(f"{name}:{value}" for name, value in parts.items())


def read(
    inputs: ValueInputs,
    options: ValueOptions,  # noqa: ARG001 - as of all families
    edition: Edition[Any],
    rules: Mapping[str, str],
    access: Access,
) -> ValueEvaluation:
    """Read every input; a fault in any of them is an `InputError`.

    The track published no gold of this kind, so its format is asked of the runs alone. It is the
    reading of the runs that is shared.
    """
    edition.rules.changed(rules)
    if not inputs.runs:
        raise UsageError("no run is given: name at least one table of values")
    check_inputs([*inputs.runs, inputs.gold, *([] if inputs.topics is None else [inputs.topics])])
    check_forms(access.forms, input_tables(ValueInputs))
    said = read_values(inputs.runs, access.form("run"), Spread(access.sharing))
    known = read_gold(inputs.gold, _plain(access.forms, "gold"))
    topics = inputs.topics
    events = None if topics is None else read_topics(topics, _plain(access.forms, "topics"))
    rename = TopicNames(known.topic, "gold")
    said, events = with_topics_named(said, rename), with_topics_named(events, rename)
    index = ValueIndex.build(said, known, events)
    named = {"gold": known.origin} | ({} if events is None else {"topics": events.origin})
    warnings = [*runs_not_in_seconds(said.run, said.time)]
    warnings += not_in_seconds("gold", known.time.max(initial=-np.inf))
    warnings += years_apart(
        [*run_spans(said.run, said.topic, said.time), *spans("gold", known.topic, known.time)],
        index.topics,
    )
    warnings += _unknown_topics(index, said.run.codes, said.topic.to_list())
    warnings += _untimely(index)
    if events is not None:
        lost = sorted(set(index.topics) - set(events.topic.to_list()))
        noun = count(len(lost), "judged topic")
        reason = f"{noun} not in the topics file: the period is that of the gold: {listed(lost)}"
        warnings += [reason] if lost else []
    return ValueEvaluation(
        edition=edition,
        values=index,
        traits={name: f"sha256:{_hash(origin)}" for name, origin in named.items()},
        inputs=tuple(s for each in (said.origin, *named.values()) for s in each.sources),
        warnings=tuple(warnings),
    )


def _plain(forms: Forms, name: str) -> str | None:
    """The format of an input of which the track has none; that of all is then not for it."""
    own = form_named(forms, name)
    rest = form_of_the_rest(forms)
    return own or (None if rest == TREC_TS else rest)


def _hash(origin: Origin) -> str:
    return origin.sources[0].sha256[:SHORT_HASH]


def _unknown_topics(index: ValueIndex, run: FloatArray, topics: Sequence[str]) -> Iterator[str]:
    """A warning for each run with topics that the gold lacks."""
    judged = set(index.topics)
    for code, name in enumerate(index.runs):
        own = {topics[row] for row in np.flatnonzero(run == code).tolist()}
        lost = sorted(own - judged)
        if lost:
            noun = count(len(lost), "topic")
            yield f"run {name}: {noun} not in the gold, ignored: {listed(lost)}"


def _untimely(index: ValueIndex) -> Iterator[str]:
    """A warning for each run with topics of which all its values are outside of the period."""
    outside = index.present & ~index.timely
    for run, where in zip(index.runs, outside, strict=True):
        if where.any():
            lost = _named(index, where)
            noun = count(len(lost), "topic")
            yield f"run {run}: no value within the period of {noun}: {listed(lost)}"


def _untold(index: ValueIndex, wanted: Sequence[Measure]) -> Iterator[str]:
    """A warning for each run and attribute that it lacks in topics of which it tells others."""
    asked = [str(each.argument("attribute")) for each in wanted if _tells_attributes(each)]
    for attribute in dict.fromkeys(asked):
        lacking = index.present & index.judged(attribute) & ~index.told(attribute)
        for run, where in zip(index.runs, lacking, strict=True):
            if where.any():
                lost = _named(index, where)
                noun = count(len(lost), "topic")
                yield f"run {run}: no values of {attribute} in {noun}: {listed(lost)}"


def _named(index: ValueIndex, where: BoolArray) -> list[str]:
    """The topics that are chosen, by name."""
    return [index.topics[at] for at in np.flatnonzero(where).tolist()]


def _tells_attributes(measure: Measure) -> bool:
    return any(parameter.name == "attribute" for parameter in measure.definition.parameters)
