"""Forms of clusters, the push tracks' files, and the push measures on cases worked out by hand."""

from __future__ import annotations

import gzip
import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given

import tseval
from tests import strategies as st
from tests.program import FIXTURES, SWIFT, Outcome, faulty
from tests.program import tseval as program
from tseval.io.epochs import days_of

pytestmark = pytest.mark.small_times

ID = [str(891161183016820736 + (hour << 22) * 3_600_000) for hour in range(60)]
"""Posts an hour apart, from 29 July 2017, 04:56:25 on."""
FIRST = 1_501_304_185.0
MB2015 = {"topics": {"MB1": {"clusters": [[ID[0], ID[1]], [ID[2]]]}}}
RTS2016 = {"metadata": {}, "topics": {"MB1": {"clusters": {"1": [ID[0], ID[1]], "2": [ID[2]]}}}}
RTS2017 = {"MB1": {"clusters": {"1": {"tweets": [ID[0], ID[1]]}, "2": {"tweets": [ID[2]]}}}}
FACTS = [
    {"collapsed_fact_id": "E1-r1-collapsed-1", "fact_text": "a", "relevant_facts": [ID[0], ID[1]]},
    {"collapsed_fact_id": "E1-r1-collapsed-2", "fact_text": "b", "relevant_facts": [ID[2]]},
]


def written(folder: Path, content: Any, name: str = "clusters.json") -> Path:
    path = folder / name
    text = content if isinstance(content, str) else json.dumps(content, indent=1)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def imported(path: Path, *options: object) -> list[list[str]]:
    done = program("import", "clusters", path, "--times", "snowflake", *options)
    assert (done.code, done.err) == (0, ""), done.err
    return [line.split("\t") for line in done.out.splitlines()]


@pytest.mark.parametrize(
    ("content", "topic", "names"),
    [
        (MB2015, "MB1", ("1", "2")),
        (RTS2016, "MB1", ("1", "2")),
        (RTS2017, "MB1", ("1", "2")),
        (FACTS, "E1-r1", ("E1-r1-collapsed-1", "E1-r1-collapsed-2")),
        ("\n".join(map(json.dumps, FACTS)), "E1-r1", ("E1-r1-collapsed-1", "E1-r1-collapsed-2")),
        (f"c1 {ID[0]}\nc1\t{ID[1]}\n\nc2 {ID[2]}\n", "clusters", ("c1", "c2")),
        (f"cluster_id,post_id\nc1,{ID[0]}\nc1,{ID[1]}\nc2,{ID[2]}\n", "clusters", ("c1", "c2")),
    ],
    ids=["mb2015", "rts2016", "rts2017", "facts", "facts-by-line", "two-columns", "csv"],
)
@pytest.mark.parametrize("name", ["clusters.json", "clusters.json.gz"])
def test_every_form_is_recognised(
    tmp_path: Path, content: Any, topic: str, names: tuple[str, str], name: str
) -> None:
    header, *rows = imported(written(tmp_path, content, name))
    assert header[:4] == ["topic", "cluster_id", "post_id", "time"]
    a, b = names
    assert [row[:3] for row in rows] == [[topic, a, ID[0]], [topic, a, ID[1]], [topic, b, ID[2]]]
    times = [float(row[3]) for row in rows]
    assert [round(time - times[0]) for time in times] == [0, 3600, 7200]
    if topic == "E1-r1":
        assert [row[4] for row in rows] == ["a", "a", "b"]


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("date,text", "no topic: nearest to timelines (topic date text)"),
        ("date text", "no topic: nearest to timelines (topic date text)"),
        ("day, number", "no doc_id: nearest to documents (doc_id day)"),
        ("place, number", "no known table; looked for updates: "),
    ],
)
def test_any_two_columns_are_no_clusters(header: str, said: str, tmp_path: Path) -> None:
    done = program("validate", written(tmp_path, f"{header}\n2024-01-01,flood\n", "posts.csv"))
    assert done.code == 1
    assert f"posts.csv:1: {said}" in done.out


@pytest.mark.parametrize("first", ["c1,4194305", "c1 4194305", "c1,f-1", "c1 f-1", "cluster,post"])
def test_two_columns_are_clusters_if_the_second_tells_posts(first: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"{first}\nc2 4194306\n", "pairs")
    assert f"{path}: clusters without times, " in program("validate", path).out


def test_a_topic_for_two_columns(tmp_path: Path) -> None:
    path = written(tmp_path, f"c1 {ID[0]}\n")
    assert imported(path, "--topic", "mine")[1][:3] == ["mine", "c1", ID[0]]


def test_the_imported_table_is_read_again(tmp_path: Path) -> None:
    plain = tmp_path / "plain.tsv"
    path = written(tmp_path, RTS2017)
    assert program("import", "clusters", path, "--times", "snowflake", "-o", plain).code == 0
    assert program("validate", plain).out == f"{plain}: clusters, 3 rows, no fault\n"


