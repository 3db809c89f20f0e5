"""The page as a whole: its head with a policy that forbids all else, and its sections in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tseval.core.blocks import SectionContent
from tseval.core.wording import count
from tseval.reporting.content import Report
from tseval.reporting.page.data import data_block
from tseval.reporting.page.differences import pairs_folded
from tseval.reporting.page.folders import without_folders
from tseval.reporting.page.heat import heat_section, heat_title
from tseval.reporting.page.markup import Markup, element, joined
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
from tseval.reporting.page.shell import SCRIPTS_OF_PANELS, document, made_by
from tseval.reporting.page.verdict import verdict_section, verdict_title

SCRIPTS = (*SCRIPTS_OF_PANELS, "lists.js", "pair.js", "paper.js")


def report_page(report: Report) -> bytes:
    """The whole page; the same report gives the same bytes."""
    report = without_folders(report)
    return document(report.title, [_body(report), data_block(report)], SCRIPTS)


def _body(report: Report) -> Iterator[Markup]:
    sections = [(name, title, content) for name, title, content in _sections(report) if content]
    yield element("a", {"class": "skip", "href": "#verdict"}, "Skip to the results")
    yield element(
        "header", None, element("h1", None, report.title), _summary(report), _contents(sections)
    )
    yield element("main", None, [_section(*each) for each in sections])
    yield made_by()


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
    first = [each for each in report.sections if each.leads]
    rest = [each for each in report.sections if not each.leads]
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
