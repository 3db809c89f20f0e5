"""Matches that a matcher made: its name stands beside each, with a checksum of them all.

So a table says whose matches it holds when it is read again, and whether they are still these.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.files.value_parsing import GRADES

if TYPE_CHECKING:
    from tseval.files.plain import Rows
    from tseval.tables.columns import BoolArray

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


def maker_of(rows: Rows) -> str | None:
    """Whose matches a table holds: `fuzzy(…)`, `fuzzy(…)+edited`; None if no matcher is named."""
    if rows.get("matcher") is None:
        return None
    matcher, told = np.array(list(rows.get("matcher")), object), rows.get("checksum")
    names = [name for name in dict.fromkeys(matcher.tolist()) if name]
    if not names:
        return None if len(matcher) else NAMELESS
    sums = np.array(list(told) if told is not None else [""] * len(matcher), object)
    whole = all(
        set(sums[own].tolist()) == {checksum(name, _cells(rows, own))}
        for name in names
        for own in (matcher == name,)
    )
    return "+".join([*names, *([] if whole and (matcher != "").all() else [EDITED])])


def _cells(rows: Rows, own: BoolArray) -> Iterable[Sequence[str]]:
    ids = [rows.get(name) for name in IDS]
    number = int(own.sum())
    named = ([""] * number if each is None else each.rows(own).to_list() for each in ids)
    spans = (rows.get(name) for name in SPAN)
    shown = (
        [""] * number if each is None else [_place(value) for value in each[own].tolist()]
        for each in spans
    )
    grade = rows.get(GRADE)
    graded = [] if grade is None or np.isnan(grade[own]).all() else [map(_place, grade[own])]
    return zip(*named, *shown, *graded, strict=True)


def _grade(label: str) -> str:
    """A grade as a number, by its label; nothing where there is none."""
    return _place(GRADES[label]) if label else ""


def _place(value: float | None) -> str:
    """A place in a text as it is written; nothing where there is none."""
    return "" if value is None or math.isnan(value) else f"{value:.15g}"
