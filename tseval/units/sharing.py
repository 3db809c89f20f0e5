"""How work is shared out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tseval.engine import Engine, Here, choose

ROWS = 4096
"""How many updates a unit has: enough that handing it out costs nothing beside matching it."""


@dataclass(frozen=True)
class Sharing:
    """Where work runs, and whether what was found before is taken from the disk."""

    engine: Engine = field(default_factory=Here)
    resume: bool = False
    rows: int = ROWS

    @property
    def is_here(self) -> bool:
        """Whether nothing is shared with anybody."""
        return isinstance(self.engine, Here)


ALONE = Sharing()
"""All in this process, with what it has in memory."""


@contextmanager
def shared(
    engine: str | Engine = "local",
    jobs: int | None = None,
    scheduler: str | None = None,
    *,
    resume: bool = False,
) -> Iterator[Sharing]:
    """Work shared as asked for; what is started for it ends with the block.

    An engine that is given as such is the caller's to close.
    """
    if not isinstance(engine, str):
        yield Sharing(engine, resume)
        return
    chosen = choose(engine, jobs, scheduler)
    try:
        yield Sharing(chosen, resume)
    finally:
        chosen.close()
