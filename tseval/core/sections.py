"""What a family declares of a report: its sections, and what is given for them beside scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Generic, Protocol, TypeVar

from tseval.core.blocks import Block
from tseval.core.measure import Measure
from tseval.parallel.sharing import Progress
from tseval.records import frozen

Options = TypeVar("Options")


class Watched(Protocol):
    """Tells somebody how far some work is: `with watched("matching") as progress`."""

    def __call__(self, what: str) -> AbstractContextManager[Progress | None]:
        """Begin to watch."""


def unwatched(what: str) -> AbstractContextManager[Progress | None]:  # noqa: ARG001 - nobody asks
    """Nobody watches."""
    return nullcontext()


@frozen
class Setting(Generic[Options]):
    """Where a section stands: the runs of the report, its measures, and what was asked for."""

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    """Those of the family."""
    options: Options
    """The family's own."""
    watched: Watched = unwatched

    def run(self, name: str) -> int:
        """The place of a run in the report."""
        return self.runs.index(name)


@frozen
class Section:
    """A part of the page, made from a family's evaluation."""

    name: str
    """Its anchor on the page."""
    title: str
    blocks: Callable[[Any, Setting[Any]], Iterable[Block]]
    needs: str = ""
    """The beginning of what is said where there is no evaluation: that it needs runs and gold.
    Without it the section is then passed over."""
    leads: bool = False
    """Whether it stands above the tables of topics, as curves over time do."""


@frozen
class Volume:
    """How much each run says, so that its verdict is not read without its price."""

    noun: str
    """What is counted, in the plural."""
    counted: Callable[[Any], Mapping[str, int]]
    """From an evaluation, how many of them each run has."""


@frozen
class Reporting:
    """What a family adds to a report, beside its curves over time."""

    sections: tuple[Section, ...]
    takes: tuple[str, ...] = ()
    """The options, by the names of their fields, that a report takes beside all inputs."""
    hint: str = ""
    """What is said of further inputs where runs and gold are asked for."""
    retold: Callable[[Mapping[str, str]], Any] | None = None
    """The options by which scores were made, from the parts of their signature. Without it scores
    don't tell enough for their runs to be read again."""
    volume: Volume | None = None
