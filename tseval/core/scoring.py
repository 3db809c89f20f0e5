"""From an evaluation to scores: the one way that all families go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from tseval.core.family import Column, Evaluation, Words
from tseval.core.measure import Measure, with_times
from tseval.core.registry import family, measures
from tseval.core.results import Result
from tseval.core.scores import Overall, Scores
from tseval.core.wording import count, listed
from tseval.errors import MissingTopics, Reason, UsageError, check_choice
from tseval.io.memory import release_unused
from tseval.io.names import natural_order
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray

OnMissing: TypeAlias = Literal["zero", "skip", "error"]
Undefined: TypeAlias = Literal["skip", "zero"]
BEST, MEDIAN, WORST = "(best)", "(median)", "(worst)"
"""What stands in the place of a run's name."""


def chosen_measures(
    evaluation: Evaluation,
    wanted: Sequence[str | Measure],
    at: str | Sequence[str] | None = None,
    beside: Sequence[Measure] = (),
) -> list[Measure]:
    """The measures asked for, or those shown by default, each at the times asked for too.

    What changes none of them is refused, unless it changes one of those asked for `beside` them.
    """
    asked = measures(list(wanted) or evaluation.default_measures(), evaluation.edition.family)
    evaluation.check_request([*asked, *beside])
    chosen = evaluation.resolve_measures(asked)
    for each in chosen:
        if each.at is not None and not evaluation.has_times(each):
            raise UsageError(f"{each}: this measure has no @TIME")
    if not chosen:
        raise UsageError("no measure is named")
    times = [at] if isinstance(at, str) else list(at or ())
    if not times:
        return list(dict.fromkeys(chosen))
    dated = [each for each in chosen if evaluation.has_times(each)]
    if not dated:
        raise UsageError("none of these measures can be taken at another time")
    if all(each.at is not None for each in dated):
        raise UsageError("every measure has its own @TIME: another time changes nothing")
    taken = (with_times([each], times if each in dated else ()) for each in chosen)
    return list(dict.fromkeys(each for every in taken for each in every))


def scores_of(
    evaluation: Evaluation,
    wanted: Sequence[Measure],
    on_missing: str | None = None,
    undefined: str = "skip",
    *,
    per_topic: bool = True,
    is_plain: bool = False,
    columns: Sequence[Column] | None = None,
) -> Scores:
    """The scores of what was read; `on_missing` defaults to the edition's rule.

    `per_topic=False` says that the values of single topics are of no interest; `is_plain` leaves
    warnings out, as at a moment of a stream, whose `columns` may be known.
    """
    if not is_plain:
        release_unused()
    check_choice("undefined", undefined, get_args(Undefined))
    rule = on_missing or evaluation.edition.on_missing
    check_choice("on_missing", rule, get_args(OnMissing))
    evaluation = apply_missing_rule(evaluation, rule).prepared_for(wanted, per_topic=per_topic)
    columns = columns or list(_columns(evaluation, wanted))
    indexes = list({id(column.index): column.index for column in columns}.values())
    missing = missing_topics(indexes, rule, evaluation.words, evaluation.missing_parts())
    groups = evaluation.group_names
    scores = Scores(
        measures=tuple(measure.name for measure in wanted),
        counted=np.hstack([missing.counted, np.ones((len(missing.counted), len(groups)), bool)]),
        undefined_as_zero=undefined == "zero",
        signature=signature_of(evaluation, wanted, rule, undefined),
        inputs=evaluation.inputs,
        types=groups,
        units={each.name: each.unit for each in wanted if each.unit},
        **_side_by_side(columns, all_topics(indexes), groups),
    )
    if is_plain:
        return scores
    told = [*evaluation.all_warnings, *evaluation.caveats(wanted), *missing.warnings]
    if evaluation.words.undefined_topics:
        told += undefined_warnings(scores, columns, wanted)
    pooled = [
        each.name for each, own in zip(wanted, columns, strict=True) if own.weights is not None
    ]
    if scores.undefined_as_zero and pooled:
        told.append(
            f"{listed(pooled)}: `all` is that of all topics' {evaluation.words.items}, so no topic "
            f"counts as 0 (--rule {evaluation.words.over_topics} takes means over topics)"
        )
    return evaluation.finished(replace(scores, warnings=tuple(told)))


