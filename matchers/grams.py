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
from matchers.parameters import integer_in, parameter, threshold
from matchers.prepared import MatcherGold
from matchers.steps import steps_parameter
from matchers.stream import MARK, stream
from matchers.threads import parts, spread
from matchers.windows import in_windows, window_parameter
from matchers.words import normalised, words_in_place

_WIDTH = 1 << 10  # what a text counts as when texts are read in parts
_TABLE = 1 << 24  # a step's table has at most so many places; beyond, the step is a search
_QUICK = 1 << 21  # a table of so many places stays near the processor

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
    across_topics: ClassVar[bool] = True
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
    """From two states, those of a stretch of letters and of one behind it, to that of both.

    A state is a number above 0; 0 where no gram goes on like that. `table` has the state that a
    pair leads to, where there is room for all pairs; else those that go on are `known`, in rising
    order, and `to` says where they lead.
    """

    length: int  # of the stretch before
    behind: int  # of the one behind it
    width: int
    known: Numbers
    to: Numbers
    table: NDArray[np.int32] | None

    @classmethod
    def of(cls, stretches: _Stretches, length: int, behind: int) -> _Step:
        """The step between the stretches of these lengths; the last leads to grams as they come."""
        pairs, cells = stretches.pairs(length, behind), stretches.cells(length, behind)
        is_last = length + behind == stretches.n
        if cells > _TABLE:
            known, place = np.unique(pairs, return_inverse=True)
            to = np.argsort(place) + 1 if is_last else np.arange(1, len(known) + 1)
            return cls(length, behind, stretches.counts[behind] + 1, known, to, None)
        table = np.zeros(cells, np.int32)
        table[pairs] = 1
        known = pairs if is_last else np.flatnonzero(table != 0)
        to = np.arange(1, len(known) + 1)
        table[known] = to
        return cls(length, behind, stretches.counts[behind] + 1, known, to, table)

    def __call__(self, before: Numbers, behind: Numbers) -> Numbers:
        """The states of pairs."""
        pair = before.astype(np.int64)
        pair *= self.width
        pair += behind
        if self.table is not None:
            return self.table.take(pair)
        place = np.minimum(np.searchsorted(self.known, pair), len(self.known) - 1)
        return np.where(self.known[place] == pair, self.to[place], 0)

    def along(self, states: dict[int, Numbers]) -> Numbers:
        """The states of longer stretches, from those of the shorter ones at every place."""
        before = states[self.length][..., : -self.behind]
        return self(before, states[self.behind][..., self.length :])


class _Stretches:
    """The states of all stretches of the grams, by their lengths, as far as they are known."""

    def __init__(self, letters: Numbers, alphabet: int) -> None:
        self.n = letters.shape[1]
        self.states = {1: letters}
        self.counts = {1: alphabet}

    def steps(self) -> Iterator[_Step]:
        """The steps from letters to grams, each as long as a quick one can be."""
        length = 1
        while length < self.n:
            quick = [b for b in self.states if self.cells(length, b) <= _QUICK]
            behind = max([1, *(b for b in quick if length + b <= self.n)])
            step = _Step.of(self, length, behind)
            length += behind
            self.states[length] = step.along(self.states)
            self.counts[length] = len(step.known)
            yield step

    def cells(self, length: int, behind: int) -> int:
        """How many places the table of a step has."""
        return (self.counts[length] + 1) * (self.counts[behind] + 1)

    def pairs(self, length: int, behind: int) -> Numbers:
        """The pairs that a step knows, packed."""
        before = self.states[length][:, : self.n - length - behind + 1].astype(np.int64)
        packed = before * (self.counts[behind] + 1) + self.states[behind][:, length:]
        return packed.ravel()


class GramReader:
    """Turns updates into the weights that they carry of the nuggets' grams.

    Stretches of letters that grams of the nuggets have are numbered, from one letter on; two that
    follow one another make a longer one. All positions of a block are joined at once, step by step;
    where the last step leads, a gram of the nuggets begins.
    """

    def __init__(self, column: dict[str, int], weights: NDArray[np.int64], n: int) -> None:
        self._weights = weights
        grams_ = _code_points("".join(column)).reshape(-1, n)
        alphabet = np.unique(grams_)
        self._letter = np.zeros(int(alphabet[-1]) + 2 if len(alphabet) else 1, np.int32)
        self._letter[alphabet] = np.arange(1, len(alphabet) + 1)
        self._steps = list(_Stretches(self._letter[grams_], len(alphabet)).steps())

    def __call__(self, texts: list[str]) -> list[Rows]:
        """One row a text, one column a nugget gram: its weight, where the text has it."""
        return spread(lambda part: self._read(texts[part]), parts(len(texts), _WIDTH))

    def _read(self, texts: list[str]) -> sparse.csc_array:
        read = stream(texts)
        points = read.points()
        states: dict[int, Numbers] = {1: self._letter.take(points, mode="clip")}
        for step in self._steps:
            gram = states[step.length + step.behind] = step.along(states)
        begins = np.flatnonzero(gram != 0)
        column = gram.take(begins)
        column -= 1
        ends = np.searchsorted(begins, np.flatnonzero(points == ord(MARK)))
        said = sparse.csr_array(
            (np.ones(len(column), np.int8), column, np.append(0, ends)),
            shape=(len(texts), len(self._weights)),
        )
        if (np.diff(read.row) < 0).any():
            said = said[np.argsort(read.row)]
        found = said.tocsc()
        found.sum_duplicates()
        carried = np.repeat(self._weights, np.diff(found.indptr))
        return sparse.csc_array((carried, found.indices, found.indptr), shape=found.shape)


def _code_points(text: str) -> NDArray[np.uint8] | NDArray[np.uint32]:
    if text.isascii():
        return np.frombuffer(text.encode(), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
