"""The incident stream of `fixtures/incidents`, worked out by hand from the note's formulas.

All numbers below are written as the sums that a person makes of the table in the fixtures' README;
none is taken from the program.
"""

from __future__ import annotations

from math import log, log2, log10, sqrt
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tseval
from tests.program import FIXTURES
from tests.program import tseval as program

FOLDER = FIXTURES / "incidents"
RUNS = (FOLDER / "keen.txt", FOLDER / "shy.tsv")
GIVEN = (FOLDER / "labels.json", FOLDER / "types.json")
EPOCHS = FOLDER / "epochs.txt"

# In order of time, with the threshold 0.7, lambda 3/4 and alpha 0.3. keen:
#   f1 due, alert     GoodsServices right (3/4 * 1), News missed (1/4 * 0): 0.3 + 0.7 * 3/4 = 0.825
#   f2 false, delta 0 log(1) = 0
#   f3 due, alert     both right: 0.3 + 0.7 * (3/4 + 1/4) = 1
#   f4 false, delta 0 the true alert set it back: 0
#   f5 false, delta 1 -log(1/2 + 1)
#   q1 due, no alert  -1
#   q2 not sent       nothing of News: 0
#   q3 false, delta 0 a new event: 0
SECOND = log10(1.5)
# shy, whose priorities 0 to 10 become 0 to 1: f1 0.5, f2 0 and then 0.25, f3 1, q1 1
#   f1 due, no alert -1; f2 nothing said: 0
#   f3 due, alert    nothing right: 0.3
#   q1 due, alert    EmergingThreats right, no other type on either side: 0.3 + 0.7 * 3/4 = 0.825
#   the others       0
ALERTS = {
    ("keen", "flood"): ((0.825 + 1) / 2, -SECOND / 3),
    ("keen", "quake"): (-1, 0),
    ("keen", "all"): ((0.825 + 1 - 1) / 3, -SECOND / 5),
    ("shy", "flood"): ((-1 + 0.3) / 2, 0),
    ("shy", "quake"): (0.825, 0),
    ("shy", "all"): ((-1 + 0.3 + 0.825) / 3, 0),
}
# P, R, F1, accuracy of one type over eight posts.
#   keen  GoodsServices   true f1, given f1
#         EmergingThreats true f3 q1, given f3 q1
#         News            true f1 f2 f3 f5 q2, given f2 f3 f4 f5: three in common, three wrong
#         Irrelevant      true f4 q3, given q3
#   shy   GoodsServices   true f1, given f3: two wrong
#         EmergingThreats true f3 q1, given q1
#         News            true f1 f2 f3 f5 q2, given f1: four wrong
#         Irrelevant      true f4 q3, given none
TYPES = {
    ("keen", "Request-GoodsServices"): (1, 1, 1, 1),
    ("keen", "Report-EmergingThreats"): (1, 1, 1, 1),
    ("keen", "Report-News"): (3 / 4, 3 / 5, 6 / 9, 5 / 8),
    ("keen", "Other-Irrelevant"): (1, 1 / 2, 2 / 3, 7 / 8),
    ("keen", "all"): (15 / 16, 31 / 40, 5 / 6, 7 / 8),
    ("shy", "Request-GoodsServices"): (0, 0, 0, 6 / 8),
    ("shy", "Report-EmergingThreats"): (1, 1 / 2, 2 / 3, 7 / 8),
    ("shy", "Report-News"): (1, 1 / 5, 2 / 6, 4 / 8),
    ("shy", "Other-Irrelevant"): (0, 0, 0, 6 / 8),
    ("shy", "all"): (2 / 4, 0.7 / 4, 1 / 4, 23 / 32),
}
# Means over two types each.
GROUPS = {
    ("keen", "(actionable)"): (1, 1, 1, 1),
    ("keen", "(other)"): (7 / 8, 11 / 20, 2 / 3, 3 / 4),
    ("shy", "(actionable)"): (1 / 2, 1 / 4, 1 / 3, 13 / 16),
    ("shy", "(other)"): (1 / 2, 1 / 10, 1 / 6, 5 / 8),
}
# keen: f1 f2 f3 f5 q1 right, and q3, of which both say Irrelevant; f4 wrong, q2 not sent.
# shy: q1 and f1 share a type with the assessors, f3 is wrong, f2 has no type, the other four are
# not sent; nothing is called Irrelevant. Recall is over all eight posts.
ANY = {"keen": (6 / 7, 6 / 8, 12 / 15, 6 / 8), "shy": (2 / 3, 2 / 8, 4 / 11, 2 / 8)}
# Where Irrelevant refuses a post q3 is a true negative, and where a wrong post is no miss f4 and f3
# are in no recall.
REFUSALS = {"refusals": "on", "any-wrong": "positive"}
ANY_WITH_REFUSALS = {"keen": (5 / 6, 5 / 6, 5 / 6, 6 / 8), "shy": (2 / 3, 2 / 7, 4 / 10, 2 / 8)}
# As the notebook of 2018 has it, who is not sent or has no type is wrong.
ANY_OF_2018 = {"keen": (5 / 7, 1, 10 / 12, 6 / 8), "shy": (2 / 8, 1, 4 / 10, 2 / 8)}
# Squared errors. q2, whose priority is unknown, is in none; who is not sent has 0.25.
#   keen  GoodsServices   f1 (1 - .9)^2
#         EmergingThreats f3 (.75 - .7)^2, q1 (.75 - .4)^2
#         News            f1 .01, f2 (.25 - .8)^2, f3 .0025, f5 (.5 - .95)^2
#         Irrelevant      f4 (.25 - .75)^2, q3 (.25 - .7)^2
#   shy   f1 (1 - .5)^2, f2 0, f3 and q1 (.75 - 1)^2, f5 (.5 - .25)^2, f4 and q3 0
ERRORS = {
    ("keen", "Request-GoodsServices"): 0.01,
    ("keen", "Report-EmergingThreats"): (0.0025 + 0.1225) / 2,
    ("keen", "Report-News"): (0.01 + 0.3025 + 0.0025 + 0.2025) / 4,
    ("keen", "Other-Irrelevant"): (0.25 + 0.2025) / 2,
    ("shy", "Request-GoodsServices"): 0.25,
    ("shy", "Report-EmergingThreats"): 0.0625,
    ("shy", "Report-News"): (0.25 + 0 + 0.0625 + 0.0625) / 4,
    ("shy", "Other-Irrelevant"): 0,
}
# Levels that keen says: f1 f2 f5 Critical, f3 f4 q3 High, q1 Medium.
#   GoodsServices   f1 Critical both: 1
#   EmergingThreats High 2 * 1 / (2 + 1), Medium 0
#   News            Critical 2 * 1 / (1 + 3), High 1, Medium and Low 0
#   Irrelevant      Low 0, High 0
# Levels that shy says: f1 Medium, f3 q1 Critical, f2 and all that are not sent Low.
#   GoodsServices   Critical 0, Medium 0
#   EmergingThreats High 0, Critical 0
#   News            true f1 Critical, f2 Low, f3 High, f5 Medium: Low 2 * 1 / (1 + 2), others 0
#   Irrelevant      Low 1
LEVELS = {
    ("keen", "Request-GoodsServices"): 1,
    ("keen", "Report-EmergingThreats"): (2 / 3 + 0) / 2,
    ("keen", "Report-News"): (1 / 2 + 1) / 4,
    ("keen", "Other-Irrelevant"): 0,
    ("keen", "all"): (1 + 1 / 3 + 3 / 8 + 0) / 4,
    ("shy", "Request-GoodsServices"): 0,
    ("shy", "Report-EmergingThreats"): 0,
    ("shy", "Report-News"): (2 / 3) / 4,
    ("shy", "Other-Irrelevant"): 1,
    ("shy", "all"): (0 + 0 + 1 / 6 + 1) / 4,
}
# One post or equal truths but for News: truths 1, .25, .75, .5 (f1 f2 f3 f5), their mean .625.
#   keen  .9, .8, .7, .95, mean .8375: products .00625, squares .3125 and .036875
#   shy   .5, .25, 1, .25, mean .5: products .1875, squares .3125 and .375
PEARSON = {"keen": 0.00625 / sqrt(0.3125 * 0.036875), "shy": 0.1875 / sqrt(0.3125 * 0.375)}
# Gains 15 f1, 1 f2, 7 f3, 1 f4, 3 f5; 7 q1, 0 q2, 1 q3. Discounts by rank:
ONE, TWO, THREE, FOUR, FIVE = (1 / log2(rank + 1) for rank in range(1, 6))
FLOOD = 15 * ONE + 7 * TWO + 3 * THREE + 1 * FOUR + 1 * FIVE
QUAKE = 7 * ONE + 1 * TWO
# keen ranks f1 f2 f5 in any order, then f3 f4; then q3 before q1. shy: f3, f1, f2; and q1 alone.
RANKED = {
    ("keen", "flood"): ((15 + 1 + 3) / 3 * (ONE + TWO + THREE) + (7 + 1) / 2 * (FOUR + FIVE))
    / FLOOD,
    ("keen", "quake"): (1 * ONE + 7 * TWO) / QUAKE,
    ("shy", "flood"): (7 * ONE + 15 * TWO + 1 * THREE) / FLOOD,
    ("shy", "quake"): 7 * ONE / QUAKE,
}
EVERY = (
    "AAW AAW.high AAW.low nDCG@100 priority.MSE_posts any.P any.R any.F1 any.accuracy "
    + " ".join(
        f"{name}{group}"
        for name in (
            *("type.P", "type.R", "type.F1", "type.accuracy"),
            *("priority.MSE", "priority.RMSE", "priority.F1", "priority.pearson"),
        )
        for group in ("", "(actionable)", "(other)")
    )
)


