"""Every fault of the files of incident streams: its code, its place and the line that it shows."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tseval
from tests import program
from tests.golden.test_faults import check, check_fault, fault_of
from tests.program import FIXTURES
from tseval.errors import UsageError

pytestmark = pytest.mark.usefixtures("here")

INCIDENTS = FIXTURES / "incidents"
TYPES, LABELS, EPOCHS = (INCIDENTS / name for name in ("types.json", "labels.json", "epochs.txt"))
KEEN = INCIDENTS / "keen.txt"
GOOD = "flood Q0 f1 1 0.9 Report-News tag"
RUN = ("incidents", "run", LABELS, "--ontology", TYPES, "--epochs", EPOCHS)
LABELLED = ("incidents", KEEN, "labels", "--ontology", TYPES)


def of_run(content: str | bytes, code: str, line: int, text: str) -> None:
    Path("run").write_bytes(content.encode() if isinstance(content, str) else content)
    check_fault(code, "run", line, *RUN, text=text)


LINE_FAULTS = {
    "too few fields": ("flood Q0 f2 1", "field-count"),
    "one field": ("flood", "field-count"),
    "rank in words": ("flood Q0 f2 first 0.5 News t", "number-format"),
    "priority in words": ("flood Q0 f2 1 high News t", "number-format"),
    "priority NaN": ("flood Q0 f2 1 NaN News t", "number-format"),
    "priority infinite": ("flood Q0 f2 1 -inf News t", "number-format"),
    "priority too large": ("flood Q0 f2 1 1e308 News t", "number-range"),
    "a list that is not closed": ('flood Q0 f2 1 0.5 ["News" t', "record-format"),
    "a list of both": ('flood Q0 f2 1 0.5 ["News", 1] t', "record-format"),
    "NaN in a vector": ("flood Q0 f2 1 0.5 [0, NaN, 0, 0] t", "record-format"),
}


@pytest.mark.parametrize("fault", LINE_FAULTS)
def test_a_faulty_line_of_a_run(fault: str) -> None:
    line, code = LINE_FAULTS[fault]
    of_run(f"{GOOD}\n{line}\n{GOOD}\n", code, 2, line)


@pytest.mark.parametrize(
    "fault", [name for name in LINE_FAULTS if name not in ("one field", "rank in words")]
)
def test_the_same_in_the_first_line(fault: str) -> None:
    line, code = LINE_FAULTS[fault]
    of_run(f"{line}\n{GOOD}\n", code, 1, line)


def test_a_faulty_line_far_down() -> None:
    lines = "".join(f"flood Q0 p{at} {at} 0.5 News t\n" for at in range(1, 70_000))
    bad = "flood Q0 f1 70000 nan News t"
    of_run(f"{lines}{bad}\n", "number-format", 70_000, bad)


def test_bytes_that_are_not_utf8() -> None:
    bad = b"flood Q0 f2 1 0.5 N\xffews t"
    of_run(GOOD.encode() + b"\n" + bad + b"\n", "encoding", 2, bad.decode("utf-8", "replace"))


def test_a_compressed_run_that_is_cut_off() -> None:
    content = gzip.compress("".join(f"flood Q0 p{at} 1 0.5 News t\n" for at in range(999)).encode())
    Path("run.gz").write_bytes(content[: len(content) // 2])
    outcome = program.tseval("incidents", "run.gz", LABELS, "--ontology", TYPES)
    assert outcome.code == 1
    assert outcome.err.startswith("error: run.gz: ")
    assert outcome.out == ""
    assert "Traceback" not in outcome.err


RECORD: dict[str, Any] = {
    "topic": "flood",
    "runtag": "t",
    "tweet_id": "f1",
    "priority": 0.5,
    "info_type_scores": [0, 0, 0, 0],
    "info_type_labels": [0, 0, 0, 0],
}
EMISSION: dict[str, Any] = {
    "EventID": "flood",
    "ID": "f1",
    "PostTimestamp": 1699920000,
    "InformationTypes": [{"id": "Report-News", "confidence": 0.5}],
}
BAD_ENTRY = [{"id": "News", "confidence": float("nan")}]
RECORD_FAULTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "no post": (RECORD, {"tweet_id": None}),
    "a number as post": (RECORD, {"tweet_id": 5}),
    "no event": (RECORD, {"topic": " "}),
    "a priority in words": (RECORD, {"priority": "0.5"}),
    "a priority of NaN": (RECORD, {"priority": float("nan")}),
    "a priority too large": (RECORD, {"priority": 10**400}),
    "labels in words": (RECORD, {"info_type_labels": ["x"]}),
    "no time": (EMISSION, {"PostTimestamp": None}),
    "a time in words": (EMISSION, {"PostTimestamp": "soon"}),
    "no types": (EMISSION, {"InformationTypes": "News"}),
    "a confidence of NaN": (EMISSION, {"InformationTypes": BAD_ENTRY}),
    "no id": (EMISSION, {"ID": ""}),
}

CELL_FAULTS = {"no time": "empty-value", "a time in words": "time-format", "no id": "empty-value"}
"""The faults of runs of the proposal that are told as in any table."""


@pytest.mark.parametrize("fault", RECORD_FAULTS)
def test_a_faulty_line_of_json(fault: str) -> None:
    good, changed = RECORD_FAULTS[fault]
    line = json.dumps(good | changed)
    code = CELL_FAULTS.get(fault, "record-format")
    of_run(f"{json.dumps(good)}\n{line}\n", code, 2, line)


def test_a_line_that_is_no_json_or_holds_half_a_character() -> None:
    good = json.dumps(RECORD)
    for bad, code in (
        ("{", "json-syntax"),
        ("[]", "json-type"),
        (good.replace('"f1"', '"\\ud800"'), "encoding"),
    ):
        of_run(f"{good}\n{bad}\n", code, 2, bad)


def test_a_run_whose_posts_have_no_label_though_its_event_has() -> None:
    line = "flood Q0 another 1 0.9 Report-News keen"
    of_run(f"{line}\n", "unrelated-inputs", 1, line)


def test_a_run_that_meets_no_label() -> None:
    line = "TRECIS-1 Q0 f1 1 0.9 Report-News keen"
    of_run(f"{line}\n", "unrelated-inputs", 1, line)


def test_a_run_of_another_kind() -> None:
    of_run("some words\n", "unknown-format", 1, "some words")


def test_no_file_of_labels_or_one_that_is_empty() -> None:
    outcome = program.tseval("incidents", KEEN, "--ontology", TYPES)
    assert outcome.code == 2
    assert "Give one or more runs, then the file of labels." in outcome.err
    assert program.tseval("incidents", KEEN, LABELS).code == 2
    Path("labels").write_bytes(b"")
    check_fault("empty-file", "labels", None, *LABELLED)
    given = ("--ontology", TYPES)
    check_fault("unreadable-file", "lost", None, "incidents", "lost", LABELS, *given)
    topics = ("--topics", "lost")
    check_fault("unreadable-file", "lost", None, "incidents", KEEN, LABELS, *given, *topics)


# Labels

POST: dict[str, Any] = {"postID": "f1", "postCategories": ["News"], "postPriority": "Low"}
LABEL_FAULTS: dict[str, dict[str, Any]] = {
    "an unknown level": {"postPriority": "Urgent"},
    "no id": {"postID": ""},
    "a number as id": {"postID": 7},
    "no types": {"postCategories": None},
    "types that are no words": {"postCategories": [1]},
}


@pytest.mark.parametrize("fault", LABEL_FAULTS)
def test_a_faulty_label(fault: str) -> None:
    """In a document its path is told, in lines its line."""
    code = "unknown-label" if fault == "an unknown level" else "record-format"
    bad = POST | LABEL_FAULTS[fault]
    document = {"events": [{"eventid": "flood", "tweets": [POST, bad]}]}
    Path("labels").write_text(json.dumps(document))
    check_fault(code, "labels", None, *LABELLED)
    assert "labels: events[0].tweets[1]: " in program.tseval(*LABELLED).err
    listed = [{"eventID": "flood"} | each for each in (POST, bad)]
    Path("labels").write_text(json.dumps(listed))
    check_fault(code, "labels", None, *LABELLED)
    assert "labels: [1]: " in program.tseval(*LABELLED).err
    lines = [json.dumps(each) for each in listed]
    Path("labels").write_text("".join(f"{line}\n" for line in lines))
    check_fault(code, "labels", 2, *LABELLED, text=lines[1])


def test_a_label_of_no_event_and_one_called_all() -> None:
    for content, code in (
        ([POST], "record-format"),
        ([{"eventID": "all"} | POST], "reserved-name"),
        ({"events": [{"eventid": "flood", "tweets": 5}]}, "record-format"),
    ):
        Path("labels").write_text(json.dumps(content))
        check_fault(code, "labels", None, *LABELLED)


def test_labels_that_are_no_json_to_the_end() -> None:
    Path("labels").write_bytes(LABELS.read_bytes()[:300])
    check_fault("json-syntax", "labels", 8, *LABELLED)
    Path("labels").write_bytes(LABELS.read_bytes().replace(b'"f2"', b'"\xff"'))
    check_fault("encoding", "labels", 7, *LABELLED)


def test_a_plain_table_of_labels() -> None:
    rows = "topic\tpost_id\tlevel\ttypes\nflood\tf1\tHigh\tNews\nflood\tf2\tUrgent\t\n"
    Path("labels").write_text(rows)
    check_fault("unknown-label", "labels", 3, *LABELLED, text="flood\tf2\tUrgent\t")


# Ontologies

ONTOLOGY_FAULTS = {
    "empty": ("", "empty-file"),
    "no types": ("{}", "no-rows"),
    "an empty list": ("[]", "no-rows"),
    "no id": ('{"informationTypes": [{"id": "A-b"}, {"name": "A-c"}]}', "record-format"),
    "a type twice": ('[{"ID": "a"}, {"ID": "a"}]', "duplicate-id"),
    "a parent that is none": ('[{"ID": "a", "Parent": "b"}]', "unknown-id"),
    "a parent that is a list": ('[{"ID": "a", "Parent": ["a"]}]', "unknown-id"),
    "a type called all": ('[{"ID": "all"}]', "reserved-name"),
    "half a character": ('[{"ID": "\\ud800"}]', "encoding"),
}


@pytest.mark.parametrize("fault", ONTOLOGY_FAULTS)
def test_a_faulty_ontology(fault: str) -> None:
    content, code = ONTOLOGY_FAULTS[fault]
    Path("ontology").write_text(content)
    given = ("incidents", KEEN, LABELS, "--ontology", "ontology")
    check_fault(code, "ontology", None, *given)


def test_a_circle_of_parents() -> None:
    Path("ontology").write_text(
        '[{"ID": "a", "Parent": "c"}, {"ID": "b"}, {"ID": "c", "Parent": "a"}]'
    )
    outcome = program.tseval("incidents", KEEN, LABELS, "--ontology", "ontology")
    assert outcome.codes == [("cyclic-types", None), ("cyclic-types", None)]
    assert ("ontology: [0]: " in outcome.err, "ontology: [2]: " in outcome.err) == (True, True)


# Wrong usage


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["-m", "AAW(x=1)"], "AAW has no parameter"),
        (["-m", "type.F1(actionable,other)"], "choose (actionable) or (other), not both"),
        (["-m", "EG"], "unknown measure 'EG'"),
        (["--edition", "2020"], "2020"),
        (["--rule", "order=size"], "rule order cannot be 'size': choose one of time, rank, file"),
        (["--rule", "colour=red"], "unknown rule 'colour'"),
        (["--actionable", "Nothing"], "no type 'Nothing' here; there are: Request-"),
        (["--entries", "News,Nothing"], "no type 'Nothing' here"),
        (["--alpha", "1.5"], "alpha cannot be 1.5: give a number from 0 to 1"),
        (["--alpha", "nan"], "alpha cannot be nan: give a number from 0 to 1"),
        (["--lambda", "-1"], "lambda cannot be -1: give a number from 0 to 1"),
        (["--threshold", "inf"], "threshold cannot be inf: give a number from 0 to 1"),
        (["--threshold", "70"], "threshold cannot be 70: give a number from 0 to 1"),
        (["--threshold", "-1"], "threshold cannot be -1: give a number from 0 to 1"),
        (["--at", "soon"], '"soon" is neither a number nor an ISO 8601 time'),
    ],
)
def test_an_option_that_means_nothing(option: list[str], message: str) -> None:
    outcome = program.tseval(
        "incidents", KEEN, LABELS, "--ontology", TYPES, *option, "-o", "r.json"
    )
    assert outcome.err.startswith("error: ")
    assert message in outcome.err
    assert (outcome.code, outcome.out) == (2, "")
    assert not list(Path().iterdir())


def test_a_type_that_is_called_as_an_event() -> None:
    Path("ontology").write_text('[{"ID": "flood"}]')
    check(
        "error: 'flood' is both an event and a type: call one of them otherwise\n",
        *("incidents", KEEN, LABELS, "--ontology", "ontology"),
        code=2,
    )


def test_an_event_that_a_topics_file_calls_all() -> None:
    Path("topics").write_text("<top>\n<num>flood</num>\n<dataset>all</dataset>\n</top>\n")
    check(
        "error: an event cannot be called 'all', the name of the mean\n",
        *("incidents", KEEN, LABELS, "--ontology", TYPES, "--topics", "topics"),
        code=2,
    )


def test_types_that_are_named_twice_count_once() -> None:
    """By short and full name; the mean of the scripts is divided by one type, not by two."""
    given = (KEEN, LABELS, TYPES, "type.F1(actionable)")
    once, twice = (
        tseval.score_incidents(*given, edition="2019b", actionable=names)
        for names in (["News"], ["Report-News", "News"])
    )
    assert once.value("type.F1(actionable)") == twice.value("type.F1(actionable)")
    assert once.signature == twice.signature


def test_frames() -> None:
    labels = pd.DataFrame({"topic": ["e"], "post_id": ["p"], "level": ["High"], "types": [""]})
    run = pd.DataFrame({"topic": ["e"], "post_id": ["p"], "priority": [float("nan")]})
    found = fault_of(lambda: tseval.score_incidents(run, labels, TYPES))
    assert found == ("number-format", "<predictions>", 1)
    urgent = labels.assign(level="Urgent")
    found = fault_of(lambda: tseval.score_incidents(run.assign(priority=1), urgent, TYPES))
    assert found == ("unknown-label", "<labels>", 1)
    bare = run[["topic", "post_id"]]
    found = fault_of(lambda: tseval.score_incidents(bare, labels, TYPES))
    assert found == ("missing-column", "<predictions>", None)
    with pytest.raises(UsageError, match="on_missing cannot be 'maybe'"):
        tseval.score_incidents(run.assign(priority=1), labels, TYPES, on_missing="maybe")  # type: ignore[arg-type]


def test_two_files_may_not_hold_the_same_post_of_one_run(tmp_path: Path) -> None:
    """It is one run given twice, or two runs of one name: nobody could tell which counts."""
    from tests.program import FIXTURES
    from tests.program import tseval as program

    folder = FIXTURES / "incidents"
    run, copy = folder / "keen.txt", tmp_path / "copy.txt"
    copy.write_bytes(run.read_bytes())
    given = ("--ontology", folder / "types.json")
    outcome = program("incidents", run, copy, folder / "labels.json", *given)
    assert outcome.code == 1
    assert outcome.faults[0].file == str(copy)
    assert outcome.codes[0] == ("duplicate-id", 1)
