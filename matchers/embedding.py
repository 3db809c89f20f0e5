"""`embedding`: the cosine of the vectors that a sentence model gives both texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from matchers.cache import cache_folder
from matchers.collection import Collection
from matchers.contract import Matcher, Progress
from matchers.encoding import PRECISIONS, ROWS, Encoder, encoder
from matchers.errors import MatcherError
from matchers.models import Model, find
from matchers.pairs import MatcherGold, Pairs
from matchers.parameters import choice, flag, hexadecimal, label, parameter, threshold
from matchers.texts import blocks
from matchers.windows import Windows, in_windows, window_parameter
from matchers.words import has_words

MODEL = "all-MiniLM-L6-v2"
"""The default model: small, quick, and allowed for any use."""

SHOWN = 12
"""How many digits of a model's hash stand in the matcher's name."""

DECIMALS = 5
"""Scores are rounded to so many decimals; a vector's last digits depend on its batch."""

_SLACK = 1e-4  # wider than the rounding of scores and of float32 products together
_CELLS = 1 << 22  # products at once
_GATHERED = 1 << 16  # numbers of vectors gathered at once; they stay in the cache


class SentenceModel(Matcher):
    """A matcher by a sentence model, which it knows by its hashes."""

    model: str
    sha256: str
    settings: str
    download: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        found = self.local_model
        object.__setattr__(self, "sha256", found.sha256[:SHOWN])
        object.__setattr__(self, "settings", found.settings[:SHOWN])

    @property
    def local_model(self) -> Model:
        """The model on this machine; a `MatcherError` if it is not the one of these hashes."""
        found = find(self.model, download=self.download)
        if not found.sha256.startswith(self.sha256):
            raise MatcherError(
                f"{self.name}: the model {self.model!r} on this machine has the sha256 "
                f"{found.sha256[:SHOWN]}, not {self.sha256}"
            )
        if not found.settings.startswith(self.settings):
            raise MatcherError(
                f"{self.name}: the model {self.model!r} on this machine has the right weights, but "
                "its other files (pooling, tokenizer, length, modules) are others: their hash is "
                f"{found.settings[:SHOWN]}, not {self.settings}; get the same model, or leave "
                "settings out"
            )
        return found


@dataclass(frozen=True)
class Embedding(SentenceModel):
    """The cosine of the two texts' vectors, 0 where it is negative.

    With a `window` the nugget is held against every stretch of so many words of the update, half a
    window apart, and the best counts. `model` is the path of a folder or a name; `sha256` is what
    the hash of its weights begins with, `settings` that of all other files that can change a
    vector. Both are looked up when they are not given and refused when they are others.
    `download` allows the network for a model that is not on this machine.
    """

    name: ClassVar[str] = "embedding"
    model: str = parameter(MODEL, label(), "the sentence model")
    window: int = window_parameter(shown=True)
    precision: str = parameter("fp32", choice(PRECISIONS), "what the model computes in")
    threshold: float = threshold(0.586)
    sha256: str = parameter("", hexadecimal(), "what the hash of the model's weights begins with")
    download: bool = parameter(
        False, flag(), "whether a model that is not here may be downloaded", compare=False
    )
    settings: str = parameter("", hexadecimal(), "what the hash of its other files begins with")

    @property
    def encoder(self) -> Encoder:
        """What turns texts into vectors; one for all matchers of this model and precision."""
        return encoder(self.local_model, self.precision, cache_folder())

    def read_ahead(self, texts: Iterable[str], progress: Progress | None = None) -> None:
        """Encode all texts that were never encoded before, sorted by length over the whole."""
        parts = blocks(texts, "update", ROWS)
        cut = (Windows.of(part, self.window).texts for _, part in parts)
        self.encoder.learn(cut, progress)

    def prepare(self, nuggets: Collection, collection: Collection) -> MatcherGold:  # noqa: ARG002
        """Encode the nuggets; no weights are needed."""
        encode = self.encoder
        return in_windows(VectorGold(_vectors(encode, list(nuggets)), encode), self.window)


def _vectors(encode: Encoder, texts: list[str]) -> NDArray[np.float32]:
    """The vectors of texts, one a row; that of a text without words is 0."""
    spoken = [i for i, text in enumerate(texts) if has_words(text)]
    found = encode.vectors([texts[i] for i in spoken])
    rows = np.zeros((len(texts), found.shape[1]), np.float32)
    rows[spoken] = found
    return rows


@dataclass(frozen=True, eq=False)
class VectorGold:
    """Nuggets as vectors."""

    nuggets: NDArray[np.float32]
    encoder: Encoder

    def block(self, texts: list[str]) -> VectorBlock:
        """Read updates."""
        return VectorBlock(_vectors(self.encoder, texts), self.nuggets)

    def only(self, nuggets: NDArray[np.int64]) -> VectorGold:
        """The nuggets of these rows alone."""
        return VectorGold(self.nuggets[nuggets], self.encoder)


@dataclass(frozen=True, eq=False)
class VectorBlock:
    """Updates and nuggets as vectors."""

    updates: NDArray[np.float32]
    nuggets: NDArray[np.float32]

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`.

        One float32 product a part finds the candidates. How it rounds depends on its shape, so each
        candidate's score is then summed up by itself.
        """
        update, nugget = self._near(threshold - _SLACK)
        return Pairs.of(update, nugget, self.scores(update, nugget), threshold)

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The cosines of single pairs, whatever the others are."""
        found = np.zeros(len(update))
        step = max(1, _GATHERED // max(1, self.updates.shape[1]))
        for start in range(0, len(update), step):
            part = slice(start, start + step)
            left = self.updates.take(update[part], axis=0).astype(np.float64)
            found[part] = (left * self.nuggets.take(nugget[part], axis=0)).sum(axis=1)
        return np.round(np.clip(found, 0, 1), DECIMALS).astype(np.float64)

    def _near(self, least: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs whose product is at least `least`, from at most `_CELLS` products at once."""
        width = max(1, len(self.nuggets))
        height = max(1, _CELLS // width)
        found = [np.zeros(0, np.int64)]
        if self.updates.shape[1] != self.nuggets.shape[1]:  # one side has no vector at all
            return found[0], found[0]
        for start in range(0, len(self.updates), height):
            product = self.updates[start : start + height] @ self.nuggets.T
            found.append(np.flatnonzero(product >= least) + start * width)
        update, nugget = np.divmod(np.concatenate(found), width)
        return update, nugget
