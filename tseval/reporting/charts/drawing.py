"""From a picture as data to its file, in any form.

No chart computes a score: everything arrives finished, as the panels of `tseval.core.panels`. A
picture as SVG has a heading, panels in rows, what lines and marks are, and the signature.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tseval.core.panels import Panel, Picture
from tseval.errors import MissingExtra
from tseval.io import PICTURES
from tseval.reporting import palette
from tseval.reporting.charts.axes import Axes, unique_labels, width_of, wrapped
from tseval.reporting.charts.plot import KEY, KEY_DOT, Marks, dot, inside, keys, plot_style, swatch
from tseval.reporting.page.markup import Markup, element, joined, line, text
from tseval.reporting.palette import Palette

FONT = "'Liberation Sans', Arial, Helvetica, sans-serif"  # the first is built into vl-convert
INK, SOFT = "#1f2021", "#5d5f61"
COLOURS = {"ink": INK, "soft": SOFT, "rule": "#dcdad3", "data": FONT}
STYLE = f"""text {{ font-family: {FONT}; fill: {INK}; }}
.h1 {{ font-size: 16px; font-weight: bold; }}
.h2 {{ font-size: 13px; font-weight: bold; }}
.note, .key {{ font-size: 12px; }}
.note, .print {{ fill: {SOFT}; }}
.print {{ font-size: 9px; }}
"""
H1, H2, NOTE, PRINT = 16, 13, 12, 9
"""Sizes of letters, in pixels."""
PAD, GAP, LEADING = 16, 24, 1.3
"""Around the picture, between panels, and from line to line as a multiple of the letters."""
ROW, STROKE = 20, 40
"""How high a name in the legend is, and how long its line."""
FEWEST_ROWS, MANY = 10, 8
"""So many names stand below one another at least; more lines than these are thin."""
SCALE = 2
"""PNG has so many dots for each pixel, as many screens do."""


def draw(picture: Picture, form: str) -> bytes:
    """A picture as ``form``.

    The same picture gives the same bytes, but for PDF: its writer numbers the fonts in no fixed
    order. A page is one file that loads nothing.

    Raises:
        ValueError: ``form`` is none of :data:`tseval.io.PICTURES`.
        MissingExtra: PNG and PDF need vl-convert, which isn't installed.

    """
    if form not in PICTURES:
        raise ValueError(f"can't draw {form!r}: pick one of {', '.join(PICTURES)}")
    if form == "html":
        from tseval.reporting.page.document import chart_page

        return chart_page(picture)
    drawn = svg_picture(picture)
    if form == "svg":
        return drawn.encode()
    try:
        import vl_convert
    except ImportError as missing:
        raise MissingExtra("report", f"drawing {form.upper()}") from missing
    if form == "png":
        return bytes(vl_convert.svg_to_png(drawn, scale=SCALE))
    return bytes(vl_convert.svg_to_pdf(drawn))


def svg_picture(picture: Picture) -> str:
    """The picture as SVG that needs no other file, and has a title and a description."""
    sheet = Sheet(picture)
    body = joined(sheet.drawn())
    width, height = round(sheet.width), round(sheet.bottom + PAD)
    box = {"width": width, "height": height, "viewBox": f"0 0 {width} {height}"}
    return element(
        "svg",
        {"xmlns": "http://www.w3.org/2000/svg", **box, "role": "img"},
        element("title", None, picture.title),
        element("desc", None, described(picture)),
        Markup(f"<style>{_style()}</style>"),
        element("rect", {"width": width, "height": height, "fill": "#ffffff"}),
        body,
    )


def described(picture: Picture) -> str:
    """What a picture shows, for those who can't see it: its panels, and what lines are."""
    panels = "; ".join(_heading(each) for each in picture.panels)
    told = [picture.note, panels, f"{picture.kind}s: {', '.join(picture.names)}"]
    return ". ".join(filter(None, told))


def _heading(panel: Panel) -> str:
    axes = " by ".join(filter(None, (panel.y.title, panel.x.title)))
    return ", ".join(dict.fromkeys(filter(None, (panel.title, panel.note, axes))))


def _style() -> str:
    """The rules of plots with the colours on white in their places."""
    named: Mapping[str, str] = COLOURS | palette.on_white()
    rules = plot_style() + palette.rules()
    return STYLE + re.sub(r"var\(--(\w+)\)", lambda found: named[found[1]], rules)


