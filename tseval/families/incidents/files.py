"""The files of incident streams: runs of every year, labels, judged pools, ontologies, topics."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Any

import polars as pl

from tseval.errors import Fault
from tseval.io import JSON, json_text
from tseval.io.cells import BYTE_ORDER_MARK
from tseval.io.epochs import EPOCHS_READER
from tseval.io.faults import FaultList, text_lines
from tseval.io.fields import Layout
from tseval.io.forms import names_of, recognise
from tseval.io.inputs import Input
from tseval.io.json_text import objects
from tseval.io.proposed_runs import KEYS, is_proposed, name_columns, read_objects
from tseval.io.records import (
    Record,
    is_array,
    is_list,
    is_name,
    is_number,
    is_numbers,
    is_texts,
    records_in,
    wrong_in,
)
from tseval.io.schema import ALL_TOPICS, POST_ID, RUN, TOPIC, Column, Kind, Schema
from tseval.io.tables import Table, TableReader, TrackFile, TrackRows, add_faults, frame_of_rows
from tseval.io.times import NotANumber, number

EVENT = replace(TOPIC, meaning="the event")
POST = replace(POST_ID, aliases=("tweet_id",))
PRIORITY = Column("priority", Kind.NUMBER)
TEXT = Column("text", Kind.TEXT, required=False)
TIME = Column(
    "time", Kind.TIME, required=False, aliases=("timestamp",), meaning="the time of the post"
)
TYPES = Column(
    "types",
    Kind.TEXT,
    required=False,
    aliases=("categories",),
    meaning="names of information types with commas between",
)


MARK, NUMBER, FLAG = "\x1f", "\x1e", "\x1d"
"""The signs in the column `coded`, which has the information types of a row as one text.

A `MARK` ends each type: its name, or nothing in a vector, which has all types in alphabetical
order; then `NUMBER` and its number, if it has one. A vector that begins with `FLAG` says which
types are given, whatever their numbers; those that are not given have no `NUMBER`. Lists of texts
would be slow to make.
"""


def add_codes(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with the column `coded` in the place of `types`: names with commas between."""
    if "coded" in frame.columns:
        return frame
    types = pl.col("types") if "types" in frame.columns else pl.lit("")
    names = types.str.replace_all(r"^[\s,]+|[\s,]+$", "").str.replace_all(r"\s*,[\s,]*", MARK)
    coded = pl.when(names == "").then(names).otherwise(names + MARK)
    return frame.with_columns(coded=coded).drop("types", strict=False)


def code_list(values: Any) -> str | None:
    """Return a list of names, of numbers or of types with confidences as `coded` has it.

    None stands for any other value.
    """
    if not isinstance(values, list):
        return None
    if all(isinstance(each, str) for each in values):
        return "".join(f"{each}{MARK}" for each in values)
    if is_numbers(values):
        return "".join(f"{NUMBER}{float(each)}{MARK}" for each in values)
    for each in values:
        is_named = isinstance(each, dict) and isinstance(each.get("id"), str)
        if not is_named or not is_number(each.get("confidence", 0.0)):
            return None
    numbers = (float(e["confidence"]) if "confidence" in e else "" for e in values)
    return "".join(f"{e['id']}{NUMBER}{n}{MARK}" for e, n in zip(values, numbers, strict=True))


def read_document(source: Input, faults: FaultList) -> Any:
    """Return a whole file of JSON; a file that is none is refused with its line."""
    if not source.head().strip():
        faults.refuse(None, "the file is empty", "give the track's JSON", "empty-file")
    cure = "give the track's JSON: close what is open; no comma after the last"
    return json_text.read_document(source, faults, cure)


# Ontologies.

ONTOLOGY_FORMS = 'looked for {"informationTypes": [{"id": …}, …]} and [{"ID": …, "Parent": …}, …]'


def is_ontology(source: Input) -> bool:
    """Return whether an input looks like an ontology of the track or of its proposal."""
    head = source.head()
    return b'"informationTypes"' in head or (b'"Parent"' in head and b'"ID"' in head)