def test_times_from_epochs_and_from_a_run(tmp_path: Path) -> None:
    path = written(tmp_path, RTS2017)
    epochs = written(tmp_path, "".join(f"{i} 20170729 {n}\n" for n, i in enumerate(ID[:3])), "e")
    done = program("import", "clusters", path, "--epochs", epochs)
    assert [line.split("\t")[3] for line in done.out.splitlines()[1:]] == ["0", "1", "2"]
    rows = "".join(f"{run}\tMB1\t{i}\t{n}\n" for run, n in (("a", 9), ("b", 7)) for i in ID[:3])
    run = written(tmp_path, f"run\ttopic\tpost_id\ttime\n{rows}", "run.tsv")
    done = program("import", "clusters", path, "--run", run)
    assert [line.split("\t")[3] for line in done.out.splitlines()[1:]] == ["7", "7", "7"]


def faults(folder: Path, content: Any, *options: object) -> list[str]:
    path = written(folder, content)
    done = program("import", "clusters", path, *(options or ("--times", "snowflake")))
    assert (done.code, done.out) == (1, "")
    lines = done.err.removeprefix("error: ").splitlines()
    return [line.removeprefix(f"{path}: ").removeprefix(f"{path}:") for line in lines]


TWICE = '{"T": {"clusters": {"1": {"tweets": ["4194305"]}, "1": {"tweets": ["4194306"]}}}}'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (TWICE, '1: the key "1" stands twice in one object'),
        (
            '{"T": {"clusters": {}},\n"T": {"clusters": {}}}',
            '2: the key "T" stands twice in one object',
        ),
        (
            {"T": {"clusters": {"1": {"tweets": [ID[0], 5]}}}},
            "T.clusters.1.tweets[1]: a number where a post's id is expected",
        ),
        (
            {"T": {"clusters": {"1": [ID[0], ID[0]]}}},
            f'T.clusters.1[1]: post "{ID[0]}" stands twice in its cluster',
        ),
        ({"T": {"clusters": {"1": [""]}}}, "T.clusters.1[0]: an empty topic, cluster or post id"),
        ({"T": {"clusters": {"1": "x"}}}, "T.clusters.1: a text where a list of posts is expected"),
        ({"T": {"clusters": 1}}, 'T: no "clusters"'),
        (
            {"T": {"clusters": {"": [ID[0]]}}},
            "T.clusters.[0]: an empty topic, cluster or post id",
        ),
        ({"topics": {}}, "no topics"),
        (
            {"topics": {"T": {"clusters": [[ID[0]], ["7"]]}}},
            'topics.T.clusters[1][0]: post "7" of cluster "2" has no time',
        ),
        ([{"fact": 1}], '2: no "collapsed_fact_id"'),
        ('{"T": {"clusters": [[,1]]}}', "1: not JSON: Expecting value: line 1 column 22 (char 21)"),
        (f"c1 {ID[0]}\nc2\n", "2: 1 field where there are two: cluster post"),
        (f"c1 {ID[0]}\nc1 {ID[0]}\n", f'2: post "{ID[0]}" stands twice in its cluster'),
        (f"c1 {ID[0]}\nc1 tweet\n", '2: post "tweet" of cluster "c1" has no time'),
    ],
)
def test_what_cannot_be_read_is_a_fault_with_its_place(
    tmp_path: Path, content: Any, said: str
) -> None:
    assert faults(tmp_path, content)[0] == said


def test_clusters_without_times_ask_for_them(tmp_path: Path) -> None:
    path = written(tmp_path, RTS2017)
    done = program("import", "clusters", path)
    assert (done.code, done.codes) == (1, [("missing-time", None)])
    assert "--times snowflake" in done.faults[0].cure


