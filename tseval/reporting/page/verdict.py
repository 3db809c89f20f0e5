"""The verdict in words: which run is better by the primary measure, by how much, and how sure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import fsum, inf

from tseval.core.wording import count
from tseval.reporting.content import MeanRow, MeasureBoard, PairRow, Report
from tseval.reporting.page.markup import Child, Markup, element, joined, run_name
from tseval.reporting.page.numbers import number, signed
from tseval.reporting.page.tables import in_words

SLACK = 1e-9
TOO_FEW = re.compile("[0-9]+ topic")
"""The beginning of the reason that there are too few topics to show a difference."""
NAMED = 12
"""So many runs are named in a sentence before the rest is counted."""


def sentences_of(report: Report) -> list[Markup]:
    """The verdict, and what is to be said of it; nothing where there are no means."""
    if not report.measures or not report.measures[0].means:
        return []
    board = report.measures[0]
    sentences = _one(report, board) if len(board.means) == 1 else _several(report, board)
    return [joined([each]) for each in sentences]


def _one(report: Report, board: MeasureBoard) -> Iterator[Child]:
    """How one run does by the leading measures."""
    (row,) = board.means
    yield [_run(report, row.run), f" has {board.name} ", *_mean(board, row), "."]
    told: list[Child] = [
        [f"{each.name} ", *_mean(each, each.means[0])]
        for each in report.measures[1 : report.leading]
        if each.means
    ]
    yield [*_with_commas(told), "."] if told else ""


def _mean(board: MeasureBoard, row: MeanRow) -> Iterator[Child]:
    decimals = in_words(board)
    yield _value(board, row.mean, decimals)
    if row.low is not None:
        yield f" ({number(row.low, decimals)} to {number(row.high, decimals)})"


def _several(report: Report, board: MeasureBoard) -> Iterator[Child]:
    """Yield the headline, the runs that do not differ, the companions and the updates it took."""
    pair = _from_gain(board.against[0]) if board.against else None
    if pair is None:
        best = board.means[0]
        yield [_run(report, best.run), f" has the best {board.name}, ", *_mean(board, best), "."]
        return
    companions = list(_companions(report, board, pair))
    beyond = pair.gain is not None and any(_is_beyond(board, x) for x in _sides(board, pair))
    opposed = [words for words, is_reversed in companions if is_reversed and beyond]
    yield [_headline(report, board, pair), " " if opposed else "", _sentence(opposed)]
    yield _how_sure(report, board, pair)
    yield _not_told_apart(report, board)
    yield _sentence([words for words, _ in companions if words not in opposed])
    yield _price(report, pair)


def _from_gain(pair: PairRow) -> PairRow:
    """Turn a pair so that the run that is ahead over the topics that both have comes first."""
    return pair.turned if pair.gain is not None and pair.gain < 0 else pair


def _sides(board: MeasureBoard, pair: PairRow) -> tuple[float, float]:
    """Return the means of both runs over the topics that both have."""
    rows = {row.run: row for row in board.means}
    both = [rows[run] for run in (pair.run, pair.other)]
    if board.pooled or all(row.topics == pair.topics for row in both):
        return both[0].mean, both[1].mean
    known = [(row[pair.run], row[pair.other]) for row in board.cells]
    common = [(mine, theirs) for mine, theirs in known if mine is not None and theirs is not None]
    mine, theirs = (fsum(side) / len(common) for side in zip(*common, strict=True))
    return mine, theirs


def _missing_topics(board: MeasureBoard, pair: PairRow) -> int:
    """Count the topics on which the other run has a value and this one has none."""
    return next(row.topics for row in board.means if row.run == pair.other) - pair.topics


def _comparison(board: MeasureBoard, pair: PairRow, of: Child = "") -> list[Child]:
    """Write `0.9 against 0.5 of NAME`, with the topics and the reason why it may be chance."""
    decimals = in_words(board)
    mine, theirs = (_value(board, each, decimals) for each in _sides(board, pair))
    counts = {row.topics for row in board.means if row.run in (pair.run, pair.other)}
    both = "" if counts == {pair.topics} else " that both have"
    topics = f"{count(pair.topics, board.over)}{both}"
    sure = "" if pair.better is not None else ", not significant"
    over = f", over {topics}{sure}" if both else sure
    if TOO_FEW.match(board.cannot_tell):
        over = f", {topics}: too few to rule out chance"
    return [f"{mine} against {theirs}", of, over]


def _headline(report: Report, board: MeasureBoard, pair: PairRow) -> Child:
    """Which run is better, or has the better mean though that may be chance."""
    best, next_ = _run(report, pair.run), _run(report, pair.other)
    if pair.gain is None:
        return [best, " and ", next_, f" share no {board.over} with a value of {board.name}."]
    compared = _comparison(board, pair)
    lacking = _missing_topics(board, pair)
    if pair.better == pair.run and not lacking:
        rivals = [" than ", next_] if len(board.means) > 2 or report.baseline is not None else []
        return [best, f" is better by {board.name}", *rivals, ": ", compared, "."]
    if board.cannot_tell or lacking:
        compared = _comparison(board, pair, [" of ", next_])
        silent = f"; it has no value on {count(lacking, board.over)} where the other run has one"
        leads = [best, f" has the better {board.name}, ", compared]
        return [*leads, silent if lacking else "", "."]
    if len(board.against) > 1 and report.baseline is None:
        near = sum(each.better is None for each in board.against)
        verb = "shows" if near == 1 else "show"
        mine, theirs = (_value(board, x, in_words(board)) for x in _sides(board, pair))
        rest = f", but {near} of {len(board.against)} others {verb} no significant difference."
        return [f"By {board.name} ", best, f" is first, {mine} against {theirs} of ", next_, rest]
    return [best, " and ", next_, f" do not differ significantly by {board.name}: ", compared, "."]


def _how_sure(report: Report, board: MeasureBoard, pair: PairRow) -> Child:
    """The gain with its interval, the topics won, and the p value."""
    decimals = in_words(board)
    told = [f" is {signed(pair.gain, decimals)}{_unit(board)}"]
    if pair.low is not None:
        ends = f"{signed(pair.low, decimals)} to {signed(pair.high, decimals)}"
        told.append(f" with a {100 * report.level:g} % interval of {ends}")
    counts = {row.topics for row in board.means if row.run in (pair.run, pair.other)}
    both = "" if counts == {pair.topics} else " that both have"
    told.append(f"; better on {pair.won} of {count(pair.topics, board.over)}{both}")
    if pair.lost:
        told.append(f", worse on {pair.lost}")
    if pair.p is not None:
        told.append(f"; p\N{NO-BREAK SPACE}{pair.p:.2g}")
        if pair.adjusted is not None and pair.adjusted != pair.p:
            told.append(f", corrected {pair.adjusted:.2g}")
    over = [" over ", _run(report, pair.other)] if len(board.means) > 2 else ""
    return ["The gain", over, *told, "."]


def _not_told_apart(report: Report, board: MeasureBoard) -> Child:
    """Of more than two runs those that are not told apart from the best, or from the baseline."""
    if len(board.against) < 2 or board.cannot_tell:
        return ""
    reference = board.best if report.baseline is None else report.baseline
    others = [_other(each, reference) for each in board.against if each.better is None]
    apart = len(board.against) - len(others)
    name = _run(report, reference)
    if not others:
        return ["All ", str(apart), " others differ significantly from ", name, "."]
    rest = f", and {len(others) - NAMED} more" if len(others) > NAMED else ""
    named = _with_commas([_run(report, each) for each in others[:NAMED]])
    ends = f" ({len(others)} of {len(board.against)})."
    return ["No significant difference from ", name, " by that measure: ", *named, rest, ends]


def _other(pair: PairRow, run: int) -> int:
    return pair.other if pair.run == run else pair.run


def _companions(
    report: Report, primary: MeasureBoard, pair: PairRow
) -> Iterator[tuple[Child, bool]]:
    """Yield which run is ahead by each companion, by how much, and whether that reverses the order.

    Two runs are compared with each other; of more, the best by the companion with the best of all.
    """
    is_pair = len(primary.against) == 1 or report.baseline is not None
    for board in report.measures[1 : report.leading]:
        if not board.against or board.cells == primary.cells:
            continue
        asked = {pair.run, pair.other}
        if not is_pair:
            rival = board.against[0].other if board.best == pair.run else pair.run
            asked = {board.best, rival}
        found = next((each for each in board.against if {each.run, each.other} == asked), None)
        if found is None or found.gain is None:
            continue
        own = _from_gain(found)
        is_better = own.better == own.run and not _missing_topics(board, own)
        way = "is better than" if is_better else "is ahead of" if own.gain else "equals"
        named = [_run(report, own.run), f" {way} ", _run(report, own.other), ", "]
        is_reversed = own.run != pair.run and bool(own.gain)
        yield [f"y {board.name} ", *named, *_comparison(board, own)], is_reversed


def _sentence(parts: Sequence[Child]) -> Child:
    """Join parts to `By ... ; by ... .`; empty without parts."""
    told = [["B" if at == 0 else "; b", part] for at, part in enumerate(parts)]
    return [*told, "."] if told else ""


def _price(report: Report, pair: PairRow) -> Child:
    """How much more or less the first of the two runs says."""
    if report.volume is None:
        return ""
    mine, others = (report.volume.counts[run] for run in (pair.run, pair.other))
    if not mine or not others or mine == others:
        return ""
    noun = report.volume.noun
    numbers = f": {mine:,} against {others:,}."
    share = abs(mine - others) / others
    way = "fewer" if mine < others else "more"
    size = f"{mine / others:.1f} times as many" if share >= 2 else f"{100 * share:.0f} % {way}"
    return [_run(report, pair.run), f" says {size} {noun}", numbers]


def _run(report: Report, run: int) -> Markup:
    return element("b", None, run_name(report.runs[run]))


def _value(board: MeasureBoard, value: float, decimals: int) -> str:
    low, high = board.bounds
    span = f"{low:g}-{high:g}" if high < inf else f"{low:g} and above"
    beyond = f" (outside {span}: extrapolated)" if _is_beyond(board, value) else ""
    return f"{number(value, decimals)}{_unit(board)}{beyond}"


def _is_beyond(board: MeasureBoard, value: float) -> bool:
    """Return whether a value is outside the range of its measure."""
    low, high = board.bounds
    return not low - SLACK <= value <= high + SLACK


def _unit(board: MeasureBoard) -> str:
    return f" {board.unit}" if board.unit else ""


def _with_commas(parts: Sequence[Child]) -> list[Child]:
    return [each for at, part in enumerate(parts) for each in ([", "] if at else []) + [part]]
