"""The parts of the page that are words: where it comes from, warnings, definitions, downloads."""

from __future__ import annotations

import base64

from tseval.reporting.content import Download, Report, Term
from tseval.reporting.page.listing import NUMBER, listing
from tseval.reporting.page.markup import Markup, element, isolated, joined
from tseval.reporting.page.means import anchor
from tseval.reporting.page.warned import worded

HASH = 12
"""How many hexadecimal digits of a file's hash are shown; the attribute has all."""


def inputs_section(report: Report) -> Markup:
    """The signatures, and the files by their hashes."""
    lines = [
        element("p", {"class": "signature"}, element("code", None, _breakable(report.signature)))
    ]
    scored = [each for each in report.scored if each not in report.signature]
    if scored:
        told = [element("li", None, element("code", None, _breakable(each))) for each in scored]
        lines += [
            element("p", None, "The scores say of themselves:"),
            element("ul", {"class": "signatures"}, told),
        ]
    return joined([*lines, _inputs(report)])


def _breakable(signature: str) -> list[str]:
    """A signature that may go on in the next line after each of its parts."""
    first, *others = signature.split("|")
    return [first, *(piece for part in others for piece in ("|", Markup("<wbr/>"), part))]


def _inputs(report: Report) -> Markup:
    rows = [
        (
            element("td", None, each.role),
            element("td", None, isolated(each.path)),
            element("td", NUMBER, f"{each.rows:,}"),
            element("td", None, element("code", {"title": each.sha256}, each.sha256[:HASH])),
        )
        for each in report.inputs
    ]
    return listing("Input files", ("what", "file", "rows", "sha256"), rows, numbers=("rows",))


def warnings_section(report: Report) -> Markup:
    """What was warned about beside the verdict; that there was nothing is said too."""
    others = [each for each in report.warnings if each not in report.doubts]
    if not others:
        above = "None beside those above." if report.doubts else "None."
        return element("p", None, above)
    items = [element("li", None, each) for each in worded(others, report)]
    return element("ul", {"class": "warnings"}, items)


def terms_section(report: Report) -> Markup:
    """What each measure is, as the registry of measures has it."""
    return joined(map(_term, report.terms))


def _term(term: Term) -> Markup:
    entries = [
        (element("dt", None, heading), element("dd", {"class": heading.replace(" ", "-")}, said))
        for heading, said in term.entries
    ]
    heading = element("h3", None, element("code", None, term.name), " ", term.summary)
    return element(
        "section", {"class": "term", "id": anchor(term.name)}, heading, element("dl", None, entries)
    )


def downloads_section(report: Report) -> Markup:
    """Files that lie in the page as links; further ones a script puts together."""
    drawn = any(each.panels for each in report.sections)
    links = [element("li", None, _link(each), " ", each.note) for each in report.downloads]
    made = [
        element("li", {"class": "scripted"}, _maker(name), " ", note)
        for name, note, there in (
            ("curves.csv", "the curves that are drawn, with their bands", drawn),
            ("nuggets.csv", "each nugget, and when each run said it", report.timelines),
        )
        if there
    ]
    return element("ul", {"class": "downloads"}, links, made)


def _link(file: Download) -> Markup:
    content = base64.b64encode(file.content).decode()
    target = f"data:{file.kind};base64,{content}"
    return element("a", {"download": file.name, "href": target}, file.name)


def _maker(name: str) -> Markup:
    return element("button", {"type": "button", "class": "make", "data-make": name}, name)
