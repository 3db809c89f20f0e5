"""`tseval.score_values`: from tracked values and their gold to scores, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from tseval.assessments import TopicNames, with_topics_named
from tseval.caveats import count, listed, not_in_seconds, run_spans, spans, years_apart
from tseval.errors import MissingTopics, UsageError
from tseval.evaluation import SHORT_HASH
from tseval.formats import TREC_TS
from tseval.formats.forms import Forms, check_forms, form_for, form_named, form_of_the_rest
from tseval.formats.temporal import check_inputs, read_topics
from tseval.formats.tracking import read_gold, read_values
from tseval.measures import Measure
from tseval.measures import measures as listed_measures
from tseval.measures.measure import with_times
from tseval.measures.tracking import FAMILY, ValueIndex
from tseval.measures.values import moments
from tseval.scores import Scores
from tseval.tables import Origin, Source
from tseval.tables.tracking import ATTRIBUTES, TrackedValues
from tseval.units import ALONE, Sharing, Spread, shared
from tseval.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

    from tseval.engine import Engine
    from tseval.tables.columns import BoolArray, FloatArray

    Given: TypeAlias = str | Path | pd.DataFrame

OnMissing: TypeAlias = Literal["zero", "skip", "error"]
Undefined: TypeAlias = Literal["skip", "zero"]
DEFAULT = ("VT",)


INPUTS = ("run", "gold", "topics")
"""What the inputs are called."""


@dataclass(frozen=True)
class ValueEvaluation:
    """Runs and gold, read and indexed."""

    index: ValueIndex
    traits: dict[str, str]
    """What can change a number, by name: the parts of the signature."""
    inputs: tuple[Source, ...]
    warnings: tuple[str, ...]


def score_values(
    runs: Given | Sequence[Given],
    gold: Given,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    topics: Given | None = None,
    at: str | Sequence[str] = (),
    on_missing: OnMissing = "zero",
    undefined: Undefined = "skip",
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    input_format: Forms = None,
) -> Scores:
    """Score one or more runs that track values against gold values.

    Every table may be a path, `-`, or a pandas frame with the columns `topic attribute time value`.
    Without measures it is `VT` of every attribute that the gold has.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    several: Sequence[Given] = runs if isinstance(runs, list | tuple) else [runs]  # type: ignore[list-item]
    with shared(engine, jobs, scheduler) as sharing:
        evaluation = prepare(several, gold, topics, input_format, sharing)
    wanted = [measures] if isinstance(measures, str | Measure) else list(measures or ())
    return scores_of(evaluation, chosen_measures(evaluation, wanted, at), on_missing, undefined)


def prepare(
    runs: Sequence[Given],
    gold: Given,
    topics: Given | None = None,
    form: Forms = None,
    sharing: Sharing = ALONE,
) -> ValueEvaluation:
    """Read every input; a fault in any of them is an `InputError`.

    The track published no gold of this kind, so its format (`form`) is asked of the runs alone. It
    is the reading of the runs that is shared.
    """
    if not runs:
        raise UsageError("no run is given: name at least one table of values")
    check_inputs([*runs, gold, *([] if topics is None else [topics])])
    check_forms(form, INPUTS)
    said = read_values(runs, form_for(form, "run"), Spread(sharing))
    known = read_gold(gold, _plain(form, "gold"))
    events = None if topics is None else read_topics(topics, _plain(form, "topics"))
    rename = TopicNames(known.topic, "gold")
    said, events = with_topics_named(said, rename), with_topics_named(events, rename)
    index = ValueIndex.build(said, known, events)
    named = {"gold": known.origin} | ({} if events is None else {"topics": events.origin})
    warnings = [*_milliseconds(said), *not_in_seconds("gold", known.time.max(initial=-np.inf))]
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
        index=index,
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


def _milliseconds(said: TrackedValues) -> Iterator[str]:
    """A warning for each run whose times can hardly be seconds."""
    for code, name in enumerate(said.run.vocabulary()):
        latest = said.time[said.run.codes == code].max(initial=-np.inf)
        yield from not_in_seconds(f"run {name}", latest)


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


