"""What runs spent for what they said: redundancy and verbosity."""

from __future__ import annotations

from collections.abc import Iterator

from tseval.reporting.content import EconomyRow, Report
from tseval.views.report.markup import Markup, element, isolated, joined
from tseval.views.report.means import scrolled
from tseval.views.report.numbers import number

WIDTH, HEIGHT = 180, 14
KINDS = ("earning", "repeating", "idle")
WORDS = {
    "earning": "first to say a nugget",
    "repeating": "repeats only",
    "idle": "matches no nugget",
}


def economy_section(report: Report) -> Markup:
    """The table, with a bar for each run."""
    verbose = any(row.verbosity is not None for row in report.economy)
    key = [
        element("span", {"class": "mark"}, element("i", {"class": f"b-{kind}"}), WORDS[kind])
        for kind in KINDS
    ]
    heads = [
        "run",
        "updates",
        "what became of them",
        *WORDS.values(),
        "words an update",
        "words a nugget said",
    ]
    heads += ["V"] if verbose else []
    named = [element("th", {"scope": "col"}, head) for head in heads]
    rows = [element("tr", None, _row(report, row, verbose)) for row in report.economy]
    table = element(
        "table",
        {"class": "economy"},
        element("caption", {"class": "unseen"}, "Redundancy and verbosity of every run"),
        element("thead", None, element("tr", None, named)),
        element("tbody", None, rows),
    )
    return joined(
        [element("p", {"class": "marks"}, key), scrolled(table, "Redundancy and verbosity")]
    )


def _row(report: Report, row: EconomyRow, verbose: bool) -> Iterator[Markup]:
    numeric = {"class": "number"}
    yield element("th", {"scope": "row"}, isolated(report.runs[row.run]))
    yield element("td", numeric, f"{row.updates:,}")
    yield element("td", None, _bar(row))
    for kind in KINDS:
        yield element("td", numeric, f"{getattr(row, kind):,}")
    yield element("td", numeric, number(row.words, 1))
    yield element("td", numeric, number(row.per_nugget, 1))
    if verbose:
        yield element("td", numeric, number(row.verbosity, 3))


def _bar(row: EconomyRow) -> Markup:
    """The three kinds of updates as parts of one bar."""
    parts, at = [], 0.0
    for kind in KINDS:
        wide = WIDTH * getattr(row, kind) / max(1, row.updates)
        place = {"x": f"{at:.1f}", "y": 1, "width": f"{wide:.1f}", "height": HEIGHT - 2}
        parts.append(element("rect", {"class": f"b-{kind}", **place}))
        at += wide
    told = ", ".join(f"{getattr(row, kind)} {WORDS[kind]}" for kind in KINDS)
    size = {"width": WIDTH, "height": HEIGHT, "viewBox": f"0 0 {WIDTH} {HEIGHT}"}
    return element("svg", {**size, "role": "img", "aria-label": told}, parts)
