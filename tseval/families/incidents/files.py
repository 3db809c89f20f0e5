"""The files of incident streams: runs of every year, labels, judged pools, ontologies, topics."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from tseval.errors import Fault, InputError
from tseval.io import JSON, fields, json_text
from tseval.io.cells import BYTE_ORDER_MARK
from tseval.io.epochs import EPOCHS_READER
from tseval.io.faults import FaultList
from tseval.io.fields import Layout
from tseval.io.forms import names_of, recognise
from tseval.io.inputs import Input
from tseval.io.json_tables import HALVES_CURE, holds_half, objects
from tseval.io.limits import DOCUMENT
from tseval.io.proposed_runs import KEYS, is_proposed, name_columns, read_objects
from tseval.io.schema import ALL_TOPICS, POST_ID, RUN, TOPIC, Column, Kind, Schema
from tseval.io.tables import Table, TableReader, TrackFile, TrackRows, add_faults, frame_of_rows
from tseval.io.text_lines import text_lines, whole_text
from tseval.io.times import TOO_LARGE, NotANumber, implausible, number, why_implausible

EVENT = replace(TOPIC, meaning="the event")
POST = replace(POST_ID, aliases=("tweet_id",))
PRIORITY = Column("priority", Kind.NUMBER)
TEXT = Column("text", Kind.TEXT, required=False)
TIME = Column(
    "time", Kind.TIME, required=False, aliases=("timestamp",), meaning="when the post was made"
)
TYPES = Column(
    "types",
    Kind.TEXT,
    required=False,
    aliases=("categories",),
    meaning="names of information types with commas between",
)


MARK = "\x1f"


def list_types() -> dict[str, Any]:
    """Return the types of the columns that hold the information types of a row.

    These are names with their numbers, or without names a number of every type in alphabetical
    order. `flags` say in the same order which of the types are given, whatever their numbers.
    """
    numbers = pl.List(pl.Float64)
    return {"names": pl.String, "numbers": numbers, "flags": numbers}


def join_names(names: Sequence[str]) -> str:
    """Return names as one text, each with a mark behind it: lists of texts are slow to make."""
    return "".join(f"{name}{MARK}" for name in names)


def is_id(value: Any) -> bool:
    """Return whether a value of JSON can name something in a table."""
    return isinstance(value, str) and bool(value.strip()) and not set(value) & set("\t\n\r")


def is_finite(value: Any) -> bool:
    """Return whether a value of JSON is a number that a table can hold."""
    return isinstance(value, int | float) and abs(value) < TOO_LARGE


def are_finite(values: Any) -> bool:
    """Return whether a value of JSON is a list of numbers."""
    return isinstance(values, list) and all(map(is_finite, values))


def split_types(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a plain table with its types as lists of names; without types they are empty."""
    types = pl.col("types") if "types" in frame.columns else pl.lit("")
    known = pl.DataFrame({"types": frame.select(types=types)["types"].unique()})
    names = (
        join_names([name.strip() for name in text.split(",") if name.strip()])
        for text in known["types"]
    )
    known = known.with_columns(names=pl.Series(names, dtype=pl.String))
    return frame.with_columns(types=types).join(
        known, on="types", how="left", maintain_order="left"
    )


def read_document(source: Input, faults: FaultList) -> Any:
    """Return a whole file of JSON; a file that is none is refused with its line."""
    text = whole_text(source, faults)
    if not text.strip():
        faults.refuse(None, "the file is empty", "give the track's JSON", "empty-file")
    try:
        document = json_text.load(text)
    except (ValueError, RecursionError) as error:
        is_cut = text.lstrip()[0] in "[{"
        cure = "close what is open; no comma after the last"
        cure = cure if is_cut else "give the file of information types, which is JSON"
        faults.refuse(*json_text.fault_of(text, error, cure))
    if "\\u" in text and holds_half(document):
        reason = "an escape stands for half a character: not UTF-8"
        faults.refuse(None, reason, HALVES_CURE, "encoding")
    return document


# Ontologies.

ONTOLOGY_FORMS = 'looked for {"informationTypes": [{"id": …}, …]} and [{"ID": …, "Parent": …}, …]'


