"""Matches that a matcher made: its name stands beside each, with a checksum of them all.

So a table says whose matches it holds when it is read again, and whether they are still these.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from tseval.files.plain import Rows
    from tseval.tables.columns import BoolArray, FloatArray

EDITED = "edited"
NAMELESS = "machine"
"""Whose matches are those of a table that has the columns and not one row."""
DIGITS = 12
"""How many hexadecimal digits a checksum has."""
UNIT = "\x1f"
"""Stands between the cells of a row, since no table holds it in an id."""


def checksum(matcher: str, rows: Iterable[Sequence[str]]) -> str:
    """What changes with any row of a matcher's matches, whatever their order."""
    lines = sorted(UNIT.join(row) for row in rows)
    return hashlib.sha256("\n".join([matcher, *lines]).encode()).hexdigest()[:DIGITS]


def signed(frame: pd.DataFrame, matcher: str) -> pd.DataFrame:
    """A matcher's matches with the two columns that say so."""
    ids = (frame[name].astype(str) for name in ("topic", "update_id", "nugget_id", "run"))
    spans = (_spans(frame[name].to_numpy(dtype=np.float64)) for name in ("start", "end"))
    return frame.assign(matcher=matcher, checksum=checksum(matcher, zip(*ids, *spans, strict=True)))


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
    ids = [rows.get(name) for name in ("topic", "update_id", "nugget_id", "run")]
    number = int(own.sum())
    named = ([""] * number if each is None else each.rows(own).to_list() for each in ids)
    spans = (rows.get(name) for name in ("start", "end"))
    shown = ([""] * number if each is None else _spans(each[own]) for each in spans)
    return zip(*named, *shown, strict=True)


def _spans(values: FloatArray) -> list[str]:
    """Places in a text as they are written; nothing where there is none."""
    return ["" if np.isnan(value) else f"{value:.15g}" for value in values.tolist()]
