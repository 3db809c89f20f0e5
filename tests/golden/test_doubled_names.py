"""A name that stands twice where it may stand once: keys of JSON, and topics of two years."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import FIXTURES, NUGGETS, SWIFT
from tests.program import tseval as program
from tseval.errors import InputError
from tseval.matching.matching import read_profile

pytestmark = pytest.mark.usefixtures("here")

UPDATE = '{"topic": "flood", "update_id": "u1", "time": 1699921800, "text": "so"'
INCIDENTS = FIXTURES / "incidents"
RECORD = '{"run": "a", "topic": "t", "measure": "R", "value": 0.5'
SCORES = '{"signature": "s",\n "records": [\n  %s}%s\n ]%s}\n'
VALUES = '{"topic": "t", "attribute": "deaths", "time": 1699921800, "value": 4'


ON_ONTOLOGY = ("--ontology", INCIDENTS / "types.json")
CASES: dict[str, tuple[str, str, int, tuple[object, ...]]] = {
    "updates": (UPDATE + ', "time": 5}\n', "time", 1, ("score", "FILE", NUGGETS)),
    "updates in blocks": (
        UPDATE + ', "time": 5}\n',
        "time",
        1,
        ("score", "FILE", NUGGETS, "--in-blocks", "1"),
    ),
    "an optional column": (
        UPDATE
        + '}\n{"cost": 1, "topic": "flood", "update_id": "u2", "time": 5, "text": "", "cost": 2}',
        "cost",
        2,
        ("score", "FILE", NUGGETS, "--in-blocks", "1"),
    ),
    "escaped": (UPDATE + ', "\\u0074ime": 5}\n', "time", 1, ("score", "FILE", NUGGETS)),
    "a column of no meaning": (UPDATE + ', "x": 1, "x": 1}\n', "x", 1, ("validate", "FILE")),
    "deep inside": (
        UPDATE + ', "more": {"y": [{"x": 1, "x": 1}]}}\n',
        "x",
        1,
        ("score", "FILE", NUGGETS),
    ),
    "nuggets": (
        '{"topic": "flood", "nugget_id": "n", "time": 1699921800, "text": "", "topic": "quake"}\n',
        "topic",
        1,
        ("score", SWIFT, "FILE"),
    ),
    "scores": (SCORES % (RECORD + ', "value": 1', "", ""), "value", 3, ("compare", "FILE")),
    "two signatures": (
        SCORES % (RECORD, "", ',\n "signature": "t"'),
        "signature",
        5,
        ("compare", "FILE"),
    ),
    "two lists of scores": (
        SCORES % (RECORD, "", ', "records": []'),
        "records",
        4,
        ("compare", "FILE"),
    ),
    "scores as lines": (RECORD + ', "run": "b"}\n', "run", 1, ("compare", "FILE")),
    "values": (VALUES + ', "value": 5}\n', "value", 1, ("values", "FILE", "FILE2")),
    "labels": (
        '{"events": [{"eventid": "flood",\n "tweets": [{"postID": "f1", "categories": [],\n'
        ' "priority": "Low",\n "priority": "High"}]}]}\n',
        "priority",
        4,
        ("incidents", INCIDENTS / "shy.tsv", "FILE", *ON_ONTOLOGY),
    ),
    "labels one a line": (
        '{"eventID": "flood", "postID": "f1", "postID": "f2", "postCategories": []}\n',
        "postID",
        1,
        ("incidents", INCIDENTS / "shy.tsv", "FILE", *ON_ONTOLOGY),
    ),
    "an ontology": (
        '{"informationTypes": [{"id": "News"}],\n "informationTypes": []}\n',
        "informationTypes",
        2,
        ("incidents", INCIDENTS / "shy.tsv", INCIDENTS / "labels.json", "--ontology", "FILE"),
    ),
    "a run of incident streams": (
        '{"topic": "flood", "runtag": "r", "tweet_id": "f1", "priority": 0.9, "priority": 0.1, '
        '"info_type_scores": [0, 0, 0, 1], "info_type_labels": [0, 0, 0, 1]}\n',
        "priority",
        1,
        ("incidents", "FILE", INCIDENTS / "labels.json", *ON_ONTOLOGY),
    ),
    "a run of the proposal": (
        '{"EventID": "flood", "ProcessingType": "Automatic", "ID": "f1", "Content": "", '
        '"PostTimestamp": "2023-11-14T00:00Z", "InformationTypes": '
        '[{"id": "Report-News", "confidence": 0.5, "confidence": 0.6}]}\n',
        "confidence",
        1,
        ("incidents", "FILE", INCIDENTS / "labels.json", *ON_ONTOLOGY, "--edition", "proposal"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_key_that_stands_twice(case: str) -> None:
    content, key, line, arguments = CASES[case]
    Path("file.json").write_text(content)
    Path("gold.json").write_text(VALUES + "}\n")
    names = {"FILE": "file.json", "FILE2": "gold.json"}
    outcome = program(*[names.get(str(each), each) for each in arguments])
    assert outcome.code == 1
    if arguments[0] == "validate":
        assert outcome.out.startswith(f'file.json:{line}: the key "{key}" stands twice')
    else:
        fault = outcome.faults[0]
        assert (fault.code, fault.file, fault.line) == ("duplicate-key", "file.json", line)
        assert f'"{key}"' in fault.reason


def test_a_key_that_stands_twice_in_a_stream() -> None:
    line = UPDATE + ', "time": 5}\n'
    outcome = program("score", "--follow", NUGGETS, stdin=line.encode())
    assert (outcome.code, outcome.codes) == (1, [("duplicate-key", 1)])


def test_a_key_that_stands_twice_in_a_profile() -> None:
    Path("p.json").write_text('{"matcher": "exact", "matcher": "fuzzy"}')
    with pytest.raises(InputError) as caught:
        read_profile("p.json")
    assert caught.value.faults[0].code == "duplicate-key"


FACT = '{"collapsed_fact_id": "E-collapsed-1", "fact_text": "", "relevant_facts": [%s]%s}'


@pytest.mark.parametrize(
    ("content", "place", "key"),
    [
        ('{"T": {"clusters": [["p"]], "clusters": [["q"]]}}', ":1", "clusters"),
        ('{"topics": {}, "topics": {"T": {"clusters": [["p"]]}}}', ":1", "topics"),
        (
            '{"T": {"clusters": {"1": {"tweets": ["p"], "tweets": ["q"]}}}}',
            ":1",
            "tweets",
        ),
        (
            "[" + FACT % ('"p"', ', "relevant_facts": ["q"]') + "]",
            ":1",
            "relevant_facts",
        ),
        (
            FACT % ('"p"', "") + "\n" + FACT % ('"q"', ', "fact_text": "x"') + "\n",
            ":2",
            "fact_text",
        ),
    ],
)
def test_a_key_that_stands_twice_in_clusters(content: str, place: str, key: str) -> None:
    Path("clusters.json").write_text(content)
    outcome = program("import", "clusters", "clusters.json", "--times", "snowflake")
    assert (outcome.code, outcome.faults[0].code) == (1, "duplicate-key")
    assert outcome.err.startswith(f'error: clusters.json{place}: the key "{key}"')


@pytest.mark.parametrize("rows", ["1", "2", "100"])
def test_escaped_keys_are_read_alike_whole_and_in_blocks(rows: str) -> None:
    lines = [
        {"topic": "flood", "update_id": f"u{n}", "time": 1699921800 + n, "text": "River Osk burst"}
        | ({"run": "a", "cost": n} if n else {"run": "a"})
        for n in range(4)
    ]
    plain = "".join(json.dumps(line) + "\n" for line in lines)
    Path("plain.jsonl").write_text(plain)
    Path("escaped.jsonl").write_text(
        plain.replace('"cost"', '"\\u0063ost"').replace('"run"', '"r\\u0075n"')
    )
    wanted = program("score", "plain.jsonl", NUGGETS, "-f", "csv")
    assert wanted.code == 0
    assert wanted.out.startswith("run,topic,measure,value\na,all,P,")
    for more in ((), ("--in-blocks", rows)):
        assert program("score", "escaped.jsonl", NUGGETS, "-f", "csv", *more).out == wanted.out


# Topics of two years.

YEARS = "topic\tupdate_id\ttime\ttext\nTS13.1\ta\t1699921800\tit rains\nTS14.1\tb\t1699921900\tso\n"
GOLD = "topic\tnugget_id\ttime\ttext\n%s\tn\t1699921800\tit rains\n"


@pytest.mark.parametrize(
    "more", [(), ("--in-blocks", "1"), ("--in-blocks", "9"), ("--rule", "topic-names=bare")]
)
def test_topics_of_two_years_are_not_one(more: tuple[str, ...]) -> None:
    Path("run.tsv").write_text(YEARS)
    Path("gold.tsv").write_text(GOLD % "1")
    outcome = program("score", "run.tsv", "gold.tsv", *more)
    assert (outcome.code, outcome.codes) == (1, [("ambiguous-id", 3)])


def test_nor_are_they_in_two_tables() -> None:
    header, old, new = YEARS.splitlines()
    Path("old.tsv").write_text(f"{header}\n{old}\n")
    Path("new.tsv").write_text(f"{header}\n{new}\n")
    Path("gold.tsv").write_text(GOLD % "1")
    Path("pool.tsv").write_text("topic\tupdate_id\nTS14.1\ta\n")
    both = program("score", "old.tsv", "new.tsv", "gold.tsv")
    assert [(each.file, each.line) for each in both.faults] == [("new.tsv", 2)]
    pooled = program("score", "old.tsv", "gold.tsv", "--pool", "pool.tsv")
    assert [(each.file, each.line) for each in pooled.faults] == [("pool.tsv", 2)]


@pytest.mark.parametrize("more", [(), ("--in-blocks", "9"), ("--rule", "topic-names=bare")])
def test_the_gold_of_one_year_judges_no_other(more: tuple[str, ...]) -> None:
    """One of the two updates is the nugget's topic's, so that P is 1 and not 1/2."""
    Path("run.tsv").write_text(YEARS)
    Path("gold.tsv").write_text(GOLD % "TS13.1")
    outcome = program("score", "run.tsv", "gold.tsv", "-m", "P", "-f", "csv", *more)
    assert outcome.out == "run,topic,measure,value\nrun,all,P,1.0\n"
    assert "warning: run run: 1 topic not in the gold, ignored: TS14.1\n" in outcome.err


def test_a_stream_of_two_years() -> None:
    header, *rows = [line.split("\t") for line in YEARS.splitlines()]
    lines = [json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows]
    Path("gold.tsv").write_text(GOLD % "1")
    given = ("score", "--follow", "gold.tsv", "--state", "state")
    together = program(*given[:3], stdin="".join(lines).encode())
    assert (together.code, together.codes) == (1, [("ambiguous-id", 2)])
    assert program(*given, stdin=lines[0].encode()).code == 0
    second = program(*given, "--continued", stdin=lines[1].encode())
    assert (second.code, second.codes) == (1, [("ambiguous-id", 2)])
