"""`tseval.score_filtering`: from runs and truth to scores, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import numpy as np

from tseval.core.measure import Measure
from tseval.core.registry import measures as listed_measures
from tseval.core.results import Taken
from tseval.core.scores import Overall, Scores
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.filtering.editions import KENTER2015
from tseval.families.filtering.evaluation import (
    DEFAULT_BATCH,
    SWEEP,
    FilterEvaluation,
    FilterSources,
    Settings,
    read,
)
from tseval.families.filtering.measures import FAMILY, bursts
from tseval.families.filtering.metrics import BOUNDS, COSTS, EVEN
from tseval.files.forms import Forms
from tseval.parallel.sharing import shared
from tseval.statistics.trend import FEWEST

if TYPE_CHECKING:
    from tseval.families.filtering.evaluation import Given
    from tseval.families.filtering.index import TrendIndex
    from tseval.parallel.engine import Engine

OnMissing: TypeAlias = Literal["zero", "skip", "error"]
SLACK = 1e-9
"""So far beyond its range a metric's end point may lie by rounding."""
PARTS_OF_RULES = ("unjudged", "votes", "partial", "weights")
"""The rules that are parameters of their own."""


def score_filtering(
    runs: Given | Sequence[Given],
    truth: Given,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    batch: str | Sequence[str] = DEFAULT_BATCH,
    start: str | float | None = None,
    end: str | float | None = None,
    cutoff: str | float = SWEEP,
    cutoff_step: int | None = None,
    level: str | None = None,
    zeta: float = 1.0,
    f_weights: Sequence[float] = EVEN,
    costs: Sequence[float] = COSTS,
    require_positives: int = 0,
    edition: str = "kenter2015",
    rules: Mapping[str, str] | None = None,
    on_missing: OnMissing | None = None,
    per_topic: bool = True,
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    input_format: Forms = None,
) -> Scores:
    """Score one or more runs that filter a stream: by batch, over time, as a whole.

    Every table may be a path, `-`, or a pandas frame; the parameters are the options of
    `tseval filter`. `per_topic=False` saves the time for the values of single topics.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    several: Sequence[Given] = runs if isinstance(runs, list | tuple) else [runs]  # type: ignore[list-item]
    settings = Settings(
        batches=(batch,) if isinstance(batch, str) else tuple(batch),
        start=None if start is None else str(start),
        end=None if end is None else str(end),
        cutoff=str(cutoff),
        cutoff_step=cutoff_step,
        level=level,
        zeta=zeta,
        f_weights=tuple(map(float, f_weights)),
        costs=tuple(map(float, costs)),
        require_positives=require_positives,
        on_missing=on_missing,
    )
    with shared(engine, jobs, scheduler) as sharing:
        sources = FilterSources(several, truth, input_format)
        evaluation = read(sources, edition, settings, rules, sharing=sharing)
    wanted = [measures] if isinstance(measures, str | Measure) else list(measures or ())
    return scores_of(evaluation, chosen_measures(evaluation, wanted), per_topic=per_topic)


def chosen_measures(evaluation: FilterEvaluation, wanted: Sequence[str | Measure]) -> list[Measure]:
    """The measures asked for, or the edition's; a trend for every length of batches.

    With one length alone it is not named.
    """
    asked = listed_measures(wanted or evaluation.edition.measures, FAMILY)
    if not asked:
        raise UsageError("no measure is named")
    dated = [each.name for each in asked if each.at is not None]
    if dated:
        raise UsageError(f"{dated[0]}: filtering has no @TIME; --start and --end set the period")
    lengths = evaluation.settings.batches
    if len(lengths) == 1:
        return list(dict.fromkeys(asked))
    chosen = [
        each
        for measure in asked
        for each in (
            [measure]
            if not is_of_batches(measure) or measure.has("batch")
            else [measure(batch=length) for length in lengths]
        )
    ]
    return list(dict.fromkeys(chosen))


def is_of_batches(measure: Measure) -> bool:
    """Whether a measure is taken from batches, and not from the period as a whole."""
    return any(parameter.name == "batch" for parameter in measure.definition.parameters)


def metric_of(measure: Measure) -> str:
    """The metric that a measure is, or is taken from."""
    return str(measure.argument("of")) if is_of_batches(measure) else measure.definition.name


def scores_of(
    evaluation: FilterEvaluation, wanted: Sequence[Measure], *, per_topic: bool = True
) -> Scores:
    """The scores of what was read.

    No value of `all` is a mean over topics: it is taken from the counts of all topics.
    """
    metrics = dict.fromkeys(metric_of(each) for each in wanted if is_of_batches(each))
    evaluation = evaluation.prepared_for(tuple(metrics), by_topic=per_topic)
    index = evaluation.index
    columns = [_taken(evaluation, measure) for measure in wanted]
    shape = (len(index.runs), len(index.topics))
    overall = [each.runs or each.values for each in columns]
    scores = Scores(
        runs=index.runs,
        topics=index.topics,
        measures=tuple(measure.name for measure in wanted),
        values=np.stack([each.values.value.reshape(shape) for each in columns], axis=2),
        defined=np.stack([each.values.defined.reshape(shape) for each in columns], axis=2),
        counted=index.tally.taken if per_topic else np.ones(shape, bool),
        undefined_as_zero=False,
        signature=evaluation.signature(),
        inputs=evaluation.inputs,
        warnings=evaluation.warnings,
        overall=Overall(
            np.column_stack([each.value for each in overall]),
            np.column_stack([each.defined for each in overall]),
            np.ones((shape[0], len(columns)), bool),
        ),
    )
    return replace(scores, warnings=(*scores.warnings, *_remarks(evaluation, wanted, scores)))


def _taken(evaluation: FilterEvaluation, measure: Measure) -> Taken:
    """A measure of every run and topic, and of each run as a whole."""
    return cast(
        "Taken", measure.definition.account(evaluation.index, in_batches(evaluation, measure))
    )


def in_batches(evaluation: FilterEvaluation, measure: Measure) -> Measure:
    """The measure with the length of its batches, which is the first asked for if it names none."""
    if not is_of_batches(measure) or measure.has("batch"):
        return measure
    return measure(batch=evaluation.settings.batches[0])


def trends(evaluation: FilterEvaluation, wanted: Sequence[Measure]) -> list[tuple[str, str]]:
    """Each metric and length of batches whose trend is asked for; F_pra's if none is."""
    asked = [
        (metric_of(each), str(in_batches(evaluation, each).argument("batch")))
        for each in wanted
        if is_of_batches(each)
    ]
    default = [(metric_of(FIRST), length) for length in evaluation.settings.batches]
    return list(dict.fromkeys(asked or default))


