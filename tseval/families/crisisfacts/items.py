"""Reading what the evaluation of 2022 has: gold facts, and items of runs as they were matched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.families.crisisfacts.files import (
    begin_of,
    head_of,
    is_list,
    is_name,
    is_number,
    kind_of,
)
from tseval.families.crisisfacts.tables import (
    GOLD_FACTS,
    ITEMS,
    MATCHED,
    STATUSES,
    GoldFacts,
    Items,
)
from tseval.files.faults import FaultList
from tseval.files.frames import run_names
from tseval.files.inputs import Each, Input
from tseval.files.json_array import elements
from tseval.files.jsonl import objects
from tseval.files.plain import check_one_run
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

if TYPE_CHECKING:
    from tseval.files.reading import Given

ITEMS_CURE = 'a line is {"request": …, "run": …, "items": [ITEM, …]}'
ITEM_CURE = 'an item is {"importance": 0.5, "status": "matched", "facts": [GOLD FACT, …]}'
STATUS_CURE = f"it is one of {', '.join(STATUSES)}"
EVENTS_CURE = 'the gold facts are [{"eventID": …, "factsByRequest": {REQUEST: [{"fact": …}, …]}}]'


# Items.


def is_items(source: Input) -> bool:
    """Whether an input looks like assessed items, a run's of a request in a line."""
    head = head_of(source)
    return b'"items"' in head and b'"request' in head


def read_items(given: Sequence[Given], form: str | None = None, each: Each = map) -> Items:
    """The items of one or more runs."""
    inputs = [input_of(one, ITEMS) for one in given]
    items = Items.join(list(each(partial(_items, form=form), inputs, run_names(inputs))))
    check_between_files(
        items,
        inputs,
        [items.run, items.request],
        lambda row: f'run "{items.run[row]}" has items of "{items.request[row]}" in two files',
    )
    return items


def _items(source: Input, name: str, form: str | None) -> Items:
    if form is None and is_items(source):
        items = _from_json(source, name)
    else:
        rows = rows_of(source, ITEMS, form)
        items = Items.of(rows.columns, rows.origin, name)
    if not len(items):
        refuse(source, "holds no item, nor that a run has none", ITEMS_CURE)
    _check(source, items)
    return items


@dataclass
class Listing:
    """Items as they are found."""

    faults: FaultList
    line: list[int] = field(default_factory=list)
    request: list[str] = field(default_factory=list)
    run: list[str] = field(default_factory=list)
    importance: list[float] = field(default_factory=list)
    status: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)

    def add(self, line: int, request: str, run: str, item: Any) -> None:
        """An item, or what is wrong with it; None stands where a run has none."""
        wrong = "" if item is None else _wrong_in(item)
        if wrong:
            self.faults.add(line, wrong, ITEM_CURE, "record-format")
            return
        said: Mapping[str, Any] = {"importance": 0.0, "status": ""} if item is None else item
        self.line.append(line)
        self.request.append(request)
        self.run.append(run)
        self.importance.append(float(said["importance"]))
        self.status.append(said["status"])
        self.facts.append(" ".join(said.get("facts", ())))


def _wrong_in(item: Any) -> str:
    """What is wrong with an item; nothing if it is right."""
    if not isinstance(item, dict):
        return f"a {kind_of(item)} where an item is expected"
    facts = item.get("facts", [])
    if not is_number(item.get("importance")):
        return '"importance" is no finite number'
    if not is_name(item.get("status")):
        return 'no "status"'
    named = isinstance(facts, list) and all(is_name(each) and " " not in each for each in facts)
    return "" if named else '"facts" is no list of names without blanks'


