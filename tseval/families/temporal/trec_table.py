"""Writing scores as the scripts of TREC Temporal Summarization print them.

A row for each topic and run; after each topic the mean, standard deviation, least and greatest
value over runs; at the end the same for each run over its topics, and for all rows together. Rows
come in the natural order of topics and runs; the scripts end in the order of a Python 2 dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.errors import UsageError

if TYPE_CHECKING:
    from tseval.core.scores import Scores
    from tseval.tables.columns import FloatArray

DECIMALS = 4
STATISTICS: dict[str, Callable[..., Any]] = {
    "AVG": np.mean,
    "STD": np.std,
    "MIN": np.min,
    "MAX": np.max,
}
"""How the rows that sum up others are made; the standard deviation is that of a population."""


def trec_table_bytes(
    scores: Scores,
    titles: Mapping[str, str],
    teams: Mapping[str, tuple[str, str]],
    decimals: int = DECIMALS,
) -> bytes:
    """The official table; `titles` name its columns by measure.

    Where a measure is undefined it shows 0, as the scripts do. Scores of other measures than those
    of the titles are refused.
    """
    if scores.measures != tuple(titles):
        raise UsageError("the official table has the measures of its edition, all and no others")
    lines = ["\t".join(["QueryID", "TeamID", "RunID", *titles.values()])]
    for names, values in _rows(scores, teams):
        lines.append("\t".join([*names, *(f"{value:.{decimals}f}" for value in values.tolist())]))
    return "".join(f"{line}\n" for line in lines).encode()


def _rows(
    scores: Scores, teams: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[tuple[str, str, str], FloatArray]]:
    """Every line's three names and its values."""
    values = np.where(scores.defined, scores.values, 0.0)
    runs = [teams.get(run) or _parted(run) for run in scores.runs]
    for t, topic in enumerate(scores.topics):
        present = np.flatnonzero(scores.counted[:, t])
        for r in present.tolist():
            yield (topic, *runs[r]), values[r, t]
        for name, row in _summed_up(values[present, t]):
            yield (topic, name, "-"), row
    for r, run in enumerate(runs):
        for name, row in _summed_up(values[r, scores.counted[r]]):
            yield (name, *run), row
    for name, row in _summed_up(values[scores.counted]):
        yield (name, "ALL", "-"), row


def _parted(run: str) -> tuple[str, str]:
    """A run's name in two, as far as it goes."""
    team, _, own = run.partition("-")
    return team, own or "-"


def _summed_up(rows: FloatArray) -> Iterator[tuple[str, FloatArray]]:
    """Each statistic of some rows, column by column; none of no rows."""
    if len(rows):
        for name, statistic in STATISTICS.items():
            yield name, statistic(rows, axis=0)
