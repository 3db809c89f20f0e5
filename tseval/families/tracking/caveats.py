"""What a reader of the errors of tracked values should know: the warnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.doubtful_times import (
    run_spans,
    spans,
    years_apart,
)
from tseval.core.measure import Measure
from tseval.core.wording import count, listed
from tseval.families.tracking.inputs import ValueTables
from tseval.families.tracking.measures import ValueIndex, tells_attributes
from tseval.families.tracking.tables import TrackedValues
from tseval.tables.arrow import strings
from tseval.tables.keys import unknown_by_run

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray


def of_tables(tables: ValueTables, index: ValueIndex) -> Iterator[str]:
    """What is to be said of the inputs, whatever is asked of them."""
    said, gold, topics = tables.values, tables.gold, tables.topics
    found = [*run_spans(said.run, said.topic, said.time), *spans("gold", gold.topic, gold.time)]
    yield from years_apart(found, index.topics)
    yield from _unknown_topics(index, said)
    yield from _untimely(index)
    if topics is not None:
        lost = sorted(set(index.topics) - set(topics.topic.to_list()))
        if lost:
            noun = count(len(lost), "judged topic")
            yield f"{noun} not in the topics file: the period is that of the gold: {listed(lost)}"


def _unknown_topics(index: ValueIndex, values: TrackedValues) -> Iterator[str]:
    """A warning for each run with topics that the gold lacks."""
    for name, lost in unknown_by_run(values.run, values.topic, strings(index.topics)):
        noun = count(len(lost), "topic")
        yield f"run {name}: {noun} not in the gold, ignored: {listed(lost)}"


def _untimely(index: ValueIndex) -> Iterator[str]:
    """A warning for each run with topics of which all its values are outside of the period."""
    outside = index.present & ~index.timely
    for run, where in zip(index.runs, outside, strict=True):
        if where.any():
            lost = _named(index, where)
            noun = count(len(lost), "topic")
            yield f"run {run}: no value within the period of {noun}: {listed(lost)}"


def untold(index: ValueIndex, wanted: Sequence[Measure]) -> Iterator[str]:
    """A warning for each run and attribute that it lacks in topics of which it tells others."""
    asked = [str(each.argument("attribute")) for each in wanted if tells_attributes(each)]
    for attribute in dict.fromkeys(asked):
        lacking = index.present & index.judged(attribute) & ~index.told(attribute)
        for run, where in zip(index.runs, lacking, strict=True):
            if where.any():
                lost = _named(index, where)
                noun = count(len(lost), "topic")
                yield f"run {run}: no values of {attribute} in {noun}: {listed(lost)}"


def _named(index: ValueIndex, where: BoolArray) -> list[str]:
    """The topics that are chosen, by name."""
    return [index.topics[at] for at in np.flatnonzero(where).tolist()]
