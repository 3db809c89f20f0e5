"""What a section of a report is made of: one small vocabulary of blocks, as plain data.

A run is its place among the report's runs. None is undefined, or absent. The page knows how to show
each block; a family that declares a section puts it together from these.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

from tseval.core.panels import Panel
from tseval.records import frozen


@frozen
class Note:
    """A paragraph of how to read what follows."""

    text: str
    live: str = ""
    """What is said too where the page's script runs."""


@frozen
class Warned:
    """What a reader should know: it goes to the warnings of the report."""

    text: str


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


@frozen
class Timeline:
    """What happened in a topic, and which run said it when. Nuggets go by time."""

    topic: str
    end: float
    """The last hour that anything happens at."""
    nuggets: tuple[Nugget, ...]
    updates: tuple[Update, ...]
    sayings: tuple[Saying, ...]
    """By nugget, then time."""


@frozen
class Panels:
    """Panels side by side; in pairs, two that belong together stand beside one another."""

    panels: tuple[Panel, ...]
    paired: bool = False


@frozen
class Timelines:
    """Who said what when, topic by topic; a reader chooses topic and run."""

    topics: tuple[Timeline, ...]


Holds: TypeAlias = Literal["run", "runs", "text", "name", "number", "count", "chance", "parts"]
"""What a column holds: a run's place, the places of several runs, words, a name that comes from a
file, a number, a whole number, a p value, or the sizes of the parts of a bar."""


@frozen
class Head:
    """A column of a table."""

    head: str
    kind: Holds = "number"
    decimals: int = 4
    parts: tuple[str, ...] = ()
    """The meanings of the parts of a bar: up to three, and a hatched one for unjudged items."""
    is_filter: bool = False
    """Whether rows that are searched can be filtered by it: by a choice of what it holds, or of
    numbers by the least that is shown."""
    choices: tuple[str, ...] = ()
    """What a filter by words lets a reader choose, in its order."""


@frozen
class Rows:
    """Rows below heads."""

    label: str
    """What it is, for those who can't see it."""
    heads: tuple[Head, ...]
    rows: tuple[tuple[Any, ...], ...]
    caption: str = ""

    def column(self, head: str) -> list[Any]:
        """The values of a column."""
        at = [each.head for each in self.heads].index(head)
        return [row[at] for row in self.rows]


@frozen
class Shaded:
    """A table of one thing by run, whose cells are shaded by their values, which are shares."""

    label: str
    head: str
    """What the rows are."""
    rows: tuple[str, ...]
    runs: tuple[int, ...]
    cells: tuple[tuple[float | None, ...], ...]
    """By row, then run."""
    counted: str = ""
    """What each row is counted by, beside its name; nothing where rows have no counts."""
    counts: tuple[int, ...] = ()


@frozen
class Crossed:
    """How often each row meets each column; a cell is shaded by its share of the row."""

    label: str
    caption: str
    head: str
    """What the rows are."""
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@frozen
class Folded:
    """Tables that are shown when a reader opens them."""

    summary: str
    tables: tuple[Rows, ...]


@frozen
class Listed:
    """One of the lists that a reader searches, the worst rows first."""

    name: str
    """In a word or two."""
    total: int
    """How many rows there are, those too that the page does not hold."""
    note: str
    """Which rows these are, and how many more there are that the page does not hold."""
    table: Rows


@frozen
class Searched:
    """Lists of many rows: a reader chooses one, searches and filters it, and sees some at a time.

    Heads of one name are one filter for all lists, and so are those of a run and of several.
    """

    lists: tuple[Listed, ...]


Steps: TypeAlias = tuple[tuple[int, float | None], ...]
"""A curve: from which place on it has which value; None where it has none."""


@frozen
class Traces:
    """A measure topic by topic over time, from which a page works out the difference of two runs.

    Nothing of it stands by itself.
    """

    title: str
    x: str
    """What its places count."""
    places: tuple[float, ...]
    steps: tuple[tuple[Steps, ...], ...]
    """By run, then topic."""


Block: TypeAlias = (
    Note | Warned | Panels | Timelines | Rows | Shaded | Crossed | Folded | Searched | Traces
)


@frozen
class SectionContent:
    """A section with what stands in it, or with a word on what it would need."""

    name: str
    """Its anchor on the page."""
    title: str
    blocks: tuple[Block, ...] = ()
    lack: str = ""
    leads: bool = False
    """Whether it stands above the tables of topics."""

    @property
    def panels(self) -> tuple[Panel, ...]:
        """All its panels."""
        return tuple(p for each in self.blocks if isinstance(each, Panels) for p in each.panels)

    @property
    def timelines(self) -> tuple[Timeline, ...]:
        """All its timelines."""
        return tuple(t for each in self.blocks if isinstance(each, Timelines) for t in each.topics)

    @property
    def searched(self) -> dict[str, Searched]:
        """Its lists to search, by names of their own."""
        found = [each for each in self.blocks if isinstance(each, Searched)]
        return {f"{self.name}{f'-{at}' if at else ''}": each for at, each in enumerate(found)}

    @property
    def tables(self) -> tuple[Rows, ...]:
        """Its tables, those that are folded too."""
        found: list[Rows] = []
        for each in self.blocks:
            if isinstance(each, Rows):
                found.append(each)
            elif isinstance(each, Folded):
                found += each.tables
            elif isinstance(each, Searched):
                found += [own.table for own in each.lists]
        return tuple(found)
