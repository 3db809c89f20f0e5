"""The draft measures on real judgments: no scores were published, so the slow reference tells."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pandas as pd
import pytest

import tseval
from tests.families.temporal.test_temporal_properties import ALL
from tests.oracles import close
from tests.oracles import temporal as slow

TOPICS = ("TS14.17", "TS14.22", "TS14.24")
MOMENTS = ("", "@6h", "@3d")


def rows(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="module")
def judged(conformance: Path) -> slow.Collection:
    """All pooled sentences of some topics as one run; a sentence is as old as its document."""
    folder = conformance / "temporal/2014"
    updates = {
        row["update_id"]: slow.Update(
            row["query_id"],
            row["update_id"],
            int(row["update_id"].split("-")[0]),
            row["update_text"],
        )
        for row in rows(folder / "updates_sampled.tsv.gz")
        if row["query_id"] in TOPICS
    }
    nuggets = {
        row["nugget_id"]: slow.Nugget(
            row["query_id"],
            row["nugget_id"],
            int(row["timestamp"]),
            row["nugget_text"],
            int(row["importance"]),
        )
        for row in rows(folder / "nuggets.tsv.gz")
        if row["query_id"] in TOPICS
    }
    matches = {
        (row["update_id"], row["nugget_id"]): slow.Match(
            row["query_id"], row["update_id"], row["nugget_id"]
        )
        for row in rows(folder / "matches.tsv.gz")
        if row["update_id"] in updates and row["nugget_id"] in nuggets
    }
    return slow.Collection(list(updates.values()), list(nuggets.values()), list(matches.values()))


def test_the_measures_equal_the_slow_ones(judged: slow.Collection) -> None:
    names = [name + moment for name in ALL for moment in MOMENTS]
    scores = tseval.score(
        pd.DataFrame([vars(update) for update in judged.updates]).drop(columns="cost"),
        pd.DataFrame([vars(nugget) for nugget in judged.nuggets]).drop(columns="cost"),
        pd.DataFrame([vars(match) for match in judged.matches]).drop(columns="run"),
        measures=names,
    )
    for topic in TOPICS:
        case = slow.select(judged, "run", topic)
        quick = slow.Case(case.updates, case.nuggets, frozenset(case.matches))  # type: ignore[arg-type]
        for name in names:
            measure = slow.parse(name)
            start = slow.start(judged, topic)
            moment = None if measure.at is None else slow.moment(measure.at, start)
            expected = slow.value(quick, measure, moment)
            assert close(scores.value(name, topic), expected), (topic, name)


def test_there_is_something_to_find(judged: slow.Collection) -> None:
    assert len(judged.matches) > 500
    assert {update.topic for update in judged.updates} == set(TOPICS)
