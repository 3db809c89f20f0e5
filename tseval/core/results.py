"""What a measure returns: one typed result, whatever the family.

A result has a value for each unit, which is a (run, topic), as of any time at which it can be
taken. Some results also say what `all` is, where that is no mean over topics; and some have values
of groups, such as information types, beside those of topics.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray


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

    @property
    def groups(self) -> Groups | None:
        """The values of groups, for a measure that has such."""
        return None


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
