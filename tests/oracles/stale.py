"""Facts that change, as their definitions read: a case is the updates and nuggets of one topic.

Times are numbers, and `None` where there is none. A time t of `None` is later than every update.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple


class Update(NamedTuple):
    """A message of the run, and the ids of the nuggets that it says."""

    time: int
    says: frozenset[str]


class Nugget(NamedTuple):
    """A fact: since when it is true, until when, and which fact is true instead."""

    nugget_id: str
    time: int
    until: int | None = None
    replaced_by: str | None = None


def sent_before(updates: Sequence[Update], t: float | None) -> list[Update]:
    """The updates before t."""
    return [each for each in updates if t is None or each.time < t]


def end(nugget: Nugget, nuggets: Sequence[Nugget]) -> int | None:
    """Until when a nugget is true: as it says, else until the time of the nugget after it."""
    if nugget.until is not None:
        return nugget.until
    for other in nuggets:
        if other.nugget_id == nugget.replaced_by:
            return other.time
    return None


def stale_nuggets(update: Update, nuggets: Sequence[Nugget]) -> list[str]:
    """The nuggets that an update says after their end."""
    found = []
    for nugget in nuggets:
        last = end(nugget, nuggets)
        if nugget.nugget_id in update.says and last is not None and update.time > last:
            found.append(nugget.nugget_id)
    return found


def stale(
    updates: Sequence[Update], nuggets: Sequence[Nugget], t: float | None = None
) -> Fraction | None:
    """The share of the updates before t that say a nugget after its end."""
    sent = sent_before(updates, t)
    if not sent:
        return None
    return Fraction(sum(bool(stale_nuggets(each, nuggets)) for each in sent), len(sent))


def catch_up(
    updates: Sequence[Update], nuggets: Sequence[Nugget], t: float | None = None
) -> Fraction | None:
    """The mean hours from the end of a replaced nugget to the first update that says the next."""
    delays = []
    for nugget in nuggets:
        last = end(nugget, nuggets)
        times = [each.time for each in sent_before(updates, t) if nugget.replaced_by in each.says]
        if nugget.replaced_by is not None and last is not None and times:
            delays.append(Fraction(max(0, min(times) - last), 3600))
    return sum(delays, Fraction(0)) / len(delays) if delays else None
