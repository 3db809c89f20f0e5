"""Reading lists of texts: a block at a time, each text checked once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from matchers.errors import MatcherError

LETTERS = 1 << 22
"""A block ends with the text that brings it to so many letters."""


def checked(texts: Iterable[str], what: str) -> list[str]:
    """`texts` as a list; a `MatcherError` names the first element that is not a str."""
    if isinstance(texts, str):
        raise MatcherError(f"a list of {what}s is needed, not one text")
    listed = list(texts)
    _check(listed, what, 0)
    return listed


def blocks(texts: Iterable[str], what: str, rows: int) -> Iterator[tuple[int, list[str]]]:
    """Consecutive blocks of at most `rows` texts, each with the number of its first text.

    A block also ends at `LETTERS` letters, so it stays small when texts are long.
    """
    if isinstance(texts, str):
        raise MatcherError(f"a list of {what}s is needed, not one text")
    first = letters = 0
    block: list[str] = []
    for text in texts:
        block.append(text)
        letters += len(text) if isinstance(text, str) else 0
        if len(block) == rows or letters >= LETTERS:
            _check(block, what, first)
            yield first, block
            first, letters, block = first + len(block), 0, []
    if block:
        _check(block, what, first)
        yield first, block


def distinct(texts: list[str]) -> tuple[list[str], NDArray[np.int64]]:
    """The different texts in order of appearance, and for each text given its number there."""
    number: dict[str, int] = {}
    numbers = [number.setdefault(text, len(number)) for text in texts]
    return list(number), np.array(numbers, dtype=np.int64)


def _check(texts: list[str], what: str, first: int) -> None:
    if set(map(type, texts)) <= {str}:
        return
    for row, text in enumerate(texts, start=first):
        if not isinstance(text, str):
            raise MatcherError(f"{what} {row} is {text!r} ({type(text).__name__}), not a text")
