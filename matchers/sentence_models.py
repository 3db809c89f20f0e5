"""Matchers by a sentence model: `embedding` by vectors of texts, `late` by those of word pieces.

`late` keeps the vectors of pieces as whole numbers, so that a product of two is exact in float32
whatever the order in which it is summed: no partial sum reaches 2**24. A score then depends on the
vectors alone, and not on which texts stand beside one another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from matchers.blend import candidates_parameter, through
from matchers.cache import cache_folder
from matchers.collection import Collection
from matchers.contract import Matcher, Progress
from matchers.encoding import (
    PRECISIONS,
    ROWS,
    Encoder,
    Model,
    Network,
    encoder,
    find,
    need_extra,
    replace_half_characters,
)
from matchers.errors import MatcherError
from matchers.pairs import MatcherGold, Pairs, ranges
from matchers.parameters import choice, flag, hexadecimal, label, parameter, threshold
from matchers.texts import blocks, distinct
from matchers.windows import Windows, in_windows, window_parameter
from matchers.words import has_words

MODEL = "all-MiniLM-L6-v2"
"""The default model: small, quick, and allowed for any use."""

SHOWN = 12
"""How many digits of a model's hash stand in the matcher's name."""

DECIMALS = 5
"""Scores are rounded to so many decimals; a vector's last digits depend on its batch."""

