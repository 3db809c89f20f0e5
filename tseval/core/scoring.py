"""From an evaluation to scores: the one way that all families go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from tseval.core.family import Column, Evaluation, Index, Words
from tseval.core.measure import Measure, with_times
from tseval.core.registry import family, measures
from tseval.core.results import Result, Values
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
) -> Scores:
    """The scores of what was read; `on_missing` defaults to the edition's rule.

    `per_topic=False` says that the values of single topics are of no interest.
    """
    release_unused()
    found = _score(evaluation, wanted, on_missing, undefined, per_topic=per_topic)
    scores, evaluation = found.scores, found.evaluation
    told = (*evaluation.all_warnings, *evaluation.caveats(wanted), *found.missing)
    scores = replace(scores, warnings=told)
    undefined_topics = evaluation.words.undefined_topics
    more = (
        *(undefined_warnings(scores, found.columns, wanted) if undefined_topics else ()),
        *no_zeros(scores, found.columns, evaluation),
    )
    return evaluation.finished(replace(scores, warnings=(*told, *more)))


def plain_scores(
    evaluation: Evaluation,
    wanted: Sequence[Measure],
    on_missing: str | None = None,
    undefined: str = "skip",
    *,
    per_topic: bool = True,
    columns: list[Column] | None = None,
) -> Scores:
    """The scores without warnings: of a moment of a stream, whose `columns` may be known."""
    return _score(evaluation, wanted, on_missing, undefined, columns, per_topic=per_topic).scores


def signature_of(
    evaluation: Evaluation, wanted: Sequence[Measure], on_missing: str, undefined: str
) -> str:
    """The signature of scores by these rules."""
    counts = {"undefined": undefined} if family(evaluation.edition.family).undefined_counts else {}
    traits = evaluation.traits_of(wanted)
    return evaluation.signature(**traits, missing=on_missing, **counts)


@frozen
class _Scored:
    """Scores, and what their warnings are made of."""

    scores: Scores
    columns: list[Column]
    evaluation: Evaluation
    missing: tuple[str, ...]


def _score(
    evaluation: Evaluation,
    wanted: Sequence[Measure],
    on_missing: str | None,
    undefined: str,
    columns: list[Column] | None = None,
    *,
    per_topic: bool,
) -> _Scored:
    check_choice("undefined", undefined, get_args(Undefined))
    rule = on_missing or evaluation.edition.on_missing
    check_choice("on_missing", rule, get_args(OnMissing))
    evaluation = apply_missing_rule(evaluation, rule).prepared_for(wanted, per_topic=per_topic)
    columns = list(_columns(evaluation, wanted)) if columns is None else columns
    indexes = list({id(column.index): column.index for column in columns}.values())
    topics = all_topics(indexes)
    missing = missing_topics(indexes, rule, evaluation.words, evaluation.missing_parts())
    board = _Board(columns, topics, evaluation.group_names)
    scores = Scores(
        runs=columns[0].index.runs,
        topics=(*topics, *evaluation.group_names),
        measures=tuple(measure.name for measure in wanted),
        values=np.stack([each.value for each in board.values], axis=2),
        defined=np.stack([each.defined for each in board.values], axis=2),
        counted=board.with_groups(missing.counted),
        undefined_as_zero=undefined == "zero",
        signature=signature_of(evaluation, wanted, rule, undefined),
        inputs=evaluation.inputs,
        overall=board.overall,
        applies=board.applies,
        types=evaluation.group_names,
        units={each.name: each.unit for each in wanted if each.unit},
    )
    return _Scored(scores, columns, evaluation, missing.warnings)


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


def all_topics(indexes: Sequence[Index]) -> tuple[str, ...]:
    """The judged topics of any of these; those of one index stay in its order."""
    each_own = list(dict.fromkeys(index.topics for index in indexes))
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
    indexes: Sequence[Index],
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


@frozen
class _Board:
    """Columns side by side: their values by run, and by topic, then group."""

    columns: Sequence[Column]
    topics: tuple[str, ...]
    groups: tuple[str, ...]

    @property
    def runs(self) -> int:
        return len(self.columns[0].index.runs)

    @property
    def values(self) -> list[Values]:
        """Of each column; undefined in topics that its index doesn't have."""
        return [self._placed(each) for each in self.columns]

    def _placed(self, column: Column) -> Values:
        place = {topic: at for at, topic in enumerate(self.topics)}
        at = [place[topic] for topic in column.index.topics]
        value = np.zeros((self.runs, len(self.topics) + len(self.groups)))
        defined = np.zeros(value.shape, bool)
        shape = (self.runs, len(at))
        value[:, at] = column.values.value.reshape(shape)
        defined[:, at] = column.values.defined.reshape(shape)
        if column.groups is not None:
            value[:, len(self.topics) :] = column.groups.values.value
            defined[:, len(self.topics) :] = column.groups.values.defined
        return Values(value, defined)

    def with_groups(self, counted: BoolArray) -> BoolArray:
        """Which (run, topic or group) count: every group does."""
        return np.hstack([counted, np.ones((self.runs, len(self.groups)), bool)])

    @property
    def applies(self) -> BoolArray | None:
        """Which topics and groups each measure can have a value for; None for all."""
        if not self.groups:
            return None
        none = np.zeros(len(self.groups), bool)
        members = [none if c.groups is None else c.groups.members for c in self.columns]
        every = np.ones(len(self.topics), bool)
        return np.column_stack([np.append(every, own) for own in members])

    @property
    def overall(self) -> Overall | None:
        """What `all` is for the measures that are no means over topics."""
        given = np.array([each.runs is not None for each in self.columns])
        if not given.any():
            return None
        none = Values(np.zeros(self.runs), np.zeros(self.runs, bool))
        own = [each.runs or none for each in self.columns]
        return Overall(
            np.column_stack([each.value for each in own]),
            np.column_stack([each.defined for each in own]),
            np.broadcast_to(given, (self.runs, len(given))),
            self.weights,
        )

    @property
    def weights(self) -> FloatArray | None:
        """What values of topics weigh where `all` is a quotient of sums; NaN for other measures."""
        if all(each.weights is None for each in self.columns):
            return None
        found = []
        for column in self.columns:
            own = column.weights
            if own is None:
                found.append(np.full((self.runs, len(self.topics)), np.nan))
            else:
                found.append(self._placed(replace_values(column, own)).value)
        return np.stack(found, axis=2)


