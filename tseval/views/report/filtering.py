"""Filtering over time: a metric's batches, the line fitted to them, and what the line says."""

from __future__ import annotations

from collections.abc import Iterator

from tseval.reporting.content import FitRow, Report
from tseval.views.report.curves import legend, panels
from tseval.views.report.markup import Markup, element, isolated, joined
from tseval.views.report.means import scrolled
from tseval.views.report.numbers import chance, number

HEADS = ("run", "metric", "batch", "slope", "its error", "p", "end", "its error", "verdict")


def trend_section(report: Report) -> Markup:
    """The charts and the fits."""
    if not report.trends:
        return Markup("")
    note = "Each batch, and the trend that is fitted to a run’s batches; more is in the table."
    keys = Markup("") if report.curves or report.trust else legend(report)
    heads = [element("th", {"scope": "col"}, name) for name in HEADS]
    rows = [element("tr", None, _fit(report, row)) for row in report.fits]
    table = element(
        "table",
        {"class": "sortable"},
        element("caption", {"class": "unseen"}, "Trends of every run"),
        element("thead", None, element("tr", None, heads)),
        element("tbody", None, rows),
    )
    drawn = panels(report, report.trends, "trend")
    return joined([element("p", {"class": "note"}, note), keys, drawn, scrolled(table, "Trends")])


def _fit(report: Report, row: FitRow) -> Iterator[Markup]:
    numeric = {"class": "number"}
    yield element("th", {"scope": "row"}, isolated(report.runs[row.run]))
    yield element("td", None, row.metric)
    yield element("td", None, row.batch)
    for value in (row.slope, row.error):
        yield element("td", numeric, number(value, 6))
    yield element("td", numeric, chance(row.p))
    for value in (row.end, row.end_error):
        yield element("td", numeric, number(value, 4))
    yield element("td", None, row.verdict)
