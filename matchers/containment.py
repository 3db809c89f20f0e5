"""`fuzzy` and `grams`: the share of a nugget's weight that the terms of an update carry.

Terms are words, which may be spelled a little differently, or runs of letters. The score of a pair
is the sum over the nugget's terms of weight * similarity, divided by the sum of the weights.
Weights and products are whole numbers (see `collection`), so every sum is exact.

Most pairs are never looked at. The lightest terms of each nugget, the ones that are everywhere, are
set aside up to a share of the weight that the threshold asks for. A pair that reaches the
threshold must then have some of the heavy terms, and enough of them; one sparse product over the
heavy terms finds the candidates, with what they have of these. Only in the texts of candidates are
the light terms looked up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain, count, pairwise
from typing import ClassVar, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from matchers.collection import DECIMALS, GRAIN, Collection
from matchers.contract import Matcher
from matchers.evidence import Evidence, MatchedWord, MissingWord, evidence
from matchers.pairs import MatcherGold, Pairs, ranges
from matchers.parameters import integer_in, number, parameter, threshold
from matchers.similar import Vocabulary, inexact, similar_pairs, similarity
from matchers.steps import steps_parameter
from matchers.windows import in_windows, window_parameter
from matchers.words import Word, normalised, spaced, words, words_in_place

Rows: TypeAlias = "sparse.csr_array | sparse.csc_array"
"""Texts x terms: the weight that a text carries of a term, each cell once, in rising order."""

Parted: TypeAlias = "tuple[sparse.csr_array, sparse.csr_array, NDArray[np.int64]]"
"""What `ContainmentGold.parted` gives."""

Reader = Callable[[list[str]], Rows]
"""From texts to their rows."""

LIGHT = 0.6
"""The share of the weight asked for that is set aside; any value gives the same pairs."""

_SLACK = 1e-6  # wider than the rounding of scores, so no pair is lost by it
_CELLS = 1 << 18  # of the update rows copied at once to score candidates; they stay in the cache


def incidence_of(
    terms: Sequence[Sequence[str]], weigh: Callable[[str], int]
) -> tuple[dict[str, int], sparse.csr_array, NDArray[np.int64]]:
    """From the distinct terms of each nugget: the terms' columns, nuggets x terms, and weights."""
    column = defaultdict[str, int]()
    column.default_factory = column.__len__
    size = sum(map(len, terms))
    cells = np.fromiter(map(column.__getitem__, chain.from_iterable(terms)), np.int32, size)
    ends = np.cumsum([0, *map(len, terms)], dtype=np.int32)
    weights = np.fromiter(map(weigh, column), np.int64, len(column))
    shape = (len(terms), len(column))
    incidence = sparse.csr_array((np.ones(size, np.int64), cells, ends), shape=shape)
    incidence.sort_indices()
    return dict(column), incidence, weights


