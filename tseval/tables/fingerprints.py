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

BASE = 0x9E3779B97F4A7C15
"""An odd number, which has an inverse modulo 2^64."""
INVERSE = pow(BASE, -1, 2**64)
LENGTH_FACTOR = 0xC2B2AE3D27D4EB4F
PIECE_ROWS = 2_048
"""How many strings are worked on at once, so that what they need, 50 times their bytes, stays in
the cache."""


def all_differ(strings: Any) -> bool:
    """Whether the strings of an Arrow array are seen to differ; False where that is not seen."""
    chunks = strings.chunks if isinstance(strings, pa.ChunkedArray) else [strings]
    parts: list[Words] = []
    for chunk in chunks:
        for at in range(0, len(chunk), PIECE_ROWS):
            parts.append(fingerprints(chunk.slice(at, PIECE_ROWS)))
            if len(parts) == 1 and not _distinct(parts[0]):
                return False  # as a column of topics soon shows
    return not parts or _distinct(np.concatenate(parts))


def suspects(strings: Any) -> NDArray[np.int64]:
    """The rows of an Arrow column that may not differ from another; all others are seen to."""
    parts = [
        fingerprints(chunk.slice(at, PIECE_ROWS))
        for chunk in strings.chunks
        for at in range(0, len(chunk), PIECE_ROWS)
    ]
    numbers = np.concatenate([np.zeros(0, np.uint64), *parts])
    ordered = np.sort(numbers)
    return np.flatnonzero(np.isin(numbers, ordered[1:][ordered[1:] == ordered[:-1]], kind="sort"))


def _distinct(numbers: Words) -> bool:
    ordered = np.sort(numbers)
    return bool((ordered[1:] != ordered[:-1]).all())


def fingerprints(strings: Any) -> Words:
    """For each string its bytes as the digits of a number to the base above, modulo 2^64."""
    rows = len(strings)
    bounds = np.frombuffer(strings.buffers()[1], np.int32)[strings.offset :][: rows + 1]
    content = strings.buffers()[2]
    if rows == 0 or content is None:
        return np.zeros(rows, np.uint64)
    bounds = bounds.astype(np.int64)
    digits = np.frombuffer(content, np.uint8)[bounds[0] : bounds[-1]].astype(np.uint64)
    bounds -= bounds[0]
    powers = _powers(BASE, len(digits))
    sums = np.zeros(len(digits) + 1, np.uint64)
    np.cumsum((digits + np.uint64(1)) * powers, out=sums[1:])
    numbers = sums[bounds[1:]] - sums[bounds[:-1]]
    shifted: Words = numbers * _powers(INVERSE, len(digits) + 1)[bounds[:-1]]
    return shifted ^ ((bounds[1:] - bounds[:-1]).astype(np.uint64) * np.uint64(LENGTH_FACTOR))


_CACHE: dict[int, Words] = {}


def _powers(base: int, count: int) -> Words:
    """The first powers of a number, modulo 2^64."""
    known = _CACHE.get(base)
    if known is None or len(known) < count:
        factors = np.full(max(count, 2 * PIECE_ROWS), base, np.uint64)
        factors[0] = 1
        known = _CACHE[base] = np.multiply.accumulate(factors)
    return known[:count]
