"""Reading tracked values: the plain table, and the runs of nine fields of TREC 2013."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from tseval.families.tracking.tables import ATTRIBUTES, LOCATIONS, VALUES, TrackedValues
from tseval.files import TREC_TS
from tseval.files.faults import FaultList
from tseval.files.fixed_fields import Layout, Span, certain, read_lines
from tseval.files.formats import Format
from tseval.files.frames import run_names
from tseval.files.imports import (
    Import,
    Imported,
    NothingAsked,
    numbers_as_text,
    optional_numbers,
)
from tseval.files.inputs import Each, Input
from tseval.files.plain import Rows
from tseval.files.reading import faults_of, input_of, refuse, refuse_all, rows_of
from tseval.files.text_lines import first_row
from tseval.files.value_parsing import read_numbers
from tseval.tables import Column, Ids, Kind, Schema
from tseval.tables.arrow import integers, numbers
from tseval.tables.schema import TOPIC

if TYPE_CHECKING:
    from tseval.files.reading import Given
    from tseval.tables.columns import IntArray

RUN = Schema(
    "values",
    (
        TOPIC,
        Column("run", Kind.ID),
        Column("time", Kind.TIME),
        Column("confidence", Kind.NUMBER),
        Column("attribute", Kind.ID),
        Column("value", Kind.ID),
    ),
)
FIELDS = 9
NUMBER = re.compile(rb"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
RUN_CURE = (
    "a line of value tracking is: topic team run docid sentence-id time confidence attribute "
    "value, divided by white space"
)
RUN_LINES = Layout(
    RUN,
    {
        "topic": Span(0),
        "run": Span(1, 2),
        "time": Span(5),
        "confidence": Span(6, made=certain),
        "attribute": Span(7),
        "value": Span(8),
    },
    FIELDS,
    f"where value tracking has {FIELDS}",
    RUN_CURE,
    ends_with_text=True,
    comments=True,
    mended=True,
)
ATTRIBUTE_CURE = f"the attributes are {', '.join(ATTRIBUTES)}"
LOCATION_CURE = "write latitude and longitude in degrees with a comma between, such as 40.7, -74"
NUMERIC = Column("value", Kind.AMOUNT)
COORDINATES = ((Column("latitude", Kind.NUMBER), 90), (Column("longitude", Kind.NUMBER), 180))
"""The two parts of a location, and how far each may be from 0."""


def read_values(given: Sequence[Given], form: str | None = None, each: Each = map) -> TrackedValues:
    """One or more runs as one table; without a column `run` a run is called as its file.

    `each` reads one run after the other, or has them read somewhere else.
    """
    inputs = [input_of(one, VALUES) for one in given]
    return TrackedValues.join(list(each(partial(_values, form=form), inputs, run_names(inputs))))


def read_gold(given: Given, form: str | None = None) -> TrackedValues:
    """The gold: there must be a value, and no topic of the name of the mean over topics."""
    source = input_of(given, VALUES)
    gold = _values(source, source.name, form)
    if not len(gold):
        refuse(source, "holds no values", "without values there is nothing to score")
    refuse_all(source, gold, gold.topic)
    return gold


def _values(source: Input, name: str, form: str | None) -> TrackedValues:
    if _is_official(source, form):
        return _checked(source, read_lines(source, RUN_LINES), name)
    return _checked(source, rows_of(source, VALUES, form), name)


# The runs of the track.


def is_run(source: Input) -> bool:
    """Whether an input looks like a run of value tracking."""
    fields = first_row(source).split()
    return len(fields) >= FIELDS and all(map(NUMBER.fullmatch, fields[5:7]))


def _is_official(source: Input, form: str | None) -> bool:
    if source.is_table:
        return False
    return form == TREC_TS if form is not None else is_run(source)


# From rows to numbers.


def _checked(source: Input, rows: Rows, name: str) -> TrackedValues:
    """The rows with their attributes known and their values in range; else an `InputError`."""
    attribute = rows.get("attribute")
    codes = _attributes(attribute)
    unread = {name: np.zeros(len(codes)) for name in ("value", "longitude")}
    values = TrackedValues.of(rows.columns | {"attribute": codes} | unread, rows.origin, name)
    faults = faults_of(source, rows.origin.sources[0])
    for row in np.flatnonzero(codes < 0).tolist():
        reason = f'unknown attribute "{attribute[row]}"'
        faults.add_row(rows.origin, row, reason, ATTRIBUTE_CURE, "unknown-label")
    location = codes == ATTRIBUTES.index(LOCATIONS)
    number = np.flatnonzero((codes >= 0) & ~location)
    cells, lines = rows.get("value"), rows.origin.line
    values.value[number] = read_numbers(NUMERIC, _cells(cells, number), lines[number], faults)
    _place(values, np.flatnonzero(location), cells, faults)
    faults.check()
    return values


def _attributes(named: Ids) -> IntArray:
    """The place of each row's attribute in `ATTRIBUTES`, -1 for any other."""
    known = {name: code for code, name in enumerate(ATTRIBUTES)}
    codes = np.array([known.get(name, -1) for name in named.vocabulary()], np.int64)
    return codes[named.codes]


def _cells(ids: Ids, rows: IntArray) -> Any:
    return pc.take(ids.names, integers(ids.codes[rows]))


def _place(values: TrackedValues, rows: IntArray, ids: Ids, faults: FaultList) -> None:
    """Put in the latitudes and longitudes of locations."""
    parts = pc.split_pattern(_cells(ids, rows), ",")
    paired = numbers(pc.list_value_length(parts)) == len(COORDINATES)
    for row in rows[~paired].tolist():
        reason = f'value "{ids[row]}" is not a location'
        faults.add_row(values.origin, row, reason, LOCATION_CURE, "location-format")
    rows, parts = rows[paired], parts.take(integers(np.flatnonzero(paired)))
    columns = (values.value, values.longitude)
    for at, ((column, limit), filled) in enumerate(zip(COORDINATES, columns, strict=True)):
        cells = pc.utf8_trim_whitespace(pc.list_element(parts, at))
        degrees = read_numbers(column, cells, values.origin.line[rows], faults)
        for place in np.flatnonzero(np.abs(degrees) > limit).tolist():
            reason = f'{column.name} "{cells[place]}" is outside [-{limit}, {limit}]'
            faults.add_row(values.origin, int(rows[place]), reason, LOCATION_CURE, "number-range")
        filled[rows] = degrees


def imported(paths: Sequence[str], _: NothingAsked) -> Imported:
    """A run of value tracking; it loses its documents, which no score asks for."""
    values = read_values(paths, TREC_TS)
    located = values.attribute == ATTRIBUTES.index(LOCATIONS)
    value, longitude = numbers_as_text(values.value), numbers_as_text(values.longitude)
    return Imported(
        {
            "run": values.run.to_list(),
            "topic": values.topic.to_list(),
            "attribute": [ATTRIBUTES[code] for code in values.attribute.tolist()],
            "time": numbers_as_text(values.time),
            "value": [
                f"{number}, {degrees}" if is_place else number
                for number, degrees, is_place in zip(value, longitude, located, strict=True)
            ],
            "confidence": optional_numbers(values.confidence),
        }
    )


FORMATS = (
    Format(
        VALUES.table,
        lambda source, form, _: read_values([source], form),
        is_run,
        forms=(TREC_TS,),
        layouts=(RUN_LINES,),
        imports=(
            Import("ts-values", "runs of value tracking of TREC Temporal Summarization", imported),
        ),
    ),
)
"""Runs of value tracking, for `tseval validate` and `tseval import`."""
