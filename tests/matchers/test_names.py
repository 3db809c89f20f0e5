"""Matchers by name: what parses, what prints, and what the errors tell."""

import dataclasses
import pickle
from importlib import metadata
from importlib.metadata import EntryPoint, EntryPoints

import pytest

import matchers
from matchers import MatcherError, parameters, registry


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("fuzzy", "fuzzy(word=80,threshold=0.55)"),
        ("fuzzy()", "fuzzy(word=80,threshold=0.55)"),
        (" fuzzy ( threshold = .6 , word = 82.5 ) ", "fuzzy(word=82.5,threshold=0.6)"),
        ("exact", "exact(contained=false,threshold=1)"),
        ("exact(contained=true)", "exact(contained=true,threshold=1)"),
        ("grams", "grams(n=4,threshold=0.55)"),
        ("rapidfuzz", "rapidfuzz(scorer=token_set_ratio,threshold=0.7)"),
        ("assessed", "assessed"),
        ("fuzzy(window=40)", "fuzzy(word=80,threshold=0.55,window=40)"),
        ("blend(fuzzy,grams)", "blend(fuzzy(word=80),grams(n=4),threshold=0.5)"),
        (
            " blend( 0.7 * grams(n=5,threshold=0.1) , .3*fuzzy(window=9), threshold=0.4 )",
            "blend(0.7*grams(n=5),0.3*fuzzy(word=80,window=9),threshold=0.4)",
        ),
        (
            "blend(2*blend(fuzzy,0.5*exact),grams)",
            "blend(2*blend(fuzzy(word=80),0.5*exact(contained=false)),grams(n=4),threshold=0.5)",
        ),
    ],
)
def test_names_print_with_all_parameters_in_order(name, printed):
    assert str(matchers.get(name)) == printed
    assert matchers.get(printed) == matchers.get(name)


def test_parameters_as_arguments_are_the_same():
    assert matchers.get("fuzzy", threshold=0.6) == matchers.get("fuzzy(threshold=0.6)")
    assert matchers.get("fuzzy(word=90)", threshold=1) == matchers.Fuzzy(word=90, threshold=1.0)
    assert matchers.get("exact", contained=True) == matchers.get("exact(contained=True)")


def test_another_threshold():
    matcher = matchers.get("fuzzy(word=90)")
    assert str(matcher.with_threshold(0.7)) == "fuzzy(word=90,threshold=0.7)"
    assert matcher.threshold == 0.55  # type: ignore[attr-defined]
    with pytest.raises(MatcherError, match="fuzzy: threshold is a number from 0 to 1, not 2"):
        matcher.with_threshold(2)
    with pytest.raises(MatcherError, match="assessed has no threshold"):
        matchers.get("assessed").with_threshold(0.5)


