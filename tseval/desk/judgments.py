"""From the state to judgments: who says what of every pair, and what follows of it.

An assessor who has read an item judges it against every nugget that there was when it was shown:
those that were not chosen are no match. What assessors disagree on goes by the majority until it
is settled, and counts as no match where they are even.

And how far assessors agree on pairs that more than one of them judged, and where they don't.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tseval.desk.pool import one_line
from tseval.desk.state import Nugget, State
from tseval.records import frozen
from tseval.statistics.agreement import cohen_kappa, coincidences, krippendorff_alpha
from tseval.statistics.bootstrap import interval, resamples

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray

Verdicts: TypeAlias = NDArray[np.int8]
UNJUDGED, NO, YES = -1, 0, 1
VERDICT_TYPES = {"item": pl.Int64, "nugget": pl.Int64, "verdict": pl.Int8}


@frozen(eq=False)
class TopicJudgments:
    """The judgments of a topic: by assessor, item and nugget 1, 0, or -1 where there is none."""

    topic: str
    items: list[int]
    nuggets: list[Nugget]
    of: Mapping[str, Verdicts]
    """Items by nuggets of each assessor."""
    settled: Verdicts

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many say that each pair is no match, and how many that it is one."""
        found = np.zeros((*self.settled.shape, 2), np.int64)
        for own in self.of.values():
            found += own[..., np.newaxis] == (NO, YES)
        return found

    @property
    def yes(self) -> NDArray[np.int64]:
        """How many say that it is a match."""
        return self.counts[..., YES]

    @property
    def no(self) -> NDArray[np.int64]:
        """How many say that it is none."""
        return self.counts[..., NO]

    @property
    def disputed(self) -> BoolArray:
        """What assessors disagree on, and nobody has settled."""
        disputed: BoolArray = (self.yes > 0) & (self.no > 0) & (self.settled == UNJUDGED)
        return disputed

    @cached_property
    def verdict(self) -> Verdicts:
        """What follows: 1, 0, or -1 where nobody has judged."""
        by_votes = np.where(self.yes > self.no, YES, np.where(self.no > 0, NO, UNJUDGED))
        return np.where(self.settled == UNJUDGED, by_votes, self.settled).astype(np.int8)


def topic_judgments(state: State, topic: str) -> TopicJudgments:
    """The judgments of a topic."""
    items, nuggets = state.pool.of_topic[topic], state.live(topic)
    column = {each.name: at for at, each in enumerate(nuggets)}
    shown: dict[frozenset[str], BoolArray] = {}
    shape = len(items), len(nuggets)
    of: defaultdict[str, Verdicts] = defaultdict(lambda: np.full(shape, UNJUDGED, np.int8))
    settled = np.full(shape, UNJUDGED, np.int8)
    for at, item in enumerate(items):
        for assessor, read in state.read.get(item, {}).items():
            if read.shown not in shown:
                seen = [not each.written or each.name in read.shown for each in nuggets]
                shown[read.shown] = np.array(seen, bool)
            of[assessor][at, shown[read.shown]] = NO
        for assessor, chosen in state.choices.get(item, {}).items():
            for nugget, choice in chosen.items():
                if nugget in column:
                    of[assessor][at, column[nugget]] = YES if choice.match else NO
    row = {item: at for at, item in enumerate(items)}
    for (item, nugget), match in state.settled.items():
        if item in row and nugget in column:
            settled[row[item], column[nugget]] = YES if match else NO
    return TopicJudgments(topic, items, nuggets, dict(sorted(of.items())), settled)


