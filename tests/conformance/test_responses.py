"""Responses on the pack: every expected number, from the files as they are, by the command line."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from matchers.registry import BUILT_IN
from tests.program import tseval
from tests.toys.matchers import Shared
from tseval.statistics.agreement import judged as agreement_of
from tseval.statistics.ranks import kendall

SIX = ("strict_vital", "vital", "strict_all", "all", "strict_weighted", "weighted")
BASE = 1_767_225_600
"""What invented times of a few seconds count from here: 2026-01-01."""
CLOSE = 1e-12


@pytest.fixture
def pack(conformance: Path) -> Path:
    return conformance / "responses"


def text(path: Path) -> str:
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


def rows(path: Path) -> Iterator[dict[str, str]]:
    return csv.DictReader(io.StringIO(text(path)), delimiter="\t", quoting=csv.QUOTE_NONE)


def records(path: Path) -> list[Any]:
    return [json.loads(line) for line in text(path).splitlines()]


def written(folder: Path, name: str, objects: Sequence[Any]) -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(each) + "\n" for each in objects))
    return path


def scores(*arguments: object) -> dict[tuple[str, str, str], float | None]:
    """What the command says, by run, topic and measure."""
    found = tseval("responses", *arguments, "-q", "-f", "csv", "--quiet")
    assert found.code == 0, found.err
    return {
        (row["run"], row["topic"], row["measure"]): float(row["value"]) if row["value"] else None
        for row in csv.DictReader(io.StringIO(found.out))
    }


def same(found: float | None, expected: str) -> bool:
    if expected in ("", "undefined") or found is None:
        return found is None and expected in ("", "undefined")
    return abs(found - float(expected)) <= CLOSE


RUNS = {
    "gpt-4o": "baseline_rag24.test_gpt-4o_top20",
    "command-r-plus": "baseline_rag24.test_command-r-plus_top20",
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("edition", ["graded", "nuggetizer"])
def test_six_scores_of_real_assignments_to_the_last_digit(
    pack: Path, name: str, edition: str
) -> None:
    file = pack / f"data/nuggetizer/assignments.{name}.jsonl.gz"
    found = scores(file, "--edition", edition)
    cells = 0
    for row in records(pack / f"expected/nuggetizer/metrics.{name}.jsonl"):
        for measure in SIX:
            value, expected = found[RUNS[name], row["qid"], measure], row[f"{measure}_score"]
            if row["qid"] == "all":
                assert value == pytest.approx(expected, abs=CLOSE, rel=0)
            else:
                assert value == expected
            cells += 1
    assert cells == 1812


@pytest.mark.parametrize(("name", "number"), [("gpt-4o", 25), ("command-r-plus", 26)])
def test_every_strange_label_is_a_fault_with_its_line(pack: Path, name: str, number: int) -> None:
    file = pack / f"data/nuggetizer/assignments.{name}.jsonl.gz"
    refused = tseval("responses", file, "--rule", "labels=strict")
    assert refused.code == 1
    assert f"{file}: {number - 10} more faults" in refused.err


def test_policies(pack: Path, tmp_path: Path) -> None:
    nuggets = pack / "data/nuggetizer/nuggets.jsonl.gz"
    expected = list(rows(pack / "expected/nuggetizer/policies.tsv"))
    for name, run in RUNS.items():
        file = pack / f"data/nuggetizer/assignments.{name}.jsonl.gz"
        every = records(file)
        first = written(tmp_path, "first.jsonl", every[:50])
        twice = written(tmp_path, "twice.jsonl", every + every)
        faults = "invalid_labels invalid_importances"
        tables = {
            "mean over records": scores(first, "--edition", "nuggetizer"),
            "missing topics count 0 (301 topics)": scores(first, "--nuggets", nuggets),
            "twice": scores(twice, "--edition", "nuggetizer"),
            "nuggets of the record": scores(file),
            "nuggets of the nugget file": scores(file, "--nuggets", nuggets),
            "duplicate nuggets merged": scores(file, "--rule", "duplicates=merge"),
            "count": scores(file, "-m", faults),
        }
        for row in expected:
            if row["run"] != name:
                continue
            topic = row["input"] if row["input"].startswith("2024") else "all"
            table = "twice" if row["input"] == "all lines twice" else row["rule"]
            measure = row["measure"]
            if measure == "count":
                table, measure = "count", row["rule"].replace(" ", "_")
            assert same(tables[table][run, topic, measure], row["value"]), row
        assert {row["run"] for row in expected} == set(RUNS)


def test_edges_of_labels(pack: Path, tmp_path: Path) -> None:
    columns = {
        "exact: pyterrier": ("--rule", "labels=exact"),
        "exact: castorini": ("--edition", "nuggetizer"),
        "lenient: ragdoll": (),
        "lenient: reference": (),
        "lenient, duplicates merged: reference": ("--rule", "duplicates=merge"),
    }
    every = {each["qid"]: each for each in records(pack / "data/edges/assignments.jsonl")}
    expected = list(rows(pack / "expected/edges/scores.tsv"))
    for column, options in columns.items():
        refused = {row["qid"] for row in expected if row[column].startswith("error")}
        kept = written(tmp_path, "e.jsonl", [each for q, each in every.items() if q not in refused])
        found = scores(kept, *options)
        for row in expected:
            if row["qid"] not in refused and row[column]:
                assert same(found["edge", row["qid"], row["measure"]], row[column]), row
        for qid in refused:
            bad = written(tmp_path, "bad.jsonl", [every["plain"], every[qid]])
            outcome = tseval("responses", bad, *options)
            assert outcome.code == 1
            assert f"{bad}:2: " in outcome.err


def test_rubrics(pack: Path) -> None:
    found = scores(pack / "data/rubric/graded.jsonl.gz")
    cells = list(csv.reader(io.StringIO(text(pack / "expected/rubric/scores.tsv")), delimiter="\t"))
    for run, topic, measure, value, *_ in cells[1:]:
        assert same(found[run, topic, measure], value), (run, topic, measure)


def test_support(pack: Path, tmp_path: Path) -> None:
    every = records(pack / "data/support/support_assignments.jsonl.gz")
    expected = list(rows(pack / "expected/support/scores.tsv"))
    refused = {row["topic"] for row in expected if row["value"].startswith("error")}
    kept = written(tmp_path, "s.jsonl", [each for each in every if each["topic_id"] not in refused])
    found = scores(kept)
    for row in expected:
        if row["topic"] not in refused:
            where = row["run"], row["topic"], row["measure"]
            assert same(found[where], row["value"]), row
    assert refused
    for topic in refused:
        bad = written(tmp_path, "bad.jsonl", [each for each in every if each["topic_id"] == topic])
        outcome = tseval("responses", bad)
        assert outcome.code == 1
        assert f"{bad}:1: unknown label" in outcome.err


ARGUE = (
    "sentences character_count citations relevant_citations supporting_citations "
    "sentences_with_citations_or_requiring_citations correctly_cited_sentences nuggets "
    "nuggets_weighted correct_nuggets correct_nuggets_weighted citation_relevance "
    "citation_support sentence_support nugget_coverage nugget_coverage_weighted f1 f1_weighted"
)


def test_reports_from_counts_and_from_judgments(pack: Path, tmp_path: Path) -> None:
    counts = scores(pack / "data/argue/counts.tsv", "-m", ARGUE)
    bank = pack / "data/argue/nuggets_343.v3.json"
    judged = scores(pack / "data/argue/judgments.343.jsonl", "--nuggets", bank, "-m", ARGUE)
    for row in rows(pack / "expected/argue/scores.tsv"):
        where = row["run_id"], row["request_id"], row["metric"]
        assert counts[where] == float(row["value"])
        if row["request_id"] == "343":
            assert judged[where] == float(row["value"])
    toys = [
        {"topic_id": each["case"], "run_id": "toy", **each}
        for each in records(pack / "data/argue/toy.jsonl")
    ]
    found = scores(written(tmp_path, "toy.jsonl", toys), "-m", ARGUE)
    for row in rows(pack / "expected/argue/toy.tsv"):
        assert same(found["toy", row["case"], row["metric"]], row["value"]), row


def test_annotations(pack: Path) -> None:
    found = scores(
        pack / "data/dragun/labels.tsv.gz", "--nuggets", pack / "data/dragun/rubrics.invented.jsonl"
    )
    cells = csv.reader(io.StringIO(text(pack / "expected/dragun/scores.tsv.gz")), delimiter="\t")
    for run, topic, measure, value in list(cells)[1:]:
        assert same(found[run, topic, measure], value), (run, topic, measure)


NAMES = {
    "recall": "recall",
    "recall (mean over turns)": "recall",
    "recall (over labels)": "recall_micro",
}


def test_turns(pack: Path, tmp_path: Path) -> None:
    table = pack / "data/cone/human_labels.tsv"
    bare = tmp_path / "bare.txt"
    bare.write_text(
        "".join(
            f"{row['hit']}_{row['turn']}_{row['nugget']}_{row['run']}\t{row['label']}\n"
            for row in rows(table)
        )
    )
    for found in (scores(table), scores(bare)):
        for row in rows(pack / "expected/cone/scores.tsv"):
            if row["labels"] == "human":
                where = row["run"], row["turn"], NAMES[row["measure"]]
                assert same(found[where], row["value"]), row


@dataclass(frozen=True)
class WordShare(Shared):
    """The share of the nugget's distinct words that the response has, as the pack has it."""

    name: ClassVar[str] = "wordshare"

    def cut(self, text: str) -> set[str]:
        return set(re.findall("[a-z0-9]+", text.lower()))


