"""Scores of runs: what scoring commands write, and the table of the track's own scripts.

    csv, tsv, jsonl, parquet    the columns `run topic measure value`; without `run` it is the file
    json                        the object that `-f json` writes: its "records"
    trec                        `measure topic value` or `run measure topic value`, without a header
    trec-ts                     the table of TREC Temporal Summarization's scripts

They are recognised by their content.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tseval.io import JSON, TREC, TREC_TS, json_text
from tseval.io.binary import PARQUET, parquet_metadata
from tseval.io.cells import PlainTable, text_frame, type_columns
from tseval.io.faults import FaultList, decoded_text
from tseval.io.fields import read_headless, split_tabs
from tseval.io.formats import Rank
from tseval.io.forms import read_plain, recognise
from tseval.io.inputs import Input, InputRecord
from tseval.io.json_text import spans
from tseval.io.records import is_list, is_number, is_text, wrong_in
from tseval.io.schema import ALL_TOPICS, SCORES, TEAMS, TOPIC, Column, Kind, Schema
from tseval.io.score_files import UNDEFINED
from tseval.io.tables import TableReader, TrackFile, TrackRows, add_faults, read, track_of
from tseval.io.times import NotANumber, number
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.given import Given


@frozen
class Provenance:
    """The record of how scores came about, as far as their file has one."""

    signature: str = ""
    inputs: tuple[InputRecord, ...] = ()
    warnings: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    """The topics that are information types."""
    weights: Sequence[Any] = ()
    """Objects with the weights of values, as they are written."""


def provenance(content: Mapping[str, Any]) -> Provenance:
    """Return what an object of scores says beside them; what tseval does not write is left out."""
    lists = {key: value for key, value in content.items() if is_list(value)}
    inputs = [
        InputRecord(each["path"], partial(str, each["sha256"]), int(each["rows"]))
        for each in lists.get("inputs", ())
        if not wrong_in(each, path=is_text, sha256=is_text, rows=is_number)
    ]
    signature = content.get("signature")
    return Provenance(
        signature if is_text(signature) else "",
        tuple(inputs),
        tuple(filter(is_text, lists.get("warnings", ()))),
        tuple(filter(is_text, lists.get("types", ()))),
        lists.get("weights", ()),
    )


def parquet_provenance(source: Input) -> Provenance:
    """Return what a plain file says beside its rows, which only Parquet does."""
    if source.is_table or not source.head().startswith(PARQUET):
        return Provenance()
    told: dict[str, Any] = dict(parquet_metadata(source))
    try:
        told |= {key: json.loads(told.get(key, "[]")) for key in ("types", "weights")}
    except (ValueError, RecursionError):  # of another program
        told = {"signature": told.get("signature")}
    return provenance({key: told.get(key) for key in ("signature", "types", "weights")})


# The form `json`.

RECORDS = "records"
RECORDS_CURE = f'give what -f json writes: an object with "{RECORDS}", a list of objects'
RECORD_CURE = "a record has a run, a topic, a measure and a value"
RECORDS_START = re.compile(rf'"{RECORDS}"\s*:\s*\[')


def is_object(source: Input) -> bool:
    """Return whether an input is an object of JSON and no table of objects."""
    form, names = recognise(source)
    return form == "jsonl" and (not names or RECORDS in names)


def read_object(source: Input, faults: FaultList) -> TrackRows:
    """Read the records of an object, each with the line on which it starts."""
    content = json_text.read_document(source, faults, RECORDS_CURE)
    rows, records = [], content.get(RECORDS, [])
    if not isinstance(records, list):
        faults.refuse(1, f'"{RECORDS}" is no list', RECORDS_CURE, "json-type")
    lines = chain(_lines_of_records(decoded_text(source, faults)), repeat(1))
    for line, record in zip(lines, records, strict=False):
        if not isinstance(record, dict):
            faults.add(line, "a record is no object", RECORDS_CURE, "json-type")
            continue
        cells = {"run": "", **record}
        if "value" in cells and cells["value"] is None:
            cells["value"] = ""
        known = {key: str(v) for key, v in cells.items() if type(v) in (str, int, float)}
        wrong = next((each.name for each in SCORES if each.name not in known), None)
        if wrong is None:
            rows.append((line, *(known[each.name] for each in SCORES)))
        elif cells.get(wrong) is None:
            faults.add(line, f'no "{wrong}"', RECORD_CURE, "missing-key")
        else:
            faults.add(line, f'"{wrong}" is no value', RECORD_CURE, "json-type")
    texts = text_frame(rows, (each.name for each in SCORES))
    named = texts if (texts["run"] != "").any() else texts.drop("run")
    frame = type_columns([named], SCORES, faults)
    faults.check()
    return TrackRows(frame, provenance(content))


def _lines_of_records(text: str) -> Iterator[int]:
    """Yield the line on which each record starts."""
    opening = RECORDS_START.search(text)
    with suppress(json.JSONDecodeError):  # what stands behind the array
        for line, _, _ in spans(text, opening.end() - 1) if opening else ():
            yield line


# The form `trec`.

RUN_NAME = "runid"
"""In files of trec_eval the row of this name says what the run is called."""
TREC_NAMES = ["run", "measure", "topic", "value"]
WIDTHS = (3, 4)
TREC_CURE = "write measure, topic and value with tabs between, and the run before them if you like"


def _is_row(fields: list[str]) -> bool:
    """Return whether these are the fields of a line of the form `trec`."""
    if len(fields) == 3 and fields[0].strip() == RUN_NAME:
        return True
    if len(fields) not in WIDTHS or fields[-1].strip() == UNDEFINED:
        return len(fields) in WIDTHS
    try:
        number(fields[-1])
    except NotANumber as error:
        return "not a number" not in str(error)
    return True


def is_trec(source: Input) -> bool:
    """Return whether an input looks like the form `trec`."""
    names = recognise(source)[1]
    return bool(SCORES.missing(names)) and _is_row(names)


def read_trec(source: Input, faults: FaultList) -> TrackRows:
    """Read lines without a header; those of trec_eval too, which fill up measures with blanks."""
    width = source.first_line().count(b"\t") + 1
    if width not in WIDTHS:
        reason = f"{width} field{'s' * (width > 1)} where the form trec has 3 or 4"
        faults.refuse(1, reason, TREC_CURE, "field-count")
    table, measure, value = PlainTable(source, SCORES), pl.col("measure"), pl.col("value")
    table.faults = faults
    cells = pl.concat(read_headless(table, TREC_NAMES[-width:]))
    cells = cells.with_columns(pl.col("measure", "value").str.strip_chars())
    cure = f'write "{UNDEFINED}" where it is'
    add_faults(faults, cells.filter(value == ""), "value is empty", cure, "empty-value")
    is_title = (measure == RUN_NAME) & (pl.col("topic") == ALL_TOPICS) & pl.lit(width == 3)
    titles = cells.filter(is_title)["value"]
    scores = cells.filter(~is_title).with_columns(value.replace(UNDEFINED, ""))
    frame = type_columns([scores], SCORES, faults)
    faults.check()
    named = frame.with_columns(run=pl.lit(titles[0])) if len(titles) else frame
    return TrackRows(named, Provenance())


# The table of the track's scripts.

TRACK_HEADER = b"QueryID\tTeamID\tRunID\t"
SUMMING = ("AVG", "STD", "MIN", "MAX", "ALL")
"""What stands in the place of a topic or a team where a row sums up others."""
TRACK_CURE = "the header names topic, team, run and measures, with tabs between"
TRACK_IDS = (TOPIC, Column("team", Kind.ID), Column("run_id", Kind.ID))


def read_track_table(source: Input, faults: FaultList) -> TrackRows:
    """Read a column a measure, by its title; rows that sum up others are left out.

    Runs are called `team-run`, as everywhere, and one of the name `-` as its team.
    """
    header = split_tabs(source.first_line(), SCORES)
    named, titles = header[: len(TRACK_IDS)], header[len(TRACK_IDS) :]
    if not titles:
        faults.refuse(1, "no column of a measure", TRACK_CURE, "field-count")
    ids = [replace(each, given=title) for each, title in zip(TRACK_IDS, named, strict=True)]
    columns = (*ids, *(Column(title, Kind.NUMBER) for title in titles))
    key = tuple(column.name for column in TRACK_IDS)
    schema = Schema(SCORES.table, columns, key, people_make_it=False)
    wide = read_plain(source, schema, "tsv")[1]
    team, run = pl.col("team"), pl.col("run_id")
    is_sum = pl.any_horizontal(pl.col("topic", "team").is_in(SUMMING))
    name = pl.when(run == "-").then(team).otherwise(pl.format("{}-{}", team, run))
    frame = wide.filter(~is_sum).with_columns(run=name)
    long = frame.unpivot(
        titles, index=["line", "run", "topic"], variable_name="measure", value_name="value"
    )
    return TrackRows(long, Provenance(), rows=wide.height)


# All forms.

OBJECT = TrackFile(
    marks=('"signature"', '"records"', '"measure"'),
    applies=is_object,
    read=read_object,
    forms=(JSON,),
    rank=Rank.AFTER_TABLES,
)
READER = TableReader(
    schema=SCORES,
    tracks=(
        TrackFile(
            recognise=lambda source: source.head().startswith(TRACK_HEADER),
            read=read_track_table,
            forms=(TREC_TS,),
            rank=Rank.AFTER_TABLES,
        ),
        TrackFile(
            recognise=is_trec,
            applies=lambda source: recognise(source)[0] == "tsv" and is_trec(source),
            read=read_trec,
            forms=(TREC,),
            rank=Rank.LAST,
        ),
        OBJECT,
    ),
    note=parquet_provenance,
    once=(
        SCORES.key,
        'measure "{measure}" of topic "{topic}" stands twice for run "{run}"',
        "give each run a name of its own",
    ),
)
TEAMS_READER = TableReader(schema=TEAMS)
SCHEMAS = (SCORES, TEAMS)
"""The plain tables that hold scores, or tell of runs that have some."""
FORMATS = (*READER.formats, *TEAMS_READER.formats)


def provenance_of(path: str | Path, form: str | None = None) -> Provenance | None:
    """Return what a file that `-f json` wrote says of its scores, None of any other input."""
    source = Input(path)
    if not source.can_be_read_again or track_of(source, READER, form) is not OBJECT:
        return None
    return provenance(json_text.read_document(source, FaultList(source), RECORDS_CURE))


def read_teams(given: Given, form: str | None = None) -> dict[str, str]:
    """Return the team of each run that a table names."""
    return dict(read([given], TEAMS_READER, form).frame.select("run", "team").iter_rows())
