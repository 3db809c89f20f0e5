"""Incident streams: how each run does type by type, and whether its alerts keep being trusted."""

from __future__ import annotations

from collections.abc import Iterator

from tseval.reporting.content import Report, TypeRow
from tseval.reporting.page.curves import legend, panels
from tseval.reporting.page.heat import SHADES
from tseval.reporting.page.listing import NUMBER, listing, scrolled
from tseval.reporting.page.markup import Markup, element, isolated, joined
from tseval.reporting.page.numbers import number

COUNTS = ("TP", "FP", "FN", "TN")
SHARES = ("precision", "recall", "F1")


def types_section(report: Report) -> Markup:
    """F1 of each type by run as a map, and each run in full."""
    if not report.types:
        return Markup("")
    by_run: dict[int, list[TypeRow]] = {}
    for row in report.types:
        by_run.setdefault(row.run, []).append(row)
    note = "F1 of each type against all others; a star marks the types that call for action."
    full = [_full(report, run, rows) for run, rows in by_run.items()]
    details = element("details", None, element("summary", None, "Counts of every run"), full)
    return joined([element("p", {"class": "note"}, note), _map(report, by_run), details])


def _map(report: Report, by_run: dict[int, list[TypeRow]]) -> Markup:
    runs = sorted(by_run)
    heads = [
        element("th", {"scope": "col"}, element("span", None, isolated(report.runs[run])))
        for run in runs
    ]
    kinds = by_run[runs[0]]
    rows = [
        element("tr", None, _type_head(kind), [_shaded(by_run[run][at].f1) for run in runs])
        for at, kind in enumerate(kinds)
    ]
    table = element(
        "table",
        {"class": "heat"},
        element("caption", {"class": "unseen"}, "F1 by information type and run"),
        element("thead", None, element("tr", None, element("th", {"scope": "col"}, "type"), heads)),
        element("tbody", None, rows),
    )
    return scrolled(table, "F1 by information type and run")


def _type_head(row: TypeRow) -> Markup:
    star = element("span", {"title": "calls for action"}, " *") if row.actionable else Markup("")
    return element("th", {"scope": "row"}, isolated(row.kind), star)


def _shaded(value: float | None) -> Markup:
    if value is None:
        return element("td", {"class": "none"}, number(None, 2))
    return element("td", {"class": f"h{round(value * (SHADES - 1))}"}, number(value, 2))


def _full(report: Report, run: int, rows: list[TypeRow]) -> Markup:
    name = report.runs[run]
    heads, cells = ("type", *COUNTS, *SHARES), map(_cells, rows)
    return listing(f"Types of {name}", heads, cells, numbers=heads[1:], caption=isolated(name))


def _cells(row: TypeRow) -> Iterator[Markup]:
    yield _type_head(row)
    yield from (element("td", NUMBER, f"{count:,}") for count in row.counts)
    yield from (
        element("td", NUMBER, number(share, 4)) for share in (row.precision, row.recall, row.f1)
    )


def trust_section(report: Report) -> Markup:
    """Worth and false alerts along the stream of some events."""
    if not report.trust:
        return Markup("")
    note = (
        "Along the posts of an event: the mean worth of the alerts so far, and how many false "
        "alerts there were since the last true one."
    )
    keys = Markup("") if report.curves else legend(report)
    drawn = panels(report, report.trust, "trust")
    return joined([element("p", {"class": "note"}, note), keys, drawn])
