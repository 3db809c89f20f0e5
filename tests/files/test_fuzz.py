"""Whatever a file holds, it is read or refused in words; and the fast reader is the slow one."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from tests import program
from tests import strategies as st
from tests.oracles import tables as slow
from tseval.core.registry import schemas
from tseval.errors import InputError, TsevalError
from tseval.io import inputs
from tseval.io.forms import READERS, read_plain
from tseval.io.given import FrameInput
from tseval.io.inputs import Input
from tseval.io.schema import Schema

pytestmark = pytest.mark.small_times

FIXTURES = {
    "updates": program.FIXTURES / "runs" / "swift.tsv",
    **{path.stem: path for path in program.FIXTURES.glob("*.tsv")},
}
"""A shipped file for each kind of table that has one."""
FORMS = (None, *READERS)


def zst(content: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(content, asbytes=True))


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zst,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def read_rows(source: Input, schema: Schema, form: str | None = None) -> pl.DataFrame:
    """The rows of a plain table."""
    return read_plain(source, schema, form)[1]


@contextmanager
def blocks_of(size: int) -> Iterator[None]:
    """Let files be read in blocks of a few bytes, so that lines and characters cross them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "BLOCK_BYTES", size)
        yield


# Anything at all


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """Bytes, or text that looks a little like a table of some form."""
    if draw(st.booleans()):
        return draw(st.binary(max_size=120))
    names = sorted({name for schema in schemas().values() for c in schema for name in c.names})
    piece = st.sampled_from(
        [
            *names,
            *'\t\t\t\n\n\n\r,,"{}:[] ',
            "\r\n",
            "\0",
            "1",
            "nan",
            "\ufeff",
            "\\ud800",
            "é",
            "PAR1",
        ]
    )
    return "".join(draw(st.lists(piece, max_size=40))).encode()


@given(documents(), st.sampled_from(FORMS), st.sampled_from(sorted(schemas())), st.data())
def test_any_bytes_are_a_table_or_a_fault(
    folder: Path, content: bytes, form: str | None, table: str, data: st.DataObject
) -> None:
    suffix = data.draw(st.sampled_from(sorted(COMPRESS)))
    written = COMPRESS[suffix](content) if data.draw(st.booleans()) else content
    read(folder, written, table, form, suffix)


def read(folder: Path, content: bytes, table: str, form: str | None, suffix: str = "") -> None:
    """Read a file; anything but rows or an error of ours is a failure."""
    path = folder / f"file{suffix}"
    path.write_bytes(content)
    try:
        rows = read_rows(Input(path), schemas()[table], form)
    except TsevalError as error:
        check_report(error, str(path))
    else:
        check_rows(rows)


def check_report(error: TsevalError, path: str) -> None:
    report = str(error)
    assert report
    assert path in report
    if isinstance(error, InputError):
        assert error.faults
        assert all(line.startswith(("  ", path)) for line in report.splitlines()), report


def check_rows(rows: pl.DataFrame) -> None:
    numbers = rows.select(pl.selectors.float())
    assert numbers.select(pl.all_horizontal(pl.all().is_finite().all())).row(0)[0] or not (
        numbers.width and numbers.height
    )


# Shipped files with something wrong in them


