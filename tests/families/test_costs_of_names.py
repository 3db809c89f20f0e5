"""Names of runs, topics and what else there is are looked up, and not gone through for each other.

Counted are comparisons of names that `natural_order` gave: of all topics and runs, in any family.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from bench import exponents
from tests import program
from tseval.io.names import natural_order

SIZE = 300
EACH = 40
"""How often a name may be compared; going through all of them for each other is `SIZE` / 2."""
DIMENSIONS = ("topics", "runs", "events", "requests", "questions", "a pool in a chain")
OTHERS = ("each with each", "faults in", "reported")
"""What compares each with each by nature, what ends with an error, and pages: their frames take
texts of no other class."""
CASES = [
    case
    for case in exponents.CASES
    if any(word in case.name for word in DIMENSIONS)
    and not any(word in case.name for word in OTHERS)
]


class Name(str):
    """A name that counts how often it is compared with another."""

    __slots__ = ()
    looks = 0

    def __eq__(self, other: object) -> bool:
        Name.looks += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def counted(names: Iterable[str]) -> list[str]:
    """The names in their order, counting from here on."""
    return [Name(name) for name in natural_order(names)]


@pytest.fixture(autouse=True)
def _counting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Name.looks = 0
    for name, module in list(sys.modules.items()):
        if name.startswith("tseval.") and getattr(module, "natural_order", None) is natural_order:
            monkeypatch.setattr(module, "natural_order", counted)


def test_a_name_counts_what_it_is_compared_with() -> None:
    assert counted(["t2", "t10"]).index("t10") == 1
    assert Name.looks == 2


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.name))
def test_names_are_looked_up(case: exponents.Case) -> None:
    done = program.tseval(*case.make(SIZE).split())
    assert done.code == 0, done.err
    assert Name.looks <= EACH * SIZE