def scored(measures: str = EVERY, **options: object) -> tseval.Scores:
    return tseval.score_incidents(RUNS, *GIVEN, measures.split(), epochs=EPOCHS, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def scores() -> tseval.Scores:
    return scored()


def near(expected: float | None) -> object:
    return None if expected is None else pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_alert_worth(scores: tseval.Scores) -> None:
    for (run, event), (high, low) in ALERTS.items():
        assert scores.value("AAW.high", event, run) == near(high)
        assert scores.value("AAW.low", event, run) == near(low)
        assert scores.value("AAW", event, run) == near((high + low) / 2)


def test_alert_worth_with_the_other_logarithm() -> None:
    found = scored("AAW AAW.low", rules={"logarithm": "e"})
    assert found.value("AAW.low", run="keen") == near(-log(1.5) / 5)
    assert found.value("AAW", run="keen") == near((0.275 - log(1.5) / 5) / 2)
    assert found.value("AAW.low", run="shy") == 0


def test_alert_worth_where_the_count_goes_on() -> None:
    """q3 comes after two false alerts, f4 and f5: -log(2/2 + 1)."""
    found = scored("AAW.low", rules={"delta": "run"})
    assert found.value("AAW.low", run="keen") == near((-log10(1.5) - log10(2)) / 5)


def test_alert_worth_in_the_order_of_the_file() -> None:
    """f5 f1 f2 f3 f4: no false alert follows another."""
    assert scored("AAW.low", rules={"order": "file"}).value("AAW.low", run="keen") == 0


def test_alert_worth_by_other_parameters() -> None:
    """From 0.8 on, alpha 0.5, lambda 1: alerts f1, f2, f5; f5 after one false alert."""
    found = scored("AAW.high AAW.low", threshold=0.8, alpha=0.5, lambda_=1.0)
    assert found.value("AAW.high", run="keen") == near((1 - 1 - 1) / 3)
    # f4 says News of an Irrelevant post: nothing; q3 is quiet and right.
    assert found.value("AAW.low", run="keen") == near((0 + 0 - log10(1.5) + 0 + 1) / 5)


def test_types(scores: tseval.Scores) -> None:
    for (run, place), values in TYPES.items():
        for name, value in zip(("P", "R", "F1", "accuracy"), values, strict=True):
            assert scores.value(f"type.{name}", place, run) == near(value)
    for (run, group), values in GROUPS.items():
        for name, value in zip(("P", "R", "F1", "accuracy"), values, strict=True):
            assert scores.value(f"type.{name}{group}", run=run) == near(value)


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({}, ANY),
        (REFUSALS, ANY_WITH_REFUSALS),
        (REFUSALS | {"any-untyped": "wrong"}, ANY_OF_2018),
    ],
)
def test_any_type(rules: dict[str, str], expected: dict[str, tuple[float, ...]]) -> None:
    found = scored("any.P any.R any.F1 any.accuracy", rules=rules)
    for run, values in expected.items():
        for name, value in zip(("P", "R", "F1", "accuracy"), values, strict=True):
            assert found.value(f"any.{name}", run=run) == near(value)


