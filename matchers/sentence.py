"""`rapidfuzz`: the sentence scorers of RapidFuzz, over normalised texts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz
from rapidfuzz.process import cdist, cpdist

from matchers.collection import Collection
from matchers.contract import Matcher
from matchers.exact import NormalisedGold
from matchers.pairs import Pairs
from matchers.parameters import choice, parameter, threshold
from matchers.texts import cores, parts
from matchers.words import normalised

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
    scorer: str = parameter("token_set_ratio", choice(SCORERS), "which scorer of `rapidfuzz.fuzz`")
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
        wordless = _wordless(self.nuggets)
        found = [
            self._reaching(rows, wordless, threshold)
            for rows in parts(len(self.updates), len(self.nuggets))
        ]
        return Pairs.joined(found)

    def _reaching(self, rows: slice, wordless: NDArray[np.bool_], threshold: float) -> Pairs:
        updates = self.updates[rows]
        score = cdist(
            updates,
            self.nuggets,
            scorer=self.scorer,
            score_cutoff=max(0.0, 100 * threshold - 1e-6),  # never above what must come out
            dtype=np.float64,
            workers=cores(),
        )
        score /= 100
        score[_wordless(updates)] = 0
        score[:, wordless] = 0
        update, nugget = np.nonzero(score >= threshold)
        return Pairs.of(update + rows.start, nugget, score[update, nugget])

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
