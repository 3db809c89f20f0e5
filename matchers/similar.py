"""Which words of two vocabularies are alike, by RapidFuzz `ratio`.

Comparing all words with all words is what a fuzzy matcher would spend its time on, so most pairs
are ruled out first. `ratio` counts the letters to take out of either word until both are equal, so
how many letters two alike words have in common at least follows from their lengths. There are two
ways to use that, and lengths decide which is the cheaper:

* Take so many letters out of either word, in all ways there are. Alike words have a rest in common,
  and equal rests are found by their hashes.
* Mark a word's letters in 64 bits. One letter more or less changes one bit at most, so words whose
  marks differ in more bits than letters may differ cannot be alike.

Only what is left is compared. The outcome is exactly that of comparing all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz
from rapidfuzz.process import cpdist

from matchers.words import is_cut

SHORT = 4
"""Words with fewer letters are alike only when equal."""

_LOT = 4096  # words of one length that are looked at together
_MARKS = 1 << 16  # pairs of marks compared at once: the temporaries stay in the cache
_RESTS = 256  # a word with more ways to take letters out is compared by its marks
_DEAR = 10  # so many marks are compared in the time that one rest takes
_COMPARED = 1 << 18  # words compared at once
_FILTER = 20  # bits: a table of so many places still fits the cache

_BASE = 0x9E3779B97F4A7C15  # odd, so that it can be divided by
_SPREAD = np.uint64(0xD6E8FEB86659FD93)

Rows = tuple[NDArray[np.int64], NDArray[np.int64]]


class SimilarPairs(NamedTuple):
    """Pairs of alike words: their numbers in the two lists, and how similar they are."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    similarity: NDArray[np.float64]  # ratio / 100


class _Rests(NamedTuple):
    """The rests of a lot's words by rising hash, and by a hash's first bits whether any has it."""

    hashes: NDArray[np.uint64]
    row: NDArray[np.int64]
    filter: NDArray[np.bool_]
    shift: np.uint64

    @classmethod
    def of(cls, hashes: NDArray[np.uint64]) -> _Rests:
        """Sort what `Lot.rests` gives."""
        flat = hashes.ravel()
        order = np.argsort(flat)
        bits = min(_FILTER, len(flat).bit_length() + 6)
        shift = np.uint64(64 - bits)
        known = np.zeros(1 << bits, bool)
        known[flat >> shift] = True
        return cls(flat[order], order % hashes.shape[1], known, shift)

    def sharing(self, hashes: NDArray[np.uint64]) -> Rows:
        """Other words and the words here that have a hash in common, each pair once."""
        flat = hashes.ravel()
        seen = np.flatnonzero(self.filter.take((flat >> self.shift).view(np.int64)))
        starts = np.searchsorted(self.hashes, flat[seen])
        equal = self.hashes[np.minimum(starts, len(self.hashes) - 1)] == flat[seen]
        seen, starts = seen[equal], starts[equal]
        counts = np.searchsorted(self.hashes, flat[seen], side="right") - starts
        other = np.repeat(seen % hashes.shape[1], counts)
        before = np.repeat(np.cumsum(counts) - counts, counts)
        here = self.row[np.arange(len(other)) - before + np.repeat(starts, counts)]
        pair = np.unique(other * len(self.row) + here)
        return np.divmod(pair, max(1, len(self.row)))


