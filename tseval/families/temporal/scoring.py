"""`tseval.score`: from runs and gold to scores, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from tseval.core.measure import Measure, with_times
from tseval.core.registry import measures
from tseval.core.scores import Scores
from tseval.core.taking import evaluate
from tseval.core.wording import count, listed
from tseval.errors import MissingTopics, Reason, UsageError
from tseval.families.temporal.draft import default_cost
from tseval.families.temporal.evaluation import DEFAULT_MATCHER, Evaluation, TemporalInputs, prepare
from tseval.families.temporal.rules import WEIGHING
from tseval.files.forms import Forms
from tseval.parallel.sharing import shared
from tseval.tables.units import Units

if TYPE_CHECKING:
    from tseval.families.temporal.evaluation import Given
    from tseval.parallel.engine import Engine
    from tseval.tables.columns import BoolArray

OnMissing: TypeAlias = Literal["zero", "skip", "error"]
Undefined: TypeAlias = Literal["skip", "zero"]


def score(
    updates: Given | Sequence[Given],
    nuggets: Given,
    matches: Given | None = None,
    matcher: str = DEFAULT_MATCHER,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    threshold: float | None = None,
    topics: Given | None = None,
    duplicates: Given | None = None,
    pool: Given | None = None,
    at: str | Sequence[str] = (),
    on_missing: OnMissing | None = None,
    undefined: Undefined = "skip",
    edition: str = "draft",
    rules: Mapping[str, str] | None = None,
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    resume: bool = False,
    input_format: Forms = None,
) -> Scores:
    """Score one or more runs against gold nuggets.

    Every table may be a path, `-`, or a pandas frame with the columns of the plain tables; several
    runs are a list of them, or one table with a column `run`. With `matches` these are used;
    without, `matcher` finds them (default `fuzzy`). `measures` are names or `Measure` values, the
    edition's list by default; `at` adds each of them at these times. `rules` are combined with
    those of the edition: `{"unsampled": "skip"}`. `jobs`, `engine`, `scheduler` and `resume` say
    where matching runs, and change no score. `input_format` names the format of all inputs, or of
    some: `{"nuggets": "csv"}`.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    several: Sequence[Given] = updates if isinstance(updates, list | tuple) else [updates]  # type: ignore[list-item]
    chosen = None if matches is not None and matcher == DEFAULT_MATCHER else matcher
    sources = TemporalInputs(several, nuggets, matches, topics, duplicates, pool, input_format)
    with shared(engine, jobs, scheduler, resume=resume) as sharing:
        evaluation = prepare(
            sources, chosen, threshold, edition, given_rules=rules, sharing=sharing
        )
    wanted = chosen_measures(evaluation, measures, at)
    return scores_of(evaluation, wanted, on_missing, undefined)


def chosen_measures(
    evaluation: Evaluation,
    wanted: Iterable[str | Measure] | str | Measure | None,
    at: str | Sequence[str] = (),
) -> list[Measure]:
    """The measures asked for, or the edition's, each at the times asked for too."""
    if isinstance(wanted, str | Measure):
        wanted = [wanted]
    asked = list(wanted or evaluation.edition.measures)
    chosen = measures(asked, evaluation.edition.family)
    if not chosen:
        raise UsageError("no measure is named")
    chosen = _by_rules(chosen, evaluation)
    times = [at] if isinstance(at, str) else at
    if times and all(measure.at is not None for measure in chosen):
        raise UsageError("every measure has its own @TIME: another time changes nothing")
    return with_times(chosen, times)


def _by_rules(wanted: list[Measure], evaluation: Evaluation) -> list[Measure]:
    """The measures as the rules asked for make them; a rule that none of them reads is refused.

    The rule reward=binary is a parameter of the draft's measures.
    """
    given = evaluation.given_rules
    binary = given.get("reward") == "binary"
    chosen = [_binary(each) if binary else each for each in wanted]
    read = {name for each in chosen for name in each.definition.reads}
    if any(each.has("reward") for each in chosen):
        read.add("reward")
    idle = [name for name in given if name in WEIGHING and name not in read]
    if idle:
        names = ", ".join(each.name for each in wanted)
        raise UsageError(f"rule {idle[0]} changes nothing in {names}")
    return list(dict.fromkeys(chosen))


def _binary(measure: Measure) -> Measure:
    takes = any(parameter.name == "reward" for parameter in measure.definition.parameters)
    counts = measure.has("updates") or measure.has("reward")
    return measure(reward="binary") if takes and not counts else measure


