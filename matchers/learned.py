"""`learned`: the probability that an assessor would call a pair a match.

A logistic model over what can be said of an update and a nugget in a few numbers. It was trained on
judgments (`bench/train_learned.py`); its coefficients lie beside this module, with what they were
made of. What is found can only raise a score, and what is missing only lower it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from matchers.collection import DECIMALS, GRAIN, Collection
from matchers.containment import ContainmentBlock, ContainmentGold
from matchers.contract import Matcher
from matchers.errors import MatcherError
from matchers.evidence import Evidence
from matchers.fuzzy import Fuzzy
from matchers.grams import Grams
from matchers.pairs import Pairs, ranges
from matchers.parameters import hexadecimal, parameter, threshold
from matchers.prepared import MatcherGold
from matchers.steps import ALL
from matchers.texts import distinct
from matchers.windows import pieces
from matchers.words import words

WINDOW = 40
"""A nugget is held against stretches of so many words."""

FEATURES = ("mass", "words", "found", "heaviest", "digits", "digits_missing", "grams", "length")
"""What a pair is told by: `mass` and `words` are the nugget's weight and different words; `found`
and `heaviest` the weight found and its heaviest word's; `digits` the share of the words with digits
that are found, -1 without any, and `digits_missing` how many are not; `grams` the share of runs of
three letters; `length` the logarithm of 1 plus the update's characters."""

SIGNS = {"found": 1, "heaviest": 1, "digits": 1, "grams": 1, "digits_missing": -1}
"""Which way a number may move a score; the others may move it either way."""

SHOWN = 12
"""How many digits of the hash of its coefficients stand in the matcher's name."""

_GRID = np.linspace(0, 1, 101)
_SLACK = 1e-6


@dataclass(frozen=True)
class Learned(Matcher):
    """The probability that an assessor would call the pair a match, by a model that was trained.

    It looks at the 40 words of the update in which most of the nugget's weight is found: how much
    that is, which word of it is the heaviest, whether numbers are among it, and which runs of three
    letters; and at how much there was to find. All steps of the normaliser are taken. `weights` is
    what the hash of the coefficients begins with: it is looked up when it is not given, and refused
    when it is another.
    """

    name: ClassVar[str] = "learned"
    threshold: float = threshold(0.2)
    weights: str = parameter("", hexadecimal(), "what the hash of its coefficients begins with")

    def __post_init__(self) -> None:
        super().__post_init__()
        found = shipped().sha256
        if not found.startswith(self.weights):
            raise MatcherError(
                f"learned: the coefficients of this release have the sha256 {found[:SHOWN]}, "
                f"not {self.weights}"
            )
        object.__setattr__(self, "weights", found[:SHOWN])

    @property
    def rewriting(self) -> str:
        """All steps."""
        return ALL

    def prepare(self, nuggets: Collection, collection: Collection) -> MatcherGold:
        """Weigh the nuggets, and see how alike they are to the rest of the gold."""
        return prepared(nuggets, collection, shipped())

    def _explain(self, update: str, nugget: str, collection: Collection) -> Evidence:
        """The words found and missed as `fuzzy` tells them, with this matcher's score."""
        told = Fuzzy(window=WINDOW).explain(update, nugget, collection=collection)
        return replace(told, score=self._score(update, nugget, collection))


