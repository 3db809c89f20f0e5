"""The files of incident streams: every form that is read, every warning, every form of output."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import sys
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tseval
from tests import program
from tests.program import FIXTURES, Outcome

pytestmark = [pytest.mark.small_times, pytest.mark.usefixtures("here")]

INCIDENTS = FIXTURES / "incidents"
TYPES, LABELS, EPOCHS = (INCIDENTS / name for name in ("types.json", "labels.json", "epochs.txt"))
KEEN, SHY = INCIDENTS / "keen.txt", INCIDENTS / "shy.tsv"
ALPHABETICAL = (
    *("Other-Irrelevant", "Report-EmergingThreats"),
    *("Report-News", "Request-GoodsServices"),
)
MEASURES = "AAW AAW.high AAW.low type.F1 type.accuracy any.F1 priority.MSE nDCG@100"

Said = tuple[str, str, int, float, str]
RUN: list[Said] = [
    ("flood", "f1", 3, 0.9, "Request-GoodsServices"),
    ("flood", "f2", 1, 0.8, "Report-News"),
    ("flood", "f3", 2, 0.7, "Report-EmergingThreats"),
    ("quake", "q1", 1, 0.4, "Report-News"),
    ("quake", "q3", 2, 0.75, "Other-Irrelevant"),
]


def incidents(*arguments: object, stdin: bytes = b"") -> Outcome:
    """The program with the fixture's ontology; its answer is never a traceback."""
    outcome = program.tseval("incidents", *arguments, "--ontology", TYPES, stdin=stdin)
    assert "Traceback" not in outcome.err
    assert "fault of tseval" not in outcome.err
    return outcome


def written(name: str, content: str | bytes) -> str:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def json_lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


# Runs


def vector(kind: str, one: float = 1) -> list[float]:
    return [one if name == kind else 0 for name in ALPHABETICAL]


def fields(types: Callable[[str], str], separator: str = " ") -> str:
    return "".join(
        separator.join((event, "Q0", post, str(rank), str(value), types(kind), "mine")) + "\n"
        for event, post, rank, value, kind in RUN
    )


def lines_of_2021() -> str:
    """Such lines have no rank: they come as the others rank them."""
    return json_lines(
        [
            {
                "topic": event,
                "runtag": "mine",
                "tweet_id": post,
                "priority": value,
                "info_type_scores": vector(kind, 0.9),
                "info_type_labels": vector(kind),
            }
            for event, post, _, value, kind in sorted(RUN, key=lambda said: (said[0], said[2]))
        ]
    )


COLUMNS = ("run", "topic", "post_id", "rank", "priority", "types")
TABLE = [("mine", *said) for said in RUN]


