"""What `tseval.io` reads is what `tseval.files` reads: values to the bit, lines, faults.

Both exist side by side only until the last family has moved onto `tseval.io`; this file goes then.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from tests import program
from tests import strategies as st
from tests.files.test_fuzz import FIXTURES, RECORDS, as_form, blocks_of, documents, mutated, tables
from tests.files.test_fuzz import VALUES as JSON_VALUES
from tests.files.test_limits import parquet_that_tells
from tests.oracles import tables as slow
from tests.program import faulty
from tseval.core.registry import schemas
from tseval.errors import InputError, TsevalError
from tseval.families.tracking import files as tracking
from tseval.files.plain import Rows
from tseval.files.reading import rows_of
from tseval.io.cells import PlainTable
from tseval.io.fields import read_lines, split_fields
from tseval.io.forms import names_of, read_plain
from tseval.io.given import FrameInput
from tseval.io.inputs import Input
from tseval.io.schema import Schema
from tseval.tables import Ids, Texts

pytestmark = pytest.mark.small_times

SCHEMAS = sorted(schemas())
TEXT_FORMS = ("tsv", "csv", "jsonl", "json")
BINARY = (b"PAR1", b"PK\3\4", b"\xd0\xcf\x11\xe0")
"""How files of other forms begin, whatever form is asked for."""
SETTINGS = (
    {},
    {"clock": "relative"},
    {"time_zone": "Europe/Berlin"},
    {"time_format": "%Y-%m-%d"},
    {"text": "more"},
)
Outcome = tuple[object, ...]


@pytest.fixture(autouse=True)
def _every_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tseval.io.faults.SAME_FROM", math.inf)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("same") / "file"


def outcome(read: Callable[[], Outcome]) -> Outcome:
    """What reading gives: rows, or faults by their code and place."""
    try:
        return read()
    except InputError as error:
        faults = sorted((each.line or 0, each.code, each.unit) for each in error.faults)
        if (0, "column-type", "row") in faults:  # behind which not everything is looked at
            faults = [(0, "column-type", "row")]
        return ("faults", faults)
    except TsevalError as error:
        return ("refused", type(error).__name__)


def of_rows(rows: Rows) -> Outcome:
    """What the old readers read."""
    columns: dict[str, list[object]] = {"line": rows.origin.line.tolist()}
    for name, values in rows.columns.items():
        if isinstance(values, Ids):
            columns[name] = list(values.to_list())
        elif isinstance(values, Texts):
            columns[name] = list(values)
        else:
            columns[name] = [None if each != each else each.hex() for each in values.tolist()]
    (source,) = rows.origin.sources
    said = (source.columns, source.understood, source.zones)
    return ("rows", columns, source.path, source.rows, source.unit, said)


def of_table(table: PlainTable, frame: pl.DataFrame) -> Outcome:
    """What the new ones read."""
    columns = {name: frame[name].to_list() for name in frame.columns}
    for name, values in columns.items():
        if frame[name].dtype == pl.Float64:
            columns[name] = [None if each is None else each.hex() for each in values]
    source = table.record(frame.height)
    said = (source.columns, source.understood, source.zones)
    return ("rows", columns, source.path, source.rows, source.unit, said)


def check(
    make: Callable[[], Input], schema: Schema, form: str | None = None, about: object = None
) -> str:
    """Hold one reader against the other; how it went. The old one knows no largest amounts."""
    schema = replace(schema, columns=tuple(replace(each, most=math.inf) for each in schema))
    old = outcome(lambda: of_rows(rows_of(make(), schema, form)))
    new = outcome(lambda: of_table(*read_plain(make(), schema, form)))
    assert new == old, about
    return str(old[0])


def file_at(path: Path, settings: Mapping[str, str] | None = None) -> Callable[[], Input]:
    """Make an input anew each time: it remembers what was read."""

    def made() -> Input:
        source = Input(path)
        source.columns = settings or source.columns
        return source

    return made


# Files as they are


@pytest.mark.parametrize("table", SCHEMAS)
def test_every_fixture_as_every_table(table: str) -> None:
    files = [each for each in sorted(program.FIXTURES.rglob("*")) if each.is_file()]
    assert len(files) > 40
    for file in files:
        for form in (None, *TEXT_FORMS):
            check(file_at(file), schemas()[table], form, (file, form))


def test_fixtures_are_read() -> None:
    found = [check(file_at(FIXTURES[table]), schemas()[table]) for table in FIXTURES]
    assert found == ["rows"] * len(FIXTURES)


# Generated text


@settings(max_examples=300)
@given(documents(), st.sampled_from((None, *TEXT_FORMS, "xlsx")), st.sampled_from(SCHEMAS))
def test_any_bytes(path: Path, content: bytes, form: str | None, table: str) -> None:
    if form is None or not content.startswith(BINARY):
        path.write_bytes(content)
        check(file_at(path), schemas()[table], form)


@pytest.mark.parametrize("form", TEXT_FORMS)
@pytest.mark.parametrize("table", sorted(FIXTURES))
@settings(max_examples=40)
@given(data=st.data(), size=st.sampled_from([7, 64, 2**22]))
def test_damaged_tables(path: Path, table: str, form: str, data: st.DataObject, size: int) -> None:
    path.write_bytes(data.draw(mutated(as_form(table, form))))
    with blocks_of(size):
        check(file_at(path), schemas()[table], data.draw(st.sampled_from([None, form])))


@pytest.mark.parametrize("table", ["updates", "nuggets"])
@settings(max_examples=150)
@given(data=st.data(), size=st.sampled_from([5, 64, 2**22]), said=st.sampled_from(SETTINGS))
def test_tables_of_odd_cells(
    path: Path, table: str, data: st.DataObject, size: int, said: Mapping[str, str]
) -> None:
    path.write_bytes(data.draw(tables(slow.UPDATES if table == "updates" else slow.NUGGETS)))
    with blocks_of(size):
        check(file_at(path, said), schemas()[table], "tsv")


@settings(max_examples=250)
@given(
    st.lists(RECORDS, min_size=1, max_size=6),
    st.sampled_from([None, 1]),
    st.booleans(),
    st.sampled_from(SCHEMAS),
)
def test_records_of_json(
    path: Path, records: list[object], indent: int | None, array: bool, table: str
) -> None:
    lines = "".join(json.dumps(each) + "\n" for each in records)
    path.write_text(json.dumps(records, indent=indent) if array else lines)
    check(file_at(path), schemas()[table])


def test_lines_of_other_lengths_deep_in_a_block(path: Path) -> None:
    """As many separators as all lines should have together."""
    row = "t\tu%d\t1400000000\tsome words\n"
    rows = [row % at for at in range(60_000)]
    rows[40_000], rows[50_000] = "t\tx\t1400000000\n", "t\ty\t1400000000\ta\tb\n"
    path.write_text("topic\tupdate_id\ttime\ttext\n" + "".join(rows))
    check(file_at(path), schemas()["updates"])
    with pytest.raises(InputError) as error:
        read_plain(Input(path), schemas()["updates"])
    assert [each.line for each in error.value.faults] == [40_002, 50_002]


@pytest.mark.parametrize(
    "block",
    [
        b"x\x01y\t1\n",
        b"x\x01y\n",
        b"x^\t1\n",
        b"\xef\xbb\xbfa\t1\n",
        b"a\r\t1\n",
        b"a\tb\n\n",
        b"a\tb\tc\nd\n",
        b"\xff\t1\n",
    ],
)
def test_what_polars_would_read_otherwise_is_left_to_the_careful_way(block: bytes) -> None:
    assert split_fields(block, 0, "\t", ["0", "1"]) is None


def test_fields_of_even_lines() -> None:
    content = b'a\t"b\r\n\t\x00\n #\tnull\n'
    fields = split_fields(content, 7, "\t", ["0", "1"])
    assert fields is not None
    assert fields.rows() == [(8, "a", '"b'), (9, "", "\0"), (10, " #", "null")]


# Typed tables

CELLS = st.one_of(
    JSON_VALUES,
    st.integers(0, 9),
    st.text("ab1", max_size=2),
    st.floats(),
    st.booleans(),
    st.integers(),
    st.sampled_from([1, 2.5, None]),
)
"""Values of several types; of dates among numbers, Arrow makes numbers dates."""
ALIKE = st.sampled_from(
    [
        CELLS,
        st.integers(),
        st.floats(),
        st.text(max_size=3),
        st.datetimes(),
        st.dates(),
        st.booleans(),
        st.sampled_from([1, 2.5, None]),
    ]
)


@st.composite
def frames(draw: st.DrawFn, schema: Schema) -> pd.DataFrame:
    """A frame with columns of one type or several."""
    cells = st.lists(draw(ALIKE), min_size=(rows := draw(st.integers(0, 3))), max_size=rows)
    kinds = st.sampled_from([object, None])
    return pd.DataFrame(
        {
            column.name: pd.Series(draw(cells), dtype=draw(kinds))
            for column in schema
            if column.required or draw(st.booleans())
        }
    )


@settings(max_examples=300)
@given(st.sampled_from(SCHEMAS), st.data())
def test_frames(table: str, data: st.DataObject) -> None:
    frame = data.draw(frames(schemas()[table]))
    check(lambda: FrameInput(frame, table), schemas()[table])


@settings(max_examples=150)
@given(st.sampled_from(SCHEMAS), st.data(), st.sampled_from(SETTINGS[:4]))
def test_parquet(path: Path, table: str, data: st.DataObject, said: Mapping[str, str]) -> None:
    """Whole files, or such without an end; what bits are flipped in may be read by neither."""
    frame, content = data.draw(frames(schemas()[table])), io.BytesIO()
    try:
        frame.to_parquet(content)
    except (ValueError, TypeError, OverflowError):
        return  # no Parquet can hold it
    end = data.draw(st.sampled_from([None, None, None, -1, -9, 40]))
    path.write_bytes(content.getvalue()[:end])
    check(file_at(path, said), schemas()[table], "parquet")


NOT_UTF8 = pa.StringArray.from_buffers(
    1, *(pa.py_buffer(each) for each in (b"\0\0\0\0\1\0\0\0", b"\xe4"))
)


@pytest.mark.parametrize(
    ("names", "value", "code"),
    [
        ("topic topic update_id time text", pa.array(["7"]), "duplicate-column"),
        ("topic update_id time text", NOT_UTF8, "encoding"),
    ],
)
def test_parquet_that_polars_refuses_as_a_whole(
    path: Path, names: str, value: pa.Array, code: str
) -> None:
    """Arrow tells the row of bytes that are not UTF-8; the code is the same."""
    columns = names.split()
    pq.write_table(pa.table([value] * len(columns), names=columns), path)
    with faulty(code, None):
        read_plain(Input(path), schemas()["updates"])


@pytest.mark.parametrize("rows", [10_000, 2_000_000_000])
def test_parquet_that_tells_other_numbers_of_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.chdir(tmp_path)
    parquet_that_tells("run.parquet", 5000, {5000: rows})
    assert check(lambda: Input("run.parquet"), schemas()["updates"]) == "faults"


@pytest.mark.parametrize("table", sorted(FIXTURES))
def test_spreadsheets(tmp_path: Path, table: str) -> None:
    pytest.importorskip("python_calamine", reason="needs the extra excel")
    frame = pd.read_csv(FIXTURES[table], sep="\t", keep_default_na=False)
    frame.iloc[-1, 0] = ""
    file = tmp_path / "table.xlsx"
    frame.to_excel(file, index=False, startrow=2)
    assert check(file_at(file), schemas()[table]) == "faults"
    frame.iloc[:-1].to_excel(file, index=False, startrow=2)
    assert check(file_at(file), schemas()[table]) == "rows"
    assert names_of(Input(file)) == list(frame.columns)


# Lines of fixed fields


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n"])
def test_lines_of_nothing(path: Path, content: str) -> None:
    path.write_text(content)
    _, frame = read_lines(Input(path), tracking.RUN_LINES)
    assert (frame.height, frame.schema["time"]) == (0, pl.Float64)
