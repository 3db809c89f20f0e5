"""Tables of differences: each run against the best or the baseline, and every pair of few runs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tseval.core.wording import count
from tseval.reporting.content import MeasureBoard, PairRow, Report
from tseval.reporting.page.listing import NUMBER, listing
from tseval.reporting.page.markup import Child, Markup, element, joined, run_name
from tseval.reporting.page.means import drawn_interval, measure_head, numbers_of, scale_of
from tseval.reporting.page.numbers import BLANK, chance, decimals_for, signed

WIDTH = 184
"""Of the picture of an interval, in pixels."""
FIRST = 10
"""So many differences stand with the verdict, the others below a fold."""


def pairs_folded(report: Report) -> Markup:
    """Every pair of every measure that has few."""
    tables = [_pair_table(report, each) for each in report.measures if each.listed]
    if not tables:
        return Markup("")
    return element("details", None, element("summary", None, "Pair by pair"), tables)


PAIR_NUMBERS = ("gain", "interval", "p", "corrected p", "won", "lost")
PAIR_HEADS = ("run", "other", *PAIR_NUMBERS[:4], "better", *PAIR_NUMBERS[4:])


def _pair_table(report: Report, board: MeasureBoard) -> Markup:
    decimals = decimals_for(numbers_of(board))
    rows = [_pair(report, each, decimals) for each in board.listed]
    label = f"Pairs by {board.name}"
    caption = measure_head(board)
    heads, numbers = ((*each, f"{board.over}s") for each in (PAIR_HEADS, PAIR_NUMBERS))
    return listing(label, heads, rows, numbers=numbers, caption=caption)


def _pair(report: Report, row: PairRow, decimals: int) -> Iterator[Markup]:
    yield element("th", {"scope": "row"}, run_name(report.runs[row.run]))
    yield element("td", None, run_name(report.runs[row.other]))
    ends = _ends(row, decimals)
    for shown in (signed(row.gain, decimals), ends, chance(row.p), chance(row.adjusted)):
        yield element("td", NUMBER, shown)
    better = "" if row.better is None else run_name(report.runs[row.better])
    yield element("td", None, better)
    for topics in (row.won, row.lost, row.topics):
        yield element("td", NUMBER, str(topics))


def _ends(row: PairRow, decimals: int) -> str:
    if row.low is None:
        return BLANK
    return f"{signed(row.low, decimals)} to {signed(row.high, decimals)}"


def in_words(board: MeasureBoard) -> int:
    """How many decimals a measure has in a sentence: three, or what its first gain needs."""
    most = decimals_for(numbers_of(board))
    gain = abs(board.against[0].gain or 1.0) if board.against else 1.0
    return next((n for n in range(min(3, most), 7) if gain * 10**n >= 5), most)


def differences_table(report: Report, board: MeasureBoard) -> Markup:
    """By the primary measure every paired difference from the best run, or from the baseline."""
    if len(board.against) < 2:
        return Markup("")
    decimals = in_words(board)
    known = [x for e in board.against for x in (e.gain, e.low, e.high) if x is not None]
    scale = scale_of([0.0, *known])
    reference = board.best if report.baseline is None else report.baseline
    named = report.runs[reference]
    what = "ahead of each other run" if report.baseline is None else "of each run over it"
    rows = [_difference(report, each, reference, decimals, scale) for each in board.against]
    heads = ("run", f"gain{f' ({board.unit})' if board.unit else ''}", "interval", "drawn")
    won = f"{board.over}s won"
    caption = joined([measure_head(board), ": ", run_name(named), f", gain {what}"])
    label = f"Differences by {board.name}"
    table = partial(
        listing,
        heads=(*heads, won, "corrected p", "told apart"),
        numbers=(heads[1], "interval", won, "corrected p"),
        kind="differences",
    )
    first = table(label, rows=rows[:FIRST], caption=caption)
    if len(rows) <= FIRST:
        return first
    others = element("summary", None, f"and {count(len(rows) - FIRST, 'other')}")
    rest = table(f"{label}, the others", rows=rows[FIRST:])
    return joined([first, element("details", None, others, rest)])


def _difference(
    report: Report, row: PairRow, reference: int, decimals: int, scale: tuple[float, float]
) -> Iterator[Markup]:
    """One run against the best, or the baseline: numbers, and the interval as a picture."""
    other = row.other if row.run == reference else row.run
    yield element("th", {"scope": "row"}, run_name(report.runs[other]))
    ends = _ends(row, decimals)
    yield element("td", NUMBER, signed(row.gain, decimals))
    yield element("td", NUMBER, ends)
    drawn: Child = ""
    if row.gain is not None:
        label = f"interval {ends}"
        drawn = drawn_interval((row.gain, row.low, row.high), scale, label, WIDTH)
    kind = "whisker" if row.better is not None else "whisker near"
    yield element("td", {"class": kind}, drawn)
    yield element("td", NUMBER, f"{row.won} of {row.topics}")
    yield element("td", NUMBER, chance(row.adjusted))
    yield element("td", None, "no" if row.better is None else "yes")
