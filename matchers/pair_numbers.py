"""What a pair is told by in a few numbers: how much of the nugget's words stands together.

Weights are counted in units of the word that one nugget of the gold has, so that a gold of a dozen
nuggets gives numbers like those of one of a thousand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from matchers.candidates import SLIGHTEST
from matchers.collection import DECIMALS, Collection, weight
from matchers.containment import ContainmentBlock, ContainmentGold
from matchers.fuzzy import Fuzzy
from matchers.pairs import ranges
from matchers.texts import distinct
from matchers.windows import pieces
from matchers.words import words

WINDOW = 40
"""A nugget is held against stretches of so many words."""

Numbers = dict[str, NDArray[np.float64]]
"""By its name a number of each pair, or of each nugget."""


@dataclass(frozen=True, eq=False)
class WordsGold:
    """Nuggets by words; `digits` says which words have digits, `unit` is what weights count in."""

    contained: ContainmentGold
    digits: NDArray[np.int64]
    unit: float

    @classmethod
    def of(cls, nuggets: Collection, collection: Collection) -> WordsGold:
        """Weigh the words of nuggets."""
        terms = dict.fromkeys(chain.from_iterable(nuggets.terms("words", words)))
        digits = np.array([any(map(str.isdigit, term)) for term in terms], np.int64)
        unit = weight(len(collection), min(len(collection), 1))
        return cls(Fuzzy().contained(nuggets, collection), digits, float(unit))

    def block(self, windows: Windows) -> PairWords:
        """Read updates that are cut into windows."""
        return PairWords(self, self.contained.block(windows.texts), windows)

    def only(self, nuggets: NDArray[np.int64]) -> WordsGold:
        """The nuggets of these rows alone."""
        return WordsGold(self.contained.only(nuggets), self.digits, self.unit)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each nugget."""
        found: NDArray[np.float64] = self.contained.nuggets.totals / self.unit
        return found

    @cached_property
    def with_digits(self) -> NDArray[np.int64]:
        """How many words with digits each nugget has."""
        count: NDArray[np.int64] = self.contained.nuggets.incidence @ self.digits
        return count

    @cached_property
    def heaviest(self) -> NDArray[np.float64]:
        """The weight of each nugget's heaviest word."""
        nuggets = self.contained.nuggets
        carried = sparse.csr_array(
            (
                nuggets.weights[nuggets.incidence.indices],
                nuggets.incidence.indices,
                nuggets.incidence.indptr,
            ),
            shape=nuggets.incidence.shape,
        )
        return _row_maxima(carried) / self.unit

    @cached_property
    def has_words(self) -> NDArray[np.bool_]:
        """Which nuggets have words."""
        has: NDArray[np.bool_] = np.diff(self.contained.nuggets.incidence.indptr) > 0
        return has


class Windows(NamedTuple):
    """Updates cut into stretches of words.

    `texts` are the different ones; `number` says which of them each window is, `counts` how many
    windows each update has, `length` is the logarithm of 1 plus its characters.
    """

    texts: list[str]
    number: NDArray[np.int64]
    counts: NDArray[np.int64]
    length: NDArray[np.float64]

    @classmethod
    def of(cls, updates: list[str]) -> Windows:
        """Cut updates."""
        cut, counts = pieces(updates, WINDOW)
        length = np.log1p(np.fromiter(map(len, updates), np.float64, len(updates)))
        return cls(*distinct(cut), counts, length)

    def of_pairs(self, update: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The windows of the update of each pair, one after another, and which pair's each is."""
        counts = self.counts[update]
        starts = (np.cumsum(self.counts) - self.counts)[update]
        return self.number[ranges(starts, counts)], np.repeat(np.arange(len(update)), counts)


@dataclass(frozen=True, eq=False)
class PairWords:
    """Windows of updates by words."""

    gold: WordsGold
    contained: ContainmentBlock
    windows: Windows

    def numbers(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> Numbers:
        """What words tell of single pairs.

        `mass` is the logarithm of 1 plus the nugget's weight. In the first window with the most
        weight found, `found` is that weight and `heaviest` its heaviest word's; `digits` the share
        of the words with digits that are found, -1 without any; `digits_missing` how many are not.
        `length` is the logarithm of 1 plus the update's characters.
        """
        gold = self.gold
        found, heaviest, digits = self._best(update, nugget)
        wanted = gold.with_digits[nugget]
        return {
            "mass": np.log1p(gold.weights)[nugget],
            "found": found / gold.unit,
            "heaviest": heaviest / gold.unit,
            "digits": np.where(wanted > 0, digits / np.maximum(wanted, 1), -1.0),
            "digits_missing": (wanted - digits).astype(np.float64),
            "length": self.windows.length[update],
        }

    def have_words(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which pairs have words on both sides."""
        both: NDArray[np.bool_] = (self.windows.counts[update] > 0) & self.gold.has_words[nugget]
        return both

    def _best(
        self, update: NDArray[np.int64], nugget: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """For each pair the weight found, its heaviest word and the words with digits."""
        window, pair = self.windows.of_pairs(update)
        told = np.zeros((3, len(window)), np.int64)

        def look(part: slice, shared: sparse.csr_array) -> None:
            told[0, part] = shared.sum(axis=1)
            told[1, part] = _row_maxima(shared)
            with_digits = self.gold.digits[shared.indices] * (shared.data > 0)
            ends = np.append(0, np.cumsum(with_digits))
            told[2, part] = ends[shared.indptr[1:]] - ends[shared.indptr[:-1]]

        if len(self.gold.digits):
            self.contained.nuggets.look_at(self.contained.all_rows, window, nugget[pair], look)
        best = np.zeros((3, len(update)), np.int64)
        several = (self.windows.counts[update] > 1)[pair]
        best[:, pair[~several]] = told[:, ~several]
        row = np.flatnonzero(several)
        order = row[np.lexsort((-row, told[0, row], pair[row]))]
        last = order[np.append(np.diff(pair[order]) != 0, True)[: len(order)]]
        best[:, pair[last]] = told[:, last]
        return best[0], best[1], best[2]


def _row_maxima(rows: sparse.csr_array) -> NDArray[np.int64]:
    """The largest number in each row, 0 without any."""
    largest = np.zeros(rows.shape[0], np.int64)
    some = np.flatnonzero(np.diff(rows.indptr))
    if len(some):
        largest[some] = np.maximum.reduceat(rows.data, rows.indptr[some])
    return largest


def neighbours(nuggets: Collection, collection: Collection) -> Numbers:
    """How alike the nuggets are that are given together, by the weight of words.

    `said_in` is the largest share of a nugget's weight that stands in one other, `said_mean` the
    mean over all others, `says` the largest share of another's weight that stands in it.
    """
    found = Fuzzy(threshold=SLIGHTEST).match(list(nuggets), list(nuggets), collection=collection)
    other = found.update != found.nugget
    says, said, share = found.update[other], found.nugget[other], found.score[other]
    largest = np.zeros((2, len(nuggets)))
    np.maximum.at(largest[0], said, share)
    np.maximum.at(largest[1], says, share)
    whole = np.zeros(len(nuggets), np.int64)
    np.add.at(whole, said, np.rint(share * 10**DECIMALS).astype(np.int64))
    mean = whole / 10**DECIMALS / max(1, len(nuggets) - 1)
    return {"said_in": largest[0], "said_mean": mean, "says": largest[1]}
