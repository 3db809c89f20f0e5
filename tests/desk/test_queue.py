"""Which update comes next: whose turn it is, what is read twice, and what nobody gets twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.desk.making import made, read
from tseval.desk import decisions as kinds
from tseval.desk.decisions import Decision
from tseval.desk.desk import Desk
from tseval.desk.queue import (
    Hints,
    Queue,
    Suggestions,
    find_hints,
    scores,
    similar_items,
    suggested,
)
from tseval.matching.matching import get_matcher


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return made(tmp_path)


def hinted(desk: Desk, near: dict[int, float], missed: dict[int, float]) -> Hints:
    found = Hints.none(desk.pool)
    for item, distance in near.items():
        found.near[item] = distance
    for item, worth in missed.items():
        found.missed[item] = worth
    return found


def test_the_kinds_take_turns(desk: Desk) -> None:
    queue = Queue(desk.pool, seed=0, double=0)
    found = hinted(desk, {2: 0.05, 3: 0.01, 4: 0.2}, {5: 1.0, 6: 3.0})
    given = []
    for _ in range(7):
        each = queue.next(desk.state, desk.gold(), found, "ada")
        assert each is not None
        given.append(each)
        item = desk.pool.items[each.item]
        desk.decide(*read("ada", item.topic, item.name))
    assert queue.next(desk.state, desk.gold(), found, "ada") is None
    assert len({each.item for each in given}) == 7
    by_kind = {kind: [e.item for e in given if e.shown_by == kind] for _, kind in given}
    assert given[0].shown_by == "random"
    assert by_kind["threshold"] == [i for i in (3, 2) if i not in by_kind["random"]]
    assert by_kind["missed"] == [i for i in (6, 5) if i not in by_kind["random"]]
    assert len(by_kind["random"]) >= 2


def test_the_order_follows_from_the_seed(desk: Desk) -> None:
    none = Hints.none(desk.pool)
    first = [
        Queue(desk.pool, seed, 0).next(desk.state, desk.gold(), none, "ada") for seed in range(20)
    ]
    again = [
        Queue(desk.pool, seed, 0).next(desk.state, desk.gold(), none, "ada") for seed in range(20)
    ]
    assert first == again
    assert len(set(first)) > 3


def test_a_share_is_read_by_two_and_none_by_three(desk: Desk) -> None:
    queue, none = Queue(desk.pool, seed=3, double=0.5), Hints.none(desk.pool)
    twice = set(np.flatnonzero(queue.twice).tolist())
    assert 0 < len(twice) < 7
    for who in ("ada", "ben", "cy"):
        while (given := queue.next(desk.state, desk.gold(), none, who)) is not None:
            item = desk.pool.items[given.item]
            desk.decide(*read(who, item.topic, item.name))
    readers = {item: len(by_name) for item, by_name in desk.state.read.items()}
    assert {item for item, number in readers.items() if number == 2} == twice
    assert set(readers.values()) == {1, 2}


def test_what_somebody_reads_is_not_given_to_another(desk: Desk) -> None:
    queue, none = Queue(desk.pool, seed=0, double=0), Hints.none(desk.pool)
    given = [queue.next(desk.state, desk.gold(), none, who) for who in ("ada", "ben", "cy")]
    assert len({each.item for each in given if each}) == 3
    assert queue.next(desk.state, desk.gold(), none, "ada") == given[0]
    assert (
        queue.next(desk.state, desk.gold(), none, "ada", but=given[0].item if given[0] else None)
        != given[0]
    )


def test_a_dispute_is_given_to_a_third(desk: Desk) -> None:
    queue, none = Queue(desk.pool, seed=0, double=1), Hints.none(desk.pool)
    for who, matched in (("ada", ["n3"]), ("ben", [])):
        for item in desk.pool.items:
            desk.decide(*read(who, item.topic, item.name, matched if item.name == "a3" else []))
    assert queue.next(desk.state, desk.gold(), none, "ada") is None
    given = queue.next(desk.state, desk.gold(), none, "cy")
    assert given is not None
    assert (desk.pool.items[given.item].name, given.shown_by) == ("a3", "disputed")
    desk.decide(Decision("cy", kinds.SETTLED_MATCH, "flood", "a3", "n3"))
    assert queue.next(desk.state, desk.gold(), none, "cy") is None


def test_what_was_split_comes_first(desk: Desk) -> None:
    queue, none = Queue(desk.pool, seed=0, double=0), Hints.none(desk.pool)
    desk.decide(*read("ada", "flood", "a3", ["n3"]))
    desk.decide(
        Decision("ben", kinds.WRITE, "flood", nugget="p", value="The railway"),
        Decision("ben", kinds.WRITE, "flood", nugget="q", value="It goes to Halvek"),
        Decision("ben", kinds.DROP, "flood", nugget="n3", value="p q"),
    )
    given = queue.next(desk.state, desk.gold(), none, "ada")
    assert given is not None
    assert (desk.pool.items[given.item].name, given.shown_by) == ("a3", "split")
    other = queue.next(desk.state, desk.gold(), none, "ben")
    assert other is not None
    assert other.shown_by == "random"
    desk.decide(*read("ada", "flood", "a3", ["p"], shown=["p", "q"]))
    given = queue.next(desk.state, desk.gold(), none, "ada")
    assert given is not None
    assert given.shown_by != "split"


class TestHints:
    def test_they_say_what_the_matcher_says_of_each_pair(self, desk: Desk) -> None:
        gold, matcher = desk.gold(), get_matcher("fuzzy")
        found = find_hints(matcher, desk.pool, gold)
        for item, each in enumerate(desk.pool.items):
            own = desk.state.live(each.topic)
            every = scores(matcher, each.text, own, gold)
            seen = every[every >= 0.2]
            near = np.abs(seen - 0.55).min() if len(seen) else np.inf
            assert found.near[item] == pytest.approx(near)

    def test_a_nugget_that_a_run_misses_points_to_its_likeliest_update(self, desk: Desk) -> None:
        found = find_hints(get_matcher("fuzzy"), desk.pool, desk.gold())
        # Run two says neither n3 nor m1, and nothing of it is like them but the ferry's passengers.
        names = {desk.pool.items[item].name for item in np.flatnonzero(found.missed)}
        every = {each.name for each in desk.pool.items}
        assert names < every
        assert Hints.none(desk.pool).missed.sum() == 0

    def test_suggestions_are_the_likeliest_and_not_too_far(self) -> None:
        assert suggested(np.array([0.1, 0.9, 0.0, 0.3]), 0.55) == [1, 3]
        assert suggested(np.zeros(0), 0.55) == []

    def test_posts_like_one_are_of_its_topic(self, desk: Desk) -> None:
        item = desk.pool.place["flood", "a2@one"]
        found = similar_items(get_matcher("fuzzy"), desk.pool, item, 9)
        assert desk.pool.items[found[0]].name == "a9"
        assert item not in found

    def test_what_takes_long_is_worked_out_meanwhile(self, desk: Desk) -> None:
        suggestions = Suggestions(get_matcher("fuzzy"), desk.pool)
        suggestions._took = 1.0
        before = suggestions.hints(desk.gold())
        assert not np.isfinite(before.near).any()
        assert suggestions._working is not None
        suggestions._working.join()
        assert np.isfinite(suggestions.hints(desk.gold()).near).any()
