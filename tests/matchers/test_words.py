"""The normaliser over all of Unicode."""

import re
import sys
import unicodedata

import pytest
from hypothesis import given

from matchers import normalised, words
from matchers.words import has_words, words_in_place
from tests import strategies as st
from tests.oracles import matching as slow

# Letters whose normal form depends on their neighbours, or has another length.
CLUSTERS = st.text(
    "aeo\u0301\u0327\u0323\u0345İßﬃ½²℡㍿ﷺ\uff76\uff9e\u1100\u1161\u11a8\uffa1\uffc2"
    "\u3131\u314f\u0b47\u0b3e\u0dd9\u0dcf\u0dca\u0ddc한 -_\0"
    "ijJį\u0307\u0308ΐǰ\u1fb7\ufb1d\ufb2c\u05b4\u05c1\u064e\u0651\u0670\u20e3\u00ad\u200b\u200d\ufe0f"
    "\u0915\u093f\u094d\u0958日本の々ーｶ三〇กำเน้\u0e32\u0e4d๕လ\u1039\u103bខ្មូ5b"
)
TEXT = st.one_of(st.text(), CLUSTERS, st.text(st.characters(exclude_categories=[])))


@given(TEXT)
def test_words_are_the_specified_ones(text):
    assert words(text) == slow.words(text)
    assert normalised(text) == " ".join(words(text))
    assert has_words(text) == bool(words(text))


@given(TEXT)
def test_words_in_place_are_the_same_words(text):
    assert [word.text for word in words_in_place(text)] == words(text)


@given(TEXT)
def test_spans_hold_their_words_and_stay_in_order(text):
    placed = words_in_place(text)
    for word in placed:
        assert 0 <= word.start < word.end <= len(text)
        assert word.text in words(text[word.start : word.end])
    assert [word.start for word in placed] == sorted(word.start for word in placed)


@given(TEXT)
def test_normalised_words_are_words(text):
    assert all(words(word) for word in words(text))


@pytest.fixture(scope="module")
def every():
    """Every character that has a meaning."""
    return [
        c
        for c in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(c) not in ("Cs", "Co", "Cn")
    ]


LIKE_THE_FIRST = "3401-4DBF 4E01-9FFF AC01-D7A3 17001-187FF 18801-18CFF 20001-3FFFD"
"""Characters of which each is as the one before it: Han, Hangul, Tangut."""


def test_every_character_has_the_words_of_the_reference(every):
    some = [c for c in every if not slow.between(c, LIKE_THE_FIRST)]
    assert [c for c in some if words(f"a{c}b") != slow.words(f"a{c}b")] == []


def test_no_letter_whose_folding_changes_length_falls_apart(every):
    """What a letter stands for stays one word, unless there is a blank or a stop in it."""
    longer = [
        c
        for c in every
        if unicodedata.category(c)[0] == "L"
        and len(unicodedata.normalize("NFKC", c).casefold()) != 1
        and not any(map(slow.size_of, unicodedata.normalize("NFKC", c)))
    ]
    assert len(longer) > 300
    for c in longer:
        form = unicodedata.normalize("NFKC", c)
        whole = all(re.match(r"\w", x) or unicodedata.category(x)[0] == "M" for x in form)
        text = f"x{c}y"
        placed = words_in_place(text)
        assert (len(placed) == 1) == whole, (c, placed)
        assert (placed[0].start, placed[-1].end) == (0, 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("İzmir İZMİR izmir", ["izmir"] * 3),
        ("I\u0307zmir", ["izmir"]),
        ("ΐ\u03b1 Ϊ\u0301α", ["ΐα"] * 2),  # iota with two marks, in one character and in three
        ("ǰ J\u030c", ["ǰ"] * 2),
        ("ß SS ẞ ﬀ FF", ["ss"] * 3 + ["ff"] * 2),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("\u0958 \u0915\u093c", ["\u0915\u093c"] * 2),  # never composed
        ("ख़बर", ["\u0916\u093cबर"]),
        ("مُحَمَّد محمد", ["محمد"] * 2),
        ("שָׁלוֹם שלום", ["שלום"] * 2),
        ("می\u200cخواهم", ["میخواهم"]),
        ("in\u00adfor\u00admation", ["information"]),
        ("a\u200bb", ["a", "b"]),
        ("1\ufe0f\u20e3", ["1"]),
        ("東京", ["東京"]),
        ("東京都で", ["東京", "京都", "都で"]),
        ("火", ["火"]),
        ("3人死亡,iPhone手机", ["3", "人死", "死亡", "iphone", "手机"]),
        ("ｶﾞｽ漏れ", ["ガス", "ス漏", "漏れ"]),
        ("ไฟ ไฟไหม้", ["ไฟ", "ไฟไ", "ฟไห", "ไหม้"]),
        ("น้ำท่วม", ["น\u0e49\u0e4d\u0e32ท\u0e48ว", "ท\u0e48วม"]),
        ("๑๒ คน", ["๑๒", "คน"]),
        ("서울에서 화재", ["서울에서", "화재"]),
        ("é e\u0301 e", ["é", "é", "e"]),
        ("Diyarbakır", ["diyarbakır"]),
    ],
)
def test_words_that_a_person_can_tell(text, expected):
    assert words(text) == expected


@given(TEXT)
def test_folding_twice_is_folding_once(text):
    assert words(normalised(text)) == words(text)