@pytest.mark.parametrize("least", ["0.5", "0.7", "0.9"])
def test_turns_by_a_matcher(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: str
) -> None:
    """Labels that `match` writes, of the pairs that were judged: their recall, and agreement."""
    monkeypatch.setitem(BUILT_IN, "wordshare", f"{__name__}:WordShare")
    data = pack / "data/cone"
    runs, gold, found = tmp_path / "runs.jsonl", tmp_path / "gold.jsonl", tmp_path / "auto.txt"
    answers = records(data / "responses.jsonl")
    keys = {"update_id": "a", "time": BASE}
    written(
        tmp_path,
        "runs.jsonl",
        [{"topic": a["turn"], "run": a["run_id"], "text": a["response"], **keys} for a in answers],
    )
    turns = json.loads(text(data / "gold_nuggets_human.json"))
    every = [
        {"topic": turn, "nugget_id": name.strip("[]"), "time": BASE, "text": each["text"]}
        for turn, own in turns.items()
        for name, each in own.items()
    ]
    written(tmp_path, "gold.jsonl", every)
    matched = tseval(
        "match", runs, gold, "--matcher", f"wordshare(threshold={least})", "-f", "cone", "-o", found
    )
    assert matched.code == 0, matched.err
    said = dict(line.partition("_")[2].split("\t") for line in found.read_text().splitlines())
    human = {
        f"{row['turn']}_{row['nugget']}_{row['run']}": int(row["label"])
        for row in rows(data / "human_labels.tsv")
    }
    labels = {key: int(said.get(key, 0)) for key in human}
    found.write_text("".join(f"1_{key}\t{label}\n" for key, label in labels.items()))
    recalls, judged = scores(found), scores(data / "human_labels.tsv")
    mine, theirs = np.array(list(labels.values())), np.array(list(human.values()))
    true, other = (mine & theirs).sum(), (mine & ~theirs & 1).sum()
    agreed = agreement_of(np.array([true]), np.array([other]), theirs.sum(), (1 - theirs).sum())
    names = sorted({run for run, _, _ in judged})
    means = [
        np.array([board[run, "all", "recall"] for run in names], float)
        for board in (recalls, judged)
    ]
    whole = {
        "kappa": agreed.kappa[0],
        "agreement": (mine == theirs).mean(),
        "precision": agreed.precision[0],
        "recall of labels": agreed.recall[0],
        "tau-b over 6 runs": kendall(*means),
    }
    cells = 0
    for row in rows(pack / "expected/cone/scores.tsv"):
        if row["labels"] == f"word share >= {least}":
            value = whole.get(row["measure"])
            value = recalls.get((row["run"], "all", "recall")) if value is None else value
            assert same(value, row["value"]), (row, value)
            cells += 1
    assert cells == 11


