"""`tseval validate --as track`: what the public checker of TREC Change Detection refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests import program
from tests.program import FIXTURES, Outcome

METADATA = {"runtag": "mine", "description": "d", "run_type": "manual", "models": [], "extern": ""}
DAYS = ("2026-03-02", "2026-03-03")
TOPICS = {"t1": ["q_1", "q_2"], "t2": ["q_3", "first"]}


def question(qid: str = "q_1", documents: Sequence[str] = ("a", "b"), **more: Any) -> Any:
    ranking = [{"doc_id": each, "score": 1} for each in documents]
    return {"qid": qid, "question-rank": 0, "question-text": "?", "doc-ranking": ranking, **more}


def line(topic: str, first: Any = (), **days: Any) -> dict[str, Any]:
    """A topic's line, of whose two days the first has these questions."""
    return {"topic": topic, "results": {DAYS[0]: list(first), DAYS[1]: [], **days}}


GOOD = [METADATA, line("t1", [question(), question("mine_1")]), line("t2", [question("q_3")])]


def check(folder: Path, run: Sequence[Any], *more: object) -> Outcome:
    topics = [
        {"tid": tid, "questions": [{"qid": qid} for qid in qids]} for tid, qids in TOPICS.items()
    ]
    for name, lines in {"run.jsonl": run, "topics.jsonl": topics}.items():
        (folder / name).write_text("".join(json.dumps(each) + "\n" for each in lines))
    (folder / "days.txt").write_text("\n".join(DAYS))
    files = ("--topics", folder / "topics.jsonl", "--days", folder / "days.txt")
    return program.tseval("validate", "--as", "track", folder / "run.jsonl", *files, *more)


def on_first(*questions: Any) -> list[Any]:
    """The good run with these questions on the first day of its first topic."""
    return [METADATA, line("t1", questions), GOOD[2]]


def with_metadata(**changed: Any) -> list[Any]:
    return [METADATA | changed, *GOOD[1:]]


@pytest.mark.parametrize(
    "run",
    [
        GOOD,
        on_first(),
        on_first(question(documents=[])),
        on_first(question(documents=[f"d{at}" for at in range(100)])),
        on_first(question(), question()),
        on_first(question(**{"question-rank": -1})),
        on_first({"qid": "q_2", "question_rank": 0, "question_text": None, "doc_ranking": []}),
    ],
)
def test_runs_that_pass(tmp_path: Path, run: list[Any]) -> None:
    done = check(tmp_path, run, "--name", "mine")
    assert (done.code, done.out.count("\n")) == (0, 1)
    assert "no fault" in done.out


@pytest.mark.parametrize(
    ("run", "place", "words"),
    [
        (GOOD[1:], ":1", "no-metadata"),
        ([{"description": "d"}, *GOOD[1:]], ":1", '"runtag"'),
        (with_metadata(runtag=".mine"), ":1", "bad-runtag"),
        (with_metadata(runtag="m" * 21), ":1", "bad-runtag"),
        (with_metadata(runtag="other"), ":1", 'other-runtag: the runtag is "other", not "mine"'),
        (with_metadata(models="gpt"), ":1", '"models"'),
        ([METADATA, {**GOOD[1], "runtag": "mine"}, GOOD[2]], ":2", "metadata-again"),
        (GOOD[:2], "", 'missing-topic: topic "t2"'),
        ([*GOOD, GOOD[1]], ":4", 'repeated-topic: topic "t1"'),
        ([*GOOD, line("t3")], ":4", 'unknown-topic: topic "t3"'),
        ([METADATA, {"topic": "t1", "results": {DAYS[1]: []}}, GOOD[2]], ":2", DAYS[0]),
        ([*GOOD[:2], {"topic": "t2", "results": {}}], ":3", f"2 days: {DAYS[0]}, {DAYS[1]}; "),
        ([*GOOD[:2], line("t2", **{"2026-03-04": []})], ":3", "day-outside: 2026-03-04"),
        ([*GOOD[:2], line("t2", **{"March 4": []})], ":3", 'bad-day: "March 4"'),
        (on_first(question("q_3")), ":2", f"bad-question: {DAYS[0]}, q_3"),
        (on_first(question("our_1")), ":2", f"bad-question: {DAYS[0]}, our_1"),
        ([*GOOD[:2], line("t2", [question("first")])], ":3", f"bad-question: {DAYS[0]}, first"),
        (
            on_first(question(documents=[f"d{at}" for at in range(101)])),
            ":2",
            f"more-than-100: {DAYS[0]}, q_1",
        ),
        (
            on_first(question(documents=["a", "b", "a"], **{"question-rank": -1})),
            ":2",
            f'repeated-document: {DAYS[0]}, q_1: "a"',
        ),
        (on_first({"qid": "q_1"}), ":2", f"{DAYS[0]}, q_1"),
    ],
)
def test_each_fault_has_its_line_and_a_cure(
    tmp_path: Path, run: list[Any], place: str, words: str
) -> None:
    done = check(tmp_path, run, "--name", "mine")
    assert done.code == 1
    (told,) = done.out.splitlines()
    assert told.startswith(f"{tmp_path}/run.jsonl{place}: ")
    assert words in told
    assert told.rpartition("; ")[2]


def test_faults_stand_in_the_order_of_lines(tmp_path: Path) -> None:
    faulty = on_first(question("our_1"), question("our_2", ["a"] * 101))
    done = check(tmp_path, [*faulty[:2], {"topic": "t2", "results": {DAYS[0]: []}}, line("t3")])
    assert [place for _, place in done.places] == [2, 2, 3, 4]


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b"\n"])
def test_nothing_stands_before_the_metadata(tmp_path: Path, before: bytes) -> None:
    beside = check(tmp_path, GOOD)
    run = tmp_path / "run.jsonl"
    run.write_bytes(before + run.read_bytes())
    files = ("--topics", tmp_path / "topics.jsonl", "--days", tmp_path / "days.txt")
    done = program.tseval("validate", "--as", "track", run, *files)
    assert (beside.code, done.code, done.places) == (0, 1, [(str(run), 1)])


def test_the_name_of_a_run_is_its_own(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    assert check(tmp_path, GOOD).code == 0
    assert check(tmp_path, GOOD, "--name", f"{run}=mine", "--name", "other").code == 0
    assert check(tmp_path, GOOD, "--name", f"{run}=other").code == 1
    assert check(tmp_path, GOOD, "--name", "nothing.jsonl=mine").code == 2


CHANGES = FIXTURES / "changes"
BESIDE = ("--topics", CHANGES / "topics.jsonl", "--days", CHANGES / "days.txt")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--as", "track", FIXTURES / "runs" / "swift.tsv", *BESIDE),
        ("--as", "track", FIXTURES / "crisisfacts" / "run.jsonl", *BESIDE),
        ("--as", "track", CHANGES / "terse.jsonl"),
        ("--as", "track", CHANGES / "terse.jsonl", *BESIDE[:2]),
        ("--as", "track", CHANGES / "terse.jsonl", *BESIDE, "--table", "rankings"),
        ("--as", "track", CHANGES / "terse.jsonl", *BESIDE, "--column", "day=date"),
        (CHANGES / "terse.jsonl", *BESIDE),
        (CHANGES / "terse.jsonl", "--name", "terse"),
    ],
)
def test_wrong_usage_is_one_sentence(arguments: Sequence[object]) -> None:
    done = program.tseval("validate", *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
