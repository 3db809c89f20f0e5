"""Runs in the format of the Incident Streams proposal: posts with their information types."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tseval
from tests.program import tseval as program

pytestmark = pytest.mark.small_times


def post(event: str, name: str, time: Any, *confidences: float | None) -> dict[str, Any]:
    """An object as the proposal has it; a type may have no confidence."""
    types = [
        {"id": f"type-{at}"} | ({} if sure is None else {"confidence": sure})
        for at, sure in enumerate(confidences)
    ]
    return {
        "EventID": event,
        "ProcessingType": "Automatic",
        "ID": name,
        "Content": f"what {name} says",
        "PostTimestamp": time,
        "InformationTypes": types,
    }


KEEN = [
    post("flood", "p1", 600, 0.2, 0.9),
    post("flood", "p2", "1970-01-01T00:20:00Z", 0.7, 0.4),
    post("flood", "p3", 1800),
    post("quake", "q1", 300, 0.8),
]
CLUSTERS = """topic\tcluster_id\tpost_id\ttime
flood\tp1\te0\t0
flood\tp1\tp1\t600
flood\tp1\tp2\t1200
quake\tq1\tq1\t300
"""
SAMPLE = [
    "run\ttopic\tpost_id\tcluster_id\ttime\tconfidence\ttext",
    "keen\tflood\tp1\tp1\t600\t0.9\twhat p1 says",
    "keen\tquake\tq1\tq1\t300\t0.8\twhat q1 says",
]


def lines(posts: list[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in posts)


def write(folder: Path, content: str, name: str = "keen.jsonl") -> str:
    (folder / name).write_text(content)
    return str(folder / name)


def test_a_case_by_hand(tmp_path: Path) -> None:
    """Assessors take two posts of the system, and tag for each all posts that say the same.

    The highest confidence of p1's types is 0.9, of p2's 0.7, of q1's 0.8: p1 and q1 are selected,
    of two events. p1 came ten minutes after e0, the first post of its cluster, which the system
    did not return, q1 is the first of its own: (10 + 0) / 2 minutes. Beside p1 the system returned
    p2, which says the same: 1 / 4 posts.
    """
    run = write(tmp_path, lines(KEEN))
    done = program("import", "sample", run, "--size", 2, "-o", tmp_path / "sample.tsv")
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "sample.tsv").read_text().splitlines() == SAMPLE
    clusters = write(tmp_path, CLUSTERS, "clusters.tsv")
    asked = ("-m", "latency redundancy", "-f", "csv")
    done = program("clusters", run, clusters, "--selected", tmp_path / "sample.tsv", *asked)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[1:] == ["keen,all,latency,5.0", "keen,all,redundancy,0.25"]
    # `--sample` takes as many of each topic, of the posts in a cluster: p1, p2 and q1.
    done = program("clusters", run, clusters, "--sample", 2, *asked)
    assert done.out.splitlines()[1:] == ["keen,all,latency,10.0", "keen,all,redundancy,0.5"]


def forms(folder: Path) -> dict[str, Any]:
    """The run in every form in which a table can come."""
    frame = pd.DataFrame(KEEN)
    frame["PostTimestamp"] = [600, 1200, 1800, 300]
    plain = frame.assign(InformationTypes=frame["InformationTypes"].map(json.dumps))
    plain.to_csv(folder / "comma.csv", index=False)
    write(folder, plain.to_csv(sep="\t", index=False, quoting=3), "tabs.tsv")
    frame.to_parquet(folder / "binary.parquet")
    (folder / "packed.jsonl.gz").write_bytes(gzip.compress(lines(KEEN).encode()))
    files = {
        "lines": write(folder, lines(KEEN), "lines.jsonl"),
        "array": write(folder, json.dumps(KEEN, indent=1), "array.json"),
        **{name: str(next(folder.glob(f"{name}.*"))) for name in ("comma", "tabs", "binary")},
        "packed": str(folder / "packed.jsonl.gz"),
    }
    return files | {"frame": frame, "rows": KEEN, "read back": pd.read_parquet(files["binary"])}


def test_every_form_gives_the_same(tmp_path: Path) -> None:
    clusters = write(tmp_path, CLUSTERS, "clusters.tsv")
    for name, given in forms(tmp_path).items():
        drawn = tseval.sample_posts([given], 2)
        told = drawn[["topic", "post_id", "time", "confidence", "text"]].astype(str)
        cells = [row.split("\t") for row in SAMPLE[1:]]
        assert told.to_numpy().tolist() == [[*row[1:3], *row[4:]] for row in cells], name
        scores = tseval.score_clusters([given], clusters, ["latency"], sample=2)
        assert scores.value("latency") == 10, name


@pytest.mark.parametrize("change", [str.lower, str.upper, str.swapcase])
def test_keys_may_be_in_any_case(tmp_path: Path, change: Any) -> None:
    others = [{change(key): value for key, value in each.items()} for each in KEEN]
    for content in (others, [KEEN[0], *others[1:]]):
        run = write(tmp_path, lines(content))
        assert program("import", "sample", run, "--size", 2).out.splitlines() == SAMPLE
    twice = [{**each, "id": "no"} for each in KEEN]
    assert (
        program("import", "sample", write(tmp_path, lines(twice)), "--size", 2).out.splitlines()
        == SAMPLE
    )


def test_what_a_post_may_lack(tmp_path: Path) -> None:
    """Without types its confidence is 0, of a type that is given without a number it is 1."""
    posts = [post("flood", "a", 0), post("flood", "b", 0, 0.2), post("flood", "c", 0, None, 0.3)]
    del posts[0]["InformationTypes"], posts[1]["Content"], posts[2]["ProcessingType"]
    for content in (posts, posts[::-1]):
        done = program("import", "sample", write(tmp_path, lines(content)), "--size", 3)
        assert [row.split("\t")[2:] for row in done.out.splitlines()[1:]] == [
            ["a", "a", "0", "0", "what a says"],
            ["b", "b", "0", "0.2", ""],
            ["c", "c", "0", "1", "what c says"],
        ]


def test_columns_may_have_other_names_and_times_other_forms(tmp_path: Path) -> None:
    posts = [{**each, "when": "01.02.2024 10:00"} for each in KEEN]
    for each in posts:
        del each["PostTimestamp"]
    run, names = write(tmp_path, lines(posts)), ("--time-format", "%d.%m.%Y %H:%M")
    clusters = write(tmp_path, CLUSTERS, "clusters.tsv")
    for column in ("time=when", "run:time=when"):
        asked = ("--column", column, *names, "--time-zone", "+01:00")
        done = program("import", "sample", run, "--size", 1, *asked)
        assert [row.split("\t")[4:6] for row in done.out.splitlines()[1:]] == [
            ["1706778000", "0.9"]
        ]
        assert program("clusters", run, clusters, "--sample", 1, *asked).code == 0
    named = write(tmp_path, 'time = "when"\ntime_format = "%d.%m.%Y %H:%M"\n', "names.toml")
    done = program("import", "sample", run, "--size", 1, "--columns", named)
    assert [row.split("\t")[4] for row in done.out.splitlines()[1:]] == ["1706781600"]
    plain = [
        {"what": "flood", "no": each["ID"], "time": 5, "sure": at} for at, each in enumerate(KEEN)
    ]
    own = ("--column", "topic=what", "--column", "post_id=no", "--column", "confidence=sure")
    done = program("import", "sample", write(tmp_path, lines(plain)), "--size", 1, *own)
    assert [row.split("\t")[1:3] for row in done.out.splitlines()[1:]] == [["flood", "q1"]]


def test_a_run_without_types_has_no_confidences(tmp_path: Path) -> None:
    posts = [{key: value for key, value in e.items() if key != "InformationTypes"} for e in KEEN]
    run = write(tmp_path, lines(posts))
    refused = program("import", "sample", run, "--size", 2)
    assert refused.code == 2
    assert "no run has a column `confidence`: draw with --sampling random" in refused.err
    done = program("import", "sample", run, "--size", 9, "--sampling", "random")
    assert [row.split("\t")[2] for row in done.out.splitlines()[1:]] == ["p1", "p2", "p3", "q1"]


@pytest.mark.parametrize(
    ("key", "value", "code", "reason"),
    [
        ("EventID", None, "missing-key", 'no "EventID"'),
        ("ID", "", "empty-value", "empty post_id"),
        ("PostTimestamp", None, "missing-key", 'no "PostTimestamp"'),
        ("PostTimestamp", "noon", "time-format", 'PostTimestamp "noon"'),
        ("InformationTypes", "Weather", "record-format", "is no list of information types"),
        ("InformationTypes", 0.5, "record-format", "is no list of information types"),
        ("InformationTypes", {"id": "a"}, "record-format", "is no list of information types"),
        ("InformationTypes", ["a"], "record-format", "is no list of information types"),
        ("InformationTypes", [{"confidence": 1}], "record-format", "no list of information types"),
        ("InformationTypes", [{"id": "a", "confidence": "much"}], "record-format", "is no list"),
        ("InformationTypes", [{"id": "a", "confidence": float("nan")}], "record-format", "no list"),
    ],
)
def test_a_faulty_line_is_told(
    tmp_path: Path, key: str, value: Any, code: str, reason: str
) -> None:
    faulty = {**KEEN[1], key: value}
    if value is None:
        del faulty[key]
    run = write(tmp_path, lines([KEEN[0], faulty, KEEN[2]]))
    clusters = write(tmp_path, CLUSTERS, "clusters.tsv")
    for asked in (("import", "sample", run, "--size", 2), ("clusters", run, clusters)):
        refused = program(*asked)
        assert refused.code == 1
        assert refused.codes == [(code, 2)]
        first, shown, cure = refused.err.splitlines()[:3]
        assert first.startswith(f"error: {run}:2: ")
        assert reason in first
        assert shown.startswith('  | {"')
        assert cure.strip()


def test_names_that_an_import_cannot_take(tmp_path: Path) -> None:
    run = write(tmp_path, lines(KEEN))
    for given, code, why in (
        (("sample", run, "--size", 1, "--column", "tme=PostTimestamp"), 2, "did you mean time"),
        (
            ("sample", run, "--size", 1, "--column", "time=PostTimestmp"),
            1,
            "PostTimestamp looks like it",
        ),
        (("sample", run, "--size", 1, "--column", "gold:time=ID"), 2, "no input 'gold' here"),
        (("rts-run", run, "--column", "time=PostTimestamp"), 2, "has no meaning with rts-run"),
        (("rts-run", run, "--time-zone", "UTC"), 2, "--time-zone has no meaning with rts-run"),
    ):
        refused = program("import", *given)
        assert refused.code == code
        assert why in refused.err


def test_clusters_take_times_of_such_runs_and_names_of_columns(tmp_path: Path) -> None:
    run = write(tmp_path, lines(KEEN))
    pairs = write(tmp_path, "c1 p1\nc1 p2\n", "flood")
    done = program("import", "clusters", pairs, "--run", run)
    assert [row.split("\t")[2:4] for row in done.out.splitlines()[1:]] == [
        ["p1", "600"],
        ["p2", "1200"],
    ]
    renamed = [{("when" if k == "PostTimestamp" else k): v for k, v in e.items()} for e in KEEN]
    run = write(tmp_path, lines(renamed))
    again = program("import", "clusters", pairs, "--run", run, "--column", "run:time=when")
    assert again.out == done.out
    table = CLUSTERS.replace("post_id", "tweet").replace("time", "made")
    names = ("--column", "post_id=tweet", "--column", "clusters:time=made")
    done = program("import", "clusters", write(tmp_path, table, "clusters.tsv"), *names)
    assert done.out == CLUSTERS