def table(delimiter: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([COLUMNS, *TABLE])
    return text.getvalue()


def parquet() -> bytes:
    out = io.BytesIO()
    pd.DataFrame(TABLE, columns=COLUMNS).to_parquet(out)
    return out.getvalue()


RUN_FORMS: dict[str, Callable[[], str | bytes]] = {
    "one type": lambda: fields(str),
    "one type and tabs": lambda: fields(str, "\t"),
    "a short name": lambda: fields(lambda kind: kind.split("-")[1]),
    "a list": lambda: fields(lambda kind: json.dumps([kind])),
    "a list in single quotes": lambda: fields(lambda kind: f"['{kind}']"),
    "a list with spaces": lambda: fields(lambda kind: f'[ "{kind}" , "Report-Nothing" ]', "\t"),
    "a vector": lambda: fields(lambda kind: json.dumps(vector(kind, 0.5))),
    "a vector in capitals of the tag": lambda: fields(lambda kind: str(vector(kind, 1.0)), "\t"),
    "lines": lines_of_2021,
    "tsv": lambda: table("\t"),
    "csv": lambda: table(","),
    "jsonl": lambda: json_lines([dict(zip(COLUMNS, row, strict=True)) for row in TABLE]),
    "parquet": parquet,
    "gzip": lambda: gzip.compress(fields(str).encode()),
    "a mark at the start": lambda: "\ufeff" + fields(str),
    "ends of lines of Windows": lambda: fields(str).replace("\n", "\r\n"),
    "no end at the end": lambda: fields(str).rstrip("\n"),
    "blank lines": lambda: fields(str).replace("\n", "\n\n"),
}


def values(run: object, labels: object = LABELS, **options: Any) -> list[tuple[Any, ...]]:
    options = {"rules": {"order": "rank"}} | options
    scores = tseval.score_incidents(run, labels, TYPES, MEASURES, **options)  # type: ignore[arg-type]
    return [tuple(record) for record in scores.records()]


@pytest.mark.parametrize("form", RUN_FORMS)
def test_every_form_of_a_run_has_the_same_values(form: str) -> None:
    suffix = ".gz" if form == "gzip" else ".parquet" if form == "parquet" else ""
    path = written(f"run{suffix}", RUN_FORMS[form]())
    expected = values(pd.DataFrame(TABLE, columns=COLUMNS))
    assert {record[0] for record in expected} == {"mine"}
    assert any(record[3] not in (0, 1, None) for record in expected)
    assert values(path) == expected


def test_the_numbers_of_a_vector_from_which_a_type_is_given() -> None:
    for number, given in ((0.5, True), (0.49, False)):
        path = written("run", f"flood Q0 f1 1 0.9 {vector('Report-News', number)} t\n")
        scores = tseval.score_incidents(path, LABELS, TYPES, "type.P")
        assert scores.value("type.P", "Report-News") == float(given)


def test_the_track_puts_news_before_new_sub_event() -> None:
    """Letters alone count in the alphabetical order of a vector, not their case."""
    types = ["Report-News", "Report-NewSubEvent", "Report-Weather"]
    ontology = written("types", json.dumps({"informationTypes": [{"id": name} for name in types]}))
    path = written("run", "flood Q0 f1 1 0.9 [1, 0, 0] t\n")
    scores = tseval.score_incidents(path, LABELS, ontology, "type.P")
    assert scores.value("type.P", "Report-News") == 1


def test_a_run_without_a_tag_is_called_as_its_file() -> None:
    path = written("calm.txt", "flood Q0 f1 1 0.9 News\n")
    assert incidents(path, LABELS, "-f", "csv", "-m", "AAW").out.splitlines()[1].startswith("calm")


def test_the_proposals_runs_and_labels() -> None:
    run = [
        {"EventID": "flood", "ID": "f1", "PostTimestamp": at, "InformationTypes": types}
        for at, types in (
            ("2023-11-14T00:00Z", [{"id": "News", "confidence": 0.1}]),
            (1699920100, [{"id": "Report-News"}]),
        )
    ]
    given = (written("run.jsonl", json_lines(run)), LABELS, "--edition", "proposal", "-f", "csv")
    found = incidents(*given, "-m", "type.R", "-q").out
    assert "run,Report-News,type.R,0.2\n" in found  # f1 of f1 f2 f3 f5 q2
    assert incidents(*given, "--threshold", "0.2", "-m", "type.R", "-q").out == found
    alone = incidents(*given, "--entries", "News", "-m", "type.accuracy", "-q").out
    assert "run,Report-News,type.accuracy,0.5\n" in alone
    assert "Irrelevant" not in alone


# Labels

POSTS = [
    ("flood", "f1", "Critical", ["GoodsServices", "News"]),
    ("flood", "f2", "Low", []),
    ("flood", "f2", "High", ["News"]),
    ("quake", "q1", "Unknown", ["EmergingThreats"]),
]


def by_event(types: str, level: str, event_key: str, **more: object) -> dict[str, object]:
    events = [
        {
            event_key: event,
            "tweets": [
                {"postID": post, types: kinds, level: said, "indicatorTerms": []}
                for other, post, said, kinds in POSTS
                if other == event
            ],
        }
        for event in ("flood", "quake")
    ]
    return {**more, "events": events}


def flat() -> list[dict[str, Any]]:
    names = ("eventID", "postID", "postPriority", "postCategories")
    return [dict(zip(names, post, strict=True)) for post in POSTS]


LABEL_COLUMNS = ("topic", "post_id", "level", "types")
LABEL_TABLE = [(event, post, level, ",".join(kinds)) for event, post, level, kinds in POSTS]
LABEL_FORMS: dict[str, Callable[[], str]] = {
    "2018": lambda: json.dumps(
        by_event("categories", "priority", "eventid", annotator={"eventsAnnotated": []})
    ),
    "2021": lambda: json.dumps(
        by_event("postCategories", "postPriority", "eventid", metadata={"track": "trecis"}),
        indent=1,
    ),
    "one list": lambda: json.dumps(flat()),
    "one a line": lambda: json_lines(flat()),
    "a mark at the start": lambda: "\ufeff" + json.dumps(flat()),
    "lines with a mark": lambda: "\ufeff" + json_lines(flat()),
    "tsv": lambda: "".join("\t".join(row) + "\n" for row in (LABEL_COLUMNS, *LABEL_TABLE)),
    "jsonl": lambda: json_lines(
        [dict(zip(LABEL_COLUMNS, row, strict=True)) for row in LABEL_TABLE]
    ),
    "small letters": lambda: json.dumps(flat()).replace('"High"', '"high"'),
}


@pytest.mark.parametrize(("form", "edition"), [*zip(LABEL_FORMS, cycle(("note", "2019b", "2021")))])
def test_every_form_of_labels_has_the_same_values(form: str, edition: str) -> None:
    path = written("labels", LABEL_FORMS[form]())
    expected = values(KEEN, pd.DataFrame(LABEL_TABLE, columns=LABEL_COLUMNS), edition=edition)
    assert values(KEEN, path, edition=edition) == expected


def test_several_files_of_labels_come_one_after_the_other() -> None:
    """The last file has the last word in the scripts; in the note types are united."""
    one = written("one.json", json.dumps(flat()[:2]))
    two = written("two.json", json.dumps(flat()[2:]))
    both = values(KEEN, written("both.json", json.dumps(flat())), edition="2019b")
    turned = values(KEEN, written("turned.json", json.dumps(flat()[::-1])), edition="2019b")
    assert values(KEEN, [one, two], edition="2019b") == both
    assert values(KEEN, [two, one], edition="2019b") != both
    assert both != turned
    (whole,) = (record[3] for record in both if record[1:3] == ("all", "AAW"))
    found = incidents(KEEN, one, "--labels", two, "-m", "AAW", "--edition", "2019b", "-f", "csv")
    assert f"keen,all,AAW,{whole}" in found.out


@pytest.mark.parametrize(
    "name", ["\U0001f469\u200d\U0001f467", "\u0645\u06cc\u200c\u0634\u0648\u062f"]
)
def test_names_may_hold_what_joins_letters(name: str) -> None:
    """Letters of an emoji, and of a Persian word, are joined by characters that are not printed."""
    label = {"eventID": name, "postID": name, "postCategories": ["News"], "postPriority": "Low"}
    Path("labels.jsonl").write_text(json.dumps(label) + "\n")
    types = {"informationTypes": [{"id": "News"}]}
    Path("types.json").write_text(json.dumps(types))
    Path("run.tsv").write_text(
        f"run\ttopic\tpost_id\tpriority\ttypes\na\t{name}\t{name}\t.5\tNews\n"
    )
    scores = tseval.score_incidents("run.tsv", "labels.jsonl", "types.json", measures="type.F1")
    assert name in {record.topic for record in scores.records()}


def test_a_label_without_an_id_is_of_a_post_that_no_run_has() -> None:
    posts = [*flat(), {"eventID": "flood", "postID": None, "postCategories": ["News"]}]
    outcome = incidents(KEEN, written("l", json.dumps(posts)), "-m", "type.R", "-q", "-f", "csv")
    assert "keen,Report-News,type.R,0.3333333333333333\n" in outcome.out  # f2 of f1, f2 and it
    assert "warning: 1 label of posts without an id, which no run can have\n" in outcome.err


def test_levels_and_times_of_a_plain_table() -> None:
    """With times f1 comes before f2, whatever the file says: a false alert follows no other."""
    rows = "topic\tpost_id\tlevel\ttypes\ttime\nflood\tf1\tHigh\t\t1\nflood\tf2\tLow\t\t2\n"
    rows += "flood\tf5\tMedium\t\t0\n"
    scores = tseval.score_incidents(KEEN, written("l.tsv", rows), TYPES, "AAW.low")
    assert scores.value("AAW.low") == 0
    by_file = tseval.score_incidents(KEEN, "l.tsv", TYPES, "AAW.low", rules={"order": "rank"})
    assert by_file.value("AAW.low") == 0
    late = tseval.score_incidents(
        KEEN, written("l.tsv", rows.replace("\t0\n", "\t3\n")), TYPES, "AAW.low"
    )
    assert late.value("AAW.low") != 0


def test_a_post_in_two_events_counts_in_each_or_in_the_first() -> None:
    """f1 is High in quake alone; where it counts in flood alone, it is High there."""
    rows = [("flood", "f1", "Low"), ("quake", "f1", "High"), ("quake", "q1", "Low")]
    labels = pd.DataFrame(rows, columns=["topic", "post_id", "level"]).assign(types="")
    for value, high in (("each", "quake"), ("first", "flood")):
        rules = {"two-events": value}
        scores = tseval.score_incidents(KEEN, labels, TYPES, "AAW.high", rules=rules)
        defined = [
            name for name in ("flood", "quake") if scores.value("AAW.high", name) is not None
        ]
        assert defined == [high]


# What a reader should know


def warnings_of(*arguments: object) -> list[str]:
    outcome = incidents(*arguments, "-f", "csv", "-m", "AAW.low type.F1")
    assert outcome.code == 0, outcome.err
    return outcome.err.splitlines()


def test_warnings() -> None:
    lines = [
        "flood Q0 f1 1 1.5 News t",
        "flood Q0 f1 2 0.5 Report-News t",
        "flood Q0 f2 3 -1 Report-Nonsense t",
        "nowhere Q0 f9 4 0.5 [1, 0, 0] t",
    ]
    assert warnings_of(written("run", "\n".join(lines) + "\n"), LABELS, "--epochs", EPOCHS) == [
        "warning: 1 label of unknown priority",
        "warning: runs: types that the ontology lacks, ignored: Report-Nonsense (1)",
        "warning: runs: types by another than their full name: News (1)",
        "warning: runs: vectors that are not 4 long, read as far as they go: 1 of 3",
        "warning: run t: 6 labelled posts missing",
        "warning: run t: 1 line repeating a post, of which the last counts",
        "warning: run t: 1 event without labels, ignored: nowhere",
        "warning: run t: 2 priorities outside of [0, 1]",
        "warning: run t: no labelled posts for 1 event, counted as posts that the run lacks: quake",
    ]


def test_more_warnings() -> None:
    path = written("run", "flood Q0 f1 1 0.5 News t\nquake Q0 q1 1 0.5 News t\n")
    found = warnings_of(path, LABELS)
    assert "warning: run t: every priority is 0.5" in found
    lost = "warning: posts without times, taken in the order of the run's file: flood, quake"
    assert lost in found
    assert lost not in warnings_of(path, LABELS, "--order", "rank")
    assert lost not in warnings_of(path, LABELS, "--epochs", EPOCHS)
    assert lost not in incidents(path, LABELS, "-m", "type.F1").err
    assert "warning: run e: no labelled posts for" in "\n".join(
        warnings_of(written("e", ""), LABELS)
    )
    assert incidents(path, LABELS, "--quiet", "-f", "csv").err == ""
    report = json.loads(incidents(path, LABELS, "--quiet", "-f", "json").out)
    assert "run t: every priority is 0.5" in report["warnings"]


def test_events_that_are_missing() -> None:
    path = written("run", "flood Q0 f1 1 0.9 News t\n")
    given = (path, LABELS, "--epochs", EPOCHS, "-m", "AAW.high", "-q", "-f", "csv")
    zero, skip, error = (
        incidents(*given, "--on-missing", how) for how in ("zero", "skip", "error")
    )
    assert "t,quake,AAW.high,-1.0\n" in zero.out
    assert "quake" not in skip.out
    assert "missing:skip" in incidents(*given[:-1], "json", "--on-missing", "skip").out
    assert error.code == 1
    assert error.err == "error: run t has no labelled posts for 1 event: quake\n"
    of_flood = [line.rpartition(",")[2] for line in zero.out.splitlines() if ",flood," in line]
    assert f"t,all,AAW.high,{of_flood[0]}\n" in skip.out


# Events: topics files, parts, times

TOPICS = "".join(
    f"<top>\n<num>N-{number}</num>\n<dataset>{name}</dataset>\n<title>x</title>\n</top>\n"
    for number, name in ((1, "flood"), (2, "ferry"))
)


def test_a_topics_file_restricts_the_events_and_renames_those_of_runs() -> None:
    path = written("run", "N-1 Q0 f1 1 0.9 News t\nN-3 Q0 q1 1 0.9 News t\n")
    topics = written("topics", TOPICS)
    outcome = incidents(path, LABELS, "--topics", topics, "-q", "-m", "AAW.high", "-f", "csv")
    assert [line.split(",")[1] for line in outcome.out.splitlines()[1:]] == ["flood", "all"]
    assert "3 labels of events that are no topic, ignored: quake\n" in outcome.err
    none = incidents(path, LABELS, "--topics", written("t", TOPICS.replace("flood", "fire")))
    assert (none.code, none.out) == (2, "")
    assert none.err == (
        "error: no label is of an event of the topics: give the topics of these labels\n"
    )
    bad = incidents(path, LABELS, "--topics", written("t", "<top>\n<num>1</num>\n</top>\n"))
    assert bad.codes == [("missing-key", 3)]
    none = incidents(path, LABELS, "--topics", written("t", "none\n"))
    assert none.codes == [("no-rows", None)]


@pytest.mark.parametrize(
    ("edition", "parts", "events"),
    [
        ("2018", ("S1", "S2", "S4"), ["flood1999"]),
        ("2018v2", ("S1", "S3"), ["flood1999"]),
        ("2019a", ("A", "E"), ["flood1999"]),
        ("2019b", ("B", "D"), ["flood1999"]),
        ("2021", ("A", "S1"), ["flood1999A", "flood1999S1"]),
        ("note", ("A", "S1"), ["flood1999A", "flood1999S1"]),
    ],
)
def test_events_that_were_labelled_in_parts(
    edition: str, parts: tuple[str, ...], events: list[str]
) -> None:
    labels = [
        {
            "eventID": f"flood1999{part}",
            "postID": f"f{at}",
            "postCategories": [],
            "postPriority": "Low",
        }
        for at, part in enumerate(parts, start=1)
    ]
    path = written("l.json", json.dumps(labels))
    run = written("run", "".join(f"{event} Q0 f1 1 0.5 News t\n" for event in events))
    scores = tseval.score_incidents(run, path, TYPES, "type.F1", edition=edition)
    assert [topic for topic in scores.topics if "-" not in topic] == events


def test_measures_at_a_time() -> None:
    """After 25 minutes f1, f2 and f3 of flood have been made; of quake, which begins later, q1."""
    given = (KEEN, LABELS, "--epochs", EPOCHS, "-m", "AAW.high type.R", "-q", "-f", "json")
    found = json.loads(incidents(*given, "--at", "25m", "--at", "1699922200").out)["records"]
    value = {(r["topic"], r["measure"]): r["value"] for r in found}
    assert value["flood", "AAW.high@25m"] == pytest.approx(1.825 / 2)
    assert value["Other-Irrelevant", "type.R@25m"] == 1  # of quake q3 is within; f4 is not
    assert value["quake", "AAW.high@1699922200"] is None
    assert value["Other-Irrelevant", "type.R@1699922200"] == 0
    lost = incidents(KEEN, LABELS, "--at", "25m")
    assert (lost.code, lost.out) == (2, "")
    assert "some posts have no time: give --epochs FILE" in lost.err


def test_some_posts_with_times_and_others_without() -> None:
    some = written("e", "f1 20231114 5\nf2 20231114 6\n")
    outcome = incidents(KEEN, LABELS, "--epochs", some)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: some posts of event flood have a time and others have")
    assert incidents(KEEN, LABELS, "--epochs", some, "--order", "file").code == 0


# Output


def test_over_runs() -> None:
    given = ("--epochs", EPOCHS, "-m", "AAW.high priority.MSE", "-f", "csv")
    own = [incidents(run, LABELS, *given).out.splitlines()[1:] for run in (KEEN, SHY)]
    value = {
        name: sorted(float(line.split(",")[3]) for lines in own for line in lines if name in line)
        for name in ("AAW.high", "priority.MSE")
    }
    out = incidents(KEEN, SHY, LABELS, *given, "--over-runs").out.splitlines()[1:]
    found = {(run, name): float(v) for run, _, name, v in (line.split(",") for line in out)}
    low, high = value["AAW.high"]
    assert found["(best)", "AAW.high"] == high
    assert found["(worst)", "AAW.high"] == low
    assert found["(median)", "AAW.high"] == pytest.approx((low + high) / 2)
    low, high = value["priority.MSE"]
    assert found["(best)", "priority.MSE"] == low
    assert found["(worst)", "priority.MSE"] == high
    report = json.loads(incidents(KEEN, SHY, LABELS, *given[:-1], "json", "--over-runs").out)
    assert report["signature"].endswith("|over:2 runs")


def test_over_runs_leaves_out_what_is_undefined() -> None:
    """Of three runs the median is the middle one; where one is undefined the mean of two."""
    rows = [("a", "f1", 0.1), ("b", "f1", 0.5), ("c", "f1", 0.9), ("c", "f2", 0.5)]
    runs = pd.DataFrame(rows, columns=["run", "post_id", "priority"]).assign(
        topic="flood", types=""
    )
    runs.to_csv("runs.csv", index=False)
    given = ("runs.csv", LABELS, "-m", "priority.MSE", "-q", "-f", "csv")
    out = incidents(*given).out.splitlines()
    each = [float(x.split(",")[3]) for x in out if ",Request-GoodsServices," in x]
    assert each == pytest.approx([(1 - 0.25) ** 2, 0.25, 0.01])
    over = incidents(*given, "--over-runs").out
    assert f"(median),Request-GoodsServices,priority.MSE,{each[1]}\n" in over


@pytest.mark.parametrize("what", ["alerts", "types"])
def test_explanations_in_every_form(what: str) -> None:
    given = (KEEN, SHY, LABELS, "--epochs", EPOCHS, "--explain", what, "--quiet")
    shown = incidents(*given).out
    tsv, comma = (incidents(*given, "-f", form).out for form in ("tsv", "csv"))
    rows = list(csv.DictReader(tsv.splitlines(), delimiter="\t"))
    assert list(csv.DictReader(comma.splitlines())) == rows
    assert len(rows) == (6 if what == "alerts" else 8)
    report = json.loads(incidents(*given, "-f", "json").out)
    assert "signature" in report
    assert shown.splitlines()[-1].startswith("tseval:")
    column = "outcome" if what == "alerts" else "precision"
    assert column in shown
    assert column in rows[0]
    assert incidents(*given, "-m", "AAW").code == 2
    assert incidents(*given, "-q").code == 2


def test_the_explanation_of_a_repeated_line_has_the_lines_own_priority() -> None:
    path = written("run", "flood Q0 f2 1 0.9 News t\nflood Q0 f2 2 0.1 Irrelevant t\n")
    given = (path, LABELS, "--edition", "2019a", "--explain", "alerts", "-f", "tsv", "--quiet")
    rows = list(csv.DictReader(incidents(*given).out.splitlines(), delimiter="\t"))
    assert [(row["post_id"], row["outcome"], row["run_types"]) for row in rows] == [
        ("f2", "false", "Report-News")
    ]
    assert float(rows[0]["priority"]) == 1.0  # scaled; the line below it is the lowest


@pytest.mark.parametrize("edition", ["2018", "2018v2", "2019a", "2019b", "2021"])
def test_the_tracks_files(here: Path, edition: str) -> None:
    folder = here / "out"
    folder.mkdir()
    given = (KEEN, SHY, LABELS, "--edition", edition, "-f", "trec-is", "-o", folder, "--quiet")
    outcome = incidents(*given)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    assert sorted(path.name for path in folder.iterdir()) == [
        f"{run}.results.{edition}.{part}.txt"
        for run in ("keen", "shy")
        for part in ("overall", "perevent", "pertopic")
    ]
    overall = (folder / f"keen.results.{edition}.overall.txt").read_text()
    scores = json.loads(
        incidents(KEEN, LABELS, "--edition", edition, "-f", "json", "-m", "type.P type.R", "-q").out
    )
    value = {(r["topic"], r["measure"]): r["value"] for r in scores["records"]}
    line = "> Information Type Precision (positive class, multi-type, macro):\t"
    assert f"{line}{value['all', 'type.P']!r}\n" in overall
    events = (folder / f"keen.results.{edition}.perevent.txt").read_text()
    first = "type.R" if edition == "2018" else "type.P"  # the script of 2018 has them swapped
    title = "  Information Type Precision (positive class, multi-type, macro): "
    assert f"flood\n{title}{value['flood', first]!r}\n" in events
    types = (folder / f"keen.results.{edition}.pertopic.txt").read_text()
    # f3 was labelled twice, last as News: entries count it twice, posts once.
    support = "5" if edition == "2021" else "6"
    assert re.findall(r"^ +Report-News(?: +\d\.\d\d){3} +(\d+)$", types, re.MULTILINE) == [support]


@pytest.mark.parametrize(
    ("edition", "middle"),
    [("2018", ""), ("2018v2", ""), ("2019a", ""), ("2019b", ""), ("2021", "2021a.")],
)
def test_the_tracks_files_by_the_names_of_the_track(here: Path, edition: str, middle: str) -> None:
    folder = here / "named"
    folder.mkdir()
    given = (KEEN, LABELS, "--edition", edition, "-f", "trec-is", "-o", folder, "--quiet")
    assert incidents(*given, "--track-names").code == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        f"keen.results.{middle}{part}.txt" for part in ("overall", "perevent", "pertopic")
    ]
    named = {path.name: path.read_text() for path in folder.iterdir()}
    assert incidents(*given).code == 0
    for name, text in named.items():
        mine = name.replace(f"results.{middle}", f"results.{edition}.")
        assert (folder / mine).read_text() == text