def test_what_is_odd_is_told_and_kept(tmp_path: Path) -> None:
    content = {"T": {"clusters": {"1": [ID[0]], "2": [ID[1], ID[0]], "3": []}}}
    path = written(tmp_path, content)
    qrels = written(tmp_path, f"U Q0 {ID[0]} 1\n", "qrels")
    done = program("import", "clusters", path, "--times", "snowflake", "--qrels", qrels)
    assert done.code == 0
    assert len(done.out.splitlines()) == 4
    assert done.err.splitlines() == [
        f'warning: {path}: T.clusters.2[1]: post "{ID[0]}" is in two clusters: "1" '
        '(T.clusters.1[0]) and "2"',
        f'warning: {path}: T.clusters.3: cluster "3" has no posts',
        f'warning: {path}: T.clusters.1[0]: topic "T" is not in the qrels',
    ]
    checked = program("validate", path)
    assert checked.code == 1
    assert len(checked.out.splitlines()) == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--times", "epochs"), "times=epochs needs --epochs FILE"),
        (("--times", "run"), "times=run needs --run FILE"),
        (("--year", "2017"), "year needs --run FILE"),
        (("--pool", "x"), "--pool has no meaning with clusters: it is for ts-run, ts-matches"),
    ],
)
def test_options_that_do_not_fit(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    done = program("import", "clusters", written(tmp_path, RTS2017), *options)
    assert (done.code, done.err) == (2, f"error: {said}\n")


def test_a_run_of_scenario_a_as_a_plain_table(tmp_path: Path) -> None:
    run = written(tmp_path, f"MB1 {ID[0]} 0729-23:17:35 tag\nMB1 {ID[1]} 1501370300 tag\n", "run")
    done = program("import", "rts-run", run, "--year", 2017)
    assert done.out == (
        f"run\ttopic\tpost_id\ttime\ntag\tMB1\t{ID[0]}\t1501370255\ntag\tMB1\t{ID[1]}\t1501370300\n"
    )
    assert 'time "0729-23:17:35" has no year' in program("import", "rts-run", run).err


# Two topics over two days, worked out by hand. Of MB1, cluster 1 has posts 0 (relevant) and 30
# (highly), cluster 2 post 1; post 3 is not relevant, and 4 is unknown. Posts 20 and on are of
# 30 July.
EPOCHS = "".join(
    f"{ID[n]} {20170729 if n < 20 else 20170730} {FIRST + 3600 * n:.0f}\n" for n in (0, 1, 3, 30)
)
QRELS = "".join(f"MB1 Q0 {ID[n]} {g}\n" for n, g in ((0, 1), (30, 2), (1, 2), (3, 0)))
QRELS += f"MB2 Q0 {ID[3]} -2\n"
GOLD = {"MB1": {"clusters": {"1": {"tweets": [ID[0], ID[30]]}, "2": {"tweets": [ID[1]]}}}}


def pushed(*posts: tuple[int, float]) -> str:
    lines = (f"MB1 {ID[n]} {FIRST + 3600 * n + late:.0f} me\n" for n, late in posts)
    return "".join(lines)


def scored(folder: Path, run: str, measures: str, **options: Any) -> dict[str, float | None]:
    return values(
        tseval.score_clusters(
            written(folder, run, "run"),
            written(folder, GOLD),
            measures,
            edition="rts2017",
            qrels=written(folder, QRELS, "qrels"),
            epochs=written(folder, EPOCHS, "epochs"),
            **options,
        )
    )


def values(scores: tseval.Scores) -> dict[str, float | None]:
    return {name: scores.value(name, "MB1") for name in scores.measures}


def test_gains_of_the_first_post_of_a_cluster(tmp_path: Path) -> None:
    run = pushed((0, 60), (3, 60), (4, 60), (30, 120))
    found = scored(tmp_path, run, "EG-p EG-1 EG-0 nCG-1 GMP.5 latency-mean length")
    # 29 July: posts 0 and 3 (4 is unknown) earn .5 of an ideal of .5 + 1, of which one is pain.
    # 30 July: cluster 1 was retrieved, so the day is silent, with one post; so are six other days.
    day = 0.5 / 2
    assert found["EG-0"] == pytest.approx(day / 8)
    assert found["EG-1"] == pytest.approx((day + 6) / 8)
    assert found["EG-p"] == pytest.approx((day + 6 + 0.9) / 8)
    assert found["nCG-1"] == pytest.approx((0.5 / 1.5 + 6) / 8)
    assert found["GMP.5"] == pytest.approx((0.5 * 0.5 - 0.5) / 8)
    assert found["latency-mean"] == 60
    assert found["length"] == 2


def test_rules_change_what_counts(tmp_path: Path) -> None:
    run = pushed((3, 60), (30, 120))
    late = 30 * 3600 + 120
    assert scored(tmp_path, run, "latency-mean")["latency-mean"] == late
    painful = scored(tmp_path, pushed((0, 0), (30, 0)), "GMP.5", rules={"silent-pain": "counted"})
    assert painful["GMP.5"] == pytest.approx((0.25 - 0.5) / 8)
    early = pushed((0, -60))
    assert scored(tmp_path, early, "length")["length"] == 0
    kept = scored(tmp_path, early, "length latency-mean", rules={"early-posts": "keep"})
    assert kept == {"length": 1, "latency-mean": 0}
    signed = {"early-posts": "keep", "delays": "signed"}
    assert scored(tmp_path, early, "latency-mean", rules=signed)["latency-mean"] == -60
    undefined = scored(tmp_path, pushed((3, 0)), "latency-mean", rules={"no-posts": "undefined"})
    assert undefined["latency-mean"] is None
    # Post 0 has the cluster's only post of its day; 50 minutes late it earns half of its gain.
    discounted = scored(tmp_path, pushed((0, 3000)), "ELG", rules={"gain": "discounted"})
    assert discounted["ELG"] == pytest.approx((0.25 + 7) / 8)


def test_a_post_pushed_twice(tmp_path: Path) -> None:
    """Each push takes a place; the second of a cluster is pain; the last line tells the delay."""
    run = pushed((0, 60), (3, 0), (0, 600), (3, 0))
    found = scored(tmp_path, run, "EG-0 GMP.5 latency-mean length")
    assert found["EG-0"] == pytest.approx(0.5 / 4 / 8)
    assert found["GMP.5"] == pytest.approx((0.25 - 0.5 * 3) / 8)
    assert (found["latency-mean"], found["length"]) == (600, 4)
    # The last line of the file, not the latest push; and not one that is dropped.
    later = pushed((0, 600), (0, 60), (0, -5))
    assert scored(tmp_path, later, "latency-mean")["latency-mean"] == 60
    # Of ten places the same post may take all: then the next one gains nothing.
    full = pushed(*[(3, 0)] * 10, (1, 0))
    assert scored(tmp_path, full, "EG-0")["EG-0"] == 0


def test_a_post_pushed_twice_is_told_or_refused(tmp_path: Path) -> None:
    run = pushed((0, 60), (3, 0), (0, 600))
    given: dict[str, Any] = {
        "clusters": written(tmp_path, GOLD),
        "qrels": written(tmp_path, QRELS, "qrels"),
        "epochs": written(tmp_path, EPOCHS, "epochs"),
    }
    path = written(tmp_path, run, "run")
    scores = tseval.score_clusters(path, edition="rts2017", **given)
    said = "1 line pushes a post that the run had pushed before within the topic"
    assert f"run me: {said}; each push counts (rule repeated-posts=keep)" in scores.warnings
    twice = f'3: post_id "{ID[0]}" stands twice within its run and topic'
    refused: list[dict[str, Any]] = [
        {"edition": "rts2017", "rules": {"repeated-posts": "refuse"}},
        {"edition": "proposal"},
    ]
    for options in refused:
        with pytest.raises(tseval.InputError, match="stands twice") as raised:
            tseval.score_clusters(path, **given, **options)
        assert f"{path}:{twice}" in str(raised.value)
    with faulty("duplicate-id", 3):
        tseval.score_clusters(path, measures="coverage", edition="rts2017", **given)
    done = program("validate", path)
    assert done.code == 0
    assert f"{path}: warning: {said}; the first is line 3, after line 1." in done.out
    done = program("import", "rts-run", path)
    assert (done.code, len(done.out.splitlines())) == (0, 4)
    assert said in done.err


def test_the_same_post_in_two_files_of_a_run_is_a_slip(tmp_path: Path) -> None:
    one, other = (written(tmp_path, pushed((0, 60)), name) for name in ("one", "other"))
    given = {
        "qrels": written(tmp_path, QRELS, "qrels"),
        "epochs": written(tmp_path, EPOCHS, "epochs"),
    }
    with faulty("duplicate-id", 1):
        tseval.score_clusters([one, other], written(tmp_path, GOLD), edition="rts2017", **given)


def test_daily_lists(tmp_path: Path) -> None:
    lines = [(3, 1), (1, 2), (0, 3)]
    run = "".join(f"20170729 MB1 Q0 {ID[n]} {rank} 1.0 me\n" for n, rank in lines)
    run += f"20170731 MB1 Q0 {ID[0]} 1 1.0 me\n"
    found = scored(tmp_path, run, "nDCG-p nDCG-1 nDCG-0")
    half, whole = 2**0.5 - 1, 1.0
    day = (whole / math.log2(3) + half / math.log2(4)) / (whole + half / math.log2(3))
    assert found["nDCG-0"] == pytest.approx(day / 8)
    assert found["nDCG-1"] == pytest.approx((day + 6) / 8)
    assert found["nDCG-p"] == pytest.approx((day + 6.9) / 8)


def test_ranks_order_a_list_whatever_the_order_of_its_lines(tmp_path: Path) -> None:
    lines = [f"20170729 MB1 Q0 {ID[n]} {rank} 1.0 me\n" for n, rank in ((3, 1), (1, 2), (0, 3))]
    one = scored(tmp_path, "".join(lines), "nDCG-p")
    assert one == scored(tmp_path, "".join(reversed(lines)), "nDCG-p")


def test_the_order_of_lines_may_count(tmp_path: Path) -> None:
    """The half comes before the whole: 0.5 / 1 by lines, though its rank is behind."""
    lines = [f"20170729 MB1 Q0 {ID[n]} {rank} 1.0 me\n" for n, rank in ((1, 2), (0, 3), (3, 1))]
    turned = "".join(lines)
    ranked = [f"20170729 MB1 Q0 {ID[n]} {rank} 1.0 me\n" for n, rank in ((1, 1), (0, 2), (3, 3))]
    by_line = scored(tmp_path, turned, "nDCG-p", rules={"list-order": "lines"})
    assert by_line == scored(tmp_path, "".join(ranked), "nDCG-p")
    assert by_line != scored(tmp_path, turned, "nDCG-p")


def live(folder: Path, edition: str, labels: str, run: str, **options: Any) -> tseval.Scores:
    return tseval.score_clusters(
        written(folder, run, "run"),
        written(folder, GOLD),
        edition=edition,
        live=written(folder, labels, "live"),
        epochs=written(folder, EPOCHS, "epochs"),
        **options,
    )


def test_unknown_labels_are_told(tmp_path: Path) -> None:
    scores = live(tmp_path, "rts2017", f"MB1 {ID[0]} 7\nMB1 {ID[1]} 5\n", pushed((0, 60)))
    assert "live: 1 unknown label: 7 (1); known are 5, 2, 1, 0, -1" in scores.warnings


def test_live_judgments_of_2017(tmp_path: Path) -> None:
    labels = f"MB1 {ID[0]} 1\nMB1 {ID[0]} 2\nMB1 {ID[1]} 0\nMB1 {ID[3]} 5\n"
    run = pushed((0, 60), (1, -60), (3, 30), (4, 0))
    scores = live(tmp_path, "rts2017", labels, run)
    assert {name.removeprefix("live-"): value for name, value in values(scores).items()} == {
        "relevant": 1,
        "redundant": 1,
        "not-relevant": 0,
        "unjudged": 2,  # one before its creation, one not judged
        "length": 4,
        "coverage": 0.5,
        "latency-mean": 45,
        "latency-median": 45,
        "P-strict": 0.5,
        "P-lenient": 1,
        "U-strict": 0,
        "U-lenient": 2,
    }


def test_a_post_pushed_twice_to_live_assessors(tmp_path: Path) -> None:
    labels, run = f"MB1 {ID[0]} 1\nMB1 {ID[3]} 0\n", pushed((0, 60), (3, 30), (0, 90))
    each = values(live(tmp_path, "rts2017", labels, run))
    assert (each["live-length"], each["live-relevant"], each["live-latency-mean"]) == (3, 2, 60)
    once = values(live(tmp_path, "rts2017", labels, run, rules={"live-repeats": "once"}))
    assert (once["live-length"], once["live-relevant"], once["live-latency-mean"]) == (2, 1, 45)


def test_qrels_are_no_live_judgments(tmp_path: Path) -> None:
    with pytest.raises(tseval.InputError) as raised:
        live(tmp_path, "rts2017", "\n" + QRELS, pushed((0, 60)))
    assert str(raised.value) == (
        f'{tmp_path / "live"}:2: these are qrels: "Q0" stands where a post should\n'
        f"  | MB1 Q0 {ID[0]} 1\n"
        "  give qrels as --qrels; live judgments are topic post_id label, "
        "or topic post_id time label"
    )


def test_a_run_without_any_live_judgment_is_warned_about(tmp_path: Path) -> None:
    other = pushed((1, 60), (3, 60)).replace(" me", " other")
    run = pushed((0, -60)) + other
    scores = live(tmp_path, "rts2017", f"MB1 {ID[0]} 1\n", run)
    assert scores.warnings == (
        "run other: none of its 2 posts of judged topics has a live judgment",
    )


def test_live_judgments_of_2016_count_each_label_once(tmp_path: Path) -> None:
    start = 1_470_096_000
    labels = "".join(
        f"MB1 p{n} {start} {label}\n" for n, label in ((1, 2), (1, 2), (1, -1), (2, 1))
    )
    run = f"MB1 p1 {start + 5} me\nMB1 p2 {start + 6} me\nMB1 p3 {start - 1} me\n"
    scores = live(tmp_path, "rts2016", labels, run)
    found = {name.removeprefix("live-"): value for name, value in values(scores).items()}
    assert (found["relevant"], found["redundant"], found["not-relevant"]) == (1, 1, 1)
    assert (found["unjudged"], found["length"]) == (0, 2)  # p3 came before the period
    many = "".join(f"MB1 q{n} {start + n} me\n" for n in range(12)) + run
    assert live(tmp_path, "rts2016", labels, many).value("live-unjudged") == 14
    # p1 and p2 come after the first ten of the day
    unlimited = live(tmp_path, "rts2016", labels, many, rules={"live-limit": "none"})
    assert unlimited.value("live-unjudged") == 12


def test_in_2016_each_line_of_a_post_has_the_push_time_of_the_last(tmp_path: Path) -> None:
    day = 1_470_096_000
    created = day + 139 + 50  # the broker's clock was 139 s behind
    given = {
        "clusters": written(tmp_path, GOLD),
        "edition": "rts2016",
        "live": written(tmp_path, f"MB1 p1 {day} 2\n", "live"),
        "live_epochs": written(tmp_path, f"p1 20160802 {created}\n", "live-epochs"),
    }
    run = f"MB1 p1 {day + 100} me\nMB1 p1 {day + 160} me\n"
    scores = tseval.score_clusters(written(tmp_path, run, "run"), **given)
    assert scores.value("live-latency-mean") == 110
    assert (scores.value("live-length"), scores.value("live-relevant")) == (2, 2)
    own = tseval.score_clusters(written(tmp_path, run, "run"), rules={"live-times": "own"}, **given)
    assert own.value("live-latency-mean") == 80
    late = f"MB1 p1 {day + 100} me\nMB1 p1 {day + 864_000} me\n"
    outside = tseval.score_clusters(written(tmp_path, late, "run"), **given)
    assert outside.value("live-length") == 0  # the last push came after the ten days


@pytest.mark.parametrize(
    ("measures", "options", "said"),
    [
        ("nDCG-p", {}, "nDCG-p is not for runs A, but for daily lists"),
        ("ELG", {}, "ELG needs the discounted gains of 2015: --rule gain=discounted"),
        ("EG-p@6h", {}, "EG-p@6h: this measure has no @TIME"),
        ("live-coverage", {}, "the live measures need live judgments: --live FILE"),
        ("EG-p", {"rules": {"nothing": "x"}}, "unknown rule 'nothing'"),
        (
            "EG-p",
            {"rules": {"silent": "x"}},
            "rule silent cannot be 'x': choose one of unseen, any",
        ),
    ],
)
def test_what_has_no_meaning_is_refused(
    tmp_path: Path, measures: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(tseval.UsageError, match=said.replace("(", r"\(")):
        scored(tmp_path, pushed((0, 0)), measures, **options)


CLUSTERS = FIXTURES / "clusters.tsv"


def refused(*arguments: object) -> Outcome:
    done = program("clusters", SWIFT, CLUSTERS, *arguments)
    assert done.out == ""
    return done


def test_needs_are_told() -> None:
    said = "the measures of days need the rules of an edition: --edition mb2015, rts2016, rts2017"
    assert refused("-m", "EG-p").err == f"error: {said}\n"
    said = "edition rts2017 needs the qrels: --qrels FILE"
    assert refused("--edition", "rts2017").err == f"error: {said}\n"
    assert refused("--edition", "draft").code == 2
    assert refused("--rule", "silent=any").code == 2
    assert refused("--explain", "-q").code == 2
    assert program("clusters", SWIFT).code == 2


def test_a_selected_post_in_no_cluster_is_a_fault(tmp_path: Path) -> None:
    run = written(tmp_path, "topic\tpost_id\ttime\tselected\nflood\tx\t5\t1\n", "run.tsv")
    done = program("clusters", run, CLUSTERS)
    assert (done.code, done.codes) == (1, [("unknown-id", 2)])


def test_selected_posts_from_a_file(tmp_path: Path) -> None:
    chosen = written(tmp_path, "topic\tpost_id\nflood\tsw-flood-1\nferry\tsw-ferry-5\n", "s.tsv")
    scores = tseval.score_clusters(SWIFT, CLUSTERS, "latency redundancy", selected=chosen)
    assert scores.value("latency", "flood") == 15
    assert scores.value("latency", "ferry") == 180
    assert scores.value("redundancy", "ferry") == 1 / 5
    unknown = written(tmp_path, "topic\tpost_id\nflood\tnone\n", "u.tsv")
    done = refused("--selected", unknown)
    assert done.codes == [("unknown-id", 2)]
    assert refused("--selected", chosen, "--sample", 2).code == 2


def test_a_run_without_posts_is_an_empty_system(tmp_path: Path) -> None:
    empty = written(tmp_path, "", "empty.tsv")
    done = program("clusters", SWIFT, empty, CLUSTERS, "-m", "coverage", "-f", "trec", "--quiet")
    assert done.out == "empty\tcoverage\tall\t0.0\nswift\tcoverage\tall\t0.5555555555555555\n"


def test_missing_topics() -> None:
    assert refused("--on-missing", "error").code == 1
    skipped = program(
        "clusters", SWIFT, CLUSTERS, "-m", "coverage", "-f", "trec", "--on-missing", "skip"
    )
    assert skipped.out == "coverage\tall\t0.8333333333333333\n"
    assert "left out of the mean: mine" in skipped.err


def test_an_edition_tells_its_rules() -> None:
    text = program("measures", "--edition", "rts2016").out
    assert "live-votes=labels" in text
    assert "early-posts=drop" in text


def test_curves_over_clusters() -> None:
    """Swift reports clusters of flood after 15 and 150 minutes (two at once), and after 5 hours."""
    done = program("curve", SWIFT, CLUSTERS, "-m", "coverage", "--topic", "flood", "--quiet")
    rows = [line.split(",") for line in done.out.splitlines()[1:]]
    assert [(row[3], float(row[5])) for row in rows] == [
        ("1699920900", 0),
        ("1699921800", 0.25),
        ("1699929000", 0.75),
        ("1699938000", 1),
    ]
    assert rows[0][1] == "flood"
    told = program("curve", SWIFT, CLUSTERS, "--edition", "proposal", "--topic", "flood", "--quiet")
    assert {line.split(",")[2] for line in told.out.splitlines()[1:]} == {
        "latency",
        "redundancy",
        "redundancy(unique)",
        "coverage",
    }


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--matches", "x"), "--matches has no meaning with measures over clusters"),
        (("-m", "EG-p"), "EG-p is taken from the whole at once, and has no curve over time"),
        (
            ("--edition", "rts2017"),
            "all measures of edition rts2017 are taken from the whole at once, and have no curves "
            "over time",
        ),
    ],
)
def test_what_has_no_curve(options: tuple[str, ...], said: str) -> None:
    assert program("curve", SWIFT, CLUSTERS, *options).err == f"error: {said}\n"


