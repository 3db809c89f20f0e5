"""Which words of two vocabularies are alike, by RapidFuzz `ratio`.

Comparing all words with all words is what a fuzzy matcher would spend its time on, so most pairs
are ruled out first. `ratio` counts the letters to take out of either word until both are equal,
and one letter more or less in a word changes one bit, at most, of the word's letter marks. Words
whose marks differ in more bits than the cutoff allows cannot be alike; only the others are
compared. The outcome is exactly that of comparing all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz
from rapidfuzz.process import cpdist

SHORT = 4
"""Words with fewer letters are alike only when equal."""

_ROWS, _COLUMNS = 32, 4096  # marks compared at once: the temporaries stay in the cache
_COMPARED = 1 << 18  # words compared at once


class Alike(NamedTuple):
    """Pairs of alike words: their numbers in the two lists, and how similar they are."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    similarity: NDArray[np.float64]  # ratio / 100


class Vocabulary(NamedTuple):
    """Words by length, with their letter marks; `number` is each word's place as given."""

    words: NDArray[np.object_]
    number: NDArray[np.int64]
    length: NDArray[np.int64]
    marks: NDArray[np.uint64]

    @classmethod
    def of(cls, words: Sequence[str]) -> Vocabulary:
        """Sort `words` by length and mark them. None may be empty; there may be none."""
        length = np.fromiter(map(len, words), np.int64, len(words))
        number = np.argsort(length, kind="stable")
        ordered = np.array([*words, None], dtype=object)[number]
        return cls(ordered, number, length[number], _letter_marks(ordered, length[number]))


def inexact(word: str) -> bool:
    """Whether other words can be like `word`: not if it is short or has a digit in it."""
    return len(word) >= SHORT and (word.isalpha() or not any(map(str.isdigit, word)))


def similarity(left: str, right: str, cutoff: float) -> float:
    """How similar two words are, from 0 to 1; 0 below the `cutoff` (0 to 100)."""
    if left == right:
        return 1.0
    if not (inexact(left) and inexact(right)):
        return 0.0
    ratio = fuzz.ratio(left, right)
    return ratio / 100 if ratio >= cutoff else 0.0


def alike(left: Vocabulary, right: Vocabulary, cutoff: float) -> Alike:
    """All pairs of words whose `ratio` is at least `cutoff` (above 0, at most 100)."""
    found = list(_candidates(left, right, 1 - cutoff / 100))
    i = np.concatenate([pair[0] for pair in found]) if found else np.zeros(0, np.int64)
    j = np.concatenate([pair[1] for pair in found]) if found else np.zeros(0, np.int64)
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
    return Alike(left.number[i[kept]], right.number[j[kept]], ratio[kept] / 100)


def _candidates(
    left: Vocabulary, right: Vocabulary, slack: float
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Pairs that lengths and marks do not rule out, one length of `right` after another."""
    for length in np.unique(right.length):
        first, last = np.searchsorted(right.length, [length, length + 1])
        allowed = np.floor(slack * (left.length + length) + 1e-6).astype(np.int64)
        near = np.flatnonzero(np.abs(left.length - length) <= allowed)
        begin, end = (near[0], near[-1] + 1) if len(near) else (0, 0)
        for column in range(begin, end, _COLUMNS):
            part = slice(column, min(column + _COLUMNS, end))
            limit = np.minimum(allowed[part], 64).astype(np.uint8)
            for row in range(first, last, _ROWS):
                rows = right.marks[row : min(row + _ROWS, last), np.newaxis]
                bits = np.bitwise_count(rows ^ left.marks[part])
                j, i = np.divmod(np.flatnonzero(bits <= limit), len(limit))
                yield i + column, j + row


def _letter_marks(words: NDArray[np.object_], length: NDArray[np.int64]) -> NDArray[np.uint64]:
    """64 bits a word: one for a letter that it has, another for having that letter twice.

    Several letters share a bit (code points modulo 32), which costs candidates, not correctness.
    """
    if not len(words):
        return np.zeros(0, np.uint64)
    letters = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32)
    word = np.repeat(np.arange(len(words), dtype=np.uint64), length)
    key = np.sort(word << np.uint64(32) | letters)
    again = np.concatenate([[False], key[1:] == key[:-1]]).astype(np.uint64)
    bit = (key & np.uint64(31)) + again * np.uint64(32)
    return np.bitwise_or.reduceat(np.uint64(1) << bit, np.cumsum(length) - length)
