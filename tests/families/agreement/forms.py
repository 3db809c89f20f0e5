"""The forms in which a table can be given: files of every kind, compressed or not, and frames."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tests.families.agreement.odd import EPOCH, instant
from tests.families.agreement.tables import ID, NUMBER, TEXT, TIME, Table

NUMBER_OF_JSON = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)


def tsv(table: Table) -> bytes:
    lines = [list(table.kinds), *([row[name] for name in table.kinds] for row in table.rows)]
    return "".join("\t".join(line) + "\n" for line in lines).encode()


def tsv_of_windows(table: Table) -> bytes:
    """With a byte-order mark, lines that end as there, and no end of the last."""
    return b"\xef\xbb\xbf" + tsv(table).replace(b"\n", b"\r\n").removesuffix(b"\r\n")


def csv_quoted(table: Table) -> bytes:
    return _csv(table, csv.QUOTE_ALL, "\r\n")


def csv_plain(table: Table) -> bytes:
    return _csv(table, csv.QUOTE_MINIMAL, "\n")


def _csv(table: Table, quoting: Any, end: str) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(
        out, list(table.kinds), quoting=quoting, lineterminator=end, extrasaction="ignore"
    )
    writer.writeheader()
    writer.writerows(table.rows)
    return out.getvalue().encode()


def jsonl(table: Table) -> bytes:
    lines = [
        json.dumps({name: row[name] for name in table.kinds}, ensure_ascii=False) + "\n"
        for row in table.rows
    ]
    return "".join(lines).encode()


def jsonl_of_numbers(table: Table) -> bytes:
    """Times, numbers, and ids that are written as a number of JSON is, as numbers; in ASCII.

    What is blank is null.
    """
    lines = []
    for row in table.rows:
        cells = []
        for name in table.kinds:
            bare = NUMBER_OF_JSON.fullmatch(row[name]) is not None
            blank = not row[name] and table.kinds[name] != TEXT
            cell = "null" if blank else row[name] if bare else json.dumps(row[name])
            cells.append(f"{json.dumps(name)}: {cell}")
        lines.append("{" + ", ".join(cells) + "}\n")
    return "".join(lines).encode()


def parquet(table: Table) -> bytes:
    columns = {name: _texts(table, name) for name in table.kinds}
    return _parquet(pa.table({name: pa.array(c, pa.string()) for name, c in columns.items()}))


def parquet_of_types(table: Table) -> bytes:
    """Ids by numbers of a dictionary, times as such, numbers as such; in groups of three rows.

    What is blank is null.
    """
    made = {}
    for name, kind in table.kinds.items():
        cells = _texts(table, name)
        if kind == TIME:
            moments = [_moment(cell) if cell else None for cell in cells]
            made[name] = pa.array(moments, pa.timestamp("us", tz="Asia/Kolkata"))
        elif kind == NUMBER:
            made[name] = pa.array([float(cell) if cell else None for cell in cells], pa.float64())
        elif kind == ID:
            made[name] = pa.array([cell or None for cell in cells], pa.string()).dictionary_encode()
        else:
            made[name] = pa.array(cells, pa.large_string())
    return _parquet(pa.table(made), row_group_size=3)


def _parquet(table: Any, **how: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **how)
    return out.getvalue()


def _texts(table: Table, name: str) -> list[str]:
    return [row[name] for row in table.rows]


def _moment(cell: str) -> datetime:
    return EPOCH + timedelta(microseconds=int(instant(cell) * 1_000_000))


def frame(table: Table) -> pd.DataFrame:
    return pd.DataFrame({name: _texts(table, name) for name in table.kinds}, dtype=object)


def frame_of_types(table: Table) -> pd.DataFrame:
    """Categories, times and floats, under an index that is no count of rows."""
    made: dict[str, Any] = {}
    for name, kind in table.kinds.items():
        cells = _texts(table, name)
        if kind == TIME:
            moments = [_moment(cell) if cell else pd.NaT for cell in cells]
            made[name] = pd.Series(moments, dtype="datetime64[us, UTC]")
        elif kind == NUMBER:
            numbers = [float(cell) if cell else None for cell in cells]  # NaN is refused
            made[name] = pd.Series(numbers, dtype=float if all(cells) else "Float64")
        elif kind == ID:
            made[name] = pd.Series([cell or None for cell in cells], dtype=object).astype(
                "category"
            )
        else:
            made[name] = pd.Series(cells, dtype="string")
    return pd.DataFrame(made).set_axis([7] * len(table.rows))


def _zst(content: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(content, asbytes=True))


def _in_two(pack: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Two streams one after the other, as `cat a.gz b.gz` makes them."""
    return lambda content: pack(content[: len(content) // 2]) + pack(content[len(content) // 2 :])


FILES: Mapping[str, tuple[str, Callable[[Table], bytes]]] = {
    "tsv": ("tsv", tsv),
    "tsv of Windows": ("tsv", tsv_of_windows),
    "csv": ("csv", csv_plain),
    "csv, quoted": ("csv", csv_quoted),
    "jsonl": ("jsonl", jsonl),
    "jsonl of numbers": ("jsonl", jsonl_of_numbers),
    "parquet": ("parquet", parquet),
    "parquet of types": ("parquet", parquet_of_types),
}
"""The suffix of each form of a file, and how it is written."""
FRAMES = {"frame": frame, "frame of types": frame_of_types}
PACKED: Mapping[str, tuple[str, Callable[[bytes], bytes]]] = {
    "": ("", bytes),
    "gz": (".gz", gzip.compress),
    "gz in two": (".gz", _in_two(gzip.compress)),
    "bz2": (".bz2", bz2.compress),
    "bz2 in two": (".bz2", _in_two(bz2.compress)),
    "xz": (".xz", lzma.compress),
    "zst": (".zst", _zst),
    "zst in two": (".zst", _in_two(_zst)),
}
FILE_FORMS = tuple(f"{form} {pack}".strip() for form in FILES for pack in PACKED)
ALL_FORMS = (*FILE_FORMS, *FRAMES)


def given(table: Table, folder: Path, stem: str, form: str = "tsv") -> Path | pd.DataFrame:
    """The table in a form, as an argument of a call: a file of this stem, or a frame."""
    if form in FRAMES:
        return FRAMES[form](table)
    kind, pack = next((k, p) for k in FILES for p in PACKED if f"{k} {p}".strip() == form)
    if not table.rows and kind.startswith("jsonl"):
        kind = "tsv"  # JSON lines without a line have no columns
    suffix, write = FILES[kind]
    more, packed = PACKED[pack]
    path = folder / f"{stem}.{suffix}{more}"
    path.write_bytes(packed(write(table)))
    return path
