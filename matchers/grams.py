"""`grams`: weighted containment over runs of letters instead of words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from matchers.collection import DECIMALS, GRAIN, Collection
from matchers.containment import ContainmentGold, Nuggets, number_type, text_rows
from matchers.contract import Matcher
from matchers.evidence import Evidence, MatchedWord, MissingWord, evidence
from matchers.parameters import parameter, threshold, whole
from matchers.prepared import MatcherGold
from matchers.steps import steps_parameter
from matchers.stream import MARK, stream
from matchers.threads import parts, spread
from matchers.windows import in_windows, window_parameter
from matchers.words import normalised, words_in_place

_WIDTH = 1 << 10  # what a text counts as when texts are read in parts
_TABLE = 1 << 24  # a step's table has at most so many places; beyond, the step is a search


@dataclass(frozen=True)
class Grams(Matcher):
    """The share of the weight of the nugget's grams that the update has.

    Grams are the runs of `n` characters of the normalised text with one blank before and after
    it, weighted like words. A text that is shorter than one gram has none and scores 0.
    With a `window` the nugget is held against every stretch of so many words of the update, half a
    window apart, and the best counts.
    """

    name: ClassVar[str] = "grams"
    across_topics: ClassVar[bool] = True
    n: int = parameter(4, whole(2, 16), "how many characters a gram has")
    threshold: float = threshold(0.55)
    window: int = window_parameter(shown=False)
    steps: str = steps_parameter()

    def prepare(self, nuggets: Collection, collection: Collection) -> MatcherGold:
        """Weigh the nuggets' grams."""
        return in_windows(self.contained(nuggets, collection), self.window)

    def contained(self, nuggets: Collection, collection: Collection) -> ContainmentGold:
        """The nuggets as weighed grams, for whole texts."""
        kind, split = ("grams", self.n), partial(grams, n=self.n)
        column, rows = Nuggets.of(nuggets.terms(kind, split), collection.weigher(kind, split))
        return ContainmentGold(GramReader(column, rows.weights, self.n), rows)

    def _explain(self, update: str, nugget: str, collection: Collection) -> Evidence:
        weigh = collection.weigher(("grams", self.n), partial(grams, n=self.n))
        terms = dict.fromkeys(grams(nugget, self.n))
        place = dict(reversed(list(_grams_in_place(update, self.n))))
        found = sum(weigh(term) for term in terms if term in place)
        return evidence(
            round(found / max(sum(map(weigh, terms)), 1), DECIMALS),
            [MatchedWord(t, t, 1.0, weigh(t) / GRAIN, place[t]) for t in terms if t in place],
            [MissingWord(t, weigh(t) / GRAIN) for t in terms if t not in place],
        )


def grams(text: str, n: int) -> list[str]:
    """The grams of `text` in their order, repeated ones too."""
    padded = f" {normalised(text)} "
    return [padded[i : i + n] for i in range(len(padded) - n + 1)] if padded.strip() else []


def _grams_in_place(text: str, n: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Each gram with the span of the words in the original that it touches."""
    padded, origin = " ", [(0, 0)]
    for word in words_in_place(text):
        padded += f"{word.text} "
        origin += [(word.start, word.end)] * len(word.text) + [(word.end, word.end)]
    for i in range(len(padded) - n + 1):
        gram = padded[i : i + n]
        touched = [origin[i + k] for k, letter in enumerate(gram) if letter != " "]
        yield gram, (touched[0][0], touched[-1][1])


class _Step(NamedTuple):
    """From (state, letter) to the next state, 0 where no gram goes on like that.

    `known` holds the pairs that go on, packed into one number each, in rising order. The state
    that a pair leads to is its place there, plus 1; `table` says the same by direct access.
    """

    width: int
    known: NDArray[np.int64]
    table: NDArray[np.int32] | None

    @classmethod
    def of(cls, known: NDArray[np.int64], states: int, width: int) -> _Step:
        if (states + 1) * width > _TABLE:
            return cls(width, known, None)
        table = np.zeros((states + 1) * width, np.int32)
        table[known] = np.arange(1, len(known) + 1)
        return cls(width, known, table)

    def __call__(self, state: NDArray[np.int32], letter: NDArray[np.int32]) -> NDArray[np.int32]:
        if self.table is not None:
            cell = state * np.int32(self.width)
            cell += letter
            return self.table.take(cell)
        pair = state.astype(np.int64) * self.width + letter
        place = np.minimum(np.searchsorted(self.known, pair), len(self.known) - 1)
        return np.where(self.known[place] == pair, place + 1, 0).astype(np.int32)


class GramReader:
    """Turns updates into the weights that they carry of the nuggets' grams.

    The grams of the nuggets are a tree of letters. All positions of a block go down that tree at
    once, a letter a step; those that get to the end stand at a gram of the nuggets.
    """

    def __init__(self, column: dict[str, int], weights: NDArray[np.int64], n: int) -> None:
        self._weights = weights
        grams_ = _code_points("".join(column)).reshape(-1, n)
        alphabet, coded = np.unique(grams_, return_inverse=True)
        self._letter = np.zeros(int(alphabet[-1]) + 2 if len(alphabet) else 1, np.int32)
        self._letter[alphabet] = np.arange(1, len(alphabet) + 1)
        letters = coded.reshape(grams_.shape) + 1
        self._steps: list[_Step] = []
        state, states, width = letters[:, 0], len(alphabet), len(alphabet) + 1
        for k in range(1, n):
            known, place = np.unique(state * width + letters[:, k], return_inverse=True)
            self._steps.append(_Step.of(known, states, width))
            state, states = place + 1, len(known)
        self._column = np.zeros(states + 1, np.int32)
        self._column[state] = np.arange(len(column))

    def __call__(self, texts: list[str]) -> list[sparse.csr_array]:
        """One row a text, one column a nugget gram: its weight, where the text has it."""
        return spread(lambda part: self._read(texts[part]), parts(len(texts), _WIDTH))

    def _read(self, texts: list[str]) -> sparse.csr_array:
        read = stream(texts)
        points = read.points()
        letter = self._letter.take(points, mode="clip")
        state = letter
        for k, step in enumerate(self._steps, start=1):
            state = step(state[:-1], letter[k:])
        shape = (len(texts), len(self._weights))
        lengths = np.diff(np.flatnonzero(points == ord(MARK)), prepend=-1)
        begins = (read.row * shape[1]).astype(number_type(shape[0] * shape[1]))
        cell = np.repeat(begins, lengths)[: len(state)]
        state = state[: len(cell)]
        cell += self._column.take(state)
        cell = cell[state != 0]
        cell.sort()
        cell = cell[np.append(True, cell[1:] != cell[:-1])[: len(cell)]]
        return text_rows(cell, self._weights.take, shape)


def _code_points(text: str) -> NDArray[np.uint8] | NDArray[np.uint32]:
    if text.isascii():
        return np.frombuffer(text.encode(), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
