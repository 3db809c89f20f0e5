"""What a matcher is held against, and how its scores of all of these pairs are counted.

Every different update of a topic is held against every nugget of the topic: part by part, wherever
a part is scored. Of the scores there stay tallies, and for each nugget the most extreme ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from tseval.matching.matching import (
    collection,
    every_score,
    evidence,
    judge_ahead,
    read_ahead,
)
from tseval.parallel.engine import Unit, check_is_there, check_same
from tseval.parallel.sharing import Progress, Sharing
from tseval.records import frozen
from tseval.tables import (
    ABSENT,
    InputRecord,
    Nuggets,
    Pairs,
    Updates,
    natural_order,
    repeated_rows,
)
from tseval.tables.arrow import strings
from tseval.tables.keys import rows_by_code

if TYPE_CHECKING:
    import matchers
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

BINS = 10_000
"""Scores in the same part of so many are taken as equal."""
STEP = 100
"""A threshold is chosen in steps of so many bins: in hundredths."""
SHOWN = 5
"""How many disagreements of each kind are listed."""


class Topic(NamedTuple):
    """A topic's name, the rows of its different updates and of its nuggets, and what is true."""

    name: str
    updates: IntArray
    nuggets: IntArray
    true: BoolArray
    """Updates x nuggets: which pairs assessors matched."""


class JudgedSource(Protocol):
    """The files of what is judged. It survives pickling, and equals another of the same files."""

    def listed(self) -> tuple[str, ...]:
        """Every path."""

    def read(self) -> JudgedUpdates:
        """Read all of it again."""

    def __hash__(self) -> int:
        """The same for the same files."""


@frozen
class JudgedUpdates:
    """Updates and nuggets, and the pairs of their rows that assessors matched."""

    updates: Updates
    nuggets: Nuggets
    pairs: Pairs
    inputs: tuple[InputRecord, ...]
    recalls: Callable[[JudgedUpdates, Pairs], FloatArray]
    """From pairs to the recall of each run and topic, which ranks the runs; NaN is undefined."""
    warnings: tuple[str, ...] = ()
    source: JudgedSource | None = None
    """Where all of it can be read again; None where it cannot."""

    @cached_property
    def collection(self) -> matchers.Collection:
        """The texts of all nuggets, whose words are counted once."""
        return collection(self.nuggets.text)

    @property
    def topics(self) -> list[str]:
        """The topics that have both updates and nuggets, in natural order."""
        shared = set(self.updates.topic.to_list()) & set(self.nuggets.topic.to_list())
        return natural_order(shared)

    @property
    def runs(self) -> list[str]:
        """The runs that the updates belong to."""
        return natural_order(set(self.updates.run.to_list()))

    def by_topic(self) -> Iterator[Topic]:
        """Topic by topic; an update that several runs sent counts once, as the first of them."""
        repeats, originals = repeated_rows(self.updates.topic, self.updates.update_id)
        first = np.arange(len(self.updates))
        first[repeats] = originals
        names = strings(self.topics)
        own = first == np.arange(len(first))
        topic_of = np.where(own, self.updates.topic.within(names), ABSENT)
        gold_of = self.nuggets.topic.within(names)
        rows_of, golds_of = rows_by_code(topic_of), rows_by_code(gold_of)
        pairs_of = rows_by_code(gold_of[self.pairs.nugget])
        none = np.zeros(0, np.int64)
        for code, name in enumerate(self.topics):
            rows, gold = rows_of.get(code, none), golds_of.get(code, none)
            mine = pairs_of.get(code, none)
            true = np.zeros((len(rows), len(gold)), bool)
            true[
                np.searchsorted(rows, first[self.pairs.update[mine]]),
                np.searchsorted(gold, self.pairs.nugget[mine]),
            ] = True
            yield Topic(name, rows, gold, true)


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


class Disagreement(NamedTuple):
    """A pair of which the matcher says one thing and the assessors the other.

    `says` is who calls it a match. `found` and `missing` are words of the nugget.
    """

    says: str
    topic: str
    update_id: str
    nugget_id: str
    score: float
    found: str
    missing: str
    nugget: str
    update: str


@frozen(eq=False)
class Peaks:
    """For each nugget the highest value that it met, and the update's row; none is -inf."""

    value: FloatArray
    update: IntArray

    @classmethod
    def none(cls, nuggets: int) -> Peaks:
        """Nothing met yet."""
        return cls(np.full(nuggets, -np.inf), np.full(nuggets, ABSENT))

    def meet(self, rows: IntArray, gold: IntArray, values: FloatArray) -> None:
        """Take in the values of some updates for some nuggets; of equal ones the first stays."""
        at = values.argmax(axis=0)
        peak = values[at, np.arange(len(gold))]
        higher = peak > self.value[gold]
        self.value[gold[higher]] = peak[higher]
        self.update[gold[higher]] = rows[at[higher]]

    def add(self, later: Peaks) -> None:
        """Take in the peaks of updates that come after; of equal ones the first stays."""
        higher = later.value > self.value
        self.value[higher] = later.value[higher]
        self.update[higher] = later.update[higher]


