"""From a picture as data to its file: one specification for Vega-Lite, in any form.

No chart computes a score: everything arrives finished, as the panels of `tseval.core.panels`.
Values are rounded to six digits; whoever wants the exact ones has them in tables.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tseval.core.panels import Picture
from tseval.files import PICTURES
from tseval.reporting.charts.legend import Legend, printable
from tseval.reporting.charts.page import FONT, chart_page
from tseval.reporting.charts.panels import GREY, INK, ORIGIN, PanelChart

if TYPE_CHECKING:
    import altair as alt

GRID = "#e4e4e4"
PIXELS_PER_CHARACTER = 4.6  # of the signature, at its size of 9


def draw(picture: Picture, form: str) -> bytes:
    """A picture as ``form``.

    The same picture gives the same bytes, but for PDF: its writer numbers the fonts in no fixed
    order. A page is one file that loads nothing, and has the signature as text.

    Raises:
        ValueError: ``form`` is none of :data:`tseval.files.PICTURES`.
        MissingExtra: Altair or vl-convert isn't installed.

    """
    if form not in PICTURES:
        raise ValueError(f"can't draw {form!r}: pick one of {', '.join(PICTURES)}")
    need_extra()
    import vl_convert

    chart = specification(picture, hover=form == "html")
    if form == "html":
        return chart_page(printable(picture.title), printable(picture.signature), chart)
    if form == "png":
        return bytes(vl_convert.vegalite_to_png(chart, scale=2))
    if form == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(chart))
    return str(vl_convert.vegalite_to_svg(chart)).encode()


def specification(picture: Picture, *, hover: bool) -> dict[str, Any]:
    """The Vega-Lite specification of a picture; ``hover`` for one that answers to the pointer.

    The data go in last: Altair would copy and check every row many times over.
    """
    import altair as alt

    legend = Legend.of(picture)
    charts = [PanelChart(each, at, legend, hover) for at, each in enumerate(picture.panels)]
    panels = alt.concat(*(each.drawn() for each in charts), columns=picture.columns, spacing=24)
    if any(each.dots for each in picture.panels):  # weights are shares of their panel
        panels = panels.resolve_scale(size="independent")
    title = alt.Title(
        printable(picture.title),
        subtitle=printable(picture.note),
        subtitleColor=GREY,
        frame="bounds",
        fontSize=16,
        offset=14,
    )
    whole = alt.vconcat(panels.properties(title=title))
    if not hover:  # a page has the signature as text below the chart
        width = sum(each.size[0] for each in picture.panels[: picture.columns])
        whole = whole.properties(title=small_print(picture.signature, width))
    data = {name: rows for each in charts for name, rows in each.data.items()}
    return styled(whole).to_dict() | {"datasets": {**data, ORIGIN: [{}]}}


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
