"""Which columns of somebody's file are those of a table: by their names, else by what they hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tseval.core.validation import names_in
from tseval.errors import Fault, InputError, input_error
from tseval.io.cells import DECIMAL_COMMA, PlainTable, as_text, type_columns
from tseval.io.columns import CONSTANT, DECIMAL, NUMBERED, SETTINGS
from tseval.io.faults import FaultList
from tseval.io.forms import READERS, form_of, read_plain, row_input
from tseval.io.inputs import Input
from tseval.io.json_text import elements, last_key, objects, with_paths
from tseval.io.schema import Column, Kind, Schema
from tseval.io.times import (
    NUMBER_FORMATS,
    NotANumber,
    TimeReading,
    formats_of,
    implausible,
    number,
)
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
FRACTION = re.compile(r"[-+]?\d*[.,]\d+", re.ASCII)
ENOUGH = 0.9
"""Such a part of a column's cells must be what the column is to hold."""
BY_ITS_NAME, BY_A_LIKE_NAME, BY_WHAT_IT_HOLDS, AS_SAID = (
    "its name", "a like name", "what it holds", "--column",
)  # fmt: skip
BY_NUMBER, BY_DEFAULT, BY_TOPIC = "--number", "its default", "--topic"


class Undecided(InputError):
    """A file does not tell what a column is or how its times are written: one setting does."""

    def __init__(self, faults: Sequence[Fault], setting: str, choices: Sequence[str] = ()) -> None:
        super().__init__(faults)
        self.setting = setting
        """What is asked for, such as `updates:time`."""
        self.choices = choices
        """The answers that there are; without them it is the name of the topic."""


@frozen
class Guess:
    """What a column of a file was taken for, and why."""

    name: str
    """The file's name of it; `=flood` where every row has the same."""
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
    lines: Sequence[int]
    cells: Mapping[str, Sequence[str]]
    """The cells by the file's own names."""
    settings: Mapping[str, str]
    """How it writes times and numbers, if that has to be said."""
    notes: tuple[str, ...] = ()
    """What was assumed, a line each."""

    @property
    def columns(self) -> dict[str, str]:
        """What is to be said: the names that are not the table's own, and the settings."""
        names = {each.own: each.name for each in self.guesses if each.own != each.name}
        return names | dict(self.settings)

    def guess(self, own: str) -> Guess | None:
        """What a column of the table is."""
        return next((each for each in self.guesses if each.own == own), None)

    def column(self, own: str) -> Sequence[str]:
        """The cells of a column of the table; none if there is no such column."""
        guess = self.guess(own)
        if guess is None:
            return ()
        if guess.name == NUMBERED:
            return list(map(str, self.lines))
        is_constant = guess.name.startswith(CONSTANT)
        return [guess.name[1:]] * len(self.lines) if is_constant else self.cells[guess.name]

    def with_constant(self, own: str, value: str, reason: str, note: str = "") -> GuessedFile:
        """The same with a column that no column of the file is."""
        example = str(self.lines[0]) if value == NUMBERED and len(self.lines) else value[1:]
        left = {each.own: each for each in self.guesses} | {own: Guess(value, own, reason, example)}
        guesses = tuple(left[each.name] for each in self.schema if each.name in left)
        notes = (*self.notes, f"{self.source.path}: {note}") if note else self.notes
        return replace(self, guesses=guesses, notes=notes)

    def has_ids(self) -> bool:
        """Whether a column tells rows of one topic and run apart."""
        ids = self.column(self.schema.key[-1])
        key = [self.column(name) for name in self.schema.key if self.guess(name)]
        return all(map(str.strip, ids)) and len(set(zip(*key, strict=True))) == len(ids) > 0

    def check(self, columns: Mapping[str, str]) -> None:
        """Refuse what no command would read by this mapping."""
        self.source.columns = columns
        read_plain(self.source, self.schema, self.form)


