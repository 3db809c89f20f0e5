"""What is no time though a machine could take it for one: tiny numbers, lengths, periods."""

from __future__ import annotations

import datetime as dt
import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import tseval
from tests import program
from tests.reading import read_rows
from tseval.core.registry import measures, schemas
from tseval.errors import InputError
from tseval.families.temporal.files import READERS, TEXTS_READER, read_updates
from tseval.io.blocks import read_blocks
from tseval.io.inputs import Input
from tseval.io.tables import read

pytestmark = pytest.mark.usefixtures("here")

FILTER = program.FIXTURES / "filter"


# Lengths of time, and periods.

SPANS = pd.to_timedelta([-50, 60], unit="s")
DAYS = pd.period_range("2012-02-22", periods=2, freq="D")


def framed(times: object) -> pd.DataFrame:
    return pd.DataFrame({"topic": "t", "update_id": ["a", "b"], "time": times, "text": "x"})


def kinds() -> dict[str, tuple[object, str]]:
    return {
        "timedelta64": (SPANS, "durations"),
        "timedelta64[s]": (SPANS.as_unit("s"), "durations"),
        "categories": (pd.Categorical(SPANS), "durations"),
        "duration[pyarrow]": (
            pd.Series([5, 6], dtype=pd.ArrowDtype(pa.duration("s"))),
            "durations",
        ),
        "timedelta": (pd.Series([dt.timedelta(5), dt.timedelta(6)], dtype=object), "durations"),
        "mixed": (pd.Series([1329910380, SPANS[1]], dtype=object), "durations"),
        "Period": (DAYS, "periods"),
        "Periods": (pd.Series(list(DAYS), dtype=object), "periods"),
    }


@pytest.mark.parametrize("kind", kinds())
def test_lengths_of_time_and_periods_are_no_times(kind: str) -> None:
    times, said = kinds()[kind]
    with pytest.raises(InputError, match=f"<updates>: column time holds {said}\n  .*frame.time"):
        read_updates([framed(times)])


@pytest.mark.parametrize("kind", ["timedelta64", "timedelta64[s]", "Period"])
@pytest.mark.parametrize("rows", [None, 1])
def test_nor_in_parquet(kind: str, rows: int | None) -> None:
    times, said = kinds()[kind]
    framed(times).to_parquet("run.parquet")
    blocks = read_blocks(Input("run.parquet"), "run", READERS["updates"], rows or 1)
    told = f"run.parquet: column time holds {said}\n  .*frame.time"
    with pytest.raises(InputError, match=told):
        read_updates(["run.parquet"]) if rows is None else list(blocks)


def test_periods_of_parquet_where_pandas_is_not_there_to_tell_them() -> None:
    framed(DAYS).to_parquet("run.parquet")
    program = (
        "from tseval.families.temporal.files import read_updates\nread_updates(['run.parquet'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "column time holds periods" in done.stderr


# Numbers that are too small for times.


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("6", "1970-01-01T00:00:06Z, before 1990: did you mean 6h?"),
        ("1.5", "1970-01-01T00:00:01Z, before 1990: did you mean 1.5h?"),
        ("21600", "1970-01-01T06:00:00Z, before 1990: did you mean 21600s?"),
        ("-6", "1969-12-31T23:59:54Z, before 1990: write a time from the start"),
        ("631151999", "1989-12-31T23:59:59Z, before 1990: did you mean 631151999s?"),
        ("1985-03-01", "1985-03-01T00:00:00Z, before 1990: write a time from the start"),
    ],
)
def test_a_moment_before_1990_is_refused(written: str, told: str) -> None:
    with pytest.raises(tseval.MeasureError, match=re.escape(f'R@{written}: "{written}" is {told}')):
        tseval.score(program.SWIFT, program.NUGGETS, measures=f"R@{written}")
    with pytest.raises(tseval.MeasureError):
        tseval.score(program.SWIFT, program.NUGGETS, at=written)


def test_of_a_moment_from_1990_on_is_none() -> None:
    assert [str(m) for m in measures(["R@631152000 R@1990-01-01 R@6h R@0h"], "temporal")] == [
        "R@631152000",
        "R@1990-01-01",
        "R@6h",
        "R@0h",
    ]


