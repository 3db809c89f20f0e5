"""The learned matcher with a sentence model: words, token alignment, and the nuggets among others.

Words are looked for in rewritten texts, the sentence model reads them as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matchers.coefficients import Coefficients, needed, probability
from matchers.collection import Collection
from matchers.late import LateBlock, LateGold
from matchers.pair_numbers import Numbers, PairWords, Windows, WordsGold, neighbours
from matchers.pairs import Pairs
from matchers.steps import ALL, rewritten


@dataclass(frozen=True, eq=False)
class AlignedGold:
    """Nuggets by words and by word pieces; `others` has numbers of each among the others."""

    words: WordsGold
    late: LateGold
    others: Numbers
    model: Coefficients

    @classmethod
    def of(
        cls, nuggets: Collection, collection: Collection, late: LateGold, model: Coefficients
    ) -> AlignedGold:
        """The nuggets, which the sentence model has read."""
        wanted, weighed = nuggets.rewritten(ALL), collection.rewritten(ALL)
        return cls(WordsGold.of(wanted, weighed), late, neighbours(wanted, weighed), model)

    def block(self, texts: list[str]) -> AlignedBlock:
        """Read updates by words; the sentence model reads those that are asked for."""
        windows = Windows.of([rewritten(text, ALL) for text in texts])
        return AlignedBlock(self, self.words.block(windows), self.late.block(texts))

    def only(self, nuggets: NDArray[np.int64]) -> AlignedGold:
        """The nuggets of these rows alone, with the numbers that they had among all."""
        others = {name: number[nuggets] for name, number in self.others.items()}
        return AlignedGold(self.words.only(nuggets), self.late.only(nuggets), others, self.model)

    @property
    def highest(self) -> NDArray[np.float64]:
        """The log odds that each nugget can reach at most, but for alignment and length."""
        words = self.words
        return self.model.log_odds(
            {
                "mass": np.log1p(words.weights),
                "found": words.weights,
                "heaviest": words.heaviest,
                "digits": np.where(words.with_digits > 0, 1.0, -1.0),
                **self.others,
            }
        )


@dataclass(frozen=True, eq=False)
class AlignedBlock:
    """Updates by words and by word pieces."""

    gold: AlignedGold
    words: PairWords
    late: LateBlock

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`; words are looked at where the alignment leaves room."""
        model, wanted = self.gold.model, needed(threshold)
        highest, length = self.gold.highest, model.each["length"] * self.words.windows.length
        found = []
        for first, table in self.late.tables(np.arange(len(length))):
            rows = length[first : first + len(table), None]
            best = highest + rows + model.each["alignment"] * table
            update, nugget = np.nonzero(best >= wanted)
            score = self._scores(update + first, nugget, table[update, nugget])
            found.append(Pairs.of(update + first, nugget, score, threshold))
        return Pairs.joined(found)

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probabilities of single pairs; 0 where a text has no words."""
        return self._scores(update, nugget, self.late.scores(update, nugget))

    def numbers(
        self, update: NDArray[np.int64], nugget: NDArray[np.int64], alignment: NDArray[np.float64]
    ) -> Numbers:
        """All that single pairs are told by."""
        others = {name: number[nugget] for name, number in self.gold.others.items()}
        return {**self.words.numbers(update, nugget), **others, "alignment": alignment}

    def _scores(
        self, update: NDArray[np.int64], nugget: NDArray[np.int64], alignment: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        log_odds = self.gold.model.log_odds(self.numbers(update, nugget, alignment))
        return probability(log_odds, self.words.have_words(update, nugget))
