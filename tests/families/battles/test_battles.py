"""Battles: cases by hand, the slow twin, what has no rating, what is refused, and the views."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import tseval
from tests import strategies as st
from tests.oracles import battles as slow
from tests.program import FIXTURES, faulty
from tests.program import tseval as program
from tseval.core.scores import Scores

pytestmark = pytest.mark.small_times

COLUMNS = ["topic", "run_a", "run_b", "winner"]
EXAMPLE = FIXTURES / "battles.tsv"


def table(*rows: tuple[str, ...]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS)


def rated(battles: pd.DataFrame, measures: str = "wins BT Elo") -> Scores:
    return tseval.score_battles(battles, measures=measures)


def view(name: str, path: Path = EXAMPLE, *more: str) -> pd.DataFrame:
    done = program("battles", path, *(more or ("--explain", name)), "-f", "csv")
    assert done.code == 0, done.err
    return pd.read_csv(io.StringIO(done.out))


def test_two_runs_by_hand() -> None:
    """a wins 3 of 4: the odds are 3, so the strengths are log(3) apart; 0.5 is a tie."""
    scores = rated(table(*[("t", "a", "b", "a")] * 3, ("t", "b", "a", "b")))
    assert scores.value("wins", run="a") == 0.75
    assert scores.value("BT", run="a") == pytest.approx(math.log(3) / 2)
    tied = rated(table(("t", "a", "b", "a"), ("t", "a", "b", "tie"), ("t", "a", "b", "b")))
    assert [tied.value("wins", run=run) for run in "ab"] == [0.5, 0.5]
    assert tied.value("BT", run="a") == pytest.approx(0, abs=1e-12)


def test_elo_by_hand() -> None:
    """Equals are expected to win half: 16 points; then 1016 against 984 is expected .5459."""
    dated = table(("t", "a", "b", "a"), ("t", "a", "b", "a")).assign(time=[10, 20])
    second = 32 * (1 - 1 / (1 + 10 ** (-32 / 400)))
    assert rated(dated).value("Elo", run="a") == pytest.approx(1016 + second)
    assert rated(dated, "Elo@15").value("Elo@15", run="a") == 1016
    assert rated(dated, "Elo(k=4,start=0)").value("Elo(k=4,start=0)", run="b") < -3.9


@pytest.mark.parametrize("winner", ["swift", "a", "RUN_A", "model_a"])
def test_a_winner_is_a_name_or_a_side(winner: str) -> None:
    scores = rated(table(("t", "swift", "b", winner)), "wins")
    assert scores.value("wins", run="swift") == 1


def test_a_name_goes_before_a_side() -> None:
    assert rated(table(("t", "b", "a", "b")), "wins").value("wins", run="b") == 1


BATTLES = st.lists(
    st.tuples(
        st.sampled_from("tu"),
        st.sampled_from(["ab", "ba", "ac", "bc", "cd"]),
        st.sampled_from([1.0, 0.5, 0.0]),
    ),
    min_size=1,
    max_size=25,
)


@given(BATTLES)
@settings(max_examples=60)
def test_values_are_those_of_the_slow_twin(rows: list[tuple[str, str, float]]) -> None:
    words = {1.0: "a", 0.5: "tie", 0.0: "b"}
    given_rows = [(topic, pair[0] + "_", pair[1] + "_", words[won]) for topic, pair, won in rows]
    frame = table(*given_rows).assign(time=range(len(rows)))
    scores = rated(frame)
    battles = [(pair[0] + "_", pair[1] + "_", won) for _, pair, won in rows]
    by_elo = slow.elo(battles)
    strengths = {run: scores.value("BT", run=run) for run in scores.runs}
    for run in scores.runs:
        assert scores.value("wins", run=run) == pytest.approx(slow.wins(battles, run))
        assert scores.value("Elo", run=run) == pytest.approx(by_elo[run], abs=1e-9)
    known = [each for each in battles if None not in (strengths[each[0]], strengths[each[1]])]
    if known:
        expected = slow.strengths(known)
        for run, each in expected.items():
            assert strengths[run] == pytest.approx(each, abs=1e-6)


@given(BATTLES, st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_neither_order_of_rows_nor_sides_change_anything(rows: Any, random: Any) -> None:
    words, turned = {1.0: "a", 0.5: "tie", 0.0: "b"}, {1.0: "b", 0.5: "tie", 0.0: "a"}
    plain = [(topic, f"{p[0]}_", f"{p[1]}_", words[won]) for topic, p, won in rows]
    other = [(topic, f"{p[1]}_", f"{p[0]}_", turned[won]) for topic, p, won in rows]
    random.shuffle(other)
    first, second = (rated(table(*each)).frame() for each in (plain, other))
    pd.testing.assert_frame_equal(first, second, check_exact=True)


def test_who_won_everything_has_no_strength() -> None:
    """The eleven to nothing of a leader board: no finite rating makes it most likely."""
    rows = [("t", "best", "a", "best")] * 11
    rows += [("t", "a", "b", "a"), ("t", "a", "b", "b"), ("t", "b", "worst", "b")]
    scores = rated(table(*rows, ("t", "x", "y", "tie")), "BT")
    values = [scores.value("BT", run=run) for run in ("best", "a", "b", "worst", "x")]
    assert values == [None, None, None, None, None]
    scores = rated(table(*rows), "BT")
    values = [scores.value("BT", run=run) for run in ("best", "a", "b", "worst")]
    assert values == [None, pytest.approx(0), pytest.approx(0), None]
    assert any("1 run that won every battle: best" in each for each in scores.warnings)
    assert any("1 run that lost every battle: worst" in each for each in scores.warnings)


def test_ratings_of_all_are_from_the_battles_of_all_topics() -> None:
    rows = [("t", "a", "b", "a")] * 3 + [("u", "a", "b", "b")]
    scores = rated(table(*rows), "wins BT")
    assert scores.value("wins", run="a") == 0.75
    assert scores.value("BT", run="a") == pytest.approx(math.log(3) / 2)
    assert scores.value("BT", "t", run="a") is None


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (("t", "a", "a", "a"), "duplicate-id"),
        (("t", "a", "b", "c"), "unknown-label"),
        (("t", "a", "b", ""), "empty-value"),
        (("all", "a", "b", "a"), "reserved-name"),
    ],
)
def test_bad_rows_are_refused(here: Path, row: tuple[str, ...], code: str) -> None:
    table(row).to_csv(here / "battles.tsv", sep="\t", index=False)
    with faulty(code, 2):
        tseval.score_battles("battles.tsv")


def test_intervals_hold_their_value_and_tell_how_they_were_drawn() -> None:
    shown = view("", EXAMPLE, "--intervals", "--resamples", "200", "-m", "wins BT Elo")
    assert (shown["low"].fillna(-math.inf) <= shown["value"]).all()
    assert (shown["value"] <= shown["high"].fillna(math.inf)).all()
    told = program("battles", EXAMPLE, "--intervals", "--resamples", 200, "--seed", 4).out
    assert "resamples:200|seed:4" in told


def test_an_interval_without_an_end_is_open(here: Path) -> None:
    rows = [(f"t{at}", "a", "b", "a" if at else "b") for at in range(6)]
    table(*rows).to_csv(here / "battles.tsv", sep="\t", index=False)
    shown = view("", here / "battles.tsv", "--intervals", "-m", "BT").set_index("run")
    assert math.isnan(shown.loc["a", "high"])
    assert shown.loc["a", "low"] > -1


def test_pairs_by_hand(here: Path) -> None:
    """Five wins to none: 2 * (1/2)^5 of the ways are as uneven."""
    rows = [(f"t{at}", "a", "b", "a") for at in range(5)] + [("t0", "b", "a", "tie")]
    table(*rows).to_csv(here / "battles.tsv", sep="\t", index=False)
    (pair,) = view("pairs", here / "battles.tsv").itertuples()
    assert (pair.run, pair.wins, pair.ties, pair.losses, pair.p) == ("a", 5, 1, 0, 0.0625)


def test_an_interval_that_ends_at_0_shows_no_difference() -> None:
    """In the draws of the examples at that end both runs are equal, but for rounding."""
    shown = view("pairs").set_index(["run", "other"])
    assert shown.loc[("swift", "baseline"), ["low", "differ"]].tolist() == [0, "no"]
    assert shown.loc[("thorough", "baseline"), "differ"] == "yes"


def test_cycles_order_and_judges(here: Path) -> None:
    rows = [("t", "a", "b", "a"), ("t", "b", "c", "b"), ("t", "c", "a", "c")]
    frame = table(*rows, *rows).assign(judge=["ada"] * 3 + ["ben"] * 3, order="ab")
    frame.loc[3, "winner"] = "tie"
    frame.to_csv(here / "battles.tsv", sep="\t", index=False)
    path = here / "battles.tsv"
    assert view("cycles", path).values.tolist() == [["a", "b", "c"]]
    whole = view("order", path).iloc[-1]
    assert (whole["run"], whole["n_first"], whole["share_first"]) == ("all", 6, 5.5 / 6)
    assert whole["p"] == 2 / 2**5
    (judges,) = view("judges", path).itertuples()
    assert (judges.judge, judges.battles) == ("ada", 3)
    assert judges.agreement == pytest.approx(2 / 3)


def test_a_report_shows_who_wins_against_whom(here: Path) -> None:
    assert program("battles", EXAMPLE, "-q", "-f", "json", "-o", "scores.json").code == 0
    done = program("report", "scores.json", "-o", "page.html")
    assert done.code == 0, done.err
    assert "Wins against each run" in (here / "page.html").read_text()


def test_strength_scales_with_the_battles() -> None:
    """Thirty runs and ten thousand battles: the strengths that they were drawn from come back."""
    draw = np.random.default_rng(2)
    true = draw.normal(0, 1, 30)
    one = draw.integers(0, 30, 10_000)
    other = (one + draw.integers(1, 30, 10_000)) % 30
    won = draw.random(10_000) < 1 / (1 + np.exp(true[other] - true[one]))
    frame = pd.DataFrame({"topic": "t", "run_a": one, "run_b": other}).astype(str)
    frame["winner"] = np.where(won, "model_a", "model_b")
    scores = rated(frame, "BT")
    found = np.array([scores.value("BT", run=str(at)) for at in range(30)])
    assert np.abs(found - (true - true.mean())).max() < 0.35