def test_names_of_the_track_are_those_of_its_files() -> None:
    refused = incidents(KEEN, LABELS, "--track-names")
    assert refused.code == 2
    assert "--track-names has no meaning without -f trec-is" in refused.err


def test_the_tracks_files_are_of_editions_that_have_them(here: Path) -> None:
    for edition in ("note", "proposal"):
        outcome = incidents(KEEN, LABELS, "--edition", edition, "-f", "trec-is", "-o", here)
        assert outcome.code == 2
        assert "has no files of the track" in outcome.err
    lost = incidents(KEEN, LABELS, "--edition", "2021", "-f", "trec-is", "-o", "lost")
    assert (lost.code, lost.out) == (1, "")
    dots = written("run", "flood Q0 f1 1 0.9 News ../t\n")
    named = incidents(dots, LABELS, "--edition", "2021", "-f", "trec-is", "-o", here)
    assert named.code == 2
    assert not list(here.glob("*.txt"))
    for option in (
        *(["-m", "AAW"], ["--at", "1h"], ["--over-runs"], ["--explain", "types"]),
        *(["-q"], ["--event", "flood"]),
    ):
        assert incidents(KEEN, LABELS, "--edition", "2021", "-f", "trec-is", *option).code == 2


@pytest.mark.parametrize(
    "run", ["keen", "empty", "one"], ids=["a run", "an empty run", "a run of one post"]
)
def test_pictures(here: Path, run: str) -> None:
    paths = {
        "keen": str(KEEN),
        "empty": written("e", ""),
        "one": written("o", "quake Q0 q1 1 1 x t\n"),
    }
    given = (paths[run], LABELS, "--epochs", EPOCHS, "--quiet")
    for suffix, start in (("png", b"\x89PNG\r\n"), ("svg", b"<svg"), ("html", b"<!")):
        outcome = incidents(*given, "-o", f"p.{suffix}")
        assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
        assert (here / f"p.{suffix}").read_bytes().lstrip().startswith(start)


