"""Matchers made of others: `blend`, the weighted mean, and cheap candidates before a dear one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from matchers.collection import DECIMALS, Collection
from matchers.contract import Judgment, Lot, Matcher, Progress, Terms
from matchers.errors import MatcherError
from matchers.evidence import Evidence
from matchers.pairs import Block, MatcherGold, Pairs
from matchers.parameters import Form, parameter, show_value, show_weighted, threshold, weighted
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


def candidates_parameter(meaning: str = "the matcher that selects pairs; none: all") -> Any:
    """The dataclass field `candidates`: no matcher, which a name need not show."""
    return parameter(None, Form("a matcher", _matcher), meaning, shown=False)


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


_SLACK = 1e-9  # wider than the rounding of a mean
_STRIDE = 1 << 32  # more than there are nuggets


WRITTEN = "matchers to blend, as in blend(fuzzy,grams) or blend(0.7*fuzzy,0.3*grams)"


class WeightedMatcher(NamedTuple):
    """A matcher in a blend, and its weight."""

    weight: float
    matcher: Matcher


def _parts(value: object) -> tuple[WeightedMatcher, ...]:
    """Weights above 0 with matchers that have scores; raises ValueError for anything else."""
    if not isinstance(value, (tuple, list)):
        raise ValueError
    parts = []
    for weight, matcher in (weighted(each) if isinstance(each, str) else each for each in value):
        if not 0 < weight < math.inf:
            raise MatcherError(f"blend: a weight is a number above 0, not {weight}")
        part = get(matcher) if isinstance(matcher, str) else matcher
        parts.append(WeightedMatcher(weight, part.with_threshold(0)))  # so equal blends are equal
    return tuple(parts)


@dataclass(frozen=True)
class Blend(Matcher):
    """The mean of what several matchers say of a pair, each times its weight.

    It is written ``blend(fuzzy,grams)`` for equal weights, or ``blend(0.7*embedding,0.3*fuzzy)``;
    only the ratio of the weights counts. The parts' parameters stand in brackets of their own. A
    part's threshold means nothing here and is dropped: the blend's is the only one. The evidence
    is that of the first part, with the blend's score.
    """

    name: ClassVar[str] = "blend"
    parts: tuple[WeightedMatcher, ...] = parameter(
        (), Form(WRITTEN, _parts), "the matchers, each with its weight", bare=True
    )
    threshold: float = threshold(0.5)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.parts:
            raise MatcherError(f"blend needs {WRITTEN}")

    def named(self, *, without: str = "") -> str:
        """The parts, without the thresholds that are not used, then the blend's own."""
        shown = [show_weighted(w, m.named(without="threshold")) for w, m in self.parts]
        if without != "threshold":
            shown.append(f"threshold={show_value(self.threshold)}")
        return f"{self.name}({','.join(shown)})"

    def read_ahead(self, texts: Iterable[str], progress: Progress | None = None) -> None:
        """Let the parts read ahead."""
        for part in self.parts:
            part.matcher.read_ahead(texts, progress)

    def judge_ahead(
        self, lots: Sequence[Lot], collection: Collection, progress: Progress | None = None
    ) -> None:
        """Let the parts ask."""
        for part in self.parts:
            part.matcher.judge_ahead(lots, collection, progress)

    def judgment(self) -> Judgment | None:
        """What all parts were answered."""
        found = [told for part in self.parts if (told := part.matcher.judgment())]
        if not found:
            return None
        return Judgment(
            "+".join(each.answers for each in found),
            sum(each.unjudged for each in found),
            tuple(line for each in found for line in each.told),
        )

    def on_terms(self, terms: Terms) -> Self:
        """The parts that ask, on these terms."""
        if not any(part.matcher.judgment() for part in self.parts):
            return super().on_terms(terms)
        parts = tuple(
            WeightedMatcher(weight, part.on_terms(terms) if part.judgment() else part)
            for weight, part in self.parts
        )
        return replace(self, parts=parts)

    @property
    def by_blocks(self) -> bool:
        """Whether all parts can do without reading ahead."""
        return all(part.matcher.by_blocks for part in self.parts)

    def prepare(self, nuggets: Collection, collection: Collection) -> BlendGold:
        """Prepare the nuggets for each part."""
        weights = np.array([part.weight for part in self.parts])
        golds = [part.matcher.prepare_rewritten(nuggets, collection) for part in self.parts]
        return BlendGold(golds, weights / weights.sum())

    def _explain(self, update: str, nugget: str, collection: Collection) -> Evidence:
        told = self.parts[0].matcher.explain(update, nugget, collection=collection)
        return replace(told, score=self._score(update, nugget, collection))


@dataclass(frozen=True, eq=False)
class BlendGold:
    """Nuggets, prepared for each part; the weights sum to 1."""

    golds: list[MatcherGold]
    weights: NDArray[np.float64]

    def block(self, texts: list[str]) -> BlendBlock:
        """Let every part read the updates."""
        return BlendBlock([gold.block(texts) for gold in self.golds], self.weights)


@dataclass(frozen=True, eq=False)
class BlendBlock:
    """Updates as each part has read them."""

    blocks: list[Block]
    weights: NDArray[np.float64]

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`: a mean does only if one of its parts does."""
        parts = [block.reaching(max(threshold - _SLACK, _SLACK)) for block in self.blocks]
        packed = np.concatenate([part.update * _STRIDE + part.nugget for part in parts])
        update, nugget = np.divmod(np.unique(packed), _STRIDE)
        return Pairs.of(update, nugget, self.scores(update, nugget), threshold)

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The weighted means for single pairs, summed in the order of the parts."""
        found = np.zeros(len(update))
        for block, weight in zip(self.blocks, self.weights.tolist(), strict=True):
            found += weight * block.scores(update, nugget)
        return np.round(np.minimum(found, 1), DECIMALS).astype(np.float64)
