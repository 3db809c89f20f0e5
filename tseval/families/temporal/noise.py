"""Updates that match no nugget: what readers got for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.blocks import Head, Rows, Searched
from tseval.core.sections import Setting
from tseval.core.wording import count
from tseval.families.temporal.evaluation import TemporalEvaluation
from tseval.families.temporal.words import word_counts
from tseval.tables.times import UNITS

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

MOST = 1000
"""So many updates a page holds at most, as many of each run."""


def noise(evaluation: TemporalEvaluation, setting: Setting[Any]) -> Searched | None:
    """Updates that match nothing, by run, topic and time; None where there is none.

    Where they are too many these are the longest of each run.
    """
    index = evaluation.index
    idle = index.sent[index.says[index.sent] == 0]
    if not len(idle):
        return None
    run = index.unit[idle] // len(index.topics)
    words = word_counts(index.updates.text.rows(idle), index.rules.words)
    kept = _longest(run, words, max(1, MOST // len(index.runs)))
    said = f"{count(len(idle), 'update')} that match no nugget"
    cut = f"{len(kept):,} of them are here, the longest of each run."
    note = cut if len(kept) < len(idle) else "All are here."
    rows = []
    for row, long in zip(idle[kept].tolist(), words[kept].tolist(), strict=True):
        place, topic = divmod(int(index.unit[row]), len(index.topics))
        who = setting.run(index.runs[place]), index.topics[topic]
        update = index.updates.text[row], index.updates.update_id[row]
        hours = (float(index.updates.time[row]) - float(evaluation.starts[topic])) / UNITS["h"]
        rows.append((*who, hours, int(long), *update))
    heads = (
        *(Head("run", "run"), Head("topic", "name"), Head("time (h)", decimals=1)),
        *(Head("words", "count"), Head("text", "name"), Head("update", "name")),
    )
    table = Rows("Updates that match no nugget", heads, tuple(sorted(rows)))
    return Searched(said, note, table)


def _longest(run: IntArray, words: FloatArray, most: int) -> IntArray:
    """The places of so many rows of each run that have the most words; of equal ones the first."""
    order = np.lexsort((-words, run))
    first = np.searchsorted(run[order], run[order])
    kept: IntArray = np.sort(order[np.arange(len(order)) - first < most])
    return kept
