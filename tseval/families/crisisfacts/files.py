"""Reading collapsed facts, their labels, and the days of requests."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from tseval.families.crisisfacts.tables import (
    COLLAPSED,
    LABELS,
    LAGGED,
    POOR,
    REDUNDANT,
    REQUESTS,
    USEFUL,
    CollapsedFacts,
    FactLabels,
    Requests,
)
from tseval.files.cells import Cells, column_of
from tseval.files.faults import FaultList
from tseval.files.inputs import Each, Input
from tseval.files.json_array import elements
from tseval.files.jsonl import KINDS, objects
from tseval.files.plain import build
from tseval.files.reading import (
    check_between_files,
    faults_of,
    input_of,
    read_table,
    refuse,
    refuse_where,
    rows_of,
)
from tseval.tables import Ids, InputRecord, Origin, Texts
from tseval.tables.times import UNITS, NotANumber, early, moment

if TYPE_CHECKING:
    from tseval.files.reading import Given

WORDS = (USEFUL, REDUNDANT, POOR, LAGGED)
IN_ID = "-collapsed-"
"""What stands in the id of a collapsed fact between its request and its number."""
FACT_CURE = (
    'a collapsed fact is {"collapsed_fact_id": …, "relevant_facts": [RAW FACT, …], '
    '"importance": 0.5}'
)
ID_CURE = f"its id is REQUEST{IN_ID}0001, or a line is {{requestID, facts}}"
RAW_CURE = "a raw fact is called REQUEST-RUN-0001"
LABEL_CURE = f"the labels are {', '.join(WORDS)}"
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
DAY_CURE = "write a day as 2018-08-06"
TRIPLE = ("collapsed_fact_id", "assessor", "label")
TRIPLE_CURE = f'a label is ["REQUEST{IN_ID}0001", "ASSESSOR", "{USEFUL}"]'


def kind_of(value: Any) -> str:
    """What JSON calls a value."""
    return KINDS.get(type(value), "value")


def is_name(value: Any) -> TypeGuard[str]:
    """Whether this is a text that can name something."""
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def lacks(record: Mapping[str, Any], key: str, wanted: str = "a name") -> str:
    """Why a record has nothing under a key that serves."""
    if key not in record:
        return f'no "{key}"'
    if isinstance(record[key], str):
        return f'"{key}" names nothing'
    return f'"{key}" is a {kind_of(record[key])} where {wanted} is expected'


def is_number(value: Any) -> TypeGuard[float]:
    """Whether this is a finite number."""
    return type(value) in (int, float) and abs(value) < math.inf


def head_of(source: Input) -> bytes:
    """The first bytes of a file whose content may show what it is; nothing of a plain table."""
    return b"" if source.is_table else source.head()


def is_list(source: Input) -> bool:
    """Whether a file is one JSON list."""
    return source.head().lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


# Collapsed facts.


def is_collapsed(source: Input) -> bool:
    """Whether an input looks like the track's collapsed facts, one list or a request a line."""
    head = head_of(source)
    return b'"relevant_facts"' in head and b'"collapsed_fact_id"' in head


def read_collapsed(
    given: Sequence[Given], form: str | None = None, each: Each = map
) -> CollapsedFacts:
    """The collapsed facts of all files; a fact may stand in one of them alone."""
    inputs = [input_of(one, COLLAPSED) for one in given]
    names = [source.name for source in inputs]
    facts = CollapsedFacts.join(list(each(partial(_collapsed, form=form), inputs, names)))
    check_between_files(
        facts,
        inputs,
        [facts.collapsed_fact_id],
        lambda row: f'collapsed fact "{facts.collapsed_fact_id[row]}" stands in two files',
        "give each file once",
    )
    return facts


def _collapsed(source: Input, _: str, form: str | None) -> CollapsedFacts:
    if form is None and is_collapsed(source):
        return _from_json(source)
    return _from_table(source, form)