MOMENTS = ("0h", "1h", "6h", "12h", "24h", "48h", "96h")


@pytest.mark.parametrize("versions", ["append", "replace"])
@pytest.mark.parametrize("denominator", ["all", "known"])
def test_scores_in_time(pack: Path, versions: str, denominator: str) -> None:
    data = pack / "data/timed"
    measures = " ".join(SIX) + " lead lead_strict"
    at = [each for moment in MOMENTS for each in ("--at", moment)]
    rules = ["--rule", f"versions={versions}", "--rule", f"denominator={denominator}"]
    gold = ["--nuggets", data / "nuggets.tsv", "--topics", data / "topics.tsv"]
    found = scores(data / "assignments.jsonl.gz", *gold, *rules, *at, "-m", measures)
    cells = 0
    for row in rows(pack / "expected/timed/scores.tsv.gz"):
        if (row["versions"], row["denominator"]) == (versions, denominator):
            name = row["measure"] + ("" if row["at"] == "inf" else f"@{row['at']}")
            assert same(found["two-step", row["topic"], name], row["value"]), row
            cells += 1
    assert cells == 8 * 31 * (8 if (versions, denominator) == ("append", "all") else 6)


def test_cases_in_time(pack: Path, tmp_path: Path) -> None:
    labels, nuggets = tmp_path / "labels.tsv", tmp_path / "nuggets.jsonl"
    said, listed = ["topic\trun\tnugget_id\tlabel\ttime\tversion"], []
    for case in records(pack / "data/timed/cases.jsonl"):
        topic = case["case"]
        names = [each["nugget"] for each in case["nuggets"]]
        of_id = {name: f"{topic}#{at}" for at, name in enumerate(names)}
        listed.append(
            {
                "qid": topic,
                "nuggets": [
                    {
                        "text": each["nugget"],
                        "importance": each["importance"],
                        "time": None if each["time"] is None else BASE + each["time"],
                    }
                    for each in case["nuggets"]
                ],
            }
        )
        for each in case["labels"]:
            name = of_id.get(each["nugget"], "none")
            time, version = BASE + each["time"], each["version"]
            said.append(f"{topic}\trun\t{name}\t{each['label']}\t{time}\t{version}")
    labels.write_text("".join(f"{line}\n" for line in said))
    written(tmp_path, "nuggets.jsonl", listed)
    measures = " ".join(SIX) + " lead lead_strict"
    tables: dict[tuple[str, str], Any] = {}
    expected = list(rows(pack / "expected/timed/cases.tsv.gz"))
    moments = sorted({int(row["at"]) for row in expected if row["at"] != "inf"})
    at = [each for moment in moments for each in ("--at", str(BASE + moment))]
    for row in expected:
        rules = row["versions"], row["denominator"]
        if rules not in tables:
            tables[rules] = scores(
                labels, "--nuggets", nuggets, *at, "-m", measures, "--rule", "unlisted=ignored",
                "--rule", f"versions={rules[0]}", "--rule", f"denominator={rules[1]}",
            )  # fmt: skip
        name = row["measure"] + ("" if row["at"] == "inf" else f"@{BASE + int(row['at'])}")
        assert same(tables[rules]["run", row["case"], name], row["value"]), row
    assert len(tables) == 4
    refused = tseval("responses", labels, "--nuggets", nuggets)
    assert refused.code == 1
    assert 'nugget "none" is not in the file of nuggets' in refused.err


