"""Names of events are the names that were given."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import tseval


@pytest.fixture
def ontology(tmp_path: Path) -> Path:
    path = tmp_path / "types.json"
    path.write_text(json.dumps({"informationTypes": [{"id": "Report-News"}]}))
    return path


def scored(ontology: Path, events: list[str], edition: str) -> tseval.Scores:
    posts = [f"p{at}" for at in range(len(events))]
    both = {"topic": events, "post_id": posts, "types": "Report-News"}
    labels = pd.DataFrame({**both, "level": "High", "time": 1_400_000_000})
    run = pd.DataFrame({**both, "priority": 1.0, "rank": 1})
    return tseval.score_incidents(run, labels, ontology, "AAW.high", edition=edition)


@pytest.mark.parametrize("edition", ["2018", "2018v2", "2019a", "2019b"])
def test_an_ending_is_a_part_after_a_digit_alone(ontology: Path, edition: str) -> None:
    events = ["A", "B", "S1", "HAVANA", "HAVANB", "LOSS2"]
    assert scored(ontology, events, edition).topics == (*events, "Report-News")


@pytest.mark.parametrize(
    ("edition", "parts"), [("2018", ["S1", "S4"]), ("2018v2", ["S2", "S3"]), ("2019b", ["A", "E"])]
)
def test_the_parts_of_an_event_of_the_track_are_one(
    ontology: Path, edition: str, parts: list[str]
) -> None:
    events = [f"nepalEarthquake2015{part}" for part in parts]
    assert scored(ontology, events, edition).topics == ("nepalEarthquake2015", "Report-News")
