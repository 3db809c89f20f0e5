"""Windows of words: a long text as the nugget-sized stretches that it consists of.

A long update has most words of any nugget somewhere, far from one another. Held against one stretch
after another it says a nugget only where the words stand together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchers.pairs import Block, MatcherGold, Pairs, ranges
from matchers.parameters import integer_in, parameter
from matchers.texts import distinct
from matchers.words import has_words, word_spans

Span = tuple[int, int]

LONGEST = 10_000
"""The largest window, in words."""


def window_parameter(*, shown: bool) -> Any:
    """The dataclass field `window`: 0 for none, which a name need not show."""
    meaning = "compare the nugget with windows of this many words; 0: the whole update"
    return parameter(0, integer_in(0, LONGEST), meaning, shown=shown)


def windows(text: str, size: int) -> list[Span]:
    """Stretches of `size` words, each half a window on from the one before, as spans of the text.

    The last one ends with the text. A text of at most `size` words is one window as it stands, one
    without words has none. With `size` 0 no text is too long.
    """
    if not size:
        return [(0, len(text))] if has_words(text) else []
    placed = word_spans(text)
    if len(placed) <= size:
        return [(0, len(text))] if placed else []
    firsts = [*range(0, len(placed) - size, max(1, size // 2)), len(placed) - size]
    return [(placed[first][0], placed[first + size - 1][1]) for first in firsts]


class Windows(NamedTuple):
    """Texts cut into stretches of words.

    `texts` are the different ones; `number` says which of them each window is, `counts` how many
    windows each text has.
    """

    texts: list[str]
    number: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, texts: list[str], size: int) -> Windows:
        """Cut texts; equal windows are one."""
        spans = [windows(text, size) for text in texts]
        cut = [text[a:b] for text, own in zip(texts, spans, strict=True) for a, b in own]
        return cls(*distinct(cut), np.fromiter(map(len, spans), np.int64, len(spans)))

    def of_pairs(self, update: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The windows of the update of each pair, one after another, and which pair's each is."""
        counts = self.counts[update]
        starts = (np.cumsum(self.counts) - self.counts)[update]
        return self.number[ranges(starts, counts)], np.repeat(np.arange(len(update)), counts)


@dataclass(frozen=True, eq=False)
class WindowGold:
    """Nuggets of a matcher, against which every window of an update is held."""

    gold: MatcherGold
    size: int

    def block(self, texts: list[str]) -> WindowBlock:
        """Read updates, window by window."""
        windows = Windows.of(texts, self.size)
        return WindowBlock(self.gold.block(windows.texts), windows)


@dataclass(frozen=True, eq=False)
class WindowBlock:
    """The different windows of updates, read."""

    block: Block
    windows: Windows

    def reaching(self, threshold: float) -> Pairs:
        """All pairs with a window that reaches `threshold`, with the score of the best one."""
        found = self.block.reaching(threshold).repeated(self.windows.number)
        counts = self.windows.counts
        update = np.repeat(np.arange(len(counts)), counts)[found.update]
        order = np.lexsort((found.score, found.nugget, update))
        update, nugget = update[order], found.nugget[order]
        last = np.append((np.diff(update) != 0) | (np.diff(nugget) != 0), True)[: len(order)]
        return Pairs.of(update[last], nugget[last], found.score[order][last])

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The best window's score of each pair; 0 for updates without words."""
        window, pair = self.windows.of_pairs(update)
        best = np.zeros(len(update))
        np.maximum.at(best, pair, self.block.scores(window, nugget[pair]))
        return best


def in_windows(gold: MatcherGold, size: int) -> MatcherGold:
    """The same nuggets, held against windows of `size` words; against whole texts for 0."""
    return WindowGold(gold, size) if size else gold


def best_window(gold: MatcherGold, update: str, size: int) -> Span:
    """The first of the windows of an update that score highest with the only nugget of `gold`."""
    spans = windows(update, size) or [(0, len(update))]
    texts, number = distinct([update[a:b] for a, b in spans])
    score = gold.block(texts).scores(np.arange(len(texts)), np.zeros(len(texts), np.int64))
    return spans[int(np.argmax(score[number]))]
