"""Reading timelines: the plain table, and the files of other programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.wording import count, listed
from tseval.families.timelines.dates import CURE, day_of, is_whole, written
from tseval.families.timelines.forms import FORMS, TEXT, Entry, entries_of, form_of
from tseval.families.timelines.tables import TIMELINES, UNNAMED, Timelines
from tseval.files.formats import Format
from tseval.files.frames import run_names
from tseval.files.imports import Import, Imported, NothingAsked
from tseval.files.inputs import Each, Input
from tseval.files.plain import Rows
from tseval.files.reading import (
    input_of,
    is_empty,
    names_of,
    refuse,
    refuse_all,
    refuse_where,
    rows_of,
)
from tseval.tables import ABSENT, Ids, InputRecord, Origin
from tseval.tables.columns import Texts

if TYPE_CHECKING:
    from tseval.files.reading import Given

EMPTY_CURE = "without a timeline there is nothing to score against"


def read_runs(given: Sequence[Given], form: str | None = None, each: Each = map) -> Timelines:
    """One or more runs as one table; where nothing names its run, it is called as its file."""
    inputs = [input_of(one, TIMELINES) for one in given]
    return Timelines.join(list(each(partial(read_timelines, form=form), inputs, run_names(inputs))))


def read_gold(given: Sequence[Given], form: str | None = None) -> Timelines:
    """The references of all files; no topic may be called as the mean is.

    An empty file beside others is a reference without dates.
    """
    inputs = [input_of(one, TIMELINES) for one in given]
    if all(map(is_empty, inputs)):
        refuse(inputs[0], "is empty", EMPTY_CURE, "empty-file")
    tables = []
    for source, name in zip(inputs, run_names(inputs), strict=True):
        table = read_timelines(source, name, form)
        refuse_all(source, table, table.topic)
        tables.append(table)
    return Timelines.join(tables)


def is_timeline(source: Input) -> bool:
    """Whether a file holds timelines, by its content."""
    if form_of(source) is not None:
        return True
    return not TIMELINES.missing(names_of(source))


def read_timelines(source: Input, name: str, form: str | None = None) -> Timelines:
    """One file, by the form that is asked for or that its content shows."""
    if not source.is_table:
        found = form if form is not None else TEXT if is_empty(source) else form_of(source)
        if found in FORMS:
            reading = entries_of(source, found)
            entries = reading.entries or [Entry(1)]
            remarks = [f"{source.path}: {each}" for each in reading.remarks]
            return _of_entries(source, entries, name, [*remarks, *_remarks(source, entries)])
    return _of_rows(source, rows_of(source, TIMELINES, form), name)


# From rows of a plain table.


def _of_rows(source: Input, rows: Rows, name: str) -> Timelines:
    dates: Ids = rows.get("date")
    vocabulary = dates.vocabulary()
    known = [day_of(each) for each in vocabulary]
    codes = np.array([ABSENT if day is None else day for day in known], np.int64)
    day = codes[dates.codes]
    wrong, reason = day == ABSENT, '"{}" is not a date'
    refuse_where(source, rows.origin, wrong, dates, reason, CURE, "date-format")
    number = len(day)
    timeline, entry = rows.get("timeline"), rows.get("date_entry")
    columns = rows.columns | {
        "timeline": Ids.constant(name, number) if timeline is None else timeline,
        "day": day,
        "entry": np.zeros(number, np.int64) if entry is None else entry.codes,
        "in_list": np.ones(number, bool),
    }
    table = Timelines.of(columns, rows.origin, name)
    partial_dates = [each for each in vocabulary if not is_whole(each)]
    remarks = (*_repeated_dates(source, table), *_of_parts(source, partial_dates))
    return replace(table, remarks=remarks)


# From entries.


def _of_entries(
    source: Input, entries: Sequence[Entry], name: str, remarks: Sequence[str]
) -> Timelines:
    """A row a sentence; an entry without one, or without a day, is a row too."""
    rows = [
        (entry, at, sentence.strip())
        for at, entry in enumerate(entries)
        for sentence in entry.sentences or ("",)
    ]
    line = np.array([entry.line for entry, _, _ in rows], np.int64)
    record = InputRecord(source.path, lambda: source.sha256, len(rows))
    table = Timelines(
        run=Ids.of([source.run_name or entry.run or name for entry, _, _ in rows]),
        topic=Ids.of([entry.topic or UNNAMED for entry, _, _ in rows]),
        timeline=Ids.of([_timeline(entry, name) for entry, _, _ in rows]),
        day=np.array([ABSENT if e.day is None else e.day for e, _, _ in rows], np.int64),
        entry=np.array([at for _, at, _ in rows], np.int64),
        in_list=np.array([entry.in_list for entry, _, _ in rows], bool),
        text=Texts.of([sentence for _, _, sentence in rows]),
        origin=Origin.single(record, line),
        has_topics=any(each.topic is not None for each in entries),
    )
    return replace(table, remarks=(*remarks, *_repeated_dates(source, table)))


def _timeline(entry: Entry, name: str) -> str:
    """What the timeline of an entry is called: by its own name, else by that of its file."""
    return entry.timeline or (f"{name}:{entry.number}" if entry.number else name)


def _remarks(source: Input, entries: Sequence[Entry]) -> Iterator[str]:
    """What a reader should know of how entries were read."""
    strings = sum(not each.in_list for each in entries)
    if strings:
        noun = count(strings, "string")
        yield f"{source.path}: {noun} in the place of lists of sentences (--rule strings)"
    yield from _of_parts(source, [each.date for each in entries if each.day is not None])


def _entry_numbers(table: Timelines) -> list[int]:
    """Return for each row which entry of its date in its timeline it belongs to, from 1 on."""
    names = (table.run.codes, table.topic.codes, table.timeline.codes, table.day)
    seen: dict[tuple[int, ...], dict[int, int]] = {}
    keys = zip(*(each.tolist() for each in names), strict=True)
    places = (seen.setdefault(key, {}) for key in keys)
    rows = zip(places, table.entry.tolist(), strict=True)
    return [own.setdefault(entry, len(own) + 1) for own, entry in rows]


def _repeated_dates(source: Input, table: Timelines) -> Iterator[str]:
    """Name the dates that stand more than once in a timeline."""
    again = table.day[(np.array(_entry_numbers(table)) > 1) & (table.day != ABSENT)].tolist()
    if again:
        dates = list(dict.fromkeys(map(written, again)))
        noun = count(len(dates), "date")
        told = listed(dates)
        yield f"{source.path}: {noun} more than once in a timeline (--rule duplicates): {told}"


def _of_parts(source: Input, dates: Iterable[str]) -> Iterator[str]:
    """A word on dates that name no day."""
    partial_dates = list(dict.fromkeys(each for each in dates if not is_whole(each)))
    if partial_dates:
        noun = count(len(partial_dates), "date")
        said = listed(partial_dates)
        yield f"{source.path}: {noun} without a day, read as the first of the month or year: {said}"


# For `tseval validate` and `tseval import`.


def imported(paths: Sequence[str], _: NothingAsked) -> Imported:
    """Timelines of other programs; a file without topics is of the topic that it is called as."""
    names = ("topic", "timeline", "date", "text", "date_entry")
    columns: dict[str, list[str]] = {name: [] for name in names}
    remarks: list[str] = []
    for path in paths:
        table = read_timelines(Input(path), Path(path).name)
        rows = np.flatnonzero(table.day != ABSENT)
        own = Path(path).name.partition(".")[0]
        topics = table.topic.rows(rows).to_list() if table.has_topics else [own] * len(rows)
        columns["topic"] += topics
        columns["timeline"] += table.timeline.rows(rows).to_list()
        columns["date"] += map(written, table.day[rows].tolist())
        columns["text"] += [table.text[row] for row in rows.tolist()]
        entries = _entry_numbers(table)
        columns["date_entry"] += [str(entries[row]) for row in rows.tolist()]
        remarks += table.remarks
        if len(rows) < len(table.day):
            lost = count(len(table.day) - len(rows), "timeline")
            remarks.append(f"{path}: left out {lost} without dates, which a table cannot hold")
    if not set(columns["date_entry"]) - {"1"}:
        del columns["date_entry"]
    return Imported(dict(columns), tuple(remarks))


FORMATS = (
    Format(
        TIMELINES.table,
        lambda source, form, _: read_timelines(source, source.name, form),
        lambda source: form_of(source) is not None,
        forms=FORMS,
        remarks=lambda table: ((each, False) for each in table.remarks),
        imports=(
            Import(
                "timelines", "timelines as JSON lines, text, Markdown, dates and lists", imported
            ),
        ),
    ),
)
"""Files of timelines, for `tseval validate` and `tseval import`."""
