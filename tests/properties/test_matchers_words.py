"""The normaliser over all of Unicode."""

from hypothesis import given
from hypothesis import strategies as st

from matchers import normalised, words
from matchers.stream import MARK, coded, stream
from matchers.words import has_words, words_in_place
from tests.reference import matching as slow

# Letters whose normal form depends on their neighbours, or has another length.
CLUSTERS = st.text(
    "aeo\u0301\u0327\u0323\u0345İßﬃ½²℡㍿ﷺ\uff76\uff9e\u1100\u1161\u11a8\uffa1\uffc2"
    "\u3131\u314f\u0b47\u0b3e\u0dd9\u0dcf\u0dca\u0ddc한 -_\0"
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


@given(st.lists(TEXT), st.lists(TEXT))
def test_streams_have_the_words_of_every_text(first, second):
    streams = [stream(first), stream(second)]
    found = coded([read.words() for read in streams])
    assert len(set(found.words)) == len(found.words)
    every = [found.words[number].decode("utf-8", "surrogatepass") for number in found.number]
    points = ["".join(map(chr, read.points())) for read in streams]
    assert " ".join(["", *every, ""]) == points[0] + points[1][1:] or not every
    parts: list[list[str]] = [[]]
    for word in every:
        if word == MARK:
            parts.append([])
        else:
            parts[-1].append(word)
    assert parts.pop() == []
    rows = [read.row.tolist() for read in streams]
    assert [sorted(row) for row in rows] == [list(range(len(first))), list(range(len(second)))]
    texts = [*(first[i] for i in rows[0]), *(second[i] for i in rows[1])]
    assert parts == [words(text) for text in texts]


@given(TEXT)
def test_normalised_words_are_words(text):
    assert all(words(word) for word in words(text))
