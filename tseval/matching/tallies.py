"""The scores of judged pairs as tallies and extremes: part by part, wherever a part is scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval.matching.judged import JudgedFiles, JudgedUpdates, Topic, read_files
from tseval.matching.matching import Progress, every_score, read_ahead
from tseval.matching.worst import Extremes
from tseval.parallel.engine import Unit
from tseval.parallel.sharing import Sharing
from tseval.parallel.work import check_is_there, check_same

if TYPE_CHECKING:
    import matchers
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

BINS = 10_000
"""Scores in the same part of so many are taken as equal."""
STEP = 100
"""A threshold is chosen in steps of so many bins: in hundredths."""


class Tally(NamedTuple):
    """For each topic and bin of scores, how many true pairs lie there, and how many others."""

    true: FloatArray
    other: FloatArray

    @classmethod
    def none(cls, topics: int) -> Tally:
        """Nothing met yet."""
        return cls(np.zeros((topics, BINS + 1)), np.zeros((topics, BINS + 1)))

    def meet(self, topic: int, score: FloatArray, true: BoolArray) -> None:
        """Take in the scores of some pairs of a topic."""
        bins = np.floor(score * BINS + 1e-6).astype(np.int64)
        self.true[topic] += np.bincount(bins[true], minlength=BINS + 1)
        self.other[topic] += np.bincount(bins[~true], minlength=BINS + 1)

    def drawn(self, times: IntArray) -> Tally:
        """The tallies of all topics together, for each row of how often each topic counts."""
        return Tally(times @ self.true, times @ self.other)

    def occupied(self) -> Tally:
        """Without the bins that hold nothing in any topic: for what knows no thresholds."""
        kept = (self.true + self.other).any(axis=0)
        return Tally(self.true[:, kept], self.other[:, kept])

    def coarse(self) -> Tally:
        """In hundredths, which are the thresholds to choose from; 1 is a bin of its own."""
        starts = np.arange(0, BINS + 1, STEP)
        return Tally(*(np.add.reduceat(side, starts, axis=1) for side in self))


class PartTally(NamedTuple):
    """What was met among some of the judged updates: tallies of topics `first` and following."""

    first: int
    tally: Tally
    extremes: Extremes


def scored(
    judged: JudgedUpdates, matcher: matchers.Matcher, sharing: Sharing, progress: Progress | None
) -> tuple[Tally, Extremes]:
    """Every different update of a topic against every nugget of it.

    It is shared out where workers can read what is judged; a matcher that reads ahead works here.
    """
    topics = list(judged.by_topic())
    if sharing.is_here or judged.files is None or not matcher.by_blocks:
        every = np.concatenate([topic.updates for topic in topics])
        read_ahead(matcher, judged.updates.text.rows(every), progress)
        whole = scored_part(judged, topics, matcher, range(len(every)), progress)
        return whole.tally, whole.extremes
    tally, extremes = Tally.none(len(topics)), Extremes(len(judged.nuggets))
    total = sum(len(topic.updates) for topic in topics)
    rows = sharing.rows_of(total)
    work = ScoreWork(judged.files, tuple(each.sha256 for each in judged.inputs), matcher)
    units = [work.unit(start, min(start + rows, total)) for start in range(0, total, rows)]
    for unit, part in zip(units, sharing.engine.run(work, units), strict=True):
        met = slice(part.first, part.first + len(part.tally.true))
        tally.true[met] += part.tally.true
        tally.other[met] += part.tally.other
        extremes.add(part.extremes)
        if progress:
            progress(unit.last or 0, total)
    return tally, extremes


def scored_part(
    judged: JudgedUpdates,
    topics: Sequence[Topic],
    matcher: matchers.Matcher,
    chosen: range,
    progress: Progress | None = None,
) -> PartTally:
    """What is met among some judged updates, which are counted from 0 over all topics."""
    sizes = np.array([len(topic.updates) for topic in topics])
    before = np.cumsum(sizes) - sizes
    met = np.flatnonzero((before < chosen.stop) & (before + sizes > chosen.start)).tolist()
    tally, extremes = Tally.none(len(met)), Extremes(len(judged.nuggets))
    done = 0
    for place, number in enumerate(met):
        topic, first = topics[number], int(before[number])
        own = slice(max(0, chosen.start - first), chosen.stop - first)
        rows, all_true = topic.updates[own], topic.true[own]
        texts, gold = judged.updates.text.rows(rows), list(judged.nuggets.text.rows(topic.nuggets))
        for part, score in every_score(matcher, texts, gold, judged.collection):
            extremes.meet(rows[part], topic.nuggets, score, all_true[part])
            tally.meet(place, score, all_true[part])
            done += len(score)
            if progress:
                progress(done, len(chosen))
    return PartTally(met[0], tally, extremes)


@dataclass(frozen=True)
class ScoreWork:
    """Scoring a range of the judged updates, in the order of `JudgedUpdates.by_topic`."""

    files: JudgedFiles
    hashes: tuple[str, ...]
    matcher: matchers.Matcher

    def unit(self, start: int, end: int) -> Unit:
        """The judged updates from `start` on, counted from 0, before `end`."""
        return Unit(self.files.updates[0], start + 1, end, "judged updates")

    def __call__(self, unit: Unit) -> PartTally:
        """What is met there; everything is read once in a process."""
        for path in self.files.listed():
            check_is_there(path)
        judged, topics = _judged(self.files, self.hashes)
        chosen = range((unit.first or 1) - 1, unit.last or 0)
        return scored_part(judged, topics, self.matcher, chosen)


@lru_cache(maxsize=1)
def _judged(files: JudgedFiles, hashes: tuple[str, ...]) -> tuple[JudgedUpdates, list[Topic]]:
    judged = read_files(files)
    for path, expected, source in zip(files.listed(), hashes, judged.inputs, strict=True):
        check_same(path, expected, source.sha256)
    return judged, list(judged.by_topic())