def read_types(source: Input, faults: FaultList) -> TrackRows:
    """Read the types of an ontology with their parents."""
    document = read_document(source, faults)
    entries = document.get("informationTypes") if isinstance(document, dict) else document
    if not isinstance(entries, list) or not entries:
        faults.refuse(None, "no information types", ONTOLOGY_FORMS, "no-rows")
    path, key, rows = ("", "ID", []) if entries is document else ("informationTypes", "id", [])
    for at, entry in enumerate(entries):
        place = f"{path}[{at}]: "
        if wrong := wrong_in(entry, **{key: is_name}):
            faults.add(None, f"{place}{wrong}", ONTOLOGY_FORMS, "record-format")
        else:
            parent = str(entry["Parent"]) if entry.get("Parent") else None
            rows.append((None, entry[key], parent, place))
    return TrackRows(frame_of_rows(rows, ONTOLOGY.schema, "type", "parent", place=pl.String))


def check_types(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Check the names of types, and that the parents of each are types and none of them itself."""
    if len(faults):
        return frame
    types, above = frame["type"], frame["parent"]
    for _ in types:
        above = above.replace_strict(types, frame["parent"], default=None)
    parent, reserved = pl.col("parent"), frame.filter(type=ALL_TOPICS)
    reason, cure = '{place}a type is called "{type}", the name of the mean', "give it another name"
    add_faults(faults, reserved, reason, cure, "reserved-name")
    unknown = frame.filter(parent.is_not_null() & ~parent.is_in(types.implode()))
    cure = "name a type of this file, or leave it out"
    add_faults(faults, unknown, '{place}parent "{parent}" is no type', cure, "unknown-id")
    reason, cure = '{place}type "{type}" is its own ancestor', "mend its parents"
    add_faults(faults, frame.filter(above.is_not_null()), reason, cure, "cyclic-types")
    return frame


ONTOLOGY = TableReader(
    schema=Schema(
        "ontology",
        (Column("type", Kind.ID), Column("parent", Kind.TEXT, required=False)),
        ("type",),
    ),
    tracks=(TrackFile(recognise=is_ontology, read=read_types),),
    check=check_types,
    reads_tables=False,
)

# Topics.


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
    tracks=(TrackFile(marks=("<top>", "<dataset>"), read=read_topics),),
    empty=("no topics", "looked for <top>, <num>, <dataset>, </top>"),
    reads_tables=False,
)

# Labels.

LEVELS = ("Unknown", "Low", "Medium", "High", "Critical")
"""The priorities that assessors give to posts; a level is known by its place here."""
UNKNOWN, LOW, MEDIUM, HIGH, CRITICAL = range(5)
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
    keys = ("postCategories", "categories", "eventsAnnotated")
    return any(f'"{key}"'.encode() in source.head() for key in keys)


def holds_listing(source: Input) -> bool:
    """Return whether labels are in the track's JSON, and in no table."""
    begins = source.head().removeprefix(BYTE_ORDER_MARK).lstrip()[:1] in (b"{", b"[")
    return begins and label_table(recognise(source)[1]) is None


SPELLINGS = {
    "EventID": "eventID",
    "eventid": "eventID",
    "categories": "postCategories",
    "priority": "postPriority",
}
"""The keys of other years, each with that of 2021."""


def spell(record: Any) -> Any:
    """Return an object with the keys of 2021, which go before those of other years."""
    if not isinstance(record, dict):
        return record
    return {"postPriority": None} | {SPELLINGS.get(k, k): v for k, v in record.items()} | record


def posts_in(source: Input, faults: FaultList) -> Iterator[tuple[int | None, str, Any]]:
    """Yield each post with its line, or with its path in a document; it has its event."""
    first = source.first_line()
    if is_array(source) or (b'"postID"' in first and b'"tweets"' not in first):
        for at, (line, each) in enumerate(records_in(source, faults)):
            yield (None, f"[{at}]: ", spell(each)) if is_array(source) else (line, "", spell(each))
        return
    document = read_document(source, faults)
    events = document.get("events") if isinstance(document, dict) else None
    if not isinstance(events, list):
        faults.refuse(None, "no labels", LABEL_FORMS, "no-rows")
    for at, event in enumerate(map(spell, events)):
        if wrong := wrong_in(event, tweets=is_list):
            faults.add(None, f"events[{at}]: {wrong}", LABEL_FORMS, "record-format")
            continue
        own = {"eventID": event.get("eventID")}
        for place, post in enumerate(map(spell, event["tweets"])):
            named = post | own if isinstance(post, dict) else post
            yield None, f"events[{at}].tweets[{place}]: ", named


def read_listing(source: Input, faults: FaultList) -> TrackRows:
    """Read labels in the track's JSON; the note counts the posts whose id is null.

    Such a post was labelled, but no run can have it.
    """
    rows, nameless = [], 0
    for line, place, post in posts_in(source, faults):
        if isinstance(post, dict) and post.get("postID", "") is None:
            nameless += 1
            post["postID"] = f"(no id: {nameless})"
        wrong = wrong_in(post, eventID=is_name, postID=is_name, postCategories=is_texts)
        if wrong:
            faults.add(line, place + wrong, POST_CURE, "record-format")
            continue
        level = post["postPriority"]
        if level is not None and str(level).capitalize() not in LEVELS:
            faults.add(line, f'{place}unknown priority "{level}"', LEVEL_CURE, "unknown-label")
            continue
        text = post.get("text") if isinstance(post.get("text"), str) else ""
        names = (post["eventID"], post["postID"], level and str(level))
        rows.append((line or 0, *names, text, code_list(post["postCategories"])))
    columns = ("topic", "post_id", "level", "text")
    frame = frame_of_rows(rows, LABELS.schema, *columns, coded=pl.String)
    has_texts = (frame["text"] != "").any()
    return TrackRows(frame if has_texts else frame.drop("text"), nameless)


def check_labels(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Check the levels of labels, which become their places; none is told where it is null."""
    if ALL_TOPICS in frame["topic"]:
        reason = f'an event is called "{ALL_TOPICS}", the name of the mean over events'
        faults.add(None, reason, "give the event another name", "reserved-name")
    if "level" in frame.columns:
        places = {name.lower(): at for at, name in enumerate(LEVELS)}
        level = pl.col("level").str.to_lowercase()
        level = level.replace_strict(places, default=None, return_dtype=pl.Int8)
        wrong = frame.filter(level.is_null() & pl.col("level").is_not_null())
        add_faults(faults, wrong, 'unknown level "{level}"', LEVEL_CURE, "unknown-label")
        frame = frame.with_columns(level=level)
    return add_codes(frame)


def check_answers(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Check the answers of a judged pool."""
    answer = pl.col("relevant")
    wrong = frame.filter(answer.is_not_null() & ~answer.is_in([0.0, 1.0]))
    add_faults(faults, wrong, "relevant is {relevant:g}", ANSWER_CURE, "unknown-label")
    if frame.height and frame["relevant"].is_null().all() and not len(faults):
        reason = "nobody judged this pool: no row has an answer"
        faults.add(None, reason, ANSWER_CURE, "missing-verdict")
    return check_labels(frame.with_columns(coded=pl.col("type") + MARK), faults)


LEVEL_MEANING = (
    "`Low`, `Medium`, `High`, `Critical` or `Unknown`; may be missing beside `types` if no measure "
    "asks for priorities"
)
TEXT_MEANING = "the text of the post, for reports; no score uses it"
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
    if form is not None and not source.is_table:
        from tseval.core.validation import names_in  # here, because few commands need it

        names = source.renamed(names_in(source, form))
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
        row="the labels of a post by assessors",
    ),
    tracks=(TrackFile(recognise=is_listing, applies=holds_listing, read=read_listing),),
    check=check_labels,
    empty=("holds no labels", LABEL_FORMS),
    choose=choose_labels,
)
"""A post may be labelled more than once."""
TYPED_LABELS = replace(
    LABELS,
    schema=replace(
        LABELS.schema,
        columns=(EVENT, POST, replace(TYPES, required=True), *LABELS.schema.columns[4:]),
    ),
    tracks=(),
    choose=None,
)
"""Labels of types alone."""

