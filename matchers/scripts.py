"""What the normaliser knows of scripts, as Unicode tells it: marks, and letters without spaces.

Python's database of characters has neither scripts nor the property of being ignored by default, so
these stand here as ranges of code points.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache

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
