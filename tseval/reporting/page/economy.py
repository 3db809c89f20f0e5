"""What runs spent for what they said: redundancy and verbosity."""

from __future__ import annotations

from collections.abc import Iterator

from tseval.reporting.content import EconomyRow, Report
from tseval.reporting.page.listing import NUMBER, listing
from tseval.reporting.page.markup import Markup, element, isolated, joined
from tseval.reporting.page.numbers import number

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
    numbers = ["updates", *WORDS.values(), "words an update", "words a nugget said", "V"]
    heads = ["run", "updates", "what became of them", *numbers[1 : None if verbose else -1]]
    rows = [_row(report, row, verbose) for row in report.economy]
    label = "Redundancy and verbosity of every run"
    table = listing(label, heads, rows, numbers=numbers, kind="economy")
    return joined([element("p", {"class": "marks"}, key), table])


def _row(report: Report, row: EconomyRow, verbose: bool) -> Iterator[Markup]:
    yield element("th", {"scope": "row"}, isolated(report.runs[row.run]))
    yield element("td", NUMBER, f"{row.updates:,}")
    yield element("td", None, _bar(row))
    for kind in KINDS:
        yield element("td", NUMBER, f"{getattr(row, kind):,}")
    yield element("td", NUMBER, number(row.words, 1))
    yield element("td", NUMBER, number(row.per_nugget, 1))
    if verbose:
        yield element("td", NUMBER, number(row.verbosity, 3))


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
