"""Token alignment: windows of pieces, and scores that hang on two texts and the gold alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

import matchers
from matchers import MatcherError, contract, encoding, sentence_models
from matchers.collection import weight
from tests import strategies as st
from tests.matchers.stand_in import Network, Tokenizer, kept, windows
from tests.oracles import matching as slow
from tests.oracles.matching import triples

pytestmark = pytest.mark.usefixtures("model")

READ = sentence_models.read_tokenizer
WORD = st.text("ab", min_size=1, max_size=2)
TEXT = st.lists(WORD, max_size=9).map(" ".join)
TEXTS = st.lists(TEXT, max_size=5)


def named(model: Path, threshold: float = 0) -> matchers.Matcher:
    return matchers.get("late", model=str(model), threshold=threshold)


@given(TEXTS, TEXTS, st.none() | TEXTS, st.sampled_from([0, 0.2, 0.6, 1]))
def test_is_the_slow_one(
    model: Path,
    updates: list[str],
    nuggets: list[str],
    collection: list[str] | None,
    threshold: float,
) -> None:
    gold = nuggets if collection is None else collection
    numbers = [[Tokenizer.number(word) for word in slow.words(text)] for text in nuggets]
    said = [{Tokenizer.number(word) for word in slow.words(text)} for text in gold]
    weights = {
        number: weight(len(gold), sum(number in each for each in said))
        for number in {number for each in numbers for number in each}
    }
    expected = {
        (u, n): slow.late(windows(update), asked, weights, kept)
        for u, update in enumerate(updates)
        for n, asked in enumerate(numbers)
    }
    found = triples(named(model, threshold).match(updates, nuggets, collection=collection))
    assert all(score == pytest.approx(expected[u, n], abs=2e-5) for u, n, score in found)
    assert all(score >= threshold for _, _, score in found)
    left = expected.keys() - {pair[:2] for pair in found}
    assert all(expected[pair] < threshold + 2e-5 for pair in left)


@given(TEXTS, TEXTS, TEXTS, st.integers(1, 4), st.integers(1, 40), st.randoms())
def test_neither_blocks_nor_order_nor_other_texts_change_a_score(
    model: Path,
    updates: list[str],
    nuggets: list[str],
    others: list[str],
    rows: int,
    cells: int,
    chance: object,
) -> None:
    matcher = named(model)
    whole = {(u, n): score for u, n, score in triples(matcher.match(updates, nuggets))}
    more = list(enumerate(updates + others))
    chance.shuffle(more)  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contract, "ROWS", rows)
        patch.setattr(sentence_models, "_CELLS", cells)
        patch.setattr(sentence_models, "_UPDATES", rows)
        texts = [text for _, text in more]
        mixed = triples(matcher.match(texts, nuggets + others, collection=nuggets))
    again = {(more[u][0], n): score for u, n, score in mixed}
    assert {pair: again[pair] for pair in whole} == whole


@given(TEXTS, TEXTS, st.sampled_from([0.2, 0.6]))
def test_first_only_is_the_first_of_all(
    model: Path, updates: list[str], nuggets: list[str], threshold: float
) -> None:
    matcher = named(model, threshold)
    every = triples(matcher.match(updates, nuggets))
    assert triples(matcher.match(updates, nuggets, first_only=True)) == slow.first_pairs(every)


def test_a_nugget_that_stands_in_an_update_is_met_in_full(model: Path) -> None:
    found = named(model).match(["bb bb a ab ba bb", "", "🔥"], ["ab ba", ""])
    assert triples(found) == [
        *((0, 0, pytest.approx(1, abs=1e-3)), (0, 1, 0)),
        *((1, 0, 0), (1, 1, 0), (2, 0, 0), (2, 1, 0)),
    ]


def test_a_long_nugget_has_every_piece_once(model: Path) -> None:
    nugget = "a b aa ab ba bb"
    gold = named(model).prepare(matchers.Collection([nugget]), matchers.Collection([nugget]))
    assert isinstance(gold, sentence_models.LateGold)
    assert gold.counts.tolist() == [6]
    assert len(gold.pieces) == len(gold.weights) == 6


def test_a_second_process_reads_nothing_again(model: Path) -> None:
    matcher = named(model)
    before = triples(matcher.match(["a bb ab b a"], ["ab"]))
    asked = Network.asked
    encoding.encoder.cache_clear()
    assert triples(matcher.match(["a bb ab b a"], ["ab"])) == before
    assert Network.asked == asked


def test_reading_ahead_saves_reading_later(model: Path) -> None:
    matcher = named(model)
    matcher.read_ahead(["ba ba a", "ba ba a", "b b ab"])
    asked = Network.asked
    matcher.match(["b b ab", "ba ba a"], [])
    assert Network.asked == asked


def test_the_name_has_the_model_s_hashes(model: Path) -> None:
    matcher = named(model)
    assert matchers.get(str(matcher)) == matcher
    with pytest.raises(MatcherError, match=r"late: the model .* has the sha256"):
        matchers.get("late", model=str(model), sha256="ffff")


def test_a_folder_without_pieces_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    with pytest.raises(MatcherError, match=r"late cannot read '.*tokenizer.json'"):
        READ(tmp_path)
