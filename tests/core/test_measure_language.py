"""Measures as values: what they print, parse, compare and refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given

from tests import cases, program
from tests import strategies as st
from tests.oracles import temporal as slow
from tseval.core import registry
from tseval.core.measure import Definition, Measure, Parameter, with_times
from tseval.core.registry import families, measure, measures
from tseval.core.scoring import scores_of
from tseval.errors import MeasureError, UsageError

pytestmark = pytest.mark.small_times

DEFINITIONS = [each for family in families().values() for each in family.values()]


NUMBERS = ("2", "0.5")
"""What a parameter may be that takes any number."""


@st.composite
def random_measures(draw: st.DrawFn, family: str | None = None) -> Measure:
    """Any measure of the registry with any arguments that it takes, at any time."""
    definition = draw(st.sampled_from([d for d in DEFINITIONS if family in (None, d.family)]))
    arguments = {
        parameter.name: ""
        if parameter.flag
        else draw(st.sampled_from(parameter.choices or NUMBERS))
        for parameter in definition.parameters
        if parameter.bare or draw(st.booleans())
    }
    needed = {p.name: arguments[p.name] for p in definition.parameters if p.bare}
    at = draw(st.sampled_from([None, "6h", "90m", "2d", "1.5h", "30s", "0", "2013-02-04T10:00Z"]))
    try:
        return Measure.of(definition, arguments, at)
    except MeasureError:
        return Measure.of(definition, needed, at)


@given(random_measures())
def test_a_measure_parses_what_it_prints(value: Measure) -> None:
    again = measure(str(value), value.family)
    assert again == value
    assert hash(again) == hash(value)
    assert str(again) == str(value)
    assert repr(value) == f"Measure({str(value)!r})"


def test_an_argument_may_turn_the_direction() -> None:
    flags = tuple(Parameter(name, "a flag", "", flag=True) for name in ("updates", "quiet"))
    plain = registry.definitions("temporal")["R"]
    turned = replace(plain, parameters=flags, turned_by=("quiet",))
    assert Measure(turned).higher_is_better
    assert Measure(turned)(updates=True).higher_is_better
    assert not Measure(turned)(updates=True, quiet=True).higher_is_better
    choice = Parameter("of", "what it is of", "all", choices=("all", "nil"))
    chosen = Measure(replace(plain, parameters=(choice,), turned_by=("of=nil",)))
    assert [chosen(of=value).higher_is_better for value in ("all", "nil")] == [True, False]
    assert chosen.higher_is_better
    falling = replace(turned, higher_is_better=False)
    assert not Measure(falling).higher_is_better
    assert Measure(falling)(quiet=True).higher_is_better


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda each: each.name)
def test_every_definition_says_what_a_reader_needs(definition: Definition) -> None:
    for words in (definition.summary, definition.formula, definition.empty_case):
        assert words.strip()
    assert definition.range.strip()
    assert definition.citation.strip()
    assert all(parameter.meaning for parameter in definition.parameters)


@given(cases.collections(), random_measures("temporal"))
def test_values_are_finite_within_range_and_never_undefined_numbers(
    collection: slow.Collection, value: Measure
) -> None:
    assume("column" not in str(value) or cases.has_costs(collection))
    scores = scores_of(cases.evaluation(collection), [value])
    for record in scores.records():
        if record.value is not None:
            assert np.isfinite(record.value)
            if value.definition.name in ("R", "Rs") or value.has("updates"):
                assert 0 <= record.value <= 1


@given(random_measures("temporal"))
def test_an_empty_run_is_undefined_or_zero(value: Measure) -> None:
    collection = slow.Collection([], [slow.Nugget("t1", "n", 5, "x", 2, cost=3)], [])
    scored = scores_of(cases.evaluation(collection), [value]).value(value, "t1")
    assert scored in (None, 0.0)
    if value.definition.name == "R":
        assert scored == 0.0
    if value.definition.name in ("P", "T"):
        assert scored is None


def test_the_same_string_gives_the_same_measure_in_any_spelling() -> None:
    assert (
        str(measure(" P( cost-of = match , cost=words ) ".strip())) == "P(cost=words,cost-of=match)"
    )
    assert measure("T(g=logistic(scale=6h))@24h").argument("g") == "logistic(scale=6h)"
    assert measure("R@6h") != measure("R")
    assert measure("R@6h").whole == measure("R")
    assert {measure("R@6h"), measure("R@6h")} == {measure("R@6h")}


def test_several_measures_in_one_string() -> None:
    names = [str(each) for each in measures(["P R@6h,T(unit=h,g=identity)", measure("R@6h")])[:2]]
    assert names == ["P", "R@6h"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Q", "unknown measure 'Q'; known: P, R, Rs, T"),
        ("", "unknown measure ''"),
        ("R(", "a bracket is not closed"),
        ("R)", "unknown measure"),
        ("R()x", "only @TIME may follow, not 'x'"),
        ("R@", "after the @ a time is missing"),
        ("R@soon", 'R@soon: "soon" is neither a number nor an ISO 8601 time'),
        ("R@inf", "not a finite number"),
        ("R(cost=1)", "R has no parameter 'cost'; it has: reward"),
        ("P(cost=gold)", "P: cost cannot be 'gold': choose one of column, 1, words, chars"),
        ("P(cost=column(x))", "cost cannot be"),
        ("P(cost=)", "cost cannot be ''"),
        ("P(cost)", "write cost=VALUE"),
        ("P(updates=1)", "write updates"),
        ("P(cost=1,cost=1)", "cost is given twice"),
        ("P(updates,reward=1)", "reward and cost-of have no meaning"),
        ("T(g=sign,unit=s)", "unit has no meaning with g=sign"),
        ("T(g=sign(scale=6h))", "g=sign takes no scale"),
        ("T(g=arctan(scale=0h))", "LENGTH OF TIME above 0"),
        ("T(g=arctan(scale=6))", '"6" is not a length of time'),
        ("T(g=arctan(size=6h))", "g takes (scale=LENGTH OF TIME"),
    ],
)
def test_what_is_no_measure_is_refused_with_the_reason(text: str, words: str) -> None:
    with pytest.raises(MeasureError) as error:
        measure(text)
    assert words in str(error.value)


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(MeasureError, match="unknown family 'sports'; known: temporal"):
        measure("P", "sports")


def test_with_times_adds_each_measure_at_each_time_once() -> None:
    listed = with_times(measures(["P R@1h"]), ["6h", "1h"])
    assert [str(each) for each in listed] == ["P", "P@6h", "P@1h", "R@1h"]


def test_a_function_as_g_is_used_and_must_increase() -> None:
    collection = slow.Collection(
        [slow.Update("t", "a", 3), slow.Update("t", "b", 8)],
        [slow.Nugget("t", "n", 5), slow.Nugget("t", "m", 5)],
        [slow.Match("t", "a", "n"), slow.Match("t", "b", "m")],
    )
    evaluation = cases.evaluation(collection)

    def cubed(lead: np.ndarray) -> np.ndarray:
        return lead**3

    def falling(lead: np.ndarray) -> np.ndarray:
        return -lead

    def broken(lead: np.ndarray) -> np.ndarray:
        return lead * np.nan

    value = measure("T")(g=cubed)
    assert str(value) == "T(g=cubed)"
    assert scores_of(evaluation, [value]).value(value) == (2**3 - 3**3) / 2
    with pytest.raises(UsageError, match="falling is not increasing"):
        scores_of(evaluation, [measure("T")(g=falling)])
    with pytest.raises(UsageError, match="broken must give a finite number"):
        scores_of(evaluation, [measure("T")(g=broken)])
    assert measure("T")(g=cubed) != measure("T")(g=falling)


def test_what_no_family_knows_is_said_so_in_few_words() -> None:
    assert program.tseval("measures", "foo").err == (
        "error: unknown measure 'foo': `tseval measures` lists all\n"
    )
    said = program.tseval("measures", "latency(unit=x)").err
    assert said == "error: latency: unit cannot be 'x': choose one of s, min, h\n"


@pytest.mark.parametrize(
    ("text", "family", "name"),
    [
        ("recall", "temporal", "R"),
        ("Strict Recall", "temporal", "Rs"),
        ("strict-recall@6h", "temporal", "Rs@6h"),
        ("F1(beta=2)", "temporal", "F(beta=2)"),
        ("expected_gain", "temporal", "EG"),
        ("rs", "temporal", "Rs"),
        ("precision", "filtering", "P"),
        ("recall", "responses", "recall"),
    ],
)
def test_a_measure_is_found_by_its_title(text: str, family: str, name: str) -> None:
    assert [str(each) for each in measures([text], family)] == [name]


def test_several_measures_are_found_by_their_titles() -> None:
    assert [str(each) for each in measures(["precision f1"])] == ["P", "F"]


def test_a_title_of_several_measures_is_none() -> None:
    with pytest.raises(MeasureError, match="did you mean EG-0 or EG-1 or EG-p"):
        measures(["expected-gain"], "clusters")
