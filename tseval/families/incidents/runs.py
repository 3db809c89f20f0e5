"""The runs of incident streams, and the topics files of the track.

2018      event Q0 post rank importance type tag
2019      the same with a JSON list of types, such as ["Report-News", "Other-Advice"]
2020      the same with a list of numbers, one a type in alphabetical order
2021      JSON lines {"topic", "runtag", "tweet_id", "priority", "info_type_scores": […],
          "info_type_labels": […]}, the lists with one number a type in alphabetical order
proposal  JSON lines {"EventID", "ID", "PostTimestamp", "InformationTypes": [{"id",
          "confidence"}], …}
plain     a table `topic post_id priority [types] [run] [rank] [time]`
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.errors import UsageError
from tseval.families.incidents.labels import named_types
from tseval.families.incidents.tables import PREDICTIONS, TOLD, Predictions, TypeNames
from tseval.files.faults import FaultList
from tseval.files.given import input_of, is_empty, run_names
from tseval.files.inputs import Each, Input
from tseval.files.jsonl import objects
from tseval.files.plain import recognise, record_of
from tseval.files.reading import check_between_files, rows_of
from tseval.files.text_lines import text_lines
from tseval.files.tsv import BYTE_ORDER_MARK
from tseval.records import frozen
from tseval.tables import Ids, InputRecord, Origin, Texts
from tseval.tables.times import TOO_LARGE, NotANumber, implausible, number, why_implausible

if TYPE_CHECKING:
    from tseval.files.given import Given

FIELDS = ("event", "Q0", "post", "rank", "importance", "types", "tag")
LINE_CURE = f"a line of a run is: {' '.join(FIELDS)}"
TRACK, LINES, PROPOSAL, PLAIN = "track", "lines", "proposal", "plain"
"""The kinds of runs: fields, JSON lines of 2021, JSON lines of the proposal, plain tables."""
TRACK_KEYS = ("tweet_id", "info_type_labels")
PROPOSAL_KEYS = ("InformationTypes", "EventID")


@frozen
class RunReading:
    """How runs are read."""

    types: TypeNames
    emitted_from: float
    """From which number on a type of a vector, or of the proposal's confidences, is given."""
    form: str | None = None
    details: bool = False
    """Whether the numbers of types and the texts of posts are kept, which no score needs."""


@dataclass
class RunLines:
    """The lines of a run in the order of its file, and what is wrong with it."""

    faults: FaultList
    run: list[str] = field(default_factory=list)
    event: list[str] = field(default_factory=list)
    post: list[str] = field(default_factory=list)
    rank: list[float] = field(default_factory=list)
    priority: list[float] = field(default_factory=list)
    types: list[Sequence[str]] = field(default_factory=list)
    time: list[float] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    weights: list[Mapping[str, float]] = field(default_factory=list)
    """The numbers of each line's types, where the reading keeps them."""
    text: list[str] = field(default_factory=list)

    def table(self, reading: RunReading) -> Predictions:
        """The lines as a table; any fault is raised."""
        self.faults.check()
        source = self.faults.source
        record = record_of(source, PREDICTIONS, len(self.lines))
        return Predictions(
            run=Ids.of(self.run),
            event=Ids.of(self.event),
            post_id=Ids.of(self.post),
            priority=np.array(self.priority, np.float64),
            types=reading.types.matrix(self.types),
            rank=np.array(self.rank, np.float64),
            time=np.array(self.time, np.float64) if self.time else None,
            origin=Origin.single(record, np.array(self.lines, np.int64)),
            confidence=reading.types.weights(self.weights) if self.weights else None,
            text=Texts.of(self.text) if self.text else None,
        )


def read_predictions(given: Sequence[Given], reading: RunReading, each: Each = map) -> Predictions:
    """One or more runs as one table. A file without a byte is an empty run.

    `each` reads one run after the other, or has them read somewhere else.
    """
    inputs = [input_of(one, PREDICTIONS) for one in given]
    parts = []
    for part, met in each(partial(_counted, reading=reading), inputs, run_names(inputs)):
        reading.types.add(met)
        parts.append(part)
    said = Predictions.join(parts, some_times=reading.details)
    key = (said.run, said.event, said.post_id)
    check_between_files(said, inputs, key, partial(_stands_in_two_files, said))
    return said


