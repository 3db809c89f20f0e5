"""The files of timelines: the plain table, and files of other programs as entries of days.

timeline-json      [["2010-09-19T00:00:00", ["sentence", …]], …], one timeline a line (news-tls,
                   CHRONOS), or over several lines; [{"start": "2010-09-19", "summary": "…"}, …];
                   {"topic": …, "timeline": [[date, [sentence, …]], …]}, one a line
timeline-text      a line 2010-09-19, lines of sentences, a line of 32 dashes (tilse, Timeline17)
timeline-markdown  a line [2010-09-19], lines of sentences, a line ---
timeline-rows      2010-09-19,"['sentence', …]": a date and a Python list, divided by a comma
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tseval.core.wording import count, listed
from tseval.io import json_text, tables
from tseval.io.cells import BYTE_ORDER_MARK
from tseval.io.faults import FaultList, decoded_text
from tseval.io.formats import Import, Imported, NoImportOptions, Rank
from tseval.io.given import is_empty
from tseval.io.inputs import Input
from tseval.io.schema import RUN, TOPIC, Column, Kind, Schema, blank, optional

TEXT_MEANING = "a sentence of the day's summary"
NAME_MEANING = "which of several timelines of the topic; without it that of the file"
ENTRY_MEANING = "1, 2, …: the entry of its date, if a date occurs more than once"
PUBLISHED_MEANING = "the time of the sentence; without it or blank, its day"
TIMELINES = Schema(
    "timelines",
    (
        TOPIC,
        Column("date", Kind.ID, aliases=("day",), meaning="the day: `2010-09-19`"),
        Column("text", Kind.TEXT, aliases=("sentence", "summary"), meaning=TEXT_MEANING),
        RUN,
        optional("timeline", Kind.ID, meaning=NAME_MEANING),
        optional("date_entry", Kind.ID, meaning=ENTRY_MEANING),
        blank("published", Kind.TIME, meaning=PUBLISHED_MEANING),
    ),
    row="a sentence of the summary of a day",
)
TIMELINE = ("run", "topic", "file", "timeline")
"""What tells timelines apart."""
COLUMNS = ("topic", "timeline", "date", "text", "date_entry")
"""What an imported table has; the last if a date stands more than once."""
UNNAMED = "timeline"
"""What the topic is called where no file names one."""
STRICT = re.compile(r"\d{4}-\d{1,2}-\d{1,2}", re.ASCII)
"""How the text form writes a day; months and days may have one digit."""
LOOSE = re.compile(
    r"(?P<year>\d{4})(?:-?(?P<month>\d{2})-?(?P<day>\d{2})|-(?P<m>\d{1,2})(?:-(?P<d>\d{1,2}))?)?"
    r"\s*(?:[T\s]\d{1,2}:.*)?",
    re.ASCII,
)
EPOCH = date(1970, 1, 1)
CURE = "write the day as year, month and day: 2010-09-19"
DASHES = "-" * 32
JSON_START = re.compile(
    rb'\s*(\[\s*\]\s*(\n|$)|\[\s*\[\s*\[?\s*"\s*\d{4}|\{.*"timeline"\s*:\s*\['
    rb'|\[\s*\{(?>[^{}]*?"(?:start|date)"\s*:)[^{}]*?"(?:summary|text)")'
)
TEXT_END = re.compile(rb"^[^\S\n]*-{32}[^\S\n]*$", re.MULTILINE)
MARKDOWN_DAY = re.compile(r"\s*\[(\d{4}-\d{1,2}-\d{1,2})\]\s*(.*)", re.ASCII)
MARKDOWN_START = re.compile(rb"^[ \t]*\[\d{4}-\d{1,2}-\d{1,2}\]", re.MULTILINE)
ROWS_START = re.compile(rb"(?:[^\n\[]*\n)?\"?\d{4}-\d{1,2}[^,\n]*,\s*\"?\[")
PAIR_CURE = 'write [["2010-09-19", ["sentence", …]], …]'
JSON_CURE = f"one timeline a line, or one in the whole file: {PAIR_CURE}"
NO_DATE_CURE = "write a line 2010-09-19 above the sentences, and 32 dashes below"
ROWS_CURE = "write a date, a comma and a list: 2010-09-19,\"['sentence', …]\""


def day_of(text: str) -> tuple[int, bool] | None:
    """Return the number of a day since 1970 and whether the date names it; None if it is none.

    Time and zone are cut off. Without a day, or a month too, it is the first of them.
    """
    parts = LOOSE.fullmatch(text.strip())
    if parts is None:
        return None
    month, day = parts["month"] or parts["m"], parts["day"] or parts["d"]
    with suppress(ValueError):
        first = date(int(parts["year"]), int(month or 1), int(day or 1))
        return (first - EPOCH).days, day is not None
    return None


def date_of(day: str = "day") -> pl.Expr:
    """Return a column of days as year, month and day."""
    return pl.col(day).cast(pl.Int32).cast(pl.Date).dt.to_string("%Y-%m-%d")


class Entry(NamedTuple):
    """What a timeline says of a day; without a date it is a timeline that says nothing."""

    line: int
    date: str | None = None
    sentences: Sequence[str] = ()
    in_list: bool = True
    """False for a summary that is one string where a list of sentences belongs."""
    topic: str | None = None
    run: str | None = None
    timeline: str | None = None
    number: int = 0
    """Which timeline of its file it belongs to, where that has several, and they may be unnamed."""


def rows_of(entries: Sequence[Entry], note: str | None = None) -> tables.TrackRows:
    """Return a row a sentence; an entry without a sentence, or without a date, is a row too."""
    names = ("line", "date", "text", "in_list", "topic", "run", "timeline", "number")
    types: dict[str, Any] = dict.fromkeys(names, pl.String)
    types |= {"line": int, "text": pl.List(pl.String), "in_list": bool, "number": int}
    rows = [
        each._replace(sentences=[s.strip() for s in each.sentences] or [""]) for each in entries
    ]
    frame = pl.DataFrame(rows or [Entry(1, sentences=[""])], schema=types, orient="row")
    frame = frame.with_columns(pl.col("topic", "run", "timeline").replace("", None))
    return tables.TrackRows(frame.with_row_index("entry").explode("text"), note)


def read_json(source: Input, faults: FaultList) -> tables.TrackRows:
    """Read timelines as JSON, one a line, or one over all lines; none has the name of another."""
    documents = list(json_text.documents(source, faults, JSON_CURE))
    filled = [each for each in documents if each[1] != []]
    entries, numbers = list[Entry](), dict[Any, int]()
    for number, (line, document) in enumerate(filled, start=len(documents) > 1):
        for each in entries_in(document, line, faults):
            name = each.run, each.topic, each.timeline
            if each.timeline and numbers.setdefault(name, number) != number:
                numbers[name] = number
                reason, cure = f'a second timeline "{each.timeline}"', "give each an id of its own"
                faults.add(line, reason, cure, "duplicate-id")
            entries.append(each._replace(number=number))
    return rows_of(entries)


def entries_in(document: Any, line: int, faults: FaultList) -> Iterator[Entry]:
    """Yield the entries of a timeline, of several in one list, or of an object with its topic."""
    is_list = isinstance(document, list)
    if isinstance(document, dict) and "timeline" in document:
        names: dict[str, Any] = {
            "topic": name_in(document, "topic", "query_id", "topic_id", "event"),
            "run": name_in(document, "run", "run_id"),
            "timeline": name_in(document, "id"),
        }
        for each in list(entries_in(document["timeline"], line, faults)) or [Entry(line)]:
            yield each._replace(**names)
    elif is_list and all(isinstance(e, list) and e and isinstance(e[0], list) for e in document):
        for number, timeline in enumerate(document, start=1):
            for each in entries_in(timeline, line, faults):
                yield each._replace(timeline=str(number))
    elif is_list:
        for each in document:
            yield from entry_of(each, line, faults)
    else:
        faults.add(line, "no timeline", JSON_CURE, "record-format")


def name_in(document: dict[str, Any], *keys: str) -> str | None:
    """Return the first of these keys that an object has."""
    return next((str(document[key]) for key in keys if document.get(key) is not None), None)


def entry_of(value: Any, line: int, faults: FaultList) -> Iterator[Entry]:
    """Yield the entry of a date and sentences, or of an object with a start and a summary."""
    if isinstance(value, dict):
        summary = value.get("summary", value.get("text"))
        day = name_in(value, "start", "date")
        value = [day, summary if isinstance(summary, list) else [summary]]
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], str):
        text = json.dumps(value, ensure_ascii=False)
        reason = f"no date with its sentences: {text if len(text) < 80 else text[:79] + '…'}"
        faults.add(line, reason, PAIR_CURE, "record-format")
        return
    day, summary = value
    is_list = isinstance(summary, list)
    sentences = summary if is_list else [summary]
    if all(isinstance(each, str) for each in sentences):
        yield Entry(line, day, sentences, is_list)
    else:
        faults.add(line, f'the sentences of "{day}" are no strings', PAIR_CURE, "record-format")


def read_text(source: Input, faults: FaultList) -> tables.TrackRows:
    """Read the blocks of a file, each with its date; what is not UTF-8 is read as U+FFFD.

    The last line of a block that is a date counts. Text below the last dashes is no block.
    """
    entries, block, day, first = list[Entry](), list[str](), None, 0
    lines = source.complete_lines().decode("utf-8", "replace").split("\n")
    for number, whole in enumerate(lines, start=1):
        for line in map(str.strip, whole.splitlines() or [""]):
            first = first or (number if line else 0)
            if line == DASHES:
                if day is None:
                    reason = "a block without a date"
                    faults.add(first or number, reason, NO_DATE_CURE, "date-format")
                entries.append(Entry(first, day, "\n".join(block).strip().split("\n")))
                block, day, first = [], None, 0
            elif STRICT.fullmatch(line) and day_of(line):
                day = line
            else:
                block.append(line)
    lost = f"{source.path}: what stands below the last line of 32 dashes is left out"
    return rows_of(entries, lost if day is not None or any(block) else None)


def read_markdown(source: Input, faults: FaultList) -> tables.TrackRows:
    """Read days in brackets, each with the lines below it up to the next day, or to `---`."""
    entries, sentences = list[Entry](), list[str]()
    for number, line in enumerate(decoded_text(source, faults).split("\n"), start=1):
        day, text = MARKDOWN_DAY.fullmatch(line.rstrip("\r")), line.strip()
        if day is not None:
            sentences = [day[2]] if day[2] else []
            entries.append(Entry(number, day[1], sentences))
        elif text.startswith("---"):
            sentences = []
        elif text:
            sentences.append(text.removeprefix("- "))
    return rows_of(entries)


def read_dated_rows(source: Input, faults: FaultList) -> tables.TrackRows:
    """Read a date and a list of sentences a row; a first row without a date is a header."""
    entries, line = list[Entry](), 1
    rows = csv.reader(io.StringIO(decoded_text(source, faults)))
    try:
        for at, row in enumerate(rows):
            if len(row) == 2 and day_of(row[0]):
                sentences = strings_in(row[1])
                if sentences is None:
                    reason = "no list of strings behind the date"
                    faults.add(line, reason, ROWS_CURE, "record-format")
                else:
                    entries.append(Entry(line, row[0], sentences))
            elif row and at:
                faults.add(line, "no date with a list", ROWS_CURE, "record-format")
            line = rows.line_num + 1
    except csv.Error as error:
        faults.add(line, f"no CSV: {error}", ROWS_CURE, "csv-syntax")
    return rows_of(entries)


def strings_in(text: str) -> list[str] | None:
    """Return the strings of a list as Python writes it."""
    with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
        value = ast.literal_eval(text.strip())
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return [each.encode(errors="replace").decode() for each in value]
    return None


def check_dates(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Read the dates; a table has all columns then that files of other programs have."""
    entry = pl.col("date_entry").rank("dense") if "date_entry" in frame.columns else pl.lit(0)
    none = {"timeline": pl.lit(None, pl.String), "published": pl.lit(None, pl.Float64)}
    none |= {"number": pl.lit(0), "in_list": pl.lit(True), "entry": entry}
    frame = frame.with_columns(**{n: none[n] for n in none if n not in frame.columns})
    days = {each: day_of(each) for each in frame["date"].drop_nulls().unique()}
    numbers, wholes = ({each: day and day[at] for each, day in days.items()} for at in (0, 1))
    written = pl.col("date")
    frame = frame.with_columns(
        pl.col("number", "entry").cast(pl.Int64),
        day=written.replace_strict(numbers, default=None, return_dtype=pl.Int64),
        is_whole=written.replace_strict(wholes, default=None, return_dtype=pl.Boolean),
    )
    wrong = frame.filter(written.is_not_null() & pl.col("day").is_null())
    wrong = wrong.unique(["line", "entry"], keep="first", maintain_order=True)
    tables.add_faults(faults, wrong, '"{date}" is not a date', CURE, "date-format")
    return frame