def test_matchers_are_values():
    matcher = matchers.get("grams(n=5)")
    assert pickle.loads(pickle.dumps(matcher)) == matcher
    assert len({matcher, matchers.get("grams", n=5), matchers.get("grams")}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        matcher.n = 3  # type: ignore[attr-defined]


def test_known_names():
    assert matchers.names() == (
        *("assessed", "blend", "embedding", "exact", "fuzzy", "grams", "late", "learned", "llm"),
        "rapidfuzz",
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fuzy", "unknown matcher 'fuzy'; known: assessed, blend, embedding, exact, fuzzy, "),
        ("", "not a matcher's name: ''"),
        ("fuzzy(word=80", "not a matcher's name"),
        ("fuzzy)", "not a matcher's name"),
        ("fuzzy(a=(1)", "brackets do not pair up"),
        ("fuzzy(a=1)(b=2)", "brackets do not pair up"),
        ("fuzzy(word=)", "no value in"),
        ("fuzzy(word=80,)", "no value in"),
        ("fuzzy(word=80,word=80)", "word twice"),
        (
            "fuzzy(treshold=0.5)",
            "fuzzy: unknown parameter 'treshold'; it accepts word=(a number from 50 to 100), "
            "threshold=(a number from 0 to 1)",
        ),
        ("fuzzy(0.5)", "fuzzy: unknown parameter '0.5'; it accepts word="),
        ("fuzzy(word=high)", "fuzzy: word is a number from 50 to 100, not 'high'; it accepts"),
        ("fuzzy(threshold=nan)", "threshold is a number from 0 to 1, not 'nan'"),
        ("fuzzy(threshold=true)", "threshold is a number from 0 to 1, not 'true'"),
        ("grams(n=4.5)", "n is a whole number from 2 to 16, not '4.5'"),
        ("grams(n=1)", "n is a whole number from 2 to 16, not '1'"),
        ("exact(contained=maybe)", "contained is true or false, not 'maybe'"),
        ("rapidfuzz(scorer=cosine)", "scorer is one of QRatio, WRatio, partial_ratio"),
        ("blend", "blend needs matchers to blend, as in blend(fuzzy,grams)"),
        ("blend(0*fuzzy,grams)", "blend: a weight is a number above 0, not 0.0"),
        ("blend(nan*fuzzy)", "blend: a weight is a number above 0, not nan"),
        ("blend(x*fuzzy)", "a weight is a number, not 'x', in 'x*fuzzy'"),
        ("blend(assessed,fuzzy)", "assessed has no threshold"),
        ("blend(fuzzy,fuzy)", "unknown matcher 'fuzy'"),
        ("blend(fuzzy,words=3)", "blend: unknown parameter 'words'"),
        ("fuzzy(window=-1)", "window is a whole number from 0 to 10000, not '-1'"),
        ("assessed(threshold=1)", "unknown parameter 'threshold'; it accepts no parameters"),
    ],
)
def test_what_is_wrong_with_a_name(name, message):
    with pytest.raises(MatcherError) as caught:
        matchers.get(name)
    assert message in str(caught.value)


@pytest.mark.parametrize("value", [None, True, [0.5], float("inf")])
def test_python_values_are_checked_too(value):
    with pytest.raises(MatcherError, match="threshold is a number"):
        matchers.get("fuzzy", threshold=value)
    with pytest.raises(MatcherError, match="n is a whole number"):
        matchers.Grams(n=value)


def test_a_parameter_given_twice():
    with pytest.raises(MatcherError, match="word is given in the name and as an argument"):
        matchers.get("fuzzy(word=80)", word=80)


def test_names_in_names():
    parsed = parameters.parse("blend(fuzzy(word=85,threshold=0.5), grams ,threshold=0.4)")
    assert parsed.name == "blend"
    assert parsed.bare == ("fuzzy(word=85,threshold=0.5)", "grams")
    assert parsed.named == {"threshold": "0.4"}


@dataclasses.dataclass(frozen=True)
class Always(matchers.Fuzzy):
    name = "always"


class Elsewhere:
    """Stands for an installed package; its entry points are given, not read from disk."""

    def __init__(self, **entries: str) -> None:
        self._found = EntryPoints(
            EntryPoint(name, value, registry.GROUP) for name, value in entries.items()
        )

    def __call__(self, **wanted: str) -> EntryPoints:
        return self._found.select(**wanted)


def test_plug_ins(monkeypatch):
    here = f"{__name__}:Always"
    monkeypatch.setattr(metadata, "entry_points", Elsewhere(always=here, fuzzy=here))
    assert "always" in matchers.names()
    assert str(matchers.get("always(word=90)")) == "always(word=90,threshold=0.55)"
    assert type(matchers.get("fuzzy")) is matchers.Fuzzy


@pytest.mark.parametrize("value", ["no_such_module:Matcher", f"{__name__}:Elsewhere", "math:pi"])
def test_broken_plug_ins_are_named(monkeypatch, value):
    monkeypatch.setattr(metadata, "entry_points", Elsewhere(broken=value))
    with pytest.raises(MatcherError, match=f"matcher 'broken' \\({value}\\)"):
        matchers.get("broken")
