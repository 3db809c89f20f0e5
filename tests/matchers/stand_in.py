"""A sentence model that nobody could load: pieces and vectors of the tests' own."""

from __future__ import annotations

import hashlib

import numpy as np

from matchers import words
from matchers.sentence_models import SCALE
from tests.oracles import matching as slow

DIMENSIONS = 24


class Tokenizer:
    """A piece is a word, and its number the word's letters in base 3."""

    @staticmethod
    def number(word: str) -> int:
        return int("".join(str(" ab".index(letter)) for letter in word), 3)

    def encode_batch(self, texts: list[str], *, add_special_tokens: bool) -> list[Tokens]:
        assert not add_special_tokens
        return [Tokens([self.number(word) for word in words(text)]) for text in texts]


class Tokens:
    """What a tokenizer gives for a text."""

    def __init__(self, ids: list[int]) -> None:
        self.ids = ids


class Network:
    """Gives each piece a vector of its own, wherever it stands; counts what it was asked."""

    asked = 0

    def of_tokens(self, rows: list[list[int]]) -> np.ndarray:
        Network.asked += len(rows)
        assert all((row[0], row[-1]) == (101, 102) for row in rows)
        found = np.full((len(rows), max(map(len, rows)), DIMENSIONS), np.float32(0.5))
        for i, row in enumerate(rows):
            found[i, : len(row)] = [vector(number) for number in row]
        return found


def vector(number: int) -> np.ndarray:
    digest = hashlib.sha256(str(number).encode()).digest()
    made = np.random.default_rng(list(digest)).normal(size=DIMENSIONS)
    return (made / np.linalg.norm(made)).astype(np.float32)


def kept(number: int) -> list[float]:
    """A vector as it is kept: in parts of `SCALE`."""
    return [float(each) for each in np.rint(vector(number) * SCALE) / SCALE]


def windows(text: str) -> list[list[int]]:
    """Windows of four pieces, two apart, the last one at the end."""
    numbers = [Tokenizer.number(word) for word in slow.words(text)]
    return (
        [[Tokenizer.number(word) for word in part] for part in slow.cut(text, 4)] if numbers else []
    )
