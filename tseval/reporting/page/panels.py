"""Panels on a page: how their lines look, what is at each place, and the same as a table.

And what the page's script works with, as JSON inside the page; each text stands once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

from tseval.core.blocks import Head, Rows, Saying, Searched, Steps, Timeline
from tseval.core.panels import Known, Numbers, Panel, Picture
from tseval.records import frozen
from tseval.reporting.content import Report
from tseval.reporting.curves import FEWEST_TOPICS
from tseval.reporting.page.markup import Markup, visible_text
from tseval.reporting.page.tables import decimals_for, in_words, plain, rounded
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


# What the script works with.

DECIMALS = 4
"""Of hours: a third of a second."""


def json_of_report(report: Report) -> Markup:
    """What the script knows of a report."""
    texts: dict[str, int] = {}
    panels = {
        f"{section.name}-{at}": panel
        for section in report.sections
        for at, panel in enumerate(section.panels)
    }
    more: dict[str, Any] = {
        "lists": {
            name: list_data(block, texts)
            for section in report.sections
            for name, block in section.searched.items()
        },
        "colours": Lines.of_runs(report.runs).colours,
        "timelines": [_timeline(each, texts) for each in report.timelines],
    }
    if len(report.runs) > 1:
        more["pair"] = pair_data(report)
    return _as_json(report.runs, panels, more | {"texts": [visible_text(text) for text in texts]})


def json_of_picture(picture: Picture, lines: Lines) -> Markup:
    """What the script knows of a picture."""
    panels = {f"chart-{at}": panel for at, panel in enumerate(picture.panels)}
    return _as_json(picture.names, panels, {"colours": lines.colours, "kind": picture.kind})


def _as_json(names: Sequence[str], panels: Mapping[str, Panel], more: dict[str, Any]) -> Markup:
    content = {
        "runs": [visible_text(name) for name in names],
        "panels": {name: _panel(panel) for name, panel in panels.items()},
        **more,
    }
    written = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return Markup(written.replace("<", "\\u003c"))  # no `<` can end the element early


def _panel(panel: Panel) -> dict[str, Any]:
    panel = aligned(panel)
    return {
        "title": visible_text(panel.title),
        "xTitle": visible_text(panel.x.title),
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


def _timeline(timeline: Timeline, texts: dict[str, int]) -> dict[str, Any]:
    """A topic; each text stands once on the page, however many updates have it."""
    return {
        "topic": visible_text(timeline.topic),
        "end": round(timeline.end, DECIMALS),
        "nuggets": [
            [visible_text(name), round(hours, DECIMALS), rounded(weight), visible_text(text)]
            for name, hours, weight, text in timeline.nuggets
        ],
        "updates": [
            [run, visible_text(name), round(hours, DECIMALS), texts.setdefault(text, len(texts))]
            for run, name, hours, text in timeline.updates
        ],
        "sayings": [_saying(timeline, each) for each in timeline.sayings],
    }


def _saying(timeline: Timeline, saying: Saying) -> list[Any]:
    """Nugget, update, whether it is the first, and the words' ends in one row.

    Scripts count characters beyond the first 65,536 as two.
    """
    text = timeline.updates[saying.update].text
    ends = [place for word in saying.words for place in word]
    wide = [] if text.isascii() else [at for at, letter in enumerate(text) if ord(letter) > 0xFFFF]
    units = [place + sum(at < place for at in wide) for place in ends]
    return [saying.nugget, saying.update, int(saying.first), units]


def pair_data(report: Report) -> dict[str, Any]:
    """The scores of each topic by the leading measures, and curves topic by topic."""
    topics = max((len(each.steps[0]) for each in report.traces), default=0)
    return {
        "topics": [visible_text(topic) for topic in report.topics],
        "boards": [
            {
                "name": visible_text(each.name),
                "unit": each.unit,
                "over": each.over,
                "pooled": each.pooled,
                "higher": each.higher,
                "decimals": in_words(each),
                "cells": [_rounded(row) for row in each.cells],
            }
            for each in report.measures[: report.leading]
        ],
        "traces": [
            {
                "name": visible_text(each.title),
                "x": each.x,
                "places": _rounded(each.places),
                "runs": [[_flat(topic) for topic in run] for run in each.steps],
            }
            for each in report.traces
        ],
        "level": report.level,
        "wide": _rounded(quantiles(report.level, topics)),
        "few": FEWEST_TOPICS,
    }


def _flat(steps: Steps) -> list[Any]:
    """Each step as its place and its value, one behind the other."""
    return [x for place, value in steps for x in (place, rounded(value))]


def quantiles(level: float, topics: int) -> list[float]:
    """How many standard errors a Student interval reaches, for 2 topics, 3, and so on."""
    from scipy.special import stdtrit  # which takes time to import

    return [float(stdtrit(freedom, (1 + level) / 2)) for freedom in range(1, topics)]


def list_data(block: Searched, texts: dict[str, int]) -> list[dict[str, Any]]:
    """The lists by columns; words are places among the texts of the page."""
    return [
        {
            "note": each.note,
            "label": each.table.label,
            "heads": [
                [head.head, head.kind, head.decimals, filter_of(head) if head.is_filter else ""]
                for head in each.table.heads
            ],
            "columns": _columns(each.table, texts),
        }
        for each in block.lists
    ]


def filters_of(block: Searched) -> list[Head]:
    """The heads that can be filtered by, each once: runs, then the others as lists have them."""
    heads = (head for each in block.lists for head in each.table.heads if head.is_filter)
    found = {filter_of(head): head for head in heads}
    return sorted(found.values(), key=lambda head: filter_of(head) != "run")


def filter_of(head: Head) -> str:
    """What the filter by a head is called."""
    return "run" if head.kind == "runs" else head.head


def _columns(table: Rows, texts: dict[str, int]) -> list[list[Any]]:
    """The values by column. Choices come first among the texts, so that their places are short."""
    for head in table.heads:
        for choice in head.choices:
            texts.setdefault(choice, len(texts))
    columns = zip(*table.rows, strict=True) if table.rows else ((),) * len(table.heads)
    return [_column(head, values, texts) for head, values in zip(table.heads, columns, strict=True)]


def _column(head: Head, values: tuple[Any, ...], texts: dict[str, int]) -> list[Any]:
    """Numbers have the decimals that are shown, and whole ones none."""
    if head.kind in ("text", "name"):
        return [texts.setdefault(value, len(texts)) for value in values]
    if head.kind != "number":
        return list(values)
    shorter = [None if value is None else round(value, head.decimals) for value in values]
    return [value if value is None or value % 1 else int(value) for value in shorter]