def scores_of(
    evaluation: Evaluation,
    wanted: Sequence[Measure],
    on_missing: OnMissing | None = None,
    undefined: Undefined = "skip",
) -> Scores:
    """The scores of what was prepared; `on_missing` defaults to the edition's rule."""
    index = evaluation.index
    missing = missing_topics(evaluation, on_missing)
    check_choice("undefined", undefined, get_args(Undefined))
    values, defined = evaluate(index, wanted, evaluation.starts)
    scores = Scores(
        runs=index.runs,
        topics=index.topics,
        measures=tuple(measure.name for measure in wanted),
        values=values,
        defined=defined,
        counted=missing.counted,
        undefined_as_zero=undefined == "zero",
        signature=evaluation.signature(
            **cost_trait(evaluation, wanted), missing=missing.rule, undefined=undefined
        ),
        inputs=evaluation.inputs,
        warnings=evaluation.warnings + missing.warnings + _span_warnings(evaluation, wanted),
    )
    return replace(scores, warnings=scores.warnings + tuple(undefined_warnings(scores)))


def _span_warnings(evaluation: Evaluation, wanted: Sequence[Measure]) -> tuple[str, ...]:
    """Verbosity without spans is worth a word."""
    index = evaluation.index
    needs = any("words" in measure.definition.reads for measure in wanted)
    if index.spans is not None or not needs or not len(index.first):
        return ()
    return ("the matches have no spans: for the verbosity no word of an update says a nugget",)


def cost_trait(evaluation: Evaluation, wanted: Sequence[Measure]) -> dict[str, str]:
    """The cost that measures take which could name one and don't: a part of the signature."""
    silent = any(
        parameter.name == "cost" and not measure.has("cost")
        for measure in wanted
        for parameter in measure.definition.parameters
    )
    index = evaluation.index
    return {"cost": default_cost(index.updates, index.nuggets)} if silent else {}


@dataclass(frozen=True)
class Missing:
    """What becomes of judged topics that a run has no updates for."""

    rule: str
    present: BoolArray
    """Which (run, topic) have updates."""
    counted: BoolArray
    """Which (run, topic) count."""
    warnings: tuple[str, ...]


def missing_topics(evaluation: Evaluation, on_missing: str | None) -> Missing:
    """Apply a rule, by default the edition's; `error` raises `MissingTopics` if there is any."""
    index = evaluation.index
    return missing_by_rule(on_missing or evaluation.edition.on_missing, index, index.lines)


def missing_by_rule(rule: str, units: Units, present: BoolArray) -> Missing:
    """The same for any runs and topics, of which these are present."""
    check_choice("on_missing", rule, get_args(OnMissing))
    lost = [[units.topics[t] for t in np.flatnonzero(~row)] for row in present]
    of_runs = [(run, topics) for run, topics in zip(units.runs, lost, strict=True) if topics]
    if rule == "error" and of_runs:
        run, topics = of_runs[0]
        noun = count(len(topics), "judged topic")
        raise MissingTopics(f"run {run} has no updates for {noun}: {listed(topics)}")
    how = "left out of the mean" if rule == "skip" else "counted as an empty system"
    warnings = []
    for run, topics in of_runs:
        noun = count(len(topics), "judged topic")
        said = f"run {run}: no updates for {noun}, {how}: {listed(topics)}"
        warnings.append(Reason(said) if len(topics) == len(units.topics) else said)
    counted = present if rule == "skip" else np.ones_like(present)
    return Missing(rule, present, counted, tuple(warnings))


def check_choice(name: str, value: str, known: Sequence[str]) -> None:
    """Refuse a value that is none of the known."""
    if value not in known:
        raise UsageError(f"{name} cannot be '{value}': choose one of {', '.join(known)}")


def undefined_warnings(scores: Scores) -> Iterator[str]:
    """A line for each run and set of topics, with the measures that are undefined there."""
    how = "counted as 0" if scores.undefined_as_zero else "left out of the mean"
    together: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for run, name, topics in scores.undefined():
        together.setdefault((run, tuple(topics)), []).append(name)
    for (run, where), names in together.items():
        verb = "is" if len(names) == 1 else "are"
        noun = count(len(where), "topic")
        yield f"run {run}: {', '.join(names)} {verb} undefined in {noun}, {how}: {listed(where)}"
