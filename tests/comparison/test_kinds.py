"""Scores of incident streams are compared over events or over types, never over both at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import tseval
from tests import program
from tseval.comparison import Comparison, read_board

STREAM = program.FIXTURES / "incidents"
RUNS = [STREAM / "keen.txt", STREAM / "shy.tsv"]
GIVEN = (STREAM / "labels.json", STREAM / "types.json")
WANTED = "type.F1 type.F1(actionable) priority.MSE any.F1 AAW.high"
OF_TYPES = ("type.F1", "type.F1(actionable)", "priority.MSE")
OF_POSTS = ("any.F1", "AAW.high")
TOLD = "compared over information types, whose mean is the score; rows of events are left out: "


@pytest.fixture(scope="module")
def scores() -> tseval.Scores:
    return tseval.score_incidents(RUNS, *GIVEN, WANTED, epochs=STREAM / "epochs.txt")


def saved(form: str) -> Callable[[tseval.Scores, Path], object]:
    def save(scores: tseval.Scores, folder: Path) -> object:
        scores.save(folder / f"scores.{form}")
        return folder / f"scores.{form}"

    return save


WAYS: dict[str, Callable[[tseval.Scores, Path], object]] = {
    **{form: saved(form) for form in ("json", "parquet", "csv", "trec")},
    "memory": lambda scores, _: scores,
    "frame": lambda scores, _: scores.frame(),
}


def means(found: Comparison) -> dict[tuple[str, str], float]:
    return {(each.run, each.measure): each.mean for each in found.standings}


@pytest.mark.parametrize("way", WAYS)
def test_means_are_the_scores_that_incidents_has(
    way: str, scores: tseval.Scores, tmp_path: Path
) -> None:
    """Over both kinds they would not be; those of whole posts are means over events."""
    found = tseval.compare(WAYS[way](scores, tmp_path))  # type: ignore[arg-type]
    for (run, measure), mean in means(found).items():
        over = ("flood", "quake")
        values = [scores.value(measure, event, run) for event in over]
        known = [value for value in values if value is not None]
        expected = scores.value(measure, run=run) if measure in OF_TYPES else sum(known) / 2
        assert mean == pytest.approx(expected), (run, measure)
    assert {each.topics for each in found.standings if each.measure == "type.F1"} == {4}
    assert f"priority.MSE, type.F1, type.F1(actionable): {TOLD}flood, quake" in {
        ", ".join(sorted(line.partition(": ")[0].split(", "))) + ": " + line.partition(": ")[2]
        for line in found.warnings
    }
    assert "over:types,else-events" in found.signature
    assert not any("undefined" in line and "AAW" in line for line in found.warnings)


@pytest.mark.parametrize("way", ["json", "parquet", "memory"])
def test_other_names_of_types_are_told(way: str, tmp_path: Path) -> None:
    """An ontology may call its types as it likes."""
    ontology = tmp_path / "types.json"
    ontology.write_text('[{"ID": "water"}, {"ID": "fire"}]')
    posts = {"topic": ["e", "f", "f"], "post_id": ["1", "2", "3"], "types": ["water", "fire", ""]}
    labels = pd.DataFrame(posts).assign(level="Low")
    runs = pd.concat(pd.DataFrame(posts).assign(run=run, priority=1) for run in "ab")
    scores = tseval.score_incidents(runs, labels, ontology, "type.R")
    board = read_board(WAYS[way](scores, tmp_path))  # type: ignore[arg-type]
    assert board.topics == ("fire", "water")
    unsure = read_board(scores.frame())
    assert unsure.topics == ("e", "f", "fire", "water")
    assert any("type.R: nothing tells here whether topics are" in line for line in unsure.warnings)
    named = read_board(scores.frame(), types=["fire", "water"])
    assert named.topics == ("fire", "water")


def test_the_names_of_the_track_tell_types_without_another_measure(scores: tseval.Scores) -> None:
    frame = scores.frame()
    board = read_board(frame[frame["measure"] == "type.F1"])
    assert {topic.partition("-")[0] for topic in board.topics} == {"Request", "Report", "Other"}


def test_events_alone_are_compared_over_events(scores: tseval.Scores) -> None:
    frame = scores.frame()
    found = read_board(frame[frame["topic"].isin(["flood", "quake"])])
    assert found.topics == ("flood", "quake")
    assert not any("left out: " in line or "nothing tells" in line for line in found.warnings)
    assert "over" not in found.traits


def test_other_families_are_as_they_were() -> None:
    rows = [(run, topic, "R", 0.5) for run in "ab" for topic in ("Report-1", "x")]
    board = read_board(pd.DataFrame(rows, columns=["run", "topic", "measure", "value"]))
    assert board.topics == ("Report-1", "x")
    assert board.warnings == ()
    assert "over" not in board.traits


def test_parquet_of_another_program_may_say_types_of_anything(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"run": ["a"], "topic": ["t"], "measure": ["P"], "value": [1.0]})
    for told in ("no JSON", '{"a": 1}'):
        pq.write_table(table.replace_schema_metadata({"types": told}), tmp_path / "s.parquet")
        assert read_board(tmp_path / "s.parquet").topics == ("t",)


def test_the_command_says_so(scores: tseval.Scores, tmp_path: Path) -> None:
    scores.save(tmp_path / "s.json")
    outcome = program.tseval("compare", tmp_path / "s.json", "-m", "type.F1")
    assert outcome.code == 0
    assert f"warning: type.F1: {TOLD}flood, quake" in outcome.err
