"""Means, intervals, letters and the score of each topic: what the files of scores hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tseval.comparison import Board, Comparison, Contest, RunStanding
from tseval.comparison.directions import known_measures
from tseval.files.rows import rows_bytes
from tseval.reporting.content import Download, MeanRow, MeasureBoard, PairRow

PAIRS_LISTED = 28
"""So many pairs of a measure are listed, those of eight runs."""
CSV = "text/csv"


@dataclass(frozen=True)
class Names:
    """The places of runs and topics in a report."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]

    @classmethod
    def of(cls, board: Board, found: Comparison, further: Sequence[str] = ()) -> Names:
        """Runs best first by the first measure, then the others of the board, then further ones."""
        first = board.measures[0]
        ranked = [each.run for each in found.standings if each.measure == first]
        return cls(tuple(dict.fromkeys([*ranked, *board.runs, *further])), board.topics)

    def run(self, name: str) -> int:
        """The place of a run."""
        return self.runs.index(name)


def measure_boards(board: Board, found: Comparison, names: Names) -> Iterator[MeasureBoard]:
    """Each measure with all that is known of it."""
    for measure in board.measures:
        contests = [each for each in found.contests if each.measure == measure]
        standings = [each for each in found.standings if each.measure == measure]
        against = {each.run: each.different for each in contests}
        is_short = len(contests) <= PAIRS_LISTED
        known = known_measures(measure, board.families) or known_measures(measure)
        yield MeasureBoard(
            name=measure,
            title=known[0].definition.summary if known else "",
            unit=known[0].unit if known else "",
            higher=board.higher_is_better(measure),
            means=tuple(
                _mean(each, names, against if found.plan.baseline else {}) for each in standings
            ),
            pairs=len(contests),
            different=sum(each.different for each in contests),
            listed=tuple(_pair(each, names) for each in contests) if is_short else (),
            cells=tuple(_cells(board, measure, names)),
            pooled=board.weighed(measure) is not None,
            cannot_tell=found.cannot_tell.get(measure, ""),
        )


def _mean(each: RunStanding, names: Names, against: dict[str, bool]) -> MeanRow:
    return MeanRow(
        run=names.run(each.run),
        rank=each.rank,
        topics=each.topics,
        mean=each.mean,
        low=each.low,
        high=each.high,
        letters=each.letters,
        differs=against.get(each.run),
    )


def _pair(each: Contest, names: Names) -> PairRow:
    return PairRow(
        run=names.run(each.run),
        other=names.run(each.other),
        topics=each.topics,
        difference=each.difference,
        low=each.low,
        high=each.high,
        p=each.p,
        adjusted=each.adjusted,
        better=None if each.better is None else names.run(each.better),
    )


def _cells(board: Board, measure: str, names: Names) -> Iterator[tuple[float | None, ...]]:
    """By topic, the value of each run of the report; None where it has none."""
    values, known = board.of(measure)
    place = {run: at for at, run in enumerate(board.runs)}
    for topic in range(len(board.topics)):
        yield tuple(
            float(values[place[run], topic]) if run in place and known[place[run], topic] else None
            for run in names.runs
        )


def score_downloads(board: Board, found: Comparison) -> tuple[Download, ...]:
    """The scores, the means and the pairs, in full precision."""
    import pandas as pd

    rows = [
        (run, topic, measure, value)
        for measure in board.measures
        for run, values, known in zip(board.runs, *board.of(measure), strict=True)
        for topic, value in zip(board.topics, _known(values.tolist(), known.tolist()), strict=True)
    ]
    scores = pd.DataFrame(rows, columns=["run", "topic", "measure", "value"])
    tables = {
        "scores.csv": ("every score that was compared", scores.astype({"value": "Float64"})),
        "means.csv": ("means with intervals and letters", found.frame("means")),
        "pairs.csv": (
            "every pair: difference, interval, effect sizes, p values",
            found.frame("pairs"),
        ),
    }
    return tuple(
        Download(name, note, CSV, rows_bytes(frame, "csv", found.signature))
        for name, (note, frame) in tables.items()
    )


def _known(values: Sequence[float], known: Sequence[bool]) -> list[float | None]:
    return [value if is_known else None for value, is_known in zip(values, known, strict=True)]