SIX = [f"p{at}" for at in range(6)]
ONE_RIGHT = ["Report-News"] + 5 * ["Request-GoodsServices"]


@pytest.mark.parametrize(
    ("types", "options", "expected"),
    [
        # One right line and five wrong ones: a wrong post was also missed. F1 2 / (2 + 5 + 5).
        (ONE_RIGHT, {}, (1 / 6, 1 / 6, 2 / 12, 1 / 6)),
        (ONE_RIGHT, {"rules": {"any-wrong": "positive"}}, (1 / 6, 1, 2 / 7, 1 / 6)),
        (ONE_RIGHT, {"edition": "2018"}, (1 / 6, 1, 2 / 7, 1 / 6)),
        (ONE_RIGHT, {"edition": "proposal"}, (1 / 6, 1, 2 / 7, 1 / 6)),
        # One right line alone: the five others are missed, for the notebook they are wrong.
        (ONE_RIGHT[:1], {}, (1, 1 / 6, 2 / 7, 1 / 6)),
        (ONE_RIGHT[:1], {"edition": "2018"}, (1 / 6, 1, 2 / 7, 1 / 6)),
        # A line without a type claims nothing.
        (["", *ONE_RIGHT[1:3]], {}, (0, 0, 0, 0)),
        # Irrelevant is a wrong type, or a refusal that was wrong: a miss.
        (["Report-News", "Other-Irrelevant"], {}, (1 / 2, 1 / 6, 2 / 8, 1 / 6)),
        (
            ["Report-News", "Other-Irrelevant"],
            {"rules": {"refusals": "on"}},
            (1, 1 / 6, 2 / 7, 1 / 6),
        ),
    ],
)
def test_any_type_of_six_labelled_posts(
    types: list[str], options: dict[str, Any], expected: tuple[float, ...]
) -> None:
    labels = pd.DataFrame({"topic": "flood", "post_id": SIX, "level": "Low", "types": "News"})
    run = pd.DataFrame({"post_id": SIX[: len(types)], "types": types}).assign(
        topic="flood", priority=0.3
    )
    names = [f"any.{name}" for name in ("P", "R", "F1", "accuracy")]
    found = tseval.score_incidents(run, labels, GIVEN[1], names, **options)
    assert [found.value(name) for name in names] == [near(value) for value in expected]