_SLACK = 1e-4  # wider than the rounding of scores and of float32 products together
_CELLS = 1 << 22  # products, or cosines of pieces, at once
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
        for hash_, asked, what in (
            (found.sha256, self.sha256, "sha256"),
            (found.settings, self.settings, "settings (the hash of its other files)"),
        ):
            if not hash_.startswith(asked):
                raise MatcherError(
                    f"{self.name}: the model {self.model!r} on this machine has the {what} "
                    f"{hash_[:SHOWN]}, not {asked}; get the same model, or leave this out"
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
    precision: str = parameter("fp32", choice(PRECISIONS), "the number format of the model")
    threshold: float = threshold(0.586)
    sha256: str = parameter("", hexadecimal(), "the beginning of the hash of the model's weights")
    download: bool = parameter(
        False, flag(), "whether tseval may download a missing model", compare=False
    )
    settings: str = parameter("", hexadecimal(), "the beginning of the hash of its other files")

    @property
    def encoder(self) -> Encoder:
        """What turns texts into vectors; one for all matchers of this model and precision."""
        found: Encoder = encoder(Encoder, self.local_model, self.precision, cache_folder())
        return found

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


WINDOW = 64
"""A window has at most so many pieces."""

SCALE = 4000
"""So many parts make a component of 1; a product of two vectors of length 1 is `SCALE` squared."""


class PieceEncoder(Encoder):
    """Gives the vectors of all pieces of a window, one after another in one row.

    A window is written as the numbers of its pieces with blanks between. A row has room for
    `WINDOW` pieces; what a shorter window leaves is 0.
    """

    kind: ClassVar[str] = "pieces"
    number: ClassVar[type[np.number]] = np.int16
    pack: ClassVar[int] = 512

    def __init__(self, model: Model, precision: str) -> None:
        super().__init__(model, precision)
        self._tokenizer: Any = None
        self._around: tuple[int, int] = (0, 0)

    def windows(self, texts: list[str], step: int = WINDOW // 2) -> list[list[str]]:
        """Each text's windows, `step` pieces apart; a text without words has none.

        With half a window between them the last one ends with the text; with a whole one no piece
        is in two of them.
        """
        spoken = [i for i, text in enumerate(texts) if has_words(text)]
        found: list[list[str]] = [[] for _ in texts]
        for i, numbers in zip(spoken, self.numbers([texts[i] for i in spoken]), strict=True):
            starts = [*range(0, len(numbers) - WINDOW, step)]
            starts.append(len(starts) * step if step == WINDOW else len(numbers) - WINDOW)
            cut = [numbers[max(0, at) : max(0, at) + WINDOW] for at in starts]
            found[i] = [" ".join(map(str, window)) for window in cut if window]
        return found

    def split(self, text: str) -> list[str]:
        """The pieces of a text, each as its number."""
        return " ".join(self.windows([text], WINDOW)[0]).split()

    def numbers(self, texts: list[str]) -> list[list[int]]:
        """The numbers of the pieces of each text, without the special ones around it."""
        if self._tokenizer is None:
            self._tokenizer, self._around = read_tokenizer(self._model.folder)
        read = self._tokenizer.encode_batch(
            list(map(replace_half_characters, texts)), add_special_tokens=False
        )
        return [list(each.ids) for each in read]

    def _lengths(self, network: Network, texts: list[str]) -> NDArray[np.int64]:  # noqa: ARG002
        return np.array([text.count(" ") for text in texts], np.int64)

    def _batch(self, network: Network, texts: list[str]) -> NDArray[np.float32]:
        first, last = self._around
        rows = [[first, *map(int, text.split()), last] for text in texts]
        found = network.of_tokens(rows)
        kept = np.zeros((len(rows), WINDOW, found.shape[2]), np.float32)
        for i, row in enumerate(rows):
            kept[i, : len(row) - 2] = found[i, 1 : len(row) - 1]
        return kept.reshape(len(rows), -1)

    def _stored_form(self, vectors: NDArray[np.float32]) -> NDArray[np.int16]:
        return np.rint(vectors * SCALE).astype(np.int16)


def read_tokenizer(folder: Path) -> tuple[Any, tuple[int, int]]:
    """What cuts texts into pieces, and the numbers of what stands before and after a text."""
    need_extra("late")
    file = folder / "tokenizer.json"
    try:
        found = import_module("tokenizers").Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises Exception itself
        raise MatcherError(f"late cannot read {str(file)!r}: {error}") from error
    found.no_truncation()
    found.no_padding()
    around = found.encode("").ids
    if len(around) != 2:
        raise MatcherError(
            f"late needs a model with one special token before a text and one after it; that in "
            f"{str(folder)!r} has {len(around)} in all"
        )
    return found, (around[0], around[1])


GRAIN_BITS = 16
"""So many bits of a weight are left out, so that products with cosines add up exactly."""

_UPDATES = 256  # updates whose scores with all nuggets are made at once


@dataclass(frozen=True)
class Late(SentenceModel):
    """How well each word piece of the nugget is met by one of the update, on average.

    For each piece of the nugget the largest cosine with any piece of a window of 64 pieces of the
    update, or 0; their mean, weighted by how few gold nuggets have the piece; the best window
    counts. The vectors are those that the sentence model gives for pieces, before it makes one of
    them, kept to a part in 4,000. Model and hashes are as those of `embedding`. `candidates` is a
    cheap matcher: what does not reach its threshold is not read, and scores 0.
    """

    name: ClassVar[str] = "late"
    model: str = parameter(MODEL, label(), "the sentence model")
    precision: str = parameter("fp32", choice(PRECISIONS), "the number format of the model")
    threshold: float = threshold(0.5)
    sha256: str = parameter("", hexadecimal(), "the beginning of the hash of the model's weights")
    download: bool = parameter(
        False, flag(), "whether tseval may download a missing model", compare=False
    )
    settings: str = parameter("", hexadecimal(), "the beginning of the hash of its other files")
    candidates: Matcher | None = candidates_parameter()

    @property
    def encoder(self) -> PieceEncoder:
        """What turns windows into vectors; one for all matchers of this model and precision."""
        found: PieceEncoder
        found = encoder(PieceEncoder, self.local_model, self.precision, cache_folder())
        return found

    def read_ahead(self, texts: Iterable[str], progress: Progress | None = None) -> None:
        """Read all windows that were never read before, sorted by length over the whole.

        Candidates say later which have to be read at all.
        """
        if self.candidates:
            return
        encode, parts = self.encoder, blocks(texts, "update", ROWS)
        encode.learn((_flat(encode.windows(part)) for _, part in parts), progress)

    def prepare(self, nuggets: Collection, collection: Collection) -> MatcherGold:
        """Read the nuggets, and weigh their pieces."""
        return through(self.candidates, self.pieces(nuggets, collection), nuggets, collection)

    def pieces(self, nuggets: Collection, collection: Collection) -> LateGold:
        """The nuggets by their pieces, for all pairs."""
        encode = self.encoder
        weigh = collection.weigher(("pieces", self.sha256, self.settings), encode.split)
        windows = encode.windows(list(nuggets), WINDOW)  # no piece is in two of them
        every = _flat(windows)
        terms = _flat(window.split() for window in every)
        weights = np.fromiter((weigh(term) >> GRAIN_BITS for term in terms), np.int64, len(terms))
        counts = np.array([len(" ".join(each).split()) for each in windows], np.int64)
        return LateGold(vectors_of(encode, every), weights, counts, encode)


def _flat(windows: Iterable[list[str]]) -> list[str]:
    return list(chain.from_iterable(windows))


@dataclass(frozen=True, eq=False)
class LateGold:
    """Nuggets as the vectors of their pieces.

    `pieces` has a row for each piece, `weights` its weight; `counts` says how many each nugget has.
    """

    pieces: NDArray[np.float32]
    weights: NDArray[np.int64]
    counts: NDArray[np.int64]
    encoder: PieceEncoder

    def block(self, texts: list[str]) -> LateBlock:
        """Cut updates into windows; equal windows are read once."""
        windows = self.encoder.windows(texts)
        counts = np.fromiter(map(len, windows), np.int64, len(windows))
        return LateBlock(self, Windows(*distinct(_flat(windows)), counts))

    def aligned(self, vectors: NDArray[np.float32], size: NDArray[np.int64]) -> NDArray[np.float64]:
        """The score of each window (rows) with each nugget, 0 for one without pieces.

        `vectors` are those of the windows' pieces, `size` says how many each window has.
        """
        score = np.zeros((len(size), len(self.counts)))
        spoken = np.flatnonzero(self.counts)
        if not len(spoken):
            return score
        starts = (np.cumsum(self.counts) - self.counts)[spoken]
        full = np.add.reduceat(self.weights, starts) * SCALE**2
        step = max(1, _CELLS // (WINDOW * len(self.pieces)))
        ends = np.append(0, np.cumsum(size))
        for first in range(0, len(size), step):
            part = ends[first : first + step + 1]
            cosine = vectors[part[0] : part[-1]] @ self.pieces.T
            best = np.maximum.reduceat(cosine, part[:-1] - part[0], axis=0)
            met = np.maximum(best, 0).astype(np.int64) * self.weights
            found = np.add.reduceat(met, starts, axis=1)
            score[first : first + step, spoken] = np.minimum(found / full, 1)
        return np.round(score, DECIMALS)


def _sizes(windows: list[str]) -> NDArray[np.int64]:
    """How many pieces each window has."""
    return np.array([text.count(" ") + 1 for text in windows], np.int64)


def vectors_of(encoder: PieceEncoder, windows: list[str]) -> NDArray[np.float32]:
    """The vectors of all pieces of these windows, one a row."""
    found = encoder.vectors(windows)
    rows = found.reshape(len(windows) * WINDOW, found.shape[1] // WINDOW)
    taken = ranges(np.arange(len(windows)) * WINDOW, _sizes(windows))
    return rows[taken].astype(np.float32)


@dataclass(frozen=True, eq=False)
class LateBlock:
    """The different windows of updates."""

    gold: LateGold
    windows: Windows

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`."""
        found = []
        for first, table in self.tables(np.arange(len(self.windows.counts))):
            update, nugget = np.nonzero(table >= threshold)
            found.append(Pairs.of(update + first, nugget, table[update, nugget]))
        return Pairs.joined(found)

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The best window's score of each pair; 0 for updates without words."""
        score = np.zeros(len(update))
        chosen, place = np.unique(update, return_inverse=True)
        for first, table in self.tables(chosen):
            asked = np.flatnonzero((place >= first) & (place < first + len(table)))
            score[asked] = table[place[asked] - first, nugget[asked]]
        return score

    def tables(self, chosen: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """For some of the chosen updates after others: the first one's place, and all scores."""
        for first in range(0, len(chosen), _UPDATES):
            window, update = self.windows.of_pairs(chosen[first : first + _UPDATES])
            needed, number = np.unique(window, return_inverse=True)
            windows = [self.windows.texts[i] for i in needed.tolist()]
            vectors = vectors_of(self.gold.encoder, windows)
            each = self.gold.aligned(vectors, _sizes(windows))
            table = np.zeros((len(chosen[first : first + _UPDATES]), len(self.gold.counts)))
            np.maximum.at(table, update, each[number])
            yield first, table
