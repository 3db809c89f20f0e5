"""Panels on a page: a legend to press, each plot with its words, and the same as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tseval.core.panels import Dots, Known, Line, Numbers, Panel, Point
from tseval.records import frozen
from tseval.reporting.charts.marks import KEY_DOT, dot
from tseval.reporting.charts.plot import key_of, keys, plot
from tseval.reporting.page.listing import NUMBER, listing
from tseval.reporting.page.markup import Markup, element, run_name, shown
from tseval.reporting.page.numbers import decimals_for, number, plain, rounded
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

    @property
    def looks(self) -> list[Look]:
        """How each line and its dots are drawn."""
        return [self.palette.look(name) for name in self.names]

    @property
    def colours(self) -> list[int]:
        """Return the index of each line's colour, for the script."""
        return [each.colour for each in self.looks]

    def legend(self, panels: Iterable[Panel]) -> Markup:
        """Every name with its line, and its dot where there are any; a press makes it stand out."""
        has_dots = any(each.dots for each in panels)
        looks = self.looks
        pressed = [self._key(at, name, looks[at], has_dots) for at, name in enumerate(self.names)]
        return element("ul", {"class": "legend", "aria-label": f"{self.kind}s"}, pressed)

    def _key(self, line: int, name: str, look: Look, has_dots: bool) -> Markup:
        drawn = element("line", {"class": look.classes, "x1": 1, "x2": 33, "y1": 6, "y2": 6})
        symbol = dot((17, 6), KEY_DOT, look.symbol) if has_dots else ""
        marked = element("g", {"class": f"dots on {look.classes}"}, symbol) if symbol else ""
        swatch = element("svg", {"width": 34, "height": 12, "aria-hidden": "true"}, drawn, marked)
        pressed = "true" if line < self.shown else "false"
        button = {"type": "button", "class": "key", "data-run": line, "aria-pressed": pressed}
        return element("li", None, element("button", button, swatch, run_name(name)))


def aligned(panel: Panel) -> Panel:
    """The panel with a value of every line and of all dots at each of its places.

    So a pointer, and a table, find all runs at one place. A step is held as far as its line goes;
    dots beside one another at a whole number belong to it.
    """
    if panel.x.is_whole:
        whole = (each._replace(x=tuple(float(round(x)) for x in each.x)) for each in panel.dots)
        panel = replace(panel, dots=tuple(whole))
    places = panel.places

    def held(xs: Numbers, values: Known, *, is_stepped: bool) -> Known:
        if not values or xs == places:
            return values or (None,) * len(places)
        known, value, last = dict(zip(xs, values, strict=True)), None, max(xs, default=0.0)
        found = []
        for x in places:
            value = known.get(x, value if is_stepped and x <= last else None)
            found.append(value)
        return tuple(found)

    lines = (
        Line(
            each.run,
            places,
            held(each.x, each.value, is_stepped=panel.is_stepped),
            held(each.x, each.low, is_stepped=panel.is_stepped),
            held(each.x, each.high, is_stepped=panel.is_stepped),
        )
        for each in panel.lines
    )
    dots = (
        Dots(
            each.run,
            places,
            held(each.x, each.value, is_stepped=False),
            tuple(weight or 0.0 for weight in held(each.x, each.weight, is_stepped=False)),
        )
        for each in panel.dots
    )
    return replace(panel, lines=tuple(lines), dots=tuple(dots))


def explained(lines: Lines, panels: Iterable[Panel]) -> Markup:
    """What the marks of these panels are; nothing where lines alone are drawn."""
    looks = lines.looks[: lines.shown]
    told = [element("li", None, key_of(kind, looks), words) for kind, words in keys(panels)]
    return element("ul", {"class": "keys", "aria-label": "marks"}, told) if told else Markup("")


def side_by_side(
    lines: Lines, panels: Sequence[Panel], section: str, first: int = 0, *, paired: bool = False
) -> Markup:
    """The panels, numbered within their section as their data for the script are."""
    looks = lines.looks
    figures = [
        figure(lines, panel, f"{section}-{at}", looks) for at, panel in enumerate(panels, first)
    ]
    return element("div", {"class": "panels paired" if paired else "panels"}, figures)


def figure(lines: Lines, panel: Panel, name: str, looks: Sequence[Look]) -> Markup:
    """One panel with its words, and the same as a table."""
    caption = element(
        "figcaption", None, element("b", None, panel.title), " ", element("span", None, panel.note)
    )
    readout = element("output", {"class": "readout", "aria-live": "off"})
    return element(
        "figure",
        {"class": "curve", "data-panel": name},
        caption,
        plot(panel, looks, lines.shown),
        readout,
        _as_table(lines, aligned(panel)),
    )


def script_panel(panel: Panel) -> Mapping[str, Any]:
    """What the page's script knows of a panel."""
    panel = aligned(panel)
    return {
        "title": shown(panel.title),
        "xTitle": shown(panel.x.title),
        "stepped": panel.is_stepped,
        "x": _rounded(panel.places),
        "lines": [
            [line.run, _rounded(line.value), _rounded(line.low), _rounded(line.high)]
            for line in panel.lines
        ],
        "dots": [[each.run, _rounded(each.value)] for each in panel.dots],
    }


def _rounded(values: Iterable[float | None]) -> list[float | None]:
    return [rounded(value) for value in values]


def _as_table(lines: Lines, panel: Panel) -> Markup:
    """A panel's values at some of its places: those of the dots, where there are any."""
    named = dict(zip(panel.x.ticks, panel.x.names, strict=True)) if panel.x.names else {}
    places = evenly(len(panel.places), max(TIMES, len(named)))
    told = panel.dots or panel.lines
    decimals = decimals_for(value for each in told for value in each.value)
    at_places = [panel.places[at] for at in places]
    heads = [named.get(x, plain(rounded(x) or 0.0)) for x in at_places]
    ends = {each.run: each for each in panel.points} if panel.dots else {}
    rows = [
        (
            element("th", {"scope": "row"}, run_name(lines.names[each.run])),
            *(element("td", NUMBER, number(each.value[at], decimals)) for at in places),
            *(_end(ends.get(each.run), decimals) if ends else ()),
        )
        for each in told
    ]
    heads += ["end point", "from", "to"] if ends else []
    label = f"{panel.title} as a table"
    caption = ", ".join(filter(None, (panel.title, panel.note, panel.x.title)))
    table = listing(label, [lines.kind, *heads], rows, numbers=heads, caption=caption)
    return element("details", None, element("summary", None, "as a table"), table)


def _end(point: Point | None, decimals: int) -> Iterator[Markup]:
    """An end point with its interval, as cells."""
    known = (None, None, None) if point is None else (point.value, point.low, point.high)
    return (element("td", NUMBER, number(each, decimals)) for each in known)


def evenly(number: int, wanted: int) -> list[int]:
    """Some places of so many, evenly chosen, the last one among them."""
    if number <= wanted:
        return list(range(number))
    return [round(at * (number - 1) / (wanted - 1)) for at in range(wanted)]