def replace_values(column: Column, value: FloatArray) -> Column:
    """A column with other values, all of them defined."""
    return replace(column, values=Values(value, np.ones(len(value), bool)))


def undefined_warnings(
    scores: Scores, columns: Sequence[Column], wanted: Sequence[Measure]
) -> Iterator[str]:
    """A line for each set of topics, with the measures that are undefined there, and for whom.

    Topics that a measure's own index doesn't have are no matter of it.
    """
    judged = {
        name: {*column.index.topics, *scores.types}
        for name, column in zip(scores.measures, columns, strict=True)
    }
    of_name = dict(zip(scores.measures, columns, strict=True))
    lower = {each.name for each in wanted if not each.higher_is_better}
    of_runs: dict[tuple[str, tuple[str, ...], str], list[str]] = {}
    for run, name, topics in scores.undefined():
        own = tuple(topic for topic in topics if topic in judged[name])
        how = _how(scores, of_name[name], name in lower)
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


def no_zeros(scores: Scores, columns: Sequence[Column], evaluation: Evaluation) -> Iterator[str]:
    """A word where undefined topics should count as 0, and no mean over topics is taken."""
    pooled = [
        name
        for name, column in zip(scores.measures, columns, strict=True)
        if column.weights is not None
    ]
    if scores.undefined_as_zero and pooled:
        yield (
            f"{listed(pooled)}: `all` is that of all topics' {evaluation.words.items}, so no topic "
            f"counts as 0 (--rule {evaluation.words.over_topics} takes means over topics)"
        )


def _how(scores: Scores, column: Column, lower_is_better: bool) -> str:
    """What becomes of an undefined value, where `all` is taken from those of topics."""
    if column.weights is not None:
        return ", adding nothing to `all`"
    if column.runs is not None:
        return ""
    if not scores.undefined_as_zero:
        return ", left out of the mean"
    return ", counted as 0, the best value" if lower_is_better else ", counted as 0"
