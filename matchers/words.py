r"""The normaliser: what a word is, and where in the original text it stands.

There is one definition, and this is all of it.

1. The text is folded as Unicode folds for matching whatever the case: compatibility forms (NFKC),
   case, and what is ignored by default (soft hyphens, joiners, variation selectors) taken out. A
   zero width space is a blank. Then marks that tell no words apart go: the dot above an i or j, as
   lower case leaves it of ``İ``; the points of Hebrew, Arabic and Syriac, which most texts leave
   out; signs around a letter.
2. Words are the runs of letters, digits and underscores (``\w``), with the marks behind them.
3. In scripts without spaces a run is cut: into overlapping pairs of characters for Chinese,
   Japanese and their like, into overlapping threes for Thai, Lao, Khmer, Burmese and theirs. A
   character is a letter with its marks. Such words begin and end where another script does.

There is no stop list and no stemmer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

_IGNORED_RANGES = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
    *((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164)),
    *((0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8)),
    *((0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
_ZERO_WIDTH_SPACE = 0x200B

IGNORED: dict[int, str | None] = {
    code: None for first, last in _IGNORED_RANGES for code in range(first, last + 1)
} | {_ZERO_WIDTH_SPACE: " "}
"""What is ignored by default (Default_Ignorable_Code_Point), as a table for `str.translate`.

A zero width space is among these, but marks where a word ends: it becomes a blank.
"""

DOTTED = "ij\u0268\u029d\u03f3\u0456\u0458\u1d96"
"""Lower-case letters with a dot of their own (Soft_Dotted) that no others decompose into."""

PAIRS, THREES = 2, 3
SIZES = (PAIRS, THREES)
"""Of how many characters the words of scripts without spaces are."""

# Chinese characters, kana, Bopomofo, Yi, Tangut, Khitan, Nushu: line breaking classes ID and CJ.
# Thai, Lao, Burmese, Khmer, Tai and Javanese, Balinese, Ahom: classes SA, AK and AS.
_UNSPACED = {
    PAIRS: (
        *((0x3005, 0x3007), (0x3021, 0x3029), (0x3031, 0x3035), (0x3038, 0x303C)),
        *((0x3041, 0x3096), (0x309D, 0x309F), (0x30A1, 0x30FA), (0x30FC, 0x30FF)),
        *((0x3105, 0x312F), (0x31A0, 0x31BF), (0x31F0, 0x31FF), (0x3400, 0x4DBF)),
        *((0x4E00, 0x9FFF), (0xA000, 0xA48C), (0xF900, 0xFAFF), (0x16FE0, 0x16FE3)),
        *((0x17000, 0x187FF), (0x18800, 0x18CFF), (0x18D00, 0x18DFF), (0x1AFF0, 0x1AFFE)),
        *((0x1B000, 0x1B16F), (0x1B170, 0x1B2FF), (0x20000, 0x3FFFD)),
    ),
    THREES: (
        *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x19DF)),
        *((0x1A20, 0x1AAF), (0x1B00, 0x1B7F), (0xA980, 0xA9FF), (0xAA60, 0xAADF)),
        *((0x116D0, 0x116FF), (0x11700, 0x1174F)),
    ),
}
_WHOLE = 5000  # a range of more than so many characters has nothing but letters in it

VOWEL_BEHIND = "(?:(?<=\u0e4d)\u0e32|(?<=\u0ecd)\u0eb2)?"
"""The vowel am of Thai and Lao is one letter, which NFKC parts into a mark and a letter."""


@cache
def marks() -> str:
    """All combining marks."""
    return "".join(c for c in map(chr, range(0x300, 0x1F000)) if unicodedata.category(c)[0] == "M")


def is_dropped(mark: str) -> bool:
    """Whether a mark tells no words apart.

    The combining classes 10 to 36 are those of the points of Hebrew, Arabic and Syriac.
    """
    return 10 <= unicodedata.combining(mark) <= 36 or unicodedata.category(mark) == "Me"


def letters_class(size: int) -> str:
    """The letters of scripts whose words are of `size` characters, as ranges of a pattern."""
    long = [each for each in _UNSPACED[size] if each[1] - each[0] > _WHOLE]
    rest = [
        letter
        for first, last in _UNSPACED[size]
        if (first, last) not in long
        for letter in map(chr, range(first, last + 1))
        if letter.isalnum() and not letter.isdecimal()
    ]
    return ranges(rest) + "".join(_range(first, last) for first, last in long)


def ranges(characters: Iterable[str]) -> str:
    """Characters in rising order as the ranges of a pattern's class."""
    found: list[list[int]] = []
    for code in map(ord, characters):
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return "".join(_range(first, last) for first, last in found)


