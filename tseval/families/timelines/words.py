"""From sentences to words, as the original ROUGE, tilse's own and its costs have them.

Both kinds of ROUGE stem by Porter's algorithm, tilse's own as NLTK has it. They differ in
irregular forms, in short words, and in some endings.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

import polars as pl

from tseval.records import frozen

ORIGINAL, REIMPL, PLAIN = "original", "reimpl", "plain"
"""Whose words: of the original ROUGE, of tilse's own, and of tilse's costs of alignments."""
LISTS = files("tseval.families.timelines") / "lists"
MARKS = frozenset({".", ",", ";", ":", "``", "''", "-", '"'})
"""Words that tilse's own ROUGE drops whether stop words are kept or not."""
ORIGINAL_WORD = "[A-Za-z0-9]+"
SPLIT = r"[^\s\x1c-\x1f]+"
"""What stands between blanks as Python has them."""


@frozen
class Wording:
    """How sentences become words."""

    backend: str = ORIGINAL
    stems: bool = True
    drops_stop_words: bool = True

    def split(self, text: pl.Expr) -> pl.Expr:
        """Return the words of sentences as they are written."""
        if self.backend == ORIGINAL:
            return content_of(text).str.extract_all(ORIGINAL_WORD)
        return text.str.extract_all(SPLIT)

    def count_as(self, written: Iterable[str]) -> dict[str, str | None]:
        """Return what each word counts as, None for one that is dropped."""
        if self.backend == PLAIN:  # dropped is a part of this text, as tilse asks
            return {word: None if word in string.punctuation else word for word in written}
        dropped = stop_words() if self.drops_stop_words else frozenset[str]()
        dropped |= MARKS if self.backend == REIMPL else frozenset()
        lower = {word: word.lower() for word in written}
        kept = {word: low for word, low in lower.items() if low not in dropped}
        stems = {low: stem(low, self.backend) if self.stems else low for low in kept.values()}
        return {word: stems.get(low) for word, low in lower.items()}


def content_of(text: pl.Expr) -> pl.Expr:
    """Return what the original reads of a text: what stands behind a `<` is markup to it."""
    return text.str.replace_all("^", "&circ;", literal=True).str.replace("(?s)<.*", "")


@cache
def stop_words() -> frozenset[str]:
    """Return the words that carry no content: the SMART list with some words of news."""
    return frozenset((LISTS / "stop_words.txt").read_text(encoding="ascii").split())


@cache
def irregular_forms() -> Mapping[str, str]:
    """Return the base forms of the irregular forms of WordNet 2.0."""
    lines = (LISTS / "irregular_forms.txt").read_text(encoding="ascii").splitlines()
    return dict(line.split() for line in lines)


FIXED = {
    "skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
    "innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
    "cannings": "canning", "canning": "canning", "howe": "howe", "proceed": "proceed",
    "exceed": "exceed", "succeed": "succeed",
}  # fmt: skip
"""The irregular forms of NLTK."""
SECOND = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize",
    "bli": "ble", "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize",
    "ation": "ate", "ator": "ate", "alism": "al", "iveness": "ive", "fulness": "ful",
    "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
SECOND_OF_NLTK = SECOND | {"fulli": "ful"}
THIRD = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
FOURTH = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip
LATE = (("ment",), ("ent", "ion"))
CASCADE = (tuple(each for each in FOURTH if each not in ("ment", "ent", "ion")), *LATE)
"""The original drops one ending of each of these, one after the other."""
CONSONANTS, VOWELS = "[^aeiou][^aeiouy]*", "[aeiouy][aeiou]*"
"""A y is a consonant at the beginning, where stems have a Y, and behind a vowel."""
PAIR, VOWEL = re.compile(f"{VOWELS}{CONSONANTS}"), re.compile("[aeiouy]")
CLOSED = re.compile(f"(?:{CONSONANTS})?(?:{VOWELS}{CONSONANTS})*")
"""What ends in a consonant."""
SHORT = re.compile(f"{CONSONANTS}[aeiouy][^aeiouwxy]")
"""A short syllable, behind which an e stays."""
SHORT_OF_NLTK = re.compile(f"{SHORT.pattern}|[aeiouy][^aeiou]")


def measure(word: str) -> int:
    """Return how often consonants follow vowels."""
    return len(PAIR.findall(word))


def divide(word: str, endings: Iterable[str], least: int) -> tuple[str, str]:
    """Return what stands before the first of these endings that a word has, and the ending."""
    for ending in endings:
        if word.endswith(ending) and len(word) >= len(ending) + least:
            return word.removesuffix(ending), ending
    return word, ""


def stem(word: str, backend: str) -> str:
    """Return the stem of a word in lower case."""
    is_nltk = backend == REIMPL
    if len(word) <= (2 if is_nltk else 3):
        return word
    base = (FIXED if is_nltk else irregular_forms()).get(word)
    if base is not None:
        return base
    first, least = word[0], 0 if is_nltk else 1
    if first == "y":
        word = "Y" + word[1:]
    if is_nltk and word.endswith("ies") and len(word) == 4:
        word = word[:-1]
    elif word.endswith(("ies", "sses")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    short = SHORT_OF_NLTK if is_nltk else SHORT
    if is_nltk and word.endswith("ied"):
        word = word[:-1] if len(word) == 4 else word[:-2]
    elif word.endswith("eed"):
        word = word[:-1] if measure(word[:-3]) > 0 else word
    else:
        base, ending = divide(word, ("ed", "ing"), 1)
        if ending and VOWEL.search(base):
            is_double = base[-1] == base[-2:-1] and CLOSED.fullmatch(base)
            if base.endswith(("at", "bl", "iz")):
                word = base + "e"
            elif is_double and base[-1] not in ("lsz" if is_nltk else "ylsz"):
                word = base[:-1]
            elif base.endswith("*d"):
                word = base[:-2] + "d"  # a slip of NLTK's table of rules
            else:
                word = base + "e" if short.fullmatch(base) else base
    before, is_base = word[:-1], CLOSED.fullmatch if is_nltk else VOWEL.search
    if word.endswith("y") and len(before) > 1 - least and is_base(before):
        word = before + "i"
    if is_nltk and word.endswith("alli") and measure(word[:-4]) > 0:
        word = word[:-2]
    for endings in (SECOND_OF_NLTK if is_nltk else SECOND, THIRD):
        base, ending = divide(word, endings, least)
        if ending and measure(base + "l" * (is_nltk and ending == "logi")) > 0:
            word = base + endings[ending]
    for group in (FOURTH,) if is_nltk else CASCADE:
        base, ending = divide(word, group, least)
        if ending and measure(base) > 1 and (ending != "ion" or base[-1] in "st"):
            word = base
    base = word.removesuffix("e")
    if measure(base) > 1 or (measure(base) == 1 and not short.fullmatch(base)):
        word = base
    if word.endswith("ll") and measure(word) > 1:
        word = word[:-1]
    return first + word[1:]
