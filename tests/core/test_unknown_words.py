"""Words and numbers that stand for nothing: scores tell them, and `validate` lists their lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import FIXTURES, tseval

RESPONSE = {
    "qid": "t",
    "run_id": "r",
    "nuggets": [
        {"text": "a", "importance": "vital", "assignment": "supported"},
        {"text": "b", "importance": "vital", "assignment": "support"},
        {"text": "c", "importance": "okey", "assignment": "partial_support"},
        {"text": "d", "importance": "okay"},
    ],
}


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps(RESPONSE) + "\n")
    return path


def test_an_unknown_label_counts_0_with_a_word(labels: Path) -> None:
    done = tseval("responses", labels, "-m", "strict_vital all", "-f", "trec")
    assert done.code == 0
    assert done.out == "strict_vital\tall\t0.5\nall\tall\t0.375\n"
    first, second = done.err.splitlines()
    assert "labels.jsonl: 2 unknown labels" in first
    assert "supported (1; did you mean support?), (blank) (1)" in first
    assert "1 unknown importance" in second
    assert "did you mean okay?" in second
    assert max(map(len, done.err.replace(str(labels.parent), "").splitlines())) <= 160


def test_exact_labels_are_told_too(labels: Path) -> None:
    labels.write_text(labels.read_text().replace('"okay"', '"okay", "assignment": "Support"'))
    exact = tseval("responses", labels, "--edition", "nuggetizer", "-m", "vital", "-f", "trec")
    assert exact.code == 0
    assert exact.out == "vital\tall\t0.5\n"
    assert "2 unknown labels" in exact.err
    assert "1 unknown label," in tseval("responses", labels).err
    strict = tseval("responses", labels, "--rule", "labels=strict")
    assert strict.code == 1
    assert [line for _, line in strict.codes] == [1, 1]


def test_validate_lists_unknown_words_with_their_lines(labels: Path) -> None:
    done = tseval("validate", labels)
    assert done.code == 1
    assert done.out.splitlines() == [
        f'{labels}:1: unknown label "supported"; did you mean support?',
        f'{labels}:1: unknown importance "okey"; did you mean okay?',
    ]


def test_a_table_has_a_line_for_each_label(tmp_path: Path) -> None:
    path, gold = tmp_path / "labels.csv", tmp_path / "gold.csv"
    path.write_text("topic,nugget_id,label\nt,a,support\nt,b,suport\n")
    gold.write_text("topic,nugget_id,importance\nt,a,Vital\nt,b,Vital\n")
    done = tseval("validate", path, gold)
    assert done.code == 1
    assert f"{path}:3: unknown label" in done.out
    assert f"{gold}:2: unknown importance" in done.out
    scored = tseval("responses", path, "--nuggets", gold, "--quiet", "-m", "vital weighted all")
    assert scored.code == 0
    assert scored.err.splitlines() == [
        "warning: no nugget is vital, so the score is 0: vital",
        "warning: no nugget is vital or okay, so the score is 0: weighted",
    ]


@pytest.mark.parametrize(
    ("command", "files", "old", "new", "told", "line"),
    [
        ("filter", ("filter/steady.tsv", "filter/truth.tsv"), "\t2\t", "\t7\t", "7 (16)", 2),
        ("filter", ("filter/steady.tsv", "filter/truth.tsv"), "\t2\t", "\t1.5\t", "1.5 (16)", 2),
    ],
)
def test_an_unknown_number_is_told(
    command: str, files: tuple[str, str], old: str, new: str, told: str, line: int, tmp_path: Path
) -> None:
    run, gold = (FIXTURES / each for each in files)
    wrong = tmp_path / gold.name
    wrong.write_text(gold.read_text().replace(old, new))
    assert told in tseval(command, run, wrong).err
    done = tseval("validate", wrong)
    assert done.code == 1
    assert f"{wrong}:{line}: unknown rating" in done.out


def test_unknown_labels_of_pushed_posts_are_told(tmp_path: Path) -> None:
    qrels, live = tmp_path / "qrels.txt", tmp_path / "live.txt"
    qrels.write_text("MB1 Q0 762730394953187328 7\nMB1 Q0 762730394953187329 1\n")
    live.write_text("MB1 762730394953187328 1\nMB1 762730394953187328 9\n")
    done = tseval("validate", qrels, live)
    assert done.code == 1
    assert f"{qrels}:1: unknown grade 7" in done.out
    assert f"{live}:2: unknown label 9" in done.out


def test_an_unknown_count_is_told(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("run_id,request_id,metric,value\nr,t,citatons,3\nr,t,supporting_citations,2\n")
    done = tseval("responses", path, "-m", "citation_support")
    assert "1 unknown metric, ignored: citatons (1; did you mean citations?)" in done.err
