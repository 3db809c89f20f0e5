"""CrisisFACTS 2022 and 2023, slowly: dictionaries and loops, and nothing shared.

Written from the words of the evaluation notebook, of the paper of 2022 and of the track's checker
of run files. It knows the pack's files as `json` gives them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

TRACK = tuple(f"CrisisFACTS-{number:03d}" for number in range(9, 19))
FIRST = 64
"""How many facts of a request the default rule holds."""
ENOUGH = 10
OF_2023 = ("redundancy", "comprehensiveness", "lagged")
STATUSES = ("matched", "unmatched", "irrelevant", "skipped")
OF_2022 = ("assessed", "comprehensiveness", "unique_per_match", "redundancy_ratio", *STATUSES)
Row = Mapping[str, "float | None"]


@dataclass(frozen=True)
class Reading:
    """The rules."""

    pool: str = "64"
    redundant: str = ".5"
    events: str = "all"
    days: str = "all"
    on_missing: str = "skip"


def event_of(request: str) -> str:
    """The part before the last hyphen."""
    return request[: request.rindex("-")]


def run_of(raw: str, request: str) -> str:
    """Remove the request and a hyphen, cut at the last hyphen."""
    assert raw.startswith(request + "-")
    rest = raw[len(request) + 1 :]
    return rest[: rest.rindex("-")]


# 2023.

Facts = Mapping[str, Sequence[Mapping[str, Any]]]
"""By request the collapsed facts, in the order of the file."""
Labels = Iterable[tuple[str, str]]
"""Collapsed fact and label."""


def runs_of(facts: Facts) -> list[str]:
    """Every run that has a raw fact anywhere."""
    found = set()
    for request, own in facts.items():
        for fact in own:
            for raw in fact["relevant_facts"]:
                found.add(run_of(raw, request))
    return sorted(found)


def kept(own: Sequence[Mapping[str, Any]], pool: str) -> list[Mapping[str, Any]]:
    """The facts that the rule holds: the first 64 by importance, ties in the order of the file."""
    if pool == "all":
        return list(own)
    left = list(own)
    chosen: list[Mapping[str, Any]] = []
    while left and len(chosen) < FIRST:
        best = left[0]
        for each in left:
            if each["importance"] > best["importance"]:
                best = each
        left.remove(best)
        chosen.append(best)
    return chosen


def score_of(fact: str, labels: Labels, reading: Reading) -> float:
    """The largest weight of its labels."""
    weight = {"USEFUL_FACT": 1.0, "REDUNDANT_FACT": float(reading.redundant)}
    best = 0.0
    for labelled, label in labels:
        if labelled == fact:
            best = max(best, weight.get(label, 0.0))
    return best


def request_rows(
    request: str,
    own: Sequence[Mapping[str, Any]],
    labels: Labels,
    runs: Sequence[str],
    reading: Reading,
) -> dict[str, Row] | None:
    """By run its row of a request; None for a request without a positive fact."""
    labels = list(labels)
    held = kept(own, reading.pool)
    scores = {fact["collapsed_fact_id"]: 0.0 for fact in held}
    for fact in scores:
        scores[fact] = score_of(fact, labels, reading)
    lagging = {fact for fact, label in labels if label == "LAGGED_FACT"}
    positive = [fact for fact, score in scores.items() if score > 0]
    if not positive:
        return None
    rows: dict[str, Row] = {}
    for run in runs:
        mine = [
            fact["collapsed_fact_id"]
            for fact in held
            if any(run_of(raw, request) == run for raw in fact["relevant_facts"])
        ]
        if mine:
            rows[run] = {
                "redundancy": sum(scores[fact] for fact in mine) / len(mine),
                "comprehensiveness": sum(fact in positive for fact in mine) / len(positive),
                "lagged": sum(fact in lagging for fact in mine) / len(mine),
            }
        elif reading.on_missing == "zero":
            rows[run] = {"redundancy": 0.0, "comprehensiveness": 0.0, "lagged": None}
    return rows


def table_2023(facts: Facts, labels: Labels, reading: Reading) -> dict[str, dict[str, Row]]:
    """By request and run the rows of all requests that are not skipped."""
    labels, runs = list(labels), runs_of(facts)
    found = {}
    for request, own in facts.items():
        if reading.events == "all" or event_of(request) in TRACK:
            mine = {fact["collapsed_fact_id"] for fact in own}
            there = [pair for pair in labels if pair[0] in mine]
            rows = request_rows(request, own, there, runs, reading)
            if rows is not None:
                found[request] = rows
    return found


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what is defined."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def mean_over_runs(rows: Mapping[str, Row], measure: str) -> float | None:
    """The table of a request."""
    return mean(row[measure] for row in rows.values())


def event_means(
    table: Mapping[str, Mapping[str, Row]], run: str, measure: str
) -> dict[str, float | None]:
    """By event the mean of a run over its requests."""
    by_event: dict[str, list[float | None]] = {}
    for request, rows in table.items():
        if run in rows:
            by_event.setdefault(event_of(request), []).append(rows[run][measure])
    return {event: mean(values) for event, values in by_event.items()}


def of_run(table: Mapping[str, Mapping[str, Row]], run: str, measure: str) -> float | None:
    """The mean over requests of an event, then over events."""
    if measure == "f1":
        two = [of_run(table, run, name) for name in ("redundancy", "comprehensiveness")]
        return None if None in two else harmonic(*two)
    return mean(event_means(table, run, measure).values())


def harmonic(first: Any, second: Any) -> float:
    """The harmonic mean; 0 if both are 0."""
    return 2 * first * second / (first + second) if first + second > 0 else 0.0


# 2022.


def top(items: Sequence[Mapping[str, Any]], number: int) -> list[Mapping[str, Any]]:
    """The items of highest importance; ties keep the order of the file."""
    places = list(range(len(items)))
    places.sort(key=lambda at: (-items[at]["importance"], at))
    return [items[at] for at in places[:number]]


def day_row(facts: Sequence[str], items: Sequence[Mapping[str, Any]]) -> Row:
    """The measures of a run on a day that has facts."""
    chosen = top(items, len(facts))
    assessed = [item for item in chosen if item["status"] != "unassessed"]
    times = dict.fromkeys(facts, 0)
    for item in assessed:
        for fact in set(item["facts"]):
            if fact in times:
                times[fact] += 1
    said = sum(number > 0 for number in times.values())
    row: dict[str, float | None] = {
        "comprehensiveness": said / len(facts),
        "unique_per_match": said / sum(times.values()) if said else None,
        "assessed": len(assessed) / len(chosen) if chosen else None,
    }
    once = row["unique_per_match"]
    row["redundancy_ratio"] = None if once is None else 1 - once
    for status in STATUSES:
        number = sum(item["status"] == status for item in assessed)
        row[status] = number / len(assessed) if assessed else None
    return row


def table_2022(
    gold: Mapping[str, Sequence[str]],
    items: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]],
    reading: Reading,
) -> dict[str, dict[str, Row]]:
    """By request and run; `items` has them by run and request."""
    table: dict[str, dict[str, Row]] = {}
    for request, facts in gold.items():
        if counts(request, facts, reading):
            for run, own in items.items():
                if request in own or reading.on_missing == "zero":
                    table.setdefault(request, {})[run] = day_row(facts, own.get(request, []))
    return table


def counts(request: str, facts: Sequence[str], reading: Reading) -> bool:
    """Whether a day counts by its facts and its event."""
    least = ENOUGH if reading.days == "10" else 1
    return len(facts) >= least and (reading.events == "all" or event_of(request) in TRACK)


def facts_per_request(events: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many facts each request of the gold file has."""
    return {
        request: len(facts)
        for event in events
        for request, facts in event["factsByRequest"].items()
    }


