"""Matches that a matcher made: its name stands beside each, with a checksum of them all.

So a table says whose matches it holds when it is read again, and whether they are still these.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tseval.io.cells import GRADES

EDITED = "edited"
NAMELESS = "machine"
"""Whose matches are those of a table that has the columns and not one row."""
DIGITS = 12
"""How many hexadecimal digits a checksum has."""
IDS, SPAN = ("topic", "update_id", "nugget_id", "run"), ("start", "end")
"""The columns that a checksum is made of."""
GRADE = "grade"
"""It is made of this one too, where a matcher grades its matches: the label or the number."""
UNIT = "\x1f"
"""Stands between the cells of a row, since no table holds it in an id."""


def checksum(matcher: str, rows: Iterable[Sequence[str]]) -> str:
    """What changes with any row of a matcher's matches, whatever their order."""
    lines = sorted(UNIT.join(row) for row in rows)
    return hashlib.sha256("\n".join([matcher, *lines]).encode()).hexdigest()[:DIGITS]


def signed(rows: Sequence[Mapping[str, Any]], matcher: str) -> Iterator[dict[str, Any]]:
    """A matcher's matches with the two cells that say so."""
    cells = (
        [
            *(str(row[name]) for name in IDS),
            *(_place(row[name]) for name in SPAN),
            *([_grade(row[GRADE])] if GRADE in row else []),
        ]
        for row in rows
    )
    signature = {"matcher": matcher, "checksum": checksum(matcher, cells)}
    return ({**row, **signature} for row in rows)


def _grade(label: str) -> str:
    """A grade as a number, by its label; nothing where there is none."""
    return _place(GRADES[label]) if label else ""


def _place(value: float | None) -> str:
    """A place in a text as it is written; nothing where there is none."""
    return "" if value is None or math.isnan(value) else f"{value:.15g}"
