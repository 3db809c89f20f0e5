"""From an index to the values of measures: at their times, and as curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.earliest import EarliestIndex
from tseval.measures.accounts import Account, Changes, Values, changes
from tseval.measures.measure import Measure
from tseval.tables.units import Units

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray


def moments(measure: Measure, starts: FloatArray) -> FloatArray:
    """The time at which a measure is taken in each unit, whose topic starts there."""
    if measure.moment is None:
        return np.full(len(starts), np.inf)
    if measure.moment.relative:
        return starts + measure.moment.seconds
    return np.full(len(starts), measure.moment.seconds)


def evaluate(
    index: EarliestIndex, measures: Sequence[Measure], starts: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Values and whether they are defined, both of the shape (runs, topics, measures).

    `starts` holds the start of each topic. A measure asked for at several times is added up once.
    """
    unit_starts = starts[index.unit_topic]
    accounts: dict[Measure, Account] = {}
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
    account = measure.whole.definition.account(index, measure.whole)
    return changes(account, starts[index.unit_topic])
