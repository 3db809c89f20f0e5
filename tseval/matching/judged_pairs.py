"""What a matcher is held against, and how its scores of all of these pairs are counted.

Every different update of a topic is held against every nugget of the topic: part by part, wherever
a part is scored. Of the scores there stay tallies, and for each nugget the most extreme ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from tseval.io.inputs import InputRecord
from tseval.io.names import ABSENT, natural_order
from tseval.matching.in_units import hash_texts
from tseval.matching.matching import (
    all_scores,
    collection,
    evidence,
    look_ahead,
    pairs_of,
    rows_by_topic,
)
from tseval.parallel.engine import Unit
from tseval.parallel.sharing import Progress, Sharing
from tseval.records import frozen

if TYPE_CHECKING:
    import matchers
    from tseval.arrays import BoolArray, FloatArray, IntArray

BINS = 10_000
"""Scores in the same part of so many are taken as equal."""
STEP = 100
"""A threshold is chosen in steps of so many bins: in hundredths."""
SHOWN = 5
"""How many disagreements of each kind are listed."""


class Topic(NamedTuple):
    """A topic's name, its different updates and its nuggets by rows, and what is true."""

    name: str
    updates: IntArray
    texts: pl.Series
    """Of the updates."""
    nuggets: IntArray
    true: BoolArray
    """Updates x nuggets: which pairs assessors matched."""

    def cut(self, start: int, stop: int) -> Topic:
        """Return the topic with some of its updates."""
        own = slice(start, stop)
        return self._replace(updates=self.updates[own], texts=self.texts[own], true=self.true[own])


@frozen
class JudgedUpdates:
    """Updates and nuggets, and the pairs of their rows that assessors matched."""

    updates: pl.DataFrame
    nuggets: pl.DataFrame
    pairs: pl.DataFrame
    inputs: tuple[InputRecord, ...]
    recalls: Callable[[JudgedUpdates, pl.DataFrame], FloatArray]
    """From pairs to the recall of each run and topic, which ranks the runs; NaN is undefined."""
    warnings: tuple[str, ...] = ()

    @cached_property
    def collection(self) -> matchers.Collection:
        """The texts of all nuggets, whose words are counted once."""
        return collection(self.nuggets["text"])

    @property
    def topics(self) -> list[str]:
        """The topics that have both updates and nuggets, in natural order."""
        shared = set(self.updates["topic"].unique()) & set(self.nuggets["topic"].unique())
        return natural_order(shared)

    @property
    def runs(self) -> list[str]:
        """The runs that the updates belong to."""
        return natural_order(set(self.updates["run"].unique()))

    def by_topic(self) -> Iterator[Topic]:
        """Yield topic by topic; an update that several runs sent counts once, as the first.

        It is the same where its id and its text are: runs may number their updates alike.
        """
        key = ["topic", "update_id", "text"]
        rows = self.updates.with_row_index("row").select(
            "topic", "row", first=pl.col("row").first().over(key)
        )
        first = rows["first"].cast(pl.Int64).to_numpy()
        other = pl.when(pl.col("row") == pl.col("first")).then(pl.col("topic").cast(pl.String))
        rows_of = rows_by_topic(rows.select(topic=other), self.topics)
        golds_of = rows_by_topic(self.nuggets, self.topics)
        update, nugget = (self.pairs[name].to_numpy() for name in ("update", "nugget"))
        pairs_by = rows_by_topic(self.nuggets[nugget], self.topics)
        for place, name in enumerate(self.topics):
            own, gold = rows_of[place], golds_of[place]
            mine = pairs_by.get(place, own[:0])
            true = np.zeros((len(own), len(gold)), bool)
            said, asked = first[update[mine]], nugget[mine]
            true[np.searchsorted(own, said), np.searchsorted(gold, asked)] = True
            yield Topic(name, own, self.updates["text"].gather(own), gold, true)


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


ANY, DENIED, AFFIRMED = range(3)


