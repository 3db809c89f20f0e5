"""How far assessors agree on pairs that more than one of them judged, and where they don't."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tseval.desk.judgments import UNJUDGED, TopicJudgments
from tseval.statistics.agreement import cohen_kappa, coincidences, krippendorff_alpha
from tseval.statistics.bootstrap import interval, resamples

Floats = NDArray[np.float64]
SHOWN = 20
"""How many confusions are listed."""


class Agreed(NamedTuple):
    """An agreement: of whom or what, its value with its interval, and over how many pairs."""

    group: str
    """`all`, `assessors`, `topic` or `nugget`."""
    topic: str
    """Whose nugget it is; else nothing."""
    name: str
    statistic: str
    value: float
    low: float
    high: float
    pairs: int
    updates: int


class Confusion(NamedTuple):
    """A nugget that one assessor chose where another chose a second one, and how often."""

    topic: str
    nugget: str
    instead: str
    updates: int


def agreements(judged: Iterable[TopicJudgments], seed: int = 0) -> list[Agreed]:
    """Cohen's kappa of each two assessors, Krippendorff's alpha over all, by topic and by nugget.

    The intervals are those of resampled updates: the pairs of one update stand or fall together.
    """
    topics = [_topic_counts(own) for own in judged]
    found = [*_kappas(topics, seed)]
    alphas = [("all", "all", [own.coincidences for own in topics])]
    alphas += [("topic", own.topic, [own.coincidences]) for own in topics]
    found += [_alpha(group, name, parts, seed) for group, name, parts in alphas]
    for own in topics:
        for column, nugget in enumerate(own.nuggets):
            parts = [coincidences(own.counts[:, column : column + 1])]
            found.append(_alpha("nugget", nugget, parts, seed, own.topic))
    return [each for each in found if each.pairs]


class _Topic(NamedTuple):
    """What is counted of a topic."""

    topic: str
    nuggets: list[str]
    of: dict[str, NDArray[np.int8]]
    counts: Floats
    """Of each update and nugget how many say no, and how many yes."""
    coincidences: Floats
    """Of each update."""


def _topic_counts(own: TopicJudgments) -> _Topic:
    counts = np.stack([own.no, own.yes], axis=-1).astype(np.float64)
    names = [each.name for each in own.nuggets]
    return _Topic(own.topic, names, dict(own.of), counts, coincidences(counts))


def _kappas(topics: list[_Topic], seed: int) -> Iterator[Agreed]:
    """Cohen's kappa of each two assessors, over the pairs that both judged."""
    people = sorted({name for own in topics for name in own.of})
    for one, other in combinations(people, 2):
        parts = [
            np.stack(
                [[((a == x) & (b == y)).sum(axis=1) for y in (0, 1)] for x in (0, 1)]
            ).transpose(2, 0, 1)
            for own in topics
            if one in own.of and other in own.of
            for a, b in [(own.of[one], own.of[other])]
        ]
        yield _estimate(
            ("assessors", "", f"{one}, {other}", "kappa"), cohen_kappa, _joined(parts), seed, 1
        )


def _alpha(group: str, name: str, parts: list[Floats], seed: int, topic: str = "") -> Agreed:
    # Of two people each pair counts twice among the coincidences, once from either side.
    return _estimate((group, topic, name, "alpha"), krippendorff_alpha, _joined(parts), seed, 2)


def _joined(parts: list[Floats]) -> Floats:
    """The tables of all updates that say anything."""
    tables = np.concatenate([np.zeros((0, 2, 2)), *parts])
    return tables[tables.any(axis=(1, 2))]


def _estimate(
    named: tuple[str, str, str, str],
    statistic: Callable[[Floats], Floats],
    tables: Floats,
    seed: int,
    sides: int,
) -> Agreed:
    """A statistic of the sum of the tables of updates, with the interval of resampled updates."""
    value = float(statistic(tables.sum(axis=0)))
    drawn = np.full(1, np.nan)
    if len(tables) > 1:
        times = _times(len(tables), seed)
        drawn = statistic((times @ tables.reshape(len(tables), 4)).reshape(-1, 2, 2))
    low, high = interval(drawn)
    pairs = round(float(tables.sum()) / sides)
    return Agreed(*named, value, low, high, pairs, len(tables))


@lru_cache(maxsize=8)
def _times(updates: int, seed: int) -> Floats:
    """How often each update occurs in each resample."""
    return resamples(updates, seed).astype(np.float64)


def confusions(judged: Iterable[TopicJudgments]) -> list[Confusion]:
    """Nuggets of which one assessor chose the one where another chose the other, most often first.

    Both had judged both.
    """
    found: Counter[tuple[str, str, str]] = Counter()
    for own in judged:
        names = [each.name for each in own.nuggets]
        for one, other in combinations(own.of.values(), 2):
            both = (one != UNJUDGED) & (other != UNJUDGED)
            only, instead = both & (one > other), both & (other > one)
            for row in np.flatnonzero(only.any(axis=1) & instead.any(axis=1)).tolist():
                for a in np.flatnonzero(only[row]).tolist():
                    for b in np.flatnonzero(instead[row]).tolist():
                        first, second = sorted((a, b))
                        found[own.topic, names[first], names[second]] += 1
    return [Confusion(*key, times) for key, times in found.most_common(SHOWN)]
