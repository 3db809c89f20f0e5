"""Times that are likely not what they seem: in milliseconds, or years away from the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.wording import count, listed
from tseval.records import frozen
from tseval.tables import Ids, natural_order
from tseval.tables.keys import earliest, latest, rows_by_code
from tseval.tables.times import UNITS, dated

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray

FAR = 1e11
"""Of Unix seconds this is in the year 5138, of milliseconds in 1973: nobody's times are between."""


def not_in_seconds(what: str, last: float) -> Iterator[str]:
    """A warning, if times can hardly be seconds; costs, latencies and gains would all be wrong."""
    if last >= FAR:
        yield f"{what}: times up to {last:.0f} look like milliseconds; they are read as seconds"


def runs_not_in_seconds(runs: Ids, time: FloatArray) -> Iterator[str]:
    """The same for each run of a table."""
    found = latest(runs.codes, time, len(runs.names)).tolist()
    for run, most in zip(runs.vocabulary(), found, strict=True):
        yield from not_in_seconds(f"run {run}", most)


YEARS_APART = 2 * 365.25 * UNITS["d"]
"""No event is reported for as long as this, and no filtering track took as long."""


@frozen
class Span:
    """From when to when the times of a topic are in one table."""

    table: str
    topic: str
    first: float
    last: float


def spans(table: str, topic: Ids, time: FloatArray) -> Iterator[Span]:
    """The span of each topic of a table; times that are not known are left out."""
    known = ~np.isnan(time)
    codes, times = topic.codes[known], time[known]
    first, last = (each(codes, times, len(topic.names)) for each in (earliest, latest))
    there = np.flatnonzero(first <= last)
    for name, low, high in zip(
        topic.take_names(there), first[there].tolist(), last[there].tolist(), strict=True
    ):
        yield Span(table, name, low, high)


def run_spans(runs: Ids, topic: Ids, time: FloatArray) -> Iterator[Span]:
    """The same for each run of a table."""
    for code, own in rows_by_code(runs.codes).items():
        yield from spans(f"run {runs.names[code]}", topic.rows(own), time[own])


def years_apart(found: Iterable[Span], judged: Iterable[str]) -> Iterator[str]:
    """A warning of judged topics whose times lie years apart: some are likely not theirs."""
    of_topic: dict[str, list[Span]] = {name: [] for name in natural_order(set(judged))}
    for span in found:
        if span.topic in of_topic:
            of_topic[span.topic].append(span)
    told = []
    for topic, all_spans in of_topic.items():
        if not all_spans:
            continue
        low = min(all_spans, key=lambda span: span.first)
        high = max(all_spans, key=lambda span: span.last)
        if high.last - low.first > YEARS_APART and high.last < FAR:
            first, last = (
                f"{dated(low.first)} ({low.table})",
                f"{dated(high.last)} ({high.table})",
            )
            told.append(f"{topic} from {first} to {last}")
    if told:
        yield f"times of {count(len(told), 'topic')} lie years apart: {listed(told)}"
