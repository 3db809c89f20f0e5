"""From the state to judgments: who says what of every pair, and what follows of it.

An assessor who has read an item judges it against every nugget that there was when it was shown:
those that were not chosen are no match. What assessors disagree on goes by the majority until it
is settled, and counts as no match where they are even.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tseval.desk.pool import made_here, one_line
from tseval.desk.state import Nugget, State
from tseval.records import frozen
from tseval.tables import Ids, Nuggets, Texts

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray

Verdicts: TypeAlias = NDArray[np.int8]
UNJUDGED, NO, YES = -1, 0, 1


@frozen(eq=False)
class TopicJudgments:
    """The judgments of a topic: by assessor, item and nugget 1, 0, or -1 where there is none."""

    topic: str
    items: list[int]
    nuggets: list[Nugget]
    of: Mapping[str, Verdicts]
    """Items by nuggets of each assessor."""
    settled: Verdicts

    @cached_property
    def yes(self) -> NDArray[np.int64]:
        """How many say that it is a match."""
        return self._count(YES)

    @cached_property
    def no(self) -> NDArray[np.int64]:
        """How many say that it is none."""
        return self._count(NO)

    def _count(self, verdict: int) -> NDArray[np.int64]:
        found = np.zeros(self.settled.shape, np.int64)
        for own in self.of.values():
            found += own == verdict
        return found

    @property
    def disputed(self) -> BoolArray:
        """What assessors disagree on, and nobody has settled."""
        disputed: BoolArray = (self.yes > 0) & (self.no > 0) & (self.settled == UNJUDGED)
        return disputed

    @cached_property
    def verdict(self) -> Verdicts:
        """What follows: 1, 0, or -1 where nobody has judged."""
        by_votes = np.where(self.yes > self.no, YES, np.where(self.no > 0, NO, UNJUDGED))
        settled: Verdicts = np.where(self.settled == UNJUDGED, by_votes, self.settled).astype(
            np.int8
        )
        return settled


def topic_judgments(state: State, topic: str) -> TopicJudgments:
    """The judgments of a topic."""
    items, nuggets = state.pool.of_topic[topic], state.live(topic)
    column = {each.name: at for at, each in enumerate(nuggets)}
    shown: dict[frozenset[str], BoolArray] = {}
    shape = len(items), len(nuggets)
    of: dict[str, Verdicts] = {}

    def own(assessor: str) -> Verdicts:
        if assessor not in of:
            of[assessor] = np.full(shape, UNJUDGED, np.int8)
        return of[assessor]

    settled = np.full(shape, UNJUDGED, np.int8)
    for at, item in enumerate(items):
        for assessor, read in state.read.get(item, {}).items():
            if read.shown not in shown:
                seen = [not each.written or each.name in read.shown for each in nuggets]
                shown[read.shown] = np.array(seen, bool)
            own(assessor)[at, shown[read.shown]] = NO
        for assessor, chosen in state.choices.get(item, {}).items():
            for nugget, choice in chosen.items():
                if nugget in column:
                    own(assessor)[at, column[nugget]] = YES if choice.match else NO
    row = {item: at for at, item in enumerate(items)}
    for (item, nugget), match in state.settled.items():
        if item in row and nugget in column:
            settled[row[item], column[nugget]] = YES if match else NO
    return TopicJudgments(topic, items, nuggets, dict(sorted(of.items())), settled)


@frozen(eq=False)
class Gold:
    """The nuggets that count as a table, with their judgments."""

    table: Nuggets
    names: tuple[tuple[str, str], ...]
    judged: tuple[TopicJudgments, ...]

    @classmethod
    def of(cls, state: State, given: Nuggets | None, judged: tuple[TopicJudgments, ...]) -> Gold:
        """The gold of a state, whose topics with items are judged so.

        Nuggets stand in the order of topics, and in which they came. They have a cost and a length
        where those that were given have them.
        """
        topics = dict.fromkeys(topic for topic, _ in state.nuggets)
        rest = [topic for topic in topics if topic not in state.pool.of_topic]
        nuggets = [each for own in judged for each in own.nuggets]
        times = [at for own in judged for at in _times(state, own)]
        for topic in rest:  # of topics that no run has an update of
            nuggets += (own := state.live(topic))
            times += [each.time or 0.0 for each in own]
        names = tuple((each.topic, each.name) for each in nuggets)
        table = Nuggets(
            Ids.of([each.topic for each in nuggets]),
            Ids.of([each.name for each in nuggets]),
            np.array(times, np.float64),
            one_line(Texts.of([each.text for each in nuggets])),
            made_here("nuggets", len(nuggets), ""),
            np.array([each.importance for each in nuggets], np.float64),
            _column(given is not None and given.cost is not None, [each.cost for each in nuggets]),
            _column(
                given is not None and given.length is not None, [each.length for each in nuggets]
            ),
        )
        return cls(table, names, judged)


def _column(there: bool, values: list[float]) -> FloatArray | None:
    return np.array(values, np.float64) if there else None


def _times(state: State, judged: TopicJudgments) -> Iterator[float]:
    """The time of each nugget: as it is set, else that of the earliest update that says it.

    People's judgments count alone; where they have none left, the update that it was read in.
    """
    times: FloatArray = np.array([state.pool.items[item].time for item in judged.items])
    for column, nugget in enumerate(judged.nuggets):
        if nugget.time is not None:
            yield nugget.time
            continue
        said = times[judged.verdict[:, column] == YES]
        if len(said):
            yield float(said.min())
        elif nugget.read_in is not None:
            yield state.pool.items[nugget.read_in].time
        else:
            yield float(times.min())