def test_warnings_of_what_is_lost(tmp_path: Path) -> None:
    gold = GOLD | {"MB9": {"clusters": {"1": {"tweets": [ID[3]]}}}}
    scores = tseval.score_clusters(
        written(tmp_path, pushed((0, -60), (4, 0)) + f"MB7 {ID[0]} {FIRST:.0f} me\n", "run"),
        written(tmp_path, gold),
        edition="rts2017",
        qrels=written(tmp_path, QRELS, "qrels"),
        epochs=written(tmp_path, EPOCHS, "epochs"),
    )
    assert scores.warnings == (
        "run me: 1 topic not judged, ignored: MB7",
        "run me: 1 post not among the epochs, dropped",
        "run me: 1 post pushed before creation, dropped",
        "1 topic of clusters not in the qrels, ignored: MB9",
        "run me: no posts for 1 judged topic, counted as an empty system: MB2",
    )


def test_a_run_without_any_post_in_a_cluster_is_warned_about(tmp_path: Path) -> None:
    gold = "topic\tcluster_id\tpost_id\ttime\nt\tc\tp\t5\n"
    rows = "one\tt\tx\t5\none\tt\ty\t6\none\tu\tp\t6\nother\tt\tx\t5\nother\tt\tp\t6\n"
    run = written(tmp_path, f"run\ttopic\tpost_id\ttime\n{rows}", "run.tsv")
    scores = tseval.score_clusters(run, written(tmp_path, gold, "clusters.tsv"), "redundancy")
    assert "run one: none of its 2 posts of judged topics is in any cluster" in scores.warnings
    assert not any("run other: none" in warning for warning in scores.warnings)


