"""A plain table while it is read: its header, its cells as text, its typed columns."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from tseval.errors import nearest
from tseval.io import times
from tseval.io.columns import CONSTANT, DECIMAL, NUMBERED
from tseval.io.faults import FaultList
from tseval.io.inputs import UTF8_CURE, Input, InputRecord, not_utf8
from tseval.io.schema import Column, Kind, Schema
from tseval.io.times import NotANumber

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BLOCK_ROWS = 20_000
"""How many rows are held as tuples before they are a frame."""
WORDS = (Kind.ID, Kind.TEXT, Kind.JSON)
"""The kinds of columns that hold no numbers."""
AS_JSON = (Kind.JSON, Kind.TYPES)
"""The kinds of columns whose values are written as JSON where a form has lists and objects."""
ODD_ID = r"[\t\n\r]|^[\s\x1c-\x1f]*$"
"""An id that no table could hold, or that names nothing."""
GRADES = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
"""The values of the labels that graders write."""
GRADE_CURE = f"write a number from 0 to 1, or one of {', '.join(GRADES)}"
NUMBER_CURE = "write a plain decimal number, such as 2 or 0.75"
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*", re.ASCII)
RANGES = {
    Kind.AMOUNT: (np.inf, "is negative", "give a number that is not negative"),
    Kind.GRADE: (1.0, "is not between 0 and 1", GRADE_CURE),
}
"""The largest number of kinds that have none below 0; why another is a fault, and the cure."""
SURE = 1
"""The confidence of an information type that is given without a number."""
NO_TYPES = "is no list of information types"
TYPES_CURE = 'write a list of JSON, such as [{"id": "Report-Weather", "confidence": 0.8}]'
TOO_LARGE = "is too large for a number"
CODES = {
    "is empty": "empty-value",
    "is no grade": "unknown-label",
    NO_TYPES: "record-format",
    TOO_LARGE: "number-range",
}
"""The codes of reasons that do not say that a cell is not a number or not a time."""


class PlainTable:
    """An input that is read as a plain table, its faults, and the names of its columns."""

    def __init__(self, source: Input, schema: Schema) -> None:
        self.source = source
        self.schema = schema.called(source.columns)
        self.faults = FaultList(source)
        self.names: list[str] = []
        self.heading = "the header"
        """Which line says how many fields a row has."""
        self.places: dict[str, int] = {}
        """Where each column of the schema stands among the names."""

    def place(self, names: list[str], where: str = "here", *, keyed: bool = False) -> None:
        """Find the columns of the schema among these names; refuse a header that is at fault.

        Of keyed rows these are the keys of the first; the others may have more.
        """
        schema, faults, self.names = self.schema, self.faults, names
        line = 1 if self.source.unit == "line" else None
        faults.check()
        missing = [] if keyed else schema.missing(names)
        if missing:
            needs = "need" if schema.table.endswith("s") else "needs"
            needed = " ".join(column.name for column in schema.required)
            cure = f"{schema.table} {needs} the columns {needed}; {where}: {' '.join(names)}"
            if schema.people_make_it:
                like = _misspelt(missing[0], names, schema)
                cure += f"; --column {missing[0]}={like} says what it is called"
            reason = f"no column{'s' * (len(missing) > 1)} {', '.join(missing)}"
            faults.add(line, reason, cure, "missing-column")
        twice = sorted(n for n, times in Counter(names).items() if times > 1 and schema.find(n))
        if twice:
            reason = f"the header names {', '.join(twice)} twice"
            faults.add(line, reason, "name each column once", "duplicate-column")
        faults.check()
        for name, fitting in schema.doubtful(names).items():
            cure = f"say which is meant: --column {name}={fitting[0]}"
            faults.add(line, f"{name} could be {' or '.join(fitting)}", cure, "ambiguous-column")
        faults.check()
        self.places = schema.placed(names)

    def cells_of(self, rows: Iterable[tuple[int, Sequence[str]]]) -> pl.DataFrame:
        """Return the columns that stand in rows of text, each with its line."""
        places = self.places.values()
        return text_frame(((line, *(row[at] for at in places)) for line, row in rows), self.places)

    def record(self, rows: int) -> InputRecord:
        """Return the input as results name it, with what was made of the names of its columns."""
        source, understood = self.source, self.schema.understood(self.names).items()
        columns = (f"{self.schema.table}.{own}={name}" for own, name in source.columns.items())
        named = tuple(columns), tuple(f"{name} as {own}" for name, own in understood)
        place = source.path, lambda: source.sha256, rows, source.unit
        return InputRecord(*place, *named, zones=tuple(source.zones.items()))


def _misspelt(missing: str, names: Sequence[str], schema: Schema) -> str:
    """Return the name that looks most like that of a missing column, of those that mean nothing."""
    strange = [name for name in names if schema.find(name) is None]
    if missing == "topic" and "qid" in strange:
        return "qid"
    wanted = next((each.names for each in schema if each.name == missing), ())
    return next((like for each in wanted for like in nearest(each, strange)), "NAME")


def text_frame(rows: Iterable[Sequence[object]], names: Iterable[str]) -> pl.DataFrame:
    """Return rows, each a line and its cells, as a frame of text."""
    columns = {"line": pl.Int64(), **dict.fromkeys(names, pl.String())}
    return pl.DataFrame(list(rows), schema=columns, orient="row")


def check_utf8(line: bytes, number: int, faults: FaultList) -> bool:
    """Return whether a line is UTF-8; else note the fault."""
    reason = not_utf8(line)
    if reason:
        faults.add(number, reason, UTF8_CURE, "encoding")
    return not reason


def type_columns(parts: Iterable[pl.DataFrame], schema: Schema, faults: FaultList) -> pl.DataFrame:
    """Return the columns of a table with their types; each cell without a value is a fault.

    A part has the column `line` and cells as text, or as numbers where the form has numbers.
    """
    frames, left, blank = [], dict[str, list[pl.DataFrame]](), set[int]()
    same = {c.name: pl.lit(c.given[1:]) for c in schema if c.given.startswith(CONSTANT)}
    same |= {c.name: pl.col("line").cast(pl.String) for c in schema if c.given == NUMBERED}
    for cells in parts:
        part = _fill_nulls(cells, schema, faults).with_columns(**same)
        for column in schema:
            if column.name in part.columns and column.kind not in WORDS:
                values, odd = _plain_numbers(column, part.select("line", column.name), faults)
                left.setdefault(column.name, []).append(odd)
                part = part.with_columns(values)
        frames.append(part.rechunk())  # else the whole frame is copied to align its columns
    frame = pl.concat(frames)
    faults.rows = frame.height
    for column in schema:
        if column.name in left:
            odd = pl.concat(left[column.name])
            frame = frame.with_columns(_all_numbers(column, frame, odd, faults))
        elif column.kind is Kind.ID and column.name in frame.columns:
            blank |= _check_ids(column, frame, faults)
    if faults.source.run_name is not None and "run" in frame.columns:
        check_one_run(frame["run"].unique(maintain_order=True).to_list(), faults)
        frame = frame.with_columns(run=pl.lit(faults.source.run_name))
    named = frame.filter(~pl.col("line").is_in(list(blank))) if blank else frame
    _check_repeats(schema, named, faults)
    return frame


def check_one_run(runs: Sequence[str], faults: FaultList) -> None:
    """Refuse several runs in an input to which the caller gives one name."""
    if len(runs) > 1:
        reason = f"holds {len(runs)} runs, {' '.join(runs[:3])}, where one name is given"
        cure = "take --name away: the column run says whose each row is"
        faults.add(None, reason, cure, "several-runs")


def parse_numbers(frame: pl.DataFrame, cells: str, column: Column, faults: FaultList) -> pl.Series:
    """Return a column of text as numbers, with a fault for each cell that is no such number."""
    named = frame.select("line", pl.col(cells).alias(column.name))
    values, odd = _plain_numbers(column, named, faults)
    return _all_numbers(column, named.with_columns(values), odd, faults)


def as_text(cells: pl.Series) -> pl.Series:
    """Return cells as text, numbers with all their digits."""
    if cells.dtype.is_float():
        texts = [None if each is None else repr(each) for each in cells.to_list()]
        return pl.Series(cells.name, texts, pl.String)
    return cells.cast(pl.String)


def _fill_nulls(cells: pl.DataFrame, schema: Schema, faults: FaultList) -> pl.DataFrame:
    """Put the default in the place of each missing value; it is a fault where none may miss."""
    lacking = [each for each in schema if each.name in cells and cells[each.name].null_count()]
    if not lacking:
        return cells
    needed = [each.name for each in lacking if each.required and not each.may_be_blank]
    for name in needed:
        for line in cells.filter(pl.col(name).is_null())["line"]:
            faults.add(line, f"no {name}", "fill in the value", "empty-value")
    fill = (as_text(cells[each.name]).fill_null(each.default) for each in lacking)
    return cells.with_columns(each for each in fill if each.name not in needed).drop_nulls(needed)


def _plain_numbers(
    column: Column, cells: pl.DataFrame, faults: FaultList
) -> tuple[pl.Series, pl.DataFrame]:
    """Return the numbers of a column, and the cells that are no plain number with their lines."""
    values = cells[column.name].cast(pl.Float64, strict=False)
    is_text = column.kind is Kind.TIME and bool(faults.source.times.format)
    if is_text or column.kind is Kind.TYPES:
        values = pl.Series(column.name, [None] * cells.height, pl.Float64)
    odd = cells.filter(_are_odd(values))
    return values, odd.with_columns(as_text(odd[column.name]))


def _are_odd(values: pl.Series) -> pl.Series:
    """Return which numbers are missing, not finite or too large."""
    return ~(values.abs() < times.TOO_LARGE).fill_null(False)


def _all_numbers(
    column: Column, frame: pl.DataFrame, odd: pl.DataFrame, faults: FaultList
) -> pl.Series:
    """Return the numbers with those of the odd cells, each distinct one read with care."""
    source, values, cells, lines = faults.source, frame[column.name], odd[column.name], odd["line"]
    parsers = {Kind.TIME: source.time_parser, Kind.GRADE: _grade, Kind.TYPES: _highest}
    parse = parsers.get(column.kind, times.number)
    has_commas = source.columns.get(DECIMAL) == ","
    parsed, reasons = dict[str, float | None](), dict[str, str]()
    for cell in cells.unique(maintain_order=True):
        try:
            plain = has_commas and DECIMAL_COMMA.fullmatch(cell)
            text = cell.replace(",", ".") if plain else cell
            parsed[cell] = None if column.may_be_blank and not cell else parse(text)
        except NotANumber as error:
            parsed[cell], reasons[cell] = None, str(error)
    if parsed:
        careful = cells.replace_strict(parsed, return_dtype=pl.Float64)
        values = values.scatter(_are_odd(values).arg_true(), careful)
    if column.kind is Kind.TIME and not source.times.relative:
        earliest = frame[column.name].min()
        if isinstance(earliest, float) and "" not in source.zones:  # Unix seconds have a zone
            source.note_zone("+00:00", earliest)
    _check_range(column, frame["line"], values.to_numpy(), odd, faults)
    wrong = [each for each in zip(lines, cells, strict=True) if each[1] in reasons]
    cures = {Kind.GRADE: GRADE_CURE, Kind.TYPES: TYPES_CURE}
    all_cure, all_code = cures.get(column.kind, NUMBER_CURE), "number-format"
    if column.kind is Kind.TIME and wrong:
        all_cure, all_code = source.times.cure(cell for _, cell in wrong)
    for line, cell in wrong:
        called = column.also or column.name
        reason, cure, shown = reasons[cell], all_cure, f'{called} "{cell}"'
        if DECIMAL_COMMA.fullmatch(cell):
            cure = f"this is a decimal comma: write {cell.strip().replace(',', '.')}, with a point"
        told = f"{shown if cell else called} {reason}"
        faults.add(line, told, cure, CODES.get(reason, all_code))
    return values


def _grade(cell: str) -> float:
    """Return a grade as a number, or raise `NotANumber`."""
    known = GRADES.get(cell.strip().lower())
    try:
        return times.number(cell) if known is None else known
    except NotANumber as error:
        raise NotANumber("is no grade") from error


def _highest(cell: str) -> float:
    """Return the highest confidence of information types, or raise `NotANumber`."""
    try:
        given = [each["id"] and each.get("confidence") for each in json.loads(cell)]
        numbers = [times.number(str(SURE if each is None else each)) for each in given]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise NotANumber(NO_TYPES) from error
    return max(numbers, default=0.0)


def _check_range(
    column: Column,
    lines: pl.Series,
    values: np.ndarray[Any, Any],
    odd: pl.DataFrame,
    faults: FaultList,
) -> None:
    """Note a fault for each number that its kind may not have, or that is hardly a time.

    It quotes odd cells as they are written.
    """
    relative = faults.source.times.relative
    wrong = np.zeros(len(values), bool)
    if column.kind is Kind.TIME:
        wrong = times.implausible(values, relative=relative)
        wrong &= ~times.early(values) | (not column.any_time)
        wrong |= (values != 0) & (relative and column.name == "start")
    elif column.kind in RANGES:
        wrong = (values < 0) | (values > min(column.most, RANGES[column.kind][0]))
    quoted = dict(odd.select("line", column.name).iter_rows()) if wrong.any() else {}
    for row in np.flatnonzero(wrong).tolist():
        if column.kind is Kind.TIME:
            reason, cure, code = times.why_implausible(float(values[row]), relative=relative)
        else:
            _, reason, cure = RANGES[column.kind]
            code = "number-range"
            if values[row] > column.most:
                reason, cure = TOO_LARGE, f"give a number up to {times.written(column.most)}"
        shown = quoted.get(lines[row], times.written(values[row]))
        faults.add(lines[row], f'{column.name} "{shown}" {reason}', cure, code)


def _check_ids(column: Column, frame: pl.DataFrame, faults: FaultList) -> set[int]:
    """Refuse ids that name nothing or hold a line's end; return the lines of blank ones."""
    name, cells = column.name, frame[column.name]
    if cells.dtype == pl.Categorical:
        cells = cells.unique().cast(pl.String)
    cells = cells.filter((cells < "!") | (cells > "~") | cells.str.contains("[\t\n\r]"))
    odd_ids = cells.filter(cells.str.contains(ODD_ID)).unique() if len(cells) else cells
    if odd_ids.is_empty():
        return set()
    odd = frame.select("line", pl.col(name).cast(pl.String))
    odd = odd.filter(pl.col(name).is_in(odd_ids.implode()))
    for line, text in odd.iter_rows():
        if text.strip():
            reason = f'{name} "{text}" holds a tab or a line\'s end'
            faults.add(line, reason, "no table of results could hold it: remove it", "id-format")
        elif not column.may_be_blank:
            faults.add(line, f"empty {name}", f"give every row its {name}", "empty-value")
    return {line for line, text in odd.iter_rows() if not text.strip()}


def _check_repeats(schema: Schema, frame: pl.DataFrame, faults: FaultList) -> None:
    """Refuse rows whose key stands before."""
    key = [name for name in schema.key if name in frame.columns]
    if not key or frame.select(key).hash_rows().n_unique() == frame.height:
        return
    within = f" within its {' and '.join(key[:-1])}" if key[1:] else ""
    first = frame.with_columns(first=pl.col("line").min().over(key))
    for row in first.filter(~pl.struct(key).is_first_distinct()).iter_rows(named=True):
        reason = f'{key[-1]} "{row[key[-1]]}" stands twice{within}'
        cure = f"first in {faults.source.unit} {row['first']}: remove one of them, or rename it"
        faults.add(row["line"], reason, cure, "duplicate-id")


def check_key(schema: Schema, frame: pl.DataFrame, faults: FaultList) -> None:
    """Refuse rows of a track's file whose key cannot stand in a table, or stands before."""
    for column in schema:
        if column.name in schema.key and column.kind is Kind.ID and column.name in frame.columns:
            _check_ids(column, frame, faults)
    _check_repeats(schema, frame, faults)