def chosen_measures(
    evaluation: ValueEvaluation, wanted: Sequence[str | Measure], at: str | Sequence[str] = ()
) -> list[Measure]:
    """The measures asked for; one that names no attribute stands for all that the gold has."""
    asked = listed_measures(wanted or DEFAULT, FAMILY)
    if not asked:
        raise UsageError("no measure is named")
    present = [each for each in ATTRIBUTES if evaluation.index.judged(each).any()]
    chosen = [
        each
        for measure in asked
        for each in (
            [measure]
            if measure.has("attribute") or not _tells_attributes(measure)
            else [measure(attribute=name) for name in present]
        )
    ]
    times = [at] if isinstance(at, str) else at
    if times and all(measure.at is not None for measure in chosen):
        raise UsageError("every measure has its own @TIME: another time changes nothing")
    return with_times(chosen, times)


def _tells_attributes(measure: Measure) -> bool:
    return any(parameter.name == "attribute" for parameter in measure.definition.parameters)


def scores_of(
    evaluation: ValueEvaluation,
    wanted: Sequence[Measure],
    on_missing: OnMissing | None = None,
    undefined: Undefined = "skip",
) -> Scores:
    """The scores of what was read; a topic that a run lacks is by default one without a value."""
    index, rule = evaluation.index, on_missing or "zero"
    _check_choice("on_missing", rule, get_args(OnMissing))
    _check_choice("undefined", undefined, get_args(Undefined))
    counted, lost = _missing(index, rule)
    values, defined = _evaluated(index, wanted)
    traits = {"tseval": VERSION, "family": FAMILY} | evaluation.traits
    traits |= {"missing": rule, "undefined": undefined}
    scores = Scores(
        runs=index.runs,
        topics=index.topics,
        measures=tuple(measure.name for measure in wanted),
        values=values,
        defined=defined,
        counted=counted,
        undefined_as_zero=undefined == "zero",
        signature="|".join(f"{name}:{value}" for name, value in traits.items()),
        inputs=evaluation.inputs,
        warnings=(*evaluation.warnings, *lost, *_untold(index, wanted)),
    )
    return replace(scores, warnings=(*scores.warnings, *_undefined(scores)))


def _evaluated(index: ValueIndex, wanted: Sequence[Measure]) -> tuple[FloatArray, BoolArray]:
    """Values and whether they are defined, both of the shape (runs, topics, measures)."""
    starts = index.start[index.unit_topic]
    columns = [
        measure.whole.definition.account(index, measure.whole).before(moments(measure, starts))
        for measure in wanted
    ]
    shape = (len(index.runs), len(index.topics), len(wanted))
    values = np.column_stack([column.value for column in columns]).reshape(shape)
    defined = np.column_stack([column.defined for column in columns]).reshape(shape)
    return values, defined


def _check_choice(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise UsageError(f"{name} cannot be '{value}': choose one of {', '.join(known)}")


def _missing(index: ValueIndex, rule: str) -> tuple[BoolArray, list[str]]:
    """Which (run, topic) count where a run has no values for judged topics, and warnings."""
    present = index.present
    how = "left out of the mean" if rule == "skip" else "counted as an empty system"
    warnings = []
    for run, there in zip(index.runs, present, strict=True):
        lost = _named(index, ~there)
        said = count(len(lost), "judged topic")
        if lost and rule == "error":
            raise MissingTopics(f"run {run} has no values for {said}: {listed(lost)}")
        if lost:
            warnings.append(f"run {run}: no values for {said}, {how}: {listed(lost)}")
    return present if rule == "skip" else np.ones_like(present), warnings


def _undefined(scores: Scores) -> Iterator[str]:
    """A line for each measure and set of topics where it is undefined.

    That depends on the gold and the periods alone, so it is the same for every run that has them.
    """
    how = "counted as 0, the best value" if scores.undefined_as_zero else "left out of the mean"
    together: dict[str, set[str]] = {}
    for _, name, topics in scores.undefined():
        together.setdefault(name, set()).update(topics)
    for name, where in together.items():
        named = [topic for topic in scores.topics if topic in where]
        yield f"{name} is undefined in {count(len(named), 'topic')}, {how}: {listed(named)}"