FIRST = listed_measures(KENTER2015.measures, FAMILY)[0]
"""The measure by which runs are ranked unless others are asked for."""


def _remarks(
    evaluation: FilterEvaluation, wanted: Sequence[Measure], scores: Scores
) -> Iterator[str]:
    """What a reader should know of the batches, the trends, and what is undefined."""
    if any(map(is_of_batches, wanted)):
        yield from trend_warnings(evaluation, trends(evaluation, wanted))
    told: dict[tuple[str, ...], list[str]] = {}
    for measure in wanted:
        known = set(_without_trend(evaluation, measure))
        lost = [run for run in scores.runs if scores.value(measure, run=run) is None]
        told.setdefault(tuple(run for run in lost if run not in known), []).append(str(measure))
    for runs, names in told.items():
        if runs:
            yield f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} undefined for " + (
                listed(runs)
            )


def _without_trend(evaluation: FilterEvaluation, measure: Measure) -> list[str]:
    """The runs of which a warning has said that they have no trend for a measure to tell of."""
    if measure.definition.account is bursts or not is_of_batches(measure):
        return []
    length = str(in_batches(evaluation, measure).argument("batch"))
    return untrended(evaluation.index, metric_of(measure), length)


def untrended(index: TrendIndex, metric: str, length: str) -> list[str]:
    """The runs that have too few usable batches for a trend, at any cutoff."""
    fitted = index.fitted(metric, length).trend.fitted.tolist()
    return [run for run, is_there in zip(index.runs, fitted, strict=True) if not is_there]


def trend_warnings(evaluation: FilterEvaluation, asked: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A shorter last batch, and end points beyond what the metric can be."""
    index = evaluation.index
    for length in dict.fromkeys(batch for _, batch in asked):
        cut = index.cut(length)
        if cut.shorter:
            yield f"batch {length}: the last of {cut.number} is shorter than the others"
    for metric, length in asked if index.runs else ():
        fitted = index.fitted(metric, length)
        name = f"end({metric},batch={length})"
        without = untrended(index, metric, length)
        if without:
            few = f"fewer than {FEWEST} usable batches; shorter ones, or a longer period, have more"
            yield f"no trend of {metric} in batches of {length} for {listed(without)}: {few}"
        end = fitted.trend.end
        lowest, highest = BOUNDS.get(metric, (0.0, 1.0))
        beyond = np.flatnonzero((end < lowest - SLACK) | (end > highest + SLACK))
        if len(beyond):
            names = [f"{index.runs[at]} ({end[at]:.4f})" for at in beyond.tolist()]
            yield f"{name} is outside of the metric's range: {listed(names)}"
        silent = index.silent(fitted)
        if silent:
            yield f"{name} is best where nothing is returned: {listed(silent)}"
