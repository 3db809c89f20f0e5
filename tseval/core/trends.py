"""Measures batch by batch, and the lines through them.

A topic's time is cut into equal batches from its start. In each a measure is taken from what is
dated in it alone; a weighted line through these values tells whether a run gets better or worse,
and where it ends. Batches weigh by how many updates, or posts, the run sent in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.curves import check
from tseval.core.measure import Measure
from tseval.core.results import Values, account_of, cover
from tseval.core.wording import count, listed
from tseval.errors import UsageError
from tseval.io.names import ABSENT
from tseval.io.schema import ALL_TOPICS
from tseval.io.times import UNITS
from tseval.records import frozen
from tseval.statistics import assumptions
from tseval.statistics.assumptions import DEPENDENT
from tseval.statistics.trend import FEWEST, Trend, fit

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

    @cached_property
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
    index, names = evaluation.index, tuple(measure.name for measure in measures)
    batches = cover(evaluation.starts, evaluation.ends, evaluation.latest, length)
    if batches.most > MOST:
        raise UsageError(
            f"that makes {batches.most:,} batches of a topic; no more than {MOST:,} are possible: "
            "choose longer ones"
        )
    of_units = batches.of_units(index.unit_topic)
    taken = [evaluation.in_batches(measure, of_units) for measure in measures]
    shape = (len(index.runs), len(index.topics), len(measures), batches.most)
    value, defined = (
        np.stack([getattr(each, name) for each in taken], axis=1).reshape(shape)
        for name in ("value", "defined")
    )
    unit, time = evaluation.sent
    batch = of_units.of(unit, time)
    sent = np.zeros(of_units.present.shape)
    np.add.at(sent, (unit[batch != ABSENT], batch[batch != ABSENT]), 1.0)
    sent = sent.reshape(shape[:2] + shape[3:])
    drawn = []
    for topic in topics:
        if topic == ALL_TOPICS:
            counts = np.ones(shape[:2], bool) if counted is None else counted
            present = batches.present[:, np.newaxis] if undefined_as_zero else defined
            values = _mean(value, defined & counts[..., np.newaxis, np.newaxis], present, counts)
            for place, measure in enumerate(measures):
                if evaluation.pools(measure):
                    pooled = account_of(measure, index).pooled_within(of_units)
                    values.value[:, place] = pooled.value
                    values.defined[:, place] = pooled.defined
            start, number = None, np.where(counts[..., np.newaxis], sent, 0.0).sum(axis=1)
        else:
            place = index.topics.index(topic)
            most, start = int(batches.number[place]), float(batches.start[place])
            values = Values(value[:, place, :, :most], defined[:, place, :, :most])
            number = sent[:, place, :most]
        drawn.append(Series(index.runs, topic, names, start, length, values, number))
    return drawn


def _mean(value: FloatArray, defined: BoolArray, present: BoolArray, counted: BoolArray) -> Values:
    """Return the mean over the topics that count, of which `present` batches are taken."""
    used = np.broadcast_to(present & counted[..., np.newaxis, np.newaxis], value.shape)
    number = used.sum(axis=1)
    total = np.where(defined, value, 0.0).sum(axis=1)
    return Values(total / np.maximum(number, 1), number > 0)


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


def _tidy(
    drawn: Sequence[Series], columns_of: Callable[[int, int], dict[str, Any]]
) -> pd.DataFrame:
    """A frame by run, topic and measure; of a series and a run columns as (measures, rows)."""
    import pandas as pd

    keys: list[tuple[str, str, str]] = []
    parts: list[dict[str, Any]] = []
    for r, run in enumerate(drawn[0].runs):
        for place, series in enumerate(drawn):
            columns = columns_of(place, r)
            shape = np.broadcast_shapes(*map(np.shape, columns.values()))
            parts.append({n: np.broadcast_to(e, shape).ravel() for n, e in columns.items()})
            keys += [(run, series.topic, name) for name in series.measures for _ in range(shape[1])]
    table = pd.DataFrame(np.array(keys, object), columns=["run", "topic", "measure"])
    return table.assign(**{n: np.concatenate([each[n] for each in parts]) for n in parts[0]})


def frame(drawn: Sequence[Series]) -> pd.DataFrame:
    """The batches as a tidy frame: run, topic, measure, time, hours, value, weight.

    `time` and `hours` are those of the batch's beginning; an undefined value is NaN. The mean over
    topics has no `time`, since the topics start at different ones.
    """

    def batches(place: int, run: int) -> dict[str, Any]:
        series = drawn[place]
        start = np.nan if series.start is None else series.start
        return {
            "time": start + np.arange(len(series.hours)) * series.length,
            "hours": series.hours,
            "value": np.where(series.values.defined[run], series.values.value[run], np.nan),
            "weight": series.weights[run],
        }

    return _tidy(drawn, batches)


def trend_frame(drawn: Sequence[Series]) -> pd.DataFrame:
    """The lines as a tidy frame: run, topic, measure, value; measures such as `slope(P)`.

    Where batches are too few for a line, only their number stands.
    """
    told = [statistics(series) for series in drawn]

    def lines(place: int, run: int) -> dict[str, Any]:
        number, names = len(drawn[place].measures), np.array([*told[place]], object)
        rows = slice(run * number, (run + 1) * number)
        is_told = drawn[place].trend.fitted[rows, np.newaxis] | (names == "batches({})")
        values = np.column_stack([*told[place].values()])[rows]
        return {"value": values, "written": names, "is_told": is_told}

    table = _tidy(drawn, lines)
    table = table[table.pop("is_told")].reset_index(drop=True)
    pairs = zip(table.pop("written"), table["measure"], strict=True)
    return table.assign(measure=[name.format(of) for name, of in pairs])


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

    def ends(place: int, run: int) -> dict[str, Any]:
        series, number = drawn[place], len(drawn[place].measures)
        rows, trend = slice(run * number, (run + 1) * number), series.trend
        middles = series.hours + series.length / UNITS["h"] / 2
        until = np.where(trend.used[rows], middles, -np.inf).max(axis=1)
        low, high = (edge[rows] for edge in intervals[place])
        columns = {
            "from_hours": middles[0],
            "to_hours": middles[-1],
            "until_hours": until,
            "from_value": trend.intercept[rows],
            "to_value": trend.end[rows],
            "low": low,
            "high": high,
        }
        return {name: np.reshape(column, (-1, 1)) for name, column in columns.items()}

    return _tidy(drawn, ends)


# What is not wrong, but what a reader should know.


def outside(evaluation: Evaluation, drawn: Sequence[Series]) -> Iterator[str]:
    """For each run how much of what it sent lies in no batch of its topic."""
    index = evaluation.index
    unit, time = evaluation.sent
    batches = cover(evaluation.starts, evaluation.ends, evaluation.latest, drawn[0].length)
    lost = unit[batches.of_units(index.unit_topic).of(unit, time) == ABSENT]
    number = np.bincount(lost // len(index.topics), minlength=len(index.runs))
    for run, many in zip(index.runs, number.tolist(), strict=True):
        if many:
            noun = count(many, "message")
            yield f"run {run}: {noun} before the first batch of the topic or after the last"


def doubts(drawn: Sequence[Series]) -> Iterator[str]:
    """Where there is no line, or none to be trusted, and whose lines reach past what they sent."""
    dependent = [_dependent(series) for series in drawn]
    for r, run in enumerate(drawn[0].runs):
        for series in drawn:
            rows = series.trend.fitted[r * len(series.measures) : (r + 1) * len(series.measures)]
            lost = [name for name, fitted in zip(series.measures, rows, strict=True) if not fitted]
            if lost:
                few = f"it needs {FEWEST} batches with values; choose a shorter --batch"
                yield f"run {run}: no line through {listed(lost)} of {_where(series)}: {few}"
        for word in DEPENDENT:
            wrong = [name for each in dependent for name in each.get((r, word), ())]
            if wrong:
                how = f"with a {word}" if word.startswith("Durbin") else f"that are {word}"
                cannot = "errors and p of these lines cannot be trusted"
                yield f"run {run}: residuals {how} of {listed(wrong)}: {cannot}"
        silent = [(series, _silence(series.sent[r])) for series in drawn]
        where = [f"{_where(series)} ({number:,})" for series, number in silent if number]
        if where and len(drawn) == 1:
            number = silent[0][1]
            last = "batch" if number == 1 else f"{number:,} batches"
            yield f"run {run}: it sent nothing in the last {last}: its end points are forecasts"
        elif where:
            told = "its end points there are forecasts"
            yield f"run {run}: it sent nothing in the last batches of {listed(where)}: {told}"


def _dependent(series: Series) -> dict[tuple[int, str], list[str]]:
    """For each run, and what speaks against independent residuals, the measures with their d."""
    checked, tested = assumptions.check(series.trend), series.trend.tested
    found: dict[tuple[int, str], list[str]] = {}
    places = np.where(tested, checked.dependent(), -1)
    for row in np.flatnonzero(places >= 0).tolist():
        run, measure = divmod(row, len(series.measures))
        d = f"(DW {checked.durbin_watson[row]:.2f})"
        told = f"{series.measures[measure]} of {_where(series)} {d}"
        found.setdefault((run, DEPENDENT[places[row]]), []).append(told)
    return found


def _where(series: Series) -> str:
    return "the mean over topics" if series.topic == ALL_TOPICS else series.topic


def _silence(sent: FloatArray) -> int:
    """How many of the last batches are empty; 0 where all are, since there is no line."""
    filled = np.flatnonzero(sent)
    return len(sent) - 1 - int(filled[-1]) if len(filled) else 0
