"""The learned matcher without a sentence model: words and runs of three letters.

What is found can only raise a score. So most pairs are told to stay below a threshold by their
words alone, as if all letters were found; letters are looked at where that leaves room.
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
from matchers.pairs import Pairs
from matchers.threads import parts, spread

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
        found = []
        for part in parts(len(update), 1, _LOOKED_AT):
            numbers = self.words.numbers(update[part], nugget[part])
            every = np.ones(len(update[part]))
            kept = self.gold.model.log_odds({**numbers, "grams": every}) >= wanted
            told = {name: number[kept] for name, number in numbers.items()}
            rows, columns = update[part][kept], nugget[part][kept]
            found.append(Pairs.of(rows, columns, self._scores(rows, columns, told), threshold))
        return Pairs.joined(found)

    def _promising(self, wanted: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs with a window whose words leave room for these log odds; sorted."""
        windows, words = self.words.windows, self.gold.words
        texts, asked = self.words.contained.all_rows, words.contained.nuggets.incidence.T.tocsr()
        with_digits = np.flatnonzero(words.digits)
        numerals = (texts[:, with_digits] > 0).astype(np.int64) @ asked[with_digits]
        update = np.repeat(np.arange(len(windows.counts)), windows.counts)
        width, model = len(words.weights), self.gold.model
        whole = {
            "mass": np.log1p(words.weights),
            "digits": np.where(words.with_digits > 0, 1.0, -1.0),
            "grams": np.ones(width),
        }
        slope = (model.each["found"] + model.each["heaviest"]) / words.unit
        lacking = wanted - 1e-6 - model.log_odds(whole)

        def promising(part: slice) -> NDArray[np.int64]:
            rows, length = windows.number[part], windows.length[update[part]]
            weight = (texts[rows] @ asked).toarray()
            enough = lacking - model.each["length"] * length[:, None]
            window, nugget = np.nonzero(slope * weight >= enough)  # as if every digit were found
            found = weight[window, nugget] / words.unit
            digits = np.asarray(numerals[rows[window], nugget]).ravel()
            asked_digits = words.with_digits[nugget]
            share = digits / np.maximum(asked_digits, 1)
            log_odds = model.log_odds(
                {
                    "mass": whole["mass"][nugget],
                    "found": found,
                    "heaviest": np.minimum(found, words.heaviest[nugget]),
                    "digits": np.where(asked_digits > 0, share, -1.0),
                    "digits_missing": asked_digits - digits,
                    "length": length[window],
                    "grams": np.ones(len(nugget)),
                }
            )
            kept = log_odds >= wanted
            return update[part][window[kept]] * width + nugget[kept]

        found = spread(promising, parts(len(update), width))
        pairs = np.sort(np.concatenate([np.zeros(0, np.int64), *found]), kind="stable")
        is_first = np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]
        return np.divmod(pairs[is_first], max(1, width))

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
        return probability(log_odds, self.words.have_words(update, nugget))

    def grams(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The largest share of each nugget's grams that a window has."""
        window, pair = self.words.windows.of_pairs(update)
        best = np.zeros(len(update))
        np.maximum.at(best, pair, self.by_grams.scores(window, nugget[pair]))
        return best
