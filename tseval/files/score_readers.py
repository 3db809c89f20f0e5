"""Reading scores: what `score` and the other scoring commands write, and the track's own table.

    csv, tsv, jsonl, parquet    the columns `run topic measure value`; without `run` it is the file
    json                        the object that `-f json` writes: its "records"
    trec                        `measure topic value` or `run measure topic value`, without a header
    trec-ts                     the table of TREC Temporal Summarization's scripts

They are recognised by their content. Rows of the topic `all` are means and are left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from tseval.errors import UsageError
from tseval.files import JSON, PLAIN_FORMS, TREC, TREC_TS, json_text, parquet, tsv
from tseval.files.cells import Cells, column_of
from tseval.files.faults import FaultList
from tseval.files.formats import Format, Rank
from tseval.files.frames import FrameInput, is_frame, read_frame, run_names
from tseval.files.inputs import Input
from tseval.files.plain import Rows, build, read_rows, recognise
from tseval.files.reading import check_between_files, input_of, refuse, rows_of
from tseval.files.score_writers import UNDEFINED
from tseval.records import frozen
from tseval.tables import ALL_TOPICS, Column, Ids, Kind, Schema
from tseval.tables.arrow import strings, truths
from tseval.tables.schema import SCORES, TEAMS, TOPIC
from tseval.tables.times import NotANumber, number
from tseval.tables.topic_scores import TopicScores

if TYPE_CHECKING:
    from tseval.files.reading import Given
    from tseval.tables.columns import FloatArray

TRACK_HEADER = b"QueryID\tTeamID\tRunID\t"
"""What the table of the track's scripts begins with."""
SUMMING = ("AVG", "STD", "MIN", "MAX", "ALL")
"""What stands in the place of a topic or a team where a row sums up others."""
TRACK_IDS = (TOPIC, Column("team", Kind.ID), Column("run_id", Kind.ID))
RUN_NAME = "runid"
"""In files of trec_eval the row of this name tells what the run is called."""
LOOKED_FOR = (
    "looked for scores as `tseval score -q -f csv`, json, parquet or trec write them, and for the "
    "table of -f trec-ts; --input-format settles it"
)
NO_TOPICS_CURE = "runs are compared topic by topic: write the scores with -q (--per-topic)"
TREC_NAMES = ["run", "measure", "topic", "value"]
WIDTHS = (3, 4)
TREC_CURE = "write measure, topic and value with tabs between, and the run before them if you like"
RECORDS = "records"
RECORDS_CURE = f'give what -f json writes: an object with "{RECORDS}", a list of objects'


@frozen
class Found:
    """The rows of one file, its signature if it has one, and its own name for its run."""

    rows: Rows
    signature: str | None = None
    run: str | None = None
    weights: tuple[Any, ...] = ()
    """What it says that values weigh, as it says so."""
    types: tuple[str, ...] = ()
    """The topics that it calls information types."""
    doubts: tuple[str, ...] = ()
    """Its warnings that scores are not comparable."""


def read_scores(given: Sequence[Given], form: str | None = None) -> TopicScores:
    """The scores of several files in one table; any fault is an `InputError`.

    A (run, topic, measure) may stand once in all of them together, and each file needs the score
    of at least one topic.
    """
    inputs = [_input(one) for one in given]
    parts = [
        _scores(each, name, form) for each, name in zip(inputs, run_names(inputs), strict=True)
    ]
    joined = TopicScores.join(parts)
    key = (joined.run, joined.topic, joined.measure)
    check_between_files(
        joined, inputs, key, partial(_stands_twice, joined), "give each run a name of its own"
    )
    return joined


def _stands_twice(scores: TopicScores, row: int) -> str:
    named = f'measure "{scores.measure[row]}" of topic "{scores.topic[row]}"'
    return f'{named} stands twice for run "{scores.run[row]}"'


def _input(given: Given) -> Input:
    if is_frame(given) and "value" in given and given["value"].dtype.kind == "f":
        given = given.assign(value=given["value"].astype("Float64"))  # NaN is undefined
    return input_of(given, SCORES)


def _scores(source: Input, name: str, form: str | None) -> TopicScores:
    """One file's scores of single topics."""
    found = _read(source, form)
    rows = found.rows
    value, topic = rows.get("value"), rows.get("topic")
    told = {
        "value": np.nan_to_num(value),
        "defined": ~np.isnan(value),
        "signatures": () if found.signature is None else (found.signature,),
        "untold": (source.path,) if found.signature is None else (),
        "weight": _weighed(found, rows.get("run") or Ids.constant(name, len(value))),
        "types": found.types,
        "doubts": found.doubts,
    }
    scores = TopicScores.of(rows.columns | told, rows.origin, found.run or name)
    single = topic.within(strings([ALL_TOPICS])) < 0
    if not single.any():
        refuse(source, "holds means alone" if len(value) else "holds no scores", NO_TOPICS_CURE)
    return scores.rows(single)


