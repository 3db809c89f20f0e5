"""Which responses count, as what: versions of one, or each by itself; and when they were there."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from tseval.errors import Fault, InputError
from tseval.families.responses.inputs import ResponseTables
from tseval.families.responses.rules import ResponseRules
from tseval.families.responses.tables import Grade, Response, Sentence
from tseval.files.faults import FaultList
from tseval.files.inputs import Input
from tseval.records import frozen
from tseval.tables import natural_order

TIMES_CURE = "give this response a time, or leave out the times of all responses"
SAME_CURE = "the times of two versions differ; --rule mean=records takes each by itself"


@frozen
class Version:
    """A response, where it counts, and from when until when as the newest of its run and topic."""

    response: Response
    cell: int
    number: int
    """How many there were of its run and topic before it."""
    since: float
    until: float


@frozen
class Versions:
    """Every response of the topics that count.

    A *cell* is what has a value: a (run, topic), or a single response where each counts by itself.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    each: tuple[Version, ...]
    """Those of a (run, topic) in the order of time."""
    cell_unit: tuple[int, ...]
    """The (run, topic) of each cell."""
    single: bool
    """Whether the cells are the (run, topic), or the responses."""
    timed: bool
    undated: tuple[Fault, ...]
    """Return the responses that say something but have no time, if others have one."""
    unknown: tuple[str, ...]
    """Topics that the gold lacks."""


def versions_of(tables: ResponseTables, rules: ResponseRules) -> Versions:
    """The responses of all files, in their order."""
    found = [(source, _when(each, tables)) for source, each in _responses(tables)]
    dated = any(not math.isnan(time) for _, each in found for time in (each.time, *times_in(each)))
    undated = [(source, each) for source, each in found if dated and _lacks_time(each)]
    everything = [each for _, each in found]
    runs = tuple(natural_order({each.run for each in everything}))
    named = natural_order({each.topic for each in everything})
    topics = tuple(named if tables.gold is None else natural_order(set(tables.gold.topics)))
    place = {topic: at for at, topic in enumerate(topics)}
    first = {run: at * len(topics) for at, run in enumerate(runs)}
    by_unit: dict[int, list[tuple[Input, Response]]] = {}
    for source, each in found:
        if each.topic in place:
            unit = first[each.run] + place[each.topic]
            by_unit.setdefault(unit, []).append((source, each))
    many = any(len(own) > 1 for own in by_unit.values())
    alone = rules.mean == "records" or (many and not dated)
    units = sorted(by_unit)
    if alone:
        counted = [(unit, each) for unit in units for _, each in by_unit[unit]]
        made = [Version(each, at, 0, -math.inf, math.inf) for at, (_, each) in enumerate(counted)]
        cells = tuple(unit for unit, _ in counted)
    else:
        made = [each for unit in units for each in _in_order(unit, by_unit[unit])]
        cells = tuple(range(len(runs) * len(topics)))
    unknown = tuple(each for each in named if each not in place)
    faults = tuple(_no_time(source, each) for source, each in undated)
    timed = dated and not undated
    return Versions(runs, topics, tuple(made), cells, not alone, timed, faults, unknown)


def _responses(tables: ResponseTables) -> Iterator[tuple[Input, Response]]:
    for source, sheet in tables.labels:
        for response in sheet.responses:
            yield source, response


def _when(response: Response, tables: ResponseTables) -> Response:
    """A response with its time, which the run that it labels may tell."""
    if not math.isnan(response.time):
        return response
    times = [
        each.time
        for sheet in tables.answers
        for each in sheet.responses
        if (each.run, each.topic) == (response.run, response.topic)
    ]
    return replace(response, time=times[0]) if len(times) == 1 else response


def times_in(response: Response) -> list[float]:
    """The time of each label: its own, or that of the response."""
    whole = response.time
    return [whole if math.isnan(each.time) else each.time for each in response.labels]


def _lacks_time(response: Response) -> bool:
    """Return whether a response says something but has no time; an empty answer needs none."""
    timed = zip(response.labels, times_in(response), strict=True)
    return any(math.isnan(time) and not _says_nothing(label) for label, time in timed)


def _says_nothing(label: object) -> bool:
    if isinstance(label, Grade):
        return not label.grade
    return isinstance(label, Sentence) and not label.text.strip()


def _no_time(source: Input, response: Response) -> Fault:
    reason = "no time, although other responses have one"
    return Fault(source.path, response.line, reason, TIMES_CURE, "missing-time", unit=source.unit)


def _in_order(unit: int, own: list[tuple[Input, Response]]) -> Iterator[Version]:
    """The versions of one run on one topic; two of the same time are refused."""
    lacking = [_no_time(*each) for each in own if len(own) > 1 and _lacks_time(each[1])]
    if lacking:
        raise InputError(lacking)
    begun = [min(times_in(each), default=each.time) for _, each in own]
    dated = sorted(
        (-math.inf if math.isnan(since) else since, at) for at, since in enumerate(begun)
    )
    for (time, at), (later, other) in pairwise(dated):
        if time == later > -math.inf:
            source, response = own[other]
            first = own[at][1].line
            reason = f"run {response.run} has two responses to topic {response.topic} at one time"
            cure = f"the other is in line {first}: {SAME_CURE}"
            if own[at][0] is not source:
                other_run = (
                    f"--name {source.path}=NAME gives the run of this file a name of its own"
                )
                cure = f"the other is at {own[at][0].path}:{first}: {SAME_CURE}; {other_run}"
            FaultList(source).refuse(response.line, reason, cure, "duplicate-id")
    ends = [time for time, _ in dated[1:]] + [math.inf]
    for number, ((since, at), until) in enumerate(zip(dated, ends, strict=True)):
        yield Version(own[at][1], unit, number, since, until)