def _range(first: int, last: int) -> str:
    return f"\\U{first:08x}-\\U{last:08x}"


EDITION = 2
"""Rises with every change of what words are, so that nothing kept from before is taken for new."""

_WORD = re.compile(r"\w+")
_PLAIN = re.compile(r"[\x00-\x7f]+")
_MIXED = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
_ASCII = "".join(chr(i).lower() if re.match(r"\w", chr(i)) else " " for i in range(128)).encode()
_ASCII += bytes(128)  # never looked up


class Word(NamedTuple):
    """A normalised word and the stretch of the original text that it comes from."""

    text: str
    start: int
    end: int


def words(text: str) -> list[str]:
    """The words of `text` in their order, repeated ones too; none for a text without words."""
    return spaced(text).split()


def normalised(text: str) -> str:
    """The words of `text` joined by one blank; the empty text when there are none."""
    return " ".join(words(text))


def spaced(text: str) -> str:
    """The words of `text` with blanks between them."""
    if text.isascii():
        return text.encode().translate(_ASCII).decode()
    folded = _folded(text)
    if not is_special(folded):
        return " ".join(_WORD.findall(folded))
    return " ".join(folded[start:end] for start, end in _places(folded))


def has_words(text: str) -> bool:
    """Whether `words` finds any; it stops at the first."""
    if text.isascii():
        return _WORD.search(text) is not None
    return next(_places(_folded(text)), None) is not None


def words_in_place(text: str) -> list[Word]:
    """The same words as `words` gives, each with its span in the original `text`.

    Folding changes lengths. Two words made from one character (``½`` gives ``1`` and ``2``) share
    that character's span; a span never cuts a letter off its combining marks. The spans of words
    that a run is cut into overlap.
    """
    folded = _folded(text)
    placed = zip(_places(folded), word_spans(text), strict=True)
    return [Word(folded[a:b], *span) for (a, b), span in placed]


def word_spans(text: str) -> list[tuple[int, int]]:
    """The spans of `words_in_place` alone, which is quicker."""
    if text.isascii():
        return [found.span() for found in _WORD.finditer(text)]
    starts, ends = _origins(_pieces(text))
    return [(starts[a], ends[b - 1]) for a, b in _places(_folded(text))]


def is_cut(word: str) -> bool:
    """Whether a word is of a script without spaces, and so a part of a run."""
    return not word.isascii() and _rules().letter.match(word) is not None


class _Rules(NamedTuple):
    """What is looked for in texts that are not ASCII."""

    special: re.Pattern[str]
    """Anything that needs more than NFKC, case folding and ``\\w+``; all beyond 16 bits too."""
    dropped: re.Pattern[str]
    """Marks that tell no words apart."""
    dot: re.Pattern[str]
    """The dot above a letter that has one anyway, behind that letter."""
    word: re.Pattern[str]
    letter: re.Pattern[str]
    """A letter of a script without spaces."""
    character: re.Pattern[str]
    """The same with its marks."""


