"""The files of CrisisFACTS: collapsed facts and labels, assessed items and gold facts, runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from tseval.io import records, tables
from tseval.io.faults import FaultList
from tseval.io.formats import Import, Line
from tseval.io.inputs import Input
from tseval.io.json_text import objects
from tseval.io.records import Record
from tseval.io.schema import RUN, Column, Kind, Schema
from tseval.io.times import UNITS, NotANumber, early, moment

FORMAT = "record-format"
REQUEST_MEANING = "an event and a day: `CrisisFACTS-001-r3`"
REQUEST = Column("request", Kind.ID, aliases=("requestID", "request_id"), meaning=REQUEST_MEANING)
FACT = Column("collapsed_fact_id", Kind.ID)
IMPORTANCE = Column("importance", Kind.NUMBER)


def event_of(request: pl.Expr) -> pl.Expr:
    """Return the event of a request: the text before the last hyphen, or all of it without one."""
    return request.str.replace(r"(.)-[^-]*$", "${1}")


# Collapsed facts.

RAW_MEANING = (
    "the raw fact, called request, run and number with hyphens between; blank if there is none"
)
IN_ID = "-collapsed-"
"""The text in the id of a collapsed fact between its request and its number."""
FACT_CURE = 'a fact is {"collapsed_fact_id": …, "relevant_facts": [RAW, …], "importance": 0.5}'
ID_CURE = f"its id is REQUEST{IN_ID}0001, or a line is {{requestID, facts}}"
TWICE = 'collapsed fact "{collapsed_fact_id}" stands in two files'
RAW_CURE = "a raw fact is called REQUEST-RUN-0001"
COLLAPSED_FACT = Record(
    FACT_CURE,
    {"fact_text": ""},
    collapsed_fact_id=records.is_name,
    relevant_facts=records.is_names,
    importance=records.is_number,
    fact_text=records.is_text,
)
FACTS_OF_REQUEST = Record(
    'a line is {"requestID": …, "facts": […]}', requestID=records.is_name, facts=COLLAPSED_FACT
)


def read_collapsed(source: Input, faults: FaultList) -> tables.TrackRows:
    """Read collapsed facts: a list of facts, a fact a line, or a request a line."""
    lines: dict[str, int] = {}

    def raw_facts() -> Iterator[tuple[Any, ...]]:
        for line, record in records.records_in(source, faults):
            is_request = records.is_object(record) and "facts" in record
            kind = FACTS_OF_REQUEST if is_request else COLLAPSED_FACT
            for fact in kind.rows([record], line, faults):
                name = fact.get("collapsed_fact_id", "")
                request = record["requestID"] if is_request else name.rpartition(IN_ID)[0]
                if not request:
                    faults.add(line, f'"{name}" does not name its request', ID_CURE, "id-format")
                elif name in lines:
                    cure = f"first in line {lines[name]}: remove one of them"
                    faults.add(line, f'collapsed fact "{name}" stands twice', cure, "duplicate-id")
                elif name:
                    lines[name] = line
                    importance, text = float(fact["importance"]), fact["fact_text"]
                    for raw in fact["relevant_facts"] or [""]:
                        yield line, request, name, raw, importance, text

    frame = tables.frame_of_rows(raw_facts(), COLLAPSED.schema)
    has_texts = (frame["fact_text"] != "").any()
    return tables.TrackRows(frame if has_texts else frame.drop("fact_text"), rows=len(lines))


def name_runs(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Add the run in the name of each raw fact; check that all rows of a fact agree."""
    raw, rest = pl.col("relevant_fact").str.strip_chars(), pl.col("rest")
    rows = frame.with_columns(rest=raw.str.strip_prefix(pl.col("request") + "-"))
    run = rest.str.replace("-[^-]*$", "")
    is_named = (rest != raw) & (run != rest) & (run != "")
    firsts = pl.col("line", "request", "importance").first().over(FACT.name)
    rows = rows.with_columns(firsts.name.prefix("first "), run=pl.when(is_named).then(run))
    wrong = rows.filter(pl.col("run").is_null() & (raw != ""))
    reason = 'raw fact "{relevant_fact}" is not called {request}-RUN-0001'
    tables.add_faults(faults, wrong, reason, RAW_CURE, "id-format")
    cure = pl.format(f"than in {faults.source.unit} {{}}: a fact has one", "first line")
    for name in ("request", "importance"):
        others = rows.filter(pl.col(name) != pl.col(f"first {name}")).with_columns(cure=cure)
        reason = f'"{{collapsed_fact_id}}" has another {name} here'
        tables.add_faults(faults, others, reason, "", "conflicting-rows")
    return rows.select(*frame.columns, "run")


