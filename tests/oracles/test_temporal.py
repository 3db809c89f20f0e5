"""Tiny cases, each small enough to check in the head, that guard the reference itself."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from tests.oracles.temporal import (
    Case,
    Collection,
    Duplicate,
    Match,
    Measure,
    Nugget,
    Number,
    Role,
    Update,
    change_points,
    curve,
    earliest,
    mean,
    moment,
    online,
    parse,
    roles,
    score,
    select,
    value,
    words,
)

HOUR = 3600


def update(name: str, time: Number, cost: Number = 1, text: str = "") -> Update:
    return Update("t", name, time, text, cost=cost)


def nugget(
    name: str, time: Number, importance: Number = 1, cost: Number = 1, text: str = ""
) -> Nugget:
    return Nugget("t", name, time, text, importance, cost)


def case(
    updates: list[Update],
    nuggets: list[Nugget],
    matches: str,
    duplicates: tuple[tuple[str, str], ...] = (),
) -> Case:
    """Build a case; `matches` is written as `a=x a=y b=x`."""
    pairs = [tuple(pair.split("=")) for pair in matches.split()]
    return Case(tuple(updates), tuple(nuggets), tuple((u, n) for u, n in pairs), duplicates)


@pytest.fixture
def small() -> Case:
    """a earns x and y, b repeats x and earns z, c says nothing; w is never found."""
    return case(
        [update("a", 2), update("b", 4), update("c", 6)],
        [nugget("x", 1, 3), nugget("y", 5, 2), nugget("z", 4, 1), nugget("w", 3, 4)],
        "a=x a=y b=x b=z",
    )


def times(found: dict[str, Update | None]) -> dict[str, str | None]:
    return {name: m.update_id if m else None for name, m in found.items()}


def test_earliest_match_of_every_nugget(small: Case) -> None:
    assert times(earliest(small)) == {"x": "a", "y": "a", "z": "b", "w": None}


def test_the_earliest_match_is_by_time_not_by_place_in_the_file() -> None:
    later_first = case([update("a", 9), update("b", 2)], [nugget("x", 1)], "a=x b=x")
    assert times(earliest(later_first)) == {"x": "b"}


def test_of_equal_times_the_first_in_the_file_wins() -> None:
    tied = case([update("b", 2), update("a", 2)], [nugget("x", 1)], "a=x b=x")
    assert times(earliest(tied)) == {"x": "b"}


def test_roles(small: Case) -> None:
    found = roles(small)
    assert found["a"] == Role(("x", "y"), ())
    assert found["b"] == Role(("z",), ("x",))
    assert [role.kind for role in found.values()] == ["earns", "earns", "nothing"]


def test_an_update_that_only_repeats() -> None:
    again = case([update("a", 1), update("b", 2)], [nugget("x", 1)], "a=x b=x")
    assert roles(again)["b"].kind == "repeats"


@pytest.mark.parametrize(
    ("name", "t", "expected"),
    [
        ("P", None, Fraction(6, 3)),
        ("P(updates)", None, Fraction(2, 3)),
        ("R", None, Fraction(6, 10)),
        ("Rs", None, Fraction(6, 10)),
        ("T(unit=s)", None, Fraction(-1 + 3 + 0, 3)),
        ("P", 2, None),
        ("P", 4, Fraction(5)),
        ("P", 6, Fraction(6, 2)),
        ("P(updates)", 4, Fraction(1)),
        ("R", 2, Fraction(0)),
        ("R", 4, Fraction(5, 10)),
        ("Rs", 1, None),
        ("Rs", 4, Fraction(3, 7)),
        ("Rs", 5, Fraction(4, 8)),
        ("Rs", 6, Fraction(6, 10)),
        ("T(unit=s)", 2, None),
        ("T(unit=s)", 4, Fraction(-1 + 3, 2)),
    ],
)
def test_measures_by_hand(small: Case, name: str, t: Number | None, expected: Fraction) -> None:
    assert value(small, parse(name), t) == expected


def test_costs_from_columns() -> None:
    paid = case([update("a", 1, cost=5), update("b", 2, cost=3)], [nugget("x", 1, 2, 4)], "a=x")
    assert value(paid, parse("P")) == Fraction(4 * 2, 5 + 3)
    assert value(paid, parse("P(cost-of=match)")) == Fraction(5 * 2, 5 + 3)
    assert value(paid, parse("P(updates)")) == Fraction(5, 8)
    assert value(paid, parse("P(cost=1)")) == Fraction(2, 2)


def test_costs_from_texts() -> None:
    spoken = case([update("a", 1, text="two words")], [nugget("x", 1, 2, text="six, no 3")], "a=x")
    assert value(spoken, parse("P(cost=words)")) == Fraction(3 * 2, 2)
    assert value(spoken, parse("P(cost=chars)")) == Fraction(9 * 2, 9)
    assert value(spoken, parse("P(cost=words,cost-of=match)")) == 2


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("one", 1), ("don't", 2), ("2.5 km", 3), ("a-b _c_", 3), ("ﬁre № 5", 3)],
)
def test_words_are_runs_of_word_characters(text: str, count: int) -> None:
    assert words(text) == count


def test_the_word_count_sees_normalised_text() -> None:
    """One half becomes 1⁄2, two runs of digits."""
    assert words("½") == 2


def test_a_duplicate_costs_what_its_earliest_copy_costs() -> None:
    copies = [update("a", 1, cost=2), update("b", 2, cost=7), update("c", 3, cost=5)]
    linked = case(copies, [nugget("x", 1, 6)], "a=x", (("b", "a"), ("c", "b")))
    assert value(linked, parse("P")) == Fraction(6, 2 + 2 + 2)
    assert value(linked, parse("P"), 3) == Fraction(6, 2 + 2)
    assert value(linked, parse("P(updates)")) == Fraction(2, 2 + 7 + 5)


def test_a_duplicate_in_another_run_only_links() -> None:
    """The pairs a-z and z-b make a and b duplicates, though z is an update of another run."""
    copies = [update("a", 1, cost=2), update("b", 2, cost=7)]
    linked = case(copies, [nugget("x", 1, 6)], "a=x", (("a", "z"), ("b", "z")))
    assert value(linked, parse("P")) == Fraction(6, 2 + 2)


def test_a_cost_of_zero_throughout_is_undefined() -> None:
    free = case([update("a", 1, cost=0)], [nugget("x", 1)], "a=x")
    assert value(free, parse("P")) is None
    assert value(free, parse("P(updates)")) is None


def test_rewards(small: Case) -> None:
    assert value(small, parse("R(reward=1)")) == Fraction(3, 4)
    e = math.exp
    share = (e(-1) + e(-2) + e(-3)) / (1 + e(-1) + e(-2) + e(-3))
    assert value(small, parse("R(reward=exp)")) == pytest.approx(share, rel=1e-15)


def test_zero_importance() -> None:
    nothing = case([update("a", 1)], [nugget("x", 1, 0), nugget("y", 1, 2)], "a=x")
    assert value(nothing, parse("R")) == 0
    assert value(nothing, parse("R(reward=1)")) == Fraction(1, 2)
    assert value(nothing, parse("R(reward=binary)")) == 0
    assert value(nothing, parse("P")) == 0
    assert value(nothing, parse("P(updates)")) == 1
    assert value(nothing, parse("T")) == 0


def test_only_zero_rewards_are_undefined_recall() -> None:
    worthless = case([update("a", 1)], [nugget("x", 1, 0)], "a=x")
    assert value(worthless, parse("R")) is None
    assert value(worthless, parse("Rs")) is None
    assert value(worthless, parse("P")) == 0


def lead_of(seconds: int) -> Case:
    return case([update("a", 100)], [nugget("x", 100 + seconds)], "a=x")


@pytest.mark.parametrize(
    ("name", "lead", "expected"),
    [
        ("T", 2 * HOUR, 2),
        ("T", -HOUR, -1),
        ("T(unit=s)", 90, 90),
        ("T(unit=min)", 90, Fraction(3, 2)),
        ("T(unit=d)", -6 * HOUR, Fraction(-1, 4)),
        ("T(g=sign)", 5, 1),
        ("T(g=sign)", 0, 0),
        ("T(g=sign)", -5, -1),
        ("T(g=logistic)", 0, 0.5),
        ("T(g=logistic)", 6 * HOUR, 1 / (1 + math.exp(-1))),
        ("T(g=logistic(scale=1h))", -HOUR, 1 / (1 + math.e)),
        ("T(g=logistic(scale=1s))", -100_000, 0),
        ("T(g=arctan)", 0, 1),
        ("T(g=arctan)", 6 * HOUR, 1.5),
        ("T(g=arctan)", -6 * HOUR, 0.5),
        ("T(g=arctan,scale=1h)", HOUR, 1.5),
    ],
)
def test_timeliness_of_one_nugget(name: str, lead: int, expected: float) -> None:
    assert value(lead_of(lead), parse(name)) == pytest.approx(expected, abs=1e-15)


def test_g_may_be_a_callable_of_seconds() -> None:
    assert value(lead_of(10), Measure("T", g=lambda x: 2 * x)) == 20


def test_a_decreasing_g_is_refused() -> None:
    two = case([update("a", 0)], [nugget("x", 1), nugget("y", 2)], "a=x a=y")
    with pytest.raises(ValueError, match="not increasing"):
        value(two, Measure("T", g=lambda x: -x))


def test_negative_costs_and_rewards_are_refused() -> None:
    negative = case([update("a", 0, cost=-1)], [nugget("x", 1, -1)], "a=x")
    with pytest.raises(ValueError, match="negative reward"):
        value(negative, parse("R"))
    with pytest.raises(ValueError, match="negative cost"):
        value(negative, parse("P(reward=1)"))


def test_an_empty_system() -> None:
    silent = case([], [nugget("x", 1)], "")
    assert [value(silent, parse(m)) for m in ("P", "P(updates)", "R", "Rs", "T")] == [
        None,
        None,
        0,
        0,
        None,
    ]


def test_updates_that_match_nothing() -> None:
    idle = case([update("a", 1)], [nugget("x", 1)], "")
    assert [value(idle, parse(m)) for m in ("P", "P(updates)", "R", "T")] == [0, 0, 0, None]


def test_curve_gives_the_value_just_after_every_change(small: Case) -> None:
    assert change_points(small) == [1, 2, 3, 4, 5, 6]
    assert curve(small, parse("P")) == [(1, None), (2, 5), (3, 5), (4, 3), (5, 3), (6, 2)]
    assert [v for _, v in curve(small, parse("Rs"))] == [
        0,
        1,
        Fraction(3, 7),
        Fraction(4, 8),
        Fraction(6, 10),
        Fraction(6, 10),
    ]


def test_online_is_the_batch_value_of_every_prefix(small: Case) -> None:
    steps = online(small, parse("R"))
    assert [step.update.update_id for step in steps] == ["a", "b", "c"]
    assert [step.now for step in steps] == [Fraction(5, 10), Fraction(6, 10), Fraction(6, 10)]
    steps = online(small, parse("Rs"))
    assert [step.now for step in steps] == [1, Fraction(4, 8), Fraction(6, 10)]
    assert [step.end for step in steps] == [Fraction(5, 10), Fraction(6, 10), Fraction(6, 10)]


def test_online_takes_updates_of_one_time_singly() -> None:
    tied = case([update("b", 2), update("a", 2)], [nugget("x", 1)], "a=x")
    assert [step.now for step in online(tied, parse("P"))] == [0, Fraction(1, 2)]


def test_select_keeps_runs_and_topics_apart() -> None:
    collection = Collection(
        updates=[Update("t", "u", 1, run="one"), Update("t", "u", 2, run="two")],
        nuggets=[Nugget("t", "x", 1), Nugget("other", "x", 1)],
        matches=[Match("t", "u", "x", "one")],
        duplicates=[Duplicate("other", "u", "v")],
    )
    assert select(collection, "one", "t").matches == (("u", "x"),)
    assert select(collection, "two", "t").matches == ()
    assert select(collection, "two", "t").updates[0].time == 2
    assert select(collection, "one", "t").duplicates == ()
    assert select(collection, "one", "other").updates == ()


def test_a_match_without_a_run_holds_for_all() -> None:
    collection = Collection(
        [Update("t", "u", 1, run="one"), Update("t", "u", 2, run="two")],
        [Nugget("t", "x", 1)],
        [Match("t", "u", "x")],
    )
    assert [score(collection, run, parse("R"))["all"] for run in ("one", "two")] == [1, 1]


def test_score_takes_the_mean_over_defined_topics() -> None:
    collection = Collection(
        [Update("t", "u", 10)],
        [Nugget("t", "x", 0, importance=2), Nugget("s", "y", 0)],
        [Match("t", "u", "x")],
    )
    assert score(collection, "run", parse("P")) == {"t": 2, "s": None, "all": 2}
    assert score(collection, "run", parse("P"), undefined="zero")["all"] == 1
    assert score(collection, "run", parse("R"))["all"] == Fraction(1, 2)
    assert score(collection, "run", parse("P@10s"))["all"] is None
    assert score(collection, "run", parse("P@11s"))["all"] == 2


def test_relative_times_count_from_the_given_start_or_the_earliest_nugget() -> None:
    updates, nuggets = [Update("t", "u", 100)], [Nugget("t", "y", 95), Nugget("t", "x", 90)]
    plain = Collection(updates, nuggets, [Match("t", "u", "x")])
    given = Collection(updates, nuggets, [Match("t", "u", "x")], starts={"t": 99})
    assert score(plain, "run", parse("R@10s"))["t"] == 0
    assert score(plain, "run", parse("R@11s"))["t"] == Fraction(1, 2)
    assert score(given, "run", parse("R@2s"))["t"] == Fraction(1, 2)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("6h", 6 * HOUR + 5),
        ("90m", 5405),
        ("1.5h", 5405),
        ("2d", 172_805),
        ("1329910380", 1329910380),
        ("1970-01-01T00:01Z", 60),
        ("1970-01-01T01:01+01:00", 60),
    ],
)
def test_moments(at: str, expected: int) -> None:
    assert moment(at, 5) == expected


def test_mean_of_nothing_is_undefined() -> None:
    assert mean([]) is None
    assert mean([None]) is None
    assert mean([None, Fraction(1)]) == 1
    assert mean([None, Fraction(1)], undefined="zero") == Fraction(1, 2)


def test_parse_reads_parameters() -> None:
    measure = parse("P(cost-of=match,cost=words,reward=binary)@6h")
    assert (measure.cost_of, measure.cost, measure.reward, measure.at) == (
        "match",
        "words",
        "binary",
        "6h",
    )
    assert parse("T(g=logistic(scale=2h))") == parse("T(g=logistic,scale=2h)")
    assert parse("P(updates)").updates
