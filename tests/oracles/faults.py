"""What went wrong, slow and obvious: one run on one topic at a time, in the words of the report.

    missed  = a nugget that no update of the run says
    late    = a nugget whose first update is later than the nugget's own time
    repeats = an update that says some nugget, and no more of any than earlier updates of the run
    noise   = an update that says no nugget, though somebody judged it
    unjudged = an update that nobody judged

Of equal times the update that stands first in the file comes first.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Sent(NamedTuple):
    """An update, in the order of the file."""

    name: str
    time: float


@dataclass
class Faults:
    """The four lists: names, with what is told of each."""

    missed: list[str] = field(default_factory=list)
    late: dict[str, float] = field(default_factory=dict)
    """By nugget the seconds."""
    repeats: list[str] = field(default_factory=list)
    noise: list[str] = field(default_factory=list)
    unjudged: list[str] = field(default_factory=list)


def faults(
    updates: Sequence[Sent],
    nuggets: Mapping[str, float],
    grades: Mapping[tuple[str, str], float],
    judged: Container[str] | None = None,
) -> Faults:
    """Of one run on one topic; nuggets by their times, and how far an update says a nugget.

    `judged` holds the names of the updates that somebody judged; None is all.
    """
    found = Faults()
    said: dict[str, float] = {}
    for update in sorted(updates, key=lambda each: each.time):  # sorting keeps ties as they were
        says = {name: grades.get((update.name, name), 0.0) for name in nuggets}
        more = [name for name, grade in says.items() if grade > said.get(name, 0.0)]
        if not any(says.values()):
            is_judged = judged is None or update.name in judged
            (found.noise if is_judged else found.unjudged).append(update.name)
        elif not more:
            found.repeats.append(update.name)
        for name in more:
            if name not in said and update.time > nuggets[name]:
                found.late[name] = update.time - nuggets[name]
            said[name] = says[name]
    found.missed = [name for name in nuggets if name not in said]
    return found
