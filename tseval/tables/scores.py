"""What a file of scores tells, as scoring commands write it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from tseval.records import frozen
from tseval.tables.origin import InputRecord


class ScoreRecord(NamedTuple):
    """One value of a run; None is undefined."""

    run: str
    topic: str
    measure: str
    value: float | None


@frozen
class Undefined:
    """A measure of a run that is undefined in some topics, of those that it was taken in."""

    run: str
    measure: str
    topics: int
    of: int


@frozen
class ScoreFile:
    """What a file of scores tells; each form tells as much of it as it can."""

    runs: tuple[str, ...]
    records: Sequence[ScoreRecord]
    """By run, topic and measure; the topic `all` last of each run."""
    signature: str
    inputs: tuple[InputRecord, ...]
    warnings: tuple[str, ...]
    types: tuple[str, ...]
    """The topics that are information types."""
    undefined: Sequence[Undefined]
    weights: Sequence[ScoreRecord]
    """What values of topics weigh, where `all` is a quotient of sums."""
    units: Mapping[str, str] = field(default_factory=dict)
    """What measures are counted in, by their names, for tables that people read."""