@pytest.mark.parametrize(
    "command",
    [
        ("score", program.SWIFT, program.NUGGETS, "-m", "R@6"),
        ("score", program.SWIFT, program.NUGGETS, "-m", "R", "--at", "6"),
        ("clusters", program.SWIFT, program.FIXTURES / "clusters.tsv", "-m", "coverage@6"),
        ("filter", FILTER / "steady.tsv", FILTER / "truth.tsv", "--start", "6"),
    ],
)
def test_commands_refuse_it_too(command: tuple[str, ...]) -> None:
    done = program.tseval(*command)
    assert (done.code, done.out) == (2, "")
    assert '"6" is 1970-01-01T00:00:06Z, before 1990: did you mean 6h?' in done.err


EARLY = {
    "5": ('is "1970-01-01T00:00:05Z" in Unix seconds, before 1990', "write Unix seconds, such as"),
    "-1": ('is "1969-12-31T23:59:59Z" in Unix seconds, before 1990', "write Unix seconds, such as"),
    "46083.458": (
        'is "1970-01-01T12:48:03Z" in Unix seconds, before 1990; '
        'as a spreadsheet\'s day it is "2026-03-02T10:59:31"',
        "a spreadsheet keeps times as days: give the column the format yyyy-mm-ddThh:mm:ss",
    ),
    "20120222": (
        'is "1970-08-21T20:57:02Z" in Unix seconds, before 1990',
        "digits alone are seconds: write a date with its hyphens",
    ),
    "1970-01-01T00:00:05Z": ('is "1970-01-01T00:00:05Z" in Unix seconds', "write Unix seconds"),
}


def row(time: str) -> dict[str, str]:
    """One row of the plain tables of all families, with names of all of them."""
    return {"topic": "t", "update_id": "u", "time": time, "text": "x"}


def write(form: str, rows: list[dict[str, str]]) -> str:
    frame = pd.DataFrame(rows)
    path = f"run.{form}"
    if form == "parquet":
        frame.to_parquet(path)
    elif form == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if form == "tsv" else ",")
    return path


@pytest.mark.parametrize("written", EARLY)
@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "parquet", "frame"])
def test_times_before_1990_are_refused_in_every_form(form: str, written: str) -> None:
    rows = [row("1329910380") | {"update_id": "v"}, row(written)]
    source = pd.DataFrame(rows) if form == "frame" else write(form, rows)
    line = {"tsv": ":3", "csv": ":3", "jsonl": ":2", "parquet": ": row 2", "frame": ": row 2"}[form]
    with pytest.raises(InputError) as raised:
        read_updates([source])
    [fault] = raised.value.faults
    place = "<updates>" if form == "frame" else source
    reason, cure = EARLY[written]
    assert str(fault).startswith(f'{place}{line}: time "{written}" {reason}')
    assert fault.cure.startswith(cure)


def test_numbers_and_time_stamps_of_frames_are_no_exception() -> None:
    for times in ([46083.458], [5], pd.to_datetime([1329910380])):  # the last are nanoseconds
        with pytest.raises(InputError, match="before 1990"):
            read_updates([pd.DataFrame([row("")]).assign(time=times)])


EACH_FAMILY = {
    "nuggets": "topic\tnugget_id\ttime\ttext\nt\tn\t5\tx\n",
    "topics": "topic\tstart\tend\nt\t5\t1329910380\n",
    "clusters": "topic\tcluster_id\tpost_id\ttime\nt\tc\tp\t5\n",
    "posts": "topic\tpost_id\ttime\tconfidence\nt\tp\t5\t1\n",
    "truth": "topic\tpost_id\trelevance\ttime\nt\tp\t1\t5\n",
    "values": "topic\tattribute\ttime\tvalue\nt\tdeaths\t5\t1\n",
    "labels": "topic\tpost_id\tlevel\ttime\nt\tp\tHigh\t5\n",
    "predictions": "topic\tpost_id\tpriority\ttime\nt\tp\t1\t5\n",
}