@dataclass(frozen=True, eq=False)
class Coefficients:
    """What each number of `FEATURES` adds to the log odds, by itself and per unit."""

    constant: float
    each: dict[str, float]
    sha256: str = ""

    def total(self, numbers: dict[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """What some numbers add up to, always in the same order."""
        names = [name for name in FEATURES if name in numbers]
        total: NDArray[np.float64] = sum(
            (self.each[name] * numbers[name] for name in names), np.zeros(())
        )
        return total


@cache
def shipped() -> Coefficients:
    """The coefficients that lie beside this module."""
    file = Path(__file__).with_name("learned.json")
    content = file.read_bytes()
    told: dict[str, Any] = json.loads(content)
    return Coefficients(told["constant"], told["coefficients"], hashlib.sha256(content).hexdigest())


def prepared(nuggets: Collection, collection: Collection, model: Coefficients) -> LearnedGold:
    """The nuggets, ready for updates; `FEATURES` can be had without coefficients that mean much."""
    by_words = Fuzzy().contained(nuggets, collection)
    by_grams = Grams(n=3).contained(nuggets, collection)
    terms = dict.fromkeys(chain.from_iterable(nuggets.terms("words", words)))
    digits = np.array([any(map(str.isdigit, term)) for term in terms], bool)
    return LearnedGold(by_words, by_grams, digits, model)


@dataclass(frozen=True, eq=False)
class LearnedGold:
    """Nuggets by words and by grams, and which words have digits."""

    by_words: ContainmentGold
    by_grams: ContainmentGold
    digits: NDArray[np.bool_]
    model: Coefficients

    def block(self, texts: list[str]) -> LearnedBlock:
        """Read updates, window by window; equal windows are read once."""
        cut, counts = pieces(texts, WINDOW)
        different, number = distinct(cut)
        length = np.log1p(np.fromiter(map(len, texts), np.float64, len(texts)))
        return LearnedBlock(
            self,
            self.by_words.block(different),
            self.by_grams.block(different),
            number,
            counts,
            length,
        )

    def only(self, nuggets: NDArray[np.int64]) -> LearnedGold:
        """The nuggets of these rows alone."""
        by_words, by_grams = self.by_words.only(nuggets), self.by_grams.only(nuggets)
        return LearnedGold(by_words, by_grams, self.digits, self.model)

    @cached_property
    def mass(self) -> NDArray[np.float64]:
        """The weight of each nugget."""
        mass: NDArray[np.float64] = self.by_words.nuggets.totals / GRAIN
        return mass

    @cached_property
    def words(self) -> NDArray[np.float64]:
        """How many different words each nugget has."""
        count: NDArray[np.int64] = np.diff(self.by_words.nuggets.incidence.indptr)
        return count.astype(np.float64)

    @cached_property
    def with_digits(self) -> NDArray[np.int64]:
        """How many words with digits each nugget has."""
        count: NDArray[np.int64] = self.by_words.nuggets.incidence @ self.digits.astype(np.int64)
        return count

    @cached_property
    def heaviest(self) -> NDArray[np.float64]:
        """The weight of each nugget's heaviest word."""
        nuggets = self.by_words.nuggets
        if not len(nuggets.weights):
            return np.zeros(len(nuggets.totals))
        weighed = nuggets.incidence.multiply(nuggets.weights).tocsr()
        heaviest: NDArray[np.float64] = weighed.max(axis=1).toarray().ravel() / GRAIN
        return heaviest

    def least(self, threshold: float, length: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each nugget the share of words or grams that a pair must reach to score `threshold`.

        The more is found, the higher a score can be. A pair whose two shares are both below this
        scores less even if all else were the best that it can be; 0 where there is no such share.
        """
        each = self.model.each
        at = length.min() if each["length"] < 0 else length.max()
        fixed = self.model.constant + each["length"] * at
        fixed += each["mass"] * self.mass + each["words"] * self.words
        fixed += each["digits"] * np.where(self.with_digits > 0, 1, -1)
        mass = self.mass
        best = fixed[:, None] + each["grams"] * _GRID
        best += each["found"] * mass[:, None] * _GRID
        best += each["heaviest"] * np.minimum(self.heaviest[:, None], mass[:, None] * _GRID)
        wanted = np.log(threshold / (1 - threshold)) if threshold < 1 else np.inf
        enough = np.count_nonzero(best < wanted - _SLACK, axis=1)
        return np.where(enough, _GRID[np.maximum(enough - 1, 0)], 0)


@dataclass(frozen=True, eq=False)
class LearnedBlock:
    """Windows of updates by words and by grams.

    `number` says which text each window is, `counts` how many each update has.
    """

    gold: LearnedGold
    by_words: ContainmentBlock
    by_grams: ContainmentBlock
    number: NDArray[np.int64]
    counts: NDArray[np.int64]
    length: NDArray[np.float64]

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`."""
        if not len(self.number):
            return Pairs.of([], [], [])
        least = self.gold.least(threshold, self.length)
        nuggets = len(least)
        asked = np.maximum(least, _SLACK)
        update_of = np.repeat(np.arange(len(self.counts)), self.counts)
        found = [self._every(np.flatnonzero(least == 0), nuggets)]
        for block in (self.by_words, self.by_grams):
            pairs = block.nuggets.reached_by(block.texts, asked).repeated(self.number)
            found.append(update_of[pairs.update] * nuggets + pairs.nugget)
        update, nugget = np.divmod(np.unique(np.concatenate(found)), max(1, nuggets))
        return Pairs.of(update, nugget, self.scores(update, nugget), threshold)

    def _every(self, chosen: NDArray[np.int64], nuggets: int) -> NDArray[np.int64]:
        """All pairs of these nuggets, packed into one number each."""
        return (np.arange(len(self.counts))[:, None] * nuggets + chosen).ravel()

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probabilities of single pairs; 0 where a text has no words."""
        model = self.gold.model
        log_odds = model.constant + model.total(self.features(update, nugget))
        spoken = (self.counts[update] > 0) & (self.gold.words[nugget] > 0)
        probability = np.where(spoken, 1 / (1 + np.exp(-log_odds)), 0)
        return np.round(probability, DECIMALS).astype(np.float64)

    def features(
        self, update: NDArray[np.int64], nugget: NDArray[np.int64]
    ) -> dict[str, NDArray[np.float64]]:
        """All of `FEATURES` for single pairs."""
        gold = self.gold
        window, found = self._best(update, nugget)
        heaviest = np.zeros(len(update))
        digits = np.zeros(len(update), np.int64)

        def look(part: slice, shared: sparse.csr_array) -> None:
            heaviest[part] = shared.max(axis=1).toarray().ravel() / GRAIN
            digits[part] = shared.astype(bool).astype(np.int64) @ gold.digits.astype(np.int64)

        if len(gold.digits):
            self.by_words.nuggets.look_at(self._texts, window, nugget, look)
        wanted = gold.with_digits[nugget]
        return {
            "mass": gold.mass[nugget],
            "words": gold.words[nugget],
            "found": found / GRAIN,
            "heaviest": heaviest,
            "digits": np.where(wanted > 0, digits / np.maximum(wanted, 1), -1.0),
            "digits_missing": (wanted - digits).astype(np.float64),
            "grams": self._grams(update, nugget),
            "length": self.length[update],
        }

    @cached_property
    def _texts(self) -> sparse.csr_array:
        """The windows by words, and below them one that says nothing."""
        whole = self.by_words.whole
        return sparse.vstack([whole, sparse.csr_array((1, whole.shape[1]), dtype=np.int64)], "csr")

    def _windows(self, update: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The windows of the update of each pair, one after another, and which pair's each is."""
        counts = self.counts[update]
        starts = (np.cumsum(self.counts) - self.counts)[update]
        return self.number[ranges(starts, counts)], np.repeat(np.arange(len(update)), counts)

    def _best(
        self, update: NDArray[np.int64], nugget: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each pair the first window with the most found, and that; else the one of nothing."""
        window, pair = self._windows(update)
        each = self.by_words.nuggets.found(self.by_words.whole, window, nugget[pair])
        best = np.full(len(update), self.by_words.whole.shape[0])
        found = np.zeros(len(update), np.int64)
        order = np.lexsort((-np.arange(len(pair)), each, pair))
        last = order[np.append(np.diff(pair[order]) != 0, True)[: len(order)]]
        best[pair[last]], found[pair[last]] = window[last], each[last]
        return best, found

    def _grams(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The largest share of each nugget's grams that a window has."""
        window, pair = self._windows(update)
        best = np.zeros(len(update))
        np.maximum.at(best, pair, self.by_grams.scores(window, nugget[pair]))
        return best