def test_a_right_refusal_is_no_post_to_find() -> None:
    """Of three posts one has News and was found, one is rightly refused, one is wrong."""
    posts = {"topic": "flood", "post_id": SIX[:3]}
    labels = pd.DataFrame(posts | {"level": "Low", "types": ["News", "Irrelevant", "News"]})
    said = ["Report-News", "Other-Irrelevant", "Request-GoodsServices"]
    run = pd.DataFrame(posts | {"priority": 0.3, "types": said})
    names = ["any.P", "any.R", "any.accuracy"]
    for refusals, expected in (("off", (2 / 3, 2 / 3, 2 / 3)), ("on", (1 / 2, 1 / 2, 2 / 3))):
        rules = {"refusals": refusals}
        found = tseval.score_incidents(run, labels, GIVEN[1], names, rules=rules)
        assert [found.value(name) for name in names] == [near(value) for value in expected]


def test_the_first_false_alert_costs_where_delta_counts_it() -> None:
    """-log10(1/2 + 1) for the first, -log10(2/2 + 1) for the second in a row: f5 of keen."""
    given = ("incidents", *RUNS[:1], GIVEN[0], "--ontology", GIVEN[1], "--epochs", EPOCHS)
    shown = ("--explain", "alerts", "-f", "tsv", "--quiet")
    for rule, first, worth in (("before", "0", "0.0"), ("with", "1", "-0.176")):
        lines = program(*given, *shown, "--rule", f"delta-counts={rule}").out.splitlines()
        header, f2 = lines[0].split("\t"), lines[1].split("\t")
        row = dict(zip(header, f2, strict=True))
        assert (row["outcome"], row["delta"]) == ("false", first)
        assert row["worth"].startswith(worth)
    # keen: four false alerts of five other posts, of which f5 is the second in a row.
    found = scored("AAW.low AAW.high", rules={"delta-counts": "with"})
    assert found.value("AAW.low", run="keen") == near((-3 * SECOND - log10(2)) / 5)
    assert found.value("AAW.high", run="keen") == scored("AAW.high").value("AAW.high", run="keen")


