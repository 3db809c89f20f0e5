"""Files of timelines as others write them, as entries: a day and its sentences.

jsonl      [["2010-09-19T00:00:00", ["sentence", …]], …], one timeline a line (news-tls, CHRONOS),
           or over several lines; [{"start": "2010-09-19", "summary": "…"}, …];
           {"topic": …, "timeline": [[date, [sentence, …]], …]}, one a line
text       a line 2010-09-19, lines of sentences, a line of 32 dashes (tilse, Timeline17)
markdown   a line [2010-09-19], lines of sentences, a line ---
rows       2010-09-19,"['sentence', …]": a date and a Python list, divided by a comma
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tseval.families.timelines.dates import CURE, day_of, strict_day
from tseval.files import json_text
from tseval.files.csv_fields import long_fields
from tseval.files.faults import FaultList
from tseval.files.inputs import Input
from tseval.files.jsonl import HALF, HALVES_CURE, holds_half
from tseval.files.limits import LINE
from tseval.files.tsv import BYTE_ORDER_MARK, UTF8_CURE, not_utf8
from tseval.records import frozen

JSON, TEXT, MARKDOWN, ROWS = "timeline-json", "timeline-text", "timeline-markdown", "timeline-rows"
FORMS = (JSON, TEXT, MARKDOWN, ROWS)
"""The names by which `--input-format` asks for them."""
DASHES = "-" * 32
JSON_START = re.compile(rb'\s*(\[\s*\]\s*(\n|$)|\[\s*\[\s*\[?\s*"\s*\d{4}|\{.*"timeline"\s*:\s*\[)')
JSON_DAY = re.compile(rb"\s*\[\s*\{([^{}]*)")
DATED, SAID = re.compile(rb'"(start|date)"\s*:'), re.compile(rb'"(summary|text)"')
TEXT_END = re.compile(rb"^[^\S\n]*-{32}[^\S\n]*$", re.MULTILINE)
MARKDOWN_DAY = re.compile(r"\s*\[(\d{4}-\d{1,2}-\d{1,2})\]\s*(.*)", re.ASCII)
MARKDOWN_START = re.compile(rb"^[ \t]*\[\d{4}-\d{1,2}-\d{1,2}\]", re.MULTILINE)
ROWS_START = re.compile(rb"(?:[^\n\[]*\n)?\"?\d{4}-\d{1,2}[^,\n]*,\s*\"?\[")
PAIR_CURE = 'write [["2010-09-19", ["sentence", …]], …]'
JSON_CURE = f"one timeline a line, or one in the whole file: {PAIR_CURE}"
NO_DATE_CURE = "write a line 2010-09-19 above the sentences, and 32 dashes below"
ROWS_CURE = "write a date, a comma and a list: 2010-09-19,\"['sentence', …]\""


@frozen
class Entry:
    """What a timeline says of a day; without a day it is a timeline that says nothing."""

    line: int
    day: int | None = None
    sentences: tuple[str, ...] = ()
    in_list: bool = True
    """False for a summary that is one string where a list of sentences belongs."""
    date: str = ""
    """The date as it is written."""
    topic: str | None = None
    run: str | None = None
    timeline: str | None = None
    number: int = 0
    """Which timeline of its file it belongs to, where that has several, and they may be unnamed."""


@dataclass
class Reading:
    """The entries of a file, and what a reader should know of them."""

    faults: FaultList
    entries: list[Entry] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def form_of(source: Input) -> str | None:
    """The form of a file by its content, one of `FORMS`; None for a plain table."""
    head = source.head().removeprefix(BYTE_ORDER_MARK)
    if JSON_START.match(head) or _begins_with_a_day(head):
        return JSON
    if TEXT_END.search(head):
        return TEXT
    if MARKDOWN_START.search(head):
        return MARKDOWN
    return ROWS if ROWS_START.match(head) else None


def _begins_with_a_day(head: bytes) -> bool:
    """Whether the first of a list is an object with a date, and with what is said of it behind."""
    inside = JSON_DAY.match(head)
    dated = inside and DATED.search(inside[1])
    return bool(inside and dated and SAID.search(inside[1], dated.end()))


def entries_of(source: Input, form: str) -> Reading:
    """Every entry of a file in one of `FORMS`; any fault is an `InputError`."""
    reading = Reading(FaultList(source))
    READERS[form](source.whole_lines(), reading)
    reading.faults.check()
    return reading


def decoded(content: bytes, reading: Reading) -> str:
    """The text of a file; bytes that are not UTF-8 are refused with their line."""
    content = content.removeprefix(BYTE_ORDER_MARK)
    for number, line in enumerate(content.split(b"\n"), start=1):
        reason = not_utf8(line)
        if reason:
            reading.faults.add(number, reason, UTF8_CURE, "encoding")
    reading.faults.check()
    return content.decode()


# JSON.


def read_json(content: bytes, reading: Reading) -> None:
    """Timelines as JSON: one a line, or one over all lines."""
    text = decoded(content, reading)
    documents = _documents(text, reading.faults)
    number = 0
    for line, document in documents:
        if holds_half(document):
            reading.faults.add(line, HALF, HALVES_CURE, "encoding")
        elif document != []:
            own = list(_of_document(document, line, reading.faults))
            number += 1
            if len(documents) > 1:
                own = [replace(each, number=number) for each in own]
            reading.entries += own
    _check_once(reading)


def _check_once(reading: Reading) -> None:
    """Refuse a second timeline of one name."""
    numbers: dict[tuple[str | None, ...], int] = {}
    for each in reading.entries:
        key = each.run, each.topic, each.timeline
        if each.timeline and numbers.setdefault(key, each.number) != each.number:
            numbers[key] = each.number
            reason = f'a second timeline "{each.timeline}"'
            cure = "give each timeline an id of its own"
            reading.faults.add(each.line, reason, cure, "duplicate-id")


def _documents(text: str, faults: FaultList) -> list[tuple[int, Any]]:
    """What stands in each line, or in all of them together, with the line where it begins."""
    found: list[tuple[int, Any]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found.append((number, json_text.load(line.encode())))
        except json_text.DoubledKey as error:
            faults.add(number, str(error), json_text.KEY_CURE, "duplicate-key")
        except (ValueError, RecursionError) as error:
            whole = None if found else _whole(text)
            if whole is not None:
                return [(number, whole)]
            faults.add(number, f"not JSON: {error}", JSON_CURE, "json-syntax")
    return found


def _whole(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _of_document(document: Any, line: int, faults: FaultList) -> Iterator[Entry]:
    """The entries of one timeline, or of several in one list, or of an object with its topic."""
    if isinstance(document, dict) and "timeline" in document:
        topic = _name(document, "topic", "query_id", "topic_id", "event")
        run, name = _name(document, "run", "run_id"), _name(document, "id")
        for each in list(_of_document(document["timeline"], line, faults)) or [Entry(line)]:
            yield replace(each, topic=topic, run=run, timeline=name)
    elif isinstance(document, list) and all(_is_timeline(each) for each in document):
        for number, each in enumerate(document, start=1):
            for entry in _of_document(each, line, faults):
                yield replace(entry, timeline=str(number))
    elif isinstance(document, list):
        yield from filter(None, (_of_pair(each, line, faults) for each in document))
    else:
        faults.add(line, "no timeline", JSON_CURE, "record-format")


def _is_timeline(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], list)


def _name(document: dict[str, Any], *keys: str) -> str | None:
    return next((str(document[key]) for key in keys if document.get(key) is not None), None)


def _of_pair(value: Any, line: int, faults: FaultList) -> Entry | None:
    """An entry of a date and sentences, or of an object with a start and a summary."""
    if isinstance(value, dict):
        value = [_name(value, "start", "date"), [value.get("summary", value.get("text"))]]
        summary = value[1][0]
        value[1] = summary if isinstance(summary, list) else [summary]
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], str):
        faults.add(line, f"no date with its sentences: {_shown(value)}", PAIR_CURE, "record-format")
        return None
    date, summary = value
    sentences = summary if isinstance(summary, list) else [summary]
    if not all(isinstance(each, str) for each in sentences):
        faults.add(line, f'the sentences of "{date}" are no strings', PAIR_CURE, "record-format")
        return None
    day = day_of(date)
    if day is None:
        faults.add(line, f'"{date}" is not a date', CURE, "date-format")
        return None
    return Entry(line, day, tuple(sentences), isinstance(summary, list), date)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 80 else text[:79] + "…"


# Text.


def read_text(content: bytes, reading: Reading) -> None:
    """The blocks of a file, each with its date; what is not UTF-8 is read as U+FFFD.

    The last line of a block that is a date counts. Text below the last dashes is no block.
    """
    block: list[str] = []
    day, date, first = None, "", 0
    lines = content.decode("utf-8", "replace").split("\n")
    for number, whole in enumerate(lines, start=1):
        for line in map(str.strip, whole.splitlines() or [""]):
            first = first or (number if line else 0)
            found = strict_day(line)
            if line == DASHES:
                if day is None:
                    reason = "a block without a date"
                    reading.faults.add(first or number, reason, NO_DATE_CURE, "date-format")
                sentences = "\n".join(block).strip().split("\n")
                reading.entries.append(Entry(first, day, tuple(sentences), date=date))
                block, day, date, first = [], None, "", 0
            elif found is None:
                block.append(line)
            else:
                day, date = found, line
    if day is not None or any(block):
        reading.remarks.append("what stands below the last line of 32 dashes is left out")


# Markdown.


def read_markdown(content: bytes, reading: Reading) -> None:
    """Days in brackets, each with the lines below it up to the next day, or up to `---`."""
    entry: Entry | None = None
    below: list[str] = []
    for number, line in enumerate(decoded(content, reading).split("\n"), start=1):
        found = MARKDOWN_DAY.fullmatch(line.rstrip("\r"))
        text = line.strip()
        if found is not None or text.startswith("---"):
            reading.entries += _with_sentences(entry, below)
            entry, below = None, []
        if found is not None:
            day = day_of(found[1])
            if day is None:
                reading.faults.add(number, f'"{found[1]}" is not a date', CURE, "date-format")
            entry = Entry(number, day, (found[2],) if found[2] else (), date=found[1])
        elif entry is not None and text and not text.startswith("---"):
            below.append(text.removeprefix("- "))
    reading.entries += _with_sentences(entry, below)


def _with_sentences(entry: Entry | None, more: list[str]) -> list[Entry]:
    """The entry, if there is one, with the sentences that stand below its line."""
    return [] if entry is None else [replace(entry, sentences=(*entry.sentences, *more))]


# Dates and Python lists.


def read_dated_rows(content: bytes, reading: Reading) -> None:
    """A date and a list of sentences a row; a first row without a date is a header."""
    with long_fields(LINE.most):
        rows = list(_rows(decoded(content, reading), reading.faults))
    for at, (line, row) in enumerate(rows):
        day = day_of(row[0]) if row else None
        if day is not None and len(row) == 2:
            sentences = _literal(row[1])
            if sentences is None:
                reason = "no list of strings behind the date"
                reading.faults.add(line, reason, ROWS_CURE, "record-format")
            else:
                reading.entries.append(Entry(line, day, sentences, date=row[0]))
        elif row and at:
            reading.faults.add(line, "no date with a list", ROWS_CURE, "record-format")


def _rows(text: str, faults: FaultList) -> Iterator[tuple[int, list[str]]]:
    """The rows with their lines, up to one that is no CSV."""
    rows = csv.reader(io.StringIO(text))
    line = 1
    try:
        for row in rows:
            yield line, row
            line = rows.line_num + 1
    except csv.Error as error:
        if "limit" in str(error):
            reason = f"begins a field that is as long as {LINE.reason}"
            faults.add(line, reason, LINE.cure, "too-large")
        else:
            faults.add(line, f"no CSV: {error}", ROWS_CURE, "csv-syntax")


def _literal(text: str) -> tuple[str, ...] | None:
    """The strings of a list as Python writes it."""
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    is_list = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return tuple(value) if is_list else None


READERS: dict[str, Callable[[bytes, Reading], None]] = {
    JSON: read_json,
    TEXT: read_text,
    MARKDOWN: read_markdown,
    ROWS: read_dated_rows,
}
