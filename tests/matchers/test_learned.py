"""The learned matcher with a sentence model, and cheap matchers before dear ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given

import matchers
from matchers import MatcherError, contract, learned, sentence_models
from matchers.collection import weight
from matchers.learned import ALIGNED, SIGNS, Coefficients, shipped
from tests import strategies as st
from tests.matchers.stand_in import Network, Tokenizer, kept, windows
from tests.oracles import matching as slow
from tests.oracles.matching import triples
from tseval.families.temporal.matched import read_judged
from tseval.matching.calibration import calibrate, record, sections

pytestmark = pytest.mark.usefixtures("model")

WORD = st.text("ab", min_size=1, max_size=2)
TEXTS = st.lists(st.lists(WORD, max_size=7).map(" ".join), max_size=4)
EACH = st.fixed_dictionaries(
    {
        name: {1: st.floats(0, 9), -1: st.floats(-9, 0), 0: st.floats(-9, 9)}[SIGNS.get(name, 0)]
        for name in ALIGNED
    }
)
CHEAP = ["fuzzy(threshold=0.4)", "exact(contained=true)", "grams(n=2,threshold=0.2)"]


@pytest.fixture
def belongs(model: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The model, which the coefficients then belong to."""
    trained(model, monkeypatch, -3, dict.fromkeys(ALIGNED, 0.5) | {"digits_missing": -0.5})
    return model


def trained(
    model: Path, patch: pytest.MonkeyPatch, constant: float, each: dict[str, float]
) -> None:
    found = matchers.get("late", model=str(model))
    hashes = {"name": "mine", "sha256": found.sha256, "settings": found.settings}  # type: ignore[attr-defined]
    patch.setattr(
        learned, "shipped", lambda _: Coefficients(constant, each, "0123456789abcdef", hashes)
    )


def alignment(update: str, nugget: str, gold: list[str]) -> float:
    asked = [Tokenizer.number(word) for word in slow.words(nugget)]
    said = [{Tokenizer.number(word) for word in slow.words(text)} for text in gold]
    weights = {number: weight(len(gold), sum(number in each for each in said)) for number in asked}
    return slow.late(windows(update), asked, weights, kept)


@given(TEXTS, TEXTS, TEXTS, st.sampled_from([0, 0.05, 0.5]), st.floats(-20, 5), EACH)
def test_is_the_slow_one(
    model: Path,
    updates: list[str],
    nuggets: list[str],
    others: list[str],
    threshold: float,
    constant: float,
    each: dict[str, float],
) -> None:
    """Whatever the coefficients, as long as they have their signs: pruning loses no pair."""
    gold = nuggets + others
    expected = {}
    for u, update in enumerate(updates):
        for n, nugget in enumerate(nuggets):
            expected[u, n] = 0.0
            if slow.words(update) and slow.words(nugget):
                told = slow.told_by_words(update, nugget, gold) | slow.among(nuggets, n, gold)
                told["alignment"] = alignment(update, nugget, gold)
                expected[u, n] = slow.logistic(constant, each, told)
    with pytest.MonkeyPatch.context() as patch:
        trained(model, patch, constant, each)
        matcher = matchers.get("learned", model=str(model), threshold=threshold)
        found = triples(matcher.match(updates, nuggets, collection=gold))
    assert all(score == pytest.approx(expected[u, n], abs=1e-4) for u, n, score in found)
    left = expected.keys() - {pair[:2] for pair in found}
    assert all(expected[pair] < threshold + 1e-4 for pair in left)


@given(TEXTS, TEXTS, TEXTS, st.integers(1, 3), st.randoms())
def test_neither_blocks_nor_order_nor_other_updates_change_a_score(
    model: Path,
    updates: list[str],
    nuggets: list[str],
    others: list[str],
    rows: int,
    chance: Any,
) -> None:
    """Other nuggets do: those that are given together stand for the topic."""
    with pytest.MonkeyPatch.context() as patch:
        trained(model, patch, -2, dict.fromkeys(ALIGNED, 0.4) | {"digits_missing": -0.4})
        matcher = matchers.get("learned", model=str(model), threshold=0)
        whole = {(u, n): score for u, n, score in triples(matcher.match(updates, nuggets))}
        more = list(enumerate(updates + others))
        turned = list(enumerate(nuggets))
        chance.shuffle(more)
        chance.shuffle(turned)
        patch.setattr(contract, "ROWS", rows)
        patch.setattr(sentence_models, "_UPDATES", rows)
        mixed = matcher.match([text for _, text in more], [text for _, text in turned])
        again = {(more[u][0], turned[n][0]): score for u, n, score in triples(mixed)}
    assert {pair: again[pair] for pair in whole} == whole