COLLAPSED = tables.TableReader(
    schema=Schema(
        "collapsed facts",
        (
            REQUEST,
            FACT,
            Column("relevant_fact", Kind.ID, may_be_blank=True, meaning=RAW_MEANING),
            IMPORTANCE,
            Column("fact_text", Kind.TEXT, required=False),
        ),
        row="a raw fact of a run belongs to a collapsed fact",
    ),
    tracks=(
        tables.TrackFile(marks=('"relevant_facts"', '"collapsed_fact_id"'), read=read_collapsed),
    ),
    check=name_runs,
    empty=("holds no collapsed fact", FACT_CURE),
    once=((FACT.name,), TWICE, "give each file once"),
    imports=(
        Import(
            name="crisisfacts-collapsed", help="collapsed facts of CrisisFACTS 2023", several=True
        ),
    ),
)
"""Collapsed facts. Where their importance is equal they count in the order of the file."""

# Labels.

USEFUL, REDUNDANT, POOR, LAGGED = "USEFUL_FACT", "REDUNDANT_FACT", "POOR_FACT", "LAGGED_FACT"
WORDS = (USEFUL, REDUNDANT, POOR, LAGGED)
LABEL_MEANING = "`USEFUL_FACT`, `REDUNDANT_FACT`, `POOR_FACT` or `LAGGED_FACT`"
TRIPLE_CURE = f'a label is ["REQUEST{IN_ID}0001", "ASSESSOR", "{USEFUL}"]'


def is_labels(source: Input) -> bool:
    """Return whether an input looks like labels as a list of triples."""
    is_nested = re.match(rb"[\xef\xbb\xbf\s]*\[\s*\[", source.head()) is not None
    return is_nested and any(word.encode() in source.head() for word in WORDS)


def read_triples(source: Input, faults: FaultList) -> tables.TrackRows:
    """Read labels as a list of triples of fact, assessor and label."""
    columns = ("collapsed_fact_id", "assessor", "label")
    rows = []
    for line, triple in records.records_in(source, faults):
        if records.is_names(triple) and len(triple) == len(columns):
            rows.append((line, *triple))
        else:
            reason = "not a triple of a fact, an assessor and a label"
            faults.add(line, reason, TRIPLE_CURE, FORMAT)
    return tables.TrackRows(tables.frame_of_rows(rows, LABELS.schema, *columns))


LABELS = tables.TableReader(
    schema=Schema(
        "fact labels",
        (
            FACT,
            Column("label", Kind.ID, choices=WORDS, meaning=LABEL_MEANING),
            Column("assessor", Kind.ID, required=False, may_be_blank=True),
        ),
        row="an assessor's label of a collapsed fact",
    ),
    tracks=(tables.TrackFile(recognise=is_labels, read=read_triples),),
    imports=(
        Import(name="crisisfacts-labels", help="labels of collapsed facts, a list of triples"),
    ),
)

# Days of requests.

DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def begin_of(day: str) -> float | None:
    """Return when a day begins, in UTC: that of the last date in a text, or of a time."""
    try:
        second = moment((DATE.findall(day) or [day])[-1])
    except NotANumber:
        return None
    return None if early(second) else second // UNITS["d"] * UNITS["d"]


