"""What a measure returns: one typed result, whatever the family.

A result has a value for each unit, which is a (run, topic), as of any time at which it can be
taken. Some results also say what `all` is, where that is no mean over topics; and some have values
of groups, such as information types, beside those of topics.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from tseval.core import kernel
from tseval.core.kernel import KEY, Contributions
from tseval.core.measure import Measure
from tseval.errors import MeasureError, UsageError
from tseval.io.names import ABSENT, Units
from tseval.io.times import NotANumber
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray


BEFORE_ALL = -1e300
"""A time before every date but that of what counts always."""


@frozen
class Values:
    """Values of which some are undefined; those hold 0 and must not be read."""

    value: FloatArray
    defined: BoolArray


@frozen
class Groups:
    """Values of each run for groups of what it returned; both of the shape (runs, groups)."""

    values: Values
    members: BoolArray
    """The groups that the measure is about."""


@frozen
class Changes:
    """A measure as a step function of time: from just after `time` on it has `value`.

    One row for every unit and every time at which something is dated, sorted by unit and time.
    """

    unit: IntArray
    time: FloatArray
    values: Values
    initial: Values
    """For each unit its value before anything is dated."""


@frozen
class Firsts:
    """One row for each piece of gold that a run said, of any family."""

    unit: IntArray
    """The (run, topic)."""
    gold: IntArray
    """Which piece of gold, by a number that is the same for every run."""
    time: FloatArray
    """When the run said it for the first time, in seconds."""


@frozen
class Batches:
    """The batches of some units: `number[i]` of them from `start[i]` on, each `length` long.

    A batch holds its beginning and not its end. In a batch a measure is the score of the sums of
    the amounts dated in it; what holds always, as the reward of all nuggets in recall, holds in
    every batch.
    """

    start: FloatArray
    length: float
    number: IntArray

    @property
    def most(self) -> int:
        """The largest number of batches."""
        return int(self.number.max(initial=0))

    @property
    def present(self) -> BoolArray:
        """For each unit and batch up to `most` whether the unit has it."""
        return np.asarray(np.arange(self.most) < self.number[:, np.newaxis])

    def of(self, unit: IntArray, time: FloatArray) -> IntArray:
        """The batch in which each time lies, `ABSENT` before the first and after the last."""
        known = np.isfinite(time)
        place = places(self.start[unit], np.where(known, time, 0.0), self.length)
        inside = known & (place >= 0) & (place < self.number[unit])
        return np.where(inside, place, ABSENT).astype(np.int64)

    def of_units(self, topic: IntArray) -> Batches:
        """From the batches of topics those of units, whose topics these are."""
        return replace(self, start=self.start[topic], number=self.number[topic])


def cover(starts: FloatArray, ends: FloatArray, latest: FloatArray, length: float) -> Batches:
    """The batches that reach to each topic's end and hold the latest of its gold; one at least."""
    to_the_end = np.ceil((ends - starts) / length)
    to_the_latest = places(starts, latest, length) + 1
    number = np.maximum(np.maximum(to_the_end, to_the_latest), 1)
    return Batches(starts, length, number.astype(np.int64))


def places(start: FloatArray, time: FloatArray, length: float) -> FloatArray:
    """How many whole batches lie between the start and each time.

    A time that is exactly where a batch begins is in it, whatever the division rounds to.
    """
    place = np.floor((time - start) / length)
    place -= time < start + place * length
    place += time >= start + (place + 1) * length
    return place


class Result(ABC):
    """A measure of every unit."""

    groups: Groups | None = None
    """The values of groups, for a measure that has such."""
    adds_up: ClassVar[bool] = False
    """Whether the results of parts of a run can be added up."""

    @abstractmethod
    def before(self, times: FloatArray) -> Values:
        """The value of each unit from what is dated before its time; infinity is the end."""

    def of_runs(self, times: FloatArray) -> Values | None:  # noqa: ARG002 - some results use them
        """The value of each run as a whole, where that is not the mean over its topics."""
        return None


@frozen
class Taken(Result):
    """A measure that is taken from the whole at once: no time divides it."""

    values: Values
    runs: Values | None = None
    groups: Groups | None = None

    def before(self, times: FloatArray) -> Values:  # noqa: ARG002 - it has but one value
        """The value of each unit."""
        return self.values

    def of_runs(self, times: FloatArray) -> Values | None:  # noqa: ARG002 - it has but one value
        """The value of each run as a whole, where that is not the mean over its topics."""
        return self.runs


