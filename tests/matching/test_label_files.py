"""Labels of nuggets that `tseval match` writes, read back by `tseval responses`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import NUGGETS, SWIFT, THOROUGH, tseval

pytestmark = pytest.mark.usefixtures("here")


def values(*arguments: object) -> dict[tuple[str, str], float]:
    found = tseval(*arguments, "-q", "-f", "json", "--quiet")
    assert found.code == 0, found.err
    records = json.loads(found.out)["records"]
    return {(each["run"], each["topic"]): each["value"] for each in records}


def test_assignments_are_read_again_with_the_same_recall() -> None:
    told = tseval("match", SWIFT, THOROUGH, NUGGETS, "-f", "nuggetizer", "-o", "said.jsonl")
    assert told.code == 0, told.err
    direct = values("score", SWIFT, THOROUGH, NUGGETS, "-m", "R(reward=1)")
    read = values("responses", "said.jsonl", "-m", "all")
    for where in read.keys() - {("swift", "all"), ("thorough", "all")}:
        assert read[where] == direct[where]
    first = json.loads(Path("said.jsonl").read_text().splitlines()[0])
    assert {"query", "qid", "run_id", "answer_text", "response_length", "nuggets"} <= set(first)
    assert first["matcher"].startswith("learned(")
    assert {each["importance"] for each in first["nuggets"]} <= {"vital", "okay"}
    assert values("responses", "said.jsonl", "-m", "all", "--edition", "nuggetizer") == read
    assert tseval("validate", "said.jsonl").code == 0


def test_turns_are_read_again() -> None:
    head = "topic\tupdate_id\ttime\ttext\n"
    Path("run.tsv").write_text(
        f"{head}3_1\ta\t1772420400\tthe dam broke\n3_1\tb\t1772420500\ta village\n"
    )
    Path("gold.tsv").write_text(
        "topic\tnugget_id\ttime\ttext\n3_1\t1\t1772420400\tdam broke\n"
        "3_1\t2\t1772420400\troad closed\n4_1\t1\t1772420400\tnobody\n"
    )
    told = tseval("match", "run.tsv", "gold.tsv", "-f", "cone", "--quiet")
    assert told.out == "1_3_1_1_run\t1\n1_3_1_2_run\t0\n"
    Path("labels.txt").write_text(told.out)
    assert values("responses", "labels.txt", "-m", "recall")["run", "3_1"] == 0.5


def test_what_cannot_be_written_is_said() -> None:
    told = tseval("match", SWIFT, NUGGETS, "-f", "cone", "-o", "x.txt")
    assert (told.code, Path("x.txt").exists()) == (2, False)
    assert "labels of CONE-RAG are of turns such as 31_2" in told.err
    several = ("--matcher", "fuzzy", "--matcher", "exact")
    told = tseval("match", SWIFT, NUGGETS, "-f", "nuggetizer", *several)
    assert told.code == 2
    assert "-f nuggetizer is of one matcher" in told.err
