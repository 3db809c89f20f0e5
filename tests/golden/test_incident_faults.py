"""Every fault of the files of incident streams: the sentence, its place, the line and the cure."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tseval
from tests import program
from tests.golden.test_faults import check, refused
from tests.program import FIXTURES
from tseval.errors import InputError, UsageError

pytestmark = pytest.mark.usefixtures("here")

INCIDENTS = FIXTURES / "incidents"
TYPES, LABELS, EPOCHS = (INCIDENTS / name for name in ("types.json", "labels.json", "epochs.txt"))
KEEN = INCIDENTS / "keen.txt"
GOOD = "flood Q0 f1 1 0.9 Report-News tag"
LINE_CURE = "a line of a run is: event Q0 post rank importance types tag"
LIST_CURE = 'write a JSON list of names, such as ["Report-News"], or of numbers, one a type'
RECORD_CURE = 'each line has "topic", "runtag", "tweet_id", "priority", "info_type_labels"'
PROPOSAL_CURE = 'each line has "EventID", "ID", "PostTimestamp" and "InformationTypes"'
LEVEL_CURE = "the levels are Unknown, Low, Medium, High, Critical"
POST_CURE = 'a labelled post is {"postID": …, "postCategories": […], "postPriority": "Low"}'
ONTOLOGY_FORMS = 'looked for {"informationTypes": [{"id": …}, …]} and [{"ID": …, "Parent": …}, …]'


def of_run(content: str | bytes, message: str, name: str = "run") -> None:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    check(message, "incidents", name, LABELS, "--ontology", TYPES, "--epochs", EPOCHS)


LINE_FAULTS = {
    "too few fields": ("flood Q0 f2 1", "4 fields where a run has 7", LINE_CURE),
    "one field": ("flood", "1 field where a run has 7", LINE_CURE),
    "rank in words": (
        "flood Q0 f2 first 0.5 News t",
        'rank "first" is not a number',
        LINE_CURE,
    ),
    "priority in words": (
        "flood Q0 f2 1 high News t",
        'importance "high" is not a number',
        LINE_CURE,
    ),
    "priority NaN": (
        "flood Q0 f2 1 NaN News t",
        'importance "NaN" is not a finite number',
        LINE_CURE,
    ),
    "priority infinite": (
        "flood Q0 f2 1 -inf News t",
        'importance "-inf" is not a finite number',
        LINE_CURE,
    ),
    "priority too large": (
        "flood Q0 f2 1 1e308 News t",
        'importance "1e308" is too large for a number',
        LINE_CURE,
    ),
    "a list that is not closed": (
        'flood Q0 f2 1 0.5 ["News" t',
        'types ["News" t are no list of names or of numbers',
        LIST_CURE,
    ),
    "a list of both": (
        'flood Q0 f2 1 0.5 ["News", 1] t',
        'types ["News", 1] are no list of names or of numbers',
        LIST_CURE,
    ),
    "NaN in a vector": (
        "flood Q0 f2 1 0.5 [0, NaN, 0, 0] t",
        "types [0, NaN, 0, 0] are no list of names or of numbers",
        LIST_CURE,
    ),
}


@pytest.mark.parametrize("fault", LINE_FAULTS)
def test_a_faulty_line_of_a_run(fault: str) -> None:
    line, reason, cure = LINE_FAULTS[fault]
    of_run(f"{GOOD}\n{line}\n{GOOD}\n", f"error: run:2: {reason}\n  | {line}\n  {cure}\n")


@pytest.mark.parametrize(
    "fault", [name for name in LINE_FAULTS if name not in ("one field", "rank in words")]
)
def test_the_same_in_the_first_line(fault: str) -> None:
    line, reason, cure = LINE_FAULTS[fault]
    of_run(f"{line}\n{GOOD}\n", f"error: run:1: {reason}\n  | {line}\n  {cure}\n")


def test_a_faulty_line_far_down() -> None:
    lines = "".join(f"flood Q0 p{at} {at} 0.5 News t\n" for at in range(1, 70_000))
    bad = "flood Q0 f1 70000 nan News t"
    message = f'importance "nan" is not a finite number\n  | {bad}\n  {LINE_CURE}\n'
    of_run(f"{lines}{bad}\n", f"error: run:70000: {message}")


def test_bytes_that_are_not_utf8() -> None:
    of_run(
        f"{GOOD}\nflood Q0 f2 1 0.5 N".encode() + b"\xffews t\n",
        "error: run:2: byte 0xff is not UTF-8\n  | flood Q0 f2 1 0.5 N\ufffdews t\n"
        "  save the file in the encoding UTF-8\n",
    )


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
RECORD_FAULTS: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "no post": (RECORD, {"tweet_id": None}, 'no "tweet_id"', RECORD_CURE),
    "a number as post": (RECORD, {"tweet_id": 5}, 'no "tweet_id"', RECORD_CURE),
    "no event": (RECORD, {"topic": " "}, 'no "topic"', RECORD_CURE),
    "a priority in words": (
        RECORD,
        {"priority": "0.5"},
        '"priority" is no finite number',
        RECORD_CURE,
    ),
    "a priority of NaN": (
        RECORD,
        {"priority": float("nan")},
        '"priority" is no finite number',
        RECORD_CURE,
    ),
    "a priority too large": (
        RECORD,
        {"priority": 10**400},
        '"priority" is no finite number',
        RECORD_CURE,
    ),
    "labels in words": (
        RECORD,
        {"info_type_labels": ["x"]},
        'no list of numbers "info_type_labels"',
        RECORD_CURE,
    ),
    "no time": (
        EMISSION,
        {"PostTimestamp": None},
        'no "PostTimestamp"',
        PROPOSAL_CURE,
    ),
    "a time in words": (
        EMISSION,
        {"PostTimestamp": "soon"},
        '"PostTimestamp" "soon" is no time',
        PROPOSAL_CURE,
    ),
    "no types": (
        EMISSION,
        {"InformationTypes": "News"},
        'no list of {"id", "confidence"} as "InformationTypes"',
        PROPOSAL_CURE,
    ),
    "a confidence of NaN": (
        EMISSION,
        {"InformationTypes": [{"id": "News", "confidence": float("nan")}]},
        'no list of {"id", "confidence"} as "InformationTypes"',
        PROPOSAL_CURE,
    ),
    "no id": (EMISSION, {"ID": ""}, 'no "ID"', PROPOSAL_CURE),
}


@pytest.mark.parametrize("fault", RECORD_FAULTS)
def test_a_faulty_line_of_json(fault: str) -> None:
    good, changed, reason, cure = RECORD_FAULTS[fault]
    line = json.dumps(good | changed)
    shown = line if len(line) <= 200 else line[:200] + "…"
    Path("run").write_text(f"{json.dumps(good)}\n{line}\n")
    outcome = program.tseval("incidents", "run", LABELS, "--ontology", TYPES)
    assert outcome.code == 1
    assert outcome.err.startswith(f"error: run:2: {reason}\n  | {shown[:150]}")
    assert outcome.err.endswith(f"\n  {cure}\n")


def test_a_line_that_is_no_json_or_holds_half_a_character() -> None:
    good = json.dumps(RECORD)
    for bad, reason in (
        ("{", "not JSON: "),
        ("[]", "a JSON list where an object is expected"),
        (good.replace('"f1"', '"\\ud800"'), "an escape stands for half a character: not UTF-8"),
    ):
        Path("run").write_text(f"{good}\n{bad}\n")
        outcome = program.tseval("incidents", "run", LABELS, "--ontology", TYPES)
        assert outcome.code == 1
        assert outcome.err.startswith(f"error: run:2: {reason}")


def test_a_run_whose_posts_have_no_label_though_its_event_has() -> None:
    line = "flood Q0 another 1 0.9 Report-News keen"
    of_run(
        f"{line}\n",
        'error: run:1: no line of run "keen" speaks of a labelled post: here post "another" '
        'of event "flood", in the labels flood, quake\n'
        f"  | {line}\n"
        "  give the labels of the posts that the run speaks of, by the same ids\n",
    )


def test_a_run_that_meets_no_label() -> None:
    line = "TRECIS-1 Q0 f1 1 0.9 Report-News keen"
    of_run(
        f"{line}\n",
        'error: run:1: no line of run "keen" speaks of a labelled post: here post "f1" '
        'of event "TRECIS-1", in the labels flood, quake\n'
        f"  | {line}\n"
        "  runs call events as the labels do, or by the numbers that the track's file of topics "
        "gives them (--topics FILE)\n",
    )


def test_a_run_of_another_kind() -> None:
    of_run(
        "some words\n",
        "error: run:1: the format is not recognised\n  | some words\n"
        "  looked for predictions as TSV or CSV with a header line naming topic post_id priority,"
        " as JSON, as Parquet, and as .xlsx; --input-format settles it\n",
    )


def test_no_file_of_labels_or_one_that_is_empty() -> None:
    outcome = program.tseval("incidents", KEEN, "--ontology", TYPES)
    assert outcome.code == 2
    assert "Give one or more runs, then the file of labels." in outcome.err
    assert program.tseval("incidents", KEEN, LABELS).code == 2
    Path("labels").write_bytes(b"")
    outcome = program.tseval("incidents", KEEN, "labels", "--ontology", TYPES)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("error: labels")
    refused(
        program.tseval("incidents", "lost", LABELS, "--ontology", TYPES),
        "error: lost: no such file or directory\n",
    )
    refused(
        program.tseval("incidents", KEEN, LABELS, "--ontology", TYPES, "--topics", "lost"),
        "error: lost: no such file or directory\n",
    )


# Labels

POST: dict[str, Any] = {"postID": "f1", "postCategories": ["News"], "postPriority": "Low"}
LABEL_FAULTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "an unknown level": ({"postPriority": "Urgent"}, 'unknown priority "Urgent"', LEVEL_CURE),
    "no id": ({"postID": ""}, 'no "postID"', POST_CURE),
    "a number as id": ({"postID": 7}, 'no "postID"', POST_CURE),
    "no types": ({"postCategories": None}, "no list of types", POST_CURE),
    "types that are no words": ({"postCategories": [1]}, "no list of types", POST_CURE),
}


@pytest.mark.parametrize("fault", LABEL_FAULTS)
def test_a_faulty_label(fault: str) -> None:
    """In a document its path is told, in lines its line."""
    changed, reason, cure = LABEL_FAULTS[fault]
    bad = POST | changed
    document = {"events": [{"eventid": "flood", "tweets": [POST, bad]}]}
    given = ("incidents", KEEN, "labels", "--ontology", TYPES)
    Path("labels").write_text(json.dumps(document))
    check(f"error: labels: events[0].tweets[1]: {reason}\n  {cure}\n", *given)
    listed = [{"eventID": "flood"} | each for each in (POST, bad)]
    Path("labels").write_text(json.dumps(listed))
    check(f"error: labels: [1]: {reason}\n  {cure}\n", *given)
    lines = [json.dumps(each) for each in listed]
    Path("labels").write_text("".join(f"{line}\n" for line in lines))
    check(f"error: labels:2: {reason}\n  | {lines[1]}\n  {cure}\n", *given)


def test_a_label_of_no_event_and_one_called_all() -> None:
    given = ("incidents", KEEN, "labels", "--ontology", TYPES)
    Path("labels").write_text(json.dumps([POST]))
    check(f"error: labels: [0]: no event\n  {POST_CURE}\n", *given)
    Path("labels").write_text(json.dumps([{"eventID": "all"} | POST]))
    reason = 'an event is called "all", the name of the mean over events'
    check(f"error: labels: {reason}\n  give the event another name\n", *given)
    Path("labels").write_text('{"events": [{"eventid": "flood", "tweets": 5}]}')
    outcome = program.tseval(*given)
    assert outcome.err.startswith('error: labels: events[0]: no list of "tweets"\n  looked for ')


def test_labels_that_are_no_json_to_the_end() -> None:
    Path("labels").write_bytes(LABELS.read_bytes()[:300])
    outcome = program.tseval("incidents", KEEN, "labels", "--ontology", TYPES)
    assert outcome.code == 1
    assert outcome.err.startswith("error: labels:8: not JSON: ")
    Path("labels").write_bytes(LABELS.read_bytes().replace(b'"f2"', b'"\xff"'))
    outcome = program.tseval("incidents", KEEN, "labels", "--ontology", TYPES)
    assert outcome.err.startswith("error: labels:7: byte 0xff is not UTF-8")


def test_a_plain_table_of_labels() -> None:
    rows = "topic\tpost_id\tlevel\ttypes\nflood\tf1\tHigh\tNews\nflood\tf2\tUrgent\t\n"
    Path("labels").write_text(rows)
    check(
        f'error: labels:3: unknown level "Urgent"\n  | flood\tf2\tUrgent\t\n  {LEVEL_CURE}\n',
        *("incidents", KEEN, "labels", "--ontology", TYPES),
    )


# Ontologies

ONTOLOGY_FAULTS: dict[str, tuple[str, str]] = {
    "empty": ("", "ontology: the file is empty\n  give the track's JSON"),
    "no types": ("{}", f"ontology: no information types\n  {ONTOLOGY_FORMS}"),
    "an empty list": ("[]", f"ontology: no information types\n  {ONTOLOGY_FORMS}"),
    "no id": (
        '{"informationTypes": [{"id": "A-b"}, {"name": "A-c"}]}',
        f'ontology: informationTypes[1]: no type with an "id"\n  {ONTOLOGY_FORMS}',
    ),
    "a type twice": (
        '[{"ID": "a"}, {"ID": "a"}]',
        'ontology: [1]: type "a" stands twice\n  remove one of them',
    ),
    "a parent that is none": (
        '[{"ID": "a", "Parent": "b"}]',
        'ontology: [0]: parent "b" is no type\n  name a type of this file, or leave it out',
    ),
    "a parent that is a list": (
        '[{"ID": "a", "Parent": ["a"]}]',
        "ontology: [0]: parent \"['a']\" is no type\n  name a type of this file, or leave it out",
    ),
    "a type called all": (
        '[{"ID": "all"}]',
        'ontology: [0]: a type is called "all", the name of the mean\n  give the type another name',
    ),
    "half a character": (
        '[{"ID": "\\ud800"}]',
        "ontology: an escape stands for half a character: not UTF-8\n"
        "  write both halves of the pair, or the character itself",
    ),
}


@pytest.mark.parametrize("fault", ONTOLOGY_FAULTS)
def test_a_faulty_ontology(fault: str) -> None:
    content, message = ONTOLOGY_FAULTS[fault]
    Path("ontology").write_text(content)
    check(f"error: {message}\n", "incidents", KEEN, LABELS, "--ontology", "ontology")


def test_a_circle_of_parents() -> None:
    Path("ontology").write_text(
        '[{"ID": "a", "Parent": "c"}, {"ID": "b"}, {"ID": "c", "Parent": "a"}]'
    )
    check(
        'error: ontology: [0]: type "a" is its own ancestor\n  mend its parents\n'
        'ontology: [2]: type "c" is its own ancestor\n  mend its parents\n',
        *("incidents", KEEN, LABELS, "--ontology", "ontology"),
    )


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
        (["--actionable", "Nothing"], "'Nothing' is no type of the ontology, which has: Request-"),
        (["--entries", "News,Nothing"], "'Nothing' is no type of the ontology"),
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
    with pytest.raises(InputError, match=r"^<predictions>: row 1: priority"):
        tseval.score_incidents(run, labels, TYPES)
    with pytest.raises(InputError, match=r'^<labels>: row 1: unknown level "Urgent"'):
        tseval.score_incidents(run.assign(priority=1), labels.assign(level="Urgent"), TYPES)
    with pytest.raises(InputError, match=r"^<predictions>:.*priority"):
        tseval.score_incidents(run[["topic", "post_id"]], labels, TYPES)
    with pytest.raises(UsageError, match="on_missing cannot be 'maybe'"):
        tseval.score_incidents(run.assign(priority=1), labels, TYPES, on_missing="maybe")  # type: ignore[arg-type]


def test_two_files_may_not_hold_the_same_post_of_one_run(tmp_path: Path) -> None:
    """It is one run given twice, or two runs of one name: nobody could tell which counts."""
    from tests.program import FIXTURES
    from tests.program import tseval as program

    folder = FIXTURES / "incidents"
    run, copy = folder / "keen.txt", tmp_path / "copy.txt"
    copy.write_bytes(run.read_bytes())
    outcome = program(
        "incidents", run, copy, folder / "labels.json", "--ontology", folder / "types.json"
    )
    assert outcome.code == 1
    assert f"error: {copy}:1: post " in outcome.err
    assert "stands in two files of run" in outcome.err