class Extremes:
    """The best pair of each nugget, the best of those that assessors deny, the worst they affirm.

    The worst ones are kept with the sign of their scores turned, so that all three are peaks.
    """

    def __init__(self, nuggets: int) -> None:
        self.any = Peaks.none(nuggets)
        self.denied = Peaks.none(nuggets)
        self.affirmed = Peaks.none(nuggets)

    def meet(self, rows: IntArray, gold: IntArray, score: FloatArray, true: BoolArray) -> None:
        """Take in the scores of some updates against the nuggets of their topic."""
        self.any.meet(rows, gold, score)
        self.denied.meet(rows, gold, np.where(true, -np.inf, score))
        self.affirmed.meet(rows, gold, np.where(true, -score, -np.inf))

    def add(self, later: Extremes) -> None:
        """Take in what was met among updates that come after."""
        for mine, theirs in (
            (self.any, later.any),
            (self.denied, later.denied),
            (self.affirmed, later.affirmed),
        ):
            mine.add(theirs)

    def found(self, threshold: float) -> dict[str, int]:
        """How many nuggets both found in any update, only one of them, or neither."""
        met = self.any.update != ABSENT
        by_matcher = (self.any.value >= threshold)[met]
        by_assessors = (self.affirmed.update != ABSENT)[met]
        return {
            "both": int((by_matcher & by_assessors).sum()),
            "matcher only": int((by_matcher & ~by_assessors).sum()),
            "assessors only": int((~by_matcher & by_assessors).sum()),
            "neither": int((~by_matcher & ~by_assessors).sum()),
        }

    def disagreements(
        self, judged: JudgedUpdates, matcher: matchers.Matcher
    ) -> Iterator[Disagreement]:
        """The worst of both kinds at the matcher's threshold, at most one a nugget and kind."""
        threshold: float = getattr(matcher, "threshold", 0.0)
        wrong = _highest(self.denied, least=threshold)
        missed = _highest(self.affirmed, least=np.nextafter(-threshold, np.inf))
        yield from _disagreeing("matcher", wrong, self.denied, judged, matcher)
        yield from _disagreeing("assessors", missed, self.affirmed, judged, matcher)


def _highest(peaks: Peaks, least: float) -> IntArray:
    """The nuggets with the highest peaks that are `least` or more; of equal ones the first."""
    order = np.argsort(-peaks.value, kind="stable")[:SHOWN]
    kept: IntArray = order[(peaks.value[order] >= least) & (peaks.update[order] != ABSENT)]
    return kept


def _disagreeing(
    says: str, gold: IntArray, peaks: Peaks, judged: JudgedUpdates, matcher: matchers.Matcher
) -> Iterator[Disagreement]:
    pairs = Pairs(peaks.update[gold], gold)
    for row, value, update, nugget in zip(
        evidence(matcher, judged.updates, judged.nuggets, pairs),
        peaks.value[gold].tolist(),
        pairs.update.tolist(),
        pairs.nugget.tolist(),
        strict=True,
    ):
        yield Disagreement(
            says=says,
            topic=str(row["topic"]),
            update_id=str(row["update_id"]),
            nugget_id=str(row["nugget_id"]),
            score=abs(value),
            found=str(row["found"]),
            missing=str(row["missing"]),
            nugget=judged.nuggets.text[nugget],
            update=judged.updates.text[update],
        )


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
    if sharing.is_here or judged.source is None or not matcher.by_blocks:
        every = np.concatenate([topic.updates for topic in topics])
        read_ahead(matcher, judged.updates.text.rows(every), progress)
        judge_ahead(matcher, _lots(judged, topics, matcher), judged.collection, progress)
        whole = scored_part(judged, topics, matcher, range(len(every)), progress)
        return whole.tally, whole.extremes
    tally, extremes = Tally.none(len(topics)), Extremes(len(judged.nuggets))
    total = sum(len(topic.updates) for topic in topics)
    rows = sharing.rows_of(total)
    work = ScoreWork(judged.source, tuple(each.sha256 for each in judged.inputs), matcher)
    units = [work.unit(start, min(start + rows, total)) for start in range(0, total, rows)]
    for unit, part in zip(units, sharing.engine.run(work, units), strict=True):
        met = slice(part.first, part.first + len(part.tally.true))
        tally.true[met] += part.tally.true
        tally.other[met] += part.tally.other
        extremes.add(part.extremes)
        if progress:
            progress(unit.last or 0, total)
    return tally, extremes


def _lots(
    judged: JudgedUpdates, topics: Sequence[Topic], matcher: matchers.Matcher
) -> list[matchers.Lot]:
    """The texts of each topic, for a matcher that asks about all of them at once."""
    if matcher.judgment() is None:
        return []
    from matchers import Lot

    texts, gold = judged.updates.text, judged.nuggets.text
    return [Lot(list(texts.rows(t.updates)), list(gold.rows(t.nuggets))) for t in topics]


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


@frozen
class ScoreWork:
    """Scoring a range of the judged updates, in the order of `JudgedUpdates.by_topic`."""

    source: JudgedSource
    hashes: tuple[str, ...]
    matcher: matchers.Matcher

    def unit(self, start: int, end: int) -> Unit:
        """The judged updates from `start` on, counted from 0, before `end`."""
        return Unit(self.source.listed()[0], start + 1, end, "judged updates")

    def __call__(self, unit: Unit) -> PartTally:
        """What is met there; everything is read once in a process."""
        for path in self.source.listed():
            check_is_there(path)
        judged, topics = _judged(self.source, self.hashes)
        chosen = range((unit.first or 1) - 1, unit.last or 0)
        return scored_part(judged, topics, self.matcher, chosen)


@lru_cache(maxsize=1)
def _judged(source: JudgedSource, hashes: tuple[str, ...]) -> tuple[JudgedUpdates, list[Topic]]:
    judged = source.read()
    for path, expected, read in zip(source.listed(), hashes, judged.inputs, strict=True):
        check_same(path, expected, read.sha256)
    return judged, list(judged.by_topic())