@dataclass(frozen=True, eq=False)
class ContainmentGold:
    """Nuggets x weighted terms, and the reader that turns updates into rows over the same terms.

    `doubt` is weight that every nugget has besides, and that no update can carry.
    """

    reader: Reader
    incidence: sparse.csr_array
    weights: NDArray[np.int64]
    doubt: int = 0
    _parted: dict[float, Parted] = field(default_factory=dict)

    def block(self, texts: list[str]) -> ContainmentBlock:
        """Read updates."""
        return ContainmentBlock(self.reader(texts), self)

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """What each nugget weighs."""
        weight: NDArray[np.int64] = self.incidence @ self.weights + self.doubt
        return weight

    def shares(self, found: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The scores of pairs of which so much weight is found; 0 for nuggets without terms."""
        shares: NDArray[np.float64] = found / np.maximum(self.totals[nugget], 1)
        return np.round(shares, DECIMALS)

    def parted(self, threshold: float) -> Parted:
        """Nuggets by heavy and by light terms; what a candidate must have of the heavy ones."""
        if threshold in self._parted:
            return self._parted[threshold]
        asked = max(threshold - _SLACK, 0) * self.totals
        rows = np.arange(len(self.totals), dtype=self.incidence.indices.dtype)
        row = np.repeat(rows, np.diff(self.incidence.indptr))
        order = np.lexsort((self.weights[self.incidence.indices], row))
        term = self.incidence.indices[order]
        weight = self.weights[term]
        carried = self.totals - self.doubt
        reached = np.cumsum(weight) - (np.cumsum(carried) - carried)[row]
        light = reached <= (LIGHT * asked)[row]
        aside = np.zeros(len(self.totals), np.int64)
        np.add.at(aside, row[light], weight[light])
        heavy, rest = (
            sparse.csr_array(
                (np.ones(np.count_nonzero(own), np.int64), (row[own], term[own])),
                shape=self.incidence.shape,
            )
            for own in (~light, light)
        )
        self._parted[threshold] = heavy, rest, np.floor(asked).astype(np.int64) - aside
        return self._parted[threshold]


@dataclass(frozen=True, eq=False)
class ContainmentBlock:
    """Updates as rows over the nuggets' terms."""

    texts: Rows
    gold: ContainmentGold

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`.

        A nugget has few terms and a term many texts, so the product goes from nugget to texts: the
        long lists are read from one end to the other.
        """
        heavy, light, needed = self.gold.parted(threshold)
        carried = heavy @ self.texts.T.tocsr()
        enough = np.flatnonzero(carried.data >= np.repeat(needed, np.diff(carried.indptr)))
        text, found = carried.indices[enough], carried.data[enough]
        nugget = np.searchsorted(carried.indptr, enough, side="right") - 1
        counts = np.diff(light.indptr)[nugget]
        term = light.indices[ranges(light.indptr.astype(np.int64)[nugget], counts)]
        if len(term):
            sums = np.append(0, np.cumsum(self.texts.tocsr()[np.repeat(text, counts), term]))
            ends = np.cumsum(counts)
            found = found + sums[ends] - sums[ends - counts]
        return Pairs.of(text, nugget, self.gold.shares(found, nugget), threshold)

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The scores of single pairs."""
        found = np.zeros(len(update), np.int64)
        for part, shared in self.shared_terms(update, nugget):
            found[part] = shared.sum(axis=1)
        return self.gold.shares(found, nugget)

    def shared_terms(
        self, update: NDArray[np.int64], nugget: NDArray[np.int64]
    ) -> Iterator[tuple[slice, sparse.csr_array]]:
        """What pairs share, some pairs after others: pairs x terms, the weight carried."""
        texts, incidence = self.texts.tocsr(), self.gold.incidence
        cells = np.cumsum(np.diff(texts.indptr)[update] + np.diff(incidence.indptr)[nugget])
        cuts = np.searchsorted(cells, np.arange(_CELLS, cells[-1] if len(cells) else 0, _CELLS))
        for start, end in pairwise([0, *cuts, len(cells)]):
            part = slice(start, end)
            yield part, texts[update[part]].multiply(incidence[nugget[part]]).tocsr()


MARK = "\0"
"""Stands after each text. It is not a word character, so no text can hold it as a word."""

WORDS_KEPT = 1 << 20
"""When so many different words of updates are known, a block starts anew: memory is bounded."""


@dataclass(frozen=True)
class Fuzzy(Matcher):
    """The share of the nugget's weight that the words of the update say.

    The score is the sum over the nugget's distinct words of weight * similarity, divided by the
    sum of the weights. A word's similarity is the best that any word of the update reaches by
    RapidFuzz `ratio`, or nothing if that is under `word`. Words under four letters, and words with
    digits, must be equal. With a `window` the nugget is held against every stretch of so many words
    of the update, half a window apart, and the best counts. With `doubt` that much weight is added
    to the sum that the score is divided by, so short nuggets score less, their own words too.
    """

    name: ClassVar[str] = "fuzzy"
    word: float = parameter(80.0, number(50, 100), "the least RapidFuzz ratio of two words")
    threshold: float = threshold(0.55)
    window: int = window_parameter(shown=False)
    doubt: float = parameter(
        0.0, number(0, 1000), "a weight added to the denominator of every score", shown=False
    )
    steps: str = steps_parameter()

    def prepare(self, nuggets: Collection, collection: Collection) -> MatcherGold:
        """Weigh the nuggets' words."""
        return in_windows(self.contained(nuggets, collection), self.window)

    def contained(self, nuggets: Collection, collection: Collection) -> ContainmentGold:
        """The nuggets as weighed words, for whole texts."""
        terms = nuggets.terms("words", words)
        column, incidence, weights = incidence_of(terms, collection.weigher("words", words))
        reader = WordReader(column, weights, self.word)
        return ContainmentGold(reader, incidence, weights, round(self.doubt * GRAIN))

    def _explain(self, update: str, nugget: str, collection: Collection) -> Evidence:
        weigh = collection.weigher("words", words)
        said = {word.text: word for word in reversed(words_in_place(update))}
        places = sorted(said.values(), key=lambda word: word.start)
        matched: list[MatchedWord] = []
        missing: list[MissingWord] = []
        found, total = 0, round(self.doubt * GRAIN)
        for term in dict.fromkeys(words(nugget)):
            best, place = (1.0, said[term]) if term in said else _best(term, places, self.word)
            total += weigh(term)
            found += round(weigh(term) * best)
            if place is None:
                missing.append(MissingWord(term, weigh(term) / GRAIN))
            else:
                span = (place.start, place.end)
                matched.append(MatchedWord(term, place.text, best, weigh(term) / GRAIN, span))
        return evidence(round(found / max(total, 1), DECIMALS), matched, missing)


def _best(term: str, places: list[Word], cutoff: float) -> tuple[float, Word | None]:
    """The similarity of the update's word that is most like `term`, and the first such word."""
    best: tuple[float, Word | None] = (0.0, None)
    for place in places:
        alikeness = similarity(place.text, term, cutoff)
        if alikeness > best[0]:
            best = (alikeness, place)
    return best


class WordReader:
    """Turns updates into the weights that they carry of the nuggets' words.

    What a word of an update is like depends on the word alone, so it is found out once and kept
    for later blocks: for word number c, entries ``starts[c]`` to ``starts[c] + counts[c]``.
    """

    def __init__(self, column: dict[str, int], weights: NDArray[np.int64], cutoff: float) -> None:
        self._column = column
        self._weights = weights
        self._cutoff = cutoff
        self._inexact = [word for word in column if inexact(word)]
        self._vocabulary = Vocabulary.of(self._inexact)
        self._forget()

    def __call__(self, texts: list[str]) -> sparse.csr_array:
        """One row a text, one column a nugget word: weight * best similarity, where above 0."""
        if len(self._codes) > WORDS_KEPT:
            self._forget()
        joined = f" {MARK} ".join([*map(spaced, texts), ""])
        words = pl.Series([joined]).str.split(" ").explode()
        words = words.filter(words != "").cast(pl.Categorical)
        code = self._coded(words)
        mark = code == 0
        row = np.cumsum(mark) - mark
        counts = self._counts[code]
        entry = ranges(self._starts[code], counts)
        return self._best(np.repeat(row, counts), entry, len(texts))

    def _coded(self, words: pl.Series) -> NDArray[np.int64]:
        """The numbers of words; those that were never seen before are learnt."""
        if not len(words):
            return np.zeros(0, np.int64)
        different = words.unique()
        named = different.cast(pl.String).to_list()
        self._learn([word for word in named if word not in self._codes])
        number = np.zeros(int(different.to_physical().max()) + 1, np.int64)  # type: ignore[arg-type]
        number[different.to_physical().to_numpy()] = [self._codes[word] for word in named]
        code: NDArray[np.int64] = number[words.to_physical().to_numpy()]
        return code

    def _best(
        self, row: NDArray[np.int64], entry: NDArray[np.int64], rows: int
    ) -> sparse.csr_array:
        """Of the entries of one row for one column, the most similar; as a sparse matrix.

        Row, column and the rank of the similarity are packed into one number, because sorting
        plain numbers is many times faster than sorting by three keys.
        """
        columns, bits = max(1, len(self._column)), len(self._levels).bit_length()
        packed = (row * columns + self._to[entry]) << bits | self._level[entry]
        packed.sort()
        cell: NDArray[np.int64] = packed >> bits
        last = np.flatnonzero(np.append(cell[1:] != cell[:-1], True)[: len(cell)])
        best = self._levels[packed[last] & ((1 << bits) - 1)]
        row, column = np.divmod(cell[last], columns)
        carried = np.rint(self._weights[column] * best).astype(np.int64)
        ends = np.searchsorted(row, np.arange(rows + 1)).astype(np.int32)
        shape = (rows, len(self._column))
        return sparse.csr_array((carried, column.astype(np.int32), ends), shape=shape)

    def _forget(self) -> None:
        self._codes = {MARK: 0}
        self._starts = self._counts = np.zeros(1, np.int64)
        self._to = self._level = np.zeros(0, np.int64)
        self._levels = np.ones(1)  # the different similarities met so far, in rising order

    def _learn(self, words: list[str]) -> None:
        """Number words that were not seen before, and find out what they are like."""
        self._codes.update(zip(words, count(len(self._codes))))
        word, to, similar = self._similar_words(words)
        order = np.argsort(word, kind="stable")
        counts = np.bincount(word, minlength=len(words))
        starts = len(self._to) + np.cumsum(counts) - counts
        self._counts = np.concatenate([self._counts, counts])
        self._starts = np.concatenate([self._starts, starts])
        self._to = np.concatenate([self._to, to[order]])
        levels = np.union1d(self._levels, similar)
        known = np.searchsorted(levels, self._levels)[self._level]
        self._level = np.concatenate([known, np.searchsorted(levels, similar[order])])
        self._levels = levels

    def _similar_words(
        self, words: list[str]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Which words are like which columns, and how much."""
        loose = [i for i, word in enumerate(words) if inexact(word)]
        exact = set(range(len(words))).difference(loose)
        near = similar_pairs(
            Vocabulary.of([words[i] for i in loose]), self._vocabulary, self._cutoff
        )
        columns = np.array([self._column[word] for word in self._inexact], np.int64)
        same = [(i, self._column[words[i]]) for i in sorted(exact) if words[i] in self._column]
        word, column = np.array(same, np.int64).reshape(-1, 2).T
        return (
            np.concatenate([np.array(loose, np.int64)[near.left], word]),
            np.concatenate([columns[near.right], column]),
            np.concatenate([near.similarity, np.ones(len(word))]),
        )


_TABLE = 1 << 24  # a step's table has at most so many places; beyond, the step is a search

Numbers = NDArray[np.signedinteger]


@dataclass(frozen=True)
class Grams(Matcher):
    """The share of the weight of the nugget's grams that the update has.

    Grams are the runs of `n` characters of the normalised text with one blank before and after
    it, weighted like words. A text that is shorter than one gram has none and scores 0.
    With a `window` the nugget is held against every stretch of so many words of the update, half a
    window apart, and the best counts.
    """

    name: ClassVar[str] = "grams"
    n: int = parameter(4, integer_in(2, 16), "the number of characters of a gram")
    threshold: float = threshold(0.55)
    window: int = window_parameter(shown=False)
    steps: str = steps_parameter()

    def prepare(self, nuggets: Collection, collection: Collection) -> MatcherGold:
        """Weigh the nuggets' grams."""
        return in_windows(self.contained(nuggets, collection), self.window)

    def contained(self, nuggets: Collection, collection: Collection) -> ContainmentGold:
        """The nuggets as weighed grams, for whole texts."""
        kind, split = ("grams", self.n), partial(grams, n=self.n)
        terms = nuggets.terms(kind, split)
        column, incidence, weights = incidence_of(terms, collection.weigher(kind, split))
        return ContainmentGold(GramReader(column, weights, self.n), incidence, weights)

    def _explain(self, update: str, nugget: str, collection: Collection) -> Evidence:
        weigh = collection.weigher(("grams", self.n), partial(grams, n=self.n))
        terms = dict.fromkeys(grams(nugget, self.n))
        place = dict(reversed(list(_grams_in_place(update, self.n))))
        found = sum(weigh(term) for term in terms if term in place)
        return evidence(
            round(found / max(sum(map(weigh, terms)), 1), DECIMALS),
            [MatchedWord(t, t, 1.0, weigh(t) / GRAIN, place[t]) for t in terms if t in place],
            [MissingWord(t, weigh(t) / GRAIN) for t in terms if t not in place],
        )


def grams(text: str, n: int) -> list[str]:
    """The grams of `text` in their order, repeated ones too."""
    padded = f" {normalised(text)} "
    return [padded[i : i + n] for i in range(len(padded) - n + 1)] if padded.strip() else []


def _grams_in_place(text: str, n: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Each gram with the span of the words in the original that it touches."""
    padded, origin = " ", [(0, 0)]
    for word in words_in_place(text):
        padded += f"{word.text} "
        origin += [(word.start, word.end)] * len(word.text) + [(word.end, word.end)]
    for i in range(len(padded) - n + 1):
        gram = padded[i : i + n]
        touched = [origin[i + k] for k, letter in enumerate(gram) if letter != " "]
        yield gram, (touched[0][0], touched[-1][1])


Step = Callable[[Numbers], Numbers]
"""From a beginning of grams and the letter behind it, as one number, to the longer beginning.

Beginnings and letters are numbers above 0; 0 where no gram goes on like that.
"""


def _step(known: Numbers, to: Numbers, cells: int) -> Step:
    """The step from known pairs, in rising order: by a table, or a search if it is too large."""
    if cells <= _TABLE:
        table = np.zeros(cells, np.int32)
        table[known] = to
        return table.take

    def search(pair: Numbers) -> Numbers:
        place = np.minimum(np.searchsorted(known, pair), len(known) - 1)
        return np.where(known[place] == pair, to[place], 0)

    return search


def _steps(letters: Numbers, width: int) -> Iterator[Step]:
    """The steps along grams, a row each, from their first letters to their numbers as they come."""
    beginning, highest = letters[:, 0].astype(np.int64), width - 1
    for place, behind in enumerate(letters.T[1:], start=2):
        known, number = np.unique(beginning * width + behind, return_inverse=True)
        is_last = place == letters.shape[1]
        to = np.argsort(number) + 1 if is_last else np.arange(1, len(known) + 1)
        yield _step(known, to, (highest + 1) * width)
        beginning, highest = number + 1, len(known)


class GramReader:
    """Turns updates into the weights that they carry of the nuggets' grams.

    The beginnings of grams of the nuggets are numbered, from one letter on. All positions of a
    block go on letter by letter; where the last step leads, a gram of the nuggets begins.
    """

    def __init__(self, column: dict[str, int], weights: NDArray[np.int64], n: int) -> None:
        self._weights = weights
        grams_ = _code_points("".join(column)).reshape(-1, n)
        alphabet = np.unique(grams_)
        self._letter = np.zeros(int(alphabet[-1]) + 2 if len(alphabet) else 1, np.int32)
        self._letter[alphabet] = np.arange(1, len(alphabet) + 1)
        self._width = len(alphabet) + 1
        self._steps = list(_steps(self._letter[grams_], self._width))

    def __call__(self, texts: list[str]) -> sparse.csc_array:
        """One row a text, one column a nugget gram: its weight, where the text has it."""
        points = _code_points("".join([f" {normalised(text)} \0" for text in texts]))
        letter = gram = self._letter.take(points, mode="clip")
        for place, step in enumerate(self._steps, start=1):
            pair = gram[:-1].astype(np.int64)
            pair *= self._width
            pair += letter[place:]
            gram = step(pair)
        begins = np.flatnonzero(gram != 0)
        column = gram.take(begins) - 1
        ends = np.searchsorted(begins, np.flatnonzero(points == 0))
        said = sparse.csr_array(
            (np.ones(len(column), np.int8), column, np.append(0, ends)),
            shape=(len(texts), len(self._weights)),
        ).tocsc()
        said.sum_duplicates()
        carried = np.repeat(self._weights, np.diff(said.indptr))
        return sparse.csc_array((carried, said.indices, said.indptr), shape=said.shape)


def _code_points(text: str) -> NDArray[np.uint8] | NDArray[np.uint32]:
    if text.isascii():
        return np.frombuffer(text.encode(), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