def _read(source: Input, form: str | None) -> Found:
    if isinstance(source, FrameInput):
        return Found(read_frame(source, SCORES))
    check_form(form)
    form = form or recognised(source)
    if form in READERS and not (form == JSON and recognise(source)[0] == JSON):
        return READERS[form](source)
    rows = read_rows(source, SCORES, form)
    if recognise(source)[0] != "parquet":
        return Found(rows)
    try:
        types = _names(json.loads(parquet.metadata(source, "types") or "[]"))
        weights = _listed(json.loads(parquet.metadata(source, "weights") or "[]"))
    except (ValueError, RecursionError):  # of another program
        types = weights = ()
    return Found(rows, parquet.metadata(source, "signature"), types=types, weights=weights)


def read_score_rows(source: Input, form: str | None = None) -> Rows:
    """The rows of one file, means over topics and all."""
    return _read(source, form).rows


def is_score_object(source: Input) -> bool:
    """Whether this looks like what `-f json` writes, or like the table of the track's scripts."""
    head = source.head()
    keys = (b'"signature"', b'"records"', b'"measure"')
    is_object = head.lstrip().startswith(b"{") and all(key in head for key in keys)
    return is_object or head.startswith(TRACK_HEADER)


def is_trec(source: Input) -> bool:
    """Whether this looks like the form `trec`."""
    names = _recognise(source)[1]
    return bool(SCORES.missing(names)) and _is_trec(names)


def recognised(source: Input) -> str | None:
    """The form of a file of scores by its first bytes; None leaves it to the plain tables."""
    head = source.head()
    if head.startswith(TRACK_HEADER):
        return TREC_TS
    form, names = _recognise(source)
    if form == "tsv" and SCORES.missing(names) and _is_trec(names):
        return TREC
    if form == "jsonl":
        return "jsonl" if names and RECORDS not in names else JSON
    if form is None and head and SCORES.missing(names):
        FaultList(source).refuse(1, "the format is not recognised", LOOKED_FOR, "unknown-format")
    return None if form == JSON else form


def _recognise(source: Input) -> tuple[str | None, list[str]]:
    """The form and the first fields of a file, where a run may be called what JSON begins with."""
    form, names = recognise(source)
    if form in (JSON, "jsonl"):
        fields = tsv.split_header(source.head().partition(b"\n")[0], SCORES)
        if _is_trec(fields):
            return "tsv", fields
    return form, names


def _is_trec(fields: list[str]) -> bool:
    """Whether a line is one of the form `trec`."""
    named = len(fields) == 3 and fields[0].strip() == RUN_NAME
    return named or (len(fields) in WIDTHS and _is_value(fields[-1]))


def _is_value(field: str) -> bool:
    if field.strip() == UNDEFINED:
        return True
    try:
        number(field)
    except NotANumber as error:
        return "not a number" not in str(error)
    return True


# The form `trec`.


def _trec(source: Input) -> Found:
    """Lines without a header; those of trec_eval too, which fill up measures with blanks."""
    found, faults = FaultList(source), FaultList(source)
    width = source.first_line().count(b"\t") + 1
    if width not in WIDTHS:
        noun = "field" if width == 1 else "fields"
        faults.refuse(1, f"{width} {noun} where the form trec has 3 or 4", TREC_CURE, "field-count")
    names = TREC_NAMES[-width:]
    cells = tsv.read_headless(source, names, SCORES, found)
    for fault in found.noted:
        reason = fault.reason.replace("the header has", "the first line has")
        faults.extend([replace(fault, reason=reason)])
    columns = dict(cells.columns)
    for name in ("measure", "value"):
        columns[name] = pc.utf8_trim_whitespace(columns[name])
    titles = pc.and_(pc.equal(columns["measure"], RUN_NAME), pc.equal(columns["topic"], ALL_TOPICS))
    titled = truths(titles) if width == 3 else np.zeros(len(cells.lines), bool)
    own = columns["value"][int(np.argmax(titled))].as_py() if titled.any() else None
    undefined = pc.equal(columns["value"], UNDEFINED)
    columns["value"] = pc.if_else(undefined, "", columns["value"])
    blank = truths(pc.and_(pc.equal(pc.utf8_length(columns["value"]), 0), pc.invert(undefined)))
    for row in np.flatnonzero(blank).tolist():
        cure = f'write "{UNDEFINED}" where it is'
        faults.add(int(cells.lines[row]), "value is empty", cure, "empty-value")
    rows = build(source, Cells(columns, cells.lines).rows(~titled), SCORES, faults)
    faults.check()
    return Found(rows, run=own)


