"""Words of texts, and which of them a span marks: counted in the bytes of whole columns.

`Rules.words` says what a word is. With `tokens` it is a run of bytes that are not white space; with
`blanks` the words are one more than the blanks, so that two blanks in a row hold an empty word. For
what a text costs it is a run of `letters` and digits after NFKC; matchers cut more finely.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tseval.io.names import distinct
from tseval.tables import Texts

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray

    Counter: TypeAlias = Callable[[bytes, IntArray, IntArray], IntArray]
    """From a block and the stretches of texts in it to a number for each."""


LETTERS = "letters"


WHITE = np.zeros(256, bool)


_WORD = re.compile(r"\w+")


NO_LETTER = np.array([not _WORD.match(chr(byte)) for byte in range(128)] + [True] * 128)


"""Which bytes are outside of words of letters, in ASCII texts."""


BLANK = 32


CONTINUED = 0b10


"""What the first two bits of a byte are that goes on with a character."""


ROWS_AT_ONCE = 131_072


"""How many texts are counted together, so that a million of them need little memory."""


def word_counts(texts: Texts, kind: str) -> FloatArray:
    """The number of words of each text."""
    counter = {"blanks": _blanks_and_one, LETTERS: _words_of_letters}.get(kind, _words)
    return _counted(texts, counter)


def character_counts(texts: Texts) -> FloatArray:
    """The number of characters (code points) of each text as it stands."""
    return _counted(texts, _characters)


def _counted(texts: Texts, counter: Counter) -> FloatArray:
    """A number for each text, from the bytes that it and its neighbours take."""

    def count(block: bytes, rows: IntArray) -> IntArray:
        start, end = texts.start[rows].astype(np.int64), texts.end[rows].astype(np.int64)
        first = int(start.min())
        return counter(block[first : int(end.max())], start - first, end - first)

    return _by_block(texts, count)


def _by_block(texts: Texts, count: Callable[[bytes, IntArray], IntArray]) -> FloatArray:
    """A number for each text, from the block that holds it."""
    numbers = np.zeros(len(texts))
    for place in distinct(texts.block).tolist():  # numpy's own loads masked arrays
        rows = np.flatnonzero(texts.block == place)
        for at in range(0, len(rows), ROWS_AT_ONCE):
            some = rows[at : at + ROWS_AT_ONCE]
            numbers[some] = count(texts.blocks[place], some)
    return numbers


def _blanks_and_one(block: bytes, start: IntArray, end: IntArray) -> IntArray:
    return _blanks(block, start, end) + 1


def _words_of_letters(block: bytes, start: IntArray, end: IntArray) -> IntArray:
    """How many words of letters each text has; what is beyond ASCII is looked at by itself."""
    count = _words(block, start, end, NO_LETTER)
    if not block.isascii():
        from tseval.matching.normal import normal

        beyond = np.flatnonzero(np.frombuffer(block, np.uint8) >= 128)
        other = np.searchsorted(beyond, start) < np.searchsorted(beyond, end)
        for row in np.flatnonzero(other).tolist():
            text = block[start[row] : end[row]].decode("utf-8", "surrogatepass")
            count[row] = len(_WORD.findall(normal("NFKC", text)))
    return count


def _characters(block: bytes, start: IntArray, end: IntArray) -> IntArray:
    """How many characters each text has: its bytes but those that go on with one."""
    if block.isascii():
        return end - start
    goes_on = np.flatnonzero(np.frombuffer(block, np.uint8) >> 6 == CONTINUED)
    return end - start - (np.searchsorted(goes_on, end) - np.searchsorted(goes_on, start))


def _blanks(block: bytes, start: IntArray, end: IntArray) -> IntArray:
    """How many blanks stand in [start, end)."""
    places = np.flatnonzero(np.frombuffer(block, np.uint8) == BLANK)
    return np.searchsorted(places, end) - np.searchsorted(places, start)


def _words(block: bytes, start: IntArray, end: IntArray, outside: BoolArray = WHITE) -> IntArray:
    """How many words begin in [start, end), of a text that begins at `start`."""
    white = outside[np.frombuffer(block, np.uint8)]
    begins = np.flatnonzero(~white[1:] & white[:-1]) + 1
    later = np.searchsorted(begins, end) - np.searchsorted(begins, start, "right")
    at_once = np.zeros(len(start), bool)
    some = start < end
    at_once[some] = ~white[start[some]]
    count: IntArray = np.maximum(later, 0) + at_once
    return count
