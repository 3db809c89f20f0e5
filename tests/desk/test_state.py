"""What decisions come to: hand-made cases, and the slow oracle beside the fast program."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from tests.desk.making import SETTINGS, made, read
from tests.oracles import desk as oracle
from tseval.desk import decisions as kinds
from tseval.desk.decisions import Decision
from tseval.desk.desk import Desk
from tseval.desk.judgments import agreements, confusions, topic_judgments
from tseval.desk.state import State
from tseval.desk.store import Settings
from tseval.desk.views import disputes


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return made(tmp_path)


def verdicts(desk: Desk, topic: str = "flood") -> dict[tuple[str, str], int]:
    own = topic_judgments(desk.state, topic)
    return {
        (desk.pool.items[item].name, nugget.name): int(own.verdict[row, column])
        for row, item in enumerate(own.items)
        for column, nugget in enumerate(own.nuggets)
    }


class TestPool:
    def test_updates_of_the_same_words_are_one(self, desk: Desk) -> None:
        named = [(each.topic, each.name, len(each.rows)) for each in desk.pool.items]
        assert named == [
            ("ferry", "b1@one", 1),
            ("ferry", "b1@two", 1),
            ("flood", "a1", 2),
            ("flood", "a2@one", 1),
            ("flood", "a2@two", 1),
            ("flood", "a3", 1),
            ("flood", "a9", 1),
        ]

    def test_a_matcher_folds_what_is_nearly_the_same_with_the_same_numbers(
        self, tmp_path: Path
    ) -> None:
        near = Settings("fuzzy", None, "fuzzy(threshold=0.6)", "matcher", 0.2)
        folded = made(tmp_path, settings=near).pool
        texts = [each.text for each in folded.items if len(each.rows) > 1]
        assert texts == [
            "The river burst its banks in Tarrin",
            "Two people drowned at the mill bridge",
        ]

    def test_a_depth_keeps_the_surest_of_each_run_and_topic(self, tmp_path: Path) -> None:
        deep = made(tmp_path, settings=Settings("fuzzy", 1, "words", "matcher", 0.2)).pool
        assert [each.name for each in deep.items] == ["b1@one", "b1@two", "a1", "a9"]
        # The second run's update of the same words belongs to the pooled one.
        assert [len(each.rows) for each in deep.items] == [1, 1, 2, 1]


class TestVerdicts:
    def test_who_reads_an_update_judges_every_nugget(self, desk: Desk) -> None:
        desk.decide(*read("ada", "flood", "a2@one", ["n2"]))
        found = verdicts(desk)
        assert {key: said for key, said in found.items() if said >= 0} == {
            ("a2@one", "n1"): 0,
            ("a2@one", "n2"): 1,
            ("a2@one", "n3"): 0,
        }

    def test_a_nugget_that_was_not_shown_is_not_judged(self, desk: Desk) -> None:
        desk.decide(Decision("ben", kinds.WRITE, "flood", "a3", "new", value="Railway closed"))
        desk.decide(*read("ada", "flood", "a3", ["n3"]))
        assert verdicts(desk)["a3", "new"] == -1
        desk.decide(*read("ada", "flood", "a3", ["n3"], shown=["new"]))
        assert verdicts(desk)["a3", "new"] == 0

    def test_the_majority_counts_and_even_ones_are_disputed_until_settled(self, desk: Desk) -> None:
        desk.decide(*read("ada", "flood", "a3", ["n3"]))
        desk.decide(*read("ben", "flood", "a3"))
        own = topic_judgments(desk.state, "flood")
        assert verdicts(desk)["a3", "n3"] == 0
        assert np.argwhere(own.disputed).tolist() == [[3, 2]]
        desk.decide(*read("cy", "flood", "a3", ["n3"]))
        assert verdicts(desk)["a3", "n3"] == 1
        desk.decide(Decision("dot", kinds.SETTLED_NO_MATCH, "flood", "a3", "n3"))
        assert verdicts(desk)["a3", "n3"] == 0
        assert not topic_judgments(desk.state, "flood").disputed.any()

    def test_undo_takes_back_a_whole_act_of_ones_own(self, desk: Desk) -> None:
        desk.decide(*read("ada", "flood", "a3", ["n3", "n1"]))
        desk.decide(*read("ben", "flood", "a3", ["n3"]))
        assert desk.undo("ada") is not None
        assert desk.state.assessors == {"ben": 2}
        assert desk.undo("ada") is None
        assert verdicts(desk)["a3", "n1"] == 0


class TestNuggets:
    def write(self, desk: Desk, name: str, text: str, update: str = "a2@two") -> None:
        desk.decide(
            Decision("ada", kinds.WRITE, "flood", update, name, value=text),
            Decision("ada", kinds.MATCH, "flood", update, name),
        )

    def times(self, desk: Desk) -> dict[str, float]:
        gold = desk.gold()
        return dict(gold.frame.select("nugget_id", "time").iter_rows())

    def test_its_time_is_that_of_the_earliest_update_that_says_it(self, desk: Desk) -> None:
        self.write(desk, "new", "Officials speak")
        assert self.times(desk)["new"] == 1700000900
        desk.decide(*read("ben", "flood", "a1", ["new"], shown=["new"]))
        assert self.times(desk)["new"] == 1700000000
        desk.decide(Decision("ada", kinds.DATE, "flood", nugget="new", value="1700000123.5"))
        assert self.times(desk)["new"] == 1700000123.5
        desk.decide(Decision("ada", kinds.DATE, "flood", nugget="new", value=""))
        assert self.times(desk)["new"] == 1700000000
        desk.decide(Decision("ben", kinds.NO_MATCH, "flood", "a1", "new"))
        desk.decide(Decision("ada", kinds.NO_MATCH, "flood", "a2@two", "new"))
        assert self.times(desk)["new"] == 1700000900  # where it was read

    def test_a_given_one_keeps_its_time(self, desk: Desk) -> None:
        desk.decide(*read("ada", "flood", "a3", ["n1"]))
        assert self.times(desk)["n1"] == 1700000000

    def test_what_is_merged_brings_its_matches(self, desk: Desk) -> None:
        desk.decide(*read("ada", "flood", "a2@one", ["n2"]))
        desk.decide(*read("ada", "flood", "a3", ["n3"]))
        desk.decide(Decision("ada", kinds.MERGE, "flood", nugget="n2", value="n3"))
        found = verdicts(desk)
        assert found["a2@one", "n3"] == found["a3", "n3"] == 1
        assert "n2" not in self.times(desk)
        desk.decide(Decision("ben", kinds.MATCH, "flood", "a9", "n2"))  # a page left open
        assert verdicts(desk)["a9", "n3"] == 1
        desk.undo("ben")
        desk.undo("ada")
        assert verdicts(desk)["a2@one", "n2"] == 1

    def test_the_parts_of_one_are_to_be_judged_anew(self, desk: Desk) -> None:
        desk.decide(*read("ada", "flood", "a2@one", ["n2"]))
        desk.decide(
            Decision("ada", kinds.WRITE, "flood", nugget="p1", value="Two people drowned"),
            Decision("ada", kinds.WRITE, "flood", nugget="p2", value="It was the mill bridge"),
            Decision("ada", kinds.DROP, "flood", nugget="n2", value="p1 p2"),
        )
        found = verdicts(desk)
        assert ("a2@one", "n2") not in found
        assert found["a2@one", "p1"] == found["a2@one", "p2"] == -1
        assert desk.state.nuggets["flood", "n2"].parts == ("p1", "p2")

    def test_what_is_not_there_cannot_be_changed(self, desk: Desk) -> None:
        before = State.of(desk.pool, desk.given, [])
        for verdict, value in ((kinds.TEXT, "x"), (kinds.WEIGH, "2"), (kinds.MERGE, "n1")):
            desk.decide(Decision("ada", verdict, "flood", nugget="nix", value=value))
        desk.decide(Decision("ada", kinds.MERGE, "flood", nugget="n1", value="m1"))
        desk.decide(Decision("ada", kinds.MERGE, "flood", nugget="n1", value="n1"))
        desk.decide(Decision("ada", kinds.MATCH, "flood", "nix", "n1"))
        desk.decide(Decision("ada", kinds.MATCH, "flood", "a1", "nix"))
        assert desk.state.nuggets == before.nuggets
        assert desk.state.choices == {}


class TestClusters:
    def names(self, desk: Desk) -> dict[str, str]:
        items = desk.pool.items
        return {items[a].name: items[b].name for a, b in sorted(desk.state.cluster.items())}

    def test_they_are_put_together_and_broken(self, desk: Desk) -> None:
        desk.decide(Decision("ada", kinds.TOGETHER, "flood", "a9", value="a2@one"))
        desk.decide(Decision("ada", kinds.TOGETHER, "flood", "a9", value="a1"))
        assert self.names(desk) == {"a1": "a1", "a2@one": "a1", "a9": "a1"}
        desk.decide(Decision("ada", kinds.ALONE, "flood", "a1"))
        assert self.names(desk) == {"a1": "a1", "a2@one": "a2@one", "a9": "a2@one"}
        desk.decide(Decision("ada", kinds.SELECT, "flood", "a3"))
        desk.decide(Decision("ada", kinds.OUT, "flood", "a9"))
        assert self.names(desk) == {"a1": "a1", "a2@one": "a2@one", "a3": "a3"}
        desk.undo("ada")
        assert self.names(desk)["a9"] == "a2@one"

    def test_topics_do_not_mix(self, desk: Desk) -> None:
        desk.decide(Decision("ada", kinds.TOGETHER, "flood", "a9", value="b1@one"))
        assert self.names(desk) == {}


class TestAgreement:
    def test_by_hand(self, desk: Desk) -> None:
        """Two read 5 updates by 3 nuggets: 15 pairs; both yes 2, one only 1, the other only 1."""
        for update, ada, ben in (
            ("a1", ["n1"], ["n1"]),
            ("a2@one", ["n2"], ["n2"]),
            ("a2@two", [], ["n1"]),
            ("a3", ["n3"], []),
            ("a9", [], []),
        ):
            desk.decide(*read("ada", "flood", update, ada))
            desk.decide(*read("ben", "flood", update, ben))
        found = {(each.group, each.name): each for each in agreements(desk.gold().judged)}
        kappa = found["assessors", "ada, ben"]
        by_chance = (3 * 3 + 12 * 12) / 15**2
        assert kappa.value == pytest.approx((13 / 15 - by_chance) / (1 - by_chance))
        assert (kappa.pairs, kappa.updates) == (15, 5)
        assert kappa.low <= kappa.value <= kappa.high
        alpha = found["all", "all"]
        # 30 values, 6 of them yes: expected 2 * 6 * 24 / (30 * 29), observed 4 / 30.
        assert alpha.value == pytest.approx(1 - (4 / 30) / (2 * 6 * 24 / (30 * 29)))
        assert found["nugget", "n2"].value == pytest.approx(1)
        assert confusions(desk.gold().judged) == []

    def test_a_confusion_is_two_nuggets_chosen_for_one_another(self, desk: Desk) -> None:
        desk.decide(*read("ada", "flood", "a9", ["n2"]))
        desk.decide(*read("ben", "flood", "a9", ["n3"]))
        assert confusions(desk.gold().judged) == [("flood", "n2", "n3", 1)]

    def test_nothing_twice_is_no_agreement(self, desk: Desk) -> None:
        desk.decide(*read("ada", "flood", "a9", ["n2"]))
        assert agreements(desk.gold().judged) == []


ITEMS = ["a1", "a2@one", "a2@two", "a3", "a9"]
PEOPLE = ["ada", "ben", "cy"]
NUGGETS = ["n1", "n2", "n3", "w1", "w2"]


@some.composite
def acts(draw: some.DrawFn) -> list[list[Decision]]:
    """Random acts on the topic flood; `w1` and `w2` are to be written."""
    made: list[list[Decision]] = []
    for _ in range(draw(some.integers(0, 25))):
        who, item = draw(some.sampled_from(PEOPLE)), draw(some.sampled_from(ITEMS))
        nugget = draw(some.sampled_from(NUGGETS))
        kind = draw(some.sampled_from(["read", "match", "no", "settle", "write", "drop", "undo"]))
        if kind == "read":
            matched = draw(some.lists(some.sampled_from(NUGGETS), unique=True, max_size=3))
            shown = draw(some.lists(some.sampled_from(["w1", "w2"]), unique=True))
            made.append(read(who, "flood", item, matched, shown))
        elif kind == "undo":
            made.append([Decision(who, kinds.UNDO)])
        elif kind == "write":
            made.append([Decision(who, kinds.WRITE, "flood", item, nugget, value="something")])
        elif kind == "drop":
            made.append([Decision(who, kinds.DROP, "flood", nugget=nugget)])
        else:
            words = {"match": kinds.MATCH, "no": kinds.NO_MATCH, "settle": kinds.SETTLED_MATCH}
            made.append([Decision(who, words[kind], "flood", item, nugget)])
    return made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return made(tmp_path_factory.mktemp("shared"), settings=SETTINGS)


@settings(max_examples=150)
@given(acts())
def test_the_state_is_what_the_slow_one_says(shared: Desk, random: list[list[Decision]]) -> None:
    decisions: list[Decision] = []
    at = 0
    for act in random:
        if act[0].verdict == kinds.UNDO:
            last = kinds.last_act(decisions, act[0].assessor)
            if last is None:
                continue
            act = [Decision(act[0].assessor, kinds.UNDO, value=last.act_name)]
        first = at + 1
        for each in act:
            at += 1
            fields = {name: getattr(each, name) for name in ("value", "start", "end", "note")}
            decisions.append(
                Decision(
                    *(each.assessor, each.verdict, each.topic, each.update, each.nugget),
                    **fields,
                    store="s",
                    rev=at,
                    act=first,
                    at=at,
                )
            )
    own = topic_judgments(State.of(shared.pool, shared.given, decisions), "flood")
    found = {
        (shared.pool.items[item].name, nugget.name): int(own.verdict[row, column])
        for row, item in enumerate(own.items)
        for column, nugget in enumerate(own.nuggets)
    }
    assert found == oracle.verdicts(ITEMS, ["n1", "n2", "n3"], decisions)


def test_what_assessors_disagree_on_is_shown_to_one_who_has_not_read_it(desk: Desk) -> None:
    desk.decide(*read("ada", "flood", "a3", ["n3"]))
    desk.decide(*read("ben", "flood", "a3"))
    desk.decide(*read("cy", "flood", "a9", ["n2"]))
    shown = json.loads(json.dumps(disputes(desk, "cy")))
    assert [(each["nugget"], each["settled"]) for each in shown["disputes"]] == [("n3", -1)]
    assert shown["own"] == 0
