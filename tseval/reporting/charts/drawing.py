"""From a picture as data to its file, in any form.

No chart computes a score: everything arrives finished, as the panels of `tseval.core.panels`.
"""

from __future__ import annotations

from tseval.core.panels import Picture
from tseval.errors import MissingExtra
from tseval.io import PICTURES
from tseval.reporting.charts.svg import svg_picture

SCALE = 2
"""PNG has so many dots for each pixel, as many screens do."""


def draw(picture: Picture, form: str) -> bytes:
    """A picture as ``form``.

    The same picture gives the same bytes, but for PDF: its writer numbers the fonts in no fixed
    order. A page is one file that loads nothing.

    Raises:
        ValueError: ``form`` is none of :data:`tseval.files.PICTURES`.
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