def is_ontology(source: Input) -> bool:
    """Return whether an input looks like an ontology of the track or of its proposal."""
    head = source.head()
    return b'"informationTypes"' in head or (b'"Parent"' in head and b'"ID"' in head)


def read_types(source: Input, faults: FaultList) -> TrackRows:
    """Read the types of an ontology with their parents."""
    document = read_document(source, faults)
    path, key = ("informationTypes", "id") if isinstance(document, dict) else ("", "ID")
    entries = document.get(path) if isinstance(document, dict) else document
    if not isinstance(entries, list) or not entries:
        faults.refuse(None, "no information types", ONTOLOGY_FORMS, "no-rows")
    names: list[str] = []
    for at, entry in enumerate(entries):
        name, place = entry.get(key) if isinstance(entry, dict) else None, f"{path}[{at}]: "
        if not is_id(name):
            faults.add(None, f'{place}no type with an "{key}"', ONTOLOGY_FORMS, "record-format")
        elif name in names:
            reason = f'{place}type "{name}" stands twice'
            faults.add(None, reason, "remove one of them", "duplicate-id")
        elif name == ALL_TOPICS:
            reason = f'{place}a type is called "{ALL_TOPICS}", the name of the mean'
            faults.add(None, reason, "give the type another name", "reserved-name")
        names.append(str(name))
    faults.check()
    parents: dict[str, str | None] = {}
    for at, (name, entry) in enumerate(zip(names, entries, strict=True)):
        parent = parents[name] = entry.get("Parent") or None
        if parent is not None and parent not in names:
            reason = f'{path}[{at}]: parent "{parent}" is no type'
            faults.add(None, reason, "name a type of this file, or leave it out", "unknown-id")
    faults.check()
    for at, name in enumerate(names):
        above, steps = parents[name], 0
        while above is not None and steps <= len(names):
            above, steps = parents[above], steps + 1
        if above is not None:
            reason = f'{path}[{at}]: type "{name}" is its own ancestor'
            faults.add(None, reason, "mend its parents", "cyclic-types")
    return TrackRows(frame_of_rows(((0, *each) for each in parents.items()), ONTOLOGY.schema))


ONTOLOGY = TableReader(
    schema=Schema(
        "ontology", (Column("type", Kind.ID), Column("parent", Kind.TEXT, required=False))
    ),
    tracks=(TrackFile(recognise=is_ontology, read=read_types),),
    reads_tables=False,
)

# Topics.


def is_topics(source: Input) -> bool:
    """Return whether an input looks like the track's file of topics."""
    return b"<top>" in source.head() and b"<dataset>" in source.head()


def read_topics(source: Input, faults: FaultList) -> TrackRows:
    """Read the number and the name of each event: <num> and <dataset> in <top>."""
    rows, tags = [], dict[str, str]()
    for line, text in text_lines(source, faults):
        tag, _, content = text.strip().partition(">")
        tags[tag] = content.partition("</")[0].strip()
        if tag == "</top":
            missing = [each for each in ("num", "dataset") if not tags.get(f"<{each}")]
            if missing:
                reason, cure = f"a topic without <{missing[0]}>", "each has <num> and <dataset>"
                faults.add(line, reason, cure, "missing-key")
            else:
                rows.append((line, tags["<num"], tags["<dataset"]))
            tags = {}
    frame = frame_of_rows(rows, TOPICS.schema)
    return TrackRows(frame, rows=frame["topic"].n_unique())


TOPICS = TableReader(
    schema=Schema("incident topics", (Column("number", Kind.ID), TOPIC)),
    tracks=(TrackFile(recognise=is_topics, read=read_topics),),
    empty=("no topics", "looked for <top>, <num>, <dataset>, </top>"),
    reads_tables=False,
)

# Labels.

