"""Which update an assessor reads next, and what the matcher suggests for it.

A random sample is always mixed in, so that what is read can stand for what is not. Beside it come
the updates that the matcher is least sure of, those that may hold a heavy nugget that a run seems
to miss, and those that others disagree on. A chosen share is read by two.
"""

from __future__ import annotations

import hashlib
import time
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from tseval.desk.pool import one_line
from tseval.matching.corrections import lowered
from tseval.matching.matching import all_scores, match
from tseval.records import frozen

if TYPE_CHECKING:
    import matchers
    from tseval.arrays import BoolArray, FloatArray
    from tseval.desk.judgments import Gold
    from tseval.desk.pool import Pool
    from tseval.desk.state import Nugget, State

RANDOM, NEAR_THRESHOLD, MISSED, DISPUTED = "random", "threshold", "missed", "disputed"
SPLIT, CHOSEN, READING = "split", "chosen", "reading"
TURNS = (RANDOM, NEAR_THRESHOLD, MISSED, DISPUTED)
"""What comes in turn. Where a turn has nothing the next one is taken."""
HELD = 300.0
"""For how many seconds an update that somebody reads is not given to another."""


DEPTH = 0.35
"""How far below the threshold a pair is looked at."""
NEAR = 0.1
"""How far from the threshold a pair is near it."""
QUICK = 0.05
"""Seconds: what takes longer is done beside the requests, on what was known before."""
MOST_SUGGESTED = 5


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
        # Less one of those that another reads just now, and has not yet.
        now = time.monotonic()
        self._held = {item: held for item, held in self._held.items() if held[1] > now}
        for item, (who, _) in self._held.items():
            if who != assessor and who not in state.read.get(item, {}):
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
        others = np.zeros(len(left), bool)
        for own in gold.judged:
            others[own.items] = own.disputed.any(axis=1)
        # What others disagree on, and this assessor has not read.
        disputed: BoolArray = others & ~state.items_read(assessor) & self._in(topic)
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
        eligible, key = {
            RANDOM: (left, np.zeros(len(left))),
            NEAR_THRESHOLD: (left & (hints.near <= NEAR), hints.near),
            MISSED: (left & (hints.missed > 0), -hints.missed),
            DISPUTED: (disputed, np.zeros(len(left))),
        }[kind]
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


def _drawn(seed: int, *names: str) -> float:
    digest = hashlib.sha256("\0".join((str(seed), *names)).encode("utf-8", "surrogatepass"))
    return int.from_bytes(digest.digest()[:7], "big") / 2**56


# What the matcher says.


def scores(matcher: matchers.Matcher, text: str, own: list[Nugget], gold: Gold) -> FloatArray:
    """What the matcher gives an update with each of these nuggets, its threshold aside."""
    texts, every = [one_line(each.text) for each in own], gold.frame["text"].to_list()
    parts = [part for _, part in all_scores(matcher, [text], texts, every)]
    return parts[0][0] if parts and len(own) else np.zeros(len(own))


def suggested(found: FloatArray, threshold: float) -> list[int]:
    """Which nuggets to suggest, the likeliest first: those that nearly reach the threshold."""
    order = np.argsort(-found, kind="stable")[:MOST_SUGGESTED]
    return [int(at) for at in order if found[at] > 0 and found[at] >= threshold - DEPTH]


def threshold_of(matcher: matchers.Matcher) -> float:
    """From which score on the matcher calls a pair a match."""
    return float(getattr(matcher, "threshold", 0.5))


def similar_items(matcher: matchers.Matcher, pool: Pool, item: int, most: int) -> list[int]:
    """The items of the topic whose texts are most like an item's, the likest first."""
    others = [each for each in pool.of_topic[pool.items[item].topic] if each != item]
    if not others:
        return []
    text = pool.items[item].text
    texts = [pool.items[each].text for each in others]
    weighed = [pool.items[each].text for each in pool.of_topic[pool.items[item].topic]]
    found = np.concatenate([part[:, 0] for _, part in all_scores(matcher, texts, [text], weighed)])
    order = np.argsort(-found, kind="stable")[:most]
    return [others[int(at)] for at in order if found[at] > 0]


@frozen(eq=False)
class Hints:
    """Which items the matcher is least sure of, and which may hold what runs seem to miss."""

    near: FloatArray
    """For each item how far its pair closest to the threshold is from it; infinite for none."""
    missed: FloatArray
    """For each item the score of its likeliest nugget that a run seems to miss, times what that is
    worth; 0 for none."""

    @classmethod
    def none(cls, pool: Pool) -> Hints:
        """No hint at all."""
        return cls(np.full(len(pool.items), np.inf), np.zeros(len(pool.items)))


def find_hints(matcher: matchers.Matcher, pool: Pool, gold: Gold) -> Hints:
    """What the matcher says of all items with these nuggets."""
    found = Hints.none(pool)
    if not gold.names:
        return found
    threshold, number = threshold_of(matcher), gold.frame.height
    pairs = match(lowered(matcher, DEPTH), pool.texts, gold.frame)
    update, nugget, score = (pairs[name].to_numpy() for name in pairs.columns)
    np.minimum.at(found.near, update, np.abs(score - threshold))
    # For each run and nugget without a match the run's likeliest item.
    rows = [pool.items[item].rows for item in update.tolist()]
    pair = np.repeat(np.arange(len(pairs)), [len(each) for each in rows])
    run = pool.frame["run"].cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)
    key = run[np.array([row for each in rows for row in each], np.int64)] * number
    key += nugget[pair]
    best: FloatArray = np.zeros((run.max() + 1) * number)
    np.maximum.at(best, key, score[pair])
    likeliest = (score[pair] == best[key]) & (best[key] < threshold)
    worth = score[pair] * gold.frame["importance"].to_numpy()[nugget[pair]]
    np.maximum.at(found.missed, update[pair][likeliest], worth[likeliest])
    return found


class Suggestions:
    """Hints for the nuggets as they stand, or as they stood when they were last worked out."""

    def __init__(self, matcher: matchers.Matcher, pool: Pool) -> None:
        self._matcher, self._pool = matcher, pool
        self._hints = Hints.none(pool)
        self._known: list[Any] | None = None
        """The nuggets that they are of."""
        self._took = 0.0
        self._working: Thread | None = None

    def hints(self, gold: Gold) -> Hints:
        """The hints; where they take long they are worked out meanwhile, for a later call."""
        nuggets = gold.frame.select("topic", "nugget_id", "text", "importance").rows()
        if nuggets == self._known or (self._working and self._working.is_alive()):
            return self._hints
        if self._took < QUICK:
            self._work(nuggets, gold)
        else:
            self._working = Thread(target=self._work, args=(nuggets, gold), daemon=True)
            before = self._hints
            self._working.start()
            return before
        return self._hints

    def _work(self, nuggets: list[Any], gold: Gold) -> None:
        began = time.monotonic()
        self._hints = find_hints(self._matcher, self._pool, gold)
        self._took = time.monotonic() - began
        self._known = nuggets