@pytest.mark.parametrize("table", EACH_FAMILY)
def test_and_in_every_table(table: str) -> None:
    Path("table.tsv").write_text(EACH_FAMILY[table])
    with pytest.raises(InputError, match=r'table.tsv:2: \w+ "5" is "1970-01-01T00:00:05Z"'):
        read_rows(Input("table.tsv"), schemas()[table])


def test_a_proposal_s_post_of_1970_is_refused() -> None:
    post = {"EventID": "e", "ID": "p", "PostTimestamp": 5, "InformationTypes": []}
    Path("run.jsonl").write_text(json.dumps(post) + "\n")
    done = program.tseval("validate", "run.jsonl")
    assert done.code == 1
    assert 'run.jsonl:1: time "5" is "1970-01-01T00:00:05Z"' in done.err + done.out


def test_a_track_s_own_file_may_be_a_toy() -> None:
    Path("run.txt").write_text("11 T R d1 0 1000000 1\n")
    assert read_updates(["run.txt"])["time"].tolist() == [1e6]


def test_texts_whose_times_do_not_matter_may_have_any() -> None:
    table = read([pd.DataFrame([row("0")])], TEXTS_READER)
    assert table.frame["time"].to_list() == [0.0]


# Times of one topic that lie years apart.


@pytest.mark.parametrize("more", [(), ("--in-blocks", "2")])
def test_times_of_a_topic_that_lie_years_apart_are_warned_about(more: tuple[str, ...]) -> None:
    Path("gold.tsv").write_text(
        "topic\tnugget_id\ttime\ttext\nt\tn\t2023-11-14\tx\nv\tn\t2023-11-14\tx\n"
    )
    rows = (
        "t\ta\t2023-11-15\tx",
        "t\tb\t2026-03-02T11:00\tx",
        "v\ta\t2025-11-13\tx",
        "w\ta\t1990-01-01\tx",
    )
    Path("run.tsv").write_text("\n".join(["topic\tupdate_id\ttime\ttext", *rows]) + "\n")
    done = program.tseval("score", "run.tsv", "gold.tsv", "-m", "R", *more)
    assert [line for line in done.err.splitlines() if "years" in line] == [
        "warning: times of 1 topic lie years apart: "
        "t from 2023-11-14T00:00:00Z (nuggets) to 2026-03-02T11:00:00Z (run run)"
    ]


def test_so_they_are_in_other_families() -> None:
    Path("clusters.tsv").write_text(
        "topic\tcluster_id\tpost_id\ttime\nt\tc\tp\t2023-11-14\nt\tc\tq\t2023-11-14\n"
    )
    Path("posts.tsv").write_text(
        "topic\tpost_id\ttime\tconfidence\nt\tp\t2023-11-14\t1\nt\tq\t2026-03-02\t1\n"
    )
    Path("truth.tsv").write_text("topic\tpost_id\trelevance\nt\tp\t1\nt\tq\t1\n")
    Path("gold.tsv").write_text("topic\tattribute\ttime\tvalue\nt\tdeaths\t2023-11-14\t1\n")
    Path("values.tsv").write_text("topic\tattribute\ttime\tvalue\nt\tdeaths\t2026-03-02\t1\n")
    Path("labels.tsv").write_text(
        "topic\tpost_id\tlevel\ttypes\ttime\nt\tp\tHigh\tNews\t2023-11-14\n"
        "t\tq\tLow\tNews\t2026-03-02\n"
    )
    Path("said.tsv").write_text("topic\tpost_id\tpriority\ttypes\nt\tp\t1\tNews\n")
    Path("types.json").write_text('{"informationTypes": [{"id": "Report-News"}]}')
    said = "times of 1 topic lie years apart: t from 2023-11-14T00:00:00Z"
    labelled = ("incidents", "said.tsv", "labels.tsv", "--ontology", "types.json")
    assert said in program.tseval(*labelled).err
    assert said in program.tseval("clusters", "posts.tsv", "clusters.tsv").err
    assert said in program.tseval("filter", "posts.tsv", "truth.tsv", "--batch", "100d").err
    assert said in program.tseval("values", "values.tsv", "gold.tsv").err
