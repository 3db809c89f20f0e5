"""How far the desk is: what was read, by whom, and what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval.desk.judgments import UNJUDGED, YES

if TYPE_CHECKING:
    from tseval.desk.judgments import Gold
    from tseval.desk.state import State


class OfTopic(NamedTuple):
    """How far a topic is."""

    topic: str
    updates: int
    read: int
    """By anybody."""
    twice: int
    """By two assessors or more."""
    nuggets: int
    matches: int
    """Pairs that people call a match."""
    disputed: int
    settled: int
    clusters: int


class OfAssessor(NamedTuple):
    """What somebody has done."""

    assessor: str
    decisions: int
    read: int
    matches: int


def by_topic(state: State, gold: Gold) -> list[OfTopic]:
    """How far each topic is."""
    found = []
    for own in gold.judged:
        readers = np.array([len(state.read.get(item, {})) for item in own.items], np.int64)
        named = {state.cluster[item] for item in own.items if item in state.cluster}
        found.append(
            OfTopic(
                own.topic,
                len(own.items),
                int((readers > 0).sum()),
                int((readers > 1).sum()),
                len(own.nuggets),
                int((own.verdict == YES).sum()),
                int(own.disputed.sum()),
                int((own.settled != UNJUDGED).sum()),
                len(named),
            )
        )
    return found


def by_assessor(state: State) -> list[OfAssessor]:
    """What each assessor has done, by name."""
    read = [name for by_name in state.read.values() for name in by_name]
    matched = [
        name
        for by_name in state.choices.values()
        for name, chosen in by_name.items()
        for choice in chosen.values()
        if choice.match
    ]
    return [
        OfAssessor(name, state.assessors[name], read.count(name), matched.count(name))
        for name in sorted(state.assessors)
    ]