def test_pictures_of_some_events(here: Path) -> None:
    given = (KEEN, LABELS, "--epochs", EPOCHS, "--quiet")
    assert incidents(*given, "--event", "quake", "-o", "q.svg").code == 0
    assert b"quake" in (here / "q.svg").read_bytes()
    assert b"flood" not in (here / "q.svg").read_bytes()
    for options in (["--event", "fire", "-o", "p.png"], ["--event", "quake"]):
        outcome = incidents(*given, *options)
        assert (outcome.code, outcome.out) == (2, "")
    assert incidents(*given, "-o", "p.png", "-m", "AAW").code == 2
    assert not (here / "p.png").exists()


def test_rows_per_event_and_type() -> None:
    given = (KEEN, LABELS, "--epochs", EPOCHS, "-f", "trec", "--quiet")
    measures = "AAW type.F1 type.F1(actionable) any.P"
    lines = [x.split("\t")[:2] for x in incidents(*given, "-m", measures, "-q").out.splitlines()]
    events = [[name, event] for event in ("flood", "quake") for name in measures.split()]
    assert lines == [
        *events,
        ["type.F1", "Request-GoodsServices"],
        ["type.F1(actionable)", "Request-GoodsServices"],
        ["type.F1", "Report-EmergingThreats"],
        ["type.F1(actionable)", "Report-EmergingThreats"],
        ["type.F1", "Report-News"],
        ["type.F1", "Other-Irrelevant"],
        *([name, "all"] for name in measures.split()),
    ]
    short = incidents(*given, "-m", measures).out.splitlines()
    assert [x.split("\t")[:2] for x in short] == [[name, "all"] for name in measures.split()]


