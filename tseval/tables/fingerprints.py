"""A quick proof that all strings of a column differ.

Most columns of ids hold no id twice. To hash a million strings into a table costs more than all the
rest of reading them; to compute a number from each and sort the numbers costs little. Different
numbers prove different strings. Equal numbers prove nothing, and the caller takes the long way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

BASE = np.uint64(0x9E3779B97F4A7C15)
"""An odd number: to multiply by it loses nothing."""
LENGTH_FACTOR = np.uint64(0xC2B2AE3D27D4EB4F)
HALF = np.uint64(32)
WORD = 8
"""The bytes of a word, as which strings are read."""
MOST_WORDS = 32
"""How many words a string is told by, beside its length and last bytes."""
PIECE_ROWS = 16_384
"""How many strings are worked on at once, so that what they need stays in the cache."""
LOOKED_AT = (1, 8)
"""After so many pieces it is looked whether to go on pays."""
MANY = 8
"""More than the share of one in so many strings that may not differ are many."""


def suspects(strings: Any) -> NDArray[np.int64] | None:
    """The rows of an Arrow column that may not differ from another; all others are seen to.

    None where they are many.
    """
    chunks = strings.chunks if isinstance(strings, pa.ChunkedArray) else [strings]
    numbers, rows = np.empty(len(strings), np.uint64), 0
    pieces = (c.slice(at, PIECE_ROWS) for c in chunks for at in range(0, len(c), PIECE_ROWS))
    for count, piece in enumerate(pieces, start=1):
        numbers[rows : rows + len(piece)] = fingerprints(piece)
        rows += len(piece)
        if count in LOOKED_AT and _are_many(_repeated(numbers[:rows]), numbers[:rows]):
            return None  # as a column of topics soon shows
    repeated = _repeated(numbers)
    if not len(repeated):
        return np.zeros(0, np.int64)
    return None if _are_many(repeated, numbers) else np.flatnonzero(_among(numbers, repeated))


def _repeated(numbers: Words) -> Words:
    """The numbers that stand above in their order: each once less than in all."""
    ordered = np.sort(numbers)
    repeated: Words = ordered[1:][ordered[1:] == ordered[:-1]]
    return repeated


def _are_many(repeated: Words, numbers: Words) -> bool:
    return len(repeated) * MANY > len(numbers)


def _among(numbers: Words, few: Words) -> NDArray[np.bool_]:
    """Which numbers are among a few, which ascend."""
    at = np.searchsorted(few, numbers)
    at[at == len(few)] = 0
    found: NDArray[np.bool_] = few[at] == numbers
    return found


def fingerprints(strings: Any) -> Words:
    """A number for each string, of its bytes by eight, and of its length.

    Of a very long one it is the first words and the last bytes.
    """
    rows = len(strings)
    content = strings.buffers()[2]
    if rows == 0 or content is None:
        return np.zeros(rows, np.uint64)
    bounds = np.frombuffer(strings.buffers()[1], np.int32)[strings.offset :][: rows + 1]
    data = np.zeros(int(bounds[-1] - bounds[0]) + WORD, np.uint8)
    data[:-WORD] = np.frombuffer(content, np.uint8)[bounds[0] : bounds[-1]]
    # A word from each byte on, so that strings may begin anywhere.
    words = np.ndarray((len(data) - WORD + 1,), "<u8", data, strides=(1,))
    start, length = (bounds[:-1] - bounds[0]).astype(np.int64), np.diff(bounds).astype(np.int64)
    numbers = length.astype(np.uint64) * LENGTH_FACTOR
    whole = length // WORD
    fewest, most = int(whole.min()), int(whole.max())
    for at in range(min(most, MOST_WORDS)):
        if at < fewest:
            _mix(numbers, words[start + at * WORD])
        else:
            longer = np.flatnonzero(whole > at)
            mixed = numbers[longer]
            _mix(mixed, words[start[longer] + at * WORD])
            numbers[longer] = mixed
    _mix(numbers, words[start + whole * WORD] & LAST_BYTES[length % WORD])
    return numbers


LAST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(WORD)], np.uint64)
"""What leaves so many bytes of a word."""


def _mix(numbers: Words, words: Words) -> None:
    """Mix the next word of each string into its number, in place."""
    numbers ^= words
    numbers *= BASE
    numbers ^= numbers >> HALF
