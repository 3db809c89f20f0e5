"""The page as a whole: its head with a policy that forbids all else, and its sections in order."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from importlib.resources import files

from tseval.core.blocks import SectionContent
from tseval.core.wording import count
from tseval.reporting import palette
from tseval.reporting.charts.plot import plot_style
from tseval.reporting.content import Report
from tseval.reporting.page.data import data_block
from tseval.reporting.page.differences import pairs_folded
from tseval.reporting.page.folders import without_folders
from tseval.reporting.page.heat import heat_section, heat_title
from tseval.reporting.page.markup import Child, Markup, element, joined
from tseval.reporting.page.means import means_section
from tseval.reporting.page.pair import pair_section
from tseval.reporting.page.paper import means_on_paper, paper_choice
from tseval.reporting.page.prose import (
    downloads_section,
    inputs_section,
    terms_section,
    warnings_section,
)
from tseval.reporting.page.sections import section_of
from tseval.reporting.page.verdict import verdict_section, verdict_title
from tseval.version import VERSION

CURVES = "curves"
"""The section that stands above that of topics."""
STYLE = "page.css"
SCRIPTS = ("address.js", "page.js", "ends.js", "lists.js", "pair.js", "paper.js")
BEGIN = "address.begin();\n"
"""The end of the scripts: what an address asks for is shown when all of them stand."""


def report_page(report: Report) -> bytes:
    """The whole page; the same report gives the same bytes."""
    report = without_folders(report)
    return document(report.title, [_body(report), data_block(report)])


def document(title: str, body: Child) -> bytes:
    """A page that has this title, and loads nothing; its script follows what it holds."""
    style = _beside(STYLE) + plot_style() + palette.style()
    script = "".join([*map(_beside, SCRIPTS), BEGIN])
    head = element(
        "head",
        None,
        element("meta", {"charset": "utf-8"}),
        element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        element(
            "meta", {"http-equiv": "Content-Security-Policy", "content": policy(style, script)}
        ),
        element("meta", {"name": "color-scheme", "content": "light dark"}),
        element("meta", {"name": "generator", "content": f"tseval {VERSION}"}),
        element("meta", {"name": "referrer", "content": "no-referrer"}),
        element("link", {"rel": "icon", "href": "data:,"}),
        element("title", None, title),
        Markup(f"<style>{style}</style>"),
    )
    whole = element("body", None, body, Markup(f"<script>{script}</script>"))
    return f'<!DOCTYPE html>\n<html lang="en">{head}{whole}</html>\n'.encode()


def _beside(name: str) -> str:
    return files("tseval.reporting.page").joinpath(name).read_text(encoding="utf-8")


def policy(style: str, script: str) -> str:
    """Nothing may be loaded or sent; only this very style and this very script count."""
    return (
        f"default-src 'none'; style-src '{_hashed(style)}'; script-src '{_hashed(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hashed(content: str) -> str:
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    return f"sha256-{digest}"


def _body(report: Report) -> Iterator[Markup]:
    sections = [(name, title, content) for name, title, content in _sections(report) if content]
    yield element("a", {"class": "skip", "href": "#verdict"}, "Skip to the results")
    yield element(
        "header", None, element("h1", None, report.title), _summary(report), _contents(sections)
    )
    yield element("main", None, [_section(*each) for each in sections])
    yield made_by()


def made_by() -> Markup:
    """What stands at the foot of each page."""
    return element("footer", None, f"Made by tseval {VERSION}. This page loads nothing.")


def _summary(report: Report) -> Markup:
    topics = [(noun, _with_scores(report, noun)) for noun in report.nouns]
    parts = [("run", len(report.runs)), *topics, ("measure", len(report.measures))]
    return element("p", {"class": "summary"}, ", ".join(count(size, noun) for noun, size in parts))


def _with_scores(report: Report, noun: str) -> int:
    """How many topics, or whatever it is, have a score by the measures that are taken over them."""
    boards = [each for each in report.measures if each.over == noun]
    return sum(
        any(value is not None for board in boards for value in board.cells[at])
        for at in range(len(report.topics))
    )


def _contents(sections: list[tuple[str, str, Markup]]) -> Markup:
    links = [
        element("li", None, element("a", {"href": f"#{name}"}, title))
        for name, title, _ in sections
    ]
    return element("nav", {"aria-label": "Contents"}, element("ul", None, links))


def _section(name: str, title: str, content: Markup) -> Markup:
    return element("section", {"id": name}, element("h2", None, title), content)


def _sections(report: Report) -> Iterator[tuple[str, str, Markup]]:
    """Every section that the report has something for, or can say what it would need."""
    yield "verdict", verdict_title(report), verdict_section(report)
    yield "means", "Means by measure", _means(report)
    first = [each for each in report.sections if each.name == CURVES]
    rest = [each for each in report.sections if each.name != CURVES]
    yield from _declared(report, first, keyed=False)
    yield "heat", heat_title(report), heat_section(report)
    yield "pair", "Two runs beside each other", pair_section(report)
    yield from _declared(report, rest, keyed=any(each.panels for each in first))
    yield "definitions", "Definitions", terms_section(report)
    yield "warnings", "Warnings", warnings_section(report)
    yield "data", "Data", joined([downloads_section(report), paper_choice(report)])
    yield "inputs", "Signature and inputs", inputs_section(report)


def _means(report: Report) -> Markup:
    """The means, on paper in another shape."""
    if not report.measures:
        return Markup("")
    return joined([means_section(report), means_on_paper(report), pairs_folded(report)])


def _declared(
    report: Report, sections: Sequence[SectionContent], *, keyed: bool
) -> Iterator[tuple[str, str, Markup]]:
    """Sections of the family of the scores; only the first panels have a legend above them."""
    for each in sections:
        yield each.name, each.title, section_of(report, each, keyed=keyed)
        keyed = keyed or bool(each.panels)