def check_gold(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Check references, of which no topic may have the name of the mean over topics."""
    return tables.check_topics(check_dates(frame, faults), faults)


def find_remarks(table: tables.Table) -> Iterator[str]:
    """Yield what a reader should know of how the files of a table were read."""
    yield from table.notes
    for at, source in enumerate(table.sources):
        rows = table.frame.filter(pl.col("file") == at)
        if strings := rows.filter(~pl.col("in_list"))["entry"].n_unique():
            noun = count(strings, "string")
            yield f"{source.path}: {noun} in the place of lists of sentences (--rule strings)"
        if dates := rows.filter(~pl.col("is_whole"))["date"].unique(maintain_order=True).to_list():
            what = "without a day, read as the first of the month or year"
            yield f"{source.path}: {count(len(dates), 'date')} {what}: {listed(dates)}"
        first = pl.col("entry").first().over(*TIMELINE, "number", "day")
        again = rows.drop_nulls("day").filter(pl.col("entry") != first)
        if dates := again.select(date_of()).to_series().unique(maintain_order=True).to_list():
            what = "more than once in a timeline (--rule duplicates)"
            yield f"{source.path}: {count(len(dates), 'date')} {what}: {listed(dates)}"


def name_timelines(frame: pl.DataFrame, files: Sequence[str]) -> pl.DataFrame:
    """Name timelines without a name after their file, with their number if it has several."""
    names = pl.Series(files, dtype=pl.String).gather(frame["file"])
    numbers = frame["number"].cast(pl.String)
    several = pl.when(frame["number"] > 0).then(names + ":" + numbers).otherwise(names)
    return frame.with_columns(timeline=pl.col("timeline").fill_null(several))


def import_timelines(paths: Sequence[str], _: NoImportOptions) -> Imported:
    """Return timelines of other programs; a file without topics has that of its name."""
    parts, warnings = list[pl.DataFrame](), list[str]()
    for path in paths:
        table, name = tables.read([path], RUNS), Path(path).name
        warnings += find_remarks(table)
        frame = name_timelines(table.frame, [name])
        has_topics = frame["topic"].null_count() < frame.height
        topic = pl.col("topic").fill_null(UNNAMED if has_topics else name.partition(".")[0])
        rows = frame.with_columns(topic=topic).drop_nulls("day").with_row_index("row")
        own = [*TIMELINE, "day"]
        rows = rows.with_columns(date=date_of(), row=pl.col("row").min().over(*own, "entry"))
        number = pl.col("row").rank("dense").over(own)
        parts.append(rows.with_columns(date_entry=number.cast(pl.String)))
        if lost := frame.height - rows.height:
            noun = count(lost, "timeline")
            warnings.append(f"{path}: left out {noun} without dates, which a table cannot hold")
    rows = pl.concat([part.select(COLUMNS) for part in parts])
    names = COLUMNS if set(rows["date_entry"]) - {"1"} else COLUMNS[:-1]
    return Imported({name: rows[name].to_list() for name in names}, tuple(warnings))


def looks_like(matches: Callable[[bytes], object], source: Input) -> bool:
    """Return whether the beginning of a file matches."""
    return matches(source.head().removeprefix(BYTE_ORDER_MARK)) is not None


def looks_like_text(source: Input) -> bool:
    """Return whether a file is read as text; without a byte it is a timeline without dates."""
    return is_empty(source) or looks_like(TEXT_END.search, source)


def track(form: str, matches: Callable[[bytes], object], **more: Any) -> tables.TrackFile:
    """Return a form of files that the beginning tells."""
    recognise = partial(looks_like, matches)
    return tables.TrackFile(recognise=recognise, forms=(form,), rank=Rank.LIKELY, **more)


RUNS = tables.TableReader(
    schema=TIMELINES,
    tracks=(
        track("timeline-json", JSON_START.match, read=read_json),
        track("timeline-text", TEXT_END.search, read=read_text, applies=looks_like_text),
        track("timeline-markdown", MARKDOWN_START.search, read=read_markdown),
        track("timeline-rows", ROWS_START.match, read=read_dated_rows),
    ),
    check=check_dates,
    remarks=lambda table: ((each, False) for each in find_remarks(table)),
    imports=(
        Import(
            "timelines",
            "timelines as JSON lines, text, Markdown, dates and lists",
            import_timelines,
        ),
    ),
)
GOLD = replace(RUNS, check=check_gold)
FORMATS = RUNS.formats
"""Files of timelines, for `tseval validate` and `tseval import`."""
