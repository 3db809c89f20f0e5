"""What a pair is told by in a few numbers, and the coefficients that these add up by.

Weights are counted in units of the word that one nugget of the gold has, so that a gold of a dozen
nuggets gives numbers like those of one of a thousand.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from matchers.blend import SLIGHTEST
from matchers.collection import DECIMALS, Collection, weight
from matchers.containment import ContainmentBlock, ContainmentGold
from matchers.fuzzy import Fuzzy
from matchers.windows import Windows
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

    def block(self, updates: list[str]) -> PairWords:
        """Read updates, window by window."""
        windows = Windows.of(updates, WINDOW)
        length = np.log1p(np.fromiter(map(len, updates), np.float64, len(updates)))
        return PairWords(self, self.contained.block(windows.texts), windows, length)

    def only(self, nuggets: NDArray[np.int64]) -> WordsGold:
        """The nuggets of these rows alone."""
        return WordsGold(self.contained.only(nuggets), self.digits, self.unit)

    @cached_property
    def with_digits(self) -> NDArray[np.int64]:
        """How many words with digits each nugget has."""
        count: NDArray[np.int64] = self.contained.nuggets.incidence @ self.digits
        return count

    @cached_property
    def in_full(self) -> Numbers:
        """What words tell of each nugget if all of them are found."""
        nuggets = self.contained.nuggets
        carried = nuggets.incidence.multiply(nuggets.weights).tocsr()
        return {
            "mass": np.log1p(nuggets.totals / self.unit),
            "found": nuggets.totals / self.unit,
            "heaviest": _row_maxima(carried) / self.unit,
            "digits": np.where(self.with_digits > 0, 1.0, -1.0),
        }

    @cached_property
    def has_words(self) -> NDArray[np.bool_]:
        """Which nuggets have words."""
        has: NDArray[np.bool_] = np.diff(self.contained.nuggets.incidence.indptr) > 0
        return has


@dataclass(frozen=True, eq=False)
class PairWords:
    """Windows of updates by words."""

    gold: WordsGold
    contained: ContainmentBlock
    windows: Windows
    length: NDArray[np.float64]
    """The logarithm of 1 plus each update's characters."""

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
            "mass": gold.in_full["mass"][nugget],
            "found": found / gold.unit,
            "heaviest": heaviest / gold.unit,
            "digits": np.where(wanted > 0, digits / np.maximum(wanted, 1), -1.0),
            "digits_missing": (wanted - digits).astype(np.float64),
            "length": self.length[update],
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


WORDS = ("mass", "found", "heaviest", "digits", "digits_missing", "length")
"""What words tell of a pair (`PairWords.numbers`);"""
LEXICAL = (*WORDS, "grams")
"""without a sentence model with the best window's share of runs of three letters;"""
ALIGNED = (*WORDS, "alignment", "said_in", "said_mean", "says")
"""with one with what `late` says, and how alike the other nuggets are (`neighbours`)."""

SIGNS = {"found": 1, "heaviest": 1, "digits": 1, "grams": 1, "alignment": 1, "digits_missing": -1}
"""Which way a number may move a score; the others may move it either way."""


@dataclass(frozen=True, eq=False)
class Coefficients:
    """What each number adds to the log odds, by itself and per unit.

    `model` names the sentence model that was trained with, and its hashes.
    """

    constant: float
    each: dict[str, float]
    sha256: str = ""
    model: dict[str, str] = field(default_factory=dict)

    def log_odds(self, numbers: Numbers) -> NDArray[np.float64]:
        """The constant and what some numbers add to it, always in the same order."""
        names = [name for name in self.each if name in numbers]
        total = sum((self.each[name] * numbers[name] for name in names), np.zeros(()))
        return np.asarray(self.constant + total, np.float64)


def probability(log_odds: NDArray[np.float64], spoken: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The scores; 0 where a text has no words."""
    rounded = np.round(np.where(spoken, 1 / (1 + np.exp(-log_odds)), 0), DECIMALS)
    return rounded.astype(np.float64)


def needed(threshold: float) -> float:
    """The log odds below which no score reaches `threshold`, however it is rounded."""
    reached = threshold - 10.0**-DECIMALS
    return float(np.log(reached / (1 - reached))) - 1e-6 if reached > 0 else -np.inf


@cache
def shipped(name: str) -> Coefficients:
    """The coefficients of this name, which lie beside this module."""
    content = (Path(__file__).with_name(name)).read_bytes()
    told: dict[str, Any] = json.loads(content)
    return Coefficients(
        told["constant"],
        told["coefficients"],
        hashlib.sha256(content).hexdigest(),
        told.get("model", {}),
    )