def test_posts_outside_of_the_days_of_the_edition(tmp_path: Path) -> None:
    lines = [f"{day} MB1 Q0 {ID[0]} 1 1.0 me\n" for day in (20170730, 20170728)]
    options = {
        "edition": "rts2017",
        "qrels": written(tmp_path, QRELS, "qrels"),
        "epochs": written(tmp_path, EPOCHS, "epochs"),
    }
    clusters = written(tmp_path, GOLD)
    scores = tseval.score_clusters(written(tmp_path, "".join(lines), "lists"), clusters, **options)
    days = "the days of edition rts2017 (20170729 to 20170805)"
    assert f"run me: 1 post outside of {days}, dropped" in scores.warnings
    alone = written(tmp_path, "".join(lines[1:]), "alone")
    with pytest.raises(tseval.InputError) as raised:
        tseval.score_clusters(alone, clusters, **options)
    assert str(raised.value).startswith(
        f'{alone}:1: every post of judged topics of run "me" is outside of {days}: '
        "its days are 20170728 to 20170728\n"
    )


def test_a_run_of_another_year_is_refused(tmp_path: Path) -> None:
    qrels = written(tmp_path, QRELS, "qrels")
    epochs = written(tmp_path, EPOCHS, "epochs")
    run = written(tmp_path, pushed((0, 60), (4, 60), (30, 60)), "run")
    done = program(
        *("clusters", run, written(tmp_path, GOLD), "--qrels", qrels, "--epochs", epochs),
        *("--edition", "mb2015"),
    )
    assert (done.code, done.out) == (1, "")
    assert done.codes == [("time-range", 1)]


