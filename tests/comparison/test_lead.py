"""Runs head to head: by hand, against the slow twin, and at the edges."""

from __future__ import annotations

import json
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, settings

import tseval
from tests import cases, program
from tests.oracles import lead as slow
from tests.oracles.temporal import Collection
from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH
from tseval.comparison import Plan
from tseval.comparison.with_gold import Lead, leads
from tseval.core.calling import evaluated
from tseval.core.registry import family
from tseval.errors import UsageError

pytestmark = pytest.mark.small_times

HOUR = 3600
GOLD = ("compare", SWIFT, THOROUGH, "--gold", NUGGETS, "--matches", MATCHES, "--quiet")


def head_to_head(times: dict[str, dict[str, list[float | None]]], **how: object) -> list[Lead]:
    """Runs that say nugget i of a topic at these hours, or never."""
    updates = [
        {"run": run, "topic": topic, "update_id": f"{run}{topic}{i}", "time": hour * HOUR}
        for run, topics in times.items()
        for topic, hours in topics.items()
        for i, hour in enumerate(hours)
        if hour is not None
    ]
    nuggets = [
        {"topic": topic, "nugget_id": f"n{i}", "time": 0}
        for topic, hours in next(iter(times.values())).items()
        for i in range(len(hours))
    ]
    matches = [
        {k: u[k] for k in ("topic", "update_id")} | {"nugget_id": f"n{str(u['update_id'])[-1]}"}
        for u in updates
    ]
    tables = [pd.DataFrame(each).assign(text="") for each in (updates, nuggets)]
    found = tseval.lead(*tables, pd.DataFrame(matches), **how)  # type: ignore[arg-type]
    return list(found.parts["leads"].rows)


def test_by_hand() -> None:
    """Flood: a leads by 1 h, 3 h and -1 h; mine: both at once; fire: nothing shared."""
    (row,) = head_to_head(
        {
            "a": {"flood": [0, 1, 4, 2], "mine": [5], "fire": [1, None]},
            "b": {"flood": [1, 4, 3, None], "mine": [5], "fire": [None, 1]},
        }
    )
    assert row[:4] == ("a", "b", 2, 4)
    assert row.mean == pytest.approx((1 + 0) / 2)
    assert row.median == pytest.approx((1 + 0) / 2)
    assert row.earlier == pytest.approx((2 / 3 + 0) / 2)
    assert row.later == pytest.approx((1 / 3 + 0) / 2)


def test_a_constant_lead_has_no_width_and_the_baseline_stands_second() -> None:
    hours: dict[str, list[float | None]] = {f"t{i}": [1, 2] for i in range(4)}
    late: dict[str, list[float | None]] = {topic: [3, 4] for topic in hours}
    (row,) = head_to_head({"a": hours, "b": late}, baseline="a")
    assert row[:2] == ("b", "a")
    assert (row.mean, row.mean_low, row.mean_high) == (-2.0, -2.0, -2.0)
    assert (row.earlier, row.later) == (0.0, 1.0)


def test_what_a_run_says_alone_counts_for_nothing() -> None:
    """T averages each run's own finds, so it cannot tell; the lead can."""
    both = {"a": {"t": [1, None]}, "b": {"t": [2, 0]}}
    (row,) = head_to_head(both)  # type: ignore[arg-type]
    assert (row.nuggets, row.mean) == (1, 1.0)


@given(cases.collections())
@settings(max_examples=60)
def test_leads_equal_the_slow_ones(collection: Collection) -> None:
    evaluation = cases.evaluation(collection)
    for row in leads(evaluation, Plan(resamples=100)).parts["leads"].rows:
        expected = slow.lead(collection, row.run, row.other)
        for name, value in expected.items():
            found = getattr(row, name)
            if value is None or isinstance(value, int):
                assert found == value, name
            else:
                assert found == pytest.approx(float(Fraction(value)), rel=1e-12, abs=1e-12), name


def test_the_order_of_runs_turns_the_sign_alone() -> None:
    both = {
        "a": {"t": [1, 3, 2], "u": [0, 4, 4], "v": [1, 1, 1]},
        "b": {"t": [2, 2, 7], "u": [1, 1, 9], "v": [0, 2, 5]},
    }
    (forth,) = head_to_head(both, baseline="b", interval="percentile")  # type: ignore[arg-type]
    (back,) = head_to_head(both, baseline="a", interval="percentile")  # type: ignore[arg-type]
    assert forth.mean == -(back.mean or 0)
    assert forth.median == -(back.median or 0)
    assert (forth.earlier, forth.later) == (back.later, back.earlier)
    assert forth.mean_low == pytest.approx(-(back.mean_high or 0))


def test_the_command_and_the_call_say_the_same() -> None:
    told = json.loads(program.tseval(*GOLD, "--lead", "-f", "json").out)
    found = tseval.lead([SWIFT, THOROUGH], NUGGETS, MATCHES)
    assert told["leads"] == found.parts["leads"].records()
    assert told["signature"] == found.signature
    assert "|compare:lead|of:(tseval:" in found.signature
    assert found.frame("leads")["mean"].tolist() == [4.9375]
    assert "swift   thorough        2         8   4.9375" in program.tseval(*GOLD, "--lead").out


def test_pairs_without_a_nugget_in_common_are_undefined_and_told() -> None:
    updates = pd.DataFrame(
        {"run": ["a", "b"], "topic": "t", "update_id": ["u", "v"], "time": [1, 2], "text": ""}
    )
    nuggets = pd.DataFrame({"topic": "t", "nugget_id": ["n", "m"], "time": 0, "text": ""})
    matches = pd.DataFrame({"topic": "t", "update_id": ["u", "v"], "nugget_id": ["n", "m"]})
    found = tseval.lead(updates, nuggets, matches)
    assert found.parts["leads"].rows[0][2:] == (0, 0, *[None] * 10)
    assert "1 pair said no nugget in common: a and b" in found.warnings
    alone = tseval.lead(updates[:1], nuggets, matches[:1])
    assert not alone.parts["leads"].rows
    assert "there are no two runs to hold against each other" in alone.warnings


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("-m", "R"), "-m has no meaning with --lead"),
        (("--at", "6h"), "--at has no meaning with --lead"),
        (("--judged", MATCHES), "--judged has no meaning with --lead"),
        (("--test", "t"), "--test has no meaning with --lead"),
        (("--power",), "--power and --lead are two questions"),
        (("--baseline", "quick"), "no run 'quick' here; there are: swift, thorough"),
        (("-f", "latex"), "'latex' is none of the forms"),
    ],
)
def test_what_has_no_meaning_is_refused(more: tuple[str, ...], said: str) -> None:
    done = program.tseval(*GOLD, "--lead", *more)
    assert done.code == 2
    assert said in done.err


def test_families_where_nothing_is_said_first_have_no_leads() -> None:
    filtering = family("filtering")
    folder = FIXTURES / "filter"
    inputs = filtering.inputs([str(folder / "steady.tsv")], str(folder / "truth.tsv"))
    with pytest.raises(UsageError, match="nothing is said first and later in filtering"):
        leads(evaluated(filtering, inputs, filtering.options()), Plan())
