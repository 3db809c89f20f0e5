"""What is not wrong, but what a reader of the scores should know: the warnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.earliest import EarliestIndex
from tseval.tables import ABSENT, Topics, Updates

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray

NAMED = 5
"""How many names a warning lists before it counts the rest."""


def caveats(
    index: EarliestIndex, starts: FloatArray, topics: Topics | None, *, by_text: bool
) -> Iterator[str]:
    """Warnings about the inputs; `by_text` says that a matcher had to read the nuggets' texts."""
    yield from _unknown_topics(index)
    yield from _early_updates(index, starts)
    yield from _constant_confidences(index.updates)
    if by_text and index.nuggets.text.blank.any():
        blank = index.nuggets.nugget_id.rows(index.nuggets.text.blank).to_list()
        yield f"{count(len(blank), 'nugget')} without text cannot be matched: {listed(blank)}"
    if topics is not None:
        lost = sorted(set(index.topics) - set(topics.topic.to_list()))
        if lost:
            noun = count(len(lost), "judged topic")
            yield f"{noun} not in the topics file start at their earliest nugget: {listed(lost)}"


def _unknown_topics(index: EarliestIndex) -> Iterator[str]:
    updates = index.updates
    for code, run in enumerate(updates.run.vocabulary()):
        lost = (updates.run.codes == code) & (index.unit == ABSENT)
        if lost.any():
            names = sorted(set(updates.topic.rows(lost).to_list()))
            noun = count(len(names), "topic")
            yield f"run {run}: {noun} not in the gold, ignored: {listed(names)}"


def _early_updates(index: EarliestIndex, starts: FloatArray) -> Iterator[str]:
    start = starts[index.unit_topic[index.unit[index.sent]]]
    early = index.updates.time[index.sent] < start
    number = np.bincount(
        index.unit[index.sent][early] // len(index.topics), minlength=len(index.runs)
    )
    for run, many in zip(index.runs, number.tolist(), strict=True):
        if many:
            yield f"run {run}: {count(many, 'update')} before the start of the topic"


def _constant_confidences(updates: Updates) -> Iterator[str]:
    if updates.confidence is None:
        return
    for code, run in enumerate(updates.run.vocabulary()):
        confidence = updates.confidence[updates.run.codes == code]
        if len(confidence) > 1 and (confidence == confidence[0]).all():
            yield f"run {run}: every confidence is {confidence[0]:g}"


def count(number: int, noun: str) -> str:
    """A number with its noun: `1 topic`, `3 topics`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str]) -> str:
    """Some names in words: all of them if they are few."""
    shown = ", ".join(names[:NAMED])
    rest = len(names) - NAMED
    return shown if rest <= 0 else f"{shown} and {rest:,} more"
