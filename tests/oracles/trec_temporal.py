"""The measures of TREC Temporal Summarization by their published formulas, slow and obvious.

This is the yardstick for edition `ts`, written from the words of the specification alone:

    R(n)    = e^n.importance / e^(largest importance of the topic)
    L(n, u) = 1 - (2/pi) arctan((u.time - n.time) / 21600)
    V(u)    = 1 + (words of u - words of u that lie in a span matching a nugget for which u is the
              first) / mean words of a nugget
    EG = sum G / sum V,  nEG = EG / Z,  Z = mean of the k largest R(n), k = min(nuggets, updates)
    C  = sum of gains / sum of R over all nuggets,  HM = 2 nELG LC / (nELG + LC), 0 if that is 0 / 0

Everything is computed afresh for every value, with lists and for loops. `None` is undefined.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise


@dataclass(frozen=True)
class Update:
    """One message of a run, at its place in the file."""

    topic: str
    update_id: str
    time: float
    text: str = ""
    run: str = "run"
    confidence: float = 1.0


@dataclass(frozen=True)
class Nugget:
    """One thing that there was to say."""

    topic: str
    nugget_id: str
    time: float
    text: str = ""
    importance: float = 1.0


@dataclass(frozen=True)
class Match:
    """An update says a nugget, in the characters from `start` to before `end`."""

    topic: str
    update_id: str
    nugget_id: str
    start: int
    end: int
    grade: float = 1.0


@dataclass(frozen=True)
class Pooled:
    """An update that assessors saw; `duplicate_id` names the one that stands for it."""

    topic: str
    update_id: str
    text: str = ""
    duplicate_id: str = "NULL"


@dataclass(frozen=True)
class Collection:
    """All that an evaluation needs, in the order of the files; without a pool `pool` is None."""

    updates: Sequence[Update]
    nuggets: Sequence[Nugget]
    matches: Sequence[Match]
    pool: Sequence[Pooled] | None = None
    periods: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Said:
    """What became of one update: what it earned, and what it cost."""

    time: float
    confidence: float
    pooled: bool
    rewards: tuple[float, ...]
    discounts: tuple[float, ...]
    rises: tuple[float, ...]
    """By how much it says more of each nugget than any update before it."""
    verbosity: float

    @property
    def gain(self) -> float:
        return sum(reward * rise for reward, rise in zip(self.rewards, self.rises, strict=True))

    @property
    def latency_gain(self) -> float:
        every = zip(self.rewards, self.discounts, self.rises, strict=True)
        return sum(reward * discount * rise for reward, discount, rise in every)

    @property
    def discount(self) -> float:
        return sum(d * rise for d, rise in zip(self.discounts, self.rises, strict=True))


def said(collection: Collection, run: str, topic: str) -> list[Said]:
    """The updates of a run on a topic in the order of their times, ties as in the file."""
    nuggets = {n.nugget_id: n for n in collection.nuggets if n.topic == topic}
    largest = max(n.importance for n in nuggets.values())
    mean = sum(len(n.text.split()) for n in nuggets.values()) / len(nuggets)
    seen: dict[str, float] = {}
    result = []
    sent = [u for u in collection.updates if (u.run, u.topic) == (run, topic)]
    for update in sorted(sent, key=lambda u: u.time):
        identity, text, pooled = stands_for(collection, update)
        rewards, discounts, rises, spans = [], [], [], []
        for match in collection.matches:
            known = seen.get(match.nugget_id, 0.0)
            if (match.topic, match.update_id) != (topic, identity) or match.grade <= known:
                continue
            seen[match.nugget_id] = match.grade
            rises.append(match.grade - known)
            nugget = nuggets[match.nugget_id]
            late = update.time - nugget.time
            rewards.append(math.exp(nugget.importance - largest))
            discounts.append(1 - 2 / math.pi * math.atan(late / 21600))
            spans.append((match.start, match.end))
        idle = len(text.split()) - len(touched(text, spans))
        verbosity = 1 + idle / mean if mean else 1.0
        result.append(
            Said(
                update.time,
                update.confidence,
                pooled,
                tuple(rewards),
                tuple(discounts),
                tuple(rises),
                verbosity,
            )
        )
    return result


def stands_for(collection: Collection, update: Update) -> tuple[str, str, bool]:
    """The id and text that count for an update, and whether it is in the pool."""
    pool = {p.update_id: p for p in collection.pool or () if p.topic == update.topic}
    own = pool.get(update.update_id)
    if own is None:
        return update.update_id, update.text, collection.pool is None
    other = pool.get(own.duplicate_id) if own.duplicate_id != "NULL" else None
    return ((other or own).update_id, (other or own).text, True)


def touched(text: str, spans: Iterable[tuple[int, int]]) -> set[int]:
    """The places of the words that any span touches."""
    words, at = [], 0
    for word in text.split():
        begin = text.index(word, at)
        at = begin + len(word)
        words.append((begin, at))
    return {
        place
        for place, (begin, finish) in enumerate(words)
        for start, end in spans
        if start < finish and begin < end and start <= end
    }


def over(above: float, below: float) -> float | None:
    return above / below if below > 0 else None


def value(
    collection: Collection, run: str, topic: str, name: str, until: float | None = None
) -> float | None:
    """A measure of a run on a topic, over the updates before a time."""
    rewards = [n.importance for n in collection.nuggets if n.topic == topic]
    rewards = sorted((math.exp(i - max(rewards)) for i in rewards), reverse=True)
    everything = said(collection, run, topic)
    updates = [u for u in everything if until is None or u.time < until]
    if name.endswith("(area)"):
        return area(collection, topic, name[: -len("(area)")], updates, sum(rewards))
    if name == "updates":
        return float(len(updates))
    if name == "sampled":
        return float(sum(u.pooled for u in updates))
    biased = name.startswith("cb")
    weights = [u.confidence if biased else 1.0 for u in updates]
    total = sum(weights)

    def weighed(amounts: Iterable[float]) -> float:
        if not biased:
            return sum(amounts)
        summed = sum(w * a for w, a in zip(weights, amounts, strict=True))
        return summed / total if total > 0 else 0.0

    gain = weighed(u.gain for u in updates)
    latency_gain = weighed(u.latency_gain for u in updates)
    verbosity = sum(u.verbosity for u in updates)
    k = min(len(rewards), len(updates))
    best = sum(rewards[:k]) / k if k else 0.0
    return _values(
        gain=gain,
        latency_gain=latency_gain,
        verbosity=verbosity,
        best=best,
        everything=sum(rewards),
        own_verbosity=weighed(u.verbosity for u in updates),
        discounts=weighed(u.discount for u in updates),
        number=len(updates),
        found=sum(sum(u.rises) for u in updates),
    )[name.removeprefix("cb")]


def _values(
    *,
    gain: float,
    latency_gain: float,
    verbosity: float,
    best: float,
    everything: float,
    own_verbosity: float,
    discounts: float,
    number: int,
    found: float,
) -> dict[str, float | None]:
    eg, elg = over(gain, verbosity), over(latency_gain, verbosity)
    neg = None if eg is None else over(eg, best)
    nelg = None if elg is None else over(elg, best)
    lc = over(latency_gain, everything)
    left, right = nelg or 0.0, lc or 0.0
    return {
        "EG": eg,
        "ELG": elg,
        "nEG": neg,
        "nELG": nelg,
        "C": over(gain, everything),
        "LC": lc,
        "HM": 2 * left * right / (left + right) if left + right > 0 else 0.0,
        "V": over(own_verbosity, number),
        "L": over(discounts, found),
    }


def area(
    collection: Collection, topic: str, name: str, updates: Sequence[Said], everything: float
) -> float | None:
    """The area under C(t) or LC(t) over the topic's period, by its length, step by step."""
    times = [n.time for n in collection.nuggets if n.topic == topic]
    start, end = collection.periods.get(topic, (min(times), max(times)))
    if end <= start:
        return None
    moments = sorted({start, end, *(u.time for u in updates if start < u.time < end)})
    total = 0.0
    for low, high in pairwise(moments):
        so_far = [u for u in updates if u.time <= low]
        gained = sum(u.gain if name == "C" else u.latency_gain for u in so_far)
        total += gained / everything * (high - low)
    return total / (end - start)
