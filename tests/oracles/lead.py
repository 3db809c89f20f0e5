"""Head to head, slow and obvious: who was earlier on what both said.

A run is a list of updates; M(n) is the earliest of them that matches the nugget n. On a topic two
runs share the nuggets that both have an M(n) for. The lead on a nugget is the other's time minus
one's own, in hours. Mean, median and shares are taken topic by topic, then averaged over the topics
in which anything is shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tests.oracles.temporal import Collection, earliest, select


def shared(collection: Collection, run: str, other: str, topic: str) -> list[Fraction]:
    """The leads of one topic in hours, smallest first."""
    ours, theirs = (earliest(select(collection, name, topic)) for name in (run, other))
    found = []
    for nugget, mine in ours.items():
        yours = theirs[nugget]
        if mine is not None and yours is not None:
            found.append((Fraction(yours.time) - Fraction(mine.time)) / 3600)
    return sorted(found)


def median(ordered: Sequence[Fraction]) -> Fraction:
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def lead(collection: Collection, run: str, other: str) -> dict[str, Fraction | int | None]:
    """Everything that stands in a row, but for the intervals."""
    topics = sorted({nugget.topic for nugget in collection.nuggets})
    of_topics = [shared(collection, run, other, topic) for topic in topics]
    there = [leads for leads in of_topics if leads]

    def share(leads: list[Fraction], sign: int) -> Fraction:
        return Fraction(sum(lead * sign > 0 for lead in leads), len(leads))

    def over_topics(values: list[Fraction]) -> Fraction | None:
        return sum(values, Fraction(0)) / len(values) if values else None

    return {
        "topics": len(there),
        "nuggets": sum(len(leads) for leads in there),
        "mean": over_topics([sum(leads, Fraction(0)) / len(leads) for leads in there]),
        "median": over_topics([median(leads) for leads in there]),
        "earlier": over_topics([share(leads, 1) for leads in there]),
        "later": over_topics([share(leads, -1) for leads in there]),
    }
