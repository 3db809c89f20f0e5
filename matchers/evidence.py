"""Why a pair has its score: which words of the update carry which words of the nugget."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import fsum

from matchers.words import words, words_in_place


@dataclass(frozen=True, slots=True)
class MatchedWord:
    """A word of the nugget that the update says.

    `span` is where `update_word` stands in the original update, as ``(start, end)``; of several
    equally similar words the first counts. `weight` is what the whole word is worth.
    """

    nugget_word: str
    update_word: str
    similarity: float
    weight: float
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class MissingWord:
    """A word of the nugget that the update does not say, and what it is worth."""

    nugget_word: str
    weight: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """The score of one pair and what it rests on.

    `found` is the weight that the matched words bring, each times its similarity; `lacking` is
    the rest of the nugget's weight. `span` runs from the first matching word of the update to the
    end of the last one, and is None when nothing matches. For `grams`, the words are grams.
    """

    score: float
    matched: tuple[MatchedWord, ...]
    missing: tuple[MissingWord, ...]
    found: float
    lacking: float
    span: tuple[int, int] | None

    def moved(self, by: int) -> Evidence:
        """The same with every span `by` characters further on."""
        return self.traced(lambda start, end: (start + by, end + by))

    def traced(self, place: Callable[[int, int], tuple[int, int]]) -> Evidence:
        """The same with every span where `place` says that it comes from."""
        matched = tuple(replace(word, span=place(*word.span)) for word in self.matched)
        return replace(self, matched=matched, span=_span(matched))


def evidence(
    score: float, matched: Iterable[MatchedWord], missing: Iterable[MissingWord]
) -> Evidence:
    """Put the words together into a record: sums and the span come from them."""
    said, unsaid = tuple(matched), tuple(missing)
    found = fsum(word.weight * word.similarity for word in said)  # the same by every Python
    total = fsum([*(word.weight for word in said), *(word.weight for word in unsaid)])
    return Evidence(score, said, unsaid, found, total - found, _span(said))


def _span(matched: tuple[MatchedWord, ...]) -> tuple[int, int] | None:
    """From the first word to the end of the last one."""
    starts, ends = ([word.span[side] for word in matched] for side in (0, 1))
    return (min(starts), max(ends)) if matched else None


def shared_words(score: float, update: str, nugget: str) -> Evidence:
    """Evidence for a score that is not made of words: the words both texts have, of weight 1."""
    places = {word.text: (word.start, word.end) for word in reversed(words_in_place(update))}
    distinct = dict.fromkeys(words(nugget))
    return evidence(
        score,
        [MatchedWord(w, w, 1.0, 1.0, places[w]) for w in distinct if w in places],
        [MissingWord(w, 1.0) for w in distinct if w not in places],
    )