def _from_json(source: Input, name: str) -> Items:
    listing = Listing(FaultList(source))
    for line, record in objects(source, listing.faults):
        request = record.get("request", record.get("requestID"))
        run, listed = record.get("run", name), record.get("items")
        if not is_name(request) or not is_name(run) or not isinstance(listed, list):
            lacks = "items" if is_name(request) and is_name(run) else "request or run"
            listing.faults.add(line, f'no "{lacks}"', ITEMS_CURE, "record-format")
            continue
        for item in listed or [None]:
            listing.add(line, request, run, item)
    if source.run_name is not None:
        check_one_run(list(dict.fromkeys(listing.run)), listing.faults)
        listing.run = [source.run_name] * len(listing.run)
    listing.faults.check()
    lines = np.array(listing.line, np.int64)
    record_of = InputRecord(source.path, lambda: source.sha256, len(lines), source.unit)
    return Items(
        request=Ids.of(listing.request),
        importance=np.array(listing.importance, np.float64),
        status=Ids.of(listing.status),
        facts=Ids.of(listing.facts),
        run=Ids.of(listing.run),
        origin=Origin.single(record_of, lines),
    )


def _check(source: Input, items: Items) -> None:
    """Every status is known, and an item has facts if it is matched, and none otherwise."""
    faults = faults_of(source, items.origin.sources[0])
    statuses, facts = items.status.to_list(), items.facts.to_list()
    for row, (status, named) in enumerate(zip(statuses, facts, strict=True)):
        own, has = status.strip(), bool(named.strip())
        if own and own not in STATUSES:
            reason = f'unknown status "{own}"'
            faults.add_row(items.origin, row, reason, STATUS_CURE, "unknown-label")
        elif has != (own == MATCHED):
            said = f'an item that is "{own}" names facts' if has else "a matched item names no fact"
            cure = f'"{MATCHED}" items name the facts that they match, others none'
            faults.add_row(items.origin, row, said, cure, "conflicting-rows")
    faults.check()


# Gold facts.


def is_gold(source: Input) -> bool:
    """Whether an input looks like the track's gold facts."""
    return b'"factsByRequest"' in head_of(source)


def read_gold(given: Given, form: str | None = None) -> GoldFacts:
    """The facts of each request: the track's file, or a table `request fact_id`."""
    source = input_of(given, GOLD_FACTS)
    if form is None and is_gold(source):
        return _gold(source)
    gold = read_table(source, GOLD_FACTS, GoldFacts, form)
    wrong = np.array([" " in name for name in gold.fact_id.to_list()], bool)
    reason, cure = 'fact_id "{}" holds a blank', "items name facts with blanks between"
    refuse_where(source, gold.origin, wrong, gold.fact_id, reason, cure, "id-format")
    if not len(gold):
        refuse(source, "holds no fact", "without facts there is nothing to say")
    return gold


def _gold(source: Input) -> GoldFacts:
    """The track's file: an event after the other, in which a fact is called by its place."""
    faults = FaultList(source)
    read = elements if is_list(source) else objects
    rows = [row for line, event in read(source, faults) for row in _facts_of(event, line, faults)]
    if not rows and not len(faults):
        faults.add(None, "holds no fact", EVENTS_CURE, "no-rows")
    faults.check()
    lines = np.array([line for line, *_ in rows], np.int64)
    days = np.array([day for *_, day, _ in rows], np.float64)
    record = InputRecord(source.path, lambda: source.sha256, len(rows), source.unit)
    return GoldFacts(
        request=Ids.of([request for _, request, *_ in rows]),
        fact_id=Ids.of([f"{request}-{place}" for _, request, place, *_ in rows]),
        origin=Origin.single(record, lines),
        day=None if np.isnan(days).any() else days,
        fact=Texts.of([text for *_, text in rows]),
    )


def _facts_of(
    event: Any, line: int, faults: FaultList
) -> Iterator[tuple[int, str, int, float, str]]:
    """The line, request, place from 0, day and text of each fact of an event."""
    by_request = event.get("factsByRequest") if isinstance(event, dict) else None
    if not isinstance(by_request, dict):
        faults.add(line, 'no "factsByRequest"', EVENTS_CURE, "record-format")
        return
    for request, facts in by_request.items():
        if not is_name(request) or not isinstance(facts, list):
            faults.add(line, f'"{request}" is no list of facts', EVENTS_CURE, "record-format")
            continue
        for place, fact in enumerate(facts):
            if isinstance(fact, dict) and isinstance(fact.get("fact"), str):
                yield line, request, place, begin_of(str(fact.get("dateString", ""))), fact["fact"]
            else:
                faults.add(line, f'{request}: no "fact"', EVENTS_CURE, "record-format")
