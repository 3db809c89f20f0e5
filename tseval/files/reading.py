"""Reading tables from whatever is given: paths, inputs, pandas frames; one, or a run a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    NamedTuple,
    NoReturn,
    ParamSpec,
    TypeVar,
)

import numpy as np

from tseval.files.frames import read_frame
from tseval.files.plain import Rows, by_rows, read_rows, recognise
from tseval.io.faults import FaultList
from tseval.io.given import FrameInput, input_of
from tseval.io.inputs import Input
from tseval.io.origin import InputRecord, Origin
from tseval.io.schema import Schema
from tseval.tables import Ids, repeated_rows
from tseval.tables.base import Table

if TYPE_CHECKING:
    from tseval.arrays import BoolArray
    from tseval.io.given import Given

Made = TypeVar("Made", bound=Table)
Asked = ParamSpec("Asked")
Read = TypeVar("Read")


def names_of(source: Input) -> list[str]:
    """The names of an input's columns, as far as they can be told before it is read."""
    if isinstance(source, FrameInput):
        return source.renamed([str(name) for name in source.frame.columns])
    return source.renamed(recognise(source)[1])


def rows_of(source: Input, schema: Schema, form: str | None = None) -> Rows:
    """An input as the rows of a plain table; any fault is an `InputError`."""
    if isinstance(source, FrameInput):
        return read_frame(source, schema)
    return read_rows(source, schema, form)


def faults_of(source: Input, record: InputRecord) -> FaultList:
    """A list for the faults of an input that was read before."""
    has_rows = record.unit == "row" and not isinstance(source, FrameInput) and source.is_there
    return FaultList(by_rows(source, recognise(source)[0]) if has_rows else source)


def refuse(source: Input, reason: str, cure: str, code: str = "no-rows") -> NoReturn:
    """Refuse a whole input: it holds nothing, or stands in the wrong place."""
    FaultList(source).refuse(None, reason, cure, code)


def refuse_where(
    source: Input, origin: Origin, wrong: BoolArray, cells: Any, reason: str, cure: str, code: str
) -> None:
    """Refuse the rows that are wrong; the reason has a place for the cell of a row."""
    if wrong.any():
        faults = faults_of(source, origin.sources[0])
        for row in np.flatnonzero(wrong).tolist():
            faults.add_row(origin, row, reason.format(cells[row]), cure, code)
        faults.check()


class Wrong(NamedTuple):
    """What is wrong with a row, and what to do."""

    row: int
    reason: str
    cure: str
    code: str


def refuse_rows(origin: Origin, wrong: Iterable[Wrong], shown: Callable[[int], str]) -> None:
    """Refuse what is wrong with rows of a table, with the lines that they stand on.

    `shown` stands for the line of an input that cannot be read again: a frame, or a pipe.
    """
    source = Input(origin.sources[0].path)
    faults = faults_of(source, origin.sources[0])
    for each in wrong:
        fault = origin.fault(*each)
        text = "" if source.can_be_read_again and fault.file == source.path else shown(each.row)
        faults.extend([replace(fault, text=text)])
    faults.check()


def read_table(given: Given, schema: Schema, table: type[Made], form: str | None = None) -> Made:
    """One input as a table."""
    rows = rows_of(input_of(given, schema), schema, form)
    return table.of(rows.columns, rows.origin)


def read_if_given(
    given: Given | None,
    read: Callable[Concatenate[Given, Asked], Read],
    *asked: Asked.args,
    **named: Asked.kwargs,
) -> Read | None:
    """An input as `read` has it; None if it was not given."""
    return None if given is None else read(given, *asked, **named)


def check_between_files(
    table: Table,
    inputs: Sequence[Input],
    key: Sequence[Ids],
    reason: Callable[[int], str],
    cure: str = "",
) -> None:
    """Refuse rows that repeat a row of another file in all these columns.

    What a file repeats of its own is for its format to refuse. The faults are those of the first
    such file.
    """
    origin = table.origin
    if len(origin.sources) == 1:
        return
    repeats, originals = repeated_rows(*key)
    across = origin.source[repeats] != origin.source[originals]
    repeats, originals = repeats[across], originals[across]
    if not len(repeats):
        return
    place = int(origin.source[repeats[0]])
    faults = faults_of(inputs[place], origin.sources[place])
    alone = len(origin.sources[place].runs) < 2
    how = f"--name {inputs[place].path}=NAME" if alone else "in their column run"
    cure = cure or f"give the runs of the files two names: {how}"
    for row, original in zip(repeats.tolist(), originals.tolist(), strict=True):
        if origin.source[row] == place:
            where = f"also at {origin.place(original)}: {cure}"
            faults.add_row(origin, row, reason(row), where, "duplicate-id")
    faults.check()
