"""A model as the matcher of commands: scores, replays, limits, and answers that travel."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import tseval as library
from tests.endpoint import SCORES, Call, Endpoint, completion, serving, well
from tests.program import MATCHES, NUGGETS, ROOT, SWIFT, THOROUGH, Outcome, tseval

SCORE = ("score", SWIFT, THOROUGH, NUGGETS, "--matcher", "llm(model=m)", "-m", "R")


@pytest.fixture(scope="module", autouse=True)
def _library() -> None:
    """Only the worker that takes this file loads it, not all that collect."""
    pytest.importorskip("openai")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TSEVAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving() as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        yield endpoint


def answers_of(told: Outcome) -> str:
    line = json.loads(told.out)["signature"]
    return next(part for part in line.split("|") if part.startswith("answers:"))


def test_a_replay_elsewhere_gives_the_same_bytes(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tseval(*SCORE, "-f", "json")
    assert first.code == 0, first.err
    asked = len(endpoint.calls)
    lines = str(tmp_path / "answers.jsonl")
    assert tseval("judge", "export", "-o", lines).code == 0
    monkeypatch.setenv("TSEVAL_CACHE", str(tmp_path / "elsewhere"))
    monkeypatch.delenv("OPENAI_BASE_URL")
    taken = tseval("judge", "import", lines)
    assert taken.err.endswith(f"{asked} answers, {asked} of them new\n")
    again = tseval(*SCORE, "-f", "json", "--replay")
    assert (again.code, again.out, again.err) == (0, first.out, first.err)
    assert tseval("judge", "export").output == Path(lines).read_bytes()
    assert f" {asked} " in tseval("judge", "status").out
    assert len(endpoint.calls) == asked


def test_failures_are_no_scores_and_can_be_asked_again(endpoint: Endpoint) -> None:
    def broken(call: object) -> dict[str, object]:
        return completion("no labels") if len(endpoint.calls) % 4 == 0 else well(call)

    endpoint.always = broken
    name = "llm(model=m,attempts=1)"
    asked = (*SCORE[:5], name, *SCORE[6:], "-f", "json")
    told = tseval(*asked)
    assert told.code == 1
    assert told.out == ""
    assert "8 of 33 calls have no answer (8 malformed; one says: neither" in told.err
    assert "--resume" in told.err
    calls = len(endpoint.calls)
    lenient = tseval(*asked, "--replay", "--allow-unjudged")
    assert lenient.code == 0, lenient.err
    assert "|unjudged:" in json.loads(lenient.out)["signature"]
    assert "pairs have no answer and count as no match" in lenient.err
    assert len(endpoint.calls) == calls
    endpoint.always = well
    whole = tseval(*asked, "--resume")
    assert whole.code == 0
    assert len(endpoint.calls) == calls + 8
    assert answers_of(whole) != answers_of(lenient)


@pytest.mark.parametrize("allowed", [(), ("--allow-unjudged",)])
@pytest.mark.parametrize("status", [503, 429, 200, None])
def test_a_dead_endpoint_is_given_up_after_one_round(
    endpoint: Endpoint, status: int | None, allowed: tuple[str, ...]
) -> None:
    dead = {"status": status} if status else {"sleep": 0, "cut": True, "body": b"{}"}
    endpoint.next = [well] * 3
    endpoint.always = lambda _call: dead
    asked = (*SCORE[:5], "llm(model=m,attempts=2,concurrency=4)", *SCORE[6:])
    told = tseval(*asked, *allowed)
    answered, tried = 3, len(endpoint.calls)
    assert tried <= answered + 2 * (4 + 3), "one round, and what was under way beside it"
    if allowed:
        assert (told.code, "pairs have no answer" in told.err) == (0, True)
    else:
        assert (told.code, told.out) == (1, "")
        assert f"one says: {endpoint.url}: " in told.err
        assert "not asked" in told.err
    endpoint.always = well
    assert tseval(*asked).code == 0
    assert len(endpoint.calls) - tried == 33 - answered, "what was answered is kept"


def test_a_dry_run_is_the_result(endpoint: Endpoint) -> None:
    for command in (
        SCORE,
        ("match", *SCORE[1:6]),
        ("calibrate", SWIFT, THOROUGH, NUGGETS, MATCHES, *SCORE[4:6]),
    ):
        told = tseval(*command, "--dry-run")
        assert (told.code, told.err) == (0, "")
        assert told.out.startswith("calls: 33 to make for 186 pairs, 0 answered already\ntokens: ")
    assert endpoint.calls == []


def test_limits(endpoint: Endpoint) -> None:
    told = tseval(*SCORE, "--max-calls", "5")
    assert (told.code, len(endpoint.calls)) == (1, 5)
    assert "28 not asked; one says: the limit of 5 calls is reached" in told.err
    priced = "llm(model=m,input_price=1000,output_price=1000)"
    told = tseval(*SCORE[:5], priced, "--budget", "2.00")
    assert told.code == 1
    assert "the budget of 2 is reached" in told.err
    assert 5 < len(endpoint.calls) <= 5 + 2.00 / 0.11


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (("--matcher", "fuzzy", "--replay"), 2, "fuzzy asks no model"),
        (
            ("--matches", MATCHES, "--max-calls", "3"),
            2,
            "--max-calls has no meaning with --matches",
        ),
        (("--matcher", "llm(model=m)", "--budget", "2"), 2, "prices of a million tokens"),
        (("--matcher", "llm(model=m)", "--budget", "none"), 2, "is no number above 0"),
        (("--matcher", "llm(model=m)", "--in-blocks", "5", "--replay"), 2, "no meaning with"),
        (("--matcher", "llm(model=m)", "--replay"), 1, "33 not in the cache"),
        (("--matcher", "llm(model=m)"), 1, "set OPENAI_BASE_URL"),
        (("--matcher", "llm"), 2, "needs the name of a model"),
    ],
)
def test_what_cannot_be_is_said(more: tuple[str, ...], code: int, said: str) -> None:
    told = tseval("score", SWIFT, THOROUGH, NUGGETS, *more)
    assert (told.code, told.out) == (code, "")
    assert said in told.err


def test_matches_have_grades(endpoint: Endpoint) -> None:
    told = tseval("match", *SCORE[1:6], "-f", "csv")
    rows = list(csv.DictReader(told.out.splitlines()))
    assert {(row["score"], row["grade"]) for row in rows} == {
        ("1.0", "support"),
        ("0.5", "partial_support"),
    }
    assert "grade" not in tseval("match", SWIFT, NUGGETS, "-f", "csv").out
    assert len(endpoint.calls) == 33


@pytest.mark.usefixtures("endpoint")
def test_its_matches_are_read_again_with_the_same_scores(tmp_path: Path) -> None:
    file = str(tmp_path / "matches.tsv")
    tseval("match", *SCORE[1:6], "-o", file)
    direct = json.loads(tseval(*SCORE, "-f", "json").out)
    read = tseval("score", *SCORE[1:4], "--matches", file, "-m", "R", "-f", "json")
    assert json.loads(read.out)["records"] == direct["records"]


def test_it_is_calibrated_like_any_other(endpoint: Endpoint) -> None:
    told = tseval("calibrate", SWIFT, THOROUGH, NUGGETS, MATCHES, *SCORE[4:6], "-f", "json")
    assert told.code == 0, told.err
    assert "|answers:sha256:" in json.loads(told.out)["signature"]
    assert len(endpoint.calls) == 33


def test_two_runs_of_a_model_are_held_against_each_other(endpoint: Endpoint) -> None:
    first = ("--matcher", "llm(model=m)")
    calibrated = ("calibrate", SWIFT, THOROUGH, NUGGETS, MATCHES)
    tseval(*calibrated, *first)
    # The second run calls partial support full support, one time in three.
    given: dict[tuple[str, str], tuple[str, str]] = {}

    def moody(call: Call) -> dict[str, object]:
        labels = list(call.labels)
        for place, label in enumerate(call.labels):
            if label == "partial_support" and (len(call.update) + place) % 3 == 0:
                labels[place] = "support"
            given[call.update, call.nuggets[place]] = (label, labels[place])
        return completion(json.dumps(labels))

    endpoint.always = moody
    told = tseval(*calibrated, *first, "--matcher", "llm(model=m,run=2)", "-f", "json")
    assert told.code == 0, told.err
    (found,) = json.loads(told.out)["records"][0]["labels"]
    pairs = list(given.values())
    same = sum(one == other for one, other in pairs) / len(pairs)
    by_chance = sum(
        sum(one == level for one, _ in pairs) * sum(other == level for _, other in pairs)
        for level in SCORES
    ) / len(pairs) ** 2  # fmt: skip
    assert found["pairs"] == len(pairs) == 186
    assert 0.5 < same < 1
    assert found["same"] == pytest.approx(same)
    assert found["kappa"] == pytest.approx((same - by_chance) / (1 - by_chance))
    shown = tseval(*calibrated, *first, "--matcher", "llm(model=m,run=2)")
    assert "Agreement of labels with each other" in shown.out
    assert "Agreement of labels" not in tseval(*calibrated, *first).out
    assert len(endpoint.calls) == 66


def test_streams_ask_as_they_come(endpoint: Endpoint) -> None:
    whole = json.loads(tseval(*SCORE, "-f", "json").out)["records"]
    asked = len(endpoint.calls)
    parts = json.loads(tseval(*SCORE, "--in-blocks", "3", "-f", "json").out)["records"]
    assert [each["value"] for each in parts] == [each["value"] for each in whole]
    assert len(endpoint.calls) == asked


def test_the_call_in_python(endpoint: Endpoint) -> None:
    scores = library.score([SWIFT], NUGGETS, matcher="llm(model=m)", measures=["R"])
    asked = len(endpoint.calls)
    again = library.score([SWIFT], NUGGETS, matcher="llm(model=m,replay=true)", measures=["R"])
    assert again.value("R") == scores.value("R")
    assert again.signature == scores.signature
    assert len(endpoint.calls) == asked


@pytest.mark.usefixtures("endpoint")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{}\n", ":1: is no answer: one has the fields question, model"),
        ("no\n", ":1: is no JSON"),
        ("\n", ":1: is no JSON"),
    ],
)
def test_a_file_that_holds_no_answers_is_refused_whole(
    tmp_path: Path, content: str, said: str
) -> None:
    tseval(*SCORE)
    good = tseval("judge", "export").out
    file = tmp_path / "answers.jsonl"
    file.write_text(content + good)
    told = tseval("judge", "import", str(file))
    assert told.code == 1
    assert said in told.err
    file.write_text(good[:-20])
    told = tseval("judge", "import", str(file))
    assert told.code == 1
    assert ":33: is no JSON" in told.err


def test_ctrl_c_keeps_what_came(endpoint: Endpoint) -> None:
    endpoint.always = lambda call: time.sleep(0.05) or well(call)
    started = subprocess.Popen(
        [sys.executable, "-m", "tseval", *SCORE[:5], "llm(model=m,concurrency=2)"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while len(endpoint.calls) < 5 and started.poll() is None:
        time.sleep(0.01)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out, err.strip()) == (130, b"", b"")
    assert 5 <= len(endpoint.calls) < 33
    assert tseval(*SCORE).code == 0
    assert len(endpoint.calls) == 33
