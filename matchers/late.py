"""`late`: token alignment, each word piece of the nugget with the piece that is most like it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchers.candidates import candidates_parameter, through
from matchers.collection import Collection
from matchers.contract import Matcher, Progress
from matchers.embedding import DECIMALS, MODEL, SentenceModel, different
from matchers.encoding import PRECISIONS
from matchers.pairs import Pairs, ranges
from matchers.parameters import choice, flag, hexadecimal, label, parameter, threshold
from matchers.pieces import SCALE, WINDOW, PieceEncoder, piece_encoder
from matchers.prepared import MatcherGold
from matchers.texts import distinct
from matchers.vectors import cache_folder

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

    def read_ahead(self, texts: Sequence[str], progress: Progress | None = None) -> None:
        """Read all windows that were never read before, sorted by length over the whole.

        Candidates say later which have to be read at all.
        """
        if self.candidates:
            return
        encode = self.encoder
        encode.learn((_flat(encode.windows(part)) for part in different(texts)), progress)

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
        different, number = distinct(_flat(windows))
        counts = np.fromiter(map(len, windows), np.int64, len(windows))
        return LateBlock(self, different, number, counts)

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


def vectors_of(encoder: PieceEncoder, windows: list[str]) -> NDArray[np.float32]:
    """The vectors of all pieces of these windows, one a row."""
    found = encoder.vectors(windows)
    rows = found.reshape(len(windows) * WINDOW, found.shape[1] // WINDOW)
    size = np.array([text.count(" ") + 1 for text in windows], np.int64)
    taken = ranges(np.arange(len(windows)) * WINDOW, size)
    return rows[taken].astype(np.float32)


@dataclass(frozen=True, eq=False)
class LateBlock:
    """The different windows of updates.

    `number` says which window stands where, `counts` how many each update has.
    """

    gold: LateGold
    windows: list[str]
    number: NDArray[np.int64]
    counts: NDArray[np.int64]

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`."""
        found = []
        for first, table in self.tables(np.arange(len(self.counts))):
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
        counts = self.counts[updates]
        starts = (np.cumsum(self.counts) - self.counts)[updates]
        needed, number = np.unique(self.number[ranges(starts, counts)], return_inverse=True)
        windows = [self.windows[i] for i in needed.tolist()]
        size = np.array([text.count(" ") + 1 for text in windows], np.int64)
        return ReadWindows(vectors_of(self.gold.encoder, windows), size, number, counts)


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
