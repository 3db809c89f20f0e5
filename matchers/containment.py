"""Weighted containment: the share of a nugget's weight that the terms of an update carry.

Both `fuzzy` (terms are words) and `grams` rest on it. The score of a pair is the sum over the
nugget's terms of weight * similarity, divided by the sum of the weights. Weights and products are
whole numbers (see `collection`), so every sum is exact.

Most pairs are never looked at. The lightest terms of each nugget, the ones that are everywhere, are
set aside up to a share of the weight that the threshold asks for. A pair that reaches the
threshold must then have some of the heavy terms, and enough of them; one sparse product over the
heavy terms finds the candidates, with what they have of these. Only in the texts of candidates are
the light terms looked up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from matchers.collection import DECIMALS
from matchers.pairs import Pairs, ranges
from matchers.texts import parts, spread

Rows: TypeAlias = "sparse.csr_array | sparse.csc_array"
"""Texts x terms: the weight that a text carries of a term, each cell once, in rising order."""

Reader = Callable[[list[str]], list[Rows]]
"""From texts to matrices that, put one below the other, have a row for each."""

Threshold = float | NDArray[np.float64]
"""One for all nuggets, or one for each."""

LIGHT = 0.6
"""The share of the weight asked for that is set aside; any value gives the same pairs."""

_SLACK = 1e-6  # wider than the rounding of scores, so no pair is lost by it
_CELLS = 1 << 18  # of the update rows copied at once to score candidates; they stay in the cache
_PRODUCT = 1 << 22  # pairs whose heavy terms are multiplied at once


class _Parted(NamedTuple):
    """Nuggets by heavy terms and by light ones; what a candidate must have of the heavy ones."""

    heavy: sparse.csr_array  # nuggets x terms, as is `light`
    light: sparse.csr_array
    needed: NDArray[np.int64]

    def candidates(self, texts: Rows) -> Candidates:
        """The candidates among these texts, by rising nuggets.

        A nugget has few terms and a term many texts, so the product goes from nugget to texts: the
        long lists are read from one end to the other.
        """
        carried = self.heavy @ texts.T.tocsr()
        needed = np.repeat(self.needed, np.diff(carried.indptr))
        enough = np.flatnonzero(carried.data >= needed)
        nugget = np.searchsorted(carried.indptr, enough, side="right") - 1
        return Candidates(carried.indices[enough], nugget, carried.data[enough])

    def carried_weight(self, texts: Rows, pairs: Candidates) -> NDArray[np.int64]:
        """The weight that the texts of candidates carry of all terms."""
        starts = self.light.indptr.astype(np.int64)[pairs.nugget]
        counts = np.diff(self.light.indptr)[pairs.nugget]
        term = self.light.indices[ranges(starts, counts)]
        if not len(term):
            return pairs.carried
        sums = np.append(0, np.cumsum(texts.tocsr()[np.repeat(pairs.text, counts), term]))
        ends = np.cumsum(counts)
        found: NDArray[np.int64] = pairs.carried + sums[ends] - sums[ends - counts]
        return found


class Candidates(NamedTuple):
    """Pairs of a text and a nugget, and the weight that the text carries of the heavy terms."""

    text: NDArray[np.int64]
    nugget: NDArray[np.int64]
    carried: NDArray[np.int64]


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
        self._parted: dict[bytes, _Parted] = {}

    @classmethod
    def of(
        cls, terms: Sequence[Sequence[str]], weigh: Callable[[str], int], doubt: int = 0
    ) -> tuple[dict[str, int], Nuggets]:
        """From the distinct terms of each nugget: the terms' columns, and the nuggets."""
        column = defaultdict[str, int]()
        column.default_factory = column.__len__
        size = sum(map(len, terms))
        cells = np.fromiter(map(column.__getitem__, chain.from_iterable(terms)), np.int32, size)
        ends = np.cumsum([0, *map(len, terms)], dtype=np.int32)
        weights = np.fromiter(map(weigh, column), np.int64, len(column))
        shape = (len(terms), len(column))
        incidence = sparse.csr_array((np.ones(size, np.int64), cells, ends), shape=shape)
        incidence.sort_indices()
        return dict(column), cls(incidence, weights, doubt)

    def only(self, rows: NDArray[np.int64]) -> Nuggets:
        """The nuggets of these rows, over the same terms."""
        return Nuggets(self.incidence[rows], self.weights, self.doubt)

    def reached_by(self, matrices: Sequence[Rows], threshold: Threshold) -> Pairs:
        """All pairs of a row of `matrices` and a nugget that score `threshold` or more.

        Each nugget may have a threshold of its own, above 0.
        """
        parted = self._parted_for(threshold)
        least = np.broadcast_to(threshold, len(self.totals))

        def reached(piece: tuple[int, Rows]) -> Pairs:
            first, texts = piece
            pairs = parted.candidates(texts)
            score = self._shares(parted.carried_weight(texts, pairs), pairs.nugget)
            return Pairs.of(pairs.text + first, pairs.nugget, score, least[pairs.nugget])

        return Pairs.joined(spread(reached, _row_parts(matrices, len(self.totals))))

    def scores(
        self, texts: sparse.csr_array, update: NDArray[np.int64], nugget: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The score of each pair; 0 for nuggets without terms."""
        found = np.zeros(len(update), np.int64)

        def add_up(part: slice, shared: sparse.csr_array) -> None:
            found[part] = shared.sum(axis=1)

        self.look_at(texts, update, nugget, add_up)
        return self._shares(found, nugget)

    def _shares(self, found: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The scores of pairs of which so much weight is found."""
        shares: NDArray[np.float64] = found / np.maximum(self.totals[nugget], 1)
        return np.round(shares, DECIMALS)

    def look_at(
        self,
        texts: sparse.csr_array,
        update: NDArray[np.int64],
        nugget: NDArray[np.int64],
        look: Callable[[slice, sparse.csr_array], None],
    ) -> None:
        """Show `look` what pairs share: for a part of them pairs x terms, the weight carried."""
        size = np.diff(texts.indptr)[update] + np.diff(self.incidence.indptr)[nugget]

        def look_at_part(part: slice) -> None:
            look(part, texts[update[part]].multiply(self.incidence[nugget[part]]).tocsr())

        spread(look_at_part, _pieces(np.cumsum(size)))

    def _parted_for(self, threshold: Threshold) -> _Parted:
        key = np.asarray(threshold, np.float64).tobytes()
        if key not in self._parted:
            self._parted[key] = self._set_lightest_aside(threshold)
        return self._parted[key]

    def _set_lightest_aside(self, threshold: Threshold) -> _Parted:
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
        heavy, rest = (
            sparse.csr_array(
                (np.ones(np.count_nonzero(own), np.int64), (row[own], term[own])),
                shape=self.incidence.shape,
            )
            for own in (~light, light)
        )
        return _Parted(heavy, rest, np.floor(asked).astype(np.int64) - aside)


def _row_parts(matrices: Sequence[Rows], width: int) -> Iterator[tuple[int, Rows]]:
    """The matrices' rows in parts, each with the number of its first row."""
    first = 0
    for rows in matrices:
        cuts = parts(rows.shape[0], width, _PRODUCT)
        by_row = rows if len(cuts) == 1 else rows.tocsr()
        for part in cuts:
            yield first + part.start, by_row if len(cuts) == 1 else by_row[part]
        first += rows.shape[0]


def _pieces(cells: NDArray[np.int64]) -> Iterator[slice]:
    """Cut a list so that each part has about `_CELLS`, given how many there are up to each item."""
    cuts = np.searchsorted(cells, np.arange(_CELLS, cells[-1] if len(cells) else 0, _CELLS))
    for start, end in pairwise([0, *cuts, len(cells)]):
        if start < end:
            yield slice(start, end)


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

    texts: list[Rows]
    nuggets: Nuggets

    @cached_property
    def all_rows(self) -> sparse.csr_array:
        """All rows in one matrix."""
        none = sparse.csr_array((0, len(self.nuggets.weights)), dtype=np.int64)
        return sparse.vstack([none, *(rows.tocsr() for rows in self.texts)], format="csr")

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`."""
        return self.nuggets.reached_by(self.texts, threshold)

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The scores of single pairs."""
        return self.nuggets.scores(self.all_rows, update, nugget)
