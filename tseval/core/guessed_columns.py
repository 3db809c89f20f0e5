"""Which columns of somebody's file are those of a table: by their names, else by what they hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import polars as pl

from tseval.core.validation import names_in
from tseval.errors import Fault, InputError, input_error
from tseval.io.cells import PlainTable, as_text, parse_numbers, type_columns
from tseval.io.faults import FaultList
from tseval.io.forms import READERS, form_of, row_input
from tseval.io.inputs import Input
from tseval.io.json_text import elements, objects
from tseval.io.schema import Column, Kind, Schema
from tseval.io.times import TIME_KEYS, NotANumber, formats_of, implausible, moment, number
from tseval.records import frozen

WORDS = {
    "time": (
        "time timestamp ts date datetime when at sent created published seen known reported posted"
    ),
    "topic": "topic event incident case thread story subject alert ticket crisis",
    "text": "text msg message says said body content summary output response answer fact title",
    "update_id": "id uuid guid key no nr num number seq index update message",
    "nugget_id": "id uuid guid key no nr num number seq index nugget fact",
    "importance": "importance weight priority severity gain",
}
"""Words of which names of such columns are made."""
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[^\W\d_]+")
ENOUGH = 0.9
"""Such a part of a column's cells must be what the column is to hold."""
BY_ITS_NAME, BY_A_LIKE_NAME, BY_WHAT_IT_HOLDS, AS_SAID = (
    "its name", "a like name", "what it holds", "--column",
)  # fmt: skip


@frozen
class Guess:
    """What a column of a file was taken for, and why."""

    name: str
    own: str
    """The column of the table that it is."""
    reason: str
    example: str


@frozen
class GuessedFile:
    """A file whose columns were looked at."""

    source: Input
    form: str
    schema: Schema
    guesses: tuple[Guess, ...]
    rows: int
    cells: Mapping[str, Sequence[str]]
    """The cells by the file's own names."""
    times: Mapping[str, str]
    """The key `time_format`, if the times are neither Unix seconds nor ISO 8601."""

    @property
    def columns(self) -> dict[str, str]:
        """What is to be said: the names that are not the table's own."""
        return {each.own: each.name for each in self.guesses if each.own != each.name}

    def column(self, own: str) -> Sequence[str]:
        """The cells of a column of the table."""
        return self.cells[next(each.name for each in self.guesses if each.own == own)]


def guessed(source: Input, schema: Schema, said: Mapping[str, str]) -> GuessedFile:
    """Look at a file as a table of this schema; `said` are names that the caller knows.

    A required column that nothing could be is an `InputError`.
    """
    form = form_of(source, schema, None)
    times = {key: name for key, name in said.items() if key in TIME_KEYS}
    said = {own: name for own, name in said.items() if own not in times}
    source.columns = times
    cells, lines = _cells(source, form)
    found = dict(_named_columns(source, schema, said, cells))
    placed = schema.called(said).placed(list(cells))
    names = list(cells)
    for own, at in placed.items():
        found.setdefault(own, Guess(names[at], own, BY_ITS_NAME, _example(cells[names[at]])))
    for column in _in_order(schema):
        if column.name not in found:
            taken = {each.name for each in found.values()}
            left = {name: held for name, held in cells.items() if name not in taken}
            guess = _guess(column, left)
            if guess is not None:
                found[column.name] = guess
    missing = [each for each in schema.required if each.name not in found]
    if missing:
        raise InputError([_nothing_fits(source, missing[0], list(cells))])
    guesses = tuple(found[each.name] for each in schema if each.name in found)
    time = found["time"]
    if not times:
        forms = formats_of([cell for cell in cells[time.name] if not _is_time(cell)])
        source.columns = times = {"time_format": forms[0]} if len(forms) == 1 else {}
    faults = FaultList(row_input(source, form))
    column, held = Column("time", Kind.TIME), list(cells[time.name])
    told = pl.DataFrame({"line": lines, "time": held}, schema_overrides={"time": pl.String})
    parse_numbers(told, "time", column, faults)
    faults.check()
    return GuessedFile(source, form, schema, guesses, len(lines), cells, times)


def _cells(source: Input, form: str) -> tuple[dict[str, Sequence[str]], pl.Series]:
    """Return every column that holds texts or numbers, by its name, and the lines of the rows.

    Faulty rows are left out.
    """
    source = row_input(source, form)
    names = list(dict.fromkeys(names_in(source, form)))
    if form in ("jsonl", "json"):
        faults = FaultList(source)
        rows = (
            objects(source, faults, numbers_as_text=True)
            if form == "jsonl"
            else elements(source, faults, as_rows=True)
        )
        left = dict.fromkeys(names)
        for _, record in rows:
            for name in [name for name in left if isinstance(record.get(name), str)]:
                del left[name]
            if not left:
                break
        names = [name for name in names if name not in left]
    own = tuple(Column(name, Kind.TEXT, required=False) for name in names)
    table = PlainTable(source, Schema("columns", own))
    frame = type_columns(READERS[form](table), table.schema, table.faults)
    return {name: as_text(frame[name]).to_list() for name in names}, frame["line"]


