"""How much is held in memory at once, by name, and how more is allowed.

Two megabytes of gzip can hold a line of two gigabytes. What cannot be read piece by piece, a line
or a file of one document, is read up to a limit, and refused from there on in words. Tables of any
number of lines have no limit; but each of their updates may match each nugget, so matches have,
and each day of a timeline is held against each day of its references, so pairs of days have.
"""

from __future__ import annotations

import os
import re

from tseval.errors import UsageError
from tseval.records import frozen

SETTING = "TSEVAL_LIMITS"
"""The environment variable that raises limits: `TSEVAL_LIMITS="line=64M document=4G"`."""
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
_SIZE = re.compile(r"(\w+)=(\d{1,15})([KMG]?)", re.IGNORECASE | re.ASCII)


@frozen
class Limit:
    """The most bytes of one kind of thing, or the most things of a kind."""

    name: str
    default: int
    thing: str
    """What is no longer than this, in words."""
    meant: str = "so long"
    """What it is that has more and is all right."""

    @property
    def most(self) -> int:
        """How many there may be: as the setting says, if it names this limit."""
        return _said().get(self.name, self.default)

    @property
    def reason(self) -> str:
        """What is wrong with what has more."""
        return f"{self.thing} of more than {shown(self.most)}, the limit '{self.name}'"

    @property
    def cure(self) -> str:
        """How to allow more."""
        more = f"{SETTING}={self.name}={shown(4 * self.most)}"
        return f"if it is meant to be {self.meant}, raise the limit: {more} in the environment"


LINE = Limit("line", 16 * UNITS["M"], "a line")
DOCUMENT = Limit("document", UNITS["G"], "a file that is read as a whole,")
MATCHES = Limit("matches", 64 * UNITS["M"], "matches of updates with nuggets", "so many")
"""Each takes about a hundred bytes until it is scored."""
DAYS = Limit("days", 16 * UNITS["M"], "pairs of days", "so many")
"""Of a timeline with days of its references: each takes about a hundred bytes."""
ORDERS = Limit("orders", 64 * UNITS["M"], "runs on topics, each against all topics", "so many")
"""What rank correlations over topics count: each takes 32 bytes."""
LIMITS = {limit.name: limit for limit in (LINE, DOCUMENT, MATCHES, DAYS, ORDERS)}


def shown(size: int) -> str:
    """So many bytes as the setting has them: `16M`."""
    unit = next(u for u in reversed(UNITS) if size % UNITS[u] == 0 and size >= UNITS[u])
    return f"{size // UNITS[unit]}{unit}"


def _said() -> dict[str, int]:
    """The limits that the environment names."""
    said: dict[str, int] = {}
    for each in os.environ.get(SETTING, "").replace(",", " ").split():
        match = _SIZE.fullmatch(each)
        if match is None or match[1] not in LIMITS or not int(match[2]):
            known = " ".join(f"{limit.name}={shown(limit.default)}" for limit in LIMITS.values())
            raise UsageError(f"{SETTING} has '{each}'; by default it is: {known}")
        said[match[1]] = int(match[2]) * UNITS[match[3].upper()]
    return said
