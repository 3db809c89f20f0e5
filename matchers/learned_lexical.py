"""The learned matcher without a sentence model: words and runs of three letters.

What is found can only raise a score. So most pairs are told to stay below a threshold by their
words alone, as if all letters were found; letters are looked at where that leaves room.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from matchers.coefficients import Coefficients, needed, probability
from matchers.collection import Collection
from matchers.containment import ContainmentBlock, ContainmentGold
from matchers.grams import Grams
from matchers.outlook import Dearest, Outlook, Present
from matchers.pair_numbers import Numbers, PairWords, Windows, WordsGold
from matchers.pairs import Pairs, ranges
from matchers.threads import parts

_DEAREST = 24  # runs of letters of a nugget that are looked for in a text before all are
_LOOKED_AT = 1 << 18  # pairs whose words and letters are looked at together


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

    @cached_property
    def outlook(self) -> Outlook:
        """What each nugget's words can add to the log odds."""
        each, words = self.model.each, self.words
        weight = words.contained.nuggets.weights / words.unit
        digits = each["digits"] / np.maximum(words.with_digits, 1) - each["digits_missing"]
        return Outlook.of(
            words.contained.nuggets.incidence,
            each["found"] * weight,
            each["heaviest"] * weight,
            np.where(words.digits, 1.0, 0.0),
            digits,
        )

    @cached_property
    def dearest(self) -> Dearest:
        """What each nugget's heaviest runs of letters add to the log odds."""
        grams = self.by_grams.nuggets
        share = self.model.each["grams"] / np.maximum(grams.totals, 1)
        return Dearest.of(grams.incidence, grams.weights.astype(np.float64), share, _DEAREST)

    @property
    def lowest(self) -> NDArray[np.float64]:
        """The log odds of each nugget with all its letters and no word; without the length."""
        words = self.words
        return self.model.log_odds(
            {
                "mass": np.log1p(words.weights),
                "digits": np.where(words.with_digits > 0, 0.0, -1.0),
                "digits_missing": words.with_digits.astype(np.float64),
                "grams": np.ones(len(words.weights)),
            }
        )


@dataclass(frozen=True, eq=False)
class LexicalBlock:
    """Windows of updates by words and by grams."""

    gold: LexicalGold
    words: PairWords
    by_grams: ContainmentBlock

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`."""
        wanted = needed(threshold)
        update, nugget = self._promising(wanted)
        if not len(update):
            return Pairs.of([], [], [])
        letters = Present.of(self.by_grams.texts, self.gold.dearest.asked)
        found = []
        for part in parts(len(update), 1, _LOOKED_AT):
            numbers = self.words.numbers(update[part], nugget[part])
            every = np.ones(len(update[part]))
            spare = self.gold.model.log_odds({**numbers, "grams": every}) - wanted
            kept = self._left(letters, update[part], nugget[part], spare)
            told = {name: number[kept] for name, number in numbers.items()}
            rows, columns = update[part][kept], nugget[part][kept]
            found.append(Pairs.of(rows, columns, self._scores(rows, columns, told), threshold))
        return Pairs.joined(found)

    def _left(
        self,
        letters: Present,
        update: NDArray[np.int64],
        nugget: NDArray[np.int64],
        spare: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """The pairs with a window that lacks no more letters than the pair can spare."""
        some = np.flatnonzero(spare >= 0)
        window, pair = self.words.windows.of_pairs(update[some])
        taken = some[pair]
        left = self.gold.dearest.left(letters, window, nugget[taken], spare[taken])
        found = np.zeros(len(update), np.bool_)
        found[taken[left]] = True
        return np.flatnonzero(found)

    def _promising(self, wanted: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs with a window whose words leave room for these log odds; sorted."""
        windows, gold = self.words.windows, self.gold
        nuggets = len(gold.words.weights)
        if not len(windows.number) or not nuggets:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        owner = np.repeat(np.arange(len(windows.counts)), windows.counts)
        length = np.full(len(windows.texts), -np.inf)
        np.maximum.at(length, windows.number, gold.model.each["length"] * windows.length[owner])
        present = Present.of(self.words.contained.texts)
        window, nugget = gold.outlook.reaching(present, length, wanted - gold.lowest)
        order = np.argsort(windows.number, kind="stable")
        counts = np.bincount(windows.number, minlength=len(windows.texts))
        starts, counts = (np.cumsum(counts) - counts)[window], counts[window]
        update = owner[order[ranges(starts, counts)]]
        packed = np.sort(update * nuggets + np.repeat(nugget, counts))
        first = np.append(True, packed[1:] != packed[:-1])[: len(packed)]
        return np.divmod(packed[first], nuggets)

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
