"""The page as a whole: its sections in order, put into templates.

It is self-contained: nothing is fetched, and nothing in it can become code.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from math import inf
from typing import TYPE_CHECKING, Any

from tseval.core.panels import Picture
from tseval.core.wording import count
from tseval.reporting import palette
from tseval.reporting.charts.plot import key_of, keys, legend_dot, plot, plot_style
from tseval.reporting.content import Download, Report
from tseval.reporting.page import tables
from tseval.reporting.page.markup import Markup, run_name, visible_text
from tseval.reporting.page.panels import (
    Lines,
    filter_of,
    filters_of,
    json_of_picture,
    json_of_report,
    table_of,
)
from tseval.reporting.page.verdict import (
    companions,
    duel_of,
    is_outside,
    more_or_fewer,
    without_folders,
    worded,
)
from tseval.reporting.palette import Palette
from tseval.version import VERSION

if TYPE_CHECKING:
    from jinja2 import Environment

SCRIPTS_OF_PANELS = ("address.js", "page.js", "ends.js")
"""The scripts that a page with panels alone needs."""
SCRIPTS = (*SCRIPTS_OF_PANELS, "lists.js", "pair.js", "paper.js")
BEGIN = "address.begin();\n"
"""The end of the scripts: what an address asks for is shown when all of them stand."""
FORWARD = 8
"""So many lines of a picture stand out at first; more are hard to tell apart."""
DIFFERENCES = 10
"""So many differences stand with the verdict, the others below a fold."""
BREAK_BETWEEN_TAGS, BREAK = re.compile(r"(?<=[>}])\s*\n\s*(?=[<{])"), re.compile(r"\s*\n\s*")
"""Line breaks in a template: between tags they are nothing on the page, elsewhere a space."""


def report_page(report: Report) -> bytes:
    """The whole page; the same report gives the same bytes."""
    report = without_folders(report)
    every = [(name, title, content) for name, title, content in _sections(report) if content]
    given = {"sections": every, "summary": _summary(report), "data": json_of_report(report)}
    return _document("report.html", report.title, SCRIPTS, given)


def chart_page(picture: Picture) -> bytes:
    """A picture as one file that loads nothing: legend, panels with their tables, signature."""
    look = Palette.of_picture(picture.names, are_runs=picture.are_runs, shown=FORWARD)
    lines = Lines(picture.names, look, FORWARD, picture.kind)
    given = {"picture": picture, "lines": lines, "data": json_of_picture(picture, lines)}
    return _document("chart.html", picture.title, SCRIPTS_OF_PANELS, given)


def _sections(report: Report) -> Iterator[tuple[str, str, str]]:
    """Every section that the report has something for, or can say what it would need.

    The first panels have a legend above them.
    """
    words: Any = _templates().get_template("words.html").module
    heat: Any = _templates().get_template("heat.html").module
    lines = Lines.of_runs(report.runs)
    panelled = [each for each in report.sections if each.panels]
    with_legend = min(panelled, key=lambda each: not each.leads, default=None)
    given: dict[str, Any] = {"report": report, "lines": lines, "with_legend": with_legend}

    def declared(*, leads: bool) -> Iterator[tuple[str, str, str]]:
        for each in report.sections:
            if each.leads == leads:
                yield each.name, each.title, _filled("section.html", given, section=each)

    title = "How the run does" if len(report.runs) == 1 else "Which run is better"
    yield "verdict", title, verdict_section(report)
    if report.measures:
        columns = [tables.Column.of(report, each) for each in report.measures]
        yield "means", "Means by measure", _filled("means.html", given, columns=columns)
    yield from declared(leads=True)
    if report.topics and report.measures:
        noun, *others = report.nouns
        title = f"By {' or '.join(report.nouns)}" if others else f"{noun.capitalize()} by {noun}"
        yield "heat", title, heat.maps(report, {each.topic for each in report.timelines})
    if len(report.runs) > 1 and report.measures:
        yield "pair", "Two runs beside each other", _filled("pair.html", given)
    yield from declared(leads=False)
    others = [each for each in report.warnings if each not in report.doubts]
    yield "definitions", "Definitions", words.definitions(report)
    yield "warnings", "Warnings", words.warnings(report, list(worded(others, report)))
    yield "data", "Data", words.downloads(report)
    yield "inputs", "Signature and inputs", words.inputs(report)


def verdict_section(report: Report) -> str:
    """The verdict, what makes it doubtful, and the differences that it rests on."""
    if not report.measures or not report.measures[0].means:
        return ""
    board = report.measures[0]
    duel = duel_of(report)
    others = [] if duel is None else [*companions(report, duel)]
    counts = [] if report.volume is None or duel is None else report.volume.counts
    known = [x for each in board.against for x in (each.gain, each.low, each.high)]
    return _filled(
        "verdict.html",
        {"report": report, "board": board, "duel": duel, "shown": DIFFERENCES},
        reversing=[each for each, is_reversed in others if is_reversed],
        companions=[each for each, is_reversed in others if not is_reversed],
        said=[counts[run] for run in duel.pair[:2]] if duel and counts else (0, 0),
        doubts=list(worded(report.doubts, report)),
        decimals=tables.in_words(board),
        scale=tables.scale_of([0.0, *known]),
        reference=board.best if report.baseline is None else report.baseline,
    )


def _summary(report: Report) -> str:
    """How many runs, topics with a score, and measures there are."""
    parts = [("run", len(report.runs))]
    for noun in report.nouns:
        boards = [each for each in report.measures if each.over == noun]
        rows = zip(*(each.cells for each in boards), strict=True)
        parts.append((noun, sum(any(x is not None for c in row for x in c) for row in rows)))
    parts.append(("measure", len(report.measures)))
    return ", ".join(count(size, noun) for noun, size in parts)


def _document(template: str, title: str, scripts: Iterable[str], given: dict[str, Any]) -> bytes:
    """A page that has this title, and loads nothing; its scripts follow what it holds."""
    style = Markup(_page_file("page.css") + plot_style() + palette.style())
    script = Markup("".join([*map(_page_file, scripts), BEGIN]))
    more = {"title": title, "style": style, "script": script, "policy": policy(style, script)}
    return _filled(template, given | more, version=VERSION).encode()


def policy(style: str, script: str) -> str:
    """Nothing may be loaded or sent; only this very style and this very script count."""
    own = (base64.b64encode(hashlib.sha256(each.encode()).digest()) for each in (style, script))
    styles, scripts = (f"sha256-{each.decode()}" for each in own)
    return (
        f"default-src 'none'; style-src '{styles}'; script-src '{scripts}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def data_url(file: Download) -> str:
    """A file as the address of a link."""
    return f"data:{file.kind};base64,{base64.b64encode(file.content).decode()}"


def _page_file(name: str) -> str:
    return files("tseval.reporting.page").joinpath(name).read_text(encoding="utf-8")


def _filled(template: str, given: dict[str, Any], **more: Any) -> Markup:
    return Markup(_templates().get_template(template).render(given, **more))


@cache
def _templates() -> Environment:
    """The templates, in which every text is escaped, and what they call."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    found = Environment(
        autoescape=True,
        optimized=False,  # templates are compiled for each page, most of them for one use
        finalize=_fit,
        loader=FunctionLoader(_template),
        undefined=StrictUndefined,
    )
    for name in ("chance", "number", "short", "signed", "weight", "thousands"):
        found.filters[name] = getattr(tables, name)
    for name in ("anchor", "extent_of", "first_sayings", "in_words", "lead", "place", "shade"):
        found.globals[name] = getattr(tables, name)
    found.globals |= {
        "LETTERED": tables.LETTERED,
        "LEFT": ("run", "runs", "text", "name", "parts"),
        "count": count,
        "data_url": data_url,
        "filter_of": filter_of,
        "filters_of": filters_of,
        "infinity": inf,
        "is_outside": is_outside,
        "key_of": key_of,
        "kind_of": lambda block: type(block).__name__,
        "legend_dot": legend_dot,
        "marks_of": keys,
        "more_or_fewer": more_or_fewer,
        "numbered": lambda values: list(enumerate(values)),
        "plot": plot,
        "run": run_name,
        "span": tables.span,
        "table_of": table_of,
        "without": lambda all_of_them, some: [x for x in range(len(all_of_them)) if x not in some],
        "word_of": lambda *words: "-".join(re.findall(r"[^\W_]+", " ".join(words))),
    }
    return found


def _template(name: str) -> str:
    source = _page_file(f"templates/{name}").strip()
    return BREAK.sub(" ", BREAK_BETWEEN_TAGS.sub("", source))


def _fit(value: Any) -> Any:
    """What a template shows: text without what a page should not obey."""
    return value if hasattr(value, "__html__") else visible_text(str(value))