@cache
def as_form(table: str, form: str) -> bytes:
    """The shipped table in another form."""
    content = FIXTURES[table].read_bytes()
    if form == "tsv":
        return content
    header, *lines = content.decode().splitlines()
    names, rows = header.split("\t"), [line.split("\t") for line in lines]
    out = io.BytesIO()
    if form == "parquet":
        columns = dict(zip(names, zip(*rows, strict=True), strict=True))
        pq.write_table(pa.table({name: list(cells) for name, cells in columns.items()}), out)
        return out.getvalue()
    text = io.StringIO()
    if form == "csv":
        csv.writer(text).writerows([names, *rows])
    elif form == "json":
        json.dump([dict(zip(names, row, strict=True)) for row in rows], text, indent=1)
    else:
        text.writelines(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
    return text.getvalue().encode()


PIECES = (b"\t", b"\n", b"\r\n", b"\r", b"\0", b'"', b",", b"nan", b"-", b"inf", b"1e308", b"\xff")
PIECE = st.binary(min_size=1, max_size=3) | st.sampled_from(PIECES)


@st.composite
def mutated(draw: st.DrawFn, content: bytes) -> bytes:
    """Bytes with some of them lost, added or replaced, a line's fields shuffled, or cut off."""
    edits = st.sampled_from(["delete", "insert", "replace", "shuffle", "cut", "double"])
    for edit in draw(st.lists(edits, min_size=1, max_size=3)):
        at = draw(st.integers(0, max(0, len(content) - 1)))
        piece = draw(PIECE)
        if edit == "delete":
            content = content[:at] + content[at + draw(st.integers(1, 40)) :]
        elif edit == "insert":
            content = content[:at] + piece + content[at:]
        elif edit == "replace":
            content = content[:at] + piece + content[at + len(piece) :]
        elif edit == "cut":
            content = content[:at]
        else:
            content = draw(rearranged(content, double=edit == "double"))
    return content


@st.composite
def rearranged(draw: st.DrawFn, content: bytes, *, double: bool) -> bytes:
    """The same with a line given twice, or with one line's fields in another order."""
    lines = content.split(b"\n")
    at = draw(st.integers(0, len(lines) - 1))
    if double:
        return b"\n".join([*lines[: at + 1], *lines[at:]])
    lines[at] = b"\t".join(draw(st.permutations(lines[at].split(b"\t")[:9])))
    return b"\n".join(lines)


@pytest.mark.parametrize("form", READERS)
@pytest.mark.parametrize("table", sorted(FIXTURES))
@settings(max_examples=15)
@given(data=st.data())
def test_a_damaged_table_is_read_or_refused(
    folder: Path, table: str, form: str, data: st.DataObject
) -> None:
    content = data.draw(mutated(as_form(table, form)))
    read(folder, content, table, data.draw(st.sampled_from([None, form])))


@pytest.mark.parametrize("suffix", [suffix for suffix in COMPRESS if suffix])
@settings(max_examples=40)
@given(data=st.data())
def test_a_damaged_compressed_table_is_read_or_refused(
    folder: Path, suffix: str, data: st.DataObject
) -> None:
    whole = COMPRESS[suffix](as_form("nuggets", "tsv"))
    read(folder, data.draw(mutated(whole)), "nuggets", None, suffix)


@pytest.mark.parametrize("suffix", [suffix for suffix in COMPRESS if suffix])
def test_a_compressed_table_cut_off_anywhere_is_refused(folder: Path, suffix: str) -> None:
    whole = COMPRESS[suffix](as_form("nuggets", "tsv"))
    path = folder / f"nuggets.tsv{suffix}"
    for length in range(0, len(whole) - 1, 7):
        path.write_bytes(whole[:length])
        with pytest.raises(InputError):
            read_rows(Input(path), schemas()["nuggets"])


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.characters(categories=["Cs"]),
    st.binary(max_size=2),
    st.dates(),
    st.datetimes(),
    st.decimals(allow_nan=False),
    st.complex_numbers(),
    st.lists(st.integers(), max_size=1),
    st.just(pd.NaT),
    st.just(pd.NA),
)


@settings(max_examples=150)
@given(st.sampled_from(sorted(schemas())), st.integers(0, 3), st.data())
def test_any_frame_is_a_table_or_a_fault(table: str, rows: int, data: st.DataObject) -> None:
    schema = schemas()[table]
    alike = data.draw(st.sampled_from([VALUES, st.integers(0, 9), st.text("ab1", max_size=2)]))
    cells = st.lists(alike, min_size=rows, max_size=rows)
    frame = pd.DataFrame(
        {
            c.name: pd.Series(data.draw(cells), dtype=object)
            for c in schema
            if data.draw(st.booleans()) or c.required
        }
    )
    try:
        check_rows(read_rows(FrameInput(frame, table), schema))
    except TsevalError as error:
        check_report(error, f"<{table}>")


# The program


def commands(updates: Path, nuggets: Path, matches: Path) -> Iterator[tuple[object, ...]]:
    yield "score", updates, nuggets, "--matches", matches, "-f", "json", "-q", "--at", "6h"
    yield "score", updates, nuggets, "-m", "P R Rs T P(updates) T(g=sign)", "-f", "trec"
    yield "score", updates, nuggets, "--explain", "nuggets", "-f", "json"
    yield "score", updates, nuggets, "--explain", "updates", "-f", "tsv"
    yield "match", updates, nuggets, "-f", "csv"
    yield "curve", updates, nuggets, "--matches", matches, "-q"
    yield "validate", updates, nuggets, matches


