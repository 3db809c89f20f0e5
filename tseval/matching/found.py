"""What a matcher found, as rows with their evidence and whose they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tseval.io.machine_matches import GRADE, signed
from tseval.matching.matching import EVIDENCE, evidence

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    import matchers

    Row = dict[str, Any]


def found_rows(
    matcher: matchers.Matcher,
    updates: pl.DataFrame,
    nuggets: pl.DataFrame,
    pairs: pl.DataFrame,
    corrections: str | None,
) -> Iterator[Row]:
    """The matches with their evidence, grade and matcher; `corrections` is their hash, if any."""
    rows: list[Row] = list(evidence(matcher, updates, nuggets, pairs))
    for row in rows if matcher.grades else ():
        row[GRADE] = matcher.grades.get(row["score"], "")
    return signed(rows, made_by(matcher, corrections))


def made_by(matcher: matchers.Matcher, corrections: str | None) -> str:
    """Whose matches these are: the matcher's, with corrections or without."""
    return str(matcher) if corrections is None else f"{matcher}+corrections({corrections})"


def found_frame(rows: Sequence[Row], *, graded: bool) -> pd.DataFrame:
    """These rows as a table that is read again as matches."""
    import pandas as pd

    grade = [GRADE] if graded else []
    return pd.DataFrame(rows, columns=(*EVIDENCE, *grade, "matcher", "checksum"))
