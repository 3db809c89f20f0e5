"""Annotations of other tools: theirs as they write them, ours there and back, and what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.desk.making import made, read
from tests.program import tseval
from tseval.desk import decisions as kinds
from tseval.desk.agreement import agreements
from tseval.desk.annotations import TOOLS, Controls
from tseval.desk.decisions import Decision
from tseval.desk.desk import Desk
from tseval.desk.exchange import OF_ONE, given_out, take_in
from tseval.errors import UsageError


def written(folder: Path, content: Any, *, lines: bool = False) -> Path:
    path = folder / "annotations.json"
    if lines:
        path.write_text("".join(json.dumps(each) + "\n" for each in content))
    else:
        path.write_text(json.dumps(content))
    return path


def said(desk: Desk) -> dict[tuple[str, str], dict[str, tuple[Any, ...]]]:
    """What everybody chose, by update and assessor; nothing where it was not read."""
    items, state = desk.pool.items, desk.state
    return {
        (items[item].name, who): {
            name: (choice.start, choice.end)
            for name, choice in state.choices.get(item, {}).get(who, {}).items()
            if choice.match
        }
        for item, by_name in state.read.items()
        for who in by_name
    }


def clusters(desk: Desk) -> dict[str, str]:
    items = desk.pool.items
    return {items[a].name: items[b].name for a, b in desk.state.cluster.items()}


def worked(folder: Path) -> Desk:
    """A desk at which two have worked."""
    desk = made(folder)
    desk.decide(*read("ada", "flood", "a1", ["n1"]))
    desk.decide(*read("ada", "flood", "a9"))
    desk.decide(
        Decision("ada", kinds.MATCH, "flood", "a2@one", "n2", 0, 10),
        *read("ada", "flood", "a2@one")[-1:],
    )
    desk.decide(*read("ben", "flood", "a1", ["n1", "n3"]))
    desk.decide(*read("ben", "ferry", "b1@two", ["m2"]))
    desk.decide(Decision("ada", kinds.TOGETHER, "flood", "a9", value="a2@one"))
    return desk


@pytest.mark.parametrize("tool", TOOLS)
def test_there_and_back(tool: str, tmp_path: Path) -> None:
    desk, other = worked(tmp_path / "a"), made(tmp_path / "b")
    people = ("ada", "ben") if tool in OF_ONE else (None,)
    for who in people:
        path = tmp_path / "out"
        path.write_bytes(given_out(desk, tool, who))
        assert given_out(desk, tool, who) == path.read_bytes()
        take_in(other, path, tool, Controls(), who)
    assert said(other) == said(desk)
    assert clusters(other) == clusters(desk)
    assert repr(agreements(other.gold().judged)) == repr(agreements(desk.gold().judged))


def test_label_studio_as_it_writes_it(tmp_path: Path) -> None:
    def choices(name: str, *chosen: str) -> dict[str, Any]:
        return {"from_name": name, "to_name": "t", "type": "choices", "value": {"choices": chosen}}

    words = {"start": 4, "end": 9, "text": "river", "labels": ["flooded"]}
    tasks = [
        {
            "id": 12,
            "data": {"event": "flood", "post": "a3", "text": "The railway to Halvek is closed"},
            "annotations": [
                {
                    "result": [choices("says", "The railway to Halvek was closed")],
                    "was_cancelled": False,
                    "ground_truth": True,
                    "completed_by": 3,
                },
                {"result": [choices("says", "n1")], "was_cancelled": True, "completed_by": 4},
                {"result": [], "completed_by": {"id": 4, "email": "ben@example.org"}},
            ],
        },
        {
            "id": 13,
            "data": {"event": "flood", "post": "a1"},
            "annotations": [
                {
                    "result": [
                        choices("mood", "calm"),
                        {"from_name": "how", "to_name": "t", "type": "labels", "value": words},
                    ],
                    "completed_by": 3,
                }
            ],
        },
    ]
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(
        'topic = "event"\nupdate = "post"\nmatch = "says"\nwords = "how"\nignore = ["mood"]\n'
        '[labels]\nflooded = "n1"\n[assessors]\n3 = "ada"\n'
    )
    desk = made(tmp_path)
    take_in(desk, written(tmp_path, tasks), "label-studio", Controls.read(mapping), None)
    assert said(desk) == {
        ("a3", "ada"): {"n3": (None, None)},
        ("a3", "ben@example.org"): {},
        ("a1", "ada"): {"n1": (4, 9)},
    }


def test_doccano_as_it_writes_it(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "text": "x", "topic": "flood", "update_id": "a3", "label": ["n3"]},
        {"id": 2, "text": "y", "topic": "flood", "update_id": "a9", "label": []},
        {
            "id": 3,
            "text": "The river burst its banks in Tarrin",
            "meta": {"topic": "flood", "update_id": "a1"},
            "label": [[4, 9, "n1"]],
        },
    ]
    desk = made(tmp_path)
    take_in(desk, written(tmp_path, rows, lines=True), "doccano", Controls(), "ada")
    assert said(desk) == {
        ("a3", "ada"): {"n3": (None, None)},
        ("a9", "ada"): {},
        ("a1", "ada"): {"n1": (4, 9)},
    }


def test_prodigy_as_it_writes_it(tmp_path: Path) -> None:
    def row(update: str, **more: Any) -> dict[str, Any]:
        meta = {"topic": "flood", "update_id": update}
        options = [{"id": "n1", "text": "..."}]
        whole = {"text": "x", "meta": meta, "options": options, "_session_id": "set-ada"}
        return whole | {"accept": ["n1"], "answer": "accept"} | more

    rows = [row("a1"), row("a3", answer="reject"), row("a9", answer="ignore")]
    desk = made(tmp_path)
    take_in(desk, written(tmp_path, rows, lines=True), "prodigy", Controls(), None)
    assert said(desk) == {("a1", "set-ada"): {"n1": (None, None)}, ("a3", "set-ada"): {}}


def test_argilla_as_it_writes_it(tmp_path: Path) -> None:
    meta = {"topic": "flood", "update_id": "a3"}
    rows = [
        {
            "id": "1",
            "external_id": None,
            "fields": {"text": "The railway to Halvek is closed"},
            "metadata": meta,
            "responses": [
                {"value": ["n3"], "user_id": "u1", "status": "submitted"},
                {"value": ["n1"], "user_id": "u2", "status": "discarded"},
            ],
            "suggestions": {},
        },
        {
            "id": "2",
            "fields": {"text": "Three people drowned at the mill bridge"},
            "metadata": {**meta, "update_id": "a9"},
            "responses": {
                "match": [{"value": ["n2"], "user_id": "u1", "status": "submitted"}],
                "words": [{"value": [{"label": "n2", "start": 0, "end": 20}], "user_id": "u1"}],
            },
        },
    ]
    desk = made(tmp_path)
    take_in(desk, written(tmp_path, rows), "argilla", Controls(), None)
    assert said(desk) == {("a3", "u1"): {"n3": (None, None)}, ("a9", "u1"): {"n2": (0, 20)}}


@pytest.mark.parametrize("pairs", [False, True])
def test_potato_as_its_versions_write_it(tmp_path: Path, pairs: bool) -> None:
    span = {"schema": "words", "name": "n1", "start": 4, "end": 9, "label": "n1"}
    key = {"schema": "match", "name": "n1"}
    state = {
        "user_id": "ada",
        "instance_id_to_label_to_value": {
            "flood::a1": [[key, "true"]] if pairs else {"match": {"labels": {"n1": True}}},
            "flood::a3": [] if pairs else {"match": {"n1": "false"}},
        },
        "instance_id_to_span_to_value": {
            "flood::a1": [[span, "true"]] if pairs else {"words": [span]}
        },
    }
    desk = made(tmp_path)
    take_in(desk, written(tmp_path, state), "potato", Controls(), None)
    assert said(desk) == {("a1", "ada"): {"n1": (4, 9)}, ("a3", "ada"): {}}


def test_what_is_taken_in_again_replaces_what_was(tmp_path: Path) -> None:
    desk = made(tmp_path)
    row = {"topic": "flood", "update_id": "a3", "text": "x", "label": ["n3", "n1"]}
    take_in(desk, written(tmp_path, [row], lines=True), "doccano", Controls(), "ada")
    row["label"] = ["n3"]
    take_in(desk, written(tmp_path, [row], lines=True), "doccano", Controls(), "ada")
    assert said(desk) == {("a3", "ada"): {"n3": (None, None)}}
    desk.undo("ada")
    assert set(said(desk)["a3", "ada"]) == {"n3", "n1"}


ROW = {"topic": "flood", "update_id": "a3", "text": "x", "label": ["n3"]}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([ROW, ROW | {"update_id": "zz"}], 'row 2: the pool has no update "zz" of topic "flood"'),
        ([ROW | {"update_id": "a2"}], "in several runs with other texts"),
        ([ROW | {"label": ["n99"]}], "the label 'n99' is no nugget of flood"),
        ([ROW | {"label": [[0, 999, "n3"]]} | {"text": None}], "0 to 999 is not in the update"),
        ([{"topic": "flood", "label": []}], "lacks 'update_id'"),
        ([{"topic": "flood", "update_id": "a3"}], "lacks 'labels'"),
        ([ROW | {"label": 7}], "has no such form"),
        ([[1]], "has no such form"),
    ],
)
def test_what_cannot_be_understood_is_refused_whole(here: Path, rows: Any, words: str) -> None:
    desk = made(here)
    path = written(here, rows, lines=True)
    done = tseval("assess", "import", "desk.tseval", path, "--from", "doccano", "--assessor", "a")
    assert done.code == 1
    assert words in done.err
    assert "Traceback" not in done.err
    assert desk.store.size() == 0


def test_the_commands(here: Path) -> None:
    worked(here)
    out = tseval("assess", "export", "desk.tseval", "--to", "prodigy", "-o", "p.jsonl")
    assert out.code == 0, out.err
    made(here / "b")
    done = tseval("assess", "import", "b/desk.tseval", "p.jsonl", "--from", "prodigy")
    assert (done.code, done.err) == (0, "p.jsonl: ada: 3 updates; ben: 2 updates\n")
    for arguments, words in (
        (["export", "desk.tseval", "--to", "potato", "-o", "x"], "say whose with --assessor"),
        (["export", "desk.tseval", "--assessor", "ada", "-o", "x"], "no meaning without --to"),
        (["import", "desk.tseval", "nix", "--from", "potato"], "no such file"),
        (["import", "desk.tseval", "desk.tseval", "--from", "potato"], "decode"),
    ):
        done = tseval("assess", *arguments)
        assert done.code in (1, 2), arguments
        assert words in done.err, done.err
    Path("broken.json").write_text('[{"id": 1},\n{"id": }]')
    done = tseval("assess", "import", "desk.tseval", "broken.json", "--from", "label-studio")
    assert done.codes == [("json-syntax", 2)]
    assert '| {"id": }]' in done.err
    Path("broken.jsonl").write_text(json.dumps(ROW) + '\n{"id": \n')
    done = tseval("assess", "import", "desk.tseval", "broken.jsonl", "--from", "doccano")
    assert done.codes == [("json-syntax", 2)]
    assert '{"id":' in done.err


def test_a_mapping_says_what_it_knows(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text('tpoic = "event"\n')
    with pytest.raises(UsageError, match="tpoic is none of topic, update, match"):
        Controls.read(path)
    path.write_text("ignore = 'mood'\n")
    with pytest.raises(UsageError, match="no such value"):
        Controls.read(path)
    path.write_text("topic = \n")
    with pytest.raises(UsageError, match="is no mapping"):
        Controls.read(path)