@settings(max_examples=60)
@given(data=st.data())
def test_the_program_answers_damaged_files_in_words(folder: Path, data: st.DataObject) -> None:
    paths = [folder / name for name in ("run", "gold", "matches")]
    for path, table in zip(paths, ("updates", "nuggets", "matches"), strict=True):
        form = data.draw(st.sampled_from(["tsv", "tsv", "csv", "jsonl", "json"]))
        content = as_form(table, form)
        damaged = data.draw(st.integers(0, 2)) == 0
        path.write_bytes(data.draw(mutated(content)) if damaged else content)
    arguments = data.draw(st.sampled_from(list(commands(*paths))))
    outcome = program.tseval(*arguments)
    assert outcome.code in {0, 1, 2}
    assert "Traceback" not in outcome.err
    assert "fault of tseval" not in outcome.err, outcome.err
    assert (outcome.code == 0) == (not outcome.err.startswith("error:")) or arguments[
        0
    ] == "validate"
    if outcome.code == 0 and "json" in arguments:
        json.loads(outcome.out, parse_constant=pytest.fail)


# The files of incident streams

INCIDENTS = program.FIXTURES / "incidents"
NUMBERS = ", ".join(["0.7", "0", "1", "0.2"])
INCIDENT_RUNS = {
    "fields": (INCIDENTS / "keen.txt").read_bytes(),
    "one type": b"flood\tQ0\tf1\t1\t0.9\tReport-News\ttag\nquake Q0 q1 1 0.5 News tag\n",
    "vectors": f"flood Q0 f1 1 0.9 [{NUMBERS}] tag\nquake Q0 q1 1 .5 [{NUMBERS}] tag\n".encode(),
    "lines": b"".join(
        f'{{"topic": "{event}", "runtag": "tag", "tweet_id": "{post}", "priority": 0.9, '
        f'"info_type_scores": [{NUMBERS}], "info_type_labels": [1, 0, 0, 1]}}\n'.encode()
        for event, post in (("flood", "f1"), ("quake", "q1"))
    ),
    "proposal": b"".join(
        f'{{"EventID": "flood", "ProcessingType": "Automatic", "ID": "{post}", "Content": "", '
        '"PostTimestamp": "2023-11-14T00:00Z", "InformationTypes": '
        '[{"id": "Report-News", "confidence": 0.5}]}\n'.encode()
        for post in ("f1", "f2")
    ),
    "plain": (INCIDENTS / "shy.tsv").read_bytes(),
}
INCIDENT_LABELS = {
    "events": (INCIDENTS / "labels.json").read_bytes(),
    "list": b'[{"eventID": "flood", "postID": "f1", "postCategories": ["News"], '
    b'"postPriority": "High"},\n{"eventID": "flood", "postID": null, "postCategories": []}]\n',
    "lines": b'{"eventID": "flood", "postID": "f1", "postCategories": ["News"], '
    b'"postPriority": "High"}\n' * 2,
    "plain": b"topic\tpost_id\tlevel\ttypes\nflood\tf1\tHigh\tNews\nflood\tf2\tLow\t\n",
}
ONTOLOGIES = {
    "track": (INCIDENTS / "types.json").read_bytes(),
    "proposal": b'[{"ID": "top", "Parent": null},\n {"ID": "Report-News", "Parent": "top"}]\n',
}
JSON_PIECES = st.sampled_from(
    [
        *(
            b'"',
            b"{",
            b"}",
            b"[",
            b"]",
            b",",
            b":",
            b"null",
            b"true",
            b"[]",
            b"{}",
            b"\xef\xbb\xbf",
        ),
        *(b'"\\ud800"', b'"\\t"', b"NaN", b"-Infinity", b"1e999", b"9" * 400, b"[" * 3000, b"'"),
        *(b'"all"', b"Q0", b'"ID"', b'"Parent"', b'"postID"', b'"events"', b" ", b"0x1", b"-1"),
    ]
)


@st.composite
def damaged_json(draw: st.DrawFn, content: bytes) -> bytes:
    """Bytes with something put in the place of a word or a sign, or mutated."""
    if draw(st.booleans()):
        return draw(mutated(content))
    words = list(re.finditer(rb'"[^"]*"|[\w.]+|[^\w\s]', content))
    for _ in range(draw(st.integers(1, 2))):
        word = draw(st.sampled_from(words))
        content = content[: word.start()] + draw(JSON_PIECES) + content[word.end() :]
    return content


