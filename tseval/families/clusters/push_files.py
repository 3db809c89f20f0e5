"""The files of the push evaluations: runs A and B, qrels, epochs, live judgments.

None has a header; fields are divided by white space. Each is read into the cells of a plain table,
and a file that has the plain table's header is read as that.

    run A    topic post time tag            time MMDD-HH:MM:SS in UTC, or Unix seconds
    run B    YYYYMMDD topic Q0 post rank score tag
    qrels    topic Q0 post grade
    epochs   post YYYYMMDD epoch
    live     topic post label               2017
             topic post epoch label         2016
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from tseval.families.clusters.tables import LISTS, LIVE, QRELS
from tseval.files.faults import FaultList
from tseval.files.fixed_fields import Layout, cells_of_lines, named_fields
from tseval.files.plain import Rows, build
from tseval.files.reading import names_of, rows_of
from tseval.files.text_lines import text_lines
from tseval.files.tsv import BYTE_ORDER_MARK
from tseval.tables import Schema
from tseval.tables.arrow import strings
from tseval.tables.schema import POSTS

if TYPE_CHECKING:
    from tseval.files.cells import Cells
    from tseval.files.inputs import Input

QRELS_MARK = "Q0"
"""The second field of qrels."""
IGNORED = "Q0"
"""What the words of a line call a field that is not read."""


RUN_A_WORDS = "topic post_id time run"
RUN_A = named_fields(POSTS, RUN_A_WORDS)
RUN_B = named_fields(LISTS, f"day topic {IGNORED} post_id rank score run")
QRELS_FILE = named_fields(QRELS, f"topic {IGNORED} post_id grade")
LIVE_2016_WORDS, LIVE_2017_WORDS = "topic post_id time label", "topic post_id label"
LIVE_2016, LIVE_2017 = named_fields(LIVE, LIVE_2016_WORDS), named_fields(LIVE, LIVE_2017_WORDS)
LIVE_LAYOUTS = (LIVE_2016, LIVE_2017)

LIVE_CURE = f"give qrels as --qrels; live judgments are {LIVE_2017_WORDS}, or {LIVE_2016_WORDS}"

MONTH_DAY = re.compile(r"(\d\d)(\d\d)-(\d\d:\d\d:\d\d)", re.ASCII)
_DAY = re.compile(r"\d{8}", re.ASCII)
_NUMBER = re.compile(r"\d+(\.\d+)?", re.ASCII)


def first_fields(source: Input) -> list[str]:
    """The fields of the first line that has any; none in an empty file, or in a frame."""
    if source.is_table:
        return []
    head = source.head().removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace")
    return next((line.split() for line in head.split("\n") if line.strip()), [])


def run_layout(source: Input) -> Layout | None:
    """Whether an input is a run of scenario A or B by its first line; None if it is neither."""
    fields = first_fields(source)
    if len(fields) == RUN_B.fields and _DAY.fullmatch(fields[0]):
        return RUN_B
    is_a = (
        len(fields) == RUN_A.fields
        and fields[1] != QRELS_MARK
        and (MONTH_DAY.fullmatch(fields[2]) or _NUMBER.fullmatch(fields[2]))
    )
    return RUN_A if is_a else None


def live_layout(source: Input) -> Layout:
    """Whether live judgments have the time of the judgment, as those of 2016."""
    return LIVE_2016 if len(first_fields(source)) == LIVE_2016.fields else LIVE_2017


def refuse_qrels(source: Input) -> None:
    """Refuse qrels where live judgments should be: read as these, their post would be `Q0`."""
    fields = first_fields(source)
    if len(fields) != QRELS_FILE.fields or fields[1] != QRELS_MARK:
        return
    faults = FaultList(source)
    line = next(number for number, line in text_lines(source, faults) if line.strip())
    reason = f'these are qrels: "{QRELS_MARK}" stands where a post should'
    faults.refuse(line, reason, LIVE_CURE, "wrong-file")


def read_track_file(
    source: Input,
    layout: Layout,
    year: int | None = None,
    schema: Schema | None = None,
    form: str | None = None,
) -> Rows:
    """Read a file without a header, or the plain table it stands for; any fault is raised.

    `year` is what times such as 0729-23:17:35 lack; `schema` stands in for that of the layout;
    `form` asks for the plain table in it.
    """
    schema = schema or layout.schema
    if source.is_table or form or not schema.missing(names_of(source)):
        return rows_of(source, schema, form)
    faults = FaultList(source)
    cells = cells_of_lines(source, layout, faults)
    if layout is RUN_A:
        cells = _dated(cells, year, faults)
    rows = build(source, cells, schema.of_track, faults)
    faults.check()
    return rows


def _dated(cells: Cells, year: int | None, faults: FaultList) -> Cells:
    """The times with their year; one that needs a year where none is known is a fault."""
    times = cells.columns["time"]
    if not pa.types.is_string(times.type):  # numbers all
        return cells
    written = times.to_pylist()
    parts = [MONTH_DAY.fullmatch(cell) for cell in written]
    if year is None:
        cure = "choose the edition whose year it is (--edition), or write Unix seconds"
        for cell, line, found in zip(written, cells.lines.tolist(), parts, strict=True):
            if found:
                faults.add(line, f'time "{cell}" has no year', cure, "time-format")
    dated = [
        cell if not found else "0" if year is None else f"{year}-{found[1]}-{found[2]}T{found[3]}Z"
        for cell, found in zip(written, parts, strict=True)
    ]
    return replace(cells, columns=cells.columns | {"time": strings(dated)})
