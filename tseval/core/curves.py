"""Measures as functions of time, for each topic and for the mean over topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.measure import Measure
from tseval.core.results import Changes, Values
from tseval.core.taking import account_of, curve
from tseval.errors import UsageError, check_known
from tseval.io.names import distinct
from tseval.io.schema import ALL_TOPICS
from tseval.io.times import UNITS
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

    from tseval.arrays import BoolArray, FloatArray
    from tseval.core.family import Evaluation


@frozen
class Curve:
    """One measure of one run as a step function: from just after `time[i]` on it has `value[i]`.

    `hours` counts from the topic's start. For the mean over topics, `time` is that count in
    seconds, since the topics start at different times.
    """

    run: str
    topic: str
    measure: str
    time: FloatArray
    hours: FloatArray
    values: Values


@frozen
class _Steps:
    """The curve of one topic, in seconds from its start."""

    seconds: FloatArray
    value: FloatArray
    defined: BoolArray
    initial: tuple[float, bool]

    def at(self, seconds: FloatArray) -> tuple[FloatArray, BoolArray]:
        """The value just after each of these times."""
        place = np.searchsorted(self.seconds, seconds, "right") - 1
        before = place < 0
        value = np.where(before, self.initial[0], self.value[place])
        return value, np.where(before, self.initial[1], self.defined[place])


def followed_measures(
    evaluation: Evaluation, asked: list[Measure], *, named: bool
) -> list[Measure]:
    """The measures that can be followed over time, which all have to be that were named.

    Where one cannot, or none can, a `UsageError` says why.
    """
    followed = [each for each in asked if evaluation.follows(each)]
    lacking = [each.name for each in asked if named and each not in followed]
    if followed and not lacking:
        return followed
    for each in asked:
        evaluation.has_times(each)  # which says why there are none, where that is so
    whole = ", ".join(lacking) or f"all measures of edition {evaluation.edition.name}"
    verb, has = ("is", "has no curve") if len(lacking) == 1 else ("are", "have no curves")
    raise UsageError(f"{whole} {verb} taken from the whole at once, and {has} over time")


def curves(
    evaluation: Evaluation,
    measures: Sequence[Measure],
    topics: Sequence[str] = (ALL_TOPICS,),
    *,
    counted: BoolArray | None = None,
    undefined_as_zero: bool = False,
) -> Iterator[Curve]:
    """The curves of these measures, by run, topic and measure; `all` is the mean over topics.

    Of measures that an evaluation pools it is the measure of all topics together, each at the same
    time since its start. The mean takes each topic at the same time since its start, over those
    that count (`counted[run, topic]`, by default all) and where the measure is defined. A topic
    that does not count has no curve of its own either.
    Measures with a time of their own, and unknown topics, are a `UsageError`.
    """
    check(evaluation, measures, topics)
    index = evaluation.index
    changing = [curve(index, measure, evaluation.starts) for measure in measures]
    whole = [_of_runs(evaluation, measure) for measure in measures]
    place = {topic: at for at, topic in enumerate(index.topics)}
    for r, run in enumerate(index.runs):
        among = range(len(index.topics)) if counted is None else np.flatnonzero(counted[r]).tolist()
        for topic in topics:
            for measure, change, joined in zip(measures, changing, whole, strict=True):
                if topic == ALL_TOPICS and joined is not None:
                    yield _joined(run, measure.name, joined, r)
                elif topic == ALL_TOPICS:
                    steps = [_steps(evaluation, change, r, t) for t in among]
                    yield _mean(run, measure.name, steps, undefined_as_zero)
                elif counted is None or counted[r, place[topic]]:
                    t = place[topic]
                    start = float(evaluation.starts[t])
                    yield _single(run, topic, measure.name, _steps(evaluation, change, r, t), start)


def _of_runs(evaluation: Evaluation, measure: Measure) -> Changes | None:
    """A measure of whole runs in seconds since the topics' starts, where `all` is that."""
    if not evaluation.pools(measure):
        return None
    index = evaluation.index
    account = account_of(measure, index)
    starts = evaluation.starts[index.unit_topic]
    return account.pooled_changes(starts, len(index.topics))


