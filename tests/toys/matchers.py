"""A toy matcher: the share of the nugget's words that the update has, all of one weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from matchers import Collection, Matcher, Pairs, parameter, words
from matchers.parameters import integer_in, threshold


@dataclass(frozen=True)
class Shared(Matcher):
    """The share of the nugget's words that the update has. Words may be cut."""

    name: ClassVar[str] = "shared"
    letters: int = parameter(0, integer_in(0, 50), "how many letters of a word count; 0 for all")
    threshold: float = threshold(0.5)

    def prepare(self, nuggets: Collection, collection: Collection) -> SharedGold:  # noqa: ARG002
        """Take the nuggets apart."""
        return SharedGold([self.cut(text) for text in nuggets], self)

    def cut(self, text: str) -> set[str]:
        """The words of a text, as they count."""
        return {word[: self.letters or None] for word in words(text)}


@dataclass(frozen=True)
class SharedGold:
    """Nuggets as sets of words."""

    nuggets: list[set[str]]
    matcher: Shared

    def block(self, texts: list[str]) -> SharedBlock:
        """Take updates apart."""
        return SharedBlock([self.matcher.cut(text) for text in texts], self.nuggets)


@dataclass(frozen=True)
class SharedBlock:
    """Updates and nuggets as sets of words."""

    updates: list[set[str]]
    nuggets: list[set[str]]

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The shares of single pairs."""
        pairs = [(self.updates[u], self.nuggets[n]) for u, n in zip(update, nugget, strict=True)]
        return np.array([len(said & asked) / max(1, len(asked)) for said, asked in pairs], float)

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`."""
        update, nugget = np.indices((len(self.updates), len(self.nuggets))).reshape(2, -1)
        return Pairs.of(update, nugget, self.scores(update, nugget), threshold)
