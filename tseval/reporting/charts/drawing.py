"""The parts that all pictures are made of, and from a specification to a picture or a page."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from tseval.files import PICTURES
from tseval.reporting.charts.legend import printable
from tseval.reporting.charts.page import FONT, chart_page

if TYPE_CHECKING:
    import altair as alt

    Point: TypeAlias = dict[str, Any]

INK, GREY, GRID = "#222222", "#666666", "#e4e4e4"
PIXELS_PER_CHARACTER = 4.6  # of the signature, at its size of 9
LINE = 1.8
"""How thick a line is."""
ORIGIN = "origin"
"""The data of what stands in a panel once, such as a rule at 0."""
FEW_RUNS = 8
"""Up to how many lines a panel has room for bold ones."""


@dataclass(frozen=True)
class Frame:
    """What stands around the panels of a picture."""

    title: str
    signature: str
    width: int
    """Of all panels side by side, in pixels: the signature is broken to it."""
    subtitle: str = ""

    def around(
        self,
        panels: alt.ConcatChart | alt.VConcatChart,
        data: Mapping[str, list[Point]],
        hover: bool,
    ) -> dict[str, Any]:
        """The Vega-Lite specification of the whole picture.

        The data go in last: Altair would copy and check every row many times over.
        """
        import altair as alt

        title = alt.Title(
            printable(self.title),
            subtitle=printable(self.subtitle),
            subtitleColor=GREY,
            frame="bounds",
            fontSize=16,
            offset=14,
        )
        whole = alt.vconcat(panels.properties(title=title))
        if not hover:  # a page has the signature as text below the chart
            whole = whole.properties(title=small_print(self.signature, self.width))
        return styled(whole).to_dict() | {"datasets": {**data, ORIGIN: [{}]}}


def drawn(
    specification: Callable[[bool], dict[str, Any]], title: str, signature: str, form: str
) -> bytes:
    """A chart as ``form``; ``specification`` makes it, with an answer to the pointer for a page.

    The same chart gives the same bytes, but for PDF: its writer numbers the fonts in no fixed
    order. A page is one file that loads nothing, and has the signature as text.

    Raises:
        ValueError: ``form`` is none of :data:`tseval.files.PICTURES`.
        MissingExtra: Altair or vl-convert isn't installed.

    """
    if form not in PICTURES:
        raise ValueError(f"can't draw {form!r}: pick one of {', '.join(PICTURES)}")
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


# The parts of a panel.


def panel(
    layers: Sequence[alt.Chart | alt.LayerChart],
    size: tuple[int, int],
    title: str | list[str],
    subtitle: str = "",
    name: str | None = None,
) -> alt.LayerChart:
    """Layers on one pair of axes, with their heading."""
    import altair as alt

    width, height = size
    named = {} if name is None else {"name": name}
    heading = alt.Title(title, subtitle=subtitle, subtitleColor=GREY, limit=width)
    return alt.LayerChart(layer=list(layers)).properties(
        width=width, height=height, title=heading, **named
    )


def notice(words: str, size: tuple[int, int]) -> alt.Chart:
    """Words in the middle of a panel that has nothing to draw."""
    import altair as alt

    width, height = size
    text = alt.Chart(alt.NamedData(ORIGIN)).mark_text(color=GREY, fontSize=13, text=words)
    centred: alt.Chart = text.encode(x=alt.value(width / 2), y=alt.value(height / 2))
    return centred


def rule(data: str = ORIGIN) -> alt.Chart:
    """A thin line across a panel, to be encoded with its place."""
    import altair as alt

    drawn_rule: alt.Chart = alt.Chart(alt.NamedData(data)).mark_rule(color=GREY, strokeWidth=0.8)
    return drawn_rule


def answering(base: alt.Chart, tips: Sequence[Any]) -> alt.Chart:
    """Points that cannot be seen, and tell the pointer what is under it."""
    points: alt.Chart = base.mark_point(size=60, opacity=0, filled=True).encode(tooltip=list(tips))
    return points


def batches(base: alt.Chart, size: alt.Size, *, runs: int) -> alt.Chart:
    """A dot a batch, as large as it weighs; fainter where many runs lie over one another."""
    dots = base.mark_point(filled=True, opacity=0.45 if runs <= FEW_RUNS else 0.2, strokeWidth=0)
    sized: alt.Chart = dots.encode(size=size)
    return sized


def intervals(base: alt.Chart, low: alt.Y) -> alt.Chart:
    """The interval in which an end point lies."""
    import altair as alt

    bars: alt.Chart = base.mark_rule(strokeWidth=1.5).encode(
        y=low, y2="high:Q", strokeDash=alt.value([1, 0])
    )
    return bars


def end_points(base: alt.Chart) -> alt.Chart:
    """A diamond where a line ends."""
    import altair as alt

    marks: alt.Chart = base.mark_point(filled=True, size=80, shape="diamond", opacity=1).encode(
        strokeDash=alt.value([1, 0])
    )
    return marks


def rounded(value: float) -> float | None:
    """Six digits are more than a picture can show; NaN is null in JSON."""
    return None if math.isnan(value) else float(f"{value:.6g}")