INCIDENT_COMMANDS: tuple[tuple[str, ...], ...] = (
    ("-f", "json", "-q"),
    ("-f", "json", "-q", "--at", "1h"),
    ("-f", "json", "--edition", "2018", "-m", "AAW nDCG@100 priority.pearson any.P"),
    ("-f", "json", "--edition", "2019a"),
    ("-f", "json", "--edition", "2021", "-q"),
    ("-f", "json", "--edition", "proposal", "--roll-up", "--threshold", "0.2"),
    ("-f", "json", "--over-runs", "--order", "rank"),
    ("-f", "json", "--explain", "alerts", "--order", "file"),
    ("-f", "csv", "--explain", "types"),
)


@settings(max_examples=150)
@given(data=st.data())
def test_the_program_answers_damaged_incident_files_in_words(
    folder: Path, data: st.DataObject
) -> None:
    paths = []
    kinds = {"run": INCIDENT_RUNS, "labels": INCIDENT_LABELS, "ontology": ONTOLOGIES}
    for name, contents in kinds.items():
        content = contents[data.draw(st.sampled_from(sorted(contents)))]
        if data.draw(st.booleans()):
            content = data.draw(damaged_json(content))
        paths.append(folder / name)
        paths[-1].write_bytes(content)
    run, labels, ontology = paths
    arguments = data.draw(st.sampled_from(INCIDENT_COMMANDS))
    for outcome in (
        program.tseval("incidents", run, labels, "--ontology", ontology, *arguments),
        program.tseval("validate", run, labels, ontology),
        program.tseval("import", "pool", run, "--ontology", ontology),
    ):
        assert outcome.code in {0, 1, 2}
        assert "fault of tseval" not in outcome.err, outcome.err
        assert "Traceback" not in outcome.err
        if outcome.code == 0 and outcome.out.startswith("{"):
            json.loads(outcome.out, parse_constant=pytest.fail)


# The fast reader against the slow one

PLAIN = st.sampled_from(
    ["t1", "t2", "a", "b", "c", "sw-1", "é", "地震", "🔥", "x y", '"q', "'", "\\", "nan"]
)
BLANK = st.sampled_from(
    ["", " ", "\u00a0", "\u3000", "\u2003", "\u2028", "\x85", "\x0b", "\x1c", "\x1f"]
)
WITHIN = st.sampled_from(["\r", "\0", "\x0c", "\ufeff", "a\rb", "\ud7ff", "\x1ea", "\u200b"])
GOOD_NUMBER = st.sampled_from(
    ["0", "1", "-1", "+2", "0.5", ".5", "5.", "1e3", "1E-3", "-0", "00", "1e-400"]
)
BAD_NUMBER = st.sampled_from(
    [
        *["", " 1", "1 ", "nan", "-inf", "Infinity", "1e100", "-1e99", "1e999", "0x10", "1_0", "١"],
        *["one", "1,5", "\t1", "1\r", "\x0b1", "1f", "e5", ".", "-", "--1", "NaN(1)"],
    ]
)
ISO = st.sampled_from(
    [
        *["2012-02-22", "2012-02-22T11:33Z", "2012-02-22 11:33:05", "2012-02-22T11:33+05:30"],
        *["2012-02-30", "2012-02-22T24:00", "2012-2-22", "2012-02-22x11:33", "0000-01-01"],
        *["0001-01-01T00:00+14:00", "9999-12-31T23:59:59-14:00", "2012-02-22T11:33-23:59"],
    ]
)
LINES = st.sampled_from(
    [b"", b"\r", b"\t", b"\t\t\t", b" ", b"\xff\xfe", b"a\tb\xc3", b"\xed\xa0\x80", b"\xc3\xa9"]
)


@cache
def cells(kind: str, *, damaged: bool) -> st.SearchStrategy[str]:
    if kind == "id":
        return PLAIN | BLANK | WITHIN if damaged else PLAIN
    if kind == "text":
        return (
            PLAIN
            | BLANK
            | WITHIN
            | st.text(st.characters(exclude_characters="\t\n", codec="utf-8"), max_size=8)
        )
    good = GOOD_NUMBER.filter(lambda cell: not cell.startswith("-")) | st.integers(0, 10**12).map(
        str
    )
    if kind == "time":
        good |= ISO
    return good | BAD_NUMBER | ISO | GOOD_NUMBER if damaged else good


