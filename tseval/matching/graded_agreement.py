"""How far matchers that give labels agree with each other: two models, or two runs of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval.matching.judged_pairs import JudgedUpdates
from tseval.matching.matching import TextColumn, every_score

if TYPE_CHECKING:
    import matchers
    from tseval.arrays import FloatArray


class GradedAgreement(NamedTuple):
    """Two matchers' labels of the same pairs."""

    matcher: str
    other: str
    pairs: int
    same: float
    """The share of pairs with the same label."""
    kappa: float
    """Cohen's kappa of the labels; NaN where both give all pairs one label."""


def graded_agreements(
    judged: JudgedUpdates, using: Sequence[matchers.Matcher]
) -> list[GradedAgreement]:
    """Every two of the matchers that give labels, over all pairs of the judged updates."""
    graded = [matcher for matcher in using if matcher.grades]
    return [_agreement(judged, *two) for two in combinations(graded, 2)]


def _agreement(
    judged: JudgedUpdates, one: matchers.Matcher, other: matchers.Matcher
) -> GradedAgreement:
    levels = np.array(sorted({*one.grades, *other.grades}))
    counts = np.zeros((len(levels), len(levels)))
    for mine, theirs in zip(_scores(judged, one), _scores(judged, other), strict=True):
        rows, columns = np.searchsorted(levels, mine), np.searchsorted(levels, theirs)
        np.add.at(counts, (rows, columns), 1)
    pairs = counts.sum()
    same = np.trace(counts) / pairs
    by_chance = (counts.sum(axis=0) @ counts.sum(axis=1)) / pairs**2
    kappa = (same - by_chance) / (1 - by_chance) if by_chance < 1 else np.nan
    name, name_of_other = (each.named(without="threshold") for each in (one, other))
    return GradedAgreement(name, name_of_other, int(pairs), float(same), float(kappa))


def _scores(judged: JudgedUpdates, matcher: matchers.Matcher) -> Iterator[FloatArray]:
    """The scores of all pairs of each topic, in an order that is the same for every matcher."""
    for topic in judged.by_topic():
        gold = judged.nuggets["text"].gather(topic.nuggets).to_list()
        every = every_score(matcher, TextColumn(topic.texts), gold, judged.collection)
        yield np.concatenate([part.ravel() for _, part in every])