def test_the_f1_of_averages() -> None:
    """Of keen 2 (15/16 31/40) / (15/16 + 31/40), where the mean of the four F1 is 5/6."""
    found = scored("type.F1 type.F1(other)", rules={"f1-mean": "averages"})
    for run in ("keen", "shy"):
        for group, (p, r, *_) in (("", TYPES[run, "all"]), ("(other)", GROUPS[run, "(other)"])):
            assert found.value(f"type.F1{group}", run=run) == near(2 * p * r / (p + r))
        assert found.value("type.F1", "Report-News", run) == near(TYPES[run, "Report-News"][2])


def test_alert_worth_without_posts_of_one_kind() -> None:
    """A quiet run whose type is right earns 1 of each low post; there is no high one."""
    labels = pd.DataFrame(
        [("flood", f"p{at}", "Low", "News") for at in range(3)],
        columns=["topic", "post_id", "level", "types"],
    )
    run = labels.drop(columns="level").assign(priority=0.3, types="Report-News")
    given = (run, labels, GIVEN[1], ["AAW", "AAW.high", "AAW.low"])
    halves = tseval.score_incidents(*given)
    assert [halves.value(name) for name in given[-1]] == [None, None, 1]
    summed = tseval.score_incidents(*given, rules={"alert-mean": "sum"})
    assert [summed.value(name) for name in given[-1]] == [0.5, None, 1]


def test_errors_of_priorities_over_posts(scores: tseval.Scores) -> None:
    """Each of the seven posts of known priority once, whatever its types: f1 to f5, q1, q3."""
    keen = (0.01, 0.3025, 0.0025, 0.25, 0.2025, 0.1225, 0.2025)
    shy = (0.25, 0, 0.0625, 0, 0.0625, 0.0625, 0)
    for run, errors in (("keen", keen), ("shy", shy)):
        assert scores.value("priority.MSE_posts", run=run) == near(sum(errors) / 7)
        assert scores.value("priority.MSE_posts", "flood", run) == near(sum(errors[:5]) / 5)
        assert scores.value("priority.MSE_posts", "quake", run) == near(sum(errors[5:]) / 2)


def test_errors_of_priorities(scores: tseval.Scores) -> None:
    for run in ("keen", "shy"):
        each = [value for (name, _), value in ERRORS.items() if name == run]
        for (name, kind), value in ERRORS.items():
            if name == run:
                assert scores.value("priority.MSE", kind, run) == near(value)
                assert scores.value("priority.RMSE", kind, run) == near(sqrt(value))
        roots = [sqrt(value) for value in each]
        for group, part in (("", slice(4)), ("(actionable)", slice(2)), ("(other)", slice(2, 4))):
            few = len(each[part])
            assert scores.value(f"priority.MSE{group}", run=run) == near(sum(each[part]) / few)
            assert scores.value(f"priority.RMSE{group}", run=run) == near(sum(roots[part]) / few)


def test_levels_of_priorities(scores: tseval.Scores) -> None:
    for (run, place), value in LEVELS.items():
        assert scores.value("priority.F1", place, run) == near(value)
    assert scores.value("priority.F1(actionable)", run="keen") == near((1 + 1 / 3) / 2)
    assert scores.value("priority.F1(other)", run="keen") == near((3 / 8 + 0) / 2)


def test_correlation_of_priorities(scores: tseval.Scores) -> None:
    for run, r in PEARSON.items():
        assert scores.value("priority.pearson", "Report-News", run) == near(r)
        assert scores.value("priority.pearson", "Report-EmergingThreats", run) is None
        for group in ("", "(other)"):
            assert scores.value(f"priority.pearson{group}", run=run) == near(r)
        assert scores.value("priority.pearson(actionable)", run=run) is None