@dataclass(frozen=True, eq=False)
class ContributionResult(Result):
    """A measure given by its contributions: it has curves, batches, and values of pooled topics."""

    contributions: Contributions
    units: pl.DataFrame
    """`run topic` of each unit, in the order of their numbers: run by run."""
    of_run: Callable[[pl.DataFrame], pl.DataFrame] | None = None
    """From the units at a time, with sums and values, to `run value`, if not a mean over topics."""
    undivided: str = ""
    """Why a part of the time has no value of its own, for a measure of which that is so."""
    adds_up: ClassVar[bool] = True

    @property
    def runs(self) -> pl.DataFrame:
        """Every `run` in order."""
        return self.units.select("run").unique(maintain_order=True)

    def plus(self, sums: pl.DataFrame) -> ContributionResult:
        """The same with exact sums of contributions that are no longer there, at any time."""
        types = {name: self.units.schema[name] for name in KEY}
        added = sums.cast(types).with_columns(time=pl.lit(kernel.ALWAYS))  # type: ignore[arg-type]
        tables = [*self.contributions.tables, added]
        return replace(self, contributions=replace(self.contributions, tables=tables))

    def before(self, times: FloatArray) -> Values:
        """The value of each unit from the contributions dated before its time."""
        return values_of(self.values_at(times))

    def values_at(self, times: FloatArray) -> pl.DataFrame:
        """The value of each unit and its sums, from the contributions dated before its time."""
        return kernel.value(self.contributions, self.units, self.limits(times))

    def limits(self, times: FloatArray) -> pl.DataFrame | None:
        """The times by unit, None for the end."""
        is_end = bool(np.isposinf(times).all())
        return None if is_end else self.units.select(*KEY, before=pl.Series(times))

    def of_runs(self, times: FloatArray) -> Values | None:
        """The value of each run as a whole, where that is not the mean over its topics."""
        if self.of_run is None:
            return None
        values = self.of_run(self.values_at(times))
        return values_of(self.runs.join(values, on="run", how="left", maintain_order="left"))

    def changes(self, starts: FloatArray) -> Changes:
        """The curve of each unit, with a row at its start in any case."""
        marks = self.units.select(*KEY, start=pl.Series(starts))
        steps = kernel.curve(self.contributions, self.units, marks)
        unit = steps["unit"].cast(pl.Int64).to_numpy()
        initial = self.before(np.full(len(starts), BEFORE_ALL))
        return Changes(unit, steps["time"].to_numpy(), values_of(steps), initial)

    def within(self, batches: Batches) -> Values:
        """The value of each unit in each batch, as (units, most); undefined past its last."""
        found = self._in_batches(batches)
        value, defined = np.zeros(batches.present.shape), np.zeros(batches.present.shape, bool)
        value[batches.present], defined[batches.present] = found.value, found.defined
        return Values(value, defined)

    def _in_batches(self, batches: Batches, by: Sequence[str] = KEY) -> Values:
        start, number = pl.Series(batches.start), pl.Series(batches.number)
        limits = self.units.select(*KEY, start=start, number=number)
        return values_of(kernel.batches(self.contributions, limits, batches.length, by))

    def pooled_changes(self, starts: FloatArray) -> Changes:
        """The curve of each run over all topics together, in seconds since the topics' starts."""
        origin = self.units.select(*KEY, start=pl.Series(starts))
        together = kernel.side_by_side(self.contributions, origin)
        runs = self.runs.with_columns(topic=pl.lit(""))
        return ContributionResult(together, runs).changes(np.zeros(runs.height))

    def pooled_before(self, times: FloatArray) -> Values:
        """The value of each run, from what is dated before the time of each (run, topic).

        To the last bit it is the value of the curve of the run at that time.
        """
        return values_of(kernel.pooled(self.contributions, self.units, self.limits(times)))

    def pooled_within(self, batches: Batches) -> Values:
        """The value of each run in each batch since the topics' starts, as (runs, most)."""
        found, shape = self._in_batches(batches, ["run"]), (self.runs.height, batches.most)
        return Values(found.value.reshape(shape), found.defined.reshape(shape))

    def weights(self, times: FloatArray) -> FloatArray:
        """The sum of the amount that each unit's value is divided by: its weight in the whole."""
        weight = self.contributions.weight
        tables = [each for each in self.contributions.tables if weight in each.columns]
        names = [weight, weight + kernel.FINE]
        own = pl.selectors.by_name(names, require_all=False)
        lanes = own.name.replace(weight, "value", literal=True)
        amounts = [table.select(*KEY, "time", lanes) for table in tables]
        sums = Contributions(amounts, score=lambda sums: sums)
        return values_of(kernel.value(sums, self.units, self.limits(times))).value


def values_of(table: pl.DataFrame) -> Values:
    """Return the column `value`, undefined where it is null."""
    value = table["value"]
    defined = value.is_not_null().to_numpy()
    return Values(np.where(defined, value.cast(pl.Float64).to_numpy(), 0.0), defined)


def moments(measure: Measure, starts: FloatArray) -> FloatArray:
    """The time at which a measure is taken in each unit, whose topic starts there."""
    if measure.moment is None:
        return np.full(len(starts), np.inf)
    try:
        return np.array([measure.moment.seconds_after(start) for start in starts.tolist()])
    except NotANumber as error:
        raise MeasureError(f"{measure}: {error}") from None


def evaluate(
    index: Units, measures: Sequence[Measure], starts: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Values and whether they are defined, both of the shape (runs, topics, measures).

    `starts` holds the start of each topic. A measure asked for at several times is added up once.
    """
    accounts: dict[Measure, Result] = {}
    columns: list[Values] = []
    for measure in measures:
        whole = measure.whole
        if whole not in accounts:
            accounts[whole] = whole.definition.account(index, whole)
        columns.append(accounts[whole].before(moments(measure, starts[index.unit_topic])))
    shape = (len(index.runs), len(index.topics), len(measures))
    values = np.column_stack([column.value for column in columns]).reshape(shape)
    defined = np.column_stack([column.defined for column in columns]).reshape(shape)
    return values, defined


def dated_result(measure: Measure, result: Result) -> ContributionResult:
    """Refuse, as a `UsageError`, a result that has no curves and no batches."""
    if not isinstance(result, ContributionResult):
        raise UsageError(
            f"{measure.whole} has no value in a part of the time: no curve, no batches"
        )
    return result


def account_of(measure: Measure, index: Units) -> ContributionResult:
    """The dated result of a measure, whatever its time; a `UsageError` for one that has none."""
    return dated_result(measure, measure.whole.definition.account(index, measure.whole))


def curve(index: Units, measure: Measure, starts: FloatArray) -> Changes:
    """A measure of every unit at every time at which it can change, and at the topic's start."""
    return account_of(measure, index).changes(starts[index.unit_topic])