# Runs.

FIELDS = "event Q0 post rank importance types tag"
LINE_CURE = f"a line of a run is: {FIELDS}"
FIELDS_FAULT = (
    "types {written} are no list of names or of numbers",
    'write a JSON list of names, such as ["Report-News"], or of numbers, one a type',
)
KEY_FAULT = (
    f'no list of {{{{"id", "confidence"}}}} as "{KEYS[-1]}"',
    f'write [{{"id": "Report-News", "confidence": 0.8}}, …] as "{KEYS[-1]}"',
)


def first_fields(source: Input) -> list[str]:
    """Return the words of the first line that has any."""
    head = source.head().removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace")
    return next((line.split() for line in head.split("\n") if line.strip()), [])


def is_of_fields(source: Input) -> bool:
    """Return whether an input is a run of fields by its first line."""
    words = first_fields(source)
    if len(words) < 6 or words[2] == "Q0":
        return False
    return words[1] == "Q0" or not pl.Series(words[3:5]).cast(float, strict=False).has_nulls()


def has_fields(source: Input) -> bool:
    """Return whether to read an input as lines of fields, cut off though they may be."""
    return first_fields(source)[1:2] == ["Q0"] or is_of_fields(source)


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
    """Return the list that a text of JSON is, None if it is none."""
    text = text if "{" in text else text.replace("'", '"')
    with suppress(ValueError, RecursionError):
        return json.loads(text, object_hook=read_confidence)
    return None


