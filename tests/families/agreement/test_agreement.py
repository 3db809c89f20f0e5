"""Whichever way odd tables are given, the scores are the same to the last bit.

`families` has the families and worlds of odd tables for each, `ways` the ways, `asking` what else
changes nothing. A hunt tells how many values were compared:

    HYPOTHESIS_PROFILE=explore pytest tests/families/agreement -s
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests import strategies as st
from tests.families.agreement.asking import ASKED, ASKED_OF_SOME
from tests.families.agreement.crowds import crowded
from tests.families.agreement.families import FAMILIES
from tests.families.agreement.odd import instant
from tests.families.agreement.ways import COMPARED, MORE, WAYS, Case
from tseval.io.times import moment
from tseval.parallel.engine import Engine

pytestmark = pytest.mark.small_times

WAYS_AT_ONCE = 3
"""How many ways are gone with one world."""
CROWDED = 6
"""One world in so many has many topics."""
SHARE = 20
"""Worlds are large, so that there is one where other properties have so many examples."""


@pytest.fixture(scope="module", autouse=True)
def _told() -> Iterator[None]:
    """Say at the end what was compared how often."""
    yield
    for (family, way), number in sorted(COMPARED.items()):
        print(f"{family}\t{way}\t{number}")


@pytest.mark.filterwarnings("ignore:.* as a formula does:UserWarning")  # names may be hostile here
@pytest.mark.parametrize("name", FAMILIES)
@settings(
    max_examples=settings().max_examples // SHARE,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink such worlds takes minutes
)
@given(data=st.data())
def test_every_way_gives_the_same_scores(
    name: str, engines: dict[str, Engine], data: st.DataObject
) -> None:
    family = FAMILIES[name]
    of_some = {**MORE, **ASKED_OF_SOME}
    ways = {**WAYS, **ASKED, **{more: of_some[more] for more in family.more}}
    with tempfile.TemporaryDirectory() as folder:
        world = data.draw(family.worlds())
        if world.topic and data.draw(st.integers(1, CROWDED)) == CROWDED:
            world = crowded(data.draw, world)
        case = Case(family, world, Path(folder), data.draw, engines["local"])
        case.scores = case.scored(world)
        for way in data.draw(st.permutations(sorted(ways)))[:WAYS_AT_ONCE]:
            case.way = way
            ways[way](case)


def test_every_way_belongs_to_a_family() -> None:
    assert {more for family in FAMILIES.values() for more in family.more} == {*MORE, *ASKED_OF_SOME}


@pytest.mark.parametrize(
    "cell", ["1400000000.25", "2014-05-13T16:53:20.25Z", "2014-05-14 06:53:20.250000+14:00"]
)
def test_the_generator_knows_which_times_are_one(cell: str) -> None:
    assert float(instant(cell)) == moment(cell) == 1_400_000_000.25
