"""What the page's script works with, as JSON inside the page; each text stands once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tseval.core.blocks import Head, Rows, Saying, Searched, Timeline, Traces
from tseval.core.panels import Panel, Picture
from tseval.reporting.content import MeasureBoard, Report
from tseval.reporting.curves import FEWEST_TOPICS
from tseval.reporting.page.markup import Markup, visible_text
from tseval.reporting.page.numbers import rounded
from tseval.reporting.page.panels import Lines, aligned
from tseval.reporting.page.tables import in_words

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
    updates = [
        [
            x.run,
            visible_text(x.name),
            round(x.hours, DECIMALS),
            texts.setdefault(x.text, len(texts)),
        ]
        for x in timeline.updates
    ]
    return {
        "topic": visible_text(timeline.topic),
        "end": round(timeline.end, DECIMALS),
        "nuggets": [
            [
                visible_text(x.name),
                round(x.hours, DECIMALS),
                rounded(x.importance),
                visible_text(x.text),
            ]
            for x in timeline.nuggets
        ],
        "updates": updates,
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
        "boards": [_board(each) for each in report.measures[: report.leading]],
        "traces": [_traces(each) for each in report.traces],
        "level": report.level,
        "wide": _rounded(quantiles(report.level, topics)),
        "few": FEWEST_TOPICS,
    }


def _board(board: MeasureBoard) -> dict[str, Any]:
    return {
        "name": visible_text(board.name),
        "unit": board.unit,
        "over": board.over,
        "pooled": board.pooled,
        "higher": board.higher,
        "decimals": in_words(board),
        "cells": [_rounded(row) for row in board.cells],
    }


def _traces(traces: Traces) -> dict[str, Any]:
    """Each step as its place and its value, one behind the other."""
    return {
        "name": visible_text(traces.title),
        "x": traces.x,
        "places": _rounded(traces.places),
        "runs": [
            [[x for place, value in topic for x in (place, rounded(value))] for topic in run]
            for run in traces.steps
        ],
    }


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
