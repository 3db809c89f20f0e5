"""What texts cost, counted in the bytes of whole columns, held to counting text by text."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given

from tests import strategies as st
from tseval.families.temporal import words
from tseval.families.temporal.words import LETTERS, character_counts, word_counts
from tseval.tables import Texts

SLOW = {
    LETTERS: lambda text: len(re.findall(r"\w+", unicodedata.normalize("NFKC", text))),
    "tokens": lambda text: len(text.encode("utf-8", "surrogatepass").split()),
    "blanks": lambda text: text.count(" ") + 1,
}
PIECES = (
    "a",
    "Ab",
    "_",
    "7",
    " ",
    "  ",
    "\t",
    "-",
    "'",
    ".",
    "½",
    "é",
    "e\u0301",
    "中文",
    "🙂",
    "\ud800",
)
TEXT = st.one_of(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.text(max_size=12))


@st.composite
def columns(draw: st.DrawFn) -> Texts:
    """Columns of several blocks, of which some rows were taken, in any order and repeatedly."""
    parts = draw(st.lists(st.lists(TEXT, min_size=1, max_size=6), min_size=1, max_size=3))
    column = Texts.join([Texts.of(part) for part in parts])
    rows = draw(st.lists(st.integers(0, len(column) - 1), max_size=8))
    return column.rows(np.array(rows, np.int64)) if draw(st.booleans()) else column


@given(columns(), st.sampled_from(sorted(SLOW)), st.integers(1, 4))
def test_words_are_those_of_each_text(column: Texts, kind: str, at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "ROWS_AT_ONCE", at_once)
        found = word_counts(column, kind)
    assert found.tolist() == [SLOW[kind](text) for text in column]


@given(columns())
def test_characters_are_those_of_each_text(column: Texts) -> None:
    assert character_counts(column).tolist() == [len(text) for text in column]
