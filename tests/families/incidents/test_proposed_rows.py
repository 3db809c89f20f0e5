"""Runs of the proposal as objects or as rows, with keys in any case: they pool and score alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tseval
from tests.program import tseval as program

TYPES = '[{"ID": "Report"}, {"ID": "Report-Weather", "Parent": "Report"}, {"ID": "Report-News"}]'
JUDGED = "topic\tpost_id\ttypes\nflood\tp1\tWeather\nflood\tp2\t\nquake\tp1\tNews\n"


def post(event: str, name: str, time: int, **confidences: float | None) -> dict[str, Any]:
    """An object as the proposal has it; a type may have no confidence."""
    types = [
        {"id": f"Report-{kind}"} | ({} if sure is None else {"confidence": sure})
        for kind, sure in confidences.items()
    ]
    return {
        "EventID": event,
        "ProcessingType": "Automatic",
        "ID": name,
        "Content": f'it\'s {name}, "there"',
        "PostTimestamp": time,
        "InformationTypes": types,
    }


POSTS = [
    post("flood", "p1", 1335861000, Weather=0.8, News=0.2),
    post("flood", "p2", 1335862000),
    post("quake", "p1", 1335861500, News=None, Weather=0.4),
]


@pytest.fixture
def forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The run in every form; the first is the proposal's own."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(POSTS)
    texts = frame.assign(InformationTypes=frame["InformationTypes"].map(json.dumps))
    lower = [{key.lower(): value for key, value in each.items()} for each in POSTS]
    written = {
        "lines/run.jsonl": "".join(f"{json.dumps(each)}\n" for each in POSTS),
        "array/run.json": json.dumps(POSTS, indent=1),
        "lower/run.jsonl": "".join(f"{json.dumps(each)}\n" for each in lower),
        "mixed/run.json": json.dumps([POSTS[0], *lower[1:]]),
        "comma/run.csv": texts.to_csv(index=False),
        "tabs/run.tsv": texts.rename(columns=str.upper).to_csv(index=False, sep="\t", quoting=3),
    }
    for name, content in written.items():
        Path(name).parent.mkdir()
        Path(name).write_text(content)
    Path("binary").mkdir()
    frame.to_parquet("binary/run.parquet")
    Path("types.json").write_text(TYPES)
    Path("judged.tsv").write_text(JUDGED)
    return {name: name for name in (*written, "binary/run.parquet")} | {
        "frame": frame.assign(run="run"),
        "rows": [{**each, "run": "run"} for each in POSTS],
    }


def test_every_form_gives_the_same_pool_and_scores(forms: dict[str, Any]) -> None:
    wanted = tseval.pool_incidents([forms["lines/run.jsonl"]], "types.json", roll_up=True)
    assert wanted[["topic", "type", "post_id", "confidence"]].to_numpy().tolist() == [
        ["flood", "Report", "p1", 0.8],
        ["flood", "Report-Weather", "p1", 0.8],
        ["flood", "Report-News", "p1", 0.2],
        ["quake", "Report", "p1", 0.4],
        ["quake", "Report-Weather", "p1", 0.4],
        ["quake", "Report-News", "p1", 1.0],
    ]
    assert wanted["text"].tolist() == ['it\'s p1, "there"'] * 6
    asked = {"ontology": "types.json", "edition": "proposal", "threshold": 0.3}
    scores = tseval.score_incidents([forms["lines/run.jsonl"]], "judged.tsv", **asked).frame()
    for name, given in forms.items():
        pool = tseval.pool_incidents([given], "types.json", roll_up=True)
        pd.testing.assert_frame_equal(pool, wanted, obj=name)
        found = tseval.score_incidents([given], "judged.tsv", **asked).frame()
        pd.testing.assert_frame_equal(found, scores, obj=name)


def test_every_form_is_told_as_a_run(forms: dict[str, Any]) -> None:
    for name in forms:
        if name.endswith(("json", "jsonl")):
            told = program("validate", name, "types.json")
            assert 'type "Report-News" has no "confidence"' in told.out, name
        elif "." in name:
            told = program("validate", name, "types.json")
            assert told.out.startswith(f"{name}: incident run, 3 rows, no fault"), name


@pytest.mark.parametrize(
    ("types", "reason"),
    [
        ('"Weather"', 'no list of {"id", "confidence"} as "InformationTypes"'),
        ('[{"id": null}]', 'no list of {"id", "confidence"} as "InformationTypes"'),
        ('[{"id": "a", "confidence": "b"}]', 'no list of {"id", "confidence"}'),
    ],
)
@pytest.mark.usefixtures("forms")
def test_faulty_objects_and_rows_are_told_with_their_line(types: str, reason: str) -> None:
    faulty = {**POSTS[1], "InformationTypes": json.loads(types)}
    for record, code in ((faulty, "record-format"), (5, "json-type")):
        Path("faulty.json").write_text(json.dumps([POSTS[0], record]))
        refused = program("import", "pool", "faulty.json", "--ontology", "types.json")
        assert (refused.code, refused.codes) == (1, [(code, 2)])
        assert code == "json-type" or reason in refused.err
    rows = pd.DataFrame([POSTS[0], faulty])
    rows["InformationTypes"] = rows["InformationTypes"].map(json.dumps)
    rows.to_csv("faulty.csv", index=False)
    refused = program("import", "pool", "faulty.csv", "--ontology", "types.json")
    assert (refused.code, refused.codes) == (1, [("record-format", 3)])


@pytest.mark.usefixtures("forms")
def test_a_pool_takes_names_of_columns_and_forms_of_times() -> None:
    posts = [{**each, "when": f"0{at + 1}.02.2024 10:00"} for at, each in enumerate(POSTS)]
    for each in posts:
        del each["PostTimestamp"]
    Path("run.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in posts))
    asked = ("import", "pool", "run.jsonl", "--ontology", "types.json", "--entries", "Report-News")
    written = ("--time-format", "%d.%m.%Y %H:%M", "--time-zone", "+01:00")
    for column in ("time=when", "run:time=when"):
        done = program(*asked, "--column", column, *written)
        assert done.code == 0
        assert [
            row.split("\t")[:3] + row.split("\t")[4:6] for row in done.out.splitlines()[1:]
        ] == [
            ["flood", "Report-News", "p1", "0.2", "1706778000"],
            ["quake", "Report-News", "p1", "1", "1706950800"],
        ]
    Path("named.jsonl").write_text(
        "".join(f"{json.dumps({**e, 'PostTimestamp': '01.02.2024 10:00'})}\n" for e in posts)
    )
    done = program(*asked[:2], "named.jsonl", *asked[3:], *written)
    assert [row.split("\t")[5] for row in done.out.splitlines()[1:]] == ["1706778000"] * 2
    refused = program(*asked, "--column", "gold:time=when")
    assert refused.code == 2
    assert "no input 'gold' here" in refused.err