OPTIONS: dict[str, tuple[list[str], str]] = {
    "order": (["--order", "file"], "|order:file|"),
    "log base": (["--log-base", "e"], "|logarithm:e|"),
    "delta": (["--rule", "delta=run"], "|delta:run|"),
    "normalise": (["--normalise", "never"], "|rules:normalise=never|"),
    "missing": (["--on-missing", "skip"], "|missing:skip"),
    "threshold": (["--threshold", "0.6"], "|threshold:0.6|"),
    "alpha": (["--alpha", "0.5"], "|alpha:0.5|"),
    "lambda": (["--lambda", "0.5"], "|lambda:0.5|"),
    "actionable": (["--actionable", "News"], "|actionable:Report-News|"),
    "entries": (["--entries", "News"], "|entries:Report-News|"),
    "edition": (["--edition", "2019b"], "|edition:2019b|"),
    "repeated": (["--rule", "repeated-labels=entries"], "|repeated-labels:entries|"),
    "posts": (["--rule", "alert-posts=lines"], "|alert-posts:lines|"),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_the_signature_names_every_choice(option: str) -> None:
    arguments, part = OPTIONS[option]
    given = (KEEN, LABELS, "--epochs", EPOCHS, "--quiet", "-f", "json")
    plain = json.loads(incidents(*given).out)["signature"]
    chosen = json.loads(incidents(*given, *arguments).out)["signature"]
    assert part not in plain
    assert part in chosen
    assert "|ontology:sha256:" in plain
    assert "|labels:sha256:" in plain


def test_the_same_signature_and_values_by_the_long_way() -> None:
    given = (KEEN, LABELS, "--epochs", EPOCHS, "--quiet", "-f", "json")
    short = incidents(*given, "--log-base", "e", "--order", "rank", "--normalise", "always").out
    rules = ("logarithm=e", "order=rank", "normalise=always")
    assert incidents(*given, *(x for rule in rules for x in ("--rule", rule))).out == short
    assert incidents(*given, "--order", "rank", "--rule", "order=time").code == 2


def test_the_topics_that_were_scored_change_the_signature() -> None:
    given = (KEEN, LABELS, "--epochs", EPOCHS, "--quiet", "-f", "json")
    plain, few = (
        json.loads(incidents(*given, *more).out)
        for more in ((), ("--topics", written("topics", TOPICS)))
    )
    assert "|topics:sha256:" in few["signature"]
    assert "|topics:" not in plain["signature"]
    assert "|epochs:sha256:" in plain["signature"]
    assert [Path(each["path"]).name for each in few["inputs"]] == [
        *("keen.txt", "labels.json", "types.json"),
        *("topics", "epochs.txt"),
    ]
    assert few["inputs"][3]["rows"] == 2


# Standard input, pipes


def test_standard_input() -> None:
    given = ("-m", "AAW.high", "-f", "csv", "--quiet", "--epochs", EPOCHS)
    expected = incidents(KEEN, LABELS, *given).out
    assert incidents("-", LABELS, *given, stdin=KEEN.read_bytes()).out == expected
    assert incidents(KEEN, "-", *given, stdin=LABELS.read_bytes()).out == expected
    compressed = gzip.compress(KEEN.read_bytes())
    assert incidents("-", LABELS, *given, stdin=compressed).out == expected
    assert incidents("-", "-", *given, stdin=KEEN.read_bytes()).code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_closed_pipe_is_silent() -> None:
    posts = [f"p{at}" for at in range(6000)]
    labels = pd.DataFrame({"topic": "e", "post_id": posts, "level": "High", "types": ""})
    labels.to_csv("labels.csv", index=False)
    labels.assign(priority=0.1)[["topic", "post_id", "priority"]].to_csv("run.csv", index=False)
    arguments = ("run.csv", "labels.csv", "--ontology", TYPES, "--explain", "alerts", "-f", "tsv")
    assert program.error_of_a_closed_pipe("incidents", *arguments, "--quiet") == b""


# Labels of types alone, and judged pools


def test_labels_without_levels_are_read_where_no_measure_asks_for_priorities() -> None:
    whole = 'topic,post_id,level,types\nflood,f1,Low,News\nflood,f2,High,"News,Irrelevant"\n'
    alone = 'topic,post_id,types\nflood,f1,News\nflood,f2,"News,Irrelevant"\n'
    listed = json.dumps(
        {
            "events": [
                {
                    "eventid": "flood",
                    "tweets": [
                        {"postID": "f1", "categories": ["News"]},
                        {"postID": "f2", "categories": ["News", "Irrelevant"]},
                    ],
                }
            ]
        }
    )
    run = written("run", "flood Q0 f1 1 0.9 Report-News a\n")
    ask = ("-f", "csv", "-q", "-m", "type.F1 type.accuracy any.R")
    expected = incidents(run, written("whole.csv", whole), *ask)
    assert expected.code == 0
    for name, content in (("alone.csv", alone), ("listed.json", listed)):
        path = written(name, content)
        found = incidents(run, path, *ask)
        assert (found.code, found.out) == (0, expected.out)
        assert "unknown priority" not in found.err
        assert incidents(run, path, "--edition", "proposal").code == 0
        for given in (
            *(("-m", "AAW"), ("-m", "priority.MSE"), ("-m", "nDCG@100"), ()),
            ("--explain", "alerts"),
        ):
            refused = incidents(run, path, *given)
            assert (refused.code, refused.out) == (2, "")
            assert "the labels tell no priorities" in refused.err
        assert incidents(run, path, "--explain", "types").code == 0
        assert validated(path) == (0, [f"{path}: incident labels, 2 rows, no fault"])


POOL = """topic\ttype\tpost_id\trelevant
flood\tNews\tf1\t1
flood\tNews\tf2\t0
flood\tNews\tf3\t
flood\tIrrelevant\tf2\t1
"""


def test_accuracy_of_a_type_over_its_own_pool() -> None:
    """Nobody was asked whether f1 is Irrelevant, nor whether f3 is anything: neither counts."""
    pool = written("judged.tsv", POOL)
    run = written("run", "".join(f"flood Q0 f{at} {at} 1 Report-News a\n" for at in (1, 2, 3)))
    ask = ("-f", "csv", "-q", "--edition", "proposal")
    outcome = incidents(run, pool, *ask)
    assert outcome.code == 0
    value = {tuple(line.split(",")[1:3]): line.split(",")[3] for line in outcome.out.splitlines()}
    # News: f1 right, f2 wrong. Irrelevant: f2 has it and was not given it.
    assert value["Report-News", "type.accuracy"] == "0.5"
    assert value["Report-News", "type.P"] == "0.5"
    assert value["Report-News", "type.R"] == "1.0"
    assert value["Other-Irrelevant", "type.accuracy"] == "0.0"
    assert value["all", "type.accuracy"] == value["flood", "type.accuracy"] == "0.25"
    assert "1 row of a pool without an answer, left out" in outcome.err
    assert "types for which no post was judged, left out of means" in outcome.err
    counts = incidents(run, pool, "--edition", "proposal", "--explain", "types", "-f", "tsv").out
    row = next(line for line in counts.splitlines() if "Report-News" in line)
    assert row.split("\t")[3:7] == ["1", "1", "0", "0"]
    whole = incidents(run, pool, *ask, "--rule", "type-posts=all", "--quiet")
    value = {tuple(line.split(",")[1:3]): line.split(",")[3] for line in whole.out.splitlines()}
    # Over f1 and f2: Irrelevant is right for f1, which was not judged for it.
    assert value["Other-Irrelevant", "type.accuracy"] == "0.5"
    assert validated(pool) == (0, [f"{pool}: incident labels, 4 rows, no fault"])


def test_judged_pools_that_cannot_be_read() -> None:
    run = written("run", "flood Q0 f1 1 1 Report-News a\n")
    for content, reason in (
        (POOL.replace("f1\t1", "f1\t2"), "judged.tsv:2: relevant is 2"),
        (POOL.replace("\t1\n", "\t\n").replace("\t0\n", "\t\n"), "judged.tsv: nobody judged"),
        (POOL.replace("relevant", "useful"), "judged.tsv:1: no column relevant"),
        (f"{POOL}flood\tNews\tf1\t0\n", 'judged.tsv:6: post_id "f1" stands twice'),
    ):
        outcome = incidents(run, written("judged.tsv", content), "--edition", "proposal")
        assert outcome.code == 1
        assert reason in outcome.err


# The pool, and validation


def proposed(event: str, post: str, at: object, **more: object) -> dict[str, object]:
    """A line as the proposal has it; what is None is left out."""
    record = {
        "EventID": event,
        "ProcessingType": "Automatic",
        "ID": post,
        "Content": f"what {post} says",
        "PostTimestamp": at,
        "InformationTypes": [],
    } | more
    return {key: value for key, value in record.items() if value is not None}


def test_the_pool_is_the_union_of_what_runs_gave() -> None:
    one = written("one", "flood Q0 f1 1 0.9 News a\nflood Q0 f2 1 0.9 Irrelevant a\n")
    two = written("two", "quake Q0 q1 1 1 News b\nflood Q0 f1 1 0.1 ['News', 'Irrelevant'] b\n")
    outcome = program.tseval("import", "pool", one, two, "--ontology", TYPES, "-o", "pool.tsv")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    assert Path("pool.tsv").read_text().splitlines() == [
        "topic\ttype\tpost_id\truns\tconfidence\trelevant",
        "flood\tReport-News\tf1\ta,b\t1\t",
        "flood\tOther-Irrelevant\tf1\tb\t1\t",
        "flood\tOther-Irrelevant\tf2\ta\t1\t",
        "quake\tReport-News\tq1\tb\t1\t",
    ]
    assert program.tseval("import", "pool", one).code == 2
    refused = program.tseval("import", "pool", one, "--ontology", TYPES, "--threshold", "nan")
    assert refused.err == "error: threshold cannot be nan: give a finite number\n"
    alone = program.tseval("import", "pool", one, two, "--ontology", TYPES, "--entries", "News")
    assert [line.split("\t")[1:3] for line in alone.out.splitlines()[1:]] == [
        ["Report-News", "f1"],
        ["Report-News", "q1"],
    ]


def test_the_pool_of_the_proposal() -> None:
    tree = written("tree", '[{"ID": "top"}, {"ID": "low", "Parent": "top"}]')
    low = [{"id": "low", "confidence": 0.5}]
    run = written("run", json_lines([proposed("e", "p", 1, InformationTypes=low)]))
    given = ("import", "pool", run, "--ontology", tree)
    header = "topic\ttype\tpost_id\truns\tconfidence\ttime\ttext\trelevant\n"
    row = "p\trun\t0.5\t1\twhat p says\t\n"
    assert program.tseval(*given).out == f"{header}e\tlow\t{row}"
    nothing = "topic\ttype\tpost_id\truns\tconfidence\trelevant\n"
    assert program.tseval(*given, "--threshold", "0.6").out == nothing
    assert program.tseval(*given, "--roll-up").out == f"{header}e\ttop\t{row}e\tlow\t{row}"


def drawn_of(*more: object) -> dict[tuple[str, str], set[str]]:
    """What is drawn for assessors of two runs: by event and type the posts."""
    said = {
        "one": {"p1": 0.9, "p2": 0.8, "p3": 0.7, "p4": 0.1},
        "two": {"p4": 0.95, "p5": 0.6, "p1": 0.2},
    }
    for name, posts in said.items():
        lines = [
            proposed("e", post, at, InformationTypes=[{"id": "Report-News", "confidence": sure}])
            for at, (post, sure) in enumerate(posts.items())
        ]
        written(name, json_lines(lines))
    outcome = program.tseval("import", "pool", "one", "two", "--ontology", TYPES, *more)
    assert (outcome.code, outcome.err) == (0, "")
    pool: dict[tuple[str, str], set[str]] = {}
    for line in outcome.out.splitlines()[1:]:
        event, kind, post = line.split("\t")[:3]
        pool.setdefault((event, kind), set()).add(post)
    return pool


def test_a_pool_by_size_and_depth() -> None:
    """By the highest confidence of any run: p4 .95, p1 .9, p2 .8, p3 .7, p5 .6."""
    news = ("e", "Report-News")
    assert drawn_of()[news] == {"p1", "p2", "p3", "p4", "p5"}
    assert drawn_of("--size", 2)[news] == {"p4", "p1"}
    assert drawn_of("--depth", 1)[news] == {"p1", "p4"}
    assert drawn_of("--depth", 2)[news] == {"p1", "p2", "p4", "p5"}
    assert drawn_of("--depth", 2, "--size", 3)[news] == {"p1", "p2", "p4"}
    draws = [drawn_of("--size", 2, "--sampling", "random", "--seed", s)[news] for s in range(9)]
    assert all(len(draw) == 2 for draw in draws)
    assert len({frozenset(draw) for draw in draws}) > 2
    assert draws[3] == drawn_of("--size", 2, "--sampling", "random", "--seed", 3)[news]
    frame = tseval.pool_incidents(["one", "two"], TYPES, size=2, sampling="random", seed=3)
    assert set(frame["post_id"]) == draws[3]
    for option in (["--sampling", "random"], ["--size", "0"], ["--depth", "0"]):
        refused = program.tseval("import", "pool", "one", "--ontology", TYPES, *option)
        assert refused.code == 2
    refused = program.tseval("import", "kba-run", "one", "--size", "3")
    assert (refused.code, "has no meaning with kba-run" in refused.err) == (2, True)


def test_a_pool_by_confidence_of_a_run_without_confidences() -> None:
    run = written("run", "".join(f"flood Q0 f{at} {at} 1 Report-News a\n" for at in (1, 2, 3)))
    given = ("import", "pool", run, "--ontology", TYPES, "--size", "2")
    assert "count as given with confidence 1: runs a" in program.tseval(*given).err
    assert program.tseval(*given, "--sampling", "random").err == ""


def test_a_pool_that_assessors_filled_in_is_read_back() -> None:
    drawn_of()
    program.tseval("import", "pool", "one", "two", "--ontology", TYPES, "-o", "pool.tsv")
    assert "nobody judged this pool" in incidents("one", "pool.tsv").err
    header, *rows = Path("pool.tsv").read_text().splitlines()
    judged = [row + str(int(row.split("\t")[2] in {"p1", "p5"})) for row in rows]
    pool = written("judged.tsv", "\n".join([header, *judged]) + "\n")
    found = tseval.score_incidents(
        ["one", "two"], pool, TYPES, ["type.P", "type.R", "type.accuracy"], edition="proposal"
    )
    # Of five pooled posts p1 and p5 are news. one: p1 right, p2 p3 p4 wrong, p5 not given.
    # two: p1 and p5 right, p4 wrong; p2 and p3 rightly not given.
    for run, values in (("one", (1 / 4, 1 / 2, 1 / 5)), ("two", (2 / 3, 1, 4 / 5))):
        for name, value in zip(("P", "R", "accuracy"), values, strict=True):
            assert found.value(f"type.{name}", "Report-News", run) == pytest.approx(value)
            assert found.value(f"type.{name}", run=run) == pytest.approx(value)
    frame = tseval.pool_incidents(["one", "two"], TYPES)
    frame["relevant"] = frame["post_id"].isin(["p1", "p5"]).astype(int)
    same = tseval.score_incidents(["one", "two"], frame, TYPES, edition="proposal")
    assert same.value("type.accuracy", run="one") == found.value("type.accuracy", run="one")


def validated(*paths: object) -> tuple[int, list[str]]:
    outcome = program.tseval("validate", *paths)
    assert outcome.err == "" or outcome.code == 2
    return outcome.code, outcome.out.splitlines()


def test_valid_files() -> None:
    code, lines = validated(KEEN, LABELS, TYPES, SHY)
    assert code == 0
    assert [line.split(": ", 1)[1] for line in lines] == [
        "incident run, 7 rows, no fault",
        "incident labels, 9 rows, no fault",
        "ontology, 4 rows, no fault",
        "predictions, 4 rows, no fault",
    ]


def test_the_checks_of_the_track() -> None:
    lines = [
        "flood Q0 f1 1 0.9 Report-News a-name-of-more-than-20",
        "flood Q0 f1 2 1.2 Report-News a-name-of-more-than-20",
        "flood Q0 f2 3 0.5 Report-Nonsense other",
    ]
    code, found = validated(written("run", "\n".join(lines) + "\n"), TYPES)
    assert code == 1
    assert [line for line in found if line.startswith("run")] == [
        'run: type "Report-Nonsense", once, is not in the ontology',
        'run:1: run tag "a-name-of-more-than-20" is malformed',
        'run:2: post "f1" stands twice in event "flood"',
        "run:2: priority 1.2 is outside of [0, 1]",
        'run:3: a second run tag "other"',
    ]


@pytest.mark.parametrize(
    ("key", "numbers", "reason"),
    [
        ("info_type_labels", [0] * 24, '"info_type_labels" is 24 long'),
        ("info_type_labels", [0] * 24 + [2], '"info_type_labels" has 2, which is not 0 or 1'),
        ("info_type_scores", [0] * 24 + [1.5], '"info_type_scores" has 1.5, which is not from 0'),
        ("info_type_scores", None, '"info_type_scores" is no list'),
        ("info_type_scores", [0] * 24 + ["1"], '"info_type_scores" has "1", which is not'),
    ],
)
def test_the_vectors_of_a_run(key: str, numbers: object, reason: str) -> None:
    record = {
        "topic": "flood",
        "runtag": "t",
        "tweet_id": "f1",
        "priority": 0.5,
        "info_type_scores": [0.5] * 25,
        "info_type_labels": [0] * 25,
    }
    assert validated(written("run", json_lines([record])))[0] == 0
    code, found = validated(
        written("run", json_lines([record, {**record, "tweet_id": "f2", key: numbers}]))
    )
    assert code == 1
    assert found[0].startswith(f"run:2: {reason}")


def test_what_the_proposal_asks_of_a_line() -> None:
    def entry(confidence: float) -> list[dict[str, object]]:
        return [{"id": "Report-News", "confidence": confidence}]

    good = [proposed("e", f"p{at}", at, InformationTypes=entry(at / 2)) for at in range(3)]
    good += [proposed("e", kind, 9, ProcessingType=kind) for kind in ("Semi-Automatic", "Manual")]
    assert validated(written("good", json_lines(good)))[0] == 0
    bad = [
        proposed("e", "a", 1, ProcessingType="automatic"),
        proposed("e", "b", 2, ProcessingType=None),
        proposed("e", "c", 3, InformationTypes=entry(1.5)),
        proposed("e", "d", 4, InformationTypes=entry(-0.1)),
        proposed("e", "e", 5, Content=None),
        proposed("e", "f", 6, Content=7),
        proposed("e", "g", 7, InformationTypes=[{"id": "Report-News"}]),
        proposed("e", "h", 6),
    ]
    code, found = validated(written("bad", json_lines(bad)))
    assert code == 1
    assert [line for line in found if line.startswith("bad")] == [
        'bad:1: "ProcessingType" is "automatic"',
        'bad:2: no "ProcessingType"',
        'bad:3: confidence 1.5 of type "Report-News" is outside of [0, 1]',
        'bad:4: confidence -0.1 of type "Report-News" is outside of [0, 1]',
        'bad:5: no "Content"',
        'bad:6: "Content" is no text',
        'bad:7: type "Report-News" has no "confidence"',
        'bad:8: post "h" is earlier than the one before it in its event',
    ]


def test_what_every_line_of_a_run_of_the_proposal_lacks_is_said_once() -> None:
    lines = [proposed("e", f"p{at}", at, Content=None) for at in range(5)]
    code, found = validated(written("run", json_lines(lines)))
    assert code == 1
    assert [line for line in found if line.startswith("run")] == [
        'run:1: no "Content"; the same in all 5 lines from here on'
    ]


def test_runs_of_the_proposal_are_in_order_of_time() -> None:
    records = [
        proposed(event, post, at)
        for event, post, at in (("e", "a", 5), ("f", "b", 1), ("e", "c", 4), ("e", "d", 6))
    ]
    code, found = validated(written("run", json_lines(records)))
    assert code == 1
    assert found[0] == 'run:3: post "c" is earlier than the one before it in its event'
    assert not any("run:2" in line or "run:4" in line for line in found)
