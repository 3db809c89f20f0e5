"""The files of incident streams as `tseval validate` and `tseval import` know them.

Types can only be checked by the ontology, if it is among the files. What the track calls an error
is a fault here, though a run with such faults can be scored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tseval.errors import Fault, InputError
from tseval.families.incidents import runs as incident_runs
from tseval.families.incidents.labels import is_labels, plain_schema, read_labels
from tseval.families.incidents.ontologies import is_ontology, read_ontology
from tseval.families.incidents.pooling import PoolOptions, imported
from tseval.families.incidents.tables import (
    JUDGED_POOL,
    PREDICTIONS,
    TYPED_LABELS,
    Ontology,
    Predictions,
    TypeNames,
)
from tseval.files.faults import FaultList
from tseval.files.formats import Format, Rank
from tseval.files.imports import Import
from tseval.files.inputs import Input
from tseval.files.jsonl import objects
from tseval.files.plain import recognise
from tseval.tables import Origin

ONTOLOGY, LABELS, RUN = "ontology", "incident labels", "incident run"
TOPICS = "incident topics"
TAG = re.compile(r"[A-Za-z0-9_.-]{1,20}", re.ASCII)
TAG_CURE = "the track takes up to 20 letters, digits and _ . -"
TYPES_OF_THE_TRACK = 25
PROPOSAL_KEYS = ["EventID", "ProcessingType", "ID", "Content", "PostTimestamp", "InformationTypes"]
"""What each line of a run of the proposal has."""
PROCESSING = ("Automatic", "Semi-Automatic", "Manual")
"""How a run of the proposal may say that it was made."""
NO_TYPES = Ontology((), (), Origin((), np.zeros(0, np.int64), np.zeros(0, np.int64)))


def table_of(source: Input) -> str | None:
    """Which file of incident streams an input is; None if it is none, or a plain table."""
    if is_ontology(source):
        return ONTOLOGY
    if is_labels(source):
        return LABELS
    names = recognise(source)[1]
    schema = plain_schema(names)
    if schema is JUDGED_POOL or (schema is TYPED_LABELS and PREDICTIONS.missing(names)):
        return LABELS
    kind = incident_runs.kind_of(source)
    return RUN if kind not in (None, incident_runs.PLAIN) else None


def ontology_among(paths: Sequence[str]) -> Ontology | None:
    """The ontology by which the other files are checked; None if there is none, or a faulty one."""
    for path in paths:
        source = Input(path)
        if source.can_be_read_again and is_ontology(source):
            return read_ontology(source)
    return None


def _types(paths: Sequence[str]) -> TypeNames:
    """The types of the ontology among the files; a faulty one tells its faults in its turn."""
    try:
        found = ontology_among(paths)
    except InputError:
        found = None
    return TypeNames(found or NO_TYPES, renamed=True)


def _run(source: Input, _: str | None, paths: Sequence[str]) -> Predictions:
    """A run; what the track calls an error of it is an `InputError`."""
    types = _types(paths)
    run = incident_runs.read_predictions([source], incident_runs.RunReading(types, 0.0))
    faults = FaultList(source)
    faults.extend(run_faults(source, run))
    if types.ontology is not NO_TYPES:
        faults.extend(_unknown_types(source, types))
    faults.check()
    return run


def _is(name: str) -> Callable[[Input], bool]:
    return lambda source: table_of(source) == name


def _unknown_types(source: Input, types: TypeNames) -> Iterator[Fault]:
    for name, number in sorted(types.unknown.items()):
        times = "once" if number == 1 else f"{number:,} times"
        reason = f'type "{name}", {times}, is not in the ontology'
        yield Fault(source.path, None, reason, "", "unknown-label")


def run_faults(source: Input, run: Predictions) -> Iterator[Fault]:
    """What the track calls an error of a run."""
    yield from _tags(run)
    yield from _repeats(run)
    outside = (run.priority < 0) | (run.priority > 1)
    for row in np.flatnonzero(outside).tolist():
        reason = f"priority {run.priority[row]:g} is outside of [0, 1]"
        cure = "the track takes priorities from 0 to 1"
        yield run.origin.fault(row, reason, cure, "number-range")
    kind = incident_runs.kind_of(source)
    if kind == incident_runs.LINES:
        yield from _vectors(source)
    if kind == incident_runs.PROPOSAL:
        yield from _proposed(source)
        yield from _times(run)


def _tags(run: Predictions) -> Iterator[Fault]:
    _, first = np.unique(run.run.codes, return_index=True)
    for place, row in enumerate(sorted(first.tolist())):
        tag = run.run[row]
        if place:
            cure = "one file, one run"
            yield run.origin.fault(row, f'a second run tag "{tag}"', cure, "several-runs")
        if not TAG.fullmatch(tag):
            yield run.origin.fault(row, f'run tag "{tag}" is malformed', TAG_CURE, "id-format")


def _repeats(run: Predictions) -> Iterator[Fault]:
    key = run.event.codes * (len(run.post_id.names) + 1) + run.post_id.codes
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    for row in np.flatnonzero(first[place] != np.arange(len(key))).tolist():
        reason = f'post "{run.post_id[row]}" stands twice in event "{run.event[row]}"'
        where = run.origin.place(int(first[place[row]]))
        yield run.origin.fault(row, reason, f"first in {where}: remove one of them", "duplicate-id")


def _vectors(source: Input) -> Iterator[Fault]:
    """The numbers that JSON lines have for types."""
    faults = FaultList(source)
    for line, record in objects(source, faults):
        for key, allowed in (("info_type_scores", None), ("info_type_labels", (0, 1))):
            reason = _wrong_vector(record.get(key), allowed)
            if reason:
                cure = "one number a type, 25 in all"
                yield Fault(source.path, line, f'"{key}" {reason}', cure, "record-format")


def _proposed(source: Input) -> Iterator[Fault]:
    """What the proposal asks of each line: every key, a known kind of processing, confidences.

    What every line lacks is said once.
    """
    lines: dict[tuple[str, str], list[int]] = {}
    number = 0
    for line, record in objects(source, FaultList(source)):
        number += 1
        for said in _wrong_proposed(record):
            lines.setdefault(said, []).append(line)
    for (reason, cure), where in lines.items():
        if number > 1 and len(where) == number:
            reason = f"{reason}, in each of its {number:,} lines"
            yield Fault(source.path, None, reason, cure, "record-format")
        else:
            yield from (Fault(source.path, line, reason, cure, "record-format") for line in where)


def _wrong_proposed(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What is wrong with a line of a run of the proposal, and the cure."""
    for key in PROPOSAL_KEYS:
        if key not in record:
            yield f'no "{key}"', f"each line has {', '.join(PROPOSAL_KEYS)}"
    processing = record.get("ProcessingType", PROCESSING[0])
    if processing not in PROCESSING:
        yield (
            f'"ProcessingType" is {json.dumps(processing)}',
            f"it is {PROCESSING[0]}, {PROCESSING[1]} or {PROCESSING[2]}, in these letters",
        )
    if not isinstance(record.get("Content", ""), str):
        yield '"Content" is no text', "give the post's text as it was"
    for entry in record.get("InformationTypes") or ():
        confidence = entry.get("confidence")
        if confidence is None:
            yield f'type "{entry["id"]}" has no "confidence"', "give it a number from 0 to 1"
        elif not 0 <= confidence <= 1:
            reason = f'confidence {confidence:g} of type "{entry["id"]}" is outside of [0, 1]'
            yield reason, "the proposal takes confidences from 0 to 1"


