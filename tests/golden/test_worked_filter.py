"""The example of filtering, worked out by hand in docs/filtering.md: every number, every form."""

from __future__ import annotations

import csv
import io
import json
import math
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import tseval
from tests.program import FIXTURES, Outcome
from tests.program import tseval as program

FOLDER = FIXTURES / "filter"
TRUTH = str(FOLDER / "truth.tsv")
RUNS = [str(FOLDER / f"{name}.tsv") for name in ("fading", "improving", "steady")]
PERIOD = ("--start", 1699920000, "--end", 1700438400)
"""Six days from midnight to midnight."""

ONE, HALF = Fraction(1), Fraction(1, 2)
BY_HAND: dict[str, dict[str, list[Fraction | None]]] = {
    "fading": {
        "P": [ONE, ONE, HALF, HALF, Fraction(0), None],
        "R": [ONE, ONE, HALF, HALF, Fraction(0), None],
        "A": [ONE] * 6,
        "F_pra": [ONE, ONE, Fraction(3, 5), Fraction(3, 5), Fraction(0), ONE],
        "T11U": [Fraction(3), Fraction(3), Fraction(2), ONE, Fraction(0), None],
        "T11NU": [ONE, ONE, HALF, HALF, Fraction(0), None],
        "T11SU": [ONE, ONE, Fraction(2, 3), Fraction(2, 3), Fraction(1, 3), None],
        "C_trk": [Fraction(0), Fraction(0), HALF, HALF, ONE, None],
        "FDR": [Fraction(0)] * 4 + [None] * 2,
    },
    "steady": {
        "P": [ONE, Fraction(3, 4), ONE, ONE, ONE, None],
        "R": [Fraction(3, 4), Fraction(3, 4), ONE, Fraction(3, 4), Fraction(3, 4), None],
        "A": [ONE, Fraction(3, 4), ONE, ONE, ONE, HALF],
        "F_pr": [Fraction(6, 7), Fraction(3, 4), ONE, Fraction(6, 7), Fraction(6, 7), None],
        "F_pra": [
            *(Fraction(9, 10), Fraction(3, 4), ONE),
            *(Fraction(9, 10), Fraction(9, 10), HALF),
        ],
        "FPR": [None, ONE, Fraction(0), None, None, ONE],
        "FDR": [Fraction(0), Fraction(1, 4), Fraction(0), Fraction(0), Fraction(0), ONE],
    },
}
"""The metrics of the six days at the cutoff 50, as fractions."""
WEIGHTS = {
    "fading": [Fraction(1, 5)] * 5 + [Fraction(0)],
    "steady": [Fraction(n, 17) for n in (3, 4, 3, 3, 3, 1)],
}


def shown(*options: object, runs: list[str] = RUNS) -> Outcome:
    done = program("filter", *runs, TRUTH, *PERIOD, *options)
    assert done.code == 0, done.err
    return done


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    path = tmp_path_factory.mktemp("series") / "series.csv"
    shown("--cutoff", 50, "--series", path, "--quiet")
    return pd.read_csv(path)


@pytest.mark.parametrize(("run", "metric"), [(r, m) for r, own in BY_HAND.items() for m in own])
def test_every_batch(series: pd.DataFrame, run: str, metric: str) -> None:
    rows = series[(series["run"] == run) & (series["measure"] == metric)]
    expected = [None if f is None else pytest.approx(float(f)) for f in BY_HAND[run][metric]]
    assert [None if math.isnan(value) else value for value in rows["value"]] == expected
    assert rows["weight"].tolist() == pytest.approx([float(w) for w in WEIGHTS[run]])
    both = zip(BY_HAND[run][metric], WEIGHTS[run], strict=True)
    assert rows["usable"].tolist() == [f is not None and w > 0 for f, w in both]


TREND = {
    "slope(R)": -0.25,
    "intercept(R)": 1.1,
    "end(R)": -0.15,
    "se(R)": math.sqrt(29) / 70,
    "t(R)": -17.5 / math.sqrt(29),
    "p(R)": 0.0475015,
    "end-se(R)": math.sqrt(0.01 + 9 / 19600 + 1 / 1600 + 9 / 784 + 0.04),
    "batches(R)": 5,
    "cutoff(R)": 50,
    "DW(R)": (0.25**2 * 4) / (3 * 0.1**2 + 2 * 0.15**2),
    "spearman(R)": -math.sqrt(0.9),
    "slope(R,per=day)": -0.25,
    "slope(R,per=second)": -0.25 / 86400,
}
"""Of fading: R is 1, 1, 1/2, 1/2, 0 on five days of equal weight, and the sixth has none."""