@dataclass
class Listing:
    """Raw facts as they are found, row by row."""

    faults: FaultList
    line: list[int] = field(default_factory=list)
    request: list[str] = field(default_factory=list)
    fact: list[str] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    run: list[str] = field(default_factory=list)
    importance: list[float] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    first: dict[str, int] = field(default_factory=dict)
    """The line of each collapsed fact."""

    def add(self, line: int, request: str, fact: dict[str, Any]) -> None:
        """A collapsed fact that was looked at, with a row for each raw one, or one for none."""
        name = fact["collapsed_fact_id"]
        if name in self.first:
            reason = f'collapsed fact "{name}" stands twice'
            cure = f"first in line {self.first[name]}: remove one of them"
            self.faults.add(line, reason, cure, "duplicate-id")
            return
        self.first[name] = line
        raws: list[str] = fact["relevant_facts"] or [""]
        runs = [run_of(raw, request) for raw in raws]
        for raw in (raw for raw, run in zip(raws, runs, strict=True) if run is None):
            reason = f'raw fact "{raw}" is not called {request}-RUN-0001'
            self.faults.add(line, reason, RAW_CURE, "id-format")
        self.raw += raws
        self.run += [run or "" for run in runs]
        number = len(raws)
        self.line += [line] * number
        self.request += [request] * number
        self.fact += [name] * number
        self.importance += [float(fact["importance"])] * number
        self.text += [fact.get("fact_text", "")] * number

    def table(self) -> CollapsedFacts:
        """What was found; any fault is raised."""
        source, lines = self.faults.source, np.array(self.line, np.int64)
        if not self.line and not len(self.faults):
            self.faults.add(None, "holds no collapsed fact", FACT_CURE, "no-rows")
        self.faults.check()
        record = InputRecord(source.path, lambda: source.sha256, len(self.first), source.unit)
        return CollapsedFacts(
            request=Ids.of(self.request),
            collapsed_fact_id=Ids.of(self.fact),
            relevant_fact=Ids.of(self.raw),
            run=Ids.of(self.run),
            importance=np.array(self.importance, np.float64),
            origin=Origin.single(record, lines),
            fact_text=Texts.of(self.text) if any(self.text) else None,
        )


def run_of(raw: str, request: str) -> str | None:
    """The run of a raw fact, which may have hyphens of its own; None if it has none."""
    if not raw:
        return ""
    if not raw.startswith(f"{request}-"):
        return None
    return raw[len(request) + 1 :].rpartition("-")[0] or None


def _from_json(source: Input) -> CollapsedFacts:
    listing = Listing(FaultList(source))
    for line, request, fact in _facts_in(source, listing.faults):
        wrong = _wrong_in(fact)
        if wrong:
            listing.faults.add(line, wrong, FACT_CURE, "record-format")
            continue
        own = request or fact["collapsed_fact_id"].rpartition(IN_ID)[0]
        if own:
            listing.add(line, own, fact)
        else:
            reason = f'"{fact["collapsed_fact_id"]}" does not tell the request'
            listing.faults.add(line, reason, ID_CURE, "id-format")
    return listing.table()


def _facts_in(source: Input, faults: FaultList) -> Iterator[tuple[int, str, Any]]:
    """Each fact with its line, and the request that the line names."""
    if is_list(source):
        yield from ((line, "", fact) for line, fact in elements(source, faults))
        return
    for line, record in objects(source, faults):
        request, listed = record.get("requestID"), record.get("facts")
        if "facts" not in record:
            yield line, "", record
        elif is_name(request) and isinstance(listed, list):
            yield from ((line, request, fact) for fact in listed)
        else:
            wrong = '"facts" is no list' if is_name(request) else lacks(record, "requestID")
            cure = 'a line is {"requestID": …, "facts": [FACT, …]}'
            faults.add(line, wrong, cure, "record-format")


def _wrong_in(fact: Any) -> str:
    """What is wrong with a collapsed fact; nothing if it is right."""
    if not isinstance(fact, dict):
        return f"a {kind_of(fact)} where a collapsed fact is expected"
    raws = fact.get("relevant_facts")
    if not is_name(fact.get("collapsed_fact_id")):
        return 'no "collapsed_fact_id"'
    if not isinstance(raws, list) or not all(map(is_name, raws)):
        return '"relevant_facts" is no list of names'
    if not is_number(fact.get("importance")):
        return '"importance" is no finite number'
    return "" if isinstance(fact.get("fact_text", ""), str) else '"fact_text" is no text'


