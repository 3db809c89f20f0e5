"""Steps of the normaliser: what each writes for what, and where the words stand in the original."""

from __future__ import annotations

import pytest

import matchers
from matchers import MatcherError, steps, words

CASES = {
    "amounts": {
        "$15m": "15 million",
        "€1.5bn, £3k": "1 5 billion 3 thousand",
        "US$2 trn": "us 2 trillion",
        "15m deep": "15m deep",
        "$15 million": "15 million",
        "$15mobile": "15mobile",
    },
    "decimals": {
        "1,200 dead": "1200 dead",
        "12,345,678.9": "12345678_9",
        "2.3 km": "2_3 km",
        "2.3.": "2_3",
        "10,20": "10 20",
        "1,2000": "1 2000",
        "1.2.2013": "1 2 2013",
        "1200.5": "1200_5",
    },
    "percent": {"5%": "5 percent", "5 per cent": "5 percent", "per centre": "per centre"},
    "contractions": {
        "don't, Don’T": "dont dont",
        "Syria's": "syria s",
        "O'Neill": "o neill",
        "an 'ton'": "an ton",
    },
    "numerals": {
        "four dogs": "4 dogs",
        "twenty-five": "25",
        "Twenty five": "25",
        "ninety": "90",
        "one": "one",
        "sixty-one": "61",
        "often, seventh, tenfold": "often seventh tenfold",
    },
}


@pytest.mark.parametrize(
    ("step", "text", "expected"),
    [(step, text, expected) for step, each in CASES.items() for text, expected in each.items()],
)
def test_what_is_written(step: str, text: str, expected: str) -> None:
    assert words(steps.rewritten(text, step)) == expected.split()


def test_every_step_has_cases() -> None:
    assert CASES.keys() == steps.STEPS.keys()


def test_a_name_has_the_steps_in_their_order() -> None:
    matcher = matchers.get("fuzzy(steps=numerals+decimals)")
    assert str(matcher) == "fuzzy(word=80,threshold=0.55,steps=decimals+numerals)"
    assert str(matchers.get("grams(steps=all)")).endswith(f"steps={steps.ALL})")
    assert "steps" not in str(matchers.get("fuzzy"))


def test_an_unknown_step_is_refused() -> None:
    with pytest.raises(MatcherError, match=r"steps is steps of the normaliser .* not 'stems'"):
        matchers.get("fuzzy(steps=stems)")


def test_evidence_stands_in_the_original() -> None:
    update = "Officials: $15m, and twenty-five percent don't pay"
    told = matchers.get("fuzzy(steps=all)").explain(update, "25% dont pay $15 million")
    assert told.score == 1
    places = {word.nugget_word: update[slice(*word.span)] for word in told.matched}
    assert places == {
        "25": "twenty-five",
        "percent": "percent",
        "dont": "don't",
        "pay": "pay",
        "15": "$15m",
        "million": "$15m",
    }


def test_a_blend_takes_the_steps_of_its_parts() -> None:
    found = matchers.get("blend(fuzzy(steps=numerals),fuzzy)").match(["four dogs"], ["4 dogs"])
    half = matchers.get("fuzzy").with_threshold(0).match(["four dogs"], ["4 dogs"]).score[0]
    assert found.score[0] == pytest.approx((1 + half) / 2)