def _named_columns(
    source: Input, schema: Schema, said: Mapping[str, str], cells: Mapping[str, Sequence[str]]
) -> Mapping[str, Guess]:
    for own, name in said.items():
        if schema.find(own) is None or name not in cells:
            known = schema.find(own) is not None
            what = f"no column {name}" if known else f"{schema.table} have no column {own}"
            reason = f"{what}, which --column {own}={name} asks for"
            cure = f"here: {' '.join(cells)}"
            raise input_error(source.path, None, reason, cure, "unknown-column")
    return {own: Guess(name, own, AS_SAID, _example(cells[name])) for own, name in said.items()}


def _example(cells: Sequence[str]) -> str:
    return next((cell for cell in cells if cell.strip()), "")


def _in_order(schema: Schema) -> list[Column]:
    """The columns that are guessed: those first that few others could be."""
    order = ("time", "text", schema.key[-1], "topic", "importance")
    return [column for name in order if (column := schema.find(name)) is not None]


def _guess(column: Column, cells: Mapping[str, Sequence[str]]) -> Guess | None:
    fits = FITTING[column.name if column.name in FITTING else "id"]
    worth = {name: fits(held) for name, held in cells.items()}
    able = [name for name, value in worth.items() if value > 0]
    alike = [name for name in able if _has_word(name, column.name)]
    if column.name == "time" and not able:  # whoever reads it tells what is wrong with its times
        alike = [name for name in cells if _has_word(name, column.name)]
    if not alike and (not able or not column.required):
        return None
    best = max(alike or able, key=lambda name: worth[name])
    reason = BY_A_LIKE_NAME if alike else BY_WHAT_IT_HOLDS
    return Guess(best, column.name, reason, _example(cells[best]))


def _has_word(name: str, own: str) -> bool:
    words = set(WORDS[own].split())
    return not words.isdisjoint(part.casefold() for part in PART.findall(name))


def _part(cells: Sequence[str], fits: Callable[[str], bool]) -> float:
    """The part of the cells for which it is true, if that is enough; else 0."""
    part = sum(map(fits, cells)) / len(cells) if len(cells) else 0.0
    return part if part >= ENOUGH else 0.0


def _is_time(cell: str) -> bool:
    try:
        return not implausible(moment(cell))
    except NotANumber:
        return False


def _is_number(cell: str) -> bool:
    try:
        return number(cell) >= 0
    except NotANumber:
        return False


def _as_text(cells: Sequence[str]) -> float:
    """The mean length, of what is mostly neither number nor time."""
    if _part(cells, _is_number) or _part(cells, _is_time):
        return 0.0
    return sum(map(len, cells)) / max(len(cells), 1)


def _as_id(cells: Sequence[str]) -> float:
    """More for what differs in every row, and for what is short."""
    filled = [cell for cell in cells if cell.strip()]
    if len(filled) < len(cells) or len(set(filled)) < len(cells):
        return 0.0
    return 1 / (1 + sum(map(len, cells)) / max(len(cells), 1))


def _as_topic(cells: Sequence[str]) -> float:
    """More for what stands in many rows, but not in all, and is no time."""
    if not len(cells) or not all(cell.strip() for cell in cells) or _part(cells, _is_time):
        return 0.0
    kinds = len(set(cells))
    return 1 / kinds if kinds > 1 else 1 / (2 * len(cells))


FITTING: Mapping[str, Callable[[Sequence[str]], float]] = {
    "time": lambda cells: _part(cells, _is_time),
    "text": _as_text,
    "id": _as_id,
    "topic": _as_topic,
    "importance": lambda cells: _part(cells, _is_number),
}
"""How well cells fit a column; 0 is not at all."""


def _nothing_fits(source: Input, column: Column, names: Sequence[str]) -> Fault:
    what = {
        "time": "a time (ISO 8601 or Unix seconds)",
        "topic": "the event that a row is of",
        "text": "a text",
    }.get(column.name, "an id of its own in every row")
    here = f"here: {' '.join(names)}; " if names else ""
    cure = f"{here}--column {column.name}=COLUMN says which it is, or add one"
    return Fault(source.path, None, f"no column holds {what}", cure, "missing-column")