def _from_table(source: Input, form: str | None) -> CollapsedFacts:
    rows = rows_of(source, COLLAPSED, form)
    if not len(rows.origin.line):
        refuse(source, "holds no collapsed fact", FACT_CURE)
    faults = faults_of(source, rows.origin.sources[0])
    columns = {name: rows.columns[name] for name in ("request", "relevant_fact")}
    requests, raws = (column.to_list() for column in columns.values())
    runs = [run_of(raw.strip(), own) for own, raw in zip(requests, raws, strict=True)]
    for row in (row for row, run in enumerate(runs) if run is None):
        reason = f'raw fact "{raws[row]}" is not called {requests[row]}-RUN-0001'
        faults.add_row(rows.origin, row, reason, RAW_CURE, "id-format")
    run = Ids.of([each or "" for each in runs])
    facts = CollapsedFacts.of(rows.columns | {"run": run}, rows.origin)
    _check_alike(facts, faults)
    faults.check()
    return facts


def _check_alike(facts: CollapsedFacts, faults: FaultList) -> None:
    """All rows of a collapsed fact must have one request and one importance."""
    _, first, fact = np.unique(
        facts.collapsed_fact_id.codes, return_index=True, return_inverse=True
    )
    for name, values in (("request", facts.request.codes), ("importance", facts.importance)):
        for row in np.flatnonzero(values != values[first][fact]).tolist():
            reason = f'"{facts.collapsed_fact_id[row]}" has another {name} here'
            where = f"than in {facts.origin.place(int(first[fact[row]]))}: a fact has one"
            faults.add_row(facts.origin, row, reason, where, "conflicting-rows")


# Labels.


def is_labels(source: Input) -> bool:
    """Whether an input looks like labels as a list of triples."""
    head = head_of(source)
    return re.match(rb"[\xef\xbb\xbf\s]*\[\s*\[", head) is not None and any(
        word.encode() in head for word in WORDS
    )


def read_labels(given: Given, form: str | None = None) -> FactLabels:
    """What assessors said: a table, or a list of triples of fact, assessor and label."""
    source = input_of(given, LABELS)
    if form is None and is_labels(source):
        labels = _triples(source)
    else:
        labels = read_table(source, LABELS, FactLabels, form)
    label, reason = labels.label, 'unknown label "{}"'
    wrong = np.array([name not in WORDS for name in label.vocabulary()], bool)[label.codes]
    refuse_where(source, labels.origin, wrong, label, reason, LABEL_CURE, "unknown-label")
    return labels


def _triples(source: Input) -> FactLabels:
    faults = FaultList(source)
    lines, rows = list[int](), list[list[str]]()
    for line, triple in elements(source, faults):
        if isinstance(triple, list) and len(triple) == len(TRIPLE) and all(map(is_name, triple)):
            lines.append(line)
            rows.append(triple)
        else:
            reason = "no triple of a fact, an assessor and a label"
            faults.add(line, reason, TRIPLE_CURE, "record-format")
    columns = {name: column_of([row[at] for row in rows], name, LABELS)
               for at, name in enumerate(TRIPLE)}  # fmt: skip
    read = build(source, Cells(columns, np.array(lines, np.int64)), LABELS, faults)
    faults.check()
    return FactLabels.of(read.columns, read.origin)


# Days.


def read_requests(given: Given, form: str | None = None) -> Requests:
    """The day of each request; before a date may stand a title, as in the track's own list."""
    source = input_of(given, REQUESTS)
    rows = rows_of(source, REQUESTS, form)
    days = rows.columns["day"]
    begins = np.array([begin_of(day) for day in days.vocabulary()], np.float64)[days.codes]
    wrong, reason = np.isnan(begins), '"{}" is not a date'
    refuse_where(source, rows.origin, wrong, days, reason, DAY_CURE, "date-format")
    return Requests.of(rows.columns | {"day": begins}, rows.origin)


def begin_of(day: str) -> float:
    """When a day begins, in UTC: of the last date in a text, or of a time; else NaN."""
    dates = DATE.findall(day)
    try:
        second = moment(dates[-1] if dates else day)
    except NotANumber:
        return math.nan
    return math.nan if early(second) else second // UNITS["d"] * UNITS["d"]