def _counted(source: Input, name: str, reading: RunReading) -> tuple[Predictions, TypeNames]:
    """A run, with the count of its types by themselves."""
    own = replace(reading, types=reading.types.anew())
    return _predictions(source, name, own), own.types


def _stands_in_two_files(said: Predictions, row: int) -> str:
    """A run may repeat a post, but not in another file: there two runs have one name."""
    return f'post "{said.post_id[row]}" stands in two files of run "{said.run[row]}"'


def kind_of(source: Input, form: str | None = None) -> str | None:
    """Which kind of run an input is by its first bytes; None if it is none."""
    if source.is_table or form is not None:
        return PLAIN
    found, names = recognise(source)
    for kind, keys in ((LINES, TRACK_KEYS), (PROPOSAL, PROPOSAL_KEYS)):
        if found == "jsonl" and all(key in names for key in keys):
            return kind
    if not PREDICTIONS.missing(names):
        return PLAIN
    fields = _first_fields(source)
    numbered = len(fields) > 5 and _is_number(fields[3]) and _is_number(fields[4])
    named = len(fields) > 5 and fields[1] == "Q0"
    return TRACK if (numbered or named) and fields[2] != "Q0" else None


def _first_fields(source: Input) -> list[str]:
    """The words of the first line that has any."""
    head = source.head().removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace")
    return next((line.split() for line in head.split("\n") if line.strip()), [])


def _is_number(text: str) -> bool:
    try:
        number(text)
    except NotANumber:
        return False
    return True


def _predictions(source: Input, name: str, reading: RunReading) -> Predictions:
    if is_empty(source):
        return _named(RunLines(FaultList(source)).table(reading), name)
    kind = kind_of(source, reading.form)
    cut_off = kind is None and _first_fields(source)[1:2] == ["Q0"]
    if kind == TRACK or cut_off:
        return _track_run(source, reading)
    if kind == LINES:
        return _json_run(source, reading)
    if kind == PROPOSAL:
        return _named(_proposal_run(source, reading), name)
    return _plain_run(source, name, reading)


def _named(run: Predictions, name: str) -> Predictions:
    """A run whose file does not say what it is called."""
    constant = Ids.constant(name, len(run))
    return replace(run, run=constant)


# The plain table.


def _plain_run(source: Input, name: str, reading: RunReading) -> Predictions:
    rows = rows_of(source, TOLD if reading.details else PREDICTIONS, reading.form)
    number, rank = len(rows.origin.line), rows.get("rank")
    told = {
        "event": rows.get("topic"),
        "types": reading.types.matrix(named_types(rows.get("types"), number)),
        "rank": np.arange(number, dtype=np.float64) if rank is None else rank,
    }
    return Predictions.of(rows.columns | told, rows.origin, name)


# The track's lines of seven fields.


def _track_run(source: Input, reading: RunReading) -> Predictions:
    listing = RunLines(FaultList(source))
    known: dict[str, Sequence[str]] = {}
    for line, text in text_lines(source, listing.faults):
        fields = text.split(None, 5)
        if not fields:
            continue
        if len(fields) < 6:
            noun = "field" if len(fields) == 1 else "fields"
            reason = f"{len(fields)} {noun} where a run has {len(FIELDS)}"
            listing.faults.add(line, reason, LINE_CURE, "field-count")
            continue
        written, tag = _types_and_tag(fields[5])
        if written not in known:
            known[written] = _types(written, line, listing.faults, reading)
        if reading.details:
            listing.weights.append(_weights(written, reading))
        rank, priority = (_number(fields[at], FIELDS[at], line, listing.faults) for at in (3, 4))
        listing.run.append(tag or source.name)
        listing.event.append(fields[0])
        listing.post.append(fields[2])
        listing.rank.append(rank)
        listing.priority.append(priority)
        listing.types.append(known[written])
        listing.lines.append(line)
    return listing.table(reading)


