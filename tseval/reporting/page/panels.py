"""Panels on a page: how their lines look, what is at each place, and the same as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from tseval.core.panels import Known, Numbers, Panel
from tseval.records import frozen
from tseval.reporting.page.numbers import decimals_for, plain, rounded
from tseval.reporting.palette import Look, Palette

SHOWN = 5
"""So many of the best runs stand out at first; the others are grey until they are chosen."""
TIMES = 9
"""How many columns the table of a panel has."""


@frozen
class Lines:
    """The lines of a page: their names, their looks, and how many of the first ones stand out."""

    names: Sequence[str]
    palette: Palette
    shown: int
    kind: str = "run"
    """What a line is."""

    @classmethod
    def of_runs(cls, runs: Sequence[str]) -> Lines:
        """Those of a report, best first."""
        return cls(runs, Palette.of(runs, runs[:SHOWN]), SHOWN)

    @cached_property
    def looks(self) -> list[Look]:
        """How each line and its dots are drawn."""
        return [self.palette.look(name) for name in self.names]

    @property
    def colours(self) -> list[int]:
        """Return the index of each line's colour, for the script."""
        return [each.colour for each in self.looks]


def aligned(panel: Panel) -> Panel:
    """The panel with a value of every line and of all dots at each of its places.

    So a pointer, and a table, find all runs at one place. A step is held as far as its line goes;
    dots beside one another at a whole number belong to it.
    """
    if panel.x.is_whole:
        rounded_dots = (x._replace(x=tuple(float(round(at)) for at in x.x)) for x in panel.dots)
        panel = replace(panel, dots=tuple(rounded_dots))
    places = panel.places

    def at_places(xs: Numbers, values: Known, *, is_stepped: bool) -> Known:
        if not values or xs == places:
            return values or (None,) * len(places)
        known, value, last = dict(zip(xs, values, strict=True)), None, max(xs, default=0.0)
        found = []
        for x in places:
            value = known.get(x, value if is_stepped and x <= last else None)
            found.append(value)
        return tuple(found)

    lines, dots = [], []
    for line in panel.lines:
        value, low, high = (
            at_places(line.x, each, is_stepped=panel.is_stepped)
            for each in (line.value, line.low, line.high)
        )
        lines.append(line._replace(x=places, value=value, low=low, high=high, until=None))
    for each in panel.dots:
        value, weight = (at_places(each.x, y, is_stepped=False) for y in (each.value, each.weight))
        weights = tuple(share or 0.0 for share in weight)
        dots.append(each._replace(x=places, value=value, weight=weights))
    return replace(panel, lines=tuple(lines), dots=tuple(dots))


class PanelTable(NamedTuple):
    """A panel as a table: a row for each of its lines."""

    heads: list[str]
    rows: list[tuple[int, list[float | None]]]
    """Runs with their values."""
    decimals: int
    caption: str


def table_of(panel: Panel) -> PanelTable:
    """A panel's values at some of its places: those of the dots, where there are any."""
    panel = aligned(panel)
    named = dict(zip(panel.x.ticks, panel.x.names, strict=True)) if panel.x.names else {}
    places = evenly(len(panel.places), max(TIMES, len(named)))
    series = panel.dots or panel.lines
    heads = [named.get(x, plain(rounded(x) or 0.0)) for x in (panel.places[at] for at in places)]
    ends = {each.run: each[2:] for each in panel.points} if panel.dots else {}
    rows = [
        (
            each.run,
            [each.value[at] for at in places]
            + [*(ends.get(each.run, (None, None, None)) if ends else ())],
        )
        for each in series
    ]
    heads += ["end point", "from", "to"] if ends else []
    caption = ", ".join(filter(None, (panel.title, panel.note, panel.x.title)))
    decimals = decimals_for(value for each in series for value in each.value)
    return PanelTable(heads, rows, decimals, caption)


def evenly(number: int, wanted: int) -> list[int]:
    """Some places of so many, evenly chosen, the last one among them."""
    if number <= wanted:
        return list(range(number))
    return [round(at * (number - 1) / (wanted - 1)) for at in range(wanted)]