# The form `json`.


def _json(source: Input) -> Found:
    """The records of a JSON object, each with the line on which it starts."""
    faults = FaultList(source)
    content = source.whole().removeprefix(tsv.BYTE_ORDER_MARK)
    text = _decoded(content, faults)
    told: dict[str, Any] = {}
    records: list[tuple[int, Any]] = []
    try:
        for key, line, value in _members(text):
            if key == RECORDS:
                records.append((line, value))
            else:
                told[key] = value
    except json.JSONDecodeError as error:
        faults.refuse(error.lineno, _broken(text, error), RECORDS_CURE, "json-syntax")
    except json_text.DoubledKey as error:
        faults.refuse(*json_text.fault_of(text, error, RECORDS_CURE))
    except RecursionError:
        faults.refuse(None, "not JSON: nested too deeply", RECORDS_CURE, "json-syntax")
    faults.check()
    rows = build(source, _record_cells(records, faults), SCORES, faults)
    faults.check()
    known = next(iter(_names([told.get("signature")])), None)
    types, warnings = (_names(told.get(key)) for key in ("types", "warnings"))
    doubts = tuple(each for each in warnings if "not comparable" in each)
    return Found(rows, known, None, _listed(told.get("weights")), types, doubts)


def _listed(told: Any) -> tuple[Any, ...]:
    return tuple(told) if isinstance(told, list) else ()


def _weight(told: Any) -> float:
    try:
        return float(told)
    except (TypeError, ValueError):
        return math.nan


def _weighed(found: Found, run: Ids) -> FloatArray | None:
    """The weight of each row, NaN where none is told; None where none is told of any."""
    told: dict[tuple[str, str, str], float] = {}
    for each in found.weights:
        if isinstance(each, dict) and {"run", "topic", "measure", "weight"} <= each.keys():
            weight = _weight(each["weight"])
            if math.isfinite(weight) and weight >= 0:
                told[str(each["run"]), str(each["topic"]), str(each["measure"])] = weight
    if not told:
        return None
    topic, measure = found.rows.get("topic"), found.rows.get("measure")
    rows = zip(run.to_list(), topic.to_list(), measure.to_list(), strict=True)
    return np.array([told.get(row, math.nan) for row in rows], np.float64)


def _names(told: Any) -> tuple[str, ...]:
    """A list of names that a file tells; none if it is anything else."""
    return tuple(each for each in told if isinstance(each, str)) if isinstance(told, list) else ()


def _broken(text: str, error: json.JSONDecodeError) -> str:
    if not text[error.pos :].strip() or "Unterminated" in error.msg:
        return "the JSON ends too early: the file is truncated"
    return f"not JSON: {error.msg}"


def _decoded(content: bytes, faults: FaultList) -> str:
    reason = tsv.not_utf8(content)
    if reason:
        for line, piece in enumerate(content.split(b"\n"), start=1):
            if tsv.not_utf8(piece):
                faults.add(line, str(tsv.not_utf8(piece)), tsv.UTF8_CURE, "encoding")
        faults.check()
    return content.decode()


class _Cursor:
    """A place in a JSON text, and the number of the line that it is on."""

    decoder = json.JSONDecoder(
        parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=json_text.once
    )

    def __init__(self, text: str) -> None:
        self.text, self.at, self.line, self.counted = text, 0, 1, 0

    def peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
        return self.text[self.at : self.at + 1]

    def take(self, *expected: str) -> str:
        """The next character, which must be one of these."""
        found = self.peek()
        if found not in expected or not found:
            wanted = " or ".join(f"'{each}'" for each in expected)
            raise json.JSONDecodeError(f"Expecting {wanted}", self.text, self.at)
        self.at += 1
        return found

    def value(self) -> Any:
        """The next value as a whole; `line` is then where it starts."""
        self.peek()
        self.line += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        value, self.at = self.decoder.raw_decode(self.text, self.at)
        return value


def _members(text: str) -> Iterator[tuple[str, int, Any]]:
    """Each key of an object with its line and value; under "records" each of the list's items."""
    cursor = _Cursor(text)
    cursor.take("{")
    following = "}" if cursor.peek() == "}" and cursor.take("}") else ","
    seen: set[str] = set()
    while following == ",":
        key = cursor.value()
        if key in seen:
            raise json_text.DoubledKey(key)
        seen.add(key)
        cursor.take(":")
        if key == RECORDS:
            yield from ((RECORDS, *item) for item in _items(cursor))
        else:
            yield str(key), cursor.line, cursor.value()
        following = cursor.take(",", "}")
    if cursor.peek():
        raise json.JSONDecodeError("Extra data", text, cursor.at)


