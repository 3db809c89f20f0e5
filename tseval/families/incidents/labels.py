"""The labels that assessors of incident streams gave to posts.

    2018, 2019  {"events": [{"eventid": E, "tweets": [{"postID": P, "categories": […],
                "priority": "Low"}, …]}, …]}
    2021        the same with "postCategories" and "postPriority"
    merged      [{"eventID": E, "postID": P, "postCategories": […], "postPriority": "Low"}, …],
                or one such object a line
    plain       a table `topic post_id level [types] [time] [text]`, or one without `level`
    pool        a table `topic type post_id relevant [time]`: a pool that assessors filled in

A post of the JSON forms may say its `text` too, which no score asks for.
Types are taken as they stand there, by full or short name. A post whose id is null was labelled,
but nobody knows which it was: no run can have it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.families.incidents.ontologies import json_document
from tseval.families.incidents.tables import (
    JUDGED_POOL,
    LABELS,
    LEVELS,
    TYPED_LABELS,
    UNKNOWN,
    Labels,
    TypeNames,
)
from tseval.files.faults import FaultList
from tseval.files.given import input_of
from tseval.files.inputs import Input
from tseval.files.jsonl import objects
from tseval.files.limits import DOCUMENT
from tseval.files.plain import Rows, header, recognise
from tseval.files.reading import names_of, refuse, refuse_where, rows_of
from tseval.files.tsv import BYTE_ORDER_MARK
from tseval.tables import ALL_TOPICS, Ids, InputRecord, Origin, Texts
from tseval.tables.schema import Schema

if TYPE_CHECKING:
    from tseval.files.given import Given
    from tseval.tables.columns import IntArray

EVENT_KEYS = ("eventid", "eventID", "EventID")
TYPE_KEYS = ("postCategories", "categories")
LEVEL_KEYS = ("postPriority", "priority")
POST_CURE = 'a labelled post is {"postID": …, "postCategories": […], "postPriority": "Low"}'
LEVEL_CURE = f"the levels are {', '.join(LEVELS)}"
ANSWER_CURE = (
    "write 1 in the column relevant if the post has the type, 0 if not; a blank is no answer"
)
FORMS = (
    "looked for the track's JSON (events with tweets, or posts with their eventID, in one list or "
    "one a line), a table topic post_id level types and a judged pool topic type post_id relevant"
)


@dataclass
class LabelLines:
    """The labelled posts of a file in its order, and what is wrong with it."""

    faults: FaultList
    events: list[str] = field(default_factory=list)
    posts: list[str] = field(default_factory=list)
    types: list[list[str]] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    nameless: int = 0
    has_levels: bool = False

    def add(self, event: Any, post: Any, line: int, place: str) -> None:
        """Take a post of an event, unless something is wrong with it."""
        found = post if isinstance(post, dict) else {}
        name, level = found.get("postID", ""), _first(found, LEVEL_KEYS)
        if name is None:
            self.nameless += 1
            name = f"(no id: {place or f'line {line}'})"
        types = _first(found, TYPE_KEYS)
        reason = ""
        if not _is_name(event):
            reason = "no event"
        elif not _is_name(name):
            reason = 'no "postID"'
        elif not isinstance(types, list) or not all(isinstance(each, str) for each in types):
            reason = "no list of types"
        elif level is not None and str(level).capitalize() not in LEVELS:
            reason = f'unknown priority "{level}"'
        if reason:
            where = f"{place}: {reason}" if place else reason
            known = not reason.startswith("unknown")
            cure, code = (POST_CURE, "record-format") if known else (LEVEL_CURE, "unknown-label")
            self.faults.add(line or None, where, cure, code)
            return
        self.events.append(str(event))
        self.posts.append(str(name))
        self.types.append(list(types or ()))
        self.levels.append(UNKNOWN if level is None else LEVELS.index(str(level).capitalize()))
        text = found.get("text")
        self.texts.append(text if isinstance(text, str) else "")
        self.lines.append(line)
        self.has_levels = self.has_levels or level is not None


def _first(record: dict[str, Any], keys: Sequence[str]) -> Any:
    return next((record[key] for key in keys if key in record), None)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and not set(value) & set("\t\n\r")


def is_labels(source: Input) -> bool:
    """Whether an input is labels in the track's JSON, by its first bytes."""
    head = source.head()
    return any(f'"{key}"'.encode() in head for key in (*TYPE_KEYS, "eventsAnnotated"))


def read_labels(given: Sequence[Given], types: TypeNames, form: str | None = None) -> Labels:
    """The labels of one or more files; a file without any is an `InputError`."""
    return Labels.join([_labels(input_of(one, LABELS), types, form) for one in given])


def _labels(source: Input, types: TypeNames, form: str | None) -> Labels:
    if _is_listing(source, form):
        labels = _listed(source, types)
    else:
        schema = _schema(source, form)
        tabled = _judged_pool if schema is JUDGED_POOL else _tabled
        labels = tabled(source, rows_of(source, schema, form), types)
    faults = FaultList(source)
    if not len(labels):
        faults.add(None, "holds no labels", FORMS, "no-rows")
    if ALL_TOPICS in labels.event.vocabulary():
        reason = f'an event is called "{ALL_TOPICS}", the name of the mean over events'
        faults.add(None, reason, "give the event another name", "reserved-name")
    faults.check()
    return labels


def _begins_json(source: Input) -> bool:
    return source.head().removeprefix(BYTE_ORDER_MARK).lstrip()[:1] in (b"{", b"[")


def _is_listing(source: Input, form: str | None) -> bool:
    """Whether labels are in the track's JSON, and not in a table."""
    if source.is_table or form is not None:
        return False
    return _begins_json(source) and plain_schema(recognise(source)[1]) is None


