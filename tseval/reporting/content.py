"""What a report says, as plain data: every number is worked out, and nothing is drawn yet.

Runs, topics and measures are named once, in `Report`; everywhere else a run is its place there.
None is undefined, or absent. Hours count from the start of their topic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

CURVES, TIMELINE, ECONOMY = "curves", "timeline", "economy"
"""Sections that need more than scores; `Report.lacks` says what."""


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
    """Two runs by a measure."""

    run: int
    other: int
    topics: int
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    adjusted: float | None
    better: int | None


@dataclass(frozen=True)
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
    """The pairs, where there are few enough to read."""
    cells: tuple[tuple[float | None, ...], ...]
    """By topic, then run."""
    pooled: bool = False
    """Whether a mean is that of all topics together: a quotient of sums over them."""
    cannot_tell: str = ""
    """Why no difference can be shown, whatever the scores; empty where one can."""


class Line(NamedTuple):
    """One run's curve with its band, a value for each x of the panel."""

    run: int
    value: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]


class Dots(NamedTuple):
    """One run's values beside its line, a value and a weight for each x; weights are shares."""

    run: int
    value: tuple[float | None, ...]
    weight: tuple[float, ...]


@dataclass(frozen=True)
class Panel:
    """Curves on one pair of axes. A value holds from its x to the next."""

    title: str
    note: str
    x_title: str
    x: tuple[float, ...]
    lines: tuple[Line, ...]
    stepped: bool = True
    """Whether a value holds until the next x; else the points stand for themselves."""
    dots: tuple[Dots, ...] = ()


class Nugget(NamedTuple):
    """A nugget of a topic, when it happened and what it is worth."""

    name: str
    hours: float
    importance: float
    text: str


class Update(NamedTuple):
    """An update that says some nugget."""

    run: int
    name: str
    hours: float
    text: str


class Saying(NamedTuple):
    """That an update says a nugget, by their places in the topic's timeline.

    `words` are the stretches of the update's text that say it, as characters from and to.
    """

    nugget: int
    update: int
    first: bool
    words: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Timeline:
    """What happened in a topic, and which run said it when. Nuggets go by time."""

    topic: str
    end: float
    """The last hour that anything happens at."""
    nuggets: tuple[Nugget, ...]
    updates: tuple[Update, ...]
    sayings: tuple[Saying, ...]
    """By nugget, then time."""


class EconomyRow(NamedTuple):
    """What a run spent: updates that are the first to say something, that only repeat, or neither.

    `words` is the mean number of an update's words; `per_nugget` all words by the nuggets said,
    None if the texts of some updates are not there.
    """

    run: int
    updates: int
    earning: int
    repeating: int
    idle: int
    words: float | None
    per_nugget: float | None
    verbosity: float | None
    """The score V, where matches tell which words say something."""


class TypeRow(NamedTuple):
    """A run on an information type of incident streams."""

    run: int
    kind: str
    actionable: bool
    counts: tuple[int, int, int, int]
    """True positives, false positives, false negatives, true negatives."""
    precision: float | None
    recall: float | None
    f1: float | None


class FitRow(NamedTuple):
    """The trend of a run's batches by a metric."""

    run: int
    metric: str
    batch: str
    slope: float | None
    error: float | None
    p: float | None
    end: float | None
    end_error: float | None
    verdict: str


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


@dataclass(frozen=True)
class Report:
    """Everything that the page shows, in its order."""

    title: str
    signature: str
    scored: tuple[str, ...]
    """The signatures that the files of scores carry."""
    inputs: tuple[InputRow, ...]
    runs: tuple[str, ...]
    """Best first, by the first measure; further runs after them."""
    topics: tuple[str, ...]
    measures: tuple[MeasureBoard, ...]
    level: float
    baseline: int | None
    curves: tuple[Panel, ...] = ()
    undrawn: tuple[str, ...] = ()
    """The measures that have a curve over time which is not drawn."""
    timelines: tuple[Timeline, ...] = ()
    economy: tuple[EconomyRow, ...] = ()
    types: tuple[TypeRow, ...] = ()
    trust: tuple[Panel, ...] = ()
    trends: tuple[Panel, ...] = ()
    fits: tuple[FitRow, ...] = ()
    warnings: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    downloads: tuple[Download, ...] = ()
    lacks: Mapping[str, str] = field(default_factory=dict)
    """For a section that is not there the sentence that says what it needs."""