def test_the_trend_of_fading() -> None:
    period = {"start": 1699920000, "end": 1700438400}
    scores = tseval.score_filtering(RUNS[0], TRUTH, list(TREND), cutoff=50, **period)
    found = {name: scores.value(name) for name in TREND}
    assert found == pytest.approx(TREND, rel=1e-5)


WHOLE = {
    ("fading", "all"): (1, 0.6, 1, 0.75),
    ("steady", "dam"): (6 / 7, 0.6, 1 / 2, 12 / 17),
    ("steady", "ferry"): (5 / 6, 1, 1 / 2, 10 / 11),
    ("steady", "all"): (71 / 84, 0.8, 1 / 2, 568 / 691),
    ("improving", "all"): (1, 0.4, 1, 4 / 7),
}


def test_the_whole_period() -> None:
    scores = tseval.score_filtering(RUNS, TRUTH, "P R A F_1", cutoff=50)
    for (run, topic), values in WHOLE.items():
        found = [scores.value(measure, topic, run) for measure in scores.measures]
        assert found == pytest.approx(values)


def test_the_two_rankings_differ() -> None:
    done = shown("--show", "ranking", "--cutoff", 50, "-m", "end(R)", "-f", "json", "--quiet")
    rows = json.loads(done.out)["records"]
    assert [(row["run"], row["place"], row["usual_place"]) for row in rows] == [
        ("improving", 1, 3),
        ("steady", 2, 1),
        ("fading", 3, 2),
    ]
    assert [row["tau"] for row in rows] == pytest.approx([-1 / 3] * 3)
    assert rows[0]["end"] == pytest.approx(1.15)


def test_the_paired_test() -> None:
    """R of improving is that of fading backwards: their difference rises by 1/2 a day."""
    done = shown("--show", "tests", "--cutoff", 50, "-m", "end(R)", "-f", "tsv", runs=RUNS[:2])
    (row,) = csv.DictReader(io.StringIO(done.out), delimiter="\t")
    wanted = ("slope_difference", "paired_slope", "z", "paired_t")
    told = {name: float(row[name]) for name in wanted}
    error = math.sqrt(29) / 70
    assert told == pytest.approx(
        {
            "slope_difference": -0.5,
            "paired_slope": -0.5,
            "z": -0.5 / math.sqrt(2 * error**2),
            "paired_t": -0.5 / (2 * error),
        }
    )
    assert (row["common_batches"], row["trust"]) == ("5", "paired")
    assert float(row["paired_end"]) == pytest.approx(-0.15 - 1.15)


@pytest.mark.parametrize("show", ["ranking", "tests", "fits"])
@pytest.mark.parametrize("form", ["table", "tsv", "csv", "json", "parquet"])
def test_every_form_of_every_report(tmp_path: Path, show: str, form: str) -> None:
    path = tmp_path / "out"
    shown("--show", show, "-f", form, "-o", path, "--quiet")
    content = path.read_bytes()
    assert content
    if form == "json":
        told = json.loads(content)
        assert told["records"]
        assert ("paired" in str(told.get("notes"))) == (show in ("tests", "fits"))
    if form == "parquet":
        assert len(pd.read_parquet(io.BytesIO(content))) == 3


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "parquet"])
def test_every_form_of_the_series(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"series.{suffix}"
    shown("--series", path, "--batch", "1d", "--batch", "2d", "--quiet")
    if suffix == "parquet":
        rows = len(pd.read_parquet(path))
    elif suffix == "json":
        rows = len(json.loads(path.read_text())["records"])
    else:
        rows = len(path.read_text().splitlines()) - 1
    assert rows == 3 * 12 * (6 + 3)


def test_what_to_trust_stands_in_the_output() -> None:
    tests = shown("--show", "tests", "--quiet").out
    assert "Trust the paired tests" in tests
    assert "z and end_z take two runs as independent" in tests
    scores = shown("--quiet").out
    assert "Kendall's tau with the ranking by F_1" in scores
    assert "--show tests" in scores
    assert "Kendall" not in shown("--quiet", runs=RUNS[:1]).out
    assert "Kendall" not in shown("-m", "P", "--quiet").out
    assert "Trust the paired tests" in shown("--show", "tests", "-f", "csv").err
