"""Which texts of updates that say a nugget a page holds: so many characters, each so many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.wording import count
from tseval.families.temporal.evaluation import TemporalEvaluation
from tseval.records import frozen
from tseval.tables import ABSENT

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

ROOM, CUT = 4_000_000, 2_000
"""So many characters have all of these texts together, and so many each."""
LEFT_OUT = "…"
"""What stands for a text that has no room."""


@frozen
class HeldTexts:
    """What a page shows of the updates that say a nugget."""

    texts: Mapping[int, str]
    """By the row of the update; of those that there is no room for, nothing."""
    most: int
    """So many characters of each, before the mark that it goes on."""
    note: str
    """How many are left out or cut; nothing where all stand whole."""

    def of(self, update: int) -> str:
        """The text of an update, as far as the page holds it."""
        return self.texts.get(update, LEFT_OUT)


def held_texts(evaluation: TemporalEvaluation) -> HeldTexts:
    """The first words of nuggets before repetitions, and as many of each run."""
    index = evaluation.index
    rows = np.unique(evaluation.pairs.update)
    rows = rows[index.unit[rows] != ABSENT]
    texts = index.updates.text.rows(rows)[:]
    size = np.array([min(len(text), CUT) for text in texts], np.float64)
    run = index.unit[rows] // len(index.topics)
    kept = worst(run, (index.firsts[rows] > 0).astype(np.float64), size, ROOM).tolist()
    held = {int(rows[at]): shortened(texts[at], CUT) for at in kept}
    told = []
    if len(kept) < len(rows):
        left = count(len(rows) - len(kept), "text")
        told.append(f"{left} of {len(rows):,} left out, as there is room for {ROOM:,} characters")
    long = sum(len(texts[at]) > CUT for at in kept)
    if long:
        told.append(f"{count(long, 'text')} cut after {CUT:,} characters")
    return HeldTexts(held, CUT, f"Texts of updates: {'; '.join(told)}." if told else "")


def shortened(text: str, most: int) -> str:
    """The beginning of a long text."""
    return f"{text[:most]}…" if len(text) > most else text


def worst(run: IntArray, badness: FloatArray, size: FloatArray, most: float) -> IntArray:
    """The places of the worst rows, the worst first; of equal ones the first.

    Where their sizes come to more than `most` it is as many of each run, its worst.
    """
    order = np.lexsort((-badness, run))
    rank = np.arange(len(order)) - np.searchsorted(run[order], run[order])
    turns = order[np.lexsort((run[order], rank))]
    kept = turns[np.cumsum(size[turns]) <= most]
    places: IntArray = kept[np.lexsort((kept, -badness[kept]))]
    return places
