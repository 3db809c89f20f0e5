"""A report on filtering: ranking by end points, and the fits behind it, as the command has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tseval
from tests.program import FIXTURES
from tests.program import tseval as program
from tseval.core.blocks import Block, Note, Rows
from tseval.core.calling import evaluated
from tseval.core.measure import parse_measure
from tseval.core.registry import definitions
from tseval.core.sections import Setting
from tseval.families.filtering.explain import (
    decimals_for,
    report_ranking,
    report_trends,
    write_intervals,
)
from tseval.families.filtering.family import FAMILY, FilterEvaluation, FilterInputs, FilterOptions

pytestmark = pytest.mark.small_times

FOLDER = FIXTURES / "filter"
RUNS = [FOLDER / f"{name}.tsv" for name in ("steady", "improving", "fading")]
TRUTH = FOLDER / "truth.tsv"
PERIOD = {"start": "1699920000", "end": "6d", "cutoff": "50"}


def blocks(section: Any, measure: str, runs: list[Path] = RUNS) -> list[Block]:
    inputs, options = FilterInputs(runs, TRUTH), FilterOptions(**PERIOD)
    found: FilterEvaluation = evaluated(FAMILY, inputs, options)
    wanted = (parse_measure(measure, definitions("filtering")),)
    names = found.index.runs
    return list(
        section(found.prepared_for(wanted, per_topic=False), Setting(names, wanted, options))
    )


def tables(found: list[Block]) -> list[Rows]:
    return [each for each in found if isinstance(each, Rows)]


def printed(tmp_path: Path, show: str, measure: str) -> pd.DataFrame:
    """What the command shows."""
    path = tmp_path / f"{show}.csv"
    given = ("--start", "1699920000", "--end", "6d", "--cutoff", "50", "-m", measure)
    done = program("filter", *RUNS, TRUTH, *given, "--show", show, "-o", path, "--quiet")
    assert done.code == 0, done.err
    return pd.read_csv(path, comment="#")


def test_the_ranking_is_that_of_the_command(tmp_path: Path) -> None:
    (table,) = tables(blocks(report_ranking, "end(R)"))
    frame = printed(tmp_path, "ranking", "end(R)")
    names = ["steady", "improving", "fading"]
    assert [names[run] for run in table.column("run")] == frame["run"].tolist()
    pairs = {"place": "place", "end point": "end", "F_1": "F_1", "place by F_1": "usual_place"}
    for head, column in pairs.items():
        assert table.column(head) == pytest.approx(frame[column].tolist()), head
    ends = printed(tmp_path, "fits", "end(R)").set_index("run").loc[frame["run"]]
    intervals = ends["end_low"].to_numpy(), ends["end_high"].to_numpy()
    decimals = decimals_for(frame["end_se"].to_numpy())
    assert table.column("95 % interval") == write_intervals(intervals, decimals)


def test_how_far_runs_are_behind_is_the_paired_test_of_the_command(tmp_path: Path) -> None:
    (table,) = tables(blocks(report_ranking, "end(R)"))
    frame = printed(tmp_path, "tests", "end(R)")
    names = ["steady", "improving", "fading"]
    first, *others = (names[run] for run in table.column("run"))
    by_pair = {frozenset(pair): at for at, pair in enumerate(frame[["run", "other"]].to_numpy())}
    rows = [frame.iloc[by_pair[frozenset({first, other})]] for other in others]
    gaps, chances = table.column("behind the first"), table.column("p of paired test")
    assert (gaps[0], chances[0]) == (None, None)
    assert gaps[1:] == pytest.approx([abs(row["end_difference"]) for row in rows])
    assert all(gap >= 0 for gap in gaps[1:])
    assert chances[1:] == [
        None if np.isnan(row["paired_end_p"]) else pytest.approx(row["paired_end_p"])
        for row in rows
    ]


def test_the_sentences_are_those_of_the_command() -> None:
    found = [each.text for each in blocks(report_ranking, "end(R)") if isinstance(each, Note)]
    options = ("--start", "1699920000", "--end", "6d", "--cutoff", "50", "-m", "end(R)")
    out = program("filter", *RUNS, TRUTH, *options).out
    assert found[1].startswith("Ranking by end(R,batch=1d): ")
    ranking, _, agreement = found[1].partition(" is ")
    assert ranking in out
    assert " is -0.3333 (p 1.0000)" in out
    assert agreement == "\N{MINUS SIGN}0.33 (p 1)."


def test_one_run_is_not_ranked() -> None:
    found = blocks(report_ranking, "end(R)", RUNS[:1])
    assert [type(each) for each in found] == [Note, Rows]


def test_slopes_have_the_intervals_of_the_worked_example() -> None:
    """fading: slope -1/4 with an error of sqrt(29/4900), 3 degrees of freedom: t is 3.1824."""
    slopes, assumptions = tables(blocks(report_trends, "slope(R)"))
    fading = slopes.rows[2]
    wide = np.array([3.182446 * np.sqrt(29 / 4900)])
    assert fading[1] == "5 of 6"
    assert fading[2] == pytest.approx(-0.25)
    assert [fading[3]] == write_intervals((-0.25 - wide, -0.25 + wide), 3)
    assert fading[4] == pytest.approx(0.0475, abs=5e-5)
    assert fading[5] == "gets worse"
    assert assumptions.rows[2][0] == 2


def test_assumptions_are_the_verdicts_of_the_command_in_words(tmp_path: Path) -> None:
    for measure in ("slope(R)", "slope(F_pra)", "slope(P)"):
        assumptions = tables(blocks(report_trends, measure))[1]
        frame = printed(tmp_path, "fits", measure)
        for row, verdict in zip(assumptions.rows, frame["verdict"], strict=True):
            _, normal, independent, moves, believed = row
            if verdict in ("too few batches", "no residuals"):
                assert believed == f"none: {verdict}"
                continue
            assert normal.startswith("no ") == (
                "not normal" in verdict or "only 0 and 1" in verdict
            )
            assert ("only 0 and 1" in normal) == ("only 0 and 1" in verdict)
            dependent = any(word in verdict for word in ("autocorrelated", "Durbin-Watson"))
            assert independent.startswith("no: they") == dependent
            assert moves.startswith("no ") == ("moves no one way" in verdict)
            assert (believed == "can be believed") == (verdict == "nothing against it")


def test_numbers_have_as_many_digits_as_their_errors_allow() -> None:
    assert decimals_for(np.array([0.25, 0.0769])) == 3
    assert decimals_for(np.array([0.0004])) == 5
    assert decimals_for(np.array([12.0])) == 1
    assert decimals_for(np.array([np.nan, 0.0])) == 3


def test_the_page_takes_the_period_of_the_scores() -> None:
    """Scores of a period, with the same one beside them, differ in nothing."""
    scores = tseval.score_filtering(RUNS, TRUTH, "end(R)", start=1699920000, end="6d", cutoff=50)
    page = tseval.report(scores, runs=RUNS, truth=TRUTH, start=1699920000, end="6d", cutoff=50)
    assert not [each for each in page.warnings if each.endswith("differ")]
    other = tseval.report(scores, runs=RUNS, truth=TRUTH, end="5d", cutoff=50)
    assert [each for each in other.warnings if each.endswith("period differ")]
