"""Annotations of Label Studio: as it writes them, there and back, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.desk.making import made, read
from tests.program import Outcome, tseval
from tseval.desk import decisions as kinds
from tseval.desk.decisions import Decision
from tseval.desk.desk import Desk
from tseval.desk.judgments import agreements
from tseval.desk.store import Store

IMPORT = ("--from", "label-studio")


def imported(tasks: Any, *more: Any, store: str = "desk.tseval") -> Outcome:
    """The import of these tasks into a store."""
    Path("tasks.json").write_text(json.dumps(tasks))
    return tseval("assess", "import", store, "tasks.json", *IMPORT, *more)


def opened(store: str = "desk.tseval") -> Desk:
    return Desk(Store.open(Path(store)))


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


@pytest.mark.parametrize("people", [((),), (("--assessor", "ada"), ("--assessor", "ben"))])
def test_there_and_back(people: tuple[tuple[str, ...], ...], here: Path) -> None:
    desk = worked(here)
    made(here / "b")
    for who in people:
        done = tseval("assess", "export", "desk.tseval", "--to", "label-studio", "-o", "out", *who)
        assert done.code == 0, done.err
        done = tseval("assess", "import", "b/desk.tseval", "out", *IMPORT)
        assert done.code == 0, done.err
    other = opened("b/desk.tseval")
    assert said(other) == said(desk)
    assert clusters(other) == clusters(desk)
    assert repr(agreements(other.gold().judged)) == repr(agreements(desk.gold().judged))


def choices(name: str, *chosen: str) -> dict[str, Any]:
    return {"from_name": name, "to_name": "t", "type": "choices", "value": {"choices": chosen}}


def test_label_studio_as_it_writes_it(here: Path) -> None:
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
        {"id": 14, "data": {"event": "flood", "post": "elsewhere"}, "annotations": []},
    ]
    made(here)
    Path("mapping.toml").write_text(
        'topic = "event"\nupdate = "post"\nmatch = "says"\nwords = "how"\nignore = ["mood"]\n'
        '[labels]\nflooded = "n1"\n[assessors]\n3 = "ada"\n'
    )
    done = imported(tasks, "--mapping", "mapping.toml")
    told = "tasks.json: ada: 2 updates; ben@example.org: 1 update\n"
    assert (done.code, done.err) == (0, told)
    assert said(opened()) == {
        ("a3", "ada"): {"n3": (None, None)},
        ("a3", "ben@example.org"): {},
        ("a1", "ada"): {"n1": (4, 9)},
    }


def task(update: str = "a3", *results: Any, **more: Any) -> dict[str, Any]:
    data = {"topic": "flood", "update_id": update, "text": "x"} | more
    return {"data": data, "annotations": [{"result": list(results), "completed_by": "ada"}]}


def test_what_is_taken_in_again_replaces_what_was(here: Path) -> None:
    made(here)
    assert imported([task("a3", choices("match", "n3", "n1"))]).code == 0
    assert imported([task("a3", choices("match", "n3"))]).code == 0
    desk = opened()
    assert said(desk) == {("a3", "ada"): {"n3": (None, None)}}
    desk.undo("ada")
    assert set(said(desk)["a3", "ada"]) == {"n3", "n1"}


def test_two_who_name_one_cluster_do_not_part_it(here: Path) -> None:
    made(here)
    tasks = [task(update, choices("cluster", "c")) for update in ("a3", "a9")]
    for each in tasks:
        each["annotations"].append(each["annotations"][0] | {"completed_by": "ben"})
    assert imported(tasks).code == 0
    assert clusters(opened()) == {"a3": "a3", "a9": "a3"}


def span(start: Any, end: Any, **more: Any) -> dict[str, Any]:
    value = {"start": start, "end": end, "labels": ["n3"]} | more
    return {"from_name": "words", "to_name": "t", "type": "labels", "value": value}


SAME = {"text": None}


@pytest.mark.parametrize(
    ("tasks", "codes"),
    [
        ([task(), task("zz")], [("unknown-id", 2)]),
        ([task("a2")], [("ambiguous-id", 1)]),
        ([task("a3", choices("match", "n99"))], [("unknown-id", 1)]),
        ([task("a3", choices("mood", "calm"))], [("unknown-label", 1)]),
        ([task("a3", span(0, 999), **SAME)], [("number-range", 1)]),
        ([task("a3", span("0", "0", startOffset=3), **SAME)], [("record-format", 1)]),
        ([{"data": {"topic": "flood"}, "annotations": [{}]}], [("record-format", 1)]),
        ([{"data": {"topic": "flood", "update_id": "a3"}}], [("record-format", 1)]),
        ([task("a3", 7), task("zz")], [("record-format", 1), ("unknown-id", 2)]),
        ([task() | {"annotations": [{"result": []}]}], [("empty-value", 1)]),
        ([[1]], [("json-type", 1)]),
        (task(), [("json-syntax", 1)]),
    ],
)
def test_what_cannot_be_understood_is_refused_whole(here: Path, tasks: Any, codes: Any) -> None:
    desk = made(here)
    done = imported(tasks)
    assert (done.code, done.codes) == (1, codes), done.err
    assert "Traceback" not in done.err
    assert desk.store.size() == 0


@pytest.mark.parametrize(
    ("name", "content", "codes"),
    [
        ("nix", None, [("unreadable-file", None)]),
        ("bytes", b"[\n\xff]", [("encoding", 2)]),
        ("broken", b'[{"annotations": []},\n{"id": }]', [("json-syntax", 2)]),
        ("lines", b'{"id": 1}\n{"id": 2}\n', [("json-syntax", 1)]),
    ],
)
def test_what_is_no_list_of_json(here: Path, name: str, content: Any, codes: Any) -> None:
    made(here)
    if content is not None:
        Path(name).write_bytes(content)
    done = tseval("assess", "import", "desk.tseval", name, *IMPORT)
    assert (done.code, done.codes) == (1, codes), done.err


@pytest.mark.parametrize("tool", ["doccano", "prodigy", "argilla", "potato"])
def test_another_tool_is_a_wrong_choice_that_names_the_plain_table(here: Path, tool: str) -> None:
    made(here)
    Path("file").write_text("[]")
    for arguments in (["import", "desk.tseval", "file", "--from"], ["export", "-o", "x", "--to"]):
        done = tseval("assess", *arguments, tool)
        assert done.code == 2
        assert f"'{tool}' is not 'label-studio'" in done.err
        assert "--columns" in done.err


def test_an_assessor_without_a_tool(here: Path) -> None:
    worked(here)
    done = tseval("assess", "export", "desk.tseval", "--assessor", "ada", "-o", "x")
    assert (done.code, "no meaning without --to" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('tpoic = "event"', "tpoic is none of topic, update, match"),
        ("ignore = 'mood'", "no such value"),
        ("topic = ", "is no mapping"),
    ],
)
def test_a_mapping_says_what_it_knows(here: Path, content: str, words: str) -> None:
    made(here)
    Path("m.toml").write_text(content)
    done = imported([], "--mapping", "m.toml")
    assert (done.code, words in done.err) == (2, True), done.err
