"""`fuzzy`: weighted containment with words that may be spelled a little differently."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count, repeat
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from matchers.bulk import MARK, Stream, coded, stream
from matchers.collection import DECIMALS, GRAIN, Collection
from matchers.containment import ContainmentGold, Nuggets
from matchers.contract import Matcher
from matchers.evidence import Evidence, MatchedWord, MissingWord, evidence
from matchers.pairs import MatcherGold, ranges
from matchers.parameters import number, parameter, threshold
from matchers.similar import Vocabulary, inexact, similar_pairs, similarity
from matchers.steps import steps_parameter
from matchers.texts import parts, spread
from matchers.windows import in_windows, window_parameter
from matchers.words import Word, words, words_in_place

_WIDTH = 1 << 9  # what a text counts as when texts are read in parts

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
    word: float = parameter(80.0, number(50, 100), "how alike two words must be: a RapidFuzz ratio")
    threshold: float = threshold(0.55)
    window: int = window_parameter(shown=False)
    doubt: float = parameter(
        0.0, number(0, 1000), "weight added to what every score is divided by", shown=False
    )
    steps: str = steps_parameter()

    def prepare(self, nuggets: Collection, collection: Collection) -> MatcherGold:
        """Weigh the nuggets' words."""
        return in_windows(self.contained(nuggets, collection), self.window)

    def contained(self, nuggets: Collection, collection: Collection) -> ContainmentGold:
        """The nuggets as weighed words, for whole texts."""
        terms = nuggets.terms("words", words)
        doubt = round(self.doubt * GRAIN)
        column, rows = Nuggets.of(terms, collection.weigher("words", words), doubt)
        return ContainmentGold(WordReader(column, rows.weights, self.word), rows)

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
        words = list(column)
        loose = [i for i, word in enumerate(words) if inexact(word)]
        self._inexact_column = np.array([column[words[i]] for i in loose], np.int64)
        self._vocabulary = Vocabulary.of([words[i] for i in loose])
        self._forget()

    def __call__(self, texts: list[str]) -> list[sparse.csr_array]:
        """One row a text, one column a nugget word: weight * best similarity, where above 0."""
        if len(self._codes) > WORDS_KEPT:
            self._forget()
        if not texts:
            return []
        pieces = parts(len(texts), _WIDTH)
        streams = spread(lambda part: stream(texts[part]), pieces)
        columns = spread(Stream.words, streams)
        found = coded(columns)
        code = self._coded(found.words)[found.number]
        codes = np.split(code, np.cumsum([len(column) for column in columns])[:-1])
        return spread(self._rows, zip(codes, streams, strict=True))

    def _rows(self, piece: tuple[NDArray[np.int64], Stream]) -> sparse.csr_array:
        """The rows of a stream, whose words have these numbers."""
        code, read = piece
        mark = code == 0
        row = read.row[np.cumsum(mark) - mark]
        counts = self._counts[code]
        entry = ranges(self._starts[code], counts)
        return self._best(np.repeat(row, counts), entry, len(read.row))

    def _coded(self, words: list[bytes]) -> NDArray[np.int64]:
        """The numbers of different words; those that were never seen before are learnt."""
        known = map(self._codes.get, words, repeat(-1))
        code = np.fromiter(known, np.int64, len(words))
        fresh = np.flatnonzero(code < 0)
        code[fresh] = np.arange(len(self._codes), len(self._codes) + len(fresh))
        self._learn([words[i] for i in fresh.tolist()])
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
        self._codes = {MARK.encode(): 0}
        self._starts = self._counts = np.zeros(1, np.int64)
        self._to = self._level = np.zeros(0, np.int64)
        self._levels = np.ones(1)  # the different similarities met so far, in rising order

    def _learn(self, words: list[bytes]) -> None:
        """Number words that were not seen before, and find out what they are like."""
        self._codes.update(zip(words, count(len(self._codes))))
        fresh = [word.decode("utf-8", "surrogatepass") for word in words]
        word, to, similar = self._similar_words(fresh)
        order = np.argsort(word, kind="stable")
        counts = np.bincount(word, minlength=len(fresh))
        starts = len(self._to) + np.cumsum(counts) - counts
        self._counts = np.concatenate([self._counts, counts])
        self._starts = np.concatenate([self._starts, starts])
        self._to = np.concatenate([self._to, to[order]])
        levels = np.union1d(self._levels, similar)
        known = np.searchsorted(levels, self._levels)[self._level]
        self._level = np.concatenate([known, np.searchsorted(levels, similar[order])])
        self._levels = levels

    def _similar_words(
        self, fresh: list[str]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Which fresh words are like which columns, and how much."""
        loose = [i for i, word in enumerate(fresh) if inexact(word)]
        exact = set(range(len(fresh))).difference(loose)
        near = similar_pairs(
            Vocabulary.of([fresh[i] for i in loose]), self._vocabulary, self._cutoff
        )
        known = [(i, self._column[fresh[i]]) for i in sorted(exact) if fresh[i] in self._column]
        same = np.array(known, np.int64).reshape(-1, 2)
        return (
            np.concatenate([np.array(loose, np.int64)[near.left], same[:, 0]]),
            np.concatenate([self._inexact_column[near.right], same[:, 1]]),
            np.concatenate([near.similarity, np.ones(len(same))]),
        )
