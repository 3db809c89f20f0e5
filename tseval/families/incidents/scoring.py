"""`tseval.score_incidents`: from runs and labels to scores, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, cast, get_args

import numpy as np

from tseval.core.measure import Measure, with_times
from tseval.core.registry import measures as listed_measures
from tseval.core.results import Values
from tseval.core.scores import Overall, Scores
from tseval.core.taking import moments
from tseval.core.wording import count, listed
from tseval.errors import MissingTopics, UsageError
from tseval.families.incidents.caveats import caveats
from tseval.families.incidents.evaluation import (
    Choices,
    IncidentEvaluation,
    IncidentSources,
    check_times,
    read,
)
from tseval.families.incidents.index import FAMILY, IncidentIndex, Sheet
from tseval.families.incidents.ineffective_options import check_measures, read_by, reads_of, unread
from tseval.files.forms import Forms
from tseval.parallel.sharing import shared
from tseval.tables import ABSENT

if TYPE_CHECKING:
    from tseval.families.incidents.evaluation import Given
    from tseval.parallel.engine import Engine
    from tseval.tables.columns import BoolArray

OnMissing: TypeAlias = Literal["zero", "skip", "error"]


def score_incidents(
    runs: Given | Sequence[Given],
    labels: Given | Sequence[Given],
    ontology: str | Path,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    edition: str = "note",
    topics: str | None = None,
    epochs: str | Path | None = None,
    rules: Mapping[str, str] | None = None,
    actionable: Sequence[str] = (),
    threshold: float | None = None,
    alpha: float | None = None,
    lambda_: float | None = None,
    entries: Sequence[str] = (),
    at: str | Sequence[str] = (),
    on_missing: OnMissing | None = None,
    seed: int = 0,
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    input_format: Forms = None,
) -> Scores:
    """Score one or more runs against assessors' labels of posts.

    Runs and labels may be paths, `-`, or pandas frames, in any form that `docs/incidents.md`
    lists; the parameters are the options of `tseval incidents`. The topics of the scores are the
    events, and the information types for the measures that have values of types.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    sources = IncidentSources(
        _several(runs), _several(labels), ontology, topics, epochs, input_format
    )
    wanted = [measures] if isinstance(measures, str | Measure) else list(measures or ())
    choices = Choices(rules or {}, actionable, threshold, alpha, lambda_, entries, seed)
    with shared(engine, jobs, scheduler) as sharing:
        evaluation = read(sources, edition, choices, sharing)
    return scores_of(evaluation, chosen_measures(evaluation, wanted, at), on_missing)


def _several(given: Given | Sequence[Given]) -> Sequence[Given]:
    return given if isinstance(given, list | tuple) else [given]  # type: ignore[list-item]


def chosen_measures(
    evaluation: IncidentEvaluation,
    wanted: Sequence[str | Measure],
    at: str | Sequence[str] = (),
) -> list[Measure]:
    """The measures asked for, or the edition's, at the end and at these times.

    A time, a rule or a number that changes none of them is refused.
    """
    chosen = listed_measures(wanted, FAMILY)
    chosen = chosen or listed_measures(evaluation.edition.measures, FAMILY)
    times = [at] if isinstance(at, str) else at
    if times and all(measure.at is not None for measure in chosen):
        raise UsageError("every measure has its own @TIME: another time changes nothing")
    check_measures(evaluation, chosen)
    return with_times(chosen, times)


def scores_of(
    evaluation: IncidentEvaluation,
    wanted: Sequence[Measure],
    on_missing: OnMissing | None = None,
) -> Scores:
    """The scores of what was read; `on_missing` defaults to the edition's rule."""
    index = evaluation.index
    rule, counted, lost = missing_events(evaluation, on_missing)
    if rule == "skip":
        index = replace(index, skip_absent=True)
    sheets = [_sheet(evaluation, index, measure) for measure in wanted]
    columns = [_column(index, sheet) for sheet in sheets]
    kinds = len(index.ontology)
    scores = Scores(
        runs=index.runs,
        topics=(*index.events, *index.ontology.types),
        measures=tuple(measure.name for measure in wanted),
        values=np.stack([each.value for each in columns], axis=2),
        defined=np.stack([each.defined for each in columns], axis=2),
        counted=np.hstack([counted, np.ones((len(index.runs), kinds), bool)]),
        undefined_as_zero=False,
        signature=evaluation.signature(missing=rule),
        inputs=evaluation.inputs,
        warnings=(*_caveats(evaluation, wanted), *lost),
        overall=_overall(sheets),
        applies=np.column_stack([_applies(index, sheet) for sheet in sheets]),
        types=index.ontology.types,
    )
    return replace(scores, warnings=(*scores.warnings, *_undefined(scores)))