def signature_of(
    evaluation: Evaluation, wanted: Sequence[Measure], on_missing: str, undefined: str
) -> str:
    """The signature of scores by these rules."""
    counts = {"undefined": undefined} if family(evaluation.edition.family).undefined_counts else {}
    traits = evaluation.traits_of(wanted)
    return evaluation.signature(**traits, missing=on_missing, **counts)


def _columns(evaluation: Evaluation, wanted: Sequence[Measure]) -> Iterator[Column]:
    """Each measure at its time; what several times are taken from is kept until the last."""
    last = {measure.whole: at for at, measure in enumerate(wanted)}
    known: dict[Measure, Result] = {}
    for at, measure in enumerate(wanted):
        yield evaluation.take(measure, known)
        if last[measure.whole] == at:
            known.pop(measure.whole, None)


def apply_missing_rule(evaluation: Evaluation, on_missing: str | None) -> Evaluation:
    """The evaluation as this rule of missing topics, or the edition's, has it."""
    rule = on_missing or evaluation.edition.on_missing
    return evaluation.without_missing() if rule == "skip" else evaluation


def all_topics(indexes: Sequence[Any]) -> tuple[str, ...]:
    """The judged topics of any of these; those of one index stay in its order."""
    each_own: list[tuple[str, ...]] = list(dict.fromkeys(index.topics for index in indexes))
    if len(each_own) == 1:
        return each_own[0]
    return tuple(natural_order({topic for own in each_own for topic in own}))


@frozen
class Missing:
    """What becomes of judged topics that a run lacks."""

    rule: str
    counted: BoolArray
    """Which (run, topic) count."""
    warnings: tuple[str, ...]


def missing_topics(
    indexes: Sequence[Any],
    rule: str,
    words: Words,
    lacks: Iterable[tuple[str, str, Sequence[str]]] = (),
) -> Missing:
    """Apply a rule; `error` raises `MissingTopics` if any run lacks a topic, or a part of one."""
    check_choice("on_missing", rule, get_args(OnMissing))
    runs, topics = indexes[0].runs, all_topics(indexes)
    place = {topic: at for at, topic in enumerate(topics)}
    present = np.zeros((len(runs), len(topics)), bool)
    for index in indexes:
        present[:, [place[topic] for topic in index.topics]] |= index.present
    how = words.missing_left_out if rule == "skip" else words.missing_as_zero
    names = ([topics[at] for at in np.flatnonzero(~there).tolist()] for there in present)
    whole = [(run, words.topic, lost) for run, lost in zip(runs, names, strict=True) if lost]
    warnings = []
    for run, noun, lost in (*whole, *lacks):
        said = f"no {words.items} for {count(len(lost), noun)}"
        if rule == "error":
            raise MissingTopics(f"run {run} has {said}: {listed(lost)}")
        told = f"run {run}: {said}, {how}: {listed(lost)}"
        every = noun == words.topic and len(lost) == len(topics)
        warnings.append(Reason(told) if every else told)
    counted = present if rule == "skip" else np.ones_like(present)
    return Missing(rule, counted, tuple(warnings))