def code_run(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Return a run whose names of posts, events and types are numbers of distinct texts.

    Types may be written in JSON; in a run of fields the name of one may be bare.
    """
    if "written" in frame.columns:
        written, is_of_fields = pl.col("written"), "rank" in frame.columns
        known = frame.select("line", "written").unique("written", keep="first", maintain_order=True)
        is_bare = ~written.str.starts_with("[") & is_of_fields
        is_plain = written.str.contains(r'^\["[^"\\\']*"(, ?"[^"\\\']*")*\]$')
        names = written.str.slice(2).str.strip_suffix('"]').str.replace_all('", ?"', MARK)
        names = pl.when(is_plain).then(names + MARK).when(is_bare).then(written + MARK)
        known = known.with_columns(coded=names).sort(pl.col("coded").is_null())
        others = known.filter(pl.col("coded").is_null())
        lists = [code_list(parse_list(text)) for text in others["written"]]
        coded, why = pl.Series(lists, dtype=pl.String), FIELDS_FAULT if is_of_fields else KEY_FAULT
        add_faults(faults, others.filter(coded.is_null()).sort("line"), *why, "record-format")
        new = known["coded"].drop_nulls().append(coded)
        frame = frame.with_columns(coded=written.replace_strict(known["written"], new))
        if is_of_fields:  # without a tag it is called as its file
            run = pl.when(pl.col("run") == "").then(pl.lit(faults.source.name)).otherwise("run")
            frame = frame.with_columns(run=run)
    return add_codes(frame.drop("written", strict=False)).with_columns(
        pl.col("topic", "post_id", "run", "coded").cast(pl.Categorical)
    )


LINE = Record(
    'each line has "topic", "runtag", "tweet_id", "priority", "info_type_labels"',
    {"runtag": None, "info_type_scores": None},
    topic=is_name,
    tweet_id=is_name,
    priority=is_number,
    info_type_labels=is_numbers,
)
"""A line of a run of 2021."""
MARKS_OF_2021 = ('"tweet_id"', '"info_type_labels"')


def read_json_lines(source: Input, faults: FaultList, details: bool = False) -> TrackRows:
    """Read a run of 2021."""
    rows = []
    for line, record in objects(source, faults):
        for each in LINE.rows([record], line, faults):
            flags, scores = each["info_type_labels"], each["info_type_scores"]
            scores = scores[: len(flags)] if details and is_numbers(scores) else ()
            numbers = zip_longest(flags, map(float, scores), fillvalue="")
            types = "".join(f"{NUMBER}{n}{MARK}" if flag else MARK for flag, n in numbers)
            run, priority = str(each["runtag"] or source.name), float(each["priority"])
            rows.append((line, each["topic"], each["tweet_id"], priority, run, FLAG + types))
    columns = ("topic", "post_id", "priority", "run")
    return TrackRows(frame_of_rows(rows, PREDICTIONS, *columns, coded=pl.String))


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
    row="the labels of a post by a run",
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


RUN_LINES = Layout(
    WRITTEN,
    "topic Q0 post_id rank priority rest",
    made=parse_rest,
    wanted="where a run has 7",
    cure=LINE_CURE,
    ends_with_text=True,
)


def runs_reader(schema: Schema, details: bool) -> TableReader:
    """Return the reader of runs, for assessors with the numbers of types and the texts of posts."""
    proposed = PROPOSED if details else replace(PROPOSED, columns=PROPOSED.columns[:-1])
    return TableReader(
        schema=schema,
        tracks=(
            TrackFile(marks=MARKS_OF_2021, read=partial(read_json_lines, details=details)),
            TrackFile(
                recognise=is_proposed, schema=lambda _, source: name_columns(proposed, source)
            ),
            TrackFile(recognise=is_of_fields, applies=has_fields, layout=RUN_LINES),
        ),
        check=code_run,
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

TAG, TAG_CURE = "^[A-Za-z0-9_.-]{1,20}$", "the track takes up to 20 letters, digits and _ . -"
PRIORITY_REASON = "priority {priority:g} is outside of [0, 1]"
TYPES_OF_THE_TRACK = 25
PROCESSING = ("Automatic", "Semi-Automatic", "Manual")


def run_faults(source: Input, table: Table) -> Iterator[Fault]:
    """Yield the errors of a run by the rules of the track."""
    rows = table.frame
    runs = rows.unique("run", keep="first", maintain_order=True)
    is_well_formed = pl.col("run").cast(pl.String).str.contains(TAG)
    outside = rows.filter((pl.col("priority") < 0) | (pl.col("priority") > 1))
    key, first = ["topic", "post_id"], f"first in {source.path}:{{}}: remove one of them"
    repeats = rows.with_columns(cure=pl.format(first, pl.col("line").first().over(key)))
    repeats = repeats.filter(~pl.struct(key).is_first_distinct())
    for wrong, reason, cure, code in (
        (runs[1:], 'a second run tag "{run}"', "one file, one run", "several-runs"),
        (runs.filter(~is_well_formed), 'run tag "{run}" is malformed', TAG_CURE, "id-format"),
        (repeats, 'post "{post_id}" stands twice in event "{topic}"', "", "duplicate-id"),
        (outside, PRIORITY_REASON, "the track takes priorities from 0 to 1", "number-range"),
    ):
        yield from table.faults(wrong, reason, cure, code)
    if RUNS.tracks[0].matches(source):
        for line, record in objects(source, FaultList(source)):
            for key_of, allowed in (("info_type_scores", None), ("info_type_labels", (0, 1))):
                if reason := wrong_vector(record.get(key_of), allowed):
                    told, cure = f'"{key_of}" {reason}', "one number a type, 25 in all"
                    yield Fault(source.path, line, told, cure, "record-format")
    elif is_proposed(source) and recognise(source)[0] in ("jsonl", JSON):
        for line, record in read_objects(source, FaultList(source)):
            for reason, cure in wrong_proposal(record):
                yield Fault(source.path, line, reason, cure, "record-format")
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
