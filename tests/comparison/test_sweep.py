"""Sweeps over matchers and thresholds: by hand, against the slow twin, and at the edges."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings

import tseval
from tests import program
from tests import strategies as st
from tests.oracles import sweep as slow
from tests.program import MATCHES, NUGGETS, SWIFT, THOROUGH
from tseval.comparison import Plan
from tseval.comparison.sweep import MATCHERS, SweptMean
from tseval.core.registry import family
from tseval.errors import UsageError

pytestmark = pytest.mark.small_times

FILES = ("sweep", SWIFT, THOROUGH, NUGGETS)
FEW = Plan(resamples=100)
GOLD = "the dam broke in the night and water rose over the town"
WORDS = st.lists(st.sampled_from(GOLD.split()), min_size=0, max_size=8).map(" ".join)


def tables(texts: dict[str, list[str]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Runs that say one thing on each topic, and gold with the same nugget on each."""
    topics = [f"t{i}" for i in range(len(next(iter(texts.values()))))]
    updates = [
        {"run": run, "topic": topic, "update_id": f"{run}-{topic}", "time": 1, "text": text}
        for run, said in texts.items()
        for topic, text in zip(topics, said, strict=True)
    ]
    nuggets = [{"topic": topic, "nugget_id": "n", "time": 0, "text": GOLD} for topic in topics]
    return pd.DataFrame(updates), pd.DataFrame(nuggets)


def test_by_hand() -> None:
    """At .4 half of the words are enough, and b says half of it everywhere; at .9 only all is."""
    half, other = " ".join(GOLD.split()[:6]), "trains are running"
    updates, nuggets = tables({"a": [GOLD, GOLD, other, other], "b": [half, half, half, other]})
    found = tseval.sweep(updates, nuggets, None, "R", matchers="fuzzy", thresholds=[0.9, 0.4])
    assert [row[:4] for row in found.parts["orders"].rows] == [
        ("R", "fuzzy", 0.4, "b"),
        ("R", "fuzzy", 0.9, "a"),
    ]
    assert [row.tau for row in found.parts["orders"].rows] == [1.0, -1.0]
    assert found.parts["means"].rows[:2] == (
        SweptMean("R", "fuzzy", 0.4, "b", 0.75, 1),
        SweptMean("R", "fuzzy", 0.4, "a", 0.5, 2),
    )
    (pair,) = found.parts["pairs"].rows
    assert pair == ("R", "a", "b", 2, 1, 1, 0, 0, -0.25, 0.5)
    assert "R: the best run depends on the threshold: b by fuzzy at 0.4; a by fuzzy at 0.9" in (
        found.warnings
    )
    assert any("4 topics cannot show a difference" in each for each in found.warnings)


