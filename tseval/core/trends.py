"""Measures batch by batch, and the lines through them.

A topic's time is cut into equal batches from its start. In each a measure is taken from what is
dated in it alone; a weighted line through these values tells whether a run gets better or worse,
and where it ends. Batches weigh by how many updates, or posts, the run sent in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.batches import Batches, cover
from tseval.core.curves import check
from tseval.core.measure import Measure
from tseval.core.results import Values
from tseval.core.taking import account_of
from tseval.errors import UsageError
from tseval.io.names import ABSENT
from tseval.io.schema import ALL_TOPICS
from tseval.io.times import UNITS
from tseval.records import frozen
from tseval.statistics import assumptions
from tseval.statistics.trend import Trend, fit

if TYPE_CHECKING:
    import pandas as pd

    from tseval.arrays import BoolArray, FloatArray
    from tseval.core.family import Evaluation

MOST = 10_000
"""A topic of more batches than this is refused: surely a slip of the unit."""


@frozen
class Series:
    """The measures of all runs on one topic, or in the mean, batch by batch.

    `values` has the shape (runs, measures, batches), `sent` (runs, batches): how many messages.
    """

    runs: tuple[str, ...]
    topic: str
    measures: tuple[str, ...]
    start: float | None
    """When the first batch begins; None for the mean, whose topics start at different times."""
    length: float
    values: Values
    sent: FloatArray

    @property
    def hours(self) -> FloatArray:
        """When each batch begins, from the topic's start."""
        return np.asarray(np.arange(self.sent.shape[1]) * self.length / UNITS["h"], np.float64)

    @property
    def weights(self) -> FloatArray:
        """What each batch has of all that its run sent; 0 for a run that sent nothing."""
        total = self.sent.sum(axis=1, keepdims=True)
        shares = np.divide(self.sent, total, out=np.zeros_like(self.sent), where=total > 0)
        return np.asarray(shares, np.float64)

    @cached_property
    def trend(self) -> Trend:
        """The lines: a row for each run and measure, run by run."""
        batches = self.sent.shape[1]
        weights = np.repeat(self.weights, len(self.measures), axis=0)
        rows = self.values.value.reshape(-1, batches), self.values.defined.reshape(-1, batches)
        return fit(rows[0], weights, rows[1])


def batch_series(
    evaluation: Evaluation,
    measures: Sequence[Measure],
    length: float,
    topics: Sequence[str] = (ALL_TOPICS,),
    *,
    counted: BoolArray | None = None,
    undefined_as_zero: bool = False,
) -> list[Series]:
    """These measures in batches of `length` seconds, topic by topic as asked for.

    The mean takes each topic's batches from its own start: the first with the first, over the
    topics that count, have such a batch, and where the measure is defined. Measures of which a
    batch has no meaning, those with a time of their own, and unknown topics, are a `UsageError`.
    """
    check(evaluation, measures, topics)
    of_topics = cover(evaluation.starts, evaluation.ends, evaluation.latest, length)
    _check_number(of_topics)
    whole = _All.of(evaluation, measures, of_topics)
    if counted is None:
        counted = np.ones((len(evaluation.index.runs), len(evaluation.index.topics)), bool)
    return [
        whole.mean(counted, undefined_as_zero) if topic == ALL_TOPICS else whole.single(topic)
        for topic in topics
    ]


def _check_number(batches: Batches) -> None:
    if batches.most > MOST:
        raise UsageError(
            f"that makes {batches.most:,} batches of a topic; no more than {MOST:,} are possible: "
            "choose longer ones"
        )


