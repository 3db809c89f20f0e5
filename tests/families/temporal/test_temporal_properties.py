"""The measures at time t, held to the slow reference."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import tseval
from tests import cases
from tests import strategies as st
from tests.oracles import close
from tests.oracles import temporal as slow
from tseval.core.curves import curves
from tseval.core.registry import measures
from tseval.core.results import evaluate
from tseval.core.scoring import scores_of
from tseval.families.temporal.evaluation import TemporalEvaluation
from tseval.io.score_files import ScoreRecord

pytestmark = pytest.mark.small_times

EXACT = (
    "P",
    "P(reward=1)",
    "P(cost=words)",
    "P(cost=chars,cost-of=match)",
    "P(cost-of=match,reward=binary)",
    "P(updates)",
    "P(updates,cost=words)",
    "R",
    "R(reward=binary)",
    "Rs",
    "Rs(reward=1)",
    "T",
    "T(unit=s)",
    "T(g=sign)",
    "F",
    "F(beta=2)",
    "F(beta=0.5,cost=words,reward=1)",
)
SMOOTH = (
    "P(reward=exp)",
    "R(reward=exp)",
    "Rs(reward=exp)",
    "F(reward=exp)",
    "T(g=logistic(scale=1m))",
    "T(g=arctan(scale=2s))",
    "T(g=arctan)",
)
ALL = EXACT + SMOOTH
TIMES = ("", "@3s", "@0s", "@0.5s", "@6", "@1970-01-01T00:00:09Z", "@30")


def scored(
    evaluation: TemporalEvaluation, names: list[str], undefined: str = "skip"
) -> tseval.Scores:
    return scores_of(evaluation, measures(names), "zero", undefined)


@given(
    cases.collections(), st.booleans(), st.sampled_from(TIMES), st.sampled_from(("skip", "zero"))
)
def test_values_equal_the_slow_ones(
    collection: slow.Collection, duplicates: bool, at: str, undefined: str
) -> None:
    names = [name + at for name in ALL]
    scores = scored(cases.evaluation(collection, duplicates=duplicates), names, undefined)
    known = collection if duplicates else replace(collection, duplicates=())
    for run in scores.runs:
        for name in names:
            for topic, expected in slow.score(known, run, slow.parse(name), undefined).items():
                assert close(scores.value(name, topic, run), expected), (run, topic, name)


@given(cases.collections(), st.booleans())
@settings(max_examples=50)
def test_curves_equal_the_slow_ones_between_all_times(
    collection: slow.Collection, duplicates: bool
) -> None:
    evaluation = cases.evaluation(collection, duplicates=duplicates)
    known = collection if duplicates else replace(collection, duplicates=())
    for curve in curves(evaluation, measures(ALL), evaluation.index.topics):
        case = slow.select(known, curve.run, curve.topic)
        for time, expected in slow.curve(case, slow.parse(curve.measure)):
            at = np.searchsorted(curve.time, time, "right") - 1
            if at >= 0:
                value = float(curve.values.value[at]) if curve.values.defined[at] else None
                assert close(value, expected), (curve.run, curve.topic, curve.measure, time)
            else:
                before = slow.value(case, slow.parse(curve.measure), min(curve.time))
                assert before == expected, "nothing had changed yet"


@given(cases.collections())
@settings(max_examples=30)
def test_the_mean_curve_equals_the_scores_at_its_times(collection: slow.Collection) -> None:
    evaluation = cases.evaluation(collection)
    wanted = ["P", "R", "Rs", "T"]
    for curve in curves(evaluation, measures(wanted)):
        inside = [
            (float(low), float(low + high) / 2)
            for low, high in pairwise([*curve.time, curve.time[-1] + 2])
            if low >= 0
        ]
        for (_, middle), value, defined in zip(
            inside,
            curve.values.value[-len(inside) :],
            curve.values.defined[-len(inside) :],
            strict=True,
        ):
            name = f"{curve.measure}@{middle!r}s"
            expected = scored(evaluation, [name]).value(name, "all", curve.run)
            assert close(float(value) if defined else None, expected)


@given(
    cases.collections(runs=1),
    st.lists(st.sampled_from(ALL), min_size=1, max_size=4, unique=True),
    st.sampled_from(TIMES),
    st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_the_stream_equals_the_batch_at_every_prefix(
    collection: slow.Collection, chosen: list[str], at: str, in_order: bool
) -> None:
    """Whatever the order of times."""
    names = [name + at for name in chosen]
    known = replace(collection, duplicates=())
    arriving = list(known.updates)
    if in_order:
        arriving.sort(key=lambda update: update.time)
    tables, costs = cases.frames(known), cases.has_costs(known)
    live = tseval.LiveScores(tables["nuggets"], names, topics=tables["topics"], run="b")
    if not costs:
        _check_prefix(live, replace(known, updates=[]), names)
    for number, update in enumerate(arriving, start=1):
        says = {
            match.nugget_id: float(match.grade)
            for match in known.matches
            if (match.topic, match.update_id) == (update.topic, update.update_id)
        }
        cost = float(update.cost) if costs else None
        time, text = float(update.time), update.text
        live.add(update.topic, update.update_id, time, says, text=text, cost=cost)
        _check_prefix(live, replace(known, updates=arriving[:number]), names)


def _check_prefix(live: tseval.LiveScores, prefix: slow.Collection, names: list[str]) -> None:
    scores = live.scores()
    for name in names:
        expected = slow.score(prefix, "b", slow.parse(name))
        for topic in (*scores.topics, "all"):
            assert close(scores.value(name, topic), expected[topic]), (name, topic)


@given(cases.collections(), st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_scores_do_not_change_with_the_order_of_lines_to_the_last_bit(
    collection: slow.Collection, random: object
) -> None:
    shuffled = replace(collection, updates=list(collection.updates))
    random.shuffle(shuffled.updates)  # type: ignore[attr-defined]
    # Of updates at one time the first line says a nugget: what that line costs counts in these.
    by_line = ("cost-of=match", "updates", "F")
    names = [name for name in ALL if not any(each in name for each in by_line)]
    assert _records(scored(cases.evaluation(shuffled), names)) == _records(
        scored(cases.evaluation(collection), names)
    )


@given(cases.collections())
@settings(max_examples=50)
def test_a_run_scores_the_same_alone_to_the_last_bit(collection: slow.Collection) -> None:
    together = _records(scored(cases.evaluation(collection), list(ALL)))
    for run in {update.run for update in collection.updates}:
        alone = replace(
            collection,
            updates=[update for update in collection.updates if update.run == run],
            matches=_matches_of(collection, run),
        )
        costs = cases.has_costs(alone) == cases.has_costs(collection)
        if costs:
            own = _records(scored(cases.evaluation(alone), list(ALL)))
            assert own == [record for record in together if record.run == run]


def _matches_of(collection: slow.Collection, run: str) -> list[slow.Match]:
    sent = {(u.topic, u.update_id) for u in collection.updates if u.run == run}
    return [
        match
        for match in collection.matches
        if match.run in (None, run) and (match.topic, match.update_id) in sent
    ]


def _records(scores: tseval.Scores) -> list[ScoreRecord]:
    return list(scores.records())


@given(cases.collections())
@settings(max_examples=50)
def test_explanations_agree_with_the_slow_index(collection: slow.Collection) -> None:
    found = cases.evaluation(collection)
    index = found.index
    updates, nuggets = cases.explained(found, "updates"), cases.explained(found, "nuggets")
    for run in index.runs:
        for topic in index.topics:
            case = slow.select(collection, run, topic)
            _check_updates(_part(updates, run, topic), case)
            _check_nuggets(_part(nuggets, run, topic), case)


def _part(frame: pd.DataFrame, run: str, topic: str) -> pd.DataFrame:
    return frame[(frame.run == run) & (frame.topic == topic)]


def _check_updates(part: pd.DataFrame, case: slow.Case) -> None:
    roles = slow.roles(case)
    assert part.update_id.tolist() == [u.update_id for u in sorted(case.updates, key=_time)]
    for row in part.itertuples():
        role = roles[row.update_id]
        assert (row.role, row.repeats) == (role.kind, len(role.repeats))
        assert sorted(row.earned.split()) == sorted(role.earns)
        earned = [
            nugget.importance * rise
            for nugget, update, rise in slow.found_before(case, None)
            if update.update_id == row.update_id
        ]
        assert row.reward == sum(earned)


def _time(update: slow.Update) -> slow.Number:
    return update.time


def _check_nuggets(part: pd.DataFrame, case: slow.Case) -> None:
    firsts = slow.earliest(case)
    assert set(part.nugget_id) == set(firsts)
    for row in part.itertuples():
        first = firsts[row.nugget_id]
        said = [u for u in case.updates if (u.update_id, row.nugget_id) in case.matches]
        assert row.status == ("said" if first else "missed")
        assert row.repeats == max(len(said) - 1, 0)
        if first is not None:
            assert row.update_id == first.update_id
            assert row.hours_early == pytest.approx((row.time - first.time) / 3600)
        nugget = next(n for n in case.nuggets if n.nugget_id == row.nugget_id)
        best = max((slow.grade(case, u, nugget) for u in case.updates), default=0)
        assert getattr(row, "grade", 1.0 if first else 0.0) == best


# A nugget of 10:00 said in part at 09:00, more at 12:00, in full at 14:00, again at 15:00; one of
# 11:00 said in part alone at 11:00. Rises 1/4, 1/4, 1/2 and 1/2; the topic starts at 10:00.
GRADED = slow.Collection(
    [slow.Update("t", f"u{hour}", hour * 3600) for hour in (9, 11, 12, 14, 15)],
    [slow.Nugget("t", "n", 10 * 3600, importance=3), slow.Nugget("t", "m", 11 * 3600)],
    [
        slow.Match("t", "u9", "n", grade=0.25),
        slow.Match("t", "u12", "n", grade=0.5),
        slow.Match("t", "u14", "n", grade=1),
        slow.Match("t", "u15", "n", grade=0.5),
        slow.Match("t", "u11", "m", grade=0.5),
        slow.Match("t", "u15", "m", grade=0),
    ],
)
BY_HAND = {
    "R": (3 * 1 + 1 * 0.5) / 4,
    "R@3h": (3 * 0.5 + 1 * 0.5) / 4,  # before 13:00
    "R@1h": 3 * 0.25 / 4,
    "Rs@1h": 3 * 0.25 / 3,  # m has not happened before 11:00
    "T": (1 * 0.25 - 2 * 0.25 - 4 * 0.5 + 0 * 0.5) / (0.25 + 0.25 + 0.5 + 0.5),
    "P": (3 * 1 + 1 * 0.5) / 5,
    "P(updates)": 4 / 5,
    "C": (1 + 0.5 * np.exp(-2)) / (1 + np.exp(-2)),
}


def test_graded_matches_by_hand() -> None:
    scores = scored(cases.evaluation(GRADED), list(BY_HAND))
    assert {name: scores.value(name) for name in BY_HAND} == pytest.approx(BY_HAND)


@pytest.mark.parametrize(("rule", "said"), [("any", ["m", "n"]), ("full", ["n"])])
def test_the_rule_of_grades_makes_matches_of_them(rule: str, said: list[str]) -> None:
    tables = cases.frames(GRADED)
    kept = tables["matches"].query("grade == 1" if rule == "full" else "grade > 0")
    given = tables["updates"], tables["nuggets"]
    found = tseval.score(*given, tables["matches"], rules={"grades": rule}, measures=list(BY_HAND))
    plain = tseval.score(*given, kept.drop(columns="grade"), measures=list(BY_HAND))
    assert list(found.records()) == list(plain.records())
    assert found.value("R") == (1.0 if said == ["m", "n"] else 0.75)
    with pytest.raises(tseval.UsageError, match="changes nothing: all matches are in full"):
        tseval.score(*given, kept.drop(columns="grade"), rules={"grades": rule})


@given(cases.collections(graded=False))
@settings(max_examples=40)
def test_grades_of_1_change_no_byte(collection: slow.Collection) -> None:
    tables = cases.frames(replace(collection, duplicates=()))
    names = [*ALL, "EG", "LC", "L", "HM"]
    given = tables["updates"], tables["nuggets"]
    without, graded = (
        tseval.score(*given, tables["matches"].assign(**more), measures=names)
        for more in ({}, {"grade": in_full(len(tables["matches"]))})
    )
    assert without.in_form("csv") == graded.in_form("csv")


def in_full(number: int) -> list[str]:
    """Every way to say that a match is in full."""
    return (["1", "support", "1.0", "", " Support "] * number)[:number]


def test_the_index_takes_the_first_in_the_file_of_equal_times() -> None:
    updates = [slow.Update("t", name, 5) for name in ("late", "twin", "early")]
    collection = slow.Collection(
        updates, [slow.Nugget("t", "n", 1)], [slow.Match("t", u.update_id, "n") for u in updates]
    )
    index = cases.evaluation(collection).index
    first = index["firsts"].join(index.updates, on="update")
    assert first["update_id"].to_list() == ["late"]
    assert first["said"].to_list() == [3]


def test_live_scores_refuse_what_a_stream_cannot_be() -> None:
    nuggets = cases.frames(slow.Collection([], [slow.Nugget("t", "n", 1)], []))["nuggets"]
    live = tseval.LiveScores(nuggets, "R")
    live.add("t", "a", 5, ["n"])
    live.add("t", "b", 4, {"n": 0})
    with pytest.raises(tseval.UsageError, match="came before"):
        live.add("t", "a", 6)
    with pytest.raises(tseval.UsageError, match="has no nugget nobody"):
        live.add("t", "c", 6, ["nobody"])
    with pytest.raises(tseval.UsageError, match="has no cost"):
        live.add("t", "c", 6, cost=2)
    live.add("elsewhere", "d", 6)
    assert live.value("R") == live.value("R", "t") == 1


def test_values_of_a_measure_asked_for_at_several_times_share_one_account() -> None:
    counted: list[str] = []
    wanted = measures(["R R@1h R@2h Rs"])
    for measure in wanted:
        account = measure.definition.account

        def counting(*given: object, account=account, name=measure.definition.name):  # type: ignore[no-untyped-def]
            counted.append(name)
            return account(*given)

        object.__setattr__(measure, "definition", replace(measure.definition, account=counting))
    collection = slow.Collection([], [slow.Nugget("t", "n", 1)], [])
    evaluate(cases.evaluation(collection).index, wanted, np.zeros(1))
    assert sorted(counted) == ["R", "Rs"]