def _side_by_side(
    columns: Sequence[Column], topics: tuple[str, ...], groups: tuple[str, ...]
) -> dict[str, Any]:
    """The columns as fields of `Scores`: their values by run, and by topic, then group.

    A measure is undefined in topics that its index doesn't have.
    """
    runs, first_group = columns[0].index.runs, len(topics)
    place = {topic: at for at, topic in enumerate(topics)}
    size = (len(runs), first_group + len(groups), len(columns))
    values, defined, applies = np.zeros(size), np.zeros(size, bool), np.ones(size[1:], bool)
    whole = Overall(np.zeros(size[::2]), np.zeros(size[::2], bool), np.zeros(size[::2], bool))
    weights = np.full(size, np.nan)
    for m, column in enumerate(columns):
        at = [place[topic] for topic in column.index.topics]
        shape = (len(runs), len(at))
        values[:, at, m] = column.values.value.reshape(shape)
        defined[:, at, m] = column.values.defined.reshape(shape)
        applies[first_group:, m] = False if column.groups is None else column.groups.members
        if column.groups is not None:
            values[:, first_group:, m] = column.groups.values.value
            defined[:, first_group:, m] = column.groups.values.defined
        if column.runs is not None:
            whole.value[:, m], whole.defined[:, m] = column.runs.value, column.runs.defined
            whole.given[:, m] = True
        if column.weights is not None:
            weights[:, :, m] = 0.0
            weights[:, at, m] = column.weights.reshape(shape)
    has_weights = any(each.weights is not None for each in columns)
    whole = replace(whole, weights=weights) if has_weights else whole
    return {
        "runs": runs,
        "topics": (*topics, *groups),
        "values": values,
        "defined": defined,
        "overall": whole if whole.given.any() else None,
        "applies": applies if groups else None,
    }


def undefined_warnings(
    scores: Scores, columns: Sequence[Column], wanted: Sequence[Measure]
) -> Iterator[str]:
    """A line for each set of topics, with the measures that are undefined there, and for whom.

    Topics that a measure's own index doesn't have are no matter of it.
    """
    columns_by_name = dict(zip(scores.measures, columns, strict=True))
    lower = {each.name for each in wanted if not each.higher_is_better}
    of_runs: dict[tuple[str, tuple[str, ...], str], list[str]] = {}
    for run, name, topics in scores.undefined():
        column = columns_by_name[name]
        own = tuple(topic for topic in topics if topic in {*column.index.topics, *scores.types})
        if column.weights is not None:
            how = ", adding nothing to `all`"
        elif column.runs is not None:
            how = ""
        elif not scores.undefined_as_zero:
            how = ", left out of the mean"
        else:
            how = ", counted as 0" + ", the best value" * (name in lower)
        if own:
            of_runs.setdefault((run, own, how), []).append(name)
    together: dict[tuple[tuple[str, ...], tuple[str, ...], str], list[str]] = {}
    for (run, own, how), names in of_runs.items():
        together.setdefault((tuple(names), own, how), []).append(run)
    for (alike, where, how), runs in together.items():
        verb = "is" if len(alike) == 1 else "are"
        noun = count(len(where), "topic")
        told = f"{', '.join(alike)} {verb} undefined in {noun}{how}: {listed(where)}"
        if len(runs) == len(scores.runs) > 1:
            yield f"every run: {told}"
        else:
            yield from (f"run {run}: {told}" for run in runs)


def over_runs(scores: Scores, family: str) -> Scores:
    """In the place of the runs the best, the median and the worst of them.

    Each value by itself: the best of one event may be another run than the best of another. Runs
    in which a value is undefined are left out of it.
    """
    rising = [each.higher_is_better for each in measures(scores.measures, family)]
    values, defined = _spread(scores.values, scores.defined & scores.counted[:, :, None], rising)
    means, known = _spread(scores.means, scores.mean_defined, rising)
    return replace(
        scores,
        runs=(BEST, MEDIAN, WORST),
        values=values,
        defined=defined,
        counted=np.ones(values.shape[:2], bool),
        overall=Overall(means, known, np.ones(means.shape, bool)),
        signature=f"{scores.signature}|over:{len(scores.runs)} runs",
    )


def _spread(
    values: FloatArray, defined: BoolArray, rising: Sequence[bool]
) -> tuple[FloatArray, BoolArray]:
    """The best, the median and the worst along the first axis; measures lie along the last."""
    known = defined.any(axis=0)
    three = np.zeros((3, *known.shape))
    for at in zip(*np.nonzero(known), strict=True):
        each = values[:, *at][defined[:, *at]]
        ends = [each.min(), np.median(each), each.max()]
        three[:, *at] = ends[::-1] if rising[at[-1]] else ends
    return three, np.broadcast_to(known, three.shape).copy()
