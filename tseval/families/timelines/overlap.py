"""How many n-grams summaries have in common: of each day with each day, at once.

The second time that a gram stands in a text it is another column than the first. So a text is a row
of zeros and ones, and what two texts share, each gram as often as both have it, is a product.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tseval.records import frozen

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from tseval.tables.columns import FloatArray, IntArray

Tokens: TypeAlias = Sequence[str]
SIZES = (1, 2)
"""The n of the n-grams that are counted."""


@frozen
class Counts:
    """Of each predicted day (a row) and each reference day (a column): what is shared, and had.

    What is had counts as often as there are references, a reference without the day as an empty
    text: that is how ROUGE adds references up.
    """

    hits: IntArray
    predicted: IntArray
    reference: IntArray

    @classmethod
    def of(
        cls, texts: Sequence[Tokens], references: Sequence[Sequence[Tokens]], size: int
    ) -> Counts:
        """The counts of n-grams of one size; every reference has a text for each of its days."""
        columns: dict[tuple[tuple[str, ...], int], int] = {}
        own = _table(texts, size, columns)
        others = [_table(each, size, columns) for each in references]
        width = len(columns)
        left = _matrix(own, width)
        days = len(references[0]) if references else 0
        hits = np.zeros((len(texts), days), np.int64)
        number = np.zeros(days, np.int64)
        for each in others:
            hits += (left @ _matrix(each, width).T).toarray()
            number += _lengths(each)
        had = _lengths(own)
        return cls(hits, had * len(references), number)


def _table(
    texts: Iterable[Tokens], size: int, columns: dict[tuple[tuple[str, ...], int], int]
) -> list[list[int]]:
    """For each text the columns of its grams; new ones are entered."""
    rows = []
    for tokens in texts:
        times: dict[tuple[str, ...], int] = {}
        row = []
        for gram in zip(*(tokens[at:] for at in range(size)), strict=False):
            time = times[gram] = times.get(gram, 0) + 1
            row.append(columns.setdefault((gram, time), len(columns)))
        rows.append(row)
    return rows


def _lengths(rows: Sequence[Sequence[int]]) -> IntArray:
    return np.array([len(row) for row in rows], np.int64)


def _matrix(rows: Sequence[Sequence[int]], width: int) -> csr_array:
    from scipy.sparse import csr_array

    columns = np.fromiter(chain.from_iterable(rows), np.int64)
    starts = np.append(0, _lengths(rows).cumsum())
    return csr_array((np.ones(len(columns), np.int64), columns, starts), (len(rows), width))


def closeness(counts: Counts) -> FloatArray:
    """The F1 of the shared tokens of each pair of days; 0 where either has none.

    The order of the operations decides between alignments that cost nearly the same.
    """
    hits = counts.hits.astype(np.float64)
    own, other = np.broadcast_arrays(counts.predicted[:, None], counts.reference[None, :])
    precision = np.divide(hits, own, out=np.zeros_like(hits), where=own > 0)
    recall = np.divide(hits, other, out=np.zeros_like(hits), where=other > 0)
    both = precision + recall
    result: FloatArray = np.divide(
        2 * precision * recall, both, out=np.zeros_like(hits), where=both > 0
    )
    return result