@given(st.data())
@settings(max_examples=15)
def test_a_sweep_is_what_scores_at_each_setting_say(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 3))
    texts = st.lists(WORDS, min_size=size, max_size=size)
    updates, nuggets = tables({run: data.draw(texts) for run in "abc"})
    at = data.draw(st.lists(st.sampled_from([0.2, 0.5, 0.8]), min_size=2, unique=True))
    found = tseval.sweep(
        updates,
        nuggets,
        None,
        "R",
        matchers=["fuzzy", "grams"],
        thresholds=at,
        plan=Plan(resamples=100),
    )
    means = []
    for name in ("fuzzy", "grams"):
        for threshold in sorted(at):
            scores = tseval.score(updates, nuggets, matcher=name, threshold=threshold, measures="R")
            means.append({run: scores.value("R", run=run) or 0.0 for run in scores.runs})
    orders, pairs = found.parts["orders"].rows, found.parts["pairs"].rows
    assert [row.best for row in orders] == [slow.best(each) for each in means]
    for row, each in zip(orders, means, strict=True):
        expected = slow.tau(means[0], each)
        assert row.tau == (expected if expected is None else pytest.approx(expected))
    for pair in pairs:
        ahead, behind, least, largest = slow.pairs(means)[pair.run, pair.other]
        assert (pair.ahead, pair.behind) == (ahead, behind)
        assert (pair.least, pair.largest) == pytest.approx((least, largest))
    shown = {(r.matcher, r.threshold, r.run): r.mean for r in found.parts["means"].rows}
    assert list(shown.values()) == pytest.approx(
        [means[i // 3][run] for i, (_, _, run) in enumerate(shown)]
    )


def test_differences_that_the_test_finds_are_counted_in_their_direction() -> None:
    half = " ".join(GOLD.split()[:6])
    updates, nuggets = tables({"a": [GOLD] * 8, "b": [half] * 8})
    found = tseval.sweep(updates, nuggets, None, "R", matchers="fuzzy", thresholds=[0.3, 0.7, 0.9])
    (pair,) = found.parts["pairs"].rows
    assert (pair.settings, pair.ahead, pair.behind) == (3, 2, 0)
    assert (pair.told_ahead, pair.told_behind) == (2, 0)


def test_a_winner_that_depends_on_the_matcher_is_told() -> None:
    matchers = ("--matcher", "fuzzy", "--matcher", "grams")
    thresholds = [part for cut in ("0.1", "0.5", "0.9") for part in ("--threshold", cut)]
    done = program.tseval(*FILES, "--matches", MATCHES, "-m", "P", *matchers, *thresholds)
    assert (
        "warning: P: the best run depends on the matcher: swift by assessed; swift by fuzzy; swift "
        "by grams at 0.1, 0.5; thorough by grams at 0.9\n"
    ) in done.err
    assert "depends" not in program.tseval(*FILES, "-m", "R").err
    assert program.tseval(*FILES, "-m", "P", "--quiet", *matchers, *thresholds).err == ""
    alone = ("sweep", SWIFT, NUGGETS, "-m", "P", *matchers, *thresholds)
    assert "depends" not in program.tseval(*alone).err


def test_the_command_and_the_call_say_the_same() -> None:
    told = json.loads(program.tseval(*FILES, "--matches", MATCHES, "-m", "R T", "-f", "json").out)
    found = tseval.sweep([SWIFT, THOROUGH], NUGGETS, MATCHES, "R T")
    assert {name: told[name] for name in found.parts} == {
        name: part.records() for name, part in found.parts.items()
    }
    assert told["signature"] == found.signature
    assert "|compare:sweep|" in found.signature
    assert (
        "|settings:assessed;learned@0.1,0.2,0.3,0.4;fuzzy@0.35,0.45,0.55,0.65,0.75;"
        in found.signature
    )
    assert list(found.frame("means").columns) == list(SweptMean._fields)
    assert {each.matcher for each in found.settings} == {"assessed", *MATCHERS}


def test_a_matcher_s_own_threshold_is_the_middle() -> None:
    found = tseval.sweep(SWIFT, NUGGETS, None, "R", matchers="fuzzy(threshold=0.9)")
    assert [each.threshold for each in found.settings] == [0.7, 0.8, 0.9]


@pytest.mark.parametrize("form", ["svg", "png", "html"])
def test_a_picture_has_a_panel_for_each_matcher(form: str, tmp_path: Path) -> None:
    chart = tmp_path / f"sweep.{form}"
    done = program.tseval(*FILES, "--matches", MATCHES, "-m", "R", "--quiet", "-o", chart)
    assert done.code == 0, done.err
    assert chart.stat().st_size > 1000
    if form == "svg":
        for name in ("assessed", *MATCHERS):
            assert f"R by {name}" in chart.read_text()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--matcher", "exact", "--threshold", "0.5"), "one setting is no sweep"),
        (("--matcher", "fuzy"), "unknown matcher 'fuzy'"),
        (("--threshold", "x"), "is not a valid float"),
        (("--threshold", "1.5"), "threshold"),
        (("--jitter", "1h"), "--jitter"),
        (("--judged", MATCHES), "--judged"),
        (("-f", "latex"), "'latex' is not one of"),
        (("--matches", MATCHES, "--corrections", MATCHES), "corrections"),
        (("--baseline", "quick"), "no run 'quick' here"),
    ],
)
def test_what_has_no_meaning_is_refused(more: tuple[str, ...], said: str) -> None:
    done = program.tseval(*FILES, *more)
    assert done.code in (1, 2)
    assert said in done.err
    assert done.out == ""


def test_a_sweep_of_no_run_is_refused() -> None:
    with pytest.raises(UsageError, match="UPDATES is missing"):
        tseval.sweep([], NUGGETS)


def test_families_without_a_matcher_have_no_sweep() -> None:
    from tseval.comparison.with_gold import ScoredRuns

    with pytest.raises(UsageError, match="no matcher finds anything in filtering"):
        ScoredRuns(family("filtering"), None, None).matched()