def _items(cursor: _Cursor) -> Iterator[tuple[int, Any]]:
    """The items of a list, each with its line."""
    cursor.take("[")
    following = "]" if cursor.peek() == "]" and cursor.take("]") else ","
    while following == ",":
        value = cursor.value()
        yield cursor.line, value
        following = cursor.take(",", "]")


def _record_cells(records: list[tuple[int, Any]], faults: FaultList) -> Cells:
    """The cells of the records that have all they need."""
    lines, kept = [], []
    for line, record in records:
        cells = _record(line, record, faults)
        if cells is not None:
            lines.append(line)
            kept.append(cells)
    named = [cells.get("run") for cells in kept]
    names = [column.name for column in SCORES if column.required or any(named)]
    columns = {
        name: column_of([cells.get(name) or "" for cells in kept], name, SCORES) for name in names
    }
    return Cells(columns, np.array(lines, np.int64))


def _record(line: int, record: Any, faults: FaultList) -> dict[str, str] | None:
    """A record's cells; None, and a fault, if something is missing or of a wrong kind."""
    if not isinstance(record, dict):
        faults.add(line, "a record is no object", RECORDS_CURE, "json-type")
        return None
    cells: dict[str, str] = {}
    for column in SCORES:
        cell = record.get(column.name, None if column.required else "")
        if cell is None and column.name in record and column.may_be_blank:
            cell = ""
        if not isinstance(cell, str):
            known = column.name in record and cell is not None
            reason = f'"{column.name}" is no value' if known else f'no "{column.name}"'
            cure = "a record has a run, a topic, a measure and a value"
            faults.add(line, reason, cure, "json-type" if known else "missing-key")
            return None
        cells[column.name] = cell
    return cells


# The table of the track's scripts.


def _track(source: Input) -> Found:
    """A column a measure, by its title; rows that sum up others are left out."""
    faults = FaultList(source)
    titles = tsv.header(source, SCORES, faults)
    faults.check()
    columns = [Column(title, Kind.NUMBER) for title in titles[len(TRACK_IDS) :]]
    schema = Schema("scores", (*TRACK_IDS, *columns), key=("topic", "team", "run_id"))
    names = [column.name for column in schema]
    body = tsv.read_headless(source, names, schema, faults)
    table = build(source, body.rows(body.lines > 1), schema, faults)
    faults.check()
    kept = np.flatnonzero(_of_topics(table))
    run, topic = _runs_of_track(table).rows(kept), table.get("topic").rows(kept)
    wide = [table.get(column.name)[kept] for column in columns]
    rows, measures = len(kept), len(columns)
    coded = np.repeat(np.arange(measures), rows)
    content = {
        "run": Ids.join([run] * measures),
        "topic": Ids.join([topic] * measures),
        "measure": Ids(coded, strings([column.name for column in columns])),
        "value": np.concatenate([np.zeros(0), *wide]),
    }
    lines = np.tile(np.arange(rows), measures)
    return Found(Rows(content, table.origin.rows(kept).rows(lines)))


def _of_topics(table: Rows) -> Any:
    """Which rows are a run's on a topic, and no mean or extreme of others."""
    summing = strings(SUMMING)
    return (table.get("topic").within(summing) < 0) & (table.get("team").within(summing) < 0)


def _runs_of_track(table: Rows) -> Ids:
    """Runs as `team-run`, as everywhere; a run of the name `-` is called as its team."""
    teams, runs = table.get("team").to_list(), table.get("run_id").to_list()
    return Ids.of([t if r == "-" else f"{t}-{r}" for t, r in zip(teams, runs, strict=True)])


READERS: dict[str, Callable[[Input], Found]] = {TREC_TS: _track, TREC: _trec, JSON: _json}
"""How the forms are read that are no plain tables."""


def read_teams(given: Given, form: str | None = None) -> dict[str, str]:
    """The team of each run that the table names."""
    rows = rows_of(input_of(given, TEAMS), TEAMS, form)
    return dict(zip(rows.get("run").to_list(), rows.get("team").to_list(), strict=True))


def check_form(form: str | None) -> None:
    """Refuse the name of a form that scores do not have."""
    known = dict.fromkeys((*PLAIN_FORMS, *READERS))
    if form is not None and form not in known:
        raise UsageError(f"unknown input format '{form}'; known: {', '.join(known)}")


SCHEMAS = (SCORES, TEAMS)
"""The plain tables that hold scores, or tell of runs that have some."""
FORMATS = (
    Format(
        "scores",
        lambda source, form, _: read_score_rows(source, form),
        is_score_object,
        Rank.AFTER_TABLES,
        forms=tuple(READERS),
    ),
    Format("scores", lambda source, form, _: read_score_rows(source, form), is_trec, Rank.LAST),
)
"""Scores in other forms than plain tables: those that tell what they are, and lines that do not."""
