"""The files of tracked values: the plain table, and runs of TREC Temporal Summarization 2013."""

from __future__ import annotations

import re
from dataclasses import replace

import polars as pl

from tseval.io import TREC_TS
from tseval.io.cells import parse_numbers
from tseval.io.faults import FaultList
from tseval.io.fields import Layout, certain
from tseval.io.formats import Import, Rank
from tseval.io.inputs import Input, first_row
from tseval.io.schema import RUN, TOPIC, Column, Kind, Schema
from tseval.io.tables import (
    Table,
    TableReader,
    TrackFile,
    add_faults,
    check_topics,
    texts_of,
)

LOCATIONS = "locations"
ATTRIBUTES = ("deaths", "injuries", "displaced", "financialimpact", LOCATIONS)
"""What values are of; all but the locations are numbers."""
VALUES = Schema(
    "values",
    (
        TOPIC,
        Column(
            "attribute", Kind.ID, meaning="one of " + ", ".join(f"`{each}`" for each in ATTRIBUTES)
        ),
        Column(
            "time",
            Kind.TIME,
            aliases=("timestamp", "decision_time"),
            meaning="the time of the report",
        ),
        Column(
            "value",
            Kind.ID,
            meaning="a number, not negative; of `locations` latitude and longitude",
        ),
        replace(RUN, meaning="the name of the run; the gold's is ignored"),
        Column(
            "confidence", Kind.NUMBER, required=False, default="0", meaning="no score asks for it"
        ),
    ),
    row="a reported number or place, with its time",
)
"""What a value is, a number or a location, depends on its attribute: it is read as a name first."""
FIELDS = 9
NUMBER = re.compile(rb"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")


def run_columns() -> dict[str, pl.Expr]:
    """Return the columns that are made of a line's fields."""
    return {
        "run": pl.concat_str("team", "name", separator="-"),
        "confidence": certain("confidence"),
    }


RUN_LINES = Layout(
    VALUES,
    "topic team name docid sentence time confidence attribute value",
    run_columns,
    f"where value tracking has {FIELDS}",
    "a line of value tracking is: topic team run docid sentence-id time confidence attribute "
    "value, divided by white space",
    ends_with_text=True,
    comments=True,
    mended=True,
)
ATTRIBUTE_CURE = f"the attributes are {', '.join(ATTRIBUTES)}"
LOCATION_CURE = "write latitude and longitude in degrees with a comma between, such as 40.7, -74"
LIMITS = {"latitude": 90, "longitude": 180}
"""How far the two parts of a location may be from 0."""


def is_run(source: Input) -> bool:
    """Return whether an input looks like a run of value tracking."""
    fields = first_row(source).split()
    return len(fields) >= FIELDS and all(map(NUMBER.fullmatch, fields[5:7]))


def read_amounts(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Check attributes and values; `amount` is the number, or of a location its latitude."""
    rows = frame.select("line", "attribute", "value").with_row_index("row")
    known = pl.col("attribute").is_in(ATTRIBUTES)
    reason = 'unknown attribute "{attribute}"'
    add_faults(faults, rows.filter(~known), reason, ATTRIBUTE_CURE, "unknown-label")
    located = pl.col("attribute") == LOCATIONS
    numbers = rows.filter(known & ~located)
    amounts = parse_numbers(numbers, "value", Column("value", Kind.AMOUNT, most=1e15), faults)
    parts = pl.col("value").str.split(",")
    places = rows.filter(located)
    single = places.filter(parts.list.len() != len(LIMITS))
    reason = 'value "{value}" is not a location'
    add_faults(faults, single, reason, LOCATION_CURE, "location-format")
    places = places.filter(parts.list.len() == len(LIMITS))
    for at, (name, limit) in enumerate(LIMITS.items()):
        places = places.with_columns(parts.list.get(at).str.strip_chars().alias(name))
        degrees = parse_numbers(places, name, Column(name, Kind.NUMBER), faults)
        reason = f'{name} "{{{name}}}" is outside [-{limit}, {limit}]'
        add_faults(
            faults, places.filter(degrees.abs() > limit), reason, LOCATION_CURE, "number-range"
        )
        places = places.with_columns(degrees.alias(name))
    values = {}
    for name, of_numbers, of_places in (
        ("amount", amounts, places["latitude"]),
        ("longitude", 0.0, places["longitude"]),
    ):
        none = pl.repeat(None, frame.height, dtype=pl.Float64, eager=True)
        values[name] = none.scatter(numbers["row"], of_numbers).scatter(places["row"], of_places)
    return frame.with_columns(**values)


def check_gold(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Check the gold, which may have no topic with the name of the mean over topics."""
    check_topics(frame, faults)
    return read_amounts(frame, faults)


def written(table: Table) -> pl.DataFrame:
    """Return a run as a plain table has it."""
    value, longitude = (pl.Series(texts_of(table.frame[name])) for name in ("amount", "longitude"))
    places = value + ", " + longitude
    located = pl.col("attribute") == LOCATIONS
    return table.frame.with_columns(value=pl.when(located).then(places).otherwise(value))


RUN_FILE = TrackFile(recognise=is_run, layout=RUN_LINES, forms=(TREC_TS,), rank=Rank.LIKELY)
RUNS = TableReader(
    schema=VALUES,
    tracks=(RUN_FILE,),
    check=read_amounts,
    imports=(
        Import(
            name="ts-values",
            help="runs of value tracking of TREC Temporal Summarization",
            columns=("run", "topic", "attribute", "time", "value", "confidence"),
            rows=written,
        ),
    ),
)
GOLD = TableReader(
    schema=VALUES,
    tracks=(replace(RUN_FILE, forms=()),),
    check=check_gold,
    empty=("holds no values", "without values there is nothing to score"),
)
"""The track published no gold of this kind, so no format of the track is asked for."""
