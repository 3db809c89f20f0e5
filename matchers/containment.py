"""Weighted containment: the share of a nugget's weight that the terms of an update carry.

Both `fuzzy` (terms are words) and `grams` rest on it. The score of a pair is the sum over the
nugget's terms of weight * similarity, divided by the sum of the weights. Weights and products are
whole numbers (see `collection`), so every sum is exact.

Most pairs are never looked at. The lightest terms of each nugget, the ones that are everywhere, are
set aside up to a share of the weight that the threshold asks for. A pair that reaches the
threshold must then have some of the heavy terms, and enough of them; one sparse product over the
heavy terms finds the candidates, and only these are scored in full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from matchers.collection import DECIMALS
from matchers.pairs import Pairs
from matchers.threads import parts, spread

Reader = Callable[[list[str]], list[sparse.csr_array]]
"""From texts to sparse matrices of rows x terms: the weight that a text carries of a term.

Put one below the other, they have a row for each text.
"""

Threshold = float | NDArray[np.float64]
"""One for all nuggets, or one for each."""

LIGHT = 0.6
"""The share of the weight asked for that is set aside; any value gives the same pairs."""

_SLACK = 1e-6  # wider than the rounding of scores, so no pair is lost by it
_CELLS = 1 << 18  # of the update rows copied at once to score candidates; they stay in the cache
_PRODUCT = 1 << 22  # pairs whose heavy terms are multiplied at once


class _Heavy(NamedTuple):
    """The incidence of the heavy terms, and what a pair must have of them to be a candidate.

    `aside` is what each nugget's other terms weigh.
    """

    incidence: sparse.csr_array  # nuggets x terms
    needed: NDArray[np.int64]
    aside: NDArray[np.int64]

    def candidates(self, texts: sparse.csr_array) -> Candidates:
        """The candidates among these texts, by rising rows of texts.

        A nugget has few terms and a term many texts, so the product goes from nugget to texts: the
        long lists are read from one end to the other.
        """
        carried = self.incidence @ texts.T.tocsr()
        needed = np.repeat(self.needed, np.diff(carried.indptr))
        enough = np.flatnonzero(carried.data >= needed)
        nugget = np.searchsorted(carried.indptr, enough, side="right") - 1
        text = carried.indices[enough]
        order = np.argsort(text, kind="stable")
        nugget = nugget[order]
        return Candidates(text[order], nugget, carried.data[enough][order] + self.aside[nugget])


class Candidates(NamedTuple):
    """Pairs of a text and a nugget, by rising rows of texts, and the weight they have at most."""

    text: NDArray[np.int64]
    nugget: NDArray[np.int64]
    most: NDArray[np.int64]


class Nuggets:
    """Nuggets as rows of a sparse incidence matrix over weighted terms.

    `doubt` is weight that every nugget has besides, and that no update can carry.
    """

    def __init__(
        self, incidence: sparse.csr_array, weights: NDArray[np.int64], doubt: int = 0
    ) -> None:
        self.incidence = incidence
        self.weights = weights
        self.doubt = doubt
        self.totals: NDArray[np.int64] = incidence @ weights + doubt
        self._heavy: dict[bytes, _Heavy] = {}

    @classmethod
    def of(
        cls, terms: Sequence[Sequence[str]], weigh: Callable[[str], int], doubt: int = 0
    ) -> tuple[dict[str, int], Nuggets]:
        """From the distinct terms of each nugget: the terms' columns, and the nuggets."""
        column = {term: i for i, term in enumerate(dict.fromkeys(chain.from_iterable(terms)))}
        cells = list(map(column.__getitem__, chain.from_iterable(terms)))
        numbers = number_type(len(cells))
        ends = np.cumsum([0, *map(len, terms)], dtype=numbers)
        weights = np.fromiter(map(weigh, column), np.int64, len(column))
        ones = np.ones(len(cells), np.int64)
        shape = (len(terms), len(column))
        incidence = sparse.csr_array((ones, np.array(cells, numbers), ends), shape=shape)
        incidence.sort_indices()
        return column, cls(incidence, weights, doubt)

    def only(self, rows: NDArray[np.int64]) -> Nuggets:
        """The nuggets of these rows, over the same terms."""
        return Nuggets(self.incidence[rows], self.weights, self.doubt)

    def reached_by(self, matrices: Sequence[sparse.csr_array], threshold: Threshold) -> Pairs:
        """All pairs of a row of `matrices` and a nugget that score `threshold` or more.

        Each nugget may have a threshold of its own, above 0.
        """
        heavy = self._heavy_for(threshold)
        least = np.broadcast_to(threshold, len(self.totals))

        def reached(piece: tuple[int, sparse.csr_array]) -> Pairs:
            first, texts = piece
            update, nugget, _ = heavy.candidates(texts)
            score = self.scores(texts, update, nugget)
            return Pairs.of(update + first, nugget, score, least[nugget])

        return Pairs.joined(spread(reached, _row_parts(matrices, len(self.totals))))

    def possible(self, matrices: Sequence[sparse.csr_array], threshold: Threshold) -> Candidates:
        """All pairs of `reached_by`, and some others."""
        heavy = self._heavy_for(threshold)
        none = Candidates(*(np.zeros(0, np.int64) for _ in Candidates._fields))

        def found(piece: tuple[int, sparse.csr_array]) -> Candidates:
            own = heavy.candidates(piece[1])
            return own._replace(text=own.text + piece[0])

        parts = [none, *spread(found, _row_parts(matrices, len(self.totals)))]
        return Candidates(*map(np.concatenate, zip(*parts, strict=True)))

    def scores(
        self, texts: sparse.csr_array, update: NDArray[np.int64], nugget: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The score of each pair; 0 for nuggets without terms."""
        found = self.found(texts, update, nugget)
        return np.round(found / np.maximum(self.totals[nugget], 1), DECIMALS)

    def found(
        self, texts: sparse.csr_array, update: NDArray[np.int64], nugget: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The weight, in parts of `GRAIN`, that the text of each pair carries of the nugget."""
        found = np.zeros(len(update), np.int64)

        def add_up(part: slice, shared: sparse.csr_array) -> None:
            found[part] = shared.sum(axis=1)

        self.look_at(texts, update, nugget, add_up)
        return found

    def look_at(
        self,
        texts: sparse.csr_array,
        update: NDArray[np.int64],
        nugget: NDArray[np.int64],
        look: Callable[[slice, sparse.csr_array], None],
    ) -> None:
        """Show `look` what pairs share: for a part of them pairs x terms, the weight carried."""
        size = np.diff(texts.indptr)[update] + np.diff(self.incidence.indptr)[nugget]

        def shown(part: slice) -> None:
            look(part, texts[update[part]].multiply(self.incidence[nugget[part]]).tocsr())

        spread(shown, _pieces(np.cumsum(size)))

    def _heavy_for(self, threshold: Threshold) -> _Heavy:
        key = np.asarray(threshold, np.float64).tobytes()
        if key not in self._heavy:
            self._heavy[key] = self._set_lightest_aside(threshold)
        return self._heavy[key]

    def _set_lightest_aside(self, threshold: Threshold) -> _Heavy:
        asked = np.maximum(threshold - _SLACK, 0) * self.totals
        rows = np.arange(len(self.totals), dtype=self.incidence.indices.dtype)
        row = np.repeat(rows, np.diff(self.incidence.indptr))
        order = np.lexsort((self.weights[self.incidence.indices], row))
        term = self.incidence.indices[order]
        weight = self.weights[term]
        carried = self.totals - self.doubt
        reached = np.cumsum(weight) - (np.cumsum(carried) - carried)[row]
        light = reached <= (LIGHT * asked)[row]
        aside = np.zeros(len(self.totals), np.int64)
        np.add.at(aside, row[light], weight[light])
        kept = (np.ones(np.count_nonzero(~light), np.int64), (row[~light], term[~light]))
        incidence = sparse.csr_array(kept, shape=self.incidence.shape)
        return _Heavy(incidence, np.floor(asked).astype(np.int64) - aside, aside)


def _row_parts(
    matrices: Sequence[sparse.csr_array], width: int
) -> Iterator[tuple[int, sparse.csr_array]]:
    """The matrices' rows in parts, each with the number of its first row."""
    first = 0
    for rows in matrices:
        for part in parts(rows.shape[0], width, _PRODUCT):
            whole = part == slice(0, rows.shape[0])
            yield first + part.start, rows if whole else rows[part]
        first += rows.shape[0]


def _pieces(cells: NDArray[np.int64]) -> Iterator[slice]:
    """Cut a list so that each part has about `_CELLS`, given how many there are up to each item."""
    cuts = np.searchsorted(cells, np.arange(_CELLS, cells[-1] if len(cells) else 0, _CELLS))
    for start, end in pairwise([0, *cuts, len(cells)]):
        if start < end:
            yield slice(start, end)


def text_rows(
    cell: NDArray[np.signedinteger],
    carried: Callable[[NDArray[np.signedinteger]], NDArray[np.int64]],
    shape: tuple[int, int],
) -> sparse.csr_array:
    """What a reader returns, from rising numbers of cells, ``row * columns + column``.

    `carried` gives, for the columns of these cells, the weights that stand there.
    """
    starts = np.arange(shape[0] + 1, dtype=cell.dtype) * max(1, shape[1])
    ends = np.searchsorted(cell, starts)
    column = cell - np.repeat(starts[:-1], np.diff(ends))
    return sparse.csr_array((carried(column), column, ends.astype(cell.dtype)), shape=shape)


def number_type(most: int) -> type[np.int32 | np.int64]:
    """The type for numbers up to `most`.

    Small ones are sorted faster; and SciPy copies one of two matrices whose types differ.
    """
    return np.int32 if most < 1 << 31 else np.int64


@dataclass(frozen=True, eq=False)
class ContainmentGold:
    """Nuggets, and the reader that turns updates into rows over the same terms."""

    reader: Reader
    nuggets: Nuggets

    def block(self, texts: list[str]) -> ContainmentBlock:
        """Read updates."""
        return ContainmentBlock(self.reader(texts), self.nuggets)

    def only(self, nuggets: NDArray[np.int64]) -> ContainmentGold:
        """The nuggets of these rows alone; the reader keeps what it knows."""
        return ContainmentGold(self.reader, self.nuggets.only(nuggets))


@dataclass(frozen=True, eq=False)
class ContainmentBlock:
    """Updates as rows over the nuggets' terms."""

    texts: list[sparse.csr_array]
    nuggets: Nuggets

    @cached_property
    def whole(self) -> sparse.csr_array:
        """All rows in one matrix."""
        none = sparse.csr_array((0, len(self.nuggets.weights)), dtype=np.int64)
        return sparse.vstack([none, *self.texts], format="csr")

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`."""
        return self.nuggets.reached_by(self.texts, threshold)

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The scores of single pairs."""
        return self.nuggets.scores(self.whole, update, nugget)
