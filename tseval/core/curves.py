"""Measures as functions of time, for each topic and for the mean over topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.measure import Measure
from tseval.core.results import Changes, Values, account_of, curve
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
    """A curve in seconds from the start of its topic, or of all topics."""

    seconds: FloatArray
    values: Values
    initial: tuple[float, bool] = (0.0, False)

    @classmethod
    def of(cls, change: Changes, unit: int, start: float = 0.0) -> _Steps:
        """Return the curve of a unit."""
        low, high = np.searchsorted(change.unit, [unit, unit + 1])
        values = Values(change.values.value[low:high], change.values.defined[low:high])
        initial = float(change.initial.value[unit]), bool(change.initial.defined[unit])
        return cls(change.time[low:high] - start, values, initial)

    @classmethod
    def mean_of(cls, topics: Sequence[_Steps], undefined_as_zero: bool) -> _Steps:
        """Return the mean over topics, of which each is added to those before."""
        seconds = distinct(np.concatenate([np.zeros(0), *(steps.seconds for steps in topics)]))
        total, number = np.zeros(len(seconds)), np.zeros(len(seconds))
        for steps in topics:
            value, defined = steps.at(seconds)
            total += np.where(defined, value, 0.0)
            number += 1.0 if undefined_as_zero else defined
        return cls(seconds, Values(total / np.maximum(number, 1), number > 0))

    def at(self, seconds: FloatArray) -> tuple[FloatArray, BoolArray]:
        """The value just after each of these times."""
        place = np.searchsorted(self.seconds, seconds, "right") - 1
        value = np.where(place < 0, self.initial[0], self.values.value[place])
        return value, np.where(place < 0, self.initial[1], self.values.defined[place])

    def named(self, run: str, topic: str, measure: str, start: float = 0.0) -> Curve:
        """Return the curve of a topic that starts at a time."""
        hours = self.seconds / UNITS["h"]
        return Curve(run, topic, measure, self.seconds + start, hours, self.values)


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
    index, starts = evaluation.index, evaluation.starts.tolist()
    changing = [curve(index, measure, evaluation.starts) for measure in measures]
    origin, topic_number = evaluation.starts[index.unit_topic], len(index.topics)
    whole = [
        account_of(each, index).pooled_changes(origin) if evaluation.pools(each) else None
        for each in measures
    ]
    for r, run in enumerate(index.runs):
        among = range(topic_number) if counted is None else np.flatnonzero(counted[r]).tolist()
        for topic in topics:
            for measure, change, pooled in zip(measures, changing, whole, strict=True):
                if topic == ALL_TOPICS and pooled is not None:
                    yield _Steps.of(pooled, r).named(run, topic, measure.name)
                elif topic == ALL_TOPICS:
                    steps = [_Steps.of(change, r * topic_number + t, starts[t]) for t in among]
                    mean = _Steps.mean_of(steps, undefined_as_zero)
                    yield mean.named(run, topic, measure.name)
                elif (t := index.topics.index(topic)) in among:
                    single = _Steps.of(change, r * topic_number + t, starts[t])
                    yield single.named(run, topic, measure.name, starts[t])


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
    index, starts = evaluation.index, evaluation.starts.tolist()
    change = curve(index, measure, evaluation.starts)
    shape = (len(index.runs), len(index.topics), len(seconds))
    values, defined = np.zeros(shape), np.zeros(shape, bool)
    for unit in range(index.units):
        at = divmod(unit, len(index.topics))
        values[at], defined[at] = _Steps.of(change, unit, starts[at[1]]).at(seconds)
    return values, defined


def check(evaluation: Evaluation, measures: Sequence[Measure], topics: Sequence[str]) -> None:
    """Refuse, as a `UsageError`, measures with a time of their own and unknown topics."""
    dated = [measure.name for measure in measures if measure.at is not None]
    if dated:
        raise UsageError(f"a curve shows every time: leave the @TIME out of {', '.join(dated)}")
    for each in topics:
        if each != ALL_TOPICS:
            check_known("topic", each, evaluation.index.topics)


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
