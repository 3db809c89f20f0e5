"""Value tracking: a case worked out by hand, its files, what is refused, and the command."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pandas as pd
import pytest

import tseval
from tests.families.forms import refused
from tests.program import faulty, warn_of
from tests.program import tseval as program
from tseval.errors import MissingTopics, UsageError

pytestmark = pytest.mark.small_times

HOUR = 3600
QUARTER = math.pi / 2 * 6371.0088
"""From the equator to a pole, in km."""
GOLD = (
    "topic\tattribute\ttime\tvalue\n"
    "quake\tdeaths\t0\t10\n"
    "quake\tdeaths\t14400\t30\n"
    "quake\tlocations\t3600\t0, 0\n"
    "quake\tdeaths\t36000\t40\n"
)
RUN = (
    "# a comment\n"
    "\n"
    "quake me r1 NULL NULL 3600 0.9 deaths 10\n"
    "quake\tme  r1 doc-1 3 21600 inf deaths 24\r\n"
    "  quake me r1 doc-1 3 10800 1 locations 0,  90 \n"
)


@pytest.fixture(autouse=True)
def here(here: Path) -> Path:
    Path("gold.tsv").write_text(GOLD, encoding="utf-8")
    Path("run.txt").write_bytes(RUN.encode())
    return here


def said(*rows: tuple[object, ...]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["topic", "attribute", "time", "value"])


def error(run: pd.DataFrame, gold: pd.DataFrame, measure: str = "VT(attribute=deaths)") -> object:
    return tseval.score_values(run, gold, measure).value(measure)


def test_the_case_by_hand() -> None:
    """Deaths: 1 h of 10, 3 h of 0, 2 h of 20, 4 h of 6; places: 2 h of silence, 7 of a quarter."""
    scores = tseval.score_values("run.txt", "gold.tsv")
    assert scores.runs == ("me-r1",)
    assert scores.measures == ("VT(attribute=deaths)", "VT(attribute=locations)")
    assert scores.value("VT(attribute=deaths)") == pytest.approx((10 + 2 * 20 + 4 * 6) / 10)
    places = scores.value("VT(attribute=locations)")
    assert places == pytest.approx((2 * 2 * QUARTER + 7 * QUARTER) / 10)


def test_until_a_time() -> None:
    names = [f"VT(attribute=deaths)@{at}" for at in ("0s", "1h", "2h", "21600", "10h", "3d")]
    scores = tseval.score_values("run.txt", "gold.tsv", names)
    errors = [scores.value(name) for name in names]
    assert errors == pytest.approx([None, 10, 5, 50 / 6, 7.4, 7.4])


def test_a_topics_file_tells_the_period() -> None:
    topics = pd.DataFrame({"topic": ["quake"], "start": [2 * HOUR], "end": [5 * HOUR]})
    scores = tseval.score_values("run.txt", "gold.tsv", topics=topics)
    assert scores.value("VT(attribute=deaths)") == pytest.approx(20 / 3)


def test_what_a_topics_file_does_not_tell_is_the_golds() -> None:
    more = GOLD.partition("\n")[2].replace("quake", "flood")
    Path("gold.tsv").write_text(GOLD + more, encoding="utf-8")
    rows = ("topic\tstart\tend", "quake\t7200\t", "other\t0\t1")
    Path("topics.tsv").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    scores = tseval.score_values("run.txt", "gold.tsv", topics="topics.tsv")
    name = "VT(attribute=deaths)"
    assert scores.value(name, "quake") == pytest.approx((2 * 20 + 4 * 6) / 8)
    assert scores.value(name, "flood") == pytest.approx((4 * 10 + 6 * 30) / 10)
    assert warn_of(scores.warnings, "1 flood", "me-r1 1 flood")


def test_a_value_before_the_period_is_in_force_when_it_starts() -> None:
    gold = said(("t", "deaths", 10, 4), ("t", "deaths", 20, 9))
    assert error(said(("t", "deaths", 3, 5)), gold) == 1
    assert error(said(("t", "deaths", 20, 5)), gold) == 4


def test_of_equal_times_the_last_in_the_file_counts() -> None:
    gold = said(("t", "deaths", 0, 1), ("t", "deaths", 10, 1))
    run = [("t", "deaths", 0, 8), ("t", "deaths", 0, 3)]
    assert error(said(*run), gold) == 2
    assert error(said(*run[::-1]), gold) == 7


def test_values_of_other_attributes_and_topics_change_nothing() -> None:
    gold = said(("t", "deaths", 0, 1), ("t", "deaths", 10, 1))
    run = said(("t", "injuries", 0, 8), ("u", "deaths", 0, 3))
    scores = tseval.score_values(run, gold)
    assert scores.value("VT(attribute=deaths)") == 1
    assert warn_of(scores.warnings, "run 1 u", "run deaths 1 t")


def test_values_outside_of_the_period_are_warned_about() -> None:
    gold = said(*((t, "deaths", at, 4) for t in ("t", "u", "v") for at in (10, 20)))
    run = said(
        *(("t", "deaths", at, 5) for at in (3, 21)),
        *(("u", "deaths", at, 5) for at in (3, 20)),
        ("v", "deaths", 21, 5),
    )
    scores = tseval.score_values(run, gold)
    assert warn_of(scores.warnings, "run 2 t v")
    topics = pd.DataFrame({"topic": ["t", "u", "v"], "start": [3, 3, 3], "end": [30, 30, 30]})
    assert tseval.score_values(run, gold, topics=topics).warnings == ()


def test_an_attribute_that_a_run_lacks_is_warned_about() -> None:
    gold = said(
        *(
            (topic, name, at, value)
            for topic in ("t", "u", "v")
            for name, value in (("deaths", 4), ("locations", "0, 0"))
            for at in (0, 10)
        )
    )
    run = said(("t", "deaths", 0, 3), ("u", "locations", 0, "1, 1"), ("u", "deaths", 0, 3))
    assert warn_of(tseval.score_values(run, gold).warnings, "run locations 1 t", "run 1 v")
    deaths = tseval.score_values(run, gold, "VT(attribute=deaths)")
    assert warn_of(deaths.warnings, "run 1 v")


def test_no_gold_is_undefined() -> None:
    gold = said(("t", "deaths", 0, 1), ("t", "deaths", 10, 1))
    assert error(gold, gold, "VT(attribute=displaced)") is None
    single = gold.head(1)
    scores = tseval.score_values(gold, single)
    assert scores.value("VT(attribute=deaths)") is None
    assert warn_of(scores.warnings, "run VT(attribute=deaths) 1 t")


def test_a_topic_that_a_run_lacks() -> None:
    gold = said(*((t, "deaths", at, 4) for t in ("t", "u") for at in (0, 10)))
    run = said(("t", "deaths", 0, 3))
    name = "VT(attribute=deaths)"
    assert tseval.score_values(run, gold).value(name) == 2.5
    assert tseval.score_values(run, gold, on_missing="skip").value(name) == 1
    with pytest.raises(MissingTopics, match="run run has no values for 1 judged topic: u"):
        tseval.score_values(run, gold, on_missing="error")


def test_topics_agree_without_their_prefix() -> None:
    gold = said(("TS13.1", "deaths", 0, 4), ("TS13.1", "deaths", 10, 4))
    assert error(said(("1", "deaths", 0, 3)), gold) == 1


def test_the_antimeridian_and_the_poles_are_no_borders() -> None:
    gold = said(("t", "locations", 0, "0, 180"), ("t", "locations", 10, "0, 180"))
    measure = "VT(attribute=locations)"
    assert error(said(("t", "locations", 0, "0,-180")), gold, measure) == pytest.approx(0, abs=1e-6)
    half = error(said(("t", "locations", 0, "0, 0")), gold, measure)
    assert half == pytest.approx(2 * QUARTER)


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        ("t\tdeath\t1\t2", "unknown-label"),
        ("t\tdeaths\t1\tmany", "number-format"),
        ("t\tdeaths\t1\t-2", "number-range"),
        ("t\tdeaths\t1\t1e16", "number-range"),
        ("t\tdeaths\t1\tnan", "number-format"),
        ("t\tdeaths\t1\t", "empty-value"),
        (" \tdeaths\t1\t1", "empty-value"),
        ("t\tdeaths\tsoon\t1", "time-format"),
        ("t\tlocations\t1\t40", "location-format"),
        ("t\tlocations\t1\t1,2,3", "location-format"),
        ("t\tlocations\t1\t90.5, 0", "number-range"),
        ("t\tlocations\t1\t0, -181", "number-range"),
        ("t\tlocations\t1\t0, 1e400", "number-range"),
        ("t\tlocations\t1\tnorth, 1", "number-format"),
        ("t\tlocations\t1\tnan, 1", "number-format"),
        ("t\tlocations\t1\t1,", "empty-value"),
    ],
)
def test_bad_values_are_refused_in_every_form(cells: str, code: str, here: Path) -> None:
    """In a run as in the gold; `validate` tells the same line."""
    text = f"{GOLD}{cells}\n"
    refused(lambda bad: tseval.score_values(bad, "gold.tsv"), text, here, code, 5)
    refused(lambda bad: tseval.score_values("run.txt", bad), text, here, code, 5)
    assert program("validate", "bad.tsv").places == [("bad.tsv", 6)]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("quake me r1 NULL NULL 3600 0.9 deaths", "field-count"),
        ("quake", "field-count"),
        ("quake me r1 d 1 3600 1 deaths 10 20", "number-format"),
        ("quake me r1 d 1 3600 1 deaths -1", "number-range"),
        ("quake me r1 d 1 3600 1 dead 10", "unknown-label"),
        ("quake me r1 d 1 later 1 deaths 10", "time-format"),
        ("quake me r1 d 1 3600 sure deaths 10", "number-format"),
        ("quake me r1 d 1 3600 nan deaths 10", "number-format"),
        ("quake me r1 d 1 3600 1 locations 91, 0", "number-range"),
        ("quake me r1 d 1 3600 1 locations 91", "location-format"),
    ],
)
def test_bad_lines_of_a_run_are_refused(line: str, code: str) -> None:
    """Whoever reads it: scores, an import, and `validate`."""
    Path("bad.txt").write_text(f"{RUN}{line}\n", encoding="utf-8", newline="")
    for command in (
        ("values", "run.txt", "bad.txt", "gold.tsv"),
        ("import", "ts-values", "bad.txt"),
    ):
        done = program(*command)
        assert (done.code, done.out, done.codes) == (1, "", [(code, 6)])
        assert (done.faults[0].file, done.faults[0].text) == ("bad.txt", line)
    assert program("validate", "run.txt", "bad.txt").places == [("bad.txt", 6)]


@pytest.mark.engine
def test_processes_refuse_the_first_file_with_faults() -> None:
    Path("one.txt").write_text(f"{RUN}quake\n\nflood\n", encoding="utf-8")
    Path("two.txt").write_text("quake\n", encoding="utf-8")
    for jobs in (1, 2):
        done = program("values", "run.txt", "one.txt", "two.txt", "gold.tsv", "-j", jobs)
        assert (done.code, done.codes) == (1, [("field-count", 6), ("field-count", 8)])
        assert {fault.file for fault in done.faults} == {"one.txt"}


def test_fields_and_columns_that_lack_are_faults_of_their_lines() -> None:
    for text, code, line in (
        (f"{GOLD}t\tdeaths\t1\n", "field-count", 6),
        (GOLD.replace("value", "worth"), "missing-column", 1),
        ("", "empty-file", None),
    ):
        Path("bad.tsv").write_text(text, encoding="utf-8")
        for files in (("bad.tsv", "gold.tsv"), ("run.txt", "bad.tsv")):
            done = program("values", *files)
            assert (done.code, done.codes, done.faults[0].file) == (1, [(code, line)], "bad.tsv")


def test_gold_without_values_or_with_a_topic_called_all() -> None:
    with faulty("no-rows", None):
        tseval.score_values("run.txt", said())
    with faulty("reserved-name", 1):
        tseval.score_values("run.txt", said(("all", "deaths", 1, 2)))


def test_a_run_without_rows_says_nothing() -> None:
    Path("empty.tsv").write_text(GOLD.partition("\n")[0] + "\n", encoding="utf-8")
    scores = tseval.score_values("empty.tsv", "gold.tsv")
    assert scores.runs == ("empty",)
    assert scores.value("VT(attribute=deaths)") == pytest.approx((4 * 10 + 6 * 30) / 10)


def test_an_imported_run_scores_the_same() -> None:
    done = program("import", "ts-values", "run.txt", "-o", "run.tsv")
    assert (done.code, done.err) == (0, "")
    assert Path("run.tsv").read_text(encoding="utf-8").splitlines()[1:] == [
        "me-r1\tquake\tdeaths\t3600\t10\t0.9",
        "me-r1\tquake\tdeaths\t21600\t24\t1000",
        "me-r1\tquake\tlocations\t10800\t0, 90\t1",
    ]
    expected = list(tseval.score_values("run.txt", "gold.tsv").records())
    assert list(tseval.score_values("run.tsv", "gold.tsv").records()) == expected


def test_times_in_milliseconds_are_refused() -> None:
    late = 1_501_304_185_000
    gold = said(*(("t", "deaths", late + at, 4) for at in (0, 10)))
    with pytest.raises(tseval.InputError) as error:
        tseval.score_values(said(("t", "deaths", late, 3)), gold)
    assert [(fault.code, fault.line) for fault in error.value.faults] == [("time-unit", 1)]


def test_the_command() -> None:
    done = program(
        "values", "run.txt", "gold.tsv", "-m", "VT(attribute=deaths)", "-q", "-f", "trec"
    )
    assert done.err == ""
    lines = [line.split("\t") for line in done.out.splitlines()]
    assert [line[:2] for line in lines] == [
        ["VT(attribute=deaths)", "quake"],
        ["VT(attribute=deaths)", "all"],
    ]
    assert [float(line[2]) for line in lines] == pytest.approx([7.4, 7.4])
    forced = program("values", "run.txt", "gold.tsv", "--input-format", "trec-ts", "-f", "json")
    found = json.loads(forced.out)
    assert found["signature"].split("|")[1] == "family:values"
    overall = [record for record in found["records"] if record["topic"] == "all"]
    assert [record["measure"] for record in overall] == [
        "VT(attribute=deaths)",
        "VT(attribute=locations)",
    ]


def test_a_measure_without_attribute_is_one_of_each() -> None:
    scores = tseval.score_values("run.txt", "gold.tsv", "VT@6h", at=())
    assert scores.measures == ("VT(attribute=deaths)@6h", "VT(attribute=locations)@6h")
    added = tseval.score_values("run.txt", "gold.tsv", "VT(attribute=deaths)", at="6h")
    assert added.measures == ("VT(attribute=deaths)", "VT(attribute=deaths)@6h")


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (("run.txt",), "Give one or more runs, then the file of gold values.", 2),
        (("-", "-"), "standard input (-) can stand for one file only", 2),
        (("run.txt", "gold.tsv", "-m", "VT(attribute=dead)"), "attribute cannot be 'dead'", 2),
        (("run.txt", "gold.tsv", "-m", "R"), "unknown measure 'R'; known: VT", 2),
        (("run.txt", "gold.tsv", "-m", "VT@1h", "--at", "2h"), "has its own @TIME", 2),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], message: str, code: int) -> None:
    done = program("values", *arguments)
    assert message in done.err
    assert (done.code, done.out) == (code, "")


def test_wrong_choices_in_python() -> None:
    with pytest.raises(UsageError, match="on_missing cannot be 'drop'"):
        tseval.score_values("run.txt", "gold.tsv", on_missing="drop")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="undefined cannot be 'one'"):
        tseval.score_values("run.txt", "gold.tsv", undefined="one")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="RUN is missing"):
        tseval.score_values([], "gold.tsv")


@pytest.mark.parametrize(
    ("more", "is_tracking"),
    [
        ("deaths 3", True),
        ("locations 40.7, -74", True),
        ("deaths", False),
        ("a text", False),
        ("the water is rising", False),
        ("1 2", False),
    ],
)
def test_a_line_with_too_many_fields_is_told_by_them(
    more: str, is_tracking: bool, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    path.write_text(f"1 team run doc 1 1329910380 0.5\n1 team run doc 2 1329910381 0.5 {more}\n")
    done = program("import", "ts-run", path)
    assert (done.code, done.out) == (1, "")
    assert f"run:2: {7 + len(more.split())} fields where a run has 7\n" in done.err
    assert ("it is for tseval values" in done.err) == is_tracking
    assert ("a run's line is: topic team run docid" in done.err) != is_tracking


def test_a_run_of_updates_is_told_from_one_of_values() -> None:
    done = program("score", "run.txt", "gold.tsv", "--input-format", "trec-ts")
    assert "a run of value tracking is no run of updates" in done.err