def _joined(run: str, measure: str, change: Changes, place: int) -> Curve:
    low, high = np.searchsorted(change.unit, [place, place + 1])
    seconds, values = change.time[low:high], change.values
    own = Values(values.value[low:high], values.defined[low:high])
    return Curve(run, ALL_TOPICS, measure, seconds, seconds / UNITS["h"], own)


def change_times(evaluation: Evaluation, measures: Sequence[Measure]) -> FloatArray:
    """The times since the topics' starts at which any of these measures changes in any unit."""
    index = evaluation.index
    starts = evaluation.starts[index.unit_topic]
    changing = [curve(index, measure, evaluation.starts) for measure in measures]
    seconds = [each.time - starts[each.unit] for each in changing]
    return distinct(np.concatenate([np.zeros(0), *seconds]))


def sampled(
    evaluation: Evaluation, measure: Measure, seconds: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """A measure just after these times since each topic's start, and where it is defined.

    Both have the shape (runs, topics, times).
    """
    index = evaluation.index
    change = curve(index, measure, evaluation.starts)
    shape = (len(index.runs), len(index.topics), len(seconds))
    values, defined = np.zeros(shape), np.zeros(shape, bool)
    for run in range(shape[0]):
        for topic in range(shape[1]):
            values[run, topic], defined[run, topic] = _steps(evaluation, change, run, topic).at(
                seconds
            )
    return values, defined


def check(evaluation: Evaluation, measures: Sequence[Measure], topics: Sequence[str]) -> None:
    """Refuse, as a `UsageError`, measures with a time of their own and unknown topics."""
    dated = [measure.name for measure in measures if measure.at is not None]
    if dated:
        raise UsageError(f"a curve shows every time: leave the @TIME out of {', '.join(dated)}")
    for each in topics:
        if each != ALL_TOPICS:
            check_known("topic", each, evaluation.index.topics)


def _steps(evaluation: Evaluation, change: Changes, run: int, topic: int) -> _Steps:
    unit = run * len(evaluation.index.topics) + topic
    low, high = np.searchsorted(change.unit, [unit, unit + 1])
    initial = change.initial
    return _Steps(
        change.time[low:high] - evaluation.starts[topic],
        change.values.value[low:high],
        change.values.defined[low:high],
        (float(initial.value[unit]), bool(initial.defined[unit])),
    )


def _single(run: str, topic: str, measure: str, steps: _Steps, start: float) -> Curve:
    hours = steps.seconds / UNITS["h"]
    values = Values(steps.value, steps.defined)
    return Curve(run, topic, measure, steps.seconds + start, hours, values)


def _mean(run: str, measure: str, topics: Sequence[_Steps], undefined_as_zero: bool) -> Curve:
    seconds = distinct(np.concatenate([np.zeros(0), *(steps.seconds for steps in topics)]))
    total, number = np.zeros(len(seconds)), np.zeros(len(seconds))
    for steps in topics:
        value, defined = steps.at(seconds)
        total += np.where(defined, value, 0.0)
        number += 1.0 if undefined_as_zero else defined
    values = Values(total / np.maximum(number, 1), number > 0)
    return Curve(run, ALL_TOPICS, measure, seconds, seconds / UNITS["h"], values)


def frame(drawn: Sequence[Curve]) -> pd.DataFrame:
    """The curves as a tidy frame: run, topic, measure, time, hours, value; undefined is NaN.

    The mean over topics has no `time`, since the topics start at different ones.
    """
    import pandas as pd

    lengths = [len(each.hours) for each in drawn]
    columns = {
        name: np.repeat(np.array([getattr(each, name) for each in drawn], object), lengths)
        for name in ("run", "topic", "measure")
    }
    values = [np.where(c.values.defined, c.values.value, np.nan) for c in drawn]
    times = [np.full(len(c.time), np.nan) if c.topic == ALL_TOPICS else c.time for c in drawn]
    return pd.DataFrame(
        columns
        | {
            "time": np.concatenate(times),
            "hours": np.concatenate([each.hours for each in drawn]),
            "value": np.concatenate(values),
        }
    )
