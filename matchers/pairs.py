"""Scored pairs of update and nugget, and what finds them: prepared nuggets and read updates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False, slots=True)
class Pairs:
    """Equally long columns, sorted by update, then nugget; no pair occurs twice.

    `update` and `nugget` are row numbers of the two lists that were matched, `score` lies in
    [0, 1]. The columns cannot be written to. There may be no pair at all.
    """

    update: NDArray[np.int64]
    nugget: NDArray[np.int64]
    score: NDArray[np.float64]

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self.update)

    @classmethod
    def of(
        cls,
        update: ArrayLike,
        nugget: ArrayLike,
        score: ArrayLike,
        least: float | None = None,
    ) -> Pairs:
        """Sort the columns given into a record of pairs: those that score `least` or more."""
        rows, columns = np.asarray(update, np.int64), np.asarray(nugget, np.int64)
        scores = np.asarray(score, np.float64)
        if least is not None:
            kept = scores >= least
            rows, columns, scores = rows[kept], columns[kept], scores[kept]
        order = np.lexsort((columns, rows))
        return _sealed(rows[order], columns[order], scores[order])

    @classmethod
    def joined(cls, parts: Iterable[Pairs]) -> Pairs:
        """Put parts one after another whose updates already follow one another."""
        kept = [part for part in parts if len(part)]
        if not kept:
            return cls.of([], [], [])
        return _sealed(
            np.concatenate([part.update for part in kept]),
            np.concatenate([part.nugget for part in kept]),
            np.concatenate([part.score for part in kept]),
        )

    def moved(self, first: int) -> Pairs:
        """The same pairs, counted from update `first` on."""
        return _sealed(self.update + first, self.nugget, self.score)

    def repeated(self, text: NDArray[np.int64]) -> Pairs:
        """The pairs of a list whose row i holds the text that is number ``text[i]`` here."""
        starts = np.searchsorted(self.update, text)
        counts = np.searchsorted(self.update, text, side="right") - starts
        taken = ranges(starts, counts)
        rows = np.repeat(np.arange(len(text)), counts)
        return _sealed(rows, self.nugget[taken], self.score[taken])

    def first(self, is_open: NDArray[np.bool_]) -> Pairs:
        """Of each nugget that is open, the pair with the first update alone."""
        _, index = np.unique(self.nugget, return_index=True)
        index = np.sort(index[is_open[self.nugget[index]]])
        return _sealed(self.update[index], self.nugget[index], self.score[index])


def ranges(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers ``start, start + 1, ...``, `count` of them, for each start in turn."""
    before = np.cumsum(counts) - counts
    numbers: NDArray[np.int64] = np.arange(counts.sum()) + np.repeat(starts - before, counts)
    return numbers


def _sealed(
    update: NDArray[np.int64], nugget: NDArray[np.int64], score: NDArray[np.float64]
) -> Pairs:
    for column in (update, nugget, score):
        column.setflags(write=False)
    return Pairs(update, nugget, score)


class Block(Protocol):
    """Some updates, read and ready to be scored against the nuggets."""

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that score `threshold` (above 0) or more, rows counted from 0."""

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The score of each pair (update[i], nugget[i]), however low."""


class MatcherGold(Protocol):
    """The nuggets of one call, prepared."""

    def block(self, texts: list[str]) -> Block:
        """Read updates; a text occurs once among them."""
