"""What the track asks of a run beyond its format: ids, names, times, how much is said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tseval.errors import Fault
from tseval.tables import ABSENT, Ids, Topics, Updates

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray

UPDATE = re.compile(r"\d+-[0-9a-f]{32}-\d+", re.ASCII)
NAME = re.compile(r"[A-Za-z0-9_.\-]{1,32}", re.ASCII)
MOST_SENTENCES = 1000
"""How many sentences a run may send on a topic before it is warned."""
TOPIC = re.compile(r"(TS\d+\.)?(.*)", re.DOTALL)


def run_faults(updates: Updates) -> Iterator[Fault]:
    """Ids and names that the track does not take."""
    bad = ~_fitting(updates.update_id, UPDATE)
    for row in np.flatnonzero(bad).tolist():
        reason = f'"{updates.update_id[row]}" is no docid and sentence id'
        cure = "a docid is a time, a hyphen and 32 hexadecimal digits; a sentence id a number"
        yield updates.origin.fault(row, reason, cure, "id-format")
    codes, first = np.unique(updates.run.codes, return_index=True)
    for row in first[~_fitting(Ids(codes, updates.run.names), NAME)].tolist():
        reason = f'"{updates.run[row]}" is no name of a team and run'
        cure = "use at most 32 letters, digits, and . _ -"
        yield updates.origin.fault(row, reason, cure, "id-format")


def _fitting(ids: Ids, pattern: re.Pattern[str]) -> BoolArray:
    fits = np.array([bool(pattern.fullmatch(name)) for name in ids.vocabulary()], bool)
    fitting: BoolArray = fits[ids.codes]
    return fitting


def period_faults(updates: Updates, topics: Topics) -> Iterator[Fault]:
    """Updates of unknown topics, and those that were sent outside of their topic's period."""
    place = {_bare(name): at for at, name in enumerate(topics.topic.to_list())}
    by_name = [place.get(_bare(name), ABSENT) for name in updates.topic.vocabulary()]
    topic = np.array(by_name, np.int64)[updates.topic.codes]
    for row in np.flatnonzero(topic == ABSENT).tolist():
        reason = f'topic "{updates.topic[row]}" is not in the topics file'
        yield updates.origin.fault(row, reason, "", "unknown-id")
    known = topic != ABSENT
    early = known & (updates.time < topics.start[topic])
    late = np.zeros(len(updates), bool)
    if topics.end is not None:
        late = known & (updates.time > topics.end[topic])
    for row in np.flatnonzero(early | late).tolist():
        when = "before its topic starts" if early[row] else "after its topic ends"
        yield updates.origin.fault(row, f"the update was sent {when}", "", "time-range")


def _bare(name: str) -> str:
    match = TOPIC.fullmatch(name)
    return match[2] if match else name


def run_warnings(updates: Updates) -> Iterator[str]:
    """Topics on which a run says more than the track wants to read."""
    unit = updates.run.codes * len(updates.topic.names) + updates.topic.codes
    _, first, number = np.unique(unit, return_index=True, return_counts=True)
    for row, many in sorted(zip(first.tolist(), number.tolist(), strict=True)):
        if many > MOST_SENTENCES:
            run, topic = updates.run[row], updates.topic[row]
            yield f"run {run}: {many:,} sentences on topic {topic}, more than {MOST_SENTENCES:,}"
