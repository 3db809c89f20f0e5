"""Ontologies of information types.

the track's    {"informationTypes": [{"id": "Request-GoodsServices", …}, …]}
the proposal's [{"ID": …, "Description": …, "Parent": …}, …]
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tseval.families.incidents.tables import Ontology
from tseval.files import json_text
from tseval.files.faults import FaultList
from tseval.files.inputs import Input
from tseval.files.jsonl import HALF, HALVES_CURE, holds_half
from tseval.files.text_lines import whole_text
from tseval.tables import ABSENT, ALL_TOPICS, InputRecord, Origin

if TYPE_CHECKING:
    Given: TypeAlias = str | Path | Input

FORMS = 'looked for {"informationTypes": [{"id": …}, …]} and [{"ID": …, "Parent": …}, …]'
JSON_CURE = "close what is open; no comma after the last"
NO_JSON_CURE = "give the file of information types, which is JSON"


def is_ontology(source: Input) -> bool:
    """Whether an input is an ontology, by its first bytes."""
    head = source.head()
    return b'"informationTypes"' in head or (b'"Parent"' in head and b'"ID"' in head)


def read_ontology(source: Given) -> Ontology:
    """Read either form; whatever is no ontology, and any fault of one, is an `InputError`."""
    given = source if isinstance(source, Input) else Input(str(source))
    faults = FaultList(given)
    entries, path, id_key = _entries(json_document(given, faults), faults)
    names = [_name(entry, f"{path}[{at}]", id_key, faults) for at, entry in enumerate(entries)]
    for at, name in enumerate(names):
        if name and name in names[:at]:
            cure = "remove one of them"
            faults.add(None, f'{path}[{at}]: type "{name}" stands twice', cure, "duplicate-id")
        if name == ALL_TOPICS:
            reason = f'{path}[{at}]: a type is called "{ALL_TOPICS}", the name of the mean'
            faults.add(None, reason, "give the type another name", "reserved-name")
    faults.check()
    parents = _parents(entries, names, path, faults)
    record = InputRecord(given.path, lambda: given.sha256, len(names))
    return Ontology(tuple(names), parents, Origin.single(record, np.zeros(len(names), np.int64)))


def json_document(source: Input, faults: FaultList) -> Any:
    """A whole file as JSON; what is none is an `InputError` with its line."""
    text = whole_text(source, faults)
    if not text.strip():
        faults.refuse(None, "the file is empty", "give the track's JSON", "empty-file")
    try:
        document = json_text.load(text)
    except (ValueError, RecursionError) as error:
        cure = JSON_CURE if text.lstrip()[0] in "[{" else NO_JSON_CURE
        faults.refuse(*json_text.fault_of(text, error, cure))
    if "\\u" in text and holds_half(document):
        faults.refuse(None, HALF, HALVES_CURE, "encoding")
    return document


def _entries(document: Any, faults: FaultList) -> tuple[list[Any], str, str]:
    """The list of types, its path, and the key of their names."""
    path, id_key = ("informationTypes", "id") if isinstance(document, dict) else ("", "ID")
    entries: Any = document.get(path) if isinstance(document, dict) else document
    if not isinstance(entries, list) or not entries:
        faults.refuse(None, "no information types", FORMS, "no-rows")
    return list(entries), path, id_key


def _name(entry: Any, path: str, id_key: str, faults: FaultList) -> str:
    name = entry.get(id_key) if isinstance(entry, dict) else None
    if not isinstance(name, str) or not name.strip() or any(mark in name for mark in "\t\n\r"):
        faults.add(None, f'{path}: no type with an "{id_key}"', FORMS, "record-format")
        return ""
    return name


def _parents(entries: list[Any], names: list[str], path: str, faults: FaultList) -> tuple[int, ...]:
    """The place of each type's parent; one that is unknown, or its own ancestor, is a fault."""
    places = {name: at for at, name in enumerate(names)}
    parents = []
    for at, entry in enumerate(entries):
        parent = entry.get("Parent")
        if parent and (not isinstance(parent, str) or parent not in places):
            reason = f'{path}[{at}]: parent "{parent}" is no type'
            faults.add(None, reason, "name a type of this file, or leave it out", "unknown-id")
        parents.append(places.get(str(parent), ABSENT))
    for at, name in enumerate(names):
        above, steps = parents[at], 0
        while above != ABSENT and steps <= len(names):
            above, steps = parents[above], steps + 1
        if steps > len(names):
            reason = f'{path}[{at}]: type "{name}" is its own ancestor'
            faults.add(None, reason, "mend its parents", "cyclic-types")
    faults.check()
    return tuple(parents)
