"""Which update an assessor reads next.

A random sample is always mixed in, so that what is read can stand for what is not. Beside it come
the updates that the matcher is least sure of, those that may hold a heavy nugget that a run seems
to miss, and those that others disagree on. A chosen share is read by two.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval.desk.suggestions import NEAR

if TYPE_CHECKING:
    from tseval.desk.judgments import Gold
    from tseval.desk.pool import Pool
    from tseval.desk.state import State
    from tseval.desk.suggestions import Hints
    from tseval.tables.columns import BoolArray, FloatArray

RANDOM, NEAR_THRESHOLD, MISSED, DISPUTED = "random", "threshold", "missed", "disputed"
SPLIT, CHOSEN, READING = "split", "chosen", "reading"
TURNS = (RANDOM, NEAR_THRESHOLD, MISSED, DISPUTED)
"""What comes in turn. Where a turn has nothing the next one is taken."""
HELD = 300.0
"""For how many seconds an update that somebody reads is not given to another."""


class Next(NamedTuple):
    """An item, and why it is shown."""

    item: int
    shown_by: str


class Queue:
    """Hands out items; the same decisions and seed give the same order."""

    def __init__(self, pool: Pool, seed: int, double: float) -> None:
        self._pool, self._seed = pool, seed
        self._draw = self._drawn("queue")
        self.twice: BoolArray = self._drawn("double") < double
        """Which items two assessors are to read."""
        self._held: dict[int, tuple[str, float]] = {}

    def _drawn(self, purpose: str) -> FloatArray:
        """A number between 0 and 1 of each item, which follows from its name and the seed alone."""
        items = self._pool.items
        return np.array([_drawn(self._seed, purpose, each.topic, each.name) for each in items])

    def left(self, state: State, assessor: str, topic: str = "") -> BoolArray:
        """Which items this assessor is still to read."""
        wanted = np.where(self.twice, 2, 1)
        readers = state.readers
        left: BoolArray = ~state.items_read(assessor) & (readers < wanted)
        for item in self._others(state, assessor):
            left[item] &= readers[item] + 1 < wanted[item]
        return left & self._in(topic)

    def next(
        self,
        state: State,
        gold: Gold,
        hints: Hints,
        assessor: str,
        topic: str = "",
        but: int | None = None,
    ) -> Next | None:
        """The next item for an assessor; None if nothing is left to read.

        `but` is not given: the page shows it already.
        """
        again = _split(state, assessor)
        left = self.left(state, assessor, topic)
        disputed = _disputed(state, gold, assessor) & self._in(topic)
        for chosen in (left, disputed):
            if but is not None:
                chosen[but] = False
        found = next((i for i in again if self._in(topic)[i] and i != but), None)
        if found is not None:
            return self._hold(Next(found, SPLIT), assessor)
        turn = int(state.items_read(assessor).sum()) % len(TURNS)
        for kind in (*TURNS[turn:], *TURNS[:turn]):
            item = self._of_kind(kind, left, disputed, hints)
            if item is not None:
                return self._hold(Next(item, kind), assessor)
        return None

    def _of_kind(self, kind: str, left: BoolArray, disputed: BoolArray, hints: Hints) -> int | None:
        """The first item of a kind; ties by the draw."""
        if kind == RANDOM:
            eligible, key = left, np.zeros(len(left))
        elif kind == NEAR_THRESHOLD:
            eligible, key = left & (hints.near <= NEAR), hints.near
        elif kind == MISSED:
            eligible, key = left & (hints.missed > 0), -hints.missed
        else:
            eligible, key = disputed, np.zeros(len(left))
        at = np.flatnonzero(eligible)
        if not len(at):
            return None
        return int(at[np.lexsort((self._draw[at], key[at]))[0]])

    def _in(self, topic: str) -> BoolArray:
        inside = np.full(len(self._pool.items), not topic)
        if topic:
            inside[self._pool.of_topic.get(topic, [])] = True
        return inside

    def _hold(self, given: Next, assessor: str) -> Next:
        self._held[given.item] = assessor, time.monotonic() + HELD
        return given

    def _others(self, state: State, assessor: str) -> list[int]:
        """The items that another assessor reads just now, and has not yet."""
        now = time.monotonic()
        self._held = {item: held for item, held in self._held.items() if held[1] > now}
        return [
            item
            for item, (who, _) in self._held.items()
            if who != assessor and who not in state.read.get(item, {})
        ]


def _split(state: State, assessor: str) -> list[int]:
    """The items that the assessor matched with a nugget that was split since, into unread parts."""
    split = {each.name: each.parts for each in state.nuggets.values() if each.parts}
    if not split:
        return []
    found = []
    for item, by_name in state.choices.items():
        read = state.read.get(item, {}).get(assessor)
        shown = frozenset() if read is None else read.shown
        parts = {
            part
            for nugget, choice in by_name.get(assessor, {}).items()
            if choice.match
            for part in split.get(nugget, ())
        }
        topic = state.pool.items[item].topic
        if any(state.nuggets[topic, part].counts for part in parts - shown):
            found.append(item)
    return sorted(found)


def _disputed(state: State, gold: Gold, assessor: str) -> BoolArray:
    """The items that others disagree on, and this assessor has not read."""
    found = np.zeros(len(state.pool.items), bool)
    for own in gold.judged:
        found[own.items] = own.disputed.any(axis=1)
    disputed: BoolArray = found & ~state.items_read(assessor)
    return disputed


def _drawn(seed: int, *names: str) -> float:
    digest = hashlib.sha256("\0".join((str(seed), *names)).encode("utf-8", "surrogatepass"))
    return int.from_bytes(digest.digest()[:7], "big") / 2**56
