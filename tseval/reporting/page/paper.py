"""What stands on paper alone: measures as rows, and on demand a page for each topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tseval.reporting.content import MeasureBoard, Report
from tseval.reporting.page.listing import NUMBER
from tseval.reporting.page.markup import Markup, element, isolated, joined
from tseval.reporting.page.means import measure_head, numbers_of
from tseval.reporting.page.numbers import BLANK, decimals_for, number

ACROSS = 6
"""So many runs stand side by side on a page; the others in tables below."""


def means_on_paper(report: Report) -> Markup:
    """Every measure as a row, and below each mean its interval: nothing is folded or cut."""
    runs = range(len(report.runs))
    tables = [_table(report, runs[at : at + ACROSS]) for at in runs[::ACROSS]]
    return element("div", {"class": "paper"}, tables)


def _table(report: Report, runs: Sequence[int]) -> Markup:
    heads = [element("th", {"scope": "col", **NUMBER}, isolated(report.runs[run])) for run in runs]
    top = element("tr", None, element("th", {"scope": "col"}, "measure"), heads)
    rows = [element("tr", None, _measure(each, runs)) for each in report.measures]
    return element("table", None, element("thead", None, top), element("tbody", None, rows))


def _measure(board: MeasureBoard, runs: Sequence[int]) -> Iterator[Markup]:
    """A measure's mean of each of these runs, with the letters of its groups."""
    decimals = decimals_for(numbers_of(board))
    rows = {row.run: row for row in board.means}
    yield element("th", {"scope": "row"}, measure_head(board))
    for run in runs:
        row = rows.get(run)
        if row is None:
            yield element("td", NUMBER, BLANK)
            continue
        ends = (number(each, decimals) for each in (row.low, row.high))
        parts = [number(row.mean, decimals)]
        if row.letters:
            parts.append(element("small", None, f" {row.letters}"))
        if row.low is not None:
            parts += [element("br"), element("small", None, " to ".join(ends))]
        yield element("td", NUMBER, joined(parts))


def paper_choice(report: Report) -> Markup:
    """Whether every topic gets a page of its own when the page is printed."""
    noun = report.nouns[0]
    options = ("what is in sight", f"also every {noun}, on a page of its own")
    select = element(
        "select",
        {"id": "on-paper", "data-keep": "paper"},
        [element("option", {"value": at}, each) for at, each in enumerate(options)],
    )
    return element(
        "p",
        {"class": "controls scripted"},
        element("label", {"class": "control"}, "On paper: ", select),
    )