class Lot:
    """Words of one length: from which row of the vocabulary on, their marks and letters."""

    def __init__(self, first: int, letters: NDArray[np.uint32]) -> None:
        self.first = first
        self.size, self.length = letters.shape
        self.marks = _letter_marks(letters)
        self._letters = letters
        self._hashes: dict[int, NDArray[np.uint64]] = {}
        self._sorted: dict[int, _Rests] = {}

    def rests(self, out: int) -> NDArray[np.uint64]:
        """The hashes of the words without `out` letters: a row a way, a column a word."""
        if out not in self._hashes:
            self._hashes[out] = _rest_hashes(self._letters, out)
        return self._hashes[out]

    def sorted_rests(self, out: int) -> _Rests:
        """The same, made ready to look others up in."""
        if out not in self._sorted:
            self._sorted[out] = _Rests.of(_rest_hashes(self._letters, out))
        return self._sorted[out]

    def candidates(self, other: Lot, spare: int) -> Iterator[Rows]:
        """Rows of words here and there that may differ in no more than `spare` letters."""
        common = (self.length + other.length - spare + 1) // 2
        here, there = self.length - common, other.length - common
        ways = (comb(self.length, here), comb(other.length, there))
        rests = self.size * ways[0] + (there not in other._sorted) * other.size * ways[1]
        if max(ways) <= _RESTS and _DEAR * rests < self.size * other.size:
            pairs = iter([other.sorted_rests(there).sharing(self.rests(here))])
        else:
            pairs = self._near_marks(other, spare)
        for i, j in pairs:
            yield i + self.first, j + other.first

    def _near_marks(self, other: Lot, spare: int) -> Iterator[Rows]:
        limit = np.uint8(min(spare, 64))
        step = max(1, _MARKS // self.size)
        for row in range(0, other.size, step):
            bits = np.bitwise_count(other.marks[row : row + step, np.newaxis] ^ self.marks)
            j, i = np.divmod(np.flatnonzero(bits <= limit), self.size)
            yield i, j + row


class Vocabulary(NamedTuple):
    """Words by length, in lots; `number` is each word's place as given."""

    words: NDArray[np.object_]
    number: NDArray[np.int64]
    lots: list[Lot]

    @classmethod
    def of(cls, words: Sequence[str]) -> Vocabulary:
        """Sort `words` by length. None may be empty; there may be none."""
        length = np.fromiter(map(len, words), np.int64, len(words))
        number = np.argsort(length, kind="stable")
        ordered = np.array([*words, None], dtype=object)[number]
        return cls(ordered, number, list(_lots(ordered, length[number])))


def inexact(word: str) -> bool:
    """Whether other words can be like `word`.

    Not if it is short, has a digit in it, or is a part that a run without spaces was cut into: the
    next part is nearly the same.
    """
    if len(word) < SHORT or (not word.isascii() and is_cut(word)):
        return False
    return word.isalpha() or not any(map(str.isdigit, word))


def similarity(left: str, right: str, cutoff: float) -> float:
    """How similar two words are, from 0 to 1; 0 below the `cutoff` (0 to 100)."""
    if left == right:
        return 1.0
    ratio = fuzz.ratio(left, right)
    return ratio / 100 if ratio >= cutoff and inexact(left) and inexact(right) else 0.0


def similar_pairs(left: Vocabulary, right: Vocabulary, cutoff: float) -> SimilarPairs:
    """All pairs of words whose `ratio` is at least `cutoff` (above 0, at most 100)."""
    slack = 1 - cutoff / 100
    found = [pair for lot in left.lots for pair in _candidates(lot, right.lots, slack)]
    none = np.zeros(0, np.int64)
    i, j = (np.concatenate([none, *(pair[side] for pair in found)]) for side in (0, 1))
    ratio = np.zeros(len(i))
    for start in range(0, len(i), _COMPARED):
        part = slice(start, start + _COMPARED)
        ratio[part] = cpdist(
            left.words[i[part]].tolist(),
            right.words[j[part]].tolist(),
            scorer=fuzz.ratio,
            score_cutoff=cutoff - 1e-6,  # RapidFuzz is not strict about its last digits; we are
            dtype=np.float64,
        )
    kept = ratio >= cutoff
    return SimilarPairs(left.number[i[kept]], right.number[j[kept]], ratio[kept] / 100)


def _candidates(lot: Lot, others: Sequence[Lot], slack: float) -> Iterator[Rows]:
    """Pairs that lengths and letters do not rule out, a lot against others."""
    for other in others:
        spare = int(slack * (lot.length + other.length) + 1e-6)
        if abs(lot.length - other.length) <= spare:
            yield from lot.candidates(other, spare)


def _lots(words: NDArray[np.object_], length: NDArray[np.int64]) -> Iterator[Lot]:
    """Cut words in order of length into lots."""
    letters = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32)
    ends = np.cumsum(length)
    for each in np.unique(length).tolist():
        first, last = np.searchsorted(length, [each, each + 1]).tolist()
        for start in range(first, last, _LOT):
            end = min(start + _LOT, last)
            own = letters[ends[start] - each : ends[end - 1]]
            yield Lot(start, own.reshape(-1, each))


def _rest_hashes(letters: NDArray[np.uint32], out: int) -> NDArray[np.uint64]:
    """Hashes of what is left of each word when `out` of its letters are taken out, for all ways.

    A letter counts as its code times a power that rises by its place among those that are left. So
    the hash of a rest is a sum of stretches, each divided by one more power than the one before;
    and the sum over a stretch is the difference of two sums from the word's beginning.
    """
    size, length = letters.shape
    powers = np.array([pow(_BASE, i, 1 << 64) for i in range(length)], np.uint64)
    sums = np.zeros((length + 1, size), np.uint64)
    np.cumsum(letters.T * powers[:, np.newaxis], axis=0, out=sums[1:])
    ways = comb(length, out)
    taken = np.array(list(combinations(range(length), out)), np.int64).reshape(ways, out)
    ends = np.column_stack([taken, np.full(ways, length)])
    starts = np.column_stack([np.zeros(ways, np.int64), taken + 1])
    hashes = np.zeros((ways, size), np.uint64)
    for stretch in range(out + 1):
        moved = sums * np.uint64(pow(_BASE, -stretch, 1 << 64))
        hashes += moved.take(ends[:, stretch], axis=0)
        hashes -= moved.take(starts[:, stretch], axis=0)
    hashes *= _SPREAD
    return hashes


def _letter_marks(letters: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """64 bits a word: one for a letter that it has, another for having that letter twice.

    Several letters share a bit (code points modulo 32), which costs candidates, not correctness.
    """
    ordered = np.sort(letters, axis=1).astype(np.uint64)
    again = np.zeros_like(ordered)
    again[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    bits = np.uint64(1) << ((ordered & np.uint64(31)) + again * np.uint64(32))
    marks: NDArray[np.uint64] = np.bitwise_or.reduce(bits, axis=1)
    return marks
