"""What a report says, as plain data: every number is worked out, and nothing is drawn yet.

Runs, topics and measures are named once, in `Report`; everywhere else a run is its place there.
None is undefined, or absent. Hours count from the start of their topic.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import NamedTuple

from tseval.core.blocks import SectionContent, Timeline, Traces
from tseval.records import frozen

TOPIC = "topic"
LEADING = 5
"""So many measures at most stand in sight."""


class InputRow(NamedTuple):
    """One file that the report rests on."""

    role: str
    path: str
    sha256: str
    rows: int


class MeanRow(NamedTuple):
    """How a run does by a measure; runs share a letter if no difference was found."""

    run: int
    rank: int
    topics: int
    mean: float
    low: float | None
    high: float | None
    letters: str | None
    differs: bool | None
    """Whether it differs from the baseline, if there is one."""


class PairRow(NamedTuple):
    """Two runs by a measure, seen from the first.

    `gain` is by how much the first is better, whichever way the measure goes; `won` and `lost`
    count topics.
    """

    run: int
    other: int
    topics: int
    gain: float | None
    low: float | None
    high: float | None
    p: float | None
    adjusted: float | None
    better: int | None
    """Which of them is better, if they are told apart."""
    won: int
    lost: int

    @property
    def negated(self) -> PairRow:
        """The same pair, where less is better."""
        gain, low, high = (None if x is None else -x for x in (self.gain, self.high, self.low))
        return self._replace(gain=gain, low=low, high=high)

    @property
    def turned(self) -> PairRow:
        """The same pair, seen from the other."""
        seen = self._replace(run=self.other, other=self.run, won=self.lost, lost=self.won)
        return seen.negated


@frozen
class MeasureBoard:
    """One measure: means best first, how many pairs it tells apart, and the score of each topic."""

    name: str
    title: str
    unit: str
    higher: bool
    means: tuple[MeanRow, ...]
    pairs: int
    different: int
    listed: tuple[PairRow, ...]
    """The pairs, where there are few enough to read, seen from the one with the better mean."""
    against: tuple[PairRow, ...]
    """The best run with each other, in their order; with a baseline each run with that."""
    cells: tuple[tuple[float | None, ...], ...]
    """By topic, then run."""
    pooled: bool = False
    """Whether a mean is that of all topics together: a quotient of sums over them."""
    cannot_tell: str = ""
    """Why no difference can be shown, whatever the scores; empty where one can."""
    over: str = TOPIC
    """What its mean is taken over, in one word: topics, events, information types."""
    bounds: tuple[float, float] = (-inf, inf)
    """The range of the measure; values outside are extrapolated."""

    @property
    def rows(self) -> dict[int, MeanRow]:
        """Its means by run."""
        return {row.run: row for row in self.means}

    @property
    def numbers(self) -> list[float | None]:
        """Its means, and the ends of their intervals."""
        return [value for row in self.means for value in (row.mean, row.low, row.high)]

    @property
    def is_common(self) -> bool:
        """Whether all runs have values on the same number of topics, so that means compare."""
        return len({row.topics for row in self.means}) < 2

    @property
    def best(self) -> int:
        """Return the best of the runs with values on the most topics."""
        return max(self.means, key=lambda row: row.topics).run  # of equal ones the first


class Term(NamedTuple):
    """What a measure is."""

    name: str
    summary: str
    entries: tuple[tuple[str, str], ...]
    """Pairs of a heading and what it says: definition, direction, range, empty case, citation."""


class Download(NamedTuple):
    """A file that lies inside the page."""

    name: str
    note: str
    kind: str
    content: bytes


class VolumeOfRuns(NamedTuple):
    """How many of what each run says; None where that is not known."""

    noun: str
    counts: tuple[int | None, ...]


@frozen
class Report:
    """Everything that the page shows, in its order."""

    title: str
    signature: str
    scored: tuple[str, ...]
    """The signatures that the files of scores carry."""
    inputs: tuple[InputRow, ...]
    runs: tuple[str, ...]
    """Best first, by the primary measure; further runs after them."""
    topics: tuple[str, ...]
    measures: tuple[MeasureBoard, ...]
    level: float
    baseline: int | None
    sections: tuple[SectionContent, ...] = ()
    """What there is beside the scores: curves over time, and what the family of the scores has."""
    warnings: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    downloads: tuple[Download, ...] = ()

    doubts: tuple[str, ...] = ()
    """Those of the warnings that bear on which run is better."""
    leading: int = LEADING
    """How many of the measures stand in sight; the first is the primary one."""
    volume: VolumeOfRuns | None = None

    def named(self, runs: Iterable[int]) -> list[str]:
        """The names of some runs."""
        return [self.runs[run] for run in runs]

    @property
    def nouns(self) -> tuple[str, ...]:
        """What its measures are taken over, each once."""
        return tuple(dict.fromkeys(each.over for each in self.measures)) or (TOPIC,)

    def section(self, name: str) -> SectionContent:
        """The section of this name; an empty one if there is none."""
        return next((each for each in self.sections if each.name == name), SectionContent(name, ""))

    @property
    def timelines(self) -> tuple[Timeline, ...]:
        """The timelines of all sections."""
        return tuple(each for section in self.sections for each in section.timelines)

    @property
    def traces(self) -> tuple[Traces, ...]:
        """The measures that there are topic by topic over time."""
        every = (block for section in self.sections for block in section.blocks)
        return tuple(each for each in every if isinstance(each, Traces))
