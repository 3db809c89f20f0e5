"""Tables as the generator makes them: every cell a text, and the kind of each column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from tests import strategies as st
from tests.families.agreement.odd import instant

ID, TIME, NUMBER, TEXT = "id", "time", "number", "text"
Row: TypeAlias = Mapping[str, str]
RUNS = "runs"
"""The name of the table that holds the runs of a world, whatever the family calls them."""


@dataclass(frozen=True)
class Table:
    """A plain table; `kinds` has its columns in order."""

    kinds: Mapping[str, str]
    rows: Sequence[Row]
    apart: tuple[str, ...] | None = None
    """Rows alike in these columns keep their order when rows are shuffled; None leaves no order.

    Of a column of times the instant counts, however it is written.
    """
    blocks: bool = False
    """Whether such rows also stay next to each other."""

    def key(self, row: Row) -> tuple[object, ...]:
        """What a row shares with those that it keeps its order among."""
        names = self.apart or ()
        return tuple(instant(row[n]) if self.kinds[n] == TIME else row[n] for n in names)

    def shuffled(self, draw: st.DrawFn) -> Table:
        """The rows in another order, with those that are tied in the order that they had."""
        order = list(draw(st.permutations(range(len(self.rows)))))
        if self.blocks:
            first = {self.key(self.rows[at]): place for place, at in enumerate(order)}
            order.sort(key=lambda at: (first[self.key(self.rows[at])], at))
        elif self.apart is not None:
            places: dict[tuple[object, ...], list[int]] = {}
            for place, at in enumerate(order):
                places.setdefault(self.key(self.rows[at]), []).append(place)
            for tied in places.values():
                for place, at in zip(tied, sorted(order[p] for p in tied), strict=True):
                    order[place] = at
        return replace(self, rows=[self.rows[at] for at in order])

    def rearranged(self, draw: st.DrawFn) -> Table:
        """The columns in another order, with one more that nobody reads."""
        names = draw(st.permutations([*self.kinds, "unread"]))
        kinds = {name: self.kinds.get(name, TEXT) for name in names}
        return replace(self, kinds=kinds, rows=[{"unread": "x", **row} for row in self.rows])

    def where(self, chosen: Callable[[Row], bool]) -> Table:
        """The rows for which this is true."""
        return replace(self, rows=[row for row in self.rows if chosen(row)])

    def without(self, name: str) -> Table:
        """The table without one of its columns."""
        kinds = {each: kind for each, kind in self.kinds.items() if each != name}
        return replace(self, kinds=kinds)

    @property
    def runs(self) -> list[str]:
        """The names in the column `run`, as they come."""
        return list(dict.fromkeys(row["run"] for row in self.rows))


@dataclass(frozen=True)
class World:
    """What an evaluation is made of: tables by name, and the options of the call."""

    tables: Mapping[str, Table]
    options: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Inputs that are no tables and stay as they are."""
    joint: bool = False
    """Whether what is known beside a run is taken from all runs, so that one alone differs."""
    followed: bool = True
    """Whether values can be followed over time."""
    named: bool = False
    """Whether the name of a run counts, and has to stand in its file."""
    topic: str = "topic"
    """The column that names the topic of a row; none if topics cannot be taken apart."""

    @property
    def runs(self) -> Table:
        return self.tables[RUNS]

    @property
    def topics(self) -> list[str]:
        """The topics of all tables, as they come."""
        of = [table for table in self.tables.values() if self.topic in table.kinds]
        return list(dict.fromkeys(row[self.topic] for table in of for row in table.rows))

    def with_table(self, name: str, table: Table) -> World:
        """The same with one table replaced."""
        return replace(self, tables={**self.tables, name: table})

    def of_run(self, run: str) -> World:
        """What there is of one run: every table that names runs has its rows alone."""
        return self.only("run", lambda name: name == run)

    def only(self, column: str, chosen: Callable[[str], bool]) -> World:
        """The rows for which what stands in this column is so, in all tables that have it."""
        own = {
            name: table.where(lambda row: chosen(row[column])) if column in table.kinds else table
            for name, table in self.tables.items()
        }
        return replace(self, tables=own)
