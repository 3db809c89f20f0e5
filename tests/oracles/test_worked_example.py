"""The reference gives the numbers that were worked out by hand, and the page prints them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.oracles import fixtures, temporal
from tests.oracles.fixtures import Expected

PAGE = fixtures.ROOT / "docs" / "worked-example.md"


@pytest.mark.parametrize("case", fixtures.expected(), ids=str)
def test_reference_agrees_with_the_hand_computation(case: Expected) -> None:
    collection = fixtures.collection(duplicates="--duplicates" in case.options)
    undefined = "zero" if "--undefined zero" in case.options else "skip"
    measure = temporal.parse(case.measure)
    assert temporal.score(collection, case.run, measure, undefined)[case.topic] == case.value


def test_no_number_is_given_twice() -> None:
    keys = [(e.run, e.topic, e.measure, e.options) for e in fixtures.expected()]
    assert len(keys) == len(set(keys))


def printed(value: temporal.Value) -> str:
    if value is None:
        return "undefined"
    exact = Fraction(value)
    return str(exact) if exact.denominator == 1 else f"{exact} = {float(exact):.4f}"


def table_rows() -> set[tuple[str, ...]]:
    """Return the cells of every row of the page's tables."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return {tuple(c.strip() for c in line.strip("|").split("|")) for line in lines if "|" in line}


def test_the_page_prints_the_same_numbers() -> None:
    plain = {(e.run, e.measure, e.topic): e.value for e in fixtures.expected() if e.options == "-"}
    columns = ("flood", "ferry", "mine", "all")
    complete = {(run, name) for run, name, topic in plain if topic == "all"}
    wanted = {
        (run, f"`{name}`", *(printed(plain[run, name, c]) for c in columns))
        for run, name in complete
    }
    assert wanted - table_rows() == set()


def test_the_page_prints_the_numbers_with_options() -> None:
    partial = [e for e in fixtures.expected() if e.options != "-" or "words" in e.measure]
    wanted = {
        (
            e.run,
            e.topic,
            f"`{e.measure}`",
            "" if e.options == "-" else f"`{e.options}`",
            printed(e.value),
        )
        for e in partial
    }
    assert wanted - table_rows() == set()
