"""Sections that families declare: each block of `core.blocks` as it stands on the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from tseval.core.blocks import (
    Crossed,
    Folded,
    Head,
    Note,
    Panels,
    Rows,
    Searched,
    SectionContent,
    Shaded,
    Timelines,
    Traces,
    Warned,
)
from tseval.reporting.content import Report
from tseval.reporting.page.heat import crossed, shaded
from tseval.reporting.page.listing import NUMBER, listing
from tseval.reporting.page.markup import Child, Markup, element, isolated, joined, run_name
from tseval.reporting.page.numbers import chance, number
from tseval.reporting.page.panels import Lines, explained, side_by_side
from tseval.reporting.page.searched import searched
from tseval.reporting.page.timeline import timeline_section

WIDTH, HEIGHT = 180, 14
"""Of a bar, in pixels."""
HATCHED = 3
"""The index of the hatched part of a bar: unjudged items."""
LEFT = ("run", "runs", "text", "name", "parts")
"""The kinds of columns that stand at the left."""


def section_of(report: Report, section: SectionContent, *, keyed: bool) -> Markup:
    """A section's blocks in order, or what it needs; `keyed` if the page has a legend above it."""
    if section.lack:
        return element("p", {"class": "lack"}, section.lack)
    parts: list[Markup] = []
    drawn, lists = 0, iter(section.searched)
    for block in section.blocks:
        if isinstance(block, Panels):
            lines = Lines.of_runs(report.runs)
            parts += [] if keyed else [lines.legend(block.panels)]
            keyed = True
            made = side_by_side(lines, block.panels, section.name, drawn, paired=block.paired)
            parts += [explained(lines, block.panels), made]
            drawn += len(block.panels)
        elif isinstance(block, Searched):
            parts.append(searched(block, next(lists), partial(_table, report), report))
        elif not isinstance(block, Warned | Traces):
            parts.append(_shown(report, block))
    return joined(parts)


def _shown(report: Report, block: Note | Rows | Shaded | Crossed | Timelines | Folded) -> Markup:
    if isinstance(block, Note):
        live = element("span", {"class": "scripted"}, block.live) if block.live else ""
        return element("p", {"class": "note"}, block.text, live)
    if isinstance(block, Rows):
        return _table(report, block)
    if isinstance(block, Shaded):
        return shaded(block, [report.runs[run] for run in block.runs])
    if isinstance(block, Crossed):
        return crossed(block)
    if isinstance(block, Timelines):
        return timeline_section(report, block.topics)
    inside = [_table(report, each) for each in block.tables]
    return element("details", None, element("summary", None, block.summary), inside)


def _table(report: Report, table: Rows) -> Markup:
    """The table; above it what the parts of its bars are."""
    numbers = [each.head for each in table.heads if each.kind not in LEFT]
    rows = [
        [_cell(report, column, value, at == 0) for at, (column, value) in enumerate(pairs)]
        for pairs in (list(zip(table.heads, row, strict=True)) for row in table.rows)
    ]
    heads = [each.head for each in table.heads]
    caption = isolated(table.caption) if table.caption else None
    barred = next((each for each in table.heads if each.kind == "parts"), None)
    kind = None if barred is None else "bars"
    made = listing(table.label, heads, rows, numbers=numbers, caption=caption, kind=kind)
    return made if barred is None else joined([_parts_named(barred.parts), made])


def _cell(report: Report, column: Head, value: Any, is_head: bool) -> Markup:
    shown = "".join(_content(report, column, value))
    attributes: dict[str, object] | None = None if column.kind in LEFT else {**NUMBER}
    if is_head:
        return element("th", {"scope": "row"}, Markup(shown))
    return element("td", attributes, Markup(shown))


def _content(report: Report, column: Head, value: Any) -> Iterator[Markup]:
    if column.kind == "run":
        yield run_name(report.runs[value])
    elif column.kind == "runs":
        yield joined([several_runs(report.runs, value)])
    elif column.kind == "name":
        yield isolated(value)
    elif column.kind == "parts":
        yield _bar(column.parts, value)
    else:
        yield joined([_words(column, value)])


def several_runs(names: Sequence[str], runs: Sequence[int]) -> Iterator[Child]:
    """Runs by name; where they are most of all runs, the few others."""
    is_most = len(names) > 1 and 2 * len(runs) > len(names)
    if is_most and len(runs) == len(names):
        yield "both" if len(names) == 2 else f"all {len(names)}"
        return
    named = [run for run in range(len(names)) if run not in runs] if is_most else runs
    yield "all but " if is_most else ""
    yield [[", " if at else "", run_name(names[run])] for at, run in enumerate(named)]


def _words(column: Head, value: Any) -> str:
    if column.kind == "text":
        return str(value)
    if column.kind == "count":
        return f"{value:,}"
    return chance(value) if column.kind == "chance" else number(value, column.decimals)


def _parts_named(parts: Iterable[str]) -> Markup:
    """What the colours of bars mean."""
    key = [
        element("span", {"class": "mark"}, element("i", {"class": f"b{at}"}), name)
        for at, name in enumerate(parts)
    ]
    return element("p", {"class": "marks"}, key)


def _bar(names: Sequence[str], sizes: Sequence[int]) -> Markup:
    """Parts of a whole as parts of one bar."""
    parts, left = [], 0.0
    for at, size in enumerate(sizes):
        wide = WIDTH * size / max(1, sum(sizes))
        place = {"x": f"{left:.1f}", "y": 1, "width": f"{wide:.1f}", "height": HEIGHT - 2}
        parts.append(element("rect", {"class": f"b{at}", **place}))
        if at == HATCHED:  # a line that is as thick as the bar, dashed
            line = f"M{left:.1f},{HEIGHT / 2}h{wide:.1f}"
            parts.append(element("path", {"class": "hatch", "d": line}))
        left += wide
    told = ", ".join(f"{size:,} {name}" for size, name in zip(sizes, names, strict=True))
    box = {"width": WIDTH, "height": HEIGHT, "viewBox": f"0 0 {WIDTH} {HEIGHT}"}
    return element("svg", {**box, "role": "img", "aria-label": told}, parts)
