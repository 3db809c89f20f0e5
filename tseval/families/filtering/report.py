"""The section of a report on filtering: batches, the lines fitted to them, and what these say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tseval.core.blocks import Block, Head, Note, Panels, Rows
from tseval.core.sections import Reporting, Section, Setting
from tseval.families.filtering.evaluation import FilterEvaluation
from tseval.families.filtering.inputs import FilterOptions
from tseval.families.filtering.picture import known, trend_panels
from tseval.families.filtering.trend_tables import fits

Trends = Sequence[tuple[str, str]]

COLUMNS = {
    "run": Head("run", "run"),
    "metric": Head("metric", "text"),
    "batch": Head("batch", "text"),
    "slope": Head("slope", decimals=6),
    "se": Head("error of slope", decimals=6),
    "p": Head("p", "chance"),
    "end": Head("end"),
    "end_se": Head("error of end"),
    "verdict": Head("verdict", "text"),
}
"""What the table of fits shows, by the columns of `fits`."""


def trends(evaluation: FilterEvaluation, setting: Setting[FilterOptions]) -> Iterator[Block]:
    """Every batch of every run with its line, and what the lines say."""
    asked = evaluation.trends(setting.measures)
    yield Note("Each batch, and the trend that is fitted to a run’s batches; more is in the table.")
    yield Panels(tuple(trend_panels(evaluation.index, asked, setting.runs)))
    yield Rows("Trends of every run", tuple(COLUMNS.values()), _fits(evaluation, asked, setting))


def _fits(
    evaluation: FilterEvaluation, asked: Trends, setting: Setting[FilterOptions]
) -> tuple[tuple[Any, ...], ...]:
    """What the line of each run says, best run first within a metric."""
    places = {key: at for at, key in enumerate(asked)}
    found: list[dict[str, Any]] = fits(evaluation.index, asked).to_dict("records")  # type: ignore[assignment]
    rows = [row | {"run": setting.run(row["run"])} for row in found]
    rows.sort(key=lambda row: (places[row["metric"], row["batch"]], row["run"]))
    return tuple(tuple(known(row[name]) for name in COLUMNS) for row in rows)


REPORT = Reporting(
    sections=(Section("trends", "Trends over batches", trends),),
    takes=("batches", "cutoff", "level"),
)
