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
from matchers.containment import ContainmentGold, Nuggets, Rows
from matchers.contract import Matcher
from matchers.evidence import Evidence, MatchedWord, MissingWord, evidence
from matchers.pairs import MatcherGold
from matchers.parameters import integer_in, parameter, threshold
from matchers.steps import steps_parameter
from matchers.texts import parts, spread
from matchers.windows import in_windows, window_parameter
from matchers.words import normalised, words_in_place

_WIDTH = 1 << 10  # what a text counts as when texts are read in parts
_TABLE = 1 << 24  # a step's table has at most so many places; beyond, the step is a search

Numbers = NDArray[np.signedinteger]


@dataclass(frozen=True)
class Grams(Matcher):
    """The share of the weight of the nugget's grams that the update has.

    Grams are the runs of `n` characters of the normalised text with one blank before and after
    it, weighted like words. A text that is shorter than one gram has none and scores 0.
    With a `window` the nugget is held against every stretch of so many words of the update, half a
    window apart, and the best counts.
    """

    name: ClassVar[str] = "grams"
    n: int = parameter(4, integer_in(2, 16), "how many characters a gram has")
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
    """From the beginning of a gram and the letter behind it to the longer beginning.

    Beginnings and letters are numbers above 0; 0 where no gram goes on like that. `table` has what
    a pair leads to, where there is room for all pairs; else those that go on are `known`, in
    rising order, and `to` says where they lead.
    """

    width: int
    known: Numbers
    to: Numbers
    table: NDArray[np.int32] | None

    @classmethod
    def of(cls, known: Numbers, to: Numbers, width: int, cells: int) -> _Step:
        """The step by these pairs; with a table if one of so many places is not too large."""
        if cells > _TABLE:
            return cls(width, known, to, None)
        table = np.zeros(cells, np.int32)
        table[known] = to
        return cls(width, known, to, table)

    def __call__(self, before: Numbers, behind: Numbers) -> Numbers:
        """What pairs lead to."""
        pair = before.astype(np.int64)
        pair *= self.width
        pair += behind
        if self.table is not None:
            return self.table.take(pair)
        place = np.minimum(np.searchsorted(self.known, pair), len(self.known) - 1)
        return np.where(self.known[place] == pair, self.to[place], 0)


def _steps(letters: Numbers, width: int) -> Iterator[_Step]:
    """The steps along grams, a row each, from their first letters to their numbers as they come."""
    beginning, highest = letters[:, 0].astype(np.int64), width - 1
    for place, behind in enumerate(letters.T[1:], start=2):
        known, number = np.unique(beginning * width + behind, return_inverse=True)
        is_last = place == letters.shape[1]
        to = np.argsort(number) + 1 if is_last else np.arange(1, len(known) + 1)
        yield _Step.of(known, to, width, (highest + 1) * width)
        beginning, highest = number + 1, len(known)


class GramReader:
    """Turns updates into the weights that they carry of the nuggets' grams.

    The beginnings of grams of the nuggets are numbered, from one letter on. All positions of a
    block go on letter by letter; where the last step leads, a gram of the nuggets begins.
    """

    def __init__(self, column: dict[str, int], weights: NDArray[np.int64], n: int) -> None:
        self._weights = weights
        grams_ = _code_points("".join(column)).reshape(-1, n)
        alphabet = np.unique(grams_)
        self._letter = np.zeros(int(alphabet[-1]) + 2 if len(alphabet) else 1, np.int32)
        self._letter[alphabet] = np.arange(1, len(alphabet) + 1)
        self._steps = list(_steps(self._letter[grams_], len(alphabet) + 1))

    def __call__(self, texts: list[str]) -> list[Rows]:
        """One row a text, one column a nugget gram: its weight, where the text has it."""
        return spread(lambda part: self._read(texts[part]), parts(len(texts), _WIDTH))

    def _read(self, texts: list[str]) -> sparse.csc_array:
        points = _code_points("".join([f" {normalised(text)} \0" for text in texts]))
        letter = gram = self._letter.take(points, mode="clip")
        for place, step in enumerate(self._steps, start=1):
            gram = step(gram[:-1], letter[place:])
        begins = np.flatnonzero(gram != 0)
        column = gram.take(begins)
        column -= 1
        ends = np.searchsorted(begins, np.flatnonzero(points == 0))
        said = sparse.csr_array(
            (np.ones(len(column), np.int8), column, np.append(0, ends)),
            shape=(len(texts), len(self._weights)),
        )
        found = said.tocsc()
        found.sum_duplicates()
        carried = np.repeat(self._weights, np.diff(found.indptr))
        return sparse.csc_array((carried, found.indices, found.indptr), shape=found.shape)


def _code_points(text: str) -> NDArray[np.uint8] | NDArray[np.uint32]:
    if text.isascii():
        return np.frombuffer(text.encode(), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
