"""The two stemmers: Porter's as NLTK has it by default, and as the original ROUGE has it.

They differ in irregular forms, in short words, and in what they call a vowel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

LISTS = files("tseval.families.timelines") / "lists"


@cache
def stop_words() -> frozenset[str]:
    """The words that carry no content: the SMART list with some words of news."""
    return frozenset((LISTS / "stop_words.txt").read_text(encoding="ascii").split())


@cache
def irregular_forms() -> Mapping[str, str]:
    """The base forms of the irregular forms of WordNet 2.0."""
    lines = (LISTS / "irregular_forms.txt").read_text(encoding="ascii").splitlines()
    return dict(line.split() for line in lines)


# As NLTK has it.

FIXED = {
    form: base
    for base, forms in {
        "sky": ("sky", "skies"),
        "die": ("dying",),
        "lie": ("lying",),
        "tie": ("tying",),
        "news": ("news",),
        "inning": ("innings", "inning"),
        "outing": ("outings", "outing"),
        "canning": ("cannings", "canning"),
        "howe": ("howe",),
        "proceed": ("proceed",),
        "exceed": ("exceed",),
        "succeed": ("succeed",),
    }.items()
    for form in forms
}
SECOND = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize",
    "bli": "ble", "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize",
    "ation": "ate", "ator": "ate", "alism": "al", "iveness": "ive", "fulness": "ful",
    "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
THIRD = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
FOURTH = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


@cache
def nltk_stem(word: str) -> str:
    """The stem of a word in lower case."""
    if word in FIXED:
        return FIXED[word]
    if len(word) <= 2:
        return word
    word = _past(_plural(word))
    if word.endswith("y") and len(word) > 2 and _kinds(word)[-2] == "c":
        word = word[:-1] + "i"
    return _last_letters(_fourth(_third(_second(word))))


def _kinds(word: str) -> str:
    """`v` for each vowel and `c` for each other letter; y is a vowel behind a consonant."""
    kinds = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and kinds.endswith("c"))
        kinds += "v" if vowel else "c"
    return kinds


def _measure(word: str) -> int:
    """How often consonants follow vowels."""
    return _kinds(word).count("vc")


def _is_short(word: str) -> bool:
    """Whether a word ends in a short syllable, behind which an e is kept."""
    kinds = _kinds(word)
    return kinds == "vc" or (kinds.endswith("cvc") and word[-1] not in "wxy")


def _plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        stem = word.removesuffix(suffix)
        if stem != word and "v" in _kinds(stem):
            return _mended(stem)
    return word


def _mended(stem: str) -> str:
    """What stands before -ed or -ing as the word that it comes from."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and _kinds(stem)[-1] == "c":
        return stem if stem[-1] in "lsz" else stem[:-1]
    if stem.endswith("*d"):
        return stem[:-2] + "d"  # a slip of the original's table of rules
    return stem + "e" if _measure(stem) == 1 and _is_short(stem) else stem


def _second(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _second(word[:-2])
    for suffix, ending in SECOND.items():
        if word.endswith(suffix):
            stem = word.removesuffix(suffix)
            return stem + ending if _measure(stem) > 0 else word
    if word.endswith("fulli"):
        return word[:-2] if _measure(word[:-5]) > 0 else word
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return word


def _third(word: str) -> str:
    for suffix, ending in THIRD.items():
        if word.endswith(suffix):
            stem = word.removesuffix(suffix)
            return stem + ending if _measure(stem) > 0 else word
    return word


def _fourth(word: str) -> str:
    for suffix in FOURTH:
        if word.endswith(suffix):
            stem = word.removesuffix(suffix)
            fits = _measure(stem) > 1 and (suffix != "ion" or stem[-1] in "st")
            return stem if fits else word
    return word


def _last_letters(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        number = _measure(stem)
        if number > 1 or (number == 1 and not _is_short(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


# As the original ROUGE has it.

CONSONANTS, VOWELS = "[^aeiou][^aeiouy]*", "[aeiouy][aeiou]*"
ONCE = re.compile(f"^({CONSONANTS})?{VOWELS}{CONSONANTS}")
TWICE = re.compile(f"^({CONSONANTS})?{VOWELS}{CONSONANTS}{VOWELS}{CONSONANTS}")
JUST_ONCE = re.compile(f"^({CONSONANTS})?{VOWELS}{CONSONANTS}({VOWELS})?$")
WITH_VOWEL = re.compile(f"^({CONSONANTS})?[aeiouy]")
SHORT = re.compile(f"^{CONSONANTS}[aeiouy][^aeiouwxy]$")
DOUBLE = re.compile(r"([^aeiouylsz])\1$")
LOG = {"logi": "log"}


def _ending_in(*suffixes: str) -> re.Pattern[str]:
    """Matches a stem and the longest of these suffixes behind it."""
    return re.compile(f"^(.+?)({'|'.join(suffixes)})$")


PAST = _ending_in("ed", "ing")
SECOND_ENDINGS, THIRD_ENDINGS = _ending_in(*SECOND, *LOG), _ending_in(*THIRD)
FOURTH_ENDINGS = (
    _ending_in(*(each for each in FOURTH if each not in ("ment", "ent", "ion"))),
    _ending_in("ment"),
)
LAST_ENDINGS = re.compile("^(.+?)ent$"), re.compile("^(.+?[st])ion$")


@cache
def original_stem(word: str) -> str:
    """The base form of a word of letters a to z and digits, or its stem; short ones stay."""
    if len(word) <= 3:
        return word
    base = irregular_forms().get(word)
    return base if base is not None else _original_porter(word)


def _original_porter(word: str) -> str:
    first_is_y = word.startswith("y")
    if first_is_y:
        word = "Y" + word[1:]
    word = _original_past(_original_plural(word))
    if word.endswith("y") and WITH_VOWEL.search(word[:-1]):
        word = word[:-1] + "i"
    word = _changed(word, SECOND_ENDINGS, SECOND | LOG)
    word = _changed(word, THIRD_ENDINGS, THIRD)
    for pattern in FOURTH_ENDINGS:
        word = _cut(word, pattern)
    ends = [pattern for pattern in LAST_ENDINGS if pattern.search(word)]
    word = _cut(word, ends[0]) if ends else word
    stem = word[:-1]
    if word.endswith("e") and (
        TWICE.search(stem) or (JUST_ONCE.search(stem) and not SHORT.search(stem))
    ):
        word = stem
    if word.endswith("ll") and TWICE.search(word):
        word = word[:-1]
    return "y" + word[1:] if first_is_y else word


def _original_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and word[-2:-1] not in ("s", "") else word


def _original_past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if ONCE.search(word[:-3]) else word
    found = PAST.search(word)
    if found is None or not WITH_VOWEL.search(found[1]):
        return word
    stem = found[1]
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if DOUBLE.search(stem):
        return stem[:-1]
    return stem + "e" if SHORT.search(stem) else stem


def _changed(word: str, pattern: re.Pattern[str], endings: Mapping[str, str]) -> str:
    found = pattern.search(word)
    fits = found is not None and ONCE.search(found[1])
    return found[1] + endings[found[2]] if found is not None and fits else word


def _cut(word: str, pattern: re.Pattern[str]) -> str:
    found = pattern.search(word)
    return found[1] if found is not None and TWICE.search(found[1]) else word
