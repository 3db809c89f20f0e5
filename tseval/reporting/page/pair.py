"""Two runs beside each other: any two, chosen on the page, which works out what is told of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tseval.core.blocks import Traces
from tseval.reporting.content import MeasureBoard, Report
from tseval.reporting.curves import FEWEST_TOPICS
from tseval.reporting.page.differences import in_words
from tseval.reporting.page.markup import Markup, element, joined, shown
from tseval.reporting.page.numbers import rounded
from tseval.reporting.page.searched import labelled


def pair_section(report: Report) -> Markup:
    """The choice of two runs and a measure, and the places for what a script draws of them."""
    if len(report.runs) < 2 or not report.measures:
        return Markup("")
    boards = report.measures[: report.leading]
    names = [shown(name) for name in report.runs]
    swap = element("button", {"type": "button", "class": "swap", "id": "pair-swap"}, "Swap")
    controls = element(
        "p",
        {"class": "controls scripted"},
        _choice("A", "a", names, 0),
        _choice("B", "b", names, 1),
        swap,
        _choice("Measure", "pair-measure", [shown(each.name) for each in boards], 0),
    )
    without = "Where scripts run, any two runs can be chosen here. "
    told = "The file pairs.csv below has every pair by every measure."
    return joined(
        [
            element("p", {"class": "note unscripted"}, without, told),
            controls,
            element("p", {"class": "printed", "id": "pair-shown"}),
            element("div", {"class": "scripted", "id": "pair-topics"}),
            element("div", {"class": "scripted", "id": "pair-curve"}) if report.traces else "",
            element("div", {"class": "scripted", "id": "pair-nuggets"}) if report.timelines else "",
        ]
    )


def _choice(label: str, name: str, options: list[str], chosen: int) -> Markup:
    made = [
        element("option", {"value": at, "selected": at == chosen}, text)
        for at, text in enumerate(options)
    ]
    given = {"id": f"choose-{name}", "data-keep": name}
    return labelled(label, given["id"], element("select", given, made))


def pair_data(report: Report) -> dict[str, Any]:
    """The scores of each topic by the leading measures, and curves topic by topic."""
    topics = max((len(each.steps[0]) for each in report.traces), default=0)
    return {
        "topics": [shown(topic) for topic in report.topics],
        "boards": [_board(each) for each in report.measures[: report.leading]],
        "traces": [_traces(each) for each in report.traces],
        "level": report.level,
        "wide": [rounded(each) for each in quantiles(report.level, topics)],
        "few": FEWEST_TOPICS,
    }


def _board(board: MeasureBoard) -> dict[str, Any]:
    return {
        "name": shown(board.name),
        "unit": board.unit,
        "over": board.over,
        "pooled": board.pooled,
        "higher": board.higher,
        "decimals": in_words(board),
        "cells": [[rounded(value) for value in row] for row in board.cells],
    }


def _traces(traces: Traces) -> dict[str, Any]:
    """Each step as its place and its value, one behind the other."""
    return {
        "name": shown(traces.title),
        "x": traces.x,
        "places": [rounded(place) for place in traces.places],
        "runs": [
            [[x for place, value in topic for x in (place, rounded(value))] for topic in run]
            for run in traces.steps
        ],
    }


def quantiles(level: float, topics: int) -> list[float]:
    """How many standard errors a Student interval reaches, for 2 topics, 3, and so on."""
    from scipy.special import stdtrit  # which takes time to import

    if topics < 2:
        return []
    found: list[float] = stdtrit(np.arange(1, topics), (1 + level) / 2).tolist()
    return found
