"""What is not wrong with batches and lines through them, but what their reader should know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.batches import cover
from tseval.core.trends import Series
from tseval.core.wording import count, listed
from tseval.io.names import ABSENT
from tseval.io.schema import ALL_TOPICS
from tseval.statistics import assumptions
from tseval.statistics.assumptions import DEPENDENT
from tseval.statistics.trend import FEWEST

if TYPE_CHECKING:
    from tseval.arrays import FloatArray
    from tseval.core.family import Evaluation


def outside(evaluation: Evaluation, drawn: Sequence[Series]) -> Iterator[str]:
    """For each run how much of what it sent lies in no batch of its topic."""
    index = evaluation.index
    unit, time = evaluation.sent
    batches = cover(evaluation.starts, evaluation.ends, evaluation.latest, drawn[0].length)
    lost = unit[batches.of_units(index.unit_topic).of(unit, time) == ABSENT]
    number = np.bincount(lost // len(index.topics), minlength=len(index.runs))
    for run, many in zip(index.runs, number.tolist(), strict=True):
        if many:
            noun = count(many, "message")
            yield f"run {run}: {noun} before the first batch of the topic or after the last"


def doubts(drawn: Sequence[Series]) -> Iterator[str]:
    """Where there is no line, or none to be trusted, and whose lines reach past what they sent."""
    dependent = [_dependent(series) for series in drawn]
    for r, run in enumerate(drawn[0].runs):
        for series in drawn:
            rows = series.trend.fitted[r * len(series.measures) : (r + 1) * len(series.measures)]
            lost = [name for name, fitted in zip(series.measures, rows, strict=True) if not fitted]
            if lost:
                where = _where(series)
                few = f"it needs {FEWEST} batches with values; choose a shorter --batch"
                yield f"run {run}: no line through {listed(lost)} of {where}: {few}"
        for word in DEPENDENT:
            wrong = [name for each in dependent for name in each.get((r, word), ())]
            if wrong:
                cannot = "errors and p of these lines cannot be trusted"
                yield f"run {run}: residuals {_residuals(word)} of {listed(wrong)}: {cannot}"
        yield from _forecasts(run, [(each, _silence(each.sent[r])) for each in drawn])


def _dependent(series: Series) -> dict[tuple[int, str], list[str]]:
    """For each run, and what speaks against independent residuals, the measures with their d."""
    checked, tested = assumptions.check(series.trend), series.trend.tested
    found: dict[tuple[int, str], list[str]] = {}
    places = np.where(tested, checked.dependent(), -1)
    for row in np.flatnonzero(places >= 0).tolist():
        run, measure = divmod(row, len(series.measures))
        told = f"{series.measures[measure]} of {_where(series)}"
        said = f"{told} (DW {checked.durbin_watson[row]:.2f})"
        found.setdefault((run, DEPENDENT[places[row]]), []).append(said)
    return found


def _residuals(word: str) -> str:
    """What speaks against residuals, as part of a sentence."""
    return f"with a {word}" if word.startswith("Durbin") else f"that are {word}"


def _forecasts(run: str, silent: Sequence[tuple[Series, int]]) -> Iterator[str]:
    """That a run's lines end long after it fell silent, and where."""
    lasting = [(series, number) for series, number in silent if number]
    if not lasting:
        return
    if len(silent) == 1:
        (_, number) = lasting[0]
        last = "batch" if number == 1 else f"{number:,} batches"
        yield f"run {run}: it sent nothing in the last {last}: its end points are forecasts"
        return
    where = listed([f"{_where(series)} ({number:,})" for series, number in lasting])
    told = "its end points there are forecasts"
    yield f"run {run}: it sent nothing in the last batches of {where}: {told}"


def _where(series: Series) -> str:
    return "the mean over topics" if series.topic == ALL_TOPICS else series.topic


def _silence(sent: FloatArray) -> int:
    """How many of the last batches are empty; 0 where all are, since there is no line."""
    filled = np.flatnonzero(sent)
    return len(sent) - 1 - int(filled[-1]) if len(filled) else 0
