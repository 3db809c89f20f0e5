"""Many texts as one run of words: the normaliser of `words`, a block of texts at a time."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchers.words import words

MARK = "\0"
"""Stands between two texts. It is not a word character, so no text can hold it as a word."""

# For ASCII texts, NFKC changes nothing and case folding is lower case, so the normaliser is one
# table. The mark is kept.
_ASCII = {i: chr(i).lower() if re.match(r"\w", chr(i)) else " " for i in range(1, 128)}


class Stream(NamedTuple):
    """The words of several texts, with `MARK` between one text and the next.

    `row` gives, for the first, second, ... text of the stream, its number among the texts given:
    plain ASCII texts come first, because one table translates them all at once.
    """

    words: list[str]
    row: NDArray[np.int64]


def stream(texts: list[str]) -> Stream:
    """Normalise `texts`; every text has its place in the stream, also one without words."""
    plain = [i for i, text in enumerate(texts) if text.isascii()]
    other = [i for i, text in enumerate(texts) if not text.isascii()]
    found = _plain_words([texts[i] for i in plain])
    for count, i in enumerate(other, start=len(plain)):
        if count:
            found.append(MARK)
        found += words(texts[i])
    return Stream(found, np.array(plain + other, dtype=np.int64))


def _plain_words(texts: list[str]) -> list[str]:
    joined = f" {MARK} ".join(texts)
    if joined.count(MARK) >= len(texts) > 0:
        joined = f" {MARK} ".join(text.replace(MARK, " ") for text in texts)
    return joined.translate(_ASCII).split()