def moments_of(expected: list[dict[str, str]]) -> list[str]:
    found = sorted({int(row["at"]) for row in expected if row["at"] != "inf"})
    return [each for moment in found for each in ("--at", str(BASE + moment))]


def test_sentences_of_a_report_in_time(pack: Path, tmp_path: Path) -> None:
    (report,) = records(pack / "data/argue/judgments.343.jsonl")
    for row in rows(pack / "data/timed/argue_343_times.tsv"):
        sentence = report["report"]["responses"][int(row["sentence"])]
        sentence["time"] = BASE + int(row["time"])
    expected = list(rows(pack / "expected/timed/argue_343.tsv"))
    bank = pack / "data/argue/nuggets_343.v3.json"
    file = written(tmp_path, "timed.jsonl", [report])
    found = scores(file, "--nuggets", bank, "-m", ARGUE, *moments_of(expected))
    for row in expected:
        name = row["metric"] + ("" if row["at"] == "inf" else f"@{BASE + int(row['at'])}")
        assert same(found["example-run-id", "343", name], row["value"]), row


def test_annotations_in_time(pack: Path, tmp_path: Path) -> None:
    case = json.loads(text(pack / "data/timed/dragun.json"))
    rubric = [{"question_id": f"q{at}", **question} for at, question in enumerate(case["rubric"])]
    gold = written(tmp_path, "rubric.jsonl", [{"topic_id": "t", "rubrics": rubric}])
    labels = tmp_path / "labels.csv"
    labels.write_text(
        "topic_id,run_tag,answer_id,annotation,time\n"
        + "".join(
            f"t,r,{each['answer']},{each['label']},{BASE + each['time']}\n"
            for each in case["labels"]
        )
    )
    expected = list(rows(pack / "expected/timed/dragun.tsv"))
    found = scores(labels, "--nuggets", gold, *moments_of(expected))
    for row in expected:
        name = row["measure"] + ("" if row["at"] == "inf" else f"@{BASE + int(row['at'])}")
        assert same(found["r", "t", name], row["value"]), row


def test_sentences_of_every_form(pack: Path) -> None:
    file = pack / "data/formats/answers.jsonl"
    shown = tseval(
        "responses", file, "--explain", "sentences", "--rule", "positions=text", "-f", "json"
    )
    assert shown.code == 0, shown.err
    found = json.loads(shown.out)["records"]
    expected = list(rows(pack / "expected/formats/sentences.tsv"))
    assert len(found) == len(expected)
    for mine, theirs in zip(found, expected, strict=True):
        assert {name: str(value) for name, value in mine.items()} == {
            name: theirs[name] for name in mine
        }
    refused = tseval("responses", file)
    assert refused.code == 1
    assert f"{file}:6: a citation of position 1, of 1 reference" in refused.err