def test_a_sample_by_confidences_that_are_all_equal(tmp_path: Path) -> None:
    rows = "".join(f"flood\tsw-flood-{n}\t{n}\t1\n" for n in (1, 3))
    run = written(tmp_path, f"topic\tpost_id\ttime\tconfidence\n{rows}", "run.tsv")
    scores = tseval.score_clusters(run, CLUSTERS, "latency", sample=1)
    assert "run run: all confidences are equal; the sample takes the earliest posts" in (
        scores.warnings
    )
    assert scores.value("latency", "flood") == 15


def test_frames_stand_for_qrels_epochs_and_live_judgments(tmp_path: Path) -> None:
    posts = [f"p{number}" for number in range(4)]
    grades = [("RTS1", post, grade) for post, grade in zip(posts, (1, 2, 0, 1), strict=True)]
    created = [(post, 20170730, 1_501_400_000 + 60 * at) for at, post in enumerate(posts)]
    labels = [("RTS1", post, label) for post, label in zip(posts, (1, 2, 0, 5), strict=True)]
    run = pd.DataFrame({"topic": "RTS1", "post_id": posts, "time": 1_501_410_000})
    clusters = pd.DataFrame(
        {"topic": "RTS1", "cluster_id": ["a", "a", "b"], "post_id": ["p0", "p1", "p3"], "time": 1.0}
    )
    files = {
        "qrels": written(tmp_path, "".join(f"{t} Q0 {p} {g}\n" for t, p, g in grades), "qrels"),
        "epochs": written(tmp_path, "".join(f"{p} {d} {t}\n" for p, d, t in created), "epochs"),
    }
    frames = {
        "qrels": pd.DataFrame(grades, columns=["topic", "post_id", "grade"]),
        "epochs": pd.DataFrame(created, columns=["post_id", "day", "time"]),
    }
    by_file = tseval.score_clusters(run, clusters, edition="rts2017", **files)
    by_frame = tseval.score_clusters(run, clusters, edition="rts2017", **frames)
    assert list(by_frame.records()) == list(by_file.records())
    assert by_frame.value("EG-1") is not None
    comma = tmp_path / "qrels.csv"
    frames["qrels"].to_csv(comma, index=False)
    by_comma = tseval.score_clusters(run, clusters, edition="rts2017", **files | {"qrels": comma})
    assert list(by_comma.records()) == list(by_file.records())
    live = written(tmp_path, "".join(f"{t} {p} {label}\n" for t, p, label in labels), "live")
    judged = pd.DataFrame(labels, columns=["topic", "post_id", "label"])
    one, other = (
        tseval.score_clusters(run, clusters, edition="rts2017", live=each, **files)
        for each in (live, judged)
    )
    assert list(one.records()) == list(other.records())


