"""The gold nuggets of all topics: where the weights of words come from.

A word's weight is ``ln((1 + n) / (1 + df)) + 1``, with n the nuggets of the collection and df those
that hold the word. Weights are kept as whole numbers of 1 / 2**36, so their sums are exact in
whatever order, block or process they are made, and a score is one division of two whole numbers.
A score is rounded to 10 decimals, which is coarser than that grain, before it meets the threshold.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from itertools import chain
from typing import Self

from matchers.steps import rewritten
from matchers.texts import checked

GRAIN = 2**36
"""So many parts make a weight of 1. A nugget of millions of words still sums within 63 bits."""

DECIMALS = 10
"""Scores of weighted containment are rounded to so many decimals."""


@lru_cache(maxsize=1 << 16)
def weight(nuggets: int, frequency: int) -> int:
    """The weight, in parts of `GRAIN`, of a term in `frequency` of `nuggets` nuggets.

    A term that no nugget of the collection holds (frequency 0) is the heaviest.
    """
    return round((math.log((1 + nuggets) / (1 + frequency)) + 1) * GRAIN)


class Collection(tuple[str, ...]):
    """A list of gold texts that counts its terms once, however often it is used.

    Every `collection` argument takes a plain sequence too; one `Collection` for many calls saves
    the counting. It may be empty: every term then weighs 1.
    """

    def __new__(cls, texts: Iterable[str]) -> Self:
        """Check the texts."""
        return super().__new__(cls, checked(texts, "nugget"))

    def __init__(self, texts: Iterable[str]) -> None:  # noqa: ARG002 - they are in the tuple
        self._terms: dict[Hashable, list[list[str]]] = {}
        self._frequencies: dict[Hashable, Counter[str]] = {}
        self._rewritten: dict[str, Collection] = {}

    @classmethod
    def of(cls, texts: Iterable[str]) -> Collection:
        """`texts` itself if it is a collection, else a new one of them."""
        return texts if isinstance(texts, cls) else cls(texts)

    def terms(self, kind: Hashable, split: Callable[[str], list[str]]) -> list[list[str]]:
        """The distinct terms of each text, in the text's order; `kind` names what `split` does."""
        if kind not in self._terms:
            self._terms[kind] = [list(dict.fromkeys(split(text))) for text in self]
        return self._terms[kind]

    def rewritten(self, steps: str) -> Collection:
        """The texts after these steps of the normaliser, as a collection that counts anew."""
        if steps not in self._rewritten:
            self._rewritten[steps] = Collection([rewritten(text, steps) for text in self])
        return self._rewritten[steps]

    def frequencies(self, kind: Hashable, split: Callable[[str], list[str]]) -> Counter[str]:
        """In how many texts each term occurs."""
        if kind not in self._frequencies:
            terms = self.terms(kind, split)
            self._frequencies[kind] = Counter(chain.from_iterable(terms))
        return self._frequencies[kind]

    def weigher(self, kind: Hashable, split: Callable[[str], list[str]]) -> Callable[[str], int]:
        """The function from a term to its weight, in parts of `GRAIN`."""
        frequencies = self.frequencies(kind, split)
        weights = {each: weight(len(self), each) for each in {0, *frequencies.values()}}
        return lambda term: weights[frequencies[term]]
