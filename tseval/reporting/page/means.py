"""The table of means: each run by each measure, with interval and letters, and what they mean."""

from __future__ import annotations

from collections.abc import Iterator

from tseval.reporting.content import MeanRow, MeasureBoard, PairRow, Report
from tseval.reporting.page.listing import NUMBER, listing, scrolled
from tseval.reporting.page.markup import Markup, element, isolated, joined
from tseval.reporting.page.numbers import chance, decimals_for, number

WIDTH, HEIGHT, MARGIN = 104, 16, 5
"""Of the picture of an interval, in pixels."""


def means_section(report: Report) -> Markup:
    """How to read the table, the table, and the pairs where they are few."""
    return joined([_reading(report), _table(report), _pairs(report)])


def _reading(report: Report) -> Markup:
    """What intervals and letters say."""
    level = f"{100 * report.level:g} %"
    if report.baseline is None:
        found = "Runs that share a letter were not found to differ by that measure."
    else:
        base = isolated(report.runs[report.baseline])
        found = joined(["An asterisk marks runs that were found to differ from ", base, "."])
    told = ", ".join(
        f"{each.name} {each.different} of {each.pairs}"
        for each in report.measures
        if each.pairs and not each.cannot_tell
    )
    counted = f" Pairs told apart: {told}." if told else ""
    pooled = ", ".join(each.name for each in report.measures if each.pooled)
    if pooled:
        counted += f" Of {pooled} it is the value of all topics together, not a mean over them."
    return joined(
        [
            element(
                "p",
                {"class": "note"},
                f"Means over topics, each with its {level} interval, drawn on the measure’s own "
                "scale. ",
                found,
                counted,
            ),
            _lacking(report),
            _hopeless(report),
        ]
    )


def _hopeless(report: Report) -> Markup:
    """Each reason why no difference can be shown, with the measures that it holds for."""
    reasons = dict.fromkeys(each.cannot_tell for each in report.measures if each.cannot_tell)
    notes = []
    for reason in reasons:
        names = [each.name for each in report.measures if each.cannot_tell == reason]
        everywhere = len(names) == len(report.measures)
        where = "" if everywhere else f"{', '.join(names)}: "
        marks = "letters" if report.baseline is None else "asterisks"
        words = f"{where}{reason}, whatever the scores; so there are no {marks}."
        notes.append(element("p", {"class": "note"}, words))
    return joined(notes)


def _lacking(report: Report) -> Markup:
    missing = any(row.low is None for each in report.measures for row in each.means)
    if not missing:
        return Markup("")
    words = "A dot alone has no interval: so few topics, or values so alike, cannot give one."
    return element("p", {"class": "note"}, words)


def _table(report: Report) -> Markup:
    found = {(m, row.run): row for m, each in enumerate(report.measures) for row in each.means}
    decimals = [decimals_for(_numbers(each)) for each in report.measures]
    scales = [_scale(each) for each in report.measures]
    rows = []
    for run, name in enumerate(report.runs):
        cells = [
            _cells(found.get((m, run)), decimals[m], scales[m], report.baseline is not None)
            for m in range(len(report.measures))
        ]
        head = element("th", {"scope": "row", "data-v": run}, isolated(name))
        rows.append(element("tr", None, head, cells))
    table = element(
        "table",
        {"class": "means sortable"},
        element("caption", {"class": "unseen"}, "Means of every run by every measure"),
        _heads(report),
        element("tbody", None, rows),
    )
    return scrolled(table, "Table of means")


def _numbers(board: MeasureBoard) -> Iterator[float | None]:
    for row in board.means:
        yield from (row.mean, row.low, row.high)


def _heads(report: Report) -> Markup:
    """Measures above their columns; mean and letters can be sorted by."""
    named = [
        element(
            "th",
            {"colspan": 3, "scope": "colgroup", "class": "measure"},
            element("a", {"href": f"#{anchor(each.name)}"}, each.name),
            " ",
            direction(each.higher),
        )
        for each in report.measures
    ]
    marks = "differs" if report.baseline is not None else "letters"
    columns = [
        (
            element("th", {"scope": "col", "class": "number"}, _sorter("mean", each.name)),
            element("th", {"scope": "col", "class": "whisker"}, "interval"),
            element("th", {"scope": "col"}, each.cannot_tell or marks),
        )
        for each in report.measures
    ]
    first = element("th", {"scope": "col", "rowspan": 2}, _sorter("run", ""))
    top = element("tr", None, first, named)
    return element("thead", None, top, element("tr", None, columns))


