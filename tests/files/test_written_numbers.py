"""Numbers in signatures, explanations and files of scores are the numbers that were used."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given

import tseval
from tests import strategies as st
from tests.program import tseval as program
from tseval.comparison import Treatment, correlate, read_board
from tseval.io.times import number, written

pytestmark = pytest.mark.small_times

START = 1_400_000_000


@given(st.floats(-1e99, 1e99))
def test_a_written_number_is_read_as_itself(value: float) -> None:
    assert number(written(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.0, "2"), (0.55, "0.55"), (1329910380.5, "1329910380.5"), (-0.25, "-0.25")],
)
def test_a_written_number_is_short(value: float, text: str) -> None:
    assert written(value) == text


@pytest.fixture
def ontology(tmp_path: Path) -> Path:
    path = tmp_path / "types.json"
    path.write_text(json.dumps({"informationTypes": [{"id": "Report-News"}]}))
    return path


def test_alerts_at_nearly_the_same_threshold_have_two_signatures(ontology: Path) -> None:
    """The priority lies between the two thresholds: one sees an alert, and the other none."""
    labels = pd.DataFrame(
        {"topic": "e", "post_id": ["p"], "level": ["High"], "types": [""], "time": [START]}
    )
    run = pd.DataFrame({"topic": "e", "post_id": ["p"], "priority": [0.70000005], "types": [""]})
    lower, upper = (
        tseval.score_incidents(run, labels, ontology, "AAW.high", threshold=threshold)
        for threshold in (0.7, 0.7000001)
    )
    assert (lower.value("AAW.high"), upper.value("AAW.high")) == (0.3, -1.0)
    assert lower.signature != upper.signature
    assert "threshold:0.7000001" in upper.signature


def filtered(**options: object) -> tseval.Scores:
    truth = pd.DataFrame(
        {
            "topic": "t",
            "post_id": ["a", "b"],
            "relevance": [2, 2],
            "time": [START + 0.25, START + 10],
        }
    )
    run = truth[["topic", "post_id", "time"]].assign(confidence=1000)
    return tseval.score_filtering(run[:1], truth, "R", cutoff=100, batch="1s", **options)  # type: ignore[arg-type]


def test_periods_a_part_of_a_second_apart_have_two_signatures() -> None:
    """The first document, which was found, came a quarter of a second after the full one."""
    early, late = filtered(start=str(START)), filtered(start=str(START + 0.3))
    assert (early.value("R"), late.value("R")) == (0.5, 0.0)
    assert early.signature != late.signature
    assert f"period:{START}.3-" in late.signature


def test_nearly_the_same_zeta_has_another_signature() -> None:
    one, other = filtered(zeta=1.23456), filtered(zeta=1.2345600001)
    assert one.signature != other.signature


def test_a_comparison_tells_its_alpha_and_its_persistence_as_they_are() -> None:
    rows = [
        (run, f"t{at}", "R", 0.1 * at + add)
        for run, add in (("a", 0.0), ("b", 0.1))
        for at in range(4)
    ]
    frame = pd.DataFrame(rows, columns=["run", "topic", "measure", "value"])
    options = {"resamples": 100, "interval": "percentile"}
    one, other = (tseval.compare(frame, alpha=a, **options) for a in (0.05, 0.0500000001))  # type: ignore[arg-type]
    assert one.signature != other.signature
    near, far = (correlate(frame, frame, persistence=p) for p in (0.9, 0.90000001))
    assert near.signature != far.signature


def test_explained_delays_are_those_of_the_latency(tmp_path: Path) -> None:
    """A post more than a year late: six digits of its minutes are not enough."""
    clusters, run = tmp_path / "clusters.tsv", tmp_path / "run.tsv"
    clusters.write_text(
        f"topic\tcluster_id\tpost_id\ttime\nt\tc\ta\t{START}\nt\tc\tb\t{START + 40_000_000.25}\n"
    )
    run.write_text(f"topic\tpost_id\ttime\nt\tb\t{START + 40_000_000.25}\n")
    explained = program("clusters", run, clusters, "--explain", "-f", "csv", "--quiet")
    (row,) = csv.DictReader(explained.out.splitlines())
    assert row["delays"] == "666666.6708333333"
    assert tseval.score_clusters(run, clusters).value("latency") == 666666.6708333333


def test_names_that_end_with_a_blank_stay_two_in_the_form_trec(tmp_path: Path) -> None:
    path = tmp_path / "scores.trec"
    path.write_text("a\tR\tt \t0.5\na \tR\tt\t0.25\na\tR\tt\t1.0\n")
    board = read_board([path], treatment=Treatment(on_missing="skip"))
    assert (board.runs, board.topics) == (("a", "a "), ("t", "t "))
    assert board.values[board.known].tolist() == [1.0, 0.5, 0.25]


def test_measures_that_trec_eval_fills_up_with_blanks_are_still_read(tmp_path: Path) -> None:
    path = tmp_path / "eval"
    path.write_text("map                   \tt1\t0.5\nmap                   \tall\t0.5\n")
    assert read_board([path]).measures == ("map",)
