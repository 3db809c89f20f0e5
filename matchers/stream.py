"""Many texts as one run of words: the normaliser of `words`, a block of texts at a time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchers.words import words

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