def test_a_parquet_table_is_no_list_of_two_columns(tmp_path: Path) -> None:
    """Whatever its bytes look like: this one's first line has five fields, other ones' have two."""
    rows = range(5)
    table = pd.DataFrame(
        {"topic": "a b", "cluster_id": "c1", "post_id": [f"p{i}" for i in rows], "time": rows}
    )
    table.to_parquet(tmp_path / "c.parquet", index=False)
    table.to_csv(tmp_path / "c.tsv", sep="\t", index=False)
    table.drop(columns="cluster_id").to_csv(tmp_path / "r.tsv", sep="\t", index=False)
    given = ("-m", "coverage", "-f", "csv", "--quiet")
    one, other = (
        program("clusters", tmp_path / "r.tsv", tmp_path / c, *given)
        for c in ("c.tsv", "c.parquet")
    )
    assert one.code == 0
    assert one == other


@given(st.integers(-60_000_000_000, 250_000_000_000))
def test_days_are_those_of_the_calendar(time: int) -> None:
    day = datetime.fromtimestamp(time // 86_400 * 86_400, UTC)
    assert days_of(pl.Series([time], dtype=pl.Float64)).to_list() == [
        day.year * 10_000 + day.month * 100 + day.day
    ]


def test_times_in_milliseconds_are_refused(tmp_path: Path) -> None:
    gold = "topic\tcluster_id\tpost_id\ttime\nt\tc\tp\t1501304185000\n"
    run = "topic\tpost_id\ttime\nt\tp\t1501304185\n"
    paths = written(tmp_path, run, "run.tsv"), written(tmp_path, gold, "clusters.tsv")
    for command in (("clusters", *paths), ("import", "clusters", paths[1])):
        done = program(*command)
        assert (done.code, done.codes) == (1, [("time-unit", 2)])


def test_epochs_in_milliseconds_are_refused(tmp_path: Path) -> None:
    late = written(tmp_path, f"{ID[0]} 20170729 1501304185000\n", "late")
    good = written(tmp_path, f"{ID[0]} 20170729 1501304185\n", "good")
    for epochs, other in ((late, good), (good, late)):
        with pytest.raises(tseval.InputError) as error:
            tseval.score_clusters(
                written(tmp_path, pushed((0, 60)), "run"),
                written(tmp_path, f"topic\tcluster_id\tpost_id\ttime\nMB1\tc\t{ID[0]}\t9\n", "c"),
                edition="rts2017",
                qrels=written(tmp_path, QRELS, "qrels"),
                epochs=epochs,
                live=written(tmp_path, f"MB1 {ID[0]} 1\n", "live"),
                live_epochs=other,
            )
        assert [(fault.code, fault.line) for fault in error.value.faults] == [("time-unit", 1)]


@pytest.mark.parametrize("listed", [False, True])
def test_a_topic_is_for_clusters_in_two_columns_alone(listed: bool, tmp_path: Path) -> None:
    """It would do nothing where the clusters name their topics themselves."""
    gold = written(tmp_path, GOLD) if listed else str(CLUSTERS)
    done = program("clusters", SWIFT, gold, "--topic", "flood")
    assert done.code == 2
    assert "name their topics themselves: --topic is for clusters in two columns" in done.err
