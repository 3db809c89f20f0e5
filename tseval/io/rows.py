"""Writing frames of rows for programs: tsv, csv, json and parquet, in full precision."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tseval.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

ROW_FORMS = ("tsv", "csv", "json", "parquet")
MISSING = ("None", "nan", "<NA>", "NaT")
"""How a frame shows what is not there."""
EXACT_BELOW = 2.0**53
"""Whole numbers up to this are the same as integers."""


def rows_bytes(frame: pd.DataFrame, form: str, signature: str, notes: Sequence[str] = ()) -> bytes:
    """The frame in one of `ROW_FORMS`; what is missing or undefined is empty, or null.

    In TSV, where no field can hold a tab or a line's end, a space stands for each of them. Notes
    on how to read the rows have a place in JSON alone.
    """
    tidy = integer_columns(frame)
    if form == "json":
        records = tidy.astype(object).where(tidy.notna(), None).to_dict("records")
        return records_bytes(records, signature, notes)
    if form == "parquet":
        return parquet_bytes(tidy, {"signature": signature})
    if form == "csv":
        return bytes(tidy.to_csv(index=False, lineterminator="\n").encode())
    lines = ["\t".join(map(str, tidy.columns))]
    lines += ["\t".join(map(_cell, row)) for row in tidy.itertuples(index=False, name=None)]
    return ("\n".join(lines) + "\n").encode()


WHOLE = ("time", "update_time", "start", "end", "importance", "reward")
"""Columns that are written without a decimal point where all their values are whole."""


def integer_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its times and the like as integers where they are whole."""
    columns = [name for name in WHOLE if name in frame and frame[name].dtype.kind == "f"]
    whole = [name for name in columns if _is_integer(frame[name].dropna())]
    return frame.astype(dict.fromkeys(whole, "Int64"))


def _is_integer(numbers: pd.Series[float]) -> bool:
    return bool(((numbers % 1 == 0) & (numbers.abs() < EXACT_BELOW)).all())


def _cell(value: object) -> str:
    if not isinstance(value, str) and str(value) in MISSING:
        return ""
    return str(value).replace("\t", " ").replace("\n", " ").replace("\r", " ")


def records_bytes(
    records: Sequence[Mapping[Any, Any]], signature: str, notes: Sequence[str] = ()
) -> bytes:
    """Records as JSON, with the signature and any notes; they may not hold NaN."""
    more = {"notes": list(notes)} if notes else {}
    return result_object_bytes(signature, {"records": records, **more})


def result_object_bytes(signature: str, content: Mapping[str, Any]) -> bytes:
    """A result of several parts as one JSON object, after the signature; it may not hold NaN."""
    whole = {"signature": signature, "version": VERSION, **content}
    return (json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def parquet_bytes(frame: pd.DataFrame, metadata: Mapping[str, str]) -> bytes:
    """The frame as Parquet, with what is said beside the rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table, out = pa.Table.from_pandas(frame, preserve_index=False), io.BytesIO()
    pq.write_table(table.replace_schema_metadata(dict(metadata)), out)
    return out.getvalue()
