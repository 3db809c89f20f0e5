"""Scores as nuggets' times are moved: against whole evaluations of moved tables, and by hand."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tseval
from tests import program
from tests.program import MATCHES, NUGGETS, SWIFT, THOROUGH, TOPICS

HOUR = 3600.0


def one(time: int) -> dict[str, pd.DataFrame]:
    """One nugget, and one update that says it an hour later."""
    updates = pd.DataFrame([("t", "u", time + 3600, "x", "r")])
    updates.columns = pd.Index(["topic", "update_id", "time", "text", "run"])
    nuggets = pd.DataFrame([("t", "n", time, "x")], columns=["topic", "nugget_id", "time", "text"])
    matches = pd.DataFrame([("t", "u", "n")], columns=["topic", "update_id", "nugget_id"])
    return {"updates": updates, "nuggets": nuggets, "matches": matches}


def test_one_nugget_by_hand() -> None:
    """T is then how early the update is, -1 h, and the error: even between -2 h and 0 h.

    Its middle 95 % are from -1.95 h to -0.05 h.
    """
    found = tseval.jitter(**one(1_700_000_000), measures="T P R", within="1h", samples=20_000)
    rows = found.frame(per_topic=False).set_index("measure")
    assert rows.value["T"] == -1
    assert rows.low["T"] == pytest.approx(-1.95, abs=0.01)
    assert rows.high["T"] == pytest.approx(-0.05, abs=0.01)
    for name in ("P", "R"):  # which rest on no time
        assert rows.low[name] == rows.high[name] == rows.value[name]


def test_each_sample_is_a_whole_evaluation_of_moved_nuggets() -> None:
    """The errors are drawn in the order of the gold, sample after sample."""
    measures = ["Rs", "T", "T(unit=min)@24h", "R"]
    found = tseval.jitter(
        [SWIFT, THOROUGH],
        NUGGETS,
        MATCHES,
        topics=TOPICS,
        measures=measures,
        within="3h",
        samples=7,
        seed=5,
    )
    gold, draw = pd.read_csv(NUGGETS, sep="\t"), np.random.default_rng(5)
    values = []
    for _ in range(7):
        moved = gold.assign(time=gold.time + draw.uniform(-3 * HOUR, 3 * HOUR, len(gold)))
        scores = tseval.score([SWIFT, THOROUGH], moved, MATCHES, topics=TOPICS, measures=measures)
        values.append(scores.frame().value.astype(float).to_numpy())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of T where no sample has one
        low, high = np.nanquantile(values, (0.025, 0.975), axis=0)
    frame = found.frame()
    assert frame.low.astype(float).to_numpy() == pytest.approx(low, nan_ok=True)
    assert frame.high.astype(float).to_numpy() == pytest.approx(high, nan_ok=True)
    still = tseval.score([SWIFT, THOROUGH], NUGGETS, MATCHES, topics=TOPICS, measures=measures)
    pd.testing.assert_series_equal(frame.value, still.frame().value)


def test_the_command_says_the_same_and_signs_it(tmp_path: Path) -> None:
    files = (SWIFT, NUGGETS, "--matches", MATCHES, "--topics", TOPICS, "--quiet")
    given = (*files, "--jitter", "90m", "--samples", "50", "--seed", "3", "-q")
    done = program.tseval("score", *given, "-f", "tsv", "-o", tmp_path / "moved.tsv")
    assert (done.code, done.err) == (0, "")
    told = pd.read_csv(tmp_path / "moved.tsv", sep="\t")
    found = tseval.jitter(SWIFT, NUGGETS, MATCHES, topics=TOPICS, within="90m", samples=50, seed=3)
    assert list(told.measure.unique()) == ["Rs", "T"]
    pd.testing.assert_frame_equal(
        told.astype(dict.fromkeys(("value", "low", "high"), "Float64")),
        found.frame(),
        check_dtype=False,
    )
    assert program.tseval("score", *given).out.strip().endswith("|jitter:90m|samples:50|seed:3")
    assert program.tseval("score", *given).output == program.tseval("score", *given).output


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--jitter", "1"), 'jitter: "1" is not a length of time'),
        (("--jitter", "0h"), "jitter 0h: give a length longer than 0 seconds"),
        (("--seed", "1"), "--seed has no meaning without --jitter"),
        (("--samples", "9"), "--samples has no meaning without --jitter"),
        (("--jitter", "1h", "--in-blocks", "9"), "--jitter has no meaning with --in-blocks"),
        (("--jitter", "1h", "--explain", "nuggets"), "--jitter has no meaning with --explain"),
        (("--jitter", "1h", "-f", "trec"), "'trec' is none of the forms"),
    ],
)
def test_wrong_usage(options: tuple[str, ...], told: str) -> None:
    done = program.tseval("score", SWIFT, NUGGETS, *options)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_follow_moves_nothing() -> None:
    done = program.tseval("score", "--follow", NUGGETS, "--jitter", "1h")
    assert done.code == 2
    assert "--jitter has no meaning with --follow" in done.err


def test_too_few_samples() -> None:
    with pytest.raises(tseval.UsageError, match="--samples cannot be 1"):
        tseval.jitter(**one(1_700_000_000), samples=1)
