"""What a report says, as plain data: every number is worked out, and nothing is drawn yet.

Runs, topics and measures are named once, in `Report`; everywhere else a run is its place there.
None is undefined, or absent. Hours count from the start of their topic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tseval.core.blocks import SectionContent, Timeline


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
    topic: str
    """What a topic is called; nothing where some topics are groups."""
    level: float
    baseline: int | None
    sections: tuple[SectionContent, ...] = ()
    """What there is beside the scores: curves over time, and what the family of the scores has."""
    warnings: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    downloads: tuple[Download, ...] = ()

    def section(self, name: str) -> SectionContent:
        """The section of this name; an empty one if there is none."""
        return next((each for each in self.sections if each.name == name), SectionContent(name, ""))

    @property
    def timelines(self) -> tuple[Timeline, ...]:
        """The timelines of all sections."""
        return tuple(each for section in self.sections for each in section.timelines)
