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
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.files.cells import Cells, column_of
from tseval.files.faults import FaultList
from tseval.files.frames import FrameInput, read_frame
from tseval.files.plain import Rows, build, read_rows, recognise
from tseval.files.text_lines import text_lines
from tseval.files.tsv import BYTE_ORDER_MARK
from tseval.tables import Schema
from tseval.tables.schema import EPOCHS, LISTS, LIVE, POSTS, QRELS

if TYPE_CHECKING:
    from tseval.files.inputs import Input

QRELS_MARK = "Q0"
"""The second field of qrels."""
IGNORED = ""
"""The name of a field that is not read."""


@dataclass(frozen=True)
class Layout:
    """What the fields of a line are, and which table they make."""

    schema: Schema
    fields: tuple[str, ...]

    @property
    def words(self) -> str:
        """The fields as a user would write them."""
        return " ".join(name or "Q0" for name in self.fields)


RUN_A = Layout(POSTS, ("topic", "post_id", "time", "run"))
RUN_B = Layout(LISTS, ("day", "topic", IGNORED, "post_id", "rank", "score", "run"))
QRELS_FILE = Layout(QRELS, ("topic", IGNORED, "post_id", "grade"))
EPOCHS_FILE = Layout(EPOCHS, ("post_id", "day", "time"))
LIVE_2016 = Layout(LIVE, ("topic", "post_id", "time", "label"))
LIVE_2017 = Layout(LIVE, ("topic", "post_id", "label"))

LIVE_CURE = f"give qrels as --qrels; live judgments are {LIVE_2017.words}, or {LIVE_2016.words}"

MONTH_DAY = re.compile(r"(\d\d)(\d\d)-(\d\d:\d\d:\d\d)", re.ASCII)
_DAY = re.compile(r"\d{8}", re.ASCII)
_NUMBER = re.compile(r"\d+(\.\d+)?", re.ASCII)


def first_fields(source: Input) -> list[str]:
    """The fields of the first line that has any; none in an empty file, or in a frame."""
    if isinstance(source, FrameInput):
        return []
    head = source.head().removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace")
    return next((line.split() for line in head.split("\n") if line.strip()), [])


def run_layout(source: Input) -> Layout | None:
    """Whether an input is a run of scenario A or B by its first line; None if it is neither."""
    fields = first_fields(source)
    if len(fields) == len(RUN_B.fields) and _DAY.fullmatch(fields[0]):
        return RUN_B
    is_a = (
        len(fields) == len(RUN_A.fields)
        and fields[1] != QRELS_MARK
        and (MONTH_DAY.fullmatch(fields[2]) or _NUMBER.fullmatch(fields[2]))
    )
    return RUN_A if is_a else None


def live_layout(source: Input) -> Layout:
    """Whether live judgments have the time of the judgment, as those of 2016."""
    return LIVE_2016 if len(first_fields(source)) == len(LIVE_2016.fields) else LIVE_2017


def refuse_qrels(source: Input) -> None:
    """Refuse qrels where live judgments should be: read as these, their post would be `Q0`."""
    fields = first_fields(source)
    if len(fields) != len(QRELS_FILE.fields) or fields[1] != QRELS_MARK:
        return
    faults = FaultList(source)
    line = next(number for number, line in text_lines(source, faults) if line.strip())
    faults.add(line, f'these are qrels: "{QRELS_MARK}" stands where a post should', LIVE_CURE)
    faults.check()


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
    layout = layout if schema is None else replace(layout, schema=schema)
    if isinstance(source, FrameInput):
        return read_frame(source, layout.schema)
    if form is not None or not layout.schema.missing(recognise(source)[1]):
        return read_rows(source, layout.schema, form)
    faults = FaultList(source)
    cells = _cells(source, layout, year, faults)
    rows = build(source, cells, layout.schema.of_track, faults)
    faults.check()
    return rows


def _cells(source: Input, layout: Layout, year: int | None, faults: FaultList) -> Cells:
    lines: list[int] = []
    kept: list[list[str]] = []
    for number, line in text_lines(source, faults):
        fields = line.split()
        if len(fields) == len(layout.fields):
            lines.append(number)
            kept.append(fields)
        elif fields:
            noun = "field" if len(fields) == 1 else "fields"
            reason = f"{len(fields)} {noun} where there should be {len(layout.fields)}"
            faults.add(number, reason, f"each line is: {layout.words}")
    named = [(name, at) for at, name in enumerate(layout.fields) if layout.schema.find(name)]
    columns = {name: [row[at] for row in kept] for name, at in named}
    if layout.fields == RUN_A.fields:
        columns["time"] = _dated(columns["time"], year, lines, faults)
    return Cells(
        {name: column_of(cells, name, layout.schema) for name, cells in columns.items()},
        np.array(lines, np.int64),
    )


def _dated(
    cells: Sequence[str], year: int | None, lines: Sequence[int], faults: FaultList
) -> list[str]:
    """The times with their year; one that needs a year where none is known is a fault."""
    parts = [MONTH_DAY.fullmatch(cell) for cell in cells]
    if year is None:
        cure = "choose the edition whose year it is (--edition), or write Unix seconds"
        for cell, line, found in zip(cells, lines, parts, strict=True):
            if found:
                faults.add(line, f'time "{cell}" has no year', cure)
        return ["0" if found else cell for cell, found in zip(cells, parts, strict=True)]
    return [
        f"{year}-{found[1]}-{found[2]}T{found[3]}Z" if found else cell
        for cell, found in zip(cells, parts, strict=True)
    ]