LEVELS = ("Unknown", "Low", "Medium", "High", "Critical")
"""The priorities that assessors give to posts; a level is known by its place here."""
UNKNOWN, LOW, MEDIUM, HIGH, CRITICAL = range(5)
EVENT_KEYS = ("eventid", "eventID", "EventID")
TYPE_KEYS = ("postCategories", "categories")
LEVEL_KEYS = ("postPriority", "priority")
POST_CURE = 'a labelled post is {"postID": …, "postCategories": […], "postPriority": "Low"}'
LEVEL_CURE = f"the levels are {', '.join(LEVELS)}"
ANSWER_CURE = (
    "write 1 in the column relevant if the post has the type, 0 if not; a blank is no answer"
)
LABEL_FORMS = (
    "looked for the track's JSON (events with tweets, or posts with their eventID, in one list or "
    "one a line), a table topic post_id level types and a judged pool topic type post_id relevant"
)


def is_listing(source: Input) -> bool:
    """Return whether an input looks like labels in the track's JSON, by its keys."""
    keys = (*TYPE_KEYS, "eventsAnnotated")
    return any(f'"{key}"'.encode() in source.head() for key in keys)


def holds_listing(source: Input) -> bool:
    """Return whether labels are in the track's JSON, and in no table."""
    begins = source.head().removeprefix(BYTE_ORDER_MARK).lstrip()[:1] in (b"{", b"[")
    return begins and label_table(recognise(source)[1]) is None


def first_of(record: Any, keys: Sequence[str]) -> Any:
    """Return the value of the first of these keys that a record has."""
    known = record if isinstance(record, dict) else {}
    return next((known[key] for key in keys if key in known), None)


def posts_in(source: Input, faults: FaultList) -> Iterator[tuple[int, str, Any, Any]]:
    """Yield each post with its line, or its path in a document, and with its event."""
    first = source.first_line(DOCUMENT).removeprefix(BYTE_ORDER_MARK)
    record: Any = None
    if first.lstrip().startswith(b"{"):
        try:
            record = json.loads(first)
        except (ValueError, RecursionError):
            record = None
    if isinstance(record, dict) and "postID" in record:
        for line, each in objects(source, faults):
            yield line, "", first_of(each, EVENT_KEYS), each
        return
    document = read_document(source, faults)
    if isinstance(document, list):
        for at, each in enumerate(document):
            yield 0, f"[{at}]", first_of(each, EVENT_KEYS), each
        return
    events = document.get("events") if isinstance(document, dict) else None
    if not isinstance(events, list):
        faults.refuse(None, "no labels", LABEL_FORMS, "no-rows")
    for at, event in enumerate(events):
        posts = first_of(event, ("tweets",))
        if not isinstance(posts, list):
            reason = f'events[{at}]: no list of "tweets"'
            faults.add(None, reason, LABEL_FORMS, "record-format")
            continue
        for place, post in enumerate(posts):
            yield 0, f"events[{at}].tweets[{place}]", first_of(event, EVENT_KEYS), post


def read_listing(source: Input, faults: FaultList) -> TrackRows:
    """Read labels in the track's JSON; the note counts the posts whose id is null.

    Such a post was labelled, but no run can have it.
    """
    rows, nameless = [], 0
    for line, place, event, post in posts_in(source, faults):
        record = post if isinstance(post, dict) else {}
        name, level = record.get("postID", ""), first_of(post, LEVEL_KEYS)
        types, reason = first_of(post, TYPE_KEYS), ""
        if name is None:
            nameless += 1
            name = f"(no id: {place or f'line {line}'})"
        if not is_id(event):
            reason = "no event"
        elif not is_id(name):
            reason = 'no "postID"'
        elif not isinstance(types, list) or not all(isinstance(each, str) for each in types):
            reason = "no list of types"
        elif level is not None and str(level).capitalize() not in LEVELS:
            where = f'{place}: unknown priority "{level}"'.removeprefix(": ")
            faults.add(line or None, where, LEVEL_CURE, "unknown-label")
            continue
        if reason:
            where = f"{place}: {reason}".removeprefix(": ")
            faults.add(line or None, where, POST_CURE, "record-format")
            continue
        text = record.get("text")
        told = None if level is None else str(level)
        shown = text if isinstance(text, str) else ""
        rows.append((line, event, name, told, shown, join_names(types)))
    columns = ("topic", "post_id", "level", "text")
    frame = frame_of_rows(rows, LABELS.schema, *columns, names=pl.String)
    has_texts = (frame["text"] != "").any()
    return TrackRows(frame if has_texts else frame.drop("text"), nameless)


