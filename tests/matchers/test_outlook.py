"""Sums in bits, against sums of single pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

import matchers
from matchers import outlook
from matchers.learned_lexical import LexicalBlock
from matchers.outlook import UNIT, Dearest, Outlook, Present
from tests import strategies as st

WORTH = st.integers(0, 90).map(lambda units: units * UNIT)
SHAPES = st.tuples(st.integers(1, 140), st.integers(1, 5), st.integers(1, 6))


@st.composite
def cases(draw):
    """Texts x terms, nuggets x terms, and whatever terms, texts and nuggets are worth."""
    texts, nuggets, terms = draw(SHAPES)
    chance = np.random.default_rng(draw(st.integers(0, 99)))
    has = chance.random((texts, terms)) < draw(st.sampled_from([0.1, 0.5, 1]))
    wanted = chance.random((nuggets, terms)) < draw(st.sampled_from([0.0, 0.5, 1]))
    each, heaviest = (draw(st.lists(WORTH, min_size=terms, max_size=terms)) for _ in range(2))
    own = draw(st.lists(WORTH, min_size=texts, max_size=texts))
    least = draw(st.lists(WORTH, min_size=nuggets, max_size=nuggets))
    marked = chance.integers(0, 2, terms).astype(float)
    return has, wanted, *map(np.array, (each, heaviest, own, least)), marked


@given(cases(), st.sampled_from([1, 64, 1 << 14]), st.integers(1, 3))
def test_it_is_the_sum_of_what_is_there(case, registers, parts):
    """In whole units nothing is rounded, so no pair more is told of either."""
    has, wanted, each, heaviest, own, least, marked = case
    incidence = sparse.csr_array(wanted.astype(np.int64))
    mark = np.arange(len(wanted)) * UNIT
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outlook, "_REGISTERS", registers)
        told = Outlook.of(incidence, each, heaviest, marked, mark)
        matrices = [sparse.csr_array(rows.astype(np.int64)) for rows in np.array_split(has, parts)]
        text, nugget = told.reaching(Present.of(matrices), own - 1, least)
    expected = set()
    for t, row in enumerate(has):
        for n, asked in enumerate(wanted):
            both = row & asked
            total = own[t] - 1 + (each + marked * mark[n])[both].sum()
            total += heaviest[both].max(initial=0)
            if total >= least[n]:
                expected.add((t, n))
    assert set(zip(text.tolist(), nugget.tolist(), strict=True)) == expected
    assert len(text) == len(expected)


@given(cases(), st.integers(1, 7))
def test_pairs_are_left_that_can_spare_what_they_lack(case, most):
    has, wanted, weight, _, spare, share, _ = case
    dearest = Dearest.of(sparse.csr_array(wanted.astype(np.int64)), weight, share, most)
    present = Present.of([sparse.csr_array(has.astype(np.int64))], dearest.asked)
    text, nugget = np.indices((len(has), len(wanted))).reshape(2, -1)
    kept = dearest.left(present, text, nugget, spare[text])
    expected = []
    for place, (t, n) in enumerate(zip(text, nugget, strict=True)):
        heaviest = sorted(np.flatnonzero(wanted[n]), key=lambda term: -weight[term])[:most]
        lost = sum(weight[term] * share[n] for term in heaviest if not has[t, term])
        if lost <= spare[t]:
            expected.append(place)
    assert kept.tolist() == expected


def test_letters_are_looked_at_where_words_leave_room(monkeypatch):
    """Of 200 x 50 pairs, most of which have words in common, letters of few are counted."""
    chance = np.random.default_rng(1)
    vocabulary = np.array([f"{a}{b}{c}" for a in "bdfgklmn" for b in "aeiou" for c in "prstz"])
    shares = 1 / np.arange(1, len(vocabulary) + 1)

    def text(size):
        return " ".join(chance.choice(vocabulary, size, p=shares / shares.sum()))

    updates, nuggets = [text(20) for _ in range(200)], [text(7) for _ in range(50)]
    counted = {"words": 0, "letters": 0}
    numbers, letters = LexicalBlock._promising, LexicalBlock.grams

    def promising(self, wanted):
        found = numbers(self, wanted)
        counted["words"] += len(found[0])
        return found

    def grams(self, update, nugget):
        counted["letters"] += len(update)
        return letters(self, update, nugget)

    monkeypatch.setattr(LexicalBlock, "_promising", promising)
    monkeypatch.setattr(LexicalBlock, "grams", grams)
    found = matchers.get("learned").match(updates, nuggets)
    assert len(found) == 615
    assert counted["letters"] < 2 * len(found)
    assert counted["words"] < 4_000, "of 10,000"