def _types_and_tag(rest: str) -> tuple[str, str]:
    """The types as written, and the run's tag."""
    if rest.startswith("["):
        inside, end, tag = rest.rpartition("]")
        return (inside + end, tag.strip()) if end else (rest.strip(), "")
    name, _, tag = rest.partition(" ") if " " in rest else rest.partition("\t")
    return name.strip(), tag.strip()


def _types(written: str, line: int, faults: FaultList, reading: RunReading) -> Sequence[str]:
    """The types of a line: one name, a JSON list of names, or a vector of numbers."""
    if not written.startswith("["):
        return (written,)
    try:
        values = json.loads(written.replace("'", '"'))
    except (ValueError, RecursionError):
        values = None
    names = _names(values, reading)
    if names is None:
        cure = 'write a JSON list of names, such as ["Report-News"], or of numbers, one a type'
        reason = f"types {written} are no list of names or of numbers"
        faults.add(line, reason, cure, "record-format")
    return names or ()


def _names(values: Any, reading: RunReading) -> Sequence[str] | None:
    """A list of names as it is, or those that a vector of numbers gives; None if it is neither."""
    if isinstance(values, list) and all(isinstance(each, str) for each in values):
        return values
    if isinstance(values, list) and all(_is_finite(each) for each in values):
        return reading.types.of_vector(values, reading.emitted_from)
    return None


def _weights(written: str, reading: RunReading) -> Mapping[str, float]:
    """The numbers of a line's types, where they are a vector."""
    try:
        values = json.loads(written) if written.startswith("[") else ()
    except (ValueError, RecursionError):
        values = ()
    return reading.types.named(values) if values and all(map(_is_finite, values)) else {}


def _is_finite(value: Any) -> bool:
    """Whether a value of JSON is a number, and none that is too large for a table either."""
    return isinstance(value, int | float) and abs(value) < TOO_LARGE


def _number(text: str, name: str, line: int, faults: FaultList) -> float:
    try:
        return number(text)
    except NotANumber as error:
        faults.add(line, f'{name} "{text}" {error}', LINE_CURE, "number-format")
        return 0.0


# JSON lines.


def _json_run(source: Input, reading: RunReading) -> Predictions:
    listing = RunLines(FaultList(source))
    for line, record in objects(source, listing.faults):
        flags: Any = record.get("info_type_labels")
        fault = _wrong(record, ("topic", "tweet_id"), "priority")
        if not fault and not (isinstance(flags, list) and all(_is_finite(each) for each in flags)):
            fault = 'no list of numbers "info_type_labels"'
        if fault:
            cure = 'each line has "topic", "runtag", "tweet_id", "priority", "info_type_labels"'
            listing.faults.add(line, fault, cure, "record-format")
            continue
        listing.run.append(str(record.get("runtag") or source.name))
        listing.event.append(record["topic"])
        listing.post.append(record["tweet_id"])
        listing.rank.append(float(len(listing.rank)))
        listing.priority.append(float(record["priority"]))
        listing.types.append(reading.types.of_vector(flags))
        listing.lines.append(line)
        if reading.details:
            numbers: Any = record.get("info_type_scores")
            usable = isinstance(numbers, list) and all(map(_is_finite, numbers))
            listing.weights.append(reading.types.named(numbers) if usable else {})
    return listing.table(reading)


def _wrong(record: Mapping[str, Any], names: Sequence[str], figure: str = "") -> str:
    """What is wrong with the names and the number of a line; nothing if they can be used."""
    for key in names:
        value = record.get(key)
        if not isinstance(value, str) or not value.strip() or set(value) & set("\t\n\r"):
            return f'no "{key}"'
    value = record.get(figure) if figure else 0
    if isinstance(value, bool) or not _is_finite(value):
        return f'"{figure}" is no finite number'
    return ""


