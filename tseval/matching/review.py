"""A review file: pairs with both texts for somebody to accept or reject, as spreadsheets open it.

It holds what the matcher found, what it just missed, and what was judged before. Filled in, it is
a file of corrections as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.errors import UsageError
from tseval.files.reading import Wrong
from tseval.files.rows import rows_bytes
from tseval.files.tsv import BYTE_ORDER_MARK
from tseval.matching.corrections import ACCEPT, REJECT, hold, refuse_corrections
from tseval.matching.matching import evidence, sorted_pairs
from tseval.tables import Corrections, Nuggets, Pairs, Updates, distinct

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
    threshold = _threshold(matcher)
    if threshold is None:
        return matcher
    return matcher.with_threshold(min(threshold, max(threshold - near, LEAST)))


def _threshold(matcher: matchers.Matcher) -> float | None:
    found: float | None = getattr(matcher, "threshold", None)
    return found


def review_bytes(
    matcher: matchers.Matcher,
    updates: Updates,
    nuggets: Nuggets,
    near: Pairs,
    corrections: Corrections | None,
    before: Corrections | None,
    form: str,
) -> bytes:
    """The file. `near` are the matcher's pairs by a threshold that lets near misses in, too.

    `before` are the verdicts that the file holds so far; one that would be lost is a fault.
    """
    import pandas as pd

    verdicts = _verdicts(corrections, before, updates, nuggets)
    rows = _rows(matcher, updates, nuggets, near, verdicts)
    return spreadsheet_bytes(pd.DataFrame(rows, columns=list(COLUMNS)), form)


def _verdicts(
    corrections: Corrections | None, before: Corrections | None, updates: Updates, nuggets: Nuggets
) -> dict[tuple[int, int], str]:
    """The verdicts so far, by rows of updates and nuggets; those of `before` are all kept."""
    kept = 0 if before is None else len(before)
    given = [each for each in (before, corrections) if each is not None and len(each)]
    if not given:
        return {}
    every = Corrections.join(given)
    held = hold(every, updates, nuggets, moved=True)
    if kept:
        lost = _lost(every, held.idle[held.idle < kept].tolist())
        opposed = (each for each in held.wrong if each.code == "conflicting-rows")
        refuse_corrections(every, [*opposed, *lost])
    words = np.where(held.accepted, ACCEPT, REJECT).tolist()
    pairs = zip(held.pairs.update.tolist(), held.pairs.nugget.tolist(), strict=True)
    return dict(zip(pairs, words, strict=True))


def _lost(c: Corrections, rows: Iterable[int]) -> Iterator[Wrong]:
    """Rows whose verdicts the new review would not hold."""
    for row in rows:
        reason = (
            f'the verdict on update "{c.update_id[row]}" and nugget "{c.nugget_id[row]}" of topic '
            f'"{c.topic[row]}" would be lost: these runs and nuggets have no such pair, or another '
            "verdict overrules it"
        )
        yield Wrong(row, reason, KEEP_CURE, "lost-verdict")


def _rows(
    matcher: matchers.Matcher,
    updates: Updates,
    nuggets: Nuggets,
    near: Pairs,
    verdicts: dict[tuple[int, int], str],
) -> Iterator[dict[str, Any]]:
    """The rows, nugget by nugget, of each the likeliest first."""
    pairs = _with_judged(near, verdicts, len(nuggets))
    least = _threshold(matcher) or 0.0
    for update, nugget, row in zip(
        pairs.update.tolist(),
        pairs.nugget.tolist(),
        evidence(matcher, updates, nuggets, pairs),
        strict=True,
    ):
        score = row["score"]
        yield row | {
            "verdict": verdicts.get((update, nugget), ""),
            "matched": "yes" if isinstance(score, float) and score >= least else "no",
            "nugget_text": cell_of(nuggets.text[nugget]),
            "update_text": cell_of(updates.text[update]),
        }


def _with_judged(near: Pairs, verdicts: dict[tuple[int, int], str], nuggets: int) -> Pairs:
    """The pairs with those that were judged before, which have no score if they are not among them.

    In the order of nuggets, of each by score.
    """
    judged = np.array([update * nuggets + nugget for update, nugget in verdicts], np.int64)
    more = np.setdiff1d(distinct(judged), near.update * nuggets + near.nugget)
    alone = Pairs(more // nuggets, more % nuggets, np.full(len(more), np.nan))
    pairs = sorted_pairs([near, alone])
    score = np.ones(len(pairs)) if pairs.score is None else pairs.score
    order = np.lexsort((pairs.update, -np.nan_to_num(score, nan=-1.0), pairs.nugget))
    return Pairs(pairs.update[order], pairs.nugget[order], score[order])


def cell_of(text: str) -> str:
    """A text in one line, and none that a spreadsheet takes for a formula."""
    line = " ".join(text.split())
    return f"'{line}" if line[:1] in FORMULA and line else line