class Sheet:
    """The picture as it fills up from the top."""

    def __init__(self, picture: Picture) -> None:
        self.picture, self.bottom = picture, float(PAD)
        panels, number = picture.panels, picture.columns
        # Plots below one another begin at the same place.
        lefts = [Axes.around(each).x.pixels[0] for each in panels]
        columns = [max(lefts[at % number :: number]) for at in range(len(panels))]
        self.axes = list(map(Axes.around, panels, columns))
        rows = [self.axes[at : at + number] for at in range(0, len(panels), number)]
        self.columns = [
            max(each.width for each in self.axes[at::number])
            for at in range(min(number, len(panels)))
        ]
        self.across = sum(self.columns) + GAP * (len(self.columns) - 1)
        look = Palette.of_picture(picture.names, are_runs=picture.are_runs)
        self.looks = [look.look(name) for name in picture.names]
        self.labels = list(unique_labels(picture.names).values())
        # As many columns as make the legend no higher than the panels are together.
        high = sum(max(each.height for each in row) for row in rows)
        self.legends = -(-len(picture.names) // max(FEWEST_ROWS, int(high // ROW)))
        widest = max((width_of(x, NOTE) for x in self.labels), default=0.0)
        self.legend = self.legends * (STROKE + GAP + widest)
        self.width = PAD + self.across + GAP + self.legend + PAD

    def drawn(self) -> Iterator[Markup]:
        """Everything, from the top."""
        picture = self.picture
        yield from self._text(picture.title, "h1", H1, self.width - 2 * PAD)
        yield from self._text(picture.note, "note", NOTE, self.width - 2 * PAD)
        self.bottom += GAP / 2
        top = self.bottom
        rows = range(0, len(picture.panels), picture.columns)
        for row in rows:
            yield from self._row(row)
        legend, height = self._legend(top)
        yield legend
        self.bottom = max(self.bottom, top + height)
        yield from self._keys()
        yield from self._text(picture.signature, "print", PRINT, self.width - 2 * PAD)

    def _text(
        self, words: str, kind: str, size: int, width: float, left: float = PAD
    ) -> Iterator[Markup]:
        """Words in as many lines as they need; the next thing goes below."""
        for each in wrapped(words, width, size) if words else ():
            self.bottom += size * LEADING
            yield text(kind, (left, round(self.bottom - size * 0.3, 1)), each)

    def _row(self, first: int) -> Iterator[Markup]:
        """Panels side by side, whose plots begin at the same height."""
        here = self.picture.panels[first : first + self.picture.columns]
        axes = self.axes[first : first + self.picture.columns]
        tops, top, left = [], self.bottom, float(PAD)
        for panel, own, wide in zip(here, axes, self.columns, strict=False):
            self.bottom = top
            begins, room = left + own.x.pixels[0], own.x.pixels[1] - own.x.pixels[0]
            yield from self._text(panel.title, "h2", H2, room, begins)
            yield from self._text(panel.note, "note", NOTE, room, begins)
            tops.append(self.bottom)
            left += wide + GAP
        top, left = max(tops), float(PAD)
        many = " many" if len(self.picture.names) > MANY else ""
        for panel, own, wide in zip(here, axes, self.columns, strict=False):
            place = {"transform": f"translate({left:g} {top:g})"}
            marks = Marks(panel, own, self.looks, len(self.looks))
            yield element("g", {"class": f"plot{many}", **place}, inside(marks))
            left += wide + GAP
        self.bottom = top + max(each.height for each in axes) + GAP / 2

    def _legend(self, top: float) -> tuple[Markup, float]:
        """Names with their lines, at the right of the panels, and how high that is."""
        columns = max(1, self.legends)
        rows, wide = -(-len(self.labels) // columns), self.legend / columns
        left = PAD + self.across + GAP
        drawn = [text("h2", (left, top + H2), self.picture.kind)]
        has_dots = any(each.dots for each in self.picture.panels)
        for at, (label, look) in enumerate(zip(self.labels, self.looks, strict=True)):
            x, y = left + at // rows * wide, top + ROW * (at % rows + 1.5)
            drawn.append(line(f"line on {look.classes}", (x, y), (x + STROKE, y)))
            if has_dots:
                symbol = dot((x + STROKE / 2, y), KEY_DOT, look.symbol)
                drawn.append(element("g", {"class": f"dots on {look.classes}"}, symbol))
            drawn.append(text("key", (x + STROKE + 8, y + 4), label))
        return element("g", None, drawn), ROW * (rows + 1.5)

    def _keys(self) -> Iterator[Markup]:
        """What the marks are, in lines across the picture."""
        wide, high = KEY
        left = float(PAD)
        found = keys(self.picture.panels)
        for kind, words in found:
            needed = wide + 6 + width_of(words, NOTE) + GAP
            if left > PAD and left + needed > self.width - PAD:
                left, self.bottom = PAD, self.bottom + ROW
            place = {"class": "key-mark", "transform": f"translate({left:g} {self.bottom:g})"}
            yield element("g", place, swatch(kind))
            spot = round(left + wide + 6, 1), round(self.bottom + high - 2, 1)
            yield text("note", spot, words)
            left += needed
        self.bottom += ROW + 6 if found else 0
