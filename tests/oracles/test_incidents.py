"""The slow reference of the incident measures, held to numbers worked out by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import pytest
from hypothesis import given

from tests import strategies as st
from tests.oracles import incidents as slow
from tests.oracles import incidents_2021 as slow_2021
from tests.oracles import incidents_alerts as alerts
from tests.oracles import incidents_files as files
from tests.oracles import incidents_proposal as proposals
from tests.oracles.incidents import Label, Line, Ontology
from tests.oracles.incidents_alerts import Rules

ONTOLOGY = Ontology(("A-x", "A-y", "B-x", "B-y"), frozenset({"A-x", "A-y", "A-gone"}))


def label(post: str, types: str, priority: str, event: str = "e") -> Label:
    return Label(event, post, frozenset(types.split()), priority)


def line(
    post: str, types: str = "", importance: float = 0.0, at: int = 0, event: str = "e"
) -> Line:
    return Line(event, post, float(at), at, importance, frozenset(types.split()))


TWICE = [label("p", "A-x", "Low"), label("q", "B-y", "High"), label("p", "B-x", "Medium")]


def test_positions_of_a_post_that_is_labelled_twice() -> None:
    assert slow.united(TWICE) == [label("p", "A-x B-x", "Medium"), TWICE[1]]
    assert slow.repeated(TWICE) == [TWICE[2], TWICE[1], TWICE[2]]
    again = label("p", "A-y", "Critical", event="f")
    assert slow.in_first_event([*TWICE, again])[0] == label("p", "A-x A-y B-x", "Critical")
    assert slow.united([*TWICE, again])[2] == again
    unknown = label("p", "", "Unknown")
    assert slow.united([unknown, TWICE[0], unknown])[0].priority == "Low"


def test_types_with_three_divisors() -> None:
    """Found: p as A-x and B-x. Said: A-x at p and q, B-y at p."""
    run = [line("p", "A-x B-y"), line("q", "A-x"), line("stranger", "A-y")]
    note = slow.types_note(TWICE, run, ONTOLOGY)
    # A-x: TP p, FP q. A-y: all right. B-x: FN p. B-y: FP p, FN q.
    assert note["type.P"] == (0.5 + 0 + 0 + 0) / 4
    assert note["type.R"] == (1 + 0 + 0 + 0) / 4
    assert note["type.F1"] == pytest.approx((2 / 3) / 4)
    assert note["type.accuracy"] == (0.5 + 1 + 0.5 + 0) / 4
    assert note["type.P(actionable)"] == 0.5 / 2
    assert note["type.accuracy(other)"] == 0.5 / 2
    first = slow.types_2018(TWICE, run, ONTOLOGY)
    # The positions p, q, p all say of p B-x alone. A-x: FP three times.
    assert first["type.accuracy"] == pytest.approx((0 + 1 + 1 / 3 + 0) / 4)
    assert first["type.accuracy(actionable)"] == pytest.approx((0 + 1) / 3)


def test_the_event_file_of_2018_swaps_truth_and_prediction() -> None:
    run = [line("p", "B-x B-y")]
    swapped = slow.types_2018_event_file([label("p", "B-x", "Low")], run, ONTOLOGY)["e"]
    right = slow.types_2018([label("p", "B-x", "Low")], run, ONTOLOGY)
    assert (swapped["type.P"], swapped["type.R"]) == (right["type.R"], right["type.P"])
    both = slow.types_2018_event_file(
        [label("p", "A-x", "Low"), label("q", "A-x", "Low")], [line("p", "A-x")], ONTOLOGY
    )["e"]
    assert (both["type.P"], both["type.R"]) == (0.5 / 4, 1 / 4)


def test_types_of_2021_are_counted_in_the_first_event_alone() -> None:
    labels = [label("p", "A-x Gone", "Low"), label("p", "B-x", "Low", "f")]
    labels.append(label("q", "", "Low", "f"))
    values = slow.types_2021_events(labels, [line("p", "A-x", event="f")], ONTOLOGY)
    assert values["e"]["type.accuracy"] == (1 + 0) / 4  # of A-x and B-x, which p has
    assert values["f"]["type.accuracy"] == 0  # no type is labelled there
    assert slow.types_2021(labels, [line("p", "A-x")], ONTOLOGY)["type.accuracy"] == 3.5 / 4


def test_any_type_of_2018() -> None:
    """A match each, a denial that is right, one that is wrong, a miss, and a post never sent."""
    labels = [label(post, "A-x Other-Irrelevant", "Low") for post in "abcde"]
    labels += [label("f", "A-x", "Low")]
    said = {"a": "A-x", "b": "Other-Irrelevant", "c": "A-y", "d": "A-x", "f": "Other-Unknown"}
    values = slow.any_2018(labels, [line(post, types) for post, types in said.items()])
    # TP a d, TN b, FN f, FP c e
    assert values["any.P"] == 2 / 4
    assert values["any.R"] == 2 / 3
    assert values["any.F1"] == pytest.approx(4 / 7)
    assert values["any.accuracy"] == 3 / 6
    pairs = slow.predicted_types(labels, [line(post, types) for post, types in said.items()])
    by_the_page = slow.any_of(pairs, untyped_wrong=False, wrong_missed=True, refusals=False)
    # TP a b d, FP c f, and of six posts e is missed too
    assert (by_the_page["any.P"], by_the_page["any.R"]) == (3 / 5, 3 / 6)
    assert (by_the_page["any.F1"], by_the_page["any.accuracy"]) == (pytest.approx(6 / 11), 3 / 6)


@pytest.mark.parametrize(
    ("scores", "when", "clip", "expected"),
    [
        ([0.0, 0.1, 0.9], "auto", True, [0.25, 0.25, 0.9]),
        ([0.0, 0.1, 0.9], "always", False, [0.0, 0.1 / 0.9, 1.0]),
        ([0.0, 5.0, 10.0], "auto", True, [0.25, 0.5, 1.0]),
        ([-1.0, 0.0, 3.0], "auto", False, [0.0, 0.25, 1.0]),
        ([-1.0, 0.0, 1.0], "auto", False, [0.0, 0.5, 1.0]),
        ([0.0, 5.0, 10.0], "never", False, [0.0, 5.0, 10.0]),
        ([0.9, 0.9], "auto", True, [0.9, 0.9]),
        ([0.9, 0.9], "always", True, [0.25, 0.25]),
        ([7.0, 7.0], "auto", True, [0.25, 0.25]),
        ([-1.0, 0.5, 7.0], "never", True, [0.25, 0.5, 1.0]),
        ([], "always", True, []),
    ],
)
def test_priorities_are_normalised(
    scores: list[float], when: str, clip: bool, expected: list[float]
) -> None:
    lines = [line(str(at), importance=score) for at, score in enumerate(scores)]
    assert slow.normalised(lines, when, clip) == pytest.approx(expected)


def test_priority_errors() -> None:
    labels = [label("p", "A-x B-x", "Critical"), label("q", "B-x", "Unknown")]
    labels += [label("q", "B-x", "Medium")]
    run = [line("p", importance=0.5)]
    # A-x: p alone, 0.5 away. B-x: p, and q which has 0.25 and should have 0.5.
    first, second = 0.25, (0.25 + 0.0625) / 2
    note = slow.priority_note(labels, run, ONTOLOGY)
    assert note["priority.MSE"] == (first + second) / 2
    assert note["priority.RMSE"] == (0.5 + math.sqrt(second)) / 2
    assert note["priority.MSE(actionable)"] == first
    script = slow.priority_2018(labels, run, ONTOLOGY)
    assert script["priority.RMSE"] == pytest.approx((first + (0.25 + 2 * 0.0625) / 3) / 4)
    assert script["priority.MSE(actionable)"] == first / 3
    assert slow.priority_note([label("p", "", "Low")], run, ONTOLOGY)["priority.MSE"] is None
    unknown = [label("p", "A-x", "Unknown"), label("q", "A-x", "Low")]
    assert slow.priority_note(unknown, run, ONTOLOGY)["priority.MSE"] == 0  # q alone, absent


WAY_LABELS = [
    label("low", "B-x", "Low"),
    label("mid", "A-x B-x", "Medium"),
    label("high", "A-x B-x", "High"),
    label("worst", "B-y", "Critical"),
    label("late", "", "Unknown"),
    label("gone", "A-x", "High"),
    label("lost", "B-x", "Low"),
]
WAY = [
    line("late", "", 0.7, at=6),
    line("stranger", "A-x", 1.0, at=1),
    line("low", "B-x", 0.9, at=2),
    line("mid", "A-x A-y B-x B-y", 0.8, at=3),
    line("high", "A-x A-y B-x", 0.7, at=4),
    line("worst", "B-y", 0.69, at=5),
]


def test_alert_worth_of_the_note_by_hand() -> None:
    worth = alerts.aaw_note(WAY_LABELS, WAY, ONTOLOGY)
    second = -math.log10(1.5)
    true_alert = 0.3 + 0.7 * (0.75 * 0.5 + 0.25 * 1)
    assert [(s.post, s.delta) for s in worth.trail] == [
        ("low", 0),
        ("mid", 1),
        ("high", 2),
        ("worst", 0),
        ("late", 0),
        ("gone", None),
        ("lost", None),
    ]
    expected = [0, second, true_alert, -1, 0, -1, 0]
    assert [s.worth for s in worth.trail] == pytest.approx(expected)
    assert worth.high == pytest.approx((true_alert - 2) / 3)
    assert worth.low == pytest.approx(second / 4)
    assert worth.all == pytest.approx(((true_alert - 2) / 3 + second / 4) / 2)


def test_alert_worth_without_alerts_is_agreement() -> None:
    worth = alerts.aaw_note(WAY_LABELS, WAY, ONTOLOGY, Rules(threshold=2, missing=False))
    assert {s.post: pytest.approx(s.worth) for s in worth.trail if not s.high} == {
        "low": 1.0,
        "mid": 0.75 * 0.5 + 0.25 * 0.5,
        "late": 0.0,
    }
    assert worth.high == -1


def test_a_post_that_the_run_repeats_counts_by_its_last_line_in_the_note() -> None:
    labels = [label("p", "", "High")]
    run = [line("p", importance=0.7), line("p", importance=0.1, at=1)]
    assert [s.worth for s in alerts.aaw_note(labels, run, ONTOLOGY).trail] == [-1]
    assert alerts.aaw_2019b(labels, run).high == pytest.approx(0.3 - 1)


def deltas(run: Sequence[Line], rules: Rules) -> list[tuple[str, int | None]]:
    labels = [label(post, "", "High" if post == "h" else "Low", e) for post in "abh" for e in "ef"]
    return [
        (s.event + s.post, s.delta) for s in alerts.aaw_note(labels, run, ONTOLOGY, rules).trail
    ]


def test_alerts_in_each_order() -> None:
    run = [
        Line("f", "a", 3, 2, 1.0, frozenset()),
        Line("e", "a", 1, 1, 1.0, frozenset()),
        Line("f", "h", 2, 9, 1.0, frozenset()),
        Line("f", "b", 1, 1, 1.0, frozenset()),
    ]
    assert deltas(run, Rules(missing=False)) == [("fb", 0), ("fh", 1), ("fa", 0), ("ea", 0)]
    by_rank = deltas(run, Rules(order="rank", missing=False))
    assert by_rank == [("fb", 0), ("fa", 1), ("fh", 2), ("ea", 0)]
    on_and_on = deltas(run, Rules(order="file", anew=False, missing=False))
    assert on_and_on == [("fa", 0), ("fh", 1), ("fb", 0), ("ea", 1)]


def test_the_cost_of_false_alerts_ends_at_one() -> None:
    assert [alerts.cost(delta, 10) for delta in (0, 18, 19)] == pytest.approx([0, -1, -1])
    assert -1 < alerts.cost(17, 10) < alerts.cost(16, 10)
    assert alerts.cost(2, math.e) == pytest.approx(-math.log(2))
    assert alerts.cost(4, math.e) == -1


def test_a_part_without_posts_is_undefined() -> None:
    worth = alerts.aaw_note([label("p", "", "Low")], [], ONTOLOGY)
    assert (worth.high, worth.low, worth.all) == (None, 0.0, None)
    assert alerts.aaw_2019b([], []).high is None


def test_the_scripts_alert_worth_by_hand() -> None:
    """Entries: high twice and gone; low, mid and lost. Unknown is summed but counted nowhere."""
    labels = [*WAY_LABELS[:3], WAY_LABELS[2], *WAY_LABELS[4:]]
    worth = alerts.aaw_2019b(labels, [*WAY, WAY[2]])
    # By rank: low 0, the same again, mid, high, late; the repeated line is a false alert too.
    low = -math.log10(1.5) - math.log10(2)
    assert worth.high == pytest.approx(0.3 / 3)
    assert worth.low == pytest.approx(low / 3)
    assert worth.all == pytest.approx((0.3 / 3 + low / 3) / 2)
    pooled = alerts.aaw_2018v2(labels, [*WAY, WAY[2]])
    assert pooled.high == worth.high
    assert pooled.all == pytest.approx((0.3 + low) / 12)


def test_the_scripts_find_a_post_in_whatever_event() -> None:
    labels = [label("p", "A-x", "High"), label("p", "B-x", "Low", "f"), label("q", "", "High")]
    run = [line("p", "B-x", importance=1, event="g"), line("q", importance=1)]
    found = [(p.event, p.priority, p.types) for p in slow.repeated(labels)[:2]]
    assert found == [("e", "Low", {"B-x"}), ("f", "Low", {"B-x"})]
    assert slow.types_2018(labels, run, ONTOLOGY)["type.F1"] == 1 / 4
    worth = alerts.aaw_2019b(labels, run)
    assert [(s.event, s.post, s.worth) for s in worth.trail] == [("f", "p", 0), ("e", "q", 0.3)]


def test_the_scripts_take_the_last_label_and_go_by_rank() -> None:
    labels = [label("p", "", "High"), label("p", "", "Low"), label("q", "", "Low")]
    run = [line("p", importance=1, at=2), line("q", importance=1, at=1)]
    worth = alerts.aaw_2019b(labels, run)
    assert [(s.post, s.high, s.delta) for s in worth.trail] == [("q", False, 0), ("p", False, 1)]
    assert worth.high == 0
    assert worth.low == pytest.approx(-math.log10(1.5) / 2)


def test_only_2019a_tests_the_raw_priority() -> None:
    labels = [label("p", "", "High"), label("q", "", "High")]
    run = [line("p", importance=10), line("q", importance=5, at=1)]
    assert alerts.aaw_2019a(labels, run).high == 0.3
    assert alerts.aaw_2019b(labels, run).high == (0.3 - 1) / 2


def test_levels_belong_to_their_lower_bounds() -> None:
    scores = (0.0, 0.25, 0.26, 0.5, 0.51, 0.75, 0.76, 1.0)
    said = [slow_2021.level_of(score)[0] for score in scores]
    assert "".join(said) == "LLMMHHCC"


def test_ndcg_by_hand() -> None:
    labels = [label("a", "", "Critical"), label("b", "", "Low"), label("c", "", "Medium")]
    run = [line("b", importance=0.9), line("a", importance=0.6), line("c", importance=0.7)]
    discounts = [1, 1 / math.log2(3), 1 / 2]
    ideal = 15 + 3 * discounts[1] + 1 * discounts[2]
    expected = 1 + (15 + 3) / 2 * (discounts[1] + discounts[2])
    assert slow_2021.ndcg_2021(labels, run)["e"] == pytest.approx(expected / ideal)
    less = slow_2021.ndcg_2021(labels, run[:1])["e"]
    assert less == pytest.approx(1 / ideal)
    all_low = slow_2021.ndcg_2021(labels, run[:1], absent="low")["e"]
    assert all_low == pytest.approx(expected / ideal)
    stranger = [*run, line("stranger", importance=1.0)]
    assert slow_2021.ndcg_2021(labels, stranger)["e"] == pytest.approx(expected / ideal)
    stranger.append(line("elsewhere", importance=1.0, event="f"))
    between = 1 / 2 * (1 + discounts[1]) + 9 * (discounts[2] + 1 / math.log2(5))
    seen = slow_2021.ndcg_2021(labels, stranger, unlabelled="zero")["e"]
    assert seen == pytest.approx(between / ideal)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([1.0, 3.0, 7.0, 15.0])), max_size=6))
def test_the_expectation_is_the_mean_over_all_orders(posts: list[tuple[int, float]]) -> None:
    found = [
        slow_2021.dcg([gain for _, gain in sorted(order, key=lambda post: -post[0])])
        for order in itertools.permutations(posts)
    ]
    assert slow_2021.expected_dcg(posts) == pytest.approx(sum(found) / len(found))


def test_shuffles_come_near_the_expectation_across_the_depth() -> None:
    posts = [(at % 2, 15.0 if at % 3 else 1.0) for at in range(240)]
    close = slow_2021.shuffled_dcg(posts, 400, seed=1)
    assert close == pytest.approx(slow_2021.expected_dcg(posts), rel=0.01)
    assert close == slow_2021.shuffled_dcg(posts, 400, seed=1)
    assert close != slow_2021.shuffled_dcg(posts, 400, seed=2)


def test_priority_f1_by_hand() -> None:
    labels = [label("a", "A-x", "High"), label("b", "A-x", "Low"), label("c", "A-x B-x", "Low")]
    run = [line("a", importance=0.6), line("b", importance=1.0)]
    each = slow_2021.priority_f1_types(labels, run, ONTOLOGY)
    # A-x: High 1, Low 2 * 1 / 3 (c is absent, so Low), Critical 0.
    assert each == pytest.approx({"A-x": (1 + 2 / 3 + 0) / 3, "A-y": 0, "B-x": 1, "B-y": 0})
    values = slow_2021.priority_f1_2021(labels, run, ONTOLOGY)
    assert values["priority.F1"] == pytest.approx((5 / 9 + 1) / 4)
    assert values["priority.F1(actionable)"] == pytest.approx(5 / 27)


def test_pearson_by_hand() -> None:
    assert slow_2021.pearson([0, 1, 2], [5, 5, 8]) == pytest.approx(3 / math.sqrt(2 * 6))
    assert slow_2021.pearson([1], [1]) is None
    assert slow_2021.pearson([1, 1], [1, 2]) is None
    assert slow_2021.pearson([1, 2], [0.1, 0.1]) is None
    assert slow_2021.pearson(range(24), [0.1] * 24) is None
    types = ("A-x", "B-x", "Other-Irrelevant")
    ontology = Ontology(types, frozenset({"A-x", "A-y"}))
    labels = [label("a", "A-x B-x", "High"), label("b", "A-x Other-Irrelevant", "Low")]
    run = [line("a", importance=0.9)]
    assert slow_2021.pearson_types(labels, run, ontology) == {"A-x": pytest.approx(1), "B-x": None}
    assert slow_2021.pearson_2021(labels, run, ontology) == pytest.approx(
        {
            "priority.pearson": 1 / 2,
            "priority.pearson(actionable)": 1 / 2,
            "priority.pearson(other)": 0,
            "priority.pearson(table)": 1 / 3,
        }
    )


def test_the_guard_of_the_script_asks_for_the_mean_deviation() -> None:
    assert slow_2021.guarded_pearson([0.25, 0.5], [0.1, 0.9]) == 0.0  # they cancel exactly
    assert slow_2021.guarded_pearson([0.25, 0.5], [0.7, 0.7]) == 0.0
    uneven = [0.1, 0.2, 0.6]  # whose mean deviation is not 0, for the mean is rounded
    expected = slow_2021.pearson([0.25, 0.5, 0.5], uneven)
    assert slow_2021.guarded_pearson([0.25, 0.5, 0.5], uneven) == pytest.approx(expected)
    assert slow_2021.guarded_pearson([0.25, 0.25, 0.25], uneven) is None
    assert slow_2021.guarded_pearson([], []) is None


def test_pearson_takes_a_post_that_is_absent_at_its_lowest() -> None:
    labels = [label("a", "A-x", "High"), label("b", "A-x", "Low"), label("c", "A-x", "Critical")]
    run = [line("a", importance=0.5), line("c", importance=0.75)]
    r = slow_2021.pearson_types(labels, run, ONTOLOGY)["A-x"]
    assert r == slow_2021.pearson([0.75, 0.25, 1.0], [0.5, 0.25, 0.75])
    assert r != slow_2021.pearson([0.75, 0.25, 1.0], [0.5, 0.0, 0.75])


def test_a_report_by_hand() -> None:
    assert files.report("A-type", slow.Confusion(tp=1, fp=1, fn=2, tn=6)) == [
        "               precision    recall  f1-score   support",
        "",
        "Other Classes       0.75      0.86      0.80         7",
        "       A-type       0.50      0.33      0.40         3",
        "",
        "     accuracy                           0.70        10",
        "    macro avg       0.62      0.60      0.60        10",
        " weighted avg       0.68      0.70      0.68        10",
    ]


def test_the_proposal_by_hand() -> None:
    tree = proposals.Hierarchy(("top", "low", "else"), {"low": "top"})
    labels = [label("p", "low", "Low"), label("q", "else", "Low")]
    run = [
        proposals.Emission("e", "p", 0, {"top": 0.5, "else": 0.1}),
        proposals.Emission("e", "q", 1, {"else": 0.5}),
        proposals.Emission("e", "unjudged", 1, {"low": 0.5}),
    ]
    flat = proposals.proposal(labels, run, tree)
    assert flat["type.accuracy"] == pytest.approx((0.5 + 0.5 + 0.5) / 3)
    assert flat["type.P"] == pytest.approx(0.5 / 3)
    assert flat["type.R"] == pytest.approx(1 / 3)
    rolled = proposals.proposal(labels, run, tree, roll_up=True)
    assert rolled["type.accuracy"] == pytest.approx((1 + 0.5 + 0.5) / 3)
    twice = [*run, proposals.Emission("e", "p", 2, {"low": 0})]
    assert proposals.proposal(labels, twice, tree)["type.accuracy"] == pytest.approx(2 / 3)
    assert proposals.emitted(twice)["e", "p"] == {"top", "else", "low"}
    sure = proposals.proposal(labels, run, tree, ["else"], threshold=0.5)
    assert sure == {"type.P": 1, "type.R": 1, "type.accuracy": 1}
    assert proposals.pooled([run], 0.5)["low"] == {("e", "unjudged")}


def test_entries_over_their_own_pools_by_hand() -> None:
    tree = proposals.Hierarchy(("top", "low", "else"), {"low": "top"})
    answers = {("e", "p", "low"): True, ("e", "q", "low"): False, ("e", "q", "top"): True}
    run = [proposals.Emission("e", post, 0, {"low": 0.5, "else": 0.5}) for post in "pq"]
    flat = proposals.own_pools(answers, run, tree)
    assert flat["low"].accuracy == 0.5  # p has it and q does not; both were given it
    assert (flat["top"].accuracy, flat["top"].fn) == (0, 1)  # q alone
    assert flat["else"] == slow.Confusion()  # nobody was asked
    assert proposals.mean_of_pools(flat)["type.accuracy"] == 0.25
    rolled = proposals.own_pools(answers, run, tree, roll_up=True)
    assert (rolled["top"].tp, rolled["top"].accuracy) == (2, 1)  # p too, since it has low
    runs = {"a": run, "b": [proposals.Emission("e", "r", 1, {"low": 0.9})]}
    assert proposals.drawn(runs, "low", 2, None) == {"e": {"r", "p"}}
    assert proposals.drawn(runs, "low", None, 1) == {"e": {"p", "r"}}


def test_a_circle_of_parents_ends() -> None:
    tree = proposals.Hierarchy(("a", "b"), {"a": "b", "b": "a"})
    assert proposals.with_ancestors({"a"}, tree) == {"a", "b"}
