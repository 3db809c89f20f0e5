"""The normaliser of `words` for many texts at once: their words, and where these stand."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchers.words import folds_alone, is_special, word_spans, words

if TYPE_CHECKING:
    import pyarrow as pa

MARK = "\0"
"""Stands after each text. It is not a word character, so no text can hold it as a word."""

_BLANK = ord(" ")

# For ASCII texts, NFKC changes nothing and case folding is lower case, so the normaliser is one
# table. The mark is kept.
_ASCII = bytes(ord(chr(i).lower()) if re.match(r"\w", chr(i)) else _BLANK for i in range(128))
_TABLE = b"\0" + _ASCII[1:] + bytes(128)
_NO_MARK = bytes([_BLANK, *range(1, 256)])


class Coded(NamedTuple):
    """The words of streams by their numbers in a list of the different ones."""

    words: list[bytes]
    number: NDArray[np.int64]


class Stream(NamedTuple):
    """Several texts in UTF-8, normalised: words with blanks around, `MARK` after each text.

    `row` gives, for the first, second, ... text of the stream, its number among the texts given:
    plain ASCII texts come first, because one table translates them all at once. A stream begins
    and ends with a blank.
    """

    text: bytes
    row: NDArray[np.int64]

    def words(self) -> pa.LargeBinaryArray:
        """Its words, the marks too, as a column."""
        import pyarrow as pa  # here, because the other matchers do without

        blank = np.frombuffer(self.text, np.uint8) == _BLANK
        edges = np.flatnonzero(blank[1:] != blank[:-1])
        ends = np.zeros(len(edges) // 2 + 1, np.int64)
        np.cumsum(edges[1::2] - edges[::2], out=ends[1:])
        letters = self.text.translate(None, b" ")
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(letters)]
        return pa.Array.from_buffers(pa.large_binary(), len(ends) - 1, buffers)


def stream(texts: list[str]) -> Stream:
    """Normalise `texts`; every text has its place in the stream, also one without words."""
    plain = [i for i, text in enumerate(texts) if text.isascii()]
    other = [i for i, text in enumerate(texts) if not text.isascii()]
    found = [_plain([texts[i] for i in plain])] if plain else []
    found += [" ".join(words(texts[i])).encode("utf-8", "surrogatepass") for i in other]
    text = b" " + b"".join(b"%b \0 " % part for part in found)
    return Stream(text, np.array(plain + other, dtype=np.int64))


def coded(columns: list[pa.LargeBinaryArray]) -> Coded:
    """The words of columns, one after another, numbered as they come first."""
    import pyarrow as pa

    encoded = pa.concat_arrays(columns).dictionary_encode()
    number = encoded.indices  # read from its memory: `to_numpy` would load pandas
    content = np.frombuffer(number.buffers()[1] or b"", np.int32)
    codes = content[number.offset :][: len(number)].astype(np.int64)
    return Coded(encoded.dictionary.to_pylist(), codes)


def _plain(texts: list[str]) -> bytes:
    joined = f" {MARK} ".join(texts).encode("ascii")
    if joined.count(MARK.encode()) >= len(texts):
        joined = b" \0 ".join(text.encode("ascii").translate(_NO_MARK) for text in texts)
    return joined.translate(_TABLE)


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
