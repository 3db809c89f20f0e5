"""Every fault that the contract names: its code, its place, the line that it shows, the exit code.

Nothing may be written to the output of a command that fails, and no traceback may be seen.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tseval
from tests import program
from tests.program import MATCHES, NUGGETS, SWIFT, THOROUGH, Outcome
from tseval.errors import InputError, UsageError

pytestmark = pytest.mark.usefixtures("here")

HEADER = ("topic", "update_id", "time", "text", "confidence", "cost")
GOLD_HEADER = ("topic", "nugget_id", "time", "text", "importance", "cost")
FIRST = ("flood", "u1", "1699921800", "River Osk burst its banks", "0.5", "1")
GOLD = ("flood", "n1", "1699923600", "The river Osk burst its banks", "1", "1")

Row = Sequence[str]


def tsv(*rows: Row) -> bytes:
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def refused(outcome: Outcome, message: str, code: int = 1) -> None:
    """The program said this, and nothing else, and nothing on standard output."""
    assert outcome.err == message
    assert outcome.out == ""
    assert outcome.code == code


def check(message: str, *arguments: object, code: int = 1, stdin: bytes = b"") -> None:
    """The command fails with this message, writes no output, and leaves an earlier one alone."""
    for outcome in _outcomes(arguments, stdin):
        refused(outcome, message, code)


def check_fault(
    code: str,
    file: str,
    line: int | None,
    *arguments: object,
    text: str | None = None,
    stdin: bytes = b"",
) -> None:
    """The command fails with this fault, writes no output, and leaves an earlier one alone."""
    for outcome in _outcomes(arguments, stdin):
        (fault,) = outcome.faults
        assert (fault.code, fault.file, fault.line) == (code, file, line)
        assert text in (None, fault.text)
        refused(outcome, f"error: {fault.report()}\n")


def _outcomes(arguments: Sequence[object], stdin: bytes) -> Iterator[Outcome]:
    """What a command does that fails: without an earlier output, and with one."""
    output = Path("result.json")
    yield program.tseval(*arguments, "-o", output, stdin=stdin)
    assert not output.exists()
    output.write_bytes(b"earlier")
    yield program.tseval(*arguments, "-o", output, stdin=stdin)
    assert output.read_bytes() == b"earlier"
    output.unlink()
    assert not list(Path().glob(".*"))


def fault_of(make: Callable[[], object]) -> tuple[str, str, int | None]:
    """The code and the place of the first fault of a call in Python."""
    with pytest.raises(InputError) as caught:
        make()
    fault = caught.value.faults[0]
    return fault.code, fault.file, fault.line


# Values, each in one of the forms of a table

UPDATE_FAULTS = {
    "time in words": ({"time": "soon"}, "time-format"),
    "day that is not": ({"time": "2012-02-30T00:00Z"}, "time-format"),
    "time NaN": ({"time": "nan"}, "time-format"),
    "time infinite": ({"time": "-Infinity"}, "time-format"),
    "time empty": ({"time": ""}, "empty-value"),
    "confidence in words": ({"confidence": "high"}, "number-format"),
    "confidence NaN": ({"confidence": "NaN"}, "number-format"),
    "confidence infinite": ({"confidence": "inf"}, "number-format"),
    "cost negative": ({"cost": "-1"}, "number-range"),
    "cost a little negative": ({"cost": "-1e-9"}, "number-range"),
    "cost infinite": ({"cost": "inf"}, "number-format"),
    "cost too large": ({"cost": "1e999"}, "number-range"),
    "cost in words": ({"cost": "much"}, "number-format"),
    "decimal comma": ({"cost": "1,5"}, "number-format"),
    "no topic": ({"topic": ""}, "empty-value"),
    "blank id": ({"update_id": "  "}, "empty-value"),
}
FORMS = ("tsv", "csv", "jsonl", "json", "parquet")


def written(form: str, *rows: Row) -> bytes:
    """A header and rows of strings in one of the forms."""
    header, *body = rows
    if form == "tsv":
        return tsv(*rows)
    if form == "csv":
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        return text.getvalue().encode()
    if form == "jsonl":
        return "".join(
            json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in body
        ).encode()
    if form == "json":
        return json.dumps([dict(zip(header, row, strict=True)) for row in body]).encode()
    out = io.BytesIO()
    columns = [pa.array([row[at] for row in body], pa.string()) for at in range(len(header))]
    pq.write_table(pa.Table.from_arrays(columns, list(header)), out)
    return out.getvalue()


def place(form: str, row: int) -> tuple[str, int]:
    """Where a row below the header is."""
    return f"run.{form}", row if form in ("json", "jsonl", "parquet") else row + 1


def quoted(form: str, header: Row, row: Row) -> str:
    if form in ("json", "jsonl"):
        return json.dumps(dict(zip(header, row, strict=True)))
    return written("csv", row).decode().rstrip("\n") if form == "csv" else "\t".join(row)


def with_cells(header: Row, row: Row, changed: dict[str, str]) -> tuple[str, ...]:
    return tuple((dict(zip(header, row, strict=True)) | changed).values())


@pytest.mark.parametrize(("fault", "form"), [*zip(UPDATE_FAULTS, cycle(FORMS))])
def test_a_faulty_value_of_an_update(form: str, fault: str) -> None:
    changed, code = UPDATE_FAULTS[fault]
    bad = with_cells(HEADER, FIRST, {"update_id": "u2"} | changed)
    Path(f"run.{form}").write_bytes(written(form, HEADER, FIRST, bad))
    shown = quoted(form, HEADER, bad)
    check_fault(code, *place(form, 2), "score", f"run.{form}", NUGGETS, text=shown)


@pytest.mark.parametrize("fault", UPDATE_FAULTS)
def test_a_faulty_value_of_a_frame(fault: str) -> None:
    changed, code = UPDATE_FAULTS[fault]
    bad = with_cells(HEADER, FIRST, {"update_id": "u2"} | changed)
    frame = pd.DataFrame([FIRST, bad], columns=HEADER, dtype=object)
    assert fault_of(lambda: tseval.score(frame, NUGGETS)) == (code, "<updates>", 2)


@pytest.mark.parametrize("given", [None, 5, [[]], {"swift": []}])
def test_what_is_no_table_at_all_is_called_by_its_type(given: Any) -> None:
    with pytest.raises(UsageError, match=r"updates cannot be read from (NoneType|int|list): give"):
        tseval.score(given, NUGGETS)


def test_a_frame_of_numbers_may_not_hold_infinity() -> None:
    frame = pd.DataFrame([FIRST], columns=HEADER).assign(time=[float("inf")])
    assert fault_of(lambda: tseval.score(frame, NUGGETS)) == ("time-format", "<updates>", 1)


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_a_frame_may_not_lack_a_required_value(missing: object) -> None:
    frame = pd.DataFrame([FIRST], columns=HEADER, dtype=object)
    frame["time"] = pd.Series([missing], dtype=object)
    assert fault_of(lambda: tseval.score(frame, NUGGETS)) == ("empty-value", "<updates>", 1)


GOLD_FAULTS = {
    "importance negative": ({"importance": "-0.5"}, "number-range"),
    "importance NaN": ({"importance": "nan"}, "number-format"),
    "importance in words": ({"importance": "vital"}, "number-format"),
    "cost negative": ({"cost": "-3"}, "number-range"),
    "time in words": ({"time": "now"}, "time-format"),
    "empty id": ({"nugget_id": ""}, "empty-value"),
}


@pytest.mark.parametrize(("fault", "form"), [*zip(GOLD_FAULTS, cycle(FORMS))])
def test_a_faulty_value_of_a_nugget(form: str, fault: str) -> None:
    changed, code = GOLD_FAULTS[fault]
    bad = with_cells(GOLD_HEADER, GOLD, {"nugget_id": "n2"} | changed)
    Path(f"run.{form}").write_bytes(written(form, GOLD_HEADER, GOLD, bad))
    shown = quoted(form, GOLD_HEADER, bad)
    check_fault(code, *place(form, 2), "score", SWIFT, f"run.{form}", text=shown)


@pytest.mark.parametrize("form", FORMS)
def test_an_id_that_stands_twice(form: str) -> None:
    again = with_cells(HEADER, FIRST, {"text": "again"})
    Path(f"run.{form}").write_bytes(written(form, HEADER, FIRST, again))
    shown = quoted(form, HEADER, again)
    check_fault("duplicate-id", *place(form, 2), "score", f"run.{form}", NUGGETS, text=shown)


def test_an_id_that_stands_twice_in_a_frame() -> None:
    frame = pd.DataFrame([FIRST, FIRST], columns=HEADER)
    assert fault_of(lambda: tseval.score(frame, NUGGETS)) == ("duplicate-id", "<updates>", 2)


def test_an_id_may_stand_again_in_another_topic_and_another_run() -> None:
    rows = [("run", *HEADER), ("a", *FIRST), ("b", *FIRST), ("a", "ferry", *FIRST[1:])]
    Path("run.tsv").write_bytes(tsv(*rows))
    assert program.tseval("validate", "run.tsv").code == 0
    Path("run.tsv").write_bytes(tsv(*rows, ("b", *FIRST)))
    check_fault("duplicate-id", "run.tsv", 5, "score", "run.tsv", NUGGETS)


def test_a_nugget_id_that_stands_twice() -> None:
    Path("gold.tsv").write_bytes(tsv(GOLD_HEADER, GOLD, GOLD))
    check_fault("duplicate-id", "gold.tsv", 3, "score", SWIFT, "gold.tsv", text="\t".join(GOLD))


def test_one_run_in_two_files_may_not_repeat_an_update() -> None:
    for name in ("a.tsv", "b.tsv"):
        Path(name).write_bytes(tsv(("run", *HEADER), ("one", *FIRST)))
    check_fault("duplicate-id", "b.tsv", 2, "score", "a.tsv", "b.tsv", NUGGETS)


# Matches

MATCH_HEADER = ("topic", "update_id", "nugget_id")
LOST = {
    "update": ("flood", "zz", "flood-n1"),
    "nugget": ("flood", "sw-flood-1", "zz"),
}


@pytest.mark.parametrize(("fault", "form"), [*zip(cycle(LOST), FORMS)])
def test_a_match_to_something_unknown(form: str, fault: str) -> None:
    good = ("flood", "sw-flood-1", "flood-n1")
    Path(f"run.{form}").write_bytes(written(form, MATCH_HEADER, good, LOST[fault]))
    given = ("score", SWIFT, NUGGETS, "--matches", f"run.{form}")
    shown = quoted(form, MATCH_HEADER, LOST[fault])
    check_fault("unknown-id", *place(form, 2), *given, text=shown)


@pytest.mark.parametrize(
    ("grade", "code"),
    [
        ("2", "number-range"),
        ("-0.5", "number-range"),
        ("supported", "unknown-label"),
        ("nan", "unknown-label"),
    ],
)
def test_a_grade_that_is_none(grade: str, code: str) -> None:
    row = ("flood", "sw-flood-1", "flood-n1")
    header = (*MATCH_HEADER, "grade")
    Path("m.tsv").write_bytes(tsv(header, (*row, "partial_support"), (*row, grade)))
    check_fault(code, "m.tsv", 3, "score", SWIFT, NUGGETS, "--matches", "m.tsv")


@pytest.mark.parametrize("fault", LOST)
def test_a_match_to_something_unknown_from_standard_input(fault: str) -> None:
    given = ("score", SWIFT, NUGGETS, "--matches", "-")
    stdin, shown = tsv(MATCH_HEADER, LOST[fault]), "\t".join(LOST[fault])
    check_fault("unknown-id", "-", 2, *given, text=shown, stdin=stdin)


@pytest.mark.parametrize("fault", LOST)
def test_a_match_to_something_unknown_in_a_frame(fault: str) -> None:
    frame = pd.DataFrame([LOST[fault]], columns=MATCH_HEADER)
    found = fault_of(lambda: tseval.score(SWIFT, NUGGETS, frame))
    assert found == ("unknown-id", "<matches>", 1)


def test_a_match_is_of_its_topic_and_its_run() -> None:
    rows = [
        ("ferry", "sw-flood-1", "ferry-n1", "swift"),
        ("flood", "sw-flood-1", "flood-n1", "thorough"),
    ]
    Path("m.tsv").write_bytes(tsv((*MATCH_HEADER, "run"), *rows))
    outcome = program.tseval("score", SWIFT, THOROUGH, NUGGETS, "--matches", "m.tsv")
    assert outcome.codes == [("unknown-id", 2), ("unknown-id", 3)]
    assert program.tseval("validate", SWIFT, THOROUGH, NUGGETS, "m.tsv").code == 1


def test_a_pool_makes_updates_of_other_runs_known() -> None:
    Path("m.tsv").write_bytes(tsv(MATCH_HEADER, LOST["update"]))
    Path("pool.tsv").write_bytes(
        tsv(("topic", "update_id"), ("flood", "zz"), ("flood", "sw-flood-1"))
    )
    given = ("score", SWIFT, NUGGETS, "--matches", "m.tsv", "--quiet")
    assert program.tseval(*given, "--pool", "pool.tsv").code == 0
    assert program.tseval("validate", SWIFT, NUGGETS, "m.tsv", "pool.tsv").code == 0
    Path("pool.tsv").write_bytes(tsv(("topic", "update_id"), ("ferry", "zz")))
    check_fault("unknown-id", "m.tsv", 2, *given, "--pool", "pool.tsv")


# Lines

LINES = {
    "too many fields": (tsv((*FIRST, "x", "y")), "field-count"),
    "too few fields": (tsv(FIRST[:4]), "field-count"),
    "one field": (b"flood\n", "field-count"),
    "only spaces": (b"   \n", "field-count"),
    "no final line end": (b"flood\tu9", "field-count"),
    "not UTF-8": (tsv(FIRST).replace(b"banks", b"b\xe4nks"), "encoding"),
    "a surrogate": (tsv(FIRST).replace(b"banks", b"\xed\xa0\x80"), "encoding"),
}


@pytest.mark.parametrize("fault", LINES)
def test_a_faulty_line(fault: str) -> None:
    line, code = LINES[fault]
    Path("run.tsv").write_bytes(
        tsv(HEADER, with_cells(HEADER, FIRST, {"update_id": "u0"})) + b"\n" + line
    )
    shown = line.decode("utf-8", "replace").rstrip("\n")
    check_fault(code, "run.tsv", 4, "score", "run.tsv", NUGGETS, text=shown)


CSV_LINES = {
    "too many fields": (b"flood,u2,1699921800,a, b,1,1\n", "field-count"),
    "too few fields": (b"flood\n", "field-count"),
    "not UTF-8": (b"flood,u2,1699921800,b\xe4nks,1,1\n", "encoding"),
    "a quote too few": (b'flood,u2,1699921800,"a,1,1\n', "csv-syntax"),
    "a lone carriage return": (b"flood,u2,1699921800,a\rb,1,1\n", "line-ends"),
}


@pytest.mark.parametrize("fault", CSV_LINES)
def test_a_faulty_line_of_csv(fault: str) -> None:
    line, code = CSV_LINES[fault]
    two_lines = 'flood,u1,1699921800,"one\ntwo",1,1\n'
    Path("run.csv").write_bytes(",".join(HEADER).encode() + b"\n" + two_lines.encode() + line)
    shown = line.decode("utf-8", "replace").rstrip("\n")
    check_fault(code, "run.csv", 4, "score", "run.csv", NUGGETS, text=shown)


JSON_LINES = {
    "not JSON": (b'{"topic": }\n', "json-syntax"),
    "a list": (b"[1, 2]\n", "json-type"),
    "a missing key": (b'{"topic": "t"}\n', "missing-key"),
    "a null": (b'{"topic": null}\n', "empty-value"),
    "a wrong type": (b'{"topic": ["t"]}\n', "json-type"),
    "a boolean": (b'{"topic":"t","update_id":"u","time":true,"text":""}\n', "json-type"),
    "NaN": (b'{"topic":"t","update_id":"u","time":NaN,"text":""}\n', "time-format"),
    "not UTF-8": (b'{"topic": "\xff"}\n', "encoding"),
    "half a pair": (
        b'{"topic":"\\ud83d","update_id":"u","time":1,"text":""}\n',
        "encoding",
    ),
}


@pytest.mark.parametrize("fault", JSON_LINES)
def test_a_faulty_line_of_json(fault: str) -> None:
    line, code = JSON_LINES[fault]
    Path("run.jsonl").write_bytes(written("jsonl", HEADER, FIRST) + b"\n" + line)
    shown = line.decode("utf-8", "replace").rstrip("\n")
    check_fault(code, "run.jsonl", 3, "score", "run.jsonl", NUGGETS, text=shown)


def test_a_null_in_parquet() -> None:
    columns = {
        "topic": ["flood", None],
        "update_id": ["a", "b"],
        "time": [1699921800, 1699921801],
        "text": ["", ""],
    }
    pq.write_table(pa.table(columns), "run.parquet")
    shown = "None\tb\t1699921801\t"
    check_fault("empty-value", "run.parquet", 2, "score", "run.parquet", NUGGETS, text=shown)


@pytest.mark.parametrize("mark", ["\t", "\n", "\r", "\r\n"])
def test_an_id_with_a_tab_or_a_line_s_end(mark: str) -> None:
    bad = with_cells(HEADER, FIRST, {"topic": f"a{mark}b"})
    Path("run.jsonl").write_bytes(written("jsonl", HEADER, bad))
    shown = quoted("jsonl", HEADER, bad)
    check_fault("id-format", "run.jsonl", 1, "score", "run.jsonl", NUGGETS, text=shown)


def test_parquet_that_calls_other_bytes_strings() -> None:
    wrong = pa.StringArray.from_buffers(
        1, *(pa.py_buffer(b) for b in (b"\0\0\0\0\1\0\0\0", b"\xe4"))
    )
    columns = {
        "topic": pa.array(["t"]),
        "update_id": wrong,
        "time": pa.array([1699921800]),
        "text": pa.array([""]),
    }
    pq.write_table(pa.table(columns), "run.parquet")
    check_fault("encoding", "run.parquet", None, "score", "run.parquet", NUGGETS)


def test_columns_of_other_things_than_values() -> None:
    columns = {"topic": [["t"]], "update_id": ["a"], "time": [1699921800], "text": [""]}
    pq.write_table(pa.table(columns), "run.parquet")
    check_fault("column-type", "run.parquet", None, "score", "run.parquet", NUGGETS)
    found = fault_of(lambda: tseval.score(pd.DataFrame(columns), NUGGETS))
    assert found == ("column-type", "<updates>", None)


def test_a_long_line_is_cut_and_its_controls_are_shown() -> None:
    Path("run.tsv").write_bytes(tsv(HEADER) + b"\x1b[31m\0" + b"x" * 500 + b"\n")
    shown = r"\x1b[31m\x00" + "x" * 193 + "…"
    outcome = program.tseval("score", "run.tsv", NUGGETS)
    assert outcome.codes == [("field-count", 2)]
    assert f"\n  | {shown}\n" in outcome.err


def test_a_cell_is_quoted_in_one_line_and_its_controls_are_shown() -> None:
    bad = with_cells(HEADER, FIRST, {"time": "\x1b[2J" + "9" * 10_000})
    Path("run.tsv").write_bytes(tsv(HEADER, bad))
    sentence, _, _ = program.tseval("score", "run.tsv", NUGGETS).err.splitlines()
    assert sentence.startswith(r'error: run.tsv:2: time "\x1b[2J999')
    assert sentence.endswith('999" is neither a number nor an ISO 8601 time')
    assert len(sentence) < 500


def test_a_bad_line_far_down_a_large_file() -> None:
    rows: list[tuple[str, ...]] = [
        ("flood", f"u{i}", str(1699920000 + i), f"Update {i}", "0.5", "1") for i in range(70_010)
    ]
    rows[69_998] = with_cells(HEADER, rows[69_998], {"time": "late"})
    Path("run.tsv").write_bytes(tsv(HEADER, *rows))
    shown = "flood\tu69998\tlate\tUpdate 69998\t0.5\t1"
    check_fault("time-format", "run.tsv", 70_000, "score", "run.tsv", NUGGETS, text=shown)


def test_the_first_ten_faults_are_shown_and_the_rest_counted() -> None:
    rows = [("flood", f"v{i}", "soon", "", "0", "1") for i in range(13)]
    Path("run.tsv").write_bytes(tsv(HEADER, FIRST, *rows))
    lines = program.tseval("score", "run.tsv", NUGGETS).err.splitlines()
    assert len(lines) == 31
    assert [line.split(":")[-2] for line in lines[0:30:3]] == [str(line) for line in range(3, 13)]
    assert lines[-1] == "run.tsv: 3 more faults; `tseval validate` lists all"
    Path("run.tsv").write_bytes(tsv(HEADER, FIRST, *rows[:11]))
    lines = program.tseval("score", "run.tsv", NUGGETS).err.splitlines()
    assert lines[-1] == "run.tsv: 1 more fault; `tseval validate` lists all"
    Path("run.tsv").write_bytes(tsv(HEADER, FIRST, *rows[:10]))
    assert len(program.tseval("score", "run.tsv", NUGGETS).err.splitlines()) == 30


def test_validate_lists_all_in_the_order_of_the_lines() -> None:
    rows = [("flood", f"u{i}", "soon", "", "0", "-1") for i in range(40)]
    Path("run.tsv").write_bytes(tsv(HEADER, *rows) + b"a\n\xff\n")
    outcome = program.tseval("validate", "run.tsv")
    lines = outcome.out.splitlines()
    assert (outcome.code, outcome.err, len(lines)) == (1, "", 83)
    codes = program.tseval("score", "run.tsv", NUGGETS).codes
    assert len(codes) == 83
    assert codes[:2] == [("time-format", 2), ("number-range", 2)]
    assert codes[-3:] == [("field-count", 42), ("field-count", 43), ("encoding", 43)]
    assert [int(line.split(":")[1]) for line in lines] == [line for _, line in codes]


# Headers and whole files


def test_an_empty_file() -> None:
    Path("run.tsv").write_bytes(b"")
    check_fault("empty-file", "run.tsv", None, "score", "run.tsv", NUGGETS)
    check_fault("empty-file", "-", None, "score", "-", NUGGETS)


@pytest.mark.parametrize("form", ["tsv", "csv", "parquet"])
def test_gold_with_a_header_alone(form: str) -> None:
    Path("gold").write_bytes(written(form, GOLD_HEADER))
    check_fault("no-rows", "gold", None, "score", SWIFT, "gold")


def test_an_empty_frame_of_gold() -> None:
    gold = pd.DataFrame(columns=GOLD_HEADER)
    assert fault_of(lambda: tseval.score(SWIFT, gold)) == ("no-rows", "<nuggets>", None)


@pytest.mark.parametrize("form", ["tsv", "csv", "parquet"])
def test_a_run_with_a_header_alone_is_an_empty_system(form: str) -> None:
    Path("run").write_bytes(written(form, HEADER))
    outcome = program.tseval("score", "run", NUGGETS, "-m", "P R", "-f", "trec", "--quiet")
    assert (outcome.code, outcome.out) == (0, "P\tall\tundefined\nR\tall\t0.0\n")


@pytest.mark.parametrize("form", ["tsv", "csv", "parquet"])
def test_a_missing_column(form: str) -> None:
    header = ("topic", "update", "when", "said")
    Path("run").write_bytes(written(form, header, FIRST[:4]))
    line = None if form == "parquet" else 1
    check_fault("missing-column", "run", line, "score", "run", NUGGETS)


def test_a_missing_column_of_a_frame() -> None:
    frame = pd.DataFrame([FIRST[:3]], columns=HEADER[:3])
    assert fault_of(lambda: tseval.score(frame, NUGGETS)) == ("missing-column", "<updates>", None)


@pytest.mark.parametrize("form", ["tsv", "csv", "parquet"])
def test_a_column_named_twice(form: str) -> None:
    header = (*HEADER, "time")
    Path("run").write_bytes(written(form, header, (*FIRST, "5")))
    line = None if form == "parquet" else 1
    check_fault("duplicate-column", "run", line, "score", "run", NUGGETS)


def test_a_column_named_twice_in_a_frame() -> None:
    frame = pd.DataFrame([(*FIRST, "5")], columns=(*HEADER, "time"))
    found = fault_of(lambda: tseval.score(frame, NUGGETS))
    assert found == ("duplicate-column", "<updates>", None)


@pytest.mark.parametrize("separator", ["\t", ","])
def test_a_header_that_is_not_utf8(separator: str) -> None:
    header = separator.join([*HEADER, "größe"]).encode("latin-1")
    Path("run").write_bytes(header + b"\n" + separator.join([*FIRST, "1"]).encode() + b"\n")
    shown = header.decode("utf-8", "replace")
    check_fault("encoding", "run", 1, "score", "run", NUGGETS, text=shown)


def test_utf16_is_not_utf8() -> None:
    Path("run.tsv").write_bytes(tsv(HEADER, FIRST).decode().encode("utf-16"))
    check_fault("encoding", "run.tsv", 1, "score", "run.tsv", NUGGETS)


def test_a_format_that_is_not_recognised() -> None:
    Path("run").write_bytes(b"Dear all, here is our run\n".replace(b",", b""))
    check_fault("unknown-format", "run", 1, "score", "run", NUGGETS)


def test_an_unknown_input_format() -> None:
    outcome = program.tseval("score", SWIFT, NUGGETS, "--input-format", "excel")
    assert (outcome.code, outcome.out) == (2, "")
    for name in ("'excel'", "tsv", "csv", "jsonl", "parquet"):
        assert name in outcome.err


def test_a_file_that_is_not_parquet() -> None:
    given = ("score", SWIFT, NUGGETS, "--input-format", "parquet")
    check_fault("damaged-file", SWIFT, None, *given)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_a_truncated_compressed_file(suffix: str) -> None:
    import bz2
    import lzma

    compress = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[suffix]
    whole = compress(Path(SWIFT).read_bytes())
    path = Path(f"run.tsv{suffix}")
    path.write_bytes(whole[: len(whole) // 2])
    check_fault("damaged-file", str(path), None, "score", path, NUGGETS)


def test_a_truncated_zstd_file() -> None:
    whole = bytes(pa.Codec("zstd").compress(Path(SWIFT).read_bytes(), asbytes=True))
    Path("run.tsv.zst").write_bytes(whole[: len(whole) // 2])
    check_fault("damaged-file", "run.tsv.zst", None, "score", "run.tsv.zst", NUGGETS)


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz", "zst"])
def test_a_file_that_is_not_compressed_as_its_suffix_says(suffix: str) -> None:
    Path(f"run.tsv.{suffix}").write_bytes(Path(SWIFT).read_bytes())
    name = f"run.tsv.{suffix}"
    check_fault("damaged-file", name, None, "score", name, NUGGETS)


def test_a_missing_file() -> None:
    for given in (
        (SWIFT, "lost.tsv"),
        ("lost.tsv", NUGGETS),
        (SWIFT, NUGGETS, "--matches", "lost.tsv"),
    ):
        check_fault("unreadable-file", "lost.tsv", None, "score", *given)
    assert program.tseval("validate", "lost.tsv").code == 1


def test_a_folder_in_the_place_of_a_file() -> None:
    Path("folder").mkdir()
    check_fault("unreadable-file", "folder", None, "score", "folder", NUGGETS)


def test_standard_input_for_two_files() -> None:
    message = "error: standard input (-) can stand for one file only\n"
    check(message, "score", "-", "-", code=2, stdin=tsv(HEADER))
    check(message, "score", SWIFT, "-", "--matches", "-", code=2)
    refused(program.tseval("validate", "-", "-"), message, code=2)


# Outputs that cannot be written


def test_an_output_in_no_folder() -> None:
    outcome = program.tseval("score", SWIFT, NUGGETS, "-o", "lost/result.json")
    refused(outcome, "error: lost/result.json: there is no folder lost\n")


def test_an_output_that_is_a_folder() -> None:
    Path("folder").mkdir()
    outcome = program.tseval("score", SWIFT, NUGGETS, "-o", "folder")
    assert outcome.code == 2
    assert "folder" in outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize("command", ["score", "match", "curve"])
def test_an_output_without_permission(
    here: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    outcome = program.tseval(command, SWIFT, NUGGETS, "-o", "result.csv", "--quiet")
    refused(outcome, "error: result.csv: permission denied\n")
    assert not list(here.iterdir())


def test_an_output_in_a_folder_that_may_not_be_changed() -> None:
    Path("folder").mkdir(mode=0o555)
    folder = "/proc" if os.geteuid() == 0 else "folder"  # root may write to any real folder
    outcome = program.tseval("score", SWIFT, NUGGETS, "-o", f"{folder}/result.csv", "--quiet")
    assert outcome.code == 1
    assert outcome.err.startswith(f"error: {folder}/result.csv: ")
    assert "Traceback" not in outcome.err


def test_a_full_disk_leaves_the_earlier_result(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    Path("result.csv").write_bytes(b"earlier")
    monkeypatch.setattr("pathlib.Path.replace", refuse)
    outcome = program.tseval("score", SWIFT, NUGGETS, "-o", "result.csv", "--quiet")
    refused(outcome, "error: result.csv: no space left on device\n")
    assert [path.name for path in here.iterdir()] == ["result.csv"]
    assert Path("result.csv").read_bytes() == b"earlier"


# Wrong usage: exit code 2


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["-m", "Q"], "unknown measure 'Q'; known: P, R, Rs, T"),
        (["-m", "T(g=cubic)"], "g cannot be 'cubic': choose one of "),
        (["-m", "T(size=1)"], "T has no parameter 'size'; it has: g, unit"),
        (["-m", "R(x=1)"], "R has no parameter 'x'; it has: "),
        (["-m", "T(g=sign"], "'T(g=sign': a bracket is not closed"),
        (["-m", "R@soon"], 'R@soon: "soon" is neither a number nor an ISO 8601 time'),
        (["--at", "6 hours"], '"6 hours" is neither a number nor an ISO 8601 time'),
        (["--matcher", "guess"], "unknown matcher 'guess'; known: assessed, "),
        (["--matcher", "fuzzy(speed=9)"], "fuzzy: unknown parameter 'speed'"),
        (["--matcher", "assessed"], "matcher=assessed needs --matches FILE"),
        (
            ["--matcher", "fuzzy", "--matches", MATCHES],
            "give matches or a matcher, not both",
        ),
        (["--threshold", "2"], "threshold"),
        (["--edition", "2099"], "2099"),
    ],
)
def test_a_name_that_means_nothing(here: Path, option: list[str], message: str) -> None:
    outcome = program.tseval("score", SWIFT, NUGGETS, *option, "-o", "result.json")
    assert outcome.err.startswith("error: ")
    assert message in outcome.err
    assert outcome.code == 2
    assert outcome.out == ""
    assert not list(here.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["score"],
        ["score", SWIFT],
        ["score", SWIFT, NUGGETS, "--nothing"],
        ["score", SWIFT, NUGGETS, "-f", "xml"],
        ["score", SWIFT, NUGGETS, "--on-missing", "maybe"],
        ["score", SWIFT, NUGGETS, "--threshold", "high"],
        ["curve", SWIFT],
        ["match", SWIFT],
        ["validate"],
        ["validate", "--table", "chair", SWIFT],
    ],
)
def test_wrong_usage(arguments: list[str]) -> None:
    outcome = program.tseval(*arguments)
    assert outcome.code == 2
    assert outcome.err.startswith("Usage: tseval")
    assert "\nError: " in outcome.err
    assert outcome.out == ""


def test_an_unknown_topic_or_suffix_of_a_curve() -> None:
    check(
        "error: no topic 'fire' here; there are: ferry, flood, mine\n",
        *("curve", SWIFT, NUGGETS, "--topic", "fire", "-f", "csv"),
        code=2,
    )
    outcome = program.tseval("curve", SWIFT, NUGGETS, "-o", "curve.doc")
    assert (outcome.code, outcome.out) == (2, "")
    assert "doc" in outcome.err
    assert "csv, png, svg, pdf, html" in outcome.err
    assert not Path("curve.doc").exists()
    assert program.tseval("measures", "nothing").code == 2


def test_missing_topics_where_they_are_an_error() -> None:
    check(
        "error: run swift has no updates for 1 judged topic: mine\n",
        *("score", SWIFT, NUGGETS, "--on-missing", "error"),
    )


# What is not a fault of a file


def test_a_missing_extra_names_the_line_that_installs_it(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    outcome = program.tseval("curve", SWIFT, NUGGETS, "-o", "curve.png", "--quiet")
    assert outcome.code == 1
    assert outcome.err.startswith("error: ")
    assert "pip install '.[report]' in a checkout of tseval" in outcome.err
    assert "or, anywhere, pip install '" in outcome.err
    assert "'vl-convert-python" in outcome.err
    assert outcome.err.count("\n") == 1
    assert not list(here.iterdir())


def test_an_unexpected_exception_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("tseval.families.temporal.evaluation.TemporalEvaluation.read_tables", fail)
    refused(
        program.tseval("score", SWIFT, NUGGETS),
        "error: ZeroDivisionError: by nothing\n"
        "  this is a fault of tseval: run it again with --debug and report what it shows\n",
    )
    shown = program.tseval("score", SWIFT, NUGGETS, "--debug").err
    assert shown.startswith("Traceback (most recent call last):")
    assert "error: ZeroDivisionError: by nothing\n" in shown


@pytest.mark.parametrize("arguments", [["--debug", "score"], ["score", "--debug"]])
def test_debug_shows_the_traceback_of_a_fault_as_well(arguments: list[str]) -> None:
    outcome = program.tseval(*arguments, "lost.tsv", NUGGETS)
    assert outcome.code == 1
    assert outcome.err.startswith("Traceback (most recent call last):")
    assert outcome.err.endswith("error: lost.tsv: no such file or directory\n")


def test_a_file_whose_name_is_not_utf8() -> None:
    name = os.fsdecode(b"r\xff.tsv")
    try:
        Path(name).write_bytes(tsv(HEADER, FIRST))
    except OSError:
        pytest.skip("this file system takes no such name")
    outcome = program.tseval("score", name, SWIFT, NUGGETS, "-f", "json", "--quiet")
    assert outcome.code == 0
    content = json.loads(outcome.out)
    assert content["inputs"][0]["path"] == "r�.tsv"
    assert content["records"][0]["run"] == "r�"
    assert program.tseval("validate", name).out == "r�.tsv: updates, 1 row, no fault\n"


# Real processes


def test_a_fault_as_the_shell_sees_it(here: Path) -> None:
    Path("run.tsv").write_bytes(tsv(HEADER, FIRST[:2]))
    inside = program.tseval("score", "run.tsv", NUGGETS)
    assert inside.codes == [("field-count", 2)]
    refused(program.process("score", "run.tsv", NUGGETS, "-o", "result.json"), inside.err)
    assert [path.name for path in here.iterdir()] == ["run.tsv"]


def test_a_message_where_the_terminal_knows_only_ascii() -> None:
    Path("run.tsv").write_bytes(tsv(HEADER) + "größe 地震\n".encode())
    for command in ("score", "validate"):
        outcome = program.process(
            command, "run.tsv", NUGGETS, PYTHONIOENCODING="ascii", PYTHONUTF8="0"
        )
        assert outcome.code == 1
        assert "run.tsv:2: 1 field where the header has 6" in outcome.err + outcome.out
        assert b"Traceback" not in outcome.error


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupted_run(here: Path) -> None:
    running = subprocess.Popen(
        program.command("score", "-", NUGGETS, "-o", "result.json"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPROFILEIMPORTTIME": "1"},
    )
    assert running.stdin is not None
    assert running.stderr is not None
    imported = b""
    while b"temporal.evaluation" not in imported or select.select([running.stderr], [], [], 1)[0]:
        imported += os.read(running.stderr.fileno(), 1 << 16) or pytest.fail("it has ended")
    running.stdin.write(tsv(HEADER))  # nothing more is imported: it waits for its input
    running.stdin.flush()
    with pytest.raises(subprocess.TimeoutExpired):
        running.wait(timeout=0.6)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert out == b""
    assert b"Traceback" not in err
    assert b"KeyboardInterrupt" not in err
    assert not list(here.iterdir())


@pytest.mark.parametrize("command", ["curve", "match", "score"])
@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_closed_pipe_is_silent(command: str) -> None:
    rows: list[tuple[str, ...]] = [
        ("flood", f"u{i}", str(1699920000 + i), f"{GOLD[3]} {i}", "0.5", "1") for i in range(4000)
    ]
    Path("run.tsv").write_bytes(tsv(HEADER, *rows))
    Path("gold.tsv").write_bytes(tsv(GOLD_HEADER, GOLD))
    extra = ["--explain", "updates", "-f", "tsv"] if command == "score" else []
    assert program.error_of_a_closed_pipe(command, "run.tsv", "gold.tsv", *extra, "--quiet") == b""


@pytest.mark.skipif(os.name != "posix", reason="named pipes of POSIX")
def test_a_pipe_by_its_path_is_read_once() -> None:
    os.mkfifo("pipe")
    with subprocess.Popen(["cp", SWIFT, "pipe"]) as writer:
        try:
            through = program.process("score", "pipe", NUGGETS, "-f", "csv", "--quiet")
        finally:
            writer.kill()  # or it waits for a reader for ever, should the program not be one
    assert through.code == 0
    assert through.out == program.tseval("score", SWIFT, NUGGETS, "-f", "csv", "--quiet").out


# Warnings


WHY_ZERO = (
    "of a nugget that is there",
    "matches is of an update of these runs",
    "match is not of an update of these runs",
    "in the pool",
    "no match is of these runs",
    "no updates for",
)
"""What is said of scores of 0, and so to the quiet as well."""
AUTOMATIC = (
    "Automatic matches: check them on your texts with `tseval calibrate` before relying on these "
    "scores."
)


def warnings_of(*arguments: object) -> list[str]:
    """The warnings beside the caveat of automatic matches, which stands without --matches alone."""
    outcome = program.tseval("score", *arguments, "-m", "R", "-f", "csv")
    assert outcome.code == 0
    quiet = program.tseval("score", *arguments, "-m", "R", "-f", "csv", "--quiet")
    told = outcome.err.splitlines()
    reasons = [line for line in told if any(reason in line for reason in WHY_ZERO)]
    assert (quiet.out, quiet.err.splitlines()) == (outcome.out, reasons)
    assert told.count(f"warning: {AUTOMATIC}") == ("--matches" not in arguments)
    return [line for line in told if line != f"warning: {AUTOMATIC}"]


def test_topics_that_are_not_in_the_gold_are_warned_about() -> None:
    Path("gold.tsv").write_bytes(tsv(GOLD_HEADER, ("mine", *GOLD[1:])))
    Path("run.tsv").write_bytes(tsv(HEADER, ("mine", "u1", "1699999999", "so", "0.4", "1"), FIRST))
    assert warnings_of("run.tsv", "gold.tsv") == [
        "warning: run run: 1 topic not in the gold, ignored: flood"
    ]


def test_nuggets_without_text_are_warned_about_where_a_matcher_needs_it() -> None:
    Path("gold.tsv").write_bytes(
        tsv(GOLD_HEADER, GOLD, with_cells(GOLD_HEADER, GOLD, {"nugget_id": "n2", "text": ""}))
    )
    Path("run.tsv").write_bytes(tsv(HEADER, with_cells(HEADER, FIRST, {"time": "1699999999"})))
    Path("m.tsv").write_bytes(tsv(MATCH_HEADER, ("flood", "u1", "n2")))
    assert warnings_of("run.tsv", "gold.tsv") == [
        "warning: 1 nugget without text cannot be matched: n2"
    ]
    assert warnings_of("run.tsv", "gold.tsv", "--matches", "m.tsv") == []


@pytest.mark.parametrize("more", [(), ("--in-blocks", "1")])
def test_updates_without_text_are_warned_about_where_a_matcher_needs_it(
    more: tuple[str, ...],
) -> None:
    Path("gold.tsv").write_bytes(tsv(GOLD_HEADER, GOLD))
    late = {"time": "1699999999"}
    silent = [
        with_cells(HEADER, FIRST, late | {"update_id": name, "text": "", "topic": topic})
        for name, topic in (("u2", "flood"), ("u3", "flood"), ("u4", "elsewhere"))
    ]
    Path("run.tsv").write_bytes(tsv(HEADER, with_cells(HEADER, FIRST, late), *silent))
    Path("m.tsv").write_bytes(tsv(MATCH_HEADER, ("flood", "u1", "n1")))
    told = {
        "warning: run run: 1 topic not in the gold, ignored: elsewhere",
        "warning: run run: every confidence is 0.5",
    }
    mute = "warning: run run: 2 updates without text cannot be matched"
    assert set(warnings_of("run.tsv", "gold.tsv", *more)) == {*told, mute}
    assert set(warnings_of("run.tsv", "gold.tsv", "--matches", "m.tsv", *more)) == told


TRACK_RUN = b"flood team one 1700000000-aaaa 3 1700000100 1.5\n"
TRACK_MUTE = (
    "error: runs of the track have no text to match by%s: team-one; "
    "give --pool FILE with the texts, or --matches FILE\n"
)


@pytest.mark.parametrize("command", ["score", "match", "curve", "compare"])
def test_a_run_of_the_track_is_not_matched_without_its_texts(command: str) -> None:
    """It would score 0 without a word."""
    Path("gold.tsv").write_bytes(tsv(GOLD_HEADER, GOLD))
    Path("run").write_bytes(TRACK_RUN)
    Path("bare.tsv").write_bytes(b"topic\tupdate_id\nflood\t1700000000-aaaa-3\n")
    gold = ("--gold", "gold.tsv") if command == "compare" else ("gold.tsv",)
    alone = program.tseval(command, "run", *gold)
    assert (alone.code, alone.err) == (2, TRACK_MUTE % "")
    bare = program.tseval(command, "run", *gold, "--pool", "bare.tsv")
    assert (bare.code, bare.err) == (2, TRACK_MUTE % ", and neither has this pool")


def test_a_run_of_the_track_is_matched_by_the_texts_of_the_pool() -> None:
    Path("gold.tsv").write_bytes(tsv(GOLD_HEADER, GOLD))
    Path("run").write_bytes(TRACK_RUN)
    said = GOLD[GOLD_HEADER.index("text")].encode()
    Path("pool.tsv").write_bytes(b"topic\tupdate_id\ttext\nflood\t1700000000-aaaa-3\t%s\n" % said)
    scores = program.tseval("score", "run", "gold.tsv", "--pool", "pool.tsv", "-m", "R")
    found = program.tseval("match", "run", "gold.tsv", "--pool", "pool.tsv", "-o", "found.tsv")
    assert (scores.code, found.code) == (0, 0)
    again = ("--matches", "found.tsv", "--pool", "pool.tsv", "-m", "R")
    assert "1.0000" in scores.out
    assert "1.0000" in program.tseval("score", "run", "gold.tsv", *again).out


def test_updates_before_the_start_of_the_topic_are_warned_about() -> None:
    Path("gold.tsv").write_bytes(tsv(GOLD_HEADER, GOLD))
    Path("run.tsv").write_bytes(tsv(HEADER, FIRST))
    Path("topics.tsv").write_bytes(tsv(("topic", "start"), ("flood", FIRST[2])))
    assert warnings_of("run.tsv", "gold.tsv") == [
        "warning: run run: 1 update before the start of the topic"
    ]
    assert warnings_of("run.tsv", "gold.tsv", "--topics", "topics.tsv") == []


@pytest.mark.parametrize("more", [(), ("--in-blocks", "1")])
def test_times_in_milliseconds_are_refused(more: tuple[str, ...]) -> None:
    Path("run.tsv").write_bytes(tsv(HEADER, with_cells(HEADER, FIRST, {"time": "1699999999000"})))
    Path("gold.tsv").write_bytes(tsv(GOLD_HEADER, GOLD))
    done = program.tseval("score", "run.tsv", "gold.tsv", *more)
    assert (done.code, done.codes) == (1, [("time-unit", 2)])


SENT = [
    with_cells(HEADER, FIRST, {"update_id": name, "time": "1699999999"}) for name in ("u1", "u2")
]
POOL_HEADER = ("topic", "update_id")
MATCH_HEADER = ("topic", "update_id", "nugget_id")
OUTSIDE = "run run: none of its 2 updates is in the pool"
NO_UPDATE = "none of the 2 matches is of an update of these runs"
HALF_JUDGED = "50 % of updates are judged (run); the others count as no match"


@pytest.mark.parametrize("more", [(), ("--in-blocks", "1"), ("--rule", "unsampled=skip")])
def test_a_pool_of_other_runs_is_refused_and_matches_are_warned_about(
    more: tuple[str, ...],
) -> None:
    unjudged = ("storm", *SENT[0][1:])
    Path("gold.tsv").write_bytes(tsv(GOLD_HEADER, GOLD))
    Path("run.tsv").write_bytes(tsv(HEADER, *SENT, unjudged))
    others = [("flood", "x1"), ("flood", "x2"), ("storm", "u1")]
    files = ("run.tsv", "gold.tsv", "--matches", "matches.tsv", "--pool", "pool.tsv", *more)
    ignored = "warning: run run: 1 topic not in the gold, ignored: storm"

    half = [] if "--rule" in more else [f"warning: {HALF_JUDGED}"]

    def told(pool: Sequence[Row], matches: Sequence[Row]) -> list[str]:
        Path("pool.tsv").write_bytes(tsv(POOL_HEADER, *pool))
        Path("matches.tsv").write_bytes(tsv(MATCH_HEADER, *matches))
        found = [line for line in warnings_of(*files) if "every confidence" not in line]
        return [line for line in found if line != ignored]

    lost = [("flood", "x1", "n1"), ("flood", "x2", "n1")]
    assert told([*others, ("flood", "u1")], lost) == [f"warning: {NO_UPDATE}", *half]
    Path("pool.tsv").write_bytes(tsv(POOL_HEADER, *others))
    check_fault("unrelated-inputs", "pool.tsv", 2, "score", *files)
    one = [*others, ("flood", "u2")]
    assert told(one, lost) == [f"warning: {NO_UPDATE}", *half]
    lone = "warning: the one match is not of an update of these runs"
    assert told(one, lost[:1]) == [lone, *half]
    assert told(one, [*lost, ("flood", "u2", "n1")]) == half
    assert told(one, []) == half


@pytest.mark.parametrize("more", [(), ("--in-blocks", "1")])
def test_published_matches_of_other_nuggets_are_warned_about(more: tuple[str, ...]) -> None:
    header = ("query_id", "update_id", "nugget_id", "match_start", "match_end", "auto_p")
    rows = [("flood", f"u{at}", f"old{at}", "0", "1", "0") for at in (1, 2)]
    Path("gold.tsv").write_bytes(tsv(GOLD_HEADER, GOLD))
    Path("run.tsv").write_bytes(tsv(HEADER[:4], *(row[:4] for row in SENT)))
    Path("matches.tsv").write_bytes(tsv(header, *rows))
    files = ("run.tsv", "gold.tsv", "--matches", "matches.tsv", *more)
    assert warnings_of(*files) == ["warning: none of the 2 matches is of a nugget that is there"]
    Path("matches.tsv").write_bytes(tsv(header, *rows, ("flood", "x", "n1", "0", "1", "0")))
    assert warnings_of(*files) == [
        "warning: matches name 2 nuggets that are not there, passed over: old1, old2",
        "warning: the one match is not of an update of these runs",
    ]


@pytest.mark.parametrize("stopped", [False, True])
def test_a_live_stream_of_another_pool_is_warned_about(stopped: bool) -> None:
    """A state remembers what was in the pool and what was said."""
    Path("gold.tsv").write_bytes(tsv(GOLD_HEADER, GOLD))
    files = ("--matches", "matches.tsv", "--pool", "pool.tsv", "--state", "state", "-m", "R")
    updates = [dict(zip(HEADER[:4], row[:4], strict=True)) for row in SENT]
    lines = [json.dumps(update | {"run": "run"}) + "\n" for update in updates]

    def told(pool: Sequence[Row], matches: Sequence[Row]) -> list[str]:
        Path("state").unlink(missing_ok=True)
        Path("pool.tsv").write_bytes(tsv(POOL_HEADER, *pool))
        Path("matches.tsv").write_bytes(tsv(MATCH_HEADER, *matches))
        first, last = (lines[:1], lines) if stopped else ([], lines)
        for part in filter(None, (first, last)):
            given = "".join(part).encode()
            done = program.tseval("score", "--follow", "gold.tsv", *files, stdin=given)
            assert done.code == 0, done.err
        found: list[str] = json.loads(done.out.splitlines()[-1])["warnings"]
        return found

    others = [("flood", "x1"), ("flood", "x2")]
    lost = [("flood", "x1", "n1"), ("flood", "x2", "n1")]
    assert told(others, lost) == [NO_UPDATE, OUTSIDE]
    assert told([*others, ("flood", "u1")], [*lost, ("flood", "u1", "n1")]) == [HALF_JUDGED]


def test_duplicates_of_other_runs_are_warned_about() -> None:
    Path("gold.tsv").write_bytes(tsv(GOLD_HEADER, GOLD))
    Path("run.tsv").write_bytes(tsv(HEADER[:4], *(row[:4] for row in SENT)))
    Path("matches.tsv").write_bytes(tsv(MATCH_HEADER, ("flood", "u1", "n1")))
    told = ["warning: none of the 2 duplicates is of an update of these runs"]

    def of(*rows: Row) -> list[str]:
        header = ("topic", "update_id", "duplicate_id")[-len(rows[0]) :]
        Path("duplicates.tsv").write_bytes(tsv(header, *rows))
        given = ("--matches", "matches.tsv", "--duplicates", "duplicates.tsv")
        return warnings_of("run.tsv", "gold.tsv", *given)

    assert of(("a", "b"), ("b", "c")) == told
    assert of(("a", "b"), ("b", "u1")) == []
    assert of(("storm", "u1", "b"), ("storm", "u1", "c")) == told
    assert of(("flood", "u1", "b"), ("storm", "u1", "c")) == []


def test_constant_confidences_are_warned_about() -> None:
    Path("gold.tsv").write_bytes(tsv(GOLD_HEADER, GOLD))
    late = [
        with_cells(HEADER, FIRST, {"update_id": f"u{i}", "time": "1699999999"}) for i in range(3)
    ]
    Path("run.tsv").write_bytes(tsv(HEADER, *late))
    assert warnings_of("run.tsv", "gold.tsv") == ["warning: run run: every confidence is 0.5"]
    other = with_cells(HEADER, late[0], {"update_id": "u9", "confidence": "0.6"})
    Path("run.tsv").write_bytes(tsv(HEADER, *late, other))
    assert warnings_of("run.tsv", "gold.tsv") == []


def test_warnings_are_in_the_json_even_when_quiet() -> None:
    Path("gold.tsv").write_bytes(tsv(GOLD_HEADER, GOLD))
    Path("run.tsv").write_bytes(tsv(HEADER, FIRST))
    outcome = program.tseval("score", "run.tsv", "gold.tsv", "-f", "json", "--quiet")
    assert json.loads(outcome.out)["warnings"] == [
        AUTOMATIC,
        "run run: 1 update before the start of the topic",
    ]


# What a file is meant for

NEAR = {
    "JSON lines without an id": (
        '{"topic": "t", "text": "a", "time": 5}\n' * 4,
        "f:1: no update_id: nearest to updates (topic update_id time text); "
        "nuggets: no nugget_id; clusters: no cluster_id, post_id",
    ),
    "JSON lines of another program": (
        '{"id": "1", "text": "a", "time": 5}\n' * 4,
        "f:1: no topic: nearest to updates (topic update_id time text); "
        "nuggets: no topic; clusters: no topic, cluster_id",
    ),
    "an array": (
        '[{"topic": "t", "update_id": "u", "text": "a", "time": 5}]',
        'f: row 1: time "5" is "1970-01-01T00:00:05Z" in Unix seconds, before 1990',
    ),
    "an array without an id": (
        '[\n  {"topic": "t",\n  "text": "a", "time": 5}\n]\n',
        "f:1: no update_id: nearest to updates (topic update_id time text); "
        "nuggets: no nugget_id; clusters: no cluster_id, post_id",
    ),
    "a misspelt column": (
        "topic\tupdate_id\ttimestmp\ttext\nt\tu\t5\ta\n",
        'f:1: no time: nearest to updates (topic update_id time text); "timestmp" looks like time',
    ),
    "semicolons": (
        "topic;update_id;time;text\nt;u;5;a\n",
        'f:2: time "5" is "1970-01-01T00:00:05Z" in Unix seconds, before 1990',
    ),
}


@pytest.mark.parametrize("name", NEAR)
def test_validate_tells_the_nearest_table(name: str) -> None:
    content, expected = NEAR[name]
    Path("f").write_text(content)
    outcome = program.tseval("validate", "f")
    assert (outcome.code, outcome.out) == (1, expected + "\n")


TOLD_APART = {
    "labels": "topic\tpost_id\tlevel\ttypes\ttime\nt\tp\tHigh\tx\t1329910380\n",
    "predictions": "topic\tpost_id\tpriority\ttypes\ttime\nt\tp\t1\tx\t1329910380\n",
    "truth": "topic\tpost_id\trelevance\ttime\nt\tp\t1\t1329910380\n",
    "posts": "topic\tpost_id\ttime\tconfidence\nt\tp\t1329910380\t1\n",
}


@pytest.mark.parametrize("table", TOLD_APART)
def test_validate_takes_the_table_that_has_most_of_the_columns(table: str) -> None:
    """Labels, predictions and truths have all columns that posts need, and others."""
    Path("f").write_text(TOLD_APART[table])
    assert program.tseval("validate", "f").out == f"f: {table}, 1 row, no fault\n"


def test_a_document_of_json_is_called_one() -> None:
    """As `match -f json` writes it; its records are a table that keeps its matcher."""
    program.tseval("match", SWIFT, NUGGETS, "-o", "m.json", "--quiet")
    check_fault("unknown-format", "m.json", 1, "score", SWIFT, NUGGETS, "--matches", "m.json")
    records = json.loads(Path("m.json").read_text(encoding="utf-8"))["records"]
    Path("m.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    outcome = program.tseval("score", SWIFT, NUGGETS, "--matches", "m.jsonl", "--quiet")
    assert "|matcher:learned(threshold=0.2,weights=" in outcome.out


def test_match_has_nothing_to_find_in_assessed_matches() -> None:
    outcome = program.tseval("match", SWIFT, NUGGETS, "--matcher", "assessed")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: assessed matches are in a file already")


ARRAY = """[
  {"topic": "t", "update_id": "a", "text": "x",
   "time": 1329910380},
  {"topic": "t", "update_id": "b", "text": "y", "time": 1329910381}
]
"""
BROKEN_ARRAYS: dict[str, tuple[str, str, int | None]] = {
    "cut off": (ARRAY[:-3], "json-syntax", 4),
    "no comma": (ARRAY.replace("},", "}"), "json-syntax", 4),
    "a comma too many": (ARRAY.replace("}\n]", "},]"), "json-syntax", 4),
    "more behind it": (ARRAY + "{}", "json-syntax", 6),
    "a number": (ARRAY.replace("},", "}, 5,"), "json-type", 2),
    "a list": (ARRAY.replace("},", "}, [],"), "json-type", 2),
    "no key": (ARRAY.replace('"text": "y", ', ""), "missing-key", 2),
    "a key twice": (
        ARRAY.replace('"update_id": "b"', '"topic": "t", "update_id": "b"'),
        "duplicate-key",
        2,
    ),
    "half a character": (ARRAY.replace('"y"', '"\\ud83c"'), "encoding", 2),
    "an id twice": (ARRAY.replace('"b"', '"a"'), "duplicate-id", 2),
    "deep": (ARRAY.replace('"y"', "[" * 500_000), "json-syntax", None),
}


@pytest.mark.parametrize("name", BROKEN_ARRAYS)
def test_a_faulty_array_is_told_by_its_line_or_row(name: str) -> None:
    content, code, line = BROKEN_ARRAYS[name]
    Path("f").write_text(content)
    check_fault(code, "f", line, "score", "f", NUGGETS)
    scored = program.tseval("score", "f", NUGGETS)
    assert scored.err.count("\n  ") == (1 if name == "deep" else 2), "the line and the cure"
    outcome = program.tseval("validate", "f", "--table", "updates")
    assert outcome.code == 1
    assert outcome.out.splitlines()[0] == str(scored.faults[0])


def test_an_array_that_is_no_utf_8_is_told_by_its_line() -> None:
    Path("f").write_bytes(ARRAY.encode().replace(b'"y"', b'"\xff"'))
    check_fault("encoding", "f", 4, "score", "f", NUGGETS)


def test_an_array_is_read_whole_and_not_in_blocks() -> None:
    Path("f").write_text(ARRAY)
    outcome = program.tseval("score", "f", NUGGETS, "--in-blocks", "2")
    assert outcome.err == ("error: f is json; what is read in blocks is: tsv, jsonl, parquet\n")


@pytest.mark.parametrize("form", FORMS)
def test_a_fault_of_all_rows_is_said_once_with_their_number(form: str) -> None:
    """The value that is quoted may be another in each row; a fault of some rows is listed."""
    rows = [{**dict(zip(HEADER, FIRST, strict=True)), "update_id": f"u{i}", "time": f"day {i}"}
            for i in range(13)]  # fmt: skip
    frame = pd.DataFrame(rows).astype(str)
    frame.loc[4, "cost"] = "-1"
    write_as(frame, form)
    unit = "row" if form in ("json", "parquet") else "line"
    first = 1 if form in ("jsonl", "json", "parquet") else 2
    lines = program.tseval("validate", "--table", "updates", "f").out.splitlines()
    assert lines[0].endswith(f"the same in all 13 {unit}s from here on")
    assert len(lines) == 2
    codes = program.tseval("score", "f", NUGGETS).codes
    assert codes == [("time-format", first), ("number-range", first + 4)]
    frame.loc[7, "time"] = "1699934400"
    write_as(frame, form)
    lines = program.tseval("validate", "--table", "updates", "f").out.splitlines()
    assert len(lines) == 13


def write_as(frame: pd.DataFrame, form: str) -> None:
    if form == "parquet":
        frame.to_parquet("f")
    elif form in ("json", "jsonl"):
        frame.to_json("f", orient="records", lines=form == "jsonl")
    else:
        frame.to_csv("f", sep="\t" if form == "tsv" else ",", index=False)


def test_the_named_format_tells_validate_what_the_columns_are() -> None:
    """A tab in the header of a CSV makes it a TSV by its content."""
    Path("f").write_text("topic,update_id,time,text,my\tnote\nt,u,1700000000,a,b\n")
    assert program.tseval("validate", "f").code == 1
    for form in ("csv", "updates=csv"):
        outcome = program.tseval("validate", "f", "--input-format", form)
        assert outcome.out == "f: updates, 1 row, no fault\n", form


# Messages that were garbled

MENDED = {
    "no time": (("--at", ""), "P@: no time is given: write a time from the start, such as 6h, or "),
    "no number": (("--at", "nan"), 'P@nan: "nan" is not a finite number: write a time from the st'),
    "too large": (("--at", "1e999"), 'P@1e999: "1e999" is too large for a number: write a time '),
    "a word": (
        ("--at", "soon"),
        'P@soon: "soon" is neither a number nor an ISO 8601 time: write a',
    ),
    "nothing after @": (("-m", "R@"), "'R@': after the @ a time is missing, such as R@6h\n"),
    "no parameter": (("-m", "T(=3)"), "T: a parameter has no name; it has: g, unit\n"),
}


@pytest.mark.parametrize("name", MENDED)
def test_messages_are_whole_sentences(name: str) -> None:
    more, message = MENDED[name]
    outcome = program.tseval("score", SWIFT, NUGGETS, *more)
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: {message}")


def test_a_file_without_a_name_is_no_folder() -> None:
    outcome = program.tseval("score", SWIFT, NUGGETS, "--pool", "")
    assert (outcome.code, outcome.codes) == (1, [("unreadable-file", None)])


@pytest.mark.parametrize(
    ("value", "found"),
    [("1", "number"), ('"a"', "text"), ("null", "null"), ("true", "truth value"), ("[1]", "list")],
)
def test_values_of_json_are_called_as_json_calls_them(value: str, found: str) -> None:
    good = '{"topic": "flood", "update_id": "u", "time": 1329910380, "text": "a"}\n'
    Path("f").write_text(f"{good}{value}\n")
    outcome = program.tseval("score", "f", NUGGETS)
    assert f"f:2: a JSON {found} where an object is expected" in outcome.err
    Path("f").write_text(good.replace('"a"', '{"b": 1}'))
    assert 'f:1: "text" is a JSON object' in program.tseval("score", "f", NUGGETS).err
