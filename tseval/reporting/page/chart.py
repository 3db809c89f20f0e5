"""A picture as a page of its own, drawn as a report draws its panels."""

from __future__ import annotations

from collections.abc import Iterator

from tseval.core.panels import Picture
from tseval.reporting.page.markup import Markup, element
from tseval.reporting.page.panels import Lines, explained, side_by_side
from tseval.reporting.page.shell import SCRIPTS_OF_PANELS, block_of, document, made_by
from tseval.reporting.palette import Palette

SECTION = "chart"
SHOWN = 8
"""So many lines stand out at first; more are hard to tell apart."""


def chart_page(picture: Picture) -> bytes:
    """One file that loads nothing: heading, legend, panels with their tables, signature."""
    panels = {f"{SECTION}-{at}": panel for at, panel in enumerate(picture.panels)}
    lines = _lines(picture)
    body = (
        _body(picture, lines),
        block_of(picture.names, panels, {"colours": lines.colours, "kind": picture.kind}),
    )
    return document(picture.title, body, SCRIPTS_OF_PANELS)


def _lines(picture: Picture) -> Lines:
    return Lines(
        picture.names,
        Palette.of_picture(picture.names, are_runs=picture.are_runs, shown=SHOWN),
        SHOWN,
        picture.kind,
    )


def _body(picture: Picture, lines: Lines) -> Iterator[Markup]:
    note = element("p", {"class": "summary"}, picture.note) if picture.note else ""
    yield element("header", None, element("h1", None, picture.title), note)
    drawn = side_by_side(lines, picture.panels, SECTION, paired=picture.columns > 1)
    label = {"id": SECTION, "aria-label": "chart"}
    section = element(
        "section", label, lines.legend(picture.panels), explained(lines, picture.panels), drawn
    )
    signature = element("p", {"class": "signature"}, element("code", None, picture.signature))
    yield element("main", None, section, signature)
    yield made_by()
