"""Cheap matchers before dear ones: what the cheap one does not let through is never read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matchers.collection import Collection
from matchers.contract import Matcher
from matchers.pairs import Pairs
from matchers.parameters import Form, parameter
from matchers.prepared import Block, MatcherGold
from matchers.registry import get

SLIGHTEST = 1e-9
"""The least score above 0 that is looked at."""


def _matcher(value: object) -> Matcher | None:
    """A matcher, by its name if need be; nothing for none."""
    if value is None or isinstance(value, Matcher):
        return value
    if not isinstance(value, str):
        raise ValueError
    return get(value)


def candidates_parameter(meaning: str = "which pairs are read at all; all without") -> Matcher:
    """The dataclass field `candidates`: no matcher, which a name need not show."""
    matcher: Matcher = parameter(None, Form("a matcher", _matcher), meaning, shown=False)
    return matcher


def least(candidates: Matcher) -> float:
    """What a pair must score by the cheap matcher to be let through."""
    return max(getattr(candidates, "threshold", 0.0), SLIGHTEST)


def through(
    candidates: Matcher | None, gold: MatcherGold, nuggets: Collection, collection: Collection
) -> MatcherGold:
    """The same gold, of which only those pairs are scored that `candidates` let through."""
    if candidates is None:
        return gold
    cheap = candidates.prepare_rewritten(nuggets, collection)
    return CandidateGold(gold, cheap, least(candidates))


@dataclass(frozen=True, eq=False)
class CandidateGold:
    """Nuggets prepared for a dear matcher and for the cheap one before it."""

    gold: MatcherGold
    cheap: MatcherGold
    least: float

    def block(self, texts: list[str]) -> CandidateBlock:
        """Let both read updates; a dear one reads when it is asked for scores."""
        return CandidateBlock(self.gold.block(texts), self.cheap.block(texts), self.least)

    def only(self, nuggets: NDArray[np.int64]) -> CandidateGold:
        """The nuggets of these rows alone."""
        return CandidateGold(self.gold.only(nuggets), self.cheap.only(nuggets), self.least)


@dataclass(frozen=True, eq=False)
class CandidateBlock:
    """Some updates, for both matchers."""

    block: Block
    cheap: Block
    least: float

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that the cheap matcher lets through and that reach `threshold`."""
        found = self.cheap.reaching(self.least)
        score = self.block.scores(found.update, found.nugget)
        return Pairs.of(found.update, found.nugget, score, threshold)

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The scores of single pairs; 0 for those that the cheap matcher does not let through."""
        score = np.zeros(len(update))
        passed = np.flatnonzero(self.cheap.scores(update, nugget) >= self.least)
        score[passed] = self.block.scores(update[passed], nugget[passed])
        return score