@frozen
class _All:
    """Every measure of every unit: values (runs, topics, measures, batches), and what was sent."""

    evaluation: Evaluation
    measures: tuple[str, ...]
    batches: Batches
    values: Values
    sent: FloatArray
    joined: dict[int, Values]
    """For measures of which `all` is no mean over topics, by their place: as (runs, batches)."""

    @classmethod
    def of(cls, evaluation: Evaluation, measures: Sequence[Measure], batches: Batches) -> _All:
        index = evaluation.index
        of_units = batches.of_units(index.unit_topic)
        taken = [evaluation.in_batches(measure, of_units) for measure in measures]
        shape = (len(index.runs), len(index.topics), -1, batches.most)
        value, defined = (
            np.stack([getattr(each, name) for each in taken], axis=1).reshape(shape)
            for name in ("value", "defined")
        )
        unit, time = evaluation.sent
        batch = of_units.of(unit, time)
        sent = np.zeros(of_units.present.shape)
        np.add.at(sent, (unit[batch != ABSENT], batch[batch != ABSENT]), 1.0)
        names = tuple(measure.name for measure in measures)
        joined = {
            place: account_of(measure, index).pooled_within(of_units, len(index.topics))
            for place, measure in enumerate(measures)
            if evaluation.pools(measure)
        }
        messages = sent.reshape(shape[:2] + shape[3:])
        return cls(evaluation, names, batches, Values(value, defined), messages, joined)

    def single(self, topic: str) -> Series:
        """One topic, with its own number of batches."""
        place = self.evaluation.index.topics.index(topic)
        number = int(self.batches.number[place])
        values = self.values
        own = Values(values.value[:, place, :, :number], values.defined[:, place, :, :number])
        return self._series(
            topic, float(self.batches.start[place]), own, self.sent[:, place, :number]
        )

    def mean(self, counted: BoolArray, undefined_as_zero: bool) -> Series:
        """All topics that count, batch by batch since their starts."""
        here = counted[:, :, np.newaxis, np.newaxis]
        defined = self.values.defined & here
        there = self.batches.present[:, np.newaxis] & here if undefined_as_zero else defined
        number = there.sum(axis=1) + np.zeros(defined.sum(axis=1).shape)
        total = np.where(defined, self.values.value, 0.0).sum(axis=1)
        sent = np.where(counted[:, :, np.newaxis], self.sent, 0.0).sum(axis=1)
        values = Values(total / np.maximum(number, 1), number > 0)
        for place, whole in self.joined.items():
            values.value[:, place], values.defined[:, place] = whole.value, whole.defined
        return self._series(ALL_TOPICS, None, values, sent)

    def _series(self, topic: str, start: float | None, values: Values, sent: FloatArray) -> Series:
        runs, length = self.evaluation.index.runs, self.batches.length
        return Series(runs, topic, self.measures, start, length, values, sent)


PER = {",per=day": UNITS["d"], ",per=hour": UNITS["h"], ",per=second": UNITS["s"]}
"""The units of time, beside the batch, in which slopes are told."""


def statistics(series: Series) -> dict[str, FloatArray]:
    """What is told of each line, by how it is written with `{}` for the measure; NaN is undefined.

    Each array has a row for each run and measure, as `Series.trend`.
    """
    trend, checks = series.trend, assumptions.check(series.trend)
    lengths = {"": 1.0} | {per: series.length / unit for per, unit in PER.items()}
    told: dict[str, FloatArray] = {"batches({})": trend.number.astype(np.float64)}
    for suffix, batch in lengths.items():
        told[f"slope({{}}{suffix})"], told[f"se({{}}{suffix})"] = trend.slopes(batch)
    return told | {
        "t({})": trend.t,
        "p({})": trend.p,
        "end({})": trend.end,
        "end-se({})": trend.end_error,
        "spearman({})": checks.spearman.statistic,
        "AD({})": checks.normality.statistic,
        "AD-p({})": checks.normality.p,
        "DW({})": checks.durbin_watson,
    }


def frame(drawn: Sequence[Series]) -> pd.DataFrame:
    """The batches as a tidy frame: run, topic, measure, time, hours, value, weight.

    `time` and `hours` are those of the batch's beginning; an undefined value is NaN. The mean over
    topics has no `time`, since the topics start at different ones.
    """
    curves = list(_in_order(drawn))
    columns = {
        "time": [_times(each.series) for each in curves],
        "hours": [each.series.hours for each in curves],
        "value": [each.value for each in curves],
        "weight": [each.series.weights[each.run] for each in curves],
    }
    lengths = [len(each.series.hours) for each in curves]
    return _tidy(
        curves, lengths, {name: np.concatenate(column) for name, column in columns.items()}
    )


