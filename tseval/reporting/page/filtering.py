"""Filtering over time: a metric's batches, the line fitted to them, and what the line says."""

from __future__ import annotations

from collections.abc import Iterator

from tseval.reporting.content import FitRow, Report
from tseval.reporting.page.curves import legend, panels
from tseval.reporting.page.listing import NUMBER, listing
from tseval.reporting.page.markup import Markup, element, isolated, joined
from tseval.reporting.page.numbers import chance, number

NUMBERS = ("slope", "error of slope", "p", "end", "error of end")
HEADS = ("run", "metric", "batch", *NUMBERS, "verdict")


def trend_section(report: Report) -> Markup:
    """The charts and the fits."""
    if not report.trends:
        return Markup("")
    note = "Each batch, and the trend that is fitted to a run’s batches; more is in the table."
    keys = Markup("") if report.curves or report.trust else legend(report)
    rows = [_fit(report, row) for row in report.fits]
    table = listing("Trends of every run", HEADS, rows, numbers=NUMBERS)
    drawn = panels(report, report.trends, "trend")
    return joined([element("p", {"class": "note"}, note), keys, drawn, table])


def _fit(report: Report, row: FitRow) -> Iterator[Markup]:
    yield element("th", {"scope": "row"}, isolated(report.runs[row.run]))
    yield element("td", None, row.metric)
    yield element("td", None, row.batch)
    for value in (row.slope, row.error):
        yield element("td", NUMBER, number(value, 6))
    yield element("td", NUMBER, chance(row.p))
    for value in (row.end, row.end_error):
        yield element("td", NUMBER, number(value, 4))
    yield element("td", None, row.verdict)