class Extremes:
    """The best pair of each nugget, the best of those that assessors deny, the worst they affirm.

    `value` and `update` have a row for each of these and a column for each nugget: the score and
    the update's row. The worst ones are kept with the sign of their scores turned, so that all
    three are peaks. A nugget that met nothing has -inf.
    """

    def __init__(self, nuggets: int) -> None:
        self.value = np.full((3, nuggets), -np.inf)
        self.update = np.full((3, nuggets), ABSENT)

    def meet(self, rows: IntArray, gold: IntArray, score: FloatArray, true: BoolArray) -> None:
        """Take in the scores of some updates against the nuggets of their topic."""
        denied, affirmed = np.where(true, -np.inf, score), np.where(true, -score, -np.inf)
        values = np.stack([score, denied, affirmed])
        self._raise(gold, values.max(axis=1), rows[values.argmax(axis=1)])

    def add(self, later: Extremes) -> None:
        """Take in what was met among updates that come after."""
        self._raise(np.arange(self.value.shape[1]), later.value, later.update)

    def _raise(self, gold: IntArray, value: FloatArray, update: IntArray) -> None:
        """Take in peaks of some nuggets; of equal ones the first stays."""
        higher = value > self.value[:, gold]
        self.value[:, gold] = np.where(higher, value, self.value[:, gold])
        self.update[:, gold] = np.where(higher, update, self.update[:, gold])

    def count_nuggets(self, threshold: float) -> dict[str, int]:
        """How many nuggets both found in any update, only one of them, or neither."""
        met = self.update[ANY] != ABSENT
        by_matcher = (self.value[ANY] >= threshold)[met]
        by_assessors = (self.update[AFFIRMED] != ABSENT)[met]
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
        missed = np.nextafter(-threshold, np.inf)
        for says, side, least in (("matcher", DENIED, threshold), ("assessors", AFFIRMED, missed)):
            value, update = self.value[side], self.update[side]
            order = np.argsort(-value, kind="stable")[:SHOWN]
            gold = order[(value[order] >= least) & (update[order] != ABSENT)]
            pairs = pairs_of(update[gold], gold, value[gold])
            rows = evidence(matcher, judged.updates, judged.nuggets, pairs)
            for row, (at, nugget, score) in zip(rows, pairs.iter_rows(), strict=True):
                ids = (row["topic"], row["update_id"], row["nugget_id"])
                words = (row["found"], row["missing"])
                texts = (judged.nuggets["text"][nugget], judged.updates["text"][at])
                yield Disagreement(says, *ids, abs(score), *words, *texts)


@frozen
class JudgedPart(Unit):
    """Some of the judged updates, by their topics."""

    place: int = 0
    """That of the first of the topics among all."""
    topics: Sequence[Topic] = field(default=(), compare=False)


@frozen
class ScoreWork:
    """Scoring some judged updates against the nuggets of their topics."""

    matcher: matchers.Matcher
    sha256: str
    nuggets: pl.DataFrame = field(compare=False)

    def __call__(self, unit: Unit) -> tuple[Tally, Extremes]:
        """Return what is met there, with the tallies of its topics."""
        topics: Sequence[Topic] = unit.topics  # type: ignore[attr-defined]
        tally, extremes = Tally.none(len(topics)), Extremes(self.nuggets.height)
        for place, topic in enumerate(topics):
            gold = self.nuggets["text"].gather(topic.nuggets).to_list()
            texts = topic.texts
            for part, score in all_scores(self.matcher, texts, gold, collection_of(self)):
                extremes.meet(topic.updates[part], topic.nuggets, score, topic.true[part])
                tally.meet(place, score, topic.true[part])
        return tally, extremes


@lru_cache(maxsize=1)
def collection_of(work: ScoreWork) -> matchers.Collection:
    """Return the texts of all nuggets of a work."""
    return collection(work.nuggets["text"])


def scored(
    judged: JudgedUpdates, matcher: matchers.Matcher, sharing: Sharing, progress: Progress | None
) -> tuple[Tally, Extremes]:
    """Return the scores of every different update of a topic against every nugget of it.

    A matcher that reads ahead works in this process.
    """
    topics = list(judged.by_topic())
    work = ScoreWork(matcher, hash_texts(judged.nuggets), judged.nuggets.select("topic", "text"))
    tally, extremes = Tally.none(len(topics)), Extremes(judged.nuggets.height)
    ends = np.cumsum([0, *(len(topic.updates) for topic in topics)]).tolist()
    rows = sharing.rows_of(ends[-1])
    units = []
    for start in range(0, ends[-1], rows):
        stop = min(start + rows, ends[-1])
        met = [at for at in range(len(topics)) if ends[at] < stop and ends[at + 1] > start]
        cuts = [topics[at].cut(max(0, start - ends[at]), stop - ends[at]) for at in met]
        units.append(JudgedPart("judged updates", start + 1, stop, "rows", "", met[0], cuts))
    if sharing.is_in_process or not matcher.by_blocks:
        texts, gold = pl.concat([topic.texts for topic in topics]), judged.nuggets["text"]
        lots = ((topic.texts, gold.gather(topic.nuggets)) for topic in topics)
        look_ahead(matcher, texts, lots, judged.collection, progress)
        parts: Iterator[tuple[Tally, Extremes]] = map(work, units)
    else:
        parts = sharing.engine.run(work, units)
    for unit, (part, peaks) in zip(units, parts, strict=True):
        own = slice(unit.place, unit.place + len(unit.topics))
        tally.true[own] += part.true
        tally.other[own] += part.other
        extremes.add(peaks)
        if progress:
            progress(unit.last or 0, ends[-1])
    return tally, extremes
