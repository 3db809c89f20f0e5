"""The fast matchers against the slow ones, and what no batch, block or order may change."""

import random
import warnings

import numpy as np
import pytest
from hypothesis import given, settings

import matchers
from matchers import (
    containment,
    contract,
    learned,
    parameters,
    similar,
    steps,
    texts,
)
from matchers.registry import BUILT_IN
from matchers.whole_texts import SCORERS, USELESS
from tests import strategies as st
from tests.oracles import matching as slow
from tests.oracles.matching import triples

# Few letters, so that words are often alike; digits, accents, other scripts, emoji, marks.
LETTERS = st.text("aabcde", min_size=1, max_size=9)
ODD = st.sampled_from(
    [
        "4",
        "73",
        "247",
        "a1b2c",
        "É",
        "e\u0301tude",
        "ﬁre",
        "ẞtrasse",
        "قطار",
        "地震发生了",
        "东京发生",
        "แผ่นดินไหว",
        "ดินไหวแรง",
        "हिन्दी",
        "İa",
        "🔥",
        "\0",
        *("$15m", "1,200", "2.3%", "don't", "twenty-five", "four"),
    ]
)
TEXT = st.one_of(st.lists(st.one_of(LETTERS, ODD), max_size=8).map(" ".join), st.text(max_size=12))
TEXTS = st.lists(TEXT, max_size=7)
THRESHOLD = st.sampled_from([0.0, 0.001, 0.3, 0.55, 0.8, 1.0])


