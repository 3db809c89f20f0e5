"""Matchers of whole normalised texts: `exact`, and the sentence scorers of RapidFuzz."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz
from rapidfuzz.process import cdist, cpdist

from matchers.collection import Collection
from matchers.contract import Matcher
from matchers.pairs import Block, Pairs
from matchers.parameters import choice, flag, parameter, threshold
from matchers.texts import cores, parts
from matchers.words import normalised


@dataclass(frozen=True)
class Exact(Matcher):
    """1 if the normalised texts are equal, 0 otherwise.

    With `contained` also 1 if one of the texts is a run of whole words of the other: "4 dead" is
    in "at least 4 dead" but not in "24 dead". Texts without words match nothing.
    """

    name: ClassVar[str] = "exact"
    contained: bool = parameter(False, flag(), "whether a text matches a text that contains it")
    threshold: float = threshold(1.0)

    def prepare(self, nuggets: Collection, collection: Collection) -> NormalisedGold:  # noqa: ARG002
        """Normalise the nuggets; no weights are needed."""
        return NormalisedGold(
            [normalised(text) for text in nuggets], partial(ExactBlock, self.contained)
        )


@dataclass(frozen=True, eq=False)
class NormalisedGold:
    """Nuggets, normalised, and what holds normalised updates against them."""

    nuggets: list[str]
    hold: Callable[[list[str], list[str]], Block]

    def block(self, texts: list[str]) -> Block:
        """Normalise updates."""
        return self.hold([normalised(text) for text in texts], self.nuggets)


@dataclass(frozen=True, eq=False)
class ExactBlock:
    """Updates and nuggets, normalised."""

    contained: bool
    updates: list[str]
    nuggets: list[str]

    def reaching(self, threshold: float) -> Pairs:  # noqa: ARG002
        """The pairs that match: scores are 0 or 1, so every threshold above 0 is the same."""
        places = defaultdict(list)
        for place, nugget in enumerate(self.nuggets):
            places[nugget].append(place)
        found = {(u, n) for u, text in enumerate(self.updates) if text for n in places[text]}
        if self.contained:
            found.update((u, n) for n, u in _contained_needles(self.nuggets, self.updates))
            found.update(_contained_needles(self.updates, self.nuggets))
        rows = np.array(list(found), np.int64).reshape(-1, 2)
        return Pairs.of(rows[:, 0], rows[:, 1], np.ones(len(rows)))

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """1 or 0 for each pair."""
        same = [
            _same(self.updates[u], self.nuggets[n], self.contained)
            for u, n in zip(update, nugget, strict=True)
        ]
        return np.array(same, np.float64)


def _same(update: str, nugget: str, contained: bool) -> bool:
    if not update or not nugget:
        return False
    update, nugget = f" {update} ", f" {nugget} "
    return update == nugget or (contained and (nugget in update or update in nugget))


def _contained_needles(needles: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Which needles are a run of words of which texts; all texts are searched as one string."""
    joined = "\0".join(f" {text} " for text in texts)
    starts = list(accumulate((len(text) + 3 for text in texts), initial=0))
    for number_, needle in enumerate(needles):
        place = joined.find(f" {needle} ") if needle else -1
        while place >= 0:
            text = bisect_right(starts, place) - 1
            yield number_, text
            place = joined.find(f" {needle} ", starts[text + 1])


SCORERS = (
    "QRatio",
    "WRatio",
    "partial_ratio",
    "partial_token_ratio",
    "partial_token_set_ratio",
    "partial_token_sort_ratio",
    "ratio",
    "token_ratio",
    "token_set_ratio",
    "token_sort_ratio",
)
"""The names of all scorers of `rapidfuzz.fuzz`."""

USELESS = {
    "ratio": "it punishes an update for everything else that it says: worse than chance",
    "QRatio": "it punishes an update for everything else that it says: worse than chance",
    "WRatio": "it calls nearly everything a match",
    "partial_token_set_ratio": "it calls nearly everything a match",
}
"""Scorers that are no use for telling which update says which nugget, and why."""


@dataclass(frozen=True)
class RapidFuzz(Matcher):
    """What a scorer of `rapidfuzz.fuzz` gives for the two normalised texts, divided by 100.

    Texts without words score 0, whatever the scorer says of them. Making one with a scorer that
    is no use here warns.
    """

    name: ClassVar[str] = "rapidfuzz"
    scorer: str = parameter("token_set_ratio", choice(SCORERS), "the scorer of `rapidfuzz.fuzz`")
    threshold: float = threshold(0.7)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scorer in USELESS:
            warnings.warn(
                f"rapidfuzz(scorer={self.scorer}) is no use for matching updates to nuggets: "
                + USELESS[self.scorer],
                stacklevel=3,
            )

    def prepare(self, nuggets: Collection, collection: Collection) -> NormalisedGold:  # noqa: ARG002
        """Normalise the nuggets; no weights are needed."""
        scorer = getattr(fuzz, self.scorer)
        return NormalisedGold(
            [normalised(text) for text in nuggets], partial(SentenceBlock, scorer)
        )


@dataclass(frozen=True, eq=False)
class SentenceBlock:
    """Updates and nuggets, normalised."""

    scorer: Callable[..., Any]
    updates: list[str]
    nuggets: list[str]

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`."""
        wordless, found = _wordless(self.nuggets), []
        for rows in parts(len(self.updates), len(self.nuggets)):
            score = cdist(
                self.updates[rows],
                self.nuggets,
                scorer=self.scorer,
                score_cutoff=max(0.0, 100 * threshold - 1e-6),  # never above what must come out
                dtype=np.float64,
                workers=cores(),
            )
            score /= 100
            score[_wordless(self.updates[rows])] = 0
            score[:, wordless] = 0
            update, nugget = np.nonzero(score >= threshold)
            found.append(Pairs.of(update + rows.start, nugget, score[update, nugget]))
        return Pairs.joined(found)

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The scores of single pairs."""
        score: NDArray[np.float64] = cpdist(
            [self.updates[i] for i in update],
            [self.nuggets[i] for i in nugget],
            scorer=self.scorer,
            dtype=np.float64,
            workers=cores(),
        )
        wordless = _wordless(self.updates)[update] | _wordless(self.nuggets)[nugget]
        return np.where(wordless, 0, score / 100)


def _wordless(texts: list[str]) -> NDArray[np.bool_]:
    return np.array([not text for text in texts], dtype=bool)
