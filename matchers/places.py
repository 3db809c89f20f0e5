"""Where words stand in many texts, found for all at once: texts as numbers, one a character.

In nearly all texts each character is folded by itself, and is of a word or between words. The kind
of a character is looked up; texts with any other are taken one by one.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchers.words import folds_alone, is_special, word_spans, words

_BETWEEN, _OF_WORD, _OTHER, _UNKNOWN = range(4)
_BEYOND = 1 << 16
_KINDS = np.full(_BEYOND + 1, _UNKNOWN, np.uint8)  # filled as characters are met
_KINDS[_BEYOND] = _OTHER

LETTERS = bytes(re.match(r"\w", chr(i), re.ASCII) is not None for i in range(256))
"""For each character of ASCII whether it is of a word."""

Numbers = NDArray[np.int64]


class Places(NamedTuple):
    """The words of text i are the `counts[i]` ones from number `first[i]` on.

    `starts` and `ends` are those of words in their texts.
    """

    starts: Numbers
    ends: Numbers
    first: Numbers
    counts: Numbers

    @classmethod
    def of(cls, texts: list[str]) -> Places:
        """Find the words of all texts."""
        joined = "\n".join(["", *texts, ""])
        kinds = _kinds(joined)
        starts, ends = runs(kinds == _OF_WORD)
        size = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
        begins = 1 + np.cumsum(size) - size
        first = np.searchsorted(starts, np.append(begins, len(joined)))
        counts = np.diff(first)
        moved = np.repeat(begins, counts)
        other = np.searchsorted(begins, np.flatnonzero(kinds == _OTHER), side="right") - 1
        return cls(starts - moved, ends - moved, first[:-1], counts)._one_by_one(texts, other)

    def _one_by_one(self, texts: list[str], rows: Numbers) -> Places:
        """The same with the words of these texts looked for anew, and put behind all others."""
        starts, ends, first, counts = [self.starts], [self.ends], self.first, self.counts
        behind = len(self.starts)
        for row in np.unique(rows).tolist():
            placed = np.array(word_spans(texts[row]), np.int64).reshape(-1, 2)
            starts.append(placed[:, 0])
            ends.append(placed[:, 1])
            first[row], counts[row] = behind, len(placed)
            behind += len(placed)
        return Places(np.concatenate(starts), np.concatenate(ends), first, counts)


def runs(inside: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """Where runs of what is inside start and end; the first and the last are not."""
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    return edges[::2], edges[1::2]


def _kinds(text: str) -> NDArray[np.uint8]:
    """The kind of each character."""
    if text.isascii():
        return np.frombuffer(text.encode().translate(LETTERS), np.uint8)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _KINDS.take(points, mode="clip")
    if _UNKNOWN in kinds:
        for point in np.unique(points[kinds == _UNKNOWN]).tolist():
            _KINDS[point] = _kind(chr(point))
        kinds = _KINDS.take(points, mode="clip")
    return kinds


def _kind(character: str) -> int:
    """What a character is in any text of such as are folded alone.

    One that is folded into several is of words with all of them, or with none.
    """
    simple = unicodedata.normalize("NFKC", character).casefold()
    if not simple or is_special(simple) or not folds_alone(character):
        return _OTHER
    has = [bool(words(each)) for each in simple]
    return _OF_WORD if all(has) else _OTHER if any(has) else _BETWEEN
