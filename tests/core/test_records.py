"""Records behave as frozen dataclasses do."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

import pytest

from tseval.records import frozen

Value = TypeVar("Value")


def made(decorate: Callable[[Any], Any], by_name: Callable[[Any], Any]) -> dict[str, Any]:
    """The same classes, made by one decorator or the other."""

    @decorate
    class Empty:
        """Nothing."""

    @decorate
    class Point:
        """Two numbers."""

        x: float
        y: float = 2.0
        tags: list[str] = field(default_factory=list, compare=False)
        _hidden: int = field(default=3, repr=False)

        @property
        def far(self) -> bool:
            return self.x > 10

    @decorate
    class Deep(Point):
        """With a third, and an order of its own."""

        z: float = 0.0

        def __post_init__(self) -> None:
            object.__setattr__(self, "x", abs(self.x))

    @by_name
    class Named:
        """Told by name alone, and shown in its own way."""

        a: int
        b: int = 1

        def __repr__(self) -> str:
            return f"<{self.a}>"

    @decorate
    class Hashed:
        """One field, with a hash of its own."""

        a: object

        def __hash__(self) -> int:
            return 7

    return {each.__name__: each for each in (Empty, Point, Deep, Named, Hashed)}


OURS = made(frozen, frozen(kw_only=True))
THEIRS = made(dataclass(frozen=True), dataclass(frozen=True, kw_only=True))
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Empty", (), {}),
    ("Empty", (1,), {}),
    ("Point", (1.0,), {}),
    ("Point", (1.0, 2.0, ["a"]), {}),
    ("Point", (1.0,), {"tags": ["b"], "_hidden": 4}),
    ("Point", (), {}),
    ("Point", (1.0,), {"w": 1}),
    ("Point", (math.nan,), {}),
    ("Deep", (-1.0,), {"z": 5.0}),
    ("Deep", (1.0, 2.0, [], 3, 5.0), {}),
    ("Named", (), {"a": 1}),
    ("Named", (1,), {}),
    ("Hashed", ([],), {}),
    ("Hashed", ((1, "é"),), {}),
]


def outcome(kinds: dict[str, Any], call: tuple[str, tuple[Any, ...], dict[str, Any]]) -> Any:
    """The record, or what is said instead."""
    name, values, named = call
    try:
        return kinds[name](*values, **named)
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize("name", OURS)
def test_a_class_of_records_tells_what_a_frozen_dataclass_tells(name: str) -> None:
    our, their = OURS[name], THEIRS[name]
    assert inspect.signature(our) == inspect.signature(their)
    assert our.__match_args__ == their.__match_args__
    assert our.__doc__ == their.__doc__
    assert [
        (each.name, each.type, each.kw_only, each.repr, each.compare) for each in fields(our)
    ] == [(each.name, each.type, each.kw_only, each.repr, each.compare) for each in fields(their)]


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_records_are_made_shown_and_copied_alike(call: Any) -> None:
    our, their = outcome(OURS, call), outcome(THEIRS, call)
    assert repr(our) == repr(their)
    if isinstance(our, str):
        return
    assert asdict(our) == asdict(their) or math.isnan(our.x)
    assert vars(copy.copy(our)) == vars(our)
    assert vars(replace(our)) == vars(our)
    for change in ({"x": -9.0}, {"a": 4}, {"b": 4}):
        assert changed(our, change) == changed(their, change)


def changed(record: Any, change: dict[str, Any]) -> str:
    try:
        return repr(replace(record, **change))
    except TypeError as error:
        return str(error)


def test_records_are_equal_and_hashed_as_frozen_dataclasses_are() -> None:
    ours = [each for call in CALLS if not isinstance(each := outcome(OURS, call), str)]
    theirs = [each for call in CALLS if not isinstance(each := outcome(THEIRS, call), str)]
    ours, theirs = [*ours, *map(copy.copy, ours)], [*theirs, *map(copy.copy, theirs)]
    for row, one in enumerate(ours):
        for column, other in enumerate(ours):
            if not math.isnan(getattr(one, "x", 0.0)):  # Pythons differ in the same object twice
                assert (one == other) == (theirs[row] == theirs[column])
            assert one != other or hash(one) == hash(other)
    assert ours[0] != "Empty()"


@pytest.mark.parametrize("kinds", [OURS, THEIRS], ids=["records", "dataclasses"])
def test_a_record_that_holds_a_list_has_no_hash(kinds: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        hash(kinds["Named"](a=[]))


@pytest.mark.parametrize("name", ["x", "y", "tags", "far", "new", "__class__"])
def test_nothing_of_a_record_is_set_or_deleted(name: str) -> None:
    said = []
    for kinds in (OURS, THEIRS):
        point = kinds["Point"](1.0)
        for change in (lambda: setattr(point, name, 5), lambda: delattr(point, name)):  # noqa: B023
            with pytest.raises(FrozenInstanceError) as caught:
                change()
            said.append(str(caught.value))
        assert point.x == 1.0
    assert said[:2] == said[2:]


@frozen
class Counted:
    """With a name of its own for what it finds."""

    value: int

    @cached_property
    def _values(self) -> tuple[int, int]:
        return self.value, self.value


def test_names_are_left_to_the_record() -> None:
    assert Counted(3)._values == (3, 3)
    assert Counted(3) == Counted(3) != Counted(4)


@frozen(eq=False)
class Held(Generic[Value]):
    """Equal to itself alone, with what is found once."""

    value: Value
    inner: Held[Value] | None = None

    @cached_property
    def twice(self) -> tuple[Value, Value]:
        return self.value, self.value


def test_a_record_without_equality_is_itself_alone() -> None:
    one = Held[int](3)
    assert one.twice is one.twice
    assert one == one
    assert one != Held(3)
    assert len({one, Held(3)}) == 2
    sent = pickle.loads(pickle.dumps(one))
    assert sent != one
    assert (sent.value, sent.twice) == (3, (3, 3))
    with pytest.raises(FrozenInstanceError):
        sent.value = 4  # type: ignore[misc]


def test_a_record_within_itself_can_be_shown() -> None:
    one = Held(3)
    object.__setattr__(one, "inner", one)
    assert repr(one) == "Held(value=3, inner=...)"
