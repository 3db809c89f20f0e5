"""`tseval follow` gives the bytes that `--follow` of each family gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import FIXTURES, NUGGETS, tseval
from tseval.cli.streams import FOLLOWED as FAMILIES
from tseval.core.registry import all_families

LIVE = (FIXTURES / "live.jsonl").read_bytes()
CLUSTERS = str(FIXTURES / "clusters.tsv")
LABELS = ("--ontology", str(FIXTURES / "incidents" / "types.json"))
POST = {"run": "a", "topic": "flood", "post_id": "f1", "time": 1_699_921_800, "confidence": 5}
TYPED = {"run": "a", "topic": "flood", "post_id": "f1", "priority": 0.5, "types": "Report-News"}
CHANGES = FIXTURES / "changes"
BESIDE = [
    part
    for name in ("topics.jsonl", "days.txt", "documents.tsv")
    for part in (f"--{Path(name).stem}", str(CHANGES / name))
]
RANKED = [
    {"run": "a", "day": "2026-03-02", "question_rank": 0, "score": 0.5} | ids
    for ids in (
        {"topic": "ferry", "qid": "f1", "doc_id": "d2-1"},
        {"topic": "bridge", "qid": "b1", "doc_id": "d2-5"},
    )
]


def lines(*rows: dict[str, object]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize(
    ("family", "command", "arguments", "stream"),
    [
        ("temporal", "score", [NUGGETS, "-m", "P recall", "--every", "3"], LIVE),
        ("clusters", "clusters", [CLUSTERS], LIVE),
        ("filtering", "filter", [str(FIXTURES / "filter" / "truth.tsv")], lines(POST)),
        (
            "incidents",
            "incidents",
            [str(FIXTURES / "incidents" / "labels.json"), *LABELS],
            lines(TYPED),
        ),
        ("changes", "changes", [str(CHANGES / "qrels.tsv"), *BESIDE], lines(*RANKED)),
    ],
)
def test_each_family(family: str, command: str, arguments: list[str], stream: bytes) -> None:
    old = tseval(command, "--follow", *arguments, stdin=stream)
    new = tseval("follow", *arguments, "--family", family, stdin=stream)
    assert (new.code, new.out, new.err) == (old.code, old.out, old.err)
    assert new.code == 0
    assert json.loads(new.out.splitlines()[-1])["final"]
    assert "--every" in tseval("follow", "--family", family, "--help").out


def test_every_family_that_reads_streams_can_be_followed() -> None:
    assert set(FAMILIES) == {each.name for each in all_families() if each.gold is not None}


def test_the_family_is_temporal_where_none_is_named() -> None:
    named = tseval("follow", "--family=temporal", NUGGETS, stdin=LIVE)
    assert named.out == tseval("follow", NUGGETS, stdin=LIVE).out
    assert named.code == 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--family", "timelines", NUGGETS), "'timelines' is not one of"),
        ((), "give the file of nuggets"),
        ((NUGGETS, "-j", "2"), "No such option"),
        ((NUGGETS, "--explain", "nuggets"), "No such option"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], reason: str) -> None:
    refused = tseval("follow", *arguments, stdin=LIVE)
    assert refused.code == 2
    assert reason in refused.err
