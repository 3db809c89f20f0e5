"""Runs in the format of the Incident Streams proposal as updates, and on the assessors' desk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tseval
from tests.desk.serving import served
from tests.program import NUGGETS
from tests.program import tseval as program
from tseval.desk.desk import Desk
from tseval.desk.store import Store


def post(event: str, name: str, time: Any, text: str, *confidences: float) -> dict[str, Any]:
    """An object as the proposal has it."""
    types = [{"id": f"type-{at}", "confidence": sure} for at, sure in enumerate(confidences)]
    return {
        "EventID": event,
        "ProcessingType": "Automatic",
        "ID": name,
        "Content": text,
        "PostTimestamp": time,
        "InformationTypes": types,
    }


POSTS = [
    post("flood", "sw-flood-1", 1699921800, "River Osk burst its banks in Tarrin", 0.1, 0.3),
    post("flood", "sw-flood-9", 1699929000, "Homes in Tarrin are under water", 0.9, 0.2),
    post("ferry", "sw-ferry-1", "2023-11-16T07:00:00Z", "Ferry collided with a freighter"),
]
PLAIN = """topic\tupdate_id\ttime\ttext\tconfidence
flood\tsw-flood-1\t1699921800\tRiver Osk burst its banks in Tarrin\t0.3
flood\tsw-flood-9\t1699929000\tHomes in Tarrin are under water\t0.9
ferry\tsw-ferry-1\t1700118000\tFerry collided with a freighter\t0
"""


MATCHES = """topic\tupdate_id\tnugget_id
flood\tsw-flood-1\tflood-n1
flood\tsw-flood-9\tflood-n2
"""


@pytest.fixture
def matches(tmp_path: Path) -> str:
    (tmp_path / "matches.tsv").write_text(MATCHES)
    return str(tmp_path / "matches.tsv")


def write(folder: Path, posts: list[dict[str, Any]], name: str = "agent.jsonl") -> str:
    path = folder / name
    path.write_text("".join(f"{json.dumps(each)}\n" for each in posts))
    return str(path)


def spelt(posts: list[dict[str, Any]], spell: Any) -> list[dict[str, Any]]:
    return [{spell(key): value for key, value in each.items()} for each in posts]


@pytest.mark.parametrize("spell", [str, str.lower, str.upper])
def test_a_run_scores_as_its_plain_table(tmp_path: Path, matches: str, spell: Any) -> None:
    plain = tmp_path / "plain" / "agent.tsv"
    plain.parent.mkdir()
    plain.write_text(PLAIN)
    run = write(tmp_path, spelt(POSTS, spell))
    (tmp_path / "listed").mkdir()
    (tmp_path / "listed" / "agent.json").write_text(json.dumps(POSTS))
    for more in (
        ("-m", "P R Rs T"),
        ("--matches", matches, "-m", "R T"),
        ("--edition", "ts2014", "-m", "cbEG updates"),
    ):
        asked = (NUGGETS, "-q", "-f", "csv", *more)
        wanted = program("score", plain, *asked)
        assert wanted.code == 0
        for given in (run, tmp_path / "listed" / "agent.json"):
            found = program("score", given, *asked)
            assert (found.code, found.out, found.err) == (0, wanted.out, wanted.err)
    drawn = ("-m", "R", "--topic", "flood", "--matches", matches, "--quiet")
    assert program("curve", run, NUGGETS, *drawn).out == (
        program("curve", plain, NUGGETS, *drawn).out
    )


def test_frames_and_rows_score_as_files(tmp_path: Path, matches: str) -> None:
    run = write(tmp_path, POSTS)
    rows = [{**each, "run": "agent"} for each in POSTS]
    rows[2]["PostTimestamp"] = 1700118000
    wanted = tseval.score(run, NUGGETS, matches).frame()
    for given in (rows, pd.DataFrame(rows), [rows]):
        pd.testing.assert_frame_equal(tseval.score(given, NUGGETS, matches).frame(), wanted)


def test_a_post_without_text_is_an_update_without_words(tmp_path: Path, matches: str) -> None:
    whole = tseval.score(write(tmp_path, POSTS), NUGGETS, matches, measures="R").value("R")
    for number in (1, len(POSTS)):
        bare = [{k: v for k, v in each.items() if k != "Content"} for each in POSTS[:number]]
        run = write(tmp_path, [*bare, *POSTS[number:]])
        assert tseval.score(run, NUGGETS, matches, measures="R").value("R") == whole
        told = program("score", run, NUGGETS, "-m", "R").err
        noun = "1 update" if number == 1 else "3 updates"
        assert f"{noun} without text cannot be matched" in told


def test_a_faulty_post_is_told_with_its_line(tmp_path: Path) -> None:
    for key, value, code in (
        ("InformationTypes", "Weather", "record-format"),
        ("PostTimestamp", "noon", "time-format"),
        ("EventID", None, "missing-key"),
    ):
        faulty = {name: cell for name, cell in POSTS[1].items() if name != key}
        faulty |= {} if value is None else {key: value}
        refused = program("score", write(tmp_path, [POSTS[0], faulty]), NUGGETS)
        assert (refused.code, refused.codes) == (1, [(code, 2)])


def test_assessors_read_the_most_confident_posts(tmp_path: Path) -> None:
    """Of each topic one post: sw-flood-9, whose surest type has 0.9, and sw-ferry-1."""
    run, store = write(tmp_path, POSTS), tmp_path / "desk.tseval"
    with served("open", run, NUGGETS, "--store", store, "--pool", 1, "--matcher", "fuzzy"):
        pass
    items = Desk(Store.open(store)).pool.items
    assert [(each.topic, each.name) for each in items] == [
        ("ferry", "sw-ferry-1"),
        ("flood", "sw-flood-9"),
    ]