@pytest.mark.parametrize("name", ["late", "learned"])
@given(TEXTS, TEXTS, st.sampled_from(CHEAP), st.sampled_from([0, 0.1, 0.5]))
def test_candidates_alone_are_scored_and_as_without(
    name: str, model: Path, updates: list[str], nuggets: list[str], cheap: str, threshold: float
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        trained(model, patch, -2, dict.fromkeys(ALIGNED, 0.4) | {"digits_missing": -0.4})
        given_so = {"model": str(model), "threshold": threshold}
        every = matchers.get(name, **given_so).match(updates, nuggets)
        some = matchers.get(name, candidates=cheap, **given_so).match(updates, nuggets)
    passed = {(u, n) for u, n, _ in triples(matchers.get(cheap).match(updates, nuggets))}
    expected = {(u, n): s if (u, n) in passed else 0.0 for u, n, s in triples(every)}
    kept = {pair: s for pair, s in expected.items() if s >= threshold}
    assert {(u, n): s for u, n, s in triples(some)} == kept


def test_only_candidates_are_read(model: Path) -> None:
    matcher = matchers.get("late", model=str(model), candidates="exact(contained=true)")
    updates = ["abba ab bbb", "bbb bb abba", "bb bb bb abba"]
    before = Network.asked
    assert len(matcher.match(updates, ["abba bbb"])) == 0
    first = Network.asked
    assert first - before == 1, "the nugget alone"
    assert len(matcher.match([*updates, "ab abba bbb"], ["abba bbb"])) == 1
    assert Network.asked - first == 1


def test_calibration_tells_what_candidates_let_through(model: Path) -> None:
    pool = [("u1", "a b"), ("u2", "aa bb"), ("u3", "ba")]
    gold = pd.DataFrame(
        {"topic": "t", "nugget_id": ["n1", "n2"], "text": ["a b", "bb"], "time": 1_700_000_000}
    )
    updates = pd.DataFrame([("t", *row) for row in pool], columns=["topic", "update_id", "text"])
    said = [("u1", "n1"), ("u2", "n2"), ("u3", "n2")]
    matches = pd.DataFrame(
        [("t", *row) for row in said], columns=["topic", "update_id", "nugget_id"]
    )
    name = f"late(model={model},candidates=exact(contained=true))"
    found = calibrate(read_judged([updates], gold, matches), name)
    assert found.candidates == {
        "pairs": 6,
        "pairs let through": 2,
        "matches": 3,
        "matches let through": 2,
    }
    headings = sections([found])
    assert headings["What candidates let through"]["matches let through"].tolist() == [2]
    assert record(found)["candidates"] == found.candidates


def test_the_name_has_model_hashes_and_candidates(belongs: Path) -> None:
    name = f"learned(model={belongs},candidates=fuzzy(threshold=0.2))"
    matcher = matchers.get(name)
    assert "sha256=" in str(matcher)
    assert "candidates=fuzzy(word=80,threshold=0.2)" in str(matcher)
    assert matchers.get(str(matcher)) == matcher


def test_another_model_is_refused(model: Path) -> None:
    with pytest.raises(MatcherError, match="coefficients belong to all-MiniLM-L6-v2") as refused:
        matchers.get("learned", model=str(model))
    assert "take late(model=...)" in str(refused.value)


@pytest.mark.parametrize("given_so", ["precision=bf16", "candidates=fuzzy", "sha256=ab"])
def test_what_only_a_model_has_is_refused_without(given_so: str) -> None:
    with pytest.raises(MatcherError, match="mean something with a sentence model alone"):
        matchers.get(f"learned({given_so})")


def test_the_coefficients_have_their_signs_and_say_what_they_were_made_of() -> None:
    for name in ("learned.json", "learned-aligned.json"):
        found = shipped(name)
        assert all(
            found.each[each] * sign >= 0 for each, sign in SIGNS.items() if each in found.each
        )
        assert len(found.sha256) == 64
    assert set(shipped("learned-aligned.json").each) == set(ALIGNED)
    assert set(shipped("learned-aligned.json").model) == {"name", "sha256", "settings"}


def test_the_evidence_has_the_score(belongs: Path) -> None:
    matcher = matchers.get("learned", model=str(belongs))
    told = matcher.explain("bb aa ab", "aa b", collection=["aa b", "ab"])
    found = matcher.with_threshold(0).match(["bb aa ab"], ["aa b"], collection=["aa b", "ab"])
    assert told.score == found.score[0]
    assert [word.nugget_word for word in told.missing] == ["b"]


def test_a_small_gold_scores_like_a_large_one() -> None:
    """What stands word for word in an update is found, however few nuggets there are."""
    text = "The dam above Corvale broke after two days of rain"
    gold = [text, "Three bridges are closed", "Schools stay shut until Monday"]
    assert matchers.get("learned").match([text], [text], collection=gold).score[0] > 0.5
