"""Words that warnings and errors of all families are made of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from inspect import getdoc
from typing import TYPE_CHECKING

from tseval.errors import did_you_mean

if TYPE_CHECKING:
    from tseval.arrays import FloatArray

NAMED = 5
"""How many names a warning lists before it counts the rest."""
WORDS = 3
"""The number of unknown words that a warning lists before it counts the rest."""
SENTENCE = re.compile(r"^[A-Z](?=[a-z]+(?![a-z(]|-[A-Z]))")
"""The capital of a sentence, but not that of a name such as `Rs(t)` or `Durbin-Watson`."""
LONGEST = 24
"""The number of characters after which a warning cuts a word."""
AUTOMATIC = (
    "Automatic matches: check them on your texts with `tseval calibrate` before relying on these "
    "scores."
)


def automatic_matches(*signatures: str) -> tuple[str, ...]:
    """The caveat, if one of the scores with these signatures rests on a matcher.

    Scores that a judged sample corrects do not need it.
    """
    made = any(re.search(r"\|matcher:(?!assessed\b)(?!.*\|judged:)", each) for each in signatures)
    return (AUTOMATIC,) if made else ()


def count(number: int, noun: str) -> str:
    """A number with its noun: `1 topic`, `3 topics`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def none_of(whose: str, number: int, noun: str, nouns: str) -> str:
    """That none is something: `none of the 3 matches is`, `the one match is not`."""
    return f"none of {whose} {number:,} {nouns} is" if number > 1 else f"{whose} one {noun} is not"


def percent(share: float) -> str:
    """Write a share as a percentage of two digits; only a whole share is 100 %."""
    return f"{min(100 * share, 99.4 if share < 1 else 100):.{0 if share >= 0.0995 else 1}f} %"


def paragraphs_of(documented: object) -> list[str]:
    """Return the paragraphs of a docstring, without a sentence's capital and period."""
    texts = (" ".join(each.split()) for each in (getdoc(documented) or "").split("\n\n"))
    plain = (text.removesuffix(".") for text in texts)
    return [SENTENCE.sub(lambda word: word[0].lower(), text, count=1) for text in plain]


def listed(names: Sequence[str]) -> str:
    """Some names in words: all of them if they are few."""
    shown = ", ".join(names[:NAMED])
    rest = len(names) - NAMED
    return shown if rest <= 0 else f"{shown} and {rest:,} more"


def count_words(words: Iterable[str], known: Collection[str] = ()) -> str:
    """Count each unknown word, most frequent first, with the known word that it resembles."""
    counted = Counter(words).most_common()
    told = []
    for word, number in counted[:WORDS]:
        shown = word if len(word) <= LONGEST else f"{word[: LONGEST - 1]}…"
        told.append(f"{shown or '(blank)'} ({number:,}{did_you_mean(word, known)})")
    rest = len(counted) - WORDS
    return ", ".join(told) + (f" and {rest:,} more" if rest > 0 else "")


def warn_of_numbers(
    where: str, what: str, numbers: FloatArray, known: Sequence[float]
) -> Iterator[str]:
    """Warn of numbers that are not among the known ones."""
    strange = [each for each in numbers.tolist() if each not in known]
    if strange:
        shown = count_words(f"{each:g}" for each in strange)
        nouns = count(len(strange), f"unknown {what}")
        yield f"{where}: {nouns}: {shown}; known are {', '.join(f'{each:g}' for each in known)}"
