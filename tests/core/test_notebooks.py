"""What a notebook asks for: frames, pictures, short forms, names that trackers take."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given

import tseval
from tests import strategies as st
from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH
from tests.program import tseval as program
from tseval.cli.tables import rows_table
from tseval.comparison import Plan
from tseval.core.calling import Asking, curved
from tseval.core.registry import family
from tseval.core.scores import LONGEST, safe_names
from tseval.errors import InputError, MissingExtra, UsageError

RUNS = [SWIFT, THOROUGH]
OF_TRACKERS = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*")
"""What W&B sorts and filters by (its page on metric names); MLflow takes these characters too."""


@pytest.fixture(scope="module")
def scores() -> tseval.Scores:
    return tseval.score(RUNS, NUGGETS, MATCHES, measures="P R@6h T(unit=min)")


def rows(path: str) -> list[dict[str, object]]:
    return list(pd.read_csv(path, sep="\t").to_dict("records"))


# Frames


def test_curve_has_the_rows_of_the_command() -> None:
    found = tseval.curve(RUNS, NUGGETS, MATCHES, measures="R T", per_topic=True)
    done = program("curve", *RUNS, NUGGETS, "--matches", MATCHES, "-m", "R T", "-q", "-f", "csv")
    lines = done.out.splitlines()
    assert len(found) == len(lines) - 1
    assert lines[0].split(",") == list(found.columns)
    assert found["value"].notna().sum() == sum(not line.endswith(",") for line in lines[1:])
    assert str(found["time"].dtype).startswith("datetime64")
    alone = tseval.curve(RUNS, NUGGETS, MATCHES)
    assert set(alone["topic"]) == {"all"}
    assert alone["time"].isna().all()
    assert set(alone["measure"]) == {"P", "R", "Rs", "T"}
    filtering = family("filtering")
    folder = FIXTURES / "filter"
    inputs = filtering.inputs([str(folder / "steady.tsv")], str(folder / "truth.tsv"))
    with pytest.raises(UsageError, match="taken from the whole at once"):
        curved(Asking(filtering, inputs, filtering.options()))


def test_explain_has_the_rows_of_the_command_with_texts_and_dates() -> None:
    for what, text in (("nuggets", "update_text"), ("updates", "earned_text")):
        found = tseval.explain(SWIFT, NUGGETS, MATCHES, what=what)
        asked = ("score", SWIFT, NUGGETS, "--matches", MATCHES, "--explain", what)
        told = json.loads(program(*asked, "-f", "json").out)["records"]
        assert list(told[0]) == list(found.columns)
        assert len(told) == len(found)
        assert [row["time"] for row in told] == [at.timestamp() for at in found["time"]]
        assert found[text].iloc[0].casefold().startswith(("ferry", "the ferry"))
        shown = program(*asked).out
        assert "2023-11-16T07:00:00Z" in shown
        assert "1700118000" not in shown
    with pytest.raises(UsageError, match="no view 'scores' here; there are: nuggets"):
        tseval.explain(SWIFT, NUGGETS, MATCHES, what="scores")


def test_a_table_of_times_of_another_era_keeps_its_numbers() -> None:
    frame = pd.DataFrame({"time": [12.0, None], "update_time": [1_700_118_000.5, None]})
    shown = rows_table(frame, "signature", to_file=True).decode()
    assert "12" in shown
    assert "2023-11-16T07:00:00Z" in shown


def test_match_gives_matches_that_score_takes() -> None:
    found = tseval.match(RUNS, NUGGETS, "fuzzy", threshold=0.5)
    asked = ("--matcher", "fuzzy", "--threshold", "0.5", "--quiet")
    lines = program("match", *RUNS, NUGGETS, *asked).out.splitlines()
    assert len(found) == len(lines) - 1
    assert list(found.columns) == lines[0].split("\t")
    again = tseval.score(RUNS, NUGGETS, found, measures="R")
    direct = tseval.score(RUNS, NUGGETS, None, "fuzzy", threshold=0.5, measures="R")
    assert again.frame().equals(direct.frame())
    assert "|matcher:fuzzy(word=80,threshold=0.5)|" in again.signature


# Runs as they come in a notebook


def test_runs_are_called_as_their_keys() -> None:
    files = tseval.score(RUNS, NUGGETS, measures="R")
    for runs in (
        {"a": SWIFT, "b": THOROUGH},
        {"a": pd.read_csv(SWIFT, sep="\t"), "b": Path(THOROUGH)},
        {"a": rows(SWIFT), "b": rows(THOROUGH)},
    ):
        named = tseval.score(runs, NUGGETS, measures="R")  # type: ignore[arg-type]
        assert named.runs == ("a", "b")
        assert [named.value("R", run=run) for run in "ab"] == [
            files.value("R", run=run) for run in ("swift", "thorough")
        ]
    one = pd.read_csv(SWIFT, sep="\t").assign(run="another")
    assert tseval.score({"mine": one}, NUGGETS, measures="R").runs == ("mine",)
    assert tseval.lead({"a": SWIFT, "b": THOROUGH}, NUGGETS).parts["leads"].rows[0][:2] == (
        "a",
        "b",
    )


def test_rows_are_a_table_and_a_list_of_such_are_two_runs() -> None:
    assert tseval.score(rows(SWIFT), rows(NUGGETS), measures="R").to_dict() == (
        tseval.score(SWIFT, NUGGETS, measures="R").to_dict()
    )
    nameless = [[{**each} for each in rows(path)] for path in RUNS]
    for each in (row for run in nameless for row in run):
        each.pop("run", None)
    both = tseval.score(nameless, NUGGETS, measures="R")
    assert both.runs == ("run1", "run2")
    lacking = [dict(each) for each in rows(NUGGETS)]
    del lacking[0]["importance"]
    assert tseval.score(SWIFT, lacking, measures="R").to_dict() == (
        tseval.score(SWIFT, [{**lacking[0], "importance": 1}, *lacking[1:]], measures="R").to_dict()
    )


def test_faults_in_rows_name_the_row() -> None:
    bad = [dict(each) for each in rows(SWIFT)]
    bad[2]["time"] = "soon"
    with pytest.raises(InputError, match='<updates>: row 3: time "soon"'):
        tseval.score(bad, NUGGETS)
    nan = [dict(each) for each in rows(NUGGETS)]
    nan[1]["importance"], nan[0]["importance"] = float("nan"), None
    with pytest.raises(InputError, match=r"<nuggets>: row 2: importance .*is not a finite number"):
        tseval.score(SWIFT, nan)


def test_no_other_time_is_none() -> None:
    plain = tseval.score(RUNS, NUGGETS, MATCHES)
    assert tseval.score(RUNS, NUGGETS, MATCHES, at=None) == plain
    assert tseval.score(RUNS, NUGGETS, MATCHES, at=[]) == plain
    assert tseval.score(RUNS, NUGGETS, MATCHES, at="6h") != plain


# Short forms, and what values can do


def test_scores_are_short_and_a_table_in_a_notebook(scores: tseval.Scores) -> None:
    assert repr(scores) == "Scores(swift, thorough; ferry, flood, mine; P, R@6h, T(unit=min))"
    many = {f"r{i}<": SWIFT for i in range(5)}
    several = tseval.score(many, NUGGETS, measures="R")  # type: ignore[arg-type]
    assert repr(several) == "Scores(5 runs; ferry, flood, mine; R)"
    shown = scores._repr_html_()
    assert shown.count("<tr>") == 3
    assert "<td>swift</td>" in shown
    assert ">-228.6667<" in shown
    assert scores.signature in shown
    assert "<td>r0&lt;</td>" in several._repr_html_()


def test_comparisons_and_pages_are_short_too(scores: tseval.Scores) -> None:
    found = tseval.compare(scores)
    assert repr(found) == "Comparison(means: 6 rows, pairs: 3 rows)"
    assert found._repr_html_().count("<table>") == 2
    assert repr(tseval.lead(RUNS, NUGGETS, MATCHES)) == "Findings(leads: 1 row)"
    page = tseval.report(scores, "P", title="Mine & yours")
    assert repr(page) == "Page('Mine & yours': swift, thorough)"
    assert page._repr_html_().startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')


def test_results_compare_hash_and_survive_pickling(scores: tseval.Scores) -> None:
    again = tseval.score(RUNS, NUGGETS, MATCHES, measures="P R@6h T(unit=min)")
    other = tseval.score(RUNS, NUGGETS, MATCHES, measures="P R@7h T(unit=min)")
    swept = {"matchers": ["fuzzy", "grams"], "thresholds": 0.5, "plan": Plan(resamples=100)}
    for make, differs in (
        (lambda s: s, other),
        (tseval.compare, tseval.compare(other)),
        (lambda s: tseval.report(s, "P"), tseval.report(other, "P")),
    ):
        one, two = make(scores), make(again)
        assert one == two
        assert hash(one) == hash(two)
        assert one != differs
        assert one != "scores"
        assert pickle.loads(pickle.dumps(one)) == one
    sweep = tseval.sweep(RUNS, NUGGETS, None, "R", **swept)  # type: ignore[arg-type]
    assert pickle.loads(pickle.dumps(sweep)) == sweep
    in_memory = tseval.score(pd.read_csv(SWIFT, sep="\t"), NUGGETS, measures="R")
    assert pickle.loads(pickle.dumps(in_memory)).inputs[0].sha256 == in_memory.inputs[0].sha256
    measure = tseval.measure("T(unit=min)@6h")
    assert pickle.loads(pickle.dumps(measure)) == measure


def test_a_picture_of_scores(scores: tseval.Scores, tmp_path: Path) -> None:
    picture = scores.plot()
    assert repr(picture) == "Picture('Scores by topic': 3 panels)"
    assert [panel.title for panel in picture.panels] == ["P", "R@6h", "T(unit=min)"]
    swift = picture.panels[0].dots[0]
    assert swift.value == (1.8, 1.8, None, 1.8)
    assert picture.panels[0].x.names == ("ferry", "flood", "mine", "all")
    try:
        picture.save(tmp_path / "scores.svg")
    except MissingExtra:
        pytest.skip("nothing that draws is installed")
    assert (tmp_path / "scores.svg").read_text() == picture._repr_svg_()
    with pytest.raises(UsageError, match=r"the suffix must be one of \.png"):
        picture.save(tmp_path / "scores.gif")


# Names that trackers take


def test_values_by_name(scores: tseval.Scores) -> None:
    assert list(scores.to_dict())[:2] == ["swift/P", "swift/R@6h"]
    alone = tseval.score(SWIFT, NUGGETS, MATCHES, measures="P R@6h P(updates)")
    assert alone.to_dict(topic="flood") == {"P": 1.8, "R@6h": 0.9, "P(updates)": 0.6}
    assert alone.to_dict(topic="mine") == {"P": None, "R@6h": 0.0, "P(updates)": None}
    assert alone.to_dict(topic="mine", safe=True) == {"R_at_6h": 0.0}
    assert list(alone.to_dict(safe=True)) == ["P", "R_at_6h", "P_updates"]


@given(st.lists(st.text(max_size=300)))
def test_safe_names_fit_and_differ(names: list[str]) -> None:
    safe = safe_names(names)
    assert len(set(safe)) == len(safe) == len(names)
    assert all(OF_TRACKERS.fullmatch(each) and len(each) <= LONGEST for each in safe)


def test_safe_names_by_hand() -> None:
    assert safe_names(["a/R@6h", "a_R_at_6h", "3.5", "()", "x" * 300, "x" * 301]) == [
        "a_R_at_6h",
        "a_R_at_6h_2",
        "_3_5",
        "value",
        "x" * 250,
        "x" * 248 + "_2",
    ]
