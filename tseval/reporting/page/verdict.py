"""The verdict in words: which run is better by the primary measure, by how much, and how sure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tseval.core.wording import count
from tseval.reporting.content import MeanRow, MeasureBoard, PairRow, Report
from tseval.reporting.page.differences import differences_table, in_words
from tseval.reporting.page.markup import Child, Markup, element, joined, run_name
from tseval.reporting.page.numbers import number, signed
from tseval.reporting.page.warned import worded

NAMED = 12
"""So many runs are named in a sentence before the rest is counted."""


def verdict_title(report: Report) -> str:
    """What the section answers; for one run nothing is better than another."""
    return "How the run does" if len(report.runs) == 1 else "Which run is better"


def verdict_section(report: Report) -> Markup:
    """The verdict, what makes it doubtful, and the differences that it rests on."""
    if not report.measures or not report.measures[0].means:
        return Markup("")
    board = report.measures[0]
    sentences = _one(report, board) if len(board.means) == 1 else _several(report, board)
    first, *others = sentences
    doubts = [element("li", None, each) for each in worded(report.doubts, report)]
    return joined(
        [
            element("p", {"class": "verdict"}, first),
            [element("p", None, each) for each in others if each],
            element("ul", {"class": "doubts", "aria-label": "Warnings"}, doubts) if doubts else "",
            differences_table(report, board),
        ]
    )


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
    """The primary measure first, then who is not told apart, the companions, and the price."""
    pair = _decisive(report, board)
    if pair is None:
        best = board.means[0]
        yield [_run(report, best.run), f" has the best {board.name}, ", *_mean(board, best), "."]
        return
    yield _headline(report, board, pair)
    yield _how_sure(report, board, pair)
    yield _not_told_apart(report, board)
    yield _companions(report, pair)
    yield _price(report, pair)


def _decisive(report: Report, board: MeasureBoard) -> PairRow | None:
    """The best run with the next, or with the baseline; from the baseline where that is best."""
    if not board.against:
        return None
    first = board.against[0]
    is_baseline_best = report.baseline == board.means[0].run
    return first.turned if is_baseline_best else first


def _headline(report: Report, board: MeasureBoard, pair: PairRow) -> Child:
    """Which run is better, or has the better mean though that may be chance."""
    means = {row.run: row.mean for row in board.means}
    decimals = in_words(board)
    sides = (_value(board, means[each], decimals) for each in (pair.run, pair.other))
    numbers = " against ".join(sides)
    best, next_ = _run(report, pair.run), _run(report, pair.other)
    if pair.better == pair.run:
        rivals = [" than ", next_] if len(board.means) > 2 or report.baseline is not None else []
        return [best, f" is better by {board.name}", *rivals, f": {numbers}."]
    if board.cannot_tell:
        leads = [best, f" has the better {board.name}, {numbers} of ", next_]
        return [*leads, ", but whether that is chance cannot be told."]
    if len(board.against) > 1 and report.baseline is None:
        near = sum(each.better is None for each in board.against)
        verb = "is" if near == 1 else "are"
        rest = f", but {near} of {len(board.against)} others {verb} not told apart from it."
        return ["By ", board.name, " ", best, f" is first, {numbers} of ", next_, rest]
    return [best, " and ", next_, f" are not told apart by {board.name}: {numbers}."]


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
    reference = board.means[0].run if report.baseline is None else report.baseline
    others = [_other(each, reference) for each in board.against if each.better is None]
    apart = len(board.against) - len(others)
    name = _run(report, reference)
    if not others:
        return ["All ", str(apart), " others are told apart from ", name, "."]
    rest = f", and {len(others) - NAMED} more" if len(others) > NAMED else ""
    named = _with_commas([_run(report, each) for each in others[:NAMED]])
    ends = f" ({len(others)} of {len(board.against)})."
    return ["Not told apart from ", name, " by that measure: ", *named, rest, ends]


def _other(pair: PairRow, run: int) -> int:
    return pair.other if pair.run == run else pair.run


def _companions(report: Report, pair: PairRow) -> Child:
    """What the measures beside the primary one say."""
    boards = [each for each in report.measures[1 : report.leading] if each.against]
    hopeless = [each.name for each in boards if each.cannot_tell]
    able = [each for each in boards if not each.cannot_tell]
    is_pair = len(report.measures[0].against) == 1 or report.baseline is not None
    parts = _of_pair(report, able, pair) if is_pair else _of_best(report, able, pair.run)
    if hopeless:
        parts.append([f"by {_listed(hopeless)} no difference can be shown"])
    if not parts:
        return ""
    first, *rest = parts
    return ["B", str(first[0])[1:], *first[1:], [["; ", each] for each in rest], "."]


def _of_pair(report: Report, boards: Sequence[MeasureBoard], pair: PairRow) -> list[list[Child]]:
    """Which of two runs is better by each of these measures."""
    names: dict[int | None, list[str]] = {pair.run: [], pair.other: [], None: []}
    for board in boards:
        both = {pair.run, pair.other}
        found = next((e for e in board.against if {e.run, e.other} == both), None)
        if found is not None:
            names[found.better].append(board.name)
    told = {run: [_run(report, run), " is better"] for run in (pair.run, pair.other)}
    return [
        [f"by {_listed(own)} ", *(["they are not told apart"] if run is None else told[run])]
        for run, own in names.items()
        if own
    ]


def _of_best(report: Report, boards: Sequence[MeasureBoard], best: int) -> list[list[Child]]:
    """Which run is the best by each of these measures, and whether this one falls behind it."""
    parts: list[list[Child]] = []
    also = [each.name for each in boards if each.means[0].run == best]
    if also:
        parts.append([f"by {_listed(also)} ", _run(report, best), " is first too"])
    for board in boards:
        found = next((each for each in board.against if each.other == best), None)
        if found is not None:
            way = "not told apart from" if found.better is None else "told apart from"
            first = _run(report, board.means[0].run)
            parts.append([f"by {board.name} ", first, f" is first, {way} ", _run(report, best)])
    return parts


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
    return f"{number(value, decimals)}{_unit(board)}"


def _unit(board: MeasureBoard) -> str:
    return f" {board.unit}" if board.unit else ""


def _listed(names: Sequence[str]) -> str:
    """Names in words: `C`, `C and LC`, `C, LC and V`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _with_commas(parts: Sequence[Child], comma: str = ", ") -> list[Child]:
    return [each for at, part in enumerate(parts) for each in ([comma] if at else []) + [part]]
