"""What a measure returns: one typed result, whatever the family.

A result has a value for each unit, which is a (run, topic), as of any time at which it can be
taken. Some results also say what `all` is, where that is no mean over topics; and some have values
of groups, such as information types, beside those of topics.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray
    from tseval.core.batches import Batches


@frozen
class Values:
    """Values of which some are undefined; those hold 0 and must not be read."""

    value: FloatArray
    defined: BoolArray


@frozen
class Groups:
    """Values of each run for groups of what it returned; both of the shape (runs, groups)."""

    values: Values
    members: BoolArray
    """The groups that the measure is about."""


class Result(ABC):
    """A measure of every unit."""

    undivided: str = ""
    """Why a part of the time has no value of its own, for a measure of which that is so."""

    @abstractmethod
    def before(self, times: FloatArray) -> Values:
        """The value of each unit from what is dated before its time; infinity is the end."""

    def of_runs(self, times: FloatArray) -> Values | None:  # noqa: ARG002 - some results use them
        """The value of each run as a whole, where that is not the mean over its topics."""
        return None

    def sums(self, times: FloatArray) -> Any:  # noqa: ARG002 - only contributions have sums
        """The exact sums that it is taken from, which can be added up; None if it has none."""
        return None

    def plus(self, sums: Any) -> Result:  # noqa: ARG002 - only contributions have sums
        """The same with more sums."""
        return self

    @property
    def groups(self) -> Groups | None:
        """The values of groups, for a measure that has such."""
        return None


@frozen
class Changes:
    """A measure as a step function of time: from just after `time` on it has `value`.

    One row for every unit and every time at which something is dated, sorted by unit and time.
    """

    unit: IntArray
    time: FloatArray
    values: Values
    initial: Values
    """For each unit its value before anything is dated."""


BEFORE_ALL = -1e300
"""A time before every date but that of what counts always."""


class DatedResult(Result):
    """A measure whose parts are dated: it has curves, batches, and values of pooled topics.

    Units are numbered run by run, with the same number of topics in each run.
    """

    @abstractmethod
    def changes(self, starts: FloatArray) -> Changes:
        """The curve of each unit, with a row at its start in any case."""

    @abstractmethod
    def within(self, batches: Batches) -> Values:
        """The value of each unit in each batch, as (units, most); undefined past its last."""

    @abstractmethod
    def pooled_changes(self, starts: FloatArray, topics: int) -> Changes:
        """The curve of each run over all topics together, in seconds since the topics' starts."""

    @abstractmethod
    def pooled_before(self, starts: FloatArray, times: FloatArray, topics: int) -> Values:
        """The value of each run, from what is dated before the time of each (run, topic).

        To the last bit it is the value of the curve of the run at that time.
        """

    @abstractmethod
    def pooled_within(self, batches: Batches, topics: int) -> Values:
        """The value of each run in each batch since the topics' starts, as (runs, most)."""

    @abstractmethod
    def weights(self, times: FloatArray) -> FloatArray:
        """The amount that the value of each unit is divided by: its weight in the whole."""


@frozen
class Taken(Result):
    """A measure that is taken from the whole at once: no time divides it."""

    values: Values
    runs: Values | None = None
    by_group: Groups | None = None

    def before(self, times: FloatArray) -> Values:  # noqa: ARG002 - it has but one value
        """The value of each unit."""
        return self.values

    def of_runs(self, times: FloatArray) -> Values | None:  # noqa: ARG002 - it has but one value
        """The value of each run as a whole, where that is not the mean over its topics."""
        return self.runs

    @property
    def groups(self) -> Groups | None:
        """The values of groups, for a measure that has such."""
        return self.by_group


@frozen
class Firsts:
    """One row for each piece of gold that a run said, of any family."""

    unit: IntArray
    """The (run, topic)."""
    gold: IntArray
    """Which piece of gold, by a number that is the same for every run."""
    time: FloatArray
    """When the run said it for the first time, in seconds."""
