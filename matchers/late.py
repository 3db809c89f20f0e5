"""`late`: token alignment, each word piece of the nugget with the piece that is most like it.

The vectors of pieces are kept as whole numbers, so that a product of two is exact in float32
whatever the order in which it is summed: no partial sum reaches 2**24. A score then depends on the
vectors alone, and not on which texts stand beside one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchers.blend import candidates_parameter, through
from matchers.cache import cache_folder
from matchers.collection import Collection
from matchers.contract import Matcher, Progress
from matchers.embedding import DECIMALS, MODEL, SentenceModel
from matchers.encoding import (
    PRECISIONS,
    ROWS,
    Encoder,
    Network,
    need_extra,
    replace_half_characters,
)
from matchers.errors import MatcherError
from matchers.models import Model
from matchers.pairs import MatcherGold, Pairs, ranges
from matchers.parameters import choice, flag, hexadecimal, label, parameter, threshold
from matchers.texts import blocks, distinct
from matchers.windows import Windows
from matchers.words import has_words

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


@lru_cache(maxsize=4)
def piece_encoder(model: Model, precision: str, cache: Path | None) -> PieceEncoder:  # noqa: ARG001
    """The encoder of a model in this process; another cache folder is another encoder."""
    return PieceEncoder(model, precision)


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

_CELLS = 1 << 22  # cosines of pieces at once
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
    precision: str = parameter("fp32", choice(PRECISIONS), "what the model computes in")
    threshold: float = threshold(0.5)
    sha256: str = parameter("", hexadecimal(), "what the hash of the model's weights begins with")
    download: bool = parameter(
        False, flag(), "whether a model that is not here may be downloaded", compare=False
    )
    settings: str = parameter("", hexadecimal(), "what the hash of its other files begins with")
    candidates: Matcher | None = candidates_parameter()

    @property
    def encoder(self) -> PieceEncoder:
        """What turns windows into vectors; one for all matchers of this model and precision."""
        return piece_encoder(self.local_model, self.precision, cache_folder())

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
        return LateGold.of(encode.windows(list(nuggets), WINDOW), weigh, encode)


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

    @classmethod
    def of(
        cls, windows: list[list[str]], weigh: Callable[[str], int], encoder: PieceEncoder
    ) -> LateGold:
        """Read the windows of nuggets, in which no piece stands twice."""
        every = _flat(windows)
        terms = _flat(window.split() for window in every)
        weights = np.fromiter((weigh(term) >> GRAIN_BITS for term in terms), np.int64, len(terms))
        counts = [sum(len(window.split()) for window in own) for own in windows]
        return cls(vectors_of(encoder, every), weights, np.array(counts, np.int64), encoder)

    def block(self, texts: list[str]) -> LateBlock:
        """Cut updates into windows; equal windows are read once."""
        windows = self.encoder.windows(texts)
        counts = np.fromiter(map(len, windows), np.int64, len(windows))
        return LateBlock(self, Windows(*distinct(_flat(windows)), counts))

    def only(self, nuggets: NDArray[np.int64]) -> LateGold:
        """The nuggets of these rows alone."""
        counts = self.counts[nuggets]
        rows = ranges((np.cumsum(self.counts) - self.counts)[nuggets], counts)
        return LateGold(self.pieces[rows], self.weights[rows], counts, self.encoder)

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
        """The best window's score of each pair; 0 for updates without words.

        Of an update only those nuggets are looked at that are asked for.
        """
        score = np.zeros(len(update))
        order = np.argsort(update, kind="stable")
        chosen, starts = np.unique(update[order], return_index=True)
        asked = np.split(order, starts[1:])
        for first in range(0, len(chosen), _UPDATES):
            read = self._read(chosen[first : first + _UPDATES])
            for place, pairs in enumerate(asked[first : first + _UPDATES]):
                wanted, number = np.unique(nugget[pairs], return_inverse=True)
                every = len(wanted) == len(self.gold.counts)
                gold = self.gold if every else self.gold.only(wanted)
                each = gold.aligned(*read.windows_of(place))
                score[pairs] = each.max(axis=0, initial=0)[number]
        return score

    def tables(self, chosen: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """For some of the chosen updates after others: the first one's place, and all scores."""
        for first in range(0, len(chosen), _UPDATES):
            read = self._read(chosen[first : first + _UPDATES])
            each = self.gold.aligned(read.vectors, read.size)
            table = np.zeros((len(read.counts), len(self.gold.counts)))
            rows = np.repeat(np.arange(len(read.counts)), read.counts)
            np.maximum.at(table, rows, each[read.number])
            yield first, table

    def _read(self, updates: NDArray[np.int64]) -> ReadWindows:
        """The windows of some updates with their vectors."""
        window, _ = self.windows.of_pairs(updates)
        needed, number = np.unique(window, return_inverse=True)
        windows = [self.windows.texts[i] for i in needed.tolist()]
        vectors = vectors_of(self.gold.encoder, windows)
        return ReadWindows(vectors, _sizes(windows), number, self.windows.counts[updates])


class ReadWindows(NamedTuple):
    """Different windows: the vectors of their pieces, and how many each has.

    `number` says which window stands where, `counts` how many each update has.
    """

    vectors: NDArray[np.float32]
    size: NDArray[np.int64]
    number: NDArray[np.int64]
    counts: NDArray[np.int64]

    def windows_of(self, update: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The vectors of the pieces of one update's windows, and how many each window has."""
        first = int(self.counts[:update].sum())
        own = self.number[first : first + self.counts[update]]
        size = self.size[own]
        return self.vectors[ranges((np.cumsum(self.size) - self.size)[own], size)], size
