"""What the matcher thinks: of one update for whoever reads it, of all of them for the queue."""

from __future__ import annotations

import time
from threading import Thread
from typing import TYPE_CHECKING

import numpy as np

from tseval.matching.matching import every_score, match
from tseval.matching.review import lowered
from tseval.records import frozen
from tseval.tables import Texts

if TYPE_CHECKING:
    import matchers
    from tseval.desk.judgments import Gold
    from tseval.desk.pool import Pool
    from tseval.desk.state import Nugget
    from tseval.tables import Nuggets, Pairs
    from tseval.tables.columns import FloatArray

DEPTH = 0.35
"""How far below the threshold a pair is looked at."""
NEAR = 0.1
"""How far from the threshold a pair is near it."""
QUICK = 0.05
"""Seconds: what takes longer is done beside the requests, on what was known before."""
MOST_SUGGESTED = 5


def scores(matcher: matchers.Matcher, text: str, own: list[Nugget], every: Nuggets) -> FloatArray:
    """What the matcher gives an update with each of these nuggets, its threshold aside."""
    texts = [" ".join(each.text.split()) for each in own]
    parts = [part for _, part in every_score(matcher, Texts.of([text]), texts, list(every.text))]
    return parts[0][0] if parts and len(own) else np.zeros(len(own))


def suggested(found: FloatArray, threshold: float) -> list[int]:
    """Which nuggets to suggest, the likeliest first: those that nearly reach the threshold."""
    order = np.argsort(-found, kind="stable")[:MOST_SUGGESTED]
    return [int(at) for at in order if found[at] > 0 and found[at] >= threshold - DEPTH]


def threshold_of(matcher: matchers.Matcher) -> float:
    """From which score on the matcher calls a pair a match."""
    return float(getattr(matcher, "threshold", 0.5))


def alike(matcher: matchers.Matcher, pool: Pool, item: int, most: int) -> list[int]:
    """The items of the topic whose texts are most like an item's, the likest first."""
    others = [each for each in pool.of_topic[pool.items[item].topic] if each != item]
    if not others:
        return []
    text = pool.items[item].text
    texts = Texts.of([pool.items[each].text for each in others])
    weighed = [pool.items[each].text for each in pool.of_topic[pool.items[item].topic]]
    found = np.concatenate([part[:, 0] for _, part in every_score(matcher, texts, [text], weighed)])
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


def hints(matcher: matchers.Matcher, pool: Pool, nuggets: Nuggets) -> Hints:
    """What the matcher says of all items with these nuggets."""
    found = Hints.none(pool)
    if not len(nuggets):
        return found
    threshold = threshold_of(matcher)
    pairs = match(lowered(matcher, DEPTH), pool.texts, nuggets)
    score = np.ones(len(pairs)) if pairs.score is None else pairs.score
    np.minimum.at(found.near, pairs.update, np.abs(score - threshold))
    _note_missed(found, pool, nuggets, pairs, score, threshold)
    return found


def _note_missed(
    found: Hints, pool: Pool, nuggets: Nuggets, pairs: Pairs, score: FloatArray, threshold: float
) -> None:
    """For each run and nugget without a match the run's likeliest item."""
    run = pool.updates.run
    rows = [pool.items[item].rows for item in pairs.update.tolist()]
    pair = np.repeat(np.arange(len(pairs)), [len(each) for each in rows])
    runs = run.codes[np.array([row for each in rows for row in each], np.int64)]
    key = runs * len(nuggets) + pairs.nugget[pair]
    best: FloatArray = np.zeros(len(run.names) * len(nuggets))
    np.maximum.at(best, key, score[pair])
    likeliest = (score[pair] == best[key]) & (best[key] < threshold)
    worth = score[pair] * nuggets.importance[pairs.nugget[pair]]
    np.maximum.at(found.missed, pairs.update[pair][likeliest], worth[likeliest])


class Foresight:
    """Hints for the nuggets as they stand, or as they stood when they were last worked out."""

    def __init__(self, matcher: matchers.Matcher, pool: Pool) -> None:
        self._matcher, self._pool = matcher, pool
        self._hints = Hints.none(pool)
        self._version = -1
        self._took = 0.0
        self._working: Thread | None = None

    def of(self, version: int, gold: Gold) -> Hints:
        """The hints; where they take long they are worked out meanwhile, for a later call."""
        if version == self._version or (self._working and self._working.is_alive()):
            return self._hints
        known = self._hints
        if self._took < QUICK:
            self._work(version, gold.table)
            return self._hints
        self._working = Thread(target=self._work, args=(version, gold.table), daemon=True)
        self._working.start()
        return known

    def _work(self, version: int, nuggets: Nuggets) -> None:
        began = time.monotonic()
        self._hints = hints(self._matcher, self._pool, nuggets)
        self._took = time.monotonic() - began
        self._version = version