@cache
def _rules() -> _Rules:
    every_mark = marks()
    ignored = ranges(map(chr, sorted(IGNORED)))
    dropped = [m for m in every_mark if is_dropped(m)]
    below = [m for m in every_mark if unicodedata.combining(m) not in (0, 230)]
    of = {size: letters_class(size) for size in SIZES}
    every, mark = "".join(of.values()), ranges(every_mark)
    other = rf"[^\W{every}]"
    runs = [f"(?P<by{size}>[{of[size]}][{of[size]}{mark}]*)" for size in SIZES]
    return _Rules(
        re.compile(f"[{mark}{ignored}{every}\U00010000-\U0010ffff]"),
        re.compile(f"[{ranges(dropped)}]"),
        re.compile(f"([{DOTTED}][{ranges(below)}]*)\u0307+"),
        re.compile("|".join([*runs, f"{other}+(?:[{mark}]+{other}*)*"])),
        re.compile(f"[{every}]"),
        re.compile(f"[{every}][{mark}]*{VOWEL_BEHIND}"),
    )


def is_special(folded: str) -> bool:
    """Whether a folded text has anything of `_Rules.special`."""
    return _rules().special.search(_PLAIN.sub("", folded)) is not None


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    simple = unicodedata.normalize("NFKC", text).casefold()
    return _folded_in_full(text) if is_special(simple) else simple


def _folded_in_full(text: str) -> str:
    """Fold step by step; needed only where marks or ignored characters stay."""
    rules = _rules()
    text = unicodedata.normalize("NFD", text.translate(IGNORED)).casefold()
    text = unicodedata.normalize("NFKD", text).casefold()
    text = rules.dropped.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", rules.dot.sub(r"\1", text))


def _places(folded: str) -> Iterator[tuple[int, int]]:
    """Where the words stand in a folded text."""
    if folded.isascii() or not is_special(folded):
        yield from (found.span() for found in _WORD.finditer(folded))
        return
    rules = _rules()
    for found in rules.word.finditer(folded):
        if found.lastgroup is None:
            yield found.span()
            continue
        size = int(found.lastgroup.removeprefix("by"))
        characters = [each.span() for each in rules.character.finditer(folded, *found.span())]
        for first in range(max(1, len(characters) - size + 1)):
            yield characters[first][0], characters[first : first + size][-1][1]


def _origins(pieces: list[str]) -> tuple[list[int], list[int]]:
    """For each character of the folded text, where its piece of the original starts and ends.

    In a piece of ASCII every character is folded by itself.
    """
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    for piece in pieces:
        after = position + len(piece)
        if piece.isascii():
            starts += range(position, after)
            ends += range(position + 1, after + 1)
        else:
            length = len(_folded(piece))
            starts += [position] * length
            ends += [after] * length
        position = after
    return starts, ends


def _pieces(text: str) -> list[str]:
    """Cut `text` so that folding the pieces one by one gives what folding the whole gives.

    That can fail for letters that a future Unicode lets combine; the whole text is always valid.
    """
    pieces = _cut(text)
    return pieces if "".join(map(_folded, pieces)) == _folded(text) else [text]


def _cut(text: str) -> list[str]:
    """Cut before each character that folds alone, as those of ASCII do; their stretches are whole.

    One that is followed by others than ASCII goes with what does not begin a piece of its own.
    """
    pieces: list[str] = []
    done = 0
    for mixed in _MIXED.finditer(text):
        first, last = mixed.span()
        cuts = [first, *(i for i in range(first + 1, last) if folds_alone(text[i])), last]
        pieces += [text[done:first], *(text[a:b] for a, b in pairwise(cuts))]
        done = last
    return [*pieces, text[done:]]


@lru_cache(maxsize=1 << 12)
def folds_alone(character: str) -> bool:
    """Whether normalisation never merges `character` with the one before it.

    Marks and the vowels and finals of conjoining Hangul are merged; so are characters that
    decompose into one of these first, such as half-width voicing marks. What is ignored goes with
    what stands before it, since a mark may follow.
    """
    if IGNORED.get(ord(character), " ") is None:
        return False
    first = unicodedata.normalize("NFKD", character)[0]
    return not (unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff")