def check_labels(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Check the levels of labels, which become their places; none is told where it is null."""
    if ALL_TOPICS in frame["topic"]:
        reason = f'an event is called "{ALL_TOPICS}", the name of the mean over events'
        faults.add(None, reason, "give the event another name", "reserved-name")
    if "level" in frame.columns:
        places = {name.lower(): at for at, name in enumerate(LEVELS)}
        level = (
            pl.col("level")
            .str.to_lowercase()
            .replace_strict(places, default=None, return_dtype=pl.Int8)
        )
        wrong = frame.filter(level.is_null() & pl.col("level").is_not_null())
        add_faults(faults, wrong, 'unknown level "{level}"', LEVEL_CURE, "unknown-label")
        frame = frame.with_columns(level=level)
    return frame if "names" in frame.columns else split_types(frame)


def check_answers(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Check the answers of a judged pool."""
    answer = pl.col("relevant")
    wrong = frame.filter(answer.is_not_null() & ~answer.is_in([0.0, 1.0]))
    add_faults(faults, wrong, "relevant is {relevant:g}", ANSWER_CURE, "unknown-label")
    if frame.height and frame["relevant"].is_null().all() and not len(faults):
        reason = "nobody judged this pool: no row has an answer"
        faults.add(None, reason, ANSWER_CURE, "missing-verdict")
    names = pl.col("type") + MARK
    return check_labels(frame.with_columns(names=names), faults)


LEVEL_MEANING = (
    "`Low`, `Medium`, `High`, `Critical` or `Unknown`; may be missing beside `types` if no measure "
    "asks for priorities"
)
TEXT_MEANING = "what the post says; a report shows it, and no score asks for it"
TYPED_LABELS = TableReader(
    schema=Schema(
        "labels",
        (EVENT, POST, replace(TYPES, required=True), TIME, replace(TEXT, meaning=TEXT_MEANING)),
        row="what assessors said of a post",
    ),
    check=check_labels,
    empty=("holds no labels", LABEL_FORMS),
)
"""Labels of types alone."""
JUDGED_POOL = TableReader(
    schema=Schema(
        "judged pool",
        (
            EVENT,
            Column("type", Kind.ID, meaning="an information type"),
            POST,
            Column(
                "relevant",
                Kind.NUMBER,
                may_be_blank=True,
                meaning="1 if the post has the type, 0 if not; blank where nobody judged",
            ),
            replace(TIME, may_be_blank=True),
        ),
        key=("topic", "type", "post_id"),
        row="a post to judge for a type, and the answer",
    ),
    check=check_answers,
    empty=("holds no labels", LABEL_FORMS),
)
"""The answers of assessors about a pool of posts, each with one type; a blank is no answer."""


def label_table(names: list[str]) -> TableReader | None:
    """Return the reader of labels whose columns these are."""
    readers = (JUDGED_POOL, LABELS, TYPED_LABELS)
    return next((each for each in readers if not each.schema.missing(names)), None)


def choose_labels(source: Input, form: str | None) -> TableReader:
    """Return the reader of an input of labels; where none fits, the one whose lack is told."""
    if not source.is_table and (not source.head(1) or (form is None and holds_listing(source))):
        return LABELS
    names = names_of(source)
    if form == "tsv":
        names = source.renamed(fields.split_tabs(source.first_line(), LABELS.schema))
    elif form == "csv":
        names = source.renamed(fields.split_commas(source.first_line()))
    return label_table(names) or (JUDGED_POOL if "type" in names else LABELS)


LABELS = TableReader(
    schema=Schema(
        "labels",
        (
            EVENT,
            POST,
            Column("level", Kind.ID, meaning=LEVEL_MEANING),
            TYPES,
            TIME,
            replace(TEXT, meaning=TEXT_MEANING),
        ),
        row="what assessors said of a post",
    ),
    tracks=(TrackFile(recognise=is_listing, applies=holds_listing, read=read_listing),),
    check=check_labels,
    empty=("holds no labels", LABEL_FORMS),
    choose=choose_labels,
)
"""A post may be labelled more than once."""

# Runs.

FIELDS = "event Q0 post rank importance types tag"
LINE_CURE = f"a line of a run is: {FIELDS}"
FIELD_LINES, JSON_LINES, PROPOSAL, PLAIN = "fields", "lines", "proposal", "plain"
"""The kinds of runs: fields, JSON lines of 2021, JSON lines of the proposal, plain tables."""
PROPOSED_ROWS = "rows"
"""Runs of the proposal that are no JSON."""


def is_number(text: str) -> bool:
    """Return whether a field is a number."""
    try:
        number(text)
    except NotANumber:
        return False
    return True


def first_fields(source: Input) -> list[str]:
    """Return the words of the first line that has any."""
    head = source.head().removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace")
    return next((line.split() for line in head.split("\n") if line.strip()), [])


def kind_of(source: Input) -> str | None:
    """Return the kind of run that an input is by its first bytes, None if it is no run."""
    if source.is_table:
        return PLAIN
    form, names = recognise(source)
    if form == "jsonl" and {"tweet_id", "info_type_labels"}.issubset(names):
        return JSON_LINES
    if is_proposed(source):
        return PROPOSAL if form in ("jsonl", JSON) else PROPOSED_ROWS
    if not PREDICTIONS.missing(source.renamed(names)):
        return PLAIN
    words = first_fields(source)
    is_numbered = len(words) > 5 and is_number(words[3]) and is_number(words[4])
    is_named = len(words) > 5 and words[1] == "Q0"
    return FIELD_LINES if (is_numbered or is_named) and words[2] != "Q0" else None


def is_kind(source: Input, kind: str) -> bool:
    """Return whether an input is a run of this kind."""
    return kind_of(source) == kind


def has_fields(source: Input) -> bool:
    """Return whether to read an input as lines of fields, cut off though they may be."""
    kind = kind_of(source)
    return kind == FIELD_LINES or (kind is None and first_fields(source)[1:2] == ["Q0"])


def parse_rest() -> Mapping[str, pl.Expr]:
    """Return the types as written, and the tag, in the rest of a line of fields."""
    rest = pl.col("rest")
    types = r"^(\[.*\]|\[.*|\S+)"
    tag = rest.str.replace(types, "").str.strip_chars()
    return {"written": rest.str.extract(types).str.strip_chars(), "run": tag}


def read_confidence(entry: dict[str, Any]) -> dict[str, Any]:
    """Return a type with its confidence as a number, where it is the text of one."""
    with suppress(NotANumber):
        return entry | {"confidence": number(str(entry.get("confidence")))}
    return entry


def parse_list(text: str) -> Any:
    """Return a value of JSON, None where the text is none."""
    try:
        return json.loads(text, object_hook=read_confidence)
    except (ValueError, RecursionError):
        return None


def parse_written(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Return the types that lines of fields have: a name, names in JSON, or numbers."""
    rows: list[tuple[Any, ...]] = []
    cure = 'write a JSON list of names, such as ["Report-News"], or of numbers, one a type'
    each = frame.select("line", "written").unique("written", keep="first", maintain_order=True)
    plain = r'^\["[^"\\]*"(, ?"[^"\\]*")*\]$'
    is_plain = pl.col("written").str.contains(plain) & ~pl.col("written").str.contains("'")
    for line, text in each.filter(~is_plain).iter_rows():
        values: Any = [text]
        if text.startswith("["):
            values = parse_list(text if "{" in text else text.replace("'", '"'))
        if isinstance(values, list) and all(isinstance(each, str) for each in values):
            rows.append((text, join_names(values), None))
        elif are_finite(values):
            rows.append((text, None, list(map(float, values))))
        elif isinstance(values, list) and all(map(is_entry, values)):
            numbers = [each.get("confidence") for each in values]
            rows.append((text, join_names([each["id"] for each in values]), numbers))
        else:
            reason = f"types {text} are no list of names or of numbers"
            faults.add(line, reason, cure, "record-format")
    types = {"written": pl.String, **list_types()}
    del types["flags"]
    names = pl.col("written").str.slice(2).str.strip_suffix('"]').str.replace_all('", ?"', MARK)
    lists = each.filter(is_plain).select("written", names=names + MARK)
    known = pl.concat([pl.DataFrame(rows, schema=types, orient="row"), lists], how="diagonal")
    return frame.join(known, on="written", how="left", maintain_order="left").drop("written")


def is_given(frame: pl.DataFrame, name: str) -> bool:
    """Return whether a table has a value in a column."""
    return name in frame.columns and frame[name].null_count() < frame.height


def number_texts(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Return a run whose names of posts, events and types are numbers of distinct texts."""
    frame = parse_written(frame, faults) if "written" in frame.columns else frame
    frame = frame if "names" in frame.columns else split_types(frame)
    frame = frame.with_columns(pl.col("topic", "post_id", "run", "names").cast(pl.Categorical))
    return frame if is_given(frame, "numbers") else frame.drop("numbers", strict=False)


def wrong_in(record: Mapping[str, Any], names: Sequence[str], figure: str = "") -> str:
    """Return why the names and the number of a line cannot be used, empty if they can."""
    for key in names:
        if not is_id(record.get(key)):
            return f'no "{key}"'
    value = record.get(figure) if figure else 0
    is_wrong = isinstance(value, bool) or not is_finite(value)
    return f'"{figure}" is no finite number' if is_wrong else ""


def read_json_lines(source: Input, faults: FaultList, details: bool = False) -> TrackRows:
    """Read a run of 2021."""
    rows, cure = [], 'each line has "topic", "runtag", "tweet_id", "priority", "info_type_labels"'
    for line, record in objects(source, faults):
        flags: Any = record.get("info_type_labels")
        scores: Any = record.get("info_type_scores")
        reason = wrong_in(record, ("topic", "tweet_id"), "priority")
        if not reason and not are_finite(flags):
            reason = 'no list of numbers "info_type_labels"'
        if reason:
            faults.add(line, reason, cure, "record-format")
            continue
        numbers = list(map(float, scores)) if details and are_finite(scores) else None
        run, priority = str(record.get("runtag") or source.name), float(record["priority"])
        known = record["topic"], record["tweet_id"], priority, run
        rows.append((line, *known, None, numbers, list(map(float, flags))))
    columns = ("topic", "post_id", "priority", "run")
    return TrackRows(frame_of_rows(rows, PREDICTIONS, *columns, **list_types()))


def is_entry(value: Any) -> bool:
    """Return whether a value of JSON is a type with its confidence."""
    is_named = isinstance(value, dict) and isinstance(value.get("id"), str)
    return is_named and ("confidence" not in value or is_finite(value["confidence"]))


def read_proposal(source: Input, faults: FaultList, details: bool = False) -> TrackRows:
    """Read a run of the proposal, which has times and no priorities."""
    rows, relative = [], source.times.relative
    for line, record in read_objects(source, faults):
        given: Any = record.get("InformationTypes")
        written = record.get("PostTimestamp")
        reason, time = wrong_in(record, ("EventID", "ID")), math.nan
        cure = 'each line has "EventID", "ID", "PostTimestamp" and "InformationTypes"'
        code = "record-format"
        if not reason and not (isinstance(given, list) and all(map(is_entry, given))):
            reason = 'no list of {"id", "confidence"} as "InformationTypes"'
        if not reason:
            try:
                time = source.time_parser(str(written))
            except NotANumber:
                shown = json.dumps(written, ensure_ascii=False)
                reason = f'"PostTimestamp" {shown} is no time'
                reason = 'no "PostTimestamp"' if written is None else reason
        if not reason and implausible(time, relative=relative):
            reason, cure, code = why_implausible(time, relative=relative)
            reason = f'"PostTimestamp" {written!r} {reason}'
        if reason:
            faults.add(line, reason, cure, code)
            continue
        content = record.get("Content")
        text = content if details and isinstance(content, str) else ""
        names = join_names([each["id"] for each in given])
        sure = (each.get("confidence") for each in given)
        numbers = [None if each is None else float(each) for each in sure]
        rows.append((line, record["EventID"], record["ID"], None, time, text, names, numbers))
    types = list_types()
    del types["flags"]
    frame = frame_of_rows(rows, TOLD, "topic", "post_id", "priority", "time", "text", **types)
    return TrackRows(frame if details else frame.drop("text"))


PREDICTIONS = Schema(
    "predictions",
    (
        EVENT,
        POST,
        PRIORITY,
        TYPES,
        RUN,
        Column(
            "rank",
            Kind.NUMBER,
            required=False,
            meaning="the run's own order; that of the lines without it",
        ),
        TIME,
    ),
    row="what a run said of a post",
)
"""A run may have a post more than once."""
TOLD = Schema(PREDICTIONS.table, (*PREDICTIONS.columns, TEXT))
"""The same with the texts of posts, which assessors read and no score asks for."""
WRITTEN = Schema(
    PREDICTIONS.table,
    (
        EVENT,
        POST,
        Column("rank", Kind.NUMBER),
        PRIORITY,
        Column("written", Kind.TEXT),
        replace(RUN, may_be_blank=True),
    ),
)
"""A run of fields: its last field and the tag are parsed once for each text."""
PROPOSED = Schema(
    PREDICTIONS.table,
    (EVENT, POST, replace(TIME, required=True), RUN, Column("written", Kind.JSON), TEXT),
)
"""A run of the proposal as rows, with the JSON of their types."""


def name_proposed(_: Schema, source: Input) -> Schema:
    """Return the schema of rows of the proposal as an input names their columns."""
    return name_columns(PROPOSED, source)


def read_fields(source: Input, faults: FaultList) -> TrackRows:
    """Read a run of fields; without a tag it is called as its file."""
    layout = Layout(
        WRITTEN,
        "topic Q0 post_id rank priority rest",
        made=parse_rest,
        wanted="where a run has 7",
        cure=LINE_CURE,
        ends_with_text=True,
    )
    try:
        frame = fields.read_lines(source, layout)[1]
    except InputError as error:
        codes = {"number-range": "number-format"}
        told = [replace(each, code=codes.get(each.code, each.code)) for each in error.faults]
        raise InputError(told) from None
    run = pl.when(pl.col("run") == "").then(pl.lit(source.name)).otherwise("run")
    return TrackRows(parse_written(frame.with_columns(run=run), faults))


def runs_reader(schema: Schema, details: bool) -> TableReader:
    """Return the reader of runs, for assessors with the numbers of types and the texts of posts."""
    return TableReader(
        schema=schema,
        tracks=(
            TrackFile(
                recognise=partial(is_kind, kind=JSON_LINES),
                read=partial(read_json_lines, details=details),
            ),
            TrackFile(
                recognise=partial(is_kind, kind=PROPOSAL),
                read=partial(read_proposal, details=details),
            ),
            TrackFile(recognise=is_proposed, schema=name_proposed),
            TrackFile(
                recognise=partial(is_kind, kind=FIELD_LINES), applies=has_fields, read=read_fields
            ),
        ),
        check=number_texts,
        may_be_empty=True,
        once=(
            ("run", "topic", "post_id"),
            'post "{post_id}" stands in two files of run "{run}"',
            "",
        ),
    )


RUNS, POOLED_RUNS = runs_reader(PREDICTIONS, details=False), runs_reader(TOLD, details=True)
READERS = {
    "runs": RUNS,
    "labels": LABELS,
    "ontology": ONTOLOGY,
    "topics": TOPICS,
    "epochs": EPOCHS_READER,
}
"""The reader of each input."""

# The errors of runs by the rules of the track, though a run with them can be scored.

TAG = re.compile(r"[A-Za-z0-9_.-]{1,20}", re.ASCII)
TYPES_OF_THE_TRACK = 25
PROCESSING = ("Automatic", "Semi-Automatic", "Manual")


def run_faults(source: Input, table: Table) -> Iterator[Fault]:
    """Yield the errors of a run by the rules of the track."""
    rows, kind = table.frame, kind_of(source)
    runs = rows.unique("run", keep="first", maintain_order=True)
    for row in runs.with_row_index().iter_rows(named=True):
        if row["index"]:
            yield Fault(
                source.path, row["line"], f'a second run tag "{row["run"]}"', "one file, one run",
                "several-runs",
            )  # fmt: skip
        if not TAG.fullmatch(row["run"]):
            reason = f'run tag "{row["run"]}" is malformed'
            cure = "the track takes up to 20 letters, digits and _ . -"
            yield Fault(source.path, row["line"], reason, cure, "id-format")
    key = ["topic", "post_id"]
    first = pl.format(
        f"first in {source.path}:{{}}: remove one of them", pl.col("line").first().over(key)
    )
    repeats = rows.with_columns(cure=first).filter(~pl.struct(key).is_first_distinct())
    reason = 'post "{post_id}" stands twice in event "{topic}"'
    yield from table.faults(repeats, reason, "", "duplicate-id")
    outside = rows.filter((pl.col("priority") < 0) | (pl.col("priority") > 1))
    reason, cure = (
        "priority {priority:g} is outside of [0, 1]",
        "the track takes priorities from 0 to 1",
    )
    yield from table.faults(outside, reason, cure, "number-range")
    if kind == JSON_LINES:
        for line, record in objects(source, FaultList(source)):
            for key_of, allowed in (("info_type_scores", None), ("info_type_labels", (0, 1))):
                reason = wrong_vector(record.get(key_of), allowed)
                if reason:
                    told, cure = f'"{key_of}" {reason}', "one number a type, 25 in all"
                    yield Fault(source.path, line, told, cure, "record-format")
    if kind == PROPOSAL:
        yield from proposal_faults(source)
        earlier = rows.filter(pl.col("time") < pl.col("time").shift(1).over("topic"))
        reason = 'post "{post_id}" is earlier than the one before it in its event'
        yield from table.faults(earlier, reason, "sort the run by PostTimestamp", "time-order")


def wrong_vector(values: Any, allowed: tuple[int, ...] | None) -> str:
    """Return why a list is not the numbers of all types, empty if it is."""
    if not isinstance(values, list) or len(values) != TYPES_OF_THE_TRACK:
        return f"is {len(values)} long" if isinstance(values, list) else "is no list"
    for value in values:
        is_plain = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_plain or not (value in allowed if allowed else 0 <= value <= 1):
            return f"has {json.dumps(value)}, which is not {'0 or 1' if allowed else 'from 0 to 1'}"
    return ""


def proposal_faults(source: Input) -> Iterator[Fault]:
    """Yield the errors of lines of the proposal; an error of all lines is told once."""
    lines, total = dict[tuple[str, str], list[int]](), 0
    for line, record in read_objects(source, FaultList(source)):
        total += 1
        for error in wrong_proposal(record):
            lines.setdefault(error, []).append(line)
    for (reason, cure), where in lines.items():
        is_in_all = total > 1 and len(where) == total
        told = f"{reason}, in each of its {total:,} lines" if is_in_all else reason
        places: Sequence[int | None] = [None] if is_in_all else where
        yield from (Fault(source.path, line, told, cure, "record-format") for line in places)


def wrong_proposal(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the errors of a line of the proposal, each with its cure."""
    for key in KEYS:
        if key not in record:
            yield f'no "{key}"', f"each line has {', '.join(KEYS)}"
    processing = record.get("ProcessingType", PROCESSING[0])
    if processing not in PROCESSING:
        cure = f"it is {PROCESSING[0]}, {PROCESSING[1]} or {PROCESSING[2]}, in these letters"
        yield f'"ProcessingType" is {json.dumps(processing)}', cure
    if not isinstance(record.get("Content", ""), str):
        yield '"Content" is no text', "give the post's text as it was"
    for entry in record.get("InformationTypes") or ():
        confidence = entry.get("confidence")
        if confidence is None:
            yield f'type "{entry["id"]}" has no "confidence"', "give it a number from 0 to 1"
        elif not 0 <= confidence <= 1:
            reason = f'confidence {confidence:g} of type "{entry["id"]}" is outside of [0, 1]'
            yield reason, "the proposal takes confidences from 0 to 1"
