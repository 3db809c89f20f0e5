"""Lists of texts: read a block at a time, and worked on in parts.

What belongs to one part stays in a processor's cache.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from multiprocessing import parent_process

import numpy as np
from numpy.typing import NDArray

from matchers.errors import MatcherError

LETTERS = 1 << 22
"""A block ends with the text that brings it to so many letters."""


def checked(texts: Iterable[str], what: str) -> list[str]:
    """`texts` as a list; a `MatcherError` names the first element that is not a str."""
    return [text for _, block in blocks(texts, what, LETTERS) for text in block]


def blocks(texts: Iterable[str], what: str, rows: int) -> Iterator[tuple[int, list[str]]]:
    """Consecutive blocks of at most `rows` texts, each with the number of its first text.

    A block also ends at `LETTERS` letters, so it stays small when texts are long.
    """
    if isinstance(texts, str):
        raise MatcherError(f"a list of {what}s is needed, not one text")
    first = letters = 0
    block: list[str] = []
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise MatcherError(f"{what} {number} is {text!r} ({type(text).__name__}), not a text")
        block.append(text)
        letters += len(text)
        if len(block) == rows or letters >= LETTERS:
            yield first, block
            first, letters, block = number + 1, 0, []
    if block:
        yield first, block


def distinct(texts: list[str]) -> tuple[list[str], NDArray[np.int64]]:
    """The different texts in order of appearance, and for each text given its number there."""
    number: dict[str, int] = {}
    numbers = [number.setdefault(text, len(number)) for text in texts]
    return list(number), np.array(numbers, dtype=np.int64)


CELLS = 1 << 20
"""A part has at most so many cells, unless one row has more: what is dense is never larger."""


def parts(rows: int, width: int, cells: int | None = None) -> list[slice]:
    """Consecutive slices of `rows` rows that are `width` cells wide; none without rows.

    A slice has at most `cells` cells, by default `CELLS`.
    """
    step = max(1, (CELLS if cells is None else cells) // max(1, width))
    return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]


def cores() -> int:
    """All cores that this process may use, but one in a process that was started for work.

    Whoever starts processes gives each a share of the work, and the cores are theirs together.
    """
    if parent_process() is not None:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
