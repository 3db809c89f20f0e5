"""Tables of means: each run by each measure, with its interval, and the group that it is in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tseval.core.wording import count
from tseval.records import frozen
from tseval.reporting.content import MeanRow, MeasureBoard, Report
from tseval.reporting.page.listing import scrolled
from tseval.reporting.page.markup import Child, Markup, element, joined, run_name
from tseval.reporting.page.numbers import decimals_for, number
from tseval.reporting.page.panels import SHOWN, Lines

WIDTH, HEIGHT, MARGIN = 92, 16, 5
"""Of the picture of an interval, in pixels."""
LETTERED = 10
"""Of more runs the groups are bars: `abcdefghij` tells nobody anything."""
BAR, BAR_HEIGHT = 7, 22
BAR_SIZE = {"y": 0, "width": 4, "height": BAR_HEIGHT}
"""Of the bars of groups, in pixels."""


def means_section(report: Report) -> Markup:
    """How to read the tables; the leading measures, and folded the others."""
    leading, others = report.measures[: report.leading], report.measures[report.leading :]
    parts = [_reading(report), _table(report, leading, "Means of every run", "sort")]
    if others:
        summary = element("summary", None, f"{count(len(others), 'further measure')}")
        label = "Means of every run by further measures"
        table = _table(report, others, label, "further-sort")
        parts.append(element("details", None, summary, table))
    return joined(parts)


def _reading(report: Report) -> Markup:
    """What intervals and letters say."""
    level = f"{100 * report.level:g} %"
    able = [each for each in report.measures if each.pairs and not each.cannot_tell]
    told = ", ".join(
        f"{each.name} {each.different} of {each.pairs}"
        for each in report.measures[: report.leading]
        if each.pairs > 1 and not each.cannot_tell
    )
    counted = f" Pairs told apart: {told}." if told else ""
    over = " or ".join(f"{noun}s" for noun in report.nouns)
    pooled = ", ".join(each.name for each in report.measures if each.pooled)
    if pooled:
        counted += f" Of {pooled} it is the value of all {over} together, not a mean over them."
    uneven = ", ".join(each.name for each in report.measures if not each.is_common)
    if uneven:
        counted += (
            f" By {uneven}, runs have values on different {over}: do not compare these means. "
            f"Compare the differences, which are over the {over} that both runs have."
        )
    note = f"Means over {over}, each with its {level} interval, drawn on the measure’s own scale. "
    reading = element("p", {"class": "note"}, note, _marks(report) if able else "", counted)
    return joined([reading, _lacking(report)])


def _marks(report: Report) -> Child:
    """What stands beside the means of runs that are, or are not, told apart."""
    if report.baseline is not None:
        base = run_name(report.runs[report.baseline])
        return joined(["An asterisk marks runs that were found to differ from ", base, "."])
    if len(report.runs) <= LETTERED:
        return "Runs that share a letter were not found to differ by that measure."
    return (
        "A bar in the first column of groups: not told apart from the best by that measure. Runs "
        "that share another column were not found to differ from each other. "
        "The file pairs.csv below has every pair."
    )


def _lacking(report: Report) -> Markup:
    missing = any(row.low is None for each in report.measures for row in each.means)
    if not missing:
        return Markup("")
    few = " or ".join(f"{noun}s" for noun in report.nouns)
    words = f"A dot alone has no interval: so few {few}, or values so alike, cannot give one."
    return element("p", {"class": "note"}, words)


def _table(report: Report, boards: Sequence[MeasureBoard], label: str, kept: str) -> Markup:
    """The table; the address keeps under `kept` what it is sorted by."""
    columns = [_Column.of(report, each) for each in boards]
    looks = Lines.of_runs(report.runs).looks
    rows = []
    for run, name in enumerate(report.runs):
        head = element("th", {"scope": "row", "data-v": run}, run_name(name))
        colour = f"s{looks[run].colour}" if run < SHOWN else None
        row = {"data-run": run, "class": colour}
        rows.append(element("tr", row, head, [each.cells(run) for each in columns]))
    table = element(
        "table",
        {"class": "means sortable", "data-keep": kept},
        element("caption", {"class": "unseen"}, label),
        _heads(report, columns),
        element("tbody", None, rows),
    )
    return scrolled(table, label)


@frozen
class _Column:
    """A measure's columns: the mean, its interval, and what marks runs that are told apart."""

    board: MeasureBoard
    rows: Mapping[int, MeanRow]
    decimals: int
    scale: tuple[float, float]
    marks: str
    """What the third column is called; nothing where there is none."""
    groups: str
    """The letters there are, where they are drawn as bars."""

    @classmethod
    def of(cls, report: Report, board: MeasureBoard) -> _Column:
        """The columns of a measure in this report."""
        letters = {letter for row in board.means for letter in row.letters or ""}
        marks = "differs" if report.baseline is not None else "letters" if letters else ""
        if len(board.means) < 2 or board.cannot_tell:
            marks = ""
        is_barred = marks == "letters" and len(report.runs) > LETTERED
        return cls(
            board=board,
            rows={row.run: row for row in board.means},
            decimals=decimals_for(numbers_of(board)),
            scale=scale_of(list(numbers_of(board))),
            marks="groups" if is_barred else marks,
            groups="".join(sorted(letters, key=lambda x: (x.isupper(), x))) if is_barred else "",
        )

    @property
    def width(self) -> int:
        """How many columns these are."""
        return 3 if self.marks else 2

    def cells(self, run: int) -> Markup:
        """Mean, interval and mark of one run."""
        row = self.rows.get(run)
        if row is None:
            return element("td", {"class": "number", "colspan": self.width}, "–")
        told = f"{number(row.low, self.decimals)} to {number(row.high, self.decimals)}"
        shown = number(row.mean, self.decimals)
        is_best = row.rank == 1 and len(self.rows) > 1 and self.board.is_common
        kind = f"number{' best' if is_best else ''}"
        mean = element("td", {"class": kind, "data-v": repr(row.mean)}, shown)
        interval = element("td", {"class": "whisker"}, whisker(row, self.scale, told))
        return joined([mean, interval, self._mark(row)])

    def _mark(self, row: MeanRow) -> Markup:
        if not self.marks:
            return Markup("")
        if self.groups:
            best = self.rows[self.board.best].letters or ""
            return element("td", {"class": "groups"}, bars(row.letters or "", best, self.groups))
        marks = ("*" if row.differs else "") if self.marks == "differs" else row.letters or ""
        return element("td", {"class": "letters"}, marks)


