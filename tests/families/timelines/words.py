"""The words of a summary, for slow references that do not tell how texts become words."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tseval.families.timelines.words import Wording


def tokens(wording: Wording, sentences: Sequence[str]) -> list[str]:
    texts = pl.DataFrame({"text": sentences}, schema={"text": pl.String})
    words = texts.select(wording.split(pl.col("text"))).to_series().to_list()
    written = [word for each in words for word in each]
    known = wording.count_as(written)
    return [word for each in written if (word := known[each]) is not None]
