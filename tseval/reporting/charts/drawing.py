"""From a chart's specification to a picture or a page; what all charts have in common."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tseval.reporting.charts.legend import printable
from tseval.reporting.charts.page import FONT, chart_page

if TYPE_CHECKING:
    import altair as alt

FORMS = ("png", "svg", "pdf", "html")
"""What a chart can be drawn as; a file's suffix without its dot."""
INK, GREY, GRID = "#222222", "#666666", "#e4e4e4"
PIXELS_PER_CHARACTER = 4.6  # of the signature, at its size of 9


def drawn(
    specification: Callable[[bool], dict[str, Any]], title: str, signature: str, form: str
) -> bytes:
    """A chart as ``form``; ``specification`` makes it, with an answer to the pointer for a page.

    The same chart gives the same bytes, but for PDF: its writer numbers the fonts in no fixed
    order. A page is one file that loads nothing, and has the signature as text.

    Raises:
        ValueError: ``form`` is none of :data:`FORMS`.
        MissingExtra: Altair or vl-convert isn't installed.

    """
    if form not in FORMS:
        raise ValueError(f"can't draw {form!r}: pick one of {', '.join(FORMS)}")
    need_extra()
    import vl_convert

    chart = specification(form == "html")
    if form == "html":
        return chart_page(printable(title), printable(signature), chart)
    if form == "png":
        return bytes(vl_convert.vegalite_to_png(chart, scale=2))
    if form == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(chart))
    return str(vl_convert.vegalite_to_svg(chart)).encode()


def need_extra() -> None:
    """Say which extra is missing before half of the work is done."""
    try:
        import altair  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError as missing:
        from tseval.errors import MissingExtra

        raise MissingExtra("report", "drawing curves") from missing


def small_print(signature: str, width: int) -> alt.Title:
    """The signature at the chart's foot, broken to a width in pixels."""
    import altair as alt

    return alt.Title(
        broken(printable(signature), int(width / PIXELS_PER_CHARACTER)),
        orient="bottom",
        frame="bounds",
        fontSize=9,
        fontWeight="normal",
        color=GREY,
        offset=10,
    )


def broken(text: str, width: int) -> list[str]:
    """``text`` in lines of at most ``width``, broken after ``|`` wherever that is possible."""
    lines = [""]
    for piece in re.findall(rf"[^|]{{0,{width - 1}}}\||[^|]{{1,{width}}}", text):
        if len(lines[-1]) + len(piece) > width:
            lines.append("")
        lines[-1] += piece
    return lines


def styled(chart: alt.VConcatChart) -> alt.VConcatChart:
    """One look for all: light, thin lines, type that reads at 100 %."""
    import altair as alt

    axis = alt.AxisConfig(
        gridColor=GRID,
        domainColor=GREY,
        tickColor=GREY,
        labelColor=INK,
        titleColor=INK,
        labelFontSize=11,
        titleFontSize=12,
        titleFontWeight="normal",
        labelFlush=False,  # a flushed 0 stands beside its tick
    )
    configured: alt.VConcatChart = chart.configure(
        background="#ffffff",
        font=FONT,
        padding=16,
        axis=axis,
        title=alt.TitleConfig(color=INK, anchor="start", fontSize=13, frame="group"),
        view=alt.ViewConfig(stroke=None),
    )
    return configured
