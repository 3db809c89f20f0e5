"""Many texts as one run of words: the normaliser of `words`, a block of texts at a time."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchers.words import words

MARK = "\0"
"""Stands between two texts. It is not a word character, so no text can hold it as a word."""

_BLANK = ord(" ")

# For ASCII texts, NFKC changes nothing and case folding is lower case, so the normaliser is one
# table. The mark is kept.
_ASCII = bytes(ord(chr(i).lower()) if re.match(r"\w", chr(i)) else _BLANK for i in range(128))
_TABLE = b"\0" + _ASCII[1:] + bytes(128)
_NO_MARK = bytes([_BLANK, *range(1, 256)])


class Coded(NamedTuple):
    """The words of a stream by their numbers in a list of the different ones."""

    words: list[bytes]
    number: NDArray[np.int64]


class Stream(NamedTuple):
    """Several texts in UTF-8, normalised: words with blanks around, `MARK` from text to text.

    `row` gives, for the first, second, ... text of the stream, its number among the texts given:
    plain ASCII texts come first, because one table translates them all at once. A stream begins
    and ends with a blank.
    """

    text: bytes
    row: NDArray[np.int64]

    def coded(self) -> Coded:
        """Its words, the marks too, numbered as they come first."""
        import pyarrow as pa  # here, because the other matchers do without

        letters = np.frombuffer(self.text, np.uint8)
        blank = letters == _BLANK
        edges = np.flatnonzero(blank[1:] != blank[:-1])
        ends = np.concatenate([[0], np.cumsum(edges[1::2] - edges[::2])])
        joined = self.text.replace(b" ", b"")
        offsets = pa.py_buffer(ends.astype(np.int64))
        column = pa.Array.from_buffers(
            pa.large_binary(), len(ends) - 1, [None, offsets, pa.py_buffer(joined)]
        ).dictionary_encode()
        return Coded(column.dictionary.to_pylist(), column.indices.to_numpy().astype(np.int64))

    def points(self) -> NDArray[np.uint8] | NDArray[np.uint32]:
        """Its code points, with one blank wherever there are several."""
        letters = np.frombuffer(self.text, np.uint8)
        blank = letters == _BLANK
        single: NDArray[np.uint8] = letters[~(blank & np.append(False, blank[:-1]))]
        if self.text.isascii():
            return single
        text = single.tobytes().decode("utf-8", "surrogatepass")
        return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def stream(texts: list[str]) -> Stream:
    """Normalise `texts`; every text has its place in the stream, also one without words."""
    plain = [i for i, text in enumerate(texts) if text.isascii()]
    other = [i for i, text in enumerate(texts) if not text.isascii()]
    found = [_plain([texts[i] for i in plain])] if plain else []
    found += [" ".join(words(texts[i])).encode("utf-8", "surrogatepass") for i in other]
    text = b" %b " % b" \0 ".join(found)
    return Stream(text, np.array(plain + other, dtype=np.int64))


def _plain(texts: list[str]) -> bytes:
    joined = f" {MARK} ".join(texts).encode("ascii")
    if joined.count(MARK.encode()) >= len(texts):
        joined = b" \0 ".join(text.encode("ascii").translate(_NO_MARK) for text in texts)
    return joined.translate(_TABLE)