@frozen(eq=False)
class Gold:
    """The nuggets that count as a frame, with their judgments."""

    frame: pl.DataFrame
    names: tuple[tuple[str, str], ...]
    judged: tuple[TopicJudgments, ...]

    @classmethod
    def of(
        cls, state: State, given: pl.DataFrame | None, judged: tuple[TopicJudgments, ...]
    ) -> Gold:
        """Return the gold of a state, whose topics with items are judged so.

        Nuggets stand in the order of topics, and in which they came. They have a cost and a length
        if those that were given have them.
        """
        topics = dict.fromkeys(topic for topic, _ in state.nuggets)
        rest = [topic for topic in topics if topic not in state.pool.of_topic]
        nuggets = [each for own in judged for each in own.nuggets]
        times = [at for own in judged for at in _times(state, own)]
        for topic in rest:  # of topics that no run has an update of
            nuggets += (own := state.live(topic))
            times += [each.time or 0.0 for each in own]
        more = () if given is None else {"cost", "length"}.intersection(given.columns)
        columns: dict[str, list[str] | list[float]] = {
            "topic": [each.topic for each in nuggets],
            "nugget_id": [each.name for each in nuggets],
            "time": times,
            "text": [one_line(each.text) for each in nuggets],
            "importance": [each.importance for each in nuggets],
            **{name: [getattr(each, name) for each in nuggets] for name in sorted(more)},
        }
        words = ("topic", "nugget_id", "text")
        types = {name: pl.String if name in words else pl.Float64 for name in columns}
        names = tuple((each.topic, each.name) for each in nuggets)
        return cls(pl.DataFrame(columns, types), names, judged)

    @cached_property
    def verdicts(self) -> pl.DataFrame:
        """`item nugget verdict` of each pair that people have judged, nuggets by their rows."""
        parts = [pl.DataFrame(schema=VERDICT_TYPES)]
        first = 0
        for own in self.judged:
            at, column = np.nonzero(own.verdict != UNJUDGED)
            cells = np.array(own.items)[at], first + column, own.verdict[at, column]
            parts.append(pl.DataFrame(dict(zip(VERDICT_TYPES, cells, strict=True)), VERDICT_TYPES))
            first += own.verdict.shape[1]
        return pl.concat(parts)


def _times(state: State, judged: TopicJudgments) -> Iterator[float]:
    """The time of each nugget: as it is set, else that of the earliest update that says it.

    People's judgments count alone; where they have none left, the update that it was read in.
    """
    times: FloatArray = np.array([state.pool.items[item].time for item in judged.items])
    for column, nugget in enumerate(judged.nuggets):
        if nugget.time is not None:
            yield nugget.time
            continue
        said = times[judged.verdict[:, column] == YES]
        if len(said):
            yield float(said.min())
        elif nugget.read_in is not None:
            yield state.pool.items[nugget.read_in].time
        else:
            yield float(times.min())


# Progress.


class TopicProgress(NamedTuple):
    """How far a topic is."""

    topic: str
    updates: int
    read: int
    """By anybody."""
    twice: int
    """By two assessors or more."""
    nuggets: int
    matches: int
    """Pairs that people call a match."""
    disputed: int
    settled: int
    clusters: int


class AssessorProgress(NamedTuple):
    """What somebody has done."""

    assessor: str
    decisions: int
    read: int
    matches: int


def by_topic(state: State, gold: Gold) -> list[TopicProgress]:
    """How far each topic is."""
    found = []
    for own in gold.judged:
        readers = np.array([len(state.read.get(item, {})) for item in own.items], np.int64)
        named = {state.cluster[item] for item in own.items if item in state.cluster}
        found.append(
            TopicProgress(
                own.topic,
                len(own.items),
                int((readers > 0).sum()),
                int((readers > 1).sum()),
                len(own.nuggets),
                int((own.verdict == YES).sum()),
                int(own.disputed.sum()),
                int((own.settled != UNJUDGED).sum()),
                len(named),
            )
        )
    return found


def by_assessor(state: State) -> list[AssessorProgress]:
    """What each assessor has done, by name."""
    read = [name for by_name in state.read.values() for name in by_name]
    matched = [
        name
        for by_name in state.choices.values()
        for name, chosen in by_name.items()
        for choice in chosen.values()
        if choice.match
    ]
    return [
        AssessorProgress(name, state.assessors[name], read.count(name), matched.count(name))
        for name in sorted(state.assessors)
    ]


# Agreement.

Floats: TypeAlias = NDArray[np.float64]
SHOWN = 20
"""How many confusions are listed."""