def guessed(
    source: Input, schema: Schema, said: Mapping[str, str], topics: frozenset[str] = frozenset()
) -> GuessedFile:
    """Look at a file as a table of this schema; `said` are names that the caller knows.

    `topics` are those of the file beside it. A required column that nothing could be is
    `Undecided`, but for topic and id, which need no column.
    """
    form = form_of(source, schema, None)
    settings = {key: name for key, name in said.items() if key in SETTINGS}
    said = {own: name for own, name in said.items() if own not in settings}
    source.columns = settings
    cells, lines = _cells(source, form)
    found = dict(_named_columns(source, schema, said, cells))
    placed = schema.called(said).placed(list(cells))
    names = list(cells)
    for own, at in placed.items():
        found.setdefault(own, Guess(names[at], own, BY_ITS_NAME, _example(cells[names[at]])))
    for by_name in (True, False):
        for column in _in_order(schema):
            if column.name not in found:
                taken = {each.name for each in found.values()}
                left = {name: held for name, held in cells.items() if name not in taken}
                guess = _guess(column, left, topics, by_name=by_name)
                if guess is not None:
                    found[column.name] = guess
    for own, what in (("time", "a time"), ("text", "a text")):
        if own not in found:
            reason = f"no column holds {what}"
            cure = f"here: {' '.join(cells)}; --column {own}=COLUMN says which it is, or add one"
            fault = Fault(source.path, None, reason, cure, "missing-column")
            raise Undecided([fault], f"{schema.table}:{own}", list(cells))
    guesses = tuple(found[each.name] for each in schema if each.name in found)
    return GuessedFile(source, form, schema, guesses, lines, cells, settings)


def with_settings(file: GuessedFile) -> GuessedFile:
    """Return a file with how it writes times and numbers; refuse what no command would read."""
    settings, forms = dict(file.settings), list[str]()
    if not settings.keys() & {"time_format", "clock"}:
        forms = time_formats(file.column("time"))
    if len(forms) == 1 and forms[0]:
        settings["time_format"] = forms[0]
    for column in file.schema:
        guess, cells = file.guess(column.name), file.column(column.name)
        if guess is None or column.kind not in (Kind.NUMBER, Kind.AMOUNT) or DECIMAL in settings:
            continue
        if any(map(DECIMAL_COMMA.fullmatch, cells)):
            settings[DECIMAL] = ","
        elif guess.reason != AS_SAID and _part(cells, _is_number) < 1:
            note = f"{guess.name} holds more than numbers: {column.name} is {column.default}"
            value = CONSTANT + column.default
            file = file.with_constant(column.name, value, BY_DEFAULT, note)
    file = replace(file, settings=settings)
    try:
        file.check(file.columns)
    except InputError as error:
        if len(forms) > 1:
            setting = f"{file.schema.table}:time_format"
            raise Undecided(error.faults, setting, forms) from None
        raise
    return file


def _cells(source: Input, form: str) -> tuple[Mapping[str, Sequence[str]], Sequence[int]]:
    """Return every column that holds texts or numbers, by its name, and the lines of the rows.

    Faulty rows are left out. What JSON holds inside of objects has a path for its name.
    """
    source = row_input(source, form)
    if form in ("jsonl", "json"):
        faults = FaultList(source)
        rows = (
            objects(source, faults, numbers_as_text=True)
            if form == "jsonl"
            else elements(source, faults, as_rows=True)
        )
        records = [(line, with_paths(record)) for line, record in rows]
        held = (each for _, record in records for each in record.items())
        keys = dict.fromkeys(key for key, value in held if isinstance(value, str))
        columns = {key: [_text(record.get(key)) for _, record in records] for key in keys}
        return columns, [line for line, _ in records]
    names = [name for name in dict.fromkeys(names_in(source, form)) if name]
    own = tuple(Column(name, Kind.TEXT, required=False) for name in names)
    table = PlainTable(source, Schema("columns", own))
    frame = type_columns(READERS[form](table), table.schema, table.faults)
    return {name: as_text(frame[name]).to_list() for name in names}, frame["line"].to_list()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _named_columns(
    source: Input, schema: Schema, said: Mapping[str, str], cells: Mapping[str, Sequence[str]]
) -> Mapping[str, Guess]:
    for own, name in said.items():
        if schema.find(own) is None or (name not in cells and not name.startswith(CONSTANT)):
            known = schema.find(own) is not None
            what = f"no column {name}" if known else f"{schema.table} have no column {own}"
            reason = f"{what}, which --column {own}={name} asks for"
            cure = f"here: {' '.join(cells)}"
            raise input_error(source.path, None, reason, cure, "unknown-column")
    examples = {name: _example(cells.get(name, [name[1:]])) for name in said.values()}
    reasons = {name: BY_TOPIC if name.startswith(CONSTANT) else AS_SAID for name in examples}
    return {own: Guess(name, own, reasons[name], examples[name]) for own, name in said.items()}


