"""From sentences to tokens: as the original ROUGE, tilse's own and its costs have them."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator

from tseval.families.timelines.stemmers import nltk_stem, original_stem, stop_words
from tseval.records import frozen

ORIGINAL, REIMPL = "original", "reimpl"
MARKS = frozenset({".", ",", ";", ":", "``", "''", "-", '"'})
"""Tokens that tilse's own ROUGE drops whether stop words are kept or not."""
RUNS = re.compile("[a-z0-9]+")
LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@frozen
class Wording:
    """How sentences become tokens."""

    backend: str = ORIGINAL
    stems: bool = True
    drops_stop_words: bool = True

    def tokens(self, sentences: Iterable[str]) -> list[str]:
        """The tokens of a summary; where a sentence ends leaves no trace."""
        dropped = stop_words() if self.drops_stop_words else frozenset[str]()
        stem: Callable[[str], str] = original_stem
        found = _letters(sentences)
        if self.backend == REIMPL:
            stem, dropped = nltk_stem, dropped | MARKS
            found = (token.lower() for sentence in sentences for token in sentence.split())
        kept = (token for token in found if token not in dropped)
        return [stem(token) for token in kept] if self.stems else list(kept)


def _letters(sentences: Iterable[str]) -> Iterator[str]:
    """Runs of ASCII letters and digits; what stands behind a `<` is markup to the original."""
    for sentence in sentences:
        whole = " ".join(sentence.split()).replace("^", "&circ;").partition("<")[0]
        yield from RUNS.findall(whole.translate(LOWER))


def plain_tokens(sentences: Iterable[str]) -> list[str]:
    """What costs are taken from: tokens as they are, but for punctuation."""
    return [
        token
        for sentence in sentences
        for token in sentence.split()
        if token not in string.punctuation  # a part of this string, as tilse asks
    ]
