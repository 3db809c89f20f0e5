"""Cells to numbers and times: all at once where they are plain, one by one where they are not."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tseval.io.schema import Column, Kind
from tseval.io.times import TOO_LARGE, NotANumber, early, implausible, number, why_implausible
from tseval.tables import Ids
from tseval.tables.arrow import numbers

if TYPE_CHECKING:
    from tseval.arrays import FloatArray, IntArray
    from tseval.io.faults import FaultList
    from tseval.io.inputs import Input

NUMBER_CURE = "write a plain decimal number, such as 2 or 0.75"
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*", re.ASCII)
GRADES = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
"""What the labels of nuggetizer and of models that judge are worth."""
GRADE_CURE = f"write a number from 0 to 1, or one of {', '.join(GRADES)}"
COMMA_CURE = "this is a decimal comma: write {}, with a point"


def read_numbers(column: Column, cells: Any, lines: IntArray, faults: FaultList) -> FloatArray:
    """The values of a column of cells; each cell that has none is a fault, and NaN here."""
    has_format = column.kind is Kind.TIME and faults.source.times.format
    values = None if has_format else _all_at_once(cells)
    reasons: dict[int, str] = {}
    if values is None:
        values, reasons = _one_by_one(column, cells, faults.source)
    if column.kind is Kind.AMOUNT:
        reasons.update(dict.fromkeys(np.flatnonzero(values < 0).tolist(), "is negative"))
    if column.kind is Kind.GRADE:
        outside = np.flatnonzero((values < 0) | (values > 1)).tolist()
        reasons.update(dict.fromkeys(outside, "is not between 0 and 1"))
    cure, plain = GRADE_CURE if column.kind is Kind.GRADE else NUMBER_CURE, "number-format"
    if column.kind is Kind.TIME:
        _refuse_implausible(column, values, cells, lines, faults)
        if reasons:
            cure, plain = faults.source.times.cure(cells[row].as_py() for row in reasons)
    for row, reason in reasons.items():
        cell = cells[row].as_py()
        shown = f'{column.name} "{cell}"' if cell else column.name
        cured = "give a number that is not negative" if reason == "is negative" else cure
        if isinstance(cell, str) and DECIMAL_COMMA.fullmatch(cell):
            cured = COMMA_CURE.format(cell.strip().replace(",", "."))
        code = CODES.get(reason, plain)
        faults.add(int(lines[row]), f"{shown} {reason}", cured, code)
    return values


OUTSIDE = "is negative", "is not between 0 and 1", "is too large for a number"
CODES = dict.fromkeys(OUTSIDE, "number-range")
CODES |= {"is empty": "empty-value", "is no grade": "unknown-label"}
"""The code of each reason; the other reasons say that a cell is not a number or not a time."""


def _refuse_implausible(
    column: Column, values: FloatArray, cells: Any, lines: IntArray, faults: FaultList
) -> None:
    """Note a fault for each number that is hardly meant as a time."""
    relative = faults.source.times.relative
    wrong = implausible(values, relative=relative)
    if column.any_time:
        wrong &= ~early(values)
    if relative and column.name == "start":
        wrong |= values != 0
    for row in np.flatnonzero(wrong).tolist():
        reason, cure, code = why_implausible(float(values[row]), relative=relative)
        reason = f'{column.name} "{cells[row].as_py()}" {reason}'
        faults.add(int(lines[row]), reason, cure, code)


def _all_at_once(cells: Any) -> FloatArray | None:
    """Every cell as a plain finite number; None if any is not."""
    try:
        plain = pc.cast(cells, pa.float64())
    except pa.ArrowInvalid:
        return None
    values: FloatArray = numbers(plain)
    return values if are_plain(values) else None


def are_plain(values: FloatArray) -> bool:
    """Whether all are finite, and not too large."""
    return not len(values) or bool(values.min() > -TOO_LARGE and values.max() < TOO_LARGE)


def _one_by_one(column: Column, cells: Any, source: Input) -> tuple[FloatArray, dict[int, str]]:
    """Each distinct cell read carefully; the reasons of the rows that fail."""
    ids = Ids.of(cells)
    parse = {Kind.TIME: source.time_parser, Kind.GRADE: grade}.get(column.kind, number)
    values, reasons = [], {}
    for code, cell in enumerate(ids.vocabulary()):
        try:
            values.append(math.nan if column.may_be_blank and not cell else parse(cell))
        except NotANumber as error:
            values.append(math.nan)
            reasons[code] = str(error)
    bad = np.isin(ids.codes, list(reasons))
    return (
        np.array(values, np.float64)[ids.codes],
        {int(row): reasons[int(ids.codes[row])] for row in np.flatnonzero(bad)},
    )


def grade(cell: str) -> float:
    """A grade as a number or by its label, or a `NotANumber`."""
    known = GRADES.get(cell.strip().lower())
    if known is not None:
        return known
    try:
        return number(cell)
    except NotANumber as error:
        raise NotANumber("is no grade") from error