def _proposal_run(source: Input, reading: RunReading) -> Predictions:
    listing = RunLines(FaultList(source))
    for line, record in objects(source, listing.faults):
        given = record.get("InformationTypes")
        time = _time(source, record.get("PostTimestamp"))
        fault = _wrong(record, ("EventID", "ID"))
        if not fault and not (isinstance(given, list) and all(map(_is_entry, given))):
            fault = 'no list of {"id", "confidence"} as "InformationTypes"'
        if not fault and time is None:
            written = json.dumps(record.get("PostTimestamp"), ensure_ascii=False)
            fault = f'"PostTimestamp" {written} is no time'
            if record.get("PostTimestamp") is None:
                fault = 'no "PostTimestamp"'
        relative = source.times.relative
        if not fault and time is not None and implausible(time, relative=relative):
            reason, cure, code = why_implausible(time, relative=relative)
            reason = f'"PostTimestamp" {record["PostTimestamp"]!r} {reason}'
            listing.faults.add(line, reason, cure, code)
            continue
        if fault:
            cure = 'each line has "EventID", "ID", "PostTimestamp" and "InformationTypes"'
            listing.faults.add(line, fault, cure, "record-format")
            continue
        listing.event.append(record["EventID"])
        listing.post.append(record["ID"])
        listing.rank.append(float(len(listing.rank)))
        listing.priority.append(math.nan)
        listing.types.append(_confident(given or (), reading))
        listing.time.append(time or 0.0)
        listing.lines.append(line)
        if reading.details:
            weights = {e["id"]: float(e["confidence"]) for e in given or () if "confidence" in e}
            listing.weights.append(weights)
            content = record.get("Content")
            listing.text.append(content if isinstance(content, str) else "")
    listing.run = [source.name] * len(listing.lines)
    return listing.table(reading)


def _confident(given: Sequence[Mapping[str, Any]], reading: RunReading) -> list[str]:
    """The types of a line that are given with enough confidence, or without a word on it."""
    reading.types.weighed.update(each["id"] for each in given if "confidence" in each)
    least = reading.emitted_from
    return [each["id"] for each in given if each.get("confidence", math.inf) >= least]


def _is_entry(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("id"), str)
        and ("confidence" not in value or _is_finite(value["confidence"]))
    )


def _time(source: Input, value: Any) -> float | None:
    try:
        return source.time_parser(str(value))
    except NotANumber:
        return None


# Topics.


@frozen
class EventNames:
    """The events of a file of topics."""

    names: Mapping[str, str]
    """From each event's name, and from the number that runs may call it by, to its name."""
    source: InputRecord

    @property
    def origin(self) -> Origin:
        """Where it comes from."""
        return Origin.single(self.source, np.zeros(0, np.int64))


def is_event_names(source: Input) -> bool:
    """Whether an input is the track's file of topics, by its first bytes."""
    head = source.head()
    return b"<top>" in head and b"<dataset>" in head


def read_event_names(path: str) -> EventNames:
    """The events in the order of the file, which is the track's: <num> and <dataset> in <top>."""
    source = Input(path)
    faults = FaultList(source)
    names: dict[str, str] = {}
    tags: dict[str, str] = {}
    for line, text in text_lines(source, faults):
        tag, _, content = text.strip().partition(">")
        tags[tag] = content.partition("</")[0].strip()
        if tag == "</top":
            missing = [each for each in ("num", "dataset") if not tags.get(f"<{each}")]
            if missing:
                cure = "each has <num> and <dataset>"
                faults.add(line, f"a topic without <{missing[0]}>", cure, "missing-key")
            else:
                names |= {tags["<num"]: tags["<dataset"], tags["<dataset"]: tags["<dataset"]}
            tags = {}
    if not names and not len(faults):
        faults.add(None, "no topics", "looked for <top>, <num>, <dataset>, </top>", "no-rows")
    faults.check()
    return EventNames(names, InputRecord(path, lambda: source.sha256, len(set(names.values()))))


def out_of_order(run: Predictions) -> Iterator[int]:
    """The rows of a run that are earlier than the one before, of the same event."""
    if run.time is None:
        raise UsageError("a run without times has no order of time")
    order = np.argsort(run.event.codes, kind="stable")
    event, time = run.event.codes[order], run.time[order]
    early = (event[1:] == event[:-1]) & (time[1:] < time[:-1])
    yield from sorted(order[1:][early].tolist())
