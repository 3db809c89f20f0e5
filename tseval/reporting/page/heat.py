"""Topic by run as a table whose cells are shaded by their value."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tseval.core.blocks import Crossed, Shaded
from tseval.reporting.content import MeasureBoard, Report
from tseval.reporting.page.listing import scrolled
from tseval.reporting.page.markup import Markup, element, isolated, joined
from tseval.reporting.page.means import direction
from tseval.reporting.page.numbers import BLANK, extent, number

SHADES = 9
"""From the worst value of a measure to its best."""


def heat_title(report: Report) -> str:
    """What the maps have rows of."""
    first, *others = report.nouns
    return f"By {' or '.join(report.nouns)}" if others else f"{first.capitalize()} by {first}"


def heat_section(report: Report) -> Markup:
    """A map for each measure; a script shows one at a time."""
    if not report.topics or not report.measures:
        return Markup("")
    options = [
        element("option", {"value": place}, each.name) for place, each in enumerate(report.measures)
    ]
    chooser = element(
        "label",
        {"class": "control"},
        "Measure ",
        element("select", {"id": "heat-measure", "data-keep": "measure"}, options),
    )
    maps = [_map(report, place, each) for place, each in enumerate(report.measures)]
    return joined([element("p", {"class": "controls scripted"}, chooser), maps])


def _map(report: Report, place: int, board: MeasureBoard) -> Markup:
    values = [value for row in board.cells for value in row]
    scale = extent(values)
    timed = {each.topic for each in report.timelines}
    rows = [
        _row(_topic(topic, timed), cells, scale, board.higher)
        for topic, cells in zip(report.topics, board.cells, strict=True)
        if any(value is not None for value in cells)
    ]
    means = {row.run: row.mean for row in board.means}
    foot = _row("mean", [means.get(run) for run in range(len(report.runs))], None, board.higher)
    caption = element(
        "caption", None, board.name, " ", direction(board.higher), " ", _key(scale, board.higher)
    )
    table = _grid(caption, board.over, report.runs, rows, element("tfoot", None, foot))
    label = f"{board.name} by {board.over} and run"
    return element("div", {"class": "map", "data-map": place}, scrolled(table, label))


def shaded(block: Shaded, runs: Sequence[str]) -> Markup:
    """A table of shares by run: the darker, the more."""
    counts = [f"{each:,}" for each in block.counts]
    rows = [
        _row(isolated(name), cells, (0.0, 1.0), True, counts[at : at + 1])
        for at, (name, cells) in enumerate(zip(block.rows, block.cells, strict=True))
    ]
    caption = element("caption", {"class": "unseen"}, block.label)
    beside = (block.counted,) if block.counted else ()
    return scrolled(_grid(caption, block.head, runs, rows, beside=beside), block.label)


def crossed(block: Crossed) -> Markup:
    """A table of counts: the darker, the larger the share of its row."""
    rows = []
    for name, counts in zip(block.rows, block.counts, strict=True):
        whole = sum(counts)
        cells = [
            _shade(f"{each:,}", shade_of(each, (0, whole), True) if whole else 0) for each in counts
        ]
        head = element("th", {"scope": "row"}, isolated(name))
        rows.append(element("tr", None, head, cells, element("td", None, f"{whole:,}")))
    caption = element("caption", None, isolated(block.caption))
    columns = (*block.columns, "all")
    table = scrolled(_grid(caption, block.head, columns, rows), block.label)
    return element("div", {"class": "crossed"}, table)


def _grid(
    caption: Markup,
    head: str,
    columns: Sequence[str],
    rows: Sequence[Markup],
    foot: str = "",
    beside: Sequence[str] = (),
) -> Markup:
    """A table whose columns are runs, or others with names of their own."""
    heads = [
        element("th", {"scope": "col"}, element("span", None, isolated(name)))
        for name in (*beside, *columns)
    ]
    top = element("tr", None, element("th", {"scope": "col"}, head), heads)
    body = (element("thead", None, top), element("tbody", None, rows))
    return element("table", {"class": "heat"}, caption, *body, Markup(foot))


def _topic(topic: str, timed: Collection[str]) -> Markup:
    """A topic's name, which leads to its timeline if it has one."""
    if topic not in timed:
        return isolated(topic)
    return element("a", {"href": "#timeline", "data-topic": topic}, isolated(topic))


def _row(
    head: str,
    cells: Sequence[float | None],
    scale: tuple[float, float] | None,
    higher: bool,
    beside: Sequence[str] = (),
) -> Markup:
    """A topic's values; without a scale they are not shaded, as what stands beside its name."""
    named = element("th", {"scope": "row"}, head)
    plain = [element("td", None, each) for each in beside]
    return element("tr", None, named, plain, [_cell(value, scale, higher) for value in cells])


def _cell(value: float | None, scale: tuple[float, float] | None, higher: bool) -> Markup:
    if value is None:
        return element("td", {"class": "none"}, BLANK)
    if scale is None:
        return element("td", None, short(value))
    return _shade(short(value), shade_of(value, scale, higher))


def _shade(words: str, shade: int) -> Markup:
    return element("td", {"class": f"h{shade}"}, words)


def shade_of(value: float, scale: tuple[float, float], higher: bool) -> int:
    """From 0 for the worst to `SHADES` - 1 for the best; the middle where all are equal."""
    low, high = scale
    if high <= low:
        return SHADES // 2
    share = (value - low) / (high - low)
    return round((share if higher else 1 - share) * (SHADES - 1))


def short(value: float) -> str:
    """Two decimals where there is room; a share goes without its 0."""
    size = abs(value)
    text = number(value, 2 if size < 10 else 1 if size < 100 else 0)
    return text.replace("0.", ".", 1) if size < 1 and "0." in text else text


def _key(scale: tuple[float, float], higher: bool) -> Markup:
    """What the shades stand for, from the worst to the best."""
    ends = scale if higher else scale[::-1]
    steps = [element("i", {"class": f"h{at}"}) for at in range(SHADES)]
    bar = element("span", {"class": "shades", "aria-hidden": "true"}, steps)
    return element(
        "span", {"class": "key"}, f"worst {short(ends[0])} ", bar, f" {short(ends[1])} best"
    )