def quiet(name, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return matchers.get(name, **parameters)


@given(TEXTS, TEXTS, st.none() | TEXTS, THRESHOLD, st.sampled_from([50, 66.6, 80, 85, 100]))
def test_fuzzy_is_the_slow_one(updates, nuggets, collection, threshold, word):
    matcher = matchers.get("fuzzy", word=word, threshold=threshold)
    gold = nuggets if collection is None else collection
    expected = slow.pairs(lambda u, n: slow.fuzzy(u, n, gold, word), updates, nuggets, threshold)
    assert triples(matcher.match(updates, nuggets, collection=collection)) == expected


@given(TEXTS, TEXTS, st.none() | TEXTS, THRESHOLD, st.floats(0, 2) | st.floats(0, 1000))
def test_doubt_is_the_slow_one(updates, nuggets, collection, threshold, doubt):
    matcher = matchers.get("fuzzy", doubt=doubt, threshold=threshold)
    gold = nuggets if collection is None else collection
    expected = slow.pairs(
        lambda u, n: slow.fuzzy(u, n, gold, doubt=doubt), updates, nuggets, threshold
    )
    assert triples(matcher.match(updates, nuggets, collection=collection)) == expected


@given(TEXTS, TEXTS, THRESHOLD, st.sampled_from([*steps.STEPS, "numerals+decimals", "all"]))
def test_steps_are_taken_before_all_else(updates, nuggets, threshold, asked):
    given_so, written_so = (
        matchers.get("fuzzy", threshold=threshold, steps=each) for each in (asked, "")
    )
    name = given_so.rewriting
    said, wanted = ([steps.rewritten(text, name) for text in each] for each in (updates, nuggets))
    found = given_so.match(updates, nuggets)
    assert triples(found) == triples(written_so.match(said, wanted))
    for text in updates:
        traced = steps.traced(text, name)
        assert traced.text == steps.rewritten(text, name)
        assert len(traced.origins) == len(traced.text)


COEFFICIENTS = st.fixed_dictionaries(
    {
        name: {1: st.floats(0, 9), -1: st.floats(-9, 0), 0: st.floats(-9, 9)}[
            learned.SIGNS.get(name, 0)
        ]
        for name in learned.LEXICAL
    }
)


@given(TEXTS, TEXTS, st.none() | TEXTS, THRESHOLD, st.floats(-30, 9), COEFFICIENTS)
def test_learned_is_the_slow_one(updates, nuggets, collection, threshold, constant, each):
    """Whatever the coefficients, as long as they have their signs: pruning loses no pair."""
    gold = nuggets if collection is None else collection
    said, wanted, weighed = (
        [steps.rewritten(text, steps.ALL) for text in texts] for texts in (updates, nuggets, gold)
    )
    every = {
        (u, n): score
        for u, n, score in slow.pairs(
            lambda u, n: slow.learned(u, n, weighed, constant, each), said, wanted, 0
        )
    }
    with pytest.MonkeyPatch.context() as patch:
        model = learned.Coefficients(constant, each)
        patch.setattr(learned, "shipped", lambda _: model)
        matcher = matchers.get("learned", threshold=threshold)
        found = triples(matcher.match(updates, nuggets, collection=collection))
    assert all(score == pytest.approx(every[u, n], abs=2e-10) for u, n, score in found)
    left = every.keys() - {pair[:2] for pair in found}
    assert all(every[pair] < threshold + 1e-9 for pair in left)
    assert all(score >= threshold for _, _, score in found)


@given(
    *(TEXTS, TEXTS, st.sampled_from([0.001, 0.05, 0.5, 0.999]), st.floats(-30, 9), COEFFICIENTS),
    *(st.integers(1, 4), st.sampled_from([1, 1 << 14])),
)
def test_learned_leaves_no_pair_out(updates, nuggets, threshold, constant, each, window, looked_at):
    """With several windows an update, of which one may have the words and another the letters."""
    with pytest.MonkeyPatch.context() as patch:
        model = learned.Coefficients(constant, each)
        patch.setattr(learned, "shipped", lambda _: model)
        patch.setattr(learned, "WINDOW", window)
        patch.setattr(learned, "_LOOKED_AT", looked_at)
        patch.setattr(texts, "CELLS", looked_at)
        every = triples(matchers.get("learned", threshold=0).match(updates, nuggets))
        found = triples(matchers.get("learned", threshold=threshold).match(updates, nuggets))
    assert found == [triple for triple in every if triple[2] >= threshold]


@given(TEXTS, TEXTS, st.none() | TEXTS, THRESHOLD, st.sampled_from([2, 3, 4, 7]))
def test_grams_is_the_slow_one(updates, nuggets, collection, threshold, n):
    matcher = matchers.get("grams", n=n, threshold=threshold)
    gold = nuggets if collection is None else collection
    expected = slow.pairs(lambda u, w: slow.gram(u, w, gold, n), updates, nuggets, threshold)
    assert triples(matcher.match(updates, nuggets, collection=collection)) == expected


@given(TEXTS, TEXTS, st.booleans(), THRESHOLD)
def test_exact_is_the_slow_one(updates, nuggets, contained, threshold):
    matcher = matchers.get("exact", contained=contained, threshold=threshold)
    expected = slow.pairs(lambda u, n: slow.exact(u, n, contained), updates, nuggets, threshold)
    assert triples(matcher.match(updates, nuggets)) == expected


@settings(max_examples=30)
@pytest.mark.parametrize("scorer", SCORERS)
@given(TEXTS, TEXTS, THRESHOLD)
def test_scorers_are_rapidfuzz_to_the_last_digit(scorer, updates, nuggets, threshold):
    matcher = quiet("rapidfuzz", scorer=scorer, threshold=threshold)
    expected = slow.pairs(lambda u, n: slow.scorer(scorer, u, n), updates, nuggets, threshold)
    assert triples(matcher.match(updates, nuggets)) == expected


@given(TEXTS, TEXTS)
def test_rounding_stays_below_the_last_decimal(updates, nuggets):
    found = matchers.get("fuzzy(threshold=0)").match(updates, nuggets)
    for u, n, score in triples(found):
        assert score == pytest.approx(
            slow.exact_fuzzy(updates[u], nuggets[n], nuggets), abs=1.5e-10
        )


@given(TEXTS, TEXTS, THRESHOLD, st.integers(1, 5))
def test_windows_are_the_slow_ones(updates, nuggets, threshold, size):
    for name, score in (("fuzzy", slow.fuzzy), ("grams", slow.gram)):
        expected = slow.pairs(
            lambda u, n, score=score: slow.best_window(lambda w: score(w, n, nuggets), u, size),
            updates,
            nuggets,
            threshold,
        )
        matcher = matchers.get(name, window=size, threshold=threshold)
        assert triples(matcher.match(updates, nuggets)) == expected


@given(TEXTS, TEXTS, THRESHOLD, st.floats(0.01, 100))
def test_blend_is_the_slow_one(updates, nuggets, threshold, weight):
    matcher = matchers.get(f"blend({weight!r}*fuzzy,grams,threshold={threshold})")
    every = slow.pairs(
        lambda u, n: slow.mean(
            [(weight, slow.fuzzy(u, n, nuggets)), (1, slow.gram(u, n, nuggets))]
        ),
        updates,
        nuggets,
        0,
    )
    low, high = (
        [pair for pair in every if pair[2] >= threshold + slack] for slack in (1e-9, -1e-9)
    )
    found = triples(matcher.match(updates, nuggets))
    assert {pair[:2] for pair in low} <= {pair[:2] for pair in found} <= {p[:2] for p in high}
    expected = {pair[:2]: pair[2] for pair in every}
    assert all(score == pytest.approx(expected[u, n], abs=2e-10) for u, n, score in found)


ALL = [
    *("exact", "exact(contained=true)", "fuzzy", "fuzzy(word=66)", "grams", "rapidfuzz"),
    *("fuzzy(window=3)", "grams(window=2)", "blend(fuzzy,0.5*grams)", "fuzzy(doubt=0.5)"),
    *(
        "fuzzy(window=2,doubt=2)",
        "fuzzy(steps=all)",
        "grams(n=3,window=3,steps=numerals)",
        "learned",
    ),
    "blend(exact,2*blend(fuzzy(window=2),grams(n=3)))",
]
ANY = st.builds(lambda name, x: quiet(name).with_threshold(x), st.sampled_from(ALL), THRESHOLD)


def test_every_matcher_that_needs_no_model_is_held_to_what_follows():
    others = {"assessed", "embedding", "late", "llm"}
    assert {parameters.parse(name).name for name in ALL} == set(BUILT_IN) - others


@given(
    *(ANY, TEXTS, TEXTS, st.integers(1, 4), st.integers(1, 9), st.sampled_from([0.0, 0.3, 0.9])),
    *(st.integers(1, 3), st.sampled_from([0, 12])),
)
def test_blocks_and_threads_change_nothing(
    matcher, updates, nuggets, rows, cells, light, count, dear
):
    whole = triples(matcher.match(updates, nuggets))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contract, "ROWS", rows)
        patch.setattr(containment, "LIGHT", light)
        patch.setattr(containment, "_CELLS", cells)
        patch.setattr(texts, "CELLS", cells)
        patch.setattr(texts, "cores", lambda: count)
        patch.setattr(containment, "_TABLE", 1 + dear * cells)
        patch.setattr(containment, "WORDS_KEPT", rows)
        patch.setattr(similar, "_MARKS", rows)
        patch.setattr(similar, "_LOT", cells)
        patch.setattr(similar, "_DEAR", dear)
        patch.setattr(similar, "_COMPARED", rows)
        assert triples(matcher.match(updates, nuggets)) == whole


