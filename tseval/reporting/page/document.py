"""The page as a whole: its head with a policy that forbids all else, and its sections in order."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from importlib.resources import files

from tseval.reporting import palette
from tseval.reporting.content import CURVES, ECONOMY, TIMELINE, Report
from tseval.reporting.page.curves import legend, panels
from tseval.reporting.page.data import data_block
from tseval.reporting.page.economy import economy_section
from tseval.reporting.page.filtering import trend_section
from tseval.reporting.page.heat import heat_section
from tseval.reporting.page.incidents import trust_section, types_section
from tseval.reporting.page.markup import Markup, element, joined
from tseval.reporting.page.means import means_section
from tseval.reporting.page.prose import (
    downloads_section,
    inputs_section,
    terms_section,
    warnings_section,
)
from tseval.reporting.page.timeline import timeline_section
from tseval.version import VERSION

STYLE, SCRIPT = "page.css", "page.js"


def report_page(report: Report) -> bytes:
    """The whole page; the same report gives the same bytes."""
    style, script = _beside(STYLE) + palette.style(), _beside(SCRIPT)
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
        element("title", None, report.title),
        Markup(f"<style>{style}</style>"),
    )
    body = element(
        "body", None, _body(report), data_block(report), Markup(f"<script>{script}</script>")
    )
    page = f'<!DOCTYPE html>\n<html lang="en">{head}{body}</html>\n'
    return page.encode()


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
    yield element("a", {"class": "skip", "href": "#means"}, "Skip to the results")
    yield element(
        "header", None, element("h1", None, report.title), _summary(report), _contents(sections)
    )
    yield element("main", None, [_section(*each) for each in sections])
    yield element("footer", None, f"Made by tseval {VERSION}. This page loads nothing.")


def _summary(report: Report) -> Markup:
    topics = [] if report.types else [(len(report.topics), "topic")]
    parts = [(len(report.runs), "run"), *topics, (len(report.measures), "measure")]
    told = ", ".join(f"{number} {noun}{'' if number == 1 else 's'}" for number, noun in parts)
    return element("p", {"class": "summary"}, told)


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
    yield "inputs", "Signature and inputs", inputs_section(report)
    yield "means", "Which run is better", means_section(report)
    yield "curves", "Over time", _or_lack(report, CURVES, _curves(report))
    yield "heat", "Topic by topic", heat_section(report)
    yield "timeline", "What was said, and when", _or_lack(report, TIMELINE, _timeline(report))
    yield "economy", "Redundancy and verbosity", _or_lack(report, ECONOMY, _economy(report))
    yield "types", "Information types", types_section(report)
    yield "trust", "Alerts, and trust in them", trust_section(report)
    yield "trends", "Trends over batches", trend_section(report)
    yield "warnings", "Warnings", warnings_section(report)
    yield "definitions", "Definitions", terms_section(report)
    yield "data", "Data", downloads_section(report)


def _or_lack(report: Report, section: str, content: Markup) -> Markup:
    """The section, or what it needs."""
    if section in report.lacks:
        return element("p", {"class": "lack"}, report.lacks[section])
    return content


def _curves(report: Report) -> Markup:
    if not report.curves:
        return Markup("")
    level = f"{100 * report.level:g} %"
    note = f"Means over topics at each time since their start; bands hold their {level} intervals."
    hint = element("span", {"class": "scripted"}, " Press a run to bring it forward.")
    drawn = panels(report, report.curves, "curve")
    return joined(
        [element("p", {"class": "note"}, note, hint), _undrawn(report), legend(report), drawn]
    )


def _undrawn(report: Report) -> Markup:
    """A word on the measures whose curves are left out."""
    if not report.undrawn:
        return Markup("")
    verb = "has a curve that is" if len(report.undrawn) == 1 else "have curves that are"
    told = f"{', '.join(report.undrawn)} {verb} not drawn; --curve NAME chooses."
    return element("p", {"class": "note"}, told)


def _timeline(report: Report) -> Markup:
    return timeline_section(report) if report.timelines else Markup("")


def _economy(report: Report) -> Markup:
    return economy_section(report) if report.economy else Markup("")