# Time.


def moment(text: str) -> datetime:
    """A time of UTC."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def ended(days: Mapping[str, str], tau: datetime) -> set[str]:
    """The requests whose day, of UTC, ends by a time."""
    found = set()
    for request, day in days.items():
        midnight = datetime.fromisoformat(day).replace(tzinfo=UTC)
        if midnight + timedelta(days=1) <= tau:
            found.add(request)
    return found


# The checker of run files.

KNOWN_QUERIES = {
    f"CrisisFACTS-{kind}-q{number:03d}"
    for kind, most in (
        ("General", 46),
        ("Accident", 10),
        ("Flood", 2),
        ("Hurricane", 4),
        ("Storm", 3),
        ("Tornado", 5),
        ("Wildfire", 6),
    )
    for number in range(1, most + 1)
} | {"CrisisFACTS-Hurricane-q06"}
POSTS = re.compile("CrisisFACTS-[0-9]+-(?:Twitter|Facebook|News)-[0-9]+-[0-9]+")
REDDIT = re.compile("CrisisFACTS-[0-9]+-Reddit-(?:s?[0-9]+-[0-9]+|s?[0-9]+-c?[0-9]+-[0-9]+)")


def accepts(line: str) -> bool:
    """Whether the checker, without its check of requests, lets a line pass."""
    said = json.loads(line)
    try:
        types = [
            type(said["requestID"]) is str,
            type(said["factText"]) is str,
            said["streamID"] is None or type(said["streamID"]) is str,
            type(said["unixTimestamp"]) is int,
            type(said["importance"]) is float,
            type(said["sources"]) is list and bool(said["sources"]),
            said["informationNeeds"] is None or type(said["informationNeeds"]) is list,
        ]
    except KeyError:
        return False
    if not all(types) or not 0 <= said["importance"] <= 1 or said["informationNeeds"] is None:
        return False
    if not set(said["informationNeeds"]) <= KNOWN_QUERIES:
        return False
    return all(POSTS.match(source) or REDDIT.match(source) for source in said["sources"])
