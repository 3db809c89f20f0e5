"""The learned matcher without a sentence model: words and runs of letters.

Both what is found by words and what by letters can only raise a score. So a pair that reaches a
threshold has some share of its letters, or else so many words that it gets there with fewer: only
such pairs are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matchers.coefficients import Coefficients, needed, probability
from matchers.collection import Collection
from matchers.containment import ContainmentBlock, ContainmentGold
from matchers.grams import Grams
from matchers.pair_numbers import Numbers, PairWords, Windows, WordsGold
from matchers.pairs import Pairs, ranges

LETTERS = (0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
"""Shares of a nugget's letters that a pair may be asked for, the best to ask for first."""

_GRID = np.linspace(0, 1, 101)
_LEAST = 1e-6  # a share above 0 that every pair has which has any


@dataclass(frozen=True, eq=False)
class LexicalGold:
    """Nuggets by words and by grams."""

    words: WordsGold
    by_grams: ContainmentGold
    model: Coefficients

    @classmethod
    def of(cls, nuggets: Collection, collection: Collection, model: Coefficients) -> LexicalGold:
        """Weigh the nuggets' words and runs of three letters."""
        by_grams = Grams(n=3).contained(nuggets, collection)
        return cls(WordsGold.of(nuggets, collection), by_grams, model)

    def block(self, texts: list[str]) -> LexicalBlock:
        """Read updates, window by window; equal windows are read once."""
        windows = Windows.of(texts)
        return LexicalBlock(self, self.words.block(windows), self.by_grams.block(windows.texts))

    def only(self, nuggets: NDArray[np.int64]) -> LexicalGold:
        """The nuggets of these rows alone."""
        return LexicalGold(self.words.only(nuggets), self.by_grams.only(nuggets), self.model)

    def asked(
        self, wanted: float, length: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each nugget the shares of words and of letters, one of which a pair has to have.

        A pair with less of both has lower log odds than `wanted`, even if all else were the best
        that it can be. A share of words of 0 means that any pair may get there. As many letters are
        asked for as leave half that share of words to be asked for.
        """
        each, words = self.model.each, self.words
        at = length.min() if each["length"] < 0 else length.max()
        fixed = self.model.constant + each["length"] * at + each["mass"] * np.log1p(words.weights)
        fixed += each["digits"] * np.where(words.with_digits > 0, 1, -1)
        best = fixed[:, None] + each["found"] * words.weights[:, None] * _GRID
        best += each["heaviest"] * np.minimum(
            words.heaviest[:, None], words.weights[:, None] * _GRID
        )
        chosen, letters = np.zeros(len(fixed)), np.full(len(fixed), LETTERS[-1])
        for share in reversed(LETTERS):
            below = np.count_nonzero(best + each["grams"] * share < wanted, axis=1)
            least = np.where(below, _GRID[np.maximum(below - 1, 0)], 0)
            taken = (least >= share / 2) | (share == LETTERS[-1])
            chosen, letters = np.where(taken, least, chosen), np.where(taken, share, letters)
        return chosen, letters


@dataclass(frozen=True, eq=False)
class LexicalBlock:
    """Windows of updates by words and by grams."""

    gold: LexicalGold
    words: PairWords
    by_grams: ContainmentBlock

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`."""
        windows, wanted = self.words.windows, needed(threshold)
        if not len(windows.number) or not len(self.gold.words.weights):
            return Pairs.of([], [], [])
        words, letters = self.gold.asked(wanted, windows.length)
        by_words, _ = self._packed(self.words.contained, np.maximum(words, _LEAST))
        by_letters, share = self._packed(self.by_grams, letters)
        rows = np.arange(len(windows.counts))[:, None] * len(words)
        every = (rows + np.flatnonzero(words == 0)).ravel()
        packed = np.sort(np.concatenate([by_words, by_letters, every]))
        packed = packed[np.append(True, packed[1:] != packed[:-1])[: len(packed)]]
        update, nugget = np.divmod(packed, len(words))
        most = letters[nugget]
        np.maximum.at(most, np.searchsorted(packed, by_letters), share)
        numbers = self.words.numbers(update, nugget)
        kept = np.flatnonzero(self.gold.model.log_odds({**numbers, "grams": most}) >= wanted)
        update, nugget = update[kept], nugget[kept]
        told = {name: number[kept] for name, number in numbers.items()}
        return Pairs.of(update, nugget, self._scores(update, nugget, told), threshold)

    def _packed(
        self, block: ContainmentBlock, least: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The pairs with a window that may have these shares, and the share it has at most.

        Each pair is packed into one number.
        """
        windows = self.words.windows
        found = block.nuggets.possible(block.texts, least)
        starts = np.searchsorted(found.text, windows.number)
        counts = np.searchsorted(found.text, windows.number, side="right") - starts
        update = np.repeat(np.arange(len(windows.counts)), windows.counts)
        taken = ranges(starts, counts)
        nugget = found.nugget[taken]
        share = found.most[taken] / np.maximum(block.nuggets.totals[nugget], 1)
        return np.repeat(update, counts) * len(least) + nugget, share

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probabilities of single pairs; 0 where a text has no words."""
        return self._scores(update, nugget, self.words.numbers(update, nugget))

    def numbers(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> Numbers:
        """All that single pairs are told by."""
        return {**self.words.numbers(update, nugget), "grams": self.grams(update, nugget)}

    def _scores(
        self, update: NDArray[np.int64], nugget: NDArray[np.int64], numbers: Numbers
    ) -> NDArray[np.float64]:
        log_odds = self.gold.model.log_odds({**numbers, "grams": self.grams(update, nugget)})
        return probability(log_odds, self.words.spoken(update, nugget))

    def grams(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The largest share of each nugget's grams that a window has."""
        window, pair = self.words.windows.of_pairs(update)
        best = np.zeros(len(update))
        np.maximum.at(best, pair, self.by_grams.scores(window, nugget[pair]))
        return best
