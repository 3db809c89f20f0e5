"""How work is shared out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Protocol

from tseval.parallel.engine import Engine, Here, choose
from tseval.records import frozen


class Progress(Protocol):
    """Is told how much of some work is done."""

    def __call__(self, done: int, total: int, note: str = "", /) -> None:
        """So much of so much is done; `note` says what more there is to say."""


UNITS = 16
"""Updates are divided into so many units, or a multiple: two, four or eight get equal shares."""
FEWEST, MOST = 2048, 16384
"""No unit has fewer or more rows than these: it has to be worth handing out, and not so much that
a great deal is lost with it."""


@frozen
class Sharing:
    """Where work runs, and whether what was found before is taken from the disk.

    How many rows a unit has depends on the updates alone, so that whoever resumes with other
    engines finds the same units; `rows` says another number.
    """

    engine: Engine = field(default_factory=Here)
    resume: bool = False
    rows: int | None = None

    def rows_of(self, total: int) -> int:
        """How many of so many updates a unit has."""
        times = max(1, -(-total // (UNITS * MOST)))
        return self.rows or max(FEWEST, -(-total // (UNITS * times)))

    @property
    def is_here(self) -> bool:
        """Whether nothing is shared with anybody."""
        return isinstance(self.engine, Here)

    @property
    def is_alone(self) -> bool:
        """Whether nothing is shared with anybody, nor with another time."""
        return self.is_here and not self.resume


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
