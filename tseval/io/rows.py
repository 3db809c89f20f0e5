"""Writing frames of rows for programs: tsv, csv, json and parquet, in full precision.

Cells of CSV and TSV that a spreadsheet takes for formulas are told about or written as texts.
"""

from __future__ import annotations

import io
import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tseval.errors import visible
from tseval.io import SPREADSHEET_FORMS
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


# A name or a text of an input may begin as a formula does. Whoever opens the file with a
# spreadsheet would run it; an apostrophe before it makes it a text.

SHOWN = 40
"""Of a cell that is told about, so many characters are shown."""
NUMBER = r"(?:[+-](?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]inf)"
FORMULA = re.compile(rf"(?!{NUMBER}\"?\Z)[=+\-@\t\r](?s:.)")
"""How a cell begins that is a formula to a spreadsheet; a sign alone, or a number, is none."""
SUSPECT = re.compile(rf'[\n,\t"](?!{NUMBER}["\t\r\n,])[=+\-@\t\r]'.encode())
"""What stands in any file that holds one: a file without it is not divided into fields."""
FIELDS = {
    "csv": re.compile(r'(?m)(^|,)("?)((?<=")(?:[^"]|"")*|[^,\n]*)("?)'),
    "tsv": re.compile(r'(?m)(^|\t)("*)([^\t\n]*)()'),  # quotes mean nothing, but to some
}
WARN = partial(warnings.warn, stacklevel=3)


def guarded(
    content: bytes,
    form: str,
    *,
    safe: bool,
    option: str = "safe_csv=True",
    warn: Callable[[str], object] = WARN,
) -> bytes:
    """Return a file: for spreadsheets, if `safe`, with formulas as texts, else warn of them.

    The warning says which option makes texts of them.
    """
    formulas = list[str]()

    def mend(field: re.Match[str]) -> str:
        before, quotes, cell, end = field.groups()
        if not FORMULA.match(cell):
            return field[0]
        formulas.append(cell)
        return f"{before}{quotes}'{cell}{end}"

    if form not in SPREADSHEET_FORMS or not SUSPECT.search(b"\n" + content):
        return content
    mended = FIELDS[form].sub(mend, content.decode()).encode()
    if safe or not formulas:
        return mended
    first = visible(" ".join(formulas[0].split()))
    first = first if len(first) <= SHOWN else f"{first[: SHOWN - 1]}…"
    begin = f"{len(formulas)} cells begin" if len(formulas) > 1 else "1 cell begins"
    warn(
        f"{begin} as a formula does ({first}), which a spreadsheet would run: {option} "
        "writes an apostrophe before each"
    )
    return content