def plain_schema(names: Sequence[str]) -> Schema | None:
    """Which table of labels has these columns; None if none has."""
    own = list(names)
    for schema in (JUDGED_POOL, LABELS, TYPED_LABELS):
        if not schema.missing(own):
            return schema
    return None


def _schema(source: Input, form: str | None) -> Schema:
    """Which table of labels an input is; where it is none, the one whose lack is told."""
    if source.is_table:
        return plain_schema(names_of(source)) or LABELS
    if not source.head(1):
        return LABELS
    names = recognise(source)[1]
    if form in ("tsv", "csv"):
        names = header(source, LABELS, form, FaultList(source))
    return plain_schema(names) or (JUDGED_POOL if "type" in names else LABELS)


def _tabled(source: Input, rows: Rows, types: TypeNames) -> Labels:
    level, number = rows.get("level"), len(rows.origin.line)
    unknown = np.full(number, UNKNOWN)
    told = {
        "event": rows.get("topic"),
        "types": types.matrix(named_types(rows.get("types"), number)),
        "level": unknown if level is None else _levels(source, level, rows.origin),
        "has_levels": level is not None,
    }
    return Labels.of(rows.columns | told, rows.origin)


def _judged_pool(source: Input, rows: Rows, types: TypeNames) -> Labels:
    """The answers of assessors, one row for each post; what has no answer was not judged."""
    answer = rows.get("relevant")
    wrong, reason = ~np.isnan(answer) & (answer != 0) & (answer != 1), "relevant is {:g}"
    refuse_where(source, rows.origin, wrong, answer, reason, ANSWER_CURE, "unknown-label")
    if np.isnan(answer).all():
        reason = "nobody judged this pool: no row has an answer"
        refuse(source, reason, ANSWER_CURE, "missing-verdict")
    named = types.matrix([[name] for name in rows.get("type").to_list()])
    known = np.flatnonzero(~np.isnan(answer))
    event, post = rows.get("topic").rows(known), rows.get("post_id").rows(known)
    key = event.codes * (int(post.codes.max(initial=0)) + 1) + post.codes
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    asked = np.zeros((len(first), named.shape[1]), bool)
    np.logical_or.at(asked, place, named[known])
    given = np.zeros_like(asked)
    np.logical_or.at(given, place, named[known] & (answer[known] == 1)[:, None])
    order = np.argsort(first)
    chosen = first[order]
    time = rows.get("time")
    return Labels(
        event=event.rows(chosen),
        post_id=post.rows(chosen),
        types=given[order],
        level=np.full(len(chosen), UNKNOWN),
        time=None if time is None or np.isnan(time[known]).all() else time[known][chosen],
        origin=rows.origin.rows(known[chosen]),
        has_levels=False,
        asked=asked[order],
        unanswered=int(np.isnan(answer).sum()),
    )


def named_types(texts: Sequence[str] | None, rows: int) -> list[list[str]]:
    """The types of each row of a plain table, whose names have commas between them."""
    if texts is None:
        return [[]] * rows
    return [[name.strip() for name in text.split(",") if name.strip()] for text in texts]


def _levels(source: Input, named: Ids, origin: Origin) -> IntArray:
    places = {name.lower(): at for at, name in enumerate(LEVELS)}
    found = [places.get(name.lower(), -1) for name in named.vocabulary()]
    level = np.array(found, np.int64)[named.codes]
    reason = 'unknown level "{}"'
    refuse_where(source, origin, level < 0, named, reason, LEVEL_CURE, "unknown-label")
    return level


def _listed(source: Input, types: TypeNames) -> Labels:
    listing = LabelLines(FaultList(source))
    for line, place, event, post in _posts(source, listing.faults):
        listing.add(event, post, line, place)
    listing.faults.check()
    record = InputRecord(source.path, lambda: source.sha256, len(listing.posts))
    return Labels(
        event=Ids.of(listing.events),
        post_id=Ids.of(listing.posts),
        types=types.matrix(listing.types),
        level=np.array(listing.levels, np.int64),
        time=None,
        origin=Origin.single(record, np.array(listing.lines, np.int64)),
        nameless=listing.nameless,
        has_levels=listing.has_levels,
        text=Texts.of(listing.texts) if any(listing.texts) else None,
    )


def _posts(source: Input, faults: FaultList) -> Iterator[tuple[int, str, Any, Any]]:
    """Every post of the file: its line, or its path in a document, its event, and itself."""
    first = source.first_line(DOCUMENT).removeprefix(BYTE_ORDER_MARK)
    if first.lstrip().startswith(b"{") and _is_post(first):
        for line, record in objects(source, faults):
            yield line, "", _first(record, EVENT_KEYS), record
        return
    document = json_document(source, faults)
    if isinstance(document, list):
        for at, record in enumerate(document):
            event = _first(record, EVENT_KEYS) if isinstance(record, dict) else None
            yield 0, f"[{at}]", event, record
        return
    events = document.get("events") if isinstance(document, dict) else None
    if not isinstance(events, list):
        faults.add(None, "no labels", FORMS, "no-rows")
        return
    yield from _posts_of(events, faults)


def _is_post(line: bytes) -> bool:
    """Whether a line is a post of its own, and not the beginning of a document."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and "postID" in record


def _posts_of(events: list[Any], faults: FaultList) -> Iterator[tuple[int, str, Any, Any]]:
    for at, event in enumerate(events):
        name = _first(event, EVENT_KEYS) if isinstance(event, dict) else None
        posts = event.get("tweets") if isinstance(event, dict) else None
        if not isinstance(posts, list):
            faults.add(None, f'events[{at}]: no list of "tweets"', FORMS, "record-format")
            continue
        for number, post in enumerate(posts):
            yield 0, f"events[{at}].tweets[{number}]", name, post