def _caveats(evaluation: IncidentEvaluation, wanted: Sequence[Measure]) -> Iterator[str]:
    """What a reader of these measures should know."""
    reads = read_by(wanted, evaluation.index.rules)
    yield from caveats(evaluation, in_order="order" in reads)
    yield from unread(evaluation, reads)


def _sheet(evaluation: IncidentEvaluation, index: IncidentIndex, measure: Measure) -> Sheet:
    """A measure's values; at a time, over the posts made before it."""
    whole = measure.whole
    if measure.at is not None:
        if np.isnan(index.judged.time).any():
            raise UsageError(f"{measure}: some posts have no time: give --epochs FILE")
        index = index.between(None, moments(measure, evaluation.starts))
    if "order" in reads_of(whole, index.rules):
        check_times(index)
    return cast("Sheet", whole.definition.account(index, whole))


def _column(index: IncidentIndex, sheet: Sheet) -> Values:
    """The values of events, then of types, of the shape (runs, both)."""
    shape = (len(index.runs), len(index.ontology))
    types = sheet.types or Values(np.zeros(shape), np.zeros(shape, bool))
    return Values(
        np.hstack([sheet.events.value, types.value]),
        np.hstack([sheet.events.defined, types.defined]),
    )


def _applies(index: IncidentIndex, sheet: Sheet) -> BoolArray:
    """Which events and types a measure can have a value for."""
    members = np.zeros(len(index.ontology), bool) if sheet.members is None else sheet.members
    return np.append(np.ones(len(index.events), bool), members)


def _overall(sheets: Sequence[Sheet]) -> Overall:
    value = np.column_stack([sheet.overall.value for sheet in sheets])
    defined = np.column_stack([sheet.overall.defined for sheet in sheets])
    return Overall(value, defined, np.ones(value.shape, bool))


def missing_events(
    evaluation: IncidentEvaluation, on_missing: str | None
) -> tuple[str, BoolArray, list[str]]:
    """What becomes of events that a run lacks: the rule, which count, and warnings."""
    rule = on_missing or evaluation.edition.on_missing
    if rule not in get_args(OnMissing):
        raise UsageError(f"on_missing cannot be '{rule}': choose one of zero, skip, error")
    index = evaluation.index
    present = np.zeros((len(index.runs), len(index.events)), bool)
    for run, reply in enumerate(index.replies):
        present[run, index.judged.event[reply.row != ABSENT]] = True
    how = "left out" if rule == "skip" else "counted as posts that the run lacks"
    warnings = []
    for name, there in zip(index.runs, present, strict=True):
        lost = [index.events[at] for at in np.flatnonzero(~there).tolist()]
        said = count(len(lost), "event")
        if lost and rule == "error":
            raise MissingTopics(f"run {name} has no labelled posts of {said}: {listed(lost)}")
        if lost:
            warnings.append(f"run {name}: no labelled posts of {said}, {how}: {listed(lost)}")
    return rule, present if rule == "skip" else np.ones_like(present), warnings


def _undefined(scores: Scores) -> Iterator[str]:
    """A line for each set of events and types, with the measures that are undefined there."""
    together: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for run, name, topics in scores.undefined():
        together.setdefault((run, tuple(topics)), []).append(name)
    for (run, where), names in together.items():
        verb = "is" if len(names) == 1 else "are"
        yield f"run {run}: {', '.join(names)} {verb} undefined for {listed(where)}"
