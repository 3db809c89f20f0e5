"""From an index to the values of measures: at their times, and as curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.batches import Batches
from tseval.core.measure import Measure
from tseval.core.results import Changes, DatedResult, Result, Values
from tseval.errors import MeasureError, UsageError
from tseval.io.names import Units
from tseval.io.times import NotANumber

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray


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
    unit_starts = starts[index.unit_topic]
    accounts: dict[Measure, Result] = {}
    columns: list[Values] = []
    for measure in measures:
        whole = measure.whole
        if whole not in accounts:
            accounts[whole] = whole.definition.account(index, whole)
        columns.append(accounts[whole].before(moments(measure, unit_starts)))
    shape = (len(index.runs), len(index.topics), len(measures))
    values = np.column_stack([column.value for column in columns]).reshape(shape)
    defined = np.column_stack([column.defined for column in columns]).reshape(shape)
    return values, defined


def curve(index: Units, measure: Measure, starts: FloatArray) -> Changes:
    """A measure of every unit at every time at which it can change, and at the topic's start."""
    return account_of(measure, index).changes(starts[index.unit_topic])


def account_of(measure: Measure, index: Units) -> DatedResult:
    """The dated result of a measure, whatever its time; a `UsageError` for one that has none."""
    return account_in(measure, measure.whole.definition.account(index, measure.whole))


def in_batches(measure: Measure, index: Units, batches: Batches) -> Values:
    """A measure of each unit in each batch; a `UsageError` for one that has no batches."""
    account = account_of(measure, index)
    if account.undivided:
        raise UsageError(f"{measure} has no value in a batch: {account.undivided}")
    return account.within(batches)


def account_in(measure: Measure, found: Result) -> DatedResult:
    """A result that has curves and batches; a `UsageError` for one that has none."""
    if not isinstance(found, DatedResult):
        raise UsageError(
            f"{measure.whole} has no value in a part of the time: no curve, no batches"
        )
    return found
