"""Families and editions by their names."""

from __future__ import annotations

from itertools import permutations

import pytest

from tseval.core import registry
from tseval.errors import UsageError


def test_the_first_edition_is_the_default() -> None:
    for each in registry.all_families():
        assert registry.edition(None, each.name) is each.editions[0]


def names(family: str) -> set[str]:
    return {each.name for each in registry.family(family).editions}


PAIRS = [
    each for each in permutations(registry.family_names(), 2) if names(each[1]) - names(each[0])
]
"""Families of which the second has an edition that the first has not."""


@pytest.mark.parametrize(("mine", "other"), PAIRS)
def test_an_edition_of_another_family_is_told_whose_it_is(mine: str, other: str) -> None:
    own = registry.family(mine)
    foreign = min(names(other) - names(mine))
    whose = f"`tseval {registry.family(other).command}`"
    said = f"^edition '{foreign}' is for .*{whose}.*; `tseval {own.command}` has these: "
    with pytest.raises(UsageError, match=said):
        registry.edition(foreign, mine)


def test_an_edition_that_nobody_knows() -> None:
    with pytest.raises(UsageError, match=r"^unknown edition 'nobody'; known: draft, "):
        registry.edition("nobody", registry.FIRST)


@pytest.mark.parametrize("name", registry.family_names())
def test_no_measure_of_a_family_hides_another(name: str) -> None:
    assert len(registry.definitions(name)) == len(registry.family(name).definitions)
