"""Who said each nugget when: a table a topic, which a script makes into a picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from tseval.core.blocks import Nugget, Saying, Timeline
from tseval.reporting.content import Report
from tseval.reporting.page.listing import NUMBER, listing
from tseval.reporting.page.markup import Markup, element, isolated, joined, run_name, shown
from tseval.reporting.page.numbers import number, plain, rounded

NUMBERS = ("happened", "weight", "after", "said by")
HEADS = ("nugget", "happened", "weight", "what", "first said", "after", "said by", "missed by")
SHOWN = {"all": "all nuggets", "missed": "missed ones", "late": "late ones", "said": "said ones"}
ORDERS = {
    "time": "as they happened",
    "weight": "heaviest first",
    "late": "latest first",
    "missed": "missed by most first",
}
COARSE = 2
"""Fewer hours are told in minutes."""
MISSING_NAMED = 6
"""So many runs that missed a nugget are named."""


def timeline_section(report: Report, timelines: Sequence[Timeline]) -> Markup:
    """Choices of topic and run, the place for the picture, and every topic as a table."""
    topics = [
        element("option", {"value": at}, shown(each.topic)) for at, each in enumerate(timelines)
    ]
    runs = [
        element("option", {"value": at, "selected": at == 0}, shown(name))
        for at, name in enumerate(report.runs)
    ]
    every = element("option", {"value": "all"}, "all runs")
    controls = element(
        "p",
        {"class": "controls scripted"},
        _control("Topic ", "topic", topics),
        _control("Run ", "run", [every, *runs]),
        _control("Show ", "show", _options(SHOWN)),
        _control("Order ", "order", _options(ORDERS)),
        element(
            "label",
            {"class": "control"},
            "Find ",
            element("input", {"type": "search", "id": "choose-nugget", "data-keep": "find"}),
        ),
        element("output", {"id": "lanes-count", "aria-live": "polite"}),
    )
    hint = element("p", {"class": "marks scripted", "aria-hidden": "true"}, _marks())
    picture = element("div", {"id": "lanes", "class": "scripted"})
    pressed = {"type": "button", "aria-pressed": "false", "data-keep": "whole"}
    more = element(
        "button", {"id": "all-lanes", "class": "whole", **pressed}, "All of these nuggets"
    )
    tables = [_table(report, place, each) for place, each in enumerate(timelines)]
    summary = element("summary", None, "as a table")
    whole = element("details", {"id": "said", "open": True}, summary, tables)
    paper = element("p", {"id": "shown", "class": "printed"})
    return joined(
        [controls, paper, hint, picture, element("p", {"class": "scripted"}, more), whole]
    )


def _control(label: str, name: str, options: list[Markup]) -> Markup:
    """A choice, which the address keeps by its name."""
    choice = element("select", {"id": f"choose-{name}", "data-keep": name}, options)
    return element("label", {"class": "control"}, label, choice)


def _options(words: Mapping[str, str]) -> list[Markup]:
    return [element("option", {"value": value}, each) for value, each in words.items()]


def _marks() -> Iterator[Markup]:
    """What the marks of the picture mean."""
    known = (
        ("gold", "when it happened"),
        ("first", "the run’s first word of it"),
        ("again", "said again"),
        ("other", "other runs’ first words"),
        ("missed", "missed"),
    )
    for kind, words in known:
        yield element("span", {"class": "mark"}, element("i", {"class": f"m-{kind}"}), words)


def _table(report: Report, place: int, timeline: Timeline) -> Markup:
    firsts = firsts_of(timeline)
    rows = [
        _nugget(report, timeline, nugget, firsts.get(at, []))
        for at, nugget in enumerate(timeline.nuggets)
    ]
    caption = joined(["Topic ", isolated(timeline.topic), ", hours since its start"])
    label = f"Nuggets of topic {timeline.topic}"
    table = listing(label, HEADS, rows, numbers=NUMBERS, caption=caption)
    return element("div", {"class": "said", "data-timeline": place}, table)


def firsts_of(timeline: Timeline) -> dict[int, list[Saying]]:
    """For each nugget that is said each run's first saying, the earliest run first."""
    firsts = (each for each in timeline.sayings if each.first)
    return {nugget: list(group) for nugget, group in groupby(firsts, lambda each: each.nugget)}


def _nugget(
    report: Report, timeline: Timeline, nugget: Nugget, firsts: list[Saying]
) -> Iterator[Markup]:
    yield element("th", {"scope": "row"}, isolated(nugget.name))
    yield element("td", NUMBER, number(nugget.hours, 1))
    yield element("td", NUMBER, plain(rounded(nugget.importance) or 0.0))
    yield element("td", {"class": "text"}, isolated(nugget.text))
    if firsts:
        update = timeline.updates[firsts[0].update]
        yield element("td", None, run_name(report.runs[update.run]))
        yield element("td", NUMBER, lead(update.hours - nugget.hours))
    else:
        yield element("td", {"colspan": 2}, "never")
    yield element("td", NUMBER, f"{len(firsts)} of {len(report.runs)}")
    yield element("td", None, _missing(report, timeline, firsts))


def lead(hours: float) -> str:
    """How long after the nugget's own time, or before it: in minutes below two hours."""
    size = abs(hours)
    minutes = math.floor(60 * size + 0.5)
    if minutes == 0:
        return "on time"
    span = f"{minutes} min" if size < COARSE else f"{number(size, 1)} h"
    return f"{span} {'late' if hours > 0 else 'early'}"


def _missing(report: Report, timeline: Timeline, firsts: list[Saying]) -> Markup:
    said = {timeline.updates[each.update].run for each in firsts}
    missing = [name for run, name in enumerate(report.runs) if run not in said]
    named = [joined([run_name(name)]) for name in missing[:MISSING_NAMED]]
    more = len(missing) - len(named)
    parts: list[str] = [*named, *([f"{more} more"] if more else [])]
    return joined(part if at == 0 else joined([", ", part]) for at, part in enumerate(parts))
