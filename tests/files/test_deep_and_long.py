"""What is nested too deep, or a number of too many digits, is refused in words, wherever it stands.

Python gives up on both in its own way: by a `RecursionError`, and by a `ValueError` that is none of
the form that is read.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from matchers.answers import COLUMNS
from tests.desk.making import made
from tests.program import NUGGETS, SWIFT, tseval
from tseval.errors import InputError
from tseval.families.timelines import files
from tseval.io import tables
from tseval.io.inputs import Input

DEEP = "[" * 100_000
LONG = "9" * 5000
ROW = '{"topic": "flood", "update_id": "u%d", "time": 1699920000, "text": "x", "z": %s}'
SCORE = '{"run": "r", "topic": "t", "measure": "m", "value": 1}'


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("content", [f"text = {DEEP}", f"text = {LONG}"])
def test_names_of_columns(content: str) -> None:
    Path("names.toml").write_text(content)
    done = tseval("score", SWIFT, NUGGETS, "--columns", "names.toml")
    assert done.code == 1
    assert done.codes == [("toml-syntax", None)]
    assert "fault of tseval" not in done.err


@pytest.mark.parametrize("content", [DEEP, f'{{"matcher": {LONG}}}'])
def test_a_profile(content: str) -> None:
    Path("profile.json").write_text(content)
    done = tseval("score", SWIFT, NUGGETS, "--matcher", "profile.json")
    assert (done.code, "profile.json:1: not JSON: " in done.err) == (1, True)


def test_a_matcher_of_many_brackets() -> None:
    for depth, code in ((10, 0), (100, 2), (5000, 2)):
        name = "blend(" * depth + "exact" + ",fuzzy)" * depth
        done = tseval("score", SWIFT, NUGGETS, "-m", "R", "--matcher", name)
        assert done.code == code, done.err
    assert "more than 16 brackets in one another: 'blend(blend(" in done.err


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_a_table_of_json_may_have_long_numbers_that_nobody_reads(form: str) -> None:
    rows = [ROW % (at, LONG) for at in range(3)]
    content = f"[{', '.join(rows)}]" if form == "json" else "\n".join(rows)
    Path(f"run.{form}").write_text(content)
    done = tseval("score", f"run.{form}", NUGGETS, "-m", "updates", "-f", "csv")
    assert done.code == 0, done.err
    Path(f"run.{form}").write_text(content.replace("1699920000", LONG))
    done = tseval("score", f"run.{form}", NUGGETS, "-m", "updates")
    assert done.code == 1
    assert done.codes == [("number-range", 1)]


def test_an_optional_column_is_found_beside_a_long_number() -> None:
    rows = [ROW % (at, LONG) for at in range(3)]
    rows = [row.replace('"z"', '"run": "mine", "z"') for row in rows]
    Path("run.jsonl").write_text("\n".join(rows))
    done = tseval("score", "run.jsonl", NUGGETS, "-m", "updates", "-f", "csv")
    assert (done.code, "mine" in done.out) == (0, True)


def test_a_list_of_lines_with_a_long_number() -> None:
    Path("run.json").write_text(
        f'[["E-1-r1-c-0", "a", "USEFUL_FACT"],\n ["E-1-r1-c-1", "a", {LONG}]]'
    )
    done = tseval("import", "crisisfacts-labels", "run.json", "-o", "labels.tsv")
    assert done.code == 1
    assert done.codes == [("json-syntax", 2)]
    assert "fault of tseval" not in done.err


@pytest.mark.parametrize(
    ("content", "codes"),
    [
        (DEEP, [("json-syntax", None)]),
        (f'{{"a": {DEEP}', [("json-syntax", 1)]),
        (f'[{{"annotations": [], "id": {LONG}}}]', []),
    ],
)
def test_annotations_of_another_tool(content: str, codes: list[tuple[str, int | None]]) -> None:
    made(Path())
    Path("tool.json").write_text(content)
    done = tseval("assess", "import", "desk.tseval", "tool.json", "--from", "label-studio")
    assert (done.code, done.codes) == (int(bool(codes)), codes), done.err
    Path("tool.json").write_text("[]")
    Path("controls.toml").write_text(f"topic = {content}")
    more = ("--from", "label-studio", "--mapping", "controls.toml")
    done = tseval("assess", "import", "desk.tseval", "tool.json", *more)
    assert done.code == 2
    assert "controls.toml is no mapping: " in done.err


def test_an_answer_of_a_model() -> None:
    told = dict.fromkeys(COLUMNS, "x") | {"parameters": []}
    deep = json.dumps(told).replace("[]", "[" * 900 + "]" * 900)
    for content in (DEEP, deep):
        Path("answers.jsonl").write_text(content)
        done = tseval("judge", "import", "answers.jsonl")
        assert done.code == 1
        assert done.codes == [("record-format", 1)]
        assert "fault of tseval" not in done.err


def sentences(path: str, form: str) -> list[tuple[int, int]]:
    """The line of each day of a timeline and the number of its sentences."""
    rows = tables.read([path], files.RUNS, form).frame
    return rows.group_by("line", maintain_order=True).len().rows()


def test_many_sentences_below_a_day() -> None:
    days = [f"[2024-03-0{day}] first\n" + "- storm\n\n" * 500 for day in (1, 2, 3)]
    content = "before\n" + "".join(days[:2]) + "---\nbetween\n" + days[2]
    Path("t.md").write_text(content)
    assert sentences("t.md", "timeline-markdown") == [(2, 501), (1003, 501), (2006, 501)]


def test_a_long_list_of_sentences_in_a_field() -> None:
    many = "'storm'," * 30_000
    Path("t.csv").write_text(f'2024-03-01,"[{many}]"\n')
    assert sentences("t.csv", "timeline-rows") == [(1, 30_000)]


def test_rows_of_days_that_are_no_csv() -> None:
    Path("t.csv").write_bytes(b"2024-02-28,\"['storm']\"\n2024-03-01,['a'\rb]\n")
    with pytest.raises(InputError) as error:
        sentences("t.csv", "timeline-rows")
    (fault,) = error.value.faults
    assert (fault.place, "no CSV: new-line character" in fault.reason) == ("t.csv:2", True)


@pytest.mark.parametrize(
    ("head", "is_known"),
    [
        ('[{"date": "2024-03-01", "text": "a"}]', True),
        (' [ { "x": 1, "start": "2024", "y": 2, "summary"', True),
        ('[{"text": "a", "date": "2024-03-01"}]', False),
        ('[{"date": {}, "text": "a"}]', False),
        ('[{"date", "text": "a"}]', False),
        ('[{"date": "2024-03-01"}, {"text": "a"}]', False),
    ],
)
def test_a_list_of_days_is_known_by_its_first(head: str, is_known: bool) -> None:
    Path("t").write_text(head)
    assert files.RUNS.tracks[0].matches(Input("t")) == is_known
