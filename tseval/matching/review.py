"""A review file: pairs with both texts for somebody to accept or reject, as spreadsheets open it.

It holds what the matcher found, what it just missed, and what was judged before. Filled in, it is
a file of corrections as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

import polars as pl

from tseval.errors import UsageError
from tseval.io.cells import BYTE_ORDER_MARK
from tseval.io.rows import rows_bytes
from tseval.io.tables import Table
from tseval.matching.corrections import ACCEPT, IDS, REJECT, hold, refuse_rows
from tseval.matching.matching import PAIRS, evidence

if TYPE_CHECKING:
    import pandas as pd

    import matchers

COLUMNS = (
    *("verdict", "matched", "score", "topic", "nugget_text", "update_text"),
    *("found", "missing", "run", "nugget_id", "update_id"),
)
FORMS = ("csv", "tsv")
LEAST = 1e-10
"""The least score of a pair that has anything in common."""
NEAR = 0.1
"""How far below the threshold a pair is a near miss."""
KEEP_CURE = (
    "give the runs and nuggets that it was made for, name another file, or discard all verdicts of "
    "this file with --overwrite"
)
FORMULA = "=+-@"
"""What begins with one of these, a spreadsheet takes for a formula, unless a quote is before it."""


def spreadsheet_form(path: PurePath, what: str = "a review") -> str:
    """The form of a file for a spreadsheet by its suffix; another one is a `UsageError`."""
    form = path.suffix.lstrip(".").lower()
    if form not in FORMS:
        raise UsageError(f"{what} is for a spreadsheet: call it {path.stem}.csv or {path.stem}.tsv")
    return form


def spreadsheet_bytes(frame: pd.DataFrame, form: str) -> bytes:
    """Rows as spreadsheets open them: CSV begins with a byte order mark, which says UTF-8."""
    content = rows_bytes(frame, form, "")
    return BYTE_ORDER_MARK + content if form == "csv" else content


def lowered(matcher: matchers.Matcher, near: float) -> matchers.Matcher:
    """The matcher that lets near misses in, too; itself if it has no threshold."""
    threshold: float | None = getattr(matcher, "threshold", None)
    if threshold is None:
        return matcher
    return matcher.with_threshold(min(threshold, max(threshold - near, LEAST)))


def review_bytes(
    matcher: matchers.Matcher,
    updates: pl.DataFrame,
    nuggets: pl.DataFrame,
    near: pl.DataFrame,
    corrections: Table | None,
    before: Table | None,
    form: str,
) -> bytes:
    """Return the file: nugget by nugget, of each the likeliest pair first.

    `near` are the matcher's pairs by a threshold that lets near misses in, too. `before` are the
    verdicts that the file holds so far; one that would be lost is a fault.
    """
    import pandas as pd

    key = ["update", "nugget"]
    pairs = near.join(
        _find_known(corrections, before, updates, nuggets), on=key, how="full", coalesce=True
    )
    pairs = pairs.sort(
        "nugget", "score", "update", descending=[False, True, False], nulls_last=True
    )
    least = getattr(matcher, "threshold", None) or 0.0
    texts = zip(
        nuggets["text"].gather(pairs["nugget"]),
        updates["text"].gather(pairs["update"]),
        strict=True,
    )
    words = {True: ACCEPT, False: REJECT, None: ""}
    rows = [
        row
        | {
            "verdict": words[accepted],
            "matched": "yes" if score is not None and score >= least else "no",
            "nugget_text": cell_of(nugget),
            "update_text": cell_of(update),
        }
        for row, score, accepted, (nugget, update) in zip(
            evidence(matcher, updates, nuggets, pairs),
            pairs["score"],
            pairs["accepted"],
            texts,
            strict=True,
        )
    ]
    return spreadsheet_bytes(pd.DataFrame(rows, columns=list(COLUMNS)), form)


def _find_known(
    corrections: Table | None, before: Table | None, updates: pl.DataFrame, nuggets: pl.DataFrame
) -> pl.DataFrame:
    """Return the verdicts so far, `update nugget accepted`; those of `before` are all kept."""
    given = [each for each in (before, corrections) if each is not None and each.frame.height]
    if not given:
        kinds = {"update": PAIRS["update"], "nugget": PAIRS["nugget"], "accepted": pl.Boolean}
        return pl.DataFrame(schema=kinds)
    every = join_verdicts(given)
    held = hold(every, updates, nuggets, moved=True)
    if before is not None:
        told = (
            'the verdict on update "{}" and nugget "{}" of topic "{}" would be lost: these runs '
            "and nuggets have no such pair, or another verdict overrules it"
        )
        rows = every.frame.with_row_index("row").head(before.frame.height)
        lost = rows.filter(pl.col("row").is_in(held.idle.implode())).select(
            "row",
            told=pl.format(told, "update_id", "nugget_id", "topic"),
            cure=pl.lit(KEEP_CURE),
            code=pl.lit("lost-verdict"),
        )
        opposed = held.wrong.filter(pl.col("code") == "conflicting-rows")
        refuse_rows(every, pl.concat([opposed, lost]))
    return held.pairs


def join_verdicts(tables: Sequence[Table]) -> Table:
    """Return the verdicts of several files, one below the other."""
    columns = ["line", "run", *IDS, "update_text", "nugget_text", "accepted"]
    frames = [
        each.frame.select(*columns, file=pl.lit(at, pl.Int32)) for at, each in enumerate(tables)
    ]
    sources = tuple(each.sources[0] for each in tables)
    return replace(tables[0], frame=pl.concat(frames), sources=sources)


def cell_of(text: str) -> str:
    """A text in one line, and none that a spreadsheet takes for a formula."""
    line = " ".join(text.split())
    return f"'{line}" if line[:1] in FORMULA and line else line