def parse_days(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Parse the days; before a date may stand a title, as in the track's own list."""
    days = frame.select(pl.col("day").map_elements(begin_of, return_dtype=pl.Float64))["day"]
    wrong, cure = frame.filter(days.is_null()), "write a day as 2018-08-06"
    tables.add_faults(faults, wrong, '"{day}" is not a date', cure, "date-format")
    return frame.with_columns(days)


DAY = Column("day", Kind.ID, meaning="such as 2018-08-06, of UTC")
REQUESTS = tables.TableReader(
    schema=Schema("requests", (REQUEST, DAY), key=("request",), row="the day of a request"),
    check=parse_days,
)

# Assessed items.

MATCHED, UNASSESSED = "matched", "unassessed"
OF_ASSESSED = (MATCHED, "unmatched", "irrelevant", "skipped")
"""The statuses of items that assessors looked at."""
STATUSES = (*OF_ASSESSED, UNASSESSED)
STATUS_MEANING = (
    "`matched`, `unmatched`, `irrelevant`, `skipped` or `unassessed`; blank if the run has no "
    "item of the request"
)
NAMES_MEANING = "the gold facts that it matches, with spaces between"
ITEMS_CURE = 'a line is {"request": …, "run": …, "items": [ITEM, …]}'
NAMES_CURE = f'"{MATCHED}" items name the facts that they match, others none'
ITEM = Record(
    'an item is {"importance": 0.5, "status": "matched", "facts": [GOLD FACT, …]}',
    {"facts": []},
    importance=records.is_number,
    status=records.is_name,
    facts=records.is_words,
)
ITEMS_OF_RUN = Record(
    ITEMS_CURE, {"run": "none"}, request=records.is_name, run=records.is_name, items=ITEM
)


def read_items(source: Input, faults: FaultList) -> tables.TrackRows:
    """Read assessed items; a run without items of a request has a row without a status."""
    none: dict[str, Any] = {"importance": 0.0, "status": "", "facts": []}
    rows = []
    for line, record in objects(source, faults):
        whole = {"request": record.get("requestID"), **record}
        for item in ({**none, **each} for each in ITEMS_OF_RUN.rows([whole], line, faults)):
            importance, facts = float(item["importance"]), " ".join(item["facts"])
            request, run = whole["request"], record.get("run")
            rows.append((line, request, importance, item["status"], facts, run))
    return tables.TrackRows(tables.frame_of_rows(rows, ITEMS.schema))


def check_items(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Check that items name facts if they are matched."""
    rows = frame.with_columns(pl.col("status", "facts").str.strip_chars())
    is_matched, reason = pl.col("status") == MATCHED, 'an item that is "{status}" names "{facts}"'
    is_known = pl.col("status").is_in(["", *STATUSES])
    wrong = rows.filter(is_known & (is_matched == (pl.col("facts") == "")))
    tables.add_faults(faults, wrong, reason, NAMES_CURE, "conflicting-rows")
    return rows


ITEMS = tables.TableReader(
    schema=Schema(
        "assessed items",
        (
            REQUEST,
            IMPORTANCE,
            Column("status", Kind.ID, may_be_blank=True, choices=STATUSES, meaning=STATUS_MEANING),
            Column("facts", Kind.ID, may_be_blank=True, meaning=NAMES_MEANING),
            RUN,
        ),
        row="a fact of a run, with the gold facts that it says",
    ),
    tracks=(tables.TrackFile(marks=('"items"', '"request'), read=read_items),),
    check=check_items,
    empty=("holds no item, nor that a run has none", ITEMS_CURE),
    once=(("run", "request"), 'run "{run}" has items of "{request}" in two files', ""),
    imports=(
        Import(
            name="crisisfacts-items",
            help="assessed items of runs, one request per line",
            columns=("run", "request", "importance", "status", "facts"),
            several=True,
        ),
    ),
)

# Gold facts.

EVENTS_CURE = 'the gold facts are [{"eventID": …, "factsByRequest": {REQUEST: [{"fact": …}, …]}}]'
EVENT = Record(EVENTS_CURE, factsByRequest=records.is_object)
FACTS_OF_DAY = Record(
    EVENTS_CURE, request=records.is_name, facts=Record(EVENTS_CURE, fact=records.is_text)
)


def read_gold(source: Input, faults: FaultList) -> tables.TrackRows:
    """Read the track's list of events; a fact is named by its request and its place from 0."""
    rows = list[tuple[Any, ...]]()
    for line, record in records.records_in(source, faults):
        for event in EVENT.rows([record], line, faults):
            for request, facts in event["factsByRequest"].items():
                day_of_facts = {"request": request, "facts": facts}
                for place, fact in enumerate(FACTS_OF_DAY.rows([day_of_facts], line, faults)):
                    if "fact" in fact:
                        day = begin_of(str(fact.get("dateString", "")))
                        rows.append((line, request, f"{request}-{place}", day, fact["fact"]))
    frame = tables.frame_of_rows(rows, GOLD.schema)
    return tables.TrackRows(frame.drop("day") if frame["day"].has_nulls() else frame)


def check_gold(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Check that items can name the facts."""
    wrong = frame.filter(pl.col("fact_id").str.contains(" ", literal=True))
    reason, cure = 'fact_id "{fact_id}" holds a blank', "items name facts with blanks between"
    tables.add_faults(faults, wrong, reason, cure, "id-format")
    return frame


GOLD = tables.TableReader(
    schema=Schema(
        "gold facts",
        (
            REQUEST,
            Column("fact_id", Kind.ID),
            Column("day", Kind.TIME, required=False, meaning="that of the request"),
            Column("fact", Kind.TEXT, required=False),
        ),
        key=("request", "fact_id"),
        row="a fact of a request, by assessors",
    ),
    tracks=(tables.TrackFile(marks=('"factsByRequest"',), read=read_gold),),
    check=check_gold,
    empty=("holds no fact", EVENTS_CURE),
    imports=(Import(name="crisisfacts-gold", help="gold facts of CrisisFACTS 2022"),),
)

# Runs as they were sent in, and what the track's checker accepts of them.

RUN_FACTS = Schema(
    "crisisfacts run",
    (REQUEST, Column("time", Kind.TIME), IMPORTANCE, Column("text", Kind.TEXT), RUN),
)
"""A run as it was sent in, which no score reads as it is."""
QUERIES = {
    "General": 46, "Accident": 10, "Flood": 2, "Hurricane": 4, "Storm": 3, "Tornado": 5,
    "Wildfire": 6,
}  # fmt: skip
"""How many information needs there are of each kind, numbered from 1."""
STRICT = {f"CrisisFACTS-{kind}-q{at:03d}" for kind in QUERIES for at in range(1, QUERIES[kind] + 1)}
STRICT |= {"CrisisFACTS-Hurricane-q06"}
"""The information needs that the checker knows, of which one has another name than the rest."""
LENIENT = {*STRICT, "CrisisFACTS-Hurricane-q006"}
SOURCE = re.compile(
    r"CrisisFACTS-[0-9]+-"
    r"((Twitter|Facebook|News)-[0-9]+-[0-9]+|Reddit-s?[0-9]+-([0-9]+|c?[0-9]+-[0-9]+))"
)
"""How a source begins; the checker does not look at the rest."""
MOST_CHARACTERS = 200
MOST_SHOWN = 10
"""How many lines that the checker refuses an import names."""
RUN_CURE = (
    'a line is {"requestID": "CrisisFACTS-001-r3", "factText": …, "unixTimestamp": 1512604876, '
    '"importance": 0.71, "sources": [POST, …], "streamID": null, "informationNeeds": [QUERY, …]}'
)


def is_run(source: Input) -> bool:
    """Return whether an input looks like a run of the track."""
    head, keys = source.head(), (b'"requestID"', b'"unixTimestamp"', b'"streamID"')
    is_lines = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    return is_lines and b'"factText"' in head and any(key in head for key in keys)


def find_refusals(record: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield why the track's checker refuses a line, and whether it can be read all the same.

    The checker's look at the list of requests is left out.
    """
    for wrong in (
        records.wrong_in(record, requestID=records.is_name),
        records.wrong_in(record, factText=records.is_text),
        records.wrong_in(record, unixTimestamp=records.is_integer),
        records.wrong_in(record, importance=records.is_number),
        records.wrong_in(record, sources=records.is_list),
    ):
        if wrong:
            yield wrong, False
    importance, sources = record.get("importance"), record.get("sources")
    if records.is_number(importance) and not 0 <= importance <= 1:
        yield f'"importance" {importance} is outside of 0 to 1', False
    elif records.is_integer(importance):
        yield f'"importance" {importance} is written without a decimal point', True
    if sources == []:
        yield '"sources" is empty', False
    for each in sources if records.is_list(sources) else []:
        if not records.is_text(each) or not SOURCE.match(each):
            yield f'"{each}" is no source', False
    if not isinstance(record.get("streamID", 0), str | None):
        yield '"streamID" is not a text or null', True
    needs = record.get("informationNeeds")
    if not records.is_list(needs):
        yield records.wrong_in(record, informationNeeds=records.is_list), needs is None
    for each in needs if records.is_list(needs) else []:
        if not records.is_text(each) or each not in STRICT:
            yield f'"{each}" is no known query', records.is_text(each) and each in LENIENT


def read_run(source: Input, faults: FaultList, *, is_strict: bool) -> tables.TrackRows:
    """Read a run; every refusal of the checker is a fault, or only those that cannot be read."""
    rows, notes = [], []
    for line, record in objects(source, faults):
        refusals = list(find_refusals(record))
        for reason, is_readable in refusals:
            if is_readable and not is_strict:
                notes.append(f"{source.path}:{line}: {reason}")
            else:
                faults.add(line, reason, RUN_CURE, FORMAT)
        if all(is_readable for _, is_readable in refusals):
            keys = ("requestID", "unixTimestamp", "importance", "factText")
            rows.append((line, *(record[key] for key in keys), None))
    return tables.TrackRows(tables.frame_of_rows(rows, RUN_FACTS), note=notes)


def updates_of(run: tables.Table) -> pl.DataFrame:
    """Return a run as updates of events, named by their request and their place in it from 1."""
    place = pl.int_range(1, pl.len() + 1).over("request").cast(pl.String).str.zfill(4)
    update_id = pl.format("{}-{}", "request", place)
    topic = event_of(pl.col("request"))
    return run.frame.with_columns(topic=topic, update_id=update_id, confidence="importance")


def warn_of_refusals(run: tables.Table) -> list[str]:
    """Return the first refusals of the track's checker, and how many more there are."""
    notes: list[str] = run.notes[0]
    rest = len(notes) - MOST_SHOWN
    more = [f"{rest} more lines that the track's checker refuses"] if rest > 0 else []
    return notes[:MOST_SHOWN] + more


def find_odd_lengths(run: tables.Table) -> Iterator[Line]:
    """Yield the texts of a length that the guidelines do not ask for and the checker accepts."""
    size = pl.col("text").str.len_chars()
    odd = run.frame.with_columns(size=size).filter(~size.is_between(1, MOST_CHARACTERS))
    wanted = f"accepted, but the guidelines ask for 1 to {MOST_CHARACTERS}"
    faults = run.faults(odd, f"factText has {{size}} characters: {wanted}", "", FORMAT)
    yield from ((str(each), False) for each in faults)


def run_reader(*, is_strict: bool) -> tables.TableReader:
    """Return the reader of runs that validates them, or the lenient one that imports them."""
    updates = Import(
        name="crisisfacts-run",
        help="runs of CrisisFACTS, as updates of events",
        columns=("run", "topic", "update_id", "time", "text", "confidence"),
        rows=updates_of,
        warnings=warn_of_refusals,
    )
    return tables.TableReader(
        schema=RUN_FACTS,
        tracks=(tables.TrackFile(recognise=is_run, read=partial(read_run, is_strict=is_strict)),),
        empty=("holds no fact", RUN_CURE),
        remarks=find_odd_lengths,
        reads_tables=False,
        imports=(updates,),
    )


def find_unknown_requests(read: Sequence[Any]) -> Iterator[Line]:
    """Yield the requests of runs that are not in any table of requests."""
    frames = [each for each in read if isinstance(each, tables.Table)]
    known = [each.frame["request"] for each in frames if each.name == REQUESTS.schema.table]
    for run in (each for each in frames if known and each.name == RUN_FACTS.table):
        unknown = run.frame.filter(~pl.col("request").is_in(pl.concat(known).implode()))
        reason = '"{request}" is no known request'
        faults = run.faults(unknown, reason, "leave it out", "unknown-id")
        yield from ((str(fault), True) for fault in faults)


READERS = (COLLAPSED, LABELS, REQUESTS, ITEMS, GOLD)
RUNS = run_reader(is_strict=True).formats[0]
FORMATS = (
    replace(RUNS, imports=run_reader(is_strict=False).formats[0].imports),
    *(each for reader in READERS for each in reader.formats),
)