def trend_frame(drawn: Sequence[Series]) -> pd.DataFrame:
    """The lines as a tidy frame: run, topic, measure, value; measures such as `slope(P)`.

    Where batches are too few for a line, only their number stands.
    """
    told = [statistics(series) for series in drawn]
    curves = list(_in_order(drawn))
    rows = [
        [
            (name, column[each.row])
            for name, column in told[each.place].items()
            if each.series.trend.fitted[each.row] or name == "batches({})"
        ]
        for each in curves
    ]
    names, values = zip(*(cell for each in rows for cell in each), strict=True)
    table = _tidy(curves, [len(each) for each in rows], {"value": np.array(values)})
    written = [name.format(of) for name, of in zip(names, table["measure"], strict=True)]
    return table.assign(measure=written)


def with_lines(batches: pd.DataFrame, drawn: Sequence[Series]) -> pd.DataFrame:
    """The rows of batches, and under them those of lines, which have no time and no weight."""
    import pandas as pd

    return pd.concat([batches, trend_frame(drawn)], ignore_index=True)


def line_frame(drawn: Sequence[Series]) -> pd.DataFrame:
    """Where to draw the lines: run, topic, measure, and for both ends hours and value.

    A batch stands in its middle. The line is fitted to batches up to `until_hours`. `low` and
    `high` are the 95 % interval of the end point. What is undefined is NaN.
    """
    intervals = [series.trend.end_interval() for series in drawn]
    curves = list(_in_order(drawn))
    rows = []
    for each in curves:
        trend, half = each.series.trend, each.series.length / UNITS["h"] / 2
        middles = each.series.hours + half
        until = middles[trend.used[each.row]].max(initial=-np.inf)
        interval = [edge[each.row] for edge in intervals[each.place]]
        ends = [trend.intercept[each.row], trend.end[each.row], *interval]
        rows.append([middles[0], middles[-1], until, *ends])
    columns = ("from_hours", "to_hours", "until_hours", "from_value", "to_value", "low", "high")
    return _tidy(curves, [1] * len(curves), dict(zip(columns, np.array(rows).T, strict=True)))


@frozen
class _One:
    """One measure of one run: its series, which of those given that is, and its place there."""

    series: Series
    place: int
    run: int
    measure: int

    @property
    def row(self) -> int:
        """Its row among the lines of the series."""
        return self.run * len(self.series.measures) + self.measure

    @property
    def value(self) -> FloatArray:
        """Batch by batch; NaN where undefined."""
        values = self.series.values
        own = self.run, self.measure
        return np.where(values.defined[own], values.value[own], np.nan)

    @property
    def names(self) -> tuple[str, str, str]:
        """Run, topic and measure."""
        return self.series.runs[self.run], self.series.topic, self.series.measures[self.measure]


def _in_order(drawn: Sequence[Series]) -> Iterator[_One]:
    """Every measure of every run, by run, topic and measure."""
    for run in range(len(drawn[0].runs)):
        for place, series in enumerate(drawn):
            for measure in range(len(series.measures)):
                yield _One(series, place, run, measure)


def _times(series: Series) -> FloatArray:
    """When each batch begins; NaN for the mean."""
    start = np.nan if series.start is None else series.start
    return np.asarray(start + np.arange(len(series.hours)) * series.length, np.float64)


def _tidy(
    curves: Sequence[_One], lengths: Sequence[int], columns: dict[str, FloatArray]
) -> pd.DataFrame:
    """A frame of runs, topics and measures, each for so many rows, with columns beside them."""
    import pandas as pd

    keys = {
        key: np.repeat(np.array([each.names[place] for each in curves], object), lengths)
        for place, key in enumerate(("run", "topic", "measure"))
    }
    return pd.DataFrame(keys | columns)