@given(ANY, TEXTS, TEXTS, TEXTS, st.randoms(use_true_random=False))
def test_order_and_other_texts_change_nothing(matcher, updates, nuggets, others, chance):
    whole = {(u, n): s for u, n, s in triples(matcher.match(updates, nuggets))}
    more = list(enumerate(updates + others))
    chance.shuffle(more)
    mixed = matcher.match([text for _, text in more], nuggets, collection=nuggets)
    again = {(more[u][0], n): s for u, n, s in triples(mixed)}
    assert {pair: s for pair, s in again.items() if pair[0] < len(updates)} == whole


@given(ANY, TEXTS, TEXTS, TEXTS)
def test_other_nuggets_change_nothing_while_the_collection_stays(matcher, updates, a, b):
    whole = matcher.match(updates, a, collection=a + b)
    more = triples(matcher.match(updates, a + b, collection=a + b))
    assert [triple for triple in more if triple[1] < len(a)] == triples(whole)


@given(ANY, TEXTS, TEXTS, st.integers(1, 4))
def test_first_only_is_the_first_of_all(matcher, updates, nuggets, rows):
    expected = slow.first_pairs(triples(matcher.match(updates, nuggets)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contract, "ROWS", rows)
        assert triples(matcher.match(updates, nuggets, first_only=True)) == expected


@given(ANY, TEXTS, TEXTS)
def test_scores_are_shares_and_repeats_score_alike(matcher, updates, nuggets):
    once = triples(matcher.match(updates, nuggets))
    assert all(0 <= score <= 1 for _, _, score in once)
    twice = triples(matcher.match(updates * 2, nuggets))
    assert twice == once + [(u + len(updates), n, s) for u, n, s in once]


@given(ANY, TEXT, TEXT, TEXTS)
def test_the_evidence_has_the_score(matcher, update, nugget, others):
    gold = [nugget, *others]
    found = matcher.with_threshold(0).match([update], [nugget], collection=gold)
    told = matcher.explain(update, nugget, collection=gold)
    assert told.score == found.score[0]
    for word in told.matched:
        start, end = word.span
        assert 0 <= start < end <= len(update)
    if told.matched:
        assert told.span == (
            min(word.span[0] for word in told.matched),
            max(word.span[1] for word in told.matched),
        )
    else:
        assert told.span is None


@given(TEXT, TEXT, TEXTS)
def test_the_evidence_adds_up(update, nugget, others):
    for name in ("fuzzy(word=66)", "grams"):
        told = matchers.get(name).explain(update, nugget, collection=[nugget, *others])
        if told.found + told.lacking > 0:
            assert told.found / (told.found + told.lacking) == pytest.approx(told.score, abs=2e-10)


@given(
    st.lists(st.text("abcdeéß𐐨", min_size=4, max_size=20), unique=True, max_size=12),
    st.lists(st.text("abcdeéß𐐨", min_size=4, max_size=20), unique=True, max_size=12),
    st.floats(50, 100),
    *(st.sampled_from([0, 10]), st.sampled_from([1, 2, 4096])),
)
def test_ruling_words_out_loses_none(left, right, cutoff, dear, lot):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similar, "_DEAR", dear)
        patch.setattr(similar, "_LOT", lot)
        near = similar.similar_pairs(
            similar.Vocabulary.of(left), similar.Vocabulary.of(right), cutoff
        )
    found = dict(zip(zip(near.left, near.right, strict=True), near.similarity, strict=True))
    expected = {
        (i, j): slow.similarity(a, b, cutoff)
        for i, a in enumerate(left)
        for j, b in enumerate(right)
        if slow.similarity(a, b, cutoff) > 0
    }
    assert found == expected