def test_ranking(scores: tseval.Scores) -> None:
    for (run, event), value in RANKED.items():
        assert scores.value("nDCG@100", event, run) == near(value)
    for run in ("keen", "shy"):
        mean = (RANKED[run, "flood"] + RANKED[run, "quake"]) / 2
        assert scores.value("nDCG@100", run=run) == near(mean)


def test_the_explanation_of_the_alerts() -> None:
    outcome = program(
        *("incidents", *RUNS, GIVEN[0], "--ontology", GIVEN[1], "--epochs", EPOCHS),
        *("--explain", "alerts", "-f", "tsv", "--quiet"),
    )
    header, *lines = [line.split("\t") for line in outcome.out.splitlines()]
    found = [dict(zip(header, line, strict=True)) for line in lines]
    columns = ("run", "post_id", "outcome", "delta")
    assert [tuple(row[name] for name in columns) for row in found] == [
        ("keen", "f2", "false", "0"),
        ("keen", "f4", "false", "0"),
        ("keen", "f5", "false", "1"),
        ("keen", "q1", "missed", "0"),
        ("keen", "q3", "false", "0"),
        ("shy", "f1", "missed", "0"),
    ]
    worth = [float(row["worth"]) for row in found]
    assert worth == pytest.approx([0, 0, -SECOND, -1, 0, -1], abs=1e-12)


def test_the_explanation_of_the_types() -> None:
    outcome = program(
        *("incidents", *RUNS, GIVEN[0], "--ontology", GIVEN[1], "--epochs", EPOCHS),
        *("--explain", "types", "-f", "csv", "--quiet"),
    )
    assert [line.split(",")[1:7] for line in outcome.out.splitlines()[1:5]] == [
        ["Request-GoodsServices", "yes", "1", "0", "0", "7"],
        ["Report-EmergingThreats", "yes", "2", "0", "0", "6"],
        ["Report-News", "no", "3", "1", "2", "2"],
        ["Other-Irrelevant", "no", "1", "0", "1", "6"],
    ]


def test_the_scripts_of_2019_by_hand() -> None:
    """Types never enter; lines by rank; divisors are entries, f3 twice.

    2019-B scales keen from .4 to .95 to 0 to 1. By rank f2 (.727) is false at delta 0, f3 (.545)
    quiet, f1 (.909) due, f4 (.636) quiet, f5 (1) false at delta 0, q1 missed, q3 (.545) quiet.
    The last label of f3 is Medium: it is one of the others, though one of its entries is High.
    """
    found = scored("AAW AAW.high AAW.low", edition="2019b")
    # Entries: High or Critical f1, f3, q1; others f2, f4, f5, f3 again, q3. q2 is in none.
    assert found.value("AAW.high", run="keen") == near((0.3 - 1) / 3)
    assert found.value("AAW.low", run="keen") == near(0)
    assert found.value("AAW", run="keen") == near(-0.7 / 3 / 2)
    # 2019-A takes .7 as it stands: f2 false at 0, f3 false at 1, f1 due, f4 false at 0, f5 at 1;
    # in quake q1 missed, q3 false at 0.
    raw = scored("AAW.high AAW.low", edition="2019a")
    assert raw.value("AAW.high", run="keen") == near((0.3 - 1) / 3)
    assert raw.value("AAW.low", run="keen") == near(-2 * log10(1.5) / 5)
    # All worth over twice the eight entries.
    pooled = scored("AAW", edition="2018v2")
    assert pooled.value("AAW", run="keen") == near(-0.7 / 16)


def test_epochs_in_nanoseconds_are_refused(tmp_path: Path) -> None:
    fields = [line.split() for line in EPOCHS.read_text(encoding="utf-8").splitlines()]
    epochs = tmp_path / "epochs"
    lines = (f"{post} {day} {time}000000000\n" for post, day, time in fields)
    epochs.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(tseval.InputError) as error:
        tseval.score_incidents(RUNS, *GIVEN, "AAW", epochs=epochs)
    assert error.value.faults[0].code == "time-unit"