def _wrong_vector(values: Any, allowed: tuple[int, ...] | None) -> str:
    """What is wrong with a vector; nothing if it is as the track wants it."""
    if not isinstance(values, list) or len(values) != TYPES_OF_THE_TRACK:
        found = f"{len(values)} long" if isinstance(values, list) else "no list"
        return f"is {found}"
    for value in values:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not (value in allowed if allowed else 0 <= value <= 1):
            return f"has {json.dumps(value)}, which is not {'0 or 1' if allowed else 'from 0 to 1'}"
    return ""


def _times(run: Predictions) -> Iterator[Fault]:
    """The lines of a run of the proposal must be in order of time."""
    for row in incident_runs.out_of_order(run):
        reason = f'post "{run.post_id[row]}" is earlier than the one before it in its event'
        yield run.origin.fault(row, reason, "sort the run by PostTimestamp", "time-order")


FORMATS = (
    Format(
        TOPICS,
        lambda source, _, __: incident_runs.read_event_names(source.path),
        incident_runs.is_event_names,
        Rank.SURE,
    ),
    Format(ONTOLOGY, lambda source, _, __: read_ontology(source), _is(ONTOLOGY)),
    Format(LABELS, lambda source, _, paths: read_labels([source], _types(paths)), _is(LABELS)),
    Format(
        RUN,
        _run,
        _is(RUN),
        imports=(
            Import(
                "pool",
                "runs of incident streams as the posts to which any gave a type, for assessors, "
                "who write 1 or 0 into its column `relevant`: then it is the labels of `tseval "
                "incidents`",
                imported,
                PoolOptions,
                several=True,
            ),
        ),
    ),
)
"""The files of incident streams, for `tseval validate` and `tseval import`."""