@given(
    st.sampled_from([*ALL, "blend(0.1*fuzzy(window=7),1e-9*exact)"]),
    st.floats(0, 1),
)
def test_every_matcher_prints_and_parses_itself(name, threshold):
    matcher = matchers.get(name, threshold=threshold)
    assert matchers.get(str(matcher)) == matcher
    assert hash(matchers.get(str(matcher))) == hash(matcher)
    assert str(matchers.get(str(matcher))) == str(matcher) == matcher.signature


def test_long_random_lists_agree():
    chance = random.Random(4)
    stems = ["".join(chance.choices("aeioulnrst", k=chance.randint(2, 11))) for _ in range(120)]

    def sentence(length):
        drawn = chance.choices(stems, k=chance.randint(0, length))
        return " ".join(w + chance.choice(["", "", "s", "ed", "é", "1"]) for w in drawn)

    updates = [sentence(25) for _ in range(150)]
    nuggets = [sentence(8) for _ in range(25)]
    found = matchers.get("fuzzy").match(updates, nuggets)
    assert triples(found) == slow.pairs(
        lambda u, n: slow.fuzzy(u, n, nuggets), updates, nuggets, 0.55
    )
    assert 0 < len(found) < 150 * 25
    assert np.all(np.diff(found.update * 25 + found.nugget) > 0)


def test_useless_scorers_are_scorers():
    assert set(USELESS) < set(SCORERS)
