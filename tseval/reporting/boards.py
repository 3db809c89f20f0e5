"""What files of scores hold: means, intervals, letters, scores of topics; and definitions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

from tseval.comparison import Board, Comparison, Contest
from tseval.comparison.directions import known_measures
from tseval.core import registry
from tseval.core.measure import Measure
from tseval.io.rows import guarded
from tseval.reporting.content import LEADING, TOPIC, Download, MeanRow, MeasureBoard, PairRow, Term
from tseval.reporting.recorded import traits_of

PAIRS_LISTED = 28
"""So many pairs of a measure are listed, those of eight runs."""
SCORE_COLUMNS = ("run", "topic", "measure", "value")


def ranked_runs(board: Board, found: Comparison, primary: str) -> tuple[str, ...]:
    """Runs best first by the primary measure, then the others of the board."""
    ranked = [each.run for each in found.standings if each.measure == primary]
    return tuple(dict.fromkeys([*ranked, *board.runs]))


def leading_first(
    board: Board, signatures: Iterable[str], *, are_chosen: bool
) -> tuple[list[str], int]:
    """The measures in a report's order, and how many of them lead it.

    Those lead that the edition of the scores names, at whatever times; of chosen measures, and
    where none of these is there, the first ones.
    """
    wanted = () if are_chosen else _leading(board, signatures)
    found = [own for name in wanted for own in _named(name, board)]
    found = found or list(board.measures)
    leading = found[:LEADING]
    return [*leading, *(name for name in board.measures if name not in leading)], len(leading)


def _leading(board: Board, signatures: Iterable[str]) -> tuple[str, ...]:
    """What the edition leads with that the scores name, else one of just these measures."""
    told = {traits_of(each).get("edition") for each in signatures}
    own = [each for name in board.families or () for each in registry.family(name).editions]
    named = [each for each in own if each.name in told]
    alike = (each for each in registry.all_editions() if set(each.measures) == set(board.measures))
    found = named[0] if named else next(alike, None)
    return () if found is None else found.leading


def _named(name: str, board: Board) -> list[str]:
    """The measures of a name at whatever times; else those that say more, such as which batches."""
    found = [own for own in board.measures if own.partition("@")[0] == name]
    return found or [own for own in board.measures if _says_more(own, name, board)]


def _says_more(own: str, name: str, board: Board) -> bool:
    """Whether a measure is another one with values for what that leaves open."""
    known, asked = (known_measures(each, board.families) for each in (own, name))
    return any(_adds_values(each, other) for each in known for other in asked)


def _adds_values(each: Measure, other: Measure) -> bool:
    """Whether a measure has all arguments of another, and none that is a flag beside them."""
    more = {*each.arguments} - {*other.arguments}
    is_same = each.definition is other.definition and {*other.arguments} <= {*each.arguments}
    return is_same and not any(each.definition.parameter(key).flag for key, _ in more)


def measure_boards(
    board: Board, found: Comparison, runs: Sequence[str], measures: Sequence[str]
) -> Iterator[MeasureBoard]:
    """Each of the measures with all that is known of it; a run is its place among the runs."""
    place = {run: at for at, run in enumerate(runs)}
    in_board = [board.runs.index(run) for run in runs]
    base = found.plan.baseline
    for measure in measures:
        contests = [each for each in found.contests if each.measure == measure]
        known = known_measures(measure, board.families) or known_measures(measure)
        higher = board.higher_is_better(measure)
        differs = {} if base is None else {each.run: each.different for each in contests}
        means = tuple(
            MeanRow(
                place[x.run], x.rank, x.topics, x.mean, x.low, x.high, x.letters, differs.get(x.run)
            )
            for x in found.standings
            if x.measure == measure
        )
        pairs = [_pair(each, place, higher) for each in contests]
        order = [each.run for each in means]
        pairs = [x if order.index(x.run) < order.index(x.other) else x.turned for x in pairs]
        cells = (each[in_board].T.tolist() for each in board.of(measure))
        yield MeasureBoard(
            name=measure,
            title=known[0].definition.summary if known else "",
            unit=known[0].unit if known else "",
            higher=higher,
            means=means,
            pairs=len(contests),
            different=sum(each.different for each in contests),
            listed=tuple(pairs) if len(pairs) <= PAIRS_LISTED else (),
            against=tuple(_against(pairs, means, None if base is None else place[base])),
            cells=tuple(tuple(map(_or_none, *topic)) for topic in zip(*cells, strict=True)),
            pooled=board.weighed(measure) is not None,
            cannot_tell=found.cannot_tell.get(measure, ""),
            over=_over(board, known),
            bounds=_bounds(known),
        )


def _bounds(known: Sequence[Measure]) -> tuple[float, float]:
    """Return the range of a measure, if its definition has one."""
    found = [each.definition.bounds(each) for each in known if each.definition.bounds]
    return found[0] if found else (-inf, inf)


def _over(board: Board, known: Sequence[Measure]) -> str:
    """What the mean of a measure is taken over, in the words of its family."""
    words = {_noun(board, each) for each in known}
    return words.pop() if len(words) == 1 else TOPIC


def _noun(board: Board, measure: Measure) -> str:
    words = registry.family(measure.family).words
    by_group = measure.definition.by_group and "over" in board.traits
    return words.groups.removesuffix("s") if by_group else words.noun


def _pair(each: Contest, place: Mapping[str, int], higher: bool) -> PairRow:
    better = None if each.better is None else place[each.better]
    row = PairRow(
        place[each.run],
        place[each.other],
        each.topics,
        each.difference,
        each.low,
        each.high,
        each.p,
        each.adjusted,
        better,
        each.wins,
        each.losses,
    )
    return row if higher else row.negated


def _or_none(value: float, is_known: bool) -> float | None:
    return value if is_known else None


def _against(
    pairs: Sequence[PairRow], means: Sequence[MeanRow], baseline: int | None
) -> Iterator[PairRow]:
    """The best run with each other, seen from it; or with a baseline each with that."""
    order = [each.run for each in means]
    if baseline is None:
        best = max(means, key=lambda row: row.topics).run if means else None  # of equals the first
        own = [e if e.run == best else e.turned for e in pairs if best in (e.run, e.other)]
        yield from sorted(own, key=lambda each: order.index(each.other))
        return
    seen = [each if each.other == baseline else each.turned for each in pairs]
    yield from sorted(seen, key=lambda each: order.index(each.run))


def terms(measures: Sequence[str], families: Sequence[str] | None) -> Iterator[Term]:
    """Each measure by its definition; one of several families by those of the scores."""
    for name in measures:
        own = known_measures(name, families) or known_measures(name)
        if not own:
            yield Term(name, "", (("definition", "no measure of this name is known here"),))
        for each in own:
            yield Term(name, each.definition.summary, tuple(_entries(each)))


def _entries(measure: Measure) -> Iterator[tuple[str, str]]:
    definition = measure.definition
    way = "higher is better" if definition.higher_is_better else "lower is better"
    yield "definition", definition.formula
    for name, _ in measure.arguments:
        parameter = definition.parameter(name)
        written = name if parameter.flag else f"{name}={measure.argument(name)}"
        yield "with", f"{written}: {parameter.meaning}"
    if measure.at is not None:
        yield "taken at", measure.at
    yield "direction", way
    yield "range", definition.range
    yield "empty case", definition.empty_case
    yield "citation", definition.citation


def score_downloads(board: Board, found: Comparison) -> tuple[Download, ...]:
    """The scores, the means and the pairs, in full precision."""
    scores = [
        (run, topic, measure, value if is_known else None)
        for measure in board.measures
        for run, *cells in zip(
            board.runs, *(each.tolist() for each in board.of(measure)), strict=True
        )
        for topic, value, is_known in zip(board.topics, *cells, strict=True)
    ]
    means, pairs = found.parts["means"], found.parts["pairs"]
    effects = "every pair: difference, interval, effect sizes, p values"
    return (
        _csv("scores.csv", "every score that was compared", SCORE_COLUMNS, scores),
        _csv("means.csv", "means with intervals and letters", means.kind._fields, means.rows),
        _csv("pairs.csv", effects, pairs.kind._fields, pairs.rows),
    )


def _csv(name: str, note: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Download:
    """A table for whoever reads the page: names that would be formulas there are texts."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return Download(name, note, "text/csv", guarded(text.getvalue().encode(), "csv", safe=True))