def _example(cells: Sequence[str]) -> str:
    return next((cell for cell in cells if cell.strip()), "")


def _in_order(schema: Schema) -> list[Column]:
    """The columns that are guessed: those first that few others could be."""
    order = ("time", "text", schema.key[-1], "topic", "importance")
    return [column for name in order if (column := schema.find(name)) is not None]


def _guess(
    column: Column, cells: Mapping[str, Sequence[str]], topics: frozenset[str], *, by_name: bool
) -> Guess | None:
    fits = FITTING[column.name if column.name in FITTING else "id"]
    worth = {name: fits(held) for name, held in cells.items()}
    able = [name for name, value in worth.items() if value > 0]
    if column.name == "topic":
        shared = [name for name in able if not topics.isdisjoint(cells[name])]
        able = shared or [name for name in able if by_name or _repeats(cells[name])]
    alike = [name for name in able if _has_word(name, column.name)]
    if column.name == "time" and not able:  # whoever reads it tells what is wrong with its times
        alike = [name for name in cells if _has_word(name, column.name)]
    fitting = alike if by_name else able * column.required
    if not fitting:
        return None
    best = max(fitting, key=lambda name: worth[name])
    reason = BY_A_LIKE_NAME if by_name else BY_WHAT_IT_HOLDS
    return Guess(best, column.name, reason, _example(cells[best]))


def _repeats(cells: Sequence[str]) -> bool:
    return len(set(cells)) < len(cells) and not any(map(FRACTION.fullmatch, cells))


def _has_word(name: str, own: str) -> bool:
    words = set(WORDS[own].split())
    name = name if own == "topic" else last_key(name)
    return not words.isdisjoint(part.casefold() for part in PART.findall(name))


def _part(cells: Sequence[str], fits: Callable[[str], bool]) -> float:
    """The part of the cells for which it is true, if that is enough; else 0."""
    part = sum(map(fits, cells)) / len(cells) if len(cells) else 0.0
    return part if part >= ENOUGH else 0.0


def time_formats(cells: Sequence[str]) -> list[str]:
    """Return how cells write times, `""` for Unix seconds or ISO 8601.

    It is nothing if they are no times, and two formats if the day could be the month.
    """
    filled = dict.fromkeys(cell for cell in cells if cell.strip())
    odd = [cell for cell in filled if not _is_time(cell, "")]
    if not odd:
        return [""]
    plain = [each for each in NUMBER_FORMATS if all(_is_time(cell, each) for cell in odd)]
    return plain[:1] or formats_of(odd)


def _is_time(cell: str, form: str) -> bool:
    try:
        return not implausible(TimeReading.of({"time_format": form}).seconds(cell, lambda *_: None))
    except NotANumber:
        return False


def _as_time(cells: Sequence[str]) -> float:
    """Less for what needs a format."""
    plain = _part(cells, lambda cell: _is_time(cell, ""))
    return plain or 0.5 * (any(cells) and len(time_formats(cells)) > 0)


def _is_number(cell: str) -> bool:
    try:
        return number(cell.replace(",", ".") if DECIMAL_COMMA.fullmatch(cell) else cell) >= 0
    except NotANumber:
        return False


def _as_text(cells: Sequence[str]) -> float:
    """The mean length, of what is mostly neither number nor time."""
    if _part(cells, _is_number) or _as_time(cells):
        return 0.0
    return sum(map(len, cells)) / max(len(cells), 1)


def _as_id(cells: Sequence[str]) -> float:
    """More for what differs in every row, and for what is short."""
    filled = [cell for cell in cells if cell.strip()]
    if len(filled) < len(cells) or len(set(filled)) < len(cells):
        return 0.0
    if any(FRACTION.fullmatch(cell) or " " in cell for cell in filled):
        return 0.0
    return 1 / (1 + sum(map(len, cells)) / max(len(cells), 1))


def _as_topic(cells: Sequence[str]) -> float:
    """More for what stands in many rows, but not in all, and is no time."""
    if not len(cells) or not all(cell.strip() for cell in cells) or _as_time(cells):
        return 0.0
    kinds = len(set(cells))
    return 1 / kinds if kinds > 1 else 1 / (2 * len(cells))


FITTING: Mapping[str, Callable[[Sequence[str]], float]] = {
    "time": _as_time,
    "text": _as_text,
    "id": _as_id,
    "topic": _as_topic,
    "importance": lambda cells: _part(cells, _is_number),
}
"""How well cells fit a column; 0 is not at all."""