def bars(own: str, best: str, groups: str) -> Markup:
    """First whether a run is told apart from the best; then its groups that the best is not in."""
    is_near = any(letter in best for letter in own)
    others = [letter for letter in groups if letter not in best]
    drawn = [element("rect", {"class": "first", "x": 0, **BAR_SIZE})] if is_near else []
    drawn += [
        element("rect", {"x": at * BAR, **BAR_SIZE})
        for at, letter in enumerate(others, start=1)
        if letter in own
    ]
    label = "not told apart from the best" if is_near else "told apart from the best"
    size = {"width": BAR * (1 + len(others)), "height": BAR_HEIGHT}
    return element("svg", {**size, "role": "img", "aria-label": label}, drawn)


def numbers_of(board: MeasureBoard) -> Iterator[float | None]:
    """The means of a measure, and the ends of their intervals."""
    for row in board.means:
        yield from (row.mean, row.low, row.high)


def _heads(report: Report, columns: Sequence[_Column]) -> Markup:
    """Measures above their columns, with their units; runs and means can be sorted by."""
    named = [
        element(
            "th",
            {"colspan": each.width, "scope": "colgroup", "class": "measure"},
            measure_head(each.board),
        )
        for each in columns
    ]
    below = [
        (
            element(
                "th",
                {"scope": "col", "class": "number", "aria-sort": _sorted(report, each.board)},
                _sorter("mean", each.board.name, higher=each.board.higher),
            ),
            element("th", {"scope": "col", "class": "whisker"}, "interval"),
            element("th", {"scope": "col"}, each.marks) if each.marks else "",
        )
        for each in columns
    ]
    sorter = _sorter("run", "as ranked", higher=False)
    first = element("th", {"scope": "col", "rowspan": 2, "aria-sort": "none"}, sorter)
    top = element("tr", None, first, named)
    return element("thead", None, top, element("tr", None, below))


def _sorted(report: Report, board: MeasureBoard) -> str:
    """How the rows stand by a measure at first: they are ordered by the primary one."""
    if board is not report.measures[0]:
        return "none"
    return "descending" if board.higher else "ascending"


def _sorter(word: str, by: str, *, higher: bool) -> Markup:
    """A button that sorts the best first; those who can't see the column hear which it is."""
    unseen = element("span", {"class": "unseen"}, f" {by}, sort")
    first = "descending" if higher else "ascending"
    button = {"type": "button", "class": "sort", "data-first": first, "data-by": by}
    return element("button", button, word, unseen)


def measure_head(board: MeasureBoard) -> Markup:
    """A measure's name, which leads to its definition, with its unit and which way is better."""
    unit = f" ({board.unit})" if board.unit else ""
    words = element("span", None, board.name), unit, " ", direction(board.higher)
    return element("a", {"href": f"#{anchor(board.name)}"}, words)


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


def scale_of(values: Iterable[float | None]) -> tuple[float, float]:
    """The range that intervals are drawn on, the same for all runs."""
    known = [value for value in values if value is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def whisker(row: MeanRow, scale: tuple[float, float], told: str) -> Markup:
    """A mean with its interval."""
    return drawn_interval((row.mean, row.low, row.high), scale, f"interval {told}", WIDTH)


def drawn_interval(
    values: tuple[float, float | None, float | None],
    scale: tuple[float, float],
    label: str,
    width: int,
) -> Markup:
    """An interval as a line with its middle as a dot; 0 is marked where the scale has it."""
    middle = HEIGHT / 2

    def place(value: float) -> str:
        share = (value - scale[0]) / (scale[1] - scale[0])
        return f"{MARGIN + share * (width - 2 * MARGIN):.1f}"

    mean, low, high = values
    parts = [_zero(place(0.0))] if scale[0] <= 0 <= scale[1] else []
    if low is not None and high is not None:
        ends = {"x1": place(low), "x2": place(high), "y1": middle, "y2": middle}
        parts.append(element("line", {"class": "range", **ends}))
    parts.append(element("circle", {"class": "mean", "cx": place(mean), "cy": middle, "r": 3}))
    size = {"width": width, "height": HEIGHT, "viewBox": f"0 0 {width} {HEIGHT}"}
    return element("svg", {**size, "role": "img", "aria-label": label}, parts)


def _zero(place: str) -> Markup:
    return element("line", {"class": "zero", "x1": place, "x2": place, "y1": 0, "y2": HEIGHT})