class Agreed(NamedTuple):
    """An agreement: of whom or what, its value with its interval, and over how many pairs."""

    group: str
    """`all`, `assessors`, `topic` or `nugget`."""
    topic: str
    """Whose nugget it is; else nothing."""
    name: str
    statistic: str
    value: float
    low: float
    high: float
    pairs: int
    updates: int


class Confusion(NamedTuple):
    """A nugget that one assessor chose where another chose a second one, and how often."""

    topic: str
    nugget: str
    instead: str
    updates: int


def agreements(judged: Iterable[TopicJudgments], seed: int = 0) -> list[Agreed]:
    """Cohen's kappa of each two assessors, Krippendorff's alpha over all, by topic and by nugget.

    The intervals are those of resampled updates: the pairs of one update stand or fall together.
    """
    topics = list(judged)
    found = [*_kappas(topics, seed)]
    tables = {own.topic: coincidences(own.counts.astype(np.float64)) for own in topics}
    found.append(_alpha(("all", "", "all"), [*tables.values()], seed))
    found += [_alpha(("topic", "", name), [own], seed) for name, own in tables.items()]
    for own in topics:
        for column, nugget in enumerate(own.nuggets):
            table = coincidences(own.counts[:, [column]].astype(np.float64))
            found.append(_alpha(("nugget", own.topic, nugget.name), [table], seed))
    return [each for each in found if each.pairs]


def _kappas(topics: list[TopicJudgments], seed: int) -> Iterator[Agreed]:
    """Cohen's kappa of each two assessors, over the pairs that both judged."""
    people = sorted({name for own in topics for name in own.of})
    for one, other in combinations(people, 2):
        parts = [
            np.stack(
                [[((a == x) & (b == y)).sum(axis=1) for y in (0, 1)] for x in (0, 1)]
            ).transpose(2, 0, 1)
            for own in topics
            if one in own.of and other in own.of
            for a, b in [(own.of[one], own.of[other])]
        ]
        named = "assessors", "", f"{one}, {other}", "kappa"
        yield _estimate(named, cohen_kappa, parts, seed, 1)


def _alpha(named: tuple[str, str, str], parts: list[Floats], seed: int) -> Agreed:
    # Of two people each pair counts twice among the coincidences, once from either side.
    return _estimate((*named, "alpha"), krippendorff_alpha, parts, seed, 2)


def _estimate(
    named: tuple[str, str, str, str],
    statistic: Callable[[Floats], Floats],
    parts: list[Floats],
    seed: int,
    sides: int,
) -> Agreed:
    """A statistic of the sum of the tables of updates, with the interval of resampled updates.

    Updates of which nothing is said don't count.
    """
    tables = np.concatenate([np.zeros((0, 2, 2)), *parts])
    tables = tables[tables.any(axis=(1, 2))]
    value = float(statistic(tables.sum(axis=0)))
    drawn = np.full(1, np.nan)
    if len(tables) > 1:
        times = _drawn(len(tables), seed)
        drawn = statistic((times @ tables.reshape(len(tables), 4)).reshape(-1, 2, 2))
    low, high = interval(drawn)
    pairs = round(float(tables.sum()) / sides)
    return Agreed(*named, value, low, high, pairs, len(tables))


@lru_cache(maxsize=8)
def _drawn(updates: int, seed: int) -> Floats:
    """How often each update occurs in each resample."""
    return resamples(updates, seed).astype(np.float64)


def confusions(judged: Iterable[TopicJudgments]) -> list[Confusion]:
    """Nuggets of which one assessor chose the one where another chose the other, most often first.

    Both had judged both.
    """
    found: Counter[tuple[str, str, str]] = Counter()
    for own in judged:
        names = [each.name for each in own.nuggets]
        for one, other in combinations(own.of.values(), 2):
            both = (one != UNJUDGED) & (other != UNJUDGED)
            only, instead = both & (one > other), both & (other > one)
            for row in np.flatnonzero(only.any(axis=1) & instead.any(axis=1)).tolist():
                for a in np.flatnonzero(only[row]).tolist():
                    for b in np.flatnonzero(instead[row]).tolist():
                        first, second = sorted((a, b))
                        found[own.topic, names[first], names[second]] += 1
    return [Confusion(*key, times) for key, times in found.most_common(SHOWN)]