def _sorter(word: str, measure: str) -> Markup:
    label = f"sort by {word} {measure}".strip()
    return element("button", {"type": "button", "class": "sort", "title": label}, word)


def direction(higher: bool) -> Markup:
    """An arrow that says which way is better, with its words."""
    word = "higher is better" if higher else "lower is better"
    arrow = "↑" if higher else "↓"
    return element(
        "span", {"class": "way", "title": word, "role": "img", "aria-label": word}, arrow
    )


def anchor(name: str) -> str:
    """The place on the page where a measure is defined."""
    return "m-" + "".join(c if c.isalnum() and c.isascii() else f"-{ord(c):x}-" for c in name)


def _cells(
    row: MeanRow | None, decimals: int, scale: tuple[float, float], against: bool
) -> tuple[Markup, ...]:
    """Mean, interval and letters of one run by one measure."""
    if row is None:
        return (element("td", {"class": "number", "colspan": 3}, "–"),)
    told = f"{number(row.low, decimals)} to {number(row.high, decimals)}"
    marks = ("*" if row.differs else "") if against else (row.letters or "")
    best = " best" if row.rank == 1 else ""
    return (
        element(
            "td", {"class": f"number{best}", "data-v": repr(row.mean)}, number(row.mean, decimals)
        ),
        element("td", {"class": "whisker"}, whisker(row, scale, told)),
        element("td", {"class": "letters"}, marks),
    )


def _scale(board: MeasureBoard) -> tuple[float, float]:
    """The range that a measure's intervals are drawn on, the same for all runs."""
    known = [value for value in _numbers(board) if value is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def whisker(row: MeanRow, scale: tuple[float, float], told: str) -> Markup:
    """An interval as a line with its mean as a dot."""
    middle = HEIGHT / 2

    def place(value: float) -> str:
        share = (value - scale[0]) / (scale[1] - scale[0])
        return f"{MARGIN + share * (WIDTH - 2 * MARGIN):.1f}"

    parts = [_zero(place(0.0))] if scale[0] < 0 < scale[1] else []
    if row.low is not None and row.high is not None:
        ends = {"x1": place(row.low), "x2": place(row.high), "y1": middle, "y2": middle}
        parts.append(element("line", {"class": "range", **ends}))
    parts.append(element("circle", {"class": "mean", "cx": place(row.mean), "cy": middle, "r": 3}))
    label = f"interval {told}"
    size = {"width": WIDTH, "height": HEIGHT, "viewBox": f"0 0 {WIDTH} {HEIGHT}"}
    return element("svg", {**size, "role": "img", "aria-label": label}, parts)


def _zero(place: str) -> Markup:
    return element("line", {"class": "zero", "x1": place, "x2": place, "y1": 0, "y2": HEIGHT})


def _pairs(report: Report) -> Markup:
    """Every pair of every measure that has few."""
    tables = [_pair_table(report, each) for each in report.measures if each.listed]
    if not tables:
        return Markup("")
    return element("details", None, element("summary", None, "Pair by pair"), tables)


PAIR_NUMBERS = ("difference", "interval", "p", "corrected p", "topics")
PAIR_HEADS = ("run", "other", *PAIR_NUMBERS[:-1], "better", PAIR_NUMBERS[-1])


def _pair_table(report: Report, board: MeasureBoard) -> Markup:
    decimals = decimals_for(_numbers(board))
    rows = [_pair(report, each, decimals) for each in board.listed]
    label = f"Pairs by {board.name}"
    return listing(label, PAIR_HEADS, rows, numbers=PAIR_NUMBERS, caption=board.name)


def _pair(report: Report, row: PairRow, decimals: int) -> Iterator[Markup]:
    yield element("th", {"scope": "row"}, isolated(report.runs[row.run]))
    yield element("td", None, isolated(report.runs[row.other]))
    ends = f"{number(row.low, decimals)} to {number(row.high, decimals)}"
    for shown in (number(row.difference, decimals), ends, chance(row.p), chance(row.adjusted)):
        yield element("td", NUMBER, shown)
    better = "" if row.better is None else isolated(report.runs[row.better])
    yield element("td", None, better)
    yield element("td", NUMBER, str(row.topics))
