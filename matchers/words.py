r"""The normaliser: what a word is, and where in the original text it stands.

There is one definition. The whole text is brought to Unicode NFKC, then case-folded, and its words
are the runs of ``\w`` (letters, digits, underscore). There is no stop list and no stemmer. A
combining mark that NFKC cannot merge into a letter is not a letter, so it ends a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

_WORD = re.compile(r"\w+")


class Word(NamedTuple):
    """A normalised word and the stretch of the original text that it comes from."""

    text: str
    start: int
    end: int


def words(text: str) -> list[str]:
    """The words of `text` in their order, repeated ones too; none for a text without words."""
    return _WORD.findall(_folded(text))


def normalised(text: str) -> str:
    """The words of `text` joined by one blank; the empty text when there are none."""
    return " ".join(words(text))


def has_words(text: str) -> bool:
    """Whether `words` finds any; it stops at the first."""
    return _WORD.search(text if text.isascii() else _folded(text)) is not None


def words_in_place(text: str) -> list[Word]:
    """The same words as `words` gives, each with its span in the original `text`.

    Folding changes lengths. Two words made from one character (``½`` gives ``1`` and ``2``) share
    that character's span; a span never cuts a letter off its combining marks.
    """
    pieces = [text[i : i + 1] for i in range(len(text))] if text.isascii() else _pieces(text)
    starts, ends = _origins(pieces)
    return [
        Word(found.group(), starts[found.start()], ends[found.end() - 1])
        for found in _WORD.finditer(_folded(text))
    ]


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold()


def _origins(pieces: list[str]) -> tuple[list[int], list[int]]:
    """For each character of the folded text, where its piece of the original starts and ends."""
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    for piece in pieces:
        length = len(_folded(piece))
        starts += [position] * length
        position += len(piece)
        ends += [position] * length
    return starts, ends


def _pieces(text: str) -> list[str]:
    """Cut `text` so that folding the pieces one by one gives what folding the whole gives.

    The fine cut can fail for letters that a future Unicode lets combine. Nothing combines with an
    ASCII character before it, and the whole text is always one valid piece.
    """
    whole = _folded(text)
    for begins in (_begins_letter, str.isascii):
        pieces = _cut(text, begins)
        if "".join(map(_folded, pieces)) == whole:
            return pieces
    return [text]


def _cut(text: str, begins: Callable[[str], bool]) -> list[str]:
    cuts = [i for i, character in enumerate(text) if i == 0 or begins(character)]
    return [text[a:b] for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)]


def _begins_letter(character: str) -> bool:
    """Whether normalisation never merges `character` with the one before it.

    Marks and the vowels and finals of conjoining Hangul are merged; so are characters that
    decompose into one of these first, such as half-width voicing marks.
    """
    first = unicodedata.normalize("NFKD", character)[0]
    return not (unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff")