@st.composite
def tables(draw: st.DrawFn, shape: slow.Shape) -> bytes:
    """A table of this shape: columns in any order, some lines damaged, all kinds of line ends."""
    kinds = dict.fromkeys(shape.ids, "id") | dict.fromkeys(shape.times, "time")
    kinds |= dict.fromkeys((*shape.numbers, *shape.amounts), "number")
    kinds |= dict.fromkeys((*shape.texts, "more"), "text")
    left_out = draw(st.sets(st.sampled_from(["run", "confidence", "cost", "importance", "more"])))
    names = draw(st.permutations([name for name in kinds if name not in left_out]))
    damaged = draw(st.booleans())
    row = st.tuples(*(cells(kinds[name], damaged=damaged) for name in names)).map(
        lambda row: "\t".join(row).encode()
    )
    kind = row | row | row | LINES | row.map(lambda line: line + b"\tz") if damaged else row
    lines = draw(st.lists(kind, max_size=12))
    end = draw(st.sampled_from([b"\n", b"\n", b"\r\n"]))
    content = end.join(["\t".join(names).encode(), *lines])
    mark = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    return mark + content + draw(st.sampled_from([b"", end, end + end]))


@pytest.mark.parametrize("table", ["updates", "nuggets"])
@settings(max_examples=250)
@given(data=st.data(), size=st.sampled_from([1, 5, 16, 64, 2**24]))
def test_the_fast_reader_is_the_slow_one(
    folder: Path, table: str, size: int, data: st.DataObject
) -> None:
    shape = slow.UPDATES if table == "updates" else slow.NUGGETS
    content = data.draw(tables(shape))
    expected = slow.read(content, shape)
    path = folder / "table.tsv"
    path.write_bytes(content)
    with blocks_of(size), pytest.MonkeyPatch.context() as patch:
        # What all rows have is said once: here each is looked at.
        patch.setattr("tseval.io.faults.SAME_FROM", math.inf)
        try:
            rows = read_rows(Input(path), schemas()[table])
        except InputError as error:
            found = sorted((fault.line or 0, fault.reason) for fault in error.faults)
            assert found == sorted(expected.faults)
            return
    assert expected.faults == []
    assert rows["line"].to_list() == [line for line, _ in expected.rows]
    for record, (_, row) in zip(rows.iter_rows(named=True), expected.rows, strict=True):
        assert {name: record[name] for name in row} == {n: comparable(v) for n, v in row.items()}


def comparable(cell: str | float) -> str | float | None:
    """A cell that equals itself; a number that is negative zero equals zero."""
    return None if isinstance(cell, float) and math.isnan(cell) else cell


@settings(max_examples=60)
@given(data=st.data(), size=st.sampled_from([1, 3, 16]))
def test_block_boundaries_change_nothing(folder: Path, size: int, data: st.DataObject) -> None:
    path = folder / "jsonl-or-csv"
    path.write_bytes(
        data.draw(
            mutated(as_form("nuggets", data.draw(st.sampled_from(["csv", "jsonl", "json", "tsv"]))))
        )
    )
    whole = outcome(path)
    with blocks_of(size):
        assert outcome(path) == whole


VALUES = st.one_of(
    st.sampled_from(["t", "1329910380", "", "soon", "a [b], {c}", "\u2028", 'say "x"', "\\"]),
    st.integers(-1, 2**60), st.floats(), st.none(), st.booleans(), st.just([]), st.just({"a": 1}),
)  # fmt: skip
RECORDS = st.one_of(
    st.dictionaries(
        st.sampled_from(["topic", "nugget_id", "id", "time", "text", "importance", "more"]), VALUES
    ),
    st.sampled_from([5, "x", None, True, []]),
)


@settings(max_examples=200)
@given(st.lists(RECORDS, min_size=1, max_size=6), st.sampled_from([None, 1]))
def test_an_array_says_what_its_objects_would_line_by_line(
    folder: Path, records: list[object], indent: int | None
) -> None:
    lines, array = folder / "lines", folder / "array"
    first = {"topic": "t0", "nugget_id": "n0", "time": 1329910380, "text": "x", "more": 1}
    lines.write_text("".join(f"{json.dumps(each)}\n" for each in [first, *records]))
    array.write_text(json.dumps([first, *records], indent=indent))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tseval.io.faults.SAME_FROM", math.inf)
        assert told(array) == told(lines)


def told(path: Path) -> object:
    """The rows, or every fault with its place."""
    try:
        read_rows(Input(path), schemas()["nuggets"])
    except InputError as error:
        return [(fault.line, fault.reason) for fault in error.faults]
    return outcome(path)


def outcome(path: Path) -> object:
    try:
        rows = read_rows(Input(path), schemas()["nuggets"])
    except InputError as error:
        return str(error)
    return rows.select("line", "nugget_id", "time", "text").rows()
