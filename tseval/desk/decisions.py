"""What people decide at the desk: one row each, appended and never changed.

A decision speaks of an update of the pool, of a nugget, or of both. What several rows say together,
as a saved update with all its nuggets does, is one *act*; taking it back is a row too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MATCH, NO_MATCH = "match", "no match"
"""The update says the nugget, or does not."""
DONE = "done"
"""The assessor has read the update: every nugget that was shown and is not matched is no match.
Those that were given always are shown; `value` lists the others as JSON, in order."""
SETTLED_MATCH, SETTLED_NO_MATCH = "settled: match", "settled: no match"
"""What a third person says of a pair that assessors disagree on."""
WRITE, TEXT, WEIGH, DATE = "write", "text", "weigh", "date"
"""A new nugget; another text, importance or time of one. `value` holds it."""
DROP = "drop"
"""The nugget is none. Where it was split, `value` names what it was split into."""
MERGE = "merge"
"""The nugget says the same as the one that `value` names, which stays."""
TOGETHER, ALONE, OUT = "together", "alone", "in no cluster"
"""The update's cluster and that of the update in `value` become one; it gets one of its own; it
belongs to none."""
SELECT, UNSELECT = "selected", "not selected"
"""Whether the update is one that a cluster is made for."""
UNDO = "undo"
"""The act that `value` names counts no more."""

VERDICTS = (
    *(MATCH, NO_MATCH, DONE, SETTLED_MATCH, SETTLED_NO_MATCH, WRITE, TEXT, WEIGH, DATE),
    *(DROP, MERGE, TOGETHER, ALONE, OUT, SELECT, UNSELECT, UNDO),
)


@dataclass(frozen=True, slots=True)
class Decision:
    """One row. The store gives it the last four fields; before, they are empty."""

    assessor: str
    verdict: str
    topic: str = ""
    update: str = ""
    """The name of an update of the pool."""
    nugget: str = ""
    start: int | None = None
    """Where the words that say the nugget begin in the update, in characters."""
    end: int | None = None
    value: str = ""
    note: str = ""
    shown_by: str = ""
    """Why the queue showed the update."""
    store: str = ""
    """The store that it was made in."""
    rev: int = 0
    """Its number there."""
    act: int = 0
    """The number of the first row of the same act."""
    at: int = 0
    """When, in microseconds since 1970; within a store each is later than the one before."""

    @property
    def place(self) -> tuple[int, str, int]:
        """Where it stands among all, whichever store they came by."""
        return self.at, self.store, self.rev

    @property
    def act_name(self) -> str:
        """The name of its act in all stores."""
        return f"{self.store}:{self.act}"


def not_undone(decisions: Iterable[Decision]) -> list[Decision]:
    """The decisions that were not taken back, in their order."""
    ordered = sorted(decisions, key=lambda each: each.place)
    undone = {each.value for each in ordered if each.verdict == UNDO}
    return [each for each in ordered if each.verdict != UNDO and each.act_name not in undone]


def last_act(decisions: Iterable[Decision], assessor: str) -> Decision | None:
    """The first row of an assessor's last act that was not taken back; None if none is left."""
    own = [each for each in not_undone(decisions) if each.assessor == assessor]
    if not own:
        return None
    return next(each for each in own if each.act_name == own[-1].act_name)
